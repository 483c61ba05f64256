"""Combat results (13.0): losses, retreats and advances."""

from __future__ import annotations

from khamsin.games.kasserine import advance, losses, retreat, strength
from khamsin.games.kasserine.battle import Battle, defenders
from khamsin.games.kasserine.units import ASSAULT, AT_FIRE, BOARD, GUN, MOBILE, G
from khamsin.kernel.rules import Procedure
from khamsin.mechanics import results as mechanic
from khamsin.mechanics.results import (
    ATTACKER_RETREAT,
    ATTACKER_STEPS,
    DEFENDER_RETREAT,
    DEFENDER_STEPS,
    Hit,
)

LENGTH: dict[int, tuple[int, int]] = {
    table: tuple(strength.FIGURES["retreat"][word])
    for table, word in ((ASSAULT, "assault"), (MOBILE, "mobile"), (AT_FIRE, "assault"))
}
"""The least and most hexes of a retreat by table; AT Fire is read from the Assault table (13.3.1, 16.1.5)."""
FURTHEST = {ASSAULT: strength.FIGURES["advance"]["assault"], MOBILE: strength.FIGURES["advance"]["mobile"], AT_FIRE: 0}
"""How many hexes attackers may advance (13.5.3, 16.1.5)."""
ORDER = (DEFENDER_STEPS, ATTACKER_STEPS, DEFENDER_RETREAT, ATTACKER_RETREAT)
"""Losses come before retreats, the defender's first (13.1.1, 13.1.2)."""


def apply(g: G, battle: Battle, cell: str, first: tuple[int, ...] = ()) -> Procedure:
    """Apply a result: losses, then retreats, each the defender's first; then the attackers may advance. Steps that one
    side lacks the other does not lose. `first` are attackers of which one takes the first step lost (13.1.1, 13.1.2,
    13.2.4)."""
    side, targets, table = battle.side, defenders(g, battle), battle.table
    result = mechanic.read(cell)
    if table == AT_FIRE:
        result = result._replace(attacker=Hit())  # 16.1.5: it has no effect on the guns
    printed = result
    result = mechanic.mutual(result, losses.steps_of(g, battle.attackers), losses.steps_of(g, targets))
    for word, other, before, after in zip(
        ("attacker", "defender"), ("defender", "attacker"), printed, result, strict=True
    ):
        if after.steps != before.steps:
            g.log(
                "13.2.4", "The {word} loses {after} of {before} steps: the {other} has too few steps for the result",
                word=word, other=other, after=after.steps or "none", before=before.steps,
            )  # fmt: skip
    effects = {
        DEFENDER_STEPS: lambda steps: losses.lose(g, 1 - side, targets, steps),
        ATTACKER_STEPS: lambda steps: losses.lose(g, side, battle.attackers, steps, first),
        DEFENDER_RETREAT: lambda _: retreat.retreat(g, 1 - side, targets, LENGTH[table], battle),
        ATTACKER_RETREAT: lambda _: retreat.retreat(g, side, pushed_back(g, battle), LENGTH[table], battle),
    }
    yield from mechanic.apply(result, ORDER, effects)
    if not result.attacker.hexes and FURTHEST[table]:
        yield from advance.advance(g, battle, FURTHEST[table])


def pushed_back(g: G, battle: Battle) -> list[int]:
    """Return the attackers, and the guns that support the attack from a hex adjacent to the enemy: these retreat with
    the attackers, but are not part of their losses; guns further away are not affected (10.1.7, 10.2.2, 13.1.3)."""
    guns = [GUN[marker] for marker in strength.barrage(g, battle)]
    near = [gun for gun in guns if any(BOARD.distance(g.state.where[gun], hex) == 1 for hex in battle.hexes)]
    return [*battle.attackers, *near]
