"""Runs the program under strace: to count its system calls, and to inject a fault into one."""

import re
import shutil
import subprocess

# Calls that end a process, or begin its program; nothing is left to stop there.
LAST_CALLS = {"exit", "exit_group", "execve"}
# Calls in which threads only wait, as often as chance has it.
WAITING_CALLS = {"futex", "epoll_wait", "poll", "nanosleep", "clock_nanosleep", "sched_yield",
                 "restart_syscall"}
CALL = re.compile(r"^(\d+) +([a-z0-9_]+)\(")


def missing():
    """Why nothing can be traced here; None if it can."""
    if shutil.which("strace") is None:
        return "needs strace (apt-get install strace)"
    try:
        ended = subprocess.run(["strace", "-f", "-o", "/dev/null", "true"], capture_output=True,
                               timeout=30, check=False)
    except subprocess.TimeoutExpired:
        return "strace does not end here"
    if ended.returncode != 0:
        return "strace may not trace here: " + ended.stderr.decode("utf-8", "replace").strip()[:120]
    return None


def counting(trace):
    return ["strace", "-f", "-o", trace, "-e", "signal=none"]


def injecting(call, fault, number):
    """The command that injects a fault into the call of this name and number of each thread."""
    return ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", "signal=none",
            "-e", f"inject={call}:{fault}:when={number}"]


def calls(trace, folder):
    """The calls since the first that names `folder`: {name: (first, last)} by threads' counts.

    Calls before it only load the program.
    """
    counts, before = {}, None
    with open(trace, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = CALL.match(line)
            if not match:
                continue
            thread, name = match.groups()
            if before is None and name != "execve" and folder in line:
                before = {call: max(threads.values()) for call, threads in counts.items()}
            threads = counts.setdefault(name, {})
            threads[thread] = threads.get(thread, 0) + 1
    if before is None:
        return {}
    found = {}
    for name, threads in counts.items():
        first, last = before.get(name, 0) + 1, max(threads.values())
        if name not in LAST_CALLS | WAITING_CALLS and last >= first:
            found[name] = (first, last)
    return found
