"""The Movement Phase (3.2, 5.1): stacks move one after the other. A stack or the side can take another action instead."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from khamsin.games.na41 import (
    automatic,
    command,
    convoys,
    disruption,
    entering,
    fortification,
    ports,
    rail,
    readiness,
    resources,
    trucks,
)
from khamsin.games.na41.marching import go
from khamsin.games.na41.movers import (
    can_move,
    is_bound,
    mates,
    shown,
    whom,
    why_not_moving,
    with_pairs,
    without_trucks,
)
from khamsin.games.na41.plan import Plan
from khamsin.games.na41.stacking import remove_excess
from khamsin.games.na41.units import (
    ASU,
    AXIS,
    BLOCK,
    BOARD,
    COMBAT,
    EXTENDED,
    FINISHED,
    FORMATION,
    LED,
    LOCATIONS,
    MOVEMENT_FLAGS,
    MOVING,
    NATION,
    OWN,
    SIDE,
    TRUCK,
    G,
    mechanized,
    name,
    pieces_in,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import stacks
from khamsin.mechanics.destinations import Destinations
from khamsin.mechanics.refusals import for_locations

BEGUN = "begun"
"""Whether a phase has begun."""


def movement(g: G, side: int) -> Procedure:
    """The Movement Phase (3.2, 5.1)."""
    if BEGUN not in g.state.todo:
        begin(g, side)
    yield from move_all(g, side)


def begin(g: G, side: int) -> None:
    """Reset the phase: every unit has its whole allowance, and nothing has moved (5.1, 17.4)."""
    state, own = g.state, BLOCK[side]
    for column in (state.spent, state.hexes, state.desert, state.road, state.pair):
        column[own] = [0] * len(OWN[side])
    state.origin[own] = state.where[own]
    g.clear_flags(OWN[side], MOVEMENT_FLAGS | EXTENDED)
    state.moved_by_points = state.fought = state.railed = 0
    ports.start(g, side)
    state.todo[BEGUN] = 1


def finish(g: G, side: int) -> None:
    """End the phase and clear its tallies, those of retreats too; the flag of Extended Movement stays for the Combat Phase
    (5.3, 5.5)."""
    state = g.state
    for column in (state.spent, state.hexes, state.road, state.pair):
        column[BLOCK[side]] = [0] * len(OWN[side])
    state.desert[:] = [0] * len(state.desert)
    g.clear_flags(OWN[side], MOVEMENT_FLAGS)
    for amounts in (state.harbours, state.embarked, state.debarked, state.demolished):
        amounts.clear()
    state.todo.clear()


def move_all(g: G, side: int) -> Procedure:
    """Stacks move one after the other until the side ends the phase; then excess units are removed (4.4.1, 5.1)."""
    done = g.rules.button("done")
    present = stacks.Within(g.state.where, OWN[side], range(LOCATIONS))
    ready = stacks.Ready(g, present.now(), partial(can_move, g, side))
    extras = {g.rules.button(word): partial(is_open, g, side, word) for word in EXTRAS_OF[side]}
    while True:
        click, units = yield from stacks.choose(
            g, side, ready, "5.1", partial(mates, g, side), maybe=extras, why_not=why_not_chosen
        )
        if click == done:
            break
        if click in extras:
            yield from EXTRAS[g.rules.names[click]][1](g, side)
            ready.renew(present.now())
        else:
            units = with_pairs(g, units if g.is_unit(click) else without_trucks(units))
            yield from move_stack(g, side, units)
            ready.update(units)
    yield from remove_excess(g, side)
    finish(g, side)


def is_open(g: G, side: int, word: str) -> bool:
    """Whether a side can do one of the `EXTRAS` now."""
    return why_not_extra(g, side, word) is None


def why_not_automatic(g: G, side: int) -> Refusal | None:
    """Return why no Automatic DS can be declared: no hex with 10-1 against it (8.9.1)."""
    if automatic.has_target(g, side):
        return None
    return Refusal("No Automatic DS: your units reach 10-1 against no adjacent enemy hex", "8.9.1", "auto ds")


def declare_automatic(g: G, side: int) -> Procedure:
    """The phasing player declares an Automatic DS against a hex (8.9.1)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "combat.automatic", "Automatic DS: choose an enemy hex to shatter at 10-1 before combat", "8.9.1",
        locations=automatic.targets(g, side), buttons=[cancel], why_not=for_locations(automatic.why_not, side),
    )  # fmt: skip
    if click != cancel:
        yield from automatic.declare(g, side, g.location(click))


def use_comando(g: G, side: int) -> Procedure:
    """Comando Supremo lets Germans and Italians attack together in this impulse (8.4.1)."""
    command.use_comando(g)
    return
    yield


EXTRAS = {
    "rail": (rail.why_not_supply, rail.move_supply),
    "fortify": (fortification.why_not_now, fortification.begin),
    "ship": (convoys.why_not_sail, convoys.sail),
    "fly": (convoys.why_not_fly, convoys.fly),
    "spend": (resources.why_not_spend, resources.spend),
    "comando": (command.why_no_comando, use_comando),
    "auto ds": (why_not_automatic, declare_automatic),
    "destroy": (readiness.why_not_destroy, readiness.destroy),
    "ports": (ports.why_not_any, ports.work),
}
"""The actions of a side in its Movement Phase besides moving stacks: each with its refusal and its procedure."""
NOT_OF = (("rail",), ("fly", "comando", "rommel"))
"""By side, the actions it never has (5.9.1, 8.4.1, 18.5, 18.7.6)."""
EXTRAS_OF = tuple([[word for word in EXTRAS if word not in never] for never in NOT_OF])
TRANSPORT = ("rail", "ship", "fly")
"""The actions that move something."""


def why_not_extra(g: G, side: int, word: str) -> Refusal | None:
    """Return why a side cannot take another action than moving stacks; after work on ports nothing is transported
    (3.2)."""
    if word in TRANSPORT and ports.LAST_STEP in g.state.todo:
        return Refusal("No transport after port demolition or repair, which come last", "3.2", word)
    return EXTRAS[word][0](g, side)


def why_not_button(g: G, side: int, word: str) -> Refusal | None:
    """Return why a side cannot press a button while it chooses a stack."""
    return why_not_extra(g, side, word) if word in EXTRAS else None


why_not_chosen = stacks.why_not_chosen(why_not_moving, "5.1", pieces_in, why_not_button)


def move_stack(g: G, side: int, units: list[int]) -> Procedure:
    """Move one unit, or several of a location together (5.1)."""
    plans: list[Plan] = []

    def ask(units: list[int], others: Sequence[int]) -> Decision:
        plans[:] = [Plan(g, side, units)]
        return ask_where(plans[0], others)

    while True:
        units, click, _ = yield from stacks.select(g, units, partial(mates, g, side), ask, FORMATION.__getitem__)
        if not units:
            return
        word = g.rules.names[click]
        if word not in ACTIONS:
            break
        yield from ACTIONS[word][1](g, side, units)
        if word != "rommel" and word not in ("load", "unload", "full retreat"):
            return
    take_up(g, side, units)
    yield from entering.starts(g, side, units)
    location = g.location(click)
    if plans[0].is_current():
        yield from go(plans[0], location)
    elif (plan := Plan(g, side, units)).leads(location):
        yield from go(plan, location)


def take_up(g: G, side: int, units: Sequence[int]) -> None:
    """A stack begins or continues its move: one stack finishes before the next, and units dropped on the path are
    finished; those that do not move with Rommel lose his bonus (5.1, 18.5)."""
    flags = g.state.flags
    led = flags.having(LED)
    lost = LED if led and not set(led).isdisjoint(units) else 0
    for unit in {*flags.having(MOVING), *led} if lost else flags.having(MOVING):
        if unit not in units and SIDE[unit] == side:
            flags[unit] = flags[unit] & ~lost if not flags[unit] & MOVING else flags[unit] & ~(MOVING | lost) | FINISHED
    for unit in units:
        if not flags[unit] & MOVING:
            flags[unit] |= MOVING


def ask_where(plan: Plan, others: Sequence[int]) -> Decision:
    """Ask for the destination of a stack, or units that join or leave it."""
    g, side, units, click = plan.g, plan.side, plan.units, plan.g.rules.button_clicks
    more = dict.fromkeys((*units, click["cancel"]))
    legal = Destinations(g.place0, plan.reach, plan.ends, more, shown, plan.besides, plan.most_besides())
    there = pieces_in(g, side, plan.start)
    if len(there) > len(units):
        legal.maybe([unit for unit in there if unit not in units], lambda: dict.fromkeys(others))
        legal.maybe_button(click["formation"], lambda: stacks.formation_mates(units, others, FORMATION.__getitem__))
    actions = tuple(map(click.__getitem__, actions_of(side, units)))
    if actions:
        legal.maybe_each(actions, partial(able_to, g, side, units))
    return Decision(
        side, "move.to", partial(_prompt, units), "5.1", legal, about=tuple(units), buttons=actions,
        why_not=why_not_there, reach=plan.reach,
    )  # fmt: skip


def actions_of(side: int, units: Sequence[int]) -> Sequence[str]:
    """Return the actions that a stack could take besides moving, by the pieces in it."""
    if len(units) == 1:
        return ACTIONS_BY[side][units[0]]
    found = {word for unit in units for word in ACTIONS_BY[side][unit]}
    return [word for word in ACTIONS_OF[side] if word in found]


def able_to(g: G, side: int, units: Sequence[int], buttons: Collection[int]) -> dict[int, None]:
    """Return those of the buttons of `ACTIONS` that a stack can press."""
    return {button: None for button in buttons if ACTIONS[g.rules.names[button]][0](g, side, units) is None}


def _prompt(units: Sequence[int]) -> str:
    return f"Move {whom(units)}: choose a hex, or add a unit to the stack"


def why_not_at(g: G, side: int, units: Sequence[int], location: int) -> Refusal | None:
    """Return why a stack cannot move to a location; it leaves the map only into a friendly box (5.6)."""
    if location < LOCATIONS:
        return Plan(g, side, units).why_not(location)
    label = BOARD.name(location)
    return Refusal(f"{whom(units)} cannot move to {label}: units move to hexes and to own off-map boxes", "5.6", label)


def why_not_along(g: G, units: Sequence[int], unit: int) -> Refusal | None:
    """A unit that has moved joins no other stack, and a stack picks up no units on its path unless it is a truck (5.1,
    5.8.1)."""
    if unit in mates(g, SIDE[unit], units):
        return None
    return Refusal(f"{name(unit)} cannot join {whom(units)}: one of them has moved", "5.1", name(unit))


def why_not_act(g: G, side: int, units: Sequence[int], word: str) -> Refusal | None:
    """Return why a stack cannot take one of the `ACTIONS`."""
    return ACTIONS[word][0](g, side, list(units)) if word in ACTIONS else None


why_not_there = stacks.why_not_going(
    "5.1", range(len(BOARD.names)), why_not_moving, why_not_at, why_not_along, why_not_act
)
"""Why a stack cannot move to a location or press a button, or a unit not go along (5.1)."""


def why_not_rommel(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why Rommel cannot lead a stack: once per turn, mechanized German units that may use MPs (18.5)."""
    who = name(units[0])
    if side != AXIS or not g.state.rommel:
        return Refusal(
            "Rommel cannot lead: used in this turn" if side == AXIS else "Rommel leads Axis units", "18.5", who
        )
    riding = trucks.riders(g, units)
    for unit in units:
        if NATION[unit] not in ("DE", ""):
            return Refusal(f"Rommel cannot lead {name(unit)}: it is not German", "18.5", name(unit))
        if unit not in riding and not mechanized(g, unit):
            return Refusal(f"Rommel cannot lead {name(unit)}: it is not mechanized", "18.5", name(unit))
        if is_bound(g, unit):
            return Refusal(f"Rommel cannot lead {name(unit)}: it can only use Tactical Movement", "18.5", name(unit))
    return None


def lead(g: G, side: int, units: Sequence[int]) -> Procedure:
    """Rommel leads a stack: two MPs more in this phase (18.5)."""
    g.state.rommel = 0
    for unit in units:
        g.state.flags[unit] |= LED
    g.log("18.5", "Rommel leads {who}: 2 MPs more", who=whom(units))
    return
    yield


def why_not_rout(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why a stack cannot be put into Full Retreat (13.3.4)."""
    reasons = [disruption.why_not_full_retreat(g, unit) for unit in units if COMBAT[unit]]
    if not reasons:
        return Refusal(f"{whom(units)} cannot go into Full Retreat: not a combat unit", "13.3.4", name(units[0]))
    return next(filter(None, reasons), None)


def rout(g: G, side: int, units: Sequence[int]) -> Procedure:
    """Put a stack into Full Retreat; it may then move its full allowance (13.3.4)."""
    for unit in units:
        if COMBAT[unit]:
            disruption.go_into_full_retreat(g, unit)
    return
    yield


ACTIONS = {
    "load": (trucks.why_not_load, trucks.load),
    "unload": (trucks.why_not_unload, trucks.unload),
    "transfer": (trucks.why_not_transfer, trucks.transfer),
    "rail": (rail.why_not_rail, rail.move_unit),
    "ready": (readiness.why_not_flip, readiness.flip),
    "rommel": (why_not_rommel, lead),
    "full retreat": (why_not_rout, rout),
}
"""The actions of a selected stack besides moving: each with its refusal and its procedure."""
ABOUT = {
    "load": TRUCK, "unload": TRUCK, "transfer": TRUCK, "rail": [not truck for truck in TRUCK], "ready": ASU,
    "rommel": [nation in ("DE", "") for nation in NATION], "full retreat": COMBAT,
}  # fmt: skip
"""The units to which each action can apply at all."""
ACTIONS_OF = tuple([[word for word in ACTIONS if word not in never] for never in NOT_OF])
"""Those of each side."""
ACTIONS_BY = tuple(
    [tuple([word for word in words if ABOUT[word][unit]]) for unit in range(len(TRUCK))] for words in ACTIONS_OF
)
"""By side and unit, the actions that can apply."""
