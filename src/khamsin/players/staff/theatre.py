"""What the staff asks of a game: the interface of an adapter, and the few values that pass between the two.

Hexes and units are the numbers of the game. Strengths, costs and stacking points are in the game's own units; `worth` is in the
unit of the weights, by convention the sum of attack and defence.
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
    """What a side wants of a hex: a task, its worth when it is done, and why."""

    hex: int
    worth: float
    task: str = TAKE
    reason: str = ""
    must: bool = False
    """Whether it is a constraint: filled before anything is weighed, as bases and supply lines are."""
    thin: bool = False
    """Whether one party does: it is one of several hexes that count together. What is left over comes to its help."""
    strength: float = 0.0
    """The defence that a constraint keeps there, whatever threatens it now."""


class Figures(NamedTuple):
    """What a unit is good for."""

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
    """A result of a combat: its chance, and steps lost and hexes retreated by attacker and defender."""

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
    """The hex from which they overrun; where they are, if they need not move."""
    hex: int


class Purse(NamedTuple):
    """The supplies that a plan may use, and those that only attacks may use besides."""

    points: float
    for_attacks: float = 0.0


class Theatre(Protocol):
    """The adapter of one game. Every function sees the game as the side may know it. An adapter that inherits from this class
    may leave out what has a body here: most games have no overruns and one hex of advance."""

    hexes: int
    """The number of hexes; locations from there on are boxes."""
    sides: NDArray[np.int16]
    """By hex, the hexes that can be attacked from it and from which it is attacked; `hexes` where there are fewer."""
    near: Sequence[Sequence[int]]
    """The same hexes by hex, without `hexes`."""
    limit: int
    """The stacking limit of a hex."""
    knows_retreats: bool
    """Whether `combat` counts units that cannot retreat among the steps lost."""
    weights: Mapping[str, float]
    """The weights of the staff, by name; `players/afrika/afrika.toml` has all of them with their meaning."""

    def name(self, location: int) -> str:
        """Return a location as it is printed."""
        ...

    def stacks(self, g: Any, side: int) -> Mapping[int, Sequence[int]]:
        """Return the combat units of a side in each hex."""
        ...

    def figures(self, g: Any, unit: int) -> Figures:
        """Return what a unit is good for now."""
        ...

    def parties(self, g: Any, side: int) -> list[tuple[int, ...]]:
        """Return the units that can move in this phase, in groups that are in one place and move together."""
        ...

    def costs(self, g: Any, side: int, units: Sequence[int]) -> Costs:
        """Return what units can reach in this phase."""
        ...

    def reach(self, g: Any, side: int, units: Sequence[int], turns: int) -> Costs:
        """Return what units can reach in so many turns from the next one on."""
        ...

    def march(self, g: Any, side: int, unit: int, hex: int) -> tuple[Costs, int]:
        """Return the cost from each hex to one hex for a unit, as the enemy stands, and the allowance of the unit."""
        ...

    def moves_again(self, g: Any, side: int, units: Sequence[int]) -> bool:
        """Whether units that end this phase away from the enemy move once more in this turn."""
        return False

    def cover(self, g: Any, side: int) -> Field:
        """Return by how much each hex multiplies the defence of a side."""
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
        """Return the hex into which an advance leads, None if it is not known."""
        return None

    def supplied(self, g: Any, side: int, blocked: Sequence[int] = ()) -> Mask:
        """Return the hexes in which a unit of a side would be in supply, if enemy units were in the blocked hexes too."""
        ...

    def lines(self, g: Any, side: int) -> Sequence[int]:
        """Return the hexes along which the supply of a side runs now, as far as they are known."""
        return []

    def purse(self, g: Any, side: int) -> Purse | None:
        """Return what a side can pay for its moves and attacks in this turn, None if they cost nothing."""
        return None

    def price(self, g: Any, assignment: Any, attacks: bool) -> float:
        """Return what an assignment costs; `attacks` says whether its units attack in this turn."""
        return 0.0

    def goals(self, g: Any, side: int) -> list[Goal]:
        """Return what a side wants, by scenario and turn."""
        ...

    def is_answered(self, g: Any, side: int) -> bool:
        """Whether the enemy moves once more after this turn of a side."""
        ...

    def left(self, g: Any) -> int:
        """Return the turns of a side after this one."""
        ...

    def matter(self, g: Any, side: int) -> float:
        """Return how much units still matter beside goals: 1 in the middle of a game, less when it is about to end."""
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
        """Return the answer to a decision that only this game asks, or None."""
        ...

    def score(self, g: Any, side: int) -> float:
        """Return how good a position is for a side, about from -1 to 1."""
        ...
