"""Advances after combat (13.5) and after evasion (9.2.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from khamsin.games.kasserine import advance, results
from khamsin.games.kasserine.units import ASSAULT, AXIS, BOARD, MOBILE, NUMBER, RAIN, G
from khamsin.games.kasserine.zones import zone
from khamsin.kernel import Match
from khamsin.kernel.rules import Decision
from tests.rulebook.kasserine.fights import fight
from tests.rulebook.kasserine.table import drive, flags, game, refused, south_to_come, where


def won(
    units: Mapping[str, Sequence[str]], attackers: Sequence[str], hex: str = "5131", table: int = ASSAULT,
    clicks: Sequence[str] = (), **more: object,
) -> tuple[G, Decision | None]:  # fmt: skip
    """A combat that eliminates the defender, and what is asked then."""
    g = game(units, **more)  # type: ignore[arg-type]
    return g, drive(g, results.apply(g, fight(g, attackers, [hex], table), "DE"), clicks)


def names(g: G, question: Decision | None) -> set[str]:
    """What is open."""
    return {g.rules.names[click] for click in question.legal} if question else set()


def why(g: G, question: Decision | None, click: str) -> tuple[str, str]:
    """By which rule a click is not open, and what causes it."""
    return refused(g, question, click)


PLAIN = {"5131": ["A/6a"], "5130": ["1/7/10", "2/7/10"], "5231": ["I/Jg"]}


def test_attackers_may_take_a_vacant_hex_and_need_not() -> None:
    """From any hex of the attack, one by one or all together (13.5, 13.5.1, 13.5.2)."""
    g, question = won(PLAIN, ["1/7/10", "2/7/10", "I/Jg"])
    assert names(g, question) == {"1/7/10", "2/7/10", "I/Jg", "5131", "done"}
    g, question = won(PLAIN, ["1/7/10", "2/7/10", "I/Jg"], clicks=["5131"])
    assert {where(g, unit) for unit in ("1/7/10", "2/7/10", "I/Jg")} == {"5131"}
    assert question is None
    g, question = won(PLAIN, ["1/7/10", "2/7/10", "I/Jg"], clicks=["I/Jg", "done"])
    assert [where(g, unit) for unit in ("1/7/10", "I/Jg")] == ["5130", "5131"]


def test_only_those_who_attacked_advance() -> None:
    """(13.5.2)"""
    g, question = won(PLAIN, ["1/7/10"])
    assert names(g, question) == {"1/7/10", "5131", "done"}
    assert why(g, question, "2/7/10") == ("13.5.2", "2/7/10")


def test_the_stacking_limit_holds() -> None:
    """(13.5)"""
    units = PLAIN | {"5130": ["I/Jg", "II/Jg"], "5231": ["I/104B"]}
    g, question = won(units, ["I/Jg", "II/Jg", "I/104B"], clicks=["I/Jg", "II/Jg"])
    assert "I/104B" not in names(g, question)


def test_an_assault_wins_one_hex() -> None:
    """The first hex of an advance is the one attacked, whatever zones there are (13.5.3)."""
    g, question = won(PLAIN | {"5132": ["B/6a"]}, ["1/7/10"])
    assert zone(g, 1)[BOARD["5131"]]
    assert names(g, question) == {"1/7/10", "5131", "done"}
    assert why(g, question, "5031")[0] == "13.5.3"
    g, _ = won(PLAIN | {"5132": ["B/6a"]}, ["1/7/10"], clicks=["1/7/10"])
    assert where(g, "1/7/10") == "5131"


def test_a_mobile_attack_wins_a_second_hex_for_vehicles() -> None:
    """Any without an enemy, also in his zone (13.5.3, 13.5.4)."""
    g, question = won(PLAIN | {"5032": ["B/6a"]}, ["1/7/10", "I/Jg"], table=MOBILE, clicks=["1/7/10"])
    assert names(g, question) == {"5131", "5031", "5132", "5232", "5231", "cancel"}
    assert why(g, question, "5032") == ("13.5.3", "B/6a")
    g, question = won(PLAIN, ["I/Jg"], table=MOBILE)
    assert names(g, question) == {"I/Jg", "5131", "done"}
    assert why(g, question, "5132") == ("13.5.3", "I/Jg")


def test_vehicles_stop_on_a_mountain_and_in_an_enemy_strongpoint() -> None:
    """(7.3.5, 14.1.2, 13.5.3)"""
    g = game({"3320": ["5+6/69/10"]})
    unit = NUMBER["5+6/69/10"]
    assert set(advance.reach(g, unit, [BOARD["3319"]], 2)) == {BOARD["3319"]}
    g = game(PLAIN, strongpoints={"allied": ["5131"]})
    assert set(advance.reach(g, NUMBER["1/7/10"], [BOARD["5131"]], 2)) == {BOARD["5131"]}


def test_nobody_advances_where_he_could_not_go() -> None:
    """In Rain vehicles attack over a wadi, but do not cross it (7.3.3, 12.2.7)."""
    g, question = won({"5626": ["A/6a"], "5625": ["5+6/69/10"]}, ["5+6/69/10"], "5626", weather=RAIN)
    assert names(g, question) == set()
    g, question = won({"5626": ["A/6a"], "5625": ["5+6/69/10"]}, ["5+6/69/10"], "5626")
    assert "5+6/69/10" in names(g, question)


def test_an_advance_may_end_out_of_supply() -> None:
    """(13.5.4)"""
    g = game(PLAIN)
    g.state.source.clear()
    assert advance.reach(g, NUMBER["1/7/10"], [BOARD["5131"]], 1)


def test_guns_do_not_advance() -> None:
    """Artillery in no mode, Deployed anti-tank and SP units neither; SP guns on the march do (13.5.5, 10.2.2)."""
    g = game({"5130": ["1/90/10", "2/90 Pzjg [deployed]", "605 Pzjg", "1/242 StuG"], "5131": ["A/6a"]})
    starts = {NUMBER[unit]: BOARD["5130"] for unit in ("1/90/10", "2/90 Pzjg", "605 Pzjg", "1/242 StuG")}
    attack = advance.Advance(AXIS, starts, (BOARD["5131"],), 1, "13.5.3", BOARD["5130"], set())
    stay = {
        unit: advance.why_stays(g, NUMBER[unit], attack) for unit in ("1/90/10", "2/90 Pzjg", "605 Pzjg", "1/242 StuG")
    }
    assert [refusal and refusal.rule for refusal in stay.values()] == ["13.5.5", "13.5.5", None, None]


def test_rommel_goes_with_those_who_advance() -> None:
    """(15.5.3)"""
    units = PLAIN | {"5130": ["1/7/10", "2/7/10", "Rommel"]}
    g, question = won(units, ["1/7/10", "2/7/10"])
    assert why(g, question, "Rommel") == ("15.5.3", "Rommel")
    g, question = won(units, ["1/7/10", "2/7/10"], clicks=["1/7/10", "Rommel", "done"])
    assert where(g, "Rommel") == "5131"


def followed(units: Mapping[str, Sequence[str]], clicks: Sequence[str]) -> tuple[G, Decision | None]:
    """An attack on 5131, which its defender has evaded."""
    g = game(units)
    battle = fight(g, [unit for hex, there in units.items() if hex != "5132" for unit in there], ["5131"])
    return g, drive(g, advance.after_evasion(g, battle, BOARD["5131"]), clicks)


def test_attackers_follow_evaders_one_hex_further() -> None:
    """Having advanced they fight no other combat (9.2.6)."""
    g, question = followed({"5130": ["1/7/10", "I/Jg"]}, ["1/7/10"])
    assert {"5131", "5132", "5031"} <= names(g, question)
    g, question = followed({"5130": ["1/7/10", "I/Jg"]}, ["1/7/10", "5132", "done"])
    assert "fought" in flags(g, "1/7/10")
    assert "fought" not in flags(g, "I/Jg")


def test_an_enemy_zone_stops_those_who_follow() -> None:
    """In the hex that was evaded (9.2.6)."""
    g, question = followed({"5130": ["1/7/10"], "5132": ["2/26"]}, [])
    assert names(g, question) == {"1/7/10", "5131", "done"}
    assert why(g, question, "5031")[0] == "9.2.6"


def test_evasion_retreat_and_pursuit_in_the_reaction_phase() -> None:
    """From the declared attack to the vacated hex, which is attacked no more (9.2.4, 9.2.6)."""
    g = game({"5131": ["A/81 Rn"], "5132": ["1/7/10"]}, phase="allied reaction", dice=[1])
    fight(g, ["1/7/10"], ["5131"])
    m = Match.at(g)
    m.play(["5131", "5128"])
    assert m.decision is not None
    assert m.decision.rule == "9.2.6"
    m.play(["1/7/10"])
    refusal = m.explain(m.rules.parse("5129"))
    assert (refusal.rule, refusal.cause) == ("9.2.6", "5129")
    m.play(["5131"])
    assert [where(m.game, unit) for unit in ("A/81 Rn", "1/7/10")] == ["5128", "5131"]
    assert not m.state.targets


def test_the_south_edge_is_shut_to_an_advance_before_the_axis_has_come() -> None:
    """Neither the hex attacked nor the next may lie there (18.2.5)."""
    units = {"2532": ["1/7/10"], "2531": ["D/1a"]}
    g, question = won(units, ["D/1a"], "2532", MOBILE, ["D/1a"])
    assert "2533" in names(g, question)
    g, question = won(units | south_to_come(), ["D/1a"], "2532", MOBILE, ["D/1a"])
    assert {"2532", "2433"} <= names(g, question)
    assert "2533" not in names(g, question)
    assert why(g, question, "2533") == ("18.2.5", "2533")
    units = {"2533": ["1/7/10"], "2532": ["D/1a"]}
    assert "2533" in names(*won(units, ["D/1a"], "2533"))
    assert won(units | south_to_come(), ["D/1a"], "2533")[1] is None
