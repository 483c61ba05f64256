"""Special rules of both sides: Mud, boxes, trucks, sources, the Desert Air Force, variants."""

from __future__ import annotations

import pytest

from khamsin.games.tunisia import (
    JOINT,
    RULES,
    air,
    airbases,
    arrivals,
    barrage,
    control,
    lift,
    modes,
    movers,
    phases,
    sequence,
    supply,
    tracing,
    victory,
)
from khamsin.games.tunisia.lift import Cargo
from khamsin.games.tunisia.scenario import SETTINGS
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, CHARCOAL, MA, MUD, NUMBER, G
from khamsin.kernel import Match, ReplayDice, SeededDice
from khamsin.kernel.rules import EVERYONE
from tests.rulebook.tunisia.table import drive, flags, game, match, number, rule_of, where


def begun(scenario: str, turn: int = 0, dice: tuple[int, ...] = (), **options: str) -> G:
    """A scenario at its start, on a turn of it."""
    g = Match(RULES, scenario, {key.replace("_", " "): value for key, value in options.items()}, SeededDice(1)).game
    g.state.turn = turn or g.state.turn
    g.use(ReplayDice(dice, SeededDice(0)))
    g.state.todo.clear()
    return g


def test_a_turn_begins_with_the_weather_and_mud_is_one_joint_turn() -> None:
    """Refit, reinforcement, transport and clean-up for both sides, without supply, combat or the roll for the first player
    (1.2b, 1.3, 1.4b, OCS 2, OCS 20)."""
    g = game({}, weather=0)
    names = [phase.name for phase in phases(g.state)]
    assert names[:3] == ["weather", "initiative", "axis refit"]
    assert names.index("axis combat") < names.index("axis exploitation") < names.index("allied refit")
    g.state.weather = MUD
    assert phases(g.state) == JOINT
    assert [phase.name.split(" ", 1)[-1] for phase in JOINT] == [
        "weather", "initiative", "mud refit", "mud refit", "mud reinforcement", "mud reinforcement", "mud movement",
        "mud movement", "mud clean-up", "mud clean-up", "of turn",
    ]  # fmt: skip
    assert {phase.side for phase in JOINT[:2]} == {EVERYONE}


def test_mud_grounds_aircraft_on_small_bases() -> None:
    """Level 1 bases turn them inactive and do not refit, level 2 bases do (1.3)."""
    g = begun("race-for-tunis")
    small, large = BOARD["A41.28"], BOARD["A48.24"]
    g.state.where[NUMBER["Me.109g DE 1"]], g.state.where[NUMBER["Fw.190a DE 1"]] = small, large
    g.set_flag(NUMBER["Fw.190a DE 1"], "inactive")
    drive(g, sequence.mud_refit(g, AXIS), ["done"])
    assert "inactive" in flags(g, "Me.109g DE 1")
    assert "inactive" not in flags(g, "Fw.190a DE 1")


def test_clean_up_removes_the_markers_of_the_side() -> None:
    """DG, exploit and fuel; the other side keeps its own (OCS 2, OCS 5(4))."""
    g = game({"B50.05": ["47 Inf [dg]", "190 Pz [exploit, fuel]"], "B60.05": ["201 Gds Inf [dg]"]})
    drive(g, sequence.clean_up(g, AXIS))
    assert flags(g, "47 Inf") == flags(g, "190 Pz") == set()
    assert flags(g, "201 Gds Inf") == {"dg"}


@pytest.mark.parametrize(
    ("scenario", "axis", "allied"), [("race-for-tunis", 10, 8), ("kasserine", 6, 4), ("end-in-africa", 15, 13)]
)
def test_reserve_markers(scenario: str, axis: int, allied: int) -> None:
    """(1.4c, 1.4d, Scenario 1, Scenario 2, Scenario 6)"""
    assert begun(scenario).state.reserves == {"Axis": axis, "Allied": allied}


def test_the_initiative() -> None:
    """The scenario names who is first on its first turn; then the higher roll chooses, ties are rolled again (1.4b)."""
    g = begun("kasserine", 29, (3, 3, 4, 2, 6, 5, 1, 2))
    asked = drive(g, sequence.initiative(g))
    assert asked.side == AXIS
    drive(g, sequence.initiative(g), ["decline"])


def test_units_are_shipped_in_move_mode_and_do_not_march() -> None:
    """(1.5b)"""
    m = Match(RULES, "race-for-tunis", dice=SeededDice(1))
    g = m.game
    unit = NUMBER["T.2 March"]
    g.state.where[unit] = BOARD["A44.31"]
    drive(g, lift.carry_units(g, AXIS, [unit], lift.SEA), ["A48.24"])
    assert {"move", "finished"} <= flags(g, "T.2 March")
    g.state.spent[unit], g.state.flags[unit] = 12, RULES.flag["move"]
    assert rule_of(lift.why_not_carried(g, AXIS, [unit], lift.SEA)) == "1.5"


def test_what_is_left_in_a_lost_box_is_destroyed() -> None:
    """German aircraft in the Tripoli box after 19 January 1943, active or not (1.5c, 2.3; example 1.5c)."""
    g = begun("campaign", 20)
    aircraft = NUMBER["Me.109g DE 1"]
    g.state.where[aircraft] = BOARD["Tripoli Air Base 1"]
    sequence.lose_boxes(g)
    assert where(g, "Me.109g DE 1") == "Tripoli Air Base 1"
    g.state.turn = 21
    sequence.lose_boxes(g)
    assert (where(g, "Me.109g DE 1"), g.state.steps[aircraft]) == ("Axis Dead Pile", 0)


def test_charcoal_trucks() -> None:
    """An allowance of 10; they never become ordinary trucks, save in variant 4.0i (1.10, 4.0i)."""
    assert MA[NUMBER["Axis Charcoal 1"]][1] == 10
    for option, expected in (("charcoal", 3), ("trucks", 0)):
        g = begun("race-for-tunis", transport=option)
        found = [unit for unit in range(len(CHARCOAL)) if CHARCOAL[unit] and g.state.where[unit] >= 0]
        assert len([unit for unit in found if RULES.counters[unit].side == ALLIED]) == expected


def test_supply_sources() -> None:
    """Tunis and Bizerte; Bône and A1.15; edge hexes in small scenarios (2.4b, 3.2a)."""
    names = {
        key: [sorted(BOARD.name(hex) for hex in side) for side in cards.sources] for key, cards in SETTINGS.items()
    }
    assert names["race-for-tunis"] == [["A44.31", "A48.24"], ["A1.15", "A17.26"]]
    assert names["mareth"] == [["B47.20"], ["B62.07"]]


def test_superga_traces_to_its_own_source() -> None:
    """(Scenario 2; Superga in scenario 2)"""
    g = begun("kasserine")
    assert tracing.unfed(g, AXIS, "Superga") == []
    assert BOARD["A46.08"] not in tracing.trace(g, AXIS).open_heads


def test_new_trucks_enter_loaded() -> None:
    """(2.4c, 3.2d)"""
    g = begun("campaign", 4)
    row = next(row for row in arrivals.due(g, AXIS).values() if row.get("organic"))
    arrivals.put(g, AXIS, arrivals.new_trucks(g, AXIS, row), BOARD["Sicily Box Group B"])
    assert [
        g.state.load[truck]
        for truck in range(len(g.state.load))
        if where_is(g, truck) == "Sicily Box Group B" and g.state.load[truck]
    ] == [4]


def where_is(g: G, unit: int) -> str:
    return BOARD.name(g.state.where[unit]) if g.state.where[unit] >= 0 else ""


def test_the_orders_of_arrival_bring_every_unit_once() -> None:
    """P.Afrcn comes to Tunis in April (2.2, 2.7, Axis Order of Arrival, Allied Order of Arrival)."""
    rows = [row for row in arrivals.SCHEDULE["arrival"] if row["to"] not in ("remove",)]
    units = [unit for row in rows for unit in row.get("units", ())] + list(arrivals.SCHEDULE["eighth_army"]["units"])
    start = [RULES.names[unit] for group in SETTINGS["campaign"].groups for unit in group.units]
    assert len(units) == len(set(units))
    assert len(set(units) | set(start)) == 332 + 13
    phalange = next(row for row in rows if "P.Afrcn" in row.get("units", ()))
    assert (phalange["turn"], phalange["to"]) == (41, "Entry Area D")


def test_rail_from_algiers() -> None:
    """Cargo goes from the box to A1.15 while the line is owned (3.2b, 3.2c)."""
    g = begun("race-for-tunis")
    assert lift.why_not_railed(g, Cargo(ALLIED, lift.ALGIERS, (), 4), BOARD["A1.15"]) is None
    g.state.rail[BOARD["A1.15"]] = AXIS
    assert rule_of(lift.why_not_railed(g, Cargo(ALLIED, lift.ALGIERS, (), 4), BOARD["A1.15"])) == "OCS 12(2)"


def test_the_desert_air_force_is_tied_to_tripoli() -> None:
    """Until the 8th Army enters (3.3, 3.3a, 3.3b)."""
    g = begun("from-kasserine", 28)
    spit = NUMBER["DAF Spit.Vb BR 1"]
    assert not airbases.may_use(g, spit, BOARD["A18.24"])
    assert airbases.may_use(g, spit, BOARD["Tripoli Air Base 2"])
    g.state.events[arrivals.EIGHTH_ARMY] = 1
    assert airbases.may_use(g, spit, BOARD["A18.24"])


def test_variants() -> None:
    """A fixed entry of the 8th Army, heavy bombers for double Axis shipping, a second Me.323, poor coordination (3.7a, 3.7b,
    3.7c, 3.7d, 4.0a, 4.0g, 4.0h)."""
    g = begun("from-kasserine", 29, eighth_army="22 February")
    arrivals.roll_for_eighth_army(g)
    assert where(g, "HQ 10") == "Allied Order of Arrival"
    g.state.turn = 30
    arrivals.roll_for_eighth_army(g)
    assert where(g, "HQ 10") == "B62.07"
    assert lift.allowance(begun("campaign", bombers="tactical"), AXIS, lift.SEA) == 2 * lift.allowance(
        begun("campaign"), AXIS, lift.SEA
    )
    bomber = NUMBER["B-17f US 1"]
    g = begun("campaign", bombers="tactical")
    assert rule_of(air.why_not_together(g, (), bomber, barrage.PORT_TARGET)) == "3.7d"
    for option, expected in (("one", 1), ("two", 2)):
        g = begun("campaign", 2, me323=option)
        row = next(row for row in arrivals.due(g, AXIS).values() if "DE Me.323" in row.get("air", {}))
        arrivals.base_air(g, AXIS, row)
        assert len([1 for one in (1, 2) if where(g, f"Me.323 DE {one}")]) == expected
        for scenario in ("from-kasserine", "end-in-africa"):
            late = begun(scenario, me323=option)
            assert len([1 for one in (1, 2) if where(late, f"Me.323 DE {one}")]) == expected
    g = begun("campaign", 58, coordination="poor")
    pair = number("P-38 US 1", "P-40 US 1")
    assert rule_of(air.why_not_together(g, pair[:1], pair[1], barrage.UNITS_TARGET)) == "4.0h"
    for hex in ("A48.24", "A44.31"):
        g.state.control[BOARD[hex]] = AXIS
    g.state.control[BOARD["A41.28"]] = ALLIED
    assert victory.by_level(g)[:2] == (ALLIED, "minor")


def test_rails_change_hands() -> None:
    """To the side that last moved an attack-capable unit through them, not to one that retreats (1.1a, OCS 12(1))."""
    g = begun("kasserine")
    hex = next(hex for hex in g.state.rail if g.state.rail[hex] == ALLIED)
    control.enter(g, AXIS, number("47 Inf"), [hex], rule_move=False)
    assert g.state.rail[hex] == ALLIED
    control.enter(g, AXIS, number("47 Inf"), [hex])
    assert g.state.rail[hex] == AXIS


def test_mixed_hexes_count_as_the_best_for_the_defender() -> None:
    """A village on low hills offers both rows (1.1f, OCS 9(4))."""
    from khamsin.games.tunisia.strength import hex_terrains

    hex = next(
        hex for hex in range(BOARD.size) if BOARD.terrain_name(hex) == "low hills" and "village" in BOARD.tags[hex]
    )
    assert hex_terrains(hex) == ["low hills", "village"]


def test_reserves_are_released() -> None:
    """In the Reaction Phase for half their allowance; others cannot react (OCS 5(2))."""
    m = match(
        {"B60.05": ["201 Gds Inf [reserve]", "Notts Arm"], "B50.05": ["47 Inf"]},
        phase="allied reaction phase",
        allied={"B60.05": 8},
    )
    assert rule_of(m.explain(NUMBER["Notts Arm"])) == "OCS 5(2)"
    m.play(["201 Gds Inf", "B60.06"])
    assert {"released"} <= flags(m, "201 Gds Inf")
    assert "reserve" not in flags(m, "201 Gds Inf")
    g = m.game
    assert movers.phase_share(g) == modes.REACTION
    assert supply.available(g, ALLIED, BOARD["B60.05"]) == 8
