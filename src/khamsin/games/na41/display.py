"""The display of North Africa '41: counters, badges, map markers, tracks, objectives, calendar, layers, combat sheets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from khamsin.games.na41 import combat, malta, preview, stacking, supply, victory
from khamsin.games.na41.marching import path_cost
from khamsin.games.na41.plan import Plan
from khamsin.games.na41.scenario import impulses, setting
from khamsin.games.na41.units import (
    AIRFIELDS,
    ALLIED,
    ASU,
    AXIS,
    BOARD,
    BRACKETED,
    COMBAT,
    COUNTERS,
    DATA,
    FLAGS,
    FORCES,
    HEXES,
    PORTS,
    QUARTERS,
    RANGE,
    SCHEDULE,
    SIDE,
    SIDES,
    SILHOUETTED,
    STEPS,
    TRACK,
    WITHDRAWN,
    G,
    Na41State,
    allowance,
    attack,
    capacity,
    combat_units,
    defence,
    holder,
    names,
    on_map,
    rating,
    stock,
)
from khamsin.games.na41.zones import zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.display import (
    Arrival,
    Badge,
    Display,
    LayerOf,
    MapMarker,
    Objective,
    Sheet,
    SheetOption,
    Step,
    Track,
)
from khamsin.kernel.flood import FAR
from khamsin.kernel.rules import Decision
from khamsin.mechanics import combats, showing
from khamsin.mechanics.combats import Combat

TEXTS = showing.Texts(DATA / "display.toml", BOARD, COUNTERS)
FLAG_BADGES = TEXTS.flag_badges(FLAGS, but=("moving", "fought", "spared", "carried"))


def turns(g: G) -> tuple[str, ...]:
    """Return the half months of 1941 in which a scenario is played (3.1)."""
    dates = [f"{date} 1941" for date in SCHEDULE["turns"]["dates"]]
    return showing.scenario_turns(dates, setting(g).first, setting(g).last)


RATINGS = "⁰¹²³"
"""Tank Ratings as they are printed next to the attack."""


def face(g: G, unit: int) -> str:
    """Return attack, defense and allowance of the face that shows, with the Tank Rating raised next to the attack.
    ASUs, trucks and replacements have no attack (2.3.2)."""
    if not COMBAT[unit]:
        return f"{allowance(g, unit)}"
    strength = f"({defence(g, unit)})" if BRACKETED[unit] else str(defence(g, unit))
    if ASU[unit]:
        return f"{strength}-{allowance(g, unit)}"
    raised = RATINGS[rating(g, unit)] if SILHOUETTED[unit] else ""
    return f"{attack(g, unit)}{raised}-{strength}-{allowance(g, unit)}"


def badges(g: G, unit: int) -> Iterable[Badge]:
    """Return the states of a unit, the range of an ASU, and its steps if some are lost (2.3.5, 13.1.1, 17.3)."""
    found = list(FLAG_BADGES(g.state.flags[unit]))
    if ASU[unit]:
        found.append(TEXTS.badge("range", range=RANGE[unit]))
    left = g.state.steps[unit]
    if 0 < left < STEPS[unit]:
        found.append(Badge(f"{left}/{STEPS[unit]}", f"Reduced: {left} of {STEPS[unit]} steps left", "2.3.5", "note"))
    return found


def caption(g: G, decision: Decision, button: str) -> str:
    """Return the text of a button."""
    return TEXTS.caption(decision, button)


def marks(g: G, side: int) -> Iterator[MapMarker]:
    """Fortifications, Supply Points, ports, airfields, Delay, Strafing and LRDG markers, attacked hexes."""
    state = g.state
    for hex, owner in state.fort.items():
        yield MapMarker(hex, "strongpoint", f"{SIDES[owner]} Fortification", owner, "9.5.1")
    for hex, owner in state.works.items():
        yield MapMarker(hex, "strongpoint", f"{SIDES[owner]} Fortification under construction", owner, "9.5.3")
    for owner, title in enumerate(SIDES):
        for at, number in stock(g, owner).items():
            yield MapMarker(at, "supply", f"{title} Supply Points: {number}", owner, "17.2.1")
    for hex in PORTS:
        owner = holder(g, hex)
        whose = SIDES[owner] if owner != NOWHERE else "Uncontrolled"
        yield MapMarker(hex, "port", f"{whose} port, capacity {capacity(g, hex)}", owner, "21.3.2")
    for hex, owner in state.delay.items():
        yield MapMarker(hex, "delay", f"{SIDES[owner]} Delay marker {state.number[hex]}: 1 MP more", owner, "24.2")
    for hex, owner in state.strafed.items():
        yield MapMarker(hex, "delay", f"{SIDES[owner]} Strafing: 1 MP more", owner, "18.7.5")
    for hex in state.lrdg:
        yield MapMarker(hex, "delay", "LRDG: 2 MPs more for Axis units", ALLIED, "18.8")
    for hex, number in state.targets.items():
        yield MapMarker(hex, "combat", f"Combat {number}", NOWHERE, "8.1")


def tracks(g: G, side: int) -> Iterator[Track]:
    """Resource Points, assets, Rommel, Malta, air superiority, the impulse, and Victory Points of the Campaign."""
    state, played = g.state, impulses(g.state.turn)
    skipped = "" if 2 in played else ", no 2nd"
    yield Track("Impulse", f"{state.impulse} of {played[-1]}{skipped}", NOWHERE, "3.1")
    for owner, title in enumerate(SIDES):
        yield Track("Resource Points", str(state.rp.get(title, 0)), owner, "23.1")
    for name, number in state.assets.items():
        owner = ALLIED if name.startswith("Allied") or name in ("LRDG", "Coastal Convoy") else AXIS
        yield Track(name, str(number), owner, "23.2.3")
    yield Track("Rommel", "ready" if state.rommel else "used", AXIS, "18.5")
    yield Track("Malta Convoy Modifier", f"{state.malta:+d}", NOWHERE, "22.3.2")
    yield Track("Malta marker", malta.LUFTWAFFE if malta.is_luftwaffe(state.turn) else "Allied", NOWHERE, "22.3.2")
    yield Track("Air Superiority", SCHEDULE["air"]["superiority"][state.turn - 1], NOWHERE, "18.6")
    if setting(g).name == "campaign":
        yield Track("Victory Points", f"{state.vp:+d}", AXIS, "S2.3.2")


def objectives(g: G, viewer: int) -> Iterator[Objective]:
    """Yield the hexes that decide the scenario, and those of an automatic victory (26.1, S1.3, S2.3.1, S3.3)."""
    cards = setting(g)
    hexes = cards.objectives or AIRFIELDS
    row = TEXTS.table["objective"][cards.name]
    for hex in hexes:
        yield Objective(TEXTS.called(hex), hex, holder(g, hex), row["text"], row["rule"])
    for side, hex in enumerate(victory.GOALS):
        if hex not in hexes:
            yield Objective(
                TEXTS.called(hex),
                hex,
                holder(g, hex),
                f"{SIDES[side]} automatic victory with it in Full Supply",
                "26.1",
            )


def calendar(g: G, viewer: int) -> Iterator[Arrival]:
    """Yield the units that are still to arrive or to return (20.1, 20.3)."""
    waiting: dict[tuple[int, int], list[int]] = {}
    for unit, arrival in setting(g).arrivals.items():
        if g.state.where[unit] == TRACK:
            waiting.setdefault((max(arrival.turn, g.state.turn), SIDE[unit]), []).append(unit)
    for (turn, side), units in sorted(waiting.items()):
        yield Arrival(turn, side, f"Arrive: {showing.counted(len(units), 'unit')}", tuple(units), "20.1")
    for unit in FORCES[ALLIED]:
        if g.state.where[unit] == WITHDRAWN:
            yield Arrival(g.state.returns[unit], ALLIED, "Returns from withdrawal", (unit,), "20.3")


def supply_state(g: G, side: int) -> showing.SupplyState:
    """Return where units are in supply now (16.2)."""
    stacks = {g.state.where[unit] for unit in FORCES[side] if on_map(g, unit)}
    fed = [hex for hex in stacks if supply.status_in(g, side, hex) != supply.NONE]
    cuts = [
        showing.Cut(hex, f"{names(combat_units(g, side, hex)[:2])} would be out of supply", "16.2")
        for hex in sorted(stacks - {*fed})
    ]
    sources = {port: f"port, supplies {number}" for port, number in supply.ports(g, side).items()}
    sources |= dict.fromkeys(supply.relays(g, side), "MSU")
    return showing.SupplyState(sorted(fed), [], cuts, sources)


def zone_hexes(g: G, side: int) -> bytes:
    """Return one byte per hex: 1 where a side has a ZOC of either kind (7.1, 7.3)."""
    return bytes([min(value, 1) for value in zone(g, side)[:HEXES]])


LAYERS = {
    "supply": LayerOf("Supply", "16.2", showing.supply(supply_state), showing.SUPPLY_LEGEND),
    "axis zones": LayerOf("Axis ZOCs", "7.1", showing.zones(zone_hexes, AXIS)),
    "allied zones": LayerOf("Allied ZOCs", "7.1", showing.zones(zone_hexes, ALLIED)),
    "objectives": LayerOf("Objectives", "26.1", showing.objectives(objectives, TEXTS.held_by(holder))),
}


def reach(g: G, decision: Decision) -> Mapping[int, Step]:
    """Return the path to each legal location of the stack."""
    return showing.path_preview(g, decision, beside=other_ways)


def other_ways(g: G, decision: Decision) -> dict[int, Step]:
    """Return the steps to locations outside the reach by MPs: by Tactical Movement, the Road Bonus or Extended
    Movement, and those whose path differs from that of such a location (5.2.2, 5.3, 5.4)."""
    plan, found, first = Plan(g, decision.side, decision.about), dict[int, Step](), g.place0
    locations = [click - first for click in decision.listed() if first <= click < g.rules.first_button]
    paths = {location: plan.path(location) for location in locations}
    before_it = {at: step.before if step.before != NOWHERE else plan.start for at, step in plan.reach.steps().items()}
    apart = {at for at, path in paths.items() if any(before_it.get(b) != a for a, b in pairwise([plan.start, *path]))}
    for location, path in paths.items():
        how = plan.how(location, path)
        if how or not apart.isdisjoint(path):
            left, by_points = plan.reach.way.left, plan.reach.cost(location)
            cost = min(path_cost(plan, path), left) if by_points == FAR else by_points
            before = (plan.start, *path[:-1])
            found[location] = Step(cost, left - cost, before[-1], how, () if apart.isdisjoint(path) else before)
    return found


def sheets(g: G, decision: Decision, click: int) -> Iterator[Sheet]:
    """Yield the attack that a decision is about, or that a click would make, with the effect of choices still to be
    made; the same for a Breakthrough Combat (8.3, 15.2.8)."""
    yield from showing.combat_sheets(TEXTS, g, combat.DECLARATION, decision, click, options=_options)
    yield from preview.sheets(TEXTS, g, decision, click)


def _options(g: G, viewer: int, drafted: Combat, button: str) -> Iterator[SheetOption]:
    """Yield the effect of choices still to be made in a legal attack: none of them makes another one legal (8.4,
    8.8.3)."""
    if combats.why_not_attack(g, combat.DECLARATION, drafted.side, drafted.units, drafted.hexes) is None:
        yield from preview.options(g, viewer, drafted, button)


def warnings(g: G, decision: Decision) -> dict[int, str]:
    """What clicks give up; at the end of movement, the steps of units in a hex that is too full (4.4.1)."""
    full = stacking.overfull(g, decision.side) if decision.kind == "move.stack" else ()
    return TEXTS.overfull(g, decision, full, "steps are lost")


DISPLAY: Display[Na41State] = Display(
    turns=turns,
    face=face,
    tables=TEXTS.table["tables"],
    full=TEXTS.full,
    printed=TEXTS.printed,
    glossary=showing.glossary(DATA / "glossary.toml"),
    badges=badges,
    caption=caption,
    warnings=warnings,
    marks=marks,
    tracks=tracks,
    objectives=objectives,
    calendar=calendar,
    layers=LAYERS,
    points="MP",
    parts=QUARTERS,
    reach=reach,
    sheets=sheets,
)
