"""Any earlier moment of a match, its timeline, its record, and new matches from earlier moments.

A replay keeps checkpoints: copies of the match at top-level decisions, without its log, rolls and clicks. All replays
of a process share one memory budget.
"""

from __future__ import annotations

import io
import json
import math
import random
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any, Literal, NamedTuple

import orjson

from khamsin.kernel import position, record
from khamsin.kernel.dice import DiceError, KeyedDice, ReplayDice, SeededDice, commitment
from khamsin.kernel.match import Match
from khamsin.kernel.rules import EVERYONE, ROLLED, Find
from khamsin.server import limits, views, wire
from khamsin.server.click_checks import Refused
from khamsin.server.history import (
    AUTOMATIC,
    CLAIM,
    CLICK,
    ORDER,
    RESIGN,
    Diverged,
    MatchHistory,
    count_rolls,
    fold_clicks,
    fold_log,
    same_state,
)
from khamsin.server.live_match import dice_view
from khamsin.server.store import Contribution, Entry, Head, Saved, Snapshot
from khamsin.server.views import StoredLine

EVERY = 50
"""Smallest number of clicks between two checkpoints."""
CHECKPOINTS = 128
"""Most checkpoints of one replay: in a long game they are further apart."""
CLICK_BYTES, LINE_BYTES, CHOICE_BYTES = 300, 420, 200
"""Estimated memory of a click with its rolls, of a log line besides its text, and of a legal click of a decision."""

Logged = tuple[str, int | None, int]
"""The rule of a log line, its roll, and its viewers. Its wording may change between versions."""
Played = tuple[str, str, tuple[int, ...]]
"""The kind of a click, the click, and its rolls."""


class Step(NamedTuple):
    """A click of a replay, its rolls, and the turn and phase after it."""

    text: str
    rolls: tuple[int, ...]
    turn: int
    phase: str
    phase_side: int
    side: int
    kind: str


class Replay:
    """The replay of a match, up to the entry where it was read."""

    def __init__(self, saved: Saved, find: Find) -> None:
        self.head = saved.head
        self.find = find
        self.rules = find(saved.head.game)
        self.opening = saved.entries[0]
        self.seq = saved.entries[-1].seq
        names, click = self.rules.names, self.rules.click
        self.clicks = []
        for e in fold_clicks(saved.entries):
            name = self.rules.present_name(e.text, click)
            name = names[click[name]] if name in click else name  # the same string as that of the rules
            self.clicks.append(Step(name, e.rolls, e.turn, sys.intern(e.phase), e.phase_side, e.side, e.kind))
        self.lines = fold_log(saved.entries)
        self._logged: dict[int, list[Logged]] = {}
        """What was logged after each click."""
        last = saved.entries[-1]
        self.conceded = (last.kind, int(last.text)) if last.kind in (RESIGN, CLAIM) else None
        for line in self.lines[: -len(last.lines)] if self.conceded else self.lines:
            if line.note not in views.OF_SERVER:
                self._logged.setdefault(line.click, []).append((line.rule, line.roll, line.to))
        self.first, self.start, self.rolls, self.drawn = 0, saved.head.start, self.opening.rolls, 0
        for entry in saved.entries:
            if entry.kind == "resume":
                # Other rules played what came before: only the log has it.
                about = orjson.loads(entry.text)
                self.first, self.start, self.rolls = about["clicks"], about["position"], ()
                self.drawn = count_rolls(saved.entries[: entry.seq + 1])
        self.drawn_in_all = count_rolls(saved.entries)
        self.spacing = max(EVERY, math.ceil(len(self.clicks) / CHECKPOINTS))
        self._unverified = next((one for one in saved.snapshots if one.clicks >= self.first), None)
        """The oldest stored snapshot, until the replay has been compared with it."""
        self.keeps = True
        """Whether it adds checkpoints: one that exceeds the memory budget does not."""
        self._base = CLICK_BYTES * len(self.clicks) + sum(LINE_BYTES + len(line.text) for line in self.lines)
        self._copies: dict[int, Match[Any]] = {}
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """Estimated bytes of the click list, the log and the checkpoints."""
        return self._base + sum(match_bytes(copy) for copy in list(self._copies.values()))

    def adopt(self, old: Replay) -> None:
        """Take over the checkpoints of an earlier replay of this game, as far as the clicks are the same."""
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old.clicks, self.clicks, strict=False)))
        last = -self.spacing
        if same and old._unverified is None:
            self._unverified = None
        for click, match in sorted(old._copies.items()):
            if click <= same and click - last >= self.spacing:
                self._copies[click] = match
                last = click

    def at(self, click: int) -> Match[Any]:
        """Return the match after this many clicks, without its log and clicks. It belongs to the caller."""
        if not self.first <= click <= len(self.clicks):
            raise Refused("invalid", f"{click}: expected a click from {self.first} to {len(self.clicks)}")
        self.verify()
        with self._lock:
            return self._at(click)

    def _at(self, click: int) -> Match[Any]:
        nearest = max((known for known in self._copies if known <= click), default=None)
        if nearest is None:
            nearest, match = self.first, self._begun()
        else:
            match = self._copies[nearest].clone(SeededDice(0))
        for step in self._run(match, nearest, click):
            match = step[0]
        return match

    def verify(self) -> None:
        """Compare the replay with the oldest stored snapshot, once. If the state differs, the rules have changed, though every
        click is still legal."""
        with self._lock:
            kept = self._unverified
            if kept is not None and not self._is_same(kept):
                raise CORRECTED
            self._unverified = None

    def _is_same(self, kept: Snapshot) -> bool:
        """Whether the replay leads to the state of a snapshot, which may be of the end by resignation or claim."""
        match = self._at(kept.clicks)
        if same_state(match, kept, self.find):
            return True
        if self.conceded is None or kept.clicks != len(self.clicks):
            return False
        match.concede(self.conceded[1], self.conceded[0])
        return same_state(match, kept, self.find)

    def _run(self, match: Match[Any], number: int, end: int) -> Iterator[tuple[Match[Any], int, int]]:
        """Play the clicks up to `end`. After each, yield the match and how many events and rolls it had before the click.
        At a checkpoint the run goes on with a copy, which has no events, rolls or clicks."""
        last = number
        while number < end:
            happened, fell = len(match.events), len(match.game.rolls)
            self._play(match, number)
            number += 1
            yield match, happened, fell
            if number - last >= self.spacing and (match.decision is None or match.decision.top):
                last = number
                copy = match.clone(SeededDice(0))
                copy.clicks.clear()
                if self.keeps:
                    self._copies[number] = copy
                match = copy.clone(SeededDice(0))

    def _begun(self) -> Match[Any]:
        dice = ReplayDice(self.rolls)
        try:
            if self.start is None:
                return Match(self.rules, self.head.scenario, self.head.options, dice)
            game = position.read_game(self.start, self.find)
            game.use(dice)
            return Match.at(game)
        except (ValueError, RuntimeError) as error:
            raise CORRECTED from error

    def _play(self, match: Match[Any], number: int) -> None:
        """Replay one click; one on a removed button is left out.

        It must log the same rules, rolls and viewers as before; the text may differ.
        """
        entry, happened = self.clicks[number], len(match.events)
        match.game.use(ReplayDice(entry.rolls))
        try:
            if entry.text:
                match.click(self.rules.parse(entry.text))
        except (ValueError, DiceError, RuntimeError) as error:
            raise CORRECTED from error
        logged = [(event.rule, views.rolled(event), event.to) for event in match.events[happened:]]
        if logged != self._logged.get(number + 1, []):
            raise CORRECTED

    def view(self, click: int, viewer: int, version: int, over: bool) -> wire.View:
        """Return all that a viewer could see after a number of clicks."""
        match = self.at(click)
        if self.conceded is not None and click == len(self.clicks):
            match.concede(self.conceded[1], self.conceded[0])
        seen = views.seen(match, viewer)
        log = [views.log_line(line) for line in self.lines if line.click <= click and views.may_see(line, viewer)]
        return {
            "id": self.head.id, "version": version, "clicks": click, "began": click, "made": [], **seen.fields,
            "question": None, "units": seen.units, "log_from": 0, "log": log,
            "dice": dice_view(self.head, self.rules.sides, over), "opened": self.head.opened, "frozen": None,
        }  # fmt: skip

    def timeline(self, viewer: int) -> wire.Timeline:
        """Return the moments worth jumping to: phases and rolls."""
        falls: dict[int, str] = {}
        for line in self.lines:
            if line.roll is not None and views.may_see(line, viewer):
                falls.setdefault(line.click, line.text)
        before: Entry | Step = self.opening
        moments = [_moment(self, 0, self.opening, "phase", self.opening.phase)]
        if 0 in falls:
            moments.append(_moment(self, 0, self.opening, "roll", falls[0]))
        for click, entry in enumerate(self.clicks, 1):
            if click in falls:
                moments.append(_moment(self, click, before, "roll", falls[click]))
            if (entry.turn, entry.phase) != (before.turn, before.phase):
                moments.append(_moment(self, click, entry, "phase", entry.phase))
            before = entry
        return {"clicks": len(self.clicks), "moments": moments}

    def record(self, players: dict[str, str], with_key: bool) -> str:
        """Return the record of the match; with the key of its dice if the caller may know it."""
        self.verify()
        match = self._whole()
        if self.conceded is not None:
            match.concede(self.conceded[1], self.conceded[0])
        live = self.head.live_dice()
        live.count = max(0, self.drawn_in_all - self.head.dice_from)
        passed_over = max(0, self.drawn - self.head.dice_from)
        if passed_over:
            match.skips[1] = passed_over
        match.game.use(live)
        return record.write(match, players, with_key)

    def fallen(self) -> wire.Rolls:
        """Return every roll, to be checked against the key of the dice."""
        with self._lock:
            match = self._begun()
            rolls = _told(match, 0, 0)
            for step in self._run(match, self.first, len(self.clicks)):
                rolls += _told(*step)
        first = self.drawn - self.head.dice_from
        for number, roll in enumerate(rolls, first):
            roll["number"] = number
            roll["click"] += self.first
        return {"rolls": rolls}

    def _whole(self) -> Match[Any]:
        match = self._begun()
        for number in range(self.first, len(self.clicks)):
            made = len(match.clicks)
            self._play(match, number)
            if self.clicks[number].kind != CLICK and len(match.clicks) > made:
                match.automatic.add(len(match.clicks))
                if self.clicks[number].kind == ORDER:
                    match.ordered.add(len(match.clicks))
        return match

    def branch(self, click: int, head: Head) -> tuple[MatchHistory, list[Entry]]:
        """Return a new match that repeats this one up to a click and continues with new dice."""
        if not self.first <= click <= len(self.clicks):
            raise Refused("invalid", f"{click}: expected a click from {self.first} to {len(self.clicks)}")
        self.verify()
        played = [(step.kind, step.text, step.rolls) for step in self.clicks[self.first : click] if step.text]
        fell = len(self.rolls) + sum(len(rolls) for *_, rolls in played)
        head = head._replace(
            game=self.head.game, scenario=self.head.scenario, options=self.head.options, start=self.start,
            dice_from=fell,
        )  # fmt: skip
        return transcribe(head, self.find, self.rolls, played)

    def branch_imagined(self, click: int, head: Head, side: int) -> tuple[MatchHistory, list[Entry]]:
        """Return a new match from a moment as one side knew it; hidden information is imagined."""
        try:
            match = self.at(click).imagined(side, random.SystemRandom(), SeededDice(0))
            start = position.write_game(match.game, match.top_level_state())
        except ValueError as error:
            raise Refused("invalid", f"A match cannot branch off here: {error}") from error
        head = head._replace(game=self.head.game, scenario=self.head.scenario, options=self.head.options, start=start)
        history = MatchHistory.begun(head, self.rules, self.find)
        return history, [history.start_entry()]


CORRECTED = Refused("changed", "The rules were updated: this moment cannot be shown any more")


class Replays:
    """Replays used recently, within one memory budget."""

    def __init__(self, budget: int = limits.REPLAY_MEMORY) -> None:
        self.budget = budget
        self._kept: OrderedDict[str, Replay] = OrderedDict()

    @property
    def size(self) -> int:
        """Estimated bytes of all replays that are kept."""
        return sum(replay.size for replay in self._kept.values())

    def get(self, match: str, seq: int) -> Replay | None:
        """Return the replay that reaches up to this entry, if it is cached."""
        replay = self._kept.get(match)
        if replay is None or replay.seq != seq:
            return None
        self._kept.move_to_end(match)
        return replay

    def keep(self, replay: Replay) -> Replay:
        """Keep a replay in place of an older one of the same game, unless it alone exceeds the budget."""
        old = self._kept.pop(replay.head.id, None)
        if old is not None and old.first == replay.first:
            replay.adopt(old)
        self._kept[replay.head.id] = replay
        self.trim()
        return replay

    def trim(self) -> None:
        """Drop the least recently used replays that exceed the budget. Call it when a replay has been used."""
        total = 0
        for match, replay in reversed(list(self._kept.items())):
            total += replay.size
            if total > self.budget:
                total -= replay.size
                replay.keeps = False
                del self._kept[match]


def match_bytes(match: Match[Any]) -> int:
    """Estimate the memory of a checkpoint: the columns and dictionaries of its state, and its decision."""
    state = match.state
    fields = sum(sys.getsizeof(getattr(state, name)) for name in state._copied)
    numbers = 32 * len(state.where)
    return fields + numbers + (CHOICE_BYTES * len(match.decision.legal) if match.decision else 0) + 2000


def check_length(text: str) -> None:
    """Reject a record with more clicks than its scenario allows, before anything of it is replayed."""
    lines = (line for line in io.StringIO(text) if not line.isspace())
    first = next(lines, "")
    clicks = sum(1 for _ in lines) - 1
    try:
        header = json.loads(first)
        game, scenario = str(header["game"]), str(header["scenario"])
    except (ValueError, LookupError, TypeError):
        game = scenario = ""  # not a header: the reader reports the error, but not of any number of lines
    most = limits.import_clicks(game, scenario)
    if clicks > most:
        of = f" of {game} {scenario}" if scenario else ""
        raise Refused("invalid", f"The record has {clicks:,} clicks; a record{of} may have {most:,}")


def imported(text: str, head: Head, find: Find) -> tuple[MatchHistory, list[Entry]]:
    """Return the game of a record. A game that is not over continues with new dice: the record holds the key of the old ones,
    and its owner could compute them in advance."""
    try:
        check_length(text)
        match = record.read(text, find)
        dice = match.game.dice
        fell: dict[int, list[int]] = {}
        for number, _, value in match.game.rolls:
            fell.setdefault(number, []).append(value)
        start = None if match.start is None else position.write_game(match.game, match.start)
        head = head._replace(
            game=match.rules.id, scenario=match.game.scenario.name, options=dict(match.game.options), start=start,
            dice_from=len(match.game.rolls),
        )  # fmt: skip
        if match.over and isinstance(dice, KeyedDice) and 0 < dice.count <= len(match.game.rolls):
            head = head._replace(
                dice=dice.key, dice_from=len(match.game.rolls) - dice.count, seed=dice.seed,
                contributions=tuple(
                    Contribution(side, commitment(value), value.hex()) for side, value in dice.contributed()
                ),
            )  # fmt: skip
        names, conceded, warnings = match.rules.names, match.conceded, match.warnings[:1]
        played = [
            (_kind(match, number), names[click], tuple(fell.get(number, ())))
            for number, click in enumerate(match.clicks, 1)
        ]
        del match
        history, entries = transcribe(head, find, tuple(fell.get(0, ())), played, warnings)
        if conceded is not None:
            entries.append(history.concede(*conceded))
        return history, entries
    except RecursionError:
        raise Refused("invalid", "The record is nested too deep") from None
    except (ValueError, RuntimeError, LookupError, TypeError, ArithmeticError) as error:
        raise Refused("invalid", str(error)) from None


def _kind(match: Match[Any], number: int) -> str:
    """Return the kind of entry that a click of a record, counted from 1, becomes."""
    if number in match.ordered:
        return ORDER
    return AUTOMATIC if number in match.automatic else CLICK


def transcribe(
    head: Head, find: Find, rolls: tuple[int, ...], played: Iterable[Played], warnings: Iterable[str] = ()
) -> tuple[MatchHistory, list[Entry]]:
    """Return a match played again from its start, and its entries. The log begins with the warnings."""
    try:
        history = MatchHistory.begun(head, find(head.game), find, rolls)
        history.log[:0] = [StoredLine(0, "", warning, None, EVERYONE) for warning in warnings]
        entries = [history.start_entry()]
        for kind, click, fell in played:
            entries.append(history.replay_click(kind, click, fell))
            if history.phase_key() != history.phase_began.phase and history.match.restart_point() is not None:
                history.phase_began = history.point()
    except (Diverged, ValueError, RuntimeError) as error:
        raise CORRECTED from error
    return history, entries


def _told(match: Match[Any], happened: int, fell: int) -> list[wire.RollView]:
    """Return the rolls after an event and a roll, each with its purpose and rule."""
    told = [event for event in match.events[happened:] if event.text == ROLLED]
    return [
        {
            "number": 0,
            "click": click,
            "purpose": event.data["purpose"],
            "rule": event.rule,
            "sides": sides,
            "value": value,
        }
        for (click, sides, value), event in zip(match.game.rolls[fell:], told, strict=True)
    ]


def _moment(replay: Replay, click: int, entry: Entry | Step, kind: Literal["phase", "roll"], text: str) -> wire.Moment:
    side = views.side_name(replay.rules, entry.phase_side)
    return {"click": click, "turn": entry.turn, "phase": entry.phase, "side": side, "kind": kind, "text": text}
