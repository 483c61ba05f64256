"""Supply (1.6d, 4.0): in short scenarios a unit is supplied by a path to a friendly map edge or port; effects on units
out of supply."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.afrika import losses, rommel
from khamsin.games.afrika.ground import OFF_MAP, PATHS
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.units import FORCES, ITALIAN, LRDG, OOS, PORTS, SCHEDULE, G, on_map
from khamsin.games.afrika.zones import traced
from khamsin.kernel.flood import CLOSED
from khamsin.kernel.rules import Procedure


def sources(g: G, side: int) -> list[int]:
    """Return the hexes to which a side traces supply in a short scenario: its map edge and the ports it controls (4.0)."""
    cards = setting(g)
    outside = OFF_MAP[cards.maps]
    ports = [hex for hex in PORTS if g.state.control.get(hex) == side and hex not in outside]
    return [*cards.edges[side], *ports]


def supplied(g: G, side: int) -> frozenset[int]:
    """Return the hexes from which a path free of enemy units and their ZOCs leads to a source; a friendly unit cancels
    ZOCs in its hex (4.0, SCS 5.7)."""
    mask = traced(g, side).copy()
    mask[list(OFF_MAP[setting(g).maps])] = CLOSED
    starts = [hex for hex in sources(g, side) if not mask[hex]]
    return frozenset(PATHS.flood(starts, mask=mask)) if starts else frozenset()


def supply_phase(g: G, side: int) -> Procedure:
    """The Supply Phase of a short scenario: units without a path are out of supply until the next one and lose a step (1.6d,
    4.0, SCS 11.3)."""
    fed = supplied(g, side)
    judge(g, side, [unit for unit in FORCES[side] if on_map(g, unit) and g.state.where[unit] not in fed])
    yield from rommel.displace(g)


def judge(g: G, side: int, hungry: Sequence[int]) -> None:
    """Units found out of supply are flagged and lose a step; the others are supplied. The LRDG always is; early
    Italians surrender instead (1.6d, 2.2, 3.4)."""
    state = g.state
    g.clear_flags(FORCES[side], OOS)
    for unit in hungry:
        if unit == LRDG:
            continue
        g.log("1.6d", "{unit} is out of supply", unit=unit)
        if surrenders(g, unit):
            g.log("2.2", "{unit} surrenders", unit=unit)
            losses.eliminate(g, unit, "2.2")
            continue
        state.flags[unit] |= OOS
        losses.lose_step(g, unit, "1.6d")


def surrenders(g: G, unit: int) -> bool:
    """Whether a unit out of supply surrenders: an Italian one, on turns 1 to 6 of a campaign (1.6d, 2.2)."""
    return ITALIAN[unit] and not setting(g).short and g.state.turn <= SCHEDULE["surrender"]["last"]
