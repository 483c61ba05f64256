"""Reinforcements and withdrawals."""

from __future__ import annotations

from khamsin.games.kasserine import garrison, victory
from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def reinforcements(g: G) -> Procedure:
    """The Reinforcements Phase: garrisons are released, and the Victory Plan is drawn or read (18.2.7, 18.2.8)."""
    garrison.release_due(g)
    victory.plan_step(g)
    yield from ()
