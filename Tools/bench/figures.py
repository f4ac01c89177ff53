"""What is made of the rounds of one measurement: medians, spreads, ratios."""

import statistics


class Figure:
    """The median of several values, the least and the greatest."""

    def __init__(self, values):
        self.median = statistics.median(values)
        self.least = min(values)
        self.greatest = max(values)


def rate(result):
    """Events a second of one run."""
    return result["events"] / result["seconds"]


def rates(results):
    """Of the runs of one peer, by round; a round that failed is None."""
    values = [rate(result) for result in results if result is not None]
    return Figure(values) if values else None


def ratios(results, others):
    """The rates of some runs over those of others, round by round, as both ran in turn."""
    values = [rate(result) / rate(other) for result, other in zip(results, others)
              if result is not None and other is not None]
    return Figure(values) if values else None


def disagreeing(results):
    """Which runs of a round kept another number of events than the first one did.

    Of a repeated event, these peers keep one. A run that was stopped has less, and says nothing.
    """
    counts = {name: result["stored"] for name, result in results.items()
              if result is not None and "stored" in result and not result.get("stopped")}
    return [name for name, count in counts.items() if count != next(iter(counts.values()))]


def three_digits(value):
    """A number with three digits that matter, and a letter for thousands."""
    for scale, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        # What would be rounded up to a thousand takes the next letter.
        if abs(value) >= scale * 0.9995:
            return _digits(value / scale) + letter
    return _digits(value)


def _digits(value):
    places = 0 if abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    return f"{value:.{places}f}"
