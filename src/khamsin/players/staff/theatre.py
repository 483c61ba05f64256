"""The interface of an adapter to the staff, and the few values passed between them.

Hexes and units are the numbers of the game. Strengths, costs and stacking points are in the game's own units; `worth`
is in the unit of the weights, by convention the sum of attack and defence.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from khamsin.kernel.rules import Decision
from khamsin.players.scripted import Order

TAKE, HOLD, DESTROY, CUT, GUARD, SUPPLY, SCREEN, RESERVE = (
    "take", "hold", "destroy", "cut", "guard", "supply", "screen", "reserve",
)  # fmt: skip
"""The tasks."""

Costs = NDArray[np.int16]
"""The cost of reaching each hex, `flood.FAR` where it is not reached."""
Mask = NDArray[np.bool_]
Field = NDArray[np.float64]


class Goal(NamedTuple):
    """A goal of a side in a hex: a task, its value when done, and the reason."""

    hex: int
    worth: float
    task: str = TAKE
    reason: str = ""
    must: bool = False
    """Whether it is a constraint, such as a base or a supply line: filled before anything is weighed."""
    thin: bool = False
    """Whether one party is enough, because it is one of several hexes that count together. Remaining parties reinforce
    it."""
    strength: float = 0.0
    """The least defence of a constraint, whatever threatens it now."""


class Figures(NamedTuple):
    """The values of a unit."""

    attack: float
    defence: float
    steps: int
    worth: float
    points: int
    """Stacking points."""
    is_support: bool = False
    """Whether it fights from behind others, such as artillery."""
    lasts: bool = True
    """Whether it survives a turn out of supply."""


class Outcome(NamedTuple):
    """A result of a combat: its chance, and the steps lost and hexes retreated by attacker and defender."""

    chance: float
    attacker_steps: int
    attacker_hexes: int
    defender_steps: int
    defender_hexes: int


class Combats(Protocol):
    """The exact results of the attacks of a side in one position. They are asked for often while it is the same."""

    def outcomes(self, hex: int, places: Mapping[int, int], support: int, arrangement: Any) -> list[Outcome]:
        """Return the results of an attack on a hex by units that would be in some places, in their arrangement, with points of
        support such as air; empty if it is not allowed."""
        ...

    def arrangement(self, hex: int, places: Mapping[int, int]) -> Any:
        """Return what the results depend on besides the support: which units attack, and what matters of the hexes where they
        would be."""
        return frozenset(places.items())

    def has_support(self, hex: int, places: Mapping[int, int], support: int) -> bool:
        """Whether an attack can have its support. It is asked only of attacks for which that makes a difference."""
        return True


class Strike(NamedTuple):
    """Units that move next to an enemy hex and overrun it while they move."""

    units: tuple[int, ...]
    via: int
    """The hex from which they overrun; their own if they need not move."""
    hex: int


class Purse(NamedTuple):
    """The supplies that a plan may use, and those reserved for attacks."""

    points: float
    for_attacks: float = 0.0


class Theatre(Protocol):
    """The adapter of one game. Every function sees the game as the side may know it. An adapter that inherits from this
    class may omit the functions with a body here: most games have no overruns and one hex of advance."""

    hexes: int
    """The number of hexes; locations from there on are boxes."""
    sides: NDArray[np.int16]
    """By hex, the hexes that can be attacked from it and from which it can be attacked; `hexes` for missing ones."""
    near: Sequence[Sequence[int]]
    """The same hexes by hex, without `hexes`."""
    limit: int
    """The stacking limit of a hex."""
    weights: Mapping[str, float]
    """The weights of the staff, by name; `players/afrika/afrika.toml` has all of them with their meaning."""

    def name(self, location: int) -> str:
        """Return the name of a location."""
        ...

    def stacks(self, g: Any, side: int) -> Mapping[int, Sequence[int]]:
        """Return the combat units of a side in each hex."""
        ...

    def figures(self, g: Any, unit: int) -> Figures:
        """Return the values of a unit now."""
        ...

    def parties(self, g: Any, side: int) -> list[tuple[int, ...]]:
        """Return the units that can move in this phase, in groups that are in one hex and move together."""
        ...

    def costs(self, g: Any, side: int, units: Sequence[int]) -> Costs:
        """Return what units can reach in this phase."""
        ...

    def reach(self, g: Any, side: int, units: Sequence[int], turns: int) -> Costs:
        """Return what units can reach in a number of turns from the next one on."""
        ...

    def march(self, g: Any, side: int, unit: int, hex: int) -> tuple[Costs, int]:
        """Return the cost from each hex to one hex for a unit, with the enemy's present position, and the allowance of
        the unit."""
        ...

    def moves_again(self, g: Any, side: int, units: Sequence[int]) -> bool:
        """Whether units that end this phase away from the enemy move once more in this turn."""
        return False

    def cover(self, g: Any, side: int) -> Field:
        """Return the multiplier of a side's defence in each hex."""
        ...

    def combats(self, g: Any, side: int) -> Combats:
        """Return what gives the exact results of the attacks of a side in this position."""
        ...

    def chances(self, ratio: float) -> list[Outcome]:
        """Return the results of an ordinary attack at a ratio of strengths."""
        ...

    def support(self, g: Any, side: int) -> int:
        """Return the points of support that a side can still commit to combats."""
        return 0

    def strikes(self, g: Any, side: int, held: Collection[int]) -> list[Strike]:
        """Return the overruns that could be made in this phase without the units that are held."""
        return []

    def attackers(self, g: Any, side: int, hex: int) -> Sequence[int]:
        """Return the units that can attack a hex now."""
        ...

    def declare(self, g: Any, side: int, hex: int, units: Sequence[int]) -> tuple[int, ...]:
        """Return the clicks that declare an attack of these units."""
        ...

    def advance_hex(self, g: Any, side: int, decision: Decision) -> int | None:
        """Return the hex of the next advance, None if it is not known."""
        return None

    def supplied(self, g: Any, side: int, blocked: Sequence[int] = ()) -> Mask:
        """Return the hexes in which a unit of a side would be in supply, if enemy units were also in the blocked hexes."""
        ...

    def lines(self, g: Any, side: int) -> Sequence[int]:
        """Return the hexes along which the supply of a side runs now, as far as they are known."""
        return []

    def purse(self, g: Any, side: int) -> Purse | None:
        """Return what a side can pay for its moves and attacks this turn, None if they cost nothing."""
        return None

    def price(self, g: Any, assignment: Any, attacks: bool) -> float:
        """Return the cost of an assignment; `attacks` says whether its units attack this turn."""
        return 0.0

    def goals(self, g: Any, side: int) -> list[Goal]:
        """Return the goals of a side, by scenario and turn."""
        ...

    def is_answered(self, g: Any, side: int) -> bool:
        """Whether the enemy moves once more after this turn of a side."""
        ...

    def left(self, g: Any) -> int:
        """Return the turns of a side after this one."""
        ...

    def matter(self, g: Any, side: int) -> float:
        """Return the weight of units in comparison with goals: 1 in the middle of a game, less near its end."""
        ...

    def has_combat(self, g: Any, side: int) -> bool:
        """Whether a combat phase of the side follows in this turn."""
        return True

    def move(self, g: Any, units: Sequence[int], hex: int) -> tuple[int, ...]:
        """Return the clicks that move units to a hex, or overrun it."""
        return (*units, g.place0 + hex)

    def errands(self, g: Any, side: int, decision: Decision, staff: Any) -> Order | None:
        """Return an order of the movement phase that is not a move of units, once all have moved: supplies, leaders."""
        ...

    def answer(self, g: Any, side: int, decision: Decision, staff: Any) -> Order | None:
        """Return the order for a decision that only this game has, or None."""
        ...

    def score(self, g: Any, side: int) -> float:
        """Return how good a position is for a side, about from -1 to 1."""
        ...
