"""How good a position is, for the planner: what the victory calculation would make of it, and what may still change (14.1)."""

from __future__ import annotations

from math import log

from khamsin.games.paa import victory
from khamsin.games.paa.units import ALLIED, AXIS, CADRE, HEXES, REGULARS, SIDES, TOBRUK, G, cf
from khamsin.players.paa.country import NEAREST, ROAD
from khamsin.players.paa.weights import SCORE, SIEGE


def judge(g: G) -> float:
    """How good things are for the Axis, about in levels of victory."""
    ratio = log(power(g, AXIS) / power(g, ALLIED))
    if g.state.result is not None:
        return SCORE["win"] * won(g) + SCORE["margin"] * ratio
    return SCORE["ratio"] * ratio + promotion(g) + SCORE["mile"] * front_mile(g) / len(ROAD)


def won(g: G) -> float:
    """Whether the Axis has won (1), or lost (-1), a game that is over; a higher level counts somewhat more."""
    result = g.state.result
    assert result is not None
    if result.winner < 0:
        return 0.0
    steps = abs(victory.LADDER.index(f"{SIDES[result.winner]} {result.level}") - victory.LADDER.index(victory.DRAW))
    return (1.0 + SCORE["level"] * (steps - 1)) * (1 if result.winner == AXIS else -1)


def power(g: G, side: int) -> float:
    """The strength of a side by what it may yet count for: whole in supply, less out of it, little in the Cadre."""
    fed = victory.strength(g, side)
    there = sum(cf(g, u) for u in REGULARS[side] if 0 <= g.state.where[u] < HEXES)
    lost = sum(cf(g, u) for u in REGULARS[side] if g.state.where[u] == CADRE[side])
    total = fed + SCORE["cut_off"] * (there - fed) + SCORE["cadre"] * lost - victory.penalty(g, side)
    return max(total, 0.0) + SCORE["reserve"]


def promotion(g: G) -> float:
    """What Tobruk is worth to the Axis: a level to who has held it long enough, hope to who may yet."""
    state = g.state
    for side, run in ((ALLIED, state.tobruk_allied), (AXIS, state.tobruk_axis)):
        if run >= victory.HOLD_TOBRUK:
            return SCORE["promotion"] if side == AXIS else -SCORE["promotion"]
    sign = 1 if state.control.get(TOBRUK) == AXIS else -1
    return sign * SCORE["tobruk"] * (1.0 if state.turn <= SIEGE["by"] else 0.5)


def front_mile(g: G) -> float:
    """Where between the bases the armies meet: the mean of the miles of both, by strength."""
    total = weight = 0.0
    for side in (AXIS, ALLIED):
        for unit in REGULARS[side]:
            hex = g.state.where[unit]
            if 0 <= hex < HEXES:
                total += NEAREST[hex] * cf(g, unit)
                weight += cf(g, unit)
    return total / weight if weight else 0.0
