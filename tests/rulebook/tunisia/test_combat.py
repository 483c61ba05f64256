"""Combat, retreat, advance, overrun, barrage (OCS 7, OCS 8, OCS 9, OCS 16, OCS 17.1-2, OCS 19)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from khamsin.games.tunisia import RULES, advance, barrage, combat, display, overrun, retreat, strength
from khamsin.games.tunisia.barrage import Fire
from khamsin.games.tunisia.strength import Attack, Hit, ratio, read
from khamsin.games.tunisia.units import ALLIED, AXIS, BOARD, NUMBER, SIDES, G
from khamsin.mechanics.odds import total
from tests.rulebook.tunisia.table import drive, flags, game, match, number, refused, rule_of, where

HERE, THERE = "B58.05", "B59.06"
"""Two adjacent open hexes without rivers between them."""


def attacking(units: list[str], hex: str = THERE, side: int = AXIS, **more: int) -> Attack:
    return Attack(side, number(*units), BOARD[hex])


def cell(row: str, odds: str, roll: int) -> str:
    """The result of a table."""
    table = RULES.tables[row]
    return str(table.result(table.heads.index(odds), roll))


def test_the_hexes_of_these_tests_are_open() -> None:
    for name in (HERE, THERE):
        assert BOARD.terrain_name(BOARD[name]) == "open"
        assert not BOARD.tags[BOARD[name]] & {"village", "minor-city"}
    assert not BOARD.between(BOARD[HERE], BOARD[THERE]) & {"wadi", "minor river", "lake"}


@pytest.mark.parametrize(
    ("attack", "defence", "odds"),
    [(39, 8, "5"), (15, 6, "3"), (24, 10, "2"), (25, 10, "3"), (14, 11, "1"), (1, 12, "1/12")],
)
def test_odds_are_rounded_half_up(attack: int, defence: int, odds: str) -> None:
    """9.75 to 2 is 5:1, 15 to 6 is 3:1 (OCS 9(7), OCS 1(3), OCS 21)."""
    assert ratio(attack, defence) == Fraction(odds)


def test_published_combats() -> None:
    """14 to 11 in the open, roll 8; 42 to 6, roll 9; 19 to 9 on low hills, roll 6 (OCS 17.1, OCS 19; OCS check 1, OCS check 2,
    OCS check 3)."""
    for row, attack, defence, roll, result in (
        ("open", 14, 11, 8, "AL1 Do1"),
        ("open", 42, 6, 9, "Ae4 DL1o2"),
        ("close", 19, 9, 6, "AL1o1 Do1"),
    ):
        table = RULES.tables[row]
        assert str(table.result(table.column(ratio(attack, defence)), roll)) == result


def test_surprise_moves_columns_of_the_table() -> None:
    """1:12 begins at 1:5, six columns on is 3:1; 4:1 and three columns is 9:1, six back 1:4 (OCS 9(8), OCS 17.1; series 9.1g,
    series 9.8)."""
    table = RULES.tables["open"]
    assert table.head(table.shift(table.column(ratio(1, 12)), 6)) == "3:1"
    four = table.column(Fraction(4))
    assert table.head(table.shift(four, 3)) == "9:1"
    assert cell("open", "9:1", 12) == "Ae3 DL2o2DG"
    assert cell("open", "4:1", 12) == "Ae4 DL1o2"
    assert table.head(table.shift(four, -6)) == "1:4"
    assert cell("open", "1:4", 2) == "AL2"
    assert cell("open", "4:1", 2) == "AL1o1 Do1"


def test_reading_results() -> None:
    """(OCS 9.1)"""
    assert read("Ao1e4 DL1o2") == (Hit(0, 1, 4), Hit(1, 2))
    assert read("AL2") == (Hit(2), Hit())


def test_armour_is_doubled_in_the_open() -> None:
    """Against an equal anti-tank level only one and a half (OCS 9(5), OCS 9(6))."""
    g = game({HERE: ["501 Pz", "69 PG/10 Pz", "47 Inf"], THERE: ["201 Gds Inf"]})
    values = [one.value // 48 for one in strength.attack_shares(g, attacking(["501 Pz", "69 PG/10 Pz", "47 Inf"]))]
    assert values == [16, 16, 7]
    g = game({HERE: ["501 Pz", "69 PG/10 Pz"], THERE: ["12 Lanc Arm Car/1 Arm"]})
    assert [one.value // 48 for one in strength.attack_shares(g, attacking(["501 Pz", "69 PG/10 Pz"]))] == [16, 12]
    g = game({HERE: ["501 Pz", "69 PG/10 Pz"], THERE: ["3 RTR Arm"]})
    assert [one.value // 48 for one in strength.attack_shares(g, attacking(["501 Pz", "69 PG/10 Pz"]))] == [12, 12]


def test_modes_and_supply_multiply() -> None:
    """DG halves, out of supply halves, both quarter; Reserve halves the defence, Strat leaves nothing (OCS 1(4), OCS 5,
    OCS 11.3)."""
    for mark, value in (
        ("", 6),
        (" [dg]", 3),
        (" [oos]", 3),
        (" [dg, oos]", Fraction(3, 2)),
        (" [reserve]", 3),
        (" [move, strat]", 0),
    ):
        g = game({HERE: ["47 Inf"], THERE: [f"201 Gds Inf{mark}"]})
        assert Fraction(total(strength.defence_shares(g, attacking(["47 Inf"]), "open")), 48) == value
    g = game({HERE: ["47 Inf"], THERE: ["201 Gds Inf"]})
    halved = attacking(["47 Inf"])._replace(unpaid=number("201 Gds Inf"))
    assert total(strength.defence_shares(g, halved, "open")) == 3 * 48


def test_artillery_and_headquarters_only_defend() -> None:
    """1, and 5 or 1 by the side that is up (OCS 1(5))."""
    g = game({HERE: ["47 Inf"], THERE: ["23 Art", "HQ 10", "HQ 13 [move]"]})
    assert [one.strength for one in strength.defence_shares(g, attacking(["47 Inf"]), "open")] == [5, 1, 1] or sorted(
        one.strength for one in strength.defence_shares(g, attacking(["47 Inf"]), "open")
    ) == [1, 1, 5]
    m = match({HERE: ["104 Art", "47 Inf"], THERE: ["201 Gds Inf"]}, phase="axis combat", axis={HERE: 8})
    while m.decision is not None and m.decision.kind != "combat.target":
        m.play(["done"])
    m.play([THERE])
    assert refused(m, "104 Art") == "OCS 1(6)"


def test_hedgehogs() -> None:
    """-1 to surprise, the level off the roll, heavy against tanks (OCS 9(8), OCS 9(9), OCS 16)."""
    g = game({HERE: ["501 Pz"], THERE: ["201 Gds Inf"]}, hedgehogs={THERE: 2})
    battle = attacking(["501 Pz"])._replace(leader=NUMBER["501 Pz"], enemy_leader=NUMBER["201 Gds Inf"])
    assert strength.anti_tank(g, battle) == strength.HEAVY
    assert strength.hedgehog(g, battle) == 2
    # DRM 5 - 4 = +1, less 1: the attacker surprises on 10 or more, the defender on 5 or less
    chances = strength.shift_chances(g, battle)
    assert sum(chance for shift, chance in chances.items() if shift > 0) == Fraction(6, 36)
    assert sum(chance for shift, chance in chances.items() if shift < 0) == Fraction(10, 36)
    assert sum(strength.outcomes(g, battle).values()) == 1


def test_overruns_surprise_more_often() -> None:
    """9 or more, 6 or less (OCS 7(3), OCS 9(8))."""
    g = game({HERE: ["201 Gds Inf"], THERE: ["T.1 March"]})
    battle = Attack(ALLIED, number("201 Gds Inf"), BOARD[THERE], overrun=True)
    chances = strength.shift_chances(g, battle)
    assert sum(chance for shift, chance in chances.items() if shift > 0) == Fraction(10, 36)
    assert sum(chance for shift, chance in chances.items() if shift < 0) == Fraction(15, 36)


def test_zero_strengths() -> None:
    """Against 0 the last column, with 0 the first, both 1:1 (OCS 9(10))."""
    g = game({HERE: ["47 Inf"], THERE: ["201 Gds Inf [move, strat]"]})
    assert strength.column(g, attacking(["47 Inf"])).at == len(RULES.tables["open"].heads) - 1


def fought(dice: list[int], clicks: list[str], attackers: list[str], defenders: list[str]) -> G:
    """An attack alone with these dice and answers."""
    g = game({HERE: attackers, THERE: defenders}, dice=dice, axis={HERE: 20}, allied={THERE: 8}, phase="axis combat")
    drive(g, combat.resolve(g, AXIS, number(*attackers), BOARD[THERE]), clicks)
    return g


def test_the_attacker_pays_a_token_a_step_and_the_defender_one_or_two() -> None:
    """(OCS 9(2), OCS 17.6)"""
    g = fought([4, 3, 1, 1], ["pay"], ["47 Inf", "Afrika Inf"], ["201 Gds Inf"])
    assert g.state.axis_t[BOARD[HERE]] == 18
    assert g.state.allied_t[BOARD[THERE]] == 7


def test_losses_begin_with_the_leader() -> None:
    """(OCS 9(3), OCS 9.1)"""
    # 17 to 6 is 3:1; surprise 7, roll 2 + 1: AL1o1 Do1
    g = fought([4, 3, 1, 1], ["pay", "47 Inf", "loss"], ["47 Inf", "Afrika Inf"], ["201 Gds Inf"])
    assert where(g, "47 Inf") == "Axis Dead Pile"
    assert where(g, "Afrika Inf") == "Axis Dead Pile"
    assert where(g, "201 Gds Inf") == THERE


def test_an_attacker_who_retreats_frees_the_defender() -> None:
    """Ao1 DL1o2: the defender loses one and ignores his options (OCS 9.1)."""
    g = game({HERE: ["47 Inf", "Afrika Inf"], THERE: ["201 Gds Inf", "Notts Arm"]}, axis={HERE: 20}, allied={THERE: 8})
    procedure = combat.suffer(g, AXIS, number("47 Inf", "Afrika Inf"), Hit(0, 1), "attack", NUMBER["47 Inf"], {}, [])
    assert drive(g, procedure, ["retreat", "B57.05"]) == (True, True)
    assert where(g, "47 Inf") == where(g, "Afrika Inf") == "B57.05"


def test_one_option_each() -> None:
    """AL1o1 with a sole attacker: he dies by the loss and cannot meet his option (OCS 9.1)."""
    g = game({HERE: ["47 Inf"], THERE: ["201 Gds Inf"]})
    procedure = combat.suffer(g, AXIS, number("47 Inf"), Hit(1, 1), "attack", NUMBER["47 Inf"], {}, [])
    assert drive(g, procedure) == (False, False)


def test_a_retreat_of_two_hexes_disorganises() -> None:
    """Exactly two hexes away (OCS 5(3), OCS 9.2)."""
    g = game({HERE: ["47 Inf"], THERE: ["201 Gds Inf"]})
    found = retreat.ends(g, ALLIED, number("201 Gds Inf"), 2, {BOARD[HERE]: 1}, [BOARD[HERE]])
    assert found
    assert {BOARD.distance(BOARD[THERE], hex) for hex in found} == {2}
    assert {retreat.harm(g, ALLIED, number("201 Gds Inf"), path) for path in found.values()} == {
        "second hex: disorganised"
    }
    drive(
        g,
        retreat.retreat(g, ALLIED, number("201 Gds Inf"), 2, {BOARD[HERE]: 1}, [BOARD[HERE]]),
        [BOARD.name(next(iter(found)))],
    )
    assert "dg" in flags(g, "201 Gds Inf")


def test_stacks_of_two_hexes_retreat_and_advance_in_any_order() -> None:
    """A unit or a hex that may be chosen has no refusal (OCS 9.2)."""
    g = game({HERE: ["47 Inf", "Afrika Inf"], THERE: ["201 Gds Inf", "69 Inf/50 Inf"]}, phase="axis combat")
    attackers, defenders = number("47 Inf", "Afrika Inf"), number("201 Gds Inf", "69 Inf/50 Inf")
    retreating = drive(g, retreat.retreat(g, ALLIED, defenders, 2, {BOARD[HERE]: 1}, [BOARD[HERE]]))
    assert set(defenders) <= set(retreating.legal)
    for unit in defenders:
        g.state.where[unit] = BOARD["Allied Dead Pile"]
    advancing = drive(g, advance.advance(g, AXIS, attackers, BOARD[THERE]))
    assert {*attackers, g.place0 + BOARD[THERE]} <= set(advancing.legal)
    for asked in (retreating, advancing):
        assert not any(asked.why_not(g, asked, click) for click in asked.legal)


def test_a_retreat_into_a_zone_disorganises_and_costs_dg_units_a_step() -> None:
    """(OCS 5(3), OCS 9.2)"""
    around = [BOARD.name(hex) for hex in BOARD.around(BOARD[THERE])]
    free = next(hex for hex in around if BOARD.distance(BOARD[hex], BOARD[HERE]) == 2)
    beyond = next(
        BOARD.name(h)
        for h in BOARD.around(BOARD[free])
        if BOARD.distance(h, BOARD[THERE]) == 2 and BOARD.enterable(h) and BOARD.distance(h, BOARD[HERE]) == 3
    )
    for mark, end in (("", free), (" [dg]", "Allied Dead Pile")):
        g = game({HERE: ["47 Inf"], THERE: [f"201 Gds Inf{mark}"], beyond: ["69 PG/10 Pz"]})
        enemies = {BOARD[HERE]: 1, BOARD[beyond]: 1}
        hint = retreat.harm(g, ALLIED, number("201 Gds Inf"), (BOARD[free],))
        assert hint == ("enemy ZOC: a unit that is DG is lost" if mark else "enemy ZOC: disorganised")
        drive(g, retreat.go(g, ALLIED, number("201 Gds Inf"), (BOARD[free],)))
        assert where(g, "201 Gds Inf") == end
        assert enemies


def test_a_retreat_that_loses_a_unit_is_confirmed_where_others_are_safe() -> None:
    """(OCS 9.2)"""
    warned = {}
    for mark in ("", " [dg]"):
        g = game({HERE: ["47 Inf"], THERE: [f"201 Gds Inf{mark}"], "B60.07": ["69 PG/10 Pz"]})
        asked = drive(g, retreat.retreat(g, ALLIED, number("201 Gds Inf"), 1, {BOARD[HERE]: 1, BOARD["B60.07"]: 1}))
        legal = {RULES.names[click]: str(hint) for click, hint in asked.legal.items()}
        lost = {hex for hex, hint in legal.items() if "lost" in hint}
        assert len(lost) < len(legal)
        warned[mark] = {RULES.names[click] for click in display.warnings(g, asked)}
        assert warned[mark] == lost
    assert not warned[""]
    assert warned[" [dg]"]


def test_exploitation() -> None:
    """Ae3: attackers of rating 3 or better, from adjacent hexes, not in overruns, not DG (OCS 9.1)."""
    g = game({HERE: ["47 Inf", "DAL Arab"], THERE: []})
    battle = attacking(["47 Inf", "DAL Arab"])
    combat.exploit(g, battle, 4, [BOARD[HERE]])
    assert "exploit" in flags(g, "47 Inf")
    assert "exploit" not in flags(g, "DAL Arab")
    g = game({HERE: ["47 Inf [dg]"], THERE: []})
    combat.exploit(g, attacking(["47 Inf"]), 2, [BOARD[HERE]])
    assert "exploit" not in flags(g, "47 Inf")
    g = game({HERE: ["47 Inf"], THERE: []})
    combat.exploit(g, attacking(["47 Inf"])._replace(overrun=True), 2, [BOARD[HERE]])
    assert "exploit" not in flags(g, "47 Inf")


def test_the_prompt_of_exploitation_says_whether_a_unit_can_move() -> None:
    """(OCS 5(2))"""
    m = match({HERE: ["47 Inf"]}, phase="axis exploitation")
    assert m.decision.prompt == "Exploitation: no unit can move; end movement"
    m = match({HERE: ["47 Inf"]}, phase="axis exploitation", axis={HERE: 4})
    assert m.decision.prompt == "Exploitation: no unit can move; blow supply, or end movement"
    m = match({HERE: ["47 Inf [exploit]"]}, phase="axis exploitation")
    assert m.decision.prompt == "Exploitation: move a unit, or end movement"


def test_who_overruns() -> None:
    """Attack-capable units that began together, not DG, with 3 MPs and fuel (OCS 7(1), OCS 3(3))."""
    g = game({HERE: ["190 Pz", "104 Art", "501 Pz [dg]"], THERE: ["201 Gds Inf"]}, axis={HERE: 20})
    for unit in g.state.where.stacks(AXIS)[BOARD[HERE]]:
        g.state.origin[unit] = BOARD[HERE]
    bits = g.state.flags
    assert overrun.why_not(g, AXIS, number("190 Pz"), [0], BOARD[THERE]) is None
    for other in ("104 Art", "501 Pz"):
        pair = number("190 Pz", other)
        assert rule_of(overrun.why_not(g, AXIS, pair, [bits[u] for u in pair], BOARD[THERE])) == "OCS 7(1)"
    g.state.origin[NUMBER["190 Pz"]] = BOARD["B50.05"]
    assert overrun.why_not(g, AXIS, number("190 Pz"), [0], BOARD[THERE]) is None
    g.state.spent[NUMBER["190 Pz"]] = 6 * 12
    assert rule_of(overrun.why_not(g, AXIS, number("190 Pz"), [0], BOARD[THERE])) == "OCS 7(1)"


# Barrage


def test_the_cost_of_a_barrage_and_its_shifts() -> None:
    """16 points cost 3T; 8 RE, a hedgehog and close terrain shift two columns right; 8 is [1/2], a die of 3 disorganises alone
    (OCS 8(5), OCS 17.2)."""
    crowd = [
        "201 Gds Inf",
        "2 Inf/1 Inf",
        "24 Inf/1 Inf",
        "128 Inf/46 Inf",
        "138 Inf/46 Inf",
        "7 Inf/1 Arm",
        "4 Inf/2 NZ",
        "5 Inf/4 Ind",
    ]
    g = game(
        {HERE: ["4-2 Art", "Afrika 2 Art", "47 Inf"], THERE: crowd},
        hedgehogs={THERE: 1},
        axis={HERE: 8},
        dice=[4, 4, 3],
    )
    shot = Fire(AXIS, number("Afrika 2 Art", "4-2 Art"), BOARD[THERE])
    assert barrage.total(g, shot) == 17
    assert barrage.price(g, shot) == 3
    assert [(one.text.split()[0], one.value) for one in barrage.shifts(g, shot)] == [("density", 4), ("hedgehog", -1)]
    assert g.table("barrage").head(barrage.column(g, shot)) == "69-116"


def test_density_counts_a_division_three_at_most() -> None:
    """(OCS 17.2)"""
    assert barrage.density(number("69 PG/10 Pz", "86 Inf/10 Pz", "90 Art/10 Pz", "1-7 Pz/10 Pz")) == 12
    assert barrage.density(number("47 Inf", "501 Pz")) == 6


def test_bracketed_results_are_softened() -> None:
    """By a hedgehog of level 3 or 4, or without a spotter (OCS 17.2)."""
    shot = Fire(AXIS, number("104 Art"), BOARD[THERE])
    g = game({HERE: ["47 Inf"], THERE: ["201 Gds Inf"]})
    assert barrage.softened(g, shot, "[1/2]") == "1/2"
    assert (
        barrage.softened(game({HERE: ["47 Inf"], THERE: ["201 Gds Inf"]}, hedgehogs={THERE: 3}), shot, "[1/2]") == "DG"
    )
    assert barrage.softened(game({THERE: ["201 Gds Inf"]}), shot, "[1/2]") == "DG"


def test_a_barrage_is_paid_from_one_headquarters_or_dump() -> None:
    """Two dumps of a token do not pay 2T (OCS 8(5))."""
    near = {HERE: 1, "B57.05": 1}
    g = game({HERE: ["Afrika 2 Art", "47 Inf"], THERE: ["201 Gds Inf"]}, axis=near)
    assert rule_of(barrage.why_unpaid(g, Fire(AXIS, number("Afrika 2 Art"), BOARD[THERE]))) == "OCS 8(5)"
    g = game({HERE: ["Afrika 2 Art", "47 Inf", "HQ DAK"], THERE: ["201 Gds Inf"]}, axis=near)
    assert barrage.why_unpaid(g, Fire(AXIS, number("Afrika 2 Art"), BOARD[THERE])) is None


def test_each_hex_and_each_gun_once_in_a_phase() -> None:
    """(OCS 8(2), OCS 8(7))"""
    g = game(
        {HERE: ["104 Art", "47 Inf"], THERE: ["201 Gds Inf"], "B63.10": ["Notts Arm"]}, axis={HERE: 20}, dice=[1, 1]
    )
    drive(g, barrage.fire(g, Fire(AXIS, number("104 Art"), BOARD[THERE])))
    assert rule_of(barrage.why_not_target(g, AXIS, BOARD[THERE])) == "OCS 8(2)"
    assert rule_of(barrage.why_silent(g, NUMBER["104 Art"])) == "OCS 8(2)"
    assert rule_of(barrage.why_not_target(g, AXIS, BOARD["B63.10"])) in ("OCS 8(7)", "OCS 8(2)")


@pytest.mark.parametrize("side", [AXIS, ALLIED])
def test_attackers_and_defenders_retreat_through_hexes_of_their_own_side(side: int) -> None:
    """Closed are only the hexes that held enemies when the combat began, whichever side attacks (OCS 9.2, OCS 21)."""
    target = THERE if side == AXIS else HERE
    behind = {
        one: next(hex for hex in BOARD.around(BOARD[one]) if BOARD.distance(hex, BOARD[other]) == 2)
        for one, other in ((HERE, THERE), (THERE, HERE))
    }
    g = game(
        {HERE: ["47 Inf"], THERE: ["201 Gds Inf"],
         BOARD.name(behind[HERE]): ["Afrika Inf"], BOARD.name(behind[THERE]): ["69 Inf/50 Inf"]},
        dice=[4, 3, 5, 4], axis={HERE: 20}, allied={THERE: 20}, phase=f"{SIDES[side].lower()} combat",
    )  # fmt: skip
    units = number("47 Inf" if side == AXIS else "201 Gds Inf")
    asked = drive(g, combat.resolve(g, side, units, BOARD[target]), ["pay", "retreat"])
    assert asked.kind == "combat.retreat"
    assert g.place0 + behind[HERE if asked.side == AXIS else THERE] in asked.legal
