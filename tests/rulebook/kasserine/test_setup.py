"""Starting the game (4.1, 4.2, 18), weather (5.1), command (15.1) and Reserve (8.2)."""

from __future__ import annotations

import random

import pytest

from khamsin import games
from khamsin.games.kasserine import stacking, victory, weather
from khamsin.games.kasserine.headquarters import commands, in_command
from khamsin.games.kasserine.reserve import allowance, disturb, put_in_reserve, why_not_reserve
from khamsin.games.kasserine.scenario import MOST_STRONGPOINTS, SETTINGS
from khamsin.games.kasserine.setup import edge_hexes
from khamsin.games.kasserine.support import fpf_hexes, nations_agree
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    CLOUDY,
    DEPLOYED,
    DRY,
    FORCES,
    FORMATION,
    HALVES,
    HEXES,
    HQS,
    NUMBER,
    RAIN,
    SIDE,
    TWO_MODES,
    name,
)
from khamsin.games.kasserine.zones import in_enemy_zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import EVERYONE
from tests.rulebook.kasserine.table import begun, flags, game, match, where


def test_there_are_three_scenarios() -> None:
    """One of them is chosen; each begins in a turn of its own and ends by its own conditions (4.1.1, 18.1, 18.2, 18.3)."""
    scenarios = games.load("kasserine").scenarios
    assert {name: entry.title for name, entry in scenarios.items()} == {
        "faid": "Faid Pass",
        "campaign": "Kasserine Campaign",
        "decide": "The Axis Decide",
    }
    assert [begun(name).state.turn + 1 for name in scenarios] == [1, 1, 11]
    assert [victory.rule_of(SETTINGS[name]) for name in scenarios] == ["18.1.5", "18.2.7", "18.3.5"]


@pytest.mark.parametrize("scenario", SETTINGS)
def test_everybody_begins_on_land_within_stacking_and_apart_from_the_enemy(scenario: str) -> None:
    """The set-up cards of each scenario (4.1.1, 4.1.3, 4.1.4, 18.1.3, 18.2.3, 18.3.3)."""
    match = begun(scenario)
    assert not match.rules.find_fault(match.game)
    area = BOARD.areas["Faid Pass scenario area"].hexes if scenario == "faid" else range(HEXES)
    for unit in FORCES[AXIS] + FORCES[ALLIED]:
        location = match.state.where[unit]
        assert not 0 <= location < HEXES or (location in area and BOARD.enterable(location))
        assert not (TWO_MODES[unit] and 0 <= location < HEXES and in_enemy_zone(match.game, SIDE[unit], location))


@pytest.mark.parametrize(("scenario", "first", "last"), [("faid", 1, 6), ("campaign", 1, 18), ("decide", 11, 18)])
def test_a_scenario_has_its_turns(scenario: str, first: int, last: int) -> None:
    """Length, and play that begins with the Strategic Segment (18.1.1, 18.2.1, 18.3.1, 4.1.8, 4.3)."""
    match = begun(scenario)
    done, chance = match.rules.button("done"), random.Random(0)
    while match.decision is not None:
        match.click(done if done in match.decision.legal else chance.choice(list(match.decision.legal)))
    assert match.events[0].rule
    assert match.over
    assert match.state.turn == last
    assert SETTINGS[scenario].first == first


def test_the_sequence_of_play() -> None:
    """Four segments and their phases, in order (4.3.1)."""
    match = begun("campaign")
    state = match.state.copy()
    assert [phase.name for phase in match.rules.phases(state)] == ["allied set-up", "axis set-up"]
    state.turn = 1
    names = [phase.name for phase in match.rules.phases(state)]
    assert names[:4] == ["weather", "supply status", "reinforcements", "joint air"]
    own = ("movement", "combat declaration", "reaction", "combat", "reserve movement")
    assert names[4:9] == [f"{'allied' if word == 'reaction' else 'axis'} {word}" for word in own]
    assert names[9:14] == [f"{'axis' if word == 'reaction' else 'allied'} {word}" for word in own]
    assert names[14:] == ["recovery", "victory determination"]


def test_reinforcements_wait_on_the_turn_track() -> None:
    """Each by its turn of arrival; units of other scenarios are not in the game (4.1.6, 5.2.1)."""
    g = begun("campaign").game
    assert where(g, "HQ DAK") == "GT 7"
    assert where(g, "899 A") == "GT 18"
    assert where(g, "I/2 RTA") == ""
    assert where(g, "B-25") == "GT 17"
    assert where(g, "Ju87 a") == "Axis Ready Box"


def test_units_begin_at_the_strength_of_the_card() -> None:
    """The Grants of 13th Armored are reduced (4.1.3, 4.1.4)."""
    g = begun("campaign").game
    assert g.state.steps[NUMBER["D/13a"]] == 1
    assert g.state.steps[NUMBER["A/13a"]] == 2


def test_strongpoints_and_garrisons_are_placed_as_the_card_says() -> None:
    """Markers of the set-up (4.1.5, 18.2.3)."""
    g = begun("campaign").game
    assert g.state.strongpoint[BOARD["6324"]] == AXIS
    assert g.state.strongpoint[BOARD["5823"]] == ALLIED
    assert g.state.release[NUMBER["D/1a"]] == 2
    assert NUMBER["1/133"] in SETTINGS["campaign"].together
    assert not begun("faid").game.state.strongpoint
    assert MOST_STRONGPOINTS == (8, 12)


def test_the_faid_scenario_has_no_works_and_no_air_base_on_the_map() -> None:
    """Special restrictions (18.1.4, 4.1.7)."""
    assert not SETTINGS["faid"].works
    assert begun("faid").state.where[NUMBER["XII ASC"]] == NOWHERE


def test_the_owner_chooses_modes_before_the_first_turn() -> None:
    """Guns in either mode (4.1.4, 18.0)."""
    match = begun("campaign")
    assert "deployed" in flags(match.game, "91 FA")
    match.play(["91 FA", "change mode"])
    assert "deployed" not in flags(match.game, "91 FA")
    assert all(
        match.state.flags[u] & DEPLOYED for u in FORCES[AXIS] if TWO_MODES[u] and 0 <= match.state.where[u] < HEXES
    )


def test_the_owner_lays_markers_within_range_and_takes_them_back() -> None:
    """Fire Support may be assigned before play (4.1.4, 10.3.4)."""
    match = begun("campaign")
    match.click(NUMBER["91 FA fire"])
    assert set(match.legal_by_class()["hexes"]) == {"5526", "5626", "5726", "5823", "5829"}
    match.play(["5726"])
    assert where(match.game, "91 FA fire") == "5726"
    match.play(["5726"])
    assert where(match.game, "91 FA fire") == "Allied Ready Box"


def test_red_box_units_may_begin_in_reserve() -> None:
    """Near an HQ (4.1.5, 18.0)."""
    match = begun("campaign")
    assert NUMBER["A/6a"] not in match.decision.legal  # type: ignore[union-attr]
    match.play(["H/1a", "reserve"])
    assert "reserve" in flags(match.game, "H/1a")


def test_the_axis_chooses_how_its_two_groups_enter() -> None:
    """Option A puts both in assembly areas, B brings 21 Pz on at 6034 (18.2.4)."""
    match = begun("campaign")
    match.play(["done"])
    faid, fondouk = (BOARD.areas[f"{name} Assembly Area"].hexes for name in ("Faid", "Fondouk"))
    tenth, twenty_first = SETTINGS["campaign"].groups.values()
    assert all(match.state.where[u] in faid for u in tenth)
    assert {where(match.game, "HQ 21 Pz"), where(match.game, "1/5/21")} == {"Axis set-up card"}
    assert edge_hexes(match.game, NUMBER["1/5/21"]) == (BOARD["6034"],)
    match.play(["option A"])
    assert all(match.state.where[u] in fondouk for u in tenth)
    assert all(match.state.where[u] in faid for u in twenty_first)
    assert stacking.overfull(match.game, AXIS) == []


def test_a_group_is_placed_at_will_within_its_assembly_area() -> None:
    """Any hex of the area, within stacking (18.2.4)."""
    match = begun("campaign")
    match.play(["done", "1/501"])
    open_ = set(match.legal_by_class()["hexes"])
    assert open_
    assert open_ < {"6424", "6425", "6523", "6524", "6525", "6526"}
    match.play(["6526"])
    assert where(match.game, "1/501") == "6526"


def test_the_prompt_names_only_what_can_be_chosen() -> None:
    """A gun of the card keeps its hex: only its mode is chosen (4.1.4, 18.0)."""
    match = begun("faid")
    match.play(["done", "1/609 Flak"])
    assert match.decision is not None
    assert match.decision.prompt == "Prepare 1/609 Flak: choose its mode"


def test_the_south_edge_is_where_the_cards_say() -> None:
    """Eleven hexes from 1933 to 2933 (18.2.5)."""
    g = begun("campaign").game
    assert len(edge_hexes(g, NUMBER["HQ DAK"])) == 11
    assert SETTINGS["campaign"].arrivals[NUMBER["1/26"]].place == BOARD["1016"]
    assert SETTINGS["campaign"].arrivals[NUMBER["2 CGd"]].place == BOARD["Le Kef"]


def test_the_corps_reserve_has_six_units_for_six_turns() -> None:
    """One a turn at Maktar and Ousseltia (18.2.5)."""
    cards = SETTINGS["campaign"]
    assert len(cards.reserve) == len(cards.reserve_turns) == 6
    assert set(cards.reserve_turns.values()) == {BOARD["Maktar"], BOARD["Ousseltia"]}


def test_the_third_scenario_takes_the_arrivals_of_the_second_from_turn_11() -> None:
    """And the Axis holds Sbeitla and Sidi bou Zid (18.3.2, 18.3.4)."""
    second, third = SETTINGS["campaign"].arrivals, SETTINGS["decide"].arrivals
    assert third == {unit: arrival for unit, arrival in second.items() if arrival.turn >= 11}
    control = begun("decide").state.control
    assert [control[BOARD[hex]] for hex in ("4420", "5726", "2809")] == [AXIS, AXIS, ALLIED]


@pytest.mark.parametrize(("die", "turn", "condition"), [(3, 16, CLOUDY), (1, 16, DRY), (6, 13, RAIN)])
def test_a_die_gives_the_weather_of_the_turn(die: int, turn: int, condition: int) -> None:
    """One roll for the whole map (2.4, 5.1, 5.1.1, example 17 weather)."""
    g = game({}, phase="weather", turn=turn, dice=[die])
    assert list(weather.weather(g)) == []
    assert g.state.weather == condition


def test_the_weather_may_be_that_of_history() -> None:
    """No die (5.1.6)."""
    g = game({}, phase="weather", turn=12, options={"weather": "historical"})
    assert weather.condition(g) == RAIN
    assert g.rolls == []


def test_the_third_scenario_begins_cloudy() -> None:
    """No die on turn 11 (18.3.4)."""
    g = game({}, phase="weather", turn=11, scenario="decide")
    assert weather.condition(g) == CLOUDY
    assert g.rolls == []


@pytest.mark.parametrize(("hex", "stays"), [("1417", True), ("5034", False)])
def test_the_first_rain_removes_a_tiger_that_is_off_the_roads(hex: str, stays: bool) -> None:
    """And only the first (16.3.2)."""
    g = game({hex: ["1/501"]}, phase="weather", turn=13, dice=[6])
    assert list(weather.weather(g)) == []
    assert g.state.rained
    assert (where(g, "1/501") == hex) == stays


def test_command_reaches_four_hexes_whatever_lies_between() -> None:
    """Not from a box or a card (15.1.1, 15.1.2)."""
    g = game({"2809": ["HQ Nick"], "2812": ["1/7/10"], "Maktar": ["HQ 1"]})
    assert in_command(g, ALLIED, BOARD["2813"])
    assert not in_command(g, ALLIED, BOARD["2814"])
    assert not in_command(g, AXIS, BOARD["2813"])


def test_each_hq_of_a_formation_has_its_own_range() -> None:
    """The 1st Armored has three (15.0, 15.1.1)."""
    hqs = [unit for unit in HQS[ALLIED] if FORMATION[unit] == "1st Armored"]
    assert [name(unit) for unit in hqs] == ["HQ CCA", "HQ CCC", "HQ CCB"]
    g = game({"2809": ["HQ CCA"], "5131": ["HQ CCB"], "2813": ["A/1a"], "5133": ["H/1a"], "4020": ["G/1a"]})
    assert [commands(g, NUMBER[unit]) for unit in ("A/1a", "H/1a", "G/1a")] == [True, True, False]


def test_a_french_hq_puts_no_british_unit_into_reserve() -> None:
    """Others it does (16.5.1, 15.2.1)."""
    g = game({"2123": ["HQ Constantine"], "2124": ["A-1 DY", "A/1a"]})
    assert not commands(g, NUMBER["A-1 DY"])
    assert commands(g, NUMBER["A/1a"])


def test_who_may_be_in_reserve() -> None:
    """A red box, near an HQ, in no enemy zone, at most half its MP spent, no HQ (8.2.2, 15.2.1)."""
    units = {
        "5131": ["HQ 10 Pz", "1/7/10", "I/104B", "2/7/10 [spent 9]", "3/7/10 [spent 10]"],
        "5125": ["5/7/10"],
        "5133": ["6/7/10"],
        "5234": ["2/26"],
    }
    g = game(units)
    able = {
        unit
        for names in units.values()
        for unit in (n.split(" [")[0] for n in names)
        if why_not_reserve(g, NUMBER[unit]) is None
    }
    assert able == {"1/7/10", "2/7/10"}


def test_reserve_is_lost_at_once_in_an_enemy_zone() -> None:
    """As when an enemy moves next to it (8.2.5)."""
    g = game({"5131": ["HQ 10 Pz", "1/7/10"]})
    put_in_reserve(g, NUMBER["1/7/10"])
    g.state.where[NUMBER["2/26"]] = BOARD["5132"]
    disturb(g, AXIS)
    assert "reserve" not in flags(g, "1/7/10")


@pytest.mark.parametrize(("die", "left"), [(6, {"reserve"}), (1, set())])
def test_reserve_is_lost_when_a_wadi_dries_that_kept_an_enemy_zone_off(die: int, left: set[str]) -> None:
    """Between 0103 and 0203 none crosses in Rain; the Weather Phase changes that at once (5.1.1, 3.2.2, 8.2.5)."""
    units = {"0103": ["1+2/86/10"], "0203": ["C-2 Loth [reserve]"]}
    found = match(units, phase="weather", turn=13, weather=RAIN, rained=1, dice=[die])
    assert found.state.weather == (RAIN if left else DRY)
    assert flags(found.game, "C-2 Loth") & {"reserve"} == left


def test_out_of_supply_a_motorized_unit_has_two_points_less() -> None:
    """Not on foot, and not in the turn it comes on (6.4.1, 5.2.3, 6.3.2)."""
    g = game({"5131": ["1/7/10 [oos]", "I/104B [oos]", "2/7/10 [oos, entered]"]})
    assert [allowance(g, NUMBER[u]) // HALVES for u in ("1/7/10", "I/104B", "2/7/10")] == [7, 4, 9]


@pytest.mark.parametrize(
    ("markers", "agree"),
    [
        (["90/23 Fd", "F/12 RHA", "450/71 Fd"], True),
        (["33 FA"], True),
        (["33 FA", "175 FA"], False),
        (["33 FA", "I-67 (-)"], False),
        (["33 FA", "90/23 Fd"], True),
        (["33 FA", "90/23 Fd", "F/12 RHA"], False),
        (["1/90/10", "2/90/10", "1/131"], True),
    ],
)
def test_nations_limit_final_protective_fire(markers: list[str], agree: bool) -> None:
    """One US or French gun a combat, and one British with it (10.5.2, example 10.5.2)."""
    assert nations_agree([NUMBER[f"{name} fire"] for name in markers]) == agree


def test_range_is_counted_to_the_supported_hex() -> None:
    """The gun's own hex is not counted (10.1.2)."""
    g = game({"2810": ["90/23 Fd [deployed]"], "2814": ["10 RB (-)"], "2815": ["2/5 Lei (+)"]})
    assert {BOARD.name(hex) for hex in fpf_hexes(g, NUMBER["90/23 Fd fire"])} == {"2810", "2814"}


def test_the_enemy_does_not_learn_whose_marker_goes_back_before_play() -> None:
    """A gun that changes its mode takes its marker back unseen (10.3.4, 4.1.4)."""
    match = begun("decide")
    match.play(["91 FA fire"])
    hex = next(iter(match.legal_by_class()["hexes"]))
    match.play([hex, "91 FA", "change mode"])
    assert where(match.game, "91 FA fire") == "Allied Ready Box"
    heard = [match.game.text(event) for event in match.events if event.to in (AXIS, EVERYONE)]
    assert f"A Fire Support marker is taken back from {hex}" in heard
    assert not any("91 FA fire" in text for text in heard)
