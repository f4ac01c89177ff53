internal import LedgerEvents

/// The records of a batch, as far as they are known before its append, and its personal data, which
/// is separate from them.
///
/// This is one of the two passes over a batch; ``BatchKeys`` is the other.
struct BatchRecords: Sendable {
  /// The records of all events one after the other, which the append completes, and the end of
  /// each.
  private(set) var bytes: [UInt8] = []
  private(set) var ends: [Int] = []
  /// The personal parts of the events that have one, in the order of the events.
  private(set) var personal: [(event: Int, part: PersonalPart)] = []
  private var personalByteCount = 0
  /// The events for which the balance is checked before they are accepted.
  private(set) var required: [Int] = []

  /// The size of a typical record, to reserve capacity.
  private static let recordBytesExpected = 128

  /// - Parameters:
  ///   - inputs: The whole batch.
  ///   - range: The events to encode. All indices are those of the whole batch.
  ///   - validates: Whether the events are validated.
  ///   - textKey: The key of hashes of personal texts; `nil` without the key file.
  /// - Throws: ``LedgerError``: `invalidEvent`, `batchTooLarge`, with the index; `keysMissing` if
  ///   something is personal and there is no key file.
  init(
    _ inputs: [EventInput], _ range: Range<Int>, validates: Bool, _ textKey: HashKey?
  ) throws(LedgerError) {
    bytes.reserveCapacity(range.count * BatchRecords.recordBytesExpected)
    ends.reserveCapacity(range.count)
    var secrets: SecretSource?
    for index in range {
      let input = inputs[index]
      if validates { try BatchRecords.validate(input.event, index) }
      try encode(input.event, index, textKey, &secrets)
      if BatchRecords.isRequired(input) { required.append(index) }
      guard bytes.count + personalByteCount <= batchBytesMax else {
        throw LedgerError(
          .batchTooLarge,
          """
          A batch takes at most \(batchBytesMax >> 20) MiB of the log: append in several, the \
          first up to event \(index).
          """,
          index: index)
      }
    }
  }

  /// Whether this is as much as one batch may have.
  var isWithinLimit: Bool { bytes.count + personalByteCount <= batchBytesMax }

  /// Adds the records of the events that follow.
  mutating func append(_ next: BatchRecords) {
    let start = bytes.count
    bytes.append(contentsOf: next.bytes)
    ends.append(contentsOf: next.ends.lazy.map { start + $0 })
    personal.append(contentsOf: next.personal)
    personalByteCount += next.personalByteCount
    required.append(contentsOf: next.required)
  }

  private static func validate(
    _ event: Event, _ index: Int
  ) throws(LedgerError) {
    do throws(EventError) { try event.validate() } catch {
      throw LedgerError(.invalidEvent, "Event \(index) of the batch: \(error)", index: index)
    }
  }

  /// Writes the record as far as it is known, and separates personal data.
  private mutating func encode(
    _ event: Event, _ index: Int, _ key: HashKey?, _ secrets: inout SecretSource?
  ) throws(LedgerError) {
    let numbers = BatchRecords.noNumbers(event.nameUseCount)
    let start = bytes.count
    func append(_ commitment: [UInt8]?) -> Bool {
      Record.append(
        event, position: 0, recordedAt: Instant(microseconds: 0), numbers: numbers,
        commitment: commitment, key: key ?? .zero, isSummed: false, to: &bytes)
    }
    // Hardly any event has a personal part. Encoding the event shows whether it has one.
    if append(nil), let part = try PersonalPart(of: event, &secrets) {
      guard key != nil else { throw .namesUnknown }
      bytes.removeSubrange(start...)
      _ = append(part.commitment)
      personal.append((index, part))
      personalByteCount += part.byteCount
    }
    ends.append(bytes.count)
  }

  /// Returns zeros for numbers that are not known yet. Events with as many names share them.
  private static func noNumbers(_ count: Int) -> [NameNumber] {
    count < zeros.count ? zeros[count] : [NameNumber](repeating: 0, count: count)
  }

  private static let zeros = (0..<16).map { [NameNumber](repeating: 0, count: $0) }

  /// An event that states `position` was accepted before and is not checked again (`events.md`).
  @inline(never)
  private static func isRequired(_ input: EventInput) -> Bool {
    guard input.event.type.kind == .consumableConsumed, input.position == nil,
      let required = input.event.data["required"]
    else { return false }
    return required == Array("true".utf8)
  }
}

extension Event {
  /// The number of names that the event uses: `nameUses.count`.
  fileprivate var nameUseCount: Int {
    type.kind.namesStandInEnvelope ? envelopeNameCount : nameUses.count
  }
}
