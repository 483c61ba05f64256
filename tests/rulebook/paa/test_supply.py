"""Supply (8)."""

from __future__ import annotations

from khamsin.games.paa import supply
from khamsin.games.paa.units import ALLIED, AXIS, BOARD, NUMBER
from khamsin.kernel.flood import FAR
from tests.rulebook.paa.table import flags, hexes, table, where, why


def in_supply(match, unit: str, side: int) -> bool:
    return supply.lines(match.game, side).reach(match.state.where[NUMBER[unit]])


def test_a_line_is_measured_as_a_unit_would_move_without_its_own_hex() -> None:
    """The first hex is free, the last one counts (8, 8.1)."""
    match = table("axis movement", {"0702": ["Axis depot 1"], "1006": ["DE 5/1/ABN"]})
    assert supply.lines(match.game, AXIS).distance[BOARD["1006"]] == 6


def test_a_chain_of_installations_leads_to_a_terminal() -> None:
    """Twenty MF from unit to installation, from installation to installation, to the base (8.2, 8.3.1, example 8.2)."""
    chain = {"0702": ["DE 3/ARECBN"], "0703": ["Axis depot 1"], "1906": ["Axis depot 2"], "2110": ["DE 5/1/ABN"]}
    assert in_supply(table("axis movement", chain), "DE 5/1/ABN", AXIS)
    broken = {hex: units for hex, units in chain.items() if hex != "0703"} | {"0702": ["DE 3/ARECBN"]}
    assert in_supply(table("axis movement", broken), "DE 5/1/ABN", AXIS)
    far = chain | {"1906": ["IT 19/IREGT"], "2319": ["Axis depot 2", "DE 5/2/ABN"]}
    assert not in_supply(table("axis movement", far), "DE 5/2/ABN", AXIS)


def test_an_axis_unit_cannot_draw_on_its_base_directly() -> None:
    """A terminal is no installation for the Axis (8.2, 8.3.1)."""
    match = table("axis movement", {"0702": ["DE 3/ARECBN"]})
    assert not in_supply(match, "DE 3/ARECBN", AXIS)


def test_alexandria_and_tobruk_are_installations_for_the_allies() -> None:
    """Allied units trace to their base and to Tobruk themselves (8.3.2)."""
    match = table("allied movement", {"1440": ["BR 22G/IBDE"], "1922": ["AU 24/IBDE"]})
    assert in_supply(match, "BR 22G/IBDE", ALLIED)
    assert in_supply(match, "AU 24/IBDE", ALLIED)
    lost = table(
        "allied movement",
        {"1440": ["BR 22G/IBDE"], "1922": ["AU 24/IBDE"]},
        axis=("0702", "1925"),
        allied=("1351", "1730"),
    )
    assert not in_supply(lost, "AU 24/IBDE", ALLIED)


def test_bardia_feeds_only_those_in_it() -> None:
    """Bardia is installation and terminal for Allied units in the hex (8.3.2)."""
    match = table(
        "allied movement",
        {"1730": ["SA 1/IBDE"], "1629": ["SA 2/IBDE"]},
        axis=("0702", "1925"),
        allied=("1351", "1730"),
    )
    assert in_supply(match, "SA 1/IBDE", ALLIED)
    assert not in_supply(match, "SA 2/IBDE", ALLIED)


def test_tobruk_and_alexandria_are_terminals_for_an_axis_that_holds_them() -> None:
    """Captured Tobruk ends Axis lines, but feeds no unit by itself (8.3.1)."""
    units = {"1925": ["DE 5/1/ABN"], "1824": ["Axis depot 1"]}
    assert in_supply(table("axis movement", units, axis=("0702", "1925"), allied=("1351", "1730")), "DE 5/1/ABN", AXIS)
    assert not in_supply(table("axis movement", units), "DE 5/1/ABN", AXIS)
    bare = {"1925": ["DE 5/1/ABN"]}
    assert not in_supply(
        table("axis movement", bare, axis=("0702", "1925"), allied=("1351", "1730")), "DE 5/1/ABN", AXIS
    )


def test_enemy_zones_cut_a_line_unless_a_friendly_unit_stands_there() -> None:
    """An enemy zone bars a line, a friendly unit opens it (8.2)."""
    barrier = {"0805": ["BR 3/ABDE"], "0905": ["BR 4/ABDE"]}
    home = {"0702": ["Axis depot 1"], "1006": ["DE 5/1/ABN"]}
    assert not in_supply(table("axis movement", home | barrier), "DE 5/1/ABN", AXIS)
    road = home | {"0806": ["BR 3/ABDE"]}
    blocked = supply.lines(table("axis movement", road).game, AXIS).distance[BOARD["1006"]]
    opened = supply.lines(
        table("axis movement", road | {"0905": ["DE 5/2/ABN"], "0906": ["DE 3/ARECBN"]}).game, AXIS
    ).distance[BOARD["1006"]]
    assert opened == 6 < blocked


def test_enemy_units_bar_a_line_even_out_of_supply() -> None:
    """A line never passes an enemy unit (8.2)."""
    match = table("axis movement", {"0702": ["Axis depot 1"], "1006": ["DE 5/1/ABN"], "0803": ["BR 3/ABDE [oos]"]})
    assert supply.lines(match.game, AXIS).distance[BOARD["0803"]] == FAR


def test_a_unit_without_a_line_is_marked_in_its_supply_phase_and_freed_later() -> None:
    """Out of supply is judged at the start of the own turn (8.4)."""
    match = table("allied supply", {"0510": ["BR 3/ABDE"], "1351": ["NZ 4/IBDE [oos]"]}, dice=(2,) * 20)
    assert "oos" in flags(match, "BR 3/ABDE")
    assert "oos" not in flags(match, "NZ 4/IBDE")
    assert "BR 3/ABDE" not in match.names
    assert why(match, "BR 3/ABDE") == ("BR 3/ABDE cannot move: it is out of supply", "8.4", "BR 3/ABDE")


def test_the_enemy_is_judged_when_the_movement_phase_begins() -> None:
    """The other side's supply is judged no later than the start of movement (8.4)."""
    match = table("axis movement", {"0510": ["BR 3/ABDE"], "0702": ["Axis depot 1", "DE 3/ARECBN"]})
    assert "oos" in flags(match, "BR 3/ABDE")


def test_allied_units_may_not_move_out_of_supply() -> None:
    """Not there, and not on the way (8.4.1, 11.1.1)."""
    match = table("allied movement", {"1440": ["BR 4/ABDE"]})
    match.play(["BR 4/ABDE"])
    assert "0330" not in hexes(match)
    reason, rule, _ = why(match, "0330")
    assert "out of supply" in reason
    assert rule == "8.4.1"


def test_italians_may_not_and_germans_may_run_on() -> None:
    """Italian units keep to their supply; Germans go on (8.4.2, 11.1.1)."""
    units = {"0703": ["Axis depot 1"], "0702": ["IT 132/AREGT", "DE 5/1/ABN"]}
    match = table("axis movement", units)
    match.play(["IT 132/AREGT"])
    italian = set(hexes(match))
    match.play(["cancel", "DE 5/1/ABN"])
    german = set(hexes(match))
    assert italian < german
    assert "2212" in german - italian
    match.play(["cancel", "IT 132/AREGT"])
    assert why(match, "2212")[1] == "8.4.2"


def test_a_german_that_ran_out_of_supply_counts_as_supplied_for_its_turn() -> None:
    """Supply lost during the own turn does not tell until it ends (8.4.2)."""
    match = table("axis movement", {"0703": ["Axis depot 1"], "0702": ["DE 5/1/ABN"]})
    match.play(["DE 5/1/ABN", "2212"])
    assert "oos" not in flags(match, "DE 5/1/ABN")
    assert where(match, "DE 5/1/ABN") == "2212"


def test_attack_supply_needs_an_installation_within_eight_that_has_not_moved() -> None:
    """Eight MF, connected, not moved this turn (8.5)."""
    match = table("axis combat", {"0702": ["Axis depot 1"], "1006": ["DE 5/1/ABN"], "1206": ["DE 5/2/ABN"]})
    near = supply.attack_supply(match.game, AXIS)
    assert near[BOARD["1006"]] == 6
    assert near[BOARD["1307"]] == FAR
    match.game.set_flag(NUMBER["Axis depot 1"], "moved")
    assert supply.attack_supply(match.game, AXIS)[BOARD["1006"]] == FAR
    assert supply.lines(match.game, AXIS).reach(BOARD["1006"])
