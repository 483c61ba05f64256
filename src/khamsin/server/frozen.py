"""A match that the installed rules cannot continue: shown from stored data alone."""

from __future__ import annotations

import json
import zlib
from typing import Any, NamedTuple

import orjson

from khamsin.kernel.dice import commitment
from khamsin.kernel.record import FORMAT
from khamsin.kernel.rules import EVERYONE, Find
from khamsin.server import history as histories
from khamsin.server import views, wire
from khamsin.server.click_checks import Refused
from khamsin.server.history import AUTOMATIC, ORDER, Stranded, fold_clicks, fold_log
from khamsin.server.live_match import dice_view, holds
from khamsin.server.store import Saved
from khamsin.server.views import Json


class Frozen(NamedTuple):
    """A stored match, what continuing it would lose, and the sides that agreed to that."""

    saved: Saved
    sides: tuple[str, ...]
    hidden: bool
    """Whether a side may know something that the other may not; true if the game is not installed."""
    lost: int | None
    """Clicks that continuing would lose; None: it cannot be continued."""
    agreed: tuple[int, ...]

    @classmethod
    def of(cls, saved: Saved, find: Find, agreed: list[int]) -> Frozen:
        """Find what continuing would lose; raises Refused for a match that is not frozen."""
        try:
            rules = find(saved.head.game)
        except ValueError:
            sides = tuple(f"Side {seat.side + 1}" for seat in saved.seats)
            return cls(saved, _stored_sides(saved) or sides, True, None, ())
        try:
            histories.rebuilt(saved, find)
        except Stranded as stranded:
            return cls(saved, rules.sides, rules.has_hidden_info, stranded.lost, tuple(agreed))
        except ValueError:
            return cls(saved, rules.sides, rules.has_hidden_info, None, tuple(agreed))
        raise Refused("changed", "The match can be continued; load it again")

    def holds(self, key: str) -> list[int]:
        """Return the sides that a key opens."""
        return holds(self.saved.devices, key)

    def viewer(self, key: str, side: str | None) -> int:
        """Return the side of a viewer; EVERYONE without a key."""
        mine = self.holds(key)
        if side is None:
            return mine[0] if mine else EVERYONE
        if side not in self.sides or self.sides.index(side) not in mine:
            raise Refused("seat", f"The key does not open the seat of {side}")
        return self.sides.index(side)

    def view(self, viewer: int) -> wire.View:
        """Return what a viewer saw at the last snapshot, with the log to its end. Without a stored view, it is the log."""
        head, entries = self.saved.head, self.saved.entries
        clicks = len(fold_clicks(entries))
        people = [seat.side for seat in self.saved.seats if seat.human]
        stored = self._stored_view(viewer)
        return {
            "game": head.game, "scenario": head.scenario, "options": head.options,
            "viewer": self.sides[viewer] if viewer != EVERYONE else None,
            "turn": stored.get("turn", {"number": 0, "label": "", "labels": []}),
            "phase": stored.get("phase", entries[-1].phase), "phases": stored.get("phases", []),
            "units": stored.get("units", {}), "marks": stored.get("marks", []), "tracks": stored.get("tracks", []),
            "budget": stored.get("budget", []), "objectives": stored.get("objectives", []), "result": stored.get("result"),
            "id": head.id, "version": entries[-1].seq, "clicks": clicks, "began": clicks, "made": [], "question": None,
            "log_from": 0, "log": [views.log_line(line) for line in self._log(viewer)],
            "dice": dice_view(head, self.sides, False), "opened": head.opened,
            "frozen": {
                "text": self.text, "lost": self.lost, "asked": [self.sides[side] for side in people],
                "agreed": [self.sides[side] for side in people if side in self.agreed],
            },
        }  # fmt: skip

    @property
    def text(self) -> str:
        """Return why it is frozen and the remedy, in words."""
        if self.lost is None:
            return "The installed rules cannot continue this match. Its log and record are available."
        clicks = f"{self.lost} click{'s' if self.lost != 1 else ''}"
        return f"The rules were updated. This match can continue if all players agree to lose {clicks}."

    def _log(self, viewer: int) -> list[views.StoredLine]:
        return [line for line in fold_log(self.saved.entries) if views.may_see(line, viewer)]

    def _stored_view(self, viewer: int) -> Json:
        packed = self.saved.snapshots[-1].views if self.saved.snapshots else None
        found: Json = orjson.loads(zlib.decompress(packed)).get(str(viewer), {}) if packed else {}
        return found

    def seat_infos(self) -> list[wire.SeatInfo]:
        """Return the holder of each seat."""
        return [
            {
                "side": self.sides[seat.side], "who": seat.who, "name": "" if seat.human else seat.who, "here": False,
                "thinking": False, "part": None, "seen": seat.seen, "claim_from": None,
            }
            for seat in self.saved.seats
        ]  # fmt: skip

    def record(self, viewer: int, mine: list[int]) -> tuple[str, str]:
        """Return the match as a file, with the ending of its name: the record without the key of the dice, or, if that
        would reveal hidden information, the stored view with the log."""
        if not mine:
            raise Refused("seat", "Only players of this match can export it")
        humans = [seat.side for seat in self.saved.seats if seat.human]
        alone = set(humans) <= set(mine)
        if self.hidden and not (alone and (self.saved.head.opened or len(humans) == len(self.saved.seats))):
            return json.dumps(self.view(viewer), indent=1), "json"
        return self._record(), "jsonl"

    def _record(self) -> str:
        head, entries = self.saved.head, self.saved.entries
        data = self.saved.snapshots[-1].rules if self.saved.snapshots else ""
        header: dict[str, Any] = {
            "khamsin": FORMAT, "game": head.game, "scenario": head.scenario, "options": head.options, "data": data,
            "dice": commitment(head.dice), "players": {},
        }  # fmt: skip
        if head.start is not None:
            header["start"] = head.start
        lines = [header, *({"click": entry.text} for entry in fold_clicks(entries))]
        for line, entry in zip(lines, [entries[0], *fold_clicks(entries)], strict=True):
            if entry.rolls:
                line["rolls"] = list(entry.rolls)
            if entry.kind in (AUTOMATIC, ORDER):
                line["order" if entry.kind == ORDER else "automatic"] = True
        last = {"saved": {"turn": entries[-1].turn, "phase": entries[-1].phase}}
        return "".join(json.dumps(line) + "\n" for line in [*lines, last])


def _stored_sides(saved: Saved) -> tuple[str, ...]:
    """Return the names of the sides, from the views that were stored."""
    packed = saved.snapshots[-1].views if saved.snapshots else None
    if packed is None:
        return ()
    seen = orjson.loads(zlib.decompress(packed))
    return tuple(seen[str(seat.side)]["viewer"] for seat in saved.seats if str(seat.side) in seen)
