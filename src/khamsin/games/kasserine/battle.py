"""A declared combat (9.1): attackers, targets and table. The state has the number of the combat of each attacker
(`battle`) and attacked hex (`targets`), and the table of each combat (`tables`)."""

from __future__ import annotations

from typing import NamedTuple

from khamsin.games.kasserine.units import ARMOURED, AT_FIRE, BOARD, FOUGHT, G, forces_in
from khamsin.mechanics import combats
from khamsin.mechanics.combats import Combat, numbers

__all__ = ["Battle", "at", "close", "declare", "defenders", "numbers", "read"]

at = combats.number_at
"""The number of the combat declared against a hex, or 0 (13.3.6)."""


class Battle(NamedTuple):
    """One declared combat: its number, the attacker, the attacked hexes and the table (9.1.2, 9.1.8)."""

    number: int
    side: int
    attackers: tuple[int, ...]
    hexes: tuple[int, ...]
    table: int


def declare(g: G, combat: Combat, table: int) -> Battle:
    """Store a combat with its table in the state (9.1.2)."""
    number = combats.enter(g, combat).number
    g.state.tables[str(number)] = table
    return read(g, combat.side, number)


def read(g: G, side: int, number: int) -> Battle:
    """Return a declared combat of a side by its number."""
    combat = combats.declared(g, side, number)
    hexes = tuple(sorted(combat.hexes, key=BOARD.name))
    return Battle(number, side, combat.units, hexes, g.state.tables[str(number)])


def defenders(g: G, battle: Battle) -> list[int]:
    """Return the units that are attacked: all in the hexes, but by AT Fire only the armoured ones (12.1.1, 16.1.5)."""
    units = [unit for hex in battle.hexes for unit in forces_in(g, 1 - battle.side, hex)]
    return [unit for unit in units if ARMOURED[unit]] if battle.table == AT_FIRE else units


def close(g: G, battle: Battle) -> None:
    """End a combat: its marker is removed, and none of its units fights again in this phase (12.3.2, 13.1.4)."""
    combats.close(g, Combat(battle.number, battle.side, battle.attackers, battle.hexes))
    g.state.emergency = None  # 15.4.1
    for unit in battle.attackers:
        g.state.flags[unit] |= FOUGHT
