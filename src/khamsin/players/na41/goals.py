"""What each scenario is about (26.1, S1.3, S2.3, S3.3): the goals of a side in a position, and how good the position is."""

from __future__ import annotations

from khamsin.games.na41 import victory
from khamsin.games.na41.scenario import option, setting
from khamsin.games.na41.units import (
    ALEXANDRIA,
    ALLIED,
    AXIS,
    BOARD,
    COMBAT,
    EL_AGHEILA,
    FORCES,
    HEXES,
    NON_COMBAT,
    PORTS,
    SCHEDULE,
    SIDES,
    TOBRUK,
    G,
    attack,
    combat_units,
    defence,
    on_map,
    stock,
)
from khamsin.players.na41.weights import GOALS, PLACES
from khamsin.players.staff.theatre import DESTROY, HOLD, TAKE, Goal

REASONS = {TOBRUK: "Tobruk", EL_AGHEILA: "El Agheila ends the game", ALEXANDRIA: "Alexandria ends the game"}


def goals(g: G, side: int) -> list[Goal]:
    """What a side wants now: the places of the scenario, dumps, and enemy stacks to be fought."""
    return [*places(g, side), *dumps(g, side), *hunted(g, side)]


def urgency(g: G) -> float:
    """How much more objectives count, up to the last turn."""
    left = setting(g).last - g.state.turn
    return GOALS["final"] if left <= 0 else (1 + GOALS["final"]) / 2 if left == 1 else 1.0


def places(g: G, side: int) -> list[Goal]:
    """The places that decide: fight for one where enemies are, hold one where the side is, take the others. What the side
    controls counts less, and some of it is a constraint (26.1, S1.3, S2.3, S3.3)."""
    cards, times, found = setting(g), urgency(g), list[Goal]()
    for label, place in PLACES[cards.name].items():
        hex = BOARD[label]
        mine = g.state.control.get(hex) == side
        worth = place[SIDES[side]] * (times if hex in cards.objectives else 1.0)
        reason = REASONS.get(hex, "an objective" if hex in cards.objectives else "a place that counts")
        if mine and not _is_near(g, 1 - side, hex, place.get("near", GOALS["near"])) and not _needs_garrison(g, hex):
            continue
        guard = place.get("guard", 0.0) if mine else 0.0
        if combat_units(g, 1 - side, hex):
            found.append(Goal(hex, worth, DESTROY, reason))
            continue
        if mine and not guard:
            worth *= GOALS["kept"]
        task = HOLD if combat_units(g, side, hex) else TAKE
        found.append(Goal(hex, worth, task, reason, must=bool(guard), strength=guard))
    return found


def _is_near(g: G, side: int, hex: int, hexes: float) -> bool:
    """Whether units of a side are within some hexes of a hex."""
    return any(at < HEXES and BOARD.distance(at, hex) <= hexes for at in g.state.where.stacks(side))


def _needs_garrison(g: G, hex: int) -> bool:
    """Whether a port without a unit in or next to it would be lost (27.4)."""
    return option(g, "port-garrisons") and hex in PORTS


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
