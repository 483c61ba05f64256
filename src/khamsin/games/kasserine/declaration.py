"""Attack declaration (9.1): which hexes are attacked, by whom, on which table.

All of it stands in the state. The combat that is being put together is a draft: it has its number in `targets` and `battle` as
the others have, and DRAFT for its table.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import itemgetter

from khamsin.games.kasserine import battle as combats
from khamsin.games.kasserine import garrison, strongpoints
from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.ground import ESCARPMENT
from khamsin.games.kasserine.strength import (
    across,
    attack_strength,
    crt,
    faces_armour,
    initial_defence,
    is_below,
    may_attack,
    shares,
    why_assault,
)
from khamsin.games.kasserine.support import tidy, within_range
from khamsin.games.kasserine.units import (
    ANTI_TANK,
    AROUND,
    ARTILLERY,
    ASSAULT,
    AT_FIRE,
    AXIS,
    BARRAGE,
    BOARD,
    BUILDING,
    DEPLOYED,
    FORCE_SPAN,
    FORCES,
    FOUGHT,
    HEXES,
    MARKERS,
    MOBILE,
    OTHERS,
    G,
    name,
    stacks,
)
from khamsin.games.kasserine.zones import exerting
from khamsin.kernel.pieces import Memo
from khamsin.kernel.rules import Procedure, Refusal

DRAFT = -1
"""The table of a combat that is not declared yet."""
TABLES = {"assault": ASSAULT, "mobile": MOBILE, "AT fire": AT_FIRE}
WORDS = {table: word for word, table in TABLES.items()}


def declaration(g: G, side: int) -> Procedure:
    """The Combat Declaration Phase: one combat after another, until all that must be attacked is (9.0, 9.1)."""
    if side == AXIS:
        forget_fire(g)
    tidy(g, side)  # 10.3.5
    done, cancel = g.rules.button("done"), g.rules.button("cancel")
    while True:
        draft = drafted(g, side)
        if draft is not None:
            yield from put_together(g, draft, cancel)
            continue
        owed = unmet(g, side)
        hexes = open_targets(g, side, {g.state.where[enemy] for _, enemy in owed})
        if not hexes:
            break
        prompt = "Attack a hex, call off a combat, or end the declarations"
        if owed:
            must = listed(sorted({g.state.where[enemy] for _, enemy in owed}))
            prompt = f"Attack {must} too, whose zones reach your attackers, or call off a combat"
        click = yield g.ask(
            side, "combat.target", prompt, "9.1.2", locations=hexes, buttons=[] if owed else [done], top=True
        )
        if click == done:
            break
        if combats.at(g, g.location(click)):
            call_off(g, combats.at(g, g.location(click)))
        else:
            combats.declare(g, [], [g.location(click)], DRAFT)
    for hex in list(g.state.targets):
        strongpoints.abandon(g, BOARD[hex])


def forget_fire(g: G) -> None:
    """A new turn's combats begin: every gun may fire once more (10.1.4)."""
    flags = g.state.flags
    for markers in MARKERS:
        for marker in markers:
            flags[marker] &= ~FOUGHT


def drafted(g: G, side: int) -> Battle | None:
    """The combat that is being put together, if any."""
    state = g.state
    if DRAFT not in state.tables.values():
        return None
    number = next(int(number) for number, table in state.tables.items() if table == DRAFT)
    hexes = tuple([BOARD[hex] for hex, combat in sorted(state.targets.items()) if combat == number])
    attackers = tuple(sorted(unit for unit in assailants(g, side)[hexes[0]] if state.battle[unit] == number))
    return Battle(number, side, attackers, hexes, DRAFT)


def put_together(g: G, draft: Battle, cancel: int) -> Procedure:
    """One step of a combat: a further attacker or hex, the table that declares it, or nothing after all (9.1.2, 9.1.8)."""
    side, everybody = draft.side, g.rules.button("all")
    units = further_attackers(g, draft)
    buttons = {g.rules.button(word): table for word, table in TABLES.items() if not why_not_declared(g, draft, table)}
    click = yield g.ask(
        side, "combat.attackers", f"Attack on {listed(draft.hexes)}: add units or hexes, or declare it", "9.1.8",
        units=units, locations=further_hexes(g, draft, units),
        buttons=[*buttons, *([everybody] if units else []), cancel], top=True, about=draft.attackers,
    )  # fmt: skip
    if click == cancel:
        call_off(g, draft.number)
    elif click == everybody:
        for unit in units:
            g.state.battle[unit] = draft.number
    elif click in buttons:
        g.state.tables[str(draft.number)] = buttons[click]
        for hex in draft.hexes:
            g.log("9.1.2", "{hex} is attacked: {table}", hex=hex, table=WORDS[buttons[click]])
    elif g.is_unit(click):
        g.state.battle[click] = draft.number
    else:
        g.state.targets[BOARD.name(g.location(click))] = draft.number


def listed(hexes: Sequence[int]) -> str:
    """Hexes by name."""
    return ", ".join(map(BOARD.name, hexes))


def call_off(g: G, number: int) -> None:
    """A combat is not declared after all, while declarations go on."""
    state = g.state
    while number in state.battle:
        state.battle[state.battle.index(number)] = 0
    for hex in [hex for hex, declared in state.targets.items() if declared == number]:
        del state.targets[hex]
        if state.tables[str(number)] != DRAFT:
            g.log("9.1.2", "the attack on {hex} is called off", hex=BOARD[hex])
    del state.tables[str(number)]


def contacts(g: G, side: int) -> dict[int, list[int]]:
    """The enemy-held hexes next to units of a side, each with those units."""
    key = (*g.state.where.versions[:OTHERS], side)
    known = _CONTACTS.get(key)
    if known is None:
        known = _CONTACTS.keep(key, {})
        enemies = stacks(g, 1 - side)
        for hex, units in sorted(stacks(g, side).items(), key=itemgetter(1)):
            for near in AROUND[hex]:
                if near in enemies:
                    known.setdefault(near, []).extend(units)
    return known


_CONTACTS: Memo[dict[int, list[int]]] = Memo()


def assailants(g: G, side: int) -> dict[int, list[int]]:
    """The enemy-held hexes that units of a side could enter from where they stand, each with those units (9.1.5, 9.1.6)."""
    key = (*g.state.where.versions[:OTHERS], side)
    known = _ASSAILANTS.get(key)
    if known is None:
        near = {hex: [u for u in units if may_attack(g, u, hex)] for hex, units in contacts(g, side).items()}
        known = _ASSAILANTS.keep(key, {hex: units for hex, units in near.items() if units})
    return known


_ASSAILANTS: Memo[dict[int, list[int]]] = Memo()


def open_targets(g: G, side: int, required: Collection[int]) -> dict[int, str]:
    """The hexes that can be attacked, with a word on those that must be; and those that are, whose combat can be called off
    (9.1.5, 9.1.7)."""
    hexes = {}
    for hex, units in assailants(g, side).items():
        if combats.at(g, hex):
            hexes[hex] = "attacked"
        elif any(not why_unable(g, unit) for unit in units):
            hexes[hex] = "required" if hex in required else ""
    return hexes


def why_unable(g: G, unit: int) -> Refusal | None:
    """Why a unit attacks nobody now, whatever stands next to it, or None (12.3.2, 12.3.3)."""
    state = g.state
    if not 0 <= state.where[unit] < HEXES:
        return Refusal("it is not on the map", "9.1.1", name(unit))
    if state.battle[unit]:
        return Refusal("it attacks already, and attacks but once", "9.1.3", name(unit))
    if state.flags[unit] & BUILDING:
        return Refusal("it is building a strongpoint", "14.3.5", name(unit))
    if ARTILLERY[unit] and state.flags[unit] & DEPLOYED:
        return Refusal("a Deployed gun has no attack strength: it supports with its marker", "10.0", name(unit))
    if garrison.bound(g, unit):
        return Refusal("it is a garrison that is not released", "18.2.3", name(unit))
    strong = ANTI_TANK[unit] and state.flags[unit] & DEPLOYED and BARRAGE[unit]
    if not strong and not attack_strength(g, unit, False):
        return Refusal("it has no attack strength", "12.1.5", name(unit))
    return None


def further_attackers(g: G, draft: Battle) -> list[int]:
    """The units that can join a combat: next to every attacked hex, which each could enter (9.1.1, 9.1.5, 9.1.8)."""
    near = assailants(g, draft.side)
    first, *others = (near.get(hex, []) for hex in draft.hexes)
    return [unit for unit in first if all(unit in units for units in others) and not why_unable(g, unit)]


def further_hexes(g: G, draft: Battle, units: Sequence[int]) -> list[int]:
    """The hexes that can be added to a combat: each attacker, or as long as there is none some unit that could be one, is next
    to all (9.1.8)."""
    near = assailants(g, draft.side)
    beside, test = (draft.attackers, all) if draft.attackers else (units, any)
    around = (hex for hex in within_range(draft.hexes[0], 2) if hex in near)
    return [hex for hex in around if not combats.at(g, hex) and test(unit in near[hex] for unit in beside)]


def why_not_declared(g: G, draft: Battle, table: int) -> Refusal | None:
    """Why a combat cannot be declared on a table, or None (3.5.3, 9.1.4, 12.3.4, 12.4, 16.1.5)."""
    attackers = draft.attackers
    if not attackers:
        return Refusal("no attacker is chosen", "9.1.1", listed(draft.hexes))
    fight = draft._replace(table=table)
    if table == AT_FIRE:
        refusal = why_no_at_fire(g, fight)
    elif all(ARTILLERY[unit] for unit in attackers):
        refusal = Refusal("artillery alone cannot attack", "12.3.4", name(attackers[0]))
    else:
        reason = why_assault(g, fight) if table == MOBILE else None
        refusal = Refusal(f"the Assault table must be used: {reason[0]}", reason[1], reason[2]) if reason else None
    return refusal or why_too_weak(g, fight)


def why_no_at_fire(g: G, fight: Battle) -> Refusal | None:
    """Why a combat cannot be AT Fire: only Deployed anti-tank units, armour in every hex, no escarpment between (16.1.5)."""
    for unit in fight.attackers:
        if not ANTI_TANK[unit] or not g.state.flags[unit] & DEPLOYED:
            return Refusal("only Deployed anti-tank units give AT Fire", "16.1.5", name(unit))
        if across(g, unit, fight.hexes, ESCARPMENT):
            return Refusal("no AT Fire across an escarpment", "16.1.5", name(unit))
    for hex in fight.hexes:
        if not faces_armour(g, fight._replace(hexes=(hex,))):
            return Refusal("no armour stands there", "16.1.5", BOARD.name(hex))
    return None


def why_too_weak(g: G, fight: Battle) -> Refusal | None:
    """Why the attackers of a combat are too weak: some count nothing, or the odds are below the table (3.5.3, 9.1.4)."""
    groups = shares(g, fight)
    for share in groups:
        if not share.counts:
            return Refusal("halving leaves it no strength to take part", "3.5.3", name(share.units[0]))
    attack, defence = sum(share.counts for share in groups), initial_defence(g, fight)
    table = crt(g, fight)
    if is_below(table, attack, defence):
        return Refusal(f"{attack} to {defence} is below {table.heads[0]}", "9.1.4", listed(fight.hexes))
    return None


def unmet(g: G, side: int) -> list[tuple[int, int]]:
    """Attackers with an enemy whose zone reaches their hex and whose hex is not attacked; units that do not attack owe nothing,
    AT Fire demands nothing, and nobody must attack those whom it ignores (9.1.7, 12.1.4, 16.1.5)."""
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
