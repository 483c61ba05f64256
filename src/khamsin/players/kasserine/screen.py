"""Pickets: light units on the roads ahead of the enemy's columns, whose zones stop him for a turn before what is held.

Whoever enters an enemy zone stops there (7.2.1). So one company on the right hex costs a panzer group a turn, and a gap in the
line lets it through. The gaps are found by moving the enemy on the board as it will be: a picket is posted where he would come
much further without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from khamsin.games.kasserine import paths
from khamsin.games.kasserine.reserve import allowance
from khamsin.games.kasserine.strength import attack_strength
from khamsin.games.kasserine.units import BOARD, CROSSES, MOTORIZED, G
from khamsin.players.kasserine.goals import Goal
from khamsin.players.kasserine.picture import LINE, Field, Picture, main_way, way_to
from khamsin.players.kasserine.weights import SCREEN


class Column(NamedTuple):
    """A strong enemy stack that can march, and the place it threatens first."""

    hex: int
    unit: int
    points: int
    goal: Goal
    left: Field
    """The way to that place from every hex."""


class Post(NamedTuple):
    """A hex where a picket would hold a column up, and by how many movement points."""

    hex: int
    gain: float
    goal: Goal


def columns(picture: Picture, found: Collection[Goal]) -> list[Column]:
    """The enemy's columns, the strongest first."""
    g = picture.g
    held = [goal for goal in found if not goal.take and goal.worth >= SCREEN["worth"]]
    power: dict[int, float] = {}
    for hex, units in picture.theirs.items():
        mobile = [u for u in units if LINE[u] and MOTORIZED[u] and not g.state.release[u]]
        strength = sum(attack_strength(g, unit, False) for unit in mobile)
        if strength >= SCREEN["column"]:
            power[hex] = strength
    heads = sorted(power, key=lambda hex: (-power[hex], hex))[: int(SCREEN["columns"])]
    return [column for hex in heads for column in _threats(picture, hex, held)]


def _threats(picture: Picture, hex: int, held: Collection[Goal]) -> Iterator[Column]:
    """A stack with each of the nearest places that it threatens."""
    g = picture.g
    mobile = [u for u in picture.theirs[hex] if LINE[u] and MOTORIZED[u]]
    unit = max(mobile, key=lambda u: (attack_strength(g, u, False), allowance(g, u), -u))
    ways = {goal: way_to(goal.hex, CROSSES[unit], picture.rain) for goal in held}
    near = sorted(
        (goal for goal in held if ways[goal][hex] <= SCREEN["far"]), key=lambda goal: (ways[goal][hex], goal.hex)
    )
    for goal in near[: int(SCREEN["goals"])]:
        yield Column(hex, unit, allowance(g, unit), goal, ways[goal])


@contextmanager
def placed(g: G, places: Mapping[int, int]) -> Iterator[None]:
    """The board as it will be when these units have moved."""
    where = g.state.where
    before = where[:]
    for unit, hex in places.items():
        where[unit] = hex
    try:
        yield
    finally:
        where[:] = before


def advance(g: G, column: Column) -> list[int]:
    """The hexes from where a column stands to the nearest to its goal that it gets to in its next movement."""
    reach = paths.reach(g, [column.unit], column.points, paths.MOVEMENT)
    reached = reach.reached
    reached[column.hex] = True
    hexes = np.flatnonzero(reached)
    end = int(hexes[column.left[hexes].argmin()])
    return [column.hex, *(reach.path(end) if end != column.hex else ())]


def gets_to(g: G, column: Column) -> float:
    """How near to its goal a column comes in its next movement, in movement points that are left."""
    return column.left.item(advance(g, column)[-1])


def post(picture: Picture, column: Column, open_: Collection[int], scout: int) -> Post | None:
    """The hex near the column's road, out of those that are open, where a unit such as the scout holds it up most."""
    g = picture.g
    way = advance(g, column)
    now = column.left.item(way[-1])
    if column.left[column.hex] - now < SCREEN["gain"]:
        return None
    anywhere = any(paths.supply_bound(g, [column.unit]))  # a picket may cut off its supply, wherever it stands (6.4.2)
    road = main_way(column.hex, column.goal.hex, picture.rain)
    near = dict.fromkeys(hex for step in road[1 : int(SCREEN["ahead"])] for hex in (step, *BOARD.around(step)))
    best: Post | None = None
    for hex in near:
        if hex in open_ and column.left[hex] > now:
            most = column.left.item(_untouched(way, hex)) - now
            if not anywhere and (most < SCREEN["gain"] or (best is not None and most <= best.gain)):
                continue
            with g.state.where.supposing({scout: hex}):
                gain = gets_to(g, column) - now
            if gain >= SCREEN["gain"] and (best is None or gain > best.gain):
                best = Post(hex, gain, column.goal)
    return best


def _untouched(way: list[int], picket: int) -> int:
    """The last hex of a way before it comes beside a picket: so far a column gets in any case, but for its first hex."""
    beside = {picket, *BOARD.around(picket)}
    last = way[0]
    for hex in way:
        if hex in beside:
            return last
        last = hex
    return last
