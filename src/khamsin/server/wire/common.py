"""Types that the other modules of the wire share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema

from khamsin.server import limits

TONES = ("own", "open", "closed", "supply", "border", "note")
Tone = Annotated[
    str, StringConstraints(pattern=f"^({'|'.join(TONES)})$"), WithJsonSchema({"enum": TONES, "type": "string"})
]
Role = Literal["main", "cancel", "plain"]
Grounds = Literal[
    "unknown", "over", "seat", "turn", "stale", "illegal", "invalid", "limit", "origin", "account", "busy", "changed",
    "waiting", "used", "early", "frozen",
]  # fmt: skip
"""Why a request was refused, for programs."""
LineNote = Literal["", "automatic", "order", "routine", "loss"]
Name = Annotated[str, StringConstraints(min_length=1, max_length=limits.NAME)]
STORABLE = r"^[^\x00]*$"
"""PostgreSQL cannot store a text with a NUL in it."""
Commitment = Annotated[
    str,
    StringConstraints(pattern=r"^([0-9a-f]{64})?$"),
    Field(description="64 hexadecimal digits. For a new match with a friend: the SHA-256 of 32 random bytes"),
]
ClaimDays = Annotated[
    int | None,
    Field(ge=2, le=90, description="Days of absence after which an opponent may claim the match; null: never"),
]


class Strict(BaseModel):
    """Something a client sends. Unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", strict=True)
