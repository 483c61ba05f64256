"""The server: the page, the boards and their maps, and good manners when something is wrong."""

import gzip
import re
import shutil
import socket
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from khamsin.kernel.board import Board, folder_of
from khamsin.kernel.registration import registrations
from khamsin.server import PortTaken, app, create_app
from khamsin.server.app import listen
from tests.server.conftest import caller

GAMES = list(registrations())
PLAIN = {"Accept-Encoding": "identity"}


@pytest.fixture(scope="module")
def client() -> TestClient:
    return caller(create_app())


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> tuple[TestClient, Path]:
    """A table on which the board of Kasserine is read from a folder of its own, and that of Tunisia is missing."""
    folder = tmp_path_factory.mktemp("boards")
    shutil.copytree(folder_of("kasserine"), folder / "kasserine")

    def read(game: str) -> Board:
        return Board.read(folder / game) if game in ("kasserine", "tunisia") else Board.load(game)

    return caller(create_app(read)), folder / "kasserine"


class Tags(HTMLParser):
    """Every tag of a page with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_is_served_with_a_strict_policy(client: TestClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_page_carries_nothing_its_policy_forbids(client: TestClient) -> None:
    for tag, attributes in Tags(client.get("/").text).tags:
        assert "style" not in attributes
        assert tag != "style"
        assert not any(name.startswith("on") for name in attributes)
        assert tag != "script" or attributes.get("src")


@pytest.mark.parametrize(
    "path", ["/", "/game/abc", "/rules", "/rules/paa", "/boards", "/boards/paa", "/account", "/games", "/lab"]
)
def test_one_page_is_served_for_every_address_of_the_client(client: TestClient, path: str) -> None:
    assert client.get(path).text == client.get("/").text


def test_without_a_client_the_page_says_how_to_build_it(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "CLIENT", tmp_path)
    assert "make client" in client.get("/").text
    assert client.get("/push.js").status_code == 404


def test_the_client_is_served_with_names_that_last_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "main-4f2a.js").write_text("import './x';" * 200, encoding="utf-8")
    (tmp_path / "index.html").write_text("<!doctype html><title>The client</title>", encoding="utf-8")
    (tmp_path / "push.js").write_text("self;", encoding="utf-8")
    monkeypatch.setattr(app, "CLIENT", tmp_path)
    client = caller(create_app())
    assert "The client" in client.get("/game/x").text
    assert client.get("/push.js").text == "self;"
    script = client.get("/assets/main-4f2a.js")
    assert "immutable" in script.headers["cache-control"]
    assert script.headers["content-encoding"] == "gzip"
    for path in ("/assets/none.js", "/assets/..%2findex.html", "/..%2fpush.js", "/index.html"):
        assert client.get(path).status_code == 404


def test_somebody_who_has_lost_his_way_is_shown_a_page_and_a_script_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.html").write_text("<!doctype html><title>The client</title>", encoding="utf-8")
    monkeypatch.setattr(app, "CLIENT", tmp_path)
    client = caller(app.create_app(draw_ahead=False))
    page = client.get("/nowhere/at/all", headers={"Accept": "text/html,*/*"})
    assert (page.status_code, "The client" in page.text) == (404, True)
    assert client.get("/nowhere/at/all").json()["reason"] == "unknown"


def test_what_the_build_has_packed_is_sent_as_it_lies_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "main-4f2a.js").write_text("plain", encoding="utf-8")
    (tmp_path / "assets" / "main-4f2a.js.gz").write_bytes(gzip.compress(b"packed"))
    monkeypatch.setattr(app, "CLIENT", tmp_path)
    client = caller(app.create_app(draw_ahead=False))
    packed = client.get("/assets/main-4f2a.js", headers={"Accept-Encoding": "br, gzip"})
    assert (packed.text, packed.headers["content-type"]) == ("packed", "text/javascript; charset=utf-8")
    assert packed.headers["content-encoding"] == "gzip"
    assert client.get("/assets/main-4f2a.js", headers={"Accept-Encoding": "identity"}).text == "plain"


def test_the_list_names_the_five_boards(client: TestClient) -> None:
    boards = client.get("/api/boards").json()["boards"]
    assert [board["id"] for board in boards] == GAMES
    assert all(board["hexes"] > 1000 and board["km"] > 1 and board["title"] for board in boards)


@pytest.mark.parametrize("game", GAMES)
def test_a_board_comes_whole(client: TestClient, game: str) -> None:
    board = Board.load(game)
    data = client.get(f"/api/boards/{game}").json()
    assert [hex["number"] for hex in data["hexes"]] == board.names[: board.size]
    assert all(0 < hex["x"] < data["width"] and 0 < hex["y"] < data["height"] for hex in data["hexes"])
    assert {hex["terrain"] for hex in data["hexes"]} <= {terrain["name"] for terrain in data["terrains"]}
    assert {side["kind"] for side in data["sides"]} <= {kind["name"] for kind in data["kinds"]}
    assert sum(len(hex["places"]) for hex in data["hexes"]) == len(board.places)
    assert len(data["areas"]) == len(board.areas)
    assert len(data["boxes"]) == len(board.boxes)
    first, second = data["hexes"][0], board.neighbours[0].index(next(n for n in board.neighbours[0] if n >= 0))
    near = data["hexes"][board.neighbours[0][second]]
    assert (near["x"] - first["x"]) ** 2 + (near["y"] - first["y"]) ** 2 == pytest.approx(data["scale"] ** 2, rel=1e-2)


@pytest.mark.parametrize("game", GAMES)
def test_a_map_comes_in_named_groups_and_without_style_attributes(client: TestClient, game: str) -> None:
    answer = client.get(f"/api/boards/{game}/map.svg")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    drawing = ElementTree.fromstring(answer.text)
    ids = {element.get("id") for element in drawing.iter()}
    assert {"base", "relief", "lines", "grid", "numbers", "names", "frame"} <= ids
    assert not [element.tag for element in drawing.iter() if element.get("style")]


@pytest.mark.parametrize("what", ["", "/map.svg"])
def test_an_unchanged_board_is_not_sent_again(client: TestClient, what: str) -> None:
    first = client.get(f"/api/boards/paa{what}")
    again = client.get(f"/api/boards/paa{what}", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert not again.content
    other = client.get(f"/api/boards/paa{what}", headers={"If-None-Match": '"other"'})
    assert other.status_code == 200


@pytest.mark.parametrize("what", ["", "/map.svg"])
def test_a_board_is_packed_for_those_who_take_it_so(client: TestClient, what: str) -> None:
    packed = client.get(f"/api/boards/paa{what}", headers={"Accept-Encoding": "gzip"})
    plain = client.get(f"/api/boards/paa{what}", headers=PLAIN)
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert "Accept-Encoding" in packed.headers["vary"]
    assert packed.content == plain.content
    assert int(packed.headers["content-length"]) < len(plain.content)


@pytest.mark.parametrize("what", ["", "/map.svg"])
def test_an_unknown_game_is_told_which_games_there_are(client: TestClient, what: str) -> None:
    answer = client.get(f"/api/boards/chess{what}")
    assert answer.status_code == 404
    assert answer.json()["games"] == GAMES
    assert "chess" in answer.json()["error"]


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere", "/api", "/api/", "/api/boards/paa/map.png", "/api/boards//map.svg", "/static/", "/static",
        "/static/none.js", "/static/..%2f..%2fapp.py", "/static/%00", "/static/client%5cindex.html", "/fonts/%ff",
        "/fonts/" + "x" * 5000, "/api/boards/%00", "/api/boards/..%2f..%2fpaa", "/api/boards/" + "p" * 5000, "/docs",
    ],
)  # fmt: skip
def test_a_path_that_leads_nowhere_is_refused_politely(client: TestClient, path: str) -> None:
    assert 400 <= client.get(path).status_code < 500


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])
@pytest.mark.parametrize("path", ["/", "/api/boards", "/api/boards/paa", "/api/boards/paa/map.svg", "/static/icon.svg"])
def test_other_methods_are_refused_politely(client: TestClient, method: str, path: str) -> None:
    assert client.request(method, path, content=b"\x00garbage").status_code == 405


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["/", "/static/", "/fonts/", "/api/", "/api/boards/"]), st.binary(max_size=24))
def test_no_path_whatever_is_the_servers_fault(client: TestClient, start: str, end: bytes) -> None:
    path = start + "".join(f"%{byte:02x}" for byte in end)
    assert client.get(path).status_code < 500


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["Accept-Encoding", "If-None-Match", "Range", "Host"]), st.text(st.characters(max_codepoint=255))
)
def test_no_header_whatever_is_the_servers_fault(client: TestClient, name: str, value: str) -> None:
    raw = value.encode("latin-1")
    for path in ("/api/boards/paa", "/static/icon.svg"):
        assert client.get(path, headers={name.encode(): raw}).status_code < 500


def test_a_missing_board_says_so_and_leaves_the_others_alone(mended: tuple[TestClient, Path]) -> None:
    client, _ = mended
    for what in ("", "/map.svg"):
        answer = client.get(f"/api/boards/tunisia{what}")
        assert answer.status_code == 409
        assert answer.json()["file"].endswith("board.toml")
    lines = {board["id"]: board for board in client.get("/api/boards").json()["boards"]}
    assert lines["tunisia"]["hexes"] is None
    assert "board.toml" in lines["tunisia"]["problem"]["error"]
    assert lines["paa"]["problem"] is None
    assert client.get("/api/boards/paa").status_code == 200


def test_a_broken_line_is_named_and_can_be_mended(mended: tuple[TestClient, Path]) -> None:
    client, folder = mended
    file = folder / "hexes.csv"
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole.replace(",clear,", ",lava,", 1), encoding="utf-8")
    answer = client.get("/api/boards/kasserine")
    assert answer.status_code == 409
    problem = answer.json()
    assert problem["file"].endswith("hexes.csv")
    assert problem["line"] > 1
    assert "expected a terrain" in problem["expected"]
    file.write_text(whole, encoding="utf-8")
    assert client.get("/api/boards/kasserine").status_code == 200


def test_a_board_that_is_not_even_text_is_no_worse(tmp_path: Path) -> None:
    (tmp_path / "board.toml").write_bytes(b"\xff\xfe\x00game")
    client = caller(create_app(lambda game: Board.read(tmp_path)))
    assert client.get("/").status_code == 200
    assert client.get("/api/boards/paa").status_code == 409
    assert client.get("/api/boards").status_code == 200


def test_the_interface_is_described(client: TestClient) -> None:
    described = client.get("/api/openapi.json").json()
    paths, types = described["paths"], described["components"]["schemas"]
    assert {"200", "304", "404", "409"} <= set(paths["/api/boards/{game}"]["get"]["responses"])
    assert {"200", "403", "404", "409", "422", "429", "503"} <= set(
        paths["/api/matches/{match}/clicks"]["post"]["responses"]
    )
    assert {"View", "Refusal", "LiveFrame", "LiveView", "LiveUpdate", "LiveAnswer", "LiveClick"} <= set(types)
    names = [operation["operationId"] for methods in paths.values() for operation in methods.values()]
    assert len(names) == len(set(names))
    assert "{model}" not in str(described)


def test_the_boards_are_drawn_ahead_and_the_table_can_be_cleared_at_any_time() -> None:
    with caller(create_app()) as client:
        assert client.get("/").status_code == 200


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"port {port} on 127\.0\.0\.1: already taken"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "port"), [("127.0.0.1", 65536), ("127.0.0.1", -1), ("192.0.2.1", 0), ("no such host", 0)]
)
def test_an_address_that_cannot_be_had_is_refused_with_its_reason(host: str, port: int) -> None:
    with pytest.raises(ValueError, match=re.escape(f"port {port} on {host}: ")):
        listen(host, port)


def test_a_free_port_is_listened_on() -> None:
    with listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname(), timeout=2):
        assert listening.getsockname()[1] > 0
