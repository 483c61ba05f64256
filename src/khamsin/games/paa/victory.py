"""Victory (14): the end of each player turn, the end of the game, and the result."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

from khamsin.games.paa.control import controls
from khamsin.games.paa.setup import OPTION_UNITS, SCHEDULE, TURNS
from khamsin.games.paa.supply import lines
from khamsin.games.paa.units import (
    ALEXANDRIA,
    ALLIED,
    AXIS,
    BOARD,
    CF,
    DISMOUNTED,
    EL_AGHEILA,
    HEXES,
    LORRY_SPAN,
    OOC,
    PHASE_FLAGS,
    REGULARS,
    REINFORCED,
    SIDE,
    SIDES,
    TOBRUK,
    G,
    cf,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Procedure

LADDER: list[str] = SCHEDULE["score"]["ladder"]
"""Every result, from the best for the Allies to the best for the Axis."""
DRAW = "draw"
HOLD_TOBRUK: int = SCHEDULE["score"]["tobruk"]
COST = Fraction(SCHEDULE["score"]["cost_of_options"])
TABLE: list[dict[str, Any]] = SCHEDULE["victory"]
"""The rows of Table 12; the first that applies decides."""


def end_of_player_turn(g: G, side: int) -> Procedure:
    """Count the turns Tobruk was held, clear the flags of the player turn, and end the game if it is over (14)."""
    count_tobruk(g)
    forget_turn(g, side)
    if side == AXIS and (controls(g, AXIS, ALEXANDRIA) or g.state.turn == TURNS):
        reckon(g)
    yield from ()


def count_tobruk(g: G) -> None:
    """Count one more player turn for the holder of Tobruk; only turns in a row count (14.1).

    `tobruk_run` is the present run, negative for the Axis; the others are each side's longest.
    """
    state = g.state
    holder = state.control.get(TOBRUK)
    if holder == ALLIED:
        state.tobruk_run = max(state.tobruk_run, 0) + 1
        state.tobruk_allied = max(state.tobruk_allied, state.tobruk_run)
    elif holder == AXIS:
        state.tobruk_run = min(state.tobruk_run, 0) - 1
        state.tobruk_axis = max(state.tobruk_axis, -state.tobruk_run)


def forget_turn(g: G, side: int) -> None:
    """Clear the flags of a player turn; lost command returns at the end of the Allied one (10.3)."""
    state = g.state
    keep = ~(PHASE_FLAGS | REINFORCED | (OOC if side == ALLIED else 0))
    state.flags = [flags & keep for flags in state.flags]
    units = len(state.flags)
    state.spent, state.origin, state.load = [0] * units, [NOWHERE] * units, [0] * units
    lorries = [state.via[span] for span in LORRY_SPAN]  # 11.1.3
    state.via = [0] * units
    for span, via in zip(LORRY_SPAN, lorries, strict=True):
        state.via[span] = via
    state.port.clear()


def reckon(g: G) -> None:
    """The victory calculation, and the end of the game (14.1)."""
    axis, allied = score(g)
    result = level(
        ratio(allied, axis), g.state.control.get(ALEXANDRIA), g.state.control.get(EL_AGHEILA), held_tobruk(g)
    )
    reason = f"{allied} Allied CF to {axis} Axis CF"
    if result == DRAW:
        g.end(NOWHERE, "", reason, "14.1")
        return
    winner, degree = result.split()
    g.end(SIDES.index(winner), degree, reason, "14.1")


def score(g: G) -> tuple[int, int]:
    """Return the adjusted CF of the Axis and of the Allies now: supplied CF on the map less the cost of options (14.1)."""
    return strength(g, AXIS) - penalty(g, AXIS), strength(g, ALLIED) - penalty(g, ALLIED)


def strength(g: G, side: int) -> int:
    """Return the CF of a side's units on the map that are in supply now; dismounted ones are not (13.6, 14.1)."""
    where, flags = g.state.where, g.state.flags
    now = lines(g, side)
    return sum(
        cf(g, u)
        for u in REGULARS[side]
        if 0 <= where[u] < HEXES and not flags[u] & DISMOUNTED and now.reach(where[u])
    )  # fmt: skip


def penalty(g: G, side: int) -> int:
    """Return one and a half times the CF of every option a side has taken, rounded up; M costs nothing (13.5.2,
    13.5.3)."""
    taken = [unit for letter in g.state.taken for unit in OPTION_UNITS[letter] if SIDE[unit] == side]
    return ceil(COST * sum(CF[unit] for unit in taken))


def ratio(allied: int, axis: int) -> Fraction:
    """Return the ratio of Allied to Axis strength; against 0 the best there is, 0 against 0 is even (14.1)."""
    if axis > 0:
        return Fraction(allied, axis)
    return Fraction(max(row.get("at_least", 0) for row in TABLE)) if allied > 0 else Fraction(1)


def held_tobruk(g: G) -> int | None:
    """Return the side that has held Tobruk long enough to change the result, in a full-length game with that option
    (14.1)."""
    if g.options["tobruk"] != "promotion" or g.state.turn != TURNS:
        return None
    if g.state.tobruk_allied >= HOLD_TOBRUK:
        return ALLIED
    return AXIS if g.state.tobruk_axis >= HOLD_TOBRUK else None


def level(ratio: Fraction, alexandria: int | None, el_agheila: int | None, tobruk: int | None = None) -> str:
    """Return the result for a ratio, the holders of the two bases, and the side that held Tobruk long enough (14.1,
    Table 12).

    >>> level(Fraction(4), ALLIED, AXIS), level(Fraction(4), ALLIED, AXIS, tobruk=AXIS)
    ('Allied substantive', 'Allied marginal')
    """
    holder = {"1351": alexandria, "0702": el_agheila}
    result = next((row["result"] for row in TABLE if _holds(row, ratio, holder)), DRAW)
    step = LADDER.index(result) + {ALLIED: -1, AXIS: 1, None: 0}[tobruk]
    return LADDER[min(max(step, 0), len(LADDER) - 1)]


def _holds(row: dict[str, Any], ratio: Fraction, holder: dict[str, int | None]) -> bool:
    """Whether a row of Table 12 applies."""
    return (
        ratio >= row.get("at_least", ratio)
        and ratio <= row.get("at_most", ratio)
        and not ("above" in row and ratio <= row["above"])
        and all(holder[base] == ALLIED for base in row.get("allied", ()))
        and sum(side == AXIS for side in holder.values()) >= row.get("axis", 0)
    )


assert {BOARD[base] for row in TABLE for base in row.get("allied", ())} <= {ALEXANDRIA, EL_AGHEILA}
