internal import LMDB
public import LedgerEvents

extension LogView {
  /// The kind and text of the name with `number`; `erased:` and the number where whom it names was
  /// erased, `sealed:` and the number where its key is missing.
  ///
  /// - Parameter position: The event that uses it: a name that came again after an erasure is shown
  ///   from its return on.
  /// - Complexity: O(log *n*), the text is copied; a person's name is opened with its key.
  /// - Throws: ``LedgerError``: `corrupt` where a record has a number that no name has, `io`.
  public func name(
    _ number: NameNumber, at position: UInt64 = .max
  ) throws(LedgerError) -> NameUse {
    if let row = try nameRow(number, in: tables.names) {
      guard row.count > 1, let kind = NameKind(rawValue: row[0]),
        let text = String(
          validating: [UInt8](copying: row.extracting(1..<row.count)), as: UTF8.self)
      else { throw .corrupt("The name with the number \(number) is damaged") }
      return NameUse(kind: kind, name: Name(text))
    }
    let sealed = try sealedName(number)
    let erasures = try erasureCount()
    if let text = try tables.texts.text(of: sealed, erasures: erasures) {
      return NameUse(kind: sealed.kind, name: text)
    }
    if let text = try returned(number, through: position)?.text {
      return NameUse(kind: sealed.kind, name: text)
    }
    let isErased = try isErased(sealed.slot)
    return NameUse(kind: sealed.kind, name: Name("\(isErased ? "erased" : "sealed"):\(number)"))
  }

  /// Whether `number` is that of `use`; what an index says is asked here.
  ///
  /// - Complexity: O(log *n*), no allocation.
  public func isName(_ number: NameNumber, _ use: NameUse) throws(LedgerError) -> Bool {
    if use.kind.isPersonal {
      guard let row = try nameRow(number, in: tables.people), let name = SealedName(row) else {
        return false
      }
      return name.kind == use.kind
        && name.hasHash(tables.texts.seal.hash(use.name.text.utf8.span, use.kind))
    }
    guard let row = try nameRow(number, in: tables.names) else { return false }
    guard row.count > 1, row[0] == use.kind.rawValue else { return false }
    return row.extracting(1..<row.count).equals(use.name.text.utf8.span)
  }

  /// Whether `number` is that of the name with this row: a byte for its kind, then its text.
  func isName(_ number: NameNumber, row: Span<UInt8>) throws(LedgerError) -> Bool {
    guard let kind = NameKind(rawValue: row[0]), kind.isPersonal else {
      guard let stored = try nameRow(number, in: tables.names) else { return false }
      return stored.equals(row)
    }
    guard let stored = try nameRow(number, in: tables.people), let name = SealedName(stored) else {
      return false
    }
    return name.kind == kind
      && name.hasHash(tables.texts.seal.hash(row.extracting(1..<row.count), kind))
  }

  /// Whether questions may be asked about a person's name: it was never erased, or came again.
  ///
  /// - Parameter position: What was known at this position is asked.
  /// - Complexity: O(1) where nobody was erased.
  func isKnown(_ number: NameNumber, at position: UInt64 = .max) throws(LedgerError) -> Bool {
    guard try erasureCount() > 0 else { return true }
    let name = try sealedName(number)
    guard try isErased(name.slot) else { return true }
    return try returned(number, through: position) != nil
  }

  /// What the indexes find a name by.
  func nameHash(_ number: NameNumber, _ keyHash: KeyHash) throws(LedgerError) -> UInt64 {
    guard let row = try nameRow(number), let hash = keyHash.name(row: row) else {
      throw .corrupt("The name with the number \(number) is missing or damaged")
    }
    return hash
  }

  /// The position of the event that erased a person's name first; nil where none did.
  func erasure(ofName number: NameNumber) throws(LedgerError) -> UInt64? {
    guard let row = try nameRow(number, in: tables.people), let name = SealedName(row) else {
      return nil
    }
    return name.slot.isForgotten ? nil : try erasure(of: name.slot.taken)
  }

  // MARK: - Rows about people

  @_lifetime(copy self)
  func sealedName(_ number: NameNumber) throws(LedgerError) -> SealedName {
    guard let row = try nameRow(number, in: tables.people) else {
      throw .corrupt("The name with the number \(number) is missing")
    }
    guard let name = SealedName(row) else {
      throw .corrupt("The name with the number \(number) is damaged")
    }
    return name
  }

  /// How many slots of the key file were destroyed.
  ///
  /// - Complexity: O(1).
  func erasureCount() throws(LedgerError) -> Int { try entries(tables.erased) }

  /// Whether what stands under a slot was erased, or came too late to be given a key.
  func isErased(_ slot: Slot) throws(LedgerError) -> Bool {
    if slot.isForgotten { return true }
    return try erasure(of: slot.taken) != nil
  }

  /// The position of the event that erased what stood under a slot; nil where nothing did.
  func erasure(of slot: UInt32) throws(LedgerError) -> UInt64? {
    do throws(LMDBError) {
      let key = bigEndianKey(slot)
      guard let value = try view.get(tables.erased, key.span), value.count == 8 else { return nil }
      return value.bigEndianWord(at: 0)
    } catch {
      throw LedgerError(error)
    }
  }

  /// A name that came again after an erasure.
  struct Returned {
    let position: UInt64
    let slot: Slot
    /// Nil where its key is missing.
    let text: Name?
  }

  /// The newest return of a name up to a position that was not erased itself.
  ///
  /// - Complexity: O(*r*) in the number of returns, which are few.
  func returned(
    _ number: NameNumber, through position: UInt64
  ) throws(LedgerError) -> Returned? {
    guard try entries(tables.returned) > 0 else { return nil }
    let erasures = try erasureCount()
    var found: Returned?
    try forEachReturn { (key, name) throws(LedgerError) in
      guard key.position <= position, key.number == number, try !isErased(name.slot) else { return }
      found = Returned(
        position: key.position, slot: name.slot,
        text: try tables.texts.text(of: name, erasures: erasures))
    }
    return found
  }

  /// Calls `body` with each name that came again after an erasure, in the order of positions.
  func forEachReturn(
    _ body: (ReturnedKey, borrowing SealedName) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var cursor: Cursor
    do throws(LMDBError) { cursor = try view.cursor(tables.returned) } catch {
      throw LedgerError(error)
    }
    while true {
      do throws(LMDBError) {
        if try !cursor.next() { return }
      } catch { throw LedgerError(error) }
      guard cursor.key.count == ReturnedKey.byteCount, let name = SealedName(cursor.value) else {
        throw .corrupt("A name that came again is damaged")
      }
      try body(ReturnedKey(cursor.key), name)
    }
  }

  private func entries(_ table: Table) throws(LedgerError) -> Int {
    do throws(LMDBError) { return try view.statistics(table).entries } catch {
      throw LedgerError(error)
    }
  }
}

/// The key of a row of the table `returned`.
struct ReturnedKey: Hashable {
  let position: UInt64
  let number: NameNumber

  static let byteCount = 12

  init(position: UInt64, number: NameNumber) {
    self.position = position
    self.number = number
  }

  /// - Precondition: There are 12 bytes.
  init(_ key: Span<UInt8>) {
    position = key.bigEndianWord(at: 0)
    number = key.bigEndianHalf(at: 8)
  }

  var bytes: [UInt8] {
    var bytes = [UInt8](bigEndianWord: position)
    bytes.append(bigEndianHalf: number)
    return bytes
  }
}
