"""Command and control (10): Allied hexes that lose command for this Allied turn."""

from __future__ import annotations

from khamsin.games.paa.units import ALL, ALLIED, BOARD, HEXES, OOC, G
from khamsin.kernel.rules import Procedure


def lose_command(g: G) -> Procedure:
    """Dice decide which hexes with Allied units, lorries or installations are out of command; no hex is exempt (10)."""
    where = g.state.where
    occupied = sorted({where[piece] for piece in ALL[ALLIED] if 0 <= where[piece] < HEXES})
    struck = single_roll(g, occupied) if g.options["command"] == "single roll" else roll_per_hex(g, occupied)
    put_out_of_command(g, struck)
    yield from ()


def single_roll(g: G, hexes: list[int]) -> list[int]:
    """Roll one die for the whole map and return the hexes whose number ends in one of its three digits (10.1)."""
    digits = str(g.table("command_single").roll(g.dice, 0, purpose="command"))
    return [hex for hex in hexes if BOARD.name(hex)[-1] in digits]


def roll_per_hex(g: G, hexes: list[int]) -> list[int]:
    """Roll a die for each hex and return those whose number ends in one of the digits rolled for them (10.2)."""
    table = g.table("command_per_hex")
    struck = []
    for hex in hexes:
        digits = str(table.roll(g.dice, 0, purpose=f"command in {BOARD.name(hex)}"))
        if BOARD.name(hex)[-1] in digits:
            struck.append(hex)
    return struck


def put_out_of_command(g: G, hexes: list[int]) -> None:
    """Flag every Allied piece there, to the end of the Allied turn (10.3)."""
    state = g.state
    for hex in hexes:
        g.log("10.3", "{hex} is out of command", hex=hex)
    for piece in ALL[ALLIED]:
        if state.where[piece] in hexes:
            state.flags[piece] |= OOC
