"""The types of what the server sends about boards."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class Problem(BaseModel):
    """Why a request failed, and what would help."""

    error: str = Field(description="What is wrong, in one sentence")
    games: list[str] | None = Field(default=None, description="The games there are, if an unknown one was requested")
    file: str | None = Field(default=None, description="The board file that cannot be read")
    line: int | None = Field(default=None, description="The line in that file, 0 for the whole file")
    expected: str | None = Field(default=None, description="What was expected there")


class BoardSummary(BaseModel):
    """One line of the list of boards."""

    id: str
    title: str
    hexes: int | None = Field(description="How many hexes, or null if the board cannot be read")
    km: float | None = Field(description="Kilometres from one hex centre to the next, if the board states them")
    problem: Problem | None = None


class Boards(BaseModel):
    """The list of boards."""

    boards: list[BoardSummary]


class TerrainKind(BaseModel):
    """A kind of ground, for the legend."""

    name: str
    enterable: bool
    count: int
    colour: str


class HexsideKind(BaseModel):
    """A kind of hexside feature, for the legend."""

    name: str
    across: bool = Field(description="Whether it is across the hexside, as a road is, or along it, as a wadi is")
    slope: bool = Field(description="Whether it has a low and a high side")
    count: int
    form: str
    colour: str
    width: float
    dash: str | None


class PlaceOnBoard(BaseModel):
    """A named place; rank 1 is a great city, 5 a well."""

    name: str
    kind: str
    rank: int
    source: str


class HexOnBoard(BaseModel):
    """One hex: its printed number, the pixel of its centre on the drawn map, and its data."""

    number: str
    x: float
    y: float
    terrain: str
    tags: list[str]
    places: list[PlaceOnBoard]
    lat: float
    lon: float
    elevation: float
    source: str


class SideOnBoard(BaseModel):
    """One hexside feature between two hexes; `low` is the hex on its low side."""

    a: str
    b: str
    kind: str
    low: str | None
    name: str
    source: str


class AreaOnBoard(BaseModel):
    """A named group of hexes with a meaning in the game."""

    name: str
    kind: str
    hexes: list[str]
    source: str
    data: dict[str, Any]


class BoxOnBoard(BaseModel):
    """A location off the map."""

    name: str
    kind: str
    source: str
    data: dict[str, Any]


class BoardData(BaseModel):
    """A whole board, with the pixels of the map drawn of it."""

    id: str
    title: str
    km: float | None
    width: float = Field(description="Width of the drawn map in pixels")
    height: float
    scale: float = Field(description="Pixels from one hex centre to the next")
    corners: list[tuple[float, float]] = Field(description="The six corners of a hex, as pixels from its centre")
    terrains: list[TerrainKind]
    kinds: list[HexsideKind]
    hexes: list[HexOnBoard]
    sides: list[SideOnBoard]
    areas: list[AreaOnBoard]
    boxes: list[BoxOnBoard]
