"""Losses (OCS 9.1): units are removed to the dead pile; every ground unit has one step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from khamsin.games.tunisia.units import (
    BOARD,
    DEAD,
    DG,
    IS_AIR,
    MODES,
    MOVE,
    RESERVE,
    SIDE,
    G,
    forces_in,
    name,
    names,
    on_map,
    tell,
    trucks_in,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal


def eliminate(g: G, unit: int, rule: str) -> None:
    """Move a unit to the dead pile without its markers (OCS 1(2), OCS 9.1)."""
    g.log_loss(rule, "{unit} is eliminated in {hex}", unit=unit, hex=g.state.where[unit])
    remove(g, unit)


def remove(g: G, unit: int) -> None:
    """Remove a unit from the map to the dead pile, an aircraft without steps (OCS 1(2), OCS 14.1)."""
    state = g.state
    state.where[unit] = DEAD[SIDE[unit]]
    if IS_AIR[unit]:
        state.steps[unit] = 0
    state.flags[unit] &= MOVE
    state.load[unit], state.stock[unit], state.battle[unit], state.spent[unit] = 0, 0, 0, 0


def destroy(g: G, unit: int) -> None:
    """An aircraft is eliminated (OCS 14.1)."""
    g.state.where[unit], g.state.steps[unit] = DEAD[SIDE[unit]], 0
    g.log_loss("OCS 14.1", "{unit} is eliminated", unit=unit)


def lose_step(g: G, unit: int, rule: str) -> None:
    """An aircraft is reduced, or eliminated by its second loss (OCS 14.1)."""
    g.state.steps[unit] -= 1
    if g.state.steps[unit] <= 0:
        destroy(g, unit)
    else:
        g.log(rule, "{unit} is reduced", unit=unit)


def lose(g: G, side: int, units: Sequence[int], steps: int, rule: str, first: int | None = None) -> Procedure:
    """A force loses steps, unit by unit as its owner chooses; in combat the unit that gave the action rating is first. Losses
    beyond its steps are ignored (OCS 9.1, OCS 21)."""
    for lost in range(steps):
        alive = [unit for unit in units if on_map(g, unit)]
        if not alive:
            return
        choice = [first] if first in alive and not lost else alive
        unit = choice[0]
        if len(choice) > 1:
            hexes = sorted({BOARD.name(g.state.where[one]) for one in alive})
            unit = yield g.ask(
                side, "combat.losses", f"Choose a unit in {', '.join(hexes)} to eliminate; steps to lose: {steps - lost}",
                rule, units=choice, why_not=partial(why_not_lost, force=tuple(alive)),
            )  # fmt: skip
        eliminate(g, unit, rule)


def why_not_lost(g: G, decision: Decision, click: int, force: Sequence[int]) -> Refusal | None:
    """Return why a unit cannot take the loss: it is not in the force (OCS 9.1)."""
    if click in decision.legal:
        return None
    if not g.is_unit(click):
        return None
    return Refusal(f"{name(click)} cannot be eliminated: it is not in this force", decision.rule, name(click))


def stand_down(g: G, side: int, hex: int) -> None:
    """Combat units and organic trucks in a hex lose their Reserve markers (OCS 5)."""
    for unit in (*forces_in(g, side, hex), *trucks_in(g, side, hex)):
        if g.state.flags[unit] & RESERVE:
            g.state.flags[unit] &= ~RESERVE


def disorganise(g: G, units: Sequence[int], rule: str) -> None:
    """Units become DG, which replaces every other mode but keeps the face that shows (OCS 5(3))."""
    fresh = [unit for unit in units if not g.state.flags[unit] & DG]
    for unit in fresh:
        g.state.flags[unit] = g.state.flags[unit] & ~MODES | DG
    for hex in dict.fromkeys([g.state.where[unit] for unit in fresh]):
        stand_down(g, SIDE[fresh[0]], hex)
        hit = [unit for unit in fresh if g.state.where[unit] == hex]
        tell(
            g,
            SIDE[hit[0]],
            rule,
            "{units} {units:is|are} disorganised",
            "Units in {hex} are disorganised",
            units=names(hit),
            hex=hex,
        )
