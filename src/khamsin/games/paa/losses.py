"""Losses (12.4.5, 12.4.6): the units lost for a required number of CF, and where they are placed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from khamsin.games.paa.units import (
    ARMOURED,
    BOARD,
    CADRE,
    CF,
    DATA,
    ITALIAN,
    LORRIES,
    LORRY,
    POOL,
    REGULAR,
    REGULARS,
    SIDE,
    SIDES,
    G,
    cf,
)
from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Procedure
from khamsin.mechanics.losses import lose_units, nearest

FIGURES: dict[str, Any] = files.read(DATA / "combat.toml")
LORRY_CF: int = FIGURES["least"]["lorry"]
TURNS_AWAY: int = FIGURES["lorry"]["turns_away"]
ITALIAN_INFANTRY = [ITALIAN[u] and REGULAR[u] and not ARMOURED[u] for u in range(len(SIDE))]
"""The units whose losses are counted (15.2)."""


def choose(g: G, side: int, units: Sequence[int], amount: int, rule: str) -> Procedure:
    """The loser removes whole units, as near to the required CF as possible without exceeding it; if several choices
    are equally near, the loser chooses unit by unit (12.4.5). Lorries are lost with the last unit of their hex
    (12.4.6)."""
    lost = yield from lose_units(g, side, units, amount, worth, rule, "CF")
    remove(g, side, lost)


def remove(g: G, side: int, lost: Sequence[int]) -> None:
    """Remove units from the map, and with the last unit of a hex the lorries there (12.4.5, 12.4.6)."""
    hexes = {g.state.where[u] for u in lost if REGULAR[u]}
    eliminate(g, [u for u in lost if REGULAR[u]])
    for unit in lost:
        if LORRY[unit]:
            eliminate_lorry(g, unit)
    eliminate_stranded_lorries(g, side, hexes)


def eliminate(g: G, units: Sequence[int]) -> None:
    """Eliminated regular units are placed in the Cadre as printed, without reinforcement; lost Italian infantry is
    counted (2.1.3, 12.4.5, 13.4, 15.2)."""
    state = g.state
    for unit in units:
        if ITALIAN_INFANTRY[unit]:
            state.italian_losses += CF[unit]
        g.log_loss("12.4.5", "{unit} in {hex} is eliminated", unit=unit, hex=state.where[unit])
        state.where[unit] = CADRE[SIDE[unit]]
        state.flags[unit] = state.plus[unit] = state.spent[unit] = state.via[unit] = 0
        state.battle[unit] = state.supply[unit] = 0
        state.origin[unit] = NOWHERE


def eliminate_lorry(g: G, lorry: int) -> None:
    """An eliminated lorry returns as a reinforcement two turns later; its load stays in the hex (12.4.6)."""
    state = g.state
    side = SIDE[lorry]
    box = f"{SIDES[side]} OOB turn {state.turn + TURNS_AWAY}"
    g.log_loss("12.4.6", "{unit} in {hex} is eliminated", unit=lorry, hex=state.where[lorry])
    state.where[lorry] = BOARD[box] if box in BOARD else POOL[side]
    state.flags[lorry] = state.load[lorry] = state.spent[lorry] = state.via[lorry] = 0
    state.origin[lorry] = NOWHERE


def eliminate_stranded_lorries(g: G, side: int, hexes: Iterable[int]) -> None:
    """Eliminate lorries in hexes that have just lost their last unit (12.4.6)."""
    where = g.state.where
    for hex in hexes:
        if not any(where[u] == hex for u in REGULARS[side]):
            for lorry in LORRIES[side]:
                if where[lorry] == hex:
                    eliminate_lorry(g, lorry)


def worth(g: G, unit: int) -> int:
    """Return the CF that the loss of a unit counts for: its nominal CF, and one for a lorry (12.4.2, 12.4.5)."""
    return LORRY_CF if LORRY[unit] else cf(g, unit)


def most(g: G, units: Sequence[int], amount: int) -> int:
    """Return the most CF that whole units can lose without exceeding an amount (12.4.5)."""
    return nearest([worth(g, unit) for unit in units], amount)
