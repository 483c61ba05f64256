"""Information for a player: units, hexes, boxes, odds, refusals, the sequence of play, rules. Each function returns
lines, made from what one side may know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.text import Text

from khamsin import rulebook
from khamsin.kernel.board import NOWHERE, Board
from khamsin.kernel.dice import KeyedDice, SeededDice
from khamsin.kernel.match import Match
from khamsin.kernel.pieces import State, verdict
from khamsin.kernel.rules import EVERYONE, Event, Hint, Refusal, Rules
from khamsin.terminal.chart import SIDES, HexLabel, ground, ink
from khamsin.terminal.input_parser import Lexicon, Unclear, chosen, in_play, known, short

Lines = list[Text]

RULE = "dim"
HEAD = "bold"
ROW_COMPASS = ("east", "north-east", "north-west", "west", "south-west", "south-east")
COLUMN_COMPASS = ("north", "north-east", "south-east", "south", "south-west", "north-west")
BAR = 30


def side_style(side: int) -> str:
    """Return the colours of a side."""
    if side < 0:
        return ""
    colour, ground = SIDES[side % len(SIDES)]
    return f"{colour} on {ground}"


def cited(text: str, rule: str, style: str = "") -> Text:
    """Return a sentence with its rule."""
    return Text.assemble((text, style), (f" ({rule})", RULE) if rule else "")


def place_name(board: Board, location: int) -> str:
    """Return a location with the place in it: "1925 Tobruk"."""
    if location == NOWHERE:
        return "not in the game"
    name = board.name(location)
    place = board.place_in(location) if board.is_hex(location) else ""
    return f"{name} {place}" if place else name


def click_name(rules: Rules[Any], state: State, click: int) -> str:
    """Return a click by name, with its location."""
    name = rules.names[click]
    if click < rules.units:
        where = state.where[click]
        return name if where == NOWHERE else f"{name} in {place_name(rules.board, where)}"
    if click < rules.first_button:
        return place_name(rules.board, click - rules.units)
    return name


def hint_text(hint: Hint | Sequence[int], board: Board) -> str:
    """Return a hint in words: a value, a text, values by name, or hexes."""
    if hint is None:
        return ""
    if isinstance(hint, Mapping):
        return ", ".join(f"{name} {value}" for name, value in hint.items())
    if isinstance(hint, list | tuple):
        return ", ".join(board.name(n) if isinstance(n, int) and 0 <= n < len(board.names) else str(n) for n in hint)
    return str(hint)


def hint_figure(hint: Hint) -> str:
    """Return a hint in a few characters, for the map."""
    if isinstance(hint, Mapping):
        return str(next(iter(hint.values()), ""))
    return "" if hint is None or isinstance(hint, list | tuple) else str(hint)


def unit_states(rules: Rules[Any], state: State, blank: State, unit: int) -> list[str]:
    """Return the flags of a unit, and its values that differ from those printed (`blank`)."""
    states = [flag for flag, bit in rules.flag.items() if state.flags[unit] & bit]
    for name, default in state.COLUMNS.items():
        value = getattr(state, name)[unit]
        if name not in ("where", "flags") and value != getattr(blank, name)[unit]:
            states.append(f"{name} {place_name(rules.board, value) if default == NOWHERE else value}")
    return states


def marks(match: Match[Any], state: State, viewer: int) -> dict[int, HexLabel]:
    """Return the labels of the map in each hex: stacks, and for the deciding side the legal clicks and what the
    decision is about."""
    rules, decision = match.rules, match.decision
    stacks: dict[int, list[int]] = {}
    for unit, where in enumerate(state.where):
        if rules.board.is_hex(where):
            stacks.setdefault(where, []).append(unit)
    open: Mapping[int, Hint] = {}
    about: set[int] = set()
    if decision is not None and decision.side == viewer:
        open = decision.legal
        about = {state.where[unit] for unit in chosen(match)}
    hexes = {click - rules.units: hint for click, hint in open.items() if rules.units <= click < rules.first_button}
    shown = {*stacks, *(place for place in hexes if rules.board.is_hex(place)), *about}
    return {
        hex: HexLabel(
            _label(rules, stacks.get(hex, [])),
            tuple(rules.names[unit] for unit in stacks.get(hex, [])),
            rules.counters[stacks[hex][0]].side if hex in stacks else -1,
            hex in hexes or any(unit in open for unit in stacks.get(hex, [])),
            hint_figure(hexes.get(hex)),
            hex in about,
        )
        for hex in shown
        if rules.board.is_hex(hex)
    }


def _label(rules: Rules[Any], units: list[int]) -> str:
    """Return a stack in three letters: its nation or side, and its number of units."""
    if not units:
        return ""
    counters = [rules.counters[unit] for unit in units]
    nation = next((counter.nation for counter in counters if counter.nation), "")
    return f"{(nation or _side_letters(rules, counters[0].side))[:2]}{len(units) if len(units) < 10 else '+'}"


def _side_letters(rules: Rules[Any], side: int) -> str:
    """Return the shortest beginning of a side's name that no other side's has."""
    name = rules.sides[side]
    others = [other for other in rules.sides if other != name]
    return next((name[:n] for n in (1, 2) if not any(other.startswith(name[:n]) for other in others)), name[:2])


def event_lines(match: Match[Any], events: Iterable[Event], viewer: int) -> Lines:
    """Return the log, as a side may know it."""
    return [cited(match.game.text(event), event.rule) for event in events if event.to in (EVERYONE, viewer)]


def refusal_line(what: str, refusal: Refusal) -> Text:
    """Return why something cannot be done."""
    cause = f" [{refusal.cause}]" if refusal.cause else ""
    head = "" if refusal.reason.startswith(what) else f"{what}: "
    return Text.assemble((head, HEAD), (refusal.reason + cause, "yellow"), (f" ({refusal.rule})", RULE))


def show(match: Match[Any], lexicon: Lexicon, text: str, viewer: int) -> Lines:
    """Everything known about a unit, a hex, a place or a box."""
    if not text:
        raise Unclear("show what? A unit, a hex, a place or a box: show 1925")
    rules = match.rules
    click = lexicon.anything(text, in_play(match, viewer))
    if click < rules.units:
        return _show_unit(match, click, viewer)
    if click < rules.first_button:
        return _show_location(match, click - rules.units, viewer)
    is_open = match.decision is not None and click in match.decision.legal
    return [Text(f"{rules.names[click]}: a button, {'legal' if is_open else 'illegal'} now")]


def _show_unit(match: Match[Any], unit: int, viewer: int) -> Lines:
    rules, state = match.rules, known(match, viewer)
    counter = rules.counters[unit]
    kind = " ".join(word for word in (counter.nation, counter.symbol, counter.size) if word)
    lines = [
        Text.assemble((f" {counter.name} ", side_style(counter.side)), f"  {rules.sides[counter.side]} {kind}"),
        Text(f"where: {place_name(rules.board, state.where[unit])}"),
    ]
    if counter.parent:
        lines.append(Text(f"part of {counter.parent}"))
    if counter.factors:
        lines.append(Text("printed: " + ", ".join(f"{name} {value}" for name, value in counter.factors.items())))
    states = unit_states(rules, state, rules.new_state(), unit)
    lines.append(Text("now: " + (", ".join(states) or "as printed")))
    decision = match.decision
    if decision is not None and decision.side == viewer:
        if unit in decision.legal:
            hint = hint_text(decision.legal[unit], rules.board)
            lines.append(cited("can be clicked now" + (f": {hint}" if hint else ""), decision.rule))
        else:
            lines.append(refusal_line("cannot be clicked now", match.explain(unit)))
    if counter.source:
        lines.append(Text(f"from {counter.source}", RULE))
    return lines


def _show_location(match: Match[Any], location: int, viewer: int) -> Lines:
    rules, state = match.rules, known(match, viewer)
    board = rules.board
    lines = [Text(place_name(board, location), HEAD)]
    if board.is_hex(location):
        lines += _describe_hex(board, location)
    else:
        box = board.boxes[location - board.size]
        facts = ", ".join(f"{key} {value}" for key, value in box.data.items() if isinstance(value, int | str))
        lines.append(Text(f"a box off the map: {box.kind}" + (f"; {facts}" if facts else "")))
    for name in state.OWNERS:
        owner = getattr(state, name).get(location)
        if owner is not None:
            lines.append(Text(f"{name}: {rules.sides[owner]}"))
    for name in state.AMOUNTS:
        if location in getattr(state, name):
            lines.append(Text(f"{name}: {getattr(state, name)[location]}"))
    units = [unit for unit, where in enumerate(state.where) if where == location]
    blank = rules.new_state()
    lines += [unit_line(rules, state, blank, unit) for unit in units] or [Text("no units")]
    decision, click = match.decision, rules.units + location
    if decision is not None and decision.side == viewer and click in decision.legal:
        hint = hint_text(decision.legal[click], board)
        lines.append(cited("can be clicked now" + (f": {hint}" if hint else ""), decision.rule))
    return lines


def _describe_hex(board: Board, hex: int) -> Lines:
    places = [f"{place.name} ({place.kind})" for place in board.places if place.hex == hex]
    enterable = "" if board.enterable(hex) else ", no land unit enters"
    lines = [Text(f"{board.terrain_name(hex)}{enterable}; elevation about {board.geo[hex][2]:.0f} m")]
    if places:
        lines.append(Text("places: " + ", ".join(places)))
    if board.tags[hex]:
        lines.append(Text("marked: " + ", ".join(sorted(board.tags[hex]))))
    areas = [f"{area.name} ({area.kind})" for area in board.areas.values() if hex in area.hexes]
    if areas:
        lines.append(Text("belongs to " + ", ".join(areas)))
    compass = ROW_COMPASS if board.scheme.rows else COLUMN_COMPASS
    for direction, other in enumerate(board.neighbours[hex]):
        if other == NOWHERE:
            lines.append(Text(f"{compass[direction]:>10}  the edge of the map", RULE))
            continue
        between = ", ".join(sorted(board.between(hex, other)))
        line = f"{compass[direction]:>10}  {place_name(board, other)}, {board.terrain_name(other)}"
        lines.append(Text(line + (f"; between: {between}" if between else "")))
    return lines


def unit_line(rules: Rules[Any], state: State, blank: State, unit: int) -> Text:
    """Return a unit with its figures and state, in one line."""
    counter = rules.counters[unit]
    figures = " ".join(f"{name} {value}" for name, value in counter.factors.items() if value)
    states = ", ".join(unit_states(rules, state, blank, unit))
    return Text.assemble(
        "  ",
        (f" {counter.name} ", side_style(counter.side)),
        f" {figures}",
        (f"  {states}" if states else "", "yellow"),
    )


def units(match: Match[Any], lexicon: Lexicon, text: str, viewer: int) -> Lines:
    """Return the units on the map, in one location or of one side."""
    rules, state = match.rules, known(match, viewer)
    sides = [number for number, side in enumerate(rules.sides) if text and side.lower().startswith(text.lower())]
    on_map = range(rules.board.size)
    if text.lower() in ("", "map"):
        chosen = [u for u, where in enumerate(state.where) if where in on_map]
    elif text.lower() in ("all", "*"):
        chosen = [u for u, where in enumerate(state.where) if where != NOWHERE]
    elif len(sides) == 1:
        chosen = [u for u, w in enumerate(state.where) if w != NOWHERE and rules.counters[u].side == sides[0]]
    else:
        place = lexicon.place(text)
        chosen = [u for u, where in enumerate(state.where) if where == place]
        if not chosen:
            return [Text(f"{place_name(rules.board, place)}: no units")]
    by_place: dict[int, list[int]] = {}
    for unit in chosen:
        by_place.setdefault(state.where[unit], []).append(unit)
    lines: Lines = []
    blank = rules.new_state()
    for place, stack in sorted(by_place.items(), key=lambda item: (item[0] not in on_map, item[0])):
        lines.append(Text(place_name(rules.board, place), HEAD))
        lines += [unit_line(rules, state, blank, unit) for unit in stack]
    return lines or [Text("no units")]


def why(match: Match[Any], lexicon: Lexicon, text: str) -> Lines:
    """Return why a unit cannot be clicked, or cannot move to a hex."""
    rules, decision = match.rules, match.decision
    if not text:
        raise Unclear("why what? An illegal click, or a unit and a hex: why 104 1925")
    if decision is None:
        return [refusal_line(text, match.explain(0))]
    near = in_play(match, decision.side)
    target = None
    if lexicon.find(text, range(len(rules.names))):
        click = lexicon.anything(text, decision.legal, near)
    else:
        unit_text, place_text = _halves(text, lambda left, right: bool(lexicon.find(left, range(rules.units))))
        units_near = [click for click in near if click < rules.units]
        click = lexicon.unit(unit_text, set(decision.legal) & rules.unit_clicks, units_near)
        target = lexicon.place(place_text)
    name = rules.names[click]
    if target is None:
        return [refusal_line(name, match.explain(click))]
    there = place_name(rules.board, target)
    aim = rules.units + target
    trial = match
    if click in decision.legal and click not in chosen(match):
        trial = match.clone(SeededDice(0))
        trial.click(click)
    elif click not in chosen(match):
        return [refusal_line(name, match.explain(click))]
    asked = trial.decision
    if asked is not None and asked.side == decision.side and aim in asked.legal:
        hint = hint_text(asked.legal[aim], rules.board)
        return [cited(f"{name} to {there}: it can" + (f", for {hint}" if hint else ""), asked.rule, "green")]
    return [refusal_line(f"{name} to {there}", trial.explain(aim))]


def _halves(text: str, good: Callable[[str, str], bool]) -> tuple[str, str]:
    """Split a text at "on", "at", "to" or ":", else at the last space where both halves have a meaning."""
    words = text.replace(":", " : ").replace(">", " : ").split()
    for at, word in enumerate(words):
        if word.lower() in (":", "on", "at", "to", "against") and 0 < at < len(words) - 1:
            return " ".join(words[:at]), " ".join(words[at + 1 :])
    for at in range(len(words) - 1, 0, -1):
        left, right = " ".join(words[:at]).strip(" ,"), " ".join(words[at:]).strip(" ,")
        if good(left, right):
            return left, right
    return text, ""


def odds(match: Match[Any], lexicon: Lexicon, text: str, viewer: int) -> Lines:
    """Return the odds of an attack: every term with its rule, and the chance of every outcome."""
    rules, state = match.rules, known(match, viewer)
    if rules.odds is None:
        return [Text(f"{rules.title} has no odds preview")]
    if len(text.split()) < 2:
        raise Unclear("odds of what? Attackers, separated by commas, and the attacked hexes: odds 5/1, 5/2 on 1107")

    def forces(left: str) -> list[int]:
        return [unit for part in left.split(",") for unit in _force(rules, state, lexicon, part.strip(), viewer)]

    def targets(right: str) -> list[int]:
        return [lexicon.place(part.strip()) for part in right.split(",")]

    def good(left: str, right: str) -> bool:
        try:
            return bool(forces(left) and targets(right))
        except Unclear:
            return False

    left, right = _halves(text, good)
    attackers = list(dict.fromkeys(forces(left)))
    hexes = list(dict.fromkeys(targets(right)))
    try:
        answer = match.odds(viewer, attackers, hexes)
    except Exception as error:
        return [Text(f"these odds cannot be worked out: {error}", "yellow")]
    names = ", ".join(rules.names[unit] for unit in attackers)
    lines = [Text.assemble((names, HEAD), " on ", (", ".join(place_name(rules.board, hex) for hex in hexes), HEAD))]
    width = max((len(term.text) for term in answer.terms), default=0)
    for term in answer.terms:
        lines.append(Text.assemble(f"  {term.text:<{width}}  {term.value:>6}", (f"  ({term.rule})", RULE)))
    lines.append(Text(f"column {answer.column}", HEAD))
    most = max((len(outcome) for outcome in answer.outcomes), default=0)
    for outcome, chance in answer.outcomes.items():
        bar = "█" * round(BAR * float(chance))
        lines.append(Text.assemble(f"  {outcome:<{most}}  {float(chance):6.1%}  ", (bar, "cyan")))
    return lines


def _force(rules: Rules[Any], state: State, lexicon: Lexicon, text: str, viewer: int) -> list[int]:
    """Return the units of a text: one by name, own units first, or all own units in a hex."""
    mine = [u for u, where in enumerate(state.where) if rules.counters[u].side == viewer and where != NOWHERE]
    hex = lexicon.exactly(text, range(rules.units, rules.first_button))
    if hex is not None:
        return [unit for unit in mine if state.where[unit] == hex - rules.units]
    return [lexicon.unit(text, mine, [u for u, where in enumerate(state.where) if where != NOWHERE])]


def sequence(match: Match[Any], viewer: int) -> Lines:
    """Return the sequence of play with the current phase, and the values of the game."""
    rules, state = match.rules, known(match, viewer)
    phases = rules.phases(state)
    lines = [Text(f"{turn_name(match)}, {match.game.scenario.title}", HEAD)]
    for number, phase in enumerate(phases):
        now = number == state.phase and match.decision is not None
        line = cited(f"{'>' if now else ' '} {phase.name}", phase.rule, HEAD if now else "")
        lines.append(line)
    figures = [
        f"{name.replace('_', ' ')} {value}"
        for name in state.SCALARS
        if name not in ("turn", "phase") and (value := getattr(state, name))
    ]
    for name in state.TALLIES:
        tally = getattr(state, name)
        if tally:
            figures.append(f"{name}: " + ", ".join(f"{key} {value}" for key, value in sorted(tally.items())))
    for name in state.OWNERS:
        owners: dict[int, list[str]] = {}
        for place, side in sorted(getattr(state, name).items()):
            owners.setdefault(side, []).append(place_name(rules.board, place))
        figures += [f"{name}, {rules.sides[side]}: " + ", ".join(names) for side, names in sorted(owners.items())]
    options = ", ".join(f"{name} {value}" for name, value in match.game.options.items())
    return [*lines, *map(Text, figures), *([Text(f"options: {options}", RULE)] if options else [])]


def turn_name(match: Match[Any]) -> str:
    """Return the present turn, with its month if the board has a track of months."""
    turn = match.state.turn
    for box in match.rules.board.boxes:
        months, first = box.data.get("months"), box.data.get("first", 1)
        if isinstance(months, list) and isinstance(first, int) and 0 <= turn - first < len(months):
            return f"turn {turn}, {months[turn - first]}"
    return f"turn {turn}"


def rule(match: Match[Any], text: str) -> Lines:
    """Return the gist of a section of the rulebook, and the sections under it."""
    wanted = text.strip().rstrip(".") or (match.decision.rule if match.decision else match.phase.rule)
    try:
        entries = rulebook.read(match.rules.id)
    except ValueError as error:
        return [Text(str(error))]
    number = wanted.split(",")[0].strip().lstrip("§")
    lines: Lines = []
    for entry in entries:
        if entry.number == number:
            lines = [Text.assemble((f"{entry.number} {entry.title}", HEAD)), Text(entry.gist), *lines]
        elif entry.number.startswith(number + ".") or entry.title == f"example of {number}":
            lines.append(Text.assemble((f"  {entry.number} {entry.title}: ", HEAD), entry.gist))
    if not lines:
        found = [entry for entry in entries if number and number.lower() in f"{entry.title} {entry.gist}".lower()]
        if not found:
            raise Unclear(f"{short(wanted)}: no section of the rulebook has this number or these words")
        lines = [Text.assemble((f"{entry.number} {entry.title}: ", HEAD), entry.gist) for entry in found]
    return lines


def moves(match: Match[Any]) -> Lines:
    """Return the moves that can be undone, numbered from 1."""
    lines = [Text(f"  {move.number + 1}  {', '.join(move.clicks)}") for move in match.moves]
    if not lines:
        return [Text("nothing to undo since the last roll, reveal or enemy decision")]
    return [Text("moves to undo (undo alone undoes the last, undo N any one):", HEAD), *lines]


def dice(match: Match[Any]) -> Lines:
    """Return the commitment of the dice; when the game is over, their key."""
    live = match.game.dice
    if not isinstance(live, KeyedDice):
        return [Text("these dice are not committed to a key")]
    lines = [Text(f"dice: sha256 of their key is {live.commitment}; {live.count} rolled so far")]
    if match.over:
        lines.append(Text(f"the key is {live.key.hex()}: every roll can be checked with it"))
    return lines


def ending(match: Match[Any]) -> Text:
    """Return the result of the game, or that it continues."""
    result = match.result
    if result is None:
        return Text(f"{turn_name(match)}, {match.phase.name}")
    text = verdict(None if result.winner == NOWHERE else match.rules.sides[result.winner], result.level)
    return cited(f"{text[0].upper()}{text[1:]}: {result.reason}", result.rule, HEAD)


STACKS = (
    "A stack is its nation or side and how many units it has. Hexes that can be clicked, or have units that can, are yellow, "
    "or in ( ); a number in them is the cost. The hex the decision is about is white, or in [ ]."
)


def legend(board: Board, rules: Rules[Any], ascii: bool) -> Lines:
    """Return the legend of the map."""
    lines = [Text("ground", HEAD)]
    for terrain in board.terrains:
        sign, colour = ground(terrain)
        lines.append(Text.assemble("  ", (f" {sign} ", f"#ffffff on {colour}"), f"  {terrain.name}"))
    lines.append(Text("lines and hexsides", HEAD))
    for kind in board.side_kinds:
        how = ink(kind)
        signs = how.plain if ascii else how.signs
        what = "across hexsides" if kind.across else "along hexsides"
        lines.append(Text.assemble("  ", (signs if kind.across else signs[:2], how.colour), f"  {kind.name}, {what}"))
    lines.append(Text("units", HEAD))
    for number, side in enumerate(rules.sides):
        lines.append(Text.assemble("  ", (f" {_side_letters(rules, number)}2 ", side_style(number)), f"  {side}"))
    lines.append(Text(STACKS))
    return lines


HELP = """\
To click, type what you mean; any part of a name that is clear is enough:
  104            a unit by part of its name (DE 104/IREGT)
  1925, tobruk   a hex by number or place; or the unit there that can be clicked
  done           a button
  #3, 3          number 3 of the list
  104, 1006      several clicks in a line, separated by , or ;
Commands (a clear beginning is enough; /word is always a command):
  open [KIND]    everything that can be clicked: open hexes, open units
  undo [N]       undo the last move, or move N of the list
  moves          the moves that can be undone
  log [N]        what happened last
  show WHAT      a unit, hex, place or box, with all that is known of it
  units [WHERE]  units on the map, in a hex or box, of a side, or all
  why WHAT       why it cannot be clicked; why UNIT HEX: why it cannot go there
  odds A on B    an attack worked out: odds 5/1, 5/2 on 1107
                 (a hex instead of A means your units in it)
  orders         standing orders of your side, and what can be ordered, numbered
  orders set N   set order N of that list: orders set 2 reserve=1 except=tobruk
  orders cancel N  cancel standing order N
  turn           the sequence of play and the values of the game
  rules [N]      the gist of section N, of a word, or of the present decision
  map [WHERE]    the map, around a hex, place or unit; map north 5 moves it
  zoom [N]       zoom in, zoom out, + and -, or zoom 1 (far) to 4 (near)
  legend         what the signs of the map mean
  dice           the commitment of the dice
  position [F]   the position as a file, for a bug report or a puzzle
  save [FILE]    a copy of the record; the game is saved after every click anyway
  quit           leave; --resume continues where you left
Enter alone shows the next page, or the map again. Tab completes a name."""


def help_lines() -> Lines:
    """Return the commands."""
    return [Text(line, HEAD if not line.startswith(" ") else "") for line in HELP.splitlines()]
