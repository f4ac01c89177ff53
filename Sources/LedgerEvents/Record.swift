/// The bytes of an event in the log, as described in `Schemas/record.md`.
///
/// A record contains what the fold reads, in place, with numbers instead of names. It does not
/// identify anybody. The data that does is stored in `Event.personalData` and the tables of names.
public enum Record {
  /// The version that this code writes, the first byte of every record.
  public static let formatVersion: UInt8 = 3

  /// The size of the fixed header, which comes before the name numbers.
  static let headerBytes = 30

  /// The offset of the header field that says how many names were numbered before the record.
  static let namesBeforeAt = 26

  /// The size of the checksum at the end: XXH64 of all bytes before it.
  static let checksumBytes = 8

  /// The maximum size of a commitment to personal data: a 512-bit hash.
  public static let commitmentBytesMax = 64

  /// The bits of the byte at offset 3.
  struct Flags {
    static let sequence: UInt8 = 1
    /// The id is a lowercase UUID, packed into 16 bytes.
    static let packedID: UInt8 = 2
    static let commitment: UInt8 = 4
    /// `data` has an `error` member, whatever its value.
    static let error: UInt8 = 8
    /// The numbers of names inside `data` follow those of the envelope.
    static let dataNames: UInt8 = 16
    static let known: UInt8 = 31
  }

  /// The source code, in the low half of the byte at offset 2, for a source that the vocabulary
  /// does not have. 0 means absent; otherwise the code is the kind's number plus 1.
  static let unknownSource: UInt8 = 15

  /// The encoding of a public member's value, after its tag: a length up to `shortMax` followed by
  /// the value's JSON text, or one of these.
  enum Form {
    static let shortMax: UInt8 = 0xEF
    /// A length of two bytes, then JSON text.
    static let text16: UInt8 = 0xF0
    /// A length of four bytes, then JSON text.
    static let text32: UInt8 = 0xF1
    static let yes: UInt8 = 0xF2
    static let no: UInt8 = 0xF3
    /// A time in the format of `Instant.rfc3339`, as eight bytes.
    static let instant: UInt8 = 0xF4
    /// A time in UTC with exactly three fractional digits, as eight bytes.
    static let instantMilliseconds: UInt8 = 0xF5
    /// A hash of eight bytes.
    static let hash: UInt8 = 0xF6
  }
}

/// The members of `data` that a record contains. The raw value stands for the member's name; values
/// are never reused.
public enum RecordTag: UInt8, CaseIterable, Sendable {
  /// The text of a type that the vocabulary does not have.
  case typeText = 1
  /// The text of an unknown source.
  case sourceText = 2
  case signedAt = 3
  case progress = 4
  case timeRemaining = 5
  case contentVersion = 6
  case contentLength = 7
  case contentLengths = 8
  case host = 9
  case quantity = 10
  case purchasedAt = 11
  case expiresAt = 12
  case price = 13
  case currency = 14
  case storefront = 15
  case ownership = 16
  case isUpgraded = 17
  case subscriptionGroup = 18
  case offer = 19
  case downloads = 20
  case products = 21
  case requested = 22
  case invalid = 23
  case allowed = 24
  case askToBuy = 25
  case displayedPrice = 26
  case cancelled = 27
  case status = 28
  case bytes = 29
  case digest = 30
  case excludedFromBackup = 31
  case revokedAt = 32
  case percent = 33
  case gracePeriodExpiresAt = 34
  case autoRenew = 35
  case toProduct = 36
  case consented = 37
  case unit = 38
  case amount = 39
  case required = 40
  case entitlement = 41
  case until = 42
  case storeItem = 43
  case notificationType = 44
  case subtype = 45
  case format = 46
  case events = 48
  case verified = 49
  case action = 50
  case appVersion = 51
  case systemVersion = 52
  case simulator = 53
  case language = 54
  /// A hash of `path` under the ledger's key. It shows whether two paths are equal, and nothing
  /// else.
  case pathHash = 55
  /// The personal members of the vocabulary that the event has, as the sum of `WithheldMember`s.
  case withheld = 56
  case hosting = 57

  /// The name of the member. A tag that is not a member has a name that `data` cannot use.
  public var name: String { RecordTag.names[Int(rawValue)] }

  private static let names: [String] = {
    var names = [String](repeating: "", count: 256)
    for tag in allCases { names[Int(tag.rawValue)] = "\(tag)" }
    return names
  }()

  /// Whether the tag is a member of `data`.
  public var isMember: Bool {
    switch self {
    case .typeText, .sourceText, .pathHash, .withheld: false
    default: true
    }
  }

  /// The tag of a member of `data`.
  static let byName: [String: RecordTag] = Dictionary(
    uniqueKeysWithValues: allCases.filter(\.isMember).map { ($0.name, $0) })
}

/// The reason why bytes are not a valid record.
public struct RecordError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  public enum Code: Sendable {
    /// The record was written in a newer version of the format.
    case unknownVersion
    /// The bytes are not what was written: they are too short, a length exceeds the record, or the
    /// checksum is wrong.
    case damaged
  }

  public let code: Code
  /// A description of the error, and what to do.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }

  public static func == (left: RecordError, right: RecordError) -> Bool { left.code == right.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  static func damaged(_ what: String) -> RecordError {
    RecordError(
      .damaged, "the record is damaged: \(what); run `daybook verify` to find all damage")
  }
}
