"""Malta (22.3.2, 22.3.3): the status track in the Preparation Phase."""

from __future__ import annotations

from khamsin.games.na41.units import AXIS, BOARD, SCHEDULE, G

_TRACK = BOARD.box["Malta Status Track"].data
SPACES: list[int] = _TRACK["spaces"]
LUFTWAFFE = "Luftwaffe"


def is_luftwaffe(turn: int) -> bool:
    """Whether the marker is on its Luftwaffe side in a turn (22.3.2)."""
    return bool(SCHEDULE["malta"]["side"][turn - 1] == LUFTWAFFE)


def least(g: G) -> int:
    """Return the least roll that moves the marker from its space: 1 is automatic, 0 never (22.3.3)."""
    row = _TRACK["left" if is_luftwaffe(g.state.turn) else "right"]
    return int(row[SPACES.index(g.state.malta)])


def roll(g: G) -> None:
    """One die may move the marker: left on its Luftwaffe side, right on its Allied side (22.3.2, 22.3.3)."""
    needed, by = least(g), -1 if is_luftwaffe(g.state.turn) else 1
    if not needed:
        return
    if needed == 1 or g.dice.roll("Malta status", "22.3.3") >= needed:
        g.state.malta += by
        g.log("22.3.3", "Malta Convoy Modifier: {malta}", malta=f"{g.state.malta:+d}")


def holds_crete(g: G, side: int) -> bool:
    """Whether a side controls Crete: the Allies until turn 6 (22.2.2)."""
    return bool(g.state.turn >= SCHEDULE["crete"]["axis_from"]) == (side == AXIS)
