"""Tests. `make soak` sets KHAMSIN_SOAK and runs the long variants; here is how much of each game it tries."""

import os
from typing import NamedTuple

SOAK = bool(os.environ.get("KHAMSIN_SOAK"))
"""Whether to play, try and repeat as much as `make soak` does."""


class Size(NamedTuple):
    """What `make soak` plays of a game: whole games between random and passive players (`test_campaigns`), and random games
    that each test of the contract walks, over all scenarios in turn."""

    games: int = 1000
    walks: int = 30


SIZES = {
    "skirmish": Size(0, 200),
    "paa": Size(2000, 60),
    "na41": Size(1500, 30),
    "afrika": Size(2100, 70),
    "tunisia": Size(1200, 24),
    "kasserine": Size(1500, 60),
}
"""Sized for at most two hours on two idle cores (docs/engineering-notes.md). A game of the campaign of Tunisia takes a
hundred times as long as one of a short scenario of Afrika."""


def size(game: str) -> Size:
    """What `make soak` plays of a game; of a new one until it has a size of its own too."""
    return SIZES.get(game, Size())
