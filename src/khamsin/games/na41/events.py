"""Events (23.1): each player rolls once per impulse, in the Initial Phase."""

from __future__ import annotations

from khamsin.games.na41 import ports, resources
from khamsin.games.na41.units import SIDES, G
from khamsin.kernel.rules import Procedure

RESOURCE_POINT, BOMBING_RAID, STRAFING = "Resource Point", "Bombing Raid", "Strafing"


def roll(g: G, side: int) -> Procedure:
    """Two dice on the Event Table of a side: a Resource Point or an asset, received at once (23.1)."""
    result = str(g.table("events").roll(g.dice, side, 0, f"{SIDES[side]} event"))
    g.log("23.1", "{side} event: {result}", side=side, result=result)
    if result == RESOURCE_POINT:
        resources.gain(g, side)
    elif result == BOMBING_RAID:
        yield from ports.bomb(g, side)
    else:
        resources.receive(g, f"{SIDES[side]} {STRAFING}" if result == STRAFING else result, "23.1")
