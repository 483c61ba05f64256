"""Overrun (11.4): a stack that is certain to eliminate the enemies in a hex moves through it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from khamsin.games.paa import differential, losses, malta, movement, reliability
from khamsin.games.paa.ground import OPEN_SIDES, OVERRUN, OVERRUN_SHAKEN, UNIT_NET
from khamsin.games.paa.stacking import regulars, strength
from khamsin.games.paa.supply import BOUND_BY, attack_supply, stranded_by_overrun
from khamsin.games.paa.units import (
    ALL,
    AXIS,
    BOARD,
    DEPOT,
    DISMOUNTED,
    LIBYA,
    LORRY,
    MF,
    OOC,
    OOS,
    REGULAR,
    SHIPPED,
    STOPPED,
    G,
    cf,
    listed,
    name,
    whom,
)  # fmt: skip
from khamsin.games.paa.zones import FORTS as FORT_HEXES
from khamsin.games.paa.zones import ZONES, front
from khamsin.kernel.flood import FAR, NEVER
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.kernel.tables import Table
from khamsin.mechanics import overrun as overruns

FORTS = frozenset(FORT_HEXES)


def possible(g: G, side: int, unit: int) -> bool:
    """Whether a stopped unit, alone or with others that may join it, can overrun a hex (11.4)."""
    if not neighbours(g, side, g.state.where[unit]):
        return False
    mates = companions(g, unit)
    stacks = [[unit, *some] for number in range(len(mates), -1, -1) for some in combinations(mates, number)]
    return strong_enough(g, side, stacks[0]) and any(targets(g, side, stack) for stack in stacks)


def strong_enough(g: G, side: int, group: Sequence[int]) -> bool:
    """Whether a stack could certainly eliminate an adjacent enemy, in attack supply and against defenders out of supply
    (11.4)."""
    near = neighbours(g, side, g.state.where[group[0]])
    return any(could_destroy(g, group, strength(g, 1 - side, hex)) for hex in near)


def could_destroy(g: G, group: Sequence[int], at_stake: int) -> bool:
    """Whether the best differential of a stack eliminates this many CF on any roll: in attack supply, the defenders
    halved (11.4, 12.4.2)."""
    attack = sum([cf(g, unit) for unit in group]) * differential.ATTACK_SUPPLY
    halved = differential.UNSUPPLIED
    best = (attack - 2 * at_stake * halved.over // halved.under) // 2
    return best >= 0 and _sure_loss(g.table("crt"), best) >= (at_stake or 1)


def companions(g: G, unit: int) -> list[int]:
    """Return the units that may join one: in its hex, able to move, and from the hex it began in (11.4)."""
    state, origin = g.state, g.state.origin[unit]
    idle = OOS | OOC | DISMOUNTED | SHIPPED
    return [
        u
        for u in g.units_in(state.where[unit])
        if u != unit and REGULAR[u] and state.origin[u] == origin and not state.flags[u] & idle
    ]


def neighbours(g: G, side: int, hex: int) -> frozenset[int]:
    """Return the adjacent hexes with enemy units or lorries, except forts (11.4)."""
    near = front(g, 1 - side).barred.intersection(OPEN_SIDES[hex])
    return near - FORTS if near else near


def targets(g: G, side: int, group: Sequence[int]) -> dict[int, int]:
    """Return the enemy hexes a stack can overrun from its hex, with the cost (11.4)."""
    near = neighbours(g, side, g.state.where[group[0]])
    if not near:
        return {}
    return {hex: price(g, side, group, hex) for hex in sorted(near) if why_not(g, side, group, hex) is None}


def why_not(g: G, side: int, group: Sequence[int], hex: int) -> Refusal | None:
    """Return why a stack cannot overrun an enemy hex; None if it can (11.4)."""
    state = g.state
    here, label = state.where[group[0]], BOARD.name(hex)
    cannot = f"{whom(group)} cannot enter {label}"
    if not all(REGULAR[u] for u in group):
        return Refusal(
            f"{cannot}: occupied by {listed(enemies(g, side, hex))}, and only regular units overrun", "11.4", label
        )
    if hex in FORTS:
        return Refusal(
            f"{cannot}: occupied by {listed(enemies(g, side, hex))}, and a fort cannot be overrun", "11.4", label
        )
    if hex not in OPEN_SIDES[here]:
        where = f"occupied by {listed(enemies(g, side, hex))}, and only an adjacent hex can be overrun"
        return Refusal(f"{cannot}: {where}", "11.4", label)
    cannot = f"{whom(group)} cannot overrun {listed(enemies(g, side, hex))} in {label}"
    refusal = differential.why_not_this_turn(g, side)
    if refusal is not None:
        return refusal._replace(cause=label)
    refusal = overruns.why_not_together(g, cannot, group, "11.4")
    if refusal is not None:
        return refusal
    if zones_on(g, side, here) > 1:
        return Refusal(f"{cannot}: {BOARD.name(here)} is in the ZOCs of two enemy hexes", "11.4", BOARD.name(here))
    cost = price(g, side, group, hex)
    if cost == NEVER:
        return Refusal(f"{cannot}: no Axis unit may cross into Egypt in the turn of the attempt on Malta", "9", label)
    left = min(MF[u] - state.spent[u] for u in group)
    refusal = overruns.why_not_paid(cannot, cost, left, "11.4", label, points="MF") or next(
        filter(None, (reliability.why_not_reliable(g, u) for u in group)), None
    )
    if refusal is not None:
        return refusal
    if not certain(g, side, group, hex):
        return Refusal(f"{cannot}: a bad roll would leave defenders", "11.4", label)
    lost = stranded_by_overrun(g, side, group, hex)
    if lost:
        return Refusal(f"{cannot}: {name(lost[0])} would be out of supply", BOUND_BY[side], name(lost[0]))
    return None


def enemies(g: G, side: int, hex: int) -> list[int]:
    """Return the enemy units and lorries in a hex, for refusals."""
    return [u for u in sorted(g.state.where.stacks(1 - side).get(hex, ())) if not DEPOT[u]]


def price(g: G, side: int, group: Sequence[int], hex: int) -> int:
    """Return the cost of entering the enemy's hex for the unit that pays most, or NEVER (9, 11.1.2, 11.4, 15.2)."""
    here, defenders = g.state.where[group[0]], regulars(g, 1 - side, hex)
    if side == AXIS and here in LIBYA and hex not in LIBYA and malta.border_closed(g):
        return NEVER
    extra = OVERRUN_SHAKEN if reliability.cheap_to_overrun(g, defenders) else OVERRUN
    direction = BOARD.direction(here, hex)
    step = max(int(UNIT_NET.costs[movement.start_node(g, unit), direction]) for unit in group)
    return NEVER if step == NEVER else step + extra


def zones_on(g: G, side: int, hex: int) -> int:
    """Return the number of enemy hexes whose ZOC reaches a hex; a fort has one for either side (3, 11.4, 15.2)."""
    return len(ZONES.sources(g, 1 - side, hex))


def certain(g: G, side: int, group: Sequence[int], hex: int) -> bool:
    """Whether even the worst roll eliminates every defender (11.4)."""
    state = g.state
    at_stake = strength(g, 1 - side, hex) or 1
    if not could_destroy(g, group, at_stake):
        return False
    supply = fed(g, side, state.where[group[0]])
    sheet = differential.attack(g, group, [hex], lambda unit: supply)
    return sheet.permitted and _sure_loss(g.table("crt"), sheet.differential) >= at_stake


def _sure_loss(crt: Table, differential: int) -> int:
    """Return the CF that an attack at this differential eliminates on every roll (12.4.3)."""
    return int(crt.least(crt.column(differential)))


def fed(g: G, side: int, hex: int) -> int:
    """Return the supply of an overrunning stack, in halves of its CF: attack or general supply, never maximum (11.4)."""
    near = attack_supply(g, side)[hex] != FAR
    return differential.ATTACK_SUPPLY if near else differential.GENERAL_SUPPLY


def overrun(g: G, side: int, group: Sequence[int], hex: int) -> Procedure:
    """The defenders are eliminated, may counter-attack at 0, and the stack moves in (11.4)."""
    state = g.state
    here = state.where[group[0]]
    cost = price(g, side, group, hex)
    defenders = [u for u in ALL[1 - side] if state.where[u] == hex and REGULAR[u]]
    lorries = [u for u in ALL[1 - side] if state.where[u] == hex and LORRY[u]]
    g.log("11.4", "{side} overruns {hex}", side=side, hex=hex)
    losses.eliminate(g, defenders)
    for lorry in lorries:
        losses.eliminate_lorry(g, lorry)
    yes, no = g.rules.button("yes"), g.rules.button("no")
    answer = yield g.ask(
        1 - side,
        "overrun.counter",
        f"Counter-attack the overrun of {BOARD.name(hex)}?",
        "11.4",
        buttons=[yes, no],
        about=group,
        at=[hex],
    )
    if answer == yes:
        table = g.table("crt")
        lost = int(table.roll(g.dice, table.column(0), purpose="counter-attack"))
        yield from losses.choose(g, side, list(group), lost, "11.4")
    left = [u for u in group if state.where[u] == here]
    for unit in left:
        state.spent[unit] += cost
        state.flags[unit] &= ~STOPPED
    if left:
        step = UNIT_NET.targets[movement.start_node(g, left[0])]
        movement.arrive(g, side, left, hex, [hex], int(step[BOARD.direction(here, hex)]))
