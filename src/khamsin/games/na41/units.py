"""The counters and the state of North Africa '41, with the functions of a unit that every chapter uses (2.3)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE, Board
from khamsin.kernel.pieces import Counter, State, UnitFlags, UnitLocations, VersionedDict
from khamsin.kernel.rules import Game, Refusal
from khamsin.mechanics import stacks
from khamsin.mechanics.combats import Combat

DATA = Path(__file__).parent / "data"
BOARD = Board.load("na41")
HEXES = BOARD.size

AXIS, ALLIED = 0, 1
SIDES = ("Axis", "Allied")

PIECES: dict[str, Any] = files.read(DATA / "counters.toml")
GROUND: dict[str, Any] = files.read(DATA / "ground.toml")
COMBAT_DATA: dict[str, Any] = files.read(DATA / "combat.toml")
SUPPLY: dict[str, Any] = files.read(DATA / "supply.toml")
SCHEDULE: dict[str, Any] = files.read(DATA / "schedule.toml")
SCENARIO_DATA: dict[str, Any] = files.read(DATA / "scenarios.toml")
NATIONS: dict[str, str] = files.read(DATA / "display.toml")["nations"]
"""The nations in words."""

BUTTONS = (
    "done", "default", "cancel", "formation", "load", "unload", "rail", "transfer", "full retreat", "fortify", "rommel",
    "spend", "no", "yes", "delay", "ready", "destroy", "none", "retreat", "reroll", "keep", "remnant", "eliminate", "comando",
    "disengage", "german air", "italian air", "allied air", "auto ds",
    "ship", "sail", "fly", "ports", "demolish", "repair", "dice 1", "dice 2", "dice 3", "dice 4", "axis strafing",
    "allied strafing", "air transport", "lrdg", "second convoy", "bomb", "truck", "headquarters", "u-boats", "malta",
)  # fmt: skip
"""The buttons."""

FLAGS = (
    "disrupted", "full_retreat", "oos", "isolated", "depleted", "msu", "transported", "replaced", "extended", "pledged",
    "retreated", "fought", "moving", "finished", "carried", "heavy", "led", "spared",
)  # fmt: skip
(
    DISRUPTED, FULL_RETREAT, OOS, ISOLATED, DEPLETED, MSU, TRANSPORTED, REPLACED, EXTENDED, PLEDGED, RETREATED, FOUGHT,
    MOVING, FINISHED, CARRIED, HEAVY, LED, SPARED,
) = (1 << i for i in range(len(FLAGS)))  # fmt: skip
"""disrupted, full_retreat: as 13.1. oos, isolated: the white and the red Out of Supply marker (16.1). depleted: an ASU
(17.1.4). msu: a truck with a Supply Point (17.2.4). transported: under a rail, air or naval marker (5.9.1, 18.7.6,
21.1.5). replaced: under a Replacement marker (19.5). extended: has used Extended Movement (5.3). pledged: gives Attack
Supply in this phase (8.5.1). retreated, fought: in this Combat Phase. moving: belongs to the stack that moves now.
finished: cannot move again in this phase (5.1). carried: rides on a truck or is the truck that carries (5.8.2). heavy:
a tank replacement on its heavy side (19.2.5). led: moves with Rommel (18.5). spared: is supplied by a port in this
Supply Phase (16.2)."""
MOVEMENT_FLAGS = MOVING | FINISHED | CARRIED | LED

TRUCK_SYMBOL, REPLACEMENT_SYMBOL = "lorry", "replacements"


def _combat_counters() -> Iterator[Counter]:
    """Yield the combat units, with what is printed on each face (2.3.2, 2.3.5)."""
    for row in PIECES["unit"]:
        kind = PIECES["class"][row["class"]]
        factors: dict[str, int] = {}
        for face, (attack, defence, allowance) in zip(("", "reduced ", "remnant "), kind["faces"], strict=False):
            factors |= {f"{face}attack": attack, f"{face}defence": defence, f"{face}ma": allowance}
        for face, rating in zip(("", "reduced ", "remnant "), kind.get("rating", ()), strict=False):
            factors[f"{face}rating"] = rating
        if "range" in kind:
            factors["range"] = kind["range"]
        yield Counter(
            row["name"], SIDES.index(row["side"]), row["nation"], row["symbol"], row["size"], row.get("formation", ""),
            len(kind["faces"]), factors, row["from"],
        )  # fmt: skip


def _other_counters() -> Iterator[Counter]:
    """Trucks and replacement units (5.8, 19.2)."""
    for row in PIECES["truck"]:
        word = f"{row['side']} Captured Truck" if row.get("captured") else f"{row['side']} Truck"
        for number in range(1, row["number"] + 1):
            factors = {"ma": row["ma"], "range": row["range"]}
            yield Counter(
                f"{word} {number}", SIDES.index(row["side"]), "", TRUCK_SYMBOL, factors=factors, source=row["from"]
            )
    for row in PIECES["replacement"]:
        for number in range(1, row["number"] + 1):
            label = f"{row['nation']} {row['kind'].capitalize()} Repl {number}"
            yield Counter(
                label, SIDES.index(row["side"]), row["nation"], REPLACEMENT_SYMBOL, parent=row["kind"],
                factors={"ma": row["ma"], "heavy ma": row.get("heavy_ma", row["ma"]), "mech": int("mechanized" in row)},
                source=row["from"],
            )  # fmt: skip


COUNTERS = files.counters("na41", sorted([*_combat_counters(), *_other_counters()], key=lambda counter: counter.side))
"""Every counter, Axis first."""
UNITS = range(len(COUNTERS))
NUMBER = {counter.name: number for number, counter in enumerate(COUNTERS)}
SIDE = [counter.side for counter in COUNTERS]
STEPS = [counter.steps for counter in COUNTERS]
NATION = [counter.nation for counter in COUNTERS]
SIZE = [counter.size for counter in COUNTERS]
FORMATION = [counter.parent if counter.symbol != REPLACEMENT_SYMBOL else "" for counter in COUNTERS]
"""The division of each counter; "" is a formation by itself (15.4)."""
BRITISH_ARMOURED = "British armoured"
"""The formation of all battalions that may belong to any British armoured division (15.4.3)."""

TRUCK = [counter.symbol == TRUCK_SYMBOL for counter in COUNTERS]
REPLACEMENT = [counter.symbol == REPLACEMENT_SYMBOL for counter in COUNTERS]
COMBAT = [not TRUCK[unit] and not REPLACEMENT[unit] for unit in UNITS]
"""Combat Units; the others are Non-Combat Units (2.3.1)."""
CAPTURED = [TRUCK[unit] and " Captured " in COUNTERS[unit].name for unit in UNITS]
"""The trucks that the Axis can capture (27.1)."""
_ROWS = {row["name"]: row for row in PIECES["unit"]}
_CLASSES = [PIECES["class"][_ROWS[c.name]["class"]] if COMBAT[u] else {} for u, c in enumerate(COUNTERS)]


def _kind(name: str) -> list[bool]:
    return [counter.symbol in PIECES["kinds"][name] for counter in COUNTERS]


TANK = [counter.symbol == "armour" for counter in COUNTERS]
FLAK = [counter.symbol == "88mm flak" for counter in COUNTERS]
RECON = [counter.symbol == "motorised reconnaissance" for counter in COUNTERS]
INFANTRY, VEHICLE, SILHOUETTED, ASU = _kind("infantry"), _kind("vehicle"), _kind("silhouetted"), _kind("asu")
VEHICLE = [VEHICLE[unit] or TRUCK[unit] for unit in UNITS]
"""The meaning of the symbols (2.3.3, 17.1.1)."""
HQ = [counter.symbol == "headquarters" for counter in COUNTERS]
"""Corps HQs (17.1)."""
SUPPORTS = [bool(kind.get("support")) for kind in _CLASSES]
"""ASUs with an S: they give Artillery Support and DD Support (17.1.1, 18.4)."""
BRACKETED = [bool(kind.get("bracketed")) for kind in _CLASSES]
"""Parenthesized Defense Strengths (8.6)."""
MATILDA = [bool(kind.get("matilda")) for kind in _CLASSES]
"""Tanks with a black bar (19.2.5)."""
QUALITY = [str(kind.get("quality", "normal")) for kind in _CLASSES]
"""Troop Quality: "elite", "normal" or "low" (2.3.2)."""
RANGE = [counter.factors.get("range", 0) for counter in COUNTERS]
"""The range of ASUs and of trucks as MSUs (17.2.4, 17.3)."""
FACES = ("", "reduced ", "remnant ")
FACE = [tuple([min(max(full - steps, 0), 2) for steps in range(max(STEPS) + 1)]) for full in STEPS]
"""The number of the face that shows, by unit and the steps it has left (2.3.5)."""


def _printed(factor: str) -> list[tuple[int, ...]]:
    """Return a factor on every face of each counter; a face without one has that of the full side."""
    return [tuple([c.factors.get(f"{face}{factor}", c.factors.get(factor, 0)) for face in FACES]) for c in COUNTERS]


ATTACK, DEFENCE, MA, RATING = _printed("attack"), _printed("defence"), _printed("ma"), _printed("rating")
_FOOT = [
    counter.symbol in PIECES["kinds"]["foot"] or (REPLACEMENT[unit] and not counter.factors["mech"])
    for unit, counter in enumerate(COUNTERS)
]
_REMNANT = PIECES["remnant"]
MECHANIZED = [
    (not _FOOT[unit], not _FOOT[unit], not _FOOT[unit] and not (STEPS[unit] == 3 and INFANTRY[unit])) for unit in UNITS
]
"""Whether a unit is Mechanized, by face; the remnant of a motorized brigade is on foot (2.3.3)."""
_PRINTED_STACKING = [int(kind.get("stacking", 0)) for kind in _CLASSES]
STACKING = [
    (s, s, _REMNANT["tank_stacking" if TANK[u] else "infantry_stacking"] if STEPS[u] == 3 else s)
    for u, s in enumerate(_PRINTED_STACKING)
]
"""The stacking value, by face (4.2)."""
FORCES = tuple(tuple(u for u in UNITS if SIDE[u] == side and COMBAT[u]) for side in (AXIS, ALLIED))
"""The combat units of each side."""
ASUS = tuple(tuple(unit for unit in forces if ASU[unit]) for forces in FORCES)
TRUCKS = tuple(tuple(u for u in UNITS if SIDE[u] == side and TRUCK[u]) for side in (AXIS, ALLIED))
REPLACEMENTS = tuple(tuple(u for u in UNITS if SIDE[u] == side and REPLACEMENT[u]) for side in (AXIS, ALLIED))
OWN = tuple(tuple(u for u in UNITS if SIDE[u] == side) for side in (AXIS, ALLIED))
"""Every piece of each side."""
BLOCK = tuple(slice(own[0], own[-1] + 1) for own in OWN)
"""The slices of the pieces of each side in a column."""
REPLACES = [counter.parent if REPLACEMENT[unit] else "" for unit, counter in enumerate(COUNTERS)]
"""The kind of a replacement unit: "tank" or "infantry" (19.2.3)."""
TOBRUK_ASU, DAK_HQ, CARPATHIAN = NUMBER["Tobruk ASU"], NUMBER["DAK HQ"], NUMBER[SCHEDULE["polish"]["unit"]]


def _pool(unit: int) -> str:
    """Return the remnant counters that a 3-step unit uses (10.4.1)."""
    if STEPS[unit] < 3:
        return ""
    if SIDE[unit] == AXIS:
        return "DE tank" if TANK[unit] else "Axis foot"
    return NATION[unit]


REMNANT_POOL = [_pool(unit) for unit in UNITS]
REMNANTS = {row["pool"]: int(row["number"]) for row in PIECES["remnants"]}
"""How many remnant counters each pool has."""

ITALY, TRIPOLI, DELTA = BOARD["Italy"], BOARD["Tripoli"], BOARD["Nile Delta"]
LANDING = BOARD["Tripoli landing"]
OFF_MAP = ((ITALY, TRIPOLI), (DELTA,))
"""The off-map boxes of each side (6.1.2)."""
EDGE_BOX = (TRIPOLI, DELTA)
"""The box of each side that touches the map (6.3.3)."""
BASE = (ITALY, DELTA)
"""Where reinforcements arrive (6.1.1, 6.1.3)."""
LOCATIONS = HEXES + 3
"""Hexes and off-map boxes, in which units move."""
ELIMINATED = (BOARD["Axis Eliminated"], BOARD["Allied Eliminated"])
SURRENDERED = (BOARD["Axis Surrender, left"], BOARD["Allied Surrender, left"])
SURRENDERED_BEFORE = (BOARD["Axis Surrender, right"], BOARD["Allied Surrender, right"])
"""The halves of the Surrender Boxes (12.5.2)."""
POOL = (BOARD["Axis Replacements and Supply Pool"], BOARD["Allied Replacements and Supply Pool"])
WITHDRAWN, RESERVE, TRACK = BOARD["Withdrawn Units"], BOARD["Reserve"], BOARD["Turn Track"]
"""Boxes of units that wait: withdrawn (20.3), in reserve (S2.2), or for their turn."""

PORTS = {area.hexes[0]: tuple(area.data["track"]) for area in BOARD.areas.values() if area.kind == "port"}
"""Hex -> the capacities of a port, undamaged first (21.3.2)."""
DAMAGEABLE = frozenset([a.hexes[0] for a in BOARD.areas.values() if a.kind == "port" and a.data["damageable"]])
AIRFIELDS = tuple([area.hexes[0] for area in BOARD.areas.values() if area.kind == "airfield"])
OASES = tuple([area.hexes[0] for area in BOARD.areas.values() if area.kind == "oasis"])
GROUNDWORKS = frozenset(BOARD.areas["Existing Groundworks"].hexes)
CITY = tuple([hex for hex in range(HEXES) if BOARD.terrain_name(hex) == "city"])
ALEXANDRIA, EL_AGHEILA, TOBRUK = BOARD["2478"], BOARD["1604"], BOARD["3138"]
KEPT = frozenset([*PORTS, *AIRFIELDS, *CITY])
"""Hexes that a side controls while vacant (16.3.5)."""
SECTION = {
    hex: number for number, area in enumerate(SUPPLY["attrition"]["sections"]) for hex in BOARD.areas[area].hexes
}
"""The map section of each hex, from west to east (25.1.1)."""
POLISH_GARRISON = frozenset(BOARD.areas["Polish garrison"].hexes)
"""The hexes of the Polish brigade at first (S1.2)."""
AROUND = [BOARD.around(hex) for hex in range(HEXES)]
QUARTERS = 4
"""Movement points are counted in quarters."""


class Na41State(State):
    """The state of a match of North Africa '41. Movement points are counted in quarters.

    spent: MPs used in this phase. hexes: hexes entered in this phase. desert: consecutive desert hexes entered last
    (5.5). road: the roads that a unit has followed in this phase, OFF_ROAD, ROAD or HIGHWAY (5.2.2). origin: where it
    began the phase. pair: the truck or passenger it moves with, plus 1 (5.8.2). returns: the turn on which a withdrawn
    unit returns (20.3), or for which an upgrade waits. battle: the number of the combat a unit attacks in. auto: the
    number of its Automatic DS (8.9).
    """

    COLUMNS = State.COLUMNS | {
        "spent": 0, "hexes": 0, "desert": 0, "road": 0, "origin": NOWHERE, "pair": 0, "returns": 0, "battle": 0, "auto": 0,
    }  # fmt: skip
    SCALARS = State.SCALARS | {
        "scenario": 0, "impulse": 0, "malta": 0, "vp": 0, "rommel": 1, "comando": 0, "moved_by_points": 0, "fought": 0,
        "railed": 0, "released": 0,
    }  # fmt: skip
    RANGES = State.RANGES | {"rommel": range(2), "comando": range(2), "moved_by_points": range(2), "fought": range(2)}
    OWNERS = ("control", "fort", "works", "delay", "strafed")
    AMOUNTS = (
        "targets", "attacked", "auto_hexes", "axis_sp", "allied_sp", "pledged", "damage", "number", "lrdg", "embarked",
        "debarked", "repaired", "demolished", "landed", "harbours",
    )  # fmt: skip
    TALLIES = ("rp", "assets", "todo")
    RECORDS: ClassVar[dict[str, type[Any]]] = {"draft": Combat}
    VERSIONED = ("control", "fort", "works", "delay", "strafed", "damage", "lrdg", "axis_sp", "allied_sp")
    WATCHED = FULL_RETREAT | DISRUPTED | MSU | TRANSPORTED
    INDEXED = MOVING | LED | FINISHED | CARRIED | EXTENDED | OOS | ISOLATED | REPLACED | FOUGHT | RETREATED | PLEDGED

    flags: UnitFlags
    spent: list[int]
    hexes: list[int]
    desert: list[int]
    road: list[int]
    origin: list[int]
    pair: list[int]
    returns: list[int]
    battle: list[int]
    auto: list[int]
    scenario: int
    """The number of the scenario, in the order of the data."""
    impulse: int
    """The present impulse, 1 to 3."""
    malta: int
    """The Malta Convoy Modifier, -3 to 3 (22.3.2)."""
    vp: int
    """Victory Points of the Axis (S2.3)."""
    rommel: int
    """Whether the Rommel marker is ready (18.5)."""
    comando: int
    """Whether Comando Supremo is in effect (8.4.1)."""
    moved_by_points: int
    """Whether a unit of the phasing player has used MPs or a Special Transfer in this player turn (17.4)."""
    fought: int
    """Whether the phasing player has attacked in this player turn (17.4)."""
    railed: int
    """How many units have moved by rail in this phase (5.9.1)."""
    released: int
    """One bit for each reserve that the Axis has released by entering a hex (S2.2)."""
    control: VersionedDict
    """The side that controls each port, airfield, city and victory hex (16.3.5)."""
    fort: VersionedDict
    """Hex -> side of a completed Fortification (9.5)."""
    works: VersionedDict
    """Hex -> side of a Fortification under construction (9.5.3)."""
    delay: VersionedDict
    """Hex -> side of a Delay marker (24.1)."""
    strafed: VersionedDict
    """Hex -> side of a Strafing marker (18.7.5)."""
    lrdg: VersionedDict
    """The hex of the LRDG marker -> 1 (18.8)."""
    number: dict[int, int]
    """The number on the Delay marker of a hex (24.3.2)."""
    damage: VersionedDict
    """Port -> boxes to the right of the undamaged one (21.3.2)."""
    embarked: dict[int, int]
    debarked: dict[int, int]
    """Shipping Points that have left and entered a port in this phase (21.3.2)."""
    repaired: dict[int, int]
    """Ports repaired since the last Movement Phase of their holder began (21.4.4)."""
    demolished: dict[int, int]
    """Ports whose demolition has been rolled for in this phase (21.4.2)."""
    harbours: dict[int, int]
    """The ports that the phasing player controlled at the start of the Movement Phase (21.1.4)."""
    landed: dict[int, int]
    """Location -> Supply Points under a rail or naval marker, which cannot be used yet (5.9.1, 21.1.5)."""
    targets: dict[int, int]
    attacked: dict[int, int]
    auto_hexes: dict[int, int]
    axis_sp: VersionedDict
    allied_sp: VersionedDict
    """The Supply Points of each side by location, without those on MSUs (17.2)."""
    pledged: dict[int, int]
    """Location -> Supply Points that give Attack Supply in this phase and are removed at its end (8.5.1)."""
    rp: dict[str, int]
    """Resource Points by side; "Axis loses" and "Allied loses" mark a point that is lost when received (21.4.3, 23.1)."""
    assets: dict[str, int]
    """Markers in hand, by name (23.2.3)."""
    todo: dict[str, int]
    """The finished steps of the phase."""
    draft: Combat | None
    """The attack under declaration."""


G = Game[Na41State]
NON_COMBAT = len(SIDES)
"""In the index of locations, trucks and replacements are separate sides: a side's number plus this."""


def fill_printed(state: Na41State) -> None:
    """Complete a new state as printed; the locations of combat units and of the others are indexed separately."""
    state.where = UnitLocations(
        state.where, [SIDE[unit] if COMBAT[unit] else NON_COMBAT + SIDE[unit] for unit in UNITS]
    )


def face(g: G, unit: int) -> int:
    """Return which face of a unit shows: 0 the full one, 1 the reduced one, 2 the remnant (2.3.5)."""
    return FACE[unit][g.state.steps[unit]]


def attack(g: G, unit: int) -> int:
    """Return the Attack Strength on the face that shows (2.3.2)."""
    return ATTACK[unit][FACE[unit][g.state.steps[unit]]]


def defence(g: G, unit: int) -> int:
    """Return the Defense Strength on the face that shows (2.3.2)."""
    return DEFENCE[unit][FACE[unit][g.state.steps[unit]]]


def rating(g: G, unit: int) -> int:
    """Return the Tank Rating on the face that shows (9.2.3)."""
    return RATING[unit][FACE[unit][g.state.steps[unit]]]


def allowance(g: G, unit: int) -> int:
    """Return the Movement Allowance in MPs on the face that shows (5.1)."""
    if REPLACEMENT[unit] and g.state.flags[unit] & HEAVY:
        return COUNTERS[unit].factors["heavy ma"]
    return MA[unit][FACE[unit][g.state.steps[unit]]]


def mechanized(g: G, unit: int) -> bool:
    """Whether a unit is Mechanized by itself (2.3.3)."""
    return MECHANIZED[unit][FACE[unit][g.state.steps[unit]]]


def stacking(g: G, unit: int) -> int:
    """Return the stacking value on the face that shows (4.2)."""
    return STACKING[unit][FACE[unit][g.state.steps[unit]]]


def good_order(g: G, unit: int) -> bool:
    """Whether a unit is neither Disrupted nor in Full Retreat (13.1.1)."""
    return not g.state.flags[unit] & (DISRUPTED | FULL_RETREAT)


def on_map(g: G, unit: int) -> bool:
    """Whether a unit is in a hex."""
    return 0 <= g.state.where[unit] < HEXES


def combat_units(g: G, side: int, location: int) -> tuple[int, ...]:
    """Return the combat units of a side in a location (2.3.1)."""
    return g.state.where.stacks(side).get(location, ())


def others(g: G, side: int, location: int) -> tuple[int, ...]:
    """Return the trucks and replacements of a side in a location."""
    return g.state.where.stacks(NON_COMBAT + side).get(location, ())


def pieces_in(g: G, side: int, location: int) -> tuple[int, ...]:
    """Return every piece of a side in a location."""
    stacks = g.state.where.stacks
    return stacks(side).get(location, ()) + stacks(NON_COMBAT + side).get(location, ())


def stock(g: G, side: int) -> VersionedDict:
    """Return the Supply Points of a side by location, without those on MSUs (17.2)."""
    return g.state.axis_sp if side == AXIS else g.state.allied_sp


def add_supply(g: G, side: int, location: int, number: int = 1) -> None:
    """Add Supply Points of a side to a location (17.2.1)."""
    points = stock(g, side)
    points[location] = points.get(location, 0) + number


def remove_supply(g: G, side: int, location: int, number: int = 1) -> None:
    """Remove Supply Points from a location; those under a transport marker are the last (5.9.1, 21.1.5)."""
    points, landed = stock(g, side), g.state.landed
    points[location] -= number
    if location in landed:
        landed[location] = min(landed[location], points[location])
        if landed[location] <= 0:
            del landed[location]
    if points[location] <= 0:
        del points[location]


def usable_supply(g: G, side: int, location: int) -> int:
    """Return the Supply Points of a side in a location that are not under a transport marker (5.9.1, 21.1.5)."""
    return stock(g, side).get(location, 0) - g.state.landed.get(location, 0)


def capacity(g: G, port: int) -> int:
    """Return the present capacity of a port (21.3.2)."""
    if port in PORTS:
        return int(PORTS[port][g.state.damage.get(port, 0)])
    return int(BOARD.box[BOARD.name(port)].data["capacity"])


def usable_capacity(g: G, port: int) -> int:
    """Return the capacity of a port without the box that a repair of this impulse has restored (21.4.4)."""
    if port not in g.state.repaired:
        return capacity(g, port)
    track = PORTS[port]
    return int(track[min(g.state.damage.get(port, 0) + 1, len(track) - 1)])


def why_held(g: G, unit: int) -> Refusal | None:
    """Return why a unit must stay in its hex: the Tobruk ASU never moves, the Polish brigade not from Alexandria before
    its turn (17.1.2, S1.2)."""
    if unit == TOBRUK_ASU:
        return Refusal(f"{name(unit)} cannot move", "17.1.2", name(unit))
    turn = SCHEDULE["polish"]["free_from"]
    if unit == CARPATHIAN and g.state.turn < turn and g.state.where[unit] in POLISH_GARRISON:
        return Refusal(f"{name(unit)} stays in Alexandria until turn {turn}", "S1.2", name(unit))
    return None


def holder(g: G, hex: int) -> int:
    """Return the side that controls a hex, NOWHERE if none does: with the option, a port needs a combat unit in or next
    to it (16.3.5, 27.4)."""
    side = g.state.control.get(hex, NOWHERE)
    if side == NOWHERE or hex not in PORTS or g.options.get("port-garrisons") != "on":
        return side
    return side if any(combat_units(g, side, near) for near in (hex, *AROUND[hex])) else NOWHERE


def held_by(g: G, side: int) -> list[int]:
    """Return the ports, airfields and cities that a side controls (16.3.5)."""
    owned = [hex for hex, owner in g.state.control.items() if owner == side and hex in KEPT]
    return [hex for hex in owned if holder(g, hex) == side] if g.options.get("port-garrisons") == "on" else owned


name = [counter.name for counter in COUNTERS].__getitem__
"""The name on the counter of a unit."""


names = partial(stacks.names, COUNTERS)
"""Return units by name."""


def hex_of(g: G, click: int) -> int | None:
    """Return the hex that a click is on, or None."""
    return click - g.place0 if g.place0 <= click < g.place0 + HEXES else None
