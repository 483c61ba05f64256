"""Automatic DS (8.9): in the Movement Phase, units that ensure 10-1 against an adjacent hex shatter its defenders at once.
Their advance follows at the end of the Combat Phase."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from khamsin.games.na41 import advance, breakthrough, command, resolution, sheet, stacking
from khamsin.games.na41.advance import Pursuit
from khamsin.games.na41.ground import downhill
from khamsin.games.na41.results import SHATTERED
from khamsin.games.na41.sheet import LIMITS, OVERWHELMING, SHIFTS, Attack
from khamsin.games.na41.units import (
    AROUND,
    BOARD,
    BRACKETED,
    DISRUPTED,
    FINISHED,
    FORCES,
    FULL_RETREAT,
    HEXES,
    RETREATED,
    SIDE,
    TRANSPORTED,
    G,
    attack,
    combat_units,
    defence,
    name,
    names,
    on_map,
)
from khamsin.games.na41.zones import front
from khamsin.kernel.rules import Decision, Procedure, Refusal

MOST_SHIFT: int = SHIFTS["most_tank"] + SHIFTS["elite"]
"""The best shift of an Automatic DS, without artillery and air (8.9.1)."""


def beside(g: G, side: int, hex: int) -> list[int]:
    """Return the combat units of a side adjacent to a hex."""
    own = g.state.where.stacks(side)
    return [unit for near in AROUND[hex] for unit in own.get(near, ())]


def targets(g: G, side: int) -> list[int]:
    """Return the hexes against which a side can declare an Automatic DS now (8.9.1)."""
    return [hex for hex in likely(g, side) if why_not(g, side, hex) is None]


def has_target(g: G, side: int) -> bool:
    """Whether there is such a hex."""
    return any(could_reach(g, side, hex) and why_not(g, side, hex) is None for hex in in_contact(g, side))


def likely(g: G, side: int) -> list[int]:
    """Return the enemy hexes next to units of a side that could reach 10-1 against them (8.9.1)."""
    return [hex for hex in in_contact(g, side) if could_reach(g, side, hex)]


def in_contact(g: G, side: int) -> list[int]:
    """Return the hexes of enemy combat units adjacent to combat units of a side."""
    enemies = g.state.where.stacks(1 - side)
    touched = front(g, 1 - side).near_hexes.intersection(g.state.where.stacks(side))
    return sorted({hex for at in touched for hex in AROUND[at] if hex in enemies})


def could_reach(g: G, side: int, hex: int) -> bool:
    """Whether the units adjacent to a hex could reach 10-1 with all shifts, if each could attack; a quick test before
    the sheet."""
    flags, where = g.state.flags, g.state.where
    least = sum(
        [
            -(-defence(g, unit) // 2) if flags[unit] & (DISRUPTED | TRANSPORTED) else defence(g, unit)
            for unit in combat_units(g, 1 - side, hex)
            if not BRACKETED[unit] and not flags[unit] & FULL_RETREAT
        ]
    )
    power = sum([attack(g, unit) * (2 if downhill(where[unit], hex) else 1) for unit in beside(g, side, hex)])
    most: int = LIMITS["defence"]
    return power >= min(least, most) * (OVERWHELMING - MOST_SHIFT)


def why_not(g: G, side: int, hex: int) -> Refusal | None:
    """Return why a side cannot declare an Automatic DS against a hex (8.9.1)."""
    label = BOARD.name(hex)
    if hex >= HEXES:
        return Refusal(f"No Automatic DS against {label}: no combat in off map boxes", "6.2", label)
    if not combat_units(g, 1 - side, hex):
        return Refusal(f"No Automatic DS against {label}: no enemy combat unit is there", "8.9.1", label)
    units = able(g, side, hex)
    if not units:
        near = beside(g, side, hex)
        refusal = near and (command.why_not_able(g, near[0]) or command.why_not_across(g, near[0], hex))
        return refusal or Refusal(f"No Automatic DS against {label}: none of your units is adjacent", "8.9.1", label)
    return why_not_declared(g, best(g, side, units, hex))


def able(g: G, side: int, hex: int) -> list[int]:
    """Return the units that can take part in an Automatic DS against a hex (8.1, 8.9.1)."""
    near = beside(g, side, hex)
    return [u for u in near if command.why_not_able(g, u) is None and command.why_not_across(g, u, hex) is None]


def best(g: G, side: int, units: Sequence[int], hex: int) -> Attack:
    """Return the attack with the best odds that units may make together, without those of over-full hexes: another
    choice than the strongest may bring better tanks or Elite Combined Arms (4.4.1, 8.4, 8.9.1)."""
    units = [unit for unit in units if not stacking.excess(g, side, g.state.where[unit])] or units
    attacks = [Attack(side, tuple(chosen), hex) for chosen in command.choices(g, side, units)]
    if len(attacks) == 1:
        return attacks[0]
    return max(attacks, key=lambda one: sheet.sheet(g, one._replace(supplied=True)).level)


def why_not_declared(g: G, battle: Attack) -> Refusal | None:
    """Return why units do not make an Automatic DS: they may not attack together, their hexes are overstacked, or the
    odds are below 10-1 (4.4.1, 8.4, 8.9.1)."""
    label = BOARD.name(battle.hex)
    if not battle.units:
        return Refusal(f"The Automatic DS against {label} has no units: add one", "8.9.1", label)
    refusal = command.why_not_together(g, battle.side, battle.units)
    if refusal is not None:
        return refusal
    for hex in sorted({g.state.where[unit] for unit in battle.units}):
        if stacking.excess(g, battle.side, hex):
            return Refusal(f"{BOARD.name(hex)} exceeds the stacking limit", "4.4.1", BOARD.name(hex))
    found = sheet.sheet(g, battle._replace(supplied=True))
    if not found.overwhelming:
        odds = sheet.head(found.level)
        return Refusal(f"No Automatic DS against {label}: {odds}, not {OVERWHELMING}-1", "8.9.1", label)
    return None


def fewest(g: G, battle: Attack) -> list[int]:
    """Return the units needed for 10-1, without unnecessary ones, the weakest first."""
    units = list(battle.units)
    for unit in sorted(battle.units, key=lambda unit: attack(g, unit)):
        rest = [other for other in units if other != unit]
        if why_not_declared(g, battle._replace(units=tuple(rest))) is None:
            units = rest
    return units


def declare(g: G, side: int, hex: int) -> Procedure:
    """The phasing player chooses the units of an Automatic DS; the defenders lose a step and retreat four hexes at
    once, and the units may not move or attack any more in this player turn (8.9.1)."""
    done, cancel = g.rules.button("done"), g.rules.button("cancel")
    pool = able(g, side, hex)
    units = fewest(g, best(g, side, pool, hex))
    while True:
        refusal = why_not_declared(g, Attack(side, tuple(units), hex))
        click = yield g.ask(
            side, "combat.automatic.units",
            f"Automatic DS at 10-1 against {BOARD.name(hex)}: add or remove units, then declare it", "8.9.1",
            units=pool, buttons=[cancel] if refusal else [done, cancel], blocked=[done] if refusal else [],
            about=units, why_not=partial(why_not_chosen, side=side, hex=hex),
        )  # fmt: skip
        if click == cancel:
            return
        if click == done:
            break
        units = [unit for unit in units if unit != click] if click in units else [*units, click]
    yield from shatter(g, Attack(side, tuple(units), hex, supplied=True))


def why_not_chosen(g: G, decision: Decision, click: int, side: int, hex: int) -> Refusal | None:
    """Return why a unit cannot take part in an Automatic DS, or it cannot be declared (8.9.1)."""
    if click >= g.rules.first_button:
        battle = Attack(side, tuple(decision.about), hex)
        return why_not_declared(g, battle) if g.rules.names[click] == "done" else None
    if not g.is_unit(click):
        return None
    if SIDE[click] != side:
        return Refusal(f"{name(click)} is an enemy unit: choose your own", "8.9.1", name(click))
    return command.why_not_able(g, click) or command.why_not_across(g, click, hex)


def shatter(g: G, battle: Attack) -> Procedure:
    """The defenders suffer a DS; the units that made it are marked, with the number of an earlier one against the same
    hex if there was one, because they advance together (8.9.1, 8.9.2)."""
    state = g.state
    g.log("8.9.1", "Automatic DS against {hex} by {units}", hex=battle.hex, units=names(battle.units))
    number = state.auto_hexes.get(battle.hex) or 1 + max(state.auto_hexes.values(), default=0)
    state.auto_hexes[battle.hex] = number
    state.fought = 1
    for unit in battle.units:
        state.auto[unit] = number
        state.flags[unit] |= FINISHED
    yield from resolution.apply(g, battle, sheet.sheet(g, battle), SHATTERED)
    for unit in FORCES[1 - battle.side]:  # it is not a retreat in a Combat Phase (12.3)
        if state.flags[unit] & RETREATED:
            state.flags[unit] &= ~RETREATED


def advances(g: G, side: int) -> Procedure:
    """After all combats the units of each Automatic DS advance at their full rate, one stack of each with Breakthrough Combat
    (8.5.3, 8.9.2)."""
    state = g.state
    for hex, number in sorted(state.auto_hexes.items(), key=lambda entry: entry[1]):
        units = [unit for unit in FORCES[side] if state.auto[unit] == number and on_map(g, unit)]
        yield from advance_from(g, side, advance.participants(g, units), hex)
        for unit in units:
            state.auto[unit] = 0
    state.auto_hexes.clear()


def advance_from(g: G, side: int, units: Sequence[int], hex: int) -> Procedure:
    """The advance of the units of one Automatic DS (8.9.2)."""
    more = advance.tag_along(g, side, units)
    pursuit = Pursuit(g, side, [*units, *more], hex, SHATTERED.advance, overwhelming=True)
    yield from breakthrough.breakthrough(g, pursuit)
    yield from advance.advance(g, pursuit)
