"""Artillery and barrage (1.12, 1.10b, SCS 7): before any attack of its Combat Phase a side fires at hexes with artillery and
air."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import floor

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
    PORTS,
    SIDE,
    Fire,
    G,
    barrage,
    forces_in,
    name,
    on_map,
    out_of_supply,
)
from khamsin.kernel.rules import Decision, Odds, Procedure, Refusal, Term
from khamsin.mechanics.odds import Modifier, net, written
from khamsin.mechanics.showing import counted

RANGE: int = COMBAT["artillery"]["range"]
AIR_VALUE: int = COMBAT["artillery"]["air"]
UNSUPPLIED = Fraction(COMBAT["supply"]["barrage"])
TROOPS, PORT = 1, 2
"""The part of a hex that has been barraged, in the amounts `barraged`."""


GUNS = tuple(tuple(unit for unit in forces if ARTILLERY[unit]) for forces in FORCES)
"""The artillery of each side."""


def segment(g: G, side: int) -> Procedure:
    """The Barrage Segment: the side fires at as many hexes as it likes, each once, with any number of artillery units and air
    points (1.12, 1.12a, 1.12b, SCS 7.1)."""
    done = g.rules.button("done")
    while any(aims(g, side, hex) for hex in candidates(g, side)):
        click = yield g.ask(
            side, "barrage.target", "Choose a hex to barrage, or end the barrages", "1.12", buttons=[done], top=True,
            maybe=[g.place0 + hex for hex in candidates(g, side)], why_not=why_not_chosen,
            can_act=lambda seen: guns(seen, side),
        )  # fmt: skip
        if click == done:
            return
        yield from aim(g, side, g.location(click))


def guns(g: G, side: int) -> list[int]:
    """Return the artillery of a side that can still fire (1.12a)."""
    return [unit for unit in GUNS[side] if why_silent(g, unit) is None]


def why_silent(g: G, unit: int) -> Refusal | None:
    """Return why a unit does not fire: only artillery on the map does, and once in a segment (1.12, 1.12a)."""
    if not ARTILLERY[unit]:
        return Refusal(f"{name(unit)} cannot barrage: not artillery", "1.12", name(unit))
    if not on_map(g, unit):
        return Refusal(f"{name(unit)} cannot barrage: not on the map", "1.12", name(unit))
    if g.state.flags[unit] & FIRED:
        return Refusal(f"{name(unit)} has already fired in this phase", "1.12a", name(unit))
    return None


def why_not_fired(g: G, unit: int, hex: int) -> Refusal | None:
    """Return why a unit cannot fire at a hex: out of range, whatever the terrain (1.5a, 1.5b, 1.12)."""
    refusal = why_silent(g, unit)
    if refusal is not None:
        return refusal
    distance = BOARD.distance(g.state.where[unit], hex)
    if distance > RANGE:
        label = BOARD.name(hex)
        return Refusal(f"{name(unit)} cannot barrage {label}: {distance} hexes away, range {RANGE}", "1.12", label)
    return None


def targets(g: G, side: int) -> list[int]:
    """Return the hexes that a side can barrage: their units or their port."""
    return [hex for hex in candidates(g, side) if aims(g, side, hex)]


def candidates(g: G, side: int) -> list[int]:
    """Return the locations with enemy units or ports."""
    return sorted({*g.state.where.stacks(1 - side), *ports.LIMITED})


def aims(g: G, side: int, hex: int) -> list[bool]:
    """Return what can be barraged in a hex: its units (False), its port (True) (1.9f, 1.12b)."""
    found = [False] if why_not_target(g, side, hex) is None else []
    return [*found, True] if hex in ports.LIMITED and why_not_port(g, side, hex) is None else found


def why_not_port(g: G, side: int, hex: int) -> Refusal | None:
    """Return why a port cannot be barraged: in a campaign an enemy port with a capacity is, once in a phase, apart from
    the units in its hex (1.9f, 1.12b, SCS 7.3)."""
    label = BOARD.name(hex)
    if setting(g).short:
        return Refusal(f"The port {label} cannot be barraged: ports have no capacity in short scenarios", "4.0", label)
    refusal = ports.why_not_damaged(g, side, hex)
    if refusal is not None:
        return refusal
    if g.state.barraged.get(hex, 0) & PORT:
        return Refusal(f"The port {label} has been barraged in this phase", "1.12b", label)
    if not air.left(g, side) and not is_in_range(g, side, hex):
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
    if not air.left(g, side) and not is_in_range(g, side, hex):
        return Refusal(f"{label} cannot be barraged: no artillery in range, no air points left", "1.12", label)
    return None


def is_in_range(g: G, side: int, hex: int) -> bool:
    """Whether any artillery of a side can fire at a hex."""
    return any(why_silent(g, unit) is None for unit in guns_near(g, side, hex))


def in_range(g: G, side: int, hex: int) -> list[int]:
    """Return the artillery of a side that can fire at a hex."""
    return sorted([unit for unit in guns_near(g, side, hex) if why_silent(g, unit) is None])


def guns_near(g: G, side: int, hex: int) -> list[int]:
    """Return the artillery of a side within range of a hex (1.12)."""
    stacks = g.state.where.stacks(side)
    return [u for near in BOARD.within(hex, RANGE) if near in stacks for u in stacks[near] if ARTILLERY[u]]


def why_not_chosen(g: G, decision: Decision, click: int) -> Refusal | None:
    """Return why a hex, or the hex of a unit, cannot be barraged."""
    if click >= g.rules.first_button:
        return None
    if g.is_unit(click) and SIDE[click] == decision.side:
        text = f"Choose the hex that {name(click)} barrages"
        return why_silent(g, click) or Refusal(text, "1.12", name(click))
    where = g.state.where[click] if g.is_unit(click) else g.location(click)
    if where < 0:
        return Refusal(f"{name(click)} cannot be barraged: not on the map", "1.10a", name(click))
    if not g.is_unit(click):
        if aims(g, decision.side, where):
            return None
        empty_port = where in PORTS and not forces_in(g, 1 - decision.side, where)
        return (why_not_port if empty_port else why_not_target)(g, decision.side, where)
    label = BOARD.name(where)
    text = f"Choose the hex {label} to barrage its units"
    return why_not_target(g, decision.side, where) or Refusal(text, "1.12", label)


def aim(g: G, side: int, hex: int) -> Procedure:
    """Put all artillery in range into the barrage; each unit can be removed. Air points are added with the order to
    fire (1.10b, 1.12b)."""
    cancel, other, near = g.rules.button("cancel"), g.rules.button("port"), in_range(g, side, hex)
    units, kinds = near, aims(g, side, hex)
    at_port = kinds[0]
    while True:
        fires = [button for button in air.buttons(g, side) if units or air.points_of(g, button)]
        shot = g.state.fire = Fire(side, tuple(units), hex, 0, int(at_port))
        click = yield g.ask(
            side, "barrage.fire", partial(prompt, g, shot), "1.10b", units=near,
            buttons=[*fires, *([other] if len(kinds) > 1 else []), cancel], about=units,
            why_not=partial(why_not_joining, hex=hex),
        )  # fmt: skip
        g.state.fire = None
        if click == cancel:
            return
        if click == other:
            at_port = not at_port
        elif g.is_unit(click):
            units = [unit for unit in units if unit != click] if click in units else sorted([*units, click])
        else:
            yield from fire(g, Fire(side, tuple(units), hex, air.points_of(g, click), int(at_port)))
            return


def prompt(g: G, shot: Fire) -> str:
    """Return the prompt with the target and the barrage points."""
    what = "the port" if shot.port else "units"
    return f"Barrage of {what} in {BOARD.name(shot.hex)} with {strength(g, shot)} points: choose air points, and fire"


def why_not_joining(g: G, decision: Decision, click: int, hex: int) -> Refusal | None:
    """Return why a unit cannot fire at the hex, or the barrage cannot be fired."""
    if g.is_unit(click):
        return why_not_fired(g, click, hex) if SIDE[click] == decision.side else None
    if click >= g.rules.first_button and g.rules.names[click] in AIR_BUTTONS:
        if decision.about or air.points_of(g, click):
            return air.why_not(g, decision.side, click)
        label = BOARD.name(hex)
        return Refusal(f"The barrage of {label} has no points: add artillery or air points", "1.12", label)
    return None


def strength(g: G, fire: Fire) -> Fraction:
    """Return the barrage points: artillery, half out of supply, and 5 for each air point (1.10b, 1.12e, SCS 7.2,
    SCS 7.4)."""
    shares = [barrage(g, unit) * (UNSUPPLIED if out_of_supply(g, unit) else 1) for unit in fire.units]
    return Fraction(sum(shares)) + fire.air * AIR_VALUE


def shifts(g: G, fire: Fire) -> list[Modifier]:
    """Return the shifts of a barrage to the left: terrain, cities, works, and no unit of the side adjacent to the
    target (1.12c, 1.15, SCS 12.3)."""
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
    """Return the column of a barrage, halves of a point rounded up (SCS 1.3, SCS 7.5)."""
    table = g.table("barrage")
    return table.shift(table.column(floor(strength(g, fire) + Fraction(1, 2))), net(shifts(g, fire)))


def fire(g: G, shot: Fire) -> Procedure:
    """Roll a barrage on the units of a hex: its owner removes as many steps as the result says, no unit a second before
    all have lost one; no unit retreats. A result against a port lowers its capacity instead (1.9f, SCS 7.5, SCS 7.6,
    SCS 7.7)."""
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
    g.log(
        "SCS 7.6",
        "Barrage of {hex}: column {head}, steps lost: {steps}",
        hex=shot.hex,
        head=table.head(at),
        steps=steps,
    )
    yield from losses.lose(g, 1 - shot.side, forces_in(g, 1 - shot.side, shot.hex), steps, None, "SCS 7.6")
    yield from rommel.displace(g)


def preview(g: G, shot: Fire) -> Odds:
    """Return every term of a barrage with its rule, the column and the exact chance of each number of steps."""
    table, at = g.table("barrage"), column(g, shot)
    terms = [Term(f"{name(unit)}, barrage", str(barrage(g, unit)), "1.12") for unit in shot.units]
    terms += [
        Term(f"{name(unit)} out of supply", f"x {written(UNSUPPLIED)}", "1.12e")
        for unit in shot.units
        if out_of_supply(g, unit)
    ]
    if shot.air:
        terms.append(Term(f"{shot.air} air points", str(shot.air * AIR_VALUE), "1.10b"))
    fired = floor(strength(g, shot) + Fraction(1, 2))
    terms.append(Term(counted(fired, "point"), f"column {table.head(table.column(fired))}", "SCS 7.5"))
    terms += [modifier.shift for modifier in shifts(g, shot)]
    chances = {in_words(int(cell), bool(shot.port)): chance for cell, chance in table.chances(at).items()}
    return Odds(tuple(terms), table.head(at), chances)


def in_words(number: int, port: bool) -> str:
    """Return a result of the barrage table (SCS 7.6, SCS 7.7).

    >>> in_words(2, False), in_words(1, True), in_words(0, False)
    ('defender loses 2', 'capacity 1 less', 'no effect')
    """
    if not number:
        return "no effect"
    return f"capacity {number} less" if port else f"defender loses {number}"
