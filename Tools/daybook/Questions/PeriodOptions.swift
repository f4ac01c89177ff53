import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerModel

/// The period in which events occurred.
struct PeriodOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Only what occurred at this time or later.", valueName: "time"),
    transform: Parse.instant)
  var since: Instant?

  @Option(
    help: ArgumentHelp("Only what occurred before this time.", valueName: "time"),
    transform: Parse.instant)
  var until: Instant?

  func validate() throws { try Parse.refuseTurned(since: since, until: until) }
}

/// How long something may stay open before a rule reports it.
struct ThresholdOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How long something may stay open, such as never-finished=PT48H (repeatable).",
      valueName: "rule=duration"),
    transform: Parse.threshold)
  var threshold: [RuleThreshold] = []

  func apply(to thresholds: inout Thresholds) {
    for threshold in threshold { threshold.apply(to: &thresholds) }
  }
}
