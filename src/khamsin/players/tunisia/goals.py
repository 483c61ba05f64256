"""The goals of each scenario (5.0, Scenario 1-6), and the value of a position for a side."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from khamsin.games.tunisia import leaving, victory
from khamsin.games.tunisia.arrivals import OUT
from khamsin.games.tunisia.ground import OUTSIDE
from khamsin.games.tunisia.scenario import HEDGEHOGS, setting
from khamsin.games.tunisia.tracing import trace
from khamsin.games.tunisia.units import (
    ALLIED,
    ARTILLERY,
    AXIS,
    BOARD,
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
from khamsin.players.staff.goals import balance, hunted, is_near, unguarded, wanted
from khamsin.players.staff.theatre import DESTROY, Goal
from khamsin.players.tunisia.weights import GOALS

EXIT = leaving.EXIT
TEBESSA = victory.TEBESSA
GABES = BOARD["B48.17"]
PORTS = [BOARD["A48.24"], BOARD["A44.31"]]
"""Tunis and Bizerte."""
TOWNS = [BOARD[hex] for hex in ("A41.28", "B57.30", "B30.24", "A21.05", "A17.26")]
"""Mateur, Sfax, Gafsa, Tebessa and Bône."""
RACE = victory.victory_hexes(1)["Scenario 1 objectives"][0]


def goals(g: G, side: int) -> list[Goal]:
    """Return the goals of a side now: those of the scenario, unguarded dumps, and enemy stacks to fight."""
    dumps = {hex: GOALS["dump"] * amount for hex, amount in stock(g, 1 - side).items()}
    flags = g.state.flags
    enemies = hunted(g, side, HEXES, GOALS["destroy"], lambda u: GOALS["hidden"] if flags[u] & HIDDEN else worth_of(u))
    return [*scenario_goals(g, side), *unguarded(g, side, HEXES, dumps), *enemies]


def scenario_goals(g: G, side: int) -> list[Goal]:
    """Return the goals of the scenario."""
    return WANTED[setting(g).number](g, side)


def worth_of(unit: int) -> float:
    """Return the value of a unit."""
    return 8.0 if IS_HQ[unit] else (0.3 if ARTILLERY[unit] else 1.2) * PRINTED[unit][0] * quality(RATING[unit][0])


def quality(rating: float) -> float:
    """Return what strength is worth with an action rating."""
    return 0.55 + 0.15 * rating


def urgency(g: G) -> float:
    """Return the factor of objectives up to the last turn."""
    return goals_of.urgency(setting(g).last - g.state.turn, GOALS["final"])


def towns(g: G, side: int, hexes: Iterable[int], worth: float, garrison: float = 0.0) -> list[Goal]:
    """Return the goals of decisive towns: their holder keeps a garrison in each, and several enemy parties go there at
    once."""
    found = []
    for hex in hexes:
        held = g.state.control.get(hex) == side
        least = GOALS["stranded"] if held and not trace(g, side).supplied[hex] else 0.0
        label = BOARD.place_in(hex) or BOARD.name(hex)
        goal = wanted(g, side, hex, worth * urgency(g), label, held, max(garrison, least))
        found.append(goal)
        if not held:
            found += [goal._replace(worth=worth * GOALS["further"])] * int(GOALS["approaching"])
    return found


# 5: the Mareth Line


def mareth(g: G, side: int) -> list[Goal]:
    """Return the goals of the Mareth Line and Gabès (Scenario 5). Gabès gets a garrison when the Allies are near."""
    alarm = side == AXIS and is_near(g, ALLIED, GABES, GOALS["gabes_alarm"])
    found = towns(g, side, [GABES], GOALS["gabes"], GOALS["gabes_guard"] if alarm else 0.0)
    worth = GOALS["line" if side == ALLIED else "held"]
    return [*found, *[wanted(g, side, hex, worth, "the Mareth Line", must=side == AXIS) for hex in HEDGEHOGS]]


# 2: Kasserine


def missing(g: G) -> dict[Callable[[int], bool], int]:
    """Return how many units still have to exit, by kind: two panzer battalions and a regiment (Scenario 2)."""
    gone = [unit for unit in FORCES[AXIS] if g.state.where[unit] == OUT]
    needed = {victory.is_tank_battalion: 2, victory.is_motorised_regiment: 1}
    return {counts: max(0, number - len([u for u in gone if counts(u)])) for counts, number in needed.items()}


def kasserine(g: G, side: int) -> list[Goal]:
    """Return the goals of the exit and Tebessa (Scenario 2)."""
    worth = GOALS["exit"] * urgency(g)
    found = towns(g, side, [TEBESSA], GOALS["tebessa"], GOALS["tebessa_guard"] if side == ALLIED else 0.0)
    if side == ALLIED:
        return [*found, wanted(g, side, EXIT, worth, "the exit to the north", must=True)]
    near = [hex for hex in (EXIT, *BOARD.around(EXIT)) if forces_in(g, ALLIED, hex) and any(missing(g).values())]
    return [*found, *[Goal(hex, worth if hex == EXIT else worth / 4, DESTROY, "bars the exit") for hex in near]]


# 1, 3, 4, 6: towns


def race(g: G, side: int) -> list[Goal]:
    """Return the goals of three of five towns (Scenario 1)."""
    return towns(g, side, RACE, GOALS["town"])


def campaign(g: G, side: int) -> list[Goal]:
    """Return the goals of the campaign: Tunis and Bizerte first, then the towns of the levels (5.0)."""
    rest = [hex for hex in TOWNS if hex not in OUTSIDE[setting(g).area]]
    return [*towns(g, side, PORTS, GOALS["town"]), *towns(g, side, rest, GOALS["town"] / 2)]


WANTED: dict[int, Callable[[G, int], list[Goal]]] = {
    1: race, 2: kasserine, 3: campaign, 4: campaign, 5: mareth, 6: campaign,
}  # fmt: skip


# The value of a position


def standing(g: G, side: int) -> float:
    """Return objectives and strength, from -1 to 1."""
    strengths = [sum([worth_of(unit) for unit in FORCES[one] if on_map(g, unit)]) for one in (AXIS, ALLIED)]
    hexes = [goal.hex for goal in scenario_goals(g, ALLIED)]
    held = sum([(1 if forces_in(g, side, hex) else -1 if forces_in(g, 1 - side, hex) else 0) for hex in hexes])
    return 0.5 * balance(strengths, side) + 0.4 * held / max(1, len(hexes))
