"""Advance after combat (12.4.7): attackers may enter the hexes they have cleared."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from khamsin.games.paa.combat import UNABLE
from khamsin.games.paa.control import pass_through
from khamsin.games.paa.differential import defenders
from khamsin.games.paa.stacking import limit, room
from khamsin.games.paa.supply import why_not_supplied
from khamsin.games.paa.transport import capture
from khamsin.games.paa.units import BOARD, OWES, G, name, on_map, whom
from khamsin.games.paa.zones import enemy_fort
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import advance as mechanic
from khamsin.mechanics.advance import Goals, Texts

TEXTS = Texts("Advance after combat", "12.4.7")


def advance(g: G, side: int, attackers: Sequence[int], targets: Sequence[int]) -> Procedure:
    """Surviving attackers may enter the hexes they have cleared, unless their attack had no effect (12.1.1, 12.4.7)."""
    emptied = tuple([hex for hex in targets if not defenders(g, [hex])])
    able = [unit for unit in attackers if on_map(g, unit) and not g.state.flags[unit] & UNABLE]
    yield from mechanic.advance(
        g, side, able, partial(goals, side=side, emptied=emptied), partial(for_all, side=side),
        partial(enter, side=side), TEXTS, partial(why_not, attackers=tuple(attackers), emptied=emptied),
    )  # fmt: skip


def goals(g: G, units: Sequence[int], side: int, emptied: Sequence[int]) -> Goals:
    """Return for each unit the cleared hexes that it may enter (12.4.7)."""
    found = {unit: {hex: (hex,) for hex in emptied if may_advance(g, side, unit, hex)} for unit in units}
    return {unit: hexes for unit, hexes in found.items() if hexes}


def for_all(g: G, goals: Goals, side: int) -> list[int]:
    """Return the hexes that several units may enter together (4, 8.4.1, 8.4.2, 12.4.7)."""
    units = list(goals)
    hexes = [hex for hex in goals[units[0]] if all(hex in paths for paths in goals.values())] if len(units) > 1 else []
    return [hex for hex in hexes if why_not_together(g, side, units, hex) is None]


def may_advance(g: G, side: int, unit: int, hex: int) -> bool:
    """Whether a unit may advance into a cleared hex (12.4.7)."""
    return why_not_together(g, side, [unit], hex) is None


def why_not_together(g: G, side: int, units: Sequence[int], hex: int) -> Refusal | None:
    """There must be room, and no Allied or Italian unit may advance beyond supply or leave another without (4, 8.4.1, 8.4.2,
    12.4.7)."""
    label, free = BOARD.name(hex), room(g, side, hex)
    if free < len(units):
        left = (
            f"{label} has room for {free} more, so advance {'it' if free == 1 else 'them'} unit by unit"
            if free > 0
            else f"{label} is full ({limit(hex)} units)"
        )
        return Refusal(f"{whom(units)} cannot advance: {left}", "4", label)
    return why_not_supplied(g, side, units, hex)


def why_not(g: G, decision: Decision, click: int, attackers: Sequence[int], emptied: Sequence[int]) -> Refusal | None:
    """Return why a unit does not advance after a combat, or not to a hex (12.4.7)."""
    if g.is_unit(click):
        return why_not_advancing(g, decision.side, attackers, emptied, click)
    if click >= g.rules.first_button:
        return None
    hex, units = g.location(click), decision.about
    if hex not in emptied:
        label = BOARD.name(hex)
        return Refusal(f"{whom(units)} cannot advance to {label}: this combat has not cleared it", "12.4.7", label)
    return why_not_together(g, decision.side, units, hex) or next(
        filter(None, (why_not_together(g, decision.side, [unit], hex) for unit in units)), None
    )


def why_not_advancing(g: G, side: int, attackers: Sequence[int], emptied: Sequence[int], unit: int) -> Refusal | None:
    """Only attackers whose attack had an effect advance, each once, where they may (12.1.1, 12.4.7)."""
    who = name(unit)
    if unit not in attackers:
        return Refusal(f"{who} cannot advance: it did not attack here", "12.4.7", who)
    if not on_map(g, unit):
        return Refusal(f"{who} cannot advance: eliminated", "12.4.7", who)
    if g.state.flags[unit] & UNABLE:
        return Refusal(f"{who} cannot advance: its attack had no effect", "12.1.1", who)
    if g.state.where[unit] in emptied:
        return Refusal(f"{who} has already advanced", "12.4.7", who)
    return next(filter(None, (why_not_together(g, side, [unit], hex) for hex in emptied)), None)


def enter(g: G, units: Sequence[int], hex: int, goals: Goals, side: int) -> None:
    """Units advance: ZOCs do not matter, installations are captured, the zone of an enemy fort holds them (11.1.5,
    11.1.6, 12.4.7)."""
    state = g.state
    for unit in units:
        g.log("12.4.7", "{unit} advances from {hex_from} to {hex}", unit=unit, hex_from=state.where[unit], hex=hex)
        state.where[unit] = hex
        state.via[unit] = 0
        pass_through(g, side, [hex])
        capture(g, side, hex)
        if enemy_fort(g, side, hex) is not None:
            state.flags[unit] |= OWES
