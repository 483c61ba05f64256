"""The destinations of a stack in each of its modes (OCS 4, OCS 5, OCS 6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from khamsin.games.tunisia import control, cooperation, fuel, modes, overrun
from khamsin.games.tunisia.ground import LAYOUT, OPEN_SIDES, OUTSIDE_BARS, bridges, ground_of
from khamsin.games.tunisia.movers import can_move, interdicted, is_later, is_mud, points, released, shown
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.stacking import SIZE
from khamsin.games.tunisia.units import (
    AROUND,
    AXIS,
    BOARD,
    CHANGED,
    EXTENDER,
    HEXES,
    IS_HQ,
    MOBILITY,
    MOVE,
    MOVING,
    RESERVE,
    SCALE,
    STRAT,
    TRUCK,
    G,
    attack_capable,
    forces_in,
    joint,
    name,
    trucks_in,
    whom,
)
from khamsin.games.tunisia.zones import front, in_zone, zone_names
from khamsin.kernel.flood import CLOSED
from khamsin.kernel.rules import Hint, Refusal
from khamsin.mechanics import ways
from khamsin.mechanics.bars import Bars
from khamsin.mechanics.destinations import Destinations
from khamsin.mechanics.ways import TOLL, Bar, End, Hindrance, Hold, Limit, Reach, Way

bar = Bars(LAYOUT)


class Option(NamedTuple):
    """One mode in which a stack can move: the button of the mode ("" for as it is), the flags of its units, and the way."""

    word: str
    flags: tuple[int, ...]
    way: Way


def options(g: G, side: int, units: Sequence[int]) -> list[Option]:
    """Return the modes in which a stack can move, from the least demanding on (OCS 5(1))."""
    now = tuple([g.state.flags[unit] for unit in units])
    if is_later(g):
        return [option(g, side, units, "", tuple([released(flags) for flags in now]))]
    if joint(now) & (CHANGED | MOVING):
        return [option(g, side, units, "", now)]
    found = []
    known: fuel.Known = {}
    for word in ("combat", "move", "strat"):
        flags = tuple([modes.flags_in(g, unit, word) for unit in units])
        if flags == now:
            found.append(option(g, side, units, "", flags, known))
        elif not [unit for unit in units if not able_in(g, side, unit, word)]:
            found.append(option(g, side, units, word, flags, known))
    if "" not in [one.word for one in found]:
        found.insert(0, option(g, side, units, "", now, known))
    return found


def able_in(g: G, side: int, unit: int, word: str) -> bool:
    """Whether a unit is in a mode or can take it; trucks and replacements stay in Move Mode next to others."""
    return modes.flags_in(g, unit, word) == g.state.flags[unit] or modes.why_not(g, side, unit, word) is None


def option(
    g: G, side: int, units: Sequence[int], word: str, flags: tuple[int, ...], known: fuel.Known | None = None
) -> Option:
    """Return one mode of a stack with its way. `known` caches its fuel from one mode to the next."""
    mobilities = frozenset([MOBILITY[unit][int(bool(mode & MOVE))] for unit, mode in zip(units, flags, strict=True)])
    hindrances = tuple(hinder(g, side, units, flags, mobilities, known))
    return Option(word, flags, Way(ground_of(mobilities, bridges(g, side)), (g.state.where[units[0]],), hindrances))


def hinder(
    g: G,
    side: int,
    units: Sequence[int],
    flags: Sequence[int],
    mobilities: frozenset[int],
    known: fuel.Known | None = None,
) -> Iterator[Hindrance]:
    """Return the hindrances of a stack, from soft to hard: its MPs, fuel, nations that keep apart, ZOCs for trucks,
    Strat Mode, booty that only attack-capable units capture, enemy units, the area of the scenario (4.0b, OCS 3(5),
    OCS 4(2), OCS 5, OCS 6)."""
    any_of = joint(flags)
    yield Limit(points(g, units, flags), "OCS 6(1)", "costs {cost} MPs, {left} left", shown)
    if is_mud(g):
        yield Hold("1.3", "there is no movement in Mud", name(units[0]))
    if any_of & EXTENDER:
        yield Hold("OCS 11.6", "an extender stays where it is", name(units[0]))
    dry = fuel.why_not(g, side, units, flags, known)
    if dry is not None:
        yield Hold(dry.rule, f"fuel {dry.reason.partition(': ')[2]}", dry.cause)
    apart = cooperation.why_apart(g, units, "move")
    if apart is not None:
        yield Hold(apart.rule, f"{apart.cause} keeps apart: no Allied cooperation", apart.cause)
    enemy = front(g, 1 - side)
    if TRUCK in mobilities:  # OCS 4(3)
        yield from stopped(g, side, units, flags)
        yield enemy.stop
    if any_of & STRAT:
        yield enemy.strat
    if not [unit for unit, mode in zip(units, flags, strict=True) if attack_capable(unit, mode)]:
        booty = control.booty_hexes(g, 1 - side)
        if booty:
            yield bar(
                CLOSED,
                booty,
                "OCS 3(5)",
                "only attack-capable units enter {hex}, which has enemy supply, trucks, a base, a port or a hedgehog",
            )
    if g.state.interdicted:
        yield from interdiction(g, side, mobilities)
    yield enemy.closed
    outside = OUTSIDE_BARS.get(setting(g).number)
    if outside is not None:
        yield outside


def stopped(g: G, side: int, units: Sequence[int], flags: Sequence[int]) -> Iterator[Hold]:
    """Truck units that have moved into an enemy ZOC stay there, unless another friendly unit in the hex negates it;
    they may still overrun (OCS 4(2))."""
    here, state = g.state.where[units[0]], g.state
    trucks = [u for u, mode in zip(units, flags, strict=True) if MOBILITY[u][int(bool(mode & MOVE))] == TRUCK]
    entered = [unit for unit in trucks if state.spent[unit] and state.origin[unit] != here]
    if not entered or [friend for friend in forces_in(g, side, here) if friend not in units]:
        return
    if in_zone(g, 1 - side, here):
        enemy = zone_names(g, here, 1 - side)[0]
        yield Hold("OCS 4(2)", f"truck units must stop in the ZOC of {enemy}, which they have entered", enemy)


def interdiction(g: G, side: int, mobilities: frozenset[int]) -> Iterator[Hindrance]:
    """Entering an interdicted hex costs a MP more (OCS 6(6), OCS 14.7)."""
    hexes = interdicted(g, side, mobilities)
    if hexes:
        yield toll(hexes)


@cache
def toll(hexes: frozenset[int]) -> Bar:
    """Return the cost of interdicted hexes."""
    nothing = np.zeros(HEXES, dtype=np.uint8)
    return Bar(
        TOLL,
        nothing,
        "OCS 14.7",
        "with 1 MP more in interdicted hexes it is too far",
        into=LAYOUT.mask(hexes),
        toll=SCALE,
    )


def ends(g: G, side: int, units: Sequence[int], one: Option) -> tuple[End, ...]:
    """Return where a stack may not end in a mode (OCS 3(1), OCS 5)."""
    return (*ends_of_stack(g, side, units), *ends_of_mode(g, side, units, one))


def ends_of_stack(g: G, side: int, units: Sequence[int]) -> tuple[End, ...]:
    """A stack may pass a full hex but not end there unless units in it can still leave; nor, by variant 4.0b, with nations that
    keep apart (4.0b, OCS 3(1))."""
    full = SIZE.end(g, side, units, lambda unit: unit not in units and can_move(g, side, unit))
    if not cooperation.is_played(g):
        return (full,)
    return full, End(partial(cooperation.why_not_stacked, g, units), lambda: g.state.where.stacks(side))


def ends_of_mode(g: G, side: int, units: Sequence[int], one: Option) -> Iterator[End]:
    """Reserve Mode does not end with a hedgehog, Strat Mode ends where it traces supply (OCS 5)."""
    any_of = joint(one.flags)
    if any_of & RESERVE:
        yield End(partial(why_no_reserve, g, side, units), lambda: range(HEXES))
    if any_of & STRAT:
        yield End(partial(why_no_trace, g, side, units, one.flags), partial(closed_to_strat, g, side, units, one.flags))


def in_strat(g: G, units: Sequence[int], flags: Sequence[int]) -> AbstractContextManager[None]:
    """Assume that the headquarters of a stack are in Strat Mode, in which they throw nothing (OCS 5)."""
    return modes.supposing(g, units, flags) if any(IS_HQ[unit] for unit in units) else nullcontext()


def closed_to_strat(g: G, side: int, units: Sequence[int], flags: Sequence[int]) -> list[int]:
    """Return the hexes in which a stack cannot end in Strat Mode (OCS 5)."""
    with in_strat(g, units, flags):
        return modes.closed_to_strat(g, side)


def why_no_trace(g: G, side: int, units: Sequence[int], flags: Sequence[int], hex: int) -> Refusal | None:
    """Return why a stack in Strat Mode cannot end in a hex (OCS 5)."""
    with in_strat(g, units, flags):
        if modes.can_end_in_strat(g, side, hex):
            return None
    label = BOARD.name(hex)
    return Refusal(f"{whom(units)} cannot end in {label} in Strat Mode: no trace supply there", "OCS 5", label)


def why_no_reserve(g: G, side: int, units: Sequence[int], hex: int) -> Refusal | None:
    """Return why a stack in Reserve Mode cannot end in a hex: a hedgehog is there, or it parts from other reserves and
    no marker is left (1.4c, 1.4d, OCS 5, OCS 16)."""
    label = BOARD.name(hex)
    if hex in g.state.hedgehog:
        return Refusal(f"{whom(units)} cannot end in {label} in Reserve Mode: a hedgehog is there", "OCS 16", label)
    here = g.state.where[units[0]]
    behind = [unit for unit in (*forces_in(g, side, here), *trucks_in(g, side, here)) if unit not in units]
    parts = any(g.state.flags[unit] & RESERVE for unit in behind)
    if parts and modes.markers_left(g, side) <= 0 and hex not in modes.reserve_hexes(g, side):
        rule = "1.4c" if side == AXIS else "1.4d"
        return Refusal(f"{whom(units)} cannot end in {label} in Reserve Mode: no Reserve marker is left", rule, label)
    return None


def all_destinations(g: G, side: int, units: Sequence[int]) -> list[tuple[Option, Destinations]]:
    """Return the destinations of a stack in each of its modes."""
    kept = ends_of_stack(g, side, units)
    near = [g.place0 + hex for hex in AROUND[g.state.where[units[0]]]]
    return [(one, destinations(g, side, units, one, near, kept)) for one in options(g, side, units)]


def destinations(
    g: G, side: int, units: Sequence[int], one: Option, near: Sequence[int], kept: tuple[End, ...]
) -> Destinations:
    """Return the destinations of a stack in a mode: its reach, the hexes it can overrun, and its minimum move. `near`
    are the clicks on adjacent hexes, `kept` where it may not end in any mode."""
    closed = (*kept, *ends_of_mode(g, side, units, one))
    found = Destinations(g.place0, ways.reach(one.way), closed, hint=shown)
    found.maybe_each(near, partial(special_steps, g, side, units, one, found.reach))
    return found


def special_steps(
    g: G, side: int, units: Sequence[int], one: Option, found: Reach, clicks: Iterable[int]
) -> dict[int, Hint]:
    """Return the clicks, of some on adjacent hexes, that a stack overruns or enters by its minimum move (OCS 6(2),
    OCS 7)."""
    overruns: dict[int, Hint] = {}
    steps: dict[int, Hint] = {}
    for click in clicks:
        hex = click - g.place0
        if forces_in(g, 1 - side, hex):
            if overrun.why_not(g, side, units, one.flags, hex) is None:
                overruns[click] = {"overrun": shown(overrun.COST)}
        elif hex not in found and why_no_minimum(g, side, units, one, hex) is None:
            steps[click] = {"minimum move": shown(points(g, units, one.flags))}
    return overruns | steps


def why_no_minimum(g: G, side: int, units: Sequence[int], one: Option, hex: int) -> Refusal | None:
    """Return why a stack that has not moved does not enter an adjacent hex for its whole allowance, whatever the cost:
    it has moved, has no MPs or fuel, the ground is closed, an enemy is there, or its mode forbids it (OCS 6(2),
    OCS 6(3))."""

    def refuse(text: str, rule: str = "OCS 6(2)", cause: str = "") -> Refusal:
        label = BOARD.name(hex)
        return Refusal(f"{whom(units)} has no minimum move to {label}: {text}", rule, cause or label)

    if [unit for unit in units if g.state.spent[unit]] or points(g, units, one.flags) <= 0:
        return refuse("it has moved, or has no allowance")
    for hindrance in one.way.hindrances:
        if isinstance(hindrance, Hold):
            return refuse(hindrance.text, hindrance.rule, hindrance.cause)
        if isinstance(hindrance, Bar) and hindrance.effect == CLOSED and hindrance.nodes[hex]:
            return refuse("the hex is closed to it", hindrance.rule)
    here = g.state.where[units[0]]
    for unit, flags in zip(units, one.flags, strict=True):
        if hex not in OPEN_SIDES[MOBILITY[unit][int(bool(flags & MOVE))]][here]:
            return refuse("closed ground")
    return next((refusal for end in ends(g, side, units, one) if (refusal := end.refuse(hex)) is not None), None)


def worded(one: Option, hint: Any) -> Any:
    """Return the hint of a mode: its cost with the mode, if the stack changes it."""
    return {one.word.capitalize(): hint} if one.word and not isinstance(hint, dict) else hint


def widest(parts: Sequence[tuple[Option, Destinations]]) -> Reach:
    """Return the reach of the mode that reaches most."""
    return max([part.reach for _, part in parts], key=lambda reach: int(reach.reached.sum()))
