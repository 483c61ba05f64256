"""Hidden information: the strength of Untried units (3.3.4, 4.2.2), the location of each Fire Support marker (10.3.4),
and the Victory Plan (18.2.7)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from khamsin.games.kasserine.support import nations_agree
from khamsin.games.kasserine.units import (
    ALLIED,
    BOARD,
    CLASS,
    DEPLOYED,
    FACE_DOWN,
    FORCE_SPAN,
    FOUGHT,
    GUN,
    HEXES,
    MARKER_SPAN,
    MARKERS,
    RANGE,
    READY,
    SEALED,
    TRIED,
    UNTRIED,
    UNTRIED_UNITS,
    G,
    KasserineState,
)
from khamsin.kernel.rules import NOBODY

SHUFFLES = 20
"""How often another placement of the markers is tried before they are left as they are."""


def conceal(state: KasserineState, side: int) -> KasserineState:
    """Return the state as a side may know it: neither side knows an Untried unit, and hidden enemy markers are in the
    order of their numbers. So it is known which locations have markers, but not which ones (3.3.4, 10.3.4, 18.2.7)."""
    seen = state.copy()
    flags = state.flags
    for unit in UNTRIED_UNITS:
        if flags[unit] & UNTRIED:
            seen.quality[unit] = 0
    markers = face_down(state, 1 - side)
    places = [state.where[marker] for marker in markers]
    shown = sorted(places)
    if shown != places:
        seen.where.rearrange(dict(zip(markers, shown, strict=True)))
    if side == ALLIED and state.plan and not state.decrypted:
        seen.plan = SEALED
    return seen


def draw_strength(g: G, unit: int) -> None:
    """An Untried unit draws its strength from the cup of its kind, unseen by both sides (4.2.1-3)."""
    cup = left_in_cup(g.state, CLASS[unit])
    g.state.quality[unit] = cup[g.dice.pick(len(cup), "Untried unit", "4.2.3", to=NOBODY)]


def left_in_cup(state: KasserineState, kind: str) -> list[int]:
    """Return the strengths of a kind of Untried units that none of them has drawn (4.2.1)."""
    drawn = {state.quality[unit] for unit in UNTRIED_UNITS if CLASS[unit] == kind}
    return [quality for quality in range(1, len(TRIED[kind]) + 1) if quality not in drawn]


def draws(state: KasserineState, groups: Sequence[Sequence[int]], column: int) -> dict[tuple[int, ...], Fraction]:
    """Return the chance of each sum of hidden strengths, one for each group of Untried units, as all can judge it: a unit has
    one of the strengths of its kind that no Tried unit has, no two the same. Column 0 is attack, 1 defence (4.2.1-3)."""
    chances = {(0,) * len(groups): Fraction(1)}
    for kind in TRIED:
        members = [(number, unit) for number, units in enumerate(groups) for unit in units if CLASS[unit] == kind]
        known = {state.quality[u] for u in UNTRIED_UNITS if CLASS[u] == kind and not state.flags[u] & UNTRIED}
        cup = Counter(drawn[column] for quality, drawn in enumerate(TRIED[kind], 1) if quality not in known)
        cases = {(sums, frozenset(cup.items())): chance for sums, chance in chances.items()}
        for number, _ in members:
            further: dict[tuple[tuple[int, ...], frozenset[tuple[int, int]]], Fraction] = {}
            for (sums, left), chance in cases.items():
                for value, count in left:
                    if count:
                        rest = frozenset({*left, (value, count - 1)} - {(value, count)})
                        case = ((*sums[:number], sums[number] + value, *sums[number + 1 :]), rest)
                        likely = chance * Fraction(count, sum(many for _, many in left))
                        further[case] = further.get(case, Fraction(0)) + likely
            cases = further
        chances = {}
        for (sums, _), chance in cases.items():
            chances[sums] = chances.get(sums, Fraction(0)) + chance
    return chances


def imagine(
    state: KasserineState, side: int, chance: random.Random, kept: frozenset[int] = frozenset()
) -> KasserineState:
    """Return a random full state consistent with what the side knows (3.3.4, 10.3.4, 18.2.7)."""
    other = state.copy()
    for kind in TRIED:
        concealed = [u for u in UNTRIED_UNITS if CLASS[u] == kind and state.flags[u] & UNTRIED]
        for unit in concealed:
            other.quality[unit] = 0
        cup = left_in_cup(other, kind)
        for unit, quality in zip(concealed, chance.sample(cup, len(concealed)), strict=True):
            other.quality[unit] = quality
    shuffle_markers(other, 1 - side, chance)
    if side == ALLIED and state.plan and not state.decrypted:
        other.plan = chance.randint(1, 3)
    return other


def face_down(state: KasserineState, side: int) -> list[int]:
    """Return the face-down markers of a side, in the Ready Box or on the map (10.3.4)."""
    marked = zip(MARKERS[side], state.flags[MARKER_SPAN[side]], strict=True)
    return [marker for marker, marks in marked if marks & FACE_DOWN]


def shuffle_markers(state: KasserineState, side: int, chance: random.Random) -> None:
    """Redistribute a side's hidden markers, each in range of its gun, if that is found within some attempts (10.1.2)."""
    markers = face_down(state, side)
    laid = [state.where[m] for m in markers if state.where[m] < HEXES]
    if not laid:
        return
    spent = FOUGHT if state.tables else 0  # 10.1.4
    able = [
        m
        for m in markers
        if state.flags[GUN[m]] & DEPLOYED and 0 <= state.where[GUN[m]] < HEXES and not state.flags[m] & spent
    ]
    if len(able) < len(laid):
        return
    for _ in range(SHUFFLES):
        chosen = chance.sample(able, len(laid))
        if _could_lie(state, side, chosen, laid):
            for marker in markers:
                state.where[marker] = READY[side]
            for marker, hex in zip(chosen, laid, strict=True):
                state.where[marker] = hex
            return


def _could_lie(state: KasserineState, side: int, markers: list[int], hexes: list[int]) -> bool:
    """Whether markers could be placed so: in range, and on friendly hexes within the limits of their nations (10.5.2)."""
    held = state.where[FORCE_SPAN[side]]
    laid: dict[int, list[int]] = {}
    for marker, hex in zip(markers, hexes, strict=True):
        if BOARD.distance(state.where[GUN[marker]], hex) > RANGE[marker]:
            return False
        laid.setdefault(hex, []).append(marker)
    return all(hex not in held or nations_agree(group) for hex, group in laid.items())
