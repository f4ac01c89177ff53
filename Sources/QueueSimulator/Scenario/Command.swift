/// A command of a script: something that the customer, the seller, the store or the system does, or
/// a fault.
///
/// Devices, products and accounts are indices into the scenario.
public enum Command: Hashable, Sendable {
  // The customer.
  case launch(device: Int)
  case quit(device: Int)
  case background(device: Int)
  case foreground(device: Int)
  /// Asks the store for the products, including the invalid ones.
  case requestProducts(device: Int)
  case buy(device: Int, product: Int, quantity: Int, outcome: PaymentOutcome)
  /// A parent approves the oldest deferred payment.
  case approve
  case decline
  case restore(device: Int)
  case pauseDownloads(device: Int)
  case resumeDownloads(device: Int)
  case cancelDownloads(device: Int)
  case addObserver(device: Int)
  case removeObserver(device: Int)

  // The seller and the store.
  case publish(product: Int, version: Int)
  case refund(product: Int, account: Int)

  // Settings of the system.
  case switchPayments(device: Int, allowed: Bool)

  // Faults.
  case fault(Action)
}

extension Command {
  /// A description of when the command has an effect.
  var need: String {
    switch self {
    case .launch: "the app is not running"
    case .quit: "the app is running"
    case .foreground: "the app is in the background"
    case .background, .requestProducts, .buy, .restore: "the app is in the foreground"
    case .approve, .decline: "a payment is waiting for approval"
    case .pauseDownloads, .cancelDownloads:
      "the app is in the foreground and a download is running"
    case .resumeDownloads: "the app is in the foreground and a download is paused"
    case .addObserver: "the app is in the foreground and does not observe the queue"
    case .removeObserver: "the app is in the foreground and observes the queue"
    case .publish, .switchPayments: "nothing else"
    case .refund: "the customer has a purchase of the product that was not refunded"
    case .fault: "what it strikes is there at that moment"
    }
  }
}

/// The store's answer to a payment.
public enum PaymentOutcome: String, CaseIterable, Hashable, Sendable {
  case purchased
  case failed
  case cancelled
  /// Waits for a parent (*Ask to Buy*).
  case deferred
  /// Reported as failed while the customer sorts something out; a purchase without a payment
  /// follows.
  case interrupted
  /// A restored transaction if the customer owns the product, otherwise a purchased one.
  case restored
}
