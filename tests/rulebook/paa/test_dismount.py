"""Dismounting (13.6)."""

from __future__ import annotations

from typing import Any

import pytest

from khamsin import games
from khamsin.games.paa import movement
from khamsin.games.paa.units import AXIS, BOARD, NUMBER, supplied
from khamsin.kernel import Match
from khamsin.kernel import position as positions

HELD = 'axis = ["0702"]\nallied = ["1351", "1925"]'
LORRY = '"Axis OOB" = ["Axis lorry 3"]\n'


def position(units: str, turn: int = 4, side: str = "axis") -> Match[Any]:
    text = f'game = "paa"\nscenario = "campaign"\nturn = {turn}\nphase = "{side} reinforcement"\n[units]\n{units}\n'
    return positions.read(f"{text}[control]\n{HELD}\n", games.load)


def at(match: Match[Any], piece: str) -> str:
    return BOARD.name(match.state.where[NUMBER[piece]])


def open_now(match: Match[Any], button: str) -> bool:
    return match.phase.name.endswith("reinforcement") and button in match.names


def afoot(match: Match[Any]) -> set[str]:
    return {c.name for u, c in enumerate(match.rules.counters) if match.game.has(u, "dismounted")}


TEN = '"0803" = ["DE 104/IREGT", "DE 115/IREGT"]\n"0703" = ["IT 19/IREGT"]\n"0702" = ["Axis depot 1"]\n'
"""Ten CF in two hexes of the coast road."""


def test_ten_cf_on_one_road_make_a_lorry_next_to_them() -> None:
    """(13.6)"""
    match = position(LORRY + TEN)
    match.play(["dismount", "DE 104/IREGT", "IT 19/IREGT", "DE 115/IREGT"])
    assert set(match.names) == {"0702", "0703", "0803", "0804"}
    match.play(["0702"])
    assert at(match, "Axis lorry 3") == "0702"
    assert afoot(match) == {"DE 104/IREGT", "DE 115/IREGT", "IT 19/IREGT"}


def test_the_lorry_is_not_placed_where_an_enemy_stands() -> None:
    """(13.6)"""
    match = position(LORRY + TEN + '"0804" = ["AU 18/IBDE"]')
    match.play(["dismount", "DE 104/IREGT", "IT 19/IREGT", "DE 115/IREGT"])
    assert set(match.names) == {"0702", "0703", "0803"}


def test_fewer_than_ten_cf_are_too_few() -> None:
    """(13.6)"""
    assert not open_now(position(LORRY + TEN.replace('"IT 19/IREGT"', '"IT 32/AREGT"')), "dismount")


def test_reinforcement_counts_in_the_ten_cf() -> None:
    """(2.3.1, 13.6)"""
    lorry = '"Allied OOB" = ["Allied lorry 3"]\n'
    units = '"1440" = ["BR 7/ABDE [plus 2]", "BR 4/ABDE", "AU 18/IBDE"]'
    assert open_now(position(lorry + units, turn=4, side="allied"), "dismount")
    assert not open_now(position(lorry + units.replace("plus 2", "plus 1"), turn=4, side="allied"), "dismount")


@pytest.mark.parametrize("hex", ["0905", "0603", "1006"])
def test_units_apart_or_off_the_road_do_not_count_together(hex: str) -> None:
    """A hex between them on the road is empty, or theirs has no road (13.6)."""
    assert not open_now(position(LORRY + TEN.replace("0703", hex)), "dismount")


def test_units_in_one_hex_count_together() -> None:
    """(13.6)"""
    match = position(LORRY + '"0803" = ["DE 104/IREGT", "DE 115/IREGT", "IT 19/IREGT"]')
    assert open_now(match, "dismount")


def test_lines_that_do_not_join_are_not_the_same_road_or_track() -> None:
    """In 1724 the bypass crosses the Trigh Capuzzo without a junction (11.1.2, 13.6)."""
    units = '"1824" = ["DE 104/IREGT"]\n"1724" = ["IT 19/IREGT"]\n"{hex}" = ["DE 115/IREGT"]'
    assert not open_now(position(LORRY + units.format(hex="1723")), "dismount")
    assert open_now(position(LORRY + units.format(hex="1825")), "dismount")


def test_only_units_next_to_those_chosen_can_join_them() -> None:
    """(13.6)"""
    units = '"0702" = ["DE 115/IREGT"]\n"0703" = ["IT 19/IREGT"]\n"0803" = ["DE 104/IREGT"]'
    match = position(LORRY + units)
    match.play(["dismount", "DE 104/IREGT"])
    assert set(match.names) == {"IT 19/IREGT", "cancel"}
    match.play(["IT 19/IREGT"])
    assert set(match.names) == {"DE 115/IREGT", "cancel"}


def test_the_choice_can_be_cancelled() -> None:
    """(13.6)"""
    match = position(LORRY + TEN)
    match.play(["dismount", "DE 104/IREGT", "cancel"])
    assert not afoot(match)
    assert at(match, "Axis lorry 3") == "Axis OOB"


def test_units_out_of_supply_or_command_may_dismount() -> None:
    """(13.6)"""
    lorry = '"Allied OOB" = ["Allied lorry 3"]\n'
    units = '"1922" = ["BR 7/ABDE [oos]", "BR 4/ABDE [ooc]", "BR 22/ABDE [ooc, plus 1]"]'
    match = position(lorry + units, turn=4, side="allied")
    match.play(["dismount", "BR 7/ABDE", "BR 4/ABDE", "BR 22/ABDE", "1922"])
    assert len(afoot(match)) == 3


def test_without_a_lorry_to_be_had_nobody_dismounts() -> None:
    """(13.6)"""
    assert not open_now(position(TEN + '"0602" = ["Axis lorry 1", "Axis lorry 2", "Axis lorry 3"]'), "dismount")


def test_a_lorry_on_its_way_back_can_be_had_at_once_and_does_not_come_again() -> None:
    """The one that would come last is taken (13.6, 12.4.6)."""
    match = position(TEN + '"Axis OOB turn 5" = ["Axis lorry 1"]\n"Axis OOB turn 6" = ["Axis lorry 2"]')
    match.play(["dismount", "DE 104/IREGT", "IT 19/IREGT", "DE 115/IREGT", "0702"])
    assert at(match, "Axis lorry 2") == "0702"
    assert at(match, "Axis lorry 1") == "Axis OOB turn 5"


def test_a_lorry_in_stock_is_taken_before_one_on_its_way() -> None:
    """(13.6)"""
    match = position(LORRY + TEN + '"Axis OOB turn 6" = ["Axis lorry 2"]')
    match.play(["dismount", "DE 104/IREGT", "IT 19/IREGT", "DE 115/IREGT", "0702"])
    assert at(match, "Axis lorry 3") == "0702"
    assert at(match, "Axis lorry 2") == "Axis OOB turn 6"


def test_a_dismounted_unit_counts_as_out_of_supply_even_with_a_line() -> None:
    """(13.6, 8.4)"""
    match = position(LORRY + TEN)
    match.play(["dismount", "DE 104/IREGT", "IT 19/IREGT", "DE 115/IREGT", "0702"])
    unit = NUMBER["DE 104/IREGT"]
    assert not match.game.has(unit, "oos")
    assert not supplied(match.game, unit)


def test_dismounted_units_cannot_dismount_again() -> None:
    """(13.6)"""
    assert not open_now(position(LORRY + TEN.replace("DE 104/IREGT", "DE 104/IREGT [dismounted]")), "dismount")


AFOOT = (
    '"0803" = ["DE 104/IREGT [dismounted]", "DE 115/IREGT [dismounted]"]\n"0703" = ["IT 19/IREGT [dismounted]"]\n'
    '"0702" = ["Axis depot 1", "Axis lorry 1"]\n'
)


def test_a_supplied_lorry_next_to_them_is_handed_back_and_they_remount() -> None:
    """(13.6)"""
    match = position(AFOOT)
    match.play(["remount"])
    assert not afoot(match)
    assert at(match, "Axis lorry 1") == "Axis OOB"


@pytest.mark.parametrize(
    "units",
    [
        AFOOT.replace('"Axis lorry 1"', '"Axis lorry 1 [oos]"'),
        AFOOT.replace(', "Axis lorry 1"', "") + '"1006" = ["Axis lorry 1"]\n',
        AFOOT.replace('"Axis lorry 1"', '"Axis lorry 1 [reinforced]"'),
    ],
)
def test_a_lorry_out_of_supply_or_away_or_new_does_not_serve(units: str) -> None:
    """(13.6)"""
    match = position(units + '"Axis OOB" = ["Axis depot 6"]')
    assert open_now(match, "done")
    assert not open_now(match, "remount")


def test_a_remounted_unit_without_a_supply_line_stays_out_of_supply() -> None:
    """(13.6)"""
    units = AFOOT.replace("IT 19/IREGT [dismounted]", "IT 19/IREGT [dismounted, oos]")
    match = position(units + '"Axis OOB" = ["Axis depot 6"]')
    match.play(["remount"])
    assert not supplied(match.game, NUMBER["IT 19/IREGT"])
    assert supplied(match.game, NUMBER["DE 104/IREGT"])


def test_one_lorry_mounts_no_more_units_than_could_have_made_it() -> None:
    """(13.6)"""
    units = (
        '"0803" = ["DE 104/IREGT [dismounted]", "DE 115/IREGT [dismounted]", "DE 5/1/ABN [dismounted]"]\n'
        '"0703" = ["DE 8/1/ABN [dismounted]", "DE 8/2/ABN [dismounted]"]\n"0702" = ["Axis lorry 1", "Axis depot 1"]'
    )
    match = position(units)
    match.play(["remount", "DE 8/1/ABN", "DE 8/2/ABN", "DE 5/1/ABN"])
    assert set(match.names) == {"DE 104/IREGT", "DE 115/IREGT", "done"}
    decision = match.decision
    assert decision is not None
    assert decision.why_not is not None
    assert not any(decision.why_not(match.game, decision, click) for click in decision.legal)
    match.play(["DE 104/IREGT"])
    assert afoot(match) == {"DE 115/IREGT"}


def test_fewer_units_than_made_it_may_remount_after_losses() -> None:
    """(13.6)"""
    units = '"0703" = ["IT 19/IREGT [dismounted]"]\n"0702" = ["Axis lorry 1", "Axis depot 1"]'
    match = position(units)
    match.play(["remount"])
    assert not afoot(match)


def test_with_several_lorries_the_owner_says_which() -> None:
    """(13.6)"""
    match = position(AFOOT.replace('"Axis lorry 1"', '"Axis lorry 1", "Axis lorry 2"'))
    match.play(["remount"])
    assert set(match.names) == {"Axis lorry 1", "Axis lorry 2"}
    match.play(["Axis lorry 2"])
    assert at(match, "Axis lorry 2") == "Axis OOB"
    assert at(match, "Axis lorry 1") == "0702"


def test_who_has_joined_a_road_is_not_joined_by_units_of_the_track_that_crosses_it() -> None:
    """(11.1.2, 13.6)"""
    units = (
        '"1824" = ["DE 104/IREGT", "DE 155/IREGT"]\n"1724" = ["IT 19/IREGT", "IT 20/IREGT"]\n'
        '"1723" = ["DE 115/IREGT", "DE 361/IREGT"]'
    )
    match = position(LORRY + units)
    match.play(["dismount", "IT 19/IREGT"])
    assert {"DE 104/IREGT", "DE 115/IREGT"} <= set(match.names)
    match.play(["DE 104/IREGT"])
    assert set(match.names) == {"DE 155/IREGT", "IT 20/IREGT", "cancel"}


TOBRUK_ROAD = (
    '"1824" = ["DE 5/1/ABN", "DE 5/2/ABN", "DE 104/IREGT"]\n"0702" = ["Axis depot 1"]\n"1923" = ["Axis depot 2"]\n'
)
"""Ten CF where the road round Tobruk comes to a hex in which it crosses a track without joining it."""


def test_a_lorry_stands_on_the_road_of_those_who_gave_it_up() -> None:
    """In a hex where lines do not join it belongs to theirs (11.1.3, 13.6)."""
    match = position(LORRY + TOBRUK_ROAD)
    match.play(["dismount", "DE 5/1/ABN", "DE 5/2/ABN", "DE 104/IREGT", "1724"])
    lorry = NUMBER["Axis lorry 3"]
    reach = movement.reachable(match.game, AXIS, [lorry])
    assert (reach.cost(BOARD["1823"]), reach.cost(BOARD["1824"])) == (1, 1)
    assert reach.cost(BOARD["1723"]) > 8, "the track is to be reached only by the way round"


def test_a_lorry_that_was_handed_back_forgets_its_line() -> None:
    """It may be formed anywhere, and drives from there (11.1.3, 13.6)."""
    afoot_there = TOBRUK_ROAD.replace('"DE 5/1/ABN"', '"DE 5/1/ABN [dismounted]"')
    match = position(f'{afoot_there}"1724" = ["Axis lorry 3"]\n')
    lorry = NUMBER["Axis lorry 3"]
    match.state.via[lorry] = 1
    match.play(["remount"])
    assert (at(match, "Axis lorry 3"), match.state.via[lorry]) == ("Axis OOB", 0)


def test_a_unit_that_cannot_dismount_says_why() -> None:
    """Already chosen, too weak a group, not on the map; and where its lorry cannot be (13.6)."""
    match = position(LORRY + TEN + '"2212" = ["IT 20/IREGT"]\n"Axis Cadre" = ["DE 5/1/ABN"]\n')
    match.play(["dismount", "DE 104/IREGT"])
    reasons = {piece: match.explain(NUMBER[piece]).reason for piece in ("DE 104/IREGT", "IT 20/IREGT", "DE 5/1/ABN")}
    assert reasons == {
        "DE 104/IREGT": "DE 104/IREGT is already chosen",
        "IT 20/IREGT": "IT 20/IREGT cannot dismount: not among 10 CF of units on one road or track",
        "DE 5/1/ABN": "DE 5/1/ABN cannot dismount: not one of your regular units on the map",
    }
    match.play(["IT 19/IREGT", "DE 115/IREGT"])
    refusal = match.explain(match.rules.parse("1006"))
    assert refusal.reason == "The lorry cannot be formed in 1006: not next to the units on their road or track"


def test_without_a_lorry_dismounting_is_greyed_out() -> None:
    """(13.6)"""
    match = position('"Axis OOB" = ["Axis depot 6"]\n' + TEN)
    reasons = {match.rules.names[button]: refusal.reason for button, refusal in match.blocked().items()}
    assert reasons["dismount"] == "No units can dismount: no lorry is in stock or due later"
