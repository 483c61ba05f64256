"""Read what a player types: a unit's name or an unambiguous part of it ("5/1", "104"), a hex number, a place, a box, a button,
or a number from the list on the screen.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from khamsin.kernel.match import Match
from khamsin.kernel.pieces import State
from khamsin.kernel.rules import EVERYONE, Rules

MAX_TEXT = 200
"""The greatest length of a name; longer input is cut."""
EXACT, WORDS, BEGINNING, PART, LOOSE, NOT = range(6)
"""How well a text matches a name, best first: the whole name; some of its words in a row; the same with the last word
incomplete; any part of it; the beginnings of some of its words in any order; not at all."""


class Unclear(ValueError):
    """A text that names nothing or several things, with the candidates."""

    def __init__(self, reason: str, candidates: Sequence[int] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.candidates = tuple(candidates)


def plain(text: str) -> str:
    """Return a text without case, accents and apostrophes, its words one space apart.

    >>> plain("  D'Annunzio ")
    'dannunzio'
    """
    apart = unicodedata.normalize("NFKD", text[:MAX_TEXT])
    bare = "".join(c for c in apart if not unicodedata.combining(c) and c not in "'’`")
    return " ".join(bare.casefold().split())


def fit(text: str, name: str) -> int:
    """Return how well a text matches a name, both plain; lower is better. A number in the text must be a whole number
    of the name: 13 does not match 132.

    >>> fit("5/1", "de 5/1/abn"), fit("5/1", "de 15/1/abn"), fit("sol", "sollum"), fit("11", "it 132"), fit("a 13", "it 13/a")
    (1, 5, 2, 5, 4)
    """
    if text == name:
        return EXACT
    best = NOT
    at = name.find(text) if text else -1
    while at >= 0:
        before, after = name[at - 1 : at], name[at + len(text) : at + len(text) + 1]
        if not (_one_number(before, text[0]) or _one_number(text[-1], after)):
            starts, ends = not before.isalnum(), not after.isalnum()
            best = min(best, WORDS if starts and ends else BEGINNING if starts else PART)
        at = name.find(text, at + 1)
    if best != NOT:
        return best if best != PART or len(text) > 1 else NOT
    words, left = text.split(), re.split(r"[^\w]+", name)
    for word in words:
        begun = next((w for w in left if w.startswith(word) and not _one_number(word[-1], w[len(word) :])), None)
        if begun is None:
            return NOT
        left.remove(begun)
    return LOOSE if len(words) > 1 else NOT


def _one_number(before: str, after: str) -> bool:
    """Whether a cut between two texts cuts a number."""
    return before[-1:].isdigit() and after[:1].isdigit()


class Lexicon:
    """Every name of a game, ready to be looked up."""

    def __init__(self, rules: Rules[Any]) -> None:
        self.rules = rules

    @cached_property
    def _names(self) -> list[list[str]]:
        """For each click the plain texts that name it."""
        rules = self.rules
        names = [[plain(name)] for name in rules.names]
        for place in rules.board.places:
            names[rules.units + place.hex].append(plain(place.name))
        return names

    def find(self, text: str, among: Iterable[int]) -> list[int]:
        """Return the clicks among some that a text matches best: none, one, or several alike."""
        wanted = plain(text)
        if not wanted:
            return []
        best, found = NOT, list[int]()
        for click in among:
            how = min(fit(wanted, name) for name in self._names[click])
            if how >= PART and click >= self.rules.first_button:
                continue  # a button is pressed by its beginning only, because its effect can often not be undone
            if how < best:
                best, found = how, [click]
            elif how == best and how != NOT:
                found.append(click)
        return found

    def exactly(self, text: str, among: Iterable[int]) -> int | None:
        """Return the click with exactly this name, ignoring case."""
        wanted = plain(text)
        return next((click for click in among if wanted in self._names[click]), None)

    def unit(self, text: str, *groups: Iterable[int]) -> int:
        """Return the one unit that a text names, searched in one group after another and then among all."""
        return self._one(text, "unit", *groups, range(self.rules.units))

    def place(self, text: str) -> int:
        """Return the one location that a text names, as a number of the board."""
        rules = self.rules
        return self._one(text, "hex, place or box", range(rules.units, rules.first_button)) - rules.units

    def anything(self, text: str, *groups: Iterable[int]) -> int:
        """Return the one unit, location or button that a text names, searched in one group after another and then among
        all."""
        return self._one(text, "unit, hex, place, box or button", *groups, range(len(self.rules.names)))

    def _one(self, text: str, kind: str, *groups: Iterable[int]) -> int:
        for group in groups:
            found = self.find(text, group)
            if len(found) > 1:
                raise Unclear(f"{short(text)}: which?", found)
            if found:
                return found[0]
        raise Unclear(f"{short(text)}: no {kind} has this in its name")


def short(text: str) -> str:
    """Return a text as it can be quoted in one line."""
    return repr(text if len(text) <= 40 else text[:37] + "...")


def known(match: Match[Any], side: int) -> State:
    """Return the state as a side may know it; for EVERYONE, what all may know."""
    state: State = match.state
    for viewer in range(len(match.rules.sides)) if side == EVERYONE else (side,):
        state = match.rules.conceal(state, viewer)
    return state


def in_play(match: Match[Any], side: int) -> list[int]:
    """Return the clicks that a side probably means: units on the map, all locations, and legal clicks."""
    rules, state = match.rules, known(match, side)
    units = [unit for unit, where in enumerate(state.where) if rules.board.is_hex(where)]
    open = match.decision.legal if match.decision else ()
    return list(dict.fromkeys([*units, *range(rules.units, rules.first_button), *open]))


def chosen(match: Match[Any]) -> tuple[int, ...]:
    """Return the units that the decision is about: those it names, else in the middle of a move the unit clicked last."""
    decision = match.decision
    if decision is None or decision.about or decision.top or not match.clicks:
        return decision.about if decision else ()
    last = match.clicks[-1]
    return (last,) if last < match.rules.units else ()


def listed(match: Match[Any]) -> list[int]:
    """Return the legal clicks that a list numbers from 1: units, in order of their hexes, then boxes."""
    if match.decision is None:
        return []
    rules, where = match.rules, known(match, match.decision.side).where
    units = [click for click in match.decision.legal if click < rules.units]
    boxes = [
        click
        for click in match.decision.legal
        if rules.units <= click < rules.first_button and not rules.board.is_hex(click - rules.units)
    ]
    first = {where[unit]: number for number, unit in reversed(list(enumerate(units)))}
    return sorted(units, key=lambda unit: first[where[unit]]) + boxes


def understand(match: Match[Any], lexicon: Lexicon, text: str) -> int:
    """Return the click that a text means at the present decision. Raise Unclear if it could mean several or none. A
    click that is named clearly but is illegal is returned too, for the match to refuse with its reason."""
    decision, rules = match.decision, match.rules
    open = decision.legal if decision else {}
    exact = lexicon.exactly(text, open)
    if exact is not None:
        return exact
    numbered = listed(match)
    number = re.fullmatch(r"(#?)\s*([0-9]{1,4})", text.strip())
    by_number = [numbered[int(number[2]) - 1]] if number and 1 <= int(number[2]) <= len(numbered) else []
    if number and number[1]:
        if by_number:
            return by_number[0]
        raise Unclear(f"{short(text)}: the list has {len(numbered)} numbers")
    found = lexicon.find(text, open)
    if by_number and found and found != by_number:
        others = [click for click in found if click not in by_number]
        reason = f"{short(text)}: number {text.strip()} of the list (#{text.strip()}), or a name?"
        raise Unclear(reason, [*by_number, *others])
    found = by_number or found
    if len(found) == 1:
        return found[0]
    if found:
        raise Unclear(f"{short(text)}: which?", found)
    closed = lexicon.find(text, range(len(rules.names)))
    if not closed:
        raise Unclear(f"{short(text)}: no unit, hex, place, box, button or command has this name")
    where = known(match, decision.side if decision else EVERYONE).where
    there = [u for u in numbered if u < rules.units and len(closed) == 1 and where[u] == closed[0] - rules.units]
    if len(there) == 1:
        return there[0]
    if there:
        raise Unclear(f"{short(text)}: which of the units there?", there)
    if len(closed) > 1:
        raise Unclear(f"{short(text)}: none of these can be clicked now", closed)
    return closed[0]
