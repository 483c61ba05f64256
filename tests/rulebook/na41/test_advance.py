"""Advance After Combat (14), Breakthrough Combat (15) and Automatic DS (8.9)."""

from __future__ import annotations

import pytest

from khamsin.games.na41 import RULES, advance, automatic, breakthrough, combat, command, sheet, support
from khamsin.games.na41.advance import Pursuit
from khamsin.games.na41.ground import by_road
from khamsin.games.na41.units import ALLIED, AXIS, BOARD, COUNTERS, G
from tests.rulebook.na41.field import attack, drive, finish, flags, game, legal, refused, rule_of, steps, units, where


def pursuit(g: G, names: list[str], hexes: int = 3, vacated: str = "2042", **more: bool) -> Pursuit:
    side = g.rules.counters[units(names[0])[0]].side
    return Pursuit(g, side, units(*names), BOARD[vacated], hexes, **more)


def reach(g: G, p: Pursuit, *names: str) -> dict[str, int]:
    return {BOARD.name(hex): len(path) for hex, path in advance.reach(g, p, units(*names)).items()}


# Length


@pytest.mark.parametrize(
    ("unit", "marks", "truck", "hexes"),
    [
        ("104/15", "", False, 4),
        ("155/Afr", "", False, 2),
        ("155/Afr", "", True, 4),
        ("104/15", "oos", False, 1),
        ("I/8/15", "", False, 4),
    ],
)
def test_the_length_of_an_advance(unit: str, marks: str, truck: bool, hexes: int) -> None:
    """Two hexes on foot without a truck, one out of supply (14.2.1, 16.4)."""
    g = game({"2041": [f"{unit} [{marks}]", *(["Axis Truck 1"] if truck else [])]})
    assert pursuit(g, [unit], 4).legs[units(unit)[0]].left == hexes


def test_matildas_advance_two_hexes() -> None:
    """(14.2.1)"""
    g = game({"2041": ["7 RTR", "6 RTR*"]})
    p = pursuit(g, ["7 RTR", "6 RTR*"], 4)
    assert [p.legs[unit].left for unit in units("7 RTR", "6 RTR*")] == [2, 4]


def test_a_limited_advance_leads_into_the_vacated_hex_only() -> None:
    """(14.2.2)"""
    g = game({"2041": ["104/15"]})
    p = pursuit(g, ["104/15"], 1, limited=True)
    assert set(reach(g, p, "104/15")) == {"2042"}
    assert rule_of(advance.why_not_reached(g, p, units("104/15"), BOARD["2040"])) == "14.2.2"


def test_units_advance_in_any_direction() -> None:
    """They need not enter the vacated hex (14.1, 14.3)."""
    g = game({"2041": ["104/15"]})
    found = reach(g, pursuit(g, ["104/15"], 2), "104/15")
    assert len(found) == 18
    assert {"2042", "2040", "2039", "2043"} <= set(found)


def test_the_vacated_hex_selects_the_units_that_are_already_in_it() -> None:
    """They may go on with the hexes they have left (14.1, 14.3)."""
    g = game({"2041": ["104/15"]})
    p = pursuit(g, ["104/15"], 2)
    drive(advance.go(g, p, units("104/15"), (BOARD["2042"],)))
    decision = next(advance.advance(g, p))
    assert BOARD["2042"] + g.place0 in decision.legal
    assert [advance.why_not_chosen(g, decision, click, p) for click in decision.legal] == [None] * len(decision.legal)


# ZOCs


def test_a_tank_advances_two_hexes_through_the_vacated_hex() -> None:
    """The example: EZOCs are ignored there, and stop everywhere else (14.4, example 14.4)."""
    g = game({"2041": ["I/8/15"], "2144": ["16 Br"], "1943": ["23 Br"]})
    p = pursuit(g, ["I/8/15"], 2)
    found = reach(g, p, "I/8/15")
    assert (found["2042"], found["2043"]) == (1, 2)
    p = pursuit(g, ["I/8/15"], 3)
    assert "2044" not in reach(g, p, "I/8/15")


def test_no_advance_from_one_zone_into_another_of_the_same_enemy() -> None:
    """Unless into or out of the vacated hex (14.4)."""
    g = game({"2041": ["I/8/15"], "2141": ["16 Br"]})
    p = pursuit(g, ["I/8/15"], 1)
    assert rule_of(advance.why_not_reached(g, p, units("I/8/15"), BOARD["2040"])) == "14.4"
    assert "2042" in reach(g, p, "I/8/15")


# Terrain and stacking


def test_units_do_not_advance_to_where_they_are() -> None:
    """(14.3)"""
    g = game({"2041": ["104/15"]})
    p = pursuit(g, ["104/15"], 4)
    assert rule_of(advance.why_not_reached(g, p, units("104/15"), BOARD["2041"])) == "14.3"


def test_a_refused_advance_names_what_closes_the_way() -> None:
    """ZOCs, the enemy in the hex, or stacking (4.1, 14.4, 14.5)."""
    g = game({"2041": ["104/15"], "2044": ["1 RB"], "2242": ["115/15", "K15/15", "200/15"]})
    p = pursuit(g, ["104/15"], 4)

    def reason(hex: str) -> str:
        return rule_of(advance.why_not_reached(g, p, units("104/15"), BOARD[hex]))

    assert [reason(hex) for hex in ("2044", "2045", "2242", "2050")] == ["14.4", "14.2.1", "4.1", "14.2.1"]


def test_mechanized_units_stop_in_jebel_unless_they_leave_by_road() -> None:
    """(14.5)"""
    hexes = [h for h in range(BOARD.size) if BOARD.terrain_name(h) == "jebel"]
    here, jebel, there = next(
        (a, h, b) for h in hexes for a in BOARD.around(h) for b in BOARD.around(h)
        if a != b and BOARD.enterable(a) and BOARD.enterable(b) and a not in BOARD.around(b)
        and not by_road(h, b) and advance.can_cross(True, h, b) and advance.can_cross(True, a, h)
    )  # fmt: skip
    g = game({BOARD.name(here): ["104/15"]})
    p = pursuit(g, ["104/15"], 3, vacated=BOARD.name(jebel))
    leg = advance.after(g, p, units("104/15")[0], p.legs[units("104/15")[0]], jebel)
    assert rule_of(advance.why_not_step(g, p, units("104/15")[0], leg, there)) == "14.5"


def test_units_stop_in_the_second_desert_hex() -> None:
    """(5.5, 14.5)"""
    g = game({"2041": ["104/15"]})
    p = pursuit(g, ["104/15"], 4)
    desert = next(h for h in range(BOARD.size) if BOARD.terrain_name(h) == "trackless desert")
    leg = advance.after(g, p, units("104/15")[0], p.legs[units("104/15")[0]]._replace(run=1), desert)
    assert leg.ended
    assert rule_of(advance.why_not_step(g, p, units("104/15")[0], leg, BOARD.around(desert)[0])) == "14.5"


def test_an_advance_goes_round_desert_hexes_that_would_stop_it() -> None:
    """By a path of as many hexes with fewer desert hexes in a row (14.5)."""
    g = game({"0120": ["104/15"]})
    p = Pursuit(g, AXIS, units("104/15"), BOARD["0121"], 4)
    assert BOARD["0318"] in advance.reach(g, p, units("104/15"))


def test_motorised_infantry_does_not_advance_over_an_escarpment_and_foot_only_at_once() -> None:
    """(9.6, 14.5)"""
    side = next(
        s for s in BOARD.sides
        if s.kind == "escarpment" and BOARD.enterable(s.a) and BOARD.enterable(s.b) and not by_road(s.a, s.b)
    )  # fmt: skip
    a, b = BOARD.name(side.a), BOARD.name(side.b)
    g = game({a: ["104/15", "155/Afr"]})
    p = pursuit(g, ["104/15", "155/Afr"], 2, vacated=b)
    motorised, foot = units("104/15", "155/Afr")
    assert rule_of(advance.why_not_step(g, p, motorised, p.legs[motorised], side.b)) == "14.5"
    assert advance.why_not_step(g, p, foot, p.legs[foot], side.b) is None
    assert rule_of(advance.why_not_step(g, p, foot, p.legs[foot]._replace(steps=1), side.b)) == "14.5"


def test_stacking_is_observed_at_the_end_of_an_advance() -> None:
    """(4.4.1, 14.1)"""
    g = game({"2041": ["104/15"], "2043": ["155/Afr", "361/Afr"]})
    p = pursuit(g, ["104/15"], 3)
    assert "2043" not in reach(g, p, "104/15")
    assert reach(g, p, "104/15")["2044"] == 3


def test_an_advance_captures_what_it_enters_and_drives_off_units_in_full_retreat() -> None:
    """(13.3.2, 14.6)"""
    g = game({"2041": ["104/15"], "2042": ["Allied Truck 1"], "2044": ["5 RTR [full_retreat]"]})
    p = pursuit(g, ["104/15"], 3)
    decision = drive(advance.advance(g, p), ["104/15", "2043"])
    assert decision is not None
    assert decision.side == ALLIED
    assert where(g, "Allied Truck 1") == "Allied Eliminated"


def test_the_attacker_advances_units_stacks_or_all_at_once() -> None:
    """(14.1)"""
    g = game({"2041": ["104/15", "I/8/15"], "2142": ["2 MG/5L"], "2242": ["3/5L"]})
    p = pursuit(g, ["104/15", "I/8/15", "2 MG/5L"], 1)
    advancing = advance.advance(g, p)
    decision = drive(advancing)
    assert legal(decision) == {"104/15", "I/8/15", "2 MG/5L", "2041", "2142", "2042", "done"}
    assert refused(g, decision, "3/5L") == "14.1"
    advancing = advance.advance(g, p)
    finish(advancing, ["2042"])
    assert {where(g, unit) for unit in ("104/15", "I/8/15", "2 MG/5L")} == {"2042"}


def test_a_stack_that_has_entered_the_vacated_hex_advances_further_as_one() -> None:
    """A click on the hex selects it (14.1, 14.3)."""
    g = game({"2041": ["104/15", "I/8/15"]})
    advancing = advance.advance(g, pursuit(g, ["104/15", "I/8/15"], 3))
    assert {"104/15", "I/8/15", "2042"} < legal(drive(advancing, ["2042"]))
    decision = advancing.send(RULES.parse("2042"))
    assert (decision.kind, sorted(decision.about)) == ("combat.advance.to", sorted(units("104/15", "I/8/15")))


def test_asus_that_gave_a_shift_do_not_advance() -> None:
    """Another in its hex does; for a Supply Point it is one that did not attack, if there is one (14.1)."""
    place = {"2041": ["104/15", "Arko 104", "DAK HQ"], "2042": ["16 Br"]}
    everybody = units("104/15", "DAK HQ", "Arko 104")
    for stock, click, attackers in ((0, "Arko 104", everybody), (1, "2041", everybody), (1, "2041", everybody[:2])):
        g = game(place, supply={"Axis": {"2041": stock}} if stock else {})
        battle = attack(g, [COUNTERS[unit].name for unit in attackers], "2042")
        given = finish(support.ask_support(g, battle, AXIS), [click])
        assert given.asu == units("Arko 104")[0]
        assert advance.participants(g, attackers, given.asu) == list(everybody[:2])


def test_the_polish_brigade_does_not_advance_out_of_alexandria() -> None:
    """Before turn 11 (S1.2)."""
    for turn, able in ((10, ["22 Gds"]), (11, ["22 Gds", "Carp"])):
        g = game({"2478": ["22 Gds", "Carp"]}, turn=turn)
        assert [COUNTERS[unit].name for unit in advance.participants(g, units("22 Gds", "Carp"))] == able


def test_tag_along_units_advance_only_with_the_option() -> None:
    """(27.3.1)"""
    place = {"2041": ["104/15", "155/Afr", "3/5L [disrupted]", "Axis Truck 1 [msu]"]}
    assert advance.tag_along(game(place), AXIS, units("104/15")) == []
    g = game(place, options={"tag-along": "on"})
    assert advance.tag_along(g, AXIS, units("104/15")) == list(units("155/Afr", "Axis Truck 1"))
    g.state.battle[units("155/Afr")[0]] = command.ATTACKED
    assert advance.tag_along(g, AXIS, units("104/15")) == list(units("Axis Truck 1"))


def test_a_truck_carries_a_unit_only_in_a_long_advance_or_for_a_breakthrough() -> None:
    """(14.2.1, 15.1)"""
    g = game({"2041": ["155/Afr", "Axis Truck 1"], "2043": ["1 RB"]})
    assert pursuit(g, ["155/Afr"], 2).rides == {}
    assert pursuit(g, ["155/Afr"], 4).rides == dict(zip(units("155/Afr"), units("Axis Truck 1"), strict=True))
    p = pursuit(g, ["155/Afr"], 2)
    decision = drive(breakthrough.breakthrough(g, p))
    assert "2041" in legal(decision)


def test_a_truck_does_not_carry_units_that_are_not_in_the_group() -> None:
    """The regiment on foot follows the group of tanks by itself in an advance of two hexes (14.2.1, 15.1)."""
    g = game({"2041": ["155/Afr", "Axis Truck 1"], "1942": ["I/8/15"], "2043": ["1 THR"]})
    p = pursuit(g, ["155/Afr", "I/8/15"], 2)
    drive(breakthrough.breakthrough(g, p), ["1942", "done", "done"])
    drive(advance.advance(g, p), ["155/Afr", "2042"])
    assert (where(g, "155/Afr"), where(g, "Axis Truck 1")) == ("2042", "2041")


def test_a_cancelled_choice_of_a_group_is_made_again() -> None:
    """(15.2.1)"""
    g = game({"2041": ["104/15"], "1942": ["I/8/15"], "2043": ["1 THR"]})
    decision = drive(breakthrough.breakthrough(g, pursuit(g, ["104/15", "I/8/15"], 2)), ["2041", "cancel"])
    assert {"2041", "1942", "done"} <= legal(decision)


def test_a_truck_that_carried_a_unit_of_the_group_does_not_advance_again() -> None:
    """Also where it could have tagged along (5.8.2, 27.3.1)."""
    g = game({"2041": ["19 Bre", "Axis Truck 1"], "2043": ["1 THR"]}, options={"tag-along": "on"})
    foot, truck = units("19 Bre", "Axis Truck 1")
    p = Pursuit(g, AXIS, [foot, *advance.tag_along(g, AXIS, [foot])], BOARD["2042"], 2)
    assert drive(breakthrough.breakthrough(g, p), ["2042", "done", "done"]) is None
    assert (where(g, "19 Bre"), where(g, "Axis Truck 1")) == ("2042", "2042")
    assert drive(advance.advance(g, p)) is None
    assert rule_of(advance.why_not_unit(g, p, truck)) == "5.8.2"


def test_a_unit_that_tags_along_in_a_group_does_not_attack_later() -> None:
    """(8.1, 27.3.1)"""
    g = game({"2041": ["104/15", "115/15"], "2043": ["1 THR"]}, options={"tag-along": "on"})
    fought, along = units("104/15", "115/15")
    p = Pursuit(g, AXIS, [fought, *advance.tag_along(g, AXIS, [fought])], BOARD["2042"], 2)
    drive(breakthrough.breakthrough(g, p), ["2041", "done", "2042"])
    assert where(g, "115/15") == "2042"
    assert rule_of(combat.why_not_attacker(g, along, [])) == "8.1"


def test_units_that_may_not_attack_tag_along_but_do_not_break_through() -> None:
    """After Extended Movement or a Disengagement Attempt (2.3.2, 27.3.1, 27.5.3)."""
    marks = ["115/15 [extended]", "K15/15 [fought]"]
    g = game({"2041": ["104/15", *marks], "2043": ["1 THR"]}, options={"tag-along": "on"})
    fought, extended, tried = units("104/15", "115/15", "K15/15")
    p = Pursuit(g, AXIS, [fought, *advance.tag_along(g, AXIS, [fought])], BOARD["2042"], 2)
    assert breakthrough.candidates(g, p) == [fought]
    assert rule_of(breakthrough.why_not_member(g, p, extended)) == "2.3.2"
    assert rule_of(breakthrough.why_not_member(g, p, tried)) == "27.5.3"
    assert "2042" in reach(g, p, "115/15", "K15/15")


def test_trucks_that_tag_along_take_no_enemy_supply_points() -> None:
    """(5.8.3, 27.3.1)"""
    g = game({"2041": ["Axis Truck 1"]}, supply={"Allied": {"2042": 1}})
    p = Pursuit(g, AXIS, units("Axis Truck 1"), BOARD["2042"], 2)
    assert rule_of(advance.why_not_reached(g, p, units("Axis Truck 1"), BOARD["2042"])) == "5.8.3"


# Breakthrough groups


def test_a_group_is_of_one_formation_but_for_one_unit() -> None:
    """(15.2.3, 15.4.1, 15.4.2)"""
    g = game({"2041": ["I/8/15", "104/15", "K15/15", "I/5/5L", "3/5L"]})
    p = pursuit(g, ["I/8/15", "104/15", "K15/15", "I/5/5L", "3/5L"])
    assert breakthrough.why_not_group(g, p, units("I/8/15", "104/15", "I/5/5L")) is None
    assert rule_of(breakthrough.why_not_group(g, p, units("I/8/15", "I/5/5L", "288", "104/15"))) == "15.2.3"


def test_six_british_battalions_are_one_armoured_division() -> None:
    """Matildas may be among them (15.4.3)."""
    names = ["1 RB", "2 RB", "1 KRRC", "5 RTR", "11 Hus", "1 KDG", "1 THR", "6 RTR"]
    assert breakthrough.of_one_formation(units(*names[:6])) == 6
    assert breakthrough.of_one_formation(units(*names)) == 6
    assert breakthrough.of_one_formation(units("7 RTR", "4 RTR", "1 RB")) == 3


def test_a_group_observes_stacking_and_needs_comando_supremo_for_two_nations() -> None:
    """(15.2.3)"""
    place = {"2041": ["I/8/15", "104/15", "115/15", "200/15", "8B Ar"]}
    g = game(place)
    p = pursuit(g, ["I/8/15", "104/15", "115/15", "200/15", "8B Ar"])
    assert rule_of(breakthrough.why_not_group(g, p, units("104/15", "115/15", "200/15"))) == "15.2.3"
    assert rule_of(breakthrough.why_not_group(g, p, units("I/8/15", "8B Ar"))) == "8.4.1"
    g = game(place, comando=1)
    assert breakthrough.why_not_group(g, p, units("I/8/15", "8B Ar")) is None


def test_units_on_foot_break_through_only_on_a_truck() -> None:
    """(15.1, 15.2.3)"""
    g = game({"2041": ["155/Afr"], "2142": ["361/Afr", "Axis Truck 1"]})
    p = pursuit(g, ["155/Afr", "361/Afr"])
    foot, carried = units("155/Afr", "361/Afr")
    assert rule_of(breakthrough.why_not_member(g, p, foot)) == "15.1"
    assert breakthrough.why_not_member(g, p, carried) is None


def test_no_breakthrough_with_an_advance_of_one_hex_or_without_a_target() -> None:
    """(15.1, 15.2.7)"""
    g = game({"2041": ["104/15"], "2044": ["1 RB"]})
    assert drive(breakthrough.breakthrough(g, pursuit(g, ["104/15"], 1, limited=True))) is None
    assert drive(breakthrough.breakthrough(g, pursuit(g, ["104/15"], 2))) is None
    assert drive(breakthrough.breakthrough(g, pursuit(g, ["104/15"], 3))) is not None


def test_a_group_that_stops_in_the_second_desert_hex_fights_no_more() -> None:
    """From the first it may (5.5, 14.5, 15.2.7)."""
    g = game({"0320": ["I/8/15", "104/15"], "0323": ["1 RB"]})
    p = Pursuit(g, AXIS, units("I/8/15", "104/15"), BOARD["0321"], 4, supplied=True)
    assert "0323" in legal(drive(breakthrough.breakthrough(g, p), ["0321", "done", "0322"]))
    g = game({"0320": ["I/8/15", "104/15"], "0324": ["1 RB"]})
    p = Pursuit(g, AXIS, units("I/8/15", "104/15"), BOARD["0321"], 4, supplied=True)
    assert drive(breakthrough.breakthrough(g, p), ["0321", "done", "0322", "0323"]) is None


# The worked examples


def test_a_group_formed_from_three_hexes_enters_advances_and_fights() -> None:
    """D1 against X: one hex to form, one to come next to Y, one to fight; then Y is free (15.2.4, 15.2.6, 15.2.10,
    example 15.2.4)."""
    g = game(
        {"2041": ["I/8/15", "104/15"], "2142": ["K15/15"], "1942": ["33/15"], "2044": ["1 RB"]}, dice=[6], rommel=0
    )
    names = ["I/8/15", "104/15", "K15/15", "33/15"]
    p = pursuit(g, names, 3, supplied=True)
    going = breakthrough.breakthrough(g, p)
    decision = drive(going, ["2042", "done"])
    assert {where(g, unit) for unit in names} == {"2042"}
    assert decision is not None
    assert decision.kind == "combat.breakthrough.to"
    g2 = game(
        {"2041": ["I/8/15", "104/15"], "2142": ["K15/15"], "1942": ["33/15"], "2044": ["1 RB"]}, dice=[6], rommel=0
    )
    p2 = pursuit(g2, names, 3, supplied=True)
    finish(breakthrough.breakthrough(g2, p2), ["2042", "done", "2043", "2044", "2044"])
    assert {where(g2, unit) for unit in names} == {"2044"}
    assert steps(g2, "1 RB") == 0
    assert all(p2.legs[unit].left == 0 for unit in units(*names))


def test_a_group_may_fight_twice_from_one_hex() -> None:
    """D1: one hex to the left, B, then C, whose hex it may enter; three hexes in all (15.2.10, 15.2.11, 15.2.12,
    example 15.2.10)."""
    g = game({"2041": ["I/8/15", "104/15"], "2039": ["1 RB"], "2140": ["2 RB"]}, dice=[6, 6])
    p = pursuit(g, ["I/8/15", "104/15"], 3, supplied=True)
    finish(breakthrough.breakthrough(g, p), ["2041", "done", "2040", "2039", "2140", "2140"])
    assert (steps(g, "1 RB"), steps(g, "2 RB")) == (0, 0)
    assert where(g, "I/8/15") == where(g, "104/15") == "2140"


def test_a_failed_breakthrough_ends_the_advance() -> None:
    """(15.2.9)"""
    g = game({"2041": ["104/15"], "2044": ["16 Br"]}, dice=[1])
    p = pursuit(g, ["104/15"], 4)
    finish(breakthrough.breakthrough(g, p), ["2041", "done", "2042", "2043", "2044"])
    assert where(g, "104/15") == "2043"
    assert p.legs[units("104/15")[0]].left == 0


def test_the_group_must_move_next_to_its_target_and_stops_in_zones() -> None:
    """(15.2.7, 15.2.12)"""
    g = game({"2041": ["104/15"], "2143": ["16 Br"], "2040": ["1 RB"]})
    p = pursuit(g, ["104/15"], 4)
    group = breakthrough.Group(units("104/15"), BOARD["2041"])
    assert rule_of(breakthrough.why_not_target(g, p, group, BOARD["2040"])) == "15.2.7"
    finish(breakthrough.enter(g, p, group, BOARD["2142"]))
    assert rule_of(breakthrough.why_not_entered(g, p, group, BOARD["2242"])) == "15.2.12"
    assert breakthrough.why_not_target(g, p, group, BOARD["2143"]) is None


def test_the_group_drops_units_and_picks_none_up() -> None:
    """(15.2.13)"""
    g = game({"2041": ["I/8/15", "104/15"], "2045": ["1 RB"], "2242": ["3/5L"]})
    p = pursuit(g, ["I/8/15", "104/15"], 4)
    going = breakthrough.breakthrough(g, p)
    decision = drive(going, ["2041", "done", "2042", "104/15"])
    assert refused(g, decision, "3/5L") == "15.2.13"
    assert p.legs[units("104/15")[0]].left == 0
    assert where(g, "104/15") == "2042"


def test_the_group_passes_full_hexes_and_does_not_end_in_them() -> None:
    """Neither does a unit that it drops (4.4.1, 14.1, 15.2.13)."""
    g = game({"2041": ["104/15", "K15/15"], "2043": ["155/Afr", "361/Afr"], "2045": ["1 RB"]})
    p = pursuit(g, ["104/15", "K15/15"], 4)
    phase = breakthrough.breakthrough(g, p)
    decision = drive(phase, ["2041", "done", "2042", "2043"])
    assert refused(g, decision, "done") == "14.1"
    assert refused(g, decision, "104/15") == "14.1"
    assert "K15/15" in legal(decision)
    g = game({"2041": ["104/15", "K15/15"], "2043": ["155/Afr", "361/Afr"]})
    p = pursuit(g, ["104/15", "K15/15"], 1)
    group = breakthrough.Group(units("104/15", "K15/15"), BOARD["2041"])
    assert breakthrough.why_not_entered(g, p, group, BOARD["2042"]) is None
    g.state.where.rearrange(dict.fromkeys(units("155/Afr", "361/Afr"), BOARD["2042"]))
    assert rule_of(breakthrough.why_not_entered(g, p, group, BOARD["2042"])) == "4.1"


def test_breakthrough_uses_the_supply_of_the_first_attack() -> None:
    """Or buys it after overwhelming odds, traced to where its units began (8.5.3, 15.2.8)."""
    g = game({"2041": ["I/8/15", "104/15"], "2044": ["16 Br", "1 RB"]}, supply={"Axis": {"2038": 1}}, dice=[6])
    p = pursuit(g, ["I/8/15", "104/15"], 4, overwhelming=True)
    decision = drive(breakthrough.breakthrough(g, p), ["2041", "done", "2042", "2043", "2044"])
    assert decision is not None
    assert decision.kind == "combat.supply"
    assert legal(decision) == {"2038", "none"}
    g.state.pledged[BOARD["2038"]] = 1
    p = pursuit(g, ["I/8/15", "104/15"], 4, overwhelming=True)
    p.starts = dict.fromkeys(units("I/8/15", "104/15"), BOARD["2041"])
    assert finish(breakthrough.ask_supply(g, p, attack(g, ["I/8/15", "104/15"], "2044", breakthrough=True)))
    group = breakthrough.Group(units("I/8/15"), BOARD["2043"])
    assert breakthrough.attack_on(pursuit(g, ["I/8/15"], 4, supplied=True), group, BOARD["2044"]).supplied


def test_the_group_completes_its_advance_before_the_others() -> None:
    """Then they advance, and it does not (15.2.1, 15.2.2)."""
    g = game({"2041": ["104/15"], "2142": ["155/Afr"], "2045": ["1 RB"]})
    p = pursuit(g, ["104/15", "155/Afr"], 4)
    finish(breakthrough.breakthrough(g, p), ["2041", "done", "2042", "done"])
    decision = drive(advance.advance(g, p))
    assert "155/Afr" in legal(decision)
    assert refused(g, decision, "104/15") == "14.2.1"


# Automatic DS


def test_overwhelming_units_shatter_a_hex_in_the_movement_phase() -> None:
    """The worked example: the battalion is eliminated, the four units are marked (8.9.1, example 8.9)."""
    names = ["I/8/15", "104/15", "K15/15", "33/15"]
    g = game({"2041": names[:2], "2142": names[2:], "2042": ["1 THR"]})
    assert automatic.targets(g, AXIS) == [BOARD["2042"]]
    finish(automatic.declare(g, AXIS, BOARD["2042"]), ["done"])
    assert steps(g, "1 THR") == 0
    assert all(
        g.state.auto[unit] == 1 and "finished" in flags(g, name)
        for unit, name in zip(units(*names), names, strict=True)
    )
    assert g.state.fought == 1
    assert rule_of(command.why_not_able(g, units("104/15")[0])) == "8.9.1"


def test_no_automatic_ds_in_an_off_map_box() -> None:
    """Not even with enemies in it (6.2)."""
    g = game({"2041": ["I/8/15", "104/15"], "Nile Delta": ["1 THR"]})
    assert rule_of(automatic.why_not(g, AXIS, BOARD["Nile Delta"])) == "6.2"


def test_each_automatic_ds_has_its_own_units() -> None:
    """(8.9.2)"""
    g = game({"2041": ["I/8/15", "104/15"], "2142": ["K15/15", "33/15"], "2042": ["1 THR"]})
    g.state.auto_hexes.update({BOARD["1050"]: 1, BOARD["1052"]: 2})
    finish(automatic.declare(g, AXIS, BOARD["2042"]), ["done"])
    assert g.state.auto[units("104/15")[0]] == g.state.auto_hexes[BOARD["2042"]] == 3


def test_fewer_units_do_not() -> None:
    """Nor with artillery and air, which are for the Combat Phase (8.9.1)."""
    g = game({"2041": ["I/8/15", "104/15"], "2042": ["16 Br"], "2040": ["Arko 104"]}, assets={"German Air Support": 1})
    assert automatic.targets(g, AXIS) == []
    assert rule_of(automatic.why_not(g, AXIS, BOARD["2042"])) == "8.9.1"


def test_only_the_units_that_are_needed_are_marked() -> None:
    """(8.9.1)"""
    g = game({"2041": ["I/5/5L", "104/15"], "2142": ["II/5/5L", "115/15"], "2043": ["3/5L"], "2042": ["XIII Corps HQ"]})
    battle = sheet.Attack(AXIS, units("I/5/5L", "104/15", "II/5/5L", "115/15", "3/5L"), BOARD["2042"])
    few = automatic.fewest(g, battle)
    assert len(few) < 5
    assert automatic.why_not_declared(g, battle._replace(units=tuple(few))) is None


def test_an_automatic_ds_is_found_though_stronger_units_would_not_reach_it() -> None:
    """Germans make 21 to 3 and three shifts, 24 points of Italians one; of four tank units the best rated may be among the
    three (8.4.1, 8.4.2, 8.9.1)."""
    germans = {"2041": ["I/8/15", "104/15"], "2142": ["K15/15", "33/15"]}
    italians = {"1942": ["VII/132 Ar", "VIII/132 Ar", "IX/132 Ar", "8B Ar"], "2043": ["65 Triest", "66 Triest"],
                "1943": ["9B Triest"]}  # fmt: skip
    g = game({**germans, **italians, "2042": ["1 THR"]})
    assert len(automatic.able(g, AXIS, BOARD["2042"])) == 11
    assert set(automatic.best(g, AXIS, automatic.able(g, AXIS, BOARD["2042"]), BOARD["2042"]).units) == set(
        units("I/8/15", "104/15", "K15/15", "33/15")
    )
    assert automatic.targets(g, AXIS) == [BOARD["2042"]]
    g = game({"2041": ["2 RTR*", "6 RTR*", "7 Hus*", "7 RTR [steps 1]"], "2042": ["Oa 300"]})
    tanks = units("2 RTR*", "6 RTR*", "7 Hus*", "7 RTR")
    assert [tanks[3] in chosen for chosen in command.choices(g, ALLIED, tanks)] == [False, True]


def test_units_in_an_overfull_hex_do_not_spoil_an_automatic_ds_of_others() -> None:
    """(4.4.1, 8.9.1)"""
    full = ["115/15", "200/15", "104/21"]
    g = game({"2041": ["I/8/15", "104/15"], "2142": ["K15/15", "33/15"], "1942": full, "2042": ["1 THR"]})
    assert automatic.targets(g, AXIS) == [BOARD["2042"]]


def test_survivors_of_an_automatic_ds_retreat_four_hexes_without_a_defence() -> None:
    """(8.9.1, 11.2.2)"""
    g = game({"2041": ["I/5/5L", "104/15"], "2142": ["II/5/5L", "115/15"], "2042": ["3 Hus"]})
    decision = drive(automatic.declare(g, AXIS, BOARD["2042"]), ["done"])
    assert decision is not None
    assert decision.kind == "combat.retreat"
    assert {BOARD.distance(BOARD["2042"], click - g.place0) for click in decision.legal} == {4}


def test_a_retreat_by_automatic_ds_is_not_one_of_the_combat_phase() -> None:
    """(8.9.1, 12.3)"""
    g = game({"2041": ["I/5/5L", "104/15"], "2142": ["II/5/5L", "115/15"], "2042": ["3 Hus"]})
    declaring = automatic.declare(g, AXIS, BOARD["2042"])
    decision = drive(declaring, ["done"])
    assert decision is not None
    with pytest.raises(StopIteration):
        declaring.send(next(iter(decision.legal)))
    assert flags(g, "3 Hus") == {"full_retreat"}


def test_overstacked_units_make_no_automatic_ds() -> None:
    """(4.4.1)"""
    g = game({"2041": ["I/5/5L", "104/15", "115/15", "200/15"], "2042": ["XIII Corps HQ"]})
    assert rule_of(automatic.why_not(g, AXIS, BOARD["2042"])) == "4.4.1"


def test_the_advance_of_an_automatic_ds_follows_the_combats() -> None:
    """Four hexes (8.9.2)."""
    g = game({"2041": ["104/15"]})
    g.state.auto[units("104/15")[0]] = 1
    g.state.auto_hexes[BOARD["2042"]] = 1
    finish(automatic.advances(g, AXIS), ["104/15", "2045"])
    assert where(g, "104/15") == "2045"
    assert g.state.auto_hexes == {}
    assert g.state.auto[units("104/15")[0]] == 0


def test_the_units_of_two_automatic_ds_against_one_hex_all_advance() -> None:
    """Units that fall back into the hex may be shattered there again (8.9.1, 8.9.2)."""
    g = game({"2041": ["I/8/15"], "2142": ["104/15"], "2042": ["1 THR"]})
    finish(automatic.shatter(g, attack(g, ["I/8/15"], "2042", supplied=True)))
    g.state.where[units("1 RB")[0]] = BOARD["2042"]
    finish(automatic.shatter(g, attack(g, ["104/15"], "2042", supplied=True)))
    finish(automatic.advances(g, AXIS), ["I/8/15", "2043", "104/15", "2143", "done"])
    assert (where(g, "I/8/15"), where(g, "104/15")) == ("2043", "2143")
    assert not any(g.state.auto)


def test_the_group_may_always_enter_the_hex_its_combat_has_vacated() -> None:
    """Also from one ZOC of a unit into another, where it stops (14.4, 15.2.10, 15.2.12)."""
    g = game({"2041": ["I/8/15", "104/15"], "2044": ["1 RB"], "2144": ["16 Br"]}, dice=[6])
    p = pursuit(g, ["I/8/15", "104/15"], 4, supplied=True)
    decision = drive(breakthrough.breakthrough(g, p), ["2041", "done", "2042", "2043", "2044"])
    assert "2044" in legal(decision)
    assert refused(g, decision, "1943") == "15.2.12"
