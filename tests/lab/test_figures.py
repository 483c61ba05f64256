"""The figures that are offered for a what-if are those that a change reaches."""

from __future__ import annotations

import subprocess
import sys

import pytest

REACH_ALL = """
import sys
from khamsin import games
from khamsin.kernel import data
from khamsin.lab.figures import figures
game = sys.argv[1]
changes = {one.path: one.value for one in figures(games.load(game))}
for name in [name for name in sys.modules if name.startswith("khamsin")]:
    del sys.modules[name]
from khamsin import games
from khamsin.kernel import data
data.change(game, changes)
games.load(game)
assert not data.unused(), data.unused()[:5]
print(len(changes))
"""


@pytest.mark.parametrize("game", ["paa", "kasserine"])
def test_every_figure_that_is_offered_can_be_changed(game: str) -> None:
    done = subprocess.run([sys.executable, "-c", REACH_ALL, game], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 500
