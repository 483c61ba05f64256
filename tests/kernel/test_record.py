from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from khamsin.kernel import Dice, Divergence, KeyedDice, Match, RecordError, Scenario, SeededDice
from khamsin.kernel import position as positions
from khamsin.kernel import record as records
from tests.kernel.village import at_retreat, battle, eager, find, finish, fought, snapshot, village
from tests.toy.skirmish import RULES

Lines = list[dict[str, Any]]
every_seed = pytest.mark.parametrize("seed", range(6))


def lines_of(match: Match[Any]) -> Lines:
    return [json.loads(line) for line in records.write(match).splitlines()]


def text_of(lines: Lines) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def refused(text: str) -> RecordError:
    with pytest.raises(RecordError) as error:
        records.read(text, find, "game.jsonl")
    assert error.value.file == "game.jsonl"
    assert str(error.value) == f"game.jsonl:{error.value.line}: {error.value.expected}"
    return error.value


@pytest.fixture(scope="module")
def finished() -> Match[Any]:
    match = village()
    finish(match, 7)
    return match


@pytest.fixture
def lines(finished: Match[Any]) -> Lines:
    """A finished game, to be spoilt."""
    return lines_of(finished)


@pytest.fixture
def first_roll(lines: Lines) -> int:
    """The index of the first line after the header with a roll."""
    return next(number for number, line in enumerate(lines) if number and "rolls" in line)


def test_a_record_is_a_header_a_line_a_click_and_a_result(finished: Match[Any], lines: Lines) -> None:
    header, *clicks, last = lines
    assert (header["game"], header["scenario"], header["options"]) == ("skirmish", "village", {"weather": "dry"})
    assert [line["click"] for line in clicks] == [RULES.names[click] for click in finished.clicks]
    assert finished.result is not None
    assert last["result"]["winner"] == RULES.sides[finished.result.winner]
    rolls = [roll for line in [header, *clicks] for roll in line.get("rolls", [])]
    assert rolls == [value for *_, value in finished.game.rolls]


def test_the_header_commits_to_the_key_that_the_last_line_reveals(lines: Lines) -> None:
    assert KeyedDice(bytes.fromhex(lines[-1]["key"])).commitment == lines[0]["dice"]


@every_seed
def test_a_game_resumed_at_any_click_goes_on_with_the_rolls_it_would_have_had(seed: int) -> None:
    whole, resumed = village(seed), village(seed)
    chance = random.Random(seed)
    while whole.decision is not None:
        click = eager(whole, chance)
        whole.click(click)
        resumed.click(click)
        if chance.random() < 0.1:
            resumed = records.read(records.write(resumed), find)
        assert resumed.game.dice.count == len(resumed.game.rolls)
    assert snapshot(resumed) == snapshot(whole)
    assert whole.game.rolls[-1][0] > 0


@every_seed
def test_a_game_saved_during_a_retreat_asks_for_the_same_retreat(seed: int) -> None:
    match = at_retreat(seed)
    again = records.read(records.write(match), find)
    assert snapshot(again) == snapshot(match)


def test_a_game_resumed_can_be_undone_as_before() -> None:
    match = village()
    match.play(["T1", "0405", "T2"])
    again = records.read(records.write(match), find)
    again.undo()
    match.undo()
    assert snapshot(again) == snapshot(match)


def test_a_record_without_its_key_replays_and_goes_on_with_dice_of_its_own(lines: Lines, first_roll: int) -> None:
    text = text_of([*lines[: first_roll + 1], {"saved": {}, "state": _state_after(lines, first_roll)}])
    match = records.read(text, find)
    assert [value for *_, value in match.game.rolls][-len(lines[first_roll]["rolls"]) :] == lines[first_roll]["rolls"]
    assert isinstance(match.game.dice, KeyedDice)
    assert match.game.dice.commitment != lines[0]["dice"]


def _state_after(lines: Lines, clicks: int) -> str:
    match = village()
    match.play(line["click"] for line in lines[1 : clicks + 1])
    return match.state.digest()


@pytest.mark.parametrize("dice", [SeededDice(1), KeyedDice.seeded(1)])
def test_a_game_whose_dice_were_changed_on_the_way_is_saved_and_goes_on(dice: Dice) -> None:
    """Played with a stream that has no key, or saved without it, it goes on with a new key from the next roll on."""
    match = Match(RULES, "melee", dice=dice)
    for _ in range(3):
        fight(match)
        *kept, last = lines_of(match)
        last.pop("key", None)
        match = records.read(text_of([*kept, last]), find)
    fight(match)
    text = records.write(match)
    again = records.read(text, find)
    assert snapshot(again) == snapshot(match)
    assert records.write(again) == text
    assert json.loads(text.splitlines()[0])["from"] == len(match.game.rolls) - match.game.dice.count > 0


def fight(match: Match[Any]) -> None:
    """On to the next roll."""
    rolls, chance = len(match.game.rolls), random.Random(1)
    while len(match.game.rolls) == rolls:
        match.click(eager(match, chance))


def test_a_roll_after_a_change_of_dice_is_still_checked() -> None:
    match = Match(RULES, "melee", dice=SeededDice(1))
    match.game.use(KeyedDice.seeded(1))
    fight(match)
    lines = lines_of(match)
    assert lines[0]["from"] == 4
    assert "to be the one its key gives" in refused(text_of([lines[0] | {"from": 0}, *lines[1:]])).expected
    assert "expected 'from'" in refused(text_of([lines[0] | {"from": -1}, *lines[1:]])).expected


@every_seed
def test_a_game_from_a_position_is_recorded_with_it(seed: int) -> None:
    match = positions.read(positions.write(at_retreat(seed)), find)
    again = records.read(records.write(match), find)
    assert snapshot(again) == snapshot(match)
    finish(match, seed)
    again = records.read(records.write(match), find)
    assert snapshot(again) == snapshot(match)
    assert records.write(again) == records.write(match)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"start": 3}, "expected 'from' to be a number of rolls and 'start' a position"),
        ({"start": "turn = 3"}, "expected a position to begin from: position:1: expected game = a text"),
        ({"scenario": "melee"}, "they are not those of the position where it began"),
        ({"options": {"weather": "wet"}}, "they are not those of the position where it began"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(change: dict[str, Any], expected: str) -> None:
    header, *lines = lines_of(battle())
    error = refused(text_of([header | change, *lines]))
    assert error.line == 1
    assert expected in error.expected


def test_a_clone_has_no_record() -> None:
    with pytest.raises(ValueError, match="a clone has no record"):
        records.write(at_retreat(1).clone(KeyedDice.seeded(3)))


def test_empty_lines_are_passed_over_and_counted(lines: Lines) -> None:
    text = text_of(lines)
    assert records.read(text.replace("\n", "\n\n  \n"), find).over
    assert refused(text.replace("\n", "\n\n", 3) + "nonsense\n").line == len(lines) + 3 + 1


def test_players_stand_in_the_header() -> None:
    header = json.loads(records.write(village(), {"Red": "Änne", "Blue": "random"}).splitlines()[0])
    assert header["players"] == {"Red": "Änne", "Blue": "random"}


@pytest.mark.parametrize("name", ["a\u2028b", "a\x85b", "a\u2029b", "\ud800", "a\r\nb"])
def test_a_player_may_have_any_name(tmp_path: Path, name: str) -> None:
    file = tmp_path / "game.jsonl"
    records.save(village(), file, {"Red": name})
    records.load(file, find)
    assert json.loads(file.read_text(encoding="utf-8").splitlines()[0])["players"]["Red"] == name


def test_a_number_of_many_digits_is_refused_with_its_line() -> None:
    error = refused('\n{"khamsin": ' + "1" * 5000 + "}\n")
    assert error.line == 2
    assert error.expected.startswith("expected a line of JSON: Exceeds the limit")


@pytest.mark.parametrize(
    "change",
    [
        {"counters": (replace(RULES.counters[0], side=1), *RULES.counters[1:])},
        {"counters": (replace(RULES.counters[0], steps=4), *RULES.counters[1:])},
        {"counters": (replace(RULES.counters[0], factors={"strength": 9, "move": 4}), *RULES.counters[1:])},
        {"scenarios": {**RULES.scenarios, "village": replace(RULES.scenarios["village"], data={"turns": 9})}},
        {"scenarios": {**RULES.scenarios, "village": replace(RULES.scenarios["village"], options={})}},
        {"sides": ("Blue", "Red")},
        {"state": type("Other", (RULES.state,), {"SCALARS": RULES.state.SCALARS | {"x": 0}})},
        {"tables": {}},
    ],
    ids=["side", "steps", "factors", "scenario", "options", "sides", "state", "tables"],
)
def test_the_fingerprint_of_a_game_tells_its_data(change: dict[str, Any]) -> None:
    assert replace(RULES, **change).digest != RULES.digest


def test_the_fingerprint_of_a_game_does_not_depend_on_the_process() -> None:
    def digest(data: dict[str, Any]) -> str:
        return replace(RULES, scenarios={"x": Scenario("x", "X", data=data)}).digest

    assert digest({"a": {"x", "y"}, "b": print}) == digest({"b": len, "a": {"y", "x"}})
    assert digest({"a": RULES.counters[0]}) != digest({"a": RULES.counters[1]})


def test_a_record_saved_is_loaded_and_leaves_no_draft(tmp_path: Path, finished: Match[Any]) -> None:
    file = tmp_path / "game.jsonl"
    records.save(village(), file)
    records.save(finished, file)
    assert snapshot(records.load(file, find)) == snapshot(finished)
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="expected a readable file: No such file") as error:
        records.load(tmp_path / "none.jsonl", find)
    assert error.value.file == str(tmp_path / "none.jsonl")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RecordError, match="expected text in UTF-8"):
        records.load(tmp_path / "x.jsonl", find)


@pytest.mark.parametrize("text", ["", "\n", "  \n\n"])
def test_an_empty_record_is_refused(text: str) -> None:
    error = refused(text)
    assert (error.line, error.expected) == (1, "expected a header, and the file is empty")


def test_a_record_cut_off_after_any_line_is_refused_at_its_last(lines: Lines) -> None:
    for kept in range(1, len(lines)):
        error = refused(text_of(lines[:kept]))
        assert error.line == kept
        assert error.expected == "expected a last line with the result or 'saved': the record is cut off"


def test_a_record_cut_off_within_a_line_is_refused_at_that_line(lines: Lines) -> None:
    text = text_of(lines)
    for kept in range(1, len(text) - 1, 97):
        error = refused(text[:kept])
        assert error.line == text[:kept].rstrip("\n").count("\n") + 1


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"khamsin": 2}, "expected format 1, not 2"),
        ({"khamsin": None}, "expected format 1, not None"),
        ({"game": "chess"}, "expected a game that exists: 'chess': no such game; there are paa"),
        ({"game": 7}, "expected the header to have 'game'"),
        ({"scenario": "siege"}, "expected a scenario and options of Skirmish: 'siege': no such scenario"),
        ({"scenario": None}, "expected the header to have 'scenario'"),
        (
            {"options": {"weather": "snow"}},
            "expected a scenario and options of Skirmish: weather='snow': expected one of",
        ),
        ({"options": {"weather": ["dry"]}}, "expected a scenario and options of Skirmish: weather=['dry']"),
        ({"options": {"moon": "full"}}, "expected a scenario and options of Skirmish: 'moon': no such option"),
        ({"options": []}, "expected the header to have 'options'"),
        ({"data": "0123456789abcdef"}, f"expected the data of this version of Skirmish ({RULES.digest}), not 0123"),
        ({"dice": None}, "expected the header to have 'dice'"),
        ({"from": "3"}, "expected 'from' to be a number of rolls and 'start' a position"),
        ({"rolls": 3}, "expected the rolls to be a list of whole numbers"),
        ({"rolls": [1.5]}, "expected the rolls to be a list of whole numbers"),
        ({"rolls": []}, "click 0: a roll is asked for that the record does not hold"),
        ({"rolls": [9, 1, 1, 1]}, "click 0: 9: the record holds a roll that a die of 4 sides cannot show"),
        ({"rolls": [1, 1, 1, 1, 1, 1]}, "click 0: expected 2 more roll(s) than the replay asks for"),
    ],
)
def test_a_header_that_does_not_fit_is_refused_on_the_first_line(
    lines: Lines, change: dict[str, Any], expected: str
) -> None:
    error = refused(text_of([lines[0] | change, *lines[1:]]))
    assert error.line == 1
    assert error.expected.startswith(expected)


def test_a_record_of_something_else_is_refused() -> None:
    assert refused('{"game": "skirmish"}\n').expected == "expected the header of a Khamsin record"
    assert refused("[1, 2]\n").expected == "expected a JSON object"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"click": "9999"}, "expected a click that is open, and 9999: no unit, hex, box or button of Skirmish"),
        ({"click": "R9"}, "expected a click that is open, and R9: no unit, hex, box or button of Skirmish"),
        ({"click": 3}, "expected a click that is open, and 3: no unit, hex, box or button of Skirmish"),
        ({"click": ["R1"]}, "expected a click that is open, and ['R1']: no unit, hex, box or button"),
        ({"click": "M1"}, "expected a click that is open, and M1: that unit is not yours (3)"),
        ({"click": "fire"}, "expected a click that is open, and fire: not among what is asked now: Move a unit (3)"),
        ({"click": "R1", "rolls": [4]}, "expected 1 more roll(s) than the replay asks for"),
    ],
)
def test_a_click_that_does_not_fit_is_refused_on_its_line_with_its_number(line: dict[str, Any], expected: str) -> None:
    match = village()
    match.play(["T1", "stay"])
    *kept, last = lines_of(match)
    error = refused(text_of([*kept, line, last]))
    assert isinstance(error, Divergence)
    assert (error.line, error.click) == (4, 3)
    assert error.expected.startswith(f"click 3: {expected}")


def test_a_unit_moved_twice_is_refused_with_the_reason() -> None:
    match = village()
    match.play(["T1", "stay"])
    *kept, last = lines_of(match)
    assert refused(text_of([*kept, {"click": "T1"}, last])).expected.endswith("T1: it has moved (3)")


@pytest.mark.parametrize("line", [{}, {"clack": "R1"}, {"rolls": [1]}])
def test_a_line_without_a_click_is_refused(lines: Lines, line: dict[str, Any]) -> None:
    error = refused(text_of([*lines[:3], line, *lines[3:]]))
    assert (error.line, error.expected) == (4, "expected a line with a click")


def test_a_line_that_is_not_json_is_refused() -> None:
    text = records.write(village())
    for bad in ("{", "click R1", '{"click": "R1"', "\x00", "[" * 100_000):
        error = refused(text.replace("\n", f"\n{bad}\n", 1))
        assert error.line == 2
        assert error.expected.startswith("expected a line of JSON")


def test_a_missing_roll_is_refused_where_it_is_asked_for(lines: Lines, first_roll: int) -> None:
    del lines[first_roll]["rolls"]
    error = refused(text_of(lines))
    assert isinstance(error, Divergence)
    assert (error.line, error.click) == (first_roll + 1, first_roll)
    assert error.expected.endswith("a roll is asked for that the record does not hold")


def test_a_roll_that_a_die_cannot_show_is_refused_on_its_line(lines: Lines, first_roll: int) -> None:
    lines[first_roll]["rolls"] = [7]
    error = refused(text_of(lines))
    assert error.line == first_roll + 1
    assert "7: the record holds a roll that a die of 6 sides cannot show" in error.expected


def test_a_changed_roll_is_found_out(lines: Lines, first_roll: int) -> None:
    """Whatever it does to the game: at the click it makes impossible, by the state at the end, or by the key."""
    true = lines[first_roll]["rolls"]
    for value in {1, 2, 3, 4, 5, 6} - set(true):
        lines[first_roll]["rolls"] = [value]
        assert isinstance(refused(text_of(lines)), Divergence)


def test_a_forged_roll_that_changes_nothing_is_found_out_by_the_key() -> None:
    match = village()
    lines = lines_of(match)
    roll = lines[0]["rolls"][-1]
    assert roll == 1
    lines[0]["rolls"][:2] = [lines[0]["rolls"][1], lines[0]["rolls"][0]]
    forged = text_of(lines[:-1])
    honest = _digest_of(forged)
    error = refused(forged + json.dumps(lines[-1] | {"state": honest}) + "\n")
    assert (error.line, error.expected[:8]) == (2, "click 0:")
    assert "expected roll 1 to be the one its key gives" in error.expected


def _digest_of(text: str) -> str:
    with pytest.raises(Divergence, match="the replay gives") as error:
        records.read(text + '{"saved": {}, "state": "?"}\n', find)
    return error.value.expected.split()[-1]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"key": "xyz"}, "expected the key of the dice in hexadecimal digits"),
        ({"key": "00"}, "expected the key of the dice in hexadecimal digits"),
        ({"key": 5}, "expected the key of the dice in hexadecimal digits"),
        ({"key": "00" * 16}, "expected the key that the header's commitment was made with"),
        ({"state": "0123456789abcdef"}, "expected the state 0123456789abcdef, and the replay gives"),
        ({"state": None}, "expected the state None, and the replay gives"),
        ({"result": None}, "expected the result None, and the replay gives"),
        ({"result": {"winner": "Nobody"}}, "expected the result {'winner': 'Nobody'}, and the replay gives"),
    ],
)
def test_a_last_line_that_does_not_fit_is_refused(lines: Lines, change: dict[str, Any], expected: str) -> None:
    error = refused(text_of([*lines[:-1], lines[-1] | change]))
    assert error.line == len(lines)
    assert expected in error.expected


def test_a_game_that_ends_is_not_a_saved_one(lines: Lines) -> None:
    error = refused(text_of([*lines[:-1], {"saved": {}, "state": lines[-1]["state"]}]))
    assert error.line == len(lines)
    assert "expected a game that goes on, and the replay ends it" in error.expected


def test_a_game_that_goes_on_has_no_result(lines: Lines) -> None:
    error = refused(text_of([*lines[:10], lines[-1]]))
    assert error.line == 11
    assert "and the replay gives None" in error.expected


def test_a_click_after_the_end_is_refused(lines: Lines) -> None:
    error = refused(text_of([*lines[:-1], {"click": "done"}, lines[-1]]))
    assert error.line == len(lines)
    assert "the game is over" in error.expected


VALUES: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 7, 10**30, 1.5, float("nan"), float("inf"), "", "R1", "M1", "0408", "9999", "lost", "done",
    "\u2028", "\ud800", [], [1], [[]], ["R1"], {}, {"a": 1}, {"click": "R1"},
)  # fmt: skip


def spoil_bytes(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    other = chance.choice(['"', "{", "}", "[", ",", "\\", "\n", "\x00", "\x85", "9", "-", "é", text[at : at + 9]])
    return text[:at] + other + text[at + chance.randrange(3) :]


def spoil_lines(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(4):
        case 0:
            lines[a], lines[b] = lines[b], lines[a]
        case 1:
            del lines[min(a, b) : max(a, b)]
        case 2:
            lines.insert(a, lines[b])
        case _:
            del lines[a]
    return "".join(lines)


def spoil_values(text: str, chance: random.Random) -> str:
    lines = text.splitlines()
    at = chance.choice([0, len(lines) - 1, chance.randrange(len(lines))])
    data = json.loads(lines[at])
    key = chance.choice([*data, "click", "rolls", "result", "saved"])
    if isinstance(data.get(key), list | dict) and chance.random() < 0.5:
        inner: Any = data[key]
        spot = chance.choice(list(inner) if isinstance(inner, dict) else range(len(inner))) if inner else None
        if spot is not None:
            inner[spot] = chance.choice(VALUES)
    elif chance.random() < 0.2:
        data.pop(key, None)
    else:
        data[key] = chance.choice(VALUES)
    lines[at] = json.dumps(data)
    return "\n".join(lines)


@pytest.mark.parametrize("spoil", [spoil_bytes, spoil_lines, spoil_values])
@pytest.mark.parametrize("seed", range(3))
def test_a_spoilt_record_is_read_or_refused_and_nothing_else(
    seed: int, spoil: Callable[[str, random.Random], str]
) -> None:
    chance = random.Random(seed)
    *_, (match, _) = fought(seed)
    text = records.write(match)
    refusals = 0
    for _ in range(400):
        spoilt = text
        for _ in range(chance.randint(1, 3)):
            spoilt = spoil(spoilt, chance) if spoilt else spoilt
        error = trouble(spoilt)
        if error is not None:
            refusals += 1
            assert 1 <= error.line <= max(1, len(spoilt.splitlines()))
            assert error.expected
    assert refusals > 200


def trouble(text: str) -> RecordError | None:
    try:
        records.read(text, find)
    except RecordError as error:
        return error
    return None
