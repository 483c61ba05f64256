"""Combat results (13.0): losses, retreats and advances that a result demands."""

from __future__ import annotations

import re
from typing import NamedTuple

from khamsin.games.kasserine import advance, losses, retreat, strength
from khamsin.games.kasserine.battle import Battle, defenders
from khamsin.games.kasserine.units import (
    ASSAULT,
    AT_FIRE,
    BOARD,
    GUN,
    IS_TIGER,
    MOBILE,
    SIDE,
    G,
    name,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal

LENGTH: dict[int, tuple[int, int]] = {
    table: tuple(strength.FIGURES["retreat"][word])
    for table, word in ((ASSAULT, "assault"), (MOBILE, "mobile"), (AT_FIRE, "assault"))
}
"""The least and most hexes of a retreat by table; AT Fire is read from the Assault table (13.3.1, 16.1.5)."""
FURTHEST = {ASSAULT: strength.FIGURES["advance"]["assault"], MOBILE: strength.FIGURES["advance"]["mobile"], AT_FIRE: 0}
"""How many hexes attackers may advance (13.5.3, 16.1.5)."""
EVERYTHING = 10**6
"""More steps than any force has."""


class Hit(NamedTuple):
    """What a result means for one side: steps lost, and whether it retreats (13.1.1)."""

    steps: int = 0
    retreats: bool = False


def read(result: str) -> tuple[Hit, Hit]:
    """What a cell of the Combat Results Tables means for attacker and defender (13.1.1).

    >>> read("A1/D2R")
    (Hit(steps=1, retreats=False), Hit(steps=2, retreats=True))
    >>> read("DR")[1], read("-")[0], read("DE")[1].steps == EVERYTHING
    (Hit(steps=0, retreats=True), Hit(steps=0, retreats=False), True)
    """
    hits = {"A": Hit(), "D": Hit()}
    for who, loss, back in re.findall(r"([AD])([12E]?)(R?)", result):
        hits[who] = Hit(EVERYTHING if loss == "E" else int(loss or 0), bool(back))
    return hits["A"], hits["D"]


def apply(g: G, battle: Battle, result: str, first: tuple[int, ...] = ()) -> Procedure:
    """A result takes effect: losses, then retreats, each the defender's first; then the attackers may advance. `first` are
    attackers of whom one takes the first step lost (13.1.1, 13.1.2)."""
    hit, struck = read(result)
    if battle.table == AT_FIRE:
        hit = Hit()  # 16.1.5: it has no effect on the guns
    side, targets = battle.side, defenders(g, battle)
    dear, cheap = reduced(hit.steps, losses.steps_of(g, battle.attackers), struck.steps, losses.steps_of(g, targets))
    yield from losses.lose(g, 1 - side, targets, cheap)
    yield from losses.lose(g, side, battle.attackers, dear, first)
    if struck.retreats:
        yield from retreat.retreat(g, 1 - side, targets, LENGTH[battle.table], battle)
    if hit.retreats:
        pushed = [*battle.attackers, *supporting_nearby(g, battle)]
        yield from retreat.retreat(g, side, pushed, LENGTH[battle.table], battle)
    elif FURTHEST[battle.table]:
        yield from advance.advance(g, battle, FURTHEST[battle.table])


def reduced(attack_loss: int, attack_steps: int, defence_loss: int, defence_steps: int) -> tuple[int, int]:
    """The losses of attacker and defender: what one side is short of, the other need not lose either (13.2.4).

    >>> reduced(1, 8, 2, 1), reduced(1, 8, 2, 2), reduced(2, 1, 2, 4)
    ((0, 2), (1, 2), (2, 1))
    """
    if EVERYTHING in (attack_loss, defence_loss):
        return attack_loss, defence_loss
    attack_short, defence_short = max(0, attack_loss - attack_steps), max(0, defence_loss - defence_steps)
    return max(0, attack_loss - defence_short), max(0, defence_loss - attack_short)


def supporting_nearby(g: G, battle: Battle) -> list[int]:
    """The guns that support an attack from a hex next to the enemy: they retreat with the attackers, but are no part of their
    losses; those further off feel nothing (10.1.7, 10.2.2, 13.1.3)."""
    guns = [GUN[marker] for marker in strength.barrage(g, battle)]
    return [gun for gun in guns if any(BOARD.distance(g.state.where[gun], hex) == 1 for hex in battle.hexes)]


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click of a question about results is not open."""
    if click >= g.rules.first_button:
        return None
    if g.is_unit(click) and SIDE[click] != decision.side:
        return None
    if decision.rule == "13.2":
        return _why_no_loss(g, decision, click)
    if decision.rule.startswith(("9.2.6", "13.5")):
        if g.is_unit(click):
            return advance.why_not_unit(g, click)
        where = (decision.about[0], g.location(click), decision.rule) if decision.about else None
        return advance.why_not_there(g, *where) if where else None
    if decision.rule.startswith(("13.3", "13.4")):
        return _why_no_retreat(g, decision, click)
    if decision.rule == "3.3.3":
        return Refusal("only units of the overfull hex are removed", "3.3.3")
    return None


def _why_no_loss(g: G, decision: Decision, click: int) -> Refusal | None:
    if not g.is_unit(click):
        return Refusal("a unit is asked for", "13.2")
    chosen = [unit for unit in decision.legal if g.is_unit(unit)]
    if g.state.battle[click] and g.state.battle[click] == g.state.battle[chosen[0]]:
        rule = "16.3.1" if IS_TIGER[chosen[0]] else "16.6.4"
        return Refusal("another unit takes the first loss", rule, name(chosen[0]))
    return Refusal(f"{name(click)} takes no losses in this combat", "13.2", name(click))


def _why_no_retreat(g: G, decision: Decision, click: int) -> Refusal | None:
    r = retreat.under_way(g, decision.side)
    if g.is_unit(click):
        if click in r.starts:
            return Refusal(f"{name(click)} has retreated, or goes with others", "13.3", name(click))
        return Refusal(f"{name(click)} does not have to retreat", "13.3", name(click))
    unit, hex = decision.about[0], g.location(click)
    if decision.rule == "13.3.2":
        return Refusal("the retreat does not lead from here through it to its end", "13.3.2", BOARD.name(hex))
    if decision.rule.startswith("13.4") and hex not in retreat.neighbours(g, unit, g.state.where[unit]):
        return Refusal(f"{name(unit)} cannot enter it from where it is", decision.rule, BOARD.name(hex))
    return retreat.why_not_there(g, r, unit, hex)
