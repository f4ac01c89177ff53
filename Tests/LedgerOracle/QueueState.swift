import LedgerEvents

/// A download of one transaction on one device.
struct DownloadID: Hashable {
  var download: Name
  var device: Name?
}

enum DownloadState {
  case announced, requested, waiting, active, paused, finished, failed, cancelled

  var hasEnded: Bool { self == .finished || self == .failed || self == .cancelled }
}

struct Download {
  var state = DownloadState.announced
  var isHostedByStore = true
  var version: String?
  /// Whether a finish cancelled it. Only a new request or its own finish changes that.
  var isCancelledForGood = false
  var wasRequested = false
  var newestEvent: Seen?
  /// The current attempt: its highest progress, its launch, and whether it was reported.
  var attempt: Attempt?

  struct Attempt {
    var launch: Int
    var highest: Double?
    var wasTold = false
  }
}

enum InstallState {
  case started, installed, failed
}

struct Install {
  var state: InstallState
  var wasInstalled: Bool
  var newestEvent: Seen
}

/// The digests stated by installs of one version and path of a product.
struct DigestGroup {
  var version: String
  var path: Name?
  var digests: Set<Name>
}

/// A finish of an open transaction whose newest delivery is purchased or restored.
struct ClosingFinish {
  var device: Name?
  /// The downloads that were finished by then and had never been installed there.
  var awaited: [DownloadID]
}

/// What the queue's facts have stated about one transaction so far (`model.md` 13 and 14).
struct QueueState {
  /// Whether there was an earlier `transaction.*` or `subscription.*` event.
  var isKnown = false
  var reported: Seen?
  var newestDelivery: Seen?
  /// The delivery that opened it; nil while it is not open.
  var openedBy: Seen?
  var openings = 0
  /// The number of times a delivered transaction was finished.
  var finishes = 0
  var wasRemoved = false
  var devices: Set<Name?> = []
  var launches: [Name?: Set<Int>] = [:]
  var restores: [Name?: Int] = [:]
  var downloads: [DownloadID: Download] = [:]
  var installs: [DownloadID: Install] = [:]
  var closings: [ClosingFinish] = []
  /// The rules that were already reported, for rules that are reported once.
  var reportedRules: Set<String> = []
  var wasPurchased = false
  var sawDownload = false

  var isOpen: Bool { openedBy != nil }
  var isDelivered: Bool { newestDelivery != nil }
}

/// One restore on one device (`model.md` 16).
struct Restore {
  var request: Seen
  var device: Name?
  var isOver = false
  /// The first `restore.completed` during the restore.
  var completedBy: Seen?
  var isAnswered = false
  var transactions: [Transaction] = []
  var stormWasTold = false
}
