"""`khamsin matches`: the matches of a server's database."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from khamsin.cli.output import AsJson, new_table, print_json, screen

app = typer.Typer(no_args_is_help=True, help="The matches of a server's database: what a rule update would cost.")


@app.callback()
def matches() -> None:
    """The matches of a server's database."""


@app.command()
def check(
    db: Annotated[
        str, typer.Option(help="sqlite:///FILE or postgresql://USER@HOST/NAME; by default the server's.", metavar="URL")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Replay all unfinished matches against the installed rules and list what each would lose.

    The database is only read, also while a server runs. Run it before an upgrade. Exit code 1 if any match would lose clicks.
    """
    from khamsin import games
    from khamsin.server.check import Finding, check
    from khamsin.server.database import default_url

    found: list[Finding] = []
    for finding in check(db or default_url(), games.load):
        found.append(finding)
        if not as_json:
            print(f"\r{len(found)} matches checked", end="", file=sys.stderr, flush=True)
    if as_json:
        print_json([finding._asdict() for finding in found])
    else:
        print(file=sys.stderr)
        table = new_table("", "match", "game", "scenario", "turn", "phase", "under the installed rules", "clicks lost")
        for one in found:
            lost = "all" if one.lost is None else str(one.lost)
            table.add_row(one.match, one.game, one.scenario, str(one.turn), one.phase, one.verdict, lost)
        screen().print(table if found else "No unfinished matches")
    if any(one.lost != 0 for one in found):
        raise typer.Exit(1)
