"""Modules that only build the maps need the packages of the extra "atlas"; without these, their doctests are passed over."""

from __future__ import annotations

from importlib.util import find_spec

NEEDS = {"relief.py": ("PIL", "scipy"), "coast.py": ("shapely",)}
collect_ignore = [
    f"src/khamsin/atlas/{file}" for file, packages in NEEDS.items() if not all(find_spec(name) for name in packages)
]
