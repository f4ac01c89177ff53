"""UmaDB by its own client, over gRPC on the loopback.

    uma.py LINES ADDRESS BATCH CALLERS EVENTS SECONDS

What Daybook finds events by are tags. The data is the event's line of JSON.
"""

import json
import sys
import uuid

import umadb
from pace import measure, pieces, report

TAGS = ("account", "device", "payment", "transaction", "originalTransaction")


def ready(lines):
    events = []
    for line in lines:
        event = json.loads(line)
        tags = [f"{name}:{event[name]}" for name in TAGS if name in event]
        events.append(umadb.Event(
            event_type=event["type"], tags=tags, data=line[:-1],
            uuid=uuid.UUID(event["id"])))
    return events


def main(path, address, batch, callers, events, seconds):
    clients = [umadb.Client(address) for _ in range(int(callers))]
    calls = [client.append for client in clients]
    report(measure(pieces(path, int(events), int(batch), ready), calls, float(seconds)))


main(*sys.argv[1:])
