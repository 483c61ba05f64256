"""What follows when units come to stand in a hex, and declared combats as the state keeps them."""

from __future__ import annotations

from khamsin.games.kasserine import battle, control, garrison, losses, results, support
from khamsin.games.kasserine.arrival import arrive
from khamsin.games.kasserine.units import ALLIED, ASSAULT, AT_FIRE, AXIS, BOARD, NUMBER, G
from tests.rulebook.kasserine.fights import fight
from tests.rulebook.kasserine.table import drive, flags, game, match, where


def thala() -> G:
    """Guns behind a hill, and panzers on the way."""
    g = game(
        {
            "2811": ["10 RB (-)"],
            "2810": ["90/23 Fd [deployed]", "F/12 RHA [deployed]"],
            "2813": ["1/7/10"],
            "2909": ["C-17/21 L [reserve]", "HQ Nick"],
            "Allied Ready Box": ["90/23 Fd fire [face down]", "F/12 RHA fire [face down]"],
        },
        allied=["2809"],
    )
    support.place(g, NUMBER["90/23 Fd fire"], BOARD["2811"])
    support.place(g, NUMBER["F/12 RHA fire"], BOARD["2810"])
    return g


def test_an_enemy_next_to_a_gun_cancels_what_it_supports_elsewhere() -> None:
    """Support of its own hex stands (10.3.6)."""
    g = thala()
    arrive(g, AXIS, [NUMBER["1/7/10"]], BOARD["2710"])
    assert where(g, "90/23 Fd fire") == "Allied Ready Box"
    assert where(g, "F/12 RHA fire") == "2810"
    assert g.reveals


def test_an_enemy_next_to_a_reserve_ends_it() -> None:
    """And hexes that were entered become friendly (3.1.1, 8.2.5)."""
    g = thala()
    arrive(g, AXIS, [NUMBER["1/7/10"]], BOARD["2908"], [BOARD["2809"]])
    assert "reserve" not in flags(g, "C-17/21 L")
    assert control.friendly(g, AXIS, BOARD["2809"])


def test_a_unit_that_moves_leaves_reserve() -> None:
    """At once (8.2.5)."""
    g = thala()
    arrive(g, ALLIED, [NUMBER["C-17/21 L"]], BOARD["2810"])
    assert "reserve" not in flags(g, "C-17/21 L")


def test_a_lost_gun_takes_its_marker_with_it() -> None:
    """Out of play for good (13.2.3)."""
    g = thala()
    losses.eliminate(g, NUMBER["90/23 Fd"], "13.2.3")
    assert where(g, "90/23 Fd") == where(g, "90/23 Fd fire") == "Allied out of play"
    assert g.state.steps[NUMBER["90/23 Fd"]] == 0


def test_a_lost_hq_returns_as_many_turns_later_as_a_die_shows() -> None:
    """Not after the last turn (15.3.1)."""
    g = game({"2909": ["HQ Nick", "HQ 1"]}, turn=14, dice=[3, 5])
    losses.eliminate(g, NUMBER["HQ Nick"], "13.2.3")
    losses.eliminate(g, NUMBER["HQ 1"], "13.2.3")
    assert where(g, "HQ Nick") == "GT 17"
    assert where(g, "HQ 1") == "Allied out of play"


def test_a_declared_combat_is_kept_until_it_is_fought() -> None:
    """Attackers, hexes and table; then none of them fights again (9.1.2, 9.1.8, 12.3.2, 13.1.4)."""
    g = thala()
    combat = fight(g, ["1/7/10"], ["2811", "2810"])
    assert combat == (1, AXIS, (NUMBER["1/7/10"],), (BOARD["2810"], BOARD["2811"]), ASSAULT)
    assert battle.at(g, BOARD["2810"]) == 1
    assert len(battle.defenders(g, combat)) == 3
    battle.close(g, combat)
    assert battle.numbers(g) == []
    assert "fought" in flags(g, "1/7/10")


def test_at_fire_is_against_armour_alone() -> None:
    """Other units in the hex are ignored (16.1.5)."""
    g = game({"2811": ["10 RB (-)", "C-17/21 L"], "2812": ["9/90 Flak [deployed]"]})
    assert battle.defenders(g, fight(g, ["9/90 Flak"], ["2811"], AT_FIRE)) == [NUMBER["C-17/21 L"]]


def test_a_garrison_waits_for_its_turn_or_for_an_enemy_next_to_it() -> None:
    """The Fondouk Group is released all together (18.2.3)."""
    fondouk = {"6006": ["1/133 [release 7]"], "5706": ["HQ 34 [release 7]"], "4420": ["D/1a [release 2]"]}
    g = game(fondouk | {"6407": ["II/47"]}, turn=1)
    garrison.release(g, [NUMBER["II/47"]], BOARD["6207"])
    assert all(garrison.bound(g, NUMBER[unit]) for unit in ("1/133", "HQ 34", "D/1a"))
    garrison.release(g, [NUMBER["II/47"]], BOARD["6106"])
    assert [garrison.bound(g, NUMBER[unit]) for unit in ("1/133", "HQ 34", "D/1a")] == [False, False, True]
    g.state.turn = 2
    garrison.release_due(g)
    assert not garrison.bound(g, NUMBER["D/1a"])


BOUND = {"5125": ["A/6a"], "5126": ["1/7/10"], "5326": ["HQ 34 [release 7]"]}
"""A garrison two hexes from panzers that attack another unit."""


def test_a_move_next_to_a_garrison_releases_it() -> None:
    """(18.2.3)"""
    found = match(BOUND | {"5125": []}, turn=3)
    found.play(["1/7/10", "5226"])
    assert not garrison.bound(found.game, NUMBER["HQ 34"])


def test_an_advance_next_to_a_garrison_releases_it() -> None:
    """(18.2.3)"""
    g = game(BOUND | {"5326": [], "5124": ["HQ 34 [release 7]"]}, phase="axis combat", turn=3)
    drive(g, results.apply(g, fight(g, ["1/7/10"], ["5125"]), "DE"), ["1/7/10"])
    assert where(g, "1/7/10") == "5125"
    assert not garrison.bound(g, NUMBER["HQ 34"])


def test_a_retreat_next_to_a_garrison_does_not_release_it() -> None:
    """It is neither movement nor an advance (13.3, 18.2.3)."""
    g = game(BOUND, phase="axis combat", turn=3)
    drive(g, results.apply(g, fight(g, ["1/7/10"], ["5125"]), "AR"), ["5227"])
    assert where(g, "1/7/10") == "5227"
    assert garrison.bound(g, NUMBER["HQ 34"])
