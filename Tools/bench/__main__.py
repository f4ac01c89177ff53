#!/usr/bin/env python3
"""Measures Daybook beside other stores, with the same events, in turn, on one machine.

    python3 Tools/bench                     everything: a quarter of an hour on two cores
    python3 Tools/bench --quick             does it all run? a minute or two
    python3 Tools/bench --events 50000000 --limit 7200 --peers daybook,sqlite --measures all
    python3 Tools/bench --check             tests of what it computes; measures nothing

Installs what it needs, builds Daybook, and writes results.md, results.svg and results.json. A peer
that cannot be installed is left out, and the table says why. Nothing depends on a time: the exit
code is 0 if every run gave a result, and 1 otherwise. README.md beside this file says more.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from figures import disagreeing
from measures import measures
from peers import LMDB, Daybook, DaybookLog, Eventsourcing, Failed, Run, SQLite, SQLiteEvents
from workbench import Missing, Workbench, machine, tell
from plot import plot
from servers import DaybookSocket, PostgreSQL, UmaDB
from table import comparison_table, results_table, settings_table
from workload import WORKLOADS, made

PEERS = (Daybook, DaybookLog, LMDB, SQLite, SQLiteEvents, Eventsourcing, DaybookSocket, PostgreSQL,
         UmaDB)
EVENTS, QUICK_EVENTS = 200_000, 10_000
ROUNDS, QUICK_ROUNDS = 3, 1
LIMIT_SECONDS, QUICK_LIMIT_SECONDS = 15, 5
EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 64, 130


def chosen(text, known, what):
    """The names of a list that is separated by commas; all of them without a list."""
    if text is None:
        return list(known)
    names = text.split(",")
    unknown = [name for name in names if name not in known]
    if unknown:
        tell(f"bench: unknown {what} {unknown[0]}; expected any of: {','.join(known)}")
        sys.exit(EXIT_USAGE)
    return names


def parsed():
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes, one round")
    parser.add_argument("--check", action="store_true", help="test this tool, measure nothing")
    parser.add_argument("--events", type=int, help=f"of each long run; default {EVENTS}")
    parser.add_argument("--rounds", type=int, help=f"default {ROUNDS}")
    parser.add_argument("--limit", type=int, metavar="SECONDS",
                        help="of the measured time of one run, which then stops; "
                             f"default {LIMIT_SECONDS}")
    parser.add_argument("--peers", help="only these: " + ",".join(peer.name for peer in PEERS))
    parser.add_argument("--measures", help="only these, or all or calls: "
                        + ",".join(measure.name for measure in measures(1, False)))
    parser.add_argument("--no-install", action="store_true", help="install nothing")
    parser.add_argument("--no-build", action="store_true", help="Daybook is built already")
    parser.add_argument("--folder", help="where to measure; default: .build/bench")
    parser.add_argument("--out", help="where results go; default: .build/bench/results")
    options = parser.parse_args()
    for name in ("events", "rounds", "limit"):
        value = getattr(options, name)
        if value is not None and value < 1:
            parser.error(f"--{name} must be 1 or more")
    options.events = options.events or (QUICK_EVENTS if options.quick else EVENTS)
    options.rounds = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    options.limit = options.limit or (QUICK_LIMIT_SECONDS if options.quick else LIMIT_SECONDS)
    return options


def chosen_measures(options):
    known = {measure.name: measure for measure in measures(options.events, options.quick)}
    groups = {"all": [name for name in known if known[name].is_sustained],
              "calls": [name for name in known if not known[name].is_sustained]}
    names = chosen(options.measures, list(known) + list(groups), "measure")
    if options.measures is None:
        names = list(known)
    names = [each for name in names for each in groups.get(name, [name])]
    return [known[name] for name in known if name in names]


def prepared(options, workbench):
    """The peers that can be measured here, and why the others cannot."""
    names = chosen(options.peers, [peer.name for peer in PEERS], "peer")
    # A peer's ratio needs the one beside it, and C also its log.
    wanted = {peer.name for peer in PEERS if peer.name in names}
    wanted |= {peer.beside for peer in PEERS if peer.name in names and peer.beside}
    wanted.add(Daybook.name)
    peers = [peer(workbench) for peer in PEERS if peer.name in wanted]
    skipped = {}
    for peer in peers:
        try:
            peer.prepare()
        except Missing as reason:
            skipped[peer.name] = str(reason)
            tell(f"SKIPPED: {peer.title}: {reason}")
    return peers, skipped


def play_round(measure, files, peers, folder, limit):
    """One run of each peer, in turn: {name: result, or None where it failed}."""
    results = {}
    round_folder = tempfile.mkdtemp(prefix="round-", dir=folder)
    try:
        for peer in peers:
            own = tempfile.mkdtemp(prefix=f"{peer.name}-", dir=folder)
            # What the peer before has left to be written is not this one's to wait for.
            os.sync()
            try:
                result = peer.run(Run(measure, files, own, limit, round_folder))
                result["stopped"] = (result["events"] < measure.events
                                     and result["seconds"] >= limit)
                tell(f"  {peer.title}: {result['events'] / result['seconds']:.0f}/s")
            except Failed as reason:
                result = None
                tell(f"  {peer.title}: FAILED: {reason}")
            finally:
                shutil.rmtree(own, ignore_errors=True)
            results[peer.name] = result
    finally:
        shutil.rmtree(round_folder, ignore_errors=True)
    for name in disagreeing(results):
        tell(f"  {name}: FAILED: it has {results[name]['stored']} events and others have another "
             "number")
        results[name] = None
    return results


def play(options, selected, workbench, folder, peers):
    """All rounds of all measures: the results by measure and peer, and what was in the workloads.
    """
    results, descriptions = {}, {}
    for workload in WORKLOADS.values():
        of_workload = [measure for measure in selected if measure.workload == workload.name]
        if not of_workload:
            continue
        tell(f"making {workload.title}")
        count = max(measure.events for measure in of_workload)
        files = made(workload, workbench.benchmarks, count, folder)
        descriptions[workload.title] = files.description
        for measure in of_workload:
            those = [peer for peer in peers if peer.takes(measure)]
            runs = results[measure.name] = {peer.name: [] for peer in those}
            for number in range(options.rounds):
                tell(f"{measure.title}, round {number + 1} of {options.rounds}")
                of_round = play_round(measure, files, those, folder, options.limit)
                for name, result in of_round.items():
                    runs[name].append(result)
        files.remove()
    return results, descriptions


def told_settings(peers, results):
    """Version and settings of each peer, of its runs where they say more."""
    found = {}
    for peer in peers:
        version, text = peer.settings()
        for runs in results.values():
            for run in filter(None, runs.get(peer.name, [])):
                version = run.get("version", version)
                further = run.get("settings")
                text = text if not further or further in text else f"{text}; {further}"
        found[peer.name] = version, text
    return found


def document(options, where, selected, peers, skipped, results, descriptions):
    """The page of results."""
    base = next((measure for measure in selected if measure.name == "all.ordered"), None)
    lines = [
        f"{where}. Rounds: {options.rounds}, each with one run of every peer in turn; the values "
        f"are medians and spreads. A run stops after {options.limit} s of measured time.", "",
        *(["**These sizes show that everything runs, and nothing else.**", ""]
          if options.quick else []),
        *results_table(selected, peers, results), ""]
    if base is not None and len([measure for measure in selected if measure.is_sustained]) > 1:
        lines += [f"The rate of each peer, divided by its rate with “{base.title}”:", "",
                  *comparison_table(selected, peers, results, base), ""]
    lines += ["What was measured:", "",
              *settings_table(peers, told_settings(peers, results), skipped), "",
              "The workloads:", ""]
    lines += [f"- {title}: {text}." for title, text in descriptions.items()]
    return "\n".join(lines) + "\n"


def write(options, workbench, name, text):
    folder = options.out or f"{workbench.cache}/results"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
        file.write(text)
    tell(f"wrote {folder}/{name}")


def measured(options, workbench):
    begun = time.monotonic()
    selected = chosen_measures(options)
    peers, skipped = prepared(options, workbench)
    if Daybook.name in skipped:
        return EXIT_FAILED
    here = [peer for peer in peers if peer.name not in skipped]
    base = os.path.abspath(options.folder or workbench.cache)
    os.makedirs(base, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="run-", dir=base)
    try:
        # A server may run as another user, who has to reach its folder.
        os.chmod(folder, 0o711)
        where = machine(folder)
        results, descriptions = play(options, selected, workbench, folder, here)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    page = document(options, where, selected, peers, skipped, results, descriptions)
    write(options, workbench, "results.md", page)
    write(options, workbench, "results.json", json.dumps(
        {"machine": where, "results": results, "skipped": skipped,
         "workloads": descriptions}, indent=1) + "\n")
    picture = plot(selected, here, results, where)
    if picture is not None:
        write(options, workbench, "results.svg", picture)
    print(page)
    tell(f"{time.monotonic() - begun:.0f} s")
    failed = [run for runs in results.values() for each in runs.values() for run in each
              if run is None]
    return EXIT_FAILED if failed else 0


def main():
    options = parsed()
    if options.check:
        import check
        return check.run()

    def stop(number, frame):
        raise KeyboardInterrupt

    # Also SIGINT: a shell's job in the background ignores it otherwise.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    workbench = Workbench(root, may_install=not options.no_install, builds=not options.no_build)
    try:
        return measured(options, workbench)
    except KeyboardInterrupt:
        tell("bench: interrupted; everything was stopped and removed")
        return EXIT_INTERRUPTED


sys.exit(main())
