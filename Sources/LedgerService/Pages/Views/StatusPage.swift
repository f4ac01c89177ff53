import LedgerAnswers
import LedgerEvents
import LedgerStore

/// Whether the service and its ledger are well.
struct StatusPage {
  let version: String
  let log: UInt64
  /// nil if there are no projections.
  let folded: UInt64?
  let lag: UInt64
  let foldFailure: String?
  let followers: Int
  let sessions: Int
  /// nil for those who may not see them.
  let statistics: LedgerStatistics?

  private var isWell: Bool { lag <= ServiceLimits.lagEventsMax && foldFailure == nil }

  var page: Page {
    var body: HTML =
      "<h1>Health</h1>\n<p class=\"notice \(isWell ? "good" : "bad")\" role=\"status\">"
    body +=
      isWell
      ? "All is well: the ledger can be read, and answers know all of it.</p>\n"
      : "Something needs you: \(trouble)</p>\n"
    body += .section("service", "Service", service)
    if let statistics {
      body += .section("ledger", "Ledger", ledger(statistics))
      var table = PageTable("Events by type", ["Type", "Events"])
      for (name, count) in LedgerStatistics.sorted(statistics.eventsByType) {
        let isKnown = name != LedgerStatistics.otherTypes
        table.add([
          isKnown ? .link(PageAddress("/live", [("type", name)]), name) : "other", "\(count)",
        ])
      }
      body += .section("types", "Events by type", table.html(empty: "No event yet."))
    } else {
      body += .note("A token with the scope admin sees figures about the ledger, too.")
    }
    return Page(title: "Health", place: .status, body: body, position: log)
  }

  private var trouble: String {
    if let foldFailure {
      return "the last fold failed: \(foldFailure). `daybook rebuild` makes the projections anew."
    }
    return
      "answers are \(lag.counted("event")) behind the log. They catch up by themselves; if they "
      + "do not, look into the log of the service."
  }

  private var service: HTML {
    var html: HTML = "<dl class=\"pairs\"><dt>Version</dt><dd>\(version)</dd>"
    html += "<dt>LMDB</dt><dd>\(Ledger.lmdbVersion)</dd>"
    html += "<dt>Last position</dt><dd>\(log)</dd>"
    html += "<dt>Answers know</dt><dd>position \(folded ?? 0)"
    html += lag == 0 ? ", which is all" : ", \(lag.counted("event")) behind"
    html += "</dd><dt>Clients that follow the log</dt><dd>\(followers)</dd>"
    return html + "<dt>Sessions of these pages</dt><dd>\(sessions)</dd></dl>\n"
  }

  private func ledger(_ statistics: LedgerStatistics) -> HTML {
    var html: HTML = "<dl class=\"pairs\"><dt>Events</dt><dd>\(statistics.events)</dd>"
    html += "<dt>Accounts</dt><dd>\(statistics.accounts)</dd>"
    html += "<dt>Log</dt><dd>\(Self.size(statistics.logBytes))</dd>"
    html += "<dt>Projections</dt><dd>\(Self.size(statistics.projectionBytes)), generation "
    html += "\(statistics.generation)</dd>"
    if let reader = statistics.oldestReader {
      html += "<dt>Oldest reader</dt><dd>process \(reader.process), "
      html += "\(reader.commitsBehind) commits behind</dd>"
    }
    return html + "</dl>\n"
  }

  /// A size in the largest unit that fits.
  private static func size(_ bytes: Int) -> String {
    if bytes >= 1 << 30 { return "\(bytes >> 30) GiB" }
    if bytes >= 1 << 20 { return "\(bytes >> 20) MiB" }
    return "\(bytes >> 10) KiB"
  }
}
