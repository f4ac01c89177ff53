public import LedgerEvents

extension Fact {
  /// Makes the fact of an event in memory. It encodes and reads the event's record, so that there
  /// is only one way to read an event.
  ///
  /// - Parameters:
  ///   - event: A valid event.
  ///   - position: The event's position in the log, from 1.
  ///   - recordedAt: The ledger's clock when it was appended.
  ///   - numbers: The numbers of `event.nameUses`, in that order; `NameNumbers` gives them.
  ///   - key: The key of the ledger's hashes, if the fact is to be compared with facts of the log.
  /// - Precondition: The event is valid and `position` is at most `positionMax`.
  /// - Complexity: O(*n*) in the size of the event.
  public init(
    _ event: Event, position: UInt64, recordedAt: Instant, numbers: [NameNumber],
    key: HashKey = .zero
  ) {
    let record = Record.encode(
      event, position: position, recordedAt: recordedAt, numbers: numbers, key: key)
    do throws(RecordError) {
      self = try Fact(record: record.span, isChecked: false)
    } catch {
      preconditionFailure("a record that was just written does not read: \(error)")
    }
  }
}
