"""Strongpoints (14): what they do, and how they are built and removed."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def complete(g: G, side: int) -> None:
    """At the end of its Reserve Movement Phase a side's strongpoints under construction become active."""


def abandon(g: G, hex: int) -> None:
    """A strongpoint under construction is removed: its hex is attacked, or its builder leaves."""


def begin(g: G, side: int) -> Procedure:
    """In the Supply Status Phase a side begins strongpoints."""
    yield from ()
