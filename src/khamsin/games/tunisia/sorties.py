"""Air missions of movement segments and interdiction (OCS 14.1, OCS 14.2, OCS 14.7): sweeps, base transfers, interdiction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from khamsin.games.tunisia import air, barrage
from khamsin.games.tunisia.air import FIGHTER, fight
from khamsin.games.tunisia.airbases import (
    BOX_OF,
    ENTRY,
    WINGS,
    bases,
    can_return,
    has_room,
    is_active,
    may_use,
    range_from,
)
from khamsin.games.tunisia.barrage import INTERDICTION
from khamsin.games.tunisia.ground import OUTSIDE
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.units import (
    BOARD,
    FINISHED,
    FLIGHT,
    HEXES,
    INACTIVE,
    RANGE,
    SIDE,
    G,
    aircraft_in,
    ends_move,
    name,
    tell,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Procedure, Refusal
from khamsin.mechanics.refusals import for_locations

LAND = [hex for hex in range(HEXES) if BOARD.enterable(hex)]
DOUBLE = 2
"""A transfer goes to twice the range (OCS 14.1)."""


# Fighter sweeps


def prey(g: G, side: int) -> list[int]:
    """Return the hexes with active enemy aircraft."""
    found = [at for at in bases(g, 1 - side) if at < HEXES and at not in OUTSIDE[setting(g).area]]
    return [at for at in found if any(is_active(g, unit) for unit in aircraft_in(g, 1 - side, at))]


def hunters(g: G, side: int, hex: int) -> list[int]:
    """Return the fighters of a side that can sweep a hex."""
    return [
        unit for unit in WINGS[side] if FIGHTER[unit] and air.why_grounded(g, unit) is None and in_range(g, unit, hex)
    ]


def in_range(g: G, unit: int, hex: int) -> bool:
    """Whether an aircraft can fly to a hex and back."""
    return range_from(g.state.where[unit], hex) <= RANGE[unit] and can_return(g, unit, hex)


def why_no_sweep(g: G, side: int) -> Refusal | None:
    """Return why a side cannot sweep now."""
    if g.state.weather != FLIGHT:
        return Refusal("No sweep is possible: the weather is No Flight", "OCS 15", "sweep")
    if not any(hunters(g, side, hex) for hex in prey(g, side)):
        return Refusal(
            "No sweep is possible: no active enemy aircraft in range of an active fighter", "OCS 14.2", "sweep"
        )
    return None


def why_not_swept(g: G, side: int, hex: int) -> Refusal | None:
    """Return why a hex cannot be swept (OCS 14.2)."""
    label = BOARD.name(hex)
    if hex not in prey(g, side):
        return Refusal(f"{label} cannot be swept: no active enemy aircraft there", "OCS 14.2", label)
    if not hunters(g, side, hex):
        return Refusal(f"{label} cannot be swept: no active fighter in range", "OCS 14.1", label)
    return None


def sweep(g: G, side: int) -> Procedure:
    """One fighter engages active aircraft in a hex; win or lose it ends inactive (OCS 14.2, OCS 14.3)."""
    cancel = g.rules.button("cancel")
    hexes = [hex for hex in prey(g, side) if why_not_swept(g, side, hex) is None]
    click = yield g.ask(
        side, "air.sweep", f"Choose a base to sweep{ends_move(g, side)}", "OCS 14.2", locations=hexes, buttons=[cancel],
        why_not=for_locations(why_not_swept, side),
    )  # fmt: skip
    if click == cancel:
        return
    hex, home = g.location(click), NOWHERE
    while True:
        back = f" and returns to {BOARD.name(home)}" if home != NOWHERE else ""
        click = yield g.ask(
            side, "air.fighter", f"Choose the fighter that sweeps {BOARD.name(hex)}{back}, or first its base", "OCS 14.2",
            maybe=[*hunters(g, side, hex), *air.home_clicks(g, side, home)], buttons=[cancel],
            why_not=partial(_why_not_hunter, hex=hex, home=home),
        )  # fmt: skip
        if click == cancel:
            return
        if g.is_unit(click):
            break
        home = NOWHERE if g.location(click) == home else g.location(click)
    g.reveal()
    g.log("OCS 14.2", "{unit} sweeps {hex}", unit=click, hex=hex)
    enemies = [unit for unit in aircraft_in(g, 1 - side, hex) if is_active(g, unit)]
    left = yield from fight(g, side, [click], enemies, hex)
    for unit in left:
        air.come_home(g, unit, hex, home)


def _why_not_hunter(g: G, decision: Decision, click: int, hex: int, home: int) -> Refusal | None:
    if click >= g.rules.first_button:
        return None
    if not g.is_unit(click):
        return air.why_not_home(g, decision.side, hunters(g, decision.side, hex), hex, g.location(click), home)
    if SIDE[click] != decision.side or click in hunters(g, decision.side, hex):
        return None
    who = name(click)
    if not FIGHTER[click]:
        return Refusal(f"{who} cannot sweep: it is not a fighter", "OCS 14.2", who)
    return air.why_grounded(g, click) or Refusal(f"{who} cannot sweep {BOARD.name(hex)}: out of range", "OCS 14.1", who)


# Base transfers


def homes(g: G, unit: int) -> list[int]:
    """Return the bases to which an aircraft can transfer: within twice its range, with room if it stays active
    (OCS 14.1)."""
    return [base for base in bases(g, SIDE[unit]) if why_not_transferred(g, unit, base) is None]


def stays_active(g: G, unit: int, base: int) -> bool:
    """Whether an aircraft is active after a transfer: a fighter within its range (OCS 14.1)."""
    return FIGHTER[unit] and distance(g.state.where[unit], base) <= RANGE[unit]


def distance(base: int, other: int) -> int:
    """Return the hexes between two bases, boxes by their Air Entry Points; from box to box over the map (1.1c)."""
    if base >= HEXES and other >= HEXES:
        entries = [cost[BOX_OF[base]] + range_from(other, hex) for hex, cost in ENTRY.items() if BOX_OF[base] in cost]
        return 0 if BOX_OF[base] == BOX_OF[other] else min(entries)
    return range_from(other, base) if other >= HEXES else range_from(base, other)


def why_not_transferred(g: G, unit: int, base: int) -> Refusal | None:
    """Return why an aircraft cannot transfer to a base (3.3a, OCS 14.1)."""
    who, label = name(unit), BOARD.name(base)
    if base not in bases(g, SIDE[unit]):
        return Refusal(f"{who} cannot transfer to {label}: not a base of yours", "OCS 14.1", label)
    if base == g.state.where[unit] or (base in BOX_OF and BOX_OF[base] == BOX_OF.get(g.state.where[unit])):
        return Refusal(f"{who} is in {label}; the bases of a box count as one", "1.5c", label)
    if not may_use(g, unit, base):
        return Refusal(f"{who} cannot transfer to {label}: the Desert Air Force stays in Tripoli", "3.3a", label)
    far = distance(g.state.where[unit], base)
    if far > DOUBLE * RANGE[unit]:
        return Refusal(
            f"{who} cannot transfer to {label}: {far} hexes, twice its range is {DOUBLE * RANGE[unit]}",
            "OCS 14.1",
            label,
        )
    if stays_active(g, unit, base) and not has_room(g, SIDE[unit], base):
        return Refusal(f"{who} cannot transfer to {label}: the base is full", "OCS 14.1", label)
    return None


def movers(g: G, side: int) -> list[int]:
    """Return the aircraft that can transfer."""
    return [unit for unit in air.active(g, side) if g.state.weather == FLIGHT and homes(g, unit)]


def why_no_transfer(g: G, side: int) -> Refusal | None:
    """Return why no aircraft of a side can transfer now."""
    if g.state.weather != FLIGHT:
        return Refusal("No transfer is possible: the weather is No Flight", "OCS 15", "transfer")
    if not any(homes(g, unit) for unit in air.active(g, side)):
        return Refusal("No transfer is possible: no active aircraft with another base in range", "OCS 14.1", "transfer")
    return None


def transfer(g: G, side: int) -> Procedure:
    """An aircraft changes its base; in an enemy patrol zone it may be intercepted and meets flak (OCS 14.1, OCS 14.4,
    OCS 14.5)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "air.transfer", f"Choose an aircraft to transfer{ends_move(g, side)}", "OCS 14.1",
        units=movers(g, side), buttons=[cancel],
        why_not=_why_not_mover,
    )  # fmt: skip
    if click == cancel:
        return
    unit = click
    click = yield g.ask(
        side, "air.base", f"Choose the new base of {name(unit)}", "OCS 14.1", locations=homes(g, unit), buttons=[cancel],
        about=[unit], why_not=for_locations(why_not_transferred, unit),
    )  # fmt: skip
    if click == cancel:
        return
    base = g.location(click)
    if base < HEXES and air.patrolling(g, 1 - side, base):
        g.reveal()
        left = yield from air.approach(g, air.Mission(side, (unit,), base, "transfer"))
        if not left:
            return
    g.state.flags[unit] |= FINISHED if stays_active(g, unit, base) else INACTIVE  # one mission per phase
    g.state.where[unit] = base
    tell(g, side, "OCS 14.1", "{unit} transfers to {hex}", "An aircraft transfers to {hex}", unit=unit, hex=base)


def _why_not_mover(g: G, decision: Decision, click: int) -> Refusal | None:
    if click in decision.legal:
        return None
    if not g.is_unit(click) or SIDE[click] != decision.side:
        return None
    who = name(click)
    return air.why_grounded(g, click) or Refusal(f"{who} cannot transfer: no other base in range", "OCS 14.1", who)


# Interdiction


def lanes(g: G, side: int) -> list[int]:
    """Return the land hexes that aircraft of a side can interdict: in the area, not interdicted yet, in range
    (OCS 14.7)."""
    ready = [unit for unit in air.active(g, side) if barrage.points(g, unit)]
    if g.state.weather != FLIGHT or not ready:
        return []
    return [hex for hex in LAND if is_lane(g, side, ready, hex)]


def is_lane(g: G, side: int, ready: Sequence[int], hex: int) -> bool:
    """Whether one of these aircraft can interdict a hex."""
    state = g.state
    if hex in state.barraged or hex in state.interdicted or hex in OUTSIDE[setting(g).area]:
        return False
    return any(in_range(g, unit, hex) for unit in ready)


def why_not_interdicted(g: G, side: int, hex: int, ready: Sequence[int] | None = None) -> Refusal | None:
    """Return why a hex cannot be interdicted (OCS 8(2), OCS 14.7). `ready` are the aircraft that can, if they are
    known."""
    label = BOARD.name(hex)
    ready = [unit for unit in air.active(g, side) if barrage.points(g, unit)] if ready is None else ready
    if g.state.weather == FLIGHT and hex < HEXES and BOARD.enterable(hex) and is_lane(g, side, ready, hex):
        return None
    if hex >= HEXES or not BOARD.enterable(hex):
        return Refusal(f"{label} cannot be interdicted: not land", "OCS 14.7", label)
    if hex in OUTSIDE[setting(g).area]:
        return Refusal(f"{label} cannot be interdicted: outside the area", f"Scenario {setting(g).number}", label)
    if hex in g.state.interdicted:
        return Refusal(f"{label} is already interdicted", "OCS 14.7", label)
    if hex in g.state.barraged:
        return Refusal(f"{label} has already been barraged in this phase", "OCS 8(2)", label)
    return Refusal(f"{label} cannot be interdicted: no active aircraft flies there and back", "OCS 14.1", label)


def why_no_interdiction(g: G, side: int) -> Refusal | None:
    """Return why a side cannot interdict now."""
    if g.state.weather != FLIGHT:
        return Refusal("No interdiction is possible: the weather is No Flight", "OCS 15", "interdict")
    if not any(barrage.points(g, unit) for unit in air.active(g, side)):
        return Refusal(
            "No interdiction is possible: none of your aircraft with a barrage strength is active",
            "OCS 14.7",
            "interdict",
        )
    return None


def interdict(g: G, side: int) -> Procedure:
    """Attack a hex with aircraft on the facility table; an S marks it until the enemy's next Clean Up (OCS 14.7)."""
    cancel = g.rules.button("cancel")
    ready = tuple([unit for unit in air.active(g, side) if barrage.points(g, unit)])
    click = yield g.ask(
        side, "air.interdict", "Choose a hex to interdict", "OCS 14.7", maybe=range(g.place0, g.place0 + HEXES),
        buttons=[cancel], why_not=for_locations(partial(why_not_interdicted, ready=ready), side),
    )  # fmt: skip
    if click != cancel:
        yield from air.plan(g, side, g.location(click), target=INTERDICTION)


# The air barrage segment


def segment(g: G, side: int) -> Procedure:
    """An air barrage segment: missions one after the other. What they bomb counts against the limit of the whole phase (OCS 2,
    OCS 8(2), OCS 14.2)."""
    done, cut = g.rules.button("done"), g.rules.button("interdict")
    while True:
        stop = why_no_interdiction(g, side)
        if stop is not None and not air.has_target(g, side):
            break
        click = yield g.ask(
            side, "air.target", "Choose a hex to bomb, or end the air missions", "OCS 14.6",
            maybe=[g.place0 + hex for hex in air.places(g, side)], buttons=[done, *([cut] if stop is None else [])],
            blocked=[cut] if stop is not None else [], top=True,
            why_not=why_not_chosen, can_act=lambda seen: [u for u in WINGS[side] if is_active(seen, u)],
        )  # fmt: skip
        if click == done:
            break
        if click == cut:
            yield from interdict(g, side)
        else:
            yield from air.plan(g, side, g.location(click))


def why_not_chosen(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a hex, or the hex of a unit, cannot be bombed."""
    if click >= g.rules.first_button:
        return why_no_interdiction(g, decision.side) if g.rules.names[click] == "interdict" else None
    if g.is_unit(click) and SIDE[click] == decision.side:
        return air.why_grounded(g, click) or Refusal(
            f"Choose the hex that {name(click)} bombs", "OCS 14.6", name(click)
        )
    where = g.state.where[click] if g.is_unit(click) else g.location(click)
    if where < 0:
        return Refusal(f"{name(click)} cannot be bombed: not on the map", "OCS 14.6", name(click))
    refusal = air.why_not_target(g, decision.side, where)
    if refusal is not None or not g.is_unit(click):
        return refusal
    return Refusal(f"Choose the hex {BOARD.name(where)} to bomb it", "OCS 14.6", BOARD.name(where))
