"""Retreats (SCS 10): as many hexes as the result says, each further away, through as few enemy ZOCs as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from khamsin.games.afrika import control, losses, rommel
from khamsin.games.afrika.ground import OFF_MAP, OPEN_SIDES
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.stacking import POINTS
from khamsin.games.afrika.units import BOARD, G, forces_in, hex_of, name, names, on_map
from khamsin.games.afrika.zones import zone
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import retreat as mechanic
from khamsin.mechanics.retreat import Bar, End, Path, Plan


class Flight(NamedTuple):
    """Units of a side that retreat a number of hexes from where they are."""

    side: int
    units: tuple[int, ...]
    hexes: int


def retreat(g: G, side: int, units: Sequence[int], hexes: int) -> Procedure:
    """Every surviving unit of a side retreats; its owner moves them together or apart, and cannot lose steps instead (
    SCS 9.1, SCS 10.1, SCS 10.5). A unit without a path is destroyed (SCS 3.7, SCS 10.2)."""
    flight = Flight(side, tuple([unit for unit in units if on_map(g, unit)]), hexes)
    waiting = {unit: g.state.where[unit] for unit in flight.units}
    while waiting:
        stuck = [unit for unit in waiting if not ends(g, flight, [unit])]
        if stuck:
            losses.eliminate(g, stuck[0], "SCS 10.2")
            del waiting[stuck[0]]
            continue
        group, hex = yield from mechanic.choose(
            g, side, waiting, partial(ends, g, flight), "SCS 10.1", partial(why_not, flight=flight)
        )
        for unit in group:
            del waiting[unit]
        yield from go(g, side, group, ends(g, flight, group)[hex])
    yield from rommel.displace(g)


def go(g: G, side: int, units: Sequence[int], path: Path) -> Procedure:
    """Units retreat along a path. Each hex in an enemy ZOC that no friend cancels costs the stack a step (SCS 10.3)."""
    start, bare = g.state.where[units[0]], bare_zones(g, side, path)
    for unit in units:
        g.log("SCS 10.1", "{unit} retreats to {hex}", unit=unit, hex=path[-1])
    yield from control.enter(g, side, units, path[-1], path[:-1])
    if bare:
        g.log("SCS 10.3", "The retreat passes {number} hexes in enemy ZOCs", number=bare)
        yield from losses.lose(g, side, units, bare, None, "SCS 10.3")
    rommel.follow(g, start, path[-1])


def bare_zones(g: G, side: int, path: Path) -> int:
    """The hexes of a path in an enemy ZOC without a friendly unit (SCS 10.3)."""
    zoned = zone(g, 1 - side)
    return len([hex for hex in path if zoned[hex] and not forces_in(g, side, hex)])


def harm(g: G, side: int, path: Path) -> tuple[int, int]:
    """How bad a path is: hexes free of enemy ZOCs come first, then ZOCs that a friendly unit is in, then bare ones (
    SCS 10.2)."""
    zoned = zone(g, 1 - side)
    bare = bare_zones(g, side, path)
    return bare, len([hex for hex in path if zoned[hex]]) - bare


def ends(g: G, flight: Flight, units: Sequence[int]) -> dict[int, Path]:
    """Where units of one hex can end their retreat together, each hex with its best path (SCS 10.1, SCS 10.2)."""
    plan = plan_of(g, flight, units)
    return {hex: best_paths(g, flight.side, plan)[hex] for hex in mechanic.ends(plan)}


def best_paths(g: G, side: int, plan: Plan) -> Mapping[int, Path]:
    """For each hex that a retreat can reach the path with the least harm."""
    found: dict[int, Path] = {}
    for path in mechanic.paths(plan):
        hex = path[-1]
        if hex not in found or harm(g, side, path) < harm(g, side, found[hex]):
            found[hex] = path
    return found


def plan_of(g: G, flight: Flight, units: Sequence[int]) -> Plan:
    """What decides where units can retreat. Each step leads further from the hex they leave (SCS 10.1); a retreat that would
    end in a full hex goes on for one more (SCS 4.4)."""
    side, start = flight.side, g.state.where[units[0]]
    who, points, outside = names(units), POINTS.size(units), OFF_MAP[setting(g).maps]

    def full(hex: int) -> bool:
        return points > POINTS.room(g, side, hex)

    bars = (
        Bar(lambda here, there: there not in OPEN_SIDES[here] or there in outside, partial(why_closed, who)),
        Bar(lambda here, there: bool(forces_in(g, 1 - side, there)), partial(why_occupied, g, side)),
        Bar(
            lambda here, there: BOARD.distance(start, there) <= BOARD.distance(start, here),
            partial(why_not_away, who),
        ),
    )
    bare = Plan(
        start, flight.hexes, flight.hexes, BOARD.around, bars,
        ends=(End(full, lambda hex: POINTS.refusal(hex, BOARD.name(hex))),),
        why_too_far=lambda hex: Refusal(
            f"{who} cannot retreat to {BOARD.name(hex)}: not {flight.hexes} hexes away", "SCS 10.1", BOARD.name(hex)
        ),
        harm=lambda hex: 0,
        why_worse=partial(why_worse, who),
        goes_on=full,
    )  # fmt: skip
    best = best_paths(g, side, bare)
    return Plan(
        start, flight.hexes, flight.hexes, BOARD.around, bars, bare.ends, bare.why_too_far,
        lambda hex: harm(g, side, best[hex]), bare.why_worse, full,
    )  # fmt: skip


def why_not(g: G, decision: Decision, click: int, flight: Flight) -> Refusal | None:
    """Why a unit does not retreat, or units cannot retreat to a hex (SCS 10.1, SCS 10.2)."""
    if g.is_unit(click):
        text = "it has retreated" if click in flight.units else "it is not in this retreat"
        return Refusal(f"{name(click)} cannot retreat: {text}", "SCS 10.1", name(click))
    hex = hex_of(g, click)
    if hex is None:
        box = click < g.rules.first_button
        label = g.rules.names[click]
        return Refusal(f"{names(decision.about)} cannot retreat into a box", "SCS 10.2", label) if box else None
    return mechanic.why_not(plan_of(g, flight, decision.about), hex)


def why_closed(who: str, here: int, there: int) -> Refusal:
    """That the ground is closed to a retreat (1.5a, SCS 3.7)."""
    label = BOARD.name(there)
    return Refusal(f"{who} cannot retreat from {BOARD.name(here)} to {label}: closed ground", "SCS 3.7", label)


def why_not_away(who: str, here: int, there: int) -> Refusal:
    """That a step of a retreat leads back (SCS 10.1)."""
    label = BOARD.name(there)
    return Refusal(f"{who} cannot retreat through {label}: each hex must be further away", "SCS 10.1", label)


def why_occupied(g: G, side: int, here: int, there: int) -> Refusal:
    """That an enemy is in the way of a retreat (SCS 10.2)."""
    enemy = name(forces_in(g, 1 - side, there)[0])
    return Refusal(f"no retreat leads through {BOARD.name(there)}: {enemy} is there", "SCS 10.2", enemy)


def why_worse(who: str, hex: int) -> Refusal:
    """That another hex is reached through fewer enemy ZOCs (SCS 10.2)."""
    label = BOARD.name(hex)
    return Refusal(f"{who} cannot retreat to {label}: other paths enter fewer enemy ZOCs", "SCS 10.2", label)
