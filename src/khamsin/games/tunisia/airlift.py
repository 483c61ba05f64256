"""Air transport (1.5c, OCS 14.8): transports carry tokens and leg units from base to base."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from khamsin.games.tunisia import air, lift, losses, modes, supply
from khamsin.games.tunisia.air import BOX_OF, WINGS, Mission, bases
from khamsin.games.tunisia.dates import AIR
from khamsin.games.tunisia.lift import HALF, bulk, halves
from khamsin.games.tunisia.sorties import distance
from khamsin.games.tunisia.units import (
    BOARD,
    CHANGED,
    COMBATANT,
    COUNTERS,
    FINISHED,
    FLIGHT,
    HEXES,
    INACTIVE,
    LEG,
    MA,
    MOBILITY,
    MODES,
    MOVE,
    RANGE,
    SCALE,
    G,
    forces_in,
    name,
    stock,
    tell,
    tokens,
    whom,
)
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics.refusals import for_locations, for_units

UNLOADED: int = AIR["base"]["unload"]
TARGET = "air transport"
LIGHT_MA = 10
"""Only leg units with a Move allowance up to this go by air (OCS 14.8)."""


class Load(NamedTuple):
    """What is flown from a base: a unit, or tokens."""

    side: int
    base: int
    unit: int = -1
    tokens: int = 0

    @property
    def size(self) -> int:
        """Its size in half tokens."""
        return bulk(self.unit) if self.unit >= 0 else self.tokens * HALF

    @property
    def words(self) -> str:
        """The load in words."""
        return name(self.unit) if self.unit >= 0 else tokens(self.tokens)


def planes(g: G, side: int, base: int) -> list[int]:
    """The active transports at a base; those of one box fly together (1.5c)."""
    there = [at for at in BOX_OF if BOX_OF[at] == BOX_OF[base]] if base in BOX_OF else [base]
    return [
        unit
        for unit in WINGS[side]
        if COUNTERS[unit].factors["load"] and g.state.where[unit] in there and air.why_grounded(g, unit) is None
    ]


def capacity(g: G, plane: int, base: int, goal: int) -> int:
    """What a transport carries to a base in half tokens: half if reduced, double within half its range, nothing beyond twice
    its range (OCS 14.8)."""
    full: int = COUNTERS[plane].factors["load"] * HALF * g.state.steps[plane] // 2
    far = distance(base, goal)
    return 0 if far > 2 * RANGE[plane] else full * 2 if 2 * far <= RANGE[plane] else full


def crew(g: G, load: Load, goal: int) -> list[int]:
    """The fewest transports that carry a load to a base; none if all together cannot."""
    found, left = list[int](), load.size
    for plane in sorted(planes(g, load.side, load.base), key=lambda one: -capacity(g, one, load.base, goal)):
        if left > 0 and capacity(g, plane, load.base, goal) and len(found) < 4:
            found.append(plane)
            left -= capacity(g, plane, load.base, goal)
    return found if left <= 0 else []


def cargo_hexes(base: int) -> list[int]:
    """Where cargo of a base waits: its hex, or the boxes of its holding box (1.5c)."""
    if base < HEXES:
        return [base]
    return [at for at, box in lift.BOXES.items() if box == BOX_OF[base]]


def loads(g: G, side: int, base: int) -> list[Load]:
    """What can be flown from a base: units that can go by air, a token, or as many as fit."""
    units = [
        unit for at in cargo_hexes(base) for unit in forces_in(g, side, at) if why_not_lifted(g, side, unit) is None
    ]
    found = [Load(side, base, unit) for unit in units]
    there = stock(g, side).get(base, 0) - g.state.fresh.get(base, 0) if base < HEXES else 2**10
    room = sum([COUNTERS[plane].factors["load"] * 2 for plane in planes(g, side, base)])
    sizes = {1, min(there, room)} if there > 0 else set()
    found += [Load(side, base, tokens=amount) for amount in sorted(sizes) if 0 < amount <= there]
    return [load for load in found if goals(g, load)]


def why_not_lifted(g: G, side: int, unit: int) -> Refusal | None:
    """Why a unit cannot go by air: combat units in Move Mode on foot with an allowance of 10 or less, that have moved half at
    most (OCS 14.8)."""
    who = name(unit)
    if not COMBATANT[unit] or MOBILITY[unit][1] != LEG or not 1 <= MA[unit][1] <= LIGHT_MA:
        return Refusal(
            f"{who} cannot go by air: only units on foot with a Move allowance of 10 or less", "OCS 14.8", who
        )
    if modes.why_no_transport(g, side, unit) is not None:
        return Refusal(f"{who} cannot go by air: not in Move Mode", "OCS 14.8", who)
    if g.state.spent[unit] * 2 > MA[unit][1] * 12:
        return Refusal(f"{who} cannot go by air: it has moved more than half its allowance", "OCS 14.8", who)
    return None


def why_not_goal(g: G, load: Load, goal: int) -> Refusal | None:
    """Why a load cannot be flown to a location (OCS 14.8)."""
    label = BOARD.name(goal)
    if goal not in bases(g, load.side):
        return Refusal(f"{load.words} cannot be flown to {label}: not an air base of yours", "OCS 14.8", label)
    if goal == load.base or (goal >= HEXES and load.base >= HEXES and BOX_OF[goal] == BOX_OF[load.base]):
        return Refusal(f"{load.words} is in {label}", "OCS 14.8", label)
    if not crew(g, load, goal):
        text = f"takes {halves(load.size)}, too much for the transports in range"
        return Refusal(f"{load.words} cannot be flown to {label}: {text}", "OCS 14.8", label)
    return None


def goals(g: G, load: Load) -> list[int]:
    """Where a load can be flown."""
    return [base for base in bases(g, load.side) if why_not_goal(g, load, base) is None]


def fields(g: G, side: int) -> list[int]:
    """The bases from which something can be flown; one for each box."""
    found: dict[object, int] = {}
    for base in bases(g, side):
        if planes(g, side, base) and loads(g, side, base):
            found.setdefault(BOX_OF.get(base, base), base)
    return list(found.values())


def why_none(g: G, side: int) -> Refusal | None:
    """Why a side cannot fly anything now."""
    if g.state.weather != FLIGHT:
        return Refusal("No air transport is possible: the weather is No Flight", "OCS 15", "airlift")
    if not any(planes(g, side, base) for base in bases(g, side)):
        return Refusal("No air transport is possible: none of your transports is active", "OCS 14.8", "airlift")
    if not fields(g, side):
        return Refusal("No air transport is possible: no cargo with a base in range", "OCS 14.8", "airlift")
    return None


def fly(g: G, side: int) -> Procedure:
    """From which base, what, to which base; then interception, flak and delivery (OCS 14.2, OCS 14.8)."""
    cancel, token, everything = (g.rules.button(word) for word in ("cancel", "token", "all"))
    click = yield g.ask(
        side, "airlift.from", "Choose the base from which transports fly", "OCS 14.8", locations=fields(g, side),
        buttons=[cancel], why_not=for_locations(why_not_field, side),
    )  # fmt: skip
    if click == cancel:
        return
    base = g.location(click)
    ready = loads(g, side, base)
    amounts = sorted([load.tokens for load in ready if load.unit < 0])
    sizes = dict(zip((token, everything), amounts, strict=False))
    click = yield g.ask(
        side, "airlift.load", f"Choose a unit, or an amount of supply, to fly from {BOARD.name(base)}", "OCS 14.8",
        units=[load.unit for load in ready if load.unit >= 0], buttons=[*sizes, cancel],
        why_not=for_units(why_not_cargo, side, base),
    )  # fmt: skip
    if click == cancel:
        return
    load = Load(side, base, click) if g.is_unit(click) else Load(side, base, tokens=sizes[click])
    click = yield g.ask(
        side, "airlift.to", f"Choose the base to which {load.words} is flown", "OCS 14.8", locations=goals(g, load),
        buttons=[cancel], about=[load.unit] if load.unit >= 0 else [], why_not=for_locations(partial(_why_not_goal, load=load)),
    )  # fmt: skip
    if click != cancel:
        yield from deliver(g, load, g.location(click))


def why_not_field(g: G, side: int, location: int) -> Refusal | None:
    """Why nothing can be flown from a location."""
    if location in fields(g, side):
        return None
    label = BOARD.name(location)
    return Refusal(f"Nothing can be flown from {label}: no base with active transports and cargo", "OCS 14.8", label)


def why_not_cargo(g: G, side: int, base: int, unit: int) -> Refusal | None:
    """Why a unit cannot be flown from a base (OCS 14.8)."""
    who, label = name(unit), BOARD.name(base)
    if COUNTERS[unit].side != side:
        return Refusal(f"{who} is not yours", "OCS 14.8", who)
    refusal = why_not_lifted(g, side, unit)
    if refusal is not None:
        return refusal
    if g.state.where[unit] not in cargo_hexes(base):
        return Refusal(f"{who} cannot be flown from {label}: not there", "OCS 14.8", who)
    if not goals(g, Load(side, base, unit)):
        return Refusal(f"{who} cannot be flown from {label}: too large for the transports in range", "OCS 14.8", who)
    return None


def _why_not_goal(g: G, location: int, load: Load) -> Refusal | None:
    return why_not_goal(g, load, location)


def deliver(g: G, load: Load, goal: int) -> Procedure:
    """The transports fly, perhaps intercepted and under flak in an enemy patrol zone. What they lose of their capacity destroys
    cargo, rounded in its favour; those that abort bring theirs back. A base unloads 2T for each level; transports with more
    stay there (OCS 14.1, OCS 14.4, OCS 14.5, OCS 14.8)."""
    side, crews = load.side, crew(g, load, goal)
    tell(g, side, "OCS 14.8", "{planes} carry {load} to {hex}", "{planes} fly to {hex}", planes=whom(crews), load=load.words,
         hex=goal)  # fmt: skip
    g.reveal()
    left: Sequence[int] = crews
    if goal < HEXES and air.patrolling(g, 1 - side, goal):
        mission = Mission(side, tuple(crews), goal, TARGET)
        left = yield from air.intercept(g, mission, list(crews))
        if left:
            air.flak(g, mission, left)
            left = [plane for plane in left if g.state.steps[plane] > 0]
    room = sum([capacity(g, plane, load.base, goal) for plane in left])
    kept = sum(
        [capacity(g, plane, load.base, goal) for plane in crews if plane not in left and g.state.steps[plane] > 0]
    )
    if load.unit >= 0:
        if room > 0 or not kept:
            carry_unit(g, load, goal, room)
    else:
        arrived = min(load.tokens, -(-room // HALF))
        gone = load.tokens - min(load.tokens - arrived, -(-kept // HALF))
        if load.base < HEXES and gone:
            supply.take(g, side, supply.Source(load.base, -1, gone, -1), gone)
        if goal < HEXES and arrived:
            supply.add(g, side, goal, arrived)
            g.state.fresh[goal] = g.state.fresh.get(goal, 0) + arrived
        tell(g, side, "OCS 14.8", "{load} arrives in {hex}", load=tokens(arrived), hex=goal)
    limit = UNLOADED * air.level(g, goal) * HALF
    done = g.state.unloaded.get(goal, 0) + load.size
    crowded = goal < HEXES and done > limit
    if goal < HEXES:
        g.state.unloaded[goal] = done
    for plane in left:
        beyond = crowded or distance(load.base, goal) > RANGE[plane]
        g.state.flags[plane] |= INACTIVE
        if beyond:
            g.state.where[plane] = goal


def carry_unit(g: G, load: Load, goal: int, room: int) -> None:
    """A unit arrives, or is destroyed with its transports. It has half its allowance, before or after (OCS 14.8)."""
    if room <= 0 and load.size:
        losses.eliminate(g, load.unit, "OCS 14.8")
        return
    g.state.flags[load.unit] = g.state.flags[load.unit] & ~MODES | MOVE | CHANGED
    if g.state.spent[load.unit]:
        g.state.flags[load.unit] |= FINISHED
    g.state.spent[load.unit] = MA[load.unit][1] * SCALE // 2
    g.state.where[load.unit] = goal if goal < HEXES else BOARD[BOX_OF[goal]]
    tell(g, load.side, "OCS 14.8", "{unit} arrives in {hex}", unit=load.unit, hex=goal)
