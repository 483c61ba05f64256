"""The types of what the laboratory sends and receives."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from khamsin.server import limits
from khamsin.server.wire import Name, Strict


class LabInfo(BaseModel):
    """What the laboratory allows. With no processes it is closed."""

    processes: int
    games: int = Field(description="The most games of one study")
    changes: int = Field(description="The most figures that one what-if changes")
    players: dict[str, list[str]] = Field(description="Game -> the computer players that know it")
    waiting: int = Field(description="Studies that are played or wait")


class Parameter(BaseModel):
    """Something of a game that can be changed, by its path: of which table, counter or file, and its value as it ships."""

    path: str
    kind: Literal["table", "counter", "data"]
    group: str
    name: str
    value: str


class Figures(BaseModel):
    """All of a game that can be changed, besides its options."""

    figures: list[Parameter]


class Changed(Strict):
    """A figure changed: its path, or option.NAME, and the new value."""

    path: Annotated[str, StringConstraints(min_length=3, max_length=200)]
    value: Annotated[str, StringConstraints(min_length=1, max_length=80)]


class NewStudy(Strict):
    """A study: a scenario to be played many times. With changes, every game is played twice, as it is and so changed."""

    game: Name
    scenario: Name
    players: dict[Name, Name] = Field(description="Side -> computer player", max_length=limits.SIDES)
    options: dict[Name, Name] = Field(default_factory=dict, max_length=limits.OPTIONS)
    changes: list[Changed] = Field(default_factory=list, max_length=limits.LAB_CHANGES)
    games: int = Field(ge=1, le=limits.LAB_GAMES)
    seed: int = Field(default=0, ge=0, lt=1 << 53)


class StudyInfo(BaseModel):
    """A study and how far it is."""

    id: str
    state: Literal["waiting", "running", "done", "stopped", "failed"]
    before: int = Field(description="How many studies are played before this one")
    finished: int
    total: int
    error: str = Field(description="Why it cannot be played, where it cannot")
    command: str = Field(description="The command line that plays it again")
    study: NewStudy
    key: str = Field(default="", description="The secret that may stop it, known to the caller who started it")


class LabShare(BaseModel):
    """How often a result came, as a share with its interval for 95 %."""

    winner: str
    level: str = ""
    count: int
    value: float
    low: float
    high: float


class LabSpread(BaseModel):
    """How a number is spread over the games."""

    count: int
    mean: float = 0.0
    least: float = 0.0
    median: float = 0.0
    most: float = 0.0
    times: dict[str, int] = Field(default_factory=dict, description="How often each value occurs, where they are few")


class LabPoint(BaseModel):
    """A number at the end of a turn, over all games that came so far."""

    turn: int
    games: int
    p10: float
    p25: float
    median: float
    p75: float
    p90: float


class LabCurve(BaseModel):
    """A number by turn."""

    title: str
    points: list[LabPoint]


class LabMaps(BaseModel):
    """Figures by hex: see docs/laboratory.md."""

    battles: dict[str, float]
    fell: dict[str, float]
    ground: dict[str, float]
    presence: dict[str, dict[str, float]]


class LabArm(BaseModel):
    """What came out of one way to play: as it is, or as changed."""

    games: int
    failed: int
    error: str
    results: list[LabShare]
    levels: list[LabShare]
    turns: LabSpread
    clicks: LabSpread
    decisive: LabSpread
    left: dict[str, dict[str, float]] = Field(description="Side -> kind of box -> units that went there, a game")
    lead: list[LabPoint]
    curves: list[LabCurve]
    maps: LabMaps


class LabChange(BaseModel):
    """By how much something differs between games of the same seed, with its interval."""

    name: str
    before: float
    after: float
    value: float
    low: float
    high: float


class LabDifference(BaseModel):
    """The changed games less those as it is, in pairs of the same seed."""

    pairs: int
    same: int = Field(description="Pairs that were alike to the last click")
    shares: list[LabChange]
    means: list[LabChange]


class LabReport(BaseModel):
    """What has come out of a study so far."""

    finished: int
    sides: list[str]
    arms: list[LabArm]
    difference: LabDifference | None
