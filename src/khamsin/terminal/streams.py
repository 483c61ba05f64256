"""Terminal input and output: a window that is redrawn, or plain lines, as the terminal allows."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TextIO

from rich.console import Console

from khamsin.terminal.answers import Lines

MAX_LINE = 2000
"""The greatest length of an input line; the rest is dropped."""
BAD_LINES = 1000
"""After this number of lines without text in a row, the input counts as closed."""
HOME, TO_END_OF_LINE, TO_END, ALTERNATE, BACK = "\x1b[H", "\x1b[K", "\x1b[J", "\x1b[?1049h", "\x1b[?1049l"


class Screen:
    """The output of the game. `window` says whether it is a terminal that can be drawn over."""

    def __init__(self, output: TextIO, size: tuple[int, int] | None = None, window: bool | None = None) -> None:
        if hasattr(output, "reconfigure"):
            with contextlib.suppress(Exception):
                output.reconfigure(errors="replace")
        width, height = size or (None, None)
        self.output = output
        self.console = Console(file=output, width=width, height=height, highlight=False, markup=False, emoji=False)
        able = self.console.is_terminal and not self.console.is_dumb_terminal and not self.console.legacy_windows
        self.window = able if window is None else window
        self.colour = self.console.color_system is not None and not self.console.no_color
        self.ascii = not (self.console.encoding or "ascii").lower().startswith("utf")

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        return max(20, self.console.width), max(8, self.console.height)

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Open the window, as long as the game lasts; restore the terminal afterwards."""
        if self.window:
            self.write(ALTERNATE)
        try:
            yield
        finally:
            if self.window:
                self.write(BACK)

    def paint(self, lines: Lines) -> None:
        """Draw the whole window."""
        text = TO_END_OF_LINE + f"{TO_END_OF_LINE}\n".join(self._ansi(lines))
        self.write(f"{HOME}{text}{TO_END_OF_LINE}\n{TO_END}")

    def wipe(self) -> None:
        """Clear the screen."""
        self.write(f"{HOME}{TO_END}" if self.window else "\n" * self.size[1])

    def print(self, lines: Lines) -> None:
        """Write lines one after another, broken at the width."""
        for line in lines:
            self.write("\n".join(self._ansi(list(line.wrap(self.console, self.size[0]))) or [""]) + "\n")

    def write(self, text: str) -> None:
        """Write a text; a character that the stream cannot encode becomes a question mark."""
        try:
            self.output.write(text)
        except UnicodeEncodeError:
            self.output.write(text.encode("ascii", "replace").decode("ascii"))
        self.output.flush()

    def _ansi(self, lines: Lines) -> list[str]:
        """Return each line with its colours, cut at the width."""
        width = self.size[0]
        texts = []
        for line in lines:
            with self.console.capture() as caught:
                self.console.print(line, no_wrap=True, overflow="crop", crop=True, width=width, end="")
            texts.append(caught.get().rstrip("\n"))
        return texts


class Keyboard:
    """The input of the players. At a terminal a line can be edited and completed, if the system has readline."""

    def __init__(self, input: TextIO, screen: Screen, complete: Callable[[str], list[str]]) -> None:
        if hasattr(input, "reconfigure"):
            with contextlib.suppress(Exception):
                input.reconfigure(errors="replace")
        self.input = input
        self.screen = screen
        self.person = _is_terminal(input)
        self.editing = self.person and input is sys.stdin and screen.output is sys.stdout and self._edit(complete)

    def ask(self, prompt: str) -> str | None:
        """Return one line, without unprintable characters; None when there are no more."""
        for _ in range(BAD_LINES):
            try:
                if self.editing:
                    line = input(prompt)
                else:
                    self.screen.write(prompt)
                    line = self.input.readline()
                    if not line:
                        raise EOFError
            except UnicodeDecodeError:
                continue
            except (EOFError, OSError, ValueError):
                self.screen.write("\n")
                return None
            text = "".join(c for c in line[:MAX_LINE].replace("\t", " ") if c.isprintable()).strip()
            if not self.person and not self.screen.window:
                self.screen.write(f"{text}\n")
            return text
        return None

    def forget(self) -> None:
        """Clear the input history."""
        if self.editing:
            import readline

            readline.clear_history()

    def _edit(self, complete: Callable[[str], list[str]]) -> bool:
        try:
            import readline
        except ImportError:
            return False
        found: list[str] = []

        def next_one(text: str, number: int) -> str | None:
            if number == 0:
                found[:] = complete(text)
            return found[number] if number < len(found) else None

        readline.set_completer(next_one)
        readline.set_completer_delims(",;")
        libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
        return True


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError, OSError):
        return False
