"""Advances after combat (13.5) and after evasion (9.2.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from khamsin.games.kasserine import garrison
from khamsin.games.kasserine.arrival import arrive
from khamsin.games.kasserine.battle import Battle
from khamsin.games.kasserine.ground import LAYOUT, advance_network, is_raining
from khamsin.games.kasserine.paths import OCCUPYING, bar, edges, forts, why_no_path, without
from khamsin.games.kasserine.stacking import STACKS, room
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
    G,
    crosses,
    held,
    labels,
    name,
    on_map,
    stack_name,
)
from khamsin.games.kasserine.zones import occupied, zone
from khamsin.kernel.flood import CLOSED, STOP
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import advance as mechanic
from khamsin.mechanics.advance import Goals, Path, Texts
from khamsin.mechanics.ways import APART, Bar, End, Ground, Hindrance, Limit, Way

FURTHEST: int = FIGURES["advance"]["evasion"]


def advance(g: G, battle: Battle, most: int) -> Procedure:
    """Attackers may enter the hexes that a combat has left vacant, up to `most` hexes in all (13.5)."""
    yield from follow_up(g, battle, battle.hexes, most, "13.5", "13.5.3")


def after_evasion(g: G, battle: Battle, hex: int) -> Procedure:
    """Attackers may follow into a hex left by evasion, and one hex further if they pass no enemy ZOC; those that do
    fight no other combat (9.2.6)."""
    before = {unit: g.state.where[unit] for unit in battle.attackers}
    most = 1 if zone(g, 1 - battle.side)[hex] else FURTHEST
    yield from follow_up(g, battle, (hex,), most, "9.2.6", "9.2.6")
    for unit, start in before.items():
        if g.state.where[unit] != start:
            g.state.flags[unit] |= FOUGHT


def follow_up(g: G, battle: Battle, hexes: Sequence[int], most: int, rule: str, distance: str) -> Procedure:
    """The attacker advances unit by unit, or all that can at once, into vacant hexes (13.5.1, 13.5.2). Rommel may go
    where units of his hex have gone (15.5.3). `rule` and `distance` are the sections of the advance and of its length.
    """
    side, where = battle.side, g.state.where
    vacant = tuple([hex for hex in hexes if not held(g, 1 - side, hex)])
    if not vacant:
        return
    starts = {unit: where[unit] for unit in battle.attackers}
    advance = Advance(side, starts, vacant, most, distance, where[ROMMEL], set())

    def enter(g: G, units: Sequence[int], hex: int, goals: Goals) -> None:
        if side == AXIS and any(where[unit] == advance.camp for unit in units if unit != ROMMEL):
            advance.led.add(hex)
        for unit in units:
            g.log(rule, "{unit} advances to {hex}", unit=unit, hex=hex)
            arrive(g, side, [unit], hex, goals[unit][hex][:-1])
        garrison.release(g, units, hex)

    yield from mechanic.advance(
        g, side, battle.attackers, partial(goals_of, advance=advance), partial(shared, advance=advance), enter,
        Texts(f"Advance into {labels(vacant)}", rule, hex_rule=distance), partial(why_not, advance=advance),
    )  # fmt: skip


class Advance(NamedTuple):
    """An advance in progress: the hexes of the attackers, those left vacant, the greatest length and its section, and
    for Rommel his hex and those to which units of it have advanced."""

    side: int
    starts: Mapping[int, int]
    vacant: tuple[int, ...]
    most: int
    distance: str
    camp: int
    led: set[int]


def goals_of(g: G, waiting: Sequence[int], advance: Advance) -> Goals:
    """Return where the units that have not advanced can go, and Rommel with those of his hex that have (13.5, 15.5.3)."""
    able = [unit for unit in waiting if why_stays(g, unit, advance) is None]
    goals = {unit: found for unit in able if (found := reach(g, unit, advance.vacant, advance.most))}
    if why_rommel_stays(g, advance) is None:
        goals[ROMMEL] = {hex: (hex,) for hex in sorted(advance.led)}
    return goals


def why_stays(g: G, unit: int, advance: Advance) -> Refusal | None:
    """Return why a unit does not advance: it did not attack, is eliminated or artillery, in Deployed mode, or has
    advanced (10.2.2, 13.5, 13.5.2, 13.5.5)."""
    if unit not in advance.starts:
        return Refusal(f"{name(unit)} cannot advance: it did not attack in this combat", "13.5.2", name(unit))
    if not on_map(g, unit):
        return Refusal(f"{name(unit)} cannot advance: not on the map", "13.5.2", name(unit))
    if ARTILLERY[unit] and not SELF_PROPELLED[unit]:
        return Refusal(f"{name(unit)} cannot advance: artillery", "13.5.5", name(unit))
    if g.state.flags[unit] & DEPLOYED:
        return Refusal(f"{name(unit)} cannot advance: in Deployed mode", "13.5.5", name(unit))
    if g.state.where[unit] != advance.starts[unit]:
        return Refusal(f"{name(unit)} has already advanced", "13.5", name(unit))
    return None


def why_rommel_stays(g: G, advance: Advance) -> Refusal | None:
    """Return why Rommel does not advance: he follows units of his hex, once (15.5.3)."""
    if advance.led and g.state.where[ROMMEL] == advance.camp:
        return None
    return Refusal("Rommel cannot advance: he moves with units of his hex", "15.5.3", name(ROMMEL))


def reach(g: G, unit: int, vacant: Sequence[int], most: int) -> dict[int, Path]:
    """Return where an attacker can advance, with the path (13.5.3)."""
    return mechanic.goals(way(g, unit, vacant, most, "13.5.3"), ends(g, [unit]))


def way(g: G, unit: int, vacant: Sequence[int], most: int, distance: str) -> Way:
    """Return the way of an attacker: into an attacked hex that is vacant, and from it, if motorized and the table
    allows, to any adjacent hex without enemies, whatever ZOCs there are, supplied or not; not on the south edge while
    it is closed, and no further than an enemy strongpoint (13.5, 13.5.3, 13.5.4, 14.1.2, 18.2.5)."""
    side, here = SIDE[unit], g.state.where[unit]
    far = Limit(most, distance, f"{{cost}} hexes away, and an advance into {labels(vacant)} is at most {{left}} hexes")
    elsewhere = without(bytes([1]) * HEXES, vacant)
    text = f"an advance must first enter {labels(vacant)}"
    first = bar(APART, frozenset([here]), distance, text, into=elsewhere)
    hindrances: list[Hindrance] = [*edges(g, [unit]), far, first]
    if not MOTORIZED[unit]:
        text = "only motorized units advance beyond the attacked hex"
        hindrances.append(Bar(STOP, LAYOUT.mask(vacant), "13.5.3", text, lambda g, hex: [name(unit)]))
    elif works := forts(g, side):
        hindrances.append(bar(STOP, works, "14.1.2", "it stops in the strongpoint in {hex}"))
    hindrances.append(
        bar(CLOSED, occupied(g, 1 - side).difference(vacant), "13.5.3", "occupied by {cause}", OCCUPYING[1 - side])
    )
    ground = Ground(advance_network(crosses(g, unit), is_raining(g)), LAYOUT, BOARD.name)
    return Way(ground, (here,), tuple(hindrances))


def ends(g: G, units: Sequence[int]) -> tuple[End, ...]:
    """Units do not advance beyond the stacking limit (3.3.2, 13.5)."""
    return (End(partial(why_no_room, g, units), lambda: range(HEXES)),)


def why_no_room(g: G, units: Sequence[int], hex: int) -> Refusal | None:
    """Return why units cannot all be in a hex (3.3.2)."""
    if STACKS.size(units) <= room(g, SIDE[units[0]], hex):
        return None
    label, one = BOARD.name(hex), "" if len(units) == 1 else "; choose a unit"
    return Refusal(f"{stack_name(units)} cannot advance to {label}: over the stacking limit{one}", "3.3.2", label)


def why_not_there(g: G, unit: int, hex: int, advance: Advance) -> Refusal | None:
    """Return why an attacker cannot advance to a hex (13.5)."""
    if hex == g.state.where[unit]:
        return Refusal(f"{name(unit)} is already in {BOARD.name(hex)}", "13.5.3", BOARD.name(hex))
    path = way(g, unit, advance.vacant, advance.most, advance.distance)
    return mechanic.why_not(g, path, hex, name(unit), ends(g, [unit]), partial(why_no_path, g, [unit], path, hex))


def shared(g: G, goals: Goals, advance: Advance) -> list[int]:
    """Return the vacant hexes that all units still to advance could enter together (3.3.2, 13.5)."""
    troops = [unit for unit in goals if unit != ROMMEL]
    open_ = [hex for hex in advance.vacant if troops and all(hex in goals[unit] for unit in troops)]
    return [hex for hex in open_ if why_no_room(g, troops, hex) is None]


def why_not_all(g: G, units: Sequence[int], hex: int, advance: Advance) -> Refusal | None:
    """Return why units cannot advance to a hex together: it was attacked, and each of them must be able to enter it
    (13.5, 13.5.3)."""
    refusal = next(filter(None, (why_not_there(g, unit, hex, advance) for unit in units)), None)
    if refusal is None and hex not in advance.vacant:
        text = f"{BOARD.name(hex)} cannot take the whole stack: choose one unit"
        return Refusal(text, advance.distance, BOARD.name(hex))
    return refusal or why_no_room(g, units, hex)


def why_not(g: G, decision: Decision, click: int, advance: Advance) -> Refusal | None:
    """Return why a unit does not advance, or not to a hex (9.2.6, 13.5)."""
    if click >= g.rules.first_button:
        return None
    if g.is_unit(click):
        return why_not_unit(g, click, advance)
    hex, units = g.location(click), decision.about
    if hex >= HEXES:
        return Refusal(
            f"{BOARD.name(hex)} cannot be entered: units do not advance into a box", "13.5.3", BOARD.name(hex)
        )
    if units == (ROMMEL,):
        return why_rommel_stays(g, advance) if hex in advance.led else why_not_followed(hex)
    if decision.kind == "combat.advance":
        return why_not_all(g, units, hex, advance)
    return why_not_there(g, units[0], hex, advance)


def why_not_followed(hex: int) -> Refusal:
    """Return that Rommel may only follow units of his hex (15.5.3)."""
    return Refusal(f"Rommel cannot advance to {BOARD.name(hex)}: no unit of his hex has", "15.5.3", name(ROMMEL))


def why_not_unit(g: G, unit: int, advance: Advance) -> Refusal | None:
    """Return why a unit does not advance now (13.5)."""
    if unit == ROMMEL:
        return why_rommel_stays(g, advance)
    refusal = why_stays(g, unit, advance)
    if refusal is not None or reach(g, unit, advance.vacant, advance.most):
        return refusal
    return why_not_there(g, unit, advance.vacant[0], advance)
