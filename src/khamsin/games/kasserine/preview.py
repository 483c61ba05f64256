"""The odds of a combat before it is resolved, from what a side may know (12.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from khamsin.games.kasserine import battle as combats
from khamsin.games.kasserine import close_support, declaration, headquarters, hidden, losses, strength, support
from khamsin.games.kasserine import combat as fighting
from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.strength import PLAIN, CombatChoices
from khamsin.games.kasserine.units import (
    ALLIED,
    ARMOURED,
    AT_FIRE,
    AXIS,
    BARRAGE,
    BOARD,
    BRITISH,
    CAS,
    DEPLOYED,
    FACE_DOWN,
    FOUGHT,
    FPF,
    GERMAN,
    GUN,
    HEXES,
    MARKER_SPAN,
    MARKERS,
    RANGE,
    READY,
    SIDE,
    G,
    defence,
    labels,
    name,
)
from khamsin.kernel.dice import Dice
from khamsin.kernel.display import SheetOption
from khamsin.kernel.rules import Game, Odds, Refusal, Term
from khamsin.kernel.tables import Table
from khamsin.mechanics import results as mechanic
from khamsin.mechanics.combats import Combat, why_not_attack, why_not_declared
from khamsin.mechanics.odds import Modifier, is_below, mix, refused, then

CERTAIN = Fraction(1)
Chances = dict[int, Fraction]
"""The chance of each number."""
ASSUMED = (strength.ASSUMED_ATTACK, strength.ASSUMED_DEFENCE)


def odds(
    g: G,
    viewer: int,
    attackers: list[int],
    targets: list[int],
    table: int | None = None,
    choices: CombatChoices = PLAIN,
) -> Odds:
    """Return the odds of an attack now, with the air units sent and the choices given, on its table, the one given, or
    the Mobile one if allowed. A viewer knows its own markers; for others hidden Final Protective Fire is any that could
    be there, all equally likely, and hidden Barrage Fire counts 0. Untried units are as they may be drawn (10.2.1,
    10.3.4, 11.3.4, 12.1.6, 12.5)."""
    side = SIDE[attackers[0]] if attackers else viewer
    unknown = [] if viewer == side else hidden_barrage(g, side, targets)
    if unknown:
        g = without(g, unknown)
    battle = the_combat(g, Combat(0, side, tuple(attackers), tuple(targets)), table)
    if isinstance(battle, Refusal):
        return refused(battle)
    own = viewer == 1 - side
    attack, terms = attack_chances(g, battle)
    defending = strength.defending_units(g, battle, strength.firing_guns(g, battle) if own else may_fire(g, battle))
    fire = {sum(FPF[marker] for marker in strength.fire(g, battle)): CERTAIN} if own else hidden_fire(g, battle)
    units = defence_chances(g, defending)
    line = strength.line_defence(defending) - sum(defending.values())
    total = then(units, lambda sum: {sum + min(points, sum + line): chance for points, chance in fire.items()})
    terms = [Term("attack", strength.spread(attack), "12.5.2"), *terms]
    terms += [Term("defence", strength.spread(units), "12.5.2"), *strength.unit_terms(g, defending, 1)]
    if max(fire):
        most = strength.spread(sum + line for sum in units)
        terms.append(Term(f"Final Protective Fire, at most {most}", strength.spread(fire), "10.3.4"))
    if unknown:
        terms.append(Term("hidden Barrage Fire, not counted: markers", str(len(unknown)), "10.2.1"))
    return with_outcomes(g, battle, terms, attack, total, choices)


def with_outcomes(
    g: G, battle: Battle, terms: Sequence[Term], attack: Chances, defence: Chances, choices: CombatChoices = PLAIN
) -> Odds:
    """Return the odds of strengths, each with its chance: modifiers, column and the chance of every result (11.3.4,
    12.5.3-7)."""
    table, air = strength.crt(g, battle), air_chances(g, battle)
    modifiers = {
        points: strength.modifiers(g, battle, choices._replace(attacking_air=points[0], defending_air=points[1]))
        for points in air
    }
    below = [is_below(table, a, d) for a in attack for d in defence]
    lines = modifier_terms(list(modifiers.values()))
    if battle.side == AXIS and any(GERMAN[unit] and ARMOURED[unit] for unit in battle.attackers):
        missing = strength.why_no_bonus(g, battle)
        lines += [Term(f"no Combined Arms Bonus: {missing}", "0", "16.2")] if missing else []
    if any(below):
        text, value, rule = strength.BELOW
        lines.append(Term(text, f"{value:+d}" if all(below) else f"0 to {value:+d}", rule))
    nets = [strength.net([*each, strength.BELOW] if all(below) else each) for each in modifiers.values()]
    lines.append(Term(f"{declaration.WORDS[battle.table]} table, net modifier", signed(nets), "12.5.6"))
    cases = [((a, d), p * q) for a, p in attack.items() for d, q in defence.items()]
    outcomes = mix(
        (chance * likely, results(table, *sums, modifiers[points]))
        for points, likely in air.items()
        for sums, chance in cases
    )
    columns = sorted({table.odds(a, d) for (a, d), _ in cases if a})
    heads = dict.fromkeys(table.head(column) for column in (columns[:1] + columns[-1:]))
    steps = [losses.steps_of(g, units) for units in (battle.attackers, combats.defenders(g, battle))]
    return Odds((*terms, *lines), " to ".join(heads), outcomes, mechanic.average(outcomes, *steps))


def modifier_terms(cases: Sequence[Sequence[Modifier]]) -> list[Term]:
    """Return the modifiers of all cases as terms; one that differs or is not in every case has a range."""
    texts = {(modifier.text, modifier.rule): None for case in cases for modifier in case}
    values = [{(modifier.text, modifier.rule): modifier.value for modifier in case} for case in cases]
    return [Term(text, signed([case.get((text, rule), 0) for case in values]), rule) for text, rule in texts]


def signed(values: Iterable[int]) -> str:
    """Return one value or the least and the greatest, with signs."""
    least, *_, most = sorted(values) * 2
    return f"{least:+d}" if least == most else " to ".join(f"{value:+d}" if value else "0" for value in (least, most))


def air_chances(g: G, battle: Battle) -> dict[tuple[int, int], Fraction]:
    """Return the chance of each pair of Close Air Support points, the attacker's and the defender's, by the air units
    sent: all of them once the odds of the combat are known, before that those that arrive (11.1.6, 11.3.3, 12.5.1)."""
    known = g.state.todo.get(fighting.FIGHTING) == battle.number != 0
    found = {(0, 0): CERTAIN}
    for side in (battle.side, 1 - battle.side):
        sent = close_support.flying(g, battle, side)
        for unit in sent:
            arrives = CERTAIN if known else close_support.chance(g, unit, pair=len(sent) > 1)
            more = (CAS[unit], 0) if side == battle.side else (0, CAS[unit])
            found = mix(
                (likely, {(a + more[0], d + more[1]): arrives, (a, d): 1 - arrives}) for (a, d), likely in found.items()
            )
    return {points: chance for points, chance in found.items() if chance}


def results(table: Table, attack: int, defence: int, modifiers: Sequence[Modifier]) -> Mapping[str, Fraction]:
    """Return the chance of every result; an attack without strength is not made (12.1.5, 12.5.3, 12.5.6, 12.5.7)."""
    if not attack:
        return {"-": CERTAIN}
    found = [*modifiers, strength.BELOW] if is_below(table, attack, defence) else modifiers
    chances = table.chances(table.odds(attack, defence), strength.net(found))
    return {str(result): chance for result, chance in chances.items()}


def the_combat(g: G, combat: Combat, table: int | None) -> Battle | Refusal:
    """Return the combat with its table: as declared, else on a table on which it could be declared; or why it could not
    be (9.1, 12.1, 12.3)."""
    number = combats.at(g, combat.hexes[0]) if combat.hexes else 0
    if number:
        fight = combats.read(g, combat.side, number)
        if set(combat.units) <= set(fight.attackers) and set(combat.hexes) <= set(fight.hexes):
            if combats.defenders(g, fight):
                return fight._replace(attackers=combat.units, hexes=combat.hexes)
            return Refusal("No combat: no defenders left", "12.1.2", labels(combat.hexes))
    refusal = why_not_attack(g, declaration.DECLARATION, combat.side, combat.units, combat.hexes)
    if refusal is not None:
        return refusal
    words = [declaration.WORDS[table]] if table is not None else ["mobile", "assault", "AT fire"]
    refusals = {word: why_not_declared(g, declaration.DECLARATION, combat, word) for word in words}
    allowed = next((word for word, why in refusals.items() if why is None), None)
    if allowed is None:
        return refusals[words[0]] or Refusal("No table is allowed", "12.4", labels(combat.hexes))
    return declaration.as_battle(combat, declaration.TABLES[allowed])


# Strengths


def attack_chances(g: G, battle: Battle) -> tuple[Chances, list[Term]]:
    """Return the chance of each attack strength by the possible strengths of Untried attackers, and the terms of the
    sum (12.5.2)."""
    groups = strength.shares(g, battle)
    unknown = [strength.untried(g, share.units) for share in groups]
    sure = [share.strength - ASSUMED[0] * len(units) for share, units in zip(groups, unknown, strict=True)]
    halved = [1 << len(strength.halvings(g, battle, share.units[0])) for share in groups]
    fire = sum(BARRAGE[marker] for marker in strength.barrage(g, battle))
    line = strength.line_strength(g, battle) - ASSUMED[0] * sum(map(len, unknown))

    def strength_of(drawn: Sequence[int]) -> int:
        units = sum([(known + more) // times for known, more, times in zip(sure, drawn, halved, strict=True)])
        return units + min(fire, line + sum(drawn))

    chances = then(hidden.draws(g.state, unknown, 0), lambda drawn: {strength_of(drawn): CERTAIN})
    return chances, strength.attack_total(g, battle)[1]


def defence_chances(g: G, defending: Mapping[int, int]) -> Chances:
    """Return the chance of each sum of the defending units by the possible strengths of Untried ones (12.5.2)."""
    unknown = strength.untried(g, defending)
    sure = sum(defending.values()) - ASSUMED[1] * len(unknown)
    return then(hidden.draws(g.state, [unknown], 1), lambda drawn: {sure + drawn[0]: CERTAIN})


# Fire Support


def hidden_barrage(g: G, side: int, targets: Sequence[int]) -> list[int]:
    """Return the face-down markers of an attacker on the attacked hexes, which others do not know by name (10.2.1)."""
    state = g.state
    return [m for m in MARKERS[side] if state.where[m] in targets and state.flags[m] & FACE_DOWN]


def without(g: G, markers: Sequence[int]) -> G:
    """Return the game with these markers in the Ready Box."""
    state = g.state.copy()
    for marker in markers:
        state.where[marker] = READY[SIDE[marker]]
    return Game(g.rules, g.scenario, g.options, state, Dice())


def may_fire(g: G, battle: Battle) -> list[int]:
    """Return the guns in attacked hexes that may defend by their fire: in each hex no more than there are markers,
    which is public; the weakest others count their defence (10.3.3, 12.5.2)."""
    where, side = g.state.where, 1 - battle.side
    found = []
    for hex in battle.hexes:
        guns = [gun for gun in strength.silent_guns(g, battle) if where[gun] == hex]
        markers = where[MARKER_SPAN[side]].count(hex)
        found += sorted(guns, key=lambda gun: -defence(g, gun))[:markers]
    return found


def hidden_fire(g: G, battle: Battle) -> Chances:
    """Return the chance of each sum of Final Protective Fire from the attacker's view: face-up markers count their
    value, hidden ones are any of the enemy's that could be there, every distribution equally likely (10.3.4, 10.5.2).
    """
    if battle.table == AT_FIRE:
        return {0: CERTAIN}
    state, side = g.state, 1 - battle.side
    laid = {hex: [m for m in MARKERS[side] if state.where[m] == hex] for hex in battle.hexes}
    secret = [sum(bool(state.flags[m] & FACE_DOWN) for m in markers) for markers in laid.values()]
    shown = [[m for m in markers if not state.flags[m] & FACE_DOWN] for markers in laid.values()]
    spent = FOUGHT if state.tables else 0  # 10.1.4
    able = {
        marker: [n for n, hex in enumerate(laid) if secret[n] and _could_support(g, marker, hex)]
        for marker in MARKERS[side]
        if any(secret) and state.flags[marker] & (FACE_DOWN | spent) == FACE_DOWN
    }
    ways: dict[tuple[Fire, ...], int] = {tuple(Fire().with_all(markers) for markers in shown): 1}
    full = tuple(len(markers) + more for markers, more in zip(shown, secret, strict=True))
    for marker, numbers in able.items():
        for fires, count in list(ways.items()):
            for n in numbers:
                more = (*fires[:n], fires[n].plus(marker), *fires[n + 1 :])
                if more[n].markers <= full[n] and more[n].is_allowed(side):
                    ways[more] = ways.get(more, 0) + count
    most = max(sum(fire.markers for fire in fires) for fires in ways)
    found: dict[int, int] = {}
    for fires, count in ways.items():
        if sum(fire.markers for fire in fires) == most:
            points = Fire.together(fires).points(side)
            found[points] = found.get(points, 0) + count
    return {points: Fraction(count, sum(found.values())) for points, count in found.items()}


class Fire(NamedTuple):
    """Markers on a hex as far as the limit of nations goes: British ones and others, with their points (10.5.2)."""

    british: int = 0
    others: int = 0
    british_points: int = 0
    other_points: int = 0
    best_british: int = 0
    best_other: int = 0

    @property
    def markers(self) -> int:
        """How many there are."""
        return self.british + self.others

    def plus(self, marker: int) -> Fire:
        """Return the same with one marker more."""
        b, o, bp, op, bb, bo = self
        points = FPF[marker]
        if BRITISH[marker]:
            return Fire(b + 1, o, bp + points, op, max(bb, points), bo)
        return Fire(b, o + 1, bp, op + points, bb, max(bo, points))

    def with_all(self, markers: Iterable[int]) -> Fire:
        """Return the same with several markers more."""
        found = self
        for marker in markers:
            found = found.plus(marker)
        return found

    @classmethod
    def together(cls, fires: Iterable[Fire]) -> Fire:
        """Return the markers of several hexes of one combat."""
        each = list(zip(*fires, strict=True))
        british, others, british_points, other_points = (sum(numbers) for numbers in each[:4])
        return cls(british, others, british_points, other_points, max(each[4]), max(each[5]))

    def is_allowed(self, side: int) -> bool:
        """Whether these may fire in one combat (10.5.2)."""
        return side != ALLIED or self.others == 0 or (self.others == 1 and self.british <= 1)

    def points(self, side: int) -> int:
        """Return what they give, the strongest that the limit of nations allows (10.5.2)."""
        if self.is_allowed(side):
            return self.british_points + self.other_points
        return max(self.best_other + self.best_british, self.british_points)


def _could_support(g: G, marker: int, hex: int) -> bool:
    """Whether a gun could have its marker on an attacked hex (10.1.2, 10.3.6)."""
    gun, state = GUN[marker], g.state
    here = state.where[gun]
    if not 0 <= here < HEXES or not state.flags[gun] & DEPLOYED:
        return False
    if support.next_to_enemy(g, gun):
        return here == hex
    return BOARD.distance(here, hex) <= RANGE[gun]


# Options


def options(g: G, viewer: int, combat: Combat, table: int | None = None) -> Iterator[SheetOption]:
    """Yield the effect of each choice still to be made by the attacker: Barrage Fire, Close Air Support, Rommel, the
    Tiger against a strongpoint, mountain units (10.2.1, 11.3.2, 15.5.2, 16.3.1, 16.6.3)."""
    battle = the_combat(g, combat, table)
    if viewer != combat.side or isinstance(battle, Refusal):
        return
    then = g.with_state(g.state.copy())
    then.state.draft = None
    if not battle.number:
        battle = combats.declare(then, combat, battle.table)

    def judged(seen: G, choices: CombatChoices = PLAIN) -> Odds:
        return odds(seen, viewer, list(combat.units), list(combat.hexes), choices=choices)

    if fighting.FIGHTING not in g.state.todo:
        for unit, hex, text, rule in (*_fire_options(then, battle), *_air_options(then, battle)):
            laid = then.with_state(then.state.copy())
            laid.state.where[unit] = hex
            yield SheetOption(text, rule, judged(laid))
    if headquarters.rommel_may_add(then, battle):
        yield SheetOption("Use a bonus of Rommel's", "15.5.2", judged(then, CombatChoices(rommel=True)))
    if strength.tigers(then, battle):
        yield SheetOption("Disregard the strongpoint by a Tiger", "16.3.1", judged(then, CombatChoices(tiger=True)))
    if strength.mountaineers(then, battle):
        yield SheetOption("Use the mountain units", "16.6.3", judged(then, CombatChoices(mountain=True)))


def _fire_options(g: G, battle: Battle) -> Iterator[tuple[int, int, str, str]]:
    """Yield the markers that can still be placed for Barrage Fire, each with its hex; none after the step is over
    (10.2.1)."""
    for marker in MARKERS[battle.side] if fighting.LAID not in g.state.todo else ():
        if fighting.why_silent(g, marker) is None:
            for hex in fighting.within_reach(g, GUN[marker], battle)[:1]:
                yield marker, hex, f"Barrage Fire of {name(GUN[marker])}", "10.2.1"


def _air_options(g: G, battle: Battle) -> Iterator[tuple[int, int, str, str]]:
    """Yield the air units that can still be sent, one of each strength and chance to arrive (11.3.2)."""
    side, told = battle.side, set()
    sent = len(close_support.flying(g, battle, side))
    hexes = close_support.mission_hexes(g, battle, side) if sent < close_support.MOST else []
    for unit in close_support.ready(g, side) if hexes else ():
        chance = close_support.chance(g, unit, pair=sent > 0)
        if (CAS[unit], chance) not in told:
            told.add((CAS[unit], chance))
            yield unit, hexes[0], f"Send {name(unit)}, which arrives {float(chance):.0%}", "11.3.2"
