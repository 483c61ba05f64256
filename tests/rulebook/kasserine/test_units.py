"""The counters (2.2, 3.4, 3.6) and what a side may not know (3.3.4, 4.2)."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from khamsin.games.kasserine import hidden, support
from khamsin.games.kasserine.units import (
    ALLIED,
    ANTI_TANK,
    ARMOURED,
    ARTILLERY,
    AXIS,
    BARRAGE,
    BOARD,
    COUNTERS,
    DEFENCE,
    EVASION,
    FORCES,
    FPF,
    FRENCH,
    HALVES,
    HQ,
    MA,
    MARKER,
    MOTORIZED,
    NATION,
    NO_ZONE,
    NUMBER,
    POINTS,
    RANGE,
    READY,
    RED_BOX,
    SEALED,
    SELF_PROPELLED,
    STACKING,
    TRIED,
    UNTRIED,
    UNTRIED_UNITS,
    YELLOW_CIRCLE,
    attack,
    defence,
)
from tests.rulebook.kasserine.table import begun, game, where


@pytest.mark.parametrize(
    ("unit", "values"),
    [
        ("10 RB (-)", (2, 4, 9)),
        ("2/5 Lei (+)", (3, 5, 5)),
        ("C-17/21 L", (3, 3, 8)),
        ("2/K10/10", (2, 2, 10)),
        ("I/3 RSA", (1, 2, 5)),
    ],
)
def test_strengths_and_allowances_are_as_printed(unit: str, values: tuple[int, ...]) -> None:
    """Attack, defence and movement allowance (2.2.3)."""
    g, number = game({"2809": [unit]}), NUMBER[unit]
    assert (attack(g, number), defence(g, number), MA[number]) == values


def test_a_reduced_unit_fights_with_its_reverse_side() -> None:
    """Two steps, then one (3.4.1)."""
    g = game({"2811": ["7/7/10 [steps 1]"], "2910": ["C-2 Loth [steps 1]"]})
    assert attack(g, NUMBER["7/7/10"]) == 2
    assert defence(g, NUMBER["C-2 Loth"]) == 2


def test_hqs_and_guns_have_one_step() -> None:
    """One step and no more (3.4.2, 13.2.2)."""
    assert {COUNTERS[u].steps for u in (*FORCES[AXIS], *FORCES[ALLIED]) if HQ[u] or ARTILLERY[u]} == {1}


def test_a_gun_shows_range_barrage_and_final_protective_fire() -> None:
    """The Deployed side of a gun; an anti-tank unit has no range (2.2.4)."""
    gun, flak = NUMBER["1/90/10"], NUMBER["9/90 Flak"]
    assert (RANGE[gun], BARRAGE[gun], FPF[gun]) == (4, 3, 3)
    assert (RANGE[flak], BARRAGE[flak], FPF[flak]) == (0, 4, 4)
    assert ANTI_TANK[flak]
    assert ARTILLERY[gun]
    assert not ARTILLERY[flak]


def test_every_gun_with_a_range_has_its_marker_and_no_other() -> None:
    """One Fire Support marker a gun, with its name (10.1)."""
    guns = {u for u in (*FORCES[AXIS], *FORCES[ALLIED]) if ARTILLERY[u]}
    assert set(MARKER) == guns
    assert all(COUNTERS[marker].name == f"{COUNTERS[gun].name} fire" for gun, marker in MARKER.items())


def test_nations_are_told_apart() -> None:
    """Six colours, the Luftwaffe German (2.2.2)."""
    assert {NATION[u] for u in FORCES[AXIS]} == {"DE", "IT"}
    assert {NATION[u] for u in FORCES[ALLIED]} == {"US", "UK", "FR"}
    assert FRENCH[NUMBER["HQ Constantine"]]


def test_movement_classes() -> None:
    """Plain, yellow circle, red box; armour is motorized (3.6.1-3)."""
    assert not MOTORIZED[NUMBER["I/3 RSA"]]
    assert YELLOW_CIRCLE[NUMBER["1/19 Eng"]]
    assert RED_BOX[NUMBER["1/90 Pzjg"]]
    assert all(MOTORIZED[u] for u in FORCES[AXIS] + FORCES[ALLIED] if ARMOURED[u])
    assert POINTS[NUMBER["I/3 RSA"]] == HALVES * 5


def test_symbols_say_what_a_unit_can_do() -> None:
    """Self-propelled guns, zones, stacking and evasion from the class (2.2.3, 2.2.6)."""
    assert SELF_PROPELLED[NUMBER["91 FA"]]
    assert not SELF_PROPELLED[NUMBER["33 FA"]]
    assert NO_ZONE[NUMBER["HQ CCA"]]
    assert STACKING[NUMBER["HQ CCA"]] == 0
    assert STACKING[NUMBER["2/5 Lei (+)"]] == 3
    assert EVASION[NUMBER["A-1 DY"]] == 4
    assert DEFENCE[NUMBER["1/501"]] == (0, 3, 6)


def test_untried_units_have_one_step_and_draw_from_all_counters_of_their_kind() -> None:
    """Fifteen French and three German counters, each drawn once (3.4.3, 4.2.1, 4.2.3)."""
    state = begun("campaign").state
    french = [u for u in UNTRIED_UNITS if FRENCH[u] and state.quality[u]]
    assert len(french) == 13
    assert len({state.quality[u] for u in french}) == 13
    assert all(1 <= state.quality[u] <= len(TRIED["FRB"]) == 15 for u in french)
    assert all(COUNTERS[u].steps == 1 and state.flags[u] & UNTRIED for u in french)


def test_nobody_may_look_at_an_untried_unit() -> None:
    """Neither its owner nor the enemy (3.3.4, 4.2.2)."""
    state = begun("faid").state
    unit = NUMBER["I/2 RTA"]
    assert state.quality[unit]
    for side in (AXIS, ALLIED):
        assert hidden.conceal(state, side).quality[unit] == 0
    state.flags[unit] &= ~UNTRIED
    assert hidden.conceal(state, AXIS).quality[unit] == state.quality[unit]


def test_what_is_hidden_can_be_imagined_otherwise() -> None:
    """Another draw looks the same and is one (4.2.2)."""
    state = begun("campaign").state
    other = hidden.imagine(state, AXIS, random.Random(1))
    assert other.quality != state.quality
    assert hidden.conceal(other, AXIS) == hidden.conceal(state, AXIS)
    unseen = hidden.imagine(hidden.conceal(state, AXIS), AXIS, random.Random(1))
    assert unseen.quality == other.quality, "from what a side sees it imagines as much as from the truth"


def test_the_enemy_sees_where_markers_lie_and_not_which() -> None:
    """Fire Support is laid face down (10.3.4)."""
    fire = "[face down]"
    units = {
        "2811": ["10 RB (-)"],
        "2910": ["2/5 Lei (+)"],
        "2810": ["90/23 Fd [deployed]", "F/12 RHA [deployed]"],
        "Allied Ready Box": [f"90/23 Fd fire {fire}", f"F/12 RHA fire {fire}"],
    }
    g = game(units)
    support.place(g, NUMBER["90/23 Fd fire"], BOARD["2910"])
    seen = hidden.conceal(g.state, AXIS)
    other = g.state.copy()
    other.where[NUMBER["90/23 Fd fire"]] = READY[ALLIED]
    other.where[NUMBER["F/12 RHA fire"]] = BOARD["2910"]
    assert hidden.conceal(other, AXIS) == seen
    assert hidden.conceal(g.state, ALLIED).where[NUMBER["90/23 Fd fire"]] == BOARD["2910"]
    support.show(g, NUMBER["90/23 Fd fire"])
    assert hidden.conceal(g.state, AXIS).where[NUMBER["90/23 Fd fire"]] == BOARD["2910"]


def test_markers_are_imagined_only_where_their_guns_reach() -> None:
    """Never a marker out of range of its gun (10.1.2)."""
    units = {
        "2811": ["10 RB (-)"],
        "2810": ["90/23 Fd [deployed]"],
        "2401": ["F/12 RHA [deployed]"],
        "Allied Ready Box": ["90/23 Fd fire [face down]", "F/12 RHA fire [face down]"],
    }
    g = game(units)
    support.place(g, NUMBER["90/23 Fd fire"], BOARD["2811"])
    for seed in range(20):
        g.state = hidden.imagine(g.state, AXIS, random.Random(seed))
        assert where(g, "90/23 Fd fire") == "2811"


def test_the_allies_do_not_see_the_victory_plan_until_they_read_it() -> None:
    """A plan that was drawn is sealed to the Allies (18.2.7, 18.2.8)."""
    g = game({}, plan=2)
    assert hidden.conceal(g.state, ALLIED).plan == SEALED
    assert hidden.conceal(g.state, AXIS).plan == 2
    g.state.decrypted = 1
    assert hidden.conceal(g.state, ALLIED).plan == 2


def test_every_figure_can_be_changed_to_see_what_would_be() -> None:
    """Counters, Rommel's bonuses and the figures of combat, ground and scenarios, in a process of their own (2.2.3, 15.5.2)."""
    changes = {
        "counter.1/7/10.attack": "9",
        "data.counters.leader.Rommel.bonuses": "3",
        "data.combat.fire.concentrated": "30",
        "data.combat.air.most": "3",
        "data.ground.modifier.hills": "2",
        "data.scenarios.strongpoints.axis": "1",
    }
    program = f"""
from khamsin.kernel import data
data.change("kasserine", {changes})
from khamsin.games.kasserine import air, scenario, strength, units
print(data.unused(), units.ATTACK[units.NUMBER["1/7/10"]][2], units.KasserineState(1).bonus,
      strength.FIGURES["fire"]["concentrated"], air.FIGURES["most"],
      strength.GROUND["modifier"]["hills"], scenario.MOST_STRONGPOINTS[0])
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["[]", "9", "3", "30", "3", "2", "1"]
