"""Daybook and what is measured beside it, in one process with its caller."""

import json
import os
import subprocess
import sys

from workbench import Missing, last_line, said, tell

SQLITE_HEADER = "libsqlite3-dev"
EVENTSOURCING = "eventsourcing==9.5.6"
# A run that was told to stop after its limit and has not ended so much later hangs.
GRACE_SECONDS = 600
# Of what a client said before it failed.
SAID_LINES_MAX = 8


class Failed(Exception):
    """A run that did not give a result."""


class Run:
    """What one run is given: the measure, its events, an empty folder, and a limit of time."""

    def __init__(self, measure, files, folder, seconds, round_folder):
        self.measure = measure
        self.files = files
        self.folder = folder
        self.seconds = seconds
        # Where a round keeps what one peer makes and another one reads.
        self.round_folder = round_folder

    def ask(self, words):
        """Runs a client and returns the line of JSON that it prints."""
        try:
            done = subprocess.run(
                [str(word) for word in words], capture_output=True, text=True, check=False,
                stdin=subprocess.DEVNULL, timeout=self.seconds + GRACE_SECONDS)
        except subprocess.TimeoutExpired as failure:
            raise Failed(f"no end after {failure.timeout:.0f} s") from failure
        if done.returncode != 0:
            said = " / ".join(done.stderr.strip().split("\n")[-SAID_LINES_MAX:])
            raise Failed(f"exit code {done.returncode}: {said}")
        try:
            return json.loads(done.stdout)
        except ValueError as failure:
            raise Failed(f"no result but {last_line(done.stdout)!r}") from failure


class Peer:
    """Something that appends events."""

    # Whether it is another process, reached by a socket.
    is_socket = False
    # The name of the peer that its rate is compared with.
    beside = None

    def __init__(self, workbench):
        self.workbench = workbench

    def prepare(self):
        """Installs and builds what it needs, or throws `Missing`."""

    def takes(self, measure):
        return True

    def settings(self):
        """Its version and how it is configured, as far as its runs do not say so themselves."""
        return "", ""

    def run(self, run):
        raise NotImplementedError


class Daybook(Peer):
    name, title = "daybook", "Daybook"
    mode, made = "ledger", "ledger"

    def prepare(self):
        command = ["swift", "build", "-c", "release", "--package-path",
                   f"{self.workbench.root}/Tools/Benchmarks"]
        if self.workbench.builds:
            self.workbench.builds = False
            tell("building Daybook")
            done = subprocess.run([*command, "--product", "Benchmarks"], check=False,
                                  stdout=sys.stderr)
            if done.returncode != 0:
                raise Missing("swift build failed")
        where = subprocess.run([*command, "--show-bin-path"], check=True, capture_output=True,
                               text=True).stdout.strip()
        self.workbench.benchmarks = f"{where}/Benchmarks"
        self.workbench.baseline = f"{where}/baseline"
        if not os.access(self.workbench.benchmarks, os.X_OK):
            raise Missing(f"there is no program at {self.workbench.benchmarks}")

    def settings(self):
        return self.workbench.version(), self.about

    about = ("a ledger as it is by default: each call durable, hashed, indexed; folded within the "
             "measured time; two batches under way in long runs")

    def run(self, run):
        measure = run.measure
        return run.ask([
            self.workbench.benchmarks, "peer", self.mode, run.files.lines,
            f"{self.home(run)}/{self.made}", measure.batch, measure.callers, measure.in_flight,
            measure.events, run.seconds])

    def home(self, run):
        return run.folder


class DaybookLog(Daybook):
    name, title = "daybook-log", "Daybook, log alone"
    mode, made = "log", "log-alone"
    about = "the same without projections"

    def takes(self, measure):
        return measure.workload == "ordered"

    def home(self, run):
        # For C, which writes the same bytes.
        return run.round_folder


class LMDB(Peer):
    """C on LMDB, which writes the bytes of the log that Daybook has just written."""

    name, title, beside = "c", "C on LMDB, same bytes", "daybook-log"
    GROUP = 16

    def takes(self, measure):
        return measure.workload == "ordered"

    def settings(self):
        version = said(["pkg-config", "--modversion", "lmdb"])
        return version, ("no validation, encoding or look-up of ids; with 16 callers: 16 events "
                         "a commit")

    def run(self, run):
        log = f"{run.round_folder}/{DaybookLog.made}/log"
        if not os.path.isdir(log):
            raise Failed("Daybook's log is not there")
        batch = self.GROUP if run.measure.callers > 1 else run.measure.batch
        answer = run.ask([self.workbench.baseline, "append", log, f"{run.folder}/c", batch,
                          max(run.measure.events // batch, 1)])
        return {"events": answer["events"], "seconds": answer["seconds"]}


class SQLite(Peer):
    name, title, beside = "sqlite", "SQLite", "daybook"
    mode = "all"
    about = ("WAL, synchronous=FULL, cache_size 256 MiB; one transaction a call; C interface, "
             "prepared statements; ids, five indexes and four projections")

    def prepare(self):
        compiler = self.workbench.program(["cc", "gcc", "clang"], "gcc")
        self.client = f"{self.workbench.cache}/sqlite"
        source = self.workbench.client("sqlite.c")
        command = [compiler, "-O2", "-o", self.client, source, "-lsqlite3"]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            self.workbench.install(SQLITE_HEADER)
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise Missing(f"its client does not compile: {last_line(done.stderr)}")

    def takes(self, measure):
        # One connection writes at a time, and nothing commits for several.
        return measure.callers == 1

    def settings(self):
        return "", self.about

    def run(self, run):
        return run.ask([self.client, self.mode, run.files.rows, self.workbench.client("sqlite.sql"),
                        f"{run.folder}/events.sqlite", run.measure.batch, run.measure.events,
                        run.seconds])


class SQLiteEvents(SQLite):
    name, title, beside = "sqlite-events", "SQLite, events alone", "daybook-log"
    mode = "events"
    about = "the same with unique ids, without the indexes and projections"

    def takes(self, measure):
        return measure.workload == "ordered" and measure.callers == 1


class Eventsourcing(Peer):
    name, title, beside = "eventsourcing", "eventsourcing (Python, SQLite)", "daybook"

    def prepare(self):
        self.workbench.package(EVENTSOURCING)

    def takes(self, measure):
        return measure.workload == "ordered" and measure.callers == 1

    def settings(self):
        return "", "its application recorder; an aggregate for each account; no projections"

    def run(self, run):
        client = self.workbench.client("eventsourced.py")
        return run.ask([self.workbench.python, client, run.files.lines,
                        f"{run.folder}/events.sqlite", run.measure.batch, run.measure.events,
                        run.seconds])
