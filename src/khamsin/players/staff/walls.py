"""Walls: the fewest hexes that close all paths of the enemy to what must be kept. Paths: where a front is easiest to
pass."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

NO_HEX = 1 << 20
"""The price of a hex that cannot be part of a wall."""
CLOSED = float("inf")
"""The price of a hex that is on no path."""


def wall(
    sides: NDArray[np.int16],
    closed: Collection[int],
    sources: Collection[int],
    kept: Collection[int],
    prices: Sequence[int],
) -> list[int]:
    """Return the cheapest hexes that close, if occupied, all paths from a source to a hex to be kept; empty if there
    are none. `prices` has the price of each hex, `closed` the hexes that nothing enters. It is a minimum cut: the
    capacity of each hex is its price.

    >>> sides = np.array([[1, 5], [0, 2], [1, 3], [2, 5], [5, 5]], dtype=np.int16)
    >>> wall(sides, (), (0,), (3,), [9, 4, 2, 9, 9])
    [2]
    """
    last = len(sides)
    ends, left = set(kept), [NO_HEX if hex in sources or hex in kept else prices[hex] for hex in range(last)]
    flow: dict[tuple[int, int], int] = {}
    through = [0] * last
    near = [[int(one) for one in row if one < last and one not in closed] for row in sides]
    while True:
        came = _path(near, left, through, flow, sources, ends)
        goal = next((hex for hex in ends if (hex, 1) in came), None)
        if goal is None:
            break
        if not _push(came, goal, left, through, flow):
            return []
    return sorted(hex for hex, side in came if side == 0 and (hex, 1) not in came)


Node = tuple[int, int]
"""A hex and its half: 0 where paths enter it, 1 where they leave."""


def _path(
    near: list[list[int]],
    left: list[int],
    through: list[int],
    flow: dict[tuple[int, int], int],
    sources: Collection[int],
    ends: set[int],
) -> dict[Node, Node | None]:
    """Return the predecessor of each node, until a hex to be kept is reached."""
    came: dict[Node, Node | None] = {(hex, 1): None for hex in sources}
    queue = deque(came)
    while queue:
        here, side = node = queue.popleft()
        if side == 1 and here in ends:
            return came
        onward: list[Node] = []
        if side == 0:
            onward = [(here, 1)] if left[here] > through[here] else []
            onward += [(one, 1) for one in near[here] if flow.get((one, here), 0) > 0]
        else:
            onward = [(one, 0) for one in near[here]]
            onward += [(here, 0)] if through[here] > 0 else []
        for one in onward:
            if one not in came:
                came[one] = node
                queue.append(one)
    return came


def _push(
    came: dict[Node, Node | None], goal: int, left: list[int], through: list[int], flow: dict[tuple[int, int], int]
) -> bool:
    """Send as much flow as possible along the path to a goal. Return False if there is no limit."""
    path: list[tuple[Node, Node]] = []
    node: Node = (goal, 1)
    while (before := came[node]) is not None:
        path.append((before, node))
        node = before
    room = [_room(a, b, left, through, flow) for a, b in path]
    amount = min(room, default=NO_HEX)
    if amount >= NO_HEX // 2:
        return False
    for (a, side), (b, _) in path:
        if a == b:
            through[a] += amount if side == 0 else -amount
        elif side == 1:
            flow[a, b] = flow.get((a, b), 0) + amount
        else:
            flow[b, a] -= amount
    return True


def _room(a: Node, b: Node, left: list[int], through: list[int], flow: dict[tuple[int, int], int]) -> int:
    """Return how much more can flow from one node to the next."""
    if a[0] == b[0]:
        return left[a[0]] - through[a[0]] if a[1] == 0 else through[a[0]]
    return NO_HEX if a[1] == 1 else flow[b[0], a[0]]


def easiest(
    near: Sequence[Sequence[int]], prices: Sequence[float], starts: Iterable[int], ends: Collection[int]
) -> list[int]:
    """Return the path from some hexes to others whose hexes cost least in total, without the price of its start; empty
    if there is none. A hex with the price `CLOSED` is on no path.

    >>> easiest([[1, 2], [0, 3], [0, 3], [1, 2]], [0.0, CLOSED, 5.0, 1.0], [0], [3])
    [0, 2, 3]
    """
    best = [CLOSED] * len(near)
    came, queue = dict.fromkeys(starts, -1), list[tuple[float, int]]()
    for start in came:
        best[start] = 0.0
        queue.append((0.0, start))
    while queue:
        cost, hex = heappop(queue)
        if hex in ends:
            found = []
            while hex >= 0:
                found.append(hex)
                hex = came[hex]
            return found[::-1]
        if cost > best[hex]:
            continue
        for one in near[hex]:
            total = cost + prices[one]
            if total < best[one]:
                best[one], came[one] = total, hex
                heappush(queue, (total, one))
    return []
