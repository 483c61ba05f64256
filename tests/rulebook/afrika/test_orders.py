"""Standing orders for air points, losses and retreats (1.10c, SCS 9.3, SCS 10.1)."""

from __future__ import annotations

from khamsin.games.afrika import RULES
from khamsin.games.afrika.units import ALLIED, AXIS, BOARD, NUMBER, AfrikaState, defence
from khamsin.kernel import Match
from khamsin.kernel.orders import Given, Order, answer, check, describe, find_policy
from tests.rulebook.afrika.table import match

PANZERS = ["5 Pz Rgt/5 Le", "104 Shu Rgt/5 Le"]
OVERRUN = ["A30.18", "A31.18", "A31.18", "A32.18"]


def given(m: Match[AfrikaState], side: int, kind: str, policy: str, values: Given) -> str:
    """The click that an order gives; "" where the player is asked."""
    found = find_policy(RULES, kind, policy)
    assert found is not None
    order = Order(1, side, kind, policy, check(RULES, found, values), "")
    answered = answer(m, [order])
    return RULES.names[answered[1]] if answered else ""


def air(m: Match[AfrikaState], policy: str, side: int = ALLIED, **values: int | str) -> str:
    assert m.decision is not None
    assert (m.decision.kind, m.decision.side) == ("combat.air", side)
    return given(m, side, "combat.air", policy, values)


def overrun(air: tuple[int, int] = (0, 3)) -> Match[AfrikaState]:
    """An overrun at A32.18, where the Allies choose air points."""
    m = match({"A30.18": PANZERS, "A32.18": ["5 Ind Bde/4 Ind"]}, air=air)
    m.play(OVERRUN)
    return m


def attack(hex: str = "A32.18", air: tuple[int, int] = (0, 3), points: str = "") -> Match[AfrikaState]:
    """An attack in the Combat Phase, where the Allies choose air points."""
    beside = {"A32.18": "A31.18", "A39.23": "A38.22"}[hex]
    m = match({beside: PANZERS, hex: ["5 Ind Bde/4 Ind"]}, phase="axis combat", air=air)
    declare(m, hex)
    m.play([points] if points else [])
    return m


def declare(m: Match[AfrikaState], hex: str) -> None:
    """Pass the barrage segment and attack a hex with all that can."""
    assert m.decision is not None
    m.play(["done"] if m.decision.kind == "barrage.target" else [])
    m.play([hex, "done"])


def test_no_air_points_against_overruns() -> None:
    """Attacks are asked about (1.10c, SCS 6.1)."""
    assert air(overrun(), "none", combats="the enemy's overruns") == "air 0"
    assert air(attack(), "none", combats="the enemy's overruns") == ""
    assert air(attack(), "none", combats="the enemy's attacks") == "air 0"
    assert air(attack(), "none") == "air 0"


def test_the_last_air_point_is_reserved_for_tobruk() -> None:
    """With one left, none is committed elsewhere; with more, or at Tobruk, the player is asked (1.10)."""
    values: dict[str, int | str] = {"reserve": 1, "except": "Tobruk"}
    assert air(attack(air=(0, 1)), "keep", **values) == "air 0"
    assert air(attack(air=(0, 2)), "keep", **values) == ""
    assert air(attack("A39.23", air=(0, 1)), "keep", **values) == ""
    policy = find_policy(RULES, "combat.air", "keep")
    assert policy is not None
    assert describe(policy, check(RULES, policy, values)) == (
        "No air points in the enemy's combats if 1 or fewer are left, except at Tobruk"
    )


def test_the_attackers_air_points_are_matched_down_to_a_reserve() -> None:
    """The defender knows how many the attacker commits (1.10c)."""
    assert air(attack(air=(2, 3), points="air 2"), "match") == "air 2"
    assert air(attack(air=(2, 3), points="air 0"), "match") == "air 0"
    assert air(attack(air=(2, 3), points="air 2"), "match", reserve=2) == "air 1"
    assert air(attack(air=(2, 1), points="air 2"), "match", reserve=2) == "air 0"


def test_own_combats_are_asked_about_unless_the_order_is_for_all() -> None:
    """The attacker chooses first (1.10c)."""
    m = attack(air=(2, 3))
    assert air(m, "none", AXIS) == ""
    assert air(m, "match", AXIS) == ""
    assert air(m, "none", AXIS, combats="all combats") == "air 0"


def test_the_weakest_unit_loses_steps() -> None:
    """After the strongest has lost the first one (SCS 9.3)."""
    units = ["5 Ind Bde/4 Ind", "3 Ind Mtrd Bde"]
    m = match({"A31.18": [*PANZERS, "8 Pz Rgt/15 Pz"], "A32.18": units}, phase="axis combat", dice=[5, 5])
    declare(m, "A32.18")
    assert m.decision is not None
    assert (m.decision.kind, m.decision.side) == ("combat.losses", ALLIED)
    weakest = min(units, key=lambda unit: defence(m.game, NUMBER[unit]))
    assert set(m.names) == set(units)
    assert given(m, ALLIED, "combat.losses", "least", {}) == weakest


def test_a_stack_retreats_towards_a_place() -> None:
    """(SCS 10.1)"""
    m = match({"A31.18": PANZERS, "A32.18": ["5 Ind Bde/4 Ind"]}, phase="axis combat", dice=[4, 4])
    declare(m, "A32.18")
    assert m.decision is not None
    assert (m.decision.kind, m.decision.side) == ("combat.retreat", ALLIED)
    hexes = [BOARD[name] for name in m.names if name in BOARD]
    for place in ("Bardia", "Tobruk"):
        goal = BOARD.place[place].hex
        chosen = BOARD[given(m, ALLIED, "combat.retreat", "towards", {"place": place})]
        assert BOARD.distance(chosen, goal) == min(BOARD.distance(hex, goal) for hex in hexes)
