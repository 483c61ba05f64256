"""Tunisia (Operational Combat Series): the campaign of November 1942 to May 1943.

The sequence of play (OCS 2). The modules of the chapters: units, ground, zones and stacking; scenario and setup;
sequence; modes, fuel, movement with movers, moves and stack_actions, trucks, overrun and control; supply, trace and
eating; barrage; combat, strength, losses, retreat and advance; victory.
"""

from __future__ import annotations

from functools import partial

from khamsin.games.tunisia import (
    airbases,
    arrivals,
    barrage,
    combat,
    drops,
    eating,
    faults,
    hidden,
    movement,
    sequence,
    setup,
    sorties,
    victory,
)
from khamsin.games.tunisia.display import DISPLAY
from khamsin.games.tunisia.orders import ORDERS
from khamsin.games.tunisia.units import (
    ALLIED,
    BOARD,
    BUTTONS,
    COUNTERS,
    DATA,
    FLAGS,
    MUD,
    SIDES,
    G,
    TunisiaState,
    fill_printed,
)
from khamsin.kernel.registration import registrations
from khamsin.kernel.rules import EVERYONE, Phase, Procedure, Rules
from khamsin.kernel.tables import read_tables
from khamsin.mechanics.sequence import in_order, phases_of


def refit(g: G, side: int) -> Procedure:
    """The Air Refit Phase: aircraft are refitted, then drops are planned (OCS 2, OCS 14.8)."""
    yield from in_order(g, ("refitted", partial(airbases.refit, g, side)), ("planned", partial(drops.plan, g, side)))


def mud_refit(g: G, side: int) -> Procedure:
    """The same on a Mud turn (1.3)."""
    yield from in_order(
        g, ("refitted", partial(sequence.mud_refit, g, side)), ("planned", partial(drops.plan, g, side))
    )


def set_up(g: G, side: int) -> Procedure:
    """A side sets up, and plans drops of the first turn (1.4a, OCS 14.8)."""
    yield from in_order(g, ("placed", partial(setup.choose, g, side)), ("planned", partial(drops.plan, g, side)))


def reaction(g: G, side: int) -> Procedure:
    """The other side releases reserves, moves and barrages (OCS 2)."""
    yield from in_order(
        g,
        ("moved", partial(movement.reaction, g, side)),
        ("bombed", partial(sorties.segment, g, side)),
        ("barraged", partial(barrage.segment, g, side, later=True)),
    )
    sequence.released_over(g, side)


def move(g: G, side: int) -> Procedure:
    """The Movement Phase: movement, then air barrages (OCS 2)."""
    yield from in_order(
        g, ("moved", partial(movement.movement, g, side)), ("bombed", partial(sorties.segment, g, side))
    )
    sequence.landed(g, side)
    g.state.barraged.clear()


def fight(g: G, side: int) -> Procedure:
    """The Combat Phase: artillery barrages, then attacks (OCS 2)."""
    yield from in_order(
        g, ("barraged", partial(barrage.segment, g, side)), ("attacked", partial(combat.attacks, g, side))
    )


def exploitation(g: G, side: int) -> Procedure:
    """The Exploitation Phase: movement, barrages, attacks (OCS 2)."""
    yield from in_order(
        g,
        ("moved", partial(movement.exploitation, g, side)),
        ("bombed", partial(sorties.segment, g, side)),
        ("barraged", partial(barrage.segment, g, side, later=True)),
        ("attacked", partial(combat.attacks, g, side, exploiting=True)),
    )
    sequence.released_over(g, side)


def player_turn(side: int) -> tuple[Phase, ...]:
    """The phases of a player turn, each named after the side that acts (OCS 2)."""
    other = 1 - side
    steps = (
        ("refit", side, refit, "OCS 14.1"),
        ("reinforcement", side, arrivals.arrivals, "OCS 2"),
        ("movement", side, move, "OCS 6"),
        ("supply", side, eating.supply_phase, "OCS 11"),
        ("reaction phase", other, reaction, "OCS 5(2)"),
        ("combat", side, fight, "OCS 9"),
        ("exploitation", side, exploitation, "OCS 5(2)"),
        ("clean-up", side, sequence.clean_up, "OCS 2"),
    )
    return tuple(
        [
            Phase(f"{SIDES[whose].lower()} {name}", whose, partial(run, side=whose), rule)
            for name, whose, run, rule in steps
        ]
    )


SET_UP = tuple(
    [phase for side, name in enumerate(SIDES) for phase in phases_of(side, name.lower(), [("set-up", set_up, "1.4a")])]
)
OPENING = (
    Phase("weather", EVERYONE, sequence.weather, "1.2"),
    Phase("initiative", EVERYONE, sequence.initiative, "1.4b"),
)
END = Phase("end of turn", ALLIED, victory.determine, "5.0")
DRY = tuple((*OPENING, *player_turn(first), *player_turn(1 - first), END) for first in range(len(SIDES)))
"""By the side that moves first: a turn without Mud."""
MUD_STEPS = (
    ("mud refit", mud_refit, "1.3"),
    ("mud reinforcement", arrivals.arrivals, "1.3"),
    ("mud movement", movement.movement, "1.3"),
    ("mud clean-up", sequence.mud_clean_up, "1.3"),
)
JOINT = (
    *OPENING,
    *[
        phase
        for step in MUD_STEPS
        for side, name in enumerate(SIDES)
        for phase in phases_of(side, name.lower(), [step])
    ],
    END,
)
"""A Mud turn: one joint player turn."""


def phases(state: TunisiaState) -> tuple[Phase, ...]:
    """Set-up before the first turn, then the sequence of play; weather and initiative decide what follows them, and a Mud turn
    is one joint player turn (1.3, OCS 2, OCS 20)."""
    if state.turn < state.first:
        return SET_UP
    return JOINT if state.weather == MUD else DRY[state.initiative]


def conceal(state: TunisiaState, side: int) -> TunisiaState:
    """Return the state as a side may know it. The step of the enemy's phase is hidden: steps without a choice are
    skipped, so it would reveal what the enemy can do (OCS 3(4))."""
    seen = hidden.conceal(state, side)
    if phases(state)[state.phase].side == 1 - side:
        seen.todo.clear()
    return seen


def begin(g: G) -> None:
    """The set-up of the scenario, and the units to come in their boxes (1.4)."""
    setup.set_up(g)
    arrivals.await_arrivals(g)


SCENARIOS = registrations()["tunisia"].scenarios
"""The scenarios as players choose them, with the variants 4.0a, 3.7, 3.7c, 4.0g, 4.0c, 4.0b, 4.0i, 4.0h and the option of the
series on construction (OCS 18)."""

RENAMED = {
    "axis reaction": "allied reaction phase",
    "allied reaction": "axis reaction phase",
    "eighth army": "",  # options of some scenarios, which others had without effect
    "transport": "",
    "cooperation": "",
}


RULES: Rules[TunisiaState] = Rules(
    id="tunisia",
    renamed=RENAMED,
    title="Tunisia",
    sides=SIDES,
    board=BOARD,
    counters=COUNTERS,
    buttons=BUTTONS,
    flags=FLAGS,
    state=TunisiaState,
    scenarios=SCENARIOS,
    phases=phases,
    set_up=begin,
    tables=read_tables(DATA / "tables.toml"),
    fill_printed=fill_printed,
    conceal=conceal,
    find_fault=faults.find_fault,
    imagine=hidden.imagine,
    odds=combat.odds,
    display=DISPLAY,
    orders=ORDERS,
)
