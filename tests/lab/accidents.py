"""Two games that go wrong when the first die shows a 1: one kills the process it is played in, one has a fault in its rules."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

from tests.toy import skirmish
from tests.toy.skirmish import RULES, G


def kill(g: G) -> None:
    if g.dice.roll("fate") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    skirmish.set_up(g)


def fail(g: G) -> None:
    if g.dice.roll("fate") == 1:
        raise RuntimeError("a fault in the rules")
    skirmish.set_up(g)


DEADLY = replace(RULES, id="deadly", set_up=kill)
FAULTY = replace(RULES, id="faulty", set_up=fail)
