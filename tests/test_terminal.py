"""Playing in a terminal: scripts of lines go in, text comes out, the record follows every click."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from khamsin import games
from khamsin.kernel import Match, record
from khamsin.kernel.board import Board
from khamsin.kernel.dice import KeyedDice
from khamsin.kernel.registration import schemes
from khamsin.terminal import play
from khamsin.terminal.chart import HexLabel, HexMap, View
from khamsin.terminal.input_parser import Lexicon, Unclear, listed, understand
from tests import SOAK
from tests.toy.ambush import RULES as AMBUSH
from tests.toy.skirmish import RULES as SKIRMISH

PAA = games.load("paa")


class Evening:
    """What came of a script: the match, all that was written, and the record file."""

    def __init__(self, match: Match[Any], text: str, file: Path) -> None:
        self.match, self.text, self.file = match, text, file

    @property
    def clicks(self) -> list[str]:
        return [self.match.rules.names[click] for click in self.match.clicks]


def evening(folder: Path, game: Any, lines: Iterable[str], **settings: Any) -> Evening:
    file = settings.pop("save", folder / "game.jsonl")
    output = io.StringIO()
    script = settings.pop("input", None) or io.StringIO("".join(f"{line}\n" for line in lines))
    settings.setdefault("size", (100, 40))
    if "resume" not in settings:
        settings.setdefault("seed", 1)
        settings["save"] = file
    match = play(game, input=script, output=output, **settings)
    return Evening(match, output.getvalue(), settings.get("resume", file))


def random_player(seed: int) -> Any:
    chance = random.Random(seed)
    return lambda match: chance.choice(sorted(match.decision.legal))


def cautious(match: Match[Any]) -> int:
    """Ends whatever it is asked."""
    open = match.decision.legal if match.decision else {}
    names = match.rules.names
    return next(
        (click for word in ("done", "no", "cancel") for click in open if names[click] == word), next(iter(open))
    )


def test_two_people_play_the_first_phases_by_parts_of_names(tmp_path: Path) -> None:
    e = evening(tmp_path, "paa", ["18/I, amiriya", "done", "mg2; 0602", "done"])
    assert e.clicks == ["AU 18/IBDE", "1250", "done", "DE MG2/IBN", "0602", "done"]
    assert e.match.phase.name == "allied movement"
    assert "AU 18/IBDE begins in 1250 (6)" in e.text
    assert "Axis decides now" in e.text
    assert "Allied decides now" in e.text


def test_the_start_names_the_file_and_the_commitment_of_the_dice(tmp_path: Path) -> None:
    e = evening(tmp_path, "paa", [], size=(200, 40))
    assert str(e.file) in e.text
    assert KeyedDice.seeded(1).commitment in e.text
    assert KeyedDice.seeded(1).key.hex() not in e.text


def test_a_refusal_names_the_rule_and_changes_nothing(tmp_path: Path) -> None:
    e = evening(tmp_path, "paa", ["done", "done", "5/1", "cancel"])
    assert e.clicks == ["done", "done"]
    assert re.search(r"is occupied by the enemy:\s+DE 5/1/ABN", e.text)
    assert re.search(r"cancel is not part of this decision.*\(11\)", e.text)


def test_a_hex_beyond_reach_is_refused_with_the_reason(tmp_path: Path) -> None:
    e = evening(tmp_path, SKIRMISH, ["", "R1", "0607", "0706", "0408"])
    assert e.clicks == ["R1"]
    assert "R1 cannot move to 0408: it costs" in e.text
    assert "left (3)" in e.text


def test_undo_takes_back_the_last_move_or_any_one(tmp_path: Path) -> None:
    start = ["18/I, 1250", "16/I, 1352", "moves"]
    e = evening(tmp_path, "paa", start)
    assert "1  AU 18/IBDE, 1250" in e.text
    assert "2  BR 16/IBDE, 1352" in e.text
    e = evening(tmp_path, "paa", [*start, "undo"], save=tmp_path / "last.jsonl")
    assert e.clicks == ["AU 18/IBDE", "1250"]
    assert len(record.load(e.file, games.load).clicks) == 2
    e = evening(tmp_path, "paa", [*start, "undo 1"], save=tmp_path / "first.jsonl")
    assert e.clicks == ["BR 16/IBDE", "1352"]
    e = evening(tmp_path, "paa", [*start, "undo 9", "undo x", "undo -1"], save=tmp_path / "none.jsonl")
    assert len(e.clicks) == 4
    assert "there is no move 9" in e.text


def test_every_click_is_on_the_disk_before_the_next_question(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    lines = ["18/I", "1250", "nonsense", "done", "mg2", "0602", "undo", "done", "22G", "cancel"]
    saved: list[int] = []

    class Watched(io.StringIO):
        def readline(self, *args: Any) -> str:
            saved.append(len(record.load(file, games.load).clicks))
            return super().readline(*args)

    evening(tmp_path, "paa", [], input=Watched("".join(f"{line}\n" for line in lines)))
    assert saved == [0, 1, 2, 2, 3, 4, 5, 3, 4, 5, 6]


def test_a_game_goes_on_in_the_middle_of_a_move(tmp_path: Path) -> None:
    first = evening(tmp_path, "paa", ["done", "done", "22G", "quit", ""])
    before = first.match.decision
    assert before is not None
    assert not before.top
    second = evening(tmp_path, "paa", ["1351", "undo", "22G"], resume=first.file)
    assert second.match.decision == before
    assert "moves from 1440 to 1351" in second.text
    assert "undone: BR 22G/IBDE, 1351" in second.text
    third = evening(tmp_path, "paa", [], resume=first.file)
    assert third.clicks == second.clicks
    assert third.match.state == second.match.state


def test_a_game_saved_with_other_data_is_resumed_with_a_warning(tmp_path: Path) -> None:
    first = evening(tmp_path, SKIRMISH, ["", "R1", "stay"])
    first.file.write_text(first.file.read_text().replace('"data": "', '"data": "x'))
    second = evening(tmp_path, SKIRMISH, ["", "done"], resume=first.file)
    assert second.clicks == ["R1", "stay", "done"]
    assert "played with other rules or data of Skirmish" in " ".join(second.text.split())


def test_a_combat_is_fought_by_lines(tmp_path: Path) -> None:
    arrivals = ["#1", "1350", "#1", "1350", "1352", "done"]
    lines = [
        "done",
        "done",
        "done",
        *arrivals,
        "5/1, 5/2, 0906",
        "done",
        "odds 0906 on agedabia",
        "1006, done",
    ]
    e = evening(tmp_path, "paa", [*lines, "done", "done", "1006", "no", "done", "log"])
    assert "DE 5/1/ABN, DE 5/2/ABN on 1006 Agedabia" in e.text
    assert re.search(r"differential +\d+ +\(12\.4\.2\)", e.text)
    assert re.search(r"\d+\.\d%", e.text)
    assert "attack: rolled" in e.text
    assert record.load(e.file, games.load).state == e.match.state


def test_an_ambiguous_text_lists_what_it_could_mean(tmp_path: Path) -> None:
    e = evening(tmp_path, "paa", ["done", "5", "de 5"])
    assert e.clicks == ["done"]
    assert "number 5 of the list (#5), or a name?" in e.text
    assert "DE 5/1/ABN in 0702 El Agheila" in e.text
    assert "'de 5': which?" in e.text


def test_a_text_is_understood_as_a_player_means_it() -> None:
    match = Match(PAA, "campaign", {}, KeyedDice.seeded(1))
    lexicon = Lexicon(PAA)

    def means(text: str) -> str:
        return PAA.names[understand(match, lexicon, text)]

    assert means("AU 18/IBDE") == means("au 18/ibde") == means("18/i") == "AU 18/IBDE"
    assert means("#1") == PAA.names[listed(match)[0]]
    assert means("do") == "done"
    assert means("tobruk") == "1925"
    with pytest.raises(Unclear, match="which of the units there"):
        means("alexandria")
    with pytest.raises(Unclear, match="has this name"):
        means("Atlantis")
    match.click(PAA.parse("done"))
    assert means("5/1") == "DE 5/1/ABN"
    assert means("132/") == "IT 132/AREGT"
    for text in ("on", "0", "32 on", "one"):
        with pytest.raises(Unclear):
            means(text)
    assert means("de ibn mg2") == "DE MG2/IBN"


def test_questions_are_answered(tmp_path: Path) -> None:
    asked = [
        "help", "open", "open hexes", "show tobruk", "show 3/ABDE", "show Allied Cadre", "show done", "units tobruk",
        "units allied", "units all", "why 5/1", "why 24/I 1730", "turn", "rules", "rules 12.4.2", "rules Malta", "legend",
        "dice", "position", "log", "map 1925", "map north 3", "zoom 4", "zoom out", "+", "-",
    ]  # fmt: skip
    e = evening(tmp_path, "paa", ["done", "done", *asked], size=(140, 50))
    assert e.clicks == ["done", "done"]
    for said in (
        "undo the last move", "cf 2 mf 50",
        "belongs to Libya", "south-east  1825 Belhamed, clear; between: escarpment, road",
        "control: Allied", "a box off the map: cadre", "AU 24/IBDE to 1730 Bardia", "> allied movement (11)", 'game = "paa"',
        "9 Malta", "escarpment, along hexsides", "12.4.2",
    ):  # fmt: skip
        assert said in e.text, said


def test_nothing_asked_goes_wrong_however_it_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = [
        "help", "undo", "moves", "log", "show", "units", "why", "odds", "turn", "rules", "map", "zoom", "legend", "dice",
        "position", "save", "open", "/", "/x", "/undo", "#", "#0", "#99999", ",", ";", ",,;;,", "1.5", "-1", "?", "+", "-",
    ]  # fmt: skip
    tails = [
        "", " ", " 0", " -1", " 999999999999999999", " \x00\x07", " é✈\U0001f42a", " ' \" \\ [bold] {x} %s", " on", " on on on",
        " 1925 1925", " : ", " , , ,", " /nowhere/at/all", " .", " ~", " xyzzy plugh", " 1925 5/1", " 5/1 5/2 1925",
    ]  # fmt: skip
    lines = [word + tail for word in words for tail in tails]
    lines += ["x" * 1_000_000, "1925 " * 5000, "\x1b[2J\x1b]0;hello\x07", "\x00" * 50, "show " + "\u0301" * 300]
    for game, window, step in (("paa", False, 1 if SOAK else 4), (SKIRMISH, True, 1)):
        e = evening(tmp_path, game, ["", *lines[::step], *lines[-5:]], window=window, save=tmp_path / f"{window}.jsonl")
        assert e.clicks == []
        assert "error, nothing changed" not in e.text
        assert e.match.state == Match(e.match.rules, e.match.game.scenario.name, {}, KeyedDice.seeded(1)).state


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.text(st.characters(exclude_categories=("Nd", "Lu", "Ll")), max_size=60), max_size=8))
def test_signs_that_name_nothing_never_change_the_game(tmp_path: Path, lines: list[str]) -> None:
    file = tmp_path / "game.jsonl"
    file.unlink(missing_ok=True)
    e = evening(tmp_path, SKIRMISH, ["", *lines], save=file)
    assert e.clicks == []
    assert e.match.state == Match(SKIRMISH, "village", {}, KeyedDice.seeded(1)).state


@pytest.mark.parametrize("seed", range(20 if SOAK else 2))
def test_random_words_never_break_the_game_or_its_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    words = [
        *PAA.names[:40],
        "done",
        "undo",
        "undo 2",
        "1",
        "2",
        "3",
        "tobruk",
        "1250",
        "no",
        "cancel",
        "map",
        "why 1 1925",
    ]
    lines = [chance.choice([", ", "; ", " "]).join(chance.choices(words, k=chance.randint(1, 3))) for _ in range(150)]
    e = evening(tmp_path, "paa", lines, window=bool(seed % 2))
    assert "error, nothing changed" not in e.text
    again = record.load(e.file, games.load)
    assert again.clicks == e.match.clicks
    assert again.state == e.match.state


def test_no_input_at_all_leaves_at_once_with_the_game_saved(tmp_path: Path) -> None:
    e = evening(tmp_path, "paa", [])
    assert e.clicks == []
    assert f"--resume {e.file}" in e.text.replace("\n", "")
    assert record.load(e.file, games.load).clicks == []


def test_a_broken_input_leaves_with_the_game_saved(tmp_path: Path) -> None:
    closed = io.StringIO("done\n")
    closed.close()
    evening(tmp_path, "paa", [], input=closed)
    garbled = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\xff\ndone\n\xc3\x28\n"), encoding="utf-8")
    e = evening(tmp_path, "paa", [], input=garbled, save=tmp_path / "garbled.jsonl")
    assert e.clicks == ["done"]


def test_ctrl_c_asks_first_and_then_leaves(tmp_path: Path) -> None:
    class Impatient(io.StringIO):
        lines = iter(["18/I\n", None, "1250\n", None, None, "done\n"])

        def readline(self, *args: Any) -> str:
            line = next(self.lines)
            if line is None:
                raise KeyboardInterrupt
            return line

    e = evening(tmp_path, "paa", [], input=Impatient())
    assert e.clicks == ["AU 18/IBDE", "1250"]
    assert "Ctrl-C once more leaves" in e.text
    assert len(record.load(e.file, games.load).clicks) == 2


def test_quitting_offers_a_copy_and_writes_over_nothing_unasked(tmp_path: Path) -> None:
    copy, precious = tmp_path / "copy.jsonl", tmp_path / "precious.txt"
    precious.write_text("mine")
    e = evening(tmp_path, "paa", ["done", f"save {precious}", "no", f"save {tmp_path}", "quit", str(copy), "done"])
    assert e.clicks == ["done"]
    assert precious.read_text() == "mine"
    assert record.load(copy, games.load).state == e.match.state


def test_a_new_game_writes_over_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        play("paa", input=io.StringIO("done\n"), output=io.StringIO(), size=(80, 24))
    files = sorted(tmp_path.glob("khamsin-paa-*.jsonl"))
    assert len(files) == 2
    with pytest.raises(ValueError, match="already exists"):
        play("paa", save=files[0], input=io.StringIO(), output=io.StringIO())
    with pytest.raises(ValueError, match="not of 'skirmish'"):
        play(SKIRMISH, resume=files[0], input=io.StringIO(), output=io.StringIO())
    with pytest.raises(ValueError, match="NOT SAVED"):
        play("paa", save=tmp_path / "no" / "such" / "folder", input=io.StringIO(), output=io.StringIO())


@pytest.mark.parametrize("window", [False, True])
def test_where_something_is_hidden_the_screen_is_handed_over(tmp_path: Path, window: bool) -> None:
    e = evening(tmp_path, SKIRMISH, ["", "log", "position", "done", "", "log"], window=window, size=(100, 30))
    reds, blues = e.text.rsplit("Blue decides now. The other side looks away", 1)
    assert "Red decides now. The other side looks away" in reds
    assert "has strength" not in reds
    assert "the position would show what is hidden" in reds
    assert "M1 has strength" in blues
    assert e.clicks == ["done"]


def test_a_line_never_decides_for_the_other_side(tmp_path: Path) -> None:
    e = evening(tmp_path, "paa", ["18/I, 1250, done, done, done"])
    assert e.clicks == ["AU 18/IBDE", "1250", "done"]
    assert "not used, because the other side decides: done, done" in e.text
    e = evening(tmp_path, "paa", ["done; done"], players={0: cautious}, save=tmp_path / "computer.jsonl")
    assert e.clicks == ["done", "done"]
    assert e.match.decision is not None
    assert e.match.decision.rule == "11"


def test_where_nothing_is_hidden_nobody_waits(tmp_path: Path) -> None:
    e = evening(tmp_path, "paa", ["done", "done"])
    assert "looks away" not in e.text


def test_a_person_plays_against_the_computer(tmp_path: Path) -> None:
    e = evening(tmp_path, "paa", ["done", "done", "done", "done"], players={0: None, 1: cautious})
    assert "Allied>" not in e.text
    assert e.match.decision is not None
    assert e.match.decision.side == 0
    assert e.match.state.turn >= 1
    header = e.file.read_text(encoding="utf-8").splitlines()[0]
    assert '"players": {"Axis": "person", "Allied": "cautious"}' in header


def test_a_computer_player_that_fails_is_replaced_by_a_person(tmp_path: Path) -> None:
    e = evening(tmp_path, "paa", ["done"], players={1: lambda match: -5})
    assert "the computer player of Allied failed" in e.text
    assert e.clicks == ["done"]


@pytest.mark.parametrize("window", [False, True])
def test_a_finished_game_reveals_the_key_of_its_dice(tmp_path: Path, window: bool) -> None:
    players = {0: random_player(1), 1: random_player(2)}
    e = evening(
        tmp_path,
        SKIRMISH,
        ["show the village", "log 5", "undo", "odds T1 0408", "done", "why T1 0408"],
        players=players,
        window=window,
    )
    assert e.match.over
    assert "wins" in e.text
    assert KeyedDice.seeded(1).key.hex() in e.text.replace("\n", "")
    assert "error, nothing changed" not in e.text


def test_a_window_is_painted_over_and_never_overflows(tmp_path: Path) -> None:
    lines = [
        "",
        "18/I",
        "1250",
        "help",
        "",
        "",
        "done",
        "units all",
        "open",
        "done",
        "",
        "22G",
        "zoom 4",
        "zoom 1",
        "log",
    ]
    for size in ((80, 24), (120, 40), (200, 60), (40, 12), (20, 8)):
        e = evening(tmp_path, "paa", lines, window=True, size=size, save=tmp_path / f"{size[0]}.jsonl")
        assert e.text.startswith("\x1b[?1049h")
        assert "\x1b[?1049l" in e.text
        for painted in e.text.split("\x1b[H")[1:]:
            page = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", painted.split("\x1b[J")[0]).rstrip("\n").split("\n")
            assert len(page) <= max(size[1], 8) - 1
            assert max(map(len, page)) <= size[0]


def test_an_output_without_colour_or_unicode_is_enough(tmp_path: Path) -> None:
    raw = io.BytesIO()
    output = io.TextIOWrapper(raw, encoding="ascii")
    match = play(
        "paa", save=tmp_path / "game.jsonl", seed=1, size=(80, 24), output=output,
        input=io.StringIO("18/I\nmap tobruk\nlegend\nshow tobruk\n1250\n"),
    )  # fmt: skip
    text = raw.getvalue().decode("ascii")
    assert len(match.clicks) == 2
    assert "\x1b" not in text
    assert "Tobruk" in text
    assert "(AU4" in text or "(BR" in text


def test_the_map_shows_units_places_open_hexes_and_their_cost(tmp_path: Path) -> None:
    e = evening(tmp_path, "paa", ["map alexandria"], size=(80, 30))
    assert "AU4" in e.text
    assert "Alexandria" in e.text
    e = evening(tmp_path, SKIRMISH, ["", "R1", "map 0402"], save=tmp_path / "toy.jsonl", size=(80, 30))
    assert re.search(r"\[ ?R1", e.text)
    assert re.search(r"\( 2 ", e.text)


def test_the_map_keeps_its_place_and_its_numbers() -> None:
    board = Board.load("paa")
    tobruk = board["1925"]
    chart = HexMap(board, colour=False)
    lines = [line.plain for line in chart.draw(View(tobruk, 1), 80, 16, {tobruk: HexLabel("AU2", ("a", "b"), 1)})]
    row = next(line for line in lines if line.startswith("19 "))
    ruler = lines[0]
    assert row.index("AU2") - ruler.index("25") in (-3, -2, -1, 0, 1, 2, 3)
    assert any("Tobruk" in line for line in lines)


@pytest.mark.parametrize("game", schemes())
def test_every_board_can_be_drawn_at_every_size(game: str) -> None:
    board = Board.load(game)
    for colour, plain in ((True, False), (False, True)):
        chart = HexMap(board, colour, plain)
        for zoom in range(len(chart.zooms)):
            for hex in (0, board.size // 2, board.size - 1):
                marks = {hex: HexLabel("DE2", ("DE 1", "DE 2", "DE 3", "DE 4", "DE 5"), 0, True, "12", True)}
                for width, height in ((80, 16), (7, 2), (300, 100)):
                    lines = chart.draw(View(hex, zoom), width, height, marks)
                    assert len(lines) == height
                    assert all(len(line) <= max(width, 7) for line in lines)
                    if width == 80:
                        assert chart.sees(View(hex, zoom), hex, width, height, 0)
                        assert any(sign in line.plain for line in lines for sign in ("DE", "@"))
                    if plain:
                        assert all(line.plain.isascii() for line in lines)


def test_names_are_completed(tmp_path: Path) -> None:
    from khamsin.terminal.loop import TerminalMatch
    from khamsin.terminal.streams import Screen

    match = Match(PAA, "campaign", {}, KeyedDice.seeded(1))
    table = TerminalMatch(match, tmp_path / "game.jsonl", {}, Screen(io.StringIO(), (80, 24)), io.StringIO())
    assert table.complete("BR 1") == ["BR 16/IBDE"]
    assert table.complete(" 16/") == [" BR 16/IBDE"]
    assert "done" in table.complete("d")
    assert "show Tobruk" in table.complete("show Tob")
    assert table.complete("xyzzy") == []


def test_standing_orders_are_set_listed_applied_and_cancelled(tmp_path: Path) -> None:
    """They answer in the enemy's turn, and the record has them as clicks with a mark. Enter hands the screen over."""
    blue, red = ["", "orders", "orders set 1 only=The Village"], ["", "0408", "0401"]
    lines = ["", "0408", *blue, *red, "", "orders cancel 1", "stay", "", "0408", ""]
    game = evening(tmp_path, AMBUSH, [*lines, "quit", ""])
    assert game.clicks == ["0408", "stay", "0408", "stay", "0401", "stay", "0408"]
    assert game.match.ordered == {2, 4}
    assert "Blue, standing order: Fire back: Hold fire, only at the village" in game.text
    assert record.load(game.file, lambda name: AMBUSH).ordered == {2, 4}
    assert "cancelled: Fire back: Hold fire, only at the village" in game.text


@pytest.mark.parametrize(
    "line", ["orders set 99", "orders set x", "orders set 1 only=Atlantis", "orders cancel 4", "orders burn"]
)
def test_an_order_that_makes_no_sense_changes_nothing(tmp_path: Path, line: str) -> None:
    game = evening(tmp_path, AMBUSH, ["", f"orders {line}", "0408", "quit", ""])
    assert game.clicks == ["0408"]
    assert f"orders {line.split()[0]} '" in game.text or f"orders '{line}'" in game.text
    assert "error, nothing changed" not in game.text
