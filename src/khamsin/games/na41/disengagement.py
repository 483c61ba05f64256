"""Disengagement (27.5), an optional rule: in its Combat Phase a player tries to retreat units that do not attack."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial

from khamsin.games.na41 import disruption, losses, retreat
from khamsin.games.na41.retreat import Flight
from khamsin.games.na41.units import (
    BOARD,
    COMBAT,
    COMBAT_DATA,
    FORCES,
    FOUGHT,
    FULL_RETREAT,
    QUALITY,
    REPLACED,
    SIDE,
    TRANSPORTED,
    G,
    allowance,
    mechanized,
    name,
    names,
    on_map,
    why_held,
)
from khamsin.games.na41.zones import front
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.odds import Modifier, net

NUMBERS = COMBAT_DATA["disengagement"]
OPTION = "disengagement"


def is_allowed(g: G) -> bool:
    """Whether the optional rule is used (27.5)."""
    return g.options.get(OPTION) == "on"


def why_not_now(g: G, side: int) -> Refusal | None:
    """Return why a side cannot attempt a Disengagement now: the option is off, or no unit can (27.5.1, 27.5.3)."""
    if not is_allowed(g):
        return Refusal("Disengagement is an optional rule that is off", "27.5.1", "disengage")
    if not candidates(g, side):
        return Refusal("None of your units can disengage", "27.5.3", "disengage")
    return None


def candidates(g: G, side: int) -> list[int]:
    """Return the units that may attempt to disengage and are next to an enemy (27.5.3)."""
    return [unit for unit in FORCES[side] if why_not_unit(g, unit) is None]


def why_not_unit(g: G, unit: int) -> Refusal | None:
    """Return why a unit cannot disengage: attacked or tried already, an allowance below 2, a Replacement marker, an
    Automatic DS, not next to an enemy (27.5.3)."""
    who, state = name(unit), g.state
    if not COMBAT[unit]:
        return Refusal(f"{who} cannot disengage: it is not a combat unit", "27.5.3", who)
    if not on_map(g, unit) or not front(g, 1 - SIDE[unit]).touches(state.where[unit]):
        return Refusal(f"{who} cannot disengage: no enemy is adjacent", "27.5.3", who)
    if state.battle[unit] or state.auto[unit]:
        return Refusal(f"{who} cannot disengage: it has attacked in this phase", "27.5.3", who)
    if state.flags[unit] & FOUGHT:
        return Refusal(f"{who} cannot disengage: it has tried in this phase", "27.5.3", who)
    if allowance(g, unit) < NUMBERS["least_allowance"]:
        return Refusal(
            f"{who} cannot disengage: its Movement Allowance is below {NUMBERS['least_allowance']}", "27.5.3", who
        )
    for marker, text, rule in (
        (REPLACED, "it has received a Replacement", "19.5"),
        (TRANSPORTED, "it is under a transport marker", "21.1.5"),
        (FULL_RETREAT, "it is in Full Retreat", "27.5.3"),
    ):
        if state.flags[unit] & marker:
            return Refusal(f"{who} cannot disengage: {text}", rule, who)
    return why_held(g, unit)


def segment(g: G, side: int) -> Procedure:
    """After the attacks, Disengagement Attempts until the player ends them (27.5.3)."""
    while why_not_now(g, side) is None:
        more = yield from attempt(g, side)
        if not more:
            return


def attempt(g: G, side: int) -> Generator[Decision, int, bool]:
    """One unit or group of a stack tries to disengage. Return False if the player does not (27.5.3)."""
    done = g.rules.button("done")
    group: list[int] = []
    while True:
        pool = candidates(g, side)
        if group:
            pool = [unit for unit in pool if g.state.where[unit] == g.state.where[group[0]]]
        prompt = f"Disengage {names(group)}: add units, or roll" if group else "Choose a unit to disengage"
        click = yield g.ask(
            side, "combat.disengage", prompt, "27.5.3", units=pool, buttons=[done], about=group,
            why_not=partial(why_not_chosen, group=tuple(group)),
        )  # fmt: skip
        if click == done:
            break
        group = [unit for unit in group if unit != click] if click in group else [*group, click]
    if group:
        yield from disengage(g, side, group)
    return bool(group)


def why_not_chosen(g: G, decision: Decision, click: int, group: Sequence[int]) -> Refusal | None:
    """Return why a unit cannot be in a group that disengages (27.5.3)."""
    if not g.is_unit(click):
        return None
    if SIDE[click] != decision.side:
        return Refusal(f"{name(click)} is an enemy unit: choose your own", "27.5.3", name(click))
    refusal = why_not_unit(g, click)
    if refusal is None and group and g.state.where[click] != g.state.where[group[0]]:
        here = BOARD.name(g.state.where[group[0]])
        refusal = Refusal(f"{name(click)} is not in {here} with the group", "27.5.3", here)
    return refusal


def modifiers(g: G, units: Sequence[int]) -> list[Modifier]:
    """Return the modifiers of an attempt: a group is Mechanized or Elite only as a whole, and Low Quality with one such
    unit (27.5.2)."""
    found = []
    if all(mechanized(g, unit) for unit in units):
        found.append(Modifier("Mechanized", NUMBERS["mechanized"], "27.5.2"))
    if all(QUALITY[unit] == "elite" for unit in units):
        found.append(Modifier("Elite", NUMBERS["elite"], "27.5.2"))
    if any(QUALITY[unit] == "low" for unit in units):
        found.append(Modifier("Low Quality", NUMBERS["low"], "27.5.2"))
    return found


def disengage(g: G, side: int, units: Sequence[int]) -> Procedure:
    """Roll on the Disengagement Table; a success costs a step at 4, and lets the group retreat one or two hexes (27.5.2,
    27.5.4)."""
    for unit in units:
        g.state.flags[unit] |= FOUGHT
    hex = g.state.where[units[0]]
    cell = g.table("disengagement").roll(g.dice, 0, net(modifiers(g, units)), f"disengagement from {BOARD.name(hex)}")
    g.log("27.5.4", "Disengagement of {units}: {cell}", units=names(units), cell=cell)
    if cell == "no":
        return
    if cell == "yes -1":
        yield from losses.lose(g, side, units, units, "27.5.4")
    left = [unit for unit in units if on_map(g, unit)]
    if not left:
        return
    level = yield from ask_level(g, side, left)
    if level is None:
        g.log("27.5.4", "No unit leaves {hex}: {units} could retreat", hex=hex, units=names(left))
        return
    flight = Flight(side, hex, 1, NUMBERS["most_hexes"], level, breakthrough=True, shy=True)
    if all(retreat.ends(g, flight, [unit]) for unit in left):
        yield from retreat.retreat(g, flight, left)
    else:
        g.log("27.5.4", "No retreat path for {units}: no unit leaves {hex}", units=names(left), hex=hex)


def ask_level(g: G, side: int, units: Sequence[int]) -> Generator[Decision, int, int | None]:
    """The player chooses whether units become Disrupted or in Full Retreat, or stay: None. Units that are Disrupted
    already go into Full Retreat (27.5.4)."""
    no, yes, stay = (g.rules.button(word) for word in ("no", "full retreat", "none"))
    orderly = [unit for unit in units if disruption.level(g, unit) == disruption.GOOD_ORDER]
    how = "Disrupted or in Full Retreat" if orderly else "in Full Retreat"
    click = yield g.ask(
        side, "combat.disengage.level", f"Disengagement of {names(orderly or units)}: retreat {how}, or stay", "27.5.4",
        buttons=[yes, no, stay] if orderly else [yes, stay], about=orderly or units,
    )  # fmt: skip
    if click == stay:
        return None
    return disruption.IS_DISRUPTED if click == no else disruption.IS_ROUTED
