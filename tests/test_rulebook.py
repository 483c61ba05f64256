"""The account of a rulebook finds what cites a section, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from khamsin import provenance, rulebook
from khamsin.kernel.registration import registrations

FINISHED = ("paa", "kasserine", "tunisia")
"""The games that are played by their whole rulebook."""
NUMBERS = {"3", "8.2", "12.4", "12.4.1", "12.4.2", "12.4.3", "fig. 7", "OCS 4.1a"}


def citations(tmp_path: Path, text: str) -> set[str]:
    (tmp_path / "chapter.py").write_text(text)
    return {number for _, number in rulebook.citations(tmp_path, NUMBERS)}


def test_a_docstring_cites_in_brackets(tmp_path: Path) -> None:
    assert citations(tmp_path, 'def f():\n    """Stacks of 3 trace (8.2, OCS 4.1a)."""\n') == {"8.2", "OCS 4.1a"}


def test_a_comment_cites_numbers_and_ranges(tmp_path: Path) -> None:
    assert citations(tmp_path, "x = 1  # 12.4.1-3\n") == {"12.4.1", "12.4.2", "12.4.3"}


def test_a_string_of_its_own_cites(tmp_path: Path) -> None:
    assert citations(tmp_path, 'log("12.4", "3", "about 8.2")\n') == {"12.4"}


def test_numbers_in_prose_do_not_cite(tmp_path: Path) -> None:
    assert citations(tmp_path, '"""Three units, or 3 of 8.2."""\nx = 3  # 3 units stand here\n') == set()


@pytest.mark.parametrize("game", registrations())
def test_every_rulebook_is_listed_with_a_gist_for_each_section(game: str) -> None:
    entries = rulebook.read(game)
    assert len(entries) > 50
    assert all(len(entry.gist) > 10 for entry in entries)


@pytest.mark.parametrize("game", FINISHED)
def test_every_section_of_a_finished_game_is_implemented_and_tested_or_rules_nothing(game: str) -> None:
    assert [entry.number for entry in rulebook.account(game) if entry.status not in ("tested", "exempt")] == []


@pytest.mark.parametrize("game", registrations())
def test_all_data_says_where_it_comes_from(game: str) -> None:
    assert [datum for datum in provenance.data(game) if datum.mark == "unmarked"] == []
