"""Overrun (SCS 6): a moving stack attacks an adjacent enemy hex, and may continue if it clears it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from khamsin.games.afrika import combat, control, rommel, strength
from khamsin.games.afrika.allowance import left_of, shown, whom
from khamsin.games.afrika.ground import BY_ROAD_ONLY, OPEN_SIDES, OVERRUN_COST, hex_cost
from khamsin.games.afrika.stacking import POINTS
from khamsin.games.afrika.units import (
    BOARD,
    FINISHED,
    GROUND,
    LED,
    MECH,
    MOVING,
    ZONED,
    Attack,
    G,
    name,
    names,
)
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics import overrun as overruns

CLOSED_TERRAIN = frozenset(GROUND["overrun_closed"]["terrain"])
CLOSED_TAGS = frozenset(GROUND["overrun_closed"]["tags"])


def targets(g: G, side: int, units: Sequence[int], among: Collection[int] | None = None) -> dict[int, int]:
    """Return the enemy hexes that a stack can overrun, all or among some, each with its cost in halves of a MP
    (SCS 6.3)."""
    around = [hex for hex in OPEN_SIDES[g.state.where[units[0]]] if among is None or hex in among]
    return overruns.targets(g, side, around, partial(why_not, g, side, units), partial(price, units))


def own_price(unit: int, hex: int) -> int:
    """Return the cost of the hex without its road, and 3 MPs more; its ZOCs cost nothing (SCS 6.3, SCS 12.4)."""
    return hex_cost(hex, GROUND["mech" if MECH[unit] else "leg"]) + OVERRUN_COST


def price(units: Sequence[int], hex: int) -> int:
    """Return the highest cost of a stack's units."""
    return max([own_price(unit, hex) for unit in units])


def closing(hex: int) -> list[str]:
    """Return the terrain and works that close a hex to overruns (SCS 6.4)."""
    return [tag for tag in (BOARD.terrain_name(hex), *sorted(BOARD.tags[hex])) if tag in CLOSED_TERRAIN | CLOSED_TAGS]


def began_in_zone(g: G, unit: int) -> bool:
    """Whether a unit began the phase in an enemy ZOC without Rommel (2.3, SCS 5.5)."""
    return bool(g.state.flags[unit] & ZONED and not g.state.flags[unit] & LED)


def why_not(g: G, side: int, units: Sequence[int], hex: int) -> Refusal | None:
    """Return why a stack cannot overrun an enemy hex; friendly units in its own hex count for stacking at that moment
    (1.16, 2.3, SCS 4.2, SCS 5.5, SCS 6.1-4, SCS 6.6)."""
    state, label = g.state, BOARD.name(hex)
    here, cannot = state.where[units[0]], f"{whom(units)} cannot overrun {label}"
    refusal = overruns.why_not_adjacent(g, cannot, hex, BOARD.around(here), "SCS 3.6")
    if refusal is not None:
        return refusal
    if hex not in OPEN_SIDES[here] or hex in BY_ROAD_ONLY[here]:
        return Refusal(f"{cannot}: an escarpment is between", "SCS 6.4", label)
    closed = closing(hex)
    if closed:
        return Refusal(f"{cannot}: it is a {closed[0].replace('-', ' ')}", "SCS 6.4", label)
    refusal = overruns.why_not_together(g, cannot, units, "SCS 6.2")
    if refusal is not None:
        return refusal
    zoned = [unit for unit in units if began_in_zone(g, unit)]
    if zoned:
        return Refusal(f"{cannot}: {name(zoned[0])} began the phase in an enemy ZOC", "SCS 5.5", name(zoned[0]))
    for unit in units:
        cost, left = own_price(unit, hex), left_of(g, unit)
        refusal = overruns.why_not_paid(cannot, cost, left, "SCS 6.3", name(unit), shown)
        if refusal is not None:
            return refusal
    if POINTS.room(g, side, here) < 0:
        return Refusal(f"{cannot}: too many units are in {BOARD.name(here)}", "SCS 6.6", BOARD.name(here))
    return strength.why_not_odds(g, Attack(side, tuple(units), hex))


def overrun(g: G, side: int, units: Sequence[int], hex: int) -> Procedure:
    """A stack pays and attacks alone. If it clears the hex all survivors enter it and may continue; if not, their move
    is over, so that a stack overruns a hex once (SCS 6.5, SCS 6.6, SCS 6.7, SCS 6.8)."""
    state, start = g.state, g.state.where[units[0]]
    cost = shown(price(units, hex))
    g.log("SCS 6.5", "{units} {units:overruns|overrun} {hex} for {cost} MPs", units=names(units), hex=hex, cost=cost)
    for unit in units:
        state.spent[unit] += own_price(unit, hex)
    fought = yield from overruns.fight(g, side, units, hex, combat.resolve(g, side, units, hex))
    if fought.enters:
        yield from control.enter(g, side, fought.alive, hex)
        yield from rommel.accompany(g, start, hex)
        return
    for unit in fought.alive:
        state.flags[unit] = state.flags[unit] & ~MOVING | FINISHED
