"""What is measured: how a workload is appended, and how much of it."""

BATCH = 1_000


class Measure:
    def __init__(self, name, title, workload, batch, events, callers=1, is_sustained=False):
        self.name = name
        self.title = title
        self.workload = workload
        # Events a call.
        self.batch = batch
        # How many call at once, each waiting for its own answers.
        self.callers = callers
        self.events = events
        # Whether this is a long run, whose rate is compared with that of other workloads.
        self.is_sustained = is_sustained

    @property
    def in_flight(self):
        """How many batches Daybook's caller in one process may have under way."""
        return 2 if self.is_sustained else 1


def measures(events, is_quick):
    """All measures; `events` is the length of the long runs."""
    some = 20 if is_quick else 1
    calls = [
        Measure("one", "1 event a call", "ordered", 1, 3_000 // some),
        Measure("sixteen", "1 event a call, 16 callers", "ordered", 1, 16_000 // some, callers=16),
        Measure("hundred", "100 events a call", "ordered", 100, 40_000 // some),
        Measure("thousand", "1,000 events a call", "ordered", BATCH, 100_000 // some),
    ]
    long_runs = [
        ("ordered", "10⁵ accounts, ordered ids"),
        ("many-accounts", "10⁶ accounts"),
        ("random-ids", "random ids"),
        ("one-account", "every event of one account"),
        ("one-device", "every event on one device"),
        ("newest-first", "newest first"),
    ]
    return calls + [
        Measure(f"all.{workload}", title, workload, BATCH, events, is_sustained=True)
        for workload, title in long_runs]
