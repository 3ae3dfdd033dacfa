"""How Numba compiles kernels: the decorators of all compiled functions.

Numba compiles a function again if its own file has changed. If you change an inlined function, change the files that
call it, too, or delete their `__pycache__`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_COUNTED: dict[str, Any] = {"nogil": True, "cache": True, "boundscheck": False, "error_model": "numpy"}
# Counting references to arrays would take most of the time of a small function.
_UNCOUNTED = {**_COUNTED, "_nrt": False}
_INLINE = {**_UNCOUNTED, "forceinline": True}

kernel: Decorator = njit(**_COUNTED)
"""A function that may allocate arrays."""
uncounted: Decorator = njit(**_UNCOUNTED)
"""A function that allocates nothing, and does not count references."""
inline: Decorator = njit(**_INLINE)
"""The same, inlined into its callers."""
