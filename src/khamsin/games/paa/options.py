"""Optional reinforcements (13.5): those that may be taken now, and their effects."""

from __future__ import annotations

from typing import Any

from khamsin.games.paa import malta
from khamsin.games.paa.setup import ARRIVAL, OPTION_BOX, OPTION_UNITS, SCHEDULE
from khamsin.games.paa.units import (
    ALLIED,
    ARMOURED,
    AXIS,
    BASE,
    BOARD,
    NATION,
    REGULARS,
    REINFORCED,
    REMOVED,
    SIDES,
    WITHDRAWN,
    G,
    name,
)
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics.refusals import for_units
from khamsin.mechanics.schedule import choose_unit

BOX: dict[str, dict[str, Any]] = {letter: dict(BOARD.box[f"Option {letter}"].data) for letter in OPTION_BOX}
"""The data of each option: its side, the turns it may be taken, and the options it bars or the outcomes it needs."""
LETTERS = tuple(
    tuple(letter for letter, data in BOX.items() if data["side"] == side.lower() and data["turns"]) for side in SIDES
)
"""The options each side may choose among; M is not a choice (13.5.2)."""
EACH_TURN: int = SCHEDULE["options"]["axis_each_turn"]
BRIGADES_FOR_D: int = SCHEDULE["options"]["indian_brigades_for_D"]
INDIANS = [u for u in REGULARS[ALLIED] if NATION[u] == "IN" and not ARMOURED[u]]
"""The Indian infantry brigades."""
ONE_OF: dict[str, list[list[str]]] = SCHEDULE["one_of"]


def available(g: G, side: int) -> list[str]:
    """Return the options a side may take now (13.5)."""
    return [letter for letter in this_turn(g, side) if why_not_available(g, side, letter) is None]


def this_turn(g: G, side: int) -> list[str]:
    """Return the options of a side that have this turn and were not taken (13.5)."""
    return [o for o in LETTERS[side] if g.state.turn in BOX[o]["turns"] and o not in g.state.taken]


def why_not_available(g: G, side: int, letter: str) -> Refusal | None:
    """An option is taken at most once, on one of its turns, while nothing excludes it (13.5)."""
    cause, state = f"option {letter}", g.state
    if letter not in LETTERS[side]:
        return Refusal(f"Option {letter} is not yours", "13.5", cause)
    if letter in state.taken:
        return Refusal(f"Option {letter} was taken on turn {state.taken[letter]}", "13.5", cause)
    if state.where[OPTION_UNITS[letter][0]] != OPTION_BOX[letter]:
        return Refusal(f"Option {letter} can no longer be taken", "13.5", cause)
    turns = BOX[letter]["turns"]
    if state.turn not in turns:
        later = [turn for turn in turns if turn > state.turn]
        when = f"from turn {later[0]}" if later else f"until turn {turns[-1]}"
        return Refusal(f"Option {letter} can be taken {when} only", "13.5.1" if side == ALLIED else "13.5.2", cause)
    return why_not_for_axis(g, letter) if side == AXIS else why_not_for_allies(g, letter)


def why_not_for_allies(g: G, letter: str) -> Refusal | None:
    """Of B, C and D only one, and D only against two Indian brigades in the base (13.5.1)."""
    cause = f"option {letter}"
    for other in g.state.taken:
        if other in LETTERS[ALLIED] and letter in BOX[other]["excludes"]:
            return Refusal(f"Option {letter} cannot be taken: option {other} excludes it", "13.5.1", cause)
    found = len(indian_brigades(g))
    if letter == "D" and found < BRIGADES_FOR_D:
        need = f"needs {BRIGADES_FOR_D} Indian infantry brigades in the base, {found} are there"
        return Refusal(f"Option D cannot be taken: {need}", "13.5.1", cause)
    return None


def why_not_for_axis(g: G, letter: str) -> Refusal | None:
    """The Axis takes at most two options per turn, and only those that fit the outcome at Malta (13.5.2, Table 11)."""
    cause, taken, outcome = f"option {letter}", g.state.taken, malta.outcome(g)
    if sum(taken.get(other) == g.state.turn for other in LETTERS[AXIS]) >= EACH_TURN:
        return Refusal(f"Option {letter} cannot be taken: {EACH_TURN} options were taken this turn", "13.5.2", cause)
    if outcome not in BOX[letter]["malta"]:
        return Refusal(f"Option {letter} cannot be taken after {outcome} at Malta", "13.5.2", cause)
    for other in others_of_group(g, letter):
        if other in taken:
            return Refusal(f"Option {letter} cannot be taken: option {other} excludes it", "13.5.2", cause)
    return None


def exercise(g: G, side: int, letter: str) -> Procedure:
    """Take an option: its units are due this turn, options it excludes are removed, D gives up two Indian brigades
    (13.5)."""
    state = g.state
    state.taken[letter] = state.turn
    g.log("13.5", "{side} takes option {letter}", side=side, letter=letter)
    for unit in OPTION_UNITS[letter]:
        state.where[unit] = ARRIVAL[side][state.turn]
    barred = BOX[letter].get("excludes", ()) if side == ALLIED else others_of_group(g, letter)
    for other in barred:
        remove(g, other)
    if letter == "D":
        yield from give_up_indians(g)


def others_of_group(g: G, letter: str) -> list[str]:
    """Return the Axis options that taking one excludes (13.5.2, Table 11)."""
    groups = ONE_OF[malta.outcome(g)]
    return [other for group in groups if letter in group for other in group if other != letter]


def give_up_indians(g: G) -> Procedure:
    """Two Indian infantry brigades of the base leave for option D, as the Allies choose (13.2.3, 13.5.1)."""
    for due in range(BRIGADES_FOR_D, 0, -1):
        unit = yield from choose_unit(
            g, ALLIED, "reinforcement.option", "Choose an Indian brigade that leaves for option D", "13.5.1",
            indian_brigades(g), due, why_not=for_units(why_not_leaving),
        )  # fmt: skip
        send_away(g, unit, "13.5.1")


def indian_brigades(g: G) -> list[int]:
    """Return the Indian infantry brigades that may leave for option D (13.2.3, 13.5.1)."""
    return [u for u in INDIANS if why_not_leaving(g, u) is None]


def why_not_leaving(g: G, unit: int) -> Refusal | None:
    """Only Indian infantry brigades that were in the base when the phase began leave for option D (13.2.3, 13.5.1)."""
    who = name(unit)
    if unit not in INDIANS:
        return Refusal(f"{who} cannot leave for option D: not an Indian infantry brigade", "13.5.1", who)
    if g.state.where[unit] not in BASE[ALLIED]:
        return Refusal(f"{who} cannot leave for option D: not in the base", "13.5.1", who)
    if g.state.flags[unit] & REINFORCED:
        return Refusal(f"{who} cannot leave for option D: it arrived in this phase", "13.5.1", who)
    return None


def send_away(g: G, unit: int, rule: str) -> None:
    """An Allied unit is withdrawn and loses its reinforcement (13.2.3)."""
    g.log(rule, "{unit} is withdrawn", unit=unit)
    g.state.where[unit] = WITHDRAWN
    g.state.plus[unit] = g.state.flags[unit] = 0


def remove(g: G, letter: str) -> None:
    """An option that can no longer be taken leaves the order of battle (13.5)."""
    waiting = [unit for unit in OPTION_UNITS[letter] if g.state.where[unit] == OPTION_BOX[letter]]
    for unit in waiting:
        g.state.where[unit] = REMOVED
    if waiting:
        g.log("13.5", "Option {letter} can no longer be taken", letter=letter)


def remove_expired(g: G, side: int) -> None:
    """Remove options not taken on their last turn (13.5)."""
    for letter in LETTERS[side]:
        if g.state.turn >= BOX[letter]["turns"][-1]:
            remove(g, letter)
