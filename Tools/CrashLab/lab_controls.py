"""Controls of the laboratory itself: rounds in which it does not do its own work must fail.

A fault that ends a thread, a tracer that stops nobody, or an empty list of rounds would otherwise
pass for a program that keeps everything.
"""

import contextlib
import io
import shutil
from unittest import mock

import backups
import cuts
import hands
import kills
import openings
import operations
import program
from lab import Tally, label


class Failing(operations.Rebuild):
    """A command that fails, on a ledger that is not there."""

    def words(self, folder):
        return ["rebuild", "--ledger", folder + "/none.ledger"]


def failing(*_, **__):
    raise SystemExit("a fault on purpose")


def played(lab, run, *changes, only=None):
    """Plays one round of a technique in which something is not as it should be: its tally.

    `changes` are objects or modules with the name of what is changed, and what it is instead.
    """
    options = mock.patch.multiple(lab.options, rounds=1, only=only, command=[], seconds=None)
    with contextlib.ExitStack() as stack:
        stack.enter_context(options)
        for target, name, instead in changes:
            stack.enter_context(mock.patch.object(target, name, instead))
        # What is wrong here is wrong on purpose.
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        return run(lab)


def says(tally, words):
    """Whether a round failed for this reason."""
    return tally.failed and any(words in detail for _, verdict, _ in tally.failures
                                for detail in verdict.details)


def lab_controls(lab):
    """Rounds that are not played, threads that end, and patience that ends too soon or never."""
    yield "laboratory: a technique that plays no round", \
        Tally("nothing").failed and lab.play("nothing", [], failing).failed
    yield "laboratory: parts of which each round is in one", parts_are_everything(lab)
    yield "laboratory: a writer whose thread fails while it is killed", says(
        played(lab, kills.run, (kills.Writer, "hear", failing), (kills, "CYCLES", 1)), "on purpose")
    yield "laboratory: a reader whose thread fails among many hands", says(
        played(lab, hands.run, (hands.Hands, "read", failing), (hands, "ROUND_SECONDS", 0),
               (hands, "beside", lambda path: None)), "on purpose")
    yield "laboratory: a backup's writer whose thread fails", says(
        played(lab, backups.run, (backups.Writer, "count", failing), (backups, "BACKUPS", 1)),
        "on purpose")
    yield "laboratory: patience with who answers, and none with who does not", \
        patience_starts_anew() and answers_are_counted(lab)


def parts_are_everything(lab):
    """Whether the parts of many rounds have each of them once, and none of the parts is empty."""
    points = [("append", "write", number) for number in range(200)]
    parts = []
    for number in range(1, 5):
        with mock.patch.multiple(lab.options, rounds=None, only=None, part=(number, 4)):
            parts.append(lab.chosen(points))
    return all(parts) and sorted(sum(parts, [])) == points


class Seconds:
    """Seconds that pass at once. In the first of them, somebody answers."""

    def __init__(self, patience, answering):
        self.patience = patience
        self.answering = answering
        self.passed = 0

    def wait(self, _):
        self.passed += 1
        if self.passed <= self.answering:
            self.patience.answers += 1
        return False


def patience_starts_anew():
    """Whether a process is ended so many seconds after its last answer, and not before."""
    answering = 3 * program.TIMEOUT_SECONDS
    with mock.patch.object(program, "end") as end:
        patience = program.Patience(None, program.TIMEOUT_SECONDS)
        patience.ended = Seconds(patience, answering)
        patience.run()
    return end.called and patience.ended.passed == answering + program.TIMEOUT_SECONDS


def answers_are_counted(lab):
    """Whether the patience with a process that appends hears of each answer."""
    patiences = []

    def remembered(process, seconds, patience=program.Patience):
        patiences.append(patience(process, seconds))
        return patiences[-1]

    operation = operations.Append()
    folder = lab.folder_named("control")
    operation.prepare(lab, folder)
    with mock.patch.object(program, "Patience", remembered):
        operation.perform(lab, folder)
    return [patience.answers for patience in patiences] == [len(sum(operation.batches(), []))]


def company_controls(lab):
    """A command that refuses beside writers who are killed."""
    # It has days until it is killed.
    yield "kills: a command beside the writers that refuses", says(
        played(lab, kills.run, (kills, "COMPANY", [["holders"]]), (kills, "CYCLES", 1),
               (kills, "COMPANY_SECONDS_MAX", 1e6)), "holders beside writers")


def recording_controls(lab):
    """A command that fails while it is recorded."""
    yield "cuts: a command that fails while it is recorded", says(
        played(lab, cuts.run, (cuts, "recorded", lambda *_: [Failing()])), "when recorded")


class Elsewhere(openings.AppendBeside):
    """The second process finds a ledger that has nothing of what the first one did."""

    def prepare(self, lab, folder):
        super().prepare(lab, folder)
        shutil.copytree(self.ledger(folder), folder + "/other.ledger")

    def second_words(self, folder):
        words = self.words(folder)
        words[words.index(self.ledger(folder))] = folder + "/other.ledger"
        return words


class Silent(openings.AppendBeside):
    """The second process neither ends nor waits for a lock: it waits for its input."""

    def second_words(self, folder):
        return self.words(folder)[:-1] + ["-"]


def opening_controls(lab):
    """First processes that are not stopped, that lose what they answered, and that are not met."""
    beside = openings.AppendBeside

    def not_stopping(self, folder, trace, *_):
        return self.tracing(folder, trace)

    try:
        played(lab, openings.run, (openings, "FILES", ["none.mdb"]))
        refused = False
    except SystemExit as error:
        refused = "none of the log's files" in str(error)
    yield "openings: an append that uses none of the log's files", refused
    yield "openings: first processes that nobody stops", says(
        played(lab, openings.run, (beside, "stopping", not_stopping)), "no process was stopped")
    # Its files are closed when it has answered.
    answered = max(point for point in openings.Openings(lab).points() if point[1] == "close")
    yield "openings: what the first one answered is lost, and the second one appends it anew", says(
        played(lab, openings.run, (openings, "AppendBeside", Elsewhere), only=label(answered)),
        "of the second append it is appended")
    # Before that, the first one can hold the lock for which the second one then waits.
    yield "openings: a second one that neither ends nor waits", says(
        played(lab, openings.run, (openings, "AppendBeside", Silent), (openings, "LOOKS_MAX", 100),
               only=label(answered)),
        "neither ended nor waited")
    waits = played(lab, openings.run, only="0:flock:1")
    writes = played(lab, openings.run, only="0:pwrite64:1")
    yield "openings: a second one is seen to wait, for the file and for the mutex", \
        all("1 of the second ones waited" in tally.note for tally in (waits, writes))
