"""The register of games: a package states everything about its game; another game cannot take its id."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from khamsin import games, players
from khamsin.atlas.ingest import grids
from khamsin.kernel import Board, Counter, Match, SeededDice, registration
from khamsin.kernel.board import folder_of
from khamsin.kernel.registration import registrations
from khamsin.server import catalogue, limits
from khamsin.server.board_cache import BoardCache
from khamsin.server.symbols import face_of


def test_a_game_that_two_threads_load_at_once_is_registered_by_both() -> None:
    rules = games.load("paa")
    games.register(rules)
    assert games.load("paa") is rules


def test_a_game_loaded_after_the_freeze_is_frozen_too() -> None:
    """A full garbage collection looks at all objects that are not frozen: a tenth of a second with one game."""
    program = """
import gc
from khamsin import games
games.load("paa")
assert gc.get_freeze_count() == 0
games.freeze_gc()
before = gc.get_freeze_count()
games.load("kasserine")
print(gc.get_freeze_count() - before)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert int(run.stdout) > 10_000


def test_another_game_under_the_name_of_one_is_refused() -> None:
    with pytest.raises(ValueError, match="'paa': already registered"):
        games.register(replace(games.load("paa")))


@pytest.mark.parametrize("game", games.playable())
def test_the_listed_clicks_are_the_legal_ones_in_their_order(game: str) -> None:
    rules, chance = games.load(game), random.Random(4)
    match = Match(rules, next(iter(rules.scenarios)), dice=SeededDice(4))
    for _ in range(60):
        assert match.decision is not None
        assert list(match.decision.listed().items()) == list(match.decision.legal.items())
        match.click(match.decision.pick(chance.random))


@pytest.mark.parametrize("game", registrations())
def test_a_game_states_its_title_sides_and_scenarios_as_its_rules_have_them(game: str) -> None:
    stated, rules = registrations()[game], games.load(game)
    assert (stated.title, tuple(stated.sides), stated.scenarios) == (rules.title, tuple(rules.sides), rules.scenarios)


def test_the_list_of_games_loads_no_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(game: str) -> None:
        raise AssertionError(f"{game} was loaded")

    monkeypatch.setattr(games, "load", load)
    found = {game: catalogue.game_info(game) for game in registrations()}
    assert [scenario.name for scenario in found["na41"].scenarios] == ["enter-rommel", "campaign", "crusader"]
    assert found["paa"].scenarios[0].options["reaction"] == ["off", "on"]
    assert "raid" not in found["tunisia"].scenarios[1].options


def test_an_option_without_a_note_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "desert"
    folder.mkdir()
    folder.joinpath("game.toml").write_text(
        'title = "Desert"\n[scenarios.raid]\ntitle = "A raid"\ntext = ""\n[options.night]\nvalues = ["off", "on"]\n'
    )
    with pytest.raises(ValueError, match="values and note of its options; 'note' is missing"):
        registration.Registration.read(folder, "desert")


@pytest.fixture
def desert(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A game in a folder of its own: the toy game on the board of another, with all that a game states."""
    folder = tmp_path / "desert"
    shutil.copytree(folder_of("paa"), folder / "data" / "board")
    board = folder / "data" / "board" / "board.toml"
    board.write_text(board.read_text().replace('scheme = "paa"', 'scheme = "desert"'))
    folder.joinpath("__init__.py").write_text(
        "from dataclasses import replace\nfrom tests.toy import skirmish\nRULES = replace(skirmish.RULES, id='desert')\n"
    )
    folder.joinpath("player.py").write_text("def strategist(side, chance):\n    raise LookupError('asked')\n")
    folder.joinpath("game.toml").write_text(
        'title = "Desert"\norder = 2\nplayer = "desert.player"\nbuilder = "desert.player"\ngrid = "DES"\n'
        "[scheme]\nrows = true\npattern = '(?P<lane>\\d\\d)(?P<step>\\d\\d)'\n"
        'shape = "{lane:02}{step:02}"\nexample = "1925"\n'
        '[symbols]\ncamel = "SFGPUCRH---"\n[labels]\n"Long Range Patrol" = "LRP"\n'
        "[bench]\nvillage = 100\n[record_clicks]\nvillage = 77\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("KHAMSIN_GAMES", "desert")
    monkeypatch.setattr(games, "_REGISTER", dict(games._REGISTER))
    registration._registrations.cache_clear()
    yield folder
    registration._registrations.cache_clear()
    for name in ("desert", "desert.player"):
        sys.modules.pop(name, None)


def test_a_game_is_added_by_its_package_alone(desert: Path) -> None:
    assert list(registrations()) == ["paa", "desert", "na41", "afrika", "tunisia", "kasserine"]
    assert "desert" not in sys.modules
    assert [game for game in games.playable() if game in registrations()] == [
        "paa",
        "desert",
        "na41",
        "afrika",
        "tunisia",
        "kasserine",
    ]
    assert next(info for info in catalogue.list_games().games if info.id == "desert").playable
    assert games.load("desert").title == "Skirmish"
    assert Board.load("desert").scheme.name == "desert"
    assert BoardCache().summary("desert").title == "Desert"
    assert games.bench_targets("desert") == {"village": 100}
    assert limits.import_clicks("desert", "village") == 77
    assert grids()["desert"] == "DES"
    face = face_of(Counter("Long Range Patrol", 0, symbol="camel"), "desert")
    assert (face.label, face.sidc[:11]) == ("LRP", "SFGPUCRH---")
    assert players.knows("hard", "desert")
    match = Match(games.load("desert"), "village", dice=SeededDice(1))
    with pytest.raises(LookupError, match="asked"):
        players.answer(match, players.player("scripted"))


def test_a_game_without_rules_has_a_board(desert: Path) -> None:
    (desert / "__init__.py").unlink()
    registration._registrations.cache_clear()
    assert "desert" not in games.playable()
    assert not next(info for info in catalogue.list_games().games if info.id == "desert").playable
    with pytest.raises(games.NotWritten, match="Desert cannot be played yet"):
        games.load("desert")


@pytest.mark.parametrize(
    "text", ["order = 1", 'title = "Desert"\ncolour = "red"', 'title = "Desert"\n[scheme]\nlanes = 1']
)
def test_a_registration_that_does_not_fit_names_its_file(desert: Path, text: str) -> None:
    (desert / "game.toml").write_text(text)
    with pytest.raises(ValueError, match=r"game\.toml: expected"):
        registration.Registration.read(desert, "desert")
