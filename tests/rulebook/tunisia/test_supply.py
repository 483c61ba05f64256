"""On-map supply, trace, eating, stocks, attrition, trucks (OCS 11, OCS 17.5-8)."""

from __future__ import annotations

import pytest

from khamsin.games.tunisia import (
    RULES,
    barrage,
    budget,
    combat,
    control,
    eating,
    fuel,
    stack_actions,
    strength,
    supply,
    tracing,
    trucks,
)
from khamsin.games.tunisia.barrage import Fire
from khamsin.games.tunisia.strength import Attack
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, NUMBER, G
from khamsin.kernel import Match, SeededDice
from khamsin.kernel.rules import Decision
from khamsin.mechanics.combats import Combat
from tests.rulebook.tunisia.table import drive, flags, game, match, number, refused, rule_of, where


def test_direct_draw_is_five_truck_points() -> None:
    """Adjacent is close enough, so six hexes over open ground; an enemy in between stops it (OCS 11.1(1), OCS 11.1(3))."""
    g = game({"B60.05": ["47 Inf"]}, axis={"B54.05": 4})
    assert BOARD.distance(BOARD["B60.05"], BOARD["B54.05"]) == 6
    assert supply.available(g, AXIS, BOARD["B60.05"]) == 4
    g = game({"B60.05": ["47 Inf"]}, axis={"B50.05": 4})
    assert supply.available(g, AXIS, BOARD["B60.05"]) == 0


def test_a_headquarters_throws_what_it_draws() -> None:
    """To the printed range, not in Strat Mode, and not from headquarters to headquarters (OCS 11.1(2))."""
    g = game({"B60.05": ["47 Inf"], "B50.05": ["HQ DAK"]}, axis={"B48.05": 4})
    assert supply.available(g, AXIS, BOARD["B60.05"]) == 4
    g = game({"B60.05": ["47 Inf"], "B50.05": ["HQ DAK [strat]"]}, axis={"B48.05": 4})
    assert supply.available(g, AXIS, BOARD["B60.05"]) == 0


def test_tokens_on_the_ground_go_first_and_organic_trucks_last() -> None:
    """Organic trucks feed their division alone (OCS 11.6)."""
    g = game({"B50.05": ["69 PG/10 Pz", "Truck 1/10 Pz"]}, axis={"B51.05": 2})
    g.state.load[NUMBER["Truck 1/10 Pz"]] = 4
    assert supply.available(g, AXIS, BOARD["B50.05"], "10 Pz") == 6
    assert supply.available(g, AXIS, BOARD["B50.05"], "15 Pz") == 2
    supply.pay(g, AXIS, BOARD["B50.05"], 3, "a test", "OCS 11.1(1)", "10 Pz")
    assert g.state.axis_t == {}
    assert g.state.load[NUMBER["Truck 1/10 Pz"]] == 3


def test_the_artillery_of_a_division_fires_from_its_organic_truck() -> None:
    """Alone or with other guns of the division, not with those of another (OCS 8(5), OCS 11.6)."""
    lorry, hex = "Truck 1/15 Pz", BOARD["B52.06"]
    g = game({"B50.05": ["33 Art/15 Pz", "155 Art/21 Pz", lorry], "B52.06": ["201 Gds Inf"]})
    g.state.load[NUMBER[lorry]] = 4
    own, other = Fire(AXIS, number("33 Art/15 Pz"), hex), Fire(AXIS, number("155 Art/21 Pz"), hex)
    assert barrage.why_unpaid(g, own) is None
    assert rule_of(barrage.why_unpaid(g, other)) == "OCS 8(5)"
    assert rule_of(barrage.why_unpaid(g, own._replace(units=(*own.units, *other.units)))) == "OCS 8(5)"
    drive(g, barrage.fire(g, own))
    assert g.state.load[NUMBER[lorry]] == 1


def test_an_organic_truck_fuels_no_other_division() -> None:
    """In a stack of two divisions only the units of its own (OCS 11.4, OCS 11.6)."""
    lorry, stack = "Truck 1/10 Pz", number("1-7 Pz/10 Pz", "1-8 Pz/15 Pz")
    g = game({"B50.05": ["1-7 Pz/10 Pz", "1-8 Pz/15 Pz", lorry]})
    g.state.load[NUMBER[lorry]] = 4
    assert fuel.why_not(g, AXIS, stack[:1], (0,)) is None
    assert rule_of(fuel.why_not(g, AXIS, stack, (0, 0))) == "OCS 11.4"


def test_one_headquarters_or_dump_gives_the_fuel_of_a_division() -> None:
    """Two dumps of 2T are not a SP; with a headquarters that draws from both they are (OCS 11.4)."""
    dumps = {"B49.05": 2, "B51.05": 2}
    g = game({"B50.05": ["1-7 Pz/10 Pz", "69 PG/10 Pz"]}, axis=dumps)
    assert rule_of(fuel.why_not_lasting(g, AXIS, number("1-7 Pz/10 Pz"))) == "OCS 11.4"
    g = game({"B50.05": ["1-7 Pz/10 Pz", "69 PG/10 Pz", "HQ DAK"]}, axis=dumps)
    assert fuel.why_not_lasting(g, AXIS, number("1-7 Pz/10 Pz")) is None
    fuel.fuel_lasting(g, AXIS, number("1-7 Pz/10 Pz"))
    assert g.state.axis_t == {}
    assert "fuel" in flags(g, "69 PG/10 Pz")


def test_attackers_leave_a_dump_to_those_without_another() -> None:
    """A unit with two dumps takes the one that the other attacker cannot reach (OCS 9(2), OCS 11.1(1))."""
    g = game({"B50.05": ["47 Inf"], "B57.05": ["Afrika Inf"]}, axis={"B51.05": 1, "B45.05": 1})
    for unit in number("47 Inf", "Afrika Inf"):
        g.state.stock[unit] = combat.EXHAUSTED
    assert supply.available(g, AXIS, BOARD["B50.05"]) == 2
    assert supply.available(g, AXIS, BOARD["B57.05"]) == 1
    plan = combat.plan_supply(g, AXIS, number("47 Inf", "Afrika Inf"))
    assert isinstance(plan, dict)
    assert [one.hex for one in plan.values() if one] == [BOARD["B45.05"], BOARD["B51.05"]]


def test_making_change() -> None:
    """1 SP less a token leaves 3T; 5 SP less 2T leave 4 SP 2T (OCS 1(1); series 12.1a)."""
    g = game({"B50.05": ["47 Inf"]}, axis={"B50.05": 20})
    supply.pay(g, AXIS, BOARD["B50.05"], 2, "a test", "OCS 11.1(1)")
    assert g.state.axis_t[BOARD["B50.05"]] == 18


def test_every_unit_of_mareth_traces_at_the_start() -> None:
    """By its headquarters or its source (OCS 11.2(1), Scenario 5)."""
    m = Match(RULES, "mareth", dice=SeededDice(3))
    for side in (AXIS, ALLIED):
        assert [RULES.names[unit] for unit in eating.find_hungry(m.game, side)] == []


def test_a_division_traces_by_one_headquarters() -> None:
    """The part that another one would feed must eat (OCS 11.2(3))."""
    g = game({"B47.19": ["HQ 20 It"], "B44.17": ["69 PG/10 Pz", "86 Inf/10 Pz"]})
    assert tracing.unfed(g, AXIS, "10 Pz") == []
    g = game({"B60.05": ["69 PG/10 Pz"], "B46.19": ["86 Inf/10 Pz", "1-7 Pz/10 Pz"]})
    assert tracing.unfed(g, AXIS, "10 Pz") == [NUMBER["69 PG/10 Pz"]]


def test_units_without_trace_eat_a_token_for_two_re() -> None:
    """6 1/2 RE cost 4T (OCS 11.2(4), OCS 17.6)."""
    crowd = ["47 Inf", "Afrika Inf", "DAL Arab", "Ramcke Para", "Barenthin Para", "7.Brs Inf", "501 Pz"]
    g = game({"B60.05": crowd}, axis={"B60.05": 6}, phase="axis supply")
    assert eating.meals(g, AXIS, list(number(*crowd))) == {BOARD["B60.05"]: 4}
    drive(g, eating.supply_phase(g, AXIS), ["done"])
    assert g.state.axis_t == {BOARD["B60.05"]: 2}
    assert "oos" not in flags(g, "47 Inf")


def test_nobody_must_eat() -> None:
    """Its owner may let a stack starve though tokens are there (OCS 11.2(4); series 12.6d)."""
    g = game({"B60.05": ["47 Inf"]}, axis={"B60.05": 2}, dice=[4, 4], phase="axis supply")
    drive(g, eating.supply_phase(g, AXIS), ["B60.05", "done"])
    assert g.state.axis_t == {BOARD["B60.05"]: 2}
    assert "oos" in flags(g, "47 Inf")


def test_tokens_that_came_in_this_phase_are_used_first() -> None:
    """So that trucks may load those that were there (OCS 11.1(4); series 12.2b)."""
    g = game({"B50.05": ["47 Inf"]}, axis={"B50.05": 8})
    g.state.fresh[BOARD["B50.05"]] = 4
    assert trucks.loadable(g, AXIS, BOARD["B50.05"]) == 4
    supply.pay(g, AXIS, BOARD["B50.05"], 3, "a test", "OCS 11.1(1)")
    assert trucks.loadable(g, AXIS, BOARD["B50.05"]) == 4


def test_without_food_they_are_out_of_supply_and_roll_for_attrition() -> None:
    """A rating of 5: 9 costs a step, 8 none (OCS 11.3, OCS 17.5)."""
    g = game({"B60.05": ["47 Inf"]}, dice=[4, 4], phase="axis supply")
    drive(g, eating.supply_phase(g, AXIS))
    assert "oos" in flags(g, "47 Inf")
    assert where(g, "47 Inf") == "B60.05"
    g = game({"B60.05": ["47 Inf"]}, dice=[5, 4], phase="axis supply")
    drive(g, eating.supply_phase(g, AXIS))
    assert where(g, "47 Inf") == "Axis Dead Pile"


def test_internal_stocks() -> None:
    """Low, then Exhausted, then no attack; 2T restock a Low unit, compulsorily (OCS 11.5)."""
    g = game({"B60.05": ["47 Inf"], "B61.06": ["201 Gds Inf"]})
    unit = NUMBER["47 Inf"]
    for level in (1, 2):
        drive(g, combat.supply_attack(g, AXIS, [unit]))
        assert g.state.stock[unit] == level
    assert rule_of(combat.why_not_supplied(g, AXIS, [unit], "B61.06")) == "OCS 9(2)"
    supply.add(g, AXIS, BOARD["B60.05"], 3)
    eating.restock(g, AXIS)
    assert g.state.stock[unit] == 1
    assert g.state.axis_t == {BOARD["B60.05"]: 1}


def test_stocks_and_tokens_mix_between_units() -> None:
    """Three units and one token: one is paid, two are Low (OCS 11.5)."""
    g = game({"B60.05": ["47 Inf", "Afrika Inf", "DAL Arab"]}, axis={"B60.05": 1})
    drive(g, combat.supply_attack(g, AXIS, number("47 Inf", "Afrika Inf", "DAL Arab")))
    assert sorted(g.state.stock[unit] for unit in number("47 Inf", "Afrika Inf", "DAL Arab")) == [0, 1, 1]


def test_organic_trucks_may_be_spared_for_internal_stocks() -> None:
    """By the attacker and by the defender, whose divisions all bring theirs (OCS 11.5; series 12.10a, 13.2g)."""
    lorry, unit = NUMBER["Truck 1/10 Pz"], NUMBER["69 PG/10 Pz"]
    for word, load, stock in (("pay", 3, 0), ("stock", 4, 1)):
        g = game({"B60.05": ["69 PG/10 Pz", "Truck 1/10 Pz"]})
        g.state.load[lorry] = 4
        drive(g, combat.supply_attack(g, AXIS, [unit]), [word])
        assert (g.state.load[lorry], g.state.stock[unit]) == (load, stock)
    stack, attack = ["115 PG/15 Pz", "69 PG/10 Pz"], Attack(ALLIED, (), BOARD["B60.05"])
    for word, load, stock in (("pay", 2, 0), ("stock", 4, 1), ("decline", 4, 0)):
        g = game({"B60.05": [*stack, "Truck 1/10 Pz"]})
        g.state.load[lorry] = 4
        drive(g, combat.supply_defence(g, attack, number(*stack)), [word])
        assert (g.state.load[lorry], g.state.stock[unit]) == (load, stock)
    g = game({"B60.05": [*stack, "Truck 1/10 Pz"]}, axis={"B60.05": 2})
    g.state.load[lorry] = 4
    assert RULES.button("stock") not in drive(g, combat.supply_defence(g, attack, number(*stack))).legal


def test_the_defender_sees_the_cost_the_stock_and_the_odds_with_and_without_it() -> None:
    """Strengths are told in combat, so the odds are known (OCS 3(4), OCS 9(2))."""
    g = game(
        {"B60.05": ["47 Inf"], "B59.05": ["201 Gds Inf", "69 Inf/50 Inf"]}, axis={"B60.05": 5}, allied={"B59.05": 9}
    )
    battle = Attack(ALLIED, number("201 Gds Inf", "69 Inf/50 Inf"), BOARD["B60.05"])
    prompt = drive(g, combat.supply_defence(g, battle, number("47 Inf"))).prompt
    heads = []
    for unpaid in ((), number("47 Inf")):
        way = strength.column(g, battle._replace(unpaid=unpaid))
        heads.append(g.table(way.row).head(way.at))
    assert heads[0] != heads[1]
    assert combat.cost_note(g, Combat(0, ALLIED, battle.units, (battle.hex,))) == ", 2T"
    assert (
        prompt
        == f"Defence of B60.05: pay 1T of 1 SP 1T in reach for {heads[0]}, or defend at half strength at {heads[1]}"
    )


def test_trucks_load_drive_and_unload() -> None:
    """5 MPs each time; unloading needs a friendly unit, base, port or dump; nothing is reloaded in the phase (OCS 11.6,
    OCS 11.1(4))."""
    m = match({"B50.05": ["Axis Truck 1"], "B52.05": ["47 Inf"]}, axis={"B50.05": 6})
    m.play(["Axis Truck 1", "load", "Axis Truck 1", "B52.05", "Axis Truck 1", "unload"])
    assert m.state.axis_t == {BOARD["B50.05"]: 2, BOARD["B52.05"]: 4}
    m.play(["Axis Truck 1"])
    assert refused(m, "load") == "OCS 11.6"
    g = game({"B50.05": ["Axis Truck 1", "Truck 1/10 Pz"]})
    g.state.load[NUMBER["Axis Truck 1"]] = g.state.load[NUMBER["Truck 1/10 Pz"]] = 4
    assert rule_of(trucks.why_not(g, AXIS, number("Axis Truck 1"), "unload")) == "OCS 11.6"
    assert rule_of(trucks.why_not(g, AXIS, number("Truck 1/10 Pz"), "unload")) == "OCS 11.6"
    assert trucks.handling(NUMBER["Axis Truck 1"]) == 5 * 12
    assert trucks.handling(NUMBER["Axis Charcoal 1"]) == 12


def test_a_truck_unloads_a_part_of_its_load() -> None:
    """A token here, the rest there; a hex costs a tenth of the allowance once, however often its load is handled in it
    (OCS 11.6; series 13.2f)."""
    m = match({"B50.05": ["Axis Truck 1", "47 Inf"], "B52.05": ["605 PJ"]}, axis={"B50.05": 4})
    truck = NUMBER["Axis Truck 1"]
    m.play(["Axis Truck 1", "load", "Axis Truck 1", "token"])
    assert (m.state.load[truck], m.state.axis_t, m.state.spent[truck]) == (3, {BOARD["B50.05"]: 1}, 5 * 12)
    m.play(["Axis Truck 1", "B52.05"])
    before = m.state.spent[truck]
    m.play(["Axis Truck 1", "token", "Axis Truck 1", "unload"])
    assert (m.state.load[truck], m.state.axis_t[BOARD["B52.05"]]) == (0, 3)
    assert m.state.spent[truck] == before + 5 * 12
    g = game({"B50.05": ["Truck 1/10 Pz", "47 Inf"]})
    g.state.load[NUMBER["Truck 1/10 Pz"]] = 4
    assert rule_of(trucks.why_not(g, AXIS, number("Truck 1/10 Pz"), "token")) == "OCS 11.6"
    assert not stack_actions.applies(g, number("Truck 1/10 Pz"), "token")


def test_a_dump_with_its_trucks_is_captured() -> None:
    """Three trucks with 3 SP and 9 SP on the ground, dice 3 and 5: a truck, 3T and 4 SP 2T (OCS 9.3, OCS 17.7;
    series 9.14c)."""
    lorries = ["Allied Truck 1", "Allied Truck 2", "Allied Truck 3"]
    g = game({"B50.05": lorries, "B51.05": ["47 Inf"]}, allied={"B50.05": 36}, dice=[3, 5])
    for lorry in lorries:
        g.state.load[NUMBER[lorry]] = 4
    g.state.where[NUMBER["47 Inf"]] = BOARD["B50.05"]
    control.enter(g, AXIS, number("47 Inf"), [BOARD["B50.05"]])
    taken = [
        truck for truck in range(len(g.state.where)) if g.rules.counters[truck].side == AXIS and g.state.load[truck]
    ]
    assert [g.state.load[truck] for truck in taken] == [3]
    assert g.state.axis_t == {BOARD["B50.05"]: 18}
    left = sum(g.state.load[NUMBER[lorry]] for lorry in lorries) + sum(g.state.allied_t.values())
    assert left == 9
    assert BOARD["B50.05"] not in g.state.allied_t


@pytest.mark.parametrize(("amount", "share", "lost"), [(12, 75, 9), (3, 25, 1), (10, 50, 5)])
def test_shares_round_to_the_nearest_token(amount: int, share: int, lost: int) -> None:
    """75 % of 3 SP are 2 SP 1T (OCS 1(3), OCS 17.7, OCS 17.8; series 12.11a)."""
    assert control.percent(amount, share) == lost


def test_dumps_are_blown() -> None:
    """Once a phase; a 4 destroys three quarters (OCS 17.8)."""
    g = game({"B50.05": ["47 Inf"]}, axis={"B50.05": 12}, dice=[4])
    trucks.blow(g, AXIS, BOARD["B50.05"], 12)
    assert g.state.axis_t == {BOARD["B50.05"]: 3}
    assert rule_of(trucks.why_not_blown(g, AXIS, BOARD["B50.05"])) == "OCS 11.6"


def lines(g: G, decision: Decision | None = None) -> dict[str, str]:
    """The budget of the Axis: what a line says, with its value; short ones are marked."""
    found = budget.budget(g, decision, AXIS)
    return {line.text: f"{line.value} short" if line.short else line.value for line in found}


def test_the_budget_counts_stocks_before_food() -> None:
    """A Low unit takes 2T of the 2T, so the others starve; bases with inactive aircraft refit next turn (OCS 11.2(4), OCS 11.5,
    OCS 14.1)."""
    g = game({"B60.05": ["47 Inf", "Afrika Inf"], "B48.17": ["Ju.87d DE 1 [inactive]"]}, axis={"B60.05": 2})
    g.state.base[BOARD["B48.17"]], g.state.level[BOARD["B48.17"]] = AXIS, 1
    assert lines(g)["Eating"] == "1T"
    g.state.stock[NUMBER["47 Inf"]] = 1
    told = lines(g)
    assert (told["Stocks of 1 unit"], told["Eating"], told["Refit of 1 base"]) == ("2T", "1T short", "1T")
    drive(g, eating.supply_phase(g, AXIS))
    assert (g.state.stock[NUMBER["47 Inf"]], g.state.axis_t) == (0, {})
    assert "oos" in flags(g, "47 Inf")


def test_the_budget_of_a_move_counts_the_loads_of_its_division() -> None:
    """(OCS 11.4, OCS 11.6)"""
    m = match({"B50.05": ["1-7 Pz/10 Pz", "Truck 1/10 Pz"]})
    m.state.load[NUMBER["Truck 1/10 Pz"]] = 3
    m.play(["1-7 Pz/10 Pz"])
    told = lines(m.game, m.decision)
    assert (told["Fuel of this stack"], told["Supply within its reach"]) == ("1T", "3T")
    m = match({"B50.05": ["1-7 Pz/10 Pz"]})
    m.play(["1-7 Pz/10 Pz"])
    assert lines(m.game, m.decision)["Fuel of this stack"] == "1T short"
