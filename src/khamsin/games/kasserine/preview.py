"""A combat before it is fought: its odds from what a side may know, and why a click of the combat phases is not open."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from khamsin.games.kasserine import battle as combats
from khamsin.games.kasserine import declaration, strength, support
from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.ground import WADI
from khamsin.games.kasserine.strength import Modifier
from khamsin.games.kasserine.units import (
    ARMOURED,
    ASSAULT,
    AT_FIRE,
    BOARD,
    COMBAT,
    DEPLOYED,
    EVASION,
    FACE_DOWN,
    FOUGHT,
    FPF,
    GUN,
    HEXES,
    IS_AIR,
    IS_MARKER,
    MARKER,
    MARKER_SPAN,
    MARKERS,
    MOBILE,
    RANGE,
    READY,
    SIDE,
    STOOD,
    G,
    defence,
    forces_in,
    held,
    name,
)
from khamsin.games.kasserine.zones import exerting, zone
from khamsin.kernel.dice import Dice
from khamsin.kernel.rules import Decision, Game, Odds, Refusal, Term
from khamsin.kernel.tables import Table

UNKNOWN = "not permitted"


def odds(g: G, viewer: int, attackers: list[int], targets: list[int]) -> Odds:
    """An attack as it would go now, without air units and what the attacker may still choose. A viewer knows his own markers;
    to others hidden Final Protective Fire is any that could lie there, each alike likely, and hidden Barrage Fire counts
    nothing. Untried units count as assumed (9.1.4, 10.2.1, 10.3.4, 12.5)."""
    side = SIDE[attackers[0]]
    unknown = [] if viewer == side else hidden_barrage(g, side, targets)
    if unknown:
        g = without(g, unknown)
    battle = _fight(g, side, attackers, targets)
    refusal = _why_impossible(g, battle)
    if refusal is not None:
        return Odds((Term(f"not permitted: {refusal.reason} ({refusal.cause})", "", refusal.rule),), UNKNOWN, {})
    table = strength.crt(g, battle)
    attack, terms = strength.attack_total(g, battle)
    own = viewer == 1 - side
    defending = strength.defending_units(g, battle, strength.firing_guns(g, battle) if own else may_fire(g, battle))
    units, line = sum(defending.values()), strength.line_defence(defending)
    fire = {sum(FPF[marker] for marker in strength.fire(g, battle)): Fraction(1)} if own else hidden_fire(g, battle)
    least, most = min(fire), max(fire)
    terms = [Term("attack", str(attack), "12.5.2"), *terms, Term("defence", str(units), "12.5.2")]
    terms += strength.unit_terms(g, defending)
    if most:
        shown = str(least) if least == most else f"{least} to {most}"
        terms.append(Term(f"Final Protective Fire, at most {line}", shown, "10.3.4"))
    modifiers = strength.modifiers(g, battle)
    terms += [Term(text, f"{value:+d}", rule) for text, value, rule in modifiers]
    terms.append(
        Term(f"{declaration.WORDS[battle.table]} table, net modifier", f"{strength.net(modifiers):+d}", "12.5.6")
    )
    if unknown:
        terms.append(Term("hidden Barrage Fire, not counted: markers", str(len(unknown)), "10.2.1"))
    outcomes: dict[str, Fraction] = {}
    for points, chance in fire.items():
        for result, likely in _chances(table, attack, units + min(points, line), modifiers).items():
            outcomes[result] = outcomes.get(result, Fraction(0)) + chance * likely
    heads = [table.head(table.odds(attack, units + min(points, line))) for points in (most, least)]
    return Odds(tuple(terms), heads[0] if heads[0] == heads[1] else " to ".join(heads), outcomes)


def hidden_barrage(g: G, side: int, targets: Sequence[int]) -> list[int]:
    """The markers of an attacker that lie face down on the attacked hexes, and so are not known by name to others (10.2.1)."""
    state = g.state
    return [m for m in MARKERS[side] if state.where[m] in targets and state.flags[m] & FACE_DOWN]


def without(g: G, markers: Sequence[int]) -> G:
    """The game as it would be with these markers in the Ready Box."""
    state = g.state.copy()
    for marker in markers:
        state.where[marker] = READY[SIDE[marker]]
    return Game(g.rules, g.scenario, g.options, state, Dice())


def _fight(g: G, side: int, attackers: Sequence[int], targets: Sequence[int]) -> Battle:
    """The combat in question: on the table it is declared on, else Mobile where that may be chosen."""
    fight = Battle(0, side, tuple(attackers), tuple(targets), ASSAULT)
    number = combats.at(g, targets[0]) if targets else 0
    table = g.state.tables.get(str(number), declaration.DRAFT)
    if table != declaration.DRAFT:
        return fight._replace(table=table)
    if targets and _why_impossible(g, fight) is None and not strength.why_assault(g, fight):
        return fight._replace(table=MOBILE)
    return fight


def _why_impossible(g: G, battle: Battle) -> Refusal | None:
    """Why such an attack could not be: nobody to attack, or somebody who cannot attack there (9.1.1, 9.1.6)."""
    if not combats.defenders(g, battle) or any(not held(g, 1 - battle.side, hex) for hex in battle.hexes):
        return Refusal("no enemy stands there", "9.1.6", declaration.listed(battle.hexes))
    for unit in battle.attackers:
        if not COMBAT[unit] or SIDE[unit] != battle.side:
            return Refusal("it cannot attack", "9.1.1", name(unit))
        unable = None if g.state.battle[unit] else declaration.why_unable(g, unit)
        if unable is not None:
            return unable
        for hex in battle.hexes:
            if not strength.may_attack(g, unit, hex):
                return why_not_there(g, unit, hex)
    return None


def may_fire(g: G, battle: Battle) -> list[int]:
    """The guns in attacked hexes that may defend by their fire: of those in a hex no more than markers lie there, as all can
    see; the weakest others count their defence (10.3.3, 12.5.2)."""
    where, side = g.state.where, 1 - battle.side
    found = []
    for hex in battle.hexes:
        guns = [gun for gun in strength.silent_guns(g, battle) if where[gun] == hex]
        lying = where[MARKER_SPAN[side]].count(hex)
        found += sorted(guns, key=lambda gun: -defence(g, gun))[:lying]
    return found


def hidden_fire(g: G, battle: Battle) -> dict[int, Fraction]:
    """The chance of each sum of Final Protective Fire, as the attacker may judge it: open markers count what they show, hidden
    ones are any of the enemy's that could lie there (10.3.4)."""
    if battle.table == AT_FIRE:
        return {0: Fraction(1)}
    state, side = g.state, 1 - battle.side
    laid = [marker for marker in MARKERS[side] if state.where[marker] in battle.hexes]
    hidden = [marker for marker in laid if state.flags[marker] & FACE_DOWN]
    shown = sum(FPF[marker] for marker in laid if marker not in hidden)
    if not hidden:
        return {shown: Fraction(1)}
    spent = FOUGHT if state.tables else 0  # 10.1.4
    able = [
        marker
        for marker in MARKERS[side]
        if state.flags[marker] & (FACE_DOWN | spent) == FACE_DOWN and _could_support(g, marker, battle)
    ]
    ways = {(0, 0): 1}
    for marker in able:
        for (count, points), number in list(ways.items()):
            if count < len(hidden):
                key = (count + 1, points + FPF[marker])
                ways[key] = ways.get(key, 0) + number
    count = min(len(hidden), len(able))
    found = {shown + points: number for (laid_there, points), number in ways.items() if laid_there == count}
    whole = sum(found.values())
    return {points: Fraction(number, whole) for points, number in found.items()}


def _could_support(g: G, marker: int, battle: Battle) -> bool:
    """Whether a gun could have its marker on one of the attacked hexes (10.1.2, 10.3.6)."""
    gun, state = GUN[marker], g.state
    here = state.where[gun]
    if not 0 <= here < HEXES or not state.flags[gun] & DEPLOYED:
        return False
    if support.next_to_enemy(g, gun):
        return here in battle.hexes
    return any(BOARD.distance(here, hex) <= RANGE[gun] for hex in battle.hexes)


def _chances(table: Table, attack: int, defence: int, modifiers: Sequence[Modifier]) -> dict[str, Fraction]:
    """The chance of every result (12.5.3, 12.5.6, 12.5.7)."""
    found = list(modifiers)
    if strength.is_below(table, attack, defence):
        found.append(("odds below the table", strength.MODIFIER["below_first_column"], "12.5.3"))
    chances = table.chances(table.odds(attack, defence), strength.net(found))
    return {str(result): chance for result, chance in chances.items()}


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click of a combat question is not open."""
    if decision.rule in ("9.1.2", "9.1.8"):
        return _why_not_declaration(g, decision, click)
    if click >= g.rules.first_button:
        return None
    if g.is_unit(click):
        return _why_not_unit(g, decision, click)
    hex = g.location(click)
    if not BOARD.is_hex(hex):
        return None
    if decision.rule == "9.2.3":
        return _why_not_evading(g, decision.side, hex)
    if decision.rule == "12.0":
        return Refusal("no combat is declared against it, or it has been fought", "9.1.2", BOARD.name(hex))
    if decision.rule in ("10.2.1", "10.3.4"):
        return _why_no_marker_there(g, decision, hex)
    return None


def _why_not_declaration(g: G, decision: Decision, click: int) -> Refusal | None:
    side = decision.side
    draft = declaration.drafted(g, side)
    word = g.rules.names[click]
    if click >= g.rules.first_button:
        if draft is not None and word in declaration.TABLES:
            return declaration.why_not_declared(g, draft, declaration.TABLES[word])
        if word == "done":
            return _why_not_done(g, side, draft)
        return None
    if g.is_unit(click):
        return _why_not_attacker(g, side, draft, click)
    hex = g.location(click)
    return _why_not_target(g, side, draft, hex) if BOARD.is_hex(hex) else None


def _why_not_done(g: G, side: int, draft: Battle | None) -> Refusal | None:
    """Who must still be attacked (9.1.7)."""
    if draft is not None:
        return Refusal(
            "declare the combat you are putting together, or cancel it", "9.1.2", declaration.listed(draft.hexes)
        )
    for unit, enemy in declaration.unmet(g, side):
        where = BOARD.name(g.state.where[enemy])
        return Refusal(
            f"the zone of {name(enemy)} in {where} reaches {name(unit)}: it must be attacked too", "9.1.7", where
        )
    return None


def _why_not_attacker(g: G, side: int, draft: Battle | None, unit: int) -> Refusal | None:
    if SIDE[unit] != side:
        return Refusal(
            "that unit is not yours; click its hex to attack it", "9.1.2", "" if IS_MARKER[unit] else name(unit)
        )
    if not COMBAT[unit]:
        return Refusal("only combat units attack", "2.2.1", name(unit))
    refusal = declaration.why_unable(g, unit)
    if refusal is not None:
        return refusal
    if draft is None:
        return Refusal("choose the hex to attack first, then the units", "9.1.2", name(unit))
    for hex in draft.hexes:
        if not strength.may_attack(g, unit, hex):
            return why_not_there(g, unit, hex)
    return None


def why_not_there(g: G, unit: int, hex: int) -> Refusal:
    """Why a unit cannot attack a hex: too far, or closed to it (9.1.1, 9.1.6, 12.2.6)."""
    here = g.state.where[unit]
    if hex not in strength.DIRECTION[here]:
        return Refusal(f"{name(unit)} is not next to {BOARD.name(hex)}", "9.1.1", BOARD.name(hex))
    if ARMOURED[unit] and not strength.by_road(g, unit, hex):
        closed = "mountain or an escarpment" if not strength.hexside_bits(here, hex) & WADI else "a wadi"
        rule = "12.2.6" if closed != "a wadi" else "12.2.4"
        return Refusal(f"armour cannot attack {closed} without a road or crossing", rule, BOARD.name(hex))
    return Refusal(f"{name(unit)} could not enter {BOARD.name(hex)} from there", "9.1.6", BOARD.name(hex))


def _why_not_target(g: G, side: int, draft: Battle | None, hex: int) -> Refusal:
    label = BOARD.name(hex)
    if not held(g, 1 - side, hex):
        return Refusal("no enemy combat unit stands there", "9.1.6", label)
    if combats.at(g, hex):
        return Refusal("it is attacked already", "9.1.3", label)
    near = declaration.contacts(g, side).get(hex, [])
    if not near:
        return Refusal("none of your units is next to it", "9.1.1", label)
    if draft is not None and draft.attackers:
        for unit in draft.attackers:
            if not strength.may_attack(g, unit, hex):
                return why_not_there(g, unit, hex)
    reasons = (declaration.why_unable(g, unit) or why_not_there(g, unit, hex) for unit in near)
    return next(reasons)


def _why_not_unit(g: G, decision: Decision, unit: int) -> Refusal | None:
    """Why a marker, an air unit or another piece is not open to a question about fire or air support."""
    side = decision.side
    if SIDE[unit] != side:
        return None
    if decision.rule == "11.3.2":
        if not IS_AIR[unit]:
            return Refusal("only air units give Close Air Support", "11.3.1", name(unit))
        return Refusal("it is not in the Ready Box", "11.1.4", name(unit))
    if decision.rule not in ("10.2.1", "10.3.4") or decision.about:
        return None
    if IS_MARKER[unit]:
        return _why_silent(g, decision, unit)
    if unit not in MARKER:
        return Refusal(f"{name(unit)} gives no Fire Support", "10.1", name(unit))
    if MARKER[unit] in decision.legal:
        return Refusal(f"click its marker, {name(MARKER[unit])}, in the Ready Box", "10.1", name(MARKER[unit]))
    return _why_silent(g, decision, MARKER[unit])


def _why_silent(g: G, decision: Decision, marker: int) -> Refusal | None:
    """Why a gun gives no support now (10.1.3, 10.1.4)."""
    gun, state = GUN[marker], g.state
    if 0 <= state.where[marker] < HEXES:
        return Refusal("its marker lies on the map: click that hex", "10.2.1", BOARD.name(state.where[marker]))
    if state.where[marker] != READY[SIDE[marker]]:
        return Refusal("its marker is not in the Ready Box", "10.4.1", name(gun))
    if not 0 <= state.where[gun] < HEXES:
        return Refusal(f"{name(gun)} is not on the map", "5.2.5", name(gun))
    if not state.flags[gun] & DEPLOYED:
        return Refusal(f"{name(gun)} is not Deployed", "10.1.3", name(gun))
    if strength.is_spent(g, marker):
        return Refusal(f"{name(gun)} has supported a combat this turn", "10.1.4", name(gun))
    if decision.rule == "10.3.4":
        return Refusal(f"{name(gun)} has moved in this phase", "8.2.7", name(gun))
    near = [hex for hex in state.targets if BOARD.distance(state.where[gun], BOARD[hex]) <= RANGE[gun]]
    if not near:
        return Refusal(f"no attacked hex is within {RANGE[gun]} of {name(gun)}", "10.1.2", name(gun))
    enemies = exerting(g, 1 - decision.side, state.where[gun])
    if enemies:
        return Refusal(
            f"{name(gun)} is in the zone of {name(enemies[0])}, who is not attacked there", "10.2.3", near[0]
        )
    return Refusal("AT Fire has no Barrage Fire Support", "16.1.5", near[0])


def _why_no_marker_there(g: G, decision: Decision, hex: int) -> Refusal | None:
    """Why a marker cannot lie on a hex (10.1.2, 10.2.3, 10.3.6, 10.5.2)."""
    label = BOARD.name(hex)
    if not decision.about:
        for marker in MARKERS[decision.side]:
            if g.state.where[marker] == hex and held(g, decision.side, hex):
                return Refusal(f"no attacked hex is open to {name(GUN[marker])}", "10.1.2", name(GUN[marker]))
            if g.state.where[marker] == hex:
                return Refusal("what is laid for Barrage Fire stays until it has fired", "10.2.1", label)
        return Refusal("no marker of yours lies there; to lay one, click it first", decision.rule, label)
    marker = decision.about[0]
    gun, side = GUN[marker], decision.side
    here = g.state.where[gun]
    if decision.rule == "10.2.1" and not combats.at(g, hex):
        return Refusal("it is not attacked", "10.2.1", label)
    if decision.rule == "10.3.4" and not held(g, side, hex):
        return Refusal("none of your units is there", "10.3.4", label)
    if BOARD.distance(here, hex) > RANGE[gun]:
        return Refusal(f"it is beyond the range of {RANGE[gun]}", "10.1.2", label)
    if decision.rule == "10.2.1":
        enemies = exerting(g, 1 - side, here)
        if enemies and zone(g, 1 - side)[here]:
            return Refusal(f"{name(gun)} may fire only at those in whose zone it is", "10.2.3", name(enemies[0]))
        return Refusal("AT Fire has no Barrage Fire Support", "16.1.5", label)
    if support.next_to_enemy(g, gun):
        return Refusal(f"an enemy is next to {name(gun)}, which supports its own hex alone", "10.3.6", BOARD.name(here))
    return Refusal("no more guns of these nations may support one hex", "10.5.2", label)


def _why_not_evading(g: G, side: int, hex: int) -> Refusal:
    label = BOARD.name(hex)
    units = forces_in(g, side, hex)
    if not combats.at(g, hex) or not units:
        return Refusal("none of your units is attacked there", "9.2.1", label)
    for unit in units:
        if not EVASION[unit]:
            return Refusal(f"{name(unit)} has no evasion rating", "9.2.2", name(unit))
        if g.state.flags[unit] & STOOD:
            return Refusal("they have tried and must stand", "9.2.4", name(unit))
    return Refusal("they cannot evade", "9.2.2", label)
