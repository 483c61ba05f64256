"""Worked examples of the series and of the Terrain Effects Chart that other tests do not contain (OCS 4-14)."""

from __future__ import annotations

from fractions import Fraction

from khamsin.games.tunisia import RULES, airbases, arrivals, barrage, combat, eating, fuel, overrun, strength
from khamsin.games.tunisia.barrage import Fire
from khamsin.games.tunisia.ground import OPEN_SIDES, is_closed
from khamsin.games.tunisia.strength import Attack, Hit, ratio
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, DIVISIONS, GROUND, NUMBER, TRACK, TRUCK, size
from khamsin.kernel import Match, ReplayDice, SeededDice
from khamsin.mechanics.odds import total
from tests.rulebook.tunisia.table import drive, flags, game, number, rule_of, where

HERE, THERE = "B58.05", "B59.06"


def test_odds_of_fractions() -> None:
    """9.75 to 2 is 5:1, 15 to 6 is 3:1 (OCS 9(7); series 4.2)."""
    assert [int(ratio(39, 8)), int(ratio(15, 6))] == [5, 3]


def test_a_friend_in_the_zone_lets_a_base_refit() -> None:
    """(OCS 4(2), OCS 14.1; series 4.5b)"""
    for friends, able in (([], False), (["47 Inf"], True)):
        g = game({HERE: [*friends, "Me.109g DE 1"], THERE: ["201 Gds Inf"]}, axis={HERE: 4})
        g.state.base[BOARD[HERE]], g.state.level[BOARD[HERE]] = AXIS, 1
        assert (airbases.why_not_refit(g, AXIS, BOARD[HERE]) is None) == able


def test_two_overruns_cost_six_points() -> None:
    """(OCS 7(1), OCS 7(5); series 8.1a)"""
    near = next(
        hex
        for hex in BOARD.around(BOARD[THERE])
        if BOARD.distance(hex, BOARD[HERE]) == 2 and BOARD.terrain_name(hex) == "open"
        and not BOARD.between(BOARD[THERE], hex) & {"wadi", "minor river", "lake"}
    )  # fmt: skip
    weak = {THERE: ["Maori Inf/2 NZ [move, strat]"], BOARD.name(near): ["27 MG/2 NZ [move, strat]"]}
    g = game({HERE: ["190 Pz"], **weak}, axis={HERE: 20}, dice=[4, 3, 6, 6, 4, 3, 6, 6])
    for hex in (BOARD[THERE], near):
        procedure = overrun.overrun(g, AXIS, number("190 Pz"), hex)
        asked = next(procedure, None)
        while asked is not None:
            try:
                asked = procedure.send(next(iter(asked.legal)))
            except StopIteration:
                asked = None
    assert g.state.where[NUMBER["190 Pz"]] == near
    assert g.state.spent[NUMBER["190 Pz"]] == 6 * 12


def test_a_city_with_rivers_is_chosen_for_each_stack() -> None:
    """Against armour the city halves, against infantry across the river the river does, against infantry from the land
    nothing (OCS 9(4); series 9.4c)."""
    city, river, land = "A2.18", "A1.18", "A3.19"
    assert "minor river" in BOARD.between(BOARD[city], BOARD[river])
    g = game({river: ["47 Inf"], land: ["Afrika Inf", "190 Pz"], city: ["201 Gds Inf"]}, scenario="campaign")
    shares = strength.attack_shares(g, Attack(AXIS, number("47 Inf", "Afrika Inf", "190 Pz"), BOARD[city]))
    assert {RULES.names[one.unit]: Fraction(one.value, 48) for one in shares} == {
        "47 Inf": Fraction(7, 2), "Afrika Inf": 10, "190 Pz": 3,
    }  # fmt: skip


def test_double_and_one_and_a_half_mix() -> None:
    """Armor against light anti-tank x2, Mech x1 1/2 (OCS 9(6); series 9.4e)."""
    g = game({HERE: ["501 Pz", "69 PG/10 Pz"], THERE: ["12 Lanc Arm Car/1 Arm"]})
    assert (
        total(strength.attack_shares(g, Attack(AXIS, number("501 Pz", "69 PG/10 Pz"), BOARD[THERE]))) == (16 + 12) * 48
    )


def test_three_attackers_and_one_token() -> None:
    """One is paid for, the others fight from their stocks (OCS 9(2), OCS 11.5; series 9.5)."""
    units = number("47 Inf", "Afrika Inf", "DAL Arab")
    g = game({HERE: ["47 Inf", "Afrika Inf", "DAL Arab"]}, axis={HERE: 1})
    drive(g, combat.supply_attack(g, AXIS, units))
    assert sorted(g.state.stock[unit] for unit in units) == [0, 1, 1]
    assert dict(g.state.axis_t) == {}


def test_options_and_their_lapse() -> None:
    """An option is a step or a hex of retreat; an attacker who retreats, or dies before he can choose, frees the defender
    (OCS 9.1; series 9.10)."""
    g = game({HERE: ["47 Inf", "Afrika Inf"], THERE: ["201 Gds Inf"]})
    taken = combat.suffer(g, AXIS, number("47 Inf", "Afrika Inf"), Hit(0, 1), "attack", NUMBER["47 Inf"], {}, [])
    assert drive(g, taken, ["loss"]) == (False, True)
    assert where(g, "47 Inf") == "Axis Dead Pile"
    g = game({HERE: ["47 Inf"], THERE: ["201 Gds Inf"]})
    assert drive(g, combat.suffer(g, AXIS, number("47 Inf"), Hit(1, 1), "attack", NUMBER["47 Inf"], {}, [])) == (
        False,
        False,
    )
    guards = number("201 Gds Inf"), Hit(0, 2), "defence", NUMBER["201 Gds Inf"], {BOARD[HERE]: 1}, [BOARD[HERE]]
    assert drive(g, combat.suffer(g, ALLIED, *guards, ignores=True), ["decline"]) == (False, True)
    assert where(g, "201 Gds Inf") == THERE
    asked = drive(g, combat.suffer(g, ALLIED, *guards, ignores=True), ["retreat"])
    assert asked.kind == "combat.retreat"
    assert BOARD.distance(g.location(next(iter(asked.legal))), BOARD[THERE]) == 2


def test_a_barrage_of_sixteen_points() -> None:
    """3T, two columns right for 5 RE, the roll of 8 is a bracketed half step, the die 3: DG alone (OCS 8(5), OCS 17.2;
    series 10.1b)."""
    guns, crowd = (
        ["Afrika 2 Art", "155 Art/21 Pz"],
        ["201 Gds Inf", "7 Inf/1 Arm", "131 Inf/7 Arm", "5 Inf/4 Ind", "4 Inf/2 NZ"],
    )
    g = game({HERE: [*guns, "47 Inf"], THERE: crowd}, axis={HERE: 3}, dice=[4, 4, 3])
    shot = Fire(AXIS, number(*guns), BOARD[THERE])
    assert (barrage.total(g, shot), barrage.price(g, shot), size(number(*crowd))) == (16, 3, 20)
    table = g.table("barrage")
    assert (table.head(table.column(16)), table.head(barrage.column(g, shot))) == ("12-16", "25-40")
    drive(g, barrage.fire(g, shot))
    assert all(where(g, unit) == THERE and "dg" in flags(g, unit) for unit in crowd)
    assert dict(g.state.axis_t) == {}


def test_fuel_for_a_division() -> None:
    """Eight units of a division and an independent one move for 5T instead of 9T, the division in later phases too (OCS 11.4;
    series 12.5)."""
    division = [unit for unit in DIVISIONS["1 US Arm"] if fuel.burns(unit, 0)][:8]
    units = [*division, NUMBER["Notts Arm"]]
    g = game({HERE: [RULES.names[unit] for unit in units]}, allied={HERE: 9})
    assert len(fuel.needed(g, ALLIED, units, [0] * 9)) == 9
    fuel.fuel_lasting(g, ALLIED, units[:1])
    fuel.fuel(g, ALLIED, units, [g.state.flags[unit] for unit in units])
    assert g.state.allied_t[BOARD[HERE]] == 9 - 5
    assert fuel.needed(g, ALLIED, division, [0] * 8) == []


def test_food_for_six_and_a_half_re() -> None:
    """4T (OCS 11.2(4); series 12.6c)."""
    units = ["47 Inf", "Afrika Inf", "DAL Arab", "Ramcke Para", "7.Brs Inf", "350 Inf", "190 Pz"]
    g = game({HERE: units}, axis={HERE: 8})
    assert size(number(*units)) == 26
    assert eating.meals(g, AXIS, list(number(*units))) == {BOARD[HERE]: 4}


def test_stars_and_brackets_of_the_chart() -> None:
    """Vehicles enter mountains by road only; values in brackets count in attack, the others in defence too (Terrain Effects
    Chart; chart notes)."""
    rows = GROUND["combat"]
    assert rows["mountain"]["attack"] == ["1/3", "1/2", "1"]
    assert rows["mountain"]["defence"] == ["1/3", "1", "1"]
    assert (rows["open"]["attack"], rows["open"]["defence"]) == (["2", "2", "1"], ["1", "1", "1"])
    hex, road = BOARD["B41.31"], BOARD["B41.32"]
    for mobility in (TRUCK, TRACK):
        assert road in OPEN_SIDES[mobility][hex]
        assert is_closed(road, BOARD.direction(road, hex), mobility)


def test_the_eighth_army_brings_points_besides_its_trucks() -> None:
    """3 SPs with the army and 3 of the turn in B62.07, its trucks loaded (3.5a, 3.5b; example 8th Army)."""
    g = Match(RULES, "from-kasserine", dice=SeededDice(1)).game
    g.state.turn = 28
    g.use(ReplayDice((5, 4), SeededDice(0)))
    g.state.todo.clear()
    arrivals.roll_for_eighth_army(g)
    arrivals.receive_supply(g, ALLIED)
    hex = BOARD["B62.07"]
    assert g.state.allied_t[hex] == 6 * 4
    loads = [g.state.load[truck] for truck in g.state.where.stacks(2 + ALLIED)[hex]]
    assert loads == [4] * 12


def test_exploitation_needs_adjacent_stacks_and_options_taken_as_losses() -> None:
    """(OCS 9.1; series 9.11c)"""
    g = game({HERE: ["47 Inf"], "B60.06": ["Afrika Inf"], THERE: []})
    apart = [BOARD[HERE], BOARD["B60.06"]]
    assert BOARD["B60.06"] not in BOARD.around(BOARD[HERE])
    combat.exploit(g, Attack(AXIS, number("47 Inf", "Afrika Inf"), BOARD[THERE]), 3, apart)
    assert "exploit" not in flags(g, "47 Inf")
    combat.exploit(g, Attack(AXIS, number("47 Inf"), BOARD[THERE]), 3, apart[:1])
    assert "exploit" in flags(g, "47 Inf")
    assert rule_of(combat.why_not_attacker(g, NUMBER["47 Inf"], [BOARD["B50.05"]])) == "OCS 9(1)"
