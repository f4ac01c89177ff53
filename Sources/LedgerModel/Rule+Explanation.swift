/// What a broken rule means to the person who helps the customer, and what to do about it.
public struct RuleExplanation: Sendable {
  /// A description of what happened, in one or two sentences.
  public var meaning: String
  /// What the developer or the customer can do.
  public var advice: String
}

extension Rule {
  /// The meaning of the rule, as in `rules.md`, and what to do.
  ///
  /// - Complexity: O(1).
  public var explanation: RuleExplanation {
    guard let found = Self.explanations[self] else {
      preconditionFailure("the rule \(id) has no explanation")
    }
    return found
  }

  private static let explanations: [Rule: RuleExplanation] = [
    finishing, fulfilling, queueing, downloading, installing, restoring, paying, identifying,
    timing,
  ].reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }
}

extension Rule {
  private static let finishing: [Rule: RuleExplanation] = [
    .finishedBeforeDownload: RuleExplanation(
      meaning:
        "The transaction was finished while content that the store hosts was still being "
        + "downloaded, so the queue cancelled the download.",
      advice: "Finish only when every download of the transaction is installed. To get the content "
        + "back, ask the customer to restore."),
    .finishedWithoutDownload: RuleExplanation(
      meaning:
        "A restored transaction was finished, and none of its downloads was ever requested on this "
        + "device.",
      advice:
        "Fine if the content is fetched on demand; otherwise, start the downloads first."),
    .finishedAfterFailedDownload: RuleExplanation(
      meaning:
        "The transaction was finished although one of its downloads had failed or was cancelled.",
      advice: "Keep the transaction open and try the download again. A restore brings it back."),
    .finishedBeforeInstall: RuleExplanation(
      meaning:
        "The transaction was finished after its download, before the content was copied out of "
        + "the cache, which may be emptied from then on.",
      advice:
        "Copy the content first, then finish. Check whether it arrived; if not, ask the customer "
        + "to restore."),
    .installFailedThenFinished: RuleExplanation(
      meaning:
        "The transaction was finished although the install of its content had failed, or had "
        + "begun and never ended.",
      advice:
        "Finish only after a successful install. Ask the customer to restore, and find out why "
        + "the install failed."),
    .finishedUnknown: RuleExplanation(
      meaning:
        "The app finished, or downloaded for, a transaction that was never reported before.",
      advice:
        "Check whether events are missing, for example because an observer records too late, or "
        + "whether the identifiers belong to another app."),
    .finishedWhilePurchasing: RuleExplanation(
      meaning:
        "The app finished a transaction that was still being paid for or waiting for approval. "
        + "The store responds with an exception.",
      advice: "Finish only purchased, restored and failed transactions."),
    .finishedTwice: RuleExplanation(
      meaning: "A transaction that was already finished was finished again.",
      advice: "Harmless to the customer. Look for two observers, or code that finishes twice."),
    .finishedBeforeFulfillment: RuleExplanation(
      meaning:
        "The purchase was finished before it was fulfilled. If fulfilling had failed, the queue "
        + "would not have delivered it again.",
      advice: "Give the customer what was bought, then finish. Check that this customer got it."),
  ]
}

extension Rule {
  private static let fulfilling: [Rule: RuleExplanation] = [
    .fulfilledTwice: RuleExplanation(
      meaning:
        "A consumable was fulfilled more than once for one transaction, so the customer was "
        + "credited twice for one payment.",
      advice:
        "Record each transaction that you have credited, together with the credit, and skip it "
        + "when it is delivered again. Decide whether to take the second credit back."),
    .unfulfilled: RuleExplanation(
      meaning:
        "The customer paid and the transaction has left the queue, but the last attempt to give "
        + "them what they bought failed, or the receipt was rejected. The queue will not deliver "
        + "the transaction again.",
      advice:
        "Give the customer what was bought, or refund it. In the app, finish a transaction only "
        + "after fulfilling it; if a receipt is rejected, try again instead of finishing."),
    .fulfilledUnpurchased: RuleExplanation(
      meaning:
        "Something was given for a transaction that neither the queue nor the store has ever "
        + "reported as purchased.",
      advice:
        "Check whether the app unlocks before the payment is confirmed, or whether its purchase "
        + "events are missing. If no payment exists, take back what was given."),
  ]
}

extension Rule {
  private static let queueing: [Rule: RuleExplanation] = [
    .failedAfterPurchase: RuleExplanation(
      meaning:
        "The queue reported a transaction as failed after it had reported it as purchased or "
        + "restored.",
      advice:
        "Keep what was paid for: a failure after a purchase takes nothing back, only a refund "
        + "does. Check the store's record of the transaction."),
    .removedWithoutFinish: RuleExplanation(
      meaning:
        "The queue dropped a transaction that the app had not finished, together with its "
        + "downloads and content.",
      advice: "The app did not cause this. Ask the customer to restore."),
    .redelivered: RuleExplanation(
      meaning: "The queue delivered an open transaction to the same device again.",
      advice: "Expected after a launch. Handle deliveries so that a second one changes nothing."),
    .deliveredAfterFinish: RuleExplanation(
      meaning: "The queue delivered a transaction again that was already finished.",
      advice: "Do not grant the product twice; finish the transaction again."),
    .deliveryLoop: RuleExplanation(
      meaning:
        "The same transaction was delivered in three launches without any download in progress, "
        + "and was never finished in between. The app may crash on it.",
      advice:
        "Check what the app does on this delivery: it may crash, or never call finish."),
    .neverFinished: RuleExplanation(
      meaning: "The transaction has been open for more than a day.",
      advice:
        "Find the branch that does not finish it. Open transactions return at each launch and can "
        + "block the next sale."),
    .paymentUnanswered: RuleExplanation(
      meaning:
        "A payment was added more than an hour ago, and the queue has not reported anything about "
        + "it.",
      advice:
        "Check that the queue had an observer, and whether an unfinished purchase of the same "
        + "product blocks it."),
  ]
}

extension Rule {
  private static let downloading: [Rule: RuleExplanation] = [
    .downloadWithoutPayment: RuleExplanation(
      meaning:
        "There was a download event for a transaction that is not paid: it failed, is being paid "
        + "for, or is waiting for approval.",
      advice: "Start downloads only for purchased and restored transactions."),
    .downloadAfterFinish: RuleExplanation(
      meaning:
        "A download was started or resumed after its transaction was finished, which the store "
        + "refuses.",
      advice: "Finish later. To get the content now, restore the purchase."),
    .downloadStalled: RuleExplanation(
      meaning:
        "A download was requested or in progress, and nothing has been reported about it for more "
        + "than an hour.",
      advice:
        "Cancel it and start it again, and tell the customer. Check whether the app was in the "
        + "background."),
    .progressRegressed: RuleExplanation(
      meaning: "Progress decreased within one attempt.",
      advice: "Show the highest value so far, and never use progress as the state."),
    .redundantDownload: RuleExplanation(
      meaning: "A download was requested although this version or a newer one is installed on the "
        + "device.",
      advice: "Compare versions before downloading."),
  ]
}

extension Rule {
  private static let installing: [Rule: RuleExplanation] = [
    .installedBeforeDownload: RuleExplanation(
      meaning:
        "Content was installed before its download was finished. The app may treat progress 1.0 "
        + "as the end.",
      advice: "Wait for the state finished: unpacking follows after the last progress."),
    .contentMissingAtInstall: RuleExplanation(
      meaning:
        "After the finish, the cache was emptied or installing failed, and the finished download "
        + "was never installed: the customer paid and has nothing.",
      advice: "Ask the customer to restore now. In the app, install before finishing."),
    .installInterrupted: RuleExplanation(
      meaning: "An install began more than an hour ago and never ended.",
      advice:
        "Start it again at the next launch, in a separate folder, and switch over when it is "
        + "complete."),
    .undelivered: RuleExplanation(
      meaning:
        "The customer is entitled to content, the transaction has left the queue, and the content "
        + "was never installed on any device.",
      advice: "Ask the customer to restore: they paid and did not receive the content."),
    .installDowngraded: RuleExplanation(
      meaning: "An older version was installed over a newer one.",
      advice: "Before installing, compare versions component by component, as numbers."),
    .digestMismatch: RuleExplanation(
      meaning: "The same version of the same content was installed with different bytes.",
      advice: "Check whether the content was damaged, or whether a version was published twice."),
    .backupNotExcluded: RuleExplanation(
      meaning: "Content was installed without being excluded from backup.",
      advice: "Set the flag: what can be downloaded again does not belong in the customer's backup."
    ),
    .versionNotIncreased: RuleExplanation(
      meaning:
        "A version was published that is not higher than the one on offer, so no device will "
        + "treat it as an update.",
      advice: "Publish it again with a higher version."),
  ]
}

extension Rule {
  private static let restoring: [Rule: RuleExplanation] = [
    .restoredWithoutOriginal: RuleExplanation(
      meaning: "A restored transaction does not state which purchase it restores.",
      advice: "Match it by product and account, and do not crash on the missing identifier."),
    .restoredTwice: RuleExplanation(
      meaning: "One restore delivered the same purchase twice.",
      advice: "Count originals, not callbacks, and install once."),
    .restoreCompletedEarly: RuleExplanation(
      meaning: "The restore was reported as complete before all its transactions arrived.",
      advice: "Do not treat the end of the restore as the end of its deliveries."),
    .restoreStorm: RuleExplanation(
      meaning: "More than ten downloads of one restore were in progress at once.",
      advice: "Start a few at a time, or when the customer opens the content."),
    .restoreIncomplete: RuleExplanation(
      meaning:
        "A restore was completed without a purchase that the customer owns. Either the device is "
        + "signed in with another Apple ID, or the store left the purchase out.",
      advice:
        "Ask which Apple ID bought it, and have the customer sign in with that one and restore "
        + "again. Until then, do not take away what the ledger says they own."),
    .restoreUnanswered: RuleExplanation(
      meaning: "A restore was requested more than an hour ago and neither completed nor failed.",
      advice: "Let the customer try again. Do not show a waiting screen forever."),
  ]
}

extension Rule {
  private static let paying: [Rule: RuleExplanation] = [
    .purchasedAfterFailure: RuleExplanation(
      meaning:
        "A purchase succeeded within a day after the same product had failed for this customer, "
        + "for example because the bank asked for confirmation.",
      advice: "Keep the record of a payment that failed, and accept the late purchase."),
    .purchasedTwice: RuleExplanation(
      meaning: "The customer bought a one-time product that they already own.",
      advice: "Consider a refund, and find out why the app offered the product."),
    .invalidProduct: RuleExplanation(
      meaning:
        "A payment was added for a product that the store had reported as invalid on this device.",
      advice: "Offer only products that the store listed. Check the product's state at the store."),
    .paymentNotAllowed: RuleExplanation(
      meaning: "A payment was added on a device on which payments are not allowed.",
      advice: "Check before selling, and say why buying is not possible."),
    .failedWithoutError: RuleExplanation(
      meaning: "A failure was recorded without the error that explains it.",
      advice: "Record the error's domain and code: support cannot help without them."),
    .hostedContentUnsupported: RuleExplanation(
      meaning: "The store delivered hosted content for a product that is not a non-consumable.",
      advice: "Correct the product's kind in the catalogue, or its delivery."),
  ]
}

extension Rule {
  private static let identifying: [Rule: RuleExplanation] = [
    .accountChanged: RuleExplanation(
      meaning:
        "An event of this transaction states a different account from the one it belongs to.",
      advice: "Check whether two people share a device. The owner stays the same."),
    .originalShared: RuleExplanation(
      meaning: "Two customers hold transactions of the same original purchase.",
      advice:
        "Often this is one store account behind two of yours: link them, transfer the purchase, "
        + "or find out why it was restored there."),
    .environmentMixed: RuleExplanation(
      meaning: "Events state different environments for one transaction.",
      advice: "Correct the recorder. Sandbox purchases must not count in production."),
  ]
}

extension Rule {
  private static let timing: [Rule: RuleExplanation] = [
    .arrivedLate: RuleExplanation(
      meaning: "A store fact arrived after a newer one about the same purchase.",
      advice:
        "Nothing to do: it was folded in its proper order. Earlier answers may have been "
        + "different."),
    .clockAhead: RuleExplanation(
      meaning:
        "The event states a time more than a day ahead of the ledger's clock, so the ledger's "
        + "time is used instead.",
      advice: "The device's clock is wrong. Do not use its times as evidence."),
    .clockStepped: RuleExplanation(
      meaning: "The clock went backwards within a session.",
      advice: "Do not rely on the times of this session: use the sequence for the order."),
  ]
}
