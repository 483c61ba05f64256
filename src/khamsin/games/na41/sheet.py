"""The combat sheet (8.3, 8.8, 9): one pure function from an attack to its strengths, shifts and column, each line with its
section. Preview, combat, Automatic DS and Breakthrough Combat all use it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from khamsin.games.na41 import stacking
from khamsin.games.na41.ground import CITY, JEBEL, downhill, escarpment, into_perimeter, uphill
from khamsin.games.na41.units import (
    BOARD,
    BRACKETED,
    COMBAT_DATA,
    DISRUPTED,
    FLAK,
    FULL_RETREAT,
    INFANTRY,
    OOS,
    QUALITY,
    RETREATED,
    TANK,
    TRANSPORTED,
    VEHICLE,
    G,
    attack,
    combat_units,
    defence,
    name,
    names,
    rating,
)
from khamsin.kernel.rules import Refusal, Term
from khamsin.mechanics.odds import Factor, Modifier, Rounding, Share, net, share, share_terms, total

UP = Rounding(down=False)
"""Units are halved one by one, fractions rounded up (9.1)."""
LIMITS, SHIFTS = COMBAT_DATA["limits"], COMBAT_DATA["shifts"]
OVERWHELMING: int = LIMITS["overwhelming"]
LOWEST: int = 2 - LIMITS["least_odds"]
"""The level of the lowest column, 1-3. Levels count columns: 1-1 is 1, 2-1 is 2, 1-2 is 0."""
HALF, DOUBLE = "1/2", 2
INTO_FORTIFICATION = Factor.of("attacks a Fortification", HALF, "9.5.1")
INTO_PERIMETER = Factor.of("attacks into the Tobruk perimeter", HALF, "9.6")
UPHILL = Factor.of("attacks uphill", HALF, "9.6")
DOWNHILL = Factor.of("attacks downhill", DOUBLE, "9.6")
OUTRANKED = Factor.of("is outranked by the defender's tanks", HALF, "9.2.3")
OUT_OF_SUPPLY = Factor.of("is out of supply", HALF, "16.4")
IS_DISRUPTED = Factor.of("is Disrupted", HALF, "13.2.1")
IS_TRANSPORTED = Factor.of("is under a transport marker", HALF, "9.1")
IN_FORTIFICATION = Factor.of("is in a Fortification", DOUBLE, "9.5.1")
IN_CITY = Factor.of("is in a city", DOUBLE, "9.6")


class Attack(NamedTuple):
    """Units of a side that attack a hex, whether they have Attack Supply, the support of both sides, and whether it is a
    Breakthrough Combat."""

    side: int
    units: tuple[int, ...]
    hex: int
    supplied: bool = False
    artillery: bool = False
    air: bool = False
    enemy_artillery: bool = False
    enemy_air: bool = False
    breakthrough: bool = False


class Sheet(NamedTuple):
    """All terms of the column of an attack. `level` counts columns from 1-1 = 1 and has no upper limit; `spared` says
    that Attack Supply is not needed."""

    attackers: tuple[Share, ...]
    defenders: tuple[Share, ...]
    attack: int
    defence: int
    odds: int
    shifts: tuple[Modifier, ...]
    level: int
    supplied: bool
    spared: bool = False

    @property
    def overwhelming(self) -> bool:
        """Whether the defender is shattered without a roll (8.8.3)."""
        return self.level >= OVERWHELMING

    @property
    def terms(self) -> tuple[Term, ...]:
        """Every line of the sheet with its section: strengths, limits, odds and shifts."""
        found = [
            *share_terms(self.attackers, name, "attack", "2.3.2", UP, "9.1"),
            *share_terms(self.defenders, name, "defence", "2.3.2", UP, "9.1"),
        ]
        if total(self.attackers) > self.attack:
            text = "attack counts at most" if self.supplied else "without Attack Supply at most"
            found.append(Term(text, str(self.attack), "8.8.1" if self.supplied else "8.5.1"))
        if total(self.defenders) > self.defence:
            found.append(Term("defence counts at most", str(self.defence), "8.8.2"))
        found.append(Term(f"{self.attack} to {self.defence}", head(self.odds), "8.3"))
        found += [shift.term for shift in self.shifts]
        if self.spared:
            found.append(Term("Attack Supply is not needed", "", "8.5.3"))
        return tuple(found)


def sheet(g: G, battle: Attack) -> Sheet:
    """Return the sheet of an attack, with Attack Supply if it has any."""
    if not battle.supplied:
        return sheets(g, battle)[0]
    enemies = defenders(g, battle)
    return _sheet(
        g, battle, tuple(attack_shares(g, battle, enemies)), tuple(defence_shares(g, battle, enemies)), enemies
    )


def sheets(g: G, battle: Attack) -> tuple[Sheet, Sheet]:
    """Return the sheets of an attack without and with Attack Supply. Overwhelming odds need none: they are tested at
    full strength with all shifts (8.5.3, 8.8.3)."""
    enemies = defenders(g, battle)
    attacking = tuple(attack_shares(g, battle, enemies))
    defending = tuple(defence_shares(g, battle, enemies))
    full = _sheet(g, battle._replace(supplied=True), attacking, defending, enemies)
    if full.overwhelming:
        return full._replace(spared=True), full
    return _sheet(g, battle._replace(supplied=False), attacking, defending, enemies), full


def _sheet(
    g: G, battle: Attack, attacking: tuple[Share, ...], defending: tuple[Share, ...], enemies: Sequence[int]
) -> Sheet:
    """The sheet with or without Attack Supply, as the attack states it."""
    shifts = tuple(column_shifts(g, battle, enemies))
    power, against, odds, level = levels(total(attacking), total(defending), net(shifts), battle.supplied)
    return Sheet(attacking, defending, power, against, odds, shifts, level, battle.supplied)


def levels(power: int, against: int, shift: int, supplied: bool) -> tuple[int, int, int, int]:
    """The points of both sides that count, the level of odds, and the level after a shift (8.3, 8.8.3)."""
    power, against = strengths(power, against, supplied)
    odds = level_of(power, against)
    return power, against, odds, max(odds + shift, LOWEST) if against else odds


def strengths(power: int, against: int, supplied: bool) -> tuple[int, int]:
    """The points of both sides that count: with Attack Supply 30, without it 9, against 15 at most (8.5.1, 8.8.1, 8.8.2)."""
    return min(power, LIMITS["attack"] if supplied else LIMITS["unsupplied"]), min(against, LIMITS["defence"])


def level_of(power: int, against: int) -> int:
    """Return the level of odds, rounded down in favour of the defender (8.3).

    >>> [head(level_of(*odds)) for odds in ((7, 2), (9, 4), (6, 4), (5, 6))]
    ['3-1', '2-1', '1-1', '1-2']
    """
    if not against:
        return OVERWHELMING
    if not power:
        return LOWEST - 1
    return power // against if power >= against else 2 + (-against // power)


def head(level: int) -> str:
    """Return the odds of a level.

    >>> head(9), head(1), head(0), head(-1)
    ('9-1', '1-1', '1-2', '1-3')
    """
    return f"{level}-1" if level > 0 else f"1-{2 - level}"


def column(g: G, found: Sheet) -> int:
    """Return the column of the combat table: shifts are counted beyond 7-1, then the limit applies (8.8.3, 8.8.4)."""
    return max(0, min(found.level - LOWEST, len(g.table("combat").heads) - 1))


def why_not_odds(g: G, battle: Attack) -> Refusal | None:
    """Why an attack cannot be made: it has no strength, or its odds before shifts are below 1-3 (8.8.3)."""
    shares = attack_shares(g, battle), defence_shares(g, battle)
    power, against = strengths(total(shares[0]), total(shares[1]), battle.supplied)
    if power and level_of(power, against) >= LOWEST:
        return None
    label, found = BOARD.name(battle.hex), sheet(g, battle)
    if not found.attack:
        return Refusal(f"{names(battle.units)} cannot attack {label}: no attack strength", "8.8.3", label)
    if found.odds < LOWEST:
        text = f"{found.attack} to {found.defence} is below 1-{LIMITS['least_odds']}; add units"
        return Refusal(f"{names(battle.units)} cannot attack {label}: {text}", "8.8.3", label)
    return None


# Strengths


def attack_shares(g: G, battle: Attack, enemies: Sequence[int] | None = None) -> list[Share]:
    """What each attacker brings."""
    outranked = is_outranked(g, battle, defenders(g, battle) if enemies is None else enemies)
    return [attack_share(g, battle, unit, g.state.where[unit], outranked) for unit in battle.units]


def attack_share(g: G, battle: Attack, unit: int, here: int, outranked: bool) -> Share:
    """What an attacker brings from a hex. A unit is halved once and doubled once at most; both cancel out (9.1). Attacks down a
    ridge or escarpment are doubled (9.6)."""
    halved = _attack_halved(g, battle, unit, here, outranked)
    doubled = [DOWNHILL] if downhill(here, battle.hex) else []
    return share(unit, attack(g, unit), [*halved[:1], *doubled], UP)


def _attack_halved(g: G, battle: Attack, unit: int, here: int, outranked: bool) -> list[Factor]:
    """Why an attacker is halved: a vehicle into a Fortification or the Tobruk perimeter, up a slope, an outranked tank, out of
    supply (9.1, 9.2.3, 9.5.1, 9.6, 16.4)."""
    found = list[Factor]()
    if VEHICLE[unit] and fortified(g, battle.hex, 1 - battle.side):
        found.append(INTO_FORTIFICATION)
    if VEHICLE[unit] and into_perimeter(here, battle.hex):
        found.append(INTO_PERIMETER)
    if uphill(here, battle.hex):
        found.append(UPHILL)
    if TANK[unit] and outranked:
        found.append(OUTRANKED)
    if g.state.flags[unit] & OOS:
        found.append(OUT_OF_SUPPLY)
    return found


def defenders(g: G, battle: Attack) -> list[int]:
    """Return the units that defend a hex together: not those in Full Retreat; not those that have retreated there in
    this phase, except in a Breakthrough Combat; and there only as many as may stack, the strongest (8.1, 12.3, 13.3.2,
    15.3)."""
    passive = FULL_RETREAT if battle.breakthrough else FULL_RETREAT | RETREATED
    found = [u for u in combat_units(g, 1 - battle.side, battle.hex) if not g.state.flags[u] & passive]
    return within_stacking(g, battle, found) if battle.breakthrough else found


def within_stacking(g: G, battle: Attack, units: Sequence[int]) -> list[int]:
    """Return those of too many defenders that count in a Breakthrough Combat: the strongest choice that may stack
    (15.3)."""
    if stacking.points(g, units) <= stacking.LIMIT:
        return list(units)
    for number in range(len(units) - 1, 0, -1):
        fitting = [c for c in combinations(units, number) if stacking.points(g, c) <= stacking.LIMIT]
        if fitting:
            return list(max(fitting, key=lambda c: sum(_defending(g, battle, u).value for u in c)))
    return []


def defence_shares(g: G, battle: Attack, enemies: Sequence[int] | None = None) -> list[Share]:
    """Return the strength of each defender. Parenthesized strengths count only if no other unit defends, and then only
    one (8.6)."""
    units = defenders(g, battle) if enemies is None else enemies
    found = [_defending(g, battle, unit) for unit in units if not BRACKETED[unit]]
    if found or not units:
        return found
    return [max([_defending(g, battle, unit) for unit in units], key=lambda one: one.value)]


def _defending(g: G, battle: Attack, unit: int) -> Share:
    """Return the strength of one defender: half if Disrupted or under a transport marker, double in a Fortification or
    City unless it is a vehicle (5.9.1, 9.1, 9.5.1, 9.6, 13.2.1, 21.1.5)."""
    flags, factors = g.state.flags[unit], list[Factor]()
    if flags & DISRUPTED:
        factors.append(IS_DISRUPTED)
    elif flags & TRANSPORTED:
        factors.append(IS_TRANSPORTED)
    if not VEHICLE[unit]:
        if fortified(g, battle.hex, 1 - battle.side):
            factors.append(IN_FORTIFICATION)
        elif CITY[battle.hex]:
            factors.append(IN_CITY)
    return share(unit, defence(g, unit), factors, UP)


def fortified(g: G, hex: int, side: int) -> bool:
    """Whether a side has a completed Fortification in a hex (9.5.1, 9.5.4)."""
    return g.state.fort.get(hex) == side


def contributors(shares: Sequence[Share]) -> list[int]:
    """Return the units that contribute strength to a combat (10.2.2)."""
    return [one.unit for one in shares if one.value]


# Shifts


def column_shifts(g: G, battle: Attack, enemies: Sequence[int]) -> list[Modifier]:
    """Return the shifts of an attack: tanks, Elite Combined Arms, terrain, artillery and air (9.2, 9.3, 9.4.1, 9.6,
    18.7.4)."""
    found = [*tank_shift(g, battle, enemies), *elite_shift(g, battle)]
    if JEBEL[battle.hex]:
        found.append(Modifier("defender in Jebel", SHIFTS["jebel"], "9.6"))
    for used, text, value, rule in (
        (battle.artillery, "Artillery Support of the attacker", SHIFTS["artillery"], "9.4.1"),
        (battle.enemy_artillery, "Artillery Support of the defender", -SHIFTS["artillery"], "9.4.1"),
        (battle.air, "Air Support of the attacker", SHIFTS["air"], "18.7.4"),
        (battle.enemy_air, "Air Support of the defender", -SHIFTS["air"], "18.7.4"),
    ):
        if used:
            found.append(Modifier(text, value, rule))
    return found


def best_rating(g: G, units: Sequence[int]) -> int | None:
    """Return the best Tank Rating among units, Disrupted ones too; None if no unit has one (9.2.3, 13.2.2)."""
    return max([rating(g, unit) for unit in units if TANK[unit] or FLAK[unit]], default=None)


def is_outranked(g: G, battle: Attack, enemies: Sequence[int]) -> bool:
    """Whether the defender has a better Tank Rating than the attacker, on any ground; 88mm Flak counts on both sides (9.1,
    9.2.3, 9.2.4)."""
    ours, theirs = best_rating(g, battle.units), best_rating(g, enemies)
    return ours is not None and theirs is not None and theirs > ours


def tank_shift(g: G, battle: Attack, enemies: Sequence[int] | None = None) -> list[Modifier]:
    """Return the shift for tanks. The attacker earns the difference of ratings, two at most, with Attack Supply; an
    attacker without tanks or 88mm Flak suffers one if the defender has tanks. Neither side earns one against a
    Fortification, Jebel or City (8.5.1, 9.2.1, 9.2.2, 9.2.3, 9.2.4)."""
    enemies = defenders(g, battle) if enemies is None else enemies
    if fortified(g, battle.hex, 1 - battle.side) or JEBEL[battle.hex] or CITY[battle.hex]:
        return []
    gain = max([rating(g, unit) for unit in battle.units if TANK[unit] and can_earn(g, battle, unit)], default=0)
    difference = gain - (best_rating(g, enemies) or 0)
    if difference > 0:
        number = min(difference, SHIFTS["most_tank"])
        text = f"Tank Rating {gain} against {gain - difference}"
        if battle.supplied:
            return [Modifier(text, number, "9.2.3")]
        return [Modifier(f"{text}, without Attack Supply", 0, "8.5.1")]
    if best_rating(g, battle.units) is None and any(TANK[unit] for unit in enemies):
        return [Modifier("no tanks against tanks", SHIFTS["tankless"], "9.2.3")]
    return []


def can_earn(g: G, battle: Attack, unit: int) -> bool:
    """Whether a tank can earn a shift: not across an escarpment or into the Tobruk perimeter (9.2.2, 9.6)."""
    here = g.state.where[unit]
    return not escarpment(here, battle.hex) and not into_perimeter(here, battle.hex)


def elite_shift(g: G, battle: Attack) -> list[Modifier]:
    """Return one column for an Elite tank and an Elite infantry-type unit in one attack, with or without Attack Supply
    (9.3)."""
    elite = [unit for unit in battle.units if QUALITY[unit] == "elite"]
    if any(TANK[unit] for unit in elite) and any(INFANTRY[unit] for unit in elite):
        return [Modifier("Elite Combined Arms", SHIFTS["elite"], "9.3")]
    return []
