"""A match in memory: its history, seats, live connections and what each viewer was sent."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import orjson

from khamsin.kernel.dice import commitment
from khamsin.kernel.match import Match
from khamsin.kernel.orders import Order
from khamsin.kernel.rules import EVERYONE, Rules
from khamsin.server import limits, views, wire
from khamsin.server.click_checks import Refused
from khamsin.server.history import MatchHistory
from khamsin.server.seats import Device, Seat, digest
from khamsin.server.store import Head
from khamsin.server.views import Shared, StoredLine, ViewFields

if TYPE_CHECKING:
    from khamsin.players import Player
    from khamsin.server.live import LiveConnection


Units = dict[str, wire.UnitView]


class ViewerState:
    """What one viewer of a match was sent last, and the log as the viewer may see it."""

    def __init__(self, viewer: int) -> None:
        self.viewer = viewer
        self.version = -1
        self.seen: ViewFields | None = None
        self.log: list[wire.LogLine] = []
        self._numbers: list[int] = []
        """The number of each line in the log of both sides."""
        self._read = 0
        self._kept = 0
        """Lines that have not changed since the last update."""

    def cut(self, lines: int) -> None:
        """Cut the log to a number of lines of the log of both sides."""
        if lines < self._read:
            left = bisect_left(self._numbers, lines)
            del self.log[left:], self._numbers[left:]
            self._read = lines
            self._kept = min(self._kept, left)

    def read(self, log: list[StoredLine]) -> None:
        """Add the lines that are new and may be seen."""
        for number in range(self._read, len(log)):
            if views.may_see(log[number], self.viewer):
                self.log.append(views.log_line(log[number]))
                self._numbers.append(number)
        self._read = len(log)

    def new_lines(self) -> int:
        """Return from where on the log is new since the last call."""
        kept, self._kept = self._kept, len(self.log)
        return kept


class LiveMatch:
    """One match in memory."""

    def __init__(
        self, history: MatchHistory, seats: list[Seat], devices: dict[str, Device], chat: list[wire.ChatMessage]
    ) -> None:
        self.history = history
        self.seats = seats
        self.devices = devices
        """By the digest of their key."""
        self.opened = history.head.opened
        """Whether its only player chose to see everything."""
        self.rematch: str | None = None
        """The rematch of this match."""
        self.last_change = history.head.started
        """When its last entry was made."""
        self.chat = chat
        self.lock = asyncio.Lock()
        self.lines: set[LiveConnection] = set()
        self.elsewhere: dict[str, frozenset[int]] = {}
        """The seats with a viewer in each other process."""
        self.players: dict[int, Player] = {}
        self.thinking: dict[int, float | None] = {}
        """The computer players that think now, each with its progress if it reports it."""
        self.orders: list[Order] = []
        """The standing orders of its seats."""
        self.names: dict[str, str] = {}
        """The names of the accounts that keep its seats, by side."""
        self.broken = False
        """Whether it must be read again before use."""
        self.shown = history.seq
        """The version that all viewers have been sent."""
        self._visits: dict[str, float] = {}
        """When it was last stored that a device is looking, by its key."""
        self.copy: tuple[Match[Any], int] | None = None
        """A copy of the match for requests, and its version."""
        self._sights: dict[int, ViewerState] = {}
        self._wholes: dict[int, tuple[int, bytes]] = {}
        """The encoded view of each viewer, and its version."""
        self._seats_told = b""
        self._seats_due: asyncio.TimerHandle | None = None
        self._waking: deque[LiveConnection] = deque()
        """Spectators with unsent changes."""
        self._shared: Shared | None = None
        """The shared view when nothing was hidden last."""
        self._moved: tuple[Units, Units, dict[str, wire.UnitView | None]] = ({}, {}, {})
        """The units before and after the last change, and those that differ."""

    @property
    def id(self) -> str:
        """The id of the match."""
        return self.history.head.id

    @property
    def version(self) -> int:
        """Grows with every change."""
        return self.history.seq

    @property
    def rules(self) -> Rules[Any]:
        """The rules it is played by."""
        return self.history.rules

    def holds(self, key: str) -> list[int]:
        """Return the sides that a key opens; none without a key. A key of another match is refused."""
        return holds(self.devices, key)

    def holds_all(self, sides: Sequence[int]) -> bool:
        """Whether these are all sides that are not a computer player's."""
        return bool(sides) and all(seat.side in sides for seat in self.seats if seat.human)

    def sees_all(self, sides: Sequence[int]) -> bool:
        """Whether the holder of some sides may know everything: the match is over or opened, or that person plays all
        sides."""
        return (
            self.history.match.over
            or (self.opened and self.holds_all(sides))
            or (self.holds_all(sides) and all(seat.human for seat in self.seats))
        )

    def people(self) -> list[int]:
        """Return the sides that people play."""
        return [seat.side for seat in self.seats if seat.human]

    def asked_player(self) -> int | None:
        """Return the side that must decide, if a computer player holds it."""
        decision = self.history.match.decision
        return decision.side if decision is not None and not self.seats[decision.side].human else None

    def sight(self, viewer: int) -> ViewerState:
        """Return what a viewer sees now."""
        sight = self._sights.get(viewer)
        if sight is None:
            sight = self._sights[viewer] = ViewerState(viewer)
        if sight.version != self.version or sight.seen is None:
            sight.seen = views.seen(self.history.match, viewer, sight.seen, self._share(), self._moves(viewer))
            sight.read(self.history.log)
            sight.version = self.version
        return sight

    def _moves(self, viewer: int) -> list[wire.Undoable]:
        """Return the moves that a viewer can undo."""
        decision = self.history.match.decision
        if decision is None or decision.side != viewer:
            return []
        return [
            {
                "number": move.number,
                "clicks": list(move.clicks),
                "said": list(move.said),
                "automatic": list(move.automatic),
            }
            for move in self.history.moves()
        ]

    def _share(self) -> Shared | None:
        """Return what all viewers see alike, if nothing is hidden; made again only if the state has changed."""
        match = self.history.match
        if not views.open_to_all(match):
            return None
        if self._shared is None or self._shared.game.state.__dict__ != match.state.__dict__:
            self._shared = views.share(match)
        return self._shared

    def seen_by_all(self) -> dict[int, ViewFields]:
        """Return what each viewer sees now, including those without a connection."""
        found, shared = {}, self._share()
        for viewer in (EVERYONE, *range(len(self.rules.sides))):
            sight = self._sights.get(viewer)
            known = sight.seen if sight is not None and sight.version == self.version else None
            found[viewer] = known or views.seen(self.history.match, viewer, None, shared)
        return found

    def forget_sights(self) -> None:
        """Forget what viewers were sent, if a change was not stored: they get whole views next."""
        self._sights.clear()

    def _own(self, viewer: int) -> wire.StoredView:
        """Return the fields of a view that belong to the live match, not to its history."""
        return {
            "id": self.id,
            "version": self.version,
            "clicks": self.history.clicks,
            "began": self.history.began,
            "made": self.history.made.get(viewer, []),
            "dice": dice_view(self.history.head, self.rules.sides, self.history.match.over),
            "opened": self.opened,
            "frozen": None,
        }

    def view(self, viewer: int, log_from: int = 0) -> wire.View:
        """Return all that a viewer may see."""
        sight = self.sight(viewer)
        assert sight.seen is not None
        log_from = min(log_from, len(sight.log))
        return {
            **self._own(viewer), **sight.seen.fields, "units": sight.seen.units, "log_from": log_from,
            "log": sight.log[log_from:],
        }  # fmt: skip

    def lines_known(self, viewer: int) -> int:
        """Return how many lines of the log a viewer has now."""
        return len(self.sight(viewer).log)

    def live_view(self, viewer: int) -> bytes | None:
        """Return the whole view as a frame; None if it must be encoded first (`encode_view`)."""
        version, view = self._wholes.get(viewer, (-1, b""))
        if version != self.shown:
            return None
        company = self._company()
        if company != self._seats_told:
            # Other viewers may not know yet what this viewer is told.
            self._seats_told = company if len(self.lines) == 1 else b""
            self.tell_seats()
        return b'{"type":"view","view":%b,"chat":%b,%b}' % (view, orjson.dumps(self.chat), company)

    def encode_view(self, viewer: int) -> None:
        """Encode the whole view for frames, in the lane for clicks."""
        self.sight(viewer).new_lines()
        self._wholes[viewer] = (self.version, orjson.dumps(self.view(viewer)))

    def watched(self) -> set[int]:
        """Return the viewers of live connections."""
        return {line.viewer for line in self.lines}

    def updates(self, cut: int | None, viewers: Iterable[int]) -> dict[int, bytes]:
        """Encode what changed for each viewer, in the lane for clicks. `cut` is how many lines of the log are left."""
        if cut is not None:
            for sight in self._sights.values():
                sight.cut(cut)
        known = [viewer for viewer in viewers if viewer in self._sights and self._sights[viewer].seen is not None]
        return {viewer: self._update(viewer) for viewer in known}

    def send_updates(self, updates: Mapping[int, bytes]) -> None:
        """Send every live connection what changed. The change is durable."""
        self.shown = self.version
        self._send(updates)

    def _send(self, frames: Mapping[int, bytes]) -> None:
        """Send each connection the frame of its viewer: to players at once, to spectators a few at a time."""
        for line in self.lines:
            frame = frames.get(line.viewer)
            if frame is None:
                line.send_whole()
            elif line.holds:
                line.send(frame)
            else:
                line.put(frame)
                self._waking.append(line)
        if self._waking:
            asyncio.get_running_loop().call_soon(self._wake)

    def _wake(self) -> None:
        for _ in range(min(limits.FAN_OUT, len(self._waking))):
            self._waking.popleft().wake()
        if self._waking:
            asyncio.get_running_loop().call_soon(self._wake)

    def _send_all(self, frame: bytes) -> None:
        self._send(dict.fromkeys(self.watched(), frame))

    def show_again(self) -> None:
        """Encode the whole views again and send them over every live connection."""
        self._wholes.clear()
        for line in self.lines:
            line.send_whole()

    def _update(self, viewer: int) -> bytes:
        """Return what changed for a viewer since the last update."""
        before = self._sights[viewer]
        assert before.seen is not None
        since, old = before.version, before.seen
        now = self.sight(viewer)
        assert now.seen is not None
        known = now.new_lines()
        shown: Mapping[str, object] = old.fields
        changes: dict[str, object] = {name: value for name, value in now.seen.fields.items() if value != shown[name]}
        changes["clicks"], changes["began"] = self.history.clicks, self.history.began
        changes["made"] = self.history.made.get(viewer, [])
        if self.history.match.over:
            changes["dice"] = dice_view(self.history.head, self.rules.sides, True)
        update: wire.LiveUpdate = {
            "type": "update", "since": since, "version": self.version, "set": changes,
            "units": self._moved_units(old.units, now.seen.units),
            "log_from": known, "log": now.log[known:],
        }  # fmt: skip
        return orjson.dumps(update)

    def _moved_units(self, old: Units, new: Units) -> dict[str, wire.UnitView | None]:
        """Return the units that differ, None for those that are gone; found once for viewers with the same view."""
        if old is new:
            return {}
        if self._moved[0] is not old or self._moved[1] is not new:
            moved: dict[str, wire.UnitView | None] = {name: unit for name, unit in new.items() if old.get(name) != unit}
            self._moved = (old, new, moved | dict.fromkeys(old.keys() - new.keys()))
        return self._moved[2]

    def is_here(self, side: int) -> bool:
        """Whether a seat has a viewer now; a computer player's always has."""
        if not self.seats[side].human or any(side in line.holds for line in self.lines):
            return True
        return any(side in sides for sides in self.elsewhere.values())

    def visit_due(self, key: str, moment: float) -> bool:
        """Whether it is time to store that a device is looking; `moment` is in seconds of a clock that never jumps."""
        last = self._visits.get(key)
        if last is not None and moment - last < limits.VISIT_SECONDS:
            return False
        self._visits[key] = moment
        return True

    def name_of(self, side: int) -> str:
        """Return the name of the account that holds a seat, or of its computer player; mostly there is none."""
        if side == EVERYONE:
            return ""
        seat = self.seats[side]
        return self.names.get(self.rules.sides[side], "") if seat.human else seat.who

    def seat_infos(self) -> list[wire.SeatInfo]:
        """Return the holder of each seat and whether it is present."""
        return [
            {
                "side": self.rules.sides[seat.side],
                "who": seat.who,
                "name": self.name_of(seat.side),
                "here": self.is_here(seat.side),
                "thinking": seat.side in self.thinking,
                "part": self.thinking.get(seat.side),
                "seen": seat.seen,
                "claim_from": self.claim_from(seat.side),
            }
            for seat in self.seats
        ]

    def claim_from(self, side: int) -> str | None:
        """Return from when the opponent may claim the match because this side must decide and is absent; None if never."""
        decision, days, seat = self.history.match.decision, self.history.head.claim_days, self.seats[side]
        if decision is None or decision.side != side or days is None or seat.seen is None or self.is_here(side):
            return None
        if all(other.side == side or not other.human for other in self.seats):
            return None
        since = datetime.fromisoformat(max(seat.seen, self.last_change))
        return (since + timedelta(days=days)).isoformat(timespec="milliseconds")

    def tell_seats(self) -> None:
        """Send every live connection who is present, soon, if that has changed."""
        if self.lines and self._seats_due is None:
            self._seats_due = asyncio.get_running_loop().call_later(limits.SEATS_SECONDS, self._tell_seats)

    def tell_thinking(self) -> None:
        """Send every live connection the progress of a computer player at once."""
        if self._seats_due is not None:
            self._seats_due.cancel()
        self._tell_seats()

    def _tell_seats(self) -> None:
        self._seats_due = None
        company = self._company()
        if company != self._seats_told:
            self._seats_told = company
            self._send_all(b'{"type":"seats",%b}' % company)

    def _company(self) -> bytes:
        """Who holds the seats, and the rematch that was offered, encoded as a part of a frame."""
        return b'"seats":%b,"rematch":%b' % (orjson.dumps(self.seat_infos()), orjson.dumps(self.rematch))

    def add_chat(self, said: wire.ChatMessage) -> None:
        """Add a line of chat and tell every live connection."""
        if self.chat and self.chat[-1]["number"] >= said["number"]:
            return
        self.chat.append(said)
        del self.chat[: -limits.CHAT_LINES]
        frame: wire.LiveSaid = {"type": "said", "line": said}
        self._send_all(orjson.dumps(frame))

    def info(self, changed: str, open_reasons: bool, holds: Sequence[int] = ()) -> wire.MatchInfo:
        """Return the line of the match in a list, for the holder of some seats."""
        standing, head = self.history.status(), self.history.head
        return {
            "id": self.id, "game": head.game, "title": self.rules.title, "scenario": head.scenario,
            "scenario_title": scenario_title(self.rules, head.scenario),
            "turn": standing.turn, "label": standing.label, "phase": standing.phase,
            "asked": None if standing.asked is None else self.rules.sides[standing.asked], "seats": self.seat_infos(),
            "result": views.result(self.rules, self.history.match.result), "started": head.started, "changed": changed,
            "open_reasons": open_reasons, "mine": [self.rules.sides[side] for side in holds], "begun": True,
        }  # fmt: skip


def holds(devices: dict[str, Device], key: str) -> list[int]:
    """Return the sides that a key opens; none without a key. A key of another match is refused."""
    if not key:
        return []
    device = devices.get(digest(key))
    if device is None:
        raise Refused("seat", "This key opens no seat of this match")
    return list(device.sides)


def dice_view(head: Head, sides: Sequence[str], over: bool) -> wire.DiceView:
    """Return the public data of the dice: the numbers themselves when the match is over."""
    return {
        "commitment": commitment(head.dice),
        "key": head.dice.hex() if over else None,
        "chosen": head.seed is not None,
        "contributions": [
            {"side": sides[one.side], "commitment": one.commitment or "", "value": one.value if over else None}
            for one in head.contributions
        ],
    }


def scenario_title(rules: Rules[Any], name: str) -> str:
    """Return the title of a scenario; its name if it no longer exists."""
    return rules.scenarios[name].title if name in rules.scenarios else name


def said(rules: Rules[Any], row: tuple[int, int, str, str, str]) -> wire.ChatMessage:
    """Return a stored line of chat."""
    number, side, name, text, at = row
    return {"number": number, "side": views.side_name(rules, side), "name": name, "text": text, "at": at}
