"""The reach of units against a plain search that asks the rules at every step (7.1-3, 7.6.2, 8.2.6, 9.3.3)."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator
from itertools import islice, pairwise

import pytest

from khamsin.games.kasserine import supply, zones
from khamsin.games.kasserine.boxes import shut_edge
from khamsin.games.kasserine.ground import (
    HALT,
    STRONGPOINT_COST,
    interdicted_cost,
    is_raining,
    passable,
    step_cost,
    stops,
    zone_of_interdiction,
)
from khamsin.games.kasserine.mode import TOWED
from khamsin.games.kasserine.paths import MOVEMENT, REACTION, RESERVES, reach, watched
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.units import (
    BOARD,
    ENTERED,
    FORCE_SPAN,
    FORCES,
    HEXES,
    MOTORIZED,
    NUMBER,
    SIDE,
    G,
    crosses,
)
from khamsin.kernel.board import NOWHERE
from tests.rulebook.kasserine.table import begun, game


def entries(g: G, units: list[int], hex: int, kind: int) -> Iterator[tuple[int, int, bool]]:
    """The hexes that units can enter from one, with the cost, and whether they stop there."""
    state, side, rain = g.state, SIDE[units[0]], is_raining(g)
    zoned, kinds = zones.zone(g, 1 - side), [crosses(g, unit) for unit in units]
    held, enemies = set(state.where[FORCE_SPAN[side]]), set(state.where[FORCE_SPAN[1 - side]])
    barred = setting(g).outside | shut_edge(g, side)
    slow = zone_of_interdiction(g, 1 - side)
    roused = watched(g, side, units)
    bound = [unit for unit in units if not state.flags[unit] & ENTERED and supply.held_back(g, unit)]
    for direction, there in enumerate(BOARD.neighbours[hex]):
        if there == NOWHERE or there in enemies or there in barred:
            continue
        beside = kind == REACTION and not enemies.isdisjoint(BOARD.around(there))
        wary = kind != MOVEMENT or any(TOWED[unit] for unit in units)
        if wary and (zoned[there] or beside) and there not in held:
            continue
        if hex == state.where[units[0]] and zoned[hex] and zoned[there]:
            continue
        if not all(passable(k, rain, hex, direction) for k in kinds):
            continue
        if not all(supply.supplied_at(g, unit, there) for unit in bound):
            continue
        price = interdicted_cost if there in slow else step_cost
        fort = state.strongpoint.get(there, side) != side
        cost = max(price(k, rain, hex, direction) for k in kinds) + STRONGPOINT_COST * fort
        climb = any(stops(k, hex, direction) for k in kinds)
        halt = zoned[there] or beside or there in roused or climb or (fort and any(MOTORIZED[unit] for unit in units))
        yield there, cost, bool(halt)


def search(g: G, units: list[int], points: int, kind: int) -> dict[int, int]:
    """The least cost of every hex that units can come to."""
    here = g.state.where[units[0]]
    done: dict[tuple[int, bool], int] = {}
    queue = [(0, here, False)]
    while queue:
        cost, hex, halted = heapq.heappop(queue)
        if (hex, halted) in done:
            continue
        done[hex, halted] = cost
        if not halted:
            for there, more, halt in entries(g, units, hex, kind):
                if cost + more <= points:
                    heapq.heappush(queue, (cost + more, there, halt))
    found: dict[int, int] = {}
    for (hex, _), cost in done.items():
        found[hex] = min(cost, found.get(hex, cost))
    return found


def test_a_way_and_a_supply_route_go_from_hex_to_neighbouring_hex() -> None:
    """No hex is left out (3.1.4)."""
    g = game({"2530": ["A/1a"]}, phase="allied movement")
    unit, here, there = NUMBER["A/1a"], BOARD["2530"], BOARD["2525"]
    way = [here, *reach(g, [unit], 20, MOVEMENT).path(there)]
    route = supply.route(g, unit, here)
    for line in (way, route):
        assert len(line) > 5
        assert all(BOARD.distance(a, b) == 1 for a, b in pairwise(line))


@pytest.mark.parametrize(("scenario", "seed"), [("faid", 1), ("campaign", 2), ("campaign", 3), ("decide", 4)])
def test_units_reach_what_a_plain_search_finds(scenario: str, seed: int) -> None:
    """After some random play, stacks of both sides, in every phase of movement (7.1.1, 7.1.2, 7.2.1, 7.2.2, 7.3)."""
    match, chance = begun(scenario, seed), random.Random(seed)
    done = match.rules.button("done")
    for _ in range(200):
        assert match.decision is not None
        over = done in match.decision.legal and ("declaration" in match.phase.name or chance.random() < 0.05)
        match.click(done if over else chance.choice(list(match.decision.legal)))
    g = match.game
    for _ in range(12):
        side, kind = chance.randrange(2), chance.choice((MOVEMENT, REACTION, RESERVES))
        first = chance.choice([unit for unit in FORCES[side] if 0 <= g.state.where[unit] < HEXES])
        mates = [unit for unit in FORCES[side] if g.state.where[unit] == g.state.where[first] and unit != first]
        units, points = [first, *mates[: chance.randrange(3)]], chance.randrange(1, 20)
        assert costs(g, units, points, kind) == search(g, units, points, kind)


def costs(g: G, units: list[int], points: int, kind: int) -> dict[int, int]:
    """What it costs units to come to each hex in their reach."""
    found = reach(g, units, points, kind)
    least = {hex: found.cost(hex) for hex in range(HEXES) if hex in found}
    for hex in least.keys() & HALT.keys():
        least[hex] = min(least[hex], int(found.distance[HALT[hex]]))
    return least


MOVERS, WATCHERS = ("1/7/10", "1+2/86/10", "I/104B"), ("C-2 Loth", "A/6a", "D/1a", "1/168")


@pytest.mark.parametrize("seed", range(4))
def test_reserves_and_strongpoints_stop_units_as_in_a_plain_search(seed: int) -> None:
    """Wherever they start, in a zone or in none (7.2.1, 7.2.2, 8.2.5, 14.1.2)."""
    chance = random.Random(seed)
    for _ in range(30):
        near = [BOARD.name(hex) for hex in BOARD.within(chance.randrange(HEXES), 2)]
        chance.shuffle(near)
        spots = iter(near)
        places = {next(spots): [unit] for unit in MOVERS}
        for unit in WATCHERS:
            held = unit != "1/168" and chance.random() < 0.5
            places.setdefault(next(spots, "GT 17"), []).append(f"{unit} [reserve]" if held else unit)
        g = game(places, strongpoints={"allied": list(islice(spots, chance.randrange(3)))})
        for unit in MOVERS:
            points = chance.randrange(1, 20)
            assert costs(g, [NUMBER[unit]], points, MOVEMENT) == search(g, [NUMBER[unit]], points, MOVEMENT), places
