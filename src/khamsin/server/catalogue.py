"""What can be played: the list of games, and the data of each that never change, ready to send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import khamsin
from khamsin import games, players, rulebook
from khamsin.kernel.registration import Scenario, registrations
from khamsin.kernel.rules import Rules
from khamsin.kernel.tables import Table
from khamsin.players.levels import LEVELS
from khamsin.server import wire
from khamsin.server.board_cache import Document
from khamsin.server.click_checks import Refused
from khamsin.server.symbols import face_of

USUAL = "normal"
WORDS = {
    "easy": "Knows the objectives, but often moves at random",
    "normal": "Plans each phase with exact odds, threats and supply",
    "hard": "Plays several plans out against your replies before it moves; takes seconds per turn",
    "random": "Clicks any legal click",
    "passive": "Does as little as the rules allow",
}
"""Descriptions of the computer players: first the levels, then test players."""


def list_games() -> wire.GameList:
    """Return the games and the computer players."""
    ids = list(dict.fromkeys([*registrations(), *games.playable()]))
    return wire.GameList(
        games=[game_info(game) for game in ids],
        players=[wire.PlayerInfo(name=name, text=text) for name, text in WORDS.items()],
        levels=list(LEVELS),
        usual=USUAL,
        version=khamsin.__version__,
    )


def game_info(game: str) -> wire.GameInfo:
    """Return one game of the list."""
    if game not in games.playable():
        return wire.GameInfo(
            id=game,
            title=registrations()[game].title,
            playable=False,
            sides=[],
            scenarios=[],
            players=[],
            sections=_sections(game),
        )
    title, sides, stated = _stated(game)
    scenarios = [
        wire.ScenarioInfo(
            name=s.name,
            title=s.title,
            text=s.text,
            options={k: list(v) for k, v in s.options.items()},
            notes=dict(s.notes),
        )
        for s in stated.values()
    ]
    return wire.GameInfo(
        id=game,
        title=title,
        playable=True,
        sides=list(sides),
        scenarios=scenarios,
        players=[name for name in WORDS if players.knows(name, game)],
        sections=_sections(game),
    )


def _stated(game: str) -> tuple[str, Sequence[str], Mapping[str, Scenario]]:
    """Return the title, sides and scenarios of a game. Rules and boards take seconds to load; they are read only for a
    game whose `game.toml` does not say."""
    found = registrations().get(game)
    if found is not None and found.scenarios and found.sides:
        return found.title, found.sides, found.scenarios
    rules = games.load(game)
    return rules.title, rules.sides, rules.scenarios


def rules_of(game: str) -> Rules[Any]:
    """Return the rules of a game that can be played."""
    try:
        return games.load(game)
    except ValueError as error:
        raise Refused("unknown", str(error)) from None


@lru_cache(maxsize=32)
def contents(game: str) -> Document:
    """Return the data of a game that never change while it is played, besides its board."""
    rules = rules_of(game)
    counters = []
    for counter in rules.counters:
        face = face_of(counter, rules.id)
        counters.append(
            wire.CounterInfo(
                name=counter.name, label=face.label, full=rules.display.full(counter),
                side=rules.sides[counter.side], nation=counter.nation, symbol=counter.symbol, sidc=face.sidc,
                size=counter.size, parent=counter.parent, steps=counter.steps,
                printed=dict(rules.display.printed(counter)), ground=face.ground, ink=face.ink, source=counter.source,
            )
        )  # fmt: skip
    box = wire.GameData(
        id=rules.id, title=rules.title, digest=rules.digest, sides=list(rules.sides), counters=counters,
        buttons=list(rules.buttons), scenarios={name: s.title for name, s in rules.scenarios.items()},
        tables=[_table(table, rules.display.tables.get(table.name, "")) for table in rules.tables.values()],
        layers=[
            wire.LayerInfo(name=name, title=layer.title, rule=layer.rule, legend=dict(layer.legend))
            for name, layer in rules.display.layers.items()
        ],
        glossary=[wire.TermInfo(term=t.term, text=t.text, rule=t.rule, forms=list(t.forms)) for t in rules.display.glossary],
        points=rules.display.points, secrets=rules.has_hidden_info,
    )  # fmt: skip
    return Document.of(box.model_dump_json(), "application/json")


@lru_cache(maxsize=32)
def rulebook_of(game: str) -> Document:
    """Return the gist of a game's rulebook, section by section."""
    if game not in registrations() and game not in games.playable():
        raise Refused("unknown", f"{game!r}: no such game")
    title = registrations()[game].title if game in registrations() else games.load(game).title
    sections = [wire.Section(number=e.number, title=e.title, gist=e.gist) for e in _entries(game)]
    return Document.of(wire.Rulebook(game=game, title=title, sections=sections).model_dump_json(), "application/json")


@lru_cache(maxsize=32)
def _sections(game: str) -> int:
    return len(_entries(game))


def _entries(game: str) -> list[rulebook.Entry]:
    try:
        return [entry for entry in rulebook.read(game) if not entry.example]
    except ValueError:
        return []


def _table(table: Table, title: str) -> wire.TableInfo:
    return wire.TableInfo(
        name=table.name,
        title=title or table.name.replace("_", " ").capitalize(),
        rule=table.rule,
        dice=table.dice,
        heads=list(table.heads),
        rows=[(str(throw), [str(cell) for cell in cells]) for throw, cells in table.rows.items()],
        source=table.source,
    )
