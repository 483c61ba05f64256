"""Positions for tests of Tunisia in a few lines, and what is legal in them."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from khamsin.games.tunisia import RULES
from khamsin.games.tunisia.units import BOARD, NUMBER, G, TunisiaState
from khamsin.kernel import Match, ReplayDice, SeededDice, position
from khamsin.kernel.rules import Decision, Refusal

INCOMPLETE = replace(RULES, find_fault=lambda g: "")
"""Tests add bases and the like to a position after it is read."""


def game(
    units: Mapping[str, Sequence[str]],
    phase: str = "axis movement",
    turn: int = 34,
    scenario: str = "mareth",
    axis: Mapping[str, int] | None = None,
    allied: Mapping[str, int] | None = None,
    hedgehogs: Mapping[str, int] | None = None,
    dice: Sequence[int] = (),
    **state: int,
) -> G:
    """A position: location -> units, tokens of both sides by hex, hedgehogs, and the next dice. Its phase has not begun."""
    lines = ["khamsin = 1", 'game = "tunisia"', f'scenario = "{scenario}"', f"turn = {turn}", f'phase = "{phase}"']
    lines += ["[units]", *(f"{json.dumps(place)} = {json.dumps(list(names))}" for place, names in units.items())]
    for name, amounts in (("axis_t", axis), ("allied_t", allied), ("hedgehog", hedgehogs)):
        if amounts:
            lines += [f"[{name}]", *(f"{json.dumps(hex)} = {number}" for hex, number in amounts.items())]
    lines += ["[reserves]", "Axis = 8", "Allied = 6"]
    lines += ["[state]", "first = 33", *(f"{key} = {value}" for key, value in state.items())]
    found: G = position.read_game("\n".join(lines), lambda name: INCOMPLETE)
    found.rules = RULES
    found.use(ReplayDice(dice, SeededDice(0)))
    return found


def match(units: Mapping[str, Sequence[str]], **more: Any) -> Match[TunisiaState]:
    """The same position with its phase asking."""
    return Match.at(game(units, **more))


def drive(g: G, procedure: Generator[Decision, int, Any], clicks: Sequence[str] = ()) -> Any:
    """A procedure alone, answered by these clicks: its next decision, or what it returns when it is over."""
    try:
        decision = next(procedure)
        for click in clicks:
            number = RULES.parse(click)
            assert number in decision.legal, f"{click} is illegal: {decision.prompt}"
            decision = procedure.send(number)
    except StopIteration as over:
        return over.value
    return decision


def refused(m: Match[TunisiaState], click: str) -> str:
    """The section by which a click is illegal."""
    number = RULES.parse(click)
    assert m.decision is not None
    assert number not in m.decision.legal, f"{click} is legal"
    return m.explain(number).rule


def rule_of(refusal: Refusal | None) -> str:
    """The section of a refusal."""
    assert refusal is not None
    return refusal.rule


def legal(m: Match[TunisiaState]) -> set[str]:
    """The legal clicks by name."""
    assert m.decision is not None
    return {RULES.names[click] for click in m.decision.legal}


def where(g: G | Match[TunisiaState], unit: str) -> str:
    """The location of a unit."""
    location = g.state.where[NUMBER[unit]]
    return "" if location < 0 else BOARD.name(location)


def flags(g: G | Match[TunisiaState], unit: str) -> set[str]:
    """The flags of a unit."""
    bits = g.state.flags[NUMBER[unit]]
    return {flag for number, flag in enumerate(RULES.flags) if bits >> number & 1}


def number(*units: str) -> tuple[int, ...]:
    """Units by name."""
    return tuple([NUMBER[unit] for unit in units])
