"""Opens the store that a setting names."""

from __future__ import annotations

from pathlib import Path

from digitduels.text import quoted
from digitduels.web.store.interface import Store, StoreError


def open_store(database: str) -> Store:
    """The store at a URL, `postgresql://…`, or in an SQLite file; without a name, in the user's own file.

    A database of an older version is brought up to date.
    """
    if database.startswith(("postgresql://", "postgres://")):
        try:
            from digitduels.web.store.postgresql import PostgresqlStore
        except ImportError:
            raise StoreError("PostgreSQL needs one more package: pip install 'digitduels[postgresql]'.") from None
        return PostgresqlStore(database)
    if "://" in database and not database.startswith("sqlite:///"):
        kind = quoted(database.partition("://")[0] + "://…")  # what follows may hold a password
        raise StoreError(f"A database is postgresql://… or the name of a file; {kind} is neither.")
    from digitduels.web.store.sqlite import SqliteStore

    file = database.removeprefix("sqlite:///")
    return SqliteStore(Path(file) if file else _own_file())


def _own_file() -> Path:
    import platformdirs

    return Path(platformdirs.user_state_dir("digitduels", appauthor=False)) / "games.sqlite"
