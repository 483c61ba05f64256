"""The fields of a position: what each stack of both sides can reach and attack, supply, and what depends on each hex.
They are computed once per plan, from what the side knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from khamsin.kernel.flood import FAR
from khamsin.players.staff.odds import Danger, Verdict
from khamsin.players.staff.theatre import Costs, Field, Figures, Mask, Outcome, Theatre

TOGETHER = 4
"""The hexes that are tried together to cut supply."""


class Party(NamedTuple):
    """Units that move together: their hex, their values together, and their reach."""

    units: tuple[int, ...]
    hex: int
    attack: float
    defence: float
    steps: int
    worth: float
    points: int
    is_support: bool
    lasts: bool
    costs: Costs
    bit: int
    """A number with one bit set, different for each party of a position; sums of them are several parties."""

    def reaches(self, hex: int) -> bool:
        """Whether the party can get to a hex, or is there."""
        return hex == self.hex or bool(self.costs[hex] != FAR)


class Fields:
    """The position as a side sees it before it moves."""

    def __init__(self, theatre: Theatre, g: Any, side: int, danger: Danger, moving: bool) -> None:
        self.theatre, self.g, self.side, self.enemy, self.danger = theatre, g, side, 1 - side, danger
        self.own = {hex: tuple(stack) for hex, stack in theatre.stacks(g, side).items()}
        self.hostile = {hex: tuple(stack) for hex, stack in theatre.stacks(g, 1 - side).items()}
        self._figures: dict[int, Figures] = {}
        self._numbers = count()
        self._detached: dict[tuple[int, ...], tuple[Party, ...]] = {}
        self.combats = theatre.combats(g, side)
        self._outcomes: dict[object, list[Outcome]] = {}
        self.verdicts: dict[object, Verdict | None] = {}
        """Verdicts of attacks, by what they depend on."""
        self.is_moving = moving
        """Whether a plan is being made: then the threat is needed for all hexes, else for few."""
        self._threats: dict[int, float] = {}
        self.parties = [self._party(units) for units in theatre.parties(g, side)] if moving else []

    def figures(self, unit: int) -> Figures:
        """Return the values of a unit now."""
        found = self._figures.get(unit)
        if found is None:
            found = self._figures[unit] = self.theatre.figures(self.g, unit)
        return found

    def party_of(self, units: Sequence[int], hex: int, costs: Costs) -> Party:
        """Return units as a party."""
        known = [self.figures(unit) for unit in units]
        return Party(
            tuple(units), hex, sum(one.attack for one in known), sum(one.defence for one in known),
            sum(one.steps for one in known), sum(one.worth for one in known), sum(one.points for one in known),
            all(one.is_support for one in known), any(one.lasts for one in known), costs, 1 << next(self._numbers),
        )  # fmt: skip

    def detachments(self, party: Party) -> tuple[Party, ...]:
        """Return each unit of a party as a separate party."""
        found = self._detached.get(party.units)
        if found is None:
            single = [(unit,) for unit in party.units] if len(party.units) > 1 else []
            found = self._detached[party.units] = tuple(self._party(units) for units in single)
        return found

    def without(self, party: Party, units: Sequence[int]) -> Party | None:
        """Return a party without some units, None if none is left."""
        rest = tuple(unit for unit in party.units if unit not in units)
        return self._party(rest) if rest else None

    def _party(self, units: tuple[int, ...]) -> Party:
        return self.party_of(units, self.g.state.where[units[0]], self.theatre.costs(self.g, self.side, units))

    # Attacks

    @cached_property
    def prey(self) -> dict[int, float]:
        """The worth of the enemy units in each hex."""
        return {hex: sum([self.figures(unit).worth for unit in stack]) for hex, stack in self.hostile.items()}

    def outcomes(self, hex: int, units: Mapping[int, int], arrangement: object, support: int) -> list[Outcome]:
        """Return the exact results of an attack on a hex by units from some hexes, in their arrangement, with support."""
        key = hex, support, arrangement
        found = self._outcomes.get(key)
        if found is None:
            found = self._outcomes[key] = self.combats.outcomes(hex, units, support, arrangement)
        return found

    def beside(self, mask: Mask) -> Mask:
        """Return the hexes adjacent to those of a mask across hexsides that allow an attack."""
        padded = np.append(mask, False)
        return np.asarray(padded[self.theatre.sides].any(axis=1))

    def _reaching(self, side: int, turns: int) -> tuple[Mask, Field]:
        """Return the hexes that each unit of a side with an attack strength can reach in a number of turns, with a last
        column for no hex, and its strength."""
        stacks = self.theatre.stacks(self.g, side).values()
        able = {unit: strength for stack in stacks for unit in stack if (strength := self.figures(unit).attack)}
        rows = np.zeros((len(able), self.theatre.hexes + 1), dtype=bool)
        for number, unit in enumerate(able):
            rows[number, :-1] = self.theatre.reach(self.g, side, (unit,), turns) != FAR
        return rows, np.array([*able.values()], dtype=float)

    def _strength_against(self, side: int, turns: int) -> Field:
        """Return the attack strength that a side can bring against each hex in a number of turns: of each hex the
        strongest units, up to the stacking limits around it."""
        rows, strengths = self._reaching(side, turns) if turns > 1 else self._feared
        most = int(self.theatre.weights["most_attackers"])
        brought = rows[:, self.theatre.sides].any(axis=2) * strengths[:, None]
        if len(rows) > most:
            brought = np.partition(brought, len(rows) - most, axis=0)[-most:]
        return np.asarray(brought.sum(axis=0))

    @cached_property
    def _feared(self) -> tuple[Mask, Field]:
        return self._reaching(self.enemy, 1)

    def threat_in(self, hex: int) -> float:
        """Return the strength that the enemy can bring against a hex in its next turn."""
        if self.is_moving:
            return float(self.threat[hex])
        found = self._threats.get(hex)
        if found is None:
            rows, strengths = self._feared
            brought = sorted(strengths[rows[:, self.theatre.near[hex]].any(axis=1)].tolist())
            found = self._threats[hex] = sum(brought[-int(self.theatre.weights["most_attackers"]) :])
        return found

    @cached_property
    def threat(self) -> Field:
        """The strength that the enemy can bring against each hex in its next turn."""
        return self._strength_against(self.enemy, 1)

    @cached_property
    def threat_later(self) -> Field:
        """The same in two turns."""
        return self._strength_against(self.enemy, 2)

    @cached_property
    def cover(self) -> Field:
        """The multiplier of the side's defence in each hex."""
        return self.theatre.cover(self.g, self.side)

    @cached_property
    def contact(self) -> Mask:
        """The hexes adjacent to enemy units."""
        mask = np.zeros(self.theatre.hexes, dtype=bool)
        mask[[hex for hex in self.hostile if hex < self.theatre.hexes]] = True
        return self.beside(mask)

    def harm(self, hexes: NDArray[np.intp], defence: Field, steps: int) -> Field:
        """Return the share of a force that the enemy's next turn is expected to eliminate in each of some hexes."""
        ratios = self.threat[hexes] / np.maximum(defence * self.cover[hexes], 0.5)
        return np.minimum(1.0, self.danger.all_steps(ratios) / max(1, steps))

    def harm_in(self, hex: int, defence: float, steps: int) -> float:
        """Return the same in one hex."""
        return min(1.0, self.danger.steps(self.ratio(hex, defence)) / max(1, steps))

    def thrown(self, hex: int, defence: float) -> float:
        """Return the chance that a defence has to leave a hex in the enemy's next turn."""
        return self.danger.thrown(self.ratio(hex, defence))

    def thrown_now(self, hex: int) -> float:
        """Return the chance that the side's units in a hex have to leave it in the enemy's next turn."""
        return self.thrown(hex, sum([self.figures(unit).defence for unit in self.own.get(hex, ())]))

    def thrown_later(self, hex: int, defence: float) -> float:
        """Return the same in two turns."""
        return self.danger.thrown(float(self.threat_later[hex]) / max(defence * float(self.cover[hex]), 0.5))

    def ratio(self, hex: int, defence: float) -> float:
        """Return the ratio of the enemy's possible attack to a defence in a hex."""
        return self.threat_in(hex) / max(defence * float(self.cover[hex]), 0.5)

    # Supply

    @cached_property
    def supplied(self) -> Mask:
        """Where units of the side would be in supply: also adjacent to hexes that are, because a unit opens its own
        hex."""
        fed = self.theatre.supplied(self.g, self.side)
        return fed | self.beside(fed)

    def supplied_after(self, places: Mapping[int, int]) -> Mask:
        """Return where units would be in supply if units of the side were in other hexes."""
        moved = {unit: hex for unit, hex in places.items() if self.g.state.where[unit] != hex}
        with self.g.state.where.supposing(moved):
            fed = self.theatre.supplied(self.g, self.side)
        return fed | self.beside(fed)

    def depending(self, side: int, hexes: Sequence[int]) -> dict[int, float]:
        """Return for each hex the value of the units of a side that would be cut off if its enemy were there. Hexes are tried
        together: if all of them cut nothing off, none does."""
        fed = self.theatre.supplied(self.g, side)
        stacks = self.theatre.stacks(self.g, side)
        worth = {hex: sum(self.figures(unit).worth for unit in stack) for hex, stack in stacks.items() if fed[hex]}
        found: dict[int, float] = {}
        number = -(-len(hexes) // TOGETHER)
        groups = [hexes[first::number] for first in range(number)]
        while groups:
            group = groups.pop()
            then = self.theatre.supplied(self.g, side, group)
            lost = {at: amount for at, amount in worth.items() if not then[at]}
            if lost and len(group) > 1:
                groups += [group[: len(group) // 2], group[len(group) // 2 :]]
            elif lost.keys() - group:
                found[group[0]] = sum([amount for at, amount in lost.items() if at != group[0]])
        return {hex: found[hex] for hex in hexes if hex in found}

    @cached_property
    def cuts(self) -> dict[int, float]:
        """The hexes where this side would cut enemy units off, with their value, among those it can reach."""
        return self.depending(self.enemy, self._near_lines(self.enemy, self._reached()))

    def _reached(self) -> Mask:
        mask = np.zeros(self.theatre.hexes, dtype=bool)
        for party in self.parties:
            mask |= party.costs != FAR
        return mask

    def _near_lines(self, side: int, within: Mask) -> list[int]:
        mask = np.zeros(self.theatre.hexes, dtype=bool)
        mask[list(self.theatre.lines(self.g, side))] = True
        occupied = [hex for stacks in (self.own, self.hostile) for hex in stacks if hex < self.theatre.hexes]
        mask |= self.beside(mask)
        mask &= within
        mask[occupied] = False
        return [int(hex) for hex in np.flatnonzero(mask)]
