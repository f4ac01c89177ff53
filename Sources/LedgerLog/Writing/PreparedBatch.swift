internal import LedgerEvents
internal import WorkThreads

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

  /// The number of events from which several threads prepare a batch. Below it, waking a thread
  /// costs more.
  private static let parallelEventsMin = 64

  /// The number of events whose records one thread encodes at a time: some fifty microseconds.
  private static let pieceEvents = 128

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
    if inputs.count >= PreparedBatch.parallelEventsMin,
      let (records, numbers) = PreparedBatch.pieces(inputs, options, keyHash, keys)
    {
      (self.records, self.keys) = (records, numbers)
      return
    }
    // A small batch, or one that is rejected: one pass after the other finds the first reason.
    let records = Result { () throws(LedgerError) in
      try BatchRecords(inputs, inputs.indices, validates: options.validates, keys?.texts)
    }
    let numbers = Result { () throws(LedgerError) in
      try BatchKeys(inputs, keyHash, keys?.people)
    }
    switch (records, numbers) {
    case (.success(let records), .success(let numbers)):
      (self.records, self.keys) = (records, numbers)
    case (.failure(let error), .success), (.success, .failure(let error)):
      throw error
    case (.failure(let first), .failure(let second)):
      throw (first.index ?? 0) <= (second.index ?? 0) ? first : second
    }
  }

  /// Makes both passes in pieces, which several threads take one after the other: the keys first,
  /// because that pass cannot be divided, then the records. Returns `nil` if the batch is rejected.
  private static func pieces(
    _ inputs: [EventInput], _ options: AppendOptions, _ keyHash: KeyHash, _ keys: KeyFileHead?
  ) -> (BatchRecords, BatchKeys)? {
    let starts = Array(stride(from: 0, to: inputs.count, by: pieceEvents))
    // A piece that is rejected stays empty, and the caller finds the reason again.
    let made = concurrentMap(starts.count + 1) { piece -> (BatchRecords?, BatchKeys?) in
      guard piece > 0 else {
        let made = Result { () throws(LedgerError) in
          try BatchKeys(inputs, keyHash, keys?.people)
        }
        if case .success(let made) = made { return (nil, made) }
        return (nil, nil)
      }
      let start = starts[piece - 1]
      let made = Result { () throws(LedgerError) in
        try BatchRecords(
          inputs, start..<min(start + pieceEvents, inputs.count),
          validates: options.validates, keys?.texts)
      }
      if case .success(let made) = made { return (made, nil) }
      return (nil, nil)
    }
    guard let numbers = made[0].1 else { return nil }
    var whole: BatchRecords?
    for (piece, _) in made.dropFirst() {
      guard let piece else { return nil }
      if whole == nil { whole = piece } else { whole?.append(piece) }
    }
    guard let whole, whole.isWithinLimit else { return nil }
    return (whole, numbers)
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
