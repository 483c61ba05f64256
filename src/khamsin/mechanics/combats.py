"""Declaration of combats, target first: a click on an enemy hex puts every unit that can attack it into the combat.

Each unit can then be removed and added again by clicking it; further hexes likewise, where the game allows several. One
button declares the combat, `cancel` drops it. A click on a hex that is attacked already calls its combat off, where the
rules allow.

The state of a game that declares combats has a column `battle` (the number of the combat a unit attacks in, 0 for
none), amounts `targets` (attacked hex -> number of its combat) and a record `draft`, the combat that is being put
together:

```python
class MyState(State):
    COLUMNS = State.COLUMNS | {"battle": 0}
    AMOUNTS = ("targets",)
    RECORDS = {"draft": Combat}
```

If each unit attacks once in a phase, and each hex is attacked once, it also has `attacked` (hex -> side that attacked it).

A game says in a `Declaration` who can attack what. The same functions build the legal clicks and the refusals.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from khamsin.kernel.cache import cached
from khamsin.kernel.pieces import having
from khamsin.kernel.rules import Choices, Decision, Game, Hint, Odds, Procedure, Refusal
from khamsin.mechanics.odds import refused

G = Game[Any]


FOUGHT = -1
"""The number in the column `battle` of a unit that has attacked in the phase."""


class Combat(NamedTuple):
    """Units of a side that attack hexes. `number` is 0 until it is declared."""

    number: int
    side: int
    units: tuple[int, ...]
    hexes: tuple[int, ...]


class Declared(NamedTuple):
    """A combat just declared and the button that declared it; no combat if the button was one of `others`."""

    combat: Combat | None
    button: str


def _nothing(*args: Any) -> None:
    """Return no refusal."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """How a game declares combats."""

    rule: str
    """The section of the rule."""
    contacts: Callable[[G, int], Mapping[int, Sequence[int]]]
    """The enemy hexes next to units of a side, each with these units, able to attack or not; see the function `contacts`. It
    depends on the locations of units alone."""
    why_not_target: Callable[[G, int, int], Refusal | None]
    """Why a side cannot attack a hex with any unit."""
    why_not_attacker: Callable[[G, int, Sequence[int]], Refusal | None]
    """Why a unit cannot attack these hexes in one combat; without hexes, why it cannot attack at all."""
    why_not_declared: Callable[[G, Combat, str], Refusal | None] = _nothing
    """Why a combat that has attackers cannot be declared with a button."""
    why_not_removed: Callable[[G, Combat, int], Refusal | None] = _nothing
    """Why a unit must stay in a combat."""
    why_not_called_off: Callable[[G, Combat], Refusal | None] = _nothing
    """Why a declared combat must be fought."""
    on_called_off: Callable[[G, Combat], None] = _nothing
    """What else follows when a declared combat is called off."""
    why_not_ended: Callable[[G, int], Refusal | None] = _nothing
    """Why a side must declare more."""
    select: Callable[[G, Combat], Sequence[int]] = lambda g, combat: combat.units
    """The units of those able that are in a new combat; by default all. For games that limit a combat as a whole."""
    note: Callable[[G, Combat], str] = lambda g, combat: ""
    """Text that the prompt adds about a combat under declaration, such as its cost."""
    hints: Callable[[G, int], Mapping[int, Hint]] = lambda g, side: {}
    """The hint of the hexes that a side can attack."""
    buttons: tuple[str, ...] = ("done",)
    """The buttons that declare a combat."""
    others: tuple[str, ...] = ()
    """Further buttons of the game while a target is chosen."""
    why_not_other: Callable[[G, int, str], Refusal | None] = _nothing
    """Why such a button is illegal for a side."""
    rule_once: str = ""
    """The section by which a unit attacks once and a hex is attacked once, if it is another one."""
    rule_adjacent: str = ""
    """The section by which attackers are adjacent to their target, if it is another one."""
    max_hexes: int = 6
    end: str = "done"
    """The button that ends the declarations."""
    cancel: str = "cancel"


# Declared combats


def number_at(g: G, hex: int) -> int:
    """Return the number of the combat declared against a hex, or 0."""
    found: int = g.state.targets.get(hex, 0)
    return found


def numbers(g: G) -> list[int]:
    """Return the numbers of the declared combats."""
    return sorted(set(g.state.targets.values()))


def declared(g: G, side: int, number: int) -> Combat:
    """Return a declared combat of a side."""
    units = [unit for unit in having(g.state.battle, number) if _side(g, unit) == side]
    return Combat(number, side, tuple(units), hexes_of(g, number))


def hexes_of(g: G, number: int) -> tuple[int, ...]:
    """Return the hexes attacked in a combat."""
    return tuple(sorted([hex for hex, combat in g.state.targets.items() if combat == number]))


def enter(g: G, combat: Combat) -> Combat:
    """Write a combat into the state and return it with its number."""
    state = g.state
    number = combat.number or 1 + max(state.targets.values(), default=0)
    if combat.number:
        close(g, declared(g, combat.side, number))
    for unit in combat.units:
        state.battle[unit] = number
    for hex in combat.hexes:
        state.targets[hex] = number
    return combat._replace(number=number)


def close(g: G, combat: Combat, mark: int = 0) -> None:
    """Remove a combat from the state. Its units get `mark` in the column `battle`."""
    state = g.state
    for unit in combat.units:
        state.battle[unit] = mark
    for hex in combat.hexes:
        state.targets.pop(hex, None)


def contacts(
    own: Mapping[int, Sequence[int]], enemies: Collection[int], around: Sequence[Iterable[int]]
) -> dict[int, list[int]]:
    """Return the hexes of enemies next to own stacks, each with the units of these stacks.

    `own` gives the units by location, `around` the locations that can be attacked from each hex.

    >>> contacts({0: (7, 8), 2: (9,), 5: (4,)}, {1, 3}, [[1], [0, 2], [1, 3], [2]])
    {1: [7, 8, 9], 3: [9]}
    """
    found: dict[int, list[int]] = {}
    held, hexes = frozenset(enemies), len(around)
    for hex, units in own.items():
        if 0 <= hex < hexes and not held.isdisjoint(around[hex]):
            for near in around[hex]:
                if near in held:
                    found.setdefault(near, []).extend(units)
    return {hex: sorted(found[hex]) for hex in sorted(found)}


def contacts_by(around: Sequence[Sequence[int]]) -> Callable[[G, int], Mapping[int, Sequence[int]]]:
    """Return the `contacts` of a game in which units attack the hexes `around` their own."""

    def found(g: G, side: int) -> Mapping[int, Sequence[int]]:
        where = g.state.where
        return contacts(where.stacks(side), where.stacks(1 - side).keys(), around)

    return found


def adjacent(around: Sequence[Sequence[int]], rule: str) -> Callable[[G, int, Sequence[int]], Refusal | None]:
    """Return the `why_not_attacker` of a game in which each unit attacks once in a phase, hexes `around` its own."""

    def why_not(g: G, unit: int, hexes: Sequence[int]) -> Refusal | None:
        here, name = g.state.where[unit], g.rules.names[unit]
        if not g.board.is_hex(here):
            return Refusal(f"{name} cannot attack: not on the map", rule, name)
        if g.state.battle[unit] == FOUGHT:
            return Refusal(f"{name} has already attacked in this phase", rule, name)
        far = next((g.board.name(hex) for hex in hexes if hex not in around[here]), None)
        return None if far is None else Refusal(f"{name} cannot attack {far}: not adjacent", rule, far)

    return why_not


def once(rule: str, rule_enemy: str = "") -> Callable[[G, int, int], Refusal | None]:
    """Return the `why_not_target` of a game in which each hex with enemy combat units is attacked once in a phase. The keys of
    the state's `attacked` are the hexes that were. `rule_enemy` is the section by which enemies are attacked, if it is another
    one."""

    def why_not(g: G, side: int, hex: int) -> Refusal | None:
        label = g.board.name(hex)
        if not g.board.is_hex(hex) or not g.state.where.stacks(1 - side).get(hex):
            return Refusal(f"{label} cannot be attacked: no enemy combat unit is there", rule_enemy or rule, label)
        attacked = hex in g.state.attacked
        return Refusal(f"{label} has already been attacked in this phase", rule, label) if attacked else None

    return why_not


# The procedure


def declare(g: G, d: Declaration, side: int) -> Generator[Decision, int, Declared | None]:
    """Ask for a target and its attackers until a combat is declared, and return it; None if the side ends the
    declarations or has nothing to decide. A game that resolves each attack at once calls this in alternation with its
    resolution."""
    while True:
        if g.state.draft is not None:
            found = yield from _put_together(g, d, g.state.draft)
            if found is not None:
                return found
            continue
        decision = _ask_target(g, d, side)
        if decision is None:
            return None
        click = yield decision
        if click >= g.rules.first_button:
            word = g.rules.names[click]
            return None if word == d.end else Declared(None, word)
        choose_target(g, d, side, g.location(click))


def _ask_target(g: G, d: Declaration, side: int) -> Decision | None:
    """Return the decision about the next target; None if there is nothing to decide."""
    near, stop, first = _near(g, d, side), d.why_not_ended(g, side), g.place0
    others = {g.rules.button(word): word for word in d.others}
    end = g.rules.button(d.end)

    def is_legal(click: int) -> bool:
        if click in others:
            return d.why_not_other(g, side, others[click]) is None
        return _why_not_target(g, d, side, click - first, near) is None

    def hint(click: int) -> Hint:
        if click in others:
            return None
        number = number_at(g, click - first)
        if number:
            return "call off" if d.why_not_called_off(g, declared(g, side, number)) is None else "change the attack"
        return d.hints(g, side).get(click - first)

    def prompt() -> str:
        if not g.state.targets or any(not number_at(g, hex) and is_legal(first + hex) for hex in near):
            return "Choose a hex to attack"
        return "No more hexes to attack: end, or click an attacked hex"

    clicks = [first + hex for hex in sorted({*near, *g.state.targets})]
    if stop is None and not any(is_legal(click) for click in clicks):
        return None
    return Decision(
        side, "combat.target", prompt if stop is None else stop.reason, d.rule,
        Choices({end: None} if stop is None else {}, [*clicks, *others], is_legal, hint), top=True, buttons=(end, *others),
        why_not=lambda seen, decision, click: why_not_at_targets(seen, d, decision.side, click),
        can_act=lambda seen: able_units(seen, d, side),
    )  # fmt: skip


def choose_target(g: G, d: Declaration, side: int, hex: int) -> None:
    """Begin a combat against a hex with all units that can attack it. If a combat is declared against it, call that
    off, or reopen it if it must be fought but can be widened."""
    number = number_at(g, hex)
    if not number:
        g.state.draft = begin(g, d, side, hex)
        return
    combat = declared(g, side, number)
    if d.why_not_called_off(g, combat) is None:
        call_off(g, d, combat)
    else:
        g.state.draft = combat


def in_turn(g: G, d: Declaration, side: int, fight: Callable[[G, Combat], Procedure]) -> Procedure:
    """Let a side declare combats and fight each before it declares the next, until it ends the phase."""
    while True:
        declared = yield from declare(g, d, side)
        if declared is None or declared.combat is None:
            return
        spend(g, declared.combat)
        yield from fight(g, declared.combat)


def spend(g: G, combat: Combat) -> None:
    """A combat is fought now: its units do not attack again in the phase, and its hexes, which the state's `attacked` has with
    the side, are not attacked again."""
    close(g, combat, FOUGHT)
    for hex in combat.hexes:
        g.state.attacked[hex] = combat.side


def forget(g: G) -> None:
    """Forget at the end of a phase which units have attacked, and which hexes."""
    g.state.battle[:] = [0] * len(g.state.battle)
    g.state.attacked.clear()


def begin(g: G, d: Declaration, side: int, *hexes: int) -> Combat:
    """Return a new combat against hexes with all units that can attack them."""
    combat = Combat(0, side, tuple(able(g, d, side, hexes)), hexes)
    return combat._replace(units=tuple(d.select(g, combat)))


def call_off(g: G, d: Declaration, combat: Combat) -> None:
    """Withdraw a declared combat during declaration."""
    for hex in combat.hexes:
        g.log(d.rule, "The attack on {hex} is called off", hex=hex)
    close(g, combat)
    d.on_called_off(g, combat)


def _put_together(g: G, d: Declaration, draft: Combat) -> Generator[Decision, int, Declared | None]:
    """Ask for one change of the combat under declaration; return it when it is declared."""
    button, names = g.rules.button, g.board.name
    ways, cancel = tuple([button(word) for word in d.buttons]), button(d.cancel)

    def prompt() -> str:
        where = ", ".join([names(hex) for hex in draft.hexes])
        return f"Attack on {where}{d.note(g, draft)}: add or remove units, then declare it"

    maybe = [*_changes(g, d, draft), *ways]
    click = yield Decision(
        draft.side, "combat.attackers", prompt, d.rule,
        Choices({cancel: None}, maybe, lambda click: _why_not_changed(g, d, draft, click) is None),
        top=True, about=draft.units, buttons=ways,
        why_not=lambda seen, decision, click: why_not_at_attackers(seen, d, draft, decision, click),
    )  # fmt: skip
    if click in ways:
        g.state.draft = None
        return Declared(enter(g, draft), g.rules.names[click])
    g.state.draft = None if click == cancel else changed(g, d, draft, click)
    return None


def changed(g: G, d: Declaration, draft: Combat, click: int) -> Combat | None:
    """Return a combat under declaration with the unit or hex of a click added or removed. A further hex drops the units that
    cannot attack it; without its last hex there is no combat."""
    if g.is_unit(click):
        units = set(draft.units) ^ {click}
        return draft._replace(units=tuple(sorted(units)))
    hex = g.location(click)
    if hex not in draft.hexes:
        hexes = (*draft.hexes, hex)
        return draft._replace(units=tuple(staying(g, d, draft, hexes)), hexes=hexes)
    hexes = tuple([other for other in draft.hexes if other != hex])
    return draft._replace(hexes=hexes) if hexes else None


# Legal clicks


def able(g: G, d: Declaration, side: int, hexes: Sequence[int]) -> list[int]:
    """Return the units of a side in no combat yet that can attack these hexes in one combat."""
    near, battle = _near(g, d, side).get(hexes[0], ()), g.state.battle
    return [unit for unit in near if not battle[unit] and d.why_not_attacker(g, unit, hexes) is None]


def able_units(g: G, d: Declaration, side: int) -> list[int]:
    """Return the units of a side in no combat yet that can attack something."""
    near = _near(g, d, side)
    return sorted({u for hex in near if not number_at(g, hex) for u in able(g, d, side, [hex])})


def _changes(g: G, d: Declaration, draft: Combat) -> list[int]:
    """Return the clicks that may change a combat under declaration: its units and those that could join it, its hexes and
    those that could be added to it."""
    near, first = _near(g, d, draft.side), g.place0
    found = [*draft.units, *[unit for unit in near.get(draft.hexes[0], ()) if unit not in draft.units]]
    return [*found, *[first + hex for hex in (*draft.hexes, *_hexes_near(g, d, draft))]]


def further_units(g: G, d: Declaration, draft: Combat) -> list[int]:
    """Return the units that can join a combat under declaration."""
    others = [unit for unit in _near(g, d, draft.side).get(draft.hexes[0], ()) if unit not in draft.units]
    return [unit for unit in others if _why_not_attacker(g, d, unit, draft.hexes, draft.number) is None]


def _hexes_near(g: G, d: Declaration, draft: Combat) -> list[int]:
    """Return the other hexes next to units of a combat under declaration, or of those that could join it if it has none; no
    hexes if it has as many as it may have."""
    if len(draft.hexes) >= d.max_hexes:
        return []
    units = set(draft.units or able(g, d, draft.side, draft.hexes))
    near = _near(g, d, draft.side)
    return [hex for hex, beside in near.items() if hex not in draft.hexes and not units.isdisjoint(beside)]


def further_hexes(g: G, d: Declaration, draft: Combat) -> list[int]:
    """Return the hexes that can be added to a combat under declaration."""
    return [hex for hex in _hexes_near(g, d, draft) if _why_not_further(g, d, draft, hex) is None]


def staying(g: G, d: Declaration, draft: Combat, hexes: Sequence[int]) -> list[int]:
    """Return the units of a combat under declaration that can attack all of these hexes."""
    return [unit for unit in draft.units if d.why_not_attacker(g, unit, hexes) is None]


# Refusals


def previewed(d: Declaration, preview: Callable[[G, Combat], Odds]) -> Callable[[G, int, list[int], list[int]], Odds]:
    """Return the `Rules.odds` of a game: those of an attack, or why it is not permitted."""

    def odds(g: G, viewer: int, attackers: list[int], targets: list[int]) -> Odds:
        side = _side(g, attackers[0]) if attackers else viewer
        refusal = why_not_attack(g, d, side, attackers, targets)
        return refused(refusal) if refusal else preview(g, Combat(0, side, tuple(attackers), tuple(targets)))

    return odds


def why_not_attack(g: G, d: Declaration, side: int, units: Sequence[int], hexes: Sequence[int]) -> Refusal | None:
    """Return why units cannot attack hexes in one combat, whether it is declared or not; for previews of any attack."""
    if len(hexes) > d.max_hexes:
        return Refusal(f"A combat is against {_most_hexes(d)}", d.rule, g.board.name(hexes[d.max_hexes]))
    for hex in hexes:
        refusal = d.why_not_target(g, side, hex)
        if refusal is not None:
            return refusal
    for unit in units:
        refusal = _why_not_own(g, d, side, unit) or d.why_not_attacker(g, unit, hexes)
        if refusal is not None:
            return refusal
    combat = Combat(number_at(g, hexes[0]) if hexes else 0, side, tuple(units), tuple(hexes))
    refusals = [why_not_declared(g, d, combat, word) for word in d.buttons]
    return refusals[0] if all(refusals) else None


def _most_hexes(d: Declaration) -> str:
    return "one hex" if d.max_hexes == 1 else f"at most {d.max_hexes} hexes"


def why_not_declared(g: G, d: Declaration, combat: Combat, button: str) -> Refusal | None:
    """Return why a combat cannot be declared with a button."""
    if not combat.hexes:
        return Refusal("No hex to attack is chosen", d.rule)
    if not combat.units:
        label = g.board.name(combat.hexes[0])
        return Refusal(f"The attack on {label} has no attackers: add a unit", d.rule, label)
    return d.why_not_declared(g, combat, button)


def why_not_at_targets(g: G, d: Declaration, side: int, click: int) -> Refusal | None:
    """Return why a click on a unit, hex or button is illegal while a target is chosen."""
    if click >= g.rules.first_button:
        word = g.rules.names[click]
        return (
            d.why_not_ended(g, side) if word == d.end else d.why_not_other(g, side, word) if word in d.others else None
        )
    if g.is_unit(click):
        if _side(g, click) != side:
            return None
        label = g.rules.names[click]
        return (
            _why_not_attacker(g, d, click, (), 0)
            or _why_no_target_for(g, d, side, click)
            or Refusal(f"Choose the hex that {label} attacks", d.rule, label)
        )
    return _why_not_target(g, d, side, g.location(click), _near(g, d, side))


def why_not_at_attackers(g: G, d: Declaration, draft: Combat, decision: Decision, click: int) -> Refusal | None:
    """Return why a click on a unit, hex or button is illegal while a combat is put together; for an enemy unit, why its hex
    is, if it is."""
    if g.is_unit(click) and _side(g, click) != draft.side:
        where = g.state.where[click]
        if where < 0 or g.place0 + where in decision.legal:
            return _why_not_own(g, d, draft.side, click)
        click = g.place0 + where
    return _why_not_changed(g, d, draft, click)


def _why_not_changed(g: G, d: Declaration, draft: Combat, click: int) -> Refusal | None:
    """Return why a combat under declaration cannot be declared with a button, or changed by a hex or an own unit."""
    if click >= g.rules.first_button:
        word = g.rules.names[click]
        return why_not_declared(g, d, draft, word) if word in d.buttons else None
    if not g.is_unit(click):
        hex = g.location(click)
        return (_why_not_dropped if hex in draft.hexes else _why_not_further)(g, d, draft, hex)
    if click in draft.units:
        return d.why_not_removed(g, draft, click)
    return _why_not_attacker(g, d, click, draft.hexes, draft.number)


def _why_not_own(g: G, d: Declaration, side: int, unit: int) -> Refusal | None:
    if _side(g, unit) == side:
        return None
    return Refusal(f"{g.rules.names[unit]} is an enemy unit: choose its hex", d.rule, g.rules.names[unit])


def _why_not_attacker(g: G, d: Declaration, unit: int, hexes: Sequence[int], number: int) -> Refusal | None:
    """Return why a unit cannot join a combat."""
    combat = g.state.battle[unit]
    if combat and combat != number:
        name, attacked = g.rules.names[unit], hexes_of(g, combat)
        if not attacked:
            over = Refusal(f"{name} has already attacked", d.rule_once or d.rule, name)
            return d.why_not_attacker(g, unit, hexes) or over
        label = g.board.name(attacked[0])
        return Refusal(f"{name} already attacks {label}", d.rule_once or d.rule, label)
    return d.why_not_attacker(g, unit, hexes)


def _why_no_target_for(g: G, d: Declaration, side: int, unit: int) -> Refusal | None:
    """Return why a unit that can attack has nothing to attack."""
    name, near = g.rules.names[unit], _near(g, d, side)
    hexes = [hex for hex, units in near.items() if unit in units]
    if not hexes:
        return Refusal(f"{name} cannot attack: no enemy is adjacent", d.rule_adjacent or d.rule, name)
    reasons = [
        Refusal(f"{g.board.name(hex)} is already attacked", d.rule_once or d.rule, g.board.name(hex))
        if number_at(g, hex)
        else d.why_not_target(g, side, hex) or d.why_not_attacker(g, unit, [hex])
        for hex in hexes
    ]
    return reasons[0] if all(reasons) else None


def _why_not_target(g: G, d: Declaration, side: int, hex: int, near: Mapping[int, Sequence[int]]) -> Refusal | None:
    """Return why a side cannot choose a hex as its target: the game's reason, that of the combat declared against it, or that
    of the first adjacent unit."""
    refusal = d.why_not_target(g, side, hex)
    if refusal is not None:
        return refusal
    if number_at(g, hex):
        combat = declared(g, side, number_at(g, hex))
        refusal = d.why_not_called_off(g, combat)
        return refusal if refusal is not None and not further_hexes(g, d, combat) else None
    if not near.get(hex):
        label = g.board.name(hex)
        return Refusal(f"{label} cannot be attacked: none of your units is adjacent", d.rule_adjacent or d.rule, label)
    refusal = None
    for unit in near[hex]:
        reason = _why_not_attacker(g, d, unit, [hex], 0)
        if reason is None:
            return None
        refusal = refusal or reason
    return refusal


def _why_not_dropped(g: G, d: Declaration, draft: Combat, hex: int) -> Refusal | None:
    """Return why a hex cannot be taken out of a combat under declaration: a unit must stay in it that cannot attack the others
    alone."""
    left = tuple([other for other in draft.hexes if other != hex])
    for unit in draft.units:
        refusal = d.why_not_removed(g, draft, unit)
        if refusal is not None and not (left and d.why_not_attacker(g, unit, left) is None):
            return refusal
    return None


def _why_not_further(g: G, d: Declaration, draft: Combat, hex: int) -> Refusal | None:
    """Return why a hex cannot be added to a combat under declaration."""
    label = g.board.name(hex)
    refusal = d.why_not_target(g, draft.side, hex)
    if refusal is not None:
        return refusal
    if len(draft.hexes) >= d.max_hexes:
        return Refusal(f"A combat is against {_most_hexes(d)}: declare this one first", d.rule, label)
    if number_at(g, hex):
        return Refusal(f"{label} is already attacked", d.rule_once or d.rule, label)
    hexes = (*draft.hexes, hex)
    left = None
    for unit in draft.units or able(g, d, draft.side, draft.hexes):
        reason = d.why_not_attacker(g, unit, hexes)
        if reason is None:
            left = unit
        elif d.why_not_removed(g, draft, unit) is not None:
            return reason
        else:
            refusal = refusal or reason
    if left is not None:
        return None
    return refusal or Refusal(f"None of your units can attack {label} in this combat", d.rule, label)


@cached(lambda g, d, side: (g.state.where.version, side, d.contacts))
def _near(g: G, d: Declaration, side: int) -> Mapping[int, Sequence[int]]:
    """Return the contacts of a side. They depend on unit locations alone."""
    return d.contacts(g, side)


def _side(g: G, unit: int) -> int:
    return g.rules.counters[unit].side
