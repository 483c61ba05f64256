"""The summary of a run as plain data: winners with intervals, reasons, length, losses and where they happened.

`khamsin sim --json` prints `summary`; the page is drawn from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from khamsin import __version__
from khamsin.kernel.rules import Rules
from khamsin.lab import intervals
from khamsin.lab.intervals import Estimate
from khamsin.lab.play import GameResult, unpacked
from khamsin.lab.run import Finished
from khamsin.lab.study import Study

DRAW = "draw"
BANDS = {"p10": 0.1, "p25": 0.25, "median": 0.5, "p75": 0.75, "p90": 0.9}
Json = dict[str, Any]


def summary(rules: Rules[Any], studies: Sequence[Study], finished: Iterable[Finished]) -> Json:
    """Return the summary of these games; with two studies, also the difference of the second from the first."""
    arms: list[list[GameResult]] = [[] for _ in studies]
    for arm, outcome in finished:
        arms[arm].append(outcome)
    for outcomes in arms:
        outcomes.sort(key=lambda outcome: outcome.number)
    good = [[outcome for outcome in outcomes if not outcome.error] for outcomes in arms]
    found: Json = {
        "engine": __version__,
        "game": rules.id,
        "title": rules.title,
        "scenario": studies[0].scenario,
        "sides": list(rules.sides),
        "studies": [
            {"study": study.as_json(), "failed": [o.number for o in outcomes if o.error]}
            | ({"error": next(o.error for o in outcomes if o.error)} if any(o.error for o in outcomes) else {})
            | arm_summary(rules, played)
            for study, outcomes, played in zip(studies, arms, good, strict=True)
        ],
    }
    if len(studies) == 2:
        found["difference"] = difference(rules, *good)
    return found


def arm_summary(rules: Rules[Any], outcomes: Sequence[GameResult]) -> Json:
    """Return the summary of one study."""
    total = len(outcomes)
    levels = Counter((outcome.winner or DRAW, outcome.level) for outcome in outcomes)
    order = {name: number for number, name in enumerate((*rules.sides, DRAW))}
    decisive = [turn for turn in map(decisive_turn(rules), outcomes) if turn is not None]
    return {
        "games": total,
        "results": {
            name: share(sum((outcome.winner or DRAW) == name for outcome in outcomes), total)
            for name in (*rules.sides, DRAW)
        },
        "levels": [
            {"winner": winner, "level": level} | share(count, total)
            for (winner, level), count in sorted(levels.items(), key=lambda item: (order[item[0][0]], -item[1]))
        ],
        "turns": spread([outcome.turns for outcome in outcomes]),
        "clicks": spread([outcome.clicks for outcome in outcomes]),
        "decisive turn": spread(decisive),
        "left the map": {
            side: {
                kind: round(sum(outcome.left.get(side, {}).get(kind, 0) for outcome in outcomes) / max(1, total), 3)
                for kind in sorted({kind for outcome in outcomes for kind in outcome.left.get(side, {})})
            }
            for side in rules.sides
        },
        "lead": curve([(outcome.first, outcome.lead) for outcome in outcomes]),
        "curves": {
            title: curve([(outcome.first, outcome.curves[title]) for outcome in outcomes if title in outcome.curves])
            for title in dict.fromkeys(title for outcome in outcomes for title in outcome.curves)
        },
        "maps": maps(rules, outcomes),
    }


def share(count: int, total: int) -> Json:
    """Return a count, its share and Wilson's interval."""
    return {"count": count} | rounded(intervals.wilson(count, total))


def rounded(estimate: Estimate) -> Json:
    """Return an estimate rounded to four decimals."""
    return {name: round(value, 4) for name, value in estimate._asdict().items()}


def decisive_turn(rules: Rules[Any]) -> Callable[[GameResult], int | None]:
    """Return a function for the deciding turn of a game: after it, the winner was always ahead. None for a draw, or if the
    winner was not ahead even at the end."""
    sign = {name: 1 if number == 0 else -1 for number, name in enumerate(rules.sides)}

    def turn(outcome: GameResult) -> int | None:
        if not outcome.winner or not outcome.lead:
            return None
        ahead = [value * sign[outcome.winner] > 0 for value in outcome.lead]
        if not ahead[-1]:
            return None
        since = len(ahead) - next((n for n, yes in enumerate(reversed(ahead)) if not yes), len(ahead))
        return outcome.first - 1 + since

    return turn


def spread(values: Sequence[float]) -> Json:
    """Return the distribution of values: number, mean, minimum, median, maximum, and the count of each if they are few."""
    if not values:
        return {"count": 0}
    array = np.asarray(values, dtype=float)
    found: Json = {
        "count": len(values),
        "mean": round(float(array.mean()), 2),
        "least": float(array.min()),
        "median": float(np.median(array)),
        "most": float(array.max()),
    }
    tally = Counter(values)
    if len(tally) <= 60:
        found["times"] = {f"{value:g}": count for value, count in sorted(tally.items())}
    return found


def curve(series: Sequence[tuple[int, Sequence[float]]]) -> list[Json]:
    """Return the distribution by turn over all games that lasted to it; turn `first` - 1 is the start."""
    by_turn: dict[int, list[float]] = {}
    for first, values in series:
        for number, value in enumerate(values):
            by_turn.setdefault(first - 1 + number, []).append(value)
    return [
        {"turn": turn, "games": len(values), "mean": round(float(np.mean(values)), 3)}
        | {name: round(float(np.quantile(values, part)), 3) for name, part in BANDS.items()}
        for turn, values in sorted(by_turn.items())
    ]


def maps(rules: Rules[Any], outcomes: Sequence[GameResult]) -> Json:
    """Return by hex: battles and departures per game, units of each side in an average turn, and control, from 1
    (always nearer to the first side) to -1 (to the second)."""
    total = max(1, len(outcomes))
    turns = max(1, sum(len(outcome.lead) - 1 for outcome in outcomes))
    board = rules.board
    found: Json = {}
    for name in ("battles", "fell"):
        tally: Counter[str] = Counter()
        for outcome in outcomes:
            tally.update(getattr(outcome, name))
        found[name] = {hex: round(count / total, 4) for hex, count in sorted(tally.items())}
    sums = {side: np.zeros(board.size) for side in rules.sides}
    ground = np.zeros(board.size)
    for outcome in outcomes:
        for side, text in outcome.presence.items():
            sums[side] += unpacked(text)
        if outcome.ground:
            ground += unpacked(outcome.ground)
    found["presence"] = {side: _by_hex(board.names, values / turns) for side, values in sums.items()}
    found["ground"] = _by_hex(board.names, ground / turns)
    return found


def _by_hex(names: Sequence[str], values: NDArray[np.float64]) -> dict[str, float]:
    return {names[hex]: round(value, 4) for hex, value in enumerate(values.tolist()) if value}


def difference(rules: Rules[Any], before: Sequence[GameResult], after: Sequence[GameResult]) -> Json:
    """Return the second study minus the first, over the games finished in both, paired by their number."""
    one, two = ({outcome.number: outcome for outcome in outcomes} for outcomes in (before, after))
    numbers = sorted(one.keys() & two.keys())
    pairs = [(one[number], two[number]) for number in numbers]
    names = (*rules.sides, DRAW)
    turn = decisive_turn(rules)
    decided = [(a, b) for p, q in pairs if (a := turn(p)) is not None and (b := turn(q)) is not None]
    values: dict[str, list[tuple[float, float]]] = {
        "score": [(worth(rules, a), worth(rules, b)) for a, b in pairs],
        "turns": [(a.turns, b.turns) for a, b in pairs],
        "clicks": [(a.clicks, b.clicks) for a, b in pairs],
        "decisive turn": [(float(a), float(b)) for a, b in decided],
    }
    for side in rules.sides:
        values[f"{side} units that left the map"] = [
            (sum(a.left.get(side, {}).values()), sum(b.left.get(side, {}).values())) for a, b in pairs
        ]
    for title in dict.fromkeys(title for pair in pairs for outcome in pair for title in outcome.curves):
        values[f"{title}, at the end"] = [
            (a.curves[title][-1], b.curves[title][-1]) for a, b in pairs if title in a.curves and title in b.curves
        ]
    return {
        "pairs": len(pairs),
        "same": sum(a.state == b.state and a.clicks == b.clicks for a, b in pairs),
        "results": {name: _shares(name, pairs) for name in names},
        "means": {
            title: {
                "before": round(float(np.mean([a for a, _ in rows])), 3),
                "after": round(float(np.mean([b for _, b in rows])), 3),
            }
            | rounded(intervals.paired_means([a for a, _ in rows], [b for _, b in rows]))
            for title, rows in values.items()
            if rows
        },
    }


def worth(rules: Rules[Any], outcome: GameResult) -> float:
    """Return the value of a result for the first side: 1 for a win, 0.5 for a draw."""
    return 0.5 if not outcome.winner else float(outcome.winner == rules.sides[0])


def _shares(name: str, pairs: Sequence[tuple[GameResult, GameResult]]) -> Json:
    before = [(a.winner or DRAW) == name for a, _ in pairs]
    after = [(b.winner or DRAW) == name for _, b in pairs]
    return (
        {"before": sum(before), "after": sum(after)}
        | rounded(intervals.paired_shares(before, after))
        | {"mcnemar": round(intervals.mcnemar(before, after), 4)}
    )
