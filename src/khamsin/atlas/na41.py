"""North Africa '41: how ground becomes that game's terrain.

The rules know five kinds of ground (clear, rough, jebel, trackless desert, city) and, besides them, towns, landmarks,
ports, airfields and oases, which leave the ground as it is and so are tags. Roads are highways or tracks. Of the steep
edges the great ones are escarpments, which vehicles climb by road only, and the lesser ones ridges.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import pairwise

from khamsin.atlas.build import Draft, Survey

LAND = 0.35
"""Least share of land for a hex to be entered."""
COUNTRY = 0.5
"""Least share of a hex's land that broken country or sand must cover to give the hex its name."""
JEBEL_HEIGHT = 400
"""Metres from which the broken country of the Jebel Akhdar is jebel rather than rough."""
WOODS = 0.5
"""Share of the wooded core of the Jebel Akhdar from which a hex is jebel at any height."""
MARSH = 0.6
"""Least share of salt marsh for a hex to be rough."""
TRACKLESS, TRACKLESS_SOUTH = 4, 2
"""Steps from the nearest road or track at which the desert is trackless, north and south of `SOUTH`."""
SOUTH = 30.4
"""Latitude south of which the gravel plains give way to sand, and only the tracks and their edges can be relied on."""
SPECK = 6
"""Fewest hexes that make a trackless desert; smaller patches are clear."""

HIGHWAYS = ("Via Balbia", "Egyptian coast road", "Capuzzo to Sollum", "Alexandria to Cairo")
"""How the names of the paved roads begin; other roads count as tracks."""
RAILROAD = "Western Desert railway, Alexandria to Matruh", "Alexandria to Cairo railway"
EXTENSION = ("Western Desert railway extension, Matruh to Misheifa",)
"""The one line of the rules and the part of it that is built during the game; other railways are left out."""
ESCARPMENTS = (
    "Sollum-Halfaya", "Bardia to Sollum", "Jebel Akhdar, western first", "Jebel Akhdar, northern first", "Qattara",
)  # fmt: skip
"""How the names of the edges begin that stop vehicles; all others are ridges."""

KINDS = {"city": "village", "town": "village", "airfield": "landmark", "locality": "landmark"}
"""The gazetteer's kinds with another meaning in the rules: towns are stated."""
RANKS = {"oasis": 3, "fort": 4, "village": 4, "station": 4, "pass": 4, "railhead": 4}
"""The rank of a place, by its kind; anything else has rank 5."""
UNPRINTED = frozenset({"hill", "ridge", "bay"})
"""Kinds of place that are heights or waters and so not landmarks in which troops could leave a train."""
SECTIONS = {
    "Benghazi section": (1, 27), "Tobruk section": (28, 46), "Mersa Matruh section": (47, 66),
    "Alexandria section": (67, 80),
}  # fmt: skip
"""First and last column of the four sections of the supply attrition tables."""


def draft(survey: Survey) -> Draft:
    """Return the board before what the rulebook states of single hexes."""
    board = Draft(
        "na41",
        "North Africa '41",
        terrains={
            "clear": {}, "rough": {}, "jebel": {}, "trackless desert": {}, "city": {}, "sea": {"enterable": False},
        },
        kinds={
            "highway": {"across": True}, "track": {"across": True},
            "railroad": {"across": True}, "railroad extension": {"across": True},
            "escarpment": {"slope": True}, "ridge": {"slope": True},
            "Tobruk perimeter": {}, "border": {},
        },
        geo=survey.grid,
    )  # fmt: skip
    lines = _lines(survey)
    _ground(survey, board, {hex for _, _, chain in lines for hex in chain})
    for kind, name, chain in lines:
        for a, b in pairwise(chain):
            if kind != "track" or (*sorted((a, b)), "highway") not in board.sides:
                board.side(a, b, kind, f"reconstructed: geography ({name})", name=name)
    _edges(survey, board)
    _places(survey, board)
    _sections(board)
    return board


def _dry(survey: Survey, hex: str) -> bool:
    return hex in survey.hexes and survey.hexes[hex].land >= LAND


def _lines(survey: Survey) -> list[tuple[str, str, list[str]]]:
    """Roads and the railway as (kind, name, chain), highways first, straightened and kept ashore."""
    found: list[tuple[str, str, list[str]]] = []
    for feature in survey.of("road", "track", "railway"):
        name = feature["name"]
        if feature["kind"] != "railway":
            kind = "highway" if name.startswith(HIGHWAYS) else "track"
        elif name in RAILROAD or name in EXTENSION:
            kind = "railroad" if name in RAILROAD else "railroad extension"
        else:
            continue
        found += [(kind, name, list(chain)) for chain in feature["chains"]]
    fixed = {end for _, _, chain in found for end in (chain[0], chain[-1])} | {row["hex"] for row in survey.places}
    found.sort(key=lambda line: line[0] != "highway")
    return [(kind, name, _ashore(survey, _straight(survey, chain, fixed))) for kind, name, chain in found]


def _straight(survey: Survey, chain: list[str], fixed: Iterable[str]) -> list[str]:
    """Return a chain without needless bends: a hex whose two neighbours in the line are adjacent is left out, unless a
    place or the end of another line is in it."""
    line = list(chain)
    i = 1
    while i < len(line) - 1:
        if line[i] not in fixed and survey.scheme.distance(line[i - 1], line[i + 1]) == 1:
            del line[i]
            i = max(1, i - 1)
        else:
            i += 1
    return line


def _ashore(survey: Survey, chain: list[str]) -> list[str]:
    """Return a chain with each sea hex replaced by a land hex adjacent to the same two hexes of the line, if there is
    one."""
    line = list(chain)
    for i in range(1, len(line) - 1):
        if not _dry(survey, line[i]):
            ways = set(survey.scheme.neighbours(line[i - 1])) & set(survey.scheme.neighbours(line[i + 1]))
            line[i] = next((hex for hex in sorted(ways) if _dry(survey, hex)), line[i])
    return line


def _ground(survey: Survey, board: Draft, beaten: set[str]) -> None:
    """Return the terrain of every hex; `beaten` are those with a road or railway."""
    rough, broken = survey.share("rough"), survey.share("broken")
    woods, marsh = survey.share("woods-hills"), survey.share("marsh")
    sand = survey.share("sand", "depression")
    north, south = (_within(survey, beaten, steps - 1, survey.hexes) for steps in (TRACKLESS, TRACKLESS_SOUTH))
    for name, ground in survey.hexes.items():
        country = COUNTRY * ground.land
        why = f"{ground.land:.0%} land"
        if ground.land < LAND:
            terrain = "sea"
        elif rough.get(name, 0) >= country or broken.get(name, 0) >= country:
            high = ground.elevation >= JEBEL_HEIGHT and rough.get(name, 0) >= country
            terrain = "jebel" if high or woods.get(name, 0) >= WOODS else "rough"
            why = f"Jebel Akhdar, {ground.elevation:.0f} m"
        elif marsh.get(name, 0) >= MARSH:
            terrain, why = "rough", "salt marsh"
        elif name not in beaten and sand.get(name, 0) >= COUNTRY:
            terrain, why = "trackless desert", "sand or depression"
        elif name not in (south if ground.lat < SOUTH else north):
            terrain, why = "trackless desert", "far from any track"
        else:
            terrain = "clear"
        board.hex(name, terrain, ground, f"reconstructed: geography ({why})")
    desert = {hex for hex, terrain in board.terrain.items() if terrain == "trackless desert"}
    while desert:
        patch = _within(survey, {desert.pop()}, len(board.terrain), desert)
        desert -= patch
        if len(patch) < SPECK:
            for hex in patch:
                board.hex(hex, "clear", survey.hexes[hex], "reconstructed: geography (open desert near tracks)")


def _within(survey: Survey, hexes: set[str], steps: int, among: Container[str]) -> set[str]:
    """Return the hexes within a number of steps of these, going only over those `among`."""
    near, ring = set(hexes), set(hexes)
    for _ in range(steps):
        ring = {n for hex in ring for n in survey.scheme.neighbours(hex) if n in among} - near
        if not ring:
            break
        near |= ring
    return near


def _edges(survey: Survey, board: Draft) -> None:
    """Escarpments, ridges and the frontier, where there is ground on both sides."""
    for feature in survey.of("escarpment", "border"):
        name = feature["name"]
        kind = "border"
        if feature["kind"] == "escarpment":
            kind = "escarpment" if name.startswith(ESCARPMENTS) else "ridge"
        for i, (a, b) in enumerate(feature["hexsides"]):
            if "sea" in (board.terrain.get(a, "sea"), board.terrain.get(b, "sea")):
                continue
            if kind == "ridge" and (*sorted((a, b)), "escarpment") in board.sides:
                continue
            low = survey.low_hex(feature, i) if kind != "border" else ""
            board.side(a, b, kind, f"reconstructed: geography ({name})", low, name)


def _places(survey: Survey, board: Draft) -> None:
    """Add the gazetteer, as places and, except heights and waters, as landmarks."""
    for row in survey.places:
        kind, *_ = row["kind"].split()
        hex = row["rulebook"] or row["hex"]
        if board.terrain.get(hex, "sea") == "sea":
            continue
        kind = KINDS.get(kind, kind)
        source = f"reconstructed: geography ({row['precision']})"
        board.place(row["name"], hex, kind, RANKS.get(kind, 5), source)
        if kind not in UNPRINTED:
            board.tags[hex].add("landmark")


def _sections(board: Draft) -> None:
    """The sections of the supply attrition tables, by column."""
    for name, (first, last) in SECTIONS.items():
        hexes = sorted(hex for hex in board.terrain if first <= int(hex[2:]) <= last)
        source = "reconstructed: rulebook 25.1 names the sections; the limits leave each port in the middle of its own"
        board.areas.append({"name": name, "kind": "map section", "hexes": hexes, "from": source})
