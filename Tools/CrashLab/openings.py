"""Kills while a process opens a ledger and another one waits to open it.

Who opens a ledger that nobody has open makes its lock file anew, and others wait for that. So at
each call of `append` on the log's files, the process is stopped, a second one is started, and the
first one is killed as soon as the second one waits for it. The second one must append, as if there
had been no first one; or what the first one had answered must be there already.
"""

import os
import time

import history
import operations
import tracing
from auditor import LOST, SIGNAL, SILENT, Verdict
from program import Ran, end

# With an odd and with an even number of commits, LMDB's newest meta page is another one.
EARLIER_COMMITS = [0, 1]
# How often it is looked at what a process has come to, and how often at most: a minute, far longer
# than it takes to be stopped, to end, or to come as far as the first one lets the second.
LOOK_SECONDS = 0.005
LOOKS_MAX = 12_000
FILES = ["lock.mdb", "data.mdb"]
STOPPED = "--- stopped by SIGSTOP ---"


class AppendBeside(operations.Append):
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

    def stopping(self, folder, trace, call, number):
        """The command that stops another one at the call of this name and number of a thread."""
        return self.tracing(folder, trace, "-e", f"inject={call}:signal=STOP:when={number}")

    def words(self, folder):
        return ["append", "--format", "jsonl", "--ledger", self.ledger(folder),
                folder + "/second.jsonl"]

    def second_words(self, folder):
        """What the second process is started with: the same."""
        return self.words(folder)

    def calls(self, lab, base):
        """The calls on the log's files: [(call, number)], by threads' counts as strace has them."""
        folder = lab.copy(base)
        trace = folder + ".trace"
        lab.write(folder + "/second.jsonl", self.batches()[0])
        ran = lab.program.run(self.words(folder), self.tracing(folder, trace))
        if ran.code != 0:
            raise SystemExit(f"crashlab: append fails without a fault: {ran.said()}")
        found = tracing.calls(trace, folder)
        if not found:
            raise SystemExit("crashlab: append was traced and used none of the log's files: "
                             + ", ".join(FILES))
        return [(call, number) for call, (first, last) in found.items()
                for number in range(first, last + 1)]

    def beside_one_that_is_killed(self, lab, folder, call, number):
        """Stops a process at a call, starts another one, and kills the first when that one waits.

        Returns how each of them ended, and what they did before the first was killed: the first one
        was "stopped", and the second one "waited"; or they "ended", or did "neither".
        """
        trace = folder + ".trace"
        lab.write(folder + "/second.jsonl", self.batches()[0])
        words = self.words(folder)
        first = lab.program.start(words, self.stopping(folder, trace, call, number))
        second = None
        try:
            first.stdin.close()
            was = soon(lambda: "stopped" if is_stopped(trace) else
                       first.poll() is not None and "ended")
            second = lab.program.start(self.second_words(folder))
            did = soon(lambda: "ended" if second.poll() is not None else
                       waits_for_lock(second.pid, self.ledger(folder)) and "waited")
        finally:
            end(first)
            if second is None:
                first.communicate()
        heard = first.stdout.read().decode("utf-8", "replace")
        first.stdout.close()
        first.stderr.close()
        code = first.wait()
        return Ran(words, code, heard, ""), lab.program.finish(second, words), was, did


def soon(look):
    """What `look` finds in the end; "neither" if it finds nothing for long."""
    for _ in range(LOOKS_MAX):
        found = look()
        if found:
            return found
        time.sleep(LOOK_SECONDS)
    return "neither"


def is_stopped(trace):
    if not os.path.exists(trace):
        return False
    with open(trace, encoding="utf-8", errors="replace") as file:
        return STOPPED in file.read()


def waits_for_lock(process, ledger):
    """Whether a process waits for a lock of a file, or for a mutex in the ledger's lock file."""
    with open("/proc/locks", encoding="utf-8") as file:
        # Of one who waits: "3: -> FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF".
        waiting = [line.split() for line in file if "->" in line]
    return any(words[5] == str(process) for words in waiting) or waits_in(process, ledger)


def waits_in(process, ledger):
    """Whether a thread sleeps in a call whose first argument is an address of the lock file."""
    try:
        with open(f"/proc/{process}/maps", encoding="utf-8") as file:
            areas = [line.split("-", 1) for line in file
                     if line.rstrip().endswith(f"{ledger}/log/{FILES[0]}")]
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/syscall", encoding="utf-8") as file:
                # The number of the call and its arguments; "running" of a thread that runs.
                words = file.read().split()
            if len(words) > 1 and any(
                    int(start, 16) <= int(words[1], 16) < int(rest.split()[0], 16)
                    for start, rest in areas):
                return True
    # It has just ended.
    except (FileNotFoundError, ProcessLookupError):
        pass
    return False


def judge_answers(first, second, verdict):
    """What the first process has answered is there before the second one appends."""
    again = second.answers()
    for name, (_, position) in first.answers().items():
        status, found = again.get(name, (None, None))
        if status != "duplicate":
            verdict.add(LOST, f"{name} was acknowledged at {position}, and of the second append "
                              f"it is {status or 'not answered'}")
        elif found != position:
            verdict.add(SILENT, f"{name} was acknowledged at {position} and then at {found}")


class Openings:
    """All rounds, and what happened in them."""

    def __init__(self, lab):
        self.lab = lab
        self.bases = {}
        self.counts = {"stopped": 0, "waited": 0, "answered": 0}

    def points(self):
        """Each call as (earlier commits, call, number)."""
        points = []
        for earlier in EARLIER_COMMITS:
            operation = AppendBeside(earlier)
            self.bases[earlier] = self.lab.folder_named("base-openings")
            operation.prepare(self.lab, self.bases[earlier])
            points += [(earlier, call, number)
                       for call, number in operation.calls(self.lab, self.bases[earlier])]
        return points

    def count(self, what, happened):
        with self.lab.lock:
            self.counts[what] += happened

    def one(self, point):
        earlier, call, number = point
        operation = AppendBeside(earlier)
        folder = self.lab.copy(self.bases[earlier])
        first, second, was, did = operation.beside_one_that_is_killed(
            self.lab, folder, call, number)
        self.count("stopped", was == "stopped")
        self.count("waited", did == "waited")
        self.count("answered", bool(first.answers()))
        verdict = Verdict()
        if was == "neither":
            verdict.add(SIGNAL, "the first append neither was stopped nor ended")
        if did == "neither":
            verdict.add(SIGNAL, "the second append neither ended nor waited for a lock")
        if second.crashed or second.code != 0:
            verdict.add(SIGNAL if second.crashed else LOST,
                        f"the second append: {second.crashed or second.said()}")
        judge_answers(first, second, verdict)
        # What the first one answered comes last, so that it is what must be there.
        both = Ran(second.words, second.code, second.out + first.out, second.err)
        return verdict.join(operation.glance(
            self.lab, folder, both, self.lab.random("openings", *point))), folder


def run(lab):
    """Stops and kills at each call."""
    openings = Openings(lab)
    points = openings.points()
    tally = lab.play("openings", lab.chosen(points), openings.one, lab.options.seconds)
    if not openings.counts["stopped"]:
        lab.fail(tally, "no process was stopped, so none was killed beside another one")
    if tally.rounds == len(points) and not openings.counts["waited"]:
        lab.fail(tally, "no second process has ever waited for a first one")
    tally.note = (f"{len(points)} calls of an append on the log's files; {{stopped}} were stopped "
                  "there, {waited} of the second ones waited, {answered} of the first ones had "
                  "answered").format(**openings.counts)
    return tally
