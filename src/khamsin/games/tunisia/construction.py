"""Construction (1.1b, 1.6, OCS 10(2-4), OCS 16): air bases, hedgehogs and ports are built, repaired and reduced."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from khamsin.games.tunisia import control, supply
from khamsin.games.tunisia.airbases import ground_excess
from khamsin.games.tunisia.dates import AIR
from khamsin.games.tunisia.ground import OPEN_SIDES, OUTSIDE
from khamsin.games.tunisia.scenario import HEDGEHOGS, PORTS, is_port, setting
from khamsin.games.tunisia.units import (
    BOARD,
    COMBATANT,
    DG,
    ENGINEERS,
    FINISHED,
    HEXES,
    LEG,
    MODES,
    MOVE,
    QUARTERS,
    RESERVE,
    TOKENS,
    G,
    forces_in,
    name,
    size,
    tell,
    whom,
)
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations

JOBS = ("build base", "build hedgehog", "repair port", "reduce base", "reduce hedgehog", "reduce port", "repair base")
COST = {"build base": TOKENS, "build hedgehog": 2 * TOKENS, "repair port": TOKENS, "repair base": 2}
"""A level of a base 1 SP, of a hedgehog 2 SP, a hit of a port 1 SP, a bombed level of a base 2T; reducing is free (OCS 10(3),
OCS 10(4), OCS 17.6)."""
MOST_HEDGEHOG, MOST_BASE, MOST_HITS, REACH = 4, int(AIR["base"]["most"]), 4, 2


def is_engineer(g: G, unit: int) -> bool:
    """Whether a unit can do engineering: all headquarters and KG Witzig with the Combat side up, also DG (1.6, OCS 10(1),
    OCS 10(2))."""
    return ENGINEERS[unit] and not g.state.flags[unit] & (MOVE | MODES & ~DG)


def why_not_working(g: G, units: Sequence[int]) -> Refusal | None:
    """Return why a stack cannot build at all: it takes an engineer, or 1 RE in Combat Mode, that has not moved
    (OCS 10(2), OCS 10(3))."""
    for unit in units:
        if g.state.spent[unit]:
            return Refusal(f"{name(unit)} cannot build: it has moved in this phase", "OCS 10(2)", name(unit))
    if any(is_engineer(g, unit) for unit in units):
        return None
    able = [unit for unit in units if COMBATANT[unit] and not g.state.flags[unit] & (MOVE | MODES)]
    if size(able) < QUARTERS:
        return Refusal(
            f"{whom(units)} cannot build: it takes an engineer, or 1 RE in Combat Mode", "OCS 10(3)", name(units[0])
        )
    return None


def why_not_site(g: G, side: int, units: Sequence[int], hex: int) -> Refusal | None:
    """Return why a stack cannot build in a hex: engineers within 2 hexes on foot, others in their own; not where enemies or
    their non-combat units are (OCS 3(5), OCS 10(2), OCS 10(3); series 13.8d)."""
    label, here = BOARD.name(hex), g.state.where[units[0]]
    most = REACH if any(is_engineer(g, unit) for unit in units) else 0
    if hex >= HEXES or not BOARD.enterable(hex):
        return Refusal(f"{whom(units)} cannot build in {label}: not land", "OCS 10(2)", label)
    if hex in OUTSIDE[setting(g).area]:
        return Refusal(
            f"{whom(units)} cannot build in {label}: outside the area", f"Scenario {setting(g).number}", label
        )
    if BOARD.distance(here, hex) > most:
        text = f"more than {most} hexes away" if most else "only engineers build outside their hex"
        return Refusal(f"{whom(units)} cannot build in {label}: {text}", "OCS 10(2)", label)
    if most and hex not in on_foot(here):
        return Refusal(f"{whom(units)} cannot build in {label}: no path on foot leads there", "OCS 10(2)", label)
    if forces_in(g, 1 - side, hex):
        return Refusal(f"{whom(units)} cannot build in {label}: an enemy unit is there", "OCS 10(2)", label)
    if hex in control.booty_hexes(g, 1 - side):
        text = "enemy supply, trucks, a base, a port or a hedgehog is there"
        return Refusal(f"{whom(units)} cannot build in {label}: {text}", "OCS 3(5)", label)
    reasons = [why_not_job(g, side, units, hex, job) for job in JOBS]
    return reasons[0] if all(reasons) else None


def on_foot(here: int) -> set[int]:
    """Return the hexes that engineers reach in 2 steps on foot (OCS 10(2); series 13.8d)."""
    found = {here}
    for _ in range(REACH):
        found |= {near for hex in found for near in OPEN_SIDES[LEG][hex]}
    return found


def why_not_job(g: G, side: int, units: Sequence[int], hex: int, job: str) -> Refusal | None:
    """Return why a job cannot be done in a hex. A bombed base is repaired by any 1 RE up to its former level; a port
    that passes less than a SP costs what it passes. Units of one division also have the loads of its organic trucks (1.1b,
    OCS 10(3), OCS 10(4), OCS 11.6, OCS 16)."""
    state, label = g.state, BOARD.name(hex)
    engineer = any(is_engineer(g, unit) for unit in units)
    cannot = f"{whom(units)} cannot {job.split()[0]} a {job.split()[1]} in {label}"
    level = {"base": state.level.get(hex, 0), "hedgehog": state.hedgehog.get(hex, 0), "port": state.damage.get(hex, 0)}
    if job.endswith("hedgehog") and state.fort.get(hex, side) != side:
        return Refusal(f"{cannot}: the enemy holds the hedgehog", "OCS 10(3)", label)
    if job == "build base":
        if not engineer:
            return Refusal(f"{cannot}: it takes an engineer", "OCS 10(3)", label)
        if state.base.get(hex, side) != side:
            return Refusal(f"{cannot}: the enemy holds the base", "OCS 10(3)", label)
        if level["base"] >= MOST_BASE:
            return Refusal(f"{cannot}: it has level {MOST_BASE}", "OCS 10(3)", label)
    elif job == "build hedgehog":
        if level["hedgehog"] >= MOST_HEDGEHOG:
            return Refusal(f"{cannot}: it has level {MOST_HEDGEHOG}", "OCS 16", label)
        if any(state.flags[unit] & RESERVE for unit in forces_in(g, side, hex)):
            return Refusal(f"{cannot}: units in Reserve Mode are there", "OCS 16", label)
        if level["hedgehog"] and not engineer and g.options.get("construction", "engineers") == "engineers":
            return Refusal(f"{cannot}: levels above 1 take an engineer", "OCS 18", label)
    elif job == "repair port":
        if not is_port(g, hex, side) or not level["port"]:
            return Refusal(f"{cannot}: no damaged port of yours is there", "OCS 10(3)", label)
        if not engineer:
            return Refusal(f"{cannot}: it takes an engineer", "OCS 10(3)", label)
    elif job == "repair base":
        if state.base.get(hex) != side or level["base"] >= state.former.get(hex, 0):
            return Refusal(f"{cannot}: no bombed base of yours is there", "OCS 10(4)", label)
    elif job == "reduce base":
        if state.base.get(hex) != side or level["base"] <= 1:
            return Refusal(f"{cannot}: no base of yours above level 1 is there", "OCS 10(3)", label)
    elif job == "reduce hedgehog":
        if not level["hedgehog"]:
            return Refusal(f"{cannot}: none is there", "OCS 10(3)", label)
        if level["hedgehog"] <= HEDGEHOGS.get(hex, 0):
            return Refusal(f"{cannot}: the Mareth Line never falls below level 2", "1.1b", label)
    elif not is_port(g, hex, side) or level["port"] >= MOST_HITS:
        return Refusal(f"{cannot}: no port of yours with capacity is there", "OCS 10(3)", label)
    if job != "repair base" and state.built.get(hex, 0) >> JOBS.index(job) & 1:
        return Refusal(f"{cannot}: one level per turn", "OCS 10(3)", label)
    if job in COST:
        division = supply.common_division(units)
        return supply.why_not_paid(
            g, side, hex, price(g, hex, job), whom(units), f"{job} in {label}", "OCS 17.6", division, units
        )
    return None


def price(g: G, hex: int, job: str) -> int:
    """Return the cost of a job in tokens; by the option on construction a port that passes less than a SP costs what it
    passes (OCS 10(3), OCS 10(4), OCS 18)."""
    if job == "repair port" and g.options.get("construction", "engineers") == "engineers":
        passes: int = PORTS[hex].data["capacity"][g.state.damage.get(hex, 0)]
        return max(1, min(COST[job], passes))
    return COST[job]


def build(g: G, side: int, units: Sequence[int]) -> Procedure:
    """A stack builds, repairs or reduces, and does nothing else in the phase (OCS 10(2), OCS 10(3))."""
    cancel, here = g.rules.button("cancel"), g.state.where[units[0]]
    hexes = [hex for hex in BOARD.within(here, REACH) if why_not_site(g, side, units, hex) is None]
    click = yield g.ask(
        side, "build.hex", f"Choose where {whom(units)} builds", "OCS 10(3)", locations=hexes, buttons=[cancel], about=units,
        why_not=for_locations(why_not_site, side, units),
    )  # fmt: skip
    if click == cancel:
        return
    hex = g.location(click)
    refusals = {g.rules.button(job): why_not_job(g, side, units, hex, job) for job in JOBS}
    click = yield g.ask(
        side, "build.job", f"Choose what {whom(units)} does in {BOARD.name(hex)}", "OCS 10(3)",
        buttons=[*[button for button, refusal in refusals.items() if refusal is None], cancel], about=units,
        blocked=[button for button, refusal in refusals.items() if refusal is not None],
        why_not=partial(_why_not_button, units=tuple(units), hex=hex),
    )  # fmt: skip
    if click != cancel:
        do(g, side, units, hex, g.rules.names[click])


def _why_not_button(g: G, decision: Decision, click: int, units: Sequence[int], hex: int) -> Refusal | None:
    word = g.rules.names[click]
    return why_not_job(g, decision.side, units, hex, word) if word in JOBS else None


def do(g: G, side: int, units: Sequence[int], hex: int, job: str) -> None:
    """Pay for a job and do it."""
    state = g.state
    if job in COST:
        why, division = f"{job} in {BOARD.name(hex)}", supply.common_division(units)
        supply.pay(g, side, hex, price(g, hex, job), why, "OCS 17.6", division, units)
    step = -1 if job.startswith("reduce") else 1
    if job.endswith("base"):
        state.base[hex], state.level[hex] = side, state.level.get(hex, 0) + step
        if job != "repair base" or state.level[hex] >= state.former[hex]:
            state.former.pop(hex, None)
        ground_excess(g, hex)
    elif job.endswith("hedgehog"):
        state.hedgehog[hex] = state.hedgehog.get(hex, 0) + step
        state.fort.setdefault(hex, side)
        if not state.hedgehog[hex]:
            del state.hedgehog[hex], state.fort[hex]
    else:
        state.damage[hex] = state.damage.get(hex, 0) + (1 if step < 0 else -1)
    state.built[hex] = state.built.get(hex, 0) | 1 << JOBS.index(job)
    for unit in units:
        state.flags[unit] |= FINISHED
    tell(
        g,
        side,
        "OCS 10(3)",
        "{units}: {job} in {hex}",
        "{job} in {hex}",
        units=whom(units),
        job=job.capitalize(),
        hex=hex,
    )
