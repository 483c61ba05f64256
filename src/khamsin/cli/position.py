"""`khamsin position`: show, draw and play a position file, and print refusals and odds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from khamsin.cli.output import AsJson, new_table, print_events, print_json, print_question, screen

if TYPE_CHECKING:
    from khamsin.kernel.match import Match

app = typer.Typer(
    help="Read a position file: show it, draw it, list the legal clicks, click, print a refusal or odds.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

PositionFile = Annotated[Path, typer.Argument(help="A position file (TOML).", metavar="FILE")]


@app.command()
def show(file: PositionFile, as_json: AsJson = False) -> None:
    """Print a position: the turn, the decision, and the location of every unit."""
    match = _read(file)
    side = match.decision.side if match.decision else -1
    view = match.view(side)
    if as_json:
        print_json(view)
        return
    console = screen()
    console.print(f"{match.rules.title}, {match.game.scenario.title}, turn {match.state.turn}, {view['phase']}")
    print_question(match)
    table = new_table("", "where", "units")
    places: dict[str, list[str]] = {}
    for unit in view["units"]:
        places.setdefault(unit["at"], []).append(
            unit["name"] + (f" [{', '.join(unit['flags'])}]" if unit["flags"] else "")
        )
    for place, units in places.items():
        table.add_row(place, ", ".join(units))
    console.print(table)


@app.command()
def draw(
    file: PositionFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Output: a .svg or .png file.")],
    width: Annotated[int | None, typer.Option(help="Width of a PNG in pixels.", min=64, max=20000)] = None,
) -> None:
    """Draw a position on its map."""
    from khamsin.atlas import counters as drawing

    match = _read(file)
    side = match.decision.side if match.decision else -1
    stacks: dict[int, list[tuple[str, int]]] = {}
    sides = {counter.name: counter.side for counter in match.rules.counters}
    for unit in match.view(side)["units"]:
        stacks.setdefault(match.rules.board[unit["at"]], []).append((unit["name"], sides[unit["name"]]))
    drawing.write(match.rules.board, stacks, output, width)
    screen().print(f"{output} drawn")


@app.command()
def clicks(file: PositionFile, as_json: AsJson = False) -> None:
    """List the legal clicks."""
    match = _read(file)
    if as_json:
        print_json({"question": match.decision and match.decision.prompt, "legal": match.legal_by_class()})
        return
    print_question(match)
    for kind, clicks in match.legal_by_class().items():
        for name, hint in clicks.items():
            screen().print(
                f"{kind[:-1] if kind != 'hexes' else 'hex'} {name}" + (f": {hint}" if hint is not None else "")
            )


@app.command()
def click(
    file: PositionFile,
    clicks: Annotated[list[str], typer.Argument(help="Units, hexes, boxes or buttons by name.", metavar="CLICK...")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the position that results.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make clicks from a position and print the log."""
    from khamsin.kernel import position

    match = _read(file)
    start = len(match.events)
    match.play(clicks)
    if output:
        output.write_text(position.write(match), encoding="utf-8")
    if as_json:
        events = [{"rule": e.rule, "text": match.game.text(e)} for e in match.events[start:]]
        print_json({"events": events, "legal": match.legal_by_class(), "position": position.write(match)})
        return
    print_events(match, start)
    print_question(match)


@app.command()
def why(
    file: PositionFile,
    unit: Annotated[str, typer.Argument(help="A unit.", metavar="UNIT")],
    place: Annotated[str, typer.Argument(help="A hex or box.", metavar="HEX")] = "",
    as_json: AsJson = False,
) -> None:
    """Print why a click is illegal, with the rule."""
    match = _read(file)
    click = match.rules.parse(unit)
    asked = unit
    if match.decision and place:
        there, asked = match.rules.parse(place), f"{unit} to {place}"
        if click in match.decision.legal:
            match.click(click)
            click = there
        elif there in match.decision.legal:
            match.click(there)
        elif match.rules.class_of(there) in {match.rules.class_of(legal) for legal in match.decision.legal}:
            click = there
    refusal = match.explain(click)
    if as_json:
        print_json({"asked": asked} | refusal._asdict())
        return
    cause = f" [{refusal.cause}]" if refusal.cause else ""
    screen().print(f"{asked}: {refusal.reason}{cause} ({refusal.rule})")


@app.command()
def odds(
    file: PositionFile,
    attackers: Annotated[str, typer.Argument(help="Attacking units, separated by commas.", metavar="ATTACKERS")],
    targets: Annotated[str, typer.Argument(help="Attacked hexes, separated by commas.", metavar="TARGETS")],
    as_json: AsJson = False,
) -> None:
    """Print the odds of a combat: every term with its rule, and the exact chance of every result."""
    match = _read(file)
    units = [match.rules.parse(name.strip()) for name in attackers.split(",")]
    places = [match.rules.board[name.strip()] for name in targets.split(",")]
    odds = match.odds(match.decision.side if match.decision else 0, units, places)
    if as_json:
        terms = [term._asdict() for term in odds.terms]
        print_json({"terms": terms, "column": odds.column, "outcomes": {k: str(v) for k, v in odds.outcomes.items()}})
        return
    console = screen()
    table = new_table("", "term", "value", "rule")
    for term in odds.terms:
        table.add_row(*term)
    console.print(table)
    console.print(f"column {odds.column}")
    for outcome, chance in odds.outcomes.items():
        console.print(f"{outcome:>12}  {float(chance):6.1%}  {'█' * round(40 * float(chance))}")


def _read(file: Path) -> Match[Any]:
    from khamsin import games
    from khamsin.kernel import position

    return position.load(file, games.load)
