"""The combat sheet: odds (8.3, 8.8), Attack Supply (8.5), halving and doubling (9.1), shifts (9.2, 9.3, 9.4, 9.6)."""

from __future__ import annotations

import pytest

from khamsin.games.na41 import combat, command, sheet, support
from khamsin.games.na41.sheet import Attack, head, level_of
from khamsin.games.na41.units import ALLIED, AXIS, BOARD, G
from tests.rulebook.na41.field import attack, drive, finish, game, legal, rule_of, units

TANK, REGIMENT, MOTORCYCLES, RECON = "I/8/15", "104/15", "K15/15", "33/15"


def strengths(g: G, battle: Attack) -> tuple[int, int]:
    found = sheet.sheet(g, battle)
    return found.attack, found.defence


def odds(g: G, battle: Attack) -> str:
    return head(sheet.sheet(g, battle).level)


def rules(g: G, battle: Attack) -> set[str]:
    return {term.rule for term in sheet.sheet(g, battle).terms}


# Odds


@pytest.mark.parametrize(("power", "against", "column"), [(7, 2, "3-1"), (9, 4, "2-1"), (6, 4, "1-1"), (5, 6, "1-2")])
def test_odds_are_rounded_down(power: int, against: int, column: str) -> None:
    """The worked examples (8.3, example 8.3)."""
    assert head(level_of(power, against)) == column


@pytest.mark.parametrize(
    ("level", "shift", "column"), [(8, -1, "7-1"), (7, 1, "7-1"), (9, -1, "7-1"), (6, 1, "7-1"), (7, -1, "6-1")]
)
def test_shifts_are_counted_beyond_the_last_column(level: int, shift: int, column: str) -> None:
    """8-1 with one shift left and 7-1 with one right are both 7-1 (8.8.3, 8.8.4, example 8.8.4)."""
    g = game({"2042": ["1 THR"]})
    moved = sheet.sheet(g, Attack(AXIS, (), BOARD["2042"]))._replace(level=level + shift)
    assert g.table("combat").head(sheet.column(g, moved)) == column


def test_odds_below_one_to_three_are_not_allowed() -> None:
    """1 to 4 is refused whatever the shifts; 2 to 6 is not (8.8.3)."""
    g = game({"2041": ["GAF", "Oa 300"], "2042": ["22 Gds"]})
    assert rule_of(sheet.why_not_odds(g, attack(g, ["GAF"], "2042"))) == "8.8.3"
    assert sheet.why_not_odds(g, attack(g, ["GAF", "Oa 300"], "2042")) is None


def test_shifts_left_stop_at_the_first_column() -> None:
    """2 to 6 is 1-3, and the shift for tanks leaves it there (8.8.3, 9.2.3)."""
    g = game({"2041": ["Oa 300", "GAF"], "2042": ["7 RTR"]})
    found = sheet.sheet(g, attack(g, ["GAF", "Oa 300"], "2042"))
    assert (found.attack, found.defence, [one.value for one in found.shifts]) == (2, 6, [-1])
    assert head(found.level) == "1-3"


def test_jebel_shifts_one_column_left() -> None:
    """(9.6)"""
    jebel = next(hex for hex in range(BOARD.size) if BOARD.terrain_name(hex) == "jebel")
    near = next(hex for hex in BOARD.around(jebel) if BOARD.enterable(hex))
    g = game({BOARD.name(near): ["104/15"], BOARD.name(jebel): ["16 Br"]})
    found = sheet.sheet(g, attack(g, ["104/15"], BOARD.name(jebel)))
    assert [(one.value, one.rule) for one in found.shifts] == [(-1, "9.6")]


# The worked example of Automatic DS


def test_twenty_one_to_three_with_three_shifts_is_overwhelming() -> None:
    """Two Tank Shifts and one Elite Combined Arms shift take 7-1 to 10-1 (8.9.1, example 8.9)."""
    g = game({"2041": [TANK, REGIMENT], "2142": [MOTORCYCLES, RECON], "2042": ["1 THR"]})
    found = sheet.sheet(g, attack(g, [TANK, REGIMENT, MOTORCYCLES, RECON], "2042"))
    assert (found.attack, found.defence, head(found.odds)) == (21, 3, "7-1")
    assert [shift.value for shift in found.shifts] == [2, 1]
    assert found.overwhelming


def test_twelve_to_seven_with_three_shifts_is_four_to_one() -> None:
    """Stack B of the example (8.9.1, example 8.9)."""
    g = game({"2041": [TANK, f"{REGIMENT} [steps 1]"], "2042": ["16 Br [steps 2]", "1 RNF"]})
    battle = attack(g, [TANK, REGIMENT], "2042", supplied=True)
    assert strengths(g, battle) == (12, 7)
    assert sum(shift.value for shift in sheet.sheet(g, battle).shifts) == 3
    assert odds(g, battle) == "4-1"


# Tank Shifts


@pytest.mark.parametrize(
    ("attackers", "defenders", "shift"),
    [
        (["I/8/15"], ["16 Br"], 2),  # A: 3 against infantry, two at most
        (["I/8/15"], ["5 RTR"], 2),  # B: 3 against 1
        (["I/8/15"], ["6 RTR*"], 1),  # C: 3 against 2
        (["I/8/15"], ["7 RTR"], 0),  # D: equal
        (["104/15"], ["5 RTR"], -1),  # F: no tanks against tanks
    ],
)
def test_tank_ratings_give_shifts(attackers: list[str], defenders: list[str], shift: int) -> None:
    """Examples A, B, C, D and F (9.2.1, 9.2.3, example 9.2 A, example 9.2 B, example 9.2 C, example 9.2 D, example 9.2 F)."""
    g = game({"2041": attackers, "2042": defenders})
    assert sum(one.value for one in sheet.tank_shift(g, attack(g, attackers, "2042", supplied=True))) == shift


def test_outranked_tanks_are_halved_and_earn_nothing() -> None:
    """The defender has the better rating (9.1, 9.2.3, example 9.2 E)."""
    g = game({"2041": ["VII/132 Ar", "8B Ar"], "2042": ["7 RTR"]})
    battle = attack(g, ["VII/132 Ar", "8B Ar"], "2042", supplied=True)
    assert sheet.tank_shift(g, battle) == []
    assert [one.value for one in sheet.attack_shares(g, battle)] == [2, 3]


def test_without_attack_supply_tanks_earn_nothing_but_still_deny() -> None:
    """(8.5.1)"""
    g = game({"2041": ["I/8/15"], "2042": ["16 Br"], "2142": ["5 RTR"]})
    assert [one.value for one in sheet.tank_shift(g, attack(g, ["I/8/15"], "2042"))] == [0]
    assert all(one.value >= 0 for one in sheet.tank_shift(g, attack(g, ["I/8/15"], "2142")))


def test_88s_deny_a_shift_and_never_earn_one() -> None:
    """Attacking they spare the attacker the shift left, defending they outrank tanks (9.2.4, 18.2)."""
    g = game({"2041": ["I/33 Flak"], "2042": ["5 RTR"], "2142": ["1 THR"]})
    assert sheet.tank_shift(g, attack(g, ["I/33 Flak"], "2042", supplied=True)) == []
    assert sheet.tank_shift(g, attack(g, ["I/33 Flak"], "2142", supplied=True)) == []
    g = game({"2041": ["5 RTR"], "2042": ["I/33 Flak", "19 Bre"]})
    battle = attack(g, ["5 RTR"], "2042", supplied=True)
    assert sheet.tank_shift(g, battle) == []
    assert sheet.attack_shares(g, battle)[0].value == 3


def test_infantry_against_88s_alone_suffers_no_shift() -> None:
    """88mm Flak only denies (9.2.4)."""
    g = game({"2041": ["16 Br"], "2042": ["I/33 Flak"]})
    assert sheet.tank_shift(g, attack(g, ["16 Br"], "2042")) == []


def test_nobody_earns_tank_shifts_against_a_fortification_jebel_or_city() -> None:
    """Outranked tanks are halved there all the same (9.1, 9.2.2, 9.5.1, 9.6)."""
    g = game({"2041": ["I/8/15"], "2042": ["16 Br"]}, forts={"Allied": ["2042"]})
    assert sheet.tank_shift(g, attack(g, ["I/8/15"], "2042", supplied=True)) == []
    g = game({"2377": ["104/15"], "2478": ["5 RTR"]})
    near = BOARD.name(next(hex for hex in BOARD.around(BOARD["2478"]) if BOARD.enterable(hex)))
    g = game({near: ["104/15"], "2478": ["5 RTR"]})
    assert sheet.tank_shift(g, attack(g, ["104/15"], "2478", supplied=True)) == []


# Elite Combined Arms, artillery, air, Jebel


def test_elite_tank_and_elite_infantry_earn_a_shift_without_attack_supply() -> None:
    """(9.3)"""
    g = game({"2041": ["I/8/15", "104/15", "155/Afr"], "2042": ["16 Br"]})
    assert [one.value for one in sheet.elite_shift(g, attack(g, ["I/8/15", "104/15"], "2042"))] == [1]
    assert sheet.elite_shift(g, attack(g, ["I/8/15", "155/Afr"], "2042")) == []
    assert sheet.elite_shift(g, attack(g, ["104/15"], "2042")) == []


def test_artillery_and_air_shift_one_column_each() -> None:
    """Both sides' cancel (9.4.1, 18.7.4)."""
    g = game({"2041": ["104/15"], "2042": ["16 Br"]})
    battle = attack(g, ["104/15"], "2042")
    plain = sheet.sheet(g, battle).level
    assert sheet.sheet(g, battle._replace(artillery=True, air=True)).level == plain + 2
    assert sheet.sheet(g, battle._replace(artillery=True, enemy_artillery=True)).level == plain
    assert sheet.sheet(g, battle._replace(enemy_artillery=True, enemy_air=True)).level == max(plain - 2, -1)


# Halving and doubling


def test_a_disrupted_unit_in_a_fortification_has_its_printed_strength() -> None:
    """Halved and doubled cancel out (9.1, 9.5.1, 13.2.1)."""
    for mark, forts, value in (("", [], 5), ("disrupted", [], 3), ("", ["2042"], 10), ("disrupted", ["2042"], 5)):
        g = game({"2041": ["104/15"], "2042": [f"16 Br [{mark}]"]}, forts={"Allied": forts})
        assert strengths(g, attack(g, ["104/15"], "2042"))[1] == value


def test_vehicles_are_not_doubled_and_are_halved_against_a_fortification() -> None:
    """(9.1, 9.5.1)"""
    g = game({"2041": ["I/8/15", "3/5L", "104/15"], "2042": ["5 RTR", "1 RB"]}, forts={"Allied": ["2042"]})
    battle = attack(g, ["I/8/15", "3/5L", "104/15"], "2042", supplied=True)
    assert [one.value for one in sheet.attack_shares(g, battle)] == [5, 2, 5]
    assert [one.value for one in sheet.defence_shares(g, battle)] == [6, 4]


def test_vehicles_are_halved_into_the_tobruk_perimeter_and_not_out_of_it() -> None:
    """Tanks earn no shift across it, but deny the defender's (9.2.2, 9.6)."""
    g = game({"2937": ["I/8/15", "104/15"], "3037": ["16 Br", "5 RTR"]})
    battle = attack(g, ["I/8/15", "104/15"], "3037", supplied=True)
    assert [one.value for one in sheet.attack_shares(g, battle)] == [5, 5]
    assert sheet.tank_shift(g, battle) == []
    out = attack(g, ["16 Br", "5 RTR"], "2937", supplied=True)
    assert not any(factor.rule == "9.6" for one in sheet.attack_shares(g, out) for factor in one.factors)


def test_attacks_up_a_slope_are_halved_and_down_doubled() -> None:
    """(9.1, 9.6)"""
    side = next(s for s in BOARD.sides if s.kind == "ridge" and BOARD.enterable(s.a) and BOARD.enterable(s.b))
    low, high = (side.a, side.b) if side.low == side.a else (side.b, side.a)
    g = game({BOARD.name(low): ["104/15"], BOARD.name(high): ["16 Br"]})
    assert sheet.attack_shares(g, attack(g, ["104/15"], BOARD.name(high)))[0].value == 3
    assert sheet.attack_shares(g, attack(g, ["16 Br"], BOARD.name(low)))[0].value == 8


def test_out_of_supply_attackers_are_halved_once() -> None:
    """With a second reason too (9.1, 9.7, 16.4)."""
    g = game({"2041": ["104/15 [oos]", "I/8/15 [oos]"], "2042": ["16 Br"]}, forts={"Allied": ["2042"]})
    battle = attack(g, ["104/15", "I/8/15"], "2042")
    assert [one.value for one in sheet.attack_shares(g, battle)] == [3, 5]


def test_a_transported_unit_defends_at_half_strength() -> None:
    """(5.9.1, 9.1, 21.1.5)"""
    g = game({"2041": ["104/15"], "2042": ["16 Br [transported]"]})
    assert strengths(g, attack(g, ["104/15"], "2042"))[1] == 3


# Limits


def test_without_attack_supply_nine_points_count() -> None:
    """With it thirty (8.5.1, 8.8.1)."""
    g = game(
        {
            "2041": ["I/5/5L", "104/15"],
            "2142": ["II/5/5L", "115/15"],
            "2043": ["I/8/15"],
            "2042": ["16 Br", "22 Gds", "Carp"],
        }
    )
    names = ["I/5/5L", "104/15", "II/5/5L", "115/15", "I/8/15"]
    battle = attack(g, names, "2042")
    assert strengths(g, battle) == (9, 15)
    assert strengths(g, battle._replace(supplied=True)) == (30, 15)
    assert {"8.5.1", "8.8.2"} <= rules(g, battle)
    assert "8.8.1" in rules(g, battle._replace(supplied=True))
    assert "8.5.1" not in rules(g, attack(g, ["104/15"], "2042"))


def test_overwhelming_odds_need_no_attack_supply() -> None:
    """The test uses full strength and all shifts (8.5.3, 8.8.3)."""
    g = game({"2041": ["I/5/5L", "104/15"], "2142": ["II/5/5L", "115/15"], "2042": ["1 THR"]})
    battle = attack(g, ["I/5/5L", "104/15", "II/5/5L", "115/15"], "2042")
    assert sheet.sheet(g, battle).overwhelming
    assert "8.5.3" in rules(g, battle)


# Who defends


def test_parenthesized_strengths_count_only_alone_and_only_one() -> None:
    """(8.6)"""
    g = game({"2041": ["104/15"], "2042": ["XIII Corps HQ", "7 Med"]})
    assert strengths(g, attack(g, ["104/15"], "2042"))[1] == 2
    g = game({"2041": ["104/15"], "2042": ["XIII Corps HQ", "16 Br"]})
    assert strengths(g, attack(g, ["104/15"], "2042"))[1] == 5


def test_units_in_full_retreat_add_nothing() -> None:
    """Neither strength nor Tank Rating (9.7, 13.3.2, 13.3.3)."""
    g = game({"2041": ["104/15"], "2042": ["16 Br", "5 RTR [full_retreat]"]})
    battle = attack(g, ["104/15"], "2042")
    assert strengths(g, battle)[1] == 5
    assert sheet.tank_shift(g, battle) == []


def test_disrupted_tanks_keep_their_rating_in_defence() -> None:
    """(13.2.2)"""
    g = game({"2041": ["104/15"], "2042": ["5 RTR [disrupted]"]})
    assert [one.value for one in sheet.tank_shift(g, attack(g, ["104/15"], "2042"))] == [-1]


def test_units_that_retreated_in_this_phase_defend_only_against_breakthrough() -> None:
    """(12.3, 15.3)"""
    g = game({"2041": ["104/15"], "2042": ["16 Br", "5 RTR [disrupted, retreated]"]})
    battle = attack(g, ["104/15"], "2042")
    assert strengths(g, battle)[1] == 5
    assert strengths(g, battle._replace(breakthrough=True))[1] == 7


def test_against_breakthrough_only_what_may_stack_defends() -> None:
    """The strongest choice (15.3)."""
    g = game({"2041": ["104/15"], "2042": ["16 Br", "23 Br", "14 Br", "1 RB"]})
    battle = attack(g, ["104/15"], "2042", breakthrough=True)
    assert strengths(g, battle)[1] == 13


# Who attacks


def test_germans_and_italians_attack_together_only_with_comando_supremo() -> None:
    """(8.4.1)"""
    mixed = units("104/15", "8B Ar")
    assert rule_of(command.why_not_together(game({}), AXIS, mixed)) == "8.4.1"
    assert command.why_not_together(game({}, comando=1), AXIS, mixed) is None


def test_an_allied_attack_has_two_nationalities_and_three_tank_units() -> None:
    """(2.3.4, 8.4.2)"""
    g = game({})
    assert rule_of(command.why_not_together(g, ALLIED, units("16 Br", "20/9 Aus", "5/4 Ind"))) == "8.4.2"
    assert rule_of(command.why_not_together(g, ALLIED, units("5 RTR", "6 RTR", "1 RTR", "2 RTR"))) == "8.4.2"
    assert command.why_not_together(g, ALLIED, units("5 RTR", "6 RTR", "1 RTR", "20/9 Aus")) is None


@pytest.mark.parametrize(
    ("marks", "rule"),
    [
        ("disrupted", "13.2.1"),
        ("full_retreat", "13.2.1"),
        ("extended", "2.3.2"),
        ("transported", "21.1.5"),
        ("replaced", "19.5"),
    ],
)
def test_units_under_markers_do_not_attack(marks: str, rule: str) -> None:
    """(2.3.2, 13.2.1, 19.5, 21.1.5)"""
    g = game({"2041": [f"104/15 [{marks}]"], "2042": ["16 Br"]})
    assert rule_of(command.why_not_able(g, units("104/15")[0])) == rule


def test_a_replacement_marker_prevents_every_attack_out_of_the_hex() -> None:
    """(19.5)"""
    g = game({"2041": ["104/15", "I/8/15 [replaced]"], "2042": ["16 Br"]})
    assert rule_of(command.why_not_able(g, units("104/15")[0])) == "19.5"


def test_across_an_escarpment_without_a_road_only_infantry_types_attack() -> None:
    """(8.1, 9.6)"""
    side = next(
        s for s in BOARD.sides
        if s.kind == "escarpment" and BOARD.enterable(s.a) and BOARD.enterable(s.b) and not sheet_road(s.a, s.b)
    )  # fmt: skip
    a, b = BOARD.name(side.a), BOARD.name(side.b)
    g = game({a: ["104/15", "I/8/15", "155/Afr"], b: ["16 Br"]})
    tank, motorised, foot = units("I/8/15", "104/15", "155/Afr")
    assert rule_of(command.why_not_across(g, tank, side.b)) == "9.6"
    assert command.why_not_across(g, motorised, side.b) is None
    assert command.why_not_across(g, foot, side.b) is None


def sheet_road(a: int, b: int) -> bool:
    from khamsin.games.na41.ground import by_road

    return by_road(a, b)


# Attack Supply


def test_one_source_serves_every_attack_in_range_of_one_attacker() -> None:
    """The worked example of range: one unit in range is enough (8.5.1, 17.3, example 17.3)."""
    g = game({"2041": ["I/5/5L"], "2242": ["104/15", "2 MG/5L"], "2142": ["16 Br"]}, supply={"Axis": {"2038": 1}})
    found = support.supply_sources(g, AXIS, units("I/5/5L", "104/15", "2 MG/5L"))
    assert [BOARD.name(hex) for hex in found.locations] == ["2038"]
    assert not support.supply_sources(g, AXIS, units("104/15"))
    decision = drive(support.ask_supply(g, attack(g, ["I/5/5L", "104/15"], "2142")))
    assert legal(decision) == {"2038", "none"}
    assert finish(support.ask_supply(g, attack(g, ["I/5/5L", "104/15"], "2142")), ["2038"])
    assert g.state.axis_sp == {BOARD["2038"]: 1}
    assert finish(support.ask_supply(g, attack(g, ["I/5/5L"], "2142")))
    support.settle(g, AXIS)
    assert g.state.axis_sp == {}


def test_ranges_are_three_for_points_five_for_msus_and_printed_for_asus() -> None:
    """A point stacked with an ASU has its range (17.2.1, 17.2.4, 17.3)."""
    g = game({"2041": ["I/5/5L"]}, supply={"Axis": {"2037": 1}})
    assert not support.supply_sources(g, AXIS, units("I/5/5L"))
    g = game({"2041": ["I/5/5L"], "2036": ["Axis Truck 1 [msu]"]})
    assert support.supply_sources(g, AXIS, units("I/5/5L")).units == units("Axis Truck 1")
    g = game({"2041": ["I/5/5L"], "2035": ["DAK HQ [depleted]"]}, supply={"Axis": {"2035": 1}})
    assert [BOARD.name(hex) for hex in support.supply_sources(g, AXIS, units("I/5/5L")).locations] == ["2035"]


def test_an_axis_asu_needs_a_unit_of_its_nation() -> None:
    """(8.5.2, 9.4.2, 17.1.3)"""
    g = game({"2041": ["104/15", "8B Ar"], "2040": ["X Corps HQ", "DAK HQ"], "2042": ["16 Br"]})
    assert support.supply_sources(g, AXIS, units("104/15")).units == units("DAK HQ")
    assert support.supply_sources(g, AXIS, units("8B Ar")).units == units("X Corps HQ")
    assert support.artillery_sources(g, AXIS, units("104/15")).units == ()
    assert support.artillery_sources(g, AXIS, units("8B Ar")).units == units("X Corps HQ")


def test_the_dak_hq_gives_attack_supply_but_no_artillery() -> None:
    """(18.4)"""
    g = game({"2041": ["104/15"], "2040": ["DAK HQ"]})
    assert rule_of(support.why_not_supporting(g, units("DAK HQ")[0], units("104/15"))) == "18.4"


@pytest.mark.parametrize("mark", ["depleted", "disrupted", "full_retreat", "transported"])
def test_only_ready_asus_in_good_order_give_attack_supply(mark: str) -> None:
    """Out of supply they still do (17.1.1, 17.1.3, 17.1.4, 17.1.5)."""
    g = game({"2041": ["104/15"], "2040": [f"DAK HQ [{mark}]"]})
    assert not support.supply_sources(g, AXIS, units("104/15"))
    g = game({"2041": ["104/15"], "2040": ["DAK HQ [oos]"]})
    assert support.supply_sources(g, AXIS, units("104/15"))


def test_a_pledged_asu_is_depleted_at_the_end_of_the_phase() -> None:
    """An MSU becomes an empty truck (8.5.1, 17.1.4, 17.2.2, 17.2.4)."""
    g = game({"2040": ["DAK HQ [pledged]", "Axis Truck 1 [msu, pledged]"]})
    support.settle(g, AXIS)
    assert g.has(units("DAK HQ")[0], "depleted")
    assert not g.has(units("Axis Truck 1")[0], "msu")


def test_artillery_flips_the_asu_or_removes_a_point_stacked_with_it() -> None:
    """One shift in a combat (9.4.1, 17.1.1, 18.3)."""
    g = game({"2041": ["16 Br"], "2040": ["7 Med"], "2042": ["19 Bre"]}, supply={"Allied": {"2040": 1}})
    ask = support.ask_support(g, attack(g, ["16 Br"], "2042"), ALLIED)
    assert legal(drive(ask)) == {"7 Med", "2040", "done"}
    given = finish(support.ask_support(g, attack(g, ["16 Br"], "2042"), ALLIED), ["2040"])
    assert given.artillery
    assert g.state.allied_sp == {}
    given = finish(support.ask_support(g, attack(g, ["16 Br"], "2042"), ALLIED), ["7 Med"])
    assert given.artillery
    assert g.has(units("7 Med")[0], "depleted")


# Air


def test_air_support_needs_a_marker_a_unit_of_its_nation_and_range() -> None:
    """A Corps HQ under a transport marker gives no range (18.7.1, 18.7.3, 18.7.4, 21.1.5)."""
    place = {"2041": ["104/15"], "2042": ["16 Br"], "2038": ["DAK HQ"]}
    hex, ours = BOARD["2042"], units("104/15")
    assert rule_of(support.why_not_air(game(place), "german air", AXIS, ours, hex, False)) == "18.7.1"
    g = game(place, assets={"German Air Support": 1, "Italian Air Support": 1})
    assert support.air_markers(g, AXIS, ours, hex, False) == ["german air"]
    assert rule_of(support.why_not_air(g, "italian air", AXIS, ours, hex, False)) == "18.7.4"
    g = game({"2041": ["104/15"], "2042": ["16 Br"], "2038": ["DAK HQ [disrupted]"]}, assets={"German Air Support": 1})
    assert rule_of(support.why_not_air(g, "german air", AXIS, ours, hex, False)) == "18.7.3"
    g = game({"2041": ["104/15"], "2042": ["16 Br"], "2024": ["DAK HQ"]}, assets={"German Air Support": 1})
    assert rule_of(support.why_not_air(g, "german air", AXIS, ours, hex, False)) == "18.7.3"
    g = game(
        {"2041": ["104/15"], "2042": ["16 Br"], "2038": ["DAK HQ [transported]"]}, assets={"German Air Support": 1}
    )
    assert rule_of(support.why_not_air(g, "german air", AXIS, ours, hex, False)) == "18.7.3"


def test_against_air_superiority_air_support_is_for_attacks_only() -> None:
    """Turn 3 belongs to the Axis, turn 8 to nobody (18.6)."""
    place, hex, ours = {"2042": ["16 Br"], "2044": ["XIII Corps HQ"]}, BOARD["2042"], units("16 Br")
    for turn, defending, legal_now in ((3, True, False), (3, False, True), (8, True, True)):
        g = game(place, assets={"Allied Air Support": 2}, turn=turn)
        refusal = support.why_not_air(g, "allied air", ALLIED, ours, hex, defending)
        assert (refusal is None) == legal_now
        if refusal is not None:
            assert refusal.rule == "18.6"


def test_an_air_marker_is_used_up() -> None:
    """(18.7.2, 23.2.3)"""
    g = game({"2041": ["104/15"], "2042": ["16 Br"], "2038": ["DAK HQ"]}, assets={"German Air Support": 1})
    given = finish(support.ask_support(g, attack(g, ["104/15"], "2042"), AXIS), ["german air"])
    assert given.air
    assert not g.state.assets


def test_the_sheet_names_a_section_for_every_line() -> None:
    """(8.3)"""
    g = game({"2041": ["I/8/15", "104/15"], "2042": ["16 Br", "5 RTR [disrupted]"]}, forts={"Allied": ["2042"]})
    found = combat.odds(g, AXIS, list(units("I/8/15", "104/15")), [BOARD["2042"]])
    assert all(term.rule for term in found.terms)
    assert sum(found.outcomes.values()) == 1
