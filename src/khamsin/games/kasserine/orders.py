"""Standing orders of Decision at Kasserine: evasion (9.2), reaction (9.3), Final Protective Fire (10.3), air support (11.3),
losses and retreat (13), emergency supply (15.4)."""

from __future__ import annotations

from khamsin.games.kasserine.close_support import ready
from khamsin.games.kasserine.strength import defence_strength
from khamsin.games.kasserine.units import G
from khamsin.kernel.orders import PLACES, OrderKind, always, keep, least, towards


def ready_air_units(g: G, side: int) -> int:
    """Return how many air units of a side are in its Ready Box (11.1.4)."""
    return len(ready(g, side))


def strength(g: G, unit: int) -> int:
    """Return the defence strength of a unit against attackers without armour (3.5.2)."""
    return defence_strength(g, unit, against_armour=False)


ORDERS = (
    OrderKind("evasion.hex", "Evasion", (always("done", "No evasion"),), own_phases=True),
    OrderKind("reaction.stack", "Reaction movement", (always("done", "No reaction movement"),), own_phases=True),
    OrderKind(
        "combat.air",
        "Close Air Support in the enemy's combats",
        (
            always("done", "No air support", PLACES),
            keep(ready_air_units, "done", "No air support if {reserve} or fewer air units are ready", "Air units"),
        ),
    ),
    OrderKind("combat.supply", "Emergency supply in the enemy's combats", (always("done", "No emergency supply"),)),
    OrderKind("combat.losses", "Losses", (least(strength, "Lose steps of the weakest unit first"),)),
    OrderKind("combat.retreat", "Retreat", (towards("Retreat towards {place}"),)),
    OrderKind("strongpoint.build", "Strongpoints", (always("done", "Begin no strongpoints"),), own_phases=True),
    OrderKind("strongpoint.remove", "Removal of strongpoints", (always("done", "Keep strongpoints"),), own_phases=True),
)
"""The decisions of a side in the enemy's Segment and in joint phases."""
