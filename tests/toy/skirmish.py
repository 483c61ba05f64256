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
from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, pairwise
from typing import Any, ClassVar

from khamsin.kernel.board import NOWHERE, Board, HexsideKind, Terrain
from khamsin.kernel.display import Display, LayerOf, Objective, Sheet
from khamsin.kernel.flood import CLOSED, NEVER, STOP, Network
from khamsin.kernel.hexes import Scheme
from khamsin.kernel.pieces import Counter, State
from khamsin.kernel.registration import Scenario
from khamsin.kernel.rules import Decision, Game, Odds, Phase, Procedure, Refusal, Rules, Term
from khamsin.kernel.tables import Table
from khamsin.mechanics import combats, faults, showing, stacks, ways
from khamsin.mechanics.combats import Combat, Declaration
from khamsin.mechanics.odds import refused
from khamsin.mechanics.refusals import for_locations
from khamsin.mechanics.stacking import Stacking
from khamsin.mechanics.ways import Bar, Destinations, End, Ground, Layout, Limit, Way
from khamsin.mechanics.zones import Zones

RED, BLUE = 0, 1
STACK = 2
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
ZONES = Zones(BOARD.size, lambda g, side, hex, stack: AROUND[hex])
STACKING = Stacking([1] * len(COUNTERS), [STACK] * BOARD.size, "3", "units")
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

MOVED, FOUGHT, SHOWN = 1, 2, 4


class SkirmishState(State):
    """What changes: besides places, the strength of each unit."""

    COLUMNS = State.COLUMNS | {"strength": 0, "battle": 0}
    OWNERS = ("attacked",)
    AMOUNTS = ("targets",)
    RECORDS: ClassVar[dict[str, type[Any]]] = {"draft": Combat}
    strength: list[int]
    attacked: dict[int, int]


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
        able = ready.now(DONE)
        click = yield Decision(side, "move.stack", "Move a unit", "3", able, top=True, why_not=WHY_NOT_CHOSEN)
        if click == DONE:
            break
        units = yield from move(g, stacks.selected(g, click, able, partial(mates, g)))
        ready.update(units)
    g.clear_flags(OF_SIDE[side], MOVED)


def why_not_moving(g: G, side: int, unit: int) -> Refusal | None:
    """A unit on the map moves once (3)."""
    name = COUNTERS[unit].name
    if SIDE[unit] != side:
        return Refusal(f"{name} is not yours", "3", name)
    if g.state.where[unit] not in MAP:
        return Refusal(f"{name} cannot move: it is lost", "4", name)
    return Refusal(f"{name} has moved", "3", name) if g.state.flags[unit] & MOVED else None


WHY_NOT_CHOSEN = stacks.why_not_chosen(why_not_moving, "3")


def mates(g: G, units: Sequence[int]) -> list[int]:
    """The units that can go with a stack: of its hex, not yet moved (3)."""
    side = SIDE[units[0]]
    here = stacks.units_in(g, side, g.state.where[units[0]])
    return [unit for unit in here if unit not in units and why_not_moving(g, side, unit) is None]


def move(g: G, units: list[int]) -> Generator[Decision, int, list[int]]:
    """A stack moves or stays; return its units (3)."""
    units, click, decision = yield from stacks.select(g, units, partial(mates, g), partial(ask_where, g))
    for unit in units:
        if click != STAY:
            g.state.where[unit] = hex = g.location(click)
            g.log("3", "{unit} moves to {hex} for {cost}", unit=unit, hex=hex, cost=decision.reach.cost(hex))
        g.state.flags[unit] |= MOVED
    return units


def ask_where(g: G, units: list[int], others: Sequence[int]) -> Decision:
    """Where a stack goes, and who goes with it (3)."""
    reach = ways.reach(way(g, units))
    legal = Destinations(g.place0, reach, [end(g, units)], dict.fromkeys([STAY, CANCEL, *units, *others]))
    return Decision(
        SIDE[units[0]], "move.to", "Where to?", "3", legal, about=tuple(units), why_not=why_not_going, reach=reach
    )


def why_not_going(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a unit cannot go with a stack, or the stack not to a hex (3)."""
    units, name = decision.about, g.rules.names[click]
    if g.is_unit(click):
        refusal = why_not_moving(g, decision.side, click)
        if refusal or g.state.where[click] == g.state.where[units[0]]:
            return refusal
        return Refusal(f"{name} cannot go along: it is in another hex", "3", name)
    if click >= g.rules.first_button:
        return None
    hex, who = g.location(click), ", ".join(COUNTERS[unit].name for unit in units)
    if hex == g.state.where[units[0]] or hex not in MAP:
        return Refusal(f"{who} cannot move to {name}: it is {'there' if hex in MAP else 'a box'}", "3", name)
    return ways.why_not(g, way(g, units), hex, who, [end(g, units)])


def way(g: G, units: Sequence[int]) -> Way:
    """A stack moves at the speed of its slowest unit; enemies close their hex, and their zones of control stop it (3)."""
    side, points = SIDE[units[0]], min(MOVE[unit] for unit in units)
    limit = Limit(points, "3", "it costs {cost}, {left} left")
    return Way(GROUND, (g.state.where[units[0]],), (limit, *bars(g, 1 - side)))


@ZONES.kept
def bars(g: G, enemy: int) -> tuple[Bar, Bar]:
    """The enemy's zones of control and units (3)."""
    held = LAYOUT.mask(hex for hex in g.state.where.stacks(enemy) if hex in MAP)
    return (
        Bar(STOP, LAYOUT.spread(ZONES.of(g, enemy).hexes), "3", "{hex} is in the ZOC of {cause}", exerting),
        Bar(CLOSED, held, "3", "{cause} is in {hex}", lambda g, hex: [COUNTERS[u].name for u in g.units_in(hex)]),
    )


def exerting(g: G, hex: int) -> list[str]:
    """The units in whose zone of control a hex is (3)."""
    return [COUNTERS[unit].name for side in (RED, BLUE) for unit in ZONES.exerting(g, side, hex)]


def end(g: G, units: Sequence[int]) -> End:
    """No stack ends its move in a full hex (3)."""
    return STACKING.end(g, SIDE[units[0]], units, BOARD.name)


def combat(g: G, side: int) -> Procedure:
    """The combat phase of a side (4)."""
    while declared := (yield from combats.declare(g, DECLARATION, side)):
        assert declared.combat is not None
        combats.close(g, declared.combat)
        yield from attack(g, side, declared.combat.units, declared.combat.hexes[0])
    g.state.attacked.clear()
    g.clear_flags(OF_SIDE[side], FOUGHT)
    if side == BLUE:
        check_victory(g)


def contacts(g: G, side: int) -> Mapping[int, Sequence[int]]:
    """The enemy hexes next to units of a side (4)."""
    return combats.contacts(g.state.where.stacks(side), g.state.where.stacks(1 - side), AROUND)


def why_not_target(g: G, side: int, hex: int) -> Refusal | None:
    """A hex with enemies is attacked once (4)."""
    name = BOARD.name(hex)
    if hex in g.state.attacked:
        return Refusal(f"{name} has been attacked", "4", name)
    if hex not in MAP or hex not in g.state.where.stacks(1 - side):
        return Refusal(f"{name} cannot be attacked: no enemy is there", "4", name)
    return None


def why_not_attacker(g: G, unit: int, hexes: Sequence[int]) -> Refusal | None:
    """Each unit attacks once a turn, a hex next to it (4)."""
    name = COUNTERS[unit].name
    if g.state.flags[unit] & FOUGHT:
        return Refusal(f"{name} has fought", "4", name)
    far = [BOARD.name(hex) for hex in hexes if g.state.where[unit] not in AROUND[hex]]
    return Refusal(f"{name} cannot attack {far[0]}: it is not adjacent", "4", name) if far else None


DECLARATION = Declaration("4", contacts, why_not_target, why_not_attacker, buttons=("fire",), max_hexes=1)


def attack(g: G, side: int, attackers: Sequence[int], target: int) -> Procedure:
    """One attack: roll, then apply the result (4)."""
    defenders = g.units_in(target)
    g.state.attacked[target] = side
    for unit in attackers:
        g.state.flags[unit] |= FOUGHT
    show(g, [*attackers, *defenders])
    result = CRT.roll(g.dice, column(g, attackers, target), purpose=f"attack on {BOARD.name(target)}")
    g.log("4", "{hex}: {result}", hex=target, result=result)
    if result in ("DE", "EX"):
        lose(g, defenders)
    if result in ("AE", "EX"):
        lose(g, attackers)
    if result == "DR":
        yield from retreat(g, 1 - side, defenders)
    if result == "AR":
        yield from retreat(g, side, attackers)


def column(g: G, attackers: Sequence[int], target: int) -> int:
    """The column of an attack (4)."""
    strength = g.state.strength
    odds = CRT.odds(sum(strength[u] for u in attackers), sum(strength[u] for u in g.units_in(target)))
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
    holders = {SIDE[u] for u in g.units_in(VILLAGE)}
    if RED in holders:
        g.end(RED, "clear", "Red holds the village", "7")
    elif g.state.turn == TURNS:
        g.end(BLUE, "clear", "the village has held out", "7")


def conceal(state: SkirmishState, side: int) -> SkirmishState:
    """Red does not know the strength of militia that have not fought (6)."""
    if side == BLUE:
        return state
    seen = state.copy()
    for unit in MILITIA:
        if not state.flags[unit] & SHOWN:
            seen.strength[unit] = UNKNOWN
    return seen


def imagine(
    state: SkirmishState, side: int, chance: random.Random, kept: frozenset[int] = frozenset()
) -> SkirmishState:
    """Shuffle the strengths that a side does not know (6)."""
    if side == BLUE:
        return state
    other = state.copy()
    unknown = [unit for unit in MILITIA if not state.flags[unit] & SHOWN]
    values = [state.strength[unit] for unit in unknown]
    chance.shuffle(values)
    for unit, value in zip(unknown, values, strict=True):
        other.strength[unit] = value
    return other


def find_fault(g: G) -> str:
    """Positions that play cannot reach (3)."""
    return next(chain(faults.too_many(g, STACKING), faults.both_sides(g, "3"), faults.closed_ground(g, "3")), "")


def odds(g: G, viewer: int, attackers: list[int], targets: list[int]) -> Odds:
    """An attack before it is made, which a viewer judges by what he sees in the game he is shown (4)."""
    refusal = combats.why_not_attack(g, DECLARATION, SIDE[attackers[0]] if attackers else viewer, attackers, targets)
    if refusal is not None:
        return refused(refusal)
    strength, target = g.state.strength, targets[0]
    terms = [Term(COUNTERS[u].name, str(strength[u]), "4") for u in [*attackers, *g.units_in(target)]]
    at = column(g, attackers, target)
    return Odds(tuple(terms), CRT.head(at), {str(cell): chance for cell, chance in CRT.chances(at).items()})


def strengths(g: G, unit: int) -> str:
    """What is read off a counter: a strength that is not known is not shown (6)."""
    return f"{g.state.strength[unit] or '?'}-{MOVE[unit]}"


def holder(g: G, hex: int) -> int:
    """Who stands in a hex (7)."""
    return next((SIDE[unit] for unit in g.units_in(hex)), NOWHERE)


def objectives(g: G, viewer: int) -> Iterator[Objective]:
    """The village (7)."""
    yield Objective("the village", VILLAGE, holder(g, VILLAGE), "decides the game", "7")


def sheets(g: G, decision: Decision, click: int) -> Iterator[Sheet]:
    """The attack that is being declared, as a click would make it (4)."""
    if decision.kind in ("combat.target", "combat.attackers"):
        combat = showing.drafted(g, DECLARATION, decision, click)
        if combat is not None and combat.units:
            attackers, targets = list(combat.units), list(combat.hexes)
            title = f"Attack on {BOARD.name(targets[0])}"
            yield Sheet(title, combat.units, combat.hexes, odds(g, decision.side, attackers, targets))


DISPLAY: Display[SkirmishState] = Display(
    face=strengths,
    objectives=objectives,
    layers={
        "red zones": LayerOf("Red zones", "3", showing.zones(lambda g, side: ZONES.of(g, side).hexes, RED)),
        "village": LayerOf(
            "The village", "7", showing.objectives(objectives, lambda g, hex: f"{BOARD.name(hex)} is held")
        ),
    },
    points="MP",
    reach=lambda g, decision: showing.path_preview(g, decision),
    sheets=sheets,
)

PHASES = tuple(
    Phase(f"{name} {phase.__name__}", side, partial(phase, side=side), rule)
    for side, name in enumerate(("red", "blue"))
    for phase, rule in ((movement, "3"), (combat, "4"))
)

RULES: Rules[SkirmishState] = Rules(
    id="skirmish",
    title="Skirmish",
    sides=("Red", "Blue"),
    board=BOARD,
    counters=COUNTERS,
    buttons=("done", "stay", "fire", "cancel"),
    flags=("moved", "fought", "shown"),
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
    odds=odds,
    display=DISPLAY,
)
DONE, STAY, FIRE, CANCEL = (RULES.button(name) for name in RULES.buttons)
