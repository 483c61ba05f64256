"""The display of Afrika: dates, counters, badges, markers, tracks, calendar, warnings, sheets. `layers` has the layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from khamsin.games.afrika import air, barrage, combat, feeding, movement, overrun, strength, victory
from khamsin.games.afrika.layers import LAYERS, TEXTS, beyond_supply, objectives
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.stacking import POINTS
from khamsin.games.afrika.units import (
    AIR_BUTTONS,
    ALLIED,
    AROUND,
    ARTILLERY,
    AXIS,
    BARDIA,
    BOARD,
    DATA,
    FLAGS,
    HALVES,
    HEXES,
    IS_LEADER,
    LED,
    MA,
    PORTS,
    ROMMEL,
    SCHEDULE,
    SIDE,
    SIDES,
    STEPS,
    TOBRUK,
    TRACK,
    ZONED,
    AfrikaState,
    Attack,
    Fire,
    G,
    attack,
    defence,
    forces_in,
    stock,
)
from khamsin.games.afrika.units import barrage as barrage_strength
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.display import Arrival, Badge, Display, MapMarker, Sheet, SheetOption, Step, Track
from khamsin.kernel.rules import Decision, Odds, Term
from khamsin.mechanics import results, showing, stocks
from khamsin.mechanics.combats import Combat

FLAG_BADGES = TEXTS.flag_badges(FLAGS, but=("moved",))


def turns(g: G) -> tuple[str, ...]:
    """Return the months of a campaign, or the half-months of a short scenario (1.2)."""
    cards, months = setting(g), SCHEDULE["calendar"]["months"]
    if not cards.short:
        return showing.scenario_turns(months, cards.first, cards.last)
    first = cards.stands_for[0]
    return tuple(
        [f"{months[first - 1 + turn // 2]}, {'second' if turn % 2 else 'first'} half" for turn in range(cards.last)]
    )


# Counters and buttons


def face(g: G, unit: int) -> str:
    """Return attack or barrage, defence and allowance of the face that shows (SCS 1.1)."""
    if IS_LEADER[unit]:
        return ""
    first = f"({barrage_strength(g, unit)})" if ARTILLERY[unit] else str(attack(g, unit))
    return f"{first}-{defence(g, unit)}-{MA[unit]}"


def badges(g: G, unit: int) -> Iterable[Badge]:
    """Return the states of a unit, and its steps if some are lost; a ZOC does not hold units with Rommel (1.4, 2.3)."""
    flags = g.state.flags[unit]
    found = list(FLAG_BADGES(flags & ~ZONED if flags & LED else flags))
    left = g.state.steps[unit]
    if 0 < left < STEPS[unit]:
        found.append(Badge(f"{left}/{STEPS[unit]}", f"Reduced: {left} of {STEPS[unit]} steps left", "1.4", "note"))
    return found


def caption(g: G, decision: Decision, button: str) -> str:
    """Return the text of a button."""
    if button == "port":
        at_port = g.state.fire is not None and g.state.fire.port
        return "Barrage units" if at_port else "Barrage port"
    if button == "done" and decision.kind == "move.stack" and movement.EXPLOITING in g.state.todo:
        return TEXTS.caption(decision, button, "exploitation")
    if button not in AIR_BUTTONS:
        return TEXTS.caption(decision, button)
    number = AIR_BUTTONS.index(button)
    if decision.kind == "barrage.fire":
        return f"Fire with {number} air" if number else "Fire without air"
    return f"Commit {number} air" if number else "No air points"


def warnings(g: G, decision: Decision) -> dict[int, str]:
    """Return what clicks give up: units out of supply, a box left empty, units in an over-full hex (1.6d, 1.16,
    SCS 4.3)."""
    side, done = decision.side, g.rules.button("done")
    if decision.kind == "supply.feed":
        hungry = len(feeding.mouths(g, side)) - len(decision.about)
        effect = (
            "surrender or lose a step"
            if side == AXIS and g.state.turn <= SCHEDULE["surrender"]["last"]
            else "lose a step"
        )
        return {done: f"{showing.counted(hungry, 'unit')} without supply: they {effect}"} if hungry else {}
    if decision.kind == "move.stack":
        cut = beyond_supply(g, side) if movement.EXPLOITING in g.state.todo else []
        texts = [f"Too many units in {TEXTS.called(hex)}: the excess is lost" for hex in POINTS.overfull(g, side)]
        texts += [f"Out of supply now: {TEXTS.listed(cut)}"] if cut else []
        return {done: "; ".join(texts)} if texts else {}
    if decision.kind == "move.to" and decision.about:
        here = g.state.where[decision.about[0]]
        if g.state.box.get(here) == side and len(decision.about) == len(forces_in(g, side, here)):
            text = f"The box in {TEXTS.called(here)} is removed when its last unit leaves"
            return {click: text for click in decision.legal if g.place0 <= click < g.rules.first_button}
    return {}


# Map markers and tracks


def marks(g: G, side: int) -> Iterator[MapMarker]:
    """Boxes, dumps with the number of their SPs, ports, attacked hexes, Malta (1.6a, 1.9d, 1.16, 2.6)."""
    state = g.state
    for owner, title in enumerate(SIDES):
        for at, number in stock(g, owner).items():
            yield MapMarker(at, str(number), f"{title} dump: {showing.counted(number, 'SP')}", owner, "1.6a")
    for hex, owner in state.box.items():
        yield MapMarker(hex, "strongpoint", f"{SIDES[owner]} box", owner, "1.16")
    for hex in PORTS:
        if hex in state.control:
            yield MapMarker(hex, "port", port_text(g, hex), state.control[hex], "1.9d")
    for hex, number in state.targets.items():
        yield MapMarker(hex, "combat", f"Combat {number}", NOWHERE, "SCS 8.1")
    if state.campaign:
        points = showing.counted(state.malta, "air point")
        yield MapMarker(BOARD["Malta"], "status", f"Malta: {points} this turn", AXIS, "2.6")


def port_text(g: G, hex: int) -> str:
    """Return the owner of a port, its capacity left, and its damage (1.9d, 1.9e, 1.9f)."""
    state, words = g.state, f"{SIDES[g.state.control[hex]]} port"
    if hex in state.capacity:
        words += f", capacity left {state.capacity[hex]}"
    if state.campaign and state.taken.get(hex) == state.turn:
        words += ", captured this turn"
    return words + (f", damaged by {state.damage[hex]} on its next turn" if state.damage.get(hex) else "")


def tracks(g: G, side: int) -> Iterator[Track]:
    """Return the tracks: victory now, air points, and in a campaign truck points, shipping and SPs of each side (1.7,
    1.9a, 1.10)."""
    state, number = g.state, setting(g).number
    winner, reason = victory.VERDICTS[number](g)
    ends = "Draw" if winner == NOWHERE else f"Victory of {TEXTS.the(winner)}"
    yield Track("If the game ended now", f"{ends}: {reason}", winner, number)
    yield from progress(g)
    for owner, title in enumerate(SIDES):
        yield Track("Air points", str(air.left(g, owner)), owner, "1.10")
        if state.campaign:
            yield Track("Truck points", str(state.trucks.get(title, 0)), owner, "1.7")
            yield Track("Coastal shipping", str(state.shipping.get(title, 0)), owner, "1.9a")
            yield Track("Supply points", str(sum(stock(g, owner).values())), owner, "1.6a")


def progress(g: G) -> Iterator[Track]:
    """Yield what each condition of victory lacks (4.1-5, 5.1-2)."""
    number = setting(g).number
    if number == "4.1":
        yield Track("Bridge from Tobruk to the east edge", "open" if victory.bridge(g) else "closed", ALLIED, number)
    elif number == "4.2":
        road = victory.ROAD_HEXES
        held = len([hex for hex in road if victory.controls(g, AXIS, hex)])
        yield Track("Road hexes of the Axis", f"{held} of {len(road)}", AXIS, number)
        for city, title in ((TOBRUK, "Tobruk"), (BARDIA, "Bardia")):
            yield Track(f"{title} invested", "yes" if victory.invested(g, city) else "no", AXIS, number)
    elif number == "4.5":
        boxes = victory.ALAMEIN_BOXES.hexes
        kept = len([hex for hex in boxes if g.state.box.get(hex) == AXIS])
        yield Track("Axis boxes kept", f"{kept} of {len(boxes)}", AXIS, number)
    elif g.state.campaign:
        yield Track("Alexandria and Cairo", "Axis" if victory.has_egypt(g) else "not both Axis", AXIS, number)


def calendar(g: G, viewer: int) -> Iterator[Arrival]:
    """Yield the units that are still to arrive (SCS 11.4)."""
    for side in (AXIS, ALLIED):
        waiting: dict[int, list[int]] = {}
        for unit, arrival in setting(g).arrivals.items():
            if SIDE[unit] == side and g.state.where[unit] == TRACK:
                waiting.setdefault(max(arrival.turn, g.state.turn), []).append(unit)
        for turn, units in sorted(waiting.items()):
            yield Arrival(turn, side, f"Arrive: {showing.counted(len(units), 'unit')}", tuple(units), "SCS 11.4")
    if g.state.where[ROMMEL] == TRACK and g.state.turn <= g.state.rommel_returns <= setting(g).last:
        yield Arrival(g.state.rommel_returns, AXIS, "Rommel arrives", (ROMMEL,), "2.4")


# Paths and sheets


def reach(g: G, decision: Decision) -> Mapping[int, Step]:
    """Return the path to each legal hex and box, with overruns and steps out of and into the boxes (1.13, SCS 6.3)."""
    return showing.path_preview(g, decision, beside=beside)


def beside(g: G, decision: Decision) -> dict[int, Step]:
    """Return the legal locations outside the reach of a stack, each with the highest cost of its units."""
    side, units = decision.side, decision.about
    here, left = g.state.where[units[0]], decision.reach.way.left
    costs = overrun.targets(g, side, units) | movement.box_steps(g, side, units)
    costs |= dict.fromkeys(movement.minimum_steps(g, side, units, decision.reach, AROUND[here]), left)
    costs = {at: cost for at, cost in costs.items() if g.place0 + at in decision.legal}
    return {at: Step(min(cost, left), max(0, left - cost), here) for at, cost in costs.items()}


def sheets(g: G, decision: Decision, click: int) -> Iterator[Sheet]:
    """Yield the attack, overrun, barrage or capture that a decision is about, or that a click would make."""
    if decision.kind in showing.DECLARING:
        yield from showing.combat_sheets(TEXTS, g, combat.DECLARATION, decision, click, options=_options)
    elif decision.kind == "combat.air" and g.state.attack is not None:
        battle = with_air(g, decision, g.state.attack, click)
        options = [
            _option(g, other, "1.10c", strength.preview(g, with_air(g, decision, battle, other)))
            for other in decision.legal
        ]
        yield TEXTS.sheet("This combat", battle.units, [battle.hex], strength.preview(g, battle), options)
    elif decision.kind == "barrage.target":
        yield from barrage_at(g, decision, click)
    elif decision.kind == "barrage.fire" and g.state.fire is not None:
        shot = changed(g, decision, g.state.fire, click)
        more = [other for other in air.buttons(g, decision.side) if air.points_of(g, other) > shot.air]
        options = [_option(g, other, "1.10b", barrage.preview(g, changed(g, decision, shot, other))) for other in more]
        if barrage.strength(g, shot):
            yield TEXTS.sheet("Barrage", shot.units, [shot.hex], barrage.preview(g, shot), options)
    elif decision.kind == "move.to" and click in decision.legal and g.place0 <= click < g.rules.first_button:
        yield from on_the_way(g, decision, g.location(click))


def with_air(g: G, decision: Decision, battle: Attack, click: int) -> Attack:
    """Return a combat with the air points of a button."""
    if click not in decision.legal or click < g.rules.first_button:
        return battle
    points = air.points_of(g, click)
    return battle._replace(air=points) if decision.side == battle.side else battle._replace(enemy_air=points)


def barrage_at(g: G, decision: Decision, click: int) -> Iterator[Sheet]:
    """Yield the barrage of a hex with all artillery in range; without any, with one air point."""
    if click in decision.legal and g.place0 <= click < g.rules.first_button:
        side, hex = decision.side, g.location(click)
        guns = barrage.in_range(g, side, hex)
        shot = Fire(side, tuple(guns), hex, 0 if guns else 1, int(barrage.aims(g, side, hex)[0]))
        yield TEXTS.sheet("Barrage", shot.units, [hex], barrage.preview(g, shot))


def changed(g: G, decision: Decision, shot: Fire, click: int) -> Fire:
    """Return a barrage as a click would make it."""
    if click not in decision.legal:
        return shot
    if g.is_unit(click):
        units = [unit for unit in shot.units if unit != click] if click in shot.units else [*shot.units, click]
        return shot._replace(units=tuple(units))
    word = g.rules.names[click]
    if word == "port":
        return shot._replace(port=1 - shot.port)
    return shot._replace(air=air.points_of(g, click)) if word in AIR_BUTTONS else shot


def on_the_way(g: G, decision: Decision, location: int) -> Iterator[Sheet]:
    """Yield the overrun of a hex, or the capture of the enemy dumps that a move enters (1.8, SCS 6.5)."""
    side, units = decision.side, decision.about
    if location >= HEXES:
        return
    if forces_in(g, 1 - side, location):
        battle = Attack(side, units, location)
        yield TEXTS.sheet("Overrun", units, [location], strength.preview(g, battle))
        return
    found = decision.reach
    entered = found.path(location) if found is not None and location in found else [location]
    for hex in entered:
        points = stock(g, 1 - side).get(hex, 0)
        if points:
            yield TEXTS.sheet("Capture of a dump", units, [hex], capture_odds(g, points))


def capture_odds(g: G, points: int) -> Odds:
    """Return the exact chances of the SPs captured from a dump (1.8)."""
    outcomes: dict[str, Fraction] = {}
    for cell, chance in g.table("capture").chances(0).items():
        text = f"captures {stocks.share(points, int(cell))} of {points}"
        outcomes[text] = outcomes.get(text, Fraction(0)) + chance
    return Odds((Term("SPs in the dump", str(points), "1.8"),), "capture", outcomes)


def _options(g: G, viewer: int, drafted: Combat, button: str) -> Iterator[SheetOption]:
    """Yield the effect of the attacker's air points (1.10c)."""
    battle = Attack(drafted.side, drafted.units, drafted.hexes[0])
    if strength.why_not_odds(g, battle) is None:
        for other in air.buttons(g, drafted.side)[1:]:
            yield _option(g, other, "1.10c", strength.preview(g, battle._replace(air=air.points_of(g, other))))


def _option(g: G, button: int, rule: str, odds: Odds) -> SheetOption:
    """Return the effect of the air points of a button (1.10b, 1.10c)."""
    return SheetOption(f"Commit {showing.counted(air.points_of(g, button), 'air point')}", rule, odds)


def in_words(outcome: str) -> str:
    """Return a code of the combat table in words; outcomes of barrages and captures are words already (SCS 9.1)."""
    return results.in_words(outcome) if outcome[0] in "AD" else ""


DISPLAY: Display[AfrikaState] = Display(
    turns=turns,
    face=face,
    outcome=in_words,
    tables=TEXTS.table["tables"],
    full=TEXTS.full,
    printed=TEXTS.printed,
    glossary=showing.glossary(DATA / "glossary.toml"),
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
