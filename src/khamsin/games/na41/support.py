"""Attack Supply (8.5), Artillery Support (9.4), Air Support (18.7.4) and DD Support (11.3): sources and prices."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from khamsin.games.na41 import readiness, sheet, supply
from khamsin.games.na41.sheet import LIMITS, Attack
from khamsin.games.na41.units import (
    AIRFIELDS,
    ALLIED,
    ASU,
    ASUS,
    AXIS,
    BOARD,
    DEPLETED,
    FORCES,
    HEXES,
    HQ,
    MSU,
    NATION,
    PLEDGED,
    RANGE,
    SCHEDULE,
    SIDE,
    SIDES,
    SUPPLY,
    SUPPORTS,
    TANK,
    TRANSPORTED,
    TRUCK,
    TRUCKS,
    G,
    combat_units,
    good_order,
    hex_of,
    name,
    on_map,
    remove_supply,
    stock,
    usable_supply,
)
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Decision, Refusal
from khamsin.mechanics.showing import counted

RANGES = SUPPLY["range"]
AIR_MARKERS = {"german air": ("German Air Support", AXIS, "DE"), "italian air": ("Italian Air Support", AXIS, "IT"),
               "allied air": ("Allied Air Support", ALLIED, "")}  # fmt: skip
"""Button -> the asset, its side, and the nation that must take part (18.7.4)."""


class Sources(NamedTuple):
    """What can pay: units that are depleted (ASUs) or unloaded (MSUs), and locations whose Supply Point is removed."""

    units: tuple[int, ...] = ()
    locations: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.units or self.locations)


def hexes_of(g: G, units: Iterable[int]) -> list[int]:
    """Return the hexes of units."""
    return sorted({g.state.where[unit] for unit in units})


def serves(unit: int, units: Iterable[int]) -> bool:
    """Whether an ASU may support a combat of units: an Axis one needs a unit of its own nation in it (8.5.2, 9.4.2,
    17.1.3)."""
    return SIDE[unit] == ALLIED or any(NATION[other] == NATION[unit] for other in units)


def is_available(g: G, unit: int) -> bool:
    """Whether an ASU can give support at all: in a hex, in Good Order and not under a transport marker, supplied or not
    (13.2.1, 17.1.3, 17.1.5, 21.1.5)."""
    return on_map(g, unit) and good_order(g, unit) and not g.state.flags[unit] & TRANSPORTED


def is_ready(g: G, unit: int) -> bool:
    """Whether an ASU is on its Ready side and not already spent as Attack Supply (17.1.1, 17.1.4)."""
    return not g.state.flags[unit] & (DEPLETED | PLEDGED)


def loose_points(g: G, side: int, location: int) -> int:
    """Return the Supply Points of a side in a hex that are not spent as Attack Supply yet (8.5.1, 17.2)."""
    return usable_supply(g, side, location) - g.state.pledged.get(location, 0)


# Attack Supply (8.5)


def wants_supply(g: G, battle: Attack) -> bool:
    """Whether Attack Supply can matter: the attack has tanks or more than 9 points (8.5.1)."""
    if any(TANK[unit] for unit in battle.units):
        return True
    most: int = LIMITS["unsupplied"]
    return sum([one.value for one in sheet.attack_shares(g, battle)]) > most


def point_range(g: G, side: int, location: int) -> int:
    """Return the range of a Supply Point: that of an ASU stacked with it, else three hexes (17.2.1)."""
    return max([RANGE[unit] for unit in combat_units(g, side, location) if ASU[unit]], default=RANGES["sp"])


def in_range(g: G, side: int, location: int, units: Iterable[int], limit: int) -> bool:
    """Whether one of the units is in range of a source, traced as an overland line of supply (17.3)."""
    hexes = [hex for hex in hexes_of(g, units) if location < HEXES and BOARD.distance(location, hex) <= limit]
    return bool(hexes) and supply.in_range(g, side, location, hexes, limit)


def pledged_in_range(g: G, side: int, units: Sequence[int]) -> bool:
    """Whether a source already spent in this phase also serves this attack (8.5.1, 17.3)."""
    flags = g.state.flags
    asus = [u for u in FORCES[side] if flags[u] & PLEDGED and serves(u, units)]
    trucks = [u for u in TRUCKS[side] if flags[u] & PLEDGED]
    if any(in_range(g, side, g.state.where[u], units, RANGE[u]) for u in (*asus, *trucks)):
        return True
    return any(in_range(g, side, at, units, point_range(g, side, at)) for at in g.state.pledged)


def supply_sources(g: G, side: int, units: Sequence[int]) -> Sources:
    """Return what can give an attack Attack Supply (8.5.1, 8.5.2, 17.1.1, 17.2.4, 18.4)."""
    asus = [u for u in ASUS[side] if why_not_supplying(g, u, units) is None]
    trucks = [u for u in TRUCKS[side] if why_not_msu(g, u, units) is None]
    hexes = [at for at in stock(g, side) if at < HEXES and why_not_point(g, side, at, units) is None]
    return Sources((*asus, *trucks), tuple(hexes))


def can_be_supplied(g: G, side: int, units: Sequence[int]) -> bool:
    """Whether an attack of units has Attack Supply already, or can buy it (8.5.1)."""
    return (
        any(why_not_supplying(g, u, units) is None for u in ASUS[side])
        or any(why_not_point(g, side, at, units) is None for at in stock(g, side) if at < HEXES)
        or any(why_not_msu(g, u, units) is None for u in TRUCKS[side])
        or pledged_in_range(g, side, units)
    )


def why_not_msu(g: G, truck: int, units: Sequence[int]) -> Refusal | None:
    """Return why a truck cannot give Attack Supply to an attack of units (8.5.1, 17.2.4, 17.3)."""
    who, flags = name(truck), g.state.flags[truck]
    if not flags & MSU or flags & (PLEDGED | TRANSPORTED):
        return Refusal(f"{who} cannot give Attack Supply: it has no Supply Point to spend", "17.2.4", who)
    if not in_range(g, SIDE[truck], g.state.where[truck], units, RANGE[truck]):
        return Refusal(f"{who} cannot give Attack Supply: no attacker within {RANGE[truck]} hexes", "17.3", who)
    return None


def why_not_point(g: G, side: int, hex: int, units: Sequence[int]) -> Refusal | None:
    """Return why the Supply Points of a hex cannot give Attack Supply to an attack of units (8.5.1, 17.2.1, 17.3)."""
    label, limit = BOARD.name(hex), point_range(g, side, hex)
    if loose_points(g, side, hex) <= 0:
        return Refusal(f"{label} cannot give Attack Supply: no Supply Point of yours is there", "8.5.1", label)
    if not in_range(g, side, hex, units, limit):
        return Refusal(f"{label} cannot give Attack Supply: no attacker within {limit} hexes", "17.3", label)
    return None


def why_not_supplying(g: G, unit: int, units: Sequence[int]) -> Refusal | None:
    """Return why an ASU cannot give Attack Supply to an attack of units (8.5.1, 8.5.2, 17.1.3)."""
    who, side = name(unit), SIDE[unit]
    if not is_available(g, unit):
        return Refusal(f"{who} cannot give Attack Supply: it is not in Good Order on the map", "17.1.3", who)
    if not is_ready(g, unit):
        return Refusal(f"{who} cannot give Attack Supply: it is Depleted", "17.1.1", who)
    if not serves(unit, units):
        return Refusal(f"{who} cannot give Attack Supply: no unit of its nation attacks", "8.5.2", who)
    if not in_range(g, side, g.state.where[unit], units, RANGE[unit]):
        return Refusal(f"{who} cannot give Attack Supply: no attacker within {RANGE[unit]} hexes", "17.3", who)
    return None


def ask_supply(g: G, battle: Attack) -> Generator[Decision, int, bool]:
    """The attacker decides on Attack Supply. A source spent in this phase serves every attack in range; overwhelming
    odds need none (8.3, 8.5.1, 8.5.3)."""
    side, units = battle.side, battle.units
    if sheet.sheet(g, battle).overwhelming:
        return False
    if pledged_in_range(g, side, units):
        return True
    sources = supply_sources(g, side, units) if wants_supply(g, battle) else Sources()
    if not sources:
        return False
    none = g.rules.button("none")
    click = yield g.ask(
        side, "combat.supply", f"Attack on {BOARD.name(battle.hex)}: choose a source of Attack Supply, or none", "8.5.1",
        units=prices(sources.units), locations=points_of(g, side, sources.locations), buttons=[none], about=units,
        why_not=partial(why_not_source, units=units), combat=battle,
    )  # fmt: skip
    if click == none:
        return False
    pledge(g, side, click)
    return True


def prices(units: Iterable[int]) -> dict[int, str]:
    """Return what each source costs: an ASU is Depleted, an MSU spends its Supply Point (17.1.1, 17.2.4)."""
    return {unit: "becomes Depleted" if ASU[unit] else "spends its Supply Point" for unit in units}


def points_of(g: G, side: int, locations: Iterable[int]) -> dict[int, str]:
    """Return what each location with Supply Points spends (8.5.1)."""
    return {at: f"1 of {counted(loose_points(g, side, at), 'Supply Point')}" for at in locations}


def pledge(g: G, side: int, click: int) -> None:
    """Spend a source as Attack Supply; it is removed or depleted at the end of the phase (8.5.1, 17.2.2)."""
    if g.is_unit(click):
        g.state.flags[click] |= PLEDGED
        g.log("8.5.1", "{unit} gives Attack Supply", unit=click)
        return
    hex = g.location(click)
    g.state.pledged[hex] = g.state.pledged.get(hex, 0) + 1
    g.log("8.5.1", "A Supply Point at {hex} gives Attack Supply", hex=hex)


Pledges = tuple[frozenset[int], dict[int, int]]
"""The units and the Supply Points by hex that are spent as Attack Supply in this phase."""


def pledges(g: G) -> Pledges:
    """Return what is spent as Attack Supply so far (8.5.1)."""
    return frozenset(g.state.flags.having(PLEDGED)), dict(g.state.pledged)


def take_back(g: G, before: Pledges) -> None:
    """An attack has reached 10-1 by its support: its Attack Supply is not consumed (8.5.3)."""
    units, points = before
    g.clear_flags(set(g.state.flags.having(PLEDGED)) - units, PLEDGED)
    g.state.pledged.clear()
    g.state.pledged.update(points)
    g.log("8.5.3", "At 10-1 the attack consumes no Attack Supply")


def settle(g: G, side: int) -> None:
    """At the end of the Combat Phase remove or deplete sources of Attack Supply (8.5.1, 17.2.2)."""
    state = g.state
    for unit in state.flags.having(PLEDGED):
        if SIDE[unit] == side:
            state.flags[unit] = state.flags[unit] & ~(PLEDGED | MSU) | (DEPLETED if ASU[unit] else 0)
            g.log("17.2.2", "{unit} is Depleted" if ASU[unit] else "{unit} has spent its Supply Point", unit=unit)
    for hex, number in sorted(state.pledged.items()):
        spent = min(number, stock(g, side).get(hex, 0))
        if spent:
            remove_supply(g, side, hex, spent)
            g.log("17.2.2", "{points} spent at {hex}", points=counted(spent, "Supply Point"), hex=hex)
    state.pledged.clear()


def why_not_source(g: G, decision: Decision, click: int, units: Sequence[int]) -> Refusal | None:
    """Return why a piece or location cannot give Attack Supply to an attack (8.5.1, 17.3)."""
    if g.is_unit(click):
        if SIDE[click] == decision.side and (ASU[click] or TRUCK[click]):
            return why_not_supplying(g, click, units) if ASU[click] else why_not_msu(g, click, units)
        who = name(click)
        return Refusal(f"{who} cannot give Attack Supply: it is neither a friendly ASU nor an MSU", "8.5.1", who)
    hex = hex_of(g, click)
    return None if hex is None else why_not_point(g, decision.side, hex, units)


# Artillery and air (9.4, 18.7.4)


def artillery_sources(g: G, side: int, units: Sequence[int], ready_only: bool = False) -> Sources:
    """Return the ASUs that can give Artillery or DD Support: themselves if Ready, or by a Supply Point in their hex,
    without a loose one that of an MSU. DD Support needs an ASU on its Ready side (9.4.1, 11.3, 17.1.1, 17.1.3, 17.2.4,
    18.4)."""
    asus = [u for u in ASUS[side] if SUPPORTS[u] and why_not_supporting(g, u, units) is None]
    ready = [u for u in asus if is_ready(g, u)]
    where = sorted({g.state.where[u] for u in (ready if ready_only else asus)})
    loose = [at for at in where if loose_points(g, side, at) > 0]
    msus = [truck for at in where if at not in loose for truck in readiness.loaded_trucks(g, side, at)]
    return Sources((*ready, *[u for u in msus if not g.state.flags[u] & PLEDGED]), tuple(loose))


def why_not_supporting(g: G, unit: int, units: Sequence[int]) -> Refusal | None:
    """Return why an ASU cannot support a combat of units with artillery, whatever its side (9.4.1, 9.4.2, 17.1.3,
    18.4)."""
    who = name(unit)
    if not SUPPORTS[unit]:
        return Refusal(f"{who} cannot give Artillery Support: it has no artillery", "18.4", who)
    if not is_available(g, unit):
        return Refusal(f"{who} cannot give Artillery Support: it is not in Good Order on the map", "17.1.3", who)
    if not serves(unit, units):
        return Refusal(f"{who} cannot give Artillery Support: no unit of its nation is in the combat", "9.4.2", who)
    if not in_range(g, SIDE[unit], g.state.where[unit], units, RANGE[unit]):
        return Refusal(f"{who} cannot give Artillery Support: no unit within {RANGE[unit]} hexes", "17.3", who)
    return None


def use_artillery(g: G, side: int, click: int, rule: str) -> None:
    """Deplete an ASU, or remove a Supply Point in its hex, for Artillery or DD Support (9.4.1, 11.3, 17.2.2)."""
    if g.is_unit(click) and TRUCK[click]:
        g.state.flags[click] &= ~MSU
        g.log(rule, "An ASU gives artillery support for the Supply Point of {unit}", unit=click)
        return
    if g.is_unit(click):
        g.state.flags[click] |= DEPLETED
        g.log(rule, "{unit} gives artillery support and is Depleted", unit=click)
        return
    hex = g.location(click)
    remove_supply(g, side, hex)
    g.log(rule, "An ASU at {hex} gives artillery support for a Supply Point", hex=hex)


def has_superiority(g: G, side: int) -> bool:
    """Whether a side has Air Superiority on this turn (18.6)."""
    return bool(SCHEDULE["air"]["superiority"][g.state.turn - 1] == SIDES[side])


def air_markers(g: G, side: int, units: Sequence[int], hex: int, defending: bool) -> list[str]:
    """Return the buttons of the air markers that a side can use in a combat (11.3, 18.6, 18.7.3, 18.7.4)."""
    return [word for word in AIR_MARKERS if why_not_air(g, word, side, units, hex, defending) is None]


def why_not_air(g: G, word: str, side: int, units: Sequence[int], hex: int, defending: bool) -> Refusal | None:
    """Return why a side cannot use an air marker in a combat at a hex (11.3, 18.6, 18.7.3, 18.7.4)."""
    asset, owner, nation = AIR_MARKERS[word]
    cannot = f"{asset} cannot be used"
    if owner != side or not g.state.assets.get(asset):
        return Refusal(f"{cannot}: the marker is not available", "18.7.1", word)
    if nation and all(NATION[unit] != nation for unit in units):
        return Refusal(f"{cannot}: no unit of its nation takes part", "18.7.4", word)
    if defending and has_superiority(g, 1 - side):
        return Refusal(f"{cannot} in defence: the enemy has Air Superiority", "18.6", word)
    if not in_air_range(g, side, hex):
        return Refusal(
            f"{cannot}: no Corps HQ or supplied airfield within {RANGES['air']} hexes", "18.7.3", BOARD.name(hex)
        )
    return None


HQS = tuple([[unit for unit in own if HQ[unit]] for own in FORCES])
"""The Corps HQs of each side."""


def air_bases(g: G, side: int, airfields: Iterable[int] = AIRFIELDS) -> list[int]:
    """Return the hexes that give air range: friendly Corps HQs in Good Order, not under a transport marker, and
    friendly airfields in Full Supply, of all or of these (18.3, 18.4, 18.7.3, 21.1.5)."""
    found = [g.state.where[u] for u in HQS[side] if is_available(g, u)]
    fields = [at for at in airfields if g.state.control.get(at) == side]
    return found + [at for at in fields if supply.status_in(g, side, at) == supply.FULL]


def in_air_range(g: G, side: int, hex: int) -> bool:
    """Whether a hex is within 16 hexes of an air base (18.7.3)."""
    near = [at for at in AIRFIELDS if BOARD.distance(at, hex) <= RANGES["air"]]
    return any(BOARD.distance(at, hex) <= RANGES["air"] for at in air_bases(g, side, near))


def use_air(g: G, word: str) -> None:
    """Use an air marker (18.7.2, 18.7.4, 23.2.3)."""
    asset = AIR_MARKERS[word][0]
    g.state.assets[asset] -= 1
    if not g.state.assets[asset]:
        del g.state.assets[asset]
    g.log("18.7.4", "{asset} is used", asset=asset)


class Given(NamedTuple):
    """The support that a side gives to a combat, and the ASU."""

    artillery: bool = False
    air: bool = False
    asu: int = NOWHERE


NOTHING = Given()


def supported(battle: Attack, given: Given, defending: bool) -> Attack:
    """Return an attack with the support of one side."""
    if defending:
        return battle._replace(enemy_artillery=given.artillery, enemy_air=given.air)
    return battle._replace(artillery=given.artillery, air=given.air)


def ask_support(g: G, battle: Attack, side: int) -> Generator[Decision, int, Given]:
    """A side of a combat decides on artillery and air support, one shift each at most (8.3, 9.4.1, 18.7.4)."""
    given, done, hex, defending = NOTHING, g.rules.button("done"), battle.hex, side != battle.side
    units = combat_units(g, side, hex) if defending else battle.units
    while True:
        guns = Sources() if given.artillery else artillery_sources(g, side, units)
        planes = [] if given.air else air_markers(g, side, units, hex, defending)
        if not guns and not planes:
            return given
        whose = "Defence of" if defending else "Attack on"
        click = yield g.ask(
            side, "combat.support", f"{whose} {BOARD.name(hex)}: choose artillery or air support, or end", "9.4.1",
            units=prices(guns.units), locations=points_of(g, side, guns.locations),
            buttons=[*(g.rules.button(word) for word in planes), done], about=units,
            why_not=partial(why_not_given, units=tuple(units), hex=hex, defending=defending, given=given),
            at=[hex], combat=supported(battle, given, defending),
        )  # fmt: skip
        if click == done:
            return given
        if click >= g.rules.first_button:
            use_air(g, g.rules.names[click])
            given = given._replace(air=True)
        else:
            given = given._replace(artillery=True, asu=giver(g, side, click, units))
            use_artillery(g, side, click, "9.4.1")


def giver(g: G, side: int, click: int, units: Sequence[int]) -> int:
    """Return the ASU that gives Artillery Support to a combat of units for what was clicked: itself, or one stacked with
    the Supply Point, rather one that does not take part (9.4.1, 14.1)."""
    if g.is_unit(click) and ASU[click]:
        return click
    hex = g.state.where[click] if g.is_unit(click) else g.location(click)
    able = [u for u in ASUS[side] if g.state.where[u] == hex and why_not_supporting(g, u, units) is None]
    return min(able, key=lambda unit: (unit in units, unit))


def why_not_given(
    g: G, decision: Decision, click: int, units: Sequence[int], hex: int, defending: bool, given: Given = NOTHING
) -> Refusal | None:
    """Return why a piece, location or air marker cannot support a combat (9.4.1, 17.3, 18.7.4)."""
    if click >= g.rules.first_button:
        word = g.rules.names[click]
        if word in AIR_MARKERS and given.air:
            return Refusal("A combat has one air shift of each side at most", "18.7.4", word)
        return why_not_air(g, word, decision.side, units, hex, defending) if word in AIR_MARKERS else None
    if click in decision.legal:
        return None
    label = g.rules.names[click]
    if given.artillery:
        return Refusal("A combat has one artillery shift of each side at most", "9.4.1", label)
    if not g.is_unit(click):
        return Refusal(f"{label} has no ASU in range with a Supply Point", "9.4.1", label)
    if not ASU[click] or SIDE[click] != decision.side:
        return Refusal(f"{label} cannot give Artillery Support: it is not a friendly ASU", "9.4.1", label)
    if not is_ready(g, click):
        return Refusal(f"{label} cannot give Artillery Support: it is Depleted", "17.1.1", label)
    return why_not_supporting(g, click, units)
