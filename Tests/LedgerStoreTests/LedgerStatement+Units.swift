import LedgerEvents
import LedgerModel

@testable import LedgerStore

extension LedgerStatement {
  /// Collects the results from the stored units of a ledger, reading each unit once. They equal the
  /// answers to questions, where ten thousand customers of one unit would each read the whole unit.
  init(unitsOf ledger: Ledger, _ questions: LedgerQuestions) throws(LedgerError) {
    self = try ledger.read { (view) throws(LedgerError) in
      var statement = try LedgerStatement(findingsOf: view, questions)
      var walk = try view.units()
      while let unit = try walk.next() {
        for account in unit.knownAccounts {
          try statement.add(unit, account, view, questions)
        }
      }
      return statement
    }
  }

  private mutating func add(
    _ unit: Unit, _ account: NameNumber, _ view: LedgerView, _ questions: LedgerQuestions
  ) throws(LedgerError) {
    let texts = view.reader.texts
    let name = texts.text(of: account)
    for (environment, moment) in questions.moments {
      guard questions.isAsked(name, environment) else { continue }
      let answer = unit.answer(
        .account(account), environments: EnvironmentSet(environment), at: moment.microseconds,
        context: view.reader.overlay.context, texts: texts)
      for entry in answer.entries where entry.product != 0 {
        add(environment, "\(name) \(texts.text(of: entry.product)) is \(entry.state.text)")
      }
      for active in answer.active { add(environment, "\(name) may use \(active)") }
      for content in unit.installed(
        .account(account), environments: EnvironmentSet(environment))
      {
        let device = content.device == 0 ? "-" : texts.text(of: content.device).text
        let product = texts.text(of: content.product)
        add(environment, "\(name) has \(product) \(content.version) on \(device)")
      }
      for balance in answer.balances {
        add(environment, "\(name) \(balance.amount) \(balance.unit)")
      }
    }
    try texts.check()
  }
}
