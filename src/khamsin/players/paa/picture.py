"""What a side sees on the map: the stacks, what the enemy could bring against every hex, how far a unit gets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from khamsin.games.paa import movement, supply
from khamsin.games.paa.ground import ATTACK_SUPPLY, NODE_HEX, UNIT_NET
from khamsin.games.paa.units import CF, DISMOUNTED, HEXES, MF, REGULAR_SPAN, REGULARS, SIDE, G, cf
from khamsin.games.paa.zones import front
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import FAR, UNREACHED, compiled
from khamsin.kernel.pieces import Memo, UnitLocations
from khamsin.players.paa.country import SIDES_OF, Field

FRONTAGE = 9
"""How many units an attack on a hex in a line usually finds room for."""


_STACKS: Memo[dict[int, list[int]]] = Memo(most=64)


def stacks_of(g: G, side: int) -> dict[int, list[int]]:
    """The regular units of a side by their hexes."""
    where = g.state.where
    return _STACKS.get(where.versions[side]) or _STACKS.keep(where.versions[side], _stacks_now(where, side))


def _stacks_now(where: UnitLocations, side: int) -> dict[int, list[int]]:
    stacks: dict[int, list[int]] = {}
    for unit, hex in zip(REGULARS[side], where[REGULAR_SPAN[side]], strict=True):
        if 0 <= hex < HEXES:
            stacks.setdefault(hex, []).append(unit)
    return stacks


Area = NDArray[np.bool_]
"""Some of the hexes."""


class Riders(NamedTuple):
    """One unit of every stack of a side that can move next turn, and a row for each: the hexes it reaches then."""

    units: list[int]
    near: Area


_RIDERS: Memo[Riders] = Memo(most=16)


def riders(g: G, side: int, alone: bool = False) -> Riders:
    """Who of a side could ride where next turn; the strongest stacks first, each as fast as its slowest unit, or the fastest of
    each alone."""
    key = (g.state.where.version, side, alone, *g.state.control.values())
    return _RIDERS.get(key) or _RIDERS.keep(key, _riders_now(g, side, alone))


def _riders_now(g: G, side: int, alone: bool) -> Riders:
    mask = front(g, 1 - side).way_mask
    supplied = np.frombuffer(supply.lines(g, side).supplied, dtype=np.uint8) == 1
    plus, flags = g.state.plus, g.state.flags
    stacks = sorted(
        stacks_of(g, side).items(), key=lambda item: -sum([CF[u] + plus[u] for u in item[1]]) / len(item[1])
    )
    mobile = {
        hex: able
        for hex, units in stacks
        if supplied[hex] and (able := [u for u in units if not flags[u] & DISMOUNTED])
    }
    if alone:
        first = [max(units, key=lambda u: (not supply.BOUND[u], MF[u])) for units in mobile.values()]
        ranges = [MF[u] for u in first]
    else:
        first = [units[0] for units in mobile.values()]
        ranges = [min([MF[u] for u in units]) for units in mobile.values()]
    near = UNIT_NET.spread_each(mobile, ranges, mask)[:, :HEXES] != UNREACHED
    near[[supply.BOUND[unit] for unit in first]] &= supplied
    return Riders(first, near)


def way_of(g: G, unit: int, hex: int) -> list[int]:
    """The hexes of the way that a unit would take to a hex next turn, its own left out."""
    mask = front(g, 1 - SIDE[unit]).way_mask
    start = np.array([g.state.where[unit]], dtype=np.uint16)
    came = UNIT_NET.spread(start, MF[unit], mask)[1]
    way = []
    node = hex
    while came[node] != NOWHERE:
        way.append(NODE_HEX[node])
        node = int(came[node])
    return way


def strike(g: G, side: int, most: int = FRONTAGE) -> Field:
    """The strength that a side could bring against every hex in its next turn, of the best `most` units: those that reach a
    neighbour of it, whole where an installation feeds the attack and half elsewhere."""
    known, stacks = riders(g, side), stacks_of(g, side)
    fed = np.asarray(supply.attack_supply(g, side)) <= ATTACK_SUPPLY
    mobile = [[u for u in stacks[g.state.where[unit]] if not g.state.flags[u] & DISMOUNTED] for unit in known.units]
    number = np.array([len(units) for units in mobile], dtype=np.int64)
    mean = np.array([sum([cf(g, u) for u in units]) / len(units) for units in mobile])
    total = np.zeros(HEXES)
    _bring(known.near, fed, SIDES_OF, number, mean, most, total)
    return total


@compiled
def _bring(
    near: Area,
    fed: Area,
    sides: NDArray[np.intp],
    number: NDArray[np.int64],
    mean: Field,
    most: int,
    total: Field,
) -> None:
    """Stack after stack adds its strength to every hex beside those it reaches, as long as there is room for its units."""
    hexes = total.size
    count = np.zeros(hexes, dtype=np.int64)
    halves = np.zeros(hexes, dtype=np.uint8)
    for stack in range(near.shape[0]):
        halves[:] = 0
        for hex in range(hexes):
            if near[stack, hex]:
                here = 2 if fed[hex] else 1
                for side in range(sides.shape[0]):
                    beside = sides[side, hex]
                    if beside < hexes and halves[beside] < here:
                        halves[beside] = here
        for hex in range(hexes):
            if halves[hex]:
                room = min(max(most - count[hex], 0), number[stack])
                total[hex] += 0.5 * halves[hex] * room * mean[stack]
                count[hex] += number[stack]


_REACHES: Memo[NDArray[np.int16]] = Memo()


def reach_of(g: G, side: int, unit: int) -> NDArray[np.int16]:
    """The MF a unit would pay to every hex now; FAR where it cannot go. The same for units of a kind in a hex."""
    state = g.state
    key = (
        state.where.version, side, state.where[unit], MF[unit] - state.spent[unit], state.via[unit], state.flags[unit],
        supply.BOUND[unit], state.origin[unit],
    )  # fmt: skip
    known = _REACHES.get(key)
    return known if known is not None else _REACHES.keep(key, _reach_now(g, side, unit))


def _reach_now(g: G, side: int, unit: int) -> NDArray[np.int16]:
    if not movement.can_move(g, side, unit):
        distance = np.full(HEXES, FAR, dtype=np.int16)
        distance[g.state.where[unit]] = 0
        return distance
    return movement.reachable(g, side, [unit]).costs


def no_hex() -> Area:
    """No hex at all."""
    return np.full(HEXES, False)


def strength(g: G, side: int) -> int:
    """The CF of a side on the map."""
    return sum([cf(g, u) for units in stacks_of(g, side).values() for u in units])
