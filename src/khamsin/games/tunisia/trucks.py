"""Trucks (1.10, OCS 11.6): they load and unload tokens, and dumps are blown up."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from khamsin.games.tunisia import control, movers, supply, tracing
from khamsin.games.tunisia.scenario import PORTS
from khamsin.games.tunisia.units import (
    BOARD,
    CHARCOAL,
    EXTENDER,
    FINISHED,
    HEXES,
    MA,
    ORGANIC,
    SCALE,
    SIDE,
    SUPPLY,
    TOKENS,
    G,
    forces_in,
    name,
    names,
    stock,
    tell,
    tokens,
    trucks_in,
    whom,
)
from khamsin.kernel.rules import Procedure, Refusal
from khamsin.mechanics.refusals import for_locations

SHARE = Fraction(SUPPLY["load"]["share"])


def handling(unit: int) -> int:
    """Return the cost of loading or unloading for a truck: a tenth of its allowance in whole MPs, halves up (OCS 11.6)."""
    return int(MA[unit][1] * SHARE + Fraction(1, 2)) * SCALE


def handles(unit: int) -> str:
    """Return the key in `todo` of the hex in which a truck has loaded or unloaded last."""
    return f"{name(unit)} handles"


def price(g: G, unit: int) -> int:
    """Return what a truck pays to load or unload where it is: once in a hex for any number of tokens (OCS 11.6; series
    13.2f)."""
    return 0 if g.state.todo.get(handles(unit)) == g.state.where[unit] else handling(unit)


def loadable(g: G, side: int, hex: int) -> int:
    """Return the tokens on the ground of a hex that trucks may load: not those unloaded in this phase (OCS 11.1(4))."""
    return max(0, stock(g, side).get(hex, 0) - g.state.fresh.get(hex, 0))


def why_not(g: G, side: int, units: Sequence[int], word: str) -> Refusal | None:
    """Return why trucks cannot load, unload, or unload a token where they are (OCS 11.6, OCS 11.1(4))."""
    hex, who = g.state.where[units[0]], whom(units)
    label, cannot = BOARD.name(hex), f"{whom(units)} cannot {'load' if word == 'load' else 'unload'}"
    if any(g.state.flags[unit] & EXTENDER for unit in units):
        return Refusal(f"{cannot}: it is an extender", "OCS 11.6", name(units[0]))
    short = [unit for unit in units if movers.points(g, [unit], [g.state.flags[unit]]) < price(g, unit)]
    if short:
        return Refusal(f"{cannot}: {name(short[0])} has too few MPs left", "OCS 11.6", name(short[0]))
    if word == "load":
        if all(g.state.load[unit] >= TOKENS for unit in units):
            return Refusal(f"{who} is full", "OCS 11.6", name(units[0]))
        if not loadable(g, side, hex):
            return Refusal(f"{cannot}: no supply on the ground of {label} that was not unloaded now", "OCS 11.6", label)
        return None
    if any(ORGANIC[unit] for unit in units):
        return Refusal(f"{cannot}: organic trucks never unload", "OCS 11.6", name(units[0]))
    if not any(g.state.load[unit] for unit in units):
        return Refusal(f"{who} is empty", "OCS 11.6", name(units[0]))
    friendly = forces_in(g, side, hex) or stock(g, side).get(hex) or g.state.base.get(hex) == side
    if not friendly and not (hex in PORTS and g.state.control.get(hex) == side):
        return Refusal(
            f"{cannot} in {label}: no friendly combat unit, port, air base or dump is there", "OCS 11.6", label
        )
    return None


def handle(g: G, side: int, units: Sequence[int], word: str) -> None:
    """Trucks load what they can, unload all, or one of them unloads a token, for a tenth of their allowance; a truck that
    handles nothing pays nothing (OCS 11.6)."""
    hex = g.state.where[units[0]]
    working = [unit for unit in units if g.state.load[unit]][:1] if word == "token" else units
    for unit in working:
        amount = min(TOKENS - g.state.load[unit], loadable(g, side, hex)) if word == "load" else g.state.load[unit]
        amount = min(amount, 1) if word == "token" else amount
        if amount <= 0:
            continue
        g.state.spent[unit] += price(g, unit)
        g.state.todo[handles(unit)] = hex
        if word == "load":
            g.state.load[unit] += amount
            supply.add(g, side, hex, -amount)
            if not stock(g, side)[hex]:
                del stock(g, side)[hex]
            tell(g, side, "OCS 11.6", "{unit} loads {amount} in {hex}", unit=unit, amount=tokens(amount), hex=hex)
        else:
            g.state.load[unit] -= amount
            supply.add(g, side, hex, amount)
            g.state.fresh[hex] = g.state.fresh.get(hex, 0) + amount
            tell(g, side, "OCS 11.6", "{unit} unloads {amount} in {hex}", unit=unit, amount=tokens(amount), hex=hex)


# Extenders (OCS 11.6)


def could_extend(units: Sequence[int]) -> bool:
    """Whether trucks are of the kind that makes extenders: ordinary truck points (OCS 11.6)."""
    return not any(ORGANIC[unit] or CHARCOAL[unit] for unit in units)


def is_linked(g: G, side: int, hex: int) -> bool:
    """Whether an extender in a hex would be within its range of a source, a railhead or another extender (OCS 11.6)."""
    field = tracing.trace(g, side)
    return bool(field.extended(field.heads)[hex])


def half_allowance(unit: int) -> int:
    """Return the cost of turning into an extender and back for a truck (OCS 11.6)."""
    return MA[unit][1] * SCALE // 2


def why_no_extender(g: G, units: Sequence[int]) -> Refusal | None:
    """Return why truck points cannot become an extender or stop being one: five together, empty, with half their
    allowance left (OCS 11.6)."""
    who, number = whom(units), len(units)
    if number != SUPPLY["extender"]["points"]:
        return Refusal(
            f"{who} cannot be an extender: it takes 5 truck points, not {number}", "OCS 11.6", name(units[0])
        )
    if len({g.state.flags[unit] & EXTENDER for unit in units}) > 1:
        return Refusal(f"{who} cannot be an extender: some of the trucks already are one", "OCS 11.6", name(units[0]))
    for unit in units:
        if g.state.load[unit]:
            return Refusal(f"{who} cannot be an extender: {name(unit)} is loaded", "OCS 11.6", name(unit))
        if MA[unit][1] * SCALE - g.state.spent[unit] < half_allowance(unit):
            return Refusal(f"{who} cannot be an extender: it takes half the allowance", "OCS 11.6", name(unit))
    hex = g.state.where[units[0]]
    if not g.state.flags[units[0]] & EXTENDER and not is_linked(g, SIDE[units[0]], hex):
        return Refusal(
            f"{who} cannot be an extender: no source, railhead or extender in range", "OCS 11.6", BOARD.name(hex)
        )
    return None


def extend(g: G, side: int, units: Sequence[int]) -> None:
    """Five truck points become an extender, or truck points again, for half their allowance (OCS 11.6)."""
    for unit in units:
        g.state.spent[unit] += half_allowance(unit)
        g.state.flags[unit] ^= EXTENDER
    made = g.state.flags[units[0]] & EXTENDER
    what = "{units:becomes|become}" if made else "{units:is|are} no longer"
    tell(g, side, "OCS 11.6", f"{{units}} {what} an extender", units=names(units))


def is_extender(g: G, units: Sequence[int]) -> bool:
    """Whether all of these trucks belong to an extender."""
    return all(g.state.flags[unit] & EXTENDER for unit in units)


def why_no_collapse(g: G, side: int, units: Sequence[int]) -> Refusal | None:
    """Return why an extender cannot collapse: as a whole, instead of any movement, to a hex in trace within its range
    (OCS 9.3; series 9.14d)."""
    who, hex = whom(units), g.state.where[units[0]]
    if len(units) != SUPPLY["extender"]["points"]:
        return Refusal(f"{who} cannot collapse: choose the 5 truck points of an extender", "OCS 9.3", name(units[0]))
    for unit in units:
        if g.state.spent[unit]:
            return Refusal(f"{who} cannot collapse: {name(unit)} has spent MPs in this phase", "OCS 9.3", name(unit))
    if not control.refuges(g, side, hex):
        return Refusal(f"{who} cannot collapse: no hex in trace supply within its range", "OCS 9.3", BOARD.name(hex))
    return None


def collapse(g: G, side: int, units: Sequence[int]) -> Procedure:
    """An extender is displaced to a hex in trace and becomes truck points again, instead of its movement (OCS 9.3;
    series 12.7h, 9.14d)."""
    cancel, here = g.rules.button("cancel"), g.state.where[units[0]]
    click = yield g.ask(
        side, "extender.collapse", f"Choose the hex in trace supply to which {whom(units)} is displaced", "OCS 9.3",
        locations=control.refuges(g, side, here), buttons=[cancel], about=units,
        why_not=for_locations(why_no_refuge, side, here),
    )  # fmt: skip
    if click == cancel:
        return
    for unit in units:
        g.state.flags[unit] = g.state.flags[unit] & ~EXTENDER | FINISHED
        g.state.where[unit] = g.location(click)
    tell(g, side, "OCS 9.3", "{units} are displaced to {hex}", units=names(units), hex=g.location(click))


def why_no_refuge(g: G, side: int, here: int, hex: int) -> Refusal | None:
    """Return why an extender cannot be displaced to a hex (OCS 9.3)."""
    if hex in control.refuges(g, side, here):
        return None
    label = BOARD.name(hex)
    return Refusal(
        f"The extender cannot be displaced to {label}: not in trace supply within its range", "OCS 9.3", label
    )


def why_not_blown(g: G, side: int, hex: int) -> Refusal | None:
    """Return why the supply in a hex cannot be blown: none is there, or it was tried in this phase (OCS 11.6)."""
    label = BOARD.name(hex)
    if hex >= HEXES:
        return Refusal(f"The supply of {label} cannot be blown: not on the map", "OCS 11.6", label)
    if not content(g, side, hex):
        return Refusal(f"No supply in {label} to destroy", "OCS 11.6", label)
    if hex in g.state.blown:
        return Refusal(f"The supply in {label} has already been blown in this phase", "OCS 11.6", label)
    return None


def why_no_dump(g: G, side: int) -> Refusal | None:
    """Return why a side can blow no supply now (OCS 11.6)."""
    if any(why_not_blown(g, side, hex) is None for hex in supply.dumps(g, side)):
        return None
    return Refusal("No supply can be blown: you have none, or all has been blown in this phase", "OCS 11.6", "blow")


def is_threatened(g: G, side: int) -> bool:
    """Whether enemies are adjacent to supply of a side without a combat unit of its own."""
    alone = [hex for hex in supply.dumps(g, side) if not forces_in(g, side, hex) and hex not in g.state.blown]
    return any(forces_in(g, 1 - side, near) for hex in alone for near in BOARD.around(hex))


def blow_dump(g: G, side: int) -> Procedure:
    """A side blows all or some of the supply in one of its hexes; no unit need be there (OCS 11.6; series 12.11a)."""
    cancel = g.rules.button("cancel")
    hexes = [hex for hex in supply.dumps(g, side) if why_not_blown(g, side, hex) is None]
    click = yield g.ask(
        side, "dump.blow", "Choose the hex whose supply is blown", "OCS 11.6", locations=hexes, buttons=[cancel],
        why_not=for_locations(why_not_blown, side),
    )  # fmt: skip
    if click == cancel:
        return
    hex = g.location(click)
    most, amount = content(g, side, hex), 0
    sizes = {g.rules.button(word): size for word, size in (("token", 1), ("point", TOKENS))}
    while amount < most:
        more = [button for button, size in sizes.items() if amount + size < most]
        done = [g.rules.button("done")] if amount else []
        click = yield g.ask(
            side, "dump.amount", f"Blow {tokens(amount) if amount else 'how much'} of {tokens(most)} in {BOARD.name(hex)}?",
            "OCS 11.6", buttons=[g.rules.button("all"), *more, *done, cancel], at=[hex],
        )  # fmt: skip
        if click == cancel:
            return
        if click in done:
            break
        amount += sizes.get(click, most - amount)
    blow(g, side, hex, amount)


def content(g: G, side: int, hex: int) -> int:
    """Return the tokens of a side in a hex, on the ground and on trucks."""
    return stock(g, side).get(hex, 0) + sum([g.state.load[truck] for truck in trucks_in(g, side, hex)])


def blow(g: G, side: int, hex: int, amount: int) -> None:
    """Roll for the share of an amount of tokens in a hex that is destroyed: on the ground before those on trucks
    (OCS 17.8; series 12.11a)."""
    roll = g.dice.roll(f"blowing the dump in {BOARD.name(hex)}", "OCS 17.8")
    share = SUPPLY["blow"]["percent"][roll - 1]
    g.state.blown[hex] = 1
    left = lost = control.percent(amount, share)
    ground = stock(g, side).pop(hex, 0)
    kept = max(0, ground - left)
    left -= ground - kept
    supply.add(g, side, hex, kept)
    for truck in trucks_in(g, side, hex):
        part = min(left, g.state.load[truck])
        g.state.load[truck] -= part
        left -= part
    tell(g, side, "OCS 17.8", "{lost} of {amount} in {hex} is destroyed", "Supply in {hex} is destroyed", lost=tokens(lost),
         amount=tokens(amount), hex=hex)  # fmt: skip
