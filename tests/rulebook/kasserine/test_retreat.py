"""Retreats after combat (13.3), through enemy zones (13.4) and by evasion (9.2.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from khamsin.games.kasserine import results, retreat, supply
from khamsin.games.kasserine.ground import stops
from khamsin.games.kasserine.units import ALLIED, ASSAULT, AXIS, BOARD, FOOT, MOBILE, NUMBER, RAIN, G
from khamsin.kernel.rules import Decision
from khamsin.mechanics.retreat import Retreat, paths
from tests.rulebook.kasserine.fights import fight
from tests.rulebook.kasserine.table import drive, flags, game, refused, south_to_come, where


def struck(
    units: Mapping[str, Sequence[str]], attackers: Sequence[str], hexes: Sequence[str], result: str = "DR",
    table: int = ASSAULT, clicks: Sequence[str] = (), **more: object,
) -> tuple[G, Decision | None]:  # fmt: skip
    """A combat with this result, and the question it comes to."""
    g = game(units, **more)  # type: ignore[arg-type]
    return g, drive(g, results.apply(g, fight(g, attackers, hexes, table), result), clicks)


def hexes(g: G, question: Decision | None) -> set[str]:
    """The hexes that are open, or nothing if no retreat is asked for."""
    if question is None or question.rule.startswith("13.5"):
        return set()
    return {g.rules.names[click] for click in question.legal if not g.is_unit(click)}


def why(g: G, question: Decision | None, click: str) -> tuple[str, str]:
    """By which rule a click is not open, and what causes it."""
    return refused(g, question, click)


SOUTH = {"5131": ["A/6a"], "5132": ["1/7/10"]}
"""An American in the plain, attacked from the south; his source is in the north."""


def test_an_assault_pushes_one_hex_or_two_and_a_mobile_attack_two() -> None:
    """(13.3.1, 13.3)"""
    g, question = struck(SOUTH, ["1/7/10"], ["5131"])
    assert hexes(g, question) == {"5130", "5031", "5129", "5230", "5030", "4931", "4930"}
    assert why(g, question, "5127") == ("13.3.1", "5127")
    g, question = struck(SOUTH, ["1/7/10"], ["5131"], table=MOBILE)
    assert hexes(g, question) == {"5129", "5230", "5030", "4931", "4930"}


def test_two_hexes_are_two_hexes_away() -> None:
    """Not one hex on and one back beside the start (13.3.2)."""
    g, question = struck(SOUTH, ["1/7/10"], ["5131"], table=MOBILE)
    assert why(g, question, "5130") == ("13.3.2", "5130")


def test_a_unit_without_so_long_a_retreat_is_lost() -> None:
    """A free hex of one is not enough when two are required (13.3.2, 13.3)."""
    ring = {"5130": ["1/7/10"], "5231": ["33 FA"], "5132": ["2/7/10"], "5330": ["3/7/10"], "5332": ["4/7/10"]}
    units = {"5131": ["2/26"]} | ring
    g, _ = struck(units, ["1/7/10"], ["5131"])
    assert where(g, "2/26") == "5231"
    g, _ = struck(units, ["1/7/10"], ["5131"], table=MOBILE)
    assert where(g, "2/26") == "Allied out of play"


def test_attackers_retreat_from_the_hex_they_attacked() -> None:
    """And end two hexes from it (13.3.2, 13.3)."""
    g, question = struck({"5131": ["A/6a"], "5130": ["1/7/10"]}, ["1/7/10"], ["5131"], "A1R")
    assert question is not None
    assert question.side == AXIS
    assert all(BOARD.distance(BOARD[hex], BOARD["5131"]) >= 2 for hex in hexes(g, question))
    assert why(g, question, "5231") == ("13.3.2", "5231")


@pytest.mark.parametrize(("way", "rommel"), [("5130", "5132"), ("5031", "5130")])
def test_the_owner_chooses_the_way_where_it_matters_what_he_passes(way: str, rommel: str) -> None:
    """In any combination of directions: over Rommel, who gets away, or round him (13.3.2, 15.5.3)."""
    units = SOUTH | {"5130": ["Rommel"]}
    g, question = struck(units, ["1/7/10"], ["5131"], table=MOBILE, clicks=["5030"])
    assert question is not None
    assert (question.rule, hexes(g, question)) == ("13.3.2", {"5130", "5031"})
    assert why(g, question, "5129") == ("13.3.2", "5129")
    g, _ = struck(units, ["1/7/10"], ["5131"], table=MOBILE, clicks=["5030", way])
    assert (where(g, "A/6a"), where(g, "Rommel")) == ("5030", rommel)


def test_a_way_past_an_enemy_gun_is_the_owners_choice() -> None:
    """Whichever of its markers lies where, which he cannot know (10.3.6, 13.3.2)."""
    units = SOUTH | {"5231": ["1/90/10 [deployed]"], "5132": ["1/7/10", "1/90/10 fire [face down]"]}
    _, question = struck(units, ["1/7/10"], ["5131"], table=MOBILE, clicks=["5030"])
    assert question is not None
    assert question.rule == "13.3.2"
    _, question = struck(SOUTH, ["1/7/10"], ["5131"], table=MOBILE, clicks=["5030"])
    assert question is not None
    assert question.rule.startswith("13.5")


@pytest.mark.parametrize(("way", "left"), [("5130", {"reserve"}), ("5031", set())])
def test_a_way_past_an_enemy_reserve_is_the_owners_choice(way: str, left: set[str]) -> None:
    """Who comes into a zone is in Reserve no more (8.2.5, 13.3.2)."""
    units = SOUTH | {"4931": ["3/7/10 [reserve]"]}
    g, question = struck(units, ["1/7/10"], ["5131"], table=MOBILE, clicks=["5030"])
    assert question is not None
    assert (question.rule, hexes(g, question)) == ("13.3.2", {"5130", "5031"})
    g, _ = struck(units, ["1/7/10"], ["5131"], table=MOBILE, clicks=["5030", way])
    assert flags(g, "3/7/10") & {"reserve"} == left


def test_stacks_may_split_up_or_go_together() -> None:
    """(13.3.2)"""
    units = {"5131": ["A/6a", "B/6a"], "5132": ["1/7/10"]}
    g, _ = struck(units, ["1/7/10"], ["5131"], clicks=["A/6a", "5129", "4930"])
    assert [where(g, unit) for unit in ("A/6a", "B/6a")] == ["5129", "4930"]
    g, _ = struck(units, ["1/7/10"], ["5131"], clicks=["5030"])
    assert {where(g, unit) for unit in ("A/6a", "B/6a")} == {"5030"}


def test_nobody_opens_a_way_for_another_and_then_goes_himself() -> None:
    """B/6a stands in a zone next to A/6a and retreats as well, so its hex is no way out (13.3.3)."""
    ring = {"5130": ["1/7/10"], "5132": ["2/7/10"]}
    g, question = struck({"5131": ["A/6a"], "5031": ["2/26"]} | ring, ["1/7/10"], ["5131"])
    assert "5031" in hexes(g, question)
    g, question = struck({"5131": ["1/168"], "5031": ["2/26"]} | ring, ["1/7/10"], ["5131", "5031"])
    assert where(g, "1/168") == "Allied out of play"


def test_a_retreat_is_required_though_nobody_can_follow() -> None:
    """(13.3.3)"""
    g, _ = struck(SOUTH | {"5132": ["1/90/10"]}, ["1/90/10"], ["5131"], "A1/DR", clicks=["5030"])
    assert (where(g, "1/90/10"), where(g, "A/6a")) == ("Axis out of play", "5030")


def test_a_retreat_ends_within_the_stacking_limit() -> None:
    """It may pass through a full hex (13.3.4)."""
    full = SOUTH | {"5130": ["2/26", "3/26", "D/13a", "E/13a"]}
    g, question = struck(full, ["1/7/10"], ["5131"])
    assert "5130" not in hexes(g, question)
    assert why(g, question, "5130") == ("13.3.4", "5130")
    assert "5129" in hexes(g, question)


def test_who_finds_no_room_is_lost() -> None:
    """Nobody is removed to make room (13.3.4)."""
    units = {
        "5131": ["2/26", "1/168"], "5130": ["1/7/10"], "5132": ["2/7/10"], "5330": ["3/7/10"], "5332": ["4/7/10"],
        "5231": ["3/26", "D/13a"],
    }  # fmt: skip
    g, _ = struck(units, ["1/7/10"], ["5131"], clicks=["1/168"])
    assert [where(g, unit) for unit in ("1/168", "2/26")] == ["5231", "Allied out of play"]


def test_enemy_zones_are_entered_only_where_a_friend_stands() -> None:
    """(13.3.5)"""
    ring = {"5131": ["2/26"], "5130": ["1/7/10"], "5132": ["2/7/10"]}
    g, question = struck(ring, ["1/7/10"], ["5131"])
    assert where(g, "2/26") == "Allied out of play"
    g, question = struck(ring | {"5031": ["33 FA"]}, ["1/7/10"], ["5131"])
    assert hexes(g, question) == {"5031", "4931", "4930"}
    assert why(g, question, "5032") == ("13.3.5", "2/7/10")


def test_nobody_stops_under_an_attack() -> None:
    """One hex further, or not at all (13.3.6)."""
    units = {"5131": ["2/26"], "5130": ["1/7/10"], "5132": ["2/7/10"], "5031": ["33 FA"], "4931": ["3/26"]}
    g = game(units)
    battle = fight(g, ["1/7/10"], ["5131"])
    fight(g, ["2/7/10"], ["5031"])
    question = drive(g, results.apply(g, battle, "DR"), [])
    assert "5031" not in hexes(g, question)
    assert why(g, question, "5031") == ("13.3.6", "5031")
    fight(g, ["2/7/10"], ["4931"])
    g = game(units)
    battle = fight(g, ["1/7/10"], ["5131"], MOBILE)
    fight(g, ["2/7/10"], ["4931", "4930"])
    open_ = hexes(g, drive(g, results.apply(g, battle, "DR"), []))
    assert open_
    assert open_.isdisjoint({"4931", "4930"})
    assert all(BOARD.distance(BOARD["5131"], BOARD[hex]) == 3 for hex in open_)


def test_closed_hexsides_enemies_boxes_and_the_edge() -> None:
    """(13.3.7)"""
    g, question = struck({"3010": ["C-2 Loth"], "3110": ["1/7/10"], "2909": ["2/26"]}, ["1/7/10"], ["3010"])
    assert why(g, question, "3009") == ("13.3.7", "3009")
    assert why(g, question, "3110") == ("13.3.7", "1/7/10")
    assert why(g, question, "Le Kef") == ("13.3.7", "Le Kef")
    g, question = struck({"4419": ["A/6a"], "4520": ["1/7/10"]}, ["1/7/10"], ["4419"], scenario="faid", turn=3)
    assert all(int(hex[2:]) > 17 and int(hex[:2]) > 40 for hex in hexes(g, question))
    assert why(g, question, "4417") == ("13.3.7", "4417")


def test_rain_closes_wadis_to_vehicles() -> None:
    """(13.3.7)"""
    units = {"5625": ["A/6a"], "5624": ["1/7/10"]}
    g, _ = struck(units, ["1/7/10"], ["5625"], result="D1R")
    dry = retreat.reaches(g, NUMBER["A/6a"])[BOARD["5625"]]
    g, _ = struck(units, ["1/7/10"], ["5625"], result="D1R", weather=RAIN)
    wet = retreat.reaches(g, NUMBER["A/6a"])[BOARD["5625"]]
    assert BOARD["5626"] in dry
    assert BOARD["5626"] not in wet


def test_a_retreat_leads_towards_supply() -> None:
    """Nearer to the source if it can, else as near; further or out of supply only without another way (13.3.8)."""
    g, question = struck(SOUTH, ["1/7/10"], ["5131"])
    source = BOARD["4401"]
    here = BOARD.distance(BOARD["5131"], source)
    assert all(BOARD.distance(BOARD[hex], source) < here for hex in hexes(g, question))
    assert why(g, question, "5231")[0] in ("13.3.5", "13.3.8")
    g, question = struck({"5131": ["A/6a"], "5130": ["1/7/10"], "4931": ["2/7/10"]}, ["1/7/10"], ["5131"])
    assert all(BOARD.distance(BOARD[hex], source) >= here for hex in hexes(g, question))
    assert hexes(g, question)


def test_supply_is_that_of_the_place_when_all_have_left() -> None:
    """The hex in an enemy zone that A/6a leaves opens no route to the hexes behind it (6.2.4, 13.3.3, 13.3.8)."""
    units = {
        "3612": ["A/6a"], "3613": ["1/7/10"], "3810": ["2/7/10"], "3414": ["1+2/86/10"], "3911": ["3+4/86/10"],
        "3610": ["I/104B"],
    }  # fmt: skip
    g, question = struck(units, ["1/7/10"], ["3612"], phase="axis combat", turn=3)
    assert hexes(g, question) == {"3511", "3411"}
    assert why(g, question, "3711") == ("13.3.8", "3711")
    g, question = struck(units, ["1/7/10"], ["3612"], clicks=["3511"], phase="axis combat", turn=3)
    assert supply.supplied(g, NUMBER["A/6a"])


def test_a_friend_who_stays_keeps_the_route_open() -> None:
    """AT Fire drives the armour alone out of 3612, and past the infantry that stays there 3711 is supplied
    (6.2.4, 13.3.8, 16.1.5)."""
    units = {
        "3612": ["A/6a", "1/168"], "3613": ["1/7/10"], "3810": ["2/7/10"], "3414": ["1+2/86/10"], "3911": ["3+4/86/10"],
        "3610": ["I/104B"],
    }  # fmt: skip
    g = game(units, phase="axis combat", turn=3)
    tank, start = NUMBER["A/6a"], BOARD["3612"]
    assert BOARD["3711"] in retreat.ends(g, Retreat(ALLIED, (tank,), (start,), 1, 2), [tank])
    both = Retreat(ALLIED, (tank, NUMBER["1/168"]), (start, start), 1, 2)
    assert BOARD["3711"] not in retreat.ends(g, both, [tank])


def test_deployed_guns_are_lost_and_those_on_the_march_retreat() -> None:
    """(13.3.9)"""
    g, question = struck(SOUTH | {"5131": ["33 FA [deployed]"]}, ["1/7/10"], ["5131"])
    assert where(g, "33 FA") == "Allied out of play"
    g, question = struck(SOUTH | {"5131": ["33 FA"]}, ["1/7/10"], ["5131"])
    assert hexes(g, question)


def test_self_propelled_guns_retreat_and_march() -> None:
    """Their support elsewhere is given up (13.3.9)."""
    units = SOUTH | {"5131": ["168 cn [deployed]"], "5030": ["2/26", "168 cn fire [face down]"]}
    g, _ = struck(units, ["1/7/10"], ["5131"], clicks=["5129"])
    assert where(g, "168 cn") == "5129"
    assert "deployed" not in flags(g, "168 cn")
    assert where(g, "168 cn fire") == "Allied Ready Box"


def test_an_enemy_strongpoint_bars_a_retreat() -> None:
    """(14.2.5)"""
    g, question = struck(SOUTH, ["1/7/10"], ["5131"], strongpoints={"axis": ["5130"]})
    assert "5130" not in hexes(g, question)
    assert why(g, question, "5130") == ("14.2.5", "5130")


def test_the_south_edge_is_shut_to_a_retreat_before_the_axis_has_come() -> None:
    """As it is to movement (18.2.5)."""
    units = {"2532": ["A/6a"], "2531": ["1/7/10"], "2631": ["2/7/10"], "2432": ["1+2/86/10"]}
    g, question = struck(units, ["1/7/10"], ["2532"])
    assert hexes(g, question) == {"2633", "2732", "2733", "2434"}
    g, question = struck(units | south_to_come(), ["1/7/10"], ["2532"])
    assert hexes(g, question) == {"2633", "2732"}
    assert why(g, question, "2733") == ("18.2.5", "2733")


def test_foot_stops_on_a_mountain_and_vehicles_do_not() -> None:
    """A retreat on foot ends where it enters a mountain off the road (7.3.5)."""
    assert stops(FOOT, BOARD["2909"], BOARD.direction(BOARD["2909"], BOARD["3009"]))
    g = game({"2910": ["2/5 Lei (+)"], "2911": ["1/7/10"]})
    battle = fight(g, ["1/7/10"], ["2910"], MOBILE)
    open_ = hexes(g, drive(g, results.apply(g, battle, "DR"), []))
    assert "3009" in open_


def test_a_stack_goes_together_by_a_way_for_all() -> None:
    """Foot stops in the mountain 3009 that its vehicles could cross (7.3.5, 13.3.2)."""
    g = game({"2909": ["2/5 Lei (+)", "10 RB (-)"], "2910": ["1/7/10"]})
    foot, trucks = NUMBER["2/5 Lei (+)"], NUMBER["10 RB (-)"]
    fight(g, ["1/7/10"], ["2909"], MOBILE)
    start = BOARD["2909"]
    r = Retreat(ALLIED, (foot, trucks), (start, start), 2, 2)

    def over_the_mountain(*units: int) -> bool:
        return any(path[0] == BOARD["3009"] for path in paths(retreat.stack_plan(g, r, units)))

    assert over_the_mountain(trucks)
    assert not over_the_mountain(foot)
    assert not over_the_mountain(foot, trucks)


def test_a_long_retreat_is_not_an_evasion(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the tables drove units back by three hexes, surrounded vehicles would still break out (9.2.5, 13.4)."""
    monkeypatch.setitem(results.LENGTH, ASSAULT, (3, 3))
    g, _ = struck(SURROUNDED, ["2/26"], ["5825"], dice=[1])
    assert "Units in 5825 attempt to break out" in [g.text(event) for event in g.events]


SURROUNDED = {
    "5825": ["5+6/69/10"], "5824": ["2/26"], "5924": ["1/168"], "5826": ["3/26"], "5725": ["1/26"], "6025": ["1/7/10"],
}  # fmt: skip
"""The example: an Axis unit in 5825 among enemies."""


@pytest.mark.parametrize(("die", "end"), [(3, "6026"), (3, "6025"), (4, "Axis out of play")])
def test_a_motorized_unit_breaks_out_through_5925(die: int, end: str) -> None:
    """It loses a step, goes into the zone, and on Pass to a free hex or a friend; on Fail it is lost (example 13.4, 13.4,
    13.4.1, 13.4.4, 13.4.5, 13.4.6)."""
    clicks = ["5925", end] if end.isdigit() else ["5925"]
    g, _ = struck(SURROUNDED, ["2/26"], ["5825"], clicks=clicks, dice=[die])
    assert where(g, "5+6/69/10") == end
    assert "5+6/69/10 loses a step" in [g.text(event) for event in g.events]


def test_a_hex_that_is_no_way_through_is_explained() -> None:
    """Too far off, or held by the enemy (13.4.4)."""
    g, question = struck(SURROUNDED, ["2/26"], ["5825"])
    assert why(g, question, "6026") == ("13.4.4", "6026")
    assert why(g, question, "5924") == ("13.3.7", "1/168")


def test_a_friend_in_5925_makes_it_a_normal_retreat() -> None:
    """Without loss or die (example 13.4, 13.3.5)."""
    g, question = struck(SURROUNDED | {"5925": ["2/7/10"]}, ["2/26"], ["5825"])
    assert {"6025", "6026"} <= set(hexes(g, question))
    assert g.state.steps[NUMBER["5+6/69/10"]] == 2


def test_on_foot_nobody_breaks_out() -> None:
    """(13.4.2, example 13.4)"""
    g, _ = struck(SURROUNDED | {"5825": ["I/Jg"]}, ["2/26"], ["5825"])
    assert where(g, "I/Jg") == "Axis out of play"
    g, _ = struck(SURROUNDED | {"5825": ["1/90/10 [deployed]"]}, ["2/26"], ["5825"])
    assert where(g, "1/90/10") == "Axis out of play"
    g, _ = struck(SURROUNDED | {"5825": ["1/242 StuG [deployed]", "5+6/69/10"]}, ["2/26"], ["5825"],
                  clicks=["5+6/69/10", "5925", "6026"], dice=[1])  # fmt: skip
    assert where(g, "1/242 StuG") == "6026"
    assert "deployed" not in flags(g, "1/242 StuG")


def test_who_cannot_go_takes_the_loss_upon_himself() -> None:
    """And is lost in any case; the group is judged by one die and stays together (13.4.3, 13.4.4, 13.4.7)."""
    units = SURROUNDED | {"5825": ["I/Jg", "5+6/69/10", "2/7/10"]}
    g, _ = struck(units, ["2/26"], ["5825"], clicks=["5925", "6026"], dice=[1])
    assert where(g, "I/Jg") == "Axis out of play"
    assert {where(g, unit) for unit in ("5+6/69/10", "2/7/10")} == {"6026"}
    assert [g.state.steps[NUMBER[unit]] for unit in ("5+6/69/10", "2/7/10")] == [2, 2]
    assert len(g.rolls) == 1


def test_after_a_break_out_supply_is_judged_without_the_hexes_left_behind() -> None:
    """By 3706, in an enemy zone, no route would lead on from 3807 (13.4.6, 13.3.8)."""
    units = {
        "3705": ["A/6a"], "3806": ["1/7/10"], "3605": ["2/7/10"], "3704": ["1+2/86/10"], "4103": ["3+4/86/10"],
        "3304": ["3/7/10"], "3808": ["4/7/10"],
    }  # fmt: skip
    g, _ = struck(units, ["1/7/10"], ["3705"], clicks=["3706"], dice=[1], phase="axis combat", turn=3)
    assert where(g, "A/6a") == "3607"
    assert supply.supplied(g, NUMBER["A/6a"])


def test_still_in_a_zone_is_lost() -> None:
    """(13.4.6)"""
    units = SURROUNDED | {"6025": ["A/6a"], "6027": ["B/6a"]}
    g, _ = struck(units, ["2/26"], ["5825"], clicks=["5925"], dice=[1])
    assert where(g, "5+6/69/10") == "Axis out of play"
    assert "13.4.6" in {event.rule for event in g.events}


def test_evasion_is_three_hexes() -> None:
    """(9.2.4, 9.2.5, 13.3.1)"""
    g = game({"5131": ["A/81 Rn"], "5132": ["I/Jg"]})
    fight(g, ["I/Jg"], ["5131"])
    open_ = hexes(g, drive(g, retreat.evade(g, ALLIED, BOARD["5131"]), []))
    assert open_
    assert all(BOARD.distance(BOARD["5131"], BOARD[hex]) == 3 for hex in open_)


def test_evaders_among_enemy_zones_or_under_attack_are_lost() -> None:
    """They do not break out, and do not end under an attack (9.2.5)."""
    g = game({"5131": ["A/81 Rn"], "5132": ["1/7/10"], "5130": ["2/7/10"]})
    fight(g, ["1/7/10"], ["5131"])
    assert drive(g, retreat.evade(g, ALLIED, BOARD["5131"]), []) is None
    assert where(g, "A/81 Rn") == "Allied out of play"
    assert not g.rolls
    g = game({"5131": ["A/81 Rn"], "5132": ["I/Jg"], "5128": ["2/26"], "5127": ["II/Jg"]})
    fight(g, ["I/Jg"], ["5131"])
    fight(g, ["II/Jg"], ["5128"])
    question = drive(g, retreat.evade(g, ALLIED, BOARD["5131"]), [])
    assert "5128" not in hexes(g, question)
    assert why(g, question, "5128") == ("9.2.5", "5128")


def test_rommel_retreats_with_the_last_unit_of_his_hex() -> None:
    """(15.5.3)"""
    g, _ = struck({"5131": ["A/6a"], "5130": ["1/7/10", "Rommel"]}, ["1/7/10"], ["5131"], "A1R", clicks=["5230"])
    assert where(g, "Rommel") == where(g, "1/7/10") == "5230"
