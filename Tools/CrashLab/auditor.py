"""Judges a ledger by what it gives back. Shares no code with the program or its store.

The auditor reads what `daybook events` prints, compares it with what was offered and what was
acknowledged, computes what customers hold by itself (history.py), reads the log's file with a
reader of its own (logfile.py), and sees to it that all of these agree.
"""

import json

import history
import logfile

# From good to bad. The last four fail a run.
KEPT = "kept"
# A command refused, and said why.
TOLD = "told"
# A command gave a wrong answer of damaged data, and `verify` says that it is damaged.
NOTICED = "noticed"
LOST = "lost"
DOUBLED = "doubled"
SILENT = "silent"
SIGNAL = "signal"
OUTCOMES = [KEPT, TOLD, NOTICED, LOST, DOUBLED, SILENT, SIGNAL]
FAILURES = {LOST, DOUBLED, SILENT, SIGNAL}

# The exit code that asks to try again after what the message says.
TRY_AGAIN = 75


class Verdict:
    """The worst of what was found, and all of it in words."""

    def __init__(self):
        self.outcome = KEPT
        self.details = []
        # What the ledger exported, if it did.
        self.recorded = None

    def add(self, outcome, detail):
        if OUTCOMES.index(outcome) > OUTCOMES.index(self.outcome):
            self.outcome = outcome
        self.details.append(f"{outcome}: {detail}")

    def join(self, other):
        for detail in other.details:
            self.add(detail.split(":", 1)[0], detail.split(": ", 1)[1])
        return self

    @property
    def failed(self):
        return self.outcome in FAILURES


class Expected:
    """What a ledger was offered, in the order of each writer, and what was acknowledged."""

    def __init__(self, writers, acknowledged=None, erased=(), erasure_is_done=False):
        self.writers = [list(events) for events in writers]
        self.acknowledged = dict(acknowledged or {})
        # Accounts whose erasure was begun; `erasure_is_done` says that it was acknowledged.
        self.erased = set(erased)
        self.erasure_is_done = erasure_is_done

    @property
    def offered(self):
        return {event["id"]: event for events in self.writers for event in events}

    def everything(self):
        """The same, with all events acknowledged at whatever position."""
        ids = {event["id"]: None for events in self.writers for event in events}
        return Expected(self.writers, {**ids, **self.acknowledged}, self.erased,
                        self.erasure_is_done)


def judge_events(recorded, expected):
    """Judges what a ledger exports: a list of events with positions."""
    verdict = Verdict()
    offered = expected.offered
    positions = {}
    for index, item in enumerate(recorded, 1):
        if item.get("position") != index:
            verdict.add(SILENT, f"position {item.get('position')} stands at index {index}")
        if item["id"] in positions:
            verdict.add(DOUBLED, f"{item['id']} is at {positions[item['id']]} and {index}")
            continue
        positions[item["id"]] = index
        if item["id"] in offered:
            judge_content(item, offered[item["id"]], expected, verdict)
        elif item["type"] not in history.RECORDED_BY_COMMANDS:
            verdict.add(SILENT, f"{item['id']} was never offered")
    for name, position in expected.acknowledged.items():
        if name not in positions:
            verdict.add(LOST, f"{name} was acknowledged and is not there")
        elif position is not None and positions[name] != position:
            verdict.add(SILENT, f"{name} was acknowledged at {position}, is at {positions[name]}")
    for events in expected.writers:
        judge_order([positions.get(event["id"]) for event in events], verdict)
    return verdict


def judge_content(item, offer, expected, verdict):
    """The event is what was offered, or what an erasure leaves of it."""
    plain = {name: value for name, value in item.items() if name not in ("position", "recordedAt")}
    whose = offer.get("account")
    if plain == offer:
        if whose in expected.erased and expected.erasure_is_done:
            verdict.add(SILENT, f"{item['id']} still shows {whose}, who was erased")
        return
    if whose not in expected.erased:
        verdict.add(SILENT, f"{item['id']} is not what was appended: {json.dumps(item)}")
        return
    left = {name: value for name, value in plain.items()
            if name not in ("account", "device", "session", "data")}
    kept = {name: value for name, value in offer.items()
            if name not in ("account", "device", "session", "data")}
    if left != kept or plain.get("account") == whose:
        verdict.add(SILENT, f"{item['id']} is not what an erasure leaves: {json.dumps(item)}")


def judge_order(positions, verdict):
    """What a writer appended is there from its beginning, without gaps, in order."""
    there = [position for position in positions if position is not None]
    if None in positions[:len(there)]:
        verdict.add(LOST, "a later event of a writer is there and an earlier one is not")
    if there != sorted(there):
        verdict.add(SILENT, "events of one writer changed their order")


class Auditor:
    """Judges ledgers by running the program on them."""

    def __init__(self, program):
        self.program = program

    def audit(self, ledger, expected, strict=True, product=None, account=None, verify=True):
        """Judges a ledger.

        With `strict`, the ledger must open and be whole: nothing but a crash has happened to it.
        Otherwise a command may refuse, as long as it says so. With `product` and `account`, the
        answers about these are compared with what the events say.
        """
        verdict = Verdict()
        refused = LOST if strict else TOLD
        if verify:
            checked = self.run(["verify", "--format", "json", "--ledger", ledger], verdict, refused)
            noticed = checked is None
        else:
            noticed = True
        answer = self.run(["events", "--ledger", ledger], verdict, refused)
        if answer is None:
            return verdict
        recorded = verdict.recorded = [json.loads(line) for line in answer.splitlines()]
        found = judge_events(recorded, expected)
        if not strict and noticed:
            # The events are wrong, and `verify` says that something is.
            for detail in found.details:
                verdict.add(NOTICED, detail)
        else:
            verdict.join(found)
        self.read_file(ledger, recorded, verdict, refused)
        wrong = NOTICED if not strict and noticed else SILENT
        if product is not None:
            self.ask_holders(ledger, recorded, product, expected, verdict, refused, wrong)
        if account is not None and account not in expected.erased:
            self.ask_account(ledger, recorded, account, verdict, refused, wrong)
        return verdict

    def run(self, words, verdict, refused):
        """The output of a command; None if it failed, which is told to the verdict."""
        ran = self.program.run(words)
        if ran.crashed:
            verdict.add(SIGNAL, f"{words[0]}: {ran.crashed}")
            return None
        if ran.code == TRY_AGAIN and words[0] != "verify":
            # Projections can always be made anew. The advice must help, though.
            verdict.add(TOLD, f"{words[0]}: {ran.said()}")
            self.program.run(["rebuild", "--ledger", words[-1]])
            ran = self.program.run(words)
        if ran.code != 0:
            verdict.add(refused, f"{words[0]}: {ran.said()}")
            return None
        return ran.out

    def read_file(self, ledger, recorded, verdict, refused):
        """The log's file holds the same events, by a reader that is not the program's."""
        try:
            found = logfile.events(ledger + "/log/data.mdb")
        except logfile.Damaged as damage:
            verdict.add(refused, f"the log's file: {damage}")
            return
        printed = [(item["position"], item["id"]) for item in recorded]
        if found != printed:
            odd = [pair for pair in found if pair not in printed][:3]
            odd += [pair for pair in printed if pair not in found][:3]
            verdict.add(SILENT if refused == LOST else refused,
                        f"the log's file and `events` differ in {odd}")

    def ask_holders(self, ledger, recorded, product, expected, verdict, refused, wrong):
        """`holders` names exactly the accounts that have the product by the events."""
        answer = self.run(
            ["holders", product, "--at", history.ASKED_AT, "--format", "jsonl",
             "--ledger", ledger], verdict, refused)
        if answer is None:
            return
        rows = {row["account"]: row["state"] for row in map(json.loads, answer.splitlines())}
        held = {account: products[product]
                for account, products in history.holdings(recorded).items() if product in products}
        rows = {name: state for name, state in rows.items() if name not in expected.erased}
        held = {name: state for name, state in held.items()
                if name not in expected.erased and not name.startswith("erased:")}
        rows = {name: state for name, state in rows.items() if not name.startswith("erased:")}
        if rows != held:
            odd = dict(set(rows.items()) ^ set(held.items()))
            verdict.add(wrong, f"holders of {product} are wrong about {odd}")

    def ask_account(self, ledger, recorded, account, verdict, refused, wrong):
        """`entitlements` says what the events say."""
        answer = self.run(
            ["entitlements", account, "--at", history.ASKED_AT, "--format", "json",
             "--ledger", ledger], verdict, refused)
        if answer is None:
            return
        answer = json.loads(answer)
        said = {row["product"]: row["state"] for row in answer["entitlements"]}
        held = history.holdings(recorded).get(account, {})
        if said != held:
            verdict.add(wrong, f"{account} has {said}, by the events {held}")

    def compare_with_rebuilt(self, ledger, folder, accounts):
        """A ledger made anew of the exported events answers `entitlements` in the same words."""
        verdict = Verdict()
        answer = self.run(["events", "--ledger", ledger], verdict, LOST)
        if answer is None:
            return verdict
        lines = folder + "/exported.jsonl"
        with open(lines, "w", encoding="utf-8") as file:
            for line in answer.splitlines():
                item = json.loads(line)
                if item["type"] not in history.RECORDED_BY_COMMANDS:
                    del item["position"], item["recordedAt"]
                    file.write(json.dumps(item) + "\n")
        fresh = folder + "/rebuilt.ledger"
        self.run(["init", fresh], verdict, LOST)
        self.run(["append", "--ledger", fresh, lines], verdict, LOST)
        for account in accounts:
            said = []
            for folder in (ledger, fresh):
                answer = self.run(
                    ["entitlements", account, "--at", history.ASKED_AT, "--format", "json",
                     "--ledger", folder], verdict, LOST)
                if answer is not None:
                    said.append({name: value for name, value in json.loads(answer).items()
                                 if name != "position"})
            if len(said) == 2 and said[0] != said[1]:
                verdict.add(SILENT, f"{account} has other entitlements in a rebuilt ledger")
        return verdict
