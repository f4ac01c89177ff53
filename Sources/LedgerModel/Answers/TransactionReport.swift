public import LedgerEvents

/// A transaction as support looks at it: where it stands on the queue, and its downloads.
public struct TransactionReport: Sendable {
  /// The state of one download on one device.
  public struct Download: Sendable {
    public var download: NameNumber
    /// 0 for the absent device.
    public var device: NameNumber
    /// `announced`, `requested`, `waiting`, `active`, `paused`, `finished`, `failed`, `cancelled`.
    public var state: String
    /// The highest of the running attempt, 0 to 1; `nil` before any.
    public var progress: Double?
    public var host: DownloadHost
    public var version: Name?
    /// Whether an install of it has succeeded there.
    public var isInstalled: Bool
  }

  public var environment: StoreEnvironment
  /// Its number, or its payment's while no transaction is known.
  public var transaction: NameNumber
  public var original: NameNumber
  public var product: NameNumber
  /// The account that it belongs to by its first stating event.
  public var account: NameNumber
  /// Whether a customer holds it now.
  public var isHeld: Bool
  /// The newest of purchasing, deferred, purchased, restored and failed; `nil` before any.
  public var state: EventKind?
  public var isOpen: Bool
  public var openedAt: Int64?
  public var isFinished: Bool
  /// Refunded or revoked, and not reversed since.
  public var isTakenAway: Bool
  /// In the order of their first events.
  public var downloads: [Download]
}

extension Unit {
  /// The transactions of a subject, in the order of their first events.
  ///
  /// - Complexity: O(*n*) in the unit's transactions and downloads.
  public func transactions(
    of subject: Subject, environments: EnvironmentSet = .production
  ) -> [TransactionReport] {
    var reports: [TransactionReport] = []
    for state in self.environments where environments.contains(state.environment) {
      guard let scope = state.scope(of: subject) else { continue }
      for place in state.transactions.indices where state.transactions[place].isBegun {
        switch scope {
        case .customer(let customer):
          guard state.transactions[place].holder == customer else { continue }
        case .chain(let chain):
          guard state.transactions[place].chain == chain else { continue }
        }
        reports.append(state.report(of: place))
      }
    }
    return reports
  }
}

extension EnvironmentState {
  fileprivate func report(of place: Int) -> TransactionReport {
    let transaction = transactions[place]
    var downloads: [TransactionReport.Download] = []
    var next = transaction.firstDownload
    while next != none {
      let download = self.downloads[next]
      downloads.append(
        TransactionReport.Download(
          download: download.number, device: download.device, state: download.phase.text,
          progress: download.progress.isNaN ? nil : download.progress, host: download.host,
          version: download.version,
          isInstalled: install(of: download)?.wasInstalled ?? false))
      next = download.next
    }
    let queue = transaction.queue
    return TransactionReport(
      environment: environment, transaction: transaction.number,
      original: transaction.original, product: transaction.product, account: transaction.owner,
      isHeld: transaction.holder != nobody,
      state: queue.reported == .unknown ? nil : queue.reported, isOpen: queue.isOpen,
      openedAt: queue.isOpen ? queue.openedAt : nil, isFinished: queue.isFinishedAndNotOpen,
      isTakenAway: transaction.purchase.reversal.takesAway, downloads: downloads.reversed())
  }
}

extension DownloadState.Phase {
  fileprivate var text: String {
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
