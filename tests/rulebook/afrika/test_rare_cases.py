"""Rules that seldom meet: units leave boxes without a fight, rebuilt units, Rommel apart from a combat, halved barrages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from khamsin.games.afrika import RULES, barrage, campaign, dumps, losses, replacements
from khamsin.games.afrika.units import ALLIED, AXIS, BOARD, NUMBER, TRIPOLI, Fire, G, forces_in
from khamsin.kernel import Match, position
from tests.rulebook.afrika.table import begun, drive, flags, game, legal, match, refused, rule_of, steps, where


def war(units: Mapping[str, Sequence[str]], phase: str = "axis reinforcement", turn: int = 10, **more: Any) -> G:
    """A position of the campaign."""
    return game(units, phase, turn, "italian-offensive", campaign=1, **more)


# Boxes (1.16)


def test_a_withdrawn_unit_leaves_no_box_behind() -> None:
    """(1.16, 3.3)"""
    g = war({"B5.15": ["9 Ind Bde/5 Ind"]}, "allied reinforcement", boxes={"Allied": ["B5.15"]})
    g.state.todo["infantry"] = 1
    drive(g, replacements.withdraw(g, ALLIED))
    assert (where(g, "9 Ind Bde/5 Ind"), g.state.box) == ("Allied Dead Pile", {})


def test_the_lrdg_leaves_no_box_behind_when_it_raids() -> None:
    """(1.16, 3.5)"""
    units = {"B5.15": ["LRDG Grp"], "A40.20": ["Rommel", "5 Pz Rgt/5 Le"]}
    g = war(units, "allied movement", boxes={"Allied": ["B5.15"]})
    campaign.raid(g)
    assert g.state.box == {}


def test_lehr_leaves_no_box_behind() -> None:
    """(1.16, 2.9)"""
    units = {"A40.20": ["Lehr Para Bn"], "Turn Record Track": ["Ramcke Bde"]}
    g = war(units, turn=24, boxes={"Axis": ["A40.20"]})
    campaign.arrive(g, AXIS)
    assert (where(g, "Lehr Para Bn"), g.state.box) == ("Out of Play", {})


# Rebuilt units (1.11b)


def test_a_unit_that_died_out_of_supply_is_rebuilt_in_supply() -> None:
    """(1.11b, SCS 11.4)"""
    g = war({"A40.20": ["Savona Div [oos]"]})
    losses.eliminate(g, NUMBER["Savona Div"], "SCS 9.4")
    dumps.add(g, AXIS, TRIPOLI, 1)
    g.state.todo[replacements.STEPS_LEFT] = 1
    drive(g, replacements.replace(g, AXIS), ["Savona Div", "Tripoli Box"])
    assert (where(g, "Savona Div"), steps(g, "Savona Div"), flags(g, "Savona Div")) == ("Tripoli Box", 1, set())


def test_a_unit_rebuilt_in_the_hex_of_an_enemy_dump_captures_it() -> None:
    """(1.8, 1.11b)"""
    g = war({"Axis Dead Pile": ["Savona Div [steps 0]"]}, dice=[5])
    dumps.add(g, AXIS, BOARD["A40.20"], 1)
    dumps.add(g, ALLIED, BOARD["A41.20"], 2)
    g.state.todo[replacements.STEPS_LEFT] = 1
    decision = drive(g, replacements.replace(g, AXIS), ["Savona Div", "A41.20"])
    assert decision is not None
    assert (decision.kind, decision.side) == ("supply.displace", ALLIED)
    assert g.state.axis_sp[BOARD["A41.20"]] == 1, "50 per cent of 2"


def test_units_lost_with_alexandria_are_not_rebuilt() -> None:
    """(3.2)"""
    g = war({"Out of Play": ["1 Greek Bde"]}, "allied reinforcement", turn=26)
    assert rule_of(replacements.why_not_replaced(g, ALLIED, NUMBER["1 Greek Bde"])) == "3.2"


# Rommel (2.3)


def test_rommel_does_not_advance_with_units_of_another_hex() -> None:
    """(2.3, SCS 10.7)"""
    units = {
        "A31.18": ["5 Pz Rgt/5 Le", "104 Shu Rgt/5 Le"],
        "A10.12": ["15 MC Bn/15 Pz", "Rommel"],
        "A32.18": ["Artillery Grp A"],
    }
    m = match(units, phase="axis combat", dice=[4, 3])
    m.play(["A32.18", "done", "5 Pz Rgt/5 Le"])
    assert m.decision is not None
    assert m.decision.kind == "combat.advance"
    assert refused(m, "Rommel") == "2.3"


def test_rommel_begins_with_axis_units() -> None:
    """(2.3, 5.2)"""
    m = begun("rommel")
    m.play(["done", "Rommel"])
    assert refused(m, "A4.11") == "2.3"
    assert legal(m) == {"A2.11", "A3.11", "cancel"}


def test_rommel_goes_along_with_the_last_unit_that_leaves_him_in_the_set_up() -> None:
    """(2.3, 5.2)"""
    m = begun("rommel")
    m.play(["done"])
    stack = [counter for counter in NUMBER if where(m, counter) == "A2.12" and counter != "Rommel"]
    for unit in stack:
        m.play([unit, "A4.11"])
    assert where(m, "Rommel") == "A4.11"


def test_a_landing_ends_the_move_of_another_stack() -> None:
    """(2.8, SCS 3.1)"""
    m = Match.at(game({"A30.28": ["KG Hecker"], "A10.12": ["3 Recon Bn/5 Le"]}))
    m.play(["3 Recon Bn/5 Le", "A11.12", "KG Hecker", "landing", "A31.28"])
    assert refused(m, "3 Recon Bn/5 Le") == "SCS 3.1"


# Off-map boxes (1.13)


def test_a_unit_in_tripoli_is_told_that_a_hex_is_not_next_to_it() -> None:
    """Also where an enemy is in the hex (1.13)."""
    m = Match.at(war({"Tripoli Box": ["3 Recon Bn/5 Le"], "A1.13": ["1 Greek Bde"]}, "axis movement"))
    m.play(["3 Recon Bn/5 Le"])
    assert refused(m, "A1.13") == "1.13"
    m.play(["Joining Box", "3 Recon Bn/5 Le"])
    assert refused(m, "A1.13") == "SCS 3.6"


# Overrun (SCS 6)


def test_no_overrun_from_an_overfull_hex() -> None:
    """A stack that passes a full hex does not overrun from there (SCS 4.2, SCS 6.6)."""
    full = ["Pavia Div", "Bologna Div", "Brescia Div"]
    m = match({"A32.18": full, "A30.18": ["5 Pz Rgt/5 Le"], "A33.18": ["1 Greek Bde"]})
    m.play(["5 Pz Rgt/5 Le", "A32.18", "5 Pz Rgt/5 Le"])
    assert refused(m, "A33.18") == "SCS 6.6"
    m = match({"A32.18": full[:2], "A30.18": ["5 Pz Rgt/5 Le"], "A33.18": ["1 Greek Bde"]})
    m.play(["5 Pz Rgt/5 Le", "A32.18", "5 Pz Rgt/5 Le"])
    assert "A33.18" in legal(m)


# Barrage (1.12e)


@pytest.mark.parametrize(("gun", "head"), [("1 Afrika Artillery Rgt", "4-5"), ("190 Artillery Rgt/90 Le", "2-3")])
def test_half_a_barrage_point_is_rounded_up(gun: str, head: str) -> None:
    """7 halved is 4, 5 halved is 3 (1.12e, SCS 1.3)."""
    g = game({"A32.18": [f"{gun} [oos]"], "A32.19": ["6 NZ Bde/2 NZ"]})
    shot = Fire(AXIS, (NUMBER[gun],), BOARD["A32.19"])
    assert g.table("barrage").head(barrage.column(g, shot)) == head


# Positions


def test_a_hex_may_be_overfull_while_units_move() -> None:
    """The stacking limit counts at the end of a phase, so such a position can be stored and opened (1.3, SCS 4.2)."""
    crowd = {"B5.15": ["Trento Div", "Brescia Div", "Pavia Div", "Bologna Div"]}
    for phase in ("axis reinforcement", "axis movement", "axis combat", "axis exploitation"):
        assert where(game(crowd, phase), "Trento Div") == "B5.15"
    with pytest.raises(position.PositionError, match=r"at most 6 may stack \(1.3\)"):
        game(crowd, "axis supply")


def test_a_box_may_be_left_during_the_set_up() -> None:
    """Units placed elsewhere leave a box behind that is removed at the end (1.16)."""
    g = begun("italian-offensive").game
    assert RULES.find_fault(g) == ""
    hex = next(hex for hex, whose in g.state.box.items() if whose == ALLIED)
    for unit in forces_in(g, ALLIED, hex):
        g.state.where[unit] = BOARD["A60.18"]
    assert RULES.find_fault(g) == ""
