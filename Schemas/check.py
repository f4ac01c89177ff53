#!/usr/bin/env python3
"""Validates events, scenarios, catalogues, table maps and incident bundles against their schemas.

Without arguments: every sample in Tests/Samples/*.jsonl, every scenario below Tests/Scenarios, the
sample catalogue and the sample map must hold, and every line of bad-events.jsonl,
bad-scenarios.jsonl, bad-catalogues.jsonl, bad-table-maps.jsonl and bad-bundles.jsonl must fail. With arguments: each of the files must hold,
scenarios (.json), events (.jsonl, JSON Lines) and bundles (.bundle), whose entries and nodes must
make the root of their checkpoint, too.

    check.py --program daybook

lets the program play every scenario below Tests/Scenarios that says what it expects, and read
every line of bad-scenarios.jsonl and bad-catalogues.jsonl, which it must refuse with exit code 65
and the path of the error; it must take the sample catalogue.

Needs the package jsonschema (pip install jsonschema).
"""
import base64
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

schemas = pathlib.Path(__file__).resolve().parent
scenarios = schemas.parent / "Tests" / "Scenarios"
sample_catalogue = schemas.parent / "Tools" / "samples" / "catalogue.json"
sample_map = schemas.parent / "Tools" / "samples" / "sample-table-map.json"
incorrect_input = 65


def read(name):
    return json.loads((schemas / name).read_text(encoding="utf-8"))


def validator(schema):
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


event_schema = read("event.schema.json")
scenario_schema = read("scenario.schema.json")
# Found by its $id: every version of jsonschema resolves what is embedded.
scenario_schema["$defs"]["event"] = event_schema
event_validator = validator(event_schema)
scenario_validator = validator(scenario_schema)
catalogue_validator = validator(read("catalogue.schema.json"))
map_validator = validator(read("table-map.schema.json"))
bundle_schema = read("bundle.schema.json")
bundle_schema["$defs"]["one_event"] = event_schema
bundle_validator = validator(bundle_schema)


def lines(path):
    # By line feeds alone: other separators can stand inside a string.
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if line.strip():
            yield number, json.loads(line)


def sha256(data):
    return hashlib.sha256(data).digest()


def made_root(start, end, leaves, nodes):
    """The root over the leaves from start up to end (RFC 6962, section 2.1), out of those that are
    there and, for each subtree without one, the next node."""
    inside = {place: entry for place, entry in leaves.items() if start <= place < end}
    if not inside:
        return nodes.pop(0)
    if end - start == 1:
        return sha256(b"\0" + inside[start])
    middle = start + (1 << (end - start - 1).bit_length() - 1)
    left = made_root(start, middle, inside, nodes)
    return sha256(b"\1" + left + made_root(middle, end, inside, nodes))


def unproven(path):
    """What is wrong with a bundle beside the form of its lines; nothing of Daybook's is used."""
    header, *rest = (line for _, line in lines(path))
    entries = [base64.b64decode(line["leaf"]) for line in rest if "leaf" in line]
    nodes = [base64.b64decode(node) for line in rest for node in line.get("nodes", [])]
    if (len(entries), len(nodes)) != (header["leaves"], header["nodes"]):
        return "other counts than its first line says"
    # An entry begins with its record's length; a record has its position at 6.
    leaves = {int.from_bytes(entry[10:14], "little") - 1: entry for entry in entries}
    size, root = header["checkpoint"].split("\n")[1:3]
    if made_root(0, int(size), leaves, nodes) != base64.b64decode(root) or nodes:
        return "its entries and nodes do not make the root of its checkpoint"
    listing = [header.get("account", ""), header["events"], header["leaves"], header["nodes"]]
    for line in rest:
        if "leaf" in line:
            position = int.from_bytes(base64.b64decode(line["leaf"])[10:14], "little")
            listing.append(f"{position} {line['role']}")
    listed = sha256("".join(f"{text}\n" for text in listing).encode())
    if f"daybook-bundle {base64.b64encode(listed).decode()}" not in header["checkpoint"].split("\n"):
        return "what it has is not what was signed with its checkpoint"
    for line in rest:
        if "event" in line:
            entry = base64.b64decode(line["leaf"])
            if line["event"]["position"] != int.from_bytes(entry[10:14], "little"):
                return "an event has another position than its entry"
    return None


def holding(files):
    """How many documents of each kind there are, and how many failures they have."""
    count = {"events": 0, "scenarios": 0, "lines of bundles": 0}
    failures = 0
    for path in files:
        if path.suffix == ".json":
            documents = [(1, json.loads(path.read_bytes()))]
            kind, check = "scenarios", scenario_validator
        elif path.suffix == ".bundle":
            documents = lines(path)
            kind, check = "lines of bundles", bundle_validator
            if reason := unproven(path):
                failures += 1
                print(f"{path}: {reason}")
        else:
            documents = lines(path)
            kind, check = "events", event_validator
        for number, document in documents:
            count[kind] += 1
            for error in check.iter_errors(document):
                failures += 1
                print(f"{path}:{number}: {error.json_path}: {error.message[:400]}")
    return count, failures


def refusing():
    """How many bad documents the schemas are shown, and how many of them hold."""
    count = 0
    failures = 0
    path = schemas / "bad-events.jsonl"
    for number, event in lines(path):
        count += 1
        if event_validator.is_valid(event):
            failures += 1
            print(f"{path}:{number}: holds, and must not")
    for kind, check in (
        ("scenario", scenario_validator),
        ("catalogue", catalogue_validator),
        ("table-map", map_validator),
    ):
        path = schemas / f"bad-{kind}s.jsonl"
        for number, bad in lines(path):
            # What only the program sees must hold here, or the line says too little of the schema.
            is_seen = bad.get("schema", True)
            count += is_seen
            if check.is_valid(bad[kind]) == is_seen:
                failures += 1
                print(f"{path}:{number}: {'holds' if is_seen else 'fails'}, and must not")
    path = schemas / "bad-bundles.jsonl"
    for number, bad in lines(path):
        count += 1
        if bundle_validator.is_valid(bad["line"]):
            failures += 1
            print(f"{path}:{number}: holds, and must not")
    for sample, check in (sample_catalogue, catalogue_validator), (sample_map, map_validator):
        for error in check.iter_errors(json.loads(sample.read_bytes())):
            failures += 1
            print(f"{sample}: {error.json_path}: {error.message[:400]}")
    return count, failures


def run(program, *arguments):
    return subprocess.run(
        [program, *map(str, arguments)], capture_output=True, encoding="utf-8", check=False
    )


def playing(program):
    """What the program makes of the scenarios and of the bad ones."""
    played = 0
    failures = 0
    for path in sorted(scenarios.glob("*/*.json")):
        if "expect" not in json.loads(path.read_bytes()):
            continue
        played += 1
        result = run(program, "simulate", path, "--check")
        if result.returncode != 0:
            failures += 1
            print(f"{path}: exit code {result.returncode}\n{result.stdout}{result.stderr[:400]}")
    refused = 0
    path = schemas / "bad-scenarios.jsonl"
    with tempfile.TemporaryDirectory() as folder:
        document = pathlib.Path(folder) / "bad.json"
        for number, bad in lines(path):
            refused += 1
            document.write_text(json.dumps(bad["scenario"]), encoding="utf-8")
            result = run(program, "simulate", document)
            wanted = f"{document}: {bad['path']}: "
            if result.returncode != incorrect_input or wanted not in result.stderr:
                failures += 1
                print(f"{path}:{number}: exit code {result.returncode}: {result.stderr[:400]}")
    print(f"{played} scenarios come out as expected, {refused} bad ones are refused by the program")
    return failures + setting(program)


def setting(program):
    """What the program makes of catalogues."""
    failures = 0
    refused = 0
    path = schemas / "bad-catalogues.jsonl"
    with tempfile.TemporaryDirectory() as folder:
        ledger = pathlib.Path(folder) / "ledger"
        document = pathlib.Path(folder) / "bad.json"
        run(program, "init", ledger)
        arguments = ["catalog", "set", "--dry-run", "--ledger", ledger]
        result = run(program, *arguments, sample_catalogue)
        if result.returncode != 0:
            failures += 1
            print(f"{sample_catalogue}: exit code {result.returncode}: {result.stderr[:400]}")
        for number, bad in lines(path):
            refused += 1
            document.write_text(json.dumps(bad["catalogue"]), encoding="utf-8")
            result = run(program, *arguments, document)
            wanted = f"{document}: {bad['path']}: " if bad["path"] else f"{document}: "
            if result.returncode != incorrect_input or wanted not in result.stderr:
                failures += 1
                print(f"{path}:{number}: exit code {result.returncode}: {result.stderr[:400]}")
    print(f"{refused} bad catalogues are refused by the program")
    return failures


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--program"]:
        sys.exit(1 if playing(arguments[1]) else 0)
    files = [pathlib.Path(name) for name in arguments]
    refused = 0
    failures = 0
    if not files:
        samples = sorted((schemas.parent / "Tests" / "Samples").glob("*.jsonl"))
        if not samples:
            sys.exit("no samples found in Tests/Samples")
        files = samples + sorted(scenarios.glob("*/*.json"))
        refused, failures = refusing()
    count, more = holding(files)
    failures += more
    print(
        f"{', '.join(f'{number} {kind}' for kind, number in count.items() if number)} hold, "
        f"{refused} bad ones are refused, {failures} failures"
    )
    sys.exit(1 if failures else 0)


main()
