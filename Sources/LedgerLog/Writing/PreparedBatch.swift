internal import LedgerEvents

/// A batch, validated, split, encoded and hashed on its caller's thread.
///
/// What the writer needs of an event stands in flat arrays, so that under the log's lock no event
/// is touched but one whose id is in the log already.
struct PreparedBatch: Sendable {
  let inputs: [EventInput]
  /// Whether `EventInput.recordedAt` stands for the ledger's clock.
  let trustsRecordedAt: Bool
  let keys: BatchKeys
  let records: BatchRecords

  /// Events from which on the two passes run side by side: below, waking a thread costs more.
  private static let parallelEventsMin = 64

  /// Prepares `inputs`.
  ///
  /// - Parameter keys: The head of the key file; nil without one.
  /// - Throws: ``LedgerError``: `invalidEvent`, `conflict` within the batch, `batchTooLarge`, with
  ///   the index of the first event that is refused; `keysMissing` where an event is about a person
  ///   and there is no key file.
  init(
    _ inputs: [EventInput], _ options: AppendOptions, _ keyHash: KeyHash, _ keys: KeyFileHead?
  ) throws(LedgerError) {
    guard inputs.count <= batchEventsMax else {
      throw LedgerError(
        .batchTooLarge, "A batch has at most \(batchEventsMax) events: append in several.")
    }
    self.inputs = inputs
    trustsRecordedAt = options.trustsRecordedAt
    let (records, keys) = sideBySide(
      inputs.count >= PreparedBatch.parallelEventsMin,
      { () throws(LedgerError) in
        try BatchRecords(inputs, validates: options.validates, keys?.texts)
      },
      { () throws(LedgerError) in try BatchKeys(inputs, keyHash, keys?.people) })
    switch (records, keys) {
    case (.success(let records), .success(let keys)):
      (self.records, self.keys) = (records, keys)
    case (.failure(let error), .success), (.success, .failure(let error)):
      throw error
    case (.failure(let first), .failure(let second)):
      throw (first.index ?? 0) <= (second.index ?? 0) ? first : second
    }
  }

  var count: Int { inputs.count }

  /// The name uses of an event, as a range of `keys.uses`.
  func uses(of index: Int) -> Range<Int> {
    (index == 0 ? 0 : keys.useEnds[index - 1])..<keys.useEnds[index]
  }

  /// The record of an event, as a range of `records.bytes`.
  func record(of index: Int) -> Range<Int> {
    (index == 0 ? 0 : records.ends[index - 1])..<records.ends[index]
  }

  /// Whether an event has a type that the vocabulary does not know.
  func isUnknown(_ index: Int) -> Bool { inputs.span[index].event.type.kind == .unknown }
}
