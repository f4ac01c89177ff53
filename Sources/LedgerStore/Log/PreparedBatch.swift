internal import Crypto
internal import LedgerEvents

/// What of an event may identify a person, and the salted commitment to it.
struct PersonalPart: Sendable {
  /// Salt and JSON, as the table `personal` holds them.
  let row: [UInt8]
  /// SHA-256(row), as the record holds it.
  let commitment: [UInt8]

  /// The length of a salt in bytes: too many to try.
  static let saltByteCount = 16

  /// The personal part of `event`, nil where it has none.
  init?(of event: borrowing Event, _ salts: inout SaltSource?) {
    guard let data = event.personalData else { return nil }
    var source = salts ?? SaltSource()
    row = source.next() + data
    salts = source
    commitment = PersonalPart.commitment(of: row)
  }

  /// SHA-256 of a row of the table `personal`.
  static func commitment(of row: [UInt8]) -> [UInt8] {
    TreeHash(SHA256.hash(data: row)).bytes
  }
}

/// A batch, validated, split, encoded and hashed on its caller's thread.
///
/// What the writer needs of an event stands in flat arrays, so that under the log's lock no event
/// is touched but one whose id is in the log already.
struct PreparedBatch: Sendable {
  let inputs: [EventInput]
  /// Whether `EventInput.recordedAt` stands for the ledger's clock.
  let trustsRecordedAt: Bool
  private(set) var idHashes: [UInt64] = []
  /// For each event the first one of the batch with its id: itself, as a rule.
  private(set) var firsts: [Int] = []
  /// The distinct names of the batch, in the order of their first use, and their hashes.
  private(set) var names: [NameUse] = []
  private(set) var nameHashes: [UInt64] = []
  /// The name uses of all events one after the other, as indexes into `names`, and where those of
  /// each event end.
  private(set) var uses: [UInt32] = []
  private(set) var useEnds: [Int] = []
  /// The records of all events one after the other, to be settled, and where each ends.
  private(set) var records: [UInt8] = []
  private(set) var recordEnds: [Int] = []
  /// The personal parts of those events that have one, in the events' order.
  private(set) var personal: [(event: Int, part: PersonalPart)] = []
  private var personalByteCount = 0
  /// The events whose balance is asked before they are accepted.
  private(set) var required: [Int] = []

  /// Prepares `inputs`.
  ///
  /// - Throws: ``LedgerError`` with the index: `invalidEvent`, `conflict` within the batch,
  ///   `batchTooLarge`.
  init(
    _ inputs: [EventInput], _ options: AppendOptions, _ identity: LogIdentity
  ) throws(LedgerError) {
    guard inputs.count <= batchEventsMax else {
      throw LedgerError(
        .batchTooLarge, "A batch has at most \(batchEventsMax) events: append in several.")
    }
    self.inputs = inputs
    trustsRecordedAt = options.trustsRecordedAt
    idHashes.reserveCapacity(inputs.count)
    firsts.reserveCapacity(inputs.count)
    uses.reserveCapacity(inputs.count * 9)
    records.reserveCapacity(inputs.count * 128)
    var ids = CandidateMap(capacity: inputs.count)
    var numbering = BatchNames(capacity: min(inputs.count * 2 + 6, 4_096))
    var salts: SaltSource?
    let span = inputs.span
    for index in span.indices {
      try add(span[index], index, options, identity, &ids, &numbering, &salts)
    }
    names = numbering.names
    nameHashes = numbering.hashes
  }

  var count: Int { inputs.count }

  /// The name uses of an event, as a range of `uses`.
  func uses(of index: Int) -> Range<Int> { (index == 0 ? 0 : useEnds[index - 1])..<useEnds[index] }

  /// The record of an event, as a range of `records`.
  func record(of index: Int) -> Range<Int> {
    (index == 0 ? 0 : recordEnds[index - 1])..<recordEnds[index]
  }

  /// Prepares one event; borrowed, as copying one counts a dozen references.
  private mutating func add(
    _ input: borrowing EventInput, _ index: Int, _ options: AppendOptions,
    _ identity: LogIdentity, _ ids: inout CandidateMap, _ numbering: inout BatchNames,
    _ salts: inout SaltSource?
  ) throws(LedgerError) {
    if options.validates { try PreparedBatch.validate(input.event, index) }
    let hash = identity.keyHash.id(input.event.id)
    idHashes.append(hash)
    firsts.append(try first(input.event, index, hash, &ids))
    numbering.add(namesOf: input.event, identity.keyHash, to: &uses)
    encode(input.event, index, identity.textKey, &salts)
    if PreparedBatch.isRequired(input) { required.append(index) }
    guard records.count + personalByteCount <= batchBytesMax else {
      throw LedgerError(
        .batchTooLarge,
        """
        A batch takes at most \(batchBytesMax >> 20) MiB of the log: append in several, the first \
        up to event \(index).
        """,
        index: index)
    }
  }

  /// Whether an event has a type that the vocabulary does not know.
  func isUnknown(_ index: Int) -> Bool { inputs.span[index].event.type.kind == .unknown }

  private static func validate(
    _ event: borrowing Event, _ index: Int
  ) throws(LedgerError) {
    do throws(EventError) { try event.validate() } catch {
      throw LedgerError(.invalidEvent, "Event \(index) of the batch: \(error)", index: index)
    }
  }

  /// The index of the first event of the batch with the id of this one.
  private func first(
    _ event: borrowing Event, _ index: Int, _ hash: UInt64, _ ids: inout CandidateMap
  ) throws(LedgerError) -> Int {
    var probe = CandidateMap.Probe()
    while let known = ids.next(hash, &probe) {
      let first = Int(known) - 1
      guard inputs[first].event.id == event.id else { continue }
      guard inputs[first].event.sameContent(as: copy event) else {
        throw LedgerError(
          .conflict,
          """
          Event \(index) of the batch has the id of event \(first), \(inputs[first].event.id), and \
          other content: an id names one event.
          """, index: index)
      }
      return first
    }
    ids.insert(hash, UInt32(index + 1))
    return index
  }

  /// Writes the record as far as it is known, and sets apart what is personal.
  private mutating func encode(
    _ event: borrowing Event, _ index: Int, _ key: HashKey, _ salts: inout SaltSource?
  ) {
    let uses = uses.count - (useEnds.last ?? 0)
    useEnds.append(self.uses.count)
    let part = PersonalPart(of: event, &salts)
    if let part {
      personal.append((index, part))
      personalByteCount += part.row.count
    }
    Record.append(
      event, position: 0, recordedAt: Instant(microseconds: 0),
      numbers: PreparedBatch.noNumbers(uses), commitment: part?.commitment, key: key, to: &records)
    recordEnds.append(records.count)
  }

  /// Stands for numbers that are not known yet; shared by all events with as many names.
  private static func noNumbers(_ count: Int) -> [NameNumber] {
    count < zeros.count ? zeros[count] : [NameNumber](repeating: 0, count: count)
  }

  private static let zeros = (0..<16).map { [NameNumber](repeating: 0, count: $0) }

  /// A line that carries `position` was accepted once and is not asked again (`events.md`).
  private static func isRequired(_ input: borrowing EventInput) -> Bool {
    guard input.event.type.kind == .consumableConsumed, input.position == nil,
      let required = input.event.data["required"]
    else { return false }
    return required == Array("true".utf8)
  }
}

/// Salts that nobody can guess, from one draw of randomness a batch.
struct SaltSource {
  private let seed: [UInt8]
  private var count: UInt64 = 0

  init() {
    var random = SystemRandomNumberGenerator()
    seed = [UInt8](random: 32, using: &random)
  }

  /// The next salt: 16 bytes of SHA-256(seed ‖ counter).
  mutating func next() -> [UInt8] {
    count += 1
    let hash = TreeHash(SHA256.hash(data: seed + [UInt8](bigEndianWord: count)))
    return Array(hash.bytes.prefix(PersonalPart.saltByteCount))
  }
}
