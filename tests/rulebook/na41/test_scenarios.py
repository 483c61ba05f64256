"""Scenarios (S1, S2, S3), the sequence of play (3), victory (26) and the data (2.3)."""

from __future__ import annotations

import pytest

from khamsin.games.na41 import RULES, phases, stacking, supply, turn_phases, victory
from khamsin.games.na41.scenario import SETTINGS, impulses
from khamsin.games.na41.units import (
    ALLIED,
    ASU,
    ATTACK,
    AXIS,
    BOARD,
    COMBAT,
    COUNTERS,
    DEFENCE,
    FORCES,
    HEXES,
    MA,
    MECHANIZED,
    NUMBER,
    QUALITY,
    RATING,
    SIDE,
    STEPS,
    SUPPLY,
    TANK,
    UNITS,
    capacity,
)
from khamsin.kernel.board import NOWHERE
from tests.rulebook.na41.table import begun, drive, game, match, points, where


def names(scenario: str, turn: int) -> list[str]:
    """The phases of a turn by name."""
    return [phase.name for phase in turn_phases(scenario, turn)]


def test_a_turn_has_three_impulses_and_in_summer_two() -> None:
    """The Allies first in each; the second is skipped in July and August (3.1, 3.2)."""
    assert [impulses(turn) for turn in (7, 8, 11, 12)] == [(1, 2, 3), (1, 3), (1, 3), (1, 2, 3)]
    steps = ["initial", "movement", "combat", "recovery", "supply", "delay"]
    turn = names("campaign", 2)
    assert turn[0] == "preparation"
    assert turn[1:7] == [f"impulse 1 allied {step}" for step in steps]
    assert turn[7:13] == [f"impulse 1 axis {step}" for step in steps]
    assert turn[-2:] == ["supply attrition", "victory points"]
    assert len(turn) == 3 + 3 * 2 * len(steps)


def test_the_campaign_opens_with_the_third_axis_impulse() -> None:
    """Also Enter Rommel; there is no Preparation Phase (S1.1, S1.2, S2.1, S2.2)."""
    for scenario in ("campaign", "enter-rommel"):
        assert names(scenario, 1)[0] == "impulse 3 axis initial"
        assert len(names(scenario, 1)) == 6 + 2
    m = begun("enter-rommel")
    assert (m.state.malta, capacity(m.game, BOARD["3211"])) == (-2, 3)
    assert m.state.control[BOARD["3212"]] == ALLIED
    assert not m.state.fort
    assert (SETTINGS["enter-rommel"].last, SETTINGS["campaign"].last) == (7, 19)


def test_crusader_opens_with_the_allies_and_no_preparation() -> None:
    """Turns 17 to 19 (S3.1, S3.2)."""
    assert names("crusader", 17)[0] == "impulse 1 allied initial"
    assert len(names("crusader", 17)) == 36 + 2
    m = begun("crusader")
    assert (m.state.turn, m.state.malta) == (17, 3)
    assert {BOARD.name(hex) for hex in BOARD_AIRFIELDS if m.state.control[hex] == AXIS} == {"3212", "3629", "3041"}
    assert all(capacity(m.game, port) == track for port, track in ((BOARD["3211"], 7), (BOARD["3138"], 4)))
    assert len([hex for hex, side in m.state.fort.items() if side == AXIS]) == 8


BOARD_AIRFIELDS = [area.hexes[0] for area in BOARD.areas.values() if area.kind == "airfield"]


@pytest.mark.parametrize("scenario", list(RULES.scenarios))
def test_every_set_up_is_legal_and_supplied(scenario: str) -> None:
    """On land, within stacking, and in supply; only Tobruk depends on its port in Crusader (4.1, 16.2, S1.1, S2.1, S3.1)."""
    g = begun(scenario).game
    assert RULES.find_fault(g) == ""
    assert not stacking.overfull(g, AXIS) + stacking.overfull(g, ALLIED)
    by_port = [unit for unit in UNITS if 0 <= g.state.where[unit] < HEXES and supply.status(g, unit) != supply.FULL]
    if scenario != "crusader":
        assert by_port == []
        return
    assert {BOARD.name(g.state.where[unit]) for unit in by_port} <= {"3138", "3137", "3037", "3038", "3139"}
    fed = [unit for unit in by_port if not ASU[unit]]
    assert len(fed) == supply.ports(g, ALLIED)[BOARD["3138"]] == 8


def test_numbers_of_units_at_the_start() -> None:
    """(S1.1, S3.1)"""

    def count(scenario: str) -> tuple[int, int]:
        places = SETTINGS[scenario].places
        return tuple(sum(SIDE[u] == side and COMBAT[u] for u in places) for side in (AXIS, ALLIED))  # type: ignore[return-value]

    assert count("enter-rommel") == count("campaign") == (19, 18)
    assert count("crusader") == (46, 48)
    assert points(begun("crusader"), "Axis")["3041"] == 2


def test_the_counters() -> None:
    """What the rulebook prints of single counters (2.3.1, 2.3.2, 2.3.3, 2.3.4)."""
    assert [len(forces) for forces in FORCES] == [57, 64]
    tank = NUMBER["I/8/15"]
    assert (ATTACK[tank], DEFENCE[tank], MA[tank][0], RATING[tank]) == ((9, 6, 3), (6, 4, 2), 5, (3, 3, 2))
    assert (STEPS[NUMBER["104/15"]], DEFENCE[NUMBER["104/15"]][0], QUALITY[NUMBER["104/15"]]) == (2, 6, "elite")
    assert (ATTACK[NUMBER["6 RTR*"]][0], RATING[NUMBER["6 RTR*"]][0], MA[NUMBER["6 RTR*"]][0]) == (6, 2, 5)
    assert [unit for unit in FORCES[AXIS] if COUNTERS[unit].symbol == "88mm flak"] == [
        NUMBER["I/33 Flak"],
        NUMBER["I/18 Flak"],
    ]
    assert all(MECHANIZED[unit][0] for unit in UNITS if TANK[unit])


def test_a_new_zealand_brigade_in_three_steps() -> None:
    """Full, reduced and remnant (2.3.5, figure 2.3.5)."""
    unit = NUMBER["6/2 NZ"]
    assert (STEPS[unit], ATTACK[unit], DEFENCE[unit]) == (3, (5, 3, 1), (6, 4, 3))


def test_the_remnant_of_a_motorized_brigade_is_on_foot() -> None:
    """(2.3.5, 10.4.1)"""
    assert MECHANIZED[NUMBER["22 Gds Mot"]] == (True, True, False)
    assert MECHANIZED[NUMBER["I/8/15"]] == (True, True, True)


def test_pools_hold_replacements_that_are_not_in_play() -> None:
    """(2.2.3, 19.2.2)"""
    m = begun("campaign")
    assert where(m, "DE Tank Repl 1") == "Axis Replacements and Supply Pool"
    assert where(m, "BR Tank Repl 3") == "Allied Replacements and Supply Pool"


# Victory


def ended(scenario: str, turn: int, **more: object) -> tuple[int, str] | None:
    """Who has won after a Victory Point Phase, and by which rule."""
    g = game({"2560": ["22 Gds"]}, phase="victory points", turn=turn, scenario=scenario, **more)  # type: ignore[arg-type]
    drive(g, victory.victory_points(g))
    return (g.state.result.winner, g.state.result.rule) if g.state.result else None


SEVEN = ["3212", "3629", "3041", "2751", "3211", "3828", "3138"]


def test_enter_rommel_is_decided_by_seven_objectives() -> None:
    """At the end of turn 7 (S1.3)."""
    assert ended("enter-rommel", 7, control={"Axis": SEVEN}) == (AXIS, "S1.3")
    assert ended("enter-rommel", 7, control={"Axis": SEVEN[:6]}) == (ALLIED, "S1.3")
    assert ended("enter-rommel", 6, control={"Axis": SEVEN}) is None


def test_crusader_is_decided_by_three_of_five_hexes() -> None:
    """(S3.3)"""
    assert ended("crusader", 19, control={"Axis": ["2937", "3041", "3629"]}) == (AXIS, "S3.3")
    held = {"Axis": ["2937", "3041"], "Allied": ["3138", "3629", "3332"]}
    assert ended("crusader", 19, control=held) == (ALLIED, "S3.3")


def test_the_campaign_counts_airfields_against_the_benchmark() -> None:
    """In Full Supply; the benchmark of turn 10 is three (S2.3.1)."""
    g = game({"1604": ["19 Bre"]}, turn=10, control={"Axis": ["3212", "3629", "3041", "2751"]})
    victory.count(g)
    assert g.state.vp == 1
    g = game(
        {"1604": ["19 Bre"], "3112": ["1 THR"], "3312": ["1 RB"], "3213": ["2 RB"]}, turn=10, control={"Axis": ["3212"]}
    )
    victory.count(g)
    assert g.state.vp == -3


def test_twelve_points_end_the_campaign() -> None:
    """(S2.3.2)"""
    assert ended("campaign", 5, vp=-11) == (ALLIED, "S2.3.2")
    assert ended("campaign", 5, vp=-8) is None


@pytest.mark.parametrize(("vp", "winner"), [(3, AXIS), (-2, ALLIED), (0, -1)])
def test_the_last_turn_of_the_campaign_decides_by_the_sign(vp: int, winner: int) -> None:
    """The benchmark of turn 19 is 0 (S2.3.3)."""
    assert ended("campaign", 19, vp=vp) == (winner, "S2.3.3")


def test_a_goal_held_in_full_supply_wins_at_once() -> None:
    """Alexandria at the end of the Allied Supply Phase, El Agheila at the end of the Axis one (26.1.1, 26.1.2)."""
    g = game({"2478": ["3/5L"]}, control={"Axis": ["2478"]})
    victory.automatic(g, ALLIED)
    assert g.state.result is not None
    assert (g.state.result.winner, g.state.result.rule) == (AXIS, "26.1.1")
    g = game({"1604": ["1 THR"]}, control={"Allied": ["1604"]})
    victory.automatic(g, ALLIED)
    assert g.state.result is None
    victory.automatic(g, AXIS)
    assert g.state.result is not None
    assert g.state.result.rule == "26.1.2"
    g = game({"2378": ["3/5L"]}, control={"Axis": ["2478"]})
    victory.automatic(g, ALLIED)
    assert g.state.result is None


def test_the_opening_phases_follow_the_state() -> None:
    """(3.1)"""
    m = match({"1604": ["19 Bre"]}, turn=2, phase="impulse 1 axis movement")
    assert [phase.name for phase in phases(m.state)][:2] == ["preparation", "impulse 1 allied initial"]
    assert SUPPLY["attrition"]["sections"][0] == "Benghazi section"


def test_a_port_without_a_garrison_is_no_objective_as_an_option() -> None:
    """Of nobody: the Axis needs seven, and in Crusader either side three (27.4, S1.3, S3.3)."""
    ours = ["3212", "3629", "3041", "2751", "2264", "3211", "3828"]
    garrisons = {"3211": ["19 Bre"], "3828": ["20 Bre"]}
    for option, place, winner in (("off", {}, AXIS), ("on", {}, ALLIED), ("on", garrisons, AXIS)):
        g = game(place, scenario="enter-rommel", turn=7, control={"Axis": ours}, options={"port-garrisons": option})
        victory.decide(g)
        assert g.state.result is not None
        assert g.state.result.winner == winner
    held = {"Axis": ["3041", "3629"], "Allied": ["3138", "2937", "3332"]}
    for option, nobody in (("off", ALLIED), ("on", NOWHERE)):
        g = game({}, scenario="crusader", turn=19, control=held, options={"port-garrisons": option})
        victory.decide(g)
        assert g.state.result is not None
        assert g.state.result.winner == nobody
