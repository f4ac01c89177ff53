internal import Crypto
internal import LedgerEvents

/// One event of a batch with all that can be known of it before the log's lock is taken.
struct PreparedEvent: Sendable {
  let event: Event
  /// Stands for the ledger's clock where the append trusts it.
  let recordedAt: Instant?
  let idHash: UInt64
  /// Its name uses, as a range of the batch's `uses`.
  let uses: Range<Int>
  /// What the record says of it in public, and what stays apart.
  let personal: PersonalPart?
  /// The first event of the batch with this id and content: its own index, as a rule.
  let first: Int
  /// Whether the balance is asked before it is accepted.
  let isRequired: Bool
}

/// What of an event may identify a person, and the salted commitment to it.
struct PersonalPart: Sendable {
  /// Salt and JSON, as the table `personal` holds them.
  let row: [UInt8]
  /// SHA-256(row), as the record holds it.
  let commitment: [UInt8]

  /// The length of a salt in bytes: too many to try.
  static let saltByteCount = 16

  /// The personal part of `event`, nil where it has none.
  init?(of event: Event, _ salts: inout SaltSource?) {
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

/// A batch, validated, split and hashed on its caller's thread.
struct PreparedBatch: Sendable {
  private(set) var events: [PreparedEvent] = []
  /// The distinct names of the batch, in the order of their first use, and their hashes.
  private(set) var names: [NameUse] = []
  private(set) var nameHashes: [UInt64] = []
  /// The name uses of all events one after the other, as indexes into `names`.
  private(set) var uses: [UInt32] = []
  /// About what the batch takes in the log, in bytes.
  private(set) var byteCount = 0

  /// What a record and its rows take beside texts, in bytes; an estimate.
  private static let eventOverheadBytes = 256

  /// Prepares `inputs`.
  ///
  /// - Throws: ``LedgerError`` with the index: `invalidEvent`, `conflict` within the batch,
  ///   `batchTooLarge`.
  init(
    _ inputs: [EventInput], _ options: AppendOptions, _ keyHash: KeyHash
  ) throws(LedgerError) {
    guard inputs.count <= batchEventsMax else {
      throw LedgerError(
        .batchTooLarge, "A batch has at most \(batchEventsMax) events: append in several.")
    }
    events.reserveCapacity(inputs.count)
    uses.reserveCapacity(inputs.count * 9)
    var ids = CandidateMap(capacity: inputs.count)
    var nameIndex = CandidateMap(capacity: min(inputs.count * 2 + 6, 4_096))
    var salts: SaltSource?
    for (index, input) in inputs.enumerated() {
      if options.validates { try PreparedBatch.validate(input.event, index) }
      let idHash = keyHash.id(input.event.id)
      let first = try firstUse(of: input.event, idHash, &ids)
      let start = uses.count
      for use in input.event.nameUses {
        uses.append(UInt32(number(of: use, keyHash.name(use), &nameIndex)))
      }
      events.append(
        PreparedEvent(
          event: input.event, recordedAt: options.trustsRecordedAt ? input.recordedAt : nil,
          idHash: idHash, uses: start..<uses.count,
          personal: PersonalPart(of: input.event, &salts),
          first: first ?? index, isRequired: PreparedBatch.isRequired(input)))
      byteCount += PreparedBatch.eventOverheadBytes + input.event.data.byteCount
      guard byteCount <= batchBytesMax else {
        throw LedgerError(
          .batchTooLarge,
          """
          A batch has at most \(batchBytesMax >> 20) MiB: append in several, the first up to \
          event \(index).
          """,
          index: index)
      }
    }
  }

  private static func validate(_ event: Event, _ index: Int) throws(LedgerError) {
    do throws(EventError) { try event.validate() } catch {
      throw LedgerError(.invalidEvent, "Event \(index) of the batch: \(error)", index: index)
    }
  }

  /// The index of an earlier event of the batch with the same id and content.
  private mutating func firstUse(
    of event: Event, _ hash: UInt64, _ ids: inout CandidateMap
  ) throws(LedgerError) -> Int? {
    let known = ids.first(hash) { events[Int($0) - 1].event.id == event.id }
    guard let known else {
      ids.insert(hash, UInt32(events.count + 1))
      return nil
    }
    let first = Int(known) - 1
    guard events[first].event.sameContent(as: event) else {
      throw LedgerError(
        .conflict,
        """
        Event \(events.count) of the batch has the id of event \(first), \(event.id), and other \
        content: an id names one event.
        """, index: events.count)
    }
    return first
  }

  /// The index of a name among the batch's names, where it is added when it is new.
  private mutating func number(
    of use: NameUse, _ hash: UInt64, _ index: inout CandidateMap
  ) -> Int {
    let known = index.first(hash) { value in
      let name = names[Int(value) - 1]
      return name.kind == use.kind
        && name.name.text.utf8.span.equals(use.name.text.utf8.span)
    }
    if let known { return Int(known) - 1 }
    names.append(use)
    nameHashes.append(hash)
    index.insert(hash, UInt32(names.count))
    byteCount += use.name.byteCount
    return names.count - 1
  }

  /// A line that carries `position` was accepted once and is not asked again (`events.md`).
  private static func isRequired(_ input: EventInput) -> Bool {
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

extension EventData {
  /// About how many bytes the members take.
  fileprivate var byteCount: Int {
    members.reduce(0) { $0 + $1.name.utf8.count + $1.json.count }
  }
}
