internal import LMDB
internal import LedgerEvents

extension LogAppender {
  /// Throws an error if the batch's condition does not hold.
  ///
  /// Events of the batch that are already in the log are ignored, so that appending the same batch
  /// again is acknowledged again.
  ///
  /// - Complexity: O(*n*) in the number of events after the condition's position.
  func check(
    _ condition: AppendCondition, _ log: LogView, _ index: any LogIndex, except own: [UInt64]
  ) throws(LedgerError) {
    switch condition {
    case .holds(let check): try check(log)
    case .noEvent(let filter, let after):
      guard after < log.lastPosition, let match = try match(filter, log, index) else { return }
      let own = Set(own)
      var records = try log.records(in: after + 1...log.lastPosition)
      while try records.next() {
        guard !own.contains(records.position), match.holds(for: try records.record()) else {
          continue
        }
        throw LedgerError(
          .conditionFailed,
          """
          The event at position \(records.position), after \(after), matches the condition. Read \
          it, decide again, and expect its position.
          """, position: records.position)
      }
    }
  }

  /// Returns the filter with numbers for names, or `nil` if no event of the log uses one of its
  /// names.
  private func match(
    _ filter: EventFilter, _ log: LogView, _ index: any LogIndex
  ) throws(LedgerError) -> NumberFilter? {
    var match = NumberFilter(type: filter.type)
    let fields: [(NameKind, Name?, WritableKeyPath<NumberFilter, NameNumber>)] = [
      (.account, filter.account, \.account), (.transaction, filter.transaction, \.transaction),
      (.transaction, filter.originalTransaction, \.original),
      (.product, filter.product, \.product),
    ]
    for (kind, name, field) in fields {
      guard let name else { continue }
      let use = NameUse(kind: kind, name: name)
      guard let number = try names.number(of: use, log, index) else { return nil }
      match[keyPath: field] = number
    }
    return match
  }
}

extension RecordView {
  /// The text of a type that the vocabulary does not know.
  fileprivate var unknownTypeText: String? {
    var fields = fields
    do throws(RecordError) {
      while try fields.next() {
        if fields.tag == .typeText { return fields.string }
      }
    } catch {
      return nil
    }
    return nil
  }
}

/// A filter with numbers for names. 0 matches everything.
private struct NumberFilter {
  var account: NameNumber = 0
  var transaction: NameNumber = 0
  var original: NameNumber = 0
  var product: NameNumber = 0
  var type: EventType?

  func holds(for record: borrowing RecordView) -> Bool {
    if account != 0, record.number(.account) != account { return false }
    if transaction != 0, record.number(.transaction) != transaction { return false }
    if product != 0, record.number(.product) != product { return false }
    if original != 0, record.number(.originalTransaction) != original,
      record.number(.transaction) != original
    {
      return false
    }
    guard let type else { return true }
    guard record.kind == type.kind else { return false }
    return type.kind != .unknown || record.unknownTypeText == type.text
  }
}
