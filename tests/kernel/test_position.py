from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from khamsin.kernel import NOWHERE, Game, KeyedDice, Match, Phase, PositionError, Procedure, State
from khamsin.kernel import position as positions
from tests.kernel.village import at_retreat, find, finish, fought, village
from tests.toy import renamed
from tests.toy.skirmish import BLUE, BOARD, PHASES, RED, RULES, SHOWN, SkirmishState

TEXT = """khamsin = 1
game = "skirmish"
scenario = "village"
turn = 3
phase = "red combat"
seed = 7
[options]
weather = "wet"
[units]
"0407" = ["T1", "R1 [moved]"]
"0408" = ["M1 [shown, strength 4]"]
lost = ["R2", "R3", "R4", "T2", "M2", "M3", "M4", "B1", "B2"]
[attacked]
red = ["0409"]
"""


def refused(text: str) -> PositionError:
    with pytest.raises(PositionError) as error:
        positions.read(text, find, "puzzle.toml")
    assert error.value.file == "puzzle.toml"
    assert str(error.value) == f"puzzle.toml:{error.value.line}: {error.value.expected}"
    return error.value


def test_a_position_says_all_of_a_situation() -> None:
    match = positions.read(TEXT, find)
    state = match.state
    unit = RULES.click
    assert (state.turn, match.phase.name, match.game.options["weather"]) == (3, "red combat", "wet")
    assert state.where[unit["T1"]] == state.where[unit["R1"]] == BOARD["0407"]
    assert state.where[unit["B2"]] == BOARD["lost"]
    assert state.strength[unit["M1"]] == 4
    assert state.flags[unit["M1"]] == SHOWN
    assert match.game.has(unit["R1"], "moved")
    assert state.attacked == {BOARD["0409"]: RED}
    assert match.names == ["0408", "done"]


def test_what_a_position_leaves_out_is_as_printed() -> None:
    match = positions.read('game = "skirmish"\nscenario = "village"\nphase = "blue movement"\n', find)
    blank = RULES.new_state()
    assert (match.state.where, match.state.strength) == (blank.where, blank.strength)
    assert (match.state.turn, match.game.options) == (1, {"weather": "dry"})


def test_the_same_seed_rolls_the_same() -> None:
    fell = []
    for seed in (7, 7, 8, 9, 10, 11, 12):
        match = positions.read(TEXT.replace("seed = 7", f"seed = {seed}"), find)
        match.play(["0408", "fire"])
        fell.append([value for *_, value in match.game.rolls])
    assert fell[0] == fell[1]
    assert any(fell[0] != other for other in fell[2:])


def test_a_seed_is_written_when_it_is_given() -> None:
    assert "seed = 12\n" in positions.write(positions.read(TEXT, find), seed=12)
    assert "seed" not in positions.write(positions.read(TEXT, find))


def test_a_position_written_is_read_back_the_same() -> None:
    match = positions.read(TEXT, find)
    text = positions.write(match, seed=7)
    again = positions.read(text, find)
    assert again.state == match.state
    assert again.game.options == match.game.options
    assert positions.write(again, seed=7) == text


@pytest.mark.parametrize("seed", range(4))
def test_every_top_level_question_of_a_fight_comes_back_from_its_position(seed: int) -> None:
    for match, _ in fought(seed):
        if match.decision is not None and match.decision.top:
            again = positions.read(positions.write(match), find)
            assert (again.state, again.decision) == (match.state, match.decision)


@pytest.mark.parametrize("seed", range(4))
def test_inside_a_procedure_the_position_is_the_one_before_the_move(seed: int) -> None:
    match = at_retreat(seed)
    again = positions.read(positions.write(match), find)
    assert again.state == match.top_level_state()
    assert again.decision is not None
    assert again.decision.top


def test_a_position_file_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "puzzle.toml"
    file.write_text(TEXT, encoding="utf-8")
    assert positions.load(file, find).state.turn == 3


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(PositionError, match="expected a readable file: No such file") as error:
        positions.load(tmp_path / "none.toml", find)
    assert error.value.file == str(tmp_path / "none.toml")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PositionError, match="expected text in UTF-8"):
        positions.load(tmp_path / "x.toml", find)


@pytest.mark.parametrize(
    ("old", "new", "line", "expected"),
    [
        ("khamsin = 1", "khamsin = 2", 1, "expected format 1, not 2"),
        ('game = "skirmish"', 'game = "chess"', 2, "expected a game that exists: 'chess': no such game; there are paa"),
        ('game = "skirmish"', "game = 3", 2, "expected game = a text"),
        ('game = "skirmish"\n', "", 1, "expected game = a text"),
        ('scenario = "village"', 'scenario = "siege"', 3, "expected a scenario: 'siege': no such scenario of skirmish"),
        ("turn = 3", 'turn = "three"', 4, "expected turn = a whole number"),
        ("turn = 3", "turn = -1", 4, "expected turn = a whole number"),
        ("turn = 3", "turn = true", 4, "expected turn = a whole number"),
        ('phase = "red combat"', 'phase = "tea"', 5, "expected a phase of red movement, red combat, blue movement"),
        ("seed = 7", "seed = 7.5", 6, "expected seed = a whole number"),
        ('"0407" =', '"9907" =', 10, "expected a hex or box: '9907': no such hex or box on the skirmish board"),
        ('"R1 [moved]"', '"X9"', 10, "expected a unit of Skirmish, not 'X9'"),
        ('"R1 [moved]"', '"R1 [moved"', 10, "expected a unit of Skirmish, not 'R1 [moved'"),
        ('"R1 [moved]"', '"0408"', 10, "expected a unit of Skirmish, not '0408'"),
        ('"R1 [moved]"', "14", 10, "expected a unit of Skirmish, not 14"),
        (
            '"R1 [moved]"',
            '"R1 [tired]"',
            10,
            "expected a state of moved, shown, or steps N, strength N, battle N",
        ),
        ('"R1 [moved]"', '"R1 [strength x]"', 10, "expected a state of moved, shown"),
        ('"R1 [moved]"', '"R1 [where 3]"', 10, "expected a state of moved, shown"),
        ('["T1", "R1 [moved]"]', '"T1"', 10, "expected a list of units in 0407"),
        ('"M1 [shown, strength 4]"', '"T1"', 11, "expected each unit once, and T1 is in 0407 too"),
        ('"R2", "R3"', '"R2", "R2"', 12, "expected each unit once, and R2 is in lost too"),
        ('"R2", "R3"', '"R2 [moved]", "M1"', 12, "expected each unit once, and M1 is in 0408 too"),
        ('"0407" = ["T1",', '"0407" = ["T1", "T2", ', 12, "expected each unit once, and T2 is in 0407 too"),
        ('"R1 [moved]"]', '"R1", "B1"]', 12, "expected each unit once, and B1 is in 0407 too"),
        (
            'lost = ["R2", ',
            '"0402" = ["R2", ',
            12,
            "expected a position that play can reach: 4 units in 0402, at most 2",
        ),
        ('["M1 [shown, strength 4]"]', '["M1", "R2"]\n"0501" = []', 13, "expected each unit once, and R2 is in 0408"),
        ('"0408" =', '"0206" =', 11, "expected a position that play can reach: units in 0206, which is sea"),
        ("[attacked]\nred", "[attacked]\ngreen", 14, "expected a side: 'green': no such side; there are Red, Blue"),
        ('red = ["0409"]', 'blue = "0409"', 14, "expected a list of hexes for blue"),
        ("[attacked]\nred =", "[state]\nstorm =", 14, "expected a value of none, not 'storm'"),
        ('red = ["0409"]', 'red = ["9999"]', 14, "expected a hex or box: '9999': no such hex"),
        ('red = ["0409"]', "red = [1.5]", 14, "expected a hex or box: '1.5': no such hex"),
        ('red = ["0409"]', 'red = ["0409", "0409"]', 14, "expected each hex under one side, and 0409 appears twice"),
        ("[attacked]", "[conquered]", 13, "expected one of attacked, game, khamsin, options, phase, record, result"),
        ("seed = 7\n", "seed = 7\nstate = 3\n", 7, "expected a table [state]"),
        ("turn = 3", "turn = 3 4", 4, "expected TOML"),
        ("[units]", "[units", 9, "expected TOML"),
        ('"T1", "R1 [moved]"]', '"T1", "R1 [moved]', 10, "expected TOML"),
        ('"0408" = [', '"04" = [', 11, "expected a hex or box: '04'"),
        ("turn = 3", "# in this turn\nturn = -3", 5, "expected turn = a whole number"),
        ('game = "skirmish"', '# game\ngame = "chess"', 3, "expected a game that exists"),
        ('red = ["0409"]', 'red = "0409"', 14, "expected a list of hexes for red"),
        ('"0407" = ["T1", "R1 [moved]"]', '"0407" = [\n"T1",\n"T1",\n]', 12, "expected each unit once, and T1 is"),
        ('"R1 [moved]"]', '"R1",\n"T2 [moved]", "B1 [tired]"]', 11, "expected a state of moved, shown"),
        ('"0408" =', "0206 =", 11, "expected a position that play can reach: units in 0206, which is sea"),
        ('"R1 [moved]"', '"R1 [steps 2]"', 10, "expected steps from 0 to 1, not 2"),
        ('"R1 [moved]"', '"R1 [steps -1]"', 10, "expected steps from 0 to 1, not -1"),
        ("turn = 3", "turn = " + "3" * 5000, 4, "expected TOML: Exceeds the limit"),
        (
            "[attacked]",
            '[result]\nwinner = "Red"\n[attacked]',
            13,
            "expected the result to have texts for winner, level",
        ),
        (
            "[attacked]",
            '[result]\nwinner = "Us"\nlevel = ""\nreason = ""\nrule = "7"\n[attacked]',
            14,
            "expected a side",
        ),
        ("[attacked]", "[units]", 13, "expected TOML"),
        ('"0408" =', '"0407" =', 11, "expected TOML"),
    ],
)
def test_a_position_that_does_not_fit_is_refused_with_its_line_and_what_was_expected(
    old: str, new: str, line: int, expected: str
) -> None:
    assert old in TEXT
    error = refused(TEXT.replace(old, new, 1))
    assert error.expected.startswith(expected)
    assert error.line == line


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ('weather = "snow"', "weather='snow': expected one of dry, wet"),
        ("weather = [1]", "weather=[1]: expected one of dry, wet"),
        ('moon = "full"', "'moon': no such option; there are weather"),
    ],
)
def test_an_option_that_does_not_fit_is_refused_at_its_line(option: str, expected: str) -> None:
    error = refused(TEXT.replace('weather = "wet"', option))
    assert error.expected == f"expected options of the scenario: {expected}"
    assert error.line == 8


def test_both_sides_in_one_hex_are_refused_at_that_hex() -> None:
    error = refused(TEXT.replace('"0407" = ["T1", "R1 [moved]"]', '"0407" = ["T1"]').replace('["M1 [', '["R1", "M1 ['))
    assert (error.line, error.expected) == (
        11,
        "expected a position that play can reach: units of both sides in 0408 (3)",
    )


def test_a_unit_name_with_many_blanks_is_refused_at_once() -> None:
    assert "expected a unit" in refused(TEXT.replace("R1 [moved]", "R1" + " " * 200_000 + "]")).expected


def test_a_position_whose_phase_cannot_ask_is_refused() -> None:
    def run(g: Game[Any]) -> Procedure:
        yield g.ask(
            RED, "one", "Who?", "1", units=[unit for unit in range(3) if g.state.where[unit] != NOWHERE], top=True
        )

    rules = replace(RULES, phases=lambda state: (Phase("red combat", RED, run, "1"),))
    with pytest.raises(
        PositionError, match=r"expected a position with a decision to take: .*without a legal click"
    ) as error:
        positions.read('game = "skirmish"\nscenario = "village"\nphase = "red combat"\n', lambda game: rules)
    assert error.value.line == 3


def test_two_phases_of_one_name_are_refused() -> None:
    rules = replace(RULES, phases=lambda state: PHASES * 3)
    match = village(rules=rules)
    with pytest.raises(ValueError, match="expected phases of different names, and Skirmish has two of 'red movement'"):
        positions.write(match)
    with pytest.raises(PositionError, match="expected phases of different names"):
        positions.read(TEXT, lambda game: rules)


class Initiative(SkirmishState):
    SCALARS = SkirmishState.SCALARS | {"first": 0}
    first: int


def test_an_order_of_phases_that_depends_on_the_state_comes_back() -> None:
    def order(state: Any) -> tuple[Phase, ...]:
        return PHASES if state.first == 0 else (*PHASES[2:], *PHASES[:2])

    rules = replace(RULES, state=Initiative, phases=order)
    match = village(rules=rules)
    match.state.first = 1
    again = positions.read(positions.write(match), lambda game: rules)
    assert again.phase.name == match.phase.name == "blue movement"
    assert again.state == match.state


def test_a_finished_game_comes_back_finished() -> None:
    match = village()
    finish(match, 1)
    again = positions.read(positions.write(match), find)
    assert (again.over, again.result, again.decision) == (True, match.result, None)
    assert again.state == match.state


def test_a_reason_may_be_any_text() -> None:
    match = village()
    match.game.end(RED, "clear", 'they said "no"\\\n\tand left', "7")
    assert positions.read(positions.write(match), find).result == match.result


def test_a_unit_that_is_nowhere_keeps_its_state() -> None:
    match = village()
    match.state.where[0] = NOWHERE
    match.state.flags[0] = 1
    text = positions.write(match)
    assert 'nowhere = ["R1 [moved]"]\n' in text
    assert positions.read(text, find).state == match.state


def test_an_empty_position_is_refused() -> None:
    assert refused("").expected == "expected game = a text"


def test_a_position_cut_off_anywhere_is_read_or_refused() -> None:
    """Cut between two lines, a position may be a smaller position; within a line it never is."""
    for kept in range(len(TEXT)):
        if TEXT[kept - 1] != "\n" and TEXT[kept] != "\n" and kept < TEXT.index("[units]"):
            assert refused(TEXT[:kept]).line <= TEXT[:kept].count("\n") + 1
        else:
            trouble(TEXT[:kept])


def test_a_position_nested_too_deep_is_refused() -> None:
    assert refused(TEXT + "[state]\nx = " + "[" * 5000 + "]" * 5000).expected == "expected TOML: nested too deep"


def trouble(text: str) -> PositionError | None:
    try:
        positions.read(text, find)
    except PositionError as error:
        return error
    return None


VALUES = (
    "1", "-1", "0", "true", "1.5", "nan", "inf", "1979-05-27", "07:32:00", '""', '"R1"', '"0408"', '"lost"', '"M1 [shown]"',
    "[]", '["R1"]', "[[]]", "{}", "{a = 1}", '"\\u2028"', '"é"', '["R1 [steps 0]"]', '["R1 [,,]"]', '["[]"]', "1e400",
)  # fmt: skip


def spoil_bytes(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    other = chance.choice(
        ['"', "[", "]", "{", "=", ",", "\\", "\n", "\x00", "#", "'", ".", "9", "-", text[at : at + 9]]
    )
    return text[:at] + other + text[at + chance.randrange(3) :]


def spoil_lines(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[a] = chance.choice(["", lines[b], lines[a] * 2, lines[a].replace(chance.choice("0123456789RTM"), "4")])
    return "".join(lines)


def spoil_values(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    key, equals, _ = lines[at].partition(" = ")
    lines[at] = (
        f"{key} = {chance.choice(VALUES)}\n" if equals else f"{chance.choice(VALUES)} = {chance.choice(VALUES)}\n"
    )
    return "".join(lines)


@pytest.mark.parametrize("spoil", [spoil_bytes, spoil_lines, spoil_values])
@pytest.mark.parametrize("seed", range(3))
def test_a_spoilt_position_is_read_or_refused_and_nothing_else(
    seed: int, spoil: Callable[[str, random.Random], str]
) -> None:
    chance = random.Random(seed)
    text = TEXT if seed == 0 else positions.write(at_retreat(seed), seed=seed)
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
    assert refusals > 100


class Desert(State):
    SCALARS = State.SCALARS | {"storm": 0}
    RANGES = State.RANGES | {"storm": range(-5, 5)}
    OWNERS = ("control",)
    AMOUNTS = ("water",)
    TALLIES = ("stores",)
    storm: int
    control: dict[int, int]
    water: dict[int, int]
    stores: dict[str, int]


def desert(game: str) -> Any:
    """A game with figures, owners and tallies, to see them written and read."""
    return replace(
        RULES,
        id="desert",
        state=Desert,
        fill_printed=lambda state: None,
        set_up=lambda g: None,
        conceal=lambda state, side: state,
    )


def test_figures_owners_amounts_and_tallies_come_back() -> None:
    match = positions.read('game = "desert"\nscenario = "village"\nphase = "red movement"\n', desert)
    match.state.storm = -3
    match.state.control.update({BOARD["0408"]: BLUE, BOARD["lost"]: RED})
    match.state.water.update({BOARD["0408"]: 9})
    match.state.stores.update({"fuel": 4, "at the wells": 9})
    text = positions.write(match)
    assert text.endswith(
        '[control]\nred = ["lost"]\nblue = ["0408"]\n[state]\nstorm = -3\n[water]\n0408 = 9\n'
        '[stores]\n"at the wells" = 9\nfuel = 4\n'
    )
    assert positions.read(text, desert).state == match.state
    assert match.view()["state"]["water"] == {"0408": 9}


def test_a_tally_has_names_for_keys() -> None:
    match = positions.read('game = "desert"\nscenario = "village"\nphase = "red movement"\n', desert)
    match.state.stores[37] = 4
    with pytest.raises(ValueError, match="37: expected names for keys of stores"):
        positions.write(match)


@pytest.mark.parametrize(
    ("tail", "line", "expected"),
    [
        ('[state]\nstorm = "big"\n', 5, "expected storm = a whole number"),
        ("[state]\nstorm = 5\n", 5, "expected storm from -5 to 4, not 5"),
        ("[state]\nturn = 4\n", 5, "expected a value of storm, not 'turn'"),
        ('[stores]\nfuel = "much"\n', 5, "expected fuel = a whole number"),
        ("stores = 4\n", 4, "expected a table [stores]"),
        ('[water]\n"9999" = 1\n', 5, "expected a hex or box: '9999': no such hex or box on the skirmish board"),
        ('[water]\n"0408" = "much"\n', 5, "expected 0408 = a whole number"),
    ],
)
def test_a_figure_that_does_not_fit_is_refused(tail: str, line: int, expected: str) -> None:
    text = 'game = "desert"\nscenario = "village"\nphase = "red movement"\n' + tail
    with pytest.raises(PositionError) as error:
        positions.read(text, desert)
    assert (error.value.line, error.value.expected) == (line, expected)


def test_a_position_of_the_first_turn_is_the_set_up() -> None:
    assert positions.read(positions.write(village()), find).state == village().state


class Retreat(NamedTuple):
    """A retreat in progress: a record of the state."""

    unit: int
    hexes: tuple[int, ...]
    side: int
    left: int


def retreating() -> Any:
    state = type("RetreatState", (SkirmishState,), {"RECORDS": SkirmishState.RECORDS | {"retreat": Retreat}})
    return replace(RULES, state=state)


def test_a_procedure_in_progress_is_written_and_read_back() -> None:
    rules = retreating()
    match = positions.read(TEXT, lambda game: rules)
    assert match.state.retreat is None
    match.state.retreat = Retreat(RULES.parse("T1"), (BOARD["0407"], NOWHERE), BLUE, 2)
    text = positions.write(match)
    assert '[record.retreat]\nunit = "T1"\nhexes = ["0407", ""]\nside = "Blue"\nleft = 2\n' in text
    again = positions.read(text, lambda game: rules)
    assert again.state == match.state
    assert match.view(RED)["state"]["retreat"]["hexes"] == ["0407", ""]
    other = match.state.copy()
    other.retreat = None
    assert other != match.state


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("[record.rout]\nunit = 1", "expected a record of draft, retreat, not 'rout'"),
        ('[record.retreat]\nunit = "T1"', "expected unit, hexes, side, left"),
        ('[record.retreat]\nunit = "T9"\nhexes = []\nside = "Red"\nleft = 1', "unit: 'T9' is not a name of Skirmish"),
        (
            '[record.retreat]\nunit = "T1"\nhexes = []\nside = "Red"\nleft = "x"',
            "left: expected a whole number, not 'x'",
        ),
        (
            '[record.retreat]\nunit = "T1"\nhexes = "0407"\nside = "Red"\nleft = 1',
            "hexes: expected a list, not '0407'",
        ),
        (
            '[record.retreat]\nunit = ["T1"]\nhexes = []\nside = "Red"\nleft = 1',
            "unit: expected one value, not ['T1']",
        ),
        (
            '[record.retreat]\nunit = "T1"\nhexes = [["0407"]]\nside = "Red"\nleft = 1',
            "hexes: ['0407'] is not a name of Skirmish",
        ),
        ("[record]\nretreat = 3", "expected a table [record.retreat]"),
    ],
)
def test_a_record_that_does_not_fit_is_refused(lines: str, expected: str) -> None:
    rules = retreating()
    with pytest.raises(PositionError) as error:
        positions.read(TEXT + lines + "\n", lambda game: rules)
    assert error.value.expected == expected


def test_a_record_that_contradicts_itself_is_refused() -> None:
    text = TEXT + '[record.draft]\nnumber = 0\nside = "Red"\nunits = ["T1"]\nhexes = []\n'
    assert refused(text).expected.startswith("expected a position that its phase can continue")


def test_old_names_are_read_by_their_present_ones() -> None:
    """A renamed flag, column and map are set; removed ones are left out."""
    old = Match(renamed.OLD, "melee", dice=KeyedDice.seeded(2))
    old.play(["done", "0408", "T1", "fire"])
    text = positions.write(old)
    assert "assaulted" in text
    assert "force 1" in text
    text = text.replace("[battle -1]", "[battle -1, tired, gone, morale 3]") + "[morale]\nred = 3\n[state]\ntired = 1\n"
    game = positions.read_game(text, lambda name: renamed.RULES)
    assert game.state.strength == old.state.force
    assert game.state.attacked == old.state.assaulted
    assert game.state.flags[0] & renamed.RULES.flag["moved"]
    with pytest.raises(PositionError, match="expected a state of moved"):
        positions.read_game(text.replace("tired, gone", "weary"), lambda name: renamed.RULES)


def test_keys_of_tallies_are_renamed_with_their_tally() -> None:
    class Counted(SkirmishState):
        TALLIES = ("losses", "gains")

    renaming = {"losses.red men": "losses.red", "losses.booty": "gains.booty", "losses.hex *": ""}
    rules = replace(RULES, state=Counted, renamed=renaming)
    text = positions.write(Match(rules, "village", dice=KeyedDice.seeded(2)))
    text += '[losses]\n"red men" = 2\nblue = 1\nbooty = 4\n"hex 0405" = 1\n'
    state = positions.read_game(text, lambda name: rules).state
    assert (state.losses, state.gains) == ({"red": 2, "blue": 1}, {"booty": 4})
