internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// An `AnswerRow` that is read in place. It decodes only what a query needs, and allocates nothing.
///
/// The row's checksum has been verified. Every length is checked all the same, because a faulty
/// program may have written the row.
struct StoredAnswer: ~Escapable {
  /// Whether an event states the account.
  let isStated: Bool
  /// Whether its unit shares state of the absent device with others.
  let isCoupled: Bool
  /// Whether the unit is divided, so that only its own row says when its newest event was.
  let isDivided: Bool
  /// The unit that contains the account.
  let unit: UInt32
  /// The believed time of the unit's newest event, in microseconds; `.min` if the unit is divided.
  let newest: Int64
  private let count: UInt8
  private let environments: Span<UInt8>

  private static let headerBytes = 14

  /// Reads the row `bytes`.
  ///
  /// - Throws: `rebuildNeeded` if it is damaged.
  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) throws(LedgerError) {
    guard bytes.count >= Self.headerBytes else { throw .answerDamaged }
    isStated = bytes[0] & AnswerRow.statedFlag != 0
    isCoupled = bytes[0] & AnswerRow.coupledFlag != 0
    isDivided = bytes[0] & AnswerRow.dividedFlag != 0
    unit = bytes.bigEndianHalf(at: 1)
    newest = Int64(bitPattern: bytes.bigEndianWord(at: 5))
    count = bytes[13]
    environments = bytes.extracting(Self.headerBytes..<bytes.count)
  }

  /// The believed time of the customer's newest event in some environments; `nil` if there is none.
  func newestEvent(in wanted: EnvironmentSet) throws(LedgerError) -> Int64? {
    var newest: Int64?
    var scan = AnswerScan(environments)
    for _ in 0..<count {
      let environment = try scan.environment()
      if wanted.contains(environment.number) { newest = max(newest ?? .min, environment.newest) }
    }
    return newest
  }

  /// Returns all entries of an environment at a moment, and when any of them next changes by time
  /// alone. There are none if the row does not contain the environment.
  func entries(
    in wanted: StoreEnvironment, at moment: Int64
  ) throws(LedgerError) -> (entries: [StoredEntry], nextChange: Int64?) {
    var scan = AnswerScan(environments)
    for _ in 0..<count {
      let environment = try scan.environment()
      guard environment.number == wanted else { continue }
      let segment = try Self.segment(environment.segments, at: moment)
      var rest = AnswerScan(segment.entries)
      var entries: [StoredEntry] = []
      while !rest.isAtEnd { entries.append(try rest.wholeEntry(in: wanted)) }
      return (entries, segment.next == AnswerRow.noMoment ? nil : segment.next)
    }
    return ([], nil)
  }

  /// Returns the standing of an item at a moment in some environments, and when that next changes
  /// by time alone. The moment must not be before the customer's newest event in any of them.
  ///
  /// - Complexity: O(*n*) in the entries of the row; more if other items change before this one.
  func standing(
    of item: ItemReference, in wanted: EnvironmentSet, at moment: Int64
  ) throws(LedgerError) -> (standing: ItemStanding?, nextChange: Int64?) {
    let (now, first) = try look(for: item, in: wanted, at: moment)
    var next = first
    while next != AnswerRow.noMoment {
      let (then, later) = try look(for: item, in: wanted, at: next)
      if then != now { return (now, next) }
      // Changes must be in ascending order; otherwise, the loop would never end.
      guard later > next else { throw .answerDamaged }
      next = later
    }
    return (now, nil)
  }

  /// The best grantor's standing at a moment, and the next moment at which anything changes.
  private func look(
    for item: ItemReference, in wanted: EnvironmentSet, at moment: Int64
  ) throws(LedgerError) -> (ItemStanding?, Int64) {
    let name = item.name.text.utf8.span
    if !item.isEntitlement {
      return try best(in: wanted, at: moment, opening: Span()) { entry throws(LedgerError) in
        !entry.isEntitlement && entry.name.equals(name) ? entry.standing : nil
      }
    }
    return try best(in: wanted, at: moment, opening: name) { entry throws(LedgerError) in
      if entry.isEntitlement { return entry.name.equals(name) ? entry.standing : nil }
      guard entry.opens else { return nil }
      // A product that opens the entitlement by the catalogue of one environment opens it in all of
      // them: an answer over several has one entry per product.
      if count == 1 { return entry.standing }
      return try best(in: wanted, at: moment, opening: Span()) { other throws(LedgerError) in
        !other.isEntitlement && other.name.equals(entry.name) ? other.standing : nil
      }.0
    }
  }

  /// Returns the best of the standings that `standing` finds in entries, and when anything next
  /// changes.
  private func best(
    in wanted: EnvironmentSet, at moment: Int64, opening opened: Span<UInt8>,
    _ standing: (AnswerScan.Entry) throws(LedgerError) -> ItemStanding?
  ) throws(LedgerError) -> (ItemStanding?, Int64) {
    var best: ItemStanding?
    var next = AnswerRow.noMoment
    var scan = AnswerScan(environments)
    for _ in 0..<count {
      let environment = try scan.environment()
      guard wanted.contains(environment.number) else { continue }
      let segment = try Self.segment(environment.segments, at: moment)
      next = min(next, segment.next)
      var entries = AnswerScan(segment.entries)
      while !entries.isAtEnd {
        let entry = try entries.entry(opening: opened, in: environment.number)
        guard let found = try standing(entry) else { continue }
        if best.map({ found.rank < $0.rank }) ?? true { best = found }
      }
    }
    return (best, next)
  }

  /// The last segment that does not begin after a moment, or else the first.
  @_lifetime(copy segments)
  private static func segment(
    _ segments: Span<UInt8>, at moment: Int64
  ) throws(LedgerError) -> AnswerScan.Segment {
    var scan = AnswerScan(segments)
    var found = try scan.segment()
    while !scan.isAtEnd && found.next <= moment { found = try scan.segment() }
    return found
  }
}

extension LedgerError {
  /// The error for a row of answers that is not as it was written.
  static var answerDamaged: LedgerError {
    .damagedProjections("A stored answer of the projections is damaged")
  }
}
