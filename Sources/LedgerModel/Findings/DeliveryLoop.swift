/// `delivery-loop` (error): a transaction is delivered to one device in a third launch, with no
/// finish since the first: the app dies on it each time. A delivery does not count while a download
/// of the transaction is under way on that device, because a long download over several launches is
/// not a loop. Once per opening.
enum DeliveryLoop {
  /// The number of launches with a delivery that make a loop.
  static let launchCountMin = 3

  /// Whether a delivery counts, given the states of the transaction's downloads on the device.
  static func counts(beside downloads: some Sequence<DownloadState.Phase>) -> Bool {
    downloads.allSatisfy { $0 == .announced || $0.hasEnded }
  }

  static func breaks(launchCount: Int) -> Bool { launchCount >= launchCountMin }
}
