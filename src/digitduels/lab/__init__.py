"""The lab: what a rule set is worth, measured exactly; sweeps over many; the search for the game worth playing.

>>> import digitduels as dd
>>> report = dd.lab.measure(dd.game("number-duel", target=12, highest=4))
>>> report.winner, report.plies
(1, 3)
"""

from __future__ import annotations

from digitduels.lab.measures import Report, measure

__all__ = ["Report", "measure"]
