internal import LMDB
package import LedgerEvents

extension LogView {
  /// Returns the personal members of the event at `position`, as the JSON of one object; `nil` if
  /// it has none, or if their key has been destroyed or is missing.
  ///
  /// - Complexity: O(log *n*). The data is copied and decrypted.
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`, `io`.
  public func personal(at position: UInt64) throws(LedgerError) -> [UInt8]? {
    let record = try record(at: position, isChecked: false)
    return record.commitment == nil ? nil : try personal(of: record).json
  }

  /// Returns the personal data of a record that commits to some, or a substitute if it has no key.
  package func personal(
    of record: borrowing RecordView
  ) throws(LedgerError) -> (json: [UInt8]?, substitute: String) {
    let position = record.position
    guard let row = try personalBytes(at: position), let data = SealedData(row),
      let commitment = record.commitment
    else { throw .corrupt("The personal data at position \(position) is missing or damaged") }
    guard let secret = try secret(of: data) else {
      return (nil, "\(try isErased(data.slot) ? "erased" : "sealed"):\(position)")
    }
    guard let json = data.json(secret, commitment: commitment) else {
      throw .corrupt("The personal data at position \(position) is damaged")
    }
    return (json, "")
  }

  /// Returns the secret of an event's personal data, or `nil` if its key has been destroyed or is
  /// missing.
  func secret(of data: borrowing SealedData) throws(LedgerError) -> Secret? {
    guard try !isErased(data.slot), let keys = tables.texts.keys,
      let pad = try keys.secret(data.slot.taken)
    else { return nil }
    return data.secret(pad)
  }

  /// Returns whether any personal text of the event at `position` was erased. If so, its content is
  /// not compared with that of another event with its id.
  package func isErased(at position: UInt64) throws(LedgerError) -> Bool {
    // Texts that never had a key are also possible only after an erasure.
    guard try erasureCount() > 0 else { return false }
    let record = try record(at: position, isChecked: false)
    if record.commitment != nil, let row = try personalBytes(at: position),
      let data = SealedData(row), try isErased(data.slot)
    {
      return true
    }
    var found = false
    try record.forEachNumber { (number) throws(LedgerError) in
      if !found { found = try isErased(name: number) }
    }
    return found
  }

  /// Returns the row of the event's personal data, or `nil` if it has none.
  ///
  /// - Complexity: O(log *n*), without copying.
  @_lifetime(copy self)
  package func personalBytes(at position: UInt64) throws(LedgerError) -> Span<UInt8>? {
    do throws(LMDBError) { return try view.get(tables.personal, position) } catch {
      throw LedgerError(error)
    }
  }
}
