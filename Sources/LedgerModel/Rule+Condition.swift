extension Rule {
  /// When the rule fires, or what it says holds, in the terms of the page of rules: the exact
  /// condition, in one or two sentences.
  package var condition: String {
    switch self {
    case .finishedBeforeDownload:
      "At a closing finish, one of the downloads has not ended. One that was announced and never "
        + "started counts, unless `finished-without-download` fires instead."
    case .finishedWithoutDownload:
      "At a closing finish of a restored transaction, one of the downloads has not ended, and no "
        + "download of the transaction was ever requested on the device."
    case .finishedAfterFailedDownload:
      "At a closing finish, one of the downloads has failed or is cancelled."
    case .finishedBeforeInstall:
      "At a closing finish, one of the downloads is finished and no install of it has begun on the "
        + "device."
    case .installFailedThenFinished:
      "At a closing finish, an install of one of the downloads was begun on the device and failed "
        + "or has no end, whatever the state of the download."
    case .finishedUnknown:
      "`transaction.finished` or a download event of a transaction that no `transaction.*` or "
        + "`subscription.*` event has named before, a store fact included."
    case .finishedWhilePurchasing:
      "`transaction.finished` of a transaction that was never delivered and whose reported state "
        + "is purchasing or deferred."
    case .finishedTwice:
      "`transaction.finished` of a transaction that is not open and was finished before."
    case .finishedBeforeFulfillment:
      "The first `purchase.fulfilled` or `purchase.fulfillmentFailed` of a transaction that was "
        + "finished before it."
    case .fulfilledTwice:
      "`purchase.fulfilled` of a transaction that was fulfilled before and whose chain is a "
        + "consumable."
    case .removedWithoutFinish: "`transaction.removed` of an open transaction."
    case .redelivered:
      "The queue delivers an open transaction to a device that it was delivered to before."
    case .deliveredAfterFinish:
      "The queue delivers a transaction that was finished and is not open to a device that it was "
        + "delivered to before."
    case .deliveryLoop:
      "The transaction is delivered to one device in a third launch, with no finish since the "
        + "first of the three. A delivery does not count while a download of the transaction is "
        + "requested, waiting, active or paused on that device."
    case .failedAfterPurchase:
      "The queue delivers a transaction as failed while its reported state is purchased or "
        + "restored."
    case .downloadWithoutPayment:
      "A download event of a transaction whose reported state is failed, purchasing or deferred."
    case .downloadAfterFinish:
      "`download.requested` or `download.resumeRequested` of a store-hosted download whose "
        + "transaction was finished and is not open."
    case .installedBeforeDownload:
      "`content.installStarted`, or `content.installed` while no start of it is open, that names a "
        + "download which is not finished on the device."
    case .contentMissingAtInstall:
      "The first `content.purged`, or `content.installFailed` of the transaction, on the device "
        + "after its closing finish, while a download that was finished then has never been "
        + "installed there."
    case .progressRegressed:
      "The `progress` of a `download.progressed` is lower than that of an earlier one in the same "
        + "attempt on the device. A request, an end or a launch ends an attempt; a pause does not."
    case .installDowngraded:
      "`content.installed` of a lower version than the installed one."
    case .redundantDownload: "`download.requested` of content that is there already."
    case .digestMismatch:
      "`content.installed` with another `digest` than an earlier one of the same product, version "
        + "and path."
    case .backupNotExcluded: "`content.installed` with `excludedFromBackup` false."
    case .versionNotIncreased:
      "`content.versionPublished` of a version that is not higher than the one on offer."
    case .restoredWithoutOriginal: "`transaction.restored` without `originalTransaction`."
    case .restoredTwice:
      "Within one restore, a second transaction with the same stated original, first delivered "
        + "there, of a chain that is not autoRenewable."
    case .restoreCompletedEarly:
      "A transaction of a restore is first delivered after the restore's `restore.completed`."
    case .restoreStorm:
      "At a `download.requested` of a restore's transaction, more than 10 downloads of the "
        + "restore's transactions on that device are requested and have not ended."
    case .purchasedAfterFailure:
      "The first delivery of a transaction as purchased, up to 24 hours after another one of the "
        + "same product and account failed. Where neither has an account, the device decides."
    case .purchasedTwice:
      "The first purchase fact of a nonConsumable chain, a `transaction.purchased` with a stated "
        + "original that is not family shared, while the customer holds a standing chain of the "
        + "product with another stated original."
    case .invalidProduct:
      "`payment.added` for a product that the newest `catalog.received` on the device that names "
        + "it lists as invalid."
    case .paymentNotAllowed:
      "`payment.added` on a device whose newest `payments.checked` says that payments are not "
        + "allowed."
    case .failedWithoutError:
      "`transaction.failed` from the queue, or `download.failed`, without `error`."
    case .hostedContentUnsupported:
      "A delivery with downloads that the store hosts, of a product whose catalogue entry has "
        + "another kind than nonConsumable."
    case .accountChanged:
      "An event of a transaction states an account that is not its owner's, nor linked to it, nor "
        + "one that a transfer moved the transaction to."
    case .originalShared:
      "The first purchase fact of a transaction whose customer is not that of another transaction "
        + "of the chain with an earlier purchase fact. Both customers are known, and neither of "
        + "the two facts is family shared."
    case .environmentMixed:
      "Events state two environments for one transaction; at the first event that states another "
        + "than the first one."
    case .arrivedLate:
      "A store fact about a purchase, refund or subscription was signed (or else occurred) earlier "
        + "than another one of the same original that the ledger already has."
    case .clockAhead: "`occurredAt` is more than 24 hours after `recordedAt`."
    case .clockStepped:
      "An event states a lower `sequence` than an earlier event of the same device and session."
    case .neverFinished:
      "The transaction is open, and the delivery that opened it is more than 24 hours ago."
    case .paymentUnanswered:
      "`payment.added` is more than 1 hour ago, and no queue fact has named that payment since. A "
        + "payment without an id is answered by any queue fact of its product on its device."
    case .downloadStalled:
      "The newest event of a download is `download.requested`, `.resumeRequested`, `.waiting` or "
        + "`.progressed`, more than 1 hour ago, and no finish has cancelled the download."
    case .undelivered:
      "A chain with hosted content entitles, a transaction of it is finished or removed, and no "
        + "customer of the chain has ever installed the product on any device."
    case .installInterrupted:
      "The newest event of an install is `content.installStarted`, more than 1 hour ago."
    case .restoreUnanswered:
      "`restore.requested` is more than 1 hour ago, and neither `restore.completed` nor "
        + "`restore.failed` followed on the device. The answer to a later request counts."
    case .restoreIncomplete:
      "A restore on a stated device was completed more than 1 hour ago, while it lasted, and "
        + "`restore.requested` states an account whose customer holds an active nonConsumable "
        + "chain that was bought before the request. No transaction of the chain was delivered to "
        + "the device as purchased or restored since the request."
    case .unfulfilled:
      "A transaction with a purchase fact is finished or removed, its chain has no standing refund "
        + "or revocation, and its newest fulfilment event, more than 1 hour ago, is "
        + "`purchase.fulfillmentFailed`. Where it has none, `receipt.rejected` as its newest "
        + "verdict counts."
    case .fulfilledUnpurchased:
      "The first `purchase.fulfilled` of a transaction is more than 1 hour ago, and the "
        + "transaction has no purchase fact."
    }
  }

  /// What one report covers: the rule is reported at most once for each of these.
  package var once: String {
    switch self {
    case .finishedBeforeDownload, .finishedWithoutDownload, .finishedAfterFailedDownload,
      .finishedBeforeInstall, .installFailedThenFinished, .contentMissingAtInstall:
      "closing finish"
    case .finishedWhilePurchasing, .finishedTwice: "finish"
    case .finishedUnknown, .finishedBeforeFulfillment, .restoredTwice, .restoreCompletedEarly,
      .purchasedAfterFailure, .hostedContentUnsupported, .accountChanged, .neverFinished,
      .failedAfterPurchase, .unfulfilled, .fulfilledUnpurchased:
      "transaction"
    case .removedWithoutFinish, .deliveryLoop: "opening"
    case .redelivered, .deliveredAfterFinish, .restoredWithoutOriginal: "delivery"
    case .downloadWithoutPayment: "download of the transaction"
    case .downloadAfterFinish: "download and finish"
    case .installedBeforeDownload, .installDowngraded, .digestMismatch, .backupNotExcluded,
      .installInterrupted:
      "install"
    case .progressRegressed: "attempt"
    case .redundantDownload, .restoreUnanswered: "request"
    case .versionNotIncreased, .invalidProduct, .paymentNotAllowed, .failedWithoutError,
      .arrivedLate, .clockAhead, .fulfilledTwice:
      "event"
    case .restoreStorm: "restore"
    case .purchasedTwice, .originalShared, .undelivered: "chain"
    case .environmentMixed: "transaction, over all environments"
    case .clockStepped: "session"
    case .paymentUnanswered: "payment"
    case .restoreIncomplete: "request and chain"
    case .downloadStalled: "download and device"
    }
  }
}
