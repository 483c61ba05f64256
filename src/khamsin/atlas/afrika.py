"""Afrika: how ground becomes that game's terrain.

Hexes of ten miles are too wide for every line of the survey. If two escarpments or two roads are in the same hexes,
`stated.toml` has one line for both and replaces the features in `REDRAWN`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from khamsin.atlas.build import Draft, Survey
from khamsin.kernel.hexes import Scheme

LAND = 0.35
SAND = 0.5
DEPRESSION = 0.5
MARSH = 0.5
DELTA = 0.4
MOUNTAIN = 0.6
ROUGH = 0.45
"""Least share of a hex for it to count as land, sand desert, depression, salt marsh, delta, mountain or rough."""

LIBYA = 46
EGYPT = 48
"""The last column wholly in Libya and the first wholly in Egypt; `stated.toml` divides the one between."""

REDRAWN = frozenset(
    {
        "Alexandria to Cairo desert road",
        "Axis bypass road around Tobruk",
        "Bardia to Sollum cliffs",
        "Bir Hacheim to Gazala (Gazala line track)",
        "Egyptian coast road, Matruh to Alexandria",
        "Egyptian coast road, Sollum to Sidi Barrani",
        "Escarpment inland of Sidi Barrani",
        "Gazala escarpment",
        "Giarabub to Jalo",
        "Jebel Akhdar, northern first escarpment",
        "Jebel Akhdar, second escarpment",
        "Northern Tobruk escarpment",
        "Qara to Fuka",
        "Qattara Depression, northern rim",
        "Southern (Sidi Rezegh) escarpment",
        "Trigh Capuzzo",
        "Via Balbia, Agedabia to Benghazi",
        "Via Balbia, Benghazi to Barce by Tocra",
        "Via Balbia, Derna to Gazala",
        "Via Balbia, Gazala to Tobruk",
    }
)
"""Features of the survey that `stated.toml` replaces, or that do not show at ten miles per hex."""

RANKS: Mapping[str, int] = {"city": 1, "town": 2, "village": 3, "oasis": 3, "well": 5}
"""Rank of a place by its most important kind; a kind not named here counts as 4."""


def draft(survey: Survey) -> Draft:
    """Return the board before what the rulebook states of single hexes."""
    board = Draft(
        "afrika",
        "Afrika",
        terrains={
            "clear": {},
            "rough": {},
            "mountain": {},
            "salt marsh": {},
            "delta marsh": {},
            "sand desert": {"enterable": False},
            "depression": {"enterable": False},
            "sea": {"enterable": False},
        },
        kinds={
            "road": {"across": True},
            "track": {"across": True},
            "escarpment": {"slope": True},
            "border": {},
        },
        geo=survey.grid,
    )
    _ground(survey, board)
    _lines(survey, board)
    for place in survey.places:
        rank = min(RANKS.get(kind, 4) for kind in place["kind"].split())
        source = f"reconstructed: geography ({place['precision']})"
        board.place(place["name"], place["rulebook"] or place["hex"], place["kind"], rank, source)
    return board


def _ground(survey: Survey, board: Draft) -> None:
    """Terrain, and the map and country each hex belongs to."""
    classes = (
        ("depression", survey.share("depression"), DEPRESSION),
        ("sand desert", survey.share("sand"), SAND),
        ("salt marsh", survey.share("marsh"), MARSH),
        ("delta marsh", survey.share("cultivated"), DELTA),
        ("mountain", survey.share("woods-hills"), MOUNTAIN),
        ("rough", survey.share("rough"), ROUGH),
    )
    for name, ground in survey.hexes.items():
        found = [(kind, shares[name]) for kind, shares, least in classes if shares.get(name, 0.0) >= least]
        if ground.land < LAND:
            terrain, reason = "sea", f"{ground.land:.0%} land"
        elif found:
            terrain, reason = found[0][0], f"{found[0][1]:.0%} {found[0][0]}"
        else:
            terrain, reason = "clear", f"{ground.land:.0%} land"
        column = survey.scheme.parse(name).r
        tags = {"map-a" if name.startswith("A") else "map-b"}
        if column <= LIBYA or column >= EGYPT:
            tags.add("libya" if column <= LIBYA else "egypt")
        board.hex(name, terrain, ground, f"reconstructed: geography ({reason})", tags)


def _lines(survey: Survey, board: Draft) -> None:
    """Draw roads, tracks and escarpments; an escarpment at the sea is coast and needs no line."""
    fixed = {place["hex"] for place in survey.places}
    roads = [feature for feature in survey.of("road", "track") if feature["name"] not in REDRAWN]
    fixed |= {end for feature in roads for chain in feature["chains"] for end in (chain[0], chain[-1])}
    for feature in roads:
        source = f"reconstructed: geography ({feature['confidence']} confidence)"
        for chain in feature["chains"]:
            board.chain(straightened(chain, survey.scheme, fixed), feature["kind"], source, feature["name"])
    for feature in survey.of("escarpment"):
        if feature["name"] in REDRAWN:
            continue
        source = f"reconstructed: geography ({feature['confidence']} confidence)"
        for index, (a, b) in enumerate(feature["hexsides"]):
            if board.terrain[a] != "sea" and board.terrain[b] != "sea":
                low = survey.low_hex(feature, index)
                board.side(a, b, "escarpment", source, low, feature["name"])


def straightened(chain: Sequence[str], scheme: Scheme, fixed: set[str]) -> list[str]:
    """Return a line without the hexes it could skip, except those in `fixed` (places, and where other lines end).

    >>> from khamsin.kernel.registration import schemes
    >>> straightened(["A49.04", "A50.04", "A49.05", "A49.06"], schemes()["afrika"], set())
    ['A49.04', 'A49.05', 'A49.06']
    """
    line = list(chain)
    here = 1
    while here < len(line) - 1:
        if line[here] not in fixed and scheme.distance(line[here - 1], line[here + 1]) <= 1:
            del line[here]
            here = max(1, here - 1)
        else:
            here += 1
    return line
