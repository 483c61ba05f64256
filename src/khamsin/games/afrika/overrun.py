"""Overrun (SCS 6): a stack that moves attacks an adjacent enemy hex, and goes on if it empties it."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from khamsin.games.afrika import combat, control, movement, rommel, strength
from khamsin.games.afrika.ground import BY_ROAD_ONLY, OPEN_SIDES, OVERRUN_COST, hex_cost
from khamsin.games.afrika.stacking import LIMIT, POINTS
from khamsin.games.afrika.strength import Attack
from khamsin.games.afrika.units import (
    BOARD,
    FINISHED,
    GROUND,
    LED,
    MECH,
    MOVING,
    ZONED,
    G,
    forces_in,
    name,
    names,
    on_map,
)
from khamsin.kernel.rules import Decision, Refusal

CLOSED_TERRAIN = frozenset(GROUND["overrun_closed"]["terrain"])
CLOSED_TAGS = frozenset(GROUND["overrun_closed"]["tags"])


def targets(g: G, side: int, units: Sequence[int]) -> dict[int, int]:
    """The enemy hexes that a stack can overrun, each with its cost in halves of a MP (SCS 6.3)."""
    near = [hex for hex in OPEN_SIDES[g.state.where[units[0]]] if forces_in(g, 1 - side, hex)]
    return {hex: price(units, hex) for hex in near if why_not(g, side, units, hex) is None}


def price(units: Sequence[int], hex: int) -> int:
    """The cost of the hex without its road, for the unit that pays most, and 3 MPs more; its ZOCs cost nothing (SCS 6.3)."""
    return max([hex_cost(hex, GROUND["mech" if MECH[unit] else "leg"]) for unit in units]) + OVERRUN_COST


def why_not(g: G, side: int, units: Sequence[int], hex: int) -> Refusal | None:
    """Why a stack cannot overrun an enemy hex (1.16, 2.3, SCS 5.5, SCS 6.1-4)."""
    state, label = g.state, BOARD.name(hex)
    here, cannot = state.where[units[0]], f"{movement.whom(units)} cannot overrun {label}"
    if hex not in BOARD.around(here):
        return Refusal(f"{cannot}: not adjacent", "SCS 3.6", label)
    if hex not in OPEN_SIDES[here] or hex in BY_ROAD_ONLY[here]:
        return Refusal(f"{cannot}: an escarpment is between", "SCS 6.4", label)
    closed = [tag for tag in (BOARD.terrain_name(hex), *sorted(BOARD.tags[hex])) if tag in CLOSED_TERRAIN | CLOSED_TAGS]
    if closed:
        return Refusal(f"{cannot}: it is a {closed[0].replace('-', ' ')}", "SCS 6.4", label)
    apart = [unit for unit in units if state.origin[unit] != state.origin[units[0]]]
    if apart:
        return Refusal(f"{cannot}: {name(apart[0])} did not begin the phase in the same hex", "SCS 6.2", name(apart[0]))
    zoned = [unit for unit in units if state.flags[unit] & ZONED and not state.flags[unit] & LED]
    if zoned:
        return Refusal(f"{cannot}: {name(zoned[0])} began the phase in an enemy ZOC", "SCS 5.5", name(zoned[0]))
    cost, left = price(units, hex), movement.points_left(g, units)
    if cost > left:
        text = f"costs {movement.shown(cost)} MPs, {movement.shown(left)} left"
        return Refusal(f"{cannot}: {text}", "SCS 6.3", label)
    if POINTS.size(units) > LIMIT:
        return Refusal(f"{cannot}: the stack would exceed the stacking limit there", "SCS 6.6", label)
    return strength.why_not_odds(g, Attack(side, tuple(units), hex))


def overrun(g: G, side: int, units: Sequence[int], hex: int) -> Generator[Decision, int, None]:
    """A stack pays and attacks alone. If the hex is emptied all survivors enter it and may go on; if not, their move is over,
    so that a stack overruns a hex once (SCS 6.5, SCS 6.6, SCS 6.7, SCS 6.8)."""
    state, start, cost = g.state, g.state.where[units[0]], price(units, hex)
    g.log("SCS 6.5", "{units} overrun {hex} for {cost} MPs", units=names(units), hex=hex, cost=movement.shown(cost))
    for unit in units:
        state.spent[unit] += cost
    thrown_back = yield from combat.resolve(g, side, units, hex)
    alive = [unit for unit in units if on_map(g, unit)]
    if alive and not thrown_back and not forces_in(g, 1 - side, hex):
        yield from control.enter(g, side, alive, hex)
        rommel.follow(g, start, hex)
        return
    for unit in alive:
        state.flags[unit] = state.flags[unit] & ~MOVING | FINISHED
