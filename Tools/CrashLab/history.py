"""The events that the laboratory appends, and what customers hold by them.

The rules are few enough to be stated a second time: a purchase gives its product, and a refund
takes it back. Nothing here knows how the store computes an answer.
"""

import functools
import uuid

# Asked about a time after every event.
ASKED_AT = "2026-06-01T00:00:00Z"
# Events of one account: purchases, a note, a refund, and a purchase whose id is a UUID.
EVENTS_PER_ACCOUNT = 6
REFUNDED_AFTER = 3
PRODUCTS = ["product-0", "product-1", "product-2", "product-5"]
# Types that commands record by themselves.
RECORDED_BY_COMMANDS = {"operator.acted", "account.erased", "import.received",
                        "content.installStarted", "content.installed", "content.installFailed",
                        "content.activated"}


@functools.lru_cache(maxsize=1 << 16)
def event(writer, number):
    """The event with this number, from 0, of a writer. Not to be changed by whoever gets it."""
    account = f"account-{writer}-{number // EVENTS_PER_ACCOUNT}"
    kind = number % EVENTS_PER_ACCOUNT
    made = {
        "id": f"event-{writer}-{number}",
        "type": "transaction.purchased",
        "occurredAt": f"2026-03-{1 + number // 1440 % 28:02d}"
                      f"T{number // 60 % 24:02d}:{number % 60:02d}:00Z",
        "source": "storekit1",
        "environment": "production",
    }
    if kind == 3:
        made["type"] = "note.added"
        made["source"] = "operator"
        made["account"] = account
        made["data"] = {"text": f"{account} wrote about event {number}"}
        return made
    if kind == 4:
        made["type"] = "transaction.refunded"
        made["source"] = "server"
        made["product"] = f"product-{kind - REFUNDED_AFTER}"
        made["transaction"] = f"transaction-{writer}-{number - REFUNDED_AFTER}"
        return made
    if kind == 5:
        made["id"] = str(uuid.uuid5(uuid.NAMESPACE_OID, made["id"]))
    made["account"] = account
    made["device"] = f"device of {account}"
    made["session"] = f"session of {account}"
    made["product"] = f"product-{kind}"
    made["transaction"] = f"transaction-{writer}-{number}"
    return made


def events(writer, count, first=0):
    """The events `first` up to `first + count` of a writer, in order."""
    return [event(writer, number) for number in range(first, first + count)]


def holdings(recorded):
    """What each account holds by these events: {account: {product: state}}."""
    bought = {}
    for item in recorded:
        if item["type"] == "transaction.purchased":
            bought[item["transaction"]] = [item["account"], item["product"], "active"]
    for item in recorded:
        if item["type"] == "transaction.refunded" and item["transaction"] in bought:
            bought[item["transaction"]][2] = "refunded"
    held = {}
    for account, product, state in bought.values():
        held.setdefault(account, {})[product] = state
    return held
