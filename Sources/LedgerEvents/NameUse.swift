/// What a name names. A number belongs to a name within its kind.
///
/// Transactions and originals share a kind: an original is a transaction's identifier.
public enum NameKind: UInt8, CaseIterable, Sendable {
  case app = 1
  case account = 2
  case device = 3
  case session = 4
  case payment = 5
  case product = 6
  case transaction = 7
  case download = 8
}

/// The number of a name within its kind: the position of the first event that uses it; 0 is *none*.
///
/// 32 bits hold it because a ledger holds at most `positionMax` events.
public typealias NameNumber = UInt32

/// The most events that one ledger holds: positions are 32 bits wide inside records and indexes.
public let positionMax: UInt64 = 4_294_967_294

/// One use of a name by an event.
public struct NameUse: Hashable, Sendable {
  public var kind: NameKind
  public var name: Name

  public init(kind: NameKind, name: Name) {
    self.kind = kind
    self.name = name
  }
}
