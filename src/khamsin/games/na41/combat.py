"""The Combat Phase (8): attacks one after the other, then the advances of Automatic DS, Attack Supply and the free Supply
Point."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

from khamsin.games.na41 import (
    advance,
    automatic,
    breakthrough,
    command,
    disengagement,
    preview,
    resolution,
    resources,
    sheet,
    special,
    stacking,
    support,
)
from khamsin.games.na41.advance import Pursuit
from khamsin.games.na41.command import ATTACKED
from khamsin.games.na41.sheet import Attack
from khamsin.games.na41.units import (
    ALLIED,
    AROUND,
    AXIS,
    BOARD,
    FOUGHT,
    RETREATED,
    UNITS,
    G,
    combat_units,
    name,
)
from khamsin.kernel.rules import Decision, Odds, Procedure, Refusal
from khamsin.mechanics import combats
from khamsin.mechanics.combats import Combat, Declaration

ATTACKS_OVER = "attacks over"
"""Whether the player has ended the attacks of the phase."""


def combat(g: G, side: int) -> Procedure:
    """The Combat Phase of a side: voluntary attacks, Disengagement Attempts and purchases in any order, then the advances of
    Automatic DS; Attack Supply is paid and the free Supply Point placed last (3.2, 8.1, 8.9.2, 17.4)."""
    todo = g.state.todo
    while ATTACKS_OVER not in todo:
        declared = yield from combats.declare(g, declaration(g, side), side)
        if declared is None:
            todo[ATTACKS_OVER] = 1
        elif declared.combat is not None:
            yield from fight(g, declared.combat)
        elif declared.button == "comando":
            command.use_comando(g)
        elif declared.button == "spend":
            yield from resources.spend(g, side)
        else:
            yield from disengagement.attempt(g, side)
    yield from disengagement.segment(g, side)
    yield from automatic.advances(g, side)
    yield from stacking.remove_excess(g, side)
    support.settle(g, side)
    yield from special.free_supply_point(g, side)
    finish(g)


def finish(g: G) -> None:
    """End the phase and clear what happened in it."""
    state = g.state
    combats.forget(g)
    g.clear_flags(UNITS, FOUGHT | RETREATED)
    state.desert[:] = [0] * len(state.desert)
    state.todo.clear()


def fight(g: G, made: Combat) -> Procedure:
    """One attack: Attack Supply and support of the attacker, support of the defender, the result, Breakthrough and advance.
    Overwhelming odds consume no Attack Supply (8.3, 8.5.3)."""
    side, hex, state = made.side, made.hexes[0], g.state
    combats.spend(g, made)
    state.fought = 1
    battle, before = Attack(side, made.units, hex), support.pledges(g)
    supplied = yield from support.ask_supply(g, battle)
    battle = battle._replace(supplied=supplied)
    ours = yield from support.ask_support(g, battle, side)
    battle = support.supported(battle, ours, defending=False)
    theirs = yield from support.ask_support(g, battle, 1 - side)
    battle = support.supported(battle, theirs, defending=True)
    overwhelming = sheet.sheet(g, battle).overwhelming
    if not supplied and not overwhelming:
        supplied = yield from ask_late_supply(g, battle)
        battle = battle._replace(supplied=supplied)
    elif overwhelming and support.pledges(g) != before:
        support.take_back(g, before)
        battle = battle._replace(supplied=False)
    result = yield from resolution.resolve(g, battle)
    if result.advance:
        units = advance.participants(g, battle.units, ours.asu)
        pursuit = Pursuit(
            g, side, [*units, *advance.tag_along(g, side, units)], hex, result.advance, result.limited, battle.supplied,
            overwhelming and not battle.supplied,
        )  # fmt: skip
        yield from breakthrough.breakthrough(g, pursuit)
        yield from advance.advance(g, pursuit)


def ask_late_supply(g: G, battle: Attack) -> Generator[Decision, int, bool]:
    """The defender's support has reduced an attack below 10-1: the attacker may still buy Attack Supply (8.5.3)."""
    before = battle._replace(artillery=False, air=False, enemy_artillery=False, enemy_air=False)
    if not sheet.sheet(g, before).overwhelming:
        return False
    return (yield from support.ask_supply(g, battle))


# Declaration (8.1, 8.2, 8.4)


attacked_once = combats.once("8.1", rule_enemy="8.7")


def why_not_target(g: G, side: int, hex: int) -> Refusal | None:
    """A hex with enemy combat units is attacked once in a phase, and no unit that has been attacked and retreated again alone
    (8.1, 8.7, 12.3)."""
    refusal = attacked_once(g, side, hex)
    if refusal is not None or not all(g.state.flags[unit] & RETREATED for unit in combat_units(g, 1 - side, hex)):
        return refusal
    label = BOARD.name(hex)
    return Refusal(f"{label} cannot be attacked: its units have already been attacked in this phase", "8.1", label)


def why_not_attacker(g: G, unit: int, hexes: Sequence[int]) -> Refusal | None:
    """Return why a unit cannot attack at all, or not a hex (8.1)."""
    if g.state.battle[unit] == ATTACKED:
        return Refusal(f"{name(unit)} has already attacked in this phase", "8.1", name(unit))
    if g.state.flags[unit] & FOUGHT:
        return Refusal(f"{name(unit)} has already tried to disengage in this phase", "27.5.3", name(unit))
    refusal = command.why_not_able(g, unit)
    for hex in hexes:
        refusal = refusal or command.why_not_across(g, unit, hex)
    return refusal


def why_not_declared(g: G, combat: Combat, button: str) -> Refusal | None:
    """Return why an attack cannot be made: nations and tanks, or odds below 1-3 (8.4.1, 8.4.2, 8.8.3)."""
    refusal = command.why_not_together(g, combat.side, combat.units)
    return refusal or sheet.why_not_odds(g, Attack(combat.side, combat.units, combat.hexes[0]))


def why_not_other(g: G, side: int, word: str) -> Refusal | None:
    """Return why Comando Supremo, a purchase or a Disengagement Attempt is not possible now (8.4.1, 23.2.1, 27.5)."""
    if word == "comando":
        return command.why_no_comando(g, side)
    return resources.why_not_spend(g, side) if word == "spend" else disengagement.why_not_now(g, side)


def select(g: G, combat: Combat) -> Sequence[int]:
    """Return the strongest units that may attack together, for a new attack (8.4.1, 8.4.2)."""
    return command.strongest(g, combat.side, combat.units)


DECLARATION = Declaration(
    rule="8.1",
    contacts=combats.contacts_by(AROUND),
    why_not_target=why_not_target,
    why_not_attacker=why_not_attacker,
    why_not_declared=why_not_declared,
    select=select,
    others=("comando", "spend", "disengage"),
    why_not_other=why_not_other,
    max_hexes=1,
)
OTHERS: dict[tuple[int, bool], Declaration] = {
    (side, may_disengage): replace(
        DECLARATION,
        others=(*(("comando",) if side == AXIS else ()), "spend", *(("disengage",) if may_disengage else ())),
    )
    for side in (AXIS, ALLIED)
    for may_disengage in (False, True)
}
"""The declaration of each side, without and with Disengagement, with the buttons that can apply (8.4.1, 27.5)."""


def declaration(g: G, side: int) -> Declaration:
    """Return the declaration of attacks of a side."""
    return OTHERS[side, disengagement.is_allowed(g)]


def sheet_of(g: G, made: Combat) -> Odds:
    """Return the sheet of an attack before it is declared, with Attack Supply if it is in range, without artillery and
    air (8.3)."""
    supplied = support.can_be_supplied(g, made.side, made.units)
    return preview.preview(g, Attack(made.side, made.units, made.hexes[0])._replace(supplied=supplied))


odds = combats.previewed(DECLARATION, sheet_of)
