"""Parameters and refusals that the routes of the API share."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Header, Path, Query

from khamsin.server import limits


def refusal(description: str) -> dict[str, Any]:
    """Return a response in the shape of `wire.Refusal` for the description of the API.

    A reference costs nothing; a `model` makes FastAPI build a validator for every status of every route.
    """
    return {
        "description": description,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}},
    }


ANSWERS = {
    401: refusal("Not signed in, or the password is wrong"),
    403: refusal("The key does not open that seat, or the request is from another site"),
    404: refusal("Not found"),
    409: refusal("Over, not your turn, too late, or the rules have changed; with the view"),
    413: refusal("Too large"),
    422: refusal("The rules forbid it, with the reason; or it is invalid"),
    429: refusal("Too often; see Retry-After"),
    503: refusal("The server cannot do it at this moment"),
}
"""All refusals, for the description of the API."""

Match = Annotated[str, Path(min_length=1, max_length=64, description="The id of a match")]
Key = Annotated[
    str,
    Header(
        alias="X-Khamsin-Key", max_length=128, description="The secret of a seat; without it, the caller is a spectator"
    ),
]
Side = Annotated[str | None, Query(max_length=limits.NAME, description="As which side, if a key opens several seats")]


def may_answer(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the refusals of a request."""
    return {status: ANSWERS[status] for status in (*statuses, 422, 429, 503)}
