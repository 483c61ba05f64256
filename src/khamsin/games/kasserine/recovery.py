"""The Recovery Phase: interdiction ends, captured and unwanted strongpoints go."""

from __future__ import annotations

from khamsin.games.kasserine.units import G
from khamsin.kernel.rules import Procedure


def recovery(g: G) -> Procedure:
    """The Recovery Phase."""
    yield from ()
