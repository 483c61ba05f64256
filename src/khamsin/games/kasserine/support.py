"""Fire Support (10): where a gun's marker may be placed, and how it is placed, shown, cancelled and removed.

A marker is hidden (FACE_DOWN) in the Ready Box and on the map until its combat, so the enemy knows how many are in each
location, but not which. Offer clicks only on markers in the Ready Box, and on hexes for those on the map: a click that
names a marker on the map would reveal it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

from khamsin.games.kasserine.units import (
    ALLIED,
    AROUND,
    AXIS,
    BOARD,
    BRITISH,
    DEPLOYED,
    FACE_DOWN,
    FOUGHT,
    GUN,
    HEXES,
    IS_MARKER,
    MARKER,
    MARKER_SPAN,
    MARKERS,
    MOVED,
    OTHERS,
    RANGE,
    READY,
    SIDE,
    G,
    held,
    hex_of,
    name,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_units


def why_not_available(g: G, gun: int) -> Refusal | None:
    """Return why a gun cannot give Fire Support: it must be Deployed on the map, its marker in the Ready Box (10.1.3,
    10.4.1)."""
    state = g.state
    if state.where[MARKER[gun]] != READY[SIDE[gun]]:
        return Refusal(f"{name(gun)} cannot fire: its marker is not in the Ready Box", "10.4.1", name(gun))
    if not 0 <= state.where[gun] < HEXES:
        return Refusal(f"{name(gun)} cannot fire: not on the map", "5.2.5", name(gun))
    if not state.flags[gun] & DEPLOYED:
        return Refusal(f"{name(gun)} cannot fire: not Deployed", "10.1.3", name(gun))
    return None


def available(g: G, gun: int) -> bool:
    """Whether a gun can give Fire Support (10.1.3, 10.4.1)."""
    return why_not_available(g, gun) is None


def fpf_clicks(g: G, marker: int) -> list[int]:
    """Return the clicks on hexes of friendly units within range of a marker's gun, whatever the terrain (10.1.2, 10.1.5,
    10.3.4)."""
    gun = GUN[marker]
    own = g.state.where.stacks(SIDE[gun])
    return [g.place0 + hex for hex in BOARD.within(g.state.where[gun], RANGE[gun]) if hex in own]


def fpf_hexes(g: G, marker: int) -> list[int]:
    """Return the hexes on which a marker may be placed for Final Protective Fire (10.3.4)."""
    return [
        click - g.place0 for click in fpf_clicks(g, marker) if why_not_protected(g, marker, click - g.place0) is None
    ]


def why_not_protected(g: G, marker: int, hex: int) -> Refusal | None:
    """Return why a marker cannot be placed on a hex for Final Protective Fire: it needs friendly units, in range,
    within the limit of its nation; its own hex alone while an enemy is adjacent to the gun (10.1.2, 10.3.4, 10.3.6,
    10.5.2)."""
    gun = GUN[marker]
    side, here = SIDE[gun], g.state.where[gun]
    if not held(g, side, hex):
        return _no_protection(gun, hex, "none of your combat units is there", "10.3.4")
    distance = BOARD.distance(here, hex)
    if distance > RANGE[gun]:
        return _no_protection(gun, hex, f"{distance} hexes away, range {RANGE[gun]}", "10.1.2")
    if hex != here and next_to_enemy(g, gun):
        return _no_protection(gun, hex, "an enemy is next to the gun", "10.3.6", BOARD.name(here))
    others = [m for m, gun, laid in on_hexes(g, side) if laid == hex and m != marker] if side == ALLIED else []
    if others and not nations_agree([marker, *others]):
        return _no_protection(gun, hex, "too many guns of these nations for one combat", "10.5.2")
    return None


def _no_protection(gun: int, hex: int, text: str, rule: str, cause: str = "") -> Refusal:
    label = BOARD.name(hex)
    return Refusal(f"{name(gun)} cannot protect {label}: {text}", rule, cause or label)


def next_to_enemy(g: G, gun: int) -> bool:
    """Whether an enemy combat unit is adjacent to a gun, which then supports no hex but its own (10.3.6)."""
    return not g.state.where.stacks(1 - SIDE[gun]).keys().isdisjoint(AROUND[g.state.where[gun]])


def nations_agree(markers: list[int]) -> bool:
    """Whether these markers may give Final Protective Fire in one combat: any number of Axis or British ones, one of the US or
    French, and one British with it (10.5.2)."""
    british = sum(BRITISH[marker] for marker in markers)
    others = len(markers) - british
    return SIDE[markers[0]] != ALLIED or others == 0 or (others == 1 and british <= 1)


def place(g: G, marker: int, hex: int) -> None:
    """Place a marker on a hex from the Ready Box; the enemy sees that, but not which one (10.2.1, 10.3.4)."""
    side = SIDE[marker]
    g.state.where[marker] = hex
    rule = "10.3.4" if held(g, side, hex) else "10.2.1"
    g.log(rule, "{unit} is placed on {hex}", to=side, unit=marker, hex=hex)
    g.log(rule, "A Fire Support marker is placed on {hex}", to=1 - side, hex=hex)


def take_back(g: G, marker: int) -> None:
    """Return a marker to the Ready Box unseen, while its owner is still placing (10.3.4)."""
    side, hex = SIDE[marker], g.state.where[marker]
    g.state.where[marker] = READY[side]
    g.log("10.3.4", "{unit} is taken back from {hex}", to=side, unit=marker, hex=hex)
    g.log("10.3.4", "A Fire Support marker is taken back from {hex}", to=1 - side, hex=hex)


def cancel(g: G, gun: int) -> None:
    """Cancel the support of a gun: its marker, if on the map, returns to the Ready Box, and is revealed (10.3.6)."""
    marker = MARKER[gun]
    if 0 <= g.state.where[marker] < HEXES:
        g.log("10.3.6", "{unit} on {hex} is cancelled", unit=marker, hex=g.state.where[marker])
        g.state.where[marker] = READY[SIDE[gun]]
        g.reveal()


def disturb(g: G, side: int, entered: Iterable[int]) -> None:
    """Units of a side have entered hexes adjacent to enemy guns, which no longer protect any hex but their own; fire in
    progress, and barrage, remain (10.2.1, 10.3.6)."""
    state, lying = g.state, on_hexes(g, 1 - side)
    for hex, (marker, gun, laid) in product(entered, lying) if lying else ():
        if (
            state.where[gun] in AROUND[hex]
            and state.where[gun] != laid
            and state.flags[marker] & FACE_DOWN
            and not held(g, side, laid)
        ):
            cancel(g, gun)


def on_hexes(g: G, side: int) -> list[tuple[int, int, int]]:
    """Yield the markers of a side on the map, each with its gun and its hex."""
    lying = [(hex, units) for hex, units in g.state.where.stacks(OTHERS).items() if hex < HEXES]
    found = [(unit, hex) for hex, units in lying for unit in units if IS_MARKER[unit] and SIDE[unit] == side]
    return [(marker, GUN[marker], hex) for marker, hex in sorted(found)]


def show(g: G, marker: int) -> None:
    """Reveal a marker for its combat (10.2.1, 10.3.4)."""
    hex = g.state.where[marker]
    g.state.flags[marker] &= ~FACE_DOWN
    g.reveal()
    g.log("10.3.4" if held(g, SIDE[marker], hex) else "10.2.1", "{unit} supports {hex}", unit=marker, hex=hex)


def put_away(g: G, marker: int, box: int) -> None:
    """Move a marker to the Ready Box, the Used Box or out of play (10.2.4)."""
    g.state.where[marker] = box
    if box == READY[SIDE[marker]]:
        g.state.flags[marker] |= FACE_DOWN
    else:
        g.state.flags[marker] &= ~FACE_DOWN


def tidy(g: G, side: int) -> None:
    """Return markers of a side in hexes without its units to the Ready Box unseen (10.3.4)."""
    state = g.state
    for marker, hex in zip(MARKERS[side], state.where[MARKER_SPAN[side]], strict=True):
        if 0 <= hex < HEXES and not held(g, side, hex):
            take_back(g, marker)


def marked(g: G, side: int) -> list[int]:
    """Return the hexes from which a side can take back Fire Support markers."""
    return sorted({hex for _, _, hex in on_hexes(g, side) if why_not_recalled(g, side, hex) is None})


def why_not_assigned(g: G, marker: int) -> Refusal | None:
    """Return why a marker cannot be placed for Final Protective Fire now: its gun must be able to fire, must not have
    fired this turn if the enemy's Segment is still to come, and must not have moved in this phase (8.2.7, 10.1.3,
    10.1.4)."""
    gun, state = GUN[marker], g.state
    refusal = why_not_available(g, gun)
    if refusal is not None:
        return refusal
    if SIDE[marker] == AXIS and state.flags[marker] & FOUGHT:
        return Refusal(f"{name(gun)} cannot fire: it has supported a combat this turn", "10.1.4", name(gun))
    if state.flags[gun] & MOVED:
        return Refusal(f"{name(gun)} cannot fire: it has moved in this phase", "8.2.7", name(gun))
    return None


def may_assign(g: G, side: int) -> list[int]:
    """Return the markers that may be placed for Final Protective Fire now (10.3.4)."""
    where, ready = g.state.where, READY[side]
    return [marker for marker in MARKERS[side] if where[marker] == ready and why_not_assigned(g, marker) is None]


def why_on_map(g: G, marker: int) -> Refusal | None:
    """Return that a marker is on the map, where it is taken back by its hex (10.3.4)."""
    hex = g.state.where[marker]
    if not 0 <= hex < HEXES:
        return None
    return Refusal(f"{name(marker)} is on {BOARD.name(hex)}: choose that hex", "10.3.4", BOARD.name(hex))


def why_not_marker(g: G, decision: Decision, unit: int, why_not: Callable[[G, int], Refusal | None]) -> Refusal | None:
    """Return why a unit is not a marker that can be placed; `why_not` is the condition for a marker."""
    if SIDE[unit] != decision.side:
        return None
    if unit in GUN:
        return why_on_map(g, unit) or why_not(g, unit)
    if unit not in MARKER:
        return Refusal(f"{name(unit)} gives no Fire Support", "10.1", name(unit))
    marker = MARKER[unit]
    chosen = Refusal(f"Choose the marker of {name(unit)}: {name(marker)}", "10.1", name(marker))
    return why_not(g, marker) or why_on_map(g, marker) or chosen


def why_no_fpf(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a marker cannot be placed for Final Protective Fire, or taken back from a hex."""
    if g.is_unit(click):
        return why_not_marker(g, decision, click, why_not_assigned)
    hex = hex_of(g, click)
    return None if hex is None else why_not_recalled(g, decision.side, hex)


def why_not_recalled(g: G, side: int, hex: int) -> Refusal | None:
    """Return that no marker of a side is on a hex to be taken back (10.3.4)."""
    if hex in g.state.where[MARKER_SPAN[side]]:
        return None
    label = BOARD.name(hex)
    return Refusal(f"None of your markers is on {label}: to place one, choose the marker", "10.3.4", label)


def why_no_fpf_there(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a marker cannot be placed on a hex for Final Protective Fire."""
    hex = hex_of(g, click)
    return None if hex is None else why_not_protected(g, decision.about[0], hex)


def assign_fpf(g: G, side: int) -> Procedure:
    """The owner places markers from the Ready Box on own units for Final Protective Fire, or takes back markers on the
    map (10.1.1, 10.3.4, 10.3.5)."""
    done, cancelled = g.rules.button("done"), g.rules.button("cancel")
    tidy(g, side)
    while True:
        markers, hexes = may_assign(g, side), marked(g, side)
        if not markers and not hexes:
            return
        click = yield g.ask(
            side, "fpf.marker", "Place a marker for Final Protective Fire, take one back, or end the phase", "10.3.4",
            units=markers, locations=hexes, buttons=[done], top=True, why_not=why_no_fpf,
        )  # fmt: skip
        if click == done:
            return
        if not g.is_unit(click):
            yield from take_back_from(g, side, g.location(click))
            continue
        where = yield g.ask(
            side,
            "fpf.hex",
            f"Final Protective Fire of {name(GUN[click])}: choose a hex",
            "10.3.4",
            maybe=fpf_clicks(g, click),
            buttons=[cancelled],
            about=[click],
            why_not=why_no_fpf_there,
        )
        if where != cancelled:
            place(g, click, g.location(where))


def take_back_from(g: G, side: int, hex: int) -> Procedure:
    """Take back a marker from a hex; the owner chooses if there are several (10.3.4)."""
    markers = [marker for marker in MARKERS[side] if why_not_taken_back(g, hex, marker) is None]
    click = markers[0]
    if len(markers) > 1:
        prompt = f"Choose the marker to take back from {BOARD.name(hex)}"
        click = yield g.ask(
            side, "fpf.remove", prompt, "10.3.4", units=markers, why_not=for_units(why_not_taken_back, hex)
        )
    take_back(g, click)


def why_not_taken_back(g: G, hex: int, unit: int) -> Refusal | None:
    """Return that only markers on the hex are taken back (10.3.4)."""
    if unit in GUN and g.state.where[unit] == hex:
        return None
    return Refusal(f"{name(unit)} is not a marker on {BOARD.name(hex)}", "10.3.4", name(unit))
