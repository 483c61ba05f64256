"""Situations in which a good player knows what to do, asked of the computer.

Every file in `situations` is a position file (see `khamsin.kernel.position`) that ends in a table of its own:

```toml
[situation]
side = "axis"                       # who is asked
player = "planner"                  # who answers for it, if not the scripted player
enemy = "passive"                   # its enemy does as little as the rules allow, unless he is played by another
until = "axis combat"               # it plays until this phase begins next, or the game is over
[[situation.acceptable]]            # one of the acceptable answers: all of its facts hold then
answer = "leaves El Agheila with its installations behind it"
facts = [
    { side = "axis", hexes = ["0702", "0703"], most = 4 },         # how many pieces of a side stand in these hexes
    { units = ["DE 5/1/ABN", "Axis depot 1"], hexes = ["1006"], least = 1 },     # the same of some pieces
    { side = "axis", flag = "oos", most = 0 },                     # how many have a flag
    { clicked = "option F", most = 0 },                            # how often it made a click
]
```

A fact counts, and says how much at `least` and at `most`; hexes may also be boxes. What is left out does not matter.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from khamsin import games
from khamsin.kernel import Match, position
from khamsin.players import answer, player

SITUATIONS = sorted((Path(__file__).parent / "situations").glob("*.toml"))
MARK = "\n[situation]\n"
MOST = 1000
"""Clicks within which a phase has to end."""


def read(file: Path) -> tuple[Match[Any], dict[str, Any]]:
    """The match in its position, and the situation."""
    place, mark, rest = file.read_text(encoding="utf-8").partition(MARK)
    return position.read(place, games.load, str(file)), tomllib.loads(mark + rest)["situation"]


def play(match: Match[Any], situation: dict[str, Any], seed: int) -> list[str]:
    """Let the side that is asked play until the phase; its clicks."""
    side = match.rules.side(situation["side"])
    me, enemy = player(situation.get("player", "scripted"), seed), player(situation.get("enemy", "passive"), seed)
    players = [me if number == side else enemy for number in range(len(match.rules.sides))]
    last = [phase.name for phase in match.rules.phases(match.state)].index(situation["until"])
    end = (match.state.turn + (last <= match.state.phase), last)
    clicks: list[str] = []
    for _ in range(MOST):
        if match.decision is None or (match.state.turn, match.state.phase) >= end:
            return clicks
        asked = match.decision.side
        click = answer(match, players[asked])
        if asked == side:
            clicks.append(match.rules.names[click])
        match.click(click)
    raise AssertionError(f"{situation['until']} was not reached in {MOST} clicks")


def holds(match: Match[Any], clicks: list[str], fact: dict[str, Any]) -> bool:
    """Whether the count of a fact lies within its bounds."""
    return bool(fact.get("least", 0) <= count(match, clicks, fact) <= fact.get("most", MOST))


def count(match: Match[Any], clicks: list[str], fact: dict[str, Any]) -> int:
    """What a fact counts."""
    if "clicked" in fact:
        return clicks.count(fact["clicked"])
    rules, state = match.rules, match.state
    side = rules.side(fact["side"]) if "side" in fact else None
    hexes = {rules.board[name] for name in fact["hexes"]} if "hexes" in fact else None
    flag = rules.flag[fact["flag"]] if "flag" in fact else 0
    return sum(
        (side is None or counter.side == side)
        and ("units" not in fact or counter.name in fact["units"])
        and (hexes is None or state.where[unit] in hexes)
        and state.flags[unit] & flag == flag
        for unit, counter in enumerate(rules.counters)
    )


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("file", SITUATIONS, ids=lambda file: file.stem)
def test_the_computer_answers_acceptably(file: Path, seed: int) -> None:
    match, situation = read(file)
    clicks = play(match, situation, seed)
    answers = situation["acceptable"]
    missed = {each["answer"]: [fact for fact in each["facts"] if not holds(match, clicks, fact)] for each in answers}
    assert [] in missed.values(), f"none of its facts may be missed: {missed}; it clicked {' '.join(clicks)}"
