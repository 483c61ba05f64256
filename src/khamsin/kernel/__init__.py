"""The engine without the rules of any game: a library for hex boards, pieces, dice, tables, matches and records.

>>> from khamsin.kernel import Board, KeyedDice, Table
>>> board = Board.load("kasserine")
>>> board.name(board["3119"]), board.distance(board["3119"], board["2809"])
('3119', 12)

`khamsin.kernel.flood` is not imported here, because it loads the compiler.
"""

from khamsin.kernel.board import NOWHERE, Area, Board, BoardError, Box, Hexside, HexsideKind, Place, Terrain
from khamsin.kernel.dice import Dice, DiceError, KeyedDice, ReplayDice, Roll, SeededDice
from khamsin.kernel.hexes import Axial, Scheme, UnknownHex
from khamsin.kernel.match import Match, Move
from khamsin.kernel.pieces import Counter, Result, State
from khamsin.kernel.position import PositionError
from khamsin.kernel.record import Divergence, RecordError
from khamsin.kernel.registration import Scenario
from khamsin.kernel.rules import (
    EVERYONE,
    NOBODY,
    Decision,
    Event,
    Game,
    Illegal,
    Odds,
    Phase,
    Procedure,
    Refusal,
    Rules,
    Term,
)
from khamsin.kernel.tables import Table, TableError, read_tables

__all__ = [
    "EVERYONE",
    "NOBODY",
    "NOWHERE",
    "Area",
    "Axial",
    "Board",
    "BoardError",
    "Box",
    "Counter",
    "Decision",
    "Dice",
    "DiceError",
    "Divergence",
    "Event",
    "Game",
    "Hexside",
    "HexsideKind",
    "Illegal",
    "KeyedDice",
    "Match",
    "Move",
    "Odds",
    "Phase",
    "Place",
    "PositionError",
    "Procedure",
    "RecordError",
    "Refusal",
    "ReplayDice",
    "Result",
    "Roll",
    "Rules",
    "Scenario",
    "Scheme",
    "SeededDice",
    "State",
    "Table",
    "TableError",
    "Term",
    "Terrain",
    "UnknownHex",
    "read_tables",
]  # fmt: skip
