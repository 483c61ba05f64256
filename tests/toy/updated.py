"""PanzerArmee Afrika as a server finds it after an update; RULES_UPDATE in the environment says which.

slow: AU 24/IBDE has 1 MF, so that a move it made is no longer legal.
narrow: as slow, and it cannot be outside 1925, so that positions stored after its move are no longer possible.
"""

from __future__ import annotations

import os
from dataclasses import replace
from importlib import import_module
from typing import Any

from khamsin.kernel import data

UPDATE = os.environ.get("RULES_UPDATE", "")
UNIT = "AU 24/IBDE"

if UPDATE in ("slow", "narrow"):
    data.change("paa", {f"counter.{UNIT}.mf": "1"})

PAA = import_module("khamsin.games.paa").RULES


def _impossible(g: Any) -> str:
    moved = g.state.where[PAA.click[UNIT]] != PAA.board["1925"]
    return f"{UNIT} is outside 1925" if moved else str(PAA.find_fault(g))


RULES = replace(PAA, find_fault=_impossible) if UPDATE == "narrow" else PAA
