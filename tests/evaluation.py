"""Runs of Inspect tasks in the tests: the same results as `inspect eval`, sooner."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai._util import package
from inspect_ai.log import EvalLog

# For each log of an editable installation, Inspect reads the lists of files of all packages.
package.packages_distributions = functools.cache(package.packages_distributions)  # type: ignore[attr-defined]


def evaluate(tasks: Any, model: Any, folder: Path, **options: Any) -> list[EvalLog]:
    """Runs tasks with a model or several, and writes the logs to a folder."""
    options |= {"display": "none", "score_display": False, "log_realtime": False}
    return inspect_eval(tasks, model=model, log_dir=str(folder), **options)
