"""Arrivals (2.4, 2.7, 3.2, 3.3, 3.5, Orders of Arrival): reinforcements, supply, the 8th Army, exchange and withdrawals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from khamsin.games.tunisia import airbases, breakout, consolidation, control, losses, replacements, setup, supply
from khamsin.games.tunisia.dates import box_side
from khamsin.games.tunisia.ground import OUTSIDE
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.units import (
    ALLIED,
    ARRIVING,
    AXIS,
    BOARD,
    COMBATANT,
    DATA,
    DEAD,
    HEXES,
    IS_TRUCK,
    MUD,
    NUMBER,
    SCENARIOS,
    SIDE,
    SIDES,
    TOKENS,
    G,
    can_attack,
    forces_in,
    name,
    names,
    on_map,
    tokens,
    whom,
)
from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations, for_units
from khamsin.mechanics.stacks import Names


def _is_edge(hex: int, outside: frozenset[int]) -> bool:
    """Whether a hex of an area is on the edge of the map or adjacent to one outside the area."""
    return any(near == NOWHERE or near in outside for near in BOARD.neighbours[hex])


SCHEDULE: dict[str, Any] = files.read(DATA / "schedule.toml")
ENTRY = {area.name: area.hexes[0] for area in BOARD.areas.values() if area.kind == "entry area"}
"""The entry areas by name."""
EDGES = {
    area: tuple([h for h in range(HEXES) if BOARD.enterable(h) and h not in outside and _is_edge(h, outside)])
    for area, outside in OUTSIDE.items()
}
"""By play area: the land hexes on its edge."""
OUT = BOARD["Out of Play"]
EIGHTH_ARMY, RELEASED = "8th Army", "8th Army released"
ENTERS_FROM = 28
"""The turn of 15 February 1943, from which the 8th Army is rolled for (3.5a)."""
ENTERS_ON = 9


def arrivals(g: G, side: int) -> Procedure:
    """The Reinforcement Phase: supply, the 8th Army, the order of arrival (2.4, 3.2, 3.5)."""
    if "income" not in g.state.todo:
        if side == ALLIED:
            roll_for_eighth_army(g)
        receive_supply(g, side)
        breakout.come_back(g, side)
        yield from replacements.roll(g, side)
        g.state.todo["income"] = 1
    for number, (key, row) in enumerate(due(g, side).items()):
        if number >= g.state.todo.get("arrived", 0):
            yield from arrive(g, side, row, key)
            g.state.todo["arrived"] = number + 1
    if "exchanged" not in g.state.todo:
        yield from offer_exchange(g, side)
        g.state.todo["exchanged"] = 1
    if "rebuilt" not in g.state.todo:
        yield from replacements.rebuild(g, side)
        g.state.todo["rebuilt"] = 1
    yield from consolidation.consolidate(g, side)
    g.state.todo.clear()


def await_arrivals(g: G) -> None:
    """Place units in the boxes of the Orders of Arrival before they arrive, also those of the 8th Army; those that were
    withdrawn before the scenario are out of play, heavy bombers whose date has passed begin in their box (3.5, 3.7a,
    Allied Order of Arrival, Axis Order of Arrival)."""
    awaited = list(rows(g))
    if setting(g).number in (3, 4):
        awaited.append({"side": SIDES[ALLIED], "to": "Entry Area E", "units": SCHEDULE["eighth_army"]["units"]})
    if g.options.get("bombers") == "tactical":
        for row in rows(g):
            if row["to"] == "optional 3.7" and row["turn"] < g.state.first:
                base_air(g, ALLIED, row)
    gone = {unit for row in rows(g) if row["to"] == "remove" and row["turn"] < g.state.first for unit in row["units"]}
    for row in awaited:
        for unit in row.get("units", ()) if row["to"] != "remove" else ():
            if g.state.where[NUMBER[unit]] == NOWHERE:
                g.state.where[NUMBER[unit]] = OUT if unit in gone else ARRIVING[SIDES.index(row["side"])]


def receive_supply(g: G, side: int) -> None:
    """Add the tokens that arrive each turn, unless an enemy combat unit is in the hex (3.5b, Scenario 2, Scenario 5,
    Scenario 6)."""
    number = setting(g).number
    for owner, hex, amount in setting(g).income:
        waits = number in (3, 4) and not g.state.events.get(EIGHTH_ARMY)
        if owner == side and not waits and not forces_in(g, 1 - side, hex):
            supply.add(g, side, hex, amount)
            rule = "3.5b" if side == ALLIED and number in (3, 4, 5) else f"Scenario {number}"
            g.log(rule, "{side} receives {amount} in {hex}", side=side, amount=tokens(amount), hex=hex)


def rows(g: G) -> list[Mapping[str, Any]]:
    """Return the arrivals of the scenario: its own, or the order of arrival (Scenario 1-6)."""
    own: list[Mapping[str, Any]] = SCENARIOS[g.scenario.name].get("arrival", [])
    if setting(g).number in (2, 5):
        return own
    return [*own, *SCHEDULE["arrival"]]


def due(g: G, side: int) -> dict[str, Mapping[str, Any]]:
    """Return what arrives for a side this turn, or has waited for its entry area. Scenario 1 ignores Entry Area E;
    heavy bombers arrive with their option (3.7a)."""
    found = {}
    for number, row in enumerate(rows(g)):
        key = f"arrival {number} waits"
        if row["side"] != SIDES[side] or (row["turn"] != g.state.turn and key not in g.state.events):
            continue
        if setting(g).number == 1 and row["to"] == "Entry Area E":
            continue
        if row["to"] == "optional 3.7" and g.options.get("bombers") != "tactical":
            continue
        found[key] = row
    return found


def arrive(g: G, side: int, row: Mapping[str, Any], key: str) -> Procedure:
    """One row of the order of arrival arrives; without an entry it waits under its key (Allied Order of Arrival, Axis
    Order of Arrival)."""
    units = [NUMBER[unit] for unit in row.get("units", ())]
    to: str = row["to"]
    rule = f"{SIDES[side]} Order of Arrival" if setting(g).number not in (2, 5) else f"Scenario {setting(g).number}"
    if to == "remove":
        for unit in units:
            if g.state.where[unit] != NOWHERE:
                g.state.where[unit] = OUT
        g.log(rule, "{units} {units:is|are} withdrawn", units=names(units))
        return
    if to == "reserve markers":
        g.state.reserves[SIDES[side]] = g.state.reserves.get(SIDES[side], 0) + row["number"]
        return
    if to == "exchange":
        return
    if to.endswith("Dead Pile"):
        lorries = [t for name, n in row.get("organic", {}).items() for t in setup.free_trucks(g, side, name, False, n)]
        for unit in (*units, *lorries):
            g.state.where[unit] = DEAD[side]
        return
    goals = list(entries(g, side, to, units))
    if not goals:
        g.state.events[key] = 1
        g.log(rule, "{units} {units:waits|wait}: the enemy holds {hex}", units=names(units) or Names("trucks", True),
              hex=ENTRY[to])  # fmt: skip
        return
    g.state.events.pop(key, None)
    lorries = new_trucks(g, side, row)
    if len(goals) == 1:
        put(g, side, [*units, *lorries], goals[0])
        told(g, rule, units, goals[0])
    else:
        yield from spread(g, side, [*units, *lorries], goals, rule)
    if goals[0] < HEXES:
        supply.add(g, side, goals[0], row.get("sp", 0) * TOKENS)
    yield from choose_bases(g, side, base_air(g, side, row), air_bases(g, to), rule)


def spread(g: G, side: int, units: list[int], goals: list[int], rule: str) -> Procedure:
    """Units and trucks arrive where their owner chooses, all together or separately (3.2)."""
    going = list(units)
    while going:
        click = yield g.ask(
            side, "arrival.where", f"Choose where {whom(going)} {whom(going):arrives|arrive}, or a unit to arrive elsewhere",
            "3.2", locations=goals, units=units if len(going) > 1 else [unit for unit in units if unit not in going],
            about=going, why_not=why_not_entry,
        )  # fmt: skip
        if g.is_unit(click):
            going = [unit for unit in units if (unit in going) != (unit == click)]
            continue
        put(g, side, going, g.location(click))
        told(g, rule, going, g.location(click))
        units = [unit for unit in units if unit not in going]
        going = list(units)


def told(g: G, rule: str, units: list[int], goal: int) -> None:
    """Log the combat units that have arrived."""
    forces = [unit for unit in units if COMBATANT[unit]]
    if forces:
        g.log(rule, "{units} {units:arrives|arrive} in {hex}", units=names(forces), hex=goal)


def new_trucks(g: G, side: int, row: Mapping[str, Any]) -> list[int]:
    """Return the trucks of a row, placed with the units that arrive."""
    found = [
        t for division, n in row.get("organic", {}).items() for t in setup.free_trucks(g, side, division, False, n)
    ]
    found += setup.free_trucks(g, side, "", False, row.get("truck", 0))
    for truck in found:
        g.state.where[truck] = ARRIVING[side]
    return found


def entries(g: G, side: int, to: str, units: Sequence[int]) -> Iterator[int]:
    """Return where the units of a row may arrive: a box, a hex, an entry area; most Allied ones in a box or at Entry
    Area A (3.2). If an enemy holds the map edge they enter nearby; for Bône they arrive in Algiers; in Bizerte and Tunis
    they wait (rulings)."""
    if to == "any Allied box":
        yield free_edge(g, side, ENTRY["Entry Area A"], units)
        yield BOARD["Algiers Box"]
        if box_side(g, "Tripoli Box") == ALLIED:
            yield BOARD["Tripoli Box"]
    elif to == "any Axis air base" or to == "optional 3.7":
        yield BOARD["Sicily Box" if side == AXIS else "Algiers Box"]
    elif to == "Entry Area B":
        lost = g.state.control.get(ENTRY[to]) != ALLIED or is_held(g, side, ENTRY[to], units)
        yield BOARD["Algiers Box"] if lost else ENTRY[to]
    elif to in ("Entry Area C", "Entry Area D"):
        if not is_held(g, side, ENTRY[to], units):
            yield ENTRY[to]
    else:
        yield free_edge(g, side, ENTRY[to] if to in ENTRY else BOARD[to], units)


def is_held(g: G, side: int, hex: int, units: Sequence[int]) -> bool:
    """Whether the enemy keeps units from arriving in a hex: its combat units are there, or only non-combat ones, such as a
    port, that none of the units can capture (OCS 3(5))."""
    alone = hex in control.booty_hexes(g, 1 - side) and not any(can_attack(g, unit) for unit in units)
    return alone or bool(forces_in(g, 1 - side, hex))


def free_edge(g: G, side: int, hex: int, units: Sequence[int]) -> int:
    """Return a hex, or the nearest one on the edge of the area if the enemy keeps units from it (Orders of Arrival,
    rulings)."""
    if hex >= HEXES or not is_held(g, side, hex, units):
        return hex
    free = [edge for edge in EDGES[setting(g).area] if not is_held(g, side, edge, units)]
    return min(free, key=lambda edge: (BOARD.distance(hex, edge), edge))


def why_not_entry(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why reinforcements do not arrive in a location, or a unit is not among them (3.2)."""
    if click in decision.legal or click >= g.rules.first_button:
        return None
    label = g.rules.names[click]
    if click in decision.about:
        return Refusal(f"{label} is the last unit that arrives: choose where", "3.2", label)
    if g.is_unit(click):
        return Refusal(f"{label} does not arrive now", "3.2", label)
    return Refusal(
        f"Reinforcements do not arrive in {label}: Entry Area A, Algiers, or Tripoli while Allied", "3.2", label
    )


def put(g: G, side: int, units: list[int], goal: int) -> None:
    """Place units and loaded trucks (2.4c, 3.2d)."""
    for unit in units:
        g.state.where[unit], g.state.steps[unit] = goal, 1
        if IS_TRUCK[unit]:
            g.state.load[unit] = TOKENS
    if goal < HEXES:
        control.enter(g, side, [unit for unit in units if COMBATANT[unit]], [goal], rule_move=False)


def base_air(g: G, side: int, row: Mapping[str, Any]) -> list[int]:
    """Aircraft arrive active in a box or at a base (rulings). Return them."""
    found = list[int]()
    for key, desert in (("air", False), ("daf", True)):
        for kind, printed in row.get(key, {}).items():
            number = setup.given(g, kind, printed)
            found += setup.base_aircraft(g, side, kind, number, desert, in_box=row["to"] != "any Axis air base")
    return found


def air_bases(g: G, to: str) -> list[int]:
    """Return the bases among which the aircraft of a row may arrive, one of each box: any Axis one where the Order of
    Arrival says so, the Allied boxes in other rows while Tripoli is Allied (3.2, Axis Order of Arrival)."""
    if to == "any Axis air base":
        boxes = {airbases.BOX_OF.get(base, base): base for base in reversed(airbases.bases(g, AXIS))}
        return sorted(boxes.values())
    if to == "any Allied box" and box_side(g, "Tripoli Box") == ALLIED:
        return [BOARD["Algiers Air Base 1"], BOARD["Tripoli Air Base 1"]]
    return []


def choose_bases(g: G, side: int, wings: list[int], goals: list[int], rule: str) -> Procedure:
    """The owner may put aircraft that have arrived at other bases than those proposed (3.2, Axis Order of Arrival)."""
    done, cancel = g.rules.button("done"), g.rules.button("cancel")
    while wings and len(goals) > 1:
        click = yield g.ask(
            side, "arrival.aircraft", "Choose an aircraft that arrives at another base, or end", rule, units=wings,
            buttons=[done], why_not=for_units(why_not_new, tuple(wings)),
        )  # fmt: skip
        if click == done:
            return
        unit = click
        click = yield g.ask(
            side, "arrival.base", f"{name(unit)} is in {BOARD.name(g.state.where[unit])}: choose its base", rule,
            locations=[base for base in goals if why_not_based(g, unit, tuple(goals), rule, base) is None],
            buttons=[cancel], about=[unit], why_not=for_locations(why_not_based, unit, tuple(goals), rule),
        )  # fmt: skip
        if click != cancel:
            g.state.where[unit] = g.location(click)


def why_not_new(g: G, wings: Sequence[int], unit: int) -> Refusal | None:
    """Return why an aircraft is not one of those that arrive (3.2)."""
    return None if unit in wings else Refusal(f"{name(unit)} does not arrive now", "3.2", name(unit))


def why_not_based(g: G, unit: int, goals: Sequence[int], rule: str, base: int) -> Refusal | None:
    """Return why an aircraft cannot arrive at a base (3.2, OCS 14.1)."""
    label = BOARD.name(base)
    if base not in goals:
        return Refusal(f"{name(unit)} cannot arrive in {label}: not a base where it may", rule, label)
    if base == g.state.where[unit]:
        return Refusal(f"{name(unit)} is already in {label}", rule, label)
    if not airbases.has_room(g, SIDE[unit], base):
        return Refusal(f"{name(unit)} cannot arrive in {label}: the base is full", "OCS 14.1", label)
    return None


def why_no_exchange(g: G, row: Mapping[str, Any]) -> Refusal | None:
    """Return why the exchange of 1 February cannot be made: all of its battalions must be on the map, and Tunis Axis. Tunis
    may be too full until the end of the movement segment (Axis Order of Arrival, OCS 3(2))."""
    tunis, rule = BOARD["A48.24"], "Axis Order of Arrival"
    absent = [unit for unit in row["for"] if not on_map(g, NUMBER[unit])]
    if absent:
        return Refusal(f"The exchange must wait: {absent[0]} is not on the map", rule, absent[0])
    if g.state.control.get(tunis) != AXIS:
        return Refusal("The exchange must wait: Tunis is not Axis", rule, BOARD.name(tunis))
    return None


def offer_exchange(g: G, side: int) -> Procedure:
    """From 1 February on the Axis may exchange the three battalions of the 5th Parachute Regiment for the Jäger Regiment, this
    turn, later or never (Axis Order of Arrival)."""
    rows_due = [row for row in rows(g) if row["to"] == "exchange" and row["side"] == SIDES[side]]
    for row in rows_due:
        comes = [NUMBER[unit] for unit in row["units"]]
        waiting = all(g.state.where[unit] in (NOWHERE, ARRIVING[side]) for unit in comes)
        if not waiting or row["turn"] > g.state.turn or why_no_exchange(g, row) is not None:
            continue
        pay, decline = g.rules.button("pay"), g.rules.button("decline")
        goes = [NUMBER[unit] for unit in row["for"]]
        click = yield g.ask(
            side, "arrival.exchange", f"Exchange {names(goes)} for {names(comes)} in Tunis", "Axis Order of Arrival",
            buttons=[decline, pay], about=goes,
        )  # fmt: skip
        if click == pay:
            for unit in goes:
                losses.remove(g, unit)
            for unit in comes:
                g.state.where[unit] = BOARD["A48.24"]
            g.log(
                "Axis Order of Arrival",
                "{units} {units:replaces|replace} {others}",
                units=names(comes),
                others=names(goes),
            )


# The 8th Army (3.5)


def roll_for_eighth_army(g: G) -> None:
    """From 15 February on roll two dice, 9 or more; on Mud it enters on the next dry turn (3.5a). Or it enters on 22
    February without a roll (4.0a)."""
    state = g.state
    if setting(g).number not in (3, 4) or state.events.get(EIGHTH_ARMY) or state.turn < ENTERS_FROM:
        return
    if not state.events.get(RELEASED):
        if g.options.get("eighth army") == "22 February":
            comes = state.turn >= ENTERS_FROM + 2
        else:
            comes = g.dice.two("entry of the 8th Army", "3.5a") >= ENTERS_ON
        if not comes:
            return
        state.events[RELEASED] = 1
        g.log("3.5a", "The 8th Army is released")
    if state.weather == MUD:
        return
    row = SCHEDULE["eighth_army"]
    units = [NUMBER[unit] for unit in row["units"]]
    goal = free_edge(g, ALLIED, ENTRY["Entry Area E"], units)
    put(g, ALLIED, [*units, *new_trucks(g, ALLIED, row)], goal)
    supply.add(g, ALLIED, goal, row["sp"] * TOKENS)
    state.reserves["Allied"] = state.reserves.get("Allied", 0) + row["reserve_markers"]
    state.events[EIGHTH_ARMY] = 1
    g.log("3.5", "The 8th Army enters at {hex}", hex=goal)
