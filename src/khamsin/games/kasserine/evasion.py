"""Combat evasion (9.2): units with an evasion rating may leave before combat."""

from __future__ import annotations

from khamsin.games.kasserine import advance, battle, retreat, support
from khamsin.games.kasserine.strength import FIGURES
from khamsin.games.kasserine.units import BOARD, EVASION, FOUGHT, STOOD, G, hex_of, name
from khamsin.kernel.rules import Decision, Procedure, Refusal


def evade(g: G, side: int) -> Procedure:
    """The attacked side tries to evade from its hexes, in any order (9.2.1)."""
    done = g.rules.button("done")
    while hexes := may_evade(g, side):
        click = yield g.ask(
            side, "evasion.hex", "Choose a hex to evade from, or end evasion", "9.2.3", locations=hexes, buttons=[done],
            top=True, why_not=why_not,
        )  # fmt: skip
        if click == done:
            return
        yield from attempt(g, side, g.location(click))


def may_evade(g: G, side: int) -> dict[int, dict[str, str]]:
    """Return the attacked hexes from which evasion may be tried, each with its chance (9.2.3)."""
    hexes = [hex for hex in g.state.targets if not why_not_from(g, side, hex)]
    return {hex: {"evades": f"{max(0, highest(g, side, hex))} in 6"} for hex in hexes}


def why_not_from(g: G, side: int, hex: int) -> Refusal | None:
    """Return why units cannot evade from a hex: all there must have a rating, and must not have tried (9.2.1, 9.2.2,
    9.2.4)."""
    label, units = BOARD.name(hex), g.state.where.stacks(side).get(hex, ())
    if not units or not battle.at(g, hex):
        return Refusal(f"No unit can evade from {label}: none of yours is attacked there", "9.2.1", label)
    for unit in units:
        if not EVASION[unit]:
            return Refusal(f"Units in {label} cannot evade: {name(unit)} has no evasion rating", "9.2.2", name(unit))
        if g.state.flags[unit] & STOOD:
            return Refusal(f"Units in {label} cannot evade again: {name(unit)} has failed", "9.2.4", name(unit))
    return None


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a hex cannot be evaded from."""
    hex = hex_of(g, click)
    return None if hex is None else why_not_from(g, decision.side, hex)


def highest(g: G, side: int, hex: int) -> int:
    """Return the highest roll with which units evade from a hex: the best rating there, less one against a better one
    (9.2.3)."""
    best = max(EVASION[unit] for unit in g.state.where.stacks(side)[hex])
    attackers = battle.read(g, 1 - side, battle.at(g, hex)).attackers
    faster = any(EVASION[unit] > best for unit in attackers)
    return best - (FIGURES["evasion"]["faster_enemy"] if faster else 0)


def attempt(g: G, side: int, hex: int) -> Procedure:
    """Resolve one hex: the roll, then the retreat of three hexes and the enemy's advance, or the combat (9.2.3, 9.2.4,
    9.2.6)."""
    state = g.state
    units, needed = g.state.where.stacks(side)[hex], highest(g, side, hex)
    fight = battle.read(g, 1 - side, battle.at(g, hex))
    if g.dice.roll(f"evasion from {BOARD.name(hex)}", "9.2.3") > needed:
        g.log("9.2.4", "Evasion from {hex} fails", hex=hex)
        for unit in units:
            state.flags[unit] |= STOOD
        return
    g.log("9.2.4", "Units in {hex} evade", hex=hex)
    yield from retreat.evade(g, side, hex)
    support.tidy(g, side)
    yield from advance.after_evasion(g, fight, hex)
    release(g, fight, hex)


def release(g: G, fight: battle.Battle, hex: int) -> None:
    """Release an evaded hex: it is no longer attacked, units that followed fight no other combat, and a combat without
    hexes or attackers is over (9.2.6)."""
    state = g.state
    state.targets.pop(hex, None)
    for unit in fight.attackers:
        if state.flags[unit] & FOUGHT:
            state.battle[unit] = 0
    rest = battle.read(g, fight.side, fight.number)
    if not rest.hexes or not rest.attackers:
        for left in rest.hexes:
            state.targets.pop(left, None)
        for unit in rest.attackers:
            state.battle[unit] = 0
