"""PanzerArmee Afrika: how ground becomes that game's terrain.

The game knows four kinds of ground (clear, rough, swamp, sea) and six of hexside. What it prints beyond that (the one
railroad, the border, the forts, bases and boxes) is no matter of geography and stands in `geography/paa/stated.toml`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from khamsin.atlas.build import Draft, Survey

LAND = 0.3
"""Least share of land that keeps a hex from being full sea."""
ROUGH = 0.5
SWAMP = 0.4
"""Least share of a hex's land that makes it rough or swamp."""
DEPRESSION = 0.5
"""Least share of a hex inside the Qattara Depression that puts it beyond the prohibited hexsides."""
TRUSTED = ("high", "medium")
"""How sure a feature must be to be drawn."""
RANKS = {"city": 1, "town": 2, "oasis": 3, "village": 3, "fort": 3, "pass": 3, "station": 3, "airfield": 4, "well": 5}
"""How great a place is, by the words of its kind; the best word counts. Others are worth `MINOR`."""
MINOR = 4


def draft(survey: Survey) -> Draft:
    """Return the board before what the rulebook states of single hexes."""
    board = Draft(
        "paa",
        "PanzerArmee Afrika",
        terrains={"clear": {}, "rough": {}, "swamp": {}, "sea": {"enterable": False}},
        kinds={
            "road": {"across": True},
            "track": {"across": True},
            "railroad": {"across": True},
            "escarpment": {"slope": True},
            "prohibited": {},
            "border": {},
        },
        geo=survey.grid,
    )
    _ground(survey, board)
    _lines(survey, board)
    _escarpments(survey, board)
    _prohibited(board)
    _places(survey, board)
    return board


def _ground(survey: Survey, board: Draft) -> None:
    """Set the terrain of every hex. The floor of the depression is salt marsh, which no unit reaches."""
    rough, swamp = _share(survey, "rough", "woods-hills"), _share(survey, "marsh")
    depression = _share(survey, "depression")
    for name, ground in survey.hexes.items():
        source, tags = f"reconstructed: geography ({ground.land:.0%} land)", []
        if ground.land < LAND:
            terrain = "sea"
        elif depression.get(name, 0) >= DEPRESSION:
            terrain, tags = "swamp", ["depression"]
            source = "reconstructed: geography (floor of the Qattara Depression)"
        elif swamp.get(name, 0) >= SWAMP * ground.land:
            terrain = "swamp"
        elif rough.get(name, 0) >= ROUGH * ground.land:
            terrain = "rough"
        else:
            terrain = "clear"
        board.hex(name, terrain, ground, source, tags)


def _lines(survey: Survey, board: Draft) -> None:
    """Draw roads, and tracks where no road runs in parallel; none through sea or depression."""
    for kind, worse in (("track", ""), ("road", "track")):
        for feature in _trusted(survey, kind):
            for chain in feature["chains"]:
                for a, b in pairwise(chain):
                    if _open(board, a, b):
                        board.drop_sides(a, b, worse or kind)
                        board.side(a, b, kind, _source(feature), name=feature["name"])


def _escarpments(survey: Survey, board: Draft) -> None:
    """Draw escarpments on land. Between two rough hexes they are left out: the rough terrain includes the climb."""
    for feature in _trusted(survey, "escarpment"):
        for index, (a, b) in enumerate(feature["hexsides"]):
            both_rough = board.terrain[a] == board.terrain[b] == "rough"
            if _open(board, a, b) and not both_rough and not feature.get("impassable"):
                board.side(a, b, "escarpment", _source(feature), survey.low_hex(feature, index), feature["name"])


def _prohibited(board: Draft) -> None:
    """The rim of the Qattara Depression, all around."""
    inside = {name for name, tags in board.tags.items() if "depression" in tags}
    for a in inside:
        for b in board.scheme.neighbours(a):
            if b in board.terrain and b not in inside:
                board.drop_sides(a, b)
                board.side(a, b, "prohibited", "reconstructed: geography (Qattara rim)", name="Qattara rim")


def _places(survey: Survey, board: Draft) -> None:
    """Add the gazetteer, without places in the sea or in the depression."""
    for row in survey.places:
        hex = row["rulebook"] or row["hex"]
        if not _open(board, hex):
            continue
        words = row["kind"].split()
        kind = min((word for word in words if word in RANKS), key=RANKS.__getitem__, default=words[-1])
        source = "rulebook 2.1.1, 5.1" if row["rulebook"] else f"reconstructed: gazetteer ({row['precision']})"
        board.place(row["name"], hex, kind, RANKS.get(kind, MINOR), source)


def _trusted(survey: Survey, *kinds: str) -> Iterator[dict[str, Any]]:
    return (feature for feature in survey.of(*kinds) if feature["confidence"] in TRUSTED)


def _share(survey: Survey, *kinds: str) -> dict[str, float]:
    """Return for each hex the share of it that trusted areas of these kinds cover; if two overlap, the greater."""
    shares: dict[str, float] = {}
    for feature in _trusted(survey, *kinds):
        for name, share in feature["hexes"].items():
            shares[name] = max(share, shares.get(name, 0.0))
    return shares


def _open(board: Draft, *hexes: str) -> bool:
    """Whether all of these are on the board, on land and outside the depression."""
    return all(board.terrain.get(name, "sea") != "sea" and "depression" not in board.tags[name] for name in hexes)


def _source(feature: Mapping[str, Any]) -> str:
    return f"reconstructed: geography ({feature['confidence']} confidence)"
