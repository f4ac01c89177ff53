"""Controls: faults of the program that the laboratory must find. One that it misses is an error.

Each plays a technique with something broken on purpose: a disk that answers syncs and does not do
them, writes that are answered and not done, acknowledgements that come too early, a `verify` that
looks at nothing, and an auditor that is fed what is wrong.
"""

import copy
import os
import shutil

import backups
import copies
import cuts
import damage
import history
import installs
import kills
import lab_controls
import operations
import program
import recorder
import tracing
from auditor import DOUBLED, LOST, SILENT, Auditor, Expected, Verdict, judge_events
from calls import Calls

IMAGES = 6


def auditor_controls(lab):
    """An auditor that is fed what a faulty ledger would export."""
    events = history.events(0, 12)
    whole = Expected([events], {event["id"]: position for position, event in enumerate(events, 1)})

    def exported(items):
        return [{**item, "position": position} for position, item in enumerate(items, 1)]

    swapped = [events[1], events[0], *events[2:]]
    other = copy.deepcopy(events)
    other[4]["transaction"] = "transaction-0-2"
    stranger = {**events[0], "id": "stranger"}
    fed = {
        "a lost event": (exported(events[:5] + events[6:]), LOST),
        "a lost last event": (exported(events[:-1]), LOST),
        "a doubled event": (exported([*events, events[3]]), DOUBLED),
        "two events in another order": (exported(swapped), SILENT),
        "a refund of another purchase": (exported(other), SILENT),
        "an event that nobody appended": (exported([*events, stranger]), SILENT),
        "a gap in the positions": (exported(events)[:-1]
                                   + [{**events[-1], "position": 13}], SILENT),
    }
    for name, (recorded, outcome) in fed.items():
        found = judge_events(recorded, whole)
        yield f"auditor: {name}", any(line.startswith(outcome) for line in found.details)
    gap = Expected([events])
    found = judge_events(exported(events[:3] + events[4:]), gap)
    yield "auditor: a gap in what one writer appended", found.failed
    erased = Expected([events], erased=["account-0-0"], erasure_is_done=True)
    yield "auditor: an erased customer who is still there", \
        judge_events(exported(events), erased).failed
    yield "auditor: no fault at all is none", not judge_events(exported(events), whole).details
    yield from file_controls(lab, events, exported)


def file_controls(lab, events, exported):
    """Answers that differ from what the log's file or the events say."""
    folder = lab.folder_named("control")
    ledger = folder + "/a.ledger"
    operations.Operation().make_ledger(lab, folder, events)
    recorded = exported(events)
    verdict = Verdict()
    lab.auditor.read_file(ledger, recorded[:-1], verdict, LOST)
    yield "auditor: an event in the log's file that is not exported", verdict.failed
    verdict = Verdict()
    held = [item for item in recorded if item["type"] != "transaction.refunded"]
    lab.auditor.ask_holders(ledger, held, "product-1", Expected([]), verdict, LOST, SILENT)
    yield "auditor: a refund that the answer knows and the events do not", verdict.failed
    verdict = Verdict()
    lab.auditor.ask_account(ledger, held, "account-0-0", verdict, LOST, SILENT)
    yield "auditor: the same in the entitlements of one customer", verdict.failed


def kill_controls(lab):
    """A writer that answers before it appends."""
    folder = lab.folder_named("control")
    ledger = folder + "/a.ledger"
    lab.must(["init", ledger])
    writer = kills.Writer(0, lab.random("controls", "kills"))
    writer.append_until_killed(lab.program, ledger)
    yield "kills: no fault at all is none", \
        not lab.auditor.audit(ledger, kills.expected([writer])).details
    # Of the next batch, some may be there, as the kill has it. This one is never sent.
    writer.events = history.events(0, len(writer.events) + 1)
    writer.acknowledged[writer.events[-1]["id"]] = None
    yield "kills: an answer that comes before the append", \
        lab.auditor.audit(ledger, kills.expected([writer])).outcome == LOST


def copy_controls(lab):
    """An encrypted backup that was cut short, and one whose copy of the keys was changed."""
    operation = copies.EncryptedBackup()
    base = lab.folder_named("control")
    operation.prepare(lab, base)
    faults = {
        "an encrypted increment that was cut short": (
            "increment", lambda content: content[:-1]),
        "an encrypted copy of keys whose end is zeros": (
            "keys.copy", lambda content: content[:-40] + bytes(40)),
    }
    for name, (file, change) in faults.items():
        folder = lab.copy(base)
        ran = lab.must(operation.words(folder))
        path = f"{folder}/{file}"
        while os.path.isdir(path):
            path = f"{path}/{os.listdir(path)[0]}"
        with open(path, "r+b") as changed:
            content = change(changed.read())
            changed.seek(0)
            changed.write(content)
            changed.truncate()
        yield f"encrypted backups: {name}", \
            operation.glance(lab, folder, ran, lab.random("controls")).failed


def install_controls(lab):
    """An install that copies straight to where the version belongs, and is killed."""
    operation = installs.Install()
    base = lab.folder_named("control")
    operation.prepare(lab, base)

    def judged(change, code=None):
        folder = lab.copy(base)
        product = f"{folder}/content/{installs.PRODUCT}"
        change(folder, product)
        return operation.glance(
            lab, folder, program.Ran(["content"], code, "", ""), lab.random("controls"))

    def in_part(folder, product):
        shutil.copytree(f"{folder}/{installs.NEW}", f"{product}/{installs.NEW}")
        os.truncate(f"{product}/{installs.NEW}/Contents/tiles/tile-1.txt", 4096)

    def led_astray(_, product):
        os.remove(product + "/current")
        os.symlink(installs.NEW, product + "/current")

    def changed(_, product):
        with open(f"{product}/{installs.OLD}/Contents/tile-0.txt", "ab") as file:
            file.write(b"!")

    yield "install: a version that is there in part", judged(in_part).failed
    yield "install: a current version that is not there", judged(led_astray).failed
    yield "install: an old version that was changed", judged(changed).failed
    yield "install: one that was answered and did nothing", \
        judged(lambda *_: None, code=0).failed
    yield "install: no fault at all is none", not judged(lambda *_: None).failed


def backup_controls(lab):
    """A backup that lacks the last batch that was acknowledged before it."""
    folder = lab.folder_named("control")
    chain = backups.Chain(lab, folder, lab.random("controls", "backups"))
    lab.must(["init", chain.ledger])
    writer = backups.Writer(0, lab.program, chain.ledger)
    writer.events = writer.events[:3 * backups.BATCH_EVENTS]
    writer.run()
    verdict = Verdict()
    chain.extend(0, verdict)
    restored = chain.restore(0, verdict)
    offered = history.events(0, len(writer.events) + 1)
    known = {event["id"]: None for event in offered}
    yield "backups: an event that was acknowledged before the backup and is not in it", \
        not verdict.failed and lab.auditor.audit(restored, Expected([offered], known)).failed


def call_controls(lab):
    """A disk that forgets what was written before the kill; writes that are not done."""
    table = Calls(lab)
    operation = operations.Append()
    points = table.points(operation, ["exit_group", "munmap", "close"])
    base = table.bases[operation.name]
    folder = lab.copy(base)
    ran = operation.perform(lab, folder, tracing.injecting(*_last(points)))
    for part in ("log", "keys", "root"):
        path = f"{operation.ledger(folder)}/{part}"
        if os.path.isdir(path):
            shutil.rmtree(path)
            shutil.copytree(f"{operation.ledger(base)}/{part}", path)
        elif os.path.exists(path):
            shutil.copy(f"{operation.ledger(base)}/{part}", path)
    yield "calls: a log that went back, with its kept root, after the kill", \
        bool(ran.acknowledged()) and \
        operation.glance(lab, folder, ran, lab.random("controls")).failed
    found = []
    for _, call, number in table.points(operation, ["pwrite64"]):
        folder = lab.copy(base)
        ran = operation.perform(lab, folder, tracing.injecting(call, "retval=4096", number))
        found.append(operation.glance(lab, folder, ran, lab.random("controls")).failed)
    yield "errors: pages whose writes are answered and not done", any(found)


def _last(points):
    """The last call of these, to be killed there."""
    _, call, number = max(points, key=lambda point: point[2])
    return call, "signal=KILL", number


def cut_controls(lab):
    """Power cuts with a disk that answers syncs and does nothing."""
    for operation in (cuts.AppendStream(), operations.Fold(), copies.Backup(),
                      copies.EncryptedBackup(), copies.EncryptedRestore()):
        yield f"cuts: {operation.name} on a disk that drops syncs", \
            any(verdict.failed for verdict in cut_verdicts(lab, operation))
    # Of an install, not only the ledger: the files, too. Only the sync of all of them is dropped.
    found = cut_verdicts(lab, installs.Install(), "syncfs")
    yield "cuts: install on a disk that drops the sync of the whole file system", \
        any("not whole" in detail for verdict in found for detail in verdict.details)


def cut_verdicts(lab, operation, dropped=recorder.SYNCS):
    recording = cuts.Recording(lab, operation, dropped)
    for number in range(1, IMAGES + 1):
        cut = cuts.Cut(lab, recording, number)
        folder = lab.folder_named("control")
        cut.image().write(folder)
        yield operation.glance(lab, folder, cut.ran, cut.random)


def limit_controls(lab):
    """A program that does not mind that a file cannot grow."""
    folder = lab.folder_named("control")
    operation = operations.Append()
    operation.prepare(lab, folder)
    said = "".join('{"id":"%s","status":"appended","position":%d}\n' % (event["id"], position)
                   for position, event in enumerate(sum(operation.batches(), []),
                                                 operations.COUNT + 1))
    ran = program.Ran(["append"], 0, said, "")
    yield "limits: an append that is answered although the disk is full", \
        operation.glance(lab, folder, ran, lab.random("controls")).failed


class Blind(program.Program):
    """A program whose `verify` looks at nothing."""

    def run(self, words, *others, **options):
        if words[0] == "verify":
            return program.Ran(words, 0, "{}", "")
        return super().run(words, *others, **options)


def damage_controls(lab):
    """Keys that are zeroed and a changed event: a `verify` that looks at nothing is found out."""
    base, _ = damage.prepare(lab)
    ledger = base + "/a.ledger"
    with open(ledger + "/keys", "r+b") as file:
        file.seek(damage.SECTOR)
        file.write(bytes(damage.SECTOR))
    whole = Expected([history.events(0, damage.COUNT)], erased=["account-0-3"],
                     erasure_is_done=True).everything()
    blind = Auditor(Blind(lab.program.path, lab.folder))
    yield "damage: a verify that looks at nothing", \
        blind.audit(ledger, whole, strict=False).outcome == SILENT
    yield "damage: the program's own verify notices the same", \
        not lab.auditor.audit(ledger, whole, strict=False).failed


def run(lab, can_trace):
    """Plays all controls: (what it is, whether it was found)."""
    groups = [auditor_controls, kill_controls, backup_controls, copy_controls, install_controls,
              limit_controls, damage_controls, lab_controls.lab_controls,
              lab_controls.company_controls]
    if can_trace:
        groups += [call_controls, cut_controls, lab_controls.recording_controls,
                   lab_controls.opening_controls]
    for group in groups:
        yield from group(lab)
