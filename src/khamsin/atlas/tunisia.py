"""Tunisia (Operational Combat Series): how ground becomes that game's terrain."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from khamsin.atlas.build import Draft, Survey

LAND = 0.1
"""Least share of land for a hex to be anything but sea."""

SPECK = 0.45
"""Least share of high ground of a lone hex, with none around it, for it to be anything but open."""

RISING = ("low hills", "rough", "mountain")
"""Ground above the plain, lowest first."""

RAILS = {"standard": "standard railroad", "narrow (metre)": "narrow railroad", "uncertain": "narrow railroad"}
"""The survey's gauges in the words of the map key; a line of unknown gauge counts as narrow."""

RANKS = {"city": 1, "town": 2, "port": 3, "airfield": 3, "village": 3, "pass": 4, "station": 4, "oasis": 3}
"""Rank of a place by the first word of its kind; any other is 5."""


def draft(survey: Survey) -> Draft:
    """Return the board before what the rulebook states of single hexes."""
    board = Draft(
        "tunisia",
        "Tunisia",
        terrains={
            "open": {},
            "low hills": {},
            "rough": {},
            "mountain": {},
            "salt marsh": {},
            "sea": {"enterable": False},
        },
        kinds={
            "primary road": {"across": True},
            "secondary road": {"across": True},
            "standard railroad": {"across": True},
            "narrow railroad": {"across": True},
            "minor river": {},
            "wadi": {},
            "lake": {},
            "border": {},
        },
        geo=survey.grid,
    )
    _ground(board, survey)
    _water(board, survey)
    _roads(board, survey)
    for place in survey.places:
        _place(board, place)
    for letter in "AB":
        hexes = [name for name in board.terrain if name.startswith(letter)]
        board.areas.append(
            {"name": f"Map {letter}", "kind": "map", "hexes": hexes, "from": "rulebook scenarios 1, 5, 6"}
        )
    return board


def _ground(board: Draft, survey: Survey) -> None:
    """Terrain of every hex: the survey's, without lone specks; the coast is tagged for landings (4.0c)."""
    high = survey.share("low-hills", "rough", "mountain")
    terrain = {name: "sea" if g.land < LAND else g.suggested for name, g in survey.hexes.items()}
    for name, ground in survey.hexes.items():
        around = [terrain[n] for n in survey.scheme.neighbours(name) if n in terrain]
        here = terrain[name]
        if here in RISING and high.get(name, 0.0) < SPECK and not any(t in RISING for t in around):
            here = "open"
        share = f", {high[name]:.0%} high ground" if here in RISING and name in high else ""
        source = f"reconstructed: geography ({ground.land:.0%} land{share})"
        board.hex(name, here, ground, source, ["coast"] if here != "sea" and "sea" in around else [])


def _water(board: Draft, survey: Survey) -> None:
    """Rivers, wadis, lakes and the border, along hexsides."""
    kinds = {"river": "minor river", "wadi": "wadi", "lake": "lake", "border": "border"}
    for feature in survey.of(*kinds):
        for a, b in feature.get("hexsides", ()):
            if "sea" not in (board.terrain.get(a), board.terrain.get(b)):
                board.side(a, b, kinds[feature["kind"]], _source(feature), name=feature["name"])


def _roads(board: Draft, survey: Survey) -> None:
    """Roads and railways, across hexsides; where two roads share a hexside it is the better one."""
    for feature in survey.of("railway"):
        for chain in feature["chains"]:
            board.chain(chain, RAILS[feature["gauge"]], _source(feature), feature["name"])
    for kind in ("secondary", "primary"):
        for feature in survey.of("road", "track"):
            if feature["class"] != kind:
                continue
            for a, b in (pair for chain in feature["chains"] for pair in pairwise(chain)):
                board.drop_sides(a, b, "secondary road")
                board.side(a, b, f"{kind} road", _source(feature), name=feature["name"])


def _place(board: Draft, place: dict[str, str]) -> None:
    """Return a place of the gazetteer, in the rulebook's hex if it gives one."""
    hex = place["rulebook"] or place["hex"]
    if board.terrain.get(hex, "sea") == "sea":
        return
    kind, *_ = place["kind"].split()
    source = "rulebook" if place["rulebook"] else "reconstructed"
    reason = " scenarios" if place["rulebook"] else f": geography ({place['precision']})"
    board.place(place["name"], hex, place["kind"], RANKS.get(kind, 5), source + reason)


def _source(feature: dict[str, Any]) -> str:
    return f"reconstructed: geography ({feature['confidence']} confidence)"
