"""What each game states about itself in its `game.toml`, read without importing its rules. This is the only list of
games.

A game is a package with a `game.toml`: a folder of `khamsin/games`, or a package named in `KHAMSIN_GAMES`. Without an
`__init__.py` it has a board but no rules yet. Only the title is required:

```toml
title = "PanzerArmee Afrika"
order = 1                          # in lists
grid = "PAA"                       # its grid in the geographic survey
builder = "khamsin.atlas.paa"      # builds its board from the geography
player = "khamsin.players.paa"     # adapter of the computer players
sides = ["Axis", "Allied"]
[scenarios.campaign]               # title and text for people
[options.command]                  # values, the default first, a note for people, and the scenarios if not all have it
[scheme]                           # the numbers of its hexes, as `kernel.hexes.Scheme`
[symbols]                          # words on its counters -> NATO symbols that server/symbols.toml lacks
[labels]                           # names too long for a counter, or whole names with their nation -> the printed form
shorten = [["^Axis ", ""]]         # expressions and what replaces them in names still too long, one after the other
turn_seconds = 0.5                 # the most a turn, or an impulse, of the scripted player may take
[bench]                            # scenario -> clicks per second of random play to reach
[record_clicks]                    # scenario -> clicks that an imported record may have
```

>>> list(registrations())
['paa', 'na41', 'afrika', 'tunisia', 'kasserine']
>>> registrations()["kasserine"].title
'Decision at Kasserine'
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from khamsin.kernel.hexes import Scheme

GAMES = Path(__file__).parent.parent / "games"
FILE = "game.toml"
VARIABLE = "KHAMSIN_GAMES"
"""The environment variable that names games outside `khamsin/games`, as `module:RULES`, separated by commas."""


@dataclass(frozen=True)
class Scenario:
    """A start of a match: `title` and `text` for people, `data` for the game's own set-up, `options` with their
    defaults, `notes` with a line about each option for people."""

    name: str
    title: str
    text: str = ""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)

    def choose(self, options: Mapping[str, str]) -> dict[str, str]:
        """Return a full set of options: those given, and the first value listed for the others."""
        for name, value in options.items():
            if name not in self.options:
                raise ValueError(f"{name!r}: no such option; there are {', '.join(self.options) or 'none'}")
            if value not in self.options[name]:
                raise ValueError(f"{name}={value!r}: expected one of {', '.join(self.options[name])}")
        return {name: options.get(name, values[0]) for name, values in self.options.items()}


@dataclass(frozen=True)
class Registration:
    """The `game.toml` of a game, its id, its folder, and the module of its rules, "" if they are not written."""

    id: str
    folder: Path
    module: str
    title: str
    order: int = 1000
    grid: str = ""
    builder: str = ""
    player: str = ""
    sides: Sequence[str] = ()
    scenarios: Mapping[str, Scenario] = field(default_factory=dict)
    scheme: Scheme | None = None
    symbols: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    shorten: Sequence[tuple[str, str]] = ()
    turn_seconds: float = 0.5
    bench: Mapping[str, int] = field(default_factory=dict)
    record_clicks: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path, module: str) -> Registration:
        """Read the `game.toml` of a folder. Raise ValueError for what does not fit."""
        file = folder / FILE
        try:
            stated: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{file}: expected TOML: {error}") from None
        known = [one.name for one in fields(cls) if one.name not in ("id", "folder", "module")] + ["options"]
        unknown = [key for key in stated if key not in known]
        if unknown or "title" not in stated:
            raise ValueError(
                f"{file}: expected a title, and only {', '.join(known)}; not {', '.join(unknown) or 'none'}"
            )
        if "scheme" in stated:
            stated["scheme"] = _scheme(folder.name, stated["scheme"], file)
        options = stated.pop("options", {})
        if "scenarios" in stated:
            stated["scenarios"] = _scenarios(stated["scenarios"], options, file)
        return cls(folder.name, folder, module if (folder / "__init__.py").exists() else "", **stated)


def _scenarios(stated: Mapping[str, Any], options: Mapping[str, Any], file: Path) -> dict[str, Scenario]:
    """Return the scenarios as players choose them, each with its options."""
    found = {}
    for name, words in stated.items():
        own = {key: one for key, one in options.items() if name in one.get("scenarios", (name,))}
        try:
            values = {key: tuple(one["values"]) for key, one in own.items()}
            notes = {key: one["note"] for key, one in own.items()}
            found[name] = Scenario(name, words["title"], words["text"], values, notes=notes)
        except KeyError as error:
            expected = f"title and text of {name}, values and note of its options"
            raise ValueError(f"{file}: expected {expected}; {error} is missing") from None
    return found


def _scheme(game: str, stated: Mapping[str, Any], file: Path) -> Scheme:
    tuples = {key: tuple(tuple(one) if isinstance(one, list) else one for one in stated[key])
              for key in ("maps", "seam") if key in stated}  # fmt: skip
    try:
        return Scheme(game, **{**stated, **tuples})
    except TypeError as error:
        raise ValueError(f"{file}: expected the fields of a scheme: {error}") from None


def registrations() -> Mapping[str, Registration]:
    """Return the registered games by id, in the order of lists."""
    return _registrations(os.environ.get(VARIABLE, ""), GAMES)


def schemes() -> dict[str, Scheme]:
    """Return the numbering of hexes of each registered game that states one."""
    return {game: found.scheme for game, found in registrations().items() if found.scheme is not None}


def named(environment: str) -> Iterator[tuple[str, str]]:
    """Yield the module and the attribute of each game that the environment names."""
    for name in filter(None, environment.split(",")):
        module, _, attribute = name.partition(":")
        yield module, attribute or "RULES"


@lru_cache(maxsize=8)
def _registrations(environment: str, shipped: Path) -> Mapping[str, Registration]:
    found = [Registration.read(file.parent, f"khamsin.games.{file.parent.name}") for file in shipped.glob(f"*/{FILE}")]
    for module, _ in named(environment):
        folder = package_folder(module)
        if folder is not None:
            found.append(Registration.read(folder, module))
    return {one.id: one for one in sorted(found, key=lambda one: (one.order, one.id))}


def package_folder(module: str) -> Path | None:
    """Return the folder of a package with a `game.toml`; None for other modules. It is not imported."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return None
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    return next((Path(folder) for folder in folders if (Path(folder) / FILE).exists()), None)
