"""Building boxes (1.16): at the start of its Supply Phase a side builds them for SPs."""

from __future__ import annotations

from khamsin.games.afrika import dumps, feeding
from khamsin.games.afrika.units import BOARD, COMBAT, HEXES, MOVED, OOS, SIDES, SUPPLY, G, forces_in, name, stock
from khamsin.games.afrika.zones import in_zone, zone_names
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations

COST: int = SUPPLY["box"]["cost"]


def build(g: G, side: int) -> Procedure:
    """At the start of its Supply Phase a side builds boxes, each for an SP of a dump that could supply the builder: the
    one with most SPs, or if there are several the one that the owner chooses (1.16)."""
    done, choose = g.rules.button("done"), g.rules.button("spend")
    while hexes := [hex for hex in sorted(g.state.where.stacks(side)) if why_not_built(g, side, hex) is None]:
        payers = {hex: payers_for(g, side, hex) for hex in hexes}
        several = any(len(dumps_near) > 1 for dumps_near in payers.values())
        click = yield g.ask(
            side, "box.build", "Choose a hex to build a box for 1 SP, or end the building", "1.16",
            locations={hex: f"SP from {BOARD.name(near[0])}" for hex, near in payers.items()},
            buttons=[done, *([choose] if several else [])], top=True, why_not=why_not_click,
        )  # fmt: skip
        if click == done:
            return
        if click == choose:
            yield from build_from(g, side)
        else:
            pay(g, side, g.location(click), payers[g.location(click)][0])


def build_from(g: G, side: int) -> Procedure:
    """The owner chooses the dump that pays, then the hex of the box (1.16)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "box.pay", "Choose the dump that pays for a box", "1.16", buttons=[cancel],
        locations={dump: {"SPs": number} for dump, number in stock(g, side).items() if served(g, side, dump)},
        why_not=for_locations(why_not_paying, side),
    )  # fmt: skip
    if click == cancel:
        return
    dump = g.location(click)
    click = yield g.ask(
        side, "box.place", f"Choose a hex to build a box for 1 SP of {BOARD.name(dump)}", "1.16", buttons=[cancel],
        locations=served(g, side, dump), why_not=for_locations(why_not_built_from, side, dump),
    )  # fmt: skip
    if click != cancel:
        pay(g, side, g.location(click), dump)


def pay(g: G, side: int, hex: int, dump: int) -> None:
    """Build a box for an SP of a dump (1.16)."""
    dumps.remove(g, side, dump, COST)
    g.state.box[hex] = side
    g.log("1.16", "{side} builds a box in {hex}", side=side, hex=hex)


def served(g: G, side: int, dump: int) -> list[int]:
    """Return the hexes in which a dump can pay for a box."""
    return [hex for hex in sorted(g.state.where.stacks(side)) if why_not_built_from(g, side, dump, hex) is None]


def payers_for(g: G, side: int, hex: int) -> list[int]:
    """Return the dumps that could supply a unit in a hex, the one with most SPs first (1.6c, 1.16)."""
    found = [dump for dump in stock(g, side) if hex in feeding.reached(g, side, dump)]
    return sorted(found, key=lambda dump: (-stock(g, side)[dump], dump))


def why_not_paying(g: G, side: int, dump: int) -> Refusal | None:
    """Return why a location cannot pay for any box: it is not a dump, or no box can be built in its range (1.16)."""
    label = BOARD.name(dump)
    nowhere = Refusal(f"{label} cannot pay for a box: none can be built in its range", "1.16", label)
    return feeding.why_no_dump(g, side, dump) or (None if served(g, side, dump) else nowhere)


def why_not_built_from(g: G, side: int, dump: int, hex: int) -> Refusal | None:
    """Return why a box cannot be built for a SP of a dump: not at all, or the dump could not supply its builder (1.6c,
    1.16)."""
    label = BOARD.name(hex)
    beyond = Refusal(
        f"{BOARD.name(dump)} cannot pay for a box in {label}: it could not supply a unit there", "1.16", label
    )
    return why_not_built(g, side, hex) or (None if hex in feeding.reached(g, side, dump) else beyond)


def why_not_built(g: G, side: int, hex: int) -> Refusal | None:
    """A box is built where a supplied unit is that has not moved in this game turn, outside enemy ZOCs, without a
    fortification, while there are markers and a SP (1.16)."""
    label = BOARD.name(hex)
    cannot = f"A box cannot be built in {label}"
    if hex >= HEXES:
        return Refusal(f"{cannot}: only in hexes of the map", "1.16", label)
    if hex in g.state.box:
        return Refusal(f"{cannot}: one is there", "1.16", label)
    if "fortification" in BOARD.tags[hex]:
        return Refusal(f"{cannot}: printed fortification", "1.16", label)
    if list(g.state.box.values()).count(side) >= COMBAT["boxes"][SIDES[side].lower()]:
        return Refusal(f"{cannot}: all your box markers are in play", "1.16", label)
    stack = forces_in(g, side, hex)
    if not stack:
        return Refusal(f"{cannot}: none of your units is there", "1.16", label)
    if in_zone(g, 1 - side, hex):
        return Refusal(f"{cannot}: in an enemy ZOC", "1.16", zone_names(g, hex, 1 - side)[0])
    if all(g.state.flags[unit] & (MOVED | OOS) for unit in stack):
        moved = g.state.flags[stack[0]] & MOVED
        text = "has moved in this game turn" if moved else "is out of supply"
        return Refusal(f"{cannot}: {name(stack[0])} {text}", "1.16", name(stack[0]))
    if not payers_for(g, side, hex):
        return Refusal(f"{cannot}: no dump that could supply it has a SP", "1.16", label)
    return None


def why_not_click(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a box cannot be built in a hex."""
    if not g.place0 <= click < g.rules.first_button:
        return None
    return why_not_built(g, decision.side, g.location(click))
