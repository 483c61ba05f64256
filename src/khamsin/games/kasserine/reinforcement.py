"""Reinforcements and withdrawals (5.2, 15.3, 18.2.5): units that arrive, their locations, and units that leave.

Units wait in the box of their turn. Air units are placed in the Ready Box, units for a holding box in it, and units
that enter by the map edge on the set-up card, from which they may enter in any Movement Phase. The owner places those
for a hex.
"""

from __future__ import annotations

from khamsin.games.kasserine import garrison, victory
from khamsin.games.kasserine.arrival import arrive
from khamsin.games.kasserine.headquarters import comrades
from khamsin.games.kasserine.scenario import SETTINGS, setting
from khamsin.games.kasserine.setup import edge_hexes
from khamsin.games.kasserine.stacking import LIMIT, room
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    CARD,
    ENTERED,
    FORMATION,
    HEXES,
    HOLDING,
    HQS,
    IS_AIR,
    OUT,
    READY,
    SIDE,
    STACKING,
    TURN_BOX,
    UNITS,
    G,
    held,
    name,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations, for_units
from khamsin.mechanics.schedule import TurnTrack, choose_location, choose_unit

RECEIVED, DRAWN, PLACED = "received", "drawn", ("axis placed", "allied placed")
"""Finished steps of the phase."""
TRACK = TurnTrack(TURN_BOX)
"""The boxes of the turn track, in which units wait for their turn (5.2)."""
FOR_A_HEX = {
    scenario: tuple(unit for unit, arrival in cards.arrivals.items() if arrival.place < HEXES)
    for scenario, cards in SETTINGS.items()
}
"""The units of each scenario that arrive in a hex, not in a box or by the map edge."""


def reinforcements(g: G) -> Procedure:
    """The Reinforcements Phase: garrisons are released, units arrive and leave, and the Victory Plan is drawn or read
    (5.2, 5.2.6, 18.2.3, 18.2.7, 18.2.8)."""
    todo = g.state.todo
    if RECEIVED not in todo:
        garrison.release_due(g)
        receive(g)
        todo[RECEIVED] = 1
    for side in (AXIS, ALLIED):
        yield from reestablish(g, side)
    if DRAWN not in todo:
        yield from draw_reserve(g)
        todo[DRAWN] = 1
    for side in (AXIS, ALLIED):
        if PLACED[side] not in todo:
            yield from place(g, side)
            todo[PLACED[side]] = 1
    withdraw(g)
    victory.plan_step(g)
    todo.clear()


def receive(g: G) -> None:
    """Place air units in the Ready Box, units for a holding box in it, and those for the map edge on the set-up card
    (5.2.1)."""
    state, arrivals = g.state, setting(g).arrivals
    for unit in TRACK.due(state.where, UNITS, state.turn):
        turn = TRACK.turn_of(state.where[unit])
        if IS_AIR[unit]:
            state.where[unit] = READY[SIDE[unit]]
        elif unit in arrivals and turn == arrivals[unit].turn and arrivals[unit].place >= HEXES:
            state.where[unit] = arrivals[unit].place
        else:
            continue
        g.log("5.2.1", "{unit} arrives: {place}", unit=unit, place=state.where[unit])


def draw_reserve(g: G) -> Procedure:
    """One unit of the French corps reserve arrives in a holding box; the Allies choose it without seeing strengths
    (18.2.5)."""
    cards, state = setting(g), g.state
    box = cards.reserve_turns.get(state.turn)
    units = [unit for unit in cards.reserve if why_not_reserve(g, unit) is None]
    if box is None or not units:
        return
    prompt = f"Choose a unit of the XIX Corps Reserve to arrive in {BOARD.name(box)}"
    unit = yield from choose_unit(
        g, ALLIED, "reinforcement.reserve", prompt, "18.2.5", units, top=True, why_not=for_units(why_not_reserve)
    )
    state.where[unit] = box
    g.log("18.2.5", "{unit} arrives: {place}", unit=unit, place=box)


def place(g: G, side: int) -> Procedure:
    """The owner places units that arrive in a hex, or keeps them back for a later turn (5.2.1, 5.2.2)."""
    done = g.rules.button("done")
    while units := placeable(g, side):
        click = yield g.ask(
            side,
            "reinforcement.unit",
            "Choose a reinforcement to place on the map, or place no more",
            "5.2.2",
            units=units,
            buttons=[done],
            top=True,
            why_not=why_not,
        )
        if click == done:
            return
        hex = setting(g).arrivals[click].place
        g.log("5.2.1", "{unit} arrives: {place}", unit=click, place=hex)
        arrive(g, side, [click], hex)
        g.state.flags[click] |= ENTERED  # 5.2.3


def placeable(g: G, side: int) -> dict[int, str]:
    """Return the units that may be placed in their hex now, with that hex: none while an enemy unit is there, and
    within the stacking limit (3.3.2, 5.2.2)."""
    arrivals = setting(g).arrivals
    units = [unit for unit in FOR_A_HEX[g.scenario.name] if SIDE[unit] == side and why_not_placed(g, unit) is None]
    return {unit: BOARD.name(arrivals[unit].place) for unit in units}


def why_not_placed(g: G, unit: int) -> Refusal | None:
    """Return why a unit cannot be placed in its hex now (3.3.2, 5.2.1, 5.2.2)."""
    arrival, turn, side = setting(g).arrivals.get(unit), TRACK.turn_of(g.state.where[unit]), SIDE[unit]
    if arrival is None or turn is None or turn != arrival.turn:
        return Refusal(f"{name(unit)} cannot be placed: not a waiting reinforcement", "5.2.1", name(unit))
    who = f"{name(unit)} cannot be placed"
    if turn > g.state.turn:
        return Refusal(f"{who}: it arrives on turn {turn}", "5.2.1", name(unit))
    label = BOARD.name(arrival.place)
    if arrival.place >= HEXES:
        return Refusal(f"{who}: it arrives in {label}", "5.2.1", label)
    if held(g, 1 - side, arrival.place):
        return Refusal(f"{who}: an enemy unit is in {label}", "5.2.2", label)
    if room(g, side, arrival.place) < STACKING[unit]:
        return Refusal(f"{who}: {label} would exceed {LIMIT} stacking points", "3.3.2", label)
    return None


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a unit of the side cannot be placed as a reinforcement."""
    return why_not_placed(g, click) if g.is_unit(click) and SIDE[click] == decision.side else None


def why_not_reserve(g: G, unit: int) -> Refusal | None:
    """Return why a unit does not arrive from the corps reserve (18.2.5)."""
    if unit in setting(g).reserve and g.state.where[unit] in TRACK.turn:
        return None
    return Refusal(f"{name(unit)} is not in the XIX Corps Reserve", "18.2.5", name(unit))


def reestablish(g: G, side: int) -> Procedure:
    """Place HQs that are due on a unit of their Formation; one without such a unit is eliminated for good (15.3.2)."""
    state = g.state
    for hq in returning(g, side):
        places = homes(g, hq)
        if not places:
            wait_on(g, hq)
            continue
        prompt = f"Choose the location of a unit of its Formation for {name(hq)}"
        where = yield from choose_location(
            g,
            side,
            "reinforcement.hq",
            prompt,
            "15.3.2",
            places,
            about=[hq],
            top=True,
            why_not=for_locations(why_not_home, hq),
        )
        g.log("15.3.2", "{unit} is re-established: {place}", unit=hq, place=where)
        arrive(g, side, [hq], where)
        state.flags[hq] |= ENTERED if where < HEXES else 0


def returning(g: G, side: int) -> list[int]:
    """Return the lost HQs that return now: on the turn track after their first arrival (15.3.1)."""
    arrivals = setting(g).arrivals
    due = TRACK.due(g.state.where, HQS[side], g.state.turn)
    return [hq for hq in due if hq not in arrivals or TRACK.turn[g.state.where[hq]] > arrivals[hq].turn]


def homes(g: G, hq: int) -> list[int]:
    """Return where an HQ may return: with units of its Formation on the map, in a holding box, or about to enter by the
    map edge where it may enter too (15.3.2)."""
    places = {g.state.where[unit] for unit in comrades(hq)}
    return sorted([place for place in places if place >= 0 and why_not_home(g, hq, place) is None])


def why_not_home(g: G, hq: int, place: int) -> Refusal | None:
    """Return why an HQ cannot return to a location: no unit of its Formation is there, or it is out of play or about to
    enter where the HQ does not (15.3.2)."""
    label = BOARD.name(place)
    if all(g.state.where[unit] != place for unit in comrades(hq)):
        return Refusal(f"{name(hq)} cannot return to {label}: no unit of {FORMATION[hq]} is there", "15.3.2", label)
    if place < HEXES or place in HOLDING or (place == CARD[SIDE[hq]] and edge_hexes(g, hq)):
        return None
    return Refusal(f"{name(hq)} cannot return to {label}: units there are not in play", "15.3.2", label)


def wait_on(g: G, hq: int) -> None:
    """An HQ with no unit in play waits for the first to arrive, or for those kept back until the next turn, or is
    eliminated for good (5.2.2, 15.3.2)."""
    state, side = g.state, SIDE[hq]
    due = [TRACK.turn[state.where[unit]] for unit in comrades(hq) if state.where[unit] in TRACK.turn]
    coming = [max(turn, state.turn + 1) for turn in due]
    waits = bool(coming) and min(coming) <= setting(g).last
    state.where[hq] = TURN_BOX[min(coming)] if waits else OUT[side]
    text = "{unit} waits for its Formation" if waits else "{unit} has no Formation left"
    g.log("15.3.2", text, unit=hq)


def withdraw(g: G) -> None:
    """Remove units due to leave; units already lost are not replaced by others (5.2.6)."""
    state = g.state
    for unit in setting(g).withdrawals.get(state.turn, ()):
        if state.where[unit] != OUT[SIDE[unit]]:
            state.where[unit] = OUT[SIDE[unit]]
            g.log("5.2.6", "{unit} is withdrawn", unit=unit)
