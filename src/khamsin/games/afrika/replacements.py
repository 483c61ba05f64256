"""Replacement steps and withdrawals (1.11, 3.3, SCS 11.5): the Variable Reinforcement Tables and their effects."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from khamsin.games.afrika import boxes, control, rommel
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.stacking import POINTS
from khamsin.games.afrika.units import (
    ARMOUR,
    ARTILLERY,
    AXIS,
    BOARD,
    COUNTERS,
    DEAD,
    FORCES,
    HECKER,
    HEXES,
    INFANTRY,
    JOINING,
    MOVED,
    OOS,
    OUT,
    ROMMEL,
    SCHEDULE,
    SIDE,
    SIDES,
    STACKING,
    STEPS,
    SUPPLY,
    TRIPOLI,
    G,
    forces_in,
    name,
    on_map,
    stock,
)
from khamsin.games.afrika.zones import in_zone, zone_names
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.schedule import choose_unit
from khamsin.mechanics.showing import counted

WITHDRAWALS: dict[str, dict[str, Any]] = {row["name"]: row for row in SUPPLY["withdrawal"]}
BRIGADE = [counter.size == "brigade" for counter in COUNTERS]
RECON = [counter.symbol.endswith("reconnaissance") for counter in COUNTERS]
KINDS = {
    "infantry": [INFANTRY[u] and BRIGADE[u] for u in range(len(COUNTERS))],
    "infantry_or_armour": [(INFANTRY[u] or ARMOUR[u]) and BRIGADE[u] for u in range(len(COUNTERS))],
    "artillery_or_reconnaissance": [ARTILLERY[u] or RECON[u] for u in range(len(COUNTERS))],
}
"""The units that can be withdrawn for each demand of the table (3.3)."""
KIND_NAMES = {
    "infantry": "infantry brigade",
    "infantry_or_armour": "infantry or armoured brigade",
    "artillery_or_reconnaissance": "artillery or reconnaissance unit",
}
EXCHANGED = (SCHEDULE["hecker"]["replaces"], name(HECKER))
STEPS_LEFT = "steps"
"""Replacement steps that are still to be used (1.11)."""


def variable(g: G, side: int) -> int:
    """Roll on the Variable Reinforcement Table of a side: replacement steps, or for the Allies a withdrawal, which is
    stored (1.1, 1.11, 3.3)."""
    cell = str(g.table(f"{SIDES[side].lower()}_variable").roll(g.dice, 0, 0, "variable reinforcements"))
    if cell not in WITHDRAWALS:
        return int(cell)
    demand = WITHDRAWALS[cell]
    if "uses" in demand:
        if g.state.withdrawals >= demand["uses"]:
            return int(demand["then"])
        g.state.withdrawals += 1
    g.log("3.3", "{what}", what=cell.capitalize())
    for kind in KINDS:
        if demand.get(kind):
            g.state.todo[kind] = demand[kind]
    return 0


# Withdrawals (3.3)


def withdraw(g: G, side: int) -> Procedure:
    """Units of the kinds demanded leave; a kind without units is ignored (3.3)."""
    todo = g.state.todo
    for kind in KINDS:
        while todo.get(kind, 0):
            units = [unit for unit in FORCES[side] if why_not_withdrawn(g, side, kind, unit) is None]
            if not units:
                del todo[kind]
                break
            prompt = f"Withdraw {counted(todo[kind], KIND_NAMES[kind])}: choose a unit"
            unit = yield from choose_unit(
                g, side, "withdraw.unit", prompt, "3.3", units, todo[kind], True, partial(why_not_click, kind=kind)
            )
            leave(g, side, unit)
            todo[kind] -= 1
        todo.pop(kind, None)


def why_not_withdrawn(g: G, side: int, kind: str, unit: int) -> Refusal | None:
    """Withdraw a unit of the kind, on the map; one in an enemy ZOC only if no other of the kind is left (3.3)."""
    who = name(unit)
    if SIDE[unit] != side:
        return Refusal(f"{who} is not yours", "3.3", who)
    if not KINDS[kind][unit]:
        return Refusal(f"{who} cannot be withdrawn: not an {KIND_NAMES[kind]}", "3.3", who)
    if not on_map(g, unit):
        return Refusal(f"{who} cannot be withdrawn: not on the map", "3.3", who)
    where = g.state.where
    free = [u for u in FORCES[side] if KINDS[kind][u] and on_map(g, u) and not in_zone(g, 1 - side, where[u])]
    if free and unit not in free:
        return Refusal(f"{who} cannot be withdrawn: in an enemy ZOC, and others are not", "3.3", name(free[0]))
    return None


def why_not_click(g: G, decision: Decision, click: int, kind: str) -> Refusal | None:
    """Return why a unit cannot be withdrawn."""
    return why_not_withdrawn(g, decision.side, kind, click) if g.is_unit(click) else None


def leave(g: G, side: int, unit: int) -> None:
    """Withdraw a unit to the dead pile, from which replacement steps can rebuild it; a box it leaves empty is removed
    (1.11c, 1.16, 3.3)."""
    g.state.where[unit] = DEAD[side]
    g.state.steps[unit] = 0
    g.log("3.3", "{unit} is withdrawn", unit=unit)
    boxes.remove_empty(g)


# Replacement steps (1.11)


def replace(g: G, side: int) -> Procedure:
    """Replacement steps are used at once, on any units of the side; what cannot be used is lost. A rebuilt unit is in supply
    and captures an enemy dump in its hex (1.8, 1.11, SCS 11.4)."""
    done, cancel, todo = g.rules.button("done"), g.rules.button("cancel"), g.state.todo
    while todo.get(STEPS_LEFT, 0):
        if not any(why_not_replaced(g, side, unit) is None for unit in FORCES[side]):
            break
        prompt = f"Use {counted(todo[STEPS_LEFT], 'replacement step')}: choose a unit"
        click = yield g.ask(
            side, "replace.unit", prompt, "1.11", maybe=FORCES[side], buttons=[done], top=True, why_not=why_not_chosen,
        )  # fmt: skip
        if click == done:
            break
        if g.state.where[click] == DEAD[side]:
            where = yield g.ask(
                side, "replace.place", f"Choose where {name(click)} is rebuilt", "1.11b", buttons=[cancel], about=[click],
                maybe=[g.place0 + location for location in near_dumps(g, side)], why_not=partial(why_not_there, unit=click),
            )  # fmt: skip
            if where == cancel:
                continue
            g.state.steps[click] = 1
            yield from control.enter(g, side, [click], g.location(where))
            g.state.flags[click] &= ~(MOVED | OOS)
        else:
            g.state.steps[click] += 1
        todo[STEPS_LEFT] -= 1
        g.log("1.11", "{unit} has {steps}", unit=click, steps=counted(g.state.steps[click], "step"))
    todo.pop(STEPS_LEFT, None)
    yield from rommel.displace(g)


def why_not_replaced(g: G, side: int, unit: int) -> Refusal | None:
    """A unit regains steps outside enemy ZOCs, up to those printed; an eliminated one where it can be rebuilt
    (1.11a, 1.11b, 1.11c)."""
    who, where = name(unit), g.state.where[unit]
    if SIDE[unit] != side:
        return Refusal(f"{who} is not yours", "1.11", who)
    if unit == ROMMEL:
        return Refusal(f"{who} cannot regain steps: he is not a unit", "2.3", who)
    if where == DEAD[side]:
        refusal = why_gone(g, unit)
        if refusal is not None:
            return refusal
        none = Refusal(
            f"{who} cannot be rebuilt: no hex next to a dump, and no box with SPs, can take it", "1.11b", who
        )
        return none if next(havens(g, side, unit), None) is None else None
    if where == OUT:
        rule = "2.8" if who in EXCHANGED else "2.9" if side == AXIS else "3.2"
        return Refusal(f"{who} cannot be rebuilt: not in the game", rule, who)
    if not 0 <= where < HEXES and where not in (TRIPOLI, JOINING):
        return Refusal(f"{who} cannot regain steps: not in play", "1.11", who)
    if g.state.steps[unit] >= STEPS[unit]:
        return Refusal(f"{who} cannot regain steps: it has lost none", "1.11", who)
    if where < HEXES and in_zone(g, 1 - side, where):
        return Refusal(f"{who} cannot regain steps: in an enemy ZOC", "1.11a", zone_names(g, where, 1 - side)[0])
    return None


def why_gone(g: G, unit: int) -> Refusal | None:
    """Return why an eliminated unit does not return now: it is still to arrive (5.2)."""
    who, arrival = name(unit), setting(g).arrivals.get(unit)
    if arrival is not None and arrival.turn > g.state.turn:
        return Refusal(f"{who} cannot be rebuilt: it arrives on turn {arrival.turn}", "1.11b", who)
    return None


def havens(g: G, side: int, unit: int) -> Iterator[int]:
    """Return where an eliminated unit can be rebuilt (1.11b)."""
    return (place for place in near_dumps(g, side) if why_not_haven(g, side, unit, place) is None)


def near_dumps(g: G, side: int) -> list[int]:
    """Return the hexes next to dumps, and the off-map boxes with SPs (1.11b)."""
    points = stock(g, side)
    near = {hex for dump in points if dump < HEXES for hex in BOARD.around(dump)}
    return [*sorted(near), *(box for box in (TRIPOLI, JOINING) if side == AXIS and box in points)]


def why_not_haven(g: G, side: int, unit: int, location: int) -> Refusal | None:
    """An eliminated unit appears next to a dump, outside enemy ZOCs, with room, or in an off-map box with SPs;
    ZOCs on the dump itself do not matter (1.3, 1.11b)."""
    label, points = BOARD.name(location), stock(g, side)
    cannot = f"{name(unit)} cannot be rebuilt in {label}"
    if location >= HEXES:
        box = side == AXIS and location in (TRIPOLI, JOINING) and location in points
        return None if box else Refusal(f"{cannot}: not an off-map box of yours with SPs", "1.11b", label)
    if not any(near in points for near in BOARD.around(location)):
        return Refusal(f"{cannot}: not next to a dump of yours", "1.11b", label)
    if not BOARD.enterable(location):
        return Refusal(f"{cannot}: {BOARD.terrain_name(location)}", "1.5c", label)
    for enemy in forces_in(g, 1 - side, location):
        return Refusal(f"{cannot}: {name(enemy)} is there", "1.11b", name(enemy))
    if in_zone(g, 1 - side, location):
        return Refusal(f"{cannot}: in an enemy ZOC", "1.11b", zone_names(g, location, 1 - side)[0])
    return POINTS.refusal(location, label) if STACKING[unit] > POINTS.room(g, side, location) else None


def why_not_chosen(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a unit cannot use a replacement step."""
    return why_not_replaced(g, decision.side, click) if g.is_unit(click) else None


def why_not_there(g: G, decision: Decision, click: int, unit: int) -> Refusal | None:
    """Return why a unit cannot be rebuilt in a location."""
    if not g.place0 <= click < g.rules.first_button:
        return None
    return why_not_haven(g, decision.side, unit, g.location(click))
