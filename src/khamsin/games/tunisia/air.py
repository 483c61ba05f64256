"""The air war (1.1c, 1.1d, 2.1, 3.1, 3.3, OCS 14): missions with interception, flak and return."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from khamsin.games.tunisia import barrage, stacking
from khamsin.games.tunisia.airbases import (
    ENTRY,
    WINGS,
    air_rating,
    bases,
    can_attack_in_air,
    can_return,
    is_active,
    range_from,
    returns,
)
from khamsin.games.tunisia.barrage import BASE_TARGET, INTERDICTION, PORT_TARGET, UNITS_TARGET, Fire
from khamsin.games.tunisia.dates import AIR
from khamsin.games.tunisia.ground import OUTSIDE
from khamsin.games.tunisia.losses import destroy, lose_step
from khamsin.games.tunisia.scenario import PORTS, is_port, setting
from khamsin.games.tunisia.units import (
    AXIS,
    BOARD,
    COUNTERS,
    DEAD,
    FINISHED,
    FLIGHT,
    HEXES,
    INACTIVE,
    IS_AIR,
    IS_HQ,
    RANGE,
    SIDE,
    SIDES,
    G,
    aircraft_in,
    forces_in,
    name,
    names,
    on_map,
    whom,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_units

FIGHTER = [counter.symbol == "fighter" for counter in COUNTERS]
STRATEGIC = [counter.symbol == "heavy bomber" for counter in COUNTERS]
HIP_SHOOTERS = [
    IS_AIR[unit] and (counter.nation in AIR["hip_shoot"]["nations"] or counter.parent in AIR["hip_shoot"]["forces"])
    for unit, counter in enumerate(COUNTERS)
]
"""The Luftwaffe and the Desert Air Force (2.1, 3.1)."""
PATROL: int = AIR["mission"]["patrol"]
HIP = "hip shoot"
BARRAGES = (UNITS_TARGET, BASE_TARGET, PORT_TARGET, INTERDICTION)
"""The targets of missions that always meet flak (OCS 14.5)."""


class Mission(NamedTuple):
    """Aircraft of a side that fly to a hex for a purpose, and the base that their owner chose for their return, or NOWHERE."""

    side: int
    units: tuple[int, ...]
    hex: int
    target: str
    hip: bool = False
    home: int = NOWHERE


# Aircraft that can fly


def why_grounded(g: G, unit: int) -> Refusal | None:
    """Return why an aircraft cannot fly a mission: the weather, or it is inactive (1.2, OCS 14.1, OCS 15)."""
    who = name(unit)
    if g.state.weather != FLIGHT:
        return Refusal(f"{who} cannot fly: the weather is No Flight", "OCS 15", who)
    if not IS_AIR[unit]:
        return Refusal(f"{who} is not an aircraft", "OCS 14.1", who)
    if g.state.where[unit] in (NOWHERE, *DEAD):
        return Refusal(f"{who} cannot fly: it is not at a base", "OCS 14.1", who)
    if not is_active(g, unit):
        return Refusal(f"{who} cannot fly: it is inactive", "OCS 14.1", who)
    if g.state.flags[unit] & FINISHED:
        return Refusal(f"{who} has already flown in this phase", "OCS 14.2", who)
    return None


def why_not_flown(g: G, unit: int, hex: int, hip: bool = False, escort: bool = False) -> Refusal | None:
    """Return why an aircraft cannot fly to a hex and back (OCS 14.1), or make a hip shoot there (2.1, 3.1, OCS 14.6).
    One without barrage strength flies only as an escort (OCS 8(1), OCS 14.2)."""
    refusal = why_grounded(g, unit)
    if refusal is not None:
        return refusal
    who, label, far = name(unit), BOARD.name(hex), range_from(g.state.where[unit], hex)
    if far > RANGE[unit]:
        return Refusal(f"{who} cannot fly to {label}: {far} hexes, range {RANGE[unit]}", "OCS 14.1", label)
    if not can_return(g, unit, hex):
        return Refusal(f"{who} cannot fly to {label}: no base in range to return to", "OCS 14.1", label)
    if hip and not HIP_SHOOTERS[unit]:
        rule = "2.1" if SIDE[unit] == AXIS else "3.1"
        return Refusal(f"{who} cannot make a hip shoot: only the Luftwaffe and the Desert Air Force can", rule, who)
    if hip and STRATEGIC[unit]:
        return Refusal(f"{who} cannot make a hip shoot: strategic bombers cannot", "OCS 14.6", who)
    if not escort and not barrage.points(g, unit):
        return Refusal(f"{who} has no barrage strength: it flies only with others", "OCS 8(1)", who)
    return None


def active(g: G, side: int) -> list[int]:
    """Return the active aircraft of a side that have not flown in this phase."""
    flags, where, out = g.state.flags, g.state.where, INACTIVE | FINISHED
    return [u for u in WINGS[side] if not flags[u] & out and where[u] != NOWHERE and where[u] not in DEAD]


def can_be_flown(g: G, side: int, hex: int, hip: bool = False) -> bool:
    """Whether an aircraft of a side can barrage a hex."""
    return any(why_not_flown(g, unit, hex, hip) is None for unit in active(g, side))


def purposes(g: G, side: int, hex: int, hip: bool = False) -> list[str]:
    """Return what aircraft of a side can attack in a hex of the area (Scenario 2, OCS 8(4), OCS 14.6, OCS 14.7)."""
    found = []
    if hex >= HEXES or (hex in g.state.barraged and not hip) or hex in OUTSIDE[setting(g).area]:
        return []
    if forces_in(g, 1 - side, hex) and not stacking.is_crowded(g, 1 - side, hex):
        found.append(UNITS_TARGET)
    if g.state.base.get(hex) == 1 - side:
        found.append(BASE_TARGET)
    if is_port(g, hex, 1 - side):
        found.append(PORT_TARGET)
    if hip and not barrage.spotted(g, side, hex):
        return []
    return found


def targets(g: G, side: int, hip: bool = False) -> list[int]:
    """Return the hexes that aircraft of a side can barrage."""
    return [hex for hex in places(g, side) if purposes(g, side, hex, hip) and can_be_flown(g, side, hex, hip)]


def has_target(g: G, side: int, hip: bool = False) -> bool:
    """Whether aircraft of a side can barrage any hex."""
    return any(purposes(g, side, hex, hip) and can_be_flown(g, side, hex, hip) for hex in places(g, side))


def places(g: G, side: int) -> list[int]:
    """Return the locations that aircraft of a side may be able to barrage: with enemy units, bases, or ports."""
    if g.state.weather != FLIGHT or not active(g, side):
        return []
    enemy_bases = [at for at, owner in g.state.base.items() if owner != side]
    return sorted({at for at in (*g.state.where.stacks(1 - side), *enemy_bases, *PORTS) if at < HEXES})


def why_not_target(g: G, side: int, hex: int, hip: bool = False) -> Refusal | None:
    """Return why aircraft cannot barrage a hex."""
    label = BOARD.name(hex)
    if hex >= HEXES:
        return Refusal(f"{label} cannot be bombed: not on the map", "OCS 14.6", label)
    if g.state.weather != FLIGHT:
        return Refusal(f"{label} cannot be bombed: the weather is No Flight", "OCS 15", label)
    if hex in g.state.barraged and not hip:
        return Refusal(f"{label} has already been barraged in this phase", "OCS 8(2)", label)
    if hip and hex < HEXES and not barrage.spotted(g, side, hex):
        return Refusal(f"{label} cannot be bombed now: no unit of yours is adjacent as a spotter", "OCS 14.6", label)
    if not purposes(g, side, hex, hip):
        if stacking.is_crowded(g, 1 - side, hex):
            return Refusal(f"{label} cannot be bombed: its stack exceeds the limit after Mud", "OCS 3(2)", label)
        return Refusal(f"{label} cannot be bombed: no enemy units, base or port there", "OCS 8(4)", label)
    refusal = Refusal(f"{label} cannot be bombed: none of your aircraft is active", "OCS 14.1", label)
    for number, unit in enumerate(active(g, side)):
        reason = why_not_flown(g, unit, hex, hip)
        if reason is None:
            return None
        refusal = refusal if number else reason
    return refusal


# Declaration


def plan(g: G, side: int, hex: int, hip: bool = False, target: str = "") -> Procedure:
    """Choose aircraft for a mission, at most four; each can be removed or added. They return to the base they left, or
    to another in range that their owner clicks beforehand (OCS 14.1, OCS 14.2)."""
    cancel, done, everyone = g.rules.button("cancel"), g.rules.button("done"), g.rules.button("all")
    kinds, most = [target] if target else purposes(g, side, hex, hip), 1 if hip else AIR["mission"]["most"]
    target, units, home = kinds[0], list[int](), NOWHERE
    while True:
        others = {g.rules.button(word): word for word in (BASE_TARGET, PORT_TARGET) if word in kinds and word != target}
        click = yield g.ask(
            side, f"air.mission.{target}", mission_prompt(hex, target, units, home, most), "OCS 14.2",
            maybe=[*active(g, side), *home_clicks(g, side, home), *([everyone] if most > 1 else [])],
            buttons=[*([done] if units else []), *others, cancel],
            blocked=[] if units else [done], about=units, at=[hex],
            why_not=partial(why_not_joining, hex=hex, hip=hip, most=most, target=target, home=home),
        )  # fmt: skip
        if click == cancel:
            return
        if click == done:
            yield from fly(g, Mission(side, tuple(units), hex, target, hip, home))
            return
        if click < g.rules.first_button and not g.is_unit(click):
            home = NOWHERE if g.location(click) == home else g.location(click)
            continue
        if click == everyone:
            units += strongest(g, side, units, hex, hip, most, target)
        elif click in others:
            target = others[click]
            units = [unit for unit in units if why_not_together(g, (), unit, target) is None]
        else:
            kept = units if most > 1 else []  # in a mission of one the next replaces the first
            units = [unit for unit in units if unit != click] if click in units else [*kept, click]
            units = units if any(barrage.points(g, unit) for unit in units) else []


def mission_prompt(hex: int, target: str, units: Sequence[int], home: int, most: int) -> str:
    """Return the prompt of a mission: its purpose, its aircraft, and the possible clicks."""
    whose = {BASE_TARGET: "the air base", PORT_TARGET: "the port"}.get(target, target)
    what = f"Interdict {BOARD.name(hex)}" if target == INTERDICTION else f"Bomb {whose} in {BOARD.name(hex)}"
    back = f", back to {BOARD.name(home)}" if home != NOWHERE else ""
    if not units:
        return f"{what}{back}: choose {'the aircraft' if most == 1 else 'aircraft'}"
    more = "fly, or choose" if most == 1 else "fly, or add"
    return f"{what} with {whom(units)}{back}: {more} another aircraft or a base to return to"


def strongest(
    g: G, side: int, units: Sequence[int], hex: int, hip: bool, most: int, target: str
) -> list[int]:  # fmt: skip
    """Return the aircraft that can still join a mission, those with the most barrage strength first, as many as may fly
    together (OCS 8(1), OCS 14.2)."""
    free = [unit for unit in active(g, side) if unit not in units and barrage.points(g, unit)]
    found = list[int]()
    for unit in sorted(free, key=lambda one: (-barrage.points(g, one), one)):
        if len(units) + len(found) >= most:
            break
        together = why_not_together(g, [*units, *found], unit, target)
        if together is None and why_not_flown(g, unit, hex, hip) is None:
            found.append(unit)
    return found


def why_not_together(g: G, units: Sequence[int], unit: int, target: str) -> Refusal | None:
    """Return why an aircraft cannot fly with others against a target: strategic bombers do not attack ports, and in
    variant 4.0h one American aircraft bombs units at a time (3.7d, 4.0h)."""
    who = name(unit)
    if target == PORT_TARGET and STRATEGIC[unit]:
        return Refusal(f"{who} cannot bomb a port: strategic bombers do not", "3.7d", who)
    apart = g.options.get("coordination") == "poor" and target == UNITS_TARGET
    if apart and COUNTERS[unit].nation == "US" and any(COUNTERS[one].nation == "US" for one in units if one != unit):
        return Refusal(f"{who} cannot join: one American aircraft bombs units at a time", "4.0h", who)
    return None


def why_not_joining(
    g: G, decision: Decision, click: int, hex: int, hip: bool, most: int, target: str, home: int
) -> Refusal | None:
    """Return why an aircraft cannot join a mission, or the mission cannot be flown."""
    if g.is_unit(click):
        if SIDE[click] != decision.side:
            return None
        armed = any(barrage.points(g, unit) for unit in decision.about if unit != click)
        refusal = why_not_together(g, decision.about, click, target) or why_not_flown(g, click, hex, hip, armed)
        if refusal is not None or click in decision.about or most == 1 or len(decision.about) < most:
            return refusal
        return Refusal(f"{name(click)} cannot join: at most {most} aircraft fly together", "OCS 14.2", name(click))
    if click >= g.rules.first_button:
        label = BOARD.name(hex)
        if g.rules.names[click] == "all" and not strongest(g, decision.side, decision.about, hex, hip, most, target):
            return Refusal(f"No further aircraft can join the mission to {label}", "OCS 14.2", label)
        lacks = g.rules.names[click] == "done" and not decision.about
        return Refusal(f"The mission to {label} has no aircraft: add one", "OCS 14.2", label) if lacks else None
    return why_not_home(g, decision.side, decision.about or active(g, decision.side), hex, g.location(click), home)


def home_clicks(g: G, side: int, home: int) -> list[int]:
    """Return the clicks that choose the base to which aircraft return; if one is chosen only that, which drops it."""
    return [g.place0 + base for base in ((home,) if home != NOWHERE else bases(g, side))]


def why_not_home(g: G, side: int, units: Sequence[int], hex: int, base: int, home: int = NOWHERE) -> Refusal | None:
    """Return why aircraft cannot return to a base from a hex (3.3a, OCS 14.1). `home` is the base chosen already."""
    label = BOARD.name(base)
    if home not in (NOWHERE, base):
        return Refusal(f"{BOARD.name(home)} is chosen: click it again to choose another base", "OCS 14.1", label)
    if base not in bases(g, side):
        return Refusal(f"Aircraft cannot return to {label}: not a base of yours", "OCS 14.1", label)
    if not any(base in returns(g, unit, hex) for unit in units):
        return Refusal(f"None of the aircraft can return to {label}: out of range, or not theirs", "OCS 14.1", label)
    return None


# A mission


def fly(g: G, mission: Mission) -> Procedure:
    """Aircraft fly to a hex, strike and return (OCS 14.2)."""
    g.reveal()
    g.log("OCS 14.2", "{units} {units:flies|fly} to {hex}", units=names(mission.units), hex=mission.hex)
    if not mission.hip:
        g.state.barraged[mission.hex] = 1
    units = yield from approach(g, mission)
    if units:
        yield from strike(g, mission._replace(units=tuple(units)))
    for unit in units:
        come_home(g, unit, mission.hex, mission.home)


def approach(g: G, mission: Mission) -> Generator[Decision, int, list[int]]:
    """Resolve air combat with active enemies over the hex, interception, flak; other missions than barrages meet flak
    only if the hex is then still in a patrol zone. After an air combat the aircraft of a barrage may turn back. Return
    those that continue (OCS 14.2, OCS 14.3, OCS 14.5)."""
    side, hex, rolls = mission.side, mission.hex, g.dice.count
    enemies = [unit for unit in aircraft_in(g, 1 - side, hex) if is_active(g, unit)]
    units = yield from fight(g, side, list(mission.units), enemies, hex)
    if units:
        units = yield from intercept(g, mission, units)
    if mission.target in BARRAGES and g.dice.count > rolls:
        yield from give_up(g, side, units, hex)
    if units and (mission.target in BARRAGES or patrolling(g, 1 - side, hex)):
        flak(g, mission, units)
    return [unit for unit in units if g.state.steps[unit] > 0]


def choose_escort(g: G, side: int, crews: Sequence[int], hex: int) -> Generator[Decision, int, list[int]]:
    """Fighters may escort transports where enemy fighters are, four aircraft in total (OCS 14.2)."""
    done, chosen = g.rules.button("done"), list[int]()
    if not patrolling(g, 1 - side, hex) and not any(is_active(g, unit) for unit in aircraft_in(g, 1 - side, hex)):
        return chosen
    while len(crews) + len(chosen) < AIR["mission"]["most"]:
        able = [unit for unit in WINGS[side] if why_no_escort(g, side, [*crews, *chosen], hex, unit) is None]
        if not able:
            break
        click = yield g.ask(
            side, "air.escort", f"Enemy fighters reach {BOARD.name(hex)}: choose a fighter as escort, or end", "OCS 14.2",
            units=able, buttons=[done], about=[*crews, *chosen], at=[hex],
            why_not=for_units(why_no_escort, side, (*crews, *chosen), hex),
        )  # fmt: skip
        if click == done:
            break
        chosen.append(click)
    return chosen


def why_no_escort(g: G, side: int, crews: Sequence[int], hex: int, unit: int) -> Refusal | None:
    """Return why an aircraft cannot escort transports: only active fighters that fly there and back (OCS 14.1,
    OCS 14.2)."""
    who = name(unit)
    if SIDE[unit] != side or not FIGHTER[unit]:
        return Refusal(f"{who} cannot escort: it is not a fighter of yours", "OCS 14.2", who)
    if unit in crews:
        return Refusal(f"{who} already flies with them", "OCS 14.2", who)
    return why_not_flown(g, unit, hex, escort=True)


def come_home(g: G, unit: int, hex: int, home: int = NOWHERE) -> None:
    """An aircraft returns inactive to the base its owner chose, else to its own, else to the nearest in range (OCS 14.1)."""
    found = returns(g, unit, hex)
    g.state.flags[unit] |= INACTIVE
    if not found:
        destroy(g, unit)
    elif (goal := home if home in found else found[0]) != g.state.where[unit]:
        g.state.where[unit] = goal


def abort(g: G, unit: int, hex: int) -> None:
    """An aircraft leaves an air combat: over a base of its side it lands there, else it returns; inactive in either
    case (3.3a, OCS 14.1, OCS 14.3)."""
    g.log("OCS 14.3", "{unit} aborts", unit=unit)
    come_home(g, unit, hex, hex)


def patrolling(g: G, side: int, hex: int) -> list[int]:
    """Return the active fighters of a side whose patrol zone covers a hex; none over an Air Entry Point, and none from
    or over bases outside the area (1.1d, Scenario 2, OCS 14.4)."""
    outside = OUTSIDE[setting(g).area]
    if hex in ENTRY or hex in outside:
        return []
    at_hexes = [unit for unit in WINGS[side] if FIGHTER[unit] and is_active(g, unit) and on_map(g, unit)]
    at_hexes = [unit for unit in at_hexes if g.state.where[unit] not in outside]
    return [unit for unit in at_hexes if BOARD.distance(g.state.where[unit], hex) <= PATROL]


def why_not_intercepting(g: G, side: int, hex: int, unit: int) -> Refusal | None:
    """Return why an aircraft cannot intercept over a hex: only active fighters at a base on the map, within their
    patrol zone (OCS 14.4)."""
    who, label = name(unit), BOARD.name(hex)
    if SIDE[unit] != side:
        return Refusal(f"{who} is not yours", "OCS 14.4", who)
    if not FIGHTER[unit]:
        return Refusal(f"{who} cannot intercept: not a fighter", "OCS 14.4", who)
    if not is_active(g, unit) or not on_map(g, unit):
        return Refusal(f"{who} cannot intercept: not active at a base on the map", "OCS 14.4", who)
    far = BOARD.distance(g.state.where[unit], hex)
    if far > PATROL:
        return Refusal(f"{who} cannot intercept over {label}: {far} hexes away, patrol zone {PATROL}", "OCS 14.4", who)
    return None


def intercept(g: G, mission: Mission, units: list[int]) -> Generator[Decision, int, list[int]]:
    """The enemy may send one fighter of a patrol zone; active aircraft at a base in the target hex fight too. The
    surviving aircraft continue. The fighter returns to its base, and stays active if it wins (OCS 14.4)."""
    enemy = 1 - mission.side
    ready = patrolling(g, enemy, mission.hex)
    if not ready:
        return units
    decline = g.rules.button("decline")
    click = yield g.ask(
        enemy, "air.intercept",
        f"{whom(units)} fly to {BOARD.name(mission.hex)}: choose a fighter to intercept, or let them pass",
        "OCS 14.4", units=ready, buttons=[decline], about=units, at=[mission.hex],
        why_not=for_units(why_not_intercepting, enemy, mission.hex),
    )  # fmt: skip
    if click == decline:
        return units
    g.log("OCS 14.4", "{unit} intercepts", unit=click)
    others = [u for u in aircraft_in(g, mission.side, mission.hex) if is_active(g, u) and u not in units]
    base = g.state.where[click]
    yield from fight(g, enemy, [click], [*units, *others], mission.hex)
    if g.state.steps[click] > 0:
        g.state.where[click] = base
    return [unit for unit in units if is_active(g, unit)]


def fight(g: G, side: int, units: list[int], others: list[int], hex: int) -> Generator[Decision, int, list[int]]:
    """Resolve air combat in rounds: the attacker picks an aircraft that can attack, the defender any; until one side is
    alone or none can attack. Forces that cannot attack ignore each other. Return the rest of the first force (OCS 14.3,
    OCS 17.10)."""
    mine, theirs = list(units), list(others)
    if mine and theirs and any(can_attack_in_air(unit) for unit in (*mine, *theirs)):
        yield from turn_back(g, side, mine, theirs, hex)
        yield from turn_back(g, 1 - side, theirs, mine, hex)
    while mine and theirs:
        attackers, defenders, who = mine, theirs, side
        if not any(can_attack_in_air(unit) for unit in mine):
            attackers, defenders, who = theirs, mine, 1 - side
        armed = [unit for unit in attackers if can_attack_in_air(unit)]
        if not armed:
            break
        first = yield from choose_pilot(g, who, armed, defenders, hex)
        second = yield from choose_pilot(g, 1 - who, defenders, [first], hex)
        roll = (
            g.dice.two(f"air combat over {BOARD.name(hex)}", "OCS 17.10") + air_rating(g, first) - air_rating(g, second)
        )
        aborts = (
            [first]
            if roll <= AIR["combat"]["attacker_aborts"]
            else [second]
            if roll >= AIR["combat"]["defender_aborts"]
            else [first, second]
        )
        harmed = g.dice.roll("air combat losses", "OCS 17.10") >= AIR["combat"]["loss"]
        for unit in aborts:
            if harmed:
                lose_step(g, unit, "OCS 17.10")
            if g.state.steps[unit] > 0:
                abort(g, unit, hex)
            for force in (mine, theirs):
                if unit in force:
                    force.remove(unit)
    return mine


def turn_back(g: G, side: int, force: list[int], others: list[int], hex: int) -> Procedure:
    """Before air combat a side may abort part of its aircraft; one must stay (OCS 14.3)."""
    done = g.rules.button("done")
    against = f" against {name(others[0])}" if len(others) == 1 else ""
    while len(force) > 1:
        click = yield g.ask(
            side, "air.abort", f"Air combat over {BOARD.name(hex)}{against}: choose an aircraft that turns back, or fight",
            "OCS 14.3", units=force, buttons=[done], why_not=partial(_why_not_back, force=tuple(force)),
        )  # fmt: skip
        if click == done:
            return
        force.remove(click)
        abort(g, click, hex)


def give_up(g: G, side: int, force: list[int], hex: int) -> Procedure:
    """After an air combat a side may abort some of its aircraft, or all (OCS 14.3; series 14.3d)."""
    done = g.rules.button("done")
    while force:
        click = yield g.ask(
            side, "air.onward", f"Air combat over {BOARD.name(hex)} is over: choose an aircraft that turns back, or fly on",
            "OCS 14.3", units=force, buttons=[done], at=[hex], why_not=partial(_why_not_back, force=tuple(force)),
        )  # fmt: skip
        if click == done:
            return
        force.remove(click)
        abort(g, click, hex)


def _why_not_back(g: G, decision: Decision, click: int, force: tuple[int, ...]) -> Refusal | None:
    if not g.is_unit(click) or click in force:
        return None
    return Refusal(f"{name(click)} cannot turn back: it is not in this air combat", "OCS 14.3", name(click))


def choose_pilot(g: G, side: int, units: list[int], others: list[int], hex: int) -> Generator[Decision, int, int]:
    """A side picks the aircraft of a round; there is no decision if all are equal (OCS 14.3)."""
    if all(are_alike(g, unit, units[0]) for unit in units):
        return units[0]
    click = yield g.ask(
        side, "air.combat", f"Air combat over {BOARD.name(hex)} against {whom(others)}: choose your aircraft", "OCS 14.3",
        units={unit: {"air rating": air_rating(g, unit)} for unit in sorted(units, key=lambda u: -air_rating(g, u))},
        about=others, at=[hex], why_not=for_units(why_not_pilot, tuple(units), hex),
    )  # fmt: skip
    return click


def are_alike(g: G, one: int, two: int) -> bool:
    """Whether it makes no difference which of two aircraft fights: equal counters of one air force from one base (OCS 14.3)."""
    first, second = (
        (counter.symbol, counter.nation, counter.parent, counter.factors) for counter in (COUNTERS[one], COUNTERS[two])
    )
    return first == second and g.state.steps[one] == g.state.steps[two] and g.state.where[one] == g.state.where[two]


def why_not_pilot(g: G, units: Sequence[int], hex: int, unit: int) -> Refusal | None:
    """Return why an aircraft is not in a round: it is not in the air combat, or cannot attack (OCS 14.3)."""
    if unit in units:
        return None
    who = name(unit)
    if IS_AIR[unit] and SIDE[unit] == SIDE[units[0]] and not can_attack_in_air(unit):
        return Refusal(f"{who} cannot attack in the air: its rating is in parentheses", "OCS 14.1", who)
    return Refusal(f"{who} is not in the air combat over {BOARD.name(hex)}", "OCS 14.3", who)


def flak_points(g: G, mission: Mission, units: Sequence[int]) -> Iterator[tuple[str, int]]:
    """Return the modifiers of flak (OCS 17.11)."""
    numbers, enemy, hex = AIR["flak"], 1 - mission.side, mission.hex
    if len(units) >= numbers["many"]["aircraft"]:
        yield "three or more aircraft", numbers["many"]["add"]
    if any(IS_HQ[unit] for unit in forces_in(g, enemy, hex)):
        yield "a headquarters", numbers["headquarters"]
    if g.state.base.get(hex) == enemy:
        yield "an air base", g.state.level.get(hex, 0)
    printed = PORTS[hex].data if hex in PORTS and g.state.control.get(hex) == enemy else {}
    if printed.get("flak") and printed["holder"]["3"] == SIDES[enemy]:
        yield "port defences", printed["flak"]
    if patrolling(g, enemy, hex):
        escorted = any(FIGHTER[unit] for unit in units)
        yield "a patrol zone", numbers["patrol_with_fighter" if escorted else "patrol_without"]
    if mission.target == INTERDICTION:
        yield "interdiction", numbers["interdiction"]


def flak(g: G, mission: Mission, units: Sequence[int]) -> None:
    """Roll two dice against the mission; from 11 on a randomly chosen aircraft loses a step (OCS 14.5, OCS 17.11)."""
    more = sum([points for _, points in flak_points(g, mission, units)])
    roll = g.dice.two(f"flak over {BOARD.name(mission.hex)}", "OCS 17.11") + more
    if roll < AIR["flak"]["hit"]:
        return
    lose_step(g, hit_by_flak(g, units), "OCS 17.11")


def hit_by_flak(g: G, units: Sequence[int]) -> int:
    """Return the aircraft that flak hits, by a roll: in the order of the mission; of four the weakest on 5, the
    strongest on 6 (OCS 17.11)."""
    if len(units) == 1:
        return units[0]
    die = g.dice.roll("aircraft hit by flak", "OCS 17.11")
    if len(units) == 4 and die > 4:
        by_bombs = sorted(units, key=lambda unit: barrage.points(g, unit))
        return by_bombs[0] if die == 5 else by_bombs[-1]
    return units[(die - 1) * len(units) // 6] if len(units) < 4 else units[die - 1]


def is_short(g: G, units: Sequence[int], hex: int) -> bool:
    """Whether all aircraft of a barrage are near their bases; strategic bombers never are (OCS 14.6)."""
    return all(range_from(g.state.where[unit], hex) <= PATROL and not STRATEGIC[unit] for unit in units)


def strike(g: G, mission: Mission) -> Procedure:
    """Apply the effect of a mission: on the unit table or the facility table (OCS 14.6, OCS 17.2, OCS 17.3)."""
    if mission.target == UNITS_TARGET:
        shot = Fire(mission.side, mission.units, mission.hex, True, is_short(g, mission.units, mission.hex))
        if barrage.total(g, shot):
            yield from barrage.fire(g, shot)
        return
    shot = Fire(mission.side, mission.units, mission.hex, air=True, target=mission.target)
    if barrage.total(g, shot):
        barrage.hit_facility(g, shot)
