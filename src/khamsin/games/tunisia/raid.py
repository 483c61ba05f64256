"""The amphibious raid of variant 4.0c: a commando or ranger battalion lands once on any coast."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.tunisia import control, supply
from khamsin.games.tunisia.ground import OUTSIDE
from khamsin.games.tunisia.lift import ALGIERS
from khamsin.games.tunisia.scenario import PORTS, setting
from khamsin.games.tunisia.units import (
    ALLIED,
    ARRIVING,
    BOARD,
    COUNTERS,
    HEXES,
    MODES,
    SIDE,
    G,
    forces_in,
    name,
    stock,
    tell,
    tokens,
    whom,
)
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics.refusals import for_locations

SUPPLY = 3
"""The tokens of the raiding force."""
RAID, RAIDER = "raid", "raider"
"""Events: 1 while the force is at sea, 2 once it has landed; the unit."""
COAST = frozenset([hex for hex in range(HEXES) if "coast" in BOARD.tags[hex]])


def is_option(g: G, units: Sequence[int]) -> bool:
    """Whether units could raid at all: an Allied commando battalion in a game with the variant (4.0c)."""
    raiders = [unit for unit in units if COUNTERS[unit].symbol == "commando" and SIDE[unit] == ALLIED]
    return g.options.get("raid") == "one" and len(raiders) == len(units)


def why_not(g: G, units: Sequence[int]) -> Refusal | None:
    """Return why units cannot embark: one battalion, once per match, in a port of its side with 3T or in Algiers
    (4.0c)."""
    who, at = whom(units), g.state.where[units[0]]
    if g.state.events.get(RAID):
        return Refusal(f"{who} cannot embark: the raid of the game has been made", "4.0c", name(units[0]))
    if len(units) > 1:
        return Refusal(f"{who} cannot embark: the raid is made by one battalion", "4.0c", name(units[1]))
    if at == ALGIERS:
        return None
    if at not in PORTS or g.state.control.get(at) != ALLIED:
        return Refusal(f"{who} cannot embark: not in a port of yours or in Algiers", "4.0c", BOARD.name(at))
    if stock(g, ALLIED).get(at, 0) < SUPPLY:
        return Refusal(f"{who} cannot embark: it takes {tokens(SUPPLY)} in the port", "4.0c", BOARD.name(at))
    return None


def can_embark(g: G, unit: int) -> bool:
    """Whether a unit can embark where it is, also with all its MPs spent: it need only be there at the end of the phase
    (4.0c)."""
    return is_option(g, [unit]) and why_not(g, [unit]) is None


def embark(g: G, unit: int) -> None:
    """A battalion embarks with its supply and must land in the next Allied Movement Phase (4.0c)."""
    at = g.state.where[unit]
    if at < HEXES:
        supply.take(g, ALLIED, supply.Source(at, -1, SUPPLY, -1), SUPPLY)
    g.state.events[RAID], g.state.events[RAIDER] = 1, unit
    g.state.flags[unit] &= ~MODES
    g.state.where[unit] = ARRIVING[ALLIED]
    tell(g, ALLIED, "4.0c", "{unit} embarks for a raid", unit=unit)


def why_no_landing(g: G, side: int, hex: int) -> Refusal | None:
    """Return why a raid cannot land in a hex: coast of the area without enemy combat units (4.0c)."""
    label = BOARD.name(hex)
    if hex not in COAST or hex in OUTSIDE[setting(g).area]:
        return Refusal(f"The raid cannot land in {label}: not a coast hex of the area", "4.0c", label)
    if forces_in(g, 1 - side, hex):
        return Refusal(f"The raid cannot land in {label}: enemy units are there", "4.0c", label)
    return None


def land(g: G, side: int) -> Procedure:
    """The raiding force at sea lands on a coast hex and moves like any unit (4.0c)."""
    if side != ALLIED or g.state.events.get(RAID) != 1:
        return
    unit = g.state.events[RAIDER]
    if g.state.where[unit] != ARRIVING[ALLIED]:  # withdrawn by the Order of Arrival meanwhile
        g.state.events[RAID] = 2
        return
    click = yield g.ask(
        side, "raid.land", f"Choose the coast hex where {name(unit)} lands", "4.0c", about=[unit],
        maybe=[g.place0 + hex for hex in sorted(COAST)], why_not=for_locations(why_no_landing, side),
    )  # fmt: skip
    hex = g.location(click)
    g.state.events[RAID] = 2
    g.state.where[unit] = hex
    supply.add(g, side, hex, SUPPLY)
    g.log("4.0c", "{unit} lands in {hex}", unit=unit, hex=hex)
    control.enter(g, side, [unit], [hex])
