"""Reinforcements, withdrawals and the return of HQs (5.2, 15.3, 18.2.5)."""

from __future__ import annotations

from khamsin.games.kasserine import recovery, reinforcement
from khamsin.games.kasserine.reserve import allowance
from khamsin.games.kasserine.units import ALLIED, AXIS, BOARD, HALVES, MA, NUMBER, READY
from khamsin.kernel import Match
from tests.rulebook.kasserine.table import drive, flags, game, match, where

KEF = ["34 FA", "60 FA", "84 FA", "47 cn", "60 cn", "56 Rn"]
TEBESSA = ["2/16", "3/16", "16 cn", "7 FA"]


def test_the_arrivals_of_turn_16() -> None:
    """In the Le Kef box, and in 1016; none for the Axis, and nobody leaves (example 17 arrivals, 5.2, 5.2.1, 17.0)."""
    g = game({"GT 16": [*KEF, *TEBESSA], "Axis Ready Box": ["Ju87 c"], "1016": ["Repl I"]}, "reinforcements", plan=3)
    found = Match.at(g)
    assert {where(g, unit) for unit in KEF} == {"Le Kef"}
    assert found.decision is not None
    assert found.decision.side == ALLIED
    assert set(found.names) == {*TEBESSA, "done"}
    assert where(g, "Ju87 c") == "Axis Ready Box"
    found.play(["2/16"])
    assert where(g, "2/16") == "1016"
    assert "entered" in flags(g, "2/16")


def test_units_for_the_edge_wait_on_the_card() -> None:
    """They come on in their Movement Phase; air units are ready at once (5.2.1, 5.2.4, 5.2.5)."""
    g = game({"GT 7": ["HQ DAK", "Rommel", "1+2/Afr"], "GT 3": ["Hs129", "P-40"]}, "reinforcements", turn=7)
    reinforcement.receive(g)
    assert {where(g, unit) for unit in ("HQ DAK", "Rommel", "1+2/Afr")} == {"Axis set-up card"}
    assert g.state.where[NUMBER["Hs129"]] == READY[AXIS]
    assert g.state.where[NUMBER["P-40"]] == READY[ALLIED]


def test_nobody_comes_before_his_turn() -> None:
    """The turn on the card is the earliest (5.2.1)."""
    g = game({"GT 16": [*KEF, "2/16"], "GT 14": ["1/16"]}, "reinforcements", turn=15)
    found = Match.at(g)
    assert found.names == ["1/16", "done"]
    assert where(g, "34 FA") == "GT 16"
    refusal = found.explain(NUMBER["2/16"])
    assert (refusal.rule, refusal.reason) == ("5.2.1", "2/16 cannot be placed: it arrives on turn 16")


def test_an_arrival_may_be_put_off() -> None:
    """To any later turn, at the same place (5.2.2)."""
    g = game({"GT 14": ["1/16"]}, "reinforcements", turn=14, plan=3, decrypted=1)
    assert drive(g, reinforcement.reinforcements(g), ["done"]) is None
    assert where(g, "1/16") == "GT 14"
    g.state.turn = 15
    assert reinforcement.placeable(g, ALLIED) == {NUMBER["1/16"]: "1016"}


def test_an_arrival_is_put_off_while_an_enemy_is_in_its_hex_or_no_room() -> None:
    """It comes once the hex is clear (5.2.2, 3.3.2)."""
    g = game({"GT 14": ["1/16"], "1016": ["1/7/10"]}, "reinforcements", turn=14)
    assert reinforcement.placeable(g, ALLIED) == {}
    refusal = reinforcement.why_not_placed(g, NUMBER["1/16"])
    assert refusal is not None
    assert refusal[1:] == ("5.2.2", "1016")
    full = game({"GT 14": ["1/16"], "1016": ["1/18", "2/18"]}, "reinforcements", turn=14)
    assert reinforcement.placeable(full, ALLIED) == {}
    refusal = reinforcement.why_not_placed(full, NUMBER["1/16"])
    assert refusal is not None
    assert refusal.rule == "3.3.2"


def test_reinforcements_have_movement_supply_on_their_turn() -> None:
    """Not from the next on (5.2.3)."""
    g = game({"0330": ["D/1a [oos, entered]"]}, "recovery")
    assert allowance(g, NUMBER["D/1a"]) == HALVES * MA[NUMBER["D/1a"]]
    assert list(recovery.recovery(g)) == []
    assert allowance(g, NUMBER["D/1a"]) < HALVES * MA[NUMBER["D/1a"]]


def test_units_are_withdrawn_on_their_turn() -> None:
    """A lost one is ignored (5.2.6)."""
    g = game({"Axis Used Box": ["Bf109"], "Axis Ready Box": ["Fw190"]}, "reinforcements", turn=13)
    reinforcement.withdraw(g)
    assert where(g, "Bf109") == "Axis out of play"
    assert where(g, "Fw190") == "Axis Ready Box"
    events = len(g.events)
    reinforcement.withdraw(g)
    assert len(g.events) == events


def test_the_corps_reserve_sends_one_unit_a_turn() -> None:
    """To the box of the turn; the Allies choose, and see no strengths (18.2.5)."""
    six = ["I/1 RTA", "III/2 RTA", "I/3 RMZT", "II/1 RTM", "III/4 RTT", "62 RAA"]
    found = match({"GT 5": [f"{unit} [untried, quality {n}]" for n, unit in enumerate(six[:5], 1)] + six[5:]},
                  phase="reinforcements", turn=5)  # fmt: skip
    assert set(found.names) == set(six)
    assert found.explain(NUMBER["1/16"]).rule == "18.2.5"
    assert all(unit["quality"] == 0 for unit in found.view(ALLIED)["units"])
    found.play(["II/1 RTM"])
    assert where(found.game, "II/1 RTM") == "Maktar"
    assert where(found.game, "62 RAA") == "GT 5"
    last = game({"GT 5": ["62 RAA"]}, "reinforcements", turn=10)
    assert list(reinforcement.draw_reserve(last)) == []
    assert where(last, "62 RAA") == "Ousseltia"
    none = game({"GT 5": ["62 RAA", "III/4 RTT"]}, "reinforcements", turn=11)
    assert list(reinforcement.draw_reserve(none)) == []
    assert where(none, "62 RAA") == "GT 5"


def test_a_lost_hq_returns_on_a_unit_of_its_formation() -> None:
    """Wherever that is, supplied or not, also in a box; the owner chooses (15.3, 15.3.2)."""
    found = match(
        {"GT 14": ["HQ Nick"], "2811": ["10 RB (-)"], "0330": ["C-2 Loth"], "Le Kef": ["A-1 DY"], "2809": ["1/18"]},
        phase="reinforcements",
        turn=14,
    )
    assert set(found.names) == {"2811", "0330", "Le Kef"}
    refusal = found.explain(found.rules.parse("2809"))
    assert (refusal.rule, refusal.cause) == ("15.3.2", "2809")
    found.play(["0330"])
    assert where(found.game, "HQ Nick") == "0330"


def test_an_hq_without_a_formation_is_gone_or_waits_for_it() -> None:
    """With units still to come it waits for the first of them (15.3.2)."""
    g = game({"GT 14": ["HQ Nick", "HQ 34"], "GT 16": ["C-2 Loth"], "GT 15": ["A-1 DY"]}, "reinforcements", turn=14)
    assert list(reinforcement.reestablish(g, ALLIED)) == []
    assert where(g, "HQ Nick") == "GT 15"
    assert where(g, "HQ 34") == "Allied out of play"


def test_an_hq_may_return_to_units_that_have_yet_to_enter() -> None:
    """On the set-up card, where it may enter as they do (15.3.2)."""
    g = game({"Axis set-up card": ["1+2/Afr"], "GT 9": ["HQ DAK"]}, "reinforcements", turn=9)
    assert reinforcement.homes(g, NUMBER["HQ DAK"]) == [BOARD["Axis set-up card"]]
    assert list(reinforcement.reestablish(g, AXIS)) == []
    assert where(g, "HQ DAK") == "Axis set-up card"


def test_an_hq_comes_first_as_any_reinforcement() -> None:
    """Only one that was lost looks for its Formation (15.3.1, 5.2.1)."""
    g = game({"GT 8": ["HQ 1"], "2811": ["1/26"]}, "reinforcements", turn=8)
    reinforcement.receive(g)
    assert reinforcement.returning(g, ALLIED) == []
    assert where(g, "HQ 1") == "Maktar"


def test_an_hq_waits_for_units_that_were_put_off() -> None:
    """They remain, so it is not gone (15.3.2, 5.2.2)."""
    found = match({"1016": ["1/7/10"], "GT 16": ["HQ 1"], "GT 14": ["1/16"]}, phase="reinforcements", scenario="decide")
    assert where(found.game, "HQ 1") == "GT 17"
