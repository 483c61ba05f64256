"""Advance after combat: attackers may enter the hexes they have cleared, and perhaps move further.

If an advance is longer than one hex, or has bars, a unit has a `Way` (`mechanics.ways`) whose steps cost 1. `goals`
returns the hexes to which it leads, `why_not` why it does not lead to another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from khamsin.kernel.rules import Game, Procedure, Refusal, S, WhyNot
from khamsin.mechanics import ways
from khamsin.mechanics.ways import End, Way

Path = tuple[int, ...]
Goals = Mapping[int, Mapping[int, Path]]
"""For each unit that can advance, the hexes it can advance to, each with the path."""


class Texts(NamedTuple):
    """The prompts of an advance and the sections they cite; `{unit}` in the second prompt is the chosen unit."""

    unit: str
    rule: str
    hex: str = "Advance {unit}: choose a hex"
    hex_rule: str = ""


def advance(
    g: Game[S],
    side: int,
    units: Sequence[int],
    goals_of: Callable[[Game[S], Sequence[int]], Goals],
    shared: Callable[[Game[S], Goals], Sequence[int]],
    enter: Callable[[Game[S], Sequence[int], int, Goals], None],
    texts: Texts,
    why_not: WhyNot,
) -> Procedure:
    """Let the attacker advance unit by unit, or all that can enter one hex at once, or stop. `goals_of` returns where
    the units that have not advanced can go now, `shared` the hexes that all of them can enter together, and `enter`
    moves units. A unit advances once. The attacker does not choose a hex if there is only one."""
    done, cancel = g.rules.button("done"), g.rules.button("cancel")
    waiting = list(units)
    while goals := goals_of(g, waiting):
        troops = [unit for unit in goals if unit in waiting]
        together = shared(g, goals)
        whole = ", a hex for all," if together else ""
        click = yield g.ask(
            side, "combat.advance", f"{texts.unit}: choose a unit{whole} or end the advance", texts.rule,
            units=list(goals), locations=together, buttons=[done], about=troops, why_not=why_not,
        )  # fmt: skip
        if click == done:
            return
        if not g.is_unit(click):
            moving, hex = troops, g.location(click)
        else:
            moving, paths = [click], goals[click]
            hex = next(iter(paths))
            if len(paths) > 1:
                click = yield g.ask(
                    side, "combat.advance.to", texts.hex.format(unit=g.rules.names[click]), texts.hex_rule or texts.rule,
                    locations={hex: {"hexes": len(path)} for hex, path in paths.items()}, buttons=[cancel],
                    about=moving, why_not=why_not,
                )  # fmt: skip
                if click == cancel:
                    continue
                hex = g.location(click)
        enter(g, moving, hex, goals)
        waiting = [unit for unit in waiting if unit not in moving]


def goals(way: Way, ends: Sequence[End] = ()) -> dict[int, Path]:
    """Return the hexes to which a way leads and in which no end refuses the unit, each with the path."""
    found, locations = ways.reach(way), way.ground.layout.locations
    starts = {locations[node] for node in way.starts}
    hexes = [hex for hex in found.within() if hex not in starts and all(end.refuse(hex) is None for end in ends)]
    return {hex: tuple(found.path(hex)) for hex in hexes}


def why_not(
    g: Any, way: Way, hex: int, who: str, ends: Sequence[End], no_path: Callable[[], tuple[str, str]]
) -> Refusal | None:
    """Return why a unit cannot advance to a hex other than its own; None if it can."""
    return ways.why_not(g, way, hex, who, ends, no_path, verb="advance")
