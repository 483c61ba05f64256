"""Movement (OCS 6): stacks move one after the other in the mode that reaches their hex, fuelled as they begin, and
overrun.

A click on a hex takes the least demanding mode that reaches it: Combat before Move before Strat. Buttons choose a mode
directly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from khamsin.games.tunisia import (
    air,
    airlift,
    construction,
    control,
    drops,
    fuel,
    lift,
    losses,
    modes,
    overrun,
    raid,
    sorties,
    trucks,
)
from khamsin.games.tunisia.dates import AIR
from khamsin.games.tunisia.movers import (
    BEGUN,
    EXPLOITING,
    REACTING,
    can_move,
    is_later,
    is_mud,
    mates,
    phase_share,
    shown,
    why_not_moving,
)
from khamsin.games.tunisia.moves import Option, all_destinations, ends, options, widest, worded
from khamsin.games.tunisia.stack_actions import (
    BUTTON_ORDER,
    act,
    applies,
    own_buttons,
    release,
    take_up,
    why_not_button,
)
from khamsin.games.tunisia.stacking import forget_crowded, remove_excess
from khamsin.games.tunisia.units import (
    AXIS,
    BLOCK,
    BOARD,
    DIVISION,
    FINISHED,
    FLIGHT,
    GROUND_UNITS,
    HEXES,
    IS_HQ,
    IS_TRUCK,
    MA,
    MOBILITY,
    MOVE,
    MOVING,
    PHASE_FLAGS,
    RELEASED,
    SIDE,
    SIDES,
    TRUCK,
    G,
    ends_move,
    forces_in,
    name,
    names,
    on_map,
    tell,
    trucks_in,
    whom,
)
from khamsin.games.tunisia.zones import known_in, zone
from khamsin.kernel.rules import Choices, Decision, Hint, Procedure, Refusal
from khamsin.mechanics import stacks, ways
from khamsin.mechanics.modes import Modes
from khamsin.mechanics.refusals import for_locations, unless_legal
from khamsin.mechanics.ways import Reach

LAST_BOX = max(lift.BOXES)
BELT = frozenset(BOARD.areas["Closed eastern belt"].hexes)
"""The eastern columns that are closed (2.5, 3.6)."""


def movement(g: G, side: int) -> Procedure:
    """The movement segment of the Movement Phase (OCS 2, OCS 6)."""
    if not is_mud(g):
        yield from raid.land(g, side)
    begin(g, side)
    yield from move_all(g, side)
    if not is_mud(g):
        drops.forget(g, side)


def reaction(g: G, side: int) -> Procedure:
    """The movement segment of the Reaction Phase: reserves are released and move half their allowance (OCS 5(2))."""
    g.state.todo[REACTING] = 1
    begin(g, side)
    yield from move_all(g, side)


def exploitation(g: G, side: int) -> Procedure:
    """The movement segment of the Exploitation Phase: exploit-marked units at half, released reserves in full (OCS 5(2))."""
    g.state.todo[EXPLOITING] = 1
    begin(g, side)
    yield from move_all(g, side)


def begin(g: G, side: int) -> None:
    """Store where every unit begins the segment (OCS 7(1)); ports have handled nothing yet (OCS 13)."""
    state, own = g.state, BLOCK[side]
    if BEGUN in state.todo:
        return
    state.spent[own], state.origin[own] = [0] * len(GROUND_UNITS[side]), state.where[own]
    state.handled.clear()
    state.todo[BEGUN] = 1


def finish(g: G, side: int) -> None:
    """End the segment. Released artillery may still fire in the phase, so its marker stays (OCS 5(2))."""
    own, number = BLOCK[side], len(GROUND_UNITS[side])
    g.state.spent[own], g.state.origin[own] = [0] * number, [-1] * number
    g.clear_flags(GROUND_UNITS[side], PHASE_FLAGS & ~RELEASED)
    g.state.todo.clear()
    g.state.fresh.clear()
    g.state.blown.clear()
    g.state.unloaded.clear()


def move_all(g: G, side: int) -> Procedure:
    """Stacks move one after the other until the side ends the segment; then excess units are removed (OCS 3(1),
    OCS 6(5))."""
    done = g.rules.button("done")
    present = stacks.Within(g.state.where, GROUND_UNITS[side], range(LAST_BOX + 1))
    ready = stacks.Ready(g, present.now(), partial(can_move, g, side))
    actions = {g.rules.button(word): partial(is_open, g, side, word) for word in ACTIONS if belongs(g, side, word)}
    while REACTING not in g.state.todo or ready or is_called(g, side):
        click, units = yield from stacks.choose(
            g, side, ready, "OCS 6", partial(mates, g, side), partial(movement_prompt, g, side, ready), actions,
            why_not=why_not_chosen,
        )  # fmt: skip
        if click == done:
            break
        if click in actions:
            before = deeds(g)
            yield from ACTIONS[g.rules.names[click]][1](g, side)
            if deeds(g) != before:
                take_up(g, side, ())
        else:
            yield from move_stack(g, side, without_hq(units))
        ready.renew(present.now())
    leave_hedgehogs(g, side)
    if not is_later(g) and not is_mud(g):
        g.state.muddy.pop(SIDES[side], None)
        forget_crowded(g, side)
    for owner in (side, 1 - side):
        yield from remove_excess(g, owner)
    if not is_mud(g):
        clear_belt(g, side)
    finish(g, side)


def leave_hedgehogs(g: G, side: int) -> None:
    """Reserves that have not left a hex with a hedgehog leave Reserve Mode (OCS 5, OCS 16; series 5.7g)."""
    for hex in sorted(modes.reserve_hexes(g, side) & g.state.hedgehog.keys()):
        losses.stand_down(g, side, hex)
        tell(g, side, "OCS 16", "The units in {hex} leave Reserve Mode: a hedgehog is there", hex=hex)


def deeds(g: G) -> tuple[int, ...]:
    """Return what changes when one of the `ACTIONS` is carried out: dice, locations, tokens. It ends the move of the
    moving stack; a cancelled one does not (OCS 6(5); series 6.1g)."""
    return g.dice.count, g.state.where.version, g.state.axis_t.version, g.state.allied_t.version


def without_hq(units: list[int]) -> list[int]:
    """Return the units that a click on a hex selects: without its headquarters, which would turn to Move Mode and throw
    less far. It can be added (OCS 11.2)."""
    return [unit for unit in units if not IS_HQ[unit]] or units


def is_called(g: G, side: int) -> bool:
    """Whether a side without reserves has a decision in the Reaction Phase: a hip shoot, a sweep, or a dump that the
    enemy may enter (OCS 2)."""
    return is_open(g, side, "hip shoot") or is_open(g, side, "sweep") or trucks.is_threatened(g, side)


def movement_prompt(g: G, side: int, ready: stacks.Ready) -> str:
    """Return the prompt of a movement segment."""
    able = ready.now()
    if REACTING in g.state.todo:
        if able.units():
            return "Reaction: release and move a reserve"
        return f"Reaction: no unit in Reserve Mode; {other_actions(g, side)}end movement"
    if is_mud(g):
        return "Mud, no movement: change a mode, or end the phase"
    if EXPLOITING not in g.state.todo:
        return "Move a unit, or end movement"
    if able.units():
        return "Exploitation: move a unit, or end movement"
    return f"Exploitation: no unit can move; {other_actions(g, side)}end movement"


def other_actions(g: G, side: int) -> str:
    """Return what a side without a unit that can move may do, for its prompt."""
    flies = any(is_open(g, side, word) for word in FLIGHTS)
    words = [*(["fly"] if flies else []), *(["blow supply"] if is_open(g, side, "blow") else [])]
    return f"{', '.join(words)}, or " if words else ""


def stack_prompt(g: G, units: Sequence[int]) -> str:
    """Return the prompt for a selected stack."""
    if is_mud(g):
        return f"Mud: choose a mode for {whom(units)}, or add a unit to the stack"
    return f"Move {whom(units)}: choose a hex, or add a unit to the stack"


def is_open(g: G, side: int, word: str) -> bool:
    """Whether a side can take one of the `ACTIONS` now."""
    return ACTIONS[word][0](g, side) is None


def belongs(g: G, side: int, word: str) -> bool:
    """Whether a button belongs to the segment: supply moves by rail and sea in the Movement Phase only, in Mud too, but
    there nothing flies (1.3, OCS 12, OCS 13)."""
    return can_lift(g, side, word.removesuffix(" supply")) if word.endswith(" supply") else not is_mud(g)


def can_lift(g: G, side: int, how: str) -> bool:
    """Whether a side has rail capacity or shipping in this phase at all (OCS 12, OCS 13)."""
    return not is_later(g) and lift.allowance(g, side, how) > 0


def why_no_hip_shoot(g: G, side: int) -> Refusal | None:
    """Return why a side cannot make a hip shoot now (2.1, 3.1, OCS 14.6)."""
    if air.has_target(g, side, hip=True):
        return None
    if g.state.weather != FLIGHT:
        return Refusal("No hip shoot is possible: the weather is No Flight", "OCS 15", "hip shoot")
    text = "no spotted target within reach of an active aircraft that can make one"
    return Refusal(f"No hip shoot is possible: {text}", "2.1" if side == AXIS else "3.1", "hip shoot")


def why_not_shot(g: G, side: int, hex: int) -> Refusal | None:
    """Return why a hex is not the target of a hip shoot (OCS 14.6)."""
    return air.why_not_target(g, side, hex, hip=True)


def hip_shoot(g: G, side: int) -> Procedure:
    """A single aircraft bombs a spotted hex during movement (OCS 14.6)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "air.hip", f"Choose a spotted hex for a hip shoot{ends_move(g, side)}", "OCS 14.6",
        maybe=[g.place0 + hex for hex in air.places(g, side)], buttons=[cancel],
        why_not=for_locations(partial(air.why_not_target, hip=True), side),
    )  # fmt: skip
    if click != cancel:
        yield from air.plan(g, side, g.location(click), hip=True)


ACTIONS: dict[str, tuple[Callable[[G, int], Refusal | None], Callable[[G, int], Procedure]]] = {
    "hip shoot": (why_no_hip_shoot, hip_shoot),
    "sweep": (sorties.why_no_sweep, sorties.sweep),
    "transfer": (sorties.why_no_transfer, sorties.transfer),
    "airlift": (airlift.why_none, airlift.fly),
    "drop": (drops.why_none, drops.drop),
    "blow": (trucks.why_no_dump, trucks.blow_dump),
    "rail supply": (partial(lift.why_no_tokens, how=lift.RAIL), partial(lift.carry_tokens, how=lift.RAIL)),
    "sea supply": (partial(lift.why_no_tokens, how=lift.SEA), partial(lift.carry_tokens, how=lift.SEA)),
}
"""The actions of a side in a movement segment besides moving stacks: the refusal, and the procedure (OCS 2)."""


FLIGHTS = ("hip shoot", "sweep", "transfer", "airlift", "drop")
"""Those of aircraft."""


def clear_belt(g: G, side: int) -> None:
    """Eliminate ground units that end a movement segment in the closed eastern columns: the Axis from 15 February 1943
    on, the Allies before (2.5, 3.6)."""
    late = g.state.turn >= AIR["belt"]["turn"]
    if late == (side == AXIS):
        for unit in GROUND_UNITS[side]:
            if g.state.where[unit] in BELT:
                losses.eliminate(g, unit, "2.5" if side == AXIS else "3.6")


def ground_in(g: G, side: int, location: int) -> list[int]:
    """Return the combat units and transport points of a side in a location."""
    return [*forces_in(g, side, location), *trucks_in(g, side, location)]


def why_not_action(g: G, side: int, word: str) -> Refusal | None:
    """Return why a side cannot press a button while it chooses a stack."""
    return ACTIONS[word][0](g, side) if word in ACTIONS and belongs(g, side, word) else None


why_not_chosen = stacks.why_not_chosen(why_not_moving, "OCS 6", ground_in, why_not_action, known_in)


def move_stack(g: G, side: int, units: list[int]) -> Procedure:
    """Move one unit, or several of a hex together, overrun, change mode, load or fuel (OCS 6(5))."""
    units, click, decision = yield from stacks.select(
        g, units, partial(mates, g, side), partial(ask_where, g, side), DIVISION.__getitem__
    )
    if not units:
        return
    word = g.rules.names[click] if click >= g.rules.first_button else ""
    if word in (lift.RAIL, lift.SEA):
        yield from lift.carry_units(g, side, units, word)
        if any(g.state.flags[unit] & FINISHED for unit in units):
            take_up(g, side, ())
        return
    if word == "build":
        yield from construction.build(g, side, units)
        return
    if word == "collapse":
        yield from trucks.collapse(g, side, units)
        if any(g.state.flags[unit] & FINISHED for unit in units):
            take_up(g, side, ())
        return
    if word:
        act(g, side, units, word)
        return
    legal, hex = decision.legal, g.location(click)
    assert isinstance(legal, Modes)
    found = legal.mode(click)
    assert found is not None
    one, part = found
    start_move(g, side, units, one)
    if forces_in(g, 1 - side, hex):
        yield from overrun.overrun(g, side, units, hex)
    elif hex in part.reach:
        walk(g, side, units, part.reach, hex)
    else:
        step(g, side, units, hex)


def start_move(g: G, side: int, units: Sequence[int], one: Option) -> None:
    """Begin or continue the move of a stack: its fuel, its release, its mode. A headquarters can fuel itself before it
    takes Strat Mode, in which it throws nothing (OCS 5(1), OCS 11.4)."""
    take_up(g, side, units)
    fuel.fuel(g, side, units, one.flags)
    if is_later(g):
        release(g, units)
    elif one.word:
        modes.change(g, units, one.word)


def ask_where(g: G, side: int, units: list[int], others: Sequence[int]) -> Decision:
    """Ask for the destination and mode of a stack, another action, or units that join or leave it."""
    click, here = g.rules.button_clicks, g.state.where[units[0]]
    more: dict[int, Hint] = dict.fromkeys([*units, click["cancel"]])
    stack = trucks_in(g, side, here) if IS_TRUCK[units[0]] else forces_in(g, side, here)
    joined = [unit for unit in stack if unit not in units]
    buttons = partial(own_buttons, g, tuple(units))

    def is_legal(click: int) -> bool:
        if g.is_unit(click):
            return click in others
        word = g.rules.names[click]
        if word == "formation":
            return bool(stacks.formation_mates(units, others, DIVISION.__getitem__))
        return applies(g, units, word) and why_not_button(g, side, units, word) is None

    every = [*joined, *([click["formation"]] if joined else []), *[click[word] for word in BUTTON_ORDER]]
    if not on_map(g, units[0]):
        return Decision(
            side, "move.to", f"{whom(units)} waits in a box: ship it, or add a unit", "1.5c", Choices(more, every, is_legal),
            about=tuple(units), buttons=buttons, why_not=why_not_there,
        )  # fmt: skip
    parts = all_destinations(g, side, units)
    return Decision(
        side, "move.to", partial(stack_prompt, g, units), "OCS 6",
        Modes(parts, more, every, is_legal, worded), about=tuple(units), buttons=buttons, why_not=why_not_there,
        reach=partial(widest, parts),
    )  # fmt: skip


def why_not_at(g: G, side: int, units: Sequence[int], hex: int) -> Refusal | None:
    """Return why a stack cannot move to a hex, or overrun the enemy in it, in any mode; of several reasons that of the mode
    whose reach is shown."""
    if not on_map(g, units[0]):
        label = BOARD.name(hex)
        return Refusal(f"{whom(units)} cannot march to {label}: it is in a box and moves by sea or rail", "1.5c", label)
    choices = options(g, side, units)
    if forces_in(g, 1 - side, hex):
        refusals = [overrun.why_not(g, side, units, one.flags, hex) for one in choices]
        other = [refusal for refusal in refusals if refusal and refusal.rule != "OCS 7(1)"]
        return other[0] if other else refusals[0]
    reasons = [ways.why_not(g, one.way, hex, whom(units), ends(g, side, units, one)) for one in choices]
    if not all(reasons):
        return None
    widths = [int(ways.reach(one.way).reached.sum()) for one in choices]
    return reasons[widths.index(max(widths))]


def why_not_along(g: G, units: Sequence[int], unit: int) -> Refusal | None:
    """Return why a unit of the same hex that can move cannot join a stack (OCS 6(5))."""
    if unit in mates(g, SIDE[unit], units):
        return None
    if IS_TRUCK[unit] != IS_TRUCK[units[0]]:
        text = "trucks and combat units move separately"
    else:
        text = "it has begun to move and they have not" if g.state.flags[unit] & MOVING else "they have begun to move"
    return Refusal(f"{name(unit)} cannot join {whom(units)}: {text}", "OCS 6(5)", name(unit))


def why_not_act(g: G, side: int, units: Sequence[int], word: str) -> Refusal | None:
    """Return why a stack cannot press one of its buttons."""
    return why_not_button(g, side, units, word) if word in BUTTON_ORDER and applies(g, units, word) else None


why_not_there = unless_legal(
    stacks.why_not_going(
        "OCS 6", range(HEXES), why_not_moving, why_not_at, why_not_along, why_not_act, rule_along="OCS 6(5)"
    )
)
"""Why a stack cannot move to a hex in any mode, a unit cannot join it, or a button is illegal (OCS 6)."""


def walk(g: G, side: int, units: Sequence[int], reach: Reach, hex: int) -> None:
    """Move a stack to a hex it reaches (OCS 6(1))."""
    cost, path, start = reach.cost(hex), reach.path(hex), g.state.where[units[0]]
    tell(g, side, "OCS 6", "{units} {units:moves|move} from {hex_from} to {hex}, {cost} MPs",
         "Units move from {hex_from} to {hex}", units=names(units), hex_from=start, hex=hex, cost=shown(cost))  # fmt: skip
    if TRUCK in [MOBILITY[unit][int(bool(g.state.flags[unit] & MOVE))] for unit in units]:
        entered = any(g.state.spent[unit] and g.state.origin[unit] != start for unit in units)
        hold_posts(g, side, units, [*([start] if entered else []), *path[:-1]])
    for unit in units:
        g.state.spent[unit] += cost
        g.state.where[unit] = hex
    control.enter(g, side, units, [start, *path])


def hold_posts(g: G, side: int, units: Sequence[int], left: Sequence[int]) -> None:
    """A combat unit that lets truck units pass an enemy ZOC spends no more MPs in this phase: one in each hex that they enter
    and leave (OCS 4(2))."""
    zoned = zone(g, 1 - side)
    for hex in left:
        friends = [unit for unit in forces_in(g, side, hex) if unit not in units] if zoned[hex] else []
        if friends and not any(g.state.flags[unit] & FINISHED for unit in friends):
            post = min(friends, key=lambda unit: (MA[unit][1], unit))
            g.state.flags[post] |= FINISHED
            tell(g, side, "OCS 4(2)", "{unit} lets truck units pass {hex} and spends no more MPs", unit=post, hex=hex)


def step(g: G, side: int, units: Sequence[int], hex: int) -> None:
    """The minimum move: one hex for all MPs (OCS 6(2))."""
    start = g.state.where[units[0]]
    tell(g, side, "OCS 6(2)", "{units} {units:moves|move} from {hex_from} to {hex}, all MPs",
         "Units move from {hex_from} to {hex}", units=names(units), hex_from=start, hex=hex)  # fmt: skip
    for unit in units:
        g.state.spent[unit] = max(modes.allowance(unit, g.state.flags[unit], phase_share(g)), 1)
        g.state.where[unit] = hex
    control.enter(g, side, units, [start, hex])
