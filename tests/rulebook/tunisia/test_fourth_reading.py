"""What a fourth reading of the rules found."""

from __future__ import annotations

from khamsin.games.tunisia import (
    RULES,
    air,
    airbases,
    arrivals,
    barrage,
    breakout,
    combat,
    construction,
    control,
    cooperation,
    eating,
    lift,
    movement,
    overrun,
)
from khamsin.games.tunisia.barrage import Fire
from khamsin.games.tunisia.strength import Hit
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, CHARCOAL, COMBATANT, SIDE, UNITS, on_map
from khamsin.kernel import Match, SeededDice
from tests.rulebook.tunisia.table import drive, flags, game, number, rule_of, where

HERE, THERE = "B58.05", "B59.06"


def test_the_owner_names_the_leader_among_equal_units_of_different_formations() -> None:
    """It takes the first loss, so its formation and its stock matter (OCS 9(3), OCS 21)."""
    for attackers, stock, asked in (
        (["125 Inf/LaSpez", "35 Inf/Pistoia"], 0, True),
        (["35 Inf/Pistoia", "36 Inf/Pistoia"], 1, True),
        (["35 Inf/Pistoia", "36 Inf/Pistoia"], 0, False),
    ):
        g = game({HERE: attackers, THERE: ["201 Gds Inf"]}, axis={HERE: 8}, phase="axis combat")
        g.state.stock[number(attackers[0])[0]] = stock
        found = drive(g, combat.choose_leader(g, AXIS, number(*attackers), BOARD[THERE]))
        assert (getattr(found, "kind", "") == "combat.leader") == asked


def test_a_side_picks_the_aircraft_of_a_round_among_different_types_of_one_rating() -> None:
    """A-20 and B-25 both have a rating of (3), but bomb with 7 and 10 points; equal aircraft of one base are not asked for
    (OCS 14.3)."""
    g = game(
        {"B54.10": ["DAF A-20 BR 1", "DAF B-25 US 1", "DAF P-40 US 1", "DAF P-40 US 2"], "B48.17": ["Me.109g DE 1"]}
    )
    fighter = list(number("Me.109g DE 1"))
    asked = drive(g, air.choose_pilot(g, ALLIED, list(number("DAF A-20 BR 1", "DAF B-25 US 1")), fighter, BOARD[HERE]))
    assert asked.kind == "air.combat"
    assert set(asked.legal) == set(number("DAF A-20 BR 1", "DAF B-25 US 1"))
    pair = list(number("DAF P-40 US 1", "DAF P-40 US 2"))
    assert drive(g, air.choose_pilot(g, ALLIED, pair, fighter, BOARD[HERE])) == pair[0]


def test_an_extender_is_displaced_past_the_enemies_who_enter_its_hex() -> None:
    """Neither their ZOC nor other enemies on the path keep it from a hex in trace within its range (OCS 9.3; series 9.14d)."""
    trucks = [f"Allied Truck {one}" for one in range(1, 6)]
    g = game(
        {"A30.12": [f"{truck} [move, extender]" for truck in trucks], "A35.12": ["605 PJ"]},
        scenario="campaign", dice=[6],
    )  # fmt: skip
    (panzer,) = number("605 PJ")
    g.state.where[panzer] = BOARD["A30.12"]
    control.enter(g, AXIS, [panzer], [BOARD["A30.12"]])
    assert {where(g, truck) for truck in trucks} - {"A30.12", "Allied Dead Pile"}
    assert len({where(g, truck) for truck in trucks}) == 1
    assert not any("extender" in flags(g, truck) for truck in trucks)


def test_a_headquarters_does_not_arrive_in_a_port_of_the_enemy() -> None:
    """Tunis is Allied and empty: HQ 90 cannot take it and waits, the motorcyclists of 26 November take it (OCS 3(5),
    Axis Order of Arrival, rulings)."""
    tunis = BOARD["A48.24"]
    for turn, unit, end in ((2, "HQ 90", "Axis Order of Arrival"), (4, "Brs Motorcycle", "A48.24")):
        g = Match(RULES, "campaign", dice=SeededDice(1)).game
        g.state.turn, g.state.control[tunis] = turn, ALLIED
        for own in (*g.state.where.stacks(AXIS).get(tunis, ()), *g.state.where.stacks(4 + AXIS).get(tunis, ())):
            g.state.where[own] = BOARD["A44.31"]
        key, row = next((key, row) for key, row in arrivals.due(g, AXIS).items() if row["to"] == "Entry Area D")
        drive(g, arrivals.arrive(g, AXIS, row, key))
        assert where(g, unit) == end
        assert (g.state.control[tunis] == AXIS) == (end == "A48.24")


def test_french_and_commonwealth_guns_do_not_fire_together_in_the_variant() -> None:
    """A dump pays for both, but they do not fight together; Americans fire with either (4.0b, OCS 8(5))."""
    french, british, american = number("67 Afr Art/Morocco", "23 Art", "2-17 Art")
    g = game(
        {HERE: ["67 Afr Art/Morocco", "23 Art", "2-17 Art"], THERE: ["47 Inf"]}, phase="allied combat",
        scenario="campaign", allied={HERE: 20},
    )  # fmt: skip
    both = Fire(ALLIED, (french, british), BOARD[THERE])
    assert barrage.why_not_shot(g, both) is None
    g.options = {**g.options, "cooperation": "none"}
    assert rule_of(barrage.why_not_shot(g, both)) == "4.0b"
    assert barrage.why_not_shot(g, both._replace(units=(french, american))) is None
    assert not {french, british} <= set(barrage.proposed(g, ALLIED, BOARD[THERE]))


def test_refusals_name_the_one_reason() -> None:
    """Mountains are closed to tanks and take all of a march on foot; Mareth hedgehogs stay at level 2 (1.1b, OCS 7(2),
    OCS 10(3))."""
    for unit, text in (("190 Pz", "is closed"), ("47 Inf", "takes the whole allowance")):
        g = game({"A10.17": [unit], "A11.18": ["201 Gds Inf"]}, scenario="campaign", axis={"A10.17": 20})
        movement.begin(g, AXIS)
        refusal = overrun.why_not(g, AXIS, number(unit), (0,), BOARD["A11.18"])
        assert refusal is not None
        assert refusal.reason.endswith(f"without a road the hex {text}")
    g = game({HERE: ["47 Inf"], "B50.10": ["Afrika Inf"]}, hedgehogs={"B50.10": 2})
    for hex, unit, text in ((HERE, "47 Inf", "none is there"), ("B50.10", "Afrika Inf", "never falls below level 2")):
        refusal = construction.why_not_job(g, AXIS, number(unit), BOARD[hex], "reduce hedgehog")
        assert refusal is not None
        assert refusal.reason.endswith(text)


def test_the_options_of_an_attack_name_all_its_hexes() -> None:
    """(OCS 9.1)"""
    g = game({HERE: ["47 Inf"], "B58.06": ["Afrika Inf"], THERE: ["201 Gds Inf"]})
    units = number("47 Inf", "Afrika Inf")
    asked = drive(g, combat.suffer(g, AXIS, units, Hit(0, 1), "attack", units[0], {}, []))
    assert "at B58.05, B58.06" in str(asked.prompt)
    assert set(asked.at) == {BOARD[HERE], BOARD["B58.06"]}


def test_bases_that_share_a_token_are_told_so() -> None:
    """Two bases, one token: the first refits for 1T unless its owner leaves it to the second (OCS 11.1, OCS 14.1)."""
    first, second = (BOARD[hex] for hex in ("B54.10", "B55.11"))
    for clicks, refitted in ((["done"], "DAF P-40 US 1"), (["B54.10", "done"], "DAF A-20 BR 1")):
        g = game(
            {"B54.10": ["DAF P-40 US 1 [inactive]", "201 Gds Inf"], "B55.11": ["DAF A-20 BR 1 [inactive]"]},
            allied={"B54.10": 1},
        )  # fmt: skip
        for base in (first, second):
            g.state.base[base], g.state.level[base] = ALLIED, 1
        asked = drive(g, airbases.refit(g, ALLIED))
        assert "for 1T" in str(asked.prompt)
        assert asked.legal[g.place0 + second] == "no token left"
        drive(g, airbases.refit(g, ALLIED), clicks)
        active = [name for name in ("DAF P-40 US 1", "DAF A-20 BR 1") if "inactive" not in flags(g, name)]
        assert active == [refitted]


def test_trucks_alone_break_out_on_the_first_turn_cut_off_only() -> None:
    """A truck stays once a Supply Phase finds it without trace; with trace it starts again (OCS 11.3; series 12.8e)."""
    g = game({"B47.20": ["47 Inf"], "B62.10": ["Axis Truck 1 [move]"]}, phase="axis supply")
    truck = number("Axis Truck 1")
    assert breakout.why_not(g, AXIS, truck) is None
    drive(g, eating.supply_phase(g, AXIS))
    assert rule_of(breakout.why_not(g, AXIS, truck)) == "OCS 11.3"
    g.state.where[truck[0]] = BOARD["B47.20"]
    drive(g, eating.supply_phase(g, AXIS))
    g.state.where[truck[0]] = BOARD["B62.10"]
    assert breakout.why_not(g, AXIS, truck) is None


def test_a_captured_port_handles_its_whole_capacity_for_who_took_it() -> None:
    """What the Axis shipped through Tunis earlier in the turn does not count against the Allies (1.5a, OCS 9.3, OCS 13)."""
    tunis = BOARD["A48.24"]
    g = game({"A48.24": ["201 Gds Inf"]}, scenario="campaign", phase="allied movement")
    g.state.control[tunis], g.state.handled[tunis] = ALLIED, lift.port_capacity(g, tunis)
    m = Match.at(g)
    assert lift.port_capacity(m.game, tunis) == 20 * lift.HALF


def test_units_in_a_holding_box_are_supplied_in_their_supply_phase() -> None:
    """Shipped out of supply and exhausted, they are in supply with full stocks afterwards (1.5c, OCS 11.3, OCS 11.5)."""
    g = game({"Algiers Box": ["6 Cdo [move, oos]"], "A17.26": ["1 Cdo"]}, scenario="campaign", phase="allied supply")
    (unit,) = number("6 Cdo")
    g.state.stock[unit] = 2
    drive(g, eating.supply_phase(g, ALLIED))
    assert flags(g, "6 Cdo") == {"move"}
    assert g.state.stock[unit] == 0


def test_variants_are_offered_where_they_have_an_effect() -> None:
    """The 8th Army is rolled for in the campaigns, charcoal trucks are in four scenarios, and all Allied units of scenario 5
    belong to the 8th Army. Old records of other scenarios are read without these options (3.5a, 4.0a, 4.0b, 4.0i)."""
    for name, scenario in RULES.scenarios.items():
        g = Match(RULES, name, dice=SeededDice(1)).game
        there = [unit for unit in UNITS if on_map(g, unit) and SIDE[unit] == ALLIED]
        assert ("transport" in scenario.options) == any(CHARCOAL[unit] for unit in there)
        mixed = {unit in cooperation.EIGHTH_ARMY for unit in there if COMBATANT[unit]} != {True}
        assert ("cooperation" in scenario.options) == mixed
        assert ("eighth army" in scenario.options) == (name in ("campaign", "from-kasserine"))
    for name, kept in (("campaign", {"eighth army": "22 February"}), ("mareth", {})):
        assert RULES.present_options(RULES.scenarios[name], {"eighth army": "22 February"}) == kept
