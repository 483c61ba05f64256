"""How a counter is drawn: its label, its NATO symbol and its colours, from the words that a game prints on it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from khamsin.kernel.pieces import Counter

LOOKS: dict[str, Any] = tomllib.loads((Path(__file__).parent / "symbols.toml").read_text(encoding="utf-8"))
SYMBOLS: dict[str, str] = LOOKS["symbol"]
SIZES: dict[str, str] = LOOKS["size"]
NATIONS: dict[str, dict[str, str]] = LOOKS["nation"]
PLAIN: dict[str, str] = LOOKS["plain"]
"""The colours of a piece whose nation is not known."""
WITHOUT: frozenset[str] = frozenset(LOOKS["none"])
"""The kinds of piece that have no NATO symbol, by choice."""
ENDINGS: tuple[str, ...] = tuple(LOOKS["label"]["endings"])


class Face(NamedTuple):
    """What is printed on a counter: `sidc` as milsymbol takes it, empty where there is none, and two colours."""

    label: str
    sidc: str
    ground: str
    ink: str


def face_of(counter: Counter) -> Face:
    """The face of a counter.

    >>> face_of(Counter("DE 5/1/ABN", 0, nation="DE", symbol="armour", size="battalion"))
    Face(label='5/1', sidc='SFGPUCA----F***', ground='#99a9bb', ink='#10151b')
    """
    colours = NATIONS.get(nation_of(counter), PLAIN)
    return Face(label_of(counter), sidc_of(counter), colours["ground"], colours["ink"])


def nation_of(counter: Counter) -> str:
    """The nation of a counter, or of a piece of no nation the side that its name begins with."""
    return counter.nation or counter.name.partition(" ")[0]


def label_of(counter: Counter) -> str:
    """The name without the nation before it and the kind and size behind it, which the symbol shows.

    >>> label_of(Counter("IT BERS/8/AIREGT", 0, nation="IT")), label_of(Counter("Axis depot 1", 0))
    ('BERS/8', 'depot 1')
    """
    nation = nation_of(counter)
    label = counter.name.removeprefix(f"{nation} ") if nation in NATIONS else counter.name
    number, _, kind = label.rpartition("/")
    return number if number and kind.isalpha() and kind.endswith(ENDINGS) else label


def sidc_of(counter: Counter) -> str:
    """The code of the symbol, with the size of the unit; empty where there is none."""
    symbol = SYMBOLS.get(counter.symbol)
    return f"{symbol}{SIZES.get(counter.size, '-')}***" if symbol else ""
