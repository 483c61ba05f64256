"""The boards agree with their rulebooks, with the geography they are made from, and with the earth."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path

import pytest

from khamsin.atlas.build import GEOGRAPHY, Draft, Survey
from khamsin.atlas.check import CHECKS, check
from khamsin.atlas.grid import Grid
from khamsin.kernel import Board
from khamsin.kernel.board import folder_of
from khamsin.kernel.registration import registrations

every_game = pytest.mark.parametrize("game", registrations())


@every_game
def test_a_board_agrees_with_its_rulebook(game: str) -> None:
    assert [finding for finding in check(game) if not finding.holds] == []


@every_game
def test_the_board_files_are_what_the_geography_gives(game: str, tmp_path: Path) -> None:
    draft: Draft = importlib.import_module(f"khamsin.atlas.{game}").draft(Survey(game))
    draft.state(tomllib.loads((GEOGRAPHY / game / "stated.toml").read_text(encoding="utf-8")))
    draft.write(tmp_path)
    for file in tmp_path.iterdir():
        assert file.read_text(encoding="utf-8") == (folder_of(game) / file.name).read_text(encoding="utf-8"), file.name


@pytest.mark.parametrize(
    ("game", "hex", "lat", "lon"),
    [
        ("paa", "1925", 32.083, 23.9886),
        ("na41", "3138", 32.0733, 23.9945),
        ("afrika", "A39.23", 32.0696, 23.9996),
        ("afrika", "B19.18", 31.1873, 29.9089),
        ("tunisia", "A48.24", 36.7946, 10.1749),
        ("tunisia", "B48.17", 33.878, 10.0958),
        ("kasserine", "3119", 35.2671, 8.74),
    ],
)
def test_a_hex_lies_where_it_should_on_the_earth(game: str, hex: str, lat: float, lon: float) -> None:
    board = Board.load(game)
    grid = Grid(board.meta["geo"])
    x, y = board.scheme.centre(board.axial[board[hex]])
    found_lat, found_lon = grid.earth([x], [y])
    assert (found_lat[0], found_lon[0]) == pytest.approx((lat, lon), abs=0.001)
    back_x, back_y = grid.plane(found_lat, found_lon)
    assert (back_x[0], back_y[0]) == pytest.approx((x, y), abs=1e-6)


@pytest.mark.parametrize(
    ("heading", "entry"),
    [
        ("enterable", {"hexes": ["1926"]}),
        ("enterable", {"hexes": ["9999"]}),
        ("terrain", {"hexes": ["1925"], "is": "swamp"}),
        ("tag", {"hexes": ["0702"], "has": "fort"}),
        ("tag", {"hexes": ["1925"], "has": "fort", "only": True}),
        ("side", {"pairs": [["1508", "1509"]], "kind": "escarpment", "absent": True}),
        ("side", {"pairs": [["1508", "1509"]], "kind": "road"}),
        ("neighbours", {"pairs": [["0906", "1007"]]}),
        ("place", {"name": "Tobruk", "hex": "1730"}),
        ("distance", {"between": ["0702", "1906"], "along": ["road"], "steps": 15}),
        ("joined", {"kinds": ["railroad"], "through": ["1353", "Tobruk"]}),
        ("whole", {"kinds": ["track"], "pieces": 0}),
        ("port", {"hexes": ["1622"]}),
        ("pass", {"name": "nowhere", "hex": "0510", "along": ["road"]}),
        ("area", {"name": "El Agheila base", "size": 6}),
        ("area", {"name": "El Agheila base", "holds": ["1351"]}),
        ("area", {"name": "Tobruk fort", "data": {"defence": 4}}),
        ("area", {"name": "Cairo"}),
        ("box", {"names": ["Cairo"]}),
    ],
)
def test_a_check_fails_where_the_board_does_not_agree(heading: str, entry: dict[str, object]) -> None:
    assert any(wrong for _, wrong in CHECKS[heading](Board.load("paa"), entry))


def test_libya_and_egypt_share_the_land_of_paa_along_the_border() -> None:
    board = Board.load("paa")
    libya, egypt = set(board.areas["Libya"].hexes), set(board.areas["Egypt"].hexes)
    assert not libya & egypt
    assert libya | egypt == {h for h in board if board.enterable(h)}
    across = {(min(a, b), max(a, b)) for a in libya for b in board.around(a) if b in egypt}
    assert across == {
        (s.a, s.b) for s in board.sides if s.kind == "border" and board.enterable(s.a) and board.enterable(s.b)
    }


def test_nobody_enters_the_qattara_depression_of_paa() -> None:
    board = Board.load("paa")
    floor = set(board.areas["Qattara Depression"].hexes)
    for hex in floor:
        for near in board.around(hex):
            if near not in floor and board.enterable(near):
                assert "prohibited" in board.between(hex, near), (board.name(hex), board.name(near))


def test_no_line_crosses_a_prohibited_hexside_of_paa() -> None:
    board = Board.load("paa")
    shut = {(s.a, s.b) for s in board.sides if s.kind == "prohibited"}
    assert not {(s.a, s.b) for s in board.sides if s.kind in ("road", "track", "railroad")} & shut


def test_the_zones_of_the_forts_of_paa_are_their_land_neighbours() -> None:
    board = Board.load("paa")
    for fort in ("Tobruk fort", "Bardia fort"):
        area = board.areas[fort]
        zone = board.areas[area.data["zone"]]
        assert set(zone.hexes) == {h for h in board.around(area.hexes[0]) if board.enterable(h)}


def test_each_group_of_lines_that_do_not_join_names_exactly_the_lines_of_its_hex() -> None:
    board = Board.load("paa")
    for area in board.areas.values():
        if area.kind == "apart":
            named = [board[name] for group in area.data["groups"] for name in group]
            lines = {*board.along(area.hexes[0], "road"), *board.along(area.hexes[0], "track")}
            assert sorted(named) == sorted(lines)
