from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from khamsin.kernel import NOWHERE, Board, BoardError, HexsideKind, Terrain, UnknownHex
from khamsin.kernel.registration import schemes
from tests.toy.skirmish import BOARD

SCHEMES = schemes()
AFRIKA, KASSERINE, PAA = (SCHEMES[game] for game in ("afrika", "kasserine", "paa"))

TOML = """game = "paa"
title = "Small"
scheme = "paa"
[terrain.clear]
[terrain.sea]
enterable = false
[side.road]
across = true
[side.cliff]
[[area]]
name = "base"
kind = "port"
hexes = ["0101"]
from = "made up"
capacity = 3
[[box]]
name = "cadre"
kind = "holding"
from = "made up"
"""
HEXES = """# a small board
hex,terrain,tags,lat,lon,elevation,from
0101,clear,port city,31.5,25.0,10,made up
0102,clear,,31.5,25.2,20,made up
0201,sea,,31.6,25.1,0,made up
"""
SIDES = """a,b,kind,low,name,from
0101,0102,road,,Via Balbia,made up
0101,0201,cliff,0201,,made up
"""
PLACES = """name,hex,kind,rank,from
Tobruk,0101,town,2,made up
The well,0101,well,5,made up
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("board.toml", TOML), ("hexes.csv", HEXES), ("sides.csv", SIDES), ("places.csv", PLACES)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_board_is_read_from_its_folder(folder: Path) -> None:
    board = Board.read(folder)
    assert [board.name(location) for location in range(4)] == ["0101", "0102", "0201", "cadre"]
    assert board.terrain_name(board["0201"]) == "sea"
    assert board.tags[board["0101"]] == {"port", "city"}
    assert board.areas["base"].hexes == (board["0101"],)
    assert board.areas["base"].data == {"capacity": 3}
    assert board.box["cadre"].location == board["cadre"] == board.size
    assert board.geo[board["0102"]].tolist() == [31.5, 25.2, 20]


def test_a_hex_is_entered_and_a_sea_is_not(folder: Path) -> None:
    board = Board.read(folder)
    assert board.enterable(board["0101"])
    assert not board.enterable(board["0201"])


def test_a_side_is_the_same_from_both_hexes(folder: Path) -> None:
    board = Board.read(folder)
    a, b, sea = board["0101"], board["0102"], board["0201"]
    assert board.between(a, b) == board.between(b, a) == {"road"}
    assert board.between(a, sea) == board.between(sea, a) == {"cliff"}
    assert board.between(b, sea) == frozenset()
    assert board.along(a, "road") == (b,)
    assert board.along(b, "road") == (a,)


def test_a_side_remembers_its_low_hex_and_name(folder: Path) -> None:
    road, cliff = Board.read(folder).sides
    assert (road.low, road.name) == (NOWHERE, "Via Balbia")
    assert cliff.low == 2


def test_the_chief_place_of_a_hex_is_the_one_of_highest_rank(folder: Path) -> None:
    board = Board.read(folder)
    assert board.place_in(board["0101"]) == "Tobruk"
    assert board.place_in(board["0102"]) == ""
    assert board.place["The well"].rank == 5


@pytest.mark.parametrize("game", SCHEMES)
def test_neighbours_are_symmetric_and_opposite(game: str) -> None:
    board = Board.load(game)
    for hex in board:
        for direction, other in enumerate(board.neighbours[hex]):
            if other != NOWHERE:
                assert board.neighbours[other][(direction + 3) % 6] == hex
                assert board.distance(hex, other) == 1
                assert board.direction(hex, other) == direction
                assert board.hexside_bits[hex * 6 + direction] == board.hexside_bits[other * 6 + (direction + 3) % 6]


def test_the_hexes_within_a_distance_are_those_and_no_others() -> None:
    here = BOARD["0405"]
    assert set(BOARD.within(here, 2)) == {hex for hex in BOARD if BOARD.distance(here, hex) <= 2}
    assert BOARD.within(here, 0) == (here,)


@pytest.mark.parametrize("distance", [-1, 0, 1, 3, 12, 40, 10**6])
def test_the_hexes_within_a_distance_are_the_same_however_they_are_found(distance: int) -> None:
    board = Board.load("kasserine")
    here = board["2809"]
    assert board.within(here, distance) == tuple(hex for hex in board if board.distance(here, hex) <= distance)


def test_a_hex_at_the_edge_has_fewer_around_it() -> None:
    assert len(BOARD.around(BOARD["0101"])) < len(BOARD.around(BOARD["0405"])) == 6


def test_the_kernels_see_the_same_neighbours() -> None:
    assert [tuple(row) for row in BOARD.adjacency.tolist()] == list(BOARD.neighbours)


@pytest.mark.parametrize("location", [-1, 10**6])
def test_a_location_off_the_board_has_no_name(location: int) -> None:
    with pytest.raises(UnknownHex, match=str(location)):
        BOARD.name(location)


@pytest.mark.parametrize("location", [NOWHERE, BOARD["lost"], 10**6])
@pytest.mark.parametrize(
    "ask",
    [
        lambda at: BOARD.distance(at, 0), lambda at: BOARD.distance(0, at), BOARD.terrain_name, BOARD.enterable, BOARD.around,
        lambda at: BOARD.direction(at, 0), lambda at: BOARD.direction(0, at), lambda at: BOARD.between(at, 0),
        lambda at: BOARD.between(0, at), lambda at: BOARD.within(at, 1), lambda at: BOARD.along(at, "road"),
    ],
    ids=["distance from", "distance to", "terrain", "enterable", "around", "direction from", "direction to", "between from",
         "between to", "within", "along"],
)  # fmt: skip
def test_a_location_that_is_no_hex_is_refused(ask: Callable[[int], object], location: int) -> None:
    with pytest.raises(UnknownHex, match=f"{location}: no hex of the skirmish board"):
        ask(location)


def test_hexes_that_are_not_neighbours_have_no_direction() -> None:
    with pytest.raises(UnknownHex, match=r"0101/0405.*not adjacent"):
        BOARD.direction(BOARD["0101"], BOARD["0405"])


def test_a_kind_of_hexside_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'canal'"):
        BOARD.bit("canal")


def test_a_hex_twice_is_refused_by_name() -> None:
    with pytest.raises(UnknownHex, match=r"'0101'.*twice"):
        Board("x", "X", PAA, [Terrain("clear", True)], [], [("0101", "clear", frozenset())] * 2)


def test_two_numbers_of_one_hex_are_refused() -> None:
    hexes = [(name, "clear", frozenset[str]()) for name in ("A61.05", "B1.05")]
    with pytest.raises(UnknownHex, match=r"'B1.05': the same hex as A61.05"):
        Board("x", "X", AFRIKA, [Terrain("clear", True)], [], hexes)


def test_a_side_between_distant_hexes_is_refused_by_name() -> None:
    hexes = [(name, "clear", frozenset[str]()) for name in ("0101", "0109")]
    with pytest.raises(UnknownHex, match="'0101/0109'"):
        Board(
            "x", "X", PAA, [Terrain("clear", True)], [HexsideKind("road", True, 1)], hexes,
            [("0101", "0109", "road", "", "", "")],
        )  # fmt: skip


def test_a_box_named_as_a_hex_is_refused() -> None:
    with pytest.raises(ValueError, match="share a name"):
        Board(
            "x", "X", PAA, [Terrain("clear", True)], [], [("0101", "clear", frozenset())],
            boxes=[("0101", "box", "", {})],
        )  # fmt: skip


def test_a_moved_road_changes_the_fingerprint(folder: Path) -> None:
    before = Board.read(folder).digest
    assert Board.read(folder).digest == before
    (folder / "sides.csv").write_text(SIDES.replace("0101,0102,road", "0102,0201,road"), encoding="utf-8")
    assert Board.read(folder).digest != before


def small(**change: Any) -> Board:
    parts: dict[str, Any] = {
        "scheme": PAA,
        "terrains": [Terrain("clear", True)],
        "side_kinds": [HexsideKind("cliff", False, 1)],
        "hexes": [("0101", "clear", frozenset()), ("0102", "clear", frozenset())],
        "sides": [("0101", "0102", "cliff", "0101", "", "")],
        "places": [("Tobruk", "0101", "town", 1, "")],
        "areas": [("base", "port", ["0101"], "", {"capacity": 3})],
        "boxes": [("cadre", "holding", "", {"limit": 2})],
    }
    return Board("x", "X", **parts | change)


@pytest.mark.parametrize(
    "change",
    [
        {"scheme": KASSERINE},
        {"terrains": [Terrain("clear", False)]},
        {"side_kinds": [HexsideKind("cliff", True, 1)]},
        {"sides": [("0101", "0102", "cliff", "0102", "", "")]},
        {"sides": [("0101", "0102", "cliff", "0101", "Halfaya", "")]},
        {"places": [("Tobruk", "0102", "town", 1, "")]},
        {"places": [("Tobruk", "0101", "town", 2, "")]},
        {"areas": [("base", "port", ["0102"], "", {"capacity": 3})]},
        {"areas": [("base", "port", ["0101"], "", {"capacity": 9})]},
        {"boxes": [("cadre", "holding", "", {"limit": 5})]},
    ],
    ids=str,
)
def test_the_fingerprint_of_a_board_tells_all_that_rules_can_see(change: dict[str, Any]) -> None:
    assert small(**change).digest != small().digest


@pytest.mark.parametrize(
    ("file", "old", "new", "line", "expected"),
    [
        ("board.toml", 'title = "Small"\n', "", 1, "expected a key 'title'"),
        ("board.toml", '[side.road]\nacross = true\n[side.cliff]\n', "", 1, "expected a key 'side'"),
        ("board.toml", 'scheme = "paa"', 'scheme = "chess"', 3, "expected scheme to be one of paa, na41"),
        ("board.toml", 'kind = "holding"\n', "", 16, "expected every area and box to have a key 'kind'"),
        ("board.toml", 'hexes = ["0101"]', 'hexes = ["0999"]', 13, "expected a hex of this board, not '0999'"),
        ("hexes.csv", "hex,terrain,tags", "hex,ground,tags", 2, "expected the heading hex,terrain,tags"),
        ("hexes.csv", "0102,clear,,31.5,25.2,20,made up", "0102,clear,,31.5", 4, "expected 7 fields"),
        ("hexes.csv", "0102,clear", "0102,lava", 4, "expected a terrain of clear, sea, not 'lava'"),
        ("hexes.csv", "25.2", "east", 4, "expected numbers for lat, lon and elevation"),
        ("hexes.csv", "0201,sea", "02o1,sea", 5, "'02o1': not a hex number of paa, which look like '1925'"),
        ("sides.csv", "a,b,kind", "a,c,kind", 1, "expected the heading a,b,kind"),
        ("sides.csv", "0101,0102,road", "0101,0199,road", 2, "expected a hex of this board, not '0199'"),
        ("sides.csv", "0101,0102,road", "0999,0102,road", 2, "expected a hex of this board, not '0999'"),
        ("sides.csv", "0101,0102,road", "0101,0101,road", 2, "expected adjacent hexes, not 0101 and 0101"),
        ("sides.csv", "0102,road", "0102,canal", 2, "expected a kind of hexside, not 'canal'"),
        ("sides.csv", "cliff,0201", "cliff,0102", 3, "expected the low hex to be 0101 or 0201"),
        ("sides.csv", "Via Balbia,made up", "Via Balbia", 2, "expected 6 fields"),
        ("places.csv", "The well,0101", "The well,0303", 3, "expected a hex of this board, not '0303'"),
        ("places.csv", "well,5", "well,high", 3, "expected a rank from 1 to 5, not 'high'"),
        ("places.csv", "well,5", "well,-1", 3, "expected a rank from 1 to 5, not '-1'"),
        ("places.csv", "well,5", "well,9", 3, "expected a rank from 1 to 5, not '9'"),
        ("places.csv", "well,5", "well,²", 3, "expected a rank from 1 to 5, not '²'"),
        ("board.toml", 'title = "Small"', 'title = "Small', 2, "expected TOML: "),
        ("board.toml", "[terrain.clear]", "terrain.clear = 3", 4, "expected a table [terrain.clear]"),
        ("board.toml", "enterable = false", 'enterable = "no"', 6, "expected enterable = true or false"),
        ("board.toml", "[[area]]", "[area]", 10, "expected a list of tables [[area]]"),
        ("board.toml", 'hexes = ["0101"]', 'hexes = "0101"', 13, "expected hexes = a list"),
        ("board.toml", 'hexes = ["0101"]', "hexes = 3", 13, "expected hexes = a list"),
        ("board.toml", 'scheme = "paa"', 'scheme = ["paa"]', 3, "expected scheme to be one of"),
        ("hexes.csv", "25.2", "nan", 4, "expected numbers for lat, lon and elevation"),
        ("hexes.csv", "0201,sea", "0101,sea", 5, "expected each hex once, and 0101 appears twice"),
        ("sides.csv", "0101,0201,cliff,0201,", "0102,0101,road,,", 3, "expected one road between 0102 and 0101"),
    ],
)  # fmt: skip
def test_a_broken_board_file_is_refused_with_file_line_and_what_was_expected(
    folder: Path, file: str, old: str, new: str, line: int, expected: str
) -> None:
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BoardError) as refused:
        Board.read(folder)
    assert refused.value.file == str(folder / file)
    assert refused.value.line == line
    assert refused.value.expected.startswith(expected)
    assert str(refused.value) == f"{folder / file}:{line}: {refused.value.expected}"


@pytest.mark.parametrize("file", ["board.toml", "hexes.csv", "sides.csv", "places.csv"])
def test_a_missing_board_file_is_named(folder: Path, file: str) -> None:
    (folder / file).unlink()
    with pytest.raises(BoardError, match="No such file") as refused:
        Board.read(folder)
    assert refused.value.file == str(folder / file)


@pytest.mark.parametrize("file", ["board.toml", "hexes.csv"])
def test_a_board_file_that_is_not_text_is_named(folder: Path, file: str) -> None:
    (folder / file).write_bytes(b"\xff\xfe")
    with pytest.raises(BoardError, match="in UTF-8") as refused:
        Board.read(folder)
    assert refused.value.file == str(folder / file)


def test_an_empty_file_lacks_its_heading(folder: Path) -> None:
    (folder / "sides.csv").write_text("", encoding="utf-8")
    with pytest.raises(BoardError, match="expected the heading") as refused:
        Board.read(folder)
    assert refused.value.line == 1


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    shutil.rmtree(tmp_path)
    with pytest.raises(BoardError, match="expected a board file"):
        Board.read(tmp_path)
