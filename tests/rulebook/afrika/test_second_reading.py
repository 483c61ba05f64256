"""Movement, overruns, columns, barrages, retreats, supply and trucks worked out a second time, from the charts alone, and
compared with what is legal in random games."""

from __future__ import annotations

import heapq
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction

import pytest

from khamsin.games.afrika import RULES, barrage, feeding, movement, retreat, strength, trucks
from khamsin.games.afrika.scenario import SETTINGS
from khamsin.games.afrika.units import (
    ARTILLERY,
    ATTACK,
    AXIS,
    BARRAGE,
    BOARD,
    COUNTERS,
    DEFENCE,
    EDGE,
    HEXES,
    IGNORE_ZONES,
    JOINING,
    LED,
    MA,
    OOS,
    ROMMEL,
    SIDES,
    STACKING,
    STEPS,
    TRIPOLI,
    UNITS,
    ZONED,
    AfrikaState,
    G,
    forces_in,
    name,
    on_map,
    stock,
)
from khamsin.kernel import Decision, KeyedDice, Match

HALF = Fraction(1, 2)
COSTS = {
    "leg": {"road": 1, "track": 2, "clear": 2, "rough": 4, "mountain": 6, "salt marsh": 4, "delta marsh": 4},
    "mech": {"road": 1, "track": 1, "clear": 2, "rough": 6, "mountain": 12, "salt marsh": 8, "delta marsh": 6},
}
"""The chart of SCS 12.4 in halves of a MP, in which all costs are counted here; a city costs 2."""
CITIES = {"minor-city", "major-city"}
HEADS = ("1:4", "1:3", "1:2", "1:1", "2:1", "3:1", "4:1", "5:1", "7:1", "9:1")
COLUMNS = [Fraction(int(head[0]), int(head[2])) for head in HEADS]
"""The columns of SCS 12.1."""
DEFENCES = {
    "rough": 1,
    "mountain": 2,
    "salt marsh": 1,
    "delta marsh": 1,
    "minor-city": 1,
    "major-city": 2,
    "fortification": 1,
}
SHIELDS = {**DEFENCES, "fortification": 2}
BARRAGES = (1, 2, 4, 6, 9, 13, 18, 24, 36)
"""The least points of each column of SCS 12.3."""
ARMOUR = {"armour", "heavy armour", "motorised reconnaissance", "motorcycle reconnaissance", "cavalry"}
INFANTRY = {"infantry", "motorised infantry", "airborne infantry", "marine infantry", "amphibious infantry", "commando"}


class Reader:
    """What a reader of the rules works out in a position."""

    def __init__(self, m: Match[AfrikaState]) -> None:
        assert m.decision is not None
        self.g: G = m.game
        self.decision: Decision = m.decision
        self.side = m.decision.side
        self.maps = SETTINGS[m.game.scenario.name].maps.lower()
        self.enemies = {hex for hex in self.g.state.where.stacks(1 - self.side) if hex < HEXES}
        self.zoc = {near for hex in self.enemies for near in BOARD.around(hex) if self.crosses(hex, near)}

    def enters(self, hex: int) -> bool:
        """Land of the maps in play (1.5)."""
        closed = BOARD.terrain_name(hex) in ("sea", "sand desert", "depression")
        return not closed and any(f"map-{letter}" in BOARD.tags[hex] for letter in self.maps)

    def crosses(self, here: int, there: int) -> bool:
        """Over an escarpment only by road or track (1.5a)."""
        between = {*BOARD.between(here, there)}
        return (
            self.enters(here)
            and self.enters(there)
            and ("escarpment" not in between or bool(between & {"road", "track"}))
        )

    def ground(self, hex: int, kind: str) -> int:
        """What a hex costs without a road (SCS 12.4)."""
        return 2 if CITIES & {*BOARD.tags[hex]} else COSTS[kind][BOARD.terrain_name(hex)]

    def step(self, here: int, there: int, kind: str) -> int:
        """The cheapest of hex, road and track; over an escarpment only the latter (SCS 3.5)."""
        between = {*BOARD.between(here, there)}
        rates = [COSTS[kind][line] for line in ("road", "track") if line in between]
        return min(rates if "escarpment" in between else [*rates, self.ground(there, kind)])

    def spread(self, starts: Iterable[int], limit: int, kind: str, toll: int = 0, bare: bool = False) -> dict[int, int]:
        """All hexes within a limit, not past enemies; with a toll for enemy ZOCs, or closed by bare ones (SCS 3.6, SCS 5.3,
        SCS 5.7)."""
        best = dict.fromkeys(starts, 0)
        queue = [(0, start) for start in best]
        while queue:
            cost, here = heapq.heappop(queue)
            for there in BOARD.around(here) if cost == best[here] else ():
                shut = bare and there in self.zoc and not forces_in(self.g, self.side, there)
                if shut or there in self.enemies or not self.crosses(here, there):
                    continue
                total = cost + self.step(here, there, kind) + (toll if there in self.zoc else 0)
                if total <= limit and total < best.get(there, limit + 1):
                    best[there] = total
                    heapq.heappush(queue, (total, there))
        return best

    def places(self) -> set[int]:
        """The legal hexes and boxes of the decision."""
        return {click - self.g.place0 for click in self.decision.legal if self.g.place0 <= click < RULES.first_button}

    def left(self, unit: int) -> int:
        """The MPs of a unit, half out of supply, less those spent (1.6d)."""
        return MA[unit] * (1 if self.g.state.flags[unit] & OOS else 2) - self.g.state.spent[unit]

    def has_room(self, hex: int, units: Sequence[int]) -> bool:
        """Six stacking points, without those that can still leave (1.3, SCS 4.2)."""
        staying = [
            u
            for u in forces_in(self.g, self.side, hex)
            if u not in units and not movement.can_leave(self.g, self.side, units, u)
        ]
        return sum([STACKING[unit] for unit in (*staying, *units)]) <= 12

    def face(self, unit: int) -> int:
        return int(self.g.state.steps[unit] < STEPS[unit])

    def defence(self, side: int, hex: int) -> Fraction:
        """The defence of a hex with its ground (SCS 8.4, SCS 8.5)."""
        units = forces_in(self.g, side, hex)
        total = sum(
            [DEFENCE[u][self.face(u)] * (HALF if self.g.state.flags[u] & OOS else Fraction(1)) for u in units],
            Fraction(0),
        )
        features = (BOARD.terrain_name(hex), *BOARD.tags[hex])
        times = 1 + sum([DEFENCES.get(feature, 0) for feature in features]) + (self.g.state.box.get(hex) == side)
        return total * times or HALF

    def odds(self, units: Sequence[int], side: int, hex: int) -> Fraction | None:
        """The larger strength over the smaller, rounded; None without an attack strength (SCS 8.6)."""
        power = Fraction(0)
        for unit in units:
            share = Fraction(ATTACK[unit][self.face(unit)])
            share /= 4 if self.g.state.flags[unit] & OOS else 1
            power += share / (2 if "escarpment" in BOARD.between(self.g.state.where[unit], hex) else 1)
        if not power:
            return None
        against = self.defence(1 - side, hex)
        times = math.floor(max(power, against) / min(power, against) + HALF)
        return Fraction(times) if power >= against else Fraction(1, times)


def kind_of(unit: int) -> str:
    """Leg or mech (SCS 3.8)."""
    return "mech" if MA[unit] > 10 or "Army Tank" in name(unit) else "leg"


def check_move(r: Reader) -> str:
    """Where a stack of one class goes and what it overruns (SCS 3, SCS 6)."""
    units = r.decision.about
    flags, start = r.g.state.flags, r.g.state.where[units[0]]
    if start >= HEXES or len({(kind_of(unit), unit in IGNORE_ZONES) for unit in units}) > 1:
        return ""
    left, kind = min(map(r.left, units)), kind_of(units[0])
    found = r.spread([start], left, kind, toll=0 if units[0] in IGNORE_ZONES else 4)
    near = [hex for hex in BOARD.around(start) if r.crosses(start, hex)]
    if not any(r.g.state.spent[unit] for unit in units):
        free = [hex for hex in near if hex not in r.enemies and not (start in r.zoc and hex in r.zoc)]
        found |= dict.fromkeys([hex for hex in free if hex not in found], left)
    expected = {hex for hex in found if hex != start and r.has_room(hex, units)}
    ready = (
        not any(flags[u] & ZONED and not flags[u] & LED for u in units)
        and len({r.g.state.origin[u] for u in units}) == 1
    )
    crowd = sum([STACKING[unit] for unit in forces_in(r.g, r.side, start)])
    for hex in [hex for hex in near if hex in r.enemies and ready and crowd <= 12]:
        closed = BOARD.terrain_name(hex) == "mountain" or {"major-city", "fortification"} & {*BOARD.tags[hex]}
        odds = r.odds(units, r.side, hex)
        if (
            not closed
            and "escarpment" not in BOARD.between(start, hex)
            and r.ground(hex, kind) + 6 <= left
            and odds
            and odds >= Fraction(1, 4)
        ):
            expected.add(hex)
    assert {place for place in r.places() if place < HEXES} == expected, (r.decision.prompt, BOARD.name(start))
    return "move"


def whole(g: G, units: Collection[int], near: Collection[int]) -> bool:
    """Whether units are all of a division, two at least, artillery perhaps only near (1.17)."""
    for division in {COUNTERS[unit].parent for unit in units} - {"", "Babini"}:
        parts = [unit for unit in UNITS if COUNTERS[unit].parent == division and on_map(g, unit)]
        if len(parts) > 1 and all(u in units or (ARTILLERY[u] and g.state.where[u] in near) for u in parts):
            return True
    return False


def check_column(r: Reader) -> str:
    """The column of an attack and the modifier of its roll (1.10c, 1.16-2, 1.17, 2.3, SCS 8)."""
    battle, g = r.g.state.attack, r.g
    if battle is None:
        return ""
    odds, camp, enemies = (
        r.odds(battle.units, battle.side, battle.hex),
        g.state.where[ROMMEL],
        forces_in(g, 1 - battle.side, battle.hex),
    )
    assert odds is not None
    shift = battle.air - battle.enemy_air - ("ridge" in BOARD.tags[battle.hex])
    shift += battle.side == AXIS and any(g.state.where[unit] == camp for unit in battle.units)
    shift -= battle.side != AXIS and camp == battle.hex
    shift = max(-2, min(2, shift)) + whole(g, battle.units, BOARD.around(battle.hex)) - whole(g, enemies, ())
    at = max([number for number, column in enumerate(COLUMNS) if column <= odds]) + shift
    table = g.table("combat")
    assert table.head(strength.column(g, battle, table)) == HEADS[max(0, min(len(HEADS) - 1, at))]
    stacks = defaultdict[int, set[str]](set)
    for unit in battle.units:
        stacks[g.state.where[unit]].add(COUNTERS[unit].symbol)
    modifier = min(4, len([1 for symbols in stacks.values() if symbols & ARMOUR and symbols & INFANTRY]))
    symbols = {COUNTERS[unit].symbol for unit in enemies}
    modifier -= bool(symbols & {*ARMOUR, "anti-tank"} and symbols & INFANTRY)
    assert sum([each.value for each in strength.combined_arms(g, battle)]) == modifier
    return "column"


def check_barrage(r: Reader) -> str:
    """Who fires, and the column for every number of air points (1.10b, 1.12, SCS 12.3)."""
    shot, g = r.g.state.fire, r.g
    if shot is None:
        return ""
    works = sum([SHIELDS.get(feature, 0) for feature in (BOARD.terrain_name(shot.hex), *BOARD.tags[shot.hex])])
    works += (g.state.box.get(shot.hex) == 1 - shot.side) + 2 * (
        not any(forces_in(g, shot.side, hex) for hex in BOARD.around(shot.hex))
    )
    for air in range(not shot.units, g.state.air[SIDES[shot.side]] + 1):
        points = Fraction(5 * air)
        points += sum([BARRAGE[u][r.face(u)] * (HALF if g.state.flags[u] & OOS else 1) for u in shot.units])
        at = max([number for number, least in enumerate(BARRAGES) if least <= math.floor(points + HALF)])
        assert barrage.column(g, shot._replace(air=air)) == max(0, at - (0 if shot.port else works))
    guns = {
        u for u in UNITS if ARTILLERY[u] and COUNTERS[u].side == shot.side and on_map(g, u) and not g.has(u, "fired")
    }
    assert {c for c in r.decision.legal if c < RULES.units} == {
        u for u in guns if BOARD.distance(g.state.where[u], shot.hex) <= 2
    }
    return "barrage"


def check_retreat(r: Reader) -> str:
    """Where units retreat: each hex further away, through as few ZOCs as possible (SCS 10.1-3, SCS 4.4)."""
    units, g = r.decision.about, r.g
    hints = {place: hint for place in r.places() if isinstance(hint := r.decision.legal[g.place0 + place], dict)}
    start, hexes = g.state.where[units[0]], min([hint["hexes"] for hint in hints.values()], default=0)
    if not hints or any(place >= HEXES for place in hints):
        return ""
    if any(BOARD.distance(start, place) > hexes for place in hints) or retreat.exit_of(g, r.side).hexes.count(start):
        return ""  # a full hex was passed, so the length of the retreat cannot be told from its ends
    best: dict[int, tuple[int, int]] = {}

    def go_on(path: tuple[int, ...]) -> None:
        here = path[-1]
        if len(path) == hexes + 1:
            if sum([STACKING[unit] for unit in (*forces_in(g, r.side, here), *units)]) <= 12:
                zoned = [hex for hex in path[1:] if hex in r.zoc]
                bare = len([hex for hex in zoned if not forces_in(g, r.side, hex)])
                best[here] = min(best.get(here, (99, 99)), (bare, len(zoned) - bare))
            return
        for there in BOARD.around(here):
            if (
                r.crosses(here, there)
                and there not in r.enemies
                and BOARD.distance(start, there) > BOARD.distance(start, here)
            ):
                go_on((*path, there))

    go_on((start,))
    least = min(best.values())
    assert {*hints} == {hex for hex, harm in best.items() if harm == least}
    return "retreat"


def check_range(r: Reader) -> str:
    """What every dump on the map reaches (1.6c)."""
    points = 10 if r.side == AXIS and r.g.state.turn <= 6 else 20
    for dump in [dump for dump in stock(r.g, r.side) if dump < HEXES]:
        assert feeding.reached(r.g, r.side, dump) == {*r.spread([dump], points, "mech", bare=True)}
    return "range"


def check_trucks(r: Reader) -> str:
    """Where truck points take an SP of every dump (1.7, 1.13)."""
    points = r.g.state.trucks.get(SIDES[r.side], 0)
    for dump in stock(r.g, r.side):
        found = dict(from_box(r, dump, points) if dump >= HEXES else from_hex(r, dump, points))
        found.pop(dump, None)
        assert trucks.reach(r.g, trucks.Trip(r.side, dump)) == found, BOARD.name(dump)
    return "trucks"


def from_hex(r: Reader, dump: int, points: int) -> Iterator[tuple[int, int]]:
    """From a hex, into the Joining Box for 1 MP, and for a full point more to Tripoli."""
    found = r.spread([dump], 20 * points, "mech", bare=True)
    yield from found.items()
    edge = min([found[hex] for hex in EDGE if hex in found], default=None)
    if r.side == AXIS and edge is not None:
        full = 20 * math.ceil((edge + 2) / 20) + 20
        yield from [(box, cost) for box, cost in ((JOINING, edge + 2), (TRIPOLI, full)) if cost <= 20 * points]


def from_box(r: Reader, dump: int, points: int) -> Iterator[tuple[int, int]]:
    """From a box to the next for a full point, and for another to the map."""
    before = 20 if dump == JOINING else 40
    free = [hex for hex in EDGE if r.enters(hex) and hex not in r.enemies]
    free = [hex for hex in free if hex not in r.zoc or forces_in(r.g, r.side, hex)]
    if 20 * points >= before:
        found = r.spread(free, 20 * points - before, "mech", bare=True)
        yield from [(hex, cost + before) for hex, cost in found.items()]
    if points:
        yield TRIPOLI if dump == JOINING else JOINING, 20


CHECKS: dict[str, Callable[[Reader], str]] = {
    "move.to": check_move,
    "move.stack": check_trucks,
    "combat.air": check_column,
    "barrage.fire": check_barrage,
    "combat.retreat": check_retreat,
    "supply.feed": check_range,
}
EACH = 10
"""Decisions of a kind that are looked at in one game; later ones only now and then."""
MOST_CLICKS = 600
"""The length of a game."""


@pytest.mark.parametrize("scenario", SETTINGS)
def test_a_second_reading_of_the_rules_agrees(scenario: str) -> None:
    """(1.6c, 1.7, 1.10c, 1.12, 1.17, SCS 3, SCS 6, SCS 8, SCS 10)"""
    short = SETTINGS[scenario].short
    done = Counter[str]()
    for seed in range(4 if short else 2):
        done.update(compared(Match(RULES, scenario, dice=KeyedDice.seeded(seed)), random.Random(f"{scenario} {seed}")))
    looked_at = ("move", "column", "barrage") if short else ("move", "range", "trucks")
    assert all(done[kind] > 2 for kind in looked_at), done


def compared(m: Match[AfrikaState], chance: random.Random) -> Iterator[str]:
    """What was compared in a random game; trucks are for campaigns."""
    seen = Counter[str]()
    while m.decision is not None and len(m.clicks) < MOST_CLICKS:
        decision = m.decision
        seen[decision.kind] += 1
        known = decision.kind in CHECKS and (m.state.campaign or decision.kind != "move.stack")
        if known and (seen[decision.kind] <= EACH or chance.random() < 0.03):
            yield CHECKS[decision.kind](Reader(m))
        m.click(eager(m, decision, chance))


def eager(m: Match[AfrikaState], decision: Decision, chance: random.Random) -> int:
    """A random click, often one next to the enemy or one that attacks, so that there is something to look at."""
    places = [click for click in decision.legal if RULES.units <= click < RULES.units + HEXES]
    near = [
        click
        for click in places
        if any(forces_in(m.game, 1 - decision.side, hex) for hex in BOARD.around(click - RULES.units))
    ]
    if decision.kind in ("move.to", "combat.target") and near and chance.random() < 0.6:
        return chance.choice(near)
    if decision.kind == "combat.attackers" and RULES.button("done") in decision.legal:
        return RULES.button("done")
    if decision.kind.startswith("setup"):
        return next(click for word in ("done", "cancel") if (click := RULES.button(word)) in decision.legal)
    return decision.pick(chance.random)
