"""A match and its log, rebuilt from stored entries.

Every change is an entry. To read a match, a snapshot is set up and the entries after it are played. There is a snapshot
of the start of every phase back to where undo reaches, so a rule update costs at most the clicks of the current phase.
The log is never rewritten.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import orjson

from khamsin.kernel import position
from khamsin.kernel.dice import DiceError, ReplayDice
from khamsin.kernel.match import Match
from khamsin.kernel.rules import EVERYONE, Find, Game, Illegal, Rules
from khamsin.server import views, wire
from khamsin.server.database import now
from khamsin.server.store import Entry, Head, MatchStatus, Saved, Snapshot
from khamsin.server.views import CANCEL, StoredLine, ViewFields

log = logging.getLogger(__name__)


class Stranded(ValueError):
    """A stored match that the installed rules can continue only if clicks before the current phase are lost.

    `lost` is how many clicks in total; None: it cannot be continued.
    """

    def __init__(self, match: str, lost: int | None, troubles: Iterable[Exception]) -> None:
        super().__init__(f"{match}: {'; '.join(map(str, troubles))}")
        self.lost = lost


CLICK, AUTOMATIC, ORDER, RESIGN, CLAIM = "click", "auto", "order", "resign", "claim"
"""Kinds of entries: a click of a player, a click that the server made because no other was legal, one that it made by a
standing order, and two ways to concede."""

PhaseKey = tuple[int, str, int]
"""A turn, the name of its phase, and the side of the phase."""


class Kept(NamedTuple):
    """A stored snapshot: the last entry it contains, the clicks made until then, and its phase."""

    seq: int
    clicks: int
    phase: PhaseKey


class Point(NamedTuple):
    """A point of a match: the entry, decision, clicks, rolls and log lines, the state from which its phase is
    restarted, the rolls from there, and the state at the decision."""

    seq: int
    number: int
    clicks: int
    rolls: int
    lines: int
    phase: PhaseKey
    start: Any
    fell: tuple[int, ...]
    state: Any


class Undoable(NamedTuple):
    """Moves of one undo, from `number` up to `until`: the clicks of a person, with the captions of buttons, and the automatic
    ones."""

    number: int
    until: int
    clicks: tuple[str, ...]
    said: tuple[str, ...]
    automatic: tuple[str, ...]


class Diverged(ValueError):
    """An entry that the present rules replay differently."""


class StateChanged(Diverged):
    """Entries that the installed rules replay to another state than the stored one."""


class MatchHistory:
    """A match and its log; every change returns its entry."""

    def __init__(
        self, head: Head, match: Match[Any], before: int, rolls: int, lines: list[StoredLine], seq: int
    ) -> None:
        """`rolls` counts every roll of the stored entries, also of clicks that a rule update dropped."""
        self.head = head
        self.match = match
        self.before = before
        """Clicks before the match began, if it began from a snapshot."""
        self.rolls = rolls
        self.log = lines
        self.seq = seq
        self.kept: list[Kept] = []
        """The stored snapshots, oldest first."""
        self.last_side = EVERYONE
        """The side that made the last click."""
        self.made: dict[int, list[wire.OddsView]] = {}
        """The combats of the last decision about them, as the click there made them, by viewer. Not stored."""
        self._tops: list[tuple[int, Any]] = []
        """The clicks made, and a copy of the state, at each top-level decision that undo can return to."""
        self._idle: set[int] = set()
        """The numbers, from 1, of clicks that selected something which `cancel` then dropped."""
        self._captions: dict[int, str] = {}
        """The captions of the buttons that were pressed since the first move that can be undone, by the number of the click."""
        self._label: tuple[int | None, str] = (None, "")
        """The turn last named, and its label."""
        self.use_live_dice()
        self.phase_began = self.point()
        """Where the phase began in which a match is imported or branched."""

    @classmethod
    def begun(cls, head: Head, rules: Rules[Any], find: Find, rolls: tuple[int, ...] | None = None) -> MatchHistory:
        """Return a match at its first decision. The rolls are those given, or else from the key."""
        dice = head.live_dice() if rolls is None else ReplayDice(rolls)
        if head.start is None:
            match = Match(rules, head.scenario, head.options, dice)
        else:
            game = position.read_game(head.start, find)
            game.use(dice)
            match = Match.at(game)
        lines = views.lines(match.game, match.events)
        return cls(head, match, 0, len(match.game.rolls), lines, 0)

    @property
    def rules(self) -> Rules[Any]:
        """The rules it is played by."""
        return self.match.rules

    @property
    def clicks(self) -> int:
        """How many clicks have been made and not undone."""
        return self.before + len(self.match.clicks)

    @property
    def began(self) -> int:
        """How many of them had been made before the move or combat in progress began."""
        return self.before + self.match.began

    def use_live_dice(self) -> None:
        """Use the dice of the key from now on."""
        live = self.head.live_dice()
        live.count = max(0, self.rolls - self.head.dice_from)
        self.match.game.use(live)

    def start_entry(self) -> Entry:
        """Return the first entry."""
        return self._entry("start", 0, EVERYONE, "", tuple(v for *_, v in self.match.game.rolls), None, self.log)

    def click(self, name: str, kind: str = CLICK, order: str = "") -> Entry:
        """Make a click at the present decision. The kind is AUTOMATIC or ORDER if the server makes it for the side; `order` is
        the text of the standing order."""
        self._note_combats(self.rules.parse(name))
        return self._click(name, kind, order)

    def _click(self, name: str, kind: str, order: str = "") -> Entry:
        match = self.match
        asked, number = match.decision, match.number
        fell, happened = len(match.game.rolls), len(match.events)
        click = self.rules.parse(name)
        self._note_top()
        lines = [] if kind == CLICK else [self._line_of_server(click, kind, order)]
        said = self._in_words(click)
        match.click(click)
        self._captions = {n: text for n, text in self._captions.items() if n > match.undo_from}
        if said != self.rules.names[click]:
            self._captions[len(match.clicks)] = said
        if kind == ORDER:
            match.ordered.add(len(match.clicks))
        if kind != CLICK:
            match.automatic.add(len(match.clicks))
        elif self.rules.names[click] == CANCEL:
            self._note_cancel()
        side = self.last_side = asked.side if asked else EVERYONE
        rolls = tuple(value for *_, value in match.game.rolls[fell:])
        self.rolls += len(rolls)
        self.seq += 1
        return self._entry(kind, number, side, self.rules.names[click], rolls, None, self._add(happened, lines))

    def _note_combats(self, click: int) -> None:
        """Note the combats of the decision as a click makes them: what it adds, such as air support, is not in the decision
        that follows if the dice are rolled first. All may see them while nothing is hidden, else the side that clicks."""
        decision = self.match.decision
        if decision is None or click not in decision.legal:
            return
        if decision.top:
            self.made = {}
        if not decision.kind.startswith(("combat.", "barrage.")):
            return
        open_to_all = views.open_to_all(self.match)
        viewers = [EVERYONE, *range(len(self.rules.sides))] if open_to_all else [decision.side]
        found = views.sheets(self.match.game.seen_by(viewers[0]), decision, click)
        if found:
            self.made = dict.fromkeys(viewers, found)

    def _in_words(self, click: int) -> str:
        """Return the name of a legal click; of a button the caption, as the deciding side sees it."""
        name, decision = self.rules.names[click], self.match.decision
        if click < self.rules.first_button or decision is None or click not in decision.legal:
            return name
        return self.rules.display.caption(self.match.game.seen_by(decision.side), decision, name)

    def _line_of_server(self, click: int, kind: str, order: str) -> StoredLine:
        """Return the log line of an automatic click, for the side that decides."""
        match, decision = self.match, self.match.decision
        assert decision is not None
        name = self._in_words(click)
        text, note = (
            (f"Standing order: {order or name}", views.ORDER)
            if kind == ORDER
            else (f"Only choice: {name}", views.AUTOMATIC)
        )
        return StoredLine(
            self.clicks + 1, decision.rule, text, None, decision.side, match.state.turn, match.phase.name, note
        )

    def _note_top(self) -> None:
        """Keep a copy of the state at a top-level decision that is taken, as long as undo can return to it."""
        match = self.match
        self._tops = [top for top in self._tops if match.undo_from <= top[0] < len(match.clicks)]
        if match.decision is not None and match.decision.top:
            self._tops.append((len(match.clicks), match.state.copy()))

    def _note_cancel(self) -> None:
        """Note the clicks since the last decision with the same state: they selected something that is now dropped."""
        match = self.match
        if match.decision is None or not match.decision.top:
            return
        for start, state in reversed(self._tops):
            if start >= match.undo_from and state == match.state:
                self._idle |= set(range(start + 1, len(match.clicks) + 1))
                return

    def moves(self) -> list[Undoable]:
        """Return the moves that can be undone, oldest first. Each includes what follows it until the next decision of a person:
        automatic clicks, and selections that were dropped."""
        match, found = self.match, list[Undoable]()
        start, number = match.undo_from, 0
        for number, move in enumerate(match.moves):
            numbers = range(start + 1, start + len(move.clicks) + 1)
            start = numbers.stop - 1
            automatic = tuple(match.rules.names[match.clicks[n - 1]] for n in numbers if n in match.automatic)
            if not match.automatic.union(self._idle).issuperset(numbers):
                own = [n for n in numbers if n not in match.automatic]
                made = tuple(match.rules.names[match.clicks[n - 1]] for n in own)
                said = tuple(self._captions.get(n, name) for n, name in zip(own, made, strict=True))
                found.append(Undoable(number, number + 1, made, said, automatic))
            elif found:
                found[-1] = found[-1]._replace(until=number + 1, automatic=found[-1].automatic + automatic)
        return found

    def undo(self, move: int | None) -> Entry:
        """Undo a move, the last or one by its number, with the automatic clicks that follow it."""
        found = self.moves()
        if move is None and not found:
            raise Illegal("undo", "Nothing to undo since the last roll, reveal or enemy decision")
        one = found[-1] if move is None else next((one for one in found if one.number == move), None)
        return self._undo(move or 0, None) if one is None else self._undo(one.number, one.until)

    def _undo(self, move: int, until: int | None) -> Entry:
        match = self.match
        asked, number, moves, old = match.decision, match.number, match.moves, match.events
        first = match.undo_from
        match.undo(move, until)
        self.made = {}
        start = first + sum(len(one.clicks) for one in moves[:move])
        gone = sum(len(one.clicks) for one in moves[move : until or move + 1])
        end = start + gone
        self._idle = {n if n <= start else n - gone for n in self._idle if not start < n <= end}
        self._tops = [top for top in self._tops if top[0] < start]
        captions = self._captions.items()
        self._captions = {n if n <= start else n - gone: text for n, text in captions if not start < n <= end}
        same = next((n for n, (a, b) in enumerate(zip(old, match.events, strict=False)) if a is not b), None)
        same = min(len(old), len(match.events)) if same is None else same
        cut, lines = self._cut_log(len(old) - same, self.before + start, self.before + end)
        side = asked.side if asked else EVERYONE
        self.seq += 1
        text = f"{move} {self.before + start} {self.before + end}"
        return self._entry("undo", number, side, text, (), cut, self._add(same, lines))

    def _cut_log(self, events: int, start: int, end: int) -> tuple[int, list[StoredLine]]:
        """Cut the lines of the last events from the log, and of automatic clicks after `start`. Return how many are
        left, and the lines of automatic clicks after `end`, which are made again."""
        cut, log = len(self.log), self.log
        while events or (cut and log[cut - 1].note in views.OF_SERVER and log[cut - 1].click > start):
            cut -= 1
            events -= log[cut].note not in views.OF_SERVER
        kept = [line for line in log[cut:] if line.note in views.OF_SERVER and line.click > end]
        del log[cut:]
        return cut, [line._replace(click=line.click - (end - start)) for line in kept]

    def concede(self, kind: str, side: int) -> Entry:
        """End the match: a side resigns, or did not return in time."""
        match = self.match
        number, happened = match.number, len(match.events)
        match.concede(side, kind)
        self.seq += 1
        return self._entry(kind, number, side, str(side), (), None, self._add(happened))

    def replay_click(self, kind: str, text: str, rolls: tuple[int, ...]) -> Entry:
        """Repeat a stored action with the recorded rolls; raise Diverged if the rules play it differently."""
        dice = ReplayDice(rolls)
        self.match.game.use(dice)
        decision = self.match.decision
        at = f"{self.head.id}, click {self.clicks + 1}, {text!r}"
        if decision is not None:
            at += f" at {decision.kind} ({decision.rule})"
        try:
            if kind == "undo":
                played = self._undo_again(*map(int, text.split()))
            elif kind in (RESIGN, CLAIM):
                played = self.concede(kind, int(text))
            else:
                played = self._click(text, kind)
        except (DiceError, ValueError, RuntimeError) as error:
            raise Diverged(f"{at}: {error}") from error
        finally:
            self.use_live_dice()
        if dice.left:
            raise Diverged(f"{at}: {dice.left} stored rolls are not used")
        return played

    def _undo_again(self, move: int, start: int, end: int) -> Entry:
        """Undo the same clicks as a stored entry."""
        until, gone = move, 0
        for one in self.match.moves[move:]:
            if gone >= end - start:
                break
            gone += len(one.clicks)
            until += 1
        return self._undo(move, until)

    def apply_entry(self, entry: Entry) -> None:
        """Replay a stored entry. Its log text stays."""
        known = len(self.log)
        played = self.replay_click(entry.kind, entry.text, entry.rolls)
        if played.number != entry.number or played.seq != entry.seq:
            raise Diverged(f"{self.head.id}: expected entry {entry.seq}, decision {entry.number}, not {played}")
        if played.lines != entry.lines:
            del self.log[known if entry.cut is None else entry.cut :]
            self.log += entry.lines

    def _add(self, happened: int, lines: Iterable[StoredLine] = ()) -> list[StoredLine]:
        """Add lines, and those of the events since, to the log."""
        game = self.match.game
        added = [*lines, *views.lines(game, game.events[happened:], self.before)]
        added.sort(key=lambda line: line.click)
        self.log += added
        return added

    def _entry(
        self,
        kind: str,
        number: int,
        side: int,
        text: str,
        rolls: tuple[int, ...],
        cut: int | None,
        lines: list[StoredLine],
    ) -> Entry:
        phase = self.match.phase
        turn = self.match.state.turn
        return Entry(self.seq, kind, number, side, text, rolls, turn, phase.name, phase.side, cut, tuple(lines), now())

    def status(self) -> MatchStatus:
        """Return the status of the match, for lists."""
        match = self.match
        turn = match.state.turn
        if turn != self._label[0]:
            self._label = (turn, views.label_of(self.rules.display.turns(match.game.seen_by(EVERYONE)), turn))
        result = views.result(self.rules, match.result)
        return MatchStatus(
            turn,
            self._label[1],
            match.phase.name,
            match.decision.side if match.decision else None,
            orjson.dumps(result).decode() if result else None,
        )

    def snapshot_due(self) -> bool:
        """Whether a phase has begun, or the match has ended, since the last snapshot."""
        if not self.kept:
            return self.match.restart_point() is not None
        last = self.kept[-1]
        if self.match.decision is None:
            return last.seq < self.seq
        return last.phase != self.phase_key() and self.match.restart_point() is not None

    def phase_key(self) -> PhaseKey:
        """The present turn and phase."""
        phase = self.match.phase
        return self.match.state.turn, phase.name, phase.side

    def point(self) -> Point:
        """Return the present point, from which the match can be set up again: the first decision of a phase, or a
        top-level one."""
        match, restart = self.match, self.match.restart_point()
        assert restart is not None
        return Point(
            self.seq, match.number, self.clicks, self.rolls, len(self.log), self.phase_key(), restart[0].copy(), restart[1],
            match.state.copy(),
        )  # fmt: skip

    def snapshot(self, point: Point | None = None, seen: Mapping[int, ViewFields] | None = None) -> Snapshot:
        """Return the match at a point, by default the present one. `seen` is what each viewer sees now, if known."""
        point = point or self.point()
        self.kept.append(Kept(point.seq, point.clicks, point.phase))
        packed = pack_views(seen or views.seen_by_all(self.match)) if point.seq == self.seq else None
        return Snapshot(
            point.seq, point.number, point.clicks, point.rolls, point.lines, self.rules.digest, point.state.digest(),
            position.write_game(self.match.game, point.start), point.fell, packed,
        )  # fmt: skip

    def forget_snapshots(self, undo: Entry) -> int:
        """Forget the snapshots that contain undone clicks; return the number of clicks before those."""
        start = int(undo.text.split()[1])
        self.kept = [kept for kept in self.kept if kept.clicks <= start]
        return start

    def oldest_needed(self) -> int:
        """Return the entry of the oldest snapshot that undo may need; those before it are forgotten."""
        reach = self.before + self.match.undo_from
        oldest = max((kept.seq for kept in self.kept if kept.clicks <= reach), default=0)
        self.kept = [kept for kept in self.kept if kept.seq >= oldest]
        return oldest


def pack_views(seen: Mapping[int, ViewFields]) -> bytes:
    """Return what each viewer sees, for a time when the installed rules cannot show it any more."""
    parts = {str(viewer): {**one.fields, "question": None, "units": one.units} for viewer, one in seen.items()}
    return zlib.compress(orjson.dumps(parts), 1)


def rebuilt(saved: Saved, find: Find, consent: bool = False) -> tuple[MatchHistory, Entry | None]:
    """Return the history of a stored match. If the installed rules play it differently, it continues from the start of
    the current phase, and the entry that says so is returned. Raises Stranded if more would be lost and the players
    have not consented."""
    rules = find(saved.head.game)
    troubles: list[Exception] = []
    for snapshot in [*saved.snapshots, None]:
        try:
            history = _begun_at(saved, snapshot, rules, find)
            later = {one.seq: one for one in saved.snapshots if one is not snapshot}
            _check_state(history, later, find)
            for entry in saved.entries[history.seq + 1 :]:
                if entry.kind == "resume":
                    raise Diverged(f"{saved.head.id}, entry {entry.seq}: the match was resumed here")
                history.apply_entry(entry)
                _check_state(history, later, find)
            changed = any(isinstance(error, StateChanged) for error in troubles)
            if changed and history.match.restart_point() is not None:
                log.warning("%s: %s", saved.head.id, "; ".join(map(str, troubles)))
                return history, _resume(history, saved, 0)
            history.kept = [
                Kept(one.seq, one.clicks, phase_of(saved.entries[one.seq]))
                for one in saved.snapshots
                if not changed or one.seq >= (snapshot.seq if snapshot else 0)
            ]
            return history, None
        except (ValueError, RuntimeError, LookupError) as error:
            troubles.append(error)
    log.warning("%s: %s", saved.head.id, "; ".join(map(str, troubles)))
    history = _last_point(saved, rules, find, troubles)
    lost = len(fold_clicks(saved.entries)) - history.clicks
    if not consent and not _in_one_phase(saved.entries[history.seq :]):
        raise Stranded(saved.head.id, lost, troubles)
    return history, _resume(history, saved, lost)


def _check_state(history: MatchHistory, snapshots: Mapping[int, Snapshot], find: Find) -> None:
    """Raise StateChanged if the clicks lead to another state than the one stored after the same entry."""
    kept = snapshots.get(history.seq)
    if kept is not None and not same_state(history.match, kept, find):
        raise StateChanged(f"{history.head.id}, entry {kept.seq}: the rules give another position than the stored one")


def same_state(match: Match[Any], kept: Snapshot, find: Find) -> bool:
    """Whether a match is in the state of a snapshot; true if that cannot be compared."""
    restart = match.restart_point()
    try:
        return restart is None or bool(position.read_game(kept.position, find).state == restart[0])
    except (ValueError, RuntimeError, LookupError):
        return True


def _begun_at(saved: Saved, snapshot: Snapshot | None, rules: Rules[Any], find: Find) -> MatchHistory:
    """Return the history at a snapshot, or at its start."""
    if snapshot is not None:
        return _from_snapshot(saved, snapshot, rules, find)
    first = saved.entries[0]
    history = MatchHistory.begun(saved.head, rules, find, first.rolls)
    history.log = list(first.lines)
    return history


def _last_point(saved: Saved, rules: Rules[Any], find: Find, troubles: list[Exception]) -> MatchHistory:
    """Return the last point at which the installed rules can continue: a snapshot, or else as far as they follow from
    the start."""
    for snapshot in reversed(saved.snapshots):
        try:
            return _from_snapshot(saved, snapshot, rules, find)
        except (ValueError, RuntimeError, LookupError) as error:
            troubles.append(error)
    try:
        history = _begun_at(saved, None, rules, find)
        last = history.snapshot()
    except (ValueError, RuntimeError, LookupError) as error:
        raise Stranded(saved.head.id, None, [*troubles, error]) from error
    try:
        for entry in saved.entries[1:]:
            if entry.kind == "resume":
                break
            history.apply_entry(entry)
            if history.snapshot_due():
                last = history.snapshot()
    except (ValueError, RuntimeError, LookupError) as error:
        log.debug("%s: followed from the start as far as %s", saved.head.id, error)
    return _from_snapshot(saved, last, rules, find)


def _in_one_phase(entries: list[Entry]) -> bool:
    """Whether no phase began after the first of these entries."""
    return len({phase_of(entry) for entry in entries}) == 1


def phase_of(entry: Entry) -> PhaseKey:
    """The phase a match was in after an entry."""
    return entry.turn, entry.phase, entry.phase_side


def _from_snapshot(saved: Saved, kept: Snapshot, rules: Rules[Any], find: Find) -> MatchHistory:
    game: Game[Any] = position.read_game(kept.position, find)
    drawn = count_rolls(saved.entries[: kept.seq + 1])
    live = saved.head.live_dice()
    live.count = max(0, drawn - saved.head.dice_from)
    game.use(ReplayDice(kept.fell, live))
    match = Match.at(game)
    if kept.rules == rules.digest and match.state.digest() != kept.state:
        raise Diverged(f"{saved.head.id}: the snapshot does not lead to its stored state")
    match.number = kept.number
    return MatchHistory(saved.head, match, kept.clicks, drawn, fold_log(saved.entries[: kept.seq + 1]), kept.seq)


def _resume(history: MatchHistory, saved: Saved, lost: int) -> Entry:
    """Return the entry that says that a match continues from a snapshot. No roll that was seen is repeated."""
    number = saved.entries[-1].number + 1
    history.match.number = number + 1
    history.seq = saved.entries[-1].seq + 1
    history.rolls = count_rolls(saved.entries)
    history.use_live_dice()
    text = "Rules updated: the match continues here"
    if lost:
        text = f"Rules updated: the match resumes {lost} click{'s' if lost > 1 else ''} earlier"
    line = StoredLine(history.clicks, "", text, None, EVERYONE)
    history.log.append(line)
    about = {"clicks": history.clicks, "drawn": history.rolls, "position": position.write(history.match)}
    cut = len(history.log) - 1
    return history._entry("resume", number, EVERYONE, orjson.dumps(about).decode(), (), cut, [line])


def count_rolls(entries: Iterable[Entry]) -> int:
    """Return how many rolls the dice have given. An update of earlier versions repeated the rolls it dropped."""
    rolls = 0
    for entry in entries:
        rolls += len(entry.rolls)
        if entry.kind == "resume":
            rolls = orjson.loads(entry.text).get("rolls", rolls)
    return rolls


def fold_log(entries: list[Entry]) -> list[StoredLine]:
    """Return the log of entries."""
    lines: list[StoredLine] = []
    for entry in entries:
        if entry.cut is not None:
            del lines[entry.cut :]
        lines += entry.lines
    return lines


def fold_clicks(entries: list[Entry]) -> list[Entry]:
    """Return the clicks that are not undone."""
    clicks: list[Entry] = []
    for entry in entries:
        if entry.kind in (CLICK, AUTOMATIC, ORDER):
            clicks.append(entry)
        elif entry.kind == "undo":
            _, start, end = map(int, entry.text.split())
            del clicks[start:end]
        elif entry.kind == "resume":
            del clicks[orjson.loads(entry.text)["clicks"] :]
    return clicks
