"""Attack declaration (9.1): the attacked hexes, the attackers, and the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from khamsin.games.kasserine import battle as combats
from khamsin.games.kasserine import garrison, strongpoints
from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.ground import ESCARPMENT, WADI
from khamsin.games.kasserine.strength import (
    DIRECTION,
    across,
    attack_strength,
    by_road,
    crt,
    faces_armour,
    hexside_bits,
    initial_defence,
    may_attack,
    participants,
    shares,
    why_assault,
)
from khamsin.games.kasserine.support import tidy
from khamsin.games.kasserine.units import (
    ANTI_TANK,
    ARMOURED,
    AROUND,
    ARTILLERY,
    ARTILLERY_UNITS,
    ASSAULT,
    AT_FIRE,
    AXIS,
    BARRAGE,
    BOARD,
    BUILDING,
    COMBAT,
    DEPLOYED,
    FORCE_SPAN,
    FORCES,
    FOUGHT,
    HEXES,
    MARKERS,
    MOBILE,
    G,
    held,
    labels,
    name,
    stacks,
)
from khamsin.games.kasserine.zones import exerting
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics.combats import Combat, Declaration, call_off, declare, declared
from khamsin.mechanics.combats import contacts as next_to
from khamsin.mechanics.odds import is_below, total

TABLES = {"assault": ASSAULT, "mobile": MOBILE, "AT fire": AT_FIRE}
WORDS = {table: word for word, table in TABLES.items()}


def declaration(g: G, side: int) -> Procedure:
    """The Combat Declaration Phase: one combat after another, until all that must be attacked is (9.0, 9.1)."""
    state = g.state
    if side == AXIS:
        forget_fire(g)
    tidy(g, side)  # 10.3.5
    for number in [int(number) for number, table in state.tables.items() if table not in WORDS]:
        call_off(g, DECLARATION, declared(g, side, number))  # a position stored before drafts were records
    while (found := (yield from declare(g, DECLARATION, side))) is not None:
        number, *_, hexes = found.combat or Combat(0, side, (), ())
        state.tables[str(number)] = TABLES[found.button]
        for hex in hexes:
            g.log("9.1.2", "{hex} is attacked: {table}", hex=hex, table=found.button)
    for hex in list(state.targets):
        strongpoints.abandon(g, hex)


def forget_fire(g: G) -> None:
    """Reset fire for a new turn's combats: every gun may fire once more (10.1.4)."""
    flags = g.state.flags
    for markers in MARKERS:
        for marker in markers:
            flags[marker] &= ~FOUGHT


def contacts(g: G, side: int) -> Mapping[int, Sequence[int]]:
    """Return the enemy-occupied hexes adjacent to units of a side, each with those units (9.1)."""
    return next_to(stacks(g, side), stacks(g, 1 - side), AROUND)


def as_battle(combat: Combat, table: int) -> Battle:
    """Return a combat as it would be on a table."""
    return Battle(combat.number, combat.side, combat.units, combat.hexes, table)


# Attackers and targets


def why_not_target(g: G, side: int, hex: int) -> Refusal | None:
    """Return why a hex cannot be attacked by any unit (8.3.2, 9.1.6)."""
    if hex < HEXES and held(g, 1 - side, hex):
        return None
    label = BOARD.name(hex)
    if hex >= HEXES:
        return Refusal(f"{label} cannot be attacked: a box", "8.3.2", label)
    return Refusal(f"{label} cannot be attacked: no enemy combat unit is there", "9.1.6", label)


def why_not_attacker(g: G, unit: int, hexes: Sequence[int]) -> Refusal | None:
    """Return why a unit cannot attack these hexes in one combat: it cannot attack, or could not enter one of them
    (9.1.1, 9.1.5, 9.1.8)."""
    refusal = why_unable(g, unit)
    if refusal is not None:
        return refusal
    for hex in hexes:
        if not may_attack(g, unit, hex):
            return why_not_there(g, unit, hex)
    return None


def why_unable(g: G, unit: int) -> Refusal | None:
    """Return why a unit cannot attack now, whatever is adjacent (10.0, 12.1.5, 14.3.5, 18.2.3)."""
    state = g.state
    if not COMBAT[unit]:
        return Refusal(f"{name(unit)} cannot attack: not a combat unit", "2.2.1", name(unit))
    if not 0 <= state.where[unit] < HEXES:
        return Refusal(f"{name(unit)} cannot attack: not on the map", "9.1.1", name(unit))
    if state.flags[unit] & BUILDING:
        return Refusal(f"{name(unit)} cannot attack: it is building a strongpoint", "14.3.5", name(unit))
    if ARTILLERY[unit] and state.flags[unit] & DEPLOYED:
        return Refusal(f"{name(unit)} cannot attack: Deployed artillery supports with its marker", "10.0", name(unit))
    if garrison.bound(g, unit):
        return Refusal(f"{name(unit)} cannot attack: a garrison until turn {state.release[unit]}", "18.2.3", name(unit))
    strong = ANTI_TANK[unit] and state.flags[unit] & DEPLOYED and BARRAGE[unit]
    if not strong and not attack_strength(g, unit, False):
        return Refusal(f"{name(unit)} cannot attack: attack strength 0", "12.1.5", name(unit))
    return None


def why_not_there(g: G, unit: int, hex: int) -> Refusal:
    """Return why a unit cannot attack a hex: too far, or closed to it (9.1.1, 9.1.6, 12.2.4, 12.2.6)."""
    here, label = g.state.where[unit], BOARD.name(hex)
    who = f"{name(unit)} cannot attack {label}"
    if hex not in DIRECTION[here]:
        return Refusal(f"{who}: not adjacent", "9.1.1", label)
    if ARMOURED[unit] and not by_road(g, unit, hex):
        if hexside_bits(here, hex) & WADI:
            return Refusal(f"{who}: armour needs a crossing over the wadi", "12.2.4", label)
        return Refusal(f"{who}: armour needs a road into mountains or over an escarpment", "12.2.6", label)
    return Refusal(f"{who}: it could not enter from {BOARD.name(here)}", "9.1.6", label)


def taking_part(g: G, combat: Combat) -> tuple[int, ...]:
    """Return the able units that have some strength left after halving (3.5.3, 12.1.5)."""
    return participants(g, as_battle(combat, ASSAULT)) or combat.units


# Whether a combat can be declared


def why_not_declared(g: G, combat: Combat, button: str) -> Refusal | None:
    """Return why a combat cannot be declared on the table of a button (3.5.3, 9.1.4, 12.3.4, 12.4, 16.1.5)."""
    fight = as_battle(combat, TABLES[button])
    if fight.table == AT_FIRE:
        refusal = why_no_at_fire(g, fight)
    elif ARTILLERY_UNITS.issuperset(fight.attackers):
        refusal = Refusal("Artillery alone cannot attack", "12.3.4", name(fight.attackers[0]))
    else:
        refusal = why_assault(g, fight) if fight.table == MOBILE else None
    return refusal or why_too_weak(g, fight)


def why_no_at_fire(g: G, fight: Battle) -> Refusal | None:
    """Return why a combat cannot be AT Fire: only Deployed anti-tank units, armour in every hex, no escarpment between
    (16.1.5)."""
    for unit in fight.attackers:
        if not ANTI_TANK[unit] or not g.state.flags[unit] & DEPLOYED:
            return Refusal(f"{name(unit)} cannot give AT Fire: not a Deployed anti-tank unit", "16.1.5", name(unit))
        if across(g, unit, fight.hexes, ESCARPMENT):
            return Refusal(f"{name(unit)} cannot give AT Fire across an escarpment", "16.1.5", name(unit))
    for hex in fight.hexes:
        if not faces_armour(g, fight._replace(hexes=(hex,))):
            return Refusal(f"No AT Fire on {BOARD.name(hex)}: no armour is there", "16.1.5", BOARD.name(hex))
    return None


def why_too_weak(g: G, fight: Battle) -> Refusal | None:
    """Return why the attackers of a combat are too weak: some have no strength, or the odds are below the table (3.5.3,
    9.1.4)."""
    groups = shares(g, fight)
    for share in groups:
        if not share.value:
            unit = share.units[0]
            return Refusal(f"{name(unit)} cannot take part: halving leaves it no strength", "3.5.3", name(unit))
    attack, defence = total(groups), initial_defence(g, fight)
    table = crt(g, fight)
    if is_below(table, attack, defence):
        label = BOARD.name(fight.hexes[0])
        odds = f"{attack} to {defence} is below {table.heads[0]}"
        return Refusal(f"The attack on {labels(fight.hexes)} is too weak: {odds}", "9.1.4", label)
    return None


def why_not_ended(g: G, side: int) -> Refusal | None:
    """Return which enemies must still be attacked (9.1.7)."""
    for unit, enemy in unmet(g, side):
        hex = BOARD.name(g.state.where[enemy])
        reason = f"You must also attack {hex}, or call off a combat: {name(unit)} is in the ZOC of {name(enemy)}"
        return Refusal(reason, "9.1.7", hex)
    return None


def unmet(g: G, side: int) -> list[tuple[int, int]]:
    """Return (attacker, enemy) pairs still to be attacked: the enemy's ZOC reaches the attacker. AT Fire is exempt
    (9.1.7, 12.1.4, 16.1.5)."""
    state = g.state
    if not state.targets:
        return []
    hexes: dict[int, int] = {}
    for unit, number in zip(FORCES[side], state.battle[FORCE_SPAN[side]], strict=True):
        if number and state.tables[str(number)] != AT_FIRE:
            hexes.setdefault(state.where[unit], unit)
    return [
        (unit, enemy)
        for hex, unit in hexes.items()
        for enemy in exerting(g, 1 - side, hex)
        if not combats.at(g, state.where[enemy])
    ]


def hints(g: G, side: int) -> dict[int, str]:
    """Return a hint for the hexes that must be attacked (9.1.7)."""
    return {g.state.where[enemy]: "required" for _, enemy in unmet(g, side)}


DECLARATION = Declaration(
    rule="9.1.2",
    rule_once="9.1.3",  # 12.3.2-3
    rule_adjacent="9.1.1",
    contacts=contacts,
    why_not_target=why_not_target,
    why_not_attacker=why_not_attacker,
    why_not_declared=why_not_declared,
    on_called_off=lambda g, combat: g.state.tables.pop(str(combat.number), None),
    why_not_ended=why_not_ended,
    select=taking_part,
    hints=hints,
    buttons=tuple(TABLES),
)
"""A combat is declared with the table on which it will be fought (9.1.2)."""
