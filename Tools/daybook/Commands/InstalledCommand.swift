import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerQueries

struct InstalledCommand: ParsableCommand {
  /// One line of the answer: an account and what it has installed.
  private struct Line {
    let account: Name?
    let content: InstalledAnswer
  }

  static let configuration = CommandConfiguration(
    commandName: "installed",
    abstract: "Shows which content a customer has installed, by device and product.",
    discussion: """
      Prints each installed version and the version on offer. With --outdated and no account, \
      prints every device that is behind. Example:

        daybook installed reader-1 --format json
      """)

  @OptionGroup var options: LedgerOptions

  @OptionGroup var customer: OptionalCustomerOptions

  @Flag(help: "Only content that is older than the version on offer.")
  var outdated = false

  @OptionGroup var clocks: ClockOptions
  @OptionGroup var environments: EnvironmentOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    if customer.reference == nil && !outdated {
      throw ValidationError(
        "name an account, --transaction or --original, or add --outdated to list every device "
          + "that is behind.")
    }
  }

  func run() throws {
    try answering {
      var lines: [Line] = []
      var isKnown = true
      let position = try options.read { (view) throws(LedgerError) in
        if let customer = customer.reference {
          isKnown = try view.isKnown(customer, clocks.clocks)
          let contents = try view.installed(
            of: customer, environments: environments.environments,
            clocks: clocks.clocks)
          for content in contents where content.updateAvailable || !outdated {
            lines.append(Line(account: self.customer.account, content: content))
          }
        } else {
          try view.outdated(
            environments: environments.environments, clocks: clocks.clocks
          ) { account, content in
            lines.append(Line(account: account, content: content))
            return true
          }
        }
        if let asOf = clocks.asOf { return try view.position(asOf) }
        return view.position
      }
      print(lines, position, isKnown: isKnown)
    }
  }

  private func print(_ lines: [Line], _ position: UInt64, isKnown: Bool) {
    switch format {
    case .table:
      var table = TextTable([
        "account", "device", "product", "version", "available", "installed", "path",
      ])
      for line in lines {
        let content = line.content
        table.add([
          String(cell: line.account), String(cell: content.device), content.product.text,
          content.contentVersion.text,
          content.available.map { $0.text + (content.updateAvailable ? " (newer)" : "") } ?? "-",
          content.installedAt.shown, String(cell: content.path),
        ])
      }
      if !isKnown, let customer = customer.reference {
        Console.print("\(customer.description) is not known to the ledger (position \(position))")
      } else if table.isEmpty {
        Console.print("nothing")
      } else {
        table.lines.forEach(Console.print)
      }
    case .jsonl:
      Console.declare(columns: InstalledAnswer.columns)
      for line in lines {
        var json = JSONText()
        line.content.write(to: &json, account: line.account)
        Console.print(json.text)
      }
    case .json:
      var json = JSONText()
      json.object { json in
        if let customer = customer.reference {
          customer.write(to: &json)
          json.member("known", isKnown)
        } else {
          json.member("account", nil as Name?)
        }
        json.member("position", position)
        json.member("environment", environments.environments)
        json.member("installed", each: lines) { json, line in
          line.content.write(to: &json, account: customer.reference == nil ? line.account : nil)
        }
      }
      Console.print(json.text)
    }
  }
}
