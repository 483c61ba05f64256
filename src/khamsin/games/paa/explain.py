"""Why not? For any unit and hex, the reason, the section and what causes it. Also which positions play can never reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from khamsin.games.paa import malta, movement, overrun, transport
from khamsin.games.paa.ground import NODE_HEX, NODES, OPEN_SIDES, SUPPLY
from khamsin.games.paa.stacking import limit, overfull, room
from khamsin.games.paa.supply import BOUND
from khamsin.games.paa.units import (
    ALL,
    ALLIED,
    AXIS,
    BOARD,
    DEPOT,
    DEPOTS,
    DISMOUNTED,
    HEXES,
    LIBYA,
    LORRY,
    MF,
    OOC,
    OOS,
    OWES,
    REGULAR,
    SHIPPED,
    SIDE,
    STOPPED,
    G,
    name,
)  # fmt: skip
from khamsin.games.paa.zones import enemy_fort, front, zone, zone_causes
from khamsin.kernel.flood import CLOSED, FAR, NEVER
from khamsin.kernel.rules import Decision, Refusal


def explain(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click is not open."""
    if not decision.kind.startswith(("move", "overrun", "stack")):
        return None
    if g.is_unit(click):
        return why_not_unit(g, decision.side, click)
    if click < g.rules.first_button and BOARD.is_hex(g.location(click)) and decision.about:
        hex = g.location(click)
        if decision.rule == "11.2" and hex not in transport.PORTS:
            return Refusal(f"{BOARD.name(hex)} is not a port", "2.1.2", BOARD.name(hex))
        if decision.rule.startswith("11"):
            return why_not_there(g, decision.side, decision.about, hex)
    if g.rules.names[click] == "done" and decision.rule == "11":
        hex = overfull(g, decision.side)[0]
        return Refusal(
            f"more than {limit(hex)} units or one installation are in {BOARD.name(hex)}", "4", BOARD.name(hex)
        )
    return None


def why_not_unit(g: G, side: int, unit: int) -> Refusal | None:
    """Why a unit cannot be chosen now."""
    state = g.state
    where, flags = state.where[unit], state.flags[unit]
    if SIDE[unit] != side:
        return Refusal(f"{name(unit)} is not yours", "7.1", name(unit))
    if not 0 <= where < HEXES:
        place = "not in the game" if where < 0 else f"in {BOARD.name(where)}"
        return Refusal(f"{name(unit)} is {place}, not on the map", "11", name(unit))
    for flag, reason, rule in (
        (DISMOUNTED, "is dismounted, and so counts as out of supply", "13.6"),
        (OOS, "is out of supply", "8.4"),
        (OOC, "is out of command", "10.3"),
        (SHIPPED, "went by sea and may do nothing else this phase", "11.2"),
    ):
        if flags & flag:
            return Refusal(f"{name(unit)} {reason}", rule, BOARD.name(where))
    if _phase_rule(g) != "11":
        return None
    if flags & STOPPED:
        causes = zone_causes(g, 1 - side, where)
        names = ", ".join(name(u) for u in causes[:3])
        return Refusal(f"{name(unit)} entered the zone of {names} and must stop", "11.1.4", names)
    if DEPOT[unit]:
        return Refusal("an installation moves only on a lorry, by rail or by sea", "11.3", BOARD.name(where))
    if state.spent[unit] >= MF[unit]:
        return Refusal(f"{name(unit)} has no MF left", "11.1", name(unit))
    fort = enemy_fort(g, side, where)
    if flags & OWES and fort is not None:
        return Refusal(f"{name(unit)} advanced into the zone of {BOARD.name(fort)} and must attack it first", "11.1.5")
    return None


def why_not_there(g: G, side: int, group: Sequence[int], hex: int) -> Refusal:
    """Why a group cannot go to a hex: the first reason that alone would forbid it."""
    state = g.state
    unit = group[0]
    here = state.where[unit]
    label = BOARD.name(hex)
    if hex == here:
        return Refusal("it is there already", "11.1", label)
    if not BOARD.enterable(hex):
        return Refusal(f"{label} is {BOARD.terrain_name(hex)}", "2.1.1", label)
    if DEPOT[unit]:
        return _why_not_sent(g, side, unit, hex)
    enemies = [u for u in ALL[1 - side] if state.where[u] == hex and not DEPOT[u]]
    if enemies:
        names = ", ".join(name(u) for u in enemies[:3])
        refusal = overrun.why_not(g, side, group, hex) or Refusal("add units until destruction is certain", "11.4")
        return Refusal(f"{names} stand there: {refusal.reason}", refusal.rule, names)
    left = min(MF[u] - state.spent[u] for u in group)
    free = _cost(g, side, group)
    if free[hex] == FAR:
        if LORRY[unit]:
            return Refusal(f"no road or track leads a lorry to {label}", "11.1.3", label)
        if side == AXIS and malta.border_closed(g) and hex not in LIBYA:
            return Refusal("no Axis unit crosses into Egypt in the turn of the attempt on Malta", "9", label)
        if hex in BOARD.around(here) and hex not in OPEN_SIDES[here]:
            return Refusal(f"the side between {BOARD.name(here)} and {label} is prohibited", "2.1.1", label)
        return Refusal(f"no way leads to {label}", "11.1", label)
    if any(state.flags[u] & STOPPED for u in group):
        names = ", ".join(name(u) for u in zone_causes(g, 1 - side, here)[:3])
        return Refusal(f"it entered the zone of {names} and must stop", "11.1.4", names)
    lost = movement.leaving_strands(g, side, group)
    if lost:
        where = BOARD.name(state.where[lost[0]])
        return Refusal(f"{name(lost[0])} in {where} would lose supply", _bound_by(side), name(lost[0]))
    if free[hex] > left:
        return Refusal(f"too far: {label} costs {free[hex]} MF and {left} are left", "11.1", label)
    past_enemies = movement.flood(g, side, unit, left, front(g, 1 - side).way_mask)
    if _reaches(past_enemies, hex):
        return _why_not_stop(g, side, group, hex, past_enemies)
    zoned = zone(g, 1 - side)
    blind = movement.network(g, side, unit).flood([here], FAR - NEVER)
    way = [NODE_HEX[n] for n in blind.path(min((n for n in NODES[hex] if n in blind), key=blind.cost))]
    barrier = next((h for h in way[1:] if zoned[h]), hex)
    names = ", ".join(name(u) for u in zone_causes(g, 1 - side, barrier)[:3])
    return Refusal(
        f"its way would cross {BOARD.name(barrier)}, in the zone of {names}, where it must stop", "11.1.4", names
    )


def _bound_by(side: int) -> str:
    return "8.4.1" if side == ALLIED else "8.4.2"


def _why_not_stop(g: G, side: int, group: Sequence[int], hex: int, reach: movement.Reach) -> Refusal:
    """The way is free of enemies: supply, stacking or what is carried forbids it."""
    label = BOARD.name(hex)
    carried = g.state.load[group[0]] - 1
    if any(BOUND[u] for u in group):
        mask = movement.way_mask(g, side, group)
        dry = next((h for h in [*reach.path(reach.node(hex)), hex] if mask[h] == CLOSED), None)
        if dry is not None:
            where = "there" if dry == hex else f"on the way, in {BOARD.name(dry)}"
            what = f"it would be out of supply {where}: no installation with a line to a terminal is within {SUPPLY} MF"
            return Refusal(what, _bound_by(side), BOARD.name(dry))
    if carried >= 0:
        for place in [*reach.path(reach.node(hex)), hex]:
            lost = transport.strands(g, side, carried, place, transport.dependants(g, side, carried))
            if lost:
                return Refusal(
                    f"{name(lost[0])} would lose supply with the installation in {BOARD.name(place)}",
                    _bound_by(side), name(lost[0]),
                )  # fmt: skip
        if any(g.state.where[u] == hex for u in DEPOTS[side]):
            return Refusal(f"an installation is in {label} already, and could not be taken away", "4", label)
    if room(g, side, hex) < sum(REGULAR[u] for u in group):
        return Refusal(f"{limit(hex)} units are all that may stand in {label}", "4", label)
    return Refusal(f"{label} can be reached, but not by this step", "11.1", label)


def _why_not_sent(g: G, side: int, depot: int, hex: int) -> Refusal:
    """Why an installation cannot go to a hex by rail or sea."""
    label = BOARD.name(hex)
    if hex in transport.RAILROAD and hex not in transport.working_railroad(g):
        return Refusal(f"the railroad does not run to {label}: an Axis zone cuts it", "11.3.1", label)
    if any(g.state.where[u] == hex for u in DEPOTS[side]):
        return Refusal(f"an installation is in {label} already", "4", label)
    lost = transport.strands(g, side, depot, hex, transport.dependants(g, side, depot))
    if lost:
        return Refusal(f"{name(lost[0])} would lose supply with the installation there", _bound_by(side), name(lost[0]))
    return Refusal(f"neither the railroad nor a ship takes it to {label}", "11.3", label)


def _cost(g: G, side: int, group: Sequence[int]) -> list[int]:
    """What every hex costs a group, enemies and supply left aside."""
    start = np.array([g.state.where[group[0]]], dtype=np.uint16)
    distance = movement.network(g, side, group[0]).spread(start, FAR - NEVER)[0]
    return [int(min(distance[n] for n in NODES[h])) for h in range(HEXES)]


def _reaches(reach: movement.Reach, hex: int) -> bool:
    return bool(reach.distance[reach.node(hex)] != FAR)


def impossible(g: G) -> str:
    """What could never arise in play: both sides in a hex, pieces in the sea (2.1.1, 11.1)."""
    where = g.state.where
    held: dict[int, int] = {}
    for unit in (*ALL[AXIS], *ALL[ALLIED]):
        hex = where[unit]
        if not 0 <= hex < HEXES:
            continue
        if not BOARD.enterable(hex):
            return f"{name(unit)} is in {BOARD.name(hex)}, which is {BOARD.terrain_name(hex)}"
        if not DEPOT[unit] and held.setdefault(hex, SIDE[unit]) != SIDE[unit]:
            return f"units of both sides are in {BOARD.name(hex)}"
    if _phase_rule(g) == "11":
        return ""  # within a movement phase stacks may be too large for a while (4)
    for side in (AXIS, ALLIED):
        for hex in overfull(g, side):
            return f"more than {limit(hex)} units or one installation are in {BOARD.name(hex)}, against stacking (4)"
    return ""


def _phase_rule(g: G) -> str:
    phases = g.rules.phases(g.state)
    return phases[min(g.state.phase, len(phases) - 1)].rule
