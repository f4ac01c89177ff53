/// How an app handles the payment queue's callbacks: like `careful`, except for a mistake that some
/// shipped code made.
public struct AppPolicy: Hashable, Sendable {
  /// When a transaction with downloads is finished.
  public enum Finish: Hashable, Sendable {
    /// When all of its downloads are installed.
    case whenInstalled
    /// In the callback that starts the downloads.
    case atOnce
    /// When its downloads are finished; they are copied afterwards.
    case beforeCopy
    /// When the first of its downloads is installed.
    case afterFirstDownload
    /// When the download that was reported last is finished, whatever the others did.
    case afterLastCallback
    /// When all downloads of one callback are finished, whichever transactions they belong to.
    case afterBatch
  }

  public var name: String
  /// A one-line description.
  public var summary: String
  public var finish = Finish.whenInstalled
  /// Finishes when a download fails or is cancelled.
  public var finishesOnFailure = false
  /// Treats progress 1.0 as the end of a download.
  public var installsAtFullProgress = false
  /// Keeps files that exist already.
  public var skipsExistingFiles = false
  /// How many downloads run at a time on one device.
  public var downloadsAtOnceMax = 3
  /// Downloads content only once if several transactions provide it.
  public var downloadsOnce = true
  /// Never finishes restored transactions.
  public var forgetsRestored = false
  /// Credits a consumable each time it is delivered.
  public var creditsEachDelivery = false
  /// Finishes before it tells the backend.
  public var finishesBeforeFulfillment = false
  /// The restore's handler finishes everything on the queue.
  public var finishesWholeQueue = false
  /// Finishes restored transactions without checking whether the content is there.
  public var restoresWithoutDownload = false
  /// Treats the next delivery as the answer to its newest payment.
  public var answersNewestPayment = false
  /// Treats an older transaction of the product as the answer to its newest payment.
  public var answersWithOld = false
  /// Never treats a restored transaction as the answer to a payment.
  public var takesPurchasedOnly = false
  /// Takes a purchase back if a later callback says that it failed.
  public var lastStateDecides = false
  /// Finishes a transaction whose receipt its backend rejected.
  public var finishesAfterRejection = false
  /// How many parts of the app observe the queue independently.
  public var observerCount: UInt8 = 1
  /// Removes content that a restore did not deliver.
  public var restoreIsAll = false
  /// Gives every delivery to the customer who is signed in.
  public var givesToSignedIn = false

  public init(name: String, summary: String) {
    self.name = name
    self.summary = summary
  }
}

extension AppPolicy {
  /// Installs each version into its own folder, excludes it from backup, fulfils, then finishes;
  /// resumes after a kill; asks for a restore if a purchase that it has noted is missing.
  public static let careful = AppPolicy(
    name: "careful",
    summary: "records, downloads, installs by version, fulfils, then finishes; resumes after a kill"
  )

  private static func careful(
    but name: String, _ summary: String, _ change: (inout AppPolicy) -> Void
  ) -> AppPolicy {
    var policy = AppPolicy(name: name, summary: summary)
    change(&policy)
    return policy
  }

  /// All policies, `careful` first.
  public static let all: [AppPolicy] = [
    .careful,
    careful(but: "finish-at-once", "starts the downloads and finishes in the same callback") {
      $0.finish = .atOnce
    },
    careful(but: "finish-before-copy", "finishes when the download is, then copies") {
      $0.finish = .beforeCopy
    },
    careful(but: "finish-on-failure", "finishes when a download fails or is cancelled") {
      $0.finishesOnFailure = true
    },
    careful(but: "progress-is-done", "installs at progress 1.0") {
      $0.installsAtFullProgress = true
    },
    careful(
      but: "last-callback-decides", "treats the last download's outcome as that of all downloads"
    ) {
      $0.finish = .afterLastCallback
    },
    careful(but: "batch-is-transaction", "finishes the first transaction of a finished batch") {
      $0.finish = .afterBatch
    },
    careful(but: "skip-existing-file", "leaves files alone that exist already") {
      $0.skipsExistingFiles = true
    },
    careful(but: "download-everything", "starts every download of a restore at once") {
      $0.downloadsAtOnceMax = .max
      $0.downloadsOnce = false
    },
    careful(but: "never-finish", "forgets to finish what was restored") {
      $0.forgetsRestored = true
    },
    careful(but: "credit-on-delivery", "credits a consumable each time it is delivered") {
      $0.creditsEachDelivery = true
    },
    careful(but: "finish-on-first-download", "finishes after the first download of several") {
      $0.finish = .afterFirstDownload
    },
    careful(but: "finish-before-fulfillment", "finishes, then tells its backend") {
      $0.finishesBeforeFulfillment = true
    },
    careful(but: "finish-everything", "the restore's handler finishes the whole queue") {
      $0.finishesWholeQueue = true
    },
    careful(but: "restore-without-download", "finishes what is restored without its content") {
      $0.restoresWithoutDownload = true
    },
    careful(but: "latest-answers", "takes the next delivery for its newest payment's answer") {
      $0.answersNewestPayment = true
    },
    careful(but: "old-answers", "takes an old transaction for its newest payment's answer") {
      $0.answersWithOld = true
    },
    careful(but: "purchased-only", "takes nothing restored for the answer to a payment") {
      $0.takesPurchasedOnly = true
    },
    careful(but: "last-state-decides", "takes back what was bought when a callback says failed") {
      $0.lastStateDecides = true
    },
    careful(but: "finish-after-rejection", "finishes what its backend rejected, and gives nothing")
    {
      $0.finishesAfterRejection = true
    },
    careful(but: "two-observers", "two parts of the app observe, each fulfils and finishes") {
      $0.observerCount = 2
    },
    careful(but: "restore-is-all", "treats what a restore brought as everything there is") {
      $0.restoreIsAll = true
    },
    careful(but: "signed-in-gets-it", "gives what arrives to whoever is signed in") {
      $0.givesToSignedIn = true
    },
  ]

  /// The policy with that name; `nil` if there is none.
  public static func named(_ name: String) -> AppPolicy? { all.first { $0.name == name } }
}
