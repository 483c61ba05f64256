"""Movement over land, by sea, rail and lorry; overruns; and why not (11)."""

from __future__ import annotations

import pytest

from khamsin.games import load
from khamsin.games.paa.units import BOARD, NUMBER
from khamsin.kernel import Illegal, KeyedDice, Match
from khamsin.players import Random, answer
from tests.rulebook.paa.table import figure, flags, hexes, table, where, why

HOME = {"0702": ["Axis depot 1"], "0703": ["DE 3/ARECBN"]}


def test_the_change_between_lines_that_do_not_join_costs_two() -> None:
    """Road to 1724, change, track into 1723: 7 MF (11.1.2, fig. 6)."""
    match = figure("fig-6")
    match.play(["BR 7/ABDE"])
    assert hexes(match)["1724"] == 3
    assert hexes(match)["1723"] == 7


def test_the_change_is_not_dodged_by_stopping_in_between() -> None:
    """A unit remembers by which line it came (11.1.2)."""
    match = figure("fig-6")
    match.play(["BR 7/ABDE", "1724", "BR 7/ABDE"])
    assert hexes(match)["1723"] == 4


def test_a_unit_may_go_on_with_what_is_left() -> None:
    """MF are spent step by step and not beyond (11, 11.1)."""
    match = table("axis movement", HOME | {"0601": ["IT 19/IREGT"]})
    match.play(["IT 19/IREGT", "0602"])
    assert match.state.spent[NUMBER["IT 19/IREGT"]] == 3
    match.play(["IT 19/IREGT", "0601"])
    assert match.state.spent[NUMBER["IT 19/IREGT"]] == 13


def test_a_click_asked_for_by_itself_is_open_where_the_list_has_it() -> None:
    """Who can move, and where there is room, is found out one by one or for all at once (4, 11)."""
    match, player = Match(load("paa"), "campaign", dice=KeyedDice.seeded(5)), Random(5)
    asked = 0
    while asked < 150 and match.decision is not None:
        decision = match.decision
        if decision.rule in ("11", "11.1"):
            asked += 1
            alone = [click for click in range(len(match.rules.names)) if click in decision.legal]
            assert alone == sorted(decision.legal)
        match.click(answer(match, player))


def test_units_of_a_hex_move_together() -> None:
    """A stack may move as one (11.1)."""
    match = table("axis movement", {"0702": ["Axis depot 1", "DE 5/1/ABN", "DE 5/2/ABN"]})
    match.play(["DE 5/1/ABN", "DE 5/2/ABN", "1006"])
    assert where(match, "DE 5/1/ABN") == where(match, "DE 5/2/ABN") == "1006"


def test_a_stack_of_four_may_stop_nowhere() -> None:
    """Not in a vacant hex either, as nobody there could make room (4, 11.1)."""
    stack = ["DE 5/1/ABN", "DE 5/2/ABN", "DE 8/1/ABN"]
    match = table("axis movement", {"0702": ["Axis depot 1", *stack], "0803": ["DE 8/2/ABN"]})
    match.play(["DE 8/2/ABN", "0702", *stack])
    assert hexes(match)
    match.play(["DE 8/2/ABN"])
    assert hexes(match) == {}


def test_a_lorry_keeps_to_roads_and_tracks() -> None:
    """Road 1, track 8, nothing else (11.1.3)."""
    match = table("axis movement", HOME | {"1006": ["Axis lorry 1"]})
    match.play(["Axis lorry 1"])
    open_ = hexes(match)
    assert open_["0906"] == 1
    assert 8 in open_.values()
    assert "1005" not in open_
    assert why(match, "0510")[:2] == (
        "Axis lorry 1 cannot move to 0510: no connected road or track leads there",
        "11.1.3",
    )


def test_a_lorry_does_not_change_lines_that_do_not_join() -> None:
    """No change for lorries (11.1.3)."""
    match = table("allied movement", {"1824": ["Allied lorry 1"]})
    match.play(["Allied lorry 1", "1724", "Allied lorry 1"])
    assert hexes(match)["1823"] == 1
    assert hexes(match)["1723"] > 8  # the long way round, not the track of 1724


def test_a_unit_that_enters_an_enemy_zone_stops() -> None:
    """Enter and halt (11.1.4)."""
    match = table("axis movement", HOME | {"0803": ["DE 5/1/ABN"], "1006": ["BR 3/ABDE"]})
    match.play(["DE 5/1/ABN", "0906"])
    assert "stopped" in flags(match, "DE 5/1/ABN")
    assert "DE 5/1/ABN" not in match.names
    assert why(match, "DE 5/1/ABN") == (
        "DE 5/1/ABN cannot move: it stopped in the ZOC of BR 3/ABDE",
        "11.1.4",
        "BR 3/ABDE",
    )


def test_a_unit_leaves_a_zone_only_by_a_hex_that_is_in_none() -> None:
    """From zone to zone only by way of free ground (11.1.4)."""
    match = table("axis movement", HOME | {"0906": ["DE 5/1/ABN"], "1006": ["BR 3/ABDE"]})
    match.play(["DE 5/1/ABN"])
    open_ = hexes(match)
    step = {"0907": 3, "1005": 3}
    for hex, direct in step.items():
        assert isinstance(open_[hex], int)
        assert open_[hex] > direct
    assert open_["0806"] == 3


def test_a_unit_does_not_cross_a_zone() -> None:
    """The refusal names who bars the way (11.1.4)."""
    match = table("axis movement", {"0702": ["Axis depot 1"], "0804": ["IT 132/AREGT"], "1005": ["BR 3/ABDE"]})
    match.state.spent[NUMBER["IT 132/AREGT"]] = 55
    match.play(["IT 132/AREGT"])
    assert hexes(match)["0905"] == 1
    assert "1006" not in hexes(match)
    reason, rule, cause = why(match, "1006")
    assert (rule, cause) == ("11.1.4", "BR 3/ABDE")
    assert "it must stop in 0905, in the ZOC of BR 3/ABDE" in reason


def test_the_zone_of_a_fort_stops_too() -> None:
    """A unit beside a held fort goes no further (11.1.5)."""
    match = table(
        "axis movement", HOME | {"1723": ["DE 5/1/ABN", "Axis depot 2"], "1925": ["AU 24/IBDE"]}, axis=("0702",)
    )
    match.state.flags[NUMBER["DE 5/1/ABN"]] = 0
    match.play(["DE 5/1/ABN", "1824"])
    assert "stopped" in flags(match, "DE 5/1/ABN")


def test_who_advanced_into_a_forts_zone_owes_it_an_attack() -> None:
    """It does not leave before it has attacked (11.1.5)."""
    match = table("axis movement", HOME | {"1824": ["DE 5/1/ABN [owes attack]"], "1925": ["AU 24/IBDE"]})
    assert "DE 5/1/ABN" not in match.names
    assert why(match, "DE 5/1/ABN")[1] == "11.1.5"


@pytest.mark.parametrize(("turn", "die", "captured"), [(1, 4, True), (1, 5, False), (2, 2, True), (2, 3, False)])
def test_a_lone_allied_installation_is_captured_or_destroyed(turn: int, die: int, captured: bool) -> None:
    """On turn 1 by 1-4, later by 1-2 (11.1.6, Table 8)."""
    units = HOME | {"0803": ["DE 5/1/ABN"], "0905": ["Allied depot 1"], "Axis OOB": ["Axis depot 6"]}
    match = table("axis movement", units, turn=turn, dice=(die,))
    match.play(["DE 5/1/ABN", "0905"])
    assert where(match, "Allied depot 1") == "Allied OOB"
    assert where(match, "Axis depot 6") == ("0905" if captured else "Axis OOB")
    assert flags(match, "Axis depot 6") == set()  # it can feed an attack at once


def test_a_capture_with_no_installation_to_spare_destroys() -> None:
    """The captor needs one of his own to place (11.1.6)."""
    depots = {f"06{n:02}": [f"Axis depot {n}"] for n in range(2, 7)}
    match = table("axis movement", HOME | depots | {"0803": ["DE 5/1/ABN"], "0905": ["Allied depot 1"]}, dice=(1,))
    match.play(["DE 5/1/ABN", "0905"])
    assert not [n for n in range(1, 7) if where(match, f"Axis depot {n}") == "0905"]


def test_the_allies_capture_on_one_and_two() -> None:
    """An Axis installation, any turn (11.1.6, Table 8)."""
    for die, captured in ((2, True), (3, False)):
        units = {"1925": ["BR 4/ABDE"], "1924": ["Axis depot 1"], "Allied OOB": ["Allied depot 1"]}
        match = table("allied movement", units, turn=1, dice=(die,))
        match.play(["BR 4/ABDE", "1924"])
        assert where(match, "Axis depot 1") == "Axis OOB"
        assert where(match, "Allied depot 1") == ("1924" if captured else "Allied OOB")


def test_units_go_by_sea_from_port_to_port_and_do_no_more() -> None:
    """From a held port to a held port, once (2.1.2, 11.2)."""
    match = table("allied movement", {"1351": ["AU 18/IBDE", "NZ 4/IBDE", "NZ 5/IBDE"]})
    match.play(["AU 18/IBDE", "by sea", "1925", "NZ 4/IBDE", "by sea", "1925"])
    assert where(match, "AU 18/IBDE") == where(match, "NZ 4/IBDE") == "1925"
    assert why(match, "AU 18/IBDE")[1] == "11.2"
    match.play(["NZ 5/IBDE"])
    assert "by sea" not in match.names  # two units a port


def test_bardia_handles_one_piece_in_all() -> None:
    """In or out, one unit or one installation (11.2)."""
    match = table("allied movement", {"1351": ["AU 18/IBDE", "NZ 4/IBDE"], "1730": ["SA 1/IBDE"]})
    match.play(["AU 18/IBDE", "by sea", "1730", "NZ 4/IBDE", "by sea"])
    assert set(hexes(match)) == {"1925"}
    match.play(["cancel", "SA 1/IBDE"])
    assert "by sea" not in match.names


def test_a_unit_that_has_moved_does_not_embark() -> None:
    """Only from where it started (11.2)."""
    match = table("allied movement", {"1352": ["NZ 4/IBDE"]})
    match.play(["NZ 4/IBDE", "1351", "NZ 4/IBDE"])
    assert "by sea" not in match.names


def test_lorries_do_not_go_by_sea() -> None:
    """Transport units stay ashore (11.2)."""
    match = table("allied movement", {"1351": ["Allied lorry 1"]})
    match.play(["Allied lorry 1"])
    assert "by sea" not in match.names


def test_the_axis_ships_only_where_no_supplied_allied_unit_is_near() -> None:
    """Twenty hexes around both ports (11.2)."""
    units = {"0702": ["Axis depot 1"], "1925": ["DE 5/1/ABN"], "1924": ["Axis depot 2"], "1730": ["DE 5/2/ABN"]}
    held = {"axis": ("0702", "1730", "1925"), "allied": ("1351",)}
    clear = table("axis movement", units | {"1352": ["NZ 4/IBDE"]}, **held)
    clear.play(["DE 5/1/ABN"])
    assert "by sea" in clear.names
    watched = table("axis movement", units | {"1440": ["NZ 4/IBDE"]}, **held)
    watched.play(["DE 5/1/ABN"])
    assert "by sea" not in watched.names


def test_a_lorry_carries_an_installation_and_another_takes_it_on() -> None:
    """Load, drive, unload; several hands in one phase (2.3.2, 11.3)."""
    units = {"0702": ["Axis depot 1", "Axis lorry 1"], "0703": ["Axis depot 2"], "1006": ["Axis lorry 2"]}
    match = table("axis movement", units)
    match.play(["Axis lorry 1", "Axis depot 1", "Axis lorry 1", "1006", "Axis lorry 1", "unload"])
    assert where(match, "Axis depot 1") == "1006"
    match.play(["Axis lorry 2", "Axis depot 1", "Axis lorry 2", "1206"])
    assert where(match, "Axis depot 1") == "1206"
    assert "moved" in flags(match, "Axis depot 1")


def test_an_installation_out_of_command_is_not_carried() -> None:
    """Out of command it stays (10.3, 11.3)."""
    match = table("allied movement", {"1351": ["Allied depot 1 [ooc]", "Allied lorry 1"]})
    match.play(["Allied lorry 1"])
    assert "Allied depot 1" not in match.names


def test_an_allied_installation_is_not_taken_from_those_it_feeds() -> None:
    """Carrying it off may strand nobody, not even for a moment (8.4.1, 11.1.1)."""
    units = {"1440": ["Allied depot 1", "Allied lorry 1"], "1630": ["Allied depot 2"], "1629": ["BR 4/ABDE"]}
    match = table("allied movement", units, axis=("0702", "1925"), allied=("1351", "1730"))
    match.play(["Allied lorry 1", "Allied depot 1", "Allied lorry 1"])
    assert "1341" in hexes(match)
    assert "1351" not in hexes(match)
    reason, rule, cause = why(match, "1352")
    assert (rule, cause) == ("8.4.1", "BR 4/ABDE")
    assert "would lose supply" in reason


def test_two_installations_do_not_end_in_one_hex() -> None:
    """One installation a hex at the end of the phase, and only then (4)."""
    match = table("allied movement", {"1351": ["Allied depot 1", "Allied lorry 1"], "1250": ["Allied depot 2"]})
    match.play(["Allied lorry 1", "Allied depot 1", "Allied lorry 1", "1250"])
    assert why(match, "done")[1] == "4"
    match.play(["Allied lorry 1", "unload", "Allied lorry 1", "Allied depot 2", "Allied lorry 1", "1351"])
    assert where(match, "Allied depot 1") == "1250"
    assert where(match, "Allied depot 2") == "1351"
    assert "done" in match.names


def test_the_railroad_carries_allied_installations_for_nothing() -> None:
    """Any distance along the line, without a lorry (11.3.1)."""
    match = table("allied movement", {"1351": ["Allied depot 1"]})
    match.play(["Allied depot 1"])
    assert hexes(match)["1440"] == "by rail"
    match.play(["1440"])
    assert where(match, "Allied depot 1") == "1440"


def test_the_railroad_carries_an_installation_where_a_lorry_of_its_hex_cannot() -> None:
    """(11.3, 11.3.1)"""
    match = table("allied movement", {"1351": ["Allied depot 1", "Allied lorry 1"]})
    match.play(["Allied depot 1"])
    assert hexes(match)["1353"] == "by rail"
    decision = match.decision
    assert decision is not None
    assert decision.why_not is not None
    assert not any(decision.why_not(match.game, decision, click) for click in decision.legal)


def test_an_axis_zone_cuts_the_railroad_from_there_on() -> None:
    """Only east of the easternmost Axis zone, Allied units or not (11.3.1)."""
    match = table("allied movement", {"1351": ["Allied depot 1"], "1144": ["DE 5/1/ABN"], "1244": ["NZ 4/IBDE"]})
    match.play(["Allied depot 1"])
    assert "1246" in hexes(match)
    assert "1244" not in hexes(match)
    assert "1440" not in hexes(match)
    assert why(match, "1440")[1] == "11.3.1"


def test_the_axis_has_no_railroad() -> None:
    """Not for the Axis (11.3.1)."""
    match = table("axis movement", HOME | {"1242": ["Axis depot 2"], "1343": ["DE 5/1/ABN"]})
    assert "Axis depot 2" not in match.names


def test_an_overrun_is_open_where_destruction_is_certain() -> None:
    """Five CF in attack supply against two: differential 3, and the stack rolls on (11.4, fig. 7)."""
    match = figure("fig-7")
    match.play(["IT BERS/8/AIREGT"])
    assert "1006" not in hexes(match)
    match.play(["IT 132/AREGT"])
    assert hexes(match)["1006"] == {"overrun": 11}
    match.play(["1006", "no"])
    assert where(match, "BR SG/2/IBDE") == "Allied Cadre"
    assert where(match, "IT 132/AREGT") == where(match, "IT BERS/8/AIREGT") == "1006"
    match.play(["DE 5/1/ABN"])
    assert isinstance(hexes(match)["1006"], int)  # others follow without the extra cost


def test_another_stack_cannot_help_in_an_overrun() -> None:
    """Only units that began the phase together (11.4, fig. 7)."""
    match = figure("fig-7")
    match.play(["DE 5/1/ABN", "0906"])
    assert "DE 5/1/ABN" not in match.names
    match.play(["IT BERS/8/AIREGT"])
    assert "DE 5/1/ABN" not in match.names
    assert "1006" not in hexes(match)


def test_an_overrun_does_not_start_where_two_zones_meet() -> None:
    """From 0906 no longer, from 0907 still (11.4, fig. 7 with 1005)."""
    with_1005 = {'"1906" = ["Allied depot 1", "AU 20/IBDE"]': '"1906" = ["Allied depot 1"]\n"1005" = ["AU 20/IBDE"]'}
    match = figure("fig-7", with_1005)
    match.play(["IT BERS/8/AIREGT", "IT 132/AREGT"])
    assert "1006" not in hexes(match)
    moved = figure("fig-7", with_1005 | {'"0906" = ["IT': '"0907" = ["IT', '"0905" = ["Axis': '"0806" = ["Axis'})
    moved.play(["IT BERS/8/AIREGT", "IT 132/AREGT"])
    assert isinstance(hexes(moved)["1006"], dict)


def test_an_overrunning_stack_is_held_by_the_next_zone() -> None:
    """The overrun goes ahead, and then the zone of 1007 holds the Italians (11.4, fig. 7 with 1007)."""
    with_1007 = {'"1906" = ["Allied depot 1", "AU 20/IBDE"]': '"1906" = ["Allied depot 1"]\n"1007" = ["AU 20/IBDE"]'}
    match = figure("fig-7", with_1007)
    match.play(["IT BERS/8/AIREGT", "IT 132/AREGT", "1006", "no"])
    assert where(match, "IT 132/AREGT") == "1006"
    assert "stopped" in flags(match, "IT 132/AREGT")
    match.play(["IT 132/AREGT"])
    assert set(hexes(match)) <= {"1007"}  # nothing but another overrun


def test_the_counter_attack_of_an_overrun_is_at_zero() -> None:
    """The defender rolls in column 0 (11.4)."""
    from khamsin.kernel import ReplayDice

    match = figure("fig-7")
    match.play(["IT BERS/8/AIREGT", "IT 132/AREGT", "1006"])
    match.game.use(ReplayDice([1]))
    match.play(["yes"])
    assert where(match, "IT BERS/8/AIREGT") == "Axis Cadre"
    assert where(match, "IT 132/AREGT") == "1006"


def test_a_lorry_trip_is_one_order() -> None:
    """The installation and a hex: the lorry of its hex loads it, drives and sets it down (11.3)."""
    match = table("axis movement", {"0803": ["Axis depot 1"], "0702": ["Axis depot 2", "Axis lorry 1"]})
    match.play(["Axis depot 2", "0905"])
    assert (where(match, "Axis depot 2"), where(match, "Axis lorry 1")) == ("0905", "0905")
    assert match.state.load[NUMBER["Axis lorry 1"]] == 0
    assert "moved" in flags(match, "Axis depot 2")
    texts = [match.game.text(event) for event in match.events if event.rule == "11.3"]
    assert texts == ["Axis lorry 1 loads Axis depot 2 in 0702", "Axis lorry 1 unloads Axis depot 2 in 0905"]


def test_a_lorry_trip_does_not_end_where_an_installation_is() -> None:
    """A hex takes one (4, 11.3)."""
    match = table("axis movement", {"0803": ["Axis depot 1"], "0702": ["Axis depot 2", "Axis lorry 1"]})
    match.play(["Axis depot 2"])
    assert "0803" not in hexes(match)
    assert hexes(match)["0804"] == {"by lorry": 3}
    refusal = match.explain(match.rules.parse("0803"))
    assert (refusal.rule, refusal.cause) == ("4", "0803")
    refusal = match.explain(match.rules.parse("0605"))
    assert (refusal.rule, refusal.cause) == ("11.1.3", "0605")


def test_a_lorry_trip_shows_its_path() -> None:
    """The preview follows the road (11.1.3, 11.3)."""
    match = table("axis movement", {"0803": ["Axis depot 1"], "0702": ["Axis depot 2", "Axis lorry 1"]})
    match.play(["Axis depot 2"])
    assert match.decision is not None
    steps = match.rules.display.reach(match.game, match.decision)
    assert steps[BOARD["0804"]].before == BOARD["0803"]


def test_forts_cannot_be_overrun() -> None:
    """Not Tobruk, not Bardia (11.4)."""
    stack = ["DE 5/1/ABN", "DE 5/2/ABN", "DE 104/IREGT"]
    units = {"0702": ["Axis depot 1"], "1824": stack, "1823": ["Axis depot 2"], "1925": ["Allied lorry 1"]}
    match = table("axis movement", units)
    for unit in stack:
        match.state.flags[NUMBER[unit]] = 0
    match.play([*stack])
    assert not isinstance(hexes(match).get("1925"), dict)


def test_lorries_and_installations_in_an_overrun_hex_are_lost_or_taken() -> None:
    """Lorries go, an installation is rolled for (11.4)."""
    match = figure("fig-7", {'["BR SG/2/IBDE"]': '["BR SG/2/IBDE", "Allied lorry 1", "Allied depot 3"]'})
    match.play(["IT BERS/8/AIREGT", "IT 132/AREGT", "1006", "no"])
    assert where(match, "Allied lorry 1") == "Allied OOB turn 4"
    assert where(match, "Allied depot 3") == "Allied OOB"


def test_no_axis_unit_enters_egypt_in_the_turn_of_malta() -> None:
    """The border is shut to the Axis when Malta was tried (9)."""
    units = {"0702": ["Axis depot 1"], "1629": ["DE 5/1/ABN"], "1628": ["Axis depot 2"], "1533": ["DE 5/2/ABN"]}
    match = table(
        "axis movement", units, turn=15, axis=("0702", "1925"), allied=("1351", "1730"), more="[state]\nmalta = 2\n"
    )
    for unit in ("DE 5/1/ABN", "DE 5/2/ABN"):
        match.state.flags[NUMBER[unit]] = 0
    match.play(["DE 5/1/ABN"])
    assert not [h for h in hexes(match) if BOARD[h] in BOARD.areas["Egypt"].hexes]
    assert why(match, "1534")[1] == "9"


@pytest.mark.parametrize(
    ("click", "rule"),
    [("1926", "2.1.1"), ("0702", "11.4"), ("1352", "11.1"), ("1006", "11.1")],
)
def test_every_refusal_names_its_section(click: str, rule: str) -> None:
    """Sea, enemies, already there, too far (11.1, 11.4)."""
    match = table("allied movement", {"1352": ["NZ 4/IBDE"], "0702": ["DE 3/ARECBN", "Axis depot 1"]})
    match.play(["NZ 4/IBDE"])
    assert why(match, click)[1] == rule
    with pytest.raises(Illegal) as refused:
        match.play([click])
    assert refused.value.rule == rule


def test_a_unit_that_opens_a_line_for_others_stays() -> None:
    """Leaving may strand nobody (8.4.1, 11.1.1)."""
    units = {
        "0702": ["Axis depot 1"], "1906": ["Allied depot 1", "NZ 5/IBDE"], "1606": ["NZ 6/IBDE"], "1706": ["NZ 4/IBDE"],
        "1707": ["DE 5/1/ABN"], "2319": ["Allied depot 2"],
    }  # fmt: skip
    match = table("allied movement", units)
    match.play(["NZ 4/IBDE"])
    assert hexes(match) == {}
    reason, rule, cause = why(match, "1806")
    assert (rule, cause) == ("8.4.1", "NZ 6/IBDE")
    assert "would lose supply" in reason
