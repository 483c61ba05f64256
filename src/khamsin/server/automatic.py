"""Automatic clicks: the server clicks for a person at once, by a standing order or because one click is legal.

A standing order applies if it gives a legal click; else the player decides. The click is an ordinary entry of the kind
`order`. A decision with one legal click gets an entry of the kind `auto`. It is left to the player in these cases:

- `cancel`, which only drops a selection, and a click that gives something up, which the player confirms;
- the first decision of a phase that the other side's click led to, so that a player sees that the turn has begun;
- a click that rolls dice or reveals something, or that hands the decision to the other side while the player could still undo
  a move;
- in a game with hidden information, a decision that would not be forced in every state that the opponent may suspect: the
  click would reveal that it was.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Container, Iterator, Sequence
from typing import Any

from khamsin.kernel import orders as standing
from khamsin.kernel.dice import DiceError, ReplayDice
from khamsin.kernel.match import Match
from khamsin.kernel.orders import Order
from khamsin.kernel.rules import Decision
from khamsin.server.history import AUTOMATIC, ORDER, MatchHistory
from khamsin.server.store import Entry
from khamsin.server.views import CANCEL

log = logging.getLogger(__name__)

MAX_IN_A_ROW = 20
"""Automatic clicks that may follow one click of a player."""
IMAGINED = 3
"""Possible states from the opponent's view in which a decision must be forced too."""


def answer_alone(history: MatchHistory, people: Container[int], orders: Sequence[Order] = ()) -> Iterator[Entry]:
    """Make the automatic clicks that follow a click, for sides that people play. Yield the entry of each."""
    for _ in range(MAX_IN_A_ROW):
        entry = answer_by_order(history, people, orders) or _answer_forced(history, people)
        if entry is None:
            return
        yield entry


def answer_by_order(history: MatchHistory, people: Container[int], orders: Sequence[Order]) -> Entry | None:
    """Make the click of a standing order at the present decision. None if the player decides, also if the policy or the
    rules fail; the match is then unchanged."""
    decision = history.match.decision
    if decision is None or decision.side not in people or not orders:
        return None
    try:
        found = standing.answer(history.match, orders)
        return found and history.click(history.rules.names[found[1]], ORDER, found[0].text)
    except Exception:
        log.exception("%s: a standing order failed at %s", history.head.id, decision.kind)
        return None


def _answer_forced(history: MatchHistory, people: Container[int]) -> Entry | None:
    """Make the only legal click at the present decision; None if the player decides."""
    decision = history.match.decision
    if decision is None or decision.side not in people:
        return None
    try:
        click = forced_click(history.match, history.last_side)
    except Exception:
        # The player's click must not fail because of what the server tries after it.
        log.exception("%s: the rules failed in a trial", history.head.id)
        return None
    return None if click is None else history.click(click, AUTOMATIC)


def forced_click(match: Match[Any], clicked: int) -> str | None:
    """Return the click that the server makes at the present decision; None if the player decides. `clicked` is the side
    that made the last click."""
    decision = match.decision
    click = only_click(decision)
    if decision is None or click is None or match.rules.names[click] == CANCEL:
        return None
    if click in match.rules.display.warnings(match.game.seen_by(decision.side), decision):
        return None
    if decision.side != clicked and match.phase_begins and match.phase.side != 1 - decision.side:
        return None
    if not _keeps_undo(match, decision, click) or not _known_to_be_forced(match, decision, click):
        return None
    return match.rules.names[click]


def only_click(decision: Decision | None) -> int | None:
    """Return the legal click of a decision that has one; None if it has more."""
    legal = decision.listed() if decision else {}
    return next(iter(legal)) if len(legal) == 1 else None


def _keeps_undo(match: Match[Any], decision: Decision, click: int) -> bool:
    """Whether a click rolls nothing, reveals nothing, and leaves the player's moves undoable."""
    trial = match.clone(ReplayDice(()))
    reveals = trial.game.reveals
    try:
        trial.click(click)
    except DiceError:
        return False
    stays = trial.decision is not None and trial.decision.side == decision.side
    return trial.game.reveals == reveals and (stays or not match.moves)


def _known_to_be_forced(match: Match[Any], decision: Decision, click: int) -> bool:
    """Whether the opponents also know that no other click is legal."""
    if not match.rules.has_hidden_info:
        return True
    opponents = [side for side in range(len(match.rules.sides)) if side != decision.side]
    chance = random.Random(match.number)
    try:
        return all(
            only_click(match.imagined(side, chance, ReplayDice(())).decision) == click
            for side in opponents
            for _ in range(IMAGINED)
        )
    except ValueError:
        return False
