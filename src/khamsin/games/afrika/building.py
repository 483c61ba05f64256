"""Building boxes (1.16): at the start of its Supply Phase a side builds them for SPs."""

from __future__ import annotations

from khamsin.games.afrika import dumps, feeding
from khamsin.games.afrika.units import BOARD, COMBAT, HEXES, MOVED, OOS, SIDES, SUPPLY, G, forces_in, name, stock
from khamsin.games.afrika.zones import in_zone, zone_names
from khamsin.kernel.rules import Decision, Procedure, Refusal

COST: int = SUPPLY["box"]["cost"]


def build(g: G, side: int) -> Procedure:
    """At the start of its Supply Phase a side builds boxes, each for a SP of a dump that could supply the builder (1.16)."""
    done = g.rules.button("done")
    while hexes := [hex for hex in sorted(g.state.where.stacks(side)) if why_not_built(g, side, hex) is None]:
        click = yield g.ask(
            side, "box.build", "Choose a hex to build a box for a SP, or end the building", "1.16", locations=hexes,
            buttons=[done], top=True, why_not=why_not_click,
        )  # fmt: skip
        if click == done:
            return
        hex = g.location(click)
        payers = payers_for(g, side, hex)
        dumps.remove(g, side, max(payers, key=lambda dump: (stock(g, side)[dump], -dump)), COST)
        g.state.box[hex] = side
        g.log("1.16", "{side} builds a box in {hex}", side=side, hex=hex)


def payers_for(g: G, side: int, hex: int) -> list[int]:
    """The dumps that could supply a unit in a hex (1.6c, 1.16)."""
    return [dump for dump in stock(g, side) if hex in feeding.reached(g, side, dump)]


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
    """Why a box cannot be built in a hex."""
    if not g.place0 <= click < g.rules.first_button:
        return None
    return why_not_built(g, decision.side, g.location(click))
