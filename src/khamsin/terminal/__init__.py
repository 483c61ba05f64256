"""Playing in a terminal: a map, the question, the open clicks by name, undo, save, resume; for people at one keyboard,
against each other or against the computer.

It knows no game: all it draws and says comes from the board, the counters and the question. `chart` draws the map, `words`
understands what a player types, `answers` answers what he asks, `page` lays the screen out, `streams` reads and writes, and
`loop` is the evening itself.
"""

from khamsin.terminal.loop import Player, play

__all__ = ["Player", "play"]
