"""The exact results of attacks in North Africa '41, from the functions of the rules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from khamsin.games.na41 import RULES, command, defence, retreat, sheet
from khamsin.games.na41.disruption import IS_DISRUPTED
from khamsin.games.na41.results import OUTCOMES, SHATTERED
from khamsin.games.na41.results import Outcome as Result
from khamsin.games.na41.retreat import Flight
from khamsin.games.na41.sheet import Attack, Sheet
from khamsin.games.na41.support import can_be_supplied
from khamsin.games.na41.units import QUALITY, G, combat_units
from khamsin.games.na41.zones import routed
from khamsin.kernel.cache import remembered
from khamsin.players.staff import theatre
from khamsin.players.staff.theatre import Outcome

TABLES = RULES.tables
OVERWHELMING = -1
"""The column of overwhelming odds."""


@cache
def cells(column: int) -> list[tuple[Result, float]]:
    """Return the results of a column of the combat table with their chances, also of overwhelming odds."""
    if column == OVERWHELMING:
        return [(SHATTERED, 1.0)]
    return [(OUTCOMES[str(cell)], float(chance)) for cell, chance in TABLES["combat"].chances(column).items()]


@cache
def held(column: int, quality: int | None, cell: Result) -> tuple[float, float]:
    """Return the chance of a Lead Unit to hold its hex after a result, and the steps it then loses; without a quality
    no unit leads."""
    if not cell.retreat[1]:
        return 1.0, 0.0
    if quality is None or not cell.defence_allowed:
        return 0.0, 0.0
    chances = TABLES["determined_defense"].chances(column, quality + cell.defence_modifier)
    rolls = [(defence.read(str(roll)), float(chance)) for roll, chance in chances.items()]
    holds = sum([chance for stand, chance in rolls if stand.holds])
    return holds, sum([chance * stand.lead for stand, chance in rolls if stand.holds]) / holds if holds else 0.0


class Defender(NamedTuple):
    """What the results of an attack on a hex depend on besides the odds: the steps on foot without a truck, which
    surrender in a long retreat, and the column and the best quality for a Determined Defense."""

    surrendering: int
    column: int
    quality: int | None


USUAL = Defender(surrendering=0, column=0, quality=0)


@cache
def results(column: int, against: Defender) -> list[Outcome]:
    """Return the results of a column by chance, with what a Determined Defense and a retreat make of them."""
    found = []
    for cell, chance in cells(column):
        holds, costs = held(against.column, against.quality, cell)
        lost = max(against.surrendering, cell.defender) if cell.retreat[0] > retreat.ON_FOOT else cell.defender
        found.append(Outcome(chance * holds, cell.attacker, 0, cell.defender + round(costs), 0))
        found.append(Outcome(chance * (1 - holds), cell.attacker, 0, lost, cell.retreat[0]))
    return found


def column_of(g: G, found: Sheet) -> int | None:
    """Return the column of a sheet as `cells` counts it, None if the attack is not allowed."""
    if not found.attack or found.odds < sheet.LOWEST:
        return None
    return OVERWHELMING if found.overwhelming else sheet.column(g, found)


def retreat_from(side: int, hex: int, hexes: int) -> Flight:
    """Return a retreat of a side from a hex."""
    return Flight(side, hex, hexes, hexes, IS_DISRUPTED)


def stranded(g: G, side: int, hex: int) -> list[int]:
    """Return the steps of the units in a hex that surrender in a long retreat: those on foot for which there is no truck."""
    flight = retreat_from(side, hex, retreat.ON_FOOT + 1)
    on_foot = [g.state.steps[unit] for unit in combat_units(g, side, hex) if retreat.surrenders(g, flight, unit)]
    return sorted(on_foot)[len(retreat.empty_trucks(g, flight)) :]


def defender(g: G, side: int, hex: int) -> Defender:
    """Return what the results of an attack of a side on a hex depend on besides the odds."""
    flight = retreat_from(1 - side, hex, retreat.ON_FOOT)
    quality = max([defence.NUMBERS.get(QUALITY[unit], 0) for unit in defence.leads(g, flight)], default=None)
    return Defender(sum(stranded(g, 1 - side, hex)), defence.column(g, flight), quality)


class Combats(theatre.Combats):
    """The attacks of a side, with Attack Supply as support."""

    def __init__(self, g: G, side: int, breakthrough: bool = False) -> None:
        self.g, self.side, self.breakthrough = g, side, breakthrough

    def outcomes(self, hex: int, places: Mapping[int, int], support: int, arrangement: Any) -> list[Outcome]:
        """By the column of the sheet. None against units that all leave as soon as an enemy comes near (13.3.2), and none
        with Attack Supply if that makes no difference."""
        column = self._columns(hex, arrangement)[support]
        gone = hex in routed(self.g, 1 - self.side)
        return [] if column is None or gone else results(column, defender(self.g, self.side, hex))

    def has_support(self, hex: int, places: Mapping[int, int], support: int) -> bool:
        """Whether there is Attack Supply for the attack."""
        with self.g.state.where.supposing(places):
            return can_be_supplied(self.g, self.side, self._units(hex, places))

    @remembered
    def _columns(self, hex: int, arrangement: frozenset[tuple[int, int]]) -> list[int | None]:
        """Return the columns of an attack without and with Attack Supply, None where it is not allowed or makes no
        difference."""
        places = dict(arrangement)
        with self.g.state.where.supposing(places):
            battle = Attack(self.side, self._units(hex, places), hex, breakthrough=self.breakthrough)
            plain, full = [column_of(self.g, one) for one in sheet.sheets(self.g, battle)]
        return [plain, full if full != plain else None]

    def _units(self, hex: int, places: Mapping[int, int]) -> tuple[int, ...]:
        """Return the strongest units that may attack together, from the places where they are."""
        able = [unit for unit in sorted(places) if self._can_attack(unit, hex)]
        return tuple(command.strongest(self.g, self.side, able))

    def _can_attack(self, unit: int, hex: int) -> bool:
        """Whether a unit can attack a hex, as it advances also after another attack."""
        refusal = None if self.breakthrough else command.why_not_able(self.g, unit)
        return (refusal or command.why_not_across(self.g, unit, hex)) is None
