"""What a second reading of the chapters on the ground war found (1.3, OCS 3-10)."""

from __future__ import annotations

from khamsin.games.tunisia.units import BOARD
from tests.rulebook.tunisia.table import flags, legal, match, refused, where


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
