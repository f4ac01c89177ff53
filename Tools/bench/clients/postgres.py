"""PostgreSQL by psycopg, over its Unix socket.

    postgres.py ROWS FOLDER-OF-THE-SOCKET DATABASE BATCH CALLERS EVENTS SECONDS SCHEMA

One event a call is one prepared INSERT. More are a COPY into a temporary table and an INSERT from
there, in one transaction, because COPY alone cannot pass over an event that is there already.
"""

import sys

import psycopg
from pace import measure, pieces, report

COLUMNS = ('id, type, occurred_at, source, app, account, device, session, sequence, payment,'
           ' product, transaction, original, download, data')
INSERT = (f"INSERT INTO events ({COLUMNS}) VALUES ({', '.join(['%s'] * 15)})"
          " ON CONFLICT (id) DO NOTHING")
MOVE = (f"INSERT INTO events ({COLUMNS}) SELECT {COLUMNS} FROM staged"
        " ON CONFLICT (id) DO NOTHING")


def fields(lines):
    """The values of the single line of a batch."""
    line, = lines
    return [None if field == "\\N" else field for field in line.decode().rstrip("\n").split("\t")]


def inserting(connection):
    connection.autocommit = True
    cursor = connection.cursor()
    return lambda row: cursor.execute(INSERT, row, prepare=True)


def copying(connection):
    cursor = connection.cursor()
    cursor.execute("CREATE TEMPORARY TABLE staged (LIKE events) ON COMMIT DELETE ROWS")
    cursor.execute("ALTER TABLE staged DROP COLUMN position")
    connection.commit()

    def call(rows):
        with cursor.copy(f"COPY staged ({COLUMNS}) FROM STDIN") as copy:
            copy.write(rows)
        cursor.execute(MOVE)
        connection.commit()

    return call


def main(path, folder, database, batch, callers, events, seconds, schema):
    batch, callers, events, seconds = int(batch), int(callers), int(events), float(seconds)

    def connect():
        return psycopg.connect(host=folder, dbname=database, user="postgres")

    with connect() as connection, open(schema, encoding="utf-8") as file:
        connection.execute(file.read())
    ready, caller = (fields, inserting) if batch == 1 else (b"".join, copying)
    calls = [caller(connect()) for _ in range(callers)]
    result = measure(pieces(path, events, batch, ready), calls, seconds)
    with connect() as connection:
        stored, = connection.execute("SELECT count(*) FROM events").fetchone()
        version, = connection.execute("SHOW server_version").fetchone()
        settings = dict(connection.execute(
            "SELECT name, current_setting(name) FROM pg_settings WHERE source = 'command line'"
            " OR name IN ('fsync', 'synchronous_commit', 'full_page_writes',"
            " 'wal_sync_method')").fetchall())
    for name in ("unix_socket_directories", "listen_addresses", "data_directory"):
        settings.pop(name, None)
    report(result, stored=stored, version=version,
           settings=", ".join(f"{name}={value}" for name, value in sorted(settings.items())))


main(*sys.argv[1:])
