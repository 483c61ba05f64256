"""Air bases (1.1c, 1.5c, 3.3, OCS 14.1): their levels, the range from them, and refit."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import cache

from khamsin.games.tunisia import supply
from khamsin.games.tunisia.dates import AIR, box_side
from khamsin.games.tunisia.ground import OUTSIDE
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.units import (
    ALLIED,
    AXIS,
    BOARD,
    COUNTERS,
    DEAD,
    HEXES,
    INACTIVE,
    IS_AIR,
    MUD,
    RANGE,
    SIDE,
    UNITS,
    G,
    aircraft_in,
    name,
    names,
    tell,
    tokens,
)
from khamsin.games.tunisia.zones import front
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.cache import cached
from khamsin.kernel.flood import OPEN
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations, for_units

DESERT = [counter.parent == "DAF" for counter in COUNTERS]
"""The Desert Air Force (3.3)."""
WINGS = tuple(tuple([unit for unit in UNITS if SIDE[unit] == side and IS_AIR[unit]]) for side in (AXIS, ALLIED))
BOX_OF = {BOARD[box.name]: box.data["of"] for box in BOARD.box.values() if box.kind == "air base"}
"""The bases of the holding boxes (1.5c)."""
BOX_LEVEL = {BOARD[box.name]: int(box.data["level"]) for box in BOARD.box.values() if box.kind == "air base"}
ENTRY = {area.hexes[0]: area.data["cost"] for area in BOARD.areas.values() if area.kind == "air entry point"}
"""Air Entry Points: the cost to each box they list (1.1c)."""


def box_owner(g: G, location: int) -> int:
    """Return the side that owns the box of a base."""
    return box_side(g, BOX_OF[location])


@cached(lambda g, side: (side, g.state.base.version, g.state.turn))
def bases(g: G, side: int) -> tuple[int, ...]:
    """Return the locations where a side has an air base."""
    boxes = [location for location in BOX_OF if box_owner(g, location) == side]
    return (*[at for at, owner in g.state.base.items() if owner == side], *boxes)


def level(g: G, base: int) -> int:
    """Return the level of a base (OCS 14.1)."""
    return BOX_LEVEL[base] if base in BOX_LEVEL else g.state.level.get(base, 0)


def has_room(g: G, side: int, base: int) -> bool:
    """Whether another aircraft may be active at a base: at most 4 and its level; boxes have no limit (1.5c, OCS 14.1)."""
    active = [unit for unit in aircraft_in(g, side, base) if is_active(g, unit)]
    return base >= HEXES or len(active) < AIR["base"]["active"] + level(g, base)


@cache
def range_from(base: int, hex: int) -> int:
    """Return the hexes from a base to a hex; from a box by the cheapest Air Entry Point that lists it (1.1c, OCS 14.1)."""
    if base < HEXES:
        return BOARD.distance(base, hex)
    box = BOX_OF[base]
    ways = [cost[box] + BOARD.distance(point, hex) for point, cost in ENTRY.items() if box in cost]
    return min(ways, default=10**6)


def is_active(g: G, unit: int) -> bool:
    """Whether an aircraft is active at a base."""
    return g.state.where[unit] not in (NOWHERE, *DEAD) and not g.state.flags[unit] & INACTIVE


def air_rating(g: G, unit: int) -> int:
    """Return the air combat rating of the face that shows (OCS 14.1)."""
    return COUNTERS[unit].factors["air" if g.state.steps[unit] > 1 else "reduced air"]


def can_attack_in_air(unit: int) -> bool:
    """Whether an aircraft may attack in the air: its rating has no parentheses (OCS 14.1)."""
    return not COUNTERS[unit].factors["defends"]


def returns(g: G, unit: int, hex: int) -> list[int]:
    """Return the bases to which an aircraft can return from a hex; the Desert Air Force only to Tripoli before its
    release (3.3a, OCS 14.1). Its own base comes first."""
    own = g.state.where[unit]
    found = [base for base in bases(g, SIDE[unit]) if range_from(base, hex) <= RANGE[unit] and may_use(g, unit, base)]
    return sorted(found, key=lambda base: (base != own, range_from(base, hex), base))


def can_return(g: G, unit: int, hex: int) -> bool:
    """Whether an aircraft has a base to return to from a hex (OCS 14.1)."""
    own, range_ = g.state.where[unit], RANGE[unit]
    near = [base for base in (own, *bases(g, SIDE[unit])) if range_from(base, hex) <= range_ and may_use(g, unit, base)]
    return any(base != own or own in bases(g, SIDE[unit]) for base in near)


def is_tied(g: G) -> bool:
    """Whether the Desert Air Force is not released yet (3.3a, 3.3b)."""
    return setting(g).number in (3, 4) and not g.state.events.get("8th Army")


def may_use(g: G, unit: int, base: int) -> bool:
    """Whether an aircraft may use a base (3.3a, 3.3b)."""
    return not DESERT[unit] or not is_tied(g) or BOX_OF.get(base, "").startswith("Tripoli")


def ground_excess(g: G, base: int) -> None:
    """Aircraft for which a base has no room after it lost a level become inactive: transports first, then bombers, then
    fighters, of these the lowest rating first (OCS 14.1, rulings)."""
    wings = [unit for unit in aircraft_in(g, g.state.base[base], base) if is_active(g, unit)]
    room: int = AIR["base"]["active"] + level(g, base)
    wings.sort(
        key=lambda unit: (can_attack_in_air(unit), not COUNTERS[unit].factors["load"], air_rating(g, unit), unit)
    )
    for unit in wings[: max(0, len(wings) - room)]:
        g.state.flags[unit] |= INACTIVE
        tell(g, SIDE[unit], "OCS 14.1", "{unit} becomes inactive: {hex} has lost room", unit=unit, hex=base)


# Refit (OCS 14.1)


def refit(g: G, side: int, least: int = 1) -> Procedure:
    """Each base refits aircraft up to twice its level, for a token if its owner agrees; boxes and bases outside the
    area refit for nothing, and the bases of a box count as one. The side chooses if more wait than a base can refit
    (1.5c, Scenario 2, OCS 2, OCS 14.1)."""
    groups: dict[object, list[int]] = {}
    for base in [base for base in bases(g, side) if level(g, base) >= least]:
        groups.setdefault(BOX_OF.get(base, base), []).append(base)
    able = {group[0]: waiting(g, side, group) for group in groups.values() if refit_room(g, side, group) > 0}
    paying = {base: units for base, units in able.items() if pays(g, base) and why_not_refit(g, side, base) is None}
    idle = yield from choose_bases(g, side, paying)
    for group in groups.values():
        base, number = group[0], refit_room(g, side, group)
        if base not in able or base in idle or why_not_refit(g, side, base) is not None:
            continue
        if pays(g, base):
            supply.pay(g, side, base, AIR["base"]["cost"], f"refit in {BOARD.name(base)}", "OCS 14.1")
        chosen = able[base]
        while len(chosen) > number:
            prompt = f"Refit {number} of {len(chosen)} aircraft in {BOARD.name(base)}: choose one to leave inactive"
            click = yield g.ask(
                side, "air.refit", prompt, "OCS 14.1", units=chosen,
                why_not=for_units(why_not_waiting, tuple(group), tuple(chosen)),
            )  # fmt: skip
            chosen = [unit for unit in chosen if unit != click]
        for unit in chosen:
            g.state.flags[unit] &= ~INACTIVE
        tell(g, side, "OCS 14.1", "{units} {units:is|are} refitted in {hex}", units=names(chosen), hex=base)


def pays(g: G, base: int) -> bool:
    """Whether a base takes a token to refit: not in a box, nor outside the area, where no supply is (1.5c, Scenario 2)."""
    return base < HEXES and base not in OUTSIDE[setting(g).area]


def waiting(g: G, side: int, group: Sequence[int]) -> list[int]:
    """Return the inactive aircraft at a base, or at the bases of a box."""
    return [unit for base in group for unit in aircraft_in(g, side, base) if g.state.flags[unit] & INACTIVE]


def refit_room(g: G, side: int, group: Sequence[int]) -> int:
    """Return how many aircraft a base refits: those that wait, up to twice its level, and on the map while they have
    room to be active (1.5c, OCS 14.1)."""
    there = waiting(g, side, group)
    most: int = AIR["base"]["refit"] * sum([level(g, base) for base in group])
    if group[0] >= HEXES:
        return min(len(there), most)
    limit: int = AIR["base"]["active"] + level(g, group[0])
    return min(len(there), most, limit - len([unit for unit in aircraft_in(g, side, group[0]) if is_active(g, unit)]))


def choose_bases(g: G, side: int, paying: Mapping[int, Sequence[int]]) -> Generator[Decision, int, set[int]]:
    """The owner may keep the token of a base on the map, which then refits nothing. Return those bases (OCS 2, OCS 14.1)."""
    done, idle = g.rules.button("done"), set[int]()
    while paying:
        supplied = with_tokens(g, side, [base for base in paying if base not in idle])
        cost = tokens(AIR["base"]["cost"] * len(supplied))
        hints = {base: f"{len(paying[base])} wait" for base in supplied} | dict.fromkeys(idle, "no refit")
        click = yield g.ask(
            side, "air.bases", f"Bases refit for {cost}: choose a base that does not refit, or end", "OCS 14.1",
            locations={base: hints.get(base, "no token left") for base in paying},
            buttons=[done], why_not=for_locations(why_not_idle, side),
        )  # fmt: skip
        if click == done:
            break
        idle ^= {g.location(click)}
    return idle


def with_tokens(g: G, side: int, fields: Sequence[int]) -> list[int]:
    """Return the bases that find a token if they refit in this order; some may share a dump (OCS 11.1, OCS 14.1)."""
    left: supply.Places = {}
    found = list[int]()
    for base in fields:
        for source in supply.sources(g, side, base):
            if left.setdefault(source.place, source.tokens) >= AIR["base"]["cost"]:
                left[source.place] -= AIR["base"]["cost"]
                found.append(base)
                break
    return found


def why_not_idle(g: G, side: int, location: int) -> Refusal | None:
    """Return why a location is not a base that could refit for a token (OCS 14.1)."""
    label = BOARD.name(location)
    if location not in bases(g, side):
        return Refusal(f"{label} is not an air base of yours", "OCS 14.1", label)
    if not pays(g, location):
        return Refusal(f"{label} refits for nothing", "1.5c" if location >= HEXES else "Scenario 2", label)
    if g.state.weather == MUD and level(g, location) < 2:
        return Refusal(f"{label} refits nothing: in Mud only bases of level 2 and 3 do", "1.3", label)
    if not waiting(g, side, [location]):
        return Refusal(f"{label} refits nothing: no aircraft waits there", "OCS 14.1", label)
    if refit_room(g, side, [location]) <= 0:
        return Refusal(f"{label} refits nothing: as many as it has room for are active", "OCS 14.1", label)
    return why_not_refit(g, side, location)


def why_not_refit(g: G, side: int, base: int) -> Refusal | None:
    """Return why a base cannot refit: an un-negated enemy ZOC, or no token (OCS 4(2), OCS 14.1)."""
    if not pays(g, base):
        return None
    label = BOARD.name(base)
    if front(g, 1 - side).paths[base] != OPEN:
        return Refusal(f"The base in {label} cannot refit: it is in an enemy ZOC", "OCS 4(2)", label)
    return supply.why_not_paid(g, side, base, AIR["base"]["cost"], f"The base in {label}", "refit", "OCS 14.1")


def why_not_waiting(g: G, group: Sequence[int], chosen: Sequence[int], unit: int) -> Refusal | None:
    """Return why an aircraft cannot be left without a refit: only those at the base, or the bases of the box, that wait
    for one."""
    who, label = name(unit), BOARD.name(group[0])
    if g.state.where[unit] not in group or not IS_AIR[unit]:
        return Refusal(f"{who} is not an aircraft in {label}", "OCS 14.1", who)
    if is_active(g, unit):
        return Refusal(f"{who} needs no refit: it is active", "OCS 14.1", who)
    return None if unit in chosen else Refusal(f"{who} is already left inactive", "OCS 14.1", who)
