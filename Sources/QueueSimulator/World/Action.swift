/// One thing that can happen next, on the queue, in the store, in an app, or as a fault.
///
/// A run is its scenario and the list of its actions. Files contain an action as its `text`.
public struct Action: Hashable, Sendable {
  /// What happens. The raw values are in scenario files and never change their meaning.
  public enum Verb: String, CaseIterable, Sendable {
    /// The next command of the script.
    case command
    // The store.
    case authorize
    case listRestored = "list-restored"
    case endRestored = "end-restored"
    case notify
    case download
    // Callbacks of the queue, by the names of SKPaymentTransactionObserver.
    case updatedTransactions = "updated-transactions"
    case updatedDownloads = "updated-downloads"
    case removedTransactions = "removed-transactions"
    case restoreFinished = "restore-finished"
    // The app and who uses it.
    case app
    case launch
    case foreground
    /// The faults stop: armed faults no longer strike, and stalled downloads continue.
    case calm
    /// Two days pass.
    case wait
    // Faults.
    /// The process ends immediately, and nothing is recorded.
    case kill
    /// The screen that observes the queue is closed.
    case loseObserver = "lose-observer"
    /// The app leaves the foreground.
    case background
    /// A running download fails.
    case failDownload = "fail-download"
    /// A running download makes no progress until the next launch.
    case stallDownload = "stall-download"
    /// The next install fails because the disk is full.
    case fillDisk = "fill-disk"
    /// The backend fails at the next fulfilment.
    case stopBackend = "stop-backend"
    /// The queue reports a transaction again.
    case repeatDelivery = "repeat-delivery"
    /// The transaction loses its `applicationUsername`.
    case loseAccount = "lose-account"
    /// The next finish has no effect: the transaction is delivered again at the next launch.
    case failFinish = "fail-finish"
    /// A transaction leaves the queue without a finish.
    case remove
    /// The end of the running restore is reported before its transactions.
    case overtakeRestore = "overtake-restore"
    /// The running restore lists a purchase twice.
    case doubleRestore = "double-restore"
    /// The payment is reported as failed, and a purchase without a payment follows.
    case interruptPayment = "interrupt-payment"
    /// The store refuses the payment.
    case refusePayment = "refuse-payment"
    /// The system deletes the cached downloads of finished transactions.
    case purge
    /// The store's server sends a notification again that was already acknowledged.
    case repeatNotification = "repeat-notification"
    /// The running restore leaves out the purchase that it would list next.
    case shortenRestore = "shorten-restore"
    /// Another Apple ID is signed in to the store: the running restore lists its purchases.
    case switchAppleID = "switch-apple-id"
    /// The queue reports a transaction as failed that it has reported as purchased or restored.
    case contradictDelivery = "contradict-delivery"
    /// The app adds a second observer: the queue calls both.
    case doubleObserver = "double-observer"
    /// Another customer signs in to the app.
    case switchAccount = "switch-account"
    /// The store answers a payment for a product that the customer owns with a restored
    /// transaction.
    case answerAsRestored = "answer-as-restored"
    /// The backend rejects the next receipt.
    case rejectReceipt = "reject-receipt"
    /// The backend rejects every receipt until the faults stop.
    case rejectReceipts = "reject-receipts"
  }

  public var verb: Verb
  /// The index of the device or the notification; 0 if there is none.
  public var device: Int16
  /// The index of the transaction on the device's queue, −1 for the app as a whole; or the index of
  /// the account, if the action is about one.
  public var slot: Int16
  /// The index of the download in its transaction.
  public var part: Int16

  public init(_ verb: Verb, device: Int = 0, slot: Int = 0, part: Int = 0) {
    self.verb = verb
    self.device = Int16(clamping: device)
    self.slot = Int16(clamping: slot)
    self.part = Int16(clamping: part)
  }
}

extension Action.Verb {
  /// Whether it counts towards the number of faults in a run.
  public var isFault: Bool {
    switch self {
    case .command, .authorize, .listRestored, .endRestored, .notify, .download,
      .updatedTransactions, .updatedDownloads, .removedTransactions, .restoreFinished, .app,
      .launch, .foreground, .calm, .wait:
      false
    default: true
    }
  }

  /// How many indices it has: device, slot or account, part.
  public var indexCount: Int {
    switch self {
    case .command, .stopBackend, .rejectReceipt, .rejectReceipts, .calm, .wait: 0
    case .authorize, .app, .repeatDelivery, .loseAccount, .remove, .interruptPayment,
      .refusePayment, .contradictDelivery, .answerAsRestored, .switchAppleID, .switchAccount:
      2
    case .download, .failDownload, .stallDownload: 3
    default: 1
    }
  }
}

extension Action {
  /// Whether its second index is that of an account rather than a transaction.
  var isAboutAccount: Bool { verb == .switchAppleID || verb == .switchAccount }
}

extension Action: LosslessStringConvertible {
  /// The verb and its indices: `download 0 1 0`.
  public var text: String {
    ([verb.rawValue] + [device, slot, part].prefix(verb.indexCount).map { String($0) })
      .joined(separator: " ")
  }

  public var description: String { text }

  /// Parses ``text``; `nil` if it is not an action.
  public init?(_ description: String) {
    let words = description.split(separator: " ")
    guard let first = words.first, let verb = Verb(rawValue: String(first)),
      words.count == verb.indexCount + 1
    else { return nil }
    var indices: [Int] = []
    for word in words.dropFirst() {
      guard let index = Int(word), index >= Int.absent, index < 1_000 else { return nil }
      indices.append(index)
    }
    indices += [0, 0, 0]
    self.init(verb, device: indices[0], slot: indices[1], part: indices[2])
  }
}
