"""Overrun (11.4): a stack that is sure to destroy what stands before it moves through."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.paa import differential, losses, movement, reliability
from khamsin.games.paa.ground import OPEN_SIDES, OVERRUN, OVERRUN_SHAKEN, step_cost
from khamsin.games.paa.supply import BOUND, MOBILE, attack_supply, lines
from khamsin.games.paa.units import (
    ALL,
    BOARD,
    DEPOT,
    DISMOUNTED,
    HEXES,
    LORRY,
    MF,
    OOC,
    OOS,
    REGULAR,
    REGULARS,
    SHIPPED,
    SPAN,
    STOPPED,
    G,
    cf,
)  # fmt: skip
from khamsin.games.paa.zones import FORTS
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import FAR
from khamsin.kernel.rules import Procedure

CERTAIN = 3
"""The least differential that destroys anything on every roll (12.4.3)."""


def possible(g: G, side: int, unit: int) -> bool:
    """Whether a stopped unit, with those that may go with it, has anything to overrun (11.4)."""
    state = g.state
    where = state.where
    here = where[unit]
    near = [u for u in MOBILE[1 - side] if where[u] in OPEN_SIDES[here]]
    idle = OOS | OOC | DISMOUNTED | SHIPPED
    mates = [
        u
        for u in REGULARS[side]
        if where[u] == here and state.origin[u] == state.origin[unit] and not state.flags[u] & idle
    ]
    # Even in attack supply and against defenders out of supply nothing below a differential of 3 is certain (Table 9).
    strength = sum([cf(g, u) for u in mates]) - CERTAIN
    if not any(2 * strength >= sum([cf(g, d) for d in near if where[d] == hex]) for hex in {where[u] for u in near}):
        return False
    return bool(targets(g, side, mates)) or bool(targets(g, side, [unit]))


def targets(g: G, side: int, group: Sequence[int]) -> dict[int, int]:
    """The enemy hexes a group can overrun from where it stands, with what it costs (11.4)."""
    state = g.state
    here = state.where[group[0]]
    near = set(OPEN_SIDES[here]).intersection(state.where[SPAN[1 - side]])
    near &= {state.where[u] for u in MOBILE[1 - side]} if near else set()
    if not near or any(state.origin[u] != state.origin[group[0]] for u in group) or zones_on(g, side, here) > 1:
        return {}
    left = min(MF[u] - state.spent[u] for u in group)
    prices = {hex: price(g, side, here, hex) for hex in sorted(near) if hex not in FORTS}
    return {hex: cost for hex, cost in prices.items() if cost <= left and certain(g, side, group, hex)}


def price(g: G, side: int, here: int, hex: int) -> int:
    """What moving into the enemy's hex costs (11.4, 15.2)."""
    defenders = [u for u in REGULARS[1 - side] if g.state.where[u] == hex]
    extra = OVERRUN_SHAKEN if reliability.cheap_to_overrun(g, defenders) else OVERRUN
    return step_cost(here, BOARD.direction(here, hex)) + extra


def zones_on(g: G, side: int, hex: int) -> int:
    """From how many hexes the enemy's zones reach a hex (11.4)."""
    where = g.state.where
    return len({where[u] for u in REGULARS[1 - side] if 0 <= where[u] < HEXES and where[u] in OPEN_SIDES[hex]})


def certain(g: G, side: int, group: Sequence[int], hex: int) -> bool:
    """Whether even the worst roll destroys every defender (11.4)."""
    state = g.state
    defenders = [u for u in REGULARS[1 - side] if state.where[u] == hex]
    at_stake = sum(cf(g, u) for u in defenders) or 1
    supply = fed(g, side, state.where[group[0]])
    sheet = differential.attack(g, group, [hex], lambda unit: supply)
    if not sheet.permitted:
        return False
    if any(BOUND[u] for u in group) and not supplied_beyond(g, side, group, hex):
        return False
    table = g.table("crt")
    return int(table.least(table.column(sheet.differential))) >= at_stake


def supplied_beyond(g: G, side: int, group: Sequence[int], hex: int) -> bool:
    """Whether a stack would be in supply in the hex once its defenders are gone (8.4.1-2)."""
    where = g.state.where
    defenders = [u for u in ALL[1 - side] if where[u] == hex and not DEPOT[u]]
    for unit in defenders:
        where[unit] = NOWHERE
    reached = lines(g, side, without=group, also_in=hex).reach(hex)
    for unit in defenders:
        where[unit] = hex
    return reached


def fed(g: G, side: int, hex: int) -> int:
    """What a stack overruns with, in halves of its CF: attack supply whole, general supply half, never maximum (11.4)."""
    near = attack_supply(g, side)[hex] != FAR
    return differential.ATTACK_SUPPLY if near else differential.GENERAL_SUPPLY


def overrun(g: G, side: int, group: Sequence[int], hex: int) -> Procedure:
    """The defenders are eliminated, may counter-attack at 0, and the stack moves in (11.4)."""
    state = g.state
    here = state.where[group[0]]
    cost = price(g, side, here, hex)
    defenders = [u for u in ALL[1 - side] if state.where[u] == hex and REGULAR[u]]
    lorries = [u for u in ALL[1 - side] if state.where[u] == hex and LORRY[u]]
    g.log("11.4", "{side} overruns {hex}", side=side, hex=hex)
    losses.eliminate(g, defenders)
    for lorry in lorries:
        losses.eliminate_lorry(g, lorry)
    yes, no = g.rules.button("yes"), g.rules.button("no")
    answer = yield g.ask(1 - side, f"Counter-attack the overrun of {BOARD.name(hex)}?", "11.4", buttons=[yes, no])
    if answer == yes:
        table = g.table("crt")
        lost = int(table.roll(g.dice, table.column(0), purpose="counter-attack"))
        yield from losses.choose(g, side, list(group), lost, "11.4")
    left = [u for u in group if state.where[u] == here]
    for unit in left:
        state.spent[unit] += cost
        state.flags[unit] &= ~STOPPED
    if left:
        movement.arrive(g, side, left, hex, [hex])
