"""The goals of each scenario (26.1, S1.3, S2.3, S3.3), and the value of a position for a side."""

from __future__ import annotations

from khamsin.games.na41 import victory
from khamsin.games.na41.metrics import lead
from khamsin.games.na41.scenario import option, setting
from khamsin.games.na41.units import (
    ALEXANDRIA,
    AXIS,
    BOARD,
    EL_AGHEILA,
    FORCES,
    HEXES,
    LOCATIONS,
    NON_COMBAT,
    PORTS,
    SCHEDULE,
    SIDES,
    TOBRUK,
    G,
    attack,
    defence,
    on_map,
    stock,
)
from khamsin.players.na41.weights import GOALS, PLACES
from khamsin.players.staff.goals import balance, hunted, is_near, strengths, unguarded, urgency, wanted
from khamsin.players.staff.theatre import Goal

REASONS = {TOBRUK: "Tobruk", EL_AGHEILA: "El Agheila ends the game", ALEXANDRIA: "Alexandria ends the game"}


def goals(g: G, side: int) -> list[Goal]:
    """Return the goals of a side now: the places of the scenario, dumps, and enemy stacks to fight."""
    enemies = hunted(g, side, HEXES, GOALS["destroy"], lambda unit: attack(g, unit) + defence(g, unit))
    return [*places(g, side), *unguarded(g, side, HEXES, loose(g, 1 - side), thin=True), *enemies]


def places(g: G, side: int) -> list[Goal]:
    """Return the decisive places. Those that the side controls count less, and some of them are constraints while
    enemies are near (26.1, S1.3, S2.3, S3.3)."""
    cards, times, found = setting(g), urgency(setting(g).last - g.state.turn, GOALS["final"]), list[Goal]()
    for label, place in PLACES[cards.name].items():
        hex = BOARD[label]
        mine = g.state.control.get(hex) == side
        worth = place[SIDES[side]] * (times if hex in cards.objectives else 1.0)
        reason = REASONS.get(hex, "an objective" if hex in cards.objectives else "a place that counts")
        near, needed = place.get("near", GOALS["near"]), option(g, "port-garrisons") and hex in PORTS
        if mine and not needed and not is_near(g, 1 - side, hex, near):
            continue
        guard = place.get("guard", 0.0) if mine else 0.0
        kept = GOALS["kept"] if mine and not guard else 1.0
        found.append(wanted(g, side, hex, worth * kept, reason, must=bool(guard), strength=guard))
    return found


def loose(g: G, side: int) -> dict[int, float]:
    """Return the value of the Supply Points, trucks and replacements of a side in each location (8.7, 17.2.3)."""
    points, pieces = stock(g, side), g.state.where.stacks(NON_COMBAT + side)
    return {hex: GOALS["dump"] * (points.get(hex, 0) + len(pieces.get(hex, ()))) for hex in (*points, *pieces)}


# The value of a position


def standing(g: G, side: int) -> float:
    """Return the objectives or Victory Points, and the balance of strength."""

    def strength(unit: int) -> float:
        share = 1.0 if on_map(g, unit) else 0.7 if 0 <= g.state.where[unit] < LOCATIONS else 0.0
        return share * (attack(g, unit) + defence(g, unit))

    return balance(strengths(FORCES, strength), side) + 0.5 * (ahead(g) if side == AXIS else -ahead(g))


def ahead(g: G) -> float:
    """Return the state of the objectives for the Axis, from -1 to 1: they count more near the end."""
    cards = setting(g)
    nearness = 1.0 / (1.0 + max(0, cards.last - g.state.turn))
    if cards.name == "campaign":
        above = len(victory.airfields(g)) - int(SCHEDULE["benchmark"]["airfields"][g.state.turn - 1])
        return max(-1.0, min(1.0, (g.state.vp + 2 * above) / victory.MOST))
    return max(-1.0, min(1.0, lead(g) / len(cards.objectives) * 2)) * (0.4 + 0.6 * nearness)
