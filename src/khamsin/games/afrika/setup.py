"""Set-up (4.1-5, 5.1-2): the start of every unit, and the owner's choices; the side that moves second sets up first."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from khamsin.games.afrika import air, boxes, dumps, rommel
from khamsin.games.afrika.ground import OFF_MAP
from khamsin.games.afrika.scenario import SETTINGS, Group, setting, steps_at_start
from khamsin.games.afrika.stacking import POINTS
from khamsin.games.afrika.units import (
    AXIS,
    BOARD,
    BOXES,
    DEAD,
    HECKER,
    HEXES,
    NUMBER,
    OUT,
    ROMMEL,
    SCHEDULE,
    SIDE,
    STACKING,
    TRACK,
    UNITS,
    G,
    forces_in,
    name,
    on_map,
    stock,
)
from khamsin.games.afrika.zones import in_zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations


def set_up(g: G) -> None:
    """Place units in the hexes of the default set-up, later arrivals on the turn track, boxes and ports with their
    holders, the air points of the first turn for both sides; no turn yet. All units are in supply (1.6b, 1.10, 1.16,
    3.1)."""
    cards, state = setting(g), g.state
    for group in cards.groups:
        place(g, group)
        dumps.add(g, group.side, group.place, group.supply)
    for unit in cards.arrivals:
        state.where[unit] = TRACK
    for unit in UNITS:
        state.steps[unit] = steps_at_start(cards, unit)
    for hex in DEAD:
        for unit in g.units_in(hex):
            state.steps[unit] = 0
    if cards.rommel and not cards.short:
        state.where[ROMMEL], state.rommel_returns = TRACK, cards.rommel
    if not cards.short:
        state.where[HECKER] = OUT
    for unit in trento_unused(g):
        state.where[unit] = NOWHERE
    state.withdrawals = cards.withdrawals
    state.control.update(cards.control)
    state.box.update(cards.boxes)
    for side in (AXIS, 1 - AXIS):
        air.refill(g, side, cards.first)
    state.first, state.moves_first, state.campaign = cards.first, cards.moves_first, int(not cards.short)
    state.turn = 0


def place(g: G, group: Group) -> None:
    """Put the units of a row in the hex of the default set-up."""
    for unit in group.units:
        g.state.where[unit] = group.place
    if group.rommel:
        g.state.where[ROMMEL] = group.place


def trento_unused(g: G) -> list[int]:
    """Return the counters of Trento in the form that is not used: with the Trento Truck option it is one counter (2.5)."""
    trento = SCHEDULE["trento"]
    unused = trento["several"] if g.options.get("trento") == "trucks" else [trento["single"]]
    return [NUMBER[name] for name in unused] if "trento" in g.options else []


def depots(g: G, side: int) -> list[Group]:
    """Return the rows of a side whose SPs may begin in several hexes."""
    return [group for group in setting(g).groups if group.side == side and group.hexes and group.supply]


def choices(g: G, side: int) -> dict[int, Group]:
    """Return the units that a side may place, each with its row; Rommel with the row that brings him."""
    return _choices(g.scenario.name, side)


@cache
def _choices(scenario: str, side: int) -> dict[int, Group]:
    groups = [row for row in SETTINGS[scenario].groups if row.side == side and (row.hexes or row.with_units)]
    found = {unit: group for group in groups for unit in group.units}
    for group in groups:
        if group.rommel:
            found[ROMMEL] = group
    return found


def choose(g: G, side: int) -> Procedure:
    """The owner places the units and SPs that may begin in several hexes; without any there is no decision (SCS 1.8)."""
    done, default, supply, cancel = (g.rules.button(word) for word in ("done", "default", "trucks", "cancel"))
    free = choices(g, side)
    while free:
        changed = is_changed(g, side)
        buttons = [done, *([supply] if depots(g, side) else []), *([default] if changed else [])]
        click = yield g.ask(
            side, "setup.unit", "Choose a unit to place in another hex, or end the set-up", setting(g).number,
            units=list(free), buttons=buttons, blocked=[] if changed else [default], top=True, why_not=why_not_unit,
        )  # fmt: skip
        if click == done:
            break
        if click == default:
            restore(g, side)
            continue
        if click == supply:
            yield from place_supply(g, side)
            continue
        target = yield g.ask(
            side, "setup.place", f"Choose a hex for {name(click)}", setting(g).number, buttons=[cancel], about=[click],
            maybe=[g.place0 + hex for hex in area(g, side, click)], why_not=for_locations(why_not_put, side, click),
        )  # fmt: skip
        if target != cancel:
            start, g.state.where[click] = g.state.where[click], g.location(target)
            g.log(setting(g).number, "{unit} begins in {hex}", unit=click, hex=g.state.where[click])
            rommel.follow(g, start, g.state.where[click])
    boxes.remove_empty(g)
    if side == g.state.moves_first:
        g.state.turn = g.state.first - 1


def area(g: G, side: int, unit: int) -> Iterable[int]:
    """Return the hexes within the distance that the set-up names for a unit, or with others (SCS 1.8)."""
    group = choices(g, side)[unit]
    return group.hexes if not group.with_units else [hex for hex in g.state.where.stacks(side) if hex < HEXES]


def is_changed(g: G, side: int) -> bool:
    """Whether a side has left its default set-up."""
    moved = any(g.state.where[unit] != group.place for unit, group in choices(g, side).items())
    return moved or any(stock(g, side).get(group.place, 0) != group.supply for group in depots(g, side))


def restore(g: G, side: int) -> None:
    """A side returns to its default set-up."""
    for group in choices(g, side).values():
        place(g, group)
    for group in depots(g, side):
        for hex in group.hexes:
            stock(g, side).pop(hex, None)
        dumps.add(g, side, group.place, group.supply)
    g.log(setting(g).number, "{side} returns to the default set-up", side=side)


def place_supply(g: G, side: int) -> Procedure:
    """Place SPs of a dump one by one in hexes of their area, together or separately, with or without a unit (SCS 1.8)."""
    done, cancel, rule = g.rules.button("done"), g.rules.button("cancel"), setting(g).number
    movable = [hex for group in depots(g, side) for hex in group.hexes if hex in stock(g, side)]
    click = yield g.ask(
        side, "setup.load", "Choose a dump whose SPs begin elsewhere", rule, buttons=[cancel],
        locations={hex: {"SPs": stock(g, side)[hex]} for hex in movable}, why_not=for_locations(why_no_depot, side),
    )  # fmt: skip
    if click == cancel:
        return
    start = g.location(click)
    area = next(group.hexes for group in depots(g, side) if start in group.hexes)
    while start in stock(g, side):
        left = stock(g, side)[start]
        click = yield g.ask(
            side, "setup.supply", f"Choose a hex for an SP of {BOARD.name(start)}, {left} left", rule, buttons=[done],
            locations=[hex for hex in area if why_not_stored(g, side, start, hex) is None],
            why_not=for_locations(why_not_stored, side, start),
        )  # fmt: skip
        if click == done:
            return
        dumps.remove(g, side, start, 1)
        dumps.add(g, side, g.location(click), 1)
        g.log(rule, "An SP begins in {hex}", hex=g.location(click))


def why_no_depot(g: G, side: int, location: int) -> Refusal | None:
    """Only SPs with a choice of hexes can be placed (SCS 1.8)."""
    label = BOARD.name(location)
    if any(location in group.hexes for group in depots(g, side)) and location in stock(g, side):
        return None
    return Refusal(f"{label} has no SPs that may begin elsewhere", setting(g).number, label)


def why_not_stored(g: G, side: int, start: int, hex: int) -> Refusal | None:
    """An SP begins in the area of its row, not with an enemy unit (SCS 1.8)."""
    label, rule = BOARD.name(hex), setting(g).number
    if hex == start:
        return Refusal(f"The SP is already in {label}", rule, label)
    if not any(start in group.hexes and hex in group.hexes for group in depots(g, side)):
        return Refusal(f"The SP cannot begin in {label}: outside the area of the set-up", rule, label)
    for enemy in forces_in(g, 1 - side, hex):
        return Refusal(f"The SP cannot begin in {label}: {name(enemy)} is there", "1.3", name(enemy))
    return None


def why_not_unit(g: G, decision: Decision, click: int) -> Refusal | None:
    """Only units with a choice of hexes can be placed."""
    rule = setting(g).number
    if g.is_unit(click):
        if click in choices(g, decision.side):
            return None
        placed = on_map(g, click) or g.state.where[click] in BOXES
        why = "the set-up gives its hex" if placed else "it is not in play at the start"
        why = "not yours" if SIDE[click] != decision.side else why
        return Refusal(f"{name(click)} cannot be placed: {why}", rule, name(click))
    if click == g.rules.button("default") and not is_changed(g, decision.side):
        return Refusal("Nothing to reset: all units are where the set-up placed them", rule, "default")
    return None


def why_not_put(g: G, side: int, unit: int, hex: int) -> Refusal | None:
    """A unit begins within the distance that the set-up names, in a hex of the map that it can enter, with room and
    without an enemy or an enemy ZOC; one that begins with any unit, and Rommel, in a hex with one (1.3, 2.3, SCS 1.8).
    """
    cards, group, label = setting(g), choices(g, side)[unit], BOARD.name(hex)
    cannot = f"{name(unit)} cannot begin in {label}"
    if g.state.where[unit] == hex:
        return Refusal(f"{name(unit)} is already in {label}", cards.number, label)
    if hex >= HEXES or hex in OFF_MAP[cards.maps] or not BOARD.enterable(hex):
        return Refusal(f"{cannot}: not a hex of the map that units enter", "1.5c", label)
    friends = [other for other in forces_in(g, side, hex) if other != unit]
    if (group.with_units or unit == ROMMEL) and not friends:
        return Refusal(f"{cannot}: none of your units is there", cards.number if group.with_units else "2.3", label)
    if not group.with_units and hex not in group.hexes:
        return Refusal(f"{cannot}: outside the area of the set-up", cards.number, label)
    enemies = forces_in(g, 1 - side, hex)
    if enemies:
        return Refusal(f"{cannot}: {name(enemies[0])} is there", "1.3", name(enemies[0]))
    if not friends and in_zone(g, 1 - side, hex):
        return Refusal(f"{cannot}: it is in an enemy ZOC", cards.number, label)
    if STACKING[unit] > POINTS.room(g, SIDE[unit], hex):
        return POINTS.refusal(hex, label)
    return None
