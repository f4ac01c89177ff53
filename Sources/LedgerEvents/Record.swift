/// The bytes of an event in the log, drawn in `Schemas/record.md`.
///
/// A record holds what the fold reads, in place and without names: numbers stand for them. Nothing
/// in it tells who somebody is; what does stays with `Event.personalData` and the tables of names.
public enum Record {
  /// The version that this code writes, the first byte of every record.
  public static let formatVersion: UInt8 = 3

  /// The bytes before the name numbers: the fixed header.
  static let headerBytes = 30

  /// Where the header says how many names were numbered before the record.
  static let namesBeforeAt = 26

  /// The checksum at the end: XXH64 of all that stands before it.
  static let checksumBytes = 8

  /// The most bytes of a commitment to personal data: a hash of 512 bits.
  public static let commitmentBytesMax = 64

  /// Bits of the byte at 3.
  struct Flags {
    static let sequence: UInt8 = 1
    /// The id is a UUID in lower case, packed into 16 bytes.
    static let packedID: UInt8 = 2
    static let commitment: UInt8 = 4
    /// `data` has an `error`, whatever is in it.
    static let error: UInt8 = 8
    /// Numbers of names inside `data` follow those of the envelope.
    static let dataNames: UInt8 = 16
    static let known: UInt8 = 31
  }

  /// Source in the low half of the byte at 2: 0 is absent, else the kind's number and 1.
  static let unknownSource: UInt8 = 15

  /// How the value of a public member stands behind its tag: a length up to `shortMax` with the
  /// value's JSON text, or one of these.
  enum Form {
    static let shortMax: UInt8 = 0xEF
    /// A length of two bytes, then JSON text.
    static let text16: UInt8 = 0xF0
    /// A length of four bytes, then JSON text.
    static let text32: UInt8 = 0xF1
    static let yes: UInt8 = 0xF2
    static let no: UInt8 = 0xF3
    /// A time as `Instant.rfc3339` writes it, in eight bytes.
    static let instant: UInt8 = 0xF4
    /// A time in UTC with exactly three digits of the second, in eight bytes.
    static let instantMilliseconds: UInt8 = 0xF5
    /// A hash of eight bytes.
    static let hash: UInt8 = 0xF6
  }
}

/// The members of `data` that a record carries, each with the number that stands for its name.
/// Numbers are never given anew.
public enum RecordTag: UInt8, CaseIterable, Sendable {
  /// The type's text, of a type that the vocabulary does not know.
  case typeText = 1
  /// The source's text, of a source that is not known.
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
  case sha256 = 47
  case events = 48
  case verified = 49
  case action = 50
  case appVersion = 51
  case systemVersion = 52
  case simulator = 53
  case language = 54
  /// A hash of `path` under the ledger's key: whether two paths are the same, and nothing else.
  case pathHash = 55
  /// Which personal members of the vocabulary the event has, as the sum of `WithheldMember`s.
  case withheld = 56
  case hosting = 57

  /// The name of the member; tags that are no member have none that `data` could use.
  public var name: String { RecordTag.names[Int(rawValue)] }

  private static let names: [String] = {
    var names = [String](repeating: "", count: 256)
    for tag in allCases { names[Int(tag.rawValue)] = "\(tag)" }
    return names
  }()

  /// Whether the tag stands for a member of `data`.
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

/// Why bytes are no record.
public struct RecordError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What a program can tell apart.
  public enum Code: Sendable {
    /// Written by a newer version of the format.
    case unknownVersion
    /// Not what was written: too short, a length beyond the end, or a wrong checksum.
    case damaged
  }

  public let code: Code
  /// What is wrong, and what to do.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }

  public static func == (left: RecordError, right: RecordError) -> Bool { left.code == right.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  static func damaged(_ what: String) -> RecordError {
    RecordError(.damaged, "the record is damaged: \(what); `daybook verify` tells how far it goes")
  }
}
