"""Reaction movement of the attacked side (9.3), and movement of a side's Reserves (8.2.4)."""

from __future__ import annotations

from functools import partial

from khamsin.games.kasserine.movement import (
    MOVERS,
    STACK_KIND,
    WHY_NOT_CHOSEN,
    forget_moves,
    hexful,
    mates,
    move_group,
    under_way,
    why_not_act,
)
from khamsin.games.kasserine.paths import LEFT, REACTION, RESERVES
from khamsin.games.kasserine.units import (
    AXIS,
    FORCE_SPAN,
    MOVED,
    REACTED,
    RESERVE,
    ROMMEL,
    STOPPED,
    G,
    forces_in,
)
from khamsin.kernel.rules import Procedure
from khamsin.mechanics import stacks

BEGUN = ("", "reaction begun", "reserve movement begun")
"""The tally keys of a phase that has begun."""
RULE = ("", "9.3", "8.2.4")
PROMPT = ("", "Move a unit to react, or end reaction movement", "Move a unit in Reserve, or end reserve movement")


def react(g: G, side: int) -> Procedure:
    """Reaction movement: Reserves of the attacked side, and units with Rommel, move with half their points (9.3)."""
    yield from _run(g, side, REACTION)
    g.clear_flags(MOVERS[side], MOVED)
    g.state.reinforced.clear()


def reserve_movement(g: G, side: int) -> Procedure:
    """Move a side's Reserves with half their points; then the Segment ends for changes of mode (7.6.2, 8.2.4). The flag
    of a moved gun stays, because it gives no support any more (8.2.7)."""
    yield from _run(g, side, RESERVES)
    for span in FORCE_SPAN:
        g.state.changed[span] = [0] * (span.stop - span.start)


def _run(g: G, side: int, kind: int) -> Procedure:
    """The side moves its Reserves in any order."""
    state, done = g.state, g.rules.button("done")
    if BEGUN[kind] not in state.todo:
        begin(g, side)
        state.todo[BEGUN[kind]] = 1
    while ready := eligible(g, side, kind):
        click = yield g.ask(
            side, STACK_KIND[kind], PROMPT[kind], RULE[kind], units=ready,
            locations=dict.fromkeys([state.where[unit] for unit in ready]), buttons=[done], top=True,
            why_not=WHY_NOT_CHOSEN[kind],
        )  # fmt: skip
        if click == done:
            break
        first = hexful(g, stacks.selected(g, click, ready, partial(mates, g, side, kind)))
        yield from move_group(g, side, first, kind, under_way(g, side))
    forget_moves(g, side, STOPPED)
    state.todo.pop(LEFT, None)


def begin(g: G, side: int) -> None:
    """Reset the phase: no unit has moved yet."""
    forget_moves(g, side, MOVED | STOPPED | REACTED)


def eligible(g: G, side: int, kind: int) -> list[int]:
    """Return the units that may act in reaction or reserve movement: those in Reserve, already moving, or with Rommel
    (8.2.1, 9.3.2, 15.5.1)."""
    state, span = g.state, FORCE_SPAN[side]
    marked = sorted({*state.flags.having(RESERVE), *state.flags.having(MOVED)})
    units = [u for u in marked if span.start <= u < span.stop]
    if kind == REACTION and side == AXIS:
        units += [u for u in forces_in(g, AXIS, state.where[ROMMEL]) if u not in units]
    return [u for u in units if why_not_act(g, u, kind) is None]
