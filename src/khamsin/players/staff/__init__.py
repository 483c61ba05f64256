"""The staff: a computer player for operational wargames on hexes. A game adds an adapter (`theatre`)."""
