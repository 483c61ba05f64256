"""Victory (18.1.5, 18.2.6-8, 18.3.5): the Victory Plan, its conditions, and the winner."""

from __future__ import annotations

from typing import Any

from khamsin.games.kasserine.control import friendly
from khamsin.games.kasserine.scenario import FIGURES, Setting, setting
from khamsin.games.kasserine.units import ALLIED, AXIS, BOARD, G
from khamsin.kernel.rules import Procedure

SETS: dict[str, dict[str, Any]] = {row["name"]: row for row in FIGURES["victory"]}
PLANS = {row["plan"]: row for row in FIGURES["victory"] if "plan" in row}
LETTERS = "ABC"
DRAW: int = FIGURES["plan"]["draw"]
DECRYPT: int = FIGURES["plan"]["decrypt"]


def determine(g: G) -> Procedure:
    """The Victory Determination Phase: the Axis may have won, or time is up (4.3.2, 18.1.5, 18.2.6)."""
    cards, turn = setting(g), g.state.turn
    if turn == cards.last and cards.name != "faid" and g.state.plan <= 0:
        draw_plan(g)
    early = next((name for name in early_sets(g, cards) if fulfilled(g, SETS[name])), "")
    final = final_set(g, cards) if turn == cards.last else None
    if early:
        g.end(AXIS, "", f"the {early} conditions are fulfilled", "18.2.6")
    elif final is not None and fulfilled(g, final):
        g.end(AXIS, "", f"the {final['name']} conditions are fulfilled", rule_of(cards))
    elif turn == cards.last:
        g.end(ALLIED, "", "the Axis has not fulfilled its conditions", rule_of(cards))
    yield from ()


def rule_of(cards: Setting) -> str:
    """Return the section that decides a scenario at its end."""
    return {"faid": "18.1.5", "campaign": "18.2.7", "decide": "18.3.5"}[cards.name]


def early_sets(g: G, cards: Setting) -> list[str]:
    """Return the conditions that end the campaign at the end of any turn up to theirs (18.2.6)."""
    if cards.name != "campaign":
        return []
    return [
        name
        for name in ("GT 6", "GT 10")
        if g.state.turn <= SETS[name]["last"] and LETTERS[g.state.option - 1] in SETS[name].get("option", LETTERS)
    ]


def final_set(g: G, cards: Setting) -> dict[str, Any]:
    """Return the conditions that decide at the end: the objectives of Faid, or the Victory Plan (18.1.5, 18.2.7)."""
    return SETS["Faid Pass"] if cards.name == "faid" else PLANS[LETTERS[g.state.plan - 1]]


def fulfilled(g: G, conditions: dict[str, Any]) -> bool:
    """Whether the Axis holds all locations that a set of conditions names, and enough of the others (18.1.5, 18.2.6)."""
    return lacking(g, conditions) == 0


def lacking(g: G, conditions: dict[str, Any]) -> int:
    """Return how many locations the Axis still needs for a set of conditions (18.1.5, 18.2.6)."""
    held = {BOARD.name(hex) for hex in setting(g).victory if friendly(g, AXIS, hex)}
    needed, either = set(conditions.get("all", ())), set(conditions.get("any", ()))
    others = len(held - needed) - bool(held & either)
    return len(needed - held) + bool(either and not held & either) + max(0, int(conditions["others"]) - others)


def draw_plan(g: G) -> None:
    """The Axis draws its Victory Plan, which the Allies may not read. A match that began from the Allied view draws it
    late (18.2.7)."""
    g.state.plan = 1 + g.dice.pick(len(LETTERS), "Victory Plan", "18.2.7", to=AXIS)
    g.log(
        "18.2.7",
        "The Axis draws Victory Plan {plan}, unseen by the Allies",
        to=AXIS,
        plan=LETTERS[g.state.plan - 1],
    )
    g.log("18.2.7", "The Axis draws its Victory Plan", to=ALLIED)


def decrypt(g: G) -> None:
    """The Allies try to read the Victory Plan (18.2.8)."""
    table = g.table("decrypt")
    if table.roll(g.dice, 0, purpose="decryption of the Victory Plan") == "Yes":
        g.state.decrypted = 1
        g.reveal()
        g.log("18.2.8", "The Allies read Victory Plan {plan}", plan=LETTERS[g.state.plan - 1])
    else:
        g.log("18.2.8", "The Allies cannot read the Victory Plan this turn")


def plan_step(g: G) -> None:
    """The part of the Reinforcements Phase that is about the Victory Plan (18.2.7, 18.2.8, 18.3.5)."""
    cards, state = setting(g), g.state
    if cards.name == "faid" or state.decrypted:
        return
    if state.plan <= 0 and state.turn >= DRAW:
        draw_plan(g)
    if state.plan and (state.turn >= DECRYPT or cards.name == "decide"):
        decrypt(g)
