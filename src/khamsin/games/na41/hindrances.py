"""The hindrances of a moving stack besides its MPs: ZOCs, markers, enemy units and boxes (5.8, 6.3, 7.2, 13.3.2, 16.4,
24.2)."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.na41.ground import LAYOUT, MECH
from khamsin.games.na41.units import (
    AXIS,
    COMBAT,
    DISRUPTED,
    FULL_RETREAT,
    GROUND,
    HEXES,
    NON_COMBAT,
    OFF_MAP,
    OOS,
    QUARTERS,
    REPLACED,
    G,
    held_by,
    name,
    stock,
)
from khamsin.games.na41.zones import Front, front, overlapped_hexes, routed
from khamsin.kernel.cache import cached, until_change
from khamsin.kernel.flood import CLOSED
from khamsin.mechanics.bars import Bars
from khamsin.mechanics.ways import TOLL, Bar, Hindrance, Hold

BAR = Bars(LAYOUT)


def extra_costs(g: G, side: int, enemy: Front) -> tuple[Bar, ...]:
    """Return the costs of markers and of leaving enemy ZOCs, which count for MPs only (5.4, 7.2, 7.3, 24.2)."""
    return (*marker_bars(g, 1 - side), enemy.leaving_limited, enemy.leaving)


def hindrances(g: G, side: int, units: Sequence[int], kind: int, marks: int, enemy: Front) -> tuple[Hindrance, ...]:
    """Return the hindrances of a stack besides MPs and extra costs: enemy ZOCs and units, and locations it may not
    leave. `marks` are the flags of its units (5.1, 5.8.2, 6.3.4, 7.2)."""
    found: list[Hindrance] = [enemy.stop]
    if marks & FULL_RETREAT:
        found += routed_bars(g, side)
    if marks & OOS:
        found.append(overlapping_bar(g, side))
    if not COMBAT[units[0]] and True not in [COMBAT[unit] for unit in units]:
        found.append(guarded(g, side))
    found += enemy.closed, ENEMY_BOXES[side]
    state = g.state
    for unit in units:
        if state.origin[unit] >= HEXES or state.where[unit] >= HEXES or state.pair[unit]:
            return (*found, *left_boxes(g, units), *holds(g, units, kind))
    return tuple(found)


def marks_on(g: G, units: Sequence[int]) -> int:
    """Return the flags that any of these units has."""
    flags, marks = g.state.flags, 0
    for unit in units:
        marks |= flags[unit]
    return marks


@until_change
@cached(lambda g, owner: (owner, g.state.delay.version, g.state.strafed.version, g.state.lrdg.version))
def marker_bars(g: G, owner: int) -> list[Bar]:
    """Return the cost of entering hexes with Delay, Strafing and LRDG markers of the enemy, the owner (18.7.5, 18.8,
    24.2)."""
    found = []
    state, nowhere = g.state, LAYOUT.mask(())
    for hexes, word, rule in (
        ([hex for hex, side in state.delay.items() if side == owner], "delay", "24.2"),
        ([hex for hex, side in state.strafed.items() if side == owner], "strafing", "18.7.5"),
        (list(state.lrdg) if owner != AXIS else [], "lrdg", "18.8"),
    ):
        if hexes:
            text = f"with the {word} marker in {{hex}} it is too far"
            found.append(Bar(TOLL, nowhere, rule, text, into=LAYOUT.mask(hexes), toll=GROUND["markers"][word]))
    return found


@cached(lambda g, side: (side, g.state.delay.version, g.state.strafed.version, g.state.lrdg.version))
def road_marker_bars(g: G, side: int) -> list[Bar]:
    """Return the same cost in hexes of the Road Bonus, which the markers shorten (5.2.2, 18.7.5, 18.8, 24.2)."""
    return [
        Bar(TOLL, bar.nodes, bar.rule, bar.text, into=bar.into, toll=bar.toll // QUARTERS)
        for bar in marker_bars(g, 1 - side)
    ]


def overlapping_bar(g: G, side: int) -> Bar:
    """Overlapping enemy ZOCs, which units out of supply may not enter; a friendly combat unit cancels them in its hex (7.4,
    16.4)."""
    hexes = overlapped_hexes(g, 1 - side)
    text = "{hex} is in overlapping ZOCs, and it is out of supply"
    return BAR(CLOSED, hexes, "16.4", text, but=hexes.intersection(g.state.where.stacks(side)))


def routed_bars(g: G, side: int) -> list[Bar]:
    """Where units in Full Retreat may not go: into enemy ZOCs without other friendly units, enemy controlled places, and
    hexes with enemy pieces (13.3.2)."""
    zoned = front(g, 1 - side).zoned_hexes
    steady = zoned.intersection(g.state.where.stacks(side)) - routed(g, side)
    return [
        BAR(CLOSED, zoned, "13.3.2", "units in Full Retreat may not enter the enemy ZOC in {hex}", but=steady),
        controlled(g, side),
    ]


@cached(
    lambda g, side: (
        side, g.state.where.versions[1 - side], g.state.where.versions[NON_COMBAT + 1 - side], stock(g, 1 - side).version,
        g.state.control.version, g.state.fort.version,
    )
)  # fmt: skip
def controlled(g: G, side: int) -> Bar:
    """What the enemy controls, where units in Full Retreat may not go: places, Fortifications, and hexes with his pieces
    (13.3.2)."""
    enemy = 1 - side
    forts = [hex for hex, owner in g.state.fort.items() if owner == enemy]
    hexes = [*held_by(g, enemy), *forts, *g.state.where.stacks(NON_COMBAT + enemy), *stock(g, enemy)]
    return BAR(
        CLOSED, frozenset([hex for hex in hexes if hex < HEXES]), "13.3.2",
        "units in Full Retreat may not enter {hex}, which the enemy controls",
    )  # fmt: skip


@cached(lambda g, side: (side, g.state.where.versions[NON_COMBAT + 1 - side], stock(g, 1 - side).version))
def guarded(g: G, side: int) -> Bar:
    """Return hexes with enemy Non-Combat Units, which trucks and replacements alone may not enter (5.8.3)."""
    enemy = 1 - side
    hexes = [*g.state.where.stacks(NON_COMBAT + enemy), *stock(g, enemy)]
    return BAR(
        CLOSED, frozenset([hex for hex in hexes if hex < HEXES]), "5.8.3",
        "without a combat unit it may not enter {hex}, where enemy Non-Combat Units are",
    )  # fmt: skip


ENEMY_BOXES = tuple([BAR(CLOSED, frozenset(boxes), "6.1.2", "{hex} is a box of the enemy") for boxes in OFF_MAP[::-1]])
"""By side: the enemy's boxes are closed (6.1.2)."""


def left_boxes(g: G, units: Sequence[int]) -> list[Bar]:
    """The box that a unit has left in this phase, or is about to leave, is closed (6.3.3)."""
    state = g.state
    own: list[int] = []
    for unit in units:
        if state.origin[unit] >= HEXES and state.hexes[unit]:
            own.append(state.origin[unit])
    if state.where[units[0]] >= HEXES:
        own.append(state.where[units[0]])
    return [BAR(CLOSED, frozenset(own), "6.3.3", "it has left {hex} in this phase")] if own else []


def holds(g: G, units: Sequence[int], kind: int) -> list[Hold]:
    """Return why a stack may not leave its location: a truck without its passenger, or units that cannot leave a box
    (5.8.2, 6.3.1, 6.3.4)."""
    found, state = [], g.state
    for unit in units:
        other = state.pair[unit] - 1
        if other >= 0 and other not in units:
            found.append(Hold("5.8.2", f"{name(unit)} must stay with {name(other)} in this phase", name(other)))
    if state.where[units[0]] < HEXES:
        return found
    if kind != MECH:
        found.append(Hold("6.3.4", "on foot it leaves a box by truck, rail, sea or air only", name(units[0])))
    for unit in units:
        if state.hexes[unit]:
            found.append(Hold("6.3.1", f"{name(unit)} has entered the box in this phase", name(unit)))
        if state.flags[unit] & (DISRUPTED | FULL_RETREAT):
            found.append(Hold("6.3.4", f"{name(unit)} is not in Good Order", name(unit)))
        if state.flags[unit] & REPLACED:
            found.append(Hold("19.5", f"{name(unit)} has received a Replacement", name(unit)))
    return found
