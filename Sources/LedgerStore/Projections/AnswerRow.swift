internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// The whole answer about an account, as it is stored for lookups: for each environment, the
/// answers from the customer's newest event on. It contains texts instead of numbers, so that one
/// `get` is enough.
///
/// Integers are big-endian. A text is preceded by its length in four bytes:
///
///     row: flags (1), unit (4), newest event of the unit (8), count of environments (1),
///          environments
///     environment: its number (1), newest event (8), byte count of the segments (4), segments
///     segment: from (8), next change (8), byte count of the entries (4), entries
///     entry: state (1), flags (1), since (8), end (8), name, count of names (4), names
///
/// The unit shows whether later events concern the row. The newest event is that of the unit, and
/// is left out if the unit is divided. From the time of its newest event on, a
/// query in store time includes all of its events.
struct AnswerRow {
  /// The row's flag of an account that an event states.
  static let statedFlag: UInt8 = 1
  /// The row's flag of a unit that shares state of the absent device with others.
  static let coupledFlag: UInt8 = 2
  /// The row's flag of a divided unit, whose own row says when its newest event was. Otherwise,
  /// each event would change the rows of all its accounts.
  static let dividedFlag: UInt8 = 4
  /// The flag of an entry that an operator granted.
  static let operatorFlag: UInt8 = 1
  /// The flag of an entry that is an entitlement and no product.
  static let entitlementFlag: UInt8 = 2
  /// The value that stands for an absent moment.
  static let noMoment: Int64 = .max

  private(set) var encoded: [UInt8] = []

  /// The rows of all accounts of a unit that is not divided.
  ///
  /// - Complexity: O(*a* *p*) for *a* accounts and *p* products of each.
  static func all(
    of unit: Unit, called number: UnitNumber, _ grants: inout UnitGrants,
    _ context: SharedContext, _ texts: LogTexts
  ) throws(LedgerError) -> [(account: NameNumber, row: AnswerRow)] {
    var rows: [(account: NameNumber, row: AnswerRow)] = []
    for account in unit.answeredAccounts {
      let row = AnswerRow(
        account, of: unit, called: number, isDivided: false, &grants, context, texts)
      rows.append((account, row))
    }
    try texts.check()
    return rows
  }

  /// The row of an account that no event states and that has nothing.
  static let nobody = AnswerRow()

  private init() {
    encoded.append(0)
    encoded.append(bigEndianHalf: 0)
    append(.min)
    encoded.append(0)
  }

  /// Creates the row of one account. Check `texts` for a failure afterwards.
  init(
    _ account: NameNumber, of unit: Unit, called number: UnitNumber, isDivided: Bool,
    _ grants: inout UnitGrants, _ context: SharedContext, _ texts: LogTexts
  ) {
    encoded.append(
      (unit.knows(account: account) ? Self.statedFlag : 0)
        | (unit.couplings.isEmpty ? 0 : Self.coupledFlag) | (isDivided ? Self.dividedFlag : 0))
    encoded.append(bigEndianHalf: number)
    append(isDivided ? .min : unit.lastKey?.time ?? .min)
    encoded.append(0)
    let countOffset = encoded.count - 1
    for environment in StoreEnvironment.allCases {
      let found = grants.segments(
        of: account, in: environment, of: unit, context: context, texts: texts)
      guard let found else { continue }
      encoded[countOffset] += 1
      encoded.append(environment.rawValue)
      append(found.newest)
      appendCounted { row in
        for segment in found.segments { row.append(segment, texts) }
      }
    }
  }

  private mutating func append(_ segment: GrantSegment, _ texts: LogTexts) {
    append(segment.from)
    append(segment.nextChange ?? Self.noMoment)
    appendCounted { row in
      for item in segment.items { row.append(item, texts) }
    }
  }

  private mutating func append(_ item: GrantedItem, _ texts: LogTexts) {
    encoded.append(item.state.rawValue)
    let isEntitlement = item.product == 0
    encoded.append(
      (item.source == .operator ? Self.operatorFlag : 0)
        | (isEntitlement ? Self.entitlementFlag : 0))
    append(item.since)
    append(item.end == .max ? Self.noMoment : item.end)
    append(isEntitlement ? item.entitlement ?? "" : texts.text(of: item.product))
    encoded.append(bigEndianHalf: UInt32(item.entitlements.count))
    for name in item.entitlements { append(name) }
  }

  private mutating func append(_ moment: Int64) {
    encoded.append(bigEndianWord: UInt64(bitPattern: moment))
  }

  private mutating func append(_ name: Name) {
    encoded.append(bigEndianHalf: UInt32(name.byteCount))
    encoded += name.text.utf8
  }

  /// Appends what `body` appends, preceded by its length.
  private mutating func appendCounted(_ body: (inout AnswerRow) -> Void) {
    let start = encoded.count
    encoded.append(bigEndianHalf: 0)
    body(&self)
    let count = UInt32(encoded.count - start - 4)
    for (offset, byte) in count.bigEndianBytes.enumerated() { encoded[start + offset] = byte }
  }
}
