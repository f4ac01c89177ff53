public import LedgerEvents

/// One transaction of a customer, as events have left it.
public struct TransactionStanding: Sendable {
  /// Where it stands on the queue (`model.md` 13).
  public enum Phase: UInt8, CaseIterable, Sendable {
    /// The queue never delivered it to the app.
    case undelivered = 0
    /// Delivered, and not finished since.
    case open = 1
    case finished = 2

    /// The word that answers use.
    public var text: String {
      switch self {
      case .undelivered: "undelivered"
      case .open: "open"
      case .finished: "finished"
      }
    }
  }

  /// What the newest refund, revocation or reversal left standing (`model.md` 7).
  public enum Reversal: UInt8, CaseIterable, Sendable {
    case refunded = 1
    case revoked = 2
    case reversed = 3

    /// The word that answers use.
    public var text: String {
      switch self {
      case .refunded: "refunded"
      case .revoked: "revoked"
      case .reversed: "refundReversed"
      }
    }
  }

  public var environment: StoreEnvironment
  /// The number of the transaction, or of its payment while no transaction is known.
  public var number: NameNumber
  /// The original of the chain: the stated one, otherwise `number`.
  public var original: NameNumber
  /// The first product that one of its events states.
  public var product: NameNumber
  /// The first account that one of its events states.
  public var owner: NameNumber
  /// The newest of purchasing, deferred, purchased, restored and failed among its queue facts;
  /// `unknown` if there is no such fact.
  public var reported: EventKind
  /// When the queue reported that, in microseconds; `nil` if it reported no product.
  public var reportedAt: Int64?
  public var phase: Phase
  /// When a delivery opened it, in microseconds.
  public var openedAt: Int64?
  /// How often it was finished after a delivery.
  public var finishCount: Int
  /// Whether it left the queue while it was open (`removed-without-finish`).
  public var isRemovedUnfinished: Bool
  /// When it was bought, according to its purchase facts, in microseconds; `nil` if there are none.
  public var purchasedAt: Int64?
  public var reversal: Reversal?
  public var isFamilyShared: Bool
  public var downloads: [DownloadStanding]

  /// Whether it is still on the queue: delivered and not finished, or not yet answered.
  public var isOnQueue: Bool {
    switch phase {
    case .open: true
    case .finished: false
    case .undelivered: reported == .transactionPurchasing || reported == .transactionDeferred
    }
  }
}

/// One download of a transaction on one device (`model.md` 14).
public struct DownloadStanding: Sendable {
  /// What the newest event of the download says.
  public enum Phase: UInt8, CaseIterable, Sendable {
    case announced = 0
    case requested = 1
    case waiting = 2
    case active = 3
    case paused = 4
    case finished = 5
    case failed = 6
    case cancelled = 7

    /// The word that answers use.
    public var text: String {
      switch self {
      case .announced: "announced"
      case .requested: "requested"
      case .waiting: "waiting"
      case .active: "active"
      case .paused: "paused"
      case .finished: "finished"
      case .failed: "failed"
      case .cancelled: "cancelled"
      }
    }
  }

  public var number: NameNumber
  /// 0 for the absent device.
  public var device: NameNumber
  public var phase: Phase
  /// Whether a finish of its transaction cancelled it.
  public var isCancelledByFinish: Bool
  /// The highest progress of the attempt, 0 to 1; `nil` before any.
  public var progress: Double?
  public var host: DownloadHost
  public var version: Name?
  /// When its newest event happened, in microseconds; `nil` if it was only announced.
  public var newestAt: Int64?
}

extension Unit {
  /// The transactions that a customer holds, in the order of their first events. If nobody holds
  /// the subject's transaction or chain, the result is the chain's transactions.
  ///
  /// - Complexity: O(*n*) in the unit's transactions and downloads.
  public func standings(
    of subject: Subject, environments: EnvironmentSet = .production
  ) -> [TransactionStanding] {
    self.environments.filter { environments.contains($0.environment) }.flatMap { state in
      state.scope(of: subject).map { scope in
        state.transactions(of: scope).filter { state.transactions[$0].isBegun }
          .map { state.standing(ofTransaction: $0) }
      } ?? []
    }
  }

  /// Every transaction that an event has begun, in the order of environments and first events.
  ///
  /// - Complexity: O(*n*) in the unit's transactions and downloads.
  public var standings: [TransactionStanding] {
    environments.flatMap { state in
      state.transactions.indices.filter { state.transactions[$0].isBegun }
        .map { state.standing(ofTransaction: $0) }
    }
  }
}

extension Unit {
  /// The first product that an event of a transaction states; 0 if none does, or if the environment
  /// does not know the transaction.
  ///
  /// - Complexity: O(1).
  package func product(
    ofTransaction number: NameNumber, in environment: StoreEnvironment
  ) -> NameNumber {
    guard let state = environments.first(where: { $0.environment == environment }) else { return 0 }
    let index = state.transactionIndex.lookUp(UInt64(number))
    return index < 0 ? 0 : state.transactions[index].product
  }
}

extension EnvironmentState {
  func standing(
    ofTransaction index: Int, _ downloads: TouchedDownloads = .all
  ) -> TransactionStanding {
    let transaction = transactions[index]
    let queue = transaction.queue
    let phase: TransactionStanding.Phase =
      queue.isOpen ? .open : queue.wasFinished ? .finished : .undelivered
    return TransactionStanding(
      environment: environment, number: transaction.number, original: transaction.original,
      product: transaction.product, owner: transaction.owner, reported: queue.reported,
      reportedAt: newestReport(of: index)?.time, phase: phase,
      openedAt: queue.wasDelivered ? queue.openedAt : nil, finishCount: queue.finishCount,
      isRemovedUnfinished: queue.isOpen && transaction.marks.contains(.removalFoundInOpening),
      purchasedAt: transaction.hasPurchase ? transaction.purchase.start : nil,
      reversal: .init(rawValue: transaction.purchase.reversal.kind.rawValue),
      isFamilyShared: transaction.purchase.isFamilyShared,
      downloads: standings(of: downloads, ofTransaction: index))
  }

  private func newestReport(of index: Int) -> ReportState? {
    var newest: ReportState?
    var next = transactions[index].firstReport
    while next != none {
      if newest.map({ $0.ordinal < reports[next].ordinal }) ?? true { newest = reports[next] }
      next = reports[next].next
    }
    return newest
  }

  /// Some downloads of a transaction, in the order of their first mention.
  private func standings(
    of wanted: TouchedDownloads, ofTransaction index: Int
  ) -> [DownloadStanding] {
    switch wanted {
    case .none: return []
    case .one(let number, let device):
      let known = download(of: index, number, on: device)
      return known == none ? [] : [DownloadStanding(downloads[known])]
    case .all:
      var found: [DownloadStanding] = []
      var next = transactions[index].firstDownload
      while next != none {
        found.append(DownloadStanding(downloads[next]))
        next = downloads[next].next
      }
      return found.reversed()
    }
  }
}

extension DownloadStanding {
  fileprivate init(_ download: DownloadState) {
    self.init(
      number: download.number, device: download.device,
      phase: .init(rawValue: download.phase.rawValue) ?? .announced,
      isCancelledByFinish: download.marks.contains(.cancelledByFinish),
      progress: download.progress.isNaN ? nil : download.progress, host: download.host,
      version: download.version,
      newestAt: download.newestPosition == 0 ? nil : download.newestTime)
  }
}
