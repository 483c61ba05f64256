"""The HTML report of a run in one file."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from khamsin.kernel.rules import Rules
from khamsin.lab import maps, plots
from khamsin.lab.report import DRAW
from khamsin.lab.study import Study

Json = dict[str, Any]

SIDES = ("#b0552f", "#3d6690", "#5b7f4e", "#7d5b8c")
"""The colour of each side."""
NEITHER = "#a59b8a"
ARMS = ("#7a7164", "#8a2d5c")
"""The colour of each study, where two are compared."""
ARM_NAMES = ("as it is", "what if")

CSS = """
:root{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;background:#faf6ec;color:#2b2620;font:15px/1.5 "Source Sans 3","Segoe UI",system-ui,sans-serif}
main{max-width:1120px;margin:0 auto;padding:28px 24px 60px}
h1{font:600 30px/1.2 Georgia,serif;margin:0}
h2{font:600 21px/1.3 Georgia,serif;margin:38px 0 10px;border-bottom:1px solid #d9cfbc;padding-bottom:4px}
h3{font-size:15px;margin:0 0 6px}
.lead{color:#6b6255;margin:4px 0 14px}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:18px;align-items:start}
.card{background:#fffdf7;border:1px solid #e2d9c8;border-radius:6px;padding:14px 16px;min-width:0}
.wide{grid-column:1/-1}
svg{display:block;width:100%;height:auto}
svg text{font-family:inherit}
.map .heat use{stroke:#fff;stroke-width:.4;stroke-opacity:.5}
.key{display:flex;flex-wrap:wrap;gap:14px;margin:8px 0 0;color:#6b6255;font-size:13px}
.key i{display:inline-block;width:14px;height:14px;border-radius:3px;margin-right:5px;vertical-align:-2px}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:right;padding:3px 8px;border-bottom:1px solid #eee6d6}
th:first-child,td:first-child{text-align:left}
td:not(:first-child),th{white-space:nowrap}
th{color:#6b6255;font-weight:600;font-size:13px}
pre{background:#f1eadb;border-radius:5px;padding:10px 12px;overflow:auto;margin:8px 0 0;font-size:13px;white-space:pre-wrap}
small,.note{color:#6b6255;font-size:13px}
summary{cursor:pointer;margin:26px 0 0;font:600 17px Georgia,serif}
@media(max-width:520px){.grid{grid-template-columns:1fr}}
@media print{.card{break-inside:avoid}}
"""


def html(rules: Rules[Any], found: Json, games: int) -> str:
    """Return the page of a summary. `games` is the requested number."""
    title = f"{found['title']}: {found['scenario']}"
    body = "".join(_body(rules, found, games))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{CSS}</style></head><body><main>{body}</main></body></html>\n"
    )


def _body(rules: Rules[Any], found: Json, games: int) -> Iterator[str]:
    arms = found["studies"]
    studies = [Study.from_json(arm["study"]) for arm in arms]
    chart = maps.HexMap(rules.board)
    yield chart.base()
    yield from _head(rules, found, studies, games)
    if "difference" in found:
        yield from _difference(rules, found["difference"])
    yield "<h2>Who wins</h2>" + _grid(_wins(rules, arms))
    yield "<h2>How long, and when it was decided</h2>" + _grid(_lengths(arms))
    yield "<h2>Turn by turn</h2><p class=note>Lines are medians; the darker band has half of the games, the lighter one "
    yield "four in five.</p>" + _grid(_curves(rules, arms))
    yield "<h2>What was lost</h2>" + _grid(_losses(arms))
    yield "<h2>Where</h2>" + _grid(_maps(rules, chart, arms[0]))
    if len(arms) > 1:
        yield f"<details><summary>The same maps, {ARM_NAMES[1]}</summary>{_grid(_maps(rules, chart, arms[1]))}</details>"
    for arm in arms:
        if arm["failed"]:
            yield f"<h2>{len(arm['failed'])} games failed</h2><p>Games {', '.join(map(str, arm['failed']))}; first error:</p>"
            yield f"<pre>{escape(arm['error'])}</pre>"
    yield f"<p class=note>Khamsin {escape(found['engine'])}. Intervals are for 95 %: Wilson's for shares, Newcombe's for "
    yield "paired differences of shares, bootstrap for paired differences of means.</p>"


def _head(rules: Rules[Any], found: Json, studies: list[Study], games: int) -> Iterator[str]:
    arms = found["studies"]
    seats = ", ".join(f"{side}: {who}" for side, who in zip(rules.sides, studies[0].players, strict=True))
    finished = " and ".join(f"{arm['games']:,}" for arm in arms)
    yield f"<h1>{escape(found['title'])}, {escape(rules.scenario(found['scenario']).title)}</h1>"
    yield f"<p class=lead>{finished} of {games:,} games · {escape(seats)} · seed {studies[0].seed}</p>"
    command = studies[0].command(rules.sides, games)
    if len(studies) > 1:
        command += "".join(f" --what-if {quoted(change)}" for change in changed(*studies))
    yield f"<small>To repeat:</small><pre>{escape(command)} --report report.html</pre>"


def changed(before: Study, after: Study) -> list[str]:
    """Return the changes of the second study as command-line options."""
    options = [f"option.{name}={value}" for name, value in after.options.items() if before.options.get(name) != value]
    return options + [f"{path}={value}" for path, value in after.changes.items() if before.changes.get(path) != value]


def quoted(text: str) -> str:
    """Return a word quoted for a shell."""
    return shlex.quote(text)


def _difference(rules: Rules[Any], found: Json) -> Iterator[str]:
    """Return the comparison: shares as a forest plot, means as a table."""
    yield "<h2>What if</h2>"
    yield f"<p class=note>{found['pairs']:,} pairs of games with the same seeds, {found['same']:,} of them the same to the "
    yield "last click. Bold: the interval excludes zero.</p>"
    rows = [(f"{name} wins" if name != DRAW else "draws", row) for name, row in found["results"].items()]
    cells = "".join(
        f"<tr><td>{_strong(escape(_sentence(name)), row)}<td>{row['before']:g}<td>{row['after']:g}<td>{row['value']:+.3g}"
        f"<td>{row['low']:+.3g} to {row['high']:+.3g}</tr>"
        for name, row in found["means"].items()
    )
    yield _grid(
        [
            _card("Change of the share, in percentage points", plots.forest(rows, "%")),
            _card(
                "Means",
                f"<table><tr><th>per game<th>{ARM_NAMES[0]}<th>{ARM_NAMES[1]}<th>change<th>95 % interval</tr>{cells}</table>"
                f"<p class=note>score: 1 for a win of {escape(rules.sides[0])}, ½ for a draw</p>",
            ),
        ]
    )


def _strong(words: str, row: Mapping[str, float]) -> str:
    return f"<b>{words}</b>" if row["low"] > 0 or row["high"] < 0 else words


def _wins(rules: Rules[Any], arms: list[Json]) -> Iterator[str]:
    for arm, name in zip(arms, _names(arms), strict=True):
        seats = dict(zip(rules.sides, arm["study"]["players"], strict=True))
        bars = [
            plots.Bar(
                side if side != DRAW else "Draw", seats.get(side, ""), colour, row["value"], row["low"], row["high"]
            )
            for (side, row), colour in zip(arm["results"].items(), (*SIDES[: len(rules.sides)], NEITHER), strict=True)
        ]
        yield _card(f"Results{name}", plots.shares(bars))
        cells = "".join(
            f"<tr><td>{escape(_sentence(row['winner']))}{', ' + escape(row['level']) if row['level'] else ''}"
            f"<td>{row['count']}<td>{row['value']:.1%}<td>{row['low']:.1%} to {row['high']:.1%}</tr>"
            for row in arm["levels"]
        )
        table = f"<table><tr><th>result<th>games<th>share<th>95 % interval</tr>{cells}</table>"
        yield _card(f"Levels of victory{name}", table)


def _lengths(arms: list[Json]) -> Iterator[str]:
    colours = ARMS if len(arms) > 1 else (ARMS[0],)
    for what, words in (
        ("turns", "Length in turns"),
        ("decisive turn", "The turn after which the winner was always ahead"),
    ):
        series = [
            (name, colour, arm[what].get("times", {}))
            for arm, colour, name in zip(arms, colours, ARM_NAMES, strict=False)
        ]
        if any(times for *_, times in series):
            yield _card(words, plots.histogram(series, "turn" if what != "turns" else "turns") + _legend(arms))
    clicks = "".join(
        f"<tr><td>clicks per game{name}<td>{arm['clicks']['mean']:,.0f}<td>{arm['clicks']['least']:,.0f}"
        f"<td>{arm['clicks']['median']:,.0f}<td>{arm['clicks']['most']:,.0f}</tr>"
        for arm, name in zip(arms, _names(arms), strict=True)
        if arm["clicks"]["count"]
    )
    yield _card("Clicks", f"<table><tr><th><th>mean<th>least<th>median<th>most</tr>{clicks}</table>")


def _curves(rules: Rules[Any], arms: list[Json]) -> Iterator[str]:
    first, second = rules.sides[0], rules.sides[1]
    lead = [plots.Series(name, colour, arm["lead"]) for arm, colour, name in zip(arms, ARMS, ARM_NAMES, strict=False)]
    if lead[0].points:
        yield _card(
            f"Lead: positive if {first} is ahead, negative if {second}", plots.curves(lead, zero=True) + _legend(arms)
        )
    for title, names in _families(rules, arms[0]["curves"]).items():
        series = []
        for arm, arm_colour, arm_name in zip(arms, ARMS, ARM_NAMES, strict=False):
            for name in names:
                side = next((number for number, side in enumerate(rules.sides) if name.startswith(side)), None)
                colour = arm_colour if side is None else SIDES[side] if arm is arms[0] else _deeper(SIDES[side])
                series.append(
                    plots.Series(f"{name} {arm_name if len(arms) > 1 else ''}", colour, arm["curves"].get(name, []))
                )
        key = "".join(f'<span><i style="background:{one.colour}"></i>{escape(one.name)}</span>' for one in series)
        yield _card(title, plots.curves(series) + (f'<p class="key">{key}</p>' if len(series) > 1 else ""))


def _families(rules: Rules[Any], titles: Mapping[str, Any]) -> dict[str, list[str]]:
    """Group the curves of one quantity for both sides into one plot."""
    found: dict[str, list[str]] = {}
    for title in titles:
        side = next((side for side in rules.sides if title.startswith(f"{side} ")), "")
        found.setdefault(_sentence(title.removeprefix(side).strip()), []).append(title)
    return found


def _deeper(colour: str) -> str:
    return "#" + "".join(f"{int(int(colour[i : i + 2], 16) * 0.55):02x}" for i in (1, 3, 5))


def _losses(arms: list[Json]) -> Iterator[str]:
    for arm, name in zip(arms, _names(arms), strict=True):
        kinds = sorted({kind for row in arm["left the map"].values() for kind in row})
        rows = "".join(
            f"<tr><td>{escape(side)}{''.join(f'<td>{row.get(kind, 0):.1f}' for kind in kinds)}<td>{sum(row.values()):.1f}</tr>"
            for side, row in arm["left the map"].items()
        )
        heads = "".join(f"<th>{escape(kind)}" for kind in kinds)
        yield _card(
            f"Units that left the map per game, by the box they were placed in{name}",
            f"<table><tr><th>side{heads}<th>all</tr>{rows}</table>",
        )


def _maps(rules: Rules[Any], chart: maps.HexMap, arm: Json) -> Iterator[str]:
    found = arm["maps"]
    if found["battles"]:
        yield _card(
            "Combat: how often each hex was fought for", chart.heat(found["battles"], "battles per game"), "wide"
        )
    if found["ground"]:
        names = (rules.sides[0], rules.sides[1])
        drawn = chart.divided(found["ground"], names, (SIDES[0], SIDES[1]))
        yield _card("Control: which side's units were nearer, over all turns", drawn, "wide")
    for side, values in found["presence"].items():
        yield _card(f"Presence of {side}", chart.heat(values, "units in an average turn"))
    if found["fell"]:
        yield _card("Where units left the map", chart.heat(found["fell"], "units per game"))


def _names(arms: list[Json]) -> list[str]:
    return [""] if len(arms) == 1 else [f", {name}" for name in ARM_NAMES[: len(arms)]]


def _legend(arms: list[Json]) -> str:
    if len(arms) == 1:
        return ""
    words = "".join(f'<span><i style="background:{c}"></i>{n}</span>' for c, n in zip(ARMS, ARM_NAMES, strict=True))
    return f'<p class="key">{words}</p>'


def _grid(cards: Any) -> str:
    return f'<div class="grid">{"".join(cards)}</div>'


def _card(title: str, inner: str, extra: str = "") -> str:
    return f'<section class="card {extra}"><h3>{escape(title)}</h3>{inner}</section>'


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
