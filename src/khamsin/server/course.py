"""The course of one game: the match, its log in words, and how both follow from entries.

Whatever happens becomes an entry, here or in another process; whoever has the entries has the game. To read a game again,
the newest snapshot is set up and the entries after it are played. So a rule that was corrected meanwhile strands no game:
what happened stays in the log as it was written, and the game goes on from where it stood.
"""

from __future__ import annotations

import logging
from typing import Any

import orjson

from khamsin.kernel import position
from khamsin.kernel.dice import DiceError, KeyedDice, ReplayDice
from khamsin.kernel.match import Match
from khamsin.kernel.rules import EVERYONE, Find, Game, Rules
from khamsin.server import views
from khamsin.server.database import now
from khamsin.server.store import Entry, Head, Saved, Snapshot, Standing
from khamsin.server.views import Line

log = logging.getLogger(__name__)

SNAPSHOT_EVERY = 40
"""Entries from one snapshot to the next, at least."""


class Broken(ValueError):
    """A stored game that the present rules cannot read, not even from its snapshot."""


class Diverged(ValueError):
    """An entry that the present rules do not follow as they did when it was made."""


class Course:
    """A match and its log; every change gives the entry that tells of it."""

    def __init__(self, head: Head, match: Match[Any], before: int, rolls: int, lines: list[Line], seq: int) -> None:
        self.head = head
        self.match = match
        self.before = before
        """Clicks before the match began, where it began from a snapshot."""
        self.rolls = rolls
        self.log = lines
        self.seq = seq
        self.kept = seq
        """The entry of the last snapshot."""
        self.use_live_dice()

    @classmethod
    def begun(cls, head: Head, rules: Rules[Any], find: Find, rolls: tuple[int, ...] | None = None) -> Course:
        """A game at its first question. The dice fall as given, or else as the key has it."""
        dice = KeyedDice(head.dice) if rolls is None else ReplayDice(rolls)
        if head.start is None:
            match = Match(rules, head.scenario, head.options, dice)
        else:
            game = position.read_game(head.start, find)
            game.use(dice)
            match = Match.at(game)
        lines = [views.line(match.game, event) for event in match.events]
        return cls(head, match, 0, len(match.game.rolls), lines, 0)

    @property
    def rules(self) -> Rules[Any]:
        """The rules it is played by."""
        return self.match.rules

    @property
    def clicks(self) -> int:
        """How many clicks have been made and not taken back."""
        return self.before + len(self.match.clicks)

    @property
    def began(self) -> int:
        """How many of them had been made before the move or combat under way began."""
        return self.before + self.match.began

    def use_live_dice(self) -> None:
        """Let the dice fall from now on as the key has it."""
        live = KeyedDice(self.head.dice)
        live.count = max(0, self.rolls - self.head.dice_from)
        self.match.game.use(live)

    def start_entry(self) -> Entry:
        """The first entry."""
        return self._entry("start", 0, EVERYONE, "", tuple(v for *_, v in self.match.game.rolls), None, self.log)

    def click(self, name: str) -> Entry:
        """Make a click, which is the answer to the present question."""
        match = self.match
        asked, number = match.decision, match.number
        fell, happened = len(match.game.rolls), len(match.events)
        match.click(self.rules.parse(name))
        side = asked.side if asked else EVERYONE
        rolls = tuple(value for *_, value in match.game.rolls[fell:])
        self.rolls += len(rolls)
        self.seq += 1
        return self._entry("click", number, side, name, rolls, None, self._add(happened))

    def undo(self, move: int | None) -> Entry:
        """Take back a move of this phase, the last or one by its number."""
        match = self.match
        asked, number, moves, old = match.decision, match.number, match.moves, match.events
        match.undo(move)
        move = len(moves) - 1 if move is None else move
        start = self.before + len(match.clicks) + len(moves[move].clicks) - sum(len(m.clicks) for m in moves[move:])
        same = 0
        for before, after in zip(old, match.events, strict=False):
            if before is not after:
                break
            same += 1
        cut = len(self.log) - (len(old) - same)
        del self.log[cut:]
        side = asked.side if asked else EVERYONE
        self.seq += 1
        text = f"{move} {start} {start + len(moves[move].clicks)}"
        return self._entry("undo", number, side, text, (), cut, self._add(same))

    def again(self, kind: str, text: str, rolls: tuple[int, ...]) -> Entry:
        """Play something that was played before, with the dice as they fell; raises Diverged where the rules play it
        otherwise."""
        dice = ReplayDice(rolls)
        self.match.game.use(dice)
        try:
            played = self.undo(int(text.split()[0])) if kind == "undo" else self.click(text)
        except (DiceError, ValueError, RuntimeError) as error:
            raise Diverged(f"{self.head.id}, click {self.clicks + 1}: {error}") from error
        finally:
            self.use_live_dice()
        if dice.left:
            raise Diverged(f"{self.head.id}, click {self.clicks}: {dice.left} dice fell that are not asked for")
        return played

    def follow(self, entry: Entry) -> None:
        """Play an entry that was stored. What the log said then stays."""
        known = len(self.log)
        played = self.again(entry.kind, entry.text, entry.rolls)
        if played.number != entry.number or played.seq != entry.seq:
            raise Diverged(f"{self.head.id}: expected entry {entry.seq}, question {entry.number}, not {played}")
        if played.lines != entry.lines:
            del self.log[known if entry.cut is None else entry.cut :]
            self.log += entry.lines

    def _add(self, happened: int) -> list[Line]:
        game = self.match.game
        lines = [views.line(game, event, self.before) for event in game.events[happened:]]
        self.log += lines
        return lines

    def _entry(
        self, kind: str, number: int, side: int, text: str, rolls: tuple[int, ...], cut: int | None, lines: list[Line]
    ) -> Entry:
        phase = self.match.phase
        turn = self.match.state.turn
        return Entry(self.seq, kind, number, side, text, rolls, turn, phase.name, phase.side, cut, tuple(lines), now())

    def standing(self) -> Standing:
        """Where the game stands, for lists."""
        match = self.match
        seen = match.game.seen_by(EVERYONE)
        result = views.result(self.rules, match.result)
        return Standing(
            match.state.turn,
            views.label_of(self.rules.display.turns(seen), match.state.turn),
            match.phase.name,
            match.decision.side if match.decision else None,
            orjson.dumps(result).decode() if result else None,
        )

    def snapshot_due(self) -> bool:
        """Whether it is time for a snapshot, and one can be made: nothing can be taken back, no procedure is under way."""
        match = self.match
        if match.decision is None:
            return self.kept < self.seq
        return self.seq - self.kept >= SNAPSHOT_EVERY and match.decision.top and not match.moves

    def snapshot(self) -> Snapshot:
        """The game as it stands."""
        match = self.match
        self.kept = self.seq
        return Snapshot(
            self.seq, match.number, self.clicks, self.rolls, len(self.log), self.rules.digest, match.state.digest(),
            position.write(match),
        )  # fmt: skip


def rebuilt(saved: Saved, find: Find) -> tuple[Course, Entry | None]:
    """The course of a stored game. Where the present rules cannot follow it to its end, it goes on from the last point they
    can reach, and the entry is given that says so. Raises Broken where there is no such point."""
    rules = find(saved.head.game)
    troubles: list[Exception] = []
    for begin in (_from_snapshot, _from_start):
        try:
            course = begin(saved, rules, find)
        except (ValueError, RuntimeError, LookupError) as error:
            troubles.append(error)
            continue
        try:
            for entry in saved.entries[course.seq + 1 :]:
                if entry.kind == "resume":
                    raise Diverged(f"{saved.head.id}, entry {entry.seq}: the game was resumed here")
                course.follow(entry)
        except Diverged as error:
            troubles.append(error)
            continue
        return course, None
    log.warning("%s: %s", saved.head.id, "; ".join(map(str, troubles)))
    try:
        course = _from_snapshot(saved, rules, find)
    except (ValueError, RuntimeError, LookupError) as error:
        raise Broken(f"{saved.head.id}: {error}") from error
    return course, _resume(course, saved)


def _from_start(saved: Saved, rules: Rules[Any], find: Find) -> Course:
    first = saved.entries[0]
    course = Course.begun(saved.head, rules, find, first.rolls)
    course.log = list(first.lines)
    return course


def _from_snapshot(saved: Saved, rules: Rules[Any], find: Find) -> Course:
    kept = saved.snapshot
    if kept is None:
        raise Broken(f"{saved.head.id}: there is no snapshot yet")
    game: Game[Any] = position.read_game(kept.position, find)
    match = Match.at(game)
    if kept.rules == rules.digest and match.state.digest() != kept.state:
        raise Diverged(f"{saved.head.id}: the snapshot does not give the state it was made of")
    match.number = kept.number
    lines = fold_log(saved.entries[: kept.seq + 1])
    return Course(saved.head, match, kept.clicks, kept.rolls, lines, kept.seq)


def _resume(course: Course, saved: Saved) -> Entry:
    """The entry that says that a game goes on from its snapshot."""
    lost = len(fold_clicks(saved.entries)) - course.clicks
    number = saved.entries[-1].number + 1
    course.match.number = number + 1
    course.seq = saved.entries[-1].seq + 1
    text = "The rules have been corrected since; the game goes on from here"
    text += f", {lost} click{'s' if lost > 1 else ''} back" if lost else ""
    line = Line(course.clicks, "", text, None, EVERYONE)
    course.log.append(line)
    about = {"clicks": course.clicks, "rolls": course.rolls, "position": position.write(course.match)}
    cut = len(course.log) - 1
    return course._entry("resume", number, EVERYONE, orjson.dumps(about).decode(), (), cut, [line])


def fold_log(entries: list[Entry]) -> list[Line]:
    """The log that entries leave behind."""
    lines: list[Line] = []
    for entry in entries:
        if entry.cut is not None:
            del lines[entry.cut :]
        lines += entry.lines
    return lines


def fold_clicks(entries: list[Entry]) -> list[Entry]:
    """The clicks that stand, without those that were taken back."""
    clicks: list[Entry] = []
    for entry in entries:
        if entry.kind == "click":
            clicks.append(entry)
        elif entry.kind == "undo":
            _, start, end = map(int, entry.text.split())
            del clicks[start:end]
        elif entry.kind == "resume":
            del clicks[orjson.loads(entry.text)["clicks"] :]
    return clicks
