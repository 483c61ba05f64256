"""The Delay Phase (24): placing Delay, Strafing and LRDG markers, and their removal."""

from __future__ import annotations

from collections.abc import Set
from functools import partial
from typing import NamedTuple

from khamsin.games.na41 import special
from khamsin.games.na41.ground import LAND
from khamsin.games.na41.units import (
    AIRFIELDS,
    AROUND,
    BOARD,
    HEXES,
    NON_COMBAT,
    PIECES,
    PORTS,
    SIDES,
    G,
    hex_of,
    holder,
    pieces_in,
    stock,
)
from khamsin.kernel.cache import cached
from khamsin.kernel.rules import Decision, Procedure, Refusal

NUMBERS = tuple(range(1, PIECES["markers"]["delay"] + 1))
"""The numbers on the Delay markers of a side (24.3.2)."""
PLACED, ROLLED = "placed", "rolled"
"""The finished steps of the phase."""


def delay_phase(g: G, side: int) -> Procedure:
    """The Delay Phase: Strafing and LRDG markers of the last impulse are removed, markers are placed, two dice remove
    Delay markers, then those that the owner takes off and those under enemy units (24.3)."""
    todo = g.state.todo
    if PLACED not in todo:
        if ROLLED not in todo and "begun" not in todo:
            special.remove_markers(g, side)
            todo["begun"] = 1
        yield from place_all(g, side)
        todo[PLACED] = 1
    if ROLLED not in todo:
        yield from special.place_markers(g, side)
        remove_at_random(g, side)
        todo[ROLLED] = 1
    yield from take_off(g, side)
    remove_overrun(g)
    todo.clear()


def hexes_of(g: G, side: int) -> dict[int, int]:
    """Return the Delay markers of a side on the map: number -> hex."""
    return {g.state.number[hex]: hex for hex, owner in g.state.delay.items() if owner == side}


def place_all(g: G, side: int) -> Procedure:
    """The owner places Delay markers from the display, of which there are two (24.1, 24.3.1)."""
    done = g.rules.button("done")
    while left := [number for number in NUMBERS if number not in hexes_of(g, side)]:
        click = yield g.ask(
            side, "delay.place", f"Place Delay marker {left[0]}, or end", "24.3.1", buttons=[done], top=True,
            maybe=range(g.place0, g.place0 + HEXES), why_not=partial(why_not_click, side=side),
        )  # fmt: skip
        if click == done:
            return
        hex = g.location(click)
        g.state.delay[hex], g.state.number[hex] = side, left[0]
        g.log("24.3.1", "{side} places Delay marker {number} in {hex}", side=side, number=left[0], hex=hex)


@cached(
    lambda g, side: (
        side, g.state.where.versions[1 - side], g.state.where.versions[NON_COMBAT + 1 - side], stock(g, 1 - side).version,
        g.state.fort.version, g.state.delay.version, g.state.control.version,
    )
)  # fmt: skip
def reasons(g: G, side: int) -> list[Reason]:
    """Return why hexes are closed to Delay markers (24.3.1)."""
    state, enemy = g.state, 1 - side
    held = {h for s in (enemy, NON_COMBAT + enemy) for h in state.where.stacks(s) if h < HEXES}
    held |= {hex for hex in stock(g, enemy) if hex < HEXES}
    own = {hex for hex, owner in state.delay.items() if owner == side}
    return [
        Reason("an enemy unit is", held, around(held)),
        Reason("a Fortification is", {*state.fort}, around({*state.fort})),
        Reason("another Delay marker of yours is", own, around(own)),
        Reason("an enemy Delay marker is", {*state.delay} - own),
        Reason("a port or airfield of the enemy is", {hex for hex in (*PORTS, *AIRFIELDS) if holder(g, hex) == enemy}),
    ]


class Reason(NamedTuple):
    """What keeps Delay markers away: its hexes, and the hexes on or adjacent to it if it closes those too (24.3.1)."""

    text: str
    hexes: set[int]
    near: Set[int] = frozenset()


def around(hexes: set[int]) -> set[int]:
    """Return hexes and those adjacent to them."""
    return hexes.union(*[AROUND[hex] for hex in hexes])


def why_not_click(g: G, decision: Decision, click: int, side: int) -> Refusal | None:
    """Return why a Delay marker cannot be placed in a hex (24.3.1)."""
    hex = hex_of(g, click)
    if hex is None:
        return None
    label = BOARD.name(hex)
    if not LAND[hex]:
        return Refusal(f"{label} is sea", "24.3.1", label)
    for text, hexes, near in reasons(g, side):
        if hex in hexes or hex in near:
            where = "there" if hex in hexes else f"adjacent, in {BOARD.name(min(hexes.intersection(AROUND[hex])))}"
            return Refusal(f"A Delay marker cannot be placed in {label}: {text} {where}", "24.3.1", label)
    return None


def remove_at_random(g: G, side: int) -> None:
    """Two dice remove the Delay markers of their numbers (24.3.2)."""
    before, rolled = hexes_of(g, side), []
    for _ in range(2):
        rolled.append(g.dice.roll(f"{SIDES[side]} Delay marker to remove", "24.3.2"))
        if rolled[-1] in hexes_of(g, side):
            remove(g, before[rolled[-1]], "24.3.2")
    if before and before == hexes_of(g, side):
        numbers = " or ".join(str(number) for number in sorted({*rolled}))
        g.log("24.3.2", "{side} Delay markers stay: none on the map has number {numbers}", side=side, numbers=numbers)


def remove(g: G, hex: int, rule: str) -> None:
    """A Delay marker returns to the display, and may be placed again in the owner's next Delay Phase (24.3.1)."""
    number = g.state.number[hex]
    g.log(rule, "Delay marker {number} in {hex} is removed: it can be placed again", number=number, hex=hex)
    del g.state.delay[hex]
    del g.state.number[hex]


def take_off(g: G, side: int) -> Procedure:
    """The owner may take off Delay markers after the roll (24.3.3)."""
    done = g.rules.button("done")
    while mine := [hex for hex, owner in g.state.delay.items() if owner == side]:
        click = yield g.ask(
            side, "delay.remove", "Take off a Delay marker, or end the phase", "24.3.3", locations=mine, buttons=[done],
            top=True, why_not=why_not_taken,
        )  # fmt: skip
        if click == done:
            return
        remove(g, g.location(click), "24.3.3")


def why_not_taken(g: G, decision: Decision, click: int) -> Refusal | None:
    """Only own Delay markers are taken off (24.3.3)."""
    hex = hex_of(g, click)
    if hex is None or g.state.delay.get(hex) == decision.side:
        return None
    return Refusal(f"{BOARD.name(hex)} has no Delay marker of yours", "24.3.3", BOARD.name(hex))


def remove_overrun(g: G) -> None:
    """Delay markers stacked with enemy units are removed, Supply Points among them (2.3.1, 24.3.4)."""
    for hex, owner in list(g.state.delay.items()):
        if pieces_in(g, 1 - owner, hex) or hex in stock(g, 1 - owner):
            remove(g, hex, "24.3.4")
