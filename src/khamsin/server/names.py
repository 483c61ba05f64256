"""Names of accounts: which are allowed, and which look alike.

`precis-i18n` (RFC 8265) rejects invisible characters and bidi controls, `confusable-homoglyphs` knows the scripts and
the look-alikes of Unicode (UTS 39).
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from functools import cache

from confusable_homoglyphs import categories, confusables  # type: ignore[import-untyped]
from precis_i18n import get_profile

SCRIPTS = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
"""Scripts that may be mixed, as Japanese, Chinese and Korean do (UTS 39, highly restrictive)."""
NEUTRAL = frozenset({"COMMON", "INHERITED"})
MARKS = 2
"""Accents on one letter."""


def cleaned(name: str) -> str:
    """Return a name as it is stored; raise ValueError for one that could be confused with others.

    >>> cleaned("  Desert   Fox ")
    'Desert Fox'
    >>> cleaned("R\\u043emmel")
    Traceback (most recent call last):
    ...
    ValueError: Choose letters of one script; this name mixes Cyrillic and Latin
    """
    profile = get_profile("UsernameCasePreserved")
    try:
        name = " ".join(profile.enforce(word) for word in name.split())
    except UnicodeError:
        raise ValueError("Choose letters, digits, spaces, dots, hyphens and underscores that can be seen") from None
    if not any(letter.isalnum() for letter in name):
        raise ValueError("Choose a name with a letter or a digit")
    if _most_marks(name) > MARKS:
        raise ValueError(f"Choose a name with at most {MARKS} accents on a letter")
    scripts = categories.unique_aliases(name) - NEUTRAL
    if len(scripts) > 1 and not any(scripts <= allowed for allowed in SCRIPTS):
        mixed = " and ".join(script.title() for script in sorted(scripts))
        raise ValueError(f"Choose letters of one script; this name mixes {mixed}")
    return name


def skeleton(name: str) -> str:
    """Return what a name looks like: two names that look alike have the same skeleton (UTS 39), in capitals or not.

    >>> skeleton("Rommel") == skeleton("R0rnme1") != skeleton("Rommels")
    True
    """
    return " ".join(_prototypes(_prototypes(name).casefold()).split())


def _prototypes(text: str) -> str:
    known = _prototype_of()
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    return unicodedata.normalize("NFD", "".join(known.get(letter, letter) for letter in plain))


@cache
def _prototype_of() -> dict[str, str]:
    """Return the prototype of every letter that has look-alikes.

    The library lists pairs, of which one is the prototype. It is the longer one (m, rn), or the one in most pairs.
    """
    alike: dict[str, set[str]] = defaultdict(set)
    for one, others in confusables.confusables_data.items():
        for other in others:
            pair = one.strip("\u200e"), other["c"].strip("\u200e")
            alike[pair[0]].add(pair[1])
            alike[pair[1]].add(pair[0])
    found: dict[str, str] = {}
    for letter in alike:
        if letter not in found:
            group, todo = {letter}, [letter]
            while todo:
                fresh = alike[todo.pop()] - group
                group |= fresh
                todo += fresh
            prototype = max(group, key=lambda member: (len(member), len(alike[member]), member))
            found |= dict.fromkeys(group, prototype)
    return {letter: prototype for letter, prototype in found.items() if len(letter) == 1}


def _most_marks(name: str) -> int:
    most = marks = 0
    for letter in unicodedata.normalize("NFD", name):
        marks = marks + 1 if unicodedata.category(letter) == "Mn" else 0
        most = max(most, marks)
    return most
