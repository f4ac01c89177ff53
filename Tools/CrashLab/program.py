"""Runs the program from outside, and says how it ended."""

import copy
import json
import os
import resource
import signal
import subprocess
import threading

# Far longer than any command takes on this much data, and than any answer to a batch takes: a
# process that is still there, or still silent, hangs. `--timeout` is for machines that are busy.
TIMEOUT_SECONDS = 60
# Codes of sysexits.h, as docs/commands.md lists them.
EXIT_BUG = 70
# What a sanitizer reports is in files whose names begin so, one for each process.
REPORTS = "sanitizer"


class Ran:
    """How a process ended, and what it printed. `hung` says what it did not do in time."""

    def __init__(self, words, code, out, err, hung=None):
        self.words = words
        self.code = code
        self.out = out
        self.err = err
        self.hung = hung

    @property
    def signal(self):
        """The name of the signal that ended it; None if it exited by itself."""
        if self.code is None or self.code >= 0:
            return None
        try:
            return signal.Signals(-self.code).name
        except ValueError:
            return f"signal {-self.code}"

    @property
    def crashed(self):
        """What is wrong whatever the fault was: a signal, a hang, or a code that means a bug."""
        if self.hung:
            return self.hung
        if self.signal is not None:
            return self.signal
        if self.code == EXIT_BUG:
            return "exit code 70, a bug"
        return None

    def said(self):
        """The first words of what it said about its failure."""
        text = (self.err.strip() or self.out.strip()).splitlines()
        return f"exit {self.code}: {text[0][:160] if text else 'nothing said'}"

    def acknowledged(self):
        """Events that the output of `append --format jsonl` acknowledges: {id: position}."""
        return {name: position for name, (_, position) in self.answers().items()}

    def answers(self):
        """The same, with what was done: {id: ("appended" or "duplicate", position)}."""
        found = {}
        for line in self.out.split("\n")[:-1]:
            try:
                answer = json.loads(line)
            except ValueError:
                continue
            if answer.get("status") in ("appended", "duplicate"):
                found[answer["id"]] = answer["status"], answer["position"]
        return found


class Program:
    """The program under test."""

    def __init__(self, path, folder, preload=None, timeout=TIMEOUT_SECONDS):
        self.path = path
        self.timeout = timeout
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": folder,
            "TMPDIR": folder,
            "TZ": "UTC",
            "USER": "crashlab",
            # A process that traps ends at once: printing its stack would be traced, too.
            "SWIFT_BACKTRACE": "enable=no",
            # Of a program that was built with a sanitizer: its reports, also of processes that are
            # killed afterwards.
            "TSAN_OPTIONS": f"log_path={folder}/{REPORTS} exitcode={EXIT_BUG}",
            "ASAN_OPTIONS": f"log_path={folder}/{REPORTS}:exitcode={EXIT_BUG}:detect_leaks=0",
        }
        if preload:
            self.environment["LD_PRELOAD"] = os.path.abspath(preload)
        if "LD_LIBRARY_PATH" in os.environ:
            self.environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]

    def other(self, path):
        """Another program in the same environment."""
        other = copy.copy(self)
        other.path = path
        return other

    def start(self, words, before=(), limits=None):
        """Starts the program with `words`, by the command `before` (a tracer) if there is one.

        `limits` are resource limits: {resource.RLIMIT_…: value}.
        """
        def limit():
            for name, value in (limits or {}).items():
                resource.setrlimit(name, (value, value))
            if limits and resource.RLIMIT_FSIZE in limits:
                # As a shell leaves it: the program itself decides what a file too large means.
                signal.signal(signal.SIGXFSZ, signal.SIG_DFL)

        return subprocess.Popen(
            list(before) + [self.path] + list(words), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment,
            preexec_fn=limit if limits else None, start_new_session=True)

    def run(self, words, before=(), limits=None, seconds=None):
        """Runs a command that reads nothing from standard input."""
        return self.finish(self.start(words, before, limits), words, seconds)

    def finish(self, process, words, seconds=None):
        """Waits for the end of a process, for so many seconds or the usual time."""
        hung = None
        seconds = seconds or self.timeout
        out = err = None
        # Second by second: if this machine or this process was suspended, that is no hang.
        for _ in range(seconds):
            try:
                out, err = process.communicate(timeout=1)
                break
            except subprocess.TimeoutExpired:
                continue
        if out is None:
            hung = f"no end within {seconds} s"
            end(process)
            out, err = process.communicate()
        return Ran(list(words), process.returncode, out.decode("utf-8", "replace"),
                   err.decode("utf-8", "replace"), hung)

    def stream(self, ledger, batches, before=(), limits=None, on_answer=None,
               on_start=None):
        """Appends batches of events from a pipe, each after the one before it was answered.

        `on_answer` is called with the number of events answered so far, and the process;
        `on_start` with the process. Returns how the process ended.
        """
        words = ["append", "--format", "jsonl", "--ledger", ledger, "-"]
        process = self.start(words, before, limits)
        if on_start:
            on_start(process)
        errors = []
        draining = threading.Thread(
            target=lambda: errors.append(process.stderr.read()), daemon=True)
        draining.start()
        patience = Patience(process, self.timeout)
        patience.start()
        lines = []
        try:
            for batch in batches:
                process.stdin.write(as_lines(batch))
                process.stdin.flush()
                for _ in batch:
                    line = process.stdout.readline()
                    if not line:
                        break
                    lines.append(line)
                    patience.answers += 1
                    if on_answer:
                        on_answer(len(lines), process)
            process.stdin.close()
        except BrokenPipeError:
            pass
        except (Exception, SystemExit):
            # Nobody will send it anything any more.
            patience.ended.set()
            end(process)
            process.wait()
            raise
        lines += process.stdout.readlines()
        code = process.wait()
        patience.ended.set()
        patience.join()
        draining.join()
        for pipe in (process.stdout, process.stderr):
            pipe.close()
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
        return Ran(words, code, b"".join(lines).decode("utf-8", "replace"),
                   b"".join(errors).decode("utf-8", "replace"), patience.hung)


class Patience(threading.Thread):
    """Kills a process that hangs: one that says nothing for so many seconds.

    Only seconds count that this process itself lived through. A process that goes on answering may
    take as long as it has work.
    """

    def __init__(self, process, seconds):
        super().__init__(daemon=True)
        self.process = process
        self.seconds = seconds
        self.ended = threading.Event()
        # Counted up by whoever reads the answers.
        self.answers = 0
        self.hung = None

    def run(self):
        left, before = self.seconds, 0
        while left > 0:
            if self.ended.wait(1):
                return
            now = self.answers
            left, before = (left - 1 if now == before else self.seconds), now
        self.hung = f"no answer and no end within {self.seconds} s"
        end(self.process)


def end(process):
    """Kills a process that hangs, and what it traces: a tracer that dies alone lets that go on."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def as_lines(events):
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)
