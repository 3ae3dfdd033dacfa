"""The lab: what a rule set is worth, measured exactly; sweeps over many; the search for the game worth playing.

>>> import digitduels as dd
>>> report = dd.lab.measure(dd.game("number-duel", target=12, highest=4))
>>> report.winner, report.plies
(1, 3)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from digitduels.lab.measures import Report, measure
    from digitduels.lab.sweeps import sweep

__all__ = ["Report", "measure", "sweep"]

_HOMES = {"Report": "measures", "measure": "measures", "sweep": "sweeps"}


def __getattr__(name: str) -> Any:
    """What is heavy is loaded when it is first needed."""
    if name in _HOMES:
        return getattr(import_module(f"digitduels.lab.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
