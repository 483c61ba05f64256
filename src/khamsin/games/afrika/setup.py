"""Set-up (4.1-5, 5.1-2): every unit where it begins, and what its owner may place; the side that moves second sets up first."""

from __future__ import annotations

from khamsin.games.afrika import air, boxes, dumps
from khamsin.games.afrika.ground import OFF_MAP
from khamsin.games.afrika.scenario import Group, setting, steps_at_start
from khamsin.games.afrika.stacking import POINTS
from khamsin.games.afrika.units import (
    AXIS,
    BOARD,
    DEAD,
    HEXES,
    NUMBER,
    ROMMEL,
    SCHEDULE,
    SIDE,
    STACKING,
    TRACK,
    UNITS,
    G,
    forces_in,
    name,
)
from khamsin.games.afrika.zones import in_zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations


def set_up(g: G) -> None:
    """Units in the hexes of the default set-up, later arrivals on the turn track, boxes and ports with their holders, the air
    points of the first turn for both sides; the turn before the first. All units are in supply (1.6b, 1.10, 1.16, 3.1)."""
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
    for unit in trento_unused(g):
        state.where[unit] = NOWHERE
    state.withdrawals = cards.withdrawals
    state.control.update(cards.control)
    state.box.update(cards.boxes)
    for side in (AXIS, 1 - AXIS):
        air.refill(g, side, cards.first)
    state.first, state.moves_first, state.campaign = cards.first, cards.moves_first, int(not cards.short)
    state.turn = cards.first - 1


def place(g: G, group: Group) -> None:
    """Put the units of a row in the hex of the default set-up."""
    for unit in group.units:
        g.state.where[unit] = group.place
    if group.rommel:
        g.state.where[ROMMEL] = group.place


def trento_unused(g: G) -> list[int]:
    """The counters of Trento in the form that is not used: with the Trento Truck option it is one counter (2.5)."""
    trento = SCHEDULE["trento"]
    unused = trento["several"] if g.options.get("trento") == "trucks" else [trento["single"]]
    return [NUMBER[name] for name in unused] if "trento" in g.options else []


def choices(g: G, side: int) -> dict[int, Group]:
    """The units that a side may place, each with its row; Rommel with the row that brings him."""
    groups = [group for group in setting(g).groups if group.side == side and (group.hexes or group.with_units)]
    found = {unit: group for group in groups for unit in group.units}
    for group in groups:
        if group.rommel:
            found[ROMMEL] = group
    return found


def choose(g: G, side: int) -> Procedure:
    """The owner places the units that may begin in several hexes; nothing is asked where there are none (SCS 1.8)."""
    done, default, cancel = (g.rules.button(word) for word in ("done", "default", "cancel"))
    free = choices(g, side)
    while free:
        changed = any(g.state.where[unit] != group.place for unit, group in free.items())
        click = yield g.ask(
            side, "setup.unit", "Choose a unit to place in another hex, or end the set-up", setting(g).number,
            units=list(free), buttons=[done, default] if changed else [done], blocked=[] if changed else [default], top=True,
            why_not=why_not_unit,
        )  # fmt: skip
        if click == done:
            break
        if click == default:
            for group in free.values():
                place(g, group)
            g.log(setting(g).number, "{side} returns to the default set-up", side=side)
            continue
        target = yield g.ask(
            side, "setup.place", f"Choose a hex for {name(click)}", setting(g).number, buttons=[cancel], about=[click],
            locations=[hex for hex in range(HEXES) if why_not_put(g, side, click, hex) is None],
            why_not=for_locations(why_not_put, side, click),
        )  # fmt: skip
        if target != cancel:
            g.state.where[click] = g.location(target)
            g.log(setting(g).number, "{unit} begins in {hex}", unit=click, hex=g.state.where[click])
    boxes.remove_empty(g)


def why_not_unit(g: G, decision: Decision, click: int) -> Refusal | None:
    """Only units with a choice of hexes can be placed."""
    rule = setting(g).number
    if g.is_unit(click):
        return Refusal(f"{name(click)} cannot be placed: the set-up gives its hex", rule, name(click))
    if click == g.rules.button("default"):
        return Refusal("The set-up is already the default", rule, "default")
    return None


def why_not_put(g: G, side: int, unit: int, hex: int) -> Refusal | None:
    """A unit begins within the distance that the set-up names, in a hex of the map that it can enter, with room and without
    an enemy or an enemy ZOC; one that begins with any unit, where there is one (1.3, SCS 1.8)."""
    cards, group, label = setting(g), choices(g, side)[unit], BOARD.name(hex)
    cannot = f"{name(unit)} cannot begin in {label}"
    if g.state.where[unit] == hex:
        return Refusal(f"{name(unit)} is in {label}", cards.number, label)
    if hex >= HEXES or hex in OFF_MAP[cards.maps] or not BOARD.enterable(hex):
        return Refusal(f"{cannot}: not a hex of the map that units enter", "1.5c", label)
    friends = [other for other in forces_in(g, side, hex) if other != unit]
    if group.with_units and not friends:
        return Refusal(f"{cannot}: none of your units is there", cards.number, label)
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
