/// The rules of `rules.md`. Their numbers are in persisted state. Neither the numbers nor the ids
/// ever change their meaning.
public enum Rule: UInt8, CaseIterable, Sendable {
  case finishedBeforeDownload = 1
  case finishedWithoutDownload = 2
  case finishedAfterFailedDownload = 3
  case finishedBeforeInstall = 4
  case installFailedThenFinished = 5
  case finishedUnknown = 6
  case finishedWhilePurchasing = 7
  case finishedTwice = 8
  case finishedBeforeFulfillment = 9
  case removedWithoutFinish = 10
  case redelivered = 11
  case deliveredAfterFinish = 12
  case deliveryLoop = 13
  case downloadWithoutPayment = 14
  case downloadAfterFinish = 15
  case installedBeforeDownload = 16
  case contentMissingAtInstall = 17
  case progressRegressed = 18
  case installDowngraded = 19
  case redundantDownload = 20
  case digestMismatch = 21
  case backupNotExcluded = 22
  case versionNotIncreased = 23
  case restoredWithoutOriginal = 24
  case restoredTwice = 25
  case restoreCompletedEarly = 26
  case restoreStorm = 27
  case purchasedAfterFailure = 28
  case purchasedTwice = 29
  case invalidProduct = 30
  case paymentNotAllowed = 31
  case failedWithoutError = 32
  case hostedContentUnsupported = 33
  case accountChanged = 34
  case originalShared = 35
  case environmentMixed = 36
  case arrivedLate = 37
  case clockAhead = 38
  case clockStepped = 39
  case failedAfterPurchase = 40
  case fulfilledTwice = 41
  case neverFinished = 64
  case paymentUnanswered = 65
  case downloadStalled = 66
  case undelivered = 67
  case installInterrupted = 68
  case restoreUnanswered = 69
  case restoreIncomplete = 70
  case unfulfilled = 71
  case fulfilledUnpurchased = 72

  /// How serious it is to break a rule.
  public enum Severity: UInt8, Comparable, CaseIterable, Sendable {
    case info = 0
    case warning = 1
    case error = 2
    case critical = 3

    /// The word that `rules.md` uses.
    public var text: String {
      switch self {
      case .info: "info"
      case .warning: "warning"
      case .error: "error"
      case .critical: "critical"
      }
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// Whether the rule is judged at a moment, by what is still open then, and not at an event.
  public var isJudgedAtAMoment: Bool { rawValue >= Rule.neverFinished.rawValue }
}

extension Rule {
  /// The id that reports and options use.
  public var id: String {
    switch self {
    case .finishedBeforeDownload: "finished-before-download"
    case .finishedWithoutDownload: "finished-without-download"
    case .finishedAfterFailedDownload: "finished-after-failed-download"
    case .finishedBeforeInstall: "finished-before-install"
    case .installFailedThenFinished: "install-failed-then-finished"
    case .finishedUnknown: "finished-unknown"
    case .finishedWhilePurchasing: "finished-while-purchasing"
    case .finishedTwice: "finished-twice"
    case .finishedBeforeFulfillment: "finished-before-fulfillment"
    case .removedWithoutFinish: "removed-without-finish"
    case .redelivered: "redelivered"
    case .deliveredAfterFinish: "delivered-after-finish"
    case .deliveryLoop: "delivery-loop"
    case .downloadWithoutPayment: "download-without-payment"
    case .downloadAfterFinish: "download-after-finish"
    case .installedBeforeDownload: "installed-before-download"
    case .contentMissingAtInstall: "content-missing-at-install"
    case .progressRegressed: "progress-regressed"
    case .installDowngraded: "install-downgraded"
    case .redundantDownload: "redundant-download"
    case .digestMismatch: "digest-mismatch"
    case .backupNotExcluded: "backup-not-excluded"
    case .versionNotIncreased: "version-not-increased"
    case .restoredWithoutOriginal: "restored-without-original"
    case .restoredTwice: "restored-twice"
    case .restoreCompletedEarly: "restore-completed-early"
    case .restoreStorm: "restore-storm"
    case .purchasedAfterFailure: "purchased-after-failure"
    case .purchasedTwice: "purchased-twice"
    case .invalidProduct: "invalid-product"
    case .paymentNotAllowed: "payment-not-allowed"
    case .failedWithoutError: "failed-without-error"
    case .hostedContentUnsupported: "hosted-content-unsupported"
    case .accountChanged: "account-changed"
    case .originalShared: "original-shared"
    case .environmentMixed: "environment-mixed"
    case .arrivedLate: "arrived-late"
    case .clockAhead: "clock-ahead"
    case .clockStepped: "clock-stepped"
    case .failedAfterPurchase: "failed-after-purchase"
    case .fulfilledTwice: "fulfilled-twice"
    case .neverFinished: "never-finished"
    case .paymentUnanswered: "payment-unanswered"
    case .downloadStalled: "download-stalled"
    case .undelivered: "undelivered"
    case .installInterrupted: "install-interrupted"
    case .restoreUnanswered: "restore-unanswered"
    case .restoreIncomplete: "restore-incomplete"
    case .unfulfilled: "unfulfilled"
    case .fulfilledUnpurchased: "fulfilled-unpurchased"
    }
  }

  public var severity: Severity {
    switch self {
    case .finishedBeforeDownload, .finishedAfterFailedDownload, .finishedBeforeInstall,
      .installFailedThenFinished, .finishedBeforeFulfillment, .contentMissingAtInstall,
      .fulfilledTwice, .undelivered, .unfulfilled:
      .critical
    case .finishedWhilePurchasing, .removedWithoutFinish, .deliveryLoop, .downloadWithoutPayment,
      .downloadAfterFinish, .installedBeforeDownload, .digestMismatch, .invalidProduct,
      .paymentNotAllowed, .hostedContentUnsupported, .accountChanged, .environmentMixed,
      .failedAfterPurchase, .installInterrupted, .fulfilledUnpurchased:
      .error
    case .finishedUnknown, .finishedTwice, .progressRegressed, .installDowngraded,
      .redundantDownload, .versionNotIncreased, .restoredWithoutOriginal, .restoredTwice,
      .restoreCompletedEarly, .restoreStorm, .purchasedTwice, .failedWithoutError,
      .originalShared, .neverFinished, .paymentUnanswered, .downloadStalled, .restoreUnanswered,
      .restoreIncomplete:
      .warning
    case .finishedWithoutDownload, .redelivered, .deliveredAfterFinish, .backupNotExcluded,
      .purchasedAfterFailure, .arrivedLate, .clockAhead, .clockStepped:
      .info
    }
  }

  /// The rule with this id.
  public init?(id: String) {
    guard let found = Self.allCases.first(where: { $0.id == id }) else { return nil }
    self = found
  }
}
