"""Ground movement (7), infiltration (8.1), and who is put into Reserve (8.2)."""

from __future__ import annotations

import pytest

from khamsin.games.kasserine import RULES, zones
from khamsin.games.kasserine.display import DISPLAY
from khamsin.games.kasserine.paths import INFILTRATION, ONE_HEX
from khamsin.games.kasserine.units import ALLIED, AXIS, BOARD, CLOUDY, DRY, HEXES, NUMBER, RAIN, STOPPED, name
from tests.rulebook.kasserine.moves import spent, ways, why
from tests.rulebook.kasserine.table import begun, flags, match, refused, where

THALA = {
    "2811": ["10 RB (-)", "450/71 Fd [deployed]"],
    "2910": ["2/5 Lei (+)"],
    "3010": ["C-2 Loth [reserve]"],
    "2810": ["C-17/21 L [reserve]", "90/23 Fd [deployed]", "F/12 RHA [deployed]"],
    "2809": ["HQ Nick"],
    "2812": ["7/7/10"],
    "2912": ["2/K10/10", "1/90/10", "HQ 10 Pz"],
    "2913": ["5+6/69/10", "7+8/69/10", "1/7/10"],
    "3012": ["1+2/86/10", "3+4/86/10", "1/90 Pzjg"],
    "3112": ["2/90 Pzjg", "605 Pzjg"],
}
"""The two sides before Thala at the beginning of the Axis Movement Phase of GT 16."""


def test_the_axis_moves_before_thala() -> None:
    """2/K10/10 joins 2812, the gun deploys where it stands, groups come next to the enemy, the SP units deploy beside him, and
    one unit is held in Reserve (example 17 movement, 7.0, 7.1.1, 7.6.2, 7.6.3, 8.2, 8.2.1)."""
    found = match(THALA, weather=CLOUDY)
    found.play(["2/K10/10", "2812"])
    assert ways(found, "1/90/10")["change mode"] == 2
    found.play(["change mode"])
    assert "deployed" in flags(found.game, "1/90/10")
    assert spent(found, "1/90/10") == 2
    found.play(["5+6/69/10", "7+8/69/10", "1/7/10", "2911"])
    found.play(["1+2/86/10", "3+4/86/10", "3011"])
    found.play(["2/90 Pzjg", "605 Pzjg", "3110", "2/90 Pzjg", "change mode", "605 Pzjg", "change mode"])
    assert {where(found.game, unit) for unit in ("2/90 Pzjg", "605 Pzjg")} == {"3110"}
    assert {"deployed", "stopped"} <= flags(found.game, "605 Pzjg")
    found.play(["done", "1/90 Pzjg", "done"])
    assert "reserve" in flags(found.game, "1/90 Pzjg")
    assert found.phase.name == "axis combat declaration"
    assert found.state.todo == {}
    assert not any(found.state.spent)


def test_a_reserve_is_roused_by_the_enemy_beside_it() -> None:
    """C-2 Loth loses its Reserve status at once, has its zone again, and so stops who came (example 17 reserve lost, 8.2.5,
    7.2.1)."""
    found = match(THALA, weather=CLOUDY)
    assert not zones.zone(found.game, ALLIED)[BOARD["3110"]]
    found.play(["2/90 Pzjg", "3110"])
    assert "reserve" not in flags(found.game, "C-2 Loth")
    assert zones.zone(found.game, ALLIED)[BOARD["3110"]]
    assert "stopped" in flags(found.game, "2/90 Pzjg")


def test_nobody_passes_by_a_reserve_that_it_would_rouse() -> None:
    """The zone comes back the moment he is beside it, so he stops there; a unit without a zone rouses nobody (7.2.1, 8.2.5)."""
    position = {"3431": ["C-2 Loth [reserve]"], "3433": ["1/7/10", "HQ 10 Pz"]}
    open_ = ways(match(position), "1/7/10")
    assert open_["3432"] == 1
    assert open_["3429"] == 6  # not by 3331 and 3330, which would be 5
    found = match(position)
    found.state.spent[NUMBER["1/7/10"]] = 8
    ways(found, "1/7/10")
    assert why(found, "3429") == ("7.2.1", "C-2 Loth")
    assert ways(match(position), "HQ 10 Pz")["3429"] == 5


@pytest.mark.parametrize("clicks", [["0104"], ["0204", "I/104B", "0104"]])
def test_a_reserve_is_roused_by_who_passes_it_in_one_click_as_in_two(clicks: list[str]) -> None:
    """Infantry has C-2 Loth in its zone from 0204, over a wadi that tanks do not cross, and so is not stopped; from 0104 it has
    not (3.2.2, 8.2.5)."""
    found = match({"0304": ["I/104B"], "0203": ["C-2 Loth [reserve]"]}, turn=3)
    found.play(["I/104B", *clicks])
    assert where(found.game, "I/104B") == "0104"
    assert "reserve" not in flags(found.game, "C-2 Loth")


def test_who_leaves_a_zone_does_not_pass_a_reserve_or_a_strongpoint_into_another_either() -> None:
    """From 3033 the way round to 3132 leads by 3133, where a Reserve or an empty strongpoint stops armour
    (7.2.1, 7.2.2, 8.2.5, 14.1.2)."""
    position = {"3033": ["1/7/10"], "3032": ["1/168"]}
    assert ways(match(position), "1/7/10")["3132"] == "1½"
    for found in (
        match(position | {"3234": ["C-2 Loth [reserve]"]}),
        match(position, strongpoints={"allied": ["3133"]}),
    ):
        open_ = ways(found, "1/7/10")
        assert "3133" in open_
        assert open_["3132"] == INFILTRATION


def test_infiltration_before_thala() -> None:
    """2711 lies in the zone of 2811, across the escarpment; from 2812 it is entered straight for all points
    (example 17 infiltration, 8.1, 8.1.1)."""
    position = {"2811": ["10 RB (-)"], "2812": ["7/7/10"], "2610": ["A-2 Loth"]}
    found = match(position | {"2712": ["1/7/10"], "2612": ["2/5 Lei (+)"]}, weather=CLOUDY)
    assert ways(found, "7/7/10")["2711"] == INFILTRATION
    found.play(["2711"])
    assert where(found.game, "7/7/10") == "2711"
    assert spent(found, "7/7/10") == 9
    assert "stopped" in flags(found.game, "7/7/10")
    assert why(found, "7/7/10")[0] == "7.2.1"


def test_the_way_round_a_zone() -> None:
    """From 6022 to 6021 not straight, but by 5921, which is in no zone (example 7.2, 7.2.2)."""
    found = match({"6022": ["Waters"], "6121": ["1/7/10"]}, phase="allied movement")
    open_ = ways(found, "Waters")
    assert open_["5921"] == 1
    assert open_["6021"] == 2


def test_a_unit_of_small_allowance_does_not_infiltrate() -> None:
    """Only one of 5 or more; supply does not matter; a towed gun never does (8.1.2)."""
    shut = {"6121": ["1/7/10"], "5921": ["2/7/10"]}
    found = match(shut | {"6022": ["Waters"]}, phase="allied movement")
    assert "6021" not in ways(found, "Waters")
    assert why(found, "6021")[0] == "8.1.2"
    slow = match(shut | {"6022": ["1/168 [oos]"]}, phase="allied movement")
    assert ways(slow, "1/168")["6021"] == INFILTRATION
    gun = match(shut | {"6022": ["33 FA", "Waters"], "6021": ["1/168"]}, phase="allied movement")
    assert "6021" not in ways(gun, "33 FA")
    assert why(gun, "6021")[0] == "8.1.2"


def test_who_has_moved_does_not_infiltrate() -> None:
    """It starts the phase in the zone, and spends its whole allowance (8.1.1)."""
    found = match({"6022": ["1/168"], "6121": ["1/7/10"], "5921": ["2/7/10"]}, phase="allied movement")
    found.state.spent[NUMBER["1/168"]] = 1
    assert "6021" not in ways(found, "1/168")
    assert why(found, "6021")[0] == "8.1.1"


def test_infiltration_needs_the_points_for_the_hex() -> None:
    """The allowance must cover the usual cost: up the escarpment into hills 5 in Dry weather, 7 in Rain (8.1.3)."""
    position = {"2711": ["5 RE [oos]"], "2812": ["1/7/10"], "2709": ["3/7/10"]}
    assert ways(match(position, phase="allied movement"), "5 RE")["2811"] == INFILTRATION
    wet = match(position, phase="allied movement", weather=RAIN)
    assert "2811" not in ways(wet, "5 RE")


def test_nobody_infiltrates_into_a_strongpoint() -> None:
    """An active enemy one; by one-hex movement or for the points it may be entered (8.1.4, 14.1.2)."""
    position = {"6022": ["1/168"], "6121": ["1/7/10"], "5921": ["2/7/10"]}
    found = match(position, phase="allied movement", strongpoints={"axis": ["6021"]})
    assert "6021" not in ways(found, "1/168")
    assert ways(match(position, phase="allied movement"), "1/168")["6021"] == INFILTRATION
    free = match({"6023": ["1/7/10"]}, strongpoints={"allied": ["6022"]})
    assert ways(free, "1/7/10")["6022"] == 3


def test_motorized_units_stop_in_an_enemy_strongpoint() -> None:
    """Others go on (14.1.2)."""
    found = match({"3633": ["1/7/10"], "3532": ["II/47"]}, strongpoints={"allied": ["3632"]})
    found.play(["1/7/10", "3632"])
    assert why(found, "1/7/10") == ("14.1.2", "3632")
    found.play(["II/47", "3632"])
    assert ways(found, "II/47")["3631"] == 1


def test_a_unit_stops_in_an_enemy_zone() -> None:
    """And cannot cross it; the answer names who bars the way (7.2.1)."""
    found = match({"3634": ["1/7/10"], "3731": ["1/168"]})
    found.state.spent[NUMBER["1/7/10"]] = 10
    open_ = ways(found, "1/7/10")
    assert open_["3632"] == 2
    assert "3630" not in open_
    assert why(found, "3630") == ("7.2.1", "1/168")
    found.play(["3632"])
    assert "1/7/10" not in found.names
    assert why(found, "1/7/10") == ("7.2.1", "1/168")


def test_friends_hinder_nobody() -> None:
    """Neither they nor their zones, however many (3.2.3, 7.1.4)."""
    alone = ways(match({"6025": ["1/7/10"]}), "1/7/10")
    among = ways(match({"6025": ["1/7/10"], "6024": ["2/7/10"], "5923": ["3/7/10"], "6124": ["4/7/10"]}), "1/7/10")
    assert among["6022"] == alone["6022"] == 3
    assert among.keys() == alone.keys()


def test_weather_changes_what_ground_costs_at_once() -> None:
    """Cloudy as Dry; with Rain the way is dearer, and when it is over it is not (5.1.2-4, 7.5.1)."""
    found = match({"1524": ["1/7/10"]})
    costs = []
    for weather in (DRY, CLOUDY, RAIN, DRY):
        found.state.weather = weather
        costs.append(ways(found, "1/7/10")["1624"])
        found.play(["cancel"])
    assert costs == [3, 3, 4, 3]


def test_nobody_enters_a_hex_with_enemies() -> None:
    """Friends are no hindrance, and cost nothing (7.1.4)."""
    found = match({"6025": ["1/7/10"], "6024": ["2/7/10"], "6021": ["1/168"]})
    open_ = ways(found, "1/7/10")
    assert "6021" not in open_
    assert why(found, "6021") == ("7.1.4", "1/168")
    assert open_["6024"] == 1
    assert open_["6023"] == 2


def test_points_are_not_exceeded() -> None:
    """The answer says what a hex costs and what is left (7.1.3)."""
    found = match({"3632": ["II/47"]})
    ways(found, "II/47")
    assert why(found, "3132") == ("7.1.3", "3132")
    assert found.explain(found.rules.parse("3132")).reason == "II/47 cannot move to 3132: it costs 5 MP, 4 left"


def test_a_unit_moves_once() -> None:
    """It may choose its way step by step, until another unit moves; then it has completed its movement (7.1.1, 7.1.3)."""
    found = match({"6025": ["1/7/10"], "6026": ["2/7/10"]})
    found.play(["1/7/10", "6024", "1/7/10", "6023"])
    assert spent(found, "1/7/10") == 2
    found.play(["2/7/10", "6025"])
    assert why(found, "1/7/10") == ("7.1.3", "1/7/10")
    assert "2/7/10" in found.names
    assert found.restarted() == found.decision


def test_a_move_can_be_taken_back() -> None:
    """Nothing is rolled or shown by moving (7.1.3)."""
    found = match({"6025": ["1/7/10"]})
    before = found.state.digest()
    found.play(["1/7/10", "6024"])
    found.undo()
    assert found.state.digest() == before


def test_a_stack_has_the_allowance_of_its_slowest_unit() -> None:
    """Also when it has dropped that unit, which has then completed its movement; it picks nobody up (7.1.2)."""
    found = match({"6025": ["1/7/10", "II/47"], "6023": ["2/7/10"]})
    found.play(["1/7/10", "II/47", "6023"])
    ways(found, "1/7/10")
    assert why(found, "2/7/10") == ("7.1.2", "2/7/10")
    assert "6020" not in found.names
    found.play(["6022"])
    assert why(found, "II/47")[0] == "7.1.3"
    assert found.state.todo["points left to the moving stack"] == 2


def test_units_of_a_stack_move_away_one_by_one() -> None:
    """As long as it has not moved (7.1.2)."""
    found = match({"6025": ["1/7/10", "2/7/10"]})
    found.play(["1/7/10", "6024", "2/7/10", "6026"])
    assert (where(found.game, "1/7/10"), where(found.game, "2/7/10")) == ("6024", "6026")


def test_yellow_circles_move_as_motorized_units() -> None:
    """They cross a wadi only by bridge or ford, and never react (7.1.5, 7.3.3)."""
    found = match({"0103": ["1/19 Eng"], "0102": ["1/18"]}, phase="allied movement")
    found.state.spent[NUMBER["1/19 Eng"]] = 8
    ways(found, "1/19 Eng")
    assert why(found, "0203") == ("7.3.3", "0203")
    assert ways(match({"0103": ["1/18"]}, phase="allied movement"), "1/18")["0203"] == 2


def test_untried_units_move_and_stay_untried() -> None:
    """By the allowance on that side (7.1.6)."""
    found = match({"3632": ["A24 [untried, quality 1]"]})
    open_ = ways(found, "A24")
    assert open_["3232"] == 4
    found.play(["3232"])
    assert "untried" in flags(found.game, "A24")


def test_a_road_is_cheaper_than_its_ground() -> None:
    """Over a wadi only by its bridge (7.3.2, 7.3.4, example 7.3.1)."""
    found = match({"3622": ["I/3 RSA"]}, phase="allied movement")
    open_ = ways(found, "I/3 RSA")
    assert open_["3623"] == "½"
    assert open_["3721"] == "½"
    assert open_["3624"] == "1½"
    assert open_["3625"] == "3½"
    assert "3626" not in open_
    assert why(found, "3626") == ("7.1.3", "3626")


def test_mountains_stop_those_who_climb() -> None:
    """Armour only by road; a unit on foot may enter and stops; a mountain unit need not (7.3.5, 16.6.1, 16.6.2)."""
    found = match({"3625": ["1/7/10", "II/47"], "3624": []})
    ways(found, "1/7/10")
    assert why(found, "3626") == ("7.3.5", "3626")
    found.play(["cancel", "II/47", "3626"])
    assert why(found, "II/47") == ("7.3.5", "3626")
    guide = match({"3625": ["Sau"]}, phase="allied movement")
    assert ways(guide, "Sau")["3626"] == 2
    guide.play(["3626"])
    assert "stopped" not in flags(guide.game, "Sau")


def test_a_group_of_climbers_stops_but_for_mountain_units() -> None:
    """Together they stop; who need not may go on alone (7.1.2, 16.6.1)."""
    found = match({"3625": ["Sau", "1/168"]}, phase="allied movement")
    found.play(["Sau", "1/168", "3626"])
    assert "stopped" in flags(found.game, "1/168")
    assert "stopped" not in flags(found.game, "Sau")


def test_a_unit_may_always_move_one_hex() -> None:
    """In its Movement Phase, if it has spent nothing, though it has too few points; not where it may not go at all (7.4.1,
    7.4.2, 7.4.3)."""
    position = {"3625": ["I/104B", "1/7/10"]}
    forts = {"allied": ["3626"]}
    assert ways(match(position, weather=RAIN, strongpoints=forts), "I/104B")["3626"] == ONE_HEX
    later = match(position, weather=RAIN, strongpoints=forts)
    later.state.spent[NUMBER["I/104B"]] = 2
    assert "3626" not in ways(later, "I/104B")
    tank = match(position, weather=RAIN, strongpoints=forts)
    assert "3626" not in ways(tank, "1/7/10")
    assert why(tank, "3626") == ("7.3.5", "3626")


def test_one_hex_movement_takes_all_points() -> None:
    """Into a strongpoint on a mountain in Rain, which costs more than there is, and no further (7.4.2, 14.1.2)."""
    found = match({"3625": ["I/104B"]}, weather=RAIN, strongpoints={"allied": ["3626"]})
    assert ways(found, "I/104B")["3626"] == ONE_HEX
    found.play(["3626"])
    assert spent(found, "I/104B") == 4
    assert why(found, "I/104B")[0] in ("7.3.5", "7.1.3")


def test_artillery_moves_in_march_mode() -> None:
    """Two points to change, one for SP, and what is left to move (7.6, 7.6.1, 7.6.2)."""
    found = match({"3732": ["1/90/10 [deployed]", "1/242 StuG [deployed]"]})
    assert set(ways(found, "1/90/10")) == {"1/90/10", "change mode", "cancel"}
    assert why(found, "3632") == ("7.6.1", "1/90/10")
    found.play(["change mode"])
    open_ = ways(found, "1/90/10")
    assert open_["3232"] == 5
    assert "3132" not in open_
    assert why(found, "change mode")[0] == "7.6.2"
    assert ways(match({"6025": ["1/242 StuG [deployed]"]}), "1/242 StuG")["change mode"] == 1


def test_sp_guns_change_twice_and_towed_ones_once() -> None:
    """In a Segment (7.6.2, 7.6.3)."""
    found = match({"6025": ["1/242 StuG [deployed]"]})
    found.play(["1/242 StuG", "change mode", "1/242 StuG", "6024", "1/242 StuG", "change mode"])
    assert "deployed" in flags(found.game, "1/242 StuG")
    assert found.state.changed[NUMBER["1/242 StuG"]] == 2
    assert why(found, "1/242 StuG") == ("7.6.1", "1/242 StuG")


def test_a_change_of_mode_costs_more_under_interdiction() -> None:
    """Four points, two for SP; in woods as usual (11.2.6, 11.2.7)."""
    position = {"2912": ["1/90/10", "1/242 StuG", "Hurricane [interdicting]"]}
    assert ways(match(position), "1/90/10")["change mode"] == 4
    assert ways(match(position), "1/242 StuG")["change mode"] == 2
    woods = {"4520": ["1/90/10", "Hurricane [interdicting]"]}
    assert ways(match(woods), "1/90/10")["change mode"] == 2


def test_a_towed_gun_leaves_a_zone_only_past_a_friend() -> None:
    """Alone it may go to March mode and stays; with a friend both may leave; SP guns need none (7.6.2, 7.6.3)."""
    alone = match({"6022": ["1/90/10 [deployed]"], "6121": ["1/168"]})
    alone.play(["1/90/10", "change mode"])
    assert why(alone, "1/90/10") == ("7.6.2", "1/168")
    friend = match({"6022": ["1/90/10", "II/47"], "6121": ["1/168"]})
    friend.play(["1/90/10", "5922", "II/47", "5921"])
    assert where(friend.game, "1/90/10") == "5922"
    together = match({"6022": ["1/90/10", "II/47"], "6121": ["1/168"]})
    assert "5922" in ways(together, "1/90/10", "II/47")
    guns = match({"6022": ["1/90/10", "2/90/10"], "6121": ["1/168"]})
    assert "5922" not in ways(guns, "1/90/10", "2/90/10")
    driven = match({"6022": ["1/242 StuG"], "6121": ["1/168"]})
    assert "5922" in ways(driven, "1/242 StuG")


def test_a_towed_gun_enters_a_zone_only_onto_a_friend() -> None:
    """And does not change mode there; SP guns may enter and deploy (7.6.2, 7.6.3)."""
    position = {"6024": ["1/90/10", "1/242 StuG"], "6022": ["II/47"], "6121": ["1/168"]}
    found = match(position)
    open_ = ways(found, "1/90/10")
    assert "6022" in open_
    assert "6122" not in open_
    assert why(found, "6122") == ("7.6.2", "1/168")
    found.play(["6022"])
    assert why(found, "1/90/10") == ("7.2.1", "1/168")
    found.play(["1/242 StuG", "6122", "1/242 StuG", "change mode"])
    assert "deployed" in flags(found.game, "1/242 StuG")


def test_the_air_base_moves_as_a_towed_gun() -> None:
    """In March mode, which costs it two points (16.7.1)."""
    found = match({"2730": ["XII ASC [deployed]"]}, phase="allied movement")
    assert ways(found, "XII ASC")["change mode"] == 2
    found.play(["change mode"])
    assert "2729" in ways(found, "XII ASC")
    found.play(["2729"])
    assert "deployed" not in flags(found.game, "XII ASC")


def test_a_gun_that_marches_gives_up_its_support() -> None:
    """Its marker goes back to the Ready Box (7.6.2, 10.1.3)."""
    found = match({"6025": ["1/90/10 [deployed]"], "6024": ["II/47", "1/90/10 fire [face down]"]})
    found.play(["1/90/10", "change mode"])
    assert where(found.game, "1/90/10 fire") == "Axis Ready Box"


def test_motorized_units_out_of_supply_have_two_points_less() -> None:
    """Others have all, and in the turn of entry these too (6.4.1, 5.2.3)."""
    found = match({"3232": ["1/7/10 [oos]"]})
    assert "4032" not in ways(found, "1/7/10")
    assert "3932" in found.names
    assert "3632" in ways(match({"3232": ["II/47 [oos]"]}), "II/47")
    assert "4032" in ways(match({"3232": ["1/7/10 [oos, entered]"]}), "1/7/10")


@pytest.mark.parametrize(
    ("unit", "phase", "open_"),
    [
        ("D/1a", "allied movement", False),
        ("1/31", "axis movement", False),  # Italian
        ("1/7/10", "axis movement", True),  # German
        ("D/1a [oos]", "allied movement", True),
        ("D/1a [entered]", "allied movement", True),
        ("1/18", "allied movement", True),  # not motorized
    ],
)
def test_allied_and_italian_motorized_units_do_not_leave_supply(unit: str, phase: str, open_: bool) -> None:
    """3633 is too far from any road; Germans go there, and those who are out of supply already, have just entered, or go on
    foot (6.4.2, 5.2.3)."""
    found = match({"3632": [unit]}, phase=phase)
    assert ("3633" in ways(found, unit.split(" [")[0])) == open_
    if not open_:
        assert why(found, "3633") == ("6.4.2", "3633")


def test_a_garrison_stays() -> None:
    """Until its release; a gun may change its mode (18.2.3)."""
    found = match({"6006": ["1/133 [release 7]", "125 FA [deployed, release 7]"], "6005": ["2/135"]},
                  phase="allied movement", turn=2)  # fmt: skip
    assert "1/133" not in found.names
    assert why(found, "1/133") == ("18.2.3", "1/133")
    assert set(ways(found, "125 FA")) == {"125 FA", "change mode", "cancel"}


def test_who_builds_gives_up_the_works_by_leaving() -> None:
    """It may go (14.4.2)."""
    found = match({"6025": ["II/47 [building]"]})
    found.state.works[BOARD["6025"]] = AXIS
    found.play(["II/47", "6024"])
    assert found.state.works == {}


def test_rommel_moves_as_he_likes() -> None:
    """He is in no need of supply, and no combat unit (15.5.3, 7.0)."""
    found = match({"3232": ["Rommel"]})
    decision = found.decision
    assert decision is not None
    assert decision.why_not is not None
    assert [decision.why_not(found.game, decision, RULES.parse(click)) for click in ("Rommel", "3232")] == [None, None]
    assert ways(found, "Rommel")["4032"] == 8


def test_the_phase_does_not_end_on_too_full_a_stack() -> None:
    """Units may pass through any stack; who can leave must (3.3.2, 7.1.1, 7.1.4)."""
    found = match({"3633": ["II/104B"], "3632": ["II/47", "I/104B"]})
    open_ = ways(found, "II/104B")
    assert open_["3632"] == 1  # the infantry there can still make room
    assert open_["3631"] == 2
    found.play(["3632"])
    assert "done" not in found.names
    assert why(found, "done") == ("3.3.2", "3632")
    found.play(["II/47", "3631", "done"])
    assert found.state.turn == 17  # nothing else is asked


def test_the_end_of_movement_warns_of_too_full_a_stack() -> None:
    """Once no unit of it can leave (3.3.2, 3.3.3)."""
    done = RULES.button("done")
    crowd = ["II/104B", "II/47", "I/104B"]
    found = match({"3632": crowd, "3731": ["MG 8"]})
    assert DISPLAY.warnings(found.game, found.decision) == {}
    assert "done" not in found.names
    for unit in crowd:
        found.state.flags[NUMBER[unit]] |= STOPPED
    found.play(["MG 8", "3730"])
    assert DISPLAY.warnings(found.game, found.decision) == {done: "Too many units in 3632: the excess is eliminated"}
    found.play(["done"])
    assert found.decision.kind == "stacking.excess"


def test_nobody_ends_where_no_room_can_be_made() -> None:
    """The answer names the limit (3.3.2)."""
    found = match({"6025": ["1/7/10"], "6024": ["II/47", "I/104B", "5+6/69/10"]})
    for unit in ("II/47", "I/104B", "5+6/69/10"):
        found.state.flags[NUMBER[unit]] |= STOPPED
    assert "6024" not in ways(found, "1/7/10")
    assert why(found, "6024") == ("3.3.2", "6024")


def test_who_may_be_put_into_reserve() -> None:
    """A red box, an HQ near, no enemy zone, no more than half the points spent; never an HQ (8.2, 8.2.2, 15.2.1)."""
    position = {
        "6025": ["1/7/10", "2/7/10", "HQ 10 Pz", "II/47", "1/90/10"],
        "6030": ["3/7/10"],
        "6024": ["4/7/10"],
        "6222": ["1/168"],
        "6122": ["8/7/10"],
    }
    found = match(position)
    found.play(["2/7/10", "6020", "1/7/10", "6026", "done"])
    assert set(found.names) == {"1/7/10", "4/7/10", "done"}
    assert why(found, "2/7/10") == ("8.2.2", "2/7/10")
    assert why(found, "3/7/10") == ("8.2.2", "6030")
    assert why(found, "8/7/10") == ("8.2.2", "1/168")
    assert why(found, "II/47") == ("8.2.2", "II/47")
    assert why(found, "HQ 10 Pz") == ("15.2.1", "HQ 10 Pz")
    found.play(["1/7/10"])
    assert "reserve" in flags(found.game, "1/7/10")
    assert found.restarted() == found.decision
    found.play(["1/7/10"])
    assert "reserve" not in flags(found.game, "1/7/10")


def test_a_unit_in_reserve_that_moves_is_in_reserve_no_more() -> None:
    """It may be put there again (8.2.5, 8.2.2)."""
    found = match({"6025": ["1/7/10 [reserve]", "HQ 10 Pz"]})
    found.play(["1/7/10", "6024"])
    assert "reserve" not in flags(found.game, "1/7/10")
    found.play(["done"])
    assert "1/7/10" in found.names


COMMANDO = {"commando": "on"}
LINE = {"6024": ["vKoenen"], "6121": ["1/168"], "5921": ["3/26"], "6221": ["2/26"]}


def test_the_commando_goes_through_zones() -> None:
    """By agreement it need not stop, and for each zone after the first it must pass the Retreat Table (16.4, 16.4.1)."""
    found = match(LINE, options=COMMANDO, dice=[3, 4])
    found.play(["vKoenen", "6022"])
    assert found.game.rolls == []
    assert "stopped" not in flags(found.game, "vKoenen")
    found.play(["vKoenen", "6021"])
    assert len(found.game.rolls) == 1
    assert where(found.game, "vKoenen") == "6021"
    found.play(["vKoenen", "5920"])
    assert where(found.game, "vKoenen") == "Axis out of play"


@pytest.mark.parametrize("enemies", [{}, {"0114": ["1/168"]}])
def test_mountains_stop_the_commando_as_they_do_others(enemies: dict[str, list[str]]) -> None:
    """In an enemy zone or not; only zones do not stop it (7.3.5, 16.4.1)."""
    found = match({"0116": ["vKoenen"]} | enemies, options=COMMANDO)
    found.play(["vKoenen", "0115"])
    assert bool(zones.zone(found.game, ALLIED)[BOARD["0115"]]) == bool(enemies)
    assert "stopped" in flags(found.game, "vKoenen")
    assert why(found, "vKoenen") == ("7.3.5", "0115")


def test_a_strongpoint_stops_the_commando_as_it_does_others() -> None:
    """(14.1.2, 16.4.1)"""
    found = match({"3433": ["vKoenen"]}, options=COMMANDO, strongpoints={"allied": ["3432"]})
    found.play(["vKoenen", "3432"])
    assert "stopped" in flags(found.game, "vKoenen")
    assert why(found, "vKoenen") == ("14.1.2", "3432")


def test_without_the_agreement_the_commando_stops() -> None:
    """As all do (16.4.1, 7.2.1)."""
    found = match(LINE)
    found.play(["vKoenen", "6022"])
    assert why(found, "vKoenen")[0] == "7.2.1"


def test_the_commando_may_infiltrate_as_others_do() -> None:
    """For all its points, without a roll (8.1.1, 16.4.1)."""
    position = LINE | {"6024": [], "6022": ["vKoenen"]}
    found = match(position, options=COMMANDO)
    found.play(["vKoenen", "infiltrate", "6021"])
    assert found.game.rolls == []
    assert spent(found, "vKoenen") == 9


def test_the_commando_infiltrates_from_zone_to_zone() -> None:
    """Every hex is open or has its reason, and the button is shut where no hex is open (8.1.1, 16.4.1)."""
    position = LINE | {"6024": [], "6022": ["vKoenen"]}
    found = match(position, options=COMMANDO)
    found.play(["vKoenen", "infiltrate"])
    question = found.decision
    assert question is not None
    assert question.why_not is not None
    for hex in range(HEXES):
        click = found.rules.units + hex
        assert (question.why_not(found.game, question, click) is None) == (click in question.legal), BOARD.name(hex)
    assert refused(found.game, question, "5510")[0] == "8.1.1"
    found = match({"6024": ["vKoenen"]}, options=COMMANDO)
    found.play(["vKoenen"])
    assert found.explain(found.rules.button("infiltrate")).rule == "8.1.1"
    found = match({"6024": ["1/7/10"]}, options=COMMANDO)
    found.play(["1/7/10"])
    assert found.explain(found.rules.button("infiltrate")).rule == "16.4.1"


@pytest.mark.parametrize("scenario", ["faid", "campaign", "decide"])
def test_every_scenario_comes_to_its_movement(scenario: str) -> None:
    """And a unit can be moved there (7.0)."""
    found = begun(scenario)
    while "movement" not in found.phase.name:
        found.play(["done" if "done" in found.names else found.names[0]])
    assert found.decision is not None
    unit = next(click for click in found.decision.legal if found.game.is_unit(click))
    found.click(unit)
    assert "cancel" in found.names


def test_why_a_unit_does_not_infiltrate() -> None:
    """A strongpoint, or ground that is too dear, not its allowance (8.1.3, 8.1.4)."""
    fort = match(
        {"6022": ["1/168"], "6121": ["1/7/10"], "5921": ["2/7/10"], "6123": ["3/7/10"]},
        phase="allied movement",
        strongpoints={"axis": ["6021"]},
    )
    ways(fort, "1/168")
    assert why(fort, "6021") == ("8.1.4", "6021")
    position = {"2711": ["5 RE [oos]"], "2812": ["1/7/10"], "2709": ["3/7/10"]}
    wet = match(position, phase="allied movement", weather=RAIN)
    ways(wet, "5 RE")
    assert why(wet, "2811") == ("8.1.3", "2811")


def test_an_hq_that_passes_a_tiger_beside_a_reserve_is_stopped() -> None:
    """The HQ alone has no ZOC; with the Tiger, whose own keeps to roads, it ends the Reserve: in one click as hex by hex
    (3.2.4, 7.2.1, 8.2.5, 16.3.2)."""
    position = {"2023": ["HQ 10 Pz"], "1922": ["1/501"], "1921": ["C-2 Loth [reserve]"]}
    found = match(position, rained=1)
    assert "reserve" in flags(found.game, "C-2 Loth")
    assert ways(found, "HQ 10 Pz")["1823"] == 5  # by 1922 it would be 2½
    found.state.spent[NUMBER["HQ 10 Pz"]] += 12
    found.play(["cancel", "HQ 10 Pz"])
    assert why(found, "1821") == ("7.2.1", "C-2 Loth")
    found.play(["1922"])
    assert "reserve" not in flags(found.game, "C-2 Loth")
    assert "stopped" in flags(found.game, "HQ 10 Pz")


def test_a_hex_selects_its_stack_and_a_button_the_formation() -> None:
    """Units move together as a stack (7.1.2)."""
    found = match({"3433": ["1/7/10", "2/7/10", "1/5/21"]})
    found.play(["3433"])
    assert found.decision is not None
    assert [name(unit) for unit in found.decision.about] == ["1/7/10", "2/7/10", "1/5/21"]
    found.play(["cancel", "1/7/10", "formation"])
    assert found.decision is not None
    assert [name(unit) for unit in found.decision.about] == ["1/7/10", "2/7/10"]
    assert why(found, "formation") == ("7.1.2", "1/7/10")
