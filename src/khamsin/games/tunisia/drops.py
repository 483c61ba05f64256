"""Airdrops (2.6, OCS 14.8, OCS 17.12): parachutists by a secret plan of two turns before, supply at once."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial

from khamsin.games.tunisia import air, airlift, control, lift, losses, supply
from khamsin.games.tunisia.air import Mission
from khamsin.games.tunisia.airbases import BOX_OF, WINGS, bases, range_from
from khamsin.games.tunisia.airlift import Load, cargo_hexes, planes
from khamsin.games.tunisia.dates import AIR
from khamsin.games.tunisia.ground import OUTSIDE
from khamsin.games.tunisia.lift import HALF, halves
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.sorties import distance
from khamsin.games.tunisia.units import (
    ALLIED,
    BOARD,
    COUNTERS,
    FINISHED,
    FLIGHT,
    FORCES,
    HEXES,
    INACTIVE,
    LATER,
    LEG,
    MA,
    MOBILITY,
    MODES,
    MOVE,
    NUMBER,
    RANGE,
    SIDE,
    UNITS,
    G,
    ends_move,
    forces_in,
    name,
    on_map,
    stock,
    tell,
    tokens,
    whom,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations

NUMBERS = AIR["drop"]
LEAD: int = NUMBERS["lead"]
TARGET = "drop"


def _is_parachutist(unit: int) -> bool:
    counter = COUNTERS[unit]
    light = MOBILITY[unit][1] == LEG and 1 <= MA[unit][1] <= airlift.LIGHT_MA
    return counter.symbol in NUMBERS["symbols"] and light and counter.name not in NUMBERS["barred"]


PARACHUTISTS = [_is_parachutist(unit) for unit in UNITS]  # 2.6
"""Units that can be dropped: parachutists that go by air, except those that the rulebook excludes."""


def base_of(g: G, side: int, unit: int) -> int:
    """Return an air base with transports from which a unit can fly, or -1: in its hex, or of its holding box."""
    for base in bases(g, side):
        if g.state.where[unit] in cargo_hexes(base) and transports(g, side, base):
            return base
    return -1


def transports(g: G, side: int, base: int) -> list[int]:
    """Return the transports at a base or of its box, active or not."""
    there = [at for at in BOX_OF if BOX_OF[at] == BOX_OF[base]] if base in BOX_OF else [base]
    return [unit for unit in WINGS[side] if COUNTERS[unit].factors["load"] and g.state.where[unit] in there]


# Plans


def why_not_planned(g: G, side: int, unit: int) -> Refusal | None:
    """Return why no drop can be planned for a unit: only parachutists on the map or in a box of a side that has transports;
    both need be at one base only when they fly (2.6, OCS 14.8)."""
    who = name(unit)
    if SIDE[unit] != side or not PARACHUTISTS[unit]:
        rule = "2.6" if COUNTERS[unit].name in NUMBERS["barred"] else "OCS 14.8"
        return Refusal(f"{who} cannot be dropped: not a parachute unit of yours that goes by air", rule, who)
    if not on_map(g, unit) and g.state.where[unit] not in lift.BOXES:
        return Refusal(f"{who} cannot be dropped: neither on the map nor in a holding box", "OCS 14.8", who)
    if not any(COUNTERS[plane].factors["load"] and is_based(g, plane) for plane in WINGS[side]):
        return Refusal(f"{who} cannot be dropped: you have no transports", "OCS 14.8", who)
    return None


def is_based(g: G, plane: int) -> bool:
    """Whether an aircraft is at a base, active or not."""
    return on_map(g, plane) or g.state.where[plane] in BOX_OF


def plan(g: G, side: int) -> Procedure:
    """In the Air Refit Phase a side plans drops of two turns later, delays them by a turn or cancels them; before play
    also drops of the first turn. The enemy does not see it (OCS 14.8)."""
    done, cancel, delay, off = (g.rules.button(word) for word in ("done", "cancel", "delay", "decline"))
    turn = g.state.turn + LEAD if g.state.turn >= g.state.first else g.state.first
    while able := [unit for unit in FORCES[side] if PARACHUTISTS[unit] and why_not_planned(g, side, unit) is None]:
        click = yield g.ask(
            side, "drop.plan", f"Plan an airdrop for turn {turn}: choose a parachute unit, or end planning", "OCS 14.8",
            units=able, buttons=[done], top=True, why_not=_why_not_planned, can_act=lambda seen: (),
        )  # fmt: skip
        if click == done:
            return
        unit, who = click, name(click)
        if who in g.state.drop_turn:
            label = BOARD.name(g.state.drop_hex[who])
            click = yield g.ask(
                side, "drop.change", f"{who} is to drop on {label} on turn {g.state.drop_turn[who]}: delay or call off",
                "OCS 14.8", buttons=[delay, off, cancel], about=[unit],
            )  # fmt: skip
            if click == delay:
                g.state.drop_turn[who] += 1
            elif click == off:
                del g.state.drop_turn[who], g.state.drop_hex[who]
            continue
        click = yield g.ask(
            side, "drop.hex", f"Choose where {who} drops on turn {turn}", "OCS 14.8", buttons=[cancel], about=[unit],
            maybe=[g.place0 + hex for hex in range(HEXES)], why_not=for_locations(why_no_zone),
        )  # fmt: skip
        if click != cancel:
            g.state.drop_hex[who], g.state.drop_turn[who] = g.location(click), turn
            tell(
                g,
                side,
                "OCS 14.8",
                "{unit} is to drop on {hex} on turn {turn}",
                unit=unit,
                hex=g.location(click),
                turn=turn,
            )


def _why_not_planned(g: G, decision: Decision, click: int) -> Refusal | None:
    return why_not_planned(g, decision.side, click) if g.is_unit(click) else None


def why_no_zone(g: G, hex: int) -> Refusal | None:
    """Return why no drop on a hex can be planned: not land of the area (OCS 14.8)."""
    label = BOARD.name(hex)
    if hex >= HEXES or not BOARD.enterable(hex) or hex in OUTSIDE[setting(g).area]:
        return Refusal(f"{label} is not a drop zone: not land of the area", "OCS 14.8", label)
    return None


def why_not_goal(g: G, side: int, base: int, hex: int) -> Refusal | None:
    """Return why nothing can be dropped on a hex: not land of the area, enemy combat units, out of range (OCS 14.8)."""
    label = BOARD.name(hex)
    refusal = why_no_zone(g, hex)
    if refusal is not None:
        return refusal
    if forces_in(g, 1 - side, hex):
        return Refusal(f"{label} is not a drop zone: enemy units are there", "OCS 14.8", label)
    far = range_from(base, hex)
    if not any(far <= RANGE[plane] for plane in transports(g, side, base)):
        return Refusal(
            f"{label} is not a drop zone: {far} hexes from {BOARD.name(base)}, out of range", "OCS 14.1", label
        )
    return None


def forget(g: G, side: int) -> None:
    """Remove plans whose turn has passed (OCS 14.8)."""
    for who in [who for who, turn in g.state.drop_turn.items() if SIDE[NUMBER[who]] == side and turn <= g.state.turn]:
        del g.state.drop_turn[who], g.state.drop_hex[who]


# The drop


def capacity(g: G, plane: int, base: int, hex: int, home: int = NOWHERE) -> int:
    """Return what a transport drops on a hex, in half tokens: it flies out and back, and carries double if both are within
    half its range (OCS 14.8; series 14.9e)."""
    return airlift.capacity(g, plane, base, hex, home) if range_from(base, hex) <= RANGE[plane] else 0


def capacities(g: G, load: Load, hex: int) -> dict[int, int]:
    """Return what each transport at the base of a load drops on a hex."""
    return {plane: capacity(g, plane, load.base, hex, load.home) for plane in planes(g, load.side, load.base)}


def crew(g: G, load: Load, hex: int) -> list[int]:
    """Return the transports that drop a load on a hex; none if they cannot."""
    return airlift.fewest(capacities(g, load, hex), load.size)


def why_not_dropped(g: G, side: int, unit: int) -> Refusal | None:
    """Return why a unit cannot drop now: only by its plan for this turn, in Move Mode, unmoved, with transports that
    reach (OCS 14.8)."""
    who = name(unit)
    if g.state.todo.keys() & set(LATER):
        return Refusal(f"{who} cannot drop: units drop in the Movement Phase", "OCS 14.8", who)
    if g.state.drop_turn.get(who) != g.state.turn:
        return Refusal(f"{who} cannot drop: no drop is planned for this turn", "OCS 14.8", who)
    base, hex = base_of(g, side, unit), g.state.drop_hex[who]
    refusal = airlift.why_not_lifted(g, side, unit)
    if refusal is not None:
        return refusal
    if g.state.spent[unit]:
        return Refusal(f"{who} cannot drop: it has moved in this phase", "OCS 14.8", who)
    if base < 0 or not crew(g, Load(side, base, (unit,)), hex):
        return Refusal(f"{who} cannot drop: too few active transports in range of {BOARD.name(hex)}", "OCS 14.8", who)
    return why_not_goal(g, side, base, hex)


def jumpers(g: G, side: int) -> list[int]:
    """Return the units that can drop now: in the Movement Phase only."""
    if g.state.todo.keys() & set(LATER):
        return []
    due = [NUMBER[who] for who, turn in g.state.drop_turn.items() if turn == g.state.turn and SIDE[NUMBER[who]] == side]
    return [unit for unit in due if why_not_dropped(g, side, unit) is None]


def stores(g: G, side: int) -> list[int]:
    """Return the bases from which supply can be dropped: with active transports and tokens; boxes have enough; one per
    box."""
    found: dict[object, int] = {}
    for base in bases(g, side):
        if planes(g, side, base) and (base >= HEXES or stock(g, side).get(base, 0) > g.state.fresh.get(base, 0)):
            found.setdefault(BOX_OF.get(base, base), base)
    return list(found.values())


def why_none(g: G, side: int) -> Refusal | None:
    """Return why a side cannot drop anything now."""
    if g.state.weather != FLIGHT:
        return Refusal("No airdrop is possible: the weather is No Flight", "OCS 15", "drop")
    if not jumpers(g, side) and not stores(g, side):
        return Refusal(
            "No airdrop is possible: no planned unit and no supply with active transports", "OCS 14.8", "drop"
        )
    return None


def drop(g: G, side: int) -> Procedure:
    """Drop a planned unit, or supply from a base (OCS 14.8)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "drop.load",
        f"Choose a parachute unit that is to drop, or a base from which supply is dropped{ends_move(g, side)}", "OCS 14.8",
        units=jumpers(g, side), locations=stores(g, side), buttons=[cancel], why_not=_why_not_load,
    )  # fmt: skip
    if click == cancel:
        return
    if g.is_unit(click):
        hex = g.state.drop_hex[name(click)]
        load = yield from fill(g, Load(side, base_of(g, side, click), (click,)), hex)
        yield from fly(g, load, hex)
        return
    base, home = g.location(click), NOWHERE
    full = {plane: COUNTERS[plane].factors["load"] * HALF * g.state.steps[plane] for plane in planes(g, side, base)}
    most = min(airlift.spare(g, side, base), airlift.largest(full))
    sizes = {g.rules.button(word): size for word, size in lift.amounts(most).items()}
    while True:
        click = yield g.ask(
            side, "drop.amount",
            f"Drop supply from {BOARD.name(base)}{airlift.back_to(home)}: choose how much, or first the base to return to",
            "OCS 14.8", buttons=[*sizes, cancel], maybe=air.home_clicks(g, side, home),
            why_not=partial(_why_not_return, base=base, home=home),
        )  # fmt: skip
        if click == cancel:
            return
        if click >= g.rules.first_button:
            break
        home = NOWHERE if g.location(click) == home else g.location(click)
    everything = click == g.rules.button("all")
    load = Load(side, base, tokens=1 if everything else sizes[click], home=home)
    what = "all that fits" if everything else load.words
    click = yield g.ask(
        side, "drop.hex", f"Choose where {what} is dropped", "OCS 14.8", buttons=[cancel],
        maybe=[g.place0 + hex for hex in range(HEXES)], why_not=for_locations(partial(_why_not_zone, load=load)),
    )  # fmt: skip
    if click == cancel:
        return
    hex = g.location(click)
    fits = min(most, airlift.largest(capacities(g, load, hex)))
    yield from fly(g, load._replace(tokens=fits) if everything else load, hex)


def fill(g: G, load: Load, hex: int) -> Generator[Decision, int, Load]:
    """Further units with the same plan may drop from the same transports, as far as they fit; these return to the base they
    left, or to another that their owner clicks. Return the load (OCS 14.8; series 14.9e)."""
    done = g.rules.button("done")
    while True:
        others = [unit for unit in jumpers(g, load.side) if why_not_along(g, load, hex, unit) is None]
        what = f"{load.words} {'drop' if len(load.units) > 1 else 'drops'} on {BOARD.name(hex)}{airlift.back_to(load.home)}"
        click = yield g.ask(
            load.side, "drop.with", f"{what}: go, or add a unit or choose the base to return to", "OCS 14.8",
            units=others, buttons=[done], about=load.units, maybe=air.home_clicks(g, load.side, load.home),
            why_not=partial(_why_not_with, load=load, hex=hex),
        )  # fmt: skip
        if click == done:
            return load
        if g.is_unit(click):
            load = load._replace(units=(*load.units, click))
        else:
            home = g.location(click)
            load = load._replace(home=NOWHERE if home == load.home else home)


def _why_not_return(g: G, decision: Decision, click: int, base: int, home: int) -> Refusal | None:
    if g.is_unit(click) or click >= g.rules.first_button:
        return None
    at = g.location(click)
    flying = planes(g, decision.side, base)
    return airlift.why_not_home(
        g, decision.side, at, home, lambda: any(distance(base, at) <= 2 * RANGE[plane] for plane in flying)
    )


def _why_not_with(g: G, decision: Decision, click: int, load: Load, hex: int) -> Refusal | None:
    if g.is_unit(click):
        return why_not_along(g, load, hex, click)
    if click >= g.rules.first_button:
        return None
    home = g.location(click)
    flying = planes(g, load.side, load.base)
    refusal = airlift.why_not_home(
        g, load.side, home, load.home, lambda: any(airlift.returns_to(plane, hex, home) for plane in flying)
    )
    if refusal is None and home != load.home and not crew(g, load._replace(home=home), hex):
        label = BOARD.name(home)
        return Refusal(f"Transports cannot return to {label}: beyond half range they carry less", "OCS 14.8", label)
    return refusal


def why_not_along(g: G, load: Load, hex: int, unit: int) -> Refusal | None:
    """Return why a unit cannot drop with others: it has no drop on the hex now, is elsewhere, or does not fit
    (OCS 14.8)."""
    who = name(unit)
    if unit in load.units or unit not in jumpers(g, load.side) or g.state.drop_hex[who] != hex:
        return Refusal(f"{who} has no other drop on {BOARD.name(hex)} now", "OCS 14.8", who)
    if g.state.where[unit] not in cargo_hexes(load.base):
        return Refusal(f"{who} is not where the transports are", "OCS 14.8", who)
    if not crew(g, load._replace(units=(*load.units, unit)), hex):
        return Refusal(f"{who} cannot drop too: too large for the transports in range", "OCS 14.8", who)
    return None


def _why_not_load(g: G, decision: Decision, click: int) -> Refusal | None:
    if g.is_unit(click):
        refusal = why_not_planned(g, decision.side, click)
        return refusal or why_not_dropped(g, decision.side, click)
    if click >= g.rules.first_button or g.location(click) in stores(g, decision.side):
        return None
    label = g.rules.names[click]
    return Refusal(
        f"No supply can be dropped from {label}: no base with active transports and tokens", "OCS 14.8", label
    )


def _why_not_zone(g: G, hex: int, load: Load) -> Refusal | None:
    refusal = why_not_goal(g, load.side, load.base, hex)
    if refusal is None and not crew(g, load, hex):
        label = BOARD.name(hex)
        text = f"takes {halves(load.size)}, too much for the transports in range"
        return Refusal(f"{load.words} cannot be dropped on {label}: {text}", "OCS 14.8", label)
    return refusal


def needed(g: G, side: int, hex: int) -> int:
    """Return the roll of two dice with which a unit or token lands: 5 to 7 by terrain and friendly units; one more for
    the Allies (OCS 17.12)."""
    easy = BOARD.terrain_name(hex) == "open" or "village" in BOARD.tags[hex] or hex in g.state.base
    row: list[int] = NUMBERS["friends" if forces_in(g, side, hex) else "alone"]
    return row[0 if easy else 1] + (NUMBERS["allied"] if side == ALLIED else 0)


def fly(g: G, load: Load, hex: int) -> Procedure:
    """The transports fly out, perhaps escorted, intercepted and under flak in an enemy patrol zone, drop, and return inactive
    to the base their owner chose, else to their own (OCS 14.4, OCS 14.5, OCS 14.8; series 14.9e)."""
    side, crews = load.side, crew(g, load, hex)
    escort = yield from air.choose_escort(g, side, crews, hex)
    g.reveal()
    g.log("OCS 14.8", "{planes} fly to drop on {hex}", planes=whom(crews), hex=hex)
    flying = yield from air.approach(g, Mission(side, (*crews, *escort), hex, TARGET))
    for fighter in [fighter for fighter in escort if fighter in flying]:
        air.come_home(g, fighter, hex, load.home)
    left = [plane for plane in crews if plane in flying]
    room = sum([capacity(g, plane, load.base, hex, load.home) for plane in left])
    aborted = [plane for plane in crews if plane not in left and g.state.steps[plane] > 0]
    kept = sum([capacity(g, plane, load.base, hex, load.home) for plane in aborted])
    if load.tokens:
        drop_tokens(g, load, hex, room, kept)
    jumping = yield from airlift.saved(g, load, room)
    back = yield from airlift.saved(g, load._replace(units=tuple([u for u in load.units if u not in jumping])), kept)
    for unit in load.units:
        drop_unit(g, unit, hex, unit in jumping, unit in back)
    for plane in left:
        g.state.flags[plane] |= INACTIVE
        if airlift.returns_to(plane, hex, load.home):
            g.state.where[plane] = load.home


def drop_unit(g: G, unit: int, hex: int, jumps: bool, returns: bool) -> None:
    """A unit drops and rolls to land, returns with transports that abort, or is lost with its own (OCS 14.8,
    OCS 17.12)."""
    g.state.drop_turn.pop(name(unit), None)
    g.state.drop_hex.pop(name(unit), None)
    if returns:
        tell(g, SIDE[unit], "OCS 14.8", "{unit} returns with its transports", unit=unit)
    elif not jumps or g.dice.two(f"drop of {name(unit)}", "OCS 17.12") < needed(g, SIDE[unit], hex):
        losses.eliminate(g, unit, "OCS 17.12")
    else:
        land(g, unit, hex)


def drop_tokens(g: G, load: Load, hex: int, room: int, kept: int) -> None:
    """Tokens are dropped, each with a roll; transports that abort bring theirs back (OCS 14.8, OCS 17.12)."""
    side = load.side
    sent = min(load.tokens, -(-room // HALF))
    gone = load.tokens - min(load.tokens - sent, -(-kept // HALF))
    if load.base < HEXES and gone:
        supply.take(g, side, supply.Source(load.base, NOWHERE, gone, NOWHERE), gone)
    least = needed(g, side, hex)
    fell = len([1 for _ in range(sent) if g.dice.two(f"drop on {BOARD.name(hex)}", "OCS 17.12") >= least])
    supply.add(g, side, hex, fell)
    if fell:
        g.state.fresh[hex] = g.state.fresh.get(hex, 0) + fell
    tell(g, side, "OCS 17.12", "{fell} of {sent} arrives in {hex}", fell=tokens(fell), sent=tokens(load.tokens),
         hex=hex)  # fmt: skip


def land(g: G, unit: int, hex: int) -> None:
    """A unit has landed and does not move in this phase (OCS 14.8)."""
    g.state.flags[unit] = g.state.flags[unit] & ~MODES | MOVE | FINISHED
    g.state.where[unit], g.state.due[unit] = hex, g.state.turn
    g.log("OCS 17.12", "{unit} lands in {hex}", unit=unit, hex=hex)
    control.enter(g, SIDE[unit], [unit], [hex], rule_move=False)
