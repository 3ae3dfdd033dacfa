"""Reads Inspect logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple


class LogError(ValueError):
    """A file is not an Inspect log, or not one that our tasks wrote."""


class Log(NamedTuple):
    """An Inspect log, without the samples that are in earlier logs, too."""

    file: str
    spec: Any
    """Inspect's EvalSpec: the task and the model."""
    config: Any
    """Inspect's GenerateConfig."""
    samples: list[Any]
    """Inspect's EvalSamples."""


def read_logs(paths: Iterable[Path]) -> Iterator[Log]:
    """Reads logs and folders of logs, each sample once; raises LogError if a file is not a log."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    files = [
        file
        for path in paths
        for file in (sorted(info.name for info in list_eval_logs(str(path))) if path.is_dir() else [str(path)])
    ]
    seen = set[str]()
    for file in files:
        try:
            log = read_eval_log(file, exclude_fields={"messages", "events", "attachments"})
        except Exception as error:  # Inspect's reader raises many kinds of exceptions
            raise LogError(f"{file} is not an Inspect log: {error}") from None
        samples = []
        for sample in log.samples or ():
            identity = sample.uuid or f"{log.eval.eval_id} {sample.id} {sample.epoch}"
            if identity not in seen:
                seen.add(identity)
                samples.append(sample)
        yield Log(file, log.eval, log.plan.config, samples)
