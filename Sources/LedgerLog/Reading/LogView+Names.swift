internal import LMDB
public import LedgerEvents

extension LogView {
  /// Returns the kind and text of the name with `number`. The text is `erased:` and the number if
  /// the name was erased, and `sealed:` and the number if its key is missing.
  ///
  /// - Complexity: O(log *n*). The text is copied, and a person's name is decrypted.
  /// - Throws: ``LedgerError``: `corrupt` if no name has this number, `io`.
  public func name(_ number: NameNumber) throws(LedgerError) -> NameUse {
    if let row = try nameRow(number, in: tables.names) {
      guard row.count > 1, let kind = NameKind(rawValue: row[0]),
        let text = String(
          validating: [UInt8](copying: row.extracting(1..<row.count)), as: UTF8.self)
      else { throw .corrupt("The name with the number \(number) is damaged") }
      return NameUse(kind: kind, name: Name(text))
    }
    let sealed = try sealedName(number)
    let erasures = try erasureCount()
    if let text = tables.texts.opened(sealed, erasures: erasures) {
      return NameUse(kind: sealed.kind, name: text)
    }
    // What the log lists as erased is erased, even if an older key file that was put back has the
    // key.
    if erasures > 0, try isErased(sealed.slot) {
      return NameUse(kind: sealed.kind, name: Name("erased:\(number)"))
    }
    if let text = try tables.texts.open(sealed, erasures: erasures) {
      return NameUse(kind: sealed.kind, name: text)
    }
    return NameUse(kind: sealed.kind, name: Name("sealed:\(number)"))
  }

  /// Returns the kind of a name. This needs no key.
  ///
  /// - Complexity: O(log *n*).
  /// - Throws: ``LedgerError``: `corrupt` if there is no such name, or it is damaged.
  package func kind(ofName number: NameNumber) throws(LedgerError) -> NameKind {
    guard let row = try nameRow(number), row.count > 1, let kind = NameKind(rawValue: row[0]) else {
      throw .corrupt("The name with the number \(number) is damaged")
    }
    return kind
  }

  /// Returns whether `number` is that of `use`. Use it to check what an index suggests.
  ///
  /// - Complexity: O(log *n*), no allocation.
  public func isName(_ number: NameNumber, _ use: NameUse) throws(LedgerError) -> Bool {
    if use.kind.isPersonal {
      guard let row = try nameRow(number, in: tables.people), let name = SealedName(row) else {
        return false
      }
      let seal = try tables.texts.seal()
      return name.kind == use.kind && name.hasHash(seal.hash(use.name.text.utf8.span, use.kind))
    }
    guard let row = try nameRow(number, in: tables.names) else { return false }
    guard row.count > 1, row[0] == use.kind.rawValue else { return false }
    return row.extracting(1..<row.count).equals(use.name.text.utf8.span)
  }

  /// Returns whether `number` is that of the name in `row`: a byte for its kind, then its text.
  package func isName(_ number: NameNumber, row: Span<UInt8>) throws(LedgerError) -> Bool {
    guard let kind = NameKind(rawValue: row[0]), kind.isPersonal else {
      guard let stored = try nameRow(number, in: tables.names) else { return false }
      return stored.equals(row)
    }
    guard let stored = try nameRow(number, in: tables.people), let name = SealedName(stored) else {
      return false
    }
    let seal = try tables.texts.seal()
    return name.kind == kind && name.hasHash(seal.hash(row.extracting(1..<row.count), kind))
  }

  /// Returns whether the person with this number was erased. No question is about that number any
  /// more, and events that happen later use another number for the same name.
  ///
  /// - Complexity: O(1) if nobody was erased; otherwise O(log *n*).
  package func isErased(name number: NameNumber) throws(LedgerError) -> Bool {
    guard try erasureCount() > 0, let row = try nameRow(number, in: tables.people),
      let name = SealedName(row)
    else { return false }
    return try isErased(name.slot)
  }

  /// Returns the hash with which the indexes find a name.
  ///
  /// - Throws: ``LedgerError``: `keysMissing` for a person's name without the key file.
  package func nameHash(_ use: NameUse, _ keyHash: KeyHash) throws(LedgerError) -> UInt64 {
    let people = use.kind.isPersonal ? try tables.texts.seal() : nil
    return try keyHash.name(use.name.text.utf8.span, use.kind, people)
  }

  /// Returns the hash with which the indexes find the name with this number.
  package func nameHash(_ number: NameNumber, _ keyHash: KeyHash) throws(LedgerError) -> UInt64 {
    guard let row = try nameRow(number), let hash = keyHash.name(row: row) else {
      throw .corrupt("The name with the number \(number) is missing or damaged")
    }
    return hash
  }

  // MARK: - Rows about people

  @_lifetime(copy self)
  package func sealedName(_ number: NameNumber) throws(LedgerError) -> SealedName {
    guard let row = try nameRow(number, in: tables.people) else {
      throw .corrupt("The name with the number \(number) is missing")
    }
    guard let name = SealedName(row) else {
      throw .corrupt("The name with the number \(number) is damaged")
    }
    return name
  }

  /// Returns the number of key slots that were destroyed.
  ///
  /// - Complexity: O(1).
  package func erasureCount() throws(LedgerError) -> Int { try entries(tables.erased) }

  /// Returns whether a slot was erased, or is that of a text that arrived too late to get a key.
  package func isErased(_ slot: Slot) throws(LedgerError) -> Bool {
    if slot.isForgotten { return true }
    return try erasure(of: slot.taken) != nil
  }

  /// Returns the position of the event that erased a slot, or `nil` if none did.
  package func erasure(of slot: UInt32) throws(LedgerError) -> UInt64? {
    do throws(LMDBError) {
      let key = bigEndianKey(slot)
      guard let value = try view.get(tables.erased, key.span) else { return nil }
      return ErasedSlot(key.span, value)?.position
    } catch {
      throw LedgerError(error)
    }
  }

  private func entries(_ table: Table) throws(LedgerError) -> Int {
    do throws(LMDBError) { return try view.statistics(table).entries } catch {
      throw LedgerError(error)
    }
  }
}
