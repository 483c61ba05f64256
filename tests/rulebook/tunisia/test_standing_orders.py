"""The standing orders that a seat of Tunisia has from the start: they ask nothing while there is enough supply."""

from __future__ import annotations

import pytest

from khamsin.games.tunisia.units import AXIS, BOARD
from khamsin.kernel import Match, orders
from tests.rulebook.tunisia.table import RULES, game, match


def answered(**tokens: int) -> str | None:
    """What the presets of the Axis click at the first decision, with tokens beside two stacks that do not trace supply."""
    units = {"B60.05": ["47 Inf", "69 PG/10 Pz"], "B60.04": ["605 PJ", "104 PG/21 Pz"]}
    asked = match(units, phase="axis supply", axis={f"B{hex[1:3]}.{hex[3:]}": number for hex, number in tokens.items()})
    assert asked.decision is not None
    assert asked.decision.kind == "supply.eat"
    found = orders.answer(asked, orders.presets(RULES, AXIS))
    return None if found is None else RULES.names[found[1]]


def test_all_eat_if_there_is_enough() -> None:
    """(OCS 11.2(4))"""
    assert answered(B6005=8) == "done"


def test_the_owner_chooses_who_eats_if_there_is_not() -> None:
    """A token feeds 2 RE, and more are hungry (OCS 11.2(4))."""
    assert answered(B6005=1) is None


@pytest.mark.parametrize(("tokens", "click"), [(8, "done"), (1, None)])
def test_bases_refit_while_they_have_tokens_to_spare(tokens: int, click: str | None) -> None:
    """(OCS 14.1)"""
    g = game({"B48.17": ["Ju.87d DE 2 [inactive]", "47 Inf"]}, phase="axis refit", axis={"B48.17": tokens})
    g.state.base[BOARD["B48.17"]] = AXIS
    g.state.level[BOARD["B48.17"]] = 1
    asked = Match.at(g)
    assert asked.decision is not None
    assert asked.decision.kind == "air.bases"
    found = orders.answer(asked, orders.presets(RULES, AXIS))
    assert (None if found is None else RULES.names[found[1]]) == click
