"""What a second reading of the chapters on the ground war found (1.3, OCS 3-10)."""

from __future__ import annotations

from khamsin.games.tunisia.units import BOARD, MOVE, NUMBER
from khamsin.kernel import Match
from tests.rulebook.tunisia.table import flags, game, legal, match, refused, where


def test_a_truck_unit_that_has_entered_a_zone_does_not_go_on() -> None:
    """Neither at once nor by another click; it may overrun, and another friend in the hex lets it go on (OCS 4(2))."""
    enemy = {"B53.05": ["1 RTR Arm/7 Arm"]}
    m = match({"B50.05": ["47 Inf"], **enemy}, axis={"B50.05": 40})
    m.play(["47 Inf", "move", "47 Inf", "B52.05", "47 Inf"])
    assert where(m, "47 Inf") == "B52.05"
    assert {click for click in legal(m) if click in BOARD.names} == {"B53.05"}
    assert refused(m, "B51.06") == "OCS 4(2)"
    m = match({"B50.05": ["47 Inf"], "B52.05": ["125 Inf/164.Le"], **enemy}, axis={"B50.05": 40})
    m.play(["47 Inf", "move", "47 Inf", "B52.05", "47 Inf", "B51.06"])
    assert where(m, "47 Inf") == "B51.06"
    assert "finished" in flags(m, "125 Inf/164.Le")


def test_a_truck_unit_leaves_the_zone_in_which_it_began() -> None:
    """Also after an overrun from there that changed nothing (OCS 4(3), OCS 7(4))."""
    m = match({"B52.05": ["47 Inf"], "B53.05": ["1 RTR Arm/7 Arm"]}, axis={"B52.05": 40}, allied={"B53.05": 4})
    m.play(["47 Inf", "move", "47 Inf", "B51.06"])
    assert where(m, "47 Inf") == "B51.06"


def test_a_unit_in_move_mode_may_stay_in_it_for_a_short_move() -> None:
    """An 88 mm battalion that attacks in Move Mode alone moves one hex without turning over (OCS 5(1), Designer's Notes)."""
    position = game({"B50.05": ["1-18 PJ"]}, axis={"B50.05": 40})
    position.state.flags[NUMBER["1-18 PJ"]] |= MOVE
    m = Match.at(position)
    m.play(["1-18 PJ", "move", "1-18 PJ", "B50.06"])
    assert where(m, "1-18 PJ") == "B50.06"
    assert "move" in flags(m, "1-18 PJ")
    m.play(["1-18 PJ"])
    assert refused(m, "combat") == "OCS 5(1)"
