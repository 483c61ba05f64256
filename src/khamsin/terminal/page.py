"""The screen: heading, map, recent events, the decision with its legal clicks, and the input line. In a wide window the
decision is to the right of the map, otherwise below it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from khamsin.kernel.match import Match
from khamsin.kernel.pieces import State
from khamsin.terminal.answers import HEAD, RULE, Lines, ending, hint_text, side_style, turn_name
from khamsin.terminal.input_parser import known, listed

WIDE = 110
"""The least number of columns for the decision next to the map."""
GAP = Text("   ")


def heading(match: Match[Any], width: int) -> Text:
    """Return the game, the turn, the phase, and the side that decides."""
    decision = match.decision
    left = f" {match.rules.title} · {turn_name(match)} · {match.phase.name}"
    right = f"{match.rules.sides[decision.side]} to decide " if decision else "over "
    if len(left) + len(right) + 1 > width:
        left = f" {turn_name(match)} · {match.phase.name}"
    line = (left.ljust(max(0, width - len(right))) + right)[:width]
    return Text(line.ljust(width), side_style(decision.side if decision else -1) + " bold", no_wrap=True)


def question(match: Match[Any], width: int) -> Lines:
    """Return the side, prompt and rule of the decision."""
    decision = match.decision
    if decision is None:
        return wrapped([ending(match)], width)
    side = match.rules.sides[decision.side]
    parts = [(f" {side} ", side_style(decision.side)), (f" {decision.prompt}", HEAD), (f" ({decision.rule})", RULE)]
    return wrapped([Text.assemble(*parts)], width)


def open_clicks(match: Match[Any], width: int, height: int, only: Sequence[str] = ()) -> Lines:
    """Return the legal clicks, by kind and by name, folded to a number of lines; `height` 0 folds nothing."""
    decision = match.decision
    if decision is None:
        return []
    state = known(match, decision.side)
    numbers = {click: number for number, click in enumerate(listed(match), 1)}
    units, boxes = _numbered(match, state, numbers)
    hexes = _hexes(match)
    buttons = [Text(match.rules.names[click], "bold") for click in decision.legal if click >= match.rules.first_button]
    kinds = [("units", units), ("hexes", hexes), ("boxes", boxes), ("buttons", buttons)]
    filled = [(kind, entries) for kind, entries in kinds if entries and (not only or kind in only)]
    lines: Lines = []
    left = height
    for number, (kind, entries) in enumerate(filled):
        later = len(filled) - number - 1
        room = 0 if not height else max(1, min(left - later, _share(left, filled[number:])))
        part = fold(kind, entries, width, room)
        lines += part
        left -= len(part)
    return lines


def _share(left: int, filled: Sequence[tuple[str, Lines]]) -> int:
    """Return how many lines a kind gets while others wait: the buttons one, the rest equally."""
    long = [kind for kind, _ in filled if kind != "buttons"]
    if not long or filled[0][0] == "buttons":
        return left
    return max(1, (left - (len(filled) - len(long))) // len(long))


def _numbered(match: Match[Any], state: State, numbers: dict[int, int]) -> tuple[Lines, Lines]:
    """Return the legal units and boxes with their numbers in the list; units with their hex."""
    rules, decision = match.rules, match.decision
    assert decision is not None
    units: Lines = []
    boxes: Lines = []
    for click, number in numbers.items():
        hint = hint_text(decision.legal[click], rules.board)
        tail = f": {hint}" if hint else ""
        if click < rules.units:
            where = rules.board.name(state.where[click]) if state.where[click] >= 0 else "?"
            units.append(
                Text.assemble((f"{number} ", RULE), (rules.names[click], "bold"), (f" {where}", RULE), (tail, "cyan"))
            )
        else:
            boxes.append(Text.assemble((f"{number} ", RULE), (rules.names[click], "bold"), (tail, "cyan")))
    return units, boxes


def _hexes(match: Match[Any]) -> Lines:
    """Return the legal hexes with their hints: places first, the greater before the smaller, then the cheaper."""
    rules, decision = match.rules, match.decision
    assert decision is not None
    board = rules.board
    rank: dict[int, int] = {}
    for place in board.places:
        rank[place.hex] = min(place.rank, rank.get(place.hex, 9))
    hexes = [
        click - rules.units
        for click in decision.legal
        if rules.units <= click < rules.first_button and board.is_hex(click - rules.units)
    ]

    def weight(hex: int) -> tuple[int, int, int]:
        hint = decision.legal[rules.units + hex]
        return rank.get(hex, 9), hint if isinstance(hint, int) else 0, hex

    entries = []
    for hex in sorted(hexes, key=weight):
        hint = hint_text(decision.legal[rules.units + hex], board)
        named = board.place_in(hex)
        entries.append(
            Text.assemble((board.name(hex), "bold"), f" {named}" if named else "", (f" {hint}" if hint else "", "cyan"))
        )
    return entries


def fold(kind: str, entries: Lines, width: int, height: int) -> Lines:
    """Return entries side by side after the name of their kind, in at most `height` lines (0: no limit); the rest is
    counted."""
    indent = 8
    rows: list[Lines] = [[]]
    used = indent
    for entry in entries:
        if rows[-1] and used + len(GAP) + len(entry) > width:
            rows.append([])
            used = indent
        used += len(entry) + (len(GAP) if rows[-1] else 0)
        rows[-1].append(entry)
    tail = Text()
    if height and len(rows) > height:
        left = sum(map(len, rows[height:]))
        del rows[height:]
        while True:
            tail = Text(f"… {left} more: open {kind}", RULE)
            if not rows[-1] or indent + sum(len(e) + len(GAP) for e in rows[-1]) + len(tail) <= width:
                break
            rows[-1].pop()
            left += 1
        rows[-1].append(tail)
    heads = [Text(f"{kind:<{indent}}", RULE), *(Text(" " * indent) for _ in rows[1:])]
    return [Text.assemble(head, GAP.join(row)) for head, row in zip(heads, rows, strict=True)]


def wrapped(lines: Lines, width: int) -> Lines:
    """Lines broken to a width."""
    console = Console(width=max(10, width))
    return [part for line in lines for part in line.wrap(console, max(10, width))] if lines else []


def compose(
    match: Match[Any],
    width: int,
    height: int,
    body: Callable[[int, int], Lines],
    notes: Lines,
    history: Lines,
) -> Lines:
    """Return a whole screen, one line less than the window has: the last is for typing. `body` draws the map or a text
    in its place, for a width and a height. `history` fills the space next to the map."""
    height = max(7, height - 1)
    head = heading(match, width)
    if width >= WIDE:
        across = aside(width)
        shown = _last(wrapped(notes, width), room_for_notes(width, height))
        tall = height - 1 - len(shown)
        asked = question(match, across)
        right = [*asked, Text(), *open_clicks(match, across, max(3, tall - len(asked) - 1))][:tall]
        before = wrapped(history[-tall:], across)
        room = tall - len(right) - 2
        if before and room > 1:
            right += [Text(), Text("before", HEAD), *before[-room:]]
        left = body(width - across - 2, tall)
        rows = []
        for number in range(tall):
            line = left[number].copy() if number < len(left) else Text()
            line.truncate(width - across - 2, pad=True)
            rows.append(Text.assemble(line, "  ", right[number] if number < len(right) else ""))
        return [head, *rows, *shown]
    asked = question(match, width)
    shown = _last(wrapped(notes, width), room_for_notes(width, height))
    lists = open_clicks(match, width, max(3, height // 5))
    tall = max(3, height - 1 - len(asked) - len(shown) - len(lists))
    return [head, *body(width, tall), *shown, *asked, *lists][:height]


def aside(width: int) -> int:
    """Return the width of the decision next to the map."""
    return min(60, width // 3)


def room_for_notes(width: int, height: int) -> int:
    """Return how many lines of events are shown with the decision."""
    return max(3 if width >= WIDE else 4, height // 6)


def _last(lines: Lines, height: int) -> Lines:
    """Return the last of some lines, with the number of those before."""
    if len(lines) <= height:
        return lines
    return [Text(f"… {len(lines) - height + 1} lines before: log", RULE), *lines[len(lines) - height + 1 :]]
