"""Combat (12): the units that may fight, and the declared combats.

The modules of the chapter in its order: `combat_phase` (12), `declaration` (12.1, 12.2), `combat_supply` (12.3),
`resolution` (12.4) with `differential`, `losses` and `advance`. Each uses this one.

The state has the declared combats (`mechanics.combats`): `battle` gives each attacker the number of its combat,
`targets` each attacked hex, `draft` is the combat under declaration; `supply` is each attacker's supply, `combat_step`
the step reached.
"""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.paa.ground import OPEN_SIDES
from khamsin.games.paa.units import BOARD, DISMOUNTED, OOC, OOS, REGULARS, G, name
from khamsin.games.paa.zones import FORTS, front
from khamsin.kernel.rules import Refusal
from khamsin.mechanics import combats

DECLARE, SUPPLY, RESOLVE = 1, 2, 3
"""The values of `combat_step`; 0 outside the phase."""

FREE = -1
"""The `battle` of a unit whose targets all surrendered: it may still join another combat (15.3)."""

UNABLE = OOS | OOC | DISMOUNTED
"""Flags that keep a unit from attacking (8.5, 10.3, 13.6)."""


def held(g: G, side: int) -> frozenset[int]:
    """Return the hexes with enemy units or lorries; a lone installation is captured by entering, not by combat (11.1.6,
    12)."""
    return front(g, 1 - side).barred


def attackers_of(g: G, side: int, number: int) -> list[int]:
    """Return the attackers of a combat."""
    battle = g.state.battle
    return [u for u in REGULARS[side] if battle[u] == number]


def targets_of(g: G, number: int) -> list[int]:
    """Return the hexes attacked in a combat."""
    return list(combats.hexes_of(g, number))


def forced(g: G, side: int, number: int) -> bool:
    """Whether a combat must be fought, against a fort in whose zone its attackers are (12.1.1)."""
    where = g.state.where
    return any(
        fort in targets_of(g, number) and any(where[u] == fort for u in REGULARS[1 - side]) for fort in FORTS
    ) and bool(attackers_of(g, side, number))


def adjacent(g: G, units: Sequence[int], targets: Sequence[int]) -> bool:
    """Whether every unit is adjacent to every hex across a passable hexside (12.2)."""
    where = g.state.where
    return all(hex in OPEN_SIDES[where[u]] for u in units for hex in targets)


def why_not_across(unit: int, here: int, hex: int) -> Refusal:
    """Attackers must be adjacent to their target, across a passable hexside (2.1.1, 12.2)."""
    label = BOARD.name(hex)
    if hex in BOARD.around(here):
        return Refusal(f"{name(unit)} cannot attack {label}: the hexside is prohibited", "2.1.1", label)
    return Refusal(f"{name(unit)} cannot attack {label}: not adjacent", "12.2", label)


def call_off(g: G, side: int, number: int) -> None:
    """Call off a voluntary combat (12.4)."""
    for hex in targets_of(g, number):
        g.log("12.4", "The combat against {hex} is called off", hex=hex)
    close(g, side, number, 0)


def close(g: G, side: int, number: int, mark: int) -> None:
    """End a combat for its attackers and its hexes."""
    combats.close(g, combats.declared(g, side, number), mark)
