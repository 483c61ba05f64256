"""Reaction movement (15.1), an optional rule."""

from __future__ import annotations

import pytest

from khamsin.games.paa import combat
from khamsin.games.paa.reaction import reactions
from khamsin.games.paa.units import ALLIED, AXIS, BOARD, COUNTERS, NUMBER, PaaState
from khamsin.kernel import Match
from tests.rulebook.paa.table import declare, flags, go_on, table, where, why

ON = '[options]\nreaction = "on"\n'
BEHIND = {"0803": ["Axis depot 1"], "1906": ["Allied depot 1"], "2319": ["Allied depot 2"]}
FRONT = {"0906": ["DE 5/1/ABN", "DE 104/IREGT"], "1006": ["BR SG/2/IBDE"]}


def attacked(units: dict[str, list[str]], dice: tuple[int, ...] = (), more: str = ON) -> Match[PaaState]:
    """The Axis resolves an attack from 0906 on 1006."""
    match = table("axis combat", {**BEHIND, **FRONT, **units}, dice=dice, more=more)
    declare(match, "1006", "DE 5/1/ABN", "DE 104/IREGT")
    go_on(match, combat.RESOLVE)
    match.play(["1006"])
    return match


def able(units: dict[str, list[str]], side: int = ALLIED, target: str = "1006") -> set[str]:
    """Who may react to an attack on a hex."""
    phase = "axis combat" if side == ALLIED else "allied combat"
    contact = {"0143": ["DE 300/IBN"], "0144": ["NZ 4/IBDE"]}  # keeps the phase asking
    match = table(phase, {**BEHIND, **contact, **units}, more=ON)
    return {COUNTERS[u].name for u in reactions(match.game, side, [BOARD[target]], ())}


def test_without_the_option_nobody_reacts() -> None:
    """The next question is about the counter-attack (15.1, 15)."""
    units = {"1107": ["BR 3/ABDE"]}
    assert attacked(units, more="").names == ["yes", "no"]
    assert attacked(units).names == ["BR 3/ABDE", "done"]


@pytest.mark.parametrize(("roll", "place"), [(2, "1107"), (3, "1006")])
def test_an_allied_unit_comes_on_3_or_more(roll: int, place: str) -> None:
    """On 1 and 2 it stays (15.1)."""
    match = attacked({"1107": ["BR 3/ABDE"]}, dice=(roll,))
    match.play(["BR 3/ABDE"])
    assert where(match, "BR 3/ABDE") == place


@pytest.mark.parametrize(("roll", "place"), [(1, "0805"), (2, "0906")])
def test_an_axis_unit_comes_on_2_or_more(roll: int, place: str) -> None:
    """On 1 it stays (15.1)."""
    units = {
        **BEHIND,
        "1208": ["Allied depot 3"],
        "0906": ["DE MG2/IBN"],
        "0805": ["DE 5/1/ABN"],
        "1006": ["BR 3/ABDE"],
    }
    match = table("allied combat", units, dice=(roll,), more=ON)
    declare(match, "0906", "BR 3/ABDE")
    go_on(match, combat.RESOLVE)
    match.play(["0906", "DE 5/1/ABN"])
    assert where(match, "DE 5/1/ABN") == place


def test_armour_reacts_over_6_mf_and_infantry_over_3() -> None:
    """1008 is two clear hexes from 1006, 1007 one (15.1)."""
    front = {"1006": ["BR SG/2/IBDE"]}
    assert able({**front, "1008": ["BR 3/ABDE", "AU 20/IBDE"]}) == {"BR 3/ABDE"}
    assert able({**front, "1007": ["BR 3/ABDE", "AU 20/IBDE"]}) == {"BR 3/ABDE", "AU 20/IBDE"}


def test_italian_armour_reacts_like_infantry_and_italian_infantry_not_at_all() -> None:
    """German tanks go 6 MF (15.1)."""
    near = {"0906": ["DE MG2/IBN"], "0806": ["IT 132/AREGT", "IT 19/IREGT"], "0706": ["IT BERS/8/AIREGT", "DE 5/1/ABN"]}
    assert able(near, AXIS, "0906") == {"IT 132/AREGT", "DE 5/1/ABN"}


@pytest.mark.parametrize("state", ["oos", "ooc", "dismounted", "reacted"])
def test_units_without_supply_or_command_or_that_have_reacted_do_not_react(state: str) -> None:
    """Only fresh ones do (15.1)."""
    assert able({"1006": ["BR SG/2/IBDE"], "1107": [f"BR 3/ABDE [{state}]"]}) == set()


def test_units_in_an_enemy_zone_do_not_react() -> None:
    """1007 touches 0907 (15.1)."""
    front = {"1006": ["BR SG/2/IBDE"], "1007": ["BR 3/ABDE"]}
    assert able(front) == {"BR 3/ABDE"}
    assert able({**front, "0907": ["DE 5/1/ABN"]}) == set()


def test_units_that_are_attacked_themselves_do_not_react() -> None:
    """Neither before nor after their own combat (15.1)."""
    match = table("axis combat", {**BEHIND, "1006": ["BR SG/2/IBDE"], "1107": ["BR 3/ABDE"]}, more=ON)
    match.state.targets[BOARD["1107"]] = 1
    assert reactions(match.game, ALLIED, [BOARD["1006"]], ()) == {}
    match.state.targets.clear()
    match.state.battle[NUMBER["BR 3/ABDE"]] = 1
    assert reactions(match.game, ALLIED, [BOARD["1006"]], ()) == {}


def test_a_reaction_keeps_the_stacking_limit() -> None:
    """Three units fill a hex (15.1, 4)."""
    assert able({"1006": ["BR SG/2/IBDE", "AU 20/IBDE", "AU 26/IBDE"], "1107": ["BR 3/ABDE"]}) == set()


def test_after_a_failure_a_unit_may_try_for_another_combat_but_not_for_the_same() -> None:
    """Only arriving uses up the reaction (15.1)."""
    match = attacked({"1107": ["BR 3/ABDE"]}, dice=(1,))
    match.play(["BR 3/ABDE"])
    assert "BR 3/ABDE" not in match.names
    assert "reacted" not in flags(match, "BR 3/ABDE")


def test_the_differential_is_worked_out_anew_and_the_attack_may_be_called_off() -> None:
    """7 against 2 becomes 7 against 5 (15.1, 12.4)."""
    match = attacked({"1107": ["BR 3/ABDE"]}, dice=(3,))
    match.play(["BR 3/ABDE"])
    assert match.decision is not None
    assert match.decision.prompt.endswith("is now 2")
    match.play(["cancel"])
    assert match.phase.name != "axis combat"
    assert where(match, "BR SG/2/IBDE") == "1006"


def test_an_attack_that_falls_below_0_cannot_be_made() -> None:
    """7 against 2 becomes 7 against 12 (15.1, 12.4.2)."""
    match = attacked({"1107": ["BR 3/ABDE [plus 2]", "BR 7/ABDE [plus 2]"]}, dice=(3, 3))
    match.play(["BR 3/ABDE", "BR 7/ABDE"])
    assert match.phase.name != "axis combat"
    assert "12.4.3" not in {event.rule for event in match.events}


def test_reactions_are_forgotten_after_the_phase() -> None:
    """One reaction in each enemy combat phase (15.1)."""
    match = attacked({"1107": ["BR 3/ABDE"]}, dice=(3,))
    match.play(["BR 3/ABDE"])
    assert "reacted" in flags(match, "BR 3/ABDE")
    match.play(["cancel"])
    assert "reacted" not in flags(match, "BR 3/ABDE")


def test_a_unit_that_cannot_react_has_one_reason() -> None:
    """Out of supply, too far, in an enemy ZOC, attacked itself (15.1)."""
    match = attacked(
        {"1107": ["BR 3/ABDE"], "1207": ["BR 7/ABDE [oos]"], "1312": ["BR 4/ABDE"], "1005": ["AU 20/IBDE"]}
    )
    assert why(match, "BR 7/ABDE") == ("BR 7/ABDE cannot react: out of supply", "15.1", "BR 7/ABDE")
    assert why(match, "BR 4/ABDE")[0] == "BR 4/ABDE cannot react to 1006: not within 6 MF outside enemy ZOCs"
    assert why(match, "AU 20/IBDE")[0] == "AU 20/IBDE cannot react: in an enemy ZOC in 1005"
    assert why(match, "BR SG/2/IBDE")[0] == "BR SG/2/IBDE cannot react: it is or was attacked itself"
