"""Stacking (1.3, SCS 4.1): six points in a hex; a division counts 2, a regiment, brigade or group 1, a battalion 1/2."""

from __future__ import annotations

from functools import partial

from khamsin.games.afrika import losses
from khamsin.games.afrika.units import BOARD, GROUND, HALVES, HEXES, STACKING, G, forces_in, name
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.stacking import Stacking

LIMIT: int = GROUND["stacking"]["limit"]
POINTS = Stacking(STACKING, [LIMIT] * HEXES, "1.3", "stacking points", parts=HALVES)
"""In halves; off-map boxes have no limit (1.3)."""


def remove_excess(g: G, side: int) -> Procedure:
    """At the end of a phase the owner moves the excess units of a hex to the dead pile (SCS 4.2, SCS 4.3)."""
    while crowded := POINTS.overfull(g, side):
        hex = crowded[0]
        stack = forces_in(g, side, hex)
        click = yield g.ask(
            side, "stacking.excess", f"Too many units in {BOARD.name(hex)}: choose one to remove", "SCS 4.3", units=stack,
            why_not=partial(why_not_removed, hex=hex),
        )  # fmt: skip
        g.log("SCS 4.3", "{hex} has too many units", hex=hex)
        losses.eliminate(g, click, "SCS 4.3")


def why_not_removed(g: G, decision: Decision, click: int, hex: int) -> Refusal | None:
    """Only units of the over-full hex are removed (SCS 4.3)."""
    if not g.is_unit(click) or click in forces_in(g, decision.side, hex):
        return None
    label = BOARD.name(hex)
    return Refusal(f"{name(click)} cannot be removed: choose one of your units in {label}", "SCS 4.3", label)
