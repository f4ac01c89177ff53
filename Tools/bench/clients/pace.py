"""How every client in Python appends a workload: made ready in pieces, then appended in time."""

import json
import threading
import time

# Events that are made ready at once, outside the measured time.
PIECE_EVENTS_MAX = 100_000


def pieces(path, events, batch, ready):
    """Pieces of up to PIECE_EVENTS_MAX lines of a file, each a list of (count, ready batch)."""
    with open(path, "rb") as file:
        left = events
        while left > 0:
            lines = []
            for line in file:
                lines.append(line)
                if len(lines) == min(PIECE_EVENTS_MAX, left):
                    break
            if not lines:
                return
            left -= len(lines)
            groups = [lines[start:start + batch] for start in range(0, len(lines), batch)]
            yield [(len(group), ready(group)) for group in groups]


def _append(batches, call, end):
    count = 0
    for size, batch in batches:
        if time.perf_counter() >= end:
            break
        call(batch)
        count += size
    return count


def _append_at_once(batches, calls, end):
    """Each call on a thread of its own, with its part of the batches."""
    counts, failures = [0] * len(calls), []

    def work(index):
        try:
            counts[index] = _append(batches[index::len(calls)], calls[index], end)
        except Exception as failure:  # Raised again below, on the thread that waits.
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return sum(counts)


def measure(prepared, calls, seconds, settle=lambda: None):
    """Appends prepared pieces by `calls`, one for each caller: (events, seconds).

    `settle` waits at the end of each piece for what goes on behind the answers.
    """
    spent, count = 0.0, 0
    for batches in prepared:
        begun = time.perf_counter()
        end = begun + seconds - spent
        if len(calls) == 1:
            count += _append(batches, calls[0], end)
        else:
            count += _append_at_once(batches, calls, end)
        settle()
        spent += time.perf_counter() - begun
        if spent >= seconds:
            break
    return count, spent


def report(result, **further):
    count, spent = result
    print(json.dumps({"events": count, "seconds": spent, **further}))
