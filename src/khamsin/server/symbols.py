"""The face of a counter: label, NATO symbol and colours, from the words printed on it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from khamsin.kernel.pieces import Counter
from khamsin.kernel.registration import registrations

LOOKS: dict[str, Any] = tomllib.loads((Path(__file__).parent / "symbols.toml").read_text(encoding="utf-8"))
SYMBOLS: dict[str, str] = LOOKS["symbol"]
SIZES: dict[str, str] = LOOKS["size"]
NATIONS: dict[str, dict[str, str]] = LOOKS["nation"]
PLAIN: dict[str, str] = LOOKS["plain"]
"""The colours of a piece whose nation is not known."""
WITHOUT: frozenset[str] = frozenset(LOOKS["none"])
"""The kinds of piece that have no NATO symbol, by choice."""
WEARS: dict[str, str] = LOOKS["wears"]
ENDINGS: tuple[str, ...] = tuple(LOOKS["label"]["endings"])
MAX_LABEL: int = LOOKS["label"]["longest"]
"""How many characters fit on a counter."""
NEEDLESS: frozenset[str] = frozenset(LOOKS["label"]["words"])


class Face(NamedTuple):
    """What is printed on a counter: `sidc` as milsymbol takes it, empty where there is none, and two colours."""

    label: str
    sidc: str
    ground: str
    ink: str


def face_of(counter: Counter, game: str = "") -> Face:
    """Return the face of a counter of a game.

    >>> face_of(Counter("DE 5/1/ABN", 0, nation="DE", symbol="armour", size="battalion"))
    Face(label='5/1', sidc='SFGPUCA----F***', ground='#99a9bb', ink='#10151b')
    """
    colours = NATIONS.get(colours_of(counter), PLAIN)
    return Face(label_of(counter, game), sidc_of(counter, game), colours["ground"], colours["ink"])


def nation_of(counter: Counter) -> str:
    """Return the nation of a counter, or for a piece of no nation the side that its name begins with."""
    return counter.nation or counter.name.partition(" ")[0]


def colours_of(counter: Counter) -> str:
    """Return whose colours a counter has: those of its nation, or of an arm with its own.

    >>> colours_of(Counter("Ju87 a", 0, nation="DE", symbol="air unit")), colours_of(Counter("2 CGd", 1, nation="UK"))
    ('Luftwaffe', 'BR')
    """
    nation = nation_of(counter)
    return WEARS.get(f"{nation} {counter.symbol}") or WEARS.get(nation, nation)


def label_of(counter: Counter, game: str = "") -> str:
    """Return the name without the nation before it and the kind and size after it, which the symbol shows, and short
    enough. A game may state the label of a whole name, with its nation.

    >>> label_of(Counter("IT BERS/8/AIREGT", 0, nation="IT")), label_of(Counter("Axis depot 1", 0))
    ('BERS/8', 'depot 1')
    >>> label_of(Counter("II/71 Werfer", 0)), label_of(Counter("HQ 21 Pz", 0)), label_of(Counter("II/15 RTS fire", 0))
    ('II/71', 'HQ 21 Pz', 'II/15 RTS')
    >>> label_of(Counter("II/15 RTS fire", 0), "kasserine")
    'II/15RTS'
    >>> label_of(Counter("AU Infantry Repl 1", 1, nation="AU"), "na41")
    'AU InfR1'
    """
    if game in registrations() and counter.name in registrations()[game].labels:
        return registrations()[game].labels[counter.name]
    nation = nation_of(counter)
    label = counter.name.removeprefix(f"{nation} ") if nation in NATIONS else counter.name
    number, _, kind = label.rpartition("/")
    label = number if number and kind.isalpha() and kind.endswith(ENDINGS) else label
    if len(label) > MAX_LABEL:
        label = " ".join(word for word in label.split() if word not in NEEDLESS)
        label = _shortened(label, game) if game in registrations() else label
    return label


def _shortened(label: str, game: str) -> str:
    """Return a label as the game shortens it: by name, else by its expressions in their order until it is short enough."""
    stated = registrations()[game]
    if label in stated.labels:
        return stated.labels[label]
    for pattern, text in stated.shorten:
        if len(label) > MAX_LABEL:
            label = re.sub(pattern, text, label)
    return label


def sidc_of(counter: Counter, game: str = "") -> str:
    """Return the code of the symbol, with the size of the unit; empty where there is none."""
    own = registrations()[game].symbols if game in registrations() else {}
    symbol = own.get(counter.symbol) or SYMBOLS.get(counter.symbol)
    return f"{symbol}{SIZES.get(counter.size, '-')}***" if symbol else ""
