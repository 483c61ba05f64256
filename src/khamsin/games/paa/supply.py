"""Supply (8): lines of at most 20 MF from unit to installation, from installation to installation, and to a terminal.

`mechanics.supply` traces the lines; this module has what they depend on and their effects.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache

from khamsin.games.paa.control import HELD
from khamsin.games.paa.ground import ATTACK_SUPPLY, LAYOUT, SUPPLY, UNIT_NET
from khamsin.games.paa.units import (
    ALL,
    ALLIED,
    AXIS,
    BARDIA,
    BASE,
    BOARD,
    CENTRE,
    DEPOT,
    DEPOT_SPAN,
    DEPOTS,
    DISMOUNTED,
    HEXES,
    ITALIAN,
    LORRY_SPAN,
    MOVED,
    OOS,
    REGULAR,
    REGULAR_SPAN,
    SIDE,
    SPAN,
    TOBRUK,
    G,
    name,
    whom,
)  # fmt: skip
from khamsin.games.paa.zones import front, zone, zones_shaken
from khamsin.kernel.board import NOWHERE
from khamsin.kernel.rules import Refusal
from khamsin.mechanics.supply import Chains, Lines, Situation
from khamsin.mechanics.ways import Bar


def situation(g: G, side: int, without: Collection[int] = (), also_in: int = NOWHERE) -> Situation:
    """Return what the lines of a side depend on: its installations, the terminals, and the enemy, whose ZOCs its
    regular units open to lines; without some of its pieces, and with a unit in another hex (8.2)."""
    where, enemy, left = g.state.where, front(g, 1 - side), list(g.state.where)
    for unit in without:
        left[unit] = NOWHERE
    own, depots = left[REGULAR_SPAN[side]], left[DEPOT_SPAN[side]]
    held = tuple([g.state.control.get(hex) == side for hex in HELD])
    in_bardia = side == ALLIED and (BARDIA in own or also_in == BARDIA or BARDIA in where[LORRY_SPAN[side]])
    return Situation(
        relays=frozenset([hex for hex in depots if 0 <= hex < HEXES]),
        terminals=terminals(side, held),
        sources=sources(side, held, in_bardia),
        enemy=enemy,
        opened=enemy.zoned.intersection((*own, also_in)),
    )


@cache
def terminals(side: int, held: tuple[bool, ...]) -> frozenset[int]:
    """Return where lines may end: the own base while the side holds its centre, Tobruk, the other base if captured
    (8.3.1, 8.3.2)."""
    agheila, tobruk, _, alexandria = held
    ends: set[int] = {TOBRUK} if tobruk else set()
    if agheila:
        ends.update(BASE[AXIS])
    if alexandria:
        ends.update(BASE[ALLIED] if side == ALLIED else (CENTRE[ALLIED],))
    return frozenset(ends)


@cache
def sources(side: int, held: tuple[bool, ...], in_bardia: bool) -> frozenset[int]:
    """Return what counts as an installation: for the Allies their base, Tobruk, and Bardia for units in it (8.3.2)."""
    if side == AXIS:
        return frozenset()
    _, tobruk, _, alexandria = held
    hexes = {TOBRUK} if tobruk else set()
    if alexandria:
        hexes.update(BASE[ALLIED])
    if in_bardia:
        hexes.add(BARDIA)
    return frozenset(hexes)


def moves_freely(g: G, side: int, unit: int, left: int, entered: int) -> bool:
    """Whether a unit or lorry left and entered no hex that affects its side's lines: an enemy ZOC, Bardia (8.2, 8.3.2)."""
    return not DEPOT[unit] and BARDIA not in (left, entered) and front(g, 1 - side).zoned.isdisjoint((left, entered))


CHAINS = Chains(
    UNIT_NET, LAYOUT, SUPPLY, situation, lambda g, side: (zones_shaken(g), g.state.control.version), moves_freely
)  # fmt: skip
lines = CHAINS.lines
"""The supply lines of a side now (8.2), or as they would be without some of its pieces and with a unit in another hex."""


def judge(g: G, side: int) -> None:
    """Flag every unit of a side without a supply line, and clear the flag of those with one (8.4)."""
    now, state, span = lines(g, side), g.state, SPAN[side]
    supplied = now.supplied
    g.clear_flags(DEPOTS[side], OOS)
    for unit, hex, marks in zip(ALL[side], state.where[span], state.flags[span], strict=True):
        if 0 <= hex < HEXES and supplied[hex] == (marks & OOS > 0) and not DEPOT[unit]:
            refresh(g, unit, now)


def refresh(g: G, unit: int, now: Lines) -> None:
    """Judge one unit (8.4, 12.4.1)."""
    state = g.state
    good = now.reach(state.where[unit])
    if good == bool(state.flags[unit] & OOS):
        state.flags[unit] ^= OOS
        text = "{unit} in {hex} is back in supply" if good else "{unit} in {hex} is out of supply"
        g.log("8.4", text, unit=unit, hex=state.where[unit])


def attack_supply(g: G, side: int, depots: Iterable[int] | None = None) -> Sequence[int]:
    """Return the MF from each hex to the nearest installation that can supply an attack: joined to a terminal, and not
    moved this turn; FAR beyond 8 (8.5, 12.3). With `depots` (unit numbers), only those."""
    now = lines(g, side)
    where, flags = g.state.where, g.state.flags
    chosen = DEPOTS[side] if depots is None else depots
    laid = {where[u] for u in chosen if where[u] in now.relays and not flags[u] & MOVED}
    hexes = laid | now.situation.sources if depots is None else laid
    occupied = hexes.intersection(where[REGULAR_SPAN[side]])
    fed = hexes if BARDIA in laid else hexes - {BARDIA}
    return now.range_from(frozenset(fed), ATTACK_SUPPLY, frozenset(occupied))


# No unit may be put out of supply by its own side (8.4.1, 8.4.2). All rules that forbid it follow.

BOUND = [(SIDE[u] == ALLIED and not DEPOT[u]) or (ITALIAN[u] and REGULAR[u]) for u in range(len(SIDE))]
"""Units that their own side may never put out of supply: Allied units and lorries, Italian units (8.4.1-2)."""
BOUND_UNITS = frozenset([unit for unit, bound in enumerate(BOUND) if bound])
"""The same as a set (8.4.1-2)."""
BOUND_BY = ("8.4.2", "8.4.1")
"""The rule that binds each side."""
FED = ((frozenset[int](), frozenset[int]()), (frozenset([BARDIA]), frozenset([BARDIA, TOBRUK])))
"""For each side the hexes that always supply a lorry, and a regular unit, that enters them: Bardia supplies Allied
pieces in it, Tobruk the Allied units that take it (5, 8.3.2)."""


DRY = f"it would be out of supply {{where}}: no installation with a line to a terminal within {SUPPLY} MF"
UNSUPPORTED = f"its installation would have no line to a terminal {{where}}: none within {SUPPLY} MF"


def dry(side: int, now: Lines, regular: bool) -> Bar:
    """Return the bar where a lorry or a regular unit would be out of supply (8.4.1, 8.4.2, 11.1.1)."""
    return now.dry(FED[side][regular], BOUND_BY[side], DRY)


def unsupported(side: int, now: Lines) -> Bar:
    """Return the bar where a lorry would be out of supply with an installation that it carries (8.4.1, 11.1.1)."""
    return now.unjoined(BOUND_BY[side], UNSUPPORTED)


def would_lose_supply(g: G, side: int, units: Iterable[int], now: Lines, then: Lines) -> list[int]:
    """Return those of these units that are in supply now but would not be by other lines. Units flagged out of supply,
    or dismounted, do not count (8.4, 8.4.1, 8.4.2, 13.6)."""
    where, flags, lost = g.state.where, g.state.flags, now.lost_in(then)
    return [u for u in units if where[u] in lost and not flags[u] & (OOS | DISMOUNTED)] if lost else []


def stranded(g: G, side: int, now: Lines, then: Lines, apart_from: Iterable[int] = ()) -> list[int]:
    """Return the bound units of a side that would lose supply by the lines `then` instead of `now` (8.4.1, 8.4.2)."""
    where, lost, away = g.state.where, now.lost_in(then), set(apart_from)
    units = [u for u in ALL[side] if where[u] in lost and BOUND[u] and u not in away] if lost else []
    return would_lose_supply(g, side, units, now, then) if units else []


def lines_without(g: G, side: int, group: Sequence[int]) -> Lines:
    """Return the supply lines after a stack has left its hex: different only if it alone opens an enemy ZOC (8.2)."""
    here = g.state.where[group[0]]
    if not zone(g, 1 - side)[here] or g.state.where[REGULAR_SPAN[side]].count(here) > len(group):
        return lines(g, side)
    return lines(g, side, without=group)


def stranded_by_leaving(g: G, side: int, group: Sequence[int]) -> list[int]:
    """Return the bound units that would lose supply if a stack left: where it opens an enemy ZOC to their lines
    (8.4.1-2, 11.1.1)."""
    if not zone(g, 1 - side)[g.state.where[group[0]]]:
        return []
    return stranded(g, side, lines(g, side), lines_without(g, side, group), apart_from=group)


def stranded_without(g: G, side: int, depots: Iterable[int]) -> list[int]:
    """Return the bound units of a side that would lose supply without some installations (8.4.1, 8.4.2)."""
    now, where = lines(g, side), g.state.where
    missed = [depot for depot in depots if where[depot] in now.relays and where[depot] not in now.situation.always]
    return stranded(g, side, now, lines(g, side, without=missed)) if missed else []


def stranded_by_depot(g: G, side: int, depot: int, hex: int, units: Sequence[int]) -> list[int]:
    """Return those of the bound units that need an installation that would lose supply with it in another hex (8.4.1,
    8.4.2)."""
    if not units:
        return []
    where, supplied = g.state.where, lines(g, side, without=[depot]).with_relay(hex)
    return [unit for unit in units if not supplied[where[unit]]]


def stranding_hexes(g: G, side: int, depot: int, hexes: Iterable[int], units: Sequence[int]) -> list[int]:
    """Return those of these hexes in which an installation would leave a bound unit that needs it out of supply (8.4.1,
    8.4.2)."""
    if not units:
        return []
    where = g.state.where
    return lines(g, side, without=[depot]).useless_relays({where[unit] for unit in units}, hexes)


def stranded_by_overrun(g: G, side: int, group: Sequence[int], hex: int) -> list[int]:
    """Return the bound units that would be out of supply after a stack has overrun a hex, its own included (8.4.1-2,
    11.4)."""
    where = g.state.where
    now = lines(g, side)
    gone = [u for u in ALL[1 - side] if where[u] == hex and not DEPOT[u]]
    with where.supposing(dict.fromkeys(gone, NOWHERE) | dict.fromkeys(group, hex)):
        then = lines(g, side)
        return [u for u in group if BOUND[u] and not fed_in(side, then, hex)] or stranded(g, side, now, then, group)


def fed_in(side: int, now: Lines, hex: int) -> bool:
    """Whether a regular unit that enters a hex is in supply there: Tobruk supplies the Allies in it (5, 8.3.2)."""
    return now.reach(hex) or (side == ALLIED and hex == TOBRUK)


def why_not_supplied(g: G, side: int, units: Sequence[int], hex: int) -> Refusal | None:
    """Units that move to a hex may leave no bound unit out of supply, themselves included (8.4.1, 8.4.2)."""
    then = lines(g, side, without=units, also_in=hex)
    lost = [u for u in units if BOUND[u] and not fed_in(side, then, hex)] or stranded(
        g, side, lines(g, side), then, units
    )
    if not lost:
        return None
    who = "it" if lost[0] == units[0] else name(lost[0])
    return Refusal(
        f"{whom(units)} cannot go to {BOARD.name(hex)}: {who} would be out of supply", BOUND_BY[side], name(lost[0])
    )
