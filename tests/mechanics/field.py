"""A game on the toy board for tests of single mechanics, and a procedure answered by clicks."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from khamsin.kernel import SeededDice
from khamsin.kernel.rules import Decision, Game
from tests.toy.skirmish import BOARD, COUNTERS
from tests.toy.skirmish import RULES as SKIRMISH

RULES = replace(SKIRMISH, buttons=("done", "cancel"))
UNIT = {counter.name: unit for unit, counter in enumerate(COUNTERS)}


def game(units: Mapping[str, Sequence[str]]) -> Game[Any]:
    """Return a game with units in hexes."""
    state = RULES.new_state()
    for hex, names in units.items():
        for name in names:
            state.where[UNIT[name]] = BOARD[hex]
    scenario = next(iter(RULES.scenarios.values()))
    return Game(RULES, scenario, scenario.choose({}), state, SeededDice(0))


def drive(g: Game[Any], procedure: Generator[Decision, int, Any], *clicks: str) -> Decision | Any:
    """Answer a procedure; return its next decision, or what it returned."""
    try:
        decision = next(procedure)
        for click in clicks:
            assert RULES.parse(click) in decision.legal, f"{click} is not legal: {decision.prompt}"
            decision = procedure.send(RULES.parse(click))
    except StopIteration as end:
        return end.value
    return decision


def names(decision: Decision) -> set[str]:
    """Return the legal clicks by name."""
    return {RULES.names[click] for click in decision.legal}


def why(g: Game[Any], decision: Decision, click: str) -> tuple[str, str]:
    """Return the rule and the cause of a refusal."""
    assert decision.why_not is not None
    refusal = decision.why_not(g, decision, RULES.parse(click))
    assert refusal is not None, click
    return refusal.rule, refusal.cause
