"""Advances after combat and evasion (13)."""

from __future__ import annotations

from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def after_evasion(g: G, battle: Battle, hex: int) -> Procedure:
    """Attackers may follow into a hex that was left by evasion."""
    yield from ()
