"""The part of the API for playing a match: views, clicks, requests, replay, branches, chat."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response

from khamsin.kernel import match as kernel
from khamsin.kernel import position
from khamsin.kernel.board import NOWHERE
from khamsin.server import click_checks, limits, replay, views, wire
from khamsin.server.answers import compute
from khamsin.server.click_checks import Refused
from khamsin.server.history import MatchHistory
from khamsin.server.live_match import LiveMatch
from khamsin.server.middleware import Buckets, Payer
from khamsin.server.parameters import Key, Match, Side, may_answer
from khamsin.server.registry import MatchRegistry
from khamsin.server.replay import Replay, Replays
from khamsin.server.seating import Party, Seating, Terms, new_head, recorded_seats
from khamsin.server.store import Entry
from khamsin.server.summary import summary
from khamsin.server.views import seen_state

ClickName = Annotated[str, Query(max_length=limits.NAME, description="The name of a unit, hex, box or button")]
Names = Annotated[list[Annotated[str, Query(max_length=limits.NAME)]], Query(max_length=64)]


def matches_router(registry: MatchRegistry, seating: Seating, buckets: Buckets) -> APIRouter:
    """Everything under /api/matches but the live connection."""
    router = APIRouter(prefix="/api/matches", tags=["games"])
    replays = Replays()
    reading = asyncio.Semaphore(1)
    importing = asyncio.Semaphore(1)

    async def look(match: str, key: str, side: str | None) -> tuple[LiveMatch, list[int], int]:
        """Return a match, the seats that a key opens, and the viewer."""
        table = await registry.table(match)
        holds = table.holds(key)
        viewer = click_checks.viewer_of(table.rules, holds, side, table.sees_all(holds))
        return table, holds, viewer

    async def past(table: LiveMatch, payer: Payer) -> Replay:
        """Return the replay of a match. One is read at a time, since each may be large."""
        payer.check()
        async with reading:
            known = replays.get(table.id, table.version)
            if known is not None:
                return known
            saved = await registry.saved(table.id)
            found = await registry.lanes.replays.run_paid(payer, lambda: Replay(saved, registry.find))
        payer.charge(READ_MS * len(saved.entries))
        return replays.keep(found)

    async def ask(
        request: Request, match: str, key: str, side: str | None, what: tuple[Any, ...],
        work: Callable[[kernel.Match[Any], int], Any],
    ) -> Response:  # fmt: skip
        """Return the answer to a request about a match as a viewer may know it."""
        table, _, viewer = await look(match, key, side)
        payer = Payer(buckets, request.scope, key)
        answer = await registry.answers.of(table, viewer, what, lambda copy: work(copy, viewer), payer)
        return answer.response(_accepts(request))

    async def look_back(
        request: Request, table: LiveMatch, key: str, viewer: int, what: tuple[Any, ...], work: Callable[[Replay], Any]
    ) -> Response:
        """Return the answer to a request about the history of a match."""
        payer, whole = Payer(buckets, request.scope, key), (table.id, table.shown, viewer, what)
        answer = registry.answers.known(whole)
        if answer is None:
            replay = await past(table, payer)
            answer = await registry.answers.computed(
                whole, registry.lanes.replays, partial(compute, partial(work, replay)), payer
            )
            replays.trim()
        return answer.response(_accepts(request))

    @router.post("/import", status_code=201, summary="Import a record", responses=may_answer(409, 413))
    async def import_record(request: Request, asked: wire.Import) -> wire.CreatedMatch:
        payer, head = Payer(buckets, request.scope, ""), new_head()
        async with importing:
            history, entries = await registry.lanes.replays.run_paid(
                payer, lambda: replay.imported(asked.record, head, registry.find)
            )
        party = Party.of(history.rules, asked.seats or recorded_seats(history.rules, asked.record))
        terms = Terms(asked.claim_days, asked.contribution)
        return await seating.create(history.rules, history.head, party, terms, (history, entries))

    @router.get(
        "/{match}",
        summary="The match as a viewer may see it",
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
        try:
            table, holds, viewer = await look(match, key, side)
        except Refused as refused:
            if refused.reason != "frozen":
                raise
            frozen = await registry.frozen(match)
            return _json(frozen.view(frozen.viewer(key, side)))
        await registry.arrive(table, holds, key)
        answer = await registry.view(table, viewer, log_from, Payer(buckets, request.scope, key))
        return answer.response(_accepts(request))

    @router.post(
        "/{match}/resume",
        summary="Agree to lose clicks, so that a match can continue under updated rules",
        response_model=wire.View,
        responses=may_answer(403, 404, 409),
    )
    async def resume(request: Request, match: Match, key: Key = "") -> Response:
        await registry.consent(match, key)
        return await view(request, match, key)

    @router.get(
        "/{match}/info",
        summary="The status of the match",
        response_model=wire.MatchInfo,
        responses=may_answer(403, 404, 409),
    )
    async def info(match: Match, key: Key = "") -> Response:
        try:
            table = await registry.table(match)
        except Refused as refused:
            found = await asyncio.to_thread(registry.lists.infos, [match]) if refused.reason == "frozen" else []
            if not found:
                raise
            mine = await asyncio.to_thread(registry.lists.sides_of, match, key)
            return _json({**found[0], "mine": mine})
        open_reasons = await registry.tells_reasons(table)
        changed, holds = await registry.last_change(table.id), table.holds(key)
        async with table.lock:
            return _json(await registry.lanes.clicks.run(table.info, changed, open_reasons, holds))

    @router.post("/{match}/clicks", summary="Click", response_model=wire.View, responses=may_answer(403, 404, 409))
    async def click(request: Request, match: Match, asked: wire.Click, key: Key = "") -> Response:
        table, holds, _ = await look(match, key, None)
        known = await registry.lines_known(table, holds)
        payer = Payer(buckets, request.scope, key)
        seat = await registry.click(table, holds, asked.side, asked.number, asked.click, payer)
        return (await registry.view_now(table, seat, known[seat])).response(_accepts(request))

    @router.post(
        "/{match}/undo",
        summary="Undo a move of this phase",
        response_model=wire.View,
        responses=may_answer(403, 404, 409),
    )
    async def undo(request: Request, match: Match, asked: wire.Undo, key: Key = "") -> Response:
        table, holds, _ = await look(match, key, None)
        seat = await registry.undo(table, holds, asked.side, asked.number, asked.move)
        return (await registry.view_now(table, seat)).response(_accepts(request))

    @router.get(
        "/{match}/why", summary="Why a click is illegal", response_model=wire.Why, responses=may_answer(403, 404, 409)
    )
    async def why(request: Request, match: Match, click: ClickName, key: Key = "", side: Side = None) -> Response:
        table, _, viewer = await look(match, key, side)
        answer = await registry.answers.why(table, viewer, click, Payer(buckets, request.scope, key))
        return answer.response(_accepts(request))

    @router.get(
        "/{match}/refusals",
        summary="Why several clicks are illegal",
        response_model=wire.Refusals,
        responses=may_answer(403, 404, 409),
    )
    async def refusals(request: Request, match: Match, click: Names, key: Key = "", side: Side = None) -> Response:
        def work(copy: kernel.Match[Any], viewer: int) -> wire.Refusals:
            return {"refusals": [views.why(copy, one, viewer) for one in click]}

        return await ask(request, match, key, side, ("refusals", tuple(click)), work)

    @router.get(
        "/{match}/odds",
        summary="The odds of a combat",
        response_model=wire.OddsView,
        responses=may_answer(403, 404, 409),
    )
    async def odds(
        request: Request, match: Match, attackers: Names, targets: Names, key: Key = "", side: Side = None
    ) -> Response:
        def work(copy: kernel.Match[Any], viewer: int) -> wire.OddsView:
            rules = copy.rules
            found = copy.odds(
                viewer, [rules.parse(name) for name in attackers], [rules.board[name] for name in targets]
            )
            return views.odds(", ".join(targets), attackers, targets, found, (), copy.rules.display.outcome)

        return await ask(request, match, key, side, ("odds", tuple(attackers), tuple(targets)), work)

    @router.get(
        "/{match}/sheets",
        summary="The combats that the decision, or a click, is about",
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
        def work(copy: kernel.Match[Any], viewer: int) -> list[wire.OddsView]:
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
        def work(copy: kernel.Match[Any], viewer: int) -> wire.LayerView:
            if name not in copy.rules.display.layers:
                raise Refused("unknown", f"{name!r}: no such layer of {copy.rules.title}")
            return views.layer(copy.game.seen_by(viewer), name, viewer)

        return await ask(request, match, key, side, ("layer", name), work)

    @router.get(
        "/{match}/calendar",
        summary="The events of the turns to come",
        response_model=list[wire.ArrivalView],
        responses=may_answer(403, 404, 409),
    )
    async def calendar(request: Request, match: Match, key: Key = "", side: Side = None) -> Response:
        def work(copy: kernel.Match[Any], viewer: int) -> list[wire.ArrivalView]:
            return views.calendar(copy.game.seen_by(viewer), viewer)

        return await ask(request, match, key, side, ("calendar",), work)

    @router.get(
        "/{match}/timeline",
        summary="The history of the match in moments",
        response_model=wire.Timeline,
        responses=may_answer(403, 404, 409),
    )
    async def timeline(request: Request, match: Match, key: Key = "", side: Side = None) -> Response:
        table, _, viewer = await look(match, key, side)
        return await look_back(request, table, key, viewer, ("timeline",), lambda replay: replay.timeline(viewer))

    @router.get(
        "/{match}/summary",
        summary="What has changed since the side's last turn",
        response_model=wire.TurnSummary,
        responses=may_answer(403, 404, 409),
    )
    async def turn_summary(request: Request, match: Match, key: Key = "", side: Side = None) -> Response:
        table, _, viewer = await look(match, key, side)
        return await look_back(request, table, key, viewer, ("summary",), lambda replay: summary(replay, viewer))

    @router.get(
        "/{match}/at/{click}",
        summary="The match after a number of clicks",
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
        version, over = table.shown, table.history.match.over
        return await look_back(
            request, table, key, viewer, ("at", click), lambda replay: replay.view(click, viewer, version, over)
        )

    @router.get(
        "/{match}/rolls",
        summary="Every roll of a match that is over",
        response_model=wire.Rolls,
        responses=may_answer(403, 404, 409),
    )
    async def rolls(request: Request, match: Match, key: Key = "") -> Response:
        table, _, viewer = await look(match, key, None)
        if not table.history.match.over:
            raise Refused("seat", "The rolls are shown when the match is over; some may be secret until then")
        return await look_back(request, table, key, viewer, ("rolls",), lambda replay: replay.fallen())

    @router.get(
        "/{match}/record", summary="The record of the match, or the position as its player knows it", response_class=Response,
        responses={
            200: {"content": {"application/jsonl": {}, "application/toml": {}}, "description": "A record or a position"},
            **may_answer(403, 404, 409),
        },
    )  # fmt: skip
    async def record(request: Request, match: Match, key: Key = "") -> Response:
        try:
            table, holds, viewer = await look(match, key, None)
        except Refused as refused:
            if refused.reason != "frozen":
                raise
            frozen = await registry.frozen(match)
            text, ending = frozen.record(frozen.viewer(key, None), frozen.holds(key))
            return _file(text, f"{frozen.saved.head.game}-{match}.{ending}")
        name = f"{table.rules.id}-{table.id}"
        players = {table.rules.sides[seat.side]: table.name_of(seat.side) or seat.who for seat in table.seats}
        whole, payer = table.sees_all(holds), Payer(buckets, request.scope, key)
        if not whole:
            _may_export(table, holds)
        if whole or not table.rules.has_hidden_info:
            played = await past(table, payer)
            text = await registry.lanes.replays.run_paid(payer, lambda: played.record(players, whole))
            return _file(text, f"{name}.jsonl")
        async with table.lock:
            return _file(await registry.lanes.clicks.run(known_so_far, table, viewer), f"{name}.toml")

    @router.get(
        "/{match}/reasons",
        summary="The reasons of the computer players",
        response_model=wire.Reasons,
        responses=may_answer(403, 404, 409),
    )
    async def why_so(
        match: Match,
        key: Key = "",
        after: Annotated[int, Query(ge=-1, lt=1 << 31, description="Leave out the clicks up to this decision")] = -1,
    ) -> Response:
        table, holds, _ = await look(match, key, None)
        return _json({"reasons": await registry.reasons(table, holds, after)})

    @router.post(
        "/{match}/hurry",
        status_code=204,
        summary="Let the thinking computer player move now",
        responses=may_answer(403, 404, 409),
    )
    async def hurry(match: Match, key: Key = "") -> None:
        table, holds, _ = await look(match, key, None)
        await registry.hurry(table, holds)

    @router.post(
        "/{match}/branch",
        status_code=201,
        summary="A new match from a moment of this one",
        responses=may_answer(403, 404, 409),
    )
    async def branch(request: Request, match: Match, asked: wire.Branch, key: Key = "") -> wire.CreatedMatch:
        table, holds, viewer = await look(match, key, None)
        sees_all, payer, head = table.sees_all(holds), Payer(buckets, request.scope, key), new_head()
        if not sees_all:
            _may_export(table, holds)
        whole = await past(table, payer)

        def work() -> tuple[MatchHistory, list[Entry]]:
            if sees_all or not table.rules.has_hidden_info:
                return whole.branch(asked.click, head)
            return whole.branch_imagined(asked.click, head, viewer)

        played = await registry.lanes.replays.run_paid(payer, work)
        history = played[0]
        party = Party.of(history.rules, asked.seats)
        return await seating.create(
            history.rules, history.head, party, Terms(asked.claim_days, asked.contribution), played
        )

    @router.post(
        "/{match}/chat",
        summary="Send a chat message",
        response_model=wire.ChatMessage,
        responses=may_answer(403, 404, 409),
    )
    async def say(match: Match, asked: wire.Say, key: Key = "") -> Response:
        table, _, viewer = await look(match, key, None)
        return _json(await registry.say(table, viewer, table.name_of(viewer), asked.text))

    @router.get("/{match}/chat", summary="The chat", response_model=wire.Chat, responses=may_answer(403, 404, 409))
    async def chat(match: Match, key: Key = "") -> Response:
        table, _, _ = await look(match, key, None)
        lines: wire.Chat = {"lines": table.chat}
        return _json(lines)

    return router


def _json(value: Mapping[str, object]) -> Response:
    return Response(orjson.dumps(value), media_type="application/json")


def _file(text: str, name: str) -> Response:
    kind = {"jsonl": "application/jsonl", "json": "application/json", "toml": "application/toml"}[name.split(".")[-1]]
    return Response(text, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _may_export(table: LiveMatch, holds: list[int]) -> None:
    """A running match between two people is exported when it is over; against the computer, by its player."""
    if not table.holds_all(holds):
        raise Refused("seat", "The record of a match between two people is available when it is over")


def known_so_far(table: LiveMatch, viewer: int) -> str:
    """Return the position as a player knows it, with the log that the player may see as comments."""
    match = table.history.match
    text = position.write_game(match.game, seen_state(match, viewer))
    log = [line for line in table.history.log if views.may_see(line, viewer)]
    return text + "".join(f"# {line.rule}: {line.text}\n" if line.rule else f"# {line.text}\n" for line in log)


READ_MS = 0.02
"""Milliseconds that reading an entry from the database costs, about."""


def _accepts(request: Request) -> str:
    return request.headers.get("accept-encoding", "")
