/// What a script makes happen: the customer, the seller, the system, or a fault.
///
/// Devices, products and accounts are places in the scenario.
public enum Command: Hashable, Sendable {
  // The customer.
  case launch(device: Int)
  case quit(device: Int)
  case background(device: Int)
  case foreground(device: Int)
  /// Asks the store for the products, the invalid ones too.
  case requestProducts(device: Int)
  case buy(device: Int, product: Int, quantity: Int, outcome: PaymentOutcome)
  /// Somebody answers what ask-to-buy put off; the oldest deferred payment.
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

/// What the store makes of a payment.
public enum PaymentOutcome: String, CaseIterable, Hashable, Sendable {
  case purchased
  case failed
  case cancelled
  /// Waits for a parent (*Ask to Buy*).
  case deferred
  /// Reported as failed while the customer sorts something out; then a purchase comes by itself.
  case interrupted
}
