"""PanzerArmee Afrika: Rommel in the desert, April 1941 to November 1942.

The sequence of play (7.1). Each chapter of the rulebook is a module: units (2.3), ground (2.1), zones (3), stacking
(4), control (5), setup (6), supply (8), malta (9), command (10), movement (11) with transport and overrun, combat (12)
with combat_phase, declaration, combat_supply, resolution, differential, losses, advance and preview, reinforcement (13)
with options and dismount, victory (14), and reaction and reliability for the optional rules (15). faults finds
impossible positions, display and layers show the game, metrics is for the laboratory.
"""

from __future__ import annotations

from functools import partial

from khamsin.games.paa import (
    combat_phase,
    command,
    faults,
    malta,
    metrics,
    movement,
    preview,
    reinforcement,
    setup,
    supply,
    victory,
)
from khamsin.games.paa.display import DISPLAY
from khamsin.games.paa.orders import ORDERS
from khamsin.games.paa.units import ALLIED, AXIS, BOARD, BUTTONS, COUNTERS, DATA, FLAGS, SIDES, G, PaaState
from khamsin.kernel.metrics import Metrics
from khamsin.kernel.registration import registrations
from khamsin.kernel.rules import Phase, Procedure, Rules
from khamsin.kernel.tables import read_tables


def supply_phase(g: G, side: int) -> Procedure:
    """The phasing side finds which of its units are supplied; the Axis decides about Malta (8, 9)."""
    if side == AXIS:
        yield from malta.decide(g)
    supply.judge(g, side)


SET_UP = (
    Phase("allied set-up", ALLIED, partial(setup.choose_base_hexes, side=ALLIED), "6"),
    Phase("axis set-up", AXIS, partial(setup.choose_base_hexes, side=AXIS), "6"),
)

TURN = (
    Phase("allied supply", ALLIED, partial(supply_phase, side=ALLIED), "8"),
    Phase("allied command", ALLIED, command.lose_command, "10"),
    Phase("allied movement", ALLIED, partial(movement.movement, side=ALLIED), "11"),
    Phase("allied combat", ALLIED, partial(combat_phase.combat, side=ALLIED), "12"),
    Phase("allied reinforcement", ALLIED, partial(reinforcement.reinforcement, side=ALLIED), "13"),
    Phase("allied end of turn", ALLIED, partial(victory.end_of_player_turn, side=ALLIED), "14"),
    Phase("axis supply", AXIS, partial(supply_phase, side=AXIS), "8"),
    Phase("axis movement", AXIS, partial(movement.movement, side=AXIS), "11"),
    Phase("axis combat", AXIS, partial(combat_phase.combat, side=AXIS), "12"),
    Phase("axis reinforcement", AXIS, partial(reinforcement.reinforcement, side=AXIS), "13"),
    Phase("axis end of turn", AXIS, partial(victory.end_of_player_turn, side=AXIS), "14"),
)
"""One game turn (7.1)."""


def phases(state: PaaState) -> tuple[Phase, ...]:
    """Set-up before the first turn, then the turn sequence (7, 7.1)."""
    return SET_UP if state.turn == 0 else TURN


SCENARIOS = registrations()["paa"].scenarios
"""Options: how command is lost (10), whether holding Tobruk changes the level of victory (14.1), reaction movement
(15.1), Italian infantry reliability with surrender (15.2, 15.3)."""

RENAMED = {
    "todo.combat step": "state.combat_step",
    "todo.movement begun": "state.begun",
    "todo.begun": "state.begun",
    "todo.installation": "state.installations",
    "todo.withdraw infantry": "withdraw.infantry",
    "todo.withdraw armoured": "withdraw.armoured",
    "todo.reinstate infantry": "reinstate.infantry",
    "todo.reinstate armoured": "reinstate.armoured",
}
"""Names in old records and positions."""

RULES: Rules[PaaState] = Rules(
    id="paa",
    title="PanzerArmee Afrika",
    sides=SIDES,
    board=BOARD,
    counters=COUNTERS,
    buttons=BUTTONS,
    flags=FLAGS,
    state=PaaState,
    scenarios=SCENARIOS,
    phases=phases,
    set_up=setup.set_up,
    tables=read_tables(DATA / "tables.toml"),
    find_fault=faults.find_fault,
    odds=preview.odds,
    display=DISPLAY,
    orders=ORDERS,
    metrics=Metrics(metrics.curves, metrics.lead, metrics.battle),
    renamed=RENAMED,
)
