"""What a second reading of the rulebook and the series found, section by section."""

from __future__ import annotations

import pytest

from khamsin.games.tunisia import (
    RULES,
    air,
    airbases,
    airlift,
    arrivals,
    barrage,
    combat,
    construction,
    control,
    cooperation,
    drops,
    eating,
    fuel,
    hidden,
    leaving,
    lift,
    losses,
    modes,
    movement,
    movers,
    moves,
    overrun,
    raid,
    replacements,
    retreat,
    sequence,
    setup,
    sorties,
    tracing,
    trucks,
    victory,
)
from khamsin.games.tunisia.air import Mission
from khamsin.games.tunisia.barrage import Fire
from khamsin.games.tunisia.faults import find_fault
from khamsin.games.tunisia.units import (
    ALLIED,
    AXIS,
    BOARD,
    COUNTERS,
    HEXES,
    INACTIVE,
    IS_AIR,
    NUMBER,
    RESERVE,
    UNITS,
    G,
    name,
)
from khamsin.games.tunisia.zones import zone
from khamsin.kernel import Match, ReplayDice, SeededDice
from tests.rulebook.tunisia.table import drive, flags, game, match, number, refused, rule_of, where

HERE, THERE = "B58.05", "B59.06"
FLAG = RULES.flag


def begun(scenario: str, turn: int = 0, dice: tuple[int, ...] = (), **options: str) -> G:
    """A scenario at its start, on a turn of it."""
    named = {key.replace("_", " "): value for key, value in options.items()}
    g = Match(RULES, scenario, options=named, dice=SeededDice(1)).game
    g.state.turn = turn or g.state.turn
    g.use(ReplayDice(dice, SeededDice(0)))
    g.state.todo.clear()
    return g


# What is known


def test_a_side_knows_every_zone_of_the_enemy() -> None:
    """A unit with a ZOC is on top of its stack; a stack without one has none, whatever it hides (OCS 3(4), OCS 4(1))."""
    for units in (
        ["201 Gds Inf", "Notts Arm [move]"],
        ["201 Gds Inf [move]", "64 Med Art"],
        ["201 Gds Inf [reserve]", "HQ 10"],
    ):
        g = game({THERE: units, HERE: ["47 Inf"]})
        assert zone(g.seen_by(AXIS), ALLIED) == zone(g, ALLIED)
    assert not any(zone(g, ALLIED))


@pytest.mark.parametrize("name", list(RULES.scenarios))
def test_zones_are_known_at_the_start_of_each_scenario(name: str) -> None:
    """(OCS 3(4), Scenario 1, Scenario 2, Scenario 3, Scenario 4, Scenario 5, Scenario 6)"""
    g = begun(name)
    for side in (AXIS, ALLIED):
        assert zone(g.seen_by(1 - side), side) == zone(g, side)


def test_the_legality_of_a_rail_move_tells_nothing_of_hidden_units() -> None:
    """Destinations and refusals agree on what the side knows (1.1a, OCS 3(4), OCS 12(2))."""
    g = begun("race-for-tunis", 3)
    beside = BOARD.around(BOARD["A16.20"])[0]
    for mode in ("", "move", "reserve"):
        g.state.where[NUMBER["190 Pz"]] = beside
        g.state.flags[NUMBER["190 Pz"]] = FLAG[mode] if mode else 0
        seen = g.seen_by(ALLIED)
        cargo = lift.Cargo(ALLIED, BOARD["A17.26"], (), 1)
        assert lift.goals(g, cargo, lift.RAIL) == lift.goals(seen, cargo, lift.RAIL)


def test_an_active_fighter_is_on_top_of_a_base() -> None:
    """So that its patrol zone is known (OCS 3(4), OCS 14.4)."""
    g = game({"B54.10": ["DAF A-20 BR 1", "DAF P-40 US 1"]})
    stack = g.state.where.stacks(4 + ALLIED)[BOARD["B54.10"]]
    assert hidden.top_aircraft(g.state.flags.__getitem__, stack) == NUMBER["DAF P-40 US 1"]
    g.state.flags[NUMBER["DAF P-40 US 1"]] |= INACTIVE
    assert hidden.top_aircraft(g.state.flags.__getitem__, stack) == NUMBER["DAF A-20 BR 1"]


def test_the_log_does_not_say_which_unit_is_rebuilt_where() -> None:
    """The dead pile is open, what is in a stack is not (OCS 3(4), OCS 10(5))."""
    m = Match(RULES, "mareth", dice=SeededDice(1))
    g = m.game
    camp = g.state.where[NUMBER["HQ 20 It"]]
    for unit, place in (("Axis Pax 1", camp), ("Axis Pax 2", camp), ("47 Inf", BOARD["Axis Dead Pile"])):
        g.state.where[NUMBER[unit]] = place
    drive(g, replacements.restore(g, AXIS, NUMBER["47 Inf"], camp))
    told = [[line["text"] for line in m.view(side)["log"]][-1:] for side in (AXIS, ALLIED)]
    assert "47 Inf" in told[0][0]
    assert "47 Inf" not in "".join(told[1])


# Modes and movement


def test_a_unit_goes_into_reserve_with_either_side_up() -> None:
    """It is turned over first; the marker comes after (OCS 5, OCS 5(1))."""
    m = match({HERE: ["47 Inf"]}, axis={HERE: 8})
    m.play(["47 Inf", "move", "47 Inf", "reserve"])
    assert {"move", "reserve"} <= flags(m, "47 Inf")
    assert rule_of(modes.why_not(m.game, AXIS, NUMBER["47 Inf"], "combat")) == "OCS 5(1)"


def test_a_reserve_does_not_end_its_move_with_a_hedgehog() -> None:
    """(OCS 5, OCS 16)"""
    near = BOARD.name(next(hex for hex in BOARD.around(BOARD[HERE]) if BOARD.terrain_name(hex) == "open"))
    m = match({HERE: ["605 PJ [reserve]"]}, axis={HERE: 8}, hedgehogs={near: 1})
    g = m.game
    one = moves.option(g, AXIS, number("605 PJ"), "", (g.state.flags[NUMBER["605 PJ"]],))
    end = [refusal for end in moves.ends(g, AXIS, number("605 PJ"), one) if (refusal := end.refuse(BOARD[near]))]
    assert [refusal.rule for refusal in end] == ["OCS 16"]
    g = game({HERE: ["Afrika Inf", "47 Inf [reserve]"]}, axis={HERE: 40})
    job = construction.why_not_job(g, AXIS, number("Afrika Inf"), BOARD[HERE], "build hedgehog")
    assert rule_of(job) == "OCS 16"


def test_a_reserve_is_released_by_entering_enemy_supply() -> None:
    """In the Exploitation Phase, without the button first (OCS 3(5), OCS 5(2))."""
    near = BOARD.name(next(hex for hex in BOARD.around(BOARD[HERE]) if BOARD.terrain_name(hex) == "open"))
    m = match({HERE: ["605 PJ [reserve]"]}, phase="axis exploitation", axis={HERE: 8}, allied={near: 4}, dice=[6])
    m.play(["605 PJ", near])
    assert where(m, "605 PJ") == near
    assert "released" in flags(m, "605 PJ")
    assert BOARD[near] not in m.state.allied_t


def test_released_trucks_do_not_move_in_later_phases() -> None:
    """The marker of a released organic truck goes with the phase (OCS 5(2), OCS 11.6)."""
    g = game({HERE: ["Truck 1/10 Pz [move, released]", "69 PG/10 Pz [released]"]})
    sequence.released_over(g, AXIS)
    assert "released" not in flags(g, "Truck 1/10 Pz") | flags(g, "69 PG/10 Pz")


def test_interdiction_counts_for_an_overrun() -> None:
    """Entering the hex must cost 3 MPs or less with it; only for the enemy of who interdicts (OCS 7(2), OCS 14.7)."""
    rough = next(
        (here, there)
        for there in range(HEXES)
        if BOARD.terrain_name(there) == "rough" and there not in moves.OUTSIDE_BARS[5].nodes.nonzero()[0]
        for here in BOARD.around(there)
        if overrun.overrun_cost(here, there, (2,)) == overrun.COST
    )
    here, there = (BOARD.name(hex) for hex in rough)
    g = game({here: ["605 PJ"], there: ["201 Gds Inf"]}, axis={here: 20})
    movement.begin(g, AXIS)
    assert overrun.why_not(g, AXIS, number("605 PJ"), (0,), BOARD[there]) is None
    g.state.interdicted[BOARD[there]] = 1 + AXIS
    assert overrun.why_not(g, AXIS, number("605 PJ"), (0,), BOARD[there]) is None
    g.state.interdicted[BOARD[there]] = 1 + ALLIED
    assert rule_of(overrun.why_not(g, AXIS, number("605 PJ"), (0,), BOARD[there])) == "OCS 7(2)"


def test_the_exit_takes_the_share_of_the_phase() -> None:
    """A reserve released in the Reaction Phase has half its MPs (Scenario 2, OCS 5(2))."""
    g = begun("kasserine", 28)
    unit = NUMBER["605 PJ"]
    g.state.where[unit], g.state.flags[unit] = BOARD["A27.11"], FLAG["reserve"]
    g.state.axis_t[BOARD["A27.11"]] = 8
    g.state.todo[movers.REACTING] = 1
    assert leaving.why_not(g, AXIS, (unit,)) is None
    g.state.spent[unit] = 4 * 12
    assert rule_of(leaving.why_not(g, AXIS, (unit,))) == "Scenario 2"


def test_both_sides_thin_out_full_hexes_after_movement() -> None:
    """Who retreats from an overrun into a full hex is over the limit too (OCS 3(1))."""
    crowd = [f"{unit}/51 Inf" for unit in ("152 Inf", "153 Inf", "154 Inf", "Art Rgt")] + [
        "201 Gds Inf", "151 Inf/50 Inf", "69 Inf/50 Inf", "1 Greek Inf/50 Inf", "L Force Inf", "HQ 10", "HQ 13",
    ]  # fmt: skip
    m = match({HERE: ["47 Inf"], "B50.05": crowd}, axis={HERE: 8})
    m.play(["done"])
    assert m.decision is not None
    assert (m.decision.side, m.decision.kind) == (ALLIED, "stacking.excess")


def test_a_unit_that_has_moved_in_combat_mode_is_not_carried() -> None:
    """It changes to Move Mode only as it starts, and only in the Movement Phase (OCS 5(1), OCS 12(2), OCS 14.8)."""
    g = begun("race-for-tunis", 2)
    unit = NUMBER["1.ReA Para"]
    assert airlift.why_not_lifted(g, AXIS, unit) is None
    g.state.spent[unit] = 12
    assert rule_of(airlift.why_not_lifted(g, AXIS, unit)) == "OCS 14.8"
    g.state.spent[unit] = 0
    g.state.todo[movers.REACTING] = 1
    assert rule_of(modes.why_no_transport(g, AXIS, unit)) == "OCS 5(1)"
    g.state.flags[unit] = FLAG["move"]
    assert modes.why_no_transport(g, AXIS, unit) is None


def test_reserves_do_not_part_without_a_marker() -> None:
    """One marker covers a stack (1.4c, OCS 5)."""
    near = next(hex for hex in BOARD.around(BOARD[HERE]) if BOARD.terrain_name(hex) == "open")
    g = game({HERE: ["605 PJ [reserve]", "606 PJ [reserve]"]}, axis={HERE: 8})
    g.state.reserves["Axis"] = 1
    assert rule_of(moves.why_no_reserve(g, AXIS, number("605 PJ"), near)) == "1.4c"
    assert moves.why_no_reserve(g, AXIS, number("605 PJ", "606 PJ"), near) is None
    g.state.reserves["Axis"] = 2
    assert moves.why_no_reserve(g, AXIS, number("605 PJ"), near) is None


def test_only_attack_capable_units_enter_enemy_ports_and_hedgehogs() -> None:
    """Trucks, guns and headquarters do not, nor in a retreat (OCS 1(7), OCS 3(5))."""
    g = begun("race-for-tunis", 2)
    sousse = BOARD["A54.11"]
    assert sousse in control.booty_hexes(g, AXIS)
    g.state.base.clear()
    assert sousse in control.booty_hexes(g, AXIS)
    near = next(hex for hex in BOARD.around(BOARD[HERE]) if BOARD.terrain_name(hex) == "open")
    for unit, may in (("64 Med Art", False), ("201 Gds Inf", True)):
        g = game({HERE: [unit]})
        g.state.fort[near] = AXIS
        assert (near in retreat.ends(g, ALLIED, number(unit), 1, {})) == may


def test_arrivals_take_enemy_trucks_in_their_entry_hex() -> None:
    """(OCS 9.3)"""
    g = begun("campaign", 1, dice=(6, 6))
    truck, unit = NUMBER["Axis Charcoal 1"], NUMBER["1 Cdo"]
    g.state.where[truck] = BOARD["A1.15"]
    arrivals.put(g, ALLIED, [unit], BOARD["A1.15"])
    assert g.state.where[truck] != BOARD["A1.15"]


# Barrage, combat, retreat


def test_a_barrage_costs_what_its_target_costs() -> None:
    """A base alone in its hex takes the facility table: 1T for up to 10 points (OCS 8(5), OCS 17.3)."""
    g = game({HERE: ["155 Art/21 Pz"]}, phase="axis combat", axis={HERE: 1})
    g.state.base[BOARD[THERE]], g.state.level[BOARD[THERE]] = ALLIED, 1
    assert barrage.price(g, Fire(AXIS, number("155 Art/21 Pz"), BOARD[THERE])) == 2
    assert barrage.why_not_target(g, AXIS, BOARD[THERE]) is None
    g.state.where[NUMBER["201 Gds Inf"]] = BOARD[THERE]
    assert barrage.why_not_target(g, AXIS, BOARD[THERE]) is None
    del g.state.base[BOARD[THERE]]
    assert rule_of(barrage.why_not_target(g, AXIS, BOARD[THERE])) == "OCS 8(5)"


def test_idle_friends_may_retreat_along() -> None:
    """Of the attackers' hex, in a regular attack, those that their owner chooses; in an overrun nobody else moves, trucks
    neither (OCS 9.2; series 8.1g, 8.1h)."""
    g = game({HERE: ["605 PJ", "155 Art/21 Pz", "47 Inf"], THERE: ["201 Gds Inf"]}, phase="axis combat")
    hit = combat.Hit(options=1)
    step = combat.suffer(g, AXIS, number("605 PJ"), hit, "attack", NUMBER["605 PJ"], {BOARD[THERE]: 1}, ())
    asked = drive(g, step, ["retreat"])
    assert (asked.kind, asked.rule) == ("combat.along", "OCS 9.2")
    step = combat.suffer(g, AXIS, number("605 PJ"), hit, "attack", NUMBER["605 PJ"], {BOARD[THERE]: 1}, ())
    asked = drive(g, step, ["retreat", "155 Art/21 Pz", "done"])
    assert set(asked.about) == set(number("605 PJ", "155 Art/21 Pz"))
    step = combat.suffer(g, AXIS, number("605 PJ"), hit, "overrun", NUMBER["605 PJ"], {BOARD[THERE]: 1}, ())
    assert drive(g, step, ["retreat"]).kind == "combat.retreat"
    for role, hex in (("attack", "B57.05"), ("overrun", HERE)):
        g = game({HERE: ["69 PG/10 Pz", "Truck 1/10 Pz"], THERE: ["201 Gds Inf"]})
        step = combat.suffer(g, AXIS, number("69 PG/10 Pz"), hit, role, -1, {BOARD[THERE]: 1}, ())
        drive(g, step, ["retreat", "B57.05"])
        assert (where(g, "69 PG/10 Pz"), where(g, "Truck 1/10 Pz")) == ("B57.05", hex)


def test_idle_friends_without_a_path_do_not_retreat_along() -> None:
    """They stay, and are not lost: wheeled guns in a mountain whose only road leads to the enemy (OCS 9.2; series 9.12d)."""
    guns = ("155 Art/21 Pz [move]", "605 PJ")
    g = game({"B3.33": ["47 Inf", *guns], "B3.34": ["201 Gds Inf"]}, scenario="campaign", turn=40)
    step = combat.suffer(g, AXIS, number("47 Inf"), combat.Hit(options=1), "attack", -1, {BOARD["B3.34"]: 1}, ())
    assert drive(g, step, ["retreat"]).kind == "combat.retreat"


def test_organic_trucks_lose_their_reserve_marker_with_the_stack() -> None:
    """When the hex is disorganised or defends with a result (OCS 5)."""
    g = game({HERE: ["47 Inf [reserve]", "Truck 1/10 Pz [move, reserve]"]})
    losses.disorganise(g, number("47 Inf"), "OCS 17.2")
    assert flags(g, "47 Inf") == {"dg"}
    assert flags(g, "Truck 1/10 Pz") == {"move"}


def test_a_retreat_takes_ports_and_victory_hexes() -> None:
    """A port by entering it, another victory hex by being in it at the end; rails by movement alone (5.0, OCS 9.3)."""
    g = begun("campaign", 3)
    unit, gafsa, sousse = NUMBER["17/21 L Arm/6 Arm"], BOARD["B30.24"], BOARD["A54.11"]
    g.state.where[unit] = BOARD["A60.20"]
    control.enter(g, ALLIED, [unit], [gafsa, sousse], rule_move=False)
    assert g.state.control[sousse] == ALLIED
    assert g.state.control[gafsa] == AXIS
    g.state.where[unit] = gafsa
    control.enter(g, ALLIED, [unit], [gafsa], rule_move=False)
    assert g.state.control[gafsa] == ALLIED
    assert g.state.rail[gafsa] == AXIS


# Supply


def test_a_token_feeds_two_re_in_several_hexes() -> None:
    """Four battalions within reach of one dump eat 1T (OCS 11.2(4); series 12.6c)."""
    units = {"B58.05": ["605 PJ"], "B59.06": ["606 PJ"], "B57.05": ["190 Pz"], "B58.06": ["501 Pz"]}
    g = game(units, phase="axis supply", axis={"B58.05": 1})
    drive(g, eating.supply_phase(g, AXIS), ["done"])
    assert g.state.axis_t == {}
    assert not any("oos" in flags(g, name) for names in units.values() for name in names)


def test_organic_trucks_feed_their_division() -> None:
    """(OCS 11.2(4), OCS 11.6)"""
    g = game({HERE: ["69 PG/10 Pz", "47 Inf", "Truck 1/10 Pz [move]"]}, phase="axis supply", dice=[1, 1])
    g.state.load[NUMBER["Truck 1/10 Pz"]] = 4
    asked = drive(g, eating.supply_phase(g, AXIS))
    assert asked.kind == "supply.eat"
    g.state.todo.clear()
    drive(g, eating.supply_phase(g, AXIS), ["done"])
    assert g.state.load[NUMBER["Truck 1/10 Pz"]] == 3
    assert "oos" not in flags(g, "69 PG/10 Pz")


def test_a_headquarters_draws_its_fuel_over_its_own_bridge_before_it_leaves_combat_mode() -> None:
    """What is legal is paid: in Move Mode it bridges nothing (OCS 10(2), OCS 11.4)."""
    g = game({"A30.18": ["HQ 19"], "A34.16": ["Allied Truck 9 [move]"]}, phase="allied movement", scenario="campaign")
    g.state.load[NUMBER["Allied Truck 9"]] = 2
    m = Match.at(g)
    m.play(["HQ 19", "A29.18"])
    assert "move" in flags(m.game, "HQ 19")
    assert m.game.state.load[NUMBER["Allied Truck 9"]] == 1


def test_an_overrun_needs_tokens_for_fuel_and_for_the_attack() -> None:
    """One token cannot pay for both once the internal stock is exhausted (OCS 7, OCS 9(2), OCS 11.4)."""
    for token, rule in ((1, "OCS 9(2)"), (2, None)):
        g = game({HERE: ["190 Pz"], THERE: ["64 Med Art"]}, phase="axis movement", axis={HERE: token})
        g.state.stock[NUMBER["190 Pz"]] = combat.EXHAUSTED
        refusal = overrun.why_not(g, AXIS, number("190 Pz"), [0], BOARD[THERE])
        assert (refusal and refusal.rule) == rule


def test_a_fuelled_headquarters_throws_fuel_from_one_hex_a_phase() -> None:
    """Units that began in its range go on beyond it without another token (OCS 11.4; series 12.5e)."""
    g = game({HERE: ["HQ DAK [move, fuel]", "605 PJ", "606 PJ"]})
    fuel.fuel(g, AXIS, number("605 PJ"), [g.state.flags[unit] for unit in number("605 PJ")])
    g.state.where[NUMBER["605 PJ"]] = BOARD["B40.05"]
    assert fuel.has_fuel(g, AXIS, NUMBER["605 PJ"])
    assert fuel.has_fuel(g, AXIS, NUMBER["606 PJ"])
    g.state.where[NUMBER["HQ DAK"]] = BOARD[THERE]
    assert not fuel.has_fuel(g, AXIS, NUMBER["606 PJ"])
    g.state.todo.clear()
    assert fuel.has_fuel(g, AXIS, NUMBER["606 PJ"])


def test_a_dump_is_blown_without_a_unit() -> None:
    """In any movement segment of its owner, once a phase; a side is asked in the Reaction Phase if enemies are beside an
    unguarded dump (OCS 11.6; series 12.11a)."""
    m = match({"B50.05": ["47 Inf"]}, axis={HERE: 12}, dice=[4])
    m.play(["blow", HERE, "all"])
    assert m.state.axis_t[BOARD[HERE]] == 3
    assert refused(m, "blow") == "OCS 11.6"
    g = game({THERE: ["201 Gds Inf"]}, axis={HERE: 4})
    assert trucks.is_threatened(g, AXIS)
    g.state.where[NUMBER["47 Inf"]] = BOARD[HERE]
    assert not trucks.is_threatened(g, AXIS)


@pytest.mark.parametrize(
    ("clicks", "left"), [(["all"], 4), (["point", "point", "point", "done"], 7), (["token", "done"], 15)]
)
def test_a_part_of_a_dump_is_blown(clicks: list[str], left: int) -> None:
    """A 4 destroys three quarters of what is blown: 12T of 4 SP, 9T of 3 SP, and 1T of a token; no other roll in the phase
    (OCS 11.6, OCS 17.8; series 12.11a)."""
    m = match({"B50.05": ["47 Inf"]}, axis={HERE: 16}, dice=[4])
    m.play(["blow", HERE, *clicks])
    assert m.state.axis_t[BOARD[HERE]] == left
    assert refused(m, "blow") == "OCS 11.6"


def test_a_headquarters_in_reserve_is_no_engineer() -> None:
    """It neither makes a railhead nor rebuilds; DG with the Combat side up it does (OCS 10(2), OCS 10(5))."""
    g = begun("kasserine", 28)
    hq = NUMBER["HQ 19"]
    for mode, works in (("", True), ("dg", True), ("reserve", False), ("move", False)):
        g.state.flags[hq] = FLAG[mode] if mode else 0
        assert (g.state.where[hq] in tracing.posts(g, ALLIED)) == works
        assert (replacements.why_not_hex(g, ALLIED, g.state.where[hq]) is None) == works


def test_cargo_leaves_a_train_only_where_it_is_detrainable() -> None:
    """A combat unit does not make a rail hex detrainable, a headquarters in Combat Mode does (OCS 12(2))."""
    g = begun("kasserine", 28)
    linked = sorted(lift.railheads(g, ALLIED))
    plain = next(hex for hex in linked if hex not in lift.DETRAINABLE and hex != lift.ENTRY)
    g.state.where[NUMBER["760 Arm"]] = plain
    assert plain not in lift.stations(g, ALLIED)
    g.state.where[NUMBER["HQ 19"]] = plain
    assert plain in lift.stations(g, ALLIED)


def test_a_journey_that_begins_in_an_interdicted_hex_costs_double() -> None:
    """(OCS 12(4), OCS 14.7)"""
    g = begun("race-for-tunis", 2)
    start, goal = BOARD["A17.26"], BOARD["A16.20"]
    before = lift.rail_way(g, ALLIED, start, goal)
    g.state.interdicted[start] = 1 + AXIS
    assert lift.rail_way(g, ALLIED, start, goal) == 2 * before


def test_extenders_stand_in_a_chain_and_need_a_link() -> None:
    """One within range of a source, the next within range of it; none where nothing is linked (OCS 11.6; series 12.7c,
    12.7d)."""
    g = begun("mareth")
    five = [NUMBER[f"Allied Truck {n}"] for n in range(1, 6)]
    for unit in five:
        g.state.where[unit], g.state.load[unit] = BOARD["B62.07"], 0
    assert trucks.is_linked(g, ALLIED, BOARD["B62.07"])
    field = tracing.trace(g, ALLIED)
    far = [hex for hex in range(HEXES) if BOARD.enterable(hex) and not field.extended(field.heads)[hex]]
    assert not trucks.is_linked(g, ALLIED, far[0])


# Air


def test_aircraft_return_to_a_base_of_their_owners_choice() -> None:
    """Clicked before they fly; to their own base without a click (OCS 14.1)."""
    g = game(
        {"B54.10": ["DAF A-20 BR 1"], HERE: ["47 Inf"], THERE: ["201 Gds Inf"]},
        phase="allied movement",
        dice=[1, 1, 1, 1],
    )
    g.state.base.update({BOARD["B54.10"]: ALLIED, BOARD["B56.08"]: ALLIED})
    g.state.level.update({BOARD["B54.10"]: 1, BOARD["B56.08"]: 1})
    target = BOARD[HERE]
    drive(g, air.plan(g, ALLIED, target), ["B56.08", "DAF A-20 BR 1", "done"])
    assert where(g, "DAF A-20 BR 1") == "B56.08"
    assert "inactive" in flags(g, "DAF A-20 BR 1")
    assert rule_of(air.why_not_home(g, ALLIED, number("DAF A-20 BR 1"), target, BOARD[THERE])) == "OCS 14.1"


def test_a_fighter_flies_once_in_a_phase() -> None:
    """Also one that stays active after a transfer (OCS 14.1, OCS 14.2)."""
    g = game({"B54.10": ["DAF P-40 US 1"], HERE: ["47 Inf"]}, phase="allied movement")
    g.state.base.update({BOARD["B54.10"]: ALLIED, BOARD["B56.08"]: ALLIED})
    g.state.level.update({BOARD["B54.10"]: 1, BOARD["B56.08"]: 1})
    drive(g, sorties.transfer(g, ALLIED), ["DAF P-40 US 1", "B56.08"])
    assert "inactive" not in flags(g, "DAF P-40 US 1")
    assert rule_of(air.why_grounded(g, NUMBER["DAF P-40 US 1"])) == "OCS 14.2"
    sequence.landed(g, ALLIED)
    assert air.why_grounded(g, NUMBER["DAF P-40 US 1"]) is None


def test_the_bases_of_a_box_count_as_one() -> None:
    """Algiers refits 12 aircraft a turn wherever they are in it, and none transfers within it (1.5c, OCS 14.1)."""
    g = begun("end-in-africa", 47)
    wings = [unit for unit in airbases.WINGS[ALLIED] if g.state.where[unit] >= 0][:14]
    for unit in wings:
        g.state.where[unit] = BOARD["Algiers Air Base 1"]
        g.state.flags[unit] |= INACTIVE
    asked = drive(g, airbases.refit(g, ALLIED))
    assert asked.prompt.startswith("Refit 12 of 14")
    assert rule_of(sorties.why_not_transferred(g, wings[0], BOARD["Algiers Air Base 2"])) == "1.5c"


def test_aircraft_at_the_base_fight_an_interceptor_too() -> None:
    """A transfer to a base with active aircraft in an enemy patrol zone (OCS 14.4; series 14.4d)."""
    g = game(
        {
            "B54.10": ["DAF P-40 US 1", "DAF A-20 BR 1"],
            "B56.08": ["DAF B-25 US 1"],
            HERE: ["47 Inf"],
            "B50.08": ["Me.109g DE 1"],
        }
    )
    g.state.base.update({BOARD["B54.10"]: ALLIED, BOARD["B56.08"]: ALLIED, BOARD["B50.08"]: AXIS})
    mission = Mission(ALLIED, number("DAF B-25 US 1"), BOARD["B54.10"], "transfer")
    asked = drive(g, air.intercept(g, mission, list(mission.units)), ["Me.109g DE 1"])
    assert asked.kind == "air.abort"
    assert set(asked.legal) >= set(number("DAF P-40 US 1", "DAF A-20 BR 1", "DAF B-25 US 1"))


def patrolled(*wings: str) -> G:
    """Tunis, with Allied fighters at Mateur that patrol it; the first air combat is lost to them without a loss."""
    g = begun("race-for-tunis", 1, dice=(6, 6, 1))
    g.state.weather = 0
    for wing in wings:
        g.state.where[NUMBER[wing]] = BOARD["A48.24"]
    g.state.where[NUMBER["Spit.Vb BR 1"]] = BOARD["A41.28"]
    g.state.base[BOARD["A41.28"]] = ALLIED
    for unit in g.state.where.stacks(4 + AXIS).get(BOARD["A45.26"], ()):
        g.state.flags[unit] |= INACTIVE
    return g


def test_aircraft_that_abort_over_a_base_of_theirs_land_there() -> None:
    """Transports with their cargo, transfers too; the fighter that intercepts goes back to its base (OCS 14.1, OCS 14.4;
    series 14.1c, 14.5)."""
    start, goal = BOARD["A48.24"], BOARD["A45.26"]
    g = patrolled("Ju.52 DE 1")
    before, there = g.state.axis_t[start], g.state.axis_t.get(goal, 0)
    drive(g, airlift.deliver(g, airlift.Load(AXIS, start, tokens=1), goal), ["done", "Spit.Vb BR 1"])
    assert (g.state.axis_t[start], g.state.axis_t[goal]) == (before - 1, there + 1)
    assert (where(g, "Ju.52 DE 1"), flags(g, "Ju.52 DE 1")) == ("A45.26", {"inactive"})
    assert (where(g, "Spit.Vb BR 1"), flags(g, "Spit.Vb BR 1")) == ("A41.28", set())
    g = patrolled("Me.109g DE 1")
    drive(g, sorties.transfer(g, AXIS), ["Me.109g DE 1", "A45.26", "Spit.Vb BR 1"])
    assert (where(g, "Me.109g DE 1"), flags(g, "Me.109g DE 1")) == ("A45.26", {"inactive"})


def test_transports_that_abort_over_a_drop_zone_bring_their_cargo_back() -> None:
    """Tokens and parachutists (OCS 14.8; rulings)."""
    start, zone = BOARD["A48.24"], BOARD["A43.27"]
    g = patrolled("Ju.52 DE 1")
    before = g.state.axis_t[start]
    drive(g, drops.fly(g, airlift.Load(AXIS, start, tokens=1), zone), ["done", "Spit.Vb BR 1"])
    assert g.state.axis_t[start] == before
    assert (where(g, "Ju.52 DE 1"), flags(g, "Ju.52 DE 1")) == ("A48.24", {"inactive"})
    g = patrolled("Ju.52 DE 1")
    g.state.where[NUMBER["1.ReA Para"]] = start
    drive(g, drops.fly(g, airlift.Load(AXIS, start, number("1.ReA Para")), zone), ["done", "Spit.Vb BR 1"])
    assert where(g, "1.ReA Para") == "A48.24"


def test_fighters_escort_transports() -> None:
    """They fight the interceptor, make flak lighter, and return inactive (OCS 14.2, OCS 17.11; series 14.2e)."""
    start, goal = BOARD["A48.24"], BOARD["A45.26"]
    g = patrolled("Ju.52 DE 1", "Me.109g DE 1")
    escort, plane = number("Me.109g DE 1", "Ju.52 DE 1")
    mission = Mission(AXIS, (plane, escort), goal, airlift.TARGET)
    assert dict(air.flak_points(g, mission, mission.units))["a patrol zone"] == 1
    assert rule_of(air.why_no_escort(g, AXIS, [plane], goal, NUMBER["Hs.129b DE 1"])) == "OCS 14.2"
    asked = drive(g, airlift.deliver(g, airlift.Load(AXIS, start, tokens=1), goal), ["Me.109g DE 1", "done", "decline"])
    assert asked is None
    assert (where(g, "Me.109g DE 1"), flags(g, "Me.109g DE 1")) == ("A48.24", {"inactive"})
    g = patrolled("Ju.52 DE 1", "Me.109g DE 1")
    load = airlift.Load(AXIS, start, tokens=1)
    asked = drive(g, airlift.deliver(g, load, goal), ["Me.109g DE 1", "done", "Spit.Vb BR 1"])
    assert asked.kind == "air.abort"
    assert {escort, plane} <= set(asked.legal)


def test_supply_is_dropped_in_every_movement_segment_but_units_in_one() -> None:
    """Units drop in the Movement Phase, and need no trace that turn (OCS 14.8; series 12.6h, 14.10b)."""
    g = begun("race-for-tunis", 3)
    unit = NUMBER["1.ReA Para"]
    g.state.weather, g.state.drop_turn["1.ReA Para"], g.state.drop_hex["1.ReA Para"] = 0, 3, BOARD["A30.20"]
    g.state.todo[movers.EXPLOITING] = 1
    assert rule_of(drops.why_not_dropped(g, AXIS, unit)) == "OCS 14.8"
    assert movement.belongs(g, AXIS, "drop")
    assert drops.jumpers(g, AXIS) == []
    drops.land(g, unit, BOARD["A10.20"])
    assert not tracing.traces(g, AXIS, unit)
    assert unit not in eating.find_hungry(g, AXIS)
    g.state.turn += 1
    assert unit in eating.find_hungry(g, AXIS)


def test_an_aircraft_without_barrage_strength_flies_as_an_escort() -> None:
    """A reduced Spitfire with others that have some, never alone (OCS 8(1), OCS 14.2)."""
    g = game({"B54.10": ["DAF Spit.Vb BR 1", "DAF A-20 BR 1"], HERE: ["47 Inf"]}, phase="allied movement")
    g.state.base[BOARD["B54.10"]], g.state.level[BOARD["B54.10"]] = ALLIED, 1
    fighter = NUMBER["DAF Spit.Vb BR 1"]
    g.state.steps[fighter] = 1
    assert rule_of(air.why_not_flown(g, fighter, BOARD[HERE])) == "OCS 8(1)"
    asked = drive(g, air.plan(g, ALLIED, BOARD[HERE]), ["DAF A-20 BR 1"])
    assert fighter in asked.legal
    asked = drive(g, air.plan(g, ALLIED, BOARD[HERE]), ["DAF A-20 BR 1", "DAF Spit.Vb BR 1", "DAF A-20 BR 1"])
    assert asked.about == ()


def test_one_click_sends_all_aircraft_that_can_fly_a_mission() -> None:
    """The strongest first, at most four, each of which can be removed (OCS 8(1), OCS 14.2)."""
    planes = ["DAF A-20 BR 1", "DAF Beaufgtr BR 1", "DAF Hurri.II BR 1", "DAF Spit.Vb BR 1", "DAF Spit.Vb BR 2"]
    g = game({"B54.10": planes, HERE: ["47 Inf"]}, phase="allied movement")
    g.state.base[BOARD["B54.10"]], g.state.level[BOARD["B54.10"]] = ALLIED, 3
    asked = drive(g, air.plan(g, ALLIED, BOARD[HERE]), ["all"])
    assert [name(unit) for unit in asked.about] == planes[:4]
    assert "all" not in {RULES.names[click] for click in asked.legal}
    asked = drive(g, air.plan(g, ALLIED, BOARD[HERE]), ["all", planes[0]])
    assert [name(unit) for unit in asked.about] == planes[1:4]
    assert "all" in {RULES.names[click] for click in asked.legal}


def test_printed_flak_belongs_to_who_built_it() -> None:
    """Tunis and Bizerte for the Axis, Bône for the Allies, also after their capture (OCS 17.11)."""
    for port, builder, other in (("A48.24", AXIS, ALLIED), ("A17.26", ALLIED, AXIS)):
        g = begun("race-for-tunis", 2)
        g.state.base.clear()
        for owner, points in ((builder, 2), (other, 0)):
            g.state.control[BOARD[port]] = owner
            mission = Mission(1 - owner, (), BOARD[port], "port")
            assert dict(air.flak_points(g, mission, ())).get("port defences", 0) == points


def test_a_truck_that_handles_nothing_pays_nothing() -> None:
    """And an organic truck in Reserve Mode has a quarter of its MPs for it (OCS 5, OCS 11.6)."""
    g = game({HERE: ["Axis Truck 1 [move]", "Axis Truck 2 [move]", "47 Inf"]}, axis={HERE: 3})
    trucks.handle(g, AXIS, number("Axis Truck 1", "Axis Truck 2"), "load")
    assert [g.state.spent[unit] for unit in number("Axis Truck 1", "Axis Truck 2")] == [5 * 12, 0]
    g = game({HERE: ["Truck 1/10 Pz [move, reserve]"]}, axis={HERE: 3})
    g.state.spent[NUMBER["Truck 1/10 Pz"]] = 7 * 12
    assert rule_of(trucks.why_not(g, AXIS, number("Truck 1/10 Pz"), "load")) == "OCS 11.6"


# Arrivals and set-up


def test_trucks_begin_anywhere_in_the_area_of_their_group() -> None:
    """(1.4a, rulings)"""
    m = Match(RULES, "race-for-tunis", dice=SeededDice(1))
    near = next(hex for hex in BOARD.around(BOARD["A48.24"]) if BOARD.enterable(hex))
    assert refused(m, "default") == "1.4a"
    m.play(["Axis Charcoal 1", BOARD.name(near)])
    assert where(m, "Axis Charcoal 1") == BOARD.name(near)
    m.play(["default"])
    assert where(m, "Axis Charcoal 1") == "A48.24"
    assert refused(m, "default") == "1.4a"
    assert refused(m, "Allied Charcoal 1") == "1.4a"


@pytest.mark.parametrize("scenario", ["kasserine", "from-kasserine", "mareth"])
def test_the_reset_of_the_set_up_is_blocked_until_a_unit_has_left_its_hex(scenario: str) -> None:
    """(1.4a)"""
    m = Match(RULES, scenario, dice=SeededDice(1))
    reset, side = RULES.button("default"), m.decision.side
    before = list(m.state.where)
    assert reset in m.blocked()
    free = [u for u in m.decision.legal if u < len(UNITS) and not IS_AIR[u] and setup.places(m.game, side, u)]
    assert bool(free) is (scenario != "mareth")
    for unit in free[:1]:
        m.click(unit)
        m.click(next(click for click in m.decision.legal if RULES.class_of(click) == "hex"))
        assert list(m.state.where) != before
        assert reset in m.decision.legal
        m.click(reset)
        assert list(m.state.where) == before
        assert reset in m.blocked()


def test_arrivals_use_a_free_edge_hex_or_wait() -> None:
    """At a map edge held by the enemy they enter beside it; at Tunis they wait for it; for Bône they go to Algiers (3.2,
    Orders of Arrival, rulings)."""
    g = begun("campaign", 22)
    g.state.where[NUMBER["17/21 L Arm/6 Arm"]] = BOARD["B62.07"]
    key, row = next((k, r) for k, r in arrivals.due(g, AXIS).items() if r["to"] == "Entry Area E")
    drive(g, arrivals.arrive(g, AXIS, row, key))
    at = g.state.where[NUMBER[row["units"][0]]]
    assert at != BOARD["B62.07"]
    assert at in arrivals.EDGES["all"]
    assert BOARD.distance(at, BOARD["B62.07"]) == 1
    g = begun("campaign", 4)
    g.state.where[NUMBER["17/21 L Arm/6 Arm"]] = BOARD["A48.24"]
    key, row = next((k, r) for k, r in arrivals.due(g, AXIS).items() if r["to"] == "Entry Area D")
    drive(g, arrivals.arrive(g, AXIS, row, key))
    assert where(g, "Brs Motorcycle") == "Axis Order of Arrival"
    g.state.turn = 5
    g.state.where[NUMBER["17/21 L Arm/6 Arm"]] = BOARD["A40.20"]
    assert key in arrivals.due(g, AXIS)
    drive(g, arrivals.arrive(g, AXIS, row, key))
    assert where(g, "Brs Motorcycle") == "A48.24"
    assert key not in arrivals.due(g, AXIS)
    g.state.control[BOARD["A17.26"]] = AXIS
    assert list(arrivals.entries(g, ALLIED, "Entry Area B", number("HQ 5"))) == [BOARD["Algiers Box"]]


def test_the_eighth_army_does_not_enter_on_top_of_the_enemy() -> None:
    """(3.5a, rulings)"""
    g = begun("from-kasserine", 28, dice=(6, 6))
    g.state.where[NUMBER["47 Inf"]] = BOARD["B62.07"]
    arrivals.roll_for_eighth_army(g)
    assert where(g, "HQ 10") not in ("", "B62.07")
    assert BOARD[where(g, "HQ 10")] in arrivals.EDGES["all"]


def test_heavy_bombers_of_the_option() -> None:
    """Those of the Desert Air Force come with it; in later scenarios those whose date has passed begin in their box (3.7a)."""
    g = begun("end-in-africa", bombers="tactical")
    assert where(g, "B-17f US 3").startswith("Algiers")
    assert where(g, "DAF B-24 US 1").startswith("Tripoli")
    assert where(begun("end-in-africa"), "B-24 US 1") == ""
    g = begun("campaign", 23, bombers="tactical")
    for key, row in arrivals.due(g, ALLIED).items():
        if row["to"] == "optional 3.7":
            drive(g, arrivals.arrive(g, ALLIED, row, key))
    assert where(g, "DAF B-24 US 1").startswith("Tripoli")


@pytest.mark.parametrize("name", list(RULES.scenarios))
def test_the_usual_set_up_keeps_aircraft_off_the_front(name: str) -> None:
    """Transports wait where their cargo is, the others at bases nearer to friends than to the enemy (1.4a)."""
    g = begun(name)
    for side in (AXIS, ALLIED):
        for unit in airbases.WINGS[side]:
            at = g.state.where[unit]
            if 0 <= at < HEXES:
                assert setup.is_behind(g, side, at)
                assert not COUNTERS[unit].factors["load"]


def test_nations_that_keep_apart_begin_apart() -> None:
    """French and Commonwealth units about Bône, where their group has several hexes (4.0b)."""
    g = begun("race-for-tunis", cooperation="none")
    for hex, stack in g.state.where.stacks(ALLIED).items():
        assert hex >= HEXES or cooperation.why_apart(g, stack, "stack") is None
    free = setup.choices(g, ALLIED)
    french, briton = NUMBER["Gp Mo Pol"], NUMBER["6 Cdo"]
    assert french in free
    assert rule_of(setup.why_not_placed(g, ALLIED, french, g.state.where[briton])) == "4.0b"


def test_a_raid_takes_what_is_where_it_lands() -> None:
    """(4.0c, OCS 9.3)"""
    g = begun("campaign", 3, raid="one")
    g.state.events.update({raid.RAID: 1, raid.RAIDER: NUMBER["6 Cdo"]})
    g.state.where[NUMBER["6 Cdo"]] = BOARD["Allied Order of Arrival"]
    drive(g, raid.land(g, ALLIED), ["A54.11"])
    assert g.state.base[BOARD["A54.11"]] == ALLIED
    assert g.state.control[BOARD["A54.11"]] == ALLIED


def test_a_regiment_on_foot_is_no_motorised_one() -> None:
    """At Kasserine five regiments can meet the condition, the 91st of Superga cannot (Scenario 2)."""
    g = begun("kasserine")
    found = {
        name
        for name in NUMBER
        if 0 <= g.state.where[NUMBER[name]] < HEXES and victory.is_motorised_regiment(NUMBER[name])
    }
    axis = {name for name in found if COUNTERS[NUMBER[name]].side == AXIS}
    assert axis == {"69 PG/10 Pz", "115 PG/15 Pz", "86 Inf/10 Pz", "Afrika Inf", "5.Brs Inf/Centro"}


def test_a_displaced_truck_leaves_reserve_mode() -> None:
    """The hex it is put down in may have a hedgehog, and would need a marker of its own (OCS 5, OCS 9.3, OCS 16)."""
    here, post = BOARD["B58.05"], BOARD["B56.05"]
    truck = "Truck 1/1 Arm"
    g = game({"B58.05": [f"{truck} [reserve]"], "B56.05": ["50 RTR Arm"]}, hedgehogs={"B56.05": 1})
    control.displace_truck(g, NUMBER[truck], here, 20)
    assert (g.state.where[NUMBER[truck]], g.state.flags[NUMBER[truck]] & RESERVE) == (post, 0)
    assert find_fault(g) == ""
