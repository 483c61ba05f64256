"""Sections that need a position each: nationalities, stacking after Mud, spotters, targets, overruns, consolidation, repairs,
sources, captured bases (1.3, 1.9, OCS 1, OCS 3, OCS 7, OCS 8, OCS 9, OCS 10, OCS 11.2, OCS 17.9)."""

from __future__ import annotations

import pytest

from khamsin.games.tunisia import (
    RULES,
    air,
    airbases,
    arrivals,
    barrage,
    combat,
    consolidation,
    construction,
    control,
    lift,
    movement,
    overrun,
    replacements,
    sequence,
    stacking,
    supply,
    tracing,
)
from khamsin.games.tunisia.barrage import Fire
from khamsin.games.tunisia.dates import AIR
from khamsin.games.tunisia.units import (
    ALLIED,
    AXIS,
    BOARD,
    DG,
    FIRED,
    LEG,
    MOBILITY,
    MOVING,
    MUD,
    NUMBER,
    RELEASED,
    TRACK,
    TRUCK,
    G,
    mobility,
)
from khamsin.kernel import Match, ReplayDice, SeededDice
from tests.rulebook.tunisia.table import drive, flags, game, legal, match, number, refused, rule_of, where

HERE, THERE = "B58.05", "B59.06"


def begun(scenario: str, turn: int = 0, dice: tuple[int, ...] = (), **options: str) -> G:
    """A scenario at its start, on a turn of it."""
    g = Match(RULES, scenario, {key.replace("_", " "): value for key, value in options.items()}, SeededDice(1)).game
    g.state.turn = turn or g.state.turn
    g.use(ReplayDice(dice, SeededDice(0)))
    g.state.todo.clear()
    return g


def test_all_nations_of_a_side_act_as_one() -> None:
    """An Italian headquarters throws to a German regiment, both stack, attack together and use any truck (1.9)."""
    g = game({HERE: ["47 Inf", "7.Brs Inf", "HQ 20 It", "Axis Truck 1"], THERE: ["201 Gds Inf"]}, phase="axis combat")
    g.state.load[NUMBER["Axis Truck 1"]] = 4
    assert stacking.SIZE.overfull(g, AXIS) == []
    assert combat.why_not_supplied(g, AXIS, number("47 Inf", "7.Brs Inf"), THERE) is None
    assert supply.thrown(g, NUMBER["HQ 20 It"], AXIS)[BOARD[HERE]]


def test_reduced_aircraft_of_two_nations_merge() -> None:
    """A British and an American Spitfire of one step at one base; not while one of them alone is active (1.9, OCS 10(6))."""
    g = begun("race-for-tunis")
    pair = number("Spit.Vb BR 1", "Spit.Vb US 1")
    for unit in pair:
        g.state.where[unit], g.state.steps[unit] = BOARD["A18.24"], 1
    assert consolidation.partners(g, ALLIED, pair[0]) == [pair[1]]
    asked = drive(g, consolidation.consolidate(g, ALLIED))
    assert set(asked.legal) >= set(pair)
    assert not any(asked.why_not(g, asked, click) for click in asked.legal)
    drive(g, consolidation.consolidate(g, ALLIED), ["Spit.Vb BR 1", "Spit.Vb US 1"])
    assert (g.state.steps[pair[0]], where(g, "Spit.Vb US 1")) == (2, "Allied Dead Pile")
    g.state.where[pair[1]], g.state.steps[pair[1]], g.state.steps[pair[0]] = BOARD["A18.24"], 1, 1
    g.set_flag(pair[1], "inactive")
    assert consolidation.partners(g, ALLIED, pair[0]) == []


def test_reduced_aircraft_of_a_box_merge_and_the_desert_air_force_after_its_release() -> None:
    """The two bases of a box are one place; before the 8th Army enters, the Desert Air Force keeps apart (1.5c, 1.9, 3.3a,
    OCS 10(6); series 13.9)."""
    g = begun("campaign", 34)
    wings = number("P-40 US 1", "P-40 US 2", "DAF P-40 US 1")
    for unit, base in zip(wings, ("Tripoli Air Base 1", "Tripoli Air Base 2", "Tripoli Air Base 1"), strict=True):
        g.state.where[unit], g.state.steps[unit] = BOARD[base], 1
    assert consolidation.partners(g, ALLIED, wings[0]) == [wings[1]]
    g.state.events["8th Army"] = 1
    assert consolidation.partners(g, ALLIED, wings[0]) == [wings[1], wings[2]]


def test_a_live_unit_takes_the_place_of_an_identical_dead_one_of_another_division() -> None:
    """Not the other way round to an independent one, and not disorganised, Low or Exhausted (OCS 10(6))."""
    g = game({HERE: ["104 PG/21 Pz", "190 Pz"], "Axis Dead Pile": ["115 PG/15 Pz", "2-7 Pz/10 Pz"]})
    live, dead = number("104 PG/21 Pz", "115 PG/15 Pz")
    assert consolidation.twins(g, AXIS, live) == [dead]
    assert consolidation.twins(g, AXIS, NUMBER["190 Pz"]) == [NUMBER["2-7 Pz/10 Pz"]]
    procedure = consolidation.consolidate(g, AXIS)
    for decision in (next(procedure), procedure.send(live)):
        assert not any(decision.why_not(g, decision, click) for click in decision.legal)
    consolidation.exchange(g, live, dead)
    assert (where(g, "115 PG/15 Pz"), where(g, "104 PG/21 Pz")) == (HERE, "Axis Dead Pile")
    assert rule_of(consolidation.why_not_exchanged(g, AXIS, dead)) == "OCS 10(6)"
    for mark in ("dg", "stock"):
        g = game({HERE: ["104 PG/21 Pz"], "Axis Dead Pile": ["115 PG/15 Pz"]})
        if mark == "dg":
            g.set_flag(live, "dg")
        else:
            g.state.stock[live] = 1
        assert consolidation.twins(g, AXIS, live) == []
    g = game({HERE: ["2-7 Pz/10 Pz"], "Axis Dead Pile": ["190 Pz"]})
    assert consolidation.candidates(g, AXIS) == []


def test_an_organic_truck_takes_the_place_of_a_dead_one() -> None:
    """With its load; charcoal trucks never do (OCS 10(6); series 13.9)."""
    g = game({"B50.05": ["Truck 1/15 Pz", "Axis Charcoal 1"], "Axis Dead Pile": ["Truck 1/21 Pz"]})
    live, dead = NUMBER["Truck 1/15 Pz"], NUMBER["Truck 1/21 Pz"]
    g.state.load[live] = 3
    assert consolidation.twins(g, AXIS, live) == [dead]
    consolidation.exchange(g, live, dead)
    assert (g.state.load[dead], where(g, "Truck 1/21 Pz"), where(g, "Truck 1/15 Pz")) == (3, "B50.05", "Axis Dead Pile")
    assert rule_of(consolidation.why_not_exchanged(g, AXIS, NUMBER["Axis Charcoal 1"])) == "OCS 10(6)"


def test_stacking_waits_after_mud() -> None:
    """From a Mud turn to the end of the side's next Movement Phase, and the stack is not barraged (1.3, OCS 3(2))."""
    crowd = ["5 Inf/2 NZ", "6 Inf/2 NZ", "4 Inf/2 NZ", "201 Gds Inf", "L Force Inf", "5 Inf/4 Ind", "7 Inf/4 Ind",
             "161 Inf/4 Ind", "151 Inf/50 Inf", "69 Inf/50 Inf", "152 Inf/51 Inf"]  # fmt: skip
    g = game({HERE: ["104 Art", "47 Inf"], THERE: crowd}, axis={HERE: 20})
    assert stacking.SIZE.overfull(g, ALLIED) == [BOARD[THERE]]
    asked = drive(g, stacking.remove_excess(g, ALLIED))
    assert asked.kind == "stacking.excess"
    assert not any(asked.why_not(g, asked, click) for click in asked.legal)
    g.state.muddy["Allied"] = 1
    assert drive(g, stacking.remove_excess(g, ALLIED)) is None
    drive(g, sequence.mud_clean_up(g, ALLIED))
    assert rule_of(barrage.why_not_target(g, AXIS, BOARD[THERE])) == "OCS 3(2)"
    drive(g, movement.movement(g, ALLIED), ["done"])
    assert "Allied" not in g.state.muddy
    assert barrage.why_not_target(g, AXIS, BOARD[THERE]) is None


def test_mud_sets_the_mark() -> None:
    """(1.2, 1.3, OCS 3(2))"""
    g = begun("campaign", 6, (6, 6))
    drive(g, sequence.weather(g))
    assert g.state.weather == MUD
    assert g.state.muddy == {"Axis": 1, "Allied": 1}


def test_in_mud_units_only_change_modes_and_are_carried() -> None:
    """No regular movement, overrun or flight; shipping, rail and mode changes (1.3)."""
    m = match({HERE: ["47 Inf"], THERE: ["201 Gds Inf"]}, phase="axis mud movement", weather=MUD, axis={HERE: 8})
    assert "hip shoot" not in legal(m)
    m.play(["47 Inf"])
    assert legal(m) >= {"move"}
    assert m.decision is not None
    assert not any(BOARD.is_hex(m.game.location(click)) for click in m.decision.legal if m.game.place0 <= click
                   < RULES.first_button)  # fmt: skip
    assert refused(m, THERE) == "1.3"
    assert refused(m, BOARD.name(BOARD.around(BOARD[HERE])[0])) == "1.3"
    m.play(["move"])
    assert "move" in flags(m, "47 Inf")


def test_mobility_by_side() -> None:
    """(OCS 1(8))"""
    g = game({HERE: ["47 Inf", "501 Pz"]})
    assert MOBILITY[NUMBER["47 Inf"]] == (LEG, TRUCK)
    assert [mobility(g, unit) for unit in number("47 Inf", "501 Pz")] == [LEG, TRACK]
    g.set_flag(NUMBER["47 Inf"], "move")
    assert mobility(g, NUMBER["47 Inf"]) == TRUCK


def test_attack_capable_units_enter_hexes_with_supply_alone() -> None:
    """Tokens, trucks and bases are non-combat units; artillery and headquarters cannot enter (OCS 1(7), OCS 3(5), OCS 9.3)."""
    m = match({HERE: ["47 Inf", "104 Art"]}, allied={THERE: 4}, axis={HERE: 8}, dice=[4])
    assert control.has_booty(m.game, ALLIED, BOARD[THERE])
    m.play(["104 Art"])
    assert refused(m, THERE) == "OCS 3(5)"
    m.play(["cancel", "47 Inf", THERE])
    assert m.state.axis_t[BOARD[THERE]] == 2


def test_after_an_overrun() -> None:
    """The emptied hex is entered and the stack goes on, here to a second overrun: 6 MPs for two (OCS 7(4), OCS 7(5))."""
    near = next(
        BOARD.name(hex)
        for hex in BOARD.around(BOARD[THERE])
        if BOARD.distance(hex, BOARD[HERE]) == 2
        and not BOARD.between(BOARD[THERE], hex) & {"wadi", "minor river", "lake"}
        and BOARD.terrain_name(hex) == "open"
    )
    weak = "Maori Inf/2 NZ [move, strat]"
    m = match(
        {HERE: ["190 Pz"], THERE: [weak], near: ["27 MG/2 NZ [move, strat]"]},
        axis={HERE: 20},
        dice=[4, 3, 6, 6, 4, 3, 6, 6],
    )
    m.play(["190 Pz", THERE])
    while m.decision is not None and m.decision.kind not in ("move.to", "move.stack"):
        m.click(next(iter(m.decision.legal)))
    assert where(m, "190 Pz") == THERE
    assert m.state.spent[NUMBER["190 Pz"]] == 3 * 12
    assert overrun.why_not(m.game, AXIS, number("190 Pz"), [0], BOARD[near]) is None
    g = game({HERE: ["190 Pz"], THERE: ["201 Gds Inf", "L Force Inf"]}, axis={HERE: 20}, dice=[4, 3, 5, 5])
    g.state.flags[NUMBER["190 Pz"]] |= MOVING
    procedure = overrun.overrun(g, AXIS, number("190 Pz"), BOARD[THERE])
    asked = next(procedure)
    while True:  # 12 to 12, no surprise, the roll 10: Ao1 Do1; the attacker retreats
        word = {"combat.supply": "pay", "combat.option": "retreat"}.get(asked.kind, "")
        assert asked.kind != "combat.option" or "lose 190 Pz, or retreat 1 hex" in asked.prompt
        try:
            asked = procedure.send(RULES.button(word) if word else next(iter(asked.legal)))
        except StopIteration:
            break
    assert "finished" in flags(g, "190 Pz")
    assert "moving" not in flags(g, "190 Pz")


def test_hexes_are_overrun_any_number_of_times() -> None:
    """An overrun leaves no mark on the hex (OCS 7(5))."""
    g = game({HERE: ["190 Pz"], THERE: ["201 Gds Inf"]}, axis={HERE: 20})
    g.state.origin[NUMBER["190 Pz"]] = BOARD[HERE]
    g.state.attacked[BOARD[THERE]] = 1
    assert overrun.why_not(g, AXIS, number("190 Pz"), [0], BOARD[THERE]) is None


def test_kinds_of_barrage_never_mix() -> None:
    """Aircraft do not join guns, and at most four fly together (OCS 8(1))."""
    g = game({HERE: ["104 Art", "47 Inf"], THERE: ["201 Gds Inf"]}, axis={HERE: 20})
    assert rule_of(barrage.why_silent(g, NUMBER["Ju.87d DE 1"])) == "OCS 8(1)"
    assert rule_of(barrage.why_silent(g, NUMBER["47 Inf"])) == "OCS 8(1)"
    assert AIR["mission"]["most"] == 4


def test_when_guns_fire() -> None:
    """In Reaction and Exploitation only those released or exploiting; each once (OCS 8(2), OCS 8(3))."""
    g = game({HERE: ["104 Art"], THERE: ["201 Gds Inf"]}, axis={HERE: 20})
    gun = NUMBER["104 Art"]
    assert barrage.why_silent(g, gun) is None
    g.state.todo[barrage.LATER] = 1
    assert rule_of(barrage.why_silent(g, gun)) == "OCS 8(3)"
    g.state.flags[gun] |= RELEASED
    assert barrage.why_silent(g, gun) is None
    g.state.flags[gun] |= FIRED
    assert rule_of(barrage.why_silent(g, gun)) == "OCS 8(2)"


def test_what_a_barrage_can_hit() -> None:
    """Combat units, an air base or a port of the enemy; guns pay by the facility table (OCS 8(4), OCS 8(5), OCS 17.3)."""
    g = game({HERE: ["104 Art"]}, axis={HERE: 20}, dice=[6])
    hex = BOARD[THERE]
    assert rule_of(barrage.why_not_target(g, AXIS, hex)) == "OCS 8(4)"
    g.state.base[hex], g.state.level[hex] = ALLIED, 3
    assert barrage.purposes(g, AXIS, hex) == [barrage.BASE_TARGET]
    shot = Fire(AXIS, number("104 Art"), hex, target=barrage.BASE_TARGET)
    assert (barrage.total(g, shot), barrage.price(g, shot)) == (17, 2)
    drive(g, barrage.fire(g, shot))
    assert (g.state.level[hex], g.state.former[hex], g.state.axis_t[BOARD[HERE]]) == (2, 3, 18)


def test_without_a_spotter() -> None:
    """Three columns to the left (OCS 8(6))."""
    g = game({"B57.05": ["104 Art"], THERE: ["201 Gds Inf"]})
    assert not barrage.spotted(g, AXIS, BOARD[THERE])
    shot = Fire(AXIS, number("104 Art"), BOARD[THERE])
    assert ("no spotter", -3) in [(one.text, one.value) for one in barrage.shifts(g, shot)]
    assert rule_of(air.why_not_target(g, AXIS, BOARD[THERE], hip=True)) == "OCS 14.6"


def test_a_hex_is_attacked_once_and_only_where_it_could_be_entered() -> None:
    """(OCS 9(1))"""
    g = game({HERE: ["47 Inf"], THERE: ["201 Gds Inf"]}, axis={HERE: 20}, phase="axis combat")
    assert combat.why_not_attacker(g, NUMBER["47 Inf"], [BOARD[THERE]]) is None
    assert rule_of(combat.why_not_attacker(g, NUMBER["47 Inf"], [BOARD["B50.05"]])) == "OCS 9(1)"
    g.state.battle[NUMBER["47 Inf"]] = -1
    assert rule_of(combat.why_not_attacker(g, NUMBER["47 Inf"], [BOARD[THERE]])) == "OCS 9(1)"
    g.state.attacked[BOARD[THERE]] = 1
    assert rule_of(combat.DECLARATION.why_not_target(g, AXIS, BOARD[THERE])) == "OCS 9(1)"


def test_headquarters() -> None:
    """They throw further with the Combat side up, work as engineers and rebuild units (OCS 10(1))."""
    far = {}
    for mark in ("", " [move]"):
        g = game({HERE: [f"HQ DAK{mark}"]})
        far[mark] = sum(supply.thrown(g, NUMBER["HQ DAK"], AXIS))
        assert construction.is_engineer(g, NUMBER["HQ DAK"]) == (not mark)
        assert (replacements.why_not_hex(g, AXIS, BOARD[HERE]) is None) == (not mark)
    assert far[""] > far[" [move]"]


def test_a_bombed_base_is_repaired_by_anyone() -> None:
    """1 RE restores a level for 2T up to the former level (OCS 10(4))."""
    g = game({HERE: ["47 Inf"]}, axis={HERE: 6})
    hex, units = BOARD[HERE], number("47 Inf")
    g.state.base[hex], g.state.level[hex] = AXIS, 1
    assert rule_of(construction.why_not_job(g, AXIS, units, hex, "repair base")) == "OCS 10(4)"
    g.state.former[hex] = 2
    assert construction.why_not_job(g, AXIS, units, hex, "repair base") is None
    assert rule_of(construction.why_not_job(g, AXIS, units, hex, "build base")) == "OCS 10(3)"
    construction.do(g, AXIS, units, hex, "repair base")
    assert (g.state.level[hex], g.state.axis_t[hex], dict(g.state.former)) == (2, 4, {})


def test_equipment_replaces_trucks_and_aircraft() -> None:
    """1 Eq for a truck point or two steps of aircraft; a headquarters takes an empty truck point besides, and charcoal trucks
    are never replaced (OCS 10(5), Common Rebuild Table)."""
    g = begun("mareth")
    camp = g.state.where[NUMBER["HQ 20 It"]]
    for unit, place in (
        ("Axis Eq 1", camp),
        ("Axis Truck 1", BOARD["Axis Dead Pile"]),
        ("Axis Charcoal 1", BOARD["Axis Dead Pile"]),
    ):
        g.state.where[NUMBER[unit]] = place
    assert replacements.works(g, AXIS) == {camp: [NUMBER["Axis Truck 1"]]}
    stuka = NUMBER["Ju.87d DE 3"]
    g.state.where[stuka], g.state.steps[stuka] = BOARD["Axis Dead Pile"], 0
    assert rule_of(replacements.why_not_rebuilt(g, AXIS, stuka, camp)) == "OCS 10(5)"
    g.state.flags[NUMBER["Ju.87d DE 1"]] |= RULES.flag["inactive"]
    drive(g, replacements.restore(g, AXIS, stuka, camp))
    assert (where(g, "Ju.87d DE 3"), g.state.steps[stuka]) == ("B48.17", 2)
    for unit in ("Axis Eq 1", "Axis Eq 2", "Axis Pax 1", "Axis Pax 2", "Axis Pax 3"):
        g.state.where[NUMBER[unit]] = camp
    g.state.where[NUMBER["HQ 90"]] = BOARD["Axis Dead Pile"]
    assert rule_of(replacements.why_not_rebuilt(g, AXIS, NUMBER["HQ 90"], camp)) == "Common Rebuild Table"
    g.state.where[NUMBER["Axis Truck 2"]] = camp
    assert replacements.why_not_rebuilt(g, AXIS, NUMBER["HQ 90"], camp) is None
    drive(g, replacements.restore(g, AXIS, NUMBER["HQ 90"], camp))
    assert (where(g, "HQ 90"), where(g, "Axis Truck 2")) == ("B48.17", "")


@pytest.mark.parametrize(("port", "side", "hits", "works"), [("A48.24", AXIS, 4, True), ("A17.26", ALLIED, 2, True),
                                                             ("A17.26", ALLIED, 3, False)])  # fmt: skip
def test_a_source_port_needs_a_point_of_capacity(port: str, side: int, hits: int, works: bool) -> None:
    """Tunis with four hits passes 1 SP, as Bône with two; a source in enemy hands feeds nobody (OCS 11.2(2), 2.4b, 3.2a)."""
    g = begun("campaign")
    g.state.damage[BOARD[port]] = hits
    assert (BOARD[port] in tracing.own_sources(g, side)) == works
    g.state.control[BOARD[port]] = 1 - side
    assert BOARD[port] not in tracing.own_sources(g, side)


def test_the_coast_road_is_a_source_with_the_eighth_army() -> None:
    """(3.2a)"""
    g = begun("campaign")
    assert tracing.COAST_ROAD not in tracing.own_sources(g, ALLIED)
    g.state.events[arrivals.EIGHTH_ARMY] = 1
    assert tracing.COAST_ROAD in tracing.own_sources(g, ALLIED)


def test_rails_belong_to_who_moved_through_last() -> None:
    """And only the Allies have capacity on them (OCS 12(1))."""
    g = begun("campaign")
    hex = BOARD["A1.15"]
    assert g.state.rail[hex] == ALLIED
    control.enter(g, AXIS, number("HQ 90", "104 Art"), [hex])
    assert g.state.rail[hex] == ALLIED
    control.enter(g, AXIS, number("47 Inf"), [hex])
    assert g.state.rail[hex] == AXIS
    assert lift.allowance(g, AXIS, lift.RAIL) == 0


def test_aircraft_of_a_captured_base_avoid_exposed_ones() -> None:
    """The nearest base is not taken if enemies are near and nobody guards it (OCS 9.3, rulings)."""
    for guard, goal in (("47 Inf", "B50.12"), ("", "B48.17")):
        g = game({"B52.11": ["Ju.87d DE 1"], "B51.12": ["201 Gds Inf"], **({"B50.12": [guard]} if guard else {})},
                 dice=[6, 6])  # fmt: skip
        g.state.base.update({BOARD["B50.12"]: AXIS, BOARD["B48.17"]: AXIS})
        control.displace_aircraft(g, NUMBER["Ju.87d DE 1"])
        assert where(g, "Ju.87d DE 1") == goal


def test_aircraft_of_a_captured_base() -> None:
    """Two dice each: 6 or less loses a step, +2 if active, +2 after an advance; survivors are inactive elsewhere (OCS 17.9)."""
    for active, advance, dice, steps in (
        (False, False, [3, 3], 1), (True, False, [2, 4], 2), (True, False, [2, 2], 1), (False, True, [2, 3], 2)
    ):  # fmt: skip
        g = game({HERE: ["Ju.87d DE 1"]}, dice=dice)
        g.state.base.update({BOARD[HERE]: ALLIED, BOARD["B48.17"]: AXIS})
        if not active:
            g.set_flag(NUMBER["Ju.87d DE 1"], "inactive")
        control.displace_aircraft(g, NUMBER["Ju.87d DE 1"], advance)
        assert g.state.steps[NUMBER["Ju.87d DE 1"]] == steps
        assert where(g, "Ju.87d DE 1") == "B48.17"
        assert "inactive" in flags(g, "Ju.87d DE 1")


def test_an_overrun_captures_a_base_as_an_advance_does() -> None:
    """Entering the hex is the advance after combat that an overrun demands: a roll of 5 costs an inactive aircraft nothing
    (OCS 9.2, OCS 17.9; series 9.12g)."""
    plane = "DAF Spit.Vb BR 1 [inactive]"
    g = game({HERE: ["190 Pz"], THERE: ["Maori Inf/2 NZ [move, strat]", plane]}, axis={HERE: 20},
             dice=[4, 3, 6, 6, 6, 2, 3])  # fmt: skip
    g.state.base[BOARD[THERE]] = ALLIED
    g.state.level[BOARD[THERE]] = 1
    procedure = overrun.overrun(g, AXIS, number("190 Pz"), BOARD[THERE])
    asked = next(procedure, None)
    while asked is not None:
        try:
            asked = procedure.send(next(iter(asked.legal)))
        except StopIteration:
            asked = None
    assert where(g, "190 Pz") == THERE
    assert where(g, "DAF Spit.Vb BR 1") != THERE
    assert g.state.steps[NUMBER["DAF Spit.Vb BR 1"]] == 2


def test_options_are_chosen_before_the_game() -> None:
    """Heavy bombers and the variants are options of a match, which cannot change (3.7, 3.7c, 4.0)."""
    assert tuple(RULES.scenarios["campaign"].options["bombers"]) == ("strategic", "tactical")
    m = Match(RULES, "campaign", {"bombers": "tactical"}, SeededDice(1))
    assert m.game.options["bombers"] == "tactical"
    with pytest.raises(ValueError, match="expected one of"):
        Match(RULES, "campaign", {"bombers": "later"}, SeededDice(1))


def test_modifiers_multiply() -> None:
    """A disorganised unit out of supply and unpaid defends with an eighth (OCS 1(4))."""
    from khamsin.games.tunisia import strength

    g = game({HERE: ["47 Inf"], THERE: ["201 Gds Inf [dg, oos]"]})
    battle = strength.Attack(AXIS, number("47 Inf"), BOARD[THERE], unpaid=number("201 Gds Inf"))
    assert strength.defence_shares(g, battle, "open")[0].value == 6 * 48 // 8
    assert g.state.flags[NUMBER["201 Gds Inf"]] & DG


def test_aircraft_and_modes_are_chosen_at_the_start() -> None:
    """Aircraft at any base with room, the Desert Air Force at Tripoli before its release; Combat, Move or Reserve Mode (1.4a,
    1.4c, 3.3a, OCS 5(1))."""
    m = Match(RULES, "from-kasserine", dice=SeededDice(1))
    m.play(["69 PG/10 Pz", "reserve", "Me.109g DE 1", "Sicily Air Base 2", "done", "done"])
    assert "reserve" in flags(m, "69 PG/10 Pz")
    assert where(m, "Me.109g DE 1") == "Sicily Air Base 2"
    m.play(["DAF Spit.Vb BR 1"])
    assert {name for name in legal(m) if "Air Base" in name or name.startswith("A")} == {"Tripoli Air Base 2"}


def test_holding_boxes_of_a_scenario() -> None:
    """Tripoli is not in scenarios 1 and 2, and alone at Mareth (2.3, Scenario 1, Scenario 2, Scenario 5)."""
    for scenario, boxes in (
        ("race-for-tunis", {"Sicily Box"}),
        ("campaign", {"Sicily Box", "Tripoli Box"}),
        ("mareth", set()),
    ):
        g = begun(scenario)
        assert {airbases.BOX_OF[base] for base in airbases.bases(g, AXIS) if base in airbases.BOX_OF} == boxes
    assert {airbases.BOX_OF[base] for base in airbases.bases(begun("mareth"), ALLIED) if base in airbases.BOX_OF} == {
        "Tripoli Box"
    }


def test_bases_outside_the_area_are_left_alone() -> None:
    """Tunis and Bizerte in scenario 2 (Scenario 2)."""
    g = begun("kasserine", 29)
    fighter = NUMBER["Me.109g DE 1"]
    g.state.where[fighter], g.state.weather = BOARD["A48.24"], 0
    assert air.purposes(g, ALLIED, BOARD["A48.24"]) == []
    assert air.patrolling(g, AXIS, BOARD["A46.11"]) == []
    g.state.where[fighter] = BOARD["B43.34"]
    assert fighter in air.patrolling(g, AXIS, BOARD["B40.34"])


def test_the_exchange_of_the_parachutists() -> None:
    """Only with all three on the map and Tunis Axis; this turn, later or never (Axis Order of Arrival)."""
    g = begun("campaign", 25)
    row = next(row for row in arrivals.rows(g) if row["to"] == "exchange")
    assert rule_of(arrivals.why_no_exchange(g, row)) == "Axis Order of Arrival"
    for unit in row["for"]:
        g.state.where[NUMBER[unit]] = BOARD["A41.22"]
    assert arrivals.why_no_exchange(g, row) is None
    drive(g, arrivals.offer_exchange(g, AXIS), ["decline"])
    assert where(g, "Jäger PG/HG Pz") == "Axis Order of Arrival"
    drive(g, arrivals.offer_exchange(g, AXIS), ["pay"])
    assert (where(g, "Jäger PG/HG Pz"), where(g, "1-5 FJ Para")) == ("A48.24", "Axis Dead Pile")
    assert drive(g, arrivals.offer_exchange(g, AXIS)) is None


def test_the_exchange_does_not_need_room_in_tunis() -> None:
    """Stacking is not enforced in the Reinforcement Phase; Tunis must be Axis (Axis Order of Arrival, OCS 3(2))."""
    g = begun("campaign", 25)
    row = next(row for row in arrivals.rows(g) if row["to"] == "exchange")
    full = ["86 Inf/10 Pz", "69 PG/10 Pz", "754 Inf/334", "755 Inf/334", "47 Inf", "Afrika Inf", "HQ 90", "HQ DAK"]
    for unit in (*row["for"], *full):
        g.state.where[NUMBER[unit]] = BOARD["A48.24"]
    assert stacking.SIZE.size(g.state.where.stacks(AXIS)[BOARD["A48.24"]]) > stacking.LIMIT
    assert arrivals.why_no_exchange(g, row) is None
    g.state.control[BOARD["A48.24"]] = ALLIED
    assert rule_of(arrivals.why_no_exchange(g, row)) == "Axis Order of Arrival"


def test_dead_piles_of_the_last_scenario() -> None:
    """Aircraft and organic trucks too (Scenario 6)."""
    g = begun("end-in-africa")
    assert where(g, "Truck 1/90.Le") == "Axis Dead Pile"
    dead = [u for u in range(len(g.state.where)) if RULES.counters[u].symbol in ("fighter", "bomber", "air transport")
            and g.state.where[u] == BOARD["Axis Dead Pile"]]  # fmt: skip
    assert len(dead) == 11
    assert all(g.state.steps[unit] == 0 for unit in dead)


def test_a_single_token_is_wasted_on_a_stock() -> None:
    """(OCS 11.5)"""
    from khamsin.games.tunisia import eating

    g = game({HERE: ["47 Inf"]}, axis={HERE: 1})
    g.state.stock[NUMBER["47 Inf"]] = 1
    eating.restock(g, AXIS)
    assert (g.state.stock[NUMBER["47 Inf"]], dict(g.state.axis_t)) == (1, {})


def test_who_lets_trucks_pass_a_zone_stays() -> None:
    """(OCS 4(2))"""
    g = game({HERE: ["47 Inf", "Axis Truck 1"], THERE: ["201 Gds Inf"]})
    movement.hold_posts(g, AXIS, number("Axis Truck 1"), [BOARD[HERE]])
    assert "finished" in flags(g, "47 Inf")


def test_part_of_a_mission_turns_back() -> None:
    """Before air combat, but one aircraft stays (OCS 14.3)."""
    g = game({"B48.17": ["Me.109g DE 1", "Ju.87d DE 1"]})
    g.state.base[BOARD["B48.17"]] = AXIS
    force = list(number("Me.109g DE 1", "Ju.87d DE 1"))
    drive(g, air.turn_back(g, AXIS, force, [], BOARD["B50.14"]), ["Ju.87d DE 1"])
    assert force == [NUMBER["Me.109g DE 1"]]
    assert "inactive" in flags(g, "Ju.87d DE 1")


def test_one_barrage_a_hex_and_phase_by_guns_or_aircraft() -> None:
    """A hex bombed in the Exploitation Phase is not barraged by guns in it; hip shoots do not count (OCS 8(2), OCS 14.6)."""
    g = game({HERE: ["104 Art [exploit]", "47 Inf"], THERE: ["201 Gds Inf"], "B48.17": ["Ju.87d DE 1"]}, axis={HERE: 8})
    g.state.base[BOARD["B48.17"]], g.state.level[BOARD["B48.17"]] = AXIS, 1
    unit, hex = NUMBER["Ju.87d DE 1"], BOARD[THERE]
    for hip, rule in ((True, ""), (False, "OCS 8(2)")):
        g.use(ReplayDice((3, 3, 1, 1), SeededDice(0)))
        drive(g, air.fly(g, air.Mission(AXIS, (unit,), hex, barrage.UNITS_TARGET, hip)))
        refusal = barrage.why_not_target(g, AXIS, hex)
        assert (refusal.rule if refusal else "") == rule
    assert not g.state.flags[unit] & FIRED


def test_heavy_bombers_have_no_spotter() -> None:
    """(OCS 14.6)"""
    g = game({HERE: ["201 Gds Inf"], THERE: ["47 Inf"]})
    heavy, light = (Fire(ALLIED, number(name), BOARD[THERE], air=True) for name in ("B-17f US 1", "A-20 US 1"))
    assert "no spotter" in [one.text for one in barrage.shifts(g, heavy)]
    assert "no spotter" not in [one.text for one in barrage.shifts(g, light)]


def test_transfers_meet_patrols() -> None:
    """Into an enemy patrol zone they are intercepted and shot at (OCS 14.4, OCS 14.5)."""
    from khamsin.games.tunisia import sorties

    bases = {"B48.17": AXIS, "B50.05": AXIS, "B54.10": ALLIED}
    g = game({"B48.17": ["Ju.87d DE 1"], "B54.10": ["DAF Spit.Vb BR 1"]}, dice=[6, 6])
    for at, side in bases.items():
        g.state.base[BOARD[at]], g.state.level[BOARD[at]] = side, 1
    asked = drive(g, sorties.transfer(g, AXIS), ["Ju.87d DE 1", "B50.05"])
    assert (asked.kind, asked.side) == ("air.intercept", ALLIED)
    drive(g, sorties.transfer(g, AXIS), ["Ju.87d DE 1", "B50.05", "decline"])
    assert where(g, "Ju.87d DE 1") == "B50.05"
    assert g.state.steps[NUMBER["Ju.87d DE 1"]] == 1


def test_everyone_in_the_second_hex_of_a_retreat_is_disorganised() -> None:
    """(OCS 5(3))"""
    from khamsin.games.tunisia import retreat

    first = next(h for h in BOARD.around(BOARD[THERE]) if BOARD.distance(h, BOARD[HERE]) == 2 and BOARD.enterable(h))
    second = next(h for h in BOARD.around(first) if BOARD.distance(h, BOARD[HERE]) == 3 and BOARD.enterable(h))
    g = game({HERE: ["47 Inf"], THERE: ["201 Gds Inf"], BOARD.name(second): ["Notts Arm"]})
    drive(g, retreat.go(g, ALLIED, number("201 Gds Inf"), (first, second)))
    assert "dg" in flags(g, "201 Gds Inf")
    assert "dg" in flags(g, "Notts Arm")


def test_organic_trucks_retreat_with_the_last_of_a_stack() -> None:
    """Idle friends of an attacker stay, and the trucks with them (OCS 9.2)."""
    from khamsin.games.tunisia import retreat

    for idle, truck in ((["86 Inf/10 Pz"], HERE), ([], "B57.05")):
        g = game({HERE: ["69 PG/10 Pz", *idle, "Truck 1/10 Pz"], THERE: ["201 Gds Inf"]})
        drive(g, retreat.retreat(g, AXIS, number("69 PG/10 Pz"), 1, {BOARD[THERE]: 1}), ["B57.05"])
        assert where(g, "69 PG/10 Pz") == "B57.05"
        assert where(g, "Truck 1/10 Pz") == truck


@pytest.mark.parametrize(("hex", "truck"), [("A9.12", "A9.11"), ("A9.10", "A9.10")])
def test_organic_trucks_do_not_retreat_into_mountains(hex: str, truck: str) -> None:
    """Ground closed to trucks leaves them behind, whoever else retreats over it (OCS 6(3), OCS 9.2)."""
    from khamsin.games.tunisia import retreat

    g = game({"A9.11": ["86 Inf/10 Pz", "Truck 1/10 Pz"]}, scenario="campaign", turn=40)
    drive(g, retreat.go(g, AXIS, number("86 Inf/10 Pz"), (BOARD[hex],)))
    assert (where(g, "86 Inf/10 Pz"), where(g, "Truck 1/10 Pz")) == (hex, truck)


def test_organic_trucks_of_each_attacking_hex_retreat() -> None:
    """With the units of their own hex, whatever else has still to retreat (OCS 9.2)."""
    from khamsin.games.tunisia import retreat

    here = {HERE: ["69 PG/10 Pz", "Truck 1/10 Pz"], "B60.06": ["86 Inf/10 Pz", "Truck 2/10 Pz"]}
    g = game({**here, THERE: ["201 Gds Inf"]})
    units = number("69 PG/10 Pz", "86 Inf/10 Pz")
    drive(g, retreat.retreat(g, AXIS, units, 1, {BOARD[THERE]: 1}), ["B57.05", "B61.06"])
    assert (where(g, "69 PG/10 Pz"), where(g, "Truck 1/10 Pz")) == ("B57.05", "B57.05")
    assert (where(g, "86 Inf/10 Pz"), where(g, "Truck 2/10 Pz")) == ("B61.06", "B61.06")
