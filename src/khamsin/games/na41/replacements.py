"""Replacements (19): receiving them, restoring steps, and returning units from the Eliminated Box."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial

from khamsin.games.na41 import losses, supply
from khamsin.games.na41.units import (
    ASU,
    AXIS,
    BASE,
    BOARD,
    COMBAT,
    DELTA,
    ELIMINATED,
    FORCES,
    HEAVY,
    HEXES,
    HQ,
    LANDING,
    MATILDA,
    NATION,
    NATIONS,
    OFF_MAP,
    OOS,
    POOL,
    REPLACED,
    REPLACEMENTS,
    REPLACES,
    RESERVE,
    SCHEDULE,
    SIDE,
    SIDES,
    STEPS,
    SUPPLY,
    SURRENDERED,
    SURRENDERED_BEFORE,
    TANK,
    TRANSPORTED,
    WITHDRAWN,
    G,
    combat_units,
    good_order,
    name,
)
from khamsin.games.na41.zones import adjacent_enemies
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_units

RANGE: int = SUPPLY["range"]["replacement"]
HEAVY_KIND, TANK_KIND, INFANTRY_KIND = "heavy", "tank", "infantry"
ANY, BRITISH_OR_INDIAN = "any", "BR/IN"


# Receiving


def receive(g: G, side: int) -> Procedure:
    """Move the replacements of a turn from the pool to the base; one that the pool lacks is forfeited (2.2.3, 19.1.1,
    19.2.2)."""
    for row in SCHEDULE["replacement"]:
        if row["turn"] == g.state.turn and row["side"] == SIDES[side]:
            unit = yield from choose_received(g, side, row["nation"], row["kind"])
            if unit is None:
                text = "A replacement is forfeited, none is left in the pool: {nation}, {kind}"
                g.log("19.2.2", text, nation=in_words(row["nation"]), kind=row["kind"])
                continue
            g.state.where[unit] = BASE[side]
            g.state.flags[unit] = HEAVY if row["kind"] == HEAVY_KIND else 0
            g.log("19.1.1", "{unit} arrives in {hex}", unit=unit, hex=BASE[side])


def in_words(nation: str) -> str:
    """Return the nation of a row of the turn track in words (19.2.4)."""
    return "any nation" if nation == ANY else " or ".join([NATIONS[one] for one in nation.split("/")])


def choose_received(g: G, side: int, nation: str, kind: str) -> Generator[Decision, int, int | None]:
    """Return the replacement unit that a row of the turn track brings; the player chooses the nation if it is free
    (19.2.4)."""
    wanted = TANK_KIND if kind == HEAVY_KIND else kind
    nations = {ANY: ("BR", "IN", "AU", "NZ", "SA", "PL"), BRITISH_OR_INDIAN: ("BR", "IN")}.get(nation, (nation,))
    pool = [u for u in REPLACEMENTS[side] if g.state.where[u] == POOL[side] and REPLACES[u] == wanted]
    first = {NATION[unit]: unit for unit in reversed(pool) if NATION[unit] in nations}
    if len(first) < 2:
        return next(iter(first.values()), None)
    click = yield g.ask(
        side, "replace.nation", "Choose the replacement that arrives", "19.2.4", units=sorted(first.values()),
        why_not=why_not_received,
    )  # fmt: skip
    return click


def why_not_received(g: G, decision: Decision, click: int) -> Refusal | None:
    """Only replacements of the kind in the pool, the first of each nation, arrive (19.2.4)."""
    if not g.is_unit(click) or click in decision.legal:
        return None
    return Refusal(f"{name(click)} is not one of the replacements that may arrive", "19.2.4", name(click))


# Using them


def restore_all(g: G, side: int) -> Procedure:
    """The owner uses replacements on units, one each, until the phase ends (19.3.1, 19.3.2)."""
    done = g.rules.button("done")
    while able := [unit for unit in short_of_steps(g, side) if why_not_restored(g, side, unit) is None]:
        click = yield g.ask(
            side, "replace.unit", "Choose a unit that receives a replacement, or end the phase", "19.3.1", units=able,
            buttons=[done], top=True, why_not=for_units(why_not_restored, side),
        )  # fmt: skip
        if click == done:
            return
        used = yield from choose_used(g, side, click)
        if used is not None:
            restore(g, side, click, used)


def short_of_steps(g: G, side: int) -> list[int]:
    """Return the combat units of a side that have lost a step or are in the Eliminated Box; none if no replacement is
    in play (19.3.1, 19.4.1)."""
    state = g.state
    if all(state.where[one] in (POOL[side], NOWHERE) for one in REPLACEMENTS[side]):
        return []
    gone = combat_units(g, side, ELIMINATED[side])
    return [unit for unit in FORCES[side] if state.steps[unit] < STEPS[unit] or unit in gone]


def choose_used(g: G, side: int, unit: int) -> Generator[Decision, int, int | None]:
    """Return the replacement that a unit receives, None if it is called off; there is a decision only if they differ."""
    found = [one for one in REPLACEMENTS[side] if why_not_used(g, unit, one) is None]
    if len({(g.state.where[one], REPLACES[one], g.state.flags[one] & HEAVY) for one in found}) == 1:
        return found[0]
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "replace.use", f"Choose the replacement that {name(unit)} receives", "19.3.1", units=found, buttons=[cancel],
        about=[unit], why_not=partial(_why_not_used, unit=unit),
    )  # fmt: skip
    return None if click == cancel else click


def _why_not_used(g: G, decision: Decision, click: int, unit: int) -> Refusal | None:
    return why_not_used(g, unit, click) if g.is_unit(click) else None


def why_not_restored(g: G, side: int, unit: int) -> Refusal | None:
    """Return why a unit cannot receive a replacement: in Good Order, in supply, short of steps, and one of its kind
    within reach (13.2.1, 16.4, 19.3.1, 19.3.2)."""
    state, who = g.state, name(unit)
    if SIDE[unit] != side or not COMBAT[unit]:
        return Refusal(f"{who} is not a combat unit of yours", "19.3.1", who)
    if ASU[unit]:
        return Refusal(f"{who} cannot receive a replacement: it is an ASU", "19.1.2", who)
    if state.where[unit] == ELIMINATED[side]:
        return why_not_returned(g, side, unit)
    if state.where[unit] in (SURRENDERED[side], SURRENDERED_BEFORE[side]):
        return Refusal(f"{who} cannot receive a replacement: it has surrendered and is out of play", "12.5.2", who)
    if state.where[unit] < 0 or not state.steps[unit]:
        return Refusal(f"{who} cannot receive a replacement: it is not in play", "19.3.1", who)
    if state.steps[unit] >= STEPS[unit]:
        return Refusal(f"{who} cannot receive a replacement: it has lost no step", "19.3.1", who)
    if not good_order(g, unit):
        return Refusal(f"{who} cannot receive a replacement: not in Good Order", "13.2.1", who)
    if state.flags[unit] & OOS:
        return Refusal(f"{who} cannot receive a replacement: out of supply", "16.4", who)
    if state.flags[unit] & REPLACED:
        return Refusal(f"{who} has already received a replacement in this phase", "19.3.2", who)
    return why_none(g, unit)


def why_none(g: G, unit: int) -> Refusal | None:
    """Return why no replacement can be used on a unit: the reason for the first of its nation and kind, those in play
    first."""
    side, who = SIDE[unit], name(unit)
    fitting = [one for one in REPLACEMENTS[side] if NATION[one] == NATION[unit] and is_of_kind(one, unit)]
    fitting.sort(key=lambda one: g.state.where[one] in (POOL[side], NOWHERE))
    reasons = [why_not_used(g, unit, one) for one in fitting]
    if None in reasons:
        return None
    return next(iter(reasons), Refusal(f"{who} has no replacements of its nation and kind", "19.3.2", who))


def is_of_kind(used: int, unit: int) -> bool:
    """Whether a replacement is of the kind of a unit: for tanks, or for all others (19.2.3)."""
    return (REPLACES[used] == TANK_KIND) == TANK[unit]


def location_of(g: G, unit: int) -> int:
    """Return where a unit is for replacements: the Withdrawn and Reserve boxes count as the Nile Delta (19.3.3)."""
    where = g.state.where[unit]
    return DELTA if where in (WITHDRAWN, RESERVE) else where


def why_not_used(g: G, unit: int, used: int) -> Refusal | None:
    """Return why a replacement cannot be used on a unit: nation, kind, and distance (19.2.3, 19.2.5, 19.3.1, 19.3.2)."""
    side, who, where = SIDE[unit], name(used), g.state.where[used]
    if used not in REPLACEMENTS[side] or where == POOL[side] or where < 0:
        return Refusal(f"{who} is not available", "19.2.2", who)
    if NATION[used] != NATION[unit]:
        return Refusal(f"{who} cannot be used on {name(unit)}: of another nation", "19.3.2", who)
    if not is_of_kind(used, unit):
        return Refusal(f"{who} cannot be used on {name(unit)}: of another kind", "19.2.3", who)
    if MATILDA[unit] and not g.state.flags[used] & HEAVY:
        return Refusal(f"{who} cannot be used on {name(unit)}: Matildas need Heavy Tank replacements", "19.2.5", who)
    if g.state.flags[used] & TRANSPORTED or where == LANDING:
        return Refusal(f"{who} cannot be used: under a transport marker", "5.9.1", who)
    if g.state.where[unit] == ELIMINATED[side]:
        return why_not_entry(g, unit, where)
    at = location_of(g, unit)
    if at == where or (at < HEXES and where < HEXES and at in supply.overland(g, side, frozenset([where]), RANGE)):
        return None
    return Refusal(f"{who} cannot be used on {name(unit)}: more than {RANGE} hexes away", "19.3.1", who)


def why_not_returned(g: G, side: int, unit: int) -> Refusal | None:
    """Return why a unit cannot return from the Eliminated Box (10.4.1, 19.4.1)."""
    if STEPS[unit] == losses.REMNANT_STEPS and not losses.remnants_left(g, unit):
        return Refusal(f"{name(unit)} cannot return: no remnant is available", "19.4.1", name(unit))
    return why_none(g, unit)


def why_not_entry(g: G, unit: int, location: int) -> Refusal | None:
    """Return why a unit cannot return in a location: an off-map box, or a Corps HQ in Good Order and Full Supply, of
    its own nation for the Axis, next to no enemy (19.4.1, 19.4.2)."""
    side, label = SIDE[unit], BOARD.name(location)
    if location in OFF_MAP[side]:
        return None
    cannot = f"{name(unit)} cannot return in {label}"
    hqs = [u for u in combat_units(g, side, location) if HQ[u] and good_order(g, u)]
    hqs = [u for u in hqs if side != AXIS or NATION[u] == NATION[unit]]
    if not hqs:
        return Refusal(f"{cannot}: no Corps HQ in Good Order that can take it", "19.4.1", label)
    if supply.status_in(g, side, location) != supply.FULL:
        return Refusal(f"{cannot}: the Corps HQ is not in Full Supply", "19.4.1", label)
    enemies = adjacent_enemies(g, side, location)
    if enemies:
        return Refusal(f"{cannot}: {name(enemies[0])} is adjacent", "19.4.2", name(enemies[0]))
    return None


def restore(g: G, side: int, unit: int, used: int) -> None:
    """A replacement restores a step or returns a unit on its lowest step; the unit is marked (19.1.1, 19.5, 19.6)."""
    state = g.state
    if state.where[unit] == ELIMINATED[side]:
        state.where[unit] = state.where[used]
        state.steps[unit] = 0
        g.log("19.4.1", "{unit} returns in {hex}", unit=unit, hex=state.where[unit])
    else:
        g.log("19.3.1", "{unit} receives {unit_used}", unit=unit, unit_used=used)
    state.steps[unit] += 1
    state.flags[unit] |= REPLACED
    state.where[used] = POOL[side]
    state.flags[used] = 0
