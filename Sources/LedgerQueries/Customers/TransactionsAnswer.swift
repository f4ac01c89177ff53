public import LedgerEvents
public import LedgerModel
public import LedgerStore

/// A customer's transactions: the answer to `transactions`.
public struct TransactionsAnswer: Sendable {
  /// One download of a transaction on one device.
  public struct Download: Sendable {
    public var download: Name
    /// `nil` for the absent device.
    public var device: Name?
    public var phase: DownloadStanding.Phase
    public var isCancelledByFinish: Bool
    /// The highest progress of the attempt, 0 to 1.
    public var progress: Double?
    public var host: DownloadHost
    public var contentVersion: Name?
    public var since: Instant?
  }

  /// One transaction, or a payment without a known transaction.
  public struct Entry: Sendable {
    public var environment: StoreEnvironment
    public var transaction: Name?
    /// Set if no transaction is known.
    public var payment: Name?
    public var originalTransaction: Name?
    public var product: Name?
    /// The first account that an event of it states.
    public var account: Name?
    /// The queue's last report; `nil` if only the store has reported the transaction.
    public var reported: EventKind?
    public var reportedAt: Instant?
    public var phase: TransactionStanding.Phase
    public var openedAt: Instant?
    public var finishCount: Int
    public var isRemovedUnfinished: Bool
    public var purchasedAt: Instant?
    public var reversal: TransactionStanding.Reversal?
    public var isFamilyShared: Bool
    public var downloads: [Download]

    /// Whether it is still in the queue: delivered and not finished, or not answered yet.
    public var isOnQueue: Bool
  }

  /// The account asked about; `nil` if the question named a transaction or an original transaction.
  public var account: Name?
  /// Whether any event of the ledger states that account, transaction or original transaction.
  public var isKnown: Bool
  /// The position of the answer.
  public var position: UInt64
  public var environments: [StoreEnvironment]
  /// In the order of their first events, environment by environment.
  public var entries: [Entry]
}

extension LedgerView {
  /// Each transaction of a customer with its state and its downloads.
  ///
  /// - Complexity: O(*n*) in the customer's unit.
  /// - Throws: ``LedgerError``.
  public func transactions(
    of customer: CustomerReference, environments: [StoreEnvironment] = [.production],
    clocks: Clocks = .now
  ) throws(LedgerError) -> TransactionsAnswer {
    let inquiry = try inquire(customer, clocks)
    var named: Name?
    if case .account(let name) = customer { named = name }
    var answer = TransactionsAnswer(
      account: named, isKnown: inquiry?.isKnown ?? false, position: try lastPosition(clocks),
      environments: environments, entries: [])
    guard let inquiry else { return answer }
    let found = inquiry.unit.standings(
      of: inquiry.subject, environments: EnvironmentSet(environments))
    for standing in found { answer.entries.append(try entry(standing)) }
    return answer
  }

  func entry(
    _ standing: TransactionStanding
  ) throws(LedgerError) -> TransactionsAnswer.Entry {
    let use = try log.name(standing.number)
    let isPayment = use.kind == .payment
    var downloads: [TransactionsAnswer.Download] = []
    for download in standing.downloads {
      downloads.append(
        TransactionsAnswer.Download(
          download: try text(of: download.number), device: try text(download.device),
          phase: download.phase, isCancelledByFinish: download.isCancelledByFinish,
          progress: download.progress, host: download.host, contentVersion: download.version,
          since: download.newestAt.map(Instant.init(microseconds:))))
    }
    return TransactionsAnswer.Entry(
      environment: standing.environment, transaction: isPayment ? nil : use.name,
      payment: isPayment ? use.name : nil,
      originalTransaction: isPayment ? nil : try text(standing.original),
      product: try text(standing.product), account: try text(standing.owner),
      reported: standing.reported == .unknown ? nil : standing.reported,
      reportedAt: standing.reportedAt.map(Instant.init(microseconds:)), phase: standing.phase,
      openedAt: standing.openedAt.map(Instant.init(microseconds:)),
      finishCount: standing.finishCount, isRemovedUnfinished: standing.isRemovedUnfinished,
      purchasedAt: standing.purchasedAt.map(Instant.init(microseconds:)),
      reversal: standing.reversal, isFamilyShared: standing.isFamilyShared, downloads: downloads,
      isOnQueue: standing.isOnQueue)
  }
}
