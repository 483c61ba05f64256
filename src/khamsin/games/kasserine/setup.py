"""Starting the game (4.1, 4.2, 18): the start of every piece, the draw of Untried units, and the owners' choices:
modes, Reserve, Fire Support markers, and for the Axis the entry of its two groups."""

from __future__ import annotations

from collections.abc import Iterable

from khamsin.games.kasserine import control
from khamsin.games.kasserine.hidden import draw_strength
from khamsin.games.kasserine.reserve import disturb, leave_reserve, put_in_reserve, why_not_toggled
from khamsin.games.kasserine.scenario import setting
from khamsin.games.kasserine.stacking import room
from khamsin.games.kasserine.support import (
    fpf_clicks,
    marked,
    place,
    take_back,
    take_back_from,
    why_no_fpf_there,
    why_not_available,
    why_not_recalled,
    why_on_map,
)
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    CARD,
    COMBAT,
    DEPLOYED,
    FACE_DOWN,
    FORCES,
    GUN,
    HEXES,
    IS_MARKER,
    MARKER,
    MARKERS,
    READY,
    RESERVE,
    SIDE,
    STACKING,
    TURN_BOX,
    TWO_MODES,
    UNTRIED,
    UNTRIED_UNITS,
    G,
    held,
    hex_of,
    labels,
    name,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal

OPTIONS = ("A", "B")
ASSEMBLY = {
    (letter, group): area.hexes
    for area in BOARD.areas.values()
    if area.kind == "assembly area"
    for letter, group in area.data["groups"].items()
}
"""By entry option and group: the assembly area in which the group begins (18.2.4)."""
ENTRY = {
    (letter, group): area.hexes
    for area in BOARD.areas.values()
    if area.kind == "entry"
    for letter, group in area.data.get("groups", {}).items()
}
"""By entry option and group, the hexes by which a group enters in the first turn (18.2.4)."""


def set_up(g: G) -> None:
    """Place units in their hexes, later arrivals on the turn track, markers in the Ready Box; the turn before the first
    (4.1, 4.1.6, 18.1.3, 18.2.3, 18.3.3)."""
    cards, state = setting(g), g.state
    for unit, location in cards.places.items():
        state.where[unit] = location
    for unit, arrival in cards.arrivals.items():
        state.where[unit] = TURN_BOX[arrival.turn]
    for unit in cards.reserve:
        state.where[unit] = TURN_BOX[min(cards.reserve_turns)]
    for unit in cards.air:
        state.where[unit] = READY[SIDE[unit]]
    for unit, turn in cards.air_arrivals.items():
        state.where[unit] = TURN_BOX[turn]
    for unit in cards.reduced:
        state.steps[unit] = 1
    for unit, turn in cards.release.items():
        state.release[unit] = turn
    state.strongpoint.update(cards.strongpoints)
    if cards.groups:
        choose_option(g, "B")
    for gun, marker in MARKER.items():
        if state.where[gun] != NOWHERE:
            state.where[marker] = READY[SIDE[gun]]
            state.flags[marker] |= FACE_DOWN
    for unit, location in enumerate(state.where):
        if TWO_MODES[unit] and 0 <= location < HEXES:
            state.flags[unit] |= DEPLOYED
    draw_untried(g)
    control.set_up(g)
    state.first = cards.first
    state.turn = cards.first - 1


def draw_untried(g: G) -> None:
    """Each Untried unit in the game draws its hidden strength (4.2.1)."""
    for unit in UNTRIED_UNITS:
        if g.state.where[unit] != NOWHERE:
            draw_strength(g, unit)
            g.state.flags[unit] |= UNTRIED


def choose_option(g: G, letter: str) -> None:
    """Place the two panzer groups as an entry option says, each spread over its assembly area as room allows (18.2.4)."""
    state, cards = g.state, setting(g)
    state.option = 1 + OPTIONS.index(letter)
    for units in cards.groups.values():
        for unit in units:
            state.where[unit] = CARD[AXIS]
            state.flags[unit] &= ~(DEPLOYED | RESERVE)
    for group, units in cards.groups.items():
        for unit in units:
            if (letter, group) in ASSEMBLY:
                state.where[unit] = next(h for h in ASSEMBLY[letter, group] if room(g, AXIS, h) >= STACKING[unit])
                state.flags[unit] |= DEPLOYED if TWO_MODES[unit] else 0


def assembly_area(g: G, unit: int) -> tuple[int, ...]:
    """Return the assembly area in which a unit begins, if it has one (18.2.4)."""
    return tuple(ASSEMBLY.get((OPTIONS[g.state.option - 1], setting(g).group_of.get(unit, "")), ()))


def assembly_hexes(g: G, unit: int) -> list[int]:
    """Return the other hexes of its assembly area in which a unit may begin, within stacking (3.3.2, 18.2.4)."""
    return [hex for hex in assembly_area(g, unit) if why_not_hex(g, unit, hex) is None]


def edge_hexes(g: G, unit: int) -> tuple[int, ...]:
    """Return the hexes by which a unit on its set-up card enters the map (5.2.4, 18.2.4, 18.2.5)."""
    cards = setting(g)
    if unit in cards.arrivals:
        return cards.arrivals[unit].hexes
    return ENTRY.get((OPTIONS[g.state.option - 1], cards.group_of.get(unit, "")), ())


def prepare(g: G, side: int) -> Procedure:
    """The owner chooses modes, Reserve, Fire Support and assembly hexes before the first turn (4.1.4, 4.1.5, 18.0)."""
    done, where = g.rules.button("done"), g.state.where
    pieces = [piece for piece in (*FORCES[side], *MARKERS[side]) if where[piece] != NOWHERE]
    while True:
        buttons = [done, *other_options(g, side)]
        click = yield g.ask(
            side, "setup.unit",
            "Choose a unit to change its mode or Reserve, a Fire Support marker to place, or end the set-up", "18.0",
            maybe=pieces, locations=marked(g, side), buttons=buttons, top=True, why_not=why_not_prepared,
        )  # fmt: skip
        if click == done:
            disturb(g, AXIS)
            disturb(g, ALLIED)
            return
        if click in buttons:
            choose_option(g, OPTIONS[2 - g.state.option])
            clear_markers(g, side, marked(g, side))
            g.log("18.2.4", "The Axis enters by option {option}", option=OPTIONS[g.state.option - 1])
        elif not g.is_unit(click):
            yield from take_back_from(g, side, g.location(click))
        elif IS_MARKER[click]:
            yield from assign(g, side, click)
        else:
            yield from prepare_unit(g, side, click)


def other_options(g: G, side: int) -> list[int]:
    """Return the button for the entry option that is not chosen (18.2.4)."""
    if side != AXIS or not g.state.option:
        return []
    return [g.rules.button(f"option {OPTIONS[2 - g.state.option]}")]


def choices(g: G, side: int) -> list[int]:
    """Return the units with a choice left, and the markers that can be placed."""
    return [unit for unit in (*FORCES[side], *MARKERS[side]) if why_no_choice(g, unit) is None]


def why_no_choice(g: G, unit: int) -> Refusal | None:
    """Return why a unit or marker has no choice: it is not there, or has one mode, one hex and no Reserve (4.1.4,
    4.1.5, 4.1.6, 18.0)."""
    if unit in GUN:
        return why_on_map(g, unit) or why_not_available(g, GUN[unit])
    if not COMBAT[unit]:
        return Refusal(f"{name(unit)} needs no preparation", "18.0", name(unit))
    if not 0 <= g.state.where[unit] < HEXES:
        return Refusal(f"{name(unit)} cannot be prepared: not on the map yet", "4.1.6", name(unit))
    return None if TWO_MODES[unit] or unit in setting(g).group_of else why_not_toggled(g, unit)


def why_not_prepared(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a unit or marker cannot be prepared, or no marker be taken back from a hex."""
    if g.is_unit(click):
        return why_no_choice(g, click) if SIDE[click] == decision.side else None
    hex = hex_of(g, click)
    return None if hex is None else why_not_recalled(g, decision.side, hex)


def prepare_unit(g: G, side: int, unit: int) -> Procedure:
    """Prepare one unit: another hex of its assembly area, the other mode, or Reserve (4.1.4, 4.1.5, 18.2.4)."""
    mode, reserve, cancelled = (g.rules.button(word) for word in ("change mode", "reserve", "cancel"))
    refusals = {mode: why_one_mode(g, unit), reserve: why_not_toggled(g, unit)}
    hexes = assembly_hexes(g, unit)
    legal = {"a hex": bool(hexes), "its mode": refusals[mode] is None, "Reserve": refusals[reserve] is None}
    choices = " or ".join(choice for choice, is_legal in legal.items() if is_legal)
    click = yield g.ask(
        side, "setup.place", f"Prepare {name(unit)}: choose {choices}", "18.0", locations=hexes,
        buttons=[cancelled, *(button for button, refusal in refusals.items() if refusal is None)],
        blocked=[button for button, refusal in refusals.items() if refusal is not None], about=[unit],
        why_not=why_not_begun,
    )  # fmt: skip
    if click == mode:
        g.state.flags[unit] ^= DEPLOYED
        word = "Deployed" if g.state.flags[unit] & DEPLOYED else "March"
        g.log("4.1.4", "{unit} begins in {mode} mode", unit=unit, mode=word)
    elif click == reserve:
        if g.state.flags[unit] & RESERVE:
            leave_reserve(g, unit)
        else:
            put_in_reserve(g, unit)
    elif click != cancelled:
        here = g.state.where[unit]
        g.state.where[unit] = g.location(click)
        g.log("18.2.4", "{unit} begins in {hex}", unit=unit, hex=g.location(click))
        if not held(g, side, here):
            clear_markers(g, side, [here])
    if click not in (reserve, cancelled) and unit in MARKER and 0 <= g.state.where[MARKER[unit]] < HEXES:
        take_back(g, MARKER[unit])
        g.reveal()  # the enemy sees which gun changes, and so which marker it was


def why_one_mode(g: G, unit: int) -> Refusal | None:
    """Return why a unit cannot change its mode before play (4.1.4)."""
    return None if TWO_MODES[unit] else Refusal(f"{name(unit)} cannot change mode: it has one", "7.6", name(unit))


def why_not_begun(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a unit does not begin in a hex, in its other mode or in Reserve (4.1.4, 4.1.5, 18.2.4)."""
    unit = decision.about[0]
    if click == g.rules.button("change mode"):
        return why_one_mode(g, unit)
    if click == g.rules.button("reserve"):
        return why_not_toggled(g, unit)
    hex = hex_of(g, click)
    return None if hex is None else why_not_hex(g, unit, hex)


def why_not_hex(g: G, unit: int, hex: int) -> Refusal | None:
    """Return why a unit does not begin in another hex (3.3.2, 4.1.4, 18.2.4)."""
    label, here, area = BOARD.name(hex), g.state.where[unit], assembly_area(g, unit)
    if hex == here:
        return Refusal(f"{name(unit)} already begins in {label}", "4.1.4", label)
    if not area:
        return Refusal(f"{name(unit)} cannot begin in {label}: its set-up card says {BOARD.name(here)}", "4.1.4", label)
    if hex not in area:
        return Refusal(f"{name(unit)} cannot begin in {label}: it begins in {labels(area)}", "18.2.4", label)
    if room(g, AXIS, hex) < STACKING[unit]:
        return Refusal(f"{name(unit)} cannot begin in {label}: over the stacking limit", "3.3.2", label)
    return None


def assign(g: G, side: int, marker: int) -> Procedure:
    """Place a marker on a friendly unit within range (4.1.4, 10.3.4)."""
    cancelled = g.rules.button("cancel")
    click = yield g.ask(
        side, "setup.fpf", f"Final Protective Fire of {name(GUN[marker])}: choose a hex", "10.3.4",
        maybe=fpf_clicks(g, marker), buttons=[cancelled], about=[marker], why_not=why_no_fpf_there,
    )  # fmt: skip
    if click != cancelled:
        place(g, marker, g.location(click))


def clear_markers(g: G, side: int, hexes: Iterable[int]) -> None:
    """Return the markers of a side on these hexes to the Ready Box."""
    for hex in hexes:
        for marker in MARKERS[side]:
            if g.state.where[marker] == hex:
                take_back(g, marker)
