"""What is to be played: a game, a scenario, its options, the players, a seed, and changed parameters.

>>> study = Study("paa", "campaign", ("scripted", "random"), seed=7)
>>> Study.from_json(study.as_json()) == study
True
>>> study.but(("option.command=single roll",)).options, study.but(("table.crt.3.2=4",)).changes
({'command': 'single roll'}, {'table.crt.3.2': '4'})
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from khamsin.kernel.dice import KeyedDice


@dataclass(frozen=True)
class Study:
    """A scenario to be played many times. Game number n of a study is always the same game."""

    game: str
    scenario: str
    players: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    changes: Mapping[str, str] = field(default_factory=dict)
    """Changed parameters of the game, by path (see `khamsin.kernel.data`)."""
    seed: int = 0

    def dice(self, number: int) -> KeyedDice:
        """Return the dice of a game."""
        return KeyedDice(self._hash(number, "dice")[:16])

    def player_seed(self, number: int, side: int) -> int:
        """Return the seed of the player of a side in a game."""
        return int.from_bytes(self._hash(number, f"side {side}")[:6], "big")

    def _hash(self, number: int, what: str) -> bytes:
        return hashlib.sha256(f"khamsin lab {self.seed} {number} {what}".encode()).digest()

    def but(self, changes: Iterable[str]) -> Study:
        """Return the study with changes: `option.NAME=VALUE`, or a parameter by its path."""
        options, figures = dict(self.options), dict(self.changes)
        for text in changes:
            path, equals, value = text.partition("=")
            if not equals:
                raise ValueError(f"{text!r}: expected a change as path=value, such as table.crt.3.2=4")
            if path.startswith("option."):
                options[path.removeprefix("option.")] = value.strip('"')
            else:
                figures[path.strip()] = value
        return replace(self, options=options, changes=figures)

    def as_json(self) -> dict[str, Any]:
        """Return the study as plain data."""
        return asdict(self) | {"players": list(self.players)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Study:
        """Make a study from plain data."""
        return cls(**{**data, "players": tuple(data["players"])})

    def command(self, sides: Iterable[str], games: int) -> str:
        """Return the command line that plays the study again."""
        words = ["khamsin", "sim", self.game, self.scenario, "--games", str(games), "--seed", str(self.seed)]
        for side, player in zip(sides, self.players, strict=True):
            words += [f"--{side.lower()}", player]
        for name, value in self.options.items():
            words += ["--set", f"{name}={value}"]
        for path, value in self.changes.items():
            words += ["--change", f"{path}={value}"]
        return shlex.join(words)
