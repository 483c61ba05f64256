"""The exact results of attacks in Afrika, from the functions of the rules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from khamsin.games.afrika import RULES, strength
from khamsin.games.afrika.ground import BY_ROAD_ONLY
from khamsin.games.afrika.units import BOARD, ROMMEL, Attack, G
from khamsin.kernel.cache import remembered
from khamsin.mechanics import results
from khamsin.mechanics.odds import net
from khamsin.players.staff import theatre
from khamsin.players.staff.theatre import Outcome

TABLE = RULES.tables["combat"]


@lru_cache(maxsize=10_000)
def outcomes(power: int, against: int, shift: int, modifier: int) -> list[Outcome]:
    """Return the results of an attack by its strengths with their chances, none if it is not allowed."""
    odds = strength.ratio(power, against) if power else 0
    return cells(TABLE.shift(TABLE.column(odds), shift), modifier) if odds >= TABLE.bounds[0] else []


@cache
def cells(column: int, modifier: int) -> list[Outcome]:
    """Return the results of a column with their chances."""
    read = [(results.read(str(cell)), chance) for cell, chance in TABLE.chances(column, modifier).items()]
    return [Outcome(float(chance), *one.attacker, *one.defender) for one, chance in read]


Arrangement = tuple[frozenset[int], frozenset[int], int, bool]


class Combats(theatre.Combats):
    """The attacks of a side with air points. What results depend on besides the strengths of the attackers is computed
    by the rules once."""

    def __init__(self, g: G, side: int) -> None:
        self.g, self.side, self._camp = g, side, g.state.where[ROMMEL]
        self._shifts: dict[tuple[int, int, bool, bool], int] = {}
        self._modifiers: dict[tuple[int, int], int] = {}

    def outcomes(self, hex: int, places: Mapping[int, int], support: int, arrangement: Arrangement) -> list[Outcome]:
        """By the sum of what the attackers bring, and the rest by what it depends on: the defence by the hex, the shift also by
        whole divisions and Rommel, the modifier by stacks with combined arms."""
        _, across, arms, led = arrangement
        power = sum([self._share(unit, unit in across) for unit in places])
        shift = hex, support, bool(strength.whole_divisions(self.g, places, BOARD.around(hex))), led
        if shift not in self._shifts or (hex, arms) not in self._modifiers:
            battle = Attack(self.side, tuple(places), hex, support)
            moved = {unit: at for unit, at in places.items() if self.g.state.where[unit] != at}
            with self.g.state.where.supposing(moved):
                self._shifts[shift] = strength.shift(self.g, battle)
                self._modifiers[hex, arms] = net(strength.combined_arms(self.g, battle))
        return outcomes(power, self._defence(hex), self._shifts[shift], self._modifiers[hex, arms])

    def arrangement(self, hex: int, places: Mapping[int, int]) -> Arrangement:
        """Which units attack, which of them across an escarpment, how many stacks with combined arms, and whether Rommel is
        with them: the rest depends on the units alone."""
        across = [unit for unit, at in places.items() if hex in BY_ROAD_ONLY[at]]
        arms = strength.combined_stacks(places.items())
        return frozenset(places), frozenset(across), arms, self._camp in places.values()

    @remembered
    def _share(self, unit: int, across: bool) -> int:
        return strength.attack_share(self.g, unit, across).value

    @remembered
    def _defence(self, hex: int) -> int:
        return strength.strengths(self.g, Attack(self.side, (), hex))[1]
