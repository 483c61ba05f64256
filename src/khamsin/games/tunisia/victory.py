"""Victory (5.0, Scenario 1-6)."""

from __future__ import annotations

from khamsin.games.tunisia.arrivals import OUT
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, COUNTERS, FORCES, LEG, MOBILITY, G, can_attack, forces_in
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Procedure

TANKS = ("armour", "heavy armour")
RIFLES = ("mechanised infantry", "infantry", "mountain infantry")
"""The units that must exit in scenario 2: panzer battalions, and a motorised or panzer grenadier regiment (rulings)."""
TEBESSA = BOARD["A21.05"]
SUDDEN_UNTIL = 28
"""The turn of 15 February 1943 (5.0)."""


def occupies(g: G, side: int, hex: int) -> bool:
    """Whether an attack-capable unit of a side is in a hex (5.0, rulings)."""
    return any(can_attack(g, unit) for unit in forces_in(g, side, hex))


def victory_hexes(number: int) -> dict[str, tuple[tuple[int, ...], int]]:
    """Return the places of a scenario that decide it: their hexes and how many are needed."""
    areas = [a for a in BOARD.areas.values() if a.kind == "victory" and number in a.data["scenarios"]]
    return {area.name: (tuple(area.hexes), area.data.get("needed", 1)) for area in areas}


def determine(g: G) -> Procedure:
    """The end of a turn: after the last one the scenario is decided (1.7, 5.0)."""
    cards = setting(g)
    if sudden_death(g):
        g.end(ALLIED, "massive", "the Allies occupy Tunis and Bizerte by 15 February", "5.0")
    elif g.state.turn >= cards.last:
        winner, level, reason = verdict(g)
        g.end(winner, level, reason, f"Scenario {cards.number}")
    yield from ()


def verdict(g: G) -> tuple[int, str, str]:
    """Return the winner of a scenario and the reason."""
    number = setting(g).number
    if number == 5:
        for name, (hexes, needed) in victory_hexes(5).items():
            if len([hex for hex in hexes if occupies(g, ALLIED, hex)]) >= needed:
                return ALLIED, "", f"the Allies occupy {name.removeprefix('Scenario 5 ')}"
        return AXIS, "", "the Mareth Line and Gabès are not taken"
    if number == 2:
        gone = [unit for unit in FORCES[AXIS] if g.state.where[unit] == OUT]
        tanks = [unit for unit in gone if is_tank_battalion(unit)]
        infantry = [unit for unit in gone if is_motorised_regiment(unit)]
        if len(tanks) >= 2 and infantry and occupies(g, AXIS, TEBESSA):
            return AXIS, "", "two panzer battalions and a regiment have exited, and Tebessa is taken"
        return ALLIED, "", "the Axis has not broken through"
    if number == 1:
        hexes, needed = victory_hexes(1)["Scenario 1 objectives"]
        held = [hex for hex in hexes if occupies(g, ALLIED, hex)]
        if len(held) >= needed:
            return ALLIED, "", f"the Allies occupy {', '.join(BOARD.place_in(hex) or BOARD.name(hex) for hex in held)}"
        return AXIS, "", f"the Allies occupy {len(held)} of the {needed} places they need"
    return by_level(g)


def is_tank_battalion(unit: int) -> bool:
    """Whether a unit is a battalion of tanks (Scenario 2)."""
    return COUNTERS[unit].symbol in TANKS and COUNTERS[unit].size == "battalion"


def is_motorised_regiment(unit: int) -> bool:
    """Whether a unit is an infantry regiment with trucks or half-tracks (Scenario 2)."""
    counter = COUNTERS[unit]
    return counter.symbol in RIFLES and counter.size == "regiment" and MOBILITY[unit][1] != LEG


LEVELS = (
    (ALLIED, "massive"), (ALLIED, "major"), (ALLIED, "minor"), (NOWHERE, ""), (AXIS, "minor"), (AXIS, "major"),
    (AXIS, "massive"),
)  # fmt: skip
"""The levels of victory, the best for the Allies first (5.0)."""


def by_level(g: G) -> tuple[int, str, str]:
    """Return the level of the campaign; the variants 4.0b and 4.0h are worth a level each to the Allies (4.0b, 4.0h,
    5.0)."""
    winner, level, reason = by_towns(g)
    for option, value in (("coordination", "poor"), ("cooperation", "none")):
        if g.options.get(option) == value:
            winner, level = LEVELS[max(0, LEVELS.index((winner, level)) - 1)]
            reason = f"{reason}; the variant {option} is worth a level to the Allies"
    return winner, level, reason


def by_towns(g: G) -> tuple[int, str, str]:
    """Return the level by the control of the towns (5.0)."""
    tunis, bizerte, mateur, sfax, gafsa, tebessa, bone = (
        g.state.control.get(BOARD[hex]) == AXIS
        for hex in ("A48.24", "A44.31", "A41.28", "B57.30", "B30.24", "A21.05", "A17.26")
    )
    if not tunis and not bizerte:
        return ALLIED, "major", "the Allies control Tunis and Bizerte"
    if not tunis or not bizerte:
        return ALLIED, "minor", "the Allies control Tunis or Bizerte"
    if mateur and sfax:
        if gafsa and tebessa and bone:
            return AXIS, "massive", "the Axis controls Tunis, Bizerte, Mateur, Sfax, Gafsa, Tebessa and Bône"
        if gafsa and (tebessa or bone):
            return AXIS, "major", "the Axis controls Tunis, Bizerte, Mateur, Sfax, Gafsa, and Tebessa or Bône"
        return AXIS, "minor", "the Axis controls Tunis, Bizerte, Mateur and Sfax"
    return NOWHERE, "", "neither side has met its conditions"


def sudden_death(g: G) -> bool:
    """Whether the Allies occupy Tunis and Bizerte at the end of a turn up to 15 February 1943 (5.0)."""
    early = g.state.turn <= SUDDEN_UNTIL and setting(g).number in (3, 4)
    return early and occupies(g, ALLIED, BOARD["A48.24"]) and occupies(g, ALLIED, BOARD["A44.31"])
