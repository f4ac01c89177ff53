/// What varies between the workloads that a `Mix` makes.
public struct MixShape: Sendable {
  /// Whom the purchases are spread over.
  public enum Activity: Sendable {
    /// Every account buys as often as any other.
    case even
    /// The account with the number *n* buys about *1/n* times as often as the first one, which is
    /// Zipf's law: a few customers are busy and most are not.
    case zipf
    /// One account buys everything, each time on another device.
    case oneAccount
    /// All accounts buy on one device, such as the one in a shop.
    case oneDevice
  }

  /// From how many customers each purchase's is drawn.
  public var accounts: UInt64
  public var activity: Activity
  /// How many events of each purchase report its download's progress. There are twelve others.
  public var progressAPurchase: Int
  /// Whether ids are random instead of rising with time.
  public var hasRandomIDs: Bool

  public init(
    accounts: UInt64 = 100_000, activity: Activity = .even, progressAPurchase: Int = 88,
    hasRandomIDs: Bool = false
  ) {
    self.accounts = accounts
    self.activity = activity
    self.progressAPurchase = progressAPurchase
    self.hasRandomIDs = hasRandomIDs
  }

  /// How many events one purchase has.
  public var eventsAPurchase: Int { progressAPurchase + 12 }

  /// The number of the account that buys, by a random word.
  func account(_ word: UInt64) -> UInt64 {
    switch activity {
    case .even, .oneDevice: word % accounts
    case .oneAccount: 0
    case .zipf: zipf(word)
    }
  }

  /// The number of the device on which `account` makes the purchase with the number `purchase`.
  func device(of account: UInt64, _ purchase: UInt64) -> UInt64 {
    switch activity {
    case .even, .zipf: account &+ 1
    case .oneAccount: purchase
    case .oneDevice: 1
    }
  }

  /// A number below `accounts`. Each doubling of the number is as likely as any other, and within
  /// it all are equally likely: the law in steps, without logarithms, so that it is the same on
  /// every machine.
  private func zipf(_ word: UInt64) -> UInt64 {
    let doublings = UInt64(UInt64.bitWidth - accounts.leadingZeroBitCount)
    let floor: UInt64 = 1 << (word % doublings)
    return (floor + (word / doublings) % floor - 1) % accounts
  }
}
