import LedgerAnswers
import LedgerEvents
import LedgerQueries
import ProductCatalogue

extension CatalogShow {
  func printInvalid() throws {
    let report = try options.read { (view) throws(LedgerError) in
      try view.invalidIdentifiers(query)
    }
    switch format {
    case .table: report.printTables()
    case .json:
      var json = JSONText()
      report.write(to: &json)
      Console.print(json.text)
    case .jsonl:
      for identifier in report.identifiers {
        var json = JSONText()
        identifier.write(to: &json)
        Console.print(json.text)
      }
    }
  }

  func printPayments() throws {
    let blocks = try options.read { (view) throws(LedgerError) in
      try view.paymentBlocks(query)
    }
    guard format == .table else {
      var printer = ListPrinter<PaymentBlock>(
        format, header: [], nothing: "", row: { _ in [] },
        write: { block, json in block.write(to: &json) })
      for block in blocks { printer.add(block) }
      printer.end()
      return
    }
    var table = TextTable([
      "device", "accounts", "not allowed since", "checked", "tried", "product",
    ])
    for block in blocks {
      let accounts = block.accounts.map(\.text).joined(separator: ", ")
      let cells = [
        String(cell: block.device), accounts.isEmpty ? "-" : accounts, block.since.shown,
        block.lastChecked.shown,
      ]
      if block.attempts.isEmpty { table.add(cells + ["-", "-"]) }
      for (index, attempt) in block.attempts.enumerated() {
        table.add(
          (index == 0 ? cells : ["", "", "", ""]) + [
            attempt.occurredAt.shown, String(cell: attempt.product),
          ])
      }
    }
    if table.isEmpty {
      Console.print("every device that asked may pay")
    } else {
      table.lines.forEach(Console.print)
    }
  }
}

extension InvalidReport {
  fileprivate func printTables() {
    var table = TextTable(["identifier", "responses", "devices", "last", "points to"])
    for found in identifiers {
      let hints = found.hints.map(\.text).joined(separator: "; ")
      table.add([
        found.identifier.text, "\(found.responses)", "\(found.devices)", found.lastSeen.shown,
        hints.isEmpty ? "the ledger knows nothing like it" : hints,
      ])
    }
    if table.isEmpty {
      Console.print("no invalid identifiers in \(responses.counted("response"))")
    } else {
      table.lines.forEach(Console.print)
    }
    if let allInvalid { allInvalid.printList() }
    guard !failures.isEmpty else { return }
    var failed = TextTable(["failed with", "requests", "devices", "last", "message"])
    for failure in failures {
      failed.add([
        failure.name, "\(failure.requests)", "\(failure.devices)", failure.lastSeen.shown,
        failure.message ?? "-",
      ])
    }
    Console.print("")
    failed.lines.forEach(Console.print)
  }
}

extension InvalidReport.AllInvalid {
  fileprivate func printList() {
    Console.print("")
    Console.print(
      "\(responses.counted("response")) of \(devices.counted("device")) knew nothing of what was "
        + "asked for, the last at \(lastSeen.shown) (position \(position)).")
    if let settledAt {
      Console.print("Settled: at \(settledAt.shown) the store knew products again.")
      return
    }
    Console.print("Where all are invalid, check (\(InvalidCause.source)):")
    for (index, cause) in InvalidCause.allCases.enumerated() {
      Console.print("  \(index + 1). \(cause.text)")
    }
  }
}

extension InvalidReport.Failure {
  fileprivate var name: String {
    switch (domain, code) {
    case (nil, nil): "no error stated"
    case (let domain?, nil): domain
    case (nil, let code?): "code \(code)"
    case (let domain?, let code?): "\(domain) \(code)"
    }
  }
}
