"""The ordered checks that every click from outside passes before the rules run.

The match exists; it is not over; the sender holds the seat; it is that seat's decision; the number is the current one;
the click is legal. A refusal names the check that failed. The match is unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import EVERYONE, Rules
from khamsin.server import wire

if TYPE_CHECKING:
    from khamsin.server.live_match import LiveMatch

STATUS = {
    "unknown": 404, "over": 409, "turn": 409, "stale": 409, "changed": 409, "waiting": 409, "used": 409, "early": 409,
    "frozen": 409, "seat": 403, "origin": 403, "account": 401, "illegal": 422, "invalid": 422, "limit": 429, "busy": 503,
}  # fmt: skip
"""The HTTP status of each reason."""


class Refused(Exception):
    """A rejected action, with reason and rule. `view` is the present match, ready to send."""

    def __init__(
        self, reason: wire.Grounds, error: str, rule: str = "", cause: str = "", view: wire.View | None = None
    ) -> None:
        super().__init__(error)
        self.reason = reason
        self.error = error
        self.rule = rule
        self.cause = cause
        self.view = view

    @property
    def status(self) -> int:
        """The HTTP status."""
        return STATUS[self.reason]

    def as_dict(self) -> wire.Refusal:
        """Return it as it is sent."""
        plain: wire.Refusal = {"error": self.error, "reason": self.reason, "rule": self.rule, "cause": self.cause}
        if self.view:
            plain["view"] = self.view
        return plain


def check_turn(table: LiveMatch, holds: Sequence[int], side: str | None, number: int) -> int:
    """Make the checks up to the number, and return the side that acts."""
    match = table.history.match
    if match.decision is None:
        raise Refused("over", "The game is over", _end_rule(table), view=table.view(_looking(holds)))
    asked = match.decision.side
    seat = seat_of(table.history.rules, holds, side, asked)
    if asked != seat:
        who = table.history.rules.sides[asked]
        raise Refused("turn", f"{who} must decide now", match.phase.rule, view=table.view(seat))
    if number != match.number:
        raise Refused("stale", "The match has changed meanwhile", view=table.view(seat))
    return seat


def is_open(table: LiveMatch, click: str) -> bool:
    """Whether a click is legal: the last check."""
    match = table.history.match
    return match.decision is not None and match.rules.click.get(click, NOWHERE) in match.decision.legal


def seat_of(rules: Rules[Any], holds: Sequence[int], side: str | None, asked: int) -> int:
    """Return the seat of the sender: the one named, or the deciding one if the sender holds it."""
    if not holds:
        raise Refused("seat", "This needs the key of a seat")
    if side is None:
        return asked if asked in holds else holds[0]
    seat = side_number(rules, side)
    if seat not in holds:
        raise Refused("seat", f"The key does not open the seat of {rules.sides[seat]}")
    return seat


def viewer_of(rules: Rules[Any], holds: Sequence[int], side: str | None, all_open: bool = False) -> int:
    """Return the side of a viewer: the one named, if the viewer holds it or may see everything; else the viewer's own;
    EVERYONE without a key."""
    if side is None:
        return holds[0] if holds else EVERYONE
    seat = side_number(rules, side)
    if seat not in holds and not all_open:
        raise Refused("seat", f"The key does not open the seat of {rules.sides[seat]}")
    return seat


def side_number(rules: Rules[Any], side: str) -> int:
    """Return the number of a side by its name."""
    try:
        return rules.side(side)
    except ValueError as error:
        raise Refused("invalid", str(error)) from None


def _looking(holds: Sequence[int]) -> int:
    return holds[0] if holds else EVERYONE


def _end_rule(table: LiveMatch) -> str:
    result = table.history.match.result
    return result.rule if result else ""
