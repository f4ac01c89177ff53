"""Faults at each system call: the process is killed there, or the call fails."""

import commands
import tracing
from auditor import SIGNAL, TOLD

# Calls that can fail for reasons of the disk, and how they fail.
FAILING_CALLS = {
    "EIO": ["write", "pwrite64", "writev", "pwritev", "read", "pread64", "fsync", "fdatasync",
            "openat", "ftruncate", "rename", "renameat", "renameat2", "unlink", "unlinkat",
            "mkdir", "mkdirat", "newfstatat", "getdents64", "lseek", "fstat", "rmdir"],
    "ENOSPC": ["write", "pwrite64", "writev", "pwritev", "openat", "ftruncate", "fallocate",
               "rename", "renameat", "renameat2", "mkdir", "mkdirat", "fsync", "fdatasync"],
    # Not clone3, nor mmap and mprotect, which make the stacks of threads: where no thread can be
    # started, `append` waits for ever (docs/durability.md).
    "ENOMEM": ["openat"],
    # Not eventfd2 and its like: without them, libdispatch ends the process by itself.
    "EMFILE": ["openat"],
}


class Calls:
    """The calls of each operation, counted once."""

    def __init__(self, lab):
        self.lab = lab
        self.bases = {}
        self.ranges = {}

    def prepare(self, operation):
        if operation.name in self.bases:
            return
        base = self.lab.folder_named("base-" + operation.name)
        operation.prepare(self.lab, base)
        self.bases[operation.name] = base
        folder = self.lab.copy(base)
        trace = folder + ".trace"
        ran = operation.perform(self.lab, folder, tracing.counting(trace))
        if ran.code != 0:
            raise SystemExit(f"crashlab: {operation.name} fails without a fault: {ran.said()}")
        self.ranges[operation.name] = tracing.calls(trace, folder)

    def points(self, operation, names=None):
        """Each call as (operation's name, call, number)."""
        self.prepare(operation)
        return [(operation.name, call, number)
                for call, (first, last) in sorted(self.ranges[operation.name].items())
                if names is None or call in names
                for number in range(first, last + 1)]


def kills(lab):
    """Kills the process at each of its calls."""
    table = Calls(lab)
    operations = lab.wanted(commands.ALL)
    points = [point for operation in operations for point in table.points(operation)]

    def run(point):
        name, call, number = point
        operation = commands.BY_NAME[name]
        folder = lab.copy(table.bases[name])
        ran = operation.perform(lab, folder, tracing.injecting(call, "signal=KILL", number))
        return operation.judge(lab, folder, ran, lab.random("calls", *point)), folder

    tally = lab.play("calls", lab.chosen(points), run, lab.options.seconds)
    tally.note = f"{len(points)} calls of {len(operations)} commands"
    return tally


def errors(lab):
    """Lets each call fail once."""
    table = Calls(lab)
    points = [(error, *point) for error, names in FAILING_CALLS.items()
              for operation in lab.wanted(commands.ALL) for point in table.points(operation, names)]

    def run(point):
        error, name, call, number = point
        operation = commands.BY_NAME[name]
        folder = lab.copy(table.bases[name])
        ran = operation.perform(lab, folder, tracing.injecting(call, f"error={error}", number))
        verdict = operation.judge(lab, folder, ran, lab.random("errors", *point))
        if ran.crashed:
            verdict.add(SIGNAL, f"{name}: {ran.crashed}")
        elif ran.code != 0:
            verdict.add(TOLD, f"{name}: {ran.said()}")
        return verdict, folder

    tally = lab.play("errors", lab.chosen(points), run, lab.options.seconds)
    tally.note = f"{len(points)} calls, each with its errors"
    return tally
