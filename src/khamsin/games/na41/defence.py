"""Determined and Desperate Defense (11)."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from khamsin.games.na41 import losses, retreat, special, supply, support
from khamsin.games.na41.ground import defence_column
from khamsin.games.na41.results import Outcome
from khamsin.games.na41.retreat import Flight
from khamsin.games.na41.sheet import Attack, attack_shares, contributors, fortified
from khamsin.games.na41.units import (
    ASU,
    BOARD,
    COMBAT_DATA,
    PORTS,
    QUALITY,
    G,
    combat_units,
    good_order,
    name,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.odds import Modifier, net

NUMBERS = COMBAT_DATA["defence"]
HOLDS, OTHERWISE = "holds", "else"
"""The hints of a unit that can lead: its chance, and in a Desperate Defense the price of a failure."""


class Stand(NamedTuple):
    """A result of the Determined Defense Table: whether the defender holds, whether its Fortification is removed, the
    steps lost by the attacker and whether the defender picks them, and the steps lost by the Lead Unit (11.4.1)."""

    holds: bool
    removes: bool
    attacker: int
    picked: bool
    lead: int


def in_words(stand: Stand) -> str:
    """Return a result in words.

    >>> in_words(read("H 1*/1")), in_words(read("F -/-"))
    ("the defender holds, the attacker loses 1 step of the defender's choice, the Lead Unit 1", 'the defence fails')
    """
    parts = ["the defender holds" if stand.holds else "the defence fails"]
    if stand.removes:
        parts.append("the Fortification is removed")
    if stand.attacker:
        parts.append("the attacker loses 1 step" + (" of the defender's choice" if stand.picked else ""))
    if stand.lead:
        parts.append("the Lead Unit 1" if stand.attacker else "the Lead Unit loses 1 step")
    return ", ".join(parts)


def read(cell: str) -> Stand:
    """Read a cell of the table (11.4.1).

    >>> read("H 1*/1")
    Stand(holds=True, removes=False, attacker=1, picked=True, lead=1)
    >>> read("HF -/1").removes, read("F -/-").holds
    (True, False)
    """
    letters, numbers = cell.split()
    attacker, lead = numbers.split("/")
    return Stand(
        letters.startswith("H"),
        letters == "HF",
        0 if attacker == "-" else 1,
        attacker.endswith("*"),
        0 if lead == "-" else 1,
    )


def defend(g: G, battle: Attack, outcome: Outcome, flight: Flight) -> Generator[Decision, int, bool]:
    """The defender may try to cancel a retreat. Return whether it holds. A Desperate Defense continues after a failure,
    for a step of the Lead Unit each time; defenders with a retreat path need not declare it (11.1, 11.2.1, 11.5.1,
    11.5.3)."""
    give_up, usual = g.rules.button("retreat"), g.rules.button("no")
    desperate = is_desperate(g, flight)
    has_choice = desperate and not retreat.is_trapped(g, flight, combat_units(g, flight.side, flight.hex))
    supported: bool | None = None
    while why_no_defence(g, flight, outcome) is None:
        buttons = [give_up, usual] if has_choice else [give_up]
        lead = yield from choose_lead(g, flight, outcome, desperate, buttons)
        has_choice = False
        if lead == give_up:
            return False
        if lead == usual:
            desperate = False
            continue
        if supported is None:
            supported = yield from ask_dd_support(g, flight)
        stand = yield from attempt(g, flight, outcome, lead, supported)
        holds = yield from apply(g, battle, flight, stand, lead, desperate)
        if holds or not desperate:
            return holds
    return False


def why_no_defence(g: G, flight: Flight, outcome: Outcome) -> Refusal | None:
    """Return why no Determined Defense is possible: the result forbids it, or no unit can lead (11.2.2, 11.2.3,
    11.5.2)."""
    label = BOARD.name(flight.hex)
    if not outcome.defence_allowed:
        return Refusal(f"No Determined Defense at {label}: {outcome.code} does not allow it", "11.2.2", label)
    if not leads(g, flight):
        return Refusal(f"No Determined Defense at {label}: no unit can be the Lead Unit", "11.2.3", label)
    return None


def leads(g: G, flight: Flight) -> list[int]:
    """Return the units that can be the Lead Unit (11.2.3)."""
    return [unit for unit in combat_units(g, flight.side, flight.hex) if why_not_lead(g, flight, unit) is None]


def why_not_lead(g: G, flight: Flight, unit: int) -> Refusal | None:
    """Return why a unit cannot be the Lead Unit: not a defender, an ASU, or not in Good Order (11.2.3, 13.2.1)."""
    who = name(unit)
    if unit not in combat_units(g, flight.side, flight.hex):
        return Refusal(f"{who} cannot be the Lead Unit: not a combat unit in {BOARD.name(flight.hex)}", "11.2.3", who)
    if ASU[unit]:
        return Refusal(f"{who} cannot be the Lead Unit: it is an ASU", "11.2.3", who)
    if not good_order(g, unit):
        return Refusal(f"{who} cannot be the Lead Unit: it is not in Good Order", "11.2.3", who)
    return None


def is_desperate(g: G, flight: Flight) -> bool:
    """Whether the defenders would all be eliminated by the retreat, or are in a port without which they are out of supply
    (11.5.2)."""
    units = combat_units(g, flight.side, flight.hex)
    return retreat.is_trapped(g, flight, units) or depends_on_port(g, flight)


def depends_on_port(g: G, flight: Flight) -> bool:
    """Whether defenders in a port would be out of supply without it (11.5.2)."""
    side, hex = flight.side, flight.hex
    if hex not in PORTS or supply.status_in(g, side, hex) != supply.PORT:
        return False
    return all(hex not in supply.port_field(g, side, port) for port in supply.ports(g, side) if port != hex)


def choose_lead(
    g: G, flight: Flight, outcome: Outcome, desperate: bool, buttons: Sequence[int]
) -> Generator[Decision, int, int]:
    """Return the Lead Unit that the defender chooses, or the button that it presses (11.2.1, 11.2.3)."""
    kind, price = ("Desperate", {OTHERWISE: "loses a step"}) if desperate else ("Determined", {})
    return (
        yield g.ask(
            flight.side, "combat.defence",
            f"{kind} Defense of {BOARD.name(flight.hex)}: choose the Lead Unit, or retreat",
            "11.5.3" if desperate else "11.2.1",
            units={u: {HOLDS: str(hold_chance(g, flight, outcome, u, False)), **price} for u in leads(g, flight)},
            buttons=buttons, why_not=partial(_why_not_lead, flight=flight), at=[flight.hex],
        )
    )  # fmt: skip


def _why_not_lead(g: G, decision: Decision, click: int, flight: Flight) -> Refusal | None:
    return why_not_lead(g, flight, click) if g.is_unit(click) else None


# DD Support (11.3)


def ask_dd_support(g: G, flight: Flight) -> Generator[Decision, int, bool]:
    """The defender may use one Ready ASU or air marker for +1 on every roll of this defence (11.3, 11.5.3)."""
    side, hex = flight.side, flight.hex
    units = combat_units(g, side, hex)
    guns = support.artillery_sources(g, side, units, ready_only=True)
    planes = support.air_markers(g, side, units, hex, defending=True)
    if not guns and not planes:
        return False
    none = g.rules.button("none")
    click = yield g.ask(
        side, "combat.defence.support", f"Defence of {BOARD.name(hex)}: choose DD Support, or none", "11.3",
        units=guns.units, locations=guns.locations, buttons=[*(g.rules.button(word) for word in planes), none],
        why_not=partial(support.why_not_given, units=units, hex=hex, defending=True), at=[hex],
    )  # fmt: skip
    if click == none:
        return False
    if click >= g.rules.first_button:
        support.use_air(g, g.rules.names[click])
    else:
        support.use_artillery(g, side, click, "11.3")
    return True


# The roll (11.2, 11.4)


def modifiers(outcome: Outcome, lead: int, supported: bool) -> list[Modifier]:
    """Return the modifiers of a Determined Defense (11.2.2, 11.2.4)."""
    found = []
    if QUALITY[lead] in NUMBERS:
        found.append(Modifier(f"{QUALITY[lead]} Lead Unit", NUMBERS[QUALITY[lead]], "11.2.4"))
    if outcome.defence_modifier:
        found.append(Modifier(f"{outcome.code} result", outcome.defence_modifier, "11.2.2"))
    if supported:
        found.append(Modifier("DD Support", NUMBERS["support"], "11.3"))
    return found


def column(g: G, flight: Flight) -> int:
    """Return the column of the table, by the terrain of the defender's hex (11.2.1)."""
    label = defence_column(fortified(g, flight.hex, flight.side), flight.hex)
    return g.table("determined_defense").column(label)


def attempt(g: G, flight: Flight, outcome: Outcome, lead: int, supported: bool) -> Generator[Decision, int, Stand]:
    """Roll on the Determined Defense Table; Rommel may reroll for the Axis (11.2.1, 11.4, 18.5)."""
    table, at = g.table("determined_defense"), column(g, flight)
    drm = net(modifiers(outcome, lead, supported))
    die = yield from special.roll(
        g,
        flight.side,
        f"Determined Defense of {BOARD.name(flight.hex)}",
        "11.4",
        lambda die: table.result(at, die, drm),
    )
    cell = str(table.result(at, die, drm))
    stand = read(cell)
    g.log(
        "11.4", "{unit} leads the defence of {hex}: {die} {drm} = {total}, {cell}: {meaning}", unit=lead, hex=flight.hex,
        die=die, drm=f"{drm:+d}", total=die + drm, cell=cell, meaning=in_words(stand),
    )  # fmt: skip
    return stand


def apply(
    g: G, battle: Attack, flight: Flight, stand: Stand, lead: int, desperate: bool
) -> Generator[Decision, int, bool]:
    """Apply a result: the Lead Unit's step first, then the attacker's. A failure in a Desperate Defense always costs the Lead
    Unit one step (10.2.2, 11.4.1, 11.4.3, 11.5.3). Return whether the defender holds."""
    if stand.lead or (desperate and not stand.holds):
        yield from losses.lose_step(g, lead, "11.4.1")
    if stand.attacker:
        chooser = flight.side if stand.picked else battle.side
        yield from lose_attacker(g, battle, chooser)
    if stand.removes and fortified(g, flight.hex, flight.side):
        del g.state.fort[flight.hex]
        g.log("11.4.1", "The Fortification at {hex} is removed", hex=flight.hex)
    if stand.holds:
        g.log("11.1", "The defenders of {hex} hold", hex=flight.hex)
    return stand.holds


def lose_attacker(g: G, battle: Attack, chooser: int) -> Procedure:
    """The attacker loses a step to a Determined Defense, picked by the defender if the table says so (11.4.1)."""

    first = contributors(attack_shares(g, battle))
    yield from losses.lose(g, chooser, battle.units, first, "11.4.1")


# Chances


def hold_chance(g: G, flight: Flight, outcome: Outcome, lead: int, supported: bool) -> Fraction:
    """Return the exact chance that one roll holds (11.4)."""
    found = g.table("determined_defense").chances(column(g, flight), net(modifiers(outcome, lead, supported)))
    return sum([chance for cell, chance in found.items() if read(str(cell)).holds], Fraction(0))


def best_lead(g: G, flight: Flight, outcome: Outcome, units: Sequence[int]) -> int | None:
    """Return of units that could lead the one with the best chance to hold; None if none can (11.2.3)."""
    able = [unit for unit in units if why_not_lead(g, flight, unit) is None]
    return max(able, key=lambda unit: hold_chance(g, flight, outcome, unit, False), default=None)


def stands(g: G, flight: Flight, outcome: Outcome, lead: int) -> Mapping[Stand, Fraction]:
    """Return the chances of the results of one roll without DD Support (11.4)."""
    found: dict[Stand, Fraction] = {}
    chances = g.table("determined_defense").chances(column(g, flight), net(modifiers(outcome, lead, False)))
    for cell, chance in chances.items():
        stand = read(str(cell))
        found[stand] = found.get(stand, Fraction(0)) + chance
    return found
