"""The Combat Phase (8), Fortifications (9.5), special units (17.4, 18), Disengagement (27.5), and the preview."""

from __future__ import annotations

from fractions import Fraction

import pytest

from khamsin.games.na41 import combat, command, disengagement, fortification, preview, retreat, sheet, special, support
from khamsin.games.na41.ground import LAND
from khamsin.games.na41.retreat import Flight
from khamsin.games.na41.sheet import Attack
from khamsin.games.na41.units import ALLIED, AXIS, BOARD, G
from tests.rulebook.na41 import table
from tests.rulebook.na41.field import (
    RULES,
    attack,
    drive,
    finish,
    flags,
    game,
    legal,
    refused,
    rule_of,
    steps,
    units,
    where,
)

# Declaration


def test_attacks_are_voluntary_and_against_adjacent_combat_units() -> None:
    """Trucks alone are not attacked (2.3.1, 8.1, 8.7)."""
    g = game({"2041": ["104/15"], "2042": ["16 Br"], "2141": ["Allied Truck 1"], "2044": ["23 Br"]})
    decision = drive(combat.combat(g, AXIS))
    assert legal(decision) == {"2042", "done"}
    assert refused(g, decision, "2141") == "8.7"
    assert refused(g, decision, "2044") == "8.1"
    finish(combat.combat(g, AXIS), ["done", "Tripoli"])
    assert g.state.fought == 0


def test_units_of_one_hex_attack_different_hexes_and_one_hex_is_attacked_from_many() -> None:
    """One hex in each combat (8.2)."""
    g = game({"2041": ["104/15", "115/15"], "2043": ["2 MG/5L"], "2042": ["16 Br"], "2141": ["1 RB"]}, dice=[1])
    phase = combat.combat(g, AXIS)
    decision = drive(phase, ["2042"])
    assert {"104/15", "115/15", "2 MG/5L"} <= legal(decision)
    assert refused(g, decision, "2141") == "8.1"
    phase = combat.combat(g, AXIS)
    drive(phase, ["115/15", "done"])
    assert g.state.battle[units("104/15")[0]] == combat.ATTACKED
    assert g.state.battle[units("115/15")[0]] == 0


def test_no_unit_attacks_or_is_attacked_twice() -> None:
    """(8.1)"""
    g = game({"2041": ["104/15"], "2142": ["115/15"], "2042": ["16 Br"]}, dice=[1])
    phase = combat.combat(g, AXIS)
    assert drive(phase, ["2042", "115/15", "done"]) is None
    g = game({"2041": ["104/15"], "2042": ["16 Br"]})
    g.state.attacked[BOARD["2042"]] = 1
    assert rule_of(combat.why_not_target(g, AXIS, BOARD["2042"])) == "8.1"
    g = game({"2041": ["104/15"], "2042": ["16 Br [disrupted, retreated]"]})
    assert rule_of(combat.why_not_target(g, AXIS, BOARD["2042"])) == "8.1"
    g.state.battle[units("104/15")[0]] = combat.ATTACKED
    assert rule_of(combat.why_not_attacker(g, units("104/15")[0], [])) == "8.1"
    m = table.match(
        {"2041": ["104/15"], "2042": ["16 Br"], "2045": ["115/15"], "2046": ["23 Br"]}, phase="impulse 3 axis combat", dice=[1]
    )  # fmt: skip
    m.play(["2042", "done"])
    assert m.explain(RULES.parse("104/15")).reason == "104/15 has already attacked in this phase"


def test_comando_supremo_is_used_in_the_combat_phase() -> None:
    """(8.4.1)"""
    g = game({"2041": ["104/15", "8B Ar"], "2042": ["16 Br"]}, assets={"Comando Supremo": 1})
    decision = drive(combat.combat(g, AXIS), ["2042"])
    assert decision is not None
    assert len(decision.about) == 1
    phase = combat.combat(game({"2041": ["104/15", "8B Ar"], "2042": ["16 Br"]}, assets={"Comando Supremo": 1}), AXIS)
    decision = drive(phase, ["comando", "2042"])
    assert decision is not None
    assert set(decision.about) == set(units("104/15", "8B Ar"))
    assert rule_of(command.why_no_comando(game({}), AXIS)) == "8.4.1"


# One attack in full


def test_an_attack_asks_supply_support_and_rolls() -> None:
    """Attacker first, then the defender (8.3, 8.5.1, 9.4.1)."""
    g = game(
        {"2041": ["I/8/15", "104/15"], "2040": ["Arko 104"], "2042": ["16 Br"], "2043": ["7 Med"]},
        supply={"Axis": {"2040": 1}}, dice=[1],
    )  # fmt: skip
    phase = combat.combat(g, AXIS)
    decision = drive(phase, ["2042", "done"])
    assert decision is not None
    assert (decision.kind, decision.side) == ("combat.supply", AXIS)
    kinds = []
    for click in ("2040", "Arko 104"):
        decision = phase.send(RULES.parse(click))
        kinds.append((decision.kind, decision.side))
    assert kinds == [("combat.support", AXIS), ("combat.support", ALLIED)]
    assert g.state.fought == 1


def test_artillery_and_attack_supply_together_cost_two_supply_points() -> None:
    """(8.5.1, 9.4.1, example 9.4.1)"""
    g = game(
        {"2041": ["I/8/15", "104/15"], "2040": ["Arko 104"], "2042": ["16 Br"]}, supply={"Axis": {"2040": 3}}, dice=[1]
    )
    drive(combat.combat(g, AXIS), ["2042", "done", "2040", "2040"])
    assert (g.state.axis_sp, g.state.pledged) == ({BOARD["2040"]: 2}, {BOARD["2040"]: 1})
    support.settle(g, AXIS)
    assert g.state.axis_sp == {BOARD["2040"]: 1}


def test_an_msu_pays_for_the_support_of_a_depleted_asu_in_its_hex() -> None:
    """(9.4.1, 17.1.1, 17.2.4)"""
    place = {"2041": ["104/15"], "2040": ["Arko 104 [depleted]", "Axis Truck 1 [msu]"], "2042": ["16 Br"]}
    g = game(place)
    assert refused(g, drive(combat.combat(g, AXIS), ["2042", "done"]), "Arko 104") == "17.1.1"
    g = game(place, dice=[1])
    drive(combat.combat(g, AXIS), ["2042", "done", "Axis Truck 1"])
    assert flags(g, "Axis Truck 1") == set()


def test_the_phase_settles_supply_and_clears_its_marks() -> None:
    """(8.5.1, 17.2.2)"""
    g = game({"2041": ["I/8/15"], "2042": ["16 Br [disrupted, retreated]"]}, supply={"Axis": {"2040": 1}}, fought=1)
    g.state.pledged[BOARD["2040"]] = 1
    finish(combat.combat(g, AXIS))
    assert g.state.axis_sp == {}
    assert flags(g, "16 Br") == {"disrupted"}


def test_if_the_defender_spoils_overwhelming_odds_supply_may_still_be_bought() -> None:
    """21 to 3 with three shifts is 10-1 until the defender's artillery counts (8.5.3)."""
    g = game(
        {"2041": ["I/8/15", "104/15"], "2142": ["K15/15", "33/15"], "2042": ["1 THR"]}, supply={"Axis": {"2040": 1}}
    )
    battle = attack(g, ["I/8/15", "104/15", "K15/15", "33/15"], "2042")
    assert sheet.sheet(g, battle).overwhelming
    decision = drive(combat.ask_late_supply(g, battle._replace(enemy_artillery=True)))
    assert decision is not None
    assert decision.kind == "combat.supply"
    few = attack(g, ["I/8/15", "104/15"], "2042")
    assert drive(combat.ask_late_supply(g, few)) is None


def test_overwhelming_odds_by_artillery_consume_no_attack_supply() -> None:
    """18 to 3 with three shifts is 9-1, with artillery 10-1; at 9-1 the point is spent (8.5.3)."""
    for support_click, left in (("Arko 104", {}), ("done", {BOARD["2040"]: 1})):
        g = game(
            {"2041": ["I/8/15", "104/15"], "2142": ["K15/15"], "2040": ["Arko 104"], "2042": ["1 THR"]},
            supply={"Axis": {"2040": 1}}, dice=[6],
        )  # fmt: skip
        drive(combat.combat(g, AXIS), ["2042", "done", "2040", support_click])
        assert steps(g, "1 THR") == 0
        assert g.state.pledged == left


def test_a_spent_source_supplies_attacks_in_range_that_need_none_too() -> None:
    """So their Breakthrough Groups have Attack Supply (8.5.1, 15.2.8)."""
    g = game({"2041": ["104/15"], "2042": ["16 Br"]}, supply={"Axis": {"2040": 1}})
    battle = attack(g, ["104/15"], "2042")
    assert finish(support.ask_supply(g, battle)) is False
    g.state.pledged[BOARD["2040"]] = 1
    assert finish(support.ask_supply(g, battle)) is True


def test_an_unsupplied_attack_buys_no_supply_for_its_breakthrough() -> None:
    """Only overwhelming odds leave that right; a source spent already serves (8.5.3, 15.2.8)."""
    place = {"2041": ["104/15", "115/15"], "2042": ["1 THR"], "2044": ["16 Br"]}
    g = game(place, supply={"Axis": {"2040": 1}}, dice=[6, 1])
    clicks = ["2042", "done", "none", "2041", "done", "2042", "2043", "2044"]
    decision = drive(combat.combat(g, AXIS), clicks)
    assert decision is None or decision.kind != "combat.supply"
    assert g.state.pledged == {}


# Fortifications


def test_a_fortification_costs_a_resource_point_and_is_begun_in_the_movement_phase() -> None:
    """(9.5.3)"""
    g = game({"2478": ["16 Br"]}, control={"Allied": ["2478"]}, rp={"Allied": 1})
    assert fortification.why_not_now(g, ALLIED) is None
    finish(fortification.begin(g, ALLIED), ["2478"])
    assert g.state.works == {BOARD["2478"]: ALLIED}
    assert rule_of(fortification.why_not_begun(g, ALLIED)) == "9.5.3"
    assert not sheet.fortified(g, BOARD["2478"], ALLIED)


def test_where_a_fortification_may_be_built() -> None:
    """With a supplied combat unit in or next to the hex; not in an EZOC without one; one in a hex (9.5.3, 9.5.6)."""
    g = game({"2041": ["104/15"], "2042": ["16 Br"]}, forts={"Allied": ["2143"]}, rp={"Allied": 1})
    assert fortification.why_not_site(g, ALLIED, BOARD["2042"]) is None
    assert fortification.why_not_site(g, ALLIED, BOARD["2043"]) is None
    assert rule_of(fortification.why_not_site(g, ALLIED, BOARD["2143"])) == "9.5.6"
    assert rule_of(fortification.why_not_site(g, ALLIED, BOARD["2142"])) == "9.5.6"
    assert rule_of(fortification.why_not_site(g, ALLIED, BOARD["2045"])) == "9.5.3"
    assert rule_of(fortification.why_not_site(g, ALLIED, BOARD["2041"])) == "9.5.3"
    cut = game({"2041": ["104/15"], "2143": ["115/15"], "1943": ["8B Ar"], "2042": ["16 Br"]}, rp={"Allied": 1})
    assert rule_of(fortification.why_not_site(cut, ALLIED, BOARD["2042"])) == "9.5.3"


def test_a_unit_that_its_port_leaves_out_builds_no_fortification() -> None:
    """A port supplies the units that its owner chose in the Supply Phase (9.5.3, 16.2)."""
    ring = {"3039": ["39 Bol"], "2938": ["40 Bol"], "3036": ["20 Bre"], "3136": ["19 Bre"]}
    for garrison, built in ((["24/9 Aus [oos]"], False), (["24/9 Aus [oos]", "1 KRRC"], True)):
        g = game({"3138": garrison, **ring}, control={"Allied": ["3138"]}, rp={"Allied": 1})
        refusal = fortification.why_not_site(g, ALLIED, BOARD["3138"])
        assert (refusal is None) == built
        assert built or rule_of(refusal) == "9.5.3"


def test_each_side_has_fourteen_fortifications() -> None:
    """(9.5.6)"""
    hexes = [BOARD.name(hex) for hex in range(BOARD.size) if LAND[hex]][:14]
    g = game({}, forts={"Allied": hexes[:10]}, works={"Allied": hexes[10:]}, rp={"Allied": 1})
    assert rule_of(fortification.why_not_begun(g, ALLIED)) == "9.5.6"


@pytest.mark.parametrize(("hex", "die", "completed"), [("2042", 3, True), ("2042", 4, False), ("3137", 6, True)])
def test_a_fortification_is_completed_by_a_roll_or_on_groundworks(hex: str, die: int, completed: bool) -> None:
    """(9.5.4, 9.5.5)"""
    g = game({hex: ["16 Br"]}, works={"Allied": [hex]}, dice=[die])
    fortification.complete(g, ALLIED)
    assert (BOARD[hex] in g.state.fort) == completed
    assert (BOARD[hex] in g.state.works) != completed


def test_its_owner_may_remove_a_fortification() -> None:
    """(9.5.7)"""
    g = game({}, forts={"Allied": ["2042"]})
    finish(fortification.begin(g, ALLIED), ["2042"])
    assert g.state.fort == {}
    assert rule_of(fortification.why_not_now(g, ALLIED)) == "9.5.3"


# The free Supply Point


def test_a_quiet_player_turn_earns_a_supply_point() -> None:
    """In a box or with a Corps HQ in Full Supply (17.4)."""
    g = game({"2478": ["XIII Corps HQ"]}, control={"Allied": ["2478"]})
    decision = drive(special.free_supply_point(g, ALLIED))
    assert legal(decision) == {"Nile Delta", "2478"}
    assert refused(g, decision, "Tripoli") == "17.4"
    finish(special.free_supply_point(g, ALLIED), ["2478"])
    assert g.state.allied_sp == {BOARD["2478"]: 1}
    for spoilt in ("fought", "moved_by_points"):
        assert drive(special.free_supply_point(game({}, **{spoilt: 1}), ALLIED)) is None


# Strafing and LRDG


def test_strafing_markers_are_placed_in_air_range_one_to_a_hex() -> None:
    """Not on a friendly Delay marker; they last one impulse (18.7.3, 18.7.5)."""
    g = game({"2038": ["DAK HQ"]}, assets={"Axis Strafing": 2})
    g.state.delay[BOARD["2043"]] = AXIS
    assert rule_of(special.why_not_strafed(g, AXIS, BOARD["2043"])) == "18.7.5"
    assert rule_of(special.why_not_strafed(g, AXIS, BOARD["2060"])) == "18.7.3"
    finish(special.place_markers(g, AXIS), ["2042", "2044"])
    assert set(g.state.strafed) == {BOARD["2042"], BOARD["2044"]}
    assert not g.state.assets
    assert rule_of(special.why_not_strafed(g, AXIS, BOARD["2042"])) == "18.7.5"
    special.remove_markers(g, AXIS)
    assert g.state.strafed == {}


def test_the_lrdg_is_placed_away_from_enemies() -> None:
    """Supply Points are units too (2.3.1, 18.8)."""
    g = game({"2041": ["104/15"]}, assets={"LRDG": 1}, supply={"Axis": {"2050": 1}})
    assert rule_of(special.why_not_lrdg(g, ALLIED, BOARD["2051"])) == "18.8"
    assert BOARD["2051"] not in special.open_to_lrdg(g, ALLIED)
    assert rule_of(special.why_not_lrdg(g, ALLIED, BOARD["2042"])) == "18.8"
    assert rule_of(special.why_not_lrdg(g, ALLIED, BOARD["2041"])) == "18.8"
    finish(special.place_markers(g, ALLIED), ["2044"])
    assert set(g.state.lrdg) == {BOARD["2044"]}
    special.remove_markers(g, ALLIED)
    assert g.state.lrdg == {}


def test_the_hexes_offered_for_markers_are_those_without_a_refusal() -> None:
    """(18.7.5, 18.8)"""
    g = game({"2041": ["104/15", "DAK HQ"], "2047": ["Axis Truck 1"], "2050": ["XIII Corps HQ"]})
    g.state.delay[BOARD["2043"]] = AXIS
    g.state.strafed[BOARD["2044"]] = ALLIED
    for side, offered, why_not in (
        (AXIS, special.strafable, special.why_not_strafed),
        (ALLIED, special.strafable, special.why_not_strafed),
        (ALLIED, special.open_to_lrdg, special.why_not_lrdg),
    ):
        assert offered(g, side) == [hex for hex in range(BOARD.size) if why_not(g, side, hex) is None]


def test_markers_may_be_saved() -> None:
    """(18.7.2, 23.2.3)"""
    g = game({"2038": ["DAK HQ"]}, assets={"Axis Strafing": 2})
    finish(special.place_markers(g, AXIS), ["done"])
    assert g.state.assets == {"Axis Strafing": 2}


# Disengagement

ON = {"disengagement": "on"}


def test_a_panzer_disengages_with_plus_two() -> None:
    """The worked example: Mechanized and Elite, two hexes (27.5.2, 27.5.4)."""
    g = game({"2041": ["I/8/15"], "2042": ["16 Br"]}, options=ON, dice=[3])
    assert sum(one.value for one in disengagement.modifiers(g, units("I/8/15"))) == 2
    decision = drive(disengagement.disengage(g, AXIS, units("I/8/15")), ["no"])
    assert decision is not None
    assert "2039" in legal(decision)
    g = game({"2041": ["I/8/15"], "2042": ["16 Br"]}, options=ON, dice=[3])
    finish(disengagement.disengage(g, AXIS, units("I/8/15")), ["no", "2039"])
    assert where(g, "I/8/15") == "2039"
    assert "disrupted" in flags(g, "I/8/15")


def test_a_panzer_moves_next_to_the_enemy_stops_and_disengages() -> None:
    """The whole example, click by click (27.5.4, example 27.5)."""
    m = table.match({"2040": ["I/8/15"], "2043": ["16 Br"]}, options=ON, dice=[3])
    m.play(["I/8/15", "2042"])
    assert table.where(m, "I/8/15") == "2042"
    assert m.decision is not None
    assert RULES.parse("I/8/15") not in m.decision.legal
    while table.kind(m) != "combat.target":
        m.play(["done"])
    m.play(["disengage", "I/8/15", "done", "no", "2040"])
    assert table.where(m, "I/8/15") == "2040"
    assert m.game.has(units("I/8/15")[0], "disrupted")


@pytest.mark.parametrize(("die", "goes", "left"), [(3, False, 3), (4, True, 2), (5, True, 3)])
def test_a_four_costs_a_step(die: int, goes: bool, left: int) -> None:
    """(27.5.2, 27.5.4)"""
    g = game({"2042": ["16 Br"], "2041": ["104/15"]}, options=ON, dice=[die])
    decision = drive(disengagement.disengage(g, ALLIED, units("16 Br")))
    assert (decision is not None) == goes
    assert steps(g, "16 Br") == left


def test_a_group_that_may_retreat_may_also_stay() -> None:
    """A success allows the retreat; the step of a 4 is lost in any case, and there is no second attempt (27.5.4)."""
    g = game({"2042": ["16 Br"], "2041": ["104/15"]}, options=ON, dice=[4])
    decision = drive(disengagement.disengage(g, ALLIED, units("16 Br")))
    assert legal(decision) == {"full retreat", "no", "none"}
    g = game({"2042": ["16 Br"], "2041": ["104/15"]}, options=ON, dice=[4])
    finish(disengagement.disengage(g, ALLIED, units("16 Br")), ["none"])
    assert (where(g, "16 Br"), steps(g, "16 Br"), flags(g, "16 Br")) == ("2042", 2, {"fought"})
    assert rule_of(disengagement.why_not_unit(g, units("16 Br")[0])) == "27.5.3"


def test_who_may_disengage() -> None:
    """Not who attacked, tried, or has a Replacement marker; only with the option (27.5.1, 27.5.3)."""
    g = game({"2041": ["104/15 [replaced]", "115/15", "GAF"], "2042": ["16 Br"], "2030": ["3/5L"]})
    assert rule_of(disengagement.why_not_now(g, AXIS)) == "27.5.1"
    marked, able, slow = units("104/15", "115/15", "GAF")
    assert rule_of(disengagement.why_not_unit(g, marked)) == "19.5"
    assert disengagement.why_not_unit(g, able) is None
    assert disengagement.why_not_unit(g, slow) is None
    g.state.flags[slow] |= RULES.flag["full_retreat"]
    assert rule_of(disengagement.why_not_unit(g, slow)) == "27.5.3"
    assert rule_of(disengagement.why_not_unit(g, units("3/5L")[0])) == "27.5.3"
    g.state.battle[able] = combat.ATTACKED
    assert rule_of(disengagement.why_not_unit(g, able)) == "27.5.3"


def test_a_group_disengages_from_one_hex() -> None:
    """Of combat units (27.5.3)."""
    g = game({"2041": ["104/15", "115/15", "Axis Truck 1"], "2042": ["16 Br"], "2043": ["I/8/15"]}, options=ON)
    decision = drive(disengagement.attempt(g, AXIS), ["104/15"])
    assert legal(decision) == {"104/15", "115/15", "done"}
    assert refused(g, decision, "I/8/15") == "27.5.3"
    assert refused(g, decision, "Axis Truck 1") == "27.5.3"
    assert decision is not None
    assert decision.why_not is not None
    assert decision.why_not(g, decision, RULES.parse("115/15")) is None


def test_a_group_is_as_good_as_its_worst_unit() -> None:
    """(27.5.2)"""
    g = game({"2041": ["I/8/15", "155/Afr", "19 Bre"]})
    assert sum(one.value for one in disengagement.modifiers(g, units("I/8/15", "155/Afr"))) == 0
    assert sum(one.value for one in disengagement.modifiers(g, units("I/8/15", "19 Bre"))) == -1


def test_a_disrupted_unit_that_disengages_goes_into_full_retreat_and_enters_no_zone() -> None:
    """(27.5.4)"""
    g = game({"2042": ["16 Br [disrupted]"], "2041": ["104/15"]}, options=ON, dice=[6])
    disengaging = disengagement.disengage(g, ALLIED, units("16 Br"))
    assert legal(drive(disengaging)) == {"full retreat", "none"}
    decision = disengaging.send(RULES.parse("full retreat"))
    assert decision.kind == "combat.retreat"
    flight = Flight(ALLIED, BOARD["2042"], 1, 2, 1, shy=True)
    assert all(
        not retreat.in_enemy_zone(g, flight, units("16 Br"), hex)
        for path in retreat.ends(g, flight, units("16 Br")).values()
        for hex in path
    )


def test_full_retreat_is_mandatory_only_for_the_disrupted_units_of_a_group() -> None:
    """The others may become Disrupted (27.5.4)."""
    g = game({"2041": ["I/8/15 [disrupted]", "104/15"], "2042": ["16 Br"]}, options=ON, dice=[6])
    decision = drive(disengagement.disengage(g, AXIS, units("I/8/15", "104/15")))
    assert decision is not None
    assert (decision.kind, tuple(decision.about)) == ("combat.disengage.level", units("104/15"))
    g = game({"2041": ["I/8/15 [disrupted]", "104/15"], "2042": ["16 Br"]}, options=ON, dice=[6])
    finish(disengagement.disengage(g, AXIS, units("I/8/15", "104/15")), ["no", "2039"])
    assert where(g, "I/8/15") == where(g, "104/15") == "2039"
    assert "full_retreat" in flags(g, "I/8/15")
    assert "disrupted" in flags(g, "104/15")


# Tag-along retreats


def test_retreating_units_take_others_along_with_the_option() -> None:
    """Combat units and trucks, not replacements; each is disordered by one level (27.3.2)."""
    place = {"2041": ["104/15"], "2042": ["5 RTR"], "2043": ["1 RB", "Allied Truck 1", "BR Infantry Repl 1"]}
    flight = Flight(ALLIED, BOARD["2042"], 2, 2, 1)
    g = game(place, options={"tag-along": "on"})
    decision = drive(retreat.go(g, flight, units("5 RTR"), (BOARD["2043"], BOARD["2044"])))
    assert legal(decision) == {"1 RB", "Allied Truck 1", "done"}
    g = game(place, options={"tag-along": "on"})
    finish(retreat.go(g, flight, units("5 RTR"), (BOARD["2043"], BOARD["2044"])), ["1 RB", "done"])
    assert where(g, "5 RTR") == where(g, "1 RB") == "2044"
    assert "disrupted" in flags(g, "1 RB")
    assert where(g, "Allied Truck 1") == "2043"
    g = game(place)
    finish(retreat.go(g, flight, units("5 RTR"), (BOARD["2043"], BOARD["2044"])))
    assert where(g, "1 RB") == "2043"


def test_units_next_to_an_enemy_are_not_taken_along() -> None:
    """(27.3.2)"""
    g = game({"2041": ["104/15"], "2043": ["5 RTR", "1 RB"], "2143": ["115/15"]})
    refusal = retreat.why_not_taken(g, units("5 RTR"), (), units("1 RB")[0], (BOARD["2044"],))
    assert rule_of(refusal) == "27.3.2"


def test_a_disrupted_unit_is_not_taken_along_through_enemy_trucks() -> None:
    """It ends in Full Retreat (13.1.3, 13.3.2, 27.3.2)."""
    for mark, rule in (("", None), (" [disrupted]", "13.3.2")):
        g = game({"2042": ["5 RTR [disrupted]", f"1 RB{mark}"], "2043": ["Axis Truck 1"]})
        refusal = retreat.why_not_taken(g, units("5 RTR"), (), units("1 RB")[0], (BOARD["2043"], BOARD["2044"]))
        assert (refusal and refusal.rule) == rule


# The preview


def chances(g: G, battle: Attack) -> dict[str, Fraction]:
    return dict(preview.preview(g, battle).outcomes)


def test_the_preview_follows_a_result_through_the_determined_defence() -> None:
    """A normal unit in clear ground holds on 5 and 6, after D1 and DR4 on 6 (11.2.2, 11.4)."""
    g = game({"2041": ["104/15"], "2042": ["1 KDG"]})
    held = preview.follow(g, attack(g, ["104/15"], "2042"), preview.OUTCOMES["DR2"])
    assert held["DR2: defender holds"] == Fraction(1, 3)
    held = preview.follow(g, attack(g, ["104/15"], "2042"), preview.OUTCOMES["DR4"])
    assert held["DR4: defender holds"] == Fraction(1, 6)
    battle = attack(g, ["104/15"], "2042")
    assert preview.follow(g, battle, preview.OUTCOMES["A1"]) == {"A1: attacker loses a step, no retreat": Fraction(1)}
    assert preview.follow(g, battle, preview.OUTCOMES["EX"]) == {"EX: each side loses a step, no retreat": Fraction(1)}
    assert preview.follow(g, attack(g, ["104/15"], "2042"), preview.OUTCOMES["DS"]) == {
        "DS: defender retreats 4, in Full Retreat, advance 4": Fraction(1)
    }


def test_the_preview_knows_that_a_defender_has_no_way_out() -> None:
    """A Desperate Defense to the last step: one battalion of one step never holds alive (11.4.2, 11.5.3, 12.2.1)."""
    g = game({"2041": ["104/15"], "2143": ["115/15"], "1943": ["200/15"], "2042": ["1 THR"]})
    battle = attack(g, ["104/15"], "2042")
    found = preview.follow(g, battle, preview.OUTCOMES["DR2"])
    assert found == {
        "DR2: defender eliminated, advance 1": Fraction(1, 3),
        "DR2: defender eliminated, advance 2": Fraction(2, 3),
    }
    assert any(term.rule == "12.2.1" for term in preview.preview(g, battle).terms)


def test_the_preview_knows_that_a_unit_holds_with_its_last_step() -> None:
    """Every success in clear ground costs the Lead Unit a step, and a 1 does too (11.4, 11.4.2)."""
    g = game({"2041": ["104/15"], "2042": ["1 RB"]})
    assert preview.follow(g, attack(g, ["104/15"], "2042"), preview.OUTCOMES["DR2"]) == {
        "DR2: defender eliminated, advance 1": Fraction(1, 3),
        "DR2: defender eliminated, advance 2": Fraction(1, 6),
        "DR2: defender retreats 2, Disrupted, advance 2": Fraction(1, 2),
    }


def test_the_preview_knows_that_asus_lead_no_defence() -> None:
    """Neither after the only other unit has lost its last step, nor as further steps of a Desperate Defense (10.2.2, 11.2.3,
    11.5.3)."""
    place = {"2041": ["104/15"], "2042": ["1 RB", "7 Med"]}
    g = game(place)
    found = preview.follow(g, attack(g, ["104/15"], "2042"), preview.OUTCOMES["D1"])
    assert found == {"D1: defender retreats 2 to 3, Disrupted, advance 3": Fraction(1)}
    g = game({**place, "2143": ["115/15"], "1943": ["200/15"]})
    found = preview.follow(g, attack(g, ["104/15"], "2042"), preview.OUTCOMES["DR2"])
    assert found["DR2: defender holds"] == Fraction(1, 3)
    assert sum(found.values()) == 1


def test_the_preview_leads_a_desperate_defence_with_each_unit_in_turn() -> None:
    """The Australians hold on 4 to 6 with their three steps, then 1 RB on 5 and 6 with its one (2.3.2, 11.2.4, 11.5.3)."""
    g = game({"2041": ["104/15"], "2143": ["115/15"], "1943": ["200/15"], "2042": ["24/9 Aus", "1 RB"]})
    found = preview.follow(g, attack(g, ["104/15"], "2042"), preview.OUTCOMES["DR2"])
    assert found["DR2: defender holds"] == 1 - Fraction(1, 8)
    assert found["DR2: defender eliminated, advance 1"] == Fraction(1, 8) * Fraction(1, 3)


def test_the_chances_of_a_preview_make_one() -> None:
    """(8.3)"""
    g = game({"2041": ["I/8/15", "104/15"], "2042": ["16 Br", "5 RTR"]})
    for supplied in (False, True):
        assert sum(chances(g, attack(g, ["I/8/15", "104/15"], "2042", supplied=supplied)).values()) == 1


def test_the_preview_of_overwhelming_odds_is_certain() -> None:
    """(8.8.3)"""
    g = game({"2041": ["I/5/5L", "104/15"], "2142": ["II/5/5L", "115/15"], "2042": ["1 THR"]})
    found = preview.preview(g, attack(g, ["I/5/5L", "104/15", "II/5/5L", "115/15"], "2042"))
    assert found.column == "10-1"
    assert found.outcomes == {"DS: defender eliminated, advance 4": Fraction(1)}


def test_resource_points_are_spent_in_the_combat_phase_too() -> None:
    """On air support for the next attack (23.2.1)."""
    g = game({"2041": ["104/15"], "2042": ["16 Br"]}, rp={"Axis": 1}, turn=7)
    phase = combat.combat(g, AXIS)
    decision = drive(phase, ["spend", "german air"])
    assert g.state.assets == {"German Air Support": 1}
    assert refused(g, decision, "spend") == "23.2.2"
    assert "2042" in legal(decision)


def test_buttons_that_never_apply_to_a_side_are_not_listed() -> None:
    """Comando Supremo for the Allies, Disengagement without the option (8.4.1, 27.5.1)."""
    place = {"2041": ["104/15"], "2042": ["16 Br"]}
    cases: list[tuple[int, dict[str, str], set[str]]] = [
        (AXIS, {}, {"done", "comando", "spend"}), (ALLIED, {}, {"done", "spend"}),
        (ALLIED, {"disengagement": "on"}, {"done", "spend", "disengage"}),
    ]  # fmt: skip
    for side, options, words in cases:
        decision = drive(combat.combat(game(place, options=options), side))
        assert decision is not None
        assert {RULES.names[button] for button in decision.buttons} == words
