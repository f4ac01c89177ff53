import LedgerAnswers
import LedgerEvents
import LedgerQueries

/// The questions that are about one customer elsewhere, asked about all of them.
enum EverybodyQuestions {
  /// Every transaction.
  static let transactions: QuestionReader = { (items) throws(Problem) in
    try transactions(items) { (_, entries, _) in entries }
  }

  /// The purchases that no account has.
  static let ownerless: QuestionReader = { (items) throws(Problem) in
    try transactions(items) { (view, entries, clocks) throws(LedgerError) in
      try view.ownerless(entries, clocks: clocks)
    }
  }

  /// - Parameters:
  ///   - items: The parameters.
  ///   - chosen: Those that the answer has of the transactions of one customer.
  private static func transactions(
    _ items: QueryItems,
    _ chosen:
      @escaping @Sendable (
        LedgerView, [TransactionsAnswer.Entry], Clocks
      ) throws(LedgerError) -> [TransactionsAnswer.Entry]
  ) throws(Problem) -> Question {
    let environments = try items.environments()
    let onlyOpen = try items.flag("open")
    let (page, limit) = (try PageClocks(items), try items.limit())
    return Question(.everybody) { (view, now) throws(LedgerError) in
      let moment = try page.moment(view, now)
      var pager = try Pager(page.cursor, limit: limit, in: view)
      try view.contents(environments: environments, clocks: moment.clocks, now: moment.at) {
        (unit) throws(LedgerError) in
        for entry in try chosen(view, unit.transactions, moment.clocks)
        where !onlyOpen || entry.isOnQueue {
          guard pager.add({ JSONText.text { entry.write(to: &$0) } }) else { return false }
        }
        return true
      }
      return pager.answer(columns: TransactionsAnswer.columns, moment)
    }
  }

  /// Every device whose content is older than the version on offer.
  static let outdated: QuestionReader = { (items) throws(Problem) in
    let environments = try items.environments()
    let (page, limit) = (try PageClocks(items), try items.limit())
    return Question(.everybody) { (view, now) throws(LedgerError) in
      let moment = try page.moment(view, now)
      var pager = try Pager(page.cursor, limit: limit, in: view)
      try view.outdated(environments: environments, clocks: moment.clocks) { account, content in
        pager.add { JSONText.text { content.write(to: &$0, account: account) } }
      }
      return pager.answer(columns: InstalledAnswer.columns, moment)
    }
  }
}
