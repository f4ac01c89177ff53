import LedgerEvents
import LedgerModel
import LedgerQueries

/// The answer of `customer`: one screen for people, one document for programs.
struct CustomerScreen {
  /// The requested id.
  let id: Name
  let matches: [CustomerMatch]
  let title: String
  let overview: CustomerOverview

  // MARK: - For people

  func printText() {
    Console.print(Console.bold(TextTable.printable("customer \(title)")))
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

  // MARK: - For programs

  /// The members of the document.
  static let columns = [
    "id", "known", "matches", "accounts", "at", "position", "environment", "entitlements",
    "active", "balances", "nextChangeAt", "devices", "openTransactions", "findings", "events",
    "lastEvents",
  ]

  var json: String {
    let answer = overview.entitlements
    var json = JSONText()
    json.object { json in
      json.member("id", id)
      json.member("known", true)
      json.member("matches", each: matches) { $1.write(to: &$0) }
      json.member("accounts", names: overview.accounts)
      json.member("at", answer.at)
      json.member("position", answer.position)
      json.member("environment", answer.environments)
      json.member("entitlements", each: answer.entries) {
        $1.write(to: &$0, overview.unverified)
      }
      json.member("active", names: answer.active)
      json.member(
        "balances",
        object: { json in
          for balance in answer.balances { json.member(balance.unit.text, balance.amount) }
        })
      json.member("nextChangeAt", answer.nextChangeAt)
      json.member("devices", each: overview.devices) { $1.write(to: &$0) }
      json.member("openTransactions", each: overview.openTransactions) { $1.write(to: &$0) }
      json.member("findings", each: overview.findings) { $1.writeWithAdvice(to: &$0) }
      json.member("events", overview.eventCount)
      json.member("lastEvents", each: overview.lastEvents) { json, event in
        json.raw(String(decoding: EventEncoder().encode(event), as: UTF8.self))
      }
    }
    return json.text
  }
}

extension CustomerOverview.Device {
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("device", name)
      json.member("lastSeenAt", lastSeenAt)
      json.member("appVersion", appVersion)
      json.member("systemVersion", systemVersion)
      json.member("installed", each: installed) { json, content in
        content.write(to: &json, account: nil)
      }
    }
  }
}
