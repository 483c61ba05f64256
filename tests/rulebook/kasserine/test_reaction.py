"""Reaction movement (9.3), reserve movement (8.2.4), and Rommel's part in them (15.5.1)."""

from __future__ import annotations

from khamsin.games.kasserine import reaction
from khamsin.games.kasserine.units import ALLIED, AXIS, CLOUDY, NUMBER, RAIN, G
from khamsin.kernel import Match
from tests.rulebook.kasserine.fights import THALA, fight
from tests.rulebook.kasserine.moves import M, ways, why
from tests.rulebook.kasserine.table import drive, flags, game, match, where


def attacked(
    units: dict[str, list[str]], attacker: str, *hexes: str, phase: str = "allied reaction", **more: object
) -> M:
    """A position in which an attack has been declared, in the Reaction Phase."""
    g: G = game(units, phase, **more)  # type: ignore[arg-type]
    fight(g, [attacker], hexes)
    return Match.at(g)


def test_the_lancers_react_before_thala() -> None:
    """C-17/21 L joins 2910 from 2810 and is in Reserve no more; nobody can evade (example 17 reaction, 9.3, 9.3.2, 8.2.1)."""
    position = THALA | {"2911": ["1/7/10", "2/7/10", "5+6/69/10"]}
    found = attacked(position, "1/7/10", "2910", weather=CLOUDY)
    assert found.names == ["C-17/21 L", "2810", "done"]
    assert ways(found, "C-17/21 L")["2910"] == 2
    found.play(["2910"])
    assert where(found.game, "C-17/21 L") == "2910"
    assert "reserve" not in flags(found.game, "C-17/21 L")


def test_nobody_reacts_without_a_declared_attack() -> None:
    """The phase passes (9.3.1, 9.2.1)."""
    found = match({"3634": ["1/7/10 [reserve]", "HQ 10 Pz"], "3630": ["1/168"]}, phase="axis reaction")
    assert found.phase.name != "axis reaction"


PLAIN = {"3434": ["1/7/10"], "3433": ["1/168"], "3830": ["D/13a [reserve]", "E/13a [reserve]", "F/13a"]}
"""An attack on 3433 in the plain, with Allied Reserves within reach."""


def test_units_in_reserve_react_with_half_their_points() -> None:
    """Others stay; who does not move stays in Reserve (9.3.2, 3.5.4)."""
    found = attacked(PLAIN | {"3929": ["1/19 Eng"]}, "1/7/10", "3433")
    assert set(found.names) == {"D/13a", "E/13a", "3830", "done"}
    assert why(found, "F/13a") == ("8.2.1", "F/13a")
    assert why(found, "1/19 Eng") == ("7.1.5", "1/19 Eng")
    open_ = ways(found, "D/13a")
    assert open_["3431"] == 4
    assert "3331" not in open_
    assert why(found, "3331") == ("7.1.3", "3331")
    found.play(["3431", "done"])
    assert "reserve" in flags(found.game, "E/13a")
    assert "reacted" in flags(found.game, "D/13a")


def test_out_of_supply_reserves_react_less_far() -> None:
    """Half of the allowance that is left (9.3.2, 6.4.1)."""
    position = PLAIN | {"3830": ["D/13a [reserve, oos]"]}
    open_ = ways(attacked(position, "1/7/10", "3433"), "D/13a")
    assert open_["3531"] == 3
    assert "3431" not in open_


def test_reactions_keep_away_from_the_enemy() -> None:
    """No hex next to an enemy or in his zone, but onto a friend, and there the unit stops (9.3.3, 8.2.6)."""
    position = {"3434": ["1/7/10"], "3433": ["1/168"], "3634": ["HQ 10 Pz"], "3632": ["D/13a [reserve]"]}
    found = attacked(position, "1/7/10", "3433")
    open_ = ways(found, "D/13a")
    assert open_["3433"] == 2
    assert "3533" not in open_
    assert why(found, "3533")[0] == "9.3.3"
    assert "3633" not in open_  # no zone, but an HQ beside it
    assert why(found, "3633") == ("9.3.3", "HQ 10 Pz")
    found.play(["3433"])
    assert "D/13a" not in found.names


def test_one_unit_reacts_into_each_attacked_hex() -> None:
    """Neither two together nor one after another (9.3.4)."""
    position = PLAIN | {"3632": ["D/13a [reserve]", "E/13a [reserve]"], "3830": []}
    both = attacked(position, "1/7/10", "3433")
    assert "3433" not in ways(both, "D/13a", "E/13a")
    assert why(both, "3433") == ("9.3.4", "3433")
    found = attacked(position, "1/7/10", "3433")
    found.play(["D/13a", "3433"])
    assert "3433" not in ways(found, "E/13a")
    assert why(found, "3433") == ("9.3.4", "3433")


def test_a_reaction_need_not_go_to_the_combat() -> None:
    """Anywhere within reach (9.3.3)."""
    found = attacked(PLAIN, "1/7/10", "3433")
    found.play(["D/13a", "3930"])
    assert where(found.game, "D/13a") == "3930"


def test_no_one_hex_movement_and_no_infiltration_in_reaction() -> None:
    """Nor in reserve movement (9.3.5, 8.2.4, 7.4.1)."""
    position = {"3625": ["A/6a [reserve]"], "3434": ["1/7/10"], "3433": ["1/168"]}
    reacting = attacked(position, "1/7/10", "3433", weather=RAIN)
    assert "3626" not in ways(reacting, "A/6a")
    later = match(position, phase="allied reserve movement", weather=RAIN)
    assert "3626" not in ways(later, "A/6a")
    assert why(later, "3626") == ("7.1.3", "3626")


def test_garrisons_do_not_react() -> None:
    """They may be in Reserve (18.2.3)."""
    found = attacked(PLAIN | {"3830": ["D/13a [reserve, release 4]", "E/13a [reserve]"]}, "1/7/10", "3433", turn=2)
    assert found.names == ["E/13a", "3830", "done"]
    assert why(found, "D/13a") == ("18.2.3", "D/13a")


def test_rommel_sends_units_that_are_not_in_reserve() -> None:
    """Red boxes stacked with him, out of enemy zones, if an attack is declared within four hexes (15.5.1)."""
    position = {
        "3432": ["D/13a"],
        "3532": ["II/47"],
        "3730": ["Rommel", "1/7/10", "2/7/10", "I/104B"],
        "3729": ["3/7/10"],
    }
    found = attacked(position, "D/13a", "3532", phase="axis reaction")
    assert set(found.names) == {"1/7/10", "2/7/10", "3730", "done"}
    assert why(found, "3/7/10") == ("8.2.1", "3/7/10")
    assert ways(found, "1/7/10")["3532"] == 3
    found.play(["3532"])
    assert set(found.names) == {"2/7/10", "3730", "done"}
    far = attacked(position | {"3730": [], "4030": ["Rommel", "1/7/10"]}, "D/13a", "3532", phase="axis reaction")
    assert far.phase.name != "axis reaction"


def test_an_sp_gun_in_reserve_may_react() -> None:
    """Deployed it first changes its mode, for points of its half (7.6.3, 8.2.7, 9.3.2)."""
    position = PLAIN | {"3830": ["168 cn [reserve, deployed]"]}
    found = attacked(position, "1/7/10", "3433")
    assert set(ways(found, "168 cn")) == {"168 cn", "change mode", "cancel"}
    found.play(["change mode"])
    assert "reserve" not in flags(found.game, "168 cn")
    open_ = ways(found, "168 cn")
    assert open_["3531"] == 3
    assert "3431" not in open_


def test_the_reserve_moves_before_thala() -> None:
    """To 3110, where friends are; 3010 is vacant and in an enemy zone (example 17 reserve move, 8.2.4, 8.2.6)."""
    position = {
        "2909": ["10 RB (-)", "2/5 Lei (+)", "C-2 Loth"],
        "2811": ["2/K10/10"],
        "2910": ["1/7/10"],
        "3110": ["2/90 Pzjg [deployed]", "605 Pzjg [deployed]"],
        "3012": ["1/90 Pzjg [reserve]"],
    }
    found = match(position, phase="axis reserve movement", weather=CLOUDY)
    assert found.names == ["1/90 Pzjg", "3012", "done"]
    open_ = ways(found, "1/90 Pzjg")
    assert "3110" in open_
    assert "3010" not in open_
    assert why(found, "3010")[0] == "8.2.6"
    found.play(["3110"])
    assert where(found.game, "1/90 Pzjg") == "3110"
    assert "reserve" not in flags(found.game, "1/90 Pzjg")


def test_reserves_move_half_their_points() -> None:
    """The half point kept; those not in Reserve stay, and nobody comes on the map or leaves it (8.2.4, 8.2.1, 8.3.4)."""
    found = match(
        {"3232": ["1/7/10 [reserve]", "2/7/10"], "Axis set-up card": ["1+2/Afr"]}, phase="axis reserve movement"
    )
    assert found.names == ["1/7/10", "3232", "done"]
    assert why(found, "2/7/10") == ("8.2.1", "2/7/10")
    open_ = ways(found, "1/7/10")
    assert open_["3632"] == 4
    assert "3732" not in open_
    north = match({"2401": ["D/13a [reserve]"]}, phase="allied reserve movement")
    ways(north, "D/13a")
    assert why(north, "Le Kef") == ("8.3.4", "Le Kef")


def test_reserves_that_do_not_move_stay_in_reserve() -> None:
    """And changes of mode begin anew with the next Segment (8.2.4, 7.6.2)."""
    g = game({"3232": ["1/7/10 [reserve]"], "3632": ["1/90/10 [changed 1]"]}, "axis reserve movement")
    assert drive(g, reaction.reserve_movement(g, AXIS), ["done"]) is None
    assert "reserve" in flags(g, "1/7/10")
    assert g.state.changed[NUMBER["1/90/10"]] == 0


def test_an_sp_gun_moves_or_gives_support() -> None:
    """Whoever has moved in the Reserve Movement Phase is marked so (8.2.7)."""
    g = game({"3232": ["1/242 StuG [reserve]"]}, "axis reserve movement")
    question = drive(g, reaction.reserve_movement(g, AXIS), ["1/242 StuG", "change mode"])
    assert question is not None
    assert {"moved", "deployed"} <= flags(g, "1/242 StuG")


def test_the_commando_in_reserve_goes_through_zones() -> None:
    """By agreement, in regular or reserve movement (16.4.1)."""
    position = {"3634": ["vKoenen [reserve]"], "3731": ["1/168"]}
    assert "3632" not in ways(match(position, phase="axis reserve movement"), "vKoenen")
    assert "3632" in ways(match(position, phase="axis reserve movement", options={"commando": "on"}), "vKoenen")


def test_a_reaction_is_asked_again_alike() -> None:
    """From any question at the top of the phase (9.3)."""
    found = attacked(PLAIN, "1/7/10", "3433")
    found.play(["D/13a", "3730"])
    assert found.restarted() == found.decision
    assert found.decision is not None
    assert found.decision.side == ALLIED


def test_the_commando_reacts_as_others_do() -> None:
    """Its own way through zones is for its Movement Phase and as a Reserve (9.3.3, 16.4.1)."""
    position = {"5130": ["I/91"], "5131": ["2/26"], "4828": ["vKoenen [reserve]", "HQ 10 Pz"]}
    found = attacked(position, "2/26", "5130", phase="axis reaction", options={"commando": "on"})
    assert "5031" not in ways(found, "vKoenen")
    assert why(found, "5031") == ("9.3.3", "2/26")
    near = attacked(
        position | {"4929": ["vKoenen [reserve]"], "4828": ["HQ 10 Pz"]},
        "2/26",
        "5130",
        phase="axis reaction",
        options={"commando": "on"},
    )
    near.play(["vKoenen", "5130"])
    assert near.state.turn == 16
    assert "vKoenen" not in near.names  # it stopped beside the friend
