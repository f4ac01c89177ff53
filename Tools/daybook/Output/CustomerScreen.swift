import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries

/// The answer of `customer` as one screen for people.
extension CustomerDocument {
  func printText() {
    Console.print(Console.bold("customer \(title)".printable))
    let by = matches.map(\.description).joined(separator: ", ")
    let answer = overview.entitlements
    Console.print(wrapped: "found by \(by); at \(answer.at.shown), position \(answer.position)")
    printEntitlements(answer)
    printDevices()
    printOpenTransactions()
    printFindings()
    printEvents()
  }

  private func section(_ title: String, _ table: TextTable, nothing: String) {
    Console.print("")
    Console.print(Console.bold(title))
    if table.isEmpty { Console.print("  \(nothing)") }
    for line in table.isEmpty ? [] : table.lines(indent: "  ") { Console.print(line) }
  }

  private func printEntitlements(_ answer: EntitlementsAnswer) {
    var table = TextTable(["product", "entitlements", "state", "since", "expires", "source"])
    for entry in answer.entries { table.add(entry.row(overview.unverified)) }
    section("entitlements", table, nothing: "none")
    if let next = answer.nextChangeAt {
      Console.print("  the next change without a new event is at \(next.shown)")
    }
    guard !answer.balances.isEmpty else { return }
    var balances = TextTable(["unit", "balance"])
    for balance in answer.balances { balances.add([balance.unit.text, "\(balance.amount)"]) }
    section("balances", balances, nothing: "none")
  }

  private func printDevices() {
    var table = TextTable([
      "device", "last seen", "app", "system", "product", "installed", "on offer",
    ])
    for device in overview.devices {
      let own = [
        String(cell: device.name), String(cell: device.lastSeenAt), device.appVersion ?? "-",
        device.systemVersion ?? "-",
      ]
      if device.installed.isEmpty { table.add(own + ["-", "-", "-"]) }
      for (index, content) in device.installed.enumerated() {
        table.add(
          (index == 0 ? own : own.map { _ in "" }) + [
            content.product.text, content.contentVersion.text,
            content.available.map { $0.text + (content.updateAvailable ? " (newer)" : "") } ?? "-",
          ])
      }
    }
    section("devices", table, nothing: "none")
  }

  private func printOpenTransactions() {
    var table = TextTable(["transaction", "product", "state", "since", "downloads"])
    for entry in overview.openTransactions {
      table.add([
        entry.transaction?.text ?? entry.payment.map { "payment \($0.text)" } ?? "-",
        String(cell: entry.product), entry.stateText,
        String(cell: entry.reportedAt ?? entry.purchasedAt),
        entry.downloads.isEmpty
          ? "-"
          : entry.downloads.map { "\($0.download.text) \($0.phase.text)" }.joined(separator: ", "),
      ])
    }
    section("open transactions", table, nothing: "none")
  }

  private func printFindings() {
    section("findings", .findings(overview.findings), nothing: "none")
    for (rule, advice) in advice {
      let lines = Paragraph.lines("\(rule): \(advice)", columns: Paragraph.columns - 2)
      for line in lines { Console.print("  \(line)") }
    }
  }

  /// What to do about each rule that was broken, in the order of the findings.
  private var advice: [(rule: String, advice: String)] {
    var seen: Set<Rule> = []
    return overview.findings.map(\.rule).filter { seen.insert($0).inserted }
      .map { ($0.id, $0.explanation.advice) }
  }

  private func printEvents() {
    var table = TextTable(["position", "occurred", "type", "transaction", "product", "device"])
    for recorded in overview.lastEvents {
      let event = recorded.event
      table.add([
        "\(recorded.position)", event.occurredAt.shown, event.type.text,
        String(cell: event.transaction ?? event.payment), String(cell: event.product),
        String(cell: event.device),
      ])
    }
    let count = overview.eventCount
    let shown = overview.lastEvents.count
    section(
      shown < count ? "the last \(shown) of \(count) events" : "events", table, nothing: "none")
  }
}
