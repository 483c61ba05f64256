"""The guard: where requests may come from, how large they may be, how often they may come, and what every answer says."""

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI, Request, WebSocket
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import WebSocketDenialResponse
from starlette.types import Message

from khamsin.server import limits, wire
from khamsin.server.limits import Rate
from khamsin.server.middleware import Buckets, Guard, address_of, kind_of, protect, same_host
from khamsin.server.settings import Settings
from tests.server.conftest import caller
from tests.server.seats import checked


def guarded(**settings: Any) -> FastAPI:
    """A small application behind the guard."""
    app = FastAPI()

    @app.post("/api/matches/{match}/clicks")
    async def echo(match: str, request: Request) -> dict[str, Any]:
        body = await request.body()
        return {"bytes": len(body), "from": request.client and request.client.host, "scheme": request.url.scheme}

    @app.post("/api/matches/import")
    async def take(request: Request) -> int:
        return len(await request.body())

    @app.get("/api/shelf")
    async def shelf() -> list[str]:
        return []

    @app.websocket("/api/matches/{match}/live")
    async def live(match: str, line: WebSocket) -> None:
        await line.accept()
        await line.send_text("here")
        await line.close()

    app.state.buckets = protect(app, Settings(**settings))
    return app


@pytest.fixture
def client() -> TestClient:
    return caller(guarded())


def refusal(answer: Any) -> wire.Refusal:
    return checked(wire.Refusal, answer.json())


CLICK = "/api/matches/x/clicks"


def test_every_answer_carries_the_headers_that_keep_the_page_to_itself(client: TestClient) -> None:
    for answer in (client.get("/api/shelf"), client.get("/nowhere"), client.post(CLICK, headers={"Origin": "null"})):
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert "strict-transport-security" not in answer.headers


def test_under_tls_the_browser_is_told_to_come_back_under_tls() -> None:
    answer = caller(guarded(url="https://table.example"), "https://table.example").get("/api/shelf")
    assert "max-age" in answer.headers["strict-transport-security"]


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1.evil.example", "file://", ""])
def test_a_click_from_another_page_is_turned_away(client: TestClient, origin: str) -> None:
    answer = client.post(CLICK, headers={"Origin": origin})
    assert answer.status_code == 403
    assert refusal(answer)["reason"] == "origin"


@pytest.mark.parametrize("origin", ["http://127.0.0.1", "http://127.0.0.1:80", "HTTP://127.0.0.1"])
def test_a_click_from_our_own_page_passes(client: TestClient, origin: str) -> None:
    assert client.post(CLICK, headers={"Origin": origin}).status_code == 200


def test_a_click_from_a_program_has_no_origin_and_passes(client: TestClient) -> None:
    assert client.post(CLICK).status_code == 200


def test_two_origins_must_both_be_ours(client: TestClient) -> None:
    headers = [("Origin", "http://127.0.0.1"), ("Origin", "http://evil.example")]
    assert client.post(CLICK, headers=headers).status_code == 403  # type: ignore[arg-type]


def test_reading_is_open_to_every_origin(client: TestClient) -> None:
    answer = client.get("/api/shelf", headers={"Origin": "http://evil.example"})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


def test_an_origin_of_the_allow_list_passes() -> None:
    client = caller(
        guarded(origins=frozenset({"https://friend.example"}), url="https://table.example"), "http://table.example"
    )
    assert client.post(CLICK, headers={"Origin": "https://friend.example"}).status_code == 200
    assert client.post(CLICK, headers={"Origin": "https://table.example"}).status_code == 200
    assert client.post(CLICK, headers={"Origin": "https://foe.example"}).status_code == 403


def test_a_live_line_from_another_page_is_turned_away(client: TestClient) -> None:
    with (
        pytest.raises(WebSocketDenialResponse) as denied,
        client.websocket_connect("/api/matches/x/live", headers={"Origin": "http://evil.example"}),
    ):
        pass
    assert denied.value.status_code == 403
    assert refusal(denied.value)["reason"] == "origin"


def test_a_live_line_from_our_own_page_passes(client: TestClient) -> None:
    with client.websocket_connect("/api/matches/x/live", headers={"Origin": "http://127.0.0.1"}) as line:
        assert line.receive_text() == "here"


@given(st.text(), st.text())
def test_only_the_same_host_is_the_same_host(origin: str, host: str) -> None:
    assert not same_host(origin, host) or host.removesuffix(":80").removesuffix(":443") in origin


def test_a_body_that_says_it_is_too_large_is_not_read(client: TestClient) -> None:
    answer = client.post(CLICK, content=b"x" * (limits.BODY + 1))
    assert answer.status_code == 413
    assert refusal(answer)["reason"] == "limit"
    assert client.post(CLICK, content=b"x" * limits.BODY).json()["bytes"] == limits.BODY


def test_an_import_may_be_larger(client: TestClient) -> None:
    assert client.post("/api/matches/import", content=b"x" * (limits.BODY + 1)).json() == limits.BODY + 1
    assert client.post("/api/matches/import", content=b"x" * (limits.IMPORT + 1)).status_code == 413


def test_of_an_endless_body_no_more_is_read_than_is_allowed() -> None:
    read: list[int] = []
    answers: list[Message] = []

    async def endless() -> Message:
        read.append(4096)
        return {"type": "http.request", "body": b"x" * 4096, "more_body": True}

    async def send(message: Message) -> None:
        answers.append(message)

    async def never(*_: Any) -> None:
        pytest.fail("the application was asked")

    scope = {
        "type": "http", "method": "POST", "path": CLICK, "scheme": "http", "client": ("10.0.0.1", 1),
        "headers": [(b"host", b"127.0.0.1"), (b"transfer-encoding", b"chunked")],
    }  # fmt: skip
    asyncio.run(Guard(never, Settings(), Buckets())(scope, endless, send))
    assert answers[0]["status"] == 413
    assert sum(read) <= limits.BODY + 4096


def test_who_goes_away_while_sending_is_not_answered() -> None:
    async def gone() -> Message:
        return {"type": "http.disconnect"}

    async def never(*_: Any) -> None:
        pytest.fail("nobody is there")

    scope = {
        "type": "http", "method": "POST", "path": CLICK, "scheme": "http", "client": None,
        "headers": [(b"host", b"127.0.0.1"), (b"content-length", b"10")],
    }  # fmt: skip
    asyncio.run(Guard(never, Settings(), Buckets())(scope, gone, never))


def test_who_asks_too_often_must_wait_and_is_told_how_long() -> None:
    moment = [0.0]
    buckets = Buckets(rates={"click": Rate(3, 0.5)}, clock=lambda: moment[0])
    assert [buckets.take("click", "a") for _ in range(4)] == [0, 0, 0, 2.0]
    assert buckets.take("click", "b") == 0
    moment[0] = 2.0
    assert buckets.take("click", "a") == 0
    assert buckets.take("click", "a") == 2.0
    moment[0] = 1e6
    assert [buckets.take("click", "a") > 0 for _ in range(4)] == [False, False, False, True]


def test_where_one_of_two_buckets_is_empty_nothing_is_taken_from_the_other() -> None:
    buckets = Buckets(rates={"click": Rate(2, 1.0)}, clock=lambda: 0.0)
    buckets.take("click", "a")
    buckets.take("click", "a")
    assert buckets.take("click", "a", "b") == 1.0
    assert [buckets.take("click", "b") for _ in range(2)] == [0, 0]


def test_the_callers_who_asked_least_lately_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CALLERS", 10)
    buckets = Buckets(rates={"click": Rate(1, 0.001)}, clock=lambda: 0.0)
    for number in range(100):
        buckets.take("click", str(number))
    assert len(buckets._left) == 10
    assert buckets.take("click", "99") > 0
    assert buckets.take("click", "0") == 0


def test_the_429_names_the_seconds(client: TestClient) -> None:
    answers = [client.post("/api/session") for _ in range(limits.RATES["login"].burst + 1)]
    assert answers[-2].status_code == 404
    assert answers[-1].status_code == 429
    assert refusal(answers[-1])["reason"] == "limit"
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 10


def test_a_made_up_key_buys_no_more_tries_at_a_password(client: TestClient) -> None:
    codes = [
        client.post("/api/session", headers={"X-Khamsin-Key": str(n), "Cookie": f"khamsin_session={n}"}).status_code
        for n in range(limits.RATES["login"].burst + 1)
    ]
    assert codes[-1] == 429


def test_seats_behind_one_address_have_buckets_of_their_own_but_not_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(limits.RATES, "click", Rate(2, 0.001))
    monkeypatch.setattr(limits, "SHARED", 3)
    client = caller(guarded())
    codes = [client.post(CLICK, headers={"X-Khamsin-Key": key}).status_code for key in "aaabbbcccddd"]
    assert codes == [200, 200, 429, 200, 200, 429, 200, 200, 429, 429, 429, 429]


def test_a_server_may_allow_more_than_the_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "click", Rate(1, 0.001))
    client = caller(guarded(rate_scale=3))
    assert [client.post(CLICK).status_code for _ in range(4)] == [200, 200, 200, 429]


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("GET", "/", "read"), ("GET", "/api/matches/x", "read"), ("GET", "/api/matches/x/why", "ask"),
        ("GET", "/api/matches/x/layers/supply", "ask"), ("GET", "/api/matches/x/at/7", "ask"),
        ("POST", "/api/matches", "create"), ("POST", "/api/matches/", "create"), ("POST", "/api/matches/x/branch", "create"),
        ("POST", "/api/matches/import", "import"), ("POST", "/api/matches/x/chat", "chat"), ("POST", "/api/accounts", "login"),
        ("POST", "/api/session", "login"), ("DELETE", "/api/session", "click"), ("PUT", "/api/me/notices", "click"),
        ("POST", "/api/matches/x/clicks", "click"), ("POST", "/api/matches/x/undo", "click"), ("PATCH", "/", "click"),
    ],
)  # fmt: skip
def test_each_request_counts_as_what_it_is(method: str, path: str, kind: str) -> None:
    assert kind_of(method, path) == kind
    assert kind in limits.RATES


def test_the_whole_ipv6_network_of_a_caller_counts_as_one() -> None:
    assert address_of({"client": ("2a00:1:2:3:4::5", 1)}) == address_of({"client": ("2a00:1:2:3::9", 1)})
    assert address_of({"client": ("2a00:1:2:4::5", 1)}) != address_of({"client": ("2a00:1:2:3::9", 1)})
    assert address_of({"client": ("::ffff:192.0.2.1", 1)}) == address_of({"client": ("192.0.2.1", 1)})


FORWARDED = {"X-Forwarded-For": "198.51.100.7, 10.0.0.9", "X-Forwarded-Proto": "https"}


def test_a_trusted_proxy_is_believed_who_calls_and_how() -> None:
    app = guarded(proxies=("10.0.0.0/8",))
    answer = caller(app, client=("10.0.0.1", 1)).post(CLICK, headers=FORWARDED).json()
    assert answer == {"bytes": 0, "from": "198.51.100.7", "scheme": "https"}


@pytest.mark.parametrize("proxies", [(), ("10.0.0.0/8",)])
def test_anybody_else_is_not(proxies: tuple[str, ...]) -> None:
    answer = caller(guarded(proxies=proxies), client=("192.0.2.1", 1)).post(CLICK, headers=FORWARDED).json()
    assert answer == {"bytes": 0, "from": "192.0.2.1", "scheme": "http"}


@pytest.fixture
def address() -> Iterator[tuple[str, int]]:
    """The guarded application on a port, behind a real server."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(guarded(), log_level="critical", proxy_headers=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    yield listening.getsockname()[:2]
    server.should_exit = True
    thread.join()
    listening.close()


def talk(address: tuple[str, int], request: bytes) -> tuple[int, Any]:
    """Say something to a server until it hangs up: the status and the body of its answer."""
    with closing(socket.create_connection(address, timeout=20)) as line:
        line.sendall(request)
        answer = b""
        while chunk := line.recv(65536):
            answer += chunk
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


def test_a_real_server_hangs_up_on_a_body_without_end(address: tuple[str, int]) -> None:
    head = f"POST {CLICK} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    chunk = b"2000\r\n" + b"x" * 0x2000 + b"\r\n"
    status, body = talk(address, head + chunk * (limits.BODY // 0x2000 + 2))
    assert (status, body["reason"]) == (413, "limit")


def test_a_real_server_refuses_a_large_body_before_it_comes(address: tuple[str, int]) -> None:
    status, body = talk(
        address, f"POST {CLICK} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999\r\n\r\n".encode()
    )
    assert (status, body["reason"]) == (413, "limit")


def test_one_address_imports_one_record_at_a_time() -> None:
    app = guarded()
    client = caller(app)
    answers: list[Any] = []

    async def receive() -> Message:
        answers.append(client.post("/api/matches/import", content=b"x"))
        return {"type": "http.request", "body": b"x", "more_body": False}

    async def send(message: Message) -> None:
        answers.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/api/matches/import", "scheme": "http", "query_string": b"",
        "headers": [(b"content-length", b"1"), (b"host", b"127.0.0.1")], "client": ("testclient", 1),
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))
    assert (answers[0].status_code, refusal(answers[0])["reason"]) == (503, "busy")
    assert answers[1]["status"] == 200
    assert client.post("/api/matches/import", content=b"x").status_code == 200


def test_a_live_line_that_is_refused_is_told_why(address: tuple[str, int]) -> None:
    request = (
        "GET /api/matches/x/live HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    status, body = talk(address, request.encode())
    assert (status, body["reason"]) == (403, "origin")


@pytest.mark.parametrize(
    "setting",
    [
        {"KHAMSIN_URL": "table.example"}, {"KHAMSIN_URL": "https://table.example/games"}, {"KHAMSIN_PROXIES": "nearby"},
        {"KHAMSIN_ORIGINS": "*"}, {"KHAMSIN_SMTP_URL": "smtp://mail.example"}, {"KHAMSIN_RATE_SCALE": "0"},
        {"KHAMSIN_SMTP_URL": "smtp://mail.example:port?from=a@b.example"}, {"KHAMSIN_RATE_SCALE": "many"},
    ],
)  # fmt: skip
def test_a_setting_that_makes_no_sense_is_named(setting: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=next(iter(setting))):
        Settings.read(setting)


def test_the_settings_of_the_environment() -> None:
    settings = Settings.read(
        {
            "KHAMSIN_URL": "https://Table.example/", "KHAMSIN_PROXIES": "10.0.0.0/8, 192.0.2.1",
            "KHAMSIN_ORIGINS": "https://friend.example", "KHAMSIN_RATE_SCALE": "2.5", "KHAMSIN_PUSH_TO_PRIVATE": "1",
            "KHAMSIN_SMTP_URL": "smtps://me%40table.example:p%3Aw@mail.example?from=me@table.example",
        }
    )  # fmt: skip
    assert settings.url == "https://table.example"
    assert settings.proxies == ("10.0.0.0/8", "192.0.2.1/32")
    assert settings.origins == {"https://friend.example"}
    assert (settings.rate_scale, settings.push_to_private) == (2.5, True)
    assert settings.mail is not None
    assert (settings.mail.user, settings.mail.password, settings.mail.port) == ("me@table.example", "p:w", 465)
    assert "p:w" not in repr(settings)


def name_of(app: FastAPI, host: str) -> int:
    """The status of a request that calls an application by a name."""
    return caller(app).get("/api/shelf", headers={"Host": host}).status_code


def test_a_page_that_points_its_own_name_at_our_address_is_turned_away() -> None:
    """DNS rebinding: for the browser, page and server are then of the same origin."""
    client = caller(guarded(), "http://evil.example:8000")
    for answer in (client.get("/api/shelf"), client.post(CLICK, headers={"Origin": "http://evil.example:8000"})):
        assert answer.status_code == 421
        assert refusal(answer)["reason"] == "origin"
    with pytest.raises(WebSocketDenialResponse) as denied, client.websocket_connect("/api/matches/x/live"):
        pass
    assert denied.value.status_code == 421
    assert refusal(denied.value)["reason"] == "origin"


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "192.168.1.5:8000", "[::1]:8000", "[fe80::1]", "localhost."],
)
def test_without_a_name_of_its_own_a_server_is_called_by_address(host: str) -> None:
    assert name_of(guarded(), host) == 200


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.evil", "[evil]", "127.1:x", "[::1"],
)
def test_any_other_name_is_turned_away(host: str) -> None:
    assert name_of(guarded(), host) == 421


def test_with_a_name_of_its_own_a_server_is_called_by_that_name() -> None:
    app = guarded(url="https://table.example", origins=frozenset({"https://friend.example:8443"}))
    for host in ("table.example", "TABLE.example:443", "friend.example", "friend.example:8443"):
        assert name_of(app, host) == 200
    for host in ("127.0.0.1", "localhost", "evil.example", "table.example.evil.example"):
        assert name_of(app, host) == 421


def test_two_names_must_both_be_ours() -> None:
    headers = [("Host", "127.0.0.1"), ("Host", "evil.example")]
    assert TestClient(guarded()).get("/api/shelf", headers=headers).status_code == 421  # type: ignore[arg-type]
