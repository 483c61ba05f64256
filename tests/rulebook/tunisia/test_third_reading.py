"""What a third reading of the rules found."""

from __future__ import annotations

import pytest

from khamsin.games.tunisia import (
    air,
    airlift,
    barrage,
    breakout,
    construction,
    control,
    display,
    drops,
    eating,
    lift,
    movement,
    retreat,
    strength,
    tracing,
)
from khamsin.games.tunisia.ground import OUTSIDE
from khamsin.games.tunisia.lift import Cargo
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.strength import Attack
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, FINISHED, MOVE, NUMBER, SCALE, G
from khamsin.kernel import Match, SeededDice
from tests.rulebook.tunisia.table import RULES, drive, game, match, number, rule_of, where

# Odds


def test_the_odds_of_an_overrun_are_those_of_the_mode_it_is_made_in() -> None:
    """A panzer battalion in Move Mode has the MPs to overrun in Combat Mode, and does so with 6 doubled, not 3 (OCS 5(1),
    OCS 7)."""
    m = match({"B58.05": ["190 Pz [move]"], "B59.06": ["201 Gds Inf"]}, axis={"B58.05": 20})
    m.click(RULES.parse("190 Pz"))
    assert m.decision is not None
    (sheet,) = display.sheets(m.game, m.decision, RULES.parse("B59.06"))
    assert sheet.odds.column == "2:1"
    m.click(RULES.parse("B59.06"))
    assert m.decision is not None
    assert m.decision.kind == "combat.supply"
    assert "2:1" in str(m.decision.prompt)


def test_the_leader_is_chosen_with_the_odds_of_a_defence_without_combat_supply() -> None:
    """12 to 6 is 2:1, and 4:1 once the defender has declined to pay (OCS 9(2), OCS 9(3))."""
    m = match(
        {"B58.05": ["47 Inf", "7.Brs Inf"], "B59.06": ["201 Gds Inf"]}, phase="axis combat",
        axis={"B58.05": 20}, allied={"B59.06": 4},
    )  # fmt: skip
    for click in ("B59.06", "done", "decline"):
        m.click(RULES.parse(click))
    assert m.decision is not None
    assert m.decision.kind == "combat.leader"
    (sheet,) = display.sheets(m.game, m.decision, -1)
    assert sheet.odds.column == "4:1"


def test_the_odds_of_an_attack_that_cannot_exploit_show_no_exploitation() -> None:
    """Not in an overrun, nor in the Exploitation Phase (OCS 9.1)."""
    g = game({"B58.05": ["190 Pz", "501 Pz"], "B59.06": ["5 Blk"]})
    battle = Attack(AXIS, number("190 Pz", "501 Pz"), BOARD["B59.06"])
    results = strength.outcomes(g, battle)
    assert "Ae4 DL1o2" in results
    overrun = strength.outcomes(g, battle._replace(overrun=True))
    g.state.todo[strength.EXPLOITING] = 1
    for found in (overrun, strength.outcomes(g, battle)):
        assert sum(found.values()) == sum(results.values()) == 1
        assert not [cell for cell in found if strength.read(cell)[0].exploit]


def test_the_odds_of_a_hip_shoot_are_those_of_one_aircraft() -> None:
    """The next aircraft replaces the first: 17 points, not 34 (OCS 14.6)."""
    g = game({"B48.17": ["Ju.87d DE 1", "Ju.87d DE 2"], "B54.10": ["201 Gds Inf"], "B53.10": ["47 Inf"]})
    g.state.base[BOARD["B48.17"]], g.state.level[BOARD["B48.17"]] = AXIS, 1
    movement.begin(g, AXIS)
    asked = drive(g, air.plan(g, AXIS, BOARD["B54.10"], hip=True), ["Ju.87d DE 1"])
    first, second = ([one.odds for one in display.sheets(g, asked, NUMBER[name])] for name in ("47 Inf", "Ju.87d DE 2"))
    assert first[0].column == second[0].column


# Sea


def test_a_combat_unit_larger_than_a_port_fills_it_and_a_truck_point_does_not_go_there() -> None:
    """Tabarka passes 2T: a brigade of 1 SP is the only cargo of the turn, a truck point of 1 SP is too large (1.5a, OCS 13)."""
    tabarka, algiers = BOARD["A30.26"], BOARD["Algiers Box"]
    g = game(
        {"Algiers Box": ["11 Inf/78 Inf [move]", "Allied Truck 1"], "A30.26": ["6 Cdo"]},
        phase="allied movement", scenario="campaign",
    )  # fmt: skip
    g.state.control[tabarka] = ALLIED
    brigade, truck = (Cargo(ALLIED, algiers, (NUMBER[name],)) for name in ("11 Inf/78 Inf", "Allied Truck 1"))
    assert rule_of(lift.why_not_shipped(g, truck, tabarka)) == "1.5a"
    assert lift.why_not_shipped(g, brigade, tabarka) is None
    lift.spend(g, brigade, tabarka, lift.SEA)
    assert lift.port_capacity(g, tabarka) == 0
    refusal = lift.why_not_shipped(g, Cargo(ALLIED, algiers, (), 1), tabarka)
    assert refusal is not None
    assert refusal.reason == "1T cannot be shipped to A30.26: A30.26 can handle 0T more"


def test_no_port_is_used_in_scenario_5() -> None:
    """Gabès decides the scenario, but its port is neither bombed nor damaged (Scenario 5)."""
    g = game({"B48.17": ["47 Inf"], "B47.18": ["201 Gds Inf"]})
    g.state.control[BOARD["B48.17"]] = AXIS
    assert "port" not in air.purposes(g, ALLIED, BOARD["B48.17"])
    assert "port" not in barrage.purposes(g, ALLIED, BOARD["B48.17"])
    assert rule_of(construction.why_not_job(g, AXIS, number("47 Inf"), BOARD["B48.17"], "reduce port")) == "OCS 10(3)"
    assert not [mark for mark in display.marks(g, AXIS) if mark.kind == "port"]


# Air transport


def at_bone(todo: str = "") -> G:
    """The race for Tunis: a parachute battalion in Move Mode at the air base of Bône, with a C-47."""
    g = Match(RULES, "race-for-tunis", dice=SeededDice(1)).game
    g.state.weather, g.state.turn = 0, 1
    for unit in ("1 Para", "C-47 US 1"):
        g.state.where[NUMBER[unit]] = BOARD["A18.24"]
    g.state.flags[NUMBER["1 Para"]] |= MOVE
    if todo:
        g.state.todo[todo] = 1
    return g


def test_a_unit_moves_half_its_allowance_before_and_after_air_transport_together() -> None:
    """Of 5 MPs 1 before the flight leaves 1½ after it; in the Reaction Phase the half is that of half the allowance (OCS 14.8;
    series 14.9d)."""
    unit, load = NUMBER["1 Para"], airlift.Load(ALLIED, BOARD["A18.24"], (NUMBER["1 Para"],))
    g = at_bone()
    g.state.spent[unit] = SCALE
    drive(g, airlift.deliver(g, load, BOARD["A6.25"]))
    assert g.state.spent[unit] == SCALE * 7 // 2
    assert not g.state.flags[unit] & FINISHED
    g = at_bone("reacting")
    g.state.spent[unit] = SCALE * 2
    assert rule_of(airlift.why_not_lifted(g, ALLIED, unit)) == "OCS 14.8"
    g.state.spent[unit] = 0
    drive(g, airlift.deliver(g, load, BOARD["A6.25"]))
    assert g.state.spent[unit] == SCALE * 5 // 4


def test_a_unit_uses_one_kind_of_transport_in_a_phase() -> None:
    """Who came by rail or sea is done and does not fly on, who flew does not take the train (1.5b, OCS 14.8; series 4.7d)."""
    g, unit = at_bone(), NUMBER["1 Para"]
    g.state.flags[unit] |= FINISHED
    assert rule_of(airlift.why_not_lifted(g, ALLIED, unit)) == "OCS 14.8"
    g = at_bone()
    drive(g, airlift.deliver(g, airlift.Load(ALLIED, BOARD["A18.24"], (unit,)), BOARD["A6.25"]))
    for how in (lift.RAIL, lift.SEA):
        assert rule_of(lift.why_not_carried(g, ALLIED, [unit], how)) == "OCS 14.8"


def test_parachutists_who_have_moved_do_not_drop() -> None:
    """Units spend no MPs in the phase of their drop (OCS 14.8; series 4.7d)."""
    g, unit = at_bone(), NUMBER["1 Para"]
    g.state.drop_turn["1 Para"], g.state.drop_hex["1 Para"] = 1, BOARD["A30.20"]
    assert drops.why_not_dropped(g, ALLIED, unit) is None
    g.state.spent[unit] = SCALE
    assert rule_of(drops.why_not_dropped(g, ALLIED, unit)) == "OCS 14.8"


def test_of_transports_that_bring_more_than_a_base_unloads_only_the_excess_stays() -> None:
    """Four transports bring 6T to Tunis, which unloads 4T: those with 2T stay, the others return (OCS 14.1; series 14.9f)."""
    g = Match(RULES, "race-for-tunis", dice=SeededDice(1)).game
    g.state.weather = 0
    base, tunis = BOARD["Sicily Air Base 1"], BOARD["A48.24"]
    planes = number("Ju.52 DE 1", "Ju.52 DE 2", "SM.82 IT 1", "Me.323 DE 1")
    for plane in planes:
        g.state.where[plane] = base
    load = airlift.Load(AXIS, base, tokens=6)
    before = {plane: airlift.capacity(g, plane, base, tunis) for plane in airlift.crew(g, load, tunis)}
    assert sum(before.values()) == 6 * lift.HALF
    drive(g, airlift.deliver(g, load, tunis))
    stay = [plane for plane in planes if g.state.where[plane] == tunis]
    assert sum([before[plane] for plane in stay]) == 2 * lift.HALF


# Retreat


def test_the_hint_of_a_retreat_counts_what_its_first_hexes_do() -> None:
    """Two hexes in enemy ZOCs: the first disorganises, the second costs a step (OCS 5(3))."""
    g = game({"B58.07": ["201 Gds Inf"], "B60.07": ["47 Inf"]})
    start, enemy = BOARD["B58.07"], BOARD["B60.07"]
    around = [hex for hex in BOARD.around(enemy) if BOARD.enterable(hex)]
    path = next(
        (one, two)
        for one in around
        for two in BOARD.around(one)
        if two in around and BOARD.distance(start, one) == 1 and BOARD.distance(start, two) == 2
    )
    unit = number("201 Gds Inf")
    assert retreat.harm(g, ALLIED, unit, path[:1]) == "enemy ZOC: disorganised"
    assert retreat.harm(g, ALLIED, unit, path) == "enemy ZOC: a unit that is DG is lost"
    drive(g, retreat.go(g, ALLIED, unit, path))
    assert where(g, "201 Gds Inf") == "Allied Dead Pile"


# Supply


@pytest.mark.parametrize("name", ["race-for-tunis", "kasserine", "mareth", "end-in-africa"])
def test_supply_paths_and_rails_do_not_leave_the_area(name: str) -> None:
    """No railhead and no supplied hex but those next to the edge lies outside, and every unit begins in supply (Scenario 1-6,
    OCS 11.1(3))."""
    g = Match(RULES, name, dice=SeededDice(1)).game
    outside = OUTSIDE[setting(g).area]
    for side in (AXIS, ALLIED):
        field = tracing.trace(g, side)
        assert not outside.intersection(field.heads)
        beyond = outside.intersection(field.supplied.nonzero()[0].tolist())
        assert all(not outside.issuperset(BOARD.around(hex)) for hex in beyond)
        assert eating.find_hungry(g, side) == []
        for start in lift.stations(g, side):
            for narrow in (False, True):
                assert not outside & lift.rail_field(g, side, start, narrow, False)


def test_breakouts_come_before_movement() -> None:
    """Once a unit has moved, none breaks out in the phase (OCS 2, OCS 11.3)."""
    m = match({"B62.10": ["190 Pz"], "B47.20": ["47 Inf"]})
    assert breakout.why_not(m.game, AXIS, number("190 Pz")) is None
    m.play(["47 Inf", "B47.19"])
    assert rule_of(breakout.why_not(m.game, AXIS, number("190 Pz"))) == "OCS 2"


def test_a_unit_that_ate_is_not_on_its_first_turn_cut_off() -> None:
    """It breaks out on 5 or 6, needs a path to a friend in supply, and the enemy does not see that it ate (OCS 3(4), OCS 11.3;
    series 12.8e)."""
    g = game({"B62.10": ["190 Pz"], "B47.20": ["47 Inf"]}, axis={"B62.10": 4}, dice=[4])
    unit = NUMBER["190 Pz"]
    assert breakout.why_not(g, AXIS, [unit]) is None
    drive(g, eating.supply_phase(g, AXIS), ["done"])
    assert g.state.axis_t[BOARD["B62.10"]] == 3
    assert rule_of(breakout.why_not(g, AXIS, [unit])) == "OCS 11.3"
    assert "190 Pz ate" in g.state.events
    assert "190 Pz ate" not in RULES.conceal(g.state, ALLIED).events
    breakout.attempt(g, AXIS, [unit])
    assert g.state.where[unit] == BOARD["Axis Dead Pile"]
    g = game({"B47.20": ["190 Pz"]})
    g.state.events["190 Pz ate"] = 1
    drive(g, eating.supply_phase(g, AXIS))
    assert "190 Pz ate" not in g.state.events


def test_nothing_is_built_or_displaced_outside_the_area() -> None:
    """A headquarters at the northern edge of scenario 5 builds no base beyond it, and a truck there is displaced into the area
    (Scenario 5, OCS 9.3, OCS 10(2))."""
    g = game({"B46.20": ["HQ DAK", "Axis Truck 1"]}, axis={"B46.20": 20})
    outside = OUTSIDE[setting(g).area]
    for hex in BOARD.around(BOARD["B46.20"]):
        refusal = construction.why_not_site(g, AXIS, number("HQ DAK"), hex)
        assert (refusal is not None and refusal.rule == "Scenario 5") == (hex in outside)
    g = game({"B46.20": ["Axis Truck 1"]})
    control.displace_truck(g, NUMBER["Axis Truck 1"], BOARD["B46.20"], 10)
    assert g.state.where[NUMBER["Axis Truck 1"]] not in outside
