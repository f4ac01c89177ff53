"""Many hands at once: writers, readers, rebuilds and backups, in many processes and in one.

Nothing is killed. Every command must succeed, every answer must be true of what was acknowledged
before it was asked for, and in the end everything is there once. With a program that was built with
a sanitizer, whatever that reports is a failure, too.
"""

import json
import os
import threading
import time

import history
from auditor import LOST, SIGNAL, SILENT, Expected, Verdict, judge_events
from together import together

WRITERS = 4
READERS = 4
BATCH_EVENTS = 3
# Between two batches of a writer, and between two questions of a reader.
PAUSE_SECONDS = 0.02
ROUND_SECONDS = 15
# The threads of one process append as fast as they can.
THREADS_EVENTS = 1_800
# They do the work of a thousand commands. With a sanitizer and on a busy machine, it takes minutes.
THREADS_SECONDS = 600


class Hands:
    """A ledger, and all who work on it until it is enough."""

    def __init__(self, lab, folder, random):
        self.lab = lab
        self.folder = folder
        self.random = random
        self.ledger = folder + "/a.ledger"
        self.enough = threading.Event()
        self.lock = threading.Lock()
        self.verdict = Verdict()
        self.counts = {}
        self.offered = [[] for _ in range(WRITERS)]
        self.acknowledged = {}
        lab.must(["init", self.ledger])

    def add(self, outcome, detail):
        with self.lock:
            self.verdict.add(outcome, detail)

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def run(self, words):
        """What a command has printed; None if it failed, which it must not."""
        ran = self.lab.program.run(words + ["--ledger", self.ledger])
        self.count(words[0])
        if ran.code != 0:
            self.add(SIGNAL if ran.crashed else LOST,
                     f"{' '.join(words)}: {ran.crashed or ran.said()} {ran.out[-200:]}")
            return None
        return ran.out

    # Writers

    def write(self, number):
        offered = self.offered[number]
        known = []

        def batches():
            while not self.enough.wait(PAUSE_SECONDS):
                batch = history.events(number, BATCH_EVENTS, len(offered))
                offered.extend(batch)
                yield batch

        def answered(count, _):
            with self.lock:
                known.append(None)
                self.acknowledged[offered[count - 1]["id"]] = None

        ran = self.lab.program.stream(self.ledger, batches(), on_answer=answered)
        if ran.code != 0:
            self.add(SIGNAL if ran.crashed else LOST, f"append: {ran.crashed or ran.said()}")
        with self.lock:
            self.acknowledged.update(ran.acknowledged())
            self.counts["events"] = self.counts.get("events", 0) + len(known)

    # Readers

    def known(self):
        with self.lock:
            return dict(self.acknowledged)

    def expected(self, acknowledged):
        return Expected([list(events) for events in self.offered], acknowledged)

    def read(self, random):
        while not self.enough.wait(PAUSE_SECONDS):
            random.choice([self.read_events, self.read_holders, self.read_account])(random)

    def read_events(self, _):
        known = self.known()
        out = self.run(["events"])
        if out is not None:
            recorded = [json.loads(line) for line in out.splitlines()]
            # Offered after the question, and so offered by now.
            found = judge_events(recorded, self.expected(known))
            with self.lock:
                self.verdict.join(found)

    def settled(self, known):
        """What accounts hold whose events were all acknowledged: {account: {product: state}}."""
        events = [event for events in self.offered
                  for event in list(events)[:len(events) // history.EVENTS_PER_ACCOUNT
                                            * history.EVENTS_PER_ACCOUNT]]
        unheard = {event.get("account") for event in events if event["id"] not in known}
        # A refund does not name its account, and comes before a purchase that does.
        return {account: held for account, held in history.holdings(events).items()
                if account not in unheard}

    def read_holders(self, random):
        settled = self.settled(self.known())
        product = random.choice(history.PRODUCTS)
        out = self.run(["holders", product, "--at", history.ASKED_AT, "--format", "jsonl"])
        if out is None:
            return
        rows = {row["account"]: row["state"] for row in map(json.loads, out.splitlines())}
        for account, held in settled.items():
            if product in held and rows.get(account) != held[product]:
                self.add(SILENT, f"{account} has {product} {held[product]}, holders says "
                                 f"{rows.get(account)}")

    def read_account(self, random):
        settled = self.settled(self.known())
        if not settled:
            return
        account = random.choice(sorted(settled))
        out = self.run(["entitlements", account, "--at", history.ASKED_AT, "--format", "json"])
        if out is not None:
            said = {row["product"]: row["state"] for row in json.loads(out)["entitlements"]}
            if said != settled[account]:
                self.add(SILENT, f"{account} has {said}, by the events {settled[account]}")

    # Others

    def rebuild(self):
        number = 0
        while not self.enough.wait(PAUSE_SECONDS):
            self.run([["rebuild"], ["rebuild", "--check"], ["verify"]][number % 3])
            number += 1

    def back_up(self):
        number, position, copies = 0, None, []
        while not self.enough.wait(PAUSE_SECONDS):
            copy, keys = f"{self.folder}/copy-{number}", self.folder + "/keys.copy"
            known = self.known()
            is_full = number % 4 == 0
            out = self.run(["backup", copy, "--keys", keys, "--format", "json", "--operator", "kim"]
                           + ([] if is_full else ["--since", str(position)]))
            if out is None:
                return
            position = json.loads(out)["position"]
            copies = [copy] if is_full else copies + [copy]
            if number % 4 == 3:
                self.restore(copies, keys, known, number)
            number += 1

    def restore(self, copies, keys, known, number):
        restored = f"{self.folder}/restored-{number}"
        ran = self.lab.program.run(["restore", *copies, "--keys", keys, "--ledger", restored])
        self.count("restore")
        if ran.code != 0:
            self.add(SIGNAL if ran.crashed else LOST, f"restore: {ran.crashed or ran.said()}")
            return
        found = self.lab.auditor.audit(restored, self.expected(known))
        with self.lock:
            self.verdict.join(found)

    def work(self, seconds):
        """All of them at once, for so long."""
        tasks = [lambda number=number: self.write(number) for number in range(WRITERS)]
        tasks += [lambda number=number: self.read(self.lab.random("hands", "reader", number))
                  for number in range(READERS)]
        tasks += [self.rebuild, self.back_up]

        def wait():
            time.sleep(seconds)
            self.enough.set()

        together(tasks, wait)
        return self.verdict.join(self.lab.auditor.audit(
            self.ledger, self.expected(self.acknowledged).everything(),
            product=self.random.choice(history.PRODUCTS)))


def in_one_process(lab, folder, path):
    """The threads of one process on one ledger: Hands/main.swift."""
    verdict = Verdict()
    ledger = folder + "/threads.ledger"
    lab.must(["init", ledger])
    files = []
    for number in range(WRITERS):
        files.append(f"{folder}/{number}.jsonl")
        lab.write(files[-1], history.events(number, THREADS_EVENTS))
    copies = folder + "/threads"
    os.mkdir(copies)
    ran = lab.program.other(path).run([ledger, copies, *files], seconds=THREADS_SECONDS)
    if ran.code != 0:
        # After what was done, what was wrong.
        said = "; ".join(ran.err.splitlines()[1:4])
        verdict.add(SIGNAL if ran.crashed else SILENT,
                    f"threads of one process: {ran.crashed or said}")
    writers = [history.events(number, THREADS_EVENTS) for number in range(WRITERS)]
    erased = [f"account-{number}-0" for number in range(WRITERS)]
    verdict.join(lab.auditor.audit(
        ledger, Expected(writers, ran.acknowledged(), erased, ran.code == 0),
        product=history.PRODUCTS[0]))
    return verdict, ran.err.splitlines()[0] if ran.err else ""


def beside(path):
    """The many hands of one process that were built with this program; None if they were not."""
    hands = os.path.join(os.path.dirname(path), "CrashLabHands")
    return hands if os.access(hands, os.X_OK) else None


def run(lab):
    """Plays rounds of so many seconds, one at a time: each keeps several cores busy."""
    counts, said = {}, []
    threads = beside(lab.options.program)

    def one(number):
        folder = lab.folder_named("hands")
        hands = Hands(lab, folder, lab.random("hands", number))
        verdict = hands.work(ROUND_SECONDS)
        for what, count in hands.counts.items():
            counts[what] = counts.get(what, 0) + count
        if threads:
            found, line = in_one_process(lab, folder, threads)
            verdict.join(found)
            said.append(line)
        return verdict, folder

    tally = lab.play("hands", lab.numbers(), one, lab.options.seconds, jobs=1)
    tally.note = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
    if said:
        tally.note += "; in one process: " + said[-1]
    return tally
