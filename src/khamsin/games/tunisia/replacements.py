"""Replacements (2.4, 3.2, OCS 10(5), Common Rebuild Table): the variable roll, and units rebuilt from the dead pile."""

from __future__ import annotations

from functools import partial

from khamsin.games.tunisia import airbases, control, losses, setup
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.tracing import own_sources, posts
from khamsin.games.tunisia.units import (
    AXIS,
    BOARD,
    CHARCOAL,
    COUNTERS,
    DEAD,
    EXTENDER,
    FORCES,
    HEXES,
    IS_AIR,
    IS_HQ,
    IS_REPL,
    IS_TRUCK,
    MODES,
    MOVE,
    ORGANIC,
    SIDE,
    SIDES,
    SUPPLY,
    TOKENS,
    UNITS,
    G,
    forces_in,
    name,
    on_map,
    tell,
    trucks_in,
)
from khamsin.games.tunisia.zones import in_zone, zone_names
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations, for_units

KINDS = ("pax", "eq")
GROUP_A = BOARD["Sicily Box Group A"]
REACH: int = SUPPLY["rebuild"]["reach"]


def roll(g: G, side: int) -> Procedure:
    """Make the variable reinforcement roll: the Axis receives in group A of the Sicily Box, the Allies at a supply
    source, where they capture what the enemy has (2.4, 2.4a, 3.2, OCS 9.3)."""
    if setting(g).number in (2, 5):
        return
    found = g.dice.two(f"variable reinforcements, {SIDES[side]}", "2.4" if side == AXIS else "3.2")
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
    units = [unit for kind, number in zip(KINDS, row, strict=False) for unit in spare(g, side, kind)[:number]]
    for unit in units:
        g.state.where[unit] = at
        g.log("OCS 10(5)", "{unit} arrives in {hex}", unit=unit, hex=at)
    if at < HEXES:
        control.enter(g, side, units, [at], rule_move=False)
    for truck in setup.free_trucks(g, side, "", False, row[2]):
        g.state.where[truck], g.state.load[truck] = at, TOKENS


def why_not_source(g: G, side: int, location: int) -> Refusal | None:
    """Return why replacements do not arrive in a location (3.2)."""
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
    """Return the Pax and Eq of a unit; 1 Eq for a truck point that was lost, or two steps of aircraft (Common Rebuild
    Table, OCS 10(5))."""
    if IS_TRUCK[unit] or IS_AIR[unit]:
        return 0, 1
    counter = COUNTERS[unit]
    for row in SUPPLY["rebuild"]["rows"]:
        if counter.symbol in row.get("symbols", (counter.symbol,)) and counter.size in row.get(
            "sizes", (counter.size,)
        ):
            return row["cost"][0], row["cost"][1]
    raise ValueError(f"{counter.name}: expected a row of the rebuild table")


def at_hand(g: G, side: int, hex: int) -> dict[str, list[int]]:
    """Return the replacements in a hex, by kind, in Move Mode."""
    units = [u for u in forces_in(g, side, hex) if IS_REPL[u] and not g.state.flags[u] & MODES]
    return {kind: [unit for unit in units if COUNTERS[unit].parent == kind] for kind in KINDS}


def lorries_in(g: G, side: int, hex: int) -> list[int]:
    """Return the empty truck points in a hex that a new headquarters can take over (Common Rebuild Table)."""
    return [
        t
        for t in trucks_in(g, side, hex)
        if not (ORGANIC[t] or g.state.load[t] or g.state.flags[t] & EXTENDER or CHARCOAL[t])
    ]


def why_not_hex(g: G, side: int, hex: int) -> Refusal | None:
    """Return why nothing is rebuilt in a hex: within 2 of a headquarters with its Combat side up, not in an enemy ZOC,
    not in a box (1.5c, OCS 4(2), OCS 10(1), OCS 10(5))."""
    label = BOARD.name(hex)
    if hex >= HEXES:
        return Refusal(f"Nothing is rebuilt in {label}: only on the map", "1.5c", label)
    if in_zone(g, 1 - side, hex):
        return Refusal(
            f"Nothing is rebuilt in {label}: it is in an enemy ZOC", "OCS 4(2)", zone_names(g, hex, 1 - side)[0]
        )
    if not any(BOARD.distance(post, hex) <= REACH for post in posts(g, side)):
        return Refusal(
            f"Nothing is rebuilt in {label}: no headquarters in Combat Mode within 2 hexes", "OCS 10(5)", label
        )
    return None


def is_mendable(g: G, side: int, unit: int) -> bool:
    """Whether replacements can restore a unit: one of the dead pile, but no charcoal truck and no replacement, or a reduced
    aircraft at a base of the map (OCS 10(5))."""
    if SIDE[unit] != side or IS_REPL[unit] or CHARCOAL[unit]:
        return False
    reduced = IS_AIR[unit] and g.state.steps[unit] == 1 and on_map(g, unit)
    return g.state.where[unit] == DEAD[side] or reduced


def why_not_rebuilt(g: G, side: int, unit: int, hex: int) -> Refusal | None:
    """Return why a unit cannot be rebuilt in a hex: it is not in the dead pile, too few replacements, no base for an
    aircraft (3.3a, OCS 10(5))."""
    who = name(unit)
    if not is_mendable(g, side, unit):
        return Refusal(f"{who} cannot be rebuilt: it is not in your dead pile", "OCS 10(5)", who)
    have, need = at_hand(g, side, hex), cost(unit)
    if len(have["pax"]) < need[0] or len(have["eq"]) < need[1]:
        return Refusal(f"{who} cannot be rebuilt: costs {need[0]} Pax and {need[1]} Eq", "Common Rebuild Table", who)
    if IS_HQ[unit] and not lorries_in(g, side, hex):
        return Refusal(f"{who} cannot be rebuilt: it takes an empty truck point", "Common Rebuild Table", who)
    if IS_AIR[unit] and not any(airbases.may_use(g, unit, base) for base in g.state.base):
        return Refusal(f"{who} cannot be rebuilt: the Desert Air Force has no base on the map yet", "3.3a", who)
    if IS_AIR[unit] and not fields(g, side):
        return Refusal(f"{who} cannot be rebuilt: no air base on the map has room", "OCS 10(5)", who)
    return None


def fields(g: G, side: int) -> list[int]:
    """Return the air bases of a side on the map with room for another active aircraft (OCS 14.1)."""
    return sorted(
        [at for at, owner in g.state.base.items() if owner == side and at < HEXES and airbases.has_room(g, side, at)]
    )


def works(g: G, side: int) -> dict[int, list[int]]:
    """Return the hexes where something can be rebuilt, each with the units."""
    hexes = {g.state.where[u] for u in FORCES[side] if IS_REPL[u] and on_map(g, u)}
    if not hexes:
        return {}
    lost = [unit for unit in UNITS if is_mendable(g, side, unit)]
    found = {
        hex: [unit for unit in lost if why_not_rebuilt(g, side, unit, hex) is None]
        for hex in sorted(hexes)
        if why_not_hex(g, side, hex) is None
    }
    return {hex: units for hex, units in found.items() if units}


def rebuild(g: G, side: int) -> Procedure:
    """The side rebuilds units of its dead pile, as many as its replacements pay for; replacements of any nation count
    for all of its nations (1.9, OCS 10(5))."""
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
            yield from restore(g, side, click, hex)


def _why_not_unit(g: G, decision: Decision, click: int, hex: int) -> Refusal | None:
    return why_not_rebuilt(g, decision.side, click, hex) if g.is_unit(click) else None


def why_no_works(g: G, side: int, hex: int) -> Refusal | None:
    """Return why nothing can be rebuilt in a hex."""
    label = BOARD.name(hex)
    if hex in works(g, side):
        return None
    few = Refusal(f"Nothing can be rebuilt in {label}: no replacements there that pay for a unit", "OCS 10(5)", label)
    return why_not_hex(g, side, hex) or few


def restore(g: G, side: int, unit: int, hex: int) -> Procedure:
    """Spend replacements, and place the unit in their hex in Combat Mode, an aircraft active at a base; a headquarters
    takes over an empty truck point (OCS 10(5), Common Rebuild Table)."""
    have, need = at_hand(g, side, hex), cost(unit)
    spent = [one for kind, number in zip(KINDS, need, strict=True) for one in have[kind][:number]]
    for one in [*spent, *(lorries_in(g, side, hex)[:1] if IS_HQ[unit] else [])]:
        losses.remove(g, one)
        g.state.where[one] = NOWHERE
    if IS_AIR[unit]:
        yield from restore_aircraft(g, side, unit)
        return
    g.state.where[unit], g.state.steps[unit], g.state.flags[unit] = hex, 1, MOVE if IS_TRUCK[unit] else 0
    tell(g, side, "OCS 10(5)", "{unit} is rebuilt in {hex}", "A unit is rebuilt in {hex}", unit=unit, hex=hex)


def restore_aircraft(g: G, side: int, unit: int) -> Procedure:
    """An Eq pays for two steps: a lost aircraft at any base on the map, active, or a step each of two reduced ones
    (OCS 10(5))."""
    if g.state.where[unit] == DEAD[side]:
        bases = fields(g, side)
        base = bases[0]
        if len(bases) > 1:
            click = yield g.ask(
                side, "rebuild.base", f"Choose the base where {name(unit)} is rebuilt", "OCS 10(5)", locations=bases,
                about=[unit], why_not=for_locations(why_not_base, side),
            )  # fmt: skip
            base = g.location(click)
        g.state.where[unit], g.state.steps[unit], g.state.flags[unit] = base, 2, 0
        tell(g, side, "OCS 10(5)", "{unit} is rebuilt in {hex}", "An aircraft is rebuilt in {hex}", unit=unit, hex=base)
        return
    g.state.steps[unit] = 2
    tell(g, side, "OCS 10(5)", "{unit} is brought to full strength", unit=unit)
    others = [u for u in UNITS if why_not_second(g, side, u) is None]
    if others:
        done = g.rules.button("done")
        click = yield g.ask(
            side, "rebuild.second", "Choose a second aircraft that the Eq brings to full strength", "OCS 10(5)", units=others,
            buttons=[done], why_not=for_units(why_not_second, side),
        )  # fmt: skip
        if click != done:
            g.state.steps[click] = 2
            tell(g, side, "OCS 10(5)", "{unit} is brought to full strength", unit=click)


def why_not_base(g: G, side: int, location: int) -> Refusal | None:
    """Return why an aircraft is not rebuilt in a location (OCS 10(5))."""
    if location in fields(g, side):
        return None
    label = BOARD.name(location)
    return Refusal(f"No aircraft is rebuilt in {label}: not an air base of yours with room", "OCS 10(5)", label)


def why_not_second(g: G, side: int, unit: int) -> Refusal | None:
    """Return why an Eq does not also bring a unit to full strength (OCS 10(5))."""
    if IS_AIR[unit] and is_mendable(g, side, unit) and on_map(g, unit):
        return None
    return Refusal(f"{name(unit)} is not a reduced aircraft of yours at a base on the map", "OCS 10(5)", name(unit))
