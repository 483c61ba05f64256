"""The command line. Each command imports what it needs when it runs, so that `khamsin --help` is fast."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from khamsin.cli import matches, position, sim
from khamsin.cli.output import AsJson, GameArgument, ending, known, new_table, pair, print_events, print_json, screen

if TYPE_CHECKING:
    from khamsin.kernel.match import Match
    from khamsin.kernel.rules import Rules

app = typer.Typer(
    name="khamsin",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(position.app, name="position")
app.add_typer(matches.app, name="matches")


def main() -> None:
    """Run the command line. An input error is printed in one line, with exit code 2."""
    try:
        app()
    except ValueError as error:
        print(f"khamsin: {error}", file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)


@app.callback(invoke_without_command=True)
def version(show: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False) -> None:
    """Five board wargames of the North African campaign, 1940-43.

    `khamsin boards` lists the games. For help on a command: khamsin COMMAND --help.
    """
    if show:
        from khamsin import __version__

        print(f"khamsin {__version__}")
        raise typer.Exit


@app.command()
def play(
    game: Annotated[
        str, typer.Argument(help="A game to play here, in the terminal; by default the page.", metavar="[GAME]")
    ] = "",
    scenario: Annotated[str, typer.Option(help="Which scenario; by default the first.")] = "",
    option: Annotated[list[str] | None, typer.Option(help="An option of the scenario, as name=value.")] = None,
    axis: Annotated[str, typer.Option(help="Who plays the first side: human, or a computer player.")] = "human",
    allied: Annotated[str, typer.Option(help="Who plays the second side: human, or a computer player.")] = "human",
    resume: Annotated[Path | None, typer.Option(help="Continue a saved game.")] = None,
    save: Annotated[Path | None, typer.Option(help="File in which every click is saved.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the dice, to play the same game again.")] = None,
    port: Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)] = 8000,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 allows others on the network.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    db: Annotated[
        str, typer.Option(help="Database of matches: sqlite:///FILE or postgresql://USER@HOST/NAME.", metavar="URL")
    ] = "",
) -> None:
    """Start the program: a page in your browser with the five boards, or, with a GAME, that game in the terminal.

    Play two at one keyboard, or alone against a computer player: khamsin play paa --axis scripted. Every click is
    saved; continue later with --resume FILE.
    """
    if not game and not resume:
        from khamsin.server import serve

        serve(host, port, browser, db)
        return
    from khamsin import terminal

    terminal.play(
        _written(game, resume),
        scenario=scenario or None,
        options=dict(pair(text) for text in option or ()),
        resume=resume,
        save=save,
        seed=seed,
        players={side: _seat(who, side) for side, who in enumerate((axis, allied)) if who != "human"},
    )


@app.command()
def bot(
    link: Annotated[str, typer.Argument(help="The link of a seat: http://HOST/game/ID#invite=TOKEN.", metavar="URL")],
    player: Annotated[str, typer.Option(help="Which computer player, perhaps with its seed: scripted:7.")] = "scripted",
    side: Annotated[str, typer.Option(help="Which side, if the link opens several.")] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the result of the game.")] = False,
    keys: Annotated[
        Path | None, typer.Option(help="File in which the keys of its seats are stored.", metavar="FILE")
    ] = None,
) -> None:
    """Play a seat of a match on a server with one of our computer players, until the match is over or Ctrl-C.

    The link is an invitation, or another link that opens a seat. Its key is stored, so the same command can be started
    again.
    """
    from khamsin import players
    from khamsin.bot import Bot, Seat
    from khamsin.joining import KeyFile
    from khamsin.kernel.pieces import verdict
    from khamsin.server.database import data_folder

    console = screen()

    def say(text: str) -> None:
        if not quiet:
            console.print(text)

    chosen = players.player(player)
    seat = Seat.take(link, KeyFile(keys or data_folder() / "bot-keys.json"), say)
    seated = Bot(seat, chosen, side or None, say=say)
    try:
        result = seated.play()
    except KeyboardInterrupt:
        console.print(f"left after {seated.clicks} clicks; the seat waits")
        raise typer.Exit(130) from None
    finally:
        seated.close()
    if quiet and result:
        console.print(f"{verdict(result['winner'], result['level'])}: {result['reason']}")


@app.command()
def boards(
    game: Annotated[str, typer.Argument(help="One game; by default all five.", metavar="[GAME]")] = "",
    build: Annotated[bool, typer.Option("--build", help="Build the board files from geography/ first.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check the boards against their rulebooks. Exit code 1 if one does not agree."""
    from khamsin.atlas.check import check
    from khamsin.kernel.board import Board
    from khamsin.kernel.registration import registrations

    names = [known(game)] if game else list(registrations())
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
        print_json(report)
    else:
        console = screen()
        table = new_table("Boards", "game", "title", "hexes", "checks", "failed")
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
    output: Annotated[Path, typer.Option("--output", "-o", help="Output: a .svg or .png file.")],
    width: Annotated[int | None, typer.Option(help="Width of a PNG in pixels.", min=64, max=20000)] = None,
) -> None:
    """Draw a board as a map."""
    from khamsin.atlas import draw as drawing

    drawing.write(known(game), output, width)
    screen().print(f"{output} drawn")


@app.command()
def rules(
    game: GameArgument,
    missing: Annotated[bool, typer.Option("--missing", help="Only what is missing.")] = False,
    lines: Annotated[
        bool, typer.Option("--lines", help="Count the lines of the code instead, by what they do.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List every numbered section of a rulebook with its code and its tests."""
    from khamsin import rulebook

    if lines:
        _count_lines(known(game), as_json)
        return
    entries = rulebook.account(known(game))
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
        print_json({"game": game, "counts": counts, "sections": rows})
        return
    console = screen()
    table = new_table(f"Rulebook of {game}", "section", "title", "status", "code", "tests")
    styles = {"tested": "green", "implemented": "yellow", "exempt": "dim", "missing": "red"}
    for entry in shown:
        where = entry.exempt or ", ".join(entry.code[:3]) + (f" +{len(entry.code) - 3}" if len(entry.code) > 3 else "")
        tests = ", ".join(entry.tests[:2]) + (f" +{len(entry.tests) - 2}" if len(entry.tests) > 2 else "")
        table.add_row(entry.number, entry.title, entry.status, where, tests, style=styles[entry.status])
    console.print(table)
    console.print(", ".join(f"{number} {status}" for status, number in counts.items()))


def _count_lines(game: str, as_json: bool) -> None:
    """Print how many lines of a game are rules, set-up, refusals, display, speed and imports."""
    from khamsin import line_count

    files = line_count.count(line_count.package(game))
    totals = line_count.total(files)
    number = sum(totals.values())
    if as_json:
        print_json({"game": game, "files": files, "totals": totals, "lines": number})
        return
    console = screen()
    table = new_table(f"Lines of {game}", "file", *line_count.CLASSES)
    for file, counts in files.items():
        table.add_row(file, *(str(count or "") for count in counts.values()))
    table.add_row("all", *map(str, totals.values()), style="bold")
    table.add_row("share", *(f"{count / number:.0%}" for count in totals.values()), style="bold")
    console.print(table)
    console.print(f"{number} lines, {totals['rules'] / number:.0%} of them rules")


@app.command()
def data(
    game: GameArgument,
    list_: Annotated[bool, typer.Option("--list", help="List every item, not only the counts.")] = False,
    mark: Annotated[str, typer.Option(help="Only items marked rulebook, found or reconstructed.")] = "",
    as_json: AsJson = False,
) -> None:
    """Count a game's data by source: the rulebook, a public chart, or our reconstruction."""
    from khamsin import provenance

    items = provenance.data(known(game))
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
        print_json({"game": game, "counts": counts, "items": rows})
        return
    console = screen()
    table = new_table(f"Data of {game}", "file", *provenance.MARKS, "unmarked")
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
    """Play a record again and check every click, every roll and the result.

    Fails where the replay diverges, as it does when the rules have changed since. Then the dice are still verified:
    that needs no rules.
    """
    from khamsin import games
    from khamsin.kernel import record

    try:
        match = record.load(file, games.load)
    except record.RecordError:
        _print_dice_verdict(file)
        raise
    if as_json:
        counts = {"clicks": len(match.clicks), "rolls": len(match.game.rolls)}
        print_json({"file": str(file), **counts, "warnings": match.warnings, "view": match.view()})
        return
    for warning in match.warnings:
        print(f"Warning: {warning}", file=sys.stderr)
    console = screen()
    if log:
        print_events(match, 0)
    console.print(f"{file} holds: {len(match.clicks)} clicks, {len(match.game.rolls)} rolls")
    console.print(ending(match))


def _print_dice_verdict(file: Path) -> None:
    """Print on stderr whether the dice of a record verify without its rules. Print nothing if the file is not a record."""
    from khamsin.kernel import record

    try:
        verdict = f"Dice verified: {record.verify_dice(file.read_text(encoding='utf-8'), str(file))} rolls"
    except record.Unverifiable as error:
        verdict = f"Dice cannot be verified: {error.expected}"
    except record.Divergence as error:
        verdict = f"Dice do not verify: {error}"
    except (OSError, ValueError):
        return
    print(verdict, file=sys.stderr)


app.command(context_settings=sim.ANY_SIDE)(sim.sim)


@app.command()
def bench(
    section: Annotated[
        str, typer.Argument(help="One section, such as clicks or table; by default all.", metavar="[SECTION]")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Measure the speed of the kernel, the boards, the games, the command line, the server and the browser on this machine."""
    from khamsin import bench as measuring

    results = measuring.run(section, progress=not as_json)
    if as_json:
        print_json(
            [{"what": r.what, "value": r.value, "unit": r.unit, "target": r.target, "met": r.met} for r in results]
        )
        return
    table = new_table("Bench", "what", "measured", "target", "")
    for r in results:
        table.add_row(
            r.what,
            f"{r.value:,.{0 if r.value >= 1000 else 2}f} {r.unit}",
            r.target_text,
            "met" if r.met else "NOT MET",
            style=r.style,
        )
    screen().print(table)


def _written(game: str, resume: Path | None) -> Rules[Any]:
    """Return the rules of the given game, or of the saved one."""
    from khamsin import games
    from khamsin.kernel import record

    return games.load(game) if game or resume is None else record.load(resume, games.load).rules


def _seat(who: str, side: int) -> Callable[[Match[Any]], int]:
    """Return a computer player for the terminal."""
    from khamsin import players

    player = players.player(who, side)

    def answer(match: Match[Any]) -> int:
        return players.answer(match, player)

    answer.__name__ = who
    return answer
