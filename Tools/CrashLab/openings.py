"""Kills while a process opens a ledger and another one waits to open it.

Who opens a ledger that nobody has open makes its lock file anew, and others wait for that. So at
each call of `append` on the log's files, the process is stopped, a second one is started, and the
first one is killed. The second one must append, as if there had been no first one.
"""

import os
import re
import subprocess
import time

import history
import operations
from auditor import LOST, SIGNAL, Verdict
from program import TIMEOUT_SECONDS, Ran, end

# With an odd and with an even number of commits, LMDB's newest meta page is another one.
EARLIER_COMMITS = [0, 1]
# The second process has this long to come as far as the first one lets it.
WAIT_SECONDS = 0.4
FILES = ["lock.mdb", "data.mdb"]
STOPPED = "--- stopped by SIGSTOP ---"


class Openings(operations.Append):
    """Appends a batch beside a process that is stopped and killed."""

    def __init__(self, earlier):
        self.earlier = earlier

    def batches(self):
        return [history.events(1, 7, self.earlier)]

    def prepare(self, lab, folder):
        super().prepare(lab, folder)
        for number in range(self.earlier):
            path = f"{folder}/earlier.jsonl"
            lab.write(path, history.events(1, 1, number))
            lab.must(["append", "--ledger", self.ledger(folder), path])

    def expected(self, acknowledged):
        found = super().expected(acknowledged)
        earlier = history.events(1, self.earlier)
        found.writers[1] = earlier + found.writers[1]
        found.acknowledged.update({event["id"]: None for event in earlier})
        return found

    def tracing(self, folder, trace, *more):
        paths = [word for name in FILES
                 for word in ("-P", f"{self.ledger(folder)}/log/{name}")]
        return ["strace", "-f", "-o", trace, *paths, *more]

    def calls(self, lab, base):
        """The calls on the log's files until it is read: [(call, number)]."""
        folder = lab.copy(base)
        trace = folder + ".trace"
        lab.write(folder + "/second.jsonl", self.batches()[0])
        lab.program.run(self.words(folder), self.tracing(folder, trace))
        counts, found = {}, []
        with open(trace, encoding="utf-8", errors="replace") as file:
            for line in file:
                match = re.match(r"^\d+ +([a-z0-9_]+)\(", line)
                if match:
                    call = match.group(1)
                    counts[call] = counts.get(call, 0) + 1
                    found.append((call, counts[call]))
        return found

    def beside_one_that_is_killed(self, lab, folder, call, number):
        """Stops a process at a call, starts another one, and kills the first."""
        trace = folder + ".trace"
        lab.write(folder + "/second.jsonl", self.batches()[0])
        words = ["append", "--format", "jsonl", "--ledger", self.ledger(folder),
                 folder + "/second.jsonl"]
        first = lab.program.start(words, self.tracing(
            folder, trace, "-e", f"inject={call}:signal=STOP:when={number}"))
        first.stdin.close()
        until = time.monotonic() + TIMEOUT_SECONDS
        while first.poll() is None and time.monotonic() < until and not is_stopped(trace):
            time.sleep(0.005)
        second = lab.program.start(words)
        try:
            second.wait(WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        end(first)
        heard = first.stdout.read()
        first.stdout.close()
        first.stderr.close()
        first.wait()
        ran = lab.program.finish(second, words)
        # Also what the first one had answered, if it was stopped late.
        return Ran(words, ran.code, heard.decode("utf-8", "replace") + ran.out, ran.err, ran.hung)


def is_stopped(trace):
    if not os.path.exists(trace):
        return False
    with open(trace, encoding="utf-8", errors="replace") as file:
        return STOPPED in file.read()


def run(lab):
    """Stops and kills at each call."""
    bases, points = {}, []
    for earlier in EARLIER_COMMITS:
        operation = Openings(earlier)
        bases[earlier] = lab.folder_named("base-openings")
        operation.prepare(lab, bases[earlier])
        points += [(earlier, call, number)
                   for call, number in operation.calls(lab, bases[earlier])]

    def one(point):
        earlier, call, number = point
        operation = Openings(earlier)
        folder = lab.copy(bases[earlier])
        ran = operation.beside_one_that_is_killed(lab, folder, call, number)
        verdict = Verdict()
        if ran.crashed or ran.code != 0:
            verdict.add(SIGNAL if ran.crashed else LOST,
                        f"the second append: {ran.crashed or ran.said()}")
        return verdict.join(operation.glance(
            lab, folder, ran, lab.random("openings", *point))), folder

    tally = lab.play("openings", lab.chosen(points), one, lab.options.seconds)
    tally.note = f"{len(points)} calls of an append on the log's files"
    return tally
