"""The staff in Tunisia: odds of planned attacks, and a player that always has an answer."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from khamsin import games
from khamsin.games.tunisia import combat, leaving, victory
from khamsin.games.tunisia.arrivals import OUT
from khamsin.games.tunisia.tracing import trace
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, DIVISION, FORCES, MOVE, NUMBER, RESERVE, SIDE, forces_in
from khamsin.games.tunisia.zones import zone
from khamsin.kernel import KeyedDice, Match
from khamsin.players import answer, play_out, player
from khamsin.players.scripted import Planning
from khamsin.players.staff.chief import Chief
from khamsin.players.tunisia import logistics, odds, strategist


def begun(scenario: str, seed: int = 3) -> Match[Any]:
    """A scenario at the first movement phase of the side that moves first."""
    match = Match(games.load("tunisia"), scenario, dice=KeyedDice.seeded(seed))
    players = (player("passive", 1), player("passive", 2))
    while match.decision is not None and match.decision.kind != "move.stack":
        match.click(answer(match, players[match.decision.side]))
    return match


def chief(side: int) -> Chief:
    return strategist(side, random.Random(1))


def test_the_odds_of_a_planned_attack_are_those_of_the_rules() -> None:
    """Against units that are all seen, without a barrage, the chances are those of the preview (OCS 9)."""
    match = begun("kasserine")
    g, hex, near = match.game, BOARD["A44.07"], BOARD["A46.08"]
    place = next(at for at in BOARD.around(hex) if not g.state.where.stacks(1).get(at))
    units = list(forces_in(g, AXIS, near))
    with g.state.where.supposing(dict.fromkeys(units, place)):
        exact = combat.odds(g, AXIS, units, [hex]).outcomes
        found = odds.outcomes(
            g, dict.fromkeys(units, (0, place)), hex, chief(AXIS).theatre.defences(g, ALLIED, hex), 0.0
        )
    assert sum(one.chance for one in found) == pytest.approx(1.0)
    lossless = float(sum(chance for cell, chance in exact.items() if "AL" not in cell and "Ao" not in cell))
    assert sum(one.chance for one in found if not one.attacker_steps) == pytest.approx(lossless)


def test_a_barrage_makes_an_attack_better() -> None:
    match = begun("kasserine")
    g, hex = match.game, BOARD["A44.07"]
    place = next(at for at in BOARD.around(hex) if not g.state.where.stacks(1).get(at))
    units = dict.fromkeys(forces_in(g, AXIS, BOARD["A46.08"]), (0, place))
    held = chief(AXIS).theatre.defences(g, ALLIED, hex)
    before, after = (odds.outcomes(g, units, hex, held, shaken) for shaken in (0.0, 1.0))
    lost = [sum(one.chance * one.attacker_steps for one in each) for each in (before, after)]
    assert lost[1] < lost[0]


def test_attackers_that_cannot_meet_their_options_free_the_defender() -> None:
    """A lone attacker that loses a step and has an option left clears nothing (OCS 9.1)."""
    alone, many = (odds.results("open", 0, 0, 0, False, number) for number in (1, 4))
    cleared = [sum(one.chance for one in each if one.defender_hexes) for each in (alone, many)]
    assert cleared[0] < cleared[1] / 2


def test_a_march_for_a_later_attack_is_not_a_promise() -> None:
    """Units that only approach Gabès in this turn may attack what is beside them (Scenario 5)."""
    match = begun("mareth")
    side = match.decision.side
    g, staff = match.game.seen_by(side), chief(side)
    plan = staff.make_plan(g, (g.state.turn, g.state.phase))
    places = {unit: hex for one in plan.board.assignments for party, hex in one.places for unit in party.units}
    assert plan.promised
    assert all(places[unit] in BOARD.around(hex) for unit, (_, hex) in plan.promised.items())


def test_the_railway_is_opened_towards_the_front() -> None:
    """From Bône along the unowned rails by Souk Ahras to where the enemy bars them (1.1a)."""
    match = begun("race-for-tunis")
    g = match.game.seen_by(ALLIED)
    line = logistics.railway(g, ALLIED, chief(ALLIED).theatre)
    assert BOARD.name(line[0]) == "A17.20"
    assert all(near in BOARD.around(hex) for hex, near in pairwise(line))
    assert all(g.state.rail.get(hex) == AXIS for hex in line)
    assert BOARD["A19.17"] in line
    assert not any(zone(g, AXIS)[hex] for hex in line)


def test_a_headquarters_looks_for_a_place_from_which_it_feeds_units_without_supply() -> None:
    """Such a place need have no units; there the headquarters draws supply itself (OCS 11.2)."""
    match, idle = begun("mareth"), player("passive", 1)
    while (match.state.turn, match.phase.name) != (33, "allied movement"):
        match.click(answer(match, idle))
    g, staff, far = match.game, chief(ALLIED), BOARD["B43.13"]
    everywhere = np.ones(BOARD.size, dtype=bool)
    assert not logistics.reliefs(g, ALLIED, staff.theatre, everywhere)
    for unit in [unit for unit in FORCES[ALLIED] if DIVISION[unit] == "2 NZ"]:
        g.state.where[unit] = far
    found = logistics.reliefs(g, ALLIED, staff.theatre, everywhere)
    assert found
    assert all(trace(g, ALLIED).direct[hex] for hex in found)


def test_no_more_is_planned_than_supply_allows() -> None:
    match = begun("mareth")
    side = match.decision.side
    g, staff = match.game.seen_by(side), chief(side)
    plan = staff.make_plan(g, (g.state.turn, g.state.phase))
    thirsty = [unit for move in plan.moves for unit in staff.theatre.thirsty(g, move.units, move.hex)]
    assert len(thirsty) <= 2 * sum(staff.theatre.purse(g, side))


def test_supply_is_found_anew_in_every_turn() -> None:
    """Tokens are spent and arrive while no unit moves (OCS 11.1)."""
    match = begun("mareth")
    g, theatre = match.game, chief(AXIS).theatre
    assert theatre.supplied(g, AXIS).any()
    g.state.axis_t.clear()
    g.state.load[:] = [0] * len(g.state.load)
    g.state.turn += 1
    assert not theatre.supplied(g, AXIS).any()


def test_units_that_must_exit_do_so_first() -> None:
    """Two panzer battalions and a regiment go to the exit of Kasserine Pass, the nearest ones (Scenario 2)."""
    match = begun("kasserine")
    g, staff = match.game.seen_by(AXIS), chief(AXIS)
    units = staff.theatre.leavers(g, AXIS)
    assert len(units) == 3
    assert sum(victory.is_motorised_regiment(unit) for unit in units) == 1
    assert all(SIDE[unit] == AXIS for unit in units)
    assert not {unit for party in staff.theatre.parties(g, AXIS) for unit in party} & set(units)
    assert BOARD.name(leaving.EXIT) == "A27.11"


def test_units_wait_in_reserve_while_the_exit_is_barred() -> None:
    """They exit in the Exploitation Phase once an attack has opened it; Reserve Mode is not entered in an enemy ZOC
    (Scenario 2, OCS 5, 5(2))."""
    match = begun("kasserine")
    match.state.where[NUMBER["6 Mech Inf/1 US Arm"]] = leaving.EXIT
    g, staff = match.game.seen_by(AXIS), chief(AXIS)
    order = staff.order(g, match.decision)
    unit = order.clicks[0]
    assert unit in staff.theatre.leavers(g, AXIS)
    assert [g.rules.names[click] for click in order.clicks[1::2]] == ["move", "reserve"]
    for click in order.clicks:
        match.click(click)
    g = match.game.seen_by(AXIS)
    assert g.state.flags[unit] & RESERVE
    assert g.state.flags[unit] & MOVE
    assert unit in staff.theatre.leavers(g, AXIS)
    assert logistics.wait_to_exit(g, AXIS, unit, staff.theatre) == ()


@pytest.mark.parametrize(("turn", "trades"), [(28, False), (29, False), (30, True)])
def test_parties_change_between_attacks_in_the_last_turn_alone(turn: int, trades: bool) -> None:
    """Then goals decide, and an attack on the exit gets units that the one on Tebessa hardly needs (Scenario 2)."""
    match = begun("kasserine")
    match.state.turn = turn
    assert bool(chief(AXIS).board(match.game.seen_by(AXIS)).trades) is trades


def test_hidden_units_count_as_the_average_of_those_that_are_hidden() -> None:
    match = begun("kasserine")
    g = match.game.seen_by(AXIS)
    known = odds.average(g, 1)
    assert 1.0 < known.strength < 8.0
    assert 0.0 < known.rating < 5.0


def test_the_planner_can_lead_it() -> None:
    match = begun("kasserine")
    staff = chief(AXIS)
    assert isinstance(staff, Planning)
    _, *others = staff.stances(match.game)
    assert others
    bold = staff.again("bold")
    assert isinstance(bold, Chief)
    assert bold.weights["fear"] < staff.weights["fear"]
    assert staff.score(match.game) == pytest.approx(-chief(1).score(match.game))


@pytest.mark.parametrize("scenario", ["kasserine", "race-for-tunis"])
def test_it_plays_to_the_end(scenario: str) -> None:
    """Every decision of both sides is answered."""
    match = Match(games.load("tunisia"), scenario, dice=KeyedDice.seeded(5))
    players = tuple(player("normal", seed) for seed in (5, 6))
    play_out(match, players, most=20_000)
    assert match.state.result is not None
    assert all(getattr(one, "log", []) for one in players)


@pytest.mark.parametrize("level", ["easy", "hard"])
def test_the_other_levels_answer_legally(level: str) -> None:
    match = Match(games.load("tunisia"), "kasserine", dice=KeyedDice.seeded(9))
    players = (player(level, 9), player("passive", 9))
    for _ in range(60):
        if match.decision is None:
            break
        click = answer(match, players[match.decision.side])
        assert click in match.decision.legal
        match.click(click)


def test_it_breaks_through_at_kasserine_against_a_passive_enemy() -> None:
    match = Match(games.load("tunisia"), "kasserine", dice=KeyedDice.seeded(6))
    play_out(match, (player("normal", 6), player("passive", 7)), most=5000)
    assert match.state.result.winner == AXIS
    assert len([unit for unit in FORCES[AXIS] if match.state.where[unit] == OUT]) >= 3
    assert victory.occupies(match.game, AXIS, BOARD["A21.05"])
    assert NUMBER["HQ DAK"] in FORCES[AXIS]
