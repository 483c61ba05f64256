"""Skirmish: a tiny complete game that proves the kernel. Red attacks a village that Blue holds with units whose strength
Red learns only by fighting them.

1 Set-up. Red stands on the west edge, Blue in the east; in the mêlée they stand face to face. Blue's four militia draw
  their strengths (1 to 4) secretly.
2 Turn. Red moves, Red fights, Blue moves, Blue fights. Six turns.
3 Movement. Units of a hex move together or alone. Clear 2, rough 4, along the road 1. At most two units in a hex. Enemy
  zones of control stop a unit.
4 Combat. Each unit attacks once a turn, each hex is attacked once. Odds, one die; rough ground shifts one column left.
5 Retreat. The owner chooses a neighbouring hex, free of enemies and their zones, within stacking; with none the unit is lost.
6 Hidden strength. A militia's strength is shown when it fights, and stays shown.
7 Victory. Red wins by holding the village at the end of a turn, Blue by holding it after the sixth.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar

from khamsin.kernel.board import Board, HexsideKind, Terrain
from khamsin.kernel.display import Display, LayerOf, Objective
from khamsin.kernel.flood import CLOSED, NEVER, STOP, Network
from khamsin.kernel.hexes import Scheme
from khamsin.kernel.pieces import Counter, State
from khamsin.kernel.registration import Scenario
from khamsin.kernel.rules import Decision, Game, Odds, Procedure, Refusal, Rules, Term
from khamsin.kernel.tables import Table
from khamsin.mechanics import combats, destinations, faults, showing, stacks, ways
from khamsin.mechanics.combats import Combat, Declaration
from khamsin.mechanics.refusals import for_locations
from khamsin.mechanics.sequence import phases_of
from khamsin.mechanics.showing import Texts
from khamsin.mechanics.stacking import Stacking
from khamsin.mechanics.ways import Bar, Ground, Layout, Limit, Way
from khamsin.mechanics.zones import Zones

RED, BLUE = 0, 1
UNKNOWN = 0
TURNS = 6

MAP_ROWS = """
. . . . ^ . . . . .
. . ^ . ^ . . ^ . .
. . ^ . . . . ^ . .
. . . . . . . . . .
. . . ^ . . ^ . . .
. ^ . . . ~ ^ . . .
. . . . . ~ ~ . . .
"""
"""Seven rows from north to south: clear, ^ rough, ~ sea."""


def _board() -> Board:
    letters = {".": "clear", "^": "rough", "~": "sea"}
    rows = [line.split() for line in MAP_ROWS.strip().splitlines()][::-1]
    hexes = [
        (f"{r:02}{c:02}", letters[cell], frozenset[str]())
        for r, row in enumerate(rows, 1)
        for c, cell in enumerate(row, 1)
    ]
    road = [f"04{c:02}" for c in range(1, 11)]
    return Board(
        "skirmish",
        "Skirmish",
        Scheme("skirmish", True, r"(?P<lane>\d\d)(?P<step>\d\d)", "{lane:02}{step:02}", "0408"),
        [Terrain("clear", True), Terrain("rough", True), Terrain("sea", False)],
        [HexsideKind("road", True, 1)],
        hexes,
        [(a, b, "road", "", "track to the village", "reconstructed: made up") for a, b in pairwise(road)],
        [("the village", "0408", "village", 2, "reconstructed: made up")],
        boxes=[("lost", "lost", "reconstructed: made up", {})],
    )


BOARD = _board()
VILLAGE = BOARD["0408"]
LOST = BOARD["lost"]
ROAD = BOARD.bit("road")
MAP = range(BOARD.size)
AROUND = [BOARD.around(hex) for hex in MAP]
COST = {"clear": 2, "rough": 4, "sea": NEVER}


def step_cost(here: int, direction: int, there: int) -> int:
    """What a step costs (3)."""
    if BOARD.hexside_bits[here * 6 + direction] & ROAD:
        return 1
    return COST[BOARD.terrain_name(there)]


LAYOUT = Layout(MAP)
NET = Network.of(BOARD, step_cost)
GROUND = Ground(NET, LAYOUT, BOARD.name, lambda g, way, hex: (f"it is {BOARD.terrain_name(hex)}", "3"))

COUNTERS = (
    *(Counter(f"R{i}", RED, symbol="infantry", factors={"strength": 4, "move": 4}) for i in range(1, 5)),
    *(Counter(f"T{i}", RED, symbol="armour", factors={"strength": 6, "move": 8}) for i in range(1, 3)),
    *(Counter(f"M{i}", BLUE, symbol="infantry", factors={"strength": UNKNOWN, "move": 4}) for i in range(1, 5)),
    *(Counter(f"B{i}", BLUE, symbol="armour", factors={"strength": 4, "move": 6}) for i in range(1, 3)),
)
SIDE = [counter.side for counter in COUNTERS]
MOVE = [counter.factors["move"] for counter in COUNTERS]
OF_SIDE = tuple([unit for unit, whose in enumerate(SIDE) if whose == side] for side in (RED, BLUE))
whom = partial(stacks.whom, COUNTERS)
ZONES = Zones(BOARD.size, lambda g, side, hex, stack: AROUND[hex])
STACKING = Stacking([1] * len(COUNTERS), [2] * BOARD.size, "3", "units")
MILITIA = [unit for unit, counter in enumerate(COUNTERS) if counter.name.startswith("M")]
START = {
    "R1": "0401", "R2": "0501", "R3": "0301", "R4": "0601", "T1": "0402", "T2": "0302",
    "M1": "0408", "M2": "0507", "M3": "0306", "M4": "0606", "B1": "0408", "B2": "0509",
}  # fmt: skip
MELEE = {
    "R1": "0407", "R2": "0507", "R3": "0305", "R4": "0605", "T1": "0407", "T2": "0307",
    "M1": "0408", "M2": "0508", "M3": "0306", "M4": "0606", "B1": "0408", "B2": "0308",
}  # fmt: skip

CRT = Table.parse(
    "crt",
    {
        "rule": "4",
        "dice": "1d6",
        "columns": "odds",
        "heads": ["1-2", "1-1", "2-1", "3-1", "4-1"],
        "from": "reconstructed: made up",
        "rows": {
            "1": ["AE", "AR", "DR", "DR", "DE"],
            "2": ["AR", "AR", "DR", "DR", "DE"],
            "3": ["AR", "NE", "NE", "DR", "DR"],
            "4": ["AR", "NE", "EX", "DR", "DR"],
            "5": ["AE", "EX", "DR", "DE", "DE"],
            "6": ["NE", "DR", "DE", "DE", "DE"],
        },
    },
)

MOVED, SHOWN = 1, 2


class SkirmishState(State):
    """What changes: besides places, the strength of each unit."""

    COLUMNS = State.COLUMNS | {"strength": 0, "battle": 0}
    OWNERS = ("attacked",)
    AMOUNTS = ("targets",)
    RECORDS: ClassVar[dict[str, type[Any]]] = {"draft": Combat}
    strength: list[int]


G = Game[SkirmishState]


def set_up(g: G) -> None:
    """Pieces on the board, strengths drawn (1)."""
    state = g.state
    for unit, counter in enumerate(COUNTERS):
        state.where[unit] = BOARD[g.scenario.data["start"][counter.name]]
    cup = [1, 2, 3, 4]
    for unit in MILITIA:
        state.strength[unit] = cup.pop(g.dice.pick(len(cup), "militia", "1", to=BLUE))
        g.log("6", "{unit} has strength {strength}", to=BLUE, unit=unit, strength=state.strength[unit])


def printed(state: SkirmishState) -> None:
    """Strengths as printed; a militia's is not."""
    state.strength = [counter.factors["strength"] for counter in COUNTERS]


def movement(g: G, side: int) -> Procedure:
    """The movement phase of a side (3)."""
    ready = stacks.Ready(g, OF_SIDE[side], lambda unit: why_not_moving(g, side, unit) is None)
    while True:
        click, units = yield from stacks.choose(g, side, ready, "3", why_not=why_not_chosen)
        if click == DONE:
            break
        units = yield from move(g, units, ready.mates)
        ready.update(units)
    g.clear_flags(OF_SIDE[side], MOVED)


def why_not_moving(g: G, side: int, unit: int) -> Refusal | None:
    """A unit on the map moves once (3)."""
    name = COUNTERS[unit].name
    if g.state.where[unit] not in MAP:
        return Refusal(f"{name} cannot move: it is lost", "4", name)
    return Refusal(f"{name} has moved", "3", name) if g.state.flags[unit] & MOVED else None


why_not_chosen = stacks.why_not_chosen(why_not_moving, "3")


def move(g: G, units: list[int], mates: stacks.Mates) -> Generator[Decision, int, list[int]]:
    """A stack moves or stays; return its units (3)."""
    units, click, decision = yield from stacks.select(g, units, mates, partial(ask_where, g))
    for unit in units:
        if click != STAY:
            g.state.where[unit] = hex = g.location(click)
            g.log("3", "{unit} moves to {hex} for {cost}", unit=unit, hex=hex, cost=decision.reach.cost(hex))
        g.state.flags[unit] |= MOVED
    return units


def ask_where(g: G, units: list[int], others: Sequence[int]) -> Decision:
    """Where a stack goes, and who goes with it (3)."""
    side, reach = SIDE[units[0]], ways.reach(way(g, units))
    clicks = dict.fromkeys([STAY, CANCEL, *units, *others])
    legal = destinations.Destinations(g.place0, reach, [STACKING.end(g, side, units)], clicks)
    return Decision(side, "move.to", "Where to?", "3", legal, about=tuple(units), why_not=why_not_going, reach=reach)


def why_not_at(g: G, side: int, units: Sequence[int], hex: int) -> Refusal | None:
    """Why a stack cannot move to a hex (3)."""
    return ways.why_not(g, way(g, units), hex, whom(units), [STACKING.end(g, side, units)])


why_not_going = stacks.why_not_going("3", MAP, why_not_moving, why_not_at)


def way(g: G, units: Sequence[int]) -> Way:
    """A stack moves at the speed of its slowest unit; enemies close their hex, and their zones of control stop it (3)."""
    side, points = SIDE[units[0]], min(MOVE[unit] for unit in units)
    limit = Limit(points, "3", "it costs {cost}, {left} left")
    return Way(GROUND, (g.state.where[units[0]],), (limit, *bars(g, 1 - side)))


@ZONES.kept
def bars(g: G, enemy: int) -> tuple[Bar, Bar]:
    """The enemy's zones of control and units (3)."""
    zoned, held = LAYOUT.spread(ZONES.hexes(g, enemy)), LAYOUT.mask(stacks.occupied(g, enemy))
    return (
        Bar(STOP, zoned, "3", "{hex} is in the ZOC of {cause}", partial(ZONES.names, side=enemy)),
        Bar(CLOSED, held, "3", "{cause} is in {hex}", partial(stacks.names_in, side=enemy)),
    )


def combat(g: G, side: int) -> Procedure:
    """The combat phase of a side (4)."""
    yield from combats.in_turn(g, DECLARATION, side, attack)
    combats.forget(g)
    if side == BLUE:
        check_victory(g)


DECLARATION = Declaration(
    "4", combats.contacts_by(AROUND), combats.once("4"), combats.adjacent(AROUND, "4"), buttons=("fire",), max_hexes=1
)


def attack(g: G, combat: Combat) -> Procedure:
    """One attack: roll, then apply the result (4)."""
    attackers, target = combat.units, combat.hexes[0]
    defenders = g.units_in(target)
    show(g, [*attackers, *defenders])
    result = CRT.roll(g.dice, column(g, combat), purpose=f"attack on {BOARD.name(target)}")
    g.log("4", "{hex}: {result}", hex=target, result=result)
    if result in ("DE", "EX"):
        lose(g, defenders)
    if result in ("AE", "EX"):
        lose(g, attackers)
    if result == "DR":
        yield from retreat(g, 1 - combat.side, defenders)
    if result == "AR":
        yield from retreat(g, combat.side, attackers)


def column(g: G, combat: Combat) -> int:
    """The column of an attack (4)."""
    strength, target = g.state.strength, combat.hexes[0]
    odds = CRT.odds(sum(strength[u] for u in combat.units), sum(strength[u] for u in g.units_in(target)))
    return CRT.shift(odds, -1 if BOARD.terrain_name(target) == "rough" else 0)


def show(g: G, units: Sequence[int]) -> None:
    """Militia that fight show their strength (6)."""
    for unit in units:
        if unit in MILITIA and not g.state.flags[unit] & SHOWN:
            g.state.flags[unit] |= SHOWN
            g.reveal()
            g.log("6", "{unit} has strength {strength}", unit=unit, strength=g.state.strength[unit])


def lose(g: G, units: Sequence[int]) -> None:
    """Units out of the game (4)."""
    for unit in units:
        g.state.where[unit] = LOST
        g.log_loss("4", "{unit} is lost", unit=unit)


def retreat(g: G, owner: int, units: Sequence[int]) -> Procedure:
    """The owner retreats units one by one (5)."""
    for unit in units:
        refuges = [hex for hex in AROUND[g.state.where[unit]] if why_not_refuge(g, unit, hex) is None]
        if not refuges:
            lose(g, [unit])
            continue
        click = yield g.ask(
            owner, "combat.retreat", f"Where does {COUNTERS[unit].name} retreat?", "5", locations=refuges, about=[unit],
            why_not=for_locations(why_not_refuge, unit),
        )  # fmt: skip
        g.state.where[unit] = g.location(click)
        g.log("5", "{unit} retreats to {hex}", unit=unit, hex=g.location(click))


def why_not_refuge(g: G, unit: int, hex: int) -> Refusal | None:
    """A unit retreats to a hex beside it, free of enemies and their zones, with room (5)."""
    who, label, side = COUNTERS[unit].name, BOARD.name(hex), SIDE[unit]
    if hex not in AROUND[g.state.where[unit]]:
        return Refusal(f"{who} cannot retreat to {label}: it is not adjacent", "5", label)
    if not BOARD.enterable(hex):
        return Refusal(f"{who} cannot retreat to {label}: it is {BOARD.terrain_name(hex)}", "5", label)
    if hex in g.state.where.stacks(1 - side) or ZONES.of(g, 1 - side).hexes[hex]:
        return Refusal(f"{who} cannot retreat to {label}: it is in an enemy ZOC", "5", label)
    return STACKING.refusal(hex, label) if STACKING.room(g, side, hex) < 1 else None


def check_victory(g: G) -> None:
    """Who holds the village (7)."""
    if showing.occupier(g, VILLAGE) == RED:
        g.end(RED, "clear", "Red holds the village", "7")
    elif g.state.turn == TURNS:
        g.end(BLUE, "clear", "the village has held out", "7")


def unknown(state: SkirmishState, side: int) -> list[int]:
    """The units whose strength a side does not know: Red not that of militia that have not fought (6)."""
    return [unit for unit in MILITIA if side == RED and not state.flags[unit] & SHOWN]


def conceal(state: SkirmishState, side: int) -> SkirmishState:
    """The state without the strengths that a side does not know (6)."""
    seen = state.copy()
    for unit in unknown(state, side):
        seen.strength[unit] = UNKNOWN
    return seen


def imagine(
    state: SkirmishState, side: int, chance: random.Random, kept: frozenset[int] = frozenset()
) -> SkirmishState:
    """Shuffle the strengths that a side does not know (6)."""
    other, units = state.copy(), unknown(state, side)
    for unit, strength in zip(units, chance.sample([state.strength[u] for u in units], len(units)), strict=True):
        other.strength[unit] = strength
    return other


def find_fault(g: G) -> str:
    """Positions that play cannot reach (3)."""
    return faults.first(faults.too_many(g, STACKING), faults.both_sides(g, "3"), faults.closed_ground(g, "3"))


def preview(g: G, combat: Combat) -> Odds:
    """An attack before it is made, which a viewer judges by what he sees in the game he is shown (4)."""
    strength, at = g.state.strength, column(g, combat)
    terms = [Term(COUNTERS[u].name, str(strength[u]), "4") for u in [*combat.units, *g.units_in(combat.hexes[0])]]
    return Odds(tuple(terms), CRT.head(at), {str(cell): chance for cell, chance in CRT.chances(at).items()})


def strengths(g: G, unit: int) -> str:
    """What is read off a counter: a strength that is not known is not shown (6)."""
    return f"{g.state.strength[unit] or '?'}-{MOVE[unit]}"


def objectives(g: G, viewer: int) -> Iterator[Objective]:
    """The village (7)."""
    yield Objective("the village", VILLAGE, showing.occupier(g, VILLAGE), "decides the game", "7")


TEXTS = Texts({"sides": {"people": ("Red side", "Blue side")}}, BOARD, COUNTERS)
DISPLAY: Display[SkirmishState] = Display(
    face=strengths,
    objectives=objectives,
    layers={
        "red zones": LayerOf("Red zones", "3", showing.zones(ZONES.hexes, RED)),
        "village": LayerOf("The village", "7", showing.objectives(objectives, TEXTS.held_by(showing.occupier))),
    },
    points="MP",
    reach=showing.path_preview,
    sheets=lambda g, decision, click: showing.combat_sheets(TEXTS, g, DECLARATION, decision, click),
)

STEPS = (("movement", movement, "3"), ("combat", combat, "4"))
PHASES = (*phases_of(RED, "red", STEPS), *phases_of(BLUE, "blue", STEPS))

RULES: Rules[SkirmishState] = Rules(
    id="skirmish",
    title="Skirmish",
    sides=("Red", "Blue"),
    board=BOARD,
    counters=COUNTERS,
    buttons=("done", "stay", "fire", "cancel"),
    flags=("moved", "shown"),
    state=SkirmishState,
    scenarios={
        "village": Scenario(
            "village", "The village", "Six turns", options={"weather": ("dry", "wet")}, data={"start": START}
        ),
        "melee": Scenario("melee", "The mêlée", "Six turns, face to face", data={"start": MELEE}),
    },
    phases=lambda state: PHASES,
    set_up=set_up,
    tables={"crt": CRT},
    fill_printed=printed,
    conceal=conceal,
    imagine=imagine,
    find_fault=find_fault,
    odds=combats.previewed(DECLARATION, preview),
    display=DISPLAY,
)
DONE, STAY, FIRE, CANCEL = (RULES.button(name) for name in RULES.buttons)
