"""The weights of an adapter: a TOML file in its package, with the package's name."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any


def read(module: str) -> dict[str, Any]:
    """Return the weights of an adapter by the file of one of its modules."""
    folder = Path(module).parent
    return tomllib.loads((folder / f"{folder.name}.toml").read_text(encoding="utf-8"))
