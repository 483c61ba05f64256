"""Modes (OCS 5): Combat, Move, Strat and Reserve are chosen when a unit begins to move; exploit and DG are results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cache

from khamsin.games.tunisia import tracing
from khamsin.games.tunisia.units import (
    BOARD,
    CHANGED,
    COMBAT,
    DG,
    EXPLOIT,
    GROUND_UNITS,
    IS_REPL,
    IS_TRUCK,
    LATER,
    MA,
    MODES,
    MOVE,
    MOVING,
    ORGANIC,
    RESERVE,
    SCALE,
    SIDE,
    SIDES,
    STRAT,
    G,
    face,
    name,
    on_map,
    tell,
)
from khamsin.games.tunisia.zones import in_zone, zone_names
from khamsin.kernel.rules import Refusal

WORDS = ("combat", "move", "strat", "reserve")
"""The voluntary modes, by their buttons, from the least demanding on (OCS 5(1))."""
TIMES = {
    bit: Fraction(COMBAT["mode"][word]["ma"])
    for bit, word in ((STRAT, "strat"), (RESERVE, "reserve"), (EXPLOIT, "exploit"), (DG, "dg"))
}
_TIMED = sum(TIMES)
MODE_FLAGS = {"combat": 0, "move": MOVE, "strat": MOVE | STRAT}
"""The flags of the modes that show one side of a counter (OCS 5)."""
WHOLE = Fraction(1)
REACTION = Fraction(COMBAT["mode"]["reaction"]["ma"])


def flags_in(g: G, unit: int, word: str) -> int:
    """Return the flags of a unit in a mode. Reserve keeps the face that shows (OCS 5)."""
    flags = g.state.flags[unit]
    if flags & DG:
        return flags & ~MOVE | (MOVE if word == "move" else 0)
    if word == "reserve":
        return flags & ~MODES | RESERVE
    return flags & ~(MODES | MOVE) | MODE_FLAGS[word]


def allowance(unit: int, flags: int, times: Fraction = WHOLE) -> int:
    """Return the movement allowance in twelfths in a mode; `times` is that of the phase. Fractions are kept (OCS 1(3),
    OCS 5)."""
    printed, timed = MA[unit][1 if flags & MOVE else 0], flags & _TIMED
    if times is WHOLE:
        return _allowance(printed, timed)
    return _allowance(printed, timed, times.numerator, times.denominator)


@cache
def _allowance(printed: int, flags: int, numerator: int = 1, denominator: int = 1) -> int:
    points = Fraction(printed * SCALE * numerator, denominator)
    for bit, factor in TIMES.items():
        if flags & bit:
            points *= factor
    return int(points)


def why_not(g: G, side: int, unit: int, word: str, leaving: bool = False) -> Refusal | None:
    """Return why a unit cannot take a mode: it changes once in a phase, but after it was turned over it may go into
    Reserve with that side up; replacements and trucks have no Combat side, trucks no Strat Mode, DG units only turn the
    counter over; Strat and Reserve are not entered in an enemy ZOC, Reserve not without a marker, and with a hedgehog only
    by a unit that can then leave the hex (OCS 5, OCS 5(1), OCS 16, 1.4c, 1.4d; series 5.7g)."""
    who, flags, hex = name(unit), g.state.flags[unit], g.state.where[unit]
    cannot = f"{who} cannot change to {word.capitalize()} Mode"
    turned = word == "reserve" and not flags & (MODES | MOVING) and not g.state.spent[unit]
    if flags & CHANGED and not turned:
        return Refusal(f"{cannot}: it has already changed its mode in this phase", "OCS 5(1)", who)
    if flags_in(g, unit, word) == flags:
        return Refusal(f"{who} is already in {word.capitalize()} Mode", "OCS 5(1)", who)
    if word == "combat" and (IS_REPL[unit] or IS_TRUCK[unit]):
        return Refusal(f"{cannot}: its counter has no Combat side", "OCS 10(5)" if IS_REPL[unit] else "OCS 11.6", who)
    if word in ("strat", "reserve"):
        if flags & DG:
            return Refusal(f"{cannot}: it is disorganised", "OCS 5(1)", who)
        if IS_TRUCK[unit] and not (word == "reserve" and ORGANIC[unit]):
            return Refusal(f"{cannot}: trucks stay in Move Mode", "OCS 5", who)
        if in_zone(g, 1 - side, hex):
            return Refusal(f"{cannot}: {BOARD.name(hex)} is in an enemy ZOC", "OCS 5", zone_names(g, hex, 1 - side)[0])
    if word == "reserve":
        if g.state.hedgehog.get(hex) and not (leaving and MA[unit][face(g, unit)] and not g.state.spent[unit]):
            return Refusal(f"{cannot}: {BOARD.name(hex)} has a hedgehog", "OCS 16", BOARD.name(hex))
        if hex not in reserve_hexes(g, side) and markers_left(g, side) <= 0:
            return Refusal(f"{cannot}: no Reserve marker is left", "1.4c" if side == 0 else "1.4d", who)
    return None


def why_no_transport(g: G, side: int, unit: int) -> Refusal | None:
    """Return why a unit cannot be carried by rail, sea or air: it must be in Move Mode, or change to it as it starts,
    in the Movement Phase (OCS 5, OCS 5(1))."""
    flags, who = g.state.flags[unit], name(unit)
    if flags & MODES:
        return Refusal(f"{who} cannot be carried: only in Move Mode", "OCS 5", who)
    if flags & MOVE:
        return None
    if g.state.spent[unit] or g.state.todo.keys() & set(LATER):
        return Refusal(f"{who} cannot change to Move Mode now", "OCS 5(1)", who)
    return why_not(g, side, unit, "move")


def reserve_hexes(g: G, side: int) -> set[int]:
    """Return the hexes with a Reserve marker of a side; one marker covers a stack."""
    flags, where = g.state.flags, g.state.where
    return {where[unit] for unit in GROUND_UNITS[side] if flags[unit] & RESERVE and on_map(g, unit)}


def markers_left(g: G, side: int) -> int:
    """Return the Reserve markers that a side has left (1.4c, 1.4d)."""
    return g.state.reserves.get(SIDES[side], 0) - len(reserve_hexes(g, side))


def change(g: G, units: Sequence[int], word: str) -> None:
    """Units take a mode, or keep it for the phase (OCS 5(1))."""
    for unit in units:
        new = flags_in(g, unit, word)
        if new != g.state.flags[unit]:
            tell(g, SIDE[unit], "OCS 5(1)", "{unit} changes to {mode} Mode", unit=unit, mode=word.capitalize())
        g.state.flags[unit] = new | CHANGED


@contextmanager
def supposing(g: G, units: Sequence[int], flags: Sequence[int]) -> Iterator[None]:
    """Assume that units are in other modes: an engineer that leaves Combat Mode bridges nothing (OCS 5(1), OCS 10(2))."""
    true = g.state.flags
    g.state.flags = true.replaced(dict(zip(units, flags, strict=True)))
    try:
        yield
    finally:
        g.state.flags = true


def mode_name(g: G, unit: int) -> str:
    """Return the mode of a unit in words."""
    flags = g.state.flags[unit]
    for bit, word in ((DG, "DG"), (EXPLOIT, "Exploitation Mode"), (RESERVE, "Reserve Mode"), (STRAT, "Strat Mode")):
        if flags & bit:
            return word
    return "Move Mode" if face(g, unit) else "Combat Mode"


def can_end_in_strat(g: G, side: int, hex: int) -> bool:
    """Whether Strat Mode may end in a hex: trace supply must be possible there (OCS 5)."""
    return bool(tracing.trace(g, side).supplied[hex])


def closed_to_strat(g: G, side: int) -> list[int]:
    """Return the hexes in which Strat Mode may not end (OCS 5)."""
    found: list[int] = (~tracing.trace(g, side).supplied).nonzero()[0].tolist()
    return found
