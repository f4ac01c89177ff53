"""What schemathesis has to know of the service beside its document.

A document says what a parameter is, and not that two of them contradict each other: correct
requests are made free of contradictions here, and no request waits for events to come.
"""
import json
import os
import pathlib

import schemathesis
from hypothesis import strategies as st

tree = pathlib.Path(__file__).resolve().parents[2]
last = int(os.environ["DAYBOOK_LAST_POSITION"])
unsigned_max = 2**64 - 1
customer = ("account", "transaction", "original")
conditions = (*customer, "product", "type")
flags = ("true", "", None, True)

spans = st.builds("{}{}{}".format, st.sampled_from(["", "-", "+"]), st.integers(0, 9999),
                  st.sampled_from(["min", "h", "d", "w"]))
dates = st.dates().filter(lambda date: date.year > 1970).map(lambda date: date.isoformat())
times = st.one_of(
    st.sampled_from(["now", "today", "yesterday", "tomorrow"]), spans, dates,
    dates.map(lambda date: date[:7]), dates.map(lambda date: f"{date}T10:00:00Z"),
    dates.map(lambda date: f"{date} 10:00"))
schemathesis.openapi.format("daybook-time", times)
schemathesis.openapi.format(
    "daybook-time-or-position", times | st.integers(0, last).map(str))
schemathesis.openapi.format(
    "daybook-end", times | st.integers(1, last).map(str) | st.just("finding"))
schemathesis.openapi.format("daybook-type", st.sampled_from(
    ["*", "*.*", "transaction.*", "*.purchased", "download.finished", "future.thing"]))
schemathesis.openapi.format("daybook-message-type", st.sampled_from(
    ["*", "entitlement.changed", "finding.*", "finding.opened", "transaction.refund*"]))
schemathesis.openapi.format("daybook-cursor", st.builds(
    "{}-{}-{}".format, st.integers(0, last), st.integers(0, 2_000_000_000_000_000),
    st.integers(0, 1000)))

events = [
    json.loads(line)
    for line in (tree / "Tests/Samples/every-type.jsonl").read_text(encoding="utf-8").split("\n")
    if line
]
lines = st.lists(st.sampled_from(events), min_size=1, max_size=5).map(
    lambda some: "".join(json.dumps(event) + "\n" for event in some).encode())
for kind in "x-ndjson", "jsonl", "ndjson":
    schemathesis.openapi.media_type(f"application/{kind}", lines)


def wrapped(event):
    """An event as a CloudEvent, which states what it can."""
    data = {name: value for name, value in event.items() if name not in ("id", "type")}
    return {"specversion": "1.0", "id": event["id"], "type": event["type"], "data": data}


def number(value):
    """The number that the service reads; None if it refuses the value."""
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and int(text) <= unsigned_max else None


def is_set(query, name):
    return name in query and query[name] in flags


def without_waiting(query):
    """Neither a stream that never ends, nor a position that never comes."""
    if query.get("follow") in flags:
        query.pop("follow", None)
    if (number(query.get("atLeast")) or 0) > last:
        query["atLeast"] = str(last)


def consistent_question(path, query):
    if path in ("/v1/entitlements", "/v1/verdict"):
        consistent_signing(query)
    named = [name for name in customer if name in query]
    if path not in ("/v1/events", "/v1/events/{position}"):
        for name in named[1:]:
            del query[name]
    if path in ("/v1/entitlements", "/v1/transactions", "/v1/installed", "/v1/explain"):
        if not named:
            query["account"] = "reader-41"
        if path == "/v1/explain" and "account" in query:
            query.setdefault("name", "books")
    if path == "/v1/verdict":
        # Either of them, and one at least.
        query.setdefault("product", "book.pro")
        query.pop("entitlement", None)
    if path == "/v1/diff" and "asOf" in query:
        del query["asOf"]
    if path == "/v1/events":
        consistent_groups(query)
    if path == "/v1/findings":
        consistent_findings(query)
    if path == "/v1/replay" and not {"account", "transaction", "storeItem", "to"} & set(query):
        query.setdefault("from", "1")
    if path in ("/v1/events", "/v1/replay"):
        begin, end = number(query.get("from")), number(query.get("to"))
        if begin is not None and end is not None and begin > end:
            query["from"], query["to"] = query["to"], query["from"]


def drop(query, *names):
    for name in names:
        query.pop(name, None)


def without_repetition(query, *names):
    for name in names:
        if isinstance(query.get(name), str):
            query[name] = ",".join(dict.fromkeys(query[name].split(",")))


def consistent_signing(query):
    """A signed answer is about an account and the present, and for a device."""
    if is_set(query, "signed"):
        drop(query, "transaction", "original", "at", "asOf", "format")
        query.setdefault("account", "reader-41")
        query.setdefault("audience", "phone-1")
    else:
        drop(query, "signed", "audience", "nonce", "validSeconds")


def consistent_groups(query):
    """Groups have no order and are counted; sales net of refunds are about money."""
    if is_set(query, "net") and query.get("sum") != "price":
        query["sum"] = "price"
    without_repetition(query, "by", "sum")
    if "by" in query or "sum" in query:
        drop(query, "reverse", "count")


def consistent_findings(query):
    """What is only counted has no order, and no advice."""
    without_repetition(query, "by")
    if "by" in query:
        drop(query, "count", "incidents")
    if "by" in query or is_set(query, "count"):
        drop(query, "explain", "reverse")


def consistent_replay(case):
    """Edits of events that the part has."""
    drop(case.query, "account", "transaction", "storeItem", "at")
    case.query.update({"from": "1", "to": str(last)})
    number = 1 + len(json.dumps(case.body, default=str)) % 50
    # Whether there is room for another event, no schema says.
    case.body = {"edits": [{"drop": number}, {"drop": number + 1}]}


def consistent_append(case):
    headers = case.headers
    # Whether a condition holds is no question of form.
    if headers:
        headers.pop("If-Match", None)
    for name in conditions:
        case.query.pop(name, None)
    # What headers and data both state must be the same.
    for name in [name for name in headers or () if name.lower().startswith("ce-")]:
        del headers[name]
    # A schema of envelopes cannot say that the data is an event but for what the attributes state.
    sample = events[len(json.dumps(case.body, default=str)) % len(events)]
    if case.media_type == "application/json":
        case.body = sample
    elif case.media_type == "application/cloudevents+json":
        case.body = wrapped(sample)
    elif case.media_type == "application/cloudevents-batch+json":
        case.body = [wrapped(sample)]


def harmless_webhook(body):
    """Messages stay on this machine, whatever URL was made up; and a range begins before its end, as
    no schema says."""
    if isinstance(body, dict) and str(body.get("url", "")).lower().startswith("http"):
        body["url"] = "http://127.0.0.1:9/hooks"
    ends = ("from", "to")
    if isinstance(body, dict) and all(
            isinstance(body.get(end), (int, float)) and body[end] >= 1 for end in ends):
        body["from"], body["to"] = sorted(int(body[end]) for end in ends)


def consistent_act(case):
    """Two accounts of an act are two, and its times those of an event, as no schema says."""
    body = case.body
    for time in {"occurredAt", "until"} & set(body if isinstance(body, dict) else ()):
        body[time] = "2026-03-01T10:00:00Z"
    if isinstance(body, dict) and "to" in body and body["to"] == body.get("account"):
        body["to"] += "2"


# Schemathesis takes a token for JSON, because of its type.
@schemathesis.deserializer("application/json")
def document(context, response):
    if response.headers.get("content-type", [""])[0] == "application/jwt":
        return response.content.decode()
    return response.json()


@schemathesis.hook
def before_load_schema(context, schema):
    """The service runs with --open, and asks nobody for a token. The schema of events is beyond
    what can be turned into events: correct bodies are samples."""
    schema.pop("security", None)
    schema["components"]["schemas"]["AcceptedEvent"] = {
        "type": "object",
        "required": ["id", "type", "occurredAt"],
        "properties": {name: {"type": "string", "minLength": 1, "maxLength": 128}
                       for name in ("id", "type", "occurredAt")},
    }


@schemathesis.hook
def before_call(context, case, kwargs):
    case.query = dict(case.query or {})
    without_waiting(case.query)
    if case.meta and case.meta.generation.mode.is_positive:
        if case.operation.path == "/v1/events" and case.method == "POST":
            consistent_append(case)
        elif case.operation.path == "/v1/replay" and case.method == "POST":
            consistent_replay(case)
        elif case.method == "POST" and case.operation.path.startswith("/v1/acts"):
            consistent_act(case)
        else:
            consistent_question(case.operation.path, case.query)
    if case.operation.path.startswith("/v1/webhooks"):
        harmless_webhook(case.body)
