"""Supply lines.

The relay chain: a unit traces a line to a relay (an installation, a dump, an HQ), a relay to the next, the last to a terminal.
Each segment is at most a number of movement points long. Enemies close hexes to it, and enemy ZOCs are traced out of, not
through, except where a friendly unit opens the hex. A game without relays traces to terminals alone.

A game states who is where in a `Situation`; `Chains` finds the `Lines`:

```python
CHAINS = Chains(UNIT_NET, LAYOUT, limit=20, situation=situation, key=lambda g, side: g.state.control.version)
CHAINS.lines(g, side).reach(hex)
```
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from khamsin.kernel.board import NOWHERE
from khamsin.kernel.cache import cached
from khamsin.kernel.flood import CLOSED, FAR, OPEN, Network
from khamsin.mechanics.ways import Bar, Layout

# The relay chain


class Enemy(Protocol):
    """The enemy as lines meet it; one object for as long as nothing of it changes."""

    @property
    def line_mask(self) -> NDArray[np.uint8]:
        """One byte per node: CLOSED where a line cannot pass, STOP where it can only begin, such as in a ZOC."""


class Situation(NamedTuple):
    """Everything that the lines of a side depend on, by hexes. Equal situations have the same lines."""

    relays: frozenset[int]
    terminals: frozenset[int]
    sources: frozenset[int]
    """Hexes that feed without a relay: terminals feed over a whole line, others only units in them."""
    enemy: Enemy
    opened: frozenset[int]
    """The hexes of enemy ZOCs that a friendly unit opens."""

    @property
    def always(self) -> frozenset[int]:
        """The terminals that feed units without a relay."""
        return self.sources & self.terminals

    def usable(self, hex: int) -> bool:
        """Whether a line from elsewhere may end in a hex."""
        return hex in self.opened or self.enemy.line_mask[hex] == OPEN


class Chains:
    """The relay chains of a game."""

    def __init__(
        self,
        net: Network,
        layout: Layout,
        limit: int,
        situation: Callable[[Any, int, Collection[int], int], Situation],
        key: Callable[[Any, int], Hashable] = lambda g, side: None,
    ) -> None:
        """Lines are traced from unit to relay over `net`, at most `limit` points long. `situation(g, side, without, also_in)`
        is that of a side without some of its pieces and with a unit in one more hex. `key` gives the versions of all that it
        reads besides the locations of units."""
        self.net = net
        self.back = net.reversed()
        """The network turned round: floods from relays towards the units that trace to them."""
        self.layout = layout
        self.limit = limit
        self._situation = situation

        def versions(g: Any, side: int, without: Collection[int] = (), also_in: int = NOWHERE) -> Hashable:
            seen = g.state.where.versions
            return side, seen[0], seen[1], key(g, side), also_in, *without

        self.lines: Callable[..., Lines] = cached(versions)(self._lines)
        """Return the lines of a side: `lines(g, side, without=(), also_in=NOWHERE)`."""
        self._of: Callable[[Situation], Lines] = cached(lambda situation: situation)(self._trace)

    def _lines(self, g: Any, side: int, without: Collection[int] = (), also_in: int = NOWHERE) -> Lines:
        """Most moves change no line: find the situation first, and trace only a new one."""
        return self._of(self._situation(g, side, without, also_in))

    def _trace(self, situation: Situation) -> Lines:
        return Lines(self, situation)


class Lines:
    """The supply lines of a side: from which hexes a relay that leads back to a terminal can be reached."""

    def __init__(self, chains: Chains, situation: Situation) -> None:
        self.chains = chains
        self.situation = situation
        self.mask = self._bars()
        """One byte per node: what bars a line."""
        self.relays, self._field = self._chain()
        """The relays with a valid line to a terminal."""
        supplied = bytearray((self._field <= chains.limit).tobytes())
        for hex in self.relays | situation.sources:
            supplied[hex] = True
        self.supplied = bytes(supplied)
        """One byte per hex: 1 where a unit is in supply."""

    def reach(self, hex: int) -> bool:
        """Whether a unit in this hex is in supply."""
        return self.supplied[hex] == 1

    @cached_property
    def _made_bars(self) -> dict[Hashable, Bar]:
        return {}

    @cached_property
    def _feeding(self) -> dict[int, bytes]:
        return {}

    @cached_property
    def _ranges(self) -> dict[Hashable, Sequence[int]]:
        return {}

    @cached_property
    def distance(self) -> list[int]:
        """The points from each hex to the nearest relay or source; FAR beyond the limit."""
        return self._field.tolist()  # type: ignore[no-any-return]

    @cached_property
    def dead(self) -> NDArray[np.uint8]:
        """One byte per node: 1 where another relay would have no line to a terminal."""
        ends = self.situation.terminals | self.relays
        joined = self._flood(ends, self.chains.limit) <= self.chains.limit
        joined[list(ends)] = True
        return self.chains.layout.spread((~joined).view(np.uint8))

    def feeding(self, hex: int) -> bytes:
        """Return one byte per hex: 1 where another relay would feed a unit in this one."""
        if hex not in self._feeding:
            chains = self.chains
            from_here = chains.net.spread(chains.net.alone(hex), chains.limit, self.mask)[0] <= chains.limit
            for apart, nodes in chains.layout.several.items():
                from_here[apart] = from_here[list(nodes)].any()
            from_here &= (self.dead | self.mask) == OPEN
            from_here[hex] = not self.dead[hex]
            self._feeding[hex] = from_here.tobytes()
        return self._feeding[hex]

    def range_from(self, hexes: frozenset[int], limit: int, occupied: frozenset[int] = frozenset()) -> Sequence[int]:
        """Return the points from each hex to the nearest of these, FAR beyond a limit; none for units in `occupied`."""
        key = hexes, limit, occupied
        if key not in self._ranges:
            distance = self._flood(hexes, limit)
            distance[list(occupied)] = 0
            self._ranges[key] = memoryview(distance)  # type: ignore[arg-type]
        return self._ranges[key]

    def dry(self, fed: frozenset[int], rule: str, text: str) -> Bar:
        """Return the bar of hexes in which a unit would be out of supply; it is always fed in some."""
        if (fed, rule) not in self._made_bars:
            mask = 1 - np.frombuffer(self.supplied, dtype=np.uint8)
            mask[list(fed)] = 0
            self._made_bars[fed, rule] = Bar(CLOSED, self.chains.layout.spread(mask), rule, text)
        return self._made_bars[fed, rule]

    def unjoined(self, rule: str, text: str) -> Bar:
        """Return the bar of hexes in which another relay would have no line to a terminal."""
        if rule not in self._made_bars:
            self._made_bars[rule] = Bar(CLOSED, self.dead, rule, text)
        return self._made_bars[rule]

    def _bars(self) -> NDArray[np.uint8]:
        """What bars a line: the enemy, but no ZOC where a friendly unit is."""
        mask, opened = self.situation.enemy.line_mask, self.situation.opened
        if opened:
            mask, nodes = mask.copy(), self.chains.layout.nodes
            mask[[node for hex in opened for node in nodes[hex]]] = OPEN
        return mask

    def _chain(self) -> tuple[frozenset[int], NDArray[np.int16]]:
        """The relays that a chain of segments joins to a terminal, and the points from every hex to the nearest of them or to
        a source."""
        situation, chains = self.situation, self.chains
        at_terminal = situation.relays & situation.terminals
        away = sorted(situation.relays - at_terminal)
        joined, field = chains.back.relay(
            self.ends(situation.terminals),
            self.ends(situation.always | at_terminal),
            [chains.layout.nodes[hex] for hex in away],
            [situation.usable(hex) for hex in away],
            chains.limit,
            self.mask,
        )
        return at_terminal | {away[i] for i in joined}, field[: chains.layout.size]

    def _flood(self, hexes: Iterable[int], limit: int) -> NDArray[np.int16]:
        """The points from every hex to the nearest of these, as a unit would move."""
        starts, chains = self.ends(hexes), self.chains
        if not starts:
            return np.full(chains.layout.size, FAR, dtype=np.int16)
        return chains.back.spread(np.array(starts, dtype=np.uint16), limit, self.mask)[0][: chains.layout.size]

    def ends(self, hexes: Iterable[int]) -> list[int]:
        """Return the nodes of those of these hexes in which a line from elsewhere may end."""
        nodes, usable = self.chains.layout.nodes, self.situation.usable
        return [node for hex in hexes if usable(hex) for node in nodes[hex]]
