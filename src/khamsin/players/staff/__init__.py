"""The staff: what operational wargames on hexes have in common for a computer player. A game adds an adapter (`theatre`)."""
