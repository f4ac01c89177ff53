"""Asks about ledgers without starting the program each time.

`Reader/main.swift` opens and verifies ledgers with the program's own library, many in one process.
Whatever fails there is asked of the program itself.
"""

import os
import select
import subprocess
import threading

from program import Program, Ran, end

# One of so many questions is asked of the program all the same.
PROGRAM_EVERY = 100
# A process that has read so many ledgers makes room for a new one.
LEDGERS_PER_PROCESS = 2_000
RECEIVED_BYTES = 1 << 16


class Reader:
    """A process that answers questions about ledgers."""

    def __init__(self, path, environment, timeout):
        self.path = path
        self.environment = environment
        self.timeout = timeout
        self.process = None
        self.asked = 0
        self.bytes = b""

    def ask(self, word, ledger):
        """Whether it went well, and what it said; a Ran if the process ended."""
        if self.process is None or self.asked >= LEDGERS_PER_PROCESS:
            self.close()
            self.process = subprocess.Popen(
                [self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                env=self.environment, start_new_session=True)
            self.asked = 0
        self.asked += 1
        hung = None
        try:
            self.process.stdin.write(f"{word} {ledger}\n".encode())
            while b"\n" not in self.bytes:
                self.receive()
            head, self.bytes = self.bytes.split(b"\n", 1)
            said, size = head.split()
            while len(self.bytes) < int(size):
                self.receive()
            text, self.bytes = self.bytes[:int(size)], self.bytes[int(size):]
            return said == b"ok", text.decode()
        except TimeoutError:
            hung = f"no answer within {self.timeout} s"
            end(self.process)
        except (BrokenPipeError, EOFError):
            pass
        code = self.process.wait()
        self.close()
        return Ran([word, ledger], code or None, "", f"the reader ended at {ledger}", hung)

    def receive(self):
        """More of the answer."""
        if not select.select([self.process.stdout], [], [], self.timeout)[0]:
            raise TimeoutError
        more = self.process.stdout.read(RECEIVED_BYTES)
        if not more:
            raise EOFError
        self.bytes += more

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()
            self.process = None
            self.bytes = b""


class ReadingProgram(Program):
    """The program, except that `verify` and `events` are asked of a reader first."""

    def __init__(self, program, reader):
        self.path = program.path
        self.environment = program.environment
        self.timeout = program.timeout
        self.reader = reader
        self.readers = threading.local()
        self.questions = 0

    def run(self, words, *others, **options):
        self.questions += 1
        is_turn = self.questions % PROGRAM_EVERY == 0
        if words[0] not in ("verify", "events") or others or options or is_turn:
            return super().run(words, *others, **options)
        if not hasattr(self.readers, "mine"):
            self.readers.mine = Reader(self.reader, self.environment, self.timeout)
        answer = self.readers.mine.ask(words[0], words[-1])
        if isinstance(answer, Ran):
            return answer
        is_well, text = answer
        if is_well:
            return Ran(words, 0, text, "")
        ran = super().run(words)
        if ran.code == 0:
            # They do not agree about the same bytes, which is as wrong as a fault.
            return Ran(words, 1, "", f"the program succeeds, and the reader says: {text}")
        return ran


def beside(path):
    """The reader that was built with the program at this path; None if it was not."""
    reader = os.path.join(os.path.dirname(path), "CrashLabReader")
    return reader if os.access(reader, os.X_OK) else None
