"""Decision at Kasserine: how ground becomes that game's terrain.

Each hex has one of four grounds (clear, rough, hills, mountain); woods, town and city are tags upon it, since the rules
add woods to the cost of the ground and let a settlement leave it unchanged (7.3.6, 7.3.7). Settlements, fords off the
roads and all that the rulebook says of single hexes stand in `stated.toml`.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from khamsin.atlas.build import Draft, Survey

WOODED = 0.5
"""Least share of a hex under trees for it to count as woods."""

SPECK = 0
"""A rough or hills hex with no more high neighbours than this is an artefact of the elevation grid: clear."""

ROADS = {"main": "main road", "minor": "minor road", "trail": "trail"}
"""The survey's classes of road, best first; a hexside has the best one only."""

CROSSING = {"main road": "bridge", "minor road": "bridge", "trail": "ford"}
"""What is where a road of each kind meets a wadi: built roads have bridges, trails cross the bed."""

UNSURE = "low"
"""Wadis drawn with this confidence are left out; what the rules need of them is stated."""

SCARP = 2
"""Fewest joined hexsides that make an escarpment; a lone one is an artefact of the elevation grid."""

RANKS = {"town": 2, "village": 3, "pass": 3, "mountain": 4, "hill": 4, "airfield": 4, "crossroads": 4, "locality": 5}
"""Rank of a place by the first of these words in the gazetteer's kind."""


def draft(survey: Survey) -> Draft:
    """Return the board before what the rulebook states of single hexes."""
    board = Draft(
        "kasserine",
        "Decision at Kasserine",
        terrains={"clear": {}, "rough": {}, "hills": {}, "mountain": {}},
        kinds={
            "main road": {"across": True},
            "minor road": {"across": True},
            "trail": {"across": True},
            "bridge": {"across": True},
            "ford": {"across": True},
            "wadi": {},
            "escarpment": {"slope": True},
        },
        geo=survey.grid,
    )
    wooded = survey.share("wooded")
    for name, ground in survey.hexes.items():
        terrain = "clear" if is_speck(survey, name) else ground.suggested
        tags = ["woods"] if wooded.get(name, 0) >= WOODED else []
        board.hex(name, terrain, ground, f"reconstructed: geography (relief about {ground.elevation:.0f} m)", tags)
    lay_watercourses(board, survey)
    lay_roads(board, survey)
    lay_escarpments(board, survey)
    name_places(board, survey)
    return board


def is_speck(survey: Survey, name: str) -> bool:
    """Whether a rough or hills hex is alone in clear ground."""
    if survey.hexes[name].suggested not in ("rough", "hills"):
        return False
    around = [survey.hexes[n].suggested for n in survey.scheme.neighbours(name) if n in survey.hexes]
    return sum(terrain != "clear" for terrain in around) <= SPECK


def lay_watercourses(board: Draft, survey: Survey) -> None:
    """Draw wadis, and the one river, which the game does not distinguish (7.3.3)."""
    for feature in survey.of("wadi", "river"):
        if feature["confidence"] == UNSURE:
            continue
        source = f"reconstructed: geography ({feature['name']}, confidence {feature['confidence']})"
        for a, b in feature["hexsides"]:
            board.side(a, b, "wadi", source, name=feature["name"])


def lay_roads(board: Draft, survey: Survey) -> None:
    """Roads, the best class on each hexside, with bridges and fords where they meet a wadi (7.3.4)."""
    roads = survey.of("road", "track")
    for grade, kind in ROADS.items():
        for feature in (f for f in roads if f["class"] == grade):
            source = f"reconstructed: geography ({feature['name']}, confidence {feature['confidence']})"
            for chain in feature["chains"]:
                for a, b in pairwise(chain):
                    first, second = sorted((a, b))
                    if any((first, second, other) in board.sides for other in ROADS.values()):
                        continue
                    board.side(a, b, kind, source, name=feature["name"])
                    if (first, second, "wadi") in board.sides:
                        wadi = board.sides[first, second, "wadi"][1]
                        board.side(a, b, CROSSING[kind], f"reconstructed: where the {kind} meets the {wadi}")
    for feature in survey.of("fords_suggested"):
        for a, b in feature["hexsides"]:
            if (*sorted((a, b)), "wadi") in board.sides:
                board.side(a, b, "ford", "reconstructed: opens ground that vehicles could reach in dry weather")


def lay_escarpments(board: Draft, survey: Survey) -> None:
    """Escarpments of some length, left out where a road runs through the hexside or a wadi along it."""
    found: dict[tuple[str, str], tuple[str, str, str]] = {}
    for feature in survey.of("escarpment"):
        source = f"reconstructed: geography ({feature['name']}, confidence {feature['confidence']})"
        for index, (a, b) in enumerate(feature["hexsides"]):
            first, second = sorted((a, b))
            if not any((first, second, kind) in board.sides for kind in ("wadi", *ROADS.values())):
                found[first, second] = (source, survey.low_hex(feature, index), feature["name"])
    for (a, b), (source, low, name) in found.items():
        if len(run_of((a, b), found, board)) >= SCARP:
            board.side(a, b, "escarpment", source, low, name)


def run_of(side: tuple[str, str], sides: Collection[tuple[str, str]], board: Draft) -> set[tuple[str, str]]:
    """Return the hexsides connected with one, end to end."""
    run, todo = {side}, [side]
    while todo:
        here = set(todo.pop())
        for other in sides:
            outer = here ^ set(other)
            if other not in run and len(outer) == 2 and board.scheme.distance(*outer) == 1:
                run.add(other)
                todo.append(other)
    return run


def name_places(board: Draft, survey: Survey) -> None:
    """Add the gazetteer; a place is in the hex the rulebook gives it, else in its geographical hex."""
    for row in survey.places:
        kinds = row["kind"].split()
        kind = next((word for word in kinds if word in RANKS), "locality")
        source = "rulebook 18.2.6" if row["rulebook"] else f"reconstructed: gazetteer ({row['precision']})"
        board.place(row["name"], row["rulebook"] or row["hex"], kind, RANKS[kind], source)
