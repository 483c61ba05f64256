"""What a table without a rule of its own shows of the game: it must agree with the rules, say where it has it from, and change
nothing."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from fractions import Fraction

import pytest

from khamsin import games, rulebook
from khamsin.games.paa import differential, reinforcement, supply, victory
from khamsin.games.paa.display import DISPLAY
from khamsin.games.paa.layers import striking
from khamsin.games.paa.units import (
    ALLIED,
    AXIS,
    BARDIA,
    BOARD,
    CF,
    COUNTERS,
    GERMAN,
    HEXES,
    NUMBER,
    REGULARS,
    TOBRUK,
    G,
    PaaState,
    on_map,
)
from khamsin.games.paa.zones import zone
from khamsin.kernel import EVERYONE, NOWHERE, Decision, KeyedDice, Match
from khamsin.kernel.display import TONES, Layer, Sheet
from tests.rulebook.paa.table import figure, hexes, table

RULES = games.load("paa")
SECTIONS = {entry.number for entry in rulebook.read("paa")}
RELIABLE = '[options]\nreliability = "on"'
FRONT = {"0803": ["Axis depot 1"], "1906": ["Allied depot 1"], "2319": ["Allied depot 2"]}
"""An Axis installation at Mersa Brega, Allied ones at Benghazi and Derna: both sides are supplied around Agedabia."""


def walk(seed: int, questions: int) -> Iterator[tuple[Match[PaaState], G, Decision]]:
    """Every question of a random game, as the one who is asked may see it."""
    chance = random.Random(seed)
    options = {name: chance.choice(values) for name, values in RULES.scenario("campaign").options.items()}
    match: Match[PaaState] = Match(RULES, "campaign", options, KeyedDice.seeded(seed))
    for _ in range(questions):
        if match.decision is None:
            return
        yield match, match.game.seen_by(match.decision.side), match.decision
        open_ = list(match.decision.legal)
        others = [click for click in open_ if click < RULES.first_button]
        buttons = open_[len(others) :] if len(others) < len(open_) else []
        match.click(chance.choice(buttons if not others or (buttons and chance.random() < 0.1) else others))


def badges(match: Match[PaaState], unit: str) -> dict[str, str]:
    return {badge.mark: badge.text for badge in DISPLAY.badges(match.game, NUMBER[unit])}


def faces(match: Match[PaaState], *units: str) -> list[str]:
    return [DISPLAY.face(match.game, NUMBER[unit]) for unit in units]


def captions(match: Match[PaaState]) -> list[str]:
    assert match.decision is not None
    buttons = [RULES.names[click] for click in match.decision.legal if click >= RULES.first_button]
    return [DISPLAY.caption(match.game, match.decision, button) for button in buttons]


def tracks(match: Match[PaaState]) -> dict[str, str]:
    return {track.title: track.value for track in DISPLAY.tracks(match.game, AXIS)}


def layer(match: Match[PaaState], name: str, side: int) -> Layer:
    return DISPLAY.layers[name].make(match.game, side)


def labels(layer: Layer) -> dict[str, str]:
    return {BOARD.name(spot.place): spot.label for spot in layer.spots}


def ways(layer: Layer) -> dict[str, list[str]]:
    return {line.text: [BOARD.name(hex) for hex in line.places] for line in layer.lines}


def sheets(match: Match[PaaState], click: str = "") -> list[Sheet]:
    assert match.decision is not None
    return list(DISPLAY.sheets(match.game, match.decision, RULES.parse(click) if click else NOWHERE))


def fought(sheet: Sheet) -> tuple[set[str], set[str]]:
    return {RULES.names[u] for u in sheet.attackers}, {BOARD.name(hex) for hex in sheet.targets}


def test_a_turn_is_a_month_from_april_1941_to_november_1942() -> None:
    """Twenty turns (7)."""
    dates = DISPLAY.turns(table("axis movement", {}).game)
    assert (len(dates), dates[0], dates[9], dates[19]) == (20, "April 1941", "January 1942", "November 1942")


def test_a_face_is_cf_and_mf_as_they_stand() -> None:
    """Printed, with reinforcement, without trucks, of a lorry and of an installation (2.3.1, 2.3.2, 13.4, 13.6)."""
    match = table(
        "axis movement",
        {
            "0702": ["DE 5/1/ABN", "IT 19/IREGT [dismounted]", "Axis lorry 1", "Axis depot 1"],
            "1351": ["BR 3/ABDE [plus 2]"],
        },
    )
    units = ("DE 5/1/ABN", "IT 19/IREGT", "Axis lorry 1", "Axis depot 1", "BR 3/ABDE")
    assert faces(match, *units) == ["3-60", "2-0", "50", "", "3+2-60"]


def test_every_flag_has_a_badge_of_at_most_three_letters_with_its_section() -> None:
    match = table("axis movement", {"0702": ["DE 5/1/ABN", "Axis depot 1"]})
    unit = NUMBER["DE 5/1/ABN"]
    for flag in RULES.flags:
        match.game.state.flags[unit] = RULES.flag[flag]
        (badge,) = DISPLAY.badges(match.game, unit)
        assert 1 <= len(badge.mark) <= 3
        assert badge.rule in SECTIONS
        assert badge.tone in TONES


def test_a_unit_that_has_moved_shows_what_is_left() -> None:
    """Of 60 MF (11.1)."""
    match = table("axis movement", {"0702": ["DE 5/1/ABN", "Axis depot 1"]})
    assert badges(match, "DE 5/1/ABN") == {}
    match.play(["DE 5/1/ABN", "0703"])
    assert badges(match, "DE 5/1/ABN") == {"M": "has moved: 59 of 60 MF left"}


def test_a_loaded_lorry_and_its_load_name_each_other() -> None:
    """One installation on one lorry (11.3)."""
    match = table("axis movement", {"0702": ["Axis lorry 1", "Axis depot 1"]})
    match.play(["Axis lorry 1", "Axis depot 1"])
    assert badges(match, "Axis lorry 1")["LD"] == "carries Axis depot 1"
    assert badges(match, "Axis depot 1")["LD"] == "on Axis lorry 1"


def test_attackers_show_their_combat_and_its_hexes_are_marked() -> None:
    """By number, with the supply once it is fixed (12.2, 12.3)."""
    match = table("axis combat", FRONT | {"0906": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE"]})
    match.play(["1006", "done"])
    assert badges(match, "DE 5/1/ABN")["C1"] == "in combat 1"
    marked = [m for m in DISPLAY.marks(match.game, AXIS) if m.kind == "combat"]
    assert [(BOARD.name(m.place), m.text) for m in marked] == [("1006", "Combat 1")]
    match.play(["done", "done"])
    assert badges(match, "DE 5/1/ABN")["C1"] == "in combat 1, in attack supply"


def test_buttons_say_what_they_do() -> None:
    """The same button by the question it answers (6, 9, 11, 12.2)."""
    assert captions(table("axis movement", {"0702": ["DE 5/1/ABN", "Axis depot 1"]})) == ["End movement"]
    assert captions(table("axis supply", {}, turn=15)) == ["Invade Malta", "No invasion"]
    match = table("axis combat", FRONT | {"0906": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE"]})
    assert captions(match) == ["End declarations"]
    match.play(["1006"])
    assert captions(match) == ["Declare combat", "Cancel"]
    here = {"1351": ["BR 16/IBDE", "BR 23/IBDE"], "Option A": ["AU 21/IBDE", "AU 25/IBDE"]}
    match = table("allied reinforcement", here, turn=8)
    match.play(["BR 16/IBDE"])
    assert "Option A: 2 units of 4 CF" in captions(match)


def test_marks_show_who_holds_what_and_what_ports_have_done() -> None:
    """Four places (5), Malta (9), ports (11.2) and the railroad (11.3.1)."""
    match = table("allied movement", {"1351": ["AU 18/IBDE"], "1246": ["DE 5/1/ABN"]})
    match.play(["AU 18/IBDE", "by sea", "1925"])
    marks = {(mark.kind, BOARD.name(mark.place)): mark for mark in DISPLAY.marks(match.game, ALLIED)}
    assert marks["control", "1925"].side == ALLIED
    assert marks["control", "0702"].side == AXIS
    assert marks["status", "Malta"].text == "Malta: not decided yet"
    assert marks["port", "1925"].text == "Shipped this phase: 1 units in"
    assert ("railhead", "1248") in marks


def test_the_tracks_hold_points_options_and_the_reckoning() -> None:
    """As the rules count them (13.3.1, 13.5, 14.1)."""
    state = "[state]\ntobruk_run = -3\ntobruk_axis = 3\ntobruk_allied = 5"
    match = table("axis movement", {"0702": ["DE 5/1/ABN", "Axis depot 1"], "1351": ["BR 3/ABDE"]}, more=state)
    match.game.state.points["German armoured"] = 4
    match.game.state.taken["A"] = 8
    shown = tracks(match)
    assert victory.score(match.game) == (3, -3)
    assert (shown["Axis strength"], shown["Allied strength"]) == ("3 CF", "-3 CF")
    assert shown["German armoured points"] == "4"
    assert shown["Allied options"] == "A (turn 8)"
    assert shown["Tobruk held by the Axis"] == "3 of 21 turns in a row, now 3"
    assert shown["Tobruk held by the Allies"] == "5 of 21 turns in a row"


def test_italian_losses_are_kept_where_they_matter() -> None:
    """Only with the optional rule (15.2)."""
    assert "Italian infantry lost" not in tracks(table("axis movement", {}))
    match = table("axis movement", {}, more=f"{RELIABLE}\n[state]\nitalian_losses = 12")
    assert tracks(match)["Italian infantry lost"] == "12 CF"


def test_the_objectives_are_four_places_and_their_holders() -> None:
    """El Agheila, Tobruk, Bardia, Alexandria (5, 14.1)."""
    match = table("axis movement", {}, axis=("0702", "1925"), allied=("1351",))
    shown = {objective.title: objective.holder for objective in DISPLAY.objectives(match.game, AXIS)}
    assert shown == {"El Agheila": AXIS, "Tobruk": AXIS, "Bardia": NOWHERE, "Alexandria": ALLIED}


def calendar(match: Match[PaaState]) -> list[tuple[int, int, str]]:
    return [(a.turn, a.side, a.text) for a in DISPLAY.calendar(match.game, AXIS)]


def test_the_calendar_holds_what_is_to_come() -> None:
    """Units and lorries, points, withdrawals, reinstatements, options (13.2, 13.2.2-4, 13.3.1, 13.5)."""
    match: Match[PaaState] = Match(RULES, "campaign", dice=KeyedDice.seeded(1))
    coming = calendar(match)
    assert (6, AXIS, "Arriving: 2 units of 4 CF and 1 lorry") in coming
    assert (2, ALLIED, "Replacement points: 1 Allied infantry, 1 Allied armoured") in coming
    assert (7, ALLIED, "Withdrawn: 3 infantry") in coming
    assert (15, ALLIED, "Reinstated: 3 infantry") in coming
    assert (8, ALLIED, "Option A may be taken: 2 units of 4 CF") in coming
    assert (16, AXIS, "Option F may be taken, last on turn 20: 4 units of 12 CF") in coming
    assert (16, AXIS, "Arriving if Malta is not attempted, on turn 18 if it is taken: 2 units of 6 CF") in coming


def test_every_unit_off_the_map_that_is_to_come_stands_in_the_calendar_once() -> None:
    """Both orders of battle (2.2)."""
    match: Match[PaaState] = Match(RULES, "campaign", dice=KeyedDice.seeded(1))
    units = [unit for arrival in DISPLAY.calendar(match.game, AXIS) for unit in arrival.units]
    waiting = [u for side in (AXIS, ALLIED) for u in REGULARS[side] if not on_map(match.game, u)]
    assert sorted(u for u in units if u in waiting) == waiting


def test_the_calendar_begins_with_the_next_reinforcement_phase() -> None:
    """What is past is left out, who found no room waits (13.1)."""
    match = table("axis combat", FRONT | {"Allied OOB turn 2": ["NZ 4/IBDE"], "Axis OOB turn 3": ["DE 8/1/ABN"]})
    coming = calendar(match)
    assert (4, ALLIED, "Waiting for room in the base: 1 unit of 2 CF") in coming
    assert (3, AXIS, "Arriving: 1 unit of 3 CF") in coming
    assert not any(turn < (3 if side == AXIS else 4) for turn, side, _ in coming)


def test_the_supply_layer_draws_every_line_to_its_end() -> None:
    """From unit to installation, from installation to installation, to the terminal (8.1, 8.2)."""
    match = table("axis movement", {"0703": ["Axis depot 1"], "1906": ["Axis depot 2"], "2110": ["DE 5/1/ABN"]})
    drawn = ways(layer(match, "supply", AXIS))
    (unit,) = [text for text in drawn if text.startswith("DE 5/1/ABN")]
    assert unit == "DE 5/1/ABN: 6 MF to Axis depot 2 in Benghazi (1906)"
    assert drawn[unit][0] == "2110"
    assert drawn[unit][-1] == "1906"
    (depot,) = [text for text in drawn if text.startswith("Axis depot 2")]
    assert (drawn[depot][0], drawn[depot][-1]) == ("1906", "0703")


def test_the_supply_layer_says_who_cuts_a_unit_off_and_where() -> None:
    """The zone of an Allied unit on the coast road (8.2, 8.4)."""
    match = table("axis movement", {"0703": ["Axis depot 1"], "1307": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE"]})
    shown = layer(match, "supply", AXIS)
    (note,) = shown.notes
    line = "the line to Axis depot 1 in 0703 is blocked in 1107 by the ZOC of BR SG/2/IBDE"
    assert note.text == f"DE 5/1/ABN in Sidi Saleh (1307): {line}"
    assert BOARD.name(note.place) == "1307"
    assert zone(match.game, ALLIED)[BOARD["1107"]]
    assert (labels(shown)["1307"], labels(shown)["1107"]) == ("cut off", "barred")


def test_the_supply_layer_says_when_an_installation_is_too_far() -> None:
    """More than 20 MF (8.2)."""
    match = table("axis movement", {"0703": ["Axis depot 1"], "1925": ["DE 5/1/ABN"]})
    (note,) = layer(match, "supply", AXIS).notes
    assert "MF away, at most 20 are allowed" in note.text
    (none,) = layer(table("axis movement", {"1925": ["DE 5/1/ABN"]}), "supply", AXIS).notes
    assert "no terminal or installation to trace to" in none.text


def test_a_spectator_sees_the_supply_of_both_sides() -> None:
    """Each line twice over (8.2)."""
    match = table("axis movement", {"0703": ["Axis depot 1", "DE 5/1/ABN"], "1440": ["BR 22G/IBDE"]})
    both = layer(match, "supply", EVERYONE).spots
    one, other = (layer(match, "supply", side).spots for side in (AXIS, ALLIED))
    assert len(both) == len(one) + len(other)


def test_zones_are_hostile_or_own_by_who_looks() -> None:
    """Wherever the rules have a zone (3)."""
    match = table("axis movement", {"1006": ["BR SG/2/IBDE"], "1925": ["AU 20/IBDE"], "0703": ["Axis depot 1"]})
    exerted = zone(match.game, ALLIED)
    for side, tone in ((AXIS, "closed"), (ALLIED, "own"), (EVERYONE, "own")):
        shown = layer(match, "allied zones", side)
        assert {spot.place for spot in shown.spots} == {hex for hex in range(HEXES) if exerted[hex]}
        assert {spot.tone for spot in shown.spots} == {tone}
    assert labels(shown)["1924"] == "fort zone of Tobruk"
    assert layer(match, "axis zones", AXIS).spots == ()


def test_control_and_objectives_can_be_laid_over_the_map() -> None:
    """Bases, ports and the frontier (5, 5.1, 9, 14.1)."""
    match = table("axis movement", {"1006": ["BR SG/2/IBDE"], "1906": ["Allied depot 1"], "2319": ["Allied depot 2"]})
    shown = layer(match, "control", AXIS)
    assert labels(shown)["0703"] == "Axis base"
    assert {spot.place: spot.tone for spot in shown.spots}[TOBRUK] == "closed"
    assert "border" in {spot.tone for spot in shown.spots}
    assert any("Malta harder" in note.text for note in shown.notes)
    held = layer(match, "objectives", ALLIED)
    assert {spot.place: spot.tone for spot in held.spots}[BARDIA] == "own"
    assert held.notes[1].text.startswith("Tobruk is held by the Allies. ")


def test_the_threat_is_the_cf_that_could_come_beside_a_hex() -> None:
    """As if the enemy moved now, out of supply not at all (8.5, 11, 12)."""
    units = {
        "0803": ["Axis depot 1"],
        "0906": ["DE 5/1/ABN", "DE 5/2/ABN"],
        "1608": ["AU 20/IBDE"],
        "1906": ["Allied depot 1"],
        "2319": ["Allied depot 2"],
    }
    match = table("allied movement", units)
    shown = labels(layer(match, "threat", ALLIED))
    assert shown["1608"] == "6"
    starved = table("allied movement", {hex: names for hex, names in units.items() if hex != "0803"})
    assert labels(layer(starved, "threat", ALLIED)) == {}
    both = {(BOARD.name(spot.place), spot.label) for spot in layer(match, "threat", EVERYONE).spots}
    assert {("0906", "Allied 2"), ("1608", "Axis 6")} <= both


def test_the_threat_leaves_out_sea_hexes() -> None:
    """No unit can be attacked where none can be (11)."""
    match = table("allied movement", {"0803": ["Axis depot 1"], "0906": ["DE 5/1/ABN"], "1608": ["AU 20/IBDE"]})
    shown = [spot.place for spot in layer(match, "threat", ALLIED).spots]
    assert shown
    assert all(BOARD.enterable(hex) for hex in shown)
    assert [hex for hex, points in enumerate(striking(match.game, AXIS)) if points and not BOARD.enterable(hex)]


def test_the_threat_keeps_to_stacking() -> None:
    """Three units in each of the three hexes around Tobruk, the strongest (4)."""
    strong = sorted((u for u in REGULARS[AXIS] if GERMAN[u]), key=lambda u: -CF[u])[:12]
    around = ("1722", "1622", "1621", "1623")
    stacks = {hex: [RULES.names[u] for u in strong[3 * i : 3 * i + 3]] for i, hex in enumerate(around)}
    chain = {"0703": ["Axis depot 1"], "1906": ["Axis depot 2"], "2319": ["Axis depot 3"], "1723": ["Axis depot 4"]}
    match = table("allied movement", chain | stacks)
    field = striking(match.game, AXIS)
    assert field[TOBRUK] == sum(CF[u] for u in strong[:9])
    assert field[BOARD["1822"]] == sum(CF[u] for u in strong)


@pytest.mark.parametrize(("first", "second"), [("BR 7/ABDE", "BR 4/ABDE"), ("BR 4/ABDE", "BR 7/ABDE")])
def test_units_that_came_by_different_lines_find_one_way_back(first: str, second: str) -> None:
    """In 1724 road and track do not join, and each hex costs what the dearer of the two pays (11.1.2, fig. 6)."""
    match = table("allied movement", {"1724": ["BR 7/ABDE [via 1]", "BR 4/ABDE [via 2]"]})
    match.play([first, second])
    assert match.decision is not None
    reach = DISPLAY.reach(match.game, match.decision)
    assert {BOARD.name(hex): step.cost for hex, step in reach.items()}.items() >= hexes(match).items()
    for hex in reach:
        steps = 0
        while hex != BOARD["1724"]:
            hex, steps = reach[hex].before, steps + 1
            assert steps <= len(reach)


def test_a_hex_entered_late_after_leaving_a_zone_counts_by_its_cheapest_line() -> None:
    """From 1823 in an enemy zone to 1724, which is in it too, where lines do not join (11.1.2, 11.1.4)."""
    match = table("allied movement", {"1823": ["SA 4/IBDE"], "1723": ["DE 5/1/ABN"]})
    match.play(["SA 4/IBDE"])
    assert match.decision is not None
    reach = DISPLAY.reach(match.game, match.decision)
    assert reach[BOARD["1724"]].cost == hexes(match)["1724"]


def test_an_overrun_and_a_ship_are_one_step() -> None:
    """From where the units are (11.2, 11.4)."""
    match = figure("fig-7")
    match.play(["IT BERS/8/AIREGT", "IT 132/AREGT"])
    assert match.decision is not None
    step = DISPLAY.reach(match.game, match.decision)[BOARD["1006"]]
    assert (step.cost, BOARD.name(step.before)) == (11, "0906")
    match = table("allied movement", {"1351": ["AU 18/IBDE"]})
    match.play(["AU 18/IBDE", "by sea"])
    assert match.decision is not None
    assert {BOARD.name(h): BOARD.name(s.before) for h, s in DISPLAY.reach(match.game, match.decision).items()} == {
        "1925": "1351",
        "1730": "1351",
    }


def test_the_way_is_asked_for_only_where_something_moves() -> None:
    """Not while combats are declared (12.2)."""
    match = table("axis combat", FRONT | {"0906": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE"], "1005": ["AU 20/IBDE"]})
    match.play(["1006"])
    assert match.decision is not None
    assert match.decision.about
    assert DISPLAY.reach(match.game, match.decision) == {}


def test_pointing_at_a_hex_shows_all_that_could_attack_it() -> None:
    """Every unit beside it that is free to attack (12.2)."""
    front = FRONT | {"0906": ["DE 5/1/ABN", "DE 5/2/ABN"], "0907": ["IT 132/AREGT [oos]"], "1006": ["BR SG/2/IBDE"]}
    match = table("axis combat", front)
    assert sheets(match) == []
    (sheet,) = sheets(match, "1006")
    assert sheet.title == "This combat: Agedabia (1006)"
    assert fought(sheet) == ({"DE 5/1/ABN", "DE 5/2/ABN"}, {"1006"})
    assert sum(sheet.odds.outcomes.values()) == 1
    assert sheets(match, "1608") == []


def test_the_sheet_grows_with_what_is_chosen_and_pointed_at() -> None:
    """Attackers and hexes (12.2, 12.4.2)."""
    front = FRONT | {"0906": ["DE 5/1/ABN", "DE 5/2/ABN"], "1006": ["BR SG/2/IBDE"], "1005": ["AU 20/IBDE"]}
    match = table("axis combat", front)
    match.play(["1006"])
    assert fought(sheets(match)[0]) == ({"DE 5/1/ABN", "DE 5/2/ABN"}, {"1006"})
    assert fought(sheets(match, "DE 5/2/ABN")[0]) == ({"DE 5/1/ABN"}, {"1006"})
    match.play(["DE 5/2/ABN"])
    assert fought(sheets(match)[0]) == ({"DE 5/1/ABN"}, {"1006"})
    assert fought(sheets(match, "DE 5/2/ABN")[0]) == ({"DE 5/1/ABN", "DE 5/2/ABN"}, {"1006"})
    assert fought(sheets(match, "1005")[0]) == ({"DE 5/1/ABN"}, {"1006", "1005"})
    match.play(["1005", "done"])
    (sheet,) = sheets(match)
    assert sheet.title == "Combat 1: 1005, Agedabia (1006)"


def test_an_installation_that_would_be_given_up_shows_in_the_odds() -> None:
    """Maximum attack supply doubles (12.3)."""
    match = table("axis combat", FRONT | {"0906": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE"]})
    match.play(["1006", "done", "done"])
    before, after = sheets(match)[0], sheets(match, "Axis depot 1")[0]
    assert (before.odds.column, after.odds.column) == ("1", "4")
    match.play(["Axis depot 1"])
    assert sheets(match)[0].odds == after.odds


def test_an_option_shows_the_odds_that_its_choice_brings() -> None:
    """While a combat is declared, each installation that can be given up shows the sheet as it will be (12.3)."""
    match = table("axis combat", FRONT | {"0906": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE"]})
    match.play(["1006"])
    (declared,) = sheets(match)
    (option,) = declared.options
    assert (option.text, option.rule) == ("Give up Axis depot 1 in 0803", "12.3")
    assert (declared.odds.column, option.odds.column) == ("1", "4")
    match.play(["done", "done"])
    assert sheets(match)[0].options == (option,)
    match.play(["Axis depot 1"])
    (chosen,) = sheets(match)
    assert chosen.odds == option.odds
    assert chosen.options == ()


def test_a_unit_left_out_of_a_combat_is_an_option() -> None:
    """It can be added again until the combat is declared (12.2)."""
    front = FRONT | {"0906": ["DE 5/1/ABN", "DE 5/2/ABN"], "1006": ["BR SG/2/IBDE"]}
    match = table("axis combat", front)
    match.play(["1006"])
    whole = sheets(match)[0].odds
    match.play(["DE 5/2/ABN"])
    (sheet,) = sheets(match)
    assert sheet.odds != whole
    assert {option.text: option.odds for option in sheet.options}["Add DE 5/2/ABN"] == whole


def test_a_forced_combat_that_is_widened_is_shown_once() -> None:
    """Units in the zone of a fort must attack it (12.1.1)."""
    match = table(
        "axis combat",
        {"1824": ["DE 5/1/ABN"], "1723": ["Axis depot 1"], "1925": ["AU 20/IBDE"], "1825": ["AU 26/IBDE"]},
        axis=("0702",),
    )
    assert [sheet.title for sheet in sheets(match)] == ["Combat 1: Tobruk (1925)"]
    match.play(["1925"])
    assert [sheet.title for sheet in sheets(match, "1825")] == ["Combat 1: Tobruk (1925), Belhamed (1825)"]


def test_the_counter_attack_shows_what_it_would_cost_the_attacker() -> None:
    """On the units that the question names (12.4.4)."""
    match = table("axis combat", FRONT | {"0906": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE"]}, dice=(6,))
    match.play(["1006", "done", "done", "done", "1006"])
    assert match.decision is not None
    assert match.decision.rule == "12.4.4"
    attackers, defenders = [NUMBER["DE 5/1/ABN"]], [NUMBER["BR SG/2/IBDE"]]
    (sheet,) = DISPLAY.sheets(match.game, match.decision, NOWHERE)
    assert fought(sheet) == ({"BR SG/2/IBDE"}, {"0906"})
    expected = differential.counter(match.game, defenders, attackers)
    assert sheet.odds.terms == expected.terms
    assert sum(sheet.odds.outcomes.values()) == Fraction(1)


def test_the_counter_attack_of_nobody_still_shows_its_chances() -> None:
    """It is made with differential 0 where no defender is left (12.4.4)."""
    match = table("axis combat", FRONT | {"0906": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE"]}, dice=(1,))
    match.play(["1006", "done", "done", "done", "1006"])
    (sheet,) = sheets(match)
    assert (sheet.attackers, sheet.odds.column) == ((), "0")


def test_supply_is_drawn_as_it_is_judged() -> None:
    """In random play: a line from each joined installation, and lines as long as the rules count them (8.2)."""
    chance = random.Random(1)
    for _, g, _ in walk(1, 1500):
        if chance.random() > 0.02:
            continue
        for side in (AXIS, ALLIED):
            lines_drawn = DISPLAY.layers["supply"].make(g, side).lines
            now = supply.lines(g, side)
            joined = {
                line.places[0] for line in lines_drawn if line.tone == "supply" and " depot " in line.text.split(":")[0]
            }
            assert joined == now.relays - now.situation.terminals
            for line in lines_drawn:
                if line.tone == "supply" and line.places[0] not in joined:
                    assert f" {now.distance[line.places[0]]} MF " in line.text


def test_points_of_the_calendar_are_those_of_the_schedule() -> None:
    """Nothing is added (13.3.1)."""
    match: Match[PaaState] = Match(RULES, "campaign", dice=KeyedDice.seeded(1))
    promised = sum(
        int(part.split()[0])
        for arrival in DISPLAY.calendar(match.game, AXIS)
        if arrival.rule == "13.3.1"
        for part in arrival.text.removeprefix("Replacement points: ").split(", ")
    )
    nations = [nation for side in (AXIS, ALLIED) for nation in reinforcement.NATIONS[side]]
    kinds = [f"{nation} {kind}" for nation in nations for kind in reinforcement.KINDS]
    assert promised == sum(sum(reinforcement.SCHEDULE["points"][kind]) for kind in kinds)


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("IN 3/MOTBDE", "3rd Indian Motor Brigade"),
        ("DE 5/1/ABN", "I Battalion of 5th German Panzer Regiment"),
        ("BR SG/7/IBDE", "7th British Support Group"),
        ("IT 187/IREGT", "187th Italian Parachute Regiment"),
        ("Allied depot 3", "Allied installation 3"),
    ],
)
def test_units_have_full_names_for_panels_and_log(name: str, full: str) -> None:
    """Full names are composed from nation, class and number (2.3.1)."""
    assert RULES.display.full(COUNTERS[NUMBER[name]]) == full


def test_every_unit_has_a_full_name_without_codes() -> None:
    """No counter keeps the code of its class or nation in its full name (2.3.1)."""
    codes = {word for counter in COUNTERS for word in re.findall("[A-Z]{3,}", counter.name)}
    for counter in COUNTERS:
        full = RULES.display.full(counter)
        assert "depot" not in full
        assert not codes & set(re.findall("[A-Z]{3,}", full)), full


def test_the_counter_attack_after_an_overrun_has_a_sheet() -> None:
    """Column 0: on a 1 the stack loses up to 2 CF, else nothing (11.4, 12.4.4)."""
    units = {"0804": ["Axis depot 1"], "0906": ["DE 5/1/ABN", "DE 5/2/ABN"], "1006": ["SA AC/ARECBN"]}
    match = table("axis movement", units)
    match.play(["0906", "1006"])
    assert match.decision is not None
    assert match.decision.kind == "overrun.counter"
    (sheet,) = DISPLAY.sheets(match.game, match.decision, NOWHERE)
    assert sheet.title == "Counter-attack"
    assert sheet.targets == (BOARD["0906"],)
    assert [term.rule for term in sheet.odds.terms] == ["11.4"]
    assert sum(sheet.odds.outcomes.values()) == 1
