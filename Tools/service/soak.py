"""Appends and reads at a moderate rate for a long time, and says whether the service grows.

    python3 Tools/service/soak.py PROGRAMS [--seconds 3600] [--clients 2] [--rate 5]
                                  [--history 150] [--samples FILE]

PROGRAMS is the folder of daybook and daybook-serve. Starts the service on a ledger in which every account
has HISTORY events: the rows of customers with long histories stay in memory from one fold to the next, up
to a bound, which is reached in the first minutes so. What grows after that is growth. Each client appends
ten events and asks five questions, RATE times a second, over one connection that it keeps; one more follows
the log and looks that no event is missing or comes twice. Every ten seconds it notes the memory, the open
descriptors, the threads and the sizes of the files of the service.

At the end it prints the medians of six equal parts of the time after the first sixth, in which the
service warms up. It looks that every append that was acknowledged is in the ledger exactly once, and
ends with 1 if not, if a request failed, or if memory, descriptors or threads have grown by more than a
tenth from the second sixth to the last. The events' share of the memory is not taken off, so a long run
shows it, if there is one.
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

# How long the service may take to listen, to answer and to stop, in seconds.
PATIENCE = 60
# How many events an append has, and how many accounts there are.
EVENTS, ACCOUNTS = 10, 1_000
# How far the last part may exceed the second one.
GROWTH = 1.10
SAMPLE_SECONDS = 10


class Soak:
    def __init__(self, programs, folder, options):
        self.programs, self.folder, self.options = programs, folder, options
        self.ledger = folder / "ledger"
        self.failures, self.acknowledged, self.requests = [], 0, 0
        self.followed, self.position = 0, 0
        self.lock, self.ending = threading.Lock(), threading.Event()
        subprocess.run([programs / "daybook", "init", self.ledger], check=True, capture_output=True)
        self.fill()
        self.log = folder / "service.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [programs / "daybook-serve", "--ledger", self.ledger, "--port", "0", "--open",
                 "--log-level", "warning"], stderr=log)
        self.port = self.listening()

    def fill(self):
        """Gives every account as many purchases as it is to have at the beginning."""
        self.filled = self.options.history * ACCOUNTS
        if not self.filled:
            return
        file = self.folder / "history.jsonl"
        with file.open("w", encoding="utf-8") as lines:
            for number in range(self.filled):
                print(purchase(f"before-{number}", number % ACCOUNTS), file=lines)
        subprocess.run(
            [self.programs / "daybook", "append", file, "--ledger", self.ledger], check=True,
            capture_output=True)
        file.unlink()

    def listening(self):
        """The service tells its port in a line of the level notice, so it is asked of the kernel."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            found = listening_port(self.process.pid)
            if found:
                return found
            time.sleep(0.05)
        self.process.kill()
        sys.exit(f"soak: does not listen: {self.log.read_text(errors='replace')}")

    def fail(self, what):
        with self.lock:
            self.failures.append(what)
            print(f"FAILED: {what}", flush=True)

    # What the clients do.

    def client(self, number):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        step, begun = 0, time.monotonic()
        while not self.ending.is_set():
            step += 1
            try:
                self.turn(connection, number, step)
            except (OSError, http.client.HTTPException) as error:
                self.fail(f"client {number}, turn {step}: {error!r}")
                connection.close()
            wait = begun + step / self.options.rate - time.monotonic()
            self.ending.wait(max(wait, 0))
        connection.close()

    def turn(self, connection, number, step):
        lines = []
        for index in range(EVENTS):
            name = f"{number}-{step}-{index}"
            lines.append(purchase(name, (step * EVENTS + index) % ACCOUNTS))
        _, headers = self.ask(
            connection, "POST", "/v1/events", "\n".join(lines),
            {"Content-Type": "application/x-ndjson"})
        with self.lock:
            self.acknowledged += EVENTS
            self.position = max(self.position, int(headers["Daybook-Position"]))
        account = f"account-{(step * EVENTS) % ACCOUNTS}"
        for address in (
                f"/v1/entitlements?account={account}",
                f"/v1/verdict?account={account}&product=map",
                f"/v1/transactions?account={account}", f"/v1/findings?account={account}&limit=10",
                "/v1/events?limit=10&reverse"):
            self.ask(connection, "GET", address)

    def ask(self, connection, method, address, body=None, headers=None):
        connection.request(method, address, body, headers or {})
        response = connection.getresponse()
        text = response.read()
        self.requests += 1
        if response.status != 200:
            raise http.client.HTTPException(f"{method} {address}: {response.status} {text[:200]}")
        return text, response.headers

    def follow(self):
        """Follows the log, and comes back a hundred events later with the last id."""
        last = self.filled
        while not self.ending.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            try:
                connection.request(
                    "GET", "/v1/events?follow", headers={"Last-Event-ID": str(last)})
                response = connection.getresponse()
                until = last + 100
                while not self.ending.is_set() and last < until:
                    line = response.readline()
                    if not line:
                        break
                    if line.startswith(b"id: "):
                        position = int(line[4:])
                        if position != last + 1:
                            self.fail(f"the follower got {position} after {last}")
                        last = self.followed = position
            except (OSError, http.client.HTTPException) as error:
                if not self.ending.is_set():
                    self.fail(f"follower: {error!r}")
                    time.sleep(1)
            connection.close()

    # What is looked at.

    def sample(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        anonymous = int(re.search(r"RssAnon:\s+(\d+)", status)[1])
        times = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return {
            "anonymousKiB": anonymous,
            "residentKiB": int(re.search(r"VmRSS:\s+(\d+)", status)[1]),
            "threads": int(re.search(r"Threads:\s+(\d+)", status)[1]),
            "descriptors": len(os.listdir(f"/proc/{self.process.pid}/fd")),
            "cpuSeconds": (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK"),
            "ledgerMiB": sum(file.stat().st_blocks * 512 for file in self.ledger.rglob("*")
                             if file.is_file()) / 2**20,
            "events": self.acknowledged, "followed": self.followed, "requests": self.requests}

    def run(self):
        threads = [threading.Thread(target=self.client, args=(number,))
                   for number in range(self.options.clients)]
        threads.append(threading.Thread(target=self.follow))
        for thread in threads:
            thread.start()
        samples, begun = [], time.monotonic()
        try:
            while time.monotonic() - begun < self.options.seconds and self.process.poll() is None:
                time.sleep(min(SAMPLE_SECONDS, self.options.seconds))
                one = {"seconds": round(time.monotonic() - begun), **self.sample()}
                samples.append(one)
                if self.options.samples:
                    with open(self.options.samples, "a", encoding="utf-8") as file:
                        file.write(json.dumps(one) + "\n")
        finally:
            self.ending.set()
            for thread in threads:
                thread.join(PATIENCE)
            self.stop()
        return samples

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "none"
        if status != 0:
            self.fail(f"SIGTERM ends the service with 0, not {status}")

    def count(self):
        """Every acknowledged event is in the ledger once."""
        lines = subprocess.run(
            [self.programs / "daybook", "events", "--ledger", self.ledger, "--format", "jsonl"],
            check=True, capture_output=True, text=True).stdout.splitlines()
        ids = [json.loads(line)["id"] for line in lines]
        there = len(ids) - self.filled
        if len(ids) != len(set(ids)) or there < self.acknowledged:
            self.fail(f"{self.acknowledged} events were acknowledged, and the ledger has {there},"
                      f" {len(set(ids))} different ones")


def purchase(name, account):
    return json.dumps({
        "id": f"buy-{name}", "type": "transaction.purchased", "occurredAt": "2026-02-01T12:00:00Z",
        "transaction": name, "product": "map", "device": f"phone-{account}",
        "account": f"account-{account}"})


def listening_port(process):
    """The port on which a process listens; None if it does not yet."""
    sockets = set()
    try:
        for entry in os.scandir(f"/proc/{process}/fd"):
            found = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(entry.path))
            if found:
                sockets.add(found[1])
    except OSError:
        return None
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A" and fields[9] in sockets:
            return int(fields[1].rpartition(":")[2], 16)
    return None


def judge(soak, samples):
    """Prints the medians of the parts, and says what has grown."""
    size = max(len(samples) // 6, 1)
    parts = [samples[start:start + size] for start in range(0, size * 6, size)]
    parts = [part for part in parts if part]
    names = ["anonymousKiB", "residentKiB", "threads", "descriptors", "ledgerMiB", "events"]
    print("  ".join(f"{name:>12}" for name in ["seconds", *names]))
    for part in parts:
        medians = [statistics.median(one[name] for one in part) for name in ["seconds", *names]]
        print("  ".join(f"{median:12.1f}" for median in medians))
    if len(parts) < 3:
        return
    for name in ("anonymousKiB", "threads", "descriptors"):
        first, last = (statistics.median(one[name] for one in part)
                       for part in (parts[1], parts[-1]))
        if last > first * GROWTH:
            soak.fail(f"{name} grew from {first:.0f} to {last:.0f}")


def main():
    parser = argparse.ArgumentParser(description="Says whether the service grows.")
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=3_600)
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--rate", type=float, default=5, help="turns a second of each client")
    parser.add_argument(
        "--history", type=int, default=150, help="how many events an account has at the beginning")
    parser.add_argument("--samples", help="a file that gets each sample as a line of JSON")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="daybook-soak-"))
    try:
        soak = Soak(options.programs.resolve(), folder, options)
        samples = soak.run()
        judge(soak, samples)
        soak.count()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    last = samples[-1] if samples else {}
    print(f"soak: {len(soak.failures)} failures, {json.dumps(last)}")
    sys.exit(1 if soak.failures else 0)


main()
