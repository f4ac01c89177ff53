"""Tests of what this tool computes without measuring: statistics, table, picture, workload."""

import importlib.util
import os
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import figures
import plot
import table
import workload
from measures import Measure, measures

HERE = os.path.dirname(os.path.abspath(__file__))
EVENT = {"id": "a", "type": "transaction.purchased", "occurredAt": "2026-01-02T03:04:05.000006Z",
         "account": "anna", "device": "d", "sequence": 0, "transaction": "1",
         "data": {"quantity": 1, "title": "Süd"}}


class Stand:
    """A peer that is only a name."""

    def __init__(self, name, beside=None, is_socket=False):
        self.name = name
        self.title = name.title() + ("" if beside is None else " & Co")
        self.beside = beside
        self.is_socket = is_socket


def runs(*values):
    """Results of one second each."""
    return [value and {"events": value, "seconds": 1.0} for value in values]


CALLS = Measure("calls", "calls & answers", "ordered", 1, 100)
LONG = Measure("long", "long", "ordered", 1000, 100, is_sustained=True)
OTHER = Measure("other", "other", "random-ids", 1000, 100, is_sustained=True)
PEERS = [Stand("daybook"), Stand("slow", "daybook"), Stand("far", "daybook", True)]
RESULTS = {
    "calls": {"daybook": runs(100, 300, 200), "slow": runs(10, 60, 10), "far": runs(50, None, 400)},
    "long": {"daybook": runs(1000, 3000), "slow": runs(100, 100), "far": runs(None, None)},
    "other": {"daybook": runs(500, 3000), "slow": runs(50, 25)},
}


class Figures(unittest.TestCase):
    def test_the_median_is_in_the_middle_of_a_spread(self):
        figure = figures.rates(runs(5, 1, 3))
        self.assertEqual((figure.median, figure.least, figure.greatest), (3, 1, 5))

    def test_ratios_compare_the_runs_of_one_round(self):
        # By round 10, 5 and 20; the ratio of the medians would be 20.
        figure = figures.ratios(RESULTS["calls"]["daybook"], RESULTS["calls"]["slow"])
        self.assertEqual((figure.median, figure.least, figure.greatest), (10, 5, 20))

    def test_a_round_that_failed_has_no_ratio(self):
        figure = figures.ratios(RESULTS["calls"]["daybook"], RESULTS["calls"]["far"])
        self.assertEqual((figure.least, figure.greatest), (0.5, 2))
        self.assertIsNone(figures.ratios(runs(1, None), runs(None, 1)))
        self.assertIsNone(figures.rates(runs(None)))

    def test_peers_that_keep_another_number_of_events_are_found(self):
        results = {"a": {"stored": 5}, "b": {"stored": 4}, "c": {"stored": 5}, "d": None, "e": {},
                   "f": {"stored": 3, "stopped": True}}
        self.assertEqual(figures.disagreeing(results), ["b"])

    def test_numbers_have_three_digits(self):
        expected = {0: "0.00", 0.1234: "0.12", 9.994: "9.99", 9.996: "10.0", 99.96: "100",
                    999.4: "999", 999.6: "1.00 k", 12_345: "12.3 k", 999_600: "1.00 M",
                    2_345_678: "2.35 M"}
        for value, text in expected.items():
            self.assertEqual(figures.three_digits(value), text)


class Tables(unittest.TestCase):
    def test_a_row_has_rate_spread_and_ratio(self):
        lines = table.results_table([CALLS], PEERS, RESULTS)
        self.assertEqual(lines[2], "| calls & answers | Daybook | 200 | 100 – 300 |  |  |  |")
        self.assertEqual(
            lines[3], "|  | Slow & Co | 10.0 | 10.0 – 60.0 | **10.0** | 5.00 – 20.0 |  |")
        self.assertIn("failed in 1 of 3 rounds", lines[4])

    def test_all_rows_have_as_many_cells_as_the_head(self):
        for lines in (table.results_table([CALLS, LONG, OTHER], PEERS, RESULTS),
                      table.comparison_table([CALLS, LONG, OTHER], PEERS, RESULTS, LONG),
                      table.settings_table(PEERS, {"daybook": ("1", "x")}, {"far": "no root"})):
            self.assertEqual({line.count("|") for line in lines}, {lines[0].count("|")})

    def test_what_failed_each_time_is_told(self):
        lines = table.results_table([LONG], PEERS, RESULTS)
        self.assertIn("failed in each round", lines[4])

    def test_a_run_that_was_stopped_is_told(self):
        results = {"long": {"daybook": [{"events": 5_000, "seconds": 15.0, "stopped": True}]}}
        lines = table.results_table([LONG], PEERS, results)
        self.assertIn("stopped at the time limit, after 5.00 k events", lines[2])

    def test_other_workloads_are_compared_with_the_same_peers_first(self):
        lines = table.comparison_table([CALLS, LONG, OTHER], PEERS, RESULTS, LONG)
        self.assertEqual(lines[2:], ["| Daybook | other | 0.75 | 0.50 – 1.00 |",
                                     "| Slow & Co | other | 0.38 | 0.25 – 0.50 |"])

    def test_a_peer_that_is_missing_is_told(self):
        lines = table.settings_table(PEERS, {}, {"far": "needs root"})
        self.assertIn("**not measured**: needs root", lines[4])


class Picture(unittest.TestCase):
    def setUp(self):
        self.text = plot.plot([CALLS, LONG], PEERS, RESULTS, "here & now")
        self.root = ElementTree.fromstring(self.text)

    def all(self, name):
        return list(self.root.iter("{http://www.w3.org/2000/svg}" + name))

    def test_each_ratio_has_a_median_and_a_spread(self):
        self.assertEqual(len(self.all("circle")), 3)
        self.assertEqual(sum(line.get("class") == "spread" for line in self.all("line")), 3)
        self.assertEqual([mark.get("class") for mark in self.all("circle")],
                         ["median", "median socket", "median"])

    def test_a_median_lies_within_its_spread_and_the_picture(self):
        spreads = [line for line in self.all("line") if line.get("class") == "spread"]
        for line, mark in zip(spreads, self.all("circle")):
            left, middle, right = (float(each) for each in (
                line.get("x1"), mark.get("cx"), line.get("x2")))
            self.assertTrue(plot.LABELS <= left <= middle <= right <= plot.WIDTH - plot.RIGHT)
            self.assertLess(float(mark.get("cy")), float(self.root.get("height")))
        heights = [float(mark.get("cy")) for mark in self.all("circle")]
        self.assertTrue(all(high + plot.ROW <= low for high, low in zip(heights, heights[1:])))

    def test_faster_is_further_to_the_right(self):
        ten, one = plot.Scale([0.5, 20]).x(10), plot.Scale([0.5, 20]).x(1)
        self.assertGreater(ten, one)

    def test_it_is_self_contained_and_has_two_schemes(self):
        self.assertNotIn("href", self.text)
        self.assertIn("prefers-color-scheme: dark", self.text)

    def test_without_a_ratio_there_is_none(self):
        self.assertIsNone(plot.plot([CALLS], PEERS[:1], RESULTS, ""))


class Workload(unittest.TestCase):
    def test_an_event_becomes_a_row(self):
        expected = ["a", "transaction.purchased", "1767323045000006", "\\N", "\\N", "anna", "d",
                    "\\N", "0", "\\N", "\\N", "1", "\\N", "\\N", '{"quantity":1,"title":"Süd"}']
        self.assertEqual(workload.row(EVENT), "\t".join(expected) + "\n")

    def test_a_text_that_needs_escapes_is_refused(self):
        for text in ('"', "\t", "\\"):
            with self.assertRaises(ValueError):
                workload.row({**EVENT, "data": {"title": text}})

    def test_lines_are_reversed(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/a", "wb") as file:
                file.write(b"first\n\nlast line\n")
            workload.reverse(f"{folder}/a", f"{folder}/b")
            with open(f"{folder}/b", "rb") as file:
                self.assertEqual(file.read(), b"last line\n\nfirst\n")

    def test_a_census_counts_repeated_and_late_events(self):
        census = workload.Census()
        for name, second, account in (("a", 5, "x"), ("b", 7, "x"), ("c", 6, "y"), ("a", 5, "x")):
            census.add({**EVENT, "id": name, "occurredAt": f"2026-01-02T03:04:0{second}Z",
                        "account": account})
        self.assertEqual((census.events, census.repeated, census.late), (4, 1, 1))
        self.assertIn("2 accounts, the busiest with 75.0%", census.text())

    def test_each_measure_has_a_workload(self):
        for measure in measures(1_000, False) + measures(1_000, True):
            self.assertIn(measure.workload, workload.WORKLOADS)
            self.assertGreaterEqual(measure.events, measure.batch)


class Pace(unittest.TestCase):
    """The loop of the clients, which is a module of theirs."""

    def setUp(self):
        path = f"{HERE}/clients/pace.py"
        spec = importlib.util.spec_from_file_location("pace", path)
        self.pace = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.pace)

    def prepared(self, folder, events, batch):
        with open(f"{folder}/lines", "wb") as file:
            file.write(b"".join(b"%d\n" % number for number in range(10)))
        return list(self.pace.pieces(f"{folder}/lines", events, batch, b"".join))

    def test_a_file_is_cut_into_batches_and_pieces(self):
        self.pace.PIECE_EVENTS_MAX = 4
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.prepared(folder, 7, 3), [
                [(3, b"0\n1\n2\n"), (1, b"3\n")], [(3, b"4\n5\n6\n")]])

    def test_every_batch_is_appended_once_whoever_calls(self):
        for callers in (1, 3):
            seen, settled = [], []
            with tempfile.TemporaryDirectory() as folder:
                prepared = self.prepared(folder, 10, 2)
            count, _ = self.pace.measure(
                prepared, [seen.append] * callers, 60, lambda: settled.append(len(seen)))
            self.assertEqual((count, sorted(seen)), (10, sorted(b for _, b in prepared[0])))
            self.assertEqual(settled, [5])

    def test_no_batch_begins_after_the_time(self):
        count, _ = self.pace.measure([[(1, b"a")], [(1, b"b")]], [lambda batch: None], 0)
        self.assertEqual(count, 0)

    def test_a_caller_that_fails_ends_the_measurement(self):
        def fail(batch):
            raise RuntimeError("gone")

        with self.assertRaises(RuntimeError):
            self.pace.measure([[(1, b"a"), (1, b"b")]], [fail, fail], 60)


def run():
    """Runs all tests; the exit code."""
    suite = unittest.defaultTestLoader.loadTestsFromName(__name__)
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    return 0 if result.wasSuccessful() else 1
