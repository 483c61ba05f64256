"""The Supply Phase (16.1, 16.2, 16.5, 17.1.4): units out of supply, Port Supply, Isolation Attrition, and depleted
ASUs."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial

from khamsin.games.na41 import losses, readiness, supply, victory
from khamsin.games.na41.units import (
    AIRFIELDS,
    ASU,
    ASUS,
    BLOCK,
    BOARD,
    COMBAT,
    FORCES,
    HEXES,
    HQ,
    ISOLATED,
    OOS,
    OWN,
    QUALITY,
    SIDE,
    SUPPLY,
    G,
    defence,
    name,
    on_map,
    pieces_in,
)
from khamsin.games.na41.zones import adjacent_enemies
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.odds import Modifier, net
from khamsin.mechanics.refusals import for_units

JUDGED = "judged"
"""Whether the supply of all units has been checked in this phase."""
MODIFIERS = SUPPLY["isolation"]


def supply_phase(g: G, side: int) -> Procedure:
    """The Supply Phase: check all units, roll for Isolation Attrition, flip ASUs; then an automatic victory is judged (3.2,
    26.1)."""
    if JUDGED not in g.state.todo:
        yield from check(g, side)
        yield from attrition(g, side)
        g.state.todo[JUDGED] = 1
    yield from flip_asus(g, side)
    g.state.todo.clear()
    victory.automatic(g, side)


# Supply of units


def check(g: G, side: int) -> Procedure:
    """Mark units without a Line of Supply: white the first time, red from the second on; remove the markers of others
    (16.1)."""
    flags, where = g.state.flags, g.state.where
    fed_by_land = supply.full(g, side)
    hexes = set(where[BLOCK[side]])
    unfed = fed_by_land.without([hex for hex in hexes if 0 <= hex < HEXES])
    dry = sorted([unit for hex in unfed for unit in pieces_in(g, side, hex)])
    fields = supply.port_fields(g, side) if dry else {}
    reached = {port: unfed - field.without(unfed) for port, field in fields.items()}
    by_hex = {hex: tuple([port for port, hexes in reached.items() if hex in hexes]) for hex in unfed}
    needy = {unit: by_hex[where[unit]] for unit in dry}
    fed = yield from feed(g, side, {unit: ports for unit, ports in needy.items() if ports})
    wanting = [unit for unit in needy if unit not in fed]
    g.clear_flags(set(OWN[side]).difference(wanting), OOS | ISOLATED)
    for unit in wanting:
        if flags[unit] & OOS:
            flags[unit] |= ISOLATED
            g.log("16.1", "{unit} is still out of supply", unit=unit)
        else:
            flags[unit] |= OOS
            g.log("16.1", "{unit} is out of supply", unit=unit)


def ports_of(fields: Fields, hex: int) -> tuple[int, ...]:
    """Return the ports to which units in a hex can trace a line (16.2)."""
    return tuple([port for port, field in fields.items() if hex in field])


Fields = Mapping[int, supply.Field]
"""Port -> from where a line leads to it."""


Wants = Mapping[int, tuple[int, ...]]
"""Unit -> the ports that can supply it."""


def assignment(units: Sequence[int], wants: Wants, room: Mapping[int, int]) -> dict[int, int] | None:
    """Return unit -> port so that no port supplies more than it can, None if that is impossible.

    >>> assignment([1, 2], {1: (7,), 2: (7, 8)}, {7: 1, 8: 1})
    {1: 7, 2: 8}
    >>> assignment([1, 2], {1: (7,), 2: (7,)}, {7: 1})
    """
    found: dict[int, int] = {}
    return found if all(_place(unit, wants, room, found, set()) for unit in units) else None


def _place(unit: int, wants: Wants, room: Mapping[int, int], found: dict[int, int], tried: set[int]) -> bool:
    """Find a port for a unit, if necessary by finding another one for a unit there."""
    for port in wants[unit]:
        if port in tried:
            continue
        tried.add(port)
        there = [other for other, at in found.items() if at == port]
        if len(there) < room[port] or any(_place(other, wants, room, found, tried) for other in there):
            found[unit] = port
            return True
    return False


def feed(g: G, side: int, wants: Wants) -> Generator[Decision, int, set[int]]:
    """Return the units that ports supply: a port supplies twice its capacity, and the owner chooses the units; units
    behind an MSU only if a port supplies that MSU too (16.2, 16.3.4)."""
    room = supply.ports(g, side)
    if assignment(list(wants), wants, room) is not None:
        return set(wants)
    chosen: list[int] = []
    done, default = g.rules.button("done"), g.rules.button("default")
    open_to = {port for ports in wants.values() for port in ports}
    limits = ", ".join([f"{BOARD.place_in(port)} {room[port]}" for port in sorted(open_to)])
    while more := list(feedable(g, side, wants, wants, chosen)):
        click = yield g.ask(
            side, "supply.port", f"Choose units that ports supply ({limits}): {len(chosen)} of {len(wants)} chosen", "16.2",
            units=more, buttons=[done, default], why_not=partial(why_not_fed, wants=dict(wants), chosen=tuple(chosen)),
        )  # fmt: skip
        if click == done:
            break
        if click == default:
            ranked = sorted(wants, key=lambda unit: (not COMBAT[unit], -defence(g, unit), unit))
            while (first := next(feedable(g, side, ranked, wants, chosen), None)) is not None:
                chosen.append(first)
            break
        chosen.append(click)
    return set(chosen)


def feedable(g: G, side: int, units: Iterable[int], wants: Wants, chosen: Sequence[int]) -> Iterator[int]:
    """Those of these units that ports can feed besides those that are chosen (16.2)."""
    given = Feeding(g, side, wants, chosen)
    return (unit for unit in units if unit not in chosen and given.why_not(g, unit) is None)


def fields_over(g: G, side: int, chosen: Sequence[int]) -> Fields:
    """Return from where lines lead to the ports, over MSUs only if they are chosen (16.3.4)."""
    return supply.port_fields(g, side, {hex for hex, truck in supply.relays(g, side).items() if truck in chosen})


def why_not_fed(g: G, decision: Decision, click: int, wants: Wants, chosen: Sequence[int]) -> Refusal | None:
    """Return why a unit cannot be chosen for Port Supply (16.2)."""
    if not g.is_unit(click):
        return None
    return Feeding(g, decision.side, wants, chosen).why_not(g, click)


class Feeding:
    """The Port Supply besides chosen units: room, lines, and the possible ports of those units."""

    def __init__(self, g: G, side: int, wants: Wants, chosen: Sequence[int]) -> None:
        self.wants, self.room, self.fields = wants, supply.ports(g, side), fields_over(g, side, chosen)
        self.taken = {unit: ports_of(self.fields, g.state.where[unit]) for unit in chosen}

    def why_not(self, g: G, unit: int) -> Refusal | None:
        """Return why ports cannot supply a unit too: it needs none, its line leads over an MSU without Port Supply, or
        the ports supply as many as they can (16.2, 16.3.4)."""
        who = name(unit)
        if unit in self.taken:
            return Refusal(f"{who} is already supplied by a port", "16.2", who)
        if unit not in self.wants:
            return Refusal(f"{who} does not depend on a port", "16.2", who)
        ports = ports_of(self.fields, g.state.where[unit])
        if not ports:
            return Refusal(
                f"{who} cannot be supplied: its line leads over an MSU that no port supplies yet", "16.3.4", who
            )
        if assignment([*self.taken, unit], self.taken | {unit: ports}, self.room) is None:
            return Refusal(f"{who} cannot be supplied: its ports supply as many units as they can", "16.2", who)
        return None


# Isolation Attrition


def attrition(g: G, side: int) -> Procedure:
    """Units with a red marker that are adjacent to an enemy and cut off from supplied friendly units roll; ASUs without
    other units are eliminated (16.5.1, 16.5.2)."""
    cut_off = [unit for unit in g.state.flags.having(ISOLATED) if SIDE[unit] == side and COMBAT[unit]]
    for unit in [unit for unit in cut_off if is_isolated(g, side, unit)]:
        if on_map(g, unit):
            yield from roll(g, side, unit)
    for unit in cut_off:
        if ASU[unit] and on_map(g, unit) and g.state.flags[unit] & ISOLATED and is_abandoned(g, side, unit):
            losses.surrender(g, unit)


def is_isolated(g: G, side: int, unit: int) -> bool:
    """Whether a unit rolls for Isolation Attrition (16.5.1)."""
    state = g.state
    if not state.flags[unit] & ISOLATED or ASU[unit] or not on_map(g, unit):
        return False
    if not adjacent_enemies(g, side, state.where[unit]):
        return False
    fed = frozenset([state.where[u] for u in FORCES[side] if on_map(g, u) and not state.flags[u] & OOS])
    return not fed or state.where[unit] not in supply.traced(g, side, fed)


def is_abandoned(g: G, side: int, unit: int) -> bool:
    """Whether an ASU can neither stack with nor trace a line to a friendly unit that is not an ASU (16.5.2)."""
    others = frozenset([g.state.where[u] for u in FORCES[side] if on_map(g, u) and not ASU[u]])
    return not others or g.state.where[unit] not in supply.traced(g, side, others)


def roll(g: G, side: int, unit: int) -> Procedure:
    """A unit rolls on the Isolation Attrition Table (16.5.2, 16.5.3)."""
    if g.table("isolation").roll(g.dice, 0, net(modifiers(g, side, unit)), f"isolation of {name(unit)}"):
        yield from losses.lose_step(g, unit, "16.5.2", surrendering=True)
    else:
        g.log("16.5.3", "{unit} loses nothing", unit=unit)


def modifiers(g: G, side: int, unit: int) -> list[Modifier]:
    """Return the modifiers of Isolation Attrition: a usable airfield or Corps HQ, a Fortification, and Troop Quality
    (16.5.4)."""
    state, where = g.state, g.state.where[unit]
    fields = [hex for hex in AIRFIELDS if state.control.get(hex) == side]
    fields += [state.where[u] for u in FORCES[side] if HQ[u] and on_map(g, u)]
    quiet = frozenset([hex for hex in fields if not adjacent_enemies(g, side, hex)])
    forts = frozenset([hex for hex, owner in state.fort.items() if owner == side])
    found = []
    if quiet and where in supply.traced(g, side, quiet):
        found.append(Modifier("airfield or Corps HQ", MODIFIERS["airfield"], "16.5.4"))
    if forts and where in supply.traced(g, side, forts):
        found.append(Modifier("Fortification", MODIFIERS["fortification"], "16.5.4"))
    if QUALITY[unit] in MODIFIERS:
        found.append(Modifier(f"{QUALITY[unit]} quality", MODIFIERS[QUALITY[unit]], "16.5.4"))
    return found


# ASUs


def flip_asus(g: G, side: int) -> Procedure:
    """The owner spends Supply Points to make depleted ASUs ready (17.1.4)."""
    done = g.rules.button("done")
    while able := [u for u in ASUS[side] if readiness.why_not_ready(g, side, u) is None]:
        click = yield g.ask(
            side, "supply.ready", "Make a depleted ASU ready with a Supply Point, or end the phase", "17.1.4", units=able,
            buttons=[done], top=True, why_not=for_units(readiness.why_not_ready, side),
        )  # fmt: skip
        if click == done:
            return
        readiness.make_ready(g, side, click)
