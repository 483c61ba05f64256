"""Why a click of the Strategic or Reorganization Segment is not open: supply, strongpoints, reinforcements, air units, HQs."""

from __future__ import annotations

from khamsin.games.kasserine.air import missions
from khamsin.games.kasserine.ground import OUTSIDE
from khamsin.games.kasserine.reinforcement import why_not_placed
from khamsin.games.kasserine.reserve import why_not_reserve
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.setup import assembly_area
from khamsin.games.kasserine.strongpoints import why_not_build
from khamsin.games.kasserine.units import (
    AIR_SPAN,
    BOARD,
    COMBAT,
    DEPLETED,
    FORMATION,
    GUN,
    HEXES,
    HQ,
    INTERDICTS,
    IS_AIR,
    IS_MARKER,
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
    if click >= g.rules.first_button or g.location(click) >= HEXES:
        return None
    return why_not_hex(g, decision, g.location(click))


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
        case "18.0" if IS_MARKER[unit]:
            return why_not_laid(g, unit)
        case "18.0":
            return why_not_prepared(g, unit)
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


def why_not_prepared(g: G, unit: int) -> Refusal | None:
    """Why there is nothing to choose for a unit before play: it is not there, or has one mode and no Reserve (4.1.5, 18.0)."""
    if not COMBAT[unit]:
        return Refusal(f"{name(unit)} needs no preparation", "18.0", name(unit))
    if not 0 <= g.state.where[unit] < HEXES:
        return Refusal(f"{name(unit)} is not on the map yet", "4.1.6", name(unit))
    return why_not_reserve(g, unit)


def why_not_laid(g: G, marker: int) -> Refusal | None:
    """Why a marker cannot be laid before play (4.1.4, 10.1.3)."""
    gun, where = GUN[marker], g.state.where
    if 0 <= where[marker] < HEXES:
        place = BOARD.name(where[marker])
        return Refusal(f"it lies in {place}: click that hex to take it back", "10.3.4", place)
    if not 0 <= where[gun] < HEXES:
        return Refusal(f"{name(gun)} is not on the map yet", "5.2.5", name(gun))
    return Refusal(f"{name(gun)} is not Deployed", "10.1.3", name(gun))


def why_not_begun(g: G, unit: int, hex: int) -> Refusal:
    """Why a unit does not begin in a hex (4.1.4, 18.2.4)."""
    place = BOARD.name(hex)
    if hex == g.state.where[unit]:
        return Refusal(f"{name(unit)} begins there already", "4.1.4", place)
    area = assembly_area(g, unit)
    if hex in area:
        return Refusal(f"there is no room for {name(unit)} in {place}", "3.3.2", place)
    if area:
        return Refusal(f"{name(unit)} begins in {', '.join(map(BOARD.name, area))}", "18.2.4", place)
    return Refusal(
        f"{name(unit)} begins where its set-up card says, in {BOARD.name(g.state.where[unit])}", "4.1.4", place
    )


def why_not_hex(g: G, decision: Decision, hex: int) -> Refusal | None:
    """Why a hex is not open, by the question that is asked."""
    side, place = decision.side, BOARD.name(hex)
    match decision.rule:
        case "11.2.1" if hex in missions(g, side):
            flying = g.state.where[AIR_SPAN[side]].index(hex) + AIR_SPAN[side].start
            return Refusal(f"{name(flying)} interdicts {place} already", "11.2.1", name(flying))
        case "11.2.1" if hex in OUTSIDE.get(setting(g).number, ()):
            return Refusal(f"{place} is not part of this scenario", "18.1.2", place)
        case "18.0" if decision.about:
            return why_not_begun(g, decision.about[0], hex)
        case "14.4.3":
            return Refusal(f"there is no strongpoint of the {SIDES[side]} in {place}", "14.4.3", place)
        case "15.3.2":
            formation = FORMATION[decision.about[0]]
            return Refusal(f"no unit of {formation} is in {place}", "15.3.2", place)
    return None
