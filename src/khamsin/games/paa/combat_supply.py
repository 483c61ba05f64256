"""Combat supply (12.3): the supply of each attacker, and the installations given up or removed."""

from __future__ import annotations

from collections.abc import Sequence

from khamsin.games.paa.combat import UNABLE, attackers_of, call_off, forced
from khamsin.games.paa.differential import ATTACK_SUPPLY, GENERAL_SUPPLY, MAXIMUM_SUPPLY, NO_SUPPLY
from khamsin.games.paa.ground import ATTACK_SUPPLY as ATTACK_RANGE
from khamsin.games.paa.reliability import why_not_reliable
from khamsin.games.paa.supply import attack_supply, lines, stranded_without
from khamsin.games.paa.transport import to_pool
from khamsin.games.paa.units import ALLIED, DEPOT, DEPOTS, MOVED, OOC, REGULARS, SACRIFICED, SIDE, G, name, on_map
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import combats
from khamsin.mechanics.refusals import for_units


def provide_supply(g: G, side: int) -> Procedure:
    """The attacker may give up installations for maximum attack supply, and remove others; then the supply of every
    attacker is fixed. There is no decision if none can be given up (12.3)."""
    done, destroy = g.rules.button("done"), g.rules.button("destroy")
    while spend := sacrifices(g, side):
        removable = any_removable(g, side)
        click = yield g.ask(
            side, "combat.supply", "Give up an installation for maximum attack supply, or resolve the combats", "12.3",
            units=spend, buttons=[done, destroy] if removable else [done], blocked=[] if removable else [destroy],
            top=True, why_not=_why_not_spent,
        )  # fmt: skip
        if click == done:
            break
        if click == destroy:
            yield from remove_installation(g, side)
            continue
        g.state.flags[click] |= SACRIFICED
        g.log("12.3", "{unit} in {hex} is given up for maximum attack supply", unit=click, hex=g.state.where[click])
    fix_supply(g, side)


def _why_not_spent(g: G, decision: Decision, click: int) -> Refusal | None:
    if g.is_unit(click):
        return why_not_given_up(g, decision.side, click)
    return why_not_destroy(g, decision.side, "destroy") if click == g.rules.button("destroy") else None


def sacrifices(g: G, side: int) -> dict[int, dict[str, int]]:
    """Return the installations that can be given up, each with the number of attackers it would supply (12.3, 12.3.1)."""
    if not g.state.targets:
        return {}
    able = [depot for depot in DEPOTS[side] if why_not_given_up(g, side, depot) is None]
    return {depot: {"attackers": fed_by(g, side, depot)} for depot in able}


def why_not_given_up(g: G, side: int, depot: int) -> Refusal | None:
    """An installation given up must be in command, joined to a terminal, not moved this turn and within 8 MF of an
    attacker (8.5, 12.3, 12.3.1)."""
    state, who = g.state, name(depot)
    refusal = _why_not_own_installation(g, side, depot)
    if refusal is not None:
        return refusal
    for flag, reason, rule in (
        (OOC, "out of command", "12.3.1"),
        (MOVED, "moved this turn", "12.3"),
    ):
        if state.flags[depot] & flag:
            return Refusal(f"{who} cannot be given up: {reason}", rule, who)
    if state.where[depot] not in lines(g, side).relays:
        return Refusal(f"{who} cannot be given up: no supply line to a terminal", "8.5", who)
    if not fed_by(g, side, depot):
        return Refusal(f"{who} cannot be given up: no attacker is within {ATTACK_RANGE} MF", "12.3", who)
    return why_needed(g, side, depot)


def fed_by(g: G, side: int, depot: int) -> int:
    """Return how many attackers an installation would supply (12.3)."""
    state = g.state
    fighting = [state.where[u] for u in REGULARS[side] if state.battle[u] and not state.flags[u] & UNABLE]
    if not fighting:
        return 0
    distance = attack_supply(g, side, depots=[depot])
    return sum(distance[hex] <= ATTACK_RANGE for hex in fighting)


def remove_installation(g: G, side: int) -> Procedure:
    """The attacker removes an installation without using it (12.3)."""
    cancel = g.rules.button("cancel")
    depots = [depot for depot in DEPOTS[side] if why_not_destroyed(g, side, depot) is None]
    click = yield g.ask(
        side, "combat.destroy", "Choose an installation to remove", "12.3", units=depots, buttons=[cancel],
        why_not=for_units(why_not_destroyed, side),
    )  # fmt: skip
    if click != cancel:
        g.log("12.3", "{unit} in {hex} is removed", unit=click, hex=g.state.where[click])
        to_pool(g, side, click)


def why_not_destroy(g: G, side: int, button: str) -> Refusal | None:
    """Installations are removed during the supply of declared combats only (12.3)."""
    if not g.state.targets:
        return Refusal("No installation can be removed: no combat is declared", "12.3", button)
    if any_removable(g, side):
        return None
    depots = [depot for depot in DEPOTS[side] if on_map(g, depot)] or DEPOTS[side]
    return why_not_destroyed(g, side, depots[0])


def any_removable(g: G, side: int) -> bool:
    """Whether any installation can be removed from the board; those that supply no unit are tried first (12.3)."""
    fed = lines(g, side).relays - lines(g, side).situation.always
    depots = sorted(DEPOTS[side], key=lambda depot: g.state.where[depot] in fed)
    return any(why_not_destroyed(g, side, depot) is None for depot in depots)


def why_not_destroyed(g: G, side: int, depot: int) -> Refusal | None:
    """An installation on the map may be removed, an Allied one only if no unit depends on it (12.3, 12.3.1)."""
    return _why_not_own_installation(g, side, depot) or why_needed(g, side, depot)


def _why_not_own_installation(g: G, side: int, depot: int) -> Refusal | None:
    who = name(depot)
    if not DEPOT[depot] or SIDE[depot] != side:
        return Refusal(f"{who} is not one of your installations", "12.3", who)
    if not on_map(g, depot):
        return Refusal(f"{who} is not on the map", "12.3", who)
    if g.state.flags[depot] & SACRIFICED:
        return Refusal(f"{who} is already given up", "12.3", who)
    return None


def why_needed(g: G, side: int, depot: int) -> Refusal | None:
    """No Allied unit or lorry may lose supply without an installation and those already given up; Axis units may
    (8.4.1, 8.4.2, 12.3.1)."""
    if side != ALLIED:
        return None
    lost = stranded_without(g, side, [d for d in DEPOTS[side] if d == depot or g.state.flags[d] & SACRIFICED])
    if not lost:
        return None
    return Refusal(f"{name(depot)} is needed: {name(lost[0])} would lose supply", "12.3.1", name(lost[0]))


def fix_supply(g: G, side: int) -> None:
    """Fix the supply of every attacker, when all combats are declared and installations given up (12.3). Italian
    infantry that may not attack without attack supply drops out, or attacks a fort without effect (15.2)."""
    state = g.state
    fighting = [u for u in REGULARS[side] if state.battle[u]]
    if fighting:
        distance = attack_supply(g, side)
        given_up = [d for d in DEPOTS[side] if state.flags[d] & SACRIFICED]
        best = attack_supply(g, side, depots=given_up) if given_up else None
    for unit in fighting:
        state.supply[unit] = supply_of(g, unit, distance, best)
        if not state.supply[unit] and not forced(g, side, state.battle[unit]):
            state.battle[unit] = 0
    for number in combats.numbers(g):
        if not attackers_of(g, side, number):
            call_off(g, side, number)


def supply_of(g: G, unit: int, distance: Sequence[int], best: Sequence[int] | None = None) -> int:
    """Return an attacker's supply in halves of its CF, by its distance from an installation that can supply an attack,
    and from one that is given up: maximum, attack or general supply, or none (8.5, 12.3)."""
    if g.state.flags[unit] & UNABLE or why_not_reliable(g, unit, distance) is not None:
        return NO_SUPPLY
    hex = g.state.where[unit]
    if best is not None and best[hex] <= ATTACK_RANGE:
        return MAXIMUM_SUPPLY
    return ATTACK_SUPPLY if distance[hex] <= ATTACK_RANGE else GENERAL_SUPPLY
