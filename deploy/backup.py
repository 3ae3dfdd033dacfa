"""Backs up an SQLite database while the server runs, and checks the copy before it replaces the previous one.

python3 backup.py /var/lib/digitduels/games.sqlite /var/backups/games.sqlite

Requires only Python. For PostgreSQL, use pg_dump.
"""

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: backup.py DATABASE COPY")
    database, copy = map(Path, sys.argv[1:])
    if not database.is_file():
        sys.exit(f"backup.py: There is no file {database}.")
    unchecked = copy.with_name(copy.name + ".new")
    unchecked.unlink(missing_ok=True)
    os.close(
        os.open(unchecked, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    )  # the copy contains names and hashes of tokens
    try:
        with (
            closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True, timeout=60)) as source,
            closing(sqlite3.connect(unchecked)) as target,
        ):
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")  # leaves no -wal file beside the copy
            errors = [row[0] for row in target.execute("PRAGMA integrity_check") if row[0] != "ok"]
            errors += [
                f"{table} has a row without its game" for table, *_ in target.execute("PRAGMA foreign_key_check")
            ]
            earlier = target.execute("SELECT 1 FROM sqlite_schema WHERE name = 'game'").fetchone()  # editions 1 and 2
            rows = "game" if earlier else "stream WHERE kind = 'game'"
            (games,) = target.execute(f"SELECT count(*) FROM {rows}").fetchone()  # noqa: S608
    except sqlite3.Error as error:
        unchecked.unlink()
        sys.exit(f"backup.py: {error}.")
    if errors:
        sys.exit(f"backup.py: The copy {unchecked} is damaged: {errors[0]}.")
    os.replace(unchecked, copy)
    print(f"{games} games are in {copy}.")


if __name__ == "__main__":
    main()
