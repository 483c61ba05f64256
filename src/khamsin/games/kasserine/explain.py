"""Why not? Each chapter answers for its own questions. Also which positions play can never reach."""

from __future__ import annotations

from khamsin.games.kasserine import movement, preview, results, strategy
from khamsin.games.kasserine.stacking import LIMIT, overfull
from khamsin.games.kasserine.units import (
    ALLIED,
    AXIS,
    BOARD,
    FORCE_SPAN,
    HEXES,
    IS_MARKER,
    SIDE,
    SIDES,
    G,
    forces_in,
    name,
)
from khamsin.kernel.rules import Decision, Refusal

CHAPTERS = (
    (("7.", "8.", "9.3", "5.2.4"), movement.why_not),
    (("9.2.6", "13.", "3.3.3"), results.why_not),
    (("9.1", "9.2", "10.", "11.3", "12.", "16."), preview.why_not),
    (("5.", "6.", "11.2", "14.", "15.", "18."), strategy.why_not),
)
"""Which chapter answers for a question, by the rule that asks it; the first that fits."""


def explain(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a click is not open, from what the asking side may know."""
    if g.is_unit(click):
        return by_rule(g, decision, click) or why_not_unit(g, decision, click)
    if click >= g.rules.first_button:
        return by_rule(g, decision, click) or why_not_button(g, decision, click)
    return by_rule(g, decision, click) or why_not_place(g, decision, g.location(click))


def by_rule(g: G, decision: Decision, click: int) -> Refusal | None:
    """What the chapter of the question has to say of a click."""
    for rules, why_not in CHAPTERS:
        if decision.rule.startswith(rules):
            return why_not(g, decision, click)
    return None


def why_not_unit(g: G, decision: Decision, unit: int) -> Refusal | None:
    """Why a unit is not open: it belongs to the other side, a hex is asked for, or what stands against its hex (3.1.1)."""
    place = g.state.where[unit]
    if SIDE[unit] != decision.side:
        if IS_MARKER[unit]:  # its name stands for any of those that lie face down
            return Refusal("that unit is not yours", "3.1.1")
        return Refusal(f"{name(unit)} is not yours", "3.1.1", name(unit))
    if not 0 <= place < HEXES:
        return Refusal(f"{name(unit)} is not on the map", decision.rule, name(unit))
    if g.place0 + place in decision.legal:
        return Refusal(f"a hex is asked for: click {BOARD.name(place)}", decision.rule, BOARD.name(place))
    if not any(asks_for_place(g, click) for click in decision.legal):
        return a_button(g, decision)
    return by_rule(g, decision, g.place0 + place)


def why_not_place(g: G, decision: Decision, place: int) -> Refusal | None:
    """Why a hex or box is not open where the chapter says nothing of it: a unit is asked for, or a hex."""
    label = BOARD.name(place)
    if place >= HEXES:
        asked = (
            "a hex of the map" if any(asks_for_place(g, click) for click in decision.legal) else "a unit or a button"
        )
        return Refusal(f"{asked} is asked for, and {label} is a box", decision.rule, label)
    here = [unit for unit in forces_in(g, decision.side, place) if not IS_MARKER[unit]]
    for unit in here:
        if unit in decision.legal:
            return Refusal(f"a unit is asked for: click {name(unit)} in {label}", decision.rule, name(unit))
    if not here:
        return Refusal(f"none of your units is in {label}", decision.rule, label)
    return next(filter(None, (by_rule(g, decision, unit) for unit in here)), None)


def why_not_button(g: G, decision: Decision, click: int) -> Refusal | None:
    """Which buttons answer the question instead of one that does not."""
    refusal = a_button(g, decision)
    return refusal and refusal._replace(reason=f"{g.rules.names[click]} is no answer here: {refusal.reason}")


def a_button(g: G, decision: Decision) -> Refusal | None:
    """That one of the buttons is asked for, by name."""
    buttons = [g.rules.names[other] for other in decision.legal if other >= g.rules.first_button]
    about = f" for {name(decision.about[0])}" if decision.about else ""
    return Refusal(f"choose {' or '.join(buttons)}{about} first", decision.rule) if buttons else None


def asks_for_place(g: G, click: int) -> bool:
    """Whether a click is on a hex or box."""
    return not g.is_unit(click) and click < g.rules.first_button


def impossible(g: G) -> str:
    """What is wrong with a position that play cannot reach: both sides in a hex, or too many in one (3.3.2, 7.1.4)."""
    where = g.state.where
    both = set(where[FORCE_SPAN[AXIS]]) & set(where[FORCE_SPAN[ALLIED]])
    for hex in sorted(both):
        if 0 <= hex < HEXES:
            return f"units of both sides in {BOARD.name(hex)} (7.1.4)"
    if "movement" not in g.rules.phases(g.state)[g.state.phase].name:
        for side in (AXIS, ALLIED):
            for hex in overfull(g, side):
                return f"more than {LIMIT} stacking points of the {SIDES[side]} in {BOARD.name(hex)} (3.3.2)"
    return ""
