"""Supply points and dumps (1.6a, 1.8): SPs in a hex or box, their capture, and the displacement of the rest."""

from __future__ import annotations

from functools import partial

from khamsin.games.afrika.ground import GROUNDS, MECHANISED, OFF_MAP
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.units import AXIS, BOARD, EDGE, HALVES, HEXES, JOINING, SUPPLY, G, forces_in, name, stock
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics import stocks
from khamsin.mechanics.showing import counted
from khamsin.mechanics.stacks import Names

FURTHEST: int = SUPPLY["displacement"]["most"]
TO_THE_BOX: int = FURTHEST * HALVES
"""The MPs, in halves, within which SPs may displace into an off-map box (1.8)."""
ENTER: int = BOARD.box["Joining Box"].data["enter"] * HALVES


def add(g: G, side: int, location: int, number: int) -> None:
    """Add SPs of a side to a location (1.6a, 1.8)."""
    stocks.put(stock(g, side), location, number)


def remove(g: G, side: int, location: int, number: int) -> None:
    """Remove SPs from a location."""
    stocks.take(stock(g, side), location, number)


def in_words(number: int) -> Names:
    """Return a number of SPs as the subject of a text.

    >>> in_words(1), in_words(2)
    ('1 SP', '2 SPs')
    """
    return Names(counted(number, "SP"), number != 1)


def capture(g: G, side: int, hex: int) -> Procedure:
    """A unit that enters a hex with enemy SPs and no enemy unit rolls for the share it captures; the owner displaces the rest
    (1.8)."""
    enemy = 1 - side
    points = stock(g, enemy).get(hex, 0)
    if not points or forces_in(g, enemy, hex):
        return
    percent = int(g.table("capture").roll(g.dice, 0, 0, f"capture of the dump in {BOARD.name(hex)}"))
    taken = stocks.share(points, percent)
    g.log("1.8", "{side} captures {taken} of {points} SPs in {hex}", side=side, taken=taken, points=points, hex=hex)
    remove(g, enemy, hex, points)
    add(g, side, hex, taken)
    yield from displace(g, enemy, hex, points - taken)


def displace(g: G, side: int, hex: int, points: int) -> Procedure:
    """The owner displaces SPs one by one, to one or several hexes; without a hex to go to they are lost (1.8)."""
    while points:
        found = havens(g, side, hex)
        if not found:
            g.log("1.8", "{points} in {hex} {points:is|are} lost", points=in_words(points), hex=hex)
            return
        click = yield g.ask(
            side, "supply.displace", f"Displace SPs from {BOARD.name(hex)}: choose a location for one of {points}", "1.8",
            locations=found, why_not=partial(why_not_click, start=hex),
        )  # fmt: skip
        add(g, side, g.location(click), 1)
        g.log("1.8", "An SP displaces from {hex_from} to {hex}", hex_from=hex, hex=g.location(click))
        points -= 1


def havens(g: G, side: int, hex: int) -> list[int]:
    """Return where SPs can displace to from a hex (1.8)."""
    near = [*BOARD.within(hex, FURTHEST), JOINING]
    return [other for other in near if why_not_displaced(g, side, hex, other) is None]


def why_not_displaced(g: G, side: int, start: int, location: int) -> Refusal | None:
    """SPs displace one to five hexes, past anything, to land without an enemy unit, or into an off-map box within five MPs
    (1.8)."""
    label = BOARD.name(location)
    cannot = f"SPs cannot displace from {BOARD.name(start)} to {label}"
    if location >= HEXES:
        return why_not_into_box(g, side, start, location, cannot)
    distance = BOARD.distance(start, location)
    if not 1 <= distance <= FURTHEST:
        return Refusal(f"{cannot}: {distance} hexes away, expected 1 to {FURTHEST}", "1.8", label)
    if not BOARD.enterable(location) or location in OFF_MAP[setting(g).maps]:
        return Refusal(f"{cannot}: {BOARD.terrain_name(location)}", "1.8", label)
    for enemy in forces_in(g, 1 - side, location):
        return Refusal(f"{cannot}: {name(enemy)} is there", "1.8", name(enemy))
    return None


def why_not_into_box(g: G, side: int, start: int, location: int, cannot: str) -> Refusal | None:
    """Axis SPs displace into the Joining Box if it is within five MPs, whatever is between (1.8, 1.13)."""
    label = BOARD.name(location)
    if side != AXIS or location != JOINING:
        return Refusal(f"{cannot}: not a box it can displace into", "1.8", label)
    reach = GROUNDS[MECHANISED].net.flood([start], limit=TO_THE_BOX - ENTER)
    if not any(hex in reach for hex in EDGE):
        return Refusal(f"{cannot}: more than {FURTHEST} MPs away", "1.8", label)
    return None


def why_not_click(g: G, decision: Decision, click: int, start: int) -> Refusal | None:
    """Return why SPs cannot displace to a location."""
    if not g.place0 <= click < g.rules.first_button:
        return None
    return why_not_displaced(g, decision.side, start, g.location(click))
