"""Rommel (18.5), Strafing (18.7.5), the LRDG (18.8) and the free Supply Point (17.4)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial

import numpy as np

from khamsin.games.na41 import supply, support
from khamsin.games.na41.ground import LAND
from khamsin.games.na41.units import (
    ALLIED,
    AROUND,
    AXIS,
    BOARD,
    FORCES,
    HEXES,
    HQ,
    NON_COMBAT,
    OFF_MAP,
    PIECES,
    SIDES,
    SUPPLY,
    G,
    add_supply,
    hex_of,
    on_map,
    pieces_in,
    stock,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal

STRAFING: int = PIECES["markers"]["strafing"]
AIR_RANGE: int = SUPPLY["range"]["air"]
LRDG = "LRDG"


# Rommel


def roll(g: G, side: int, purpose: str, rule: str, read: Callable[[int], object]) -> Generator[Decision, int, int]:
    """Roll a die of an attack or Determined Defense. The Axis may have Rommel reroll its own, once per turn; the second
    result counts (18.5). `read` returns the result of a die."""
    die = g.dice.roll(purpose, rule)
    if side != AXIS or not g.state.rommel:
        return die
    again, keep = g.rules.button("reroll"), g.rules.button("keep")
    click = yield g.ask(
        AXIS, "combat.reroll", f"{purpose[0].upper()}{purpose[1:]}: rolled {die}, {read(die)}. Reroll with Rommel, or keep it",
        "18.5", buttons=[again, keep],
    )  # fmt: skip
    if click == keep:
        return die
    g.state.rommel = 0
    g.log("18.5", "Rommel: the die is rolled again")
    return g.dice.roll(f"{purpose}, again", "18.5")


def ready_rommel(g: G) -> None:
    """Make the Rommel marker ready in the Preparation Phase (3.1, 18.5)."""
    g.state.rommel = 1


# The free Supply Point


def free_supply_point(g: G, side: int) -> Procedure:
    """A player who made no attack or Automatic DS, and moved by Tactical Movement or transport only, places a Supply
    Point in a friendly off map box or with a Corps HQ in Full Supply (17.4)."""
    if g.state.fought or g.state.moved_by_points:
        return
    places = [at for at in range(HEXES, len(BOARD.names)) if why_no_free_point(g, side, at) is None]
    places += sorted(
        {
            g.state.where[u]
            for u in FORCES[side]
            if HQ[u] and on_map(g, u) and why_no_free_point(g, side, g.state.where[u]) is None
        }
    )
    click = yield g.ask(
        side, "supply.free", "Place the free Supply Point: choose an off map box or a Corps HQ", "17.4", locations=set(places),
        why_not=lambda seen, decision, click: (
            why_no_free_point(seen, side, click - seen.place0) if seen.place0 <= click < seen.rules.first_button else None
        ),
    )  # fmt: skip
    add_supply(g, side, g.location(click))
    g.log("17.4", "{side} receives a free Supply Point at {hex}", side=side, hex=g.location(click))


def why_no_free_point(g: G, side: int, location: int) -> Refusal | None:
    """Return why the free Supply Point cannot be placed in a location (17.4)."""
    if location in OFF_MAP[side]:
        return None
    label = BOARD.name(location)
    here = pieces_in(g, side, location) if 0 <= location < HEXES else ()
    if not any(HQ[unit] for unit in here):
        return Refusal(f"{label} is neither a friendly off map box nor a hex with a Corps HQ", "17.4", label)
    if supply.status_in(g, side, location) != supply.FULL:
        return Refusal(f"The Corps HQ at {label} is not in Full Supply", "17.4", label)
    return None


# Strafing and LRDG (18.7.5, 18.8, 24.3.5)


def remove_markers(g: G, side: int) -> None:
    """Remove Strafing and LRDG markers of a side in its next Delay Phase: they last one impulse (18.7.5, 18.8, 24.3.5)."""
    for hex in [hex for hex, owner in g.state.strafed.items() if owner == side]:
        del g.state.strafed[hex]
        g.log("18.7.5", "The Strafing marker at {hex} is removed", hex=hex)
    if side == ALLIED:
        for hex in list(g.state.lrdg):
            del g.state.lrdg[hex]
            g.log("18.8", "The LRDG marker at {hex} is removed", hex=hex)


def place_markers(g: G, side: int) -> Procedure:
    """In its Delay Phase a side places the Strafing and LRDG markers it has, or saves them (18.7.2, 18.7.5, 18.8, 23.2.3)."""
    yield from _place(g, side, strafing_of(side), strafable, why_not_strafed, partial(_strafe, side=side), "18.7.5")
    if side == ALLIED:
        yield from _place(g, side, LRDG, open_to_lrdg, why_not_lrdg, _raid, "18.8")


def strafing_of(side: int) -> str:
    """Return the asset of the Strafing markers of a side: it counts markers, two per purchase (18.7.5)."""
    return f"{SIDES[side]} Strafing"


def _place(
    g: G,
    side: int,
    asset: str,
    hexes_for: Callable[[G, int], list[int]],
    why_not: Callable[[G, int, int], Refusal | None],
    put: Callable[[G, int], None],
    rule: str,
) -> Procedure:
    """Ask for the hexes of a kind of marker while any is left."""
    done = g.rules.button("done")
    while g.state.assets.get(asset):
        hexes = hexes_for(g, side)
        if not hexes:
            return
        click = yield g.ask(
            side, "delay.place", f"Choose a hex for the marker {asset}, or save it", rule, locations=hexes, buttons=[done],
            why_not=lambda seen, decision, click: (
                None if (hex := hex_of(seen, click)) is None else why_not(seen, side, hex)
            ),
        )  # fmt: skip
        if click == done:
            return
        g.state.assets[asset] -= 1
        if not g.state.assets[asset]:
            del g.state.assets[asset]
        put(g, g.location(click))


_LAND = np.array(LAND)


def strafable(g: G, side: int) -> list[int]:
    """Return the hexes in which a side can place a Strafing marker (18.7.3, 18.7.5)."""
    near = np.zeros(HEXES, dtype=np.bool_)
    for base in support.air_bases(g, side):
        near |= BOARD.distances(base) <= AIR_RANGE
    near &= _LAND
    near[[*[hex for hex, owner in g.state.delay.items() if owner == side], *g.state.strafed]] = False
    found: list[int] = near.nonzero()[0].tolist()
    return found


def open_to_lrdg(g: G, side: int) -> list[int]:
    """Return the hexes in which the LRDG can be placed (18.8)."""
    where, points = g.state.where, stock(g, 1 - side)
    held = [
        hex for at in (where.stacks(1 - side), where.stacks(NON_COMBAT + 1 - side), points) for hex in at if hex < HEXES
    ]
    shut = {*held, *(near for hex in held for near in AROUND[hex])}
    return [hex for hex in range(HEXES) if LAND[hex] and hex not in shut]


def _strafe(g: G, hex: int, side: int) -> None:
    g.state.strafed[hex] = side
    g.log("18.7.5", "{side} places a Strafing marker at {hex}", side=side, hex=hex)


def _raid(g: G, hex: int) -> None:
    g.state.lrdg[hex] = 1
    g.log("18.8", "The LRDG marker is placed at {hex}", hex=hex)


def why_not_strafed(g: G, side: int, hex: int) -> Refusal | None:
    """Return why a side cannot place a Strafing marker in a hex (18.7.3, 18.7.5)."""
    label = BOARD.name(hex)
    if not LAND[hex]:
        return Refusal(f"{label} is sea", "18.7.5", label)
    if hex in g.state.strafed:
        return Refusal(f"{label} already has a Strafing marker", "18.7.5", label)
    if g.state.delay.get(hex) == side:
        return Refusal(f"{label} has a friendly Delay marker", "18.7.5", label)
    if not support.in_air_range(g, side, hex):
        return Refusal(f"{label} is out of air range", "18.7.3", label)
    return None


def why_not_lrdg(g: G, side: int, hex: int) -> Refusal | None:
    """Return why the LRDG cannot be placed in a hex: sea, an enemy unit in it or next to it, Supply Points among them
    (2.3.1, 18.8)."""
    label, enemy = BOARD.name(hex), 1 - side
    if not LAND[hex]:
        return Refusal(f"{label} is sea", "18.8", label)
    if any(pieces_in(g, enemy, near) or near in stock(g, enemy) for near in (hex, *AROUND[hex])):
        return Refusal(f"The LRDG cannot be placed at {label}: an enemy unit is there or adjacent", "18.8", label)
    return None
