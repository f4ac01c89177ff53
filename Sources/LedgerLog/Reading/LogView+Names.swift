internal import LMDB
public import LedgerEvents

extension LogView {
  /// The kind and text of the name with `number`; `erased:` and the number where whom it names was
  /// erased, `sealed:` and the number where its key is missing.
  ///
  /// - Complexity: O(log *n*), the text is copied; a person's name is opened with its key.
  /// - Throws: ``LedgerError``: `corrupt` where a record has a number that no name has, `io`.
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
    // What the log says is gone is gone, whatever a key file that was put back holds.
    if erasures > 0, try isErased(sealed.slot) {
      return NameUse(kind: sealed.kind, name: Name("erased:\(number)"))
    }
    if let text = try tables.texts.open(sealed, erasures: erasures) {
      return NameUse(kind: sealed.kind, name: text)
    }
    return NameUse(kind: sealed.kind, name: Name("sealed:\(number)"))
  }

  /// The kind of a name, for which no key is needed.
  ///
  /// - Complexity: O(log *n*).
  /// - Throws: ``LedgerError``: `corrupt` if there is no such name, or it is damaged.
  package func kind(ofName number: NameNumber) throws(LedgerError) -> NameKind {
    guard let row = try nameRow(number), row.count > 1, let kind = NameKind(rawValue: row[0]) else {
      throw .corrupt("The name with the number \(number) is damaged")
    }
    return kind
  }

  /// Whether `number` is that of `use`; what an index says is asked here.
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

  /// Whether `number` is that of the name with this row: a byte for its kind, then its text.
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

  /// Whether a number stands for a person who was erased: no question is about it any more, and
  /// what the same name does later is another number's.
  ///
  /// - Complexity: O(1) where nobody was erased, else O(log *n*).
  package func isErased(name number: NameNumber) throws(LedgerError) -> Bool {
    guard try erasureCount() > 0, let row = try nameRow(number, in: tables.people),
      let name = SealedName(row)
    else { return false }
    return try isErased(name.slot)
  }

  /// What the indexes find a name by.
  ///
  /// - Throws: ``LedgerError``: `keysMissing` for a person's name without the key file.
  package func nameHash(_ use: NameUse, _ keyHash: KeyHash) throws(LedgerError) -> UInt64 {
    let people = use.kind.isPersonal ? try tables.texts.seal() : nil
    return try keyHash.name(use.name.text.utf8.span, use.kind, people)
  }

  /// What the indexes find the name with this number by.
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

  /// How many slots of the key file were destroyed.
  ///
  /// - Complexity: O(1).
  func erasureCount() throws(LedgerError) -> Int { try entries(tables.erased) }

  /// Whether what stands under a slot was erased, or came too late to be given a key.
  package func isErased(_ slot: Slot) throws(LedgerError) -> Bool {
    if slot.isForgotten { return true }
    return try erasure(of: slot.taken) != nil
  }

  /// The position of the event that erased what stood under a slot; nil where nothing did.
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
