"""The campaign (5.1, 5.2): supply arrival, Malta, arrivals, replacements, withdrawals, Rommel, LRDG, Hecker, Lehr, victory."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from khamsin.games.afrika import CAMPAIGN, RULES, campaign, dumps, replacements, victory
from khamsin.games.afrika.units import ALEXANDRIA, ALLIED, AXIS, BOARD, NUMBER, TRIPOLI, G
from khamsin.kernel import Match, SeededDice
from khamsin.kernel.board import NOWHERE
from tests.rulebook.afrika.table import drive, game, legal, refused, rule_of, steps, where


def war(units: Mapping[str, Sequence[str]], phase: str = "axis reinforcement", turn: int = 10, **more: Any) -> G:
    """A position of the campaign."""
    return game(units, phase, turn, "italian-offensive", campaign=1, **more)


def test_the_game_turn_of_a_campaign() -> None:
    """(1.1, 2.1, SCS 2)"""
    assert [phase.name for phase in CAMPAIGN] == [
        *(f"{side} {phase}" for side in ("axis", "allied")
          for phase in ("initialization", "reinforcement", "movement", "combat", "exploitation", "supply")),
        "sudden death", "end of turn",
    ]  # fmt: skip


@pytest.mark.parametrize("scenario", ["italian-offensive", "rommel"])
def test_a_campaign_begins_with_its_units_and_supply_points(scenario: str) -> None:
    """(1.6a, 5.1, 5.2)"""
    state = Match(RULES, scenario, dice=SeededDice(1)).state
    totals = {"italian-offensive": (11, 15), "rommel": (11, 16)}
    assert (sum(state.axis_sp.values()), sum(state.allied_sp.values())) == totals[scenario]
    assert state.turn == 0
    m = Match(RULES, scenario, dice=SeededDice(1))
    m.play(["done", "done"])
    assert m.state.turn == (1 if scenario == "italian-offensive" else 8)
    assert state.withdrawals == (0 if scenario == "italian-offensive" else 2)


def test_trento_has_one_form() -> None:
    """One counter with the Trento Truck option, three without (2.5)."""
    for option, form in (("trucks", "Trento Div"), ("motorised", "61 Rgt/Trento")):
        g = Match(RULES, "italian-offensive", {"trento": option}, dice=SeededDice(1)).game
        waiting = {name for name in ("Trento Div", "61 Rgt/Trento") if where(g, name) == "Turn Record Track"}
        assert waiting == {form}
    assert campaign.has_trento_trucks(Match(RULES, "rommel", dice=SeededDice(1)).game)


# Supply arrival


def test_malta_takes_up_to_four_air_points_and_helps_the_supply_roll() -> None:
    """A roll of 7 brings 4 SPs, with four points 6 (1.9, 2.6, 2.7)."""
    for air, arrived in ((0, 4), (4, 6)):
        g = war({}, air=(6, 0), dice=[3, 4])
        drive(g, campaign.reinforcement_phase(g, AXIS), [f"air {air}"])
        assert g.state.air["Axis"] == 6 - air
        assert g.state.axis_sp == {TRIPOLI: arrived}
    m = Match.at(war({}, air=(6, 0)))
    assert refused(m, "air 5") == "2.6"


def test_allied_supply_arrives_at_alexandria_while_it_is_allied() -> None:
    """(1.9, 3.2)"""
    for owner, arrived in (("allied", {BOARD["B19.18"]: 4}), ("axis", {})):
        g = war({}, "allied reinforcement", **{owner: ["B19.18"]})
        campaign.receive(g, ALLIED)
        assert g.state.allied_sp == arrived


# Arrivals


def test_units_arrive_in_tripoli_and_at_alexandria() -> None:
    """(2.7, 2.10, 3.2, Axis Order of Arrival, Allied Order of Arrival)"""
    g = war({"Turn Record Track": ["361 Inf Rgt/90 Le", "288 Inf Rgt", "150 Bde/50 Inf"]}, allied=["B19.18"])
    campaign.arrive(g, AXIS)
    campaign.arrive(g, ALLIED)
    assert [where(g, unit) for unit in ("361 Inf Rgt/90 Le", "288 Inf Rgt", "150 Bde/50 Inf")] == [
        "Tripoli Box", "Turn Record Track", "B19.18",
    ]  # fmt: skip


def test_what_is_due_while_alexandria_is_axis_is_lost() -> None:
    """(3.2)"""
    g = war({"Turn Record Track": ["150 Bde/50 Inf"]}, axis=["B19.18"])
    campaign.arrive(g, ALLIED)
    assert where(g, "150 Bde/50 Inf") == "Out of Play"


def test_units_that_arrive_capture_an_enemy_dump_at_alexandria() -> None:
    """The Axis had driven 4 SPs into the empty port; a 6 takes 3 of them (1.8, 3.2)."""
    units = {"Turn Record Track": ["5 SA Bde/1 SA"], "B5.15": ["5 Pz Rgt/5 Le"]}
    g = war(units, "allied reinforcement", 9, allied=["B19.18"], dice=[6])
    dumps.add(g, AXIS, ALEXANDRIA, 4)
    decision = drive(g, campaign.reinforcement_phase(g, ALLIED))
    assert decision is not None
    assert (decision.kind, decision.side) == ("supply.displace", AXIS)
    assert (g.state.allied_sp[ALEXANDRIA], g.state.axis_sp) == (4 + 3, {})


def test_lehr_leaves_when_ramcke_comes() -> None:
    """Also from the dead pile, and it is not rebuilt (2.9)."""
    g = war({"Turn Record Track": ["Ramcke Bde"], "A32.18": ["Lehr Para Bn"]}, turn=24)
    campaign.arrive(g, AXIS)
    assert (where(g, "Ramcke Bde"), where(g, "Lehr Para Bn")) == ("Tripoli Box", "Out of Play")
    g = war({"Turn Record Track": ["Ramcke Bde"], "Axis Dead Pile": ["Lehr Para Bn [steps 0]"]}, turn=24)
    campaign.arrive(g, AXIS)
    assert rule_of(replacements.why_not_replaced(g, AXIS, NUMBER["Lehr Para Bn"])) == "2.9"


def test_kg_hecker_may_replace_san_marco_on_turn_21() -> None:
    """In its place, or in Tripoli if it is dead (2.8)."""
    for place, then in (("A32.18", "A32.18"), ("Axis Dead Pile", "Tripoli Box")):
        g = war({place: ["San Marco Bn"]}, turn=21)
        drive(g, campaign.exchange(g), ["KG Hecker"])
        assert (where(g, "KG Hecker"), where(g, "San Marco Bn")) == (then, "Out of Play")
    g = war({"A32.18": ["San Marco Bn"]}, turn=21)
    drive(g, campaign.exchange(g), ["done"])
    assert where(g, "San Marco Bn") == "A32.18"
    assert rule_of(campaign.why_not_exchanged(war({"A32.18": ["San Marco Bn"]}, turn=22))) == "2.8"


def test_kg_hecker_lands_from_tripoli() -> None:
    """(2.8)"""
    m = Match.at(war({"Tripoli Box": ["KG Hecker"]}, "axis movement", turn=22))
    m.play(["KG Hecker", "landing", "A45.21"])
    assert (where(m, "KG Hecker"), m.state.landed) == ("A45.21", 1)


# Replacements


def test_the_axis_table_gives_steps_and_they_are_used_at_once() -> None:
    """A roll of 4 is 3; any unit may regain any number of them (1.11, 1.11a)."""
    g = war({"A32.18": ["5 Pz Rgt/5 Le [steps 1]", "Pavia Div [steps 3]"]}, dice=[1, 3])
    g.state.todo["steps"] = replacements.variable(g, AXIS)
    drive(g, replacements.replace(g, AXIS), ["5 Pz Rgt/5 Le", "5 Pz Rgt/5 Le", "Pavia Div"])
    assert (steps(g, "5 Pz Rgt/5 Le"), steps(g, "Pavia Div")) == (3, 4)
    assert "steps" not in g.state.todo


def test_a_unit_in_a_zone_regains_nothing() -> None:
    """Nor does one without losses (1.11a)."""
    g = war({"A32.18": ["5 Pz Rgt/5 Le [steps 1]"], "A32.19": ["6 NZ Bde/2 NZ"], "A20.20": ["Pavia Div"]})
    assert rule_of(replacements.why_not_replaced(g, AXIS, NUMBER["5 Pz Rgt/5 Le"])) == "1.11a"
    assert rule_of(replacements.why_not_replaced(g, AXIS, NUMBER["Pavia Div"])) == "1.11"


def test_a_dead_unit_is_rebuilt_next_to_a_dump_or_in_a_box_with_points() -> None:
    """With as many steps as are spent; ZOCs on the dump do not matter (1.11b, SCS 11.5)."""
    units = {"Axis Dead Pile": ["5 Pz Rgt/5 Le [steps 0]"], "A32.20": ["6 NZ Bde/2 NZ"]}
    g = war(units)
    dumps.add(g, AXIS, BOARD["A32.19"], 1)
    dumps.add(g, AXIS, TRIPOLI, 1)
    havens = {BOARD.name(place) for place in replacements.havens(g, AXIS, NUMBER["5 Pz Rgt/5 Le"])}
    assert havens == {"Tripoli Box", "A32.18", "A33.19", "A31.19"}
    g.state.todo["steps"] = 2
    drive(g, replacements.replace(g, AXIS), ["5 Pz Rgt/5 Le", "A32.18", "5 Pz Rgt/5 Le"])
    assert (where(g, "5 Pz Rgt/5 Le"), steps(g, "5 Pz Rgt/5 Le")) == ("A32.18", 2)
    assert rule_of(replacements.why_not_haven(g, AXIS, NUMBER["Pavia Div"], BOARD["A33.20"])) == "1.11b"


def test_recam_is_not_rebuilt_before_it_arrives() -> None:
    """(5.2, 1.11b)"""
    g = Match(RULES, "rommel", dice=SeededDice(1)).game
    assert rule_of(replacements.why_gone(g, NUMBER["Recam Grp"])) == "1.11b"


# Withdrawals


def test_the_allied_table_withdraws_units() -> None:
    """A 2 takes two infantry brigades; they return by replacement steps alone (1.11c, 3.3)."""
    g = war({"A32.18": ["6 NZ Bde/2 NZ", "5 NZ Bde/2 NZ", "4 Arm Bde/7 Arm", "Polish Bde"]}, dice=[1, 1])
    assert replacements.variable(g, ALLIED) == 0
    drive(g, replacements.withdraw(g, ALLIED), ["6 NZ Bde/2 NZ", "Polish Bde"])
    assert where(g, "6 NZ Bde/2 NZ") == where(g, "Polish Bde") == "Allied Dead Pile"
    dumps.add(g, ALLIED, BOARD["A40.15"], 1)
    assert replacements.why_not_replaced(g, ALLIED, NUMBER["Polish Bde"]) is None


def test_the_big_withdrawal_is_used_twice() -> None:
    """Six brigades, one of which may be armoured; then a step (3.3)."""
    g = war({}, dice=[1, 2, 1, 2, 1, 2])
    assert [replacements.variable(g, ALLIED) for _ in range(3)] == [0, 0, 1]
    assert g.state.withdrawals == 2


def test_units_in_zones_are_withdrawn_only_if_there_are_no_others() -> None:
    """And a kind that is not there is ignored (3.3)."""
    units = {"A32.18": ["6 NZ Bde/2 NZ"], "A32.19": ["Pavia Div"], "A50.15": ["Polish Bde"]}
    g = war(units)
    assert rule_of(replacements.why_not_withdrawn(g, ALLIED, "infantry", NUMBER["6 NZ Bde/2 NZ"])) == "3.3"
    g.state.todo["infantry"] = 2
    g.state.todo["artillery_or_reconnaissance"] = 1
    drive(g, replacements.withdraw(g, ALLIED))
    assert where(g, "6 NZ Bde/2 NZ") == where(g, "Polish Bde") == "Allied Dead Pile"


# Rommel


@pytest.mark.parametrize(("dice", "place"), [([2, 2], "Turn Record Track"), ([2, 3], "A32.18")])
def test_rommel_is_called_away_on_four_or_less(dice: list[int], place: str) -> None:
    """And returns on the next turn, when he is not rolled for (2.4)."""
    g = war({"A32.18": ["Pavia Div", "Rommel"]}, dice=dice)
    campaign.recall(g)
    assert where(g, "Rommel") == place
    if place == "Turn Record Track":
        g.state.turn += 1
        campaign.arrive(g, AXIS)
        assert where(g, "Rommel") == "Tripoli Box"
        campaign.recall(g)
        assert where(g, "Rommel") == "Tripoli Box"


def test_rommel_arrives_on_turn_6() -> None:
    """(2.4, Axis Order of Arrival)"""
    g = Match(RULES, "italian-offensive", dice=SeededDice(1)).game
    for turn, place in ((5, "Turn Record Track"), (6, "Tripoli Box")):
        g.state.turn = turn
        campaign.arrive(g, AXIS)
        assert where(g, "Rommel") == place


def test_rommel_flies_from_tripoli_to_the_front() -> None:
    """(2.3)"""
    m = Match.at(war({"Tripoli Box": ["Rommel"], "A32.18": ["Pavia Div"]}, "axis movement"))
    m.play(["Rommel", "A32.18"])
    assert where(m, "Rommel") == "A32.18"


@pytest.mark.parametrize(("face", "place"), [(6, "Out of Play"), (5, "Turn Record Track"), (4, "A32.18")])
def test_the_raid_on_rommel(face: int, place: str) -> None:
    """Once in a game; the LRDG is spent (3.4, 3.5)."""
    units = {"A32.18": ["Pavia Div", "Rommel"], "A50.10": ["LRDG Grp"]}
    m = Match.at(war(units, "allied movement", dice=[face]))
    m.play(["raid"])
    assert (where(m, "Rommel"), where(m, "LRDG Grp"), m.state.raided) == (place, "Allied Dead Pile", 1)
    assert refused(m, "raid") == "3.5"
    if face == 5:
        assert m.state.rommel_returns == 13


def test_no_raid_while_rommel_is_away() -> None:
    """(3.5)"""
    g = war({"Turn Record Track": ["Rommel"], "A50.10": ["LRDG Grp"]}, "allied movement")
    assert rule_of(campaign.why_not_raid(g)) == "3.5"
    assert "raid" not in legal(Match.at(g))


# Victory


def test_sudden_death_needs_alexandria_and_cairo() -> None:
    """One hex of Cairo, with no Allied unit in another (5.1)."""
    both = {"B19.18": ["Pavia Div"], "B29.11": ["Bologna Div"]}
    assert victory.has_egypt(war(both))
    assert not victory.has_egypt(war(both | {"B28.10": ["6 NZ Bde/2 NZ"]}))
    g = war(both)
    drive(g, victory.sudden_death(g))
    assert g.state.result is not None
    assert g.state.result.winner == AXIS


LIBYA = {"A47.20": ["6 NZ Bde/2 NZ"], "A39.23": ["Polish Bde"], "B1.18": ["4 NZ Bde/2 NZ"]}
"""What the Allies hold to win."""


@pytest.mark.parametrize(
    ("units", "winner"),
    [
        ({"A47.20": ["Pavia Div"], "A39.23": ["Bologna Div"], "A13.23": ["Brescia Div"]}, AXIS),
        (LIBYA, ALLIED),
        ({"A47.20": ["6 NZ Bde/2 NZ"]}, NOWHERE),
        ({**LIBYA, "B19.18": ["Pavia Div"], "B29.11": ["Bologna Div"]}, AXIS),
    ],
)
def test_the_end_of_the_campaign(units: dict[str, list[str]], winner: int) -> None:
    """With Alexandria and Cairo the Axis wins whoever holds Libya (5.1, 5.2)."""
    assert victory.campaign(war(units))[0] == winner


@pytest.mark.parametrize("scenario", ["italian-offensive", "rommel"])
def test_a_random_campaign_comes_to_an_end(scenario: str) -> None:
    """(5.1, 5.2)"""
    m, chance, clicks = Match(RULES, scenario, dice=SeededDice(7)), random.Random(7), 0
    while m.decision is not None:
        m.click(m.decision.nth(chance.randrange(len(m.decision.legal))))
        clicks += 1
        assert clicks < 60_000
    assert m.state.result is not None
