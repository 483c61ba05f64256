"""The Recovery Phase: interdiction ends, captured and unwanted strongpoints go (11.2.4, 14.4.1, 14.4.3)."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def recovery(g: G) -> Procedure:
    """The Recovery Phase (11.2.4, 14.4)."""
    yield from ()
