#!/usr/bin/env python3
"""Validates events against event.schema.json.

Without arguments: every sample in Tests/Samples/*.jsonl must hold, and every line of
bad-events.jsonl must fail. With arguments: each of the files (JSON Lines) must hold.

Needs the package jsonschema (pip install jsonschema).
"""
import json
import pathlib
import sys

import jsonschema

schemas = pathlib.Path(__file__).resolve().parent
schema = json.loads((schemas / "event.schema.json").read_text(encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


def lines(path):
    # By line feeds alone: other separators can stand inside a string.
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if line.strip():
            yield number, json.loads(line)


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:]]
    bad = []
    if not files:
        files = sorted((schemas.parent / "Tests" / "Samples").glob("*.jsonl"))
        bad = [schemas / "bad-events.jsonl"]
        if not files:
            sys.exit("no samples found in Tests/Samples")
    failures = 0
    count = 0
    for path in files:
        for number, event in lines(path):
            count += 1
            for error in validator.iter_errors(event):
                failures += 1
                print(f"{path}:{number}: {error.json_path}: {error.message}")
    refused = 0
    for path in bad:
        for number, event in lines(path):
            if validator.is_valid(event):
                failures += 1
                print(f"{path}:{number}: holds, and must not")
            refused += 1
    print(f"{count} events hold, {refused} bad ones are refused, {failures} failures")
    sys.exit(1 if failures else 0)


main()
