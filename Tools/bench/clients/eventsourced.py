"""The library eventsourcing with its SQLite module, in this process.

    eventsourced.py LINES DATABASE BATCH EVENTS SECONDS

Its application recorder is given stored events that are ready, of one aggregate for each account.
"""

import json
import sqlite3
import sys
import uuid
from collections import Counter
from importlib.metadata import version

from eventsourcing.persistence import StoredEvent
from eventsourcing.sqlite import SQLiteFactory
from eventsourcing.utils import Environment
from pace import measure, pieces, report

versions = Counter()


def ready(lines):
    events = []
    for line in lines:
        event = json.loads(line)
        account = event.get("account", "")
        versions[account] += 1
        events.append(StoredEvent(
            originator_id=uuid.uuid5(uuid.NAMESPACE_OID, account),
            originator_version=versions[account], topic=event["type"], state=line[:-1]))
    return events


def main(path, database, batch, events, seconds):
    recorder = SQLiteFactory(Environment(env={"SQLITE_DBNAME": database})).application_recorder()
    result = measure(pieces(path, int(events), int(batch), ready), [recorder.insert_events],
                     float(seconds))
    with recorder.datastore.transaction(commit=False) as cursor:
        values = []
        for name in ("journal_mode", "synchronous"):
            cursor.execute(f"PRAGMA {name}")
            values.append(f"{name}={cursor.fetchone()[0]}")
    report(result, version=f"{version('eventsourcing')}, SQLite {sqlite3.sqlite_version}",
           settings=f"{', '.join(values)} (its defaults; 2 is FULL)")


main(*sys.argv[1:])
