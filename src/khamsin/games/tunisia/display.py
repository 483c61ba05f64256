"""How Tunisia is shown: dates, counters, badges, markers, tracks, objectives, layers, sheets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from khamsin.games.tunisia import barrage, combat, estimate, lift, modes, tracing, victory
from khamsin.games.tunisia.arrivals import due
from khamsin.games.tunisia.barrage import Fire
from khamsin.games.tunisia.dates import WEATHER
from khamsin.games.tunisia.scenario import PORTS, setting
from khamsin.games.tunisia.units import (
    ALLIED,
    ARTILLERY,
    AXIS,
    BOARD,
    COUNTERS,
    DATA,
    DEFENDS_ONLY,
    FLAGS,
    FORCES,
    HEXES,
    HIDDEN,
    IS_AIR,
    IS_HQ,
    IS_TRUCK,
    MA,
    NUMBER,
    PRINTED,
    RANGE,
    RATING,
    SCALE,
    SIDES,
    SUPPLY,
    THROW,
    TOKENS,
    G,
    TunisiaState,
    face,
    forces_in,
    on_map,
    stock,
    tokens,
)
from khamsin.games.tunisia.zones import zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.display import Arrival, Badge, Display, LayerOf, MapMarker, Objective, Sheet, Step, Track
from khamsin.kernel.rules import Decision
from khamsin.mechanics import showing
from khamsin.mechanics.showing import Cut, SupplyState

TEXTS = showing.Texts(DATA / "display.toml", BOARD, COUNTERS)
FLAG_BADGES = TEXTS.flag_badges(FLAGS, but=("moving", "changed", "extender", "hidden"))
MONTHS = {11: "Nov 42", 12: "Dec 42", 1: "Jan 43", 2: "Feb 43", 3: "Mar 43", 4: "Apr 43", 5: "May 43"}
LOW, EXHAUSTED = 1, 2


def turns(g: G) -> tuple[str, ...]:
    """The half weeks of the campaign up to the last turn of the scenario (1.1e)."""
    days, months = SUPPLY["calendar"]["days"], SUPPLY["calendar"]["months"]
    return tuple([f"{day} {MONTHS[month]}" for day, month in zip(days, months, strict=True)][: setting(g).last])


# Counters


def shown_face(g: G, unit: int) -> str:
    """The ratings of the side that is up: strength, action rating, allowance; throw of headquarters; those of aircraft."""
    up = face(g, unit)
    if IS_AIR[unit]:
        factors = COUNTERS[unit].factors
        full = g.state.steps[unit] > 1
        air = factors["air" if full else "reduced air"]
        first = f"({air})" if factors["defends"] else str(air)
        return f"{first}-{factors['barrage' if full else 'reduced barrage']}-{RANGE[unit]}"
    if IS_TRUCK[unit]:
        return f"{tokens(g.state.load[unit])}-{MA[unit][1]}"
    if IS_HQ[unit]:
        return f"{THROW[unit][up]}-{MA[unit][up]}"
    strength = str(PRINTED[unit][up])
    if DEFENDS_ONLY[unit][up]:
        strength = f"({strength})"
    far = f" r{RANGE[unit]}" if ARTILLERY[unit] else ""
    return f"{strength}-{RATING[unit][up]}-{MA[unit][up]}{far}"


def back(g: G, unit: int, viewer: int) -> str:
    """A unit that the viewer may not inspect shows its back (OCS 3(4))."""
    if not g.state.flags[unit] & HIDDEN:
        return ""
    what = "aircraft" if IS_AIR[unit] else "trucks" if IS_TRUCK[unit] else "unit"
    return f"{SIDES[COUNTERS[unit].side]} {what}"


def badges(g: G, unit: int) -> Iterable[Badge]:
    """The states of a unit, its internal stock, and the steps of an aircraft."""
    found = list(FLAG_BADGES(g.state.flags[unit] & ~(1 if IS_TRUCK[unit] else 0)))
    level = g.state.stock[unit]
    if level:
        word = "Low" if level == LOW else "Exhausted"
        found.append(Badge(word, f"Internal stock: {word}", "OCS 11.5", "note" if level == LOW else "closed"))
    if IS_AIR[unit] and g.state.steps[unit] == 1:
        found.append(Badge("1/2", "Reduced: one of two steps left", "OCS 14.1", "note"))
    return found


def caption(g: G, decision: Decision, button: str) -> str:
    """The text of a button."""
    return TEXTS.caption(decision, button)


# Beside the map


def marks(g: G, side: int) -> Iterator[MapMarker]:
    """Dumps, hedgehogs, air bases, ports, interdiction, attacked hexes."""
    state = g.state
    for owner, title in enumerate(SIDES):
        for at, amount in stock(g, owner).items():
            if owner == side:
                short = str(amount // TOKENS) if amount >= TOKENS else f"{amount}T"
                yield MapMarker(at, short, f"{title} dump: {tokens(amount)}", owner, "OCS 11.1(1)")
            else:
                yield MapMarker(at, "?", f"{title} dump of unknown size", owner, "OCS 3(4)")
    for hex, level in state.hedgehog.items():
        yield MapMarker(hex, "strongpoint", f"Hedgehog of level {level}", NOWHERE, "OCS 16")
    for at, owner in state.base.items():
        yield MapMarker(at, "air base", f"{SIDES[owner]} air base of level {state.level.get(at, 0)}", owner, "OCS 14.1")
    for hex in PORTS:
        if hex in state.control:
            room = lift.port_capacity(g, hex) // lift.HALF
            yield MapMarker(
                hex,
                "port",
                f"{SIDES[state.control[hex]]} port, capacity left {tokens(room)}",
                state.control[hex],
                "1.5a",
            )
    for hex, mark in state.interdicted.items():
        yield MapMarker(hex, "delay", "Interdicted: 1 MP more", mark - 1, "OCS 14.7")
    for hex, number in state.targets.items():
        yield MapMarker(hex, "combat", f"Combat {number}", NOWHERE, "OCS 9(1)")


def tracks(g: G, side: int) -> Iterator[Track]:
    """Weather, and for each side Reserve markers, supply, rail capacity and shipping."""
    yield Track("Weather", WEATHER[g.state.weather], NOWHERE, "1.2")
    for owner, title in enumerate(SIDES):
        rule = "1.4c" if owner == AXIS else "1.4d"
        if owner != side:  # OCS 3(4)
            continue
        yield Track("Reserve markers left", str(modes.markers_left(g, owner)), owner, rule)
        loaded = sum([g.state.load[unit] for unit in range(len(COUNTERS)) if COUNTERS[unit].side == owner])
        yield Track("Supply on the map", tokens(sum(stock(g, owner).values()) + loaded), owner, "OCS 11.1(1)")
        for how, text in ((lift.RAIL, "Rail capacity left"), (lift.SEA, "Shipping left")):
            if lift.allowance(g, owner, how):
                yield Track(text, lift.halves(lift.left(g, owner, how)), owner, lift.RULE[how])
        if title and not any(on_map(g, unit) for unit in FORCES[owner]):
            yield Track("Units on the map", "none", owner, "OCS 3(1)")


def holder(g: G, hex: int) -> int:
    """Who occupies a hex, or else controls it."""
    occupied = next((side for side in (AXIS, ALLIED) if forces_in(g, side, hex)), NOWHERE)
    return occupied if occupied != NOWHERE else g.state.control.get(hex, NOWHERE)


def objectives(g: G, viewer: int) -> Iterator[Objective]:
    """The hexes that decide the scenario (5.0)."""
    number = setting(g).number
    for name, (hexes, needed) in victory.victory_hexes(number).items():
        for hex in hexes:
            text = f"{name}: {needed} of {len(hexes)} needed" if len(hexes) > 1 else name
            yield Objective(TEXTS.called(hex), hex, holder(g, hex), text, f"Scenario {number}")


def held_by(g: G, hex: int) -> str:
    """Who holds a hex, in words."""
    return f"{TEXTS.called(hex)} is held by {TEXTS.the(holder(g, hex))}"


def calendar(g: G, viewer: int) -> Iterator[Arrival]:
    """What arrives this turn (Allied Order of Arrival, Axis Order of Arrival)."""
    for side in (AXIS, ALLIED):
        units = [NUMBER[unit] for row in due(g, side) for unit in row.get("units", ())]
        if units:
            rule = f"{SIDES[side]} Order of Arrival"
            yield Arrival(g.state.turn, side, f"Arrive: {showing.counted(len(units), 'unit')}", tuple(units), rule)


# Layers and sheets


def supply_state(g: G, side: int) -> SupplyState:
    """Where units trace supply, the dumps, and who does not (OCS 11.2)."""
    if any(g.state.flags[unit] & HIDDEN for unit in FORCES[side]):  # OCS 3(4)
        return SupplyState([], [], [], {})
    field = tracing.trace(g, side)
    sources = dict.fromkeys(field.heads, "source")
    sources |= {hex: tokens(amount) for hex, amount in stock(g, side).items() if hex < HEXES}
    hungry: dict[int, list[int]] = {}
    for unit in FORCES[side]:
        if on_map(g, unit) and not tracing.traces(g, side, unit):
            hungry.setdefault(g.state.where[unit], []).append(unit)
    cuts = [
        Cut(hex, f"{TEXTS.listed(units)} in {TEXTS.called(hex)}: no trace supply", "OCS 11.2(1)")
        for hex, units in sorted(hungry.items())
    ]
    return SupplyState([hex for hex in field.supplied.nonzero()[0].tolist() if BOARD.enterable(hex)], [], cuts, sources)


LAYERS: Mapping[str, LayerOf] = {
    "supply": LayerOf("Trace supply", "OCS 11.2(1)", showing.supply(supply_state), showing.SUPPLY_LEGEND),
    "axis zones": LayerOf("Axis ZOCs", "OCS 4(1)", showing.zones(zone, AXIS)),
    "allied zones": LayerOf("Allied ZOCs", "OCS 4(1)", showing.zones(zone, ALLIED)),
    "objectives": LayerOf("Objectives", "5.0", showing.objectives(objectives, held_by)),
}


def reach(g: G, decision: Decision) -> Mapping[int, Step]:
    """The path to each hex in the widest mode."""
    return showing.path_preview(g, decision)


def sheets(g: G, decision: Decision, click: int) -> Iterator[Sheet]:
    """The attack or barrage that a decision is about, or that a click would make."""
    if decision.kind in ("combat.target", "combat.attackers"):
        yield from showing.combat_sheets(TEXTS, g, combat.DECLARATION, decision, click)
    elif decision.kind == "barrage.target" and click in decision.legal and g.place0 <= click < g.rules.first_button:
        hex = g.location(click)
        target = barrage.purposes(g, decision.side, hex)[0]
        shot = Fire(decision.side, tuple(barrage.proposed(g, decision.side, hex, target)), hex, target=target)
        if shot.units:
            yield TEXTS.sheet("Barrage", shot.units, [hex], estimate.preview_barrage(g, shot))


DISPLAY: Display[TunisiaState] = Display(
    turns=turns,
    face=shown_face,
    tables=TEXTS.table["tables"],
    full=TEXTS.full,
    back=back,
    badges=badges,
    caption=caption,
    warnings=TEXTS.warnings,
    marks=marks,
    tracks=tracks,
    objectives=objectives,
    calendar=calendar,
    layers=LAYERS,
    points="MP",
    parts=SCALE,
    reach=reach,
    sheets=sheets,
)
