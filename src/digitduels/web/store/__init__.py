"""Where games between friends are kept: the interface of a store, its two kinds, and how one is opened."""

from __future__ import annotations

from digitduels.web.store.connect import open_store
from digitduels.web.store.interface import Change, Event, Glance, Kept, Seat, Store, StoreError

__all__ = ["Change", "Event", "Glance", "Kept", "Seat", "Store", "StoreError", "open_store"]
