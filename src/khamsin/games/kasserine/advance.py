"""Advances after combat (13.5) and after evasion (9.2.6)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from khamsin.games.kasserine import battle as combats
from khamsin.games.kasserine import boxes, garrison
from khamsin.games.kasserine.arrival import arrive
from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.ground import OUTSIDE, REACHES, is_raining, stops
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.stacking import room
from khamsin.games.kasserine.strength import FIGURES
from khamsin.games.kasserine.units import (
    ARTILLERY,
    AXIS,
    BOARD,
    DEPLOYED,
    FOUGHT,
    HEXES,
    MOTORIZED,
    ROMMEL,
    SELF_PROPELLED,
    SIDE,
    STACKING,
    G,
    crosses,
    forces_in,
    held,
    name,
    on_map,
    stacks,
)
from khamsin.games.kasserine.zones import zone
from khamsin.kernel.rules import Procedure, Refusal

FURTHEST: int = FIGURES["advance"]["evasion"]


def advance(g: G, battle: Battle, most: int) -> Procedure:
    """Attackers may take the hexes that a combat has left vacant, and go so many hexes in all (13.5)."""
    yield from follow_up(g, battle, battle.hexes, most, "13.5")


def after_evasion(g: G, battle: Battle, hex: int) -> Procedure:
    """Attackers may follow into a hex that was left by evasion, and one hex further if they pass no enemy zone; those who do
    fight no other combat (9.2.6)."""
    before = {unit: g.state.where[unit] for unit in battle.attackers}
    most = 1 if zone(g, 1 - battle.side)[hex] else FURTHEST
    yield from follow_up(g, battle, (hex,), most, "9.2.6")
    for unit, start in before.items():
        if g.state.where[unit] != start:
            g.state.flags[unit] |= FOUGHT


def follow_up(g: G, battle: Battle, hexes: Sequence[int], most: int, rule: str) -> Procedure:
    """The attacker takes unit after unit, or all that can at once, into vacant hexes, as many as he likes (13.5.1, 13.5.2). The
    rule is that by which he is asked."""
    side, where = battle.side, g.state.where
    done, cancel = g.rules.button("done"), g.rules.button("cancel")
    open_hexes = [hex for hex in hexes if not held(g, 1 - side, hex)]
    waiting = [unit for unit in battle.attackers if not why_stays(g, unit)] if open_hexes else []
    camp = where[ROMMEL]
    company: set[int] = set()
    while True:
        goals = {unit: found for unit in waiting if (found := reach(g, unit, open_hexes, most))}
        if company and where[ROMMEL] == camp:
            goals[ROMMEL] = {hex: (hex,) for hex in sorted(company)}
        if not goals:
            return
        troops = [unit for unit in goals if unit != ROMMEL]
        together = shared(g, side, open_hexes, goals, troops)
        whole = ", a hex for all" if together else ""
        prompt = f"Advance into {', '.join(map(BOARD.name, open_hexes))}: a unit{whole}, or none"
        click = yield g.ask(
            side, "combat.advance", prompt, rule, units=list(goals), locations=together, buttons=[done], about=troops
        )
        if click == done:
            return
        if not g.is_unit(click):
            moving, hex = troops, g.location(click)
        else:
            where_to = yield g.ask(
                side, "combat.advance.to", f"Where does {name(click)} advance?", "13.5.3" if rule == "13.5" else rule,
                locations={hex: {"hexes": len(path)} for hex, path in goals[click].items()}, buttons=[cancel], about=[click],
            )  # fmt: skip
            if where_to == cancel:
                continue
            moving, hex = [click], g.location(where_to)
        if side == AXIS and any(where[unit] == camp for unit in moving if unit != ROMMEL):
            company.add(hex)
        for unit in moving:
            g.log(rule, "{unit} advances to {hex}", unit=unit, hex=hex)
            arrive(g, side, [unit], hex, goals[unit][hex][:-1])
        garrison.release(g, moving, hex)
        waiting = [unit for unit in waiting if unit not in moving]


def why_stays(g: G, unit: int) -> Refusal | None:
    """Why an attacker never advances, or None: it is lost, artillery, or in Deployed mode (10.2.2, 13.5.5)."""
    if not on_map(g, unit):
        return Refusal(f"{name(unit)} is lost", "13.5.2", name(unit))
    if ARTILLERY[unit] and not SELF_PROPELLED[unit]:
        return Refusal("artillery does not advance", "13.5.5", name(unit))
    if g.state.flags[unit] & DEPLOYED:
        return Refusal(f"{name(unit)} is in Deployed mode", "13.5.5", name(unit))
    return None


def reach(g: G, unit: int, hexes: Collection[int], most: int) -> dict[int, tuple[int, ...]]:
    """Where an attacker can advance, with the way: an attacked hex that is vacant, and from it, if motorized and so far, any
    neighbour without enemies, whatever zones there are, supplied or not; within the stacking limit, and not on the south edge
    while it is shut (13.5, 13.5.3, 13.5.4, 18.2.5)."""
    state, side = g.state, SIDE[unit]
    here, kind, near = state.where[unit], crosses(g, unit), REACHES[is_raining(g)][crosses(g, unit)]
    enemies = stacks(g, 1 - side)
    outside, shut = OUTSIDE.get(setting(g).number, ()), boxes.shut_edge(g, side)
    found: dict[int, tuple[int, ...]] = {}
    for hex in hexes:
        if hex not in near[here] or hex in shut:
            continue
        found[hex] = (hex,)
        fort = state.strongpoint.get(hex, side) != side
        halted = fort or stops(kind, here, BOARD.neighbours[here].index(hex))
        if most > 1 and MOTORIZED[unit] and not halted:
            for further in near[hex]:
                if further not in enemies and further not in outside and further not in shut:
                    found.setdefault(further, (hex, further))
    found.pop(here, None)
    return {hex: path for hex, path in found.items() if STACKING[unit] <= room(g, side, hex)}


def shared(
    g: G, side: int, hexes: Sequence[int], goals: dict[int, dict[int, tuple[int, ...]]], troops: Sequence[int]
) -> list[int]:
    """The vacant hexes into which all who can still advance could go together (13.5)."""
    points = sum(STACKING[unit] for unit in troops)
    return [
        hex for hex in hexes if troops and points <= room(g, side, hex) and all(hex in goals[unit] for unit in troops)
    ]


def why_not_unit(g: G, unit: int) -> Refusal:
    """Why a unit does not advance now (13.5)."""
    if unit == ROMMEL:
        return Refusal("Rommel advances with units of his hex", "15.5.3", name(unit))
    if not g.state.battle[unit]:
        return Refusal(f"{name(unit)} did not attack in this combat", "13.5.2", name(unit))
    return why_stays(g, unit) or Refusal(f"{name(unit)} cannot enter the hex, or has advanced", "13.5.3", name(unit))


def why_not_there(g: G, unit: int, hex: int, rule: str) -> Refusal:
    """Why an attacker who is asked by a rule does not advance to a hex (9.2.6, 13.5.3)."""
    here = BOARD.name(hex)
    if not hex < HEXES:
        return Refusal("nobody advances into a box", "13.5.3", here)
    side, number = SIDE[unit], g.state.battle[unit]
    for enemy in forces_in(g, 1 - side, hex):
        return Refusal(f"{name(enemy)} is there", "13.5.3", name(enemy))
    if hex in boxes.shut_edge(g, side):
        return Refusal(f"Allied units may not be in {here} yet", "18.2.5", here)
    attacked = combats.at(g, hex) == number
    if attacked and hex not in REACHES[is_raining(g)][crosses(g, unit)][g.state.where[unit]]:
        return Refusal(f"{name(unit)} cannot enter it from where it is", "7.3.5", here)
    if STACKING[unit] > room(g, side, hex):
        return Refusal("there is no room", "3.3.2", here)
    if not attacked and not MOTORIZED[unit]:
        return Refusal("only motorized units go further than the hex attacked", "13.5.3", name(unit))
    if rule == "9.2.6":
        return Refusal("they follow into the hex evaded, and one hex further if it is in no enemy zone", rule, here)
    return Refusal(
        "an advance goes into the hex attacked, and from it one hex further on the Mobile table", "13.5.3", here
    )
