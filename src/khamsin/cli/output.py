"""Arguments and output that all commands share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from khamsin.kernel.match import Match

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program instead of text for a person.")]
GameArgument = Annotated[str, typer.Argument(help="A game, such as paa; `khamsin boards` lists them.", metavar="GAME")]


def known(game: str) -> str:
    """Return a game id that exists."""
    from khamsin.kernel.registration import registrations

    if game not in registrations():
        raise ValueError(f"{game!r}: no such game; there are {', '.join(registrations())}")
    return game


def pair(text: str) -> tuple[str, str]:
    """Parse an option name=value."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"{text!r}: expected an option as name=value")
    return name, value


def print_question(match: Match[Any]) -> None:
    """Print the decision and its side, or the result of the game."""
    decision = match.decision
    text = (
        ending(match)
        if decision is None
        else f"{match.rules.sides[decision.side]}: {decision.prompt} ({decision.rule})"
    )
    screen().print(text)


def print_events(match: Match[Any], start: int) -> None:
    """Print the log since an event."""
    for event in match.events[start:]:
        screen().print(f"{match.game.text(event)} ({event.rule})")


def ending(match: Match[Any]) -> str:
    """Return the result of a game in words."""
    from khamsin.kernel.pieces import verdict

    result = match.result
    if result is None:
        return f"not over: turn {match.state.turn}, {match.phase.name}"
    winner = None if result.winner < 0 else match.rules.sides[result.winner]
    return f"{verdict(winner, result.level)}: {result.reason} ({result.rule})"


def screen() -> Console:
    """Return the console for people."""
    from rich.console import Console

    return Console(markup=False)


def new_table(title: str, *columns: str) -> Table:
    """Return an empty table with these columns."""
    from rich.table import Table

    table = Table(title=title or None, title_justify="left")
    for column in columns:
        table.add_column(column)
    return table


def print_json(value: Any) -> None:
    """Print JSON for programs."""
    print(json.dumps(value, ensure_ascii=False, indent=2))
