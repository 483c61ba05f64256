"""The display of PanzerArmee Afrika: dates, faces and badges of counters, tracks, calendar, paths, odds.

`layers` has the drawings over the map. Nothing here decides anything; all of it is computed from the game as a side may
know it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from khamsin.games.paa import (
    combat,
    combat_supply,
    declaration,
    differential,
    malta,
    options,
    preview,
    reinforcement,
    transport,
)
from khamsin.games.paa import victory as reckoning
from khamsin.games.paa.control import HELD
from khamsin.games.paa.layers import LAYERS, TEXTS, held_by, holder, objectives
from khamsin.games.paa.losses import most
from khamsin.games.paa.setup import ARRIVAL, OPTION_BOX, OPTION_UNITS, ROWS, SCHEDULE, TURNS
from khamsin.games.paa.units import (
    ALL,
    ALLIED,
    AXIS,
    BOARD,
    CENTRE,
    CF,
    COUNTERS,
    DATA,
    DEPOT,
    DISMOUNTED,
    FLAGS,
    LORRIES,
    LORRY,
    MF,
    MOVED,
    REINFORCED,
    SHIPPED,
    SIDE,
    SIDES,
    G,
    PaaState,
    name,
    on_map,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.display import Arrival, Badge, Display, MapMarker, Sheet, SheetOption, Step, Track
from khamsin.kernel.rules import Decision, Odds, Term
from khamsin.mechanics import showing
from khamsin.mechanics.combats import Combat
from khamsin.mechanics.showing import arrival, counted

DATES = showing.months(TEXTS.table["calendar"]["year"], TEXTS.table["calendar"]["month"], TURNS)


def turns(g: G) -> tuple[str, ...]:
    """Return the month of every turn (7)."""
    return DATES


# The counters

PRINTED = [
    "" if DEPOT[unit] else str(MF[unit]) if LORRY[unit] else f"{CF[unit]}-{MF[unit]}" for unit in range(len(COUNTERS))
]
"""The printed factors of every counter: CF and MF, MF of a lorry, none of an installation (2.3.1, 2.3.2)."""


def face(g: G, unit: int) -> str:
    """Return CF and MF, with reinforcement added separately; a unit without trucks has 0 MF (2.3.1, 13.4, 13.6)."""
    state = g.state
    plus, afoot = state.plus[unit], state.flags[unit] & DISMOUNTED
    if not plus and not afoot:
        return PRINTED[unit]
    return f"{CF[unit]}{f'+{plus}' if plus else ''}-{0 if afoot else MF[unit]}"


FLAG_BADGES = TEXTS.flag_badges(FLAGS, but=("moved", "reinforced"))
SUPPLIES = {
    differential.GENERAL_SUPPLY: ", in general supply",
    differential.ATTACK_SUPPLY: ", in attack supply",
    differential.MAXIMUM_SUPPLY: ", in maximum attack supply",
}


def badges(g: G, unit: int) -> Iterable[Badge]:
    """Return the states of a unit, with its MF left, its load and its supply."""
    state = g.state
    flags = state.flags[unit]
    if not (flags or state.plus[unit] or state.load[unit] or state.battle[unit] or DEPOT[unit]):
        return ()
    return [*FLAG_BADGES(flags), *_more_badges(g, unit)]


def _more_badges(g: G, unit: int) -> Iterator[Badge]:
    state = g.state
    flags, number, plus = state.flags[unit], state.battle[unit], state.plus[unit]
    if flags & MOVED:
        moved = TEXTS.badge("moved")
        left = "" if DEPOT[unit] or flags & SHIPPED else f": {MF[unit] - state.spent[unit]} of {MF[unit]} MF left"
        fed = ": supplies no attack this turn" if DEPOT[unit] else ""
        yield moved._replace(text=moved.text + left + fed, rule="8.5" if DEPOT[unit] else moved.rule)
    if flags & REINFORCED and on_map(g, unit):
        yield TEXTS.badge("reinforced")
    if plus:
        yield Badge(f"+{plus}", f"reinforced by {plus} CF to {CF[unit] + plus}", "13.4")
    if state.load[unit]:
        yield Badge("LD", f"carries {name(state.load[unit] - 1)}", "11.3", "supply")
    if DEPOT[unit]:
        for lorry in LORRIES[SIDE[unit]]:
            if state.load[lorry] == unit + 1:
                yield Badge("LD", f"on {name(lorry)}", "11.3", "supply")
    if number == combat.FREE:
        yield Badge("C", "its targets have surrendered: may join another combat", "15.3")
    elif number:
        yield Badge(f"C{number}", f"in combat {number}{SUPPLIES.get(state.supply[unit], '')}", "12.2")


# The buttons


def caption(g: G, decision: Decision, button: str) -> str:
    """Return the text of a button at a decision."""
    if button.startswith("option "):
        letter = button.removeprefix("option ")
        return f"Option {letter}: {_counted(OPTION_UNITS[letter])}"
    if button == "default" and decision.kind == "reinforcement.unit":
        side = decision.side
        if not reinforcement.arrivals(g, side) and not reinforcement.installation(g, side):
            return TEXTS.caption(decision, button, "rebuild")
    return TEXTS.caption(decision, button)


# Map markers and tracks


def marks(g: G, side: int) -> Iterator[MapMarker]:
    """Return the map markers: control, attacked hexes, the end of the railroad, port traffic, Malta (5, 9, 11.2,
    11.3.1, 12.2)."""
    state = g.state
    for hex in HELD:
        yield MapMarker(hex, "control", held_by(g, hex), holder(g, hex), "5")
    for target, number in state.targets.items():
        yield MapMarker(target, "combat", f"Combat {number}", NOWHERE, "12.2")
    working = transport.working_railroad(g)
    if working and len(working) < len(transport.RAILROAD):
        yield MapMarker(working[-1], "railhead", "The railroad does not work further west", ALLIED, "11.3.1")
    if state.port:
        for hex, area in transport.PORTS.items():
            used = [
                f"{number} {what.removeprefix(area.name + ' ')}"
                for what, number in state.port.items()
                if what.startswith(area.name)
            ]
            if used:
                yield MapMarker(hex, "port", f"Shipped this phase: {', '.join(used)}", NOWHERE, "11.2")
    yield MapMarker(BOARD["Malta"], "status", f"Malta: {TEXTS.table['malta'][malta.STATES[state.malta]]}", AXIS, "9")


def tracks(g: G, side: int) -> Iterator[Track]:
    """Return the tracks: replacement points, Malta, victory, options taken, and Italian losses if they matter (9,
    13.3.1, 13.5, 14.1, 15.2)."""
    state = g.state
    axis, allied = reckoning.score(g)
    ratio = reckoning.ratio(allied, axis)
    bases = (state.control.get(CENTRE[ALLIED]), state.control.get(CENTRE[AXIS]))
    result = reckoning.level(ratio, *bases, reckoning.held_tobruk(g))
    yield Track("Axis strength", f"{axis} CF", AXIS, "14.1")
    yield Track("Allied strength", f"{allied} CF", ALLIED, "14.1")
    yield Track("Allied to Axis", f"{float(ratio):.2f}: {result}, if the game ended now", NOWHERE, "14.1")
    if g.options["tobruk"] == "promotion":
        for one, longest, run in (
            (AXIS, state.tobruk_axis, -state.tobruk_run),
            (ALLIED, state.tobruk_allied, state.tobruk_run),
        ):
            now = f", now {run}" if run > 0 else ""
            yield Track(
                f"Tobruk held by the {TEXTS.people(one)}",
                f"{longest} of {reckoning.HOLD_TOBRUK} turns in a row{now}",
                one,
                "14.1",
            )
    for one in (AXIS, ALLIED):
        for nation in reinforcement.NATIONS[one]:
            for kind in reinforcement.KINDS:
                points = f"{nation} {kind}"
                yield Track(f"{points} points", str(state.points.get(points, 0)), one, "13.3.1")
        taken = [
            f"{letter} (turn {turn})" for letter, turn in state.taken.items() if SIDE[OPTION_UNITS[letter][0]] == one
        ]
        if taken:
            yield Track(f"{SIDES[one]} options", ", ".join(taken), one, "13.5")
    yield Track("Malta", TEXTS.table["malta"][malta.STATES[state.malta]], AXIS, "9")
    if g.options["reliability"] == "on":
        yield Track("Italian infantry lost", f"{state.italian_losses} CF", AXIS, "15.2")


# The calendar


def calendar(g: G, viewer: int) -> Iterator[Arrival]:
    """Return all that is still to come, turn by turn; both orders of battle are public (2.2, 13)."""
    first = [next_reinforcement(g, side) for side in (AXIS, ALLIED)]
    begun = g.state.begun
    for turn in range(min(first), TURNS + 1):
        for side in (ALLIED, AXIS):
            if turn < first[side]:
                continue
            yield from _units_due(g, side, turn)
            if turn == first[side]:
                yield from _units_waiting(g, side, turn)
            if turn == g.state.turn and begun:
                continue
            yield from _supplies_due(g, side, turn)
            if side == ALLIED:
                yield from _orders_from_home(turn)
    yield from _options_open(g, first)


def next_reinforcement(g: G, side: int) -> int:
    """Return the turn of a side's next reinforcement phase, or of the one that it is in (7.1)."""
    phases = [phase.name for phase in g.rules.phases(g.state)]
    last = f"{SIDES[side].lower()} reinforcement"
    return g.state.turn + (last not in phases or g.state.phase > phases.index(last))


def _counted(units: Sequence[int]) -> str:
    """Return how many units and lorries there are."""
    lorries = sum(LORRY[u] for u in units)
    regulars = len(units) - lorries
    parts = [f"{counted(regulars, 'unit')} of {sum(CF[u] for u in units)} CF"] if regulars else []
    parts += [counted(lorries, "lorry", "lorries")] if lorries else []
    return " and ".join(parts)


def _units_due(g: G, side: int, turn: int) -> Iterator[Arrival]:
    """Return units and lorries that the order of battle promises for a turn (13.2, 13.2.2)."""
    units = [u for u in ALL[side] if g.state.where[u] == ARRIVAL[side][turn]]
    return arrival(turn, side, "Arriving", units, "13.2", _counted)


def _units_waiting(g: G, side: int, turn: int) -> Iterator[Arrival]:
    """Yield units and lorries that were due before but had no room (13.1)."""
    boxes = [box for earlier, box in ARRIVAL[side].items() if earlier < turn]
    units = [u for u in ALL[side] if g.state.where[u] in boxes]
    return arrival(turn, side, "Waiting for room in the base", units, "13.1", _counted)


def _supplies_due(g: G, side: int, turn: int) -> Iterator[Arrival]:
    """Replacement points, and the turns without an installation (13.2.1, 13.3.1)."""
    points = [
        f"{number} {nation} {kind}"
        for nation in reinforcement.NATIONS[side]
        for kind in reinforcement.KINDS
        if (number := SCHEDULE["points"][f"{nation} {kind}"][turn - 1])
    ]
    if points:
        yield Arrival(turn, side, f"Replacement points: {', '.join(points)}", (), "13.3.1")
    none = SCHEDULE["installations"]["none_after_failed_malta"]
    if side == AXIS and turn in none and g.state.malta == malta.FAILURE:
        yield Arrival(turn, side, "No installation, after the failure at Malta", (), "13.2.1")


def _orders_from_home(turn: int) -> Iterator[Arrival]:
    """Allied withdrawals and reinstatements (13.2.3, 13.2.4)."""
    for action, text, rule in (("withdraw", "Withdrawn", "13.2.3"), ("reinstate", "Reinstated", "13.2.4")):
        for row in SCHEDULE[action]:
            if row["turn"] == turn:
                parts = [f"{row[kind]} {kind}" for kind in reinforcement.KINDS if kind in row]
                yield Arrival(turn, ALLIED, f"{text}: {', '.join(parts)}", (), rule)


def _options_open(g: G, first: Sequence[int]) -> Iterator[Arrival]:
    """Yield options that can still be taken, at the next turn in which they can, and M, which depends on Malta (13.5,
    13.5.2)."""
    for letter, units in OPTION_UNITS.items():
        side = SIDE[units[0]]
        if g.state.where[units[0]] != OPTION_BOX[letter]:
            continue
        months = [turn for turn in options.BOX[letter]["turns"] if turn >= first[side]]
        if months:
            until = f", last on turn {months[-1]}" if len(months) > 1 else ""
            yield from arrival(months[0], side, f"Option {letter} may be taken{until}", units, "13.5", _counted)
        elif letter not in options.LETTERS[side]:
            text = f"Arriving if Malta is not attempted, on turn {SCHEDULE['malta']['M_after_success']} if it is taken"
            for turn in sorted({ROWS[unit]["turn"] for unit in units}):
                due = [unit for unit in units if ROWS[unit]["turn"] == turn]
                yield from arrival(turn, side, text, due, "13.5.2", _counted)


# The path preview


def reach(g: G, decision: Decision) -> Mapping[int, Step]:
    """Return the path to each legal hex, and to those on the path: over land by MF; by sea, by rail, in an advance or a
    reaction in one step (11.1-11.4, 12.4.7, 15.1)."""
    return showing.path_preview(g, decision, ONE_STEP)


ONE_STEP = ("move.sail", "move.send", "combat.advance.to", "reaction.to")


# Combats


def sheets(g: G, decision: Decision, click: int) -> Iterator[Sheet]:
    """Yield the declared combats, the one under declaration, and the effect of a click on them (12.2-12.4)."""
    if decision.kind in showing.DECLARING:
        yield from showing.combat_sheets(TEXTS, g, declaration.DECLARATION, decision, click, options=_options)
    elif decision.kind in ("combat.supply", "combat.destroy"):
        yield from showing.declared_sheets(TEXTS, _supplied(g, decision, click), decision.side, options=_options)
    elif decision.kind.startswith(("combat.", "reaction.")):
        if decision.kind == "combat.counter" and decision.about:
            yield _answer(g, decision)
        yield from showing.declared_sheets(TEXTS, g, decision.side)
    elif decision.kind == "overrun.counter":
        terms = (Term("after an overrun the differential is 0", "0", "11.4"),)
        yield _counter_attack(g, (), decision.about, 0, terms)


def _options(g: G, viewer: int, combat: Combat, button: str) -> Iterator[SheetOption]:
    return preview.options(g, viewer, combat)


def _supplied(g: G, decision: Decision, click: int) -> G:
    """Return the game with every attacker's supply as it would be fixed now, and with the installation that a click
    gives up (12.3)."""
    then = g.with_state(g.state.copy())
    if decision.top and click in decision.legal and g.is_unit(click):
        then.set_flag(click, "sacrificed")
    combat_supply.fix_supply(then, decision.side)
    return then


def _answer(g: G, decision: Decision) -> Sheet:
    """Return the counter-attack of the decision: of the units it names, one side's on the other's (12.4.4)."""
    answering = [unit for unit in decision.about if SIDE[unit] == decision.side]
    struck = [unit for unit in decision.about if SIDE[unit] != decision.side]
    strength = differential.counter(g, answering, struck)
    return _counter_attack(g, answering, struck, strength.differential, strength.terms)


def _counter_attack(g: G, answering: Sequence[int], struck: Sequence[int], value: int, terms: Sequence[Term]) -> Sheet:
    """Return the losses by a counter-attack at a differential (12.4.4, 12.4.5)."""
    crt = g.table("crt")
    column = crt.column(value)
    lost: dict[str, Any] = {}
    for amount, chance in crt.chances(column).items():
        text = f"attacker loses {most(g, struck, int(amount))}"
        lost[text] = lost.get(text, 0) + chance
    hexes = tuple(sorted({g.state.where[u] for u in struck}))
    return Sheet("Counter-attack", tuple(answering), hexes, Odds(tuple(terms), crt.head(column), lost))


DISPLAY: Display[PaaState] = Display(
    turns=turns,
    face=face,
    full=TEXTS.full,
    printed=TEXTS.printed,
    glossary=showing.glossary(DATA / "glossary.toml"),
    tables=TEXTS.table["tables"],
    badges=badges,
    caption=caption,
    warnings=TEXTS.warnings,
    marks=marks,
    tracks=tracks,
    objectives=objectives,
    calendar=calendar,
    layers=LAYERS,
    points="MF",
    reach=reach,
    sheets=sheets,
)
