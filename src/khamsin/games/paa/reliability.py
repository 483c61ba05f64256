"""Italian infantry reliability (15.2) and surrender (15.3): optional rules, chosen together."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from khamsin.games.paa.ground import ATTACK_SUPPLY, OPEN_SIDES
from khamsin.games.paa.losses import FIGURES, ITALIAN_INFANTRY, remove
from khamsin.games.paa.supply import attack_supply
from khamsin.games.paa.units import AXIS, REGULARS, G, name
from khamsin.kernel.rules import Refusal

ATTACK: int = FIGURES["reliability"]["attack"]
SHAKEN: int = FIGURES["reliability"]["shaken"]
BROKEN: int = FIGURES["reliability"]["broken"]
SURRENDER: int = FIGURES["reliability"]["surrender"]
SUPPORTING = tuple(u for u in REGULARS[AXIS] if not ITALIAN_INFANTRY[u])
"""German units and Italian armour (15.2)."""


def has_lost(g: G, threshold: int) -> bool:
    """Whether the rule is in play and Italian infantry losses have reached a number of CF (15.2)."""
    return g.options["reliability"] == "on" and g.state.italian_losses >= threshold


def why_not_reliable(g: G, unit: int, distance: Sequence[int] | None = None) -> Refusal | None:
    """After 10 CF of losses, Italian infantry attacks only in attack supply, or stacked with a supporting unit (15.2).
    `distance` gives the MF from each hex to attack supply, if known."""
    if not ITALIAN_INFANTRY[unit] or not has_lost(g, ATTACK):
        return None
    hex = g.state.where[unit]
    distance = attack_supply(g, AXIS) if distance is None else distance
    if distance[hex] <= ATTACK_SUPPLY or hex in _support(g):
        return None
    who = name(unit)
    return Refusal(f"{who} cannot attack: neither in attack supply nor stacked with a supporting unit", "15.2", who)


def wavering(g: G, targets: Collection[int]) -> list[int]:
    """Return the Italian infantry in attacked hexes that may surrender: after 20 CF lost, if no supporting unit is
    stacked with or adjacent to it; after 25, if none is stacked with it (15.2)."""
    if not has_lost(g, SHAKEN):
        return []
    where = g.state.where
    safe = _support(g)
    if not has_lost(g, BROKEN):
        safe |= {near for hex in safe for near in OPEN_SIDES[hex]}
    return [u for u in REGULARS[AXIS] if ITALIAN_INFANTRY[u] and where[u] in targets and where[u] not in safe]


def surrender(g: G, targets: Collection[int]) -> None:
    """Each unit that may surrender rolls, and is placed in the Cadre on 1, 2 or 3 (15.3)."""
    given_up = []
    for unit in wavering(g, targets):
        if g.dice.roll("surrender", "15.3") <= SURRENDER:
            g.log("15.3", "{unit} surrenders", unit=unit)
            given_up.append(unit)
    remove(g, AXIS, given_up)


def cheap_to_overrun(g: G, units: Sequence[int]) -> bool:
    """Whether a stack is Italian infantry alone after 25 CF lost, so that overrunning it costs less (15.2)."""
    return has_lost(g, BROKEN) and bool(units) and all(ITALIAN_INFANTRY[u] for u in units)


def _support(g: G) -> set[int]:
    """Return the hexes with a supporting unit."""
    where, size = g.state.where, len(OPEN_SIDES)
    return {where[u] for u in SUPPORTING if 0 <= where[u] < size}
