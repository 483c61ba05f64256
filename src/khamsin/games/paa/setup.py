"""Set-up (6): every piece where it begins, and the owner's choice of hexes within his base."""

from __future__ import annotations

from typing import Any

from khamsin.games.paa.control import controls, set_up_control
from khamsin.games.paa.ground import ROAD, TRACK
from khamsin.games.paa.stacking import limit
from khamsin.games.paa.units import (
    ALLIED,
    AXIS,
    BASE,
    BOARD,
    CENTRE,
    DATA,
    DEPOT,
    DEPOT_SPAN,
    DEPOTS,
    HEXES,
    LORRIES,
    LORRY,
    NUMBER,
    POOL,
    REGULAR_SPAN,
    SIDE,
    SIDES,
    SPAN,
    G,
)
from khamsin.kernel import data as files
from khamsin.kernel.rules import Procedure

SCHEDULE: dict[str, Any] = files.read(DATA / "schedule.toml")
ROWS: dict[int, dict[str, Any]] = {NUMBER[row["name"]]: row for row in files.read(DATA / "counters.toml")["unit"]}
"""What the order of battle says of each regular unit (2.2)."""
TURNS: int = SCHEDULE["length"]["turns"]

ARRIVAL = tuple({turn: BOARD[f"{side} OOB turn {turn}"] for turn in range(1, TURNS + 1)} for side in SIDES)
"""For each side the box of every turn on its order of battle (2.2)."""
DUE = tuple({box: turn for turn, box in boxes.items()} for boxes in ARRIVAL)
"""The turn of each such box."""
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
"""For each side the pieces that begin in its base, and the hexes offered for them."""
ON_LINE = [any(BOARD.hexside_bits[hex * 6 + d] & (ROAD | TRACK) for d in range(6)) for hex in range(HEXES)]
"""Whether a road or track touches each hex: where a lorry can be (11.1.3)."""


def set_up(g: G) -> None:
    """Units in their hexes, later arrivals and options on the orders of battle, the rest in stock; turn 0 (2.2, 6)."""
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
        for name in row["pieces"]:
            where[NUMBER[name]] = BOARD[row["hex"]]
    for row in SCHEDULE["arrival"]:
        piece = NUMBER[row["piece"]]
        where[piece] = ARRIVAL[SIDE[piece]][row["turn"]]
    set_up_control(g)
    g.state.turn = 0


def choose_base_hexes(g: G, side: int) -> Procedure:
    """The owner spreads what begins in his base over its hexes, within stacking (4, 5.1, 6)."""
    done, default = g.rules.button("done"), g.rules.button("default")
    where, spread = g.state.where, SPREAD[side]
    while True:
        pieces = [piece for piece in spread if where[piece] in BASE[side]]
        buttons = [done, default] if any(where[piece] != spread[piece] for piece in pieces) else [done]
        click = yield g.ask(
            side,
            "setup.unit",
            "Move a piece to another hex of the base, or begin",
            "6",
            units=pieces,
            buttons=buttons,
            top=True,
        )
        if click == done:
            return
        if click == default:
            _take_spread(g, side)
            g.log("6", "{side} returns to the usual spread", side=side)
            continue
        hexes = [hex for hex in base_hexes(g, side, click) if hex != where[click]]
        target = yield g.ask(
            side, "setup.place", "To which hex of the base?", "6", locations=hexes, buttons=[g.rules.button("cancel")]
        )
        if target != g.rules.button("cancel"):
            where[click] = g.location(target)
            g.log("6", "{unit} begins in {hex}", unit=click, hex=where[click])


def _take_spread(g: G, side: int) -> None:
    for piece, hex in SPREAD[side].items():
        g.state.where[piece] = hex


def base_hexes(g: G, side: int, piece: int) -> list[int]:
    """The hexes of its own base that can take a piece: free of enemies, within stacking, for a lorry on a road or track;
    none while the centre is lost (4, 5.1, 13.1)."""
    if not controls(g, side, CENTRE[side]):
        return []
    where = g.state.where
    enemies = frozenset(BASE[side]).intersection(where[SPAN[1 - side]])
    free = [hex for hex in BASE[side] if hex not in enemies]
    if LORRY[piece]:
        return [hex for hex in free if ON_LINE[hex]]
    if DEPOT[piece]:
        depots = where[DEPOT_SPAN[side]]
        return [hex for hex in free if hex not in depots]
    standing = where[REGULAR_SPAN[side]]
    return [hex for hex in free if standing.count(hex) < limit(hex)]
