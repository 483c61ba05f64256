"""What a second reading of the chapters on the ground war found (1.3, OCS 3-10)."""

from __future__ import annotations

from khamsin.games.tunisia import RULES, combat, construction, hidden, retreat, stacking
from khamsin.games.tunisia.strength import Hit
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, MOVE, NUMBER
from khamsin.kernel import Match
from tests.rulebook.tunisia.table import drive, flags, game, legal, match, number, refused, rule_of, where


def test_a_truck_unit_that_has_entered_a_zone_does_not_go_on() -> None:
    """Neither at once nor by another click; it may overrun, and another friend in the hex lets it go on (OCS 4(2))."""
    enemy = {"B53.05": ["1 RTR Arm/7 Arm"]}
    m = match({"B50.05": ["47 Inf"], **enemy}, axis={"B50.05": 40})
    m.play(["47 Inf", "move", "47 Inf", "B52.05", "47 Inf"])
    assert where(m, "47 Inf") == "B52.05"
    assert {click for click in legal(m) if click in BOARD.names} == {"B53.05"}
    assert refused(m, "B51.06") == "OCS 4(2)"
    m = match({"B50.05": ["47 Inf"], "B52.05": ["125 Inf/164.Le"], **enemy}, axis={"B50.05": 40})
    m.play(["47 Inf", "move", "47 Inf", "B52.05"])
    assert "finished" not in flags(m, "125 Inf/164.Le")
    m.play(["47 Inf", "B51.06"])
    assert where(m, "47 Inf") == "B51.06"
    assert "finished" in flags(m, "125 Inf/164.Le")


def test_a_unit_that_trucks_only_join_may_still_move() -> None:
    """It is held only where it lets them go on through a ZOC (OCS 4(2))."""
    m = match({"B50.05": ["Axis Truck 1"], "B52.05": ["125 Inf/164.Le"], "B53.05": ["1 RTR Arm/7 Arm"]})
    m.play(["Axis Truck 1", "B52.05", "125 Inf/164.Le", "B51.05"])
    assert where(m, "Axis Truck 1") == "B52.05"
    assert where(m, "125 Inf/164.Le") == "B51.05"
    m = match({"B50.05": ["Axis Truck 1"], "B52.05": ["125 Inf/164.Le"], "B53.05": ["1 RTR Arm/7 Arm"]})
    m.play(["Axis Truck 1", "B52.05", "Axis Truck 1", "B50.05"])
    assert refused(m, "125 Inf/164.Le") == "OCS 6(5)"


def test_a_truck_unit_leaves_the_zone_in_which_it_began() -> None:
    """Also after an overrun from there that changed nothing (OCS 4(3), OCS 7(4))."""
    m = match({"B52.05": ["47 Inf"], "B53.05": ["1 RTR Arm/7 Arm"]}, axis={"B52.05": 40}, allied={"B53.05": 4})
    m.play(["47 Inf", "move", "47 Inf", "B51.06"])
    assert where(m, "47 Inf") == "B51.06"


def test_a_unit_in_move_mode_may_stay_in_it_for_a_short_move() -> None:
    """An 88 mm battalion that attacks in Move Mode alone moves one hex without turning over (OCS 5(1), Designer's Notes)."""
    position = game({"B50.05": ["1-18 PJ"]}, axis={"B50.05": 40})
    position.state.flags[NUMBER["1-18 PJ"]] |= MOVE
    m = Match.at(position)
    m.play(["1-18 PJ", "move", "1-18 PJ", "B50.06"])
    assert where(m, "1-18 PJ") == "B50.06"
    assert "move" in flags(m, "1-18 PJ")
    m.play(["1-18 PJ"])
    assert refused(m, "combat") == "OCS 5(1)"


def test_an_overrun_is_paid_in_the_mode_in_which_it_is_made() -> None:
    """KG Witzig bridges no river in Move Mode, in which the 88 mm battalion beside it overruns (OCS 7(1), OCS 9(2),
    OCS 10(2))."""
    position = game(
        {"A15.16": ["Witzig KG", "1-18 PJ"], "A16.15": ["166 Art"]},
        axis={"A16.17": 40},
        scenario="end-in-africa",
        turn=48,
    )
    for unit in ("Witzig KG", "1-18 PJ"):
        position.state.stock[NUMBER[unit]] = 2
    m = Match.at(position)
    m.play(["A15.16"])
    assert refused(m, "A16.15") == "OCS 9(2)"


def test_both_sides_know_which_stack_is_too_large_after_mud() -> None:
    """Small hidden units elsewhere or large ones: the refusal is the same and names the rule; a port in the hex may still be
    shelled (1.3, OCS 3(2), OCS 3(4))."""
    crowd = ["5 Inf/2 NZ", "6 Inf/2 NZ", "4 Inf/2 NZ", "201 Gds Inf", "L Force Inf", "5 Inf/4 Ind", "7 Inf/4 Ind",
             "161 Inf/4 Ind", "151 Inf/50 Inf", "69 Inf/50 Inf", "152 Inf/51 Inf"]  # fmt: skip
    small = ["Notts Arm", "Staffs Arm", "3 RTR Arm", "40 RTR Arm", "50 RTR Arm", "NIH Arm", "Bays Arm/1 Arm",
             "9 Lanc Arm/1 Arm", "10 Hus Arm/1 Arm", "1 RTR Arm/7 Arm", "5 RTR Arm/7 Arm"]  # fmt: skip
    position = game(
        {"B58.05": ["104 Art", "47 Inf"], "B59.06": crowd, "B58.07": small}, phase="axis combat", axis={"B58.05": 20}
    )
    position.state.muddy["Allied"] = 1
    stacking.note_crowded(position, ALLIED)
    m = Match.at(position)
    assert "B58.07" in legal(m)
    assert refused(m, "B59.06") == "OCS 3(2)"
    position = game(
        {"B60.11": ["104 Art", "47 Inf"], "B61.12": crowd},
        phase="axis combat",
        axis={"B60.11": 20},
        scenario="campaign",
    )
    position.state.control[BOARD["B61.12"]] = ALLIED
    stacking.note_crowded(position, ALLIED)
    m = Match.at(position)
    m.play(["B61.12"])
    assert m.decision is not None
    assert m.decision.prompt.startswith("Barrage of port in B61.12")


def test_organic_trucks_go_into_reserve() -> None:
    """With a marker of the side, and out of it; other trucks do not (1.4c, OCS 5, OCS 11.6)."""
    position = game({"B50.05": ["Truck 1/10 Pz", "Axis Truck 1"], "B46.10": ["Truck 1/21 Pz"]})
    position.state.reserves["Axis"] = 1
    m = Match.at(position)
    m.play(["Axis Truck 1"])
    assert "reserve" not in legal(m)
    m.play(["cancel", "Truck 1/10 Pz", "reserve"])
    assert "reserve" in flags(m, "Truck 1/10 Pz")
    m.play(["Truck 1/21 Pz"])
    assert refused(m, "reserve") == "1.4c"
    m = match({"B50.05": ["Truck 1/10 Pz [reserve, move]"]})
    m.play(["Truck 1/10 Pz", "move"])
    assert "reserve" not in flags(m, "Truck 1/10 Pz")


def test_a_truck_unit_does_not_exit_through_a_zone_that_it_has_entered() -> None:
    """(Scenario 2, OCS 4(2))"""
    position = game(
        {"A27.09": ["86 Inf/10 Pz"], "A28.10": ["1 Gds Inf/78 Inf"]}, axis={"A27.09": 20}, scenario="kasserine", turn=34
    )
    m = Match.at(position)
    m.play(["86 Inf/10 Pz", "move", "86 Inf/10 Pz", "A27.11", "86 Inf/10 Pz"])
    assert where(m, "86 Inf/10 Pz") == "A27.11"
    assert refused(m, "exit") == "OCS 4(2)"


def test_nations_that_keep_apart_part_when_they_move() -> None:
    """A retreat has brought them together; they neither move nor overrun as one stack (4.0b)."""
    position = game(
        {"A36.11": ["201 Gds Inf", "1 Legn Inf"], "A37.12": ["47 Inf"]},
        phase="allied movement",
        scenario="end-in-africa",
        turn=48,
    )
    position.options["cooperation"] = "none"
    m = Match.at(position)
    m.play(["201 Gds Inf", "1 Legn Inf"])
    assert not {click for click in legal(m) if click in BOARD.names}
    assert refused(m, "A36.12") == refused(m, "A37.12") == "4.0b"
    m.play(["201 Gds Inf", "A36.12"])
    assert where(m, "1 Legn Inf") == "A36.12"


def test_refusals_of_a_retreat_name_the_reason() -> None:
    """Enemies that were there, or a hex nearer to an attacker (OCS 9.2)."""
    here, attacker, fled = BOARD["B59.06"], BOARD["B58.05"], BOARD["B61.07"]
    g = game({"B58.05": ["47 Inf"], "B59.06": ["201 Gds Inf"]})
    asked = drive(g, retreat.retreat(g, ALLIED, number("201 Gds Inf"), 2, {attacker: 1, fled: 1}, [attacker]))
    near = next(hex for hex in BOARD.around(attacker) if BOARD.distance(hex, here) == 2)
    reasons = [asked.why_not(g, asked, g.place0 + hex).reason for hex in (fled, near)]
    assert [reason.partition(": ")[2] for reason in reasons] == [
        "enemy units are there, or were when the combat began",
        "nearer to an attacker than another hex",
    ]


def test_nobody_works_on_a_hedgehog_of_the_enemy() -> None:
    """Engineers two hexes away neither raise nor reduce one that has not been entered (OCS 9.3, OCS 10(3))."""
    g = game({"B52.14": ["HQ 30"]}, allied={"B52.14": 20}, hedgehogs={"B51.14": 3}, phase="allied movement")
    hex, units = BOARD["B51.14"], number("HQ 30")
    for job in ("build hedgehog", "reduce hedgehog"):
        g.state.fort[hex] = AXIS
        assert rule_of(construction.why_not_job(g, ALLIED, units, hex, job)) == "OCS 10(3)"
        g.state.fort[hex] = ALLIED
        assert construction.why_not_job(g, ALLIED, units, hex, job) is None


def test_the_enemy_does_not_learn_what_transports_bring() -> None:
    """What a base has unloaded in a segment says how much supply there is (OCS 3(4), OCS 14.1)."""
    g = game({"B48.17": ["47 Inf"]})
    base = BOARD["B48.17"]
    g.state.base[base], g.state.unloaded[base] = AXIS, 3
    assert hidden.conceal(g.state, AXIS).unloaded == {base: 3}
    assert hidden.conceal(g.state, ALLIED).unloaded == {}


def test_a_cancelled_journey_changes_nothing() -> None:
    """The unit may still choose its mode, and a stack that was moving goes on (OCS 6(5), OCS 13)."""
    m = match({"A48.24": ["86 Inf/10 Pz"], "A46.21": ["47 Inf"]}, scenario="end-in-africa", turn=48)
    m.game.state.control[BOARD["A48.24"]] = m.game.state.control[BOARD["A44.31"]] = AXIS
    m.play(["47 Inf", "A46.22"])
    before = m.state.as_dict()
    m.play(["86 Inf/10 Pz", "sea", "cancel", "sea supply", "cancel"])
    assert m.state.as_dict() == before
    m.play(["sea supply", "Sicily Box", "token", "A48.24"])
    assert "finished" in flags(m, "47 Inf")


def test_refusals_give_the_one_reason_that_applies() -> None:
    """The scenario, the mode, the cost, the fuel or the truck that is in the way (Scenario 5, OCS 6(5), OCS 7, OCS 11.4)."""
    units = {"B50.05": ["47 Inf [dg]", "1-7 Pz/10 Pz", "Axis Truck 1"], "B51.05": ["201 Gds Inf"]}
    m = match(units, axis={"B50.05": 4})
    m.play(["47 Inf"])
    assert m.explain(RULES.parse("B51.05")).reason.endswith("47 Inf is disorganised")
    assert m.explain(RULES.parse("Axis Truck 1")).reason.endswith("trucks and combat units move separately")
    m = match(units)
    m.play(["1-7 Pz/10 Pz"])
    assert (
        m.explain(RULES.parse("B50.07")).reason == "1-7 Pz/10 Pz cannot move to B50.07: fuel costs 1T, 0T within reach"
    )
    for scenario, turn, here, there in (("mareth", 34, "B42.20", "B42.21"), ("end-in-africa", 48, "A40.01", "B40.34")):
        m = match({here: ["47 Inf"]}, scenario=scenario, turn=turn)
        m.play(["47 Inf"])
        assert refused(m, there) == ("Scenario 5" if scenario == "mareth" else "Scenario 6")


def test_the_prompt_warns_of_a_retreat_without_a_path() -> None:
    """A unit between enemies that retreats is eliminated (OCS 9.1, OCS 9.2)."""
    here = BOARD["B58.05"]
    around = dict.fromkeys(BOARD.around(here), 1)
    g = game({"B58.05": ["201 Gds Inf", "L Force Inf"]})
    force = number("201 Gds Inf", "L Force Inf")
    for enemies, warning in ((around, "201 Gds Inf and 1 more would be eliminated in a retreat"), ({}, "")):
        asked = drive(g, combat.suffer(g, ALLIED, force, Hit(0, 1), "defence", force[0], enemies, list(enemies)))
        assert asked.prompt == "; ".join(
            filter(None, ("1 option of the defence to meet at B58.05: lose 201 Gds Inf, or retreat 1 hex", warning))
        )


def test_the_owner_names_the_leader_among_units_of_equal_rating_and_strength() -> None:
    """Guns or armoured cars: who leads takes the first loss. Equal counters in a hex are not asked for (OCS 9(3))."""
    hex = BOARD["B58.05"]
    g = game(
        {"B58.05": ["Mnfrto Arm Car", "16 Art", "1-71 Werfer", "2-71 Werfer"], "B58.06": ["1-5 FJ Para", "2-5 FJ Para"]}
    )
    asked = drive(g, combat.choose_leader(g, AXIS, number("Mnfrto Arm Car", "16 Art"), hex))
    assert asked.kind == "combat.leader"
    assert drive(g, combat.choose_leader(g, AXIS, number("1-71 Werfer", "2-71 Werfer"), hex)) == NUMBER["1-71 Werfer"]
    g.state.where[NUMBER["2-71 Werfer"]] = BOARD["B58.06"]
    assert drive(g, combat.choose_leader(g, AXIS, number("1-71 Werfer", "2-71 Werfer"), hex)).kind == "combat.leader"


def test_the_enemy_does_not_see_which_steps_were_skipped() -> None:
    """That the attacks begin at once would say that no gun in range can be supplied (OCS 3(4))."""
    g = game({"B58.05": ["47 Inf"], "B59.06": ["201 Gds Inf"]}, phase="axis combat")
    g.state.todo["barraged"] = 1
    assert RULES.conceal(g.state, ALLIED).todo == {}
    assert RULES.conceal(g.state, AXIS).todo == {"barraged": 1}
