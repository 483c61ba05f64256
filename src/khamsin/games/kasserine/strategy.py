"""Why a click of the Strategic or Reorganization Segment is not open: supply, strongpoints, reinforcements, air units, HQs."""

from __future__ import annotations

from khamsin.games.kasserine.air import missions
from khamsin.games.kasserine.ground import OUTSIDE
from khamsin.games.kasserine.reinforcement import why_not_placed
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.strongpoints import why_not_build
from khamsin.games.kasserine.units import (
    AIR_SPAN,
    BOARD,
    DEPLETED,
    FORMATION,
    HEXES,
    HQ,
    INTERDICTS,
    IS_AIR,
    READY,
    SIDE,
    SIDES,
    G,
    name,
)
from khamsin.kernel.rules import Decision, Refusal


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a unit or hex is not open in a strategic question, with the section and what causes it."""
    side = decision.side
    if g.is_unit(click):
        return why_not_unit(g, decision.rule, click) if SIDE[click] == side else None
    if click >= g.rules.first_button or g.place(click) >= HEXES:
        return None
    return why_not_hex(g, decision, g.place(click))


def why_not_unit(g: G, rule: str, unit: int) -> Refusal | None:
    """Why an own unit is not open, by the question that is asked."""
    match rule:
        case "14.3.3":
            return why_not_build(g, unit)
        case "15.4.1" | "15.4.2":
            return why_not_depleted(g, unit)
        case "5.2.2":
            return why_not_placed(g, SIDE[unit], unit)
        case "18.2.5":
            return Refusal(f"{name(unit)} does not wait in the XIX Corps Reserve", "18.2.5", name(unit))
        case "11.2.2":
            return why_not_interdict(g, unit)
    return None


def why_not_depleted(g: G, unit: int) -> Refusal | None:
    """Why a unit cannot give emergency supply (15.4)."""
    if not HQ[unit]:
        return Refusal(f"{name(unit)} is no HQ", "15.4.1", name(unit))
    if g.state.flags[unit] & DEPLETED:
        return Refusal(f"{name(unit)} is depleted", "15.4.3", name(unit))
    if not 0 <= g.state.where[unit] < HEXES:
        return Refusal(f"{name(unit)} is not on the map", "15.1.2", name(unit))
    return Refusal(f"no unit that needs it can trace a Supply Line to {name(unit)}", "15.4.1", name(unit))


def why_not_interdict(g: G, unit: int) -> Refusal | None:
    """Why a unit cannot fly Interdiction (11.2.1)."""
    if not IS_AIR[unit] or not INTERDICTS[unit]:
        return Refusal(f"{name(unit)} is not marked for Interdiction", "11.2.1", name(unit))
    if g.state.where[unit] != READY[SIDE[unit]]:
        return Refusal(f"{name(unit)} is not in the Ready Box", "11.1.4", name(unit))
    return None


def why_not_hex(g: G, decision: Decision, hex: int) -> Refusal | None:
    """Why a hex is not open, by the question that is asked."""
    side, place = decision.side, BOARD.name(hex)
    match decision.rule:
        case "11.2.1" if hex in missions(g, side):
            flying = g.state.where[AIR_SPAN[side]].index(hex) + AIR_SPAN[side].start
            return Refusal(f"{name(flying)} interdicts {place} already", "11.2.1", name(flying))
        case "11.2.1" if hex in OUTSIDE.get(setting(g).number, ()):
            return Refusal(f"{place} is not part of this scenario", "18.1.2", place)
        case "14.4.3":
            return Refusal(f"there is no strongpoint of the {SIDES[side]} in {place}", "14.4.3", place)
        case "15.3.2":
            formation = FORMATION[decision.about[0]]
            return Refusal(f"no unit of {formation} is in {place}", "15.3.2", place)
    return None
