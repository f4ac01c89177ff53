"""Follows the log with many clients at once, and says what each costs.

    python3 Tools/service/followers.py PROGRAMS [--followers 1000] [--events 200]

PROGRAMS is the folder of daybook and daybook-serve. Starts the service on an empty ledger, connects the
followers, and appends events one at a time. Each follower has to get every event once, in order. Prints
the memory and the descriptors of the service before, with all followers, and after they have hung up, and
how long it took from an append until its event was with the last follower. Ends with 1 if a follower
missed an event, got one twice, or if the service keeps descriptors of followers who have hung up.
"""
import argparse
import http.client
import os
import pathlib
import re
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

# How long anything may take, in seconds.
PATIENCE = 60


def usage(process):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return (int(re.search(r"RssAnon:\s+(\d+)", status)[1]), len(os.listdir(f"/proc/{process}/fd")))


def settled(process, descriptors):
    """The usage, once the service has closed what was hung up, or after a while."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and usage(process)[1] > descriptors:
        time.sleep(0.1)
    return usage(process)


class Follower:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.socket.sendall(
            b"GET /v1/events?follow HTTP/1.1\r\nHost: 127.0.0.1\r\nLast-Event-ID: 0\r\n\r\n")
        self.rest, self.last, self.begun = b"", 0, False

    def read(self):
        """Takes in what is there. Returns what is wrong with it."""
        data = self.socket.recv(65_536)
        if not data:
            return "the stream has ended"
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            self.begun = self.begun or line.startswith(b"retry: ")
            if line.startswith(b"id: "):
                position = int(line[4:])
                if position != self.last + 1:
                    return f"position {position} came after {self.last}"
                self.last = position
        return None


def pump(selector, followers, isDone, failures):
    end = time.monotonic() + PATIENCE
    while not all(isDone(one) for one in followers):
        if time.monotonic() > end:
            failures.append(f"{sum(not isDone(one) for one in followers)} followers wait")
            return
        for key, _ in selector.select(1):
            problem = key.data.read()
            if problem:
                failures.append(problem)
                return


def append(port, number):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request(
        "POST", "/v1/events", f'{{"id":"n{number}","type":"note.added",'
        '"occurredAt":"2026-02-01T12:00:00Z","account":"ada","data":{"text":"seen"}}',
        {"Content-Type": "application/x-ndjson"})
    status = connection.getresponse().status
    connection.close()
    if status != 200:
        sys.exit(f"followers: an append was answered with {status}")


def listening(log, process):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        found = re.search(r"listening on .*, port (\d+)", log.read_text(errors="replace"))
        if found:
            return int(found[1])
        time.sleep(0.05)
    sys.exit(f"followers: the service does not listen: {log.read_text(errors='replace')}")


def measure(port, process, options):
    failures, selector = [], selectors.DefaultSelector()
    append(port, 0)
    before = usage(process.pid)
    followers = [Follower(port) for _ in range(options.followers)]
    for one in followers:
        selector.register(one.socket, selectors.EVENT_READ, one)
    pump(selector, followers, lambda one: one.begun and one.last == 1, failures)
    during = usage(process.pid)
    times = []
    for number in range(1, options.events + 1):
        begun = time.monotonic()
        append(port, number)
        pump(selector, followers, lambda one: one.last == number + 1, failures)
        times.append(time.monotonic() - begun)
        if failures:
            break
    loaded = usage(process.pid)
    for one in followers:
        one.socket.close()
    after = settled(process.pid, before[1] + 2)
    if after[1] > before[1] + 2:
        failures.append(f"{after[1] - before[1]} descriptors stay")
    for name, value in (("before", before), ("connected", during), ("after the events", loaded),
                        ("hung up", after)):
        print(f"{name:>17}: {value[0]:7} KiB, {value[1]:5} descriptors")
    print(f"a follower: {(loaded[0] - before[0]) / max(options.followers, 1):.1f} KiB; from an "
          f"append to the last follower: median {statistics.median(times) * 1000:.1f} ms, "
          f"longest {max(times) * 1000:.1f} ms")
    return failures


def main():
    parser = argparse.ArgumentParser(description="Follows the log with many clients at once.")
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--followers", type=int, default=1_000)
    parser.add_argument("--events", type=int, default=200)
    options = parser.parse_args()
    programs = options.programs.resolve()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="daybook-followers-"))
    try:
        subprocess.run(
            [programs / "daybook", "init", folder / "ledger"], check=True, capture_output=True)
        log = folder / "service.log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                [programs / "daybook-serve", "--ledger", folder / "ledger", "--port", "0", "--open",
                 "--log-level", "error"], stderr=file)
        try:
            failures = measure(listening(log, process), process, options)
        finally:
            process.terminate()
            process.wait(PATIENCE)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"followers: {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
