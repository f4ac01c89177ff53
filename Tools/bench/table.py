"""The results as tables of Markdown."""

from figures import rates, ratios, three_digits

# Columns of numbers.
NUMBERS = ("events/s", "Daybook ÷ peer", "ratio", "spread")


def spread(figure):
    return f"{three_digits(figure.least)} – {three_digits(figure.greatest)}"


def lines(head, rows):
    """A table; the columns are texts but for those of `NUMBERS`."""
    rule = ["--:" if name in NUMBERS else "---" for name in head]
    return ["| " + " | ".join(cells) + " |" for cells in [head, rule, *rows]]


def results_table(measures, peers, results):
    """A row for each measure and peer: its rate, and Daybook's beside it."""
    head = ["measure", "peer", "events/s", "spread", "Daybook ÷ peer", "spread", ""]
    rows = []
    for measure in measures:
        title = measure.title
        for peer in peers:
            runs = results.get(measure.name, {}).get(peer.name)
            if runs is None:
                continue
            rows.append([title, peer.title, *_cells(measure, peer, results), _note(measure, runs)])
            title = ""
    return lines(head, rows)


def _cells(measure, peer, results):
    of_measure = results[measure.name]
    figure = rates(of_measure[peer.name])
    if figure is None:
        return ["–"] * 4
    cells = [three_digits(figure.median), spread(figure)]
    ratio = peer.beside and ratios(of_measure.get(peer.beside, []), of_measure[peer.name])
    if not ratio:
        return [*cells, "", ""]
    return [*cells, f"**{three_digits(ratio.median)}**", spread(ratio)]


def _note(measure, runs):
    """What a reader must know of these runs."""
    told = [run for run in runs if run is not None]
    if not told:
        return "failed in each round"
    notes = []
    if len(told) < len(runs):
        notes.append(f"failed in {len(runs) - len(told)} of {len(runs)} rounds")
    least = min(run["events"] for run in told)
    if any(run.get("stopped") for run in told):
        notes.append(f"stopped at the time limit, after {three_digits(least)} events")
    return "; ".join(notes)


def comparison_table(measures, peers, results, base):
    """How each peer does with other workloads, beside its own rate with the measure `base`."""
    head = ["peer", "workload", "ratio", "spread"]
    rows = []
    for peer in peers:
        own = results.get(base.name, {}).get(peer.name)
        title = peer.title
        for measure in measures:
            runs = results.get(measure.name, {}).get(peer.name)
            ratio = own and runs and ratios(runs, own)
            if measure is base or not measure.is_sustained or not ratio:
                continue
            rows.append([title, measure.title, three_digits(ratio.median), spread(ratio)])
            title = ""
    return lines(head, rows)


def settings_table(peers, settings, skipped):
    """What each peer is, and why one is missing."""
    head = ["peer", "version", "settings"]
    rows = []
    for peer in peers:
        if peer.name in skipped:
            rows.append([peer.title, "", f"**not measured**: {skipped[peer.name]}"])
        else:
            version, text = settings.get(peer.name, ("", ""))
            rows.append([peer.title, version, text])
    return lines(head, rows)
