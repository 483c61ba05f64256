"""What a viewer may see of a match, as plain data of the types of `wire`.

Everything here is made from `Game.seen_by(side)` and from events that the side may see, never from the true state. A
viewer is a side, or EVERYONE for what both sides may know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from khamsin.kernel import orders
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.display import SheetOption, Step
from khamsin.kernel.match import Match
from khamsin.kernel.pieces import Result, State
from khamsin.kernel.rules import EVERYONE, LOSS, ROLLED, Decision, Event, Game, Odds, Phase, Rules
from khamsin.server import wire

Json = dict[str, Any]

MAIN, CANCEL, USUAL = ("done", "attack", "yes", "ready"), "cancel", "default"
"""The buttons that continue, whatever the game: the first legal one of them is the main one. The one that drops the
selection, and the one that places everything by default."""


AUTOMATIC: wire.LineNote = "automatic"
ORDER: wire.LineNote = "order"
ROUTINE: wire.LineNote = "routine"
LOST: wire.LineNote = "loss"
"""Notes of log lines: the server made a click because no other was legal, or by a standing order; a roll without effect; units
lost."""
OF_SERVER = (AUTOMATIC, ORDER)
"""Notes of lines that tell of a click of the server. They are not events of the game."""


class StoredLine(NamedTuple):
    """One line of the log of both sides: its text, its viewers, its turn and phase, and a note for clients: AUTOMATIC,
    ORDER, ROUTINE, LOST or empty."""

    click: int
    rule: str
    text: str
    roll: int | None
    to: int
    turn: int = 0
    phase: str = ""
    note: wire.LineNote = ""


class ViewFields(NamedTuple):
    """What a viewer may see at one moment, without the log, version and seats. `state` is the state as the viewer may
    know it, from which all but the decision follows."""

    fields: wire.MatchView
    units: dict[str, wire.UnitView]
    state: State


class Shared(NamedTuple):
    """What all viewers see alike while nothing is hidden: the game as everyone may know it, and its units."""

    game: Game[Any]
    units: dict[str, wire.UnitView]


def lines(game: Game[Any], events: Sequence[Event], before: int = 0) -> list[StoredLine]:
    """Events as lines of the log; `before` are the clicks that the match does not count."""
    routine = without_effect(game, events)
    return [
        StoredLine(
            event.click + before, event.rule, game.text(event), rolled(event), event.to, event.turn, event.phase,
            _note(event, number in routine),
        )
        for number, event in enumerate(events)
    ]  # fmt: skip


def _note(event: Event, routine: bool) -> wire.LineNote:
    return LOST if event.kind == LOSS else ROUTINE if routine else ""


def without_effect(game: Game[Any], events: Sequence[Event]) -> set[int]:
    """Return the indexes of rolls without effect: no event that their viewers may see follows before the next roll.

    Where several rolls by one rule are followed by their effects, a roll has an effect if one of these names the unit
    or location of its purpose; if none of the rolls does, all have.
    """
    found, number = set[int](), 0
    while number < len(events):
        if events[number].text != ROLLED:
            number += 1
            continue
        first = number
        while number < len(events) and events[number].text == ROLLED and events[number].rule == events[first].rule:
            number += 1
        rolls, after = range(first, number), number
        while number < len(events) and events[number].text != ROLLED:
            number += 1
        found |= _idle_rolls(game, events, rolls, events[after:number])
    return found


def _idle_rolls(game: Game[Any], events: Sequence[Event], rolls: range, effects: Sequence[Event]) -> set[int]:
    told = {roll: {game.text(e) for e in effects if e.to in (EVERYONE, events[roll].to)} for roll in rolls}
    subjects = {
        roll: [word for word in events[roll].data["purpose"].split() if word in game.rules.click] for roll in rolls
    }
    named = {roll for roll in rolls if any(word in text.split() for text in told[roll] for word in subjects[roll])}
    return {roll for roll in rolls if not told[roll] or (named and subjects[roll] and roll not in named)}


def rolled(event: Event) -> int | None:
    """Return the roll that an event reports, if it reports one."""
    return event.data.get("value") if event.text == ROLLED else None


def log_line(entry: StoredLine) -> wire.LogLine:
    """Return a line as it is sent."""
    return {
        "click": entry.click, "rule": entry.rule, "text": entry.text, "roll": entry.roll, "turn": entry.turn,
        "phase": entry.phase, "note": entry.note,
    }  # fmt: skip


def may_see(entry: StoredLine, viewer: int) -> bool:
    """Whether a viewer may see a line of the log."""
    return entry.to in (EVERYONE, viewer)


def open_to_all(match: Match[Any]) -> bool:
    """Whether nothing is hidden now, so that all viewers see the same pieces."""
    rules, state = match.rules, match.state
    return all(rules.conceal(state, side) is state for side in range(len(rules.sides)))


def share(match: Match[Any]) -> Shared:
    """Return what all viewers of a match see in which nothing is hidden now."""
    game = match.game.seen_by(EVERYONE)
    return Shared(game, pieces(game, EVERYONE))


def seen(
    match: Match[Any],
    viewer: int,
    before: ViewFields | None = None,
    shared: Shared | None = None,
    moves: Sequence[wire.Undoable] = (),
) -> ViewFields:
    """Return what a viewer sees now. `before` is the viewer's last view, whose unchanged parts are kept; `shared` is
    given if nothing is hidden; `moves` are those that the viewer can undo."""
    game = shared.game if shared else match.game.seen_by(viewer)
    if before is not None and before.state.__dict__ == game.state.__dict__:
        fields = before.fields.copy()
        fields["question"], fields["budget"] = question(match, game, viewer, moves), budget(match, game, viewer)
        return ViewFields(fields, before.units, before.state)
    rules = match.rules
    display = rules.display
    state = game.state
    names = rules.board.names
    phases = rules.phases(state)
    labels = display.turns(game)
    fields = {
        "game": rules.id,
        "scenario": game.scenario.name,
        "options": dict(game.options),
        "viewer": side_name(rules, viewer),
        "turn": {"number": state.turn, "label": label_of(labels, state.turn), "labels": list(labels)},
        "phase": phases[state.phase].name,
        "phases": [_phase(rules, phase) for phase in phases],
        "question": question(match, game, viewer, moves),
        "marks": [
            {"at": names[m.place], "kind": m.kind, "text": m.text, "side": side_name(rules, m.side), "rule": m.rule}
            for m in display.marks(game, viewer)
        ],
        "tracks": [
            {"title": t.title, "value": t.value, "side": side_name(rules, t.side), "rule": t.rule}
            for t in display.tracks(game, viewer)
        ],
        "budget": budget(match, game, viewer),
        "objectives": [
            {
                "title": o.title, "at": names[o.place], "holder": side_name(rules, o.holder), "text": o.text,
                "rule": o.rule,
            }
            for o in display.objectives(game, viewer)
        ],
        "result": result(rules, state.result),
    }  # fmt: skip
    return ViewFields(fields, shared.units if shared else pieces(game, viewer), state)


def budget(match: Match[Any], game: Game[Any], viewer: int) -> list[wire.BudgetLine]:
    """Return what a viewer has to spend, and what the decision would spend."""
    decision, names = match.decision, match.rules.board.names
    mine = decision if decision is not None and decision.side == viewer else None
    return [
        {
            "heading": line.heading, "text": line.text, "value": line.value,
            "at": names[line.place] if line.place != NOWHERE else "", "rule": line.rule, "short": line.short,
        }
        for line in match.rules.display.budget(game, mine, viewer)
    ]  # fmt: skip


def seen_by_all(match: Match[Any]) -> dict[int, ViewFields]:
    """Return what each viewer sees now: everyone, and each side."""
    shared = share(match) if open_to_all(match) else None
    return {viewer: seen(match, viewer, None, shared) for viewer in (EVERYONE, *range(len(match.rules.sides)))}


def pieces(game: Game[Any], viewer: int) -> dict[str, wire.UnitView]:
    """Return the units that are in the game, each by its name. One that is face down to the viewer shows its back
    alone, and its name is not its own: in what the viewer may know such pieces are in a neutral order."""
    rules, state = game.rules, game.state
    names, steps, where = rules.names, state.steps, state.where
    places = rules.board.names
    face, back, badges = rules.display.face, rules.display.back, rules.display.badges
    found: dict[str, wire.UnitView] = {}
    for unit, place in enumerate(where):
        if place == NOWHERE:
            continue
        hidden = back(game, unit, viewer)
        if hidden:
            found[names[unit]] = {"at": places[place], "steps": 0, "face": "", "back": hidden, "badges": []}
        else:
            found[names[unit]] = {
                "at": places[place],
                "steps": steps[unit],
                "face": face(game, unit),
                "back": "",
                "badges": [
                    {"mark": mark, "text": text, "rule": rule, "tone": tone}
                    for mark, text, rule, tone in badges(game, unit)
                ],
            }
    return found


def question(
    match: Match[Any], game: Game[Any], viewer: int, moves: Sequence[wire.Undoable] = ()
) -> wire.DecisionView | None:
    """Return the decision: all of it for the deciding side, for the others only which side decides."""
    decision, rules = match.decision, match.rules
    if decision is None:
        return None
    if decision.side != viewer:
        return {"side": rules.sides[decision.side], "number": match.number}
    names, places, first_place, first_button = rules.names, rules.board.names, rules.units, rules.first_button
    kinds: tuple[Json, Json, Json] = ({}, {}, {})
    buttons = []
    caption, parts = rules.display.caption, rules.display.parts
    is_hex = rules.board.is_hex
    for click, hint in decision.listed().items():
        if click >= first_button:
            buttons.append(names[click])
        else:
            kind = 0 if click < first_place else 1 if is_hex(click - first_place) else 2
            kinds[kind][names[click]] = hint
    warnings = {names[click]: text for click, text in rules.display.warnings(game, decision).items()}
    steps = rules.display.reach(game, decision)
    continuing = [name for name in buttons if name not in warnings]
    main = _main_of(decision.kind, continuing, not any(kinds), "done" in warnings)
    roles: dict[str, wire.Role] = {main: "main", CANCEL: "cancel"}
    view: wire.DecisionView = {
        "side": rules.sides[decision.side],
        "number": match.number,
        "kind": decision.kind,
        "prompt": decision.prompt,
        "rule": decision.rule,
        "units": kinds[0],
        "hexes": kinds[1],
        "boxes": kinds[2],
        "buttons": [
            {"click": name, "caption": caption(game, decision, name), "role": roles.get(name, "plain")}
            for name in buttons
        ],
        "blocked": [
            {
                "click": names[button],
                "caption": caption(game, decision, names[button]),
                "reason": refusal.reason,
                "rule": refusal.rule,
                "cause": refusal.cause,
            }
            for button, refusal in match.blocked(game).items()
        ],
        "can_act": [names[unit] for unit in match.can_act()],
        "warnings": warnings,
        "about": [names[unit] for unit in decision.about],
        "moves": list(moves),
        "undoable": bool(moves) and not decision.top,
        "sheets": sheets(game, decision, NOWHERE),
        "orders": _offers(match, game),
    }
    if steps:
        view["reach"] = _reach(steps, parts, places)
    return view


def _reach(steps: Mapping[int, Step], parts: int, places: Sequence[str]) -> wire.ReachView:
    """Return the path preview: it can have thousands of steps for a truck on a road."""
    cost, left, before, how, paths = zip(*steps.values(), strict=True) if steps else ((), (), (), (), ())
    index = {at: number for number, at in enumerate(steps)}
    for at in chain(before, *filter(None, paths)):
        if at not in index:
            index[at] = len(index)
    index[NOWHERE] = NOWHERE
    words = {word: number for number, word in enumerate(dict.fromkeys(how))}
    return {
        "at": [places[at] for at in index if at != NOWHERE],
        "cost": [points / parts for points in cost] if parts > 1 else list(cost),
        "left": [points / parts for points in left] if parts > 1 else list(left),
        "before": [index[at] for at in before],
        "words": list(words),
        "how": [words[word] for word in how],
        "paths": {places[at]: [index[on] for on in path] for at, path in zip(steps, paths, strict=True) if path},
    }


def _offers(match: Match[Any], game: Game[Any]) -> list[wire.OrderOffer]:
    """Return the standing orders that the decision accepts."""
    return [
        {"policy": one.id, "text": orders.describe(one, orders.check(match.rules, one, {}))}
        for one in orders.offers(match, game)
    ]


def _main_of(kind: str, buttons: list[str], alone: bool, ending_costs: bool) -> str:
    """Return the button that continues, if there is one: while reinforcements wait, the one that places them, and if
    ending gives something up, the default choice; else by its name; else the only one if there is nothing else to
    click, or with which a combat can be declared. The other actions of a selected unit do not continue."""
    if (kind.startswith("reinforcement.") or ending_costs) and USUAL in buttons:
        return USUAL
    named = next((name for name in MAIN if name in buttons), "")
    going_on = [name for name in buttons if name != CANCEL]
    selected = CANCEL in buttons and kind.startswith(("move.", "setup."))
    only = (alone and not selected) or kind == "combat.attackers"
    return named or (going_on[0] if only and len(going_on) == 1 else "")


def sheets(game: Game[Any], decision: Decision, click: int) -> list[wire.OddsView]:
    """Return the combats that a decision is about, and those that a click would make."""
    names, places = game.rules.names, game.board.names
    return [
        odds(
            sheet.title,
            [names[unit] for unit in sheet.attackers],
            [places[place] for place in sheet.targets],
            sheet.odds,
            sheet.options,
            game.rules.display.outcome,
        )
        for sheet in game.rules.display.sheets(game, decision, click)
    ]


def odds(
    title: str,
    attackers: list[str],
    targets: list[str],
    found: Odds,
    options: Iterable[SheetOption],
    meaning: Callable[[str], str],
) -> wire.OddsView:
    """Return a combat with all its terms and chances, and the effect of its options."""
    return {
        "title": title,
        "attackers": attackers,
        "targets": targets,
        "terms": [{"text": term.text, "value": term.value, "rule": term.rule} for term in found.terms],
        "column": found.column,
        "outcomes": _outcomes(found, meaning),
        "average": found.average,
        "options": [
            {
                "text": option.text,
                "rule": option.rule,
                "column": option.odds.column,
                "average": option.odds.average or option.odds.reason,
                "outcomes": _outcomes(option.odds, meaning),
            }
            for option in options
        ],
    }


def _outcomes(found: Odds, meaning: Callable[[str], str]) -> list[wire.Outcome]:
    return [
        {"text": text, "meaning": meaning(text), "chance": float(chance), "exact": str(chance)}
        for text, chance in found.outcomes.items()
    ]


def layer(game: Game[Any], name: str, viewer: int) -> wire.LayerView:
    """Return a layer as a viewer may know it, by its name; raise KeyError if the game has none."""
    title, rule, make, _ = game.rules.display.layers[name]
    places = game.board.names
    drawn = make(game, viewer)
    return {
        "name": name,
        "title": title,
        "rule": rule,
        "spots": [{"at": places[s.place], "tone": s.tone, "label": s.label} for s in drawn.spots],
        "lines": [{"path": [places[p] for p in r.places], "tone": r.tone, "text": r.text} for r in drawn.lines],
        "notes": [
            {"text": n.text, "rule": n.rule, "at": places[n.place] if n.place != NOWHERE else None} for n in drawn.notes
        ],
    }


def calendar(game: Game[Any], viewer: int) -> list[wire.ArrivalView]:
    """Return what is still to come, as a viewer may know it."""
    rules = game.rules
    labels = rules.display.turns(game)
    return [
        {
            "turn": a.turn, "label": label_of(labels, a.turn), "side": rules.sides[a.side], "text": a.text,
            "units": [rules.names[unit] for unit in a.units], "rule": a.rule,
        }
        for a in rules.display.calendar(game, viewer)
    ]  # fmt: skip


def why(match: Match[Any], name: str, viewer: int) -> wire.Why:
    """Return why a click is illegal for a viewer."""
    click = match.rules.click.get(name, NOWHERE)
    decision = match.decision
    is_open = decision is not None and decision.side == viewer and click in decision.legal
    refusal = match.explain(click, viewer)
    return {
        "click": name, "open": is_open, "reason": refusal.reason, "rule": refusal.rule, "cause": refusal.cause,
    }  # fmt: skip


def label_of(labels: Iterable[str], turn: int) -> str:
    """Return the date of a turn; "" before the first."""
    labels = tuple(labels)
    return labels[turn - 1] if 0 < turn <= len(labels) else ""


def side_name(rules: Rules[Any], side: int) -> str | None:
    """Return a side by name; None if it is none."""
    return rules.sides[side] if side >= 0 else None


def result(rules: Rules[Any], found: Result | None) -> wire.Result | None:
    """Return how a game ended, if it has."""
    if found is None:
        return None
    return {
        "winner": side_name(rules, found.winner), "level": found.level, "reason": found.reason, "rule": found.rule,
    }  # fmt: skip


def _phase(rules: Rules[Any], phase: Phase) -> wire.PhaseInfo:
    return {"name": phase.name, "side": side_name(rules, phase.side), "rule": phase.rule}


def seen_state(match: Match[Any], side: int) -> Any:
    """Return the state as a side may know it. It omits enemy units that are not in the game, as the view does."""
    rules = match.rules
    state, blank = match.game.seen_by(side).state, rules.new_state()
    for unit, counter in enumerate(rules.counters):
        if counter.side != side and state.where[unit] == NOWHERE:
            for column in state.COLUMNS:
                getattr(state, column)[unit] = getattr(blank, column)[unit]
    return state
