/// What a broken rule means to whoever has to help the customer, and what to do about it.
public struct RuleExplanation: Sendable {
  /// What happened, in a sentence or two.
  public var meaning: String
  /// What the developer or the customer can do.
  public var advice: String
}

extension Rule {
  /// What the rule means, in the words of `rules.md`, and what to do.
  ///
  /// - Complexity: O(1).
  public var explanation: RuleExplanation {
    guard let found = Self.explanations[self] else {
      preconditionFailure("\(id) is a rule without an explanation")
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
        "The transaction was finished while content that the store hosts was still on its way, so "
        + "the queue cancelled the download.",
      advice: "Finish only when every download of the transaction is installed. To get the content "
        + "back, let the customer restore."),
    .finishedWithoutDownload: RuleExplanation(
      meaning:
        "A restored transaction was finished and none of its downloads was ever asked for on this "
        + "device.",
      advice:
        "Fine where the content is fetched on demand; else start the downloads before finishing."),
    .finishedAfterFailedDownload: RuleExplanation(
      meaning:
        "The transaction was finished although a download of it had failed or was cancelled.",
      advice: "Keep the transaction open and try the download again. A restore brings it back."),
    .finishedBeforeInstall: RuleExplanation(
      meaning:
        "The transaction was finished after its download, before the content was copied out of "
        + "the cache, which may be emptied from then on.",
      advice:
        "Copy the content first, then finish. Check whether it arrived; if not, let the customer "
        + "restore."),
    .installFailedThenFinished: RuleExplanation(
      meaning:
        "The transaction was finished although installing its content had failed, or was begun "
        + "and never ended.",
      advice:
        "Finish after a successful install only. Let the customer restore, and look at why the "
        + "install failed."),
    .finishedUnknown: RuleExplanation(
      meaning:
        "The app finished, or downloaded for, a transaction that nobody has reported before.",
      advice:
        "Look whether events are missing: an observer that records too late, or another app's "
        + "identifiers."),
    .finishedWhilePurchasing: RuleExplanation(
      meaning:
        "The app finished a transaction that was still being paid for or waited for approval; the "
        + "store answers this with an exception.",
      advice: "Finish only what was purchased, restored or failed."),
    .finishedTwice: RuleExplanation(
      meaning: "A transaction that was finished before was finished once more.",
      advice: "Harmless to the customer. Look for two observers, or for code that finishes twice."),
    .finishedBeforeFulfillment: RuleExplanation(
      meaning:
        "The purchase was finished before it was fulfilled. Had fulfilling failed, the queue "
        + "would not have asked again.",
      advice: "Give what was bought first, then finish. Check that this customer got it."),
  ]
}

extension Rule {
  private static let fulfilling: [Rule: RuleExplanation] = [
    .fulfilledTwice: RuleExplanation(
      meaning:
        "A consumable was fulfilled more than once for one transaction, so the customer was "
        + "credited twice for one payment.",
      advice:
        "Remember each transaction that you have credited, in the same step as the credit, and "
        + "skip it when it is delivered again. Decide whether to take the second credit back."),
    .unfulfilled: RuleExplanation(
      meaning:
        "The customer paid and the transaction has left the queue, but the last attempt to give "
        + "what was bought failed, or the receipt was rejected. The queue will not ask again.",
      advice:
        "Give the customer what was bought, or refund it. In the app, finish a transaction only "
        + "after it was fulfilled; a rejected receipt is a reason to try again, not to finish."),
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
        "Keep what was paid: a failure after a purchase takes nothing back, only a refund does. "
        + "Check the store's own record of the transaction."),
    .removedWithoutFinish: RuleExplanation(
      meaning:
        "The queue dropped a transaction that the app had not finished, so its downloads and "
        + "content are lost to it.",
      advice: "Not the app's doing. Let the customer restore."),
    .redelivered: RuleExplanation(
      meaning: "The queue delivered an open transaction again to the same device.",
      advice: "Expected after a launch. Handle deliveries so that the second one changes nothing."),
    .deliveredAfterFinish: RuleExplanation(
      meaning: "The queue delivered a transaction again that was finished already.",
      advice: "Do not grant it twice; finish it again."),
    .deliveryLoop: RuleExplanation(
      meaning:
        "The same transaction came at three launches with no download of it under way, and was "
        + "never finished in between, as when the app crashes on it.",
      advice:
        "Look at what the app does on this delivery: a crash, or a branch that forgets to finish."),
    .neverFinished: RuleExplanation(
      meaning: "The transaction has been open for more than a day.",
      advice:
        "Find the branch that does not finish it. Open transactions come back at each launch and "
        + "can block the next sale."),
    .paymentUnanswered: RuleExplanation(
      meaning:
        "A payment was added more than an hour ago and the queue has not said anything of it.",
      advice:
        "Check that an observer was on the queue, and whether an unfinished purchase of the same "
        + "product blocks it."),
  ]
}

extension Rule {
  private static let downloading: [Rule: RuleExplanation] = [
    .downloadWithoutPayment: RuleExplanation(
      meaning:
        "There was a download event for a transaction that is not paid: it failed, is being paid "
        + "or waits for approval.",
      advice: "Start downloads for purchased and restored transactions only."),
    .downloadAfterFinish: RuleExplanation(
      meaning:
        "A download was started or resumed after its transaction was finished; the store refuses "
        + "that.",
      advice: "Finish later. To get the content now, restore."),
    .downloadStalled: RuleExplanation(
      meaning:
        "A download was asked for or under way, and nothing was heard of it for more than an "
        + "hour.",
      advice:
        "Cancel it and start it again, and tell the customer. Check whether the app was in the "
        + "background."),
    .progressRegressed: RuleExplanation(
      meaning: "Progress went down within one attempt.",
      advice: "Show the highest value so far, and never take progress for the state."),
    .redundantDownload: RuleExplanation(
      meaning: "A download was asked for although this version or a newer one is installed on the "
        + "device.",
      advice: "Compare versions before downloading."),
  ]
}

extension Rule {
  private static let installing: [Rule: RuleExplanation] = [
    .installedBeforeDownload: RuleExplanation(
      meaning:
        "Content was installed before its download was finished, as when progress 1.0 is taken "
        + "for the end.",
      advice: "Wait for the state finished: unpacking follows the last progress."),
    .contentMissingAtInstall: RuleExplanation(
      meaning:
        "After the finish the cache was emptied, or installing failed, and the finished download "
        + "was never installed: the customer paid and has nothing.",
      advice: "Let the customer restore now. In the app, install before finishing."),
    .installInterrupted: RuleExplanation(
      meaning: "An install was begun more than an hour ago and never ended.",
      advice:
        "Begin it again at the next launch, into a folder of its own, and switch over when it is "
        + "complete."),
    .undelivered: RuleExplanation(
      meaning:
        "The customer is entitled to content, the transaction has left the queue, and the content "
        + "was never installed on any device.",
      advice: "Let the customer restore: this is a purchase without its goods."),
    .installDowngraded: RuleExplanation(
      meaning: "An older version was installed over a newer one.",
      advice: "Compare versions part by part as numbers before installing."),
    .digestMismatch: RuleExplanation(
      meaning: "The same version of the same content was installed with other bytes than before.",
      advice: "Check the delivery for damage, and whether a version was published twice."),
    .backupNotExcluded: RuleExplanation(
      meaning: "Content was installed without being excluded from backup.",
      advice: "Set the flag: what can be downloaded again does not belong in the customer's backup."
    ),
    .versionNotIncreased: RuleExplanation(
      meaning:
        "A version was published that is not higher than the one on offer, so no device will take "
        + "it for an update.",
      advice: "Publish it again under a higher version."),
  ]
}

extension Rule {
  private static let restoring: [Rule: RuleExplanation] = [
    .restoredWithoutOriginal: RuleExplanation(
      meaning: "A restored transaction does not say which purchase it restores.",
      advice: "Join it by product and account, and do not crash on the absent identifier."),
    .restoredTwice: RuleExplanation(
      meaning: "One restore brought the same purchase twice.",
      advice: "Count originals, not callbacks, and install once."),
    .restoreCompletedEarly: RuleExplanation(
      meaning: "The restore was reported as complete before all of its transactions had come.",
      advice: "Do not take the end of the restore for the end of its deliveries."),
    .restoreStorm: RuleExplanation(
      meaning: "More than ten downloads of one restore were under way at once.",
      advice: "Start a few at a time, or when the customer opens the content."),
    .restoreIncomplete: RuleExplanation(
      meaning:
        "A restore was completed without a purchase that the customer owns. Either the device is "
        + "signed in with another Apple ID, or the store left the purchase out.",
      advice:
        "Ask which Apple ID bought it, and have the customer sign in with that one and restore "
        + "again. Until then, do not take away what the ledger says they own."),
    .restoreUnanswered: RuleExplanation(
      meaning: "A restore was asked for more than an hour ago and neither ended nor failed.",
      advice: "Let the customer try again. Do not keep the screen waiting without end."),
  ]
}

extension Rule {
  private static let paying: [Rule: RuleExplanation] = [
    .purchasedAfterFailure: RuleExplanation(
      meaning:
        "A purchase succeeded within a day after the same product had failed for this customer, "
        + "as when the bank asked for something in between.",
      advice: "Do not drop the record of a payment when it fails, and take the late purchase."),
    .purchasedTwice: RuleExplanation(
      meaning: "The customer bought something that can be bought once and that they hold already.",
      advice: "Look at whether a refund is due, and why the app offered it."),
    .invalidProduct: RuleExplanation(
      meaning:
        "A payment was added for a product that the store had called invalid on this device.",
      advice: "Offer only what the store listed. Check the product's state at the store."),
    .paymentNotAllowed: RuleExplanation(
      meaning: "A payment was added on a device on which payments are not allowed.",
      advice: "Ask before selling, and say why buying is not possible."),
    .failedWithoutError: RuleExplanation(
      meaning: "A failure was recorded without the error that explains it.",
      advice: "Record the error's domain and code: support cannot help without it."),
    .hostedContentUnsupported: RuleExplanation(
      meaning: "The store delivered hosted content for a product that is not a non-consumable.",
      advice: "Correct the product's kind in the catalogue, or its delivery."),
  ]
}

extension Rule {
  private static let identifying: [Rule: RuleExplanation] = [
    .accountChanged: RuleExplanation(
      meaning:
        "An event of this transaction states another account than the one that it belongs to.",
      advice: "Check whether two people share a device. The owner does not change by this."),
    .originalShared: RuleExplanation(
      meaning: "Two customers hold transactions of the same original purchase.",
      advice:
        "Often one store account behind two of yours: link them, transfer it, or look at why it "
        + "was restored there."),
    .environmentMixed: RuleExplanation(
      meaning: "One transaction is said to be of two environments.",
      advice: "Correct what the recorder states. Sandbox purchases must not count in production."),
  ]
}

extension Rule {
  private static let timing: [Rule: RuleExplanation] = [
    .arrivedLate: RuleExplanation(
      meaning: "A fact of the store came after a newer one of the same purchase.",
      advice:
        "Nothing to do: it was folded where it belongs. What was answered before may have been "
        + "different."),
    .clockAhead: RuleExplanation(
      meaning:
        "The event claims to be more than a day later than the ledger's clock, so the ledger's "
        + "clock is believed.",
      advice: "The device's clock is wrong. Its times are not evidence."),
    .clockStepped: RuleExplanation(
      meaning: "Within a session the clock went back.",
      advice: "Do not trust the order of this session's times: the sequence tells it."),
  ]
}
