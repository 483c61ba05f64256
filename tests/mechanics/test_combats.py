"""Declaration of combats, on the toy board: target first, all in, remove, add, widen, call off; and every refusal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import pytest

from khamsin.kernel import KeyedDice, Match
from khamsin.kernel.pieces import State
from khamsin.kernel.registration import Scenario
from khamsin.kernel.rules import Game, Phase, Procedure, Refusal, Rules
from khamsin.mechanics import combats
from khamsin.mechanics.combats import Combat, Declaration
from tests.toy.skirmish import AROUND, BLUE, BOARD, COUNTERS, RED, SIDE

R1, R2, R3, R4, *_ = (c.name for c in COUNTERS if c.side == RED)
M1, M2, M3, *_ = (c.name for c in COUNTERS if c.side == BLUE)
TIRED, BOUND = 1, 2


class FightState(State):
    COLUMNS: ClassVar[dict[str, int]] = State.COLUMNS | {"battle": 0}
    AMOUNTS = ("targets",)
    RECORDS: ClassVar[dict[str, type[Any]]] = {"draft": Combat}


G = Game[FightState]


def near(g: G, side: int) -> dict[int, list[int]]:
    return combats.contacts(g.state.where.stacks(side), g.state.where.stacks(1 - side).keys(), AROUND)


def why_not_target(g: G, side: int, hex: int) -> Refusal | None:
    if hex in g.state.where.stacks(1 - side):
        return None
    return Refusal("No enemy is there", "4", BOARD.name(hex))


def why_not_attacker(g: G, unit: int, hexes: Any) -> Refusal | None:
    if g.state.flags[unit] & TIRED:
        return Refusal(f"{COUNTERS[unit].name} is tired", "4", COUNTERS[unit].name)
    for hex in hexes:
        if hex not in AROUND[g.state.where[unit]]:
            return Refusal(f"{COUNTERS[unit].name} is not adjacent to {BOARD.name(hex)}", "4", BOARD.name(hex))
    return None


def why_not_declared(g: G, combat: Combat, button: str) -> Refusal | None:
    return Refusal("At most two units attack", "4", BOARD.name(combat.hexes[0])) if len(combat.units) > 2 else None


def why_not_removed(g: G, combat: Combat, unit: int) -> Refusal | None:
    return Refusal("It must attack", "5", COUNTERS[unit].name) if g.state.flags[unit] & BOUND else None


def why_not_called_off(g: G, combat: Combat) -> Refusal | None:
    return next(filter(None, (why_not_removed(g, combat, unit) for unit in combat.units)), None)


D = Declaration(
    "4",
    near,
    why_not_target,
    why_not_attacker,
    why_not_declared=why_not_declared,
    why_not_removed=why_not_removed,
    why_not_called_off=why_not_called_off,
)
DECLARED: list[Combat] = []


def phase(g: G) -> Procedure:
    while found := (yield from combats.declare(g, D, RED)):
        DECLARED.append(found.combat)
    g.end(RED, "", "all is declared", "4")


RULES: Rules[FightState] = Rules(
    id="fight",
    title="Fight",
    sides=("Red", "Blue"),
    board=BOARD,
    counters=COUNTERS,
    buttons=("done", "cancel"),
    flags=("tired", "bound"),
    state=FightState,
    scenarios={"only": Scenario("only", "Only")},
    phases=lambda state: (Phase("combat", RED, phase, "4"),),
    set_up=lambda g: None,
)
UNIT = {counter.name: unit for unit, counter in enumerate(COUNTERS)}


def fight(units: dict[str, str], flags: dict[str, int] | None = None, declared: tuple[str, ...] = ()) -> Match[Any]:
    """Red units face Blue ones; the first declared hex is attacked by the other names."""
    state = RULES.new_state()
    for name, hex in units.items():
        state.where[UNIT[name]] = BOARD[hex]
    for name, flag in (flags or {}).items():
        state.flags[UNIT[name]] = flag
    game = Game(RULES, RULES.scenario("only"), {}, state, KeyedDice.seeded(0))
    if declared:
        hex, *names = declared
        combats.enter(game, Combat(0, RED, tuple(UNIT[name] for name in names), (BOARD[hex],)))
    DECLARED.clear()
    return Match.at(game)


def why(match: Match[Any], click: str) -> Refusal:
    return match.explain(RULES.parse(click))


def attackers(match: Match[Any]) -> list[str]:
    assert match.decision is not None
    return [COUNTERS[unit].name for unit in match.decision.about]


FACING = {R1: "0404", R2: "0404", R3: "0304", M1: "0405"}


def test_a_target_takes_every_unit_that_can_attack_it() -> None:
    match = fight(FACING, {R2: TIRED})
    assert match.names == ["0405", "done"]
    match.play(["0405"])
    assert attackers(match) == [R1, R3] if BOARD["0405"] in AROUND[BOARD["0304"]] else [R1]
    match.play(["done"])
    assert DECLARED[0].hexes == (BOARD["0405"],)
    assert match.state.targets == {BOARD["0405"]: 1}
    assert match.state.draft is None


def test_a_unit_is_removed_and_added_again_by_its_click() -> None:
    match = fight({R1: "0404", R2: "0404", M1: "0405"})
    match.play(["0405", R2])
    assert attackers(match) == [R1]
    match.play([R2, R1])
    assert attackers(match) == [R2]


def test_without_attackers_a_combat_cannot_be_declared() -> None:
    match = fight({R1: "0404", M1: "0405"})
    match.play(["0405", R1])
    assert "done" not in match.names
    assert [refusal.rule for refusal in match.blocked().values()] == ["4"]
    assert "add a unit" in why(match, "done").reason


def test_a_combat_that_the_rules_forbid_cannot_be_declared() -> None:
    match = fight({R1: "0404", R2: "0404", R3: "0406", M1: "0405"})
    match.play(["0405"])
    assert why(match, "done").reason == "At most two units attack"
    match.play([R3, "done"])
    assert DECLARED[0].units == (UNIT[R1], UNIT[R2])


def test_cancel_and_the_last_hex_drop_the_combat() -> None:
    match = fight({R1: "0404", M1: "0405"})
    for way in ("cancel", "0405"):
        match.play(["0405", way])
        assert match.names == ["0405", "done"]
        assert not match.state.targets


def shared() -> tuple[str, str]:
    """Two hexes next to 0404 that are next to each other."""
    here = BOARD["0404"]
    one, other = next((a, b) for a in AROUND[here] for b in AROUND[here] if b in AROUND[a])
    return BOARD.name(one), BOARD.name(other)


def test_a_further_hex_drops_the_units_that_cannot_attack_it() -> None:
    one, other = shared()
    far = next(
        BOARD.name(hex)
        for hex in AROUND[BOARD[one]]
        if hex not in AROUND[BOARD[other]] and BOARD.name(hex) not in (other, "0404")
    )
    match = fight({R1: "0404", R2: far, M1: one, M2: other})
    match.play([one])
    assert attackers(match) == [R1, R2]
    match.play([other])
    assert attackers(match) == [R1]
    assert why(match, R2).reason == f"{R2} is not adjacent to {other}"
    match.play([other])
    assert R2 in match.names
    match.play([other, "done"])
    assert match.state.targets == {BOARD[one]: 1, BOARD[other]: 1}


def test_a_click_on_an_attacked_hex_calls_its_combat_off() -> None:
    match = fight({R1: "0404", M1: "0405"})
    match.play(["0405", "done"])
    assert match.decision is not None
    assert match.decision.legal[RULES.parse("0405")] == "call off"
    assert match.decision.prompt == "No more hexes to attack: end, or click an attacked hex"
    match.play(["0405"])
    assert not match.state.targets
    assert not any(match.state.battle)


def test_a_combat_that_must_be_fought_can_only_be_widened() -> None:
    one, other = shared()
    match = fight({R1: "0404", M1: one, M2: other}, {R1: BOUND}, (one, R1))
    match.play([one])
    assert attackers(match) == [R1]
    assert why(match, R1) == Refusal("It must attack", "5", R1)
    match.play([other, "cancel"])
    assert match.state.targets == {BOARD[one]: 1}
    assert match.decision is not None
    assert match.decision.listed()[RULES.parse(one)] == "change the attack"
    match.play([one, other, "done"])
    assert match.state.targets == {BOARD[one]: 1, BOARD[other]: 1}


def test_a_combat_that_must_be_fought_and_cannot_be_widened_is_refused() -> None:
    match = fight({R1: "0404", R2: "0407", M1: "0405", M2: "0408"}, {R1: BOUND}, ("0405", R1))
    assert "0405" not in match.names
    assert why(match, "0405") == Refusal("It must attack", "5", R1)


@pytest.mark.parametrize(
    ("click", "reason"),
    [
        ("0101", "No enemy is there"),
        ("0410", "0410 cannot be attacked: none of your units is adjacent"),
        (R2, f"{R2} is tired"),
        (R1, f"Choose the hex that {R1} attacks"),
        (R3, f"{R3} cannot attack: no enemy is adjacent"),
        (M1, "Choose its location: 0405"),
        (M2, "0410 cannot be attacked: none of your units is adjacent"),
        ("cancel", "cancel is not part of this decision: Choose a hex to attack"),
    ],
)
def test_every_click_on_a_target_is_legal_or_has_its_reason(click: str, reason: str) -> None:
    match = fight({R1: "0404", R2: "0404", R3: "0101", M1: "0405", M2: "0410"}, {R2: TIRED})
    assert why(match, click).reason == reason


def test_a_unit_that_attacks_elsewhere_says_where() -> None:
    one, other = shared()
    match = fight({R1: "0404", R2: "0404", M1: one, M2: other}, declared=(one, R1))
    match.play([other])
    assert attackers(match) == [R2]
    assert why(match, R1).reason == f"{R1} already attacks {one}"
    assert why(match, one).reason == f"{one} is already attacked"
    assert why(match, M1).reason == f"{one} is already attacked"


def test_an_attack_on_more_hexes_than_a_combat_may_have_is_refused() -> None:
    one, other = shared()
    match = fight({R1: "0404", M1: one, M2: other})
    alone = replace(D, max_hexes=1)
    units, hexes = [UNIT[R1]], [BOARD[one], BOARD[other]]
    assert combats.why_not_attack(match.game, D, RED, units, hexes) is None
    assert combats.why_not_attack(match.game, alone, RED, units, hexes) == ("A combat is against one hex", "4", other)


def test_the_draft_is_in_the_state_and_the_phase_restarts_from_it() -> None:
    match = fight({R1: "0404", R2: "0404", M1: "0405"})
    match.play(["0405", R2])
    assert match.state.draft == Combat(0, RED, (UNIT[R1],), (BOARD["0405"],))
    again = Match.at(Game(RULES, match.game.scenario, {}, match.state.copy(), KeyedDice.seeded(0)))
    assert again.decision == match.decision


def test_units_that_can_still_attack_can_act() -> None:
    match = fight({R1: "0404", R2: "0404", R3: "0101", M1: "0405"}, {R2: TIRED})
    assert [COUNTERS[unit].name for unit in match.can_act()] == [R1]


@pytest.mark.parametrize(
    ("units", "hexes", "reason"),
    [
        ([R1], ["0405"], None),
        ([R2], ["0405"], f"{R2} is tired"),
        ([M1], ["0405"], f"{M1} is an enemy unit: choose its hex"),
        ([R1], ["0404"], "No enemy is there"),
        ([], ["0405"], "The attack on 0405 has no attackers: add a unit"),
        ([R1], [], "No hex to attack is chosen"),
    ],
)
def test_any_attack_can_be_asked_about(units: list[str], hexes: list[str], reason: str | None) -> None:
    match = fight({R1: "0404", R2: "0404", M1: "0405"}, {R2: TIRED})
    refusal = combats.why_not_attack(
        match.game, D, RED, [UNIT[name] for name in units], [BOARD[name] for name in hexes]
    )
    assert (refusal.reason if refusal else None) == reason
    assert all(SIDE[UNIT[name]] == RED for name in (R1, R2, R3, R4))
