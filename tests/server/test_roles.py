"""The main button of a decision continues. It never gives up, calls off or destroys."""

from __future__ import annotations

from typing import Any

from khamsin import games
from khamsin.kernel import KeyedDice, Match
from khamsin.server import views
from tests.rulebook.kasserine.table import match as kasserine
from tests.rulebook.paa.table import table as paa

FRONT = {"5726": ["A/6a", "91 FA [deployed]"], "5826": ["1/7/10", "5+6/69/10"], "6024": ["HQ 10 Pz"]}


def roles(match: Match[Any]) -> dict[str, str]:
    assert match.decision is not None
    side = match.decision.side
    question = views.question(match, match.game.seen_by(side), side)
    assert question is not None
    return {button["click"]: button["role"] for button in question["buttons"]}


def test_while_units_arrive_the_main_button_places_them() -> None:
    """The other ends the phase without them (paa 13.1)."""
    match: Match[Any] = Match(games.load("paa"), "campaign", dice=KeyedDice.seeded(1))
    while match.decision is not None and match.decision.kind != "reinforcement.unit":
        match.play(["done" if match.rules.button("done") in match.decision.legal else "default"])
    assert roles(match)["default"] == "main"
    match.play(["default"])
    assert roles(match)["done"] == "main"


def test_the_only_way_to_declare_a_combat_is_the_main_button() -> None:
    """Where there are two, none is (kasserine 9.1.2)."""
    match = kasserine(FRONT, phase="axis combat declaration")
    match.play(["5726"])
    found = roles(match)
    ways = [click for click in found if click != "cancel"]
    assert found["cancel"] == "cancel"
    assert [found[click] for click in ways] == (["main"] if len(ways) == 1 else ["plain"] * len(ways))


def test_what_a_selected_unit_can_do_besides_is_no_main_button() -> None:
    """Nobody must change a mode to go on (kasserine 4.1.4, 7.6.2)."""
    match: Match[Any] = Match(games.load("kasserine"), "faid", dice=KeyedDice.seeded(1))
    while match.decision is not None and not (match.decision.kind == "setup.unit" and match.decision.side == 0):
        match.play(["done"])
    match.play(["1/609 Flak"])
    assert roles(match) == {"cancel": "cancel", "change mode": "plain"}
    match = kasserine({"5726": ["A/6a"], "5424": ["91 FA [deployed]"], "5826": ["1/7/10"]}, phase="allied movement")
    match.play(["91 FA"])
    assert match.decision is not None
    assert match.decision.prompt == "91 FA is Deployed: change to March mode to move, or cancel"
    assert "main" not in roles(match).values()


def test_calling_off_is_never_the_main_button() -> None:
    """It is confirmed first (paa 12.4)."""
    units = {"0803": ["Axis depot 1"], "0906": ["DE 5/1/ABN"], "1006": ["BR SG/2/IBDE"]}
    match = paa("axis combat", units)
    match.play(["1006", "done", "done", "done"])
    assert match.decision is not None
    assert match.decision.kind == "combat.order"
    assert roles(match)["done"] == "plain"


def test_where_ending_leaves_units_unfed_the_usual_choice_is_the_main_button() -> None:
    """Ending is confirmed first (na41 16.2)."""
    match: Match[Any] = Match(games.load("na41"), "crusader", dice=KeyedDice.seeded(3))
    done = match.rules.button("done")
    while match.decision is not None and match.decision.kind != "supply.port":
        legal = match.decision.legal
        match.click(done if done in legal else next(iter(legal)))
    assert roles(match) == {"done": "plain", "default": "main"}
