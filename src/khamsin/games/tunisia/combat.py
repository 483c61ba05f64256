"""Combat (OCS 9): attacks are declared and fought one after the other; overruns are resolved in the same way."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import partial

from khamsin.games.tunisia import advance, cooperation, estimate, losses, retreat, strength, supply
from khamsin.games.tunisia.ground import OPEN_SIDES
from khamsin.games.tunisia.stacking import remove_excess
from khamsin.games.tunisia.strength import EXPLOITING, Attack, Hit
from khamsin.games.tunisia.units import (
    AROUND,
    BOARD,
    COMBAT,
    COUNTERS,
    DG,
    EXPLOIT,
    MOBILITY,
    MODES,
    MOVE,
    QUARTERS,
    RELEASED,
    SIDE,
    G,
    can_attack,
    forces_in,
    name,
    on_map,
    rating,
    size,
    tell,
    tokens,
    whom,
)
from khamsin.kernel.rules import Decision, Odds, Procedure, Refusal
from khamsin.mechanics import combats
from khamsin.mechanics.combats import Combat, Declaration
from khamsin.mechanics.showing import counted

EXHAUSTED = 2
WITHOUT = "unpaid defence"
"""Whether no defender has combat supply, while the leaders are chosen."""


def attacks(g: G, side: int, exploiting: bool = False) -> Procedure:
    """A combat segment: attacks in any order, all of them voluntary (OCS 2, OCS 9(1))."""
    if exploiting:
        g.state.todo[EXPLOITING] = 1
    yield from combats.in_turn(g, DECLARATION, side, fight)
    for owner in (side, 1 - side):
        yield from remove_excess(g, owner)
    combats.forget(g)
    g.state.todo.pop(EXPLOITING, None)


def fight(g: G, made: Combat) -> Procedure:
    """One attack; if the attackers have not retreated, the survivors may advance (OCS 9(1))."""
    retreated = yield from resolve(g, made.side, made.units, made.hexes[0])
    if not retreated:
        yield from advance.advance(g, made.side, [unit for unit in made.units if on_map(g, unit)], made.hexes[0])


# Declaration (OCS 9(1))


adjacent = combats.adjacent(AROUND, "OCS 9(1)")


def why_not_attacker(g: G, unit: int, hexes: Sequence[int]) -> Refusal | None:
    """An attack-capable unit attacks once in a segment, a hex next to it that it could enter; in the
    Exploitation Phase only exploit-marked units and released reserves attack (OCS 2, OCS 9(1))."""
    who, flags = name(unit), g.state.flags[unit]
    if on_map(g, unit) and not can_attack(g, unit):
        return Refusal(f"{who} cannot attack: it is not attack-capable", "OCS 1(6)", who)
    if EXPLOITING in g.state.todo and not flags & (EXPLOIT | RELEASED):
        return Refusal(f"{who} cannot attack: it neither exploits nor was released", "OCS 2", who)
    refusal = adjacent(g, unit, hexes)
    if refusal is not None:
        return refusal
    open_ = OPEN_SIDES[MOBILITY[unit][int(bool(flags & MOVE))]][g.state.where[unit]]
    label = next((BOARD.name(hex) for hex in hexes if hex not in open_), None)
    return Refusal(f"{who} cannot attack {label}: it could not enter the hex", "OCS 9(1)", label) if label else None


def why_not_declared(g: G, combat: Combat, button: str) -> Refusal | None:
    """Return why an attack cannot be made: nations that keep apart, combat supply (4.0b, OCS 9(2))."""
    return cooperation.why_apart(g, combat.units, "attack") or why_not_supplied(
        g, combat.side, combat.units, BOARD.name(combat.hexes[0])
    )


def cost_note(g: G, draft: Combat) -> str:
    """Return the cost of an attack under declaration (OCS 9(2))."""
    plan = plan_supply(g, draft.side, draft.units)
    paid = sum([source is not None for source in plan.values()]) if isinstance(plan, dict) else 0
    return f", {tokens(paid)}" if paid else ""


DECLARATION = Declaration(
    rule="OCS 9(1)",
    contacts=combats.contacts_by(AROUND),
    why_not_target=combats.once("OCS 9(1)"),
    why_not_attacker=why_not_attacker,
    why_not_declared=why_not_declared,
    note=cost_note,
    max_hexes=1,
)


# Combat supply (OCS 9(2), OCS 11.5)


def plan_supply(
    g: G, side: int, units: Sequence[int], left: supply.Places | None = None
) -> dict[int, supply.Source | None] | int:
    """Return what pays for each attacker: a token from a source, or None for its internal stock; the first unit without
    either if there is one. Internal stocks are used only if no token is left but on organic trucks (OCS 11.5). `left`
    is what the fuel of an overrun leaves (OCS 11.4)."""
    hardest_first = sorted(units, key=lambda unit: g.state.stock[unit] < EXHAUSTED)
    given = supply.allot(g, side, hardest_first, dict(left or {}))
    empty = [unit for unit in units if unit not in given and g.state.stock[unit] >= EXHAUSTED]
    return empty[0] if empty else {unit: given.get(unit) for unit in units}


def why_not_supplied(
    g: G, side: int, units: Sequence[int], label: str, left: supply.Places | None = None
) -> Refusal | None:
    """Return why units cannot attack without combat supply: a token for each, of what their fuel leaves (OCS 9(2))."""
    plan = plan_supply(g, side, units, left)
    if isinstance(plan, dict):
        return None
    text = f"{name(plan)} cannot attack {label}: no supply within reach, and its internal stock is exhausted"
    return Refusal(text, "OCS 9(2)", name(plan))


def supply_attack(g: G, side: int, units: Sequence[int]) -> Procedure:
    """The attacker pays a token per step, or keeps those on organic trucks and uses internal stocks (OCS 9(2),
    OCS 11.5)."""
    plan = plan_supply(g, side, units)
    assert isinstance(plan, dict)
    choice = [unit for unit, source in plan.items() if source and source.is_organic and g.state.stock[unit] < EXHAUSTED]
    if choice:
        pay, stock = g.rules.button("pay"), g.rules.button("stock")
        click = yield g.ask(
            side, "combat.stocks", f"Pay {tokens(len(choice))} from organic trucks for the attack, or use internal stocks",
            "OCS 11.5", buttons=[pay, stock], about=choice,
        )  # fmt: skip
        plan |= dict.fromkeys(choice) if click == stock else {}
    for unit, source in plan.items():
        if source is None:
            draw_stock(g, unit)
        else:
            supply.use(g, side, source, 1)
    paid = len([one for one in plan.values() if one is not None])
    if paid:
        g.log("OCS 9(2)", "{side} pays {cost} for the attack", side=side, cost=tokens(paid))


def draw_stock(g: G, unit: int) -> None:
    """A unit fights from its internal stock, which becomes Low, then Exhausted (OCS 11.5)."""
    g.state.stock[unit] += 1
    level = "Exhausted" if g.state.stock[unit] == EXHAUSTED else "Low"
    tell(g, SIDE[unit], "OCS 11.5", "{unit} fights from its internal stock: {level}", unit=unit, level=level)


def supply_defence(g: G, battle: Attack, units: Sequence[int]) -> Generator[Decision, int, tuple[int, ...]]:
    """The defender pays 1T or 2T, or uses internal stocks if there is no token but on organic trucks, or declines.
    Return the units without supply (OCS 9(2), OCS 11.5)."""
    cost: int = COMBAT["supply"]["defence_small" if size(units) <= QUARTERS else "defence"]
    side, hex = 1 - battle.side, battle.hex
    way = supply.for_all(g, side, hex, units)
    enough = supply.content(way) >= cost
    sparing = enough and supply.content([one for one in way if not one.is_organic]) < cost
    stocked = [unit for unit in units if g.state.stock[unit] < EXHAUSTED]
    if not enough and not stocked:
        return tuple(units)
    pay, stock, decline = (g.rules.button(word) for word in ("pay", "stock", "decline"))
    stocks = f"the internal stocks of {counted(len(stocked), 'unit')}"
    what = f"pay {tokens(cost)} of {tokens(supply.content(way))} in reach" if enough else f"use {stocks}"
    click = yield g.ask(
        side, "combat.supply", partial(defence_prompt, g, battle, units, what), "OCS 9(2)",
        buttons=[pay, *([stock] if sparing and stocked else []), decline], about=units, at=[hex],
    )  # fmt: skip
    if click == decline:
        return tuple(units)
    if enough and click == pay:
        supply.pay_by(g, side, way, cost, f"the defence of {BOARD.name(hex)}", "OCS 9(2)")
        return ()
    for unit in stocked:
        draw_stock(g, unit)
    return tuple([unit for unit in units if unit not in stocked])


def defence_prompt(g: G, battle: Attack, units: Sequence[int], what: str) -> str:
    """Return the prompt of the defender with the cost, and the odds with and without it: both sides tell their
    strengths (OCS 3(4), OCS 9(2))."""
    paid, unpaid = [strength.column(g, battle._replace(unpaid=lacking)) for lacking in ((), tuple(units))]
    heads = [g.table(way.row).head(way.at) for way in (paid, unpaid)]
    return f"Defence of {BOARD.name(battle.hex)}: {what} for {heads[0]}, or defend at half strength at {heads[1]}"


def choose_leader(g: G, side: int, units: Sequence[int], hex: int) -> Generator[Decision, int, int]:
    """A side chooses the unit whose action rating leads and that takes the first loss (OCS 9(3), OCS 21). There is no
    decision if all are equal."""
    usual = strength.leader(g, units)
    if all(are_alike(g, unit, usual) for unit in units):
        return usual
    hints = {unit: {"action rating": rating(g, unit)} for unit in sorted(units, key=lambda one: one != usual)}
    click = yield g.ask(
        side, "combat.leader", f"Combat at {BOARD.name(hex)}: choose the unit that leads and takes the first loss",
        "OCS 9(3)", units=hints, about=units, at=[hex], why_not=partial(why_not_leading, hex=hex),
    )  # fmt: skip
    return click


def are_alike(g: G, one: int, two: int) -> bool:
    """Whether it makes no difference which of two units leads: equal counters of one formation in one hex with equal ratings
    and stocks (OCS 9(3))."""
    first, second = (
        (counter.symbol, counter.size, counter.parent, counter.factors) for counter in (COUNTERS[one], COUNTERS[two])
    )
    state = g.state
    together = state.where[one] == state.where[two] and state.stock[one] == state.stock[two]
    return first == second and together and rating(g, one) == rating(g, two)


def why_not_leading(g: G, decision: Decision, click: int, hex: int) -> Refusal | None:
    """Return why a unit cannot lead: it does not take part in the combat (OCS 9(3))."""
    if not g.is_unit(click) or click in decision.legal:
        return None
    return Refusal(
        f"{name(click)} cannot lead: it takes no part in the combat at {BOARD.name(hex)}", "OCS 9(3)", name(click)
    )


# One combat


def resolve(g: G, side: int, units: Sequence[int], hex: int, overrun: bool = False) -> Generator[Decision, int, bool]:
    """Resolve an attack or overrun up to the advance: supply, leaders, surprise, the roll, the attacker's result, then
    the defender's. Return whether the attackers retreated (OCS 9, OCS 9.1)."""
    enemies = forces_in(g, 1 - side, hex)
    g.reveal()  # OCS 3(4)
    started = [dict.fromkeys(g.state.where.stacks(one), 1) for one in range(len(g.rules.sides))]
    yield from supply_attack(g, side, units)
    unpaid = yield from supply_defence(g, Attack(side, tuple(units), hex, overrun), enemies)
    if len(unpaid) == len(enemies):
        g.state.todo[WITHOUT] = 1
    mine = yield from choose_leader(g, side, units, hex)
    theirs = yield from choose_leader(g, 1 - side, enemies, hex)
    g.state.todo.pop(WITHOUT, None)
    battle = Attack(side, tuple(units), hex, overrun, mine, theirs, unpaid)
    origins = [g.state.where[unit] for unit in units]
    cell = roll(g, battle)
    attacker, defender = strength.read(cell)
    if defender != Hit():
        losses.stand_down(g, 1 - side, hex)
    role = "overrun" if overrun else "attack"
    moved, met = yield from suffer(g, side, units, attacker, role, mine, started[1 - side], origins)
    if attacker.exploit and not moved and met:
        exploit(g, battle, attacker.exploit, origins)
    if defender.dg:
        losses.disorganise(g, [unit for unit in enemies if on_map(g, unit)], "OCS 9.1")
    ignores = moved or not met
    yield from suffer(g, 1 - side, enemies, defender, "defence", theirs, started[side], origins, ignores)
    return moved


def roll(g: G, battle: Attack) -> str:
    """Roll for surprise, its columns, and the result (OCS 9(8), OCS 9(9))."""
    way = strength.column(g, battle)
    table, label = g.table(way.row), BOARD.name(battle.hex)
    drm = sum([one.value for one in strength.modifier(g, battle)])
    level = strength.hedgehog(g, battle)
    high, low = strength.surprise_limits(battle)
    g.log("OCS 3(4)", "{told}", told=strength.announcement(g, battle, way))
    found = g.dice.two(f"surprise at {label}", "OCS 9(8)") + drm - (COMBAT["surprise"]["hedgehog"] if level else 0)
    shift = 0
    if found >= high or found <= low:
        die = g.dice.roll(f"surprise columns at {label}", "OCS 9(8)")
        shift = die if found >= high else -die
        who = battle.side if found >= high else 1 - battle.side
        g.log("OCS 9(8)", "{side} surprises: {shift} columns", side=who, shift=f"{shift:+d}")
    at = table.shift(way.at, shift)
    cell = str(table.roll(g.dice, at, drm - level, f"attack on {label}"))
    g.log("OCS 9(9)", "Combat at {hex}: {odds} on the {row} row, {result}", hex=battle.hex, odds=table.head(at),
          row=way.row.replace("_", " "), result=cell)  # fmt: skip
    return cell


def suffer(
    g: G,
    side: int,
    units: Sequence[int],
    hit: Hit,
    role: str,
    first: int,
    enemy_hexes: Mapping[int, int],
    origins: Sequence[int],
    ignores: bool = False,
) -> Generator[Decision, int, tuple[bool, bool]]:
    """A side takes its losses, then its options one by one as losses or the rest as a retreat. Return whether it retreated and
    whether it met all its options (OCS 9.1, OCS 21)."""
    yield from losses.lose(g, side, units, hit.steps, "OCS 9.1", first)
    if ignores:
        return (yield from withdraw(g, side, units, hit.options, enemy_hexes, origins)), True
    left = hit.options
    leading = first if not hit.steps else None
    while left:
        alive = [unit for unit in units if on_map(g, unit)]
        if not alive:
            return False, False
        loss, back = g.rules.button("loss"), g.rules.button("retreat")
        whose = name(leading) if leading in alive else "a unit"
        each = " for one of them" if left > 1 else ""
        hexes = sorted({g.state.where[unit] for unit in alive})
        at = ", ".join(map(BOARD.name, hexes))
        text = f"{counted(left, 'option')} of the {role} to meet at {at}: lose {whose}{each}, or"
        attackers = origins if role == "defence" else ()
        click = yield g.ask(
            side, "combat.option", partial(option_prompt, g, side, alive, left, enemy_hexes, attackers, text), "OCS 9.1",
            buttons=[back, loss], about=alive, at=hexes,
        )  # fmt: skip
        if click == back:
            if role == "attack":
                alive += yield from retreat.take_along(g, side, alive, left, enemy_hexes)
            yield from retreat.retreat(g, side, alive, left, enemy_hexes, attackers, trucks=role != "overrun")
            return True, True
        yield from losses.lose(g, side, alive, 1, "OCS 9.1", leading)
        leading = None
        left -= 1
    return False, True


def option_prompt(
    g: G,
    side: int,
    units: Sequence[int],
    hexes: int,
    enemy_hexes: Mapping[int, int],
    from_hexes: Sequence[int],
    text: str,
) -> str:
    """Return the prompt for a retreat that units may choose, with a warning if some have no path (OCS 9.1, OCS 9.2)."""
    lost = retreat.trapped(g, side, units, hexes, enemy_hexes, from_hexes)
    warning = f"; {whom(lost)} would be eliminated in a retreat" if lost else ""
    return f"{text} retreat {counted(hexes, 'hex', 'hexes')}{warning}"


def withdraw(
    g: G, side: int, units: Sequence[int], hexes: int, enemy_hexes: Mapping[int, int], origins: Sequence[int]
) -> Generator[Decision, int, bool]:
    """A defender whose options lapse may still retreat all of them. Return whether it does (OCS 9.1; series 9.10c)."""
    alive = [unit for unit in units if on_map(g, unit)]
    if not alive or not hexes:
        return False
    here, back = g.state.where[alive[0]], g.rules.button("retreat")
    text = f"Your options at {BOARD.name(here)} lapse: stay, or"
    click = yield g.ask(
        side, "combat.withdraw", partial(option_prompt, g, side, alive, hexes, enemy_hexes, origins, text), "OCS 9.1",
        buttons=[g.rules.button("decline"), back], about=alive, at=[here],
    )  # fmt: skip
    if click != back:
        return False
    yield from retreat.retreat(g, side, alive, hexes, enemy_hexes, origins)
    return True


def exploit(g: G, battle: Attack, least: int, origins: Sequence[int]) -> None:
    """Attackers of a rating or better exploit if the attack allows it, but not DG units (OCS 9.1)."""
    if not strength.may_exploit(g, battle, set(origins)):
        return
    for unit in battle.units:
        flags = g.state.flags[unit]
        if on_map(g, unit) and not flags & DG and rating(g, unit) >= least:
            g.state.flags[unit] = flags & ~MODES | EXPLOIT
            tell(g, battle.side, "OCS 9.1", "{unit} may exploit", unit=unit)


def preview(g: G, made: Combat) -> Odds:
    """Return the odds of an attack before it is declared, led by the default units, the defender with combat supply; a
    range against unknown units (OCS 3(4))."""
    units, hex = made.units, made.hexes[0]
    enemies = forces_in(g, 1 - made.side, hex)
    battle = Attack(made.side, units, hex, False, strength.leader(g, units), strength.leader(g, enemies))
    return estimate.preview(g, battle)


odds = combats.previewed(DECLARATION, preview)
