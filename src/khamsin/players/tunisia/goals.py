"""What each scenario is about (5.0, Scenario 1-6): the goals of a side in a position, and how good the position is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from khamsin.games.tunisia import leaving, victory
from khamsin.games.tunisia.arrivals import OUT
from khamsin.games.tunisia.scenario import HEDGEHOGS, setting
from khamsin.games.tunisia.tracing import trace
from khamsin.games.tunisia.units import (
    ALLIED,
    ARTILLERY,
    AXIS,
    BOARD,
    COUNTERS,
    FORCES,
    HEXES,
    HIDDEN,
    IS_HQ,
    PRINTED,
    RATING,
    G,
    forces_in,
    on_map,
    stock,
)
from khamsin.players.staff import goals as goals_of
from khamsin.players.staff.goals import balance, decided, hunted, unguarded, wanted
from khamsin.players.staff.theatre import DESTROY, Goal
from khamsin.players.tunisia.weights import GOALS

EXIT = leaving.EXIT
TEBESSA = victory.TEBESSA
GABES = BOARD["B48.17"]
TOWNS = {name: BOARD[hex] for name, hex in (
    ("Tunis", "A48.24"), ("Bizerte", "A44.31"), ("Mateur", "A41.28"), ("Sfax", "B57.30"), ("Gafsa", "B30.24"),
    ("Tebessa", "A21.05"), ("Bône", "A17.26"),
)}  # fmt: skip
RACE = victory.victory_hexes(1)["Scenario 1 objectives"][0]


def goals(g: G, side: int) -> list[Goal]:
    """What a side wants now: the goals of the scenario, dumps without guards, and enemy stacks to be fought."""
    dumps = {hex: GOALS["dump"] * amount for hex, amount in stock(g, 1 - side).items()}
    enemies = hunted(g, side, HEXES, GOALS["destroy"], lambda u: GOALS["hidden"] if is_hidden(g, u) else worth_of(u))
    return [*scenario_goals(g, side), *unguarded(g, side, HEXES, dumps), *enemies]


def scenario_goals(g: G, side: int) -> list[Goal]:
    """What the scenario is about."""
    return WANTED[setting(g).number](g, side)


def is_hidden(g: G, unit: int) -> bool:
    """Whether a unit is not seen by the enemy."""
    return bool(g.state.flags[unit] & HIDDEN)


def worth_of(unit: int) -> float:
    """What a unit is worth as an enemy, in a word."""
    if IS_HQ[unit]:
        return 8.0
    return (0.3 if ARTILLERY[unit] else 1.2) * PRINTED[unit][0] * (0.55 + 0.15 * RATING[unit][0])


def urgency(g: G) -> float:
    """How much more objectives count, up to the last turn."""
    return goals_of.urgency(setting(g).last - g.state.turn, GOALS["final"])


def towns(g: G, side: int, hexes: Iterable[int], worth: float, garrison: float = 0.0) -> list[Goal]:
    """Towns that decide: their holder keeps a garrison in each, and several parties of the enemy go there at once."""
    found = []
    for hex in hexes:
        held = g.state.control.get(hex) == side
        if held and not trace(g, side).supplied[hex]:
            garrison = max(garrison, GOALS["stranded"])
        goal = wanted(g, side, hex, worth * urgency(g), BOARD.place_in(hex) or BOARD.name(hex), held, garrison)
        found.append(goal)
        if not held:
            found += [goal._replace(worth=worth * GOALS["further"])] * int(GOALS["approaching"])
    return found


# 5: the Mareth Line


def mareth(g: G, side: int) -> list[Goal]:
    """Gabès and the line (Scenario 5). Gabès gets a garrison when the Allies come near."""
    seen = [unit for unit in FORCES[ALLIED] if on_map(g, unit)]
    alarm = side == AXIS and any(BOARD.distance(g.state.where[unit], GABES) <= GOALS["gabes_alarm"] for unit in seen)
    found = towns(g, side, [GABES], GOALS["gabes"], GOALS["gabes_guard"] if alarm else 0.0)
    worth = GOALS["line" if side == ALLIED else "held"]
    return [*found, *[wanted(g, side, hex, worth, "the Mareth Line", must=side == AXIS) for hex in HEDGEHOGS]]


# 2: Kasserine


def missing(g: G) -> tuple[int, int]:
    """The panzer battalions and regiments that still have to exit (Scenario 2)."""
    gone = [unit for unit in FORCES[AXIS] if g.state.where[unit] == OUT]
    return max(0, 2 - len([u for u in gone if is_tank(u)])), max(
        0, 1 - len([u for u in gone if victory.is_motorised_regiment(u)])
    )


def is_tank(unit: int) -> bool:
    """Whether a unit counts as a panzer battalion that exits."""
    return COUNTERS[unit].symbol in victory.TANKS and COUNTERS[unit].size == "battalion"


def leavers(g: G, side: int, costs: Callable[[int], int]) -> list[int]:
    """The units that are still to exit, the nearest first by their costs (Scenario 2)."""
    if setting(g).number != 2 or side != AXIS:
        return []
    tanks, rifles = missing(g)
    fit = [u for u in FORCES[AXIS] if on_map(g, u) and (is_tank(u) or victory.is_motorised_regiment(u))]
    units = sorted(fit, key=lambda u: (costs(u), -PRINTED[u][1], u))
    return [u for u in units if is_tank(u)][:tanks] + [u for u in units if victory.is_motorised_regiment(u)][:rifles]


def kasserine(g: G, side: int) -> list[Goal]:
    """The exit and Tebessa (Scenario 2)."""
    worth = GOALS["exit"] * urgency(g)
    found = towns(g, side, [TEBESSA], GOALS["tebessa"], GOALS["tebessa_guard"] if side == ALLIED else 0.0)
    if side == AXIS:
        if any(missing(g)):
            near = [hex for hex in (EXIT, *BOARD.around(EXIT)) if forces_in(g, ALLIED, hex)]
            found += [Goal(hex, worth if hex == EXIT else worth / 4, DESTROY, "bars the exit") for hex in near]
        return found
    return [*found, wanted(g, side, EXIT, worth, "the exit to the north", must=True)]


# 1, 3, 4, 6: towns


def race(g: G, side: int) -> list[Goal]:
    """Three of five towns (Scenario 1)."""
    return towns(g, side, RACE, GOALS["town"])


def campaign(g: G, side: int) -> list[Goal]:
    """Tunis and Bizerte first, then the towns that make the level (5.0)."""
    area = setting(g).area
    open_ = {name: hex for name, hex in TOWNS.items() if area != "Map A" or BOARD.name(hex).startswith("A")}
    first = [hex for name, hex in open_.items() if name in ("Tunis", "Bizerte")]
    rest = [hex for name, hex in open_.items() if name not in ("Tunis", "Bizerte")]
    return [*towns(g, side, first, GOALS["town"]), *towns(g, side, rest, GOALS["town"] / 2)]


WANTED: dict[int, Callable[[G, int], list[Goal]]] = {
    1: race, 2: kasserine, 3: campaign, 4: campaign, 5: mareth, 6: campaign,
}  # fmt: skip


# How good a position is


def score(g: G, side: int) -> float:
    """Victory if the game is over, else objectives and strength, from -1 to 1."""
    over = decided(g, side)
    if over is not None:
        return over
    strengths = [sum([worth_of(unit) for unit in FORCES[one] if on_map(g, unit)]) for one in (AXIS, ALLIED)]
    hexes = [goal.hex for goal in scenario_goals(g, ALLIED)]
    held = sum([(1 if forces_in(g, side, hex) else -1 if forces_in(g, 1 - side, hex) else 0) for hex in hexes])
    return 0.5 * balance(strengths, side) + 0.4 * held / max(1, len(hexes))
