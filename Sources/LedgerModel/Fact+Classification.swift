public import LedgerEvents

extension EventKind {
  /// A `transaction.*` event of the vocabulary.
  var isTransactionKind: Bool {
    (rawValue >= EventKind.transactionPurchasing.rawValue
      && rawValue <= EventKind.transactionAssigned.rawValue)
      || (rawValue >= EventKind.transactionRefundRequested.rawValue
        && rawValue <= EventKind.transactionRevoked.rawValue)
  }

  /// A `subscription.*` event of the vocabulary.
  var isSubscriptionKind: Bool {
    rawValue >= EventKind.subscriptionRenewed.rawValue
      && rawValue <= EventKind.subscriptionOfferRedeemed.rawValue
  }

  /// A `download.*` event of the vocabulary.
  var isDownloadKind: Bool {
    rawValue >= EventKind.downloadRequested.rawValue
      && rawValue <= EventKind.downloadCancelled.rawValue
  }

  /// `catalog.*` and `account.*`: events that count in every environment when they state none.
  public var countsInEveryEnvironment: Bool {
    (rawValue >= EventKind.catalogSet.rawValue && rawValue <= EventKind.catalogFailed.rawValue)
      || (rawValue >= EventKind.accountLinked.rawValue
        && rawValue <= EventKind.accountErased.rawValue)
  }

  /// Whether `arrived-late` considers events of this kind.
  var isDatedByTheStore: Bool {
    switch self {
    case .transactionPurchased, .transactionRestored, .transactionRefunded,
      .transactionRefundReversed, .transactionRevoked:
      true
    default: isSubscriptionKind
    }
  }
}

extension Fact {
  /// Whether the source is `notification`, `receipt` or `server`. Such a fact never changes what is
  /// on a queue.
  var isFromTheStore: Bool { source.isFromTheStore }

  /// A store fact (`model.md`, *Terms*): signed, or from one of the store's sources.
  var isStoreFact: Bool { signedAt != Fact.absentTime || isFromTheStore }

  /// A queue fact: a `transaction.*` event that is not from the store's sources.
  var isQueueFact: Bool { kind.isTransactionKind && !isFromTheStore }

  /// Whether a delivery opens its transaction. A failure from StoreKit 2 does not, because nobody
  /// can finish it (`model.md` 13).
  var opensTransaction: Bool { kind != .transactionFailed || source != .storekit2 }

  /// `signedAt`, or `occurredAt` if there is none. It orders store facts about one transaction.
  var storeTime: Int64 { signedAt != Fact.absentTime ? signedAt : occurredAt }
}
