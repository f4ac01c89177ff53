import ArgumentParser
import LedgerEvents
import LedgerModel
import LedgerStore

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "What changed between two positions or times of the ledger.",
    discussion: """
      Reads the ledger and writes, customer by customer, what came and went: products, \
      entitlements, balances, installed versions. Each side is what the ledger answered then; with \
      --at both are judged at one store time, so that only what it learned counts. Example:

        daybook diff reader-1 --from 2026-02-01T00:00:00Z --to 2026-03-01T00:00:00Z
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The customer's account (default: all customers).", transform: Parse.name)
  var account: Name?

  @Option(
    help: ArgumentHelp(
      "A position or time of the ledger; 0 is before its first event.",
      valueName: "position|time"),
    transform: Parse.ledgerTime)
  var from: Clocks.LedgerTime

  @Option(
    help: ArgumentHelp("A later one (default: the ledger's end).", valueName: "position|time"),
    transform: Parse.ledgerTime)
  var to: Clocks.LedgerTime?

  @Option(
    help: ArgumentHelp("Judge both sides at this store time.", valueName: "time"),
    transform: Parse.instant)
  var at: Instant?

  @OptionGroup var environments: EnvironmentOptions

  @Option(help: "How to answer: table, json or jsonl.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      var count = 0
      if format == .json { Console.print("[") }
      try options.read { (view) throws(LedgerError) in
        let end = to ?? .position(view.position)
        let (first, last) = (try view.position(from), try view.position(end))
        guard first <= last else {
          throw LedgerError(
            .conditionFailed, "--from is position \(first) and --to \(last): turn them round.")
        }
        try view.differences(
          from: from, to: end, account: account, environments: environments.environments, at: at
        ) { difference in
          print(difference, isFirst: count == 0)
          count += 1
          return true
        }
      }
      switch format {
      case .json: Console.print("]")
      case .table: if count == 0 { Console.print("nothing changed") }
      case .jsonl: break
      }
    }
  }

  private func print(_ difference: CustomerDifference, isFirst: Bool) {
    switch format {
    case .table: for line in difference.lines { Console.print(TextTable.printable(line)) }
    case .json: Console.print((isFirst ? "" : ",") + difference.json)
    case .jsonl: Console.print(difference.json)
    }
  }
}

extension CustomerDifference {
  /// A line each change: whose, what, and from what to what.
  fileprivate var lines: [String] {
    let whose = account.text + (environment == .production ? "" : " in \(environment.text)")
    var lines: [String] = []
    for entry in answer?.entries ?? [] {
      let name = (entry.after ?? entry.before).map { ($0.product ?? $0.entitlement)?.text ?? "-" }
      lines.append(
        "\(whose)  \(name ?? "-"): \(Self.text(entry.before)) → \(Self.text(entry.after))")
    }
    for balance in answer?.balances ?? [] {
      lines.append("\(whose)  balance \(balance.unit.text): \(balance.before) → \(balance.after)")
    }
    for content in installed {
      let device = content.device.map { " on \($0.text)" } ?? ""
      lines.append(
        "\(whose)  installed \(content.product.text)\(device): \(content.before?.text ?? "-") → "
          + (content.after?.text ?? "-"))
    }
    return lines
  }

  private static func text(_ entry: EntitlementsAnswer.Entry?) -> String {
    guard let entry else { return "-" }
    return entry.state.text + (entry.expiresAt.map { " until \($0.rfc3339)" } ?? "")
  }

  fileprivate var json: String {
    var json = JSONText()
    json.object { json in
      json.member("account", account)
      json.member("environment", environment.text)
      json.member("gained", strings: (answer?.gained ?? []).map(\.text))
      json.member("lost", strings: (answer?.lost ?? []).map(\.text))
      json.member(
        "entitlements",
        array: { json in
          for entry in answer?.entries ?? [] {
            json.object { json in
              json.key("before")
              if let before = entry.before { before.write(to: &json) } else { json.raw(nil) }
              json.key("after")
              if let after = entry.after { after.write(to: &json) } else { json.raw(nil) }
            }
          }
        })
      json.member(
        "balances",
        array: { json in
          for balance in answer?.balances ?? [] {
            json.object { json in
              json.member("unit", balance.unit)
              json.member("before", balance.before)
              json.member("after", balance.after)
            }
          }
        })
      json.member(
        "installed",
        array: { json in
          for content in installed {
            json.object { json in
              json.member("device", content.device)
              json.member("product", content.product)
              json.member("before", content.before)
              json.member("after", content.after)
            }
          }
        })
    }
    return json.text
  }
}
