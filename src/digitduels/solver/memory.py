"""How much memory is available."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

UNKNOWN = 2 << 30  # bytes to assume if the system does not say


def available() -> int:
    """Bytes that this program may still use: the machine's free memory, or less in a container."""
    limits = [_free()]
    with suppress(OSError, ValueError):
        limit, used = (int(Path(f"/sys/fs/cgroup/memory.{name}").read_text()) for name in ("max", "current"))
        limits.append(limit - used)
    return max(0, min(limits))


def _free() -> int:
    with suppress(OSError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            name, _, rest = line.partition(":")
            if name == "MemAvailable":
                return int(rest.split()[0]) << 10
    with suppress(AttributeError, ValueError, OSError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return UNKNOWN


def human_size(count: int) -> str:
    """A number of bytes for people.

    >>> human_size(5_000_000_000)
    '4.7 GiB'
    """
    amount, units = float(count), ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        units.pop(0)
    return (
        f"{amount:.0f} bytes"
        if units[0] == "bytes"
        else f"{amount:.1f} {units[0]}"
        if amount < 1e6
        else f"over 10^6 {units[0]}"
    )
