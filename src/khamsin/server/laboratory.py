"""The laboratory behind a page: studies are played one after another in worker processes of low priority, and can be
viewed while they grow. A study is identified by its contents, so requesting the same twice plays it once.

Studies are kept in memory: after a restart the same study gives the same games again.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import secrets
from collections import OrderedDict
from functools import lru_cache
from threading import Lock
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import Response

from khamsin import games, players
from khamsin.kernel.rules import Rules
from khamsin.lab import Finished, Run, Study, page, report
from khamsin.lab.figures import figures
from khamsin.lab.local import Processes
from khamsin.server import catalogue, lab_schemas, limits, wire
from khamsin.server.board_cache import Document
from khamsin.server.click_checks import Refused
from khamsin.server.middleware import address_of
from khamsin.server.parameters import may_answer

Json = dict[str, Any]
State = Literal["waiting", "running", "done", "stopped", "failed"]
log = logging.getLogger(__name__)

PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What a report opened by itself may load: its own style sheet."""

Id = Annotated[str, Path(min_length=1, max_length=64, description="The id of a study")]
Known = Annotated[
    int, Query(ge=-1, lt=1 << 31, description="Respond when more games than this are finished, or none will be")
]
Key = Annotated[
    str, Header(alias="X-Khamsin-Key", max_length=128, description="The secret of the caller who began the study")
]


class StudyJob:
    """One study: the request, its progress, and its results."""

    def __init__(self, asked: lab_schemas.NewStudy, rules: Rules[Any], visitor: str) -> None:
        self.asked = asked
        self.rules = rules
        self.visitor = visitor
        self.id = fingerprint(asked, rules)
        self.key = secrets.token_urlsafe(18)
        self.studies = studies_of(asked, rules)
        self.state: State = "waiting"
        self.error = ""
        self.count = 0
        self._finished: list[Finished] = []
        self._summary: tuple[int, Json] | None = None
        self._lock = Lock()
        self._news = asyncio.Event()

    @property
    def total(self) -> int:
        """How many games are to be played."""
        return self.asked.games * len(self.studies)

    @property
    def over(self) -> bool:
        """Whether no more games will come."""
        return self.state in ("done", "stopped", "failed")

    def add(self, finished: Finished) -> None:
        """One more game."""
        self._finished.append(finished)
        self.count += 1
        self.tell()

    def tell(self) -> None:
        """Wake up those who wait for results."""
        self._news.set()
        self._news = asyncio.Event()

    async def news(self, known: int) -> None:
        """Wait, for a limited time, until more games are finished than the caller knows of, or none will be."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limits.LAB_TIMEOUT_SECONDS):
                while self.count <= known and not self.over:
                    await self._news.wait()

    def summary(self) -> tuple[int, Json]:
        """Return how many games are finished, and their results; computed again only if there are more. For any thread."""
        with self._lock:
            return self._summed()

    def _summed(self) -> tuple[int, Json]:
        count = self.count
        if self._summary is None or self._summary[0] != count:
            self._summary = count, report.summary(self.rules, self.studies, self._finished[:count])
        return self._summary

    def close(self, state: State, error: str = "") -> None:
        """Finish: make the last summary, which is all that is kept."""
        with self._lock:
            self._summed()
            self._finished = []
            self.state, self.error = state, error

    def page(self) -> str:
        """Return the report as a single page."""
        return page.html(self.rules, self.summary()[1], self.asked.games)

    def command(self) -> str:
        """Return the command line that plays it again."""
        command = self.studies[0].command(self.rules.sides, self.asked.games)
        changes = page.changed(*self.studies) if len(self.studies) == 2 else []
        return " ".join([command, *(f"--what-if {page.quoted(change)}" for change in changes)])


class Laboratory:
    """The studies of a server. With no processes it is closed."""

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self._works: OrderedDict[str, StudyJob] = OrderedDict()
        self._run: Run | None = None
        self._task: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """End the running study, and its workers."""
        for work in self._works.values():
            work.tell()
            if work.state == "waiting":
                work.state = "stopped"
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def waiting(self) -> list[StudyJob]:
        """Return the studies in progress or waiting, the running one first."""
        return [work for work in self._works.values() if not work.over]

    def known(self, id: str) -> StudyJob | None:
        """Return a study by its id, if it is stored here."""
        return self._works.get(id)

    def find(self, id: str) -> StudyJob:
        """Return a study by its id."""
        found = self.known(id)
        if found is None:
            raise Refused("unknown", "This study is no longer stored here; its link plays it again")
        return found

    def begin(self, work: StudyJob) -> StudyJob:
        """Queue a study; return the existing one if it is known."""
        known = self._works.get(work.id)
        if known is not None and known.state in ("waiting", "running", "done"):
            return known
        if not self.processes:
            raise Refused("busy", "The laboratory of this server is closed")
        waiting = self.waiting()
        if sum(other.visitor == work.visitor for other in waiting) >= limits.LAB_EACH:
            raise Refused("limit", f"You have {limits.LAB_EACH} studies running. Wait, or stop one.")
        if len(waiting) > limits.LAB_WAITING:
            raise Refused("busy", "Too many studies are waiting. Try again later.")
        self._works.pop(work.id, None)
        self._works[work.id] = work
        for old in [old for old in self._works.values() if old.over][: -limits.LAB_KEPT]:
            del self._works[old.id]
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._play_all())
        return work

    def stop(self, work: StudyJob) -> None:
        """End a study with what is finished."""
        if work.state == "waiting":
            work.close("stopped")
            work.tell()
        elif work.state == "running" and self._run is not None:
            self._run.cancel()

    async def _play_all(self) -> None:
        while waiting := self.waiting():
            await self._play(waiting[0])

    async def _play(self, work: StudyJob) -> None:
        work.state = "running"
        pool = Processes(limits.LAB_NICE)
        run = self._run = Run(work.studies, work.asked.games, self.processes, pool=pool)
        state: State = "failed"
        error = ""
        try:
            async with asyncio.timeout(limits.LAB_SECONDS):
                async for finished in run:
                    work.add(finished)
            state = "done" if work.count == work.total else "stopped"
        except TimeoutError:
            state = "stopped"
        except ValueError as wrong:
            error = str(wrong)
        except RuntimeError as wrong:
            log.warning("a study failed: %s", wrong)
            error = str(wrong)
        except asyncio.CancelledError:
            work.state = "stopped"
            raise
        finally:
            self._run = None
        await asyncio.to_thread(work.close, state, error)
        work.tell()


def laboratory_router(laboratory: Laboratory) -> APIRouter:
    """Everything under /api/lab."""
    router = APIRouter(prefix="/api/lab", tags=["laboratory"])

    def told(work: StudyJob, key: str = "") -> lab_schemas.StudyInfo:
        waiting = laboratory.waiting()
        return lab_schemas.StudyInfo(
            id=work.id, state=work.state, before=waiting.index(work) if work in waiting else 0, finished=work.count,
            total=work.total, error=work.error, command=work.command(), study=work.asked, key=key,
        )  # fmt: skip

    @router.get("", summary="What the laboratory allows")
    def laboratory_info() -> lab_schemas.LabInfo:
        playable = games.playable()
        return lab_schemas.LabInfo(
            processes=laboratory.processes,
            games=limits.LAB_GAMES,
            changes=limits.LAB_CHANGES,
            players={game: [name for name in players.PLAYERS if players.knows(name, game)] for game in playable},
            waiting=len(laboratory.waiting()),
        )

    @router.get(
        "/figures/{game}", summary="The changeable parameters of a game", response_model=lab_schemas.Figures,
        responses=may_answer(404),
    )  # fmt: skip
    def changeable(game: wire.Name) -> Response:
        return Response(_figures(game).body, media_type="application/json")

    @router.post("/studies", status_code=201, summary="Begin a study", responses=may_answer(404))
    async def begin_study(asked: lab_schemas.NewStudy, request: Request) -> lab_schemas.StudyInfo:
        work = StudyJob(asked, checked(asked), address_of(request.scope))
        found = laboratory.begin(work)
        return told(found, work.key if found is work else "")

    @router.post(
        "/studies/find", summary="A study by its contents, or null if it is not known here", responses=may_answer(404)
    )
    async def find_study(asked: lab_schemas.NewStudy) -> lab_schemas.StudyInfo | None:
        known = laboratory.known(fingerprint(asked, checked(asked)))
        return None if known is None else told(known)

    @router.get("/studies/{id}", summary="The progress of a study", responses=may_answer(404))
    async def study(id: Id, known: Known = -1) -> lab_schemas.StudyInfo:
        work = laboratory.find(id)
        await work.news(known)
        return told(work)

    @router.post("/studies/{id}/stop", status_code=204, summary="End a study with what is finished",
                 responses=may_answer(403, 404))  # fmt: skip
    async def stop_study(id: Id, key: Key = "") -> None:
        work = laboratory.find(id)
        if not secrets.compare_digest(key.encode(), work.key.encode()):
            raise Refused("seat", "Only the person who started a study can stop it")
        laboratory.stop(work)

    @router.get(
        "/studies/{id}/report", summary="The results so far", response_model=lab_schemas.LabReport,
        responses=may_answer(404),
    )  # fmt: skip
    async def so_far(id: Id) -> Response:
        work = laboratory.find(id)
        count, found = await asyncio.to_thread(work.summary)
        return Response(orjson.dumps(shaped(count, found)), media_type="application/json")

    @router.get(
        "/studies/{id}/report.html", summary="The report as a page", response_class=Response,
        responses={200: {"content": {"text/html": {}}, "description": "One complete page"}, **may_answer(404)},
    )  # fmt: skip
    async def as_page(id: Id) -> Response:
        work = laboratory.find(id)
        headers = {"Content-Security-Policy": PAGE_POLICY, **_attached(work, "html")}
        return Response(await asyncio.to_thread(work.page), media_type="text/html", headers=headers)

    @router.get(
        "/studies/{id}/report.json", summary="The values as khamsin sim --json prints them", response_class=Response,
        responses={200: {"content": {"application/json": {}}, "description": "The summary"}, **may_answer(404)},
    )  # fmt: skip
    async def as_json(id: Id) -> Response:
        work = laboratory.find(id)
        _, found = await asyncio.to_thread(work.summary)
        text = orjson.dumps(found, option=orjson.OPT_INDENT_2)
        return Response(text, media_type="application/json", headers=_attached(work, "json"))

    return router


def checked(asked: lab_schemas.NewStudy) -> Rules[Any]:
    """Return the rules of a study, after checking that it can be played; a worker reports later what only it can check."""
    rules = catalogue.rules_of(asked.game)
    if set(asked.players) != set(rules.sides):
        raise Refused("invalid", f"Expected a player for each side: {', '.join(rules.sides)}")
    try:
        for who in asked.players.values():
            players.player(who)
            if not players.knows(who, asked.game):
                raise ValueError(f"The player {who} does not know {rules.title}")
        for study in studies_of(asked, rules):
            rules.scenario(study.scenario).choose(study.options)
    except ValueError as error:
        raise Refused("invalid", str(error)) from None
    return rules


def studies_of(asked: lab_schemas.NewStudy, rules: Rules[Any]) -> list[Study]:
    """Return the study as it is, and changed."""
    seats = tuple(asked.players[side] for side in rules.sides)
    study = Study(asked.game, asked.scenario, seats, dict(asked.options), {}, asked.seed)
    changes = [f"{change.path}={change.value}" for change in asked.changes]
    return [study, study.but(changes)] if changes else [study]


def fingerprint(asked: lab_schemas.NewStudy, rules: Rules[Any]) -> str:
    """Return the id of a study: a hash of its contents and data."""
    text = orjson.dumps([asked.model_dump(), rules.digest], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(text).hexdigest()[:20]


@lru_cache(maxsize=16)
def _figures(game: str) -> Document:
    rules = catalogue.rules_of(game)
    return Document.of(
        orjson.dumps({"figures": [one._asdict() for one in figures(rules)]}).decode(), "application/json"
    )


def _attached(work: StudyJob, ending: str) -> dict[str, str]:
    name = f"{work.asked.game}-{work.asked.scenario}-{work.id[:8]}.{ending}"
    safe = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-.") else "_" for letter in name)
    return {"Content-Disposition": f'attachment; filename="{safe}"'}


def shaped(count: int, found: Json) -> Json:
    """Return a summary in the shape of `lab_schemas.LabReport`."""
    return {
        "finished": count,
        "sides": found["sides"],
        "arms": [_arm(arm) for arm in found["studies"]],
        "difference": _difference(found["difference"]) if "difference" in found else None,
    }


def _arm(arm: Json) -> Json:
    return {
        "games": arm["games"],
        "failed": len(arm["failed"]),
        "error": arm.get("error", ""),
        "results": [{"winner": winner, "level": ""} | share for winner, share in arm["results"].items()],
        "levels": arm["levels"],
        "turns": _spread(arm["turns"]),
        "clicks": _spread(arm["clicks"]),
        "decisive": _spread(arm["decisive turn"]),
        "left": arm["left the map"],
        "lead": arm["lead"],
        "curves": [{"title": title, "points": points} for title, points in arm["curves"].items()],
        "maps": arm["maps"],
    }


def _spread(values: Json) -> Json:
    return lab_schemas.LabSpread(**values).model_dump()


def _difference(found: Json) -> Json:
    return {
        "pairs": found["pairs"],
        "same": found["same"],
        "shares": [{"name": name} | row for name, row in found["results"].items()],
        "means": [{"name": name} | row for name, row in found["means"].items()],
    }
