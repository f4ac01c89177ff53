"""What is measured as a process of its own, reached over a socket."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from peers import Failed, Peer
from workbench import Missing, last_line, tell

PSYCOPG = "psycopg[binary]==3.3.9"
UMADB = "umadb==0.7.8"
START_SECONDS_MAX = 60
STOP_SECONDS_MAX = 60
SHARED_BUFFERS_PART = 4


@contextlib.contextmanager
def server(words, is_ready, stop_signal, log, **options):
    """Runs a server until the block ends, however it ends."""
    with open(log, "w", encoding="utf-8") as output:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, **options)
    try:
        deadline = time.monotonic() + START_SECONDS_MAX
        while not is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                with open(log, encoding="utf-8") as text:
                    raise Failed(f"the server did not start: {last_line(text.read())}")
            time.sleep(0.05)
        yield
    finally:
        process.send_signal(stop_signal)
        try:
            process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class DaybookSocket(Peer):
    name, title, is_socket = "daybook-socket", "Daybook over a socket", True

    def settings(self):
        return self.workbench.version(), (
            "a process of its own for this comparison; lines of JSON over Unix sockets, decoded "
            "and validated within the measured time; client in Python")

    def run(self, run):
        measure = run.measure
        return run.ask([sys.executable, self.workbench.client("daybook_socket.py"),
                        run.files.lines, self.workbench.benchmarks, f"{run.folder}/ledger",
                        measure.batch, measure.callers, measure.events, run.seconds])


class PostgreSQL(Peer):
    name, title, beside, is_socket = "postgres", "PostgreSQL", "daybook-socket", True

    def prepare(self):
        self.workbench.package(PSYCOPG)
        self.binaries = self.find()
        # A server that root starts refuses to run.
        self.options, self.owner = {}, None
        if os.geteuid() == 0:
            names = {entry.pw_name: entry for entry in pwd.getpwall()}
            self.owner = names.get("postgres") or names.get("nobody")
            if self.owner is None:
                raise Missing("needs a user that is not root")
            self.options = {"user": self.owner.pw_uid, "group": self.owner.pw_gid,
                            "extra_groups": []}
        self.initialize()

    def find(self):
        """The folder of its programs, which Debian does not put into the path."""
        folders = ["/usr/lib/postgresql/15/bin", *os.environ.get("PATH", "").split(":")]
        for attempt in range(2):
            for folder in folders:
                if os.access(f"{folder}/initdb", os.X_OK):
                    return folder
            if attempt == 0:
                self.workbench.install("postgresql-15")
        raise Missing("initdb is not here after postgresql-15 was installed")

    def settings(self):
        return "", ("1 a call: a prepared INSERT; more: COPY into a temporary table and INSERT "
                    "from there; client psycopg; ids, five indexes and four projections by a "
                    "trigger for each statement")

    def run(self, run):
        data = f"{run.folder}/data"
        # A path to a socket may have no more than 107 bytes.
        sockets = tempfile.mkdtemp(prefix="bench-")
        try:
            self.own(run.folder, sockets)
            # With owners and permissions, which the server insists on.
            subprocess.run(["cp", "-a", self.template, data], check=True)
            os.sync()
            with server(self.words(data, sockets), lambda: self.is_ready(sockets), signal.SIGINT,
                        f"{run.folder}/postgres.log", **self.options):
                measure = run.measure
                client = self.workbench.client("postgres.py")
                return run.ask([
                    self.workbench.python, client, run.files.rows, sockets,
                    "postgres", measure.batch, measure.callers, measure.events, run.seconds,
                    self.workbench.client("postgres.sql")])
        finally:
            shutil.rmtree(sockets, ignore_errors=True)

    def own(self, *folders):
        for folder in folders:
            if self.owner is not None:
                os.chown(folder, self.owner.pw_uid, self.owner.pw_gid)

    def initialize(self):
        """Makes an empty cluster that each run gets a copy of: initdb takes seconds."""
        version = subprocess.run([f"{self.binaries}/initdb", "--version"], capture_output=True,
                                 text=True, check=True).stdout.split()[2]
        self.template = f"{self.workbench.cache}/postgres-{version}"
        if os.path.isdir(self.template):
            return
        tell("making an empty cluster of PostgreSQL")
        folder = tempfile.mkdtemp(prefix="postgres-", dir=self.workbench.cache)
        self.own(folder)
        done = subprocess.run(
            [f"{self.binaries}/initdb", "-D", f"{folder}/data", "-U", "postgres",
             "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"],
            capture_output=True, text=True, check=False, cwd="/", **self.options)
        if done.returncode == 0:
            os.rename(f"{folder}/data", self.template)
        shutil.rmtree(folder)
        if done.returncode != 0:
            raise Missing(f"initdb failed: {last_line(done.stderr)}")

    def words(self, data, sockets):
        # What its documentation advises for a server of its own and for loading much: a quarter
        # of the memory, and fewer checkpoints. Everything that makes it durable is as it comes.
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        buffers = memory // SHARED_BUFFERS_PART >> 20
        settings = ["listen_addresses=", f"unix_socket_directories={sockets}",
                    f"shared_buffers={buffers}MB", "max_wal_size=8GB"]
        return [f"{self.binaries}/postgres", "-D", data,
                *(word for setting in settings for word in ("-c", setting))]

    def is_ready(self, sockets):
        return subprocess.run([f"{self.binaries}/pg_isready", "-q", "-h", sockets],
                              check=False).returncode == 0


class UmaDB(Peer):
    name, title, beside, is_socket = "umadb", "UmaDB", "daybook-socket", True

    def prepare(self):
        self.workbench.package(UMADB)

    def settings(self):
        return UMADB.split("==")[1], (
            "its server with its defaults, which is durable; its client in Python; five tags an "
            "event; no condition, so repeated events are there twice; no projections")

    def run(self, run):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        words = [f"{self.workbench.cache}/venv/bin/umadb", "--listen", f"127.0.0.1:{port}",
                 "--db-path", f"{run.folder}/uma.db"]
        with server(words, lambda: is_listening(port), signal.SIGTERM, f"{run.folder}/uma.log"):
            measure = run.measure
            return run.ask([self.workbench.python, self.workbench.client("uma.py"), run.files.lines,
                            f"http://127.0.0.1:{port}", measure.batch, measure.callers,
                            measure.events, run.seconds])


def is_listening(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False
