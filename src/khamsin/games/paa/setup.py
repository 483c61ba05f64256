"""Set-up (6): the start of every piece, and the owner's choice of hexes within the base."""

from __future__ import annotations

from typing import Any

from khamsin.games.paa.control import controls, set_up_control
from khamsin.games.paa.ground import ROAD, TRACK
from khamsin.games.paa.stacking import UNITS
from khamsin.games.paa.units import (
    ALLIED,
    AXIS,
    BASE,
    BOARD,
    CENTRE,
    DATA,
    DEPOT,
    DEPOTS,
    HEXES,
    LORRIES,
    LORRY,
    NUMBER,
    POOL,
    SIDE,
    SIDES,
    G,
    name,
    why_not_own,
)
from khamsin.kernel import data as files
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations
from khamsin.mechanics.schedule import TurnTrack

SCHEDULE: dict[str, Any] = files.read(DATA / "schedule.toml")
ROWS: dict[int, dict[str, Any]] = {NUMBER[row["name"]]: row for row in files.read(DATA / "counters.toml")["unit"]}
"""The entry of each regular unit in the order of battle (2.2)."""
TURNS: int = SCHEDULE["length"]["turns"]

TURN_BOXES = tuple(
    TurnTrack({turn: BOARD[f"{side} OOB turn {turn}"] for turn in range(1, TURNS + 1)}) for side in SIDES
)
"""For each side the boxes of the turns on its order of battle (2.2)."""
ARRIVAL = tuple(track.box for track in TURN_BOXES)
OPTION_BOX = {box.name.removeprefix("Option "): box.location for box in BOARD.boxes if box.kind == "option"}
OPTION_UNITS = {
    letter: tuple(unit for unit, row in ROWS.items() if row.get("option") == letter) for letter in OPTION_BOX
}
"""The units of each reinforcement option (13.5)."""
SPREAD = tuple(
    {
        NUMBER[piece]: BOARD[row["hex"]]
        for row in SCHEDULE["spread"]
        for piece in row["pieces"]
        if SIDE[NUMBER[piece]] == side
    }
    for side in (AXIS, ALLIED)
)
"""For each side the pieces that begin in its base, and their default hexes."""
ON_LINE = [any(BOARD.hexside_bits[hex * 6 + d] & (ROAD | TRACK) for d in range(6)) for hex in range(HEXES)]
"""Whether a hex has a road or track, where a lorry can be (11.1.3)."""


def set_up(g: G) -> None:
    """Place units in their hexes, later arrivals and options on the orders of battle, the rest in stock; turn 0 (2.2,
    6)."""
    where = g.state.where
    for unit, row in ROWS.items():
        if "option" in row:
            where[unit] = OPTION_BOX[row["option"]]
        else:
            where[unit] = BOARD[row["hex"]] if row["turn"] == 0 else ARRIVAL[SIDE[unit]][row["turn"]]
    for side in (AXIS, ALLIED):
        for piece in DEPOTS[side] + LORRIES[side]:
            where[piece] = POOL[side]
        _take_spread(g, side)
    for row in SCHEDULE["start"]:
        for piece_name in row["pieces"]:
            where[NUMBER[piece_name]] = BOARD[row["hex"]]
    for row in SCHEDULE["arrival"]:
        piece = NUMBER[row["piece"]]
        where[piece] = ARRIVAL[SIDE[piece]][row["turn"]]
    set_up_control(g)
    g.state.turn = 0


def choose_base_hexes(g: G, side: int) -> Procedure:
    """The owner places the pieces of the base in its hexes, within stacking (4, 5.1, 6)."""
    done, default, cancel = (g.rules.button(word) for word in ("done", "default", "cancel"))
    where = g.state.where
    while True:
        moved = not is_default(g, side)
        click = yield g.ask(
            side, "setup.unit", "Choose a piece to place in another hex of the base", "6",
            units=[piece for piece in SPREAD[side] if why_not_placed(g, side, piece) is None],
            buttons=[done, default] if moved else [done], blocked=[] if moved else [default], top=True,
            why_not=_why_not_piece,
        )  # fmt: skip
        if click == done:
            return
        if click == default:
            _take_spread(g, side)
            g.log("6", "{side} returns to the default set-up", side=side)
            continue
        target = yield g.ask(
            side, "setup.place", f"Choose a hex of the base for {name(click)}", "6", buttons=[cancel], about=[click],
            maybe=[g.place0 + hex for hex in BASE[side]], why_not=for_locations(why_not_put, side, click),
        )  # fmt: skip
        if target != cancel:
            where[click] = g.location(target)
            g.log("6", "{unit} begins in {hex}", unit=click, hex=where[click])


def is_default(g: G, side: int) -> bool:
    """Whether every piece of a base is in its default hex (6)."""
    return all(g.state.where[piece] == hex for piece, hex in SPREAD[side].items())


def why_not_placed(g: G, side: int, piece: int) -> Refusal | None:
    """Only pieces that begin in the base may be moved within it (6)."""
    if piece in SPREAD[side]:
        return None
    who = name(piece)
    reason = Refusal(f"{who} cannot be moved: it does not begin in your base", "6", who)
    return why_not_own(g, side, piece, "6") or reason


def why_not_put(g: G, side: int, piece: int, hex: int) -> Refusal | None:
    """A piece may begin in another hex of the base that can take it (4, 6)."""
    if g.state.where[piece] == hex:
        return Refusal(f"{name(piece)} is already in {BOARD.name(hex)}", "6", BOARD.name(hex))
    return why_not_base_hex(g, side, piece, hex)


def _why_not_piece(g: G, decision: Decision, click: int) -> Refusal | None:
    if g.is_unit(click):
        return why_not_placed(g, decision.side, click)
    if click == g.rules.button("default") and is_default(g, decision.side):
        return Refusal("Nothing to reset: all units are where the set-up placed them", "6", "default")
    return None


def _take_spread(g: G, side: int) -> None:
    for piece, hex in SPREAD[side].items():
        g.state.where[piece] = hex


def base_hexes(g: G, side: int, piece: int) -> list[int]:
    """Return the hexes of its own base that can take a piece (4, 5.1, 13.1)."""
    return [hex for hex in BASE[side] if why_not_base_hex(g, side, piece, hex) is None]


def why_not_base_hex(g: G, side: int, piece: int, hex: int) -> Refusal | None:
    """A piece arrives in a hex of its own base while the side holds its centre, free of enemies and within
    stacking, a lorry on a road or track (4, 5.1, 11.1.3, 13.1)."""
    where, centre = g.state.where, CENTRE[side]
    if hex not in BASE[side]:
        return _no_arrival(piece, hex, "not in your base", "13.1")
    if not controls(g, side, centre):
        label = BOARD.name(centre)
        return Refusal(f"{name(piece)} cannot arrive: you do not control {label}", "13.1", label)
    enemies = where.stacks(1 - side).get(hex)
    if enemies:
        return _no_arrival(piece, hex, f"{name(enemies[0])} is there", "13.1", name(enemies[0]))
    own = where.stacks(side).get(hex, ())
    if LORRY[piece]:
        if not ON_LINE[hex]:
            return _no_arrival(piece, hex, "no road or track", "11.1.3")
    elif DEPOT[piece]:
        if any(DEPOT[unit] for unit in own):
            return _no_arrival(piece, hex, "an installation is there", "4")
    elif UNITS.size(own) >= UNITS.limits[hex]:
        return _no_arrival(piece, hex, f"{UNITS.limits[hex]} units are there", "4")
    return None


def _no_arrival(piece: int, hex: int, text: str, rule: str, cause: str = "") -> Refusal:
    label = BOARD.name(hex)
    return Refusal(f"{name(piece)} cannot arrive in {label}: {text}", rule, cause or label)
