"""Weather (5.1): one condition for the whole map each turn."""

from __future__ import annotations

from khamsin.games.kasserine import losses
from khamsin.games.kasserine.ground import MAIN, MINOR
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.units import BOARD, HEXES, IS_TIGER, RAIN, UNITS, WEATHER, G
from khamsin.kernel.rules import Procedure

ON_ROAD = [any(BOARD.hexside_bits[hex * 6 + d] & (MAIN | MINOR) for d in range(6)) for hex in range(HEXES)]
"""Whether each hex has a main or minor road."""


def weather(g: G) -> Procedure:
    """The Weather Phase (5.1.1, 5.1.6)."""
    g.state.weather = condition(g)
    g.log("5.1.1", "The weather is {weather}", weather=WEATHER[g.state.weather])
    if g.state.weather == RAIN and not g.state.rained:
        g.state.rained = 1
        bog_down(g)
    yield from ()


def condition(g: G) -> int:
    """Return the weather this turn: historical, set by the scenario, or rolled (2.4, 5.1.1, 5.1.6, 18.3.4)."""
    cards, turn = setting(g), g.state.turn
    if g.options["weather"] == "historical":
        return cards.history[turn - 1]
    if turn in cards.given:
        return cards.given[turn]
    table = g.table(cards.weather)
    return WEATHER.index(str(table.roll(g.dice, table.column(f"GT {turn}"), purpose="weather")))


def bog_down(g: G) -> None:
    """With the first rain a Tiger that is not on a main or minor road is eliminated (16.3.2)."""
    for unit in UNITS:
        where = g.state.where[unit]
        if IS_TIGER[unit] and 0 <= where < HEXES and not ON_ROAD[where]:
            losses.eliminate(g, unit, "16.3.2")
