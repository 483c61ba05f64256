"""The part of the API that is about games on the table: set up, look, click, ask, replay, branch, talk."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import Response

from khamsin.kernel import match as kernel
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.dice import KeyedDice
from khamsin.server import gate, limits, replay, views, wire
from khamsin.server.answers import compute
from khamsin.server.database import now
from khamsin.server.gate import Refused
from khamsin.server.guard import Buckets, Payer
from khamsin.server.hall import Hall, new_id
from khamsin.server.replay import Replay, Replays
from khamsin.server.store import Head, Seat
from khamsin.server.table import Table
from khamsin.server.views import Json

ANSWERS: dict[int | str, dict[str, Any]] = {
    401: {"model": wire.Refusal, "description": "Nobody is signed in, or the password is wrong"},
    403: {"model": wire.Refusal, "description": "The key does not open that seat, or the page is not ours"},
    404: {"model": wire.Refusal, "description": "There is no such thing"},
    409: {
        "model": wire.Refusal,
        "description": "Over, not your turn, too late, or the rules have changed; with the view",
    },
    413: {"model": wire.Refusal, "description": "Too large"},
    422: {"model": wire.Refusal, "description": "The rules forbid it, with the reason; or it makes no sense"},
    429: {"model": wire.Refusal, "description": "Too often; see Retry-After"},
    503: {"model": wire.Refusal, "description": "The server cannot do it at this moment"},
}
"""Every way of saying no, for the description of the API."""

Match = Annotated[str, Path(min_length=1, max_length=64, description="The id of a game")]
Key = Annotated[
    str,
    Header(alias="X-Khamsin-Key", max_length=128, description="The secret of a seat; without it, a spectator looks"),
]
Side = Annotated[
    str | None, Query(max_length=limits.NAME, description="As which side, where a key opens more than one seat")
]
ClickName = Annotated[str, Query(max_length=limits.NAME, description="The name of a unit, hex, box or button")]
Names = Annotated[list[Annotated[str, Query(max_length=limits.NAME)]], Query(max_length=64)]


def may_answer(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals that a request may be answered with."""
    return {status: ANSWERS[status] for status in (*statuses, 422, 429, 503)}


def matches_router(hall: Hall, buckets: Buckets) -> APIRouter:
    """Everything under /api/matches but the live line."""
    router = APIRouter(prefix="/api/matches", tags=["games"])
    replays = Replays()
    reading = asyncio.Semaphore(1)
    importing = asyncio.Semaphore(1)

    async def look(match: str, key: str, side: str | None) -> tuple[Table, list[int], int]:
        """A table, the seats that a key opens, and as whom its holder looks."""
        table = await hall.table(match)
        holds = table.holds(key)
        viewer = gate.viewer_of(table.rules, holds, side, table.course.match.over)
        return table, holds, viewer

    async def past(table: Table, payer: Payer | None = None) -> Replay:
        """A game as it was played. One is read at a time, since each may be large."""
        if payer is not None:
            payer.check()
        async with reading:
            known = replays.get(table.id, table.version)
            if known is not None:
                return known
            saved = await hall.saved(table.id)
            found, cost = await hall.lanes.replays.run(_timed, lambda: Replay(saved, hall.find))
        if payer is not None:
            payer.charge(cost + READ_MS * len(saved.entries))
        return replays.keep(found)

    async def ask(
        request: Request, match: str, key: str, side: str | None, what: tuple[Any, ...],
        work: Callable[[kernel.Match[Any], int], Any],
    ) -> Response:  # fmt: skip
        """Answer a question about a match as a viewer may know it."""
        table, _, viewer = await look(match, key, side)
        payer = Payer(buckets, request.scope, key)
        answer = await hall.answers.of(table, viewer, what, lambda copy: work(copy, viewer), payer)
        return answer.response(_accepts(request))

    async def look_back(
        request: Request, table: Table, key: str, viewer: int, what: tuple[Any, ...], work: Callable[[Replay], Any]
    ) -> Response:
        """Answer a question about the course of a game."""
        payer, whole = Payer(buckets, request.scope, key), (table.id, table.shown, viewer, what)
        answer = hall.answers.known(whole)
        if answer is None:
            replay = await past(table, payer)
            answer = await hall.answers.computed(
                whole, hall.lanes.replays, partial(compute, partial(work, replay)), payer
            )
            replays.trim()
        return answer.response(_accepts(request))

    @router.post("", status_code=201, summary="Set up a game", responses=may_answer(404))
    async def set_up(new: wire.NewMatch) -> wire.Seated:
        table, seats = await hall.set_up(new.game, new.scenario, new.options, new.seats, new.seed)
        if new.open_reasons:
            await hall.tell_reasons(table)
        hall.computers.wake(table)
        return _seated(table, seats)

    @router.post("/import", status_code=201, summary="Put a record on the table", responses=may_answer(409, 413))
    async def import_record(asked: wire.Import) -> wire.Seated:
        async with importing:
            course, entries = await asyncio.to_thread(replay.imported, asked.record, _new_head(), hall.find)
        table, seats = await hall.put_up(course, entries, asked.seats)
        hall.computers.wake(table)
        return _seated(table, seats)

    @router.get(
        "/{match}",
        summary="The game as a viewer may see it",
        response_model=wire.View,
        responses=may_answer(403, 404, 409),
    )
    async def view(
        request: Request,
        match: Match,
        key: Key = "",
        side: Side = None,
        log_from: Annotated[int, Query(ge=0, lt=1 << 31, description="Leave out the lines of the log before this")] = 0,
    ) -> Response:
        table, holds, viewer = await look(match, key, side)
        await hall.arrive(table, holds)
        answer = await hall.view(table, viewer, log_from, Payer(buckets, request.scope, key))
        return answer.response(_accepts(request))

    @router.get(
        "/{match}/info",
        summary="Where the game stands",
        response_model=wire.MatchInfo,
        responses=may_answer(403, 404, 409),
    )
    async def info(match: Match, key: Key = "") -> Response:
        table = await hall.table(match)
        open_reasons = await hall.tells_reasons(table)
        changed, holds = await hall.last_change(table.id), table.holds(key)
        async with table.lock:
            return _json(await hall.lanes.clicks.run(table.info, changed, open_reasons, holds))

    @router.post(
        "/{match}/clicks", summary="Answer the question", response_model=wire.View, responses=may_answer(403, 404, 409)
    )
    async def click(request: Request, match: Match, asked: wire.Click, key: Key = "") -> Response:
        table, holds, _ = await look(match, key, None)
        known = await hall.lines_known(table, holds)
        payer = Payer(buckets, request.scope, key)
        seat = await hall.click(table, holds, asked.side, asked.number, asked.click, payer)
        return (await hall.view_now(table, seat, known[seat])).response(_accepts(request))

    @router.post(
        "/{match}/undo",
        summary="Take back a move of this phase",
        response_model=wire.View,
        responses=may_answer(403, 404, 409),
    )
    async def undo(request: Request, match: Match, asked: wire.Undo, key: Key = "") -> Response:
        table, holds, _ = await look(match, key, None)
        seat = await hall.undo(table, holds, asked.side, asked.number, asked.move)
        return (await hall.view_now(table, seat)).response(_accepts(request))

    @router.get(
        "/{match}/why", summary="Why a click is not open", response_model=wire.Why, responses=may_answer(403, 404, 409)
    )
    async def why(request: Request, match: Match, click: ClickName, key: Key = "", side: Side = None) -> Response:
        table, _, viewer = await look(match, key, side)
        answer = await hall.answers.why(table, viewer, click, Payer(buckets, request.scope, key))
        return answer.response(_accepts(request))

    @router.get(
        "/{match}/odds",
        summary="A combat before it is fought",
        response_model=wire.OddsView,
        responses=may_answer(403, 404, 409),
    )
    async def odds(
        request: Request, match: Match, attackers: Names, targets: Names, key: Key = "", side: Side = None
    ) -> Response:
        def work(copy: kernel.Match[Any], viewer: int) -> Json:
            rules = copy.rules
            found = copy.odds(
                viewer, [rules.parse(name) for name in attackers], [rules.board[name] for name in targets]
            )
            return views.odds(", ".join(targets), attackers, targets, found)

        return await ask(request, match, key, side, ("odds", tuple(attackers), tuple(targets)), work)

    @router.get(
        "/{match}/sheets",
        summary="The combats that the question, or a click, is about",
        response_model=list[wire.OddsView],
        responses=may_answer(403, 404, 409),
    )
    async def sheets(
        request: Request,
        match: Match,
        click: Annotated[str | None, Query(max_length=limits.NAME)] = None,
        key: Key = "",
        side: Side = None,
    ) -> Response:
        def work(copy: kernel.Match[Any], viewer: int) -> list[Json]:
            decision = copy.decision
            if decision is None or decision.side != viewer:
                return []
            number = NOWHERE if click is None else copy.rules.click.get(click, NOWHERE)
            return views.sheets(copy.game.seen_by(viewer), decision, number)

        return await ask(request, match, key, side, ("sheets", click), work)

    @router.get(
        "/{match}/layers/{name}",
        summary="A layer over the map",
        response_model=wire.LayerView,
        responses=may_answer(403, 404, 409),
    )
    async def layer(
        request: Request,
        match: Match,
        name: Annotated[str, Path(max_length=limits.NAME)],
        key: Key = "",
        side: Side = None,
    ) -> Response:
        def work(copy: kernel.Match[Any], viewer: int) -> Json:
            if name not in copy.rules.display.layers:
                raise Refused("unknown", f"{name!r}: no such layer of {copy.rules.title}")
            return views.layer(copy.game.seen_by(viewer), name, viewer)

        return await ask(request, match, key, side, ("layer", name), work)

    @router.get(
        "/{match}/calendar",
        summary="What the turns to come will bring",
        response_model=list[wire.ArrivalView],
        responses=may_answer(403, 404, 409),
    )
    async def calendar(request: Request, match: Match, key: Key = "", side: Side = None) -> Response:
        def work(copy: kernel.Match[Any], viewer: int) -> list[Json]:
            return views.calendar(copy.game.seen_by(viewer), viewer)

        return await ask(request, match, key, side, ("calendar",), work)

    @router.get(
        "/{match}/timeline",
        summary="The course of the game in moments",
        response_model=wire.Timeline,
        responses=may_answer(403, 404, 409),
    )
    async def timeline(request: Request, match: Match, key: Key = "", side: Side = None) -> Response:
        table, _, viewer = await look(match, key, side)
        return await look_back(request, table, key, viewer, ("timeline",), lambda replay: replay.timeline(viewer))

    @router.get(
        "/{match}/at/{click}",
        summary="The game after so many clicks",
        response_model=wire.View,
        responses=may_answer(403, 404, 409),
    )
    async def at(
        request: Request,
        match: Match,
        click: Annotated[int, Path(ge=0, lt=1 << 31)],
        key: Key = "",
        side: Side = None,
    ) -> Response:
        table, _, viewer = await look(match, key, side)
        version, shown = table.shown, table.course.head.dice.hex() if table.course.match.over else None
        return await look_back(
            request, table, key, viewer, ("at", click), lambda replay: replay.view(click, viewer, version, shown)
        )

    @router.get(
        "/{match}/rolls",
        summary="Every roll of a game that is over",
        response_model=wire.Rolls,
        responses=may_answer(403, 404, 409),
    )
    async def rolls(request: Request, match: Match, key: Key = "") -> Response:
        table, _, viewer = await look(match, key, None)
        if not table.course.match.over:
            raise Refused("seat", "The rolls are shown when the game is over; some may be secret until then")
        return await look_back(request, table, key, viewer, ("rolls",), lambda replay: replay.fallen())

    @router.get(
        "/{match}/record", summary="The record of the game", response_class=Response,
        responses={200: {"content": {"application/jsonl": {}}, "description": "JSON lines"}, **may_answer(403, 404, 409)},
    )  # fmt: skip
    async def record(match: Match, key: Key = "") -> Response:
        table, _, _ = await look(match, key, None)
        _may_know_all(table, key, "The record of a game that is not over holds the key of its dice")
        players = {table.rules.sides[seat.side]: table.name_of(seat.side) or seat.who for seat in table.seats}
        text = await asyncio.to_thread((await past(table)).record, players)
        headers = {"Content-Disposition": f'attachment; filename="{table.rules.id}-{table.id}.jsonl"'}
        return Response(text, media_type="application/jsonl", headers=headers)

    @router.get(
        "/{match}/reasons",
        summary="Why the computer players did what they did",
        response_model=wire.Reasons,
        responses=may_answer(403, 404, 409),
    )
    async def why_so(
        match: Match,
        key: Key = "",
        after: Annotated[int, Query(ge=-1, lt=1 << 31, description="Leave out the answers up to this question")] = -1,
    ) -> Response:
        table, holds, _ = await look(match, key, None)
        return _json({"reasons": await hall.reasons(table, holds, after)})

    @router.post(
        "/{match}/hurry",
        status_code=204,
        summary="Let the computer player who thinks move now",
        responses=may_answer(403, 404, 409),
    )
    async def hurry(match: Match, key: Key = "") -> None:
        table, holds, _ = await look(match, key, None)
        await hall.hurry(table, holds)

    @router.post(
        "/{match}/branch",
        status_code=201,
        summary="A new game from a moment of this one",
        responses=may_answer(403, 404, 409),
    )
    async def branch(match: Match, asked: wire.Branch, key: Key = "") -> wire.Seated:
        table, _, _ = await look(match, key, None)
        _may_know_all(table, key, "While a game goes on, only who holds all its seats may branch from it")
        course, entries = await asyncio.to_thread((await past(table)).branch, asked.click, _new_head())
        new, seats = await hall.put_up(course, entries, asked.seats)
        hall.computers.wake(new)
        return _seated(new, seats)

    @router.post(
        "/{match}/chat", summary="Say something", response_model=wire.Said, responses=may_answer(403, 404, 409)
    )
    async def say(match: Match, asked: wire.Say, key: Key = "") -> Response:
        table, _, viewer = await look(match, key, None)
        return _json(await hall.say(table, viewer, table.name_of(viewer), asked.text))

    @router.get("/{match}/chat", summary="What was said", response_model=wire.Chat, responses=may_answer(403, 404, 409))
    async def chat(match: Match, key: Key = "") -> Response:
        table, _, _ = await look(match, key, None)
        return _json({"lines": table.chat})

    return router


def _json(value: Json | list[Json]) -> Response:
    return Response(orjson.dumps(value), media_type="application/json")


def _seated(table: Table, seats: list[Seat]) -> wire.Seated:
    return wire.Seated(id=table.id, keys={table.rules.sides[seat.side]: seat.key for seat in seats if seat.key})


def _new_head() -> Head:
    """A game of which nothing is known yet but its id and its dice."""
    return Head(new_id(), "", "", {}, None, KeyedDice().key, 0, now())


def _may_know_all(table: Table, key: str, error: str) -> None:
    if not table.course.match.over and not table.holds_all(key):
        raise Refused("seat", error)


READ_MS = 0.02
"""Milliseconds that reading an entry of a game costs, about."""


def _timed(work: Callable[[], Replay]) -> tuple[Replay, float]:
    """A replay, and the milliseconds it took."""
    start = time.thread_time()
    return work(), (time.thread_time() - start) * 1e3


def _accepts(request: Request) -> str:
    return request.headers.get("accept-encoding", "")
