"""The turn apart from movement, combat and supply (1.2-4, OCS 2): weather, initiative, arrivals, clean-up."""

from __future__ import annotations

from khamsin.games.tunisia import losses
from khamsin.games.tunisia.airbases import BOX_OF, WINGS, refit
from khamsin.games.tunisia.dates import WEATHER, box_side, read_weather
from khamsin.games.tunisia.lift import BOXES as WAITING
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.stacking import note_crowded
from khamsin.games.tunisia.units import (
    AXIS,
    DG,
    EXPLOIT,
    FINISHED,
    FORCES,
    FUEL,
    GROUND_UNITS,
    INACTIVE,
    MUD,
    RELEASED,
    SIDE,
    UNITS,
    G,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Procedure

BOXES = {**WAITING, **BOX_OF}
"""Every location of a holding box, including its air bases, with the name of the box (1.5c)."""


def weather(g: G) -> Procedure:
    """Every turn begins with the weather roll (1.2, 1.2b)."""
    new_turn(g)
    lose_boxes(g)
    g.state.weather = read_weather(g.state.turn, g.dice.sixtysix("weather", "1.2a"))
    g.log("1.2", "Weather: {weather}", weather=WEATHER[g.state.weather])
    if g.state.weather == MUD:  # OCS 3(2)
        g.state.muddy.update(dict.fromkeys(g.rules.sides, 1))
    yield from ()


def initiative(g: G) -> Procedure:
    """Determine who moves first: on the first turn as the scenario says, then the winner of two dice chooses; not on
    Mud turns (1.4b, OCS 2)."""
    state, cards = g.state, setting(g)
    if state.turn == cards.first:
        state.initiative = cards.moves_first
        return
    if state.weather == MUD:
        return
    while True:
        rolls = [g.dice.two(f"initiative of the {name}", "1.4b") for name in ("Axis", "Allies")]
        if rolls[0] != rolls[1]:
            break
    winner = rolls.index(max(rolls))
    first, second = g.rules.button("default"), g.rules.button("decline")
    click = yield g.ask(
        winner, "initiative.order", "You have the initiative: move first, or second", "1.4b", buttons=[first, second]
    )
    state.initiative = winner if click == first else 1 - winner
    g.log("1.4b", "{side} moves first", side=state.initiative)


def mud_refit(g: G, side: int) -> Procedure:
    """In Mud aircraft on bases of level 1 become inactive, and only higher bases refit (1.3)."""
    for unit in WINGS[side]:
        base = g.state.where[unit]
        if base in g.state.base and g.state.level.get(base, 0) < 2:
            g.state.flags[unit] |= INACTIVE
    yield from refit(g, side, least=2)


def new_turn(g: G) -> None:
    """Rail capacity and shipping are full again each turn (1.5)."""
    g.state.lifted.clear()
    g.state.built.clear()


def lose_boxes(g: G) -> None:
    """Eliminate what is still in a holding box that its side has lost (1.5c)."""
    for unit in UNITS:
        box = BOXES.get(g.state.where[unit])
        if box is not None and box_side(g, box) != SIDE[unit] and not is_waiting(g, box, unit):
            losses.eliminate(g, unit, "1.5c")


def is_waiting(g: G, box: str, unit: int) -> bool:
    """Whether the box is one that the side will own later, as the Desert Air Force at Tripoli (3.4)."""
    return SIDE[unit] != AXIS and box_side(g, box) == NOWHERE


def clean_up(g: G, side: int) -> Procedure:
    """Remove DG, exploit and fuel markers of the side, and the interdiction markers of the enemy (OCS 2, OCS 5(4))."""
    state = g.state
    g.clear_flags(FORCES[side], DG | EXPLOIT | FUEL | RELEASED)
    for hex in [hex for hex, owner in state.interdicted.items() if owner == 2 - side]:
        del state.interdicted[hex]
    yield from ()


def mud_clean_up(g: G, side: int) -> Procedure:
    """The same on a Mud turn, after which stacks may be too large (1.3, OCS 3(2))."""
    note_crowded(g, side)
    yield from clean_up(g, side)


def landed(g: G, side: int) -> None:
    """Aircraft that stayed active may fly again after the phase (OCS 14.2)."""
    g.clear_flags(WINGS[side], FINISHED)


def released_over(g: G, side: int) -> None:
    """Remove the markers of released reserves at the end of the Reaction or Exploitation Phase."""
    landed(g, side)
    g.clear_flags(GROUND_UNITS[side], RELEASED)
