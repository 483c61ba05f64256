"""How Afrika is shown: counters, badges, map markers, tracks, objectives, calendar, layers, combat sheets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from khamsin.games.afrika import air, barrage, combat, feeding, supply
from khamsin.games.afrika.barrage import Fire
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.units import (
    AIR_BUTTONS,
    ALLIED,
    ARTILLERY,
    AXIS,
    BOARD,
    COUNTERS,
    DATA,
    FLAGS,
    FORCES,
    HALVES,
    HEXES,
    IS_LEADER,
    MA,
    PORTS,
    ROMMEL,
    SCHEDULE,
    SIDE,
    SIDES,
    STEPS,
    TRACK,
    AfrikaState,
    G,
    attack,
    defence,
    forces_in,
    names,
    on_map,
    stock,
)
from khamsin.games.afrika.units import barrage as barrage_strength
from khamsin.games.afrika.zones import zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.display import Arrival, Badge, Display, LayerOf, MapMarker, Objective, Sheet, Track
from khamsin.kernel.rules import Decision
from khamsin.mechanics import showing

TEXTS = showing.Texts(DATA / "display.toml", BOARD, COUNTERS)
FLAG_BADGES = TEXTS.flag_badges(FLAGS, but=("moved",))


def turns(g: G) -> tuple[str, ...]:
    """The months of a campaign; the half-months of a short scenario (1.2)."""
    cards, months = setting(g), SCHEDULE["calendar"]["months"]
    if not cards.short:
        return tuple(months)
    first = cards.stands_for[0]
    return tuple(
        [f"{months[first - 1 + turn // 2]}, {'second' if turn % 2 else 'first'} half" for turn in range(cards.last)]
    )


def face(g: G, unit: int) -> str:
    """Attack or barrage, defence and allowance as the face that shows has them (SCS 1.1)."""
    if IS_LEADER[unit]:
        return ""
    first = f"({barrage_strength(g, unit)})" if ARTILLERY[unit] else str(attack(g, unit))
    return f"{first}-{defence(g, unit)}-{MA[unit]}"


def badges(g: G, unit: int) -> Iterable[Badge]:
    """The states of a unit, and its steps where some are lost (1.4)."""
    found = list(FLAG_BADGES(g.state.flags[unit]))
    left = g.state.steps[unit]
    if 0 < left < STEPS[unit]:
        found.append(Badge(f"{left}/{STEPS[unit]}", f"Reduced: {left} of {STEPS[unit]} steps left", "1.4", "note"))
    return found


def caption(g: G, decision: Decision, button: str) -> str:
    """The text of a button."""
    if button not in AIR_BUTTONS:
        return TEXTS.caption(decision, button)
    number = AIR_BUTTONS.index(button)
    return f"Air points: {number}" if number else "No air points"


def marks(g: G, side: int) -> Iterator[MapMarker]:
    """Boxes, supply points, ports, attacked hexes (1.6a, 1.9d, 1.16)."""
    state = g.state
    for hex, owner in state.box.items():
        yield MapMarker(hex, "strongpoint", f"{SIDES[owner]} box", owner, "1.16")
    for owner, title in enumerate(SIDES):
        for at, number in stock(g, owner).items():
            yield MapMarker(at, "supply", f"{title} dump: {number} SPs", owner, "1.6a")
    for hex in PORTS:
        if hex in state.control:
            capacity = state.capacity.get(hex)
            text = "" if capacity is None else f", capacity left {capacity}"
            yield MapMarker(hex, "port", f"{SIDES[state.control[hex]]} port{text}", state.control[hex], "1.9d")
    for hex, number in state.targets.items():
        yield MapMarker(hex, "combat", f"Combat {number}", NOWHERE, "SCS 8.1")


def tracks(g: G, side: int) -> Iterator[Track]:
    """Air points, and in a campaign truck points, shipping and SPs of each side (1.7, 1.9a, 1.10)."""
    state = g.state
    for owner, title in enumerate(SIDES):
        yield Track("Air points", str(air.left(g, owner)), owner, "1.10")
        if state.campaign:
            yield Track("Truck points", str(state.trucks.get(title, 0)), owner, "1.7")
            yield Track("Coastal shipping", str(state.shipping.get(title, 0)), owner, "1.9a")
            yield Track("Supply points", str(sum(stock(g, owner).values())), owner, "1.6a")


def holder(g: G, hex: int) -> int:
    """Who occupies a hex, or else controls it."""
    occupied = next((side for side in (AXIS, ALLIED) if forces_in(g, side, hex)), NOWHERE)
    return occupied if occupied != NOWHERE else g.state.control.get(hex, NOWHERE)


def objectives(g: G, viewer: int) -> Iterator[Objective]:
    """The hexes that decide the scenario (4.1-5, 5.1-2)."""
    number = setting(g).number
    for row in TEXTS.table["objective"]:
        if number in row["scenarios"]:
            for place in row["places"]:
                hex = BOARD[place]
                yield Objective(TEXTS.called(hex), hex, holder(g, hex), row["text"], row["rule"])


def held_by(g: G, hex: int) -> str:
    """Who holds a hex, in words."""
    return f"{TEXTS.called(hex)} is held by {TEXTS.the(holder(g, hex))}"


def calendar(g: G, viewer: int) -> Iterator[Arrival]:
    """The units that are still to arrive (SCS 11.4)."""
    for side in (AXIS, ALLIED):
        waiting: dict[int, list[int]] = {}
        for unit, arrival in setting(g).arrivals.items():
            if SIDE[unit] == side and g.state.where[unit] == TRACK:
                waiting.setdefault(arrival.turn, []).append(unit)
        for turn, units in sorted(waiting.items()):
            yield Arrival(turn, side, f"Arrive: {showing.counted(len(units), 'unit')}", tuple(units), "SCS 11.4")
    if g.state.where[ROMMEL] == TRACK and g.state.rommel_returns:
        yield Arrival(g.state.rommel_returns, AXIS, "Rommel arrives", (ROMMEL,), "2.4")


def supply_state(g: G, side: int) -> showing.SupplyState:
    """Where units are in supply: by path in a short scenario, within range of dumps in a campaign (1.6c, 4.0)."""
    if g.state.campaign:
        dumps = stock(g, side)
        hexes = {hex for dump in dumps for hex in feeding.reached(g, side, dump) if hex < HEXES}
        sources = {dump: f"{number} SPs" for dump, number in dumps.items() if dump < HEXES}
        rule = "1.6c"
    else:
        hexes, sources, rule = set(supply.supplied(g, side)), dict.fromkeys(supply.sources(g, side), "source"), "4.0"
    stacks = {g.state.where[unit] for unit in FORCES[side] if on_map(g, unit)}
    cuts = [
        showing.Cut(hex, f"{names(forces_in(g, side, hex)[:2])} would be out of supply", rule)
        for hex in sorted(stacks - hexes)
    ]
    return showing.SupplyState(sorted(hexes & stacks), [], cuts, sources)


LAYERS = {
    "supply": LayerOf("Supply", "1.6c", showing.supply(supply_state), showing.SUPPLY_LEGEND),
    "axis zones": LayerOf("Axis ZOCs", "SCS 5.1", showing.zones(zone, AXIS)),
    "allied zones": LayerOf("Allied ZOCs", "SCS 5.1", showing.zones(zone, ALLIED)),
    "objectives": LayerOf("Objectives", "4.0", showing.objectives(objectives, held_by)),
}


def sheets(g: G, decision: Decision, click: int) -> Iterator[Sheet]:
    """The attack or barrage that a decision is about, or that a click would make."""
    if decision.kind in ("combat.target", "combat.attackers"):
        yield from showing.combat_sheets(TEXTS, g, combat.DECLARATION, decision, click)
    elif decision.kind == "barrage.target" and click in decision.legal and g.place0 <= click < g.rules.first_button:
        side, hex = decision.side, g.location(click)
        guns = barrage.in_range(g, side, hex)
        if guns:
            shot = Fire(side, tuple(guns), hex, port=barrage.aims(g, side, hex)[0])
            yield TEXTS.sheet("Barrage", shot.units, [hex], barrage.preview(g, shot))


DISPLAY: Display[AfrikaState] = Display(
    turns=turns,
    face=face,
    badges=badges,
    caption=caption,
    marks=marks,
    tracks=tracks,
    objectives=objectives,
    calendar=calendar,
    layers=LAYERS,
    points="MP",
    parts=HALVES,
    reach=showing.path_preview,
    sheets=sheets,
)
