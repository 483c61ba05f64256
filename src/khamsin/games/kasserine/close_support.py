"""Close Air Support (11.3): the air units that may support a combat, their arrival, and their effect."""

from __future__ import annotations

from fractions import Fraction

from khamsin.games.kasserine import air
from khamsin.games.kasserine.battle import Battle, defenders
from khamsin.games.kasserine.headquarters import in_command
from khamsin.games.kasserine.strength import FIGURES
from khamsin.games.kasserine.units import (
    AIR_SPAN,
    AIR_UNITS,
    ALLIED,
    AXIS,
    BOARD,
    CAS,
    FRENCH,
    INTERDICTING,
    IS_AIR,
    READY,
    SIDE,
    USED,
    WEATHER,
    G,
    forces_in,
    name,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal

MOST: int = FIGURES["air"]["most"]


def mission_hexes(g: G, battle: Battle, side: int) -> list[int]:
    """Return the attacked hexes to which a side may send air units: in command range of one of its HQs; the Allies
    neither to attacks by the French alone nor to hexes that only the French defend (11.3.1, 11.3.6, 15.2.2)."""
    if side == ALLIED and battle.side == ALLIED and all(FRENCH[unit] for unit in battle.attackers):
        return []
    return [
        hex for hex in battle.hexes if in_command(g, side, hex) and not (side == ALLIED and french_only(g, battle, hex))
    ]


def french_only(g: G, battle: Battle, hex: int) -> bool:
    """Whether the Allies defend a hex with French units alone (11.3.6)."""
    return battle.side != ALLIED and all(FRENCH[unit] for unit in forces_in(g, ALLIED, hex))


def ready(g: G, side: int) -> list[int]:
    """Return the air units of a side that can give Close Air Support (11.1.4)."""
    return [unit for unit in AIR_UNITS[side] if why_not_sent(g, unit) is None]


def chance(g: G, unit: int, pair: bool) -> Fraction:
    """Return the chance that an air unit arrives (11.1.6)."""
    table = g.table("air_arrival")
    chances = table.chances(table.column(WEATHER[g.state.weather]), air.arrival_modifier(g, unit, pair))
    return chances.get("A", Fraction(0))


def support(g: G, battle: Battle) -> Procedure:
    """Both sides send air units to a combat, the Allies first, and then roll for their arrival (11.3.2, 11.3.3)."""
    for side in (ALLIED, AXIS):
        yield from assign(g, battle, side)
    for side in (ALLIED, AXIS):
        sent = flying(g, battle, side)
        for unit in sent:
            if air.arrives(g, unit, pair=len(sent) > 1) == "A":
                g.log("11.3.3", "{unit} arrives over {hex}", unit=unit, hex=g.state.where[unit])


def assign(g: G, battle: Battle, side: int) -> Procedure:
    """A side places up to two air units from its Ready Box in a combat (11.3.2)."""
    done = g.rules.button("done")
    hexes = mission_hexes(g, battle, side)
    word = "attack on" if battle.side == side else "defence of"
    for sent in range(MOST if hexes else 0):
        units = ready(g, side)
        if not units:
            return
        hints = {unit: {"support": CAS[unit], "arrives": str(chance(g, unit, sent > 0))} for unit in units}
        click = yield g.ask(
            side,
            "combat.air",
            f"Choose an air unit for the {word} {BOARD.name(hexes[0])}, or send no more",
            "11.3.2",
            units=hints,
            buttons=[done],
            about=battle.attackers if battle.side == side else defenders(g, battle),
            at=battle.hexes,
            why_not=why_not,
        )
        if click == done:
            return
        g.state.where[click] = hexes[0]
        g.log("11.3.2", "{unit} is sent to {hex}", unit=click, hex=hexes[0])


def why_not_sent(g: G, unit: int) -> Refusal | None:
    """Return why a unit cannot give Close Air Support (11.1.4, 11.3.1)."""
    if not IS_AIR[unit]:
        return Refusal(f"{name(unit)} cannot give Close Air Support: not an air unit", "11.3.1", name(unit))
    if g.state.where[unit] != READY[SIDE[unit]]:
        return Refusal(f"{name(unit)} cannot give Close Air Support: not in the Ready Box", "11.1.4", name(unit))
    return None


def why_not(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a unit of the side cannot give Close Air Support."""
    return why_not_sent(g, click) if g.is_unit(click) and SIDE[click] == decision.side else None


def flying(g: G, battle: Battle, side: int) -> list[int]:
    """Return the air units of a side in a combat; those on Interdiction are not among them."""
    state = g.state
    boxes = state.where[AIR_SPAN[side]]
    return [
        unit
        for unit, hex in zip(AIR_UNITS[side], boxes, strict=True)
        if hex in battle.hexes and not state.flags[unit] & INTERDICTING
    ]


def points(g: G, battle: Battle, side: int) -> int:
    """Return the Close Air Support points of a side in a combat (11.3.4)."""
    return sum(CAS[unit] for unit in flying(g, battle, side))


def come_home(g: G, battle: Battle) -> None:
    """Return the air units of a combat to the Used Box (11.3.5)."""
    for side in (ALLIED, AXIS):
        for unit in flying(g, battle, side):
            g.state.where[unit] = USED[side]
