"""Step losses, remnants, elimination and surrender (8.7, 10.2, 10.3, 10.4, 12.5, 17.2.3, 18.1, 18.2, 27.1)."""

from __future__ import annotations

import pytest

from khamsin.games.na41 import entering, losses, resolution, sheet
from khamsin.games.na41.results import OUTCOMES
from khamsin.games.na41.units import ALLIED, AXIS, BOARD, defence, stacking
from khamsin.games.na41.units import attack as strength
from tests.rulebook.na41.field import attack, drive, finish, game, legal, refused, steps, units, where


def test_the_three_steps_of_the_sixth_new_zealand_brigade() -> None:
    """Full, reduced, remnant, eliminated (2.3.5, 10.3, 10.4.1, figure 2.3.5)."""
    g = game({"2042": ["6/2 NZ"], "2043": ["16 Br"]})
    brigade = units("6/2 NZ")[0]
    faces = []
    for clicks in ([], ["remnant"], []):
        faces.append((strength(g, brigade), defence(g, brigade), stacking(g, brigade)))
        finish(losses.lose_step(g, brigade, "10.3"), clicks)
    assert faces == [(5, 6, 2), (3, 4, 2), (1, 3, 1)]
    assert where(g, "6/2 NZ").startswith("Allied")


def test_the_owner_may_refuse_a_remnant() -> None:
    """The unit then loses two steps (10.4.2)."""
    g = game({"2042": ["16 Br [steps 2]"]})
    decision = drive(losses.lose_step(g, units("16 Br")[0], "10.3"))
    assert decision is not None
    assert (decision.side, legal(decision)) == (ALLIED, {"remnant", "eliminate"})
    finish(losses.lose_step(g, units("16 Br")[0], "10.3"), ["eliminate"])
    assert steps(g, "16 Br") == 0


def test_without_a_remnant_in_the_display_the_unit_is_eliminated() -> None:
    """Two British remnants exist (10.4.1, 10.4.2)."""
    g = game({"2042": ["16 Br [steps 2]"], "2043": ["23 Br [steps 1]"], "2044": ["14 Br [steps 1]"]})
    finish(losses.lose_step(g, units("16 Br")[0], "10.3"))
    assert steps(g, "16 Br") == 0


def test_a_one_step_unit_and_a_reduced_two_step_unit_are_eliminated() -> None:
    """(10.3)"""
    g = game({"2042": ["1 THR", "5 RTR [steps 1]"]})
    for unit in units("1 THR", "5 RTR"):
        finish(losses.lose_step(g, unit, "10.3"))
        assert g.state.steps[unit] == 0


# Who loses


@pytest.mark.parametrize(
    ("code", "chooser"), [("D1", ALLIED), ("A1/D1", ALLIED), ("EX", AXIS), ("DRX", AXIS), ("DS", AXIS)]
)
def test_the_opponent_picks_with_ex_drx_and_ds(code: str, chooser: int) -> None:
    """(10.1, 10.2.1)"""
    g = game({"2041": ["104/15"], "2042": ["16 Br", "5 RTR"]})
    battle = attack(g, ["104/15"], "2042")
    decision = drive(resolution.take_losses(g, battle, sheet.sheet(g, battle), OUTCOMES[code]))
    assert decision is not None
    assert (decision.kind, decision.side) == ("combat.losses", chooser)
    assert legal(decision) == {"16 Br", "5 RTR"}


def test_the_defender_loses_first() -> None:
    """(10.2.2)"""
    g = game({"2041": ["104/15", "I/8/15"], "2042": ["16 Br", "5 RTR"]})
    battle = attack(g, ["104/15", "I/8/15"], "2042")
    losing = resolution.take_losses(g, battle, sheet.sheet(g, battle), OUTCOMES["A1/D1"])
    assert legal(drive(losing, ["16 Br"])) == {"104/15", "I/8/15"}


def test_parenthesized_units_lose_last() -> None:
    """(8.6, 10.2.2)"""
    g = game({"2041": ["104/15"], "2042": ["16 Br", "5 RTR", "7 Med"]})
    battle = attack(g, ["104/15"], "2042")
    decision = drive(resolution.take_losses(g, battle, sheet.sheet(g, battle), OUTCOMES["D1"]))
    assert refused(g, decision, "7 Med") == "10.2.2"


def test_units_that_retreated_before_lose_nothing() -> None:
    """(12.3)"""
    g = game({"2041": ["104/15"], "2042": ["16 Br", "5 RTR [disrupted, retreated]"]})
    battle = attack(g, ["104/15"], "2042")
    finish(resolution.take_losses(g, battle, sheet.sheet(g, battle), OUTCOMES["D1"]))
    assert (steps(g, "16 Br"), steps(g, "5 RTR")) == (2, 2)


@pytest.mark.parametrize(("code", "left"), [("D1", 2), ("DS", 2), ("EX", 1), ("A1/D1", 1), ("DRX", 1)])
def test_reconnaissance_alone_ignores_the_step_of_a_d1_or_ds(code: str, left: int) -> None:
    """(18.1)"""
    g = game({"2041": ["104/15"], "2042": ["1 KDG"]})
    battle = attack(g, ["104/15"], "2042")
    finish(resolution.take_losses(g, battle, sheet.sheet(g, battle), OUTCOMES[code]))
    assert steps(g, "1 KDG") == left


def test_reconnaissance_with_others_does_not() -> None:
    """(18.1)"""
    g = game({"2041": ["104/15"], "2042": ["1 KDG", "1 THR"]})
    battle = attack(g, ["104/15"], "2042")
    finish(resolution.take_losses(g, battle, sheet.sheet(g, battle), OUTCOMES["D1"]), ["1 KDG"])
    assert steps(g, "1 KDG") == 1


@pytest.mark.parametrize("code", ["EX", "DRX"])
def test_88s_cost_the_allies_a_tank_step_more(code: str) -> None:
    """The Allied player chooses it first, attacking or defending (18.2)."""
    g = game({"2041": ["I/33 Flak", "104/15"], "2042": ["5 RTR", "3 Hus", "16 Br"]})
    battle = attack(g, ["I/33 Flak", "104/15"], "2042")
    losing = resolution.take_losses(g, battle, sheet.sheet(g, battle), OUTCOMES[code])
    decision = drive(losing)
    assert decision is not None
    assert (decision.side, legal(decision)) == (ALLIED, {"5 RTR", "3 Hus"})
    losing = resolution.take_losses(g, battle, sheet.sheet(g, battle), OUTCOMES[code])
    decision = drive(losing, ["3 Hus"])
    assert decision is not None
    assert decision.side == AXIS
    g = game({"2041": ["I/33 Flak"], "2042": ["5 RTR", "16 Br"]})
    battle = attack(g, ["5 RTR", "16 Br"], "2041")
    finish(resolution.take_losses(g, battle, sheet.sheet(g, battle), OUTCOMES[code]), ["16 Br"])
    assert (steps(g, "5 RTR"), steps(g, "16 Br")) == (1, 2)


def test_without_tanks_the_88s_cost_nothing_more() -> None:
    """(18.2)"""
    g = game({"2041": ["I/33 Flak", "104/15"], "2042": ["16 Br"]})
    battle = attack(g, ["I/33 Flak", "104/15"], "2042")
    losing = resolution.take_losses(g, battle, sheet.sheet(g, battle), OUTCOMES["EX"])
    assert legal(drive(losing)) == {"I/33 Flak", "104/15"}
    assert steps(g, "16 Br") == 2


# Surrender, trucks and Supply Points

AROUND = {"2041": ["104/15"], "2143": ["115/15"], "1943": ["8B Ar"]}
"""Axis units whose ZOCs cut 2042 off."""


def test_a_unit_eliminated_out_of_supply_surrenders() -> None:
    """In supply it goes to the Eliminated Box (12.5.1, 12.5.2)."""
    g = game({**AROUND, "2042": ["1 THR"]})
    losses.eliminate(g, units("1 THR")[0], "10.3")
    assert where(g, "1 THR") == "Allied Surrender, left"
    g = game({"2478": ["1 THR"]}, control={"Allied": ["2478"]})
    losses.eliminate(g, units("1 THR")[0], "10.3")
    assert where(g, "1 THR") == "Allied Eliminated"


def test_trucks_and_points_fall_with_the_last_combat_unit() -> None:
    """A point is captured on 3 to 6 (8.7, 10.2.2, 17.2.3)."""
    g = game({"2041": ["104/15"], "2042": ["1 THR", "Allied Truck 1"]}, supply={"Allied": {"2042": 2}}, dice=[2, 3])
    battle = attack(g, ["104/15"], "2042")
    finish(resolution.take_losses(g, battle, sheet.sheet(g, battle), OUTCOMES["D1"]))
    assert where(g, "Allied Truck 1") == "Allied Eliminated"
    assert (g.state.allied_sp, g.state.axis_sp) == ({}, {BOARD["2042"]: 1})


def test_trucks_and_points_of_the_attacker_fall_with_his_last_combat_unit_too() -> None:
    """Not with another combat unit in the hex (10.2.2, 17.2.3)."""
    for more, left in (([], "Allied Eliminated"), (["16 Br"], "2041")):
        g = game(
            {"2041": ["1 RB", "Allied Truck 1", *more], "2042": ["104/15"]}, supply={"Allied": {"2041": 1}}, dice=[1]
        )
        battle = attack(g, ["1 RB"], "2042")
        finish(resolution.take_losses(g, battle, sheet.sheet(g, battle), OUTCOMES["A1"]))
        assert where(g, "Allied Truck 1") == left
        assert bool(g.state.allied_sp) == bool(more)


def test_a_combat_unit_that_enters_removes_trucks_replacements_points_and_fortifications() -> None:
    """A replacement returns to its pool (8.7, 9.5.7, 14.6, 16.3.5, 17.2.3, 19.2.1)."""
    g = game(
        {"2041": ["104/15"], "2042": ["Allied Truck 1 [msu]", "BR Infantry Repl 1"]},
        forts={"Allied": ["2042"]}, control={"Allied": ["2042"]}, supply={"Allied": {"2042": 1}}, dice=[6, 1],
    )  # fmt: skip
    finish(entering.march(g, AXIS, units("104/15"), [BOARD["2042"]]))
    assert where(g, "Allied Truck 1") == "Allied Eliminated"
    assert where(g, "BR Infantry Repl 1") == "Allied Replacements and Supply Pool"
    assert g.state.axis_sp == {BOARD["2042"]: 1}
    assert BOARD["2042"] not in g.state.fort
    assert g.state.control[BOARD["2042"]] == AXIS


@pytest.mark.parametrize(("option", "captured"), [("on", True), ("off", False)])
def test_a_truck_with_a_stack_that_surrenders_may_be_captured(option: str, captured: bool) -> None:
    """(27.1)"""
    g = game({**AROUND, "2042": ["1 THR", "Allied Truck 1"]}, options={"truck-capture": option})
    finish(losses.lose(g, ALLIED, units("1 THR"), units("1 THR"), "10.2.1"))
    assert (where(g, "Axis Captured Truck 1") == "2042") == captured
    assert where(g, "Allied Truck 1") == "Allied Eliminated"
