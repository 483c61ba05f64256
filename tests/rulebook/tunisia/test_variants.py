"""Airdrops, extenders, the amphibious raid, nations that keep apart (2.6, 4.0b, 4.0c, OCS 11.6, OCS 14.8, OCS 17.12)."""

from __future__ import annotations

import pytest

from khamsin.games.tunisia import (
    RULES,
    control,
    cooperation,
    drops,
    lift,
    movers,
    moves,
    raid,
    supply,
    tracing,
    trucks,
    victory,
)
from khamsin.games.tunisia.airlift import Load
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, EXTENDER, FINISHED, FLIGHT, NUMBER, UNITS, G
from khamsin.kernel import Match, ReplayDice, SeededDice
from tests.rulebook.tunisia.table import drive, flags, game, number, rule_of, where


def begun(scenario: str, turn: int = 0, dice: tuple[int, ...] = (), **options: str) -> G:
    """A scenario at its start, on a turn of it."""
    g = Match(RULES, scenario, {key.replace("_", " "): value for key, value in options.items()}, SeededDice(1)).game
    g.state.turn = turn or g.state.turn
    g.use(ReplayDice(dice, SeededDice(0)))
    g.state.todo.clear()
    g.state.weather = FLIGHT
    return g


def test_who_can_be_dropped() -> None:
    """Parachutists on foot: not Barenthin and von Könen, who are barred, nor Ramcke, who has trucks (2.6, OCS 14.8)."""
    found = {RULES.names[unit] for unit in UNITS if drops.PARACHUTISTS[unit]}
    assert {"1-5 FJ Para", "1 Para", "2-509 Para", "1.ReA Para"} <= found
    assert not found & {"Barenthin Para", "v.Könen Cdo", "Ramcke Para", "Witzig KG", "6 Cdo"}
    g = begun("race-for-tunis", 1)
    assert rule_of(drops.why_not_planned(g, AXIS, NUMBER["Barenthin Para"])) == "2.6"
    assert rule_of(drops.why_not_planned(g, AXIS, NUMBER["190 Pz"])) == "OCS 14.8"


def parachutists(turn: int = 2, dice: tuple[int, ...] = ()) -> G:
    """The 1st Parachute Battalion in Algiers with two transports."""
    g = begun("race-for-tunis", turn, dice)
    for plane in ("C-47 US 1", "C-47 US 2"):
        g.state.where[NUMBER[plane]] = BOARD["Algiers Air Base 1"]
    return g


def test_a_drop_is_planned_two_turns_ahead() -> None:
    """It may be delayed by a turn or called off in a refit phase; only the owner knows it (OCS 14.8)."""
    g = parachutists()
    drive(g, drops.plan(g, ALLIED), ["1 Para", "A30.20", "done"])
    assert (g.state.drop_turn, g.state.drop_hex) == ({"1 Para": 4}, {"1 Para": BOARD["A30.20"]})
    seen = g.seen_by(AXIS).state
    assert (seen.drop_turn, seen.drop_hex) == ({}, {})
    assert [event for event in g.events if event.to != ALLIED and event.rule == "OCS 14.8"] == []
    drive(g, drops.plan(g, ALLIED), ["1 Para", "delay", "done"])
    assert g.state.drop_turn == {"1 Para": 5}
    assert rule_of(drops.why_not_dropped(g, ALLIED, NUMBER["1 Para"])) == "OCS 14.8"
    g.state.turn = 5
    assert drops.jumpers(g, ALLIED) == [NUMBER["1 Para"]]
    drive(g, drops.plan(g, ALLIED), ["1 Para", "decline", "done"])
    assert g.state.drop_turn == {}


@pytest.mark.parametrize(("hex", "side", "friends", "least"), [("A30.20", ALLIED, False, 7), ("A30.20", AXIS, False, 6),
                                                               ("A30.20", AXIS, True, 5)])  # fmt: skip
def test_what_it_takes_to_land(hex: str, side: int, friends: bool, least: int) -> None:
    """5 or more with friends on easy ground, 6 without, one more elsewhere, one more for the Allies (OCS 17.12)."""
    g = begun("race-for-tunis", 1)
    if friends:
        g.state.where[NUMBER["190 Pz"]] = BOARD[hex]
    assert "village" in BOARD.tags[BOARD[hex]] or BOARD[hex] in g.state.base
    assert drops.needed(g, side, BOARD[hex]) == least
    rough = next(
        h for h in range(BOARD.size) if BOARD.terrain_name(h) == "rough" and not BOARD.tags[h] and h not in g.state.base
    )
    assert drops.needed(g, side, rough) == (7 if side == AXIS else 8)


def test_units_drop_by_their_plan_and_may_fail() -> None:
    """They do not move after it; failure destroys; the transports return inactive (OCS 14.8, OCS 17.12)."""
    for dice, place in (((3, 4), "A30.20"), ((3, 3), "Allied Dead Pile")):
        g = parachutists(4, dice)
        g.state.drop_turn["1 Para"], g.state.drop_hex["1 Para"] = 4, BOARD["A30.20"]
        drive(g, drops.drop(g, ALLIED), ["1 Para", "done"])
        assert where(g, "1 Para") == place
        assert g.state.drop_turn == {}
        assert "inactive" in flags(g, "C-47 US 1")
    g = parachutists(4, (6, 6))
    g.state.drop_turn["1 Para"], g.state.drop_hex["1 Para"] = 4, BOARD["A30.20"]
    drive(g, drops.drop(g, ALLIED), ["1 Para", "done"])
    assert {"finished", "move"} <= flags(g, "1 Para")


def test_supply_is_dropped_token_by_token() -> None:
    """Without a plan; each token rolls (OCS 14.8, OCS 17.12)."""
    g = parachutists(2, (1, 1, 6, 6))
    drive(g, drops.fly(g, Load(ALLIED, BOARD["Algiers Air Base 1"], tokens=2), BOARD["A30.20"]))
    assert g.state.allied_t[BOARD["A30.20"]] == 1


def test_five_truck_points_make_an_extender() -> None:
    """Empty, for half their allowance; linked to a railhead within 45 MPs it feeds like one (OCS 11.6, OCS 11.2(1))."""
    g = begun("race-for-tunis", 1)
    five = number(*[f"Axis Truck {n}" for n in range(1, 6)])
    fed, open_hexes = tracing.trace(g, AXIS).supplied, [h for h in range(BOARD.size) if BOARD.terrain_name(h) == "open"]
    near = [hex for hex in open_hexes if not fed[hex] and any(fed[other] for other in BOARD.around(hex))]
    far = next(hex for hex in near if not g.state.where.stacks(ALLIED).get(hex) and BOARD.name(hex).startswith("A"))
    for truck in five:
        g.state.where[truck] = far
    assert rule_of(trucks.why_no_extender(g, five[:4])) == "OCS 11.6"
    assert trucks.why_no_extender(g, five) is None
    g.state.load[five[0]] = 1
    assert rule_of(trucks.why_no_extender(g, five)) == "OCS 11.6"
    g.state.load[five[0]] = 0
    assert not tracing.trace(g, AXIS).supplied[far]
    trucks.extend(g, AXIS, five)
    assert g.state.spent[five[0]] == 45 * 12 // 2
    assert tracing.extenders(g, AXIS) == (far,)
    assert tracing.trace(g, AXIS).supplied[far]
    assert moves.options(g, AXIS, five)[0].way.left == 0 or any(
        getattr(one, "rule", "") == "OCS 11.6" for one in moves.options(g, AXIS, five)[0].way.hindrances
    )
    control.save_extender(g, AXIS, far)
    assert not g.state.flags[five[0]] & EXTENDER
    assert g.state.where[five[0]] != far


def test_a_battalion_that_was_railed_to_algiers_embarks() -> None:
    """It need only be there at the end of the phase; another journey it does not make (4.0c, OCS 12(2), OCS 13)."""
    g = begun("campaign", 3, raid="one")
    unit, other = number("6 Cdo", "1 Para")
    for one in (unit, other):
        g.state.where[one] = BOARD["Algiers Box"]
        g.state.flags[one] |= FINISHED
    assert movers.can_move(g, ALLIED, unit)
    assert raid.why_not(g, [unit]) is None
    assert rule_of(lift.why_not_carried(g, ALLIED, [unit], lift.SEA)) == "1.5"
    assert rule_of(movers.why_not_moving(g, ALLIED, other)) == "OCS 6(5)"


def test_a_battalion_that_has_marched_to_a_port_embarks() -> None:
    """With no MPs left; without supply in the port it cannot (4.0c)."""
    g = begun("race-for-tunis", 2, raid="one")
    unit, bone = NUMBER["6 Cdo"], BOARD["A17.26"]
    g.state.where[unit], g.state.spent[unit] = bone, 99 * 12
    assert movers.why_not_moving(g, ALLIED, unit) is None
    g.state.allied_t.pop(bone)
    assert rule_of(movers.why_not_moving(g, ALLIED, unit)) == "OCS 6"


def test_a_raid_lands_once_on_any_coast() -> None:
    """A commando battalion with 3T from a port, in the next Allied Movement Phase (4.0c)."""
    g = begun("race-for-tunis", 2, raid="one")
    unit, port = NUMBER["6 Cdo"], BOARD["A17.26"]
    g.state.where[unit] = port
    g.state.allied_t[port] = 5
    assert raid.why_not(g, [unit]) is None
    assert not raid.is_option(g, number("3 Para"))
    assert not raid.is_option(begun("race-for-tunis", 2), [unit])
    raid.embark(g, unit)
    assert (g.state.allied_t[port], where(g, "6 Cdo")) == (2, "Allied Order of Arrival")
    coast = BOARD["A44.31"]
    assert rule_of(raid.why_no_landing(g, ALLIED, BOARD["A35.02"])) == "4.0c"
    assert (raid.why_no_landing(g, ALLIED, coast) is None) == (not g.state.where.stacks(AXIS).get(coast))
    bare = next(hex for hex in sorted(raid.COAST) if raid.why_no_landing(g, ALLIED, hex) is None)
    drive(g, raid.land(g, ALLIED), [BOARD.name(bare)])
    assert (where(g, "6 Cdo"), g.state.allied_t[bare]) == (BOARD.name(bare), 3)
    assert rule_of(raid.why_not(g, [unit])) == "4.0c"


def test_nations_that_do_not_cooperate() -> None:
    """French units keep apart from the Commonwealth; each draws by its own headquarters; a level for the Allies (4.0b)."""
    g = game({"B58.05": ["HQ 5", "201 Gds Inf", "1 Zouv Inf/Algiers"]})
    french, guards, corps = number("1 Zouv Inf/Algiers", "201 Gds Inf", "HQ 5")
    assert cooperation.serves(g, corps, [french])
    assert cooperation.why_apart(g, [french, guards], "attack") is None
    g = begun("from-kasserine", 28, cooperation="none")
    for hq, unit, expected in (
        ("HQ 5", "1 Zouv Inf/Algiers", False), ("HQ 19", "1 Zouv Inf/Algiers", True), ("HQ 2", "1 Zouv Inf/Algiers", True),
        ("HQ 5", "18 Inf/1 US Inf", False), ("HQ 2", "18 Inf/1 US Inf", True), ("HQ 19", "11 Inf/78 Inf", False),
        ("HQ 5", "201 Gds Inf", False), ("HQ 10", "201 Gds Inf", True), ("HQ 10", "L Force Inf", True),
    ):  # fmt: skip
        assert cooperation.serves(g, NUMBER[hq], [NUMBER[unit]]) == expected, (hq, unit)
    assert rule_of(cooperation.why_apart(g, [french, NUMBER["11 Inf/78 Inf"]], "attack")) == "4.0b"
    hex = g.state.where[NUMBER["11 Inf/78 Inf"]]
    assert rule_of(cooperation.why_not_stacked(g, [french], hex)) == "4.0b"
    assert NUMBER["HQ 5"] not in supply.throwing(g, ALLIED, [french])
    for town in ("A48.24", "A44.31"):
        g.state.control[BOARD[town]] = AXIS
    g.state.control[BOARD["A41.28"]] = ALLIED
    assert victory.by_level(g)[:2] == (ALLIED, "minor")
