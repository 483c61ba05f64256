"""The laboratory: thousands of games, measured and compared.

A `Study` says what is played. A `Run` plays it in worker processes and yields each game as it finishes.
`report.summary` returns the results, `page.html` draws them.

>>> study = Study("paa", "campaign", ("passive", "passive"), seed=1)
>>> [(arm, outcome.number, outcome.winner) for arm, outcome in Run([study], games=1, jobs=1)]
[(0, 0, '')]
"""

from khamsin.lab.play import GameResult, begin, play
from khamsin.lab.results import Results
from khamsin.lab.run import Finished, Run
from khamsin.lab.study import Study

__all__ = ["Finished", "GameResult", "Results", "Run", "Study", "begin", "play"]
