/// An incident that shows a rule.
package struct RuleIncident: Sendable {
  /// What happened, told as a short story.
  package let story: String
  /// The path of the file with the incident's events, relative to the package's folder.
  package let file: String

  /// An incident of `Tools/samples/incidents`.
  fileprivate init(_ sample: String, _ story: String) {
    self.init(file: "Tools/samples/incidents/\(sample).jsonl", story)
  }

  fileprivate init(file: String, _ story: String) {
    self.story = story
    self.file = file
  }

  /// A scenario of `Tests/Scenarios/hits`, named after the rule that it shows.
  fileprivate static func scenario(of rule: Rule, _ story: String) -> RuleIncident {
    RuleIncident(file: "Tests/Scenarios/hits/\(rule.id).json", story)
  }
}

extension Rule {
  /// An incident that shows the rule.
  package var incident: RuleIncident {
    switch self {
    case .finishedBeforeDownload:
      RuleIncident(
        "map-finished-at-once",
        "The app starts the download of a map and finishes the transaction in the same callback. "
          + "The queue cancels the download, and the map never arrives.")
    case .finishedWithoutDownload:
      RuleIncident(
        "own-server-after-all",
        "The content has moved to the seller's own server. An old product still announces a hosted "
          + "download at a restore; the app leaves it alone on purpose and finishes.")
    case .finishedAfterFailedDownload:
      RuleIncident(
        "disk-full-and-finished",
        "The download fails because the disk is full, and the app finishes the transaction "
          + "anyway.")
    case .finishedBeforeInstall:
      RuleIncident(
        "copied-too-late",
        "The app finishes when the download is finished and copies the file afterwards. The copy "
          + "fails: the cache is empty.")
    case .installFailedThenFinished:
      RuleIncident(
        "no-room-and-finished",
        "There is no room to unpack the content. The error handler finishes the transaction.")
    case .finishedUnknown:
      RuleIncident(
        "finished-what-nobody-saw",
        "A transaction is finished that was bought before the app began to record.")
    case .finishedWhilePurchasing:
      RuleIncident(
        "finished-while-still-paying",
        "`finishTransaction` is called in the state purchasing. The exception ends the app, and "
          + "the purchase arrives at the next launch.")
    case .finishedTwice:
      RuleIncident(
        "two-observers-two-finishes",
        "Two parts of the app observe the queue, and each finishes the same transaction.")
    case .finishedBeforeFulfillment:
      RuleIncident(
        "finished-before-the-backend-answered",
        "A library finishes by itself. Then the backend refuses the receipt, and nothing is ever "
          + "credited.")
    case .removedWithoutFinish:
      RuleIncident(
        "gone-after-the-background",
        "The app returns from the background and the queue says that the transaction was removed. "
          + "Nobody finished it.")
    case .redelivered:
      RuleIncident(
        "observer-added-too-late",
        "The app adds its observer only when the shop is opened, so it hears of an open purchase "
          + "days later, for the second time.")
    case .deliveredAfterFinish:
      RuleIncident(
        "hours-come-back-twice",
        "A pack of hours is finished and is delivered again at the next two launches. It must "
          + "count once.")
    case .deliveryLoop:
      RuleIncident(
        "crash-on-every-launch",
        "A restored transaction has no original. The app crashes on it, launches, gets it again "
          + "and crashes again.")
    case .downloadWithoutPayment:
      RuleIncident(
        "downloading-before-paying",
        "The app starts a download while the store still asks for the password.")
    case .downloadAfterFinish:
      RuleIncident(
        "asked-after-the-finish",
        "The transaction is finished first and the download is requested afterwards. The store "
          + "refuses it.")
    case .installedBeforeDownload:
      RuleIncident(
        "unpacked-at-a-hundred-percent",
        "The app takes progress 1.0 for the end and unpacks a file that is not complete yet.")
    case .contentMissingAtInstall:
      RuleIncident(
        "copied-too-late",
        "The transaction is finished, the system empties the cache, and the download was not "
          + "copied out. The customer paid and has nothing.")
    case .progressRegressed:
      RuleIncident(
        "progress-went-backwards",
        "A download reports 0.64 and then 0.31 in the same attempt.")
    case .installDowngraded:
      RuleIncident(
        "an-old-map-over-a-new-one",
        "An old download ends late, and its version is installed over a newer one.")
    case .redundantDownload:
      RuleIncident(
        "shanties-restored-twice",
        "A restore brings one songbook twice. The first copy is installed, and the app downloads "
          + "the second one as well.")
    case .digestMismatch:
      RuleIncident(
        "same-version-other-bytes",
        "A map is installed again under the same version, and its digest differs.")
    case .backupNotExcluded:
      RuleIncident(
        "backed-up-maps",
        "A map is installed into a folder that the device backs up.")
    case .versionNotIncreased:
      RuleIncident(
        "an-older-version-published",
        "The release tool announces an older version of a map after a newer one.")
    case .restoredWithoutOriginal:
      RuleIncident(
        "crash-on-every-launch",
        "A restored transaction arrives without its original; the app expected one.")
    case .restoredTwice:
      RuleIncident(
        "shanties-restored-twice",
        "One restore brings the same songbook under two transactions, and both are downloaded.")
    case .restoreCompletedEarly:
      RuleIncident(
        "restore-ended-too-soon",
        "The restore is reported as complete, and then its last songbook arrives.")
    case .restoreStorm:
      RuleIncident(
        "whole-shelf-at-once",
        "A restore brings twelve songbooks, and the app starts all twelve downloads at once.")
    case .purchasedAfterFailure:
      RuleIncident(
        "strong-authentication-between",
        "The bank asks for a code. The payment is reported as failed, and a minute later the same "
          + "product is purchased.")
    case .purchasedTwice:
      RuleIncident(
        "sold-the-same-twice",
        "The app sells offline navigation to a customer who owns it already, and the customer pays "
          + "again.")
    case .invalidProduct:
      RuleIncident(
        "a-product-nobody-approved",
        "The store has just listed a product as invalid, and the app sells it anyway.")
    case .paymentNotAllowed:
      RuleIncident(
        "payments-switched-off",
        "Payments are not allowed on the device, and the app adds one anyway.")
    case .failedWithoutError:
      RuleIncident(
        "failed-and-nobody-says-why",
        "A payment fails, and the recorder did not keep the error.")
    case .hostedContentUnsupported:
      RuleIncident(
        "a-subscription-with-downloads",
        "A subscription is delivered with hosted content, which the store offers for "
          + "non-consumables only.")
    case .accountChanged:
      RuleIncident(
        "signed-in-as-her-brother",
        "A sister buys, her brother signs in, and the app records the redelivery as his.")
    case .originalShared:
      RuleIncident(
        "one-purchase-two-accounts",
        "Two customers of the app use one store account. A restore gives the second one what the "
          + "first one bought.")
    case .environmentMixed:
      RuleIncident(
        "a-reviewer-in-the-sandbox",
        "The device records a purchase as sandbox, and the receipt says that the same transaction "
          + "is of production.")
    case .arrivedLate:
      RuleIncident(
        "yesterdays-notification",
        "The reversal of a refund arrives first, and the refund itself a day later.")
    case .clockAhead:
      .scenario(
        of: self,
        "A customer sets the phone's clock two years ahead to win time in a game, and the next "
          + "purchase claims that date.")
    case .clockStepped:
      RuleIncident(
        "the-clock-was-set-back",
        "A customer sets the clock back in the middle of a session.")
    case .neverFinished:
      RuleIncident(
        "never-asked-again",
        "A purchase is never finished. Later launches bring no new event, and it stays open.")
    case .paymentUnanswered:
      RuleIncident(
        "unfinished-blocks-the-next",
        "An unfinished pack of hours blocks the next one: the payment is added and nothing ever "
          + "answers.")
    case .downloadStalled:
      RuleIncident(
        "paused-and-never-again",
        "The app pauses a download when it goes to the background and resumes it later. No byte "
          + "follows.")
    case .undelivered:
      RuleIncident(
        "map-finished-at-once",
        "The transaction is finished, the download was cancelled by it, and no device ever "
          + "installs the map.")
    case .installInterrupted:
      RuleIncident(
        "killed-while-unpacking",
        "The app is killed while it unpacks a map, and never goes on with it.")
    case .restoreUnanswered:
      RuleIncident(
        "crash-on-every-launch",
        "The customer asks for a restore, the app crashes, and the restore is never answered.")
    case .failedAfterPurchase:
      .scenario(
        of: self,
        "The queue reports a purchase, and later reports the same transaction as failed. An app "
          + "that believes the last report takes away what was paid for.")
    case .fulfilledTwice:
      .scenario(
        of: self,
        "The app credits coins when a purchase is delivered, is killed before it finishes, and "
          + "credits the coins again when the purchase is delivered at the next launch.")
    case .restoreIncomplete:
      .scenario(
        of: self,
        "A customer signs in with another Apple ID and restores. The restore completes without the "
          + "product that the customer's account owns.")
    case .unfulfilled:
      .scenario(
        of: self,
        "The backend cannot unlock a purchase. The app finishes the transaction anyway, and nobody "
          + "tries again.")
    case .fulfilledUnpurchased:
      .scenario(
        of: self,
        "The app unlocks a product before the payment is confirmed, and the payment never arrives.")
    }
  }
}
