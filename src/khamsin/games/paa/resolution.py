"""Combat resolution (12.4): one combat after another, from reaction to the advance."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

from khamsin.games.paa import differential
from khamsin.games.paa.advance import advance
from khamsin.games.paa.combat import FREE, adjacent, attackers_of, call_off, close, forced, targets_of, why_not_across
from khamsin.games.paa.declaration import why_not_called_off
from khamsin.games.paa.differential import Differential, defenders
from khamsin.games.paa.losses import choose
from khamsin.games.paa.reaction import react
from khamsin.games.paa.reliability import surrender, wavering
from khamsin.games.paa.supply import lines, refresh
from khamsin.games.paa.units import BOARD, OWES, REGULARS, G, name
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import combats
from khamsin.mechanics.refusals import for_units


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
    return Refusal(f"{label} cannot be attacked: differential {short}, below 0", "12.4.2", label)


def fightable(g: G, side: int) -> dict[int, dict[str, int]]:
    """Return the combats still to be fought, with their differentials; voluntary ones only if it is 0 or more (12.4,
    12.4.2)."""
    numbers = {}
    for number in combats.numbers(g):
        strength = weigh(g, side, number)
        if strength.permitted or forced(g, side, number) or weigh_with_free(g, side, number).permitted:
            numbers[number] = {"differential": strength.differential}
    return numbers


def weigh_with_free(g: G, side: int, number: int) -> Differential:
    """Return the differential of a declared combat with all units that could still join it (15.3)."""
    targets = targets_of(g, number)
    free = [u for u in REGULARS[side] if g.state.battle[u] == FREE and adjacent(g, [u], targets)]
    attackers = attackers_of(g, side, number) + free
    return differential.attack(g, attackers, targets, g.state.supply.__getitem__, lines(g, 1 - side))


def weigh(g: G, side: int, number: int) -> Differential:
    """Return the differential of a declared combat, with the defenders' present supply (12.4.1, 12.4.2)."""
    attackers, targets = attackers_of(g, side, number), targets_of(g, number)
    return differential.attack(g, attackers, targets, g.state.supply.__getitem__, lines(g, 1 - side))


def resolve(g: G, side: int, number: int) -> Procedure:
    """Resolve one combat, from reaction to the advance (12.4)."""
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
            return why_not_across(unit, g.state.where[unit], hex)
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
    """Judge the supply of every defender just before its combat (12.4.1)."""
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
    places = " and ".join(BOARD.name(hex) for hex in targets)
    prompt = f"Counter-attack with differential {strength.differential} from {places}?"
    click = yield g.ask(
        1 - side, "combat.counter", prompt, "12.4.4", buttons=[yes, no], about=(*attackers, *left), at=targets
    )
    if click == no:
        g.log("12.4.4", "No counter-attack")
        return
    crt = g.table("crt")
    amount = int(crt.roll(g.dice, crt.column(strength.differential), purpose="counter-attack"))
    g.log("12.4.4", "Differential {differential}: the attacker must lose {amount} CF", differential=strength.differential,
          amount=amount)  # fmt: skip
    yield from choose(g, side, attackers, amount, "12.4.5")
