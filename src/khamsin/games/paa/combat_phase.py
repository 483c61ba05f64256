"""The combat phase (12): the attacker declares all combats, determines their supply, then resolves them one by one."""

from __future__ import annotations

from khamsin.games.paa.combat import DECLARE, RESOLVE, SUPPLY
from khamsin.games.paa.combat_supply import provide_supply
from khamsin.games.paa.declaration import attack_forts, declare_combats
from khamsin.games.paa.differential import why_not_this_turn
from khamsin.games.paa.resolution import resolve_combats
from khamsin.games.paa.transport import to_pool
from khamsin.games.paa.units import DEPOTS, REACTED, REGULARS, SACRIFICED, G
from khamsin.kernel.rules import Procedure


def combat(g: G, side: int) -> Procedure:
    """The combat phase: declarations, attack supply, resolution (7.1, 12). The Allies have none on turn 1 (12, 12.3.1)."""
    state = g.state
    if why_not_this_turn(g, side) is not None:
        return
    if not state.combat_step:
        state.combat_step = DECLARE
        attack_forts(g, side)
    if state.combat_step == DECLARE:
        yield from declare_combats(g, side)
        state.combat_step = SUPPLY
    if state.combat_step == SUPPLY:
        yield from provide_supply(g, side)
        state.combat_step = RESOLVE
    yield from resolve_combats(g, side)
    finish(g, side)


def finish(g: G, side: int) -> None:
    """Remove installations given up, and clear the declarations (12.3)."""
    state = g.state
    for depot in DEPOTS[side]:
        if state.flags[depot] & SACRIFICED:
            to_pool(g, side, depot)
    state.battle = [0] * len(state.battle)
    state.supply = [0] * len(state.supply)
    state.targets.clear()
    g.clear_flags(REGULARS[1 - side], REACTED)
    state.combat_step = 0
