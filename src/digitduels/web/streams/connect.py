"""Opens the store for the `database` setting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from digitduels.files import state_folder
from digitduels.text import quoted
from digitduels.web.streams import migrations
from digitduels.web.streams.store import Store, StoreError


def open_store(database: str) -> Store:
    """Opens a store: PostgreSQL for a `postgresql://…` URL, else an SQLite file. Default: a file in the user's home.

    An older database is migrated to the current version.
    """
    kind, address = _kind(database)
    if address == _default_file():
        address.parent.mkdir(parents=True, exist_ok=True)
    store: Store = kind(address)
    return store


def check_store(database: str) -> str:
    """Says in a sentence what opening a store would change, and changes nothing. Raises StoreError if it would fail."""
    kind, address = _kind(database)
    new = address == _default_file() and not address.parent.exists()
    version = None if new else kind.look(address)
    if version is None:
        return f"A new database will be created{f' at {address}' if isinstance(address, Path) else ''}."
    if migrations.pending(version):
        return f"The database will be migrated from version {version} to version {migrations.NEWEST}. Back it up first."
    return "The database is up to date."


def _kind(database: str) -> tuple[type[Any], Any]:
    """The class of a store, and the address that it takes."""
    if database.startswith(("postgresql://", "postgres://")):
        try:
            from digitduels.web.streams.postgresql import PostgresqlStore
        except ImportError:
            raise StoreError("PostgreSQL needs one more package: pip install 'digitduels[postgresql]'.") from None
        return PostgresqlStore, database
    if "://" in database and not database.startswith("sqlite:///"):
        kind = quoted(database.partition("://")[0] + "://…")  # the rest may contain a password
        raise StoreError(f"A database is postgresql://… or the name of a file; {kind} is neither.")
    from digitduels.web.streams.sqlite import SqliteStore

    file = database.removeprefix("sqlite:///")
    return SqliteStore, Path(file) if file else _default_file()


def _default_file() -> Path:
    return state_folder() / "games.sqlite"
