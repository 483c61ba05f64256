"""Rommel (2.3): not a unit, always with Axis units, and his effects on them."""

from __future__ import annotations

from khamsin.games.afrika.units import AXIS, BOARD, HEXES, LED, OUT, ROMMEL, TRIPOLI, G, forces_in
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics.refusals import for_locations


def camps(g: G) -> list[int]:
    """Return the hexes with Axis units, where Rommel may be (2.3)."""
    return sorted([hex for hex in g.state.where.stacks(AXIS) if 0 <= hex < HEXES])


def is_present(g: G) -> bool:
    """Whether Rommel is on the map."""
    return 0 <= g.state.where[ROMMEL] < HEXES


def lead(g: G) -> None:
    """Store which units begin the phase with Rommel (2.3)."""
    camp = g.state.where[ROMMEL]
    for hex, stack in g.state.where.stacks(AXIS).items():
        for unit in stack:
            if hex == camp:
                g.state.flags[unit] |= LED


def why_no_flight(g: G) -> Refusal | None:
    """Return why Rommel cannot move at all: no Axis stack on the map is elsewhere (2.3)."""
    if any(hex != g.state.where[ROMMEL] for hex in camps(g)):
        return None
    return Refusal("Rommel cannot move: no other Axis stack is on the map", "2.3", "Rommel")


def why_not_fly(g: G, hex: int) -> Refusal | None:
    """Rommel moves from any Axis stack to any other on the map, over any distance (2.3)."""
    label = BOARD.name(hex)
    if g.state.where[ROMMEL] == hex:
        return Refusal(f"Rommel is already in {label}", "2.3", label)
    if hex >= HEXES:
        return Refusal(f"Rommel cannot move to {label}: only to hexes of the map", "2.3", label)
    if not forces_in(g, AXIS, hex):
        return Refusal(f"Rommel cannot move to {label}: no Axis unit is there", "2.3", label)
    return None


def fly(g: G, hex: int) -> None:
    """Move Rommel to another stack (2.3)."""
    g.state.where[ROMMEL] = hex
    g.log("2.3", "{unit} moves to {hex}", unit=ROMMEL, hex=hex)


def displace(g: G) -> Procedure:
    """If no Axis unit is left with Rommel the Axis places him in any other stack; without one he is placed in the
    Tripoli Box of a campaign (2.3)."""
    hex = g.state.where[ROMMEL]
    if not is_present(g) or forces_in(g, AXIS, hex):
        return
    others = camps(g)
    if not others:
        g.state.where[ROMMEL] = TRIPOLI if g.state.campaign else OUT
        g.log("2.3", "{unit} leaves the map: no Axis stack is left", unit=ROMMEL)
        return
    if len(others) > 1:
        click = yield g.ask(
            AXIS, "leader.displace", "Choose an Axis stack that Rommel joins", "2.3", locations=others, about=[ROMMEL],
            why_not=for_locations(why_not_fly),
        )  # fmt: skip
        fly(g, g.location(click))
    else:
        fly(g, others[0])


def follow(g: G, start: int, hex: int) -> None:
    """Rommel moves with units of his hex when the last of them leaves it, but not out of play (2.3, SCS 10.7)."""
    if can_follow(g, start, hex) and not forces_in(g, AXIS, start):
        go_along(g, hex)


def can_follow(g: G, start: int, hex: int) -> bool:
    """Whether units of Rommel's hex have moved to another location where he may be (2.3)."""
    return g.state.where[ROMMEL] == start != hex and start < HEXES and hex != OUT and bool(forces_in(g, AXIS, hex))


def go_along(g: G, hex: int) -> None:
    """Move Rommel with units of his hex (2.3)."""
    g.state.where[ROMMEL] = hex
    g.log("2.3", "{unit} moves with them to {hex}", unit=ROMMEL, hex=hex)


def accompany(g: G, start: int, hex: int) -> Procedure:
    """If only part of his stack has retreated or overrun a hex, the Axis chooses whether Rommel moves with it or stays
    (2.3, SCS 10.7)."""
    if not can_follow(g, start, hex):
        return
    if forces_in(g, AXIS, start):

        def why_not(g: G, location: int) -> Refusal | None:
            if location in (start, hex):
                return None
            label = BOARD.name(location)
            return Refusal(f"Rommel cannot move to {label}: he stays or moves with the units of his hex", "2.3", label)

        click = yield g.ask(
            AXIS, "leader.follow",
            f"Rommel stays in {BOARD.name(start)} or moves with them to {BOARD.name(hex)}: choose one", "2.3",
            locations=[start, hex], about=[ROMMEL], why_not=for_locations(why_not),
        )  # fmt: skip
        if g.location(click) == start:
            return
    go_along(g, hex)
