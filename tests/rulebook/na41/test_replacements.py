"""Replacements (19)."""

from __future__ import annotations

from khamsin.games.na41 import replacements
from khamsin.games.na41.units import ALLIED, AXIS, BOARD, NUMBER, REPLACED
from tests.rulebook.na41.table import drive, flags, game, legal, match, refused, steps, where

AXIS_INITIAL, ALLIED_INITIAL = "impulse 2 axis initial", "impulse 2 allied initial"


def test_a_replacement_restores_a_step() -> None:
    """Within five hexes overland; it returns to the pool, and the unit is marked (19.1.1, 19.3.1, 19.5, example 19.3.1)."""
    m = match({"2425": ["I/5/5L [steps 2]"], "2430": ["DE Tank Repl 1"]}, phase=AXIS_INITIAL)
    m.play(["I/5/5L"])
    assert steps(m, "I/5/5L") == 3
    assert where(m, "DE Tank Repl 1") == "Axis Replacements and Supply Pool"
    assert "replaced" in flags(m, "I/5/5L")


def test_a_replacement_farther_than_five_hexes_is_out_of_reach() -> None:
    """(19.3.1)"""
    g = game({"2425": ["I/5/5L [steps 2]"], "2431": ["DE Tank Repl 1"]})
    refusal = replacements.why_not_restored(g, AXIS, NUMBER["I/5/5L"])
    assert refusal is not None
    assert refusal.rule == "19.3.1"


def test_a_refusal_names_the_replacement_that_might_have_been_used() -> None:
    """The one of its kind in play, and the Surrender Box where a unit is in it (12.5.2, 19.3.1)."""
    m = match(
        {
            "2425": ["115/15 [steps 1]"], "2433": ["DE Infantry Repl 2"], "Axis Surrender, left": ["3/5L [steps 0]"],
            "2545": ["I/5/5L [steps 2]", "DE Tank Repl 1"],
        }, phase=AXIS_INITIAL,
    )  # fmt: skip
    assert m.explain(m.rules.parse("115/15")).cause == "DE Infantry Repl 2"
    assert refused(m, "115/15") == "19.3.1"
    assert refused(m, "3/5L") == "12.5.2"


def rule(unit: str, used: str, *flags: str) -> str:
    """The section by which a replacement in the hex of a unit cannot be used on it."""
    marks = ", ".join(["steps 1", *flags])
    g = game({"2425": [f"{unit} [{marks}]", used]})
    refusal = replacements.why_not_used(g, NUMBER[unit], NUMBER[used.split(" [")[0]])
    return refusal.rule if refusal else ""


def test_replacements_are_used_by_nation_and_kind() -> None:
    """Infantry types, reconnaissance and Flak use infantry (19.2.3, 19.3.2)."""
    assert rule("115/15", "DE Infantry Repl 1") == ""
    assert rule("115/15", "DE Tank Repl 1") == "19.2.3"
    assert rule("3/5L", "DE Infantry Repl 1") == ""
    assert rule("115/15", "IT Infantry Repl 1") == "19.3.2"


def test_matildas_need_heavy_tanks() -> None:
    """Other tanks may use them as well (19.2.5)."""
    assert rule("4 RTR", "BR Tank Repl 1") == "19.2.5"
    assert rule("4 RTR", "BR Tank Repl 1 [heavy]") == ""
    assert rule("6 RTR", "BR Tank Repl 1 [heavy]") == ""


def test_replacements_under_a_transport_marker_wait() -> None:
    """(5.9.1, 21.1.5)"""
    assert rule("6 RTR", "BR Tank Repl 1 [transported]") == "5.9.1"


def test_units_in_disorder_or_out_of_supply_receive_nothing() -> None:
    """Nor twice in a phase, nor at full strength, nor an ASU (13.2.1, 16.4, 19.1.2, 19.3.2)."""
    for mark, section in (("disrupted", "13.2.1"), ("oos", "16.4"), ("replaced", "19.3.2")):
        g = game({"2425": [f"I/5/5L [steps 2, {mark}]", "DE Tank Repl 1"]})
        refusal = replacements.why_not_restored(g, AXIS, NUMBER["I/5/5L"])
        assert refusal is not None
        assert refusal.rule == section
    g = game({"2425": ["I/5/5L", "DAK HQ", "DE Tank Repl 1"]})
    rules = [replacements.why_not_restored(g, AXIS, NUMBER[unit]) for unit in ("I/5/5L", "DAK HQ")]
    assert [refusal.rule for refusal in rules if refusal] == ["19.3.1", "19.1.2"]


def test_withdrawn_and_reserve_units_count_as_in_the_delta() -> None:
    """(19.3.3)"""
    g = game({"Reserve": ["6/2 NZ [steps 2]"], "Nile Delta": ["NZ Infantry Repl 1"]})
    assert replacements.why_not_restored(g, ALLIED, NUMBER["6/2 NZ"]) is None


def test_an_eliminated_unit_returns_on_its_lowest_step() -> None:
    """In a box with the replacement, or with a Corps HQ in Full Supply; a 3-step unit as a remnant (19.1.1, 19.4.1, 19.6)."""
    m = match({"Allied Eliminated": ["16 Br [steps 0]"], "Nile Delta": ["BR Infantry Repl 1"]}, phase=ALLIED_INITIAL)
    m.play(["16 Br"])
    assert (where(m, "16 Br"), steps(m, "16 Br")) == ("Nile Delta", 1)
    units = {"Axis Eliminated": ["I/8/15 [steps 0]"], "1604": ["DAK HQ", "DE Tank Repl 1"]}
    m = match(units, phase=AXIS_INITIAL)
    m.play(["I/8/15"])
    assert where(m, "I/8/15") == "1604"


def test_returning_units_need_an_hq_of_their_own_nation_away_from_enemies() -> None:
    """(19.4.1, 19.4.2)"""

    def entry(*here: str, near: str = "") -> str:
        units = {"Axis Eliminated": ["I/8/15 [steps 0]"], "1604": here}
        g = game(units | ({near: ["1 THR"]} if near else {}))
        refusal = replacements.why_not_entry(g, NUMBER["I/8/15"], BOARD["1604"])
        return refusal.rule if refusal else ""

    assert entry("DAK HQ") == ""
    assert entry("X Corps HQ") == "19.4.1"
    assert entry("DAK HQ [disrupted]") == "19.4.1"
    assert entry("DAK HQ", near="1605") == "19.4.2"


def test_a_remnant_grows_into_its_unit() -> None:
    """(19.6)"""
    m = match({"2560": ["16 Br [steps 1]", "BR Infantry Repl 1"]}, phase=ALLIED_INITIAL)
    m.play(["16 Br"])
    assert steps(m, "16 Br") == 2


def test_replacements_arrive_from_the_pool_and_are_forfeited_without_one() -> None:
    """The Turn Track brings one Italian tank on turn 4 (19.1.1, 19.2.2)."""
    pool = {"Axis Replacements and Supply Pool": ["IT Tank Repl 1"]}
    g = game(pool, turn=4)
    assert drive(g, replacements.receive(g, AXIS)) is None
    assert where(g, "IT Tank Repl 1") == "Italy"
    g = game({"Italy": ["IT Tank Repl 1"]}, turn=4)
    assert drive(g, replacements.receive(g, AXIS)) is None
    assert [where(g, f"IT Tank Repl {n}") for n in (1, 2)] == ["Italy", ""]
    text = "A replacement is forfeited, none is left in the pool: Italian, tank"
    assert [g.text(event) for event in g.events] == [text]


def test_the_player_picks_among_nations() -> None:
    """British or Indian on turn 2; a heavy tank arrives on its heavy side (19.2.3, 19.2.4)."""
    names = ["BR Infantry Repl 1", "IN Infantry Repl 1", "AU Infantry Repl 1", "BR Tank Repl 1"]
    g = game({"Allied Replacements and Supply Pool": names}, turn=2)
    decision = drive(g, replacements.receive(g, ALLIED))
    assert decision is not None
    assert {g.rules.names[click] for click in decision.legal} == set(names[:2])
    g = game({"Allied Replacements and Supply Pool": names}, turn=6)
    drive(g, replacements.receive(g, ALLIED))
    assert flags(g, "BR Tank Repl 1") == {"heavy"}


def test_markers_are_removed_in_the_recovery_phase() -> None:
    """(19.5)"""
    m = match({"2425": ["I/5/5L [replaced]"]}, phase="impulse 2 axis recovery")
    assert not m.state.flags[NUMBER["I/5/5L"]] & REPLACED


def test_replacement_units_move_by_themselves() -> None:
    """As non-combat units; those on foot may ride (19.2.1)."""
    m = match({"1604": ["DE Tank Repl 1", "IT Infantry Repl 1", "Axis Truck 1"]})
    m.play(["DE Tank Repl 1", "1707", "IT Infantry Repl 1", "Axis Truck 1", "2011"])
    assert where(m, "IT Infantry Repl 1") == "2011"
    assert "DE Tank Repl 1" not in legal(m)
    assert refused(m, "DE Tank Repl 1") == "5.1"
