"""Opens the store for the `database` setting."""

from __future__ import annotations

from pathlib import Path

from digitduels.text import quoted
from digitduels.web.store.interface import Store, StoreError


def open_store(database: str) -> Store:
    """Opens a store: PostgreSQL for a `postgresql://…` URL, else an SQLite file. Default: a file in the user's home.

    An older database is migrated to the current version.
    """
    if database.startswith(("postgresql://", "postgres://")):
        try:
            from digitduels.web.store.postgresql import PostgresqlStore
        except ImportError:
            raise StoreError("PostgreSQL needs one more package: pip install 'digitduels[postgresql]'.") from None
        return PostgresqlStore(database)
    if "://" in database and not database.startswith("sqlite:///"):
        kind = quoted(database.partition("://")[0] + "://…")  # the rest may contain a password
        raise StoreError(f"A database is postgresql://… or the name of a file; {kind} is neither.")
    from digitduels.web.store.sqlite import SqliteStore

    file = database.removeprefix("sqlite:///")
    return SqliteStore(Path(file) if file else _default_file())


def _default_file() -> Path:
    import platformdirs

    return Path(platformdirs.user_state_dir("digitduels", appauthor=False)) / "games.sqlite"
