"""Combat (12): the attacker places all Barrage Fire Support, then the declared attacks are resolved one by one.

A combat has the steps of the sequence of play: emergency supply, Close Air Support, Untried units and markers revealed,
odds, modifiers, the roll, and its result.
"""

from __future__ import annotations

from collections.abc import Collection, Generator

from khamsin.games.kasserine import battle as combats
from khamsin.games.kasserine import close_support, headquarters, results, strength, supply, support
from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.hidden import draw_strength
from khamsin.games.kasserine.strength import CombatChoices
from khamsin.games.kasserine.units import (
    ALLIED,
    ARTILLERY,
    AT_FIRE,
    AXIS,
    BOARD,
    CLASS,
    DEPLOYED,
    FACE_DOWN,
    FORCES,
    FOUGHT,
    GUN,
    HEXES,
    MARKER,
    MARKERS,
    RANGE,
    REACTED,
    READY,
    SIDE,
    STOOD,
    TRIED,
    UNTRIED,
    USED,
    G,
    held,
    hex_of,
    labels,
    name,
    on_map,
)
from khamsin.games.kasserine.zones import exerting
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.odds import is_below
from khamsin.mechanics.refusals import for_locations

LAID, FIGHTING = "laid", "fighting"
"""Values of the step: Barrage Fire is finished (10.2.1); the number of the combat whose odds are known (12.5)."""


def combat(g: G, side: int) -> Procedure:
    """The Combat Phase of a side: Barrage Fire for all combats, then each of them in any order (10.2.1, 12.0, 12.1.3,
    12.5.1)."""
    todo = g.state.todo
    if not g.state.tables:
        return
    if LAID not in todo:
        yield from lay_barrage(g, side)
        todo[LAID] = 1
    while numbers := combats.numbers(g):
        if FIGHTING not in todo:
            number = numbers[0]
            if len(numbers) > 1:
                click = yield g.ask(
                    side, "combat.order", "Choose the combat to resolve", "12.0",
                    locations=[hex for hex in g.state.targets if why_not_fought(g, hex) is None], top=True,
                    why_not=for_locations(why_not_fought),
                )  # fmt: skip
                number = combats.at(g, g.location(click))
            yield from prepare(g, combats.read(g, side, number))
            todo[FIGHTING] = number
        yield from resolve(g, combats.read(g, side, todo[FIGHTING]))
        del todo[FIGHTING]
    finish(g)
    todo.clear()


def lay_barrage(g: G, side: int) -> Procedure:
    """The attacker places markers on the enemies under attack; those that protect own units may be taken back for it
    (10.1.1, 10.2.1, 10.3.5)."""
    done, cancel = g.rules.button("done"), g.rules.button("cancel")
    while able := barrage_hexes(g, side):
        click = yield g.ask(
            side, "barrage.marker", "Place a marker for Barrage Fire, take one back from a hex, or end the step", "10.2.1",
            units=[MARKER[gun] for gun in able if support.why_on_map(g, MARKER[gun]) is None], locations=recallable(g, able),
            buttons=[done], top=True, why_not=why_no_barrage,
        )  # fmt: skip
        if click == done:
            return
        if not g.is_unit(click):
            yield from support.take_back_from(g, side, g.location(click))
            continue
        where = yield g.ask(
            side, "barrage.hex", f"Barrage Fire of {name(GUN[click])}: choose an attacked hex", "10.2.1",
            locations=able[GUN[click]], buttons=[cancel], about=[click], why_not=why_no_barrage_there,
        )  # fmt: skip
        if where != cancel:
            support.place(g, click, g.location(where))


def barrage_hexes(g: G, side: int) -> dict[int, list[int]]:
    """Return the guns that can give Barrage Fire, each with the attacked hexes; their markers are in the Ready Box or
    on their own units (10.1.2, 10.1.3, 10.2.3, 10.3.5)."""
    guns = [GUN[marker] for marker in MARKERS[side] if g.state.targets and why_no_target(g, marker) is None]
    return {gun: [hex for hex in g.state.targets if why_out_of_reach(g, gun, hex) is None] for gun in guns}


def why_silent(g: G, marker: int) -> Refusal | None:
    """Return why a gun gives no Barrage Fire anywhere: it must be Deployed on the map, have supported no combat this
    turn, and have its marker in the Ready Box or on its own units (10.1.3, 10.1.4, 10.2.1, 10.3.5)."""
    gun, state = GUN[marker], g.state
    side, where = SIDE[marker], state.where[marker]
    if 0 <= where < HEXES and not held(g, side, where):
        label = BOARD.name(where)
        return Refusal(f"{name(marker)} cannot be taken back from {label}: Barrage Fire stays placed", "10.2.1", label)
    if where >= HEXES and where != READY[side]:
        return Refusal(f"{name(gun)} cannot fire: its marker is not in the Ready Box", "10.4.1", name(gun))
    if not on_map(g, gun):
        return Refusal(f"{name(gun)} cannot fire: not on the map", "5.2.5", name(gun))
    if not state.flags[gun] & DEPLOYED:
        return Refusal(f"{name(gun)} cannot fire: not Deployed", "10.1.3", name(gun))
    if state.flags[marker] & FOUGHT:
        return Refusal(f"{name(gun)} cannot fire: it has supported a combat this turn", "10.1.4", name(gun))
    return None


def why_out_of_reach(g: G, gun: int, hex: int) -> Refusal | None:
    """Return why a gun cannot fire at a hex (10.1.2, 10.1.6, 10.2.3, 16.1.5)."""
    label, here, side = BOARD.name(hex), g.state.where[gun], SIDE[gun]
    who = f"{name(gun)} cannot fire at {label}"
    if not combats.at(g, hex):
        return Refusal(f"{who}: not attacked", "10.2.1", label)
    distance = BOARD.distance(here, hex)
    if distance > RANGE[gun]:
        return Refusal(f"{who}: {distance} hexes away, range {RANGE[gun]}", "10.1.2", label)
    fight = combats.read(g, side, combats.at(g, hex))
    if fight.table == AT_FIRE:
        return Refusal(f"{who}: AT Fire has no Barrage Fire Support", "16.1.5", label)
    if not strength.free_to_fire(g, fight, gun):
        enemy = name(exerting(g, 1 - side, here)[0])
        return Refusal(f"{who}: it is in the ZOC of {enemy}, which is not attacked there", "10.2.3", enemy)
    return None


def within_reach(g: G, gun: int, fight: Battle) -> list[int]:
    """Return the hexes of a combat that a gun may fire at."""
    return [hex for hex in fight.hexes if why_out_of_reach(g, gun, hex) is None]


def why_no_barrage(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a marker cannot be placed for Barrage Fire, or taken back from a hex for it."""
    if click >= g.rules.first_button:
        return None
    if g.is_unit(click):
        return support.why_not_marker(g, decision, click, why_no_target)
    hex = hex_of(g, click)
    return None if hex is None else why_not_recalled(g, decision.side, hex)


def why_not_recalled(g: G, side: int, hex: int) -> Refusal | None:
    """Return why no marker can be taken back from a hex for Barrage Fire (10.3.5)."""
    refusals = [why_no_target(g, marker) for marker in MARKERS[side] if g.state.where[marker] == hex]
    if refusals:
        return None if None in refusals else refusals[0]
    label = BOARD.name(hex)
    return Refusal(f"None of your markers is on {label}: to place one, choose the marker", "10.2.1", label)


def why_no_target(g: G, marker: int) -> Refusal | None:
    """Return why a marker cannot be placed on any attacked hex: the reason for the nearest."""
    refusal = why_silent(g, marker)
    if refusal is not None:
        return refusal
    here = g.state.where[GUN[marker]]
    hexes = sorted(g.state.targets, key=lambda hex: (BOARD.distance(here, hex), hex))
    refusals = [why_out_of_reach(g, GUN[marker], hex) for hex in hexes]
    return None if None in refusals else refusals[0]


def why_no_barrage_there(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a gun cannot fire at a hex."""
    hex = hex_of(g, click)
    return None if hex is None else why_out_of_reach(g, GUN[decision.about[0]], hex)


def why_not_fought(g: G, hex: int) -> Refusal | None:
    """Return why there is no combat to resolve in a hex (9.1.2)."""
    if combats.at(g, hex):
        return None
    label = BOARD.name(hex)
    return Refusal(f"No combat to resolve in {label}: no declared attack on it is left", "9.1.2", label)


def recallable(g: G, guns: Collection[int]) -> list[int]:
    """Return the side's hexes from which a marker of these guns could be taken back (10.3.5)."""
    where = g.state.where
    return sorted({where[MARKER[gun]] for gun in guns if where[MARKER[gun]] < HEXES})


def prepare(g: G, battle: Battle) -> Procedure:
    """Prepare a combat up to its odds: emergency supply, Close Air Support, then Untried units and markers are revealed
    (12.5.1)."""
    if not combats.defenders(g, battle) or not battle.attackers:
        return
    yield from supply.emergency(g, AXIS, units_of(g, battle, AXIS))
    yield from close_support.support(g, battle)
    reveal_untried(g, battle)
    if strength.participants(g, battle):
        for marker in (*strength.barrage(g, battle), *strength.fire(g, battle)):
            support.show(g, marker)


def resolve(g: G, battle: Battle) -> Procedure:
    """Resolve a combat whose odds are known: the attacker cannot call it off (9.1.3), and its result takes effect
    (12.5)."""
    if not combats.defenders(g, battle) or not battle.attackers:
        g.log("12.1.2", "No combat at {hex}: no attackers or no defenders left", hex=battle.hexes[0])
    elif taking_part := strength.participants(g, battle):
        alone = lone_guns(g, battle)
        yield from fight(g, battle._replace(attackers=taking_part))
        for gun in alone:
            if on_map(g, gun):
                support.put_away(g, MARKER[gun], USED[SIDE[gun]])
    else:
        g.log("12.1.5", "No combat at {hex}: no attack strength left", hex=battle.hexes[0])
    close(g, battle)


def units_of(g: G, battle: Battle, side: int) -> list[int]:
    """Return the units of a side that fight in a combat."""
    return list(battle.attackers) if battle.side == side else combats.defenders(g, battle)


def reveal_untried(g: G, battle: Battle) -> None:
    """Untried units in the combat are revealed (12.1.6)."""
    for unit in (*battle.attackers, *combats.defenders(g, battle)):
        if g.state.flags[unit] & UNTRIED:
            g.state.flags[unit] &= ~UNTRIED
            if not g.state.quality[unit]:  # in a position as a side saw it
                draw_strength(g, unit)
            g.reveal()
            attack, defence = TRIED[CLASS[unit]][g.state.quality[unit] - 1]
            g.log("12.1.6", "{unit} is Tried: {attack}-{defence}", unit=unit, attack=attack, defence=defence)


def lone_guns(g: G, battle: Battle) -> list[int]:
    """Return the guns attacked without units other than HQs, whose markers are used up by their own defence (10.3.2)."""
    side, where = 1 - battle.side, g.state.where
    return [
        gun for gun in combats.defenders(g, battle) if ARTILLERY[gun] and not strength.has_line(g, side, where[gun])
    ]


def fight(g: G, battle: Battle) -> Procedure:
    """Compute odds and modifiers, roll, and apply the result (12.5.2-7)."""
    attack, defence = strength.attack_total(g, battle)[0], strength.defence_total(g, battle)[0]
    table = strength.crt(g, battle)
    column = table.odds(attack, defence)
    below = is_below(table, attack, defence)
    odds = ("below " if below else "") + table.head(column)
    yield g.ask(
        battle.side, "combat.roll", f"Attack on {labels(battle.hexes)}: {attack} to {defence}, {odds}", "12.5.7",
        buttons=[g.rules.button("attack")], top=True, about=battle.attackers,
    )  # fmt: skip
    g.log("12.5.2", "{attack} against {defence} in {hex}: {odds}", attack=attack, defence=defence, hex=battle.hexes[0],
          odds=odds)  # fmt: skip
    choices = yield from choose(g, battle)
    modifiers = strength.modifiers(g, battle, choices)
    if below:
        modifiers.append(strength.BELOW)
    for text, value, rule in modifiers:
        g.log(rule, "{cause}: {value}", cause=text, value=f"{value:+d}")
    result = str(table.roll(g.dice, column, strength.net(modifiers), f"attack on {labels(battle.hexes)}"))
    g.log("12.5.7", "{hex}: {result}", hex=battle.hexes[0], result=result)
    first = (*(strength.tigers(g, battle) if choices.tiger else ()),)
    first += (*(strength.mountaineers(g, battle) if choices.mountain else ()),)
    yield from results.apply(g, battle, result, first)


def choose(g: G, battle: Battle) -> Generator[Decision, int, CombatChoices]:
    """The attacker's choices: a Tiger against a strongpoint, mountain effects, Rommel (15.5.2, 16.3.1, 16.6.3)."""
    side = battle.side
    tiger = mountain = rommel = False
    if strength.tigers(g, battle):
        tiger = yield from agrees(
            g, battle, "tiger", "Disregard the strongpoint? The Tiger then takes the first loss", "16.3.1"
        )
    if strength.mountaineers(g, battle):
        mountain = yield from agrees(
            g, battle, "mountain", "Use the mountain units? They then take the first loss", "16.6.3"
        )
    if headquarters.rommel_may_add(g, battle):
        rommel = yield from agrees(g, battle, "bonus", f"Use a bonus of Rommel's ({g.state.bonus} left)?", "15.5.2")
        if rommel:
            headquarters.use_bonus(g)
    return CombatChoices(
        close_support.points(g, battle, side), close_support.points(g, battle, 1 - side), rommel, tiger, mountain
    )


def agrees(g: G, battle: Battle, choice: str, question: str, rule: str) -> Generator[Decision, int, bool]:
    """Whether the attacker says yes."""
    yes, no = g.rules.button("yes"), g.rules.button("no")
    asked = g.ask(battle.side, f"combat.choice.{choice}", question, rule, buttons=[yes, no], about=battle.attackers)
    return bool((yield asked) == yes)


def close(g: G, battle: Battle) -> None:
    """End a combat: air units return, markers that fired are ready again if their guns are supplied, used if not, and
    the others stay while they have units to support (10.2.4, 11.3.5, 13.1.4)."""
    state = g.state
    close_support.come_home(g, battle)
    for marker in (*MARKERS[AXIS], *MARKERS[ALLIED]):
        if state.where[marker] in battle.hexes and not state.flags[marker] & FACE_DOWN:
            ready = supply.supplied(g, GUN[marker])
            support.put_away(g, marker, (READY if ready else USED)[SIDE[marker]])
            state.flags[marker] |= FOUGHT
    for marker in MARKERS[battle.side]:
        if state.where[marker] in battle.hexes:
            support.take_back(g, marker)
    support.tidy(g, 1 - battle.side)
    combats.close(g, battle)


def finish(g: G) -> None:
    """End the phase and clear the declarations."""
    state = g.state
    state.targets.clear()
    state.tables.clear()
    for side in (AXIS, ALLIED):
        g.clear_flags(FORCES[side], FOUGHT | STOOD | REACTED)
        for unit in FORCES[side]:
            state.battle[unit] = 0
