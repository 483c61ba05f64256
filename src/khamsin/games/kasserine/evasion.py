"""Combat evasion (9.2): units with an evasion rating slip away before the combats are fought."""

from __future__ import annotations

from khamsin.games.kasserine import advance, battle, retreat, support
from khamsin.games.kasserine.strength import FIGURES
from khamsin.games.kasserine.units import BOARD, EVASION, FOUGHT, STOOD, G, stacks
from khamsin.kernel.rules import Procedure


def evade(g: G, side: int) -> Procedure:
    """The side that is attacked tries to get away from hex after hex, as it likes (9.2.1)."""
    done = g.rules.button("done")
    while hexes := may_evade(g, side):
        click = yield g.ask(
            side, "evasion.hex", "Try to evade from a hex, or go on", "9.2.3", locations=hexes, buttons=[done], top=True
        )
        if click == done:
            return
        yield from attempt(g, side, g.location(click))


def may_evade(g: G, side: int) -> dict[int, dict[str, str]]:
    """The attacked hexes from which evasion may be tried, each with its chance: all units there have a
    rating, and have not tried (9.2.2, 9.2.4)."""
    units = stacks(g, side)
    found = {}
    for label in g.state.targets:
        here = units.get(BOARD[label], ())
        if here and all(EVASION[unit] and not g.state.flags[unit] & STOOD for unit in here):
            found[BOARD[label]] = {"gets away": f"{max(0, highest(g, side, BOARD[label]))} in 6"}
    return found


def highest(g: G, side: int, hex: int) -> int:
    """The highest die with which units get away from a hex: the best rating there, less one against a better one (9.2.3)."""
    best = max(EVASION[unit] for unit in stacks(g, side)[hex])
    attackers = battle.read(g, 1 - side, battle.at(g, hex)).attackers
    faster = any(EVASION[unit] > best for unit in attackers)
    return best - (FIGURES["evasion"]["faster_enemy"] if faster else 0)


def attempt(g: G, side: int, hex: int) -> Procedure:
    """One hex: the die, then the retreat of three hexes and the enemy's advance, or the combat (9.2.3, 9.2.4, 9.2.6)."""
    state = g.state
    units, needed = stacks(g, side)[hex], highest(g, side, hex)
    fight = battle.read(g, 1 - side, battle.at(g, hex))
    if g.dice.roll(f"evasion from {BOARD.name(hex)}", "9.2.3") > needed:
        g.log("9.2.4", "the units in {hex} do not get away", hex=hex)
        for unit in units:
            state.flags[unit] |= STOOD
        return
    g.log("9.2.4", "the units in {hex} evade", hex=hex)
    yield from retreat.evade(g, side, hex)
    support.tidy(g, side)
    yield from advance.after_evasion(g, fight, hex)
    release(g, fight, hex)


def release(g: G, fight: battle.Battle, hex: int) -> None:
    """A hex has been left: it is attacked no more, those who followed fight no other combat, and a combat without hexes or
    attackers is over (9.2.6)."""
    state = g.state
    state.targets.pop(BOARD.name(hex), None)
    for unit in fight.attackers:
        if state.flags[unit] & FOUGHT:
            state.battle[unit] = 0
    rest = battle.read(g, fight.side, fight.number)
    if not rest.hexes or not rest.attackers:
        for label in rest.hexes:
            state.targets.pop(BOARD.name(label), None)
        for unit in rest.attackers:
            state.battle[unit] = 0
