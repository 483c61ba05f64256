"""The column and the die roll of an attack (SCS 8): strengths, terrain, odds, column shifts, divisional integrity, combined
arms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction

from khamsin.games.afrika.ground import BY_ROAD_ONLY
from khamsin.games.afrika.units import (
    ARMOUR,
    ARMOUR_DEFENDING,
    ARTILLERY,
    AXIS,
    BOARD,
    COMBAT,
    DIVISION,
    DIVISIONS,
    INFANTRY,
    ROMMEL,
    Attack,
    G,
    attack,
    defence,
    forces_in,
    name,
    names,
    on_map,
    out_of_supply,
)
from khamsin.kernel.rules import Odds, Refusal, Term
from khamsin.kernel.tables import Table
from khamsin.mechanics import results
from khamsin.mechanics.odds import Factor, Modifier, Rounding, Share, net, share, share_terms, total, written
from khamsin.mechanics.showing import counted

EIGHTHS = Rounding(scale=8)
"""Fractions of strength are kept until the odds are formed; no product of multipliers is finer (SCS 1.4, SCS 1.5)."""
UNSUPPLIED_ATTACK = Factor.of("out of supply", COMBAT["supply"]["attack"], "1.6d")
UNSUPPLIED_DEFENCE = Factor.of("out of supply", COMBAT["supply"]["defence"], "1.6d")
ACROSS = Factor.of("across an escarpment by road", COMBAT["escarpment"]["attack"], "SCS 12.2")
LEAST_DEFENCE = int(Fraction(COMBAT["least"]["defence"]) * EIGHTHS.scale)
ALL_ARMS = 3
ARMS = [int(armour) + 2 * infantry for armour, infantry in zip(ARMOUR, INFANTRY, strict=True)]
"""The arms of each unit in attack: 1 for armour, 2 for infantry (1.16-2)."""
MOST_SHIFT: int = COMBAT["shifts"]["most"]


def defenders(g: G, battle: Attack) -> tuple[int, ...]:
    """Return the defenders: all units in the attacked hex, also those that have retreated into it (SCS 8.1, SCS 10.4)."""
    return forces_in(g, 1 - battle.side, battle.hex)


# Strengths


def attack_shares(g: G, battle: Attack) -> list[Share]:
    """Return what each attacker brings. Fractions are kept (SCS 1.5, SCS 8.4)."""
    where = g.state.where
    return [attack_share(g, unit, battle.hex in BY_ROAD_ONLY[where[unit]]) for unit in battle.units]


def attack_share(g: G, unit: int, across: bool) -> Share:
    """Return what one attacker brings: a quarter out of supply, a half across an escarpment by road (1.6d, SCS 1.4, SCS
    12.2)."""
    factors = [UNSUPPLIED_ATTACK] if out_of_supply(g, unit) else []
    return share(unit, attack(g, unit), [*factors, ACROSS] if across else factors, EIGHTHS)


def defence_shares(g: G, battle: Attack) -> list[Share]:
    """Return the strength of each defender, half if it is out of supply (1.6d, SCS 8.4)."""
    return [
        share(unit, defence(g, unit), [UNSUPPLIED_DEFENCE] if out_of_supply(g, unit) else [], EIGHTHS)
        for unit in defenders(g, battle)
    ]


def terrain(g: G, battle: Attack) -> Iterator[tuple[str, int, str]]:
    """Return what a hex adds to the multiplier of the defence: its printed terrain and the defender's box, each with
    its rule; they add up (1.15, 1.16, SCS 8.5, SCS 12.2)."""
    yield from printed_terrain(battle.hex)
    if g.state.box.get(battle.hex) == 1 - battle.side:
        yield "box", COMBAT["terrain"]["box"], "1.16"


def printed_terrain(hex: int) -> Iterator[tuple[str, int, str]]:
    """Yield what the terrain, a city and a fortification in a hex add to the multiplier of its defence (1.15,
    SCS 12.2)."""
    adds, ground = COMBAT["terrain"], BOARD.terrain_name(hex)
    if ground in adds:
        yield ground, adds[ground], "SCS 12.2"
    for tag in ("minor-city", "major-city"):
        if tag in BOARD.tags[hex]:
            yield tag.replace("-", " "), adds[tag], "SCS 12.2"
    if "fortification" in BOARD.tags[hex]:
        yield "fortification", adds["fortification"], "1.15"


def strengths(g: G, battle: Attack) -> tuple[int, int]:
    """Attack and defence in eighths, the defence multiplied by the terrain (SCS 8.5); a defence of 0 counts 1/2 (SCS 1.6)."""
    times = 1 + sum([adds for _, adds, _ in terrain(g, battle)])
    return total(attack_shares(g, battle)), max(total(defence_shares(g, battle)) * times, LEAST_DEFENCE)


def ratio(attack: int, defence: int) -> Fraction:
    """Return the odds: the larger over the smaller, rounded by the standard rule, halves up (SCS 1.3, SCS 8.6).

    >>> ratio(17, 7), ratio(7, 17), ratio(5, 2), ratio(7, 5)
    (Fraction(2, 1), Fraction(1, 2), Fraction(3, 1), Fraction(1, 1))
    """
    large, small = max(attack, defence), min(attack, defence)
    rounded = (2 * large + small) // (2 * small)
    return Fraction(rounded) if attack >= defence else Fraction(1, rounded)


# Shifts and modifiers


def shifts(g: G, battle: Attack) -> list[Modifier]:
    """Return the column shifts that together move two columns at most: air points, Rommel, a ridge (1.10c, 2.3,
    SCS 8.7, SCS 12.2)."""
    numbers, found = COMBAT["shifts"], []
    if battle.air or battle.enemy_air:
        number = (battle.air - battle.enemy_air) * numbers["air"]
        found.append(Modifier(f"air points {battle.air} to {battle.enemy_air}", number, "1.10c"))
    camp = g.state.where[ROMMEL]
    if battle.side == AXIS and any(g.state.where[unit] == camp for unit in battle.units):
        found.append(Modifier("Rommel attacks", numbers["rommel"], "2.3"))
    if battle.side != AXIS and camp == battle.hex:
        found.append(Modifier("Rommel defends", -numbers["rommel"], "2.3"))
    if "ridge" in BOARD.tags[battle.hex]:
        found.append(Modifier("hill ridge", -COMBAT["ridge"]["shift"], "SCS 12.2"))
    return found


def whole_divisions(g: G, units: Collection[int], near: Sequence[int]) -> list[str]:
    """Return the divisions all of whose counters on the map, two at least, are among units, or for artillery in one of the
    hexes `near` (1.17)."""
    found = []
    for division in dict.fromkeys([DIVISION[unit] for unit in units if DIVISION[unit]]):
        parts = [unit for unit in DIVISIONS[division] if on_map(g, unit)]
        together = [unit in units or (ARTILLERY[unit] and g.state.where[unit] in near) for unit in parts]
        if len(parts) > 1 and all(together):
            found.append(division)
    return found


def integrity(g: G, battle: Attack) -> list[Modifier]:
    """Return the shift of divisional integrity: one column for a side, outside the limit of the other shifts; both
    sides' cancel (1.17, SCS 8.8)."""
    found, column = [], COMBAT["shifts"]["integrity"]
    for division in whole_divisions(g, battle.units, BOARD.around(battle.hex))[:1]:
        found.append(Modifier(f"attack of the whole of {division}", column, "1.17"))
    for division in whole_divisions(g, defenders(g, battle), ())[:1]:
        found.append(Modifier(f"defence of the whole of {division}", -column, "1.17"))
    return found


def combined_stacks(places: Iterable[tuple[int, int]]) -> int:
    """Return how many stacks have armour and infantry among the attackers, given with their hexes (SCS 8.9)."""
    arms: dict[int, int] = {}
    for unit, hex in places:
        arms[hex] = arms.get(hex, 0) | ARMS[unit]
    return list(arms.values()).count(ALL_ARMS)


def combined_arms(g: G, battle: Attack) -> list[Modifier]:
    """Return the modifiers of combined arms: one for each attacking stack with armour and infantry that take part, four
    at most, less one for a defender with both; anti-tank units are armour in defence (1.16-2, SCS 8.9)."""
    numbers, found = COMBAT["arms"], []
    both = combined_stacks([(unit, g.state.where[unit]) for unit in battle.units])
    if both:
        number = min(both, numbers["most"]) * numbers["stack"]
        where = counted(both, "attacking stack", "attacking stacks")
        found.append(Modifier(f"combined arms in {where}", number, "1.16-2"))
    enemies = defenders(g, battle)
    if any(ARMOUR_DEFENDING[u] for u in enemies) and any(INFANTRY[u] for u in enemies):
        found.append(Modifier("combined arms of the defender", -numbers["defender"], "1.16-2"))
    return found


# The column


def column(g: G, battle: Attack, table: Table) -> int:
    """Return the column of an attack: 6:1 is read as 5:1 and 8:1 as 7:1, shifts count printed columns and stop at the
    ends (SCS 8.6, SCS 8.7, SCS 8.8, SCS 8.10)."""
    return table.shift(table.column(ratio(*strengths(g, battle))), shift(g, battle))


def shift(g: G, battle: Attack) -> int:
    """Return the columns by which an attack is shifted: two at most, and divisional integrity (1.17, SCS 8.7, SCS 8.8)."""
    return net(shifts(g, battle), -MOST_SHIFT, MOST_SHIFT) + net(integrity(g, battle))


def in_words(g: G, battle: Attack) -> str:
    """Return the strengths of an attack, such as "29 to 3" (SCS 8.6)."""
    power, against = (Fraction(strength, EIGHTHS.scale) for strength in strengths(g, battle))
    return f"{written(power)} to {written(against)}"


def modifier_terms(g: G, battle: Attack) -> list[Term]:
    """Return the column shifts of an attack and its modifiers to the roll (1.16-2, 1.17, SCS 8.7, SCS 8.11)."""
    columns = [modifier.shift for modifier in (*shifts(g, battle), *integrity(g, battle))]
    return columns + [modifier.to_roll for modifier in combined_arms(g, battle)]


def odds_of(g: G, battle: Attack) -> Fraction | None:
    """Return the odds of an attack, None without attack strength (SCS 1.6, SCS 8.6)."""
    power, against = strengths(g, battle)
    return ratio(power, against) if power else None


def why_not_odds(g: G, battle: Attack) -> Refusal | None:
    """Return why an attack cannot be made: units without attack strength never attack alone, and odds below the first
    column are not allowed, whatever the shifts (SCS 1.6, SCS 8.6)."""
    label = BOARD.name(battle.hex)
    odds, least = odds_of(g, battle), g.table("combat").bounds[0]
    if odds is None:
        return Refusal(f"{names(battle.units)} cannot attack {label}: no attack strength", "SCS 1.6", label)
    if odds < least:
        text = f"odds of 1:{odds.denominator} are below {g.table('combat').head(0)}; add units"
        return Refusal(f"The attack on {label} cannot be made: {text}", "SCS 8.6", label)
    return None


def preview(g: G, battle: Attack) -> Odds:
    """Return every term of an attack with its rule, the column and the exact chance of each result."""
    table = g.table("combat")
    attacking, defending = attack_shares(g, battle), defence_shares(g, battle)
    terms = [
        *share_terms(attacking, name, "attack", "SCS 1.1", EIGHTHS, "SCS 1.5"),
        *share_terms(defending, name, "defence", "SCS 1.1", EIGHTHS, "SCS 1.5"),
        *(Term(f"defence in {text}", f"+ {adds} to the multiplier", rule) for text, adds, rule in terrain(g, battle)),
    ]
    odds = ratio(*strengths(g, battle))
    terms.append(Term(in_words(g, battle), f"{odds.numerator}:{odds.denominator}", "SCS 8.6"))
    terms += modifier_terms(g, battle)
    modifiers = combined_arms(g, battle)
    at = column(g, battle, table)
    chances = {str(cell): chance for cell, chance in table.chances(at, net(modifiers)).items()}
    steps = [sum(g.state.steps[unit] for unit in units) for units in (battle.units, defenders(g, battle))]
    average = results.average(chances, *steps)
    return Odds(tuple(terms), table.head(at), chances, average)
