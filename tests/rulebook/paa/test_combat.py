"""Combat (12): who may and must attack, with what supply, how it is resolved, who is lost and who advances."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest

from khamsin import games
from khamsin.games.paa import advance, combat, differential, losses, preview, resolution
from khamsin.games.paa.units import ALLIED, AXIS, BOARD, CF, NUMBER, PaaState
from khamsin.kernel import Match, ReplayDice, SeededDice, position
from khamsin.mechanics.losses import choices
from tests.rulebook.paa.table import declare, figure, flags, go_on, hexes, table, where, why

BEHIND = {"0803": ["Axis depot 1"], "1906": ["Allied depot 1"], "2319": ["Allied depot 2"]}
"""An Axis installation at Mersa Brega, Allied ones at Benghazi and Derna: both sides are supplied around Agedabia."""


def facing(units: dict[str, list[str]], dice: tuple[int, ...] = (), **more: object) -> Match[PaaState]:
    """The Axis is about to fight around Agedabia."""
    return table("axis combat", {**BEHIND, **units}, dice=dice, **more)  # type: ignore[arg-type]


CONTACT = {"0143": ["DE 300/IBN"], "0144": ["NZ 4/IBDE"]}
"""Two units far off that keep the combat phase asking."""


def standing(units: dict[str, list[str]]) -> Match[PaaState]:
    """Units somewhere on the map in the Axis combat phase."""
    return facing({**CONTACT, **units})


def numbers(*units: str) -> list[int]:
    return [NUMBER[unit] for unit in units]


def places(*names: str) -> list[int]:
    return [BOARD[name] for name in names]


def fight(match: Match[PaaState], target: str, *attackers: str) -> None:
    """Name one combat, give up nothing, and begin to resolve it."""
    declare(match, target, *attackers)
    go_on(match, combat.RESOLVE)
    match.play([target])


def over(match: Match[PaaState]) -> bool:
    return match.phase.name != "axis combat"


def supply(match: Match[PaaState], unit: str) -> int:
    return match.state.supply[NUMBER[unit]]


def defence(match: Match[PaaState], *targets: str) -> Fraction:
    sheet = differential.attack(match.game, [], places(*targets), lambda unit: 2)
    return Fraction(sheet.df, 4)


def attack(match: Match[PaaState], units: list[str], targets: list[str], halves: int = 2) -> Fraction:
    sheet = differential.attack(match.game, numbers(*units), places(*targets), lambda unit: halves)
    return Fraction(sheet.af, 4)


# Who attacks whom


def test_the_allies_may_not_attack_on_the_first_turn() -> None:
    """Their combat phase passes by (12, 12.3.1)."""
    units = {**BEHIND, "0906": ["DE 5/1/ABN"], "1006": ["BR 3/ABDE"]}
    assert table("allied combat", units, turn=1).phase.name != "allied combat"
    assert table("allied combat", units, turn=2).names == ["0906", "done"]


@pytest.mark.parametrize("state", ["oos", "ooc", "dismounted"])
def test_units_out_of_supply_or_command_may_not_attack(state: str) -> None:
    """Nobody else is there, so no hex is open (12, 10.3)."""
    units = {**BEHIND, "0906": ["DE 5/1/ABN"], "1006": [f"BR 3/ABDE [{state}]"]}
    assert "0906" not in table("allied combat", units).names


def test_combat_is_voluntary_in_a_zone_of_control() -> None:
    """An adjacent enemy need not be attacked (12.1)."""
    match = facing({"0906": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE"]})
    match.play(["done", "done"])
    assert over(match)
    assert where(match, "BR SG/2/IBDE") == "1006"


def test_nobody_attacks_across_a_prohibited_hexside() -> None:
    """The edge of the depression is closed (12.2, 2.1.1)."""
    match = facing({"0143": ["DE 5/1/ABN"], "0242": ["BR SG/2/IBDE"], "0144": ["BR 3/ABDE"]})
    assert "0144" in match.names
    assert "0242" not in match.names


def test_a_lone_installation_is_no_target_and_a_lone_lorry_is() -> None:
    """Combat is with units; installations are taken by entering (12, 11.1.6, 12.4.2)."""
    match = facing({"0906": ["DE 5/1/ABN"], "1006": ["Allied depot 3"], "1005": ["Allied lorry 1"]})
    assert match.names == ["1005", "done"]


def test_units_of_one_hex_may_attack_different_targets_or_none() -> None:
    """Each attacker is named by itself (12.2)."""
    match = facing(
        {"0906": ["DE 5/1/ABN", "DE 5/2/ABN", "DE MG2/IBN"], "1006": ["BR SG/2/IBDE"], "1005": ["BR 3/ABDE"]}
    )
    declare(match, "1006", "DE 5/1/ABN")
    declare(match, "1005", "DE 5/2/ABN")
    battle = match.state.battle
    assert [battle[u] for u in numbers("DE 5/1/ABN", "DE 5/2/ABN", "DE MG2/IBN")] == [1, 2, 0]


def test_a_hex_is_attacked_once_and_a_unit_attacks_once() -> None:
    """What is in one combat is closed to the next (12.2)."""
    match = facing({"0906": ["DE 5/1/ABN", "DE 5/2/ABN"], "1006": ["BR SG/2/IBDE"], "1005": ["BR 3/ABDE"]})
    declare(match, "1006", "DE 5/1/ABN")
    match.play(["1005"])
    assert "DE 5/1/ABN" not in match.names
    assert "1006" not in match.names
    assert why(match, "DE 5/1/ABN")[1:] == ("12.2", "1006")


def test_every_attacker_must_be_adjacent_to_every_attacked_hex() -> None:
    """0907 touches 1006 and 1007, 0906 touches 1006 but not 1007 (12.2)."""
    match = facing({"0906": ["DE 5/1/ABN"], "0907": ["DE 5/2/ABN"], "1006": ["BR SG/2/IBDE"], "1007": ["BR 3/ABDE"]})
    match.play(["1006"])
    assert {"DE 5/1/ABN", "DE 5/2/ABN", "1007"} <= set(match.names)
    match.play(["1007"])
    assert "DE 5/1/ABN" not in match.names
    match.play(["cancel", "1006", "DE 5/2/ABN"])
    assert "1007" not in match.names
    assert why(match, "1007") == ("DE 5/1/ABN cannot attack 1007: not adjacent", "12.2", "1007")


def test_the_whole_hex_defends() -> None:
    """All units of an attacked hex take part (12.2)."""
    match = facing({"0906": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE", "BR 3/ABDE"]})
    assert defence(match, "1006") == 5


def test_units_that_stay_out_are_not_affected() -> None:
    """A counter-attack takes only from the attackers (12.2)."""
    match = facing({"0906": ["IT 132/AREGT", "DE MG2/IBN"], "1006": ["BR SG/2/IBDE"]}, dice=(6, 1))
    fight(match, "1006", "IT 132/AREGT")
    match.play(["yes"])
    assert where(match, "DE MG2/IBN") == "0906"


# Forts


TOBRUK = {"1824": ["DE 5/1/ABN", "DE MG2/IBN [oos]"], "1925": ["AU 24/IBDE"], "1724": ["Axis depot 2"]}


def test_units_in_the_zone_of_an_enemy_fort_must_attack_it() -> None:
    """They are in the combat from the start, out of supply or not, and it cannot be called off (12.1.1, 12.2)."""
    match = facing({**TOBRUK, "0906": ["DE 8/1/ABN"], "1006": ["BR SG/2/IBDE"]})
    assert match.state.targets == {BOARD["1925"]: 1}
    assert all(match.state.battle[u] == 1 for u in numbers("DE 5/1/ABN", "DE MG2/IBN"))
    assert why(match, "1925")[1:] == ("12.1.1", "1925")
    match = facing({**TOBRUK})
    assert match.decision is not None
    assert match.decision.kind == "combat.counter"
    assert match.decision.prompt == "Counter-attack with differential 0 from 1925?"


def test_an_attack_on_a_fort_below_0_has_no_effect_but_is_answered() -> None:
    """3/2 against 10: no roll, but the fort strikes back with 4 against 5 CF, and a 1 costs 2 CF (12.1.1, 12.4.4)."""
    match = facing(TOBRUK, dice=(1,))
    match.play(["yes"])
    assert where(match, "AU 24/IBDE") == "1925"
    assert where(match, "DE MG2/IBN") == "Axis Cadre"
    assert where(match, "DE 5/1/ABN") == "1824"


def test_a_fort_held_by_nobody_forces_nothing() -> None:
    """A lone lorry in Tobruk is an ordinary target (12.1.1)."""
    match = facing({**TOBRUK, "1925": ["Allied lorry 1"]})
    assert match.state.targets == {}
    assert "1925" in match.names


def test_an_attack_on_a_fort_frees_those_who_owed_it() -> None:
    """One attack is enough, even without effect (12.1.1, 11.1.5)."""
    match = facing({**TOBRUK, "1824": ["DE 5/1/ABN [owes attack]"]})
    match.play(["no"])
    assert "owes attack" not in flags(match, "DE 5/1/ABN")


def test_out_of_supply_attackers_add_nothing_to_an_attack_on_a_fort_but_count_against_the_answer() -> None:
    """Their attack factor is 0, their CF still stands against the counter-attack (12.1.1, 12.4.4)."""
    match = facing(TOBRUK)
    assert supply(match, "DE MG2/IBN") == 0
    sheet = differential.counter(match.game, numbers("AU 24/IBDE"), numbers("DE 5/1/ABN", "DE MG2/IBN"))
    assert sheet.df == 4 * 5


# Supply


@pytest.mark.parametrize(
    ("depot", "halves"),
    [("Axis depot 1", differential.ATTACK_SUPPLY), ("Axis depot 1 [moved]", differential.GENERAL_SUPPLY)],
)
def test_attack_supply_needs_an_installation_that_has_not_moved(depot: str, halves: int) -> None:
    """0906 is 3 MF from 0803 (12.3, 8.5)."""
    match = facing({"0803": [depot], "0906": ["DE 5/1/ABN", "DE 104/IREGT"], "1006": ["BR SG/2/IBDE"]})
    declare(match, "1006", "DE 5/1/ABN", "DE 104/IREGT")
    go_on(match, combat.RESOLVE)
    assert supply(match, "DE 5/1/ABN") == halves


def test_general_supply_halves_an_attacker_beyond_8_mf() -> None:
    """1007 is more than 8 MF from Mersa Brega (12.3, 8.5)."""
    match = facing({"1007": ["DE 5/1/ABN", "DE 104/IREGT"], "1006": ["SA AC/ARECBN"]})
    declare(match, "1006", "DE 5/1/ABN", "DE 104/IREGT")
    go_on(match, combat.RESOLVE)
    assert supply(match, "DE 5/1/ABN") == differential.GENERAL_SUPPLY
    assert attack(match, ["DE 5/1/ABN"], ["1006"], supply(match, "DE 5/1/ABN")) == Fraction(3, 2)


def test_an_installation_given_up_doubles_its_attackers_and_leaves_at_the_end() -> None:
    """It still stands while the combats are fought (12.3)."""
    match = facing({"0906": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE"]}, dice=(6, 6))
    declare(match, "1006", "DE 5/1/ABN")
    go_on(match, combat.SUPPLY)
    assert match.legal_by_class()["units"] == {"Axis depot 1": {"attackers": 1}}
    match.play(["Axis depot 1"])
    assert supply(match, "DE 5/1/ABN") == differential.MAXIMUM_SUPPLY
    assert where(match, "Axis depot 1") == "0803"
    match.play(["1006", "yes", "done"])
    assert where(match, "Axis depot 1") == "Axis OOB"
    assert "sacrificed" not in flags(match, "Axis depot 1")


def test_an_installation_out_of_reach_of_every_attacker_cannot_be_given_up() -> None:
    """8 MF, and it must not have moved (12.3)."""
    match = facing(
        {"0803": ["Axis depot 1 [moved]"], "0601": ["Axis depot 2"], "0906": ["DE 5/1/ABN"], "1006": ["SA AC/ARECBN"]}
    )
    declare(match, "1006", "DE 5/1/ABN")
    go_on(match, combat.SUPPLY)
    assert match.legal_by_class()["units"] == {}


def test_an_installation_may_be_removed_for_nothing_and_then_supports_no_combat() -> None:
    """It goes at once (12.3)."""
    match = facing({"0906": ["DE 5/1/ABN", "DE 104/IREGT"], "1006": ["BR SG/2/IBDE"]})
    declare(match, "1006", "DE 5/1/ABN", "DE 104/IREGT")
    go_on(match, combat.SUPPLY)
    match.play(["destroy", "Axis depot 1"])
    go_on(match, combat.RESOLVE)
    assert where(match, "Axis depot 1") == "Axis OOB"
    assert supply(match, "DE 5/1/ABN") == differential.GENERAL_SUPPLY


ALLIED_ATTACK = {
    "0702": ["Axis depot 1"],
    "0906": ["DE MG2/IBN"],
    "1006": ["BR 3/ABDE"],
    "1906": ["Allied depot 1"],
    "2319": ["Allied depot 2"],
    "1208": ["Allied depot 3"],
}


def give_up(units: dict[str, list[str]]) -> list[str]:
    """What the Allies may give up in an attack on 0906."""
    match = table("allied combat", {**ALLIED_ATTACK, **units})
    declare(match, "0906", "BR 3/ABDE")
    go_on(match, combat.SUPPLY)
    return list(match.legal_by_class()["units"])


def test_the_allies_may_not_give_up_an_installation_out_of_command() -> None:
    """In command it may be spent (12.3.1, 10.3)."""
    assert give_up({}) == ["Allied depot 3"]
    assert give_up({"1208": ["Allied depot 3 [ooc]"]}) == []


def test_the_allies_may_not_give_up_an_installation_that_a_unit_needs() -> None:
    """Benghazi is within 20 MF of 1006; with that link further off, 1208 alone keeps BR 3 in supply (12.3.1, 8.4.1)."""
    assert give_up({}) == ["Allied depot 3"]
    assert give_up({"1906": [], "1614": ["Allied depot 1"]}) == []


def test_the_allies_may_not_remove_an_installation_that_a_unit_needs() -> None:
    """Benghazi serves both units, Derna joins it to Tobruk; 1208 nobody needs (12.3.1, 8.4.1)."""
    match = table("allied combat", ALLIED_ATTACK)
    declare(match, "0906", "BR 3/ABDE")
    match.play(["destroy"])
    assert list(match.legal_by_class()["units"]) == ["Allied depot 3"]


def test_the_axis_may_give_up_an_installation_that_its_units_need() -> None:
    """Even Italians may lose supply that way (12.3, 8.4.2)."""
    match = facing({"0906": ["IT 132/AREGT"], "1006": ["BR SG/2/IBDE"]})
    declare(match, "1006", "IT 132/AREGT")
    match.play(["destroy"])
    assert "Axis depot 1" in match.names


def test_the_button_that_goes_on_comes_before_the_one_that_removes_an_installation() -> None:
    """Where one can be given up, the combats can be resolved without (12.3)."""
    match = facing({"0906": ["DE 5/1/ABN", "DE 104/IREGT"], "1006": ["BR SG/2/IBDE"]})
    declare(match, "1006", "DE 5/1/ABN", "DE 104/IREGT")
    go_on(match, combat.SUPPLY)
    assert match.names == ["Axis depot 1", "done", "destroy"]


BARDIA_ALONE = {
    "1629": ["DE 5/1/ABN"],
    "1730": ["BR 3/ABDE"],
    "1628": ["Axis depot 2 [moved]"],
    "0803": ["Axis depot 1"],
}


def test_an_installation_may_be_removed_when_the_only_combat_is_forced() -> None:
    """A forced attack on a fort is a declared combat: with one installation to give up, another may be removed (12.1.1,
    12.3)."""
    units = {**BARDIA_ALONE, "1628": ["Axis depot 2"]}
    match = facing(units, axis=("0702", "1925"), allied=("1351", "1730"), dice=(1, 6))
    assert match.names == ["Axis depot 2", "done", "destroy"]
    match.play(["destroy", "Axis depot 1"])
    assert where(match, "Axis depot 1") == "Axis OOB"


def test_nothing_is_asked_about_installations_when_none_can_be_given_up() -> None:
    """The installation near the forced attack has moved: the combat is resolved at once (12.1.1, 12.3)."""
    match = facing(BARDIA_ALONE, axis=("0702", "1925"), allied=("1351", "1730"), dice=(1, 6))
    assert match.decision is not None
    assert match.decision.kind == "combat.counter"


def test_installations_are_not_asked_about_without_a_combat_or_use_for_them() -> None:
    """No combat, or no installation within 8 MF that has not moved: the phase goes on (12.3)."""
    match = facing({"0906": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE"]})
    assert why(match, "destroy") == ("No installation can be removed: no combat is declared", "12.3", "destroy")
    match.play(["done"])
    assert over(match)
    match = facing({"0803": ["Axis depot 1 [moved]"], "0906": ["DE 5/1/ABN", "DE 104/IREGT"], "1006": ["BR SG/2/IBDE"]})
    declare(match, "1006", "DE 5/1/ABN", "DE 104/IREGT")
    match.play(["done"])
    assert match.decision is not None
    assert match.decision.kind == "combat.order"


# Differential


def test_the_attack_of_figure_8() -> None:
    """Two Germans across escarpment with an installation given up: 7 against 4, differential 3 (12.3, 12.4.2, fig. 8)."""
    match = figure("fig-8")
    declare(match, "1509", "1608", "DE 104/IREGT", "DE 5/1/ABN")
    match.play(["done", "Axis depot 1"])
    sheet = resolution.weigh(match.game, AXIS, 1)
    assert (sheet.af, sheet.df, sheet.differential) == (4 * 7, 4 * 4, 3)
    assert hexes(match) == {"1509": {"differential": 3}, "1608": {"differential": 3}}


def test_the_attack_of_figure_8_without_the_installation() -> None:
    """3 1/2 against 4 is -1/2, and no attack is possible: the combat is called off (12.4.2, fig. 8 kept)."""
    match = figure("fig-8")
    sheet = differential.attack(
        match.game, numbers("DE 104/IREGT", "DE 5/1/ABN"), places("1509", "1608"), lambda unit: 2
    )
    assert Fraction(sheet.af - sheet.df, 4) == Fraction(-1, 2)
    assert not sheet.permitted
    declare(match, "1509", "1608", "DE 104/IREGT", "DE 5/1/ABN")
    match.play(["done", "done"])
    assert over(match)
    assert "12.4.3" not in {event.rule for event in match.events}


@pytest.mark.parametrize("roll", [2, 3, 4, 5, 6])
def test_the_result_of_figure_9(roll: int) -> None:
    """Differential 3 costs the Allies 2 or 3 CF, which is one of their two units, and they choose which (12.4.3, fig. 9)."""
    match = figure("fig-9")
    match.game.use(ReplayDice([roll], SeededDice(0)))
    match.play(["1509"])
    assert match.decision is not None
    assert (match.decision.side, match.names) == (ALLIED, ["BR SG/2/IBDE", "AU 20/IBDE"])
    match.play(["BR SG/2/IBDE"])
    assert (where(match, "BR SG/2/IBDE"), where(match, "AU 20/IBDE")) == ("Allied Cadre", "1608")


def test_the_counter_attack_of_figure_10() -> None:
    """One unit of 2 CF left: 4 against 7, counted as 0; a 2 removes no German unit (12.4.4, fig. 10)."""
    match = figure("fig-10")
    sheet = differential.counter(match.game, numbers("AU 20/IBDE"), numbers("DE 104/IREGT", "DE 5/1/ABN"))
    assert (sheet.af, sheet.df, sheet.differential) == (4 * 4, 4 * 7, 0)
    match = figure("fig-9")
    match.game.use(ReplayDice([4, 1], SeededDice(0)))
    match.play(["1608", "BR SG/2/IBDE", "yes"])
    assert match.events[-1].data["amount"] == 2
    assert (where(match, "DE 104/IREGT"), where(match, "DE 5/1/ABN")) == ("1508", "1508")


@pytest.mark.parametrize(
    ("hex", "unit", "factor"),
    [
        ("1218", "BR SG/2/IBDE", 2),  # clear
        ("2212", "BR SG/2/IBDE", 4),  # rough
        ("0704", "BR SG/2/IBDE", 2),  # swamp, Allied
        ("0704", "DE MG2/IBN", 4),  # swamp, Axis
        ("1730", "BR SG/2/IBDE", 4),  # Bardia
        ("1925", "BR SG/2/IBDE", 10),  # Tobruk
        ("1730", "DE MG2/IBN", 4),
        ("1925", "DE MG2/IBN", 10),
    ],
)
def test_the_ground_multiplies_the_defence(hex: str, unit: str, factor: int) -> None:
    """Rough and Bardia double, swamp for the Axis alone, Tobruk times five (12.4.2, 2.1.1)."""
    assert defence(standing({hex: [unit]}), hex) == factor


@pytest.mark.parametrize("state", ["oos", "dismounted"])
def test_out_of_supply_halves_the_defence_but_no_unit_falls_below_1(state: str) -> None:
    """3 becomes 1 1/2, 1 stays 1, 2 in Tobruk becomes 5 (12.4.2, 8.5)."""
    units = {
        "1006": [f"BR 3/ABDE [{state}]"],
        "1007": [f"SA AC/ARECBN [{state}]"],
        "1925": [f"AU 24/IBDE [{state}]"],
    }
    match = standing(units)
    assert [defence(match, hex) for hex in units] == [Fraction(3, 2), 1, 5]


def test_reinforcement_counts_in_defence_and_attack() -> None:
    """The present CF is used (12.4.2, 13.4)."""
    match = facing({"1006": ["BR 3/ABDE [plus 2]"], "0906": ["DE 5/1/ABN"]})
    assert defence(match, "1006") == 5
    assert attack(match, ["BR 3/ABDE"], ["0906"]) == 5


def test_lorries_defend_only_when_alone() -> None:
    """Each with 1, times the ground; stacked with units they add nothing (12.4.2)."""
    match = facing({"2212": ["Allied lorry 1"], "1006": ["BR SG/2/IBDE", "Allied lorry 2"]})
    assert (defence(match, "2212"), defence(match, "1006")) == (2, 2)


def test_escarpment_halves_only_those_who_have_nothing_else_before_them() -> None:
    """1508 meets 1608 across escarpment and 1607 in the open; an attack on both is whole (12.4.2)."""
    match = facing({"1508": ["DE 5/1/ABN", "DE 300/IBN"], "1607": ["BR SG/2/IBDE"], "1608": ["AU 20/IBDE"]})
    assert attack(match, ["DE 5/1/ABN"], ["1608"]) == Fraction(3, 2)
    assert attack(match, ["DE 5/1/ABN"], ["1607", "1608"]) == 3
    assert attack(match, ["DE 300/IBN"], ["1608"], halves=1) == 1


def test_fractions_are_kept_and_the_differential_is_rounded_down() -> None:
    """Two units of 3 in general supply bring 3, one brings 1 1/2: against 1 that is a differential of 0 (12.4.2)."""
    match = facing({"1007": ["DE 5/1/ABN"], "1006": ["SA AC/ARECBN"]})
    sheet = differential.attack(match.game, numbers("DE 5/1/ABN"), places("1006"), lambda unit: 1)
    assert (sheet.af, sheet.differential, sheet.permitted) == (6, 0, True)


def test_every_term_of_a_differential_names_its_section() -> None:
    """CF, escarpment, supply, ground, totals (12.4.2, 12.3, 2.3.1)."""
    match = figure("fig-8")
    sheet = differential.attack(match.game, numbers("DE 104/IREGT"), places("1509"), lambda unit: 4)
    assert [tuple(term) for term in sheet.terms] == [
        ("DE 104/IREGT, CF", "4", "2.3.1"),
        ("DE 104/IREGT only across escarpment", "x ½", "12.4.2"),
        ("DE 104/IREGT in maximum attack supply", "x 2", "12.3"),
        ("attack factor", "4", "12.4.2"),
        ("BR SG/2/IBDE, CF", "2", "2.3.1"),
        ("defence factor", "2", "12.4.2"),
        ("differential", "2", "12.4.2"),
    ]


@pytest.mark.parametrize(
    ("column", "rolls"),
    [
        (0, [2, 0, 0, 0, 0, 0]),
        (1, [2, 0, 0, 0, 0, 0]),
        (2, [3, 3, 2, 2, 0, 0]),
        (3, [4, 3, 3, 2, 2, 2]),
        (4, [4, 4, 3, 3, 3, 3]),
        (5, [6, 4, 4, 3, 3, 3]),
        (6, [6, 6, 4, 4, 4, 4]),
        (7, [6, 6, 6, 6, 6, 4]),
        (8, [8, 8, 6, 6, 6, 6]),
        (9, [10, 8, 8, 8, 6, 6]),
        (25, [10, 10, 8, 8, 8, 6]),
    ],
)
def test_the_combat_results_table(column: int, rolls: list[int]) -> None:
    """As the player aid prints it (12.4.3)."""
    crt = facing({}).game.table("crt")
    assert [crt.result(crt.column(column), roll) for roll in range(1, 7)] == rolls


# Resolution


def test_a_voluntary_combat_may_be_called_off_and_a_forced_one_not() -> None:
    """The end of the phase is open only when no forced combat is left (12.4, 12.1.1)."""
    match = facing({**TOBRUK, "1825": ["DE 104/IREGT", "DE 5/2/ABN"], "0906": ["DE 8/1/ABN"], "1006": ["BR SG/2/IBDE"]})
    declare(match, "1006", "DE 8/1/ABN")
    go_on(match, combat.RESOLVE)
    assert set(match.names) == {"1006", "1925"}
    match.play(["1925", "no"])
    assert match.names == ["1006", "done"]
    match.play(["done"])
    assert over(match)


def test_combats_are_resolved_in_any_order_each_to_its_end() -> None:
    """The second combat waits for the first one's counter-attack (12.4)."""
    match = facing(
        {"0906": ["DE 5/1/ABN", "DE 5/2/ABN"], "1006": ["BR SG/2/IBDE"], "1005": ["SA AC/ARECBN"]}, dice=(6, 6)
    )
    declare(match, "1006", "DE 5/1/ABN")
    declare(match, "1005", "DE 5/2/ABN")
    go_on(match, combat.RESOLVE)
    assert set(match.names) == {"1005", "1006", "done"}
    match.play(["1005"])
    assert match.names == ["yes", "no"]
    match.play(["no"])
    assert match.names == ["1006", "done"]


def test_the_defenders_supply_is_judged_when_the_combat_is_resolved() -> None:
    """Marked supplied, but cut off now: it defends at half (12.4.1)."""
    units = {"0906": ["DE 5/1/ABN"], "1006": ["BR 3/ABDE"], "1906": [], "1206": ["Allied depot 1"]}
    match = facing(units)
    assert "oos" not in flags(match, "BR 3/ABDE")
    declare(match, "1006", "DE 5/1/ABN")
    go_on(match, combat.RESOLVE)
    assert hexes(match) == {"1006": {"differential": 1}}
    match.play(["1006"])
    assert "oos" in flags(match, "BR 3/ABDE")


def test_a_defender_that_finds_a_line_again_recovers_before_its_combat() -> None:
    """Marked out of supply, but joined to Benghazi now (12.4.1)."""
    match = facing({"0906": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE [oos]"]})
    fight(match, "1006", "DE 5/1/ABN")
    assert "oos" not in flags(match, "BR SG/2/IBDE")


def test_the_counter_attack_multiplies_each_unit_by_its_nation() -> None:
    """Germans four times, Italians twice, at full CF also out of supply (12.4.4)."""
    match = facing({"0906": ["DE 5/1/ABN [oos]", "IT 132/AREGT"], "1006": ["BR 3/ABDE [plus 2, oos]"]})
    axis, allied = numbers("DE 5/1/ABN", "IT 132/AREGT"), numbers("BR 3/ABDE")
    assert differential.counter(match.game, axis, allied).differential == 12 + 6 - 5
    assert differential.counter(match.game, allied, axis).differential == 10 - 6


def test_a_lone_lorry_strikes_back_with_a_cf_of_1() -> None:
    """Lorries stacked with the attackers do not count for them (12.4.4)."""
    match = facing({"0906": ["IT 32/AREGT", "Axis lorry 1"], "1006": ["Allied lorry 1"]})
    sheet = differential.counter(match.game, numbers("Allied lorry 1"), numbers("IT 32/AREGT"))
    assert (sheet.af, sheet.df) == (4 * 2, 4 * 1)


def test_a_counter_attack_is_possible_when_nobody_is_left() -> None:
    """Differential 0; the Italian regiment of 1 CF falls to a 1 (12.4.4)."""
    match = facing({"0906": ["IT 32/AREGT", "DE 5/1/ABN"], "1006": ["SA AC/ARECBN"]}, dice=(1, 1))
    fight(match, "1006", "IT 32/AREGT", "DE 5/1/ABN")
    assert where(match, "SA AC/ARECBN") == "Allied Cadre"
    match.play(["yes"])
    assert where(match, "IT 32/AREGT") == "Axis Cadre"


def test_the_defender_may_decline_to_counter_attack() -> None:
    """Then nothing is rolled (12.4.4)."""
    match = facing({"0906": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE"]}, dice=(6,))
    fight(match, "1006", "DE 5/1/ABN")
    match.play(["no"])
    answers = [match.game.text(event) for event in match.events if event.rule == "12.4.4"]
    assert answers == ["No counter-attack"]


# Losses


def lose(units: list[str], amount: int) -> tuple[Match[PaaState], object]:
    """A side must lose so many CF from one stack: the match, and the procedure that picks."""
    match = facing({"1006": units, "0906": ["DE 5/1/ABN"]})
    stack = [NUMBER[name.partition(" [")[0]] for name in units if "lorry" not in name]
    return match, losses.choose(match.game, ALLIED, stack, amount, "12.4.5")


def test_losses_never_exceed_the_required_number() -> None:
    """3 CF from two units of 2: one is lost, and the owner chooses it (12.4.5, example 12.4.5a)."""
    match, picking = lose(["BR SG/2/IBDE", "AU 20/IBDE"], 3)
    question = next(picking)  # type: ignore[call-overload]
    assert list(question.legal) == numbers("BR SG/2/IBDE", "AU 20/IBDE")
    with pytest.raises(StopIteration):
        picking.send(NUMBER["AU 20/IBDE"])  # type: ignore[attr-defined]
    assert (where(match, "BR SG/2/IBDE"), where(match, "AU 20/IBDE")) == ("1006", "Allied Cadre")


def test_losses_come_as_near_as_possible() -> None:
    """With a unit of 3 CF at hand that unit is lost, without a question (12.4.5, example 12.4.5b)."""
    match, picking = lose(["BR SG/2/IBDE", "AU 20/IBDE", "BR 3/ABDE"], 3)
    with pytest.raises(StopIteration):
        next(picking)  # type: ignore[call-overload]
    assert where(match, "BR 3/ABDE") == "Allied Cadre"
    assert (where(match, "BR SG/2/IBDE"), where(match, "AU 20/IBDE")) == ("1006", "1006")


def test_only_units_that_can_complete_the_best_loss_are_offered() -> None:
    """4 CF from 3, 2, 2 and 1: either both 2s, or the 3 and the 1 (12.4.5)."""
    match, picking = lose(["BR 3/ABDE", "BR SG/2/IBDE", "AU 20/IBDE"], 4)
    match.state.where[NUMBER["SA AC/ARECBN"]] = BOARD["1006"]
    stack = numbers("BR 3/ABDE", "BR SG/2/IBDE", "AU 20/IBDE", "SA AC/ARECBN")
    picking = losses.choose(match.game, ALLIED, stack, 4, "12.4.5")
    assert len(next(picking).legal) == 4
    with pytest.raises(StopIteration):
        picking.send(NUMBER["BR 3/ABDE"])
    assert where(match, "SA AC/ARECBN") == "Allied Cadre"
    assert where(match, "AU 20/IBDE") == "1006"


def test_a_loss_counts_by_the_nominal_cf() -> None:
    """A unit of 3 out of supply is not lost to a 2, though it defends with 1 1/2 (12.4.5)."""
    match, picking = lose(["BR 3/ABDE [oos]"], 2)
    with pytest.raises(StopIteration):
        next(picking)  # type: ignore[call-overload]
    assert where(match, "BR 3/ABDE") == "1006"


def test_an_eliminated_unit_loses_its_reinforcement_and_its_markers() -> None:
    """It goes to the Cadre as printed, and its loss counts with the reinforcement (12.4.5, 13.4, 2.1.3)."""
    match, picking = lose(["BR 3/ABDE [plus 1, oos]"], 4)
    with pytest.raises(StopIteration):
        next(picking)  # type: ignore[call-overload]
    unit = NUMBER["BR 3/ABDE"]
    assert where(match, "BR 3/ABDE") == "Allied Cadre"
    assert (match.state.plus[unit], match.state.flags[unit]) == (0, 0)


@pytest.mark.parametrize(("turn", "box"), [(3, "Allied OOB turn 5"), (19, "Allied OOB")])
def test_lorries_are_lost_with_the_last_unit_and_come_back_two_turns_later(turn: int, box: str) -> None:
    """Lost on turn 3, back on turn 5; beyond the last turn they stay away (12.4.6, example 12.4.6)."""
    match = facing({"0906": ["DE 5/1/ABN"], "1006": ["SA AC/ARECBN", "Allied lorry 1"]}, dice=(1,), turn=turn)
    fight(match, "1006", "DE 5/1/ABN")
    assert where(match, "SA AC/ARECBN") == "Allied Cadre"
    assert where(match, "Allied lorry 1") == box


def test_lorries_stay_while_a_unit_is_left_in_their_hex() -> None:
    """One of two units falls (12.4.6)."""
    match, picking = lose(["BR 3/ABDE", "BR SG/2/IBDE", "Allied lorry 1"], 3)
    with pytest.raises(StopIteration):
        next(picking)  # type: ignore[call-overload]
    assert where(match, "Allied lorry 1") == "1006"


def test_a_lorry_attacked_alone_is_a_loss_of_1_cf() -> None:
    """A result of 2 takes it (12.4.2, 12.4.5, 12.4.6)."""
    match = facing({"0906": ["DE 5/1/ABN"], "1006": ["Allied lorry 1"]}, dice=(3,))
    fight(match, "1006", "DE 5/1/ABN")
    assert where(match, "Allied lorry 1") == "Allied OOB turn 5"


@pytest.mark.parametrize(("more", "box"), [([], "Axis OOB turn 5"), (["DE MG2/IBN"], "0906")])
def test_a_lorry_of_the_attacker_is_lost_with_his_last_unit_there(more: list[str], box: str) -> None:
    """A unit that stayed out of the combat protects it (12.4.6, 12.2)."""
    units = {"0906": ["IT 32/AREGT", "Axis lorry 1", *more], "1006": ["SA AC/ARECBN"]}
    match = facing(units, dice=(6, 1))
    fight(match, "1006", "IT 32/AREGT")
    match.play(["yes"])
    assert where(match, "IT 32/AREGT") == "Axis Cadre"
    assert where(match, "Axis lorry 1") == box


@pytest.mark.parametrize("amount", range(11))
def test_the_best_loss_is_the_best_of_all_choices(amount: int) -> None:
    """Compared with every choice of units there is (12.4.5)."""
    match = facing(
        {"1006": ["BR 3/ABDE [plus 2]", "BR 7/ABDE", "AU 20/IBDE"], "1007": ["SA AC/ARECBN", "BR 4/ABDE [plus 1]"]}
    )
    units = numbers("BR 3/ABDE", "BR 7/ABDE", "AU 20/IBDE", "SA AC/ARECBN", "BR 4/ABDE")
    sums = [sum(some) for n in range(6) for some in combinations([5, 3, 2, 1, 4], n)]
    assert losses.most(match.game, units, amount) == max(total for total in sums if total <= amount)
    assert choices([5, 3, 2, 1, 4], amount) == sums.count(amount)


def test_a_lost_lorry_leaves_its_load_behind() -> None:
    """The installation stays in the hex (12.4.6)."""
    match = facing({"1006": ["Allied depot 3", "Allied lorry 1"], "0906": ["DE 5/1/ABN"]})
    match.state.load[NUMBER["Allied lorry 1"]] = NUMBER["Allied depot 3"] + 1
    losses.eliminate_lorry(match.game, NUMBER["Allied lorry 1"])
    assert where(match, "Allied depot 3") == "1006"
    assert match.state.load[NUMBER["Allied lorry 1"]] == 0


def test_lost_italian_infantry_is_counted_and_armour_is_not() -> None:
    """2 CF of infantry, 3 of armour (15.2, 12.4.5)."""
    match = facing({"0906": ["IT 19/IREGT", "IT 132/AREGT"]})
    losses.eliminate(match.game, numbers("IT 19/IREGT", "IT 132/AREGT"))
    assert match.state.italian_losses == CF[NUMBER["IT 19/IREGT"]] == 2


# Advance


def won(units: dict[str, list[str]], *clicks: str, dice: tuple[int, ...] = (1, 6)) -> Match[PaaState]:
    """A German attack from 0906 on 1006 that takes at least 2 CF, and a counter-attack that takes nothing."""
    match = facing({"0906": ["DE 5/1/ABN", "DE 104/IREGT"], "1006": ["BR SG/2/IBDE"], **units}, dice=dice)
    fight(match, "1006", *(clicks or ("DE 5/1/ABN", "DE 104/IREGT")))
    match.play(["yes"])
    return match


def test_attackers_may_advance_into_the_hex_they_emptied() -> None:
    """One after the other, or not at all (12.4.7)."""
    match = won({})
    assert match.names == ["DE 5/1/ABN", "DE 104/IREGT", "1006", "done"]
    match.play(["DE 5/1/ABN", "done"])
    assert (where(match, "DE 5/1/ABN"), where(match, "DE 104/IREGT")) == ("1006", "0906")


def test_all_attackers_may_advance_with_one_click_on_the_hex() -> None:
    """The hex takes both at once (12.4.7)."""
    match = won({})
    match.play(["1006"])
    assert (where(match, "DE 5/1/ABN"), where(match, "DE 104/IREGT")) == ("1006", "1006")


def test_zones_of_control_do_not_hinder_an_advance() -> None:
    """0906 and 1006 both lie in the zone of 1005 (12.4.7)."""
    match = won({"1005": ["BR 3/ABDE"]})
    match.play(["DE 5/1/ABN"])
    assert where(match, "DE 5/1/ABN") == "1006"


def test_nobody_advances_while_a_defender_is_left() -> None:
    """The hex is still held (12.4.7)."""
    match = won({"1006": ["BR SG/2/IBDE", "BR 3/ABDE"]}, dice=(5, 6))
    assert where(match, "BR SG/2/IBDE") == "1006"
    assert over(match)


def test_of_several_attacked_hexes_those_emptied_may_be_entered() -> None:
    """1007 is emptied, 1006 is not (12.4.7)."""
    match = facing(
        {"0907": ["DE 5/1/ABN", "DE 104/IREGT"], "1006": ["BR 3/ABDE"], "1007": ["BR SG/2/IBDE"]}, dice=(3, 6)
    )
    declare(match, "1006", "1007", "DE 5/1/ABN", "DE 104/IREGT")
    go_on(match, combat.RESOLVE)
    match.play(["1006", "yes", "DE 5/1/ABN"])
    assert where(match, "DE 5/1/ABN") == "1007"


def test_an_advance_keeps_the_stacking_limit() -> None:
    """Only two of three may enter Bardia (12.4.7, 4)."""
    match = facing(
        {
            "1629": ["DE 5/1/ABN", "DE 5/2/ABN", "DE 104/IREGT"],
            "1730": ["SA AC/ARECBN"],
            "1628": ["Axis depot 2"],
            "0803": ["Axis depot 1"],
        },
        axis=("0702", "1925"),
        allied=("1351", "1730"),
        dice=(1, 6),
    )
    match.play(["done", "yes"])
    refusal = match.explain(match.rules.parse("1730"))
    assert (refusal.rule, refusal.cause) == ("4", "1730")
    match.play(["DE 5/1/ABN", "DE 5/2/ABN"])
    assert where(match, "DE 104/IREGT") == "1629"
    assert over(match)
    assert match.state.control[BOARD["1730"]] == AXIS


def test_an_advance_takes_the_installation_in_the_hex() -> None:
    """It is captured on a 1 or 2 and replaced by one of the captor's (12.4.7, 11.1.6)."""
    match = won({"1006": ["BR SG/2/IBDE", "Allied depot 3"], "Axis OOB": ["Axis depot 2"]}, dice=(1, 6, 2))
    match.play(["DE 5/1/ABN"])
    assert where(match, "Allied depot 3") == "Allied OOB"
    assert where(match, "Axis depot 2") == "1006"


@pytest.mark.parametrize(("unit", "advances"), [("IT 132/AREGT", False), ("DE 5/1/ABN", True)])
def test_italians_may_not_advance_out_of_supply_and_germans_may(unit: str, advances: bool) -> None:
    """Behind 1006 the zones of 1005 and 1007 close (12.4.7, 8.4.2)."""
    units = {"0906": [unit], "1006": ["SA AC/ARECBN"], "1005": ["BR 3/ABDE"], "1007": ["AU 20/IBDE"]}
    match = facing(units, dice=(1, 6))
    fight(match, "1006", unit)
    match.play(["yes"])
    assert (unit in match.names) == advances
    assert over(match) != advances


def test_an_advance_may_not_leave_a_bound_unit_without_supply() -> None:
    """The tanks in 0906 keep open the last line of the Italians in 0907, against the zones of 1005 and 0707 (12.4.7, 8.4.2)."""
    units = {
        "0906": ["DE 5/1/ABN"],
        "0907": ["IT 19/IREGT"],
        "1006": ["SA AC/ARECBN"],
        "1005": ["BR 3/ABDE"],
        "0707": ["BR SG/2/IBDE"],
    }
    match = facing(units, dice=(1, 6))
    fight(match, "1006", "DE 5/1/ABN")
    match.play(["yes"])
    assert over(match)


def test_an_advance_into_the_zone_of_a_fort_owes_it_an_attack() -> None:
    """1824 touches Tobruk (12.4.7, 11.1.5)."""
    match = facing(
        {"1823": ["DE 5/1/ABN", "DE 104/IREGT"], "1824": ["BR SG/2/IBDE"], "1925": ["AU 24/IBDE"], "0803": []},
        dice=(1, 6),
        axis=("0702", "1351"),
        allied=("1925", "1730"),
    )
    declare(match, "1824", "DE 5/1/ABN", "DE 104/IREGT")
    go_on(match, combat.RESOLVE)
    match.play(["1824", "yes", "DE 5/1/ABN"])
    assert "owes attack" in flags(match, "DE 5/1/ABN")


def test_units_out_of_supply_do_not_advance() -> None:
    """They took part in the attack on the fort only in name (12.4.7, 12.1.1)."""
    match = facing(
        {
            "1629": ["DE 5/1/ABN", "DE 5/2/ABN [oos]", "DE 104/IREGT"],
            "1730": ["SA AC/ARECBN"],
            "1628": ["Axis depot 2"],
        },
        axis=("0702", "1925"),
        allied=("1351", "1730"),
        dice=(1, 6),
    )
    match.play(["done", "yes"])
    assert match.names == ["DE 5/1/ABN", "DE 104/IREGT", "1730", "done"]


def test_nothing_of_the_phase_is_left_when_it_ends() -> None:
    """Combats, supply and steps are forgotten (12.3, 12.4)."""
    match = won({})
    match.play(["done"])
    state = match.state
    assert over(match)
    assert not any(state.battle)
    assert not any(state.supply)
    assert not state.targets
    assert state.combat_step == 0


# Odds


def test_the_odds_of_figure_8_are_exact() -> None:
    """With the installation given up: differential 3 on 1509 and 1608, 2 CF lost on any roll but 1 (12.4.3, 12.4.4)."""
    match = figure("fig-9")
    odds = preview.odds(match.game, AXIS, numbers("DE 104/IREGT", "DE 5/1/ABN"), places("1509", "1608"))
    assert odds.column == "3"
    assert odds.outcomes == {
        "defender loses 4, attacker loses 0": Fraction(1, 6),
        "defender loses 2, attacker loses 0": Fraction(5, 6),
    }


def test_the_odds_include_the_counter_attack() -> None:
    """6 against 5 takes a unit of 2 on a 1, and then 6 - 6 strikes back in vain; whole, 10 - 6 always takes one of 3
    (12.4.4)."""
    match = facing({"0906": ["DE 5/1/ABN", "DE 5/2/ABN"], "1006": ["BR 3/ABDE", "BR SG/2/IBDE"]})
    odds = preview.odds(match.game, AXIS, numbers("DE 5/1/ABN", "DE 5/2/ABN"), places("1006"))
    assert odds.column == "1"
    assert odds.outcomes == {
        "defender loses 2, attacker loses 0": Fraction(1, 6) * Fraction(5, 6) + Fraction(1, 36),
        "defender loses 0, attacker loses 3": Fraction(5, 6),
    }


def test_the_odds_say_when_an_attack_is_not_permitted() -> None:
    """Without the installation figure 8 is below 0 (12.4.2)."""
    match = figure("fig-8")
    odds = preview.odds(match.game, AXIS, numbers("DE 104/IREGT", "DE 5/1/ABN"), places("1509", "1608"))
    assert (odds.column, odds.outcomes) == ("not permitted", {})
    assert odds.terms[-1].rule == "12.4.2"


def test_the_odds_of_an_attack_in_vain_are_those_of_the_answer() -> None:
    """The fort strikes back at 0, and a 1 costs 2 CF (12.1.1, 12.4.4)."""
    match = facing(TOBRUK)
    odds = preview.odds(match.game, AXIS, numbers("DE 5/1/ABN", "DE MG2/IBN"), places("1925"))
    assert odds.column == "without effect"
    assert odds.outcomes == {
        "defender loses 0, attacker loses 2": Fraction(1, 6),
        "defender loses 0, attacker loses 0": Fraction(5, 6),
    }


def refused(match: Match[PaaState], click: str) -> tuple[str, str]:
    """Why a click is not open: the section, and what causes it."""
    return why(match, click)[1:]


def test_a_refused_declaration_names_its_rule() -> None:
    """Not held, taken by entering, not adjacent, out of supply, in another combat (12, 12.2, 11.1.6)."""
    match = facing(
        {
            "0906": ["DE 5/1/ABN", "DE 5/2/ABN", "DE MG2/IBN [oos]"],
            "0803": ["Axis depot 1", "DE 104/IREGT"],
            "1006": ["BR SG/2/IBDE"],
            "1005": ["SA AC/ARECBN"],
            "0907": ["Allied depot 3"],
            "1107": ["BR 3/ABDE"],
        }
    )
    assert refused(match, "1218") == ("12", "1218")
    assert refused(match, "0907") == ("11.1.6", "0907")
    assert refused(match, "1107") == ("12.2", "1107")
    declare(match, "1005", "DE 5/2/ABN")
    match.play(["1006"])
    assert refused(match, "1005") == ("12.2", "1005")
    assert refused(match, "DE MG2/IBN") == ("12", "DE MG2/IBN")
    assert refused(match, "DE 5/2/ABN") == ("12.2", "1005")
    assert refused(match, "DE 104/IREGT") == ("12.2", "1006")


def test_a_refused_installation_names_its_rule() -> None:
    """Out of command, or needed (12.3, 12.3.1)."""
    match = table("allied combat", {**ALLIED_ATTACK, "1107": ["Allied depot 4 [ooc]"]})
    declare(match, "0906", "BR 3/ABDE")
    go_on(match, combat.SUPPLY)
    assert refused(match, "Allied depot 4") == ("12.3.1", "Allied depot 4")
    assert refused(match, "Allied depot 2") == ("12.3", "Allied depot 2")
    assert refused(match, "Axis depot 1") == ("12.3", "Axis depot 1")
    match.play(["destroy"])
    assert refused(match, "Allied depot 2") == ("12.3.1", "BR 3/ABDE")


def test_a_refused_combat_names_its_rule() -> None:
    """A differential below 0, and a fort still to be attacked (12.4.2, 12.1.1)."""
    match = facing(
        {**TOBRUK, "0906": ["DE MG8/IBN", "DE 8/1/ABN"], "1006": ["BR 3/ABDE [plus 2]"], "1005": ["SA AC/ARECBN"]}
    )
    declare(match, "1006", "DE MG8/IBN")
    declare(match, "1005", "DE 8/1/ABN")
    go_on(match, combat.RESOLVE)
    assert refused(match, "1006") == ("12.4.2", "1006")
    assert refused(match, "done") == ("12.1.1", "1925")


@pytest.mark.parametrize(
    ("units", "attackers", "target", "rule"),
    [
        ({"0906": ["DE 5/1/ABN", "DE MG2/IBN [oos]"]}, ["DE 5/1/ABN", "DE MG2/IBN"], "1006", "12"),
        ({"0906": ["DE 5/1/ABN", "DE MG2/IBN [dismounted]"]}, ["DE 5/1/ABN", "DE MG2/IBN"], "1006", "13.6"),
        ({"0906": ["DE 5/1/ABN"], "0907": ["DE MG2/IBN"]}, ["DE 5/1/ABN"], "0907", "12"),
        ({"0906": ["DE 5/1/ABN"], "0803": ["Axis depot 1", "DE MG2/IBN"]}, ["DE MG2/IBN"], "1006", "12.2"),
        ({"0906": ["DE 5/1/ABN", "Axis lorry 1"]}, ["Axis lorry 1"], "1006", "12"),
        ({"0906": ["DE 5/1/ABN"]}, ["DE 5/1/ABN", "BR SG/2/IBDE"], "1006", "12.2"),
    ],
)
def test_the_odds_refuse_what_cannot_be_declared(
    units: dict[str, list[str]], attackers: list[str], target: str, rule: str
) -> None:
    """Out of supply, dismounted, an own hex, not adjacent, a lorry, an enemy among the attackers (12, 12.2, 13.6)."""
    match = facing({"1006": ["BR SG/2/IBDE"], **units})
    odds = preview.odds(match.game, AXIS, numbers(*attackers), places(target))
    assert (odds.column, odds.outcomes, odds.terms[-1].rule) == ("not permitted", {}, rule)


def test_the_odds_refuse_units_out_of_command_and_the_allies_on_turn_1() -> None:
    """Neither may attack (10.3, 12)."""
    units = {**BEHIND, "0906": ["DE 5/1/ABN"], "1006": ["BR 3/ABDE", "BR SG/2/IBDE [ooc]"]}
    match = table("allied combat", units)
    odds = preview.odds(match.game, ALLIED, numbers("BR 3/ABDE", "BR SG/2/IBDE"), places("0906"))
    assert odds.terms[-1].rule == "10.3"
    match = table("axis movement", units, turn=1)
    odds = preview.odds(match.game, ALLIED, numbers("BR 3/ABDE"), places("0906"))
    assert (odds.column, odds.terms[-1].rule) == ("not permitted", "12")


def test_a_target_takes_in_all_that_can_attack_it_and_a_second_click_calls_it_off() -> None:
    """The unit out of supply stays out, with its reason (12, 12.2, 12.4)."""
    match = facing({"0906": ["DE 5/1/ABN", "DE MG2/IBN [oos]"], "0907": ["DE 5/2/ABN"], "1006": ["BR SG/2/IBDE"]})
    match.play(["1006"])
    assert match.decision is not None
    assert list(match.decision.about) == sorted(numbers("DE 5/1/ABN", "DE 5/2/ABN"))
    assert why(match, "DE MG2/IBN") == ("DE MG2/IBN cannot attack: out of supply", "12", "DE MG2/IBN")
    match.play(["DE 5/2/ABN", "done"])
    assert match.state.targets == {BOARD["1006"]: 1}
    match.play(["1006"])
    assert not match.state.targets
    assert not any(match.state.battle)


def test_a_refused_loss_names_its_number() -> None:
    """3 CF to lose: a unit of 5 exceeds it, one of 2 would leave a gap (12.4.5)."""
    units = {
        "0906": ["DE 5/1/ABN", "DE 5/2/ABN", "DE 104/IREGT"],
        "1006": ["BR 3/ABDE [plus 2]", "BR 4/ABDE", "BR 7/ABDE"],
    }
    match = facing(units)
    picking = losses.choose(match.game, ALLIED, numbers("BR 3/ABDE", "BR 4/ABDE", "BR 7/ABDE"), 4, "12.4.5")
    decision = next(picking)
    assert decision.why_not is not None
    refusal = decision.why_not(match.game, decision, NUMBER["BR 3/ABDE"])
    assert refusal is not None
    assert refusal.reason == "BR 3/ABDE cannot be eliminated: 5 CF exceed the 3 CF to lose"
    refusal = decision.why_not(match.game, decision, NUMBER["AU 20/IBDE"])
    assert refusal is not None
    assert "not in this combat" in refusal.reason


def test_a_refused_advance_names_its_reason() -> None:
    """A unit that stayed out, and one that has advanced (12.4.7)."""
    match = won({"0906": ["DE 5/1/ABN", "DE 104/IREGT", "DE MG2/IBN"]})
    assert why(match, "DE MG2/IBN") == ("DE MG2/IBN cannot advance: it did not attack here", "12.4.7", "DE MG2/IBN")
    match.play(["DE 5/1/ABN"])
    assert why(match, "DE 5/1/ABN") == ("DE 5/1/ABN has already advanced", "12.4.7", "DE 5/1/ABN")


def test_too_many_units_for_the_hex_are_told_how_many_fit() -> None:
    """At most 3 units in a hex, also if more attacked (4, 12.4.7)."""
    group = numbers("DE 5/1/ABN", "DE 5/2/ABN", "DE 104/IREGT", "DE MG2/IBN")
    match = won({"0906": ["DE 5/1/ABN", "DE 104/IREGT", "DE 5/2/ABN"]})
    refusal = advance.why_not_together(match.game, AXIS, group, BOARD["1006"])
    assert refusal is not None
    assert refusal.reason.endswith("cannot advance: 1006 has room for 3 more, so advance them unit by unit")


def test_a_position_written_before_combats_had_a_draft_is_still_read() -> None:
    """Targets by their printed numbers, the step of the phase among what is to be done (12.2, 12.3)."""
    match = figure("fig-9", {"[state]\ncombat_step = 3": '[todo]\n"combat step" = 3'})
    assert match.state.combat_step == combat.RESOLVE
    assert match.state.targets == {BOARD["1509"]: 1, BOARD["1608"]: 1}
    assert match.state.draft is None
    assert not match.state.begun


def test_a_position_keeps_the_combat_under_declaration() -> None:
    """Its units and hexes (12.2)."""
    match = facing({"0906": ["DE 5/1/ABN", "DE 5/2/ABN"], "1006": ["BR SG/2/IBDE"]})
    match.play(["1006", "DE 5/2/ABN"])
    again = position.read(position.write(match), games.load)
    assert again.state.draft == match.state.draft
    assert again.names == match.names
