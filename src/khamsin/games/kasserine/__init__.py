"""Decision at Kasserine: the Axis offensive in central Tunisia, February 1943.

The sequence of play (4.3). Each chapter of the rulebook is a module: units (2.2), zones, stacking and control (3),
setup, scenario and garrison (4, 18), weather, reinforcement and air (5, 11), supply and status (6), ground and movement
(7), reserve and reaction (8, 9.3), battle, declaration and evasion (9), support (10), combat (12), results and losses
(13), strongpoints (14), headquarters (15), victory (18); arrival applies the effects of units entering a hex, hidden
conceals what a side may not know, metrics is for the laboratory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from khamsin.games.kasserine import (
    air,
    combat,
    control,
    declaration,
    evasion,
    hidden,
    metrics,
    movement,
    preview,
    reaction,
    recovery,
    reinforcement,
    reserve,
    setup,
    stacking,
    status,
    strongpoints,
    support,
    victory,
    weather,
)
from khamsin.games.kasserine.display import DISPLAY
from khamsin.games.kasserine.orders import ORDERS
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    BUTTONS,
    COUNTERS,
    DATA,
    FLAGS,
    SIDES,
    G,
    KasserineState,
    printed,
)
from khamsin.kernel.metrics import Metrics
from khamsin.kernel.registration import registrations
from khamsin.kernel.rules import Phase, Procedure, Rules
from khamsin.kernel.tables import read_tables
from khamsin.mechanics.sequence import in_order

EVADED, REACTED, MOVED_RESERVES, ASSIGNED = "evaded", "reacted", "reserves moved", "assigned"
"""Finished steps of a phase."""


def reaction_phase(g: G, side: int) -> Procedure:
    """The attacked side evades, then reacts; neither without a declared attack, but also if all attacked hexes have
    been evaded (9.2.1, 9.3.1)."""
    if g.state.targets or EVADED in g.state.todo:
        evade, react = partial(evasion.evade, g, side), partial(reaction.react, g, side)
        yield from in_order(g, (EVADED, evade), (REACTED, react))


def reserve_phase(g: G, side: int) -> Procedure:
    """Units in Reserve move, strongpoints are completed, Fire Support is assigned to defence (8.2.4, 10.3.4, 14.3.6)."""
    move, assign = partial(move_reserves, g, side), partial(support.assign_fpf, g, side)
    yield from in_order(g, (MOVED_RESERVES, move), (ASSIGNED, assign))


def move_reserves(g: G, side: int) -> Procedure:
    """Units in Reserve move, then strongpoints are completed (8.2.4, 14.3.6)."""
    yield from reaction.reserve_movement(g, side)
    strongpoints.complete(g, side)


def settled(g: G, run: Callable[[G], Procedure]) -> Procedure:
    """Run a phase; then hexes in uncontested ZOCs change hands and Reserves in enemy ZOCs lose their status (3.1.2,
    8.2.5)."""
    yield from run(g)
    reserve.disturb(g, AXIS)
    reserve.disturb(g, ALLIED)
    control.settle(g)


def _phase(name: str, side: int, run: Callable[[G], Procedure], rule: str) -> Phase:
    return Phase(name, side, partial(settled, run=run), rule)


def operations(side: int) -> tuple[Phase, ...]:
    """The Operations Segment of a side (4.3.1, Sequence B.1-5, Sequence C.1-5)."""
    us, them = SIDES[side].lower(), SIDES[1 - side].lower()
    return (
        _phase(f"{us} movement", side, partial(movement.movement, side=side), "7.0"),
        _phase(f"{us} combat declaration", side, partial(declaration.declaration, side=side), "9.1"),
        _phase(f"{them} reaction", 1 - side, partial(reaction_phase, side=1 - side), "9.3"),
        _phase(f"{us} combat", side, partial(combat.combat, side=side), "12.0"),
        _phase(f"{us} reserve movement", side, partial(reserve_phase, side=side), "8.2.4"),
    )


SET_UP = (
    Phase("allied set-up", ALLIED, partial(setup.prepare, side=ALLIED), "4.1.4"),
    _phase("axis set-up", AXIS, partial(setup.prepare, side=AXIS), "4.1.4"),
)

TURN = (
    _phase("weather", ALLIED, weather.weather, "5.1"),  # Sequence A.1
    Phase("supply status", AXIS, status.supply_status, "6.1"),  # Sequence A.2
    Phase("reinforcements", AXIS, reinforcement.reinforcements, "5.2"),  # Sequence A.3
    Phase("joint air", ALLIED, air.joint_air, "5.3"),  # Sequence A.4
    *operations(AXIS),
    *operations(ALLIED),
    _phase("recovery", AXIS, recovery.recovery, "14.4"),  # Sequence D.1
    Phase("victory determination", AXIS, victory.determine, "18.2.6"),  # Sequence D.2
)
"""One game turn (4.3.1)."""


def phases(state: KasserineState) -> tuple[Phase, ...]:
    """Set-up before the first turn, then the sequence of play (4.1.8, 4.3)."""
    return SET_UP if state.turn < state.first else TURN


SCENARIOS = registrations()["kasserine"].scenarios
"""The scenarios as players choose them. Options: historical weather (5.1.6), the von Koenen commando (16.4)."""

RENAMED = {
    "todo.evasion over": "todo.evaded",
    "todo.supply judged": "todo.judged",
    "todo.emergency supply given": "todo.supplied",
    "todo.Axis strongpoints begun": "todo.axis begun",
    "todo.Allied strongpoints begun": "todo.allied begun",
    "todo.a French unit has begun a strongpoint": "",
    "todo.arrivals received": "todo.received",
    "todo.corps reserve drawn": "todo.drawn",
    "todo.Axis arrivals placed": "todo.axis placed",
    "todo.Allied arrivals placed": "todo.allied placed",
    "todo.air units ready": "todo.readied",
    "todo.Axis interdiction assigned": "todo.axis assigned",
    "todo.Allied interdiction assigned": "todo.allied assigned",
    "todo.barrage laid": "todo.laid",
    "todo.recovery begun": "todo.begun",
    "todo.Axis strongpoints cleared": "todo.axis cleared",
    "todo.Allied strongpoints cleared": "todo.allied cleared",
    "todo.supply from *": "",
    "todo.retreat *": "",
    "todo.hexes at *": "",
}
"""Keys of old positions."""

RULES: Rules[KasserineState] = Rules(
    id="kasserine",
    title="Decision at Kasserine",
    sides=SIDES,
    board=BOARD,
    counters=COUNTERS,
    buttons=BUTTONS,
    flags=FLAGS,
    state=KasserineState,
    scenarios=SCENARIOS,
    phases=phases,
    set_up=setup.set_up,
    tables=read_tables(DATA / "tables.toml"),
    fill_printed=printed,
    conceal=hidden.conceal,
    imagine=hidden.imagine,
    find_fault=stacking.find_fault,
    odds=preview.odds,
    display=DISPLAY,
    orders=ORDERS,
    metrics=Metrics(lead=metrics.lead, battle=metrics.battle),
    renamed=RENAMED,
)
