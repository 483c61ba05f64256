"""The sequence of play (4.3.1), walked as the kernel walks it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from khamsin.games.kasserine import RULES
from khamsin.games.kasserine.units import ALLIED, AXIS, SIDES, G, KasserineState
from khamsin.kernel import Match, SeededDice
from khamsin.kernel.rules import Phase, Procedure

TURN = [
    ("weather", ALLIED),  # Sequence A.1
    ("supply status", AXIS),  # Sequence A.2
    ("reinforcements", AXIS),  # Sequence A.3
    ("joint air", ALLIED),  # Sequence A.4
    ("axis movement", AXIS),  # Sequence B.1
    ("axis combat declaration", AXIS),  # Sequence B.2
    ("allied reaction", ALLIED),  # Sequence B.3
    ("axis combat", AXIS),  # Sequence B.4
    ("axis reserve movement", AXIS),  # Sequence B.5
    ("allied movement", ALLIED),  # Sequence C.1
    ("allied combat declaration", ALLIED),  # Sequence C.2
    ("axis reaction", AXIS),  # Sequence C.3
    ("allied combat", ALLIED),  # Sequence C.4
    ("allied reserve movement", ALLIED),  # Sequence C.5
    ("recovery", AXIS),  # Sequence D.1
    ("victory determination", AXIS),  # Sequence D.2
]
"""The phases of a turn, each with the side that begins it or whose it is."""
SHARED = {"supply status", "reinforcements", "joint air", "recovery"}
"""Phases in which both sides are asked; in combats too, where one side defends."""


def walk(turns: int) -> tuple[list[tuple[int, str, int]], set[tuple[str, int]]]:
    """Random play for some turns: the phases as they began, with turn and side, and who was asked in which."""
    began: list[tuple[int, str, int]] = []

    def noted(phase: Phase) -> Phase:
        def run(g: G, inner: Callable[[G], Procedure]) -> Procedure:
            began.append((g.state.turn, phase.name, phase.side))
            yield from inner(g)

        return phase._replace(run=partial(run, inner=phase.run))

    def phases(state: KasserineState) -> tuple[Phase, ...]:
        return tuple(noted(phase) for phase in RULES.phases(state))

    match, chance = Match(replace(RULES, phases=phases), "campaign", dice=SeededDice(3)), random.Random(3)
    done, asked = match.rules.button("done"), set()
    while match.decision is not None and match.state.turn <= turns:
        if match.state.turn:
            asked.add((match.phase.name, match.decision.side))
        quick = done in match.decision.legal and (match.state.turn == 0 or chance.random() < 0.02)
        match.click(done if quick else chance.choice(list(match.decision.legal)))
    return [beginning for beginning in began if 0 < beginning[0] <= turns], asked


def test_every_turn_goes_through_all_phases_in_order() -> None:
    """Strategic Segment, Axis operations, Allied operations, reorganization; and again (4.3, 4.3.1)."""
    began, asked = walk(2)
    assert began == [(turn, name, side) for turn in (1, 2) for name, side in TURN]
    owner = dict(TURN)
    assert {name for name, _ in asked} >= {
        f"{side.lower()} {what}" for side in SIDES for what in ("movement", "combat declaration")
    }
    assert all(side == owner[name] for name, side in asked if name not in SHARED and not name.endswith(" combat"))
