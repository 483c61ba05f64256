"""Combat results (13): losses, retreats and advances that a result demands."""

from __future__ import annotations

from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Decision, Procedure, Refusal


def apply(g: G, battle: Battle, result: str, first: tuple[int, ...] = ()) -> Procedure:
    """A result takes effect; `first` are attackers of whom one takes the first step lost."""
    yield from ()


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click of a question about results is not open."""
    return None
