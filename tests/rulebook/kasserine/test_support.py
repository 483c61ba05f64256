"""Fire Support and Close Air Support (10, 11.3): where markers and air units may go, and what becomes of them."""

from __future__ import annotations

import random
from fractions import Fraction

from khamsin.games.kasserine import close_support, combat, hidden, preview, support
from khamsin.games.kasserine.arrival import arrive
from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.units import (
    ALLIED,
    AT_FIRE,
    AXIS,
    BOARD,
    CLOUDY,
    COUNTERS,
    FOUGHT,
    FPF,
    NUMBER,
    RAIN,
    READY,
    G,
    KasserineState,
)
from khamsin.kernel import EVERYONE, Match, SeededDice
from tests.rulebook.kasserine.fights import fight, thala, why
from tests.rulebook.kasserine.table import game, match, where

RESERVE = "allied reserve movement"


def hexes(found: list[int]) -> list[str]:
    return sorted(BOARD.name(hex) for hex in found)


def ready(*guns: str) -> list[str]:
    return [f"{gun} fire [face down]" for gun in guns]


def laying(units: dict[str, list[str]], attackers: list[str], target: str, **more: object) -> Match[KasserineState]:
    """The Axis Combat Phase with one declared attack."""
    g = game(units, phase="axis combat", **more)  # type: ignore[arg-type]
    fight(g, attackers, [target])
    return Match.at(g)


def test_markers_are_laid_on_friendly_units_in_range() -> None:
    """The gun's own hex does not count, the supported one does (10.1.2, 10.3.4, 10.1.5)."""
    units = {"5131": ["33 FA [deployed]"], "5127": ["2/26"], "5126": ["3/26"]}
    g = game(units | {"Allied Ready Box": ready("33 FA")})
    assert hexes(support.fpf_hexes(g, NUMBER["33 FA fire"])) == ["5127", "5131"]


def test_a_gun_next_to_the_enemy_supports_its_own_hex() -> None:
    """450/71 Fd must support 2811, the others may choose (10.3.3, 10.3.6, example 17 FPF)."""
    units = thala() | {"Allied Ready Box": ready("450/71 Fd", "90/23 Fd", "F/12 RHA")}
    units["2811"] = ["10 RB (-)", "450/71 Fd [deployed]"]
    units["2910"], units["3010"] = ["2/5 Lei (+)"], ["C-2 Loth"]
    del units["2911"]
    g = game(units)
    assert hexes(support.fpf_hexes(g, NUMBER["450/71 Fd fire"])) == ["2811"]
    assert hexes(support.fpf_hexes(g, NUMBER["90/23 Fd fire"])) == ["2809", "2810", "2811", "2910", "3010"]


def test_fpf_is_assigned_in_the_reserve_movement_phase() -> None:
    """From the Ready Box, taken back at will while the phase lasts, and nobody has to (10.1.1, 10.3.4)."""
    m = match({"5131": ["33 FA [deployed]"], "5132": ["2/26"], "Allied Ready Box": ready("33 FA")}, phase=RESERVE)
    m.play(["33 FA fire", "5132"])
    assert where(m.game, "33 FA fire") == "5132"
    m.play(["5132"])
    assert where(m.game, "33 FA fire") == "Allied Ready Box"
    m.play(["done"])
    assert m.phase.name != RESERVE


def test_the_enemy_does_not_learn_which_marker_is_laid() -> None:
    """He sees that one lies there (10.3.4)."""
    units = {"5131": ["33 FA [deployed]", "2/17 FA [deployed]"], "5132": ["2/26"]}
    m = match(units | {"Allied Ready Box": ready("33 FA", "2/17 FA")}, phase=RESERVE)
    m.play(["33 FA fire", "5132"])
    told = [m.game.text(event) for event in m.events if event.to in (AXIS, -1)]
    assert "A Fire Support marker is placed on 5132" in told
    assert not any("33 FA" in text for text in told)


def test_guns_in_march_mode_or_used_up_give_no_support() -> None:
    """Deployed, on the map, the marker ready (10.1.3, 10.4.1, 5.2.5)."""
    m = match(
        {
            "5131": ["33 FA", "175 FA [deployed]", "7 FA [deployed]"], "5132": ["2/26"],
            "Le Kef": ["32 FA [deployed]"],
            "Allied Ready Box": ready("33 FA", "7 FA", "32 FA"), "Allied Used Box": ["175 FA fire"],
        },
        phase=RESERVE,
    )  # fmt: skip
    assert "7 FA fire" in m.names
    assert why(m, "33 FA fire") == ("10.1.3", "33 FA")
    assert why(m, "175 FA fire") == ("10.4.1", "175 FA")
    assert why(m, "32 FA fire") == ("5.2.5", "32 FA")


def test_one_us_or_french_gun_protects_a_hex() -> None:
    """One British may join it; the British among themselves and the Axis as many as they like (10.5.2, example 10.5.2)."""
    guns = {"33 FA": "US", "175 FA": "US", "I-67 (-)": "FR", "F/12 RHA": "UK", "D/12 RHA": "UK"}
    markers = {gun: NUMBER[f"{gun} fire"] for gun in guns}
    assert support.nations_agree([markers["33 FA"], markers["F/12 RHA"]])
    assert not support.nations_agree([markers["33 FA"], markers["F/12 RHA"], markers["D/12 RHA"]])
    assert not support.nations_agree([markers["33 FA"], markers["175 FA"]])
    assert not support.nations_agree([markers["33 FA"], markers["I-67 (-)"]])
    assert support.nations_agree([markers["F/12 RHA"], markers["D/12 RHA"]])
    m = match(
        {"5131": ["33 FA [deployed]", "175 FA [deployed]", "2/26"], "Allied Ready Box": ready("33 FA", "175 FA")},
        phase=RESERVE,
    )
    m.play(["33 FA fire", "5131", "175 FA fire"])
    assert why(m, "5131") == ("10.5.2", "5131")


def test_an_sp_gun_in_reserve_moves_or_fires() -> None:
    """Not both in one phase (8.2.7)."""
    g = game({"5131": ["91 FA [deployed, moved]", "68 FA [deployed]"], "Allied Ready Box": ready("91 FA", "68 FA")})
    assert support.may_assign(g, ALLIED) == [NUMBER["68 FA fire"]]


def test_an_enemy_who_comes_next_to_a_gun_ends_what_it_protects() -> None:
    """After the advance into 2811 the gun in 2810 protects 2910 no more; it is ready again (10.3.6, example 17 FPF lost)."""
    g = game(thala())
    for unit in ("10 RB (-)", "450/71 Fd"):
        g.state.where[NUMBER[unit]] = BOARD["2709"]
    arrive(g, AXIS, [NUMBER["7/7/10"]], BOARD["2811"])
    assert where(g, "90/23 Fd fire") == "Allied Ready Box"


def test_barrage_is_not_ended_by_an_enemy_next_to_the_gun() -> None:
    """Once laid it stays (10.2.1)."""
    g = game(
        {"5131": ["2/26", *ready("1/90/10")], "5130": ["I/Jg"], "5129": ["1/90/10 [deployed]"], "4020": ["A/81 Rn"]}
    )
    arrive(g, ALLIED, [NUMBER["A/81 Rn"]], BOARD["5128"])
    assert where(g, "1/90/10 fire") == "5131"


BARRAGE = {
    "5131": ["2/26"], "5130": ["I/Jg"], "5129": ["1/90/10 [deployed]", "2/90/10 [deployed]", "3/90/10"], "5126": ["II/Jg"],
    "5125": ["II/71 Werfer [deployed]"],
    "Axis Ready Box": ready("1/90/10", "2/90/10", "3/90/10", "II/71 Werfer"),
}  # fmt: skip


def test_all_barrage_is_laid_before_the_first_combat() -> None:
    """By guns in range that are Deployed and ready; none has to (10.1.1, 10.1.2, 10.1.3, 10.2.1, 12.5.1)."""
    m = laying(BARRAGE, ["I/Jg"], "5131")
    assert set(m.names) == {"1/90/10 fire", "2/90/10 fire", "done"}
    assert why(m, "3/90/10 fire") == ("10.1.3", "3/90/10")
    assert why(m, "II/71 Werfer fire") == ("10.1.2", "5131")
    m.play(["1/90/10 fire", "5131"])
    assert where(m.game, "1/90/10 fire") == "5131"
    assert set(m.names) == {"2/90/10 fire", "done"}
    assert why(m, "5131") == ("10.2.1", "5131")


def test_a_gun_in_an_enemy_zone_barrages_only_him_who_exerts_it() -> None:
    """Not the neighbour (10.2.3)."""
    g = game(BARRAGE | {"5128": ["3/26"]}, phase="axis combat")
    fight(g, ["I/Jg"], ["5131"])
    assert combat.barrage_hexes(g, AXIS) == {}
    g = game(BARRAGE | {"5128": ["3/26"], "5028": ["II/104B"]}, phase="axis combat")
    fight(g, ["II/104B"], ["5128"])
    assert hexes([hex for found in combat.barrage_hexes(g, AXIS).values() for hex in found]) == ["5128", "5128"]


def test_one_hex_in_range_is_enough_of_several() -> None:
    """The marker lies on that (9.1.8, 10.1.6)."""
    g = game({"5131": ["2/26"], "5030": ["3/26"], "5130": ["I/Jg"], "5027": ["1/131 [deployed]"]}, phase="axis combat")
    battle = fight(g, ["I/Jg"], ["5131", "5030"])
    assert hexes(combat.within_reach(g, NUMBER["1/131"], battle)) == ["5030"]


def test_no_barrage_for_at_fire() -> None:
    """Only anti-tank units fight there (16.1.5)."""
    g = game(BARRAGE | {"5131": ["G/1a"], "5130": ["9/90 Flak [deployed]"]}, phase="axis combat")
    fight(g, ["9/90 Flak"], ["5131"], AT_FIRE)
    assert combat.barrage_hexes(g, AXIS) == {}


def test_an_fpf_marker_still_in_place_may_be_changed_to_barrage() -> None:
    """In the owner's own Segment (10.3.5)."""
    units = {"5131": ["I/91"], "5130": ["2/26", *ready("33 FA")], "5129": ["33 FA [deployed]"]}
    g = game(units, phase="allied combat")
    fight(g, ["2/26"], ["5131"])
    m = Match.at(g)
    assert set(m.names) == {"5130", "done"}
    m.play(["5130"])
    assert where(m.game, "33 FA fire") == "Allied Ready Box"
    m.play(["33 FA fire"])
    assert "5131" in m.names


def test_a_gun_fires_in_one_combat_a_turn() -> None:
    """The Axis cannot protect with what has barraged, the Allies not barrage with what has protected; for the next turn they
    may lay it again (10.1.4)."""
    g = game({"5131": ["33 FA [deployed]", "2/26"], "Allied Ready Box": ready("33 FA"), "5020": ["I/Jg", "1/90/10 [deployed]"],
              "Axis Ready Box": ready("1/90/10")})  # fmt: skip
    assert support.may_assign(g, AXIS) == [NUMBER["1/90/10 fire"]]
    for unit in ("33 FA fire", "1/90/10 fire"):
        g.state.flags[NUMBER[unit]] |= FOUGHT
    assert support.may_assign(g, AXIS) == []
    assert support.may_assign(g, ALLIED) == [NUMBER["33 FA fire"]]
    refusal = combat.why_silent(g, NUMBER["33 FA fire"])
    assert refusal is not None
    assert refusal.rule == "10.1.4"


def test_a_side_can_imagine_where_markers_lie() -> None:
    """What the Axis may not know can be otherwise (10.3.4)."""
    m = match(thala(), phase="axis combat declaration")
    other = m.imagined(AXIS, random.Random(4), SeededDice(1))
    assert other.names == m.names


def test_close_air_support_needs_an_hq_in_range() -> None:
    """Of one's own, on the map (11.3.1, 15.2.2)."""
    g = game({"5131": ["2/26"], "5130": ["I/Jg"], "5125": ["HQ 10 Pz"], "5133": ["HQ 1"]})
    battle = fight(g, ["I/Jg"], ["5131"])
    assert close_support.mission_hexes(g, battle, AXIS) == []
    assert close_support.mission_hexes(g, battle, ALLIED) == [BOARD["5131"]]


def test_no_allied_aircraft_for_the_french() -> None:
    """Neither for hexes they defend alone nor for their attacks (11.3.6)."""
    g = game({"5131": ["I/3 RSA"], "5130": ["I/Jg", "HQ 10 Pz"], "5132": ["HQ 1", "2/26"]})
    assert close_support.mission_hexes(g, fight(g, ["I/Jg"], ["5131"]), ALLIED) == []
    assert close_support.mission_hexes(g, fight(g, ["I/3 RSA"], ["5130"]), ALLIED) == []
    assert close_support.mission_hexes(g, fight(g, ["I/3 RSA", "2/26"], ["5130"]), ALLIED) == [BOARD["5130"]]
    joined = game({"5131": ["I/3 RSA", "Repl I"], "5130": ["I/Jg"], "5132": ["HQ 1"]})
    assert close_support.mission_hexes(joined, fight(joined, ["I/Jg"], ["5131"]), ALLIED) == [BOARD["5131"]]


AIR = {
    "5131": ["2/26", "HQ 1"], "5130": ["I/Jg", "HQ 10 Pz"],
    "Axis Ready Box": ["Ju87 a", "Ju87 b", "Ju87 c"], "Allied Ready Box": ["Hurricane", "A-20 a", "A-20 b"],
}  # fmt: skip


def test_both_sides_send_up_to_two_air_units_the_allies_first() -> None:
    """From the Ready Box; then all roll (11.3.2, 11.3.3, 12.5.1)."""
    m = laying(AIR, ["I/Jg"], "5131", weather=CLOUDY)
    assert m.decision is not None
    assert m.decision.side == ALLIED
    m.play(["A-20 a"])
    assert why(m, "A-20 a") == ("11.1.4", "A-20 a")
    m.play(["A-20 b"])
    assert m.decision.side == AXIS
    rolls = len(m.game.rolls)
    m.play(["Ju87 a", "Ju87 b"])
    flown = [text.split(":")[0] for text in map(m.game.text, m.events) if text.startswith("arrival of")]
    assert flown == ["arrival of A-20 a", "arrival of A-20 b", "arrival of Ju87 a", "arrival of Ju87 b"]
    assert len(m.game.rolls) >= rolls + 4


def test_the_air_battle_over_2811_and_2910() -> None:
    """Hurricane 3 goes home, Ju87 2 arrives; A-20s with 4 and 1 are one used and one there, Ju87s with 2 and 3 one there and
    one ready (11.3.2-4, example 17 air 2811, example 17 air 2910)."""
    g = game(AIR, weather=CLOUDY, dice=[3, 2])
    battle = fight(g, ["I/Jg"], ["5131"])
    send(g, battle, ["Hurricane", "done", "Ju87 a", "done"])
    assert (where(g, "Hurricane"), where(g, "Ju87 a")) == ("Allied Ready Box", "5131")
    assert close_support.points(g, battle, AXIS) == 2
    g = game(AIR, weather=CLOUDY, dice=[4, 1, 2, 3])
    battle = fight(g, ["I/Jg"], ["5131"])
    send(g, battle, ["A-20 a", "A-20 b", "Ju87 b", "Ju87 c"])
    found = [where(g, unit) for unit in ("A-20 a", "A-20 b", "Ju87 b", "Ju87 c")]
    assert found == ["Allied Used Box", "5131", "5131", "Axis Ready Box"]
    assert close_support.points(g, battle, AXIS) == close_support.points(g, battle, ALLIED)
    close_support.come_home(g, battle)
    assert [where(g, unit) for unit in ("A-20 b", "Ju87 b")] == ["Allied Used Box", "Axis Used Box"]


def send(g: G, battle: Battle, clicks: list[str]) -> None:
    """Both sides send what is named."""
    asking = close_support.support(g, battle)
    next(asking)
    for click in clicks:
        try:
            asking.send(g.rules.parse(click))
        except StopIteration:
            return


def test_the_chance_of_arrival_is_shown() -> None:
    """Cloudy 2 of 6 for a Stuka, less in Rain (11.1.6, 11.3.3)."""
    assert close_support.chance(game(AIR, weather=CLOUDY), NUMBER["Ju87 a"], False) == Fraction(2, 6)
    assert close_support.chance(game(AIR, weather=RAIN), NUMBER["Ju87 a"], False) == Fraction(1, 6)


def test_interdicting_units_take_no_part_in_combat() -> None:
    """They have their mission (11.1.4, 11.3.4)."""
    g = game(AIR | {"5131": ["2/26", "HQ 1", "Fw190 [interdicting]"]})
    assert close_support.points(g, fight(g, ["I/Jg"], ["5131"]), AXIS) == 0


def test_whoever_passes_a_gun_stops_its_support() -> None:
    """As if he had paused beside it (10.3.6)."""
    position = {"2810": ["90/23 Fd [deployed]"], "2808": ["10 RB (-)", "90/23 Fd fire [face down]"], "2812": ["1/7/10"]}
    for clicks in (["1/7/10", "2307"], ["1/7/10", "2811", "1/7/10", "2307"]):
        m = match(position)
        m.play(clicks)
        assert where(m.game, "90/23 Fd fire") == "Allied Ready Box"


def test_a_gun_without_a_marker_on_its_hex_counts_in_the_odds() -> None:
    """All can see that it does not fire for its hex (10.3.3, 12.5.2)."""
    units = {"5131": ["2/26", "33 FA [deployed]"], "5130": ["1/7/10", "I/104B", "II/104B"]}
    attackers, there = [NUMBER[u] for u in units["5130"]], [BOARD["5131"]]
    m = match(units | {"Allied Ready Box": ["33 FA fire [face down]"]}, phase="axis combat declaration")
    assert m.odds(AXIS, attackers, there).column == "3-2"
    laid = units | {"5131": [*units["5131"], "33 FA fire [face down]"]}
    assert "33 FA" not in [term.text for term in match(laid).odds(AXIS, attackers, there).terms]


def test_what_has_fired_lies_nowhere_hidden_while_combats_last() -> None:
    """Of two guns in range one has fired openly, so the other's marker lies there (10.1.4)."""
    units = {
        "2811": ["10 RB (-)", "450/71 Fd fire [face down]"], "2810": ["450/71 Fd [deployed]", "34 FA [deployed]"],
        "2812": ["1/7/10"], "Allied Ready Box": ["34 FA fire [face down]"],
    }  # fmt: skip
    g = game(units, phase="axis combat")
    battle = fight(g, ["1/7/10"], ["2811"])
    assert len(preview.hidden_fire(g, battle)) == 2
    g.state.flags[NUMBER["34 FA fire"]] |= FOUGHT
    assert preview.hidden_fire(g, battle) == {FPF[NUMBER["450/71 Fd fire"]]: 1}
    for seed in range(10):
        assert hidden.imagine(g.state, AXIS, random.Random(seed)).where[NUMBER["34 FA fire"]] == READY[ALLIED]


def test_odds_are_those_of_whoever_asks() -> None:
    """Each counts his own markers by name; those of the enemy, and both to an onlooker, are only a number (10.2.1, 10.3.4)."""
    units = {
        "5726": ["A/6a", "91 FA [deployed]", "91 FA fire [face down]", "2/90/10 fire [face down]"],
        "5826": ["1/7/10"], "6024": ["1/90/10 [deployed]", "2/90/10 [deployed]"],
        "Axis Ready Box": ["1/90/10 fire [face down]"],
    }  # fmt: skip
    m = laying(units, ["1/7/10"], "5726")
    attack = [NUMBER["1/7/10"]], [BOARD["5726"]]

    def terms(viewer: int) -> dict[str, str]:
        return {term.text: term.value for term in m.odds(viewer, *attack).terms}

    assert terms(AXIS)["2/90/10 fire"] == str(COUNTERS[NUMBER["2/90/10"]].factors["barrage"])
    for viewer in (ALLIED, EVERYONE):
        assert not any("90/10" in text for text in terms(viewer))
        assert terms(viewer)["hidden Barrage Fire, not counted: markers"] == "1"
