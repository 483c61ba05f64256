"""Standing orders for support, Determined Defense, losses and retreats (9.4.1, 10.2.1, 11, 12.1.3)."""

from __future__ import annotations

from khamsin.games.na41 import RULES
from khamsin.games.na41.units import ALLIED, AXIS, Na41State
from khamsin.kernel import Match
from khamsin.kernel.orders import Order, answer, check, find_policy
from tests.rulebook.na41.table import match

ALLIED_COMBAT = "impulse 1 allied combat"


def given(m: Match[Na41State], kind: str, policy: str, **values: int | str) -> str:
    """The click that an order gives at the present decision; "" where the player is asked."""
    assert m.decision is not None
    assert m.decision.kind == kind
    found = find_policy(RULES, kind, policy)
    assert found is not None
    order = Order(1, m.decision.side, kind, policy, check(RULES, found, values), "")
    answered = answer(m, [order])
    return RULES.names[answered[1]] if answered else ""


def attacked(*defenders: str, dice: int = 5, **more: list[str]) -> Match[Na41State]:
    """An Allied attack on 2042, as far as the Axis is asked."""
    place = {"2041": ["16 Br", "23 Br"], "2042": [*defenders], **more}
    m = match(place, phase=ALLIED_COMBAT, dice=[dice])
    m.play(["2042", "done"])
    return m


def test_support_is_refused_or_given_by_artillery() -> None:
    """Everywhere or at a place (9.4.1)."""
    m = attacked("19 Bre", **{"2043": ["X Corps HQ"]})
    assert given(m, "combat.support", "done") == "done"
    assert given(m, "combat.support", "done", only="2043") == ""
    assert given(m, "combat.support", "guns") == "X Corps HQ"
    assert given(m, "combat.support", "guns", only="2042") == "X Corps HQ"
    assert given(m, "combat.support", "guns", **{"except": "2042"}) == ""


def test_a_defence_is_tried_if_it_is_likely_to_hold() -> None:
    """The best unit leads; else the stack retreats (11.2.1, 11.4)."""
    m = attacked("19 Bre", "8 MG/5L", dice=5)
    assert given(m, "combat.defence", "stand", chance=50) == "8 MG/5L"
    assert given(m, "combat.defence", "stand", chance=51) == "retreat"
    assert given(m, "combat.defence", "stand", only="2043") == ""
    assert given(m, "combat.defence", "retreat") == "retreat"


def test_a_desperate_defence_is_never_given_up_by_an_order() -> None:
    """It is tried whatever the chance (11.5.3)."""
    m = attacked("19 Bre", dice=2, **{"1943": ["1 RB"], "2143": ["2 RB"], "2044": ["1 KRRC"]})
    assert given(m, "combat.defence", "stand", chance=99) == "19 Bre"
    assert given(m, "combat.defence", "retreat") == ""


def test_losses_are_of_the_weakest_own_or_the_strongest_enemy_unit() -> None:
    """Each order answers for one side (10.2.1)."""
    m = match({"2041": ["16 Br", "2 RTR*"], "2042": ["19 Bre", "8 MG/5L"]}, phase=ALLIED_COMBAT, turn=7, dice=[3, 6])
    m.play(["2042", "done"])
    assert m.decision is not None
    assert (m.decision.kind, m.decision.side) == ("combat.losses", ALLIED)
    m.play(["19 Bre"])
    assert m.decision.side == AXIS
    assert given(m, "combat.losses", "own") == ""
    assert given(m, "combat.losses", "enemy") == "2 RTR*"


def test_a_retreat_goes_towards_a_place() -> None:
    """(12.1.3)"""
    m = attacked("8 MG/5L", dice=4)
    m.play(["retreat"])
    assert given(m, "combat.retreat", "towards", place="2044") == "2044"
