"""Artillery and barrage (1.12, 1.10b, SCS 7): before any attack of its Combat Phase a side fires at hexes with artillery and
air."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import NamedTuple

from khamsin.games.afrika import air, losses, ports, rommel
from khamsin.games.afrika.scenario import setting
from khamsin.games.afrika.units import (
    AIR_BUTTONS,
    ARTILLERY,
    BOARD,
    COMBAT,
    FIRED,
    FORCES,
    HEXES,
    SIDE,
    G,
    barrage,
    forces_in,
    name,
    on_map,
    out_of_supply,
)
from khamsin.kernel.rules import Decision, Odds, Procedure, Refusal, Term
from khamsin.mechanics.odds import Modifier, net

RANGE: int = COMBAT["artillery"]["range"]
AIR_VALUE: int = COMBAT["artillery"]["air"]
UNSUPPLIED = Fraction(COMBAT["supply"]["barrage"])
TROOPS, PORT = 1, 2
"""What of a hex has been barraged, in the amounts `barraged`."""


class Fire(NamedTuple):
    """Artillery units and air points of a side that barrage the units in a hex, or its port."""

    side: int
    units: tuple[int, ...]
    hex: int
    air: int = 0
    port: bool = False


def segment(g: G, side: int) -> Procedure:
    """The Barrage Segment: the side fires at as many hexes as it likes, each once, with any number of artillery units and air
    points (1.12, 1.12a, 1.12b, SCS 7.1)."""
    done = g.rules.button("done")
    while hexes := targets(g, side):
        click = yield g.ask(
            side, "barrage.target", "Choose a hex to barrage, or end the barrages", "1.12", locations=hexes, buttons=[done],
            top=True, why_not=why_not_chosen, can_act=lambda seen: guns(seen, side),
        )  # fmt: skip
        if click == done:
            return
        yield from aim(g, side, g.location(click))


def guns(g: G, side: int) -> list[int]:
    """The artillery of a side that can still fire (1.12a)."""
    return [unit for unit in FORCES[side] if why_silent(g, unit) is None]


def why_silent(g: G, unit: int) -> Refusal | None:
    """Why a unit does not fire: only artillery on the map does, and once in a segment (1.12, 1.12a)."""
    if not ARTILLERY[unit]:
        return Refusal(f"{name(unit)} cannot barrage: not artillery", "1.12", name(unit))
    if not on_map(g, unit):
        return Refusal(f"{name(unit)} cannot barrage: not on the map", "1.12", name(unit))
    if g.state.flags[unit] & FIRED:
        return Refusal(f"{name(unit)} has fired in this phase", "1.12a", name(unit))
    return None


def why_not_fired(g: G, unit: int, hex: int) -> Refusal | None:
    """Why a unit cannot fire at a hex: out of range, whatever lies between (1.5a, 1.5b, 1.12)."""
    refusal = why_silent(g, unit)
    if refusal is not None:
        return refusal
    label, distance = BOARD.name(hex), BOARD.distance(g.state.where[unit], hex)
    if distance > RANGE:
        return Refusal(f"{name(unit)} cannot barrage {label}: {distance} hexes away, range {RANGE}", "1.12", label)
    return None


def targets(g: G, side: int) -> list[int]:
    """The hexes that a side can barrage: their units or their port."""
    return [hex for hex in sorted({*g.state.where.stacks(1 - side), *ports.LIMITED}) if aims(g, side, hex)]


def aims(g: G, side: int, hex: int) -> list[bool]:
    """What can be barraged in a hex: its units (False), its port (True) (1.9f, 1.12b)."""
    found = [False] if why_not_target(g, side, hex) is None else []
    return [*found, True] if hex in ports.LIMITED and why_not_port(g, side, hex) is None else found


def why_not_port(g: G, side: int, hex: int) -> Refusal | None:
    """Why a port cannot be barraged: in a campaign an enemy port with a capacity is, once in a phase, apart from the units in
    its hex (1.9f, 1.12b, SCS 7.3)."""
    label = BOARD.name(hex)
    if setting(g).short:
        return Refusal(f"The port {label} cannot be barraged: ports have no capacity in short scenarios", "4.0", label)
    refusal = ports.why_not_damaged(g, side, hex)
    if refusal is not None:
        return refusal
    if g.state.barraged.get(hex, 0) & PORT:
        return Refusal(f"The port {label} has been barraged in this phase", "1.12b", label)
    if not air.left(g, side) and not in_range(g, side, hex):
        return Refusal(f"The port {label} cannot be barraged: no artillery in range, no air points left", "1.12", label)
    return None


def why_not_target(g: G, side: int, hex: int) -> Refusal | None:
    """A hex with enemy units is barraged once in a phase, within range of artillery or by air points (1.10a, 1.10b, 1.12b,
    SCS 7.3)."""
    label = BOARD.name(hex)
    if hex >= HEXES:
        return Refusal(f"{label} cannot be barraged: only hexes of the map are", "1.10a", label)
    if not forces_in(g, 1 - side, hex):
        return Refusal(f"{label} cannot be barraged: no enemy unit is there", "1.12", label)
    if g.state.barraged.get(hex, 0) & TROOPS:
        return Refusal(f"{label} has been barraged in this phase", "1.12b", label)
    if not air.left(g, side) and not in_range(g, side, hex):
        return Refusal(f"{label} cannot be barraged: no artillery in range, no air points left", "1.12", label)
    return None


def in_range(g: G, side: int, hex: int) -> list[int]:
    """The artillery of a side that can fire at a hex."""
    return [unit for unit in FORCES[side] if ARTILLERY[unit] and why_not_fired(g, unit, hex) is None]


def why_not_chosen(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a hex, or the hex of a unit, cannot be barraged."""
    if click >= g.rules.first_button:
        return None
    if g.is_unit(click) and SIDE[click] == decision.side:
        text = f"Choose the hex that {name(click)} barrages"
        return why_silent(g, click) or Refusal(text, "1.12", name(click))
    where = g.state.where[click] if g.is_unit(click) else g.location(click)
    if where < 0:
        return Refusal(f"{name(click)} cannot be barraged: not on the map", "1.10a", name(click))
    refusal = why_not_target(g, decision.side, where) if where not in ports.LIMITED else None
    if where in ports.LIMITED and not aims(g, decision.side, where):
        refusal = why_not_target(g, decision.side, where)
    label = BOARD.name(where)
    return refusal or Refusal(f"Choose the hex {label} to barrage its units", "1.12", label)


def aim(g: G, side: int, hex: int) -> Procedure:
    """All artillery in range is in the barrage; each unit can be removed. Air points are added with the order to fire (1.10b,
    1.12b)."""
    cancel, other, units = g.rules.button("cancel"), g.rules.button("port"), in_range(g, side, hex)
    kinds = aims(g, side, hex)
    at_port = kinds[0]
    while True:
        fires = [button for button in air.buttons(g, side) if units or air.points_of(g, button)]
        points, what = strength(g, Fire(side, tuple(units), hex)), "the port" if at_port else "units"
        click = yield g.ask(
            side, "barrage.fire", f"Barrage of {what} in {BOARD.name(hex)} with {points} points: choose air points, and fire",
            "1.10b", units=in_range(g, side, hex), buttons=[*fires, *([other] if len(kinds) > 1 else []), cancel], about=units,
            why_not=partial(why_not_joining, hex=hex),
        )  # fmt: skip
        if click == cancel:
            return
        if click == other:
            at_port = not at_port
        elif g.is_unit(click):
            units = [unit for unit in units if unit != click] if click in units else sorted([*units, click])
        else:
            yield from fire(g, Fire(side, tuple(units), hex, air.points_of(g, click), at_port))
            return


def why_not_joining(g: G, decision: Decision, click: int, hex: int) -> Refusal | None:
    """Why a unit cannot fire at the hex, or the barrage not be fired."""
    if g.is_unit(click):
        return why_not_fired(g, click, hex) if SIDE[click] == decision.side else None
    if click >= g.rules.first_button and g.rules.names[click] in AIR_BUTTONS:
        label = BOARD.name(hex)
        none = Refusal(f"The barrage of {label} has no points: add artillery or air points", "1.12", label)
        return air.why_not(g, decision.side, click) or none
    return None


def strength(g: G, fire: Fire) -> Fraction:
    """The barrage points: artillery, half out of supply, and 5 for each air point (1.10b, 1.12e, SCS 7.2, SCS 7.4)."""
    shares = [barrage(g, unit) * (UNSUPPLIED if out_of_supply(g, unit) else 1) for unit in fire.units]
    return Fraction(sum(shares)) + fire.air * AIR_VALUE


def shifts(g: G, fire: Fire) -> list[Modifier]:
    """What shifts a barrage to the left: terrain, cities, works, and that no unit of the side is next to the target (1.12c,
    1.15, SCS 12.3)."""
    if fire.port:
        return []  # 1.9f
    left, found = COMBAT["barrage"], []
    ground = BOARD.terrain_name(fire.hex)
    if ground in left:
        found.append(Modifier(ground, -left[ground], "1.12c"))
    for tag in ("minor-city", "major-city", "fortification"):
        if tag in BOARD.tags[fire.hex]:
            found.append(Modifier(tag.replace("-", " "), -left[tag], "1.15" if tag == "fortification" else "1.12c"))
    if g.state.box.get(fire.hex) == 1 - fire.side:
        found.append(Modifier("box", -left["box"], "1.16"))
    if not any(forces_in(g, fire.side, near) for near in BOARD.around(fire.hex)):
        found.append(Modifier("no unit of the firing side is adjacent", -left["alone"], "SCS 12.3"))
    return found


def column(g: G, fire: Fire) -> int:
    """The column of a barrage (SCS 7.5)."""
    table = g.table("barrage")
    return table.shift(table.column(strength(g, fire)), net(shifts(g, fire)))


def fire(g: G, shot: Fire) -> Procedure:
    """Roll a barrage on the units of a hex: its owner removes as many steps as the result says, no unit a second before all
    have lost one; nobody retreats. A result against a port lowers its capacity instead (1.9f, SCS 7.5, SCS 7.6, SCS 7.7)."""
    state, table = g.state, g.table("barrage")
    at = column(g, shot)
    for unit in shot.units:
        state.flags[unit] |= FIRED
    air.spend(g, shot.side, shot.air, shot.hex)
    state.barraged[shot.hex] = state.barraged.get(shot.hex, 0) | (PORT if shot.port else TROOPS)
    steps = int(table.roll(g.dice, at, 0, f"barrage of {BOARD.name(shot.hex)}"))
    if shot.port:
        ports.damage(g, shot.hex, steps)
        return
    g.log("SCS 7.6", "Barrage of {hex}: column {head}, {steps} steps", hex=shot.hex, head=table.head(at), steps=steps)
    yield from losses.lose(g, 1 - shot.side, forces_in(g, 1 - shot.side, shot.hex), steps, None, "SCS 7.6")
    yield from rommel.displace(g)


def preview(g: G, shot: Fire) -> Odds:
    """Every term of a barrage with its rule, the column and the exact chance of each number of steps."""
    table, at = g.table("barrage"), column(g, shot)
    terms = [Term(f"{name(unit)}, barrage", str(barrage(g, unit)), "1.12") for unit in shot.units]
    terms += [
        Term(f"{name(unit)} out of supply", f"x {UNSUPPLIED}", "1.12e") for unit in shot.units if out_of_supply(g, unit)
    ]
    if shot.air:
        terms.append(Term(f"{shot.air} air points", str(shot.air * AIR_VALUE), "1.10b"))
    terms += [modifier.term for modifier in shifts(g, shot)]
    chances = {f"{cell} steps": chance for cell, chance in table.chances(at).items()}
    return Odds(tuple(terms), table.head(at), chances)
