"""Dice: seeded, counted and logged, committed before the game and revealed after it.

The live dice of a game are a keyed counter: roll number n is a keyed hash of n. The hash of the key is shown before the
first roll and the key after the last, so every roll can be checked and none predicted. Search and simulation use other
streams.

The players can contribute to the key: 32 bytes each, committed before the game and revealed after it like the key. If
the key is committed before the contributions are known, neither its owner nor a player can choose the rolls.

>>> dice = KeyedDice(bytes(16))
>>> dice.roll("attack", "12.4.3"), dice.roll("attack", "12.4.3"), dice.count
(3, 1, 2)
>>> dice.commitment[:12]
'374708fff771'
>>> KeyedDice(bytes(16)).roll("anything") == 3
True
>>> dice = KeyedDice(bytes(16), [bytes([1]) * 32, bytes([2]) * 32])
>>> [dice.roll("attack") for _ in range(8)], dice.commitment[:12]
([4, 1, 5, 5, 2, 4, 2, 5], '374708fff771')
"""

from __future__ import annotations

import hashlib
import random
import secrets
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

CONTRIBUTION_BYTES = 32
"""The length of a player's contribution to the key of the dice."""


class Roll(NamedTuple):
    """One die roll, and the only side that may see it (-1: everyone, -2: no side)."""

    purpose: str
    rule: str
    sides: int
    value: int
    to: int = -1


MAX_SIDES = 1 << 16
"""The most sides of a die."""


class DiceError(ValueError):
    """A roll that the dice cannot give."""


class Dice:
    """A stream of dice. `on_roll`, if set, is called with every roll."""

    __slots__ = ("count", "on_roll")

    def __init__(self) -> None:
        self.count = 0
        self.on_roll: Callable[[Roll], None] | None = None

    def roll(self, purpose: str, rule: str = "", sides: int = 6, to: int = -1) -> int:
        """Roll one die from 1 to `sides`, for a purpose, under a rule, seen by one side, by everyone (-1) or by no side
        (-2)."""
        if not 1 <= sides <= MAX_SIDES:
            raise DiceError(f"{sides!r}: expected a die of 1 to {MAX_SIDES} sides")
        value = self._next(sides)
        self.count += 1
        if self.on_roll is not None:
            self.on_roll(Roll(purpose, rule, sides, value, to))
        return value

    def two(self, purpose: str, rule: str = "", to: int = -1) -> int:
        """Return the sum of two dice."""
        return self.roll(purpose, rule, to=to) + self.roll(purpose, rule, to=to)

    def sixtysix(self, purpose: str, rule: str = "", to: int = -1) -> int:
        """Return two dice read as tens and units, 11 to 66."""
        return 10 * self.roll(purpose, rule, to=to) + self.roll(purpose, rule, to=to)

    def pick(self, count: int, purpose: str, rule: str = "", to: int = -1) -> int:
        """Return a number from 0 to count - 1, as for a draw from a cup."""
        return self.roll(purpose, rule, count, to) - 1

    def take_back(self, rolls: list[tuple[int, int]]) -> None:
        """Rewind the last rolls, given as (sides, value) in order; they repeat."""
        self.count -= len(rolls)

    def _next(self, sides: int) -> int:
        raise NotImplementedError


class KeyedDice(Dice):
    """The live dice of a game: a key and the players' contributions, in the order of the sides."""

    __slots__ = ("_effective_key", "contributions", "contributors", "key", "seed")

    def __init__(
        self, key: bytes | None = None, contributions: Sequence[bytes] = (), contributors: Sequence[int] | None = None
    ) -> None:
        """`contributors` are the sides that contributed, in order; by default 0, 1 and so on."""
        super().__init__()
        self.key = secrets.token_bytes(16) if key is None else key
        if not 16 <= len(self.key) <= 64:
            raise DiceError(f"{len(self.key)} bytes: expected a key of 16 to 64")
        self.contributions = tuple(contributions)
        self.contributors = tuple(range(len(contributions)) if contributors is None else contributors)
        in_order = all(one < next_ for one, next_ in pairwise(self.contributors))
        if len(self.contributors) != len(self.contributions) or not in_order:
            raise DiceError(f"{self.contributors}: expected {len(self.contributions)} side(s) in order")
        self.seed: int | None = None
        """The seed the key was made from, if any. Such dice were chosen, not drawn."""
        self._effective_key = effective_key(self.key, self.contributions)

    @classmethod
    def seeded(cls, seed: int) -> KeyedDice:
        """Return dice that are the same for the same seed, for positions and tests."""
        dice = cls(hashlib.sha256(f"khamsin {seed}".encode()).digest()[:16])
        dice.seed = seed
        return dice

    def contributed(self) -> Iterable[tuple[int, bytes]]:
        """Return the contributing sides, each with its contribution."""
        return zip(self.contributors, self.contributions, strict=True)

    @property
    def commitment(self) -> str:
        """The hash of the key, shown before the first roll."""
        return commitment(self.key)

    def _next(self, sides: int) -> int:
        # Draw 64-bit numbers until one falls below the largest multiple of `sides`, so that no face is favoured.
        bound = (1 << 64) - (1 << 64) % sides
        attempt = 0
        while True:
            message = self.count.to_bytes(8, "big") + attempt.to_bytes(4, "big")
            number = int.from_bytes(hashlib.blake2b(message, key=self._effective_key, digest_size=8).digest(), "big")
            if number < bound:
                return number % sides + 1
            attempt += 1

    def __repr__(self) -> str:
        return f"<KeyedDice {self.commitment[:12]}, {self.count} rolled>"


class SeededDice(Dice):
    """Dice for search, simulation and tests: fast and determined by the seed.

    >>> SeededDice(7).roll("test") == SeededDice(7).roll("test")
    True
    """

    __slots__ = ("_again", "_random", "seed")

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed = seed
        self._random = random.Random(seed).random
        self._again: list[float] = []

    def take_back(self, rolls: list[tuple[int, int]]) -> None:
        """Rewind the last rolls, given as (sides, value) in order; they repeat."""
        super().take_back(rolls)
        self._again += [(value - 0.5) / sides for sides, value in reversed(rolls)]

    def _next(self, sides: int) -> int:
        return int((self._again.pop() if self._again else self._random()) * sides) + 1

    def __repr__(self) -> str:
        return f"<SeededDice {self.seed}, {self.count} rolled>"


class ReplayDice(Dice):
    """Dice that repeat recorded rolls, and then continue with another stream."""

    __slots__ = ("_past", "then")

    def __init__(self, past: Iterable[int], then: Dice | None = None) -> None:
        super().__init__()
        self._past = list(past)[::-1]
        self.then = then

    def give(self, rolls: Iterable[int]) -> None:
        """Add rolls to those still to be repeated."""
        self._past = [*list(rolls)[::-1], *self._past]

    @property
    def left(self) -> int:
        """How many recorded rolls are still to be repeated."""
        return len(self._past)

    def take_back(self, rolls: list[tuple[int, int]]) -> None:
        """Rewind the last rolls, given as (sides, value) in order; they repeat."""
        super().take_back(rolls)
        self._past += [value for _, value in reversed(rolls)]

    def _next(self, sides: int) -> int:
        if self._past:
            value = self._past.pop()
            if not 1 <= value <= sides:
                raise DiceError(f"{value}: the record has a roll that a die of {sides} sides cannot show")
            return value
        if self.then is None:
            raise DiceError("the replay needs a roll that the record does not have")
        value = self.then._next(sides)
        self.then.count += 1
        return value

    def __repr__(self) -> str:
        return f"<ReplayDice, {self.count} rolled, {self.left} to come" + (
            f", then {self.then!r}>" if self.then else ">"
        )


def commitment(key: bytes) -> str:
    """Return the SHA-256 of a key or a contribution: published before the game.

    >>> commitment(bytes([1]) * 32)[:12]
    '72cd6e8422c4'
    """
    return hashlib.sha256(key).hexdigest()


def effective_key(key: bytes, contributions: Sequence[bytes]) -> bytes:
    """Return the key the rolls follow from: the BLAKE2b hash of all contributions, in order, under the key.

    >>> effective_key(bytes(16), [bytes([1]) * 32, bytes([2]) * 32]).hex()
    'd7442dc46164ed5e8576c597ab66e09e89184aa24f8651e76cf126882b1cefdf'
    >>> effective_key(bytes(16), []) == bytes(16)
    True
    """
    for value in contributions:
        if len(value) != CONTRIBUTION_BYTES:
            raise DiceError(f"{len(value)} bytes: expected a contribution of {CONTRIBUTION_BYTES}")
    if not contributions:
        return key
    return hashlib.blake2b(b"".join(contributions), key=key, digest_size=32).digest()
