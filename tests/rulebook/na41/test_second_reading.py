"""The sequence of play, arrivals, events, convoys, Delay markers, Supply Attrition and Victory Points worked out a second time,
from the charts alone, and compared with every phase of random games."""

from __future__ import annotations

import random
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from khamsin.games.na41 import RULES, supply
from khamsin.games.na41.units import (
    ASU,
    BOARD,
    COMBAT,
    HEXES,
    NATION,
    REPLACEMENT,
    REPLACES,
    SCHEDULE,
    SIDE,
    SIDES,
    STEPS,
    TRUCK,
    UNITS,
    G,
    Na41State,
    name,
)
from khamsin.kernel import Decision, Match, SeededDice
from khamsin.kernel.dice import Roll
from khamsin.kernel.rules import Phase, Procedure

AXIS, ALLIED = 0, 1
TURNS = {"enter-rommel": (1, 7), "campaign": (1, 19), "crusader": (17, 19)}
SUMMER = range(8, 12)
LUFTWAFFE = {1, 2, 3, 4, 5, 19}
STEPS_OF_TURN = ("initial", "movement", "combat", "recovery", "supply", "delay")
BASE = ("Italy", "Nile Delta")
EDGE = ("Tripoli", "Nile Delta")
STOCK = ("axis_sp", "allied_sp")
AIRFIELDS = ("3212", "3629", "3041", "2751", "2264")
EVENTS = (
    ["Air Transport", "Bombing Raid", "Axis Strafing", "Italian Air Support", "RP", "RP", "German Air Support",
     "Comando Supremo", "German Air Support", "Axis Strafing", "RP"],
    ["LRDG", "Coastal Convoy", "Allied Strafing", "Allied Air Support", "RP", "RP", "RP", "Bombing Raid",
     "Allied Air Support", "LRDG", "RP"],
)  # fmt: skip
"""By side, the events of the rolls 2 to 12 (23.1)."""
MARKERS = {"Allied Air Support": 2, "Axis Strafing": 2, "Allied Strafing": 2}
"""The markers of assets with more than one (18.7.1, 18.7.5)."""
SECTIONS = ((0, 0, 0, 0, 1, 1, 2, 2, 3, None, None), (3, 3, 3, 2, 2, 1, 1, 0, 0, None, None))
"""By side, the map sections of the rolls 2 to 12, counted from the west (25.1)."""
AT_SEA = ("00000", "00002", "00023", "00223", "02234", "02334", "23345", "23445", "24455", "34555", "35555")
"""The Anti-Shipping Table for 2 to 12 (22.2.1)."""
COLUMNS = (
    {"Tripoli": 1, "3211": 2, "3828": 3, "3138": 4, "2845": 5, "2560": 5},
    {"2560": 1, "2845": 2, "3138": 3, "3828": 4, "3211": 5},
)
LIKED = [RULES.button(word) for word in ("ship", "ports", "spend", "fortify", "fly", "sail", "yes")]


class RecordedDice(SeededDice):
    """Dice that keep what each roll was for."""

    __slots__ = ("record",)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.record: list[Roll] = []

    def roll(self, purpose: str, rule: str = "", sides: int = 6, to: int = -1) -> int:
        value = super().roll(purpose, rule, sides, to)
        self.record.append(Roll(purpose, rule, sides, value, to))
        return value


class Made(NamedTuple):
    """A click: the decision's kind, its rule, and the click by name."""

    kind: str
    rule: str
    name: str


class Sailing(NamedTuple):
    """A convoy that sails: from where, where to, its units, its loose Supply Points, and the state before."""

    start: str
    end: str
    units: tuple[int, ...]
    points: int
    before: Na41State


def sequence(scenario: str) -> Iterator[tuple[int, str]]:
    """The phases of a scenario (3.1, 3.2, S1.2, S3.2)."""
    first, last = TURNS[scenario]
    for turn in range(first, last + 1):
        if turn > first:
            yield turn, "preparation"
        for impulse in (1, 3) if turn in SUMMER else (1, 2, 3):
            for side in ("allied", "axis"):
                if turn > first or scenario == "crusader" or (impulse, side) == (3, "axis"):
                    yield from [(turn, f"impulse {impulse} {side} {step}") for step in STEPS_OF_TURN]
        yield turn, "supply attrition"
        yield turn, "victory points"


def flag(state: Na41State, unit: int, word: str) -> bool:
    """Whether a unit has a flag."""
    return bool(state.flags[unit] & RULES.flag[word])


def pieces(state: Na41State, side: int, hex: int) -> bool:
    """Whether a side has a unit of any kind in a hex (2.3.1)."""
    return hex in getattr(state, STOCK[side]) or any(SIDE[u] == side and state.where[u] == hex for u in UNITS)


def section(hex: int) -> int:
    """The map section of a hex, by its column (25.1)."""
    column = int(BOARD.name(hex)[2:])
    return sum(column > last for last in (27, 46, 66))


def over_land(starts: Iterable[int]) -> dict[int, int]:
    """The land hexes from these to every hex."""
    found = dict.fromkeys(starts, 0)
    queue = deque(found)
    while queue:
        here = queue.popleft()
        for near in BOARD.around(here):
            if near not in found and BOARD.terrain_name(near) != "sea":
                found[near] = found[here] + 1
                queue.append(near)
    return found


LAND = [hex for hex in range(HEXES) if BOARD.terrain_name(hex) != "sea"]
AWAY = [over_land([hex for hex in LAND if section(hex) == number]) for number in range(4)]


class Reader:
    """A random game, with each phase and convoy compared with the charts."""

    def __init__(self, scenario: str, seed: int) -> None:
        self.ahead, self.scenario, self.chance = sequence(scenario), scenario, random.Random(seed)
        self.dice, self.live, self.sailing = RecordedDice(seed), None, None
        self.made: list[Made] = []
        self.seen = Counter[str]()
        self.match = Match(replace(RULES, phases=self.phases), scenario, dice=self.dice)

    live: G | None
    sailing: Sailing | None

    def phases(self, state: Na41State) -> tuple[Phase, ...]:
        return tuple([phase._replace(run=self.watched(phase)) for phase in RULES.phases(state)])

    def watched(self, phase: Phase) -> Any:
        """The phase with a look at the state before and after it; clones are not looked at."""

        def run(g: G) -> Procedure:
            self.live = self.live or g
            if g is not self.live:
                yield from phase.run(g)
                return
            assert next(self.ahead) == (g.state.turn, phase.name)
            before, rolled = g.state.copy(), len(self.dice.record)
            self.made.clear()
            yield from phase.run(g)
            check = getattr(self, f"check_{phase.name.split()[-1]}", None)
            if check is not None:
                check(g, phase.side, before, self.dice.record[rolled:])

        return run

    def play(self) -> None:
        """Play to the end."""
        while (decision := self.match.decision) is not None:
            click = self.pick(decision)
            word, rolled = RULES.names[click], len(self.dice.record)
            self.made.append(Made(decision.kind, decision.rule, word))
            if word == "sail" and str(decision.prompt).startswith("Load the convoy"):
                self.sailing, self.rolled = self.load(decision), rolled
            self.match.click(click)
            now = self.match.decision
            if self.sailing and (now is None or now.kind not in ("combat.remnant", "ship.divert", "ship.load")):
                self.check_convoy(self.sailing, self.dice.record[self.rolled :])
                self.sailing = None

    def pick(self, decision: Decision) -> int:
        """A random click, often one that ships, builds or buys something."""
        if decision.kind in ("ship.load", "ship.from", "ship.to", "resource.item", "build.place", "replace.unit"):
            more = [c for c in decision.legal if c < RULES.first_button and c not in decision.about]
            if more and self.chance.random() < 0.8:
                return self.chance.choice(more)
        liked = [click for click in LIKED if click in decision.legal] if self.chance.random() < 0.2 else []
        return self.chance.choice(liked) if liked else decision.pick(self.chance.random)

    # Phases

    def check_preparation(self, g: G, side: int, before: Na41State, rolls: list[Roll]) -> None:
        """Two Supply Points a side, the Malta marker, Rommel, the Surrender Boxes, replacements by kind and nation (3.1,
        12.5.2, 19.2.2, 22.3.3)."""
        state = g.state
        for owner in (AXIS, ALLIED):
            gained = Counter(getattr(state, STOCK[owner]))
            gained.subtract(getattr(before, STOCK[owner]))
            assert +gained == {BOARD[BASE[owner]]: 2}
        assert state.rommel
        by = -1 if state.turn in LUFTWAFFE else 1
        least = 4 + by * before.malta
        die = next((roll.value for roll in rolls if roll.purpose == "Malta status"), 6)
        assert state.malta == before.malta + (by if least <= 6 and die >= least else 0)
        for unit in UNITS:
            box = "" if before.where[unit] < 0 else BOARD.name(before.where[unit])
            if "Surrender" in box and state.where[unit] >= 0:
                after = f"{SIDES[SIDE[unit]]} {'Surrender, right' if 'left' in box else 'Eliminated'}"
                assert BOARD.name(state.where[unit]) in (after, "Withdrawn Units")
            if REPLACEMENT[unit] and state.where[unit] != before.where[unit]:
                assert BOARD.name(state.where[unit]) == BASE[SIDE[unit]]
                rows = [row for row in SCHEDULE["replacement"] if row["turn"] == state.turn]
                kind = "heavy" if flag(state, unit, "heavy") else REPLACES[unit]
                kinds = [row for row in rows if row["kind"] == kind and row["side"] == SIDES[SIDE[unit]]]
                assert any(row["nation"] == "any" or NATION[unit] in row["nation"].split("/") for row in kinds)
                self.seen["replacement"] += 1

    def check_initial(self, g: G, side: int, before: Na41State, rolls: list[Roll]) -> None:
        """Transport markers are removed, the event is received within its limits (5.9.1, 23.1, 23.2.3)."""
        state, who = g.state, SIDES[side]
        assert not any(flag(state, unit, "transported") for unit in UNITS if SIDE[unit] == side)
        event = EVENTS[side][sum([roll.value for roll in rolls if roll.purpose == f"{who} event"]) - 2]
        points = before.rp.get(who, 0) + (event == "RP" and not before.rp.get(f"{who} loses", 0))
        assert state.rp.get(who, 0) == min(points, 4)
        if event in ("RP", "Bombing Raid"):
            assert state.assets == before.assets
            return
        most, held = MARKERS.get(event, 1), before.assets.get(event, 0)
        placed = list(before.strafed.values()).count(side) if "Strafing" in event else 0
        placed = len(before.lrdg) if event == "LRDG" else placed
        left = max(most - held - placed, 0)
        assert state.assets.get(event, 0) == held + (left if "Strafing" in event else min(left, 1))
        self.seen["event"] += 1

    def check_delay(self, g: G, side: int, before: Na41State, rolls: list[Roll]) -> None:
        """Markers as placed, less the rolled numbers, those taken off and those under enemies (24.3)."""
        state = g.state
        number = {hex: before.number[hex] for hex, owner in before.delay.items() if owner == side}
        for made in self.made:
            if made.kind == "delay.place" and made.rule == "24.3.1" and made.name in BOARD:
                hex = BOARD[made.name]
                near = (hex, *BOARD.around(hex))
                assert not any(pieces(before, 1 - side, at) or at in before.fort or at in number for at in near)
                number[hex] = min({1, 2} - {*number.values()})
        dice = {roll.value for roll in rolls if "Delay marker" in roll.purpose}
        taken = {BOARD[made.name] for made in self.made if made.kind == "delay.remove" and made.name in BOARD}
        number = {hex: one for hex, one in number.items() if one not in dice and hex not in taken}
        number = {hex: one for hex, one in number.items() if not pieces(state, 1 - side, hex)}
        assert {hex: state.number[hex] for hex, owner in state.delay.items() if owner == side} == number
        kept = {hex for hex, owner in before.delay.items() if owner != side and not pieces(state, side, hex)}
        assert {hex for hex, owner in state.delay.items() if owner != side} == kept
        self.seen["delay"] += len(number)

    def check_attrition(self, g: G, everyone: int, before: Na41State, rolls: list[Roll]) -> None:
        """A Supply Point or a ready ASU of the section or nearest to it, if a combat unit is there or beyond (25.1)."""
        for side in (AXIS, ALLIED):
            dice = [roll.value for roll in rolls if roll.purpose.startswith(SIDES[side])]
            at, lost = SECTIONS[side][sum(dice) - 2], self.lost(g.state, before, side)
            own = [unit for unit in UNITS if SIDE[unit] == side and 0 <= before.where[unit] < HEXES]
            reached = [section(before.where[unit]) for unit in own if COMBAT[unit]]
            if at is None or not any(there >= at if side == AXIS else there <= at for there in reached):
                assert not lost
                continue
            stores = [*getattr(before, STOCK[side])]
            stores += [
                before.where[unit]
                for unit in UNITS
                if SIDE[unit] == side
                and ((TRUCK[unit] and flag(before, unit, "msu")) or (ASU[unit] and not flag(before, unit, "depleted")))
            ]
            stores = [there for there in stores if 0 <= there < HEXES or there == BOARD[EDGE[side]]]
            if not stores:
                assert not lost
                assert all(flag(g.state, unit, "oos") for unit in own)
                continue
            nearest = min([AWAY[at].get(there, HEXES) for there in stores])
            assert [AWAY[at].get(there, HEXES) for there in lost] == [nearest]
            self.seen["attrition"] += 1

    def lost(self, state: Na41State, before: Na41State, side: int) -> list[int]:
        """Where a side has lost a Supply Point or the readiness of an ASU."""
        gone = Counter(getattr(before, STOCK[side]))
        gone.subtract(getattr(state, STOCK[side]))
        used = [
            unit
            for unit in UNITS
            if SIDE[unit] == side
            and state.where[unit] >= 0
            and (flag(before, unit, "msu"), flag(state, unit, "depleted"))
            != (flag(state, unit, "msu"), flag(before, unit, "depleted"))
        ]
        return [*gone.elements(), *[before.where[unit] for unit in used]]

    def check_points(self, g: G, everyone: int, before: Na41State, rolls: list[Roll]) -> None:
        """One for each airfield in Full Supply above or below the benchmark (S2.3.1, S2.3.2)."""
        if self.scenario != "campaign":
            return
        held = [hex for hex in map(BOARD.__getitem__, AIRFIELDS) if g.state.control[hex] == AXIS]
        count = sum([supply.status_in(g, AXIS, hex) == supply.FULL for hex in held])
        points = before.vp + count - SCHEDULE["benchmark"]["airfields"][g.state.turn - 1]
        assert g.state.vp == max(-12, min(points, 12))
        assert (g.state.result is not None) == (abs(points) >= 12 or g.state.turn == 19)
        self.seen["victory"] += 1

    # Convoys

    def load(self, decision: Decision) -> Sailing:
        """The convoy that is about to sail, within its limits (21.1, 21.2, 21.3)."""
        start = [made.name for made in self.made if made.kind == "ship.from"][-1]
        words = re.fullmatch(r"Load the convoy to (.*): (\d+) of (\d+) Shipping Points", str(decision.prompt))
        assert words is not None
        state, units = self.match.state, tuple(decision.about)
        points = int(words[2]) - sum([self.value(state, unit) for unit in units])
        assert points >= 0
        assert int(words[2]) <= (14 if start == "Italy" else 2)
        for unit in units:
            assert BOARD.name(state.where[unit]) == start
            barred = ("disrupted", "full_retreat", "oos", "replaced", "transported")
            assert not any(flag(state, unit, word) for word in barred)
        for port in (start, words[1]):
            assert port in ("Italy", *EDGE) or state.control[BOARD[port]] == decision.side
        return Sailing(start, words[1], units, points, state.copy())

    def value(self, state: Na41State, unit: int) -> int:
        """The Shipping Points of a unit: by stacking value, or one for each step (21.2)."""
        if not COMBAT[unit]:
            return 1 + (TRUCK[unit] and flag(state, unit, "msu"))
        remnant = STEPS[unit] == 3 and state.steps[unit] == 1
        symbol = RULES.counters[unit].symbol
        if symbol in ("armour", "88mm flak", "headquarters", "artillery"):
            return state.steps[unit]
        return 1 if remnant or RULES.counters[unit].size == "battalion" else 2

    def check_convoy(self, convoy: Sailing, rolls: list[Roll]) -> None:
        """The result of the table, a die for each step, point and truck, and what lands (22.2, 22.3)."""
        if any("convoy to 3211" in roll.purpose for roll in rolls) and convoy.start == "Italy":
            return
        state, before = self.match.state, convoy.before
        side = AXIS if convoy.start in ("Italy", "Tripoli") else before.control.get(BOARD[convoy.start], ALLIED)
        column = max([COLUMNS[side].get(port, 0) for port in (convoy.start, convoy.end)])
        dice = [roll.value for roll in rolls if roll.purpose == f"convoy to {convoy.end}"]
        assert len(dice) == (2 if column else 0)
        modifier = before.malta if convoy.start == "Italy" else self.coastal(before, side)
        total = max(2, min(sum(dice) + modifier, 12))
        hit = int(AT_SEA[total - 2][column - 1]) if column else 0
        cargo = [before.steps[u] if COMBAT[u] else 1 + flag(before, u, "msu") for u in convoy.units]
        assert sum([roll.purpose.endswith("at sea") for roll in rolls]) == (convoy.points + sum(cargo) if hit else 0)
        struck = Counter([roll.purpose for roll in rolls if roll.value <= hit])
        saved = 0
        for unit in convoy.units:
            if COMBAT[unit]:
                sunk = [r for r in rolls if hit and r.purpose == f"{name(unit)} at sea" and r.value < hit]
                left = before.steps[unit] - len(sunk)
                assert state.steps[unit] in ((left, 0) if STEPS[unit] == 3 and sunk and left < 2 else (left,))
                lost = not state.steps[unit]
            else:
                lost = bool(struck[f"{name(unit)} at sea"])
                afloat = flag(before, unit, "msu") and not struck[f"the Supply Point of {name(unit)} at sea"]
                assert flag(state, unit, "msu") == (afloat and not lost)
                saved += afloat and lost
            assert (BOARD.name(state.where[unit]) == convoy.end) == (not lost)
            assert lost or flag(state, unit, "transported")
        here, landed = BOARD[convoy.end], convoy.points - struck["a Supply Point at sea"] + saved
        points = getattr(state, STOCK[side]).get(here, 0) - getattr(before, STOCK[side]).get(here, 0)
        assert (points, state.landed.get(here, 0) - before.landed.get(here, 0)) == (landed, landed)
        self.seen["attacked convoy" if hit else "convoy"] += 1

    def coastal(self, state: Na41State, side: int) -> int:
        """-1 for each airfield, for Crete, and in the third impulse (22.2.2, 22.2.3)."""
        fields = sum([state.control[BOARD[hex]] == side for hex in AIRFIELDS])
        return -fields - ((state.turn >= 6) == (side == AXIS)) - (state.impulse == 3)


@pytest.mark.parametrize(("scenario", "seed"), [("enter-rommel", 9), ("crusader", 7), ("campaign", 9)])
def test_the_charts_hold_in_random_games(scenario: str, seed: int) -> None:
    """(3.1, 3.2, 12.5.2, 19.2.2, 21.1, 21.2, 21.3, 22.2, 22.3.3, 23.1, 24.3, 25.1, S2.3). If a kind is missing after a change
    of the rules, another seed has it."""
    reader = Reader(scenario, seed)
    reader.play()
    wanted = ["replacement", "event", "delay", "attrition", "convoy", "attacked convoy"]
    assert [kind for kind in wanted if not reader.seen[kind]] == []
    assert scenario != "campaign" or reader.seen["victory"]
