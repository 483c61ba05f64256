"""Every test of the display contract can fail: here is a toy whose display breaks what it asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import Any

import pytest

from khamsin.kernel import Decision, Game, Odds, Rules, Term
from khamsin.kernel.display import (
    Arrival,
    Badge,
    GlossaryTerm,
    Layer,
    LayerLine,
    LayerOf,
    Note,
    Sheet,
    Spot,
    Step,
    Track,
)
from tests.contract import test_display as contract
from tests.toy.skirmish import DISPLAY, MILITIA, RULES, VILLAGE


def showing(**hooks: Any) -> Rules[Any]:
    """The toy with some functions of its display replaced."""
    return replace(RULES, display=replace(DISPLAY, **hooks))


def layered(layer: Layer, name: str = "broken", rule: str = "3") -> Rules[Any]:
    return showing(layers={name: LayerOf("Broken", rule, lambda g, viewer: layer)})


def stepping(step: Callable[[Step], Step]) -> Rules[Any]:
    """The toy with every step of its path preview changed."""

    def reach(g: Game[Any], decision: Decision) -> dict[int, Step]:
        return {hex: step(found) for hex, found in DISPLAY.reach(g, decision).items()}

    return showing(reach=reach)


def fickle() -> Rules[Any]:
    """The toy with a path preview that is another one each time it is asked for."""
    asked = count(1)

    def reach(g: Game[Any], decision: Decision) -> dict[int, Step]:
        more = next(asked)
        return {hex: found._replace(cost=found.cost + more) for hex, found in DISPLAY.reach(g, decision).items()}

    return showing(reach=reach)


def with_sheet(terms: tuple[Term, ...], chance: Fraction, targets: tuple[int, ...] = (VILLAGE,)) -> Rules[Any]:
    made = Sheet("Combat", (0,), targets, Odds(terms, "1-1", {"DR": chance}))
    return showing(sheets=lambda g, decision, click: [made])


def changes_what_it_shows() -> Rules[Any]:
    def tracks(g: Game[Any], side: int) -> list[Track]:
        g.state.steps[0] += 1
        return []

    return showing(tracks=tracks)


def tells_what_is_hidden() -> Rules[Any]:
    def tracks(g: Game[Any], side: int) -> list[Track]:
        return [Track("Militia", str([g.state.strength[unit] for unit in MILITIA]), rule="6")]

    return replace(showing(tracks=tracks), conceal=lambda state, side: state)


def names_what_lies_face_down() -> Rules[Any]:
    return showing(
        back=lambda g, unit, viewer: "militia" if unit in MILITIA and viewer == 0 else "",
        tracks=lambda g, side: [Track("Militia", "M1 waits", rule="6")],
    )


TERM = Term("R1", "4", "4")


@pytest.mark.parametrize(
    ("test", "broken"),
    [
        (contract.test_nothing_shown_changes_the_match, changes_what_it_shows()),
        (contract.test_everything_shown_cites_a_section_and_names_what_exists,
         showing(tracks=lambda g, side: [Track("Nothing", "0", rule="99")])),
        (contract.test_everything_shown_cites_a_section_and_names_what_exists,
         showing(badges=lambda g, unit: [Badge("LONG", "too long")])),
        (contract.test_everything_shown_cites_a_section_and_names_what_exists,
         showing(calendar=lambda g, side: [Arrival(99, 0, "never", (), "2")])),
        (contract.test_everything_shown_cites_a_section_and_names_what_exists,
         showing(tracks=lambda g, side: [Track("A gap", "{points}", rule="2")])),
        (contract.test_layers_lie_on_locations_and_supply_runs_from_hex_to_hex, layered(Layer((Spot(9999, "own"),)))),
        (contract.test_layers_lie_on_locations_and_supply_runs_from_hex_to_hex, layered(Layer((Spot(0, "puce"),)))),
        (contract.test_layers_lie_on_locations_and_supply_runs_from_hex_to_hex,
         layered(Layer(notes=(Note("nothing", "99"),)))),
        (contract.test_layers_lie_on_locations_and_supply_runs_from_hex_to_hex,
         layered(Layer(lines=(LayerLine((0, 30), "supply"),)), "supply")),
        (contract.test_nothing_shown_depends_on_what_is_hidden, tells_what_is_hidden()),
        (contract.test_no_text_names_a_unit_whose_back_is_shown, names_what_lies_face_down()),
        (contract.test_every_button_of_a_decision_has_a_caption, showing(caption=lambda g, decision, button: button)),
        (contract.test_every_button_of_a_decision_has_a_caption, showing(caption=lambda g, decision, button: "{mode}")),
        (contract.test_a_sheet_has_targets_terms_with_sections_and_chances_that_make_one, with_sheet((), Fraction(1))),
        (contract.test_a_sheet_has_targets_terms_with_sections_and_chances_that_make_one,
         with_sheet((TERM._replace(rule="99"),), Fraction(1))),
        (contract.test_a_sheet_has_targets_terms_with_sections_and_chances_that_make_one,
         with_sheet((TERM,), Fraction(1, 2))),
        (contract.test_a_sheet_has_targets_terms_with_sections_and_chances_that_make_one,
         with_sheet((TERM,), Fraction(1), ())),
        (contract.test_the_path_to_each_legal_location_leads_back_to_the_stack,
         stepping(lambda step: step._replace(cost=step.cost + 1))),
        (contract.test_the_path_to_each_legal_location_leads_back_to_the_stack,
         stepping(lambda step: step._replace(left=-1))),
        (contract.test_the_path_to_each_legal_location_leads_back_to_the_stack,
         stepping(lambda step: step._replace(before=VILLAGE))),
        (contract.test_the_columns_of_a_path_preview_hold_all_its_steps, fickle()),
    ],
    ids=lambda value: getattr(value, "__name__", "toy").removeprefix("test_")[:40],
)  # fmt: skip
def test_a_broken_display_fails_it(test: Callable[[Rules[Any], int], None], broken: Rules[Any]) -> None:
    assert any(fails(test, broken, seed) for seed in range(4))


@pytest.mark.parametrize(
    ("test", "broken"),
    [
        (contract.test_every_term_of_the_glossary_has_a_text_and_a_section_that_exists,
         showing(glossary=(GlossaryTerm("ZOC", "Zone of control", "99"),))),
        (contract.test_every_term_of_the_glossary_has_a_text_and_a_section_that_exists,
         showing(glossary=(GlossaryTerm("ZOC", " ", "3"),))),
        (contract.test_no_two_counters_have_the_same_full_name, showing(full=lambda counter: "Infantry")),
    ],
    ids=lambda value: getattr(value, "__name__", "toy").removeprefix("test_")[:40],
)  # fmt: skip
def test_a_broken_name_or_term_fails_it(test: Callable[[Rules[Any]], None], broken: Rules[Any]) -> None:
    with pytest.raises(AssertionError):
        test(broken)


def fails(test: Callable[[Rules[Any], int], None], rules: Rules[Any], seed: int) -> bool:
    """Whether a test fails with a seed."""
    try:
        test(rules, seed)
    except (AssertionError, KeyError):
        return True
    return False


def test_every_test_of_the_display_contract_is_broken_here() -> None:
    broken = (test_a_broken_display_fails_it, test_a_broken_name_or_term_fails_it)
    cases = [case for test in broken for case in test.pytestmark[0].args[1]]  # type: ignore[attr-defined]
    bitten = {test.__name__ for test, _ in cases}
    walked = {name for name, test in vars(contract).items() if name.startswith("test_") and hasattr(test, "pytestmark")}
    alone = {"test_every_kind_that_a_caption_is_for_exists", "test_captions_are_short"}
    assert bitten == walked - alone
