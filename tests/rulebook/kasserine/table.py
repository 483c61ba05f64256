"""Setting the table for tests of Decision at Kasserine: a position in a few lines, and what is open in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from khamsin import games
from khamsin.games.kasserine.scenario import SETTINGS
from khamsin.games.kasserine.units import AXIS, BOARD, NUMBER, SIDE, G, KasserineState, name
from khamsin.kernel import Match, ReplayDice, SeededDice, position
from khamsin.kernel.rules import Decision, Procedure


def game(
    units: Mapping[str, Sequence[str]],
    phase: str = "axis movement",
    turn: int = 16,
    scenario: str = "campaign",
    axis: Sequence[str] = (),
    allied: Sequence[str] = (),
    strongpoints: Mapping[str, Sequence[str]] | None = None,
    dice: Sequence[int] = (),
    options: Mapping[str, str] | None = None,
    **state: int,
) -> G:
    """A position: hex -> units, who controls and has fortified what, figures of the state, and how the next dice fall. All
    supply sources work, and its phase has not begun."""
    lines = ["khamsin = 1", 'game = "kasserine"', f'scenario = "{scenario}"', f"turn = {turn}", f'phase = "{phase}"']
    if options:
        lines += ["[options]", *(f'{key} = "{value}"' for key, value in options.items())]
    lines += ["[units]", *(f"{json.dumps(place)} = {json.dumps(list(names))}" for place, names in units.items())]
    lines += ["[control]", f"axis = {json.dumps(list(axis))}", f"allied = {json.dumps(list(allied))}"]
    sources = [[BOARD.name(hex) for hex in hexes] for hexes in SETTINGS[scenario].sources]
    lines += ["[source]", f"axis = {json.dumps(sources[0])}", f"allied = {json.dumps(sources[1])}"]
    if strongpoints:
        lines += ["[strongpoint]", *(f"{side} = {json.dumps(list(hexes))}" for side, hexes in strongpoints.items())]
    figures = {"first": SETTINGS[scenario].first, "option": 2 if scenario == "campaign" else 0} | state
    lines += ["[state]", *(f"{key} = {value}" for key, value in figures.items())]
    found: G = position.read_game("\n".join(lines), games.load)
    found.use(ReplayDice(dice, SeededDice(0)))
    return found


def match(units: Mapping[str, Sequence[str]], **more: object) -> Match[KasserineState]:
    """The same position with its phase asking."""
    return Match.at(game(units, **more))  # type: ignore[arg-type]


def begun(scenario: str, seed: int = 1) -> Match[KasserineState]:
    """A scenario at its first question."""
    return Match(games.load("kasserine"), scenario, dice=SeededDice(seed))


def drive(g: G, procedure: Procedure, clicks: Sequence[str]) -> Decision | None:
    """A procedure alone, answered by these clicks: its next question, or None when it is over."""
    question = next(procedure, None)
    for click in clicks:
        assert question is not None, f"nothing is asked where {click} was to be answered"
        number = g.rules.parse(click)
        assert number in question.legal, f"{click} is not open: {question.prompt}"
        try:
            question = procedure.send(number)
        except StopIteration:
            question = None
    return question


def refused(g: G, question: Decision | None, click: str) -> tuple[str, str]:
    """By which rule a click of a decision is illegal, and what causes it."""
    assert question is not None
    assert question.why_not is not None
    refusal = question.why_not(g.seen_by(question.side), question, g.rules.parse(click))
    assert refusal is not None
    return refusal.rule, refusal.cause


def south_to_come() -> dict[str, list[str]]:
    """The Axis units of the campaign that enter by the south edge, still on the set-up card: it is shut to the Allies."""
    arrivals = SETTINGS["campaign"].arrivals
    return {"Axis set-up card": [name(unit) for unit, a in arrivals.items() if SIDE[unit] == AXIS and a.hexes]}


def hexes(mask: bytes) -> set[str]:
    """The hexes of a mask by name."""
    return {BOARD.name(hex) for hex, byte in enumerate(mask) if byte}


def where(g: G, unit: str) -> str:
    """Where a unit stands."""
    location = g.state.where[NUMBER[unit]]
    return "" if location < 0 else BOARD.name(location)


def flags(g: G, unit: str) -> set[str]:
    """What is marked on a unit."""
    return {flag for flag in g.rules.flags if g.has(NUMBER[unit], flag)}
