/// `delivery-loop` (error): a third launch of one device in which a transaction is delivered to it,
/// with no finish since the first: the app dies on it each time. Once per opening.
enum DeliveryLoop {
  /// The launch at which deliveries are a loop.
  static let launchCountMin = 3

  static func breaks(launchCount: Int) -> Bool { launchCount >= launchCountMin }
}
