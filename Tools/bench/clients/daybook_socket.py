"""Daybook in another process, by Unix sockets.

    daybook_socket.py LINES PROGRAM FOLDER BATCH CALLERS EVENTS SECONDS

PROGRAM serves the ledger in FOLDER; each caller has a socket of its own to it.
"""

import socket
import subprocess
import sys

from pace import measure, pieces, report


def ready(lines):
    return b"".join(lines) + b"\n"


def calling(own):
    answers = own.makefile("rb")

    def call(batch):
        own.sendall(batch)
        answer = answers.readline()
        if not answer:
            raise RuntimeError("daybook has gone")
        return int(answer)

    return call


def main(path, program, folder, batch, callers, events, seconds):
    # One more, by which the end of folding is waited for.
    pairs = [socket.socketpair() for _ in range(int(callers) + 1)]
    theirs = [other.fileno() for _, other in pairs]
    server = subprocess.Popen(
        [program, "peer", "serve", folder, *map(str, theirs)], pass_fds=theirs)
    try:
        for _, other in pairs:
            other.close()
        *calls, settle = [calling(own) for own, _ in pairs]
        prepared = pieces(path, int(events), int(batch), ready)
        result = measure(prepared, calls, float(seconds), lambda: settle(b"fold\n"))
        stored = settle(b"fold\n")
        for own, _ in pairs:
            own.shutdown(socket.SHUT_WR)
        if server.wait() != 0:
            raise RuntimeError(f"daybook ended with {server.returncode}")
        report(result, stored=stored)
    finally:
        if server.poll() is None:
            server.kill()
            server.wait()


main(*sys.argv[1:])
