package import LedgerEvents

/// Tells which of a unit's facts are needed to say what its customers have at a moment.
///
/// Downloads and installs open nothing. But as any event, one about them says whose its transaction
/// is and where its session belongs. Those that name the same things say the same, so only the
/// first of them in the fold order is needed. In a ledger of hosted content, that leaves out nearly
/// everything.
///
/// Those from after the moment are needed: a customer is judged at the newest event, if that is
/// later (`events.md`). Those of the absent device are, too, because it connects customers who
/// share nothing else.
package struct EntitlementFacts {
  private let moment: Int64
  /// The first of the facts that are about a download or an install and name the same things.
  private var first: [Names: FoldKey] = [:]

  /// - Parameter moment: Store time, in microseconds.
  package init(at moment: Int64) { self.moment = moment }

  /// Whether a fact is needed, given those that were asked about before, in any order.
  ///
  /// - Complexity: O(1).
  package mutating func needs(_ fact: Fact) -> Bool {
    guard Self.opensNothing(fact.kind), fact.device != 0, fact.occurredAt <= moment else {
      return true
    }
    return needs(
      FoldKey(fact),
      Names(
        session: fact.session, download: fact.download, transaction: fact.transaction,
        device: fact.device, account: fact.account, payment: fact.payment,
        original: fact.original, product: fact.product, environment: fact.environment))
  }

  /// Whether the fact of a record is needed, which then need not be read for an answer of no.
  ///
  /// - Complexity: O(1).
  package mutating func needs(_ record: borrowing RecordView) -> Bool {
    guard Self.opensNothing(record.kind) else { return true }
    let names = record.envelopeNumbers
    let time = record.believedAt.microseconds
    guard names[.device] != 0, time <= moment else { return true }
    return needs(
      FoldKey(
        time: time, sequence: record.sequence ?? 0, idPrefix: record.idPrefix,
        position: record.position),
      Names(
        session: names[.session], download: names[.download], transaction: names[.transaction],
        device: names[.device], account: names[.account], payment: names[.payment],
        original: names[.originalTransaction], product: names[.product],
        environment: record.environment))
  }

  /// Whether an event of a kind changes nothing but downloads and installed content.
  private static func opensNothing(_ kind: EventKind) -> Bool {
    switch kind {
    case .contentInstallStarted, .contentInstalled, .contentInstallFailed: true
    default: kind.isDownloadKind
    }
  }

  private mutating func needs(_ key: FoldKey, _ names: Names) -> Bool {
    guard let known = first[names] else {
      first[names] = key
      return true
    }
    if known.precedesSurely(key) { return false }
    // Where only the ids could tell, both are needed.
    if key.precedesSurely(known) { first[names] = key }
    return true
  }

  /// What a fact names, and the environment that it states.
  private struct Names: Hashable {
    private let words: (UInt64, UInt64, UInt64, UInt64)
    private let environment: StoreEnvironment?

    init(
      session: NameNumber, download: NameNumber, transaction: NameNumber, device: NameNumber,
      account: NameNumber, payment: NameNumber, original: NameNumber, product: NameNumber,
      environment: StoreEnvironment?
    ) {
      words = (
        Self.word(session, download), Self.word(transaction, device),
        Self.word(account, payment), Self.word(original, product)
      )
      self.environment = environment
    }

    private static func word(_ high: NameNumber, _ low: NameNumber) -> UInt64 {
      UInt64(high) << 32 | UInt64(low)
    }

    static func == (left: Self, right: Self) -> Bool {
      left.words == right.words && left.environment == right.environment
    }

    func hash(into hasher: inout Hasher) {
      // The others hardly ever differ if these do not.
      hasher.combine(words.0)
      hasher.combine(words.1)
    }
  }
}
