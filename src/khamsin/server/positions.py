"""A match as one side may know it, for programs: the state as a position file, and the whole decision."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from khamsin.kernel import position
from khamsin.kernel.match import Match
from khamsin.kernel.rules import EVERYONE
from khamsin.server import click_checks, views
from khamsin.server.click_checks import Refused
from khamsin.server.middleware import Buckets, Payer
from khamsin.server.parameters import Key, Side, may_answer
from khamsin.server.parameters import Match as MatchId
from khamsin.server.registry import MatchRegistry


class PositionView(BaseModel):
    """What a computer player needs to decide. The decision is empty if another side must decide."""

    game: str
    digest: str = Field(
        description="The digest of the game's rules and data; a program with another may misread the rest"
    )
    side: str
    asked: str | None = Field(description="The side that must decide, null when the match is over")
    number: int = Field(description="Of the decision; a click must carry it")
    kind: str = Field(default="", description="The kind of decision, such as `move.to`")
    prompt: str = ""
    rule: str = ""
    top: bool = Field(default=False, description="Whether the decision is at the top level")
    about: list[str] = Field(default_factory=list)
    legal: list[tuple[str, Any]] = Field(default_factory=list, description="Every legal click with its hint, in order")
    buttons: list[str] = Field(default_factory=list, description="Buttons of the decision that may be illegal now")
    position: str = Field(description="The present state as the side may know it, as a position file (TOML)")


def positions_router(registry: MatchRegistry, buckets: Buckets) -> APIRouter:
    """Return the part of the API for programs that think."""
    router = APIRouter(prefix="/api/matches/{match}", tags=["games"])

    @router.get(
        "/position",
        summary="The match as a seat may know it",
        response_model=PositionView,
        responses=may_answer(403, 404, 409),
    )
    async def position(request: Request, match: MatchId, key: Key = "", side: Side = None) -> Response:
        table = await registry.table(match)
        viewer = click_checks.viewer_of(table.rules, table.holds(key), side)
        if viewer == EVERYONE:
            raise Refused("seat", "This needs the key of a seat")
        payer = Payer(buckets, request.scope, key)
        answer = await registry.answers.of(
            table, viewer, ("position",), lambda copy: position_of(copy, viewer).model_dump(mode="json"), payer
        )
        return answer.response(request.headers.get("accept-encoding", ""))

    return router


def position_of(match: Match[Any], side: int) -> PositionView:
    """Return the match as a side may know it now."""
    rules, decision = match.rules, match.decision
    shown = PositionView(
        game=rules.id,
        digest=rules.digest,
        side=rules.sides[side],
        asked=rules.sides[decision.side] if decision else None,
        number=match.number,
        position=position.write_game(match.game, views.seen_state(match, side)),
    )
    if decision is not None and decision.side == side:
        names = rules.names
        shown.kind, shown.prompt, shown.rule, shown.top = decision.kind, decision.prompt, decision.rule, decision.top
        shown.about = [names[unit] for unit in decision.about]
        shown.buttons = [names[button] for button in decision.buttons]
        shown.legal = [(names[click], hint) for click, hint in decision.legal.items()]
    return shown
