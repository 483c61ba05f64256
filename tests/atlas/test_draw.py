import struct
import xml.etree.ElementTree as ET
from html import escape
from pathlib import Path

import numpy as np
import pytest

from khamsin.atlas import coast, draw, land, style
from khamsin.kernel.board import Board, folder_of
from khamsin.kernel.registration import schemes

GAMES = [game for game in schemes() if (folder_of(game) / "board.toml").exists()]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module", params=GAMES)
def drawn(request: pytest.FixtureRequest) -> tuple[Board, draw.Sheet]:
    board = Board.load(request.param)
    return board, draw.sheet(board)


def test_the_drawing_is_well_formed_and_has_its_layers(drawn: tuple[Board, draw.Sheet]) -> None:
    root = ET.fromstring(drawn[1].svg)
    groups = {group.get("id") for group in root.iter(f"{SVG}g")}
    assert groups >= {"base", "relief", "lines", "grid", "numbers", "names", "frame"}
    assert len(list(root.iter())) < 1500
    assert len(drawn[1].svg) < 2_500_000


def test_every_place_and_every_number_is_written(drawn: tuple[Board, draw.Sheet]) -> None:
    board, sheet = drawn
    root = ET.fromstring(sheet.svg)
    names = next(group for group in root.iter(f"{SVG}g") if group.get("id") == "names")
    written = {text.text for text in names.iter(f"{SVG}text")}
    assert {place.name for place in board.places} <= written
    numbers = next(group for group in root.iter(f"{SVG}g") if group.get("id") == "numbers")
    letters = "".join(text.text or "" for text in numbers.iter(f"{SVG}text"))
    assert sorted(letters) == sorted("".join(board.names[: board.size]))


def test_the_grid_is_one_path_with_all_hexes(drawn: tuple[Board, draw.Sheet]) -> None:
    board, sheet = drawn
    root = ET.fromstring(sheet.svg)
    (path,) = next(group for group in root.iter(f"{SVG}g") if group.get("id") == "grid")
    edge = sum(other < 0 for hex in board for other in board.neighbours[hex][3:])
    assert (path.get("d") or "").count("M") == board.size + edge


def test_the_legend_explains_all_ground_and_lines_in_use(drawn: tuple[Board, draw.Sheet]) -> None:
    board, sheet = drawn
    legend = sheet.svg[sheet.svg.index('id="frame"') :].lower()
    for name in {board.terrain_name(hex) for hex in board} | {side.kind for side in board.sides}:
        assert f">{escape(name)}<".lower() in legend


def test_the_centre_of_a_hex_shows_what_the_hex_is(drawn: tuple[Board, draw.Sheet]) -> None:
    board, sheet = drawn
    shown = land.Land(board, sheet.window).at(np.array([board.scheme.centre(axial) for axial in board.axial])) > 0.5
    wrong = [board.name(hex) for hex in board if shown[hex] == land.water(board, hex)]
    assert wrong == []


def test_points_of_the_plane_fall_on_the_map(drawn: tuple[Board, draw.Sheet]) -> None:
    board, sheet = drawn
    (ax, ay), (bx, by) = (sheet.point(*board.scheme.centre(board.axial[hex])) for hex in (0, board.around(0)[0]))
    assert np.hypot(ax - bx, ay - by) == pytest.approx(sheet.scale)
    assert 0 < ax < sheet.width
    assert 0 < ay < sheet.height


def test_each_board_has_a_relief_that_says_what_it_covers(drawn: tuple[Board, draw.Sheet]) -> None:
    board, sheet = drawn
    picture = (folder_of(board.game) / "relief.jpg").read_bytes()
    window = sheet.window
    covers = f"window {window.west:.4f} {window.south:.4f} {window.east:.4f} {window.north:.4f}; source: "
    assert covers.encode() in picture[:400]
    assert len(picture) < 250_000


def test_the_coast_names_its_source_and_licence() -> None:
    assert "Natural Earth" in coast.SOURCE
    assert "public domain" in coast.LICENCE
    assert coast.SOURCE in coast.FILE.read_text(encoding="utf-8")[:300]
    assert sum(map(len, coast.land())) > 1000


def test_a_png_has_the_width_asked() -> None:
    picture = draw.png(Board.load(GAMES[0]), 300)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">I", picture[16:20]) == (300,)


def test_a_written_svg_carries_its_fonts(tmp_path: Path) -> None:
    draw.write(GAMES[0], tmp_path / "map.svg")
    text = (tmp_path / "map.svg").read_text(encoding="utf-8")
    assert "font-family:'Khamsin Serif'" in text
    ET.fromstring(text)


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"map\.pdf.*\.svg or \.png"):
        draw.write(GAMES[0], tmp_path / "map.pdf")


def test_an_unknown_kind_is_drawn_by_its_last_word_or_the_default() -> None:
    assert style.look("side", "sunken road") == style.look("side", "road")
    assert style.look("side", "tramway")["form"] == "line"
    assert style.look("terrain", "glacier")["tint"]
