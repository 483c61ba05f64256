"""One combat from the roll to the retreat (8.3, 8.8.3, 10.1, 10.2, 18.1, 18.2)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import NamedTuple

from khamsin.games.na41 import defence, losses, retreat, sheet, special
from khamsin.games.na41.results import OUTCOMES, SHATTERED, Outcome
from khamsin.games.na41.retreat import Flight
from khamsin.games.na41.sheet import Attack, Sheet
from khamsin.games.na41.units import (
    ALLIED,
    BOARD,
    FLAK,
    RECON,
    RETREATED,
    SURRENDERED,
    TANK,
    G,
    combat_units,
    on_map,
)
from khamsin.kernel.rules import Decision, Procedure


class Aftermath(NamedTuple):
    """The consequences of a combat: its result, whether the hex is cleared of defenders, and how many hexes the
    attacker may advance; a limited advance leads into the vacated hex only (12.6, 14.1, 14.2)."""

    outcome: Outcome
    cleared: bool
    advance: int
    limited: bool


def resolve(g: G, battle: Attack) -> Generator[Decision, int, Aftermath]:
    """Roll for an attack and apply the result up to the retreat (8.3)."""
    found = sheet.sheet(g, battle)
    outcome = yield from roll(g, battle, found)
    return (yield from apply(g, battle, found, outcome))


def roll(g: G, battle: Attack, found: Sheet) -> Generator[Decision, int, Outcome]:
    """Return the result of an attack: DS without a roll at 10-1, else by a roll on its column, which Rommel may reroll
    for the Axis (8.8.3, 18.5)."""
    table, at = g.table("combat"), sheet.column(g, found)
    shift = found.level - found.odds
    strengths = f"{found.attack} to {found.defence}, {sheet.head(found.odds)}" + (f" {shift:+d}" if shift else "")
    if found.overwhelming:
        g.log("8.8.3", "Combat at {hex}: {strengths}, no roll, DS", hex=battle.hex, strengths=strengths)
        return SHATTERED
    die = yield from special.roll(
        g, battle.side, f"attack on {BOARD.name(battle.hex)}", "8.3", lambda die: table.result(at, die)
    )
    code = str(table.result(at, die))
    g.log(
        "8.3", "Combat at {hex}: {strengths}, column {odds}, roll {die}, {code}", hex=battle.hex, strengths=strengths,
        odds=table.head(at), die=die, code=code,
    )  # fmt: skip
    return OUTCOMES[code]


def apply(g: G, battle: Attack, found: Sheet, outcome: Outcome) -> Generator[Decision, int, Aftermath]:
    """Apply a result: losses, the defender's first, then a Determined Defense or the retreat. A defence that holds but
    loses its last unit leaves a limited advance (8.3, 10.1, 10.2.2, 11.1, 11.4.2)."""
    enemy, hex = 1 - battle.side, battle.hex
    yield from take_losses(g, battle, found, outcome)
    survivors, held = combat_units(g, enemy, hex), False
    if survivors and outcome.retreat[1]:
        flight = Flight(enemy, hex, *outcome.retreat, outcome.disorder, breakthrough=battle.breakthrough)
        held = yield from defence.defend(g, alive(g, battle), outcome, flight)
        left = combat_units(g, enemy, hex)
        if left and not held:
            yield from retreat.retreat(g, flight, left)
        elif not left:
            losses.abandon(g, enemy, hex, any(g.state.where[unit] == SURRENDERED[enemy] for unit in survivors))
    cleared = not combat_units(g, enemy, hex)
    limited = held or not outcome.advance
    return Aftermath(outcome, cleared, (1 if limited else outcome.advance) if cleared else 0, limited)


def alive(g: G, battle: Attack) -> Attack:
    """Return the same attack with the surviving attackers."""
    return battle._replace(units=tuple([unit for unit in battle.units if on_map(g, unit)]))


def take_losses(g: G, battle: Attack, found: Sheet, outcome: Outcome) -> Procedure:
    """Both sides lose their steps, the defender first; with EX, DRX and DS the opponent picks. 88mm Flak costs the
    Allies one more tank step in an EX or DRX, which they choose first. Units in Full Retreat lose steps if no others
    defend (10.1, 10.2.1, 10.2.2, 13.3.2, 18.2)."""
    side, enemy = battle.side, 1 - battle.side
    defending, present = sheet.defenders(g, battle), attacked(g, battle)
    extra = has_flak(battle.units, defending) and outcome.opponent and bool(outcome.attacker)
    if outcome.defender and not ignores_loss(g, battle, outcome):
        if extra and enemy == ALLIED:
            yield from lose_tank(g, defending)
        yield from losses.lose(
            g, side if outcome.opponent else enemy, present, sheet.contributors(found.defenders), "10.2.1"
        )
    if outcome.attacker:
        if extra and side == ALLIED:
            yield from lose_tank(g, battle.units)
        yield from losses.lose(
            g, enemy if outcome.opponent else side, battle.units, sheet.contributors(found.attackers), "10.2.1"
        )


def attacked(g: G, battle: Attack) -> list[int]:
    """Return the units that may lose a step: all in the hex, but in a regular combat not those that have retreated in
    this phase (10.2.2, 12.3)."""
    spared = 0 if battle.breakthrough else RETREATED
    return [unit for unit in combat_units(g, 1 - battle.side, battle.hex) if not g.state.flags[unit] & spared]


def ignores_loss(g: G, battle: Attack, outcome: Outcome) -> bool:
    """Whether reconnaissance alone in a hex ignores the step loss of a D1 or DS (18.1)."""
    here = combat_units(g, 1 - battle.side, battle.hex)
    return not outcome.attacker and all(RECON[unit] for unit in here)


def has_flak(attackers: Sequence[int], defending: Sequence[int]) -> bool:
    """Whether 88mm Flak takes part in a combat on either side (18.2)."""
    return any(FLAK[unit] for unit in (*attackers, *defending))


def lose_tank(g: G, units: Sequence[int]) -> Procedure:
    """The Allied player chooses a tank step to lose to 88mm Flak, if tanks are involved (18.2)."""
    tanks = [unit for unit in units if TANK[unit] and g.state.steps[unit]]
    if tanks:
        yield from losses.lose(g, ALLIED, tanks, tanks, "18.2")
