"""Line count of a game's package: rules, set-up, refusals, display, speed and imports, for `khamsin rules GAME
--lines`.

Every line of a Python file that is not blank counts once, docstrings and comments included, for the first of these that
fits:

- imports: import statements
- refusals: functions that return or yield a `Refusal` and on which no legal click depends, and what they alone use
- speed: classes of lazy clicks, cache decorators, and statements that name a cache or call `touch`
- display: the rest of the modules in `DISPLAY`, which show or measure the game and decide nothing
- set-up: the rest of the modules in `SET_UP`, the constants and classes of `units`, and the `Rules` object
- rules: the rest

No legal click depends on a function if no rule names it, directly or by a constant, except as `why_not=` of a decision
or `explain=` of the game: the kernel calls these after it has refused a click. What optimises without a cache (an array
instead of a loop) is not recognised as speed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

CLASSES = ("rules", "set-up", "refusals", "display", "speed", "imports")
DISPLAY = ("display", "layers", "metrics", "preview")
SET_UP = ("setup", "scenario")
CACHES = ("Memo", "lru_cache", "cache", "cached", "cached_property")
LAZY = ("LazyClicks",)
EXPLAINING = ("why_not", "explain")
"""Keywords that pass a function to the kernel, which calls it after it has refused a click."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.Assign | ast.AnnAssign
"""A function, a method or a constant."""
Key = tuple[str, str]
"""A module and the name of a definition in it; a method is `Class.name`."""


class Module(NamedTuple):
    """A parsed file of a package."""

    name: str
    lines: list[str]
    tree: ast.Module
    definitions: dict[str, Definition]
    modules: dict[str, str]
    """Modules of the package by the name they have here."""
    names: dict[str, Key]
    """Definitions of other modules of the package by the name they have here."""


def package(game: str) -> Path:
    """Return the folder of a game's code."""
    found = Path(__file__).parent / "games" / game
    if not any(found.glob("*.py")):
        raise ValueError(f"{game!r}: there is no code of this game yet")
    return found


def count(package: Path) -> dict[str, dict[str, int]]:
    """Return the number of lines of each class, for each file of a game's package."""
    modules = {file.stem: _read(file, package.name) for file in sorted(package.glob("*.py"))}
    explaining = only_explain(modules)
    return {f"{name}.py": _count(module, explaining) for name, module in modules.items()}


def total(files: dict[str, dict[str, int]]) -> dict[str, int]:
    """Return the number of lines of each class in all files."""
    return {kind: sum(file[kind] for file in files.values()) for kind in CLASSES}


def _read(file: Path, package: str) -> Module:
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    modules: dict[str, str] = {}
    names: dict[str, Key] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            base, _, inner = node.module.rpartition(".")
            for alias in node.names:
                if node.module.endswith(f".{package}"):
                    modules[alias.asname or alias.name] = alias.name
                elif base.endswith(f".{package}"):
                    names[alias.asname or alias.name] = (inner, alias.name)
    return Module(file.stem, text.splitlines(), tree, dict(_definitions(tree.body)), modules, names)


def _definitions(body: Iterable[ast.stmt], prefix: str = "") -> Iterator[tuple[str, Definition]]:
    """Yield the functions and constants of a module and the methods of its classes."""
    for node in body:
        if isinstance(node, Function):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{node.name}.")
        elif not prefix and isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    yield target.id, node


def only_explain(modules: dict[str, Module]) -> set[Key]:
    """Return the definitions that only explain why a click is illegal."""
    uses = {(name, label): set(_uses(module, node)) for name, module in modules.items()
            for label, node in module.definitions.items()}  # fmt: skip
    users: dict[Key, set[Key]] = {key: set() for key in uses}
    for user, used in uses.items():
        for key in used & uses.keys() - {user}:
            if user[0] not in DISPLAY or _refuses(modules[user[0]].definitions[user[1]]):
                users[key].add(user)
    passed = {use for module in modules.values() for use in _uses(module, module.tree, explaining=True)} & uses.keys()
    refuse = {key for key in uses if _refuses(modules[key[0]].definitions[key[1]])} | passed
    # Begin with all that something uses, then remove what a rule uses, until nothing more is removed.
    found = refuse | {key for key in uses if users[key]}
    while ruled := {key for key in found if users[key] - found}:
        found -= ruled
    return _reached(found & refuse, uses, found)


def _reached(roots: set[Key], uses: dict[Key, set[Key]], among: set[Key]) -> set[Key]:
    """Return the roots and what they use, directly or not."""
    reached, new = set(roots), set(roots)
    while new:
        new = {use for key in new for use in uses[key]} & among - reached
        reached |= new
    return reached


def _refuses(node: Definition) -> bool:
    """Whether a function returns or yields refusals, by its annotation."""
    return isinstance(node, Function) and node.returns is not None and "Refusal" in ast.unparse(node.returns)


def _uses(module: Module, code: ast.AST, explaining: bool = False) -> Iterator[Key]:
    """Yield the definitions of the package that code names; only those passed to explain, or only the others."""
    keywords = [node for node in ast.walk(code) if isinstance(node, ast.keyword) and node.arg in EXPLAINING]
    passed = {id(inner) for keyword in keywords for inner in ast.walk(keyword.value)}
    for node in ast.walk(code):
        key = _resolve(module, node)
        if key is not None and (id(node) in passed) == explaining:
            yield key


def _resolve(module: Module, node: ast.AST) -> Key | None:
    """Return the definition that a name or an attribute stands for."""
    if isinstance(node, ast.Name):
        return (module.name, node.id) if node.id in module.definitions else module.names.get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.value.id in module.modules:
            return module.modules[node.value.id], node.attr
        if node.value.id == "self":
            return next(((module.name, name) for name in module.definitions if name.endswith(f".{node.attr}")), None)
    return None


def _count(module: Module, explaining: set[Key]) -> dict[str, int]:
    counts = dict.fromkeys(CLASSES, 0)
    kinds = _kinds(module, explaining)
    for number, line in enumerate(module.lines, 1):
        if line.strip():
            counts[kinds.get(number, _usual(module))] += 1
    return counts


def _usual(module: Module) -> str:
    """Return the default class of lines."""
    return "display" if module.name in DISPLAY else "set-up" if module.name in SET_UP else "rules"


def _kinds(module: Module, explaining: set[Key]) -> dict[int, str]:
    """Return the class of each line that is not of the module's usual class; what is marked last counts."""
    kinds: dict[int, str] = {}

    def mark(node: ast.AST, kind: str) -> None:
        start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])  # type: ignore[attr-defined]
        kinds.update(dict.fromkeys(range(start, node.end_lineno + 1), kind))  # type: ignore[attr-defined]

    for top in module.tree.body:
        declares = module.name == "units" and not isinstance(top, Function)
        if declares or (isinstance(top, ast.Assign | ast.AnnAssign) and _calls(top.value, ("Rules",))):
            mark(top, "set-up")
    caches = {name for node in ast.walk(module.tree) for name in _cache_names(node)}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef) and any(_last(base) in LAZY for base in node.bases):
            mark(node, "speed")
        elif isinstance(node, Function | ast.ClassDef):
            for decorator in node.decorator_list:
                if _last(decorator) in CACHES:
                    mark(decorator, "speed")
        elif isinstance(node, ast.stmt) and _is_speed(node, caches):
            mark(node, "speed")
    for label, definition in module.definitions.items():
        if (module.name, label) in explaining:
            mark(definition, "refusals")
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            mark(node, "imports")
    return kinds


def _is_speed(node: ast.stmt, caches: set[str]) -> bool:
    """Whether a simple statement names a cache or calls `touch`."""
    if isinstance(node, Function | ast.ClassDef | ast.If | ast.For | ast.While | ast.With | ast.Try):
        return False
    named = {_last(inner) for inner in ast.walk(node) if isinstance(inner, ast.Name | ast.Attribute)}
    return bool(named & caches) or "touch" in named


def _cache_names(node: ast.AST) -> list[str]:
    """Return the variables that a statement makes caches."""
    if isinstance(node, ast.Assign | ast.AnnAssign) and _calls(node.value, CACHES):
        return [_last(target) for target in (node.targets if isinstance(node, ast.Assign) else [node.target])]
    return []


def _calls(value: ast.expr | None, names: tuple[str, ...]) -> bool:
    return isinstance(value, ast.Call) and _last(value) in names


def _last(node: ast.AST) -> str:
    """Return the last name of an expression: `cache` of `@functools.cache(...)`."""
    if isinstance(node, ast.Call | ast.Subscript):
        return _last(node.func if isinstance(node, ast.Call) else node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
