"""Movement (11): the phase, and land movement of regular units and lorries (11.1). Sea, rail, lorries' loads and captured
installations are in `transport`, overruns in `overrun`."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial

from khamsin.games.paa import losses, malta, overrun, transport
from khamsin.games.paa.control import pass_through
from khamsin.games.paa.ground import LAYOUT, LORRY_GROUND, NODE, UNIT_GROUND
from khamsin.games.paa.stacking import INSTALLATIONS, UNITS, overfull, regulars
from khamsin.games.paa.supply import (
    BOUND_BY,
    BOUND_UNITS,
    dry,
    judge,
    lines,
    lines_without,
    stranded_by_leaving,
    unsupported,
)
from khamsin.games.paa.units import (
    ALL,
    AXIS,
    BOARD,
    DEPOT,
    DEPOT_SPAN,
    DEPOTS,
    DISMOUNTED,
    HEXES,
    LIBYA,
    LORRIES,
    LORRY,
    LORRY_SPAN,
    MF,
    MOVED,
    OOC,
    OOS,
    OWES,
    REGULAR,
    REGULAR_SPAN,
    REGULARS,
    SHIPPED,
    SPAN,
    STOPPED,
    G,
    name,
    whom,
    why_not_own,
)  # fmt: skip
from khamsin.games.paa.zones import enemy_fort, front, zone, zone_causes, zone_names
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import FAR
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import stacks, ways
from khamsin.mechanics.destinations import Destinations
from khamsin.mechanics.ways import APART, Bar, End, Hold, Limits, Reach, Way, first_steps

IDLE = OOS | OOC | DISMOUNTED | SHIPPED
"""Flags that keep a unit from any action (10.3, 11, 11.2)."""
HELD_BACK = STOPPED | OWES
"""Flags that keep a unit from most actions (11.1.4, 11.1.5)."""
MOBILE = tuple((*REGULARS[side], *LORRIES[side], *DEPOTS[side]) for side in (0, 1))
"""The pieces of each side that can be chosen to move."""
WITHIN = Limits("11.1", "it costs {cost} MF, {left} left")
"""The limit of a stack by the MF that it has left (11.1)."""
BORDER = Bar(
    APART, LAYOUT.mask(LIBYA), "9", "no Axis unit may cross into Egypt in the turn of the attempt on Malta",
    into=LAYOUT.mask(hex for hex in range(HEXES) if hex not in LIBYA),
)  # fmt: skip
"""The border, in the turn of an attempt on Malta (9)."""


def movement(g: G, side: int) -> Procedure:
    """The movement phase: the side moves any of its pieces, in any order (11)."""
    done, where = g.rules.button("done"), g.state.where
    if not g.state.begun:
        begin(g, side)
    ready = stacks.Ready(
        g, MOBILE[side], partial(can_move, g, side), partial(surely_moves, g), partial(moving_depends_on, g, side)
    )  # fmt: skip
    end = {done: partial(can_end, g, side)}
    while True:
        click, units = yield from stacks.choose(
            g, side, ready, "11", partial(mates, g, side), maybe=end, why_not=why_not_chosen
        )
        if click == done:
            break
        enemy = where.versions[1 - side]
        if REGULAR[units[0]]:
            units = yield from move_units(g, side, units)
        elif LORRY[units[0]]:
            yield from transport.drive(g, side, units[0])
        else:
            yield from transport.send(g, side, units[0])
            units = [*units, *LORRIES[side]]
        if enemy == where.versions[1 - side]:
            ready.update(units)
        else:
            ready.renew()
    yield from remove_excess(g, side)
    finish(g, side)


def begin(g: G, side: int) -> None:
    """Judge the enemy's supply for this turn, and store where every unit starts (8.4, 11.4)."""
    judge(g, 1 - side)
    state, span = g.state, SPAN[side]
    state.origin[span] = state.where[span]
    state.spent[span] = state.load[span] = [0] * len(ALL[side])
    state.flags[span] = [marks & ~(MOVED | STOPPED | SHIPPED) for marks in state.flags[span]]
    state.begun = 1


def finish(g: G, side: int) -> None:
    """Unload lorries and reset MF; moved installations stay flagged for combat (8.5)."""
    state, span, pieces = g.state, SPAN[side], len(ALL[side])
    state.origin[span] = [NOWHERE] * pieces
    state.spent[span] = state.load[span] = [0] * pieces
    for kind in (REGULAR_SPAN[side], DEPOT_SPAN[side]):
        state.via[kind] = [0] * (kind.stop - kind.start)
    for kind, flags in ((span, STOPPED | SHIPPED), (REGULAR_SPAN[side], MOVED), (LORRY_SPAN[side], MOVED)):
        state.flags[kind] = [marks & ~flags for marks in state.flags[kind]]
    state.port.clear()
    state.begun = 0


def remove_excess(g: G, side: int) -> Procedure:
    """If a hex is overstacked and nothing can leave, the owner removes the excess (4)."""
    while crowded := overfull(g, side):
        hex = crowded[0]
        pieces = regulars(g, side, hex)
        if UNITS.room(g, side, hex) >= 0:
            pieces = [u for u in DEPOTS[side] if g.state.where[u] == hex]
        click = yield g.ask(
            side, "stacking.excess", f"{BOARD.name(hex)} is overstacked: choose a piece to remove", "4", units=pieces,
            why_not=partial(why_not_excess, hex=hex),
        )  # fmt: skip
        if DEPOT[click]:
            transport.to_pool(g, side, click)
        else:
            losses.eliminate(g, [click])


def why_not_excess(g: G, decision: Decision, click: int, hex: int) -> Refusal | None:
    """Only the owner's pieces of the overstacked kind are removed (4)."""
    return Refusal(
        f"{g.rules.names[click]} cannot be removed: it is not among the excess pieces in {BOARD.name(hex)}", "4",
        BOARD.name(hex),
    )  # fmt: skip


def can_end(g: G, side: int) -> bool:
    """Whether no hex is overstacked, apart from those that nothing can leave (4)."""
    return not any(can_mend(g, side, hex) for hex in overfull(g, side))


def can_mend(g: G, side: int, hex: int) -> bool:
    """Whether pieces can still leave an over-full hex (4)."""
    if UNITS.room(g, side, hex) < 0:
        return any(can_leave(g, side, unit) for unit in regulars(g, side, hex))
    return transport.can_be_cleared(g, side, hex)


def can_leave(g: G, side: int, unit: int) -> bool:
    """Whether a unit has a step out of its hex to one with room, or an overrun (4, 11.1)."""
    state = g.state
    if state.flags[unit] & (IDLE | HELD_BACK) or state.spent[unit] >= MF[unit]:
        return can_move(g, side, unit)
    return any(UNITS.room(g, side, there) > 0 for there, _ in first_steps(way(g, side, [unit])))


def can_move(g: G, side: int, unit: int) -> bool:
    """Whether a piece can act in this phase (11)."""
    return not is_stopped(g, side, unit) and why_not_moving(g, side, unit) is None


def is_stopped(g: G, side: int, unit: int) -> bool:
    """Whether a unit has stopped in an enemy ZOC, with nothing to set down and nothing to overrun (11.1.4, 11.3, 11.4)."""
    if not g.state.flags[unit] & STOPPED or g.state.load[unit]:
        return False
    return not (REGULAR[unit] and overrun.possible(g, side, unit))


def surely_moves(g: G, unit: int) -> bool | None:
    """Whether a piece can move, as long as the enemy does not; None if that depends on others (11)."""
    state = g.state
    marks = state.flags[unit]
    if DEPOT[unit]:
        return None if state.where[unit] < HEXES and not marks & IDLE else False
    if marks & IDLE or not 0 <= state.where[unit] < HEXES:
        return False
    if state.load[unit]:
        return True
    if state.spent[unit] >= MF[unit]:
        return False
    return None if marks & HELD_BACK else True


def moving_depends_on(g: G, side: int, unit: int) -> tuple[int, ...]:
    """Return what decides whether a piece can move, besides its own state: the locations of all units, and loads (11)."""
    where = g.state.where
    return where.versions[0], where.versions[1], *g.state.load[LORRY_SPAN[side]]


def why_not_moving(g: G, side: int, unit: int) -> Refusal | None:
    """Return why a piece cannot act in this phase (11)."""
    state, who = g.state, name(unit)
    here, flags = state.where[unit], state.flags[unit]
    if not 0 <= here < HEXES:
        where = "not in the game" if here < 0 else f"in {BOARD.name(here)}"
        return Refusal(f"{who} cannot move: it is {where}", "11", who)
    if flags & IDLE:
        return Refusal(f"{who} cannot move: {why_idle(flags)[0]}", why_idle(flags)[1], who)
    if DEPOT[unit]:
        return transport.why_not_sent(g, side, unit)
    if state.load[unit]:
        return None
    if state.spent[unit] >= MF[unit]:
        return Refusal(f"{who} cannot move: all {MF[unit]} MF are spent", "11.1", who)
    if is_stopped(g, side, unit):
        causes = zone_names(g, here, 1 - side)
        return Refusal(
            f"{who} cannot move: it stopped in the ZOC of {', '.join(causes[:3]) or 'the enemy'}", "11.1.4",
            causes[0] if causes else who,
        )  # fmt: skip
    fort = enemy_fort(g, side, here) if flags & OWES else None
    if fort is not None:
        reason = f"it advanced into the fort zone of {BOARD.name(fort)} and must attack the fort first"
        return Refusal(f"{who} cannot move: {reason}", "11.1.5", BOARD.name(fort))
    return None


def why_idle(flags: int) -> tuple[str, str]:
    """Return what keeps a unit from any action, and the rule (8.4, 10.3, 11.2, 13.6)."""
    if flags & DISMOUNTED:
        return "it is dismounted and counts as out of supply", "13.6"
    if flags & OOS:
        return "it is out of supply", "8.4"
    if flags & OOC:
        return "it is out of command", "10.3"
    return "it moved by sea and may do nothing else this phase", "11.2"


def why_not_ended(g: G, side: int, button: str) -> Refusal | None:
    """Return why the phase cannot be ended: pieces can still leave an overstacked hex (4)."""
    hex = next((hex for hex in overfull(g, side) if can_mend(g, side, hex)), None) if button == "done" else None
    if hex is None:
        return None
    kind = UNITS if UNITS.room(g, side, hex) < 0 else INSTALLATIONS
    reason = f"{BOARD.name(hex)} has more than {kind.limits[hex]} {kind.noun}; move one out first"
    return Refusal(reason, "4", BOARD.name(hex))


not_own = partial(why_not_own, rule="7.1")
why_not_chosen = stacks.why_not_chosen(why_not_moving, "11", why_not_button=why_not_ended, why_not_own=not_own)
"""Why a piece or a hex cannot be chosen to move, or the phase cannot be ended (4, 11)."""


def mates(g: G, side: int, group: Sequence[int]) -> list[int]:
    """Return the units that may move together with a stack: regular units of its hex that can move (11.1)."""
    if not REGULAR[group[0]]:
        return []
    stack = regulars(g, side, g.state.where[group[0]])
    return [u for u in stack if u not in group and can_move(g, side, u)]


def move_units(g: G, side: int, units: list[int]) -> Generator[Decision, int, list[int]]:
    """Move a stack over land, by overrun or by sea, and return its units (11.1, 11.2, 11.4)."""
    units, click, decision = yield from stacks.select(g, units, partial(mates, g, side), partial(ask_where, g, side))
    if not units:
        return []
    if click == g.rules.button_clicks["by sea"]:
        yield from transport.ship(g, side, units[0])
        return units
    hex = g.location(click)
    if hex in front(g, 1 - side).barred:
        yield from overrun.overrun(g, side, units, hex)
    else:
        walk(g, side, units, decision.reach, hex)
    return units


def ask_where(g: G, side: int, units: list[int], others: Sequence[int]) -> Decision:
    """Ask for the destination of a stack, or for units that join or leave it (11.1, 11.2, 11.4)."""
    here, by_sea = g.state.where[units[0]], g.rules.button_clicks["by sea"]
    found = reachable(g, side, units)
    open_ = Destinations(
        g.place0, found, ends(g, side, units), dict.fromkeys((*units, g.rules.button_clicks["cancel"]))
    )
    open_.maybe([u for u in g.state.where.stacks(side)[here] if u not in units], lambda: dict.fromkeys(others))
    if near := overrun.neighbours(g, side, here):
        open_.maybe([g.place0 + hex for hex in near], partial(overrun_clicks, g, side, units))
    if here in transport.PORTS:
        open_.maybe_button(by_sea, lambda: transport.why_not_by_sea(g, side, units) is None)
    return Decision(
        side, "move.to", lambda: f"Move {whom(units)}: choose a hex, or add a unit of the stack", "11.1", open_,
        about=tuple(units), buttons=(by_sea,), why_not=why_not_there, reach=found,
    )  # fmt: skip


def overrun_clicks(g: G, side: int, units: Sequence[int]) -> dict[int, dict[str, int]]:
    """Return the hexes that a stack can overrun, with the cost (11.4)."""
    return {g.place0 + hex: {"overrun": price} for hex, price in overrun.targets(g, side, units).items()}


def why_not_along(g: G, units: Sequence[int], unit: int) -> Refusal | None:
    """Regular units move together (11.1)."""
    if REGULAR[unit] and REGULAR[units[0]]:
        return None
    return Refusal(f"{name(unit)} cannot join {whom(units)}: only regular units move together", "11.1", name(unit))


def why_not_at(g: G, side: int, units: Sequence[int], hex: int) -> Refusal | None:
    """Return why a stack cannot move to a hex, or overrun the enemy in it (11.1, 11.4)."""
    if hex in front(g, 1 - side).barred:
        return overrun.why_not(g, side, units, hex)
    return ways.why_not(g, way(g, side, units), hex, whom(units), ends(g, side, units))


def why_not_by(g: G, side: int, units: Sequence[int], button: str) -> Refusal | None:
    """Return why a stack cannot go by sea (11.2)."""
    return transport.why_not_by_sea(g, side, units) if button == "by sea" else None


why_not_there = stacks.why_not_going(
    "11.1", range(HEXES), why_not_moving, why_not_at, why_not_along, why_not_by, why_not_own=not_own
)
"""Why a stack cannot go to a hex or by sea, or a unit not go along (4, 11.1, 11.2, 11.4)."""


def way(g: G, side: int, group: Sequence[int]) -> Way:
    """Return the way of a stack: the border (9), what holds it in its hex, its MF (11.1.2-3), the enemy (11.1,
    11.1.4-6) and its supply (11.1.1)."""
    state, left = g.state, FAR
    starts: dict[int, None] = {}
    for unit in group:
        left = min(left, MF[unit] - state.spent[unit])
        starts[start_node(g, unit)] = None
    return Way(
        LORRY_GROUND if LORRY[group[0]] else UNIT_GROUND,
        tuple(starts),
        (
            *((BORDER,) if side == AXIS and malta.border_closed(g) else ()),
            *holds(g, side, group),
            WITHIN[left],
            *front(g, 1 - side).bars,
            *supply_bars(g, side, group),
        ),
    )


def holds(g: G, side: int, group: Sequence[int]) -> list[Hold]:
    """A unit that has entered an enemy ZOC stays, and so does one whose leaving would cut others off from supply
    (8.4.1-2, 11.1.1, 11.1.4)."""
    state, found = g.state, []
    for unit in group:
        if state.flags[unit] & STOPPED:
            causes = [name(u) for u in zone_causes(g, 1 - side, state.where[unit])] or [name(unit)]
            found.append(Hold("11.1.4", f"{name(unit)} stopped in the ZOC of {', '.join(causes[:3])}", causes[0]))
    lost = stranded_by_leaving(g, side, group)
    if lost:
        where = BOARD.name(state.where[lost[0]])
        found.append(Hold(BOUND_BY[side], f"{name(lost[0])} in {where} would lose supply", name(lost[0])))
    return found


def supply_bars(g: G, side: int, group: Sequence[int]) -> tuple[Bar, ...]:
    """Bound units and lorries may not move out of supply, not even in passing (8.4.1, 8.4.2, 11.1.1)."""
    if BOUND_UNITS.isdisjoint(group):
        return ()
    carried = g.state.load[group[0]]
    if carried:
        return (unsupported(side, lines(g, side, without=[carried - 1])),)
    return (dry(side, lines_without(g, side, group), REGULAR[group[0]]),)


def ends(g: G, side: int, group: Sequence[int]) -> tuple[End, ...]:
    """A stack may pass a full hex but not end there, unless units in it can still leave (4, 11.1)."""
    return (UNITS.end(g, side, group, partial(can_leave, g, side)),) if REGULAR[group[0]] else ()


def reachable(g: G, side: int, group: Sequence[int]) -> Reach:
    """Return the reach of a stack (11.1)."""
    return ways.reach(way(g, side, group))


def start_node(g: G, unit: int) -> int:
    """Return the unit's start node: the road or track it arrived by, else the hex. Hypothetical locations use the hex
    (11.1.2)."""
    here, via = g.state.where[unit], g.state.via[unit]
    return NODE.get((here, via - 1), here) if via else here


def walk(g: G, side: int, group: Sequence[int], reach: Reach, hex: int) -> None:
    """Move a stack to a hex it can reach (11.1)."""
    cost, path, state = reach.cost(hex), reach.path(hex), g.state
    for unit in group:
        g.log("11.1", "{unit} moves from {hex_from} to {hex} for {cost} MF", unit=unit, hex_from=state.where[unit], hex=hex,
              cost=cost)  # fmt: skip
        state.spent[unit] += cost
    arrive(g, side, group, hex, path, reach.node(hex))


def arrive(g: G, side: int, group: Sequence[int], hex: int, path: Sequence[int], node: int = NOWHERE) -> None:
    """A stack enters a new hex: control, ZOCs, installations there (5, 11.1.4, 11.1.6)."""
    state = g.state
    zoned = zone(g, 1 - side)[hex]
    for unit in group:
        state.where[unit] = hex
        state.via[unit] = node - NODE[hex, 0] + 1 if node >= HEXES else 0
        state.flags[unit] = state.flags[unit] & ~OWES | MOVED | (STOPPED if zoned else 0)
        if state.load[unit]:
            depot = state.load[unit] - 1
            state.where[depot] = hex
            state.flags[depot] |= MOVED
    if REGULAR[group[0]]:
        pass_through(g, side, path or (hex,))
    transport.capture(g, side, hex)
