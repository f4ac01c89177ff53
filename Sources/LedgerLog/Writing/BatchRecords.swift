internal import LedgerEvents

/// The records of a batch as far as they are known before its append, and what is set apart from
/// them.
///
/// One of the two passes over a batch; ``BatchKeys`` is the other.
struct BatchRecords: Sendable {
  /// The records of all events one after the other, to be settled, and where each ends.
  private(set) var bytes: [UInt8] = []
  private(set) var ends: [Int] = []
  /// The personal parts of those events that have one, in the events' order.
  private(set) var personal: [(event: Int, part: PersonalPart)] = []
  private var personalByteCount = 0
  /// The events whose balance is asked before they are accepted.
  private(set) var required: [Int] = []

  /// A typical record's size, for the first reservation.
  private static let recordBytesExpected = 128

  /// - Parameter textKey: The key of hashes of personal texts; nil without the key file.
  /// - Throws: ``LedgerError``: `invalidEvent`, `batchTooLarge`, with the index; `keysMissing`
  ///   where something is personal and there is no key file.
  init(
    _ inputs: [EventInput], validates: Bool, _ textKey: HashKey?
  ) throws(LedgerError) {
    bytes.reserveCapacity(inputs.count * BatchRecords.recordBytesExpected)
    ends.reserveCapacity(inputs.count)
    var secrets: SecretSource?
    for (index, input) in inputs.enumerated() {
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

  private static func validate(
    _ event: Event, _ index: Int
  ) throws(LedgerError) {
    do throws(EventError) { try event.validate() } catch {
      throw LedgerError(.invalidEvent, "Event \(index) of the batch: \(error)", index: index)
    }
  }

  /// Writes the record as far as it is known, and sets apart what is personal.
  private mutating func encode(
    _ event: Event, _ index: Int, _ key: HashKey?, _ secrets: inout SecretSource?
  ) throws(LedgerError) {
    let numbers = BatchRecords.noNumbers(event.nameUseCount)
    let start = bytes.count
    func append(_ commitment: [UInt8]?) -> Bool {
      Record.append(
        event, position: 0, recordedAt: Instant(microseconds: 0), numbers: numbers,
        commitment: commitment, key: key ?? .zero, to: &bytes)
    }
    // Nearly no event has a personal part: whether one has, encoding it tells.
    if append(nil), let part = try PersonalPart(of: event, &secrets) {
      guard key != nil else { throw .namesUnknown }
      bytes.removeSubrange(start...)
      _ = append(part.commitment)
      personal.append((index, part))
      personalByteCount += part.byteCount
    }
    ends.append(bytes.count)
  }

  /// Stands for numbers that are not known yet; shared by all events with as many names.
  private static func noNumbers(_ count: Int) -> [NameNumber] {
    count < zeros.count ? zeros[count] : [NameNumber](repeating: 0, count: count)
  }

  private static let zeros = (0..<16).map { [NameNumber](repeating: 0, count: $0) }

  /// A line that carries `position` was accepted once and is not asked again (`events.md`).
  @inline(never)
  private static func isRequired(_ input: EventInput) -> Bool {
    guard input.event.type.kind == .consumableConsumed, input.position == nil,
      let required = input.event.data["required"]
    else { return false }
    return required == Array("true".utf8)
  }
}

extension Event {
  /// How many names the event uses: `nameUses.count`.
  fileprivate var nameUseCount: Int {
    type.kind.namesStandInEnvelope ? envelopeNameCount : nameUses.count
  }
}
