"""Combat (12): the attacker declares all combats, settles their supply, then resolves them one by one.

The state holds what is declared (`mechanics.combats`): `battle` gives each attacker the number of its combat, `targets` each
attacked hex, `draft` the combat being put together; `supply` what each attacker fights with, `combat_step` the step reached.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

from khamsin.games.paa import differential
from khamsin.games.paa.control import pass_through
from khamsin.games.paa.differential import (
    ATTACK_SUPPLY,
    GENERAL_SUPPLY,
    MAXIMUM_SUPPLY,
    NO_SUPPLY,
    Differential,
    defenders,
    why_not_this_turn,
)
from khamsin.games.paa.ground import ATTACK_SUPPLY as ATTACK_RANGE
from khamsin.games.paa.ground import OPEN_SIDES
from khamsin.games.paa.losses import choose
from khamsin.games.paa.reaction import react
from khamsin.games.paa.reliability import surrender, wavering, why_not_reliable
from khamsin.games.paa.stacking import has_depot, limit, room
from khamsin.games.paa.supply import attack_supply, lines, refresh, stranded_without, why_not_supplied
from khamsin.games.paa.transport import capture, to_pool
from khamsin.games.paa.units import (
    ALLIED,
    BOARD,
    DEPOT,
    DEPOTS,
    DISMOUNTED,
    MOVED,
    OOC,
    OOS,
    OWES,
    REACTED,
    REGULAR,
    REGULARS,
    SACRIFICED,
    SIDE,
    G,
    name,
    on_map,
)
from khamsin.games.paa.zones import FORT_ZONE, FORTS, enemy_fort, front
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import combats
from khamsin.mechanics.combats import Combat, Declaration
from khamsin.mechanics.refusals import for_locations, for_units

DECLARE, SUPPLY, RESOLVE = 1, 2, 3
"""The values of `combat_step`; 0 outside the phase."""
FREE = -1
"""The `battle` of a unit whose targets all surrendered: it may still join another combat (15.3)."""
UNABLE = OOS | OOC | DISMOUNTED
"""What keeps a unit from attacking (8.5, 10.3, 13.6)."""


def combat(g: G, side: int) -> Procedure:
    """The combat phase: declarations, attack supply, resolution (7.1, 12). The Allies have none on turn 1 (12, 12.3.1)."""
    state = g.state
    if why_not_this_turn(g, side) is not None:
        return
    if not state.combat_step:
        state.combat_step = DECLARE
        attack_forts(g, side)
    if state.combat_step == DECLARE:
        yield from declare_combats(g, side)
        state.combat_step = SUPPLY
    if state.combat_step == SUPPLY:
        yield from provide_supply(g, side)
        state.combat_step = RESOLVE
    yield from resolve_combats(g, side)
    finish(g, side)


def attack_forts(g: G, side: int) -> None:
    """Every unit in the zone of a fort that the enemy occupies attacks it, able or not (12.1.1, 12.2)."""
    where = g.state.where
    for fort in FORTS:
        units = [u for u in REGULARS[side] if where[u] in FORT_ZONE and enemy_fort(g, side, where[u]) == fort]
        if units:
            combats.enter(g, Combat(0, side, tuple(units), (fort,)))


# Declarations (12.2)


def declare_combats(g: G, side: int) -> Procedure:
    """The attacker declares one combat after another (12.2), and may remove installations meanwhile (12.3)."""
    while found := (yield from combats.declare(g, DECLARATION, side)):
        if found.button == "destroy":
            yield from remove_installation(g, side)


def contacts(g: G, side: int) -> dict[int, list[int]]:
    """The hexes with enemy units or lorries next to regular units across an open hexside, each with these units (12, 12.2)."""
    stacks = g.state.where.stacks(side)
    regulars = {hex: [u for u in units if REGULAR[u]] for hex, units in stacks.items()}
    return combats.contacts(regulars, held(g, side), OPEN_SIDES)


def why_not_target(g: G, side: int, hex: int) -> Refusal | None:
    """Only hexes with enemy units or lorries are attacked; a lone installation is captured by entering (11.1.6, 12)."""
    label = BOARD.name(hex)
    refusal = why_not_this_turn(g, side)
    if refusal is not None:
        return refusal._replace(cause=label)
    if hex in held(g, side):
        return None
    if has_depot(g, 1 - side, hex):
        return Refusal(f"{label} cannot be attacked: enter it to capture the installation", "11.1.6", label)
    return Refusal(f"{label} cannot be attacked: no enemy unit is there", "12", label)


def why_not_attacker(g: G, unit: int, hexes: Sequence[int]) -> Refusal | None:
    """Only regular units in supply and command attack, each adjacent to all attacked hexes across open hexsides; those in the
    zone of an enemy fort attack it, able or not (10.3, 12, 12.1.1, 12.2, 13.6, 15.2)."""
    if not REGULAR[unit]:
        return Refusal(f"{name(unit)} cannot attack: only regular units attack", "12", name(unit))
    if not on_map(g, unit):
        return Refusal(f"{name(unit)} cannot attack: not on the map", "12.2", name(unit))
    here = g.state.where[unit]
    fort = enemy_fort(g, SIDE[unit], here)
    refusal = why_not_able(g, unit) if fort is None else None
    if fort is not None and hexes and fort not in hexes:
        refusal = _bound_to(unit, fort)
    if refusal is not None:
        return refusal
    for hex in hexes:
        if hex not in OPEN_SIDES[here]:
            return _why_not_across(unit, here, hex)
    return None


def why_not_able(g: G, unit: int) -> Refusal | None:
    """A unit out of supply or command, dismounted or unreliable does not attack (10.3, 12, 13.6, 15.2)."""
    flags = g.state.flags[unit]
    for flag, reason, rule in (
        (DISMOUNTED, "dismounted", "13.6"),
        (OOS, "out of supply", "12"),
        (OOC, "out of command", "10.3"),
    ):
        if flags & flag:
            return Refusal(f"{name(unit)} cannot attack: {reason}", rule, name(unit))
    return why_not_reliable(g, unit)


def _bound_to(unit: int, fort: int) -> Refusal:
    label = BOARD.name(fort)
    return Refusal(f"{name(unit)} must attack {label}: it is in the zone of that fort", "12.1.1", label)


def _why_not_across(unit: int, here: int, hex: int) -> Refusal:
    label = BOARD.name(hex)
    if hex in BOARD.around(here):
        return Refusal(f"{name(unit)} cannot attack {label}: the hexside is prohibited", "2.1.1", label)
    return Refusal(f"{name(unit)} cannot attack {label}: not adjacent", "12.2", label)


def why_not_removed(g: G, combat: Combat, unit: int) -> Refusal | None:
    """A unit in the zone of an enemy fort must attack it (12.1.1)."""
    fort = enemy_fort(g, combat.side, g.state.where[unit])
    return None if fort is None else _bound_to(unit, fort)


def why_not_called_off(g: G, combat: Combat) -> Refusal | None:
    """A voluntary combat may be called off at any time, a forced one never (12.1.1, 12.4)."""
    return next(filter(None, (why_not_removed(g, combat, unit) for unit in combat.units)), None)


def why_not_destroy(g: G, side: int, button: str) -> Refusal | None:
    """Installations are removed during the supply of declared combats only (12.3)."""
    if not g.state.targets:
        return Refusal("No installation can be removed: no combat is declared", "12.3", button)
    if any_removable(g, side):
        return None
    depots = [depot for depot in DEPOTS[side] if on_map(g, depot)] or DEPOTS[side]
    return why_not_destroyed(g, side, depots[0])


DECLARATION = Declaration(
    "12.2",
    contacts,
    why_not_target,
    why_not_attacker,
    why_not_removed=why_not_removed,
    why_not_called_off=why_not_called_off,
    others=("destroy",),
    why_not_other=why_not_destroy,
)


def ready(g: G, side: int) -> list[int]:
    """The units that may attack and are in no combat yet (12, 10.3, 15.2)."""
    battle = g.state.battle
    return [u for u in REGULARS[side] if not battle[u] and on_map(g, u) and why_not_attacker(g, u, ()) is None]


def held(g: G, side: int) -> frozenset[int]:
    """The hexes with enemy units or lorries; a lone installation is taken by entering, not by combat (11.1.6, 12)."""
    return front(g, 1 - side).barred


def attackers_of(g: G, side: int, number: int) -> list[int]:
    """The attackers of a combat."""
    battle = g.state.battle
    return [u for u in REGULARS[side] if battle[u] == number]


def targets_of(g: G, number: int) -> list[int]:
    """The hexes attacked in a combat."""
    return list(combats.hexes_of(g, number))


def forced(g: G, side: int, number: int) -> bool:
    """Whether a combat must be fought, against a fort in whose zone its attackers are (12.1.1)."""
    where = g.state.where
    return any(
        fort in targets_of(g, number) and any(where[u] == fort for u in REGULARS[1 - side]) for fort in FORTS
    ) and bool(attackers_of(g, side, number))


def adjacent(g: G, units: Sequence[int], targets: Sequence[int]) -> bool:
    """Whether every unit is adjacent to every hex across an open hexside (12.2)."""
    where = g.state.where
    return all(hex in OPEN_SIDES[where[u]] for u in units for hex in targets)


# Combat supply (12.3)


def provide_supply(g: G, side: int) -> Procedure:
    """The attacker gives up installations for maximum attack supply, or removes some; then the supply of every attacker is
    fixed (12.3)."""
    done, destroy = g.rules.button("done"), g.rules.button("destroy")
    while spend := sacrifices(g, side):
        scrap = any_removable(g, side)
        click = yield g.ask(
            side, "combat.supply", "Give up an installation for maximum attack supply", "12.3", units=spend,
            buttons=[destroy, done] if scrap else [done], blocked=[] if scrap else [destroy], top=True,
            why_not=_why_not_spent,
        )  # fmt: skip
        if click == done:
            break
        if click == destroy:
            yield from remove_installation(g, side)
            continue
        g.state.flags[click] |= SACRIFICED
        g.log("12.3", "{unit} in {hex} is given up for maximum attack supply", unit=click, hex=g.state.where[click])
    fix_supply(g, side)


def remove_installation(g: G, side: int) -> Procedure:
    """The attacker removes an installation without using it (12.3)."""
    cancel = g.rules.button("cancel")
    depots = [depot for depot in DEPOTS[side] if why_not_destroyed(g, side, depot) is None]
    click = yield g.ask(
        side, "combat.destroy", "Choose an installation to remove", "12.3", units=depots, buttons=[cancel],
        why_not=for_units(why_not_destroyed, side),
    )  # fmt: skip
    if click != cancel:
        g.log("12.3", "{unit} in {hex} is removed", unit=click, hex=g.state.where[click])
        to_pool(g, side, click)


def _why_not_spent(g: G, decision: Decision, click: int) -> Refusal | None:
    if g.is_unit(click):
        return why_not_given_up(g, decision.side, click)
    return why_not_destroy(g, decision.side, "destroy") if click == g.rules.button("destroy") else None


def sacrifices(g: G, side: int) -> dict[int, dict[str, int]]:
    """The installations that can be given up, each with the number of attackers it would feed (12.3, 12.3.1)."""
    if not g.state.targets:
        return {}
    able = [depot for depot in DEPOTS[side] if why_not_given_up(g, side, depot) is None]
    return {depot: {"attackers": fed_by(g, side, depot)} for depot in able}


def why_not_given_up(g: G, side: int, depot: int) -> Refusal | None:
    """An installation given up is in command, joined to a terminal, has not moved this turn and is within 8 MF of an attacker
    (8.5, 12.3, 12.3.1)."""
    state, who = g.state, name(depot)
    refusal = _why_not_own_installation(g, side, depot)
    if refusal is not None:
        return refusal
    for flag, reason, rule in (
        (OOC, "out of command", "12.3.1"),
        (MOVED, "moved this turn", "12.3"),
    ):
        if state.flags[depot] & flag:
            return Refusal(f"{who} cannot be given up: {reason}", rule, who)
    if state.where[depot] not in lines(g, side).depots:
        return Refusal(f"{who} cannot be given up: no supply line to a terminal", "8.5", who)
    if not fed_by(g, side, depot):
        return Refusal(f"{who} cannot be given up: no attacker is within {ATTACK_RANGE} MF", "12.3", who)
    return why_needed(g, side, depot)


def fed_by(g: G, side: int, depot: int) -> int:
    """How many attackers an installation would feed (12.3)."""
    state = g.state
    fighting = [state.where[u] for u in REGULARS[side] if state.battle[u] and not state.flags[u] & UNABLE]
    if not fighting:
        return 0
    distance = attack_supply(g, side, depots=[depot])
    return sum(distance[hex] <= ATTACK_RANGE for hex in fighting)


def any_removable(g: G, side: int) -> bool:
    """Whether any installation can be removed from the board; those that feed no unit are tried first (12.3)."""
    fed = lines(g, side).depots - lines(g, side).situation.always
    depots = sorted(DEPOTS[side], key=lambda depot: g.state.where[depot] in fed)
    return any(why_not_destroyed(g, side, depot) is None for depot in depots)


def why_not_destroyed(g: G, side: int, depot: int) -> Refusal | None:
    """An installation on the map may be removed, an Allied one only if no unit needs it (12.3, 12.3.1)."""
    return _why_not_own_installation(g, side, depot) or why_needed(g, side, depot)


def _why_not_own_installation(g: G, side: int, depot: int) -> Refusal | None:
    who = name(depot)
    if not DEPOT[depot] or SIDE[depot] != side:
        return Refusal(f"{who} is not one of your installations", "12.3", who)
    if not on_map(g, depot):
        return Refusal(f"{who} is not on the map", "12.3", who)
    if g.state.flags[depot] & SACRIFICED:
        return Refusal(f"{who} is already given up", "12.3", who)
    return None


def why_needed(g: G, side: int, depot: int) -> Refusal | None:
    """No Allied unit or lorry may lose supply without an installation and those given up already; Axis units may
    (8.4.1, 8.4.2, 12.3.1)."""
    if side != ALLIED:
        return None
    lost = stranded_without(g, side, [d for d in DEPOTS[side] if d == depot or g.state.flags[d] & SACRIFICED])
    if not lost:
        return None
    return Refusal(f"{name(depot)} is needed: {name(lost[0])} would lose supply", "12.3.1", name(lost[0]))


def fix_supply(g: G, side: int) -> None:
    """What every attacker fights with, now that all combats are named and installations given up (12.3). Italian infantry that
    may not attack without attack supply drops out, or attacks a fort in vain (15.2)."""
    state = g.state
    fighting = [u for u in REGULARS[side] if state.battle[u]]
    if fighting:
        distance = attack_supply(g, side)
        given_up = [d for d in DEPOTS[side] if state.flags[d] & SACRIFICED]
        best = attack_supply(g, side, depots=given_up) if given_up else None
    for unit in fighting:
        state.supply[unit] = supply_of(g, unit, distance, best)
        if not state.supply[unit] and not forced(g, side, state.battle[unit]):
            state.battle[unit] = 0
    for number in combats.numbers(g):
        if not attackers_of(g, side, number):
            call_off(g, side, number)


def supply_of(g: G, unit: int, distance: Sequence[int], best: Sequence[int] | None = None) -> int:
    """An attacker's supply in halves of its CF, by its distance from an installation that can feed an attack, and from one that
    is given up: maximum, attack or general supply, or none (8.5, 12.3)."""
    if g.state.flags[unit] & UNABLE or why_not_reliable(g, unit, distance) is not None:
        return NO_SUPPLY
    hex = g.state.where[unit]
    if best is not None and best[hex] <= ATTACK_RANGE:
        return MAXIMUM_SUPPLY
    return ATTACK_SUPPLY if distance[hex] <= ATTACK_RANGE else GENERAL_SUPPLY


# Combat resolution (12.4)


def resolve_combats(g: G, side: int) -> Procedure:
    """The attacker resolves the combats in any order; voluntary ones may be called off, forced ones may not (12.1, 12.4)."""
    done = g.rules.button("done")
    while True:
        numbers = fightable(g, side)
        if not numbers:
            break
        must = [number for number in numbers if forced(g, side, number)]
        if must and len(numbers) == 1:
            yield from resolve(g, side, must[0])
            continue
        hexes = {hex: hint for number, hint in numbers.items() for hex in targets_of(g, number)}
        click = yield g.ask(
            side, "combat.order", "Choose a combat to resolve" + ("" if must else ", or call off the rest"), "12.4",
            locations=hexes, buttons=[] if must else [done], blocked=[done] if must else [], top=True,
            why_not=_why_not_resolved,
        )  # fmt: skip
        if click == done:
            break
        yield from resolve(g, side, g.state.targets[g.location(click)])
    for number in combats.numbers(g):
        call_off(g, side, number)


def _why_not_resolved(g: G, decision: Decision, click: int) -> Refusal | None:
    """Only declared combats are resolved, voluntary ones at a differential of 0 or more; forced ones are not called off
    (12.1.1, 12.2, 12.4.2)."""
    numbers = fightable(g, decision.side)
    if click == g.rules.button("done"):
        combats_left = [combats.declared(g, decision.side, number) for number in numbers]
        return next(filter(None, (why_not_called_off(g, combat) for combat in combats_left)), None)
    if g.is_unit(click) or click >= g.rules.first_button:
        return None
    hex = g.location(click)
    label, number = BOARD.name(hex), combats.number_at(g, hex)
    if not number:
        return Refusal(f"No combat is declared against {label}", "12.2", label)
    if number in numbers:
        return None
    sheet = weigh(g, decision.side, number)
    short = Fraction(sheet.af - sheet.df, 4)
    return Refusal(f"The attack on {label} is not permitted: differential {short}, below 0", "12.4.2", label)


def fightable(g: G, side: int) -> dict[int, dict[str, int]]:
    """The combats still to be fought, with their differentials; voluntary ones only if it is 0 or more (12.4, 12.4.2)."""
    numbers = {}
    for number in combats.numbers(g):
        strength = weigh(g, side, number)
        if strength.permitted or forced(g, side, number) or weigh_with_free(g, side, number).permitted:
            numbers[number] = {"differential": strength.differential}
    return numbers


def weigh_with_free(g: G, side: int, number: int) -> Differential:
    """The differential of a declared combat with all that could still join it (15.3)."""
    targets = targets_of(g, number)
    free = [u for u in REGULARS[side] if g.state.battle[u] == FREE and adjacent(g, [u], targets)]
    attackers = attackers_of(g, side, number) + free
    return differential.attack(g, attackers, targets, g.state.supply.__getitem__, lines(g, 1 - side))


def weigh(g: G, side: int, number: int) -> Differential:
    """The differential of a declared combat, with the defenders' present supply (12.4.1, 12.4.2)."""
    attackers, targets = attackers_of(g, side, number), targets_of(g, number)
    return differential.attack(g, attackers, targets, g.state.supply.__getitem__, lines(g, 1 - side))


def call_off(g: G, side: int, number: int) -> None:
    """A voluntary combat is not fought (12.4)."""
    for hex in targets_of(g, number):
        g.log("12.4", "The combat against {hex} is called off", hex=hex)
    close(g, side, number, 0)


def close(g: G, side: int, number: int, mark: int) -> None:
    """A combat is over for its attackers and its hexes."""
    combats.close(g, combats.declared(g, side, number), mark)


def resolve(g: G, side: int, number: int) -> Procedure:
    """One combat, from the arrival of help to the advance (12.4)."""
    yield from join(g, side, number)
    targets = targets_of(g, number)
    must = forced(g, side, number)
    if not must and not weigh(g, side, number).permitted:
        call_off(g, side, number)
        return
    if g.options["reaction"] == "on" and (yield from react(g, 1 - side, targets)) and not must:
        yield from reconsider(g, side, number)
        if number not in combats.numbers(g):
            return
    check_supply(g, side, targets)
    attackers = attackers_of(g, side, number)
    strength = weigh(g, side, number)
    if strength.permitted and wavering(g, targets):
        surrender(g, targets)
        if not defenders(g, targets):
            close(g, side, number, FREE)
            yield from advance(g, side, attackers, targets)
            return
        strength = weigh(g, side, number)
    units = defenders(g, targets)
    close(g, side, number, 0)
    for unit in units:
        g.state.battle[unit] = number
    for unit in attackers:
        g.state.flags[unit] &= ~OWES
    if strength.permitted:
        yield from attack(g, side, targets[0], units, strength)
    else:
        g.log("12.1.1", "The attack on {hex} has no effect", hex=targets[0])
    yield from counter_attack(g, side, attackers, targets)
    yield from advance(g, side, attackers, targets)


def join(g: G, side: int, number: int) -> Procedure:
    """Units whose own targets have all surrendered may join another combat before it is fought (15.3)."""
    state = g.state
    done = g.rules.button("done")
    targets = targets_of(g, number)
    while units := [u for u in REGULARS[side] if why_not_joining(g, targets, u) is None]:
        click = yield g.ask(
            side, "combat.add", "Add units whose targets surrendered", "15.3", units=units, buttons=[done],
            why_not=for_units(why_not_joining, targets),
        )  # fmt: skip
        if click == done:
            return
        state.battle[click] = number


def why_not_joining(g: G, targets: Sequence[int], unit: int) -> Refusal | None:
    """Only a unit whose own targets have all surrendered joins, adjacent to all attacked hexes (12.2, 15.3)."""
    if g.state.battle[unit] != FREE:
        return Refusal(f"{name(unit)} cannot join: its own targets have not surrendered", "15.3", name(unit))
    for hex in targets:
        if not adjacent(g, [unit], [hex]):
            return _why_not_across(unit, g.state.where[unit], hex)
    return None


def reconsider(g: G, side: int, number: int) -> Procedure:
    """The defender has been reinforced: a voluntary combat may be called off, and must be if its differential has fallen
    below 0 (12.4, 15.1)."""
    attack, cancel = g.rules.button("attack"), g.rules.button("cancel")
    strength = weigh(g, side, number)
    if strength.permitted:
        prompt = f"The defender has been reinforced: the differential is now {strength.differential}"
        click = yield g.ask(side, "combat.proceed", prompt, "15.1", buttons=[attack, cancel])
        if click == attack:
            return
    call_off(g, side, number)


def check_supply(g: G, side: int, targets: Collection[int]) -> None:
    """Every defender is found in or out of supply just before its combat (12.4.1)."""
    now = lines(g, 1 - side)
    for unit in defenders(g, targets):
        refresh(g, unit, now)


def attack(g: G, side: int, hex: int, units: Sequence[int], strength: Differential) -> Procedure:
    """The attacker rolls in the column of the differential, and the defender loses the result in CF (12.4.3, 12.4.5)."""
    crt = g.table("crt")
    amount = int(crt.roll(g.dice, crt.column(strength.differential), purpose="attack"))
    g.log("12.4.3", "Differential {differential}: the defender must lose {amount} CF", differential=strength.differential,
          amount=amount, hex=hex)  # fmt: skip
    yield from choose(g, 1 - side, units, amount, "12.4.5")


def counter_attack(g: G, side: int, attackers: Sequence[int], targets: Sequence[int]) -> Procedure:
    """The defender may counter-attack, with differential 0 if no unit is left; the attackers lose the result in CF (12.4.4)."""
    yes, no = g.rules.button("yes"), g.rules.button("no")
    left = defenders(g, targets)
    strength = differential.counter(g, left, attackers)
    prompt = f"Counter-attack with differential {strength.differential}?"
    if (yield g.ask(1 - side, "combat.counter", prompt, "12.4.4", buttons=[yes, no], about=(*attackers, *left))) == no:
        g.log("12.4.4", "There is no counter-attack")
        return
    crt = g.table("crt")
    amount = int(crt.roll(g.dice, crt.column(strength.differential), purpose="counter-attack"))
    g.log("12.4.4", "Differential {differential}: the attacker must lose {amount} CF", differential=strength.differential,
          amount=amount)  # fmt: skip
    yield from choose(g, side, attackers, amount, "12.4.5")


def advance(g: G, side: int, attackers: Sequence[int], targets: Sequence[int]) -> Procedure:
    """Attackers that are left may enter the hexes they have emptied (12.4.7)."""
    done = g.rules.button("done")
    left = [u for u in attackers if on_map(g, u) and not g.state.flags[u] & UNABLE]
    emptied = [hex for hex in targets if not defenders(g, [hex])]

    while ways := {u: hexes for u in left if (hexes := [h for h in emptied if may_advance(g, side, u, h)])}:
        unit = yield g.ask(
            side, "combat.advance", "Choose a unit to advance", "12.4.7", units=list(ways), buttons=[done],
            why_not=for_units(why_not_advancing, side, attackers, left, emptied),
        )  # fmt: skip
        if unit == done:
            return
        hexes = ways[unit]
        hex = hexes[0]
        if len(hexes) > 1:
            click = yield g.ask(
                side, "combat.advance.to", f"Choose the hex that {name(unit)} enters", "12.4.7", locations=hexes,
                about=[unit],
                why_not=for_locations(_why_not_entered, side, unit, emptied),
            )  # fmt: skip
            hex = g.location(click)
        enter(g, side, unit, hex)
        left.remove(unit)


def may_advance(g: G, side: int, unit: int, hex: int) -> bool:
    """Whether a unit may advance into an emptied hex (12.4.7)."""
    return why_not_advance_to(g, side, unit, hex) is None


def why_not_advance_to(g: G, side: int, unit: int, hex: int) -> Refusal | None:
    """There must be room, and no Allied or Italian unit may advance beyond supply or leave another without (4, 8.4.1, 8.4.2,
    12.4.7)."""
    if room(g, side, hex) <= 0:
        label = BOARD.name(hex)
        return Refusal(f"{name(unit)} cannot advance: {label} already holds {limit(hex)} units", "4", label)
    return why_not_supplied(g, side, unit, hex)


def why_not_advancing(
    g: G, side: int, attackers: Sequence[int], left: Sequence[int], emptied: Sequence[int], unit: int
) -> Refusal | None:
    """Why a unit does not advance after a combat (12.4.7)."""
    who = name(unit)
    if unit not in attackers:
        return Refusal(f"{who} cannot advance: it did not attack here", "12.4.7", who)
    if not on_map(g, unit):
        return Refusal(f"{who} cannot advance: eliminated", "12.4.7", who)
    if g.state.flags[unit] & UNABLE:
        return Refusal(f"{who} cannot advance: its attack had no effect", "12.1.1", who)
    if unit not in left:
        return Refusal(f"{who} has already advanced", "12.4.7", who)
    return next(filter(None, (why_not_advance_to(g, side, unit, hex) for hex in emptied)), None)


def _why_not_entered(g: G, side: int, unit: int, emptied: Sequence[int], hex: int) -> Refusal | None:
    if hex not in emptied:
        label = BOARD.name(hex)
        return Refusal(f"{name(unit)} cannot advance to {label}: this combat has not emptied it", "12.4.7", label)
    return why_not_advance_to(g, side, unit, hex)


def enter(g: G, side: int, unit: int, hex: int) -> None:
    """A unit advances: zones of control do not matter, installations are taken, a fort's zone binds it (12.4.7, 11.1.5,
    11.1.6)."""
    state = g.state
    g.log("12.4.7", "{unit} advances from {hex_from} to {hex}", unit=unit, hex_from=state.where[unit], hex=hex)
    state.where[unit] = hex
    state.via[unit] = 0
    pass_through(g, side, [hex])
    capture(g, side, hex)
    if enemy_fort(g, side, hex) is not None:
        state.flags[unit] |= OWES


def finish(g: G, side: int) -> None:
    """Installations given up leave the board, and what was declared is forgotten (12.3)."""
    state = g.state
    for depot in DEPOTS[side]:
        if state.flags[depot] & SACRIFICED:
            to_pool(g, side, depot)
    state.battle = [0] * len(state.battle)
    state.supply = [0] * len(state.supply)
    state.targets.clear()
    for unit in REGULARS[1 - side]:
        state.flags[unit] &= ~REACTED
    state.combat_step = 0
