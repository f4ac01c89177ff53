/// What a name names. Transactions and originals share a kind: an original is a transaction's
/// identifier.
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

/// The number of a name: names are counted up from 1, over all kinds, in the order in which events
/// first use them; 0 is *none*. Equal texts of different kinds are different names.
///
/// 32 bits, so that records and indexes stay small; `nameNumberMax` is refused on append.
public typealias NameNumber = UInt32

/// The most names that one ledger holds.
public let nameNumberMax: NameNumber = 4_294_967_294

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
