/// The kind of thing that a name identifies. Transactions and original transactions share a kind,
/// because an original transaction is given by its transaction identifier.
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

/// The number of a name. Names are numbered from 1, across all kinds, in the order in which events
/// first use them; 0 means no name. Equal texts of different kinds are different names.
///
/// Numbers have 32 bits, so that records and indexes stay small. An append that would exceed
/// `nameNumberMax` is refused.
public typealias NameNumber = UInt32

/// The maximum number of names in one ledger.
public let nameNumberMax: NameNumber = 4_294_967_294

/// The maximum number of events in one ledger: positions are 32 bits wide inside records and
/// indexes.
public let positionMax: UInt64 = 4_294_967_294

/// A use of a name by an event.
public struct NameUse: Hashable, Sendable {
  public var kind: NameKind
  public var name: Name

  public init(kind: NameKind, name: Name) {
    self.kind = kind
    self.name = name
  }
}
