"""What a side wants: the victory locations to be taken and held, which of them first, and who goes for which.

The Axis looks for the set of locations that wins and costs least, by the way there and the enemy around them, and stays with it
unless another becomes much cheaper. The Allies hold all that the Axis could still want, and their passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from khamsin.games.kasserine import boxes, victory
from khamsin.games.kasserine.control import friendly
from khamsin.games.kasserine.reserve import allowance
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.strength import attack_strength, defence_strength
from khamsin.games.kasserine.units import ALLIED, AXIS, BOARD, CROSSES, HALVES, HEXES, INFANTRY, MOTOR, G
from khamsin.players.kasserine.picture import LINE, NOT_THERE, Picture, way_to
from khamsin.players.kasserine.weights import AIM, FOCUS, POSITIONS, SCORE, Force


class Goal(NamedTuple):
    """A place to be taken or held: how much it is wanted, and how much strength it needs."""

    hex: int
    worth: float
    take: bool
    need: float


def conditions(g: G) -> list[dict[str, Any]]:
    """The sets of conditions by which the Axis could still win, as far as a side knows (18.1.5, 18.2.6, 18.2.7)."""
    cards = setting(g)
    if cards.name == "faid":
        return [victory.SETS["Faid Pass"]]
    early = [victory.SETS[name] for name in victory.early_sets(g, cards)]
    if g.state.plan > 0:
        return [*early, victory.PLANS[victory.LETTERS[g.state.plan - 1]]]
    return early or list(victory.PLANS.values())


def decided_by(g: G) -> str:
    """What decides the game at the time: the objectives of Faid, the early conditions of the campaign, or a Victory Plan."""
    cards = setting(g)
    return "faid" if cards.name == "faid" else "early" if victory.early_sets(g, cards) else "plan"


def turns_left(g: G) -> int:
    """The turns after this one before the next set of conditions is out of date, or the game over (18.2.6)."""
    early = [int(wanted["last"]) for wanted in conditions(g) if "last" in wanted]
    return min(early, default=setting(g).last) - g.state.turn


def enough(g: G, wanted: dict[str, Any], cost: dict[int, float]) -> frozenset[int]:
    """The locations with which the Axis would fulfil a set of conditions: those it holds, and the cheapest others."""
    held = {hex for hex in setting(g).victory if friendly(g, AXIS, hex)}
    named = [BOARD[name] for name in wanted.get("all", ())]
    either = [BOARD[name] for name in wanted.get("any", ())]
    chosen = set(named)
    if either:
        chosen.add(min(either, key=lambda hex: (hex not in held, cost[hex])))
    others = sorted((hex for hex in cost if hex not in chosen), key=lambda hex: (hex not in held, cost[hex]))
    chosen.update(others[: int(wanted["others"])])
    return frozenset(chosen)


def price(picture: Picture, hex: int) -> float:
    """What it would cost the Axis to take a location: the way of the mobile units nearest to it, and the enemy around it."""
    return way_of_vanguard(picture, hex) + FOCUS["defence"] * picture.around(hex, int(FOCUS["around"]), ALLIED)


def way_of_vanguard(picture: Picture, hex: int) -> float:
    """The movement points that enough mobile units of the Axis need to a location, nobody being in the way."""
    ways = np.sort(way_to(hex, MOTOR, picture.rain)[picture.axis_mobile])
    return float(ways[min(int(FOCUS["vanguard"]), len(ways) - 1)]) if len(ways) else NOT_THERE


def spare_turns(picture: Picture, wanted: frozenset[int]) -> float:
    """The turns that the Axis has left, less those of its march to the farthest place that is missing: that is long only where
    a Victory Plan sends it across the map (18.2.7)."""
    g = picture.g
    left = turns_left(g)
    if any("last" in sought for sought in conditions(g)):
        return left
    march = max((way_of_vanguard(picture, hex) for hex in missing(g, wanted)), default=0.0)
    return max(0.0, left - march / FOCUS["march"])


def focus(picture: Picture, before: frozenset[int], aim: int | None = None) -> frozenset[int]:
    """The locations with which the Axis means to win; those it went for before are cheaper by its loyalty, and one at which it
    aims is much cheaper."""
    g = picture.g
    cost = {hex: price(picture, hex) for hex in setting(g).victory}
    cost = {hex: spent * (FOCUS["loyal"] if hex in before else 1.0) for hex, spent in cost.items()}
    if aim in cost:
        cost[aim] *= AIM["cost"]
    ways = [enough(g, wanted, cost) for wanted in conditions(g)]
    return min(ways, key=lambda hexes: (sum(cost[hex] for hex in missing(g, hexes)), sorted(hexes)))


def efforts(picture: Picture, wanted: frozenset[int], force: Force) -> list[int]:
    """The places that a side might put above the others: to the Axis those that it could go for instead, the cheapest first; to
    the Allies those that the Axis needs most and could be at soon."""
    g = picture.g
    if picture.side == AXIS:
        cost = {hex: price(picture, hex) for hex in setting(g).victory if not friendly(g, AXIS, hex)}
        usual = focus(picture, wanted)
        found = [hex for hex in sorted(cost, key=cost.__getitem__) if focus(picture, wanted, hex) != usual]
    else:
        worth = {hex: much for hex, much in stakes(picture, force).items() if not friendly(g, AXIS, hex)}
        near = [hex for hex in worth if picture.enemy_time(hex) <= force.far]
        found = sorted(near, key=lambda hex: (-worth[hex], picture.enemy_time(hex), hex))
    return found[: int(SCORE["aims"])]


def missing(g: G, wanted: frozenset[int]) -> list[int]:
    """Those of some locations that the Axis does not hold."""
    return [hex for hex in sorted(wanted) if not friendly(g, AXIS, hex)]


def claims(picture: Picture, wanted: frozenset[int], force: Force, aim: int | None = None) -> list[Goal]:
    """The places that matter to a side now, the most wanted first, each with the least that it needs; to the Allies a place at
    which they aim matters more."""
    g, side = picture.g, picture.side
    worth = dict.fromkeys(setting(g).sources[side], force.source)
    if side == AXIS:
        worth.update({hex: force.other for hex in setting(g).victory if friendly(g, AXIS, hex)})
        worth.update(dict.fromkeys(wanted, 1.0))
        return sorted((_claim(picture, hex, much, force) for hex, much in worth.items()), key=_by_worth)
    worth.update(stakes(picture, force))
    for position in POSITIONS.get(setting(g).name, ()):
        if g.state.turn <= position.until:
            worth[position.hex] = position.worth
    if aim is not None:
        worth[aim] *= AIM["worth"]
    found = [_claim(picture, hex, much, force) for hex, much in worth.items()]
    lost = crisis(g)
    if lost:
        found = [
            _retaken(goal, force) if goal.hex in lost else goal._replace(need=min(goal.need, 1.0)) for goal in found
        ]
    return sorted(found, key=lambda goal: (goal.take and not lost, *_by_worth(goal)))


def goals(
    picture: Picture, claimed: Iterable[Goal], wanted: frozenset[int], force: Force, aim: int | None = None
) -> list[Goal]:
    """What is claimed, with what it takes to hold each place against all that the enemy could bring: the Axis holds with more
    when it is about to win, the Allies where they aim, but not when something must be taken back at once."""
    g, side = picture.g, picture.side
    if side == ALLIED and crisis(g):
        return list(claimed)
    hold = force.hold
    if side == AXIS and (turns_left(g) < 1 or not missing(g, wanted)):
        hold *= force.last

    def held(goal: Goal) -> Goal:
        if goal.take or goal.need < force.garrison:
            return goal
        much = hold * (AIM["need"] if side == ALLIED and goal.hex == aim else 1.0)
        return goal._replace(need=min(force.most, max(force.garrison, much * picture.threat[goal.hex])))

    return [held(goal) for goal in claimed]


def _by_worth(goal: Goal) -> tuple[float, int]:
    return -goal.worth, goal.hex


def crisis(g: G) -> frozenset[int]:
    """The locations of which the Allies must take one back in this turn: the Axis would win at its end (18.1.5, 18.2.6)."""
    cards = setting(g)
    due = [wanted for wanted in conditions(g) if "last" not in wanted or g.state.turn <= wanted["last"]]
    if cards.name == "faid" or not any("last" in wanted for wanted in due):
        due = due if g.state.turn == cards.last else []
    held = frozenset(hex for hex in cards.victory if friendly(g, AXIS, hex))
    done = [wanted for wanted in due if victory.fulfilled(g, wanted)]
    return held if done else frozenset()


def _retaken(goal: Goal, force: Force) -> Goal:
    """A place that must be taken back now, with whatever can be had."""
    return goal._replace(worth=force.key, need=force.most / 2) if goal.take else goal


def stakes(picture: Picture, force: Force) -> dict[int, float]:
    """What each victory location is worth to the Allies: most where the Axis cannot win without it, all of it where the Axis
    would take it as one of the next that it needs; less for those it would take instead, and for those that it has."""
    g = picture.g
    cost = {hex: price(picture, hex) for hex in setting(g).victory}
    worth = {hex: force.lost if friendly(g, AXIS, hex) else force.other for hex in cost}
    for wanted in conditions(g):
        named = {BOARD[name] for name in wanted.get("all", ())}
        next_ones = missing(g, enough(g, wanted, cost))
        spare = sorted(
            (hex for hex in cost if hex not in next_ones and not friendly(g, AXIS, hex)), key=cost.__getitem__
        )
        for hex in next_ones:
            worth[hex] = max(worth[hex], force.key if hex in named else 1.0)
        for hex in spare[:1]:
            worth[hex] = max(worth[hex], force.instead)
    return worth


def _claim(picture: Picture, hex: int, worth: float, force: Force) -> Goal:
    g, side = picture.g, picture.side
    ours = friendly(g, side, hex) if hex in g.state.control else hex not in picture.theirs
    if not ours:
        enemies = picture.around(hex, int(force.around), picture.enemy)
        return Goal(hex, worth, True, max(force.garrison, force.take * enemies))
    away = picture.enemy_time(hex)
    counts = hex in setting(g).victory or worth > force.source
    if away > (force.far if counts else force.close):
        return Goal(hex, worth, False, 0.0)
    return Goal(hex, worth, False, 1.0 if away > force.near else force.garrison)


def share_out(picture: Picture, units: Iterable[int], found: list[Goal], force: Force) -> dict[int, Goal]:
    """Who goes for which goal: one after another the goal that lacks most for its worth gets the unit near it that is wanted
    least elsewhere; the rest go where they are soonest and most wanted, rather than where there are enough already."""
    g = picture.g
    aims: dict[int, Goal] = {}
    free = {unit for unit in units if LINE[unit]}
    away = _times(picture, free, found)
    nearest = {unit: min(times.values(), default=0.0) for unit, times in away.items()}
    given = {
        goal.hex: float(sum(defence_strength(g, u, False) for u in picture.own.get(goal.hex, ()) if u not in away))
        for goal in found
    }

    def give(unit: int, goal: Goal) -> None:
        aims[unit] = goal
        given[goal.hex] += attack_strength(g, unit, False) if goal.take else defence_strength(g, unit, False)
        free.discard(unit)

    if picture.side == ALLIED:
        found = [goal for goal in found if not goal.take or _within_reach(g, goal, away, force.back)] or found
    short = {goal.hex: goal for goal in found if goal.need > 0}
    close = {hex: [unit for unit in free if away[unit][hex] <= force.turns] for hex in short}
    while short and free:
        goal = max(short.values(), key=lambda goal: (_lack(goal, given[goal.hex], force), -goal.hex))
        if given[goal.hex] >= goal.need:
            break
        near = [unit for unit in close[goal.hex] if unit in free]
        if not near:
            del short[goal.hex]
            continue
        give(
            min(
                near, key=lambda u: (2 * away[u][goal.hex] - nearest[u] - _suits(g, u, goal, given[goal.hex], force), u)
            ),
            goal,
        )
    rest = [goal for goal in found if goal.need > 0] or found
    plenty = {goal.hex: _plenty(goal, given[goal.hex], force.surplus) for goal in rest}

    def reluctance(goal: Goal) -> tuple[float, int]:
        """How little the unit wants to go for a goal."""
        return away[unit][goal.hex] / goal.worth + plenty[goal.hex] + (0.0 if goal.take else 1.0), goal.hex

    for unit in sorted(free, key=lambda u: (nearest[u], u)):
        if rest:
            goal = min(rest, key=reluctance)
            give(unit, goal)
            plenty[goal.hex] = _plenty(goal, given[goal.hex], force.surplus)
    return aims


def _within_reach(g: G, goal: Goal, away: Mapping[int, Mapping[int, float]], turns: float) -> bool:
    """Whether those who are so many turns off could take a place back."""
    near = [unit for unit, times in away.items() if times[goal.hex] <= turns]
    return sum(attack_strength(g, unit, False) for unit in near) >= goal.need


def _suits(g: G, unit: int, goal: Goal, given: float, force: Force) -> float:
    """How many turns a unit may be further off than another and yet be chosen: the strong to take a place, and one who can dig
    as the first to hold it."""
    if goal.take:
        return force.strong * attack_strength(g, unit, False)
    digs = INFANTRY[unit] and given == 0.0 and setting(g).works and goal.hex not in g.state.strongpoint
    return force.digger if digs else 0.0


def _lack(goal: Goal, given: float, force: Force) -> float:
    """How much a goal lacks for its worth; a place that nobody holds comes before all."""
    bare = force.bare if not goal.take and given == 0.0 and goal.worth > force.source else 0.0
    return goal.worth * (1.0 - given / goal.need) + bare


def _times(picture: Picture, units: Iterable[int], found: Iterable[Goal]) -> dict[int, dict[int, float]]:
    """The turns each unit needs to each place, about; those that start alike share theirs."""
    g, hexes = picture.g, [goal.hex for goal in found]
    times: dict[int, dict[int, float]] = {}
    known: dict[tuple[tuple[int, ...], int, float], dict[int, float]] = {}
    ways = {kind: np.array([way_to(hex, kind, picture.rain) for hex in hexes]) for kind in {CROSSES[u] for u in units}}
    for unit in units:
        here = g.state.where[unit]
        starts = (here,) if 0 <= here < HEXES else boxes.ways_in(g, unit)
        points = max(1.0, allowance(g, unit) / HALVES)
        key = (starts, CROSSES[unit], points)
        if key not in known:
            left = ways[CROSSES[unit]].take(starts, axis=-1).min(axis=-1, initial=NOT_THERE) / points
            known[key] = dict(zip(hexes, left.tolist(), strict=True))
        times[unit] = known[key]
    return times


def _plenty(goal: Goal, given: float, surplus: float) -> float:
    """How much there is more than enough for a goal, in turns that a unit would rather march."""
    return max(0.0, given / max(goal.need, 1.0) - 1.0) * surplus
