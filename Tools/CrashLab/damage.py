"""Damage: bits, sectors and pages of every kind of page and file are changed.

Nobody can promise that damaged data is whole. What is promised is that no command gives a wrong
answer that `verify` takes for right, that nothing is doubled, and that everything is said.
"""

import glob
import json
import os
import shutil

import history
import logfile
import operations
from auditor import (DOUBLED, LOST, NOTICED, SIGNAL, SILENT, TOLD, Expected, judge_content,
                     judge_events, judge_order)

COUNT = 300
SECTOR = 512
HOWS = ["bit", "bit", "bit", "byte", "sector of zeros", "page of zeros", "noise", "another page",
        "half of another page"]
WHOLE_FILE_HOWS = ["cut short", "cut to nothing", "missing"]


class Target:
    """A file, and what each of its pages is for."""

    def __init__(self, path, base):
        self.path = path
        self.name = os.path.relpath(path, base)
        self.size = os.path.getsize(path)
        if path.endswith("data.mdb"):
            kinds = logfile.LogFile(path).walk()
        else:
            kinds = {number: "head" if number == 0 else "slots"
                     for number in range((self.size + logfile.PAGE - 1) // logfile.PAGE)}
        self.pages = {}
        for number, kind in kinds.items():
            self.pages.setdefault(kind, []).append(number)


def prepare(lab):
    base = lab.folder_named("base-damage")
    operations.Operation().make_ledger(lab, base, history.events(0, COUNT))
    lab.must(["erase", "account-0-3", "--yes", *operations.OPERATOR,
              "--ledger", base + "/a.ledger"])
    lab.must(["rebuild", "--ledger", base + "/a.ledger"])
    paths = glob.glob(base + "/a.ledger/**/data.mdb", recursive=True)
    paths += [base + "/a.ledger/keys", base + "/a.ledger/root"]
    return base, [Target(path, base) for path in sorted(paths)]


def changed(content, target, random):
    """The file with some damage, and what was done."""
    kind = random.choice(sorted(target.pages))
    page = random.choice(target.pages[kind])
    how = random.choice(HOWS)
    start = page * logfile.PAGE
    end = min(start + logfile.PAGE, len(content))
    other = random.choice(random.choice(sorted(target.pages.items()))[1]) * logfile.PAGE
    data = bytearray(content)
    if how in ("bit", "byte"):
        # The heads of pages and of nodes are small and matter most: half of the trials go there.
        reach = min(end - start, 64 if random.random() < 0.5 else logfile.PAGE)
        at = start + random.randrange(reach)
        data[at] ^= 1 << random.randrange(8) if how == "bit" else random.randrange(1, 256)
    elif how == "sector of zeros":
        at = start + SECTOR * random.randrange((end - start + SECTOR - 1) // SECTOR)
        data[at:min(at + SECTOR, end)] = bytes(min(at + SECTOR, end) - at)
    elif how == "page of zeros":
        data[start:end] = bytes(end - start)
    elif how == "noise":
        data[start:end] = random.randbytes(end - start)
    else:
        half = (end - start) // (2 if how.startswith("half") else 1)
        new = content[other:other + half]
        data[start:start + len(new)] = new
    return bytes(data), f"{target.name} page {page} ({kind}): {how}"


def run(lab):
    """Plays rounds of damage, each to another copy of one ledger."""
    base, targets = prepare(lab)
    whole = Expected([history.events(0, COUNT)], erased=["account-0-3"], erasure_is_done=True)

    def one(number):
        random = lab.random("damage", number)
        folder = lab.copy(base)
        target = targets[number % len(targets)]
        path = f"{folder}/{target.name}"
        with open(path, "rb") as file:
            content = file.read()
        if random.random() < 0.04:
            what = random.choice(WHOLE_FILE_HOWS)
            if what == "missing":
                os.remove(path)
            else:
                size = 0 if what.endswith("nothing") else random.randrange(target.size)
                os.truncate(path, size)
            what = f"{target.name} {what}"
        else:
            damaged, what = changed(content, target, random)
            with open(path, "wb") as file:
                file.write(damaged)
        if "missing" not in what:
            shutil.copyfile(path, folder + "/damaged")
        verdict = examine(lab, folder, whole.everything(), random)
        if verdict.details:
            verdict.details.insert(0, f"kept: {what}")
        if verdict.failed and "missing" not in what:
            # The rest of what was found is as the round began.
            shutil.copytree(base, folder + "/as-found")
            shutil.copyfile(folder + "/damaged", f"{folder}/as-found/{target.name}")
        return verdict, folder

    tally = lab.play("damage", lab.numbers(), one, lab.options.seconds)
    kinds = sum(len(target.pages) for target in targets)
    tally.note = f"{kinds} kinds of pages of {len(targets)} files"
    return tally


def examine(lab, folder, whole, random):
    """Asks everything, then appends to what is damaged."""
    ledger = folder + "/a.ledger"
    verdict = lab.auditor_of_damage.audit(
        ledger, whole, strict=False, product=random.choice(history.PRODUCTS),
        account=random.choice(operations.accounts(whole)))
    judge_salvage(lab, ledger, folder + "/saved.ledger", whole, verdict)
    lines = folder + "/again.jsonl"
    fresh = history.events(1, 8)
    lab.write(lines, history.events(0, COUNT)[-40:] + fresh)
    ran = lab.program.run(["append", "--format", "jsonl", "--ledger", ledger, lines])
    if ran.crashed:
        verdict.add(SIGNAL, f"append: {ran.crashed}")
        return verdict
    if ran.code != 0:
        verdict.add(TOLD, f"append: {ran.said()}")
    # However the damage looks, nobody may be led to put an empty ledger in the place of this one.
    made = lab.program.run(["init", ledger])
    if made.crashed:
        verdict.add(SIGNAL, f"init: {made.crashed}")
    elif made.code == 0:
        verdict.add(LOST, "init makes an empty ledger of a damaged one")
    after = Expected(whole.writers + [fresh], {**whole.acknowledged, **ran.acknowledged()},
                     whole.erased, True)
    judge_after(lab, ledger, after, verdict)
    return verdict


def judge_salvage(lab, ledger, saved, whole, verdict):
    """What `salvage` makes of the ledger is sound, and holds nothing that was not there.

    Bits that were flipped on purpose behind a checksum are not among the damage, so every event
    that is saved is as it was. How many are lost depends on the damage, and is no failure.
    """
    ran = lab.program.run(["salvage", ledger, "--into", saved, "--format", "json"])
    if ran.crashed:
        verdict.add(SIGNAL, f"salvage: {ran.crashed}")
        return
    if ran.code not in (0, 1):
        # A new ledger that does not pass its own check is a fault of `salvage`, not of the disk.
        is_own_fault = "The copy is not as it was written" in ran.said()
        verdict.add(SILENT if is_own_fault else TOLD, f"salvage: {ran.said()}")
        return
    report = json.loads(ran.out)
    if report["kept"] == 0:
        verdict.add(LOST, f"salvage saved none of {len(whole.offered)} events and did not refuse")
    is_whole = ran.code == 0 and report["kept"] == report["lastPosition"]
    if is_whole and report["kept"] < len(whole.offered):
        verdict.add(LOST, f"salvage says that {report['kept']} events were all that there were")
    checked = lab.program.run(["verify", "--without-keys", "--ledger", saved])
    if checked.code != 0:
        verdict.add(SILENT, f"verify of what was saved: {checked.said()}")
    answer = lab.program.run(["events", "--ledger", saved])
    if answer.code != 0:
        verdict.add(SILENT, f"events of what was saved: {answer.said()}")
        return
    events = [json.loads(line) for line in answer.out.splitlines()]
    if len(events) != report["kept"]:
        verdict.add(SILENT, f"{len(events)} events were saved, and {report['kept']} reported")
    # Of who is missing the report speaks; names and texts that lost their keys are encrypted.
    readable = [event for event in events if '"sealed:' not in json.dumps(event)]
    ids = [event["id"] for event in events]
    offered = whole.offered
    for event in events:
        if event["id"] not in offered and event["type"] not in history.RECORDED_BY_COMMANDS:
            verdict.add(SILENT, f"salvage saved {event['id']}, which was never offered")
    for event in readable:
        if event["id"] in offered:
            judge_content(event, offered[event["id"]], whole, verdict)
    if len(set(ids)) != len(ids):
        verdict.add(DOUBLED, "an event was saved twice")
    indices = {name: index for index, name in enumerate(ids)}
    for writer in whole.writers:
        saved_ids = [event["id"] for event in writer if event["id"] in indices]
        judge_order([indices[name] for name in saved_ids], verdict)
    shutil.rmtree(saved, ignore_errors=True)


def judge_after(lab, ledger, expected, verdict):
    """Whatever the damage was, an append doubles nothing, and what it answered is there."""
    answer = lab.program.run(["events", "--ledger", ledger])
    if answer.crashed:
        verdict.add(SIGNAL, f"events: {answer.crashed}")
    elif answer.code != 0:
        verdict.add(TOLD, f"events: {answer.said()}")
    else:
        found = judge_events([json.loads(line) for line in answer.out.splitlines()], expected)
        for detail in found.details:
            kind = detail.split(":", 1)[0]
            # Of what is damaged, `verify` has told; nothing excuses an event that is there twice.
            verdict.add(kind if kind == DOUBLED else NOTICED, detail.split(": ", 1)[1])
