"""The command line. Each command imports what it needs when it runs, so that `khamsin --help` answers at once."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

    from khamsin.kernel.match import Match
    from khamsin.kernel.rules import Rules
    from khamsin.lab import Finished, Study

app = typer.Typer(
    name="khamsin",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
position_app = typer.Typer(
    help="Read a position file: show it, draw it, list what is open, click, ask why not, ask the odds.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(position_app, name="position")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program instead of text for a person.")]
GameArgument = Annotated[str, typer.Argument(help="paa, na41, afrika, tunisia or kasserine.", metavar="GAME")]
PositionFile = Annotated[Path, typer.Argument(help="A position file (TOML).", metavar="FILE")]


def main() -> None:
    """Run the command line; what is wrong with the input is said in one line, with exit code 2."""
    try:
        app()
    except ValueError as error:
        print(f"khamsin: {error}", file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)


@app.callback(invoke_without_command=True)
def version(show: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False) -> None:
    """Five board wargames of the North African campaign, 1940-43, on one table.

    Games: paa (PanzerArmee Afrika), na41 (North Africa '41), afrika (Afrika), tunisia (Tunisia), kasserine (Decision at
    Kasserine). Each command teaches itself: khamsin COMMAND --help.
    """
    if show:
        from khamsin import __version__

        print(f"khamsin {__version__}")
        raise typer.Exit


@app.command()
def play(
    game: Annotated[
        str, typer.Argument(help="A game to play here, in the terminal; without it, the page.", metavar="[GAME]")
    ] = "",
    scenario: Annotated[str, typer.Option(help="Which scenario; without it, the first.")] = "",
    option: Annotated[list[str] | None, typer.Option(help="An option of the scenario, as name=value.")] = None,
    axis: Annotated[str, typer.Option(help="Who plays the first side: human, or a computer player.")] = "human",
    allied: Annotated[str, typer.Option(help="Who plays the second side: human, or a computer player.")] = "human",
    resume: Annotated[Path | None, typer.Option(help="Go on with a saved game.")] = None,
    save: Annotated[Path | None, typer.Option(help="Where every click is saved.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the dice, to play the same game again.")] = None,
    port: Annotated[int, typer.Option(help="Where to listen.", min=1, max=65535)] = 8000,
    host: Annotated[str, typer.Option(help="On which address; 0.0.0.0 lets others on the network in.")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    db: Annotated[
        str, typer.Option(help="Where games are kept: sqlite:///FILE or postgresql://USER@HOST/NAME.", metavar="URL")
    ] = "",
) -> None:
    """Start the program: a page in your browser with the five boards, or, with a GAME, that game in the terminal.

    Two people at one keyboard, or one against a computer player: khamsin play paa --axis scripted. Every click is saved; go
    on another day with --resume FILE.
    """
    if not game and not resume:
        from khamsin.server import serve

        serve(host, port, browser, db)
        return
    from khamsin import terminal

    terminal.play(
        _written(game, resume),
        scenario=scenario or None,
        options=dict(_pair(text) for text in option or ()),
        resume=resume,
        save=save,
        seed=seed,
        players={side: _seat(who, side) for side, who in enumerate((axis, allied)) if who != "human"},
    )


@app.command()
def bot(
    link: Annotated[str, typer.Argument(help="The link of a seat: http://HOST/game/ID#key=SECRET.", metavar="URL")],
    player: Annotated[str, typer.Option(help="Which computer player, perhaps with its seed: scripted:7.")] = "scripted",
    side: Annotated[str, typer.Option(help="Which side, where the link opens several.")] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but how the game ends.")] = False,
) -> None:
    """Play a seat of a game on a server with one of our computer players, until the game is over or Ctrl-C."""
    from khamsin import players
    from khamsin.bot import Bot, Seat

    console = _console()
    seated = Bot(
        Seat.parse(link), players.player(player), side or None, say=lambda text: None if quiet else console.print(text)
    )
    try:
        result = seated.play()
    except KeyboardInterrupt:
        console.print(f"left after {seated.clicks} clicks; the seat waits")
        raise typer.Exit(130) from None
    finally:
        seated.close()
    if quiet and result:
        console.print(f"{result['winner'] or 'nobody'} wins, {result['level']}: {result['reason']}")


@app.command()
def boards(
    game: Annotated[str, typer.Argument(help="One game; without it, all five.", metavar="[GAME]")] = "",
    build: Annotated[bool, typer.Option("--build", help="Make the board files anew from geography/ first.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check the boards against their rulebooks. Exit code 1 where one does not agree."""
    from khamsin import games
    from khamsin.atlas.check import check
    from khamsin.kernel.board import Board

    names = [_known(game)] if game else list(games.TITLES)
    if build:
        from khamsin.atlas.build import build as build_board

        for name in names:
            build_board(name)
    failed = 0
    report: dict[str, Any] = {}
    for name in names:
        findings = check(name)
        wrong = [finding for finding in findings if not finding.holds]
        failed += len(wrong)
        board = Board.load(name)
        report[name] = {
            "title": board.title,
            "hexes": board.size,
            "checks": len(findings),
            "failed": [{"what": f.what, "from": f.source, "wrong": f.wrong} for f in wrong],
        }
    if as_json:
        _print_json(report)
    else:
        console = _console()
        table = _table("Boards", "game", "title", "hexes", "checks", "failed")
        for name, row in report.items():
            table.add_row(name, row["title"], str(row["hexes"]), str(row["checks"]), str(len(row["failed"])))
        console.print(table)
        for name, row in report.items():
            for finding in row["failed"]:
                console.print(f"{name}: {finding['what']}: {finding['wrong']} ({finding['from']})", style="red")
    raise typer.Exit(1 if failed else 0)


@app.command()
def draw(
    game: GameArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to: a .svg or .png file.")],
    width: Annotated[int | None, typer.Option(help="Width of a PNG in pixels.", min=64, max=20000)] = None,
) -> None:
    """Draw a board as a map."""
    from khamsin.atlas import draw as drawing

    drawing.write(_known(game), output, width)
    _console().print(f"{output} drawn")


@app.command()
def rules(
    game: GameArgument,
    missing: Annotated[bool, typer.Option("--missing", help="Only what is missing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Account for a rulebook: every numbered section with the code that implements it and the tests that show it."""
    from khamsin import rulebook

    entries = rulebook.account(_known(game))
    counts = dict.fromkeys(("tested", "implemented", "exempt", "missing"), 0)
    for entry in entries:
        counts[entry.status] += 1
    shown = [entry for entry in entries if not missing or entry.status == "missing"]
    if as_json:
        rows = [
            {
                "number": e.number, "title": e.title, "gist": e.gist, "example": e.example, "status": e.status,
                "code": e.code, "tests": e.tests, "exempt": e.exempt,
            }
            for e in shown
        ]  # fmt: skip
        _print_json({"game": game, "counts": counts, "sections": rows})
        return
    console = _console()
    table = _table(f"Rulebook of {game}", "section", "title", "status", "code", "tests")
    styles = {"tested": "green", "implemented": "yellow", "exempt": "dim", "missing": "red"}
    for entry in shown:
        where = entry.exempt or ", ".join(entry.code[:3]) + (f" +{len(entry.code) - 3}" if len(entry.code) > 3 else "")
        tests = ", ".join(entry.tests[:2]) + (f" +{len(entry.tests) - 2}" if len(entry.tests) > 2 else "")
        table.add_row(entry.number, entry.title, entry.status, where, tests, style=styles[entry.status])
    console.print(table)
    console.print(", ".join(f"{number} {status}" for status, number in counts.items()))


@app.command()
def data(
    game: GameArgument,
    list_: Annotated[bool, typer.Option("--list", help="List every item, not only the counts.")] = False,
    mark: Annotated[str, typer.Option(help="Only items marked rulebook, found or reconstructed.")] = "",
    as_json: AsJson = False,
) -> None:
    """Count a game's data by where it comes from: the rulebook, a public chart, or our reconstruction."""
    from khamsin import provenance

    items = provenance.data(_known(game))
    if mark and mark not in (*provenance.MARKS, "unmarked"):
        raise ValueError(f"{mark!r}: expected a mark of {', '.join(provenance.MARKS)}")
    files = sorted({item.file for item in items})
    counts = {
        file: {
            m: sum(1 for item in items if item.file == file and item.mark == m) for m in (*provenance.MARKS, "unmarked")
        }
        for file in files
    }
    shown = [item for item in items if not mark or item.mark == mark] if list_ or mark else []
    if as_json:
        rows = [{"file": i.file, "what": i.what, "from": i.source} for i in shown]
        _print_json({"game": game, "counts": counts, "items": rows})
        return
    console = _console()
    table = _table(f"Data of {game}", "file", *provenance.MARKS, "unmarked")
    for file in files:
        table.add_row(file, *(str(number) for number in counts[file].values()))
    totals = [str(sum(row[m] for row in counts.values())) for m in (*provenance.MARKS, "unmarked")]
    table.add_row("all", *totals, style="bold")
    console.print(table)
    for item in shown:
        console.print(f"{item.file}: {item.what}: {item.source}")


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="A record (JSON lines).", metavar="FILE")],
    as_json: AsJson = False,
    log: Annotated[bool, typer.Option("--log", help="Print everything that happened.")] = False,
) -> None:
    """Play a record again and check every click, every roll and the result. Fails loudly where it diverges."""
    from khamsin import games
    from khamsin.kernel import record

    match = record.load(file, games.load)
    if as_json:
        _print_json(
            {"file": str(file), "clicks": len(match.clicks), "rolls": len(match.game.rolls), "view": match.view()}
        )
        return
    console = _console()
    if log:
        _print_events(match, 0)
    console.print(f"{file} holds: {len(match.clicks)} clicks, {len(match.game.rolls)} rolls")
    console.print(_ending(match))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def sim(
    ctx: typer.Context,
    game: GameArgument,
    scenario: Annotated[str, typer.Argument(help="A scenario; without it, the first.", metavar="[SCENARIO]")] = "",
    number: Annotated[int, typer.Option("--games", help="How many games.", min=1)] = 100,
    axis: Annotated[str, typer.Option(help="Who plays the Axis; other games name their sides so: --red random.")] = "",
    allied: Annotated[str, typer.Option(help="Who plays the Allies.")] = "",
    seed: Annotated[int, typer.Option(help="Game n is the same for the same seed, wherever it is played.")] = 0,
    jobs: Annotated[int, typer.Option(help="Workers at once; 0 for one a processor.", min=0)] = 0,
    set_: Annotated[list[str] | None, typer.Option("--set", help="An option of the scenario, as name=value.")] = None,
    change: Annotated[list[str] | None, typer.Option(help="A figure changed, as path=value.")] = None,
    what_if: Annotated[
        list[str] | None,
        typer.Option(help="Play every game twice, as it is and with this path=value changed, and compare."),
    ] = None,
    ray: Annotated[str, typer.Option(help="The address of a Ray cluster, or local to start one here.")] = "",
    resume: Annotated[
        Path | None, typer.Option(help="Keep finished games in this file, and go on where it ends.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page (.html) with plots and maps.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play a scenario many times and measure it: who wins and how surely, how, when, at what cost, where.

    Paths of figures: table.crt.3.2=4 (table, throw, column), counter.NAME.cf=4, data.FILE.KEY.KEY=4, and for --what-if also
    option.NAME=VALUE. Ctrl-C stops, and reports what is finished.
    """
    from khamsin import games
    from khamsin.lab import show
    from khamsin.lab.report import summary
    from khamsin.lab.study import Study

    rules = games.load(game)
    players = _players(rules, {"axis": axis, "allied": allied}, ctx.args)
    options = dict(_pair(text) for text in set_ or ())
    study = Study(game, scenario or next(iter(rules.scenarios)), players, options, {}, seed).but(change or ())
    rules.scenario(study.scenario).choose(study.options)
    if report and report.suffix != ".html":
        raise ValueError(f"{str(report)!r}: the report is a page, and its name ends in .html")
    studies = [study, study.but(what_if)] if what_if else [study]
    finished, stopped = _simulate(studies, number, jobs, ray, resume, quiet=as_json)
    found = summary(rules, studies, finished)
    if report:
        from khamsin.lab.page import html

        report.write_text(html(rules, found, number), encoding="utf-8")
    if as_json:
        _print_json(found)
    else:
        for table in show.tables(found):
            _console().print(table)
        if report:
            _console().print(f"{report} written")
    if stopped:
        print(f"stopped with {len(finished)} of {number * len(studies)} games finished", file=sys.stderr)
        raise typer.Exit(130)


def _players(rules: Rules[Any], named: dict[str, str], rest: list[str]) -> tuple[str, ...]:
    """Who plays each side: scripted, unless told. Options that are not declared must name a side."""
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
    """The finished games, and whether they were stopped before the end; with a bar that shows how they come along."""
    import os
    import signal
    from contextlib import ExitStack, closing

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from khamsin.lab import Results, Run
    from khamsin.lab.cluster import Cluster

    crew = Cluster(ray, jobs or os.cpu_count() or 1) if ray else None
    jobs = jobs or (crew.processors if crew else os.cpu_count() or 1)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with ExitStack() as stack:
        results = stack.enter_context(Results(resume, studies)) if resume else None
        finished = [one for one in results.finished if one.outcome.number < number] if results else []
        run = Run(studies, number, jobs, results.done if results else (), crew)
        bar = stack.enter_context(Progress(*columns, console=Console(stderr=True), disable=quiet))
        task = bar.add_task("games", total=number * len(studies), completed=len(finished))
        # Ctrl-C ends the run between two games, never in the middle of keeping one.
        before = signal.signal(signal.SIGINT, lambda *_: run.cancel())
        stack.callback(signal.signal, signal.SIGINT, before)
        for one in stack.enter_context(closing(iter(run))):
            finished.append(one)
            if results:
                results.add(one)
            bar.advance(task)
    return finished, run.cancelled


@app.command()
def bench(
    section: Annotated[
        str, typer.Argument(help="One section, such as clicks or table; without it, all.", metavar="[SECTION]")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Measure the speed of the kernel, the boards, the command line and the browser table on this machine."""
    from khamsin import bench as measuring

    results = measuring.run(section, progress=not as_json)
    if as_json:
        _print_json(
            [{"what": r.what, "value": r.value, "unit": r.unit, "target": r.target, "met": r.met} for r in results]
        )
        return
    table = _table("Bench", "what", "measured", "target", "")
    for r in results:
        table.add_row(
            r.what,
            f"{r.value:,.{0 if r.value >= 1000 else 2}f} {r.unit}",
            r.target_text,
            "met" if r.met else "NOT MET",
            style=r.style,
        )
    _console().print(table)


@position_app.command("show")
def position_show(file: PositionFile, as_json: AsJson = False) -> None:
    """Print a position: the turn, the question, and who stands where."""
    match = _position(file)
    side = match.decision.side if match.decision else -1
    view = match.view(side)
    if as_json:
        _print_json(view)
        return
    console = _console()
    console.print(f"{match.rules.title}, {match.game.scenario.title}, turn {match.state.turn}, {view['phase']}")
    _print_question(match)
    table = _table("", "where", "units")
    places: dict[str, list[str]] = {}
    for unit in view["units"]:
        places.setdefault(unit["at"], []).append(
            unit["name"] + (f" [{', '.join(unit['flags'])}]" if unit["flags"] else "")
        )
    for place, units in places.items():
        table.add_row(place, ", ".join(units))
    console.print(table)


@position_app.command("draw")
def position_draw(
    file: PositionFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to: a .svg or .png file.")],
    width: Annotated[int | None, typer.Option(help="Width of a PNG in pixels.", min=64, max=20000)] = None,
) -> None:
    """Draw a position on its map."""
    from khamsin.atlas import counters as drawing

    match = _position(file)
    side = match.decision.side if match.decision else -1
    stacks: dict[int, list[tuple[str, int]]] = {}
    sides = {counter.name: counter.side for counter in match.rules.counters}
    for unit in match.view(side)["units"]:
        stacks.setdefault(match.rules.board[unit["at"]], []).append((unit["name"], sides[unit["name"]]))
    drawing.write(match.rules.board, stacks, output, width)
    _console().print(f"{output} drawn")


@position_app.command("clicks")
def position_clicks(file: PositionFile, as_json: AsJson = False) -> None:
    """List what is open now."""
    match = _position(file)
    if as_json:
        _print_json({"question": match.decision and match.decision.prompt, "open": match.open_by_kind()})
        return
    _print_question(match)
    for kind, clicks in match.open_by_kind().items():
        for name, hint in clicks.items():
            _console().print(
                f"{kind[:-1] if kind != 'hexes' else 'hex'} {name}" + (f": {hint}" if hint is not None else "")
            )


@position_app.command("click")
def position_click(
    file: PositionFile,
    clicks: Annotated[list[str], typer.Argument(help="Units, hexes, boxes or buttons by name.", metavar="CLICK...")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the position that results.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play on from a position and print what happens."""
    from khamsin.kernel import position

    match = _position(file)
    start = len(match.events)
    match.play(clicks)
    if output:
        output.write_text(position.write(match), encoding="utf-8")
    if as_json:
        events = [{"rule": e.rule, "text": match.game.text(e)} for e in match.events[start:]]
        _print_json({"events": events, "open": match.open_by_kind(), "position": position.write(match)})
        return
    _print_events(match, start)
    _print_question(match)


@position_app.command("why")
def position_why(
    file: PositionFile,
    unit: Annotated[str, typer.Argument(help="A unit.", metavar="UNIT")],
    place: Annotated[str, typer.Argument(help="A hex or box.", metavar="HEX")] = "",
    as_json: AsJson = False,
) -> None:
    """Ask why a unit cannot be chosen or cannot go somewhere; the answer names the rule."""
    match = _position(file)
    click = match.rules.parse(unit)
    asked = unit
    if match.decision and click in match.decision.open and place:
        match.click(click)
        click, asked = match.rules.parse(place), f"{unit} to {place}"
    refusal = match.explain(click)
    if as_json:
        _print_json({"asked": asked} | refusal._asdict())
        return
    cause = f" [{refusal.cause}]" if refusal.cause else ""
    _console().print(f"{asked}: {refusal.reason}{cause} ({refusal.rule})")


@position_app.command("odds")
def position_odds(
    file: PositionFile,
    attackers: Annotated[str, typer.Argument(help="Attacking units, apart by commas.", metavar="ATTACKERS")],
    targets: Annotated[str, typer.Argument(help="Attacked hexes, apart by commas.", metavar="TARGETS")],
    as_json: AsJson = False,
) -> None:
    """Work out a combat before it is fought: every term with its rule, and the exact chance of every outcome."""
    match = _position(file)
    units = [match.rules.parse(name.strip()) for name in attackers.split(",")]
    places = [match.rules.board[name.strip()] for name in targets.split(",")]
    odds = match.odds(match.decision.side if match.decision else 0, units, places)
    if as_json:
        terms = [term._asdict() for term in odds.terms]
        _print_json({"terms": terms, "column": odds.column, "outcomes": {k: str(v) for k, v in odds.outcomes.items()}})
        return
    console = _console()
    table = _table("", "term", "value", "rule")
    for term in odds.terms:
        table.add_row(*term)
    console.print(table)
    console.print(f"column {odds.column}")
    for outcome, chance in odds.outcomes.items():
        console.print(f"{outcome:>12}  {float(chance):6.1%}  {'█' * round(40 * float(chance))}")


def _known(game: str) -> str:
    from khamsin import games

    if game not in games.TITLES:
        raise ValueError(f"{game!r}: no such game; there are {', '.join(games.TITLES)}")
    return game


def _written(game: str, resume: Path | None) -> Rules[Any]:
    """The rules of the game that is asked for, or of the saved one."""
    from khamsin import games
    from khamsin.kernel import record

    return games.load(game) if game or resume is None else record.load(resume, games.load).rules


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"{text!r}: expected an option as name=value")
    return name, value


def _seat(who: str, side: int) -> Callable[[Match[Any]], int]:
    """A computer player as the terminal asks it."""
    from khamsin import players

    player = players.player(who, side)

    def answer(match: Match[Any]) -> int:
        return players.answer(match, player)

    answer.__name__ = who
    return answer


def _position(file: Path) -> Match[Any]:
    from khamsin import games
    from khamsin.kernel import position

    return position.load(file, games.load)


def _print_question(match: Match[Any]) -> None:
    decision = match.decision
    text = (
        _ending(match)
        if decision is None
        else f"{match.rules.sides[decision.side]}: {decision.prompt} ({decision.rule})"
    )
    _console().print(text)


def _print_events(match: Match[Any], start: int) -> None:
    for event in match.events[start:]:
        _console().print(f"{match.game.text(event)} ({event.rule})")


def _ending(match: Match[Any]) -> str:
    result = match.result
    if result is None:
        return f"not over: turn {match.state.turn}, {match.phase.name}"
    winner = "a draw" if result.winner < 0 else f"{match.rules.sides[result.winner]} wins"
    return f"{winner}, {result.level}: {result.reason} ({result.rule})"


def _console() -> Console:
    from rich.console import Console

    return Console(markup=False)


def _table(title: str, *columns: str) -> RichTable:
    from rich.table import Table

    table = Table(title=title or None, title_justify="left")
    for column in columns:
        table.add_column(column)
    return table


def _print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))
