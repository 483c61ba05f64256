"""The types of the laboratory's requests and responses."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from khamsin.server import limits
from khamsin.server.wire import Name, Strict


class LabInfo(BaseModel):
    """What the laboratory allows. With no processes it is closed."""

    processes: int
    games: int = Field(description="The most games of one study")
    changes: int = Field(description="The most values that one what-if changes")
    players: dict[str, list[str]] = Field(description="Game -> the computer players that know it")
    waiting: int = Field(description="Studies in progress or waiting")


class Parameter(BaseModel):
    """A changeable parameter of a game, by its path: its table, counter or file, and its installed value."""

    path: str
    kind: Literal["table", "counter", "data"]
    group: str
    name: str
    value: str


class Figures(BaseModel):
    """All changeable parameters of a game, besides its options."""

    figures: list[Parameter]


class Changed(Strict):
    """A changed value: its path, or option.NAME, and the new value."""

    path: Annotated[str, StringConstraints(min_length=3, max_length=200)]
    value: Annotated[str, StringConstraints(min_length=1, max_length=80)]


class NewStudy(Strict):
    """A study: a scenario to be played many times. With changes, every game is played twice, as it is and changed."""

    game: Name
    scenario: Name
    players: dict[Name, Name] = Field(description="Side -> computer player", max_length=limits.SIDES)
    options: dict[Name, Name] = Field(default_factory=dict, max_length=limits.OPTIONS)
    changes: list[Changed] = Field(default_factory=list, max_length=limits.LAB_CHANGES)
    games: int = Field(ge=1, le=limits.LAB_GAMES)
    seed: int = Field(default=0, ge=0, lt=1 << 53)


class StudyInfo(BaseModel):
    """A study and its progress."""

    id: str
    state: Literal["waiting", "running", "done", "stopped", "failed"]
    before: int = Field(description="How many studies are before this one")
    finished: int
    total: int
    error: str = Field(description="Why it cannot be played, if so")
    command: str = Field(description="The command line that plays it again")
    study: NewStudy
    key: str = Field(default="", description="The secret that may stop it, known to the caller who started it")


class LabShare(BaseModel):
    """The share of a result with its interval for 95 %."""

    winner: str
    level: str = ""
    count: int
    value: float
    low: float
    high: float


class LabSpread(BaseModel):
    """The distribution of a number over the games."""

    count: int
    mean: float = 0.0
    least: float = 0.0
    median: float = 0.0
    most: float = 0.0
    times: dict[str, int] = Field(default_factory=dict, description="How often each value occurs, if they are few")


class LabPoint(BaseModel):
    """A number at the end of a turn, over all games that lasted so long."""

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
    """Values by hex: see docs/laboratory.md."""

    battles: dict[str, float]
    fell: dict[str, float]
    ground: dict[str, float]
    presence: dict[str, dict[str, float]]


class LabArm(BaseModel):
    """The results of one arm: as it is, or changed."""

    games: int
    failed: int
    error: str
    results: list[LabShare]
    levels: list[LabShare]
    turns: LabSpread
    clicks: LabSpread
    decisive: LabSpread
    left: dict[str, dict[str, float]] = Field(description="Side -> kind of box -> units placed there per game")
    lead: list[LabPoint]
    curves: list[LabCurve]
    maps: LabMaps


class LabChange(BaseModel):
    """The difference between games of the same seed, with its interval."""

    name: str
    before: float
    after: float
    value: float
    low: float
    high: float


class LabDifference(BaseModel):
    """The changed games less those as it is, in pairs of the same seed."""

    pairs: int
    same: int = Field(description="Pairs that were equal to the last click")
    shares: list[LabChange]
    means: list[LabChange]


class LabReport(BaseModel):
    """The results of a study so far."""

    finished: int
    sides: list[str]
    arms: list[LabArm]
    difference: LabDifference | None
