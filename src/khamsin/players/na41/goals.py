"""What each scenario is about (26.1, S1.3, S2.3, S3.3): the goals of a side in a position, and how good the position is."""

from __future__ import annotations

from collections.abc import Iterable

from khamsin.games.na41 import victory
from khamsin.games.na41.scenario import setting
from khamsin.games.na41.units import (
    AIRFIELDS,
    ALEXANDRIA,
    ALLIED,
    AXIS,
    COMBAT,
    EL_AGHEILA,
    FORCES,
    HEXES,
    NON_COMBAT,
    PORTS,
    SCHEDULE,
    TOBRUK,
    G,
    attack,
    combat_units,
    defence,
    on_map,
    stock,
)
from khamsin.players.na41.weights import GOALS
from khamsin.players.staff.theatre import DESTROY, HOLD, TAKE, Goal


def goals(g: G, side: int) -> list[Goal]:
    """What a side wants now: the goals of the scenario, places that win at once, dumps, and enemy stacks to be fought."""
    wanted = campaign(g, side) if setting(g).name == "campaign" else objectives(g, side)
    return [*wanted, *decisive(g, side), *dumps(g, side), *hunted(g, side)]


def urgency(g: G) -> float:
    """How much more objectives count, up to the last turn."""
    left = setting(g).last - g.state.turn
    return float(GOALS["final"] if left <= 0 else (1 + GOALS["final"]) / 2 if left == 1 else 1.0)


def wanted(g: G, side: int, hex: int, worth: float, reason: str, must: bool = False) -> Goal:
    """Fight for a hex where enemies are, hold it where the side is, take it otherwise."""
    if combat_units(g, 1 - side, hex):
        return Goal(hex, worth, DESTROY, reason)
    task = HOLD if combat_units(g, side, hex) else TAKE
    return Goal(hex, worth, task, reason, must and task == HOLD)


def occupy(g: G, side: int, hexes: Iterable[int], worth: float, reason: str) -> list[Goal]:
    """Hexes that count while they are controlled: those of the side need guards where the enemy can come, and less than
    those it has to take."""
    found = []
    for hex in hexes:
        mine = g.state.control.get(hex) == side
        found.append(wanted(g, side, hex, worth * (0.4 if mine else 1.0), reason, must=mine and hex == TOBRUK))
    return found


def objectives(g: G, side: int) -> list[Goal]:
    """Enter Rommel and Crusader: the objectives; the Allies hold Tobruk in any case (S1.3, S3.3)."""
    times = urgency(g)
    hexes = setting(g).objectives
    found = occupy(g, side, [hex for hex in hexes if hex != TOBRUK], GOALS["objective"] * times, "an objective")
    tobruk = GOALS["tobruk"] if side == ALLIED else GOALS["objective"]
    return [*found, wanted(g, side, TOBRUK, tobruk * times, "Tobruk", must=True)]


def campaign(g: G, side: int) -> list[Goal]:
    """The airfields, which count in Full Supply, turn by turn, and ports (S2.3.1)."""
    found = occupy(g, side, AIRFIELDS, GOALS["airfield"], "an airfield")
    found += occupy(g, side, [port for port in PORTS if port not in (TOBRUK, ALEXANDRIA)], GOALS["port"], "a port")
    tobruk = GOALS["tobruk"] if side == ALLIED else GOALS["objective"]
    return [*found, wanted(g, side, TOBRUK, tobruk, "Tobruk", must=True)]


def decisive(g: G, side: int) -> list[Goal]:
    """Alexandria for the Axis and El Agheila for the Allies win at once; their owners guard them (26.1)."""
    found = []
    for owner, hex in ((AXIS, EL_AGHEILA), (ALLIED, ALEXANDRIA)):
        enemies = [at for at in g.state.where.stacks(1 - owner) if at < HEXES]
        if side != owner:
            found.append(wanted(g, side, hex, GOALS["victory"], "it wins the game"))
        elif enemies:
            found.append(wanted(g, side, hex, GOALS["base"], "its loss would lose the game"))
    return found


def dumps(g: G, side: int) -> list[Goal]:
    """Enemy Supply Points, trucks and replacements that nobody guards (8.7, 17.2.3)."""
    enemy = 1 - side
    loose = {hex: number for hex, number in stock(g, enemy).items() if hex < HEXES}
    for hex, units in g.state.where.stacks(NON_COMBAT + enemy).items():
        if 0 <= hex < HEXES:
            loose[hex] = loose.get(hex, 0) + len(units)
    open_ = {hex: number for hex, number in loose.items() if not combat_units(g, enemy, hex)}
    return [Goal(hex, GOALS["dump"] * number, TAKE, "enemy supplies", thin=True) for hex, number in open_.items()]


def hunted(g: G, side: int) -> list[Goal]:
    """Every enemy stack, by its strength."""
    found = []
    for hex, stack in g.state.where.stacks(1 - side).items():
        if 0 <= hex < HEXES:
            worth = sum([attack(g, unit) + defence(g, unit) for unit in stack])
            found.append(Goal(hex, GOALS["destroy"] * worth, DESTROY))
    return found


# How good a position is


def score(g: G, side: int) -> float:
    """The result if the game is over; else the objectives or Victory Points, and the balance of strength."""
    result = g.state.result
    if result is not None:
        return 0.0 if result.winner < 0 else 2.0 if result.winner == side else -2.0
    strengths = [0.5, 0.5]
    for owner in (AXIS, ALLIED):
        for unit in FORCES[owner]:
            if COMBAT[unit] and g.state.steps[unit] and 0 <= g.state.where[unit] < HEXES + 3:
                strengths[owner] += (attack(g, unit) + defence(g, unit)) * (1.0 if on_map(g, unit) else 0.7)
    balance = (strengths[side] - strengths[1 - side]) / (strengths[0] + strengths[1])
    return balance + 0.5 * (standing(g) if side == AXIS else -standing(g))


def standing(g: G) -> float:
    """How the objectives stand for the Axis, from -1 to 1: the more they count the nearer the end is."""
    cards = setting(g)
    nearness = 1.0 / (1.0 + max(0, cards.last - g.state.turn))
    if cards.name == "campaign":
        above = len(victory.airfields(g)) - int(SCHEDULE["benchmark"]["airfields"][g.state.turn - 1])
        return max(-1.0, min(1.0, (g.state.vp + 2 * above) / victory.MOST))
    ahead = len(victory.objectives(g)) - cards.needed + 0.5
    return max(-1.0, min(1.0, ahead / len(cards.objectives) * 2)) * (0.4 + 0.6 * nearness)
