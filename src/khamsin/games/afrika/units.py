"""The counters and the state of Afrika, with the functions of a unit that every chapter uses (1.2a, 1.3, 1.4, SCS 1.1,
SCS 1.2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from khamsin.kernel import data as files
from khamsin.kernel.board import Board
from khamsin.kernel.pieces import Counter, State, UnitLocations, VersionedDict
from khamsin.kernel.rules import Game
from khamsin.mechanics import stacks
from khamsin.mechanics.combats import Combat

DATA = Path(__file__).parent / "data"
BOARD = Board.load("afrika")
HEXES = BOARD.size

AXIS, ALLIED = 0, 1
SIDES = ("Axis", "Allied")
NATIONS = ({"DE", "IT"}, {"BR", "PL", "IN", "NZ", "AU", "SA", "FR", "GK"})
"""The nations of each side (1.2a)."""

GROUND: dict[str, Any] = files.read(DATA / "ground.toml")
COMBAT: dict[str, Any] = files.read(DATA / "combat.toml")
SCHEDULE: dict[str, Any] = files.read(DATA / "schedule.toml")
SUPPLY: dict[str, Any] = files.read(DATA / "supply.toml")
SCENARIOS: dict[str, Any] = files.read(DATA / "scenarios.toml")

MOST_AIR: int = max(
    *SCHEDULE["air"]["axis"], *SCHEDULE["air"]["allied"], *(n for row in SCENARIOS.values() for n in row.get("air", ()))
)
"""The most air points a side has on any turn."""
AIR_BUTTONS = tuple(f"air {number}" for number in range(MOST_AIR + 1))
BUTTONS = (
    "done",
    "default",
    "cancel",
    "formation",
    "landing",
    "spend",
    "close",
    "trucks",
    "ship",
    "raid",
    "port",
    *AIR_BUTTONS,
)
"""The buttons."""

FLAGS = ("oos", "moved", "zoned", "led", "moving", "finished", "fired", "unfed")
OOS, MOVED, ZONED, LED, MOVING, FINISHED, FIRED, UNFED = (1 << i for i in range(len(FLAGS)))
"""oos: out of supply (1.6d). moved: has moved in this game turn (1.16). zoned: began the phase in an enemy ZOC
(SCS 5.5, SCS 5.6). led: began it with Rommel (2.3). moving: belongs to the stack that moves now (SCS 3.1). finished: may not
move again in this phase (SCS 3.4, SCS 6.6). fired: has made its barrage (1.12a). unfed: is not to be supplied (1.6c).
"""
PHASE_FLAGS = ZONED | LED | MOVING | FINISHED | FIRED | UNFED

LEADER = "leader"
ARTILLERY_SYMBOL = "artillery"


def _counters() -> Iterator[Counter]:
    """Yield every counter, Axis first, Rommel last of his side (1.2a, 2.3)."""
    data = files.read(DATA / "counters.toml")
    for row in data["unit"]:
        side = next(side for side, nations in enumerate(NATIONS) if row["nation"] in nations)
        strength = "barrage" if row["symbol"] == ARTILLERY_SYMBOL else "attack"
        first, defence, allowance = row["full"]
        factors = {strength: first, "defence": defence, "ma": allowance, "exploit": int(row.get("exploit", False))}
        if "reduced" in row:
            factors |= {f"reduced {strength}": row["reduced"][0], "reduced defence": row["reduced"][1]}
        yield Counter(
            row["name"], side, row["nation"], row["symbol"], row["size"], row.get("division", ""), row["steps"], factors,
            row["from"],
        )  # fmt: skip
    for row in data["leader"]:
        yield Counter(row["name"], AXIS, row["nation"], LEADER, source=row["from"])


COUNTERS = files.counters("afrika", sorted(_counters(), key=lambda counter: (counter.side, counter.symbol == LEADER)))
UNITS = range(len(COUNTERS))
NUMBER = {counter.name: number for number, counter in enumerate(COUNTERS)}
SIDE = [counter.side for counter in COUNTERS]
STEPS = [counter.steps for counter in COUNTERS]
IS_LEADER = [counter.symbol == LEADER for counter in COUNTERS]
ITALIAN = [counter.nation == "IT" and not IS_LEADER[unit] for unit, counter in enumerate(COUNTERS)]
"""Italians, including Blackshirts (1.2a, 2.2)."""


def _factor(name: str) -> list[int]:
    return [counter.factors.get(name, 0) for counter in COUNTERS]


def _faces(name: str) -> list[tuple[int, int]]:
    """Return the full and the reduced value of every counter; one without a reduced side has the same twice (1.4)."""
    return [(c.factors.get(name, 0), c.factors.get(f"reduced {name}", c.factors.get(name, 0))) for c in COUNTERS]


ATTACK, DEFENCE, BARRAGE = _faces("attack"), _faces("defence"), _faces("barrage")
MA = _factor("ma")
HALVES = 2
"""Movement and stacking points are counted in halves."""
EXPLOITS = [bool(mark) for mark in _factor("exploit")]
"""Exploit-capable units (SCS 1.2)."""
ARTILLERY = [counter.symbol == ARTILLERY_SYMBOL for counter in COUNTERS]
DIVISIONAL = [counter.size == "division" for counter in COUNTERS]
STACKING = [0 if IS_LEADER[unit] else int(GROUND["stacking"][counter.size]) for unit, counter in enumerate(COUNTERS)]
"""Stacking points in halves, by the size of the counter (1.3)."""
MECH = [
    MA[unit] > GROUND["mech_class"]["above"] or counter.symbol in GROUND["mech_class"]["symbols"]
    for unit, counter in enumerate(COUNTERS)
]
"""Units that pay the mech costs; the others are leg (SCS 3.8)."""
ARMOUR = [counter.symbol in COMBAT["arms_symbols"]["armour"] for counter in COUNTERS]
ARMOUR_DEFENDING = [
    ARMOUR[unit] or counter.symbol in COMBAT["arms_symbols"]["defending"] for unit, counter in enumerate(COUNTERS)
]
INFANTRY = [counter.symbol in COMBAT["arms_symbols"]["infantry"] for counter in COUNTERS]
"""Units that count as armour and infantry for combined arms (1.16-2)."""
DIVISION = ["" if counter.parent in COMBAT["divisions"]["not"] else counter.parent for counter in COUNTERS]
"""The multi-unit division of each counter (1.17)."""
DIVISIONS = {
    division: tuple([unit for unit in UNITS if DIVISION[unit] == division]) for division in sorted({*DIVISION} - {""})
}
FORCES = tuple(tuple(u for u in UNITS if SIDE[u] == side and not IS_LEADER[u]) for side in (AXIS, ALLIED))
"""The combat units of each side."""

ROMMEL, HECKER, LRDG = NUMBER["Rommel"], NUMBER["KG Hecker"], NUMBER["LRDG Grp"]
IGNORE_ZONES = frozenset({HECKER, LRDG})
"""Units that pay nothing for enemy ZOCs (2.8, 3.4)."""
COUNTS = [
    0 if u in (ROMMEL, LRDG) else SUPPLY["cost"]["division"] if ITALIAN[u] and DIVISIONAL[u] else 1 for u in UNITS
]
"""The supply cost of a unit: an Italian division three, Rommel and the LRDG nothing (1.6c)."""
OTHERS = len(SIDES)
"""The side under which Rommel's location is indexed, so that stacks, ZOCs and stacking contain combat units only."""

DEAD = (BOARD["Axis Dead Pile"], BOARD["Allied Dead Pile"])
TRACK = BOARD["Turn Record Track"]
"""The boxes of units that wait for their turn."""
OUT = BOARD["Out of Play"]
"""The boxes of units that have left for good, or that only an exchange brings into play."""
TRIPOLI, JOINING = BOARD["Tripoli Box"], BOARD["Joining Box"]
BOXES = (TRIPOLI, JOINING)
"""The off-map boxes (1.13)."""
EDGE = BOARD.areas[BOARD.box["Joining Box"].data["edge"]].hexes
"""The hexes next to the Joining Box (1.13)."""
PORTS = {area.hexes[0]: area for area in BOARD.areas.values() if area.kind == "port"}
TOBRUK, BARDIA, MATRUH, ALEXANDRIA = (
    BOARD.areas[port].hexes[0] for port in ("Tobruk", "Bardia", "Mersa Matruh", "Alexandria")
)
CAIRO, ALAM_HALFA = BOARD.areas["Cairo"].hexes, BOARD.areas["Alam Halfa"].hexes
AROUND = [BOARD.around(hex) for hex in range(HEXES)]


class Attack(NamedTuple):
    """Units of a side that attack or overrun a hex, and the air points of both sides."""

    side: int
    units: tuple[int, ...]
    hex: int
    air: int = 0
    enemy_air: int = 0


class Fire(NamedTuple):
    """Artillery units and air points of a side that barrage the units in a hex, or its port."""

    side: int
    units: tuple[int, ...]
    hex: int
    air: int = 0
    port: int = 0


class AfrikaState(State):
    """The state of a match of Afrika. Movement points are counted in halves.

    spent: MPs used in this phase. origin: where a unit began the phase (SCS 6.2). battle: the number of the combat a
    unit attacks in, -1 once it has attacked (SCS 8.1). source: the dump that a unit is to draw from, plus 1; 0 if
    the plan decides (1.6c).
    """

    COLUMNS = State.COLUMNS | {"spent": 0, "origin": -1, "battle": 0, "source": 0}
    SCALARS = State.SCALARS | {
        "first": 1,
        "moves_first": 0,
        "campaign": 0,
        "landed": 0,
        "raided": 0,
        "rommel_returns": 0,
        "withdrawals": 0,
        "malta": 0,
    }
    RANGES = State.RANGES | {"moves_first": range(2), "campaign": range(2), "landed": range(2), "raided": range(2)}
    OWNERS = ("control", "box")
    AMOUNTS = ("targets", "attacked", "barraged", "axis_sp", "allied_sp", "closed", "capacity", "damage", "taken")
    TALLIES = ("air", "trucks", "shipping", "todo")
    RECORDS: ClassVar[dict[str, type[Any]]] = {"draft": Combat, "attack": Attack, "fire": Fire}
    VERSIONED = ("box",)

    spent: list[int]
    origin: list[int]
    battle: list[int]
    source: list[int]
    first: int
    """The first turn of the scenario; the set-up is the turn before it."""
    moves_first: int
    """The side that moves first (2.1)."""
    campaign: int
    """Whether the scenario is a campaign rather than a short one (4.0, 5.0)."""
    landed: int
    """Whether KG Hecker has made its landing (2.8)."""
    raided: int
    """Whether the raid on Rommel has been made (3.5)."""
    rommel_returns: int
    """The turn on which Rommel returns, 0 if he is not away (2.4, 3.5)."""
    withdrawals: int
    """Uses of the big withdrawal (3.3)."""
    malta: int
    """The air points assigned to Malta this turn (2.6)."""
    control: dict[int, int]
    """The side that controls each port and objective."""
    box: VersionedDict
    """Hex -> side of a box (1.16)."""
    targets: dict[int, int]
    """Attacked hex -> number of its combat, while it is declared and fought."""
    attacked: dict[int, int]
    """Hexes that have been attacked in this phase (SCS 8.1)."""
    barraged: dict[int, int]
    """The part of a hex barraged in this phase: 1 its units, 2 its port, 3 both (1.12b)."""
    axis_sp: dict[int, int]
    allied_sp: dict[int, int]
    """The supply points of each side in a hex or box (1.6a)."""
    closed: dict[int, int]
    """Dumps that their owner does not use in this Supply Phase (1.6c)."""
    capacity: dict[int, int]
    """The capacity of a port left this turn (1.9d)."""
    damage: dict[int, int]
    """The damage of a port on its owner's next turn (1.9f)."""
    taken: dict[int, int]
    """The turn on which a port was captured (1.9e)."""
    air: dict[str, int]
    """Air points left, by side (1.10)."""
    trucks: dict[str, int]
    """Truck points left, by side (1.7)."""
    shipping: dict[str, int]
    """Coastal shipping left, by side (1.9a)."""
    todo: dict[str, int]
    """The finished steps of the phase."""
    draft: Combat | None
    """The attack under declaration."""
    attack: Attack | None
    """The attack or overrun for which air points are committed (1.10c)."""
    fire: Fire | None
    """The barrage under declaration (1.12)."""


G = Game[AfrikaState]


def fill_printed(state: AfrikaState) -> None:
    """Complete a new state as printed; Rommel's location is indexed apart from those of combat units."""
    state.where = UnitLocations(state.where, [OTHERS if IS_LEADER[unit] else SIDE[unit] for unit in UNITS])


def face(g: G, unit: int) -> int:
    """Return which face of a unit shows: 0 the full one, 1 the reduced one, from the first step lost on (1.4)."""
    return int(g.state.steps[unit] < STEPS[unit])


def attack(g: G, unit: int) -> int:
    """Return the attack strength on the face that shows; artillery has none (1.4, SCS 8.3)."""
    return ATTACK[unit][face(g, unit)]


def defence(g: G, unit: int) -> int:
    """Return the defence strength on the face that shows (1.4); that of artillery is printed too (1.12d)."""
    return DEFENCE[unit][face(g, unit)]


def barrage(g: G, unit: int) -> int:
    """Return the barrage strength on the face that shows (1.4, 1.12)."""
    return BARRAGE[unit][face(g, unit)]


def out_of_supply(g: G, unit: int) -> bool:
    """Whether a unit was found out of supply in its last Supply Phase (1.6d, SCS 11.3)."""
    return bool(g.state.flags[unit] & OOS)


def on_map(g: G, unit: int) -> bool:
    """Whether a unit is in a hex."""
    return 0 <= g.state.where[unit] < HEXES


def forces_in(g: G, side: int, hex: int) -> tuple[int, ...]:
    """Return the combat units of a side in a location."""
    return g.state.where.stacks(side).get(hex, ())


def stock(g: G, side: int) -> dict[int, int]:
    """Return the supply points of a side, by location (1.6a)."""
    return g.state.axis_sp if side == AXIS else g.state.allied_sp


def name(unit: int) -> str:
    """Return the name on the counter."""
    return COUNTERS[unit].name


names = partial(stacks.names, COUNTERS)
"""Return units by name."""
