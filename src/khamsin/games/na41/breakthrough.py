"""Breakthrough Combat (15): one stack of the attackers attacks again during its advance."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import partial

from khamsin.games.na41 import advance, command, entering, resolution, sheet, stacking, support
from khamsin.games.na41.advance import Pursuit
from khamsin.games.na41.sheet import Attack
from khamsin.games.na41.units import (
    AROUND,
    BOARD,
    BRITISH_ARMOURED,
    COMBAT,
    COMBAT_DATA,
    EXTENDED,
    FORMATION,
    FOUGHT,
    HEXES,
    SIDE,
    G,
    combat_units,
    name,
    names,
    on_map,
)
from khamsin.games.na41.units import attack as strength
from khamsin.games.na41.zones import FULL, zone
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.showing import counted

NUMBERS = COMBAT_DATA["breakthrough"]


class Group:
    """The Breakthrough Group: its units and its hex."""

    def __init__(self, units: Sequence[int], hex: int) -> None:
        self.units = list(units)
        self.hex = hex

    def left(self, pursuit: Pursuit) -> int:
        """Return the hexes that all units of the group have left."""
        return min([pursuit.legs[unit].left for unit in self.units], default=0)


def breakthrough(g: G, pursuit: Pursuit) -> Procedure:
    """The attacker may form a Breakthrough Group, which completes its advance and its combats before the other units advance
    (15.1, 15.2.1, 15.2.2)."""
    if pursuit.limited or pursuit.hexes < NUMBERS["least_advance"]:
        return
    before = pursuit.mount(g)
    group = (yield from form(g, pursuit)) if has_target(g, pursuit) else None
    if group is None:
        pursuit.rides = before
        return
    pursuit.rides = before | {unit: truck for unit, truck in pursuit.rides.items() if unit in group.units}
    g.log("15.2.2", "Breakthrough Group: {units}", units=names(group.units))
    while group.units:
        over = yield from go_on(g, pursuit, group)
        if over:
            break
    pursuit.free = NOWHERE
    for unit in group.units:
        stop(pursuit, unit)


def stop(pursuit: Pursuit, unit: int) -> None:
    """A unit of the group has ended its advance (15.2.2, 15.2.13)."""
    pursuit.legs[unit] = pursuit.legs[unit]._replace(left=0)


# The group (15.2.2, 15.2.3, 15.2.4, 15.4)


def candidates(g: G, pursuit: Pursuit) -> list[int]:
    """Return the attackers that can be in the group (15.1, 15.2.3)."""
    return [unit for unit in pursuit.legs if why_not_member(g, pursuit, unit) is None]


def why_not_member(g: G, pursuit: Pursuit, unit: int) -> Refusal | None:
    """Return why a unit cannot be in a Breakthrough Group: it did not attack, is on foot without a truck, or tags along
    but may not attack in this phase (2.3.2, 15.1, 15.2.3, 27.5.3)."""
    who = name(unit)
    if unit not in pursuit.legs or not on_map(g, unit):
        return Refusal(f"{who} cannot be in the Breakthrough Group: it did not attack in this combat", "15.2.3", who)
    if not COMBAT[unit]:
        return Refusal(f"{who} cannot be in the Breakthrough Group: it is not a combat unit", "15.2.3", who)
    for marker, text, rule in (
        (EXTENDED, "used Extended Movement", "2.3.2"),
        (FOUGHT, "has tried to disengage in this phase", "27.5.3"),
    ):
        if g.state.flags[unit] & marker:
            return Refusal(f"{who} cannot be in the Breakthrough Group: it {text}", rule, who)
    if not advance.is_mechanized(g, pursuit, unit):
        return Refusal(f"{who} cannot be in the Breakthrough Group: on foot without a truck", "15.1", who)
    if not pursuit.legs[unit].left:
        return Refusal(f"{who} cannot be in the Breakthrough Group: it has no hexes left", "15.2.6", who)
    return None


def of_one_formation(units: Sequence[int]) -> int:
    """Return the most units that belong to one formation; any six British battalions are one armoured division (15.4.1,
    15.4.2, 15.4.3)."""
    counts: dict[str, int] = {}
    for unit in units:
        label = FORMATION[unit] or name(unit)
        counts[label] = counts.get(label, 0) + 1
    if BRITISH_ARMOURED in counts:
        counts[BRITISH_ARMOURED] = min(counts[BRITISH_ARMOURED], NUMBERS["british_battalions"])
    return max(counts.values(), default=0)


def why_not_group(g: G, pursuit: Pursuit, units: Sequence[int]) -> Refusal | None:
    """Return why units cannot form a group: stacking, more than one unit from another formation, nations (8.4.1, 8.4.2,
    15.2.3)."""
    if not units:
        return Refusal("The Breakthrough Group has no units: add one", "15.2.2", "done")
    if stacking.points(g, units) > stacking.LIMIT:
        return Refusal(
            f"The Breakthrough Group would exceed {stacking.LIMIT} stacking points", "15.2.3", name(units[-1])
        )
    if len(units) - of_one_formation(units) > NUMBERS["attached"]:
        return Refusal("All units of the group but one must be of one formation", "15.2.3", name(units[-1]))
    return command.why_not_together(g, pursuit.side, units)


def largest(g: G, pursuit: Pursuit, units: Sequence[int]) -> list[int]:
    """Return the strongest units that can form a group, chosen one by one."""
    chosen: list[int] = []
    for unit in sorted(units, key=lambda unit: (-strength(g, unit), unit)):
        if why_not_group(g, pursuit, [*chosen, unit]) is None:
            chosen.append(unit)
    return chosen


def form(g: G, pursuit: Pursuit) -> Generator[Decision, int, Group | None]:
    """The attacker declares the group: a stack, or units that meet in the vacated hex, for one hex of their advance. A
    choice that is cancelled is made again (15.2.1, 15.2.2, 15.2.4)."""
    done, vacated = g.rules.button("done"), pursuit.vacated
    able = candidates(g, pursuit)
    into = [u for u in able if advance.why_not_step(g, pursuit, u, pursuit.legs[u], vacated) is None]
    hexes = {pursuit.legs[unit].hex for unit in able} | ({vacated} if into else set())
    units: list[int] = []
    while not units:
        click = yield g.ask(
            pursuit.side, "combat.breakthrough",
            "Breakthrough: choose a stack, or the vacated hex to form a group in, or end", "15.2.1",
            locations=sorted(hexes), buttons=[done], can_act=lambda seen: able,
            why_not=partial(why_not_formed, pursuit=pursuit),
        )  # fmt: skip
        if click == done:
            return None
        hex = g.location(click)
        pool = into if hex == vacated else [unit for unit in able if pursuit.legs[unit].hex == hex]
        units = yield from choose_units(g, pursuit, pool, largest(g, pursuit, pool))
    if hex == vacated:
        for unit in units:
            yield from advance.go(g, pursuit, [unit], (vacated,))
    return Group([unit for unit in units if on_map(g, unit)], hex)


def choose_units(g: G, pursuit: Pursuit, pool: Sequence[int], units: list[int]) -> Generator[Decision, int, list[int]]:
    """The attacker adds and removes units of the group; none if it cancels (15.2.3)."""
    done, cancel = g.rules.button("done"), g.rules.button("cancel")
    while True:
        refusal = why_not_group(g, pursuit, units)
        more = [u for u in pool if u in units or why_not_group(g, pursuit, [*units, u]) is None]
        click = yield g.ask(
            pursuit.side, "combat.breakthrough.group",
            f"Breakthrough Group of {counted(len(units), 'unit', 'units')}: add or remove units, then form it",
            "15.2.3",
            units=more, buttons=[done, cancel] if refusal is None else [cancel], about=units,
            blocked=[] if refusal is None else [done],
            why_not=partial(why_not_added, pursuit=pursuit, pool=tuple(pool)),
        )  # fmt: skip
        if click == done:
            return units
        if click == cancel:
            return []
        units = [unit for unit in units if unit != click] if click in units else [*units, click]


def why_not_formed(g: G, decision: Decision, click: int, pursuit: Pursuit) -> Refusal | None:
    """Return why a location cannot be the start of a group, or a unit is not chosen now (15.2.2, 15.2.4)."""
    if click >= g.rules.first_button:
        return None
    if g.is_unit(click):
        return why_not_member(g, pursuit, click) or Refusal(
            f"Choose the hex of {name(click)} first", "15.2.2", name(click)
        )
    if click in decision.legal:
        return None
    label = g.rules.names[click]
    return Refusal(f"{label} has no units that can be in the Breakthrough Group", "15.2.3", label)


def why_not_added(g: G, decision: Decision, click: int, pursuit: Pursuit, pool: Sequence[int]) -> Refusal | None:
    """Return why a unit cannot join the group, or the group cannot be formed (15.2.3)."""
    units = list(decision.about)
    if click >= g.rules.first_button:
        return why_not_group(g, pursuit, units) if g.rules.names[click] == "done" else None
    if not g.is_unit(click) or click in units:
        return None
    refusal = why_not_member(g, pursuit, click)
    if refusal is None and click not in pool:
        refusal = Refusal(f"{name(click)} is not in the stack of the group", "15.2.2", name(click))
    return refusal or why_not_group(g, pursuit, [*units, click])


# Advance and combat of the group


def go_on(g: G, pursuit: Pursuit, group: Group) -> Generator[Decision, int, bool]:
    """Ask for one step of the group: advance a hex, attack, enter the hex its combat has vacated, drop a unit, or end.
    It does not end in an over-full hex that it can leave. Return whether its advance is over (14.1, 15.2.6, 15.2.9,
    15.2.10, 15.2.12, 15.2.13)."""
    done = g.rules.button("done")
    steps = [hex for hex in advance.nearby(group.hex) if why_not_entered(g, pursuit, group, hex) is None]
    targets = [hex for hex in AROUND[group.hex] if why_not_target(g, pursuit, group, hex) is None]
    if not steps and not targets:
        return True
    hints = {hex: "free" if hex == pursuit.free else "1 hex" for hex in steps}
    odds = {hex: sheet.head(sheet.sheet(g, attack_on(pursuit, group, hex)).level) for hex in targets}
    left = counted(group.left(pursuit), "hex", "hexes")
    must_go = bool(why_not_ended(g, pursuit, group))
    click = yield g.ask(
        pursuit.side, "combat.breakthrough.to",
        f"Breakthrough Group, {left} left: choose a hex to enter or attack, or a unit to drop", "15.2.6",
        units=[unit for unit in group.units if why_not_dropped(g, group, unit) is None], locations={**hints, **odds},
        buttons=[] if must_go else [done], blocked=[done] if must_go else [], about=group.units,
        why_not=partial(why_not_going, pursuit=pursuit, group=group),
    )  # fmt: skip
    if click == done:
        return True
    if g.is_unit(click):
        group.units.remove(click)
        stop(pursuit, click)
        g.log("15.2.13", "{unit} leaves the Breakthrough Group", unit=click)
        return False
    hex = g.location(click)
    if hex in targets:
        return (yield from attack(g, pursuit, group, hex))
    yield from enter(g, pursuit, group, hex)
    return hex >= HEXES


def enter(g: G, pursuit: Pursuit, group: Group, hex: int) -> Procedure:
    """The group advances into a location; into the hex that its combat has vacated for free. Units that have advanced
    do not attack later in the phase (15.2.6, 15.2.10, 27.3.1)."""
    free = hex == pursuit.free
    legs = {unit: pursuit.legs[unit] for unit in group.units}
    for unit, leg in legs.items():
        g.state.battle[unit] = command.ATTACKED
        more = leg._replace(left=leg.left + 1, ended=False) if free else leg
        pursuit.legs[unit] = advance.after(g, pursuit, unit, more, hex)
        g.log("15.2.10" if free else "15.2.6", "{unit} advances to {hex}", unit=unit, hex=hex)
    group.hex, pursuit.free = hex, NOWHERE
    yield from entering.march(g, pursuit.side, pursuit.with_trucks(group.units), [hex])


def attack(g: G, pursuit: Pursuit, group: Group, hex: int) -> Generator[Decision, int, bool]:
    """The group attacks for one hex of its advance, without artillery and air. If the hex is not cleared its advance
    ends; else remaining enemy ZOCs still stop it (15.2.6, 15.2.8, 15.2.9, 15.2.10, 15.2.11, 15.2.12)."""
    battle = attack_on(pursuit, group, hex)
    if pursuit.overwhelming and not pursuit.supplied:
        pursuit.supplied = yield from ask_supply(g, pursuit, battle)
        battle = attack_on(pursuit, group, hex)
    g.log("15.2.8", "Breakthrough Combat against {hex}", hex=hex)
    result = yield from resolution.resolve(g, battle)
    group.units = [unit for unit in group.units if on_map(g, unit)]
    stopped = group.hex != pursuit.vacated and zone(g, 1 - pursuit.side)[group.hex] == FULL
    for unit in group.units:
        leg = pursuit.legs[unit]
        pursuit.legs[unit] = leg._replace(left=leg.left - NUMBERS["cost"], ended=stopped)
    pursuit.free = hex if result.cleared else NOWHERE
    return not result.cleared


def attack_on(pursuit: Pursuit, group: Group, hex: int) -> Attack:
    """Return the attack of the group on a hex."""
    return Attack(pursuit.side, tuple(group.units), hex, supplied=pursuit.supplied, breakthrough=True)


def ask_supply(g: G, pursuit: Pursuit, battle: Attack) -> Generator[Decision, int, bool]:
    """After overwhelming odds without Attack Supply, a Breakthrough Combat that needs it consumes it, traced to the hexes in
    which its units began the first combat (8.5.3, 15.2.8)."""
    starts = {unit: pursuit.starts[unit] for unit in battle.units}
    with g.state.where.supposing(starts):
        sources = support.supply_sources(g, pursuit.side, battle.units)
        pledged = support.pledged_in_range(g, pursuit.side, battle.units)
    if not support.wants_supply(g, battle) or sheet.sheet(g, battle).overwhelming:
        return False
    if pledged or not sources:
        return pledged
    none = g.rules.button("none")
    click = yield g.ask(
        pursuit.side, "combat.supply", f"Breakthrough Combat against {BOARD.name(battle.hex)}: choose Attack Supply, or none",
        "8.5.3", units=support.prices(sources.units), locations=support.points_of(g, pursuit.side, sources.locations),
        buttons=[none], about=battle.units, why_not=partial(why_not_source, starts=starts), combat=battle,
    )  # fmt: skip
    if click == none:
        return False
    support.pledge(g, pursuit.side, click)
    return True


def why_not_source(g: G, decision: Decision, click: int, starts: Mapping[int, int]) -> Refusal | None:
    """Return why something cannot give Attack Supply to units that began the first combat in these hexes (8.5.3, 17.3)."""
    with g.state.where.supposing(starts):
        return support.why_not_source(g, decision, click, units=tuple(starts))


def why_not_entered(g: G, pursuit: Pursuit, group: Group, hex: int) -> Refusal | None:
    """Return why the group cannot advance into an adjacent location: closed to it, or a full hex in which it would have
    to stop (14.1, 15.2.6, 15.2.12)."""
    stops = False
    for unit in group.units:
        leg = pursuit.legs[unit]
        if hex == pursuit.free:
            leg = leg._replace(left=leg.left + 1, ended=False)
        refusal = advance.why_not_step(g, pursuit, unit, leg, hex)
        if refusal is not None:
            if leg.ended:
                return refusal._replace(rule="15.2.12")
            return refusal
        then = advance.after(g, pursuit, unit, leg, hex)
        stops = stops or then.ended or not then.left
    return stacking.why_no_room(g, pursuit.side, group.units, hex) if stops else None


def why_not_ended(g: G, pursuit: Pursuit, group: Group) -> Refusal | None:
    """Return why the group cannot end its advance: stacking limits count at its end (14.1)."""
    if not stacking.excess(g, pursuit.side, group.hex):
        return None
    label = BOARD.name(group.hex)
    return Refusal(f"The Breakthrough Group cannot end in {label}: too many stacking points", "14.1", label)


def why_not_dropped(g: G, group: Group, unit: int) -> Refusal | None:
    """Return why the group cannot drop a unit: it is the only one, or there is no room for it without the others (14.1,
    15.2.13)."""
    who, label = name(unit), BOARD.name(group.hex)
    if len(group.units) < 2:
        return Refusal(f"{who} is the only unit of the group: end its advance", "15.2.13", who)
    staying = [one for one in combat_units(g, SIDE[unit], group.hex) if one == unit or one not in group.units]
    if stacking.points(g, staying) > stacking.LIMIT:
        return Refusal(f"{who} cannot be dropped in {label}: too many stacking points", "14.1", label)
    return None


def why_not_target(g: G, pursuit: Pursuit, group: Group, hex: int) -> Refusal | None:
    """Return why the group cannot attack an adjacent hex: no enemy, no hexes left, its advance ended in the desert,
    closed ground, stacking, odds (4.4.1, 8.8.3, 14.5, 15.2.6, 15.2.7)."""
    label = BOARD.name(hex)
    if not combat_units(g, 1 - pursuit.side, hex):
        return Refusal(f"{label} cannot be attacked: no enemy combat unit is there", "15.2.7", label)
    if group.left(pursuit) < NUMBERS["cost"]:
        return Refusal(f"{label} cannot be attacked: the group has no hexes left", "15.2.6", label)
    if not all(pursuit.legs[unit].steps for unit in group.units):
        return Refusal(f"{label} cannot be attacked: the group has not moved adjacent to it", "15.2.7", label)
    for unit in group.units:
        leg = pursuit.legs[unit]._replace(ended=False)
        if leg.run >= advance.MOST_DESERT:
            here = BOARD.name(group.hex)
            return Refusal(
                f"{label} cannot be attacked: the advance ended in the second desert hex, {here}", "14.5", here
            )
        refusal = advance.why_not_ground(pursuit, unit, leg, hex, mech=True)
        if refusal is not None:
            return Refusal(f"{label} cannot be attacked: the group could not advance into it", "15.2.7", label)
    if stacking.excess(g, pursuit.side, group.hex):
        return Refusal(
            f"{label} cannot be attacked: {BOARD.name(group.hex)} exceeds the stacking limit", "4.4.1", label
        )
    return sheet.why_not_odds(g, attack_on(pursuit, group, hex))


def why_not_going(g: G, decision: Decision, click: int, pursuit: Pursuit, group: Group) -> Refusal | None:
    """Return why the group cannot enter or attack a location, or drop a unit (15.2.6, 15.2.7, 15.2.13)."""
    if click >= g.rules.first_button:
        return why_not_ended(g, pursuit, group) if click == g.rules.button("done") else None
    if g.is_unit(click):
        who = name(click)
        if click in group.units:
            return why_not_dropped(g, group, click)
        word = "picks up no units" if SIDE[click] == pursuit.side else "chooses the hex of an enemy"
        return Refusal(f"{who} cannot be chosen: the Breakthrough Group {word}", "15.2.13", who)
    hex = g.location(click)
    if hex < HEXES and combat_units(g, 1 - pursuit.side, hex):
        if hex not in AROUND[group.hex]:
            label = BOARD.name(hex)
            return Refusal(f"{label} cannot be attacked: not adjacent", "15.2.7", label)
        return why_not_target(g, pursuit, group, hex)
    return why_not_entered(g, pursuit, group, hex)


def has_target(g: G, pursuit: Pursuit) -> bool:
    """Whether a unit of a group could become adjacent to an enemy with a hex left for a combat (15.2.6, 15.2.7)."""
    enemies = g.state.where.stacks(1 - pursuit.side)
    for unit in candidates(g, pursuit):
        leg = pursuit.legs[unit]
        for hex, path in advance.goals(g, pursuit, [unit]):
            if hex < HEXES and leg.left - len(path) >= NUMBERS["cost"] and any(near in enemies for near in AROUND[hex]):
                return True
    return False
