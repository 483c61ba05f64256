"""Reinforcement and replacement (13): points, withdrawals, reinstatements, arrivals, replacements, reinforced units.

Options (13.5) and dismounting (13.6) have modules of their own.
"""

from __future__ import annotations

from khamsin.games.paa import dismount, malta, options
from khamsin.games.paa.setup import ARRIVAL, DUE, SCHEDULE, TURNS, base_hexes
from khamsin.games.paa.units import (
    ALL,
    ALLIED,
    ARMOURED,
    AXIS,
    BASE,
    CADRE,
    CF,
    COUNTERS,
    DEPOT,
    DEPOTS,
    GERMAN,
    LORRY,
    PLUS,
    POOL,
    REGULAR_SPAN,
    REGULARS,
    REINFORCED,
    SIDE,
    SPAN,
    WITHDRAWN,
    G,
    cf,
    name,
    on_map,
)
from khamsin.kernel.rules import Procedure

KINDS = ("infantry", "armoured")
KIND = [KINDS[armoured] for armoured in ARMOURED]
"""The kind of every unit, which points, withdrawals and reinstatements tell apart (2.3.1)."""
NATIONS = (("German", "Italian"), ("Allied",))
POINTS = [
    f"{'Allied' if SIDE[unit] == ALLIED else 'German' if GERMAN[unit] else 'Italian'} {KIND[unit]}"
    for unit in range(len(COUNTERS))
]
"""Which points rebuild or reinforce every unit (13.3.1)."""
KEEP: int = SCHEDULE["points"]["keep"]
CAP = {
    kind: [
        max((row["cf"] for row in SCHEDULE["cap"] if row["kind"] == kind and row["turn"] <= turn), default=0)
        for turn in range(TURNS + 1)
    ]
    for kind in KINDS
}
"""How strong reinforcement may make a unit of each kind, turn by turn (13.4)."""


def reinforcement(g: G, side: int) -> Procedure:
    """The whole phase: points, withdrawals, reinstatements, then arrivals and whatever the side wants besides (13)."""
    if not g.state.todo.get("begun"):
        begin(g, side)
    if side == ALLIED:
        yield from withdraw(g)
        if g.state.result is not None:
            return
        yield from reinstate(g)
    yield from receive(g, side)
    finish(g, side)


def begin(g: G, side: int) -> None:
    """Points come in, and what this turn demands is noted (13)."""
    state = g.state
    state.todo["begun"] = 1
    receive_points(g, side)
    if side == ALLIED:
        for action in ("withdraw", "reinstate"):
            for row in SCHEDULE[action]:
                if row["turn"] == state.turn:
                    state.todo.update({f"{action} {kind}": row[kind] for kind in KINDS if kind in row})
    barred = side == AXIS and state.malta == malta.FAILURE
    if not (barred and state.turn in SCHEDULE["installations"]["none_after_failed_malta"]):
        state.todo["installation"] = SCHEDULE["installations"]["each_turn"]


def receive_points(g: G, side: int) -> None:
    """The replacement points of this turn, by kind and nation (13.3.1)."""
    for nation in NATIONS[side]:
        for kind in KINDS:
            points = f"{nation} {kind}"
            number = SCHEDULE["points"][points][g.state.turn - 1]
            if number:
                g.state.points[points] = g.state.points.get(points, 0) + number
                g.log("13.3.1", "{number} {points} RP received", number=number, points=points)


def withdraw(g: G) -> Procedure:
    """The Allies give up units from their base, or the Cadre where allowed; failing that the Axis picks any on the map, and
    with none at all the Allies have lost (13.2.3)."""
    todo = g.state.todo
    for kind in KINDS:
        while due := todo.get(f"withdraw {kind}", 0):
            chooser, units = ALLIED, at_hand(g, kind)
            if not units:
                chooser, units = AXIS, [u for u in REGULARS[ALLIED] if KIND[u] == kind and on_map(g, u)]
            if not units:
                g.end(AXIS, "decisive", f"the Allies have no {kind} unit left to withdraw", "13.2.3")
                return
            unit = units[0]
            if len(units) > due:
                unit = yield g.ask(
                    chooser,
                    "reinforcement.withdraw",
                    f"Which Allied {kind} unit is withdrawn?",
                    "13.2.3",
                    units=units,
                    top=True,
                )
            options.send_away(g, unit, "13.2.3")
            todo[f"withdraw {kind}"] = due - 1


def at_hand(g: G, kind: str) -> list[int]:
    """The units the Allies may withdraw: in the base, and in the Cadre where the schedule allows it (13.2.3)."""
    places = set(BASE[ALLIED])
    if any(row["cadre"] for row in SCHEDULE["withdraw"] if row["turn"] == g.state.turn):
        places.add(CADRE[ALLIED])
    where = g.state.where
    return [u for u in REGULARS[ALLIED] if where[u] in places and KIND[u] == kind]


def reinstate(g: G) -> Procedure:
    """Withdrawn or eliminated units of the kind named come back without points (13.2.4)."""
    state = g.state
    for kind in KINDS:
        while due := state.todo.get(f"reinstate {kind}", 0):
            units = [u for u in REGULARS[ALLIED] if state.where[u] in (WITHDRAWN, CADRE[ALLIED]) and KIND[u] == kind]
            if not units:
                del state.todo[f"reinstate {kind}"]
                break
            unit = units[0]
            if len(units) > due:
                unit = yield g.ask(
                    ALLIED,
                    "reinforcement.reinstate",
                    f"Which {kind} unit is reinstated?",
                    "13.2.4",
                    units=units,
                    top=True,
                )
            g.log("13.2.4", "{unit} is reinstated", unit=unit)
            state.todo[f"reinstate {kind}"] = due - 1
            state.where[unit] = ARRIVAL[ALLIED][state.turn]
            yield from arrive(g, unit, "13.2.4")


def receive(g: G, side: int) -> Procedure:
    """Units due come first, as far as the base has room; then an installation, replacements, reinforcement and trucks in any
    order, until the side is done (13.1, 13.2, 13.3.2, 13.4, 13.5, 13.6)."""
    button = g.rules.button
    done, afoot, mounted = button("done"), button("dismount"), button("remount")
    while True:
        letters = options.available(g, side)
        buttons = [button(f"option {letter}") for letter in letters]
        units = arrivals(g, side)
        forced = len(units) == 1 and not buttons
        if units:
            prompt = "Which unit arrives?"
        else:
            prompt = "Rebuild or reinforce units, place an installation, or end the phase"
            units = [*installation(g, side), *replacements(g, side), *reinforceable(g, side)]
            if dismount.can_dismount(g, side):
                buttons.append(afoot)
            if dismount.can_remount(g, side):
                buttons.append(mounted)
            if not units and not buttons:
                return
            buttons.append(done)
        click = (
            units[0]
            if forced
            else (yield g.ask(side, "reinforcement.unit", prompt, "13", units=units, buttons=buttons, top=True))
        )
        if click == done:
            return
        if click == afoot:
            yield from dismount.dismount(g, side)
        elif click == mounted:
            yield from dismount.remount(g, side)
        elif not g.is_unit(click):
            yield from options.exercise(g, side, letters[buttons.index(click)])
        elif on_map(g, click):
            reinforce(g, click)
        elif g.state.where[click] == CADRE[side]:
            yield from rebuild(g, click)
        elif DEPOT[click]:
            g.state.todo["installation"] -= 1
            yield from arrive(g, click, "13.2.1")
        else:
            yield from arrive(g, click, "13.2.2" if LORRY[click] else "13.2")


def arrivals(g: G, side: int) -> list[int]:
    """Units and lorries that are due, now or since earlier turns, and find room (13.1, 13.2, 13.2.2)."""
    where, turn, boxes = g.state.where, g.state.turn, DUE[side]
    due = [piece for piece, at in zip(ALL[side], where[SPAN[side]], strict=True) if at in boxes and boxes[at] <= turn]
    if not due:
        return due
    units = [piece for piece in due if not LORRY[piece]]
    lorries = [piece for piece in due if LORRY[piece]]
    return [
        *(units if units and base_hexes(g, side, units[0]) else ()),
        *(lorries if lorries and base_hexes(g, side, lorries[0]) else ()),
    ]


def installation(g: G, side: int) -> list[int]:
    """The supply installation of this turn, if one is in stock and a base hex has none (2.3.2, 13.2.1)."""
    if not g.state.todo.get("installation"):
        return []
    stock = [depot for depot in DEPOTS[side] if g.state.where[depot] == POOL[side]]
    return stock[:1] if stock and base_hexes(g, side, stock[0]) else []


def replacements(g: G, side: int) -> list[int]:
    """Units in the Cadre that the points suffice to rebuild and the base has room for (13.3.2)."""
    points, places = g.state.points, zip(REGULARS[side], g.state.where[REGULAR_SPAN[side]], strict=True)
    lost = [u for u, at in places if at == CADRE[side] and CF[u] <= points.get(POINTS[u], 0)]
    return lost if lost and base_hexes(g, side, lost[0]) else []


def rebuild(g: G, unit: int) -> Procedure:
    """Pay a unit's CF in points of its kind and nation, and let it arrive (13.3.2)."""
    g.state.points[POINTS[unit]] -= CF[unit]
    g.log("13.3.2", "{unit} is rebuilt for {cost} {points} RP", unit=unit, cost=CF[unit], points=POINTS[unit])
    yield from arrive(g, unit, "13.3.2")


def reinforceable(g: G, side: int) -> list[int]:
    """Allied units in the base that points can make stronger this turn, out of supply or command or not (13.4)."""
    if side == AXIS:
        return []
    state, base = g.state, frozenset(BASE[ALLIED])
    places = zip(REGULARS[ALLIED], state.where[REGULAR_SPAN[ALLIED]], strict=True)
    return [
        u
        for u, at in places
        if at in base
        and state.plus[u] < PLUS[u]
        and cf(g, u) < CAP[KIND[u]][state.turn]
        and state.points.get(POINTS[u], 0) > 0
    ]


def reinforce(g: G, unit: int) -> None:
    """One point of its kind makes an Allied unit stronger by 1 CF (13.4)."""
    g.state.points[POINTS[unit]] -= 1
    g.state.plus[unit] += 1
    g.log("13.4", "{unit} is reinforced to {cf} CF", unit=unit, cf=cf(g, unit))


def arrive(g: G, piece: int, rule: str) -> Procedure:
    """A piece comes to a hex of its base that its owner chooses; without room it waits (13.1)."""
    side = SIDE[piece]
    hexes = base_hexes(g, side, piece)
    if not hexes:
        return
    hex = hexes[0]
    if len(hexes) > 1:
        hex = g.location(
            (yield g.ask(side, "reinforcement.to", f"Where does {name(piece)} arrive?", "13.1", locations=hexes))
        )
    g.state.where[piece] = hex
    g.state.flags[piece] = REINFORCED
    g.log(rule, "{unit} arrives in {hex}", unit=piece, hex=hex)


def finish(g: G, side: int) -> None:
    """Points beyond ten of a kind are lost, and so are options whose last turn this was (2.1.4, 13.3.1, 13.5)."""
    points = g.state.points
    for nation in NATIONS[side]:
        for kind in KINDS:
            held = f"{nation} {kind}"
            if points.get(held, 0) > KEEP:
                g.log("13.3.1", "{number} {points} RP lost", number=points[held] - KEEP, points=held)
                points[held] = KEEP
    options.remove_expired(g, side)
    g.state.todo.clear()
