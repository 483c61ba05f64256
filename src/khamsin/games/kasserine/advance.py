"""Advances after combat (13.5) and after evasion (9.2.6)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

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
    labels,
    name,
    on_map,
)
from khamsin.games.kasserine.zones import zone
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import advance as mechanic
from khamsin.mechanics.advance import Goals, Path, Texts

FURTHEST: int = FIGURES["advance"]["evasion"]


def advance(g: G, battle: Battle, most: int) -> Procedure:
    """Attackers may enter the hexes that a combat has left vacant, up to `most` hexes in all (13.5)."""
    yield from follow_up(g, battle, battle.hexes, most, "13.5", "13.5.3")


def after_evasion(g: G, battle: Battle, hex: int) -> Procedure:
    """Attackers may follow into a hex that was left by evasion, and one hex further if they pass no enemy zone; those who do
    fight no other combat (9.2.6)."""
    before = {unit: g.state.where[unit] for unit in battle.attackers}
    most = 1 if zone(g, 1 - battle.side)[hex] else FURTHEST
    yield from follow_up(g, battle, (hex,), most, "9.2.6", "9.2.6")
    for unit, start in before.items():
        if g.state.where[unit] != start:
            g.state.flags[unit] |= FOUGHT


def follow_up(g: G, battle: Battle, hexes: Sequence[int], most: int, rule: str, distance: str) -> Procedure:
    """The attacker takes unit after unit, or all that can at once, into vacant hexes, as many as he likes (13.5.1, 13.5.2).
    Rommel may go where units of his hex have gone (15.5.3). `rule` and `distance` are the sections of the advance and of its
    length."""
    side, where = battle.side, g.state.where
    vacant = tuple([hex for hex in hexes if not held(g, 1 - side, hex)])
    able = [unit for unit in battle.attackers if not why_stays(g, unit)] if vacant else []
    camp = where[ROMMEL]
    led: set[int] = set()
    """The hexes to which units of Rommel's hex have advanced."""

    def goals_of(g: G, waiting: Sequence[int]) -> Goals:
        goals = {unit: found for unit in waiting if (found := reach(g, unit, vacant, most))}
        if led and where[ROMMEL] == camp:
            goals[ROMMEL] = {hex: (hex,) for hex in sorted(led)}
        return goals

    def enter(g: G, units: Sequence[int], hex: int, goals: Goals) -> None:
        if side == AXIS and any(where[unit] == camp for unit in units if unit != ROMMEL):
            led.add(hex)
        for unit in units:
            g.log(rule, "{unit} advances to {hex}", unit=unit, hex=hex)
            arrive(g, side, [unit], hex, goals[unit][hex][:-1])
        garrison.release(g, units, hex)

    yield from mechanic.advance(
        g, side, able, goals_of, partial(shared, side=side, hexes=vacant), enter,
        Texts(f"Advance into {labels(vacant)}", rule, hex_rule=distance),
        partial(why_not, attackers=battle.attackers, hexes=vacant, most=most, distance=distance),
    )  # fmt: skip


def why_stays(g: G, unit: int) -> Refusal | None:
    """Why an attacker never advances, or None: it is lost, artillery, or in Deployed mode (10.2.2, 13.5.5)."""
    if not on_map(g, unit):
        return Refusal(f"{name(unit)} cannot advance: not on the map", "13.5.2", name(unit))
    if ARTILLERY[unit] and not SELF_PROPELLED[unit]:
        return Refusal(f"{name(unit)} cannot advance: artillery", "13.5.5", name(unit))
    if g.state.flags[unit] & DEPLOYED:
        return Refusal(f"{name(unit)} cannot advance: in Deployed mode", "13.5.5", name(unit))
    return None


def reach(g: G, unit: int, hexes: Sequence[int], most: int) -> dict[int, Path]:
    """Where an attacker can advance, with the path (13.5.3)."""
    candidates = dict.fromkeys([*hexes, *(far for hex in hexes for far in BOARD.around(hex) if most > 1)])
    found = {hex: path_to(g, unit, hexes, most, hex, "13.5.3") for hex in candidates}
    return {hex: path for hex, path in found.items() if not isinstance(path, Refusal)}


def path_to(g: G, unit: int, hexes: Sequence[int], most: int, hex: int, distance: str) -> Path | Refusal:
    """The path by which an attacker advances to a hex, or why it cannot: into an attacked hex that is vacant, and from it, if
    motorized and the table allows, to any neighbour without enemies, whatever zones there are, supplied or not; within the
    stacking limit, and not on the south edge while it is shut (13.5, 13.5.3, 13.5.4, 14.1.2, 18.2.5)."""
    side, here, label = SIDE[unit], g.state.where[unit], BOARD.name(hex)
    who = f"{name(unit)} cannot advance to {label}"
    near, kind = REACHES[is_raining(g)][crosses(g, unit)], crosses(g, unit)
    if hex == here:
        return Refusal(f"{name(unit)} is in {label}", "13.5.3", label)
    for enemy in forces_in(g, 1 - side, hex) if hex not in hexes else ():
        return Refusal(f"{who}: {name(enemy)} is there", "13.5.3", name(enemy))
    if hex in boxes.shut_edge(g, side):
        return Refusal(f"{who}: closed until the Axis has entered there", "18.2.5", label)
    if hex in OUTSIDE.get(setting(g).number, ()):
        return Refusal(f"{who}: outside the scenario area", "18.1.2", label)
    if STACKING[unit] > room(g, side, hex):
        return Refusal(f"{who}: over the stacking limit", "3.3.2", label)
    if hex in hexes and hex in near[here]:
        return (hex,)
    first = [vacant for vacant in hexes if hex in BOARD.around(vacant)] if most > 1 else []
    if hex in hexes and not first:
        return Refusal(f"{who}: closed to it from {BOARD.name(here)}", "7.3.5", label)
    if not first:
        hexes_far = "1 hex" if most == 1 else f"{most} hexes"
        return Refusal(f"{who}: an advance leads into {labels(hexes)}, {hexes_far} in all", distance, label)
    if not MOTORIZED[unit]:
        return Refusal(f"{who}: only motorized units go beyond the hex attacked", "13.5.3", name(unit))
    refusal = Refusal(f"{who}: closed to it through {labels(first)}", "7.3.5", label)
    for vacant in first:
        if vacant not in near[here] or vacant in boxes.shut_edge(g, side) or hex not in near[vacant]:
            continue
        if g.state.strongpoint.get(vacant, side) != side:
            refusal = Refusal(
                f"{who}: it stops in the strongpoint in {BOARD.name(vacant)}", "14.1.2", BOARD.name(vacant)
            )
        elif not stops(kind, here, BOARD.neighbours[here].index(vacant)):
            return (vacant, hex)
    return refusal


def shared(g: G, goals: Goals, side: int, hexes: Sequence[int]) -> list[int]:
    """The vacant hexes into which all who can still advance could go together (13.5)."""
    troops = [unit for unit in goals if unit != ROMMEL]
    points = sum(STACKING[unit] for unit in troops)
    return [
        hex for hex in hexes if troops and points <= room(g, side, hex) and all(hex in goals[unit] for unit in troops)
    ]


def why_not(
    g: G, decision: Decision, click: int, attackers: Sequence[int], hexes: Sequence[int], most: int, distance: str
) -> Refusal | None:
    """Why a unit does not advance, or not to a hex (9.2.6, 13.5)."""
    if click >= g.rules.first_button:
        return None
    if g.is_unit(click):
        return why_not_unit(g, click, attackers, hexes, most, distance)
    hex = g.location(click)
    if hex >= HEXES:
        return Refusal(f"{BOARD.name(hex)} cannot be entered: no advance leads into a box", "13.5.3", BOARD.name(hex))
    troops = [unit for unit in decision.about if unit != ROMMEL]
    for unit in troops:
        refusal = path_to(g, unit, hexes, most, hex, distance)
        if isinstance(refusal, Refusal):
            return refusal
    if decision.kind == "combat.advance" and hex not in hexes:
        return Refusal(f"{BOARD.name(hex)} is not for the whole stack: choose one unit", distance, BOARD.name(hex))
    return Refusal(f"{BOARD.name(hex)} has no room for all units: choose a unit", "3.3.2", BOARD.name(hex))


def why_not_unit(
    g: G, unit: int, attackers: Sequence[int], hexes: Sequence[int], most: int, distance: str
) -> Refusal | None:
    """Why a unit does not advance now (13.5)."""
    if unit == ROMMEL:
        return Refusal("Rommel cannot advance: he goes with units of his hex", "15.5.3", name(unit))
    if unit not in attackers:
        return Refusal(f"{name(unit)} cannot advance: it did not attack in this combat", "13.5.2", name(unit))
    refusal = why_stays(g, unit)
    if refusal is not None:
        return refusal
    path = path_to(g, unit, hexes, most, hexes[0], distance)
    return path if isinstance(path, Refusal) else Refusal(f"{name(unit)} has advanced", "13.5", name(unit))
