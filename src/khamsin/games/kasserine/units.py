"""The counters and the state of Decision at Kasserine (2.2), with the few functions of a unit that every chapter uses.

Units of a side are numbered in one run: its combat units, then Rommel, then its air units, then its Fire Support
markers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from khamsin.kernel import data as files
from khamsin.kernel.board import Board
from khamsin.kernel.pieces import Counter, State, UnitFlags, UnitLocations, VersionedDict
from khamsin.kernel.rules import Game
from khamsin.mechanics.combats import Combat
from khamsin.mechanics.retreat import Retreat
from khamsin.mechanics.stacks import whom

DATA = Path(__file__).parent / "data"
_PRINTED: dict[str, Any] = files.read(DATA / "counters.toml")
BOARD = Board.load("kasserine")  # 2.1
HEXES = BOARD.size
AROUND = tuple(BOARD.around(hex) for hex in range(HEXES))
"""The adjacent hexes of every hex."""

AXIS, ALLIED = 0, 1
SIDES = ("Axis", "Allied")
DRY, CLOUDY, RAIN = range(3)
WEATHER = ("Dry", "Cloudy", "Rain")

BUTTONS = (
    "done", "cancel", "change mode", "reserve", "ready", "option A", "option B", "all", "infiltrate", "stay", "attack",
    "assault", "mobile", "AT fire", "yes", "no", "hold", "remove", "formation",
)  # fmt: skip
"""The buttons."""

FLAGS = (
    "deployed", "reserve", "oos", "untried", "depleted", "building", "moved", "stopped", "entered", "fought", "reacted",
    "stood", "face down", "interdicting",
)  # fmt: skip
(
    DEPLOYED, RESERVE, OOS, UNTRIED, DEPLETED, BUILDING, MOVED, STOPPED, ENTERED, FOUGHT, REACTED, STOOD, FACE_DOWN,
    INTERDICTING,
) = (1 << i for i in range(len(FLAGS)))  # fmt: skip
"""deployed: a gun, anti-tank unit or XII ASC in Deployed mode (7.6). reserve: in Reserve (8.2). oos: found out of
supply in the Supply Status Phase (6.1). untried: not yet on its Tried side (4.2). depleted: an Axis HQ that gave
emergency supply (15.4.2). building: builds a strongpoint (14.3.5). moved, stopped: in this phase (7.1.3, 7.2.1).
entered: entered the map this turn and so has movement supply (5.2.3). fought: attacked or was attacked in this Combat
Phase (12.3.2). reacted: moved in this Reaction Phase (9.3). stood: failed to evade (9.2.4). face down: a Fire Support
marker whose strength is not shown (10.3.4). interdicting: an air unit on Interdiction (11.2.3)."""

BONUSES: int = sum(row["bonuses"] for row in _PRINTED["leader"])
"""How often Rommel may help an attack in a match (15.5.2)."""

FOOT, MOUNTAINEER, MOTOR, TRUCK, HEAVY, TIGER = range(6)
"""Movement classes (3.6, 7.3): non-motorized, mountain, red box, yellow circle, armour and artillery, and a Tiger after
the first rain (16.3.2)."""


class EmergencySupply(NamedTuple):
    """The Axis HQs that supply units in the combat in progress, a record of the state (15.4.1)."""

    units: tuple[int, ...]


class KasserineState(State):
    """The state of a match of Decision at Kasserine. Movement points are counted in halves.

    quality: for an Untried unit the number of the hidden strength it has drawn, from 1; 0 if not known (4.2). spent: MP
    used this phase. changed: how often it changed mode this Segment (7.6.2). battle: the number of the declared combat
    it attacks in, from 1 (9.1). release: for a garrison the turn of its release, 0 once it is free (18.2.3).
    """

    COLUMNS = State.COLUMNS | {"quality": 0, "spent": 0, "changed": 0, "battle": 0, "release": 0}
    SCALARS = State.SCALARS | {
        "first": 1, "weather": DRY, "rained": 0, "option": 0, "plan": 0, "decrypted": 0, "bonus": BONUSES, "bonus_turn": 0,
    }  # fmt: skip
    RANGES = State.RANGES | {
        "weather": range(3), "rained": range(2), "option": range(3), "plan": range(-1, 4), "decrypted": range(2),
    }  # fmt: skip
    OWNERS = ("control", "source", "strongpoint", "works")
    AMOUNTS = ("reinforced", "targets")
    TALLIES = ("tables", "todo")
    RECORDS: ClassVar[dict[str, type[Any]]] = {"draft": Combat, "retreat": Retreat, "emergency": EmergencySupply}
    VERSIONED = ("source", "strongpoint")
    WATCHED = RESERVE | INTERDICTING
    INDEXED = MOVED | STOPPED | REACTED | FOUGHT | STOOD | ENTERED | BUILDING

    flags: UnitFlags

    quality: list[int]
    spent: list[int]
    changed: list[int]
    battle: list[int]
    release: list[int]
    first: int
    """The first turn of the scenario; the set-up is the turn before it."""
    weather: int
    rained: int
    """Whether it has rained in this game (16.3.2)."""
    option: int
    """The Axis entry option: 1 for A, 2 for B, 0 where there is none (18.2.4)."""
    plan: int
    """The Victory Plan: 0 not drawn, 1 to 3 for A to C, SEALED for a side that may not read it (18.2.7)."""
    decrypted: int
    bonus: int
    bonus_turn: int
    """Uses left of Rommel's bonus, and the turn of the last one (15.5.2)."""
    control: dict[int, int]
    """The side to which each victory location and supply source is friendly (3.1.1)."""
    source: VersionedDict
    """Hex -> side of a working supply source: not one that was captured, or retaken since supply was judged (6.3.1)."""
    strongpoint: VersionedDict
    """Hex -> owner of an active strongpoint (14.3.2)."""
    works: dict[int, int]
    """Hex -> owner of a strongpoint under construction (14.3.2)."""
    reinforced: dict[int, int]
    """Hexes that a unit has joined in this Reaction Phase (9.3.4)."""
    targets: dict[int, int]
    """Attacked hex -> number of its combat, while combats are declared and fought (9.1.2)."""
    tables: dict[str, int]
    """Number of a combat -> ASSAULT, MOBILE or AT_FIRE (9.1.2, 16.1.5)."""
    todo: dict[str, int]
    """The finished steps of the phase."""
    retreat: Retreat | None
    """The retreats in progress (13.3)."""
    emergency: EmergencySupply | None
    draft: Combat | None
    """The combat under declaration (9.1.8)."""


G = Game[KasserineState]

SEALED = -1
"""A Victory Plan that was drawn, to a side that may not read it (18.2.7)."""
ASSAULT, MOBILE, AT_FIRE = range(3)


def _counters(data: dict[str, Any]) -> Iterator[Counter]:
    """Yield every counter: combat units, the leader, air units, and a Fire Support marker for each gun with a range
    (2.2)."""
    for row in data["unit"]:
        kind = data["class"][row["class"]]
        fire = kind.get("fire", {})
        strengths = {"attack": kind.get("attack", [0]), "defence": kind.get("defence", [0])}
        factors = {name: values[0] for name, values in strengths.items()}
        factors |= {f"reduced {name}": values[1] for name, values in strengths.items() if len(values) > 1}
        factors |= {name: kind[name] for name in ("ma", "stacking", "evasion") if name in kind}
        factors |= {name: int(value) for name, value in fire.items()}
        side = SIDES.index(row["side"])
        yield Counter(
            row["name"], side, row.get("nation") or kind["nation"], kind["symbol"], kind.get("size", ""),
            row.get("formation", ""), len(strengths["attack"]), factors, row["from"],
        )  # fmt: skip
        if "range" in fire:
            yield Counter(
                f"{row['name']} fire", side, row.get("nation") or kind["nation"], FIRE, "", row["name"], 1,
                {name: int(value) for name, value in fire.items()}, row["from"],
            )  # fmt: skip
    for row in data["leader"]:
        side = SIDES.index(row["side"])
        yield Counter(row["name"], side, row["nation"], LEADER, factors={"ma": row["ma"]}, source=row["from"])
    for row in data["air"]:
        factors = {"cas": row["cas"], "interdiction": int(row["interdiction"]), "clouds": int(row.get("clouds", False))}
        side = SIDES.index(row["side"])
        yield Counter(row["name"], side, row["nation"], AIR, factors=factors, source=row["from"])


LEADER, AIR, FIRE = "leader", "air unit", "fire support"
KINDS = {LEADER: 1, AIR: 2, FIRE: 3}
COUNTERS = files.counters("kasserine", sorted(_counters(_PRINTED), key=lambda c: (c.side, KINDS.get(c.symbol, 0))))
UNITS = range(len(COUNTERS))
NUMBER = {counter.name: number for number, counter in enumerate(COUNTERS)}
SIDE = [counter.side for counter in COUNTERS]
NATION = [counter.nation for counter in COUNTERS]
FORMATION = [counter.parent for counter in COUNTERS]
"""The formation by whose units a lost HQ returns; for a marker its gun (2.2.6, 15.3.2)."""
COMBAT = [counter.symbol not in KINDS for counter in COUNTERS]
"""Combat units; not Rommel, air units and markers (2.2.1)."""

_CLASS = {row["name"]: row["class"] for row in _PRINTED["unit"]}
CLASS = [_CLASS.get(counter.name, "") for counter in COUNTERS]


def _has(trait: str) -> list[bool]:
    """Return which units have a trait of their class (2.2.6)."""
    with_it = {name for name, row in _PRINTED["class"].items() if trait in row.get("traits", ())}
    return [name in with_it for name in CLASS]


def _factor(name: str) -> list[int]:
    return [counter.factors.get(name, 0) for counter in COUNTERS]


HALVES = 2
"""Movement points are counted in halves, as a road costs half a point (7.3.1)."""
ATTACK = [(0, c.factors.get("reduced attack", a), a) for c, a in zip(COUNTERS, _factor("attack"), strict=True)]
DEFENCE = [(0, c.factors.get("reduced defence", d), d) for c, d in zip(COUNTERS, _factor("defence"), strict=True)]
"""Strengths by steps left; units of one step have the same at 1 as at 2 (3.4.1)."""
MA = _factor("ma")
POINTS = [HALVES * ma for ma in MA]
"""The printed movement allowance, and the same in halves."""
STACKING = _factor("stacking")
EVASION = _factor("evasion")
RANGE, BARRAGE, FPF, CAS = (_factor(name) for name in ("range", "barrage", "fpf", "cas"))
"""Of a gun's Deployed side, and of an air unit (2.2.4, 2.2.7)."""
_MARK = {name: row["mark"] for name, row in _PRINTED["class"].items()} | {"": ""}
RED_BOX = [_MARK[name] == "red box" or counter.symbol == LEADER for name, counter in zip(CLASS, COUNTERS, strict=True)]
YELLOW_CIRCLE = [_MARK[name] == "yellow circle" for name in CLASS]
MOTORIZED = [red or yellow for red, yellow in zip(RED_BOX, YELLOW_CIRCLE, strict=True)]
"""3.6, 3.6.1, 3.6.2"""
ARMOURED, ARMOURED_CAR, ARMOURED_ARTILLERY = _has("armoured"), _has("armoured car"), _has("armoured artillery")
ANTI_TANK, SELF_PROPELLED = _has("anti-tank"), _has("self-propelled")
MOUNTAIN, NO_ZONE = _has("mountain"), _has("no zone")
WITHOUT_ZONE = frozenset([unit for unit in UNITS if NO_ZONE[unit]])
"""Mountain units (16.6); the No-ZOC band (3.2.4)."""
INFANTRY = [counter.symbol == "infantry" or counter.symbol.endswith(" infantry") for counter in COUNTERS]
"""Infantry of any kind by its symbol: it builds strongpoints, and Germans give the Combined Arms Bonus (14.3.4, 16.2.2)."""
IS_TIGER = _has("tiger")
ARTILLERY = [COMBAT[u] and RANGE[u] > 0 for u in UNITS]
"""Combat units with a range (2.2.4)."""
TWO_MODES = [ARTILLERY[u] or ANTI_TANK[u] or base for u, base in enumerate(_has("two modes"))]
"""Guns, anti-tank units and XII ASC, which are in March or Deployed mode (7.6, 16.7.1)."""
ARMOURED_UNITS, ARTILLERY_UNITS, COMBAT_UNITS, MOTORIZED_UNITS, TWO_MODE_UNITS = (
    frozenset([unit for unit in UNITS if column[unit]])
    for column in (ARMOURED, ARTILLERY, COMBAT, MOTORIZED, TWO_MODES)
)
"""The same as sets."""
HQ = [counter.symbol == "headquarters" for counter in COUNTERS]
IS_AIR = [counter.symbol == AIR for counter in COUNTERS]
IS_MARKER = [counter.symbol == FIRE for counter in COUNTERS]
INTERDICTS, UNDER_CLOUDS = ([bool(flag) for flag in _factor(name)] for name in ("interdiction", "clouds"))
GERMAN, ITALIAN, US, BRITISH, FRENCH = (
    [nation == code for nation in NATION] for code in ("DE", "IT", "US", "UK", "FR")
)  # 2.2.2

TRIED = {name: tuple((a, d) for a, d in row["tried"]) for name, row in _PRINTED["class"].items() if "tried" in row}
"""The hidden strengths of each kind of Untried unit: attack and defence, one entry per counter (4.2.2)."""
DRAWN_FROM = [TRIED.get(CLASS[u]) for u in UNITS]
"""The possible hidden strengths of each unit, or None."""
UNTRIED_UNITS = tuple(u for u in UNITS if CLASS[u] in TRIED)

GUN = {marker: NUMBER[COUNTERS[marker].parent] for marker in UNITS if IS_MARKER[marker]}
"""The gun of each Fire Support marker (10.1)."""
MARKER = {gun: marker for marker, gun in GUN.items()}
"""The Fire Support marker of each gun with a range."""

_BY_SIDE = (AXIS, ALLIED)
ALL = tuple(tuple(u for u in UNITS if SIDE[u] == side) for side in _BY_SIDE)
FORCES = tuple(tuple(u for u in ALL[side] if COMBAT[u]) for side in _BY_SIDE)
AIR_UNITS = tuple(tuple(u for u in ALL[side] if IS_AIR[u]) for side in _BY_SIDE)
MARKERS = tuple(tuple(u for u in ALL[side] if IS_MARKER[u]) for side in _BY_SIDE)
HQS = tuple(tuple(u for u in FORCES[side] if HQ[u]) for side in _BY_SIDE)
GUNS = tuple(tuple(u for u in FORCES[side] if ARTILLERY[u]) for side in _BY_SIDE)
"""The units of each side, by kind."""
SPAN, FORCE_SPAN, AIR_SPAN, MARKER_SPAN = (
    tuple(slice(units[0], units[-1] + 1) for units in kind) for kind in (ALL, FORCES, AIR_UNITS, MARKERS)
)
"""The slices of a side's units, and of those of each kind, in every column."""
OTHERS = len(SIDES)
"""The side under which pieces other than combat units are indexed, so that moving markers and air units does not
invalidate what depends on combat units."""
ROMMEL = NUMBER["Rommel"]
XII_ASC = NUMBER["XII ASC"]
VKOENEN = NUMBER["vKoenen"]

READY = (BOARD["Axis Ready Box"], BOARD["Allied Ready Box"])
USED = (BOARD["Axis Used Box"], BOARD["Allied Used Box"])
CARD = (BOARD["Axis set-up card"], BOARD["Allied set-up card"])
"""The boxes of units that may enter at the edge of the map (5.2.4)."""
OUT = (BOARD["Axis out of play"], BOARD["Allied out of play"])
TURN_BOX = {box.data["turn"]: box.location for box in BOARD.boxes if box.kind == "turn"}
"""The boxes in which units wait for their turn, and lost HQs for their return (4.1.6, 15.3.1)."""
HOLDING = {box.location: box for box in BOARD.boxes if box.kind == "holding box"}


def _movement_class(u: int) -> int:
    """Return the printed movement class of a unit (3.6.1-3, 7.3.5, 16.6, 16.7.1)."""
    if not MOTORIZED[u]:
        return MOUNTAINEER if MOUNTAIN[u] else FOOT
    if ARMOURED[u] or TWO_MODES[u]:
        return HEAVY
    return MOTOR if RED_BOX[u] else TRUCK


CROSSES = [_movement_class(u) for u in UNITS]


def crosses(g: G, unit: int) -> int:
    """Return the movement class of a unit now: a Tiger stays on roads once it has rained (16.3.2)."""
    return TIGER if IS_TIGER[unit] and g.state.rained else CROSSES[unit]


def attack(g: G, unit: int) -> int:
    """Return the present attack strength of a unit, before any halving; 0 for a hidden one that is not known (2.2.3,
    3.4.3)."""
    drawn = DRAWN_FROM[unit]
    if drawn is None:
        return ATTACK[unit][g.state.steps[unit]]
    quality = g.state.quality[unit]
    return drawn[quality - 1][0] if quality else 0


def defence(g: G, unit: int) -> int:
    """Return the present defence strength of a unit; 0 for a hidden one that is not known (2.2.3, 3.4.3)."""
    drawn = DRAWN_FROM[unit]
    if drawn is None:
        return DEFENCE[unit][g.state.steps[unit]]
    quality = g.state.quality[unit]
    return drawn[quality - 1][1] if quality else 0


def printed(state: KasserineState) -> None:
    """Fill a state as the counters are printed; locations are indexed by combat units of each side and other pieces."""
    state.where = UnitLocations(state.where, [SIDE[unit] if COMBAT[unit] else OTHERS for unit in UNITS])


def on_map(g: G, unit: int) -> bool:
    """Whether a unit is in a hex."""
    return 0 <= g.state.where[unit] < HEXES


def forces_in(g: G, side: int, location: int) -> list[int]:
    """Return the combat units of a side in a location."""
    return [*g.state.where.stacks(side).get(location, ())]


def stacks(g: G, side: int) -> dict[int, tuple[int, ...]]:
    """Return the combat units of a side by hex."""
    return {hex: units for hex, units in g.state.where.stacks(side).items() if hex < HEXES}


def held(g: G, side: int, hex: int) -> bool:
    """Whether a combat unit of a side is in a hex."""
    return hex in g.state.where.stacks(side)


def deployed(g: G, unit: int) -> bool:
    """Whether a unit is in Deployed mode (7.6)."""
    return bool(g.state.flags[unit] & DEPLOYED)


def name(unit: int) -> str:
    """Return the name on the counter."""
    return COUNTERS[unit].name


stack_name = partial(whom, COUNTERS)
"""Return a stack by the name of its first unit."""


def hex_of(g: G, click: int) -> int | None:
    """Return the hex that a click is on, or None."""
    return click - g.place0 if g.place0 <= click < g.place0 + HEXES else None


def listed(units: Iterable[int]) -> str:
    """Return units by name."""
    return ", ".join(map(name, units))


def labels(hexes: Iterable[int]) -> str:
    """Return hexes by name."""
    return ", ".join(map(BOARD.name, hexes))
