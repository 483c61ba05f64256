"""Terminal session: read a command, apply it, save the record, redraw. Every click is on disk before the next decision, so a
broken terminal loses at most the line being typed.
"""

from __future__ import annotations

import datetime
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

from rich.text import Text

from khamsin import games
from khamsin.kernel import position, record
from khamsin.kernel.dice import KeyedDice
from khamsin.kernel.match import Match
from khamsin.kernel.rules import EVERYONE, Decision, Illegal, Refusal, Rules
from khamsin.terminal import answers, page
from khamsin.terminal.answers import HEAD, RULE, Lines
from khamsin.terminal.chart import HexMap, View
from khamsin.terminal.input_parser import Lexicon, Unclear, chosen, in_play, known, plain, short, understand
from khamsin.terminal.orders import StandingOrders
from khamsin.terminal.streams import Keyboard, Screen

Player = Callable[[Match[Any]], int]
"""A computer player: from a match to the click it makes."""

FEW = 12
"""Up to this number of legal hexes, the map is moved to show them."""
CANDIDATES = 12
"""How many meanings of an ambiguous text are listed."""
HISTORY = 60
"""The greatest number of events next to the map."""
NEAR = 6
"""Within how many hexes units count as together when the map searches for the most of them."""
COMPASS = {
    **dict.fromkeys(("n", "north", "up"), (0, 1)),
    **dict.fromkeys(("s", "south", "down"), (0, -1)),
    **dict.fromkeys(("e", "east", "right"), (1, 0)),
    **dict.fromkeys(("w", "west", "left"), (-1, 0)),
}
"""The words for moving the map, with the steps east and north."""


def play(
    game: str | Rules[Any],
    *,
    scenario: str | None = None,
    options: Mapping[str, str] | None = None,
    resume: Path | None = None,
    save: Path | None = None,
    seed: int | None = None,
    players: Mapping[int, Player | None] | None = None,
    input: TextIO | None = None,
    output: TextIO | None = None,
    size: tuple[int, int] | None = None,
    window: bool | None = None,
) -> Match[Any]:
    """Play a game in a terminal until the players leave, and return the match.

    `players` has a computer player for each side that no person plays. The record is written to `save`, else to the
    resumed file, else to a new file in the working directory, after every click. `size` (columns, lines) and `window`
    (draw over, or write line after line) are taken from `output` if not given. Raises ValueError for a game, scenario,
    option or record that does not exist, and for a file that contains something else.
    """
    rules = games.load(game) if isinstance(game, str) else game
    if resume is not None:
        match = _resumed(rules, resume, scenario, options, seed)
    else:
        dice = KeyedDice() if seed is None else KeyedDice.seeded(seed)
        match = Match(rules, scenario or next(iter(rules.scenarios)), options or {}, dice)
    file = _record_file(rules, resume, save)
    screen = Screen(output or sys.stdout, size, window)
    session = TerminalMatch(match, file, dict(players or {}), screen, input or sys.stdin)
    session.save()
    if session.unsaved:
        raise ValueError(session.unsaved)
    try:
        with screen.opened():
            session.run()
    except KeyboardInterrupt:
        pass
    finally:
        session.save()
    screen.print(session.farewell())
    return match


def _resumed(
    rules: Rules[Any], file: Path, scenario: str | None, options: Mapping[str, str] | None, seed: int | None
) -> Match[Any]:
    def find(name: str) -> Rules[Any]:
        if name != rules.id:
            raise ValueError(f"it is a record of {name!r}, not of {rules.id!r}")
        return rules

    match = record.load(file, find)
    if seed is not None:
        raise ValueError(f"seed {seed}: a resumed game already has its dice")
    if scenario not in (None, match.game.scenario.name):
        raise ValueError(f"{scenario!r}: the record is of the scenario {match.game.scenario.name!r}")
    for name, value in (options or {}).items():
        if match.game.options.get(name) != value:
            raise ValueError(f"{name}={value!r}: the record has other options: {dict(match.game.options)}")
    return match


def _record_file(rules: Rules[Any], resume: Path | None, save: Path | None) -> Path:
    """Return the file of the record; never one that contains something else."""
    if save is not None:
        if save.exists() and (resume is None or not save.samefile(resume)):
            raise ValueError(f"{save}: already exists; resume it, or name another file to save in")
        return save
    if resume is not None:
        return resume
    stem = f"khamsin-{rules.id}-{datetime.date.today()}"
    number = 1
    while True:
        file = Path(f"{stem}-{number}.jsonl" if number > 1 else f"{stem}.jsonl")
        if not file.exists():
            return file
        number += 1


class TerminalMatch:
    """A terminal session: the match, the record file, the players and the screen."""

    def __init__(
        self, match: Match[Any], file: Path, players: dict[int, Player | None], screen: Screen, input: TextIO
    ) -> None:
        self.match = match
        self.rules = match.rules
        self.file = file
        self.players = players
        self.screen = screen
        self.lexicon = Lexicon(match.rules)
        self.chart = HexMap(match.rules.board, screen.colour, screen.ascii)
        self.view = View(0, 2 if screen.size[0] >= 150 and screen.size[1] >= 45 else 1)
        self.keyboard = Keyboard(input, screen, self.complete)
        self.secret = match.rules.has_hidden_info
        """Whether the game has hidden information, so that the screen is cleared between sides."""
        self.viewer = self._first_viewer()
        self.asked = -1
        """The side of the last decision."""
        self.told: dict[int, int] = {}
        """How many events each viewer has seen; one count for all if nothing is hidden."""
        self.notes: Lines = []
        """Lines to show with the next decision."""
        self.pages: Lines = []
        """The unread part of a text shown instead of the map."""
        self.page_height = 1
        self.wanted: list[int] = []
        """Hexes of which the next map must show at least one."""
        self.watched = (-1, -1)
        """The turn and phase last drawn while the computer played."""
        self.printed: Decision | None = None
        """The decision whose legal clicks were printed last, in plain lines."""
        self.orders = StandingOrders()
        self.unsaved = ""
        self.interrupted = False
        self.left = False
        self.commands: dict[str, Callable[[str], Lines]] = {
            "help": lambda text: answers.help_lines(),
            "?": lambda text: answers.help_lines(),
            "open": self.list_open,
            "undo": self.undo,
            "orders": lambda text: self.orders.command(self.match, self.viewer, text),
            "moves": lambda text: answers.moves(self.match),
            "log": self.log,
            "show": lambda text: answers.show(self.match, self.lexicon, text, self.viewer),
            "units": lambda text: answers.units(self.match, self.lexicon, text, self.viewer),
            "why": lambda text: answers.why(self.match, self.lexicon, text),
            "odds": lambda text: answers.odds(self.match, self.lexicon, text, self.viewer),
            "turn": lambda text: answers.sequence(self.match, self.viewer),
            "phase": lambda text: answers.sequence(self.match, self.viewer),
            "rules": lambda text: answers.rule(self.match, text),
            "map": self.show_map,
            "zoom": self.zoom,
            "+": lambda text: self.zoom("in"),
            "-": lambda text: self.zoom("out"),
            "legend": lambda text: answers.legend(self.rules.board, self.rules, self.screen.ascii),
            "dice": lambda text: answers.dice(self.match),
            "seed": lambda text: answers.dice(self.match),
            "position": self.position,
            "save": self.save_copy,
            "quit": self.quit,
            "exit": self.quit,
        }

    def run(self) -> None:
        """Run decision after decision until the players leave."""
        self.notes = self.welcome()
        self.told = dict.fromkeys(range(EVERYONE, len(self.rules.sides)), len(self.match.events))
        self.look_at_question()
        if not self.screen.window:
            self.notes += self.show_map("")
        while not self.left:
            if not self.let_computers_play() or self.obey_orders():
                continue
            self.hand_over()
            if self.left:
                break
            self.show_question()
            text = self.listen(self.prompt())
            if text is None:
                self.left = True
            elif text:
                self.pages = []
                self.answer(text)
            else:
                self.pages = self.pages[self.page_height :]

    def prompt(self) -> str:
        """Return the prompt of the input line."""
        return f"{self.rules.sides[self.match.decision.side] if self.match.decision else 'over'}> "

    def listen(self, prompt: str) -> str | None:
        """Read one line. Ctrl-C warns the first time and leaves the second."""
        try:
            text = self.keyboard.ask(prompt)
        except KeyboardInterrupt:
            if self.interrupted:
                return None
            self.interrupted = True
            self.notes = [Text("Ctrl-C once more leaves; the game is saved", "yellow")]
            return ""
        self.interrupted = False
        return text

    def answer(self, text: str) -> None:
        """Apply a line of commands and clicks separated by semicolons; clicks also by commas. When the other side must decide,
        the rest of the line is dropped."""
        parts = [part.strip() for part in text.split(";")]
        try:
            while parts and not self.left:
                part = parts.pop(0)
                command = self.command_of(part)
                if command is not None:
                    name, rest = command
                    self.say(self.commands[name](rest))
                    continue
                words = [word.strip() for word in part.split(",")]
                if len(words) > 1:
                    parts[:0] = words
                elif part:
                    self.click(understand(self.match, self.lexicon, part))
                    decision = self.match.decision
                    if any(parts) and (decision is None or decision.side != self.asked):
                        self.say([Text(f"not used, because the other side decides: {', '.join(parts)}", "yellow")])
                        return
        except Unclear as error:
            self.say([Text(error.reason, "yellow"), *self.candidates(error.candidates)])
        except Illegal as error:
            self.say([answers.refusal_line(error.click, Refusal(error.reason, error.rule))])
        except Exception as error:
            self.say([Text(f"error, nothing changed: {type(error).__name__}: {error}", "bold red")])

    def command_of(self, text: str) -> tuple[str, str] | None:
        """Return the command of a text, with the rest of it. A legal click of that exact name has priority, then a
        command, then anything that can be clicked, then a command of which only the beginning is given."""
        decision = self.match.decision
        forced = text.startswith("/")
        word, _, rest = text.lstrip("/").partition(" ")
        word, rest = word.lower(), rest.strip()
        open = decision.legal if decision else {}
        if not forced and self.lexicon.exactly(text, open) is not None:
            return None
        if word in self.commands:
            return word, rest
        begun = [name for name in self.commands if name.isalpha() and word and name.startswith(word)]
        if len(begun) == 1 and (forced or not self.lexicon.find(text, range(len(self.rules.names)))):
            return begun[0], rest
        if forced:
            raise Unclear(f"{short(text)}: no such command; help lists them")
        return None

    def candidates(self, clicks: tuple[int, ...]) -> Lines:
        """Return the candidates of an ambiguous text."""
        if not clicks:
            return []
        state = known(self.match, self.viewer)
        names = [answers.click_name(self.rules, state, click) for click in clicks[:CANDIDATES]]
        more = f" … and {len(clicks) - CANDIDATES} more" if len(clicks) > CANDIDATES else ""
        return [Text("   ".join(names) + more)]

    def click(self, click: int) -> None:
        """Make a click, save, and show what happened."""
        self.match.click(click)
        self.save()
        self.look_at_question(click)

    def say(self, lines: Lines) -> None:
        """Show lines: short texts with the decision, long ones instead of the map."""
        if self.screen.window and len(page.wrapped(lines, self.screen.size[0])) > 4:
            self.pages = lines
        else:
            self.notes += lines

    def save(self) -> None:
        """Write the record. If that fails, report it and continue."""
        try:
            record.save(self.match, self.file, self.names())
            self.unsaved = ""
        except OSError as error:
            self.unsaved = f"NOT SAVED: {self.file}: {error.strerror or error}"

    def names(self) -> dict[str, str]:
        """Return the player of each side, for the record."""
        seats = {side: self.players.get(number) for number, side in enumerate(self.rules.sides)}
        return {
            side: "person" if player is None else getattr(player, "__name__", type(player).__name__)
            for side, player in seats.items()
        }

    def let_computers_play(self) -> bool:
        """Let computer players decide while it is their turn; return whether a person must decide or the game is over."""
        decision = self.match.decision
        player = self.players.get(decision.side) if decision else None
        if decision is None or player is None:
            return True
        self.watch()
        try:
            self.match.click(player(self.match))
            self.save()
        except KeyboardInterrupt:
            self.left = True
        except Exception as error:
            self.players[decision.side] = None
            side = self.rules.sides[decision.side]
            self.say([Text(f"the computer player of {side} failed ({error}); decide for it", "bold red")])
        return False

    def obey_orders(self) -> bool:
        """Make the click of a standing order; whether there was one."""
        decision = self.match.decision
        found = self.orders.answer(self.match)
        if decision is None or found is None:
            return False
        self.match.click(found[1])
        self.match.automatic.add(len(self.match.clicks))
        self.match.ordered.add(len(self.match.clicks))
        self.save()
        self.orders.applied.append(found[0])
        return True

    def hand_over(self) -> None:
        """Announce a change of side. With hidden information, clear the screen and wait for that player."""
        decision = self.match.decision
        if decision is None or decision.side == self.asked:
            return
        people = [side for side in range(len(self.rules.sides)) if self.players.get(side) is None]
        name = self.rules.sides[decision.side]
        if self.secret and len(people) > 1 and self.viewer != decision.side:
            self.screen.wipe()
            self.screen.print([Text(f"{name} decides now. The other side looks away; press Enter when ready.", HEAD)])
            if self.listen("") is None:
                self.left = True
                return
            self.screen.wipe()
            self.keyboard.forget()
            if self.asked >= 0:
                self.pages, self.notes = [], []
        if self.asked >= 0:
            self.notes = [Text(f" {name} decides now ", answers.side_style(decision.side) + " bold"), *self.notes]
        self.asked = self.viewer = decision.side
        self.look_at_question()

    def show_question(self) -> None:
        """Draw the screen; in plain lines, write what is new and the decision."""
        events = answers.event_lines(self.match, self.match.events[self.told[self.viewer] :], self.viewer)
        history = self.history()
        for viewer in (self.viewer,) if self.secret else self.told:
            self.told[viewer] = len(self.match.events)
        notes = events + self.orders.tell(self.rules.sides, self.viewer if self.secret else EVERYONE) + self.notes
        if self.match.over:
            notes += answers.dice(self.match)
        if self.unsaved:
            notes.append(Text(self.unsaved, "bold red"))
        self.notes = []
        width, height = self.screen.size
        if not self.screen.window:
            fresh, self.printed = self.match.decision is not self.printed, self.match.decision
            lists = page.open_clicks(self.match, width, 8) if fresh else []
            self.screen.print(notes + page.question(self.match, width) + lists)
            return
        if not self.pages and len(page.wrapped(notes, width)) > page.room_for_notes(width, height):
            self.pages, notes = notes, []
        self.screen.paint(page.compose(self.match, width, height, self.draw_body, notes, history))

    def history(self) -> Lines:
        """Return the events already shown, for the space next to the map."""
        told = self.match.events[: self.told[self.viewer]]
        return answers.event_lines(self.match, told[-HISTORY:], self.viewer)

    def draw_body(self, width: int, height: int) -> Lines:
        """Return the map, or a page of the text being read."""
        if not self.pages:
            return self.draw_map(width, height)
        self.pages = page.wrapped(self.pages, width)
        self.page_height = height - 1
        more = len(self.pages) - self.page_height
        shown = self.pages[: self.page_height]
        shown += [Text()] * (self.page_height - len(shown))
        return [*shown, Text(f"Enter: {more} more lines" if more > 0 else "Enter: the map", RULE)]

    def draw_map(self, width: int, height: int) -> Lines:
        """Return the map around what the decision is about."""
        wanted, self.wanted = self.wanted, []
        if wanted and not any(self.chart.sees(self.view, hex, width, height) for hex in wanted):
            distance = self.rules.board.distance
            self.view.centre = max(wanted, key=lambda hex: sum(distance(hex, other) <= NEAR for other in wanted))
        marks = answers.marks(self.match, known(self.match, self.viewer), self.viewer)
        return self.chart.draw(self.view, width, height, marks)

    def look_at_question(self, click: int | None = None) -> None:
        """Move the map to what the decision is about: the chosen units, else few legal hexes, else the hex just clicked, else a
        legal unit."""
        decision, board = self.match.decision, self.rules.board
        if decision is None:
            return
        where = known(self.match, decision.side).where
        hexes = [click - self.rules.units for click in decision.legal if click >= self.rules.units]
        hexes = [hex for hex in hexes if board.is_hex(hex)]
        about = [where[unit] for unit in chosen(self.match) if board.is_hex(where[unit])]
        units = [where[u] for u in decision.legal if u < self.rules.units and board.is_hex(where[u])]
        clicked = [click - self.rules.units] if click is not None and click >= self.rules.units else []
        clicked = [hex for hex in clicked if board.is_hex(hex)]
        self.wanted = about or (hexes if len(hexes) <= FEW else []) or clicked or units

    def watch(self) -> None:
        """While the computer plays, show each phase as it begins."""
        now = (self.match.state.turn, self.match.state.phase)
        if self.screen.window and now != self.watched:
            self.watched = now
            width, height = self.screen.size
            notes = [Text("the computer is playing; Ctrl-C leaves", RULE)]
            self.screen.paint(page.compose(self.match, width, height, self.draw_map, notes, self.history()))

    def _first_viewer(self) -> int:
        people = [side for side in range(len(self.rules.sides)) if self.players.get(side) is None]
        asked = self.match.decision.side if self.match.decision else 0
        return people[0] if len(people) == 1 else EVERYONE if self.secret else asked

    def welcome(self) -> Lines:
        """Return the lines at the start: game, file, dice."""
        game = self.match.game
        lines = [Text(f"{self.rules.title}, {game.scenario.title}. {game.scenario.text}".strip(), HEAD)]
        if self.match.clicks:
            lines += answers.event_lines(self.match, self.match.events[-3:], self.viewer)
        lines += answers.dice(self.match) if not self.match.over else []
        lines += [Text(f"Warning: {warning}", "bold red") for warning in self.match.warnings]
        lines.append(Text(f"Saved after every click in {self.file}. Type help for the commands."))
        return lines

    def farewell(self) -> Lines:
        """Return the lines at the end: result, and how to resume."""
        lines = [answers.ending(self.match)]
        if self.match.over:
            lines += answers.dice(self.match)
            lines.append(Text(f"The record is {self.file}"))
        else:
            lines.append(Text(f"Saved in {self.file}. To continue: khamsin play {self.rules.id} --resume {self.file}"))
        return [*lines, *([Text(self.unsaved, "bold red")] if self.unsaved else [])]

    def complete(self, text: str) -> list[str]:
        """Return the completions of a text: commands and legal clicks; after a command, any name."""
        start = text[: len(text) - len(text.lstrip())]
        bare = text.lstrip()
        decision = self.match.decision
        head, space, rest = bare.partition(" ")
        among = list(decision.legal) if decision else []
        words: list[str] = []
        if space and head.lower() in self.commands:
            start, bare = f"{start}{head} ", rest.lstrip()
            among = list(range(self.rules.first_button))
        else:
            words = [name for name in self.commands if name.isalpha()]
        clicks = {self.rules.names[click] for click in among}
        places = {place.name for place in self.rules.board.places if place.hex + self.rules.units in among}
        begun = sorted(name for name in {*clicks, *places, *words} if name.casefold().startswith(bare.casefold()))
        if not begun and bare:
            found = self.lexicon.find(bare, among)
            begun = [self.rules.names[click] for click in found] if len(found) == 1 else []
        return [start + name for name in begun]

    def list_open(self, text: str) -> Lines:
        """Print all legal clicks, or one kind of them."""
        kinds = [kind for kind in ("units", "hexes", "boxes", "buttons") if text and kind.startswith(text.lower())]
        width = self.screen.size[0]
        if self.screen.window and width >= page.WIDE:
            width = width - page.aside(width) - 2
        return page.open_clicks(self.match, width, 0, kinds) or [Text("nothing of this kind can be clicked now")]

    def undo(self, text: str) -> Lines:
        """Undo a move."""
        number = None
        if text:
            if not re.fullmatch(r"[0-9]{1,6}", text):
                raise Unclear(f"undo {short(text)}: expected the number of a move; moves lists them")
            number = int(text) - 1
        moves = self.match.moves
        if number is not None and not 0 <= number < len(moves):
            raise Unclear(f"there is no move {number + 1}: moves lists the {len(moves)} that can be undone")
        self.match.undo(number)
        self.save()
        self.told = {viewer: min(told, len(self.match.events)) for viewer, told in self.told.items()}
        self.look_at_question()
        gone = moves[-1 if number is None else number]
        left = self.match.moves
        lines = [Text(f"undone: {', '.join(gone.clicks)}", "green")]
        if left:
            lines.append(Text(f"{len(left)} more can be undone: moves lists them", RULE))
        return lines

    def log(self, text: str) -> Lines:
        """Return the last events."""
        count = int(text) if re.fullmatch(r"[0-9]{1,6}", text) else 20
        lines = answers.event_lines(self.match, self.match.events, self.viewer)
        return lines[len(lines) - min(count, len(lines)) :] or [Text("nothing has happened yet")]

    def show_map(self, text: str) -> Lines:
        """Move the map: to a hex, place or unit, or some hexes in a direction."""
        words = text.split()
        if words and words[0].lower() in COMPASS:
            steps = int(words[1]) if len(words) > 1 and re.fullmatch(r"[0-9]{1,3}", words[1]) else 5
            self.scroll(*COMPASS[words[0].lower()], steps)
        elif text:
            self.view.centre = self.hex_of(text)
        else:
            self.look_at_question()
        return self.map_lines()

    def hex_of(self, text: str) -> int:
        """Return the hex that a text names, or that of the unit it names."""
        click = self.lexicon.anything(text, in_play(self.match, self.viewer))
        state = known(self.match, self.viewer)
        location = state.where[click] if click < self.rules.units else click - self.rules.units
        if not self.rules.board.is_hex(location):
            raise Unclear(f"{self.rules.names[click]} is not on the map")
        return location

    def scroll(self, east: int, north: int, steps: int) -> None:
        """Move the middle of the map by some hexes."""
        board = self.rules.board
        x, y = board.scheme.centre(board.axial[self.view.centre])
        goal = (x + east * steps, y + north * steps)

        def away(hex: int) -> float:
            a, b = board.scheme.centre(board.axial[hex])
            return (a - goal[0]) ** 2 + (b - goal[1]) ** 2

        self.view.centre = min(board, key=away)

    def zoom(self, text: str) -> Lines:
        """Zoom the map."""
        last = len(self.chart.zooms) - 1
        if text in ("", "in", "+"):
            zoom = self.view.zoom + 1
        elif text in ("out", "-"):
            zoom = self.view.zoom - 1
        elif re.fullmatch(r"[0-9]", text):
            zoom = int(text) - 1
        else:
            raise Unclear(f"zoom {short(text)}: expected in, out, or 1 (far) to {last + 1} (near)")
        self.view.zoom = min(max(zoom, 0), last)
        return self.map_lines()

    def map_lines(self) -> Lines:
        """Print the map in plain lines; a window shows it anyway."""
        if self.screen.window:
            return []
        width, height = self.screen.size
        return self.draw_map(width, max(8, min(height, 30) - 6))

    def position(self, text: str) -> Lines:
        """Show or write the position file; refused while it would reveal hidden information."""
        if self.secret and not self.match.over:
            return [Text("the position would show what is hidden; it is available when the game is over")]
        written = position.write(self.match)
        if text:
            return self.write_file(Path(text).expanduser(), lambda file: file.write_text(written, encoding="utf-8"))
        return [Text(line) for line in written.splitlines()]

    def save_copy(self, text: str) -> Lines:
        """Return a copy of the record."""
        if not text:
            self.save()
            return [] if self.unsaved else [Text(f"saved in {self.file}", "green")]
        return self.write_file(Path(text).expanduser(), lambda file: record.save(self.match, file, self.names()))

    def write_file(self, file: Path, write: Callable[[Path], object]) -> Lines:
        """Write a file; ask before overwriting one."""
        try:
            if file.exists():
                if file.is_dir() or file.samefile(self.file):
                    return [Text(f"{file}: expected another file", "yellow")]
                if plain(self.listen(f"{file} exists. Write over it? yes or no> ") or "") not in ("y", "yes"):
                    return [Text("not written")]
            write(file)
        except (OSError, ValueError) as error:
            return [Text(f"{file}: not written: {getattr(error, 'strerror', None) or error}", "yellow")]
        return [Text(f"written to {file}", "green")]

    def quit(self, text: str) -> Lines:
        """Leave, after offering to save a copy."""
        name = self.listen(f"The game is saved in {self.file}. Save a copy too? A file name, or Enter for none> ")
        if name and plain(name) not in ("n", "no", "y", "yes"):
            lines = self.save_copy(name)
            if not lines[0].plain.startswith("written"):
                return lines
        self.left = True
        return []
