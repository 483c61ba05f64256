"""The display of Tunisia: dates, counters, badges, markers, tracks, objectives, layers, sheets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from khamsin.games.tunisia import air, airbases, barrage, combat, estimate, fuel, lift, modes, overrun, strength
from khamsin.games.tunisia.arrivals import due
from khamsin.games.tunisia.barrage import Fire
from khamsin.games.tunisia.budget import budget
from khamsin.games.tunisia.dates import AIR, WEATHER
from khamsin.games.tunisia.layers import LAYERS, TEXTS, objectives
from khamsin.games.tunisia.movers import BEGUN, is_later, is_mud
from khamsin.games.tunisia.moves import Option
from khamsin.games.tunisia.scenario import PORTS, is_port, setting
from khamsin.games.tunisia.stacking import SIZE, waits
from khamsin.games.tunisia.strength import Attack, Hit
from khamsin.games.tunisia.units import (
    ALLIED,
    ARTILLERY,
    AXIS,
    COUNTERS,
    DATA,
    DEFENDS_ONLY,
    FLAGS,
    FORCES,
    HEXES,
    HIDDEN,
    IS_AIR,
    IS_HQ,
    IS_TRUCK,
    MA,
    MOVING,
    NUMBER,
    PRINTED,
    RANGE,
    RATING,
    RESERVE,
    SCALE,
    SIDES,
    SUPPLY,
    THROW,
    TOKENS,
    G,
    TunisiaState,
    face,
    forces_in,
    name,
    on_map,
    stock,
    tokens,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.display import Arrival, Badge, Display, MapMarker, Sheet, Step, Track
from khamsin.kernel.rules import Decision, Odds, Term
from khamsin.kernel.tables import FACES
from khamsin.mechanics import showing
from khamsin.mechanics.modes import Modes

FLAG_BADGES = TEXTS.flag_badges(FLAGS, but=("moving", "changed", "extender", "hidden"))
MONTHS = {11: "Nov 42", 12: "Dec 42", 1: "Jan 43", 2: "Feb 43", 3: "Mar 43", 4: "Apr 43", 5: "May 43"}
LOW, EXHAUSTED = 1, 2
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
"""The range of artillery is raised behind its barrage strength."""


def turns(g: G) -> tuple[str, ...]:
    """Return the half weeks of the campaign up to the last turn of the scenario; those before its first are empty
    (1.1e)."""
    days, months = SUPPLY["calendar"]["days"], SUPPLY["calendar"]["months"]
    cards = setting(g)
    dates = [f"{day} {MONTHS[month]}" for day, month in zip(days, months, strict=True)]
    return showing.scenario_turns(dates, cards.first, cards.last)


# Counters


def shown_face(g: G, unit: int) -> str:
    """Return the ratings of the face that shows: strength, action rating, allowance; throw of headquarters; those of
    aircraft."""
    up = face(g, unit)
    if IS_AIR[unit]:
        factors = COUNTERS[unit].factors
        full = g.state.steps[unit] > 1
        air = factors["air" if full else "reduced air"]
        first = f"({air})" if factors["defends"] else str(air)
        return f"{first}-{factors['barrage' if full else 'reduced barrage']}-{RANGE[unit]}"
    if IS_TRUCK[unit]:
        return f"{tokens(g.state.load[unit])}-{MA[unit][1]}"
    if IS_HQ[unit]:
        return f"{THROW[unit][up]}-{MA[unit][up]}"
    strength = str(PRINTED[unit][up])
    if DEFENDS_ONLY[unit][up]:
        strength = f"({strength})"
    far = str(RANGE[unit]).translate(RAISED) if ARTILLERY[unit] else ""
    return f"{strength}{far}-{RATING[unit][up]}-{MA[unit][up]}"


def back(g: G, unit: int, viewer: int) -> str:
    """Return the back of a unit that the viewer may not inspect, else "" (OCS 3(4))."""
    if not g.state.flags[unit] & HIDDEN:
        return ""
    what = "aircraft" if IS_AIR[unit] else "trucks" if IS_TRUCK[unit] else "unit"
    return f"{SIDES[COUNTERS[unit].side]} {what}"


def badges(g: G, unit: int) -> Iterable[Badge]:
    """Return the states of a unit, its internal stock, and the steps of an aircraft."""
    found = list(FLAG_BADGES(g.state.flags[unit] & ~(1 if IS_TRUCK[unit] else 0)))
    level = g.state.stock[unit]
    if level:
        word = "Low" if level == LOW else "Exhausted"
        found.append(Badge(word, f"Internal stock: {word}", "OCS 11.5", "note" if level == LOW else "closed"))
    if IS_AIR[unit] and g.state.steps[unit] == 1:
        found.append(Badge("1/2", "Reduced: one of two steps left", "OCS 14.1", "note"))
    return found


def caption(g: G, decision: Decision, button: str) -> str:
    """Return the text of a button."""
    return TEXTS.caption(decision, button)


# Map markers and tracks


def marks(g: G, side: int) -> Iterator[MapMarker]:
    """Dumps, hedgehogs, air bases, ports, interdiction, attacked hexes."""
    state = g.state
    for owner, title in enumerate(SIDES):
        for at, amount in stock(g, owner).items():
            if owner == side:
                short = str(amount // TOKENS) if amount >= TOKENS else f"{amount}T"
                yield MapMarker(at, short, f"{title} dump: {tokens(amount)}", owner, "OCS 11.1(1)")
            else:
                yield MapMarker(at, "?", f"{title} dump of unknown size", owner, "OCS 3(4)")
    for hex, level in state.hedgehog.items():
        yield MapMarker(hex, "strongpoint", f"Hedgehog of level {level}", NOWHERE, "OCS 16")
    for at, owner in state.base.items():
        yield MapMarker(at, "air base", f"{SIDES[owner]} air base of level {state.level.get(at, 0)}", owner, "OCS 14.1")
    for hex in PORTS:
        if hex in state.control and is_port(g, hex, state.control[hex]):
            room = lift.port_capacity(g, hex) // lift.HALF
            yield MapMarker(
                hex,
                "port",
                f"{SIDES[state.control[hex]]} port, capacity left {tokens(room)}",
                state.control[hex],
                "1.5a",
            )
    for hex, mark in state.interdicted.items():
        yield MapMarker(hex, "delay", "Interdicted: 1 MP more", mark - 1, "OCS 14.7")
    for hex, number in state.targets.items():
        yield MapMarker(hex, "combat", f"Combat {number}", NOWHERE, "OCS 9(1)")


def tracks(g: G, side: int) -> Iterator[Track]:
    """Weather, and for each side Reserve markers, supply, rail capacity and shipping."""
    yield Track("Weather", WEATHER[g.state.weather], NOWHERE, "1.2")
    for owner, title in enumerate(SIDES):
        rule = "1.4c" if owner == AXIS else "1.4d"
        if owner != side:  # OCS 3(4)
            continue
        yield Track("Reserve markers left", str(modes.markers_left(g, owner)), owner, rule)
        loaded = sum([g.state.load[unit] for unit in range(len(COUNTERS)) if COUNTERS[unit].side == owner])
        yield Track("Supply on the map", tokens(sum(stock(g, owner).values()) + loaded), owner, "OCS 11.1(1)")
        for how, text in ((lift.RAIL, "Rail capacity left"), (lift.SEA, "Shipping left")):
            if lift.allowance(g, owner, how):
                yield Track(text, lift.halves(lift.left(g, owner, how)), owner, lift.RULE[how])
        if title and not any(on_map(g, unit) for unit in FORCES[owner]):
            yield Track("Units on the map", "none", owner, "OCS 3(1)")


def calendar(g: G, viewer: int) -> Iterator[Arrival]:
    """Yield what arrives this turn (Allied Order of Arrival, Axis Order of Arrival)."""
    for side in (AXIS, ALLIED):
        units = [NUMBER[unit] for row in due(g, side).values() for unit in row.get("units", ())]
        if units:
            rule = f"{SIDES[side]} Order of Arrival"
            yield Arrival(g.state.turn, side, f"Arrive: {showing.counted(len(units), 'unit')}", tuple(units), rule)


# The path preview


def reach(g: G, decision: Decision) -> Mapping[int, Step]:
    """Return the path to each hex in the least demanding mode that reaches it, with the mode, its fuel, and other
    effects there (OCS 5(1), OCS 6, OCS 11.4)."""
    legal = decision.legal
    if not isinstance(legal, Modes):
        return showing.path_preview(g, decision)
    here = g.state.where[decision.about[0]]
    ways = []
    for one, part in legal.parts:
        words, left = how(g, decision, one), part.reach.way.left
        steps = part.reach.steps(words)
        for click, hint in part.special().items():
            what = next(iter(hint))
            price = overrun.COST if what == "overrun" else left
            steps[click - g.place0] = Step(price, left - price, here, f"{what.capitalize()}, {words}")
        ways.append((steps, words))
    return showing.in_turn(here, ways)


def how(g: G, decision: Decision, one: Option) -> str:
    """Return the mode in which a stack moves, and its fuel: "Move Mode, fuel 2T"."""
    units = decision.about
    mode = f"{one.word.capitalize()} Mode" if one.word else modes.mode_name(g, units[0])
    if not one.word and mode == "Reserve Mode" and not one.flags[0] & RESERVE:
        mode = "Released from Reserve"
    thirsty = fuel.needed(g, decision.side, units, one.flags)
    return f"{mode}, fuel {tokens(fuel.UNIT * len(thirsty))}" if thirsty else mode


# Sheets


def sheets(g: G, decision: Decision, click: int) -> Iterator[Sheet]:
    """Yield the attack, overrun, barrage, air mission or air combat that a decision is about, or that a click would
    make."""
    kind, side = decision.kind, decision.side
    on_hex = click in decision.legal and g.place0 <= click < g.place0 + HEXES
    if kind in showing.DECLARING:
        yield from showing.combat_sheets(TEXTS, g, combat.DECLARATION, decision, click)
    elif kind == "move.to" and on_hex and forces_in(g, 1 - side, g.location(click)):
        yield overrun_sheet(g, decision, click)
    elif kind == "combat.leader" and forces_in(g, 1 - side, decision.at[0]):
        yield leader_sheet(g, decision, click)
    elif kind == "barrage.target" and on_hex:
        hex = g.location(click)
        target = barrage.purposes(g, side, hex)[0]
        yield from barrage_sheet(g, Fire(side, tuple(barrage.proposed(g, side, hex, target)), hex, target=target))
    elif kind.startswith(("barrage.fire.", "air.mission.")) and decision.at:
        units, hex, target = toggled(g, decision, click), decision.at[0], kind.rpartition(".")[2]
        flown = kind.startswith("air.")
        short = flown and target == barrage.UNITS_TARGET and air.is_short(g, units, hex)
        yield from barrage_sheet(g, Fire(side, units, hex, flown, short, target))
    elif kind in ("air.combat", "air.intercept") and decision.at and decision.about:
        yield from air_sheet(g, decision, click)


def toggled(g: G, decision: Decision, click: int) -> tuple[int, ...]:
    """Return the units of a decision as a click on one would change them; in a movement segment it replaces the
    aircraft of a hip shoot (OCS 14.6)."""
    units = decision.about
    if click not in decision.legal or not g.is_unit(click):
        return tuple(units)
    if BEGUN in g.state.todo and click not in units:
        return (click,)
    return tuple([unit for unit in units if unit != click]) if click in units else tuple(sorted([*units, click]))


def overrun_sheet(g: G, decision: Decision, click: int) -> Sheet:
    """Return the odds of an overrun in the mode that the click takes, each side led by its default unit (OCS 5(1),
    OCS 7)."""
    units, hex = decision.about, g.location(click)
    assert isinstance(decision.legal, Modes)
    found = decision.legal.mode(click)
    assert found is not None
    with modes.supposing(g, units, found[0].flags):
        leads, against = (strength.leader(g, force) for force in (units, forces_in(g, 1 - decision.side, hex)))
        battle = Attack(decision.side, tuple(units), hex, True, leads, against)
        return TEXTS.sheet("Overrun", units, [hex], estimate.preview(g, battle))


def leader_sheet(g: G, decision: Decision, click: int) -> Sheet:
    """Return the odds of an attack led by the unit of a click, or by the default one, after combat supply has been paid
    or not (OCS 9(2), OCS 9(3))."""
    units, hex = tuple(decision.about), decision.at[0]
    enemies = forces_in(g, 1 - decision.side, hex)
    unpaid = enemies if combat.WITHOUT in g.state.todo else ()
    leads = click if click in decision.legal else strength.leader(g, units)
    overrun = any(g.state.flags[unit] & MOVING for unit in units)
    odds = estimate.preview(g, Attack(decision.side, units, hex, overrun, leads, strength.leader(g, enemies), unpaid))
    return TEXTS.sheet("Combat", units, [hex], odds)


def barrage_sheet(g: G, shot: Fire) -> Iterator[Sheet]:
    """Yield the odds of a barrage (OCS 8)."""
    if not shot.units or not barrage.total(g, shot):
        return
    if shot.target == barrage.UNITS_TARGET and not forces_in(g, 1 - shot.side, shot.hex):
        return
    title = "Air barrage" if shot.air else "Barrage"
    yield TEXTS.sheet(title, shot.units, [shot.hex], estimate.preview_barrage(g, shot))


def air_sheet(g: G, decision: Decision, click: int) -> Iterator[Sheet]:
    """Yield a round of air combat by the aircraft of a click, or by the best, against the best of the others
    (OCS 17.10)."""
    mine = [unit for unit in decision.legal if g.is_unit(unit)]
    unit = click if click in mine else max(mine, key=lambda one: airbases.air_rating(g, one))
    if any(g.state.flags[one] & HIDDEN for one in decision.about):
        return
    other = max(decision.about, key=lambda one: airbases.air_rating(g, one))
    difference = airbases.air_rating(g, unit) - airbases.air_rating(g, other)
    terms = (
        Term(f"air rating of {name(unit)}", str(airbases.air_rating(g, unit)), "OCS 14.1"),
        Term(f"air rating of {name(other)}", f"-{airbases.air_rating(g, other)}", "OCS 14.1"),
    )
    chances = dict.fromkeys(("your aircraft aborts", "both abort", "the enemy aborts"), Fraction(0))
    for roll, chance in FACES["2d6"].items():
        low, high = AIR["combat"]["attacker_aborts"], AIR["combat"]["defender_aborts"]
        word = (
            "your aircraft aborts"
            if roll + difference <= low
            else "the enemy aborts"
            if roll + difference >= high
            else "both abort"
        )
        chances[word] += chance
    odds = Odds(terms, f"{difference:+d}", {word: chance for word, chance in chances.items() if chance})
    yield TEXTS.sheet("Air combat", [unit], decision.at, odds)


def outcome(code: str) -> str:
    """Return a combat result in words (OCS 9.1).

    >>> outcome("AL1o1 Do2DG")
    'Attacker loses 1 unit and has 1 option. Defender has 2 options and is DG'
    >>> outcome("Ae3 DL2o2DG"), outcome("DG")
    ('Attackers of rating 3 or better exploit. Defender loses 2 units, has 2 options and is DG', '')
    """
    try:
        attacker, defender = strength.read(code)
    except ValueError:
        return ""
    return ". ".join(filter(None, (_meaning("Attacker", attacker), _meaning("Defender", defender))))


def _meaning(who: str, hit: Hit) -> str:
    parts = [
        f"loses {showing.counted(hit.steps, 'unit')}" if hit.steps else "",
        f"has {showing.counted(hit.options, 'option')}" if hit.options else "",
        "is DG" if hit.dg else "",
    ]
    found = [part for part in parts if part]
    words = " and ".join([part for part in (", ".join(found[:-1]), *found[-1:]) if part])
    exploits = f"Attackers of rating {hit.exploit} or better exploit" if hit.exploit else ""
    return ". ".join(filter(None, (f"{who} {words}" if words else "", exploits)))


def warnings(g: G, decision: Decision) -> dict[int, str]:
    """What clicks give up; at the end of movement, the units in a hex that is too full; in a retreat, the units lost on the
    way to a hex while others are safe (OCS 3(1), OCS 3(2), OCS 9.2)."""
    side = decision.side
    if decision.kind == "combat.retreat":
        hints = {click: str(hint) for click, hint in decision.listed().items() if hint and click >= g.place0}
        lost = {click: f"{g.rules.names[click]}: {hint}" for click, hint in hints.items() if " is lost" in hint}
        return lost if len(lost) < len(hints) else {}
    counts = decision.kind == "move.stack" and not (waits(g, side) and (is_later(g) or is_mud(g)))
    full = SIZE.overfull(g, side) if counts else ()
    return TEXTS.overfull(g, decision, full, "the excess is lost")


DISPLAY: Display[TunisiaState] = Display(
    turns=turns,
    face=shown_face,
    tables=TEXTS.table["tables"],
    full=TEXTS.full,
    printed=TEXTS.printed,
    glossary=showing.glossary(DATA / "glossary.toml"),
    outcome=outcome,
    back=back,
    badges=badges,
    caption=caption,
    warnings=warnings,
    marks=marks,
    tracks=tracks,
    budget=budget,
    objectives=objectives,
    calendar=calendar,
    layers=LAYERS,
    points="MP",
    parts=SCALE,
    reach=reach,
    sheets=sheets,
)
