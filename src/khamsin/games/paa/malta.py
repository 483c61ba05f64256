"""The invasion of Malta (9): one Axis decision, one die roll, and its consequences."""

from __future__ import annotations

from khamsin.games.paa.setup import ARRIVAL, OPTION_BOX, OPTION_UNITS, ROWS, SCHEDULE
from khamsin.games.paa.supply import lines
from khamsin.games.paa.units import ALLIED, AXIS, BOARD, DISMOUNTED, LIBYA, REGULARS, REMOVED, SIDES, G
from khamsin.kernel.rules import Procedure

STATES: list[str] = BOARD.box["Malta"].data["states"]
"""The values of `state.malta`."""
OPEN, NO_ATTEMPT, SUCCESS, FAILURE = range(4)
TURN: int = SCHEDULE["malta"]["turn"]


def decide(g: G) -> Procedure:
    """In its supply phase of turn 15 the Axis may attempt to take Malta (8, 9)."""
    if g.state.turn != TURN or g.state.malta != OPEN:
        return
    yes, no = g.rules.button("yes"), g.rules.button("no")
    click = yield g.ask(AXIS, "malta.invade", "Invade Malta?", "9", buttons=[yes, no], top=True)
    if click == yes:
        invade(g)
    else:
        g.state.malta = NO_ATTEMPT
        g.log("9", "{side} does not attempt Malta", side=AXIS)
    settle_options(g)


def invade(g: G) -> None:
    """Roll one die, with a modifier for supplied Allied units in Libya (9, Table 6)."""
    column = "malta_some" if allies_in_libya(g) else "malta_none"
    result = g.table(column).roll(g.dice, 0, purpose="invasion of Malta")
    g.state.malta = STATES.index(str(result))
    g.log("9", "The invasion of Malta is a {result}", result=result)


def allies_in_libya(g: G) -> bool:
    """Whether any Allied regular unit west of the border is in supply now (8.4, 9)."""
    state = g.state
    here = [u for u in REGULARS[ALLIED] if state.where[u] in LIBYA and not state.flags[u] & DISMOUNTED]
    if not here:
        return False
    now = lines(g, ALLIED)
    return any(now.reach(state.where[u]) for u in here)


def border_closed(g: G) -> bool:
    """Whether Axis units and lorries may not cross from Libya into Egypt: on turn 15, if Malta is attempted (9)."""
    return g.state.turn == TURN and g.state.malta in (SUCCESS, FAILURE)


def outcome(g: G) -> str:
    """Return the outcome at Malta for options; before the decision it is no attempt (13.5.2)."""
    return STATES[g.state.malta or NO_ATTEMPT]


def settle_options(g: G) -> None:
    """Remove options that the outcome excludes; M gets its turn, a later one or none (9, 13.5.2)."""
    where = g.state.where
    for letter, box in OPTION_BOX.items():
        data = BOARD.box[f"Option {letter}"].data
        if data["side"] != SIDES[AXIS].lower():
            continue
        if outcome(g) not in data["malta"]:
            for unit in OPTION_UNITS[letter]:
                where[unit] = REMOVED
            g.log("9", "Option {letter} can no longer be taken", letter=letter)
        elif letter == "M":
            late = g.state.malta == SUCCESS
            for unit in OPTION_UNITS[letter]:
                if where[unit] == box:
                    turn = SCHEDULE["malta"]["M_after_success"] if late else ROWS[unit]["turn"]
                    where[unit] = ARRIVAL[AXIS][turn]
