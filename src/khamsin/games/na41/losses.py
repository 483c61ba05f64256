"""Step losses, remnants, elimination and surrender (8.7, 10.2, 10.3, 10.4, 12.5, 17.2.3, 27.1)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial

from khamsin.games.na41 import supply
from khamsin.games.na41.units import (
    ALLIED,
    AXIS,
    BOARD,
    CAPTURED,
    COMBAT,
    ELIMINATED,
    MSU,
    POOL,
    REMNANT_POOL,
    REMNANTS,
    SIDE,
    STEPS,
    SURRENDERED,
    TRUCK,
    UNITS,
    G,
    add_supply,
    combat_units,
    name,
    on_map,
    others,
    stock,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.losses import why_no_step

REMNANT_STEPS = 3
"""The steps of units that leave a remnant (2.3.5)."""


def lose(g: G, chooser: int, units: Sequence[int], first: Sequence[int], rule: str) -> Procedure:
    """A force loses a step. The chooser picks the unit, one of those in `first` while any is left. Pieces stacked with
    the last combat unit of a hex are eliminated or captured with it (10.2.1, 10.2.2, 27.1)."""
    force = [unit for unit in units if g.state.steps[unit] and on_map(g, unit)]
    choice = [unit for unit in force if unit in first] or force
    if not choice:
        return
    unit = choice[0]
    if len(choice) > 1:
        hexes = sorted({g.state.where[one] for one in choice})
        whose = "your" if SIDE[unit] == chooser else "the enemy's"
        where = f" at {BOARD.name(hexes[0])}" if len(hexes) == 1 else ""
        unit = yield g.ask(
            chooser, "combat.losses", f"Choose one of {whose} units{where} to lose a step", rule,
            units={one: {"steps": g.state.steps[one]} for one in choice},
            why_not=partial(why_no_step, force=tuple(force), must=tuple(choice), why_first=why_first),
        )  # fmt: skip
    side, hex = SIDE[unit], g.state.where[unit]
    yield from lose_step(g, unit, rule)
    abandon(g, side, hex, g.state.where[unit] == SURRENDERED[side])


def why_first(g: G, unit: int) -> Refusal:
    """Return that a unit which contributed strength to the combat loses the step (10.2.2)."""
    return Refusal(
        f"{name(unit)} or another unit that contributed strength must lose the step first", "10.2.2", name(unit)
    )


def lose_step(g: G, unit: int, rule: str, surrendering: bool | None = None) -> Procedure:
    """A unit loses a step: it is reduced, leaves a remnant, or is eliminated; `surrendering` as in `eliminate` (10.3,
    10.4.1, 16.5.2)."""
    state = g.state
    if STEPS[unit] == REMNANT_STEPS and state.steps[unit] == REMNANT_STEPS - 1:
        keeps = yield from keeps_remnant(g, unit)
        if not keeps:
            eliminate(g, unit, "10.4.2", surrendering)
            return
    state.steps[unit] -= 1
    if not state.steps[unit]:
        eliminate(g, unit, rule, surrendering)
        return
    remnant = STEPS[unit] == REMNANT_STEPS and state.steps[unit] == 1
    g.log(
        rule, "{unit} loses a step: a remnant is left" if remnant else "{unit} loses a step and is reduced", unit=unit
    )


def keeps_remnant(g: G, unit: int) -> Generator[Decision, int, bool]:
    """Whether a 3-step unit is replaced by a remnant: its owner decides, if its display has one left (10.4.1, 10.4.2)."""
    if not remnants_left(g, unit):
        g.log("10.4.2", "{unit} has no remnant available", unit=unit)
        return False
    yes, no = g.rules.button("remnant"), g.rules.button("eliminate")
    click = yield g.ask(
        SIDE[unit], "combat.remnant", f"{name(unit)} loses its second step: keep a remnant, or eliminate it", "10.4.2",
        buttons=[yes, no], about=[unit],
    )  # fmt: skip
    return click == yes


def remnants_left(g: G, unit: int) -> int:
    """Return the remnant counters left in the display that a 3-step unit uses (10.4.1)."""
    pool = REMNANT_POOL[unit]
    used = [u for u in UNITS if REMNANT_POOL[u] == pool and pool and g.state.steps[u] == 1]
    return REMNANTS.get(pool, 0) - len(used)


# Elimination and surrender


def eliminate(g: G, unit: int, rule: str, surrendering: bool | None = None) -> None:
    """Remove a unit from the map. A combat unit is placed in the Eliminated Box, or surrenders if it is out of supply
    at that moment; `surrendering` says so outside combat and retreat. Trucks are placed in the Eliminated Box,
    replacements in their pool (8.7, 10.3, 12.5.1, 12.5.2, 19.2.2)."""
    side = SIDE[unit]
    if surrendering is None:
        surrendering = on_map(g, unit) and supply.status(g, unit) == supply.NONE
    if COMBAT[unit] and surrendering:
        _remove(g, unit, SURRENDERED[side])
        g.log_loss("12.5.1", "{unit} surrenders", unit=unit)
        return
    box = ELIMINATED[side] if COMBAT[unit] or TRUCK[unit] else POOL[side]
    _remove(g, unit, NOWHERE if CAPTURED[unit] else box)
    g.log_loss(rule, "{unit} is eliminated", unit=unit)


def surrender(g: G, unit: int) -> None:
    """A unit surrenders and is out of play for two turns (12.5.1, 12.5.2)."""
    eliminate(g, unit, "12.5.1", surrendering=True)


def _remove(g: G, unit: int, box: int) -> None:
    """Remove a piece from the map without markers."""
    state = g.state
    state.where[unit] = box
    state.flags[unit] = 0
    state.battle[unit] = state.auto[unit] = 0
    if COMBAT[unit]:
        state.steps[unit] = 0


# Pieces without combat units


def abandon(g: G, side: int, hex: int, surrendered: bool) -> None:
    """The trucks, replacements and Supply Points of a side in a hex without its combat units are eliminated or captured (8.7,
    10.2.2, 14.6). A truck with units that surrender may be captured (27.1)."""
    if combat_units(g, side, hex):
        return
    for unit in others(g, side, hex):
        loaded = bool(g.state.flags[unit] & MSU)
        if TRUCK[unit] and surrendered:
            capture_truck(g, side, hex)
        eliminate(g, unit, "8.7")
        if loaded:
            capture_point(g, side, hex)
    for _ in range(stock(g, side).pop(hex, 0)):
        capture_point(g, side, hex)
    for amounts in (g.state.pledged, g.state.landed):
        amounts.pop(hex, None)


def capture_point(g: G, side: int, hex: int) -> None:
    """A roll decides whether a Supply Point of a side is captured or destroyed by the enemy (17.2.3)."""
    captured = g.table("capture").roll(g.dice, 0, 0, f"Supply Point at {BOARD.name(hex)}")
    if captured:
        add_supply(g, 1 - side, hex)
    text = "A Supply Point at {hex} is captured" if captured else "A Supply Point at {hex} is destroyed"
    g.log("17.2.3", text, hex=hex)


def capture_truck(g: G, side: int, hex: int) -> None:
    """The Axis gains a Captured Truck where an Allied stack surrenders, as an option, two in play at most (27.1)."""
    if side != ALLIED or g.options.get("truck-capture") != "on":
        return
    free = [unit for unit in UNITS if CAPTURED[unit] and g.state.where[unit] == NOWHERE]
    if free:
        g.state.where[free[0]] = hex
        g.log("27.1", "{side} captures a truck at {hex}: {unit}", side=AXIS, hex=hex, unit=free[0])
