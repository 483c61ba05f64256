"""Why a piece cannot move: one reason, its section and a cause that exists (4, 9, 11)."""

from __future__ import annotations

from khamsin import games
from khamsin.games.paa import malta
from khamsin.games.paa.units import NUMBER
from tests.rulebook.paa.table import hexes, table, where, why

HOME = {"0702": ["Axis depot 1"]}


def test_an_installation_does_not_go_by_rail_into_a_hex_with_an_enemy_one() -> None:
    """Only units and lorries capture it; further along the line is barred too (11.1.6, 11.3.1)."""
    match = table("allied movement", {"1351": ["Allied depot 1"], "1245": ["Axis depot 2"]})
    match.play(["Allied depot 1"])
    assert "1245" not in hexes(match)
    assert "1440" not in hexes(match)
    assert "1248" in hexes(match)
    assert why(match, "1440") == (
        "Allied depot 1 cannot go by rail to 1440: an Axis installation is in 1245",
        "11.1.6",
        "1245",
    )


def test_an_installation_does_not_go_by_sea_to_an_enemy_one() -> None:
    """A port with an Axis installation takes units, not installations (11.1.6, 11.2)."""
    match = table("allied movement", {"1351": ["Allied depot 1", "AU 18/IBDE"], "1925": ["Axis depot 2"]})
    match.play(["Allied depot 1"])
    assert "1925" not in hexes(match)
    assert why(match, "1925")[1:] == ("11.1.6", "1925")
    match.play(["cancel", "AU 18/IBDE", "by sea"])
    assert "1925" in hexes(match)


def test_a_lone_installation_on_the_road_is_named() -> None:
    """Units stop to capture it (11.1.6)."""
    match = table("axis movement", HOME | {"0804": ["IT 132/AREGT"], "0905": ["Allied depot 1"]})
    match.state.spent[NUMBER["IT 132/AREGT"]] = 55
    match.play(["IT 132/AREGT"])
    reason, rule, cause = why(match, "1006")
    assert (rule, cause) == ("11.1.6", "Allied depot 1")
    assert "must stop in 0905 to capture Allied depot 1" in reason


def test_a_lorry_on_the_road_is_named() -> None:
    """A lorry has no ZOC, but its hex is occupied (11.1)."""
    match = table("axis movement", HOME | {"0804": ["IT 132/AREGT"], "0905": ["Allied lorry 1"]})
    match.state.spent[NUMBER["IT 132/AREGT"]] = 57
    match.play(["IT 132/AREGT"])
    reason, rule, cause = why(match, "1006")
    assert (rule, cause) == ("11.1", "Allied lorry 1")
    assert "0905 is occupied by Allied lorry 1" in reason


def test_no_step_leads_from_zone_to_zone() -> None:
    """It is not worded as a stop (11.1.4)."""
    match = table("axis movement", HOME | {"0906": ["DE 5/1/ABN"], "1006": ["BR 3/ABDE"]})
    match.state.spent[NUMBER["DE 5/1/ABN"]] = 57
    match.play(["DE 5/1/ABN"])
    reason, rule, cause = why(match, "0907")
    assert (rule, cause) == ("11.1.4", "BR 3/ABDE")
    assert "no step leads from ZOC to ZOC" in reason


def test_the_sea_button_is_refused_with_its_reason() -> None:
    """Not a port, moved already, no port left (2.1.2, 11.2)."""
    match = table("allied movement", {"1250": ["AU 18/IBDE"], "1351": ["AU 20/IBDE"]}, allied=("1351",))
    match.play(["AU 18/IBDE"])
    assert why(match, "by sea") == ("AU 18/IBDE cannot go by sea: 1250 is not a port", "2.1.2", "1250")
    assert match.rules.button("by sea") in match.blocked()
    match.play(["cancel", "AU 20/IBDE"])
    reason, rule, cause = why(match, "by sea")
    assert (rule, cause) == ("11.2", "1925")
    assert "does not control 1925" in reason


def test_a_lorry_at_the_closed_border_is_told_of_malta() -> None:
    """The road goes on; the order of the day does not (9)."""
    for state, rule in ((malta.FAILURE, "9"), (malta.NO_ATTEMPT, "")):
        match = table("axis movement", HOME | {"1530": ["Axis lorry 1"]}, turn=15, more=f"[state]\nmalta = {state}\n")
        match.play(["Axis lorry 1"])
        assert ("1531" in hexes(match)) == (not rule)
        assert not rule or why(match, "1531")[1] == rule


def test_a_hex_selects_all_that_can_move_and_units_add_and_remove_themselves() -> None:
    """Units move alone or as stacks (11.1)."""
    stack = ["NZ 4/IBDE", "NZ 5/IBDE", "BR 4/ABDE"]
    match = table("allied movement", {"1351": stack})
    match.play(["1351"])
    assert [match.rules.names[unit] for unit in match.decision.about] == sorted(stack, key=NUMBER.__getitem__)
    match.play(["BR 4/ABDE"])
    assert len(match.decision.about) == 2
    match.play(["BR 4/ABDE", "NZ 4/IBDE", "1250"])
    assert where(match, "BR 4/ABDE") == where(match, "NZ 5/IBDE") == "1250"
    assert where(match, "NZ 4/IBDE") == "1351"


def test_removing_the_last_unit_drops_the_selection() -> None:
    """As cancel does (11.1)."""
    match = table("allied movement", {"1351": ["NZ 4/IBDE"]})
    match.play(["NZ 4/IBDE", "NZ 4/IBDE"])
    assert match.decision.top


def test_the_stacking_limit_comes_from_the_data() -> None:
    """Three units and one installation (4)."""
    from khamsin.games.paa.ground import COSTS
    from khamsin.games.paa.stacking import INSTALLATIONS, LIMIT

    assert COSTS["stacking"]["units"] == LIMIT
    assert COSTS["stacking"]["installations"] == INSTALLATIONS.limits[0]
    assert games.load("paa")


def test_an_enemy_hex_is_refused_with_the_units_in_it_combat_units_first() -> None:
    """Pointing at the hex or at any piece in it names the units, not the installation (7.1, 11)."""
    match = table("axis movement", HOME | {"1006": ["Allied depot 1", "BR 3/ABDE"], "0804": ["IT 132/AREGT"]})
    text = "1006 is occupied by the enemy: BR 3/ABDE, Allied depot 1"
    assert why(match, "1006") == (text, "11", "BR 3/ABDE")
    assert why(match, "Allied depot 1") == (text, "7.1", "BR 3/ABDE")
    assert why(match, "0101") == ("None of your units is in 0101", "11", "0101")
