"""`khamsin sim`: the laboratory on the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from khamsin.cli.output import AsJson, GameArgument, pair, print_json, screen

if TYPE_CHECKING:
    from khamsin.kernel.rules import Rules
    from khamsin.lab import Finished, Study

ANY_SIDE = {"allow_extra_args": True, "ignore_unknown_options": True}
"""A command whose options include the sides of the game."""


def sim(
    ctx: typer.Context,
    game: GameArgument,
    scenario: Annotated[str, typer.Argument(help="A scenario; by default the first.", metavar="[SCENARIO]")] = "",
    number: Annotated[int, typer.Option("--games", help="How many games.", min=1)] = 100,
    axis: Annotated[
        str, typer.Option(help="Who plays the Axis; other games use the names of their sides: --red random.")
    ] = "",
    allied: Annotated[str, typer.Option(help="Who plays the Allies.")] = "",
    seed: Annotated[int, typer.Option(help="Game n is the same for the same seed, wherever it is played.")] = 0,
    jobs: Annotated[int, typer.Option(help="Number of workers; 0 for one per processor.", min=0)] = 0,
    set_: Annotated[list[str] | None, typer.Option("--set", help="An option of the scenario, as name=value.")] = None,
    change: Annotated[list[str] | None, typer.Option(help="A changed value, as path=value.")] = None,
    what_if: Annotated[
        list[str] | None,
        typer.Option(help="Play every game twice, as it is and with this path=value changed, and compare."),
    ] = None,
    ray: Annotated[str, typer.Option(help="The address of a Ray cluster, or local to start one here.")] = "",
    resume: Annotated[
        Path | None, typer.Option(help="Store finished games in this file, and continue where it ends.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page (.html) with plots and maps.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play a scenario many times and measure it: winners with intervals, reasons, length, losses and where they happen.

    Paths of parameters: table.crt.3.2=4 (table, roll, column), counter.NAME.cf=4, data.FILE.KEY.KEY=4, and for
    --what-if also option.NAME=VALUE. Ctrl-C stops, and reports what is finished.
    """
    from khamsin import games
    from khamsin.lab import show
    from khamsin.lab.report import summary
    from khamsin.lab.study import Study

    rules = games.load(game)
    players = _players(rules, {"axis": axis, "allied": allied}, ctx.args)
    options = dict(pair(text) for text in set_ or ())
    study = Study(game, scenario or next(iter(rules.scenarios)), players, options, {}, seed).but(change or ())
    rules.scenario(study.scenario).choose(study.options)
    if report and report.suffix != ".html":
        raise ValueError(f"{str(report)!r}: the report is an HTML page: use a name that ends in .html")
    studies = [study, study.but(what_if)] if what_if else [study]
    finished, stopped = _simulate(studies, number, jobs, ray, resume, quiet=as_json)
    found = summary(rules, studies, finished)
    if report:
        from khamsin.lab.page import html

        report.write_text(html(rules, found, number), encoding="utf-8")
    if as_json:
        print_json(found)
    else:
        for table in show.tables(found):
            screen().print(table)
        if report:
            screen().print(f"{report} written")
    if stopped:
        print(f"stopped with {len(finished)} of {number * len(studies)} games finished", file=sys.stderr)
        raise typer.Exit(130)


def _players(rules: Rules[Any], named: dict[str, str], rest: list[str]) -> tuple[str, ...]:
    """Return who plays each side, by default scripted. Undeclared options must name a side."""
    words = [part for word in rest for part in (word.split("=", 1) if word.startswith("--") else [word])]
    named = {side: who for side, who in named.items() if who}
    for name, who in zip(words[::2], [*words[1::2], ""], strict=False):
        if not name.startswith("--") or not who:
            raise ValueError(f"{name}: no such option; khamsin sim --help lists them")
        named[name.removeprefix("--").lower()] = who
    sides = [side.lower() for side in rules.sides]
    for name in named:
        if name not in sides:
            raise ValueError(f"--{name}: no such option or side; the sides of {rules.title} are {', '.join(sides)}")
    return tuple(named.get(side, "scripted") for side in sides)


def _simulate(
    studies: list[Study], number: int, jobs: int, ray: str, resume: Path | None, quiet: bool
) -> tuple[list[Finished], bool]:
    """Return the finished games, and whether the run was stopped early. Show a progress bar."""
    import os
    import signal
    from contextlib import ExitStack, closing

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from khamsin.lab import Results, Run
    from khamsin.lab.cluster import Cluster

    pool = Cluster(ray, jobs or os.cpu_count() or 1) if ray else None
    jobs = jobs or (pool.processors if pool else os.cpu_count() or 1)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with ExitStack() as stack:
        results = stack.enter_context(Results(resume, studies)) if resume else None
        finished = [one for one in results.finished if one.outcome.number < number] if results else []
        run = Run(studies, number, jobs, results.done if results else (), pool)
        bar = stack.enter_context(Progress(*columns, console=Console(stderr=True), disable=quiet))
        task = bar.add_task("games", total=number * len(studies), completed=len(finished))
        # Ctrl-C ends the run between two games, never while one is written.
        before = signal.signal(signal.SIGINT, lambda *_: run.cancel())
        stack.callback(signal.signal, signal.SIGINT, before)
        for one in stack.enter_context(closing(iter(run))):
            finished.append(one)
            if results:
                results.add(one)
            bar.advance(task)
    return finished, run.cancelled
