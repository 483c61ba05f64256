"""Air Support Points (1.10): how many a side has, and how many it commits."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.units import AIR_BUTTONS, SIDES, G
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.showing import counted

AGAINST = "against"
"""The hint of the defender's choices: how many air points the attacker commits (1.10c)."""


def refill(g: G, side: int, turn: int) -> None:
    """Set the air points of a side for a turn; those left over are not saved (1.10)."""
    points = setting(g).air[side]
    g.state.air[SIDES[side]] = points[min(turn, len(points)) - 1]


def left(g: G, side: int) -> int:
    """Return the air points that a side has left."""
    return g.state.air.get(SIDES[side], 0)


def initialization(g: G, side: int) -> Procedure:
    """The Initialization Phase: the air points of the turn (1.1, 1.10, SCS 2)."""
    refill(g, side, g.state.turn)
    g.log("1.10", "{side} has {points}", side=side, points=counted(left(g, side), "air point"))
    yield from ()


def buttons(g: G, side: int) -> list[int]:
    """Return the buttons that commit air points: from none to all that are left (1.10c)."""
    return [g.rules.button(word) for word in AIR_BUTTONS[: left(g, side) + 1]]


def points_of(g: G, button: int) -> int:
    """Return how many air points a button commits."""
    return AIR_BUTTONS.index(g.rules.names[button])


def why_not(g: G, side: int, click: int) -> Refusal | None:
    """A side never commits more air points than it has left (1.10)."""
    word = g.rules.names[click]
    if word not in AIR_BUTTONS:
        return None
    number, points = AIR_BUTTONS.index(word), left(g, side)
    if number <= points:
        return None
    track = f"{SIDES[side]} Air Support Points"
    return Refusal(f"{SIDES[side]} cannot commit {counted(number, 'air point')}: {points} left", "1.10", track)


def commit(
    g: G, side: int, hex: int, about: Sequence[int], already: int | None = None
) -> Generator[Decision, int, int]:
    """A side decides how many air points it commits to a combat; the attacker first, so the defender knows how many (1.10c)."""
    if not left(g, side):
        return 0
    against = "" if already is None else f" ({SIDES[not side]}: {already})"
    decision = g.ask(
        side, "combat.air", f"Combat at {g.board.name(hex)}: choose air points{against}", "1.10c", buttons=buttons(g, side),
        about=about, at=[hex], why_not=lambda seen, decision, click: why_not(seen, decision.side, click),
    )  # fmt: skip
    if already is not None:
        decision.legal = {click: {AGAINST: already} for click in decision.legal}
    number = points_of(g, (yield decision))
    spend(g, side, number, hex)
    return number


def spend(g: G, side: int, number: int, hex: int) -> None:
    """Air points are used up (1.10)."""
    if number:
        g.state.air[SIDES[side]] -= number
        text = "{side} commits {number} air points to {hex}" if number > 1 else "{side} commits 1 air point to {hex}"
        g.log("1.10", text, side=side, number=number, hex=hex)
