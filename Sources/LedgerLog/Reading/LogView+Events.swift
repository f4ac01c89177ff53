internal import LMDB
public import LedgerEvents

extension LogView {
  /// Returns the record at `position`, without copying it.
  ///
  /// - Parameters:
  ///   - position: The position, from 1.
  ///   - isChecked: Whether its checksum is compared, which takes most of the time.
  /// - Complexity: O(log *n*), no allocation.
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`, `unknownFormat`.
  @_lifetime(copy self)
  public func record(
    at position: UInt64, isChecked: Bool = true
  ) throws(LedgerError) -> RecordView {
    let bytes = try recordBytes(at: position)
    let record: RecordView
    do throws(RecordError) { record = try RecordView(bytes, isChecked: isChecked) } catch {
      throw LedgerError(error, at: position)
    }
    guard record.position == position else {
      throw .misplaced(record.position, at: position)
    }
    return record
  }

  /// Returns the event at `position`, field for field as it was appended.
  ///
  /// - Complexity: O(log *n*) for each of its names. The event is copied.
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`, `unknownFormat`.
  public func event(at position: UInt64) throws(LedgerError) -> RecordedEvent {
    try event(of: try record(at: position))
  }

  /// Returns the event of a record of this log.
  ///
  /// - Complexity: As ``event(at:)``.
  public func event(of record: borrowing RecordView) throws(LedgerError) -> RecordedEvent {
    try event(of: record) { (number) throws(LedgerError) in try name(number).name }
  }

  /// Returns the event of a record of this log, and adds each name that it uses to `names`. Names
  /// that are there already are not looked up again.
  ///
  /// - Complexity: O(log *n*) for each new name. The event is copied.
  /// - Throws: ``LedgerError``: `corrupt`.
  package func event(
    of record: borrowing RecordView, addingTo names: inout [NameNumber: NameUse]
  ) throws(LedgerError) -> RecordedEvent {
    // The record has the names inside `data` as texts, too, so the event does not ask for them.
    try record.forEachNumber { (number) throws(LedgerError) in
      if names[number] == nil { names[number] = try name(number) }
    }
    return try event(of: record) { (number) throws(LedgerError) in
      if let known = names[number] { return known.name }
      return try name(number).name
    }
  }

  private func event(
    of record: borrowing RecordView, text: (NameNumber) throws(LedgerError) -> Name
  ) throws(LedgerError) -> RecordedEvent {
    let personal = record.commitment == nil ? nil : try personal(of: record)
    var failure: LedgerError?
    let event: RecordedEvent
    do throws(RecordError) {
      event = try record.recordedEvent(
        texts: { number in
          do throws(LedgerError) { return try text(number) } catch {
            failure = error
            return nil
          }
        }, personal: personal?.json, substitute: { _ in personal?.substitute })
    } catch {
      throw LedgerError(error, at: record.position)
    }
    if let failure { throw failure }
    return event
  }

  /// Returns whether the event at `position` has this id. Use it to check what an index suggests.
  package func isID(_ id: Name, at position: UInt64) throws(LedgerError) -> Bool {
    let record = try record(at: position, isChecked: false)
    do throws(RecordError) { return try record.id() == id } catch {
      throw LedgerError(error, at: position)
    }
  }
}

extension LogCursor {
  /// Returns the record at the cursor, without copying it.
  ///
  /// - Parameter isChecked: Whether its checksum is compared, which takes most of the time.
  /// - Throws: ``LedgerError``: `corrupt`, `unknownFormat`.
  @_lifetime(copy self)
  public func record(isChecked: Bool = true) throws(LedgerError) -> RecordView {
    let bytes = bytes
    let record: RecordView
    do throws(RecordError) { record = try RecordView(bytes, isChecked: isChecked) } catch {
      throw LedgerError(error, at: position)
    }
    guard record.position == position else {
      throw .misplaced(record.position, at: position)
    }
    return record
  }
}

extension KeyHash {
  /// Returns the hash of the id in a record.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - buffer: A buffer for the bytes of the id, which the caller reuses for many records.
  package func id(of record: borrowing RecordView, _ buffer: inout [UInt8]) -> UInt64 {
    record.copyID(to: &buffer)
    return id(buffer.span)
  }
}

extension LedgerError {
  /// An error for a record that is whole, but not where it was written: in a row of another
  /// position, or in one that an append never made.
  static func misplaced(_ stated: UInt64, at position: UInt64) -> LedgerError {
    LedgerError(
      .corrupt,
      "Position \(position): the record says that it is at \(stated). Run `daybook verify`, then "
        + "restore the ledger from a backup.", position: position)
  }

  /// Creates an error for the damaged record at `position`.
  package init(_ error: RecordError, at position: UInt64) {
    let code: Code = error.code == .unknownVersion ? .unknownFormat : .corrupt
    self.init(code, "Position \(position): \(error)", position: position, cause: error)
  }
}
