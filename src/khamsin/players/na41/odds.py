"""The exact results of attacks in North Africa '41, from the functions of the rules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from khamsin.games.na41 import RULES, command, defence, sheet
from khamsin.games.na41.ground import defence_column, downhill, escarpment, into_perimeter, uphill
from khamsin.games.na41.results import OUTCOMES, SHATTERED
from khamsin.games.na41.results import Outcome as Result
from khamsin.games.na41.sheet import Attack, Sheet
from khamsin.games.na41.support import can_be_supplied
from khamsin.games.na41.units import (
    AROUND,
    ASU,
    COMBAT,
    DISRUPTED,
    FLAK,
    FULL_RETREAT,
    INFANTRY,
    MSU,
    QUALITY,
    REPLACED,
    TANK,
    TRUCK,
    G,
    attack,
    combat_units,
    good_order,
    mechanized,
    others,
)
from khamsin.kernel.cache import remembered
from khamsin.mechanics.odds import net, total
from khamsin.players.staff import theatre
from khamsin.players.staff.theatre import Outcome

TABLES = RULES.tables
OVERWHELMING = -1
"""The column of overwhelming odds."""
SHIFTING = [TANK[unit] or FLAK[unit] or (INFANTRY[unit] and quality == "elite") for unit, quality in enumerate(QUALITY)]
"""The units on which the shifts of an attack depend: tanks, Flak and elite infantry."""


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
    """What the results of an attack on a hex depend on besides the odds: the steps there, those that surrender in a
    long retreat, and the column and the best quality for a Determined Defense."""

    steps: int
    surrendering: int
    column: int
    quality: int | None


USUAL = Defender(steps=2, surrendering=0, column=0, quality=0)


@cache
def results(column: int, against: Defender) -> list[Outcome]:
    """Return the results of a column by chance, with what a Determined Defense and a retreat make of them."""
    found = []
    for cell, chance in cells(column):
        holds, costs = held(against.column, against.quality, cell)
        lost = max(against.surrendering, cell.defender) if cell.retreat[0] > 2 else cell.defender
        found.append(Outcome(chance * holds, cell.attacker, 0, cell.defender + round(costs), 0))
        found.append(Outcome(chance * (1 - holds), cell.attacker, 0, lost, cell.retreat[0]))
    return found


def column_of(g: G, found: Sheet) -> int | None:
    """Return the column of a sheet as `cells` counts it, None if the attack is not allowed."""
    if not found.attack or found.odds < sheet.LOWEST:
        return None
    return OVERWHELMING if found.overwhelming else sheet.column(g, found)


def defender(g: G, side: int, hex: int) -> Defender:
    """Return what the results of an attack of a side on a hex depend on besides the odds."""
    units, flags = combat_units(g, 1 - side, hex), g.state.flags
    carried = sum([TRUCK[u] and not flags[u] & MSU for u in others(g, 1 - side, hex)])
    on_foot = sorted([g.state.steps[u] for u in units if not mechanized(g, u)], reverse=True)
    leads = [u for u in units if not ASU[u] and not flags[u] & (DISRUPTED | FULL_RETREAT)]
    label = defence_column(sheet.fortified(g, hex, 1 - side), hex)
    return Defender(
        sum([g.state.steps[unit] for unit in units]), sum(on_foot[: max(0, len(on_foot) - carried)]),
        TABLES["determined_defense"].column(label),
        max([defence.NUMBERS.get(QUALITY[unit], 0) for unit in leads], default=None),
    )  # fmt: skip


@cache
def alike(at: int, hex: int) -> int:
    """Return the first hex from which an attack on a hex is like that from another one: into the Tobruk perimeter, up, down or
    across an escarpment."""

    def crossed(near: int) -> tuple[bool, ...]:
        return into_perimeter(near, hex), uphill(near, hex), downhill(near, hex), escarpment(near, hex)

    return next(near for near in AROUND[hex] if crossed(near) == crossed(at))


Attackers = tuple[tuple[int, int], ...]
"""The units that can attack, each with a hex like its own."""
Arrangement = tuple[frozenset[int], Attackers]


class Combats(theatre.Combats):
    """The attacks of a side, with Attack Supply as support. What their results depend on is asked of the rules once."""

    def __init__(self, g: G, side: int, breakthrough: bool = False) -> None:
        self.g, self.side, self.breakthrough = g, side, breakthrough
        self._supplied: dict[int, list[frozenset[tuple[int, int]]]] = {}

    def outcomes(self, hex: int, places: Mapping[int, int], support: int, arrangement: Arrangement) -> list[Outcome]:
        """By the column of the sheet. None with Attack Supply if that makes no difference."""
        _, attackers = arrangement
        against = self._defender(hex)
        if against is None or not attackers:
            return []
        column = self._columns(hex, attackers)[support]
        return results(column, against) if column is not None else []

    def arrangement(self, hex: int, places: Mapping[int, int]) -> Arrangement:
        """The units, and those that can attack with hexes like their own."""
        return frozenset(places), self._attackers(hex, places)

    def has_support(self, hex: int, places: Mapping[int, int], support: int) -> bool:
        """Whether there is Attack Supply for the attack. An attack has it if one with fewer units in the same hexes has."""
        units = self._strongest(self._attackers(hex, places))
        placed, known = frozenset([(unit, places[unit]) for unit in units]), self._supplied.setdefault(hex, [])
        if any(fewer <= placed for fewer in known):
            return True
        moved = {unit: at for unit, at in places.items() if self.g.state.where[unit] != at}
        with self.g.state.where.supposing(moved):
            found = can_be_supplied(self.g, self.side, units)
        if found:
            known.append(placed)
        return found

    def _attackers(self, hex: int, places: Mapping[int, int]) -> Attackers:
        able = [(unit, at) for unit, at in places.items() if self._can_attack(unit, at, hex)]
        return tuple(sorted([(unit, alike(at, hex)) for unit, at in able]))

    @remembered
    def _can_attack(self, unit: int, at: int, hex: int) -> bool:
        """Whether a unit can attack a hex from another one."""
        g = self.g
        fit = COMBAT[unit] and not g.state.flags[unit] & REPLACED and good_order(g, unit) and attack(g, unit)
        return bool(fit) and command.why_not_across(g, unit, hex, at) is None

    @remembered
    def _defender(self, hex: int) -> Defender | None:
        """Return the defender of a hex, None if all of it leaves as soon as an enemy comes near (13.3.2)."""
        g, flags = self.g, self.g.state.flags
        gone = all(flags[unit] & FULL_RETREAT for unit in combat_units(g, 1 - self.side, hex))
        return None if gone else defender(g, self.side, hex)

    @remembered
    def _strongest(self, attackers: Attackers) -> tuple[int, ...]:
        """Return the strongest of some units that may attack together."""
        return tuple(command.strongest(self.g, self.side, [unit for unit, _ in attackers]))

    @remembered
    def _columns(self, hex: int, attackers: Attackers) -> tuple[int | None, int | None]:
        """Return the columns of an attack without and with Attack Supply, None where it is not allowed or makes no
        difference."""
        battle, places = self._battle(hex, self._strongest(attackers)), dict(attackers)
        enemies, held = self._defence(hex)
        outranked = sheet.is_outranked(self.g, battle, enemies)
        power = sum([self._share(hex, unit, places[unit], outranked) for unit in battle.units])
        shifts = self._shifts(hex, tuple([(unit, places[unit]) for unit in battle.units if SHIFTING[unit]]))
        found = list[int | None]()
        for supplied in (False, True):
            counted, against, odds, level = sheet.levels(power, held, shifts[supplied], supplied)
            found.append(column_of(self.g, Sheet((), (), counted, against, odds, (), level, supplied)))
        plain, full = found
        return full if full == OVERWHELMING else plain, full if full not in (plain, OVERWHELMING) else None

    def _battle(self, hex: int, units: tuple[int, ...]) -> Attack:
        return Attack(self.side, units, hex, breakthrough=self.breakthrough)

    @remembered
    def _defence(self, hex: int) -> tuple[list[int], int]:
        """Return the defenders of a hex and their strength."""
        enemies = sheet.defenders(self.g, self._battle(hex, ()))
        return enemies, total(sheet.defence_shares(self.g, self._battle(hex, ()), enemies))

    @remembered
    def _share(self, hex: int, unit: int, at: int, outranked: bool) -> int:
        return sheet.attack_share(self.g, self._battle(hex, (unit,)), unit, at, outranked).value

    @remembered
    def _shifts(self, hex: int, units: Attackers) -> list[int]:
        """Return the shifts without and with Attack Supply, by the units on which they depend."""
        battle, enemies = self._battle(hex, tuple(dict(units))), self._defence(hex)[0]
        with self.g.state.where.supposing(dict(units)):
            return [net(sheet.column_shifts(self.g, battle._replace(supplied=one), enemies)) for one in (False, True)]
