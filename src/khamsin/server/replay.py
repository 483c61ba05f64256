"""Looking back: any moment of a game, its course in moments, its record, and new games from old moments.

A replay keeps copies of the match at every so many clicks, so that a step of the slider costs few clicks whichever way it
goes.
"""

from __future__ import annotations

import random
import threading
from collections import OrderedDict
from collections.abc import Iterable
from itertools import takewhile
from typing import Any

import orjson

from khamsin.kernel import position, record
from khamsin.kernel.dice import DiceError, KeyedDice, ReplayDice, SeededDice
from khamsin.kernel.match import Match
from khamsin.kernel.rules import ROLLED, Find
from khamsin.server import views
from khamsin.server.course import CLAIM, RESIGN, Course, Diverged, count_rolls, fold_clicks, fold_log
from khamsin.server.gate import Refused
from khamsin.server.store import Entry, Head, Saved
from khamsin.server.table import dice_view
from khamsin.server.views import Json

EVERY = 50
"""Clicks from one copy to the next."""
KEPT = 16
"""Games whose replays are kept."""

Played = tuple[str, tuple[int, ...]]
"""A click and the dice that fell after it."""


class Replay:
    """One game as it was played, up to the entry where it was read."""

    def __init__(self, saved: Saved, find: Find) -> None:
        self.head = saved.head
        self.find = find
        self.rules = find(saved.head.game)
        self.opening = saved.entries[0]
        self.seq = saved.entries[-1].seq
        self.clicks = fold_clicks(saved.entries)
        self.lines = fold_log(saved.entries)
        self._said: dict[int, list[str]] = {}
        """What the log says of each click."""
        for line in self.lines:
            self._said.setdefault(line.click, []).append(line.text)
        self.first, self.start, self.rolls, self.drawn = 0, saved.head.start, self.opening.rolls, 0
        for entry in saved.entries:
            if entry.kind == "resume":
                # What came before was played by other rules; it stands in the log alone.
                about = orjson.loads(entry.text)
                self.first, self.start, self.rolls = about["clicks"], about["position"], ()
                self.drawn = count_rolls(saved.entries[: entry.seq + 1])
        self.drawn_in_all = count_rolls(saved.entries)
        last = saved.entries[-1]
        self.conceded = (last.kind, int(last.text)) if last.kind in (RESIGN, CLAIM) else None
        self._copies: dict[int, Match[Any]] = {}
        self._lock = threading.Lock()

    def adopt(self, old: Replay) -> None:
        """Take over the copies of the same game as it was read before, as far as it is the same."""
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old.clicks, self.clicks, strict=False)))
        self._copies = {click: match for click, match in old._copies.items() if click <= same}

    def at(self, click: int) -> Match[Any]:
        """The match after so many clicks. It belongs to the caller."""
        if not self.first <= click <= len(self.clicks):
            raise Refused("invalid", f"{click}: expected a click from {self.first} to {len(self.clicks)}")
        with self._lock:
            if self.first not in self._copies:
                self._copies[self.first] = self._begun()
            nearest = max(known for known in self._copies if known <= click)
            match = self._copies[nearest].clone(SeededDice(0))
            for number in range(nearest, click):
                self._play(match, number)
                if (number + 1 - self.first) % EVERY == 0:
                    self._copies[number + 1] = match.clone(SeededDice(0))
            return match

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
        """Play one click again; the log must say of it what it said then."""
        entry, happened = self.clicks[number], len(match.events)
        match.game.use(ReplayDice(entry.rolls))
        try:
            match.click(self.rules.parse(entry.text))
        except (ValueError, DiceError, RuntimeError) as error:
            raise CORRECTED from error
        if [match.game.text(event) for event in match.events[happened:]] != self._said.get(number + 1, []):
            raise CORRECTED

    def view(self, click: int, viewer: int, version: int, over: bool) -> Json:
        """All that a viewer could see after so many clicks, in the shape of `wire.View`."""
        seen = views.seen(self.at(click), viewer)
        log = [views.log_line(line) for line in self.lines if line.click <= click and views.may_see(line, viewer)]
        return {
            "id": self.head.id, "version": version, "clicks": click, "began": click, **seen.fields, "question": None,
            "units": seen.units, "log_from": 0, "log": log, "dice": dice_view(self.head, self.rules.sides, over),
            "opened": self.head.opened, "frozen": None,
        }  # fmt: skip

    def timeline(self, viewer: int) -> Json:
        """The course of the game in the moments worth jumping to, in the shape of `wire.Timeline`."""
        falls: dict[int, str] = {}
        for line in self.lines:
            if line.roll is not None and views.may_see(line, viewer):
                falls.setdefault(line.click, line.text)
        before, moments = self.opening, [_moment(self, 0, self.opening, "phase", self.opening.phase)]
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
        """The record of the match; with the key of its dice where the caller may know it."""
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

    def fallen(self) -> Json:
        """Every roll, to be checked against the key of the dice, in the shape of `wire.Rolls`."""
        match = self._whole()
        told = [event for event in match.events if event.text == ROLLED]
        first = self.drawn - self.head.dice_from
        rolls = [
            {
                "number": first + number, "click": click + self.first, "purpose": event.data["purpose"],
                "rule": event.rule, "sides": sides, "value": value,
            }
            for number, ((click, sides, value), event) in enumerate(zip(match.game.rolls, told, strict=True))
        ]  # fmt: skip
        return {"rolls": rolls}

    def _whole(self) -> Match[Any]:
        match = self._begun()
        for number in range(self.first, len(self.clicks)):
            self._play(match, number)
        return match

    def branch(self, click: int, head: Head) -> tuple[Course, list[Entry]]:
        """A new game that begins as this one did, up to a click, and goes on with dice of its own."""
        if not self.first <= click <= len(self.clicks):
            raise Refused("invalid", f"{click}: expected a click from {self.first} to {len(self.clicks)}")
        played = [(entry.text, entry.rolls) for entry in self.clicks[self.first : click]]
        fell = len(self.rolls) + sum(len(rolls) for _, rolls in played)
        head = head._replace(
            game=self.head.game, scenario=self.head.scenario, options=self.head.options, start=self.start,
            dice_from=fell,
        )  # fmt: skip
        return transcribe(head, self.find, self.rolls, played)

    def branch_imagined(self, click: int, head: Head, side: int) -> tuple[Course, list[Entry]]:
        """A new match from a moment as one side knew it; what that side did not know is imagined."""
        try:
            match = self.at(click).imagined(side, random.SystemRandom(), SeededDice(0))
            start = position.write_game(match.game, match.standing())
        except ValueError as error:
            raise Refused("invalid", f"A match cannot branch off here: {error}") from error
        head = head._replace(game=self.head.game, scenario=self.head.scenario, options=self.head.options, start=start)
        course = Course.begun(head, self.rules, self.find)
        return course, [course.start_entry()]


CORRECTED = Refused("changed", "The rules have been corrected since, and do not lead there any more")


class Replays:
    """The replays that were asked for lately."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Replay] = OrderedDict()

    def get(self, match: str, seq: int) -> Replay | None:
        """A replay that reaches up to an entry, if there is one."""
        replay = self._kept.get(match)
        if replay is None or replay.seq != seq:
            return None
        self._kept.move_to_end(match)
        return replay

    def keep(self, replay: Replay) -> Replay:
        """Keep a replay in place of an older one of the same game."""
        old = self._kept.pop(replay.head.id, None)
        if old is not None and old.first == replay.first:
            replay.adopt(old)
        self._kept[replay.head.id] = replay
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return replay


def imported(text: str, head: Head, find: Find) -> tuple[Course, list[Entry]]:
    """The game that a record tells of. One that is not over goes on with dice of its own: whoever has the record could
    foresee the old ones."""
    try:
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
            head = head._replace(dice=dice.key, dice_from=len(match.game.rolls) - dice.count)
        names = match.rules.names
        played = [(names[click], tuple(fell.get(number, ()))) for number, click in enumerate(match.clicks, 1)]
        course, entries = transcribe(head, find, tuple(fell.get(0, ())), played)
        if match.conceded is not None:
            entries.append(course.concede(*match.conceded))
        return course, entries
    except RecursionError:
        raise Refused("invalid", "The record is nested too deep") from None
    except (ValueError, RuntimeError, LookupError, TypeError, ArithmeticError) as error:
        raise Refused("invalid", str(error)) from None


def transcribe(head: Head, find: Find, rolls: tuple[int, ...], played: Iterable[Played]) -> tuple[Course, list[Entry]]:
    """A game played again from its beginning, and the entries it is made of."""
    try:
        course = Course.begun(head, find(head.game), find, rolls)
        entries = [course.start_entry()]
        entries += [course.again("click", click, fell) for click, fell in played]
    except (Diverged, ValueError, RuntimeError) as error:
        raise CORRECTED from error
    return course, entries


def _moment(replay: Replay, click: int, entry: Entry, kind: str, text: str) -> Json:
    side = views.side_name(replay.rules, entry.phase_side)
    return {"click": click, "turn": entry.turn, "phase": entry.phase, "side": side, "kind": kind, "text": text}
