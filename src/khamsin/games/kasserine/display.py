"""The display of Decision at Kasserine: dates, faces and badges of counters, tracks, objectives, calendar, paths, odds.

`layers` has the drawings over the map. Nothing here decides anything; all of it is computed from the game as a side may
know it. In that game hidden enemy markers are in the order of their numbers, not where they truly are. So check whether
a marker is face down before naming it (10.3.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from khamsin.games.kasserine import battle as combats
from khamsin.games.kasserine import declaration, mode, movement, preview, reinforcement, stacking, strongpoints
from khamsin.games.kasserine import victory as reckoning
from khamsin.games.kasserine.control import friendly
from khamsin.games.kasserine.layers import LAYERS, TEXTS, called
from khamsin.games.kasserine.paths import FIGURE, points_left, whole
from khamsin.games.kasserine.scenario import FIGURES, MOST_STRONGPOINTS, Setting, setting
from khamsin.games.kasserine.units import (
    AIR_SPAN,
    AIR_UNITS,
    ALL,
    ALLIED,
    ANTI_TANK,
    ARTILLERY,
    AXIS,
    BARRAGE,
    BOARD,
    CARD,
    CAS,
    CLASS,
    COMBAT,
    COUNTERS,
    DATA,
    DEPLOYED,
    FACE_DOWN,
    FLAGS,
    FORCES,
    FOUGHT,
    FPF,
    HALVES,
    HEXES,
    INTERDICTING,
    INTERDICTS,
    IS_AIR,
    IS_MARKER,
    MA,
    MARKER,
    MARKER_SPAN,
    MOVED,
    OUT,
    RANGE,
    READY,
    RESERVE,
    ROMMEL,
    SEALED,
    SIDE,
    SIDES,
    TRIED,
    TURN_BOX,
    TWO_MODES,
    UNTRIED,
    USED,
    WEATHER,
    G,
    KasserineState,
    attack,
    defence,
    on_map,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.display import Arrival, Badge, Display, MapMarker, Objective, Sheet, SheetOption, Step, Track
from khamsin.kernel.pieces import Counter
from khamsin.kernel.rules import Decision, Odds
from khamsin.mechanics import results, showing
from khamsin.mechanics.combats import Combat
from khamsin.mechanics.showing import arrival


def turns(g: G) -> tuple[str, ...]:
    """Every turn is a morning or an afternoon; The Axis Decide begins with the eleventh of the campaign (18.1.1, 18.2.1)."""
    cards = setting(g)
    days = showing.half_days(TEXTS.table["calendar"][g.scenario.name], cards.last)
    return showing.scenario_turns(days, cards.first, cards.last)


# The counters


def face(g: G, unit: int) -> str:
    """Return the present attack, defence and movement; barrage, Final Protective Fire and range of a Deployed gun and
    of a marker; barrage and Final Protective Fire against armour of a Deployed anti-tank unit; the Close Air Support of
    an air unit and an I if it may interdict; of Rommel his movement (2.2.3, 2.2.4, 2.2.7, 3.4.1)."""
    if IS_AIR[unit]:
        return f"{CAS[unit]} I" if INTERDICTS[unit] else str(CAS[unit])
    if IS_MARKER[unit]:
        return FIRE[unit]
    if not COMBAT[unit]:
        return str(MA[unit])
    flags = g.state.flags[unit]
    if flags & DEPLOYED and FIRE[unit]:
        return FIRE[unit]
    if flags & UNTRIED or (CLASS[unit] in TRIED and not g.state.quality[unit]):
        return f"?-?-{MA[unit]}"
    return f"{attack(g, unit)}-{defence(g, unit)}-{MA[unit]}"


def _fire(unit: int) -> str:
    if ARTILLERY[unit] or IS_MARKER[unit]:
        return f"{BARRAGE[unit]}/{FPF[unit]}-{RANGE[unit]}"
    return f"{BARRAGE[unit]}/{FPF[unit]} AT" if ANTI_TANK[unit] else ""


FIRE = [_fire(unit) for unit in range(len(COUNTERS))]
"""The values on the Deployed side of each gun and anti-tank unit, and on a marker."""


def full(counter: Counter) -> str:
    """Return the full name of a counter, of a Fire Support marker with that of its gun."""
    gun = next((each for each in COUNTERS if f"{each.name} fire" == counter.name), None)
    return f"Fire Support of {TEXTS.full(gun)}" if gun else TEXTS.full(counter)


def back(g: G, unit: int, viewer: int) -> str:
    """Return the back of a face-down Fire Support marker, the same for all markers of its side (10.3.4)."""
    hidden = g.state.flags[unit] & FACE_DOWN and SIDE[unit] != viewer
    return f"{SIDES[SIDE[unit]]} Fire Support" if hidden else ""


FLAG_BADGES = TEXTS.flag_badges(FLAGS, but=("moved",))
MARCH, FIRED, EMPTY, HIDDEN = (TEXTS.badge(word) for word in ("march", "fired", "empty", "face down"))


def badges(g: G, unit: int) -> Iterable[Badge]:
    """Return the states of a unit: its flags, its mode and its gun's marker, and what it must still do."""
    state = g.state
    flags = state.flags[unit]
    if IS_MARKER[unit]:
        return [badge for bit, badge in ((FACE_DOWN, HIDDEN), (FOUGHT, FIRED)) if flags & bit]
    if not (flags or state.release[unit] or state.battle[unit] or TWO_MODES[unit] or IS_AIR[unit]):
        return ()
    return [*FLAG_BADGES(flags), *_more_badges(g, unit)]


def _more_badges(g: G, unit: int) -> Iterator[Badge]:
    state = g.state
    flags = state.flags[unit]
    if flags & MOVED:
        yield from _moved(g, unit)
    if TWO_MODES[unit] and on_map(g, unit) and not flags & DEPLOYED:
        yield MARCH
    marker = MARKER.get(unit)
    if marker is not None and on_map(g, unit):
        if state.where[marker] == USED[SIDE[unit]]:
            yield EMPTY
        elif state.flags[marker] & FOUGHT:
            yield FIRED
    if IS_AIR[unit] and on_map(g, unit) and not flags & INTERDICTING:
        yield TEXTS.badge("sent", hex=called(state.where[unit]))
    if state.release[unit]:
        yield TEXTS.badge("garrison", turn=state.release[unit])
    if state.battle[unit]:
        yield TEXTS.badge("combat", number=state.battle[unit])


def _moved(g: G, unit: int) -> Iterator[Badge]:
    """Return that a unit has moved in the present phase, and its points left (7.1.3, 8.2.4, 9.3.2)."""
    phase = g.rules.phases(g.state)[g.state.phase]
    name = phase.name.partition(" ")[2]
    if phase.side == SIDE[unit] and name in PHASES:
        kind, badge = PHASES.index(name), TEXTS.badge("moved")
        left, all_ = FIGURE[max(0, points_left(g, [unit], kind))], FIGURE[whole(g, unit, kind)]
        yield badge._replace(text=f"{badge.text}: {left} of {all_} MP left")


PHASES = ("movement", "reaction", "reserve movement")
"""The phases in which units move, in the order of their kinds of movement."""


# The buttons


def caption(g: G, decision: Decision, button: str) -> str:
    """Return the text of a button: a change of mode with its result and cost, the others by the kind of decision
    (7.6.2)."""
    unit = decision.about[0] if decision.about else NOWHERE
    if button == "change mode" and unit != NOWHERE:
        to = "March" if g.state.flags[unit] & DEPLOYED else "Deployed"
        if decision.kind not in movement.TO_KIND or not on_map(g, unit):
            return TEXTS.caption(decision, button, mode=to)
        return TEXTS.caption(decision, button, "cost", mode=to, points=FIGURE[mode.cost(g, unit)])
    leaves = button == "reserve" and unit != NOWHERE and g.state.flags[unit] & RESERVE
    return TEXTS.caption(decision, button, "out" if leaves else "", mode="the other")


# Map markers and tracks


def marks(g: G, side: int) -> Iterator[MapMarker]:
    """Return the map markers: holders of victory locations, Supply Sources, strongpoints, interdiction, and attacked
    hexes (3.1.1, 6.3.1, 9.1.2, 11.2.3, 14.3.2)."""
    state, cards = g.state, setting(g)
    for hex in cards.victory:
        yield MapMarker(hex, "control", held_by(g, hex), state.control.get(hex, NOWHERE), "3.1.1")
    for owner in (AXIS, ALLIED):
        for hex in cards.sources[owner]:
            works = hex in state.source
            text = f"{SIDES[owner]} Supply Source" + ("" if works else " (not working)")
            yield MapMarker(hex, "source", text, owner if works else NOWHERE, "6.3.1")
    for hex, owner in sorted(state.strongpoint.items()):
        yield MapMarker(hex, "strongpoint", f"{SIDES[owner]} strongpoint", owner, "14.3.2")
    for hex, owner in sorted(state.works.items()):
        yield MapMarker(hex, "works", f"{SIDES[owner]} strongpoint under construction", owner, "14.3.2")
    for owner in (AXIS, ALLIED):
        for unit in AIR_UNITS[owner]:
            if state.flags[unit] & INTERDICTING:
                yield MapMarker(state.where[unit], "interdiction", f"{SIDES[owner]} interdiction", owner, "11.2.3")
    for hex, number in state.targets.items():
        table = declaration.WORDS[state.tables[str(number)]]
        yield MapMarker(hex, "combat", f"Combat {number}: {table}", NOWHERE, "9.1.2")
    for hex in state.draft.hexes if state.draft else ():
        yield MapMarker(hex, "combat", "Combat: being declared", NOWHERE, "9.1.2")


def held_by(g: G, hex: int) -> str:
    """Return the side to which a place is friendly, in words (3.1.1)."""
    return f"{called(hex)} is friendly to {TEXTS.the(g.state.control.get(hex, NOWHERE))}"


def tracks(g: G, side: int) -> Iterator[Track]:
    """Return the tracks: weather now and next turn, air units, markers, strongpoints, Rommel's bonus, the Victory Plan
    and its progress (5.1.1, 10.4, 11.1, 14.3.1, 15.5.2, 18)."""
    state, cards = g.state, setting(g)
    yield Track("Weather", WEATHER[state.weather] if state.turn >= state.first else "not known yet", NOWHERE, "5.1.1")
    if max(state.turn + 1, state.first) <= cards.last:
        yield Track("Weather next turn", forecast(g, max(state.turn + 1, state.first)), NOWHERE, "5.1.1")
    if state.rained:
        yield Track("Rain", "has fallen: Tigers stay on roads", AXIS, "16.3.2")
    for one in (AXIS, ALLIED):
        yield Track(f"{SIDES[one]} air units", _shares(state.where[AIR_SPAN[one]], one, "flying"), one, "11.1.4")
        yield Track(f"{SIDES[one]} Fire Support", _shares(state.where[MARKER_SPAN[one]], one, "laid"), one, "10.4.1")
        if cards.works:
            left = f"{strongpoints.markers_left(g, one)} of {MOST_STRONGPOINTS[one]}"
            yield Track(f"{SIDES[one]} strongpoints left", left, one, "14.3.1")
    if state.where[ROMMEL] != NOWHERE:
        spent = ", none left this turn" if state.bonus and state.bonus_turn == state.turn else ""
        yield Track("Rommel's bonus", f"{state.bonus} left{spent}", AXIS, "15.5.2")
    if state.option:
        yield Track("Axis entry", f"option {'AB'[state.option - 1]}", AXIS, "18.2.4")
    if cards.name != "faid":
        yield Track("Victory Plan", plan(g), AXIS, "18.2.7")
    for title, conditions, rule in open_sets(g):
        yield Track(title, victory_progress(g, conditions), AXIS, rule)


def forecast(g: G, turn: int) -> str:
    """Return the weather of a turn to come: historical, set by the scenario, or the chances of the roll (5.1.1, 5.1.6,
    18.3.4)."""
    cards = setting(g)
    if g.options["weather"] == "historical":
        return WEATHER[cards.history[turn - 1]]
    if turn in cards.given:
        return WEATHER[cards.given[turn]]
    table = g.table(cards.weather)
    chances = {str(word): chance for word, chance in table.chances(table.column(f"GT {turn}")).items()}
    return ", ".join(f"{word} {chances[word]}" for word in WEATHER if chances.get(word))


def _shares(places: Sequence[int], side: int, out: str) -> str:
    """Return how many pieces are ready, on the map and used."""
    on_table = sum(0 <= place < HEXES for place in places)
    return f"{places.count(READY[side])} ready, {on_table} {out}, {places.count(USED[side])} used"


def plan(g: G) -> str:
    """Return what may be known of the Victory Plan (18.2.7, 18.2.8)."""
    number = g.state.plan
    if not number:
        return f"drawn on turn {reckoning.DRAW}"
    if number == SEALED:
        return "drawn, known to the Axis only"
    row = reckoning.PLANS[reckoning.LETTERS[number - 1]]
    return f"{row['plan']}, {row['name']}" + (", read by the Allies" if g.state.decrypted else "")


def open_sets(g: G) -> list[tuple[str, Mapping[str, Any], str]]:
    """Return the sets of conditions by which the Axis can still win, as far as they may be known: title, conditions,
    rule (18.1.5, 18.2.6, 18.2.7)."""
    cards, number = setting(g), g.state.plan
    if cards.name == "faid":
        return [("Faid Pass objectives", reckoning.SETS["Faid Pass"], "18.1.5")]
    early = [(f"Up to turn {row['last']}", row, "18.2.6") for row in early_sets(g)]
    plans = [row for letter, row in reckoning.PLANS.items() if number <= 0 or letter == reckoning.LETTERS[number - 1]]
    return early + [(f"Plan {row['plan']}, {row['name']}", row, reckoning.rule_of(cards)) for row in plans]


def early_sets(g: G) -> list[Mapping[str, Any]]:
    """Return the conditions by which the Axis can still win before the end (18.2.6)."""
    return [reckoning.SETS[name] for name in reckoning.early_sets(g, setting(g))]


def victory_progress(g: G, conditions: Mapping[str, Any]) -> str:
    """Return the progress of the Axis with a set of conditions (18.1.5, 18.2.6)."""
    if reckoning.fulfilled(g, dict(conditions)):
        return "fulfilled now"
    held = {BOARD.name(hex) for hex in setting(g).victory if friendly(g, AXIS, hex)}
    parts = [f"{called(BOARD[hex])} {'held' if hex in held else 'not held'}" for hex in conditions.get("all", ())]
    if "any" in conditions:
        which = " or ".join(called(BOARD[hex]) for hex in conditions["any"])
        parts.append(f"{which} {'held' if held & set(conditions['any']) else 'not held'}")
    others = len(held - set(conditions.get("all", ())))
    others -= bool("any" in conditions and held & set(conditions["any"]))
    return "; ".join([*parts, f"{others} of {conditions['others']} {_others(conditions)}"])


def _others(conditions: Mapping[str, Any]) -> str:
    return "others" if "all" in conditions or "any" in conditions else "places"


# The objectives


def objectives(g: G, side: int) -> Iterator[Objective]:
    """Return the victory locations, the side to which each is friendly, and the conditions that need it (18.1.5,
    18.2.6, 18.2.7)."""
    sets = open_sets(g)
    for hex in setting(g).victory:
        holder = g.state.control.get(hex, NOWHERE)
        yield Objective(called(hex), hex, holder, _worth(BOARD.name(hex), sets), sets[0][2])


def _worth(hex: str, sets: Sequence[tuple[str, Mapping[str, Any], str]]) -> str:
    """Return the conditions that need a place."""
    parts = []
    for title, conditions, _ in sets:
        if hex in conditions.get("all", ()):
            parts.append(f"{title}: needed")
        elif hex in conditions.get("any", ()):
            parts.append(f"{title}: this one or {' or '.join(called(BOARD[h]) for h in conditions['any'] if h != hex)}")
        else:
            parts.append(f"{title}: one of {conditions['others']} {_others(conditions)}")
    return "; ".join(parts)


# The calendar


def calendar(g: G, viewer: int) -> Iterator[Arrival]:
    """Return all that is still to come, turn by turn; both set-up cards are public (4.1.3, 5.2)."""
    cards = setting(g)
    now = max(g.state.turn, g.state.first)
    received = have_arrived(g)
    for turn in range(now, cards.last + 1):
        for side in (AXIS, ALLIED):
            if turn == now:
                yield from _waiting(g, side, turn)
            yield from _arriving(g, side, turn, cards, kept=turn == now and received)
            if turn == now and received:
                continue
            leaving = [u for u in cards.withdrawals.get(turn, ()) if SIDE[u] == side and g.state.where[u] != OUT[side]]
            yield from arrival(turn, side, "Withdrawn", leaving, "5.2.6", _counted)
        if turn > now or not received:
            yield from _released(g, turn, cards)
            yield from _reserve(g, turn, cards)
            yield from _plan_due(g, turn, cards)
        for row in early_sets(g):
            if row["last"] == turn:
                yield Arrival(turn, AXIS, f"Last turn to win early: {victory_progress(g, row)}", (), "18.2.6")


def have_arrived(g: G) -> bool:
    """Whether the Reinforcements Phase of this turn is over (4.3.1)."""
    return "reinforcements" in [phase.name for phase in g.rules.phases(g.state)[: g.state.phase]]


def _counted(units: Sequence[int]) -> str:
    return showing.counted(len(units), "unit")


def _arriving(g: G, side: int, turn: int, cards: Setting, kept: bool) -> Iterator[Arrival]:
    """Yield the units in the box of a turn, by their destination: a holding box, a hex, the edge, the Ready Box
    (5.2.1); lost HQs (15.3.2)."""
    by_place: dict[tuple[str, str], list[int]] = {}
    for unit in ALL[side]:
        if g.state.where[unit] == TURN_BOX[turn] and unit not in cards.reserve:
            by_place.setdefault(_comes(unit, turn, cards), []).append(unit)
    for (text, rule), units in by_place.items():
        yield from arrival(turn, side, "Kept back" if kept else text, units, rule, _counted)


def _comes(unit: int, turn: int, cards: Setting) -> tuple[str, str]:
    if IS_AIR[unit]:
        return "Arriving in the Ready Box", "5.2.1"
    arrival = cards.arrivals.get(unit)
    if arrival is None or turn != arrival.turn:
        return "Re-established with its Formation", "15.3.2"
    if arrival.hexes:
        return f"Entering, {ENTRY[arrival.hexes]}", "5.2.4"
    return f"Arriving at {called(arrival.place)}", "5.2.1"


ENTRY = {area.hexes: area.name for area in BOARD.areas.values() if area.kind == "entry"}
"""The entry areas by their hexes."""


def _waiting(g: G, side: int, turn: int) -> Iterator[Arrival]:
    """Yield units that were due before: kept back, or on the set-up card, from which they may enter at the edge (5.2.2,
    5.2.4)."""
    late = [TURN_BOX[before] for before in TURN_BOX if before < turn]
    kept = [u for u in ALL[side] if g.state.where[u] in late and u not in setting(g).reserve]
    yield from arrival(turn, side, "Kept back", kept, "5.2.2", _counted)
    off_map = [u for u in ALL[side] if g.state.where[u] == CARD[side]]
    yield from arrival(turn, side, "May enter at the edge of the map", off_map, "5.2.4", _counted)


def _released(g: G, turn: int, cards: Setting) -> Iterator[Arrival]:
    """Yield garrisons that are released in a turn at the latest (18.2.3)."""
    for row in FIGURES[cards.name].get("garrison", ()):
        units = tuple(u for u in FORCES[ALLIED] if COUNTERS[u].name in row["units"] and g.state.release[u] == turn)
        if units:
            yield Arrival(turn, ALLIED, f"Garrison released: {row['name']}", units, "18.2.3")


def _reserve(g: G, turn: int, cards: Setting) -> Iterator[Arrival]:
    """Yield the unit of the corps reserve that arrives in a turn, chosen by the Allies (18.2.5)."""
    units = tuple(unit for unit in cards.reserve if g.state.where[unit] in reinforcement.TRACK.turn)
    if units and turn in cards.reserve_turns:
        name = FIGURES[cards.name]["reserve"]["name"]
        yield Arrival(turn, ALLIED, f"One unit of the {name} to {called(cards.reserve_turns[turn])}", units, "18.2.5")


def _plan_due(g: G, turn: int, cards: Setting) -> Iterator[Arrival]:
    """Yield when the Victory Plan is drawn, and from when the Allies may read it (18.2.7, 18.2.8, 18.3.5)."""
    if cards.name == "faid":
        return
    if turn == reckoning.DRAW and not g.state.plan:
        yield Arrival(turn, AXIS, "The Axis draws its Victory Plan", (), "18.2.7")
    first = cards.first if cards.name == "decide" else reckoning.DECRYPT
    if turn == max(first, g.state.turn + have_arrived(g)) and not g.state.decrypted:
        chance = g.table("decrypt").chances(0).get("Yes", Fraction(0))
        text = f"The Allies try to read the Victory Plan, with a chance of {chance} per turn from now on"
        yield Arrival(turn, ALLIED, text, (), "18.2.8")


# The path preview


def reach(g: G, decision: Decision) -> Mapping[int, Step]:
    """Return the path to each legal location, and to those on it; a retreat, an advance and infiltration are one step
    (7.1, 8.1.1, 8.2.4, 9.3.2, 13.3, 13.5.3)."""
    return showing.path_preview(g, decision, ONE_STEP, beside=_special_steps)


ONE_STEP = ("move.infiltrate", "combat.retreat", "combat.advance", "combat.advance.to")


def _special_steps(g: G, decision: Decision) -> dict[int, Step]:
    """Return the moves that cost all points, and those off the map (7.4, 8.1, 8.3)."""
    group, kind = list(decision.about), movement.TO_KIND.index(decision.kind)
    here, left = g.state.where[group[0]], decision.reach.way.left
    dear, out = movement.special_ways(g, group, decision.reach, kind)
    steps = {hex: Step(left, 0, here) for hex in dear}
    return steps | {box: Step(cost, 0, here if door == NOWHERE else door) for box, (cost, door) in out.items()}


# Combats


def sheets(g: G, decision: Decision, click: int) -> Iterator[Sheet]:
    """Yield the declared combats, the one under declaration, and the effect of a click on them (9.1, 12.5)."""
    if decision.kind in showing.DECLARING:
        yield from showing.combat_sheets(TEXTS, g, declaration.DECLARATION, decision, click, _odds, _options)
    elif g.state.targets and decision.kind.startswith(BEFORE_RESULT):
        then, asked = _laid(g, decision, click), _asked_about(g, decision)

        def options(seen: G, viewer: int, combat: Combat, button: str) -> Iterable[SheetOption]:
            return _options(seen, viewer, combat, button) if asked in (0, combat.number) else ()

        yield from showing.declared_sheets(
            TEXTS,
            then,
            decision.side,
            _odds,
            first=asked,
            stands=lambda combat: _stands(then, combat),
            options=options,
        )


def _odds(g: G, viewer: int, combat: Combat, button: str) -> Odds:
    """Return the odds of a combat, on the table that a button would declare (9.1.2)."""
    return preview.odds(g, viewer, list(combat.units), list(combat.hexes), declaration.TABLES.get(button))


def _options(g: G, viewer: int, combat: Combat, button: str) -> Iterator[SheetOption]:
    """Return the attacker's choices still to be made, on the table that a button would declare (9.1.2)."""
    return preview.options(g, viewer, combat, declaration.TABLES.get(button))


def _stands(g: G, combat: Combat) -> bool:
    """Whether a declared combat has defenders left: they may have evaded (9.2)."""
    return bool(combats.defenders(g, combats.read(g, combat.side, combat.number)))


BEFORE_RESULT = (
    "evasion.", "reaction.", "fpf.", "barrage.", "combat.order", "combat.air", "combat.supply", "combat.roll", "combat.choice",
)  # fmt: skip
"""The decisions between the declaration and the result of a combat."""


def _asked_about(g: G, decision: Decision) -> int:
    """Return the number of the combat that a decision is about, or 0."""
    state = g.state
    numbers = (state.battle[unit] or combats.at(g, state.where[unit]) for unit in decision.about if not IS_MARKER[unit])
    return next(filter(None, numbers), 0)


def _laid(g: G, decision: Decision, click: int) -> G:
    """Return the game with the marker of the decision on the hex under the pointer (10.2.1)."""
    if decision.kind != "barrage.hex" or click not in decision.legal or click >= g.rules.first_button:
        return g
    then = g.with_state(g.state.copy())
    then.state.where[decision.about[0]] = g.location(click)
    return then


def warnings(g: G, decision: Decision) -> dict[int, str]:
    """What clicks give up; at the end of movement, the units in a hex that is too full (3.3.3)."""
    full = stacking.overfull(g, decision.side) if decision.kind == "move.stack" else ()
    return TEXTS.overfull(g, decision, full, "the excess is eliminated")


DISPLAY: Display[KasserineState] = Display(
    turns=turns,
    face=face,
    full=full,
    printed=TEXTS.printed,
    glossary=showing.glossary(DATA / "glossary.toml"),
    outcome=results.in_words,
    tables=TEXTS.table["tables"],
    back=back,
    badges=badges,
    caption=caption,
    warnings=warnings,
    marks=marks,
    tracks=tracks,
    objectives=objectives,
    calendar=calendar,
    layers=LAYERS,
    points="MP",
    parts=HALVES,
    reach=reach,
    sheets=sheets,
)
