"""Combat (12): the attacker names his combats, then finds the supply for them, then fights them one by one.

What has been declared stands in the state: `battle` gives each attacker the number of its combat, `targets` each attacked
hex, `supply` what each attacker fights with, and `todo` the step the phase has come to.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from khamsin.games.paa import differential
from khamsin.games.paa.control import pass_through
from khamsin.games.paa.differential import (
    ATTACK_SUPPLY,
    GENERAL_SUPPLY,
    MAXIMUM_SUPPLY,
    NO_SUPPLY,
    Differential,
    defenders,
)
from khamsin.games.paa.ground import ATTACK_SUPPLY as ATTACK_RANGE
from khamsin.games.paa.ground import OPEN_SIDES
from khamsin.games.paa.losses import FIGURES, choose
from khamsin.games.paa.reaction import react
from khamsin.games.paa.reliability import ATTACK as UNRELIABLE
from khamsin.games.paa.reliability import has_lost, may_attack, surrender, wavering
from khamsin.games.paa.stacking import room
from khamsin.games.paa.supply import attack_supply, keeps_supply, lines, refresh, stranded_without
from khamsin.games.paa.transport import capture, to_pool
from khamsin.games.paa.units import (
    ALLIED,
    AXIS,
    BOARD,
    DEPOTS,
    DISMOUNTED,
    HEXES,
    MOVED,
    OOC,
    OOS,
    OWES,
    REACTED,
    REGULAR_SPAN,
    REGULARS,
    SACRIFICED,
    G,
    on_map,
)
from khamsin.games.paa.zones import FORT_ZONE, FORTS, enemy_fort, front
from khamsin.kernel.rules import Procedure

STEP = "combat step"
DECLARE, SUPPLY, RESOLVE = 1, 2, 3
FREE = -1
"""The `battle` of a unit whose targets all surrendered: it may still join another combat (15.3)."""
UNABLE = OOS | OOC | DISMOUNTED
"""What keeps a unit from attacking (8.5, 10.3, 13.6)."""
ALLIED_FROM: int = FIGURES["attack"]["allied_from_turn"]
"""The first turn in which the Allies may attack (12)."""


def combat(g: G, side: int) -> Procedure:
    """The combat phase: declarations, attack supply, resolution (7.1, 12). The Allies have none on turn 1 (12, 12.3.1)."""
    todo = g.state.todo
    if side == ALLIED and g.state.turn < ALLIED_FROM:
        return
    if STEP not in todo:
        todo[STEP] = DECLARE
        attack_forts(g, side)
    if todo[STEP] == DECLARE:
        yield from declare_combats(g, side)
    if todo[STEP] == SUPPLY:
        yield from provide_supply(g, side)
    yield from resolve_combats(g, side)
    finish(g, side)


def attack_forts(g: G, side: int) -> None:
    """Every unit in the zone of a fort that the enemy occupies attacks it, able or not (12.1.1, 12.2)."""
    state = g.state
    for unit in REGULARS[side]:
        if state.where[unit] in FORT_ZONE:
            fort = enemy_fort(g, side, state.where[unit])
            if fort is not None:
                state.battle[unit] = state.targets.setdefault(BOARD.name(fort), _next_number(g))


def declare_combats(g: G, side: int) -> Procedure:
    """The attacker names one combat after another (12.2)."""
    done = g.rules.button("done")
    while hexes := open_targets(g, side):
        click = yield g.ask(
            side,
            "combat.target",
            "Attack a hex, or end the declarations",
            "12.2",
            locations=hexes,
            buttons=[done],
            top=True,
        )
        if click == done:
            break
        yield from declare(g, side, g.location(click))
    g.state.todo[STEP] = SUPPLY


def declare(g: G, side: int, first: int) -> Procedure:
    """One combat: attackers, and further hexes as long as every attacker is adjacent to every hex (12.2). A forced attack on
    a fort can only grow by further hexes."""
    state = g.state
    done, cancel = g.rules.button("done"), g.rules.button("cancel")
    number = state.targets.get(BOARD.name(first), 0)
    attackers = attackers_of(g, side, number) if number else []
    targets = targets_of(g, number) if number else [first]
    pool = attackers if number else ready(g, side)
    while True:
        units = [u for u in pool if u not in attackers and adjacent(g, [u], targets)]
        hexes = further_targets(g, side, attackers or units, targets, every=bool(attackers))
        buttons = [done, cancel] if attackers else [cancel]
        click = yield g.ask(
            side, "combat.attackers", "Add attackers or hexes to the combat", "12.2", units=units, locations=hexes,
            buttons=buttons, about=attackers,
        )  # fmt: skip
        if click == cancel:
            return
        if click == done:
            break
        if g.is_unit(click):
            attackers.append(click)
        else:
            targets.append(g.location(click))
    number = number or _next_number(g)
    for unit in attackers:
        state.battle[unit] = number
    for hex in targets:
        state.targets[BOARD.name(hex)] = number


def ready(g: G, side: int) -> list[int]:
    """The units that may attack and are in no combat yet: supplied, in command, reliable (12, 10.3, 15.2)."""
    state = g.state
    span = REGULAR_SPAN[side]
    columns = zip(REGULARS[side], state.where[span], state.flags[span], state.battle[span], strict=True)
    units = [u for u, hex, marks, battle in columns if 0 <= hex < HEXES and not marks & UNABLE and not battle]
    if side == AXIS and has_lost(g, UNRELIABLE):
        distance = attack_supply(g, side)
        units = [u for u in units if may_attack(g, u, distance)]
    return units


def open_targets(g: G, side: int) -> list[int]:
    """The hexes against which a combat can be declared: held by enemy units or lorries, adjacent to a unit that is ready, not
    attacked yet (12.2); and forts whose forced attack can be widened."""
    state = g.state
    near: set[int] = set().union(*[OPEN_SIDES[state.where[u]] for u in ready(g, side)])
    hexes = {hex for hex in near & held(g, side) if BOARD.name(hex) not in state.targets}
    for fort in FORTS:
        number = state.targets.get(BOARD.name(fort), 0)
        if number:
            attackers = attackers_of(g, side, number)
            if attackers and further_targets(g, side, attackers, targets_of(g, number), every=True):
                hexes.add(fort)
    return sorted(hexes)


def further_targets(g: G, side: int, units: Sequence[int], targets: Sequence[int], every: bool) -> list[int]:
    """The hexes that can be added to a combat: adjacent to all of these units, or to at least one (12.2)."""
    state = g.state
    sides = [OPEN_SIDES[state.where[u]] for u in units]
    near = set(sides[0]).intersection(*sides[1:]) if every else set[int]().union(*sides)
    near &= held(g, side)
    return sorted(hex for hex in near if hex not in targets and BOARD.name(hex) not in state.targets)


def held(g: G, side: int) -> frozenset[int]:
    """The hexes with enemy units or lorries; a lone installation is taken by entering, not by combat (11.1.6, 12)."""
    return front(g, 1 - side).barred


def attackers_of(g: G, side: int, number: int) -> list[int]:
    """The attackers of a combat."""
    battle = g.state.battle
    return [u for u in REGULARS[side] if battle[u] == number]


def targets_of(g: G, number: int) -> list[int]:
    """The hexes attacked in a combat."""
    return [BOARD[hex] for hex, combat in g.state.targets.items() if combat == number]


def forced(g: G, side: int, number: int) -> bool:
    """Whether a combat is one the attacker must fight, against a fort in whose zone his units are (12.1.1)."""
    where = g.state.where
    return any(
        fort in targets_of(g, number) and any(where[u] == fort for u in REGULARS[1 - side]) for fort in FORTS
    ) and bool(attackers_of(g, side, number))


def adjacent(g: G, units: Sequence[int], targets: Sequence[int]) -> bool:
    """Whether every unit is adjacent to every hex across an open hexside (12.2)."""
    where = g.state.where
    return all(hex in OPEN_SIDES[where[u]] for u in units for hex in targets)


def _next_number(g: G) -> int:
    return max(g.state.targets.values(), default=0) + 1


def provide_supply(g: G, side: int) -> Procedure:
    """The attacker gives up installations for maximum attack supply, or simply removes some; then the supply of every attacker
    is fixed (12.3)."""
    done, destroy, cancel = (g.rules.button(b) for b in ("done", "destroy", "cancel"))
    while True:
        spend, scrap = sacrifices(g, side), any_removable(g, side)
        if not spend and not scrap:
            break
        click = yield g.ask(
            side, "combat.supply", "Give up an installation for maximum attack supply, or go on", "12.3", units=spend,
            buttons=[destroy, done] if scrap else [done], top=True,
        )  # fmt: skip
        if click == done:
            break
        if click == destroy:
            depots = [depot for depot in DEPOTS[side] if removable(g, side, depot)]
            click = yield g.ask(
                side, "combat.destroy", "Which installation is removed?", "12.3", units=depots, buttons=[cancel]
            )
            if click != cancel:
                g.log("12.3", "{unit} in {hex} is removed", unit=click, hex=g.state.where[click])
                to_pool(g, side, click)
            continue
        g.state.flags[click] |= SACRIFICED
        g.log("12.3", "{unit} in {hex} is given up for maximum attack supply", unit=click, hex=g.state.where[click])
    fix_supply(g, side)
    g.state.todo[STEP] = RESOLVE


def sacrifices(g: G, side: int) -> dict[int, dict[str, int]]:
    """The installations that can be given up, each with the number of attackers it would feed: in command, joined to a
    terminal, not moved this turn, within 8 MF of an attacker (12.3, 12.3.1)."""
    state = g.state
    fighting = [state.where[u] for u in REGULARS[side] if state.battle[u] and not state.flags[u] & UNABLE]
    if not fighting:
        return {}
    joined = lines(g, side).depots
    found = {}
    for depot in DEPOTS[side]:
        if state.where[depot] not in joined or state.flags[depot] & (SACRIFICED | OOC | MOVED):
            continue
        distance = attack_supply(g, side, depots=[depot])
        fed = sum(distance[hex] <= ATTACK_RANGE for hex in fighting)
        if fed and not losers_without(g, side, depot):
            found[depot] = {"attackers": fed}
    return found


def any_removable(g: G, side: int) -> bool:
    """Whether any installation can be removed from the board for nothing; those that feed nobody are tried first."""
    fed = lines(g, side).depots - lines(g, side).situation.always
    depots = sorted(DEPOTS[side], key=lambda depot: g.state.where[depot] in fed)
    return any(removable(g, side, depot) for depot in depots)


def removable(g: G, side: int, depot: int) -> bool:
    """Whether an installation can be removed from the board for nothing (12.3, 12.3.1)."""
    return on_map(g, depot) and not g.state.flags[depot] & SACRIFICED and not losers_without(g, side, depot)


def losers_without(g: G, side: int, depot: int) -> list[int]:
    """The Allied units and lorries that would lose supply without an installation and those given up already, for which the
    Allies may not give it up; the Axis may (12.3.1, 8.4.1, 8.4.2)."""
    if side != ALLIED:
        return []
    return stranded_without(g, side, [d for d in DEPOTS[side] if d == depot or g.state.flags[d] & SACRIFICED])


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
    for number in set(state.targets.values()):
        if not attackers_of(g, side, number):
            call_off(g, side, number)


def supply_of(g: G, unit: int, distance: Sequence[int], best: Sequence[int] | None = None) -> int:
    """An attacker's supply in halves of its CF, by its distance from an installation that can feed an attack, and from one that
    is given up: maximum, attack or general supply, or none (8.5, 12.3)."""
    if g.state.flags[unit] & UNABLE or not may_attack(g, unit, distance):
        return NO_SUPPLY
    hex = g.state.where[unit]
    if best is not None and best[hex] <= ATTACK_RANGE:
        return MAXIMUM_SUPPLY
    return ATTACK_SUPPLY if distance[hex] <= ATTACK_RANGE else GENERAL_SUPPLY


def resolve_combats(g: G, side: int) -> Procedure:
    """The attacker fights the combats in the order he likes; voluntary ones he may call off, forced ones he may not
    (12.1, 12.4)."""
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
            side, "combat.order", "Fight a combat" + ("" if must else ", or call off the rest"), "12.4", locations=hexes,
            buttons=[] if must else [done], top=True,
        )  # fmt: skip
        if click == done:
            break
        yield from resolve(g, side, g.state.targets[BOARD.name(g.location(click))])
    for number in sorted(set(g.state.targets.values())):
        call_off(g, side, number)


def fightable(g: G, side: int) -> dict[int, dict[str, int]]:
    """The combats still to be fought, with their differentials; voluntary ones only if it is 0 or more (12.4, 12.4.2)."""
    numbers = {}
    for number in sorted(set(g.state.targets.values())):
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
    """The differential of a declared combat, the defenders' supply judged as things stand (12.4.1, 12.4.2)."""
    attackers, targets = attackers_of(g, side, number), targets_of(g, number)
    return differential.attack(g, attackers, targets, g.state.supply.__getitem__, lines(g, 1 - side))


def call_off(g: G, side: int, number: int) -> None:
    """A voluntary combat is not fought (12.4)."""
    for hex in targets_of(g, number):
        g.log("12.4", "The combat against {hex} is called off", hex=hex)
    close(g, side, number, 0)


def close(g: G, side: int, number: int, mark: int) -> None:
    """A combat is over for its attackers and its hexes."""
    state = g.state
    for unit in attackers_of(g, side, number):
        state.battle[unit] = mark
    for hex in targets_of(g, number):
        del state.targets[BOARD.name(hex)]


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
        if number not in g.state.targets.values():
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
    while units := [u for u in REGULARS[side] if state.battle[u] == FREE and adjacent(g, [u], targets)]:
        click = yield g.ask(
            side, "combat.add", "Add units that have not fought, or go on", "15.3", units=units, buttons=[done]
        )
        if click == done:
            return
        state.battle[click] = number


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
    """The attacker rolls in the column of the differential, and the defender loses so many CF (12.4.3, 12.4.5)."""
    crt = g.table("crt")
    amount = int(crt.roll(g.dice, crt.column(strength.differential), purpose="attack"))
    g.log("12.4.3", "Differential {differential}: the defender must lose {amount} CF", differential=strength.differential,
          amount=amount, hex=hex)  # fmt: skip
    yield from choose(g, 1 - side, units, amount, "12.4.5")


def counter_attack(g: G, side: int, attackers: Sequence[int], targets: Sequence[int]) -> Procedure:
    """The defender may strike back, with differential 0 if nobody is left, and the attackers lose so many CF (12.4.4)."""
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
            side, "combat.advance", "Advance a unit, or stay", "12.4.7", units=list(ways), buttons=[done]
        )
        if unit == done:
            return
        hexes = ways[unit]
        hex = hexes[0]
        if len(hexes) > 1:
            hex = g.location(
                (yield g.ask(side, "combat.advance.to", "Into which hex?", "12.4.7", locations=hexes, about=[unit]))
            )
        enter(g, side, unit, hex)
        left.remove(unit)


def may_advance(g: G, side: int, unit: int, hex: int) -> bool:
    """Whether there is room, and nobody is left out of supply that may not be: no Allied or Italian unit advances beyond supply
    or leaves another without (4, 8.4.1, 8.4.2, 12.4.7)."""
    return room(g, side, hex) > 0 and keeps_supply(g, side, unit, hex)


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
    del state.todo[STEP]
