"""Combats for tests: the lines before Thala, a combat without its declaration, and what has been said of it."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.kasserine.battle import Battle, declare
from khamsin.games.kasserine.units import ASSAULT, BOARD, NUMBER, SIDE, G, KasserineState
from khamsin.kernel import Match
from khamsin.mechanics.combats import Combat

THALA = {
    "2811": ["10 RB (-)", "450/71 Fd [deployed]"],
    "2910": ["2/5 Lei (+)"],
    "3010": ["C-2 Loth [steps 1]"],
    "2810": ["C-17/21 L [reserve]", "90/23 Fd [deployed]", "F/12 RHA [deployed]"],
    "2809": ["HQ Nick"],
    "2812": ["7/7/10 [steps 1]", "2/K10/10"],
    "2912": ["1/90/10 [deployed]", "HQ 10 Pz"],
    "2911": ["1/7/10", "2/7/10", "3/7/10", "5+6/69/10", "7+8/69/10"],
    "3011": ["1+2/86/10", "3+4/86/10", "1/90 Pzjg [reserve]"],
    "3110": ["2/90 Pzjg [deployed]", "605 Pzjg [deployed]"],
    "Axis Ready Box": ["1/90/10 fire [face down]", "Ju87 a", "Ju87 b", "Ju87 c"],
    "Allied Ready Box": ["Hurricane", "A-20 a", "A-20 b"],
}
"""The two sides before Thala on GT 16, after the Axis Movement Phase; the Allied markers are laid by `support`."""

MARKERS = {"2811": "450/71 Fd fire", "2910": "90/23 Fd fire", "3010": "F/12 RHA fire"}
"""Where the Allied Fire Support lies."""


def thala() -> dict[str, list[str]]:
    """The position before Thala with its Allied Fire Support."""
    return {hex: [*units, *([f"{MARKERS[hex]} [face down]"] if hex in MARKERS else [])] for hex, units in THALA.items()}


def fight(g: G, attackers: Sequence[str], hexes: Sequence[str], table: int = ASSAULT) -> Battle:
    """A combat as if it had been declared."""
    units = [NUMBER[unit] for unit in attackers]
    return declare(g, Combat(0, SIDE[units[0]], tuple(units), tuple(BOARD[hex] for hex in hexes)), table)


def attack(match: Match[KasserineState], hexes: Sequence[str], units: Sequence[str], button: str = "") -> None:
    """Put together a combat of these units alone, and declare it if a button is given."""
    match.play(hexes)
    assert match.decision is not None
    chosen = {NUMBER[unit] for unit in units}
    match.play([match.rules.names[unit] for unit in sorted(chosen.symmetric_difference(match.decision.about))])
    match.play([button] if button else [])


def said(match: Match[KasserineState], rule: str) -> list[str]:
    """What has been said under a rule."""
    return [match.game.text(event) for event in match.events if event.rule == rule]


def why(match: Match[KasserineState], click: str) -> tuple[str, str]:
    """By which rule a click is not open, and what causes it."""
    refusal = match.explain(match.rules.parse(click))
    return refusal.rule, refusal.cause
