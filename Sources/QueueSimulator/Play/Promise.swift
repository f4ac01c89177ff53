internal import LedgerEvents

/// What an app owes its customers for what the store sold. It is checked after the faults have
/// stopped and the app was opened again.
public enum Promise: String, CaseIterable, Sendable {
  /// Every purchase that was not refunded is delivered: all of its content is installed, in the
  /// version that was sold or a newer one; anything else is credited.
  case delivered = "not-delivered"
  /// No consumable is credited twice.
  case creditedOnce = "credited-twice"

  /// The id of the broken promise.
  public var id: String { rawValue }

  /// What it means that the promise is broken, as a sentence without a full stop.
  public var meaning: String {
    switch self {
    case .delivered: "something that was paid for is not there"
    case .creditedOnce: "a consumable's purchase was credited more than once"
    }
  }
}

extension World {
  /// The promises that are broken, each once.
  func brokenPromises() -> [Promise] {
    var broken: [Promise] = []
    if purchases.contains(where: { !$0.isRefunded && !$0.isEarlier && !isDelivered($0) }) {
      broken.append(.delivered)
    }
    if purchases.contains(where: { $0.isConsumable && $0.credits > 1 }) {
      broken.append(.creditedOnce)
    }
    return broken
  }

  private func isDelivered(_ purchase: Purchase) -> Bool {
    if cast.products[Int(purchase.product)].parts.isEmpty {
      return purchases.contains {
        $0.original == purchase.original && $0.credits > 0
      }
    }
    let folder = Int(folder(of: purchase.account, purchase.product))
    return devices.contains { $0.folders[folder].complete >= purchase.version }
  }
}
