"""Air transport (1.5c, OCS 14.8): transports carry tokens and leg units from base to base."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

from khamsin.games.tunisia import air, lift, losses, modes, movers, supply
from khamsin.games.tunisia.air import Mission
from khamsin.games.tunisia.airbases import BOX_OF, WINGS, bases, level
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
    MOVING,
    RANGE,
    G,
    ends_move,
    forces_in,
    name,
    names,
    stock,
    tell,
    tokens,
    whom,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations, for_units

UNLOADED: int = AIR["base"]["unload"]
MOST: int = AIR["mission"]["most"]
ENDLESS = 2**10
"""The tokens of a holding box (1.5c)."""
TARGET = "air transport"
LIGHT_MA = 10
"""The highest Move allowance of leg units that may go by air (OCS 14.8)."""


class Load(NamedTuple):
    """The load of a flight from a base: units, tokens, or both. `home` is the base that the owner chose for the return of its
    transports, or NOWHERE."""

    side: int
    base: int
    units: tuple[int, ...] = ()
    tokens: int = 0
    home: int = NOWHERE

    @property
    def size(self) -> int:
        """Its size in half tokens."""
        return sum([bulk(unit) for unit in self.units]) + self.tokens * HALF

    @property
    def words(self) -> str:
        """The load in words."""
        supplies = [tokens(self.tokens)] if self.tokens else []
        return " and ".join([*([names(self.units)] if self.units else []), *supplies])


def planes(g: G, side: int, base: int) -> list[int]:
    """Return the active transports at a base; those of one box fly together (1.5c)."""
    there = [at for at in BOX_OF if BOX_OF[at] == BOX_OF[base]] if base in BOX_OF else [base]
    return [
        unit
        for unit in WINGS[side]
        if COUNTERS[unit].factors["load"] and g.state.where[unit] in there and air.why_grounded(g, unit) is None
    ]


def capacity(g: G, plane: int, base: int, goal: int, home: int = NOWHERE) -> int:
    """Return what a transport carries to a base in half tokens: half if reduced, double if the flight and the return are
    within half its range, nothing beyond twice its range (OCS 14.8; series 14.9e)."""
    full: int = COUNTERS[plane].factors["load"] * HALF * g.state.steps[plane] // 2
    far = distance(base, goal)
    back = distance(goal, home) if returns_to(plane, goal, home) else far
    return 0 if far > 2 * RANGE[plane] else full * 2 if 2 * max(far, back) <= RANGE[plane] else full


def returns_to(plane: int, goal: int, home: int) -> bool:
    """Whether a transport returns from its goal to the base that its owner chose: it is in range (OCS 14.1, OCS 14.8)."""
    return home != NOWHERE and distance(goal, home) <= RANGE[plane]


def capacities(g: G, load: Load, goal: int) -> dict[int, int]:
    """Return what each transport at the base of a load carries to another base."""
    return {plane: capacity(g, plane, load.base, goal, load.home) for plane in planes(g, load.side, load.base)}


def crew(g: G, load: Load, goal: int) -> list[int]:
    """Return the transports that carry a load to a base; none if they cannot."""
    return fewest(capacities(g, load, goal), load.size)


def fewest(capacities: Mapping[int, int], size: int) -> list[int]:
    """Return the fewest transports, four at most, that carry a size, and of these the smallest; none if there are none
    (OCS 14.2)."""
    able = [plane for plane, carried in capacities.items() if carried]
    for number in range(1, 1 + min(MOST, len(able))):
        crews = [one for one in combinations(able, number) if sum([capacities[plane] for plane in one]) >= size]
        if crews:
            return list(min(crews, key=lambda one: sum([capacities[plane] for plane in one])))
    return []


def largest(capacities: Mapping[int, int]) -> int:
    """Return the most tokens that four transports carry together (OCS 14.2)."""
    return sum(sorted(capacities.values(), reverse=True)[:MOST]) // HALF


def cargo_hexes(base: int) -> list[int]:
    """Return the locations of cargo of a base: its hex, or the boxes of its holding box (1.5c)."""
    if base < HEXES:
        return [base]
    return [at for at, box in lift.BOXES.items() if box == BOX_OF[base]]


def passengers(g: G, side: int, base: int, home: int = NOWHERE) -> list[int]:
    """Return the units that can be flown from a base."""
    units = [unit for at in cargo_hexes(base) for unit in forces_in(g, side, at)]
    able = [unit for unit in units if why_not_lifted(g, side, unit) is None]
    return [unit for unit in able if goals(g, Load(side, base, (unit,), home=home))]


def spare(g: G, side: int, base: int) -> int:
    """Return the tokens that can be loaded at a base: not those that arrived in this phase; boxes never run out (1.5c,
    OCS 11.1(4))."""
    return stock(g, side).get(base, 0) - g.state.fresh.get(base, 0) if base < HEXES else ENDLESS


def room(g: G, side: int, base: int, goal: int, home: int = NOWHERE) -> int:
    """Return the most tokens that can be flown from one base to another in one mission (OCS 14.8)."""
    load = Load(side, base, tokens=1, home=home)
    if why_not_goal(g, load, goal) is not None:
        return 0
    return min(spare(g, side, base), largest(capacities(g, load, goal)))


def why_not_lifted(g: G, side: int, unit: int) -> Refusal | None:
    """Return why a unit cannot go by air: combat units in Move Mode on foot with an allowance of 10 or less, that have
    moved half at most, and have neither ended their move nor gone by rail or sea (OCS 14.8; series 4.7d)."""
    who = name(unit)
    if not COMBATANT[unit] or MOBILITY[unit][1] != LEG or not 1 <= MA[unit][1] <= LIGHT_MA:
        return Refusal(
            f"{who} cannot go by air: only units on foot with a Move allowance of 10 or less", "OCS 14.8", who
        )
    if modes.why_no_transport(g, side, unit) is not None:
        return Refusal(f"{who} cannot go by air: not in Move Mode", "OCS 14.8", who)
    if g.state.flags[unit] & FINISHED:
        text = "it has finished its move, or was carried, in this phase"
        return Refusal(f"{who} cannot go by air: {text}", "OCS 14.8", who)
    if g.state.spent[unit] > half_allowance(g, unit):
        return Refusal(f"{who} cannot go by air: it has moved more than half its allowance", "OCS 14.8", who)
    return None


def half_allowance(g: G, unit: int) -> int:
    """Return how much a unit that goes by air may also move, of its allowance in this phase (OCS 5(2), OCS 14.8)."""
    return modes.allowance(unit, MOVE, movers.phase_share(g)) // 2


def why_not_goal(g: G, load: Load, goal: int) -> Refusal | None:
    """Return why a load cannot be flown to a location (OCS 14.8)."""
    label = BOARD.name(goal)
    if goal not in bases(g, load.side):
        return Refusal(f"{load.words} cannot be flown to {label}: not an air base of yours", "OCS 14.8", label)
    if goal == load.base:
        return Refusal(f"{load.words} is already in {label}", "OCS 14.8", label)
    if goal >= HEXES and load.base >= HEXES:
        return Refusal(f"{load.words} cannot be flown to {label}: from a box only to bases of the map", "1.5c", label)
    if not crew(g, load, goal):
        text = f"takes {halves(load.size)}, too much for the transports in range"
        return Refusal(f"{load.words} cannot be flown to {label}: {text}", "OCS 14.8", label)
    return None


def goals(g: G, load: Load) -> list[int]:
    """Return where a load can be flown."""
    return [base for base in bases(g, load.side) if why_not_goal(g, load, base) is None]


def fields(g: G, side: int) -> list[int]:
    """Return the bases from which a load can be flown; one for each box."""
    found: dict[object, int] = {}
    for base in bases(g, side):
        if planes(g, side, base) and (passengers(g, side, base) or has_supply(g, side, base)):
            found.setdefault(BOX_OF.get(base, base), base)
    return list(found.values())


def has_supply(g: G, side: int, base: int) -> bool:
    """Whether a token can be flown from a base."""
    return spare(g, side, base) > 0 and bool(goals(g, Load(side, base, tokens=1)))


def why_none(g: G, side: int) -> Refusal | None:
    """Return why a side cannot fly anything now."""
    if g.state.weather != FLIGHT:
        return Refusal("No air transport is possible: the weather is No Flight", "OCS 15", "airlift")
    if not any(planes(g, side, base) for base in bases(g, side)):
        return Refusal("No air transport is possible: none of your transports is active", "OCS 14.8", "airlift")
    if not fields(g, side):
        return Refusal("No air transport is possible: no cargo with a base in range", "OCS 14.8", "airlift")
    return None


def fly(g: G, side: int) -> Procedure:
    """Choose the base, the load and the destination; then interception, flak and delivery (OCS 14.2, OCS 14.8)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "airlift.from", f"Choose the base from which transports fly{ends_move(g, side)}", "OCS 14.8",
        locations=fields(g, side), buttons=[cancel], why_not=for_locations(why_not_field, side),
    )  # fmt: skip
    if click == cancel:
        return
    base, home = g.location(click), NOWHERE
    while True:
        most = max([room(g, side, base, goal, home) for goal in bases(g, side)])
        sizes = {g.rules.button(word): size for word, size in lift.amounts(most).items()}
        click = yield g.ask(
            side, "airlift.load",
            f"Fly from {BOARD.name(base)}{back_to(home)}: choose a unit or an amount of supply, or first the base to return to",
            "OCS 14.8", units=passengers(g, side, base, home), buttons=[*sizes, cancel],
            maybe=air.home_clicks(g, side, home), why_not=partial(why_not_loaded, base=base, home=home),
        )  # fmt: skip
        if click == cancel:
            return
        if g.is_unit(click) or click >= g.rules.first_button:
            break
        home = NOWHERE if g.location(click) == home else g.location(click)
    load = Load(side, base, (click,) if g.is_unit(click) else (), home=home)
    if click == g.rules.button("all"):
        yield from fly_all(g, load._replace(tokens=1))
    else:
        yield from fill(g, load if load.units else load._replace(tokens=sizes[click]))


def fly_all(g: G, least: Load) -> Procedure:
    """Fly all the supply that fits to a base (OCS 14.8)."""
    cancel, room_at = g.rules.button("cancel"), partial(room, g, least.side, least.base, home=least.home)
    click = yield g.ask(
        least.side, "airlift.to", "Choose the base to which all that fits is flown", "OCS 14.8", buttons=[cancel],
        locations={goal: tokens(room_at(goal)) for goal in goals(g, least)},
        why_not=for_locations(partial(_why_not_goal, load=least)),
    )  # fmt: skip
    if click != cancel:
        goal = g.location(click)
        yield from deliver(g, least._replace(tokens=room_at(goal)), goal)


def fill(g: G, load: Load) -> Procedure:
    """Further units and tokens may join a load, as far as they fit; then it is flown to a base (OCS 14.8)."""
    cancel, token = g.rules.button("cancel"), g.rules.button("token")
    while True:
        others = [unit for unit in passengers(g, load.side, load.base, load.home) if unit not in load.units]
        others = [unit for unit in others if goals(g, load._replace(units=(*load.units, unit)))]
        more = load._replace(tokens=load.tokens + 1)
        fits = more.tokens <= spare(g, load.side, load.base) and bool(goals(g, more))
        click = yield g.ask(
            load.side, "airlift.to", f"Choose the base to which {load.words} is flown, or add to the load", "OCS 14.8",
            locations=goals(g, load), units=others, buttons=[*([token] if fits else []), cancel], about=load.units,
            why_not=partial(_why_not_more, load=load),
        )  # fmt: skip
        if click == cancel:
            return
        if click == token:
            load = more
        elif g.is_unit(click):
            load = load._replace(units=(*load.units, click))
        else:
            yield from deliver(g, load, g.location(click))
            return


def why_not_field(g: G, side: int, location: int) -> Refusal | None:
    """Return why nothing can be flown from a location."""
    if location in fields(g, side):
        return None
    label = BOARD.name(location)
    cannot = f"Nothing can be flown from {label}"
    if location not in bases(g, side):
        return Refusal(f"{cannot}: not an air base of yours", "OCS 14.8", label)
    if not planes(g, side, location):
        return Refusal(f"{cannot}: no transport is active there", "OCS 14.8", label)
    if location in BOX_OF and any(BOX_OF.get(field) == BOX_OF[location] for field in fields(g, side)):
        return Refusal(f"{label} counts as one with the other base of its box: choose that", "1.5c", label)
    return Refusal(f"{cannot}: no cargo that the transports carry to another base", "OCS 14.8", label)


def why_not_loaded(g: G, decision: Decision, click: int, base: int, home: int) -> Refusal | None:
    """Return why a unit cannot be flown from a base, or the transports cannot return to a location. `home` is the base
    chosen already (OCS 14.1, OCS 14.8)."""
    if g.is_unit(click):
        return why_not_cargo(g, decision.side, base, click, home)
    if click >= g.rules.first_button:
        return None
    at = g.location(click)
    return why_not_home(g, decision.side, at, home, lambda: can_return(g, decision.side, base, at))


def back_to(home: int) -> str:
    """Return what a prompt says of the base to which transports return, if one is chosen."""
    return f", back to {BOARD.name(home)}" if home != NOWHERE else ""


def can_return(g: G, side: int, base: int, home: int) -> bool:
    """Whether a transport of a base reaches another one from which it can return to a third (series 14.9e)."""
    return any(
        distance(base, goal) <= RANGE[plane] and returns_to(plane, goal, home)
        for plane in planes(g, side, base)
        for goal in bases(g, side)
        if goal != base
    )


def why_not_home(g: G, side: int, at: int, home: int, is_near: Callable[[], bool]) -> Refusal | None:
    """Return why transports cannot return to a location: not a base of their side, or not near enough. `home` is the base
    chosen already (OCS 14.1, OCS 14.8; series 14.9e)."""
    label = BOARD.name(at)
    if home not in (NOWHERE, at):
        return Refusal(f"{BOARD.name(home)} is chosen: click it again to choose another base", "OCS 14.8", label)
    if at not in bases(g, side):
        return Refusal(f"Transports cannot return to {label}: not a base of yours", "OCS 14.8", label)
    return None if is_near() else Refusal(f"Transports cannot return to {label}: out of range", "OCS 14.8", label)


def why_not_cargo(g: G, side: int, base: int, unit: int, home: int = NOWHERE) -> Refusal | None:
    """Return why a unit cannot be flown from a base (OCS 14.8)."""
    who, label = name(unit), BOARD.name(base)
    if COUNTERS[unit].side != side:
        return Refusal(f"{who} is not yours", "OCS 14.8", who)
    refusal = why_not_lifted(g, side, unit)
    if refusal is not None:
        return refusal
    if g.state.where[unit] not in cargo_hexes(base):
        return Refusal(f"{who} cannot be flown from {label}: not there", "OCS 14.8", who)
    if not goals(g, Load(side, base, (unit,), home=home)):
        return Refusal(f"{who} cannot be flown from {label}: too large for the transports in range", "OCS 14.8", who)
    return None


def _why_not_goal(g: G, location: int, load: Load) -> Refusal | None:
    return why_not_goal(g, load, location)


def _why_not_more(g: G, decision: Decision, click: int, load: Load) -> Refusal | None:
    if click in decision.legal or click >= g.rules.first_button:
        return None
    if not g.is_unit(click):
        return why_not_goal(g, load, g.location(click))
    who = name(click)
    if click in load.units:
        return Refusal(f"{who} is in the load: cancel to choose again", "OCS 14.8", who)
    none = Refusal(f"{who} cannot join: too large for the transports in range", "OCS 14.8", who)
    return why_not_cargo(g, load.side, load.base, click, load.home) or none


def deliver(g: G, load: Load, goal: int) -> Procedure:
    """The transports fly, perhaps escorted, intercepted and under flak in an enemy patrol zone. Those that abort land
    at their destination, the others return to the base their owner chose if it is in range, else to their own. Lost
    capacity destroys cargo, rounded in its favour. A base unloads 2T per level; transports that bring more stay there
    (OCS 14.1, OCS 14.4, OCS 14.5, OCS 14.8; series 14.9e)."""
    side, crews = load.side, crew(g, load, goal)
    escort = (yield from air.choose_escort(g, side, crews, goal)) if goal < HEXES else []
    tell(g, side, "OCS 14.8", "{planes} carry {load} to {hex}", "{planes} fly to {hex}", planes=whom(crews), load=load.words,
         hex=goal)  # fmt: skip
    g.reveal()
    flying = [*crews, *escort]
    if goal < HEXES:
        flying = yield from air.approach(g, Mission(side, tuple(flying), goal, TARGET))
    aborted = [plane for plane in crews if plane not in flying]
    for fighter in [fighter for fighter in escort if fighter in flying]:
        air.come_home(g, fighter, goal, load.home)
    alive = [plane for plane in crews if g.state.steps[plane] > 0]
    carried = sum([capacity(g, plane, load.base, goal, load.home) for plane in alive])
    landed = yield from saved(g, load, carried)
    for unit in load.units:
        if unit in landed:
            arrive(g, load, unit, goal)
        else:
            losses.eliminate(g, unit, "OCS 14.8")
    if load.tokens:
        arrived = min(load.tokens, max(0, -(-(carried - sum([bulk(unit) for unit in landed])) // HALF)))
        bring(g, load, arrived, goal)
    stay = staying(g, load, goal, alive, aborted)
    for plane in alive:
        g.state.flags[plane] |= INACTIVE
        if plane in stay or returns_to(plane, goal, load.home):
            g.state.where[plane] = goal if plane in stay else load.home


def staying(g: G, load: Load, goal: int, alive: Sequence[int], aborted: Sequence[int]) -> list[int]:
    """Return the transports that stay at their destination: those that aborted or flew beyond their range, and of the
    others as many as brought more than the base unloads in a segment (OCS 14.1, OCS 14.8)."""
    stay = [plane for plane in alive if plane in aborted or distance(load.base, goal) > RANGE[plane]]
    if goal >= HEXES:
        return stay
    g.state.unloaded[goal] = g.state.unloaded.get(goal, 0) + load.size
    excess = min(load.size, g.state.unloaded[goal] - UNLOADED * level(g, goal) * HALF)
    for plane in [*stay, *[plane for plane in alive if plane not in stay]]:
        if excess > 0 and plane not in stay:
            stay.append(plane)
        excess -= capacity(g, plane, load.base, goal, load.home)
    return stay


def saved(g: G, load: Load, carried: int) -> Generator[Decision, int, list[int]]:
    """Return the units of a load that the remaining capacity carries, rounded in their favour; the owner chooses the
    units lost (OCS 14.8; series 14.4g)."""
    left = list(load.units)
    while left and sum(sorted([bulk(unit) for unit in left])[:-1]) >= carried:
        unit = left[0]
        if len(left) > 1 and carried > 0:
            unit = yield g.ask(
                load.side, "airlift.lost", "Transports are lost: choose a unit to lose with them", "OCS 14.8",
                units=left, why_not=for_units(_why_not_lost),
            )  # fmt: skip
        left.remove(unit)
    return left


def _why_not_lost(g: G, unit: int) -> Refusal | None:
    return Refusal(f"{name(unit)} is not in the load", "OCS 14.8", name(unit))


def bring(g: G, load: Load, arrived: int, goal: int) -> None:
    """Remove tokens from their base, and add those that arrive (OCS 14.8)."""
    if load.base < HEXES:
        supply.take(g, load.side, supply.Source(load.base, NOWHERE, load.tokens, NOWHERE), load.tokens)
    if goal < HEXES and arrived:
        supply.add(g, load.side, goal, arrived)
        g.state.fresh[goal] = g.state.fresh.get(goal, 0) + arrived
    tell(g, load.side, "OCS 14.8", "{load} arrives in {hex}", load=tokens(arrived), hex=goal)


def arrive(g: G, load: Load, unit: int, goal: int) -> None:
    """A unit arrives. It has half its allowance before and after together, and cannot continue by rail (OCS 14.8;
    series 4.7d)."""
    g.state.flags[unit] = g.state.flags[unit] & ~(MODES | MOVING) | MOVE | CHANGED
    g.state.spent[unit] += half_allowance(g, unit)
    g.state.todo[lift.flown(unit)] = 1
    g.state.where[unit] = goal if goal < HEXES else BOARD[BOX_OF[goal]]
    tell(g, load.side, "OCS 14.8", "{unit} arrives in {hex}", unit=unit, hex=goal)
