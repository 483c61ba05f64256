"""Declarations of combat (12.1, 12.2): which units attack which hexes."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.paa.combat import held, why_not_across
from khamsin.games.paa.combat_supply import remove_installation, why_not_destroy
from khamsin.games.paa.differential import why_not_this_turn
from khamsin.games.paa.ground import OPEN_SIDES
from khamsin.games.paa.reliability import why_not_reliable
from khamsin.games.paa.stacking import has_depot
from khamsin.games.paa.units import BOARD, DISMOUNTED, OOC, OOS, REGULAR, REGULARS, SIDE, G, name, on_map
from khamsin.games.paa.zones import FORT_ZONE, FORTS, enemy_fort
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics import combats
from khamsin.mechanics.combats import Combat, Declaration


def attack_forts(g: G, side: int) -> None:
    """Every unit in the zone of a fort that the enemy occupies attacks it, able or not (12.1.1, 12.2)."""
    where = g.state.where
    for fort in FORTS:
        units = [u for u in REGULARS[side] if where[u] in FORT_ZONE and enemy_fort(g, side, where[u]) == fort]
        if units:
            combats.enter(g, Combat(0, side, tuple(units), (fort,)))


def declare_combats(g: G, side: int) -> Procedure:
    """The attacker declares one combat after another (12.2), and may remove installations meanwhile (12.3)."""
    while found := (yield from combats.declare(g, DECLARATION, side)):
        if found.button == "destroy":
            yield from remove_installation(g, side)


def contacts(g: G, side: int) -> dict[int, list[int]]:
    """Return the hexes with enemy units or lorries adjacent to regular units across a passable hexside, each with these
    units (12, 12.2)."""
    near = combats.contacts(g.state.where.stacks(side), held(g, side), OPEN_SIDES)
    return {hex: [u for u in units if REGULAR[u]] for hex, units in near.items()}


def why_not_target(g: G, side: int, hex: int) -> Refusal | None:
    """Only hexes with enemy units or lorries are attacked; a lone installation is captured by entering (11.1.6, 12)."""
    label = BOARD.name(hex)
    refusal = why_not_this_turn(g, side)
    if refusal is not None:
        return refusal._replace(cause=label)
    if hex in held(g, side):
        return None
    if has_depot(g, 1 - side, hex):
        return Refusal(f"{label} cannot be attacked: enter it to capture the installation", "11.1.6", label)
    return Refusal(f"{label} cannot be attacked: no enemy unit is there", "12", label)


def why_not_attacker(g: G, unit: int, hexes: Sequence[int]) -> Refusal | None:
    """Only regular units in supply and command attack, each adjacent to all attacked hexes across passable hexsides;
    those in the zone of an enemy fort attack it, able or not (10.3, 12, 12.1.1, 12.2, 13.6, 15.2)."""
    if not REGULAR[unit]:
        return Refusal(f"{name(unit)} cannot attack: only regular units attack", "12", name(unit))
    if not on_map(g, unit):
        return Refusal(f"{name(unit)} cannot attack: not on the map", "12.2", name(unit))
    here = g.state.where[unit]
    fort = enemy_fort(g, SIDE[unit], here)
    refusal = why_not_able(g, unit) if fort is None else None
    if fort is not None and hexes and fort not in hexes:
        refusal = _bound_to(unit, fort)
    if refusal is not None:
        return refusal
    for hex in hexes:
        if hex not in OPEN_SIDES[here]:
            return why_not_across(unit, here, hex)
    return None


def why_not_able(g: G, unit: int) -> Refusal | None:
    """A unit out of supply or command, dismounted or unreliable does not attack (10.3, 12, 13.6, 15.2)."""
    flags = g.state.flags[unit]
    for flag, reason, rule in (
        (DISMOUNTED, "dismounted", "13.6"),
        (OOS, "out of supply", "12"),
        (OOC, "out of command", "10.3"),
    ):
        if flags & flag:
            return Refusal(f"{name(unit)} cannot attack: {reason}", rule, name(unit))
    return why_not_reliable(g, unit)


def _bound_to(unit: int, fort: int) -> Refusal:
    label = BOARD.name(fort)
    return Refusal(f"{name(unit)} must attack {label}: it is in the zone of that fort", "12.1.1", label)


def why_not_removed(g: G, combat: Combat, unit: int) -> Refusal | None:
    """A unit in the zone of an enemy fort must attack it (12.1.1)."""
    fort = enemy_fort(g, combat.side, g.state.where[unit])
    return None if fort is None else _bound_to(unit, fort)


def why_not_called_off(g: G, combat: Combat) -> Refusal | None:
    """A voluntary combat may be called off at any time, a forced one never (12.1.1, 12.4)."""
    return next(filter(None, (why_not_removed(g, combat, unit) for unit in combat.units)), None)


DECLARATION = Declaration(
    "12.2",
    contacts,
    why_not_target,
    why_not_attacker,
    why_not_removed=why_not_removed,
    why_not_called_off=why_not_called_off,
    others=("destroy",),
    why_not_other=why_not_destroy,
)


def ready(g: G, side: int) -> list[int]:
    """Return the units that may attack and are in no combat yet (12, 10.3, 15.2)."""
    battle = g.state.battle
    return [u for u in REGULARS[side] if not battle[u] and on_map(g, u) and why_not_attacker(g, u, ()) is None]
