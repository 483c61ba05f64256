"""The phases of the campaign that the short scenarios lack (1.1): new supply, Malta, exchanges, Rommel's recall, the raid."""

from __future__ import annotations

from khamsin.games.afrika import air, boxes, building, dumps, feeding, ports, reinforcement, replacements, rommel
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.units import (
    AIR_BUTTONS,
    ALEXANDRIA,
    ALLIED,
    AXIS,
    DEAD,
    HECKER,
    JOINING,
    LRDG,
    NUMBER,
    OUT,
    ROMMEL,
    SCHEDULE,
    SIDES,
    SUPPLY,
    TRACK,
    TRIPOLI,
    G,
    forces_in,
    name,
    on_map,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.showing import counted

MALTA, RECEIVED, EXCHANGED, DRAWN, BUILT = "malta", "received", "exchanged", "drawn", "built"
"""The finished steps of a phase."""
MODIFIERS: list[int] = SUPPLY["malta"]["modifier"]
SAN_MARCO, LEHR = NUMBER[SCHEDULE["hecker"]["replaces"]], NUMBER[SCHEDULE["lehr"]["unit"]]
RAMCKE = NUMBER[SCHEDULE["lehr"]["leaves_with"]]
RAID_REMOVES, RAID_INJURES = SCHEDULE["rommel"]["raid"]


def initialization(g: G, side: int) -> Procedure:
    """The Initialization Phase of a campaign: air points and truck points of the turn; none are saved (1.1, 1.7, 1.10)."""
    yield from air.initialization(g, side)
    number = SCHEDULE["trucks"][SIDES[side].lower()][g.state.turn - 1]
    if side == AXIS and has_trento_trucks(g):
        number += SCHEDULE["trucks"]["trento"]
    g.state.trucks[SIDES[side]] = number
    g.log("1.7", "{side} has {points}", side=side, points=counted(number, "truck point"))


def has_trento_trucks(g: G) -> bool:
    """Whether the Trento Truck option is in play: chosen before the first campaign, taken in the second (2.5, 5.2)."""
    return setting(g).trento_taken or g.options.get("trento") == "trucks"


def reinforcement_phase(g: G, side: int) -> Procedure:
    """The six steps of the Reinforcement Phase: Malta, new SPs, shipping and ports, arrivals, variable reinforcements, Rommel's
    roll. Units that arrive capture an enemy dump at Alexandria (1.1, 1.8)."""
    todo = g.state.todo
    if side == AXIS and MALTA not in todo:
        yield from suppress_malta(g)
        todo[MALTA] = 1
    if RECEIVED not in todo:
        receive(g, side)
        ports.roll(g, side)
        arrive(g, side)
        todo[RECEIVED] = 1
    if side == ALLIED and forces_in(g, side, ALEXANDRIA):
        yield from dumps.capture(g, side, ALEXANDRIA)
    if side == AXIS and EXCHANGED not in todo:
        yield from exchange(g)
        todo[EXCHANGED] = 1
    if DRAWN not in todo:
        todo[DRAWN] = 1
        todo[replacements.STEPS_LEFT] = replacements.variable(g, side)
    yield from replacements.withdraw(g, side)
    yield from replacements.replace(g, side)
    if side == AXIS:
        recall(g)
    todo.clear()


def supply_phase(g: G, side: int) -> Procedure:
    """The Supply Phase of a campaign: boxes are built, then units are supplied for SPs, and the others suffer (1.1,
    SCS 11.1)."""
    todo = g.state.todo
    if BUILT not in todo:
        yield from building.build(g, side)
        todo[BUILT] = 1
    yield from feeding.feed(g, side)
    todo.clear()


# Supply arrival (1.9, 2.6, 3.2)


def suppress_malta(g: G) -> Procedure:
    """The Axis may assign up to four air points to Malta, which are spent for the turn (2.6)."""
    most = min(air.left(g, AXIS), len(MODIFIERS) - 1)
    g.state.malta = 0
    if not most:
        return
    click = yield g.ask(
        AXIS, "malta.air", f"Choose air points for Malta, {most} at most", "2.6",
        buttons=[g.rules.button(word) for word in AIR_BUTTONS[: most + 1]], top=True, why_not=why_not_malta,
    )  # fmt: skip
    number = air.points_of(g, click)
    g.state.air[SIDES[AXIS]] -= number
    g.state.malta = number
    g.log("2.6", "{side} assigns {points} to Malta", side=AXIS, points=counted(number, "air point"))


def why_not_malta(g: G, decision: Decision, click: int) -> Refusal | None:
    """At most four air points, of those that are left (1.10, 2.6)."""
    if click < g.rules.first_button or g.rules.names[click] not in AIR_BUTTONS:
        return None
    most = len(MODIFIERS) - 1
    if air.points_of(g, click) > most:
        return Refusal(
            f"Axis cannot assign {air.points_of(g, click)} air points to Malta: {most} at most", "2.6", "Malta"
        )
    return air.why_not(g, AXIS, click)


def receive(g: G, side: int) -> None:
    """New SPs: the Axis rolls with the modifier of Malta for those in the Tripoli Box; the Allies have a fixed number at
    Alexandria, if it is theirs (1.9, 2.6, 2.7, 3.2)."""
    if side == AXIS:
        modifier = MODIFIERS[g.state.malta]
        number, where = int(g.table("axis_supply").roll(g.dice, 0, modifier, "Axis supply")), TRIPOLI
    else:
        number, where = SCHEDULE["allied_supply"]["points"][g.state.turn - 1], ALEXANDRIA
        if g.state.control.get(ALEXANDRIA) != ALLIED:
            number = 0
    dumps.add(g, side, where, number)
    g.log("1.9", "{points} {points:arrives|arrive} in {hex}", points=dumps.in_words(number), hex=where)


def arrive(g: G, side: int) -> None:
    """The units of the order of arrival appear in the Tripoli Box or at Alexandria; units due while Alexandria is Axis
    are eliminated. Rommel arrives and returns in the Tripoli Box (2.4, 2.7, 2.10, 3.2, Axis Order of Arrival, Allied
    Order of Arrival)."""
    for unit in reinforcement.due(g, side):
        if side == ALLIED and g.state.control.get(ALEXANDRIA) != ALLIED:
            g.state.where[unit] = OUT
            g.log_loss("3.2", "{unit} is eliminated: Alexandria is not Allied", unit=unit)
            continue
        reinforcement.place(g, side, [unit], setting(g).arrivals[unit].entry[0])
        if unit == RAMCKE:
            g.state.where[LEHR] = OUT
            g.log("2.9", "{unit} leaves the game", unit=LEHR)
            boxes.remove_empty(g)
    if side == AXIS and g.state.where[ROMMEL] == TRACK and 0 < g.state.rommel_returns <= g.state.turn:
        g.state.where[ROMMEL] = TRIPOLI
        g.state.rommel_returns = g.state.turn
        g.log("2.4", "{unit} arrives in {hex}", unit=ROMMEL, hex=TRIPOLI)


def exchange(g: G) -> Procedure:
    """On turn 21 the Axis may exchange the San Marco Marines for KG Hecker, which takes their place, or if they are
    eliminated appears in the Tripoli Box (2.8)."""
    if why_not_exchanged(g) is not None:
        return
    done = g.rules.button("done")
    click = yield g.ask(
        AXIS, "exchange.unit", f"Choose {name(HECKER)} to exchange it for {name(SAN_MARCO)}, or end the exchange", "2.8",
        units=[HECKER], buttons=[done], top=True, why_not=why_not_exchange_click,
    )  # fmt: skip
    if click == HECKER:
        where = g.state.where[SAN_MARCO]
        g.state.where[HECKER] = TRIPOLI if where == DEAD[AXIS] else where
        g.state.where[SAN_MARCO] = OUT
        g.log("2.8", "{unit} replaces {unit_old}", unit=HECKER, unit_old=SAN_MARCO)


def why_not_exchanged(g: G) -> Refusal | None:
    """The exchange is made on turn 21, with San Marco in play or eliminated (2.8)."""
    where = g.state.where[SAN_MARCO]
    if g.state.turn != SCHEDULE["hecker"]["turn"]:
        return Refusal(f"{name(HECKER)} appears on turn {SCHEDULE['hecker']['turn']} only", "2.8", name(HECKER))
    if where in (NOWHERE, OUT, TRACK) or g.state.where[HECKER] not in (NOWHERE, OUT):
        return Refusal(f"{name(SAN_MARCO)} cannot be exchanged: not in the game", "2.8", name(SAN_MARCO))
    return None


def why_not_exchange_click(g: G, decision: Decision, click: int) -> Refusal | None:
    """Only KG Hecker is exchanged."""
    other = g.is_unit(click) and click != HECKER
    return Refusal(f"{name(click)} cannot be exchanged: choose {name(HECKER)}", "2.8", name(click)) if other else None


# Rommel (2.4, 3.5)


def recall(g: G) -> None:
    """Each turn after his arrival Rommel is recalled on a roll of 4 or less, and returns on the next turn (2.4)."""
    state = g.state
    here = on_map(g, ROMMEL) or state.where[ROMMEL] in (TRIPOLI, JOINING)
    if not here or state.rommel_returns == state.turn:
        return
    if g.dice.two("Rommel's recall", "2.4") <= SCHEDULE["rommel"]["recalled"]:
        send_away(g, state.turn + 1, "2.4")


def send_away(g: G, turn: int, rule: str) -> None:
    """Rommel leaves the map until a turn."""
    g.state.where[ROMMEL] = TRACK
    g.state.rommel_returns = turn
    g.log(rule, "{unit} leaves the map until turn {turn_back}", unit=ROMMEL, turn_back=turn)


def why_not_raid(g: G) -> Refusal | None:
    """The LRDG may raid Rommel once in a match, in an Allied Movement Phase, while both are on the map (3.5)."""
    if g.state.raided:
        return Refusal("The raid on Rommel has been made", "3.5", name(LRDG))
    if not on_map(g, LRDG):
        return Refusal(f"{name(LRDG)} cannot raid: not on the map", "3.5", name(LRDG))
    if not rommel.is_present(g):
        return Refusal("Rommel cannot be raided: not on the map", "3.5", name(ROMMEL))
    return None


def raid(g: G) -> None:
    """The LRDG is eliminated; a 6 removes Rommel for good, a 5 for three turns (3.5)."""
    state = g.state
    state.raided = 1
    state.where[LRDG], state.steps[LRDG] = DEAD[ALLIED], 0
    face = g.dice.roll("raid on Rommel", "3.5")
    g.log("3.5", "{unit} raids Rommel: {face}", unit=LRDG, face=face)
    boxes.remove_empty(g)
    if face == RAID_REMOVES:
        state.where[ROMMEL] = OUT
        g.log_loss("3.5", "{unit} is captured or killed", unit=ROMMEL)
    elif face == RAID_INJURES:
        send_away(g, state.turn + SCHEDULE["rommel"]["injured"], "3.5")
