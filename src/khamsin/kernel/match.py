"""A match: one game being played. It asks, takes clicks, clones, undoes, and shows each side what it may see.

The state is the truth at every top-level question, so a clone there is a copy of the state and a phase started again.
Inside a procedure the truth is the state at the last such question and the few clicks and rolls since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, NamedTuple

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.dice import Dice, DiceError, KeyedDice, ReplayDice
from khamsin.kernel.pieces import Result
from khamsin.kernel.rules import (
    EVERYONE,
    Decision,
    Event,
    Game,
    Illegal,
    Phase,
    Procedure,
    Refusal,
    Rules,
    S,
)


class Move(NamedTuple):
    """The clicks between two top-level questions: what one undo takes back."""

    number: int
    clicks: tuple[str, ...]


@dataclass(slots=True)
class Mark(Generic[S]):
    """A point to come back to: the state there, and how many clicks, events, rolls and revelations there had been."""

    state: S
    clicks: int
    events: int
    rolls: int
    reveals: int


class Match(Generic[S]):
    """One game being played.

    `decision` is the present question, or None when the game is over; `click` answers it.
    """

    def __init__(
        self, rules: Rules[S], scenario: str, options: Mapping[str, str] | None = None, dice: Dice | None = None
    ) -> None:
        """Set up a scenario and play up to the first question. Without dice the match gets live ones of its own."""
        chosen = rules.scenario(scenario)
        game = Game(rules, chosen, chosen.choose(options or {}), rules.blank(), dice or KeyedDice())
        rules.set_up(game)
        self._open(game)
        self._run(None)

    @classmethod
    def at(cls, game: Game[S]) -> Match[S]:
        """A match from a game in any state, as a position file gives it: its present phase begins to ask."""
        match = cls.__new__(cls)
        match._open(game)
        match._run(None)
        return match

    def _open(self, game: Game[S]) -> None:
        self.game = game
        self.rules = game.rules
        self.clicks: list[int] = []
        self.decision: Decision | None = None
        self._procedure: Procedure | None = None
        self._phase_key = (-1, -1)
        self._top = Mark(game.state, 0, 0, 0, 0)
        """The last point from which the phase can be started again."""
        self._base: Mark[S] | None = None
        """The point back to which undo reaches, if it reaches anywhere."""
        self._starts: list[int] = []
        """Where each move since that point begins in `clicks`."""

    @property
    def state(self) -> S:
        """The true state. Players are given views instead."""
        return self.game.state

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
        phases = self.rules.phases(self.state)
        return phases[min(self.state.phase, len(phases) - 1)]

    @property
    def names(self) -> list[str]:
        """The open clicks by name."""
        return [self.rules.names[click] for click in self.decision.open] if self.decision else []

    def __repr__(self) -> str:
        asks = "over" if self.decision is None else self.decision.prompt
        return (
            f"<Match of {self.rules.id} {self.game.scenario.name}, turn {self.state.turn}, {self.phase.name}: {asks}>"
        )

    def click(self, click: int) -> None:
        """Answer the question. A click that is not open raises Illegal and changes nothing."""
        decision = self.decision
        if decision is None or click not in decision.open:
            raise self._refuse(click)
        game = self.game
        if decision.top:
            self._top = self._mark()
            self._starts.append(len(self.clicks))
        if self._procedure is None:
            self._procedure = self.phase.run(game)
            next(self._procedure)
        self.clicks.append(click)
        game.number += 1
        try:
            self._run(click)
        except Exception:
            self._withdraw(decision)
            raise

    def play(self, names: Iterable[str]) -> None:
        """Click by name, one after another."""
        for name in names:
            self.click(self.rules.parse(name))

    def _run(self, click: int | None) -> None:
        """Run the rules up to the next question or the end of the game."""
        game, rules = self.game, self.rules
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
                self._top = self._mark()
                procedure = self._procedure = phases[state.phase].run(game)
            try:
                decision = procedure.send(click)  # type: ignore[arg-type]
            except StopIteration:
                procedure = self._procedure = None
                click = None
                state.phase += 1
                continue
            if state.result is not None:
                self._procedure = decision = None
            elif not decision.open:
                raise RuntimeError(f"{rules.id} {decision.rule}: a question without an answer: {decision.prompt}")
            break
        before, self.decision = self.decision, decision
        base = self._base
        if (
            base is None
            or len(game.rolls) != base.rolls
            or game.reveals != base.reveals
            or (before is not None and decision is not None and decision.side != before.side)
            or (state.turn, state.phase) != self._phase_key
        ):
            self._phase_key = (state.turn, state.phase)
            self._bar_undo()

    def _mark(self) -> Mark[S]:
        game = self.game
        return Mark(game.state.copy(), len(self.clicks), len(game.events), len(game.rolls), game.reveals)

    def _bar_undo(self) -> None:
        """What has been done stays done: undo reaches back to here, or to the next top-level question."""
        self._starts = []
        self._base = None
        if self.decision is None or self.decision.top:
            self._base = self._mark()

    def _withdraw(self, decision: Decision) -> None:
        """After a fault in the rules: stand where the last click found us."""
        game, top = self.game, self._top
        clicks, rolls = self.clicks[top.clicks : -1], [value for *_, value in game.rolls[top.rolls :]]
        del self.clicks[-1]
        if self._starts and self._starts[-1] == len(self.clicks):
            self._starts.pop()
        game.state = top.state.copy()
        del game.events[top.events :]
        del game.rolls[top.rolls :]
        if isinstance(game.dice, KeyedDice):
            game.dice.count = top.rolls
        game.number, game.reveals = top.clicks, top.reveals
        self._catch_up(clicks, rolls, game.dice)
        self.decision = decision

    def _refuse(self, click: int) -> Illegal:
        if not isinstance(click, int) or not 0 <= click < len(self.rules.names):
            return Illegal(repr(click), "no such click")
        name = self.rules.names[click]
        refusal = self.explain(click)
        return Illegal(name, refusal.reason, refusal.rule)

    def explain(self, click: int) -> Refusal:
        """Why a click is not open, from what the asking side may know."""
        decision = self.decision
        if decision is None:
            result = self.state.result
            return Refusal("the game is over", result.rule if result else "")
        if click in decision.open:
            return Refusal("it is open", decision.rule)
        answer = self.rules.explain(self.game.seen_by(decision.side), decision, click)
        return answer or Refusal(f"not among what is asked now: {decision.prompt}", decision.rule)

    def clone(self, dice: Dice) -> Match[S]:
        """An independent match at the same point, going on with dice of its own: never the live ones."""
        old = self.game
        at_top = self.decision is None or self.decision.top
        state = self.standing()
        new: Match[S] = Match.__new__(type(self))
        new._open(Game(old.rules, old.scenario, old.options, state, dice))
        new.clicks = self.clicks[:]
        new.decision = self.decision
        new._phase_key = self._phase_key
        if at_top:
            new.game.number = old.number
            new._base = new._mark()
        else:
            new.game.number = self._top.clicks
            new._top = Mark(state.copy(), self._top.clicks, 0, 0, 0)
            rolls = [value for *_, value in old.rolls[self._top.rolls :]]
            new._catch_up(self.clicks[self._top.clicks :], rolls, dice)
        return new

    def _catch_up(self, clicks: list[int], rolls: list[int], dice: Dice) -> None:
        """Play the clicks since the last top-level question again, with the dice as they fell."""
        game = self.game
        game.use(ReplayDice(rolls, dice))
        procedure = self._procedure = self.phase.run(game)
        next(procedure)
        for click in clicks:
            game.number += 1
            procedure.send(click)
        game.use(dice)

    @property
    def moves(self) -> list[Move]:
        """What can be taken back: the moves of this phase, oldest first, with the one under way last. Nothing before a
        die fell, something hidden was revealed or the other side decided."""
        if self._base is None:
            return []
        names = self.rules.names
        return [
            Move(number, tuple(names[c] for c in self.clicks[start:end]))
            for number, (start, end) in enumerate(pairwise([*self._starts, len(self.clicks)]))
        ]

    def undo(self, number: int | None = None) -> None:
        """Take back one move by its number, or the last. Refused, with nothing changed, where a later move needs it."""
        base, count = self._base, len(self._starts)
        if base is None or count == 0:
            raise Illegal("undo", "there is no move of this phase before which no die fell and nothing was revealed")
        number = count - 1 if number is None else number
        if not 0 <= number < count:
            raise Illegal("undo", f"there is no move {number}: they are numbered from 0 to {count - 1}")
        start, end = list(pairwise([*self._starts, len(self.clicks)]))[number]
        rest = self.clicks[base.clicks : start] + self.clicks[end:]
        old = self.game
        game = Game(old.rules, old.scenario, old.options, base.state.copy(), ReplayDice(()))
        game.events, game.rolls = old.events[: base.events], old.rolls[: base.rolls]
        game.number, game.reveals = base.clicks, base.reveals
        fresh: Match[S] = Match.__new__(type(self))
        fresh._open(game)
        fresh.clicks = self.clicks[: base.clicks]
        try:
            fresh._run(None)
            for click in rest:
                fresh.click(click)
        except (Illegal, DiceError) as error:
            rule = getattr(error, "rule", "")
            raise Illegal("undo", f"a later move needs this one: {error}", rule) from None
        if fresh._phase_key != self._phase_key or fresh._base is None or fresh._base.clicks != base.clicks:
            raise Illegal("undo", "without this move the phase would have ended")
        game.use(old.dice)
        self.__dict__.update(fresh.__dict__)

    def standing(self) -> S:
        """The state at the last top-level question: the present one, or the one before the move under way."""
        at_top = self.decision is None or self.decision.top
        return (self.game.state if at_top else self._top.state).copy()

    def restarted(self) -> Decision | None:
        """The question that the present phase asks when it is started again from the present state; at a top-level question
        it must be the present one."""
        game = Game(self.rules, self.game.scenario, self.game.options, self.state.copy(), ReplayDice(()))
        return next(self.phase.run(game), None)

    def view(self, side: int = EVERYONE) -> dict[str, Any]:
        """All that a side may see, as plain data; without a side, what both may see."""
        rules, decision = self.rules, self.decision
        seen = self.state
        for viewer in range(len(rules.sides)) if side == EVERYONE else (side,):
            seen = rules.conceal(seen, viewer)
        asked: dict[str, Any] | None = None
        if decision is not None:
            asked = {"side": rules.sides[decision.side], "number": len(self.clicks)}
            if decision.side == side:
                asked |= {"prompt": decision.prompt, "rule": decision.rule, "open": self.open_by_kind()}
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
        for name in seen.TALLIES:
            fields[name] = dict(sorted(getattr(seen, name).items()))
        return {
            "game": rules.id,
            "scenario": self.game.scenario.name,
            "options": dict(self.game.options),
            "phase": self.phase.name,
            "decision": asked,
            "state": fields,
            "units": units,
            "log": [
                {"rule": event.rule, "text": self.game.text(event)}
                for event in self.game.events
                if event.to in (EVERYONE, side)
            ],
            "result": self.state.result._asdict() if self.state.result else None,
        }

    def open_by_kind(self) -> dict[str, dict[str, Any]]:
        """The open clicks by name, as units, hexes, boxes and buttons, each with its hint."""
        kinds: dict[str, dict[str, Any]] = {"units": {}, "hexes": {}, "boxes": {}, "buttons": {}}
        if self.decision is None:
            return kinds
        rules = self.rules
        for click, hint in self.decision.open.items():
            if click < rules.units:
                kind = "units"
            elif click >= rules.first_button:
                kind = "buttons"
            else:
                kind = "hexes" if rules.board.is_hex(click - rules.units) else "boxes"
            kinds[kind][rules.names[click]] = hint
        return kinds
