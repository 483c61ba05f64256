"""What a table without a rule of its own shows of the game: it must agree with the rules, say where it has it from, tell nobody
what he may not know, and change nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

from khamsin import games, rulebook
from khamsin.games.kasserine import supply
from khamsin.games.kasserine.display import DISPLAY
from khamsin.games.kasserine.headquarters import RANGE
from khamsin.games.kasserine.layers import striking
from khamsin.games.kasserine.paths import FIGURE
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    HALVES,
    HEXES,
    NUMBER,
    SIDE,
    UNITS,
    G,
    KasserineState,
)
from khamsin.games.kasserine.zones import zone
from khamsin.kernel import EVERYONE, NOWHERE, Decision, KeyedDice, Match, Odds
from khamsin.kernel.display import TONES, Layer, Sheet
from tests.rulebook.kasserine.table import begun, game, match

RULES = games.load("kasserine")
SECTIONS = {entry.number for entry in rulebook.read("kasserine")}
VIEWERS = (AXIS, ALLIED, EVERYONE)
FRONT = {
    "5726": ["A/6a", "91 FA [deployed]"],
    "5826": ["1/7/10", "5+6/69/10"],
    "6024": ["HQ 10 Pz", "1/90/10 [deployed]"],
}
"""American infantry and guns in Sidi bou Zid, panzers next to it, and their guns behind."""


def walk(seed: int, scenario: str, questions: int) -> Iterator[tuple[Match[KasserineState], Decision]]:
    """Every question of a random game."""
    chance = random.Random(seed)
    options = {name: chance.choice(values) for name, values in RULES.scenario(scenario).options.items()}
    match: Match[KasserineState] = Match(RULES, scenario, options, KeyedDice.seeded(seed))
    for _ in range(questions):
        if match.decision is None:
            return
        yield match, match.decision
        open_ = list(match.decision.legal)
        others = [click for click in open_ if click < RULES.first_button]
        buttons = [click for click in open_ if click >= RULES.first_button]
        match.click(chance.choice(buttons if not others or (buttons and chance.random() < 0.1) else others))


def faces(g: G, *units: str) -> list[str]:
    return [DISPLAY.face(g, NUMBER[unit]) for unit in units]


def badges(g: G, unit: str) -> dict[str, str]:
    return {badge.mark: badge.text for badge in DISPLAY.badges(g, NUMBER[unit])}


def captions(match: Match[KasserineState]) -> list[str]:
    assert match.decision is not None
    buttons = [RULES.names[click] for click in match.decision.legal if click >= RULES.first_button]
    return [DISPLAY.caption(match.game, match.decision, button) for button in buttons]


def tracks(g: G, side: int = AXIS) -> dict[str, str]:
    return {track.title: track.value for track in DISPLAY.tracks(g, side)}


def calendar(g: G) -> dict[tuple[int, str], set[str]]:
    return {(a.turn, a.text): {RULES.names[u] for u in a.units} for a in DISPLAY.calendar(g, AXIS)}


def layer(g: G, name: str, side: int) -> Layer:
    return DISPLAY.layers[name].make(g, side)


def labels(layer: Layer) -> dict[str, str]:
    return {BOARD.name(spot.place): spot.label for spot in layer.spots}


def tones(layer: Layer) -> dict[str, str]:
    return {BOARD.name(spot.place): spot.tone for spot in layer.spots}


def sheets(match: Match[KasserineState], click: str = "") -> list[Sheet]:
    assert match.decision is not None
    seen = match.game.seen_by(match.decision.side)
    return list(DISPLAY.sheets(seen, match.decision, RULES.parse(click) if click else NOWHERE))


def fought(sheet: Sheet) -> tuple[set[str], set[str]]:
    return {RULES.names[u] for u in sheet.attackers}, {BOARD.name(hex) for hex in sheet.targets}


def reach(match: Match[KasserineState]) -> dict[str, tuple[int, int, str]]:
    assert match.decision is not None
    found = DISPLAY.reach(match.game, match.decision)
    return {BOARD.name(at): (step.cost, step.left, BOARD.name(step.before)) for at, step in found.items()}


# Dates, faces, badges


def test_two_turns_make_a_day() -> None:
    """18 turns from 14 February, six from 30 January; The Axis Decide begins on the 19th (18.1.1, 18.2.1, 18.3.1)."""
    dates = DISPLAY.turns(begun("campaign").game)
    assert (len(dates), dates[0], dates[15], dates[17]) == (18, "14 Feb 1943 AM", "21 Feb 1943 PM", "22 Feb 1943 PM")
    assert DISPLAY.turns(begun("decide").game)[10] == "19 Feb 1943 AM"
    faid = DISPLAY.turns(begun("faid").game)
    assert (len(faid), faid[0], faid[5]) == (6, "30 Jan 1943 AM", "1 Feb 1943 PM")


def test_a_face_is_attack_defence_and_movement_of_the_side_that_is_up() -> None:
    """Full and reduced (2.2.3, 3.4.1)."""
    g = game({"6324": ["1/7/10"], "5726": ["D/13a [steps 1]", "H/1a"]})
    full = RULES.counters[NUMBER["D/13a"]].factors
    assert faces(g, "1/7/10", "D/13a") == ["4-3-9", f"{full['reduced attack']}-{full['reduced defence']}-{full['ma']}"]


def test_a_deployed_gun_shows_its_fire_and_one_in_march_mode_its_strengths() -> None:
    """Barrage, Final Protective Fire and range; against armour only for anti-tank units (2.2.4, 7.6)."""
    g = game({"6324": ["1/90/10 [deployed]", "2/90/10", "1/90 Pzjg [deployed]", "2/90 Pzjg"]})
    assert faces(g, "1/90/10", "2/90/10", "1/90 Pzjg", "2/90 Pzjg") == ["3/3-4", "1-1-7", "3/3 AT", "1-1-8"]


def test_air_units_show_their_support_and_rommel_how_far_he_goes() -> None:
    """CAS, and whether they interdict (2.2.7, 15.5)."""
    g = game({"Axis Ready Box": ["Ju87 a", "Fw190"], "6324": ["Rommel", "1/7/10"]})
    assert faces(g, "Ju87 a", "Fw190", "Rommel") == ["2", "1 I", "12"]


def test_an_untried_unit_shows_no_strength_to_anybody() -> None:
    """Not even to its owner; once it has fought, to all (4.2.2)."""
    g = game({"6324": ["I/4 RTT [untried, quality 2]", "II/4 RTT [quality 2]"]})
    for viewer in VIEWERS:
        assert faces(g.seen_by(viewer), "I/4 RTT") == ["?-?-4"]
        assert "?" not in faces(g.seen_by(viewer), "II/4 RTT")[0]
    assert faces(g, "I/4 RTT") == ["?-?-4"]


def test_every_flag_has_a_badge_of_at_most_three_letters_with_its_section() -> None:
    g = game({"6324": ["1/7/10"]})
    unit = NUMBER["1/7/10"]
    for flag in RULES.flags:
        g.state.flags[unit] = RULES.flag[flag]
        (badge,) = DISPLAY.badges(g, unit)
        assert 1 <= len(badge.mark) <= 3
        assert badge.rule in SECTIONS
        assert badge.tone in TONES


def test_a_unit_that_has_moved_shows_what_is_left_in_points() -> None:
    """Half points too (7.1.3, 7.3.1)."""
    moving = match({"6324": ["1/7/10"]})
    assert badges(moving.game, "1/7/10") == {}
    moving.play(["1/7/10", "6223"])
    spent = moving.state.spent[NUMBER["1/7/10"]]
    assert badges(moving.game, "1/7/10")["M"] == f"has moved: {FIGURE[18 - spent]} of 9 MP left"


def test_garrisons_guns_and_attackers_say_what_they_are() -> None:
    """Their release (18.2.3), what their marker has done (10.1.4, 10.4.1), their combat (9.1.2)."""
    units = {
        "1016": ["G/13a [release 6]"],
        "5726": ["91 FA [deployed]", "68 FA"],
        "Allied Used Box": ["91 FA fire"],
        "Allied Ready Box": ["68 FA fire [fought, face down]"],
    }
    g = game(units)
    assert badges(g, "G/13a")["G6"].startswith("Garrison: cannot move before turn 6")
    assert {"DEP", "USD"} == set(badges(g, "91 FA"))
    assert {"MAR", "F"} == set(badges(g, "68 FA"))
    attack = match(FRONT, phase="axis combat declaration")
    attack.play(["5726", "assault"])
    assert badges(attack.game, "1/7/10")["C1"] == "Attacks in combat 1"


# What is hidden


def test_an_enemy_marker_that_lies_face_down_has_no_name() -> None:
    """Its owner sees it, the enemy and spectators its back, all alike (10.3.4)."""
    units = {"5726": ["91 FA [deployed]", "91 FA fire [face down]"], "Allied Ready Box": ["68 FA fire [face down]"]}
    g = game(units | {"Allied Used Box": ["27 FA fire"], "6324": ["1/7/10"]})
    hidden, ready, used, other = (NUMBER[name] for name in ("91 FA fire", "68 FA fire", "27 FA fire", "1/7/10"))
    for viewer, back in ((ALLIED, ""), (AXIS, "Allied Fire Support"), (EVERYONE, "Allied Fire Support")):
        seen = g.seen_by(viewer)
        assert [DISPLAY.back(seen, unit, viewer) for unit in (hidden, ready)] == [back, back]
        assert [DISPLAY.back(seen, unit, viewer) for unit in (used, other)] == ["", ""]


def test_the_victory_plan_is_known_to_the_axis_until_it_is_read() -> None:
    """To the Allies it is one of three (18.2.7, 18.2.8)."""
    g = game({"6324": ["1/7/10"]}, turn=12, plan=2)
    assert tracks(g.seen_by(AXIS))["Victory Plan"] == "B, Rommel"
    for viewer in (ALLIED, EVERYONE):
        seen = tracks(g.seen_by(viewer), viewer)
        assert seen["Victory Plan"] == "drawn, known to the Axis only"
        assert {"Plan A, v.Arnim", "Plan B, Rommel", "Plan C, Compromise"} <= set(seen)
    assert "Plan A, v.Arnim" not in tracks(g.seen_by(AXIS))
    g.state.decrypted = 1
    assert tracks(g.seen_by(ALLIED), ALLIED)["Victory Plan"] == "B, Rommel, read by the Allies"


def test_the_defender_counts_his_own_markers_and_not_those_he_does_not_know() -> None:
    """Barrage that lies face down is none of his knowledge (10.2.1, 10.3.4)."""
    units = {
        "5726": ["A/6a", "91 FA [deployed]", "91 FA fire [face down]", "1/90/10 fire [face down]"],
        "5826": ["1/7/10 [battle 1]"],
        "6024": ["1/90/10 [deployed]"],
        "Axis Ready Box": ["2/90/10 fire [face down]"],
    }
    g = game(units, phase="axis combat")
    g.state.targets[BOARD["5726"]], g.state.tables["1"] = 1, 0
    question = Decision(ALLIED, "combat.air", "", "11.3.2", {RULES.button("done"): None})
    (theirs,) = DISPLAY.sheets(g.seen_by(ALLIED), question, NOWHERE)
    terms = {term.text: term.value for term in theirs.odds.terms}
    assert terms["hidden Barrage Fire, not counted: markers"] == "1"
    assert next(value for text, value in terms.items() if text.startswith("Final Protective Fire")) == "3"
    (ours,) = DISPLAY.sheets(g.seen_by(AXIS), Decision(AXIS, "combat.order", "", "12.0", {}), NOWHERE)
    assert not any("not counted" in term.text for term in ours.odds.terms)


# Buttons, marks, tracks, objectives, calendar


def test_buttons_say_what_they_do() -> None:
    """The same button by the question it answers (7.0, 7.6.2, 9.1.2)."""
    moving = match({"6324": ["1/90/10 [deployed]", "1/7/10"]})
    assert captions(moving) == ["End movement"]
    moving.play(["1/90/10"])
    assert "Change to March mode (2 MP)" in captions(moving)
    attack = match(FRONT, phase="axis combat declaration")
    assert captions(attack) == ["End declarations"]
    attack.play(["5726"])
    assert {"Declare Assault combat", "Call off attack"} <= set(captions(attack))


def test_marks_show_what_lies_on_the_map() -> None:
    """Control (3.1.1), sources (6.3.1), strongpoints (14.3.2), interdiction (11.2.3), attacks with their table (9.1.2)."""
    g = game(
        {"6324": ["1/7/10"], "5426": ["P-39 [interdicting]"]},
        axis=["4420"],
        strongpoints={"axis": ["6324"], "allied": ["5823"]},
    )
    g.state.works[BOARD["5726"]] = ALLIED
    g.state.targets[BOARD["5823"]], g.state.tables["1"] = 1, 1
    del g.state.source[BOARD["1016"]]
    marks = {(mark.kind, BOARD.name(mark.place)): mark for mark in DISPLAY.marks(g, AXIS)}
    assert (marks["control", "4420"].side, marks["control", "4420"].text) == (
        AXIS,
        "Sbeitla (4420) is friendly to the Axis",
    )
    assert marks["source", "1016"].text == "Allied Supply Source (not working)"
    assert marks["source", "6725"].side == AXIS
    assert (marks["strongpoint", "6324"].side, marks["strongpoint", "5823"].side) == (AXIS, ALLIED)
    assert marks["works", "5726"].text == "Allied strongpoint under construction"
    assert marks["interdiction", "5426"].side == ALLIED
    assert marks["combat", "5823"].text == "Combat 1: mobile"


def test_the_weather_to_come_is_told_by_its_chances() -> None:
    """By the table, by history, or as the scenario says (5.1.1, 5.1.6, 18.3.4)."""
    g = game({"6324": ["1/7/10"]}, turn=11, weather=1)
    assert tracks(g)["Weather"] == "Cloudy"
    assert tracks(g)["Weather next turn"] == "Dry 1/6, Cloudy 1/3, Rain 1/2"
    told = game({"6324": ["1/7/10"]}, turn=11, options={"weather": "historical"})
    assert tracks(told)["Weather next turn"] == "Rain"
    assert tracks(begun("decide").game)["Weather next turn"] == "Cloudy"
    assert "Weather next turn" not in tracks(game({"6324": ["1/7/10"]}, turn=18))


def test_the_tracks_count_air_units_markers_strongpoints_and_rommel() -> None:
    """By the boxes they lie in, and by what is in play (10.4.1, 11.1.4, 14.3.1, 15.5.2)."""
    g = game(
        {"Axis Ready Box": ["Ju87 a"], "Axis Used Box": ["Ju87 b", "1/90/10 fire"], "6324": ["Rommel", "1/90/10"]},
        strongpoints={"axis": ["6324"]},
        bonus=1,
        bonus_turn=16,
    )
    shown = tracks(g)
    assert shown["Axis air units"] == "1 ready, 0 flying, 1 used"
    assert shown["Axis Fire Support"] == "0 ready, 0 laid, 1 used"
    assert shown["Axis strongpoints left"] == "7 of 8"
    assert shown["Rommel's bonus"] == "1 left, none left this turn"
    assert "Axis strongpoints left" not in tracks(begun("faid").game)


def test_objectives_say_who_holds_them_and_what_they_are_needed_for() -> None:
    """Eight places, and three plans that name some of them (18.1.5, 18.2.6, 18.2.7)."""
    g = game({"6324": ["1/7/10"]}, turn=8, axis=["4420", "5706"], option=1)
    places = {BOARD.name(o.place): o for o in DISPLAY.objectives(g, ALLIED)}
    assert len(places) == 8
    assert (places["4420"].holder, places["1016"].holder) == (AXIS, NOWHERE)
    assert "Plan A, v.Arnim: needed" in places["5706"].text
    assert "Plan C, Compromise: this one or Sbiba (4109)" in places["2809"].text
    assert "Up to turn 10: one of 4 places" in places["1016"].text
    assert tracks(g)["Plan A, v.Arnim"] == "El Ala (5706) held; 1 of 3 others"
    assert tracks(g)["Up to turn 10"] == "2 of 4 places"
    assert "Up to turn 10" not in tracks(game({"6324": ["1/7/10"]}, turn=11))
    assert len(list(DISPLAY.objectives(begun("faid").game, AXIS))) == 7


def test_what_is_said_of_the_conditions_is_what_decides() -> None:
    """Four places up to turn 10 (18.2.6)."""
    g = game({"6324": ["1/7/10"]}, turn=8, axis=["4420", "5726", "3119", "2123"])
    assert tracks(g)["Up to turn 10"] == "fulfilled now"


def test_the_calendar_promises_arrivals_withdrawals_releases_and_the_plan() -> None:
    """From the set-up card of the campaign (5.2.1, 5.2.6, 18.2.3, 18.2.5, 18.2.7, 18.2.8)."""
    coming = calendar(begun("campaign").game)
    assert coming[8, "Arriving at Maktar: 6 units"] >= {"HQ 1", "1/18"}
    assert coming[9, "Arriving at Tebessa (1016): 1 unit"] == {"1/26"}
    assert "Rommel" in coming[7, "Entering, South edge entry area: 15 units"]
    assert coming[3, "Arriving in the Ready Box: 1 unit"]
    assert coming[13, "Withdrawn: 1 unit"] == {"Bf109"}
    assert "HQ 34" in coming[7, "Garrison released: Fondouk Group"]
    assert len(coming[6, "One unit of the XIX Corps Reserve to Ousseltia"]) == 6
    assert (11, "The Axis draws its Victory Plan") in coming
    assert any(turn == 12 and "try to read" in text for turn, text in coming)
    later = begun("decide")
    assert any(turn == 11 and "try to read" in text for turn, text in calendar(later.game))


def test_what_has_come_is_promised_no_more() -> None:
    """In random play what is promised for a turn to come still waits (5.2.1, 5.2.6)."""
    for played, _ in walk(6, "campaign", 800):
        for arrival in DISPLAY.calendar(played.game, EVERYONE):
            assert arrival.turn >= played.state.turn
            if arrival.rule == "5.2.1":
                assert not any(0 <= played.state.where[unit] < HEXES for unit in arrival.units)


# Layers


def test_the_supply_layer_draws_routes_and_says_what_cuts_them() -> None:
    """From unit to source, hex by hex (6.2); a zone across the only road (6.2.3)."""
    fed = layer(game({"6324": ["1/7/10"]}), "supply", AXIS)
    (line,) = fed.lines
    assert (BOARD.name(line.places[0]), BOARD.name(line.places[-1]), line.tone) == ("6324", "6725", "supply")
    assert line.text == "1/7/10: to 6725"
    assert all(there in BOARD.around(here) for here, there in pairwise(line.places))
    g = game({"4420": ["1/7/10"]})
    g.state.source.clear()
    (note,) = layer(g, "supply", AXIS).notes
    assert (note.text, note.rule, BOARD.name(note.place)) == ("1/7/10: no Supply Source works", "6.3.1", "4420")
    assert labels(layer(g, "supply", AXIS))["4420"] == "cut off"


def test_the_supply_layer_names_the_hex_and_the_unit_that_bar_the_way() -> None:
    """An enemy on the road to the only source (6.2)."""
    g = game({"6127": ["A/6a"], "4421": ["1/7/10"]}, scenario="faid", turn=3)
    shown = layer(g, "supply", ALLIED)
    (note,) = shown.notes
    assert note.text == "A/6a: no Supply Route from 6127: it is cut at 4521 by 1/7/10"
    assert (labels(shown)["6127"], labels(shown)["4521"]) == ("cut off", "barred")
    (line,) = shown.lines
    assert (line.tone, BOARD.name(line.places[-1])) == ("closed", "4420")


def test_zones_are_hostile_or_own_by_who_looks() -> None:
    """Wherever the rules have a zone (3.2)."""
    g = game({"5726": ["A/6a"]})
    for side, tone in ((AXIS, "closed"), (ALLIED, "own"), (EVERYONE, "own")):
        shown = layer(g, "allied zones", side)
        assert {spot.place for spot in shown.spots} == {hex for hex in range(HEXES) if zone(g, ALLIED)[hex]}
        assert {spot.tone for spot in shown.spots} == {tone}
    assert layer(g, "axis zones", AXIS).spots == ()


def test_the_control_layer_knows_whose_a_hex_is_and_what_is_contested() -> None:
    """Between the armies by zones, elsewhere by who was there last (3.1.1-3)."""
    g = game({"5726": ["A/6a"], "5926": ["1/7/10"]}, axis=["4420"])
    shown = layer(g, "control", AXIS)
    assert (tones(shown)["5726"], tones(shown)["5926"], tones(shown)["4420"]) == ("closed", "own", "own")
    assert labels(shown)["4420"] == "Axis"
    both = [hex for hex in range(HEXES) if zone(g, AXIS)[hex] and zone(g, ALLIED)[hex]]
    assert both
    assert {tones(shown)[BOARD.name(hex)] for hex in both} == {"border"}


def test_interdiction_command_and_guns_have_their_reach() -> None:
    """Roads within two hexes, four hexes, and the range of the gun (10.1.2, 11.2.5, 15.1.1)."""
    g = game(
        {
            "5726": ["P-39 [interdicting]"],
            "6324": ["HQ 10 Pz", "1/90/10 [deployed]", "2/90/10"],
            "6124": ["1/7/10", "1/90/10 fire [face down]"],
            "Axis Ready Box": ["2/90/10 fire [face down]"],
        }
    )
    air = layer(g, "interdiction", AXIS)
    assert tones(air)["5726"] == "closed"
    assert air.notes[0].text == "P-39 interdicts from Sidi bou Zid (5726)"
    near = layer(g, "command", AXIS)
    assert {spot.place for spot in near.spots} == set(BOARD.within(BOARD["6324"], RANGE))
    assert labels(near)["6324"] == "HQ 10 Pz"
    assert layer(g, "command", ALLIED).spots == ()
    own = layer(g, "guns", AXIS)
    assert labels(own)["6124"] == "3"
    assert {spot.place for spot in own.spots} == set(BOARD.within(BOARD["6324"], 4))
    assert [line.text for line in own.lines] == ["1/90/10 supports 6124"]
    assert own.notes[0].text == "2/90/10 in Faid Pass (6324) is in March mode"
    assert layer(g.seen_by(EVERYONE), "guns", EVERYONE).lines == ()


def test_the_threat_is_the_strength_that_could_come_beside_a_hex() -> None:
    """As if the enemy moved now; a garrison does not (7.1.1, 18.2.3)."""
    g = game({"6324": ["1/7/10", "2/7/10"], "5726": ["A/6a"]}, phase="allied movement")
    assert labels(layer(g, "threat", ALLIED))["5726"] == "8"
    both = {(BOARD.name(spot.place), spot.label.split()[0]) for spot in layer(g, "threat", EVERYONE).spots}
    assert {("5726", "Axis"), ("5625", "Allied")} <= both
    g.state.release[NUMBER["A/6a"]] = 18
    assert not any(striking(g, ALLIED))


# Ways


def test_ways_are_counted_in_halves_of_a_point() -> None:
    """Along a road half a point a hex (7.3.1)."""
    assert (DISPLAY.parts, DISPLAY.points) == (HALVES, "MP")
    moving = match({"6324": ["1/7/10"]})
    moving.play(["1/7/10"])
    assert reach(moving)["6224"] == (1, 17, "6324")
    assert reach(moving)["6124"] == (2, 16, "6225")


def test_the_way_is_asked_for_only_where_something_moves() -> None:
    """Not while combats are declared (9.1)."""
    attack = match(FRONT, phase="axis combat declaration")
    attack.play(["5726", "1/7/10"])
    assert reach(attack) == {}


# Combats


def test_pointing_at_a_hex_shows_all_that_could_attack_it() -> None:
    """Every unit beside it that is free to attack (9.1.1)."""
    attack = match(FRONT, phase="axis combat declaration")
    assert sheets(attack) == []
    (sheet,) = sheets(attack, "5726")
    assert sheet.title == "This combat: Sidi bou Zid (5726)"
    assert fought(sheet) == ({"1/7/10", "5+6/69/10"}, {"5726"})
    assert sum(sheet.odds.outcomes.values()) == 1
    assert sheets(attack, "4420") == []


def test_the_sheet_grows_with_what_is_chosen_and_pointed_at() -> None:
    """Attackers, fewer of them, and the table (9.1.2, 9.1.8)."""
    attack = match(FRONT, phase="axis combat declaration")
    attack.play(["5726"])
    assert fought(sheets(attack)[0]) == ({"1/7/10", "5+6/69/10"}, {"5726"})
    assert fought(sheets(attack, "5+6/69/10")[0]) == ({"1/7/10"}, {"5726"})
    attack.play(["5+6/69/10"])
    assert fought(sheets(attack)[0]) == ({"1/7/10"}, {"5726"})
    assert fought(sheets(attack, "5+6/69/10")[0]) == ({"1/7/10", "5+6/69/10"}, {"5726"})
    attack.play(["5+6/69/10"])
    words = {table: sheets(attack, table)[0].odds.terms[-1].text for table in ("assault", "mobile")}
    assert words == {"assault": "assault table, net modifier", "mobile": "mobile table, net modifier"}
    attack.play(["assault"])
    assert [sheet.title for sheet in sheets(attack)] == ["Combat 1: Sidi bou Zid (5726)"]


def test_a_marker_that_is_pointed_with_shows_in_the_odds() -> None:
    """Barrage Fire before it is laid (10.2.1)."""
    units = FRONT | {
        "Axis Ready Box": ["1/90/10 fire [face down]"],
        "6024": ["HQ 10 Pz"],
        "6025": ["1/90/10 [deployed]"],
    }
    attack = match(units, phase="axis combat declaration")
    attack.play(["5726", "assault", "done"])
    while attack.decision is not None and attack.decision.kind != "barrage.marker":
        attack.play(["done"])
    attack.play(["1/90/10 fire"])
    strengths = [sheets(attack, click)[0].odds.terms[0].value for click in ("", "5726")]
    assert int(strengths[1]) > int(strengths[0])


def options(sheet: Sheet) -> dict[str, Odds]:
    return {option.text: option.odds for option in sheet.options}


GUNS = FRONT | {
    "Axis Ready Box": ["1/90/10 fire [face down]", "Ju87 a", "Ju87 b"],
    "6024": ["HQ 10 Pz"],
    "6025": ["1/90/10 [deployed]"],
}


def test_an_option_shows_the_odds_that_its_choice_brings() -> None:
    """While a combat is declared, Barrage Fire that could be laid shows the sheet as it will be (10.2.1)."""
    attack = match(GUNS, phase="axis combat declaration")
    attack.play(["5726"])
    text = "Barrage Fire of 1/90/10"
    option = options(sheets(attack, "assault")[0])[text]
    attack.play(["assault"])
    plain = sheets(attack)[0].odds
    attack.play(["done"])
    while attack.decision is not None and attack.decision.kind != "barrage.marker":
        attack.play(["done"])
    assert options(sheets(attack)[0])[text] == option != plain
    attack.play(["1/90/10 fire", "5726"])
    sheet = sheets(attack)[0]
    assert sheet.odds == option
    assert text not in options(sheet)


def test_an_air_unit_counts_by_its_chance_to_arrive_and_then_in_full() -> None:
    """Sent, it is in the odds as it may arrive; over the combat, it counts what it has (11.1.6, 11.3.3, 11.3.4)."""
    attack = match(GUNS, phase="axis combat declaration", dice=[1] * 6)
    attack.play(["5726", "assault", "done"])
    while attack.decision is not None and attack.decision.kind != "combat.air":
        attack.play(["done"])
    before = sheets(attack)[0]
    (text,) = [text for text in options(before) if text.startswith("Send Ju87 a")]
    attack.play(["Ju87 a"])
    sent = sheets(attack)[0]
    assert sent.odds == options(before)[text] != before.odds
    attack.play(["done"])
    assert attack.decision is not None
    assert attack.decision.kind == "combat.roll"
    values = [
        {term.text: term.value for term in sheet.odds.terms}["attacking Close Air Support"]
        for sheet in (sent, sheets(attack)[0])
    ]
    assert values == ["-2 to 0", "-2"]


def test_a_unit_left_out_of_a_combat_is_an_option() -> None:
    """The infantry brings the Combined Arms Bonus (9.1.2, 16.2)."""
    attack = match(FRONT, phase="axis combat declaration")
    attack.play(["5726"])
    whole = sheets(attack)[0].odds
    attack.play(["5+6/69/10"])
    (sheet,) = sheets(attack)
    assert options(sheet)["Add 5+6/69/10"] == whole != sheet.odds


# All of it


def test_units_are_fed_where_the_supply_layer_shows_it() -> None:
    """Not one more, not one less, but for those that an HQ feeds (6.2, 15.4.1)."""
    chance = random.Random(7)
    for played, _ in walk(7, "decide", 1000):
        if chance.random() > 0.02:
            continue
        g = played.game
        for side in (AXIS, ALLIED):
            cut = {note.place for note in layer(g, "supply", side).notes}
            places = {unit: g.state.where[unit] for unit in UNITS if SIDE[unit] == side}
            assert cut == {hex for u, hex in places.items() if 0 <= hex < HEXES and not supply.supplied(g, u)}


def test_every_term_of_the_glossary_cites_a_section_and_is_listed_once() -> None:
    """(3.2, 7.6, 8.2)"""
    terms = RULES.display.glossary
    known = {entry.number for entry in rulebook.read("kasserine")}
    assert {"ZOC", "MP", "Reserve", "Untried"} <= {term.term for term in terms}
    assert len({term.term for term in terms}) == len(terms)
    assert all(term.rule in known and term.text for term in terms)


def test_every_counter_has_a_full_name_of_its_own() -> None:
    """Composed from nation, class and number; a Fire Support marker is named after its gun (2.2.6, 10.1)."""
    full = {counter.name: DISPLAY.full(counter) for counter in RULES.counters}
    assert len(set(full.values())) == len(full)
    assert not [name for name, text in full.items() if text == name]
    assert (full["1/7/10"], full["1/90/10 fire"], full["3/26"]) == (
        "1st Company of 7th Panzer Regiment",
        "Fire Support of I Battalion of 90th German Artillery Regiment",
        "3rd Battalion of 26th US Infantry Regiment",
    )
