"""Positions stored before the steps of a phase had short names and drafts were records."""

from __future__ import annotations

from khamsin import games
from khamsin.kernel import position


def test_the_steps_of_a_phase_keep_their_place() -> None:
    """Supply is not judged again where it was before the position was stored (6.1)."""
    text = "\n".join(
        ["khamsin = 1", 'game = "kasserine"', 'scenario = "campaign"', "turn = 16", 'phase = "supply status"',
         "[units]", '"2533" = ["MG 8"]', '"5131" = ["2/26"]', "[todo]", '"supply judged" = 1',
         '"emergency supply given" = 1', '"Axis strongpoints begun" = 1']
    )  # fmt: skip
    old = position.read(text, games.load)
    assert old.state.todo == {"judged": 1, "supplied": 1, "axis begun": 1}
    assert old.decision is not None
    assert old.decision.side == 1
    assert old.decision.kind == "strongpoint.build"


def test_a_combat_that_was_being_put_together_is_dropped_and_a_declared_one_kept() -> None:
    """Attacked hexes were stored by their numbers, and are now (9.1.2)."""
    units = ['"5131" = ["2/26"]', '"5130" = ["1/7/10 [battle 1]", "I/Jg [battle 2]"]', '"5231" = ["3/26"]']
    text = "\n".join(
        ["khamsin = 1", 'game = "kasserine"', 'scenario = "campaign"', "turn = 16", 'phase = "axis combat declaration"',
         "[units]", *units, "[targets]", '"5131" = 1', '"5231" = 2', "[tables]", '"1" = 1', '"2" = -1']
    )  # fmt: skip
    old = position.read(text, games.load)
    assert old.state.targets == {old.rules.board["5131"]: 1}
    assert old.state.tables == {"1": 1}
    assert old.decision is not None
    assert old.decision.kind == "combat.target"
