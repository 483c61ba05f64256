"""Reinforcement and replacement (13): points, withdrawals, reinstatements, arrivals, replacements, reinforced units.

Options (13.5) and dismounting (13.6) are separate modules.
"""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.paa import dismount, malta, options
from khamsin.games.paa.setup import SCHEDULE, TURN_BOXES, TURNS, base_hexes, why_not_base_hex, why_not_put
from khamsin.games.paa.units import (
    ALL,
    ALLIED,
    ARMOURED,
    AXIS,
    BASE,
    BOARD,
    CADRE,
    CF,
    COUNTERS,
    DEPOT,
    DEPOTS,
    GERMAN,
    LORRY,
    PLUS,
    POOL,
    REGULAR,
    REGULARS,
    REINFORCED,
    SIDE,
    SIDES,
    WITHDRAWN,
    G,
    cf,
    name,
    on_map,
    why_not_own,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations, for_units
from khamsin.mechanics.schedule import (
    cap_points,
    choose_location,
    choose_unit,
    place_as_usual,
    receive_points,
    why_not_paid,
)

KINDS = ("infantry", "armoured")
KIND = [KINDS[armoured] for armoured in ARMOURED]
"""The kind of every unit, as distinguished by points, withdrawals and reinstatements (2.3.1)."""
NATIONS = (("German", "Italian"), ("Allied",))
KINDS_OF = tuple(tuple(f"{nation} {kind}" for nation in nations for kind in KINDS) for nations in NATIONS)
"""The kinds of points of each side (13.3.1)."""
POINTS = [
    f"{'Allied' if SIDE[unit] == ALLIED else 'German' if GERMAN[unit] else 'Italian'} {KIND[unit]}"
    for unit in range(len(COUNTERS))
]
"""The kind of points that rebuild or reinforce every unit (13.3.1)."""
PLACED = 2
"""The value of `begun` once arrivals were placed by default: the phase then waits for its end, so that they can be
moved."""
USUAL = tuple(tuple(BOARD[hex] for hex in SCHEDULE["usual"][side]) for side in SIDES)
"""For each side the hexes of its base in the default order of arrivals (13.1)."""
KEEP: int = SCHEDULE["points"]["keep"]
CAP = {
    kind: [
        max((row["cf"] for row in SCHEDULE["cap"] if row["kind"] == kind and row["turn"] <= turn), default=0)
        for turn in range(TURNS + 1)
    ]
    for kind in KINDS
}
"""The strength to which a unit of each kind may be reinforced, turn by turn (13.4)."""


def reinforcement(g: G, side: int) -> Procedure:
    """The whole phase: points, withdrawals, reinstatements, then arrivals and the side's other actions (13)."""
    if not g.state.begun:
        begin(g, side)
    if side == ALLIED:
        yield from withdraw(g)
        if g.state.result is not None:
            return
        yield from reinstate(g)
    yield from receive(g, side)
    finish(g, side)


def begin(g: G, side: int) -> None:
    """Add points, and store the demands of this turn (13)."""
    state = g.state
    state.begun = 1
    receive_points(g, state.points, SCHEDULE["points"], KINDS_OF[side], "13.3.1")
    if side == ALLIED:
        for due, rows in ((state.withdraw, SCHEDULE["withdraw"]), (state.reinstate, SCHEDULE["reinstate"])):
            for row in rows:
                if row["turn"] == state.turn:
                    due.update({kind: row[kind] for kind in KINDS if kind in row})
    barred = side == AXIS and state.malta == malta.FAILURE
    if not (barred and state.turn in SCHEDULE["installations"]["none_after_failed_malta"]):
        state.installations = SCHEDULE["installations"]["each_turn"]


def withdraw(g: G) -> Procedure:
    """The Allies give up units from their base, or the Cadre if allowed; without any there the Axis chooses one on the
    map, and with none at all the Allies have lost (13.2.3)."""
    orders = g.state.withdraw
    for kind in KINDS:
        while due := orders.get(kind, 0):
            chooser, units = ALLIED, at_hand(g, kind)
            if not units:
                chooser = AXIS
                units = [u for u in REGULARS[ALLIED] if why_not_taken(g, kind, u) is None]
            if not units:
                g.end(AXIS, "decisive", f"the Allies have no {kind} unit left to withdraw", "13.2.3")
                return
            unit = yield from choose_unit(
                g, chooser, "reinforcement.withdraw", f"Choose an Allied {kind} unit to withdraw", "13.2.3", units, due,
                top=True, why_not=for_units(why_not_taken if chooser == AXIS else why_not_withdrawn, kind),
            )  # fmt: skip
            options.send_away(g, unit, "13.2.3")
            orders[kind] = due - 1


def at_hand(g: G, kind: str) -> list[int]:
    """Return the units the Allies may withdraw, from the base or the Cadre (13.2.3)."""
    stacks = g.state.where.stacks(ALLIED)
    pieces = [u for at in (*BASE[ALLIED], CADRE[ALLIED]) for u in stacks.get(at, ())]
    return sorted([u for u in pieces if why_not_withdrawn(g, kind, u) is None])


def why_not_withdrawn(g: G, kind: str, unit: int) -> Refusal | None:
    """Withdrawn units are of the kind named, in the base, and in the Cadre where the schedule allows it (13.2.3)."""
    refusal = _why_not_of_kind(kind, unit, "be withdrawn", "13.2.3")
    if refusal is not None:
        return refusal
    who, where = name(unit), g.state.where[unit]
    if where in BASE[ALLIED]:
        return None
    cadre = True in [row["cadre"] for row in SCHEDULE["withdraw"] if row["turn"] == g.state.turn]
    if cadre and where == CADRE[ALLIED]:
        return None
    places = "in the base or the Cadre" if cadre else "in the base"
    return Refusal(f"{who} cannot be withdrawn: not {places}", "13.2.3", who)


def why_not_taken(g: G, kind: str, unit: int) -> Refusal | None:
    """Units that the Axis withdraws are of the kind named, anywhere on the map (13.2.3)."""
    refusal = _why_not_of_kind(kind, unit, "be withdrawn", "13.2.3")
    if refusal is not None or on_map(g, unit):
        return refusal
    return Refusal(f"{name(unit)} cannot be withdrawn: not on the map", "13.2.3", name(unit))


def reinstate(g: G) -> Procedure:
    """Withdrawn or eliminated units of the kind named return without points (13.2.4)."""
    state = g.state
    for kind in KINDS:
        while due := state.reinstate.get(kind, 0):
            units = [u for u in REGULARS[ALLIED] if why_not_reinstated(g, kind, u) is None]
            if not units:
                del state.reinstate[kind]
                break
            unit = yield from choose_unit(
                g, ALLIED, "reinforcement.reinstate", f"Choose the {kind} unit that is reinstated", "13.2.4", units, due,
                top=True, why_not=for_units(why_not_reinstated, kind),
            )  # fmt: skip
            g.log("13.2.4", "{unit} is reinstated", unit=unit)
            state.reinstate[kind] = due - 1
            state.where[unit] = TURN_BOXES[ALLIED].box[state.turn]
            yield from arrive(g, unit, "13.2.4")


def why_not_reinstated(g: G, kind: str, unit: int) -> Refusal | None:
    """Reinstated units are of the kind named and were withdrawn or eliminated (13.2.4)."""
    refusal = _why_not_of_kind(kind, unit, "be reinstated", "13.2.4")
    if refusal is not None or g.state.where[unit] in (WITHDRAWN, CADRE[ALLIED]):
        return refusal
    who = name(unit)
    return Refusal(f"{who} cannot be reinstated: neither withdrawn nor eliminated", "13.2.4", who)


def _why_not_of_kind(kind: str, unit: int, doing: str, rule: str) -> Refusal | None:
    """Return why a unit is not an Allied unit of a kind."""
    if SIDE[unit] == ALLIED and REGULAR[unit] and KIND[unit] == kind:
        return None
    return Refusal(f"{name(unit)} cannot {doing}: not an Allied {kind} unit", rule, name(unit))


def receive(g: G, side: int) -> Procedure:
    """Units due arrive first, as far as the base has room; then an installation, replacements, reinforcement and trucks
    in any order, until the side ends the phase (13.1, 13.2, 13.3.2, 13.4, 13.5, 13.6)."""
    names, button = g.rules.names, g.rules.button
    while True:
        units = arrivals(g, side)
        prompt = "Choose a unit to arrive"
        actions = [button(f"option {letter}") for letter in options.available(g, side)]
        if len(units) == 1 and not actions:
            yield from take(g, side, units[0])
            continue
        maybe = [button(word) for word in ROUTINE]
        if not units:
            prompt = "Rebuild or reinforce units, place an installation, or end the phase"
            if not actions and g.state.begun != PLACED and not anything_left(g, side):
                return
            maybe += [*stock(g, side)[:1], *lost(g, side), *in_base(g, side), *[button(word) for word in TRUCKS]]
            actions.append(button("done"))
        belong = [button(word) for word in ("dismount", "remount", "done", *ROUTINE)]
        belong += [button(f"option {letter}") for letter in options.this_turn(g, side)]
        click = yield g.ask(
            side, "reinforcement.unit", prompt, "13", units=units, buttons=sorted(actions), top=True, maybe=maybe,
            blocked=[one for one in belong if one not in actions], why_not=why_not_received,
        )  # fmt: skip
        if click == g.rules.button("done"):
            return
        if names[click] == "dismount":
            yield from dismount.dismount(g, side)
        elif names[click] == "remount":
            yield from dismount.remount(g, side)
        elif names[click] == "default":
            place_usual(g, side)
        elif names[click] == "adjust":
            yield from adjust(g, side)
        elif not g.is_unit(click):
            yield from options.exercise(g, side, names[click].removeprefix("option "))
        else:
            yield from take(g, side, click)


def anything_left(g: G, side: int) -> bool:
    """Whether there is anything to place, rebuild, reinforce, dismount or remount (13.2.1, 13.3.2, 13.4, 13.6)."""
    return (
        bool(installation(g, side) or replacements(g, side))
        or any(why_not_reinforced(g, unit) is None for unit in in_base(g, side))
        or any(why_not(g, side) is None for why_not in TRUCKS.values())
    )


def place_usual(g: G, side: int) -> None:
    """Place all arrivals in the default hexes; if there are none, rebuild units as far as the points suffice, the
    strongest first (13.1, 13.2, 13.3.2)."""
    g.state.begun = PLACED
    coming = [*arrivals(g, side), *installation(g, side)]
    for depot in coming:
        g.state.installations -= DEPOT[depot]
    eliminated = sorted(replacements(g, side), key=lambda unit: -CF[unit]) if not coming else []
    for unit in eliminated:
        if why_not_rebuilt(g, unit) is None:
            pay(g, unit)
            coming.append(unit)
    place_as_usual(g, coming, USUAL[side], lambda g, piece, hex: why_not_base_hex(g, side, piece, hex), settle)


def why_not_usual(g: G, side: int) -> Refusal | None:
    """Something must arrive or be rebuilt (13.1)."""
    if arrivals(g, side) or installation(g, side) or replacements(g, side):
        return None
    return Refusal("Nothing can be placed: no unit, installation or replacement can arrive", "13.1", "default")


def adjust(g: G, side: int) -> Procedure:
    """A piece that arrived in this phase is placed in another hex of the base (13.1)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "reinforcement.adjust", "Choose an arrival to place in another hex", "13.1", units=arrived(g, side),
        buttons=[cancel], why_not=for_units(why_not_adjusted, side),
    )  # fmt: skip
    if click == cancel:
        return
    target = yield g.ask(
        side, "reinforcement.to", f"Choose another hex for {name(click)}", "13.1", buttons=[cancel], about=[click],
        maybe=[g.place0 + hex for hex in BASE[side]], why_not=for_locations(why_not_put, side, click),
    )  # fmt: skip
    if target != cancel:
        g.state.where[click] = g.location(target)
        g.log("13.1", "{unit} arrives in {hex} instead", unit=click, hex=g.state.where[click])


def arrived(g: G, side: int) -> list[int]:
    """Return the pieces that arrived in this phase and can be placed in another hex (13.1)."""
    return sorted([piece for piece in pieces_in_base(g, side) if why_not_adjusted(g, side, piece) is None])


def pieces_in_base(g: G, side: int) -> list[int]:
    """Return the pieces of a side in its base (13.1)."""
    stacks = g.state.where.stacks(side)
    return [piece for hex in BASE[side] for piece in stacks.get(hex, ())]


def why_not_adjusted(g: G, side: int, piece: int) -> Refusal | None:
    """Only arrivals of this phase in the base can be placed again; a lorry formed there stays (13.1, 13.6)."""
    who = name(piece)
    refusal = why_not_own(g, side, piece, "13.1")
    if refusal is not None:
        return refusal
    if g.state.where[piece] not in BASE[side] or not g.state.flags[piece] & REINFORCED or LORRY[piece]:
        return Refusal(f"{who} cannot be placed again: it did not arrive in this phase", "13.1", who)
    if any(why_not_put(g, side, piece, hex) is None for hex in BASE[side]):
        return None
    return Refusal(f"{who} cannot be placed again: no other hex of the base can take it", "13.1", who)


def why_none_arrived(g: G, side: int) -> Refusal | None:
    """Something must have arrived in this phase (13.1)."""
    if any(why_not_adjusted(g, side, piece) is None for piece in pieces_in_base(g, side)):
        return None
    return Refusal("Nothing can be placed again: no arrival of this phase can go to another hex", "13.1", "adjust")


ROUTINE = {"default": why_not_usual, "adjust": why_none_arrived}
"""The buttons that place arrivals by default and move them afterwards, and why they are illegal."""
TRUCKS = {"dismount": dismount.why_not_dismount, "remount": dismount.why_not_remount}
"""The buttons of 13.6 and why they are illegal."""


def take(g: G, side: int, piece: int) -> Procedure:
    """A unit is reinforced or rebuilt, or a piece arrives (13.2, 13.3.2, 13.4)."""
    if on_map(g, piece):
        reinforce(g, piece)
    elif g.state.where[piece] == CADRE[side]:
        yield from rebuild(g, piece)
    elif DEPOT[piece]:
        g.state.installations -= 1
        yield from arrive(g, piece, "13.2.1")
    else:
        yield from arrive(g, piece, "13.2.2" if LORRY[piece] else "13.2")


def why_not_received(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a click in the reinforcement phase is illegal (13)."""
    side, word = decision.side, g.rules.names[click]
    if word.startswith("option "):
        return options.why_not_available(g, side, word.removeprefix("option "))
    coming = arrivals(g, side)
    if g.is_unit(click):
        return why_not_unit(g, side, click, coming)
    if click < g.rules.first_button:
        return None
    if coming and word in ("dismount", "remount", "done"):
        return _after(coming[0])
    why_not = (TRUCKS | ROUTINE).get(word)
    return why_not(g, side) if why_not else None


def _after(piece: int) -> Refusal:
    return Refusal(f"{name(piece)} arrives first", "13.2", name(piece))


def why_not_unit(g: G, side: int, unit: int, coming: Sequence[int]) -> Refusal | None:
    """Return why a unit neither arrives nor is rebuilt or reinforced (13.1-13.5)."""
    where, who = g.state.where[unit], name(unit)
    refusal = why_not_own(g, side, unit, "13")
    if refusal is not None:
        return refusal
    if where in TURN_BOXES[side].turn:
        return why_not_arriving(g, side, unit)
    if coming:
        return _after(coming[0])
    if on_map(g, unit):
        return why_not_reinforced(g, unit)
    if where == CADRE[side]:
        return why_not_rebuilt(g, unit)
    if DEPOT[unit]:
        return why_not_installed(g, side, unit)
    if LORRY[unit]:
        return Refusal(f"{who} cannot arrive: dismount units to form it", "13.6", who)
    if where == WITHDRAWN:
        return Refusal(f"{who} is withdrawn until the schedule reinstates it", "13.2.4", who)
    return Refusal(f"{who} comes with an option only", "13.5", who)


def arrivals(g: G, side: int) -> list[int]:
    """Return units and lorries that are due, now or since earlier turns, and have room (13.1, 13.2, 13.2.2)."""
    due = TURN_BOXES[side].due(g.state.where, ALL[side], g.state.turn)
    return [piece for piece in due if why_not_arriving(g, side, piece) is None]


def why_not_arriving(g: G, side: int, piece: int) -> Refusal | None:
    """A piece arrives from its turn on, once a hex of the base can take it (13.1, 13.2, 13.2.2)."""
    return TURN_BOXES[side].why_not_due(g, piece, "13.2") or why_no_room(g, side, piece)


def why_no_room(g: G, side: int, piece: int) -> Refusal | None:
    """A hex of the base must be able to take a piece (13.1)."""
    for hex in BASE[side]:
        if why_not_base_hex(g, side, piece, hex) is None:
            return None
    return Refusal(f"{name(piece)} cannot arrive: no hex of the base can take it", "13.1", name(piece))


def stock(g: G, side: int) -> list[int]:
    """Return the installations in stock (13.2.1)."""
    return [depot for depot in DEPOTS[side] if g.state.where[depot] == POOL[side]]


def installation(g: G, side: int) -> list[int]:
    """Return the supply installation of this turn (2.3.2, 13.2.1)."""
    return [depot for depot in stock(g, side)[:1] if why_not_installed(g, side, depot) is None]


def why_not_installed(g: G, side: int, depot: int) -> Refusal | None:
    """One installation per turn comes from stock to a base hex that has none; the Axis gets none after a failure at
    Malta (2.3.2, 13.2.1, 13.5.2)."""
    who, unused = name(depot), stock(g, side)
    if depot not in unused:
        return Refusal(f"{who} cannot arrive: not in stock", "13.2.1", who)
    if not g.state.installations:
        return Refusal(f"{who} cannot arrive: no more installations this turn", "13.2.1", who)
    if depot != unused[0]:
        return Refusal(f"{who} cannot arrive: take {name(unused[0])}", "13.2.1", name(unused[0]))
    return why_no_room(g, side, depot)


def replacements(g: G, side: int) -> list[int]:
    """Return units in the Cadre that the points suffice to rebuild and the base has room for (13.3.2)."""
    return [u for u in lost(g, side) if why_not_rebuilt(g, u) is None]


def lost(g: G, side: int) -> list[int]:
    """Return the units in the Cadre (13.3.2)."""
    return [u for u in g.state.where.stacks(side).get(CADRE[side], ()) if REGULAR[u]]


def why_not_rebuilt(g: G, unit: int) -> Refusal | None:
    """Rebuilding a unit costs its CF in points of its kind and nation, and a base hex must take it (13.3.2)."""
    cost = why_not_paid(g, g.state.points, POINTS[unit], CF[unit], unit, "be rebuilt", "13.3.2")
    return cost or why_no_room(g, SIDE[unit], unit)


def rebuild(g: G, unit: int) -> Procedure:
    """Pay for a unit; it arrives (13.3.2)."""
    pay(g, unit)
    yield from arrive(g, unit, "13.3.2")


def pay(g: G, unit: int) -> None:
    """Pay for a unit in points of its kind and nation (13.3.2)."""
    g.state.points[POINTS[unit]] -= CF[unit]
    g.log("13.3.2", "{unit} is rebuilt for {cost} {points} RP", unit=unit, cost=CF[unit], points=POINTS[unit])


def in_base(g: G, side: int) -> list[int]:
    """Return the pieces in the base of the Allies, who alone reinforce units there (13.4)."""
    return pieces_in_base(g, ALLIED) if side == ALLIED else []


def why_not_reinforced(g: G, unit: int) -> Refusal | None:
    """An Allied regular unit in the base is reinforced by a point of its kind, up to the limit of the turn, also out of
    supply or command (13.4)."""
    who, state = name(unit), g.state
    if SIDE[unit] != ALLIED or not REGULAR[unit]:
        return Refusal(f"{who} cannot be reinforced: only Allied regular units are", "13.4", who)
    if state.where[unit] not in BASE[ALLIED]:
        return Refusal(f"{who} cannot be reinforced: not in the base", "13.4", who)
    if state.plus[unit] >= PLUS[unit]:
        return Refusal(f"{who} cannot be reinforced: no counter stronger than {cf(g, unit)} CF", "13.4", who)
    if cf(g, unit) >= CAP[KIND[unit]][state.turn]:
        most = max(CAP[KIND[unit]][state.turn], CF[unit])
        return Refusal(f"{who} cannot be reinforced: at most {most} CF on turn {state.turn}", "13.4", who)
    return why_not_paid(g, state.points, POINTS[unit], 1, unit, "be reinforced", "13.4")


def reinforce(g: G, unit: int) -> None:
    """Reinforce an Allied unit by 1 CF for one point of its kind (13.4)."""
    g.state.points[POINTS[unit]] -= 1
    g.state.plus[unit] += 1
    g.log("13.4", "{unit} is reinforced to {cf} CF", unit=unit, cf=cf(g, unit))


def arrive(g: G, piece: int, rule: str) -> Procedure:
    """A piece arrives in a hex of its base that its owner chooses; without room it waits (13.1)."""
    side = SIDE[piece]
    hexes = base_hexes(g, side, piece)
    if not hexes:
        return
    hex = yield from choose_location(
        g, side, "reinforcement.to", f"Choose the hex in which {name(piece)} arrives", "13.1", hexes, about=[piece],
        why_not=for_locations(why_not_base_hex, side, piece),
    )  # fmt: skip
    settle(g, piece, hex, rule)


def settle(g: G, piece: int, hex: int, rule: str = "13.1") -> None:
    """A piece arrives in a hex (13.1)."""
    g.state.where[piece] = hex
    g.state.flags[piece] = REINFORCED
    g.log(rule, "{unit} arrives in {hex}", unit=piece, hex=hex)


def finish(g: G, side: int) -> None:
    """Points beyond ten of a kind are lost, and options whose last turn this was are removed (2.1.4, 13.3.1, 13.5)."""
    cap_points(g, g.state.points, KEEP, KINDS_OF[side], "13.3.1")
    options.remove_expired(g, side)
    state = g.state
    state.begun = state.installations = 0
    state.withdraw.clear()
    state.reinstate.clear()
