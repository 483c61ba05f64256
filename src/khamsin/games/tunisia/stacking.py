"""Stacking (OCS 3): 10 RE of combat units in a hex at the end of every segment."""

from __future__ import annotations

from functools import partial

from khamsin.games.tunisia import losses
from khamsin.games.tunisia.units import BOARD, GROUND, HEXES, QUARTERS, RE, SIDES, G, forces_in, name
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.stacking import Stacking

LIMIT: int = GROUND["stacking"] * QUARTERS
SIZE = Stacking(RE, [LIMIT] * HEXES, "OCS 3(1)", "RE", parts=QUARTERS)
"""In quarters of a RE; boxes have no limit."""


def waits(g: G, side: int) -> bool:
    """Whether the stacking limit of a side is suspended: from a Mud turn to the end of its next Movement Phase (OCS 3(2))."""
    return SIDES[side] in g.state.muddy


def is_crowded(g: G, side: int, hex: int) -> bool:
    """Whether a hex had more than the limit at the end of a Mud turn: such a stack is not barraged until its side has
    moved, and both sides know of it (OCS 3(2))."""
    return g.state.overfull.get(hex) == 1 + side


def note_crowded(g: G, side: int) -> None:
    """At the end of a Mud turn store the hexes of a side with more than the limit (OCS 3(2))."""
    forget_crowded(g, side)
    g.state.overfull.update(dict.fromkeys(SIZE.overfull(g, side), 1 + side))


def forget_crowded(g: G, side: int) -> None:
    """The limit applies again to a side, and its stacks may be barraged (OCS 3(2))."""
    for hex in [hex for hex, owner in g.state.overfull.items() if owner == 1 + side]:
        del g.state.overfull[hex]


def remove_excess(g: G, side: int) -> Procedure:
    """At the end of a segment the owner eliminates the excess in a hex; not from a Mud turn on until the side has moved (1.3,
    OCS 3(1), OCS 3(2))."""
    if waits(g, side):
        return
    while crowded := SIZE.overfull(g, side):
        hex = crowded[0]
        click = yield g.ask(
            side, "stacking.excess", f"Too many units in {BOARD.name(hex)}: choose one to remove", "OCS 3(1)",
            units=forces_in(g, side, hex), why_not=partial(why_not_removed, hex=hex),
        )  # fmt: skip
        g.log("OCS 3(1)", "{hex} has more than 10 RE", hex=hex)
        losses.eliminate(g, click, "OCS 3(1)")


def why_not_removed(g: G, decision: Decision, click: int, hex: int) -> Refusal | None:
    """Only units of the over-full hex are removed (OCS 3(1))."""
    if not g.is_unit(click) or click in forces_in(g, decision.side, hex):
        return None
    label = BOARD.name(hex)
    return Refusal(f"{name(click)} cannot be removed: choose one of your units in {label}", "OCS 3(1)", label)
