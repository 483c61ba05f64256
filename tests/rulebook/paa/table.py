"""Setting the table for tests of PanzerArmee Afrika: a position in a few lines, and what is open in it."""

from __future__ import annotations

import json
from pathlib import Path

from khamsin import games
from khamsin.games.paa.units import NUMBER, PaaState
from khamsin.kernel import Match, ReplayDice, SeededDice, position

POSITIONS = Path(__file__).parent / "positions"


def figure(name: str, change: dict[str, str] | None = None) -> Match[PaaState]:
    """A position of the rulebook, perhaps with some of its text changed."""
    text = (POSITIONS / f"{name}.toml").read_text(encoding="utf-8")
    for old, new in (change or {}).items():
        assert old in text
        text = text.replace(old, new)
    return position.read(text, games.load, name)


def table(
    phase: str,
    units: dict[str, list[str]],
    turn: int = 3,
    axis: tuple[str, ...] = ("0702",),
    allied: tuple[str, ...] = ("1351", "1730", "1925"),
    dice: tuple[int, ...] = (),
    more: str = "",
) -> Match[PaaState]:
    """A position: hex -> units, who controls what, and how the next dice fall."""
    lines = ["khamsin = 1", 'game = "paa"', 'scenario = "campaign"', f"turn = {turn}", f'phase = "{phase}"']
    options, _, rest = more.partition("[state]")
    lines += [options] if options else []
    lines.append("[units]")
    lines += [f'"{hex}" = {json.dumps(names)}' for hex, names in units.items()]
    lines += ["[control]", f"axis = {json.dumps(axis)}", f"allied = {json.dumps(allied)}"]
    lines += ["[state]" + rest] if rest else []
    match = position.read("\n".join(lines), games.load)
    if dice:
        match.game.use(ReplayDice(dice, SeededDice(0)))
    return match


def hexes(match: Match[PaaState]) -> dict[str, object]:
    """The open hexes with their hints."""
    return match.legal_by_class()["hexes"]


def where(match: Match[PaaState], unit: str) -> str:
    """Where a unit stands."""
    location = match.state.where[NUMBER[unit]]
    return "" if location < 0 else match.rules.board.name(location)


def flags(match: Match[PaaState], unit: str) -> set[str]:
    """What is marked on a unit."""
    return {flag for flag in match.rules.flags if match.game.has(NUMBER[unit], flag)}


def why(match: Match[PaaState], click: str) -> tuple[str, str, str]:
    """Why a click is not open: reason, section, cause."""
    refusal = match.explain(match.rules.parse(click))
    return refusal.reason, refusal.rule, refusal.cause


def declare(match: Match[PaaState], target: str, *wanted: str) -> None:
    """Declare one combat against a hex and those among the wanted names, by the units among them alone."""
    units = {name for name in wanted if name in NUMBER}
    match.play([target, *(name for name in wanted if name not in NUMBER)])
    assert match.decision is not None
    chosen = {match.rules.names[unit] for unit in match.decision.about}
    match.play([*sorted(chosen ^ units), "done"])


def go_on(match: Match[PaaState], step: int) -> None:
    """End the steps of the combat phase before this one, as far as they still ask."""
    while 0 < match.state.combat_step < step:
        match.play(["done"])
