"""Skirmish as an earlier version had it, with other names of a button, a flag, a column and a map; and the present rules,
which read what it stored."""

from __future__ import annotations

from dataclasses import replace

from khamsin.kernel.pieces import State
from khamsin.kernel.rules import Rules
from tests.toy import skirmish


class OldState(State):
    """The state with the old names, which the procedures of the game find under the present ones."""

    COLUMNS = State.COLUMNS | {"force": 0, "battle": 0}
    OWNERS = ("assaulted",)
    AMOUNTS = ("targets",)
    RECORDS = skirmish.SkirmishState.RECORDS
    force: list[int]
    assaulted: dict[int, int]

    @property
    def strength(self) -> list[int]:
        """The column under its present name."""
        return self.force

    @strength.setter
    def strength(self, values: list[int]) -> None:
        self.force = values

    @property
    def attacked(self) -> dict[int, int]:
        """The map under its present name."""
        return self.assaulted


OLD: Rules[OldState] = replace(  # type: ignore[assignment]
    skirmish.RULES,
    buttons=("done", "stand", "fire", "cancel"),
    flags=("gone", "shown"),
    state=OldState,  # type: ignore[arg-type]
)
RULES = replace(
    skirmish.RULES,
    renamed={
        "stand": "stay", "halt": "", "gone": "moved", "tired": "", "force": "strength", "assaulted": "attacked", "morale": "",
    },
)  # fmt: skip
