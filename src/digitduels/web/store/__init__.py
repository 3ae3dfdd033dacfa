"""Where games between friends are kept: the interface of a store, its two kinds, and how one is opened."""

from __future__ import annotations

from digitduels.web.store.connect import open_store
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
    "open_store",
]
