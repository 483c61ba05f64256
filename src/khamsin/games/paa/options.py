"""Optional reinforcements (13.5): which may be taken now, and what taking one brings and bars."""

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
)
from khamsin.kernel.rules import Procedure

BOX: dict[str, dict[str, Any]] = {letter: dict(BOARD.box[f"Option {letter}"].data) for letter in OPTION_BOX}
"""What stands with each option: its side, the turns it may be taken, and the options it bars or the outcomes it needs."""
LETTERS = tuple(
    tuple(letter for letter, data in BOX.items() if data["side"] == side.lower() and data["turns"]) for side in SIDES
)
"""The options each side may choose among; M is no choice (13.5.2)."""
EACH_TURN: int = SCHEDULE["options"]["axis_each_turn"]
BRIGADES_FOR_D: int = SCHEDULE["options"]["indian_brigades_for_D"]
ONE_OF: dict[str, list[list[str]]] = SCHEDULE["one_of"]


def available(g: G, side: int) -> list[str]:
    """The options a side may take now, each at most once (13.5)."""
    turn, taken, where = g.state.turn, g.state.taken, g.state.where
    return [
        letter
        for letter in LETTERS[side]
        if turn in BOX[letter]["turns"]
        and letter not in taken
        and where[OPTION_UNITS[letter][0]] == OPTION_BOX[letter]
        and (axis_may(g, letter) if side == AXIS else allies_may(g, letter))
    ]


def allies_may(g: G, letter: str) -> bool:
    """Of B, C and D only one, and D only against two Indian brigades in the base (13.5.1)."""
    if any(letter in BOX[other]["excludes"] for other in g.state.taken if other in LETTERS[ALLIED]):
        return False
    return letter != "D" or len(indian_brigades(g)) >= BRIGADES_FOR_D


def axis_may(g: G, letter: str) -> bool:
    """Two options a turn, and only those that go with the outcome at Malta (13.5.2, Table 11)."""
    taken, outcome = g.state.taken, malta.outcome(g)
    if sum(taken.get(other) == g.state.turn for other in LETTERS[AXIS]) >= EACH_TURN:
        return False
    if outcome not in BOX[letter]["malta"]:
        return False
    return not any(letter in group and other in taken for group in ONE_OF[outcome] for other in group)


def exercise(g: G, side: int, letter: str) -> Procedure:
    """Take an option: its units are due this turn, what it excludes is out, D gives up two Indian brigades (13.5)."""
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
    """The Axis options that taking one bars (13.5.2, Table 11)."""
    groups = ONE_OF[malta.outcome(g)]
    return [other for group in groups if letter in group for other in group if other != letter]


def give_up_indians(g: G) -> Procedure:
    """Two Indian infantry brigades of the base leave for option D, as the Allies choose (13.2.3, 13.5.1)."""
    for due in range(BRIGADES_FOR_D, 0, -1):
        brigades = indian_brigades(g)
        unit = brigades[0]
        if len(brigades) > due:
            unit = yield g.ask(
                ALLIED, "reinforcement.option", "Which Indian brigade leaves for option D?", "13.5.1", units=brigades
            )
        send_away(g, unit, "13.5.1")


def indian_brigades(g: G) -> list[int]:
    """The Indian infantry brigades that were in the base when the phase began (13.2.3, 13.5.1)."""
    state = g.state
    return [
        u
        for u in REGULARS[ALLIED]
        if NATION[u] == "IN" and not ARMOURED[u] and state.where[u] in BASE[ALLIED] and not state.flags[u] & REINFORCED
    ]


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
        g.log("13.5", "Option {letter} is no longer open", letter=letter)


def remove_expired(g: G, side: int) -> None:
    """What was not taken on its last turn does not come (13.5)."""
    for letter in LETTERS[side]:
        if g.state.turn >= BOX[letter]["turns"][-1]:
            remove(g, letter)
