"""Advance after combat: unit by unit, all into one hex, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from khamsin.kernel.rules import Decision, Game
from khamsin.mechanics.advance import Goals, Texts, advance
from tests.mechanics.field import UNIT, drive, game, names
from tests.toy.skirmish import BOARD, RED

G = Game[Any]
TEXTS = Texts("Advance into 0405", "7", hex_rule="7.1")


def goals_of(g: G, waiting: Sequence[int]) -> Goals:
    hexes = {UNIT["R1"]: ("0405",), UNIT["T1"]: ("0405", "0406")}
    return {unit: {BOARD[hex]: (BOARD[hex],) for hex in hexes[unit]} for unit in waiting if unit in hexes}


def enter(g: G, units: Sequence[int], hex: int, goals: Goals) -> None:
    for unit in units:
        g.state.where[unit] = hex


def follow(*clicks: str) -> tuple[G, Decision | None]:
    g = game({"0404": ["R1", "T1", "R2"]})
    units = [UNIT[name] for name in ("R1", "T1", "R2")]
    procedure = advance(
        g, RED, units, goals_of, lambda g, goals: [BOARD["0405"]], enter, TEXTS, lambda g, decision, click: None
    )
    return g, drive(g, procedure, *clicks)


def where(g: G, unit: str) -> str:
    return BOARD.name(g.state.where[UNIT[unit]])


def test_units_hexes_for_all_and_the_end_are_offered() -> None:
    _, decision = follow()
    assert decision is not None
    assert names(decision) == {"R1", "T1", "0405", "done"}
    assert (decision.kind, decision.rule) == ("combat.advance", "7")


def test_all_go_into_one_hex_at_once() -> None:
    g, decision = follow("0405")
    assert decision is None
    assert [where(g, unit) for unit in ("R1", "T1", "R2")] == ["0405", "0405", "0404"]


def test_a_unit_is_asked_for_its_hex_only_if_it_has_several() -> None:
    g, decision = follow("R1")
    assert decision is not None
    assert where(g, "R1") == "0405"
    assert names(decision) == {"T1", "0405", "done"}
    _, decision = follow("R1", "T1")
    assert decision is not None
    assert (decision.kind, decision.rule, names(decision)) == ("combat.advance.to", "7.1", {"0405", "0406", "cancel"})


def test_a_unit_advances_once_and_the_choice_can_be_dropped() -> None:
    g, decision = follow("T1", "cancel", "T1", "0406", "done")
    assert decision is None
    assert (where(g, "T1"), where(g, "R1")) == ("0406", "0404")
