"""Ambush: Skirmish with one decision in the enemy's turn. The side that moves may fire at the village or at hex 0401; the other
side fires back or stays. Each shot is a roll. A unit runs or walks. Red does not know the strength of Blue's militia."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from khamsin.kernel.orders import PLACES, Given, OrderKind, Policy, always
from khamsin.kernel.rules import Decision, Game, Phase, Procedure
from tests.toy import skirmish
from tests.toy.skirmish import BLUE, BOARD, DONE, FIRE, MILITIA, RED, STAY, VILLAGE

FIELD = BOARD["0401"]


def turn(g: Game[Any], side: int) -> Procedure:
    """A side fires as often as it likes (4)."""
    while True:
        click = yield g.ask(
            side, "move.stack", "Fire", "4", locations=[VILLAGE, FIELD], units=skirmish.OF_SIDE[side][:2], buttons=[DONE],
            top=True,
        )  # fmt: skip
        if click == DONE:
            return
        if click == skirmish.OF_SIDE[side][1]:
            gait = yield g.ask(side, "move.option", "Run?", "3", buttons=[FIRE, STAY])
            g.log("3", "{unit} goes {gait}", unit=click, gait=g.rules.names[gait])
            continue
        hex = FIELD if g.is_unit(click) else g.location(click)
        kind = "combat.choice" if g.is_unit(click) else "combat.counter"
        answer = yield g.ask(
            1 - side, kind, "Fire back?", "6", units=[skirmish.OF_SIDE[1 - side][0]], buttons=[FIRE, STAY], at=[hex]
        )
        g.log("6", "{side} answers {what}", side=1 - side, what=g.rules.names[answer])
        g.dice.roll("shot", "4")


def weak_militia(g: Game[Any], decision: Decision, given: Given) -> int | None:
    """Fire back if the first militia is weak, as far as the side knows."""
    return FIRE if g.state.strength[MILITIA[0]] <= 2 else STAY


def never_legal(g: Game[Any], decision: Decision, given: Given) -> int | None:
    """A click that the decision does not have."""
    return DONE


def fails(g: Game[Any], decision: Decision, given: Given) -> int | None:
    """A policy with a fault."""
    raise RuntimeError("fault")


ORDERS = (
    OrderKind(
        "combat.counter",
        "Fire back",
        (
            always("stay", "Hold fire", PLACES),
            always("fire", "Fire back", PLACES),
            Policy("weak", "Fire back at weak militia", weak_militia),
            Policy("illegal", "Press what is not there", never_legal),
            Policy("fails", "Fail", fails),
        ),
    ),
    OrderKind("move.option", "Gait", (always("stay", "Walk"),), own_phases=True),
)

PHASES = (
    Phase("red movement", RED, partial(turn, side=RED), "4"),
    Phase("blue movement", BLUE, partial(turn, side=BLUE), "4"),
)
RULES = replace(skirmish.RULES, id="ambush", title="Ambush", phases=lambda state: PHASES, orders=ORDERS)
