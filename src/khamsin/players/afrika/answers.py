"""The decisions that only Afrika asks: air points, barrage, Rommel, arrivals, replacements, withdrawals, supply, boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from khamsin.games.afrika import barrage, building
from khamsin.games.afrika.units import (
    AIR_BUTTONS,
    ATTACK,
    AXIS,
    BARRAGE,
    BOARD,
    DEAD,
    DEFENCE,
    HECKER,
    HEXES,
    ROMMEL,
    SIDES,
    STEPS,
    Fire,
    G,
    attack,
    defence,
    forces_in,
    name,
    stock,
)
from khamsin.kernel.rules import Decision
from khamsin.players.scripted import Order

MALTA = 2
"""The air points for Malta, which bring more supply than they would bring in combat."""
FORCE, MANY = 8, 4
"""The attack strength that is worth two air points, and the points from which any attack is."""
FEW = 6
"""The SPs below which no boxes are built."""


def answer(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """The answer to a decision of Afrika, or None if it is of a common kind or unknown."""
    by_kind: dict[str, Callable[[G, int, Decision, Any], Order | None]] = {
        "combat.air": commit_air, "malta.air": suppress_malta, "exchange.unit": exchange, "barrage.target": bombard,
        "barrage.fire": fire, "leader.displace": place_leader, "leader.move": place_leader, "leader.follow": place_leader,
        "arrival.place": arrive,
        "replace.unit": replace, "replace.place": rebuild, "withdraw.unit": withdraw, "supply.displace": displace,
        "box.build": build, "supply.to": set_down,
    }  # fmt: skip
    found = by_kind.get(decision.kind)
    return found(g, side, decision, staff) if found else None


def set_down(g: G, side: int, decision: Decision, staff: Any) -> Order:
    """An SP whose trip is over stays where it is; the next one has an order of its own."""
    return Order((g.rules.button("done"),))


def air_button(g: G, decision: Decision, number: int) -> int:
    """The button for as many air points as are wanted and legal."""
    legal = [i for i, word in enumerate(AIR_BUTTONS) if g.rules.button(word) in decision.legal]
    return g.rules.button(AIR_BUTTONS[max([i for i in legal if i <= number], default=legal[0])])


def commit_air(g: G, side: int, decision: Decision, staff: Any) -> Order:
    """Two points at most. The attacker keeps two for every planned attack that is worth more, and one for the enemy's turn."""
    left = g.state.air.get(SIDES[side], 0)
    mine = g.rules.phases(g.state)[g.state.phase].side == side
    wanted = 2 if sum([attack(g, unit) for unit in decision.about]) >= FORCE or left > MANY else 1
    keep = staff.better_attacks(g) * 2 if mine else 0
    if mine and not keep and left <= 2 and staff.theatre.is_answered(g, side):
        keep = 1
    number = max(0, min(wanted, left - keep))
    return Order((air_button(g, decision, number),), f"{number} air points" if number else "")


def suppress_malta(g: G, side: int, decision: Decision, staff: Any) -> Order:
    """Some points for Malta, more than one while there are many."""
    number = min(MALTA, g.state.air.get(SIDES[side], 0) // 2)
    return Order((air_button(g, decision, number),), f"{number} air points for Malta")


def exchange(g: G, side: int, decision: Decision, staff: Any) -> Order:
    """Kampfgruppe Hecker is stronger."""
    return Order((HECKER,), f"{name(HECKER)} replaces the marines")


# Barrage


def bombard(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Barrage the hex where an attack is worth most, else the one where most steps are expected."""
    hexes = [click - g.place0 for click in decision.legal if g.place0 <= click < g.rules.first_button]
    table = g.table("barrage")
    planned = {
        hex: value for value, hex, _, _ in staff.attacks(g, [hex for hex in hexes if forces_in(g, 1 - side, hex)])
    }
    best, merit = -1, 0.0
    for hex in hexes:
        guns = barrage.in_range(g, side, hex)
        enemies = forces_in(g, 1 - side, hex)
        if not guns or not enemies:
            continue
        chances = table.chances(barrage.column(g, Fire(side, tuple(guns), hex)))
        steps = float(sum(int(cell) * chance for cell, chance in chances.items()))
        worth = sum([(attack(g, u) + defence(g, u)) / max(1, g.state.steps[u]) for u in enemies]) / len(enemies)
        value = steps * worth * (1.5 if hex in planned else 1.0)
        if value > merit:
            best, merit = hex, value
    if best < 0:
        return None
    clicks = (g.place0 + best, g.rules.button(AIR_BUTTONS[0]))
    return Order(clicks, f"barrages {BOARD.name(best)}, worth {merit:.1f}")


def fire(g: G, side: int, decision: Decision, staff: Any) -> Order:
    """With artillery alone: air points are kept for combat."""
    return Order((air_button(g, decision, 0),))


# Rommel


def place_leader(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Rommel joins the strongest stack."""
    hexes = [click - g.place0 for click in decision.legal if g.place0 <= click < g.rules.first_button]
    if not hexes:
        return None
    best = max(hexes, key=lambda hex: (sum([attack(g, unit) for unit in forces_in(g, AXIS, hex)]), -hex))
    return Order((g.place0 + best,), f"{name(ROMMEL)} joins the stack in {BOARD.name(best)}")


# Arrivals, replacements, withdrawals


def arrive(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Where the way to the goals is shortest."""
    hexes = [click - g.place0 for click in decision.legal if g.place0 <= click < g.rules.first_button]
    goals = [goal for goal in staff.theatre.goals(g, side) if goal.worth > 0]
    if not hexes or not goals or not decision.about:
        return None
    goal = max(goals, key=lambda goal: goal.worth)
    costs, _ = staff.theatre.march(g, side, decision.about[0], goal.hex)
    best = min(hexes, key=lambda hex: (int(costs[hex]) if hex < HEXES else 0, hex))
    return Order((g.place0 + best,), f"arrives in {BOARD.name(best)}")


def replace(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """The unit whose next step adds most strength; a unit that is there before one that is dead."""
    units = [click for click in decision.legal if g.is_unit(click)]

    def gain(unit: int) -> tuple[float, int]:
        full = sum(staff.theatre.figures(g, unit)[:2]) if g.state.steps[unit] else 0.0
        printed = PRINTED[unit]
        is_dead = g.state.where[unit] == DEAD[side]
        nearly = (printed - full) / max(1, STEPS[unit] - g.state.steps[unit])
        return nearly * (0.8 if is_dead else 1.0), -unit

    best = max(units, key=gain, default=None)
    return Order((best,), f"{name(best)} regains a step") if best is not None else None


def rebuild(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """As far forward as it can be supplied: next to the dump with most SPs."""
    hexes = [click - g.place0 for click in decision.legal if g.place0 <= click < g.rules.first_button]
    points = stock(g, side)

    def merit(location: int) -> tuple[int, int]:
        near = BOARD.around(location) if location < HEXES else (location,)
        on_map = 20 * (location < HEXES)
        return on_map + max([points.get(at, 0) for at in near], default=0), -location

    return Order((g.place0 + max(hexes, key=merit),)) if hexes else None


def withdraw(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """The weakest."""
    units = [click for click in decision.legal if g.is_unit(click)]
    return Order((min(units, key=lambda unit: (staff.theatre.figures(g, unit).worth, unit)),)) if units else None


# Supply


def displace(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """To a hex with friends, far from the enemy."""
    hexes = [click - g.place0 for click in decision.legal if g.place0 <= click < g.rules.first_button]
    enemies = [hex for hex in g.state.where.stacks(1 - side) if hex < HEXES]

    def merit(location: int) -> tuple[int, int]:
        if location >= HEXES:
            return 5, -location
        away = min([BOARD.distance(location, enemy) for enemy in enemies], default=9)
        return 8 * bool(forces_in(g, side, location)) + min(away, 5), -location

    return Order((g.place0 + max(hexes, key=merit),)) if hexes else None


def build(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """A box where a goal is held and a dump that pays for it has plenty."""
    hexes = [click - g.place0 for click in decision.legal if g.place0 <= click < g.rules.first_button]
    wanted = {goal.hex: goal.worth for goal in staff.theatre.goals(g, side) if goal.worth >= staff.weights["stays"]}
    points = stock(g, side)
    rich = [
        hex for hex in hexes if hex in wanted and sum([points[at] for at in building.payers_for(g, side, hex)]) > FEW
    ]
    if not rich:
        return None
    best = max(rich, key=lambda hex: (wanted[hex], -hex))
    return Order((g.place0 + best,), f"builds a box in {BOARD.name(best)}")


PRINTED = [a[0] + d[0] + 0.5 * b[0] for a, d, b in zip(ATTACK, DEFENCE, BARRAGE, strict=True)]
"""What each unit is worth at full strength."""
