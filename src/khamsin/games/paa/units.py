"""The counters and the state of PanzerArmee Afrika (2.3), with the few functions of a unit that every chapter uses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from khamsin.kernel import data as files
from khamsin.kernel.board import NOWHERE, Board
from khamsin.kernel.pieces import Counter, State, VersionedDict
from khamsin.kernel.rules import Game, Refusal
from khamsin.mechanics import stacks
from khamsin.mechanics.combats import Combat

DATA = Path(__file__).parent / "data"
BOARD = Board.load("paa")
HEXES = BOARD.size

AXIS, ALLIED = 0, 1
SIDES = ("Axis", "Allied")
BUTTONS = (
    "done", "default", "cancel", "by sea", "unload", "attack", "destroy", "yes", "no",
    "dismount", "remount",
    *(f"option {letter}" for letter in "ABCDEFGHJKL"),
    "adjust",
)  # fmt: skip
"""The buttons."""

FLAGS = (
    "oos", "ooc", "dismounted", "moved", "stopped", "shipped", "reinforced", "sacrificed", "owes attack", "reacted",
)  # fmt: skip
OOS, OOC, DISMOUNTED, MOVED, STOPPED, SHIPPED, REINFORCED, SACRIFICED, OWES, REACTED = (
    1 << i for i in range(len(FLAGS))
)
"""oos: out of supply (8.4). ooc: out of command (10.3). moved: has acted this movement phase (for an installation: was
moved this turn, 8.5). stopped: may not move further (11.1.4). shipped: moved by sea (11.2). reinforced: arrived or was
reinforced this phase. sacrificed: an installation spent for maximum attack supply (12.3). owes attack: entered a fort's
zone by advance (11.1.5). reacted: has made its reaction move (15.1)."""

PHASE_FLAGS = MOVED | STOPPED | SHIPPED | REACTED
"""Flags cleared at the end of the player turn."""


def _counters() -> tuple[Counter, ...]:
    """Return every counter, Axis first, and within a side regular units, installations, lorries."""
    data = files.read(DATA / "counters.toml")
    classes = data["class"]
    counters = []
    for row in data["unit"]:
        kind = classes[row["class"]]
        factors = {"cf": row["cf"], "mf": kind["mf"], "plus": kind.get("plus", 0)}
        counters.append(
            Counter(
                row["name"], SIDES.index(row["side"]), row["nation"], kind["symbol"], row["size"], row.get("parent", ""),
                1, factors, row["from"],
            )
        )  # fmt: skip
    for row in data["logistics"]:
        for number in range(1, row["count"] + 1):
            counters.append(
                Counter(
                    f"{row['side']} {row['kind']} {number}", SIDES.index(row["side"]), "", row["kind"], "", "", 1,
                    {"cf": 0, "mf": row["mf"], "plus": 0}, row["from"],
                )
            )  # fmt: skip
    order = {"depot": 1, "lorry": 2}
    return tuple(sorted(counters, key=lambda c: (c.side, order.get(c.symbol, 0))))


COUNTERS = files.counters("paa", _counters())
NUMBER = {counter.name: number for number, counter in enumerate(COUNTERS)}
SIDE = [counter.side for counter in COUNTERS]
CF = [counter.factors["cf"] for counter in COUNTERS]
MF = [counter.factors["mf"] for counter in COUNTERS]
PLUS = [counter.factors["plus"] for counter in COUNTERS]
"""The most steps of reinforcement of each unit (13.4)."""
NATION = [counter.nation for counter in COUNTERS]
DEPOT = [counter.symbol == "depot" for counter in COUNTERS]
LORRY = [counter.symbol == "lorry" for counter in COUNTERS]
REGULAR = [not (DEPOT[u] or LORRY[u]) for u in range(len(COUNTERS))]
ARMOURED = [counter.symbol in ("armour", "mechanised infantry", "mechanised reconnaissance") for counter in COUNTERS]
GERMAN = [nation == "DE" for nation in NATION]
ITALIAN = [nation == "IT" for nation in NATION]

ALL = tuple(tuple(u for u in range(len(COUNTERS)) if SIDE[u] == side) for side in (AXIS, ALLIED))
REGULARS = tuple(tuple(u for u in ALL[side] if REGULAR[u]) for side in (AXIS, ALLIED))
DEPOTS = tuple(tuple(u for u in ALL[side] if DEPOT[u]) for side in (AXIS, ALLIED))
LORRIES = tuple(tuple(u for u in ALL[side] if LORRY[u]) for side in (AXIS, ALLIED))
"""The units of each side, by kind. Units of a side are numbered in one run, its regulars first."""

SPAN, REGULAR_SPAN, DEPOT_SPAN, LORRY_SPAN = (
    tuple(slice(units[0], units[-1] + 1) for units in kind) for kind in (ALL, REGULARS, DEPOTS, LORRIES)
)
"""The slices of a side's units, and of those of each kind, in every column."""

CADRE = (BOARD["Axis Cadre"], BOARD["Allied Cadre"])
POOL = (BOARD["Axis OOB"], BOARD["Allied OOB"])
WITHDRAWN = BOARD["Allied withdrawn"]
REMOVED = BOARD["Out of play"]
EL_AGHEILA, TOBRUK, BARDIA, ALEXANDRIA = (BOARD[name] for name in ("0702", "1925", "1730", "1351"))
BASE = (BOARD.areas["El Agheila base"].hexes, BOARD.areas["Alexandria base"].hexes)
CENTRE = (EL_AGHEILA, ALEXANDRIA)
LIBYA = frozenset(BOARD.areas["Libya"].hexes)


class PaaState(State):
    """The state of a match of PanzerArmee Afrika.

    plus: steps of reinforcement (13.4). spent: MF used this phase. via: the line by which a unit entered a hex whose
    lines do not join, from 1 (11.1.2). origin: the hex of a unit when the movement phase began (11.4), NOWHERE outside
    it. load: for a lorry the installation it carries, plus one. battle: for an attacking unit the number of the
    declared combat it fights in, from 1 (12.2). supply: for an attacking unit its supply, in halves of its CF: 1
    general, 2 attack, 4 maximum attack supply (12.3).
    """

    COLUMNS = State.COLUMNS | {"plus": 0, "spent": 0, "via": 0, "origin": NOWHERE, "load": 0, "battle": 0, "supply": 0}
    SCALARS = State.SCALARS | {
        "malta": 0, "italian_losses": 0, "tobruk_run": 0, "tobruk_axis": 0, "tobruk_allied": 0, "combat_step": 0, "begun": 0,
        "installations": 0,
    }  # fmt: skip
    RANGES = State.RANGES | {"malta": range(4), "combat_step": range(4), "begun": range(3)}
    OWNERS = ("control",)
    VERSIONED = ("control",)
    AMOUNTS = ("targets",)
    TALLIES = ("points", "taken", "port", "withdraw", "reinstate")
    RECORDS: ClassVar[dict[str, type[Any]]] = {"draft": Combat}

    plus: list[int]
    spent: list[int]
    via: list[int]
    origin: list[int]
    load: list[int]
    battle: list[int]
    supply: list[int]
    malta: int
    italian_losses: int
    tobruk_run: int
    tobruk_axis: int
    tobruk_allied: int
    """Player turns for which Tobruk has been held without a break, positive by the Allies, negative by the Axis; and
    the longest such run of each side (14.1)."""
    control: VersionedDict
    """The sides that control El Agheila, Tobruk, Bardia and Alexandria (5)."""
    points: dict[str, int]
    """Replacement points: "German infantry", "Allied armoured", ... (13.3)."""
    taken: dict[str, int]
    """Reinforcement options exercised: letter -> turn (13.5)."""
    port: dict[str, int]
    """Pieces shipped this phase: "Tobruk out", "Tobruk depots in", ... (11.2)."""
    combat_step: int
    """The step of the combat phase: declarations, supply, resolution; 0 outside it (12.2, 12.3, 12.4)."""
    targets: dict[int, int]
    """Attacked hex -> number of its combat, while combats are declared and fought (12.2)."""
    draft: Combat | None
    """The combat that is being declared (12.2)."""
    begun: int
    """1 once the movement or reinforcement phase has begun, 2 once arrivals were placed by default; 0 outside (11, 13).
    """
    installations: int
    """How many installations can still be placed in this reinforcement phase (13.2.1)."""
    withdraw: dict[str, int]
    reinstate: dict[str, int]
    """How many units of each kind are still to be withdrawn and reinstated in this phase: "infantry", "armoured" (13.2.3,
    13.2.4)."""


G = Game[PaaState]


def cf(g: G, unit: int) -> int:
    """Return the nominal combat factor, with its reinforcement (2.3.1)."""
    return CF[unit] + g.state.plus[unit]


def on_map(g: G, unit: int) -> bool:
    """Whether a unit is in a hex."""
    return 0 <= g.state.where[unit] < HEXES


def supplied(g: G, unit: int) -> bool:
    """Whether a unit was last judged in supply; a dismounted one never is (8.4, 13.6)."""
    return not g.state.flags[unit] & (OOS | DISMOUNTED)


def regulars_in(g: G, hex: int) -> list[int]:
    """Return the regular units in a hex."""
    return [u for u, w in enumerate(g.state.where) if w == hex and REGULAR[u]]


def name(unit: int) -> str:
    """Return the name on the counter."""
    return COUNTERS[unit].name


whom = partial(stacks.whom, COUNTERS)
"""Return a stack by the name of its first unit."""


def listed(units: Sequence[int], most: int = 3) -> str:
    """Return the names of the first units, and how many more there are."""
    more = f" and {len(units) - most} more" if len(units) > most else ""
    return ", ".join(name(unit) for unit in units[:most]) + more


def why_not_own(g: G, side: int, unit: int, rule: str) -> Refusal | None:
    """A side acts with its own pieces; an enemy unit on the map is named with all of its hex, combat units
    first."""
    if SIDE[unit] == side:
        return None
    if on_map(g, unit):
        return why_not_own_hex(g, side, g.state.where[unit], rule)
    return Refusal(f"{name(unit)} is an enemy unit", rule, name(unit))


def why_not_own_hex(g: G, side: int, hex: int, rule: str) -> Refusal | None:
    """A side acts in hexes with its pieces; the enemies in another are named, combat units first."""
    if g.state.where.stacks(side).get(hex):
        return None
    label, enemies = BOARD.name(hex), sorted(g.state.where.stacks(1 - side).get(hex, ()))
    if enemies:
        return Refusal(f"{label} is occupied by the enemy: {listed(enemies)}", rule, name(enemies[0]))
    return Refusal(f"None of your units is in {label}", rule, label)
