"""A refusal names what is really in the way: without it the click is legal, or refused for a later reason.

Where a stack moves, the decision carries its way. Here every prefix of its hindrances is flooded again, slowly and by the
definition of each hindrance, so neither the compiled flood nor `ways.why_not` is trusted.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any

import pytest

from khamsin.kernel import Decision, Match, Refusal, Rules, SeededDice
from khamsin.kernel.flood import CLOSED, NEVER, STOP
from khamsin.mechanics.destinations import Destinations
from khamsin.mechanics.ways import ANY_COST, APART, TOLL, Bar, Hindrance, Hold, Limit, Reach, Way
from tests import SOAK
from tests.contract.test_contract import GAMES, seeds, walk
from tests.contract.test_refusals import illegal

REFUSALS = 5_000 if SOAK else 250
"""Refused moves that are looked at in each game."""
EACH = 8
"""Refused moves that are looked at in one decision."""
KINDS = 6
"""Decisions of one kind whose legal clicks are looked at in one walk; later ones only now and then."""
GROUND = -1
"""The index of the ground before all hindrances."""


def flooded(way: Way) -> set[int]:
    """Return the locations that a way leads to: one search for each start, and all must get there."""
    found = [_from(way, start) for start in way.starts]
    return set.intersection(*found) if found else set()


def _from(way: Way, start: int) -> set[int]:
    net, locations = way.ground.net, way.ground.layout.locations
    bars = [one for one in way.hindrances if isinstance(one, Bar)]
    held = any(isinstance(one, Hold) for one in way.hindrances)
    limit = min([0] * held + [one.points for one in way.hindrances if isinstance(one, Limit)], default=ANY_COST)
    best, queue = {start: 0}, [(0, start)]
    while queue:
        cost, node = heapq.heappop(queue)
        if cost > best[node]:
            continue
        for there, step in zip(net.targets[node].tolist(), net.costs[node].tolist(), strict=True):
            if step >= NEVER or any(forbids(bar, node == start, node, there) for bar in bars):
                continue
            total = cost + step + sum(toll(bar, node, there) for bar in bars)
            if total <= limit and total < best.get(there, total + 1):
                best[there] = total
                heapq.heappush(queue, (total, there))
    return {locations[node] for node in best if node < len(locations)}


def forbids(bar: Bar, start: bool, here: int, there: int) -> bool:
    """Whether a bar forbids a step: into a CLOSED node, out of a STOP that is not the start, or between nodes kept APART."""
    if bar.effect == CLOSED:
        return marks(bar.nodes, there)
    if bar.effect == STOP:
        return not start and marks(bar.nodes, here)
    return bar.effect == APART and marks(bar.nodes, here) and marks(bar.nodes if bar.into is None else bar.into, there)


def toll(bar: Bar, here: int, there: int) -> int:
    """Return what a bar adds to the cost of a step."""
    if bar.effect != TOLL:
        return 0
    return bar.toll * (marks(bar.nodes, here) + (bar.into is not None and marks(bar.into, there)))


def marks(nodes: Sequence[int], node: int) -> bool:
    return node < len(nodes) and bool(nodes[node])


class Prefixes:
    """How many of the hindrances of a way a location survives, counted in their order."""

    def __init__(self, way: Way) -> None:
        self.way = way
        self._reached: dict[tuple[int, int], set[int]] = {}

    def first(self, location: int, without: int = GROUND) -> int | None:
        """Return the index of the first hindrance that excludes a location, GROUND for the ground itself, None if none does.
        `without` leaves one hindrance out."""
        for number in range(len(self.way.hindrances) + 1):
            if number - 1 != without or number == 0:
                key = (number, without if without < number else GROUND)
                if key not in self._reached:
                    kept = [one for index, one in enumerate(self.way.hindrances[:number]) if index != without]
                    self._reached[key] = flooded(self.way._replace(hindrances=tuple(kept)))
                if location not in self._reached[key]:
                    return number - 1
        return None


def closes(way: Way, hindrance: Hindrance, location: int) -> bool:
    """Whether a hindrance closes a location itself."""
    nodes = way.ground.layout.nodes[location]
    return isinstance(hindrance, Bar) and hindrance.effect == CLOSED and all(marks(hindrance.nodes, n) for n in nodes)


def names(hindrance: Hindrance, reason: str) -> bool:
    """Whether a refusal has the words of a hindrance, whatever fills the gaps."""
    pattern = ".*".join(re.escape(part) for part in re.split(r"{\w+}", hindrance.text))
    return re.search(pattern, reason) is not None


def refused_moves(rules: Rules[Any], seed: int) -> Iterator[tuple[Match[Any], Decision, list[int]]]:
    """Yield decisions of a random game in which a stack moves, each with illegal clicks on locations."""
    for match, chance in walk(rules, seed):
        decision = match.decision
        if decision is None or not isinstance(decision.reach, Reach) or chance.random() > 0.3:
            continue
        places = range(rules.units, rules.units + decision.reach.layout.size)
        shut = [click for click in dict.fromkeys(illegal(match, chance)) if click in places]
        yield match, decision, chance.sample(shut, min(EACH, len(shut)))


def single_refusals(rules: Rules[Any]) -> Iterator[tuple[Match[Any], Decision, int, list[Prefixes]]]:
    """Yield one illegal click after another, from one random game after another, with the ways of its decision."""
    for seed in count():
        for match, decision, clicks in refused_moves(rules, seed):
            others = decision.legal.routes()[1:] if isinstance(decision.legal, Destinations) else []
            ways = [Prefixes(way) for way in (decision.reach.way, *(route.reach.way for route in others))]
            for click in clicks:
                yield match, decision, click, ways


def fault_in(prefixes: Prefixes, refusal: Refusal, location: int) -> str | None:
    """Return what is wrong with a refusal that names a hindrance of a way; None if nothing is, "" if it names none."""
    bars = prefixes.way.hindrances
    found = [index for index, bar in enumerate(bars) if bar.rule == refusal.rule and names(bar, refusal.reason)]
    if not found:
        return ""
    first = prefixes.first(location)
    if first == GROUND and any(closes(prefixes.way, bars[index], location) for index in found):
        return None  # the hex itself is closed, and no path leads there either
    if first is None or first not in found:
        return f"{refusal.reason!r}, but hindrance {first} comes first"
    later = prefixes.first(location, without=first)
    if later is not None and later <= first:
        return f"without {refusal.reason!r} hindrance {later} refuses"
    return None


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.id)
def test_without_what_a_refusal_names_the_move_is_legal_or_refused_for_a_later_reason(rules: Rules[Any]) -> None:
    tried, named, faults = 0, 0, Counter[str]()
    for match, decision, click, ways in islice(single_refusals(rules), REFUSALS):
        tried += 1
        refusal, location = match.explain(click), click - rules.units
        if location in decision.reach:
            continue
        found = [fault_in(way, refusal, location) for way in ways]
        if any(fault != "" for fault in found):
            named += 1
            if None not in found:
                faults[f"{decision.kind}: {next(fault for fault in found if fault)}"] += 1
    assert tried >= REFUSALS
    assert named >= tried / 5, f"{named} of {tried} refusals name a hindrance of the way"
    assert not faults, "\n".join(f"{count} x {fault}" for fault, count in faults.most_common(20))


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.id)
def test_the_reach_of_a_decision_is_what_its_way_leads_to(rules: Rules[Any]) -> None:
    for match, decision, _ in islice(refused_moves(rules, 1), 300 if SOAK else 20):
        assert set(decision.reach.within()) == flooded(decision.reach.way), (match.clicks[-5:], decision)


@pytest.mark.parametrize(
    ("rules", "seed"),
    [(rules, seed) for rules in GAMES for seed in (seeds(rules) if SOAK else [2])],
    ids=lambda value: getattr(value, "id", str(value)),
)
def test_a_click_has_a_refusal_exactly_if_it_is_illegal_and_always_the_same(rules: Rules[Any], seed: int) -> None:
    seen, faults = Counter[str](), Counter[str]()
    for match, chance in walk(rules, seed):
        decision = match.decision
        if decision is None or (seen[decision.kind] >= KINDS and chance.random() > (0.05 if SOAK else 0.002)):
            continue
        seen[decision.kind] += 1
        legal = list(decision.legal)
        for click in chance.sample(legal, min(20, len(legal))):
            refusal = decision.why_not and decision.why_not(match.game.seen_by(decision.side), decision, click)
            if refusal:
                faults[f"{decision.kind}: legal, but {refusal.reason!r} ({refusal.rule})"] += 1
        for click in chance.sample(list(illegal(match, chance)), 5):
            refusal = match.explain(click)
            if match.explain(click) != refusal or match.clone(SeededDice(2)).explain(click) != refusal:
                faults[f"{decision.kind}: {refusal.reason!r} is not said again"] += 1
    assert not faults, "\n".join(f"{count} x {fault}" for fault, count in faults.most_common(20))
