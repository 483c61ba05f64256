"""North Africa '41: from Rommel's first offensive to the end of 1941.

The sequence of play (3.1, 3.2). The modules of the chapters: units, ground, zones and stacking; scenario and setup;
preparation, replacements, conversions and malta; movement with movers, plan, hindrances and marching; trucks, rail and
readiness; supply (lines), supply_phase and attrition; delay; victory. Combat: command, sheet, support, combat,
resolution, results, defence, losses, retreat, advance, breakthrough, automatic, disruption, entering, fortification,
disengagement, special. Standing orders: orders.
"""

from __future__ import annotations

from functools import lru_cache, partial

from khamsin.games.na41 import (
    attrition,
    combat,
    delay,
    disruption,
    faults,
    initial,
    metrics,
    movement,
    preparation,
    setup,
    supply_phase,
    victory,
)
from khamsin.games.na41.display import DISPLAY
from khamsin.games.na41.orders import ORDERS
from khamsin.games.na41.scenario import NAMES, SETTINGS, Setting, impulses
from khamsin.games.na41.units import (
    ALLIED,
    AXIS,
    BOARD,
    BUTTONS,
    COUNTERS,
    DATA,
    FLAGS,
    SIDES,
    Na41State,
    fill_printed,
)
from khamsin.kernel.metrics import Metrics
from khamsin.kernel.registration import registrations
from khamsin.kernel.rules import EVERYONE, Phase, Rules
from khamsin.kernel.tables import read_tables
from khamsin.mechanics.sequence import Steps, phases_of

AFTER_INITIAL: Steps = (
    ("movement", movement.movement, "5.1"),
    ("combat", combat.combat, "8.1"),
    ("recovery", disruption.recovery, "13.4"),
    ("supply", supply_phase.supply_phase, "16.1"),
    ("delay", delay.delay_phase, "24.3"),
)
"""The phases of a player turn after the Initial Phase (3.2)."""


def player_turn(impulse: int, side: int) -> tuple[Phase, ...]:
    """The phases of a player turn of a side in an impulse, which its Initial Phase begins (3.2)."""
    steps: Steps = (("initial", partial(initial.initial, impulse=impulse), "3.2"), *AFTER_INITIAL)
    return phases_of(side, f"impulse {impulse} {SIDES[side].lower()}", steps)


def comes_before(cards: Setting, impulse: int, side: int) -> bool:
    """Whether a player turn of the first game turn is before the start of the scenario (S1.2, S3.1)."""
    if impulse != cards.opening_impulse:
        return impulse < cards.opening_impulse
    return side == ALLIED and cards.opens == AXIS


@lru_cache(maxsize=64)
def turn_phases(scenario: str, turn: int) -> tuple[Phase, ...]:
    """The phases of a game turn. The first turn of a scenario has no Preparation Phase and begins where its rules say (3.1,
    S1.2, S3.2)."""
    cards, found = SETTINGS[scenario], list[Phase]()
    opening = turn == cards.first
    if not opening:
        found.append(Phase("preparation", EVERYONE, preparation.preparation, "3.1"))
    for impulse in impulses(turn):
        for side in (ALLIED, AXIS):
            if not opening or not comes_before(cards, impulse, side):
                found += player_turn(impulse, side)
    found.append(Phase("supply attrition", EVERYONE, attrition.supply_attrition, "25.1"))
    found.append(Phase("victory points", EVERYONE, victory.victory_points, "S2.3"))
    return tuple(found)


def phases(state: Na41State) -> tuple[Phase, ...]:
    """The sequence of play of the present turn (3.1)."""
    return turn_phases(NAMES[state.scenario], state.turn)


SCENARIOS = registrations()["na41"].scenarios
"""The scenarios as players choose them, with the optional rules (27)."""

RULES: Rules[Na41State] = Rules(
    id="na41",
    title="North Africa '41",
    sides=SIDES,
    board=BOARD,
    counters=COUNTERS,
    buttons=BUTTONS,
    flags=FLAGS,
    state=Na41State,
    scenarios=SCENARIOS,
    phases=phases,
    set_up=setup.set_up,
    tables=read_tables(DATA / "tables.toml"),
    fill_printed=fill_printed,
    find_fault=faults.find_fault,
    odds=combat.odds,
    display=DISPLAY,
    orders=ORDERS,
    metrics=Metrics(metrics.curves, metrics.lead, metrics.battle),
)
