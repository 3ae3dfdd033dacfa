"""The schema of the database, as migrations from each version to the next, for SQLite and PostgreSQL.

The text is that of PostgreSQL. `for_sqlite` translates it, and a few expressions that have another form there.
"""

from __future__ import annotations

import re
import sqlite3

from digitduels.web.streams.store import StoreError

# The tables of the first two editions. They exist only until version 6 replaces them, so their indexes and the triggers
# that were version 2 are left out.
_EARLIER = (
    """
    CREATE TABLE game (
        id TEXT PRIMARY KEY, rules TEXT NOT NULL, invite BYTEA, head INTEGER NOT NULL, status TEXT NOT NULL,
        due BOOLEAN NOT NULL, created DOUBLE PRECISION NOT NULL, touched DOUBLE PRECISION NOT NULL
    );
    CREATE TABLE seat (
        game TEXT NOT NULL REFERENCES game, seat INTEGER NOT NULL, token BYTEA,
        name TEXT NOT NULL, level INTEGER, seen DOUBLE PRECISION NOT NULL, PRIMARY KEY (game, seat)
    );
    CREATE TABLE event (
        game TEXT NOT NULL REFERENCES game, version INTEGER NOT NULL, seat INTEGER, kind TEXT NOT NULL,
        body TEXT NOT NULL, key TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, PRIMARY KEY (game, version)
    );
    """,
    "",
    """
    ALTER TABLE game ADD COLUMN broken TEXT;
    ALTER TABLE game ADD COLUMN deleting BOOLEAN NOT NULL DEFAULT false;
    CREATE TABLE probe (at DOUBLE PRECISION NOT NULL);
    INSERT INTO probe VALUES (0);
    """,
    """
    CREATE TABLE class (
        code TEXT PRIMARY KEY, id TEXT NOT NULL, token BYTEA NOT NULL, rules TEXT NOT NULL,
        created DOUBLE PRECISION NOT NULL, head INTEGER NOT NULL, deleting BOOLEAN NOT NULL DEFAULT false
    );
    CREATE TABLE class_event (
        class TEXT NOT NULL REFERENCES class, version INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
        key TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, PRIMARY KEY (class, version)
    );
    CREATE TABLE pupil (
        class TEXT NOT NULL REFERENCES class, number INTEGER NOT NULL, seen DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (class, number)
    );
    CREATE TABLE class_code (code TEXT PRIMARY KEY, until DOUBLE PRECISION NOT NULL);
    ALTER TABLE game ADD COLUMN class TEXT REFERENCES class;
    """,
    "ALTER TABLE class_code ADD COLUMN deletion BYTEA;",
)

_STREAMS = """
    CREATE TABLE stream (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('game', 'class')), origin TEXT,
        parent TEXT REFERENCES stream, data TEXT NOT NULL, head INTEGER NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('open', 'playing', 'over', 'closed')), due BOOLEAN NOT NULL,
        created DOUBLE PRECISION NOT NULL, touched DOUBLE PRECISION NOT NULL, broken TEXT,
        deleting BOOLEAN NOT NULL DEFAULT false
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX stream_origin ON stream (origin) WHERE origin IS NOT NULL;
    CREATE INDEX stream_parent ON stream (parent) WHERE parent IS NOT NULL;
    CREATE INDEX stream_status ON stream (kind, status, touched);
    CREATE INDEX stream_due ON stream (touched) WHERE due;
    CREATE INDEX stream_broken ON stream (id) WHERE broken IS NOT NULL;
    CREATE TABLE member (
        stream TEXT NOT NULL REFERENCES stream, number INTEGER NOT NULL, name TEXT NOT NULL, level INTEGER,
        seen DOUBLE PRECISION NOT NULL, PRIMARY KEY (stream, number)
    ) WITHOUT ROWID;
    CREATE TABLE token (
        stream TEXT NOT NULL, member INTEGER NOT NULL, hash TEXT NOT NULL, reads_only BOOLEAN NOT NULL DEFAULT false,
        PRIMARY KEY (stream, member, hash), FOREIGN KEY (stream, member) REFERENCES member
    ) WITHOUT ROWID;
    ALTER TABLE event RENAME TO earlier_event;
    CREATE TABLE event (
        stream TEXT NOT NULL REFERENCES stream, version INTEGER NOT NULL, member INTEGER, kind TEXT NOT NULL,
        body TEXT NOT NULL, key TEXT NOT NULL, at DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (stream, version), UNIQUE (stream, key)
    ) WITHOUT ROWID;
    CREATE TABLE reserved (id TEXT PRIMARY KEY, until DOUBLE PRECISION NOT NULL, deletion TEXT) WITHOUT ROWID;

    INSERT INTO stream SELECT code, 'class', id, NULL, rules, head,
        CASE WHEN EXISTS (SELECT 1 FROM class_event WHERE class_event.class = code AND kind = 'end')
            THEN 'over' ELSE 'playing' END,
        false, created, coalesce((SELECT max(at) FROM class_event WHERE class_event.class = code), created),
        NULL, deleting FROM class;
    INSERT INTO stream SELECT id, 'game', NULL, class,
        CASE WHEN invite IS NULL THEN rules ELSE WITH_INVITE(rules, invite) END,
        head, status, due, created, touched, broken, deleting FROM game;
    INSERT INTO member SELECT code, 0, '', NULL, created FROM class;
    INSERT INTO member SELECT class_event.class, INTEGER_IN(body, pupil), TEXT_IN(body, name), NULL, coalesce(
        (SELECT seen FROM pupil WHERE pupil.class = class_event.class AND number = INTEGER_IN(body, pupil)), at
    ) FROM class_event WHERE kind = 'join';
    INSERT INTO member SELECT game, seat, name, level, seen FROM seat;
    INSERT INTO token SELECT code, 0, HEX(token), false FROM class;
    INSERT INTO token SELECT class, INTEGER_IN(body, pupil), TEXT_IN(body, token), false
        FROM class_event WHERE kind = 'join';
    INSERT INTO token SELECT game, seat, HEX(token), false FROM seat WHERE token IS NOT NULL;
    INSERT INTO event SELECT class, version, NULL, kind, body, key, at FROM class_event;
    INSERT INTO event SELECT game, version, seat, kind, body, key, at FROM earlier_event;
    INSERT INTO reserved SELECT code, until, nullif(HEX(deletion), '') FROM class_code;
    DROP TABLE earlier_event;
    DROP TABLE seat;
    DROP TABLE game;
    DROP TABLE class_event;
    DROP TABLE pupil;
    DROP TABLE class;
    DROP TABLE class_code;
"""
_SQLITE_TRIGGERS = """
    CREATE TRIGGER event_stays BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
    CREATE TRIGGER event_lasts BEFORE DELETE ON event
    WHEN (SELECT deleting FROM stream WHERE id = OLD.stream) IS NOT 1
    BEGIN SELECT RAISE(ABORT, 'events are deleted only with their stream'); END;
"""
_POSTGRESQL_TRIGGERS = """
    DROP FUNCTION IF EXISTS class_event_stays;
    CREATE OR REPLACE FUNCTION event_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' AND (SELECT deleting FROM stream WHERE id = OLD.stream) THEN RETURN OLD; END IF;
        RAISE EXCEPTION 'events are never changed, and deleted only with their stream';
    END $$;
    CREATE TRIGGER event_stays BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION event_stays();
"""
_IN_SQLITE = {
    r"BYTEA": "BLOB",
    r"HEX\((\w+)\)": r"lower(hex(\1))",
    r"TEXT_IN\((\w+), (\w+)\)": r"json_extract(\1, '$.\2')",
    r"INTEGER_IN\((\w+), (\w+)\)": r"json_extract(\1, '$.\2')",
    r"WITH_INVITE\((\w+), (\w+)\)": r"json_set(\1, '$.\2', lower(hex(\2)))",
}
_IN_POSTGRESQL = {
    r" WITHOUT ROWID": "",
    r"HEX\((\w+)\)": r"encode(\1, 'hex')",
    r"TEXT_IN\((\w+), (\w+)\)": r"(\1::json ->> '\2')",
    r"INTEGER_IN\((\w+), (\w+)\)": r"(\1::json ->> '\2')::int",
    r"WITH_INVITE\((\w+), (\w+)\)": r"(\1::jsonb || jsonb_build_object('\2', encode(\2, 'hex')))::text",
}


def _translated(script: str, patterns: dict[str, str]) -> str:
    for pattern, replacement in patterns.items():
        script = re.sub(pattern, replacement, script)
    return script


FOR_SQLITE = tuple(_translated(script, _IN_SQLITE) for script in (*_EARLIER, _STREAMS + _SQLITE_TRIGGERS))
FOR_POSTGRESQL = tuple(_translated(script, _IN_POSTGRESQL) for script in (*_EARLIER, _STREAMS + _POSTGRESQL_TRIGGERS))
NEWEST = len(FOR_SQLITE)


def pending(version: int) -> range:
    """Returns the migrations that a database still needs. Raises StoreError if it is newer than this program."""
    if version > NEWEST:
        raise StoreError(
            f"The database has version {version}, and this program knows versions up to {NEWEST}. "
            "Use the newer Digit Duels that wrote it."
        )
    return range(version, NEWEST)


def statements(script: str) -> list[str]:
    """Splits a script into statements. A semicolon inside a trigger does not end one."""
    complete, statement = [], ""
    for part in script.split(";")[:-1]:
        statement += part + ";"
        if sqlite3.complete_statement(statement):
            complete.append(statement)
            statement = ""
    return complete
