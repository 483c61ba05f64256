"""Play in a terminal: map, decision, legal clicks by name, undo, save, resume; hot seat or against the computer.

It is independent of the game: it draws and prints from the board, the counters and the decision. `chart` draws the map,
`input_parser` reads what a player types, `answers` prints information, `loop` runs the session.
"""

from khamsin.terminal.loop import Player, play

__all__ = ["Player", "play"]
