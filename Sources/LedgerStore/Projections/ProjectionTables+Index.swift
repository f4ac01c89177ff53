internal import LMDB
internal import LedgerEvents
internal import LedgerModel
internal import RunStorage

extension ProjectionTables {
  /// The index of the events of a unit.
  ///
  /// - Complexity: O(*r* log *n* + *k*) for *k* positions and *r* runs.
  func postings(
    of unit: UnitNumber, in view: TransactionView
  ) throws(LedgerError) -> UnitPostings {
    let lower = IndexKey.posting(unit: unit, position: 0)
    var found = UnitPostings()
    do throws(RunsError) {
      let runs = try postings.snapshot(in: view)
      for entry in try runs.entries(from: lower, through: lower | 0xFFFF_FFFF, in: view) {
        found.add(entry)
      }
    } catch { throw LedgerError(error) }
    return found
  }

  /// The positions of the events of a unit, ascending.
  ///
  /// - Complexity: as `postings(of:in:)`.
  func positions(
    of unit: UnitNumber, in view: TransactionView
  ) throws(LedgerError) -> [UInt64] {
    try postings(of: unit, in: view).positions
  }

  /// The units that touch a piece of state of the absent device, and whether they write it.
  func units(
    touching coupling: Coupling, in view: TransactionView
  ) throws(LedgerError) -> [(unit: UInt32, writes: Bool)] {
    var units: [(unit: UInt32, writes: Bool)] = []
    let prefix = coupling.keyPrefix
    var cursor = try RowCursor(couplings, view)
    var found = try cursor.seek(prefix.span)
    while found, cursor.key.count == prefix.count + 4, cursor.key.starts(with: prefix) {
      guard !cursor.content.isEmpty else { throw couplings.damaged }
      units.append((cursor.key.bigEndianHalf(at: prefix.count), cursor.content[0] != 0))
      found = try cursor.next()
    }
    return units
  }
}

extension ProjectionTables {
  /// The units that share any state of the absent device with others.
  ///
  /// - Complexity: O(*n*) in the rows of couplings.
  func coupledUnits(in view: TransactionView) throws(LedgerError) -> Set<UInt32> {
    var units: Set<UInt32> = []
    var cursor = try RowCursor(couplings, view)
    while try cursor.next() {
      guard let unit = cursor.key.unit(at: cursor.key.count - 4) else { throw couplings.damaged }
      units.insert(unit)
    }
    return units
  }
}

extension Coupling {
  /// Kind, environment and product: the prefix of the rows of one coupling.
  var keyPrefix: [UInt8] {
    var key: [UInt8] = [kind.rawValue, environment.rawValue]
    key.append(bigEndianHalf: product)
    return key
  }
}

extension Span<UInt8> {
  /// The number of a unit in a key; `nil` if the key is too short, which means damage.
  func unit(at offset: Int) -> UnitNumber? {
    offset >= 0 && count >= offset + 4 ? bigEndianHalf(at: offset) : nil
  }

  func starts(with prefix: [UInt8]) -> Bool {
    guard count >= prefix.count else { return false }
    for index in prefix.indices where self[index] != prefix[index] { return false }
    return true
  }
}

extension ProjectionTables {
  /// The shared context of the facts up to a position.
  ///
  /// - Complexity: O(*n* log *n*) in the facts that the context is made from.
  func context(
    through position: UInt64, _ log: LogView, _ view: TransactionView, _ texts: LogTexts
  ) throws(LedgerError) -> SharedContext {
    let positions = try positions(of: IndexKey.contextUnit, in: view).filter { $0 <= position }
    let context = SharedContext(of: try log.facts(at: positions), texts: texts)
    try texts.check()
    return context
  }
}
