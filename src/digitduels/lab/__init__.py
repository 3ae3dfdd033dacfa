"""The lab: measures rule sets exactly, sweeps over many of them, and searches for the best.

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

_MODULES = {"Report": "measures", "measure": "measures", "sweep": "sweeps"}


def __getattr__(name: str) -> Any:
    """Imports heavy modules on first use."""
    if name in _MODULES:
        return getattr(import_module(f"digitduels.lab.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
