"""The staff as a player of North Africa '41: its odds, parties and supply are those of the rules, and it always has an
answer."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from khamsin import games
from khamsin.games.na41 import command, sheet, stacking, supply
from khamsin.games.na41.preview import preview
from khamsin.games.na41.sheet import Attack
from khamsin.games.na41.units import (
    ALLIED,
    AXIS,
    BOARD,
    COMBAT,
    EDGE_BOX,
    FORCES,
    HEXES,
    NUMBER,
    OOS,
    attack,
    combat_units,
    good_order,
)
from khamsin.kernel import KeyedDice, Match, position
from khamsin.players import answer, play_out, player
from khamsin.players.na41 import odds, strategist
from khamsin.players.na41.weights import PLACES, WEIGHTS
from khamsin.players.scripted import Planning
from khamsin.players.staff.chief import Chief
from khamsin.players.staff.tasks import Assault
from khamsin.players.staff.theatre import HOLD, Outcome
from tests.players import test_situations as situations

SITUATIONS = Path(__file__).parent / "situations"


def chief(side: int) -> Chief:
    return strategist(side, random.Random(1))


def begin(scenario: str) -> Match[Any]:
    return Match(games.load("na41"), scenario, dice=KeyedDice.seeded(5))


def test_the_odds_are_those_of_the_game() -> None:
    """The chance to clear a hex is that of the rules' own preview, through the Determined Defense; a defender who holds to his
    last step, and leaves a limited advance, has held to the staff (8.3, 11.4, 11.4.2)."""
    match = begin("crusader")
    g, theatre = match.game.seen_by(ALLIED), chief(ALLIED).theatre
    hex, near = BOARD["2645"], BOARD["2646"]
    tanks = [NUMBER[name] for name in ("44 RTR", "42 RTR", "5/2 NZ", "6/2 NZ")]
    away = dict.fromkeys(combat_units(g, AXIS, near), BOARD["2246"])
    with g.state.where.supposing({**away, **dict.fromkeys(tanks, near)}):
        for supplied in (False, True):
            found = results_of(theatre.combats(g, ALLIED), hex, dict.fromkeys(tanks, near), int(supplied))
            assert found
            shown = preview(g, Attack(ALLIED, tuple(tanks), hex, supplied=supplied))
            lost = {text: chance for text, chance in shown.outcomes.items() if "retreats" in text or "elim" in text}
            beaten = sum([chance for text, chance in lost.items() if "advance 1" not in text])
            assert sum(one.chance for one in found) == pytest.approx(1.0)
            assert sum(one.chance for one in found if one.defender_hexes) == pytest.approx(float(beaten))
        few = tanks[:2]
        sheets = [preview(g, Attack(ALLIED, tuple(few), hex, supplied=supplied)) for supplied in (False, True)]
        assert sheets[0].outcomes == sheets[1].outcomes, "Attack Supply makes no difference to two battalions"
        combats = theatre.combats(g, ALLIED)
        assert results_of(combats, hex, dict.fromkeys(few, near), 0)
        assert not results_of(combats, hex, dict.fromkeys(few, near), 1)


def results_of(combats: Any, hex: int, places: dict[int, int], support: int) -> list[Outcome]:
    found: list[Outcome] = combats.outcomes(hex, places, support, combats.arrangement(hex, places))
    return found


def test_results_put_together_from_parts_are_those_of_the_whole_sheet() -> None:
    """Strengths, shifts and retreats that are kept by what they depend on add up to the sheet of the rules, wherever the units
    would attack from (8.4, 9.1, 9.2, 9.3)."""
    g, staff, columns = begin("crusader").game.seen_by(ALLIED), chief(ALLIED), set[int | None]()
    board = staff.board(g, moving=True)
    combats, chance = board.fields.combats, random.Random(1)
    for hex in board.fields.hostile:
        near = Assault(hex, 0.0, "").near(board)
        able = [party for party in board.free if party.attack and any(party.reaches(at) for at in near)]
        for _ in range(12 if able else 0):
            parties = chance.sample(able, min(len(able), chance.randint(1, 6)))
            places = {unit: at for party in parties for at in [chance.choice(near)] for unit in party.units}
            with g.state.where.supposing(places):
                fit = [u for u in sorted(places) if COMBAT[u] and good_order(g, u) and attack(g, u)]
                fit = [u for u in fit if command.why_not_across(g, u, hex) is None]
                units = command.strongest(g, ALLIED, fit) if fit else []
                plain, full = [odds.column_of(g, one) for one in sheet.sheets(g, Attack(ALLIED, tuple(units), hex))]
                against = odds.defender(g, ALLIED, hex)
            expected = [odds.results(plain, against) if plain is not None else []]
            expected.append(odds.results(full, against) if full is not None and full != plain else [])
            assert [results_of(combats, hex, places, support) for support in (0, 1)] == expected
            columns |= {plain, full}
    assert len(columns) > 5


def test_supply_is_that_of_the_game() -> None:
    match = begin("crusader")
    g = match.game
    for side in (AXIS, ALLIED):
        fields = chief(side).board(g).fields
        for unit_hex in fields.own:
            assert fields.supplied[unit_hex] == (supply.status_in(g, side, unit_hex) != supply.NONE), BOARD.name(
                unit_hex
            )


def test_room_in_a_hex_is_that_of_the_game() -> None:
    """Five points, and one tank or 88mm Flak unit for free (4.1, 4.3)."""
    g, theatre, chance = begin("crusader").game, chief(AXIS).theatre, random.Random(1)
    units = [unit for unit in FORCES[AXIS] if g.state.steps[unit]]
    for _ in range(500):
        stack = chance.sample(units, chance.randint(1, 7))
        counted = sum(theatre.figures(g, unit).points for unit in stack)
        assert (counted <= theatre.limit) == (stacking.points(g, stack) <= stacking.LIMIT)


def test_tanks_and_motorized_infantry_of_a_division_move_together() -> None:
    match = begin("enter-rommel")
    parties = chief(AXIS).theatre.parties(match.game, AXIS)
    assert any({NUMBER["I/5/5L"], NUMBER["II/5/5L"], NUMBER["2 MG/5L"]} <= set(party) for party in parties)
    assert all(len({match.state.where[unit] for unit in party}) == 1 for party in parties)
    assert all(
        match.state.where[party[0]] < HEXES or match.state.where[party[0]] == EDGE_BOX[AXIS] for party in parties
    )


def situation(name: str) -> Match[Any]:
    """The position of a situation file."""
    text = (SITUATIONS / f"na41-{name}.toml").read_text(encoding="utf-8").partition("\n[situation]\n")[0]
    return position.read(text, games.load, name)


def test_a_guard_is_made_up_of_those_who_attack_least() -> None:
    match = situation("el-agheila-keeps-a-guard")
    plan = chief(AXIS).make_plan(match.game.seen_by(AXIS), (2, 0))
    held = [one for one in plan.board.assignments if one.task == HOLD and one.hex == BOARD["1604"]]
    assert [party.units for one in held for party, _ in one.places] == [(NUMBER["20 Bre"],)]


def test_supporting_units_follow_the_strongest_stack() -> None:
    match = situation("a-great-attack-gets-attack-supply")
    plan = chief(AXIS).make_plan(match.game.seen_by(AXIS), (6, 0))
    places = {unit: at for one in plan.board.assignments for party, at in one.places for unit in party.units}
    assert BOARD.distance(places[NUMBER["DAK HQ"]], places[NUMBER["I/5/5L"]]) <= 3


def test_attack_supply_is_weighed_against_its_price() -> None:
    """The same attack is worth more with Attack Supply; what it is worth after its price decides (8.5.1)."""
    match = situation("a-great-attack-gets-attack-supply")
    g, staff = match.game.seen_by(AXIS), chief(AXIS)
    board, hex = staff.board(g), BOARD["3138"]
    places = {NUMBER[name]: BOARD["3037"] for name in ("I/5/5L", "II/5/5L", "2 MG/5L", "8 MG/5L")}
    assault = staff.assault(board, staff.theatre.goals(g, AXIS), hex)
    without, with_it = (
        assault.judged(board, results_of(board.fields.combats, hex, places, points), places) for points in (0, 1)
    )
    assert with_it.cleared > without.cleared
    best = assault.verdict(board, places)
    assert best is not None
    assert best.value == pytest.approx(
        max(without.value, with_it.value - staff.weights["support_price"] * board.matter)
    )


def test_attack_supply_is_for_the_present_combat() -> None:
    """A Breakthrough Combat is about another hex than the attack that was declared (8.5.3, 15.2.8)."""
    match, axis = situation("a-great-attack-gets-attack-supply"), player("normal", 1)
    while match.decision is not None and match.decision.kind != "combat.supply":
        match.click(answer(match, axis))
    order = chief(AXIS).order(match.game.seen_by(AXIS), match.decision)
    assert order.clicks[0] != match.rules.button("none")


def test_units_of_an_automatic_ds_do_not_attack_again() -> None:
    """They only attack as they advance (8.9.1, 8.9.2)."""
    g, theatre = begin("crusader").game.seen_by(ALLIED), chief(ALLIED).theatre
    hex, near = BOARD["2645"], BOARD["2646"]
    places = dict.fromkeys([NUMBER[name] for name in ("44 RTR", "42 RTR", "5/2 NZ", "6/2 NZ")], near)
    assert results_of(theatre.combats(g, ALLIED), hex, places, 0)
    for unit in places:
        g.state.auto[unit] = 1
    assert not results_of(theatre.combats(g, ALLIED), hex, places, 0)
    assert results_of(theatre.pursuits(g, ALLIED), hex, places, 0)


def test_the_planner_can_lead_it() -> None:
    match = begin("enter-rommel")
    staff = chief(AXIS)
    assert isinstance(staff, Planning)
    assert len(staff.stances(match.game)) > 1
    assert staff.again("bold").weights["fear"] < staff.weights["fear"]
    assert staff.score(match.game) == -chief(ALLIED).score(match.game)
    assert not staff.until(match.game)(match.game)


@pytest.mark.parametrize("scenario", ["enter-rommel", "crusader"])
def test_it_plays_to_the_end(scenario: str) -> None:
    """Every decision of both sides is answered."""
    match = begin(scenario)
    players = tuple(player("normal", seed) for seed in (5, 6))
    play_out(match, players, most=20_000)
    assert match.state.result is not None
    assert all(getattr(one, "log", []) for one in players)


@pytest.mark.parametrize("level", ["easy", "hard"])
def test_the_other_levels_answer_legally(level: str) -> None:
    match = begin("enter-rommel")
    players = (player(level, 9), player("passive", 9))
    for _ in range(60):
        if match.decision is None:
            break
        click = answer(match, players[match.decision.side])
        assert click in match.decision.legal
        match.click(click)


@pytest.mark.parametrize(("scenario", "side"), [("enter-rommel", AXIS), ("crusader", ALLIED)])
def test_it_beats_a_passive_enemy(scenario: str, side: int) -> None:
    match = begin(scenario)
    players = [player("passive", 11), player("passive", 12)]
    players[side] = player("normal", 11)
    play_out(match, tuple(players), most=20_000)
    assert match.state.result.winner == side


def test_a_hex_without_a_way_back_gives_less_cover() -> None:
    """Overlapping enemy ZOCs on every way out count as weakness (7.4, 12.2.1)."""
    match = situation("nobody-waits-to-be-encircled")
    g, theatre = match.game.seen_by(ALLIED), chief(ALLIED).theatre
    brigade, hex = NUMBER["20/9 Aus"], BOARD["3033"]
    assert theatre.cover(g, ALLIED)[hex] == 1.0
    ring = {NUMBER["39 Bol"]: BOARD["3134"], NUMBER["40 Bol"]: BOARD["3035"], NUMBER["27 Pav"]: BOARD["2934"]}
    assert g.state.where[brigade] == hex
    with g.state.where.supposing(ring):
        assert theatre.cover(g, ALLIED)[hex] < 1.0


BAD = {
    "a-fortification-too-strong": {"least_attack": -50.0, "own": 0.0},
    "a-small-fight-gets-no-attack-supply": {"support_price": -50.0},
    "tobruk-is-not-bypassed-on-a-cut-road": {"unsupplied": 0.0, "hungry": 1.0, "fear": 0.0, "together": 0.0},
    "tobruk-keeps-its-garrison": {"guard": 0.0, "Allied": 0.0},
}
"""Weights of a bad player, for the situations in which one that does nothing is right."""


@pytest.mark.parametrize("file", sorted(SITUATIONS.glob("na41-*.toml")), ids=lambda file: file.stem)
def test_every_situation_catches_a_bad_player(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match, asked = situations.read(file)
    bad = BAD.get(file.stem.removeprefix("na41-"))
    for weight, value in (bad or {}).items():
        monkeypatch.setitem(WEIGHTS if weight in WEIGHTS else PLACES["enter-rommel"]["3138"], weight, value)
    clicks = situations.play(match, asked if bad else {**asked, "player": "passive"}, 1)
    for each in asked["acceptable"]:
        assert not all(situations.holds(match, clicks, fact) for fact in each["facts"]), each["answer"]


def test_an_automatic_ds_is_declared_while_others_can_move() -> None:
    """The panzers shatter the outpost at Mersa Brega before the rest moves (8.9.1)."""
    match = begin("enter-rommel")
    axis = player("normal", 5)
    pressed = []
    while match.decision is not None and match.decision.kind != "combat.target":
        click = answer(match, axis if match.decision.side == AXIS else player("passive", 5))
        pressed.append(match.rules.names[click])
        match.click(click)
    declared = pressed.index("auto ds")
    assert pressed[declared + 1] == "1707"
    assert [name for name in pressed[declared + 3 :] if name in NUMBER], "others move afterwards"


def test_a_plan_is_renewed_a_few_times_only() -> None:
    match, staff = begin("enter-rommel"), chief(AXIS)
    while (match.decision.kind, match.decision.side) != ("move.stack", AXIS):
        match.click(answer(match, player("passive", 1)))
    g = match.game.seen_by(AXIS)
    plans = []
    for _ in range(int(staff.weights["renewals"]) + 2):
        staff.move(g, match.decision)
        staff.plan.is_outdated = True
        plans.append(staff.plan)
    assert len({id(plan) for plan in plans}) == staff.weights["renewals"] + 1
    assert plans[-1] is plans[-2]


def test_all_who_wait_in_the_box_find_room() -> None:
    """Units that leave Tripoli go to different hexes if one is full (4.1)."""
    match = begin("enter-rommel")
    players = (player("normal", 5), player("passive", 5))
    while match.decision is not None and match.state.turn < 3:
        match.click(answer(match, players[match.decision.side]))
    waiting = [unit for unit in ("27 Pav", "28 Pav", "39 Bol", "40 Bol") if match.state.where[NUMBER[unit]] >= HEXES]
    assert not waiting


def test_units_that_a_port_can_feed_are_fed() -> None:
    """Where a port cannot feed all, the player chooses as many as it can (16.2)."""
    text = (
        (SITUATIONS / "na41-tobruk-keeps-its-garrison.toml").read_text(encoding="utf-8").partition("\n[situation]")[0]
    )
    ring = '"3039" = ["39 Bol"]\n"2938" = ["40 Bol"]\n"3036" = ["20 Bre"]\n"3136" = ["27 Pav"]\n"3138"'
    text = text.replace('"3138"', ring, 1).replace("movement", "supply") + '[damage]\n"3138" = 3\n'
    match = position.read(text, games.load, "besieged")
    assert match.decision is not None
    assert match.decision.kind == "supply.port"
    me = player("normal", 5)
    while match.decision is not None and match.decision.kind == "supply.port":
        match.click(answer(match, me))
    assert sum(not match.state.flags[u] & OOS for u in combat_units(match.game, ALLIED, BOARD["3138"])) == 2


def test_a_convoy_chooses_its_port_where_alexandria_is_axis() -> None:
    """Alexandria has no column in the Anti-Shipping Table of the Axis (22.2.1)."""
    text = (SITUATIONS / "na41-a-port-at-the-front-is-repaired.toml").read_text(encoding="utf-8").partition("\n[sit")[0]
    text = text.replace('"2478" = ["Carp"]', '"2478" = ["27 Pav"]').replace('["1604",', '["1604", "2478",')
    text = text.replace('"2560", "2478",', '"2560",') + '\n[axis_sp]\n"Tripoli" = 2\n'
    match = position.read(text, games.load, "Alexandria")
    me = player("normal", 5)
    clicks = []
    while match.decision is not None and match.decision.kind != "combat.target" and match.decision.side == AXIS:
        clicks.append(match.rules.names[answer(match, me)])
        match.click(match.rules.parse(clicks[-1]))
    assert "ship" in clicks
