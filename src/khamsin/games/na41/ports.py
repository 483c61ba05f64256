"""Ports (21.3, 21.4): damage, demolition, Bombing Raids and repair."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from khamsin.games.na41.units import (
    AROUND,
    BOARD,
    DAMAGEABLE,
    DELTA,
    PORTS,
    SIDES,
    SUPPLY,
    TRIPOLI,
    G,
    capacity,
    combat_units,
    holder,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations
from khamsin.mechanics.showing import counted

REPAIR_COST: int = SUPPLY["resources"]["port repair"]
LAST_STEP = "ports"
"""Whether a side has begun with its ports, after which its units do not move (3.2)."""


def hits_left(g: G, port: int) -> int:
    """Return the boxes to the right of the Port Status marker (21.4.1)."""
    return len(PORTS[port]) - 1 - g.state.damage.get(port, 0)


def strike(g: G, port: int, dice: int, rule: str) -> None:
    """Roll dice on the Port Demolition and Bombing Table: each hit costs a box, never beyond 0 (21.4.1)."""
    hits = sum([int(g.table("demolition").roll(g.dice, 0, 0, f"port of {BOARD.place_in(port)}")) for _ in range(dice)])
    hits = min(hits, hits_left(g, port))
    if hits:
        g.state.damage[port] = g.state.damage.get(port, 0) + hits
    g.log(
        rule,
        "Port of {place}: {hits}, capacity {capacity}",
        place=BOARD.place_in(port),
        hits=counted(hits, "hit"),
        capacity=capacity(g, port),
    )


def start(g: G, side: int) -> None:
    """Store which ports a side controls at the start of its Movement Phase; their repairs of the last impulse count
    from now on (21.1.4, 21.4.2, 21.4.4)."""
    g.state.harbours.clear()
    g.state.harbours.update({port: 1 for port in PORTS if holder(g, port) == side})
    for port in [port for port in g.state.repaired if g.state.control.get(port) == side]:
        del g.state.repaired[port]


def why_not_worked(g: G, side: int, port: int, rule: str) -> Refusal | None:
    """Return why a side cannot work on a port: one it controlled at the start of the phase, with a combat unit in or
    next to it (21.4.2, 21.4.4)."""
    label = BOARD.name(port)
    if port not in DAMAGEABLE:
        return Refusal(f"{label} is not a port that can be damaged", rule, label)
    if port not in g.state.harbours or holder(g, port) != side:
        return Refusal(f"You did not control the port in {label} at the start of the phase", rule, label)
    if not any(combat_units(g, side, hex) for hex in (port, *AROUND[port])):
        return Refusal(f"No combat unit of yours is in or next to {label}", rule, label)
    return None


def why_not_demolished(g: G, side: int, port: int) -> Refusal | None:
    """Return why a side cannot demolish a port: it is at 0, or its dice have been rolled in this phase (21.4.1,
    21.4.2)."""
    refusal, label = why_not_worked(g, side, port, "21.4.2"), BOARD.name(port)
    if refusal is not None:
        return refusal
    if port in g.state.demolished:
        return Refusal(f"The port in {label} has already been demolished in this phase", "21.4.2", label)
    return None if hits_left(g, port) else Refusal(f"The port in {label} is at 0", "21.4.1", label)


def why_not_repaired(g: G, side: int, port: int) -> Refusal | None:
    """Return why a side cannot repair a port: one per impulse, for a Resource Point, not beyond its full capacity
    (21.4.4)."""
    refusal = why_not_worked(g, side, port, "21.4.4")
    if refusal is not None:
        return refusal
    label = BOARD.name(port)
    if not g.state.harbours.keys().isdisjoint(g.state.repaired):
        return Refusal("A port has already been repaired in this impulse", "21.4.4", label)
    if not g.state.damage.get(port, 0):
        return Refusal(f"The port in {label} is undamaged", "21.4.4", label)
    if g.state.rp.get(SIDES[side], 0) < REPAIR_COST:
        return Refusal(f"Repair of {label} costs {REPAIR_COST} Resource Point: you have none", "21.4.4", label)
    return None


def workable(g: G, side: int) -> dict[str, list[int]]:
    """Return the ports that a side can demolish and repair now."""
    return {
        "demolish": [port for port in PORTS if why_not_demolished(g, side, port) is None],
        "repair": [port for port in PORTS if why_not_repaired(g, side, port) is None],
    }


def why_not_any(g: G, side: int) -> Refusal | None:
    """Return why a side can neither demolish nor repair a port (21.4)."""
    if any(why_not_demolished(g, side, port) is None or why_not_repaired(g, side, port) is None for port in DAMAGEABLE):
        return None
    return why_none(g, side, why_not_demolished)


def why_none(g: G, side: int, why_not: Callable[[G, int, int], Refusal | None]) -> Refusal:
    """Return why a side can work on no port: the reason for the first it controls (21.4.2, 21.4.4)."""
    own = [port for port in sorted(DAMAGEABLE) if holder(g, port) == side]
    refusals = [refusal for port in own if (refusal := why_not(g, side, port)) is not None]
    return refusals[0] if refusals else Refusal("You control no port that can be damaged", "21.4.2", "ports")


def work(g: G, side: int) -> Procedure:
    """At the end of the Movement Phase a side demolishes and repairs ports; its units do not move after that (3.2, 21.4.2,
    21.4.4)."""
    cancel = g.rules.button("cancel")
    found = workable(g, side)
    words = {g.rules.button(word): word for word, ports in found.items()}
    able = [button for button, word in words.items() if found[word]]
    click = yield g.ask(
        side, "port.work", "Demolish or repair a port; units do not move afterwards", "21.4", buttons=[*able, cancel],
        blocked=[button for button in words if button not in able], why_not=_why_not_word,
    )  # fmt: skip
    if click == cancel:
        return
    word = words[click]
    why_not = why_not_demolished if word == "demolish" else why_not_repaired
    click = yield g.ask(
        side, "port.choose", f"Choose the port to {word}", "21.4", locations=found[word], buttons=[cancel],
        why_not=for_locations(partial(_asked, why_not=why_not), side),
    )  # fmt: skip
    if click == cancel:
        return
    port = g.location(click)
    g.state.todo[LAST_STEP] = 1
    if word == "repair":
        repair(g, side, port)
    else:
        yield from demolish(g, side, port)


def _asked(g: G, side: int, location: int, why_not: Callable[[G, int, int], Refusal | None]) -> Refusal | None:
    return why_not(g, side, location)


def _why_not_word(g: G, decision: Decision, click: int) -> Refusal | None:
    word, side = g.rules.names[click], decision.side
    why_not = {"demolish": why_not_demolished, "repair": why_not_repaired}.get(word)
    if why_not is None or any(why_not(g, side, port) is None for port in DAMAGEABLE):
        return None
    return why_none(g, side, why_not)


def demolish(g: G, side: int, port: int) -> Procedure:
    """The player rolls one die for each box to the right of the marker, or fewer (21.4.2)."""
    most = hits_left(g, port)
    dice = [g.rules.button(f"dice {number}") for number in range(1, most + 1)]
    click = dice[-1]
    if most > 1:
        click = yield g.ask(
            side, "port.dice", f"Demolish {BOARD.name(port)}: choose how many dice to roll", "21.4.2", buttons=dice
        )
    g.state.demolished[port] = 1
    strike(g, port, dice.index(click) + 1, "21.4.2")


def repair(g: G, side: int, port: int) -> None:
    """Restore one box for a Resource Point; it cannot be used in this impulse, not even for Port Supply (16.2, 21.4.4)."""
    g.state.rp[SIDES[side]] -= REPAIR_COST
    g.state.repaired[port] = 1
    g.state.damage[port] -= 1
    if not g.state.damage[port]:
        del g.state.damage[port]
    g.log("21.4.4", "The port in {hex} is repaired: capacity {capacity}", hex=port, capacity=capacity(g, port))


# Bombing Raids

BASES = (TRIPOLI, DELTA)
"""The box of each side that can be bombed (21.4.3)."""


def why_not_bombed(g: G, side: int, location: int) -> Refusal | None:
    """Return why a location cannot be the target of a Bombing Raid: an enemy port that can be damaged, or Tripoli or
    the Nile Delta (21.4.3)."""
    label = BOARD.name(location)
    if location == BASES[1 - side]:
        return None
    if location not in DAMAGEABLE or holder(g, location) != 1 - side:
        return Refusal(f"{label} is not an enemy port that can be damaged", "21.4.3", label)
    if not hits_left(g, location):
        return Refusal(f"The port in {label} is at 0", "21.4.1", label)
    return None


def bomb(g: G, side: int) -> Procedure:
    """A Bombing Raid on an enemy port, or on the enemy's Resource Points in Tripoli or the Nile Delta, at once (21.4.3)."""
    targets = [at for at in (*PORTS, *BASES) if why_not_bombed(g, side, at) is None]
    click = yield g.ask(
        side, "port.bomb", "Bombing Raid: choose an enemy port or base", "21.4.3", locations=targets,
        why_not=for_locations(why_not_bombed, side),
    )  # fmt: skip
    target, enemy = g.location(click), SIDES[1 - side]
    if target in PORTS:
        strike(g, target, 1, "21.4.3")
        return
    if not g.table("demolition").roll(g.dice, 0, 0, f"Bombing Raid on {BOARD.name(target)}"):
        g.log("21.4.3", "The raid on {hex} has no effect", hex=target)
    elif g.state.rp.get(enemy, 0):
        g.state.rp[enemy] -= 1
        g.log("21.4.3", "{enemy} loses a Resource Point", enemy=enemy)
    else:
        g.state.rp[f"{enemy} loses"] = 1
        g.log("21.4.3", "{enemy} loses the next Resource Point", enemy=enemy)
