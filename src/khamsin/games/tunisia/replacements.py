"""Replacements (2.4, 3.2, OCS 10(5), Common Rebuild Table): the variable roll, and units rebuilt from the dead pile."""

from __future__ import annotations

from functools import partial

from khamsin.games.tunisia import setup
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.tracing import own_sources
from khamsin.games.tunisia.units import (
    AXIS,
    BOARD,
    COUNTERS,
    DEAD,
    FORCES,
    HEADQUARTERS_OF,
    HEXES,
    IS_REPL,
    MODES,
    MOVE,
    SIDE,
    SIDES,
    SUPPLY,
    TOKENS,
    G,
    forces_in,
    name,
    on_map,
)
from khamsin.games.tunisia.zones import in_zone, zone_names
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations

KINDS = ("pax", "eq")
GROUP_A = BOARD["Sicily Box Group A"]
REACH: int = SUPPLY["rebuild"]["reach"]


def roll(g: G, side: int) -> Procedure:
    """The variable reinforcement roll: the Axis receives in group A of the Sicily Box, the Allies at a supply source (2.4,
    2.4a, 3.2)."""
    if setting(g).number in (2, 5):
        return
    found = g.dice.two(f"variable reinforcements of the {SIDES[side]}", "2.4" if side == AXIS else "3.2")
    row = SUPPLY["replacements"][SIDES[side].lower()].get(str(found))
    if row is None:
        return
    at = GROUP_A
    if side != AXIS:
        hexes = own_sources(g, side)
        at = hexes[0] if hexes else BOARD["Algiers Box"]
        if len(hexes) > 1:
            click = yield g.ask(
                side, "replacements.where", "Choose the supply source where replacements arrive", "3.2", locations=hexes,
                why_not=for_locations(why_not_source, side),
            )  # fmt: skip
            at = g.location(click)
    for kind, number in zip(KINDS, row, strict=False):
        for unit in spare(g, side, kind)[:number]:
            g.state.where[unit] = at
            g.log("OCS 10(5)", "{unit} arrives in {hex}", unit=unit, hex=at)
    for truck in setup.free_trucks(g, side, "", False, row[2]):
        g.state.where[truck], g.state.load[truck] = at, TOKENS


def why_not_source(g: G, side: int, location: int) -> Refusal | None:
    """Why replacements do not arrive in a location (3.2)."""
    if location in own_sources(g, side):
        return None
    label = BOARD.name(location)
    return Refusal(f"Replacements do not arrive in {label}: not a supply source of yours", "3.2", label)


def spare(g: G, side: int, kind: str) -> list[int]:
    """Replacement counters of a kind that are not in play."""
    return [
        u
        for u in FORCES[side]
        if IS_REPL[u] and COUNTERS[u].parent == kind and g.state.where[u] in (NOWHERE, DEAD[side])
    ]


# Rebuilding


def cost(unit: int) -> tuple[int, int]:
    """The Pax and Eq of a unit (Common Rebuild Table)."""
    counter = COUNTERS[unit]
    for row in SUPPLY["rebuild"]["rows"]:
        if counter.symbol in row.get("symbols", (counter.symbol,)) and counter.size in row.get(
            "sizes", (counter.size,)
        ):
            return row["cost"][0], row["cost"][1]
    raise ValueError(f"{counter.name}: expected a row of the rebuild table")


def at_hand(g: G, side: int, hex: int) -> dict[str, list[int]]:
    """The replacements in a hex, by kind, in Move Mode."""
    units = [u for u in forces_in(g, side, hex) if IS_REPL[u] and not g.state.flags[u] & MODES]
    return {kind: [unit for unit in units if COUNTERS[unit].parent == kind] for kind in KINDS}


def why_not_hex(g: G, side: int, hex: int) -> Refusal | None:
    """Why nothing is rebuilt in a hex: within 2 of a headquarters with its Combat side up, not in an enemy ZOC, not in a box
    (1.5c, OCS 4(2), OCS 10(5))."""
    label = BOARD.name(hex)
    if hex >= HEXES:
        return Refusal(f"Nothing is rebuilt in {label}: only on the map", "1.5c", label)
    if in_zone(g, 1 - side, hex):
        return Refusal(
            f"Nothing is rebuilt in {label}: it is in an enemy ZOC", "OCS 4(2)", zone_names(g, hex, 1 - side)[0]
        )
    posts = [hq for hq in HEADQUARTERS_OF[side] if on_map(g, hq) and not g.state.flags[hq] & MOVE]
    if not any(BOARD.distance(g.state.where[hq], hex) <= REACH for hq in posts):
        return Refusal(
            f"Nothing is rebuilt in {label}: no headquarters in Combat Mode within 2 hexes", "OCS 10(5)", label
        )
    return None


def why_not_rebuilt(g: G, side: int, unit: int, hex: int) -> Refusal | None:
    """Why a unit cannot be rebuilt in a hex: it is not in the dead pile, or too few replacements (OCS 10(5))."""
    who = name(unit)
    if SIDE[unit] != side or g.state.where[unit] != DEAD[side] or IS_REPL[unit] or unit not in FORCES[side]:
        return Refusal(f"{who} cannot be rebuilt: it is not in your dead pile", "OCS 10(5)", who)
    have, need = at_hand(g, side, hex), cost(unit)
    if len(have["pax"]) < need[0] or len(have["eq"]) < need[1]:
        return Refusal(f"{who} cannot be rebuilt: costs {need[0]} Pax and {need[1]} Eq", "Common Rebuild Table", who)
    return None


def works(g: G, side: int) -> dict[int, list[int]]:
    """The hexes where something can be rebuilt, each with the units."""
    hexes = {g.state.where[u] for u in FORCES[side] if IS_REPL[u] and on_map(g, u)}
    dead = [unit for unit in FORCES[side] if g.state.where[unit] == DEAD[side] and not IS_REPL[unit]]
    found = {
        hex: [unit for unit in dead if why_not_rebuilt(g, side, unit, hex) is None]
        for hex in sorted(hexes)
        if why_not_hex(g, side, hex) is None
    }
    return {hex: units for hex, units in found.items() if units}


def rebuild(g: G, side: int) -> Procedure:
    """The side rebuilds units of its dead pile, as many as its replacements pay for (OCS 10(5))."""
    done, cancel = g.rules.button("done"), g.rules.button("cancel")
    while hexes := works(g, side):
        click = yield g.ask(
            side, "rebuild.hex", "Choose a hex with replacements to rebuild a unit, or end", "OCS 10(5)", locations=list(hexes),
            buttons=[done], top=True, why_not=for_locations(why_no_works, side), can_act=lambda seen: (),
        )  # fmt: skip
        if click == done:
            return
        hex = g.location(click)
        click = yield g.ask(
            side, "rebuild.unit", f"Choose a unit to rebuild in {BOARD.name(hex)}", "Common Rebuild Table", units=hexes[hex],
            buttons=[cancel], why_not=partial(_why_not_unit, hex=hex),
        )  # fmt: skip
        if click != cancel:
            restore(g, side, click, hex)


def _why_not_unit(g: G, decision: Decision, click: int, hex: int) -> Refusal | None:
    return why_not_rebuilt(g, decision.side, click, hex) if g.is_unit(click) else None


def why_no_works(g: G, side: int, hex: int) -> Refusal | None:
    """Why nothing can be rebuilt in a hex."""
    label = BOARD.name(hex)
    if hex in works(g, side):
        return None
    few = Refusal(f"Nothing can be rebuilt in {label}: no replacements there that pay for a unit", "OCS 10(5)", label)
    return why_not_hex(g, side, hex) or few


def restore(g: G, side: int, unit: int, hex: int) -> None:
    """Replacements are spent, and the unit appears in their hex in Combat Mode (OCS 10(5))."""
    have, need = at_hand(g, side, hex), cost(unit)
    for kind, number in zip(KINDS, need, strict=True):
        for one in have[kind][:number]:
            g.state.where[one] = NOWHERE
    g.state.where[unit], g.state.steps[unit], g.state.flags[unit] = hex, 1, 0
    g.log("OCS 10(5)", "{unit} is rebuilt in {hex}", unit=unit, hex=hex)
