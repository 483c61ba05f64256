"""The layers over the map of Tunisia: trace supply, the throw of headquarters, zones of control, control, objectives,
patrol zones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from khamsin.games.tunisia import air, airbases, supply, tracing, victory
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.units import (
    ALLIED,
    AXIS,
    BOARD,
    COUNTERS,
    DATA,
    FORCES,
    HEXES,
    HIDDEN,
    SIDES,
    G,
    name,
    on_map,
    stock,
    tokens,
)
from khamsin.games.tunisia.zones import zone
from khamsin.kernel.display import Layer, LayerOf, Note, Objective, Spot
from khamsin.mechanics import showing
from khamsin.mechanics.showing import SupplyState

TEXTS = showing.Texts(DATA / "display.toml", BOARD, COUNTERS)


def objectives(g: G, viewer: int) -> Iterator[Objective]:
    """Yield the hexes that decide the scenario (5.0)."""
    number = setting(g).number
    for area, (hexes, needed) in victory.victory_hexes(number).items():
        title = area.removeprefix(f"Scenario {number} ").capitalize()
        for hex in hexes:
            wanted = f"all {needed}" if needed == len(hexes) else f"{needed} of {len(hexes)}"
            text = f"{title}: the Allies need {wanted}" if len(hexes) > 1 else title
            yield Objective(TEXTS.called(hex), hex, showing.occupier(g, hex), text, f"Scenario {number}")


def is_unknown(g: G, side: int) -> bool:
    """Whether units of a side are hidden from the viewer (OCS 3(4))."""
    return any(g.state.flags[unit] & HIDDEN for unit in FORCES[side])


def untraced(g: G, side: int) -> list[int]:
    """Return the units of a side that do not trace supply (OCS 11.2(1))."""
    return [unit for unit in FORCES[side] if on_map(g, unit) and not tracing.traces(g, side, unit)]


def supply_state(g: G, side: int) -> SupplyState:
    """Return where units trace supply, the dumps, and the units that do not (OCS 11.2). An unknown side has none."""
    if is_unknown(g, side):
        return SupplyState([], [], [], {})
    field = tracing.trace(g, side)
    sources = dict.fromkeys(field.heads, "source")
    sources |= {hex: tokens(amount) for hex, amount in stock(g, side).items() if hex < HEXES}
    cuts = TEXTS.cuts(g, untraced(g, side), "no trace supply", "OCS 11.2(1)")
    return SupplyState([hex for hex in field.supplied.nonzero()[0].tolist() if BOARD.enterable(hex)], [], cuts, sources)


def throws(g: G, viewer: int, side: int) -> Layer:
    """Return the hexes to which the headquarters of a side throw, and the tokens that each can draw (OCS 11.1(2))."""
    spots: dict[int, Spot] = {}
    notes = []
    if is_unknown(g, side):
        return Layer()
    for hq in supply.throwing(g, side):
        here = g.state.where[hq]
        for hex in supply.flooded(g, side, here, supply.throw_range(g, hq)).nonzero()[0].tolist():
            if BOARD.enterable(hex):
                spots.setdefault(hex, Spot(hex, "supply"))
        there = supply.available(g, side, here)
        notes.append(Note(f"{name(hq)} in {TEXTS.called(here)} throws up to {tokens(there)}", "OCS 11.1(2)", here))
    for hq in supply.throwing(g, side):
        here = g.state.where[hq]
        spots[here] = Spot(here, "own" if side == viewer else "open", name(hq))
    return Layer(tuple(spots.values()), (), tuple(notes))


def patrols(g: G, viewer: int) -> Layer:
    """Return the hexes that active fighters of each side patrol; those of both sides are contested (OCS 14.4)."""
    covered: list[set[int]] = []
    for side in (AXIS, ALLIED):
        seen = [unit for unit in airbases.WINGS[side] if not g.state.flags[unit] & HIDDEN and on_map(g, unit)]
        bases = {g.state.where[unit] for unit in seen if air.FIGHTER[unit] and airbases.is_active(g, unit)}
        covered.append({hex for base in bases for hex in BOARD.within(base, air.PATROL)})
    spots = [Spot(hex, "border") for hex in sorted(covered[AXIS] & covered[ALLIED])]
    for side in (AXIS, ALLIED):
        spots += [Spot(hex, showing.tone(side, viewer)) for hex in sorted(covered[side] - covered[1 - side])]
    return Layer(tuple(spots))


CONTESTED = {"border": "Contested"}
LAYERS: Mapping[str, LayerOf] = {
    "supply": LayerOf("Trace supply", "OCS 11.2(1)", showing.supply(supply_state), showing.SUPPLY_LEGEND),
    "throw": LayerOf(
        "HQ throw", "OCS 11.1(2)", showing.each_side(throws), {"supply": "Within the throw of a headquarters"}
    ),
    "axis zones": LayerOf(f"{SIDES[AXIS]} ZOCs", "OCS 4(1)", showing.zones(zone, AXIS)),
    "allied zones": LayerOf(f"{SIDES[ALLIED]} ZOCs", "OCS 4(1)", showing.zones(zone, ALLIED)),
    "control": LayerOf("Control", "5.0", showing.control(TEXTS, zone, "5.0"), CONTESTED),
    "patrols": LayerOf("Patrol zones", "OCS 14.4", patrols, CONTESTED),
    "objectives": LayerOf("Objectives", "5.0", showing.objectives(objectives, TEXTS.held_by(showing.occupier))),
}
