"""Skirmish: a tiny complete game that proves the kernel. Red attacks a village that Blue holds with units whose strength
Red learns only by fighting them.

1 Set-up. Red stands on the west edge, Blue in the east; in the mêlée they stand face to face. Blue's four militia draw
  their strengths (1 to 4) secretly.
2 Turn. Red moves, Red fights, Blue moves, Blue fights. Six turns.
3 Movement. Clear 2, rough 4, along the road 1. At most two units in a hex. Enemy zones of control stop a unit.
4 Combat. Each unit attacks once a turn, each hex is attacked once. Odds, one die; rough ground shifts one column left.
5 Retreat. The owner chooses a neighbouring hex, free of enemies and their zones, within stacking; with none the unit is lost.
6 Hidden strength. A militia's strength is shown when it fights, and stays shown.
7 Victory. Red wins by holding the village at the end of a turn, Blue by holding it after the sixth.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from khamsin.kernel.board import NOWHERE, Board, HexsideKind, Terrain
from khamsin.kernel.display import Display, LayerOf, Objective, Sheet
from khamsin.kernel.flood import CLOSED, NEVER, STOP, Network
from khamsin.kernel.hexes import Scheme
from khamsin.kernel.pieces import Counter, State
from khamsin.kernel.rules import Decision, Game, Odds, Phase, Procedure, Refusal, Rules, Scenario, Term
from khamsin.kernel.tables import Table
from khamsin.mechanics import showing, ways
from khamsin.mechanics.refusals import for_locations, for_units
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

    COLUMNS = State.COLUMNS | {"strength": 0}
    OWNERS = ("attacked",)
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
    state = g.state
    while True:
        click = yield g.ask(
            side, "move.stack", "Move a unit", "3", maybe=OF_SIDE[side], buttons=(DONE,), top=True,
            why_not=for_units(why_not_moving),
        )  # fmt: skip
        if click == DONE:
            break
        reach = ways.reach(way(g, click))
        legal = Destinations(g.place0, reach, [end(g, click)], {STAY: None})
        target = yield Decision(
            side, "move.to", "Where to?", "3", legal, about=(click,), why_not=for_locations(why_not_there, click),
            reach=reach,
        )  # fmt: skip
        if target != STAY:
            place = g.location(target)
            g.log("3", "{unit} moves to {hex} for {cost}", unit=click, hex=place, cost=reach.cost(place))
            state.where[click] = place
        state.flags[click] |= MOVED
    clear(g, MOVED)


def clear(g: G, flag: int) -> None:
    """A phase is over."""
    for unit in range(len(COUNTERS)):
        g.state.flags[unit] &= ~flag


def why_not_moving(g: G, unit: int) -> Refusal | None:
    """A unit on the map moves once (3)."""
    name = COUNTERS[unit].name
    if g.state.where[unit] not in MAP:
        return Refusal(f"{name} cannot move: it is lost", "4", name)
    if g.state.flags[unit] & MOVED:
        return Refusal(f"{name} has moved", "3", name)
    return None


def way(g: G, unit: int) -> Way:
    """Enemies close their hex, and their zones of control stop a unit (3)."""
    return Way(GROUND, (g.state.where[unit],), (Limit(MOVE[unit], "3", "it costs {cost}, {left} left"), *bars(g, unit)))


def bars(g: G, unit: int) -> tuple[Bar, Bar]:
    """The enemy's zones of control and units (3)."""
    enemy = 1 - SIDE[unit]
    held = LAYOUT.mask(hex for hex in g.state.where.stacks(enemy) if hex in MAP)
    return (
        Bar(STOP, LAYOUT.spread(ZONES.of(g, enemy).hexes), "3", "{hex} is in the ZOC of {cause}", exerting),
        Bar(CLOSED, held, "3", "{cause} is in {hex}", lambda g, hex: [COUNTERS[u].name for u in g.units_in(hex)]),
    )


def exerting(g: G, hex: int) -> list[str]:
    """The units in whose zone of control a hex is (3)."""
    return [COUNTERS[unit].name for side in (RED, BLUE) for unit in ZONES.exerting(g, side, hex)]


def end(g: G, unit: int) -> End:
    """No unit ends its move in a full hex (3)."""
    return STACKING.end(g, SIDE[unit], [unit], BOARD.name)


def why_not_there(g: G, unit: int, hex: int) -> Refusal | None:
    """Why a unit cannot move to a hex (3)."""
    name, label = COUNTERS[unit].name, BOARD.name(hex)
    if hex == g.state.where[unit] or hex not in MAP:
        return Refusal(f"{name} cannot move to {label}: it is {'there' if hex in MAP else 'a box'}", "3", label)
    return ways.why_not(g, way(g, unit), hex, name, [end(g, unit)])


def combat(g: G, side: int) -> Procedure:
    """The combat phase of a side (4)."""
    while True:
        click = yield g.ask(
            side, "combat.target", "Attack a hex", "4", buttons=(DONE,), top=True, why_not=why_not_attack,
            locations=[hex for hex in MAP if why_not_target(g, side, hex) is None],
        )  # fmt: skip
        if click == DONE:
            break
        yield from attack(g, side, g.location(click))
    g.state.attacked.clear()
    clear(g, FOUGHT)
    if side == BLUE:
        check_victory(g)


def why_not_attack(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a hex, or the hex of a unit, cannot be attacked (4)."""
    if click >= g.rules.first_button:
        return None
    place = g.state.where[click] if g.is_unit(click) else g.location(click)
    if place not in MAP:
        return Refusal(f"{g.rules.names[click]} is not on the map", "4", g.rules.names[click])
    return why_not_target(g, decision.side, place)


def why_not_target(g: G, side: int, hex: int) -> Refusal | None:
    """A hex with enemies is attacked once, by units beside it that have not fought (4)."""
    name = BOARD.name(hex)
    if hex in g.state.attacked:
        return Refusal(f"{name} has been attacked", "4", name)
    if hex not in g.state.where.stacks(1 - side):
        return Refusal(f"{name} cannot be attacked: no enemy is there", "4", name)
    if all(why_not_attacker(g, unit, hex) for unit in OF_SIDE[side]):
        return Refusal(f"{name} cannot be attacked: no unit of yours is free beside it", "4", name)
    return None


def why_not_attacker(g: G, unit: int, hex: int) -> Refusal | None:
    """Each unit attacks once a turn, a hex beside it (4)."""
    name = COUNTERS[unit].name
    if g.state.where[unit] not in AROUND[hex]:
        return Refusal(f"{name} cannot attack {BOARD.name(hex)}: it is not adjacent", "4", name)
    return Refusal(f"{name} has fought", "4", name) if g.state.flags[unit] & FOUGHT else None


def attack(g: G, side: int, target: int) -> Procedure:
    """One attack: choose who, throw, suffer (4)."""
    state = g.state
    attackers: list[int] = []
    while True:
        able = [u for u in OF_SIDE[side] if u not in attackers and why_not_attacker(g, u, target) is None]
        buttons, shut = ((FIRE,), ()) if attackers else ((), (FIRE,))
        click = yield g.ask(
            side, "combat.attackers", "Who attacks?", "4", units=able, buttons=buttons, blocked=shut, about=attackers,
            why_not=partial(why_not_joining, target=target),
        )  # fmt: skip
        if click == FIRE:
            break
        attackers.append(click)
    defenders = g.units_in(target)
    state.attacked[target] = side
    for unit in attackers:
        state.flags[unit] |= FOUGHT
    show(g, attackers + defenders)
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


def why_not_joining(g: G, decision: Decision, click: int, target: int) -> Refusal | None:
    """Why a unit cannot join an attack, or the attack not be made (4)."""
    if click == FIRE and not decision.about:
        return Refusal("the attack has no attackers: choose a unit", "4", BOARD.name(target))
    if not g.is_unit(click) or SIDE[click] != decision.side:
        return None
    name = COUNTERS[click].name
    return (
        Refusal(f"{name} attacks already", "4", name) if click in decision.about else why_not_attacker(g, click, target)
    )


def column(g: G, attackers: list[int], target: int) -> int:
    """The column of an attack (4)."""
    strength = g.state.strength
    odds = CRT.odds(sum(strength[u] for u in attackers), sum(strength[u] for u in g.units_in(target)))
    return CRT.shift(odds, -1 if BOARD.terrain_name(target) == "rough" else 0)


def show(g: G, units: list[int]) -> None:
    """Militia that fight show their strength (6)."""
    for unit in units:
        if unit in MILITIA and not g.state.flags[unit] & SHOWN:
            g.state.flags[unit] |= SHOWN
            g.reveal()
            g.log("6", "{unit} has strength {strength}", unit=unit, strength=g.state.strength[unit])


def lose(g: G, units: list[int]) -> None:
    """Units out of the game (4)."""
    for unit in units:
        g.state.where[unit] = LOST
        g.log_loss("4", "{unit} is lost", unit=unit)


def retreat(g: G, owner: int, units: list[int]) -> Procedure:
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


def impossible(g: G) -> str:
    """Positions that play cannot reach (3)."""
    for place in range(BOARD.size):
        units = g.units_in(place)
        if len(units) > STACK:
            return f"{len(units)} units in {BOARD.name(place)}, at most {STACK} may stack (3)"
        if len({SIDE[u] for u in units}) > 1:
            return f"units of both sides in {BOARD.name(place)}"
        if units and not BOARD.enterable(place):
            return f"units in {BOARD.name(place)}, which is {BOARD.terrain_name(place)}"
    return ""


def odds(g: G, viewer: int, attackers: list[int], targets: list[int]) -> Odds:
    """An attack before it is made, which a viewer judges by what he sees in the game he is shown (4)."""
    strength = g.state.strength
    (target,) = targets
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
    """The attack on a hex by all units beside it (4)."""
    if decision.kind == "combat.target" and click in decision.legal and g.place0 <= click < g.rules.first_button:
        target = g.location(click)
        able = [unit for unit in OF_SIDE[decision.side] if g.state.where[unit] in AROUND[target]]
        yield Sheet(BOARD.name(target), tuple(able), (target,), odds(g, decision.side, able, [target]))


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
    buttons=("done", "stay", "fire"),
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
    find_fault=impossible,
    odds=odds,
    display=DISPLAY,
)
DONE, STAY, FIRE = (RULES.button(name) for name in RULES.buttons)
