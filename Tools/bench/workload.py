"""A workload: the same events for every peer, as JSON Lines and as rows between tabs."""

import json
import mmap
import os
import subprocess
from collections import Counter
from datetime import datetime, timezone

# Of longer workloads, only so many events are described.
DESCRIBED_EVENTS_MAX = 1_000_000
COLUMNS = ("id", "type", "occurredAt", "source", "app", "account", "device", "session",
           "sequence", "payment", "product", "transaction", "originalTransaction", "download",
           "data")
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class Workload:
    """What the generator is asked for, and in which order the events come."""

    def __init__(self, name, kind, accounts, title, newest_first=False):
        self.name = name
        self.kind = kind
        self.accounts = accounts
        self.title = title
        self.newest_first = newest_first


WORKLOADS = {workload.name: workload for workload in (
    Workload("ordered", "zipf", 100_000, "10⁵ accounts, ordered ids"),
    Workload("many-accounts", "zipf", 1_000_000, "10⁶ accounts"),
    Workload("random-ids", "random-ids", 100_000, "random ids"),
    Workload("one-account", "one-account", 1, "every event of one account"),
    Workload("one-device", "one-device", 100_000, "every event on one device"),
    Workload("newest-first", "zipf", 100_000, "newest first", newest_first=True),
)}


class Files:
    """Where a workload is, and what is in it."""

    def __init__(self, lines, rows, description):
        self.lines = lines
        self.rows = rows
        self.description = description

    def remove(self):
        for path in (self.lines, self.rows):
            if os.path.exists(path):
                os.remove(path)


def made(workload, program, events, folder):
    """Lets Daybook's generator write a workload into `folder`."""
    files = Files(f"{folder}/{workload.name}.jsonl", f"{folder}/{workload.name}.rows", "")
    forward = files.lines + ".forward" if workload.newest_first else files.lines
    subprocess.run([program, "peer", "make", workload.kind, str(events), str(workload.accounts),
                    forward], check=True)
    if workload.newest_first:
        reverse(forward, files.lines)
        os.remove(forward)
    census = Census()
    with open(files.lines, encoding="utf-8") as lines, \
            open(files.rows, "w", encoding="utf-8") as rows:
        for number, line in enumerate(lines):
            event = json.loads(line)
            rows.write(row(event))
            if number < DESCRIBED_EVENTS_MAX:
                census.add(event)
    files.description = census.text()
    return files


def reverse(source, target):
    """Writes the lines of a file in reverse order."""
    with open(source, "rb") as file, open(target, "wb") as out, \
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        end = len(text)
        while end > 0:
            start = text.rfind(b"\n", 0, end - 1) + 1
            out.write(text[start:end])
            end = start


def microseconds(text):
    """The microseconds since 1970 of a time of RFC 3339 in UTC, with any fraction."""
    seconds, _, fraction = text.removesuffix("Z").partition(".")
    moment = datetime.fromisoformat(seconds + "+00:00") - EPOCH
    return (moment.days * 86_400 + moment.seconds) * 1_000_000 + int((fraction + "000000")[:6])


def row(event):
    """An event as a line of PostgreSQL's text format: fields between tabs."""
    fields = []
    for name in COLUMNS:
        value = event.get(name)
        if value is None:
            fields.append("\\N")
            continue
        if name == "occurredAt":
            value = microseconds(value)
        elif name == "data":
            value = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        text = str(value)
        if "\\" in text or "\t" in text or "\n" in text:
            raise ValueError(f"{name} of event {event['id']} needs escapes: {text!r}")
        fields.append(text)
    return "\t".join(fields) + "\n"


class Census:
    """Counts what a workload consists of."""

    def __init__(self):
        self.events = 0
        self.late = 0
        self.newest = 0
        self.ids = set()
        self.accounts = Counter()
        self.devices = set()

    def add(self, event):
        self.events += 1
        moment = microseconds(event["occurredAt"])
        if event["id"] not in self.ids and moment < self.newest:
            self.late += 1
        self.newest = max(self.newest, moment)
        self.ids.add(event["id"])
        self.accounts[event.get("account")] += 1
        self.devices.add(event.get("device"))

    @property
    def repeated(self):
        return self.events - len(self.ids)

    def text(self):
        if self.events == 0:
            return "no events"
        (_, busiest), = self.accounts.most_common(1)
        return (f"{self.events} events: {self.repeated / self.events:.1%} repeated, "
                f"{self.late / self.events:.1%} older than one before them, "
                f"{len(self.accounts)} accounts, the busiest with {busiest / self.events:.1%}, "
                f"{len(self.devices)} devices")
