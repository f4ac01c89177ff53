/// `delivery-loop` (error): a third launch of one device in which a transaction is delivered to it,
/// with no finish since the first: the app dies on it each time. A delivery while a download of the
/// transaction is under way on that device does not count: a long download over several launches is
/// no loop. Once per opening.
enum DeliveryLoop {
  /// The launch at which deliveries are a loop.
  static let launchCountMin = 3

  /// Whether a delivery counts, by the states of the transaction's downloads on the device.
  static func counts(beside downloads: some Sequence<DownloadState.Phase>) -> Bool {
    downloads.allSatisfy { $0 == .announced || $0.hasEnded }
  }

  static func breaks(launchCount: Int) -> Bool { launchCount >= launchCountMin }
}
