"""Attack declaration (9.1, 12.1, 12.3, 12.4, 16.1.5)."""

from __future__ import annotations

import pytest

from khamsin.games.kasserine import declaration
from khamsin.games.kasserine.strength import may_attack
from khamsin.games.kasserine.units import ALLIED, AT_FIRE, AXIS, BOARD, MOBILE, NUMBER, RAIN, KasserineState
from khamsin.kernel import Match
from tests.rulebook.kasserine.fights import attack, said, thala, why
from tests.rulebook.kasserine.table import flags, game, match, where

DECLARE = "axis combat declaration"


def axis(units: dict[str, list[str]], **more: object) -> Match[KasserineState]:
    return match(units, phase=DECLARE, **more)


def targets(m: Match[KasserineState]) -> dict[str, int]:
    """The attacked hexes by name, each with the number of its combat."""
    return {BOARD.name(hex): number for hex, number in m.state.targets.items()}


def test_attacks_are_voluntary() -> None:
    """Units next to the enemy need not attack, and nothing is fought that was not declared (9.0, 9.1, 9.1.1, 12.1.4)."""
    m = axis({"5131": ["I/104B"], "5132": ["2/26"]}, turn=16)
    m.play(["done"])
    assert m.phase.name != "axis combat"
    assert m.state.targets == {}


def test_two_of_four_neighbours_attack() -> None:
    """B and D attack, A and C look on (9.1.1, 12.1.1, 12.1.2, example 9.1.1)."""
    m = axis({"5131": ["2/26"], "5130": ["I/104B"], "5231": ["II/104B"], "5232": ["MG 8"], "5132": ["I/Jg"]})
    attack(m, ["5131"], ["II/104B", "I/Jg"], "assault")
    assert targets(m) == {"5131": 1}
    assert "done" in m.names
    attacking = [unit for unit in ("I/104B", "II/104B", "MG 8", "I/Jg") if m.state.battle[NUMBER[unit]]]
    assert attacking == ["II/104B", "I/Jg"]


def test_only_neighbours_attack() -> None:
    """Every attacker is adjacent to every defender (9.1.1)."""
    m = axis({"5131": ["2/26"], "5130": ["I/104B"], "5129": ["II/104B"]})
    m.play(["5131"])
    assert why(m, "II/104B") == ("9.1.1", "5131")
    assert why(m, "5130") == ("9.1.6", "5130")


def test_declared_attacks_are_marked_with_their_table() -> None:
    """Each hex gets its marker, Assault or Mobile, until the combat is fought (9.1.2, 12.4)."""
    m = axis({"5131": ["2/26"], "5130": ["1/7/10", "I/104B"]})
    m.play(["5131", "mobile"])
    assert m.state.tables == {"1": MOBILE}
    assert said(m, "9.1.2") == ["5131 is attacked: mobile"]
    m.play(["5131"])
    assert m.state.targets == m.state.tables == {}


def test_no_unit_attacks_or_is_attacked_twice() -> None:
    """Neither a unit nor a hex is in two combats, and no strength is divided (9.1.3, 12.3.2, 12.3.3)."""
    m = axis({"5131": ["2/26"], "5130": ["1/7/10", "I/104B"], "5231": ["Repl I"]})
    attack(m, ["5131"], ["1/7/10"], "mobile")
    m.play(["5231"])
    assert "1/7/10" not in m.names
    assert why(m, "1/7/10") == ("9.1.3", "5131")
    assert why(m, "5131") == ("9.1.3", "5131")


@pytest.mark.parametrize(("defenders", "tables"), [(["2/26"], {"assault"}), (["2/26", "3/26"], set())])
def test_odds_may_not_be_too_long(defenders: list[str], tables: set[str]) -> None:
    """One attack point on 5 is 1-5 and enough, on 10 too little (9.1.4, 12.3.1)."""
    m = axis({"5131": defenders, "5130": ["I/91"]})
    m.play(["5131"])
    assert tables == set(m.names) & {"assault", "mobile"}
    if not tables:
        assert why(m, "assault") == ("9.1.4", "5131")


def test_the_mobile_table_goes_one_column_further() -> None:
    """1-6 will do for Mobile (9.1.4)."""
    m = axis({"5131": ["3 GGd"], "5130": ["3 AC"]})
    m.play(["5131"])
    assert "mobile" in m.names
    assert why(m, "assault") == ("9.1.4", "5131")


def test_an_untried_defender_counts_one_before_it_is_tried() -> None:
    """Whatever it has drawn (9.1.4)."""
    m = axis({"5131": [f"{unit} [untried, quality 1]" for unit in ("I/2 RTA", "II/2 RTA")], "5130": ["I/91"]})
    m.play(["5131"])
    assert "assault" in m.names


@pytest.mark.parametrize(
    ("box", "enough"), [("5131", True), ("5132", True), ("Allied Ready Box", True), ("Allied Used Box", False)]
)
def test_guns_that_may_fire_do_not_count_before_they_do(box: str, enough: bool) -> None:
    """Initial odds are before any Fire Support, wherever a hidden marker lies (9.1.4, 12.3.1)."""
    units = {"5131": ["2/26", "33 FA [deployed]"], "5130": ["I/91"], "5132": ["Repl I"]}
    marker = "33 FA fire" if box == "Allied Used Box" else "33 FA fire [face down]"
    m = axis(units | {box: [*units.get(box, []), marker]})
    m.play(["5131"])
    assert ("assault" in m.names) == enough


def test_in_rain_an_enemy_across_a_wadi_may_be_left_out() -> None:
    """Armour's zone does not cross it, so one of two may be attacked (9.1.5, 12.2.7, example 9.1.5)."""
    m = axis({"5132": ["I/104B"], "5133": ["G/1a"], "5033": ["H/1a"]}, weather=RAIN)
    assert declaration.contacts(m.game, AXIS).keys() == {BOARD["5133"], BOARD["5033"]}
    m = axis({"5625": ["I/104B"], "5626": ["G/1a"], "5725": ["H/1a"]}, weather=RAIN)
    m.play(["5626", "assault"])
    assert "done" in m.names
    m.play(["5626", "5725", "assault"])
    assert "done" in m.names


def test_armour_cannot_attack_a_mountain_and_so_not_its_neighbour() -> None:
    """The infantry on 3319 must be attacked too, and by somebody who can (9.1.6, 12.2.4, 12.2.6, example 9.1.6)."""
    m = axis({"3320": ["1/7/10"], "3220": ["2/26"], "3319": ["3/26"]})
    assert "3319" not in m.names
    assert why(m, "3319") == ("12.2.6", "3319")
    m.play(["3220", "mobile"])
    assert "done" not in m.names
    assert why(m, "done") == ("9.1.7", "3319")
    m = axis({"3320": ["1/7/10", "I/Jg"], "3220": ["2/26"], "3319": ["3/26"]})
    attack(m, ["3220"], ["1/7/10"], "mobile")
    m.play(["3319", "assault", "done"])
    assert targets(m) == {"3220": 1, "3319": 2}


def test_before_thala_three_hexes_are_attacked() -> None:
    """2911 is in the zone of 2811, 3011 in that of 3010 (9.1.7, 12.1.3, example 17 declaration)."""
    m = match(thala(), phase=DECLARE, weather=1)
    m.play(["2910", "assault"])
    assert why(m, "done")[0] == "9.1.7"
    m.play(["2811", "assault"])
    assert why(m, "done") == ("9.1.7", "3010")
    m.play(["3010", "assault", "done"])
    assert targets(m) == {"2910": 1, "2811": 2, "3010": 3}


def test_one_combat_against_several_hexes() -> None:
    """A unit next to all three may attack them in one combat; one that is next to A alone may not join, and C, whose zone does
    not reach, may be left out (9.1.8, 12.1.1, example 9.1.8)."""
    units = {
        "5131": ["1/7/10", "I/Jg"],
        "5130": ["2 RCA tanks"],
        "5231": ["Repl I"],
        "5232": ["A/81 Rn"],
        "5030": ["MG 8"],
    }
    m = axis(units)
    attack(m, ["5130", "5231", "5232"], ["1/7/10"])
    assert why(m, "MG 8") == ("9.1.1", "5231")
    m.play(["mobile"])
    assert targets(m) == {"5130": 1, "5231": 1, "5232": 1}
    assert "done" in m.names
    m = axis(units)
    attack(m, ["5130", "5232"], ["1/7/10"], "mobile")
    assert "done" in m.names


def test_a_declared_attack_stands() -> None:
    """Once declarations are over nothing is called off (9.1.3)."""
    m = axis({"5131": ["2/26"], "5130": ["I/104B"], "5231": ["3/26"], "5230": ["I/Jg"]})
    attack(m, ["5131"], ["I/104B"], "assault")
    attack(m, ["5231"], ["I/Jg"], "assault")
    m.play(["done"])
    assert m.phase.name == "axis combat"
    assert set(m.names) == {"5131", "5231"}


def test_artillery_alone_does_not_attack() -> None:
    """March or Deployed; with others it does in March mode (10.0, 12.3.4, 7.6.3)."""
    m = axis({"5131": ["Repl I"], "5130": ["1/242 StuG", "I/91", "1/90/10 [deployed]"]})
    m.play(["5131"])
    assert why(m, "1/90/10") == ("10.0", "1/90/10")
    assert "assault" in m.names
    m.play(["I/91"])
    assert why(m, "assault") == ("12.3.4", "1/242 StuG")


def test_who_cannot_attack() -> None:
    """No strength, building, or a garrison that waits (12.1.5, 14.3.5, 18.2.3)."""
    m = match(
        {"5131": ["XII ASC", "1/26 [building]", "Repl I [release 18]", "Repl II"], "5132": ["I/91"]},
        phase="allied combat declaration",
    )
    m.play(["5132"])
    assert why(m, "XII ASC") == ("12.1.5", "XII ASC")
    assert why(m, "1/26") == ("14.3.5", "1/26")
    assert why(m, "Repl I") == ("18.2.3", "Repl I")
    assert "Repl II" in m.names


def test_a_unit_halved_to_nothing_takes_no_part() -> None:
    """One point across an escarpment is none; two together are one (3.5.3, 12.1.5, 12.2.5)."""
    m = axis({"2910": ["Repl I"], "3011": ["I/91", "II/92"]})
    m.play(["2910"])
    assert "assault" in m.names
    m.play(["II/92"])
    assert why(m, "assault") == ("3.5.3", "I/91")


@pytest.mark.parametrize(
    ("defender", "attacker", "unit", "rule"),
    [
        ("2910", "2911", "1/7/10", "12.4.1"),  # hills
        ("3010", "3011", "1/7/10", "12.4.1"),
        ("1016", "1015", "1/7/10", "12.4.1"),  # city
        ("2811", "2711", "I/Jg", "12.4.1"),
        ("5131", "5130", "I/Jg", "12.4.3"),  # no armour
        ("5131", "5130", "1/242 StuG", "12.4.3"),  # armoured artillery
    ],
)
def test_where_the_assault_table_must_be_used(defender: str, attacker: str, unit: str, rule: str) -> None:
    """Rough ground, cities, escarpments, and without armour (12.4, 12.4.1, 12.4.3)."""
    m = axis({defender: ["Repl I"], attacker: [unit, "MG 8"]})
    m.play([defender] if unit == "1/242 StuG" else [defender, "MG 8"])
    assert "assault" in m.names
    assert why(m, "mobile")[0] == rule


def test_the_assault_table_is_used_across_an_escarpment() -> None:
    """Although the ground itself is open (12.4.1)."""
    m = match({"3011": ["Repl I"], "2910": ["10 RB (-)"], "3111": ["A-17/21 L"]}, phase="allied combat declaration")
    assert not may_attack(m.game, NUMBER["A-17/21 L"], BOARD["2910"])
    m = match({"3011": ["I/91"], "2910": ["10 RB (-)"], "3111": ["A-17/21 L"]}, phase="allied combat declaration")
    attack(m, ["3011"], ["A-17/21 L"])
    assert "mobile" in m.names
    m.play(["10 RB (-)"])
    assert why(m, "mobile") == ("12.4.1", "10 RB (-)")


def test_the_assault_table_is_used_in_rain_and_against_strongpoints() -> None:
    """Whatever the ground (12.4.2, 14.2.1, 5.1.5)."""
    units = {"5131": ["2/26"], "5130": ["1/7/10", "2/7/10"]}
    wet = axis(units, weather=RAIN)
    wet.play(["5131"])
    assert why(wet, "mobile") == ("12.4.2", "5131")
    fortified = axis(units, strongpoints={"allied": ["5131"]})
    fortified.play(["5131"])
    assert why(fortified, "mobile") == ("14.2.1", "5131")
    captured = axis(units, strongpoints={"axis": ["5131"]})
    captured.play(["5131"])
    assert "mobile" in captured.names


def test_french_armour_does_not_open_the_mobile_table() -> None:
    """Other armour beside it does (16.5.2)."""
    units = {"5131": ["I/91"], "5130": ["5 RCA tanks", "G/1a"]}
    m = match(units, phase="allied combat declaration")
    attack(m, ["5131"], ["5 RCA tanks"])
    assert why(m, "mobile") == ("16.5.2", "5 RCA tanks")
    m.play(["G/1a"])
    assert "mobile" in m.names


def test_at_fire_is_for_deployed_anti_tank_units_against_armour() -> None:
    """In any number of hexes, and nothing else must be attacked for it (16.1, 16.1.1, 16.1.5)."""
    units = {"5130": ["9/90 Flak [deployed]", "I/Jg"], "5131": ["G/1a", "2/26"], "5231": ["3/26"], "5030": ["H/1a"]}
    m = axis(units)
    attack(m, ["5131", "5030"], ["9/90 Flak"], "AT fire")
    assert m.state.tables == {"1": AT_FIRE}
    assert "done" in m.names
    m = axis(units)
    attack(m, ["5231"], ["9/90 Flak"])
    assert why(m, "AT fire") == ("16.1.5", "5231")
    m.play(["cancel", "5131"])
    assert why(m, "AT fire") == ("16.1.5", "I/Jg")


def test_nobody_must_attack_those_whom_at_fire_ignores() -> None:
    """Nor can he: their hex is attacked already (16.1.5, 9.1.7)."""
    m = axis({"5130": ["9/90 Flak [deployed]", "I/Jg"], "5131": ["G/1a", "2/26"], "5030": ["Repl I"]})
    attack(m, ["5131"], ["9/90 Flak"], "AT fire")
    m.play(["5030", "assault"])
    assert "done" in m.names
    m.play(["5131"])
    assert "done" not in m.names  # without the AT Fire they must be attacked


def test_at_fire_needs_odds_against_a_gun_whose_fire_it_ignores() -> None:
    """Its own strength counts, not nothing (16.1.5, 9.1.4, 12.1.1)."""
    units = {"5131": ["2/26", "91 FA [deployed]", "91 FA fire [face down]"], "5130": ["2/90 Pzjg [deployed]"]}
    m = axis(units)
    m.play(["5131", "AT fire", "done"])
    while "attack" not in m.names:
        m.play(["done"])
    assert m.decision is not None
    assert m.decision.prompt == "Attack on 5131: 3 to 2, 3-2"


def test_a_marker_whose_units_have_left_is_ready_for_barrage() -> None:
    """It has not fired, so its gun supports the attack of those it protected (10.3.5, 10.2.1)."""
    units = {
        "2811": ["10 RB (-)"], "2912": ["1/90/10 [deployed]", "HQ 10 Pz"],
        "2913": ["1/90/10 fire [face down]", "1/7/10", "2/7/10"],
    }  # fmt: skip
    m = match(units)
    m.play(["1/7/10", "2/7/10", "2812", "done"])
    while m.phase.name == "axis movement":
        m.play(["done"])
    assert where(m.game, "1/90/10 fire") == "Axis Ready Box"
    m.play(["2811", "assault", "done"])
    assert "1/90/10 fire" in m.names


def test_no_at_fire_across_an_escarpment() -> None:
    """Nor by guns in March mode (16.1.5, 16.1.3)."""
    m = axis({"2910": ["G/1a"], "3011": ["9/90 Flak [deployed]"], "2911": ["I/43 Flak"]})
    m.play(["2910"])
    assert why(m, "AT fire") == ("16.1.5", "I/43 Flak")
    assert why(m, "9/90 Flak")[0] in ("9.1.6", "12.2.6")


def test_works_in_attacked_hexes_are_given_up() -> None:
    """When declarations are over (14.4.2)."""
    m = axis({"5131": ["2/26 [building]"], "5130": ["I/104B", "I/Jg"]})
    m.state.works[BOARD["5131"]] = ALLIED
    m.play(["5131", "assault"])
    assert BOARD["5131"] in m.state.works
    m.play(["done"])
    assert BOARD["5131"] not in m.state.works
    assert "building" not in flags(m.game, "2/26")


def test_a_combat_being_put_together_can_be_dropped() -> None:
    """Nothing of it is left."""
    m = axis({"5131": ["2/26"], "5130": ["I/104B"]})
    m.play(["5131", "I/104B", "cancel"])
    assert m.state.draft is None
    assert m.state.targets == m.state.tables == {}
    assert not m.state.battle[NUMBER["I/104B"]]


def test_motorized_units_attack_across_a_wadi_in_rain_and_armour_does_not() -> None:
    """Movement is closed to both (12.2.7)."""
    g = game({"5625": ["1/7/10", "1+2/Afr", "I/Jg"], "5626": ["2/26"]}, weather=RAIN)
    able = [unit for unit in ("1/7/10", "1+2/Afr", "I/Jg") if may_attack(g, NUMBER[unit], BOARD["5626"])]
    assert able == ["1+2/Afr", "I/Jg"]
