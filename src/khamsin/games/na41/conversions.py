"""Removals, withdrawals, upgrades and conversions (20.2, 20.3, 20.4)."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from khamsin.games.na41 import supply
from khamsin.games.na41.scenario import setting
from khamsin.games.na41.units import (
    ALLIED,
    AXIS,
    DELTA,
    DISRUPTED,
    ELIMINATED,
    FORCES,
    FULL_RETREAT,
    INFANTRY,
    ISOLATED,
    LOCATIONS,
    NATION,
    NATIONS,
    NUMBER,
    OOS,
    QUALITY,
    REPLACED,
    SCHEDULE,
    SIDE,
    SIZE,
    STEPS,
    TANK,
    TRACK,
    TRANSPORTED,
    WITHDRAWN,
    G,
    good_order,
    mechanized,
    name,
    rating,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_units
from khamsin.mechanics.schedule import choose_unit
from khamsin.mechanics.showing import counted

# Removals and withdrawals (20.2, 20.3)


def remove_all(g: G) -> Procedure:
    """Remove or withdraw the brigades that the turn track names; the counter of a removed remnant is available again
    (10.4.1, 20.2, 20.3)."""
    for row in SCHEDULE["withdrawal"]:
        if row["turn"] == g.state.turn:
            unit = yield from choose_leaving(g, row, "20.3", "withdrawn")
            if unit is not None:
                withdraw(g, unit, row["returns"])
    for row in SCHEDULE["removal"]:
        if row["turn"] == g.state.turn:
            unit = yield from choose_leaving(g, row, "20.2", "removed")
            if unit is not None:
                leave(g, unit, NOWHERE)
                g.state.steps[unit] = 0
                g.log("20.2", "{unit} is removed from play", unit=unit)


def choose_leaving(g: G, row: Mapping[str, Any], rule: str, word: str) -> Generator[Decision, int, int | None]:
    """Return the brigade of a nation that leaves, by the priorities; None if there is none (20.2)."""
    best = leaving(g, row["nation"])
    if not best:
        g.log(rule, "No {nation} brigade can be {word}", nation=NATIONS[row["nation"]], word=word)
        return None
    unit = yield from choose_unit(
        g, ALLIED, "reinforcement.withdraw", f"Choose the {NATIONS[row['nation']]} brigade that is {word}", rule, best,
        why_not=for_units(partial(why_not_leaving, nation=row["nation"], rule=rule)),
    )  # fmt: skip
    return unit


def leaving(g: G, nation: str) -> list[int]:
    """Return the brigades of a nation from which one leaves: on foot before others; in supply, then out of supply, then
    remnants, then eliminated ones (20.2)."""
    found: dict[tuple[int, bool], list[int]] = {}
    for unit in FORCES[ALLIED]:
        rank = priority(g, unit)
        if NATION[unit] == nation and SIZE[unit] == "brigade" and INFANTRY[unit] and rank is not None:
            special = (nation == "BR" and QUALITY[unit] == "elite") or mechanized(g, unit)
            found.setdefault((rank, special), []).append(unit)
    plain = {key: units for key, units in found.items() if not key[1]} or found
    return plain[min(plain)] if plain else []


def priority(g: G, unit: int) -> int | None:
    """Return the priority of a unit's removal, 0 first; None if it is not in play (20.2)."""
    state, where = g.state, g.state.where[unit]
    if where == ELIMINATED[SIDE[unit]]:
        return 4
    if not 0 <= where < LOCATIONS:
        return None
    remnant = STEPS[unit] == 3 and state.steps[unit] == 1
    return (2 if remnant else 0) + int(bool(state.flags[unit] & OOS) or supply.status(g, unit) == supply.NONE)


def why_not_leaving(g: G, unit: int, nation: str, rule: str) -> Refusal | None:
    """Return why a unit does not leave (20.2)."""
    if unit in leaving(g, nation):
        return None
    if NATION[unit] != nation or SIZE[unit] != "brigade" or priority(g, unit) is None:
        return Refusal(f"{name(unit)} does not leave: only {NATIONS[nation]} brigades in play do", rule, name(unit))
    return Refusal(f"{name(unit)} does not leave: another brigade comes first", rule, name(unit))


def leave(g: G, unit: int, location: int) -> None:
    """Remove a unit from the map, without markers."""
    g.state.where[unit] = location
    g.state.flags[unit] = 0


def withdraw(g: G, unit: int, returns: int) -> None:
    """Move a unit to the Withdrawn Units Box with its steps, an eliminated one on its lowest (20.3)."""
    leave(g, unit, WITHDRAWN)
    g.state.steps[unit] = max(g.state.steps[unit], 1)
    g.state.returns[unit] = returns
    g.log("20.3", "{unit} is withdrawn until turn {turn}", unit=unit, turn=returns)


# Tank upgrades (20.4.1)


def upgrade_all(g: G) -> Procedure:
    """Upgrades of this turn or delayed ones arrive, each for a tank unit that is removed, or wait (20.4.1)."""
    due = [
        unit
        for unit, arrival in setting(g).arrivals.items()
        if arrival.upgrade and arrival.turn <= g.state.turn and g.state.where[unit] == TRACK
    ]
    for unit in due:
        yield from upgrade(g, unit)


def upgrade(g: G, unit: int) -> Procedure:
    """A new tank unit arrives in the Nile Delta; another is removed, and its steps may go to a third (20.4.1)."""
    later = g.rules.button("no")
    old = [other for other in FORCES[ALLIED] if why_not_crew(g, unit, other) is None]
    if not old:
        return
    click = yield g.ask(
        ALLIED, "reinforcement.upgrade", f"{name(unit)} arrives: choose the tank unit that is removed for it, or delay it",
        "20.4.1", units=old, buttons=[later], about=[unit], why_not=for_units(why_not_crew, unit),
    )  # fmt: skip
    if click == later:
        return
    steps = g.state.steps[click] if g.state.where[click] != ELIMINATED[ALLIED] else 0
    tanks = rating(g, click)
    leave(g, click, NOWHERE)
    g.state.steps[click] = 0
    g.state.where[unit], g.state.steps[unit] = DELTA, STEPS[unit]
    g.log("20.4.1", "{unit} arrives for {unit_old}, which is removed", unit=unit, unit_old=click)
    yield from pass_on(g, steps, tanks, unit)


def why_not_crew(g: G, unit: int, old: int) -> Refusal | None:
    """Return why a tank unit cannot be removed for an upgrade: eliminated, or in Full Supply (20.4.1)."""
    where, who = g.state.where[old], name(old)
    if SIDE[old] != ALLIED or not TANK[old] or old == unit:
        return Refusal(f"{who} is not another Allied tank unit", "20.4.1", who)
    if where == ELIMINATED[ALLIED]:
        return None
    if not 0 <= where < LOCATIONS or supply.status(g, old) != supply.FULL:
        return Refusal(f"{who} cannot be removed for an upgrade: not in Full Supply", "20.4.1", who)
    return None


def pass_on(g: G, steps: int, tanks: int, new: int) -> Procedure:
    """The steps of a removed tank unit are added to a reduced or eliminated one of no better rating in Full Supply
    (20.4.1)."""
    given = [unit for unit in FORCES[ALLIED] if why_not_given(g, steps, tanks, new, unit) is None]
    if not given:
        return
    none = g.rules.button("no")
    click = yield g.ask(
        ALLIED, "reinforcement.tanks", "Choose the tank unit that receives the old tanks, or none", "20.4.1", units=given,
        buttons=[none], why_not=for_units(why_not_given, steps, tanks, new),
    )  # fmt: skip
    if click == none:
        return
    state = g.state
    if state.where[click] == ELIMINATED[ALLIED]:
        state.where[click], state.steps[click] = DELTA, 0
    state.steps[click] = min(STEPS[click], state.steps[click] + steps)
    state.flags[click] |= REPLACED
    g.log("20.4.1", "{unit} receives the old tanks", unit=click)


def why_not_given(g: G, steps: int, tanks: int, new: int, unit: int) -> Refusal | None:
    """Return why a unit cannot receive the tanks of a removed one; they are Replacements, for units in Good Order and
    supply (13.2.1, 16.4, 20.4.1)."""
    state, who = g.state, name(unit)
    if SIDE[unit] != ALLIED or not TANK[unit] or unit == new or not steps:
        return Refusal(f"{who} cannot receive old tanks", "20.4.1", who)
    eliminated = state.where[unit] == ELIMINATED[ALLIED]
    if not eliminated and not 0 < state.steps[unit] < STEPS[unit]:
        return Refusal(f"{who} cannot receive old tanks: it is neither reduced nor eliminated", "20.4.1", who)
    if rating(g, unit) > tanks:
        return Refusal(f"{who} cannot receive old tanks: its Tank Rating is better than theirs", "20.4.1", who)
    if not good_order(g, unit):
        return Refusal(f"{who} cannot receive old tanks: not in Good Order", "13.2.1", who)
    if state.flags[unit] & OOS:
        return Refusal(f"{who} cannot receive old tanks: out of supply", "16.4", who)
    if not eliminated and (not 0 <= state.where[unit] < LOCATIONS or supply.status(g, unit) != supply.FULL):
        return Refusal(f"{who} cannot receive old tanks: not in Full Supply", "20.4.1", who)
    return None


# Conversions (20.4.2, 20.4.3, 20.4.4)


def convert_all(g: G) -> Procedure:
    """Units are replaced in place by others of the same steps; from turn 13 on, pairs may be (20.4.2, 20.4.3, 20.4.4)."""
    for row in SCHEDULE["conversion"]:
        if row["turn"] == g.state.turn:
            for old, new in row["pairs"]:
                convert(g, NUMBER[old], NUMBER[new], row["rule"])
    for row in SCHEDULE["merger"]:
        if row["turn"] <= g.state.turn:
            yield from merge(g, [NUMBER[unit] for unit in row["old"]], [NUMBER[unit] for unit in row["new"]])


KEPT_MARKERS = DISRUPTED | FULL_RETREAT | OOS | ISOLATED | TRANSPORTED
"""The markers of a pair that stay on the new units: later phases remove them (13.4, 16.1, 21.1.5)."""


def convert(g: G, old: int, new: int, rule: str) -> None:
    """Replace a unit by another in its location, with its steps and markers (20.4.2, 20.4.4)."""
    state = g.state
    if state.where[old] == NOWHERE:
        return
    state.where[new], state.steps[new], state.flags[new] = state.where[old], state.steps[old], state.flags[old]
    leave(g, old, NOWHERE)
    state.steps[old] = 0
    g.log(rule, "{unit_old} becomes {unit}", unit_old=old, unit=new)


def merge(g: G, old: Sequence[int], new: Sequence[int]) -> Procedure:
    """Two units may be converted into others of as many steps in total, under the markers of either (20.4.3)."""
    if why_not_merged(g, old) is not None:
        return
    yes, no = g.rules.button("yes"), g.rules.button("no")
    click = yield g.ask(
        AXIS, "reinforcement.convert",
        f"Convert {name(old[0])} and {name(old[1])} into {' and '.join(map(name, new))}, or wait",
        "20.4.3", buttons=[yes, no], about=old,
    )  # fmt: skip
    if click == no:
        return
    state, box = g.state, ELIMINATED[AXIS]
    place = next((state.where[unit] for unit in old if state.where[unit] != box), box)
    total, markers = sum(alive(g, old)), 0
    for unit in old:
        markers |= state.flags[unit] & KEPT_MARKERS
        leave(g, unit, NOWHERE)
        state.steps[unit] = 0
        g.log("20.4.3", "{unit} is converted", unit=unit)
    if markers & FULL_RETREAT:
        markers &= ~DISRUPTED
    order = yield from choose_order(g, old, new, total)
    for unit, steps in share(total, [STEPS[unit] for unit in order], order):
        state.steps[unit], state.where[unit] = steps, place if steps else box
        state.flags[unit] = markers if steps else 0
        g.log("20.4.3", "{unit} is formed with {steps}", unit=unit, steps=counted(steps, "step"))


def choose_order(g: G, old: Sequence[int], new: Sequence[int], total: int) -> Generator[Decision, int, list[int]]:
    """Return the new units in the order in which they are filled; the owner chooses which of two is short of steps (20.4.3)."""
    order = list(new)
    if len(new) < 2 or not 0 < total < sum([STEPS[unit] for unit in new]):
        return order
    yes, no = g.rules.button("yes"), g.rules.button("no")
    first, second = map(name, new)
    click = yield g.ask(
        AXIS, "reinforcement.steps", f"{counted(total, 'step')} for {first} and {second}: fill {first} first?", "20.4.3",
        buttons=[yes, no], about=old,
    )  # fmt: skip
    return order if click == yes else order[::-1]


def alive(g: G, units: Iterable[int]) -> list[int]:
    """Return the steps of units that are not eliminated."""
    return [g.state.steps[unit] for unit in units if g.state.where[unit] != ELIMINATED[AXIS]]


def share(total: int, most: Sequence[int], units: Sequence[int]) -> list[tuple[int, int]]:
    """Steps for new units, the first of them filled first (20.4.3).

    >>> share(2, [2, 1], [7, 8])
    [(7, 2), (8, 0)]
    """
    found = []
    for unit, full in zip(units, most, strict=True):
        steps = min(full, total)
        total -= steps
        found.append((unit, steps))
    return found


def why_not_merged(g: G, old: Sequence[int]) -> Refusal | None:
    """Return why two units cannot be converted: stacked together in Full Supply, or eliminated (20.4.3)."""
    where, box, who = g.state.where, ELIMINATED[AXIS], name(old[0])
    places = [where[unit] for unit in old if where[unit] != box]
    if any(not 0 <= at < LOCATIONS for at in places):
        return Refusal(f"{who} cannot be converted: not in play", "20.4.3", who)
    if len({*places}) > 1:
        return Refusal(f"{who} cannot be converted: not stacked with {name(old[1])}", "20.4.3", who)
    if places and supply.status_in(g, AXIS, places[0]) != supply.FULL:
        return Refusal(f"{who} cannot be converted: not in Full Supply", "20.4.3", who)
    return None
