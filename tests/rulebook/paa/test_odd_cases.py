"""Where rules meet: cases that went wrong once, or easily could."""

from __future__ import annotations

from khamsin.games.paa import movement, overrun, supply, zones
from khamsin.games.paa.units import ALLIED, AXIS, BOARD, NUMBER
from khamsin.kernel import Match
from tests.rulebook.paa.table import figure, flags, hexes, table, where, why

NO_TOBRUK = {"axis": ("0702", "1925"), "allied": ("1351", "1730")}
RELIABLE = '[options]\nreliability = "on"\n'


def lost(number: int) -> str:
    return f"{RELIABLE}[state]\nitalian_losses = {number}\n"


def test_a_hex_is_not_filled_by_units_that_could_never_leave_it() -> None:
    """Units with too little MF for any step make no room, so nobody joins them (4, 11.1)."""
    units = {
        "1512": ["DE 104/IREGT", "DE 115/IREGT", "DE 155/IREGT"],
        "1612": ["DE 361/IREGT"],
        "1406": ["Axis depot 1"],
    }
    match = table("axis movement", units)
    match.play(["DE 104/IREGT", "DE 115/IREGT", "DE 155/IREGT", "0222", "DE 361/IREGT"])
    assert "0222" not in hexes(match)
    assert why(match, "0222")[1] == "4"


def test_an_overfull_hex_that_nobody_can_leave_costs_its_owner_a_unit() -> None:
    """The phase can always end (4)."""
    match = table("axis movement", {"0222": ["DE 104/IREGT", "DE 115/IREGT", "DE 155/IREGT", "DE 361/IREGT"]})
    for unit in ("DE 104/IREGT", "DE 115/IREGT", "DE 155/IREGT", "DE 361/IREGT"):
        match.state.spent[NUMBER[unit]] = 50
    again = Match.at(match.game)
    assert "done" in again.names
    again.play(["done", "DE 361/IREGT"])
    assert where(again, "DE 361/IREGT") == "Axis Cadre"


def test_a_loaded_allied_lorry_stays_where_its_load_keeps_a_line() -> None:
    """Neither the lorry nor what it carries leaves supply (8.4.1, 11.1.1)."""
    match = table(
        "allied movement", {"1440": ["Allied lorry 1", "Allied depot 1"], "1351": ["AU 18/IBDE"]}, **NO_TOBRUK
    )
    match.play(["Allied lorry 1", "Allied depot 1", "Allied lorry 1"])
    assert "1634" in hexes(match)  # 19 MF from Alexandria
    for hex in hexes(match):
        match.state.where[NUMBER["Allied depot 1"]] = BOARD[hex]
        assert supply.lines(match.game, ALLIED).reach(BOARD[hex]), hex


def test_no_ship_enters_a_port_with_enemy_lorries() -> None:
    """Enemy units are entered only by an overrun (11.1, 11.2)."""
    match = table("allied movement", {"1925": ["Axis lorry 1", "Axis depot 1"], "1351": ["AU 18/IBDE"]})
    match.play(["AU 18/IBDE", "by sea"])
    assert "1925" not in hexes(match)


def test_a_lone_enemy_installation_in_a_port_is_taken_by_who_lands() -> None:
    """Entering by sea is entering (11.1.6, 11.2)."""
    match = table("allied movement", {"1925": ["Axis depot 1"], "1351": ["AU 18/IBDE"]}, dice=(6,))
    match.play(["AU 18/IBDE", "by sea", "1925"])
    assert where(match, "Axis depot 1") == "Axis OOB"


def test_an_overrun_does_not_cross_the_shut_border() -> None:
    """Not in the turn of the attempt on Malta (9, 11.4)."""
    stack = ["DE 5/1/ABN", "DE 104/IREGT", "DE 5/2/ABN"]
    units = {"1630": stack, "1629": ["Axis depot 1"], "1531": ["BR 16/IBDE"]}
    for malta, open_ in ((1, True), (2, False)):
        match = table("axis movement", units, 15, ("0702", "1925"), ("1351",), more=f"[state]\nmalta = {malta}\n")
        match.play(stack)
        assert isinstance(hexes(match).get("1531"), dict) == open_
    assert why(match, "1531")[1] == "9"


def test_bardia_gives_attack_supply_to_nobody_outside() -> None:
    """It is an installation only for those in it (8.3.2, 8.5)."""
    units = {
        "1730": ["AU 18/IBDE", "Allied depot 1 [moved]"], "1629": ["BR 7/ABDE"], "1634": ["Allied depot 2 [moved]"],
        "1440": ["Allied depot 3"], "0143": ["DE 300/IBN"], "0144": ["NZ 4/IBDE"],
    }  # fmt: skip
    match = table("allied combat", units, **NO_TOBRUK)
    near = supply.attack_supply(match.game, ALLIED)
    assert near[BOARD["1629"]] > 8
    assert near[BOARD["1730"]] == 0


def test_axis_lorries_do_not_carry_supply_away_from_italians() -> None:
    """Italian units never lose supply by their own side's will (8.4.2, 11.1.1)."""
    units = {"2212": ["IT 19/IREGT"], "1906": ["Axis depot 1", "Axis lorry 1"], "0702": ["Axis depot 2"]}
    match = table("axis movement", units)
    match.play(["Axis lorry 1", "Axis depot 1", "Axis lorry 1"])
    assert "0803" not in hexes(match)
    assert why(match, "0803")[1:] == ("8.4.2", "IT 19/IREGT")


def test_an_overrun_is_open_to_part_of_a_stack() -> None:
    """A unit without the MF for it does not hold the others back (11.4)."""
    units = {"0906": ["DE 5/1/ABN", "DE 5/2/ABN", "DE 104/IREGT"], "1006": ["BR SG/2/IBDE"], "0805": ["Axis depot 1"]}
    match = table("axis movement", units)
    for unit, spent in (("DE 5/1/ABN", 40), ("DE 5/2/ABN", 40), ("DE 104/IREGT", 49)):
        match.state.spent[NUMBER[unit]] = spent
        match.game.set_flag(NUMBER[unit], "stopped")
    again = Match.at(match.game)
    assert "DE 5/1/ABN" in again.names
    again.play(["DE 5/1/ABN", "DE 5/2/ABN"])
    assert hexes(again)["1006"] == {"overrun": 11}


def test_empty_bardia_may_be_entered_for_its_supply() -> None:
    """Who is in Bardia is in supply (8.3.2, 8.4.1)."""
    match = table("allied movement", {"1630": ["AU 18/IBDE"], "1440": ["Allied depot 1"]}, **NO_TOBRUK)
    match.play(["AU 18/IBDE"])
    assert "1730" in hexes(match)


def test_a_fort_keeps_its_zone_with_shaken_italians() -> None:
    """The zone of a fort is the hex's, not the unit's (3, 11.1.5, 15.2)."""
    units = {"1730": ["IT 19/IREGT"], "1512": ["IT 20/IREGT"], "0702": ["Axis depot 1"]}
    match = table("allied movement", units, axis=("0702", "1730"), allied=("1351", "1925"), more=lost(22))
    zone = zones.zone(match.game, AXIS)
    assert zone[BOARD["1629"]]
    assert not zone[BOARD["1513"]]


def test_italians_without_a_zone_do_not_hinder_an_overrun() -> None:
    """Only zones that are there count (11.4, 15.2)."""
    units = {
        "1512": ["BR 7/ABDE", "BR 4/ABDE", "BR 22/ABDE"], "1513": ["IT 19/IREGT"], "1511": ["IT 20/IREGT"],
        "1610": ["Allied depot 1"], "1906": ["Allied depot 3"], "2319": ["Allied depot 2"],
    }  # fmt: skip
    match = table("allied movement", units, more=lost(22))
    match.play(["BR 7/ABDE", "BR 4/ABDE", "BR 22/ABDE"])
    assert isinstance(hexes(match)["1513"], dict)
    steady = table("allied movement", units)
    steady.play(["BR 7/ABDE", "BR 4/ABDE", "BR 22/ABDE"])
    assert "1513" not in hexes(steady)


def test_a_lorry_without_mf_still_sets_down_its_load() -> None:
    """Unloading is free, so another lorry can take over (11.3)."""
    match = table("axis movement", {"0703": ["Axis lorry 1", "Axis depot 1", "Axis lorry 2"], "0702": ["Axis depot 2"]})
    match.play(["Axis lorry 1", "Axis depot 1"])
    match.state.spent[NUMBER["Axis lorry 1"]] = 50
    match.play(["Axis lorry 1", "unload", "Axis lorry 2", "Axis depot 1"])
    assert match.state.load[NUMBER["Axis lorry 2"]] == NUMBER["Axis depot 1"] + 1


def test_full_ports_exchange_units() -> None:
    """Stacking counts at the end of the phase (4, 11.2)."""
    units = {"1351": ["AU 18/IBDE", "NZ 4/IBDE", "NZ 5/IBDE"], "1925": ["AU 20/IBDE", "AU 24/IBDE", "AU 26/IBDE"]}
    match = table("allied movement", units)
    match.play(["AU 18/IBDE", "by sea", "1925"])
    assert "done" not in match.names
    match.play(["AU 20/IBDE", "by sea", "1351"])
    assert "done" in match.names


def test_an_overrun_along_another_line_pays_for_the_change() -> None:
    """The change of lines costs 2 MF in an overrun too (11.1.2, 11.4)."""
    stack = ["DE 5/1/ABN", "DE 5/2/ABN", "DE 104/IREGT"]
    match = table(
        "axis movement",
        {"1826": [*stack, "Axis depot 1"], "1723": ["BR 16/IBDE"]},
        axis=("0702", "1925"),
        allied=("1351",),
    )
    match.play([*stack, "1724", *stack])
    assert hexes(match)["1723"] == {"overrun": 14}


def test_a_group_pays_what_its_dearest_member_pays() -> None:
    """Units that came by different lines go on together at the higher cost (11.1.2)."""
    match = figure("fig-6", {'"1826" = ["BR 7/ABDE"]': '"1826" = ["BR 7/ABDE"]\n"1725" = ["BR 4/ABDE"]'})
    match.play(["BR 7/ABDE", "1724", "BR 4/ABDE", "1724", "BR 4/ABDE", "BR 7/ABDE"])
    assert hexes(match)["1723"] == 4


def test_an_overrun_of_a_lorry_strands_nobody() -> None:
    """The place a stack leaves may have opened a line (8.4.1, 11.4)."""
    units = {
        "1524": ["BR 7/ABDE", "BR 4/ABDE", "BR 22/ABDE"], "1523": ["Axis lorry 1"], "1324": ["IT 20/IREGT"],
        "1525": ["DE 5/1/ABN"], "1424": ["BR 16/IBDE"], "1825": ["Allied depot 1"],
    }  # fmt: skip
    match = table("allied movement", units)
    match.play(["BR 7/ABDE", "BR 4/ABDE", "BR 22/ABDE"])
    assert "1523" not in hexes(match)
    assert why(match, "1523")[1] == "8.4.1"


def test_what_is_owed_to_a_fort_is_forgotten_on_leaving() -> None:
    """Only who came by advance owes an attack (11.1.5)."""
    match = table(
        "axis movement",
        {"1629": ["DE 5/1/ABN [owes attack]"], "1727": ["Axis depot 1"]},
        axis=("0702", "1730", "1925"),
        allied=("1351",),
    )
    match.play(["DE 5/1/ABN", "1628"])
    assert "owes attack" not in flags(match, "DE 5/1/ABN")


def test_a_loaded_lorry_keeps_what_it_captures() -> None:
    """Two installations may lie in a hex for a while (4, 11.1.6)."""
    units = {
        "1906": ["Axis depot 1", "Axis lorry 1"], "2110": ["Allied depot 1"], "0702": ["Axis depot 2"],
        "Axis OOB": ["Axis depot 3"],
    }  # fmt: skip
    match = table("axis movement", units, dice=(1,))
    match.play(["Axis lorry 1", "Axis depot 1", "Axis lorry 1", "2110"])
    assert where(match, "Axis depot 3") == "2110"


def test_the_allies_overrun_nobody_on_turn_one() -> None:
    """They attack not at all in April 1941 (11.4, 12)."""
    units = {
        "1512": ["BR 7/ABDE", "BR 4/ABDE"],
        "1513": ["Axis lorry 1"],
        "1610": ["Allied depot 1"],
        "1906": ["Allied depot 3"],
        "2319": ["Allied depot 2"],
    }
    for turn, open_ in ((1, False), (2, True)):
        match = table("allied movement", units, turn=turn)
        match.play(["BR 7/ABDE", "BR 4/ABDE"])
        assert ("1513" in hexes(match)) == open_


def test_a_lorry_opens_no_enemy_zone_to_supply() -> None:
    """Only regular units do (8.2)."""
    road = {
        "0702": ["Axis depot 1"],
        "1006": ["DE 5/1/ABN"],
        "0806": ["BR 3/ABDE"],
        "0905": ["Axis lorry 1"],
        "0906": ["Axis lorry 2"],
    }
    assert supply.lines(table("axis movement", road).game, AXIS).distance[BOARD["1006"]] > 6


def test_a_lorry_remembers_its_line_overnight() -> None:
    """It never changes between lines that do not join (11.1.3)."""
    match = table("allied movement", {"1824": ["Allied lorry 1"]})
    match.play(["Allied lorry 1", "1724", "done"])
    assert match.state.via[NUMBER["Allied lorry 1"]] > 0


def test_refusals_name_the_true_reason() -> None:
    """Two zones, no port, the wrong kind (11.4, 2.1.2)."""
    with_1005 = {'"1906" = ["Allied depot 1", "AU 20/IBDE"]': '"1906" = ["Allied depot 1"]\n"1005" = ["AU 20/IBDE"]'}
    match = figure("fig-7", with_1005)
    match.play(["IT BERS/8/AIREGT", "IT 132/AREGT"])
    assert "0906 is in the ZOCs of two enemy hexes" in why(match, "1006")[0]
    ship = table("allied movement", {"1351": ["AU 18/IBDE"]})
    ship.play(["AU 18/IBDE", "by sea"])
    assert why(ship, "1440")[:2] == ("AU 18/IBDE cannot go by sea to 1440: it is not a port", "2.1.2")


def test_installations_that_nobody_can_move_do_not_hold_up_the_phase() -> None:
    """One came by sea and the other is out of command: the owner gives one up (4, 10.3, 11.2)."""
    match = table(
        "allied movement", {"1351": ["NZ 6/IBDE", "Allied depot 3", "Allied depot 4 [ooc]"], "1352": ["Allied lorry 1"]}
    )
    match.game.set_flag(NUMBER["Allied depot 3"], "shipped")
    match.game.set_flag(NUMBER["Allied depot 3"], "moved")
    again = Match.at(match.game)
    assert "done" in again.names
    again.play(["done", "Allied depot 4"])
    assert where(again, "Allied depot 4") == "Allied OOB"


def test_a_stack_finds_no_more_room_than_units_one_by_one() -> None:
    """With one who cannot leave there is room for two, and Bardia holds two in all (4)."""
    three, front = ["DE 5/1/ABN", "DE 5/2/ABN", "DE 3/ARECBN"], ["BR SG/2/IBDE", "BR 3/ABDE", "AU 20/IBDE"]
    units = {"0703": ["Axis depot 1", *three], "0905": ["Axis depot 2"], "0906": ["DE MG2/IBN [dismounted]"]}
    match = table("axis movement", units | {"1006": front, "1906": ["Allied depot 1"], "2319": ["Allied depot 2"]})
    match.play(three)
    assert "0906" not in hexes(match)
    assert why(match, "0906")[1] == "4"
    match.play(["cancel", *three[:2]])
    assert "0906" in hexes(match)
    match = table("allied movement", {"0702": ["Axis depot 1"], "1827": ["AU 20/IBDE", "AU 24/IBDE", "AU 26/IBDE"]})
    match.play(["AU 20/IBDE", "AU 24/IBDE"])
    assert "1730" in hexes(match)
    match.play(["AU 26/IBDE"])
    assert "1730" not in hexes(match)


def test_who_leaves_a_zone_does_not_pass_an_installation_by_the_way() -> None:
    """It goes round, though that is dearer (11.1.4, 11.1.6)."""
    units = {"0702": ["Axis depot 1"], "1216": ["DE 5/1/ABN"], "1217": ["BR 3/ABDE"]}
    cheap = table("axis movement", units)
    cheap.play(["DE 5/1/ABN"])
    dear = table("axis movement", units | {"1316": ["Allied depot 1"]})
    dear.play(["DE 5/1/ABN"])
    assert int(str(hexes(dear)["1317"])) > int(str(hexes(cheap)["1317"]))
    dear.play(["1317"])
    assert where(dear, "Allied depot 1") == "1316"


def test_units_without_supply_have_none_to_lose() -> None:
    """The installation of dismounted Italians may be driven off, that of others not (8.4.2, 13.6)."""
    for marked, free in (("", False), (" [dismounted]", True)):
        italians = [f"{unit}{marked}" for unit in ("IT 19/IREGT", "IT 20/IREGT", "IT 27/IREGT")]
        units = {"0702": ["Axis depot 1"], "2110": italians, "1906": ["Axis depot 2", "Axis lorry 1"]}
        match = table("axis movement", units, turn=4)
        match.play(["Axis lorry 1", "Axis depot 2", "Axis lorry 1"])
        assert ("0703" in hexes(match)) == free


def test_a_lorry_in_bardia_is_in_supply() -> None:
    """As every Allied unit there is, alone or not (8.3.2)."""
    match = table("allied movement", {"1730": ["Allied lorry 1"], "1351": ["AU 24/IBDE"]}, **NO_TOBRUK)
    assert "oos" not in flags(match, "Allied lorry 1")


def test_tobruk_feeds_the_allies_who_take_it() -> None:
    """They may enter it from the end of their line, and advance into it; a lorry, which takes nothing, may not (5, 8.3.2)."""
    units = {"0702": ["Axis depot 1"], "1825": ["AU 20/IBDE", "BR 3/ABDE", "BR 7/ABDE", "Allied lorry 1"]}
    units |= {"1341": ["Allied depot 1"], "1351": ["AU 24/IBDE"]}
    match = table("allied movement", units, **NO_TOBRUK)
    match.play(["Allied lorry 1"])
    assert "1925" not in hexes(match)
    match.play(["cancel", "AU 20/IBDE", "1925"])
    assert supply.lines(match.game, ALLIED).reach(BOARD["1925"])
    match = table("allied combat", units | {"1925": ["Axis lorry 1"]}, dice=(1,), **NO_TOBRUK)
    match.play(["1925", "done", "done", "1925", "no"])
    assert "AU 20/IBDE" in match.names
    match.play(["AU 20/IBDE"])
    assert where(match, "AU 20/IBDE") == "1925"


def test_an_overrun_enters_by_a_line_like_any_move() -> None:
    """Who then changes to a line that does not join pays for it (11.1.2, 11.4)."""
    three = ["DE 5/1/ABN", "DE 5/2/ABN", "DE 104/IREGT"]
    units = {"0702": ["Axis depot 1"], "1824": three, "1923": ["Axis depot 2"]}
    costs = []
    for defended in ({}, {"1724": ["Allied lorry 1"]}):
        match = table("axis movement", units | defended, **NO_TOBRUK)
        match.play([*three, "1724", *(["no"] if defended else []), three[0]])
        costs.append(hexes(match)["1723"])
    assert costs[0] == costs[1]


def test_a_fort_has_its_zone_whoever_holds_it() -> None:
    """Shaken Italians in Tobruk and Germans outside make two zones, too many for an overrun (3, 11.4, 15.2)."""
    units = {"0702": ["Axis depot 1"], "1925": ["IT 19/IREGT"], "1724": ["DE MG2/IBN"], "1440": ["Allied depot 2"]}
    match = table("allied movement", units | {"1729": ["Allied depot 1"]}, more=lost(20), **NO_TOBRUK)
    assert overrun.zones_on(match.game, ALLIED, BOARD["1824"]) == 2
    match = table("allied movement", units | {"1729": ["Allied depot 1"]}, **NO_TOBRUK)
    assert overrun.zones_on(match.game, ALLIED, BOARD["1824"]) == 2


def test_a_unit_that_is_thought_elsewhere_has_come_there_by_no_line() -> None:
    """Whoever plans ahead for one that stands where lines do not join can do so for any hex (11.1.2)."""
    match = table("axis movement", {"0702": ["Axis depot 1"], "1824": ["DE 5/1/ABN"], "1923": ["Axis depot 2"]})
    match.play(["DE 5/1/ABN", "1724"])
    unit = NUMBER["DE 5/1/ABN"]
    assert movement.start_node(match.game, unit) != BOARD["1724"]
    with match.state.where.supposing({unit: BOARD["1722"]}):
        assert movement.start_node(match.game, unit) == BOARD["1722"]
