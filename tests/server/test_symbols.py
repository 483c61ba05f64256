"""Counters as they are drawn: every one has its symbol and its colours, and sides are told apart by every eye."""

from __future__ import annotations

import math
import re
from itertools import combinations

import pytest

from khamsin import games
from khamsin.kernel import Counter
from khamsin.kernel.registration import registrations
from khamsin.server import symbols

OF_GAMES = [
    (game, counter) for game in games.playable() if game in registrations() for counter in games.load(game).counters
]
COUNTERS = [counter for _, counter in OF_GAMES]
AXIS = ("Axis", "DE", "Luftwaffe", "IT")
ALLIED = tuple(nation for nation in symbols.NATIONS if nation not in AXIS)

Colour = tuple[float, float, float]

EYES = {
    "any": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
"""What eyes make of linear red, green and blue, by Machado, Oliveira and Fernandes (2009), severity 1."""


def linear(colour: str) -> Colour:
    red, green, blue = (
        ((c / 255 + 0.055) / 1.055) ** 2.4 if c > 10 else c / 255 / 12.92 for c in bytes.fromhex(colour[1:])
    )
    return red, green, blue


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast of the Web Content Accessibility Guidelines."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def seen(colour: str, eyes: str) -> Colour:
    """A colour in CIE L*a*b*, as these eyes see it."""
    rgb = linear(colour)
    red, green, blue = (min(1.0, max(0.0, sum(m * c for m, c in zip(row, rgb, strict=True)))) for row in EYES[eyes])
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def apart(one: str, other: str, eyes: str) -> float:
    """How far two nations' counters are apart: 2 is just to be seen side by side, 10 at a glance."""
    return math.dist(*(seen(symbols.NATIONS[nation]["ground"], eyes) for nation in (one, other)))


def test_every_counter_of_every_game_has_a_symbol_or_none_by_choice() -> None:
    bare = {c.symbol for game, c in OF_GAMES if not symbols.sidc_of(c, game)}
    assert bare <= symbols.WITHOUT
    assert not symbols.WITHOUT & symbols.SYMBOLS.keys()


def test_the_size_of_every_unit_shows() -> None:
    assert {c.size for c in COUNTERS} - {""} <= symbols.SIZES.keys()


def test_every_counter_has_the_colours_of_its_nation() -> None:
    assert {symbols.colours_of(c) for c in COUNTERS} <= symbols.NATIONS.keys()


def test_a_code_has_fifteen_characters_as_the_standard_asks() -> None:
    for word in symbols.SYMBOLS:
        for size in ("", *symbols.SIZES):
            code = symbols.sidc_of(Counter("x", 0, symbol=word, size=size))
            assert re.fullmatch(r"SF[GASUF]P[A-Z-]{6}[AH-][A-K-]\*{3}", code), code


def test_armour_infantry_depots_and_lorries_are_told_apart() -> None:
    codes = [symbols.SYMBOLS[word] for word in ("armour", "infantry", "motorised infantry", "depot", "lorry")]
    assert len(set(codes)) == len(codes)


def test_an_unknown_word_gives_a_plain_counter_without_a_symbol() -> None:
    face = symbols.face_of(Counter("Red 1", 0, symbol="elephant"))
    assert face == symbols.Face("Red 1", "", symbols.PLAIN["ground"], symbols.PLAIN["ink"])


@pytest.mark.parametrize(
    ("name", "nation", "label"),
    [
        ("DE 104/IREGT", "DE", "104"),
        ("BR SG/2/IBDE", "BR", "SG/2"),
        ("PL CARP/IBDE", "PL", "CARP"),
        ("Allied lorry 2", "", "lorry 2"),
        ("DE Ramcke Bde", "DE", "Ramcke"),
        ("DLIX Semovente fire", "IT", "DLIX"),
        ("9+10/104/21", "DE", "9+10/104"),
        ("HQ Constantine", "FR", "Const."),
    ],
)
def test_a_label_is_the_name_without_what_colour_and_symbol_say(name: str, nation: str, label: str) -> None:
    assert symbols.label_of(Counter(name, 0, nation=nation), "kasserine") == label


def test_who_has_no_colours_of_his_own_wears_those_of_another() -> None:
    assert {*symbols.WEARS.values()} <= symbols.NATIONS.keys()
    assert not {*symbols.WEARS} & symbols.NATIONS.keys()
    flyer, rider = (
        Counter("Fw190", 0, nation="DE", symbol="air unit"),
        Counter("1/501", 0, nation="DE", symbol="armour"),
    )
    assert symbols.face_of(flyer).ground != symbols.face_of(rider).ground


def test_replacements_of_different_nations_have_different_labels() -> None:
    counters = [c for c in games.load("na41").counters if c.symbol == "replacements"]
    assert len({symbols.label_of(c, "na41") for c in counters}) == len(counters)
    assert len({games.load("na41").display.full(c) for c in counters}) == len(counters)


def test_labels_fit_on_a_counter() -> None:
    labels = [
        symbols.label_of(c, game)
        for game in registrations()
        if game in games.playable()
        for c in games.load(game).counters
    ]
    assert max(map(len, labels)) <= symbols.MAX_LABEL


@pytest.mark.parametrize("nation", [*symbols.NATIONS, "plain"])
def test_the_print_is_legible(nation: str) -> None:
    colours = symbols.NATIONS.get(nation, symbols.PLAIN)
    assert contrast(colours["ground"], colours["ink"]) >= 7


@pytest.mark.parametrize("eyes", ["any", "protanopia", "deuteranopia", "tritanopia"])
def test_the_sides_are_told_apart_by_every_eye(eyes: str) -> None:
    assert min(apart(one, other, eyes) for one in AXIS for other in ALLIED) >= 15


@pytest.mark.parametrize("eyes", ["any", "protanopia", "deuteranopia"])
def test_the_nations_of_a_side_are_told_apart(eyes: str) -> None:
    for nations in (AXIS, ALLIED):
        assert min(apart(one, other, eyes) for one, other in combinations(nations, 2)) >= 7
