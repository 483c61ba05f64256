"""Movement (OCS 6): stacks move one after the other in the mode that reaches their hex, fuelled as they begin, and overrun.

A click on a hex takes the gentlest mode that reaches it: Combat before Move before Strat. Buttons choose a mode outright."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from khamsin.games.tunisia import (
    air,
    airlift,
    breakout,
    construction,
    control,
    cooperation,
    drops,
    fuel,
    leaving,
    lift,
    losses,
    modes,
    overrun,
    raid,
    sorties,
    trucks,
)
from khamsin.games.tunisia.dates import AIR
from khamsin.games.tunisia.ground import LAYOUT, OPEN_SIDES, OUTSIDE_BARS, bridges, ground_of
from khamsin.games.tunisia.scenario import setting
from khamsin.games.tunisia.stacking import SIZE, remove_excess
from khamsin.games.tunisia.units import (
    AXIS,
    BOARD,
    CHANGED,
    COMBATANT,
    DIVISION,
    EXPLOIT,
    EXTENDER,
    FINISHED,
    GROUND_UNITS,
    HEXES,
    IS_AIR,
    IS_TRUCK,
    LEG,
    MA,
    MOBILITY,
    MOVE,
    MOVING,
    MUD,
    PHASE_FLAGS,
    RELEASED,
    RESERVE,
    SCALE,
    SIDE,
    SIDES,
    STRAT,
    TRUCK,
    G,
    can_attack,
    forces_in,
    hex_of,
    name,
    names,
    on_map,
    tell,
    trucks_in,
    whom,
)
from khamsin.games.tunisia.zones import front, zone
from khamsin.kernel.flood import CLOSED
from khamsin.kernel.rules import Choices, Decision, Hint, LazyClicks, Procedure, Refusal
from khamsin.mechanics import stacks, ways
from khamsin.mechanics.bars import Bars
from khamsin.mechanics.refusals import for_locations
from khamsin.mechanics.ways import TOLL, Bar, Destinations, End, Hindrance, Hold, Limit, Reach, Way

BEGUN, REACTING, EXPLOITING = "begun", "reacting", "exploiting"
"""That a segment has begun; that it is one of the Reaction or of the Exploitation Phase."""
bar = Bars(LAYOUT)
BELT = frozenset(BOARD.areas["Closed eastern belt"].hexes)
"""The eastern columns that are closed (2.5, 3.6)."""


def movement(g: G, side: int) -> Procedure:
    """The movement segment of the Movement Phase (OCS 2, OCS 6)."""
    if not is_mud(g):
        yield from raid.land(g, side)
    begin(g, side)
    yield from move_all(g, side)
    if not is_mud(g):
        drops.forget(g, side)


def reaction(g: G, side: int) -> Procedure:
    """The movement segment of the Reaction Phase: reserves are released and move half their allowance (OCS 5(2))."""
    g.state.todo[REACTING] = 1
    begin(g, side)
    yield from move_all(g, side)


def exploitation(g: G, side: int) -> Procedure:
    """The movement segment of the Exploitation Phase: exploit-marked units at half, released reserves in full (OCS 5(2))."""
    g.state.todo[EXPLOITING] = 1
    begin(g, side)
    yield from move_all(g, side)


def begin(g: G, side: int) -> None:
    """Note where every unit begins the segment (OCS 7(1))."""
    if BEGUN in g.state.todo:
        return
    for unit in GROUND_UNITS[side]:
        g.state.spent[unit], g.state.origin[unit] = 0, g.state.where[unit]
    g.state.todo[BEGUN] = 1


def finish(g: G, side: int) -> None:
    """The segment is over. Released artillery may still fire in the phase, so its marker stays (OCS 5(2))."""
    for unit in GROUND_UNITS[side]:
        g.state.spent[unit], g.state.origin[unit] = 0, -1
        g.state.flags[unit] &= ~(PHASE_FLAGS & ~RELEASED)
    g.state.todo.clear()
    g.state.fresh.clear()
    g.state.blown.clear()
    g.state.unloaded.clear()


def move_all(g: G, side: int) -> Procedure:
    """Stacks move one after the other until the side ends the segment; then too full hexes are thinned out (OCS 3(1),
    OCS 6(5))."""
    done = g.rules.button("done")
    ready = stacks.Ready(g, present(g, side), partial(can_move, g, side))
    actions = {g.rules.button(word): partial(is_open, g, side, word) for word in ACTIONS if belongs(g, side, word)}
    while REACTING not in g.state.todo or ready or any(is_open(g, side, word) for word in AIR_REACTIONS):
        able = ready.now(done, maybe=actions)
        click = yield Decision(
            side, "move.stack", "Move a unit, or end the segment", "OCS 6", able, top=True, buttons=tuple(actions),
            why_not=why_not_chosen,
        )  # fmt: skip
        if click == done:
            break
        if click in actions:
            take_up(g, side, ())
            yield from ACTIONS[g.rules.names[click]][1](g, side)
        else:
            yield from move_stack(g, side, stacks.selected(g, click, able, partial(mates, g, side)))
        ready.renew(present(g, side))
    if not is_later(g) and not is_mud(g):
        g.state.muddy.pop(SIDES[side], None)
    yield from remove_excess(g, side)
    if not is_mud(g):
        clear_belt(g, side)
    finish(g, side)


AIR_REACTIONS = ("hip shoot", "sweep")
"""What a side without reserves is asked about in the Reaction Phase (OCS 2)."""


def present(g: G, side: int) -> list[int]:
    """The ground units of a side on the map and in boxes."""
    where, last = g.state.where, max(lift.BOXES)
    return [unit for unit in GROUND_UNITS[side] if 0 <= where[unit] <= last]


def is_open(g: G, side: int, word: str) -> bool:
    """Whether a side can do one of the `ACTIONS` now."""
    return ACTIONS[word][0](g, side) is None


def belongs(g: G, side: int, word: str) -> bool:
    """Whether a button belongs to the segment: supply goes by rail and sea in the Movement Phase alone, in Mud too, but there
    nothing flies (1.3, OCS 12, OCS 13)."""
    if word == "drop" and is_later(g):
        return False
    return can_lift(g, side, word.removesuffix(" supply")) if word.endswith(" supply") else not is_mud(g)


def can_lift(g: G, side: int, how: str) -> bool:
    """Whether a side has rail capacity or shipping in this phase at all (OCS 12, OCS 13)."""
    return not is_later(g) and lift.allowance(g, side, how) > 0


def why_no_hip_shoot(g: G, side: int) -> Refusal | None:
    """Why a side cannot make a hip shoot now (2.1, 3.1, OCS 14.6)."""
    if air.has_target(g, side, hip=True):
        return None
    rule = "2.1" if side == AXIS else "3.1"
    text = "no spotted target within reach of an active aircraft that can, or No Flight"
    return Refusal(f"No hip shoot is possible: {text}", rule, "hip shoot")


def why_not_shot(g: G, side: int, hex: int) -> Refusal | None:
    """Why a hex is not the target of a hip shoot (OCS 14.6)."""
    return air.why_not_target(g, side, hex, hip=True)


def hip_shoot(g: G, side: int) -> Procedure:
    """A single aircraft bombs a spotted hex during movement; it ends the move of the stack that moves (OCS 14.6)."""
    cancel = g.rules.button("cancel")
    click = yield g.ask(
        side, "air.hip", "Choose a spotted hex for a hip shoot", "OCS 14.6",
        maybe=[g.place0 + hex for hex in air.places(g, side)], buttons=[cancel],
        why_not=for_locations(partial(air.why_not_target, hip=True), side),
    )  # fmt: skip
    if click != cancel:
        yield from air.plan(g, side, g.location(click), hip=True)


ACTIONS: dict[str, tuple[Callable[[G, int], Refusal | None], Callable[[G, int], Procedure]]] = {
    "hip shoot": (why_no_hip_shoot, hip_shoot),
    "sweep": (sorties.why_no_sweep, sorties.sweep),
    "transfer": (sorties.why_no_transfer, sorties.transfer),
    "airlift": (airlift.why_none, airlift.fly),
    "drop": (drops.why_none, drops.drop),
    "rail supply": (partial(lift.why_no_tokens, how=lift.RAIL), partial(lift.carry_tokens, how=lift.RAIL)),
    "sea supply": (partial(lift.why_no_tokens, how=lift.SEA), partial(lift.carry_tokens, how=lift.SEA)),
}
"""What a side does in a movement segment besides moving stacks: why not, and the procedure (OCS 2)."""


def clear_belt(g: G, side: int) -> None:
    """Ground units that end a movement segment in the closed eastern columns are destroyed: the Axis from 15 February 1943 on,
    the Allies before (2.5, 3.6)."""
    late = g.state.turn >= AIR["belt"]["turn"]
    if late == (side == AXIS):
        for unit in GROUND_UNITS[side]:
            if g.state.where[unit] in BELT:
                losses.eliminate(g, unit, "2.5" if side == AXIS else "3.6")


# Who can move


def phase_share(g: G) -> Fraction:
    """What the phase leaves of an allowance: half in the Reaction Phase (OCS 5(2))."""
    return modes.REACTION if REACTING in g.state.todo else Fraction(1)


def can_move(g: G, side: int, unit: int) -> bool:
    """Whether a unit can still move, change its mode or be released in this segment."""
    return why_not_moving(g, side, unit) is None


def why_not_moving(g: G, side: int, unit: int) -> Refusal | None:
    """Why a unit cannot move in this segment (OCS 5(2), OCS 6(5))."""
    who, flags = name(unit), g.state.flags[unit]
    if SIDE[unit] != side:
        return Refusal(f"{who} is not yours", "OCS 6", who)
    if IS_AIR[unit]:
        return Refusal(f"{who} cannot move: aircraft fly missions", "OCS 14.2", who)
    if g.state.where[unit] in lift.BOXES and not is_later(g):
        return None
    if not on_map(g, unit):
        where = BOARD.name(g.state.where[unit]) if g.state.where[unit] >= 0 else "no location"
        return Refusal(f"{who} cannot move: it is in {where}", "OCS 6", who)
    if flags & FINISHED:
        return Refusal(f"{who} has finished its move in this phase", "OCS 6(5)", who)
    if REACTING in g.state.todo and not flags & (RESERVE | RELEASED):
        return Refusal(f"{who} cannot react: it is not in Reserve Mode", "OCS 5(2)", who)
    if EXPLOITING in g.state.todo and not flags & (RESERVE | RELEASED | EXPLOIT):
        return Refusal(f"{who} cannot exploit: it has no exploit marker and is not in Reserve Mode", "OCS 5(2)", who)
    if max([modes.allowance(unit, one, phase_share(g)) for one in flags_to_come(g, side, unit)]) <= g.state.spent[unit]:
        return Refusal(f"{who} cannot move: all its MPs are spent", "OCS 6", who)
    return None


def flags_to_come(g: G, side: int, unit: int) -> list[int]:
    """The flags of a unit as it is, or released, and in the modes that it can take now."""
    flags = g.state.flags[unit]
    if g.state.todo.keys() & {REACTING, EXPLOITING}:
        return [released(flags)]
    if flags & (CHANGED | MOVING):
        return [flags]
    return [flags, *[modes.flags_in(g, unit, word) for word in ("combat", "move")]]


def released(flags: int) -> int:
    """The flags of a unit after its release from Reserve (OCS 5(2))."""
    return flags & ~RESERVE | RELEASED if flags & RESERVE else flags


def why_not_chosen(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a unit or a hex cannot be chosen to move."""
    if click in decision.legal:
        return None
    if g.is_unit(click):
        return why_not_moving(g, decision.side, click)
    if click >= g.rules.first_button:
        word = g.rules.names[click]
        return ACTIONS[word][0](g, decision.side) if word in ACTIONS and belongs(g, decision.side, word) else None
    location = g.location(click)
    label = BOARD.name(location)
    there = [*forces_in(g, decision.side, location), *trucks_in(g, decision.side, location)]
    reasons = (why_not_moving(g, decision.side, unit) for unit in there)
    return next(filter(None, reasons), Refusal(f"None of your units is in {label}", "OCS 6", label))


def mates(g: G, side: int, units: Sequence[int]) -> list[int]:
    """The units that may go with a stack: of its hex, combat units or trucks as it is, able to move, and moving or not yet
    moved as it is (OCS 6(5))."""
    first, hex = units[0], g.state.where[units[0]]
    moving = g.state.flags[first] & MOVING
    stack = trucks_in(g, side, hex) if IS_TRUCK[first] else forces_in(g, side, hex)
    return [u for u in stack if u not in units and g.state.flags[u] & MOVING == moving and can_move(g, side, u)]


# In which mode, and how far


class Option(NamedTuple):
    """One mode in which a stack can move: the button of the mode ("" for as it is), the flags of its units, and the way."""

    word: str
    flags: tuple[int, ...]
    way: Way


def options(g: G, side: int, units: Sequence[int]) -> list[Option]:
    """The modes in which a stack can move, from the gentlest on (OCS 5(1))."""
    now = tuple([released(g.state.flags[u]) if is_later(g) else g.state.flags[u] for u in units])
    if is_later(g) or any(g.state.flags[unit] & (CHANGED | MOVING) for unit in units):
        return [option(g, side, units, "", now)]
    found = []
    known: fuel.Known = {}
    as_is = 0 if now[0] & RESERVE else None
    for number, word in enumerate(("combat", "move", "strat")):
        flags = tuple([modes.flags_in(g, unit, word) if able_in(g, side, unit, word) else -1 for unit in units])
        if -1 not in flags:
            found.append(option(g, side, units, "" if flags == now else word, flags, known))
            as_is = number if flags == now else as_is
    if all(one.word for one in found):
        found.insert(0, option(g, side, units, "", now, known))
    return found


def is_mud(g: G) -> bool:
    """Whether it is a Mud turn, in which units only change modes and go by rail and sea (1.3)."""
    return g.state.weather == MUD


def is_later(g: G) -> bool:
    """Whether it is the Reaction or the Exploitation Phase, in which modes are not chosen (OCS 5(1))."""
    return bool(g.state.todo.keys() & {REACTING, EXPLOITING})


def able_in(g: G, side: int, unit: int, word: str) -> bool:
    """Whether a unit is in a mode or can take it; trucks and replacements stay in Move Mode beside others."""
    return modes.flags_in(g, unit, word) == g.state.flags[unit] or modes.why_not(g, side, unit, word) is None


def option(
    g: G, side: int, units: Sequence[int], word: str, flags: tuple[int, ...], known: fuel.Known | None = None
) -> Option:
    """One mode of a stack with its way. `known` keeps what is known of its fuel from one mode to the next."""
    mobilities = frozenset([MOBILITY[unit][int(bool(mode & MOVE))] for unit, mode in zip(units, flags, strict=True)])
    hindrances = tuple(hinder(g, side, units, flags, mobilities, known))
    return Option(word, flags, Way(ground_of(mobilities, bridges(g, side)), (g.state.where[units[0]],), hindrances))


def points(g: G, units: Sequence[int], flags: Sequence[int]) -> int:
    """The MPs, in twelfths, of the unit of a stack that has fewest left."""
    share = phase_share(g)
    return min([modes.allowance(u, f, share) - g.state.spent[u] for u, f in zip(units, flags, strict=True)])


def hinder(
    g: G,
    side: int,
    units: Sequence[int],
    flags: Sequence[int],
    mobilities: frozenset[int],
    known: fuel.Known | None = None,
) -> Iterator[Hindrance]:
    """What hinders a stack, from soft to hard: its MPs, fuel, ZOCs for trucks, Strat Mode, booty that only attack-capable
    units take, enemy units, the area of the scenario (OCS 3(5), OCS 4(2), OCS 5, OCS 6)."""
    yield Limit(points(g, units, flags), "OCS 6(1)", "costs {cost} MPs, {left} left", shown)
    if is_mud(g):
        yield Hold("1.3", f"{whom(units)} cannot move: there is no movement in Mud", name(units[0]))
    if any(mode & EXTENDER for mode in flags):
        yield Hold("OCS 11.6", f"{whom(units)} cannot move: it is an extender", name(units[0]))
    dry = fuel.why_not(g, side, units, flags, known)
    if dry is not None:
        yield Hold(dry.rule, dry.reason, dry.cause)
    enemy = front(g, 1 - side)
    if TRUCK in mobilities:  # OCS 4(3)
        yield enemy.stop
    if any(mode & STRAT for mode in flags):
        yield enemy.strat
    if not any(COMBATANT[u] and can_attack(g, u) for u in units) or any(mode & (STRAT | RESERVE) for mode in flags):
        booty = control.booty_hexes(g, 1 - side)
        if booty:
            yield bar(
                CLOSED,
                booty,
                "OCS 3(5)",
                "only attack-capable units enter {hex}, which holds enemy supply, trucks or a base",
            )
    yield from interdiction(g, side, mobilities)
    yield enemy.closed
    if setting(g).area in OUTSIDE_BARS:
        yield OUTSIDE_BARS[setting(g).area]


def interdiction(g: G, side: int, mobilities: frozenset[int]) -> Iterator[Hindrance]:
    """Entering an interdicted hex costs a MP more: the marker's hex for leg units, also the adjacent ones for others (
    OCS 6(6), OCS 14.7)."""
    marked = [hex for hex, owner in g.state.interdicted.items() if owner == 2 - side]
    if marked:
        wide = mobilities != {LEG}
        zone = (
            frozenset([*marked, *[near for hex in marked for near in BOARD.around(hex)]]) if wide else frozenset(marked)
        )
        yield toll(zone)


@cache
def toll(hexes: frozenset[int]) -> Bar:
    """The cost of interdicted hexes."""
    nothing = np.zeros(HEXES, dtype=np.uint8)
    return Bar(
        TOLL,
        nothing,
        "OCS 14.7",
        "with 1 MP more in interdicted hexes it is too far",
        into=LAYOUT.mask(hexes),
        toll=SCALE,
    )


def shown(twelfths: int) -> str:
    """Movement points as they are counted at the table.

    >>> shown(12), shown(30), shown(4)
    ('1', '2 1/2', '1/3')
    """
    whole, rest = divmod(Fraction(twelfths, SCALE), 1)
    return " ".join([part for part in (str(whole) if whole or not rest else "", str(rest) if rest else "") if part])


class Moves(LazyClicks):
    """The legal clicks of a stack that may move in several modes: what any of them allows, the gentlest first."""

    __slots__ = ("_is_legal", "_maybe", "more", "parts")

    def __init__(
        self,
        parts: Sequence[tuple[Option, Destinations]],
        more: Mapping[int, Hint],
        maybe: Sequence[int],
        is_legal: Callable[[int], bool],
    ) -> None:
        """`is_legal` says of the buttons `maybe` whether they are legal."""
        self.parts = parts
        self.more = dict(more)
        self._maybe = maybe
        self._is_legal = is_legal

    def option(self, click: int) -> tuple[Option, Destinations] | None:
        """The first mode that allows a click, and its destinations."""
        return next((part for part in self.parts if click in part[1]), None)

    def __contains__(self, click: object) -> bool:
        if click in self._maybe:
            return isinstance(click, int) and self._is_legal(click)
        return click in self.more or any(click in part for _, part in self.parts)

    def __getitem__(self, click: int) -> Any:
        if click in self.more:
            return self.more[click]
        if click in self._maybe and self._is_legal(click):
            return None
        found = self.option(click)
        if found is None:
            raise KeyError(click)
        return self._worded(found[0], found[1][click])

    @staticmethod
    def _worded(one: Option, hint: Any) -> Any:
        """The hint of a mode: its cost with the mode, if the stack changes it."""
        return {one.word.capitalize(): hint} if one.word and not isinstance(hint, dict) else hint

    def listed(self) -> dict[int, Any]:
        """All clicks with their hints."""
        found = self.more | {button: None for button in self._maybe if self._is_legal(button)}
        for one, part in self.parts:
            found |= {click: self._worded(one, hint) for click, hint in part.listed().items() if click not in found}
        return found

    def _list(self) -> dict[int, None]:
        buttons = [button for button in self._maybe if self._is_legal(button)]
        return dict.fromkeys([*self.more, *buttons, *[click for _, part in self.parts for click in part]])

    def __iter__(self) -> Iterator[int]:
        return iter(self._list())

    def __len__(self) -> int:
        return len(self._list())

    def __bool__(self) -> bool:
        return bool(self.more) or any(self.parts)

    def pick(self, chance: Callable[[], float]) -> int:
        """Return a random legal click: drawn from what may be legal in each mode until one is, and is not so in a gentler
        mode."""
        named = [*self.more, *self._maybe]
        counts = [len(part) for part in [named, *[part.candidates for _, part in self.parts]]]
        total = sum(counts)
        while self.more:
            number = int(chance() * total)
            if number < counts[0]:
                if named[number] in self:
                    return named[number]
                continue
            number -= counts[0]
            at = 0
            while number >= counts[at + 1]:
                number -= counts[at + 1]
                at += 1
            part = self.parts[at][1]
            click = part.candidate(number)
            if click in part and not any(click in other for _, other in self.parts[:at]):
                return click
        return super().pick(chance)


def ends(g: G, side: int, units: Sequence[int], one: Option) -> tuple[End, ...]:
    """A stack may pass a full hex but not end there unless units in it can still leave; Strat Mode ends where it traces
    supply (OCS 3(1), OCS 5)."""
    full = SIZE.end(g, side, units, BOARD.name, lambda unit: unit not in units and can_move(g, side, unit))
    kept: tuple[End, ...] = (full,)
    if cooperation.is_played(g):
        kept += (End(partial(cooperation.why_not_stacked, g, units), lambda: g.state.where.stacks(side)),)
    if not any(flags & STRAT for flags in one.flags):
        return kept

    def untraced(hex: int) -> Refusal | None:
        if modes.can_end_in_strat(g, side, hex):
            return None
        label = BOARD.name(hex)
        return Refusal(f"{whom(units)} cannot end in {label} in Strat Mode: no trace supply there", "OCS 5", label)

    return *kept, End(untraced, lambda: range(HEXES))


# What a stack does


BUTTON_ORDER = (
    "combat", "move", "strat", "reserve", "release", "fuel", "load", "unload", "build", "rail", "sea", "exit", "breakout",
    "blow", "embark", "extend",
)  # fmt: skip
"""What a stack may do besides moving."""
MUD_BUTTONS = ("combat", "move", "strat", "reserve", "rail", "sea")
"""What it may do in Mud (1.3)."""


def why_not_button(g: G, side: int, units: Sequence[int], word: str) -> Refusal | None:
    """Why a button of a stack is illegal."""
    who = whom(units)
    if word == "fuel":
        return fuel.why_not_lasting(g, side, units)
    if word in ("load", "unload"):
        return trucks.why_not(g, side, units, word)
    if word == "blow":
        return trucks.why_not_blown(g, side, g.state.where[units[0]])
    if word == "embark":
        return raid.why_not(g, units)
    if word == "extend":
        return trucks.why_no_extender(g, units)
    if word in (lift.RAIL, lift.SEA):
        return lift.why_not_carried(g, side, units, word)
    if word == "build":
        return construction.why_not_working(g, units)
    if word == "breakout":
        return breakout.why_not(g, side, units)
    if word == "exit":
        return leaving.why_not(g, side, units)
    if word == "release":
        if not is_later(g):
            return Refusal(f"{who} is released in the Reaction or Exploitation Phase", "OCS 5(2)", name(units[0]))
        kept = [unit for unit in units if not g.state.flags[unit] & RESERVE]
        return Refusal(f"{name(kept[0])} is not in Reserve Mode", "OCS 5(2)", name(kept[0])) if kept else None
    if is_later(g):
        return Refusal(f"{who} cannot change its mode: only in the Movement Phase", "OCS 5(1)", name(units[0]))
    if any(g.state.flags[unit] & MOVING for unit in units):
        return Refusal(f"{who} cannot change its mode: it has begun to move", "OCS 5(1)", name(units[0]))
    if word == "strat" and not modes.can_end_in_strat(g, side, g.state.where[units[0]]):
        label = BOARD.name(g.state.where[units[0]])
        return Refusal(f"{who} cannot stay in {label} in Strat Mode: no trace supply there", "OCS 5", label)
    reasons = [modes.why_not(g, side, unit, word) for unit in units]
    return (
        reasons[0]
        if all(reasons)
        else next(
            (r for r, u in zip(reasons, units, strict=True) if r and modes.flags_in(g, u, word) != g.state.flags[u]),
            None,
        )
    )


def applies(g: G, units: Sequence[int], word: str) -> bool:
    """Whether a button belongs to a stack at all: trucks load, combat units change modes."""
    lorries = IS_TRUCK[units[0]]
    if is_mud(g) and word not in MUD_BUTTONS:
        return False
    if word == "embark":
        return not is_later(g) and raid.is_option(g, units)
    if not on_map(g, units[0]) and word not in (lift.RAIL, lift.SEA):
        return False
    if word == "extend":
        return lorries and not is_later(g) and trucks.could_extend(units)
    if word in ("load", "unload"):
        return lorries
    if word == "blow":
        return on_map(g, units[0])
    if word in (lift.RAIL, lift.SEA):
        return not is_later(g) and lift.allowance(g, SIDE[units[0]], word) > 0
    if word == "breakout":
        return not is_later(g)
    if word == "build":
        return not lorries and not is_later(g)
    if word == "exit":
        return not lorries and leaving.is_at_exit(g, units)
    if word == "release":
        return is_later(g)
    return not lorries and not (is_later(g) and word != "fuel")


def move_stack(g: G, side: int, units: list[int]) -> Procedure:
    """One unit, or several of a hex together, move, overrun, change mode, load or are fuelled (OCS 6(5))."""
    units, click, decision = yield from stacks.select(
        g, units, partial(mates, g, side), partial(ask_where, g, side), DIVISION.__getitem__
    )
    if not units:
        return
    word = g.rules.names[click] if click >= g.rules.first_button else ""
    if word in (lift.RAIL, lift.SEA):
        take_up(g, side, units)
        yield from lift.carry_units(g, side, units, word)
        return
    if word == "build":
        yield from construction.build(g, side, units)
        return
    if word:
        act(g, side, units, word)
        return
    legal, hex = decision.legal, g.location(click)
    assert isinstance(legal, Moves)
    found = legal.option(click)
    assert found is not None
    one, part = found
    start_move(g, side, units, one)
    if forces_in(g, 1 - side, hex):
        yield from overrun.overrun(g, side, units, hex)
    elif hex in part.reach:
        walk(g, side, units, part.reach, hex)
    else:
        step(g, side, units, hex)


def act(g: G, side: int, units: Sequence[int], word: str) -> None:
    """A stack does what a button says."""
    if word == "fuel":
        fuel.fuel_lasting(g, side, units)
    elif word in ("load", "unload"):
        take_up(g, side, units)
        trucks.handle(g, side, units, word)
    elif word == "embark":
        raid.embark(g, units[0])
    elif word == "extend":
        take_up(g, side, units)
        trucks.extend(g, side, units)
    elif word == "blow":
        trucks.blow(g, side, g.state.where[units[0]])
    elif word == "exit":
        leaving.leave(g, side, units)
    elif word == "breakout":
        breakout.attempt(g, side, units)
    elif word == "release":
        release(g, units)
    else:
        modes.change(g, units, word)


def release(g: G, units: Sequence[int]) -> None:
    """Reserves are released (OCS 5(2))."""
    for unit in units:
        if g.state.flags[unit] & RESERVE:
            g.state.flags[unit] = released(g.state.flags[unit])
            tell(g, SIDE[unit], "OCS 5(2)", "{unit} is released from Reserve", unit=unit)


def start_move(g: G, side: int, units: Sequence[int], one: Option) -> None:
    """A stack begins or goes on with its move: its mode, its release, its fuel (OCS 5(1), OCS 11.4)."""
    take_up(g, side, units)
    if is_later(g):
        release(g, units)
    elif one.word:
        modes.change(g, units, one.word)
    fuel.fuel(g, side, units)


def take_up(g: G, side: int, units: Sequence[int]) -> None:
    """One stack finishes before the next, and units dropped on the way are done (OCS 6(5))."""
    flags = g.state.flags
    for unit in GROUND_UNITS[side]:
        if flags[unit] & MOVING and unit not in units:
            flags[unit] = flags[unit] & ~MOVING | FINISHED
    for unit in units:
        flags[unit] |= MOVING


def ask_where(g: G, side: int, units: list[int], others: Sequence[int]) -> Decision:
    """Where a stack goes and in which mode, what else it does, or who joins or leaves it."""
    more: dict[int, Hint] = dict.fromkeys([*units, *others, g.rules.button("cancel")])
    if stacks.formation_mates(units, others, DIVISION.__getitem__):
        more[g.rules.button("formation")] = None
    buttons = partial(own_buttons, g, tuple(units))

    def is_legal(button: int) -> bool:
        word = g.rules.names[button]
        return applies(g, units, word) and why_not_button(g, side, units, word) is None

    every = tuple([g.rules.button(word) for word in BUTTON_ORDER])
    if not on_map(g, units[0]):
        return Decision(
            side, "move.to", f"{whom(units)} waits in a box: ship it, or add a unit", "1.5c", Choices(more, every, is_legal),
            about=tuple(units), buttons=buttons, why_not=why_not_there,
        )  # fmt: skip
    parts = [(one, destinations(g, side, units, one)) for one in options(g, side, units)]
    return Decision(
        side, "move.to", f"Move {whom(units)}: choose a hex, or add a unit to the stack", "OCS 6",
        Moves(parts, more, every, is_legal), about=tuple(units), buttons=buttons, why_not=why_not_there,
        reach=partial(widest, parts),
    )  # fmt: skip


def own_buttons(g: G, units: Sequence[int]) -> tuple[int, ...]:
    """The buttons that belong to a stack, legal or not."""
    return tuple([g.rules.button(word) for word in BUTTON_ORDER if applies(g, units, word)])


def widest(parts: Sequence[tuple[Option, Destinations]]) -> Reach:
    """The reach of the mode that reaches most."""
    return max([part.reach for _, part in parts], key=lambda reach: int(reach.reached.sum()))


def destinations(g: G, side: int, units: Sequence[int], one: Option) -> Destinations:
    """Where a stack can go in a mode: what it reaches, the hexes it can overrun, and its minimum move."""
    found = ways.reach(one.way)
    more: dict[int, Hint] = {}
    for hex in overrun.targets(g, side, units, one.flags):
        more[g.place0 + hex] = {"overrun": shown(overrun.COST)}
    for hex in minimum_steps(g, side, units, one, found):
        more[g.place0 + hex] = {"minimum move": shown(points(g, units, one.flags))}
    return Destinations(g.place0, found, ends(g, side, units, one), more, shown)


def minimum_steps(g: G, side: int, units: Sequence[int], one: Option, found: Reach) -> list[int]:
    """The adjacent hexes that a stack that has not moved enters for its whole allowance, however dear (OCS 6(2), OCS 6(3))."""
    here = g.state.where[units[0]]
    return [hex for hex in BOARD.around(here) if hex not in found and why_no_minimum(g, side, units, one, hex) is None]


def why_no_minimum(g: G, side: int, units: Sequence[int], one: Option, hex: int) -> Refusal | None:
    """Why a stack has no minimum move to an adjacent hex: it has moved, has no MPs or fuel, the ground is closed, an enemy is
    there, or its mode forbids it (OCS 6(2))."""
    label, who = BOARD.name(hex), whom(units)
    if any(g.state.spent[unit] for unit in units) or points(g, units, one.flags) <= 0:
        return Refusal(f"{who} has no minimum move to {label}: it has moved, or has no allowance", "OCS 6(2)", label)
    for hindrance in one.way.hindrances:
        if isinstance(hindrance, Hold):
            return Refusal(f"{who} has no minimum move to {label}: {hindrance.text}", hindrance.rule, hindrance.cause)
        if isinstance(hindrance, Bar) and hindrance.effect == CLOSED and hindrance.nodes[hex]:
            return Refusal(f"{who} has no minimum move to {label}: the hex is closed to it", hindrance.rule, label)
    here = g.state.where[units[0]]
    for unit, flags in zip(units, one.flags, strict=True):
        if hex not in OPEN_SIDES[MOBILITY[unit][int(bool(flags & MOVE))]][here]:
            return Refusal(f"{who} has no minimum move to {label}: closed ground", "OCS 6(2)", label)
    return next((refusal for end in ends(g, side, units, one) if (refusal := end.refuse(hex)) is not None), None)


def why_not_there(g: G, decision: Decision, click: int) -> Refusal | None:
    """Why a stack cannot go to a hex in any mode, or a unit not go along, or a button is illegal."""
    if click in decision.legal:
        return None
    side, units = decision.side, decision.about
    if click >= g.rules.first_button:
        word = g.rules.names[click]
        return why_not_button(g, side, units, word) if word in BUTTON_ORDER and applies(g, units, word) else None
    if g.is_unit(click) and SIDE[click] == side:
        here = BOARD.name(g.state.where[units[0]])
        return why_not_moving(g, side, click) or Refusal(
            f"{name(click)} cannot join {whom(units)}: not in {here}, or its move has begun", "OCS 6(5)", name(click)
        )
    hex = g.state.where[click] if g.is_unit(click) else hex_of(g, click)
    if hex is None or not 0 <= hex < HEXES:
        label = g.rules.names[click]
        return Refusal(f"{whom(units)} cannot move to {label}: not a hex of the map", "OCS 6", label)
    label = BOARD.name(hex)
    if not on_map(g, units[0]):
        return Refusal(f"{whom(units)} cannot march to {label}: it is in a box and goes by sea or rail", "1.5c", label)
    if hex == g.state.where[units[0]]:
        return Refusal(f"{whom(units)} is in {label}", "OCS 6", label)
    choices = options(g, side, units)
    if forces_in(g, 1 - side, hex):
        return overrun.why_not(g, side, units, choices[0].flags, hex)
    reasons = [ways.why_not(g, one.way, hex, whom(units), ends(g, side, units, one)) for one in choices]
    if not all(reasons):
        return None
    assert isinstance(decision.legal, Moves)
    shown_first = [part.reach is decision.reach for _, part in decision.legal.parts]
    return reasons[shown_first.index(True)]


def walk(g: G, side: int, units: Sequence[int], reach: Reach, hex: int) -> None:
    """Move a stack to a hex it reaches (OCS 6(1))."""
    cost, path, start = reach.cost(hex), reach.path(hex), g.state.where[units[0]]
    tell(g, side, "OCS 6", "{units} from {hex_from} to {hex}, {cost} MPs", "Units move from {hex_from} to {hex}",
         units=names(units), hex_from=start, hex=hex, cost=shown(cost))  # fmt: skip
    for unit in units:
        g.state.spent[unit] += cost
        g.state.where[unit] = hex
    if TRUCK in [MOBILITY[unit][int(bool(g.state.flags[unit] & MOVE))] for unit in units]:
        hold_posts(g, side, units, path)
    control.enter(g, side, units, [start, *path])


def hold_posts(g: G, side: int, units: Sequence[int], path: Sequence[int]) -> None:
    """A combat unit that lets trucks pass an enemy ZOC spends no more MPs in this phase (OCS 4(2))."""
    zoned = zone(g, 1 - side)
    for hex in path:
        friends = [unit for unit in forces_in(g, side, hex) if unit not in units]
        if zoned[hex] and friends and not any(g.state.flags[unit] & FINISHED for unit in friends):
            g.state.flags[min(friends, key=lambda unit: (MA[unit][1], unit))] |= FINISHED


def step(g: G, side: int, units: Sequence[int], hex: int) -> None:
    """The minimum move: one hex for all MPs (OCS 6(2))."""
    start = g.state.where[units[0]]
    tell(g, side, "OCS 6(2)", "{units} from {hex_from} to {hex}, all MPs", "Units move from {hex_from} to {hex}",
         units=names(units), hex_from=start, hex=hex)  # fmt: skip
    for unit in units:
        g.state.spent[unit] = max(modes.allowance(unit, g.state.flags[unit], phase_share(g)), 1)
        g.state.where[unit] = hex
    control.enter(g, side, units, [start, hex])
