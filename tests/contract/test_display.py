"""What every game shows must agree with its rules, cite existing sections, tell nobody what is hidden, and change nothing.

Each test looks at the same decisions, taken from random matches."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from khamsin import games, rulebook
from khamsin.kernel import EVERYONE, NOWHERE, Decision, Game, KeyedDice, Match, Rules, SeededDice
from khamsin.kernel.display import TONES, Badge, Layer, Step
from khamsin.kernel.registration import registrations
from khamsin.server import views
from tests import SOAK
from tests.contract.test_contract import GAMES, LARGE, choice
from tests.toy.skirmish import RULES as SKIRMISH

SEEDS = range(100 if SOAK else 3)
MAX_CLICKS = 1500
LOOKS = 12
"""Decisions looked at in one match."""

every_match = pytest.mark.parametrize(
    ("rules", "seed"),
    [(rules, seed) for rules in GAMES for seed in SEEDS],
    ids=lambda value: getattr(value, "id", str(value)),
)


class Look:
    """A decision of a match, and what each viewer is shown then."""

    def __init__(self, match: Match[Any], decision: Decision) -> None:
        self.match, self.decision = match, decision
        self._shown: dict[int, dict[str, Any]] = {}

    @property
    def game(self) -> Game[Any]:
        """The game as the deciding side knows it."""
        return self.match.game.seen_by(self.decision.side)

    def shown(self, viewer: int) -> dict[str, Any]:
        """Everything that a viewer is shown besides the decision."""
        if viewer not in self._shown:
            self._shown[viewer] = shown(self.match.game.seen_by(viewer), viewer)
        return self._shown[viewer]


_LOOKS: dict[tuple[int, int], tuple[Rules[Any], list[Look]]] = {}
"""What was found of a game for a seed, so that a match is walked once for all tests."""
MOST = 30
"""Walks that are kept: all of `make test`; in `make soak` the tests of a walk run one after the other."""


def looks(rules: Rules[Any], seed: int) -> list[Look]:
    """Decisions of a random match, of as many kinds as it has."""
    if (id(rules), seed) not in _LOOKS:
        if len(_LOOKS) == MOST:
            _LOOKS.clear()
        _LOOKS[id(rules), seed] = rules, _looks(rules, seed)
    return _LOOKS[id(rules), seed][1]


def _looks(rules: Rules[Any], seed: int) -> list[Look]:
    chance = random.Random(seed)
    scenario = list(rules.scenarios.values())[seed % len(rules.scenarios)]
    options = {name: chance.choice(values) for name, values in scenario.options.items()}
    match: Match[Any] = Match(rules, scenario.name, options, KeyedDice.seeded(seed))
    by_kind: dict[str, list[Match[Any]]] = {}
    for _ in range(MAX_CLICKS // 4 if rules.id in LARGE else MAX_CLICKS):
        if match.decision is None:
            break
        met = by_kind.setdefault(match.decision.kind, [])
        # The first, and later ones ever more seldom.
        if chance.random() < 1 / (1 + 4 * len(met)) ** 2:
            met.append(match.clone(SeededDice(seed)))
        match.click(choice(match, chance))
    ranked = sorted((rank, chance.random(), kind) for kind, met in by_kind.items() for rank in range(len(met)))
    found = [by_kind[kind][rank] for rank, _, kind in ranked[:LOOKS]]
    return [Look(each, each.decision) for each in found if each.decision is not None]


def sections(rules: Rules[Any]) -> set[str]:
    """The sections of a game's rulebook."""
    return {"1", "2", "3", "4", "5", "6", "7"} if rules.id not in registrations() else _listed(rules.id)


@lru_cache
def _listed(game: str) -> set[str]:
    return {entry.number for entry in rulebook.read(game)}


def viewers(rules: Rules[Any]) -> Iterator[int]:
    yield from range(len(rules.sides))
    yield EVERYONE


def shown(g: Game[Any], viewer: int) -> dict[str, Any]:
    """Everything that a viewer is shown besides the decision."""
    display = g.rules.display
    found: dict[str, Any] = {"turns": display.turns(g)}
    for unit, place in enumerate(g.state.where):
        hidden = display.back(g, unit, viewer)
        found[f"unit {unit}"] = (place, hidden or (display.face(g, unit), tuple(display.badges(g, unit))))
    for hook in ("marks", "tracks", "objectives", "calendar"):
        found[hook] = list(getattr(display, hook)(g, viewer))
    for name, layer in display.layers.items():
        found[f"layer {name}"] = layer.make(g, viewer)
    return found


def clicks(look: Look) -> list[int]:
    """No click, and a few legal ones."""
    legal = list(look.decision.legal)
    return [NOWHERE, *random.Random(len(legal)).sample(legal, min(3, len(legal)))]


def texts(value: Any) -> Iterator[str]:
    """Every text in what is shown."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, Layer):
        yield from texts((value.spots, value.lines, value.notes))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)


@every_match
def test_nothing_shown_changes_the_match(rules: Rules[Any], seed: int) -> None:
    for look in looks(rules, seed):
        before = look.match.state.digest(), look.match.game.dice.count
        g = look.game
        there = g.state.digest()
        shown(g, look.decision.side)
        rules.display.reach(g, look.decision)
        for click in clicks(look):
            list(rules.display.sheets(g, look.decision, click))
        assert g.state.digest() == there
        assert (look.match.state.digest(), look.match.game.dice.count) == before


@every_match
def test_everything_shown_cites_a_section_and_names_what_exists(rules: Rules[Any], seed: int) -> None:
    numbers, locations, sides = sections(rules), range(len(rules.board.names)), range(len(rules.sides))
    for look in looks(rules, seed):
        for viewer in viewers(rules):
            found = look.shown(viewer)
            badges = {badge for unit in range(rules.units) for badge in fronts(found, unit)}
            assert all(1 <= len(badge.mark) <= 3 and badge.text and badge.tone in TONES for badge in badges)
            cited = {badge.rule for badge in badges if badge.rule}
            for hook in ("marks", "tracks", "objectives", "calendar"):
                cited |= {item.rule for item in found[hook]}
            assert all(item.place in locations for item in (*found["marks"], *found["objectives"]))
            for arrival in found["calendar"]:
                assert look.match.state.turn <= arrival.turn <= len(found["turns"]), arrival
                assert arrival.side in sides, arrival
                assert all(unit in rules.unit_clicks for unit in arrival.units), arrival
            assert cited <= numbers
            assert not [text for text in texts(found) if "{" in text]


def fronts(found: dict[str, Any], unit: int) -> tuple[Badge, ...]:
    """The badges of a unit that is shown from its front."""
    _, side = found[f"unit {unit}"]
    return side[1] if isinstance(side, tuple) else ()


@every_match
def test_layers_lie_on_locations_and_supply_runs_from_hex_to_hex(rules: Rules[Any], seed: int) -> None:
    numbers, locations = sections(rules), range(len(rules.board.names))
    for look in looks(rules, seed):
        for viewer in viewers(rules):
            for name, layer in rules.display.layers.items():
                made: Layer = look.shown(viewer)[f"layer {name}"]
                assert {spot.tone for spot in made.spots} | {line.tone for line in made.lines} <= set(TONES)
                assert all(spot.place in locations for spot in made.spots)
                assert all(place in locations for line in made.lines for place in line.places)
                assert all(len(line.places) > 1 for line in made.lines)
                assert all(note.place == NOWHERE or note.place in locations for note in made.notes)
                assert {layer.rule, *(note.rule for note in made.notes)} <= numbers
                if name == "supply":
                    steps = [step for line in made.lines for step in pairwise(line.places)]
                    assert all(there in rules.board.around(here) for here, there in steps)


@every_match
def test_nothing_shown_depends_on_what_is_hidden(rules: Rules[Any], seed: int) -> None:
    if not rules.has_hidden_info:
        return
    chance = random.Random(seed)
    for look in looks(rules, seed):
        match, decision = look.match, look.decision
        for side in range(len(rules.sides)):
            other = match.game.with_state(rules.imagine(match.state, side, chance)).seen_by(side)
            assert shown(other, side) == look.shown(side)
            if decision.side == side:
                assert rules.display.reach(other, decision) == rules.display.reach(look.game, decision)
                for click in clicks(look):
                    sheets = [list(rules.display.sheets(g, decision, click)) for g in (other, look.game)]
                    assert sheets[0] == sheets[1]


@every_match
def test_no_text_names_a_unit_whose_back_is_shown(rules: Rules[Any], seed: int) -> None:
    for look in looks(rules, seed):
        for viewer in viewers(rules):
            g = look.match.game.seen_by(viewer)
            hidden = [unit for unit in range(rules.units) if rules.display.back(g, unit, viewer)]
            said = "\n".join(texts(look.shown(viewer)))
            assert not [rules.names[unit] for unit in hidden if is_named(rules, rules.names[unit], said)]


def is_named(rules: Rules[Any], name: str, said: str) -> bool:
    """Whether a text has the name of a unit, other than within a longer name."""
    if name in said:
        for longer in rules.names:
            if name in longer and name != longer:
                said = said.replace(longer, "")
    return name in said


@every_match
def test_every_button_of_a_decision_has_a_caption(rules: Rules[Any], seed: int) -> None:
    """The legal ones and the blocked ones; at a decision of any other kind too."""
    for look in looks(rules, seed):
        decision = look.decision
        met = {*decision.buttons, *(click for click in decision.legal if click >= rules.first_button)}
        captions = [rules.display.caption(look.game, decision, rules.names[button]) for button in met]
        unknown = Decision(decision.side, "none.such", "", decision.rule, {})
        captions += [rules.display.caption(look.game, unknown, button) for button in rules.buttons]
        assert all(caption[0].isupper() and "{" not in caption for caption in captions)
        assert len({*captions[: len(met)]}) == len(met), f"two buttons of {decision.kind} say the same"


@every_match
def test_a_sheet_has_targets_terms_with_sections_and_chances_that_make_one(rules: Rules[Any], seed: int) -> None:
    numbers = sections(rules)
    for look in looks(rules, seed):
        for click in clicks(look):
            for sheet in rules.display.sheets(look.game, look.decision, click):
                assert sheet.title
                assert sheet.targets
                assert all(rules.board.is_hex(hex) for hex in sheet.targets)
                assert all(unit in rules.unit_clicks for unit in sheet.attackers)
                assert sheet.odds.terms
                assert {term.rule for term in sheet.odds.terms} <= numbers
                assert sum(sheet.odds.outcomes.values()) == 1 or not sheet.odds.outcomes, (
                    "an attack that is not permitted"
                )


@every_match
def test_the_path_to_each_legal_location_leads_back_to_the_stack(rules: Rules[Any], seed: int) -> None:
    """At the cost that the decision names; where there is a cost, from hex to adjacent hex, and never for less."""
    around, parts = rules.board.around, rules.display.parts
    for look in looks(rules, seed):
        g, decision = look.game, look.decision
        reach = rules.display.reach(g, decision)
        if not reach:
            continue
        here = g.state.where[decision.about[0]]
        legal = [click - g.place0 for click in decision.legal if g.place0 <= click < rules.first_button]
        for place in random.Random(seed).sample(legal, min(20, len(legal))):
            path = list(back(reach, place, here))
            named = cost_of(decision.legal[g.place0 + place], parts)
            assert named in (None, reach[place].cost)
            costs = [reach[at].cost for at in whole_steps(reach, path[:-1])]
            assert costs == sorted(costs, reverse=True)
            assert all(reach[at].left >= 0 for at in path[:-1])
            if reach[place].cost:
                on_map = [at for at in path if rules.board.is_hex(at)]
                assert all(there in around(at) for at, there in pairwise(on_map))


@every_match
def test_the_columns_of_a_path_preview_hold_all_its_steps(rules: Rules[Any], seed: int) -> None:
    places, parts = rules.board.names, rules.display.parts
    for look in looks(rules, seed):
        reach = rules.display.reach(look.game, look.decision)
        sent = (views.question(look.match, look.game, look.decision.side) or {}).get("reach")
        assert (sent is None) == (not reach)
        if sent is None:
            continue
        at, rows = sent["at"], zip(sent["cost"], sent["left"], sent["before"], sent["how"], strict=True)
        for (place, step), name, (cost, left, before, how) in zip(reach.items(), at, rows, strict=False):
            assert (name, cost * parts, left * parts) == (places[place], step.cost, step.left)
            assert (at[before] if before >= 0 else None) == (places[step.before] if step.before != NOWHERE else None)
            assert sent["words"][how] == step.how
            assert [at[index] for index in sent["paths"].get(name, ())] == [places[on] for on in step.path]
        assert len(sent["cost"]) == len(reach)
        assert len(set(at)) == len(at)


def back(reach: Any, place: int, here: int) -> Iterator[int]:
    """The path from a location back to the stack."""
    left = len(reach) + 1
    while place != here:
        yield place
        step: Step = reach[place]
        if step.path:
            assert step.path[-1] == step.before
            assert step.path[0] == here
            yield from reversed(step.path)
            return
        place, left = step.before, left - 1
        assert left >= 0, "the path runs in a circle"
    yield here


def whole_steps(reach: Any, path: list[int]) -> list[int]:
    """The locations of a path whose steps belong to it: those up to one that has a path of its own."""
    own = next((number for number, at in enumerate(path) if reach[at].path), len(path))
    return path[: own + 1]


def cost_of(hint: Any, parts: int) -> int | None:
    """The cost that a hint names, in parts of a point."""
    if isinstance(hint, int):
        return hint * parts
    found = re.fullmatch(r"(\d*)(½?)", hint) if isinstance(hint, str) else None
    return int((Fraction(found[1] or 0) + Fraction(bool(found[2]), 2)) * parts) if found and hint else None


def test_a_hint_names_a_cost() -> None:
    assert [cost_of(hint, 2) for hint in (3, "½", "2½", "one-hex movement", None)] == [6, 1, 5, None, None]


def test_the_toy_shows_something_of_every_sort() -> None:
    display = SKIRMISH.display
    found = [look for seed in range(3) for look in looks(SKIRMISH, seed)]
    assert any(display.reach(look.game, look.decision) for look in found)
    assert any(list(display.sheets(look.game, look.decision, click)) for look in found for click in clicks(look))
    assert display.layers


@pytest.mark.parametrize("game", games.playable())
def test_every_kind_that_a_caption_is_for_exists(game: str) -> None:
    """A key with a dot is a kind of decision that the code of the game or of the mechanics names."""
    captions = captions_of(game)
    package = Path(games.__file__).parent
    sources = [*(package / game).glob("*.py"), *(package.parent / "mechanics").glob("*.py")]
    code = "\n".join(file.read_text(encoding="utf-8") for file in sources if file.name != "display.py")
    kinds = set(re.findall(r'"([a-z_]+(?:\.[a-z_]+)+)"', code)) | set(re.findall(r'f"([a-z_.]+)\.\{', code))
    for button, by_kind in captions.items():
        assert button in games.load(game).buttons
        assert "any" in by_kind
        for key in by_kind:
            assert "." not in key or any(key == kind or key.startswith(f"{kind}.") for kind in kinds), key


@pytest.mark.parametrize("game", games.playable())
def test_captions_are_short(game: str) -> None:
    """Three words; a mode or an option may be named in a fourth."""
    for button, by_kind in captions_of(game).items():
        for text in by_kind.values():
            assert len(text.split(" (")[0].split()) <= 4, f"{button}: {text}"


def captions_of(game: str) -> dict[str, dict[str, str]]:
    """The captions in a game's data."""
    from khamsin.kernel import data as files

    found: dict[str, dict[str, str]] = files.read(Path(games.__file__).parent / game / "data" / "display.toml")[
        "caption"
    ]
    return found


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.id)
def test_every_term_of_the_glossary_has_a_text_and_a_section_that_exists(rules: Rules[Any]) -> None:
    words = [form for entry in rules.display.glossary for form in (entry.term, *entry.forms)]
    assert len(set(words)) == len(words)
    for entry in rules.display.glossary:
        assert entry.text.strip(), entry
        assert entry.rule in sections(rules), entry


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.id)
def test_no_two_counters_have_the_same_full_name(rules: Rules[Any]) -> None:
    full = [rules.display.full(counter) for counter in rules.counters]
    assert all(full)
    assert len(set(full)) == len(full)
