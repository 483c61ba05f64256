"""Standing orders for counter-attacks, reaction and losses (11.4, 12.4.4, 12.4.5, 15.1)."""

from __future__ import annotations

from khamsin.games.paa import RULES
from khamsin.games.paa.units import ALLIED, PaaState
from khamsin.kernel import Match
from khamsin.kernel.orders import Order, answer, check, find_policy
from tests.rulebook.paa.test_combat import TOBRUK, facing


def click(match: Match[PaaState], policy: str, **values: int | str) -> str:
    """The click that an Allied order gives; "" where the player is asked."""
    assert match.decision is not None
    kind = match.decision.kind
    found = find_policy(RULES, kind, policy)
    assert found is not None
    answered = answer(match, [Order(1, ALLIED, kind, policy, check(RULES, found, values), "")])
    return RULES.names[answered[1]] if answered else ""


def test_a_counter_attack_is_ordered_always_never_or_at_a_place() -> None:
    """The Axis must attack the fort of Tobruk, 1925 (12.4.4)."""
    match = facing(TOBRUK)
    assert match.decision is not None
    assert match.decision.kind == "combat.counter"
    assert [click(match, "yes"), click(match, "no")] == ["yes", "no"]
    assert [click(match, "no", only="Tobruk"), click(match, "no", only="Bardia")] == ["no", ""]
    assert [click(match, "no", **{"except": "1925"}), click(match, "no", **{"except": "1730"})] == ["", "no"]


def test_a_counter_attack_is_ordered_from_a_differential_on() -> None:
    """The differential is that of the prompt (12.4.4)."""
    match = facing(TOBRUK)
    assert match.decision is not None
    differential = int(match.decision.prompt.split()[3])
    assert click(match, "from", least=differential) == "yes"
    assert click(match, "from", least=differential + 1) == "no"


def test_an_order_of_the_attacker_does_not_answer_for_the_defender() -> None:
    """(12.4.4)"""
    match = facing(TOBRUK)
    assert answer(match, [Order(1, 1 - ALLIED, "combat.counter", "no", {}, "")]) is None
    assert answer(match, [Order(1, ALLIED, "overrun.counter", "no", {}, "")]) is None
