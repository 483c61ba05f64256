"""Positions for tests of combat in North Africa '41 in a few lines, and what is legal in them."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from khamsin.games.na41.sheet import Attack
from khamsin.games.na41.units import (
    ALLIED,
    AXIS,
    BOARD,
    BUTTONS,
    COUNTERS,
    DATA,
    FLAGS,
    NUMBER,
    SIDE,
    SIDES,
    G,
    Na41State,
    fill_printed,
)
from khamsin.kernel import ReplayDice, SeededDice
from khamsin.kernel.registration import Scenario
from khamsin.kernel.rules import Decision, Game, Refusal, Rules
from khamsin.kernel.tables import read_tables

RULES: Rules[Na41State] = Rules(
    id="na41",
    title="North Africa '41",
    sides=SIDES,
    board=BOARD,
    counters=COUNTERS,
    buttons=BUTTONS,
    flags=FLAGS,
    state=Na41State,
    scenarios={},
    phases=lambda state: (),
    set_up=lambda g: None,
    tables=read_tables(DATA / "tables.toml"),
    fill_printed=fill_printed,
)
"""The rules without a sequence of play, for single procedures."""
UNIT = re.compile(r"(?P<name>[^\[]+?)(?: \[(?P<marks>[^\]]*)\])?$")


def game(
    units: Mapping[str, Sequence[str]],
    dice: Sequence[int] = (),
    forts: Mapping[str, Sequence[str]] | None = None,
    works: Mapping[str, Sequence[str]] | None = None,
    control: Mapping[str, Sequence[str]] | None = None,
    supply: Mapping[str, Mapping[str, int]] | None = None,
    assets: Mapping[str, int] | None = None,
    rp: Mapping[str, int] | None = None,
    options: Mapping[str, str] | None = None,
    **state: int,
) -> G:
    """A position: location -> units with marks ("I/5/5L [disrupted, steps 2]"), Fortifications, control and Supply Points by
    side, assets, Resource Points, options, and the next dice. Rommel is not ready unless it says so."""
    here = RULES.new_state()
    for place, names in units.items():
        for text in names:
            found = UNIT.fullmatch(text)
            assert found is not None
            unit = NUMBER[found["name"]]
            here.where[unit] = BOARD[place]
            for mark in (found["marks"] or "").split(", "):
                if mark.startswith("steps "):
                    here.steps[unit] = int(mark[6:])
                elif mark:
                    here.flags[unit] |= RULES.flag[mark]
    for field, given in (("fort", forts), ("works", works), ("control", control)):
        for side, hexes in (given or {}).items():
            getattr(here, field).update({BOARD[hex]: SIDES.index(side) for hex in hexes})
    for side, points in (supply or {}).items():
        getattr(here, f"{side.lower()}_sp").update({BOARD[hex]: number for hex, number in points.items()})
    here.assets.update(assets or {})
    here.rp.update({"Axis": 0, "Allied": 0, **(rp or {})})
    for key, value in {"rommel": 0, **state}.items():
        setattr(here, key, value)
    scenario = Scenario("enter-rommel", "Enter Rommel")
    return Game(RULES, scenario, dict(options or {}), here, ReplayDice(dice, SeededDice(0)))


def attack(g: G, units: Sequence[str], hex: str, **more: Any) -> Attack:
    """An attack of units on a hex."""
    numbers = tuple(NUMBER[unit] for unit in units)
    return Attack(SIDE[numbers[0]], numbers, BOARD[hex], **more)


def drive(procedure: Generator[Decision, int, Any], clicks: Sequence[str] = ()) -> Decision | None:
    """A procedure alone, answered by these clicks: its next decision, or None when it is over."""
    decision = next(procedure, None)
    for click in clicks:
        assert decision is not None, f"nothing is asked where {click} was to be clicked"
        number = RULES.parse(click)
        assert number in decision.legal, f"{click} is illegal: {decision.prompt}: {legal(decision)}"
        try:
            decision = procedure.send(number)
        except StopIteration:
            decision = None
    return decision


def finish(procedure: Generator[Decision, int, Any], clicks: Sequence[str] = ()) -> Any:
    """The value of a procedure that these clicks answer to its end."""
    try:
        decision = next(procedure)
        for click in clicks:
            number = RULES.parse(click)
            assert number in decision.legal, f"{click} is illegal: {decision.prompt}: {legal(decision)}"
            decision = procedure.send(number)
    except StopIteration as end:
        return end.value
    raise AssertionError(f"still asked: {decision.prompt}: {legal(decision)}")


def legal(decision: Decision | None) -> set[str]:
    """The legal clicks by name."""
    assert decision is not None
    return {RULES.names[click] for click in decision.legal}


def refused(g: G, decision: Decision | None, click: str) -> str:
    """The section by which a click is illegal in a decision."""
    assert decision is not None
    number = RULES.parse(click)
    assert number not in decision.legal, f"{click} is legal"
    assert decision.why_not is not None
    refusal = decision.why_not(g, decision, number)
    assert refusal is not None, f"{click} is refused without a reason"
    return refusal.rule


def rule_of(refusal: Refusal | None) -> str:
    """The section of a refusal."""
    assert refusal is not None
    return refusal.rule


def where(g: G, unit: str) -> str:
    """The location of a unit."""
    location = g.state.where[NUMBER[unit]]
    return "" if location < 0 else BOARD.name(location)


def steps(g: G, unit: str) -> int:
    """The steps that a unit has left."""
    return g.state.steps[NUMBER[unit]]


def flags(g: G, unit: str) -> set[str]:
    """The flags of a unit."""
    return {flag for flag in FLAGS if g.has(NUMBER[unit], flag)}


def units(*names: str) -> tuple[int, ...]:
    """Units by name."""
    return tuple(NUMBER[name] for name in names)


__all__ = ["ALLIED", "AXIS", "RULES", "attack", "drive", "finish", "flags", "game", "legal", "refused", "rule_of", "steps",
           "units", "where"]  # fmt: skip
