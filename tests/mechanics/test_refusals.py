"""The refusals that games share, with the conditions of the toy game or of none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from khamsin.kernel.rules import Decision, Refusal
from khamsin.mechanics import combats, stacks
from khamsin.mechanics.combats import FOUGHT, Combat
from tests.mechanics.field import RULES, UNIT, drive, game
from tests.toy.skirmish import AROUND, BOARD, MAP, RED, preview

TIRED = UNIT["R2"]


def condition(g: Any, side: int, unit: int) -> Refusal | None:
    return Refusal("R2 is tired", "3.1", "R2") if unit == TIRED else None


def why_not_at(g: Any, side: int, units: Sequence[int], hex: int) -> Refusal | None:
    return Refusal(f"{BOARD.name(hex)} is closed", "3.2", BOARD.name(hex)) if hex != BOARD["0404"] else None


def why_not_along(g: Any, units: Sequence[int], unit: int) -> Refusal | None:
    return Refusal("R4 moves alone", "3.3", "R4") if unit == UNIT["R4"] else None


FIELD = {
    "0403": ["R1", "R3", "R4"], "0501": ["T1"], "0502": ["R2"], "0405": ["M1", "M2", "M3", "M4"], "0404": ["B1"],
    "lost": ["B2"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("click", "refusal"),
    [
        ("R1", None),
        ("R2", ("R2 is tired", "3.1", "R2")),
        ("R3", None),
        ("R4", ("R4 moves alone", "3.3", "R4")),
        ("T1", ("T1 cannot join R1 and 1 more: not in 0403", "3.4", "T1")),
        ("M1", ("0405 is closed", "3.2", "0405")),
        ("B1", None),
        ("B2", ("B2 is not yours", "3.5", "B2")),
        ("0403", ("R1 and 1 more are already in 0403", "3", "0403")),
        ("0404", None),
        ("0501", ("0501 is closed", "3.2", "0501")),
        ("lost", ("R1 and 1 more cannot move to lost: not a hex of the map", "3", "lost")),
        ("done", ("done is for later", "3.6", "done")),
        ("cancel", None),
    ],
)
def test_why_a_stack_cannot_go_there_or_a_unit_not_go_along(click: str, refusal: Any) -> None:
    def why_not_button(g: Any, side: int, units: Sequence[int], word: str) -> Refusal | None:
        return Refusal("done is for later", "3.6", word) if word == "done" else None

    going = stacks.why_not_going(
        "3", MAP, condition, why_not_at, why_not_along, why_not_button, "3.4", stacks.own("3.5")
    )
    g = game(FIELD | {"0502": [], "0403": ["R1", "R2", "R3", "R4"]})
    decision = Decision(RED, "move.to", "Where to?", "3", {}, about=(UNIT["R1"], UNIT["R3"]))
    assert going(g, decision, RULES.parse(click)) == refusal


@pytest.mark.parametrize(
    ("click", "refusal"),
    [
        ("T1", None),
        ("R2", ("R2 is tired", "3.1", "R2")),
        ("M1", ("M1 is not yours", "3.5", "M1")),
        ("0501", None),
        ("0502", ("R2 is tired", "3.1", "R2")),
        ("0404", ("0404 is occupied by the enemy: B1", "3", "B1")),
        ("0405", ("0405 is occupied by the enemy: M1, M2, M3 and 1 more", "3", "M1")),
        ("0601", ("None of your units is in 0601", "3", "0601")),
        ("done", None),
    ],
)
def test_why_a_stack_cannot_be_chosen(click: str, refusal: Any) -> None:
    chosen = stacks.why_not_chosen(condition, "3", why_not_own=stacks.own("3.5"))
    decision = Decision(RED, "move.stack", "Move", "3", {})
    assert chosen(game(FIELD), decision, RULES.parse(click)) == refusal


def test_a_side_chooses_a_stack_or_a_button() -> None:
    """A click on a hex selects all that can act there; a button of `maybe` is legal if its function says so."""
    g = game({"0403": ["R1", "R2", "R3"]})
    ready = stacks.Ready(g, [UNIT[name] for name in ("R1", "R2", "R3")], lambda unit: condition(g, RED, unit) is None)
    chosen, done = stacks.why_not_chosen(condition, "3"), RULES.button("done")

    def choose(**more: Any) -> Any:
        return stacks.choose(g, RED, ready, "3", why_not=chosen, **more)

    assert drive(g, choose(), "R3") == (UNIT["R3"], [UNIT["R3"]])
    assert drive(g, choose(), "0403") == (RULES.parse("0403"), [UNIT["R1"], UNIT["R3"]])
    assert drive(g, choose(mates=lambda units: []), "0403")[1] == [UNIT["R1"]]
    assert drive(g, choose(), "done") == (done, [])
    decision = drive(g, choose(maybe={done: lambda: False}))
    assert done not in decision.legal
    assert decision.buttons == (done,)


def test_each_unit_and_each_hex_attack_and_are_attacked_once() -> None:
    g = game({"0403": ["R1"], "0402": ["R3"], "0404": ["M1"], "lost": ["R2"]})
    g.state.attacked, target = {}, BOARD["0404"]
    why_not_target, why_not_attacker = combats.once("4", "4.1"), combats.adjacent(AROUND, "4.2")
    assert dict(combats.contacts_by(AROUND)(g, RED)) == {target: [UNIT["R1"]]}
    assert why_not_target(g, RED, target) is None
    assert why_not_attacker(g, UNIT["R1"], [target]) is None
    assert why_not_attacker(g, UNIT["R3"], [target]) == ("R3 cannot attack 0404: not adjacent", "4.2", "0404")
    assert why_not_attacker(g, UNIT["R2"], []) == ("R2 cannot attack: not on the map", "4.2", "R2")
    empty = ("0501 cannot be attacked: no enemy combat unit is there", "4.1", "0501")
    assert why_not_target(g, RED, BOARD["0501"]) == empty
    combats.spend(g, combats.enter(g, Combat(0, RED, (UNIT["R1"],), (target,))))
    assert (g.state.battle[UNIT["R1"]], g.state.attacked, g.state.targets) == (FOUGHT, {target: RED}, {})
    assert why_not_target(g, RED, target) == ("0404 has already been attacked in this phase", "4", "0404")
    assert why_not_attacker(g, UNIT["R1"], []) == ("R1 has already attacked in this phase", "4.2", "R1")
    combats.forget(g)
    assert why_not_target(g, RED, target) is None
    assert why_not_attacker(g, UNIT["R1"], [target]) is None


def test_the_odds_of_an_attack_that_is_not_permitted_give_the_reason() -> None:
    g = game({"0403": ["R1"], "0404": ["M1"]})
    d = combats.Declaration("4", combats.contacts_by(AROUND), combats.once("4"), combats.adjacent(AROUND, "4"))
    odds = combats.previewed(d, preview)
    assert odds(g, RED, [UNIT["R1"]], [BOARD["0404"]]).column == "4-1"
    assert odds(g, RED, [UNIT["R1"]], [BOARD["0501"]]).reason.startswith("0501 cannot be attacked")
