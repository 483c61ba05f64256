"""Afrika (Standard Combat Series): the North African campaign, September 1940 to December 1942.

The sequence of play (1.1, SCS 2). The modules of the chapters: units, ground, zones and stacking; scenario and setup;
air; movement, overrun, offmap, hecker and rommel; trucks, ports and dumps; barrage, combat, strength, losses, retreat
and advance; boxes and building; supply (short scenarios), feeding (campaign); reinforcement (short scenarios), campaign
and replacements; control, victory, faults; allowance has MPs. Display and layers show the game, metrics is for the
laboratory.
"""

from __future__ import annotations

from khamsin.games.afrika import (
    air,
    campaign,
    combat,
    faults,
    metrics,
    movement,
    reinforcement,
    setup,
    supply,
    victory,
)
from khamsin.games.afrika.display import DISPLAY
from khamsin.games.afrika.orders import ORDERS
from khamsin.games.afrika.units import (
    ALLIED,
    AXIS,
    BOARD,
    BUTTONS,
    COUNTERS,
    DATA,
    FLAGS,
    FORCES,
    MOVED,
    SIDES,
    AfrikaState,
    G,
    fill_printed,
)
from khamsin.kernel.metrics import Metrics
from khamsin.kernel.registration import registrations
from khamsin.kernel.rules import Phase, Procedure, Rules
from khamsin.kernel.tables import read_tables
from khamsin.mechanics.sequence import Steps, phases_of

SHORT_TURN: Steps = (
    ("initialization", air.initialization, "1.10"),
    ("reinforcement", reinforcement.reinforcements, "1.1"),
    ("movement", movement.movement, "SCS 3.1"),
    ("combat", combat.combat, "SCS 8.1"),
    ("exploitation", movement.exploitation, "SCS 11.2"),
    ("supply", supply.supply_phase, "4.0"),
)
"""The phases of a player turn of a short scenario, with arrivals and air points alone (1.1)."""
CAMPAIGN_TURN: Steps = (
    ("initialization", campaign.initialization, "1.7"),
    ("reinforcement", campaign.reinforcement_phase, "1.1"),
    *SHORT_TURN[2:5],
    ("supply", campaign.supply_phase, "1.6c"),
)
"""The same in a campaign (1.1, SCS 2)."""


def player_turn(side: int, steps: Steps) -> tuple[Phase, ...]:
    """The phases of a player turn of a side (1.1, SCS 2)."""
    return phases_of(side, SIDES[side].lower(), steps)


def end_of_turn(g: G) -> Procedure:
    """End the game turn: no unit has moved in the next one, and the last one decides (1.16, SCS 2)."""
    for side in range(len(SIDES)):
        g.clear_flags(FORCES[side], MOVED)
    yield from victory.determine(g)


SET_UP_STEP: Steps = (("set-up", setup.choose, "SCS 1.8"),)
SET_UP = tuple((*player_turn(1 - first, SET_UP_STEP), *player_turn(first, SET_UP_STEP)) for first in range(len(SIDES)))
"""The side that moves second sets up first."""
TURN = tuple(
    (
        *player_turn(first, SHORT_TURN),
        *player_turn(1 - first, SHORT_TURN),
        Phase("end of turn", 1 - first, end_of_turn, "SCS 2"),
    )
    for first in range(len(SIDES))
)
"""By the side that moves first: set-up, and the game turn of a short scenario (1.1, 2.1)."""
CAMPAIGN = (
    *player_turn(AXIS, CAMPAIGN_TURN),
    *player_turn(ALLIED, CAMPAIGN_TURN),
    Phase("sudden death", ALLIED, victory.sudden_death, "5.1"),
    Phase("end of turn", ALLIED, end_of_turn, "SCS 2"),
)
"""The game turn of a campaign: the Axis moves first (1.1, 2.1)."""


def phases(state: AfrikaState) -> tuple[Phase, ...]:
    """Set-up before the first turn, then the sequence of play (1.1, 2.1)."""
    if state.turn < state.first:
        return SET_UP[state.moves_first]
    return CAMPAIGN if state.campaign else TURN[state.moves_first]


SCENARIOS = registrations()["afrika"].scenarios
"""The scenarios as players choose them, with the Trento Truck option (2.5)."""

RULES: Rules[AfrikaState] = Rules(
    id="afrika",
    title="Afrika",
    sides=SIDES,
    board=BOARD,
    counters=COUNTERS,
    buttons=BUTTONS,
    flags=FLAGS,
    state=AfrikaState,
    scenarios=SCENARIOS,
    phases=phases,
    set_up=setup.set_up,
    tables=read_tables(DATA / "tables.toml"),
    fill_printed=fill_printed,
    find_fault=faults.find_fault,
    odds=combat.odds,
    display=DISPLAY,
    metrics=Metrics(metrics.curves, metrics.lead, metrics.battle),
    orders=ORDERS,
)
