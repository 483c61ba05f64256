"""Artillery barrage (OCS 8): guns in range fire at the units of a hex, paid from one headquarters or dump."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from khamsin.games.tunisia import airbases, cooperation, losses, stacking, supply
from khamsin.games.tunisia.scenario import PORTS, is_port
from khamsin.games.tunisia.strength import hex_terrains
from khamsin.games.tunisia.units import (
    AROUND,
    ARTILLERY,
    BOARD,
    COMBAT,
    COUNTERS,
    DG,
    DIVISION,
    EXPLOIT,
    FIRED,
    FORCES,
    GROUND,
    HEXES,
    IS_AIR,
    PRINTED,
    QUARTERS,
    RANGE,
    RE,
    RELEASED,
    RESERVE,
    SIDE,
    STRAT,
    G,
    aircraft_in,
    face,
    forces_in,
    name,
    on_map,
    tokens,
    whom,
)
from khamsin.kernel.rules import Decision, Odds, Procedure, Refusal, Term
from khamsin.mechanics.odds import Modifier, mix, net, written
from khamsin.mechanics.showing import counted

NUMBERS = COMBAT["barrage"]
HALVED = Fraction(COMBAT["mode"]["dg"]["strength"])
STRATEGIC = "heavy bomber"
LATER = "later barrage"
"""Whether the barrages are those of the Reaction or Exploitation Phase."""


UNITS_TARGET, BASE_TARGET, PORT_TARGET, INTERDICTION = "units", "base", "port", "interdict"


class Fire(NamedTuple):
    """Guns of a side that fire at the units of a hex or at its base or port, or aircraft, all within short range or not."""

    side: int
    units: tuple[int, ...]
    hex: int
    air: bool = False
    short: bool = False
    target: str = UNITS_TARGET


def segment(g: G, side: int, later: bool = False) -> Procedure:
    """The side fires at any number of hexes, each once in a phase; in the Reaction and Exploitation Phases only guns
    that were released or exploit (OCS 8(2), OCS 8(3))."""
    if later:
        g.state.todo[LATER] = 1
    done = g.rules.button("done")
    while True:
        near = in_reach(g, side)
        if not any(why_not_target(g, side, hex) is None for hex in near):
            break
        click = yield g.ask(
            side, "barrage.target", "Choose a hex to barrage, or end the barrages", "OCS 8",
            maybe=[g.place0 + hex for hex in near], buttons=[done], top=True, why_not=why_not_chosen,
            can_act=lambda seen: guns(seen, side),
        )  # fmt: skip
        if click == done:
            break
        yield from aim(g, side, g.location(click))
    g.clear_flags(FORCES[side], FIRED)
    g.state.barraged.clear()
    g.state.todo.pop(LATER, None)


def points(g: G, unit: int) -> Fraction:
    """Return the barrage strength of the face that shows, half if disorganised (OCS 5, OCS 8(1))."""
    if IS_AIR[unit]:
        return _POINTS[COUNTERS[unit].factors["barrage" if g.state.steps[unit] > 1 else "reduced barrage"]]
    printed = PRINTED[unit][face(g, unit)]
    return _HALF_POINTS[printed] if g.state.flags[unit] & DG else _POINTS[printed]


_POINTS = [Fraction(number) for number in range(1 + max(max(c.factors.values(), default=0) for c in COUNTERS))]
GUNS = tuple(tuple([unit for unit in forces if ARTILLERY[unit]]) for forces in FORCES)
_HALF_POINTS = [number * HALVED for number in _POINTS]


def why_silent(g: G, unit: int) -> Refusal | None:
    """Return why a unit does not fire: only artillery on the map, not in Strat or Reserve Mode, once in a phase (OCS 5,
    OCS 8(2), OCS 8(3))."""
    who, flags = name(unit), g.state.flags[unit]
    if not ARTILLERY[unit]:
        return Refusal(f"{who} cannot barrage: not artillery", "OCS 8(1)", who)
    if not on_map(g, unit):
        return Refusal(f"{who} cannot barrage: not on the map", "OCS 8", who)
    if flags & (STRAT | RESERVE):
        return Refusal(f"{who} cannot barrage: in {'Strat' if flags & STRAT else 'Reserve'} Mode", "OCS 5", who)
    if LATER in g.state.todo and not flags & (RELEASED | EXPLOIT):
        return Refusal(f"{who} cannot barrage in this phase: it was not released from Reserve", "OCS 8(3)", who)
    if flags & FIRED:
        return Refusal(f"{who} has already fired in this phase", "OCS 8(2)", who)
    return None


def why_not_fired(g: G, unit: int, hex: int) -> Refusal | None:
    """Return why a unit cannot fire at a hex: out of range (OCS 8(7))."""
    refusal = why_silent(g, unit)
    if refusal is not None:
        return refusal
    if not reaches(g, unit, hex):
        label, distance = BOARD.name(hex), BOARD.distance(g.state.where[unit], hex)
        text = f"{distance} hexes away, range {RANGE[unit]}"
        return Refusal(f"{name(unit)} cannot barrage {label}: {text}", "OCS 8(7)", label)
    return None


def reaches(g: G, unit: int, hex: int) -> bool:
    """Whether a hex is in range of a gun on the map (OCS 8(7))."""
    return BOARD.distance(g.state.where[unit], hex) <= RANGE[unit]


def guns(g: G, side: int) -> list[int]:
    """Return the guns of a side that can still fire."""
    return [unit for unit in GUNS[side] if on_map(g, unit) and why_silent(g, unit) is None]


def in_range(g: G, side: int, hex: int) -> list[int]:
    """Return the guns of a side that can fire at a hex."""
    near = [unit for unit in GUNS[side] if on_map(g, unit) and reaches(g, unit, hex)]
    return [unit for unit in near if why_silent(g, unit) is None]


def targets(g: G, side: int) -> list[int]:
    """Return the hexes that a side can barrage."""
    return [hex for hex in in_reach(g, side) if why_not_target(g, side, hex) is None]


def in_reach(g: G, side: int) -> list[int]:
    """Return the hexes with enemies, ports and bases in range of guns that can fire."""
    ready = guns(g, side)
    if not ready:
        return []
    near = {hex for gun in ready for hex in BOARD.within(g.state.where[gun], RANGE[gun])}
    enemies = {*g.state.where.stacks(1 - side), *PORTS, *g.state.base}
    return sorted(near & enemies)


def purposes(g: G, side: int, hex: int) -> list[str]:
    """Return what a side can fire at in a hex: combat units, an air base or a port of the enemy (OCS 8(4))."""
    if hex >= HEXES:
        return []
    found = [UNITS_TARGET] if forces_in(g, 1 - side, hex) and not stacking.is_crowded(g, 1 - side, hex) else []
    found += [BASE_TARGET] if g.state.base.get(hex) == 1 - side else []
    return [*found, PORT_TARGET] if is_port(g, hex, 1 - side) else found


def why_not_target(g: G, side: int, hex: int) -> Refusal | None:
    """A hex with enemy combat units, a base or a port is barraged once in a phase, by guns in range that can be paid for
    (OCS 3(2), OCS 8(2), OCS 8(4), OCS 8(5))."""
    label = BOARD.name(hex)
    if not purposes(g, side, hex):
        if stacking.is_crowded(g, 1 - side, hex):
            return Refusal(f"{label} cannot be barraged: its stack exceeds the limit after Mud", "OCS 3(2)", label)
        return Refusal(f"{label} cannot be barraged: no enemy combat unit, base or port is there", "OCS 8(4)", label)
    if hex in g.state.barraged:
        return Refusal(f"{label} has already been barraged in this phase", "OCS 8(2)", label)
    ready = in_range(g, side, hex)
    if not ready:
        return Refusal(f"{label} cannot be barraged: no artillery in range can fire", "OCS 8(7)", label)
    first = None
    for shot in [Fire(side, (gun,), hex, target=target) for gun in ready for target in purposes(g, side, hex)]:
        refusal = why_unpaid(g, shot)
        if refusal is None:
            return None
        first = first or refusal
    return first


def why_not_chosen(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a hex, or the hex of a unit, cannot be barraged."""
    if click in decision.legal:
        return None
    if click >= g.rules.first_button:
        return None
    if g.is_unit(click) and SIDE[click] == decision.side:
        return why_silent(g, click) or Refusal(f"Choose the hex that {name(click)} barrages", "OCS 8", name(click))
    where = g.state.where[click] if g.is_unit(click) else g.location(click)
    if where < 0:
        return Refusal(f"{name(click)} cannot be barraged: not on the map", "OCS 8", name(click))
    refusal = why_not_target(g, decision.side, where)
    if refusal is not None or not g.is_unit(click):
        return refusal
    return Refusal(f"Choose the hex {BOARD.name(where)} to barrage it", "OCS 8", BOARD.name(where))


def aim(g: G, side: int, hex: int) -> Procedure:
    """Put the guns of the highest column that can be paid into the barrage; each can be removed or added (OCS 8(1))."""
    cancel, done = g.rules.button("cancel"), g.rules.button("done")
    kinds = purposes(g, side, hex)
    target = kinds[0]
    units = proposed(g, side, hex, target)
    while True:
        shot = Fire(side, tuple(units), hex, target=target)
        others = {g.rules.button(word): word for word in (BASE_TARGET, PORT_TARGET) if word in kinds and word != target}
        stop = why_not_shot(g, shot)
        cost = tokens(price(g, shot)) if units else "nothing"
        click = yield g.ask(
            side, f"barrage.fire.{target}",
            f"Barrage of {target} in {BOARD.name(hex)}: {total(g, shot)} points, {cost}; add or remove guns, then fire",
            "OCS 8(5)", units=in_range(g, side, hex), buttons=[*([done] if stop is None else []), *others, cancel],
            blocked=[done] if stop is not None else [], about=units, at=[hex], why_not=partial(why_not_joining, shot=shot),
        )  # fmt: skip
        if click == cancel:
            return
        if click == done:
            yield from fire(g, shot)
            return
        if click in others:
            target = others[click]
            continue
        units = [unit for unit in units if unit != click] if click in units else sorted([*units, click])


def proposed(g: G, side: int, hex: int, target: str = UNITS_TARGET) -> list[int]:
    """Return the guns of a barrage at first: the strongest that may fire and can be paid together."""
    units: list[int] = []
    for gun in sorted(in_range(g, side, hex), key=lambda unit: (-points(g, unit), unit)):
        if why_not_shot(g, Fire(side, (*units, gun), hex, target=target)) is None:
            units.append(gun)
    return sorted(units)


def why_not_shot(g: G, shot: Fire) -> Refusal | None:
    """Return why a barrage cannot be fired: no guns, no points, nations that keep apart, or no supply (4.0b, OCS 8(5))."""
    label = BOARD.name(shot.hex)
    if not shot.units:
        return Refusal(f"The barrage of {label} has no guns: add one", "OCS 8(1)", label)
    if not total(g, shot):
        return Refusal(f"The barrage of {label} has no points", "OCS 8(1)", label)
    return cooperation.why_apart(g, shot.units, "barrage") or why_unpaid(g, shot)


def why_unpaid(g: G, shot: Fire) -> Refusal | None:
    """Return why a barrage cannot be paid by one headquarters or dump (OCS 8(5))."""
    cost = price(g, shot)
    most = supply.most_common(g, shot.side, [g.state.where[unit] for unit in shot.units], shot.units)
    if most >= cost:
        return None
    text = f"costs {tokens(cost)}, at most {tokens(most)} from one headquarters or dump"
    return Refusal(f"{whom(shot.units)} cannot barrage {BOARD.name(shot.hex)}: {text}", "OCS 8(5)", name(shot.units[0]))


def why_not_joining(g: G, decision: Decision, click: int, shot: Fire) -> Refusal | None:
    """Return why a unit cannot fire at the hex, or the barrage cannot be fired."""
    if g.is_unit(click):
        return why_not_fired(g, click, shot.hex) if SIDE[click] == decision.side else None
    if click >= g.rules.first_button and g.rules.names[click] == "done":
        return why_not_shot(g, shot)
    return None


def total(g: G, shot: Fire) -> int:
    """Return the barrage points, added and then rounded (OCS 1(3))."""
    return int(sum([points(g, unit) for unit in shot.units], Fraction(0)) + Fraction(1, 2))


def price(g: G, shot: Fire) -> int:
    """Return the tokens of a barrage, by the column before shifts of its table (OCS 8(5))."""
    if shot.target != UNITS_TARGET:
        cheap: int = NUMBERS["facility_cost"][g.table("facilities").column(max(1, total(g, shot)))]
        return cheap
    cost: int = NUMBERS["cost"][g.table("barrage").column(max(1, total(g, shot)))]
    return cost


def density(units: Sequence[int]) -> int:
    """Return the RE in a hex in quarters, a division never more than 3 (OCS 17.2)."""
    divisions: dict[str, int] = {}
    alone = 0
    for unit in units:
        if DIVISION[unit]:
            divisions[DIVISION[unit]] = divisions.get(DIVISION[unit], 0) + RE[unit]
        else:
            alone += RE[unit]
    most: int = NUMBERS["division"] * QUARTERS
    return alone + sum([min(part, most) for part in divisions.values()])


def shifts(g: G, shot: Fire) -> list[Modifier]:
    """Return the column shifts of a barrage: density, hedgehog, terrain, spotter, Strat Mode; strategic bombers never
    have a spotter (OCS 8(6), OCS 14.6, OCS 17.2)."""
    units, found = forces_in(g, 1 - shot.side, shot.hex), list[Modifier]()
    crowd = density(units)
    by_crowd = next((shift for most, shift in NUMBERS["density"] if crowd <= most * QUARTERS), NUMBERS["densest"])
    if by_crowd:
        found.append(Modifier(f"density of {written(Fraction(crowd, QUARTERS))} RE", by_crowd, "OCS 17.2"))
    if g.state.hedgehog.get(shot.hex):
        found.append(Modifier("hedgehog", NUMBERS["hedgehog"], "OCS 16"))
    if any(GROUND["combat"][terrain]["row"] != "open" for terrain in hex_terrains(shot.hex)):
        found.append(Modifier("close terrain", NUMBERS["close"], "OCS 17.2"))
    if not spotted(g, shot.side, shot.hex) or any(COUNTERS[unit].symbol == STRATEGIC for unit in shot.units):
        found.append(Modifier("no spotter", NUMBERS["unspotted"], "OCS 8(6)"))
    if shot.short:
        found.append(Modifier("aircraft at short range", NUMBERS["short_range"], "OCS 14.6"))
    if any(g.state.flags[unit] & STRAT for unit in units):
        found.append(Modifier("a unit in Strat Mode", NUMBERS["strat"], "OCS 17.2"))
    return found


def spotted(g: G, side: int, hex: int) -> bool:
    """Whether a combat unit of a side is adjacent to a hex (OCS 8(6))."""
    return not g.state.where.stacks(side).keys().isdisjoint(AROUND[hex])


def column(g: G, shot: Fire) -> int:
    """Return the column of a barrage after shifts (OCS 17.2)."""
    table = g.table("barrage")
    return table.shift(table.column(max(1, total(g, shot))), net(shifts(g, shot)))


def fire(g: G, shot: Fire) -> Procedure:
    """Pay, roll, disorganise; the owner chooses the units lost. Both sides are told the strength (OCS 8, OCS 17.2; series
    4.9c)."""
    table, label = g.table("barrage"), BOARD.name(shot.hex)
    if not shot.air:
        where = [g.state.where[unit] for unit in shot.units]
        supply.pay_common(g, shot.side, where, price(g, shot), f"the barrage of {label}", "OCS 8(5)", shot.units)
        for unit in shot.units:
            g.state.flags[unit] |= FIRED
        g.state.barraged[shot.hex] = 1
    if shot.target != UNITS_TARGET:
        hit_facility(g, shot)
        return
    at, power = column(g, shot), counted(total(g, shot), "point")
    cell = str(table.roll(g.dice, at, 0, f"barrage of {label}"))
    cell = softened(g, shot, cell)
    g.log("OCS 17.2", "Barrage of {hex}: {points}, column {head}, {effect}", hex=shot.hex, head=table.head(at),
          points=power, effect=_words(cell))  # fmt: skip
    yield from hit(g, shot, cell)


def softened(g: G, shot: Fire, cell: str) -> str:
    """A bracketed result is DG alone by aircraft, against a hedgehog of level 3 or 4, or without a spotter (OCS 17.2)."""
    if not cell.startswith("["):
        return cell
    sheltered = g.state.hedgehog.get(shot.hex, 0) >= NUMBERS["shelter"]
    return "DG" if shot.air or sheltered or not spotted(g, shot.side, shot.hex) else "1/2"


def hit(g: G, shot: Fire, cell: str) -> Procedure:
    """Apply a result to the units of the hex (OCS 17.2)."""
    if cell == "-":
        return
    units = forces_in(g, 1 - shot.side, shot.hex)
    losses.disorganise(g, units, "OCS 17.2")
    steps = 0
    if cell == "1/2":
        steps = int(g.dice.roll(f"half a step in {BOARD.name(shot.hex)}", "OCS 17.2") >= NUMBERS["half_from"])
    elif cell != "DG":
        steps = int(cell)
    yield from losses.lose(g, 1 - shot.side, units, steps, "OCS 17.2")


def preview(g: G, shot: Fire) -> Odds:
    """Return every term of a barrage with its rule, the column and the exact chance of each result."""
    if shot.target != UNITS_TARGET:
        return preview_facility(g, shot)
    table, at = g.table("barrage"), column(g, shot)
    terms = [Term(f"{name(unit)}, barrage", written(points(g, unit)), "OCS 8(1)") for unit in shot.units]
    if not shot.air:
        terms.append(Term("cost", tokens(price(g, shot)), "OCS 8(5)"))
    fired = total(g, shot)
    terms.append(Term(counted(fired, "point"), f"column {table.head(table.column(max(1, fired)))}", "OCS 17.2"))
    terms += [one.shift for one in shifts(g, shot)]
    cases = [
        (chance, {_words(softened(g, shot, str(cell))): Fraction(1)}) for cell, chance in table.chances(at).items()
    ]
    return Odds(tuple(terms), table.head(at), mix(cases))


def preview_facility(g: G, shot: Fire) -> Odds:
    """Return a barrage of a base, port or road with the exact chance of each result (OCS 17.3)."""
    table = g.table("facilities")
    at = table.column(max(1, total(g, shot)))
    terms = [Term(f"{name(unit)}, barrage", written(points(g, unit)), "OCS 8(1)") for unit in shot.units]
    if not shot.air:
        terms.append(Term("cost", tokens(price(g, shot)), "OCS 8(5)"))
    cases = [
        (chance, {facility_words(str(cell), shot.target): Fraction(1)}) for cell, chance in table.chances(at).items()
    ]
    return Odds(tuple(terms), table.head(at), mix(cases))


def facility_words(cell: str, target: str) -> str:
    """Return the meaning of a result for a base, a port or the traffic in a hex.

    >>> facility_words("1S(5)", "base"), facility_words("1S(5)", "port"), facility_words("1(4)", "interdict")
    ('1 level, aircraft lose a step on 5 or more', '1 hit', 'no effect')
    """
    hits, mark, number = read_facility(cell)
    found = {
        BASE_TARGET: [counted(hits, "level")] * bool(hits)
        + [f"aircraft lose a step on {number} or more"] * bool(number),
        PORT_TARGET: [counted(hits, "hit")] * bool(hits),
        INTERDICTION: ["interdicted"] * mark,
    }
    return ", ".join(found[target]) or "no effect"


def _words(cell: str) -> str:
    known = {"-": "no effect", "DG": "DG", "1/2": "DG, a step on 4-6", "1": "DG and 1 step"}
    return known.get(cell, f"DG and {cell} steps")


# Facilities (OCS 17.3)


def hit_facility(g: G, shot: Fire) -> None:
    """Apply the effect of guns or aircraft on a base, a port or a road: levels or hits, aircraft that lose steps,
    interdiction (OCS 17.3)."""
    table, label, state, hex = g.table("facilities"), BOARD.name(shot.hex), g.state, shot.hex
    cell = str(table.roll(g.dice, table.column(total(g, shot)), 0, f"attack on the {shot.target} in {label}"))
    g.log("OCS 17.3", "Attack on the {target} in {hex}: {cell}", target=shot.target, hex=hex, cell=cell)
    hits, mark, number = read_facility(cell)
    if shot.target == BASE_TARGET:
        if hits:
            state.former[hex] = max(state.former.get(hex, 0), state.level[hex])
            state.level[hex] = max(1, state.level[hex] - hits)
        if number:
            for unit in aircraft_in(g, 1 - shot.side, hex):
                if g.dice.roll(f"aircraft bombed in {label}", "OCS 17.3") >= number:
                    losses.lose_step(g, unit, "OCS 17.3")
        airbases.ground_excess(g, hex)
    elif shot.target == PORT_TARGET:
        state.damage[hex] = min(4, state.damage.get(hex, 0) + hits)
    elif mark:
        state.interdicted[hex] = 1 + shot.side


def read_facility(cell: str) -> tuple[int, bool, int]:
    """Return the levels or hits of a result against a facility, whether it interdicts, and from which roll aircraft
    lose a step.

    >>> read_facility("1S(5)"), read_facility("(6)"), read_facility("-")
    ((1, True, 5), (0, False, 6), (0, False, 0))
    """
    found = re.fullmatch(r"(\d)?(S)?(?:\((\d)\))?|-", cell)
    if found is None:
        raise ValueError(f"{cell!r}: expected a facility result such as '1S(5)'")
    hits, mark, number = found.groups()
    return int(hits or 0), mark is not None, int(number or 0)
