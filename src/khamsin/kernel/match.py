"""A match: one playing of a game. It asks for decisions, applies clicks, clones, undoes, and shows each side what it
may see.

At a top-level decision the state is complete: a clone there copies the state and restarts the phase. Inside a procedure
a clone needs the state at the last top-level decision and the few clicks and rolls since. That state is not stored for
every decision. It is rebuilt on demand from the last stored one by the clicks since, between which there was no roll.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeGuard

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.dice import Dice, KeyedDice, ReplayDice
from khamsin.kernel.pieces import Result
from khamsin.kernel.rules import (
    EVERYONE,
    Decision,
    Event,
    Game,
    Illegal,
    Odds,
    Phase,
    Procedure,
    Refusal,
    Rules,
    S,
)

TRIES = 100
"""How often `Match.imagined` imagines before it gives up."""

MOVES_PER_POINT = 16
"""The most moves that an undo repeats before the one it drops. A restart point costs a copy of the state."""

GENERIC = "Not a legal click of this decision"
"""The start of a refusal that gives no reason. The contract suite accepts none."""
CLASSES = ("unit", "hex", "box", "button")
"""The classes of clicks, in the order in which a refusal lists them."""

CONCESSIONS = {"resign": "{side} resigns", "claim": "{side} did not return in time"}
"""The ways to concede a match, each with the reason in the log and the result."""


_BEGIN_INSIDE: set[tuple[str, str]] = set()
"""The phases, by game and name, whose first decision was inside a procedure. Their starts are stored at once."""


class Move(NamedTuple):
    """The clicks between two top-level decisions: the unit of undo."""

    number: int
    clicks: tuple[str, ...]


@dataclass(slots=True)
class RestartPoint(Generic[S]):
    """A stored state to return to, with the numbers of clicks, events, rolls and reveals there, and the number of
    clicks at the last top-level decision taken since."""

    state: S
    clicks: int
    events: int
    rolls: int
    reveals: int
    asked: int


class Match(Generic[S]):
    """One playing of a game.

    `decision` is the present decision, or None when the game is over; `click` takes it.
    """

    def __init__(
        self, rules: Rules[S], scenario: str, options: Mapping[str, str] | None = None, dice: Dice | None = None
    ) -> None:
        """Set up a scenario and play up to the first decision. Without dice the match gets new live dice."""
        chosen = rules.scenario(scenario)
        game = Game(rules, chosen, chosen.choose(options or {}), rules.new_state(), dice or KeyedDice())
        rules.set_up(game)
        self._open(game)
        self._run(None)

    @classmethod
    def at(cls, game: Game[S]) -> Match[S]:
        """Return a match from a game in any state, as a position file gives it, at the first decision of its present
        phase."""
        match = cls.__new__(cls)
        match._open(game)
        match.start = game.state.copy()
        match.partial = bool(game.rolls)
        match._run(None)
        return match

    def _open(self, game: Game[S]) -> None:
        self.game = game
        self.rules = game.rules
        self.clicks: list[int] = []
        self._decision: Decision | None = None
        self._asks_again = False
        """Whether the phase must be restarted to find the present decision, as in a clone whose decision was not read
        yet."""
        self.number = 0
        """The number of the present decision. It only grows, so a click on an undone decision is recognised as stale.
        """
        self.start: S | None = None
        """The state that a match from a position began with; None if it began with its set-up."""
        self.partial = False
        """Whether earlier rolls are missing, as in a clone: then it has no record."""
        self.conceded: tuple[str, int] | None = None
        """How the match was conceded, a key of CONCESSIONS, and by which side; None if it was not."""
        self.warnings: list[str] = []
        """Remarks about the record that the match was read from."""
        self.automatic: set[int] = set()
        """The numbers, from 1, of the clicks that a server made for a side, as the only legal one or by a standing
        order."""
        self.ordered: set[int] = set()
        """The numbers of the clicks made by a standing order."""
        self.skips: dict[int, int] = {}
        """How many numbers of the dice were skipped before the rolls of a click, by the click's number from 1: rolls of
        clicks that a change of the rules dropped."""
        self._unanswered: Decision | None = None
        """The decision at which the match was conceded."""
        self._procedure: Procedure | None = None
        """The running phase; None at a top-level decision from which it has not been restarted yet."""
        self._mark = RestartPoint(game.state, 0, 0, 0, 0, 0)
        """The last stored point from which the phase can be restarted."""
        self._unmarked = False
        """Whether the phase is at its first decision, a top-level one, and the point has not been stored yet."""
        self._base: RestartPoint[S] | None = None
        """The point back to which undo reaches: the start of the first move that can be undone."""
        self._starts: list[int] = []
        """The index in `clicks` at which each move since that point begins."""
        self._points: list[RestartPoint[S]] = []
        """Stored points at every `MOVES_PER_POINT`th of these moves, so that an undo repeats few moves."""

    @property
    def decision(self) -> Decision | None:
        """The present decision; None when the game is over."""
        if self._asks_again:
            procedure = self._begin()
            self._decision = next(procedure)
            self._procedure, self._asks_again = procedure, False
        return self._decision

    @decision.setter
    def decision(self, decision: Decision | None) -> None:
        self._decision, self._asks_again = decision, False

    @property
    def state(self) -> S:
        """The true state. Players are given views instead."""
        return self.game.state

    @property
    def began(self) -> int:
        """How many clicks had been made when the move in progress began; at a top-level decision all clicks."""
        return len(self.clicks) if self.decision is None or self.decision.top else self._mark.asked

    @property
    def phase_begins(self) -> bool:
        """Whether the present phase has begun without a click so far."""
        return self._unmarked or self._mark.clicks == len(self.clicks)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.state.result is not None

    @property
    def result(self) -> Result | None:
        """How the game ended, once it has."""
        return self.state.result

    @property
    def events(self) -> list[Event]:
        """The whole log."""
        return self.game.events

    @property
    def phase(self) -> Phase:
        """The present phase."""
        return self.rules.phases(self.state)[self.state.phase]

    @property
    def names(self) -> list[str]:
        """The legal clicks by name."""
        return [self.rules.names[click] for click in self.decision.legal] if self.decision else []

    def __repr__(self) -> str:
        asks = "over" if self.decision is None else self.decision.prompt
        return (
            f"<Match of {self.rules.id} {self.game.scenario.name}, turn {self.state.turn}, {self.phase.name}: {asks}>"
        )

    def click(self, click: int) -> None:
        """Take the present decision. An illegal click raises Illegal and changes nothing."""
        decision = self.decision if self._asks_again else self._decision
        if decision is None or type(click) is not int or (click != decision.picked and click not in decision.legal):
            raise self._refuse(click)
        game, made = self.game, self.clicks
        clicks, rolls = len(made), len(game.rolls)
        if decision.top:
            starts = self._starts
            if self._base is None:
                self._mark = self._base = self._marked()
                self._unmarked = False
            elif self._unmarked:
                self._mark = self._marked()
                self._unmarked = False
            self._mark.asked = clicks
            if starts and len(starts) % MOVES_PER_POINT == 0:
                self._points.append(self._marked())
            starts.append(clicks)
        mark = self._mark
        try:
            if self._procedure is None:
                self._procedure = self._begin()
                next(self._procedure)
            made.append(click)
            game.number += 1
            self._run(click)
        except BaseException:
            self._withdraw(decision, mark, clicks, rolls)
            raise
        self.number += 1

    def play(self, names: Iterable[str]) -> None:
        """Click by name, one after another."""
        for name in names:
            self.click(self.rules.parse(name))

    def concede(self, side: int, how: str) -> None:
        """End the match at the present decision; the other side wins. `how` is a key of CONCESSIONS."""
        rules, game = self.rules, self.game
        if self.over:
            raise ValueError(f"{self!r}: a match that is over cannot be conceded")
        if side not in (0, 1) or len(rules.sides) != 2:
            raise ValueError(f"{side!r}: expected one of two sides of {rules.title}")
        if how not in CONCESSIONS:
            raise ValueError(f"{how!r}: expected one of {', '.join(CONCESSIONS)}")
        game.state.result = Result(1 - side, "", CONCESSIONS[how].format(side=rules.sides[side]), "")
        game.log("", CONCESSIONS[how], side=side)
        self.conceded = how, side
        self._unanswered, self.decision = self.decision, None
        self._procedure, self._base, self._starts, self._points = None, None, [], []
        self.number += 1

    def _run(self, click: int | None) -> None:
        """Run the rules up to the next decision or the end of the game.

        Copying the state is slow, so the start of a phase is not stored if its first decision is expected at the top
        level. The state is then copied when that decision is taken. If the expectation fails, the start is rebuilt.
        """
        game, rules, start = self.game, self.rules, None
        state = game.state
        procedure = self._procedure
        while True:
            if procedure is None:
                if state.result is not None:
                    decision = None
                    break
                phases = rules.phases(state)
                if state.phase >= len(phases):
                    state.turn += 1
                    state.phase = 0
                    continue
                phase = phases[state.phase]
                name = rules.id, phase.name
                if self._decision is None or name in _BEGIN_INSIDE:
                    self._mark, start = self._marked(), None
                    self._unmarked = False
                else:
                    start = name, len(game.events), len(game.rolls), game.reveals
                    self._unmarked = True
                game.phase = phase.name
                procedure = self._procedure = phase.run(game)
            try:
                decision = procedure.send(click)  # type: ignore[arg-type]
            except StopIteration:
                procedure = self._procedure = None
                click = None
                if state.result is None:
                    state.phase += 1
                continue
            if state.result is not None:
                self._procedure = decision = None
            elif not decision.legal:
                raise RuntimeError(f"{rules.id} {decision.rule}: a decision without a legal click: {decision.prompt}")
            break
        if start is not None and decision is not None and not decision.top:
            name, *reached = start
            _BEGIN_INSIDE.add(name)
            self._mark = self._phase_start(*reached)
            self._unmarked = False
        before, self._decision, self._asks_again = self._decision, decision, False
        base = self._base
        if base is not None and (
            decision is None
            or (before is not None and decision.side != before.side)
            or len(game.rolls) != base.rolls
            or game.reveals != base.reveals
        ):
            self._base, self._starts, self._points = None, [], []

    def _phase_start(self, events: int, rolls: int, reveals: int) -> RestartPoint[S]:
        """Return the point where the present phase began. Replay from the last stored point with the recorded rolls.
        `events`, `rolls` and `reveals` are their numbers up to there."""
        mark, old, clicks = self._mark, self.game, len(self.clicks)
        fell = ReplayDice([value for *_, value in old.rolls[mark.rolls :]])
        again: Match[S] = Match.__new__(type(self))
        again._open(Game(old.rules, old.scenario, old.options, mark.state.copy(), fell))
        again._run(None)
        for click in self.clicks[mark.clicks :]:
            again.click(click)
        return RestartPoint(again._mark.state, clicks, events, rolls, reveals, clicks)

    def _begin(self) -> Procedure:
        """Start the present phase."""
        phase = self.phase
        self.game.phase = phase.name
        return phase.run(self.game)

    def _marked(self) -> RestartPoint[S]:
        """Return the present point."""
        game, clicks = self.game, len(self.clicks)
        return RestartPoint(game.state.copy(), clicks, len(game.events), len(game.rolls), game.reveals, clicks)

    def _last_top(self) -> RestartPoint[S]:
        """Return the point of the last top-level decision taken, or the start of the phase."""
        mark = self._mark
        if mark.asked != mark.clicks:
            old = self.game
            game = Game(old.rules, old.scenario, old.options, mark.state.copy(), ReplayDice(()))
            game.number = mark.clicks
            again: Match[S] = Match.__new__(type(self))
            again._open(game)
            again._catch_up(self.clicks[mark.clicks : mark.asked], [])
            events = mark.events + len(game.events)
            self._mark = RestartPoint(game.state, mark.asked, events, mark.rolls, mark.reveals, mark.asked)
        return self._mark

    def _withdraw(self, decision: Decision, mark: RestartPoint[S], clicks: int, rolls: int) -> None:
        """After a fault in the rules, restore the decision before the click, with the same dice to come."""
        game = self.game
        game.dice.take_back([(sides, value) for _, sides, value in game.rolls[rolls:]])
        fell = [value for *_, value in game.rolls[mark.rolls : rolls]]
        game.state = mark.state.copy()
        del self.clicks[clicks:], game.events[mark.events :], game.rolls[mark.rolls :]
        game.number, game.reveals = mark.clicks, mark.reveals
        self._mark, self._unmarked, self._procedure, self.decision = mark, False, None, decision
        if clicks > mark.clicks or not decision.top:
            self._catch_up(self.clicks[mark.clicks :], fell)
        if decision.top:
            self._starts.pop()
            del self._points[max(len(self._starts) - 1, 0) // MOVES_PER_POINT :]
            if not self._starts:
                self._base = None

    def _refuse(self, click: object) -> Illegal:
        refusal = self.explain(click)
        return Illegal(self.rules.names[click] if self._known(click) else repr(click), refusal.reason, refusal.rule)

    def _known(self, click: object) -> TypeGuard[int]:
        return type(click) is int and 0 <= click < len(self.rules.names)

    def explain(self, click: object, side: int | None = None) -> Refusal:
        """Return why a click is illegal, from what a side may know; by default the deciding side."""
        decision = self.decision
        if decision is None:
            result = self.state.result
            return Refusal("The game is over", result.rule if result else "")
        if side not in (None, decision.side):
            return Refusal(f"The decision is {self.rules.sides[decision.side]}'s", self.phase.rule)
        if not self._known(click):
            return Refusal(f"{self.rules.title} has no such unit, hex, box or button", "")
        if click in decision.legal:
            return Refusal("It is legal", decision.rule)
        return self._why_not(self.game.seen_by(decision.side), decision, click)

    def _why_not(self, seen: Game[S], decision: Decision, click: int) -> Refusal:
        """Return the refusal of the decision itself, else of the game, else that the click is of the wrong class."""
        refusal = decision.why_not and decision.why_not(seen, decision, click)
        refusal = refusal or self.rules.explain(seen, decision, click) or self._why_wrong_class(seen, decision, click)
        return refusal or Refusal(f"{GENERIC}: {decision.prompt}", decision.rule)

    def _why_wrong_class(self, seen: Game[S], decision: Decision, click: int) -> Refusal | None:
        """Return that a click is not one the decision could take: a button that is not part of it, a unit of the other side,
        or another class of click. For a unit where a location is wanted, return what speaks against its location."""
        rules, name, found = self.rules, self.rules.names[click], self.rules.class_of(click)
        if found == "button" and click not in decision.buttons:
            return Refusal(f"{name} is not part of this decision: {decision.prompt}", decision.rule, name)
        legal = decision.legal
        classes = {rules.class_of(other) for other in (*legal, *decision.buttons)}
        if found == "unit" and seen.state.where[click] != NOWHERE:
            location = rules.units + seen.state.where[click]
            if location in legal:
                return Refusal(f"Choose its location: {rules.names[location]}", decision.rule, rules.names[location])
            if found not in classes and rules.class_of(location) in classes:
                return self._why_not(seen, decision, location)
        if found in ("hex", "box") and found not in classes and "unit" in classes:
            here = [u for u in seen.units_in(click - rules.units) if rules.counters[u].side == decision.side]
            for unit in here:
                if unit in legal:
                    return Refusal(f"Choose a unit in {name}: {rules.names[unit]}", decision.rule, rules.names[unit])
            if here:
                return self._why_not(seen, decision, here[0])
        if found != "button" and classes == {"button"}:
            return Refusal("Nothing on the map can be chosen now: choose a button", decision.rule, name)
        if found not in classes:
            wanted = " or ".join(f"a {one}" for one in CLASSES if one in classes)
            return Refusal(f"{name} is a {found}: choose {wanted}", decision.rule, name)
        if found == "unit" and rules.counters[click].side != decision.side:
            whose = {rules.counters[other].side for other in legal if other < rules.units}
            if whose == {decision.side}:
                return Refusal(f"{name} is not yours", decision.rule, name)
        return None

    def blocked(self, seen: Game[S] | None = None) -> dict[int, Refusal]:
        """Return the buttons that belong to the decision but are illegal now, each with its refusal. `seen` is the game
        as the deciding side may know it, if at hand."""
        decision = self.decision
        if decision is None:
            return {}
        legal = decision.listed()
        closed = [button for button in decision.buttons if button not in legal]
        if not closed:
            return {}
        seen = seen or self.game.seen_by(decision.side)
        return {button: self._why_not(seen, decision, button) for button in closed}

    def can_act(self) -> list[int]:
        """Return the units that can still act: those the decision names, else its legal units if it is at the top level."""
        decision = self.decision
        if decision is None:
            return []
        if decision.can_act is not None:
            return list(decision.can_act(self.game))
        return [click for click in decision.listed() if click < self.rules.units] if decision.top else []

    def odds(self, side: int, attackers: Iterable[int], targets: Iterable[int]) -> Odds:
        """Return the odds of an attack of units on locations, from what a side may know."""
        rules, units, places = self.rules, list(attackers), list(targets)
        if rules.odds is None:
            raise ValueError(f"{rules.title} has no odds preview")
        for unit in units:
            if not self.game.is_unit(unit):
                name = rules.names[unit] if self._known(unit) else unit
                raise ValueError(f"{name!r}: expected a unit of {rules.title}")
        for place in places:
            rules.board.name(place)
        return rules.odds(self.game.seen_by(side), side, units, places)

    def clone(self, dice: Dice) -> Match[S]:
        """Return an independent match at the same point. It continues with these dice, never with the live ones."""
        self._not_live(dice)
        return self._fork(self._fork_state(), dice, same=True)

    def imagined(self, side: int, chance: random.Random, dice: Dice) -> Match[S]:
        """Return a clone for a side to think ahead in: hidden information is imagined, visible information is
        unchanged.

        Inside a procedure it imagines states until the clicks and rolls since the last top-level decision lead to the
        same point. It raises ValueError if none does.
        """
        if not self.rules.has_hidden_info:
            return self.clone(dice)
        self._not_live(dice)
        asked, trouble, kept = self.decision, None, self._acting()
        for _ in range(TRIES):
            try:
                new = self._fork(self.rules.imagine(self._fork_state(), side, chance, kept), dice)
                if asked is not None and asked.top and asked.side != side:
                    new.decision = new.restarted()
            except Exception as error:
                trouble = error
                continue
            if self._looks_like(new, side):
                return new
        raise ValueError(f"{self.rules.sides[side]} can imagine no state that leads to this decision") from trouble

    def _acting(self) -> frozenset[int]:
        """Return the units that the clicks since the last top-level decision name, and those in the locations they
        name."""
        if not self._inside:
            return frozenset()
        first, clicks = self.rules.units, self.clicks[self._last_top().clicks :]
        locations = {click - first for click in clicks if first <= click < self.rules.first_button}
        before = self.top_level_state().where
        there = [unit for unit, location in enumerate(before) if location in locations]
        return frozenset([*[click for click in clicks if click < first], *there])

    def _not_live(self, dice: Dice) -> None:
        if dice is self.game.dice:
            raise ValueError(f"{dice!r}: expected other dice than the live ones for a clone")

    def _looks_like(self, other: Match[S], side: int) -> bool:
        """Whether a side sees the same as in another match, imagined for it."""
        asked, there, conceal = self.decision, other.decision, self.rules.conceal
        if asked is None or there is None:
            return asked is there
        if asked.side != there.side or (asked.side == side and asked != there):
            return False
        fell = self.game.rolls[self._last_top().rolls :]
        return asked.top or (other.game.rolls == fell and conceal(other.state, side) == conceal(self.state, side))

    def _fork_state(self) -> S:
        """Return the state a clone begins with: the final one, or the one at the last top-level decision."""
        return self.state.copy() if self.over else self.top_level_state()

    def _fork(self, state: S, dice: Dice, same: bool = False) -> Match[S]:
        """Return a match that continues from a state at the last top-level decision, with the clicks and rolls since.
        The phase asks for the same decision when it is restarted from the same state, so the decision need not be known
        yet."""
        old, decision = self.game, self.decision
        new: Match[S] = Match.__new__(type(self))
        new._open(Game(old.rules, old.scenario, old.options, state, dice))
        new.clicks = self.clicks[:]
        new.number = self.number
        new.partial = True
        new.conceded, new._unanswered = self.conceded, self._unanswered
        if decision is None or decision.top:
            new.game.number = old.number
            if same and decision is not None:
                new._asks_again = True
            else:
                new.decision = decision and decision.copy()
            if self._inside:
                top = self._last_top()
                new._mark = RestartPoint(top.state.copy(), top.clicks, 0, 0, 0, top.clicks)
        else:
            top = self._last_top()
            new.game.number = top.clicks
            new._mark = RestartPoint(state.copy(), top.clicks, 0, 0, 0, top.clicks)
            new.decision = new._catch_up(self.clicks[top.clicks :], [value for *_, value in old.rolls[top.rolls :]])
        return new

    def _catch_up(self, clicks: list[int], rolls: list[int]) -> Decision:
        """Repeat the clicks since the last top-level decision, with the recorded rolls."""
        game, dice = self.game, self.game.dice
        game.use(ReplayDice(rolls))
        try:
            procedure = self._procedure = self._begin()
            decision = next(procedure)
            for click in clicks:
                if click not in decision.legal:
                    raise RuntimeError(
                        f"{self.rules.id} {decision.rule}: its restarted phase asks for another decision"
                    )
                game.number += 1
                decision = procedure.send(click)
        finally:
            game.use(dice)
        return decision

    @property
    def moves(self) -> list[Move]:
        """The moves that can be undone, oldest first, the one in progress last: those since the last roll, reveal or decision
        of the other side. They may cross phases."""
        if self._base is None:
            return []
        names = self.rules.names
        return [
            Move(number, tuple(names[c] for c in self.clicks[start:end]))
            for number, (start, end) in enumerate(pairwise([*self._starts, len(self.clicks)]))
        ]

    def undo(self, number: int | None = None, until: int | None = None) -> None:
        """Undo one move by its number, or the last; with `until`, all moves from `number` up to that one. Refused, with nothing
        changed, where a later move needs it."""
        base, count = self._base, len(self._starts)
        if base is None or count == 0:
            raise Illegal("undo", "Nothing to undo since the last roll, reveal or enemy decision")
        number = count - 1 if number is None else number
        if not 0 <= number < count:
            raise Illegal("undo", f"There is no move {number}: they are numbered from 0 to {count - 1}")
        until = number + 1 if until is None else until
        moves = [move.clicks for move in self.moves]
        start = self._starts[number]
        end = start + sum(len(clicks) for clicks in moves[number:until])
        del moves[number:until]
        kept = number // MOVES_PER_POINT
        point = self._points[kept - 1] if kept else base
        old = self.game
        game = Game(old.rules, old.scenario, old.options, point.state.copy(), ReplayDice(()))
        game.events, game.rolls = old.events[: point.events], old.rolls[: point.rolls]
        game.number, game.reveals = point.clicks, point.reveals
        fresh: Match[S] = Match.__new__(type(self))
        fresh._open(game)
        fresh.clicks = self.clicks[: point.clicks]
        try:
            fresh._run(None)
            if kept:
                fresh._base, fresh._starts = base, self._starts[: kept * MOVES_PER_POINT]
                fresh._points = self._points[: kept - 1]
            for clicks in moves[kept * MOVES_PER_POINT :]:
                fresh.play(clicks)
        except Exception as error:
            rule = getattr(error, "rule", "")
            raise Illegal("undo", f"A later move needs this one: {error}", rule) from error
        if fresh.over or [move.clicks for move in fresh.moves] != moves:
            raise Illegal("undo", "A later move needs this one: without it the later ones are not the same")
        fresh.number, fresh.start, fresh.partial = self.number + 1, self.start, self.partial
        fresh.warnings = self.warnings
        for mine, fewer in ((self.automatic, fresh.automatic), (self.ordered, fresh.ordered)):
            fewer |= {n if n <= start else n - (end - start) for n in mine if not start < n <= end}
        for click, skip in self.skips.items():
            click = min(click, len(fresh.clicks) + 1)
            fresh.skips[click] = fresh.skips.get(click, 0) + skip
        game.use(old.dice)
        self.__dict__.update(fresh.__dict__)

    @property
    def undo_from(self) -> int:
        """How many clicks had been made before the first move that can be undone."""
        return self._starts[0] if self._starts else len(self.clicks)

    def restart_point(self) -> tuple[S, tuple[int, ...]] | None:
        """Return a state from which the present phase can be restarted, and the rolls from there to this decision.

        There is one at every top-level decision and at the first decision of a phase; elsewhere None.
        """
        if self.decision is None or self.decision.top:
            return self.state, ()
        mark = self._mark
        if mark.clicks != len(self.clicks):
            return None
        return mark.state, tuple(value for *_, value in self.game.rolls[mark.rolls :])

    def top_level_state(self) -> S:
        """Return the state at the last top-level decision: the present one, or the one before the move in progress."""
        if not self._inside:
            return self.state.copy()
        state = self._last_top().state.copy()
        state.result = self.state.result
        return state

    @property
    def _inside(self) -> bool:
        """Whether the present decision, or the one at which the match was conceded, is inside a procedure."""
        decision = self.decision or self._unanswered
        return decision is not None and not decision.top

    def restarted(self) -> Decision | None:
        """Return the decision of the present phase when it is restarted from the present state. At a top-level decision
        it must be the present one."""
        game = Game(self.rules, self.game.scenario, self.game.options, self.state.copy(), ReplayDice(()))
        return next(self.phase.run(game), None)

    def view(self, side: int = EVERYONE, since: int = 0) -> dict[str, Any]:
        """Return all that a side may see, as plain data; without a side, what both may see. `since` is the first log
        line to include."""
        rules, decision = self.rules, self.decision
        seen = self.state
        for viewer in range(len(rules.sides)) if side == EVERYONE else (side,):
            seen = rules.conceal(seen, viewer)
        asked: dict[str, Any] | None = None
        if decision is not None:
            asked = {"side": rules.sides[decision.side], "number": self.number}
            if decision.side == side:
                asked |= {"kind": decision.kind, "prompt": decision.prompt, "rule": decision.rule}
                asked["legal"] = self.legal_by_class()
                asked["about"] = [rules.names[unit] for unit in decision.about]
                asked["moves"] = [move._asdict() for move in self.moves]
        extra = [name for name in seen.COLUMNS if name not in ("where", "flags")]
        units = [
            {
                "name": counter.name,
                "at": rules.board.name(seen.where[unit]),
                **{name: getattr(seen, name)[unit] for name in extra},
                "flags": [flag for flag, bit in rules.flag.items() if seen.flags[unit] & bit],
            }
            for unit, counter in enumerate(rules.counters)
            if seen.where[unit] != NOWHERE
        ]
        fields = {name: getattr(seen, name) for name in seen.SCALARS if name != "phase"}
        for name in seen.OWNERS:
            fields[name] = {rules.board.name(p): rules.sides[s] for p, s in sorted(getattr(seen, name).items())}
        for name in seen.AMOUNTS:
            fields[name] = {rules.board.name(p): number for p, number in sorted(getattr(seen, name).items())}
        for name in seen.TALLIES:
            fields[name] = dict(sorted(getattr(seen, name).items()))
        for name in seen.RECORDS:
            record = getattr(seen, name)
            fields[name] = None if record is None else rules.named(record)
        log = [event for event in self.game.events if event.to in (EVERYONE, side)]
        return {
            "game": rules.id,
            "scenario": self.game.scenario.name,
            "options": dict(self.game.options),
            "phase": self.phase.name,
            "decision": asked,
            "state": fields,
            "units": units,
            "log": [{"rule": event.rule, "text": self.game.text(event)} for event in log[since:]],
            "result": self.state.result._asdict() if self.state.result else None,
        }

    def legal_by_class(self) -> dict[str, dict[str, Any]]:
        """Return the legal clicks by name as units, hexes, boxes and buttons, each with its hint."""
        found: dict[str, dict[str, Any]] = {"units": {}, "hexes": {}, "boxes": {}, "buttons": {}}
        plural = {"unit": "units", "hex": "hexes", "box": "boxes", "button": "buttons"}
        for click, hint in self.decision.legal.items() if self.decision else ():
            found[plural[self.rules.class_of(click)]][self.rules.names[click]] = hint
        return found
