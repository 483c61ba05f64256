"""Coverage of a rulebook: every numbered section, the code that implements it and the tests that show it.

`games/GAME/rulebook.toml` lists the sections, each with a gist in our own words, and the worked examples. Code and
tests cite a section in a docstring, in brackets at the end of a sentence: `One combat, from supply to advance (12.4).`;
in a comment: `# 12.4.1-2`; or as a separate string, as in `g.log("12.4.3", ...)`.

>>> sorted(cited("(12.4.1-3, fig. 7)", {"12.4.1", "12.4.2", "12.4.3", "fig. 7"}))
['12.4.1', '12.4.2', '12.4.3', 'fig. 7']
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

PACKAGE = Path(__file__).parent
TESTS = PACKAGE.parent.parent / "tests"


@dataclass(slots=True)
class Entry:
    """One section or worked example, with its citations."""

    number: str
    title: str
    gist: str
    exempt: str = ""
    example: bool = False
    code: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)

    @property
    def status(self) -> str:
        """exempt, tested, implemented (no test shows it yet) or missing."""
        if self.exempt:
            return "exempt"
        if self.tests and (self.code or self.example):
            return "tested"
        return "implemented" if self.code else "missing"


def account(game: str) -> list[Entry]:
    """Return every entry of a game's rulebook, in order."""
    entries = read(game)
    by_number = {entry.number: entry for entry in entries}
    numbers = set(by_number)
    for place, number in citations(PACKAGE / "games" / game, numbers):
        by_number[number].code.append(place)
    for folder in (TESTS / "rulebook" / game, TESTS / "games" / game):
        for place, number in citations(folder, numbers):
            by_number[number].tests.append(place)
    return entries


def read(game: str) -> list[Entry]:
    """Return the sections and examples of the data file."""
    file = PACKAGE / "games" / game / "rulebook.toml"
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise ValueError(f"{game!r}: there is no list of the sections of its rulebook") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file}: expected TOML: {error}") from None
    try:
        sections = [Entry(s["number"], s["title"], s["gist"], s.get("exempt", "")) for s in data["section"]]
        examples = [
            Entry(e["id"], f"example of {e['section']}", e["gist"], e.get("exempt", ""), example=True)
            for e in data.get("example", ())
        ]
    except KeyError as error:
        raise ValueError(f"{file}: expected every section to have {error}") from None
    numbers = [entry.number for entry in sections + examples]
    twice = {number for number in numbers if numbers.count(number) > 1}
    if twice:
        raise ValueError(f"{file}: expected each section once, and {', '.join(sorted(twice))} appear twice")
    return sections + examples


def citations(folder: Path, numbers: set[str]) -> Iterator[tuple[str, str]]:
    """Yield every citation of one of these sections in a folder's Python files, as ("file.py:12", "8.2")."""
    for file in sorted(folder.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        found: dict[tuple[int, str], None] = {}
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                doc = ast.get_docstring(node) or ""
                line = 1 if isinstance(node, ast.Module) else node.lineno
                for bracket in re.findall(r"\(((?:[^()]|\(\d+\))*)\)", doc):
                    found.update({(line, number): None for number in cited(bracket, numbers)})
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"[.(]", node.value):
                found.update({(node.lineno, number): None for number in cited(node.value, numbers)})
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found.update({(token.start[0], number): None for number in cited(token.string.lstrip("# "), numbers)})
        for line, number in found:
            yield f"{file.name}:{line}", number


def cited(text: str, numbers: set[str]) -> set[str]:
    """Return the sections that a bracket, comment or string names. It must contain only section numbers and commas."""
    named: set[str] = set()
    inner = text.strip()
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    for part in re.split(r"[,;]| and ", inner):
        word = part.strip().lstrip("§")
        span = re.fullmatch(r"(.*?)(\d+)-(\d+)", word)
        if word in numbers:
            named.add(word)
        elif span and int(span[2]) < int(span[3]) < int(span[2]) + 50:
            named |= {f"{span[1]}{n}" for n in range(int(span[2]), int(span[3]) + 1)} & numbers
    return named
