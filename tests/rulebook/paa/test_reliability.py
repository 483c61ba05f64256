"""Italian infantry reliability (15.2) and surrender (15.3), optional rules."""

from __future__ import annotations

from fractions import Fraction

import pytest

from khamsin.games.paa import combat, differential, preview, reliability, zones
from khamsin.games.paa.units import ALLIED, AXIS, BOARD, COUNTERS, NUMBER, PaaState
from khamsin.kernel import Match
from tests.rulebook.paa.table import declare, go_on, table, where

BEHIND = {"0803": ["Axis depot 1"], "1906": ["Allied depot 1"], "2319": ["Allied depot 2"], "1208": ["Allied depot 3"]}


def lost(cf: int, option: str = "on", reaction: str = "off") -> str:
    """The options, and so many CF of Italian infantry lost."""
    return f'[options]\nreliability = "{option}"\nreaction = "{reaction}"\n[state]\nitalian_losses = {cf}\n'


def allied_attack(units: dict[str, list[str]], cf: int, dice: tuple[int, ...] = ()) -> Match[PaaState]:
    """BR 3 resolves an attack from 1006 on 0906."""
    match = table("allied combat", {**BEHIND, "1006": ["BR 3/ABDE"], **units}, dice=dice, more=lost(cf))
    declare(match, "0906", "BR 3/ABDE")
    go_on(match, combat.RESOLVE)
    match.play(["0906"])
    return match


def wavering(units: dict[str, list[str]], cf: int, option: str = "on") -> set[str]:
    match = table("allied combat", {**BEHIND, **units}, more=lost(cf, option))
    return {COUNTERS[u].name for u in reliability.wavering(match.game, [BOARD["0906"]])}


def differentials(match: Match[PaaState]) -> list[int]:
    """The differentials of the attacks rolled so far."""
    return [e.data["differential"] for e in match.events if e.rule == "12.4.3" and "differential" in e.data]


@pytest.mark.parametrize(("cf", "attacks"), [(9, True), (10, False)])
def test_after_10_cf_italian_infantry_does_not_attack_in_general_supply(cf: int, attacks: bool) -> None:
    """1007 is beyond attack supply (15.2)."""
    match = table("axis combat", {**BEHIND, "1007": ["IT 19/IREGT"], "1006": ["SA AC/ARECBN"]}, more=lost(cf))
    assert (match.phase.name == "axis combat" and "1006" in match.names) == attacks


@pytest.mark.parametrize(
    "units",
    [
        {"0906": ["IT 19/IREGT"]},  # attack supply
        {"1007": ["IT 19/IREGT", "DE MG2/IBN"]},  # beside a German unit
        {"1007": ["IT 19/IREGT", "IT 132/AREGT"]},  # beside Italian armour
    ],
)
def test_after_10_cf_it_attacks_in_attack_supply_or_with_support(units: dict[str, list[str]]) -> None:
    """Supporting units are German units and Italian armour (15.2)."""
    match = table("axis combat", {**BEHIND, **units, "1006": ["SA AC/ARECBN"]}, more=lost(10))
    match.play(["1006"])
    assert "IT 19/IREGT" in match.names


def test_without_the_option_losses_do_not_matter() -> None:
    """The rule is optional (15.2, 15)."""
    match = table("axis combat", {**BEHIND, "1007": ["IT 19/IREGT"], "1006": ["SA AC/ARECBN"]}, more=lost(30, "off"))
    assert "1006" in match.names
    assert wavering({"0906": ["IT 19/IREGT"]}, 30, "off") == set()


def test_a_removed_installation_takes_unreliable_infantry_out_of_its_combat() -> None:
    """It was named in attack supply and has lost it (15.2, 12.3)."""
    match = table("axis combat", {**BEHIND, "0906": ["IT 19/IREGT"], "1006": ["SA AC/ARECBN"]}, more=lost(10))
    declare(match, "1006", "IT 19/IREGT")
    match.play(["destroy", "Axis depot 1", "done"])
    assert match.phase.name != "axis combat"


@pytest.mark.parametrize(("cf", "zone"), [(19, True), (20, False)])
def test_after_20_cf_unsupported_infantry_has_no_zone(cf: int, zone: bool) -> None:
    """Stacked with support it keeps one (15.2, 3)."""
    alone = table("allied combat", {**BEHIND, "0906": ["IT 19/IREGT"]}, more=lost(cf))
    assert bool(zones.zone(alone.game, AXIS)[BOARD["1006"]]) == zone
    stacked = table("allied combat", {**BEHIND, "0906": ["IT 19/IREGT", "DE MG2/IBN"]}, more=lost(cf))
    assert zones.zone(stacked.game, AXIS)[BOARD["1006"]]


ALONE = {"0906": ["IT 19/IREGT"]}
BESIDE = {"0906": ["IT 19/IREGT"], "0905": ["DE MG2/IBN"]}
STACKED = {"0906": ["IT 19/IREGT", "IT 132/AREGT"]}


@pytest.mark.parametrize(
    ("units", "cf", "may"),
    [
        (ALONE, 19, False),
        (ALONE, 20, True),
        (BESIDE, 20, False),
        (BESIDE, 24, False),
        (BESIDE, 25, True),
        (STACKED, 25, False),
    ],
)
def test_who_may_surrender(units: dict[str, list[str]], cf: int, may: bool) -> None:
    """From 20 CF unless support is stacked or adjacent, from 25 unless it is stacked (15.2)."""
    assert wavering(units, cf) == ({"IT 19/IREGT"} if may else set())


@pytest.mark.parametrize(("roll", "gone"), [(1, True), (2, True), (3, True), (4, False)])
def test_units_surrender_on_1_to_3(roll: int, gone: bool) -> None:
    """They go to the Cadre and count as lost; the others are attacked (15.3)."""
    match = allied_attack(ALONE, 20, dice=(roll, 6))
    assert (where(match, "IT 19/IREGT") == "Axis Cadre") == gone
    assert match.state.italian_losses == (22 if gone else 20)
    assert match.names == (["BR 3/ABDE", "done"] if gone else ["yes", "no"])


def test_attackers_may_advance_into_a_hex_that_surrendered() -> None:
    """No roll for combat, no counter-attack (15.3, 12.4.7)."""
    match = allied_attack(ALONE, 20, dice=(1,))
    match.play(["BR 3/ABDE"])
    assert where(match, "BR 3/ABDE") == "0906"
    assert not {"12.4.3", "12.4.4"} & {event.rule for event in match.events if event.click < match.game.number}


def test_those_who_stand_are_attacked_without_those_who_gave_up() -> None:
    """3 against 2 + 2 is not permitted, so both are supplied by a stronger attack: 6 against 4, then against 2 (15.3)."""
    match = table(
        "allied combat",
        {**BEHIND, "0906": ["IT 19/IREGT", "IT 20/IREGT"], "1006": ["BR 3/ABDE [plus 2]", "AU 20/IBDE"]},
        dice=(1, 4, 6),
        more=lost(20),
    )
    declare(match, "0906", "BR 3/ABDE", "AU 20/IBDE")
    go_on(match, combat.RESOLVE)
    match.play(["0906"])
    assert differentials(match) == [7 - 2]


def test_a_reaction_by_a_supporting_unit_prevents_surrender() -> None:
    """German tanks come from 0805 (15.3, 15.1)."""
    units = {**BEHIND, "0906": ["IT 19/IREGT"], "0705": ["DE 5/1/ABN"], "1006": ["BR 3/ABDE [plus 2]", "AU 20/IBDE"]}
    match = table("allied combat", units, dice=(2, 6), more=lost(20, reaction="on"))
    declare(match, "0906", "BR 3/ABDE", "AU 20/IBDE")
    go_on(match, combat.RESOLVE)
    match.play(["0906", "DE 5/1/ABN", "attack"])
    assert where(match, "DE 5/1/ABN") == "0906"
    assert "15.3" not in {event.rule for event in match.events}


def test_attackers_of_units_that_all_surrendered_may_join_another_combat() -> None:
    """They have not fought (15.3)."""
    units = {"0906": ["IT 19/IREGT"], "0907": ["DE MG2/IBN"], "1006": ["BR 3/ABDE"], "1007": ["AU 20/IBDE [plus 1]"]}
    match = table("allied combat", {**BEHIND, **units}, dice=(1,), more=lost(25))
    declare(match, "0906", "BR 3/ABDE")
    declare(match, "0907", "AU 20/IBDE")
    go_on(match, combat.RESOLVE)
    match.play(["0906", "done", "0907"])
    assert match.names == ["BR 3/ABDE", "done"]
    match.play(["BR 3/ABDE"])
    assert differentials(match) == [3 + 3 - 2]


def test_italian_infantry_without_support_is_cheap_to_overrun_after_25_cf() -> None:
    """5 MF instead of 10 (15.2)."""
    units = [NUMBER["IT 19/IREGT"]]
    assert not reliability.cheap_to_overrun(table("allied combat", {**BEHIND, **ALONE}, more=lost(24)).game, units)
    game = table("allied combat", {**BEHIND, **ALONE}, more=lost(25)).game
    assert reliability.cheap_to_overrun(game, units)
    assert not reliability.cheap_to_overrun(game, [*units, NUMBER["DE MG2/IBN"]])


def test_the_odds_count_surrender() -> None:
    """One chance in two that the unit gives up without a fight (15.3)."""
    match = table("allied combat", {**BEHIND, **ALONE, "1006": ["BR 3/ABDE"]}, more=lost(20))
    odds = preview.odds(match.game, ALLIED, [NUMBER["BR 3/ABDE"]], [BOARD["0906"]])
    assert sum(odds.outcomes.values()) == 1
    assert odds.outcomes["defender loses 2, attacker loses 0"] >= Fraction(1, 2)
    assert any(term.rule == "15.3" for term in odds.terms)


def test_an_unreliable_attack_on_a_fort_cites_reliability() -> None:
    """Forced, but without effect: not for want of supply but as unreliable infantry (12.1.1, 15.2)."""
    units = {"1824": ["IT 19/IREGT"], "1925": ["AU 24/IBDE"], "0803": ["Axis depot 1"], "1906": ["Axis depot 2"]}
    match = table("axis combat", units, more='[options]\nreliability = "on"\n[state]\nitalian_losses = 10\n')
    sheet = differential.attack(match.game, [NUMBER["IT 19/IREGT"]], [BOARD["1925"]], lambda unit: 0)
    assert [term.rule for term in sheet.terms if "without effect" in term.text] == ["15.2"]
