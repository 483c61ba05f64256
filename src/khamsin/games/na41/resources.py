"""Resource Points and assets (23): receiving them, and purchases."""

from __future__ import annotations

from functools import partial

from khamsin.games.na41 import malta, ports
from khamsin.games.na41.units import (
    AIRFIELDS,
    ALLIED,
    AXIS,
    BASE,
    CAPTURED,
    DEPLETED,
    ELIMINATED,
    FORCES,
    HQ,
    PIECES,
    REPLACED,
    SCHEDULE,
    SIDE,
    SIDES,
    SUPPLY,
    TRANSPORTED,
    TRUCKS,
    G,
    name,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_units
from khamsin.mechanics.showing import counted

COSTS: dict[str, int] = {item: cost for item, cost in SUPPLY["resources"].items() if isinstance(cost, int)}
MOST: int = COSTS.pop("most")
"""The most Resource Points a side may have (23.1)."""
LIMITS: dict[str, int] = PIECES["assets"]
"""How many markers of each asset there are (18.7.1, 23.2.3)."""
ITEMS = {
    "german air": ("air support", "German Air Support", AXIS),
    "italian air": ("air support", "Italian Air Support", AXIS),
    "allied air": ("air support", "Allied Air Support", ALLIED),
    "axis strafing": ("strafing", "Axis Strafing", AXIS),
    "allied strafing": ("strafing", "Allied Strafing", ALLIED),
    "comando": ("comando supremo", "Comando Supremo", AXIS),
    "air transport": ("air transport", "Air Transport", AXIS),
    "lrdg": ("lrdg", "LRDG", ALLIED),
    "second convoy": ("coastal convoy", "Coastal Convoy", ALLIED),
}
"""Assets that Resource Points buy, by button: the item of the list, the asset, and the side (23.2.2)."""
OTHERS = {
    "bomb": "bombing raid",
    "truck": "truck",
    "headquarters": "headquarters",
    "u-boats": "u-boats",
    "malta": "malta reinforced",
}
"""The other purchases, by button."""
WORDS = (*ITEMS, *OTHERS)
OWNER = {word: owner for word, (_, _, owner) in ITEMS.items()} | {"u-boats": AXIS, "malta": ALLIED}
"""The only side that may buy the item of a button (23.2.2)."""


def gain(g: G, side: int, rule: str = "23.1") -> None:
    """Add a Resource Point to a side, unless it has four or has to lose the next one (21.4.3, 23.1)."""
    points, who = g.state.rp, SIDES[side]
    if points.pop(f"{who} loses", 0):
        g.log("21.4.3", "{side} loses the Resource Point to a Bombing Raid", side=side)
    elif points.get(who, 0) >= MOST:
        g.log(rule, "{side} has {most} Resource Points: one is forfeited", side=side, most=MOST)
    else:
        points[who] = points.get(who, 0) + 1
        g.log(rule, "{side} receives a Resource Point", side=side)


def receive(g: G, asset: str, rule: str) -> None:
    """An asset becomes available, two markers for Strafing; one beyond the markers is forfeited (18.7.1, 18.7.5, 23.2.3)."""
    assets, left = g.state.assets, markers_left(g, asset)
    if not left:
        g.log("23.2.3", "{asset} is forfeited: no marker is left", asset=asset)
        return
    assets[asset] = assets.get(asset, 0) + (left if asset.endswith("Strafing") else 1)
    g.log(rule, "{asset} is available", asset=asset)


def markers_left(g: G, asset: str) -> int:
    """Return the markers of an asset on the display: neither in hand nor on the map, where that of Air Transport stays
    on the unit until the next Initial Phase (18.7.1, 18.7.6, 23.2.3)."""
    state = g.state
    placed = [f"{SIDES[owner]} Strafing" for owner in state.strafed.values()] + ["LRDG"] * len(state.lrdg)
    if any(SIDE[unit] == AXIS and state.where[unit] in AIRFIELDS for unit in state.flags.having(TRANSPORTED)):
        placed.append("Air Transport")
    return LIMITS[asset] - state.assets.get(asset, 0) - placed.count(asset)


def why_not_paid(g: G, side: int, cost: int, what: str) -> Refusal | None:
    """Return why a side cannot pay Resource Points for something (23.2.1)."""
    left = g.state.rp.get(SIDES[side], 0)
    if left >= cost:
        return None
    needed = counted(cost, "Resource Point")
    return Refusal(f"{what.capitalize()}: {needed} needed, {left} left", "23.2.2", f"{SIDES[side]} Resource Points")


def pay(g: G, side: int, cost: int) -> None:
    """A side spends Resource Points."""
    g.state.rp[SIDES[side]] -= cost


def why_not_bought(g: G, side: int, word: str) -> Refusal | None:
    """Return why a side cannot buy the item of a button: the points, the side, Air Superiority, markers (18.6, 18.7.1,
    23.2.2)."""
    item, asset, _ = ITEMS.get(word, (OTHERS.get(word, word), "", side))
    track = f"{SIDES[side]} Resource Points"
    if OWNER.get(word, side) != side:
        return Refusal(f"{item.capitalize()} is for the other side", "23.2.2", track)
    refusal = why_not_paid(g, side, COSTS[item], item)
    if refusal is not None:
        return refusal
    if item in ("air support", "strafing") and SCHEDULE["air"]["superiority"][g.state.turn - 1] == SIDES[1 - side]:
        return Refusal(f"{item.capitalize()} cannot be bought: the enemy has Air Superiority", "18.6", track)
    if asset and not markers_left(g, asset):
        return Refusal(f"{asset}: all markers are in hand or on the map", "23.2.3", track)
    if word in ("truck", "headquarters") and not lost(g, side, word):
        return Refusal(f"No eliminated {item} of yours can be replaced", "19.1.2", track)
    if word in ("u-boats", "malta") and g.state.malta == (malta.SPACES[0] if word == "u-boats" else malta.SPACES[-1]):
        return Refusal("The Malta marker is at the end of its track", "22.3.4", track)
    return None


def lost(g: G, side: int, word: str) -> list[int]:
    """Return the eliminated trucks or Corps HQs of a side that can be replaced; captured trucks cannot (17.1.2,
    19.1.2)."""
    pieces = TRUCKS[side] if word == "truck" else [unit for unit in FORCES[side] if HQ[unit]]
    return [unit for unit in pieces if g.state.where[unit] == ELIMINATED[side] and not CAPTURED[unit]]


def why_not_spend(g: G, side: int) -> Refusal | None:
    """Return why a side can buy nothing now; the reason for the cheapest (23.2.1)."""
    refusal = why_not_paid(g, side, min(COSTS.values()), "any purchase")
    if refusal is not None or any(why_not_bought(g, side, word) is None for word in WORDS):
        return refusal
    return Refusal("Nothing that you could buy is available", "23.2.2", f"{SIDES[side]} Resource Points")


def spend(g: G, side: int) -> Procedure:
    """A side buys one item of its resource list in its own player turn (23.2.1, 23.2.2)."""
    cancel = g.rules.button("cancel")
    words = {g.rules.button(word): word for word in WORDS if OWNER.get(word, side) == side}
    able = [button for button, word in words.items() if why_not_bought(g, side, word) is None]
    click = yield g.ask(
        side, "resource.item", f"Choose what to buy with {counted(g.state.rp.get(SIDES[side], 0), 'Resource Point')}", "23.2.2",
        buttons=[*able, cancel], blocked=[button for button in words if button not in able],
        why_not=_why_not_item,
    )  # fmt: skip
    if click == cancel:
        return
    word = words[click]
    if word in ITEMS:
        item, asset, _ = ITEMS[word]
        pay(g, side, COSTS[item])
        receive(g, asset, "23.2.2")
        return
    pay(g, side, COSTS[OTHERS[word]])
    if word == "bomb":
        yield from ports.bomb(g, side)
    elif word in ("truck", "headquarters"):
        yield from rebuild(g, side, word)
    else:
        move_malta(g, -1 if word == "u-boats" else 1)


def _why_not_item(g: G, decision: Decision, click: int) -> Refusal | None:
    word = g.rules.names[click]
    return why_not_bought(g, decision.side, word) if word in WORDS else None


def move_malta(g: G, by: int) -> None:
    """U-boats in the Mediterranean move the Malta marker left, reinforcements of Malta right (22.3.4)."""
    g.state.malta += by
    g.log("22.3.4", "Malta Convoy Modifier: {malta}", malta=f"{g.state.malta:+d}")


def rebuild(g: G, side: int, word: str) -> Procedure:
    """An eliminated truck or Corps HQ returns to the base, the HQ depleted; both are marked (17.1.2, 19.1.2, 19.4.2,
    19.5)."""
    found = lost(g, side, word)
    unit = found[0]
    if len(found) > 1 and word == "headquarters":
        unit = yield g.ask(
            side, "resource.unit", "Choose the Corps HQ that returns", "19.1.2", units=found,
            why_not=for_units(partial(_why_not_rebuilt, side=side)),
        )  # fmt: skip
    g.state.where[unit], g.state.steps[unit] = BASE[side], 1
    g.state.flags[unit] = REPLACED | (DEPLETED if HQ[unit] else 0)
    g.log("19.1.2", "{unit} returns in {hex}", unit=unit, hex=BASE[side])


def _why_not_rebuilt(g: G, unit: int, side: int) -> Refusal | None:
    if unit in lost(g, side, "headquarters"):
        return None
    return Refusal(f"{name(unit)} is not an eliminated Corps HQ of yours", "19.1.2", name(unit))
