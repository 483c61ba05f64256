"""Strengths, halving, ground and modifiers of a combat (3.5, 6.5, 10.5, 12.2, 12.5, 14.2, 16)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from khamsin import games
from khamsin.games.kasserine import strength
from khamsin.games.kasserine.strength import CombatChoices
from khamsin.games.kasserine.units import (
    ASSAULT,
    AT_FIRE,
    BOARD,
    HALVES,
    MA,
    MOBILE,
    NUMBER,
    POINTS,
    RAIN,
    REACTED,
    G,
)
from khamsin.mechanics.odds import Modifier, is_below
from tests.rulebook.kasserine.fights import fight, thala
from tests.rulebook.kasserine.table import game


def attack(g: G, attackers: list[str], hexes: list[str], table: int = ASSAULT) -> int:
    return strength.attack_total(g, fight(g, attackers, hexes, table))[0]


def defence(g: G, attackers: list[str], hexes: list[str], table: int = ASSAULT) -> int:
    return strength.defence_total(g, fight(g, attackers, hexes, table))[0]


def dice(g: G, attackers: list[str], hexes: list[str], **choices: int) -> dict[str, int]:
    """The modifiers by their rules."""
    found = strength.modifiers(g, fight(g, attackers, hexes), CombatChoices(**choices))  # type: ignore[arg-type]
    return {rule: value for _, value, rule in found}


def test_halved_strengths_are_added_first() -> None:
    """Two tanks of 4 and 3 count 3 against a strongpoint, the infantry beside them all of its 2
    (3.5.1, 3.5.2, 14.2.4, example 3.5)."""
    units = {"5131": ["I/91"], "5130": ["G/1a", "A/1a", "A/6a"]}
    assert attack(game(units, strongpoints={"axis": ["5131"]}), ["G/1a", "A/1a", "A/6a"], ["5131"]) == 3 + 2
    assert attack(game(units), ["G/1a", "A/1a", "A/6a"], ["5131"]) == 9


def test_axis_armour_is_not_halved_by_a_strongpoint() -> None:
    """Nor is anybody by one of his own side that the enemy holds (14.2.3, 14.2.4)."""
    units = {"5131": ["2/26"], "5130": ["1/7/10"]}
    assert attack(game(units, strongpoints={"allied": ["5131"]}), ["1/7/10"], ["5131"]) == 4
    allied = {"5131": ["I/91"], "5130": ["G/1a"]}
    assert attack(game(allied, strongpoints={"allied": ["5131"]}), ["G/1a"], ["5131"]) == 4


def test_armour_is_halved_against_mountain_even_by_road() -> None:
    """Infantry is not (3.5.1, 12.2.6)."""
    g = game({"1317": ["Repl I"], "1316": ["1/7/10", "I/Jg"]})
    assert strength.may_attack(g, NUMBER["1/7/10"], BOARD["1317"])
    assert attack(g, ["1/7/10", "I/Jg"], ["1317"]) == 2 + 4


def test_a_motorized_unit_without_armour_attacks_mountain_and_over_escarpments() -> None:
    """Road or not (12.2.6)."""
    g = game({"3319": ["Repl I"], "3320": ["1+2/Afr", "1/7/10"], "2910": ["Repl II"], "3011": ["3+4/Afr", "2/7/10"]})
    assert [strength.may_attack(g, NUMBER[u], BOARD["3319"]) for u in ("1+2/Afr", "1/7/10")] == [True, False]
    assert [strength.may_attack(g, NUMBER[u], BOARD["2910"]) for u in ("3+4/Afr", "2/7/10")] == [True, False]


def test_halving_is_cumulative() -> None:
    """Out of supply and across an escarpment is a quarter (3.5.1, 3.5.2, 6.5.2, 12.2.5)."""
    g = game({"2910": ["Repl I"], "3011": ["1+2/Afr", "3+4/Afr"]})
    assert attack(g, ["1+2/Afr", "3+4/Afr"], ["2910"]) == 4
    g.state.source.clear()
    assert attack(g, ["1+2/Afr", "3+4/Afr"], ["2910"]) == 2


def test_nothing_is_left_of_one_point_halved() -> None:
    """The unit takes no part (3.5.3, 12.1.5, 12.2.5)."""
    g = game({"2910": ["Repl I"], "3011": ["I/91"], "2911": ["I/Jg"]})
    battle = fight(g, ["I/91", "I/Jg"], ["2910"])
    assert strength.participants(g, battle) == (NUMBER["I/Jg"],)


def test_a_halved_allowance_keeps_its_half_point() -> None:
    """Nine points halved are four and a half (3.5.4)."""
    unit = NUMBER["1/7/10"]
    assert MA[unit] == 9
    assert Fraction(POINTS[unit] // 2, HALVES) == Fraction(9, 2)


def test_units_out_of_supply_attack_at_half() -> None:
    """Those that are supplied attack with all they have, and guns are not halved (6.5.1, 6.5.2)."""
    g = game({"5131": ["Repl I"], "5130": ["1/7/10", "2/7/10"], "5129": ["1/90/10 [deployed]", "I/91"]})
    assert attack(g, ["1/7/10", "2/7/10"], ["5131"]) == 8
    g = game({"5131": ["Repl I", "1/90/10 fire"], "5130": ["1/7/10", "2/7/10"], "5129": ["1/90/10 [deployed]", "I/91"]})
    g.state.source.clear()
    assert attack(g, ["1/7/10", "2/7/10"], ["5131"]) == 4 + 3


def test_a_defender_out_of_supply_helps_the_attacker() -> None:
    """One is enough, judged at the moment of combat (6.5.1, 6.5.3)."""
    units = {"5131": ["2/26"], "5130": ["I/Jg"]}
    assert "6.5.3" not in dice(game(units), ["I/Jg"], ["5131"])
    g = game(units)
    g.state.source.clear()
    assert dice(g, ["I/Jg"], ["5131"])["6.5.3"] == -1


def test_only_the_best_ground_of_a_hex_counts() -> None:
    """Town and woods in 5726 are one, hills one, mountain two, a city two, the open nothing (12.2.1, 12.2.2)."""
    found = {hex: strength.ground(BOARD[hex])[0] for hex in ("5726", "2910", "3319", "1016", "5131", "2812")}
    assert found == {"5726": 1, "2910": 1, "3319": 2, "1016": 2, "5131": 0, "2812": 1}


def test_the_attackers_own_ground_does_not_matter() -> None:
    """Nor a strongpoint they attack from (12.2.3, 14.2.2)."""
    g = game({"2911": ["Repl I"], "2910": ["I/Jg"]}, strongpoints={"axis": ["2910"]})
    assert dice(g, ["I/Jg"], ["2911"]) == {}


def test_one_of_two_defending_hexes_behind_a_wadi_is_enough() -> None:
    """5625 and 5725 attacked from 5626 (12.2.2, 12.2.7, example 12.2.2a)."""
    g = game({"5625": ["Repl I"], "5725": ["Repl II"], "5626": ["I/Jg"]})
    assert dice(g, ["I/Jg"], ["5625", "5725"]) == {"12.2.7": 1}


def test_a_single_hex_has_its_wadi_only_against_attackers_who_all_cross_it() -> None:
    """5626 attacked from 5625 and 5725 (12.2.2, 12.2.7, example 12.2.2b)."""
    g = game({"5626": ["Repl I"], "5625": ["I/Jg"], "5725": ["II/Jg"]})
    assert dice(g, ["I/Jg", "II/Jg"], ["5626"]) == {}


@pytest.mark.parametrize(("weather", "modifier"), [(0, 1), (1, 1), (RAIN, 2)])
def test_a_wadi_is_worse_in_rain(weather: int, modifier: int) -> None:
    """A bridge does not help; guns fire over it as they please (12.2.7, 10.1.5)."""
    g = game({"5626": ["Repl I", "1/90/10 fire"], "5525": ["I/Jg"], "5524": ["1/90/10 [deployed]"]}, weather=weather)
    assert dice(g, ["I/Jg"], ["5626"]) == {"12.2.7": modifier}
    assert strength.barrage(g, fight(g, ["I/Jg"], ["5626"]))


def test_fire_support_is_limited_by_the_units_it_supports() -> None:
    """Two guns of 3 and 3 add 4 to a tank of 4, unadjusted by halving (10.5.1)."""
    units = {"5131": ["Repl I", "1/90/10 fire", "2/90/10 fire"], "5130": ["1/7/10"]}
    g = game(units | {"5129": ["1/90/10 [deployed]", "2/90/10 [deployed]"]})
    assert attack(g, ["1/7/10"], ["5131"]) == 4 + 4
    g.state.source.clear()
    assert attack(g, ["1/7/10"], ["5131"]) == 2 + 4


def test_defensive_fire_is_limited_too() -> None:
    """Two points protect replacements of strength 1 with 1 (10.5.1, 10.1, 10.1.4)."""
    g = game({"5131": ["Repl I", "33 FA fire"], "5132": ["33 FA [deployed]"], "5130": ["I/Jg"]})
    assert defence(g, ["I/Jg"], ["5131"]) == 1 + 1


def test_a_gun_alone_defends_itself() -> None:
    """Also beside other guns and HQs: its strength, not its fire (10.3.1, 10.3.2)."""
    g = game({"5131": ["33 FA [deployed]", "33 FA fire", "HQ 1"], "5130": ["I/Jg"]})
    assert defence(g, ["I/Jg"], ["5131"]) == 1 + 1


def test_a_gun_beside_other_units_fires_for_them() -> None:
    """And does not lend its strength, unless its marker is used up (10.3.1, 10.3.3)."""
    units = {"5131": ["33 FA [deployed]", "2/26", "33 FA fire [face down]"], "5130": ["I/Jg"]}
    assert defence(game(units), ["I/Jg"], ["5131"]) == 5 + 3
    used = {"5131": ["33 FA [deployed]", "2/26"], "5130": ["I/Jg"], "Allied Used Box": ["33 FA fire"]}
    assert defence(game(used), ["I/Jg"], ["5131"]) == 5 + 1


def test_one_gun_of_the_us_or_french_protects_a_combat() -> None:
    """Also where markers lie on two hexes of it: the strongest count (10.5.2)."""
    g = game(
        {
            "5131": ["2/26", "33 FA fire"], "5030": ["3/26", "I-67 (-) fire"], "5130": ["I/Jg"],
            "5132": ["33 FA [deployed]", "I-67 (-) [deployed]", "Repl I"],
        }
    )  # fmt: skip
    assert defence(g, ["I/Jg"], ["5131", "5030"]) == 5 + 5 + 3


def test_concentrated_allied_fire() -> None:
    """Twenty points of barrage under one HQ, counted or not; the Axis has none, nor have the French HQs (10.5.3, 10.5.1)."""
    guns = ["33 FA", "175 FA", "7 FA", "32 FA", "2/17 FA"]
    units = {
        "5131": ["I/91", *(f"{gun} fire" for gun in guns)], "5130": ["Repl I"],
        "5129": [*(f"{gun} [deployed]" for gun in guns), "HQ 1"],
    }  # fmt: skip
    assert dice(game(units), ["Repl I"], ["5131"])["10.5.3"] == -1
    assert attack(game(units), ["Repl I"], ["5131"]) == 1 + 1
    units["5129"] = [*(f"{gun} [deployed]" for gun in guns), "HQ DMM"]
    assert "10.5.3" not in dice(game(units), ["Repl I"], ["5131"])


def test_air_points_count_one_each() -> None:
    """Against the defender and for him (11.3.4)."""
    g = game({"5131": ["2/26"], "5130": ["I/Jg"]})
    found = strength.modifiers(g, fight(g, ["I/Jg"], ["5131"]), CombatChoices(attacking_air=2, defending_air=1))
    assert [value for _, value, rule in found if rule == "11.3.4"] == [-2, 1]


@pytest.mark.parametrize(
    ("total", "odds"), [(2, "5-1"), (3, "3-1"), (4, "2-1"), (5, "2-1"), (6, "3-2")], ids=lambda case: str(case)
)
def test_odds_are_rounded_for_the_defender(total: int, odds: str) -> None:
    """Ten against 2 to 6 (12.5.2, example 12.5.2a, example 12.5.2b, example 12.5.2c, example 12.5.2d, example 12.5.2e)."""
    for name in ("assault", "mobile"):
        table = games.load("kasserine").tables[name]
        assert table.head(table.odds(10, total)) == odds


def test_odds_beyond_the_tables_are_their_ends() -> None:
    """7-1 and 8-1 at best; below the first column it is that column (12.5.3, 12.5.4)."""
    tables = games.load("kasserine").tables
    assert [tables[name].head(tables[name].odds(90, 1)) for name in ("assault", "mobile")] == ["7-1", "8-1"]
    assert [tables[name].head(tables[name].odds(1, 9)) for name in ("assault", "mobile")] == ["1-5", "1-6"]
    assert is_below(tables["assault"], 1, 6)
    assert not is_below(tables["mobile"], 1, 6)
    assert is_below(tables["mobile"], 1, 7)


def test_modifiers_are_netted_and_limited() -> None:
    """To three either way (12.5.5, 12.5.6)."""
    assert strength.net([Modifier("a", -2, ""), Modifier("b", 1, "")]) == -1
    assert strength.net([Modifier("a", -4, ""), Modifier("b", -1, "")]) == -3
    assert strength.net([Modifier("a", 4, ""), Modifier("b", 1, "")]) == 3


def test_a_strongpoint_is_worth_one() -> None:
    """To its own side alone (14.2.2, 14.2.3)."""
    units = {"5131": ["2/26"], "5130": ["1/501", "I/Jg"]}
    g = game(units, strongpoints={"allied": ["5131"]})
    assert dice(g, ["I/Jg"], ["5131"]) == {"14.2.2": 1}
    assert dice(game(units, strongpoints={"axis": ["5131"]}), ["I/Jg"], ["5131"]) == {}


def test_a_tiger_may_disregard_a_strongpoint() -> None:
    """Which still stands against the Combined Arms Bonus (16.3.1)."""
    g = game({"5131": ["2/26"], "5130": ["1/501", "I/Jg"]}, strongpoints={"allied": ["5131"]})
    battle = fight(g, ["1/501", "I/Jg"], ["5131"])
    assert strength.tigers(g, battle) == [NUMBER["1/501"]]
    assert strength.modifiers(g, battle, CombatChoices(tiger=True)) == []
    assert strength.why_no_bonus(g, battle) == "a strongpoint"


def test_anti_tank_units_fight_armour_by_their_deployed_side() -> None:
    """In attack and defence; others and in March mode by the strengths of the front (16.1, 16.1.2, 16.1.3, 16.1.4)."""
    units = {"5131": ["A/72 AT [deployed]", "G/1a"], "5130": ["9/90 Flak [deployed]", "1/7/10"], "5030": ["2/26"]}
    g = game(units)
    assert attack(g, ["9/90 Flak"], ["5131"]) == 4
    assert attack(g, ["9/90 Flak"], ["5030"]) == 1
    assert defence(g, ["1/7/10"], ["5131"]) == 3 + 2
    assert defence(g, ["9/90 Flak"], ["5131"]) == 1 + 2
    march = game(units | {"5131": ["A/72 AT", "G/1a"], "5130": ["9/90 Flak", "1/7/10"]})
    assert attack(march, ["9/90 Flak"], ["5131"]) == 1
    assert defence(march, ["1/7/10"], ["5131"]) == 1 + 2


def test_anti_tank_strength_is_no_fire_support() -> None:
    """It has no marker and no range, is not limited, and guns may add as much as it has (16.1.1, 16.1.6, 16.1.7)."""
    units = {"5131": ["A/72 AT [deployed]", "33 FA fire"], "5130": ["1/7/10"], "5132": ["33 FA [deployed]"]}
    assert "A/72 AT fire" not in NUMBER
    assert defence(game(units), ["1/7/10"], ["5131"]) == 3 + 3
    march = units | {"5131": ["A/72 AT", "33 FA fire"]}
    assert defence(game(march), ["1/7/10"], ["5131"]) == 1 + 1


def test_at_fire_is_against_armour_and_no_fire_protects_it() -> None:
    """Infantry and guns are ignored, barrage strength and the Assault table used (16.1.5)."""
    g = game({"5131": ["G/1a", "2/26", "33 FA fire"], "5132": ["33 FA [deployed]"], "5130": ["9/90 Flak [deployed]"]})
    battle = fight(g, ["9/90 Flak"], ["5131"], AT_FIRE)
    assert (strength.attack_total(g, battle)[0], strength.defence_total(g, battle)[0]) == (4, 2)
    assert strength.crt(g, battle).name == "assault"
    assert strength.crt(g, battle._replace(table=MOBILE)).name == "mobile"


def test_german_combined_arms() -> None:
    """Armour and infantry of the Germans in one attack, once (16.2, 16.2.1, 16.2.2)."""
    g = game({"5131": ["2/26"], "5130": ["1/7/10", "2/7/10", "I/Jg"], "5231": ["14/5 Ber", "1/31", "II/Jg"]})
    assert dice(g, ["1/7/10", "2/7/10", "II/Jg"], ["5131"]) == {"16.2.1": -1}
    assert dice(g, ["1/7/10", "2/7/10"], ["5131"]) == {}
    assert dice(g, ["1/7/10", "14/5 Ber"], ["5131"]) == {}
    assert dice(g, ["1/31", "I/Jg"], ["5131"]) == {}


@pytest.mark.parametrize(
    ("unit", "gives"), [("580 AA", False), ("33 AA", False), ("3 AA", False), ("vKoenen", True), ("2/K10/10", True)]
)
def test_the_bonus_needs_infantry_by_its_symbol(unit: str, gives: bool) -> None:
    """Reconnaissance is not among the types; the commando is motorized infantry (16.2.2)."""
    g = game({"5131": ["2/26"], "5130": ["1/7/10", unit]})
    assert dice(g, ["1/7/10", unit], ["5131"]) == ({"16.2.1": -1} if gives else {})


@pytest.mark.parametrize(
    ("hex", "attacker", "defender", "why"),
    [
        ("5726", "5725", "2/26", "a town"),
        ("1317", "1316", "2/26", "a mountain"),
        ("5131", "5130", "G/1a", "G/1a defends"),
        ("5131", "5130", "A/72 AT", "A/72 AT defends"),
        ("5131", "5130", "A-1 DY", ""),
    ],
)
def test_where_combined_arms_do_not_help(hex: str, attacker: str, defender: str, why: str) -> None:
    """Towns, mountains, armour but armoured cars, anti-tank units (16.2.3)."""
    g = game({hex: [defender], attacker: ["1/7/10", "I/Jg"]})
    assert strength.why_no_bonus(g, fight(g, ["1/7/10", "I/Jg"], [hex])) == why


def test_armoured_cars_and_defenders_have_no_combined_arms() -> None:
    """German armoured cars do not qualify, nor do defending Germans (16.2.4)."""
    g = game({"5131": ["2/26"], "5130": ["3 AC", "I/Jg"]})
    assert dice(g, ["3 AC", "I/Jg"], ["5131"]) == {}
    defended = game({"5131": ["1/7/10", "I/Jg"], "5130": ["2/26"]})
    assert dice(defended, ["2/26"], ["5131"]) == {}


def test_armour_that_came_by_reaction_does_not_spoil_combined_arms() -> None:
    """As before Thala, where C-17/21 L has joined 2910 (16.2.3, example 17 combat 2910)."""
    g = game(thala() | {"2910": ["2/5 Lei (+)", "C-17/21 L [reacted]"], "2810": ["90/23 Fd [deployed]"]}, weather=1)
    attackers = ["1/7/10", "2/7/10", "3/7/10", "5+6/69/10", "7+8/69/10", "1+2/86/10", "3+4/86/10"]
    battle = fight(g, attackers, ["2910"])
    assert (strength.attack_total(g, battle)[0], strength.defence_total(g, battle)[0]) == (24, 8)
    assert strength.crt(g, battle).head(strength.crt(g, battle).odds(24, 8)) == "3-1"
    assert {rule: value for _, value, rule in strength.modifiers(g, battle)} == {"12.2.2": 1, "16.2.1": -1}
    g.state.flags[NUMBER["C-17/21 L"]] &= ~REACTED
    assert strength.why_no_bonus(g, battle) == "C-17/21 L defends"


def test_the_attack_on_2811_before_thala() -> None:
    """2 + 2 and 3 of barrage against 4 and 2 of fire; hills, Combined Arms (10.1, 10.1.2, 10.1.3, example 17 combat 2811)."""
    units = thala()
    units["2811"].append("1/90/10 fire")
    units["Axis Ready Box"].remove("1/90/10 fire [face down]")
    g = game(units, weather=1)
    battle = fight(g, ["7/7/10", "2/K10/10"], ["2811"])
    assert (strength.attack_total(g, battle)[0], strength.defence_total(g, battle)[0]) == (7, 6)
    assert {rule: value for _, value, rule in strength.modifiers(g, battle)} == {"12.2.2": 1, "16.2.1": -1}


def test_the_attack_on_3010_before_thala() -> None:
    """Two Deployed anti-tank units, 3 and 3, against 2 and 2 of fire: 3-2 (16.1.2, 16.2.2, example 17 combat 3010)."""
    g = game(thala(), weather=1)
    battle = fight(g, ["2/90 Pzjg", "605 Pzjg"], ["3010"])
    assert (strength.attack_total(g, battle)[0], strength.defence_total(g, battle)[0]) == (6, 4)
    assert {rule: value for _, value, rule in strength.modifiers(g, battle)} == {"12.2.2": 1}
    assert strength.crt(g, battle).result(strength.crt(g, battle).odds(6, 4), 1, 1) == "DR"


def test_mountain_units_help_on_mountains_and_over_escarpments() -> None:
    """If the attacker declares it (16.6.3)."""
    g = game({"3319": ["I/91"], "3320": ["Sau"], "2910": ["II/92"], "3011": ["Gibert"], "2911": ["2/26"]})
    for unit, hex in (("Sau", "3319"), ("Gibert", "2910")):
        battle = fight(g, [unit], [hex])
        assert strength.mountaineers(g, battle) == [NUMBER[unit]]
        assert ("mountain units", -1, "16.6.3") in strength.modifiers(g, battle, CombatChoices(mountain=True))
    assert strength.mountaineers(g, fight(g, ["2/26"], ["2910"])) == []


def test_rommel_helps_once_he_is_called_on() -> None:
    """Minus one (15.5.2, 12.5.5)."""
    g = game({"5131": ["2/26"], "5130": ["I/Jg", "Rommel"]})
    assert dice(g, ["I/Jg"], ["5131"], rommel=True) == {"15.5.2": -1}


def test_a_gun_in_an_enemy_zone_supports_only_attacks_on_him_who_exerts_it() -> None:
    """Also when it has come into it after its marker was laid (10.1.3, 10.2.3)."""
    units = {
        "5131": ["2/26", "1/90/10 fire"], "5130": ["I/Jg"], "5129": ["1/90/10 [deployed]", "I/91"], "5128": ["3/26"],
    }  # fmt: skip
    g = game(units)
    assert strength.barrage(g, fight(g, ["I/Jg"], ["5131"])) == []
    g = game({hex: stack for hex, stack in units.items() if hex != "5128"})
    assert strength.barrage(g, fight(g, ["I/Jg"], ["5131"])) == [NUMBER["1/90/10 fire"]]


def test_everybody_in_a_hex_defends() -> None:
    """Together, and nobody is withheld (12.1.1)."""
    g = game({"5131": ["2/26", "Repl I", "HQ 1"], "5130": ["I/Jg"]})
    assert defence(g, ["I/Jg"], ["5131"]) == 5 + 1 + 1


def test_at_fire_meets_a_gun_with_its_own_strength() -> None:
    """Its fire is ignored, so it does not defend by it (16.1.5, 10.3.1, 12.1.1)."""
    g = game({"5131": ["2/26", "91 FA [deployed]", "91 FA fire [face down]"], "5130": ["2/90 Pzjg [deployed]"]})
    assert defence(g, ["2/90 Pzjg"], ["5131"], AT_FIRE) == 2
    assert defence(g, ["2/90 Pzjg"], ["5131"]) == 8


NATIONS = {"2811": ["1/16", "33 FA [deployed]", "33 FA fire [face down]"], "2812": ["1/7/10", "2/7/10", "3/7/10"]}


def test_a_gun_that_the_nations_keep_silent_defends_with_its_strength() -> None:
    """Of two US guns one fires, the other is not withheld (10.3.1, 10.5.2, 12.1.1)."""
    second = {"2911": ["2/16", "7 FA [deployed]", "7 FA fire [face down]"]}
    assert defence(game(NATIONS | second), ["1/7/10", "2/7/10", "3/7/10"], ["2811", "2911"]) == 5 + 5 + 3 + 1


def test_the_best_guns_that_the_nations_allow_fire() -> None:
    """Three British ones rather than one of them with a US gun, if that is more (10.5.2)."""
    british = ("F/12 RHA", "D/12 RHA", "H/12 RHA")
    second = {"2911": ["2/16", *(f"{gun} fire [face down]" for gun in british)]}
    far = {"2909": [f"{gun} [deployed]" for gun in british]}
    found = strength.fire(g := game(NATIONS | second | far), fight(g, ["1/7/10", "2/7/10", "3/7/10"], ["2811", "2911"]))
    assert {g.rules.names[marker] for marker in found} == {f"{gun} fire" for gun in british}
