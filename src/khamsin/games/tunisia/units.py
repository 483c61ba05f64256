"""The counters and the state of Tunisia, with the functions of a unit that every chapter uses (1.8, OCS 1, OCS 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from string import Formatter
from typing import Any, ClassVar

from khamsin.kernel import data as files
from khamsin.kernel.board import Board
from khamsin.kernel.pieces import Counter, State, UnitFlags, UnitLocations, VersionedDict, VersionedList
from khamsin.kernel.rules import Game
from khamsin.mechanics import stacks
from khamsin.mechanics.combats import Combat

DATA = Path(__file__).parent / "data"
BOARD = Board.load("tunisia")
HEXES = BOARD.size

AXIS, ALLIED = 0, 1
SIDES = ("Axis", "Allied")
NATIONS = ({"DE", "IT"}, {"BR", "NZ", "IN", "US", "FR"})
"""The nations of each side (1.8). P.Afrcn is listed as German, since the Axis has it."""

GROUND: dict[str, Any] = files.read(DATA / "ground.toml")
COMBAT: dict[str, Any] = files.read(DATA / "combat.toml")
SUPPLY: dict[str, Any] = files.read(DATA / "supply.toml")
SCENARIOS: dict[str, Any] = files.read(DATA / "scenarios.toml")
TOKENS: int = SUPPLY["tokens"]  # OCS 1(1)
"""Tokens in a SP."""

BUTTONS = (
    "done", "default", "cancel", "formation", "combat", "move", "strat", "reserve", "release", "fuel", "load", "unload",
    "retreat", "loss", "pay", "decline", "blow", "port", "base", "interdict", "hip shoot", "rail", "sea", "rail supply",
    "sea supply", "token", "point", "all", "exit", "build", "build base", "build hedgehog", "repair port", "reduce base",
    "reduce hedgehog", "reduce port", "sweep", "transfer", "breakout", "airlift", "repair base", "delay",
    "drop", "embark", "extend", "stock", "collapse",
)  # fmt: skip
"""The buttons."""

FLAGS = (
    "move", "strat", "reserve", "exploit", "dg", "oos", "moving", "finished", "fuelled", "fuel", "released", "inactive",
    "fired", "changed", "extender", "hidden",
)  # fmt: skip
(
    MOVE,
    STRAT,
    RESERVE,
    EXPLOIT,
    DG,
    OOS,
    MOVING,
    FINISHED,
    FUELLED,
    FUEL,
    RELEASED,
    INACTIVE,
    FIRED,
    CHANGED,
    EXTENDER,
    HIDDEN,
) = (1 << i for i in range(len(FLAGS)))
"""move: the Move side is up. strat, reserve, exploit, dg: the other modes (OCS 5). oos: out of supply (OCS 11.3).
moving: belongs to the stack that moves now. finished: may not move again in this phase (OCS 6(5)). fuelled: has fuel
for this phase. fuel: until the next Clean Up (OCS 11.4). released: from Reserve in this phase (OCS 5(2)). inactive:
aircraft below its base (OCS 14.1). fired: has made its barrage (OCS 8(2)). changed: has changed its mode in this phase
(OCS 5(1)). extender: five truck points that extend trace (OCS 11.6). hidden: without a face in what the enemy may know
(OCS 3(4))."""
LATER = ("reacting", "exploiting")
"""The values of `todo` for the movement segments of the Reaction and Exploitation Phases."""
MODES = STRAT | RESERVE | EXPLOIT | DG
PHASE_FLAGS = MOVING | FINISHED | FUELLED | FIRED | CHANGED | RELEASED

LEG, TRUCK, TRACK = range(3)
MOBILITIES = ("leg", "truck", "track")
OTHER, MECH, ARMOR = range(3)
FILLS = {"plain": OTHER, "red": MECH, "yellow": ARMOR}  # OCS 1(9)
"""The combat class by the fill of the symbol."""
CLASS_COLUMN = {ARMOR: 0, MECH: 1, OTHER: 2}
"""The column of each class in the Terrain Effects Chart."""

HEADQUARTERS, TRUCKS, REPLACEMENTS = "headquarters", "lorry", "replacements"
AIR_SYMBOLS = ("fighter", "bomber", "heavy bomber", "air transport")


def _side(nation: str) -> int:
    return next(side for side, nations in enumerate(NATIONS) if nation in nations)


def _faces(row: dict[str, Any]) -> dict[str, int]:
    """Return the values of both sides of a ground unit."""
    found = {"fill": FILLS[row.get("fill", "plain")], "range": row.get("range", 0)}
    defends = row.get("defends", (False, False))
    for face, word in enumerate(("combat", "move")):
        strength, rating, allowance, mobility = row[word]
        found |= {
            word: strength, f"{word} ar": rating, f"{word} ma": allowance, f"{word} mobility": MOBILITIES.index(mobility),
            f"{word} defends": int(defends[face]),
        }  # fmt: skip
    return found


def _counters() -> Iterator[Counter]:
    """Yield every counter: ground units, headquarters, replacements, trucks, aircraft (Counter Manifest)."""
    data = files.read(DATA / "counters.toml")
    for row in data["unit"]:
        yield Counter(
            row["name"], _side(row["nation"]), row["nation"], row["symbol"], row["size"], row.get("division", ""), 1,
            _faces(row), row["from"],
        )  # fmt: skip
    for row in data["headquarters"]:
        (throw, short), (still, allowance) = row["throw"], row["ma"]
        factors = {"throw": throw, "move throw": short, "combat ma": still, "move ma": allowance, "combat mobility": TRUCK,
                   "move mobility": TRUCK}  # fmt: skip
        yield Counter(
            row["name"], _side(row["nation"]), row["nation"], HEADQUARTERS, "corps", "", 1, factors, row["from"]
        )
    repl = data["replacements"]
    for side, nation in enumerate(("DE", "BR")):
        for kind in ("pax", "eq"):
            strength, rating, allowance, mobility = repl[kind]
            factors = {"move": strength, "move ar": rating, "move ma": allowance,
                       "move mobility": MOBILITIES.index(mobility)}  # fmt: skip
            for number in range(1, repl["number"] + 1):
                yield Counter(
                    f"{SIDES[side]} {kind.capitalize()} {number}", side, nation, REPLACEMENTS, "company", kind, 1, factors,
                    repl["from"],
                )  # fmt: skip
    for row in data["organic_truck"]:
        for number in range(1, row["number"] + 1):
            yield Counter(
                f"Truck {number}/{row['division']}", _side(row["nation"]), row["nation"], TRUCKS, "", row["division"], 1,
                {"move ma": data["trucks"]["ma"], "move mobility": TRUCK}, row["from"],
            )  # fmt: skip
    trucks = data["trucks"]
    for side, nation in enumerate(("DE", "BR")):
        for kind, allowance, many in (("Truck", "ma", "point"), ("Charcoal", "charcoal_ma", "charcoal")):
            for count in range(1, trucks[many] + 1):
                yield Counter(
                    f"{SIDES[side]} {kind} {count}", side, nation, TRUCKS, "", "", 1,
                    {"move ma": trucks[allowance], "move mobility": TRUCK}, trucks["from"],
                )  # fmt: skip
    for row in data["aircraft"]:
        (rating, barrage), (less, weaker) = row["front"], row["reduced"]
        factors = {"air": rating, "barrage": barrage, "reduced air": less, "reduced barrage": weaker,
                   "defends": int(row.get("defends", False)), "range": row["range"], "load": row.get("load", 0)}  # fmt: skip
        for force, number in (("", row["number"]), ("DAF ", row.get("desert_air_force", 0))):
            for count in range(1, number + 1):
                yield Counter(
                    f"{force}{row['type']} {row['nation']} {count}", _side(row["nation"]), row["nation"], row["symbol"], "",
                    "DAF" if force else "", 2, factors, row["from"],
                )  # fmt: skip


COUNTERS = files.counters("tunisia", sorted(_counters(), key=lambda counter: counter.side))
UNITS = range(len(COUNTERS))
NUMBER = {counter.name: number for number, counter in enumerate(COUNTERS)}
SIDE = [counter.side for counter in COUNTERS]
STEPS = [counter.steps for counter in COUNTERS]
IS_AIR = [counter.symbol in AIR_SYMBOLS for counter in COUNTERS]
IS_TRUCK = [counter.symbol == TRUCKS for counter in COUNTERS]
IS_HQ = [counter.symbol == HEADQUARTERS for counter in COUNTERS]
IS_REPL = [counter.symbol == REPLACEMENTS for counter in COUNTERS]
ARTILLERY = [counter.symbol in COMBAT["symbols"]["artillery"] for counter in COUNTERS]
COMBATANT = [not IS_AIR[unit] and not IS_TRUCK[unit] for unit in UNITS]
"""Combat units: every ground unit with a combat strength, headquarters and artillery included (OCS 1(5))."""
ENGINEERS = [IS_HQ[unit] or counter.symbol in COMBAT["symbols"]["engineers"] for unit, counter in enumerate(COUNTERS)]
"""All headquarters and KG Witzig (1.6)."""
CLASS = [counter.factors.get("fill", OTHER) for counter in COUNTERS]
# OCS 1(10)
DIVISION = [counter.parent if COMBATANT[unit] and not IS_REPL[unit] else "" for unit, counter in enumerate(COUNTERS)]
"""The division of a combat unit; independent units have none."""
ORGANIC = [counter.parent if IS_TRUCK[unit] else "" for unit, counter in enumerate(COUNTERS)]
"""The division to which an organic truck belongs (OCS 11.6)."""
DIVISIONS = {
    division: tuple([unit for unit in UNITS if DIVISION[unit] == division]) for division in sorted({*DIVISION} - {""})
}
CHARCOAL = [
    IS_TRUCK[unit] and counter.factors["move ma"] <= SUPPLY["capture"]["slow_ma"]
    for unit, counter in enumerate(COUNTERS)
]
"""French charcoal trucks (1.10)."""

SCALE: int = GROUND["scale"]
"""Parts of a MP."""
QUARTERS = 4
_SIZES = {"battalion": 2, "group": 2, "company": 1}
RE = [0 if not COMBATANT[unit] else _SIZES.get(counter.size, QUARTERS) for unit, counter in enumerate(COUNTERS)]
"""Size in quarters of a RE: a battalion and KG Witzig a half, a replacement a quarter, others one (OCS 1(2))."""


def _by_face(name: str) -> list[tuple[int, int]]:
    """Return a value on the Combat side and on the Move side."""
    return [(c.factors.get(f"combat {name}", 0), c.factors.get(f"move {name}", 0)) for c in COUNTERS]


PRINTED = [(c.factors.get("combat", 0), c.factors.get("move", 0)) for c in COUNTERS]
RATING, MA, MOBILITY, DEFENDS_ONLY = (_by_face(name) for name in ("ar", "ma", "mobility", "defends"))
THROW = [(c.factors.get("throw", 0), c.factors.get("move throw", 0)) for c in COUNTERS]
RANGE = [counter.factors.get("range", 0) for counter in COUNTERS]
HEAVY_AT = [
    COMBATANT[unit] and (CLASS[unit] == ARMOR or counter.symbol in COMBAT["anti_tank"]["heavy_symbols"])
    for unit, counter in enumerate(COUNTERS)
]
LIGHT_AT = [CLASS[unit] == MECH and not HEAVY_AT[unit] for unit in UNITS]
"""Anti-tank levels by class and symbol (OCS 9(6))."""
_HQ_STRENGTH: list[int] = COMBAT["strength"]["headquarters"]
_GUN_STRENGTH: int = COMBAT["strength"]["artillery"]

FORCES = tuple(tuple([unit for unit in UNITS if SIDE[unit] == side and COMBATANT[unit]]) for side in range(len(SIDES)))
"""The combat units of each side."""
GROUND_UNITS = tuple(
    tuple([unit for unit in UNITS if SIDE[unit] == side and not IS_AIR[unit]]) for side in range(len(SIDES))
)
ATE = [f"{counter.name} ate" for counter in COUNTERS]
"""The event that a unit without trace ate in its last Supply Phase, or that a truck had no trace then (OCS 11.2(4),
OCS 11.3)."""
ALL_ATE = tuple(frozenset([ATE[unit] for unit in own]) for own in GROUND_UNITS)
BLOCK = tuple(slice(own[0], own[0] + len(own)) for own in GROUND_UNITS)
"""The slices of the ground units of each side in a column."""
BRIDGERS = tuple(tuple([unit for unit in FORCES[side] if ENGINEERS[unit]]) for side in range(len(SIDES)))
"""The engineers of each side (1.6)."""
HEADQUARTERS_OF = tuple(tuple([unit for unit in FORCES[side] if IS_HQ[unit]]) for side in range(len(SIDES)))
TRUCKS_OF = tuple(tuple([unit for unit in GROUND_UNITS[side] if IS_TRUCK[unit]]) for side in range(len(SIDES)))

TRANSPORT, AIRCRAFT = 2, 4
"""Locations of trucks and of aircraft are indexed apart from those of combat units: `stacks(TRANSPORT + side)`."""
DEAD = (BOARD["Axis Dead Pile"], BOARD["Allied Dead Pile"])
ARRIVING = (BOARD["Axis Order of Arrival"], BOARD["Allied Order of Arrival"])
AROUND = [BOARD.around(hex) for hex in range(HEXES)]


class TunisiaState(State):
    """The state of a match of Tunisia. Movement points are counted in twelfths, supply in tokens.

    spent: MPs used in this phase. origin: where a unit began the phase (OCS 7(1)). battle: the number of the combat a
    unit attacks in, -1 once it has attacked (OCS 9(1)). load: tokens on a truck. stock: 0 full, 1 Low, 2 Exhausted
    (OCS 11.5).
    """

    COLUMNS = State.COLUMNS | {"spent": 0, "origin": -1, "battle": 0, "load": 0, "stock": 0, "due": 0}
    SCALARS = State.SCALARS | {"first": 1, "moves_first": 0, "weather": 0, "initiative": 0}
    RANGES = State.RANGES | {"moves_first": range(2), "weather": range(3), "initiative": range(2)}
    OWNERS = ("control", "rail", "base", "fort")
    AMOUNTS = (
        "targets", "attacked", "barraged", "axis_t", "allied_t", "hedgehog", "level", "damage", "interdicted", "blown",
        "fresh", "handled", "built", "former", "unloaded", "overfull",
    )  # fmt: skip
    TALLIES = ("todo", "reserves", "lifted", "events", "muddy", "drop_hex", "drop_turn")
    RECORDS: ClassVar[dict[str, type[Any]]] = {"draft": Combat}
    VERSIONED = ("axis_t", "allied_t", "rail", "control", "damage", "base", "fort", "load")
    WATCHED = MOVE | MODES | OOS | EXTENDER | INACTIVE | HIDDEN
    INDEXED = MOVING

    flags: UnitFlags
    spent: list[int]
    origin: list[int]
    battle: list[int]
    load: VersionedList
    stock: list[int]
    due: list[int]
    """The turn on which a unit that broke out returns (OCS 11.3), or on which a unit on the map was dropped (OCS 14.8)."""
    first: int
    """The first turn of the scenario; the set-up is the turn before it."""
    moves_first: int
    """The side that moves first on the first turn (1.4b)."""
    weather: int
    """FLIGHT, NO_FLIGHT or MUD (1.2)."""
    initiative: int
    """The side that moves first this turn."""
    control: VersionedDict
    """Hex -> the side that controls it: ports and victory hexes (5.0)."""
    rail: VersionedDict
    """Hex -> the side that owns its railway (1.1a)."""
    base: VersionedDict
    """Location -> the side that holds its air base."""
    fort: VersionedDict
    """Hex -> the side that holds its hedgehog (OCS 9.3)."""
    targets: dict[int, int]
    """Attacked hex -> number of its combat, while it is declared and fought."""
    attacked: dict[int, int]
    """Hexes that have been attacked in this phase (OCS 9(1))."""
    barraged: dict[int, int]
    """Hexes that have been barraged in this phase (OCS 8(2))."""
    axis_t: VersionedDict
    allied_t: VersionedDict
    """The tokens of each side on the ground, by hex (OCS 11.1)."""
    hedgehog: dict[int, int]
    """Hex -> level of its hedgehog (OCS 16)."""
    level: dict[int, int]
    """Location -> level of its air base (OCS 14.1)."""
    damage: VersionedDict
    """Port hex -> hits (OCS 17.4)."""
    interdicted: dict[int, int]
    """Hex -> 1 + the side that interdicts it (OCS 14.7)."""
    blown: dict[int, int]
    """Dumps that have been blown in this phase (OCS 11.6)."""
    fresh: dict[int, int]
    """Tokens unloaded in a hex in this phase, which no truck loads again (OCS 11.1(4))."""
    handled: dict[int, int]
    """The load that a port has handled in this phase, in half tokens (OCS 13)."""
    overfull: dict[int, int]
    """Hexes with more than the stacking limit at the end of a Mud turn, with 1 + their side (OCS 3(2))."""
    unloaded: dict[int, int]
    """The load that transports have brought to a base in this segment, in half tokens (OCS 14.1)."""
    former: dict[int, int]
    """Location -> level of its air base before it was bombed (OCS 10(4))."""
    built: dict[int, int]
    """The jobs done in a hex this turn, as bits (OCS 10(3))."""
    lifted: dict[str, int]
    """Rail capacity and shipping used this turn, by side and kind, in half tokens (1.5, OCS 12)."""
    events: dict[str, int]
    """Events that happen once: the entry of the 8th Army. Also the units that ate, and the trucks without trace, in the
    last Supply Phase (OCS 11.3)."""
    drop_hex: dict[str, int]
    drop_turn: dict[str, int]
    """Planned airdrops by unit: the hex and the turn (OCS 14.8)."""
    muddy: dict[str, int]
    """The sides that have not moved since a Mud turn (OCS 3(2))."""
    todo: dict[str, int]
    """The finished steps of the phase."""
    reserves: dict[str, int]
    """Reserve markers of each side (1.4c, 1.4d)."""
    draft: Combat | None
    """The attack under declaration."""


G = Game[TunisiaState]
FLIGHT, NO_FLIGHT, MUD = range(3)


def fill_printed(state: TunisiaState) -> None:
    """Complete a new state as printed. Trucks and aircraft are not in stacks of combat units; replacements and trucks have no
    Combat side (OCS 1(5), OCS 10(5))."""
    owners = [SIDE[u] + (AIRCRAFT if IS_AIR[u] else TRANSPORT if IS_TRUCK[u] else 0) for u in UNITS]
    state.where = UnitLocations(state.where, owners)
    state.flags[:] = [MOVE if IS_REPL[unit] or IS_TRUCK[unit] else 0 for unit in UNITS]


def joint(flags: Iterable[int]) -> int:
    """Return the flags that at least one unit of a stack has.

    >>> joint([MOVE, MOVE | DG]) == MOVE | DG
    True
    """
    found = 0
    for one in flags:
        found |= one
    return found


def face(g: G, unit: int) -> int:
    """Return the side of a unit that is up: 0 Combat, 1 Move (OCS 5)."""
    return int(bool(g.state.flags[unit] & MOVE))


def printed_strength(g: G, unit: int) -> int:
    """Return the strength of the side that is up: printed, or the unprinted defence strength of artillery and
    headquarters (OCS 1(5))."""
    up = face(g, unit)
    if IS_HQ[unit]:
        return _HQ_STRENGTH[up]
    return _GUN_STRENGTH if ARTILLERY[unit] else PRINTED[unit][up]


def attack_capable(unit: int, flags: int) -> bool:
    """Whether a unit is attack-capable in a mode: a printed strength without parentheses on the side that is up, not in Strat
    or Reserve Mode (OCS 1(6)). Some 88 mm battalions attack in Move Mode alone (Designer's Notes)."""
    return (
        COMBATANT[unit]
        and not (IS_HQ[unit] or ARTILLERY[unit])
        and not DEFENDS_ONLY[unit][int(bool(flags & MOVE))]
        and not flags & (STRAT | RESERVE)
    )


def can_attack(g: G, unit: int) -> bool:
    """Whether a unit is attack-capable now (OCS 1(6))."""
    return attack_capable(unit, g.state.flags[unit])


def rating(g: G, unit: int) -> int:
    """Return the action rating: 0 in Strat Mode, one less disorganised (OCS 5, OCS 9(3))."""
    flags = g.state.flags[unit]
    if flags & STRAT:
        return 0
    return RATING[unit][face(g, unit)] - (COMBAT["mode"]["dg"]["ar"] if flags & DG else 0)


def mobility(g: G, unit: int) -> int:
    """Leg, truck or track, by the side that is up (OCS 1(8))."""
    return MOBILITY[unit][face(g, unit)]


def on_map(g: G, unit: int) -> bool:
    """Whether a unit is in a hex."""
    return 0 <= g.state.where[unit] < HEXES


def forces_in(g: G, side: int, hex: int) -> tuple[int, ...]:
    """Return the combat units of a side in a location."""
    return g.state.where.stacks(side).get(hex, ())


def trucks_in(g: G, side: int, hex: int) -> tuple[int, ...]:
    """Return the transport points of a side in a location."""
    return g.state.where.stacks(TRANSPORT + side).get(hex, ())


def aircraft_in(g: G, side: int, location: int) -> tuple[int, ...]:
    """Return the aircraft of a side at a base."""
    return g.state.where.stacks(AIRCRAFT + side).get(location, ())


def stock(g: G, side: int) -> VersionedDict:
    """Return the tokens of a side on the ground, by hex (OCS 11.1)."""
    return g.state.axis_t if side == AXIS else g.state.allied_t


def size(units: Iterable[int]) -> int:
    """Return the size of units in quarters of a RE (OCS 1(2))."""
    return sum([RE[unit] for unit in units])


def name(unit: int) -> str:
    """Return the name on the counter."""
    return COUNTERS[unit].name


names = partial(stacks.names, COUNTERS)
"""Return units by name."""


whom = partial(stacks.whom, COUNTERS)
"""Return a stack by the name of its first unit."""


def ends_move(g: G, side: int) -> str:
    """Return what a prompt adds if an air mission ends the move of the moving stack (OCS 6(5))."""
    moving = [unit for unit in g.state.flags.having(MOVING) if SIDE[unit] == side]
    return f"; this ends the move of {whom(moving)}" if moving else ""


def tell(g: G, side: int, rule: str, text: str, seen: str = "", **data: Any) -> None:
    """Log an event for the side that did it, and for the enemy what it can see of it, if anything (OCS 3(4))."""
    g.log(rule, text, to=side, **data)
    if seen:
        shown = _gaps(seen)
        g.log(rule, seen, to=1 - side, **{key: value for key, value in data.items() if key in shown})


@cache
def _gaps(text: str) -> frozenset[str]:
    """Return the names of the gaps in a text.

    >>> sorted(_gaps("{unit} moves to {hex}"))
    ['hex', 'unit']
    """
    return frozenset([gap for _, gap, _, _ in Formatter().parse(text) if gap])


def hex_of(g: G, click: int) -> int | None:
    """Return the hex that a click is on, or None."""
    return click - g.place0 if g.place0 <= click < g.place0 + HEXES else None


def tokens(amount: int) -> str:
    """Tokens as players write them.

    >>> tokens(9), tokens(8), tokens(3)
    ('2 SP 1T', '2 SP', '3T')
    """
    whole, rest = divmod(amount, TOKENS)
    return " ".join(part for part in (f"{whole} SP" if whole else "", f"{rest}T" if rest or not whole else "") if part)
