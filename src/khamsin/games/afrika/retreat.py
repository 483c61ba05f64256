"""Retreats (SCS 10): as many hexes as the result says, each further away, through as few enemy ZOCs as possible."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from khamsin.games.afrika import control, losses, offmap, rommel
from khamsin.games.afrika.ground import OFF_MAP, OPEN_SIDES
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.stacking import POINTS
from khamsin.games.afrika.units import (
    AXIS,
    BOARD,
    BOXES,
    EDGE,
    HEXES,
    JOINING,
    OUT,
    ROMMEL,
    G,
    forces_in,
    name,
    names,
    on_map,
)
from khamsin.games.afrika.zones import zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, NEVER, Network
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import retreat as mechanic
from khamsin.mechanics.bars import Bars
from khamsin.mechanics.retreat import Path, Plan
from khamsin.mechanics.showing import counted
from khamsin.mechanics.stacks import names_in, occupied
from khamsin.mechanics.ways import End, Ground, Layout, Way


class Flight(NamedTuple):
    """Units of a side that retreat a number of hexes from where they are."""

    side: int
    units: tuple[int, ...]
    hexes: int


class Exit(NamedTuple):
    """The hexes from which a side may retreat off the map, and the box."""

    hexes: tuple[int, ...]
    box: int


def exit_of(g: G, side: int) -> Exit:
    """The Axis retreats into the Joining Box of a campaign, either side off its supply edge in a short scenario (SCS 10.2)."""
    if setting(g).short:
        return Exit(setting(g).edges[side], OUT)
    return Exit(EDGE if side == AXIS else (), JOINING)


def retreat(g: G, side: int, units: Sequence[int], hexes: int) -> Procedure:
    """Every surviving unit of a side retreats; its owner moves them together or separately, and cannot lose steps
    instead (SCS 9.1, SCS 10.1, SCS 10.5). A unit without a path is eliminated (SCS 3.7, SCS 10.2)."""
    flight = Flight(side, tuple([unit for unit in units if on_map(g, unit)]), hexes)
    waiting = {unit: g.state.where[unit] for unit in flight.units}
    while waiting:
        stuck = next((unit for unit in waiting if mechanic.is_stuck(plan_of(g, flight, [unit]))), None)
        if stuck is not None:
            losses.eliminate(g, stuck, "SCS 10.2")
            del waiting[stuck]
            continue
        group, hex = yield from mechanic.choose(
            g, side, waiting, partial(ends, g, flight), "SCS 10.1", partial(why_not, flight=flight)
        )
        for unit in group:
            del waiting[unit]
        yield from go(g, side, group, ends(g, flight, group)[hex])
    yield from rommel.displace(g)


def go(g: G, side: int, units: Sequence[int], path: Path) -> Procedure:
    """Retreat units along a path. Each hex in an enemy ZOC that no friendly unit cancels costs the stack a step; where
    the last one is lost the retreat ends (SCS 10.3)."""
    path = path_survived(g, side, units, path)
    start, bare = g.state.where[units[0]], bare_zones(g, side, path)
    text = "{unit} retreats off the map" if path[-1] == OUT else "{unit} retreats to {hex}"
    for unit in units:
        g.log("SCS 10.1", text, unit=unit, hex=path[-1])
    yield from control.enter(g, side, units, path[-1], path[:-1])
    if bare:
        hexes = "{number} hexes in enemy ZOCs" if bare > 1 else "a hex in an enemy ZOC"
        g.log("SCS 10.3", "The retreat passes " + hexes, number=bare)
        yield from losses.lose(g, side, units, bare, None, "SCS 10.3")
    yield from rommel.accompany(g, start, path[-1])


def path_survived(g: G, side: int, units: Sequence[int], path: Path) -> Path:
    """Return the hexes of a path that units enter: none after that in which they lose their last step (SCS 10.3)."""
    left = sum([g.state.steps[unit] for unit in units])
    for number, hex in enumerate(path, 1):
        left -= bare_zones(g, side, (hex,))
        if not left:
            return path[:number]
    return path


def bare_zones(g: G, side: int, path: Path) -> int:
    """Return the hexes of a path in an enemy ZOC without a friendly unit (SCS 10.3)."""
    return harm(g, side, path)[0]


def harm(g: G, side: int, path: Path) -> tuple[int, int]:
    """Return how bad a path is: hexes free of enemy ZOCs are best, then ZOCs with a friendly unit, then others
    (SCS 10.2)."""
    zoned = zone(g, 1 - side)
    entered = [hex for hex in path if hex < HEXES and zoned[hex]]
    bare = len([hex for hex in entered if not forces_in(g, side, hex)])
    return bare, len(entered) - bare


def ends(g: G, flight: Flight, units: Sequence[int]) -> dict[int, Path]:
    """Return where units of one hex can end their retreat together, each hex with its best path (SCS 10.1, SCS 10.2)."""
    return mechanic.ends(plan_of(g, flight, units))


def plan_of(g: G, flight: Flight, units: Sequence[int]) -> Plan:
    """Return the conditions of a retreat. Each step leads further from the hex they leave, so the distance equals the
    number of steps, but off the map any number counts (SCS 10.1, SCS 10.2); a retreat that would end in a full hex
    continues for one more (SCS 4.4)."""
    side, start, leaves = flight.side, g.state.where[units[0]], exit_of(g, flight.side)
    who, points, enemy = names(units), POINTS.size(units), 1 - flight.side

    def why_full(hex: int) -> Refusal | None:
        return POINTS.refusal(hex, BOARD.name(hex)) if hex < HEXES and points > POINTS.room(g, side, hex) else None

    def why_too_far(hex: int) -> Refusal:
        label = BOARD.name(hex)
        return Refusal(
            f"{who} cannot retreat to {label}: not {counted(flight.hexes, 'hex', 'hexes')} away", "SCS 10.1", label
        )

    def why_too_near(hex: int) -> Refusal | None:
        return why_too_far(hex) if hex < HEXES and BOARD.distance(start, hex) < flight.hexes else None

    bars = (
        bar(CLOSED, OFF_MAP[setting(g).maps], "SCS 3.7", "{hex} is closed ground"),
        bar(CLOSED, occupied(g, enemy), "SCS 10.2", "{hex} is occupied by {cause}", OCCUPYING[enemy]),
    )
    return Plan(
        Way(ground_with(leaves), (start,), bars), who, 1, flight.hexes,
        ends=(End(why_too_near, lambda: ()), End(why_full, lambda: ())),
        around=partial(around, leaves),
        why_too_far=why_too_far,
        why_no_crossing=partial(why_closed, who),
        harm=lambda hex: 0,
        why_worse=partial(why_worse, who),
        why_not_step=partial(why_not_away, who, start),
        path_harm=partial(harm, g, side),
        goes_on=lambda hex: why_full(hex) is not None,
    )  # fmt: skip


OCCUPYING = tuple(partial(names_in, side=side) for side in range(2))
LAYOUT = Layout(range(len(BOARD.names)))
"""The hexes and the boxes, one node each."""
bar = Bars(LAYOUT)


@lru_cache
def ground_with(leaves: Exit) -> Ground:
    """Return the ground of a retreat: from hex to hex, and off the map where the side may leave it (SCS 10.2)."""
    targets = np.full((len(BOARD.names), 7), NOWHERE, dtype=np.int16)
    for hex in range(HEXES):
        targets[hex, : len(OPEN_SIDES[hex])] = OPEN_SIDES[hex]
    targets[list(leaves.hexes), 6] = leaves.box
    return Ground(Network(targets, np.where(targets == NOWHERE, NEVER, 1)), LAYOUT, BOARD.name)


def around(leaves: Exit, hex: int) -> tuple[int, ...]:
    """Return the locations adjacent to a hex, whatever the ground between."""
    if hex >= HEXES:
        return ()
    return (*BOARD.around(hex), leaves.box) if hex in leaves.hexes else BOARD.around(hex)


def why_not(g: G, decision: Decision, click: int, flight: Flight) -> Refusal | None:
    """Return why a unit does not retreat, or units cannot retreat to a hex (1.13, 2.3, SCS 10.1, SCS 10.2)."""
    if click == ROMMEL:
        return Refusal("Rommel cannot retreat: he moves with units of his hex", "2.3", name(ROMMEL))
    if g.is_unit(click):
        if click in decision.legal:
            return None
        text = "it has already retreated" if click in flight.units else "it is not in this retreat"
        return Refusal(f"{name(click)} cannot retreat: {text}", "SCS 10.1", name(click))
    if click >= g.rules.first_button:
        return None
    location = g.location(click)
    if location in BOXES and not offmap.is_used(g, flight.side):
        label = g.rules.names[click]
        text = f"{names(decision.about)} cannot retreat into {label}: off-map boxes are for the Axis in a campaign"
        return Refusal(text, "1.13", label)
    if location >= HEXES and location != exit_of(g, flight.side).box:
        label = g.rules.names[click]
        return Refusal(f"{names(decision.about)} cannot retreat into {label}: not next to the map", "SCS 10.2", label)
    return mechanic.why_not(g, plan_of(g, flight, decision.about), location)


def why_closed(who: str, here: int, there: int) -> Refusal:
    """Return that the ground is closed to a retreat (1.5a, SCS 3.7)."""
    label = BOARD.name(there)
    return Refusal(f"{who} cannot retreat from {BOARD.name(here)} to {label}: closed ground", "SCS 3.7", label)


def why_not_away(who: str, start: int, here: int, there: int) -> Refusal | None:
    """Return why a step of a retreat is forbidden: each leads further from the hex that was left (SCS 10.1)."""
    if there >= HEXES or BOARD.distance(start, there) > BOARD.distance(start, here):
        return None
    label = BOARD.name(there)
    return Refusal(f"{who} cannot retreat through {label}: each hex must be further away", "SCS 10.1", label)


def why_worse(who: str, hex: int) -> Refusal:
    """Return that another hex is reached through fewer enemy ZOCs (SCS 10.2)."""
    label = BOARD.name(hex)
    return Refusal(f"{who} cannot retreat to {label}: other paths enter fewer enemy ZOCs", "SCS 10.2", label)
