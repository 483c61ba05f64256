"""What decides also explains: in random play a click on a unit or hex is legal exactly if its condition gives no reason."""

from __future__ import annotations

import random

import pytest

from khamsin import games
from khamsin.games.paa.units import PaaState
from khamsin.kernel import KeyedDice, Match
from khamsin.kernel.match import GENERIC

KINDS = ("combat", "reaction", "reinforcement", "dismount", "remount", "setup", "malta")
OPTIONS = {"reaction": "on", "reliability": "on"}


@pytest.mark.parametrize("seed", [3, 4])
def test_a_click_is_legal_exactly_if_nothing_speaks_against_it(seed: int) -> None:
    """Set-up, combat, reaction, reinforcement and dismounting (6, 12, 13, 15)."""
    rules, chance, seen = games.load("paa"), random.Random(seed), dict.fromkeys(KINDS, 0)
    match: Match[PaaState] = Match(rules, "campaign", OPTIONS, dice=KeyedDice.seeded(seed))
    while match.decision is not None:
        decision = match.decision
        kind = decision.kind.split(".")[0]
        if kind in KINDS and seen[kind] < 150:
            seen[kind] += 1
            near = [rules.units + at for unit in decision.about if (at := match.state.where[unit]) >= 0]
            buttons = range(rules.first_button, len(rules.names))
            for click in {*decision.legal, *near, *buttons, *chance.sample(range(rules.first_button), 100)}:
                refusal = decision.why_not(match.game, decision, click) if decision.why_not else None
                if click in decision.legal:
                    assert refusal is None, (decision, rules.names[click], refusal)
                elif decision.why_not is None or refusal is None:
                    assert not match.explain(click).reason.startswith(GENERIC), (decision, rules.names[click])
                else:
                    assert refusal.cause in rules.names, (decision, rules.names[click], refusal)
        match.click(decision.nth(chance.randrange(len(decision.legal))))
    assert min(seen["combat"], seen["reinforcement"]) > 100
