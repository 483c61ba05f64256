"""The Supply Attrition Phase (25): each player may lose a Supply Point, or an ASU its readiness, by map section."""

from __future__ import annotations

from functools import partial

from khamsin.games.na41.ground import LAND
from khamsin.games.na41.units import (
    ALLIED,
    ASU,
    AXIS,
    BOARD,
    CAPTURED,
    DEPLETED,
    EDGE_BOX,
    FORCES,
    HEXES,
    MSU,
    OOS,
    OWN,
    SECTION,
    SIDE,
    SIDES,
    SUPPLY,
    TRANSPORTED,
    TRUCK,
    TRUCKS,
    G,
    add_supply,
    name,
    on_map,
    remove_supply,
    stock,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import NEVER, Network
from khamsin.kernel.rules import Decision, Procedure, Refusal

SECTIONS: list[str] = SUPPLY["attrition"]["sections"]
_OVER_LAND = Network.of(BOARD, lambda a, d, b: 1 if LAND[a] and LAND[b] else NEVER)
_AWAY = [_OVER_LAND.flood([hex for hex in BOARD.areas[area].hexes if LAND[hex]]).costs() for area in SECTIONS]
"""For each section, the land hexes between it and every hex."""
FARTHEST = HEXES
"""The distance of the boxes at the map edge, which are the last."""


def supply_attrition(g: G) -> Procedure:
    """Each player rolls on the Supply Attrition Table (25.1.1)."""
    for side in (AXIS, ALLIED):
        yield from strike(g, side)


def strike(g: G, side: int) -> Procedure:
    """A player rolls two dice for a map section. With a combat unit there or beyond, a Supply Point or a ready ASU of
    the section, or else the nearest to it, is lost (25.1.1)."""
    result = str(g.table("supply_attrition").roll(g.dice, side, 0, f"{SIDES[side]} supply attrition"))
    if result not in SECTIONS:
        g.log("25.1.1", "{side} loses no supply", side=side)
        if result == "trucks":
            break_down(g)
        return
    section = SECTIONS.index(result)
    g.log("25.1.1", "{side} supply attrition: {section}", side=side, section=result)
    if not reaches(g, side, section):
        return
    found = stores(g, side, section)
    if not found:
        for unit in OWN[side]:
            if on_map(g, unit):
                g.state.flags[unit] |= OOS
        g.log("25.1.1", "{side} has no supply left: all units are out of supply", side=side)
        return
    yield from lose(g, side, found)


def reaches(g: G, side: int, section: int) -> bool:
    """Whether a side has a combat unit in a section or beyond it, to the east for the Axis, to the west for the Allies
    (25.1.1)."""
    sections = [SECTION[g.state.where[unit]] for unit in FORCES[side] if on_map(g, unit)]
    return any(at >= section if side == AXIS else at <= section for at in sections)


def stores(g: G, side: int, section: int) -> list[int]:
    """Return the clicks on what may be lost: Supply Points and ready ASUs of the section, or else the nearest to it
    (25.1.1)."""
    away = _AWAY[section]
    found = {g.place0 + at: distance(away, side, at) for at in stock(g, side)}
    for unit in (*FORCES[side], *TRUCKS[side]):
        if is_store(g, side, unit):
            found[unit] = distance(away, side, g.state.where[unit])
    found = {click: far for click, far in found.items() if far != NOWHERE}
    nearest = min(found.values(), default=NOWHERE)
    return [click for click, far in found.items() if far == nearest]


def is_store(g: G, side: int, unit: int) -> bool:
    """Whether a unit is a ready ASU or an MSU of a side, on the map or in the box at its edge (25.1.1)."""
    flags = g.state.flags[unit]
    ready = (ASU[unit] and not flags & DEPLETED) or (TRUCK[unit] and bool(flags & MSU))
    return SIDE[unit] == side and ready and (on_map(g, unit) or g.state.where[unit] == EDGE_BOX[side])


def distance(away: dict[int, int], side: int, location: int) -> int:
    """Return how far a location is from a section; the box at the map edge is the last, and Italy never counts (25.1.1,
    25.1.2)."""
    if location >= HEXES:
        return FARTHEST if location == EDGE_BOX[side] else NOWHERE
    return away.get(location, FARTHEST)


def lose(g: G, side: int, found: list[int]) -> Procedure:
    """The player chooses what is lost, if there is a choice (25.1.1)."""
    click = found[0]
    if len(found) > 1:
        click = yield g.ask(
            side, "supply.attrition", "Choose the Supply Point or ASU that attrition takes", "25.1.1",
            units=[one for one in found if g.is_unit(one)],
            locations=[g.location(one) for one in found if not g.is_unit(one)],
            why_not=partial(why_not_lost, found=tuple(found)),
        )  # fmt: skip
    if not g.is_unit(click):
        remove_supply(g, side, g.location(click))
        g.log("25.1.1", "A Supply Point in {hex} is lost", hex=g.location(click))
    elif TRUCK[click]:
        g.state.flags[click] &= ~MSU
        g.log("25.1.1", "The Supply Point of {unit} is lost", unit=click)
    else:
        g.state.flags[click] |= DEPLETED
        g.log("25.1.1", "{unit} is depleted", unit=click)


def why_not_lost(g: G, decision: Decision, click: int, found: tuple[int, ...]) -> Refusal | None:
    """Only what is in the section, or nearest to it, is lost (25.1.1)."""
    if click in found or click >= g.rules.first_button:
        return None
    label = name(click) if g.is_unit(click) else BOARD.name(g.location(click))
    has = is_store(g, decision.side, click) if g.is_unit(click) else g.location(click) in stock(g, decision.side)
    reason = "other supply is nearer to the section" if has else "it is not supply of yours that could be lost"
    return Refusal(f"Attrition does not take {label}: {reason}", "25.1.1", label)


def break_down(g: G) -> None:
    """Remove captured trucks that break down; a Supply Point that one carries stays, under its transport marker (27.1)."""
    for unit in TRUCKS[AXIS]:
        at, flags = g.state.where[unit], g.state.flags[unit]
        if not CAPTURED[unit] or at == NOWHERE:
            continue
        g.state.where[unit] = NOWHERE
        g.state.flags[unit] = 0
        g.log("27.1", "{unit} breaks down", unit=unit)
        if flags & MSU:
            add_supply(g, AXIS, at)
            g.log("27.1", "Its Supply Point stays in {hex}", hex=at)
            if flags & TRANSPORTED:
                g.state.landed[at] = g.state.landed.get(at, 0) + 1
