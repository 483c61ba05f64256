"""The Combat Phase (SCS 8, SCS 9): barrages first, then attacks, each declared and resolved in turn."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from khamsin.games.afrika import advance, air, barrage, losses, retreat, rommel, strength
from khamsin.games.afrika.ground import OPEN_SIDES
from khamsin.games.afrika.stacking import remove_excess
from khamsin.games.afrika.units import (
    AROUND,
    BOARD,
    PHASE_FLAGS,
    ROMMEL,
    UNITS,
    Attack,
    G,
    attack,
    defence,
    name,
    on_map,
)
from khamsin.kernel.rules import Decision, Odds, Procedure, Refusal
from khamsin.mechanics import combats, results
from khamsin.mechanics.combats import Combat, Declaration
from khamsin.mechanics.odds import net, rolled
from khamsin.mechanics.results import ATTACKER_RETREAT, ATTACKER_STEPS, DEFENDER_RETREAT, DEFENDER_STEPS

BARRAGES = "barrages over"
"""Whether the Barrage Segment is over (1.12)."""
ORDER = (ATTACKER_STEPS, ATTACKER_RETREAT, DEFENDER_STEPS, DEFENDER_RETREAT)
"""The order of the effects of a result; the advance is last (SCS 9.2)."""


def combat(g: G, side: int) -> Procedure:
    """The Combat Phase of a side: the Barrage Segment, then attacks in any order, all of them voluntary (1.1, SCS 7.1,
    SCS 8.1)."""
    todo = g.state.todo
    if BARRAGES not in todo:
        yield from barrage.segment(g, side)
        todo[BARRAGES] = 1
    yield from combats.in_turn(g, DECLARATION, side, fight)
    for owner in (side, 1 - side):
        yield from remove_excess(g, owner)
    finish(g)


def finish(g: G) -> None:
    """End the phase and clear its declarations."""
    combats.forget(g)
    g.clear_flags(UNITS, PHASE_FLAGS)
    g.state.barraged.clear()
    g.state.todo.clear()


# Declaration (SCS 8.1)


adjacent = combats.adjacent(AROUND, "SCS 8.1")


def why_not_attacker(g: G, unit: int, hexes: Sequence[int]) -> Refusal | None:
    """A unit attacks once in a phase, a hex next to it across a hexside that it could pass; overruns do not
    count. Rommel is not a unit (1.5a, 2.3, SCS 6.9, SCS 8.1)."""
    if unit == ROMMEL:
        return Refusal(f"{name(unit)} cannot attack: he is not a unit", "2.3", name(unit))
    refusal = adjacent(g, unit, hexes)
    if refusal is not None:
        return refusal
    label = next((BOARD.name(hex) for hex in hexes if hex not in OPEN_SIDES[g.state.where[unit]]), None)
    if label is None:
        return None
    return Refusal(f"{name(unit)} cannot attack {label}: an escarpment without a road is between", "1.5a", label)


def why_not_declared(g: G, combat: Combat, button: str) -> Refusal | None:
    """Return why an attack cannot be made at its odds (SCS 1.6, SCS 8.6)."""
    return strength.why_not_odds(g, Attack(combat.side, combat.units, combat.hexes[0]))


def armed(g: G, combat: Combat) -> list[int]:
    """Return the units with an attack strength, which are in an attack from the start; others may be added (SCS 1.6,
    SCS 8.2)."""
    return [unit for unit in combat.units if attack(g, unit)] or list(combat.units)


DECLARATION = Declaration(
    rule="SCS 8.1",
    contacts=combats.contacts_by(AROUND),
    why_not_target=combats.once("SCS 8.1"),
    why_not_attacker=why_not_attacker,
    why_not_declared=why_not_declared,
    select=armed,
    max_hexes=1,
)


# One combat


def fight(g: G, made: Combat) -> Procedure:
    """Resolve an attack on a hex: air points of both sides, the roll, its result, and the advance. It costs no SPs
    (1.6c-2, 1.10c, SCS 9.2, SCS 10.6)."""
    yield from resolve(g, made.side, made.units, made.hexes[0])
    yield from advance.advance(g, made.side, [unit for unit in made.units if on_map(g, unit)], made.hexes[0])


def resolve(g: G, side: int, units: Sequence[int], hex: int) -> Generator[Decision, int, bool]:
    """Resolve an attack or overrun up to the advance. Return whether the attackers had to retreat. The attacker commits
    air points first (1.10c, SCS 8.11, SCS 9.1, SCS 9.2)."""
    battle = g.state.attack = Attack(side, tuple(units), hex)
    points = yield from air.commit(g, side, hex, units)
    battle = g.state.attack = battle._replace(air=points)
    against = yield from air.commit(g, 1 - side, hex, units, points)
    battle, g.state.attack = battle._replace(enemy_air=against), None
    defenders = strength.defenders(g, battle)
    result = roll(g, battle)
    effects = {
        ATTACKER_STEPS: lambda steps: losses.lose(g, side, units, steps, attack, "SCS 9.3"),
        ATTACKER_RETREAT: lambda hexes: retreat.retreat(g, side, units, hexes),
        DEFENDER_STEPS: lambda steps: losses.lose(g, 1 - side, defenders, steps, defence, "SCS 9.3"),
        DEFENDER_RETREAT: lambda hexes: retreat.retreat(g, 1 - side, defenders, hexes),
    }
    yield from results.apply(result, ORDER, effects)
    yield from rommel.displace(g)
    return bool(result.attacker.hexes)


def roll(g: G, battle: Attack) -> results.Result:
    """Roll two dice with the modifiers of combined arms on the column of the attack (SCS 8.11, SCS 12.1)."""
    table = g.table("combat")
    for term in strength.modifier_terms(g, battle):
        g.log(term.rule, "{cause}: {value}", cause=term.text, value=term.value)
    at, modifier = strength.column(g, battle, table), net(strength.combined_arms(g, battle))
    strengths = strength.in_words(g, battle)
    dice = g.dice.two(f"attack on {BOARD.name(battle.hex)}", table.rule)
    cell = str(table.result(at, dice, modifier))
    g.log(
        "SCS 9.1", "Combat at {hex}: {strengths}, column {odds}, roll {roll}, {result}", hex=battle.hex,
        strengths=strengths, odds=table.head(at), roll=rolled(dice, modifier), result=cell,
    )  # fmt: skip
    return results.read(cell)


def preview(g: G, made: Combat) -> Odds:
    """Return the odds of an attack before it is declared, without air points (SCS 8)."""
    return strength.preview(g, Attack(made.side, made.units, made.hexes[0]))


odds = combats.previewed(DECLARATION, preview)
