"""Boxes (1.16): fortifications of a side, removed when none of its units is in them."""

from __future__ import annotations

from khamsin.games.afrika.units import G, forces_in


def remove_empty(g: G) -> None:
    """A box is removed the instant no unit of its side is in its hex (1.16)."""
    for hex, side in list(g.state.box.items()):
        if not forces_in(g, side, hex):
            del g.state.box[hex]
            g.log("1.16", "The box in {hex} is removed", hex=hex)
