"""The command line as a user meets it: what it prints, and the exit code."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from khamsin import cli
from khamsin.kernel import KeyedDice, Match, record
from tests.toy.skirmish import RULES

POSITION = """\
khamsin = 1
game = "skirmish"
scenario = "village"
turn = 2
phase = "red combat"
seed = 7
[units]
"0407" = ["T1", "T2"]
"0507" = ["R1"]
"0408" = ["M1 [strength 2]", "B1"]
"0509" = ["B2"]
"""


class Answer:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def khamsin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> object:
    monkeypatch.setenv("KHAMSIN_GAMES", "tests.toy.skirmish:RULES")
    monkeypatch.setenv("COLUMNS", "160")

    def run(*args: object) -> Answer:
        monkeypatch.setattr(sys, "argv", ["khamsin", *map(str, args)])
        code = 0
        try:
            cli.main()
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        out, err = capsys.readouterr()
        return Answer(code, out, err)

    return run


@pytest.fixture
def position(tmp_path: Path) -> Path:
    file = tmp_path / "position.toml"
    file.write_text(POSITION)
    return file


def test_help_teaches_every_command(khamsin) -> None:
    answer = khamsin("--help")
    assert answer.code == 0
    for command in ("play", "boards", "draw", "rules", "data", "position", "replay", "sim", "bench"):
        assert command in answer.out
        assert khamsin(command, "--help").code == 0


def test_the_version_is_printed(khamsin) -> None:
    assert khamsin("--version").out.startswith("khamsin 0.")


def test_boards_pass_and_say_so_in_json(khamsin) -> None:
    answer = khamsin("boards", "kasserine", "--json")
    report = json.loads(answer.out)["kasserine"]
    assert (answer.code, report["hexes"], report["failed"]) == (0, 2244, [])
    assert report["checks"] > 100


def test_an_unknown_game_is_refused_with_the_list(khamsin) -> None:
    for command in ("boards", "rules", "data"):
        answer = khamsin(command, "chess")
        assert answer.code == 2
        assert "'chess': no such game; there are paa, na41, afrika, tunisia, kasserine" in answer.err


def test_rules_account_for_every_section(khamsin) -> None:
    report = json.loads(khamsin("rules", "na41", "--json").out)
    assert sum(report["counts"].values()) == len(report["sections"])
    assert all(section["gist"] for section in report["sections"])
    last = khamsin("rules", "na41").out.strip().splitlines()[-1]
    assert last.endswith("missing")


def test_data_is_counted_by_provenance(khamsin) -> None:
    report = json.loads(khamsin("data", "afrika", "--json", "--mark", "rulebook").out)
    assert report["counts"]["board/hexes.csv"]["reconstructed"] > 1000
    assert all(item["from"].startswith("rulebook") for item in report["items"])
    assert khamsin("data", "afrika", "--mark", "guessed").code == 2


def test_a_position_is_shown(khamsin, position: Path) -> None:
    out = khamsin("position", "show", position).out
    assert "Red: Choose a hex to attack (4)" in out
    assert "T1, T2" in out
    assert json.loads(khamsin("position", "show", position, "--json").out)["phase"] == "red combat"


def test_a_position_lists_what_is_open(khamsin, position: Path) -> None:
    answer = json.loads(khamsin("position", "clicks", position, "--json").out)
    assert answer["legal"]["hexes"] == {"0408": None}
    assert "hex 0408" in khamsin("position", "clicks", position).out


def test_a_position_is_played_on(khamsin, position: Path, tmp_path: Path) -> None:
    after = tmp_path / "after.toml"
    answer = khamsin("position", "click", position, "0408", "fire", "-o", after)
    assert answer.code == 0
    assert "attack on 0408: rolled" in answer.out
    assert 'phase = "red combat"' in after.read_text()


def test_a_wrong_click_is_refused_with_reason_and_rule(khamsin, position: Path) -> None:
    answer = khamsin("position", "click", position, "0101")
    assert answer.code == 2
    assert answer.err == "khamsin: 0101 cannot be attacked: no enemy combat unit is there (4)\n"


def test_why_answers_with_the_rule(khamsin, position: Path) -> None:
    position.write_text(POSITION.replace("red combat", "red movement"))
    assert "B1 is not yours [B1] (3)" in khamsin("position", "why", position, "B1").out
    answer = json.loads(khamsin("position", "why", position, "R1", "0206", "--json").out)
    assert answer == {
        "asked": "R1 to 0206",
        "reason": "R1 cannot move to 0206: it is sea",
        "rule": "3",
        "cause": "0206",
    }


def test_why_answers_for_a_unit_and_its_target_where_the_target_comes_first(khamsin, tmp_path: Path) -> None:
    """A declaration asks for the hex, then for the units."""
    file = tmp_path / "declaration.toml"
    units = '"5131" = ["2/26"]\n"5130" = ["1/7/10"]\n"5129" = ["I/Jg"]\n"3320" = ["2/7/10"]\n"3319" = ["3/26"]\n'
    head = 'khamsin = 1\ngame = "kasserine"\nscenario = "campaign"\nturn = 16\nphase = "axis combat declaration"\n'
    file.write_text(f"{head}[units]\n{units}")
    far = json.loads(khamsin("position", "why", file, "I/Jg", "5131", "--json").out)
    assert (far["rule"], far["reason"]) == ("9.1.1", "I/Jg cannot attack 5131: not adjacent")
    closed = json.loads(khamsin("position", "why", file, "2/7/10", "3319", "--json").out)
    assert (closed["rule"], closed["cause"]) == ("12.2.6", "3319")


def test_odds_name_every_term_and_the_chance_of_every_outcome(khamsin, position: Path) -> None:
    answer = json.loads(khamsin("position", "odds", position, "T1,T2", "0408", "--json").out)
    assert answer["column"] == "3-1"
    assert answer["outcomes"] == {"DR": "2/3", "DE": "1/3"}
    assert {"text": "T1", "value": "6", "rule": "4"} in answer["terms"]


def test_a_record_replays_and_a_broken_one_names_its_line(khamsin, tmp_path: Path) -> None:
    match = Match(RULES, "village", dice=KeyedDice.seeded(3))
    match.play(["done", "done", "done"])
    file = tmp_path / "game.jsonl"
    record.save(match, file)
    answer = khamsin("replay", file)
    assert answer.code == 0
    assert "3 clicks, 4 rolls" in answer.out
    lines = file.read_text().splitlines()
    lines[2] = '{"click": "0101"}'
    file.write_text("\n".join(lines))
    answer = khamsin("replay", file)
    assert answer.code == 2
    assert f"{file}:3: click 2, '0101' at move.stack (3): expected a legal click" in answer.err


def test_a_record_of_other_data_replays_with_a_warning(khamsin, tmp_path: Path) -> None:
    match = Match(RULES, "village", dice=KeyedDice.seeded(3))
    match.play(["done", "done", "done"])
    file = tmp_path / "game.jsonl"
    file.write_text(record.write(match).replace('"data": "', '"data": "x'))
    answer = khamsin("replay", file)
    assert answer.code == 0
    assert f"Warning: {file}: played with other rules or data of Skirmish" in answer.err


def test_a_record_of_other_rules_is_refused_with_a_word_on_its_dice(khamsin, tmp_path: Path) -> None:
    match = Match(RULES, "village", dice=KeyedDice.seeded(3))
    match.play(["done", "done", "done"])
    file = tmp_path / "game.jsonl"
    text = record.write(match).replace('{"click": "', '{"click": "x')
    for other, verdict in (
        (text, "Dice verified: 4 rolls\n"),
        (
            text.replace('"sides"', '"faces"'),
            "Dice cannot be verified: the record does not store the sides of its dice\n",
        ),
        (
            text.replace('"sides": [4', '"sides": [1000'),
            f"Dice do not verify: {file}:1: click 0: expected roll 1 to be",
        ),
    ):
        file.write_text(other)
        answer = khamsin("replay", file)
        assert answer.code == 2
        assert answer.err.startswith(verdict)
        assert f"khamsin: {file}:" in answer.err


def test_a_file_that_is_not_there_is_named(khamsin, tmp_path: Path) -> None:
    for command in (("replay",), ("position", "show")):
        answer = khamsin(*command, tmp_path / "none")
        assert answer.code == 2
        assert str(tmp_path / "none") in answer.err
        assert "Dice" not in answer.err


def test_a_map_is_drawn_and_another_kind_of_file_refused(khamsin, tmp_path: Path) -> None:
    file = tmp_path / "paa.svg"
    assert khamsin("draw", "paa", "-o", file).code == 0
    assert file.read_text().startswith("<svg")
    assert khamsin("draw", "paa", "-o", tmp_path / "paa.bmp").code == 2


def test_a_game_is_played_in_the_terminal_saved_and_resumed(khamsin, tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "game.jsonl"
    monkeypatch.setattr(sys, "stdin", io.StringIO("done\ndone\nquit\n\n"))
    answer = khamsin("play", "paa", "--save", file, "--seed", "3")
    assert answer.code == 0
    assert "Allied" in answer.out
    assert [json.loads(line)["click"] for line in file.read_text().splitlines()[1:-1]] == ["done", "done"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("done\nquit\n\n"))
    assert khamsin("play", "--resume", file).code == 0
    assert len(file.read_text().splitlines()) == 5


def test_two_computer_players_finish_a_game_in_the_terminal(khamsin, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    file = tmp_path / "game.jsonl"
    answer = khamsin("play", "skirmish", "--axis", "random:1", "--allied", "passive", "--save", file)
    assert answer.code == 0
    assert "result" in json.loads(file.read_text().splitlines()[-1])


def test_a_wrong_player_or_option_is_refused(khamsin) -> None:
    assert "no such player" in khamsin("play", "paa", "--axis", "clever").err
    assert "expected an option as name=value" in khamsin("play", "paa", "--option", "reaction").err
