import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import ProductCatalogue

/// The output of `catalog set` and `import storekit-config`: products, then customers as they are
/// found, then the end.
///
/// Customers come one by one, as many as the ledger has. A table and a document show the first few,
/// and JSON Lines shows all.
struct CatalogueReport {
  let format: OutputFormat
  let limit: Int
  let isDryRun: Bool
  private var shown: [AnswerDifference] = []
  private var effect = CatalogueEffect()
  private var isPreviewed = false
  private let line: (String) -> Void

  /// - Parameter line: Prints a line of a table.
  init(
    _ format: OutputFormat, limit: Int, isDryRun: Bool,
    line: @escaping (String) -> Void = Console.print
  ) {
    self.format = format
    self.limit = limit
    self.isDryRun = isDryRun
    self.line = line
  }

  func begin(_ plan: CataloguePlan) {
    guard format == .jsonl else { return }
    for product in plan.products {
      var json = JSONText()
      product.write(to: &json)
      Console.print(json.text)
    }
  }

  mutating func add(_ difference: AnswerDifference) {
    if format == .jsonl {
      var json = JSONText()
      difference.write(to: &json)
      Console.print(json.text)
    } else if shown.count < limit {
      shown.append(difference)
    }
  }

  mutating func count(_ effect: CatalogueEffect) { self.effect = effect }

  func end(_ plan: CataloguePlan, position: UInt64?, isRefused: Bool) {
    switch format {
    case .table: printTables(plan, position, isRefused)
    case .json, .jsonl:
      var json = JSONText()
      json.object { json in
        json.member("effective", plan.effective)
        json.member("app", plan.document.scope.app)
        json.member("environment", plan.document.scope.environment?.text)
        if format == .json {
          json.member("products", each: plan.products) { $1.write(to: &$0) }
        }
        json.member("leftOut", names: plan.leftOut)
        json.member(
          "customers",
          object: { json in
            json.member("compared", effect.compared)
            json.member("changed", effect.changed)
          })
        if format == .json {
          json.member("changes", each: shown) { $1.write(to: &$0) }
        }
        json.member("id", plan.event?.id)
        json.member("dryRun", isDryRun)
        json.member("refused", isRefused)
        json.member("position", position)
      }
      Console.print(json.text)
    }
  }

  private func printTables(_ plan: CataloguePlan, _ position: UInt64?, _ isRefused: Bool) {
    if !isPreviewed { preview(plan) }
    guard plan.event != nil else { return }
    if let position {
      line("appended at position \(position)")
    } else if isRefused {
      line("refused: this takes away what customers have bought")
    } else if isDryRun {
      line("dry run: nothing was appended")
    }
  }

  /// Shows the tables of `end` before a question; `end` does not print them again.
  mutating func previewBeforeQuestion(_ plan: CataloguePlan) {
    guard format == .table else { return }
    preview(plan)
    isPreviewed = true
  }

  /// Prints which products change, and for which customers that changes the answer, as tables.
  func preview(_ plan: CataloguePlan) {
    line("\(plan.document.scope.text), from \(plan.effective.shown)")
    var products = TextTable(["product", "change", "what", "now", "then"])
    for product in plan.products {
      if product.members.isEmpty {
        products.add([product.product.text, product.change.rawValue, "-", "-", "-"])
      }
      for (index, member) in product.members.enumerated() {
        products.add([
          index == 0 ? product.product.text : "", index == 0 ? product.change.rawValue : "",
          member.name, member.before ?? "-", member.after ?? "-",
        ])
      }
    }
    products.lines.forEach(line)
    if !plan.leftOut.isEmpty {
      let names = plan.leftOut.map { $0.text.printable }.joined(separator: ", ")
      line("not in the file, and so unchanged: \(names)")
    }
    guard plan.event != nil else {
      line("nothing changes: nothing to append")
      return
    }
    printCustomers()
  }

  /// How many customers are affected, in a sentence.
  private var affected: String {
    let customers = effect.compared.counted("customer")
    if effect.compared == 0 { return "no customer has any of these products" }
    if effect.changed == 0 { return "nothing changes for \(customers) with these products" }
    return "answers change for \(effect.changed) of \(customers) with these products"
  }

  private func printCustomers() {
    line(affected)
    guard !shown.isEmpty else { return }
    var table = TextTable(["account", "environment", "what", "now", "then"])
    for difference in shown {
      for (index, row) in difference.rows.enumerated() {
        let isFirst = index == 0
        table.add(
          [
            isFirst ? difference.account.text : "", isFirst ? difference.environment.text : "",
          ] + row)
      }
    }
    table.lines.forEach(line)
    let left = effect.changed - shown.count
    if left > 0 { line("and \(left) more: --limit shows more, --format jsonl all") }
  }
}

extension CataloguePlan.Product {
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("product", product)
      json.member("change", change.rawValue)
      json.member("members", each: members) { json, member in
        json.object { json in
          json.member("name", member.name)
          json.key("before")
          json.raw(member.name == "scope" ? Self.quoted(member.before) : member.before)
          json.key("after")
          json.raw(member.name == "scope" ? Self.quoted(member.after) : member.after)
        }
      }
      json.member("grantsTaken", names: grantsTaken)
      json.member("endsHosting", endsHosting)
    }
  }

  private static func quoted(_ text: String?) -> String? {
    var json = JSONText()
    json.value(text)
    return json.text
  }
}

extension AnswerDifference {
  /// A row for each change: what changes, its value now, and its value then.
  fileprivate var rows: [[String]] {
    let gained = gained.map { ["gains", "-", $0.text] }
    let lost = lost.map { ["loses", $0.text, "-"] }
    let balances = balances.map { ["balance \($0.unit)", "\($0.before)", "\($0.after)"] }
    let rows = lost + gained + balances
    if !rows.isEmpty { return rows }
    return entries.map { entry in
      let known = entry.after ?? entry.before
      let texts = AnswerWords.shown.texts(entry.before, entry.after)
      return [
        known?.product?.text ?? known?.entitlement?.text ?? "-", texts.before, texts.after,
      ]
    }
  }

  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("account", account)
      json.member("environment", environment.text)
      Self.writeChanges(self, to: &json)
    }
  }
}
