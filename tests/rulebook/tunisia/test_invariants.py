"""What holds in every position of a game, tried on random ones."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from khamsin.games.tunisia import RULES, modes
from khamsin.games.tunisia.scenario import PORTS
from khamsin.games.tunisia.units import (
    AIRCRAFT,
    ALLIED,
    AXIS,
    BOARD,
    HEXES,
    INACTIVE,
    MODES,
    RESERVE,
    TOKENS,
    TRANSPORT,
    TRUCKS_OF,
    UNITS,
    G,
    can_attack,
    forces_in,
    name,
    stock,
)
from khamsin.kernel import Match, SeededDice


def faults(g: G) -> Iterator[str]:
    """What is wrong with a position."""
    state = g.state
    for side in (AXIS, ALLIED):
        enemies = {hex for hex in state.where.stacks(1 - side) if hex < HEXES}
        takers = {hex for hex in enemies if any(can_attack(g, unit) for unit in forces_in(g, 1 - side, hex))}
        yield from [
            f"both sides are in {BOARD.name(hex)} (OCS 3(5))" for hex in enemies & state.where.stacks(side).keys()
        ]
        trucks = enemies & state.where.stacks(TRANSPORT + side).keys()
        yield from [f"trucks and enemies are in {BOARD.name(hex)} (OCS 9.3)" for hex in trucks]
        held = {hex for owners in (state.base, state.fort) for hex, owner in owners.items() if owner == side}
        held |= {*stock(g, side), *[hex for hex in PORTS if state.control.get(hex) == side]}
        yield from [f"enemies did not take what is in {BOARD.name(hex)} (OCS 9.3)" for hex in held & takers]
        for at, wings in state.where.stacks(AIRCRAFT + side).items():
            active = [unit for unit in wings if not state.flags[unit] & INACTIVE]
            if at < HEXES and (state.base.get(at) != side or len(active) > 4 + state.level[at]):
                yield f"{name(wings[0])} has no base or no room in {BOARD.name(at)} (OCS 14.1)"
        if (
            any(not 0 <= state.load[truck] <= TOKENS for truck in TRUCKS_OF[side])
            or min(stock(g, side).values(), default=1) < 1
        ):
            yield "a truck or dump has an impossible load (OCS 11.6)"
        if modes.markers_left(g, side) < 0:
            yield "more Reserve markers than there are (1.4c, 1.4d)"
    for unit in UNITS:
        flags, hex = state.flags[unit], state.where[unit]
        if (flags & MODES).bit_count() > 1 or (flags & RESERVE and hex in state.hedgehog):
            yield f"{name(unit)} is in an impossible mode (OCS 5, OCS 16)"
        if 0 <= hex < HEXES and not BOARD.enterable(hex):
            yield f"{name(unit)} is in {BOARD.name(hex)} (OCS 6)"


@pytest.mark.parametrize(
    ("scenario", "seed"), [("kasserine", 5), ("mareth", 6), ("race-for-tunis", 7), ("end-in-africa", 8)]
)
def test_random_play_keeps_the_position_possible(scenario: str, seed: int) -> None:
    """(1.4c, OCS 3(5), OCS 5, OCS 9.3, OCS 14.1)"""
    chance = random.Random(seed)
    m = Match(RULES, scenario, dice=SeededDice(seed))
    for number in range(1200):
        decision = m.decision
        if decision is None:
            break
        if decision.top and not number % 20:
            assert list(faults(m.game)) == []
        m.click(decision.pick(chance.random))
