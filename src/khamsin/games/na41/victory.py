"""Victory (26, S1.3, S2.3, S3.3): automatic victories, objectives, and Victory Points for airfields."""

from __future__ import annotations

from khamsin.games.na41 import supply
from khamsin.games.na41.scenario import setting
from khamsin.games.na41.units import (
    AIRFIELDS,
    ALEXANDRIA,
    ALLIED,
    AXIS,
    BOARD,
    EL_AGHEILA,
    SCENARIO_DATA,
    SCHEDULE,
    G,
    combat_units,
    holder,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Procedure

GOALS = (ALEXANDRIA, EL_AGHEILA)
"""The hex that wins the game for each side (26.1)."""
MOST: int = SCENARIO_DATA["victory"]["points"]


def automatic(g: G, side: int) -> None:
    """At the end of the Supply Phase of a side, its enemy wins with its goal: controlled, and occupied by a combat unit
    in Full Supply (26.1.1, 26.1.2)."""
    winner = 1 - side
    goal = GOALS[winner]
    held = g.state.control.get(goal) == winner and bool(combat_units(g, winner, goal))
    if held and supply.status_in(g, winner, goal) == supply.FULL:
        g.end(winner, "automatic", f"{BOARD.place_in(goal)} is held in Full Supply", f"26.1.{winner + 1}")


def airfields(g: G) -> list[int]:
    """Return the airfields that count for the Axis: controlled, and in Full Supply (S2.3.1)."""
    return [
        hex for hex in AIRFIELDS if g.state.control.get(hex) == AXIS and supply.status_in(g, AXIS, hex) == supply.FULL
    ]


def objectives(g: G, side: int = AXIS) -> list[int]:
    """Return the objectives of the scenario that a side controls (27.4, S1.3, S3.3)."""
    return [hex for hex in setting(g).objectives if holder(g, hex) == side]


def victory_points(g: G) -> Procedure:
    """The Victory Point Phase: the Campaign counts airfields, and the last turn of a scenario decides (S1.3, S2.3, S3.3)."""
    cards = setting(g)
    if cards.name == "campaign":
        count(g)
    if g.state.result is None and g.state.turn == cards.last:
        decide(g)
    return
    yield


def count(g: G) -> None:
    """The Axis gains a point for each airfield above the benchmark of the turn, and loses one for each below; twelve end the
    game (S2.3.1, S2.3.2)."""
    held, wanted = len(airfields(g)), int(SCHEDULE["benchmark"]["airfields"][g.state.turn - 1])
    g.state.vp = max(-MOST, min(MOST, g.state.vp + held - wanted))
    g.log("S2.3.1", "The Axis has {held} airfields of {wanted}: {vp} VPs", held=held, wanted=wanted, vp=g.state.vp)
    if abs(g.state.vp) == MOST:
        g.end(AXIS if g.state.vp > 0 else ALLIED, "", f"{g.state.vp} VPs", "S2.3.2")


def decide(g: G) -> None:
    """Decide the winner at the end of the last turn. In Crusader either side needs its hexes, which a port without a
    garrison may keep from both (27.4, S1.3, S2.3.3, S3.3)."""
    cards = setting(g)
    if cards.name == "campaign":
        winner = AXIS if g.state.vp > 0 else ALLIED if g.state.vp < 0 else NOWHERE
        g.end(winner, "", f"{g.state.vp} VPs", "S2.3.3")
        return
    held = len(objectives(g))
    text = f"the Axis controls {held} of {len(cards.objectives)} objectives"
    short = cards.name == "crusader" and len(objectives(g, ALLIED)) < cards.needed
    g.end(AXIS if held >= cards.needed else NOWHERE if short else ALLIED, "", text, f"{cards.number}.3")
