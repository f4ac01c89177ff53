internal import LedgerEvents

/// A batch that was validated, split, encoded and hashed on its caller's thread.
///
/// What the writer needs of an event is stored in flat arrays. So under the log's lock, it reads
/// little more of the events themselves than their types, unless an id is already in the log or
/// somebody was erased.
struct PreparedBatch: Sendable {
  let inputs: [EventInput]
  /// Whether `EventInput.recordedAt` is used instead of the ledger's clock.
  let trustsRecordedAt: Bool
  let keys: BatchKeys
  let records: BatchRecords

  /// The number of events from which the two passes run in parallel. Below it, waking a thread
  /// costs more.
  private static let parallelEventsMin = 64

  /// Prepares `inputs`.
  ///
  /// - Parameter keys: The head of the key file; `nil` without one.
  /// - Throws: ``LedgerError``: `invalidEvent`, `conflict` within the batch, `batchTooLarge`, with
  ///   the index of the first event that is rejected; `keysMissing` if an event is about a person
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

  /// Returns the name uses of an event, as a range of `keys.uses`.
  func uses(of index: Int) -> Range<Int> {
    (index == 0 ? 0 : keys.useEnds[index - 1])..<keys.useEnds[index]
  }

  /// Returns the record of an event, as a range of `records.bytes`.
  func record(of index: Int) -> Range<Int> {
    (index == 0 ? 0 : records.ends[index - 1])..<records.ends[index]
  }

  /// Returns whether an event has an unknown type.
  func isUnknown(_ index: Int) -> Bool { inputs.span[index].event.type.kind == .unknown }
}
