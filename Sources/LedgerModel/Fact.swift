public import LedgerEvents

/// An event as the reducer reads it. Except for `detail` it has a fixed size, with numbers for
/// names and microseconds for times. There is nothing to parse and, for the bulk of a log
/// (progress), nothing to allocate.
///
/// If a number is 0, the event does not state the name.
public struct Fact: Sendable {
  /// Order of arrival, from 1.
  public var position: UInt64
  public var kind: EventKind
  public var source: EventSource.Kind
  /// The environment that the event itself states.
  public var environment: StoreEnvironment?
  /// The believed store time: the stated time, or `recordedAt` if the stated time is more than 24
  /// hours ahead of it.
  public var occurredAt: Int64
  /// Store time as the event states it.
  public var statedOccurredAt: Int64
  /// Ledger time.
  public var recordedAt: Int64
  /// `absentSequence` if the event states none, which sorts as 0.
  public var sequence: Int64
  /// The first eight bytes of the id, big-endian and padded with zeros. The rest of the id breaks
  /// ties.
  public var idPrefix: UInt64
  public var app: NameNumber = 0
  public var account: NameNumber = 0
  public var device: NameNumber = 0
  public var session: NameNumber = 0
  public var payment: NameNumber = 0
  public var product: NameNumber = 0
  public var transaction: NameNumber = 0
  public var original: NameNumber = 0
  public var download: NameNumber = 0
  /// `signedAt`, or `Fact.absentTime`.
  public var signedAt = Fact.absentTime
  /// `progress`, or NaN.
  public var progress = Double.nan
  /// What only a few event types carry.
  public var detail: FactDetail?

  /// Represents an absent time.
  public static let absentTime: Int64 = .min

  /// Represents an absent sequence. Sequences begin at 0.
  public static let absentSequence: Int64 = -1

  @inlinable
  public init(
    position: UInt64, kind: EventKind, source: EventSource.Kind, environment: StoreEnvironment?,
    statedOccurredAt: Int64, recordedAt: Int64, sequence: Int64, idPrefix: UInt64
  ) {
    self.position = position
    self.kind = kind
    self.source = source
    self.environment = environment
    self.statedOccurredAt = statedOccurredAt
    self.recordedAt = recordedAt
    self.occurredAt = Fact.believed(statedOccurredAt, recordedAt: recordedAt)
    self.sequence = sequence
    self.idPrefix = idPrefix
  }

  /// The believed store time, in microseconds: the time that the event states, or the ledger's own
  /// time if the stated time is more than 24 hours ahead (`events.md`, *The order of events*).
  public static func believed(_ stated: Int64, recordedAt: Int64) -> Int64 {
    Instant.believed(stated, recordedAt: recordedAt)
  }

  /// The believed store time for the times of an envelope.
  public static func believed(_ stated: Instant, recordedAt: Instant) -> Instant {
    stated.believed(recordedAt: recordedAt)
  }
}

/// Who hosts a download.
public enum DownloadHost: UInt8, Sendable {
  case store = 0
  case own = 1
}

/// What a fact carries in addition to its header, for the event types that need more.
public final class FactDetail: Sendable {
  /// A download that a delivery announces.
  public struct Announced: Sendable {
    public var download: NameNumber
    public var contentVersion: Name?
    /// `nil` if the delivery does not state it; a host that was stated before is kept.
    public var host: DownloadHost?

    public init(download: NameNumber, contentVersion: Name?, host: DownloadHost?) {
      self.download = download
      self.contentVersion = contentVersion
      self.host = host
    }
  }

  /// A product of a `catalog.received`.
  public struct Offered: Sendable {
    public var product: NameNumber
    public var contentVersion: Name?

    public init(product: NameNumber, contentVersion: Name?) {
      self.product = product
      self.contentVersion = contentVersion
    }
  }

  /// The members of `data` that the reducer reads, by their names there.
  public struct Fields: Sendable {
    /// 100 percent, in millionths of one percent.
    public static let wholePercentMillionths: Int64 = 100_000_000

    public var purchasedAt: Int64 = Fact.absentTime
    public var expiresAt: Int64 = Fact.absentTime
    public var gracePeriodExpiresAt: Int64 = Fact.absentTime
    public var until: Int64 = Fact.absentTime
    public var quantity: Int64 = 1
    /// `percent` in millionths of one percent, because 50.5 is a valid value. Further digits are
    /// dropped.
    public var percentMillionths: Int64 = Self.wholePercentMillionths
    public var amount: Int64 = 0
    public var contentVersion: Name?
    /// A keyed hash of `path`, which is personal and never part of a record; `nil` if there is
    /// none.
    public var pathHash: UInt64?
    public var digest: Name?
    public var entitlement: Name?
    public var unit: Name?
    /// `nil` if the event states no host.
    public var host: DownloadHost?
    /// The other account of `account.linked` and `account.transferred`.
    public var to: NameNumber = 0
    public var hasError = false
    public var isUpgraded = false
    public var familyShared = false
    public var required = false
    public var allowed: Bool?
    public var excludedFromBackup: Bool?
    public var downloads: [Announced] = []
    /// From `catalog.set`.
    public var definitions: [ProductDefinition] = []
    /// From `catalog.received`.
    public var offered: [Offered] = []
    public var invalid: [NameNumber] = []

    public init() {}
  }

  public let fields: Fields

  public init(_ fields: Fields) { self.fields = fields }
}

/// What one `catalog.set` says about a product.
public struct ProductDefinition: Sendable {
  /// The four kinds that the store sells.
  public enum Kind: UInt8, Sendable {
    case consumable = 0
    case nonConsumable = 1
    case autoRenewable = 2
    case nonRenewing = 3
  }

  /// An amount of a unit that one purchase credits.
  public struct Grant: Sendable {
    public var unit: Name
    public var amount: Int64

    public init(unit: Name, amount: Int64) {
      self.unit = unit
      self.amount = amount
    }
  }

  public var product: NameNumber
  public var kind: Kind
  public var entitlements: [Name]
  public var grants: [Grant]
  public var duration: CalendarDuration?

  public init(
    product: NameNumber, kind: Kind, entitlements: [Name], grants: [Grant],
    duration: CalendarDuration?
  ) {
    self.product = product
    self.kind = kind
    self.entitlements = entitlements
    self.grants = grants
    self.duration = duration
  }
}
