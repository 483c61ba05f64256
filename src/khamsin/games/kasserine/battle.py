"""A declared combat (9.1): who attacks what, on which table. What is declared stands in the state, so that a phase can be begun
again: `battle` gives each attacker the number of its combat, `targets` each attacked hex, `tables` each combat's table."""

from __future__ import annotations

from typing import NamedTuple

from khamsin.games.kasserine.units import ARMOURED, AT_FIRE, BOARD, FORCE_SPAN, FORCES, FOUGHT, G, forces_in


class Battle(NamedTuple):
    """One declared combat: its number, the attacker, the attacked hexes and the table (9.1.2, 9.1.8)."""

    number: int
    side: int
    attackers: tuple[int, ...]
    hexes: tuple[int, ...]
    table: int


def declare(g: G, attackers: list[int], hexes: list[int], table: int) -> int:
    """Enter a combat, and give it the next number (9.1.2)."""
    state = g.state
    number = 1 + max(map(int, state.tables), default=0)
    for unit in attackers:
        state.battle[unit] = number
    for hex in hexes:
        state.targets[BOARD.name(hex)] = number
    state.tables[str(number)] = table
    return number


def numbers(g: G) -> list[int]:
    """The combats that are declared and not fought yet."""
    return sorted(set(g.state.targets.values()))


def read(g: G, side: int, number: int) -> Battle:
    """A declared combat of a side by its number."""
    state = g.state
    battles = state.battle[FORCE_SPAN[side]]
    attackers = [u for u, declared in zip(FORCES[side], battles, strict=True) if declared == number]
    hexes = tuple([BOARD[hex] for hex, declared in sorted(state.targets.items()) if declared == number])
    return Battle(number, side, tuple(attackers), hexes, state.tables[str(number)])


def at(g: G, hex: int) -> int:
    """The number of the combat declared against a hex, or 0 (13.3.6)."""
    return g.state.targets.get(BOARD.name(hex), 0)


def defenders(g: G, battle: Battle) -> list[int]:
    """The units that are attacked: all in the hexes, but of AT Fire only the armoured ones (12.1.1, 16.1.5)."""
    units = [unit for hex in battle.hexes for unit in forces_in(g, 1 - battle.side, hex)]
    return [unit for unit in units if ARMOURED[unit]] if battle.table == AT_FIRE else units


def close(g: G, battle: Battle) -> None:
    """A combat is over: its marker goes, and nobody in it fights again in this phase (12.3.2, 13.1.4)."""
    state = g.state
    for hex in battle.hexes:
        state.targets.pop(BOARD.name(hex), None)
    for unit in battle.attackers:
        state.battle[unit] = 0
        state.flags[unit] |= FOUGHT
