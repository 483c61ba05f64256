"""Fuel (OCS 11.4): truck and track combat units need it to move; a token per unit and phase, a SP for a division or a
headquarters until the next Clean Up."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.tunisia import supply
from khamsin.games.tunisia.supply import Source
from khamsin.games.tunisia.units import (
    BOARD,
    COMBATANT,
    DIVISION,
    DIVISIONS,
    FUEL,
    FUELLED,
    IS_HQ,
    LEG,
    MOBILITY,
    MOVE,
    SUPPLY,
    G,
    name,
    on_map,
    tell,
    tokens,
    whom,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Refusal

UNIT: int = SUPPLY["fuel"]["unit"]
LASTING: int = SUPPLY["fuel"]["division"]


def burns(unit: int, flags: int) -> bool:
    """Whether a unit needs fuel to spend MPs on the face that shows: truck or track combat units do (OCS 6(4))."""
    return COMBATANT[unit] and MOBILITY[unit][int(bool(flags & MOVE))] != LEG


def has_fuel(g: G, side: int, unit: int) -> bool:
    """Whether a unit is fuelled: for the phase, with its division, or by a fuelled headquarters (OCS 11.4)."""
    return bool(g.state.flags[unit] & (FUEL | FUELLED)) or fuelled_by(g, side, unit) != NOWHERE


def fuelled_by(g: G, side: int, unit: int) -> int:
    """Return the fuelled headquarters in whose throw range an independent unit begins to move, or NOWHERE. A
    headquarters throws fuel from one hex in a phase (OCS 11.4, OCS 21)."""
    if DIVISION[unit] or not on_map(g, unit):
        return NOWHERE
    hex, where = g.state.where[unit], g.state.where
    for hq in supply.throwing(g, side, (unit,)):
        stays = g.state.todo.get(name(hq), where[hq]) == where[hq]
        if g.state.flags[hq] & FUEL and stays and supply.thrown(g, hq, side)[hex]:
            return hq
    return NOWHERE


def needed(g: G, side: int, units: Sequence[int], flags: Sequence[int]) -> list[int]:
    """Return the units that must be fuelled before they move in the modes given."""
    return [unit for unit, mode in zip(units, flags, strict=True) if burns(unit, mode) and not has_fuel(g, side, unit)]


Known = dict[tuple[int, ...], Refusal | None]
"""Units that need fuel -> why they cannot be fuelled."""


def why_not(g: G, side: int, units: Sequence[int], flags: Sequence[int], known: Known | None = None) -> Refusal | None:
    """Return why a stack cannot be fuelled unit by unit (OCS 11.4)."""
    thirsty = tuple(needed(g, side, units, flags))
    if not thirsty:
        return None
    if known is not None and thirsty in known:
        return known[thirsty]
    fed = len(supply.allot(g, side, thirsty)) if len(thirsty) > 1 else int(supply.has_token(g, side, thirsty[0]))
    dry = None
    if fed < len(thirsty):
        text = f"costs {tokens(UNIT * len(thirsty))}, {tokens(UNIT * fed)} within reach"
        dry = Refusal(f"{whom(units)} cannot be fuelled: {text}", "OCS 11.4", BOARD.name(g.state.where[units[0]]))
    if known is not None:
        known[thirsty] = dry
    return dry


def fuel(g: G, side: int, units: Sequence[int], flags: Sequence[int]) -> None:
    """Fuel units that begin to move for this phase, a token each, by the modes in which they will move; a fuelled
    headquarters supplies independent ones free, and from now on only from its hex (OCS 11.4)."""
    for unit, mode in zip(units, flags, strict=True):
        if burns(unit, mode) and not g.state.flags[unit] & (FUEL | FUELLED):
            hq = fuelled_by(g, side, unit)
            if hq != NOWHERE:
                g.state.flags[unit] |= FUELLED
                g.state.todo[name(hq)] = g.state.where[hq]
    thirsty = needed(g, side, units, flags)
    if thirsty:
        supply.pay_each(g, side, supply.allot(g, side, thirsty), f"fuel of {whom(thirsty)}", "OCS 11.4")
    for unit in thirsty:
        g.state.flags[unit] |= FUELLED


def left_over(g: G, side: int, thirsty: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return what the sources that fuel units have left afterwards, by location (OCS 11.4)."""
    left = dict[tuple[int, int], int]()
    supply.allot(g, side, thirsty, left)
    return left


def group_of(unit: int) -> tuple[int, ...]:
    """Return the units that a SP of fuel supplies: the division of a unit, or a headquarters itself (OCS 11.4)."""
    return DIVISIONS[DIVISION[unit]] if DIVISION[unit] else (unit,) if IS_HQ[unit] else ()


def served(g: G, side: int, unit: int, way: Sequence[Source]) -> list[int]:
    """Return the units of the division that the headquarters or dump of a way fuels together with a unit (OCS 11.4)."""
    first = way[0]
    others = [one for one in group_of(unit) if on_map(g, one)]
    if first.via != NOWHERE:
        field = supply.thrown(g, first.via, side)
        return [one for one in others if field[g.state.where[one]]]
    return [one for one in others if supply.drawn(g, side, g.state.where[one])[first.hex]]


def best_way(g: G, side: int, unit: int) -> list[Source]:
    """Return the headquarters or dump that can give a SP for the division of a unit and supplies most of it; none if
    there is none (OCS 11.4)."""
    ways = [way for way in supply.common(g, side, [g.state.where[unit]], (unit,)) if supply.content(way) >= LASTING]
    return max(ways, key=lambda way: len(served(g, side, unit, way)), default=[])


def reached(g: G, side: int, unit: int) -> list[int]:
    """Return the units that a SP of fuel for a division or headquarters supplies (OCS 11.4)."""
    way = best_way(g, side, unit)
    return served(g, side, unit, way) if way else []


def why_not_lasting(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why a SP of fuel cannot be spent on the division of a stack, or on its headquarters: one headquarters or
    dump must give all of it (OCS 11.4)."""
    who = next((unit for unit in units if group_of(unit)), None)
    if who is None:
        why = "only divisions and headquarters are, other units when they move"
        return Refusal(f"{whom(units)} cannot be fuelled until Clean Up: {why}", "OCS 11.4", name(units[0]))
    if g.state.flags[who] & FUEL:
        return Refusal(f"{name(who)} has fuel until the next Clean Up", "OCS 11.4", name(who))
    if best_way(g, side, who):
        return None
    most = supply.most_common(g, side, [g.state.where[who]], (who,))
    text = f"costs {tokens(LASTING)}, at most {tokens(most)} from one headquarters or dump"
    return Refusal(f"{name(who)} cannot be fuelled: {text}", "OCS 11.4", BOARD.name(g.state.where[who]))


def fuel_lasting(g: G, side: int, units: Sequence[int]) -> None:
    """A division or a headquarters is fuelled until the next Clean Up for a SP (OCS 11.4)."""
    who = next(unit for unit in units if group_of(unit))
    way = best_way(g, side, who)
    fed = served(g, side, who, way)
    what = DIVISION[who] or name(who)
    supply.pay_by(g, side, way, LASTING, f"fuel of {what}", "OCS 11.4")
    for unit in fed:
        g.state.flags[unit] |= FUEL
    tell(g, side, "OCS 11.4", "{what} has fuel until the next Clean Up: {number} units for {cost}", what=what,
         number=len(fed), cost=tokens(LASTING))  # fmt: skip
