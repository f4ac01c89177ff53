internal import LMDB
package import LedgerEvents

extension LogView {
  /// The personal members of the event at `position`, as the JSON of one object; nil where it has
  /// none, and where their key is gone.
  ///
  /// - Complexity: O(log *n*), copied and opened.
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`, `io`.
  public func personal(at position: UInt64) throws(LedgerError) -> [UInt8]? {
    let record = try record(at: position, isChecked: false)
    return record.commitment == nil ? nil : try personal(of: record).json
  }

  /// The personal data of a record that commits to some, or what stands in its place.
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

  /// The secret of an event's personal data; nil where its key is gone.
  func secret(of data: borrowing SealedData) throws(LedgerError) -> Secret? {
    guard try !isErased(data.slot), let keys = tables.texts.keys,
      let pad = try keys.secret(data.slot.taken)
    else { return nil }
    return data.secret(pad)
  }

  /// Whether any personal text of the event at `position` was erased: then its content is not
  /// compared with that of an event of its id.
  package func isErased(at position: UInt64) throws(LedgerError) -> Bool {
    // Texts that never had a key came after an erasure, too.
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

  /// The row of the event's personal data, nil where it has none.
  ///
  /// - Complexity: O(log *n*), in place.
  @_lifetime(copy self)
  package func personalBytes(at position: UInt64) throws(LedgerError) -> Span<UInt8>? {
    do throws(LMDBError) { return try view.get(tables.personal, position) } catch {
      throw LedgerError(error)
    }
  }
}
