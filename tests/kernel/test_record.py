from __future__ import annotations

import contextlib
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
from khamsin.kernel.dice import commitment
from khamsin.kernel.record import Unverifiable
from tests.kernel.village import at_retreat, battle, eager, find, finish, fought, snapshot, village
from tests.toy import renamed
from tests.toy.skirmish import BLUE, RED, RULES

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
        ({"scenario": "melee", "options": {}}, "they are not those of the position where it began"),
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
        ({"dice": None}, "expected the header to have 'dice'"),
        ({"from": "3"}, "expected 'from' to be a number of rolls and 'start' a position"),
        ({"rolls": 3}, "expected the rolls to be a list of whole numbers"),
        ({"rolls": [1.5]}, "expected the rolls to be a list of whole numbers"),
        ({"rolls": [], "sides": []}, "click 0: the replay needs a roll that the record does not have"),
        ({"rolls": [9, 1, 1, 1]}, "click 0: 9: the record has a roll that a die of 4 sides cannot show"),
        ({"rolls": [1] * 6, "sides": [4, 3, 2, 1, 6, 6]}, "click 0: expected 2 more roll(s) than the replay needs"),
    ],
)
def test_a_header_that_does_not_fit_is_refused_on_the_first_line(
    lines: Lines, change: dict[str, Any], expected: str
) -> None:
    error = refused(text_of([lines[0] | change, *lines[1:]]))
    assert error.line == 1
    assert error.expected.startswith(expected)


def test_a_record_of_other_data_is_read_with_a_warning(lines: Lines) -> None:
    header, last = lines[0] | {"data": "0123456789abcdef"}, lines[-1] | {"state": "0123456789abcdef"}
    (warning,) = records.read(text_of([header, *lines[1:]]), find, "game.jsonl").warnings
    assert warning == f"game.jsonl: played with other rules or data of Skirmish (0123456789abcdef, here {RULES.digest})"
    again = records.read(text_of([header, *lines[1:-1], last]), find)
    assert "expected the state 0123456789abcdef" in again.warnings[1]


def test_a_reworded_result_is_the_same_result(lines: Lines) -> None:
    match = records.read(text_of(lines), find)
    earlier = match.state.copy()
    assert earlier.result is not None
    earlier.result = earlier.result._replace(reason="Red has the village", rule="9")
    *kept, last = lines
    last |= {"result": last["result"] | {"reason": "Red has the village", "rule": "9"}, "state": earlier.digest()}
    assert records.read(text_of([*kept, last]), find).result == match.result


def test_a_record_with_old_names_is_replayed() -> None:
    """A renamed button is clicked by its present name, and a removed one left out."""
    old = Match(renamed.OLD, "village", dice=KeyedDice.seeded(5))
    old.play(["T1", "stand", "T2", "0305"])
    *kept, last = lines_of(old)
    text = text_of([*kept, {"click": "halt"}, last])
    match = records.read(text, lambda game: renamed.RULES)
    assert [match.rules.names[click] for click in match.clicks] == ["T1", "stay", "T2", "0305"]
    assert [warning.partition(": ")[2][:10] for warning in match.warnings] == ["played wit", "'halt' lef", "expected t"]
    assert records.read(records.write(match), lambda game: renamed.RULES).warnings == []


def test_a_record_that_starts_with_old_names_is_replayed() -> None:
    old = Match(renamed.OLD, "melee", dice=KeyedDice.seeded(5))
    old.play(["T1", "stand"])
    started = positions.read(positions.write(old), lambda game: renamed.OLD)
    started.play(["R1", "stand"])
    match = records.read(records.write(started), lambda game: renamed.RULES)
    assert match.state.flags == started.state.flags


def test_a_record_of_something_else_is_refused() -> None:
    assert refused('{"game": "skirmish"}\n').expected == "expected the header of a Khamsin record"
    assert refused("[1, 2]\n").expected == "expected a JSON object"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"click": "9999"}, "expected a legal click: no unit, hex, box or button of Skirmish"),
        ({"click": "R9"}, "expected a legal click: no unit, hex, box or button of Skirmish"),
        ({"click": 3}, "expected a legal click: no unit, hex, box or button of Skirmish"),
        ({"click": ["R1"]}, "expected a legal click: no unit, hex, box or button"),
        ({"click": "M1"}, "expected a legal click: M1 is not yours (3)"),
        (
            {"click": "fire"},
            "expected a legal click: fire is not part of this decision: Move a unit, or end the phase (3)",
        ),
        ({"click": "R1", "rolls": [4]}, "expected 1 more roll(s) than the replay needs"),
    ],
)
def test_a_click_that_does_not_fit_is_refused_on_its_line_with_its_number(line: dict[str, Any], expected: str) -> None:
    match = village()
    match.play(["T1", "stay"])
    *kept, last = lines_of(match)
    error = refused(text_of([*kept, line, last]))
    assert isinstance(error, Divergence)
    assert (error.line, error.click) == (4, 3)
    assert (error.name, error.rule) == (str(line["click"]), "3")
    assert error.expected.startswith(f"click 3, {str(line['click'])!r} at move.stack (3): {expected}")


def test_a_unit_moved_twice_is_refused_with_the_reason() -> None:
    match = village()
    match.play(["T1", "stay"])
    *kept, last = lines_of(match)
    assert refused(text_of([*kept, {"click": "T1"}, last])).expected.endswith("legal click: T1 has moved (3)")


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
    del lines[first_roll]["rolls"], lines[first_roll]["sides"]
    error = refused(text_of(lines))
    assert isinstance(error, Divergence)
    assert (error.line, error.click) == (first_roll + 1, first_roll)
    assert error.expected.endswith("the replay needs a roll that the record does not have")


def test_a_roll_that_a_die_cannot_show_is_refused_on_its_line(lines: Lines, first_roll: int) -> None:
    lines[first_roll] |= {"rolls": [7], "sides": [6]}
    error = refused(text_of(lines))
    assert error.line == first_roll + 1
    assert "7: the record has a roll that a die of 6 sides cannot show" in error.expected


def test_a_changed_roll_is_found_out(lines: Lines, first_roll: int) -> None:
    """Whatever it does to the game: at the click it makes impossible, by the state at the end, or by the key."""
    true = lines[first_roll]["rolls"]
    for value in {1, 2, 3, 4, 5, 6} - set(true):
        lines[first_roll] |= {"rolls": [value], "sides": [6]}
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
    assert (error.line, error.expected[:8]) == (1, "click 0:")
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
    assert "expected a game that continues, and the replay ends it" in error.expected


def test_a_game_that_goes_on_has_no_result(lines: Lines) -> None:
    error = refused(text_of([*lines[:10], lines[-1]]))
    assert error.line == 11
    assert "and the replay gives None" in error.expected


def test_a_click_after_the_end_is_refused(lines: Lines) -> None:
    error = refused(text_of([*lines[:-1], {"click": "done"}, lines[-1]]))
    assert error.line == len(lines)
    assert "The game is over" in error.expected


def test_a_record_stores_the_sides_of_every_die(finished: Match[Any], lines: Lines) -> None:
    stored = [sides for line in lines for sides in line.get("sides", [])]
    assert stored == [sides for _, sides, _ in finished.game.rolls]
    assert lines[0]["sides"] == [4, 3, 2, 1]


def test_a_record_without_the_sides_of_its_dice_is_read_and_checked(lines: Lines, first_roll: int) -> None:
    for line in lines:
        line.pop("sides", None)
    assert records.read(text_of(lines), find).over
    lines[first_roll]["rolls"] = [7 - value for value in lines[first_roll]["rolls"]]
    assert isinstance(refused(text_of(lines)), Divergence)


def test_other_sides_than_the_replay_asks_for_are_refused_with_the_click(lines: Lines, first_roll: int) -> None:
    lines[first_roll]["sides"] = [10]
    error = refused(text_of(lines))
    assert isinstance(error, Divergence)
    assert (error.line, error.click) == (first_roll + 1, first_roll)
    assert error.expected.endswith("expected dice of [10] sides, and the replay rolls [6]")


@pytest.mark.parametrize("sides", [None, 6, [], [6, 6], [0], [-6], [10**30], ["6"], [True]])
def test_sides_that_do_not_fit_the_rolls_are_refused(lines: Lines, first_roll: int, sides: Any) -> None:
    lines[first_roll]["sides"] = sides
    error = refused(text_of(lines))
    assert (error.line, error.expected) == (first_roll + 1, "expected the sides of 1 dice")


def test_chosen_dice_have_their_seed_in_the_header(lines: Lines) -> None:
    assert lines[0]["seed"] == 7
    again = records.read(text_of(lines), find)
    assert isinstance(again.game.dice, KeyedDice)
    assert again.game.dice.seed == 7
    other = Match(RULES, "village", dice=KeyedDice(KeyedDice.seeded(7).key))
    assert "seed" not in lines_of(other)[0]


@pytest.mark.parametrize("seed", [8, "7", None, True])
def test_a_seed_that_does_not_give_the_key_is_refused(lines: Lines, seed: Any) -> None:
    error = refused(text_of([lines[0] | {"seed": seed}, *lines[1:]]))
    assert error.expected == "expected the key that the header's seed gives"


RED_GAVE, BLUE_GAVE = bytes([1]) * 32, bytes([2]) * 32


def contributed(dice: KeyedDice | None = None) -> Match[Any]:
    """A finished game to whose dice both sides contributed."""
    match = Match(RULES, "village", dice=dice or KeyedDice(bytes(16), [RED_GAVE, BLUE_GAVE]))
    finish(match, 7)
    return match


def test_contributions_are_committed_in_the_header_and_revealed_with_the_key() -> None:
    match = contributed()
    header, *_, last = lines_of(match)
    assert header["contributions"] == [
        {"side": "Red", "commitment": commitment(RED_GAVE)},
        {"side": "Blue", "commitment": commitment(BLUE_GAVE)},
    ]
    assert last["contributions"] == {"Red": RED_GAVE.hex(), "Blue": BLUE_GAVE.hex()}
    assert KeyedDice(bytes.fromhex(last["key"])).commitment == header["dice"]


@pytest.mark.parametrize(
    "dice",
    [
        KeyedDice(bytes(16), [RED_GAVE, BLUE_GAVE]),
        KeyedDice(bytes(16), [RED_GAVE]),
        KeyedDice(bytes(16), [BLUE_GAVE], [1]),
    ],
    ids=["both", "red", "blue"],
)
def test_a_game_with_contributions_is_read_and_goes_on_with_the_same_dice(dice: KeyedDice) -> None:
    match = Match(RULES, "melee", dice=dice)
    fight(match)
    text = records.write(match)
    again = records.read(text, find)
    assert records.write(again) == text
    fight(again)
    fight(match)
    assert snapshot(again) == snapshot(match)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"Red": BLUE_GAVE.hex()}, "expected the contribution of Red that the header commits to"),
        ({"Blue": BLUE_GAVE.hex() + "00"}, "expected the contribution of Blue that the header commits to"),
        ({"Blue": "xyz"}, "expected the contribution of Blue in hexadecimal digits"),
        ({"Blue": 7}, "expected the contribution of Blue in hexadecimal digits"),
        ({"Green": RED_GAVE.hex()}, "expected the contributions that the header commits to"),
    ],
)
def test_a_contribution_that_does_not_fit_is_refused(change: dict[str, Any], expected: str) -> None:
    *lines, last = lines_of(contributed())
    last["contributions"] |= change
    error = refused(text_of([*lines, last]))
    assert (error.line, error.expected) == (len(lines) + 1, expected)


def test_contributions_that_were_promised_are_revealed_with_the_key() -> None:
    *lines, last = lines_of(contributed())
    del last["contributions"]
    assert refused(text_of([*lines, last])).expected == "expected the contributions that the header commits to"


@pytest.mark.parametrize("names", [["Blue", "Red"], ["Red", "Green"]])
def test_contributions_are_those_of_the_sides_in_their_order(names: list[str]) -> None:
    header, *lines, last = lines_of(contributed())
    header["contributions"] = [{"side": name, "commitment": commitment(RED_GAVE)} for name in names]
    last["contributions"] = dict.fromkeys(names, RED_GAVE.hex())
    error = refused(text_of([header, *lines, last]))
    assert (error.line, error.expected) == (1, "expected contributions of Red, Blue, in this order")


def test_a_record_without_the_key_tells_nothing_of_the_rolls_to_come() -> None:
    match = contributed(KeyedDice(bytes(16), [RED_GAVE, BLUE_GAVE]))
    text = records.write(match, with_key=False)
    header, *_, last = (json.loads(line) for line in text.splitlines())
    assert not any(secret.hex() in text for secret in (bytes(16), RED_GAVE, BLUE_GAVE))
    assert (len(header["contributions"]), last.keys()) == (2, {"result", "state"})
    assert "seed" not in json.loads(records.write(village(), with_key=False).splitlines()[0])
    assert records.read(text, find).over


def skipped() -> Match[Any]:
    """A game whose dice have passed over two numbers after the first fight and one after the second."""
    match = Match(RULES, "melee", dice=KeyedDice.seeded(1))
    for passed_over in (2, 1):
        fight(match)
        match.skips[len(match.clicks) + 1] = passed_over
        match.game.dice.count += passed_over
    return match


def test_numbers_of_the_dice_that_were_passed_over_are_in_the_record() -> None:
    match = skipped()
    number = next(iter(match.skips))
    lines = lines_of(match)
    assert (lines[number]["skip"], lines[-1]["skip"], "from" in lines[0]) == (2, 1, False)
    again = records.read(text_of(lines), find)
    assert lines_of(again) == lines
    fight(again)
    fight(match)
    assert snapshot(again) == snapshot(match)
    assert records.read(records.write(again), find).skips == match.skips


@pytest.mark.parametrize("skip", [0, 1, 3])
def test_another_number_of_rolls_passed_over_is_found_out(skip: int) -> None:
    match = skipped()
    number = next(iter(match.skips))
    lines = lines_of(match)
    lines[number]["skip"] = skip
    assert "to be the one its key gives" in refused(text_of(lines)).expected


@pytest.mark.parametrize("skip", [-1, None, "2", 1 << 40, True])
def test_a_skip_that_is_no_number_of_rolls_is_refused(lines: Lines, skip: Any) -> None:
    lines[3]["skip"] = skip
    error = refused(text_of(lines))
    assert (error.line, error.expected) == (4, "expected 'skip' to be a number of rolls")


def test_numbers_passed_over_stay_so_when_moves_are_undone() -> None:
    match = village()
    match.play(["T1", "0405", "T2"])
    match.skips[4] = 2
    match.game.dice.count += 2
    while match.moves:
        match.undo()
    finish(match, 1)
    again = records.read(records.write(match), find)
    assert snapshot(again) == snapshot(match)
    assert again.skips == {1: 2}


def test_rolls_in_the_last_line_are_refused(lines: Lines) -> None:
    error = refused(text_of([*lines[:-1], lines[-1] | {"rolls": [1]}]))
    assert (error.line, error.expected) == (len(lines), "expected no rolls in a line without a click")


@every_seed
def test_the_dice_of_a_record_are_verified_without_the_rules(seed: int) -> None:
    *_, (match, _) = fought(seed)
    assert records.verify_dice(text_of(of_other_rules(lines_of(match)))) == len(match.game.rolls) > 4


def of_other_rules(lines: Lines) -> Lines:
    """The record with a game and clicks that nobody has heard of."""
    header, *clicks, last = lines
    clicks = [line | {"click": "castle"} for line in clicks]
    return [header | {"game": "chess", "data": "0"}, *clicks, last | {"state": "0"}]


def test_dice_with_contributions_skips_or_changed_on_the_way_are_verified() -> None:
    changed = Match(RULES, "melee", dice=SeededDice(1))
    changed.game.use(KeyedDice.seeded(1))
    fight(changed)
    for match in (contributed(), skipped(), changed):
        assert isinstance(match.game.dice, KeyedDice)
        rolled = match.game.dice.count - sum(match.skips.values())
        assert records.verify_dice(text_of(of_other_rules(lines_of(match)))) == rolled > 0


def test_a_roll_that_the_key_does_not_give_is_named_with_its_line_and_click(lines: Lines, first_roll: int) -> None:
    lines[first_roll]["rolls"] = [7 - value for value in lines[first_roll]["rolls"]]
    with pytest.raises(Divergence, match="to be the one its key gives") as error:
        records.verify_dice(text_of(of_other_rules(lines)))
    assert (error.value.line, error.value.click) == (first_roll + 1, first_roll)


@pytest.mark.parametrize("spot", ["key", "sides"])
def test_dice_without_their_key_or_sides_cannot_be_verified(lines: Lines, spot: str) -> None:
    for line in lines:
        line.pop(spot, None)
    with pytest.raises(Unverifiable, match=f"the record does not .* the {spot} of its dice"):
        records.verify_dice(text_of(lines))


def test_sides_of_rolls_before_a_change_of_dice_are_not_needed(lines: Lines) -> None:
    match = Match(RULES, "melee", dice=SeededDice(1))
    match.game.use(KeyedDice.seeded(1))
    fight(match)
    header, *lines = lines_of(match)
    del header["sides"]
    assert records.verify_dice(text_of([header, *lines])) == 1


@every_seed
@pytest.mark.parametrize(("how", "side"), [("resign", RED), ("claim", BLUE)])
def test_a_conceded_match_is_recorded_with_how_it_ended(seed: int, how: str, side: int) -> None:
    match = at_retreat(seed)
    match.concede(side, how)
    lines = lines_of(match)
    assert lines[-2] == {"end": how, "side": RULES.sides[side]}
    again = records.read(text_of(lines), find)
    assert snapshot(again) == snapshot(match)
    assert again.conceded == (how, side)
    assert lines_of(again) == lines


@pytest.mark.parametrize(
    "line", [{"end": "flee", "side": "Red"}, {"end": ["resign"], "side": "Red"}, {"end": "resign"}]
)
def test_an_end_that_does_not_fit_is_refused(lines: Lines, line: dict[str, Any]) -> None:
    error = refused(text_of([*lines[:5], line, lines[-1]]))
    assert (error.line, error.expected) == (6, "expected an end of resign or claim and a side")


def test_nothing_but_the_result_follows_the_end() -> None:
    match = village()
    match.concede(RED, "resign")
    header, end, last = lines_of(match)
    assert refused(text_of([header, end, {"click": "T1"}, last])).expected == "expected a line with a click"
    assert refused(text_of([header, end, end, last])).line == 2
    assert "and the replay gives None" in refused(text_of([header, last])).expected


def test_a_match_that_is_over_cannot_be_conceded_in_a_record(lines: Lines) -> None:
    error = refused(text_of([*lines[:-1], {"end": "resign", "side": "Red"}, lines[-1]]))
    assert isinstance(error, Divergence)
    assert "cannot be conceded" in error.expected


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
    key = chance.choice(
        [*data, "click", "rolls", "sides", "skip", "end", "side", "seed", "contributions", "result", "saved"]
    )
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
            with contextlib.suppress(RecordError):
                records.verify_dice(spoilt)
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
