import LedgerEvents

/// A transaction's delivery to one device.
struct DeliveryState: Sendable {
  let transaction: Int
  let device: NameNumber
  var next = none
  /// The position of the `restore.requested` that delivered the transaction to this device, or 0.
  var restore: UInt64 = 0
  /// The finish count of the transaction when `launchCount` was last reset.
  var loopFinishCount = 0
  var launchCount = 0
  var latestLaunch: UInt64 = 0
  /// The ordinal of the newest delivery to this device as purchased or restored; `none` before any.
  var paidOrdinal = none

  init(transaction: Int, device: NameNumber) {
    self.transaction = transaction
    self.device = device
  }
}

/// One download of a transaction on one device (`model.md` 14).
struct DownloadState: Sendable {
  enum Phase: UInt8, Sendable {
    case announced = 0
    case requested = 1
    case waiting = 2
    case active = 3
    case paused = 4
    case finished = 5
    case failed = 6
    case cancelled = 7

    var hasEnded: Bool { rawValue >= Phase.finished.rawValue }
  }

  struct Marks: OptionSet, Sendable {
    let rawValue: UInt8
    /// A finish of the transaction cancelled it, and it was neither requested nor finished since.
    static let cancelledByFinish = Marks(rawValue: 1)
    static let everRequested = Marks(rawValue: 4)
    /// Requested, and not ended since.
    static let requestedAndOpen = Marks(rawValue: 8)
    static let withoutPaymentFound = Marks(rawValue: 16)
    static let regressionFound = Marks(rawValue: 32)
  }

  let transaction: Int
  let number: NameNumber
  let device: NameNumber
  var next = none
  var phase = Phase.announced
  var host = DownloadHost.store
  var marks: Marks = []
  var version: Name?
  /// The product under which `version` was last observed.
  var observedProduct: NameNumber = 0
  /// The highest progress of the attempt; NaN before any.
  var progress = Double.nan
  /// The launch in which that progress was made.
  var progressLaunch: UInt64 = 0
  /// The finish for which `download-after-finish` was found last.
  var afterFinishFound = 0
  var newestKind = EventKind.unknown
  var newestTime: Int64 = 0
  var newestPosition: UInt64 = 0

  init(transaction: Int, number: NameNumber, device: NameNumber) {
    self.transaction = transaction
    self.number = number
    self.device = device
  }
}

/// An install by transaction, download and device, or by product and device.
struct InstallState: Sendable {
  enum Phase: UInt8, Sendable {
    case started = 0
    case installed = 1
    case failed = 2
  }

  /// `none` if the install names no download, or a download without a transaction.
  let transaction: Int
  let download: NameNumber
  /// 0 if the install names a download.
  let product: NameNumber
  let device: NameNumber
  var next = none
  var phase = Phase.started
  var wasInstalled = false
  var startedAt: Int64 = 0
  var startedPosition: UInt64 = 0
  var statedProduct: NameNumber = 0
  var account: NameNumber = 0

  init(transaction: Int, download: NameNumber, product: NameNumber, device: NameNumber) {
    self.transaction = transaction
    self.download = download
    self.product = product
    self.device = device
  }
}

/// What one customer, or nobody, has installed of a product on a device (`model.md` 17).
struct ContentState: Sendable {
  var holder: Holder
  let product: NameNumber
  let device: NameNumber
  var next = none
  var isPresent = true
  var version: Name
  var installedAt: Int64
  /// The position of the install event, which states the path.
  var position: UInt64
  var ordinal: Int
  /// The transaction that the install named.
  var transaction: Int
}

/// A closing finish at which a finished download had never been installed. The next purge, or a
/// failed install, means that the customer has nothing.
struct ClosingState: Sendable {
  var transaction: Int
  var device: NameNumber
  var downloads: [Int]
  var key: FoldKey
}
