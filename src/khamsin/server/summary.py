"""Turn summary: what has changed since a side's last turn, from what a viewer may know.

It compares two views of the viewer, at the end of the side's last turn and at the start of its present one, and so
contains nothing that the viewer could not see. The log is used only for how a unit left the map.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from khamsin.kernel.rules import EVERYONE, Phase, Rules
from khamsin.server import views, wire
from khamsin.server.replay import Replay
from khamsin.server.views import StoredLine, ViewFields

Units = Mapping[str, wire.UnitView]

UNSUPPLIED = "out of supply"
"""How the badge of a unit out of supply begins, in every game."""
MAX_LINES = 200
FACE_DOWN = "unit"
"""How the back of a unit ends, in every game; others are markers, trucks or aircraft."""
LISTED = 3
"""Units named in one line; the others are counted."""


class Span(NamedTuple):
    """The clicks between two turns of a side: after the first, the side's last turn had not ended yet."""

    first: int
    last: int


def summary(replay: Replay, viewer: int) -> wire.TurnSummary:
    """Return what has happened between the last turn of the viewer's side and the present one. For a spectator, it is the
    side whose phase it is."""
    end = len(replay.clicks)
    now = replay.at(end)
    side = viewer if viewer != EVERYONE else max(now.phase.side, 0)
    span = span_of(replay, turn_sides(now.rules.phases(now.state)), side)
    rules = replay.rules
    found: wire.TurnSummary = {
        "side": rules.sides[side], "first": span.first, "last": span.last, "turn": now.state.turn, "lines": [],
    }  # fmt: skip
    if span.first < span.last:
        before, after = (views.seen(replay.at(click), viewer) for click in span)
        told = [one for one in replay.lines if span.first < one.click <= span.last and views.may_see(one, viewer)]
        found["lines"] = changes(rules, side, before, after, told)
        if replay.clicks[span.first].side == side and span.first + 1 < span.last:
            found["lines"] = without_own(
                rules, side, found["lines"], before, views.seen(replay.at(span.first + 1), viewer)
            )
    return found


def without_own(
    rules: Rules[Any], side: int, found: Sequence[wire.SummaryLine], before: ViewFields, then: ViewFields
) -> list[wire.SummaryLine]:
    """Return lines without the places that a side took by the click that ended its own turn, such as an advance."""
    own = [line for line in _places(rules, before.fields, then.fields) if line["side"] == rules.sides[side]]
    return [line for line in found if line not in own]


def span_of(replay: Replay, turns: Mapping[str, int], side: int) -> Span:
    """Return the clicks from the end of a side's last turn to its first decision in the present one, or to now if it has none.
    In phases of both sides, such as reinforcements, the enemy may decide before."""

    def own(click: int) -> bool:
        at = replay.clicks[click - 1] if click else replay.opening
        return turns.get(at.phase, at.phase_side) == side

    last = len(replay.clicks)
    while last > replay.first and own(last) and own(last - 1):
        last -= 1
    first, is_own = last - 1 if own(last) else last, own(last)
    while first > replay.first and not own(first):
        first -= 1
    while is_own and last < len(replay.clicks) and replay.clicks[last].side != side:
        last += 1
    return Span(max(first, replay.first), last)


def turn_sides(phases: Sequence[Phase]) -> dict[str, int]:
    """Return to whose turn each phase belongs, by its name. A single phase of one side among phases of the other, such as a
    reaction, belongs to the turn of the other."""
    sides = [phase.side for phase in phases]
    for number in range(len(sides)) if len(sides) >= 4 else ():
        if sides[number - 1] == sides[(number + 1) % len(sides)]:
            sides[number] = sides[number - 1]
    return {phase.name: side for phase, side in zip(phases, sides, strict=True)}


def changes(
    rules: Rules[Any], side: int, before: ViewFields, after: ViewFields, told: Sequence[StoredLine]
) -> list[wire.SummaryLine]:
    """Return what differs between two views of one viewer: losses first, then places, supply, threats to a side, arrivals."""
    old, new = before.units, after.units
    found = [
        *_losses(rules, old, new, told),
        *_places(rules, before.fields, after.fields),
        *_supply(rules, old, new),
        *_threats(rules, side, old, new),
        *_arrivals(rules, old, new),
    ]
    return found[:MAX_LINES]


def _losses(rules: Rules[Any], old: Units, new: Units, told: Sequence[StoredLine]) -> Iterator[wire.SummaryLine]:
    lost = _Groups(rules)
    hidden = {rules.counters[rules.click[name]].side for name, unit in new.items() if unit["back"]}
    for name, unit in _on_map(rules, old):
        counter, now = rules.counters[rules.click[name]], new.get(name)
        if now is not None and now["back"]:
            continue
        gone = any(line.note == views.LOST and name in line.text for line in told)
        if now is None or not _is_hex(rules, now["at"]):
            if gone:
                lost.add(name, unit["at"], "eliminated")
            elif is_unit(rules, name) and (now is not None or counter.side not in hidden):
                lost.add(name, unit["at"], f"left the map ({now['at']})" if now else "left the map")
        elif now["steps"] < unit["steps"]:
            lost.add(name, now["at"], f"reduced to {now['steps']} step{'s' if now['steps'] != 1 else ''}")
    yield from lost.lines("loss")


def _places(rules: Rules[Any], old: wire.MatchView, new: wire.MatchView) -> Iterator[wire.SummaryLine]:
    held = {(one["title"], one["at"]): one["holder"] for one in old["objectives"]}
    titles = Counter(title for title, _ in held)
    told = set()
    for one in new["objectives"]:
        key = (one["title"], one["at"])
        before = held.get(key, one["holder"])
        if before != one["holder"] and key not in told:
            told.add(key)
            title = f"{one['title']} ({one['at']})" if titles[one["title"]] > 1 else one["title"]
            yield _place(title, one["at"], one["holder"], one["rule"])
    named = {one["at"] for one in new["objectives"]}
    marks = {(one["at"], one["kind"]): one["side"] for one in old["marks"]}
    for mark in new["marks"]:
        before = marks.get((mark["at"], mark["kind"]), mark["side"])
        if mark["at"] not in named and None not in (before, mark["side"]) and before != mark["side"]:
            named.add(mark["at"])  # a port and an air base of one place are one line
            yield _place(_label(rules, mark["at"]), mark["at"], mark["side"], mark["rule"])


def _place(title: str, at: str, holder: str | None, rule: str) -> wire.SummaryLine:
    text = f"{title}: now held by {holder}" if holder else f"{title}: held by neither side"
    return {"kind": "place", "side": holder, "at": at, "units": [], "text": text, "rule": rule}


def _supply(rules: Rules[Any], old: Units, new: Units) -> Iterator[wire.SummaryLine]:
    changed = _Groups(rules)
    for name, unit in _on_map(rules, new):
        before = old.get(name)
        if before is None or before["back"]:
            continue
        was, now = _unsupplied(before), _unsupplied(unit)
        if was is None and now is not None:
            changed.add(name, unit["at"], UNSUPPLIED, now["rule"])
        elif was is not None and now is None:
            changed.add(name, unit["at"], "back in supply", was["rule"])
    yield from changed.lines("supply")


def _unsupplied(unit: wire.UnitView) -> wire.Badge | None:
    return next((badge for badge in unit["badges"] if badge["text"].lower().startswith(UNSUPPLIED)), None)


def _threats(rules: Rules[Any], side: int, old: Units, new: Units) -> Iterator[wire.SummaryLine]:
    """Return enemy units that have become adjacent to units of a side. Of face-down ones only their number is known."""
    own = {unit["at"] for name, unit in _on_map(rules, new) if is_unit(rules, name) and _side(rules, name) == side}
    near: dict[str, list[str]] = {}
    for name, unit in _on_map(rules, new):
        if _side(rules, name) == side or not is_unit(rules, name):
            continue
        before = old.get(name)
        beside = _around(rules, before["at"]) if before and not before["back"] else set()
        for at in _around(rules, unit["at"]) & own - beside:
            near.setdefault(at, []).append(name)
    unseen: Counter[str] = Counter()
    for place, count in (_face_down(rules, 1 - side, new) - _face_down(rules, 1 - side, old)).items():
        for at in _around(rules, place) & own:
            unseen[at] += count
    for at in sorted({*near, *unseen}):
        names = near.get(at, [])
        number = len(names) + unseen[at]
        text = f"{_label(rules, at)}: {number} enemy unit{'s' if number != 1 else ''} now adjacent"
        yield {"kind": "threat", "side": rules.sides[1 - side], "at": at, "units": names, "text": text, "rule": ""}


def _face_down(rules: Rules[Any], side: int, units: Units) -> Counter[str]:
    """Return how many units of a side are face down in each hex."""
    return Counter(
        unit["at"]
        for name, unit in units.items()
        if unit["back"].endswith(FACE_DOWN) and _side(rules, name) == side and _is_hex(rules, unit["at"])
    )


def _arrivals(rules: Rules[Any], old: Units, new: Units) -> Iterator[wire.SummaryLine]:
    arrived = _Groups(rules)
    for name, unit in _on_map(rules, new):
        before = old.get(name)
        if is_unit(rules, name) and (before is None or not (before["back"] or _is_hex(rules, before["at"]))):
            arrived.add(name, unit["at"], "arrives", plural="arrive")
    yield from arrived.lines("arrival")


class _Groups:
    """Units with the same change in the same location, one line for each side."""

    def __init__(self, rules: Rules[Any]) -> None:
        self.rules = rules
        self.found: dict[tuple[int, str, str, str, str], list[str]] = {}

    def add(self, name: str, at: str, what: str, rule: str = "", plural: str = "") -> None:
        """Add a unit."""
        key = (_side(self.rules, name), at, what, rule, plural or what)
        self.found.setdefault(key, []).append(name)

    def lines(self, kind: wire.SummaryKind) -> Iterator[wire.SummaryLine]:
        """Yield the lines, by side and location."""
        for (side, at, one, rule, many), names in sorted(self.found.items()):
            what = one if len(names) == 1 else many
            more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
            text = f"{_label(self.rules, at)}: {', '.join(names[:LISTED])}{more} {what}"
            yield {"kind": kind, "side": self.rules.sides[side], "at": at, "units": names, "text": text, "rule": rule}


def _on_map(rules: Rules[Any], units: Units) -> Iterable[tuple[str, wire.UnitView]]:
    """Return the pieces on hexes whose front the viewer sees."""
    return [(name, unit) for name, unit in units.items() if not unit["back"] and _is_hex(rules, unit["at"])]


def _around(rules: Rules[Any], at: str) -> set[str]:
    """Return the hexes adjacent to a location."""
    board = rules.board
    return {board.name(hex) for hex in board.around(board[at])} if _is_hex(rules, at) else set()


def _is_hex(rules: Rules[Any], at: str) -> bool:
    return rules.board.is_hex(rules.board[at])


def _side(rules: Rules[Any], name: str) -> int:
    return rules.counters[rules.click[name]].side


def _label(rules: Rules[Any], at: str) -> str:
    """Return a hex with the name of its place."""
    place = rules.board.place_in(rules.board[at])
    return f"{place} ({at})" if place else at


def is_unit(rules: Rules[Any], name: str) -> bool:
    """Whether a piece is a unit, not a marker or an installation: it has a size, where the game's counters have sizes."""
    return bool(rules.counters[rules.click[name]].size) or not any(counter.size for counter in rules.counters)
