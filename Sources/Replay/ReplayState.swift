internal import LedgerEvents
internal import LedgerModel

/// What a replay shows of a fold: a line of text by subject.
struct ReplayState {
  private(set) var lines: [ReplaySubject: String] = [:]

  init() {}

  /// - Complexity: O(*n*) in what the book's units keep.
  init(_ book: Book, _ texts: NumberedEvents) {
    for unit in book.units {
      addTransactions(of: unit, texts)
      for environment in StoreEnvironment.allCases {
        guard let moment = book.newestEvent(in: environment) else { continue }
        let place = Place(
          unit: unit, environment: environment, moment: moment, context: book.context,
          texts: texts)
        for account in unit.knownAccounts { addCustomer(account, place) }
        addOwnerless(place)
      }
    }
  }

  /// Where a customer is looked at.
  private struct Place {
    let unit: Unit
    let environment: StoreEnvironment
    let moment: Int64
    let context: SharedContext
    let texts: NumberedEvents

    var environments: EnvironmentSet { EnvironmentSet(environment) }

    func answer(_ subject: Subject) -> Answer {
      unit.answer(
        subject, environments: environments, at: moment, context: context, texts: texts)
    }
  }

  /// What has changed since `before`, by subject.
  func changes(since before: ReplayState) -> [ReplayChange] {
    var changes: [ReplayChange] = []
    for (subject, line) in lines where before.lines[subject] != line {
      changes.append(
        ReplayChange(subject: subject, before: before.lines[subject], after: line))
    }
    for (subject, line) in before.lines where lines[subject] == nil {
      changes.append(ReplayChange(subject: subject, before: line, after: nil))
    }
    return changes.sorted { $0.subject < $1.subject }
  }

  private mutating func addTransactions(of unit: Unit, _ texts: NumberedEvents) {
    for transaction in unit.standings {
      let name = texts.text(of: transaction.number)
      let subject = ReplaySubject(
        kind: texts.isPayment(transaction.number) ? .payment : .transaction,
        environment: transaction.environment, account: nil, transaction: nil, device: nil,
        name: name)
      lines[subject] = transaction.line
      for download in transaction.downloads {
        let subject = ReplaySubject(
          kind: .download, environment: transaction.environment, account: nil, transaction: name,
          device: texts.name(download.device), name: texts.text(of: download.number))
        lines[subject] = download.line
      }
    }
  }

  private mutating func addCustomer(_ account: NameNumber, _ place: Place) {
    let owner = place.texts.text(of: account)
    let answer = place.answer(.account(account))
    add(answer, owner: owner, original: nil, place)
    for content in place.unit.installed(.account(account), environments: place.environments) {
      let subject = ReplaySubject(
        kind: .installed, environment: place.environment, account: owner, transaction: nil,
        device: place.texts.name(content.device), name: place.texts.text(of: content.product))
      lines[subject] = content.version.text
    }
  }

  /// What nobody's transactions grant, chain by chain.
  private mutating func addOwnerless(_ place: Place) {
    for transaction in place.unit.standings
    where transaction.owner == 0 && transaction.environment == place.environment
      && !place.texts.isPayment(transaction.number)
    {
      let isHeld = place.unit.knownAccounts.contains { account in
        place.unit.standings(of: .account(account), environments: place.environments)
          .contains { $0.number == transaction.number }
      }
      if isHeld { continue }
      let answer = place.answer(.transaction(transaction.number))
      add(answer, owner: nil, original: place.texts.text(of: transaction.original), place)
    }
  }

  private mutating func add(_ answer: Answer, owner: Name?, original: Name?, _ place: Place) {
    for entry in answer.entries {
      let subject = ReplaySubject(
        kind: .entitlement, environment: place.environment, account: owner,
        transaction: original, device: nil,
        name: place.texts.name(entry.product) ?? entry.entitlement ?? "")
      let end = entry.expiresAt.map { " until \(Instant(microseconds: $0).rfc3339)" } ?? ""
      lines[subject] = entry.state.text + end
    }
    for balance in answer.balances {
      let subject = ReplaySubject(
        kind: .balance, environment: place.environment, account: owner, transaction: original,
        device: nil, name: balance.unit)
      lines[subject] = "\(balance.amount)"
    }
  }
}

extension TransactionStanding {
  /// Its state in words: `purchased, open`.
  fileprivate var line: String {
    var words: [String] = []
    if reported != .unknown {
      words.append(reported.text.split(separator: ".").last.map(String.init) ?? reported.text)
    } else if purchasedAt != nil {
      words.append("bought, says the store")
    } else {
      words.append("seen")
    }
    switch phase {
    case .open: words.append(isRemovedUnfinished ? "open, removed" : "open")
    case .finished: words.append("finished")
    case .undelivered: break
    }
    if let reversal { words.append(reversal.text) }
    return words.joined(separator: ", ")
  }
}

extension DownloadStanding {
  /// Its state in words: `active 31%`.
  fileprivate var line: String {
    var line = phase.text
    if let progress, phase != .finished { line += " \(Int((progress * 100).rounded(.down)))%" }
    if isCancelledByFinish { line += " by the finish" }
    if let version { line += ", version \(version.text)" }
    return line
  }
}
