"""Positions for tests of North Africa '41 with its sequence of play, and what is legal in them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from khamsin.games.na41 import RULES
from khamsin.games.na41.units import BOARD, NUMBER, SIDES, G, Na41State
from khamsin.kernel import Match, ReplayDice, SeededDice, position
from khamsin.kernel.rules import Decision, Procedure


def game(
    units: Mapping[str, Sequence[str]],
    phase: str = "impulse 3 axis movement",
    turn: int = 3,
    scenario: str = "campaign",
    control: Mapping[str, Sequence[str]] | None = None,
    forts: Mapping[str, Sequence[str]] | None = None,
    supply: Mapping[str, Mapping[str, int]] | None = None,
    options: Mapping[str, str] | None = None,
    amounts: Mapping[str, Mapping[str, int]] | None = None,
    dice: Sequence[int] = (),
    **state: int,
) -> G:
    """A position: location -> units with marks, control, Fortifications and Supply Points by side, options, other amounts by
    location, and the next dice. Its phase has not begun."""
    lines = ["khamsin = 1", 'game = "na41"', f'scenario = "{scenario}"', f"turn = {turn}", f'phase = "{phase}"']
    if options:
        lines += ["[options]", *(f'{key} = "{value}"' for key, value in options.items())]
    lines += ["[units]", *(f"{json.dumps(place)} = {json.dumps(list(names))}" for place, names in units.items())]
    for field, given in (("control", control), ("fort", forts)):
        if given:
            lines += [f"[{field}]", *(f"{side.lower()} = {json.dumps(list(hexes))}" for side, hexes in given.items())]
    stocks = {f"{side.lower()}_sp": points for side, points in (supply or {}).items()} | dict(amounts or {})
    for field, points in stocks.items():
        lines += [f"[{field}]", *(f"{json.dumps(hex)} = {number}" for hex, number in points.items())]
    values = {"rommel": 0, "scenario": list(RULES.scenarios).index(scenario), **state}
    lines += ["[state]", *(f"{key} = {value}" for key, value in values.items())]
    found: G = position.read_game("\n".join(lines), lambda name: RULES)
    found.use(ReplayDice(dice, SeededDice(0)))
    return found


def match(units: Mapping[str, Sequence[str]], **more: object) -> Match[Na41State]:
    """The same position with its phase asking."""
    return Match.at(game(units, **more))  # type: ignore[arg-type]


def begun(scenario: str, seed: int = 1) -> Match[Na41State]:
    """A scenario at its first decision."""
    return Match(RULES, scenario, dice=SeededDice(seed))


def kind(m: Match[Na41State]) -> str:
    """The kind of the present decision."""
    assert m.decision is not None
    return m.decision.kind


def legal(m: Match[Na41State]) -> set[str]:
    """The legal clicks by name."""
    assert m.decision is not None
    return {RULES.names[click] for click in m.decision.legal}


def refused(m: Match[Na41State], click: str) -> str:
    """The section by which a click is illegal."""
    number = RULES.parse(click)
    assert m.decision is not None
    assert number not in m.decision.legal, f"{click} is legal"
    return m.explain(number).rule


def where(g: G | Match[Na41State], unit: str) -> str:
    """The location of a unit."""
    location = g.state.where[NUMBER[unit]]
    return "" if location < 0 else BOARD.name(location)


def steps(g: G | Match[Na41State], unit: str) -> int:
    """The steps that a unit has left."""
    return g.state.steps[NUMBER[unit]]


def flags(g: G | Match[Na41State], unit: str) -> set[str]:
    """The flags of a unit."""
    return {flag for flag, bit in RULES.flag.items() if g.state.flags[NUMBER[unit]] & bit}


def spent(m: Match[Na41State], unit: str) -> float:
    """The MPs that a unit has used in this phase."""
    return m.state.spent[NUMBER[unit]] / 4


def points(g: G | Match[Na41State], side: str) -> dict[str, int]:
    """The Supply Points of a side by location."""
    stock = g.state.axis_sp if SIDES.index(side) == 0 else g.state.allied_sp
    return {BOARD.name(location): number for location, number in stock.items()}


def drive(g: G, procedure: Procedure, clicks: Sequence[str] = ()) -> Decision | None:
    """A procedure alone, answered by these clicks: its next decision, or None when it is over."""
    decision = next(procedure, None)
    for click in clicks:
        assert decision is not None, f"nothing is asked where {click} was to be clicked"
        number = RULES.parse(click)
        assert number in decision.legal, f"{click} is illegal: {decision.prompt}"
        try:
            decision = procedure.send(number)
        except StopIteration:
            decision = None
    return decision
