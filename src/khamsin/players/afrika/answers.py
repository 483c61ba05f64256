"""Decisions of Afrika alone: air points, barrage, Rommel, arrivals, replacements, withdrawals, supply, boxes."""

from __future__ import annotations

from typing import Any

from khamsin.games.afrika import air, barrage, building
from khamsin.games.afrika.units import (
    AIR_BUTTONS,
    ATTACK,
    BARRAGE,
    BOARD,
    DEAD,
    DEFENCE,
    HEXES,
    ROMMEL,
    STEPS,
    Fire,
    G,
    attack,
    forces_in,
    name,
    stock,
)
from khamsin.games.afrika.zones import in_zone
from khamsin.kernel.rules import Decision
from khamsin.players.afrika import logistics
from khamsin.players.afrika.logistics import force
from khamsin.players.scripted import Order
from khamsin.players.staff.clicks import Answer, best_place, best_unit, locations, pressing, worst_unit
from khamsin.players.staff.clicks import units as units_of

MALTA = 2
"""The air points for Malta, which gain more in supply than in combat."""
KEPT = 2
"""The air points kept for the enemy's turn."""
PORT = 3.0
"""The value of a point of a port's capacity."""
POINT = 0.05
"""The least value of an air point in a barrage."""
FORCE, MANY = 8, 4
"""The attack strength that justifies two air points, and the points from which any attack does."""
FEW = 10
"""The SPs below which no boxes are built."""


def air_button(g: G, decision: Decision, number: int) -> int:
    """Return the button for as many air points as are wanted and legal."""
    legal = [button for word in AIR_BUTTONS if (button := g.rules.button(word)) in decision.legal]
    return legal[max(0, min(number, len(legal) - 1))]


def commit_air(g: G, side: int, decision: Decision, staff: Any) -> Order:
    """Commit at most two points. The attacker shares them with the attacks that follow and keeps one for the enemy's
    turn."""
    left = air.left(g, side)
    mine = g.rules.phases(g.state)[g.state.phase].side == side
    number = min(left, 2 if sum([attack(g, unit) for unit in decision.about]) >= FORCE or left > MANY else 1)
    if mine:
        keep = left <= 2 and not staff.later and staff.theatre.is_answered(g, side)
        number = min(number, staff.shared_support(g, decision.about, left) if staff.later else left - keep)
    return Order((air_button(g, decision, number),), f"{number} air points" if number else "")


def is_quiet(g: G, side: int) -> bool:
    """Whether no unit of a side is adjacent to the enemy."""
    return not any(in_zone(g, 1 - side, hex) for hex in g.state.where.stacks(side) if 0 <= hex < HEXES)


def suppress_malta(g: G, side: int, decision: Decision, staff: Any) -> Order:
    """Assign half of the points to Malta; while no unit is adjacent to the enemy all but two."""
    left = air.left(g, side)
    number = left - KEPT if is_quiet(g, side) else min(MALTA, left // 2)
    return Order((air_button(g, decision, number),), f"{number} air points for Malta")


# Barrage


def bombard(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Fire the most valuable barrage: steps of the enemy, more where an attack follows, or the capacity of a port. It
    takes the air points that neither an attack nor the defence needs."""
    hexes = locations(g, decision)
    planned = {hex for _, hex, _, _ in staff.attacks(g, [hex for hex in hexes if forces_in(g, 1 - side, hex)])}
    kept = 0 if not staff.theatre.is_answered(g, side) else KEPT if is_quiet(g, side) else 2 * KEPT
    spare = air.left(g, side) - 2 * max(len(planned), staff.better_attacks(g)) - kept

    def value(shot: Fire) -> float:
        enemies = forces_in(g, 1 - side, shot.hex)
        worth = [staff.theatre.figures(g, unit).worth / max(1, g.state.steps[unit]) for unit in enemies]
        price = PORT if shot.port else sum(worth) / len(worth) * (1.5 if shot.hex in planned else 1.0)
        return price * expected(g, shot) - POINT * shot.air

    aims = [(hex, tuple(barrage.in_range(g, side, hex)), port) for hex in hexes for port in barrage.aims(g, side, hex)]
    shots = [
        Fire(side, guns, hex, points, int(at_port)) for hex, guns, at_port in aims
        for points in range(max(0, spare) + 1) if guns or points
    ]  # fmt: skip
    shot = max(shots, key=value, default=None)
    if shot is None or value(shot) <= 0:
        return None
    turn = (g.rules.button("port"),) if shot.port and len(barrage.aims(g, side, shot.hex)) > 1 else ()
    clicks = (g.place0 + shot.hex, *turn, g.rules.button(AIR_BUTTONS[shot.air]))
    return Order(clicks, f"barrages {BOARD.name(shot.hex)} with {shot.air} air points, worth {value(shot):.1f}")


def expected(g: G, shot: Fire) -> float:
    """Return the expected loss of steps or points of capacity by a barrage."""
    chances = g.table("barrage").chances(barrage.column(g, shot))
    return float(sum(int(cell) * chance for cell, chance in chances.items()))


# Rommel


def place_leader(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Place Rommel in the strongest stack."""
    return best_place(g, decision, lambda hex: force(g, hex), f"{name(ROMMEL)} joins the stack in")


# Arrivals, replacements, withdrawals


def arrive(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Arrive where the path to the goals is shortest."""
    goal = max(staff.theatre.goals(g, side), key=lambda goal: goal.worth, default=None)
    if goal is None or goal.worth <= 0 or not decision.about:
        return None
    costs, _ = staff.theatre.march(g, side, decision.about[0], goal.hex)
    return best_place(g, decision, lambda hex: -int(costs[hex]) if hex < HEXES else 0, "arrives in")


def replace(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Add a step to the unit whose next step adds most strength; a unit in play before a dead one."""

    def gain(unit: int) -> tuple[float, int]:
        now = sum(staff.theatre.figures(g, unit)[:2]) if g.state.steps[unit] else 0.0
        nearly = (PRINTED[unit] - now) / max(1, STEPS[unit] - g.state.steps[unit])
        return nearly * (0.8 if g.state.where[unit] == DEAD[side] else 1.0), -unit

    best = max(units_of(g, decision), key=gain, default=None)
    return Order((best,), f"{name(best)} regains a step") if best is not None else None


def rebuild(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Rebuild as far forward as it can be supplied: next to the dump with most SPs."""
    points = stock(g, side)

    def merit(location: int) -> int:
        near = BOARD.around(location) if location < HEXES else (location,)
        return 20 * (location < HEXES) + max([points.get(at, 0) for at in near], default=0)

    return best_place(g, decision, merit)


# Supply


def displace(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Displace to a hex with friendly units, far from the enemy."""

    def merit(location: int) -> int:
        away = min(staff.theatre.from_enemy(g, side, location), 5) if location < HEXES else 5
        return 8 * bool(location < HEXES and forces_in(g, side, location)) + away

    return best_place(g, decision, merit)


def build(g: G, side: int, decision: Decision, staff: Any) -> Order | None:
    """Build a box on a held goal if a dump that pays for it has many SPs."""
    hexes = locations(g, decision)
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
"""The value of each unit at full strength."""
ANSWERS: dict[str, Answer] = {
    "combat.air": commit_air, "malta.air": suppress_malta, "exchange.unit": best_unit, "barrage.target": bombard,
    "barrage.fire": pressing("air 0"), "leader.": place_leader, "arrival.place": arrive, "replace.unit": replace,
    "replace.place": rebuild, "withdraw.unit": worst_unit, "supply.displace": displace, "box.build": build,
    "move.stack": logistics.leave_boxes,
}  # fmt: skip
