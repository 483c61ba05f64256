"""Combat (SCS 1, SCS 8, SCS 9, SCS 10), divisional integrity (1.17), combined arms (1.16-2), air points (1.10c), Rommel
(2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest

from khamsin.games.afrika import RULES, combat, losses, retreat, strength
from khamsin.games.afrika.strength import Attack, ratio
from khamsin.games.afrika.units import ALLIED, AXIS, BOARD, NUMBER, G, attack
from khamsin.mechanics.results import read
from tests.rulebook.afrika.table import drive, game, legal, match, refused, rule_of, steps, where

FIVE_LIGHT = ["3 Recon Bn/5 Le", "5 Pz Rgt/5 Le", "104 Shu Rgt/5 Le"]


def attacking(g: G, units: Sequence[str], hex: str, side: int = AXIS, air: int = 0, enemy_air: int = 0) -> Attack:
    return Attack(side, tuple(NUMBER[unit] for unit in units), BOARD[hex], air, enemy_air)


def head(g: G, battle: Attack) -> str:
    """The column of an attack."""
    table = RULES.tables["combat"]
    return table.head(strength.column(g, battle, table))


# Strengths and odds


@pytest.mark.parametrize(
    ("power", "against", "odds"),
    [(17, 7, "2"), (7, 17, "1/2"), (5, 2, "3"), (7, 5, "1"), (3, 2, "2"), (2, 3, "1/2"), (10, 10, "1"), (1, 9, "1/9")],
)
def test_odds_are_the_larger_over_the_smaller_rounded(power: int, against: int, odds: str) -> None:
    """(SCS 1.3, SCS 8.6)"""
    assert ratio(power, against) == Fraction(odds)


@pytest.mark.parametrize(
    ("odds", "column"),
    [("1/4", "1:4"), ("1", "1:1"), ("5", "5:1"), ("6", "5:1"), ("8", "7:1"), ("9", "9:1"), ("30", "9:1")],
)
def test_six_is_read_as_five_and_eight_as_seven(odds: str, column: str) -> None:
    """(SCS 8.6)"""
    table = RULES.tables["combat"]
    assert table.head(table.column(Fraction(odds))) == column


def test_reduced_units_fight_with_their_reduced_side() -> None:
    """Further losses do not weaken them (1.4)."""
    for left, value in ((4, 9), (3, 5), (1, 5)):
        g = game({"A31.18": [f"5 Pz Rgt/5 Le [steps {left}]"]})
        assert attack(g, NUMBER["5 Pz Rgt/5 Le"]) == value


def test_out_of_supply_the_attack_is_a_quarter_and_the_defence_a_half() -> None:
    """Fractions are kept (1.6d, SCS 1.4, SCS 8.4)."""
    g = game({"A31.18": ["5 Pz Rgt/5 Le [oos]"], "A32.18": ["5 Ind Bde/4 Ind [oos]"]})
    assert strength.strengths(g, attacking(g, ["5 Pz Rgt/5 Le"], "A32.18")) == (18, 20)  # 2 1/4 to 2 1/2


def test_across_an_escarpment_by_road_the_attack_is_halved() -> None:
    """Out of supply too it is an eighth (SCS 1.5, SCS 12.2)."""
    g = game({"A47.19": ["104 Shu Rgt/5 Le [oos]", "115 Shu Rgt/15 Pz"], "A48.19": ["11 Ind Bde/4 Ind"]})
    units = ["104 Shu Rgt/5 Le", "115 Shu Rgt/15 Pz"]
    assert [share.value for share in strength.attack_shares(g, attacking(g, units, "A48.19"))] == [5, 20]


def test_artillery_adds_nothing_to_an_attack_and_defends_with_one() -> None:
    """(1.12d, SCS 8.3)"""
    g = game({"A31.18": ["104 Artillery Bde", "5 Pz Rgt/5 Le"], "A32.18": ["Artillery Grp A"]})
    assert strength.strengths(g, attacking(g, ["104 Artillery Bde", "5 Pz Rgt/5 Le"], "A32.18")) == (72, 8)


@pytest.mark.parametrize(
    ("hex", "boxes", "times", "scenario"),
    [
        ("A32.18", False, 1, "gazala"),
        ("A32.18", True, 2, "gazala"),
        ("A30.28", False, 2, "gazala"),  # rough
        ("A24.27", False, 3, "gazala"),  # mountain
        ("A39.23", False, 3, "gazala"),  # minor city and fortification
        ("B19.17", False, 2, "first-alamein"),  # salt marsh
        ("B19.18", False, 3, "first-alamein"),  # major city
    ],
)
def test_terrain_multiplies_the_defence(hex: str, boxes: bool, times: int, scenario: str) -> None:
    """Cities, fortifications and boxes add up with the ground (1.15, 1.16, SCS 8.5, SCS 12.2)."""
    g = game({hex: ["4 NZ Bde/2 NZ"]}, boxes={"allied": [hex]} if boxes else None, scenario=scenario)
    assert strength.strengths(g, attacking(g, [], hex))[1] == 5 * times * 8


def test_the_chart_adds_up_what_cannot_be_in_one_hex() -> None:
    """A minor city, a fortification and a box make x4, though a box is never in a fortification (example 1.16)."""
    g = game({"A39.23": ["4 NZ Bde/2 NZ"]}, boxes={"allied": ["A39.23"]})
    assert sum(adds for _, adds, _ in strength.terrain(g, attacking(g, [], "A39.23"))) == 3


def test_units_without_attack_strength_attack_only_with_others() -> None:
    """(SCS 1.6)"""
    m = match({"A31.18": ["104 Artillery Bde", "5 Pz Rgt/5 Le"], "A32.18": ["5 Ind Bde/4 Ind"]}, phase="axis combat")
    m.play(["done", "A32.18"])
    assert m.decision.about == (NUMBER["5 Pz Rgt/5 Le"],)
    m.play(["104 Artillery Bde", "5 Pz Rgt/5 Le"])
    assert refused(m, "done") == "SCS 1.6"
    m.play(["5 Pz Rgt/5 Le"])
    assert "done" in legal(m)


def test_odds_below_one_to_four_are_not_allowed() -> None:
    """Whatever the shifts (SCS 8.6)."""
    m = match({"A31.18": ["39 PJ Bn/5 Le"], "A32.18": ["5 Ind Bde/4 Ind"]}, phase="axis combat", air=(3, 0))
    m.play(["done", "A32.18"])
    assert refused(m, "done") == "SCS 8.6"


# Shifts


def test_a_thousand_air_points_shift_two_columns() -> None:
    """(1.10c, SCS 8.7, example 1.10c)"""
    g = game({"A31.18": ["5 Pz Rgt/5 Le"], "A32.18": ["Support Grp/7 Arm"]})
    columns = [
        head(g, attacking(g, ["5 Pz Rgt/5 Le"], "A32.18", air=a, enemy_air=d)) for a, d in ((0, 0), (1, 0), (1000, 2))
    ]
    assert columns == ["2:1", "3:1", "4:1"]
    assert head(g, attacking(g, ["5 Pz Rgt/5 Le"], "A32.18", air=0, enemy_air=5)) == "1:2"


def test_two_air_points_and_divisional_integrity_make_three_columns() -> None:
    """(1.17, SCS 8.8, example 1.17)"""
    g = game({"A31.18": ["8 Pz Rgt/15 Pz", "33 PJ Bn/15 Pz"], "A32.18": ["Support Grp/7 Arm", "11 Hus Recon Bn/7 Arm"]})
    g.state.where[NUMBER["4 Arm Bde/7 Arm"]] = BOARD["A50.15"]
    units = ["8 Pz Rgt/15 Pz", "33 PJ Bn/15 Pz"]
    assert head(g, attacking(g, units[:1], "A32.18")) == "2:1"
    assert head(g, attacking(g, units, "A32.18", air=2)) == "5:1"


def test_integrity_needs_all_counters_on_the_map_and_at_least_two() -> None:
    """They need not be stacked; dead and waiting ones do not count (1.17)."""
    units = {"A31.18": ["8 Pz Rgt/15 Pz"], "A31.19": ["33 PJ Bn/15 Pz"], "A32.18": ["3 Ind Mtrd Bde"]}
    both = ["8 Pz Rgt/15 Pz", "33 PJ Bn/15 Pz"]
    g = game(units | {"Axis Dead Pile": ["115 Shu Rgt/15 Pz"], "Turn Record Track": ["15 MC Bn/15 Pz"]})
    assert len(strength.integrity(g, attacking(g, both, "A32.18"))) == 1
    assert strength.integrity(g, attacking(g, both[:1], "A32.18")) == []
    g = game(units | {"A20.20": ["115 Shu Rgt/15 Pz"]})
    assert strength.integrity(g, attacking(g, both, "A32.18")) == []
    g = game({"A31.18": ["8 Pz Rgt/15 Pz"], "A32.18": ["3 Ind Mtrd Bde"]})
    assert strength.integrity(g, attacking(g, both[:1], "A32.18")) == []


def test_the_artillery_of_a_division_must_be_next_to_the_defender() -> None:
    """Being there is enough (1.17)."""
    both = ["8 Pz Rgt/15 Pz", "33 PJ Bn/15 Pz"]
    for place, whole in (("A31.19", 1), ("A30.18", 0)):
        g = game({"A31.18": both, place: ["33 Artillery Rgt/15 Pz"], "A32.18": ["3 Ind Mtrd Bde"]})
        assert len(strength.integrity(g, attacking(g, both, "A32.18"))) == whole


def test_the_integrity_of_both_sides_cancels() -> None:
    """(1.17, SCS 8.8)"""
    both = ["8 Pz Rgt/15 Pz", "33 PJ Bn/15 Pz"]
    g = game({"A31.18": both, "A32.18": ["4 NZ Bde/2 NZ", "5 NZ Bde/2 NZ"]})
    assert sum(one.value for one in strength.integrity(g, attacking(g, both, "A32.18"))) == 0
    assert len(strength.integrity(g, attacking(g, both, "A32.18"))) == 2


def test_rommel_shifts_one_column_in_attack_and_defence() -> None:
    """(2.3)"""
    g = game({"A31.18": ["5 Pz Rgt/5 Le", "Rommel"], "A31.19": ["8 Pz Rgt/15 Pz"], "A32.18": ["3 Ind Mtrd Bde"]})
    assert [one.value for one in strength.shifts(g, attacking(g, ["5 Pz Rgt/5 Le"], "A32.18"))] == [1]
    assert strength.shifts(g, attacking(g, ["8 Pz Rgt/15 Pz"], "A32.18")) == []
    assert [one.value for one in strength.shifts(g, attacking(g, ["3 Ind Mtrd Bde"], "A31.18", ALLIED))] == [-1]


def test_a_ridge_shifts_one_column_left_within_the_limit() -> None:
    """(SCS 8.7, SCS 12.2)"""
    g = game({"B12.13": ["5 Pz Rgt/5 Le"], "B13.13": ["133 Bde/44 Inf"]}, scenario="alam-halfa")
    assert head(g, attacking(g, ["5 Pz Rgt/5 Le"], "B13.13")) == "1:1"
    assert head(g, attacking(g, ["5 Pz Rgt/5 Le"], "B13.13", air=3)) == "4:1"


def test_shifts_stop_at_the_end_columns() -> None:
    """(SCS 8.10)"""
    g = game({"A31.18": FIVE_LIGHT, "A32.18": ["Artillery Grp A"]})
    assert head(g, attacking(g, FIVE_LIGHT, "A32.18", air=2)) == "9:1"


# Combined arms


def test_each_attacking_stack_with_armour_and_infantry_adds_one_to_the_roll() -> None:
    """Four at most, and the defender takes one off (1.16-2, SCS 8.9)."""
    stacks = {
        "A31.18": ["5 Pz Rgt/5 Le", "104 Shu Rgt/5 Le"], "A31.19": ["8 Pz Rgt/15 Pz", "115 Shu Rgt/15 Pz"],
        "A32.19": ["132 Armor Rgt/Ariete", "8 Brs Rgt/Ariete"], "A33.19": ["Recam Grp", "65 Rgt/Trieste"],
        "A33.18": ["Med Armor Grp", "66 Rgt/Trieste"],
    }  # fmt: skip
    g = game(stacks | {"A32.18": ["3 Ind Mtrd Bde"]})
    units = [unit for stack in stacks.values() for unit in stack]
    for number, total in ((2, 1), (4, 2), (8, 4), (10, 4), (1, 0)):
        assert sum(one.value for one in strength.combined_arms(g, attacking(g, units[:number], "A32.18"))) == total


def test_anti_tank_units_are_armour_in_defence_alone() -> None:
    """(1.16-2)"""
    g = game({"A31.18": ["5 AT Bn", "65 Rgt/Trieste"], "A32.18": ["3 Ind Mtrd Bde"]})
    assert strength.combined_arms(g, attacking(g, ["5 AT Bn", "65 Rgt/Trieste"], "A32.18")) == []
    assert [one.value for one in strength.combined_arms(g, attacking(g, ["3 Ind Mtrd Bde"], "A31.18", ALLIED))] == [-1]


def test_flak_and_artillery_are_neither_and_paratroops_are_infantry() -> None:
    """(1.16-2)"""
    for other, value in (("1-18 Flak Bn", 0), ("104 Artillery Bde", 0), ("Lehr Para Bn", 1), ("KG Hecker", 1)):
        g = game({"A31.18": ["5 Pz Rgt/5 Le", other], "A32.18": ["3 Ind Mtrd Bde"]})
        assert (
            sum(one.value for one in strength.combined_arms(g, attacking(g, ["5 Pz Rgt/5 Le", other], "A32.18")))
            == value
        )


def test_the_preview_is_exact() -> None:
    """14 to 3 is 5:1, one modifier (SCS 8.11)."""
    g = game({"A31.18": ["8 Pz Rgt/15 Pz", "104 Shu Rgt/5 Le"], "A32.18": ["3 Ind Mtrd Bde"]}, phase="axis combat")
    odds = combat.odds(g, AXIS, [NUMBER["8 Pz Rgt/15 Pz"], NUMBER["104 Shu Rgt/5 Le"]], [BOARD["A32.18"]])
    assert odds.column == "5:1"
    assert odds.outcomes["D4R5"] == Fraction(3, 36), "11 or 12 with one more is 12"
    assert sum(odds.outcomes.values()) == 1
    refusal = combat.odds(g, AXIS, [NUMBER["8 Pz Rgt/15 Pz"]], [BOARD["A32.20"]])
    assert refusal.column == "not permitted"


# Declaration


def test_the_log_of_a_combat_gives_strengths_column_and_roll() -> None:
    """Which modifiers shift the column and which add to the roll is said (1.16-2, 1.17, SCS 8.11, SCS 9.1)."""
    units = ["8 Pz Rgt/15 Pz", "115 Shu Rgt/15 Pz"]
    m = match({"A32.18": units, "A32.19": ["6 NZ Bde/2 NZ"]}, phase="axis combat", dice=[2, 5])
    battle = attacking(m.game, units, "A32.19")
    assert [term.value for term in strength.modifier_terms(m.game, battle)][-1] == "+1 to the roll"
    power, column = strength.in_words(m.game, battle), head(m.game, battle)
    m.play(["A32.19", "done"])
    while not any(event.rule == "SCS 9.1" for event in m.events):
        m.play(["air 0"])
    said = next(event.text.format(**event.data) for event in m.events if event.rule == "SCS 9.1")
    assert f": {power}, column {column}, roll 7 + 1 = 8, " in said


def test_each_hex_is_attacked_once_and_each_unit_attacks_once() -> None:
    """(SCS 8.1)"""
    units = {
        "A31.18": ["5 Pz Rgt/5 Le"],
        "A31.19": ["8 Pz Rgt/15 Pz"],
        "A32.18": ["6 NZ Bde/2 NZ"],
        "A32.19": ["5 NZ Bde/2 NZ"],
    }
    m = match(units, phase="axis combat", dice=[1, 2])
    m.play(["A32.18", "8 Pz Rgt/15 Pz", "done"])
    assert m.decision.kind == "combat.target"
    assert refused(m, "A32.18") == "SCS 8.1"
    m.play(["A32.19"])
    assert m.decision.about == (NUMBER["8 Pz Rgt/15 Pz"],)
    assert refused(m, "5 Pz Rgt/5 Le") == "SCS 8.1"


def test_attacks_are_voluntary_and_part_of_a_stack_may_attack() -> None:
    """(SCS 8.1, SCS 8.2)"""
    m = match({"A31.18": FIVE_LIGHT, "A32.18": ["6 NZ Bde/2 NZ"]}, phase="axis combat", dice=[1, 2])
    assert "done" in legal(m)
    m.play(["A32.18", "5 Pz Rgt/5 Le", "done"])  # 8 to 5 is 2:1, 3 + 1 is A2
    assert [steps(m, unit) for unit in FIVE_LIGHT] == [1, 4, 2]


def test_nobody_attacks_over_an_escarpment_without_a_road() -> None:
    """(1.5a, SCS 8.1)"""
    m = match(
        {"A34.23": ["288 Inf Rgt"], "A34.24": ["5 SA Bde/1 SA"], "A33.24": ["65 Rgt/Trieste"]}, phase="axis combat"
    )
    m.play(["A34.24"])
    assert refused(m, "288 Inf Rgt") == "1.5a"


# Results


@pytest.mark.parametrize(
    ("cell", "attacker", "defender"), [("A3R1", (3, 1), (0, 0)), ("A1D2R1", (1, 0), (2, 1)), ("D6R5", (0, 0), (6, 5))]
)
def test_a_result_names_steps_and_hexes(cell: str, attacker: tuple[int, int], defender: tuple[int, int]) -> None:
    """(SCS 9.1)"""
    assert (tuple(read(cell).attacker), tuple(read(cell).defender)) == (attacker, defender)


def test_results_take_effect_in_their_order() -> None:
    """The attacker's loss, the defender's loss and retreat, the advance (SCS 9.2)."""
    m = match({"A31.18": ["5 Pz Rgt/5 Le"], "A32.18": ["6 NZ Bde/2 NZ"]}, phase="axis combat", dice=[4, 4])
    m.play(["A32.18", "done"])  # 9 to 5 is 2:1, 8 is A1D2R1
    assert (steps(m, "5 Pz Rgt/5 Le"), steps(m, "6 NZ Bde/2 NZ")) == (3, 1)
    assert (m.decision.kind, m.decision.side) == ("combat.retreat", ALLIED)
    m.play(["A33.18"])
    assert (m.decision.kind, m.decision.side) == ("combat.advance", AXIS)


def test_the_strongest_loses_the_first_step_and_nobody_a_second_before_all_have_lost_one() -> None:
    """(SCS 9.3)"""
    names = ["4 Arm Bde/7 Arm", "5 Ind Bde/4 Ind", "11 Ind Bde/4 Ind"]
    g = game({"A32.18": names})
    units = [NUMBER[name] for name in names]
    run = losses.lose(g, ALLIED, units, 5, attack, "SCS 9.3")
    decision = drive(g, run)
    assert steps(g, "4 Arm Bde/7 Arm") == 2, "the only one with 7 needs no decision"
    assert decision is not None
    assert set(decision.legal) == set(units[1:])
    assert "4 to lose" in decision.prompt
    assert decision.why_not is not None
    assert rule_of(decision.why_not(g, decision, units[0])) == "SCS 9.3"
    decision = drive_on(g, run, "5 Ind Bde/4 Ind")
    assert [steps(g, name) for name in names] == [2, 2, 2]
    assert decision is not None
    assert set(decision.legal) == set(units)


def drive_on(g: G, run: object, click: str) -> object:
    """Answer a running procedure."""
    return run.send(g.rules.parse(click))  # type: ignore[attr-defined]


def test_the_first_loss_turns_a_counter_and_the_last_sends_it_to_the_dead_pile() -> None:
    """(1.4, SCS 9.4)"""
    g = game({"A32.18": ["288 Inf Rgt"]})
    unit = NUMBER["288 Inf Rgt"]
    losses.lose_step(g, unit)
    assert attack(g, unit) == 2
    losses.lose_step(g, unit)
    assert where(g, "288 Inf Rgt") == "Axis Dead Pile"


# Retreat and advance


def fleeing(units: dict[str, list[str]], name: str, hexes: int, **more: object) -> tuple[G, set[str]]:
    """Where a unit can retreat to."""
    g = game(units, **more)  # type: ignore[arg-type]
    flight = retreat.Flight(g.rules.counters[NUMBER[name]].side, (NUMBER[name],), hexes)
    return g, {BOARD.name(hex) for hex in retreat.ends(g, flight, [NUMBER[name]])}


def test_a_retreat_ends_exactly_as_many_hexes_away() -> None:
    """(SCS 10.1)"""
    _, found = fleeing({"A32.18": ["6 NZ Bde/2 NZ"]}, "6 NZ Bde/2 NZ", 2)
    assert {BOARD.distance(BOARD[hex], BOARD["A32.18"]) for hex in found} == {2}
    assert len(found) == 12


def test_free_hexes_come_first_then_zones_with_a_friend_then_bare_ones() -> None:
    """(SCS 10.2)"""
    here = {"A32.18": ["6 NZ Bde/2 NZ"], "A31.18": ["Pavia Div"]}
    g, found = fleeing(here, "6 NZ Bde/2 NZ", 1)
    assert found == {"A32.19", "A33.19", "A33.18"}
    plan = retreat.plan_of(g, retreat.Flight(ALLIED, (NUMBER["6 NZ Bde/2 NZ"],), 1), [NUMBER["6 NZ Bde/2 NZ"]])
    assert rule_of(retreat.mechanic.why_not(g, plan, BOARD["A31.19"])) == "SCS 10.2"
    _, found = fleeing(here | {"A34.18": ["Bologna Div"], "A32.20": ["Brescia Div"]}, "6 NZ Bde/2 NZ", 1)
    assert found == {"A32.19", "A33.19", "A33.18", "A32.17", "A31.19"}


def test_a_retreat_through_bare_zones_costs_steps() -> None:
    """One for each hex that no friend holds (SCS 10.3)."""
    ring = {"A32.20": ["Pavia Div"], "A30.18": ["Bologna Div"], "A34.18": ["Brescia Div"], "A32.16": ["Sabratha Div"]}
    g, found = fleeing({"A32.18": ["6 NZ Bde/2 NZ"]} | ring, "6 NZ Bde/2 NZ", 1)
    drive(g, retreat.retreat(g, ALLIED, [NUMBER["6 NZ Bde/2 NZ"]], 1), [sorted(found)[0]])
    assert steps(g, "6 NZ Bde/2 NZ") == 2
    friend = {"A32.18": ["6 NZ Bde/2 NZ"], "A32.19": ["5 NZ Bde/2 NZ"]} | ring
    g, found = fleeing(friend, "6 NZ Bde/2 NZ", 1)
    assert found == {"A32.19"}
    drive(g, retreat.retreat(g, ALLIED, [NUMBER["6 NZ Bde/2 NZ"]], 1))
    assert (where(g, "6 NZ Bde/2 NZ"), steps(g, "6 NZ Bde/2 NZ")) == ("A32.19", 3)


def test_a_retreat_is_not_bought_off_with_steps() -> None:
    """The owner chooses hexes and nothing else (SCS 10.5)."""
    g = game({"A32.18": ["6 NZ Bde/2 NZ"]})
    decision = drive(g, retreat.retreat(g, ALLIED, [NUMBER["6 NZ Bde/2 NZ"]], 1))
    assert decision is not None
    assert all(g.rules.class_of(click) == "hex" for click in decision.legal)


def test_a_unit_without_a_path_is_destroyed() -> None:
    """Enemies, prohibited ground and the edge of the map bar a retreat (1.5a, 1.5b, SCS 3.7, SCS 10.2)."""
    ring = {hex: [unit] for hex, unit in zip(
        ("A32.19", "A33.19", "A33.18", "A32.17", "A31.18", "A31.19"),
        ("Pavia Div", "Bologna Div", "Brescia Div", "Sabratha Div", "Savona Div", "Sirte Div"), strict=True,
    )}  # fmt: skip
    g = game({"A32.18": ["6 NZ Bde/2 NZ"]} | ring)
    drive(g, retreat.retreat(g, ALLIED, [NUMBER["6 NZ Bde/2 NZ"]], 1))
    assert where(g, "6 NZ Bde/2 NZ") == "Allied Dead Pile"


def test_a_retreat_that_would_end_in_a_full_hex_goes_on() -> None:
    """(SCS 4.4)"""
    full = {
        "A32.19": ["4 NZ Bde/2 NZ", "5 NZ Bde/2 NZ", "14 Bde/70 Inf", "16 Bde/70 Inf", "23 Bde/70 Inf", "Polish Bde"]
    }
    g, found = fleeing({"A32.18": ["6 NZ Bde/2 NZ"]} | full, "6 NZ Bde/2 NZ", 1)
    assert "A32.19" not in found
    assert "A32.20" in found
    flight = retreat.Flight(ALLIED, (NUMBER["6 NZ Bde/2 NZ"],), 1)
    plan = retreat.plan_of(g, flight, [NUMBER["6 NZ Bde/2 NZ"]])
    assert rule_of(retreat.mechanic.why_not(g, plan, BOARD["A32.19"])) == "1.3"


def test_a_stack_retreats_together_or_apart() -> None:
    """(SCS 10.1)"""
    units = {"A32.18": ["6 NZ Bde/2 NZ", "5 NZ Bde/2 NZ"]}
    both = [NUMBER[name] for name in units["A32.18"]]
    g = game(units)
    drive(g, retreat.retreat(g, ALLIED, both, 1), ["A33.18"])
    assert {where(g, name) for name in units["A32.18"]} == {"A33.18"}
    g = game(units)
    drive(g, retreat.retreat(g, ALLIED, both, 1), ["6 NZ Bde/2 NZ", "A33.18", "A33.19"])
    assert [where(g, name) for name in units["A32.18"]] == ["A33.18", "A33.19"]


def test_a_unit_that_retreats_into_a_hex_defends_it() -> None:
    """Where it is attacked in the same phase (SCS 10.4)."""
    ring = {"A32.20": ["Pavia Div"], "A30.18": ["Bologna Div"], "A34.18": ["Brescia Div"], "A32.16": ["Sabratha Div"]}
    units = {"A31.18": ["5 Pz Rgt/5 Le"], "A32.18": ["6 NZ Bde/2 NZ"], "A32.19": ["5 NZ Bde/2 NZ"]}
    m = match(units | ring, phase="axis combat", dice=[4, 4])
    m.play(["A32.18", "done", "done"])
    assert where(m, "6 NZ Bde/2 NZ") == "A32.19"
    m.play(["A32.19"])
    assert strength.strengths(m.game, attacking(m.game, ["Pavia Div"], "A32.19"))[1] == (5 + 3) * 8


def test_attackers_may_enter_the_vacant_hex_within_stacking() -> None:
    """Whatever ZOCs are there; nobody has to (SCS 10.6)."""
    units = {"A31.18": FIVE_LIGHT, "A32.18": ["Artillery Grp A"], "A33.18": ["6 NZ Bde/2 NZ"]}
    m = match(units, phase="axis combat", dice=[4, 3])
    m.play(["A32.18", "done"])
    assert (m.decision.kind, legal(m)) == ("combat.advance", {*FIVE_LIGHT, "A32.18", "done"})
    assert refused(m, "A32.19") == "SCS 10.6"
    m.play(["3 Recon Bn/5 Le", "done"])
    assert (where(m, "3 Recon Bn/5 Le"), where(m, "5 Pz Rgt/5 Le")) == ("A32.18", "A31.18")


def test_rommel_may_go_along_with_an_advance() -> None:
    """(2.3, SCS 10.7)"""
    units = {"A31.18": [*FIVE_LIGHT, "Rommel"], "A32.18": ["Artillery Grp A"]}
    m = match(units, phase="axis combat", dice=[4, 3])
    m.play(["A32.18", "done", "3 Recon Bn/5 Le", "Rommel", "done"])
    assert where(m, "Rommel") == "A32.18"


def test_rommel_joins_any_stack_when_his_own_is_destroyed() -> None:
    """The Axis chooses (2.3)."""
    units = {
        "A31.18": ["39 PJ Bn/5 Le", "Rommel"],
        "A32.18": ["4 Arm Bde/7 Arm"],
        "A2.12": ["Pavia Div"],
        "A20.20": ["Bologna Div"],
    }
    m = match(units, phase="allied combat", dice=[6, 6])
    m.play(["A31.18", "done"])
    assert (m.decision.kind, m.decision.side) == ("leader.displace", AXIS)
    m.play(["A2.12"])
    assert where(m, "Rommel") == "A2.12"


def test_a_retreat_takes_rommel_along() -> None:
    """(2.3)"""
    g = game({"A32.18": ["Pavia Div", "Rommel"]})
    drive(g, retreat.retreat(g, AXIS, [NUMBER["Pavia Div"]], 1), ["A31.18"])
    assert where(g, "Rommel") == "A31.18"


@pytest.mark.parametrize("choice", ["A31.18", "A32.18"])
def test_rommel_retreats_with_part_of_his_stack_or_stays(choice: str) -> None:
    """Units that took no part stay, and the Axis chooses (2.3)."""
    g = game({"A32.18": ["Pavia Div", "Bologna Div", "Rommel"]})
    drive(g, retreat.retreat(g, AXIS, [NUMBER["Pavia Div"]], 1), ["A31.18", choice])
    assert (where(g, "Pavia Div"), where(g, "Bologna Div"), where(g, "Rommel")) == ("A31.18", "A32.18", choice)


def test_rommel_goes_with_the_last_of_a_divided_retreat() -> None:
    """He stayed behind when the first unit left (2.3)."""
    g = game({"A32.18": ["Pavia Div", "Bologna Div", "Rommel"]})
    both = [NUMBER["Pavia Div"], NUMBER["Bologna Div"]]
    drive(g, retreat.retreat(g, AXIS, both, 1), ["Pavia Div", "A31.18", "A32.18", "A31.19"])
    assert (where(g, "Pavia Div"), where(g, "Rommel")) == ("A31.18", "A31.19")


def test_rommel_goes_nowhere_but_with_his_units() -> None:
    """(2.3)"""
    g = game({"A32.18": ["Pavia Div", "Bologna Div", "Rommel"]})
    procedure = retreat.retreat(g, AXIS, [NUMBER["Pavia Div"]], 1)
    next(procedure)
    decision = procedure.send(g.place0 + BOARD["A31.18"])
    assert decision.kind == "leader.follow"
    assert decision.why_not is not None
    refusal = decision.why_not(g, decision, g.place0 + BOARD["A31.19"])
    assert refusal is not None
    assert refusal.rule == "2.3"


def test_rommel_does_not_leave_a_short_scenario() -> None:
    """The last of his stack retreats off the map; he joins another (2.3)."""
    g = game({"A1.13": ["Pavia Div", "Rommel"], "A20.20": ["Bologna Div"]})
    drive(g, retreat.retreat(g, AXIS, [NUMBER["Pavia Div"]], 1), ["Out of Play"])
    assert (where(g, "Pavia Div"), where(g, "Rommel")) == ("Out of Play", "A20.20")
