"""Strongpoints (14.3, 14.4): begun, completed, given up, removed."""

from __future__ import annotations

from khamsin.games.kasserine import arrival, strongpoints
from khamsin.games.kasserine.units import ALLIED, AXIS, BOARD, CLOUDY, NUMBER, name
from khamsin.games.kasserine.zones import zone
from khamsin.kernel import Match
from tests.rulebook.kasserine.table import begun, drive, flags, game, match
from tests.rulebook.kasserine.test_supply import THALA


def owners(strongpoints: dict[int, int]) -> dict[str, int]:
    return {BOARD.name(hex): side for hex, side in strongpoints.items()}


def test_two_strongpoints_before_thala() -> None:
    """Only the two infantry units may build; the guns may not (example 17 construction, 14.3.3, 14.3.4)."""
    found = match(THALA, phase="supply status", weather=CLOUDY)
    assert "7+8/69/10" in found.names
    assert "1/90/10" not in found.names
    found.play(["done"])
    assert set(found.names) == {"10 RB (-)", "2/5 Lei (+)", "done"}
    refusal = found.explain(NUMBER["450/71 Fd"])
    assert (refusal.rule, refusal.cause) == ("14.3.4", "450/71 Fd")
    found.play(["10 RB (-)"])
    assert found.names == ["2/5 Lei (+)", "done"]
    assert owners(found.state.works) == {"2811": ALLIED}


def test_a_strongpoint_takes_a_turn() -> None:
    """Begun on GT 10 by a unit that came on GT 9, active at the end of the Allied Segment, and then the unit is free
    (example 14.3.6, 14.3.2, 14.3.5, 14.3.6)."""
    g = game({"2811": ["2/5 Lei (+)"]}, phase="supply status", turn=10)
    assert drive(g, strongpoints.begin(g, ALLIED), ["2/5 Lei (+)"]) is None
    assert owners(g.state.works) == {"2811": ALLIED}
    assert g.state.strongpoint == {}
    assert "building" in flags(g, "2/5 Lei (+)")
    strongpoints.complete(g, AXIS)
    assert owners(g.state.works) == {"2811": ALLIED}
    strongpoints.complete(g, ALLIED)
    assert owners(g.state.strongpoint) == {"2811": ALLIED}
    assert g.state.works == {}
    assert "building" not in flags(g, "2/5 Lei (+)")
    arrival.arrive(g, ALLIED, [NUMBER["2/5 Lei (+)"]], BOARD["2810"])
    assert owners(g.state.strongpoint) == {"2811": ALLIED}


def test_a_strongpoint_is_active_after_the_reserve_movement_of_its_side() -> None:
    """Not before the end of the Allied Segment of the turn in which it was begun (example 14.3.6, 14.3.6)."""
    found = match({"2811": ["2/5 Lei (+)"], "2533": ["MG 8"]}, phase="supply status", turn=10)
    found.play(["done", "2/5 Lei (+)"])
    while found.phase.name != "allied movement":
        assert owners(found.state.works) == {"2811": ALLIED}
        found.play(["done"])
    assert found.state.strongpoint == {}
    while found.state.turn == 10 and found.phase.name != "recovery":
        found.play(["done"])
    assert owners(found.state.strongpoint) == {"2811": ALLIED}
    assert found.state.works == {}


def test_a_strongpoint_keeps_enemy_zones_out_as_soon_as_it_is_complete() -> None:
    """Not before (14.3.2, 14.1.3)."""
    g = game({"2811": ["2/5 Lei (+)"], "2812": ["1/7/10"]})
    strongpoints.lay_out(g, NUMBER["2/5 Lei (+)"])
    assert zone(g, AXIS)[BOARD["2811"]]
    strongpoints.complete(g, ALLIED)
    assert not zone(g, AXIS)[BOARD["2811"]]


def test_the_axis_builds_first() -> None:
    """Then the Allies, in the same phase (14.3.1, 14.3.6)."""
    found = match({"2533": ["MG 8"], "2811": ["2/5 Lei (+)"]}, phase="supply status")
    assert found.names == ["MG 8", "done"]
    found.play(["MG 8"])
    assert found.names == ["2/5 Lei (+)", "done"]
    restarted = found.restarted()
    assert restarted == found.decision


def test_one_strongpoint_to_a_hex_by_a_unit_in_supply() -> None:
    """In an enemy zone or not (14.3.3)."""
    found = match(
        {
            "2811": ["2/5 Lei (+)", "5 RE"],
            "2910": ["10 RB (-)"],
            "0330": ["1/18"],
            "2812": ["1/7/10"],
            "2401": ["2/18"],
        },
        phase="supply status",
        strongpoints={"allied": ["2910"]},
    )
    assert set(found.names) == {"2/5 Lei (+)", "5 RE", "2/18", "done"}
    assert found.explain(NUMBER["1/18"])[1:] == ("14.3.3", "1/18")
    assert found.explain(NUMBER["10 RB (-)"])[1:] == ("14.3.3", "2910")
    found.play(["5 RE"])
    assert found.names == ["2/18", "done"]


def test_one_french_unit_a_turn_may_begin() -> None:
    """Others of the Allies as they like (16.5.3)."""
    found = match({"5706": ["I/7 RTM"], "5703": ["II/7 RTM"], "5507": ["1/18"]}, phase="supply status")
    found.play(["I/7 RTM"])
    assert found.names == ["1/18", "done"]
    refusal = found.explain(NUMBER["II/7 RTM"])
    assert (refusal.rule, refusal.cause) == ("16.5.3", "I/7 RTM")


def test_all_infantry_builds() -> None:
    """Replacements and the commando too; reconnaissance does not (14.3.4)."""
    g = game({"1016": ["Repl I", "Repl II"], "2533": ["vKoenen", "33 AA"]})
    assert [name(unit) for unit in strongpoints.builders(g, ALLIED)] == ["Repl I", "Repl II"]
    assert [name(unit) for unit in strongpoints.builders(g, AXIS)] == ["vKoenen"]


def test_there_are_only_so_many_markers() -> None:
    """Built and under construction together; removed ones can be used again (2.2.1, 14.3.1, 14.4.3)."""
    hexes = ["2801", "2802", "2803", "2804", "2805", "2806", "2807"]
    found = match({"2533": ["MG 8"], "2532": ["7+8/Afr"]}, phase="supply status", strongpoints={"axis": hexes})
    assert set(found.names) == {"MG 8", "7+8/Afr", "done"}
    g = found.game
    strongpoints.lay_out(g, NUMBER["MG 8"])
    assert strongpoints.markers_left(g, AXIS) == 0
    assert strongpoints.builders(g, AXIS) == []
    refusal = strongpoints.why_not_build(g, NUMBER["7+8/Afr"])
    assert refusal is not None
    assert refusal.rule == "14.3.1"
    strongpoints.remove(g, BOARD["2801"], "14.4.3")
    assert strongpoints.builders(g, AXIS) == [NUMBER["7+8/Afr"]]


def test_no_strongpoints_are_built_at_faid() -> None:
    """Neither side may (18.1.4)."""
    found = begun("faid")
    found.play(["done", "done"])
    assert "strongpoint" not in (found.decision.prompt if found.decision else "")
    assert list(strongpoints.begin(found.game, ALLIED)) == []


def test_works_are_given_up_when_attacked_or_left() -> None:
    """At once; where there are none nothing happens (14.4.2, 14.3.5, example 17 strongpoint lost)."""
    g = game({"2811": ["10 RB (-)"], "2910": ["2/5 Lei (+)"], "2810": ["5 RE"]})
    for unit in ("10 RB (-)", "2/5 Lei (+)"):
        strongpoints.lay_out(g, NUMBER[unit])
    strongpoints.abandon(g, BOARD["2811"])
    strongpoints.abandon(g, BOARD["2810"])
    assert "building" not in flags(g, "10 RB (-)")
    arrival.arrive(g, ALLIED, [NUMBER["2/5 Lei (+)"]], BOARD["2909"])
    assert g.state.works == {}
    assert "building" not in flags(g, "2/5 Lei (+)")


def test_strongpoints_go_when_the_enemy_holds_them_or_the_owner_wants() -> None:
    """In the Recovery Phase, first his own will, then what is occupied (14.4.1, 14.4.3)."""
    position = {"2811": ["7/7/10"], "2910": ["2/5 Lei (+)"]}
    g = game(position, "recovery", strongpoints={"axis": ["2912"], "allied": ["2811", "2910", "3010"]})
    found = Match.at(g)
    assert found.names == ["2912", "done"]
    assert found.explain(found.rules.parse("2910"))[1:] == ("14.4.3", "2910")
    found.play(["done"])
    assert found.names == ["2811", "2910", "3010", "done"]
    found.play(["3010", "done"])
    assert owners(g.state.strongpoint) == {"2912": AXIS, "2910": ALLIED}
