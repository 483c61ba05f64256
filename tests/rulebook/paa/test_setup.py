"""Set-up (6)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from khamsin import games
from khamsin.games.paa import setup
from khamsin.games.paa.supply import lines
from khamsin.games.paa.units import ALL, ALLIED, AXIS, BASE, BOARD, CF, COUNTERS, NUMBER, REGULARS, SIDE, on_map
from khamsin.kernel import NOWHERE, Illegal, KeyedDice, Match


def campaign() -> Match[Any]:
    return Match(games.load("paa"), "campaign", dice=KeyedDice.seeded(1))


def at(match: Match[Any], piece: str) -> str:
    return BOARD.name(match.state.where[NUMBER[piece]])


def test_units_stand_in_the_hexes_of_their_order_of_battle() -> None:
    """(6, 2.2)"""
    match = campaign()
    assert at(match, "BR SG/2/IBDE") == "1006"
    assert at(match, "AU 24/IBDE") == "1925"
    assert at(match, "DE 5/1/ABN") == "0702"
    assert at(match, "IT 28/IREGT") == "0601"
    assert NOWHERE not in match.state.where


def test_later_units_and_options_wait_on_the_order_of_battle() -> None:
    """(2.2, 6)"""
    match = campaign()
    assert at(match, "DE 104/IREGT") == "Axis OOB turn 1"
    assert at(match, "BR 7/ABDE") == "Allied OOB turn 2"
    assert at(match, "DE 28/AIREGT") == "Option F"
    assert at(match, "IT 186/IREGT") == "Option M"
    assert at(match, "Axis lorry 3") == "Axis OOB turn 6"
    assert at(match, "Allied lorry 3") == "Allied OOB turn 8"


def test_installations_and_lorries_begin_with_their_army_and_the_rest_in_stock() -> None:
    """(6)"""
    match = campaign()
    places = Counter(at(match, c.name) for c in COUNTERS if c.symbol in ("depot", "lorry"))
    assert places == {
        "0702": 2, "0703": 2, "1906": 1, "2319": 1, "1440": 1, "1925": 1, "1351": 1,
        "Axis OOB": 4, "Allied OOB": 6, "Axis OOB turn 6": 1, "Allied OOB turn 8": 1,
    }  # fmt: skip


def test_allied_units_begin_without_reinforcement_and_nobody_has_points() -> None:
    """(6)"""
    state = campaign().state
    assert not any(state.plus)
    assert not any(state.points.values())


def test_the_axis_holds_el_agheila_and_the_allies_tobruk_and_alexandria() -> None:
    """(6)"""
    control = campaign().state.control
    assert {BOARD.name(hex): side for hex, side in control.items() if BOARD.name(hex) != "1730"} == {
        "0702": AXIS, "1925": ALLIED, "1351": ALLIED,
    }  # fmt: skip


def test_every_unit_begins_in_supply() -> None:
    """(6, 8.4.1)"""
    match = campaign()
    for side in (AXIS, ALLIED):
        now = lines(match.game, side)
        units = [u for u in REGULARS[side] if on_map(match.game, u)]
        assert sum(CF[u] for u in units) == (26, 25)[side]
        assert all(now.reach(match.state.where[u]) for u in units)


def test_the_allies_spread_their_base_first_and_then_the_axis() -> None:
    """(6)"""
    match = campaign()
    assert (match.phase.name, match.decision and match.decision.side) == ("allied set-up", ALLIED)
    match.play(["done"])
    assert (match.phase.name, match.decision and match.decision.side) == ("axis set-up", AXIS)
    match.play(["done"])
    assert match.state.turn == 1


def test_what_begins_in_a_base_may_stand_in_any_of_its_hexes() -> None:
    """(5.1, 6)"""
    match = campaign()
    match.play(["PL CARP/IBDE"])
    assert set(match.names) == {"1350", "1352", "1251", "1451", "cancel"}  # three stand in 1351, and it is in 1250
    match.play(["1451"])
    assert at(match, "PL CARP/IBDE") == "1451"


def test_what_begins_elsewhere_stays_there() -> None:
    """(6)"""
    match = campaign()
    for piece in ("AU 24/IBDE", "Allied depot 1", "DE 5/1/ABN"):
        with pytest.raises(Illegal):
            match.play([piece])


def test_three_units_fill_a_hex_and_one_installation_does() -> None:
    """(4, 6)"""
    match = campaign()
    match.play(["done", "IT 19/IREGT"])
    assert set(match.names) == {"0701", "0601", "cancel"}
    match.play(["0701", "Axis depot 1"])
    assert set(match.names) == {"0701", "0601", "0602", "cancel"}


def test_a_lorry_begins_on_a_road_or_track() -> None:
    """(6, 11.1.3)"""
    match = campaign()
    match.play(["done", "Axis lorry 1"])
    assert set(match.names) == {"0701", "0703", "0602", "cancel"}


def test_the_usual_spread_can_be_had_back() -> None:
    """(6)"""
    match = campaign()
    before = match.state.where[:]
    assert "default" not in match.names
    match.play(["AU 18/IBDE", "1352", "Allied lorry 2", "1250"])
    assert match.state.where != before
    match.play(["default"])
    assert match.state.where == before


def test_a_piece_taken_up_can_be_put_down_again() -> None:
    """(6)"""
    match = campaign()
    before = match.state.where[:]
    match.play(["AU 18/IBDE", "cancel"])
    assert match.state.where == before


def test_the_spread_offered_holds_exactly_the_units_that_begin_in_the_bases() -> None:
    """(6)"""
    for side in (AXIS, ALLIED):
        starters = {u for u, row in setup.ROWS.items() if row.get("turn") == 0 and BOARD[row["hex"]] in BASE[side]}
        assert starters == {u for u in setup.SPREAD[side] if u in REGULARS[side]}
        assert set(setup.SPREAD[side].values()) <= set(BASE[side])


def test_the_schedule_names_only_pieces_of_the_side_it_means() -> None:
    """(2.2)"""
    assert all(SIDE[piece] == side for side in (AXIS, ALLIED) for piece in setup.SPREAD[side])
    assert {len(ALL[AXIS]), len(ALL[ALLIED])} == {71, 81}


def test_a_piece_or_hex_that_cannot_be_chosen_says_why() -> None:
    """(4, 6, 11.1.3)"""
    match = campaign()
    assert match.explain(NUMBER["AU 24/IBDE"]).reason == "AU 24/IBDE cannot be moved: it does not begin in your base"
    match.play(["PL CARP/IBDE"])
    reasons = {hex: match.explain(match.rules.parse(hex)).reason for hex in ("1351", "1250", "1925")}
    assert reasons == {
        "1351": "PL CARP/IBDE cannot arrive in 1351: 3 units are there",
        "1250": "PL CARP/IBDE is already in 1250",
        "1925": "PL CARP/IBDE cannot arrive in 1925: not in your base",
    }
