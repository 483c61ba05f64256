"""Print the summary of a run in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.table import Table

Json = dict[str, Any]


def tables(found: Json) -> Iterator[RenderableType]:
    """Yield the parts of a summary that fit a screen; the page has the rest."""
    studies = found["studies"]
    for number, arm in enumerate(studies):
        title = "" if len(studies) == 1 else ("As it is", "What if")[number]
        yield results(found, arm, title)
        yield figures(arm)
        if arm["failed"]:
            yield f"{len(arm['failed'])} games failed ({', '.join(map(str, arm['failed'][:8]))}), first error:\n{arm['error']}"
    if "difference" in found:
        yield difference(found["difference"])


def results(found: Json, arm: Json, title: str) -> Table:
    """Return the winners with their intervals and reasons."""
    players = dict(zip(found["sides"], arm["study"]["players"], strict=True))
    table = _table(
        f"{title + ': ' if title else ''}{found['title']}, {found['scenario']}, {arm['games']} games",
        "result", "played by", "games", "share", "95 % interval",
    )  # fmt: skip
    for name, row in arm["results"].items():
        table.add_row(name, players.get(name, ""), *_share(row), style="bold")
        for level in arm["levels"]:
            if level["winner"] == name and level["level"]:
                table.add_row(f"  {level['level']}", "", *_share(level))
    return table


def figures(arm: Json) -> Table:
    """Return length, deciding turns and losses."""
    table = _table("", "a game", "mean", "least", "median", "most")
    for title in ("turns", "clicks", "decisive turn"):
        row = arm[title]
        if row["count"]:
            table.add_row(title, f"{row['mean']:.1f}", *(f"{row[key]:g}" for key in ("least", "median", "most")))
    for side, kinds in arm["left the map"].items():
        for kind, mean in kinds.items():
            table.add_row(f"{side} units to {kind}", f"{mean:.1f}")
    return table


def difference(found: Json) -> Table:
    """Return the second study minus the first."""
    table = _table(
        f"Difference over {found['pairs']} pairs of games, {found['same']} of them unchanged",
        "of", "as it is", "what if", "difference", "95 % interval", "",
    )  # fmt: skip
    for name, row in found["results"].items():
        table.add_row(
            f"share of {name}", str(row["before"]), str(row["after"]), f"{row['value']:+.1%}",
            f"{row['low']:+.1%} to {row['high']:+.1%}", _verdict(row),
        )  # fmt: skip
    for name, row in found["means"].items():
        table.add_row(
            name, f"{row['before']:g}", f"{row['after']:g}", f"{row['value']:+.3g}",
            f"{row['low']:+.3g} to {row['high']:+.3g}", _verdict(row),
        )  # fmt: skip
    return table


def _verdict(row: Json) -> str:
    return "differs" if row["low"] > 0 or row["high"] < 0 else ""


def _share(row: Json) -> tuple[str, str, str]:
    return str(row["count"]), f"{row['value']:.1%}", f"{row['low']:.1%} to {row['high']:.1%}"


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title or None, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right")
    return table
