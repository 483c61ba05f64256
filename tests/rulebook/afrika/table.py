"""Positions for tests of Afrika in a few lines, and what is legal in them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from khamsin.games.afrika import RULES
from khamsin.games.afrika.units import BOARD, NUMBER, AfrikaState, G
from khamsin.kernel import Match, ReplayDice, SeededDice, position
from khamsin.kernel.rules import Decision, Procedure, Refusal


def game(
    units: Mapping[str, Sequence[str]],
    phase: str = "axis movement",
    turn: int = 2,
    scenario: str = "gazala",
    axis: Sequence[str] = (),
    allied: Sequence[str] = (),
    boxes: Mapping[str, Sequence[str]] | None = None,
    air: tuple[int, int] = (0, 0),
    dice: Sequence[int] = (),
    **state: int,
) -> G:
    """A position: location -> units, who controls what, boxes, air points of both sides, and the next dice. Its phase has not
    begun."""
    lines = ["khamsin = 1", 'game = "afrika"', f'scenario = "{scenario}"', f"turn = {turn}", f'phase = "{phase}"']
    lines += ["[units]", *(f"{json.dumps(place)} = {json.dumps(list(names))}" for place, names in units.items())]
    lines += ["[control]", f"axis = {json.dumps(list(axis))}", f"allied = {json.dumps(list(allied))}"]
    if boxes:
        lines += ["[box]", *(f"{side} = {json.dumps(list(hexes))}" for side, hexes in boxes.items())]
    lines += ["[air]", f"Axis = {air[0]}", f"Allied = {air[1]}"]
    lines += ["[state]", *(f"{key} = {value}" for key, value in state.items())]
    found: G = position.read_game("\n".join(lines), lambda name: RULES)
    found.use(ReplayDice(dice, SeededDice(0)))
    return found


def match(units: Mapping[str, Sequence[str]], **more: Any) -> Match[AfrikaState]:
    """The same position with its phase asking."""
    return Match.at(game(units, **more))


def begun(scenario: str, seed: int = 1) -> Match[AfrikaState]:
    """A scenario at its first decision."""
    return Match(RULES, scenario, dice=SeededDice(seed))


def drive(g: G, procedure: Procedure, clicks: Sequence[str] = ()) -> Decision | None:
    """A procedure alone, answered by these clicks: its next decision, or None when it is over."""
    decision = next(procedure, None)
    for click in clicks:
        assert decision is not None, f"nothing is asked where {click} was to be answered"
        number = RULES.parse(click)
        assert number in decision.legal, f"{click} is illegal: {decision.prompt}"
        try:
            decision = procedure.send(number)
        except StopIteration:
            decision = None
    return decision


def refused(m: Match[AfrikaState], click: str) -> str:
    """The section by which a click is illegal."""
    number = RULES.parse(click)
    assert m.decision is not None
    assert number not in m.decision.legal, f"{click} is legal"
    return m.explain(number).rule


def rule_of(refusal: Refusal | None) -> str:
    """The section of a refusal."""
    assert refusal is not None
    return refusal.rule


def legal(m: Match[AfrikaState]) -> set[str]:
    """The legal clicks by name."""
    assert m.decision is not None
    return {RULES.names[click] for click in m.decision.legal}


def where(g: G | Match[AfrikaState], unit: str) -> str:
    """The location of a unit."""
    location = g.state.where[NUMBER[unit]]
    return "" if location < 0 else BOARD.name(location)


def steps(g: G | Match[AfrikaState], unit: str) -> int:
    """The steps that a unit has left."""
    return g.state.steps[NUMBER[unit]]


def flags(g: G, unit: str) -> set[str]:
    """The flags of a unit."""
    return {flag for flag in g.rules.flags if g.has(NUMBER[unit], flag)}
