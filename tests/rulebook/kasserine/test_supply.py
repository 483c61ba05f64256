"""Supply (6): routes, lines, roads and sources, the Supply Status Phase, and emergency supply from Axis HQs (15.4)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from khamsin.games.kasserine import arrival, battle, control, supply
from khamsin.games.kasserine.reserve import allowance
from khamsin.games.kasserine.status import recover_fire
from khamsin.games.kasserine.support import available
from khamsin.games.kasserine.units import ALLIED, AXIS, BOARD, CLOUDY, DRY, HALVES, HEXES, MA, NUMBER, RAIN, G
from khamsin.kernel import Match
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.flood import CLOSED, OPEN
from khamsin.mechanics import supply as lines
from tests.rulebook.kasserine.fights import fight
from tests.rulebook.kasserine.table import drive, flags, game, where

THALA = {
    "2811": ["10 RB (-)", "450/71 Fd [deployed]"],
    "2910": ["2/5 Lei (+)"],
    "3010": ["C-2 Loth"],
    "2810": ["C-17/21 L", "90/23 Fd [deployed]", "F/12 RHA [deployed]"],
    "2812": ["7/7/10"],
    "2912": ["2/K10/10", "1/90/10", "HQ 10 Pz"],
    "2913": ["5+6/69/10", "7+8/69/10", "1/7/10"],
    "3012": ["1/90 Pzjg", "2/90 Pzjg"],
}
"""The two sides before Thala at the beginning of GT 16, as far as the example needs them."""


def at(g: G, unit: str, hex: str) -> bool:
    return supply.supplied_at(g, NUMBER[unit], BOARD[hex])


def reached(source: str, path: Sequence[str], rain: bool = False, french: bool = False) -> list[str]:
    """Which hexes of a path are supplied from a source in it when all other hexes are closed."""
    mask = bytearray([CLOSED]) * HEXES
    for hex in path:
        mask[BOARD[hex]] = OPEN
    field = lines.supplied(supply.supply_lines(rain, french), frozenset((BOARD[source],)), bytes(mask))
    return [hex for hex in path if field[BOARD[hex]]]


def without(g: G, *sources: str) -> G:
    """The same game with only these supply sources."""
    for hex in list(g.state.source):
        if BOARD.name(hex) not in sources:
            del g.state.source[hex]
    return g


def test_everybody_before_thala_is_supplied() -> None:
    """The Allies by the main road to 2401, the Axis by that to 2533 (example 17 supply, 6.1.1, 6.1.2, 6.2, 17.0)."""
    g = without(game(THALA, weather=CLOUDY), "2401", "2533")
    names = [unit.split(" [")[0] for units in THALA.values() for unit in units]
    assert all(supply.supplied(g, NUMBER[unit]) for unit in names)
    assert BOARD.name(supply.source_of(g, NUMBER["10 RB (-)"])) == "2401"
    assert BOARD.name(supply.source_of(g, NUMBER["2/K10/10"])) == "2533"


@pytest.mark.parametrize(
    ("hex", "unit", "weather", "good"),
    [
        ("0331", "1/18", DRY, True),
        ("0330", "1/18", DRY, False),
        ("0327", "1/18", CLOUDY, True),
        ("0328", "1/18", DRY, False),
        ("0327", "1/18", RAIN, False),
        ("0634", "1/18", RAIN, True),
        ("0533", "1/18", RAIN, False),
        ("0533", "1/18", DRY, True),
        ("0634", "II/7 RTM", DRY, True),
        ("0533", "II/7 RTM", DRY, False),
        ("0634", "II/7 RTM", RAIN, True),
    ],
)
def test_a_supply_line_has_a_greatest_length(hex: str, unit: str, weather: int, good: bool) -> None:
    """Seven hexes to a road, four where the road has a trail in it, in Rain and for the French (6.0, 6.2.1, 6.2.2, 16.5.4,
    5.1.5)."""
    assert at(game({}, weather=weather), unit, hex) == good


def test_a_line_over_a_wadi_is_short() -> None:
    """Four hexes in Dry weather, none in Rain (6.2.2, 6.2.1)."""
    path = ["0712", "0711", "0710", "0709", "0708", "0707", "0706"]
    assert reached("0712", path) == path[:5]
    assert reached("0712", path, rain=True) == path[:2]
    assert reached("0710", path[2:]) == path[2:]


def test_a_ford_serves_a_line_but_not_in_rain() -> None:
    """It does not shorten the line, and in Rain it is no way at all; a bridge is (6.2.1)."""
    path = ["1527", "1428", "1429", "1430", "1431", "1432"]
    assert reached("1527", path) == path
    assert reached("1527", path, rain=True) == ["1527"]
    assert reached("2401", ["2401", "2402"], rain=True) == ["2401", "2402"]


def test_no_line_crosses_an_escarpment() -> None:
    """In front of Thala (6.2.1)."""
    assert reached("2811", ["2811", "2711"]) == ["2811"]


def test_a_mountain_is_passed_only_along_a_road() -> None:
    """A unit on the only mountain of its line is supplied; in Rain trails are nothing (6.2.1, 5.1.5)."""
    assert reached("1316", ["1316", "1317", "1318"], rain=True) == ["1316", "1317", "1318"]
    assert reached("2712", ["2712", "2713", "2714"]) == ["2712", "2713", "2714"]
    assert reached("2712", ["2712", "2713", "2714"], rain=True) == ["2712", "2713"]
    assert reached("2512", ["2512", "2613", "2712"]) == ["2512", "2613"]
    assert reached("2713", ["2713", "2814"]) == ["2713"]


def test_a_supply_road_crosses_a_wadi_only_by_a_bridge() -> None:
    """The main road over the wadi at 2401 does; the trail 2717/2716 has a ford, so the road ends there (6.2.3)."""
    road = [BOARD.name(hex) for hex in supply.route(game({}), NUMBER["2/5 Lei (+)"], BOARD["2809"])]
    assert road[-2:] == ["2402", "2401"]
    assert len(road) > supply.FULL + 1
    trail = supply.TRAIL.roads
    assert BOARD["2716"] not in trail.flood([BOARD["2717"]], limit=1)


def test_an_enemy_zone_cuts_a_road_unless_a_friend_is_there() -> None:
    """Every zoned hex of the road must be held (6.2, 6.2.3, 6.2.4)."""
    front = {"2811": ["10 RB (-)"], "2303": ["1/7/10"]}
    assert not supply.supplied(without(game(front), "2401"), NUMBER["10 RB (-)"])
    held = front | {"2403": ["5 RE"], "2404": ["8 RE"]}
    assert supply.supplied(without(game(held), "2401"), NUMBER["10 RB (-)"])
    assert supply.supplied(without(game(front), "2401", "1016"), NUMBER["10 RB (-)"])


def test_why_a_unit_is_not_supplied() -> None:
    """What cuts its route, or that none is short enough (6.2, 6.2.1, 14.1.1)."""
    unit, hex = NUMBER["10 RB (-)"], BOARD["2811"]
    g = without(game({"2811": ["10 RB (-)"], "2303": ["1/7/10"]}), "2401")
    refusal = supply.why_not_supplied(g, unit, hex)
    assert (refusal.rule, refusal.cause) == ("6.2.3", "1/7/10")
    assert "2404" in refusal.reason
    g = without(game({"2811": ["10 RB (-)"], "2404": ["1/7/10"]}), "2401")
    assert supply.why_not_supplied(g, unit, hex).cause == "1/7/10"
    g = without(game({}, strongpoints={"axis": ["2404"]}), "2401")
    assert supply.why_not_supplied(g, unit, hex)[1:] == ("14.1.1", "2404")
    assert supply.why_not_supplied(game({}), unit, BOARD["0330"]).rule == "6.2.1"
    assert supply.why_not_supplied(game({}), NUMBER["II/7 RTM"], BOARD["0330"]).rule == "16.5.4"
    assert supply.why_not_supplied(game({}, weather=RAIN), unit, BOARD["0330"]).rule == "6.2.2"


def test_no_route_leads_through_an_enemy_strongpoint() -> None:
    """Not even where a friendly unit has taken it; from there it can trace (14.1.1, 6.2.1)."""
    g = without(game({"2404": ["5 RE"], "2811": ["10 RB (-)"]}, strongpoints={"axis": ["2404"]}), "2401")
    assert not supply.supplied(g, NUMBER["10 RB (-)"])
    assert supply.supplied(g, NUMBER["5 RE"])


def test_supply_is_as_the_hex_is_now() -> None:
    """A hex counts as if the unit stood there, also in an enemy zone (6.1.3, 6.2.4, 6.4.2)."""
    g = without(game({"2812": ["7/7/10"]}, weather=CLOUDY), "2401")
    assert at(g, "10 RB (-)", "2811")
    assert not at(g, "10 RB (-)", "2812")
    assert not at(without(g), "10 RB (-)", "2811")


def test_a_captured_source_serves_nobody_until_the_phase_after_it_is_retaken() -> None:
    """And never the captor (6.3.1)."""
    g = game({"2403": ["1/7/10"], "2405": ["5 RE"]}, "supply status", allied=["2401"])
    arrival.arrive(g, AXIS, [NUMBER["1/7/10"]], BOARD["2401"])
    assert BOARD["2401"] not in g.state.source
    g.state.where[NUMBER["1/7/10"]] = BOARD["2533"]
    control.entered(g, ALLIED, [BOARD["2401"]])
    assert BOARD["2401"] not in supply.working(g, ALLIED)
    supply.restore_sources(g)
    assert BOARD["2401"] in supply.working(g, ALLIED)
    assert BOARD["2401"] not in supply.working(g, AXIS)


def test_units_off_the_map_are_supplied() -> None:
    """In holding boxes and on the cards (6.3.2)."""
    g = without(game({"Le Kef": ["34 FA"], "Allied set-up card": ["B-1 DY"], "2811": ["10 RB (-)"]}))
    assert [supply.supplied(g, NUMBER[unit]) for unit in ("34 FA", "B-1 DY", "10 RB (-)")] == [True, True, False]
    assert supply.source_of(g, NUMBER["34 FA"]) == supply.source_of(g, NUMBER["10 RB (-)"]) == NOWHERE


def test_the_commando_and_rommel_need_no_supply() -> None:
    """By agreement vKoenen; Rommel always (16.4.2, 15.5.3)."""
    lonely = {"2811": ["vKoenen", "Rommel"]}
    for option, good in (("off", False), ("on", True)):
        g = without(game(lonely, "supply status", options={"commando": option}))
        supply.judge(g, AXIS)
        assert supply.supplied(g, NUMBER["vKoenen"]) == good
        assert ("oos" not in flags(g, "vKoenen")) == good
        assert supply.supplied(g, NUMBER["Rommel"])
        assert "oos" not in flags(g, "Rommel")


def test_the_phase_marks_units_out_of_supply_and_frees_them_again() -> None:
    """A unit is never lost for it (6.1.1, 6.1.4)."""
    g = without(game({"0330": ["10 RB (-)"], "0331": ["5 RE [oos]"]}, "supply status"), "1016", "2401")
    match = Match.at(g)
    assert flags(g, "10 RB (-)") == {"oos"}
    assert flags(g, "5 RE") == set()
    assert match.state.steps[NUMBER["10 RB (-)"]] == 2


def test_motorized_units_out_of_supply_have_two_points_less() -> None:
    """Others lose nothing, nor do those that entered this turn (6.4.1, 5.2.3)."""
    g = game({"0330": ["C-2 Loth [oos]", "1/18 [oos]"], "0331": ["B-2 Loth [oos, entered]"]})
    assert allowance(g, NUMBER["C-2 Loth"]) == HALVES * (MA[NUMBER["C-2 Loth"]] - 2)
    assert allowance(g, NUMBER["1/18"]) == HALVES * MA[NUMBER["1/18"]]
    assert allowance(g, NUMBER["B-2 Loth"]) == HALVES * MA[NUMBER["B-2 Loth"]]


def test_who_may_not_leave_supply_of_his_own_will() -> None:
    """Allied and Italian motorized units in supply; Germans, foot and those already out go where they like (6.4.2)."""
    g = game({"2810": ["C-2 Loth", "1/18"], "2809": ["B-2 Loth [oos]"], "2533": ["1/31", "1/7/10"]})
    found = {unit: supply.held_back(g, NUMBER[unit]) for unit in ("C-2 Loth", "1/18", "B-2 Loth", "1/31", "1/7/10")}
    assert found == {"C-2 Loth": True, "1/18": False, "B-2 Loth": False, "1/31": True, "1/7/10": False}


def test_markers_of_supplied_guns_are_ready_again() -> None:
    """A gun out of supply leaves its marker used, and fires while it is ready (10.4.1, 10.4.2, 6.1.3)."""
    g = game(
        {
            "2810": ["90/23 Fd [deployed]", "F/12 RHA [deployed, oos]", "450/71 Fd [deployed, oos]"],
            "Allied Used Box": ["90/23 Fd fire", "F/12 RHA fire"],
            "Allied Ready Box": ["450/71 Fd fire [face down]"],
        },
        "supply status",
    )
    assert not available(g, NUMBER["90/23 Fd"])
    recover_fire(g)
    assert where(g, "90/23 Fd fire") == "Allied Ready Box"
    assert "face down" in flags(g, "90/23 Fd fire")
    assert where(g, "F/12 RHA fire") == "Allied Used Box"
    assert [available(g, NUMBER[gun]) for gun in ("90/23 Fd", "F/12 RHA", "450/71 Fd")] == [True, False, True]


CUT_OFF = {"2812": ["7/7/10", "1/7/10"], "2913": ["HQ 10 Pz"], "2918": ["2/7/10"], "3018": ["HQ DAK"]}


def test_an_hq_supplies_units_with_a_line_to_it_and_is_depleted() -> None:
    """In the Supply Status Phase for the turn; any number of units in command range (15.2.3, 15.4.1, 15.4.2, 15.4)."""
    g = without(game(CUT_OFF, "supply status"))
    match = Match.at(g)
    assert set(match.names) == {"HQ 10 Pz", "HQ DAK", "done"}
    match.play(["HQ 10 Pz"])
    assert flags(g, "HQ 10 Pz") == {"depleted"}
    assert flags(g, "7/7/10") == flags(g, "1/7/10") == set()
    assert flags(g, "2/7/10") == {"oos"}
    assert match.names == ["HQ DAK", "done"]
    refusal = match.explain(NUMBER["HQ 10 Pz"])
    assert (refusal.rule, refusal.cause) == ("15.4.3", "HQ 10 Pz")
    assert match.explain(NUMBER["7/7/10"]).rule == "15.4.1"
    match.undo()
    assert "depleted" not in flags(match.game, "HQ 10 Pz")


def test_a_depleted_hq_is_turned_back_when_it_traces_to_a_source() -> None:
    """To one that is not an HQ (15.4.3, 15.4.4)."""
    for source, left in (("2533", set()), ("2401", {"depleted", "oos"})):
        g = without(game({"2913": ["HQ 10 Pz [depleted]"]}, "supply status"), source)
        Match.at(g)
        assert flags(g, "HQ 10 Pz") == left


def test_an_hq_can_supply_one_combat() -> None:
    """It acts as a source in that combat alone; the Allies have nothing like it (15.4.1, 15.4.2, 6.5.1)."""
    g = without(game(CUT_OFF, "axis combat"))
    unit = NUMBER["7/7/10"]
    combat = fight(g, ["7/7/10"], ["2811"])
    asking = supply.emergency(g, AXIS, [unit])
    question = next(asking)
    assert set(question.legal) == {NUMBER["HQ 10 Pz"], g.rules.button("done")}
    assert question.legal[NUMBER["HQ 10 Pz"]] == "7/7/10"
    with pytest.raises(StopIteration):
        asking.send(NUMBER["HQ 10 Pz"])
    assert supply.supplied(g, unit)
    assert BOARD.name(supply.source_of(g, unit)) == "2913"
    battle.close(g, combat)
    assert not supply.supplied(g, unit)
    assert list(supply.emergency(g, AXIS, [unit])) == []
    assert not supply.supplied(g, unit)
    assert list(supply.emergency(g, ALLIED, [unit])) == []


def test_what_an_hq_gives_lasts_until_its_combat_is_over() -> None:
    """However many hexes are attacked meanwhile (15.4.1)."""
    g = without(game(CUT_OFF | {"2710": ["2/26"], "2711": ["I/Jg"]}, "axis combat"))
    unit = NUMBER["7/7/10"]
    combat = fight(g, ["7/7/10"], ["2811"])
    drive(g, supply.emergency(g, AXIS, [unit]), ["HQ 10 Pz"])
    fight(g, ["I/Jg"], ["2710"])
    assert supply.supplied(g, unit)
    battle.close(g, combat)
    assert not supply.supplied(g, unit)


def test_an_hq_gives_nothing_beyond_its_command_range() -> None:
    """Nor through enemy zones: a unit may stand in one, a line may not pass it (15.2.3, 15.4.1)."""
    g = without(game({"2913": ["HQ 10 Pz"], "2711": ["10 RB (-)"], "2911": ["5+6/Afr"]}, "supply status"))
    fed = supply.feeds(g, NUMBER["HQ 10 Pz"])
    assert fed[BOARD["2917"]]
    assert not fed[BOARD["2918"]]
    g = without(game({"2130": ["HQ 10 Pz"], "2128": ["2/18"], "1928": ["3/18"], "2328": ["1/18"]}, "supply status"))
    fed = supply.feeds(g, NUMBER["HQ 10 Pz"])
    assert fed[BOARD["2129"]]
    assert not fed[BOARD["2127"]]
