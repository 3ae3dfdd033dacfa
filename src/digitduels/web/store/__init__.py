"""Storage for rooms and classes: the `Store` interface, its two implementations, and `open_store`."""

from __future__ import annotations

from digitduels.web.store.connect import check_store, open_store
from digitduels.web.store.interface import (
    Change,
    ClassChange,
    Event,
    Glance,
    Kept,
    KeptClass,
    Seat,
    Store,
    StoreError,
    Told,
)

__all__ = [
    "Change",
    "ClassChange",
    "Event",
    "Glance",
    "Kept",
    "KeptClass",
    "Seat",
    "Store",
    "StoreError",
    "Told",
    "check_store",
    "open_store",
]
