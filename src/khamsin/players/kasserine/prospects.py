"""How a position stands, for the planner: how near the Axis is to winning, and what each side has left."""

from __future__ import annotations

from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.strength import defence_strength
from khamsin.games.kasserine.units import ALLIED, AXIS, FORCES, HEXES, OOS, G
from khamsin.games.kasserine.victory import PLANS
from khamsin.players.kasserine.goals import conditions, enough, missing, price, turns_left
from khamsin.players.kasserine.picture import Picture, value
from khamsin.players.kasserine.weights import SCORE


def prospects(g: G) -> float:
    """How good a position is for the Axis, against others of the same turn."""
    return closeness(g) + SCORE["step"] * (strength_of(g, AXIS) - strength_of(g, ALLIED))


def closeness(g: G) -> float:
    """How near the Axis is to the easiest of the sets of conditions by which it can still win: what it holds of it and how
    firmly, and the price of what is missing, which weighs more as time runs out. Where its plan is not known, the mean over the
    plans."""
    picture = Picture(g, AXIS)
    cost = {hex: price(picture, hex) for hex in setting(g).victory}
    haste = min(1.0, SCORE["calm"] / (turns_left(g) + 1.0))
    found = []
    for wanted in conditions(g):
        chosen = enough(g, wanted, cost)
        absent = missing(g, chosen)
        kept = sum(SCORE["location"] - SCORE["risk"] * exposed(picture, hex) for hex in chosen if hex not in absent)
        lacking = sum(SCORE["location"] + SCORE["mile"] * haste * cost[hex] for hex in absent)
        found.append(kept - lacking)
    return sum(found) / len(found) if len(found) == len(PLANS) else max(found)


def exposed(picture: Picture, hex: int) -> float:
    """How much a location that is held could be lost again, up to 1: by what the enemy could bring against what is there."""
    there = sum(defence_strength(picture.g, unit, False) for unit in picture.own.get(hex, ()))
    return min(1.0, float(picture.threat[hex]) / (3.0 * max(there, 0.5)))


def strength_of(g: G, side: int) -> float:
    """What a side has on the map, in points of strength; half for units out of supply."""
    on_map = (unit for unit in FORCES[side] if 0 <= g.state.where[unit] < HEXES)
    return sum(value(g, unit) * (0.5 if g.state.flags[unit] & OOS else 1.0) for unit in on_map)
