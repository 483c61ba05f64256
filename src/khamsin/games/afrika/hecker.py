"""Kampfgruppe Hecker (2.8): one landing from the sea per match."""

from __future__ import annotations

from khamsin.games.afrika import control
from khamsin.games.afrika.ground import OFF_MAP
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.stacking import POINTS
from khamsin.games.afrika.units import (
    AXIS,
    BOARD,
    FINISHED,
    HECKER,
    HEXES,
    STACKING,
    TRIPOLI,
    G,
    forces_in,
    name,
    on_map,
)
from khamsin.games.afrika.zones import zone, zone_names
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics.refusals import for_locations

COASTAL = tuple(
    [
        hex
        for hex in range(HEXES)
        if BOARD.enterable(hex) and any(BOARD.terrain_name(near) == "sea" for near in BOARD.around(hex))
    ]
)
"""Land hexes with a sea hex next to them (2.8)."""


def why_not_landing(g: G) -> Refusal | None:
    """Return why KG Hecker cannot land from the sea: once in the game, before it moves, from a coastal hex outside
    enemy ZOCs (2.8)."""
    who, here = name(HECKER), g.state.where[HECKER]
    if not on_map(g, HECKER) and here != TRIPOLI:
        return Refusal(f"{who} cannot land: not on the map or in Tripoli", "2.8", who)
    if g.state.landed:
        return Refusal(f"{who} has already made its landing", "2.8", who)
    if g.state.spent[HECKER]:
        return Refusal(f"{who} cannot land: the landing takes its whole allowance", "2.8", who)
    if here == TRIPOLI:
        return None
    if here not in COASTAL:
        return Refusal(f"{who} cannot land: {BOARD.name(here)} is not a coastal hex", "2.8", BOARD.name(here))
    if zone(g, 1 - AXIS)[here]:
        return Refusal(
            f"{who} cannot land: {BOARD.name(here)} is in an enemy ZOC", "2.8", zone_names(g, here, 1 - AXIS)[0]
        )
    return None


def why_not_landed(g: G, hex: int) -> Refusal | None:
    """Return why KG Hecker cannot land in a hex: it must be another coastal hex of the map without enemies or enemy
    ZOCs, with room (1.3, 2.8)."""
    who, label = name(HECKER), BOARD.name(hex)
    cannot = f"{who} cannot land in {label}"
    if hex not in COASTAL or hex in OFF_MAP[setting(g).maps]:
        return Refusal(f"{cannot}: not a coastal hex of the map", "2.8", label)
    if hex == g.state.where[HECKER]:
        return Refusal(f"{who} is already in {label}", "2.8", label)
    enemies = forces_in(g, 1 - AXIS, hex)
    if enemies:
        return Refusal(f"{cannot}: {name(enemies[0])} is there", "2.8", name(enemies[0]))
    if zone(g, 1 - AXIS)[hex]:
        return Refusal(f"{cannot}: in an enemy ZOC", "2.8", zone_names(g, hex, 1 - AXIS)[0])
    return POINTS.refusal(hex, label) if STACKING[HECKER] > POINTS.room(g, AXIS, hex) else None


def land(g: G) -> Procedure:
    """KG Hecker moves by sea from one coastal hex to another for its whole allowance (2.8)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        AXIS, "move.landing", f"Choose a coastal hex where {name(HECKER)} lands", "2.8",
        locations=[hex for hex in COASTAL if why_not_landed(g, hex) is None], buttons=[cancel], about=[HECKER],
        why_not=for_locations(why_not_landed),
    )  # fmt: skip
    if click == cancel:
        return
    hex = g.location(click)
    g.state.landed = 1
    g.state.flags[HECKER] |= FINISHED
    g.log("2.8", "{unit} lands in {hex}", unit=HECKER, hex=hex)
    yield from control.enter(g, AXIS, [HECKER], hex)
