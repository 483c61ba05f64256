"""Strengths and modifiers of a combat (12): the strength of every unit, halving (3.5), Fire Support (10.5), and die
roll modifiers (12.5.5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from khamsin.games.kasserine import supply
from khamsin.games.kasserine.battle import Battle, defenders
from khamsin.games.kasserine.ground import (
    CITY,
    ESCARPMENT,
    HILLS,
    MOUNTAINS,
    ROADS,
    TOWN,
    WADI,
    WOODS,
    is_raining,
    passable,
)
from khamsin.games.kasserine.ground import FIGURES as GROUND
from khamsin.games.kasserine.headquarters import RANGE as COMMAND
from khamsin.games.kasserine.support import nations_agree
from khamsin.games.kasserine.units import (
    ALLIED,
    ANTI_TANK,
    ARMOURED,
    ARMOURED_ARTILLERY,
    ARMOURED_CAR,
    ARMOURED_UNITS,
    ARTILLERY,
    AT_FIRE,
    AXIS,
    BARRAGE,
    BOARD,
    BRITISH,
    DATA,
    DEPLOYED,
    DRAWN_FROM,
    FOUGHT,
    FPF,
    FRENCH,
    GERMAN,
    GUN,
    HEXES,
    HQ,
    HQS,
    INFANTRY,
    IS_TIGER,
    MARKER,
    MARKERS,
    MOBILE,
    MOUNTAIN,
    REACTED,
    READY,
    UNTRIED,
    G,
    attack,
    crosses,
    defence,
    forces_in,
    listed,
    name,
)
from khamsin.games.kasserine.zones import exerting, zone
from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Refusal, Term
from khamsin.kernel.tables import Table
from khamsin.mechanics.odds import Factor, Modifier, Rounding, Share, grouped, total
from khamsin.mechanics.odds import net as sum_of

FIGURES: dict[str, Any] = files.read(DATA / "combat.toml")
MODIFIER = FIGURES["modifier"]
ASSUMED_ATTACK, ASSUMED_DEFENCE = int(FIGURES["untried"]["attack"]), int(FIGURES["untried"]["defence"])
"""The assumed strength of Untried units (9.1.4)."""
ROUNDING = Rounding()
DIRECTION = [{near: d for d, near in enumerate(BOARD.neighbours[hex]) if near != NOWHERE} for hex in range(HEXES)]
"""For each hex the directions to its neighbours."""


class CombatChoices(NamedTuple):
    """What the sides have added to a combat besides units and guns: Close Air Support points that arrived, Rommel, the
    Tiger against a strongpoint, mountain effects (11.3.4, 15.5.2, 16.3.1, 16.6.3)."""

    attacking_air: int = 0
    defending_air: int = 0
    rommel: bool = False
    tiger: bool = False
    mountain: bool = False


PLAIN = CombatChoices()


def may_attack(g: G, unit: int, hex: int) -> bool:
    """Whether a unit is adjacent to a hex and could enter it through that hexside; Rain closes wadis to the movement of
    motorized units, but to attacks only of armour (9.1.5, 9.1.6, 12.2.4, 12.2.6, 12.2.7)."""
    here = g.state.where[unit]
    direction = DIRECTION[here].get(hex) if 0 <= here < HEXES else None
    return direction is not None and passable(crosses(g, unit), is_raining(g) and ARMOURED[unit], here, direction)


def hexside_bits(here: int, hex: int) -> int:
    """Return the features of the hexside between two adjacent hexes."""
    return BOARD.hexside_bits[here * 6 + DIRECTION[here][hex]]


def across(g: G, unit: int, hexes: Collection[int], bit: int) -> bool:
    """Whether a unit attacks any of these hexes through a hexside of a kind (12.2.1)."""
    here = g.state.where[unit]
    for hex in hexes:  # noqa: SIM110 (`any` with a generator takes three times as long)
        if hexside_bits(here, hex) & bit:
            return True
    return False


def fort(g: G, battle: Battle) -> int:
    """Return an attacked hex with an active strongpoint of the defender, or NOWHERE; one of the attacker does not count
    (14.2.3)."""
    strongpoint = g.state.strongpoint
    return next((hex for hex in battle.hexes if strongpoint.get(hex, battle.side) != battle.side), NOWHERE)


def attack_strength(g: G, unit: int, against_armour: bool) -> int:
    """Return the attack strength of a unit: of a Deployed anti-tank unit its barrage strength against armour, of an
    Untried one the assumed strength (9.1.4, 16.1, 16.1.2-4)."""
    if against_armour and ANTI_TANK[unit] and g.state.flags[unit] & DEPLOYED:
        return BARRAGE[unit]
    if g.state.flags[unit] & UNTRIED:
        return ASSUMED_ATTACK
    return attack(g, unit)


def defence_strength(g: G, unit: int, against_armour: bool) -> int:
    """Return the defence strength of a unit (9.1.4, 16.1.2-4)."""
    if against_armour and ANTI_TANK[unit] and g.state.flags[unit] & DEPLOYED:
        return FPF[unit]
    if g.state.flags[unit] & UNTRIED:
        return ASSUMED_DEFENCE
    return defence(g, unit)


OUT_OF_SUPPLY = Factor("out of supply", 1, 2, "6.5.2")
AGAINST_MOUNTAIN = Factor("armour against mountain", 1, 2, "3.5.1")
UP_ESCARPMENT = Factor("across an escarpment", 1, 2, "3.5.1")
AGAINST_STRONGPOINT = Factor("Allied armour against a strongpoint", 1, 2, "14.2.4")


def halvings(g: G, battle: Battle, unit: int) -> list[Factor]:
    """Return the reasons for halving a unit's attack strength (3.5.1)."""
    causes = []
    if not ARTILLERY[unit] and not supply.supplied(g, unit):
        causes.append(OUT_OF_SUPPLY)
    if ARMOURED[unit] and any(MOUNTAINS[hex] for hex in battle.hexes):
        causes.append(AGAINST_MOUNTAIN)
    if across(g, unit, battle.hexes, ESCARPMENT):
        causes.append(UP_ESCARPMENT)
    if battle.side == ALLIED and ARMOURED[unit] and fort(g, battle) != NOWHERE:
        causes.append(AGAINST_STRONGPOINT)
    return causes


def shares(g: G, battle: Battle) -> list[Share]:
    """Return the attackers in groups of equal halving, the whole ones first, fractions dropped (3.5.2, 12.2.5)."""
    armour = faces_armour(g, battle)
    return grouped([(u, attack_strength(g, u, armour), halvings(g, battle, u)) for u in battle.attackers], ROUNDING)


def faces_armour(g: G, battle: Battle) -> bool:
    """Whether an armoured unit is among the defenders (16.1.2, 16.1.4)."""
    return not ARMOURED_UNITS.isdisjoint(defenders(g, battle))


def participants(g: G, battle: Battle) -> tuple[int, ...]:
    """Return the attackers with some strength left; the others take no part (3.5.3, 12.1.5)."""
    return tuple(sorted([unit for share in shares(g, battle) if share.value for unit in share.units]))


def attacking_units(g: G, battle: Battle) -> tuple[int, list[Term]]:
    """Return the attack strength of the units alone, after halving (12.5.2)."""
    armour, groups = faces_armour(g, battle), shares(g, battle)
    terms = []
    for share in groups:
        terms += unit_terms(g, {unit: attack_strength(g, unit, armour) for unit in share.units}, 0)
        if share.factors:
            causes = ", ".join(factor.text for factor in share.factors)
            less = str(share.value - share.strength) if not untried(g, share.units) else "halved"
            terms.append(Term(f"{listed(share.units)}: halved, {causes}", less, share.factors[0].rule))
    return total(groups), terms


def line_strength(g: G, battle: Battle) -> int:
    """Return the unadjusted strength of the attackers other than artillery, which limits what guns can add (10.5.1,
    16.1.1, 16.1.6)."""
    armour = faces_armour(g, battle)
    return sum(attack_strength(g, unit, armour) for unit in battle.attackers if not ARTILLERY[unit])


def barrage(g: G, battle: Battle) -> list[int]:
    """Return the markers whose guns support an attack: placed on an attacked hex, the gun Deployed and in no enemy ZOC
    except that of a defender (10.2.1, 10.2.3); none supports AT Fire (16.1.5)."""
    if battle.table == AT_FIRE:
        return []
    state = g.state
    laid = [marker for marker in MARKERS[battle.side] if state.where[marker] in battle.hexes]
    return [marker for marker in laid if state.flags[GUN[marker]] & DEPLOYED and free_to_fire(g, battle, GUN[marker])]


def free_to_fire(g: G, battle: Battle, gun: int) -> bool:
    """Whether a gun is in no enemy ZOC, or in that of a unit under this attack (10.2.3)."""
    here, enemy = g.state.where[gun], 1 - battle.side
    if not zone(g, enemy)[here]:
        return True
    where = g.state.where
    return any(where[unit] in battle.hexes for unit in exerting(g, enemy, here))


def attack_total(g: G, battle: Battle) -> tuple[int, list[Term]]:
    """Return the attack strength of a combat with its Barrage Fire Support, and its terms (12.5.2)."""
    units, terms = attacking_units(g, battle)
    markers = barrage(g, battle)
    fire = sum(BARRAGE[marker] for marker in markers)
    most = line_strength(g, battle)
    terms += [Term(name(marker), str(BARRAGE[marker]), "10.2.1") for marker in markers]
    if fire > most:
        terms.append(Term("more Fire Support than units", str(most - fire), "10.5.1"))
    return units + min(fire, most), terms


def has_line(g: G, side: int, hex: int) -> bool:
    """Whether a unit that is neither a gun nor an HQ is in a hex (10.3.2, 10.3.3)."""
    return any(not ARTILLERY[unit] and not HQ[unit] for unit in forces_in(g, side, hex))


def firing_guns(g: G, battle: Battle) -> list[int]:
    """Return the guns in attacked hexes that defend by their fire, not their strength: with other units, their marker
    on their own hex and firing (10.3.1-3, 16.1.5)."""
    where, firing = g.state.where, fire(g, battle)
    return [
        gun
        for gun in defenders(g, battle)
        if ARTILLERY[gun] and where[MARKER[gun]] == where[gun] and MARKER[gun] in firing
    ]


def silent_guns(g: G, battle: Battle) -> list[int]:
    """Return the guns in attacked hexes that may defend by their fire as far as the attacker knows, which do not count
    before Fire Support is known: Deployed with other units, their marker not known to be used, and none under AT Fire,
    which ignores their fire (10.3.3, 12.3.1, 16.1.5)."""
    if battle.table == AT_FIRE:
        return []
    state = g.state
    return [
        gun
        for gun in defenders(g, battle)
        if ARTILLERY[gun]
        and state.flags[gun] & DEPLOYED
        and not is_spent(g, MARKER[gun])
        and has_line(g, 1 - battle.side, state.where[gun])
    ]


def is_spent(g: G, marker: int) -> bool:
    """Whether it is public that a marker has fired: it is in the Used Box, or was this turn (10.1.4, 10.4.1)."""
    where = g.state.where[marker]
    return bool(g.state.flags[marker] & FOUGHT) or (where >= HEXES and where not in READY)


def fire(g: G, battle: Battle) -> list[int]:
    """Return the markers that give Final Protective Fire in a combat: those placed on the attacked hexes, the strongest
    that the limit of nations allows; not of guns that must defend themselves, and none against AT Fire (10.3, 10.5.2,
    16.1.5)."""
    if battle.table == AT_FIRE:
        return []
    state, side = g.state, 1 - battle.side
    laid = [
        marker
        for marker in MARKERS[side]
        if state.where[marker] in battle.hexes
        and state.flags[GUN[marker]] & DEPLOYED
        and (state.where[GUN[marker]] not in battle.hexes or has_line(g, side, state.where[GUN[marker]]))
    ]
    return strongest(sorted(laid, key=lambda marker: -FPF[marker]))


def strongest(markers: list[int]) -> list[int]:
    """Return those of these markers, the strongest first, that give most within the limit of nations: all British ones,
    or one other and one British (10.5.2)."""
    if not markers or nations_agree(markers):
        return markers
    british = [marker for marker in markers if BRITISH[marker]]
    others = [marker for marker in markers if not BRITISH[marker]]
    return max(others[:1] + british[:1], british, key=lambda group: sum(FPF[marker] for marker in group))


def defending_units(g: G, battle: Battle, without: Collection[int]) -> dict[int, int]:
    """Return the strength of each defending unit, except some guns (12.5.2)."""
    armour = any(ARMOURED[unit] for unit in battle.attackers)
    return {unit: defence_strength(g, unit, armour) for unit in defenders(g, battle) if unit not in without}


def unit_terms(g: G, units: dict[int, int], column: int) -> list[Term]:
    """Return units and their attack (column 0) or defence (1) as terms of a sum; Untried ones with the range they may
    draw (12.1.6, 12.5.2)."""
    hidden = untried(g, units)
    return [
        Term(f"{name(unit)}, Untried", spread(drawn[column] for drawn in DRAWN_FROM[unit] or ()), "12.1.6")
        if unit in hidden
        else Term(name(unit), str(strength), "12.5.2")
        for unit, strength in units.items()
    ]


def untried(g: G, units: Iterable[int]) -> list[int]:
    """Return those of these units whose strength is unknown (4.2)."""
    return [unit for unit in units if g.state.flags[unit] & UNTRIED]


def spread(values: Iterable[int]) -> str:
    """Return a number, or the lowest and the highest of several."""
    found = sorted(set(values))
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"


def line_defence(units: dict[int, int]) -> int:
    """Return the defence other than artillery, which limits what guns can add (10.5.1, 16.1.6, 16.1.7)."""
    return sum(strength for unit, strength in units.items() if not ARTILLERY[unit])


def defence_total(g: G, battle: Battle) -> tuple[int, list[Term]]:
    """Return the defence strength of a combat with its Final Protective Fire, and its terms (12.5.2)."""
    units = defending_units(g, battle, firing_guns(g, battle))
    most, markers = line_defence(units), fire(g, battle)
    added = sum(FPF[marker] for marker in markers)
    terms = unit_terms(g, units, 1) + [Term(name(marker), str(FPF[marker]), "10.3.1") for marker in markers]
    if added > most:
        terms.append(Term("more Fire Support than units", str(most - added), "10.5.1"))
    return sum(units.values()) + min(added, most), terms


def initial_defence(g: G, battle: Battle) -> int:
    """Return the defence before any Fire Support, as declared attacks are judged (9.1.4, 12.3.1)."""
    return sum(defending_units(g, battle, silent_guns(g, battle)).values())


def crt(g: G, battle: Battle) -> Table:
    """Return the table of a combat; its last column applies to all better odds (12.4, 12.5.4, 16.1.5)."""
    return g.table("mobile" if battle.table == MOBILE else "assault")


def why_assault(g: G, battle: Battle) -> Refusal | None:
    """Return why the Mobile table cannot be used (12.4, 14.2.1, 16.5.2)."""
    no = "The Mobile table cannot be used"
    if is_raining(g):
        return Refusal(f"{no}: it rains", "12.4.2", BOARD.name(battle.hexes[0]))
    hex = fort(g, battle)
    if hex != NOWHERE:
        return Refusal(f"{no}: an enemy strongpoint is in {BOARD.name(hex)}", "14.2.1", BOARD.name(hex))
    for hex in battle.hexes:
        if HILLS[hex] or MOUNTAINS[hex] or CITY[hex]:
            ground = "a city" if CITY[hex] else BOARD.terrain_name(hex)
            return Refusal(f"{no}: {BOARD.name(hex)} is {ground}", "12.4.1", BOARD.name(hex))
    for unit in battle.attackers:
        if across(g, unit, battle.hexes, ESCARPMENT):
            return Refusal(f"{no}: {name(unit)} attacks across an escarpment", "12.4.1", name(unit))
    tanks = [unit for unit in battle.attackers if ARMOURED[unit] and not ARMOURED_ARTILLERY[unit]]
    if tanks and all(FRENCH[unit] for unit in tanks):
        return Refusal(f"{no}: French armour does not qualify", "16.5.2", name(tanks[0]))
    return None if tanks else Refusal(f"{no}: no attacker is armoured", "12.4.3", name(battle.attackers[0]))


def modifiers(g: G, battle: Battle, choices: CombatChoices = PLAIN) -> list[Modifier]:
    """Return every die roll modifier except that for odds below the table; the terrain of the attackers gives none
    (12.2.3, 12.5.5)."""
    found: list[Modifier] = []
    side = battle.side
    starved = [unit for unit in defenders(g, battle) if not supply.supplied(g, unit)]
    if starved:
        found.append(Modifier(f"{name(starved[0])} out of supply", MODIFIER["out_of_supply"], "6.5.3"))
    massed = concentrated(g, battle)
    if massed:
        found.append(Modifier("concentrated artillery fire", massed * MODIFIER["concentrated_fire"], "10.5.3"))
    if choices.attacking_air:
        points = choices.attacking_air * MODIFIER["attacking_air"]
        found.append(Modifier("attacking Close Air Support", points, "11.3.4"))
    if choices.defending_air:
        points = choices.defending_air * MODIFIER["defending_air"]
        found.append(Modifier("defending Close Air Support", points, "11.3.4"))
    found += terrain(g, battle)
    if fort(g, battle) != NOWHERE and not choices.tiger:
        found.append(Modifier("strongpoint", MODIFIER["strongpoint"], "14.2.2"))
    if choices.rommel:
        found.append(Modifier("Rommel", MODIFIER["rommel"], "15.5.2"))
    if side == AXIS and not why_no_bonus(g, battle):
        found.append(Modifier("Combined Arms Bonus", MODIFIER["combined_arms"], "16.2.1"))
    if choices.mountain:
        found.append(Modifier("mountain units", MODIFIER["mountain_unit"], "16.6.3"))
    return found


def concentrated(g: G, battle: Battle) -> int:
    """Return how many bonuses for concentrated fire the Allies have, by barrage of guns that one US or British HQ
    commands (10.5.3)."""
    if battle.side != ALLIED:
        return 0
    where = g.state.where
    guns = [GUN[marker] for marker in barrage(g, battle)]
    hqs = [where[hq] for hq in HQS[ALLIED] if not FRENCH[hq] and 0 <= where[hq] < HEXES]
    sums = [sum(BARRAGE[gun] for gun in guns if BOARD.distance(hq, where[gun]) <= COMMAND) for hq in hqs]
    return int(max(sums, default=0) // FIGURES["fire"]["concentrated"])


def terrain(g: G, battle: Battle) -> list[Modifier]:
    """Return the best terrain of the attacked hexes, and a wadi that all must cross to one of them (12.2.1, 12.2.2,
    12.2.7)."""
    found: list[Modifier] = []
    value, kind, hex = max((*ground(hex), hex) for hex in battle.hexes)
    if value:
        found.append(Modifier(f"{kind} in {BOARD.name(hex)}", value, "12.2.2"))
    line = [unit for unit in battle.attackers if not ARTILLERY[unit]]
    if line and any(all(across(g, unit, [hex], WADI) for unit in line) for hex in battle.hexes):
        rain = is_raining(g)
        found.append(Modifier("across a wadi", GROUND["modifier"]["wadi_in_rain" if rain else "wadi"], "12.2.7"))
    return found


def ground(hex: int) -> tuple[int, str]:
    """Return the most favourable terrain of a hex for its defender (12.2.2)."""
    kinds = [BOARD.terrain_name(hex)]
    kinds += [word for word, there in (("woods", WOODS), ("town", TOWN), ("city", CITY)) if there[hex]]
    return max((GROUND["modifier"][kind], kind) for kind in kinds)


def why_no_bonus(g: G, battle: Battle) -> str:
    """Return why the Combined Arms Bonus does not apply, or ""; units that reacted do not prevent it (16.2, 16.2.1-4)."""
    armour = [unit for unit in battle.attackers if GERMAN[unit] and ARMOURED[unit] and not ARMOURED_CAR[unit]]
    if not armour:
        return "no German armour other than armoured cars"
    if not any(GERMAN[unit] and INFANTRY[unit] for unit in battle.attackers):
        return "no German infantry"
    if fort(g, battle) != NOWHERE:
        return "a strongpoint"
    for hex in battle.hexes:
        if TOWN[hex] or MOUNTAINS[hex]:
            return "a town" if TOWN[hex] else "a mountain"
    if all(across(g, unit, battle.hexes, ESCARPMENT) for unit in armour):
        return "the armour attacks across an escarpment"
    for unit in defenders(g, battle):
        heavy = ARMOURED[unit] and not ARMOURED_CAR[unit]
        if (heavy or ANTI_TANK[unit]) and not g.state.flags[unit] & REACTED:
            return f"{name(unit)} defends"
    return ""


def mountaineers(g: G, battle: Battle) -> list[int]:
    """Return the mountain units with which the attacker may declare mountain effects (16.6.3)."""
    return [
        unit
        for unit in battle.attackers
        if MOUNTAIN[unit] and (any(MOUNTAINS[hex] for hex in battle.hexes) or across(g, unit, battle.hexes, ESCARPMENT))
    ]


def tigers(g: G, battle: Battle) -> list[int]:
    """Return the Tigers with which the Axis may disregard a strongpoint (16.3.1)."""
    found = [unit for unit in battle.attackers if IS_TIGER[unit]]
    return found if found and fort(g, battle) != NOWHERE else []


def net(found: Iterable[Modifier]) -> int:
    """Return the sum of the modifiers within its limits (12.5.6)."""
    return sum_of(found, MODIFIER["least"], MODIFIER["most"])


BELOW = Modifier("odds below the table", MODIFIER["below_first_column"], "12.5.3")


def by_road(g: G, unit: int, hex: int) -> bool:
    """Whether a road or trail leads from a unit to an adjacent hex (12.2.6)."""
    return bool(hexside_bits(g.state.where[unit], hex) & ROADS)
