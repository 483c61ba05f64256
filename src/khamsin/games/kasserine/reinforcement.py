"""Reinforcements and withdrawals (5.2, 15.3, 18.2.5): who comes, to where, and who leaves.

Units wait in the box of their turn. Air units and those for a holding box go there; those that enter by the map edge go to the
set-up card, and come on in their Movement Phase whenever their owner likes; those for a hex are placed as their owner chooses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
    HEXES,
    HOLDING,
    HQS,
    IS_AIR,
    OUT,
    READY,
    SIDE,
    SIDES,
    STACKING,
    TURN_BOX,
    UNITS,
    G,
    held,
    name,
)
from khamsin.kernel.rules import Procedure, Refusal

RECEIVED, DRAWN, PLACED = "arrivals received", "corps reserve drawn", "arrivals placed"
"""Steps of the phase that are behind it."""
DUE = {box: turn for turn, box in TURN_BOX.items()}
"""The turn of each box of the turn track."""
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
        if f"{SIDES[side]} {PLACED}" not in todo:
            yield from place(g, side)
            todo[f"{SIDES[side]} {PLACED}"] = 1
    withdraw(g)
    victory.plan_step(g)
    todo.clear()


def waiting(g: G, units: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Those of these units that are in the box of this turn or of an earlier one, each with that turn."""
    turn, where = g.state.turn, g.state.where
    for unit in units:
        due = DUE.get(where[unit])
        if due is not None and due <= turn:
            yield unit, due


def receive(g: G) -> None:
    """Air units come to the Ready Box, units for a holding box to it, and those for the map edge to the set-up card (5.2.1)."""
    state, arrivals = g.state, setting(g).arrivals
    for unit, turn in waiting(g, UNITS):
        if IS_AIR[unit]:
            state.where[unit] = READY[SIDE[unit]]
        elif unit in arrivals and turn == arrivals[unit].turn and arrivals[unit].place >= HEXES:
            state.where[unit] = arrivals[unit].place
        else:
            continue
        g.log("5.2.1", "{unit} arrives: {place}", unit=unit, place=state.where[unit])


def draw_reserve(g: G) -> Procedure:
    """One unit of the French corps reserve comes to a holding box; the Allies choose which, and see no strengths (18.2.5)."""
    cards, state = setting(g), g.state
    box = cards.reserve_turns.get(state.turn)
    units = [unit for unit in cards.reserve if state.where[unit] in DUE]
    if box is None or not units:
        return
    unit = units[0]
    if len(units) > 1:
        unit = yield g.ask(
            ALLIED,
            "reinforcement.reserve",
            f"Which unit of the XIX Corps Reserve comes to {BOARD.name(box)}?",
            "18.2.5",
            units=units,
            top=True,
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
            "Which reinforcement is placed on the map?",
            "5.2.2",
            units=units,
            buttons=[done],
            top=True,
        )
        if click == done:
            return
        hex = setting(g).arrivals[click].place
        g.log("5.2.1", "{unit} arrives: {place}", unit=click, place=hex)
        arrive(g, side, [click], hex)
        g.state.flags[click] |= ENTERED  # 5.2.3


def placeable(g: G, side: int) -> dict[int, str]:
    """The units that may be placed in their hex now, with that hex: none while an enemy unit is there, and within the
    stacking limit (3.3.2, 5.2.2)."""
    arrivals = setting(g).arrivals
    found = {}
    for unit, turn in waiting(g, FOR_A_HEX[g.scenario.name]):
        hex = arrivals[unit].place
        if SIDE[unit] != side or arrivals[unit].turn != turn or held(g, 1 - side, hex):
            continue
        if room(g, side, hex) >= STACKING[unit]:
            found[unit] = BOARD.name(hex)
    return found


def reestablish(g: G, side: int) -> Procedure:
    """HQs whose time has come are placed on a unit of their Formation; one that has none left is gone for good (15.3.2)."""
    state = g.state
    for hq in returning(g, side):
        places = homes(g, hq)
        if not places:
            wait_on(g, hq)
            continue
        where = places[0]
        if len(places) > 1:
            prompt = f"On which unit of its Formation is {name(hq)} placed?"
            where = g.location(
                (yield g.ask(side, "reinforcement.hq", prompt, "15.3.2", locations=places, top=True, about=[hq]))
            )
        g.log("15.3.2", "{unit} is re-established: {place}", unit=hq, place=where)
        arrive(g, side, [hq], where)
        state.flags[hq] |= ENTERED if where < HEXES else 0


def returning(g: G, side: int) -> list[int]:
    """The HQs that were lost and return now: on the turn track after their first arrival (15.3.1)."""
    arrivals = setting(g).arrivals
    return [hq for hq, turn in waiting(g, HQS[side]) if hq not in arrivals or turn > arrivals[hq].turn]


def homes(g: G, hq: int) -> list[int]:
    """Where an HQ may return: with units of its Formation on the map, in a holding box, or about to enter by the map edge
    where it may enter too (15.3.2)."""
    side = SIDE[hq]
    places = {g.state.where[unit] for unit in comrades(hq)}
    return sorted(
        place
        for place in places
        if 0 <= place < HEXES or place in HOLDING or (place == CARD[side] and edge_hexes(g, hq))
    )


def wait_on(g: G, hq: int) -> None:
    """An HQ with no unit in play waits for the first that comes, or for those put off until the next turn, or is gone for good
    (5.2.2, 15.3.2)."""
    state, side = g.state, SIDE[hq]
    coming = [max(DUE[state.where[unit]], state.turn + 1) for unit in comrades(hq) if state.where[unit] in DUE]
    waits = bool(coming) and min(coming) <= setting(g).last
    state.where[hq] = TURN_BOX[min(coming)] if waits else OUT[side]
    text = "{unit} waits for its Formation" if waits else "{unit} has no Formation left"
    g.log("15.3.2", text, unit=hq)


def withdraw(g: G) -> None:
    """Units due to leave go out of play; for those already lost nothing else goes (5.2.6)."""
    state = g.state
    for unit in setting(g).withdrawals.get(state.turn, ()):
        if state.where[unit] != OUT[SIDE[unit]]:
            state.where[unit] = OUT[SIDE[unit]]
            g.log("5.2.6", "{unit} is withdrawn", unit=unit)


def why_not_placed(g: G, side: int, unit: int) -> Refusal | None:
    """Why a unit cannot be placed as a reinforcement now (5.2)."""
    arrival = setting(g).arrivals.get(unit)
    box = g.state.where[unit]
    if arrival is None or box not in DUE:
        return Refusal(f"{name(unit)} is no reinforcement that waits", "5.2.1", name(unit))
    if DUE[box] > g.state.turn:
        return Refusal(f"{name(unit)} arrives on turn {DUE[box]}", "5.2.1", name(unit))
    hex = arrival.place
    if hex < HEXES and held(g, 1 - side, hex):
        return Refusal(f"an enemy unit is in {BOARD.name(hex)}", "5.2.2", BOARD.name(hex))
    if hex < HEXES and room(g, side, hex) < STACKING[unit]:
        return Refusal(f"more than {LIMIT} stacking points would be in {BOARD.name(hex)}", "3.3.2", BOARD.name(hex))
    return None
