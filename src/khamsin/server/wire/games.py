"""What can be played: games, counters, tables and rulebooks."""

from __future__ import annotations

from pydantic import BaseModel, Field
from typing_extensions import TypedDict


class ScenarioInfo(BaseModel):
    """A scenario; the first value of an option is its default."""

    name: str
    title: str
    text: str
    options: dict[str, list[str]]
    notes: dict[str, str] = Field(description="A line about each option")


class GameInfo(BaseModel):
    """One game of the list."""

    id: str
    title: str
    playable: bool = Field(description="Whether its rules are written, not only its board")
    sides: list[str]
    scenarios: list[ScenarioInfo]
    players: list[str] = Field(description="The computer players that know it, the levels first")
    sections: int = Field(description="How many sections its rulebook has")


class PlayerInfo(BaseModel):
    """A computer player that can take a seat."""

    name: str
    text: str


class GameList(BaseModel):
    """The games, and the computer players that know them."""

    games: list[GameInfo]
    players: list[PlayerInfo]
    levels: list[str] = Field(description="The levels among them, the easiest first")
    usual: str = Field(description="The default player")
    version: str


class CounterInfo(BaseModel):
    """The printed data of a counter. `sidc` is its NATO symbol as milsymbol takes it, empty if there is none."""

    name: str
    label: str = Field(description="The name without its nation, short enough for a counter")
    full: str = Field(description="The full name, for panels, log and tooltips")
    side: str
    nation: str
    symbol: str
    sidc: str
    size: str
    parent: str
    steps: int
    printed: dict[str, str] = Field(description="Its printed values in words: title -> values")
    ground: str = Field(description="The colour of the counter")
    ink: str = Field(description="The colour of what is printed on it")
    source: str


class PhaseInfo(TypedDict):
    """One phase of the sequence of play; `side` is null for a joint phase."""

    name: str
    side: str | None
    rule: str


class TableInfo(BaseModel):
    """A result table, ready to be printed."""

    name: str
    title: str
    rule: str
    dice: str
    heads: list[str]
    rows: list[tuple[str, list[str]]]
    source: str


class LayerInfo(BaseModel):
    """A layer that can be drawn over the map."""

    name: str
    title: str
    rule: str
    legend: dict[str, str] = Field(description="The meaning of a tone, if it is not the default")


class TermInfo(BaseModel):
    """A term of a game, its meaning, its rule, and other forms in which texts contain it."""

    term: str
    text: str
    rule: str
    forms: list[str]


class GameData(BaseModel):
    """The data of a game that never change, besides its board."""

    id: str
    title: str
    digest: str
    sides: list[str]
    counters: list[CounterInfo]
    buttons: list[str]
    scenarios: dict[str, str] = Field(description="The title of each scenario, by its name")
    tables: list[TableInfo]
    layers: list[LayerInfo]
    glossary: list[TermInfo]
    points: str = Field(description="The name of movement points")
    secrets: bool = Field(description="Whether a side may know something that the other side may not")


class Section(BaseModel):
    """One section of a rulebook, in our own words."""

    number: str
    title: str
    gist: str


class Rulebook(BaseModel):
    """The gist of a rulebook by section."""

    game: str
    title: str
    sections: list[Section]
