"""The staff: exact odds, fields, tasks, and a player of Afrika that always has an answer."""

from __future__ import annotations

import random
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from khamsin import games
from khamsin.games.afrika import strength, victory
from khamsin.games.afrika.ground import OPEN_SIDES
from khamsin.games.afrika.units import (
    ALLIED,
    AXIS,
    BOARD,
    FORCES,
    NUMBER,
    TOBRUK,
    TRIPOLI,
    Attack,
    forces_in,
    on_map,
    stock,
)
from khamsin.kernel import KeyedDice, Match, position
from khamsin.kernel.rules import Decision
from khamsin.mechanics import results
from khamsin.mechanics.odds import net
from khamsin.players import answer, play_out, player
from khamsin.players.afrika import strategist
from khamsin.players.afrika.goals import EAST, barring, path
from khamsin.players.afrika.goals import goals as wanted_by
from khamsin.players.afrika.odds import outcomes
from khamsin.players.scripted import Order, Planning, Scripted
from khamsin.players.staff.chief import Chief
from khamsin.players.staff.odds import Danger, Stake, Verdict, weigh
from khamsin.players.staff.tasks import Assault, Occupation, _calls, auction
from khamsin.players.staff.theatre import CUT, HOLD, TAKE, Figures, Goal, Outcome
from khamsin.players.staff.walls import wall

SITUATIONS = Path(__file__).parent / "situations"
UNIT = Figures(attack=4, defence=4, steps=2, worth=8, points=2)
SHORT = ("crusader", "gazala", "first-alamein", "alam-halfa", "third-alamein")


def situation(name: str) -> Match[Any]:
    """The position of a situation file."""
    text = (SITUATIONS / f"afrika-{name}.toml").read_text(encoding="utf-8").partition("\n[situation]\n")[0]
    return position.read(text, games.load, name)


def begun(scenario: str) -> Match[Any]:
    """A new game."""
    return Match(games.load("afrika"), scenario, dice=KeyedDice.seeded(1))


def chief(side: int) -> Chief:
    return strategist(side, random.Random(1))


# Odds


def test_an_attack_is_worth_its_results_by_their_chances() -> None:
    half = [Outcome(0.5, 0, 0, 2, 0), Outcome(0.5, 1, 0, 0, 0)]
    found = weigh(half, [UNIT], [UNIT], Stake(prize=10, exits=3), kill=1.0, own=1.0)
    assert found.cleared == pytest.approx(0.5)
    assert found.destroyed == pytest.approx(0.5)
    assert found.lost == pytest.approx(0.5 * 4)
    assert found.value == pytest.approx(0.5 * (8 + 10) - 0.5 * 4)


def test_a_retreat_destroys_who_cannot_retreat_and_costs_steps_through_zones() -> None:
    back = [Outcome(1.0, 0, 0, 0, 1)]
    open_, zoned, shut = (weigh(back, [UNIT], [UNIT], Stake(0, exits), 1.0, 1.0).destroyed for exits in (2, 0, -1))
    assert (open_, zoned, shut) == (0.0, 0.5, 1.0)


def test_an_attacker_that_chooses_its_losses_loses_the_cheapest() -> None:
    cheap, half = Figures(attack=1, defence=1, steps=1, worth=2, points=2), [Outcome(1.0, 1, 0, 0, 0)]
    dear, chosen = (weigh(half, [UNIT, cheap], [UNIT], Stake(0, 3), 1.0, 1.0, how).lost for how in (False, True))
    assert (dear, chosen) == (4.0, 2.0)


def test_the_danger_grows_with_the_ratio() -> None:
    danger = Danger(chief(AXIS).theatre)
    thrown = [float(danger.thrown(ratio)) for ratio in (0.25, 1.0, 3.0, 9.0)]
    assert thrown == sorted(thrown)
    assert thrown[0] < 0.3 < 0.8 < thrown[-1]


def test_the_odds_are_those_of_the_game() -> None:
    """The results that the staff counts on are those of the rules' own preview (SCS 8)."""
    match = situation("a-box-too-strong")
    g, theatre = match.game.seen_by(AXIS), chief(AXIS).theatre
    hex, near = BOARD["B9.14"], BOARD["B10.14"]
    units = list(forces_in(g, ALLIED, near))
    combats, places = theatre.combats(g, ALLIED), dict.fromkeys(units, near)
    found = combats.outcomes(hex, places, 0, combats.arrangement(hex, places))
    odds = match.rules.odds(g, ALLIED, units, [hex])
    assert sum(one.chance for one in found) == pytest.approx(1.0)
    assert sum(one.chance for one in found if one.defender_hexes) == pytest.approx(
        float(sum(chance for cell, chance in odds.outcomes.items() if results.read(cell).defender.hexes))
    )


def test_attacks_with_the_same_arrangement_have_the_same_results() -> None:
    """What is left out of the places of attackers does not matter, and the results are those of the rules with the units there
    (1.16-2, 2.3, SCS 12.2)."""
    match = Match(games.load("afrika"), "gazala", dice=KeyedDice.seeded(1))
    match.play(["done", "done"])
    g, staff = match.game.seen_by(AXIS), chief(AXIS)
    board, combats = staff.board(g, moving=True), staff.theatre.combats(g, AXIS)
    found: dict[object, list[list[Outcome]]] = {}
    for hex in board.fields.hostile:
        near = Assault(hex, 0.0, "").near(board)
        able = [party for party in board.free if party.attack and any(party.reaches(at) for at in near)][:4]
        for first, second in combinations(able, 2):
            for here, there in product(near, near):
                units = dict.fromkeys(first.units, here) | dict.fromkeys(second.units, there)
                arrangement = combats.arrangement(hex, units)
                results_of = combats.outcomes(hex, units, 1, arrangement)
                with g.state.where.supposing(units):
                    battle = Attack(AXIS, tuple(units), hex, 1)
                    arms = net(strength.combined_arms(g, battle))
                    assert results_of == outcomes(*strength.strengths(g, battle), strength.shift(g, battle), arms)
                found.setdefault((hex, arrangement), []).append(results_of)
    assert max(len(same) for same in found.values()) > 2
    assert len({str(same[0]) for same in found.values()}) > 5
    for same in found.values():
        assert all(one == same[0] for one in same)


# Fields


def test_what_depends_on_a_hex_is_what_would_be_cut_off() -> None:
    match = situation("the-line-is-cut-where-most-depends")
    board = chief(ALLIED).board(match.game.seen_by(ALLIED), moving=True)
    gap, aside = BOARD["B10.14"], BOARD["B20.12"]
    corps = sum(board.fields.figures(u).worth for hex in ("B26.11", "B25.11") for u in board.fields.hostile[BOARD[hex]])
    assert board.fields.depending(AXIS, [gap, aside]) == {gap: pytest.approx(corps)}


def test_hexes_tried_together_cut_off_what_each_cuts_off() -> None:
    match = Match(games.load("afrika"), "gazala", dice=KeyedDice.seeded(1))
    match.play(["done", "done"])
    fields = chief(AXIS).board(match.game.seen_by(AXIS), moving=True).fields
    hexes = list(range(BOARD.size))
    alone = {hex: worth for hex in hexes for worth in fields.depending(ALLIED, [hex]).values()}
    assert fields.depending(ALLIED, hexes) == alone
    assert len(alone) > 2


def test_the_threat_is_what_the_enemy_can_bring() -> None:
    match = situation("a-box-too-strong")
    fields = chief(AXIS).board(match.game.seen_by(AXIS)).fields
    brigades = sum(
        fields.figures(NUMBER[name]).attack for name in ("1 SA Bde/1 SA", "2 SA Bde/1 SA", "161 Ind Mtrd Bde")
    )
    assert fields.threat[BOARD["B9.14"]] >= brigades
    assert fields.threat_later[BOARD["B9.14"]] >= fields.threat[BOARD["B9.14"]]
    assert fields.threat[BOARD["B1.11"]] < fields.threat[BOARD["B9.14"]]


# Goals


def test_the_corridor_is_closed_where_a_stack_would_close_it() -> None:
    """The goals of the Axis in Crusader are the hexes near the corridor where one more stack leaves no bridge (4.1)."""
    match, enemy, nobody = begun("crusader"), player("normal", 1), player("passive", 1)
    while not victory.bridge(match.game):
        match.click(answer(match, enemy if match.decision.side == ALLIED else nobody))
    g = match.game.seen_by(AXIS)
    scout = next(unit for unit in FORCES[AXIS] if on_map(g, unit))
    corridor = path(g, ALLIED, [TOBRUK], EAST, 0.02)
    near = {at for hex in corridor for at in (hex, *OPEN_SIDES[hex]) if not forces_in(g, AXIS, at)} - {TOBRUK}
    closing = set()
    for hex in near:
        with g.state.where.supposing({scout: hex, **dict.fromkeys(forces_in(g, ALLIED, hex), -1)}):
            closing |= {hex} if not victory.bridge(g) else set()
    assert {goal.hex for goal in barring(g, corridor, 1.0)} == closing
    assert closing
    assert closing != near


# Tasks


def test_no_unit_is_sent_to_die_for_less_than_it_is_worth() -> None:
    match = situation("no-lone-unit-for-a-dump")
    board = chief(ALLIED).board(match.game.seen_by(ALLIED), moving=True)
    dump = BOARD["A43.17"]
    assert any(party.reaches(dump) for party in board.free)
    assert Occupation(Goal(dump, 1.5, TAKE)).bid(board) is None
    dear = Occupation(Goal(dump, 60.0, TAKE)).bid(board)
    assert dear is not None


def test_weak_parties_attack_together() -> None:
    match = situation("two-weak-stacks-join")
    board = chief(ALLIED).board(match.game.seen_by(ALLIED), moving=True)
    bid = Assault(BOARD["B9.14"], 20.0, "").bid(board)
    assert bid is not None
    assert len(bid.places) > 1
    assert len({party.hex for party, _ in bid.places}) > 1


@pytest.mark.parametrize(("scenario", "side"), [("gazala", AXIS), ("third-alamein", ALLIED)])
def test_parties_go_to_the_attack_that_needs_them(scenario: str, side: int) -> None:
    """With the weight `trades` an attack that has more than it needs gives parties to others, and the planned attacks, each
    with its own units alone, are worth more together."""
    match = Match(games.load("afrika"), scenario, dice=KeyedDice.seeded(1))
    nobody = player("passive", 1)
    while (match.decision.kind, match.decision.side) != ("move.stack", side):
        match.click(answer(match, nobody))
    g, totals = match.game.seen_by(side), []
    for trades in (0, 12):
        staff = chief(side)
        staff.weights["trades"] = trades
        board, goals = staff.board(g, moving=True), staff.theatre.goals(g, side)
        auction(board, goals, with_combat=True)
        attacks = [one for one in board.assignments if one.is_attack(staff.theatre, one.places[0][1])]
        found = [
            staff.assault(board, goals, one.hex).verdict(
                board, {u: at for party, at in one.places for u in party.units}
            )
            for one in attacks
        ]
        totals.append(sum(verdict.value for verdict in found if verdict is not None))
    assert totals[1] > 1.2 * totals[0]


def test_the_effort_of_a_plan_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the weight `most_weighed` fewer attacks are weighed to improve others, and attacks are planned all the same."""
    match = Match(games.load("afrika"), "gazala", dice=KeyedDice.seeded(1))
    match.play(["done", "done"])
    g, weighed, found = match.game.seen_by(AXIS), list[int](), Assault.force
    monkeypatch.setattr(Assault, "force", lambda *asked: weighed.append(asked[0].hex) or found(*asked))
    numbers = []
    for most in (50, 1000):
        weighed.clear()
        staff = chief(AXIS)
        staff.weights["most_weighed"] = most
        board = staff.board(g, moving=True)
        auction(board, staff.theatre.goals(g, AXIS), with_combat=True)
        assert any(one.is_attack(staff.theatre, one.places[0][1]) for one in board.assignments)
        numbers.append(len(weighed))
    assert numbers[0] < 0.7 * numbers[1]


def test_support_goes_where_it_brings_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """An attack gives air points to the one that follows, if they bring more there, and all it can use if none follows."""
    match = situation("two-weak-stacks-join")
    g, staff = match.game.seen_by(ALLIED), chief(ALLIED)
    first, second = list(staff.theatre.stacks(g, AXIS))[:2]
    worth = {first: [4.0, 5.0, 6.0], second: [2.0, 5.0, 5.0]}

    def verdict(assault: Assault, board: Any, units: Any, support: int) -> Verdict:
        return Verdict(worth[assault.hex][support], 0.5, 0.5, 0.0)

    monkeypatch.setattr(Assault, "verdict", verdict)
    staff.engaged, staff.later = (4.0, first), [(second, ())]
    assert [staff.shared_support(g, (), points) for points in range(4)] == [0, 0, 1, 2]
    staff.engaged, staff.later = (2.0, second), []
    assert [staff.shared_support(g, (), points) for points in range(4)] == [0, 1, 1, 1]


def test_a_constraint_keeps_who_is_there() -> None:
    match = situation("the-boxes-are-held")
    staff = chief(AXIS)
    plan = staff.make_plan(match.game.seen_by(AXIS), (1, 0))
    kept = {
        one.hex for one in plan.board.assignments for party, at in one.places if at == party.hex and one.task == HOLD
    }
    assert {BOARD[name] for name in ("B9.16", "B9.15", "B9.14", "B10.13", "B10.12", "B1.18")} <= kept


def test_a_party_detaches_the_unit_that_does() -> None:
    """What one unit does is done by one, and the rest of its party is free for something else."""
    match = Match(games.load("afrika"), "gazala", dice=KeyedDice.seeded(1))
    match.play(["done", "done"])
    board = chief(AXIS).board(match.game.seen_by(AXIS), moving=True)
    free = sum(len(party.units) for party in board.free)
    bid = Occupation(Goal(BOARD["A39.20"], 10, TAKE, thin=True)).bid(board)
    assert bid is not None
    (party, _), *others = bid.places
    assert not others
    assert len(party.units) == 1 < len(board.whole(party).units)
    board.give(bid)
    assert sum(len(one.units) for one in board.free) == free - 1


def test_a_thin_constraint_keeps_a_weak_attacker() -> None:
    """It gets the strength that it needs, from a unit of a party, and the tanks stay free."""
    match = Match(games.load("afrika"), "gazala", dice=KeyedDice.seeded(1))
    match.play(["done", "done"])
    board = chief(AXIS).board(match.game.seen_by(AXIS), moving=True)
    strongest = max(board.free, key=lambda party: party.attack)
    auction(board, [Goal(strongest.hex, 10, HOLD, must=True, thin=True, strength=3)], with_combat=False)
    ((party, _),) = board.assignments[0].places
    assert set(party.units) < set(strongest.units)
    assert party.defence >= 3
    assert party.attack < strongest.attack / 4


def test_a_goal_that_is_safe_calls_nobody() -> None:
    """Alexandria does not draw the army back from the front."""
    match = Match(games.load("afrika"), "rommel", dice=KeyedDice.seeded(1))
    match.play(["done", "done"])
    board = chief(ALLIED).board(match.game.seen_by(ALLIED), moving=False)
    assert _calls(board, Goal(BOARD["B19.18"], 10)) < 0.3
    assert _calls(board, Goal(BOARD["A47.20"], 10)) == 1.0


def test_an_empty_city_is_entered() -> None:
    """Tobruk and Bardia are taken where nobody holds them (4.2)."""
    match = Match(games.load("afrika"), "gazala", dice=KeyedDice.seeded(1))
    match.play(["done", "done"])
    g = match.game.seen_by(AXIS)
    for unit in forces_in(g, ALLIED, BOARD["A39.23"]):
        g.state.where[unit] = BOARD["A50.15"]
    assert [goal.task for goal in wanted_by(g, AXIS) if goal.hex == BOARD["A39.23"]] == [TAKE]


def test_a_task_is_remembered_until_another_replaces_it() -> None:
    match = situation("the-line-is-cut-where-most-depends")
    staff = chief(ALLIED)
    plan = staff.make_plan(match.game.seen_by(ALLIED), (1, 0))
    cutters = {
        u: one.hex for one in plan.board.assignments if one.task == CUT for party, _ in one.places for u in party.units
    }
    assert cutters
    assert cutters.items() <= staff.kept.items()
    board = staff.board(match.game.seen_by(ALLIED), moving=True)
    party = next(party for party in board.free if party.units[0] in cutters)
    assert board.loyalty(party, cutters[party.units[0]]) > 0 == board.loyalty(party, BOARD["B20.12"])


def crusader() -> Any:
    """The first position of Crusader as the Allies see it."""
    match = Match(games.load("afrika"), "crusader", dice=KeyedDice.seeded(1))
    return match.game.seen_by(ALLIED)


def test_a_garrison_does_not_follow_a_beaten_enemy() -> None:
    """All but the artillery had left Tobruk after a combat, and it fell in the same turn."""
    g, staff = crusader(), chief(ALLIED)
    last = NUMBER["14 Bde/70 Inf"]
    for unit in forces_in(g, ALLIED, BOARD["A39.23"]):
        if unit not in (last, NUMBER["Artillery Grp A"]):
            g.state.where[unit] = BOARD["A50.15"]
    board = staff.board(g)
    goals = {goal.hex: goal for goal in staff.theatre.goals(g, ALLIED)}
    assert not staff._is_spare(board, goals, last, BOARD["A39.22"])


# Walls


def test_a_wall_closes_every_path_with_the_fewest_hexes() -> None:
    """Two paths lead from 0 to 4; the hex that both use is dearer than one of each."""
    sides = np.array([[1, 2], [0, 3], [0, 3], [1, 4], [3, 9]], dtype=np.int16)
    assert wall(sides, (), [0], [4], [9, 2, 2, 9, 9]) == [1, 2]
    assert wall(sides, (), [0], [4], [9, 2, 2, 3, 9]) == [3]
    assert wall(sides, (2,), [0], [4], [9, 2, 2, 3, 9]) == [1]
    assert wall(sides, (), [3], [4], [9, 2, 2, 3, 9]) == []


def test_the_allies_hold_a_line_from_the_sea_to_the_depression() -> None:
    """Four hexes close every path to Alexandria and Cairo."""
    g = Match(games.load("afrika"), "first-alamein", dice=KeyedDice.seeded(1)).game.seen_by(ALLIED)
    line = [goal.hex for goal in chief(ALLIED).theatre.goals(g, ALLIED) if goal.reason == "the line"]
    assert len(line) == 4
    assert {BOARD.name(hex)[:3] for hex in line} <= {"B10", "B11", "B12", "B13"}


# The player


def test_a_kind_of_decision_that_it_does_not_know_gets_the_click_that_does_least() -> None:
    match = situation("a-box-too-strong")
    g, done = match.game, match.rules.button("done")
    unknown = Decision(AXIS, "weather.change", "Choose", "1", {match.rules.button("spend"): None, done: None})
    assert chief(AXIS).order(g, unknown).clicks == (done,)
    without = Decision(AXIS, "weather.change", "Choose", "1", {match.rules.button("spend"): None})
    assert chief(AXIS).order(g, without).clicks == (match.rules.button("spend"),)


def test_the_planner_can_lead_it() -> None:
    match = situation("nobody-starves")
    staff = chief(AXIS)
    assert isinstance(staff, Planning)
    usual, *others = staff.stances(match.game)
    assert others
    bold = staff.again("bold")
    assert bold.weights["fear"] < staff.weights["fear"]
    staff.adopt("bold")
    staff.adopt(usual)
    assert staff.weights == dict(staff.theatre.weights)
    assert staff.score(match.game) == -chief(ALLIED).score(match.game)


@pytest.mark.parametrize("scenario", SHORT)
def test_it_plays_short_scenarios_to_the_end(scenario: str) -> None:
    """Every decision of both sides is answered."""
    match = Match(games.load("afrika"), scenario, dice=KeyedDice.seeded(5))
    players = tuple(player("normal", seed) for seed in (5, 6))
    play_out(match, players, most=5000)
    assert match.state.result is not None
    assert all(getattr(one, "log", []) for one in players)


@pytest.mark.parametrize("scenario", ["italian-offensive", "rommel"])
def test_it_plays_campaigns_to_the_end(scenario: str) -> None:
    match = Match(games.load("afrika"), scenario, dice=KeyedDice.seeded(7))
    play_out(match, (player("normal", 7), player("normal", 8)), most=60_000)
    assert match.state.result is not None


@pytest.fixture(scope="module")
def rommel() -> tuple[Match[Any], list[str]]:
    """The campaign from Rommel played to turn 17, with the reasons of both sides."""
    match = Match(games.load("afrika"), "rommel", dice=KeyedDice.seeded(100))
    players = (Scripted(200), Scripted(201))
    while match.decision is not None and match.state.turn < 17:
        match.click(answer(match, players[match.decision.side]))
    return match, players[AXIS].log + players[ALLIED].log


def test_units_leave_the_off_map_boxes_one_after_the_other(rommel: tuple[Match[Any], list[str]]) -> None:
    """Where the edge hex by the road is full they enter another one, instead of trying again (1.3, 1.13)."""
    left = [line for line in rommel[1] if "moves to A1." in line and "hand" not in line]
    assert left
    assert len(set(left)) == len(left)


def test_supply_is_carried_forward_from_tripoli(rommel: tuple[Match[Any], list[str]]) -> None:
    """By truck and ship, so that little is left in Tripoli (1.7, 1.9a); seventeen SPs were there before."""
    assert stock(rommel[0].game, AXIS).get(TRIPOLI, 0) < 14
    assert sum("supply: an SP moves" in line for line in rommel[1]) > 40


def test_air_points_that_nobody_needs_join_barrages() -> None:
    """Those that neither planned attacks nor the defence need go to a port of the enemy (1.9f, 1.10b)."""
    match = Match(games.load("afrika"), "italian-offensive", dice=KeyedDice.seeded(1))
    nobody = player("passive", 1)
    while (match.state.turn, match.decision.side, match.decision.kind) != (14, ALLIED, "barrage.target"):
        match.click(answer(match, nobody))
    order = chief(ALLIED).order(match.game.seen_by(ALLIED), match.decision)
    assert match.rules.names[order.clicks[-1]] == "air 3"


@pytest.mark.parametrize("level", ["easy", "hard"])
def test_the_other_levels_answer_legally(level: str) -> None:
    match = Match(games.load("afrika"), "alam-halfa", dice=KeyedDice.seeded(9))
    players = (player(level, 9), player("passive", 9))
    for _ in range(150):
        if match.decision is None:
            break
        click = answer(match, players[match.decision.side])
        assert click in match.decision.legal
        match.click(click)


@pytest.mark.parametrize(
    ("scenario", "side"), [("crusader", ALLIED), ("third-alamein", AXIS), ("first-alamein", ALLIED)]
)
def test_it_beats_a_passive_enemy(scenario: str, side: int) -> None:
    match = Match(games.load("afrika"), scenario, dice=KeyedDice.seeded(11))
    players = [player("passive", 11), player("passive", 12)]
    players[side] = player("normal", 11)
    play_out(match, tuple(players), most=5000)
    assert match.state.result.winner == side


def test_an_errand_that_cannot_begin_is_left_out() -> None:
    """The next one that has something to do is carried out."""
    match, staff = begun("crusader"), strategist(AXIS, random.Random(1))
    assert match.decision is not None
    legal = next(iter(match.decision.legal))
    orders: list[Order | None] = [None, Order((-1,)), Order((legal,), "legal")]
    theatre: Any = staff.theatre
    theatre.rounds = [lambda *_, order=order: order for order in orders]
    assert theatre.errands(match.game, AXIS, match.decision, staff) == orders[-1]
