"""What a Movement Phase needs besides moves of units: off-map boxes, convoys, trucks, Fortifications and purchases."""

from __future__ import annotations

from typing import Any

from khamsin.games.na41 import convoys, movement
from khamsin.games.na41.convoys import Convoy
from khamsin.games.na41.units import (
    AXIS,
    BOARD,
    COMBAT,
    EDGE_BOX,
    FORCES,
    ITALY,
    MSU,
    TRIPOLI,
    TRUCK,
    G,
    mechanized,
    name,
    others,
    pieces_in,
)
from khamsin.kernel.flood import FAR
from khamsin.kernel.rules import Decision
from khamsin.players.scripted import Order

MOST_ERRANDS = 60
"""The most errands of a phase."""


def errand(g: G, side: int, decision: Decision, plan: Any) -> Order | None:
    """The next errand, None when there is nothing left to do."""
    if plan.errands >= MOST_ERRANDS:
        return None
    plan.errands += 1
    return sail(g, side, decision) or leave_box(g, side, decision, plan)


def sail(g: G, side: int, decision: Decision) -> Order | None:
    """The convoy from Italy takes all it can: units first, then Supply Points."""
    button = g.rules.button("ship")
    if side != AXIS or button not in decision.legal or ITALY not in convoys.routes(g, side):
        return None
    convoy = Convoy(side, ITALY, TRIPOLI)
    cargo: list[int] = []
    for unit in sorted(pieces_in(g, side, ITALY), key=lambda unit: (not COMBAT[unit], not TRUCK[unit], unit)):
        if convoys.why_not_shipped(g, unit, convoy) is None:
            convoy = convoy._replace(units=(*convoy.units, unit))
            cargo.append(unit)
    while convoys.why_no_point(g, convoy) is None:
        convoy = convoy._replace(points=convoy.points + 1)
        cargo.append(g.place0 + ITALY)
    if not cargo:
        return None
    return Order((button, g.place0 + ITALY, *cargo, g.rules.button("sail")), "the convoy sails from Italy")


def leave_box(g: G, side: int, decision: Decision, plan: Any) -> Order | None:
    """Units in the box at the map edge go forward, those on foot by truck."""
    box = EDGE_BOX[side]
    trucks = [u for u in others(g, side, box) if TRUCK[u] and not g.state.flags[u] & MSU and u in decision.legal]
    for unit in FORCES[side]:
        if g.state.where[unit] != box or unit not in decision.legal or not movement.can_move(g, side, unit):
            continue
        party = (unit,) if mechanized(g, unit) else (trucks[0], unit) if trucks else ()
        if not party or party in plan.tried:
            continue
        plan.tried.add(party)
        hex = forward(g, side, party, plan)
        if hex is not None:
            return Order((*party, g.place0 + hex), f"{name(unit)} moves to {BOARD.name(hex)}")
    return None


def forward(g: G, side: int, party: tuple[int, ...], plan: Any) -> int | None:
    """The hex that a party can reach which is nearest to the most valuable goal."""
    theatre = plan.board.theatre
    costs = theatre.costs(g, side, party)
    goals = [goal for goal in plan.goals if goal.worth >= plan.board.weights["stays"]]
    if not goals:
        return None
    best: tuple[float, int] | None = None
    pulls = []
    for goal in goals:
        far, allowance = theatre.march(g, side, party[0], goal.hex)
        pulls.append((goal.worth, far, allowance))
    for hex in (costs != FAR).nonzero()[0].tolist():
        merit = max(
            [worth * 0.9 ** (far[hex] / allowance) for worth, far, allowance in pulls if far[hex] != FAR], default=0.0
        )
        if best is None or merit > best[0]:
            best = merit, hex
    return best[1] if best else None
