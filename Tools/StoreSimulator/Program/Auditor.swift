import LedgerEvents
import LedgerLog
import LedgerModel
import LedgerOracle
import LedgerQueries
import LedgerStore

/// Something that a ledger must never do.
struct Violation: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

/// Knows in plain memory what the ledger has to hold, and compares the two.
///
/// It shares no code with the store: events are compared member by member, hashes are its own, and
/// answers are those of the tests' oracle. What it asks the store for is what it judges.
struct Auditor {
  struct Entry {
    var event: Event
    var recordedAt: Instant
    /// Whose event it is; nil for the catalogue.
    var customer: Int?
  }

  /// What was appended, in order. Everything after ``durable`` was found in the ledger after an
  /// append that failed, and may be lost once more.
  private(set) var entries: [Entry] = []
  private(set) var durable = 0
  private(set) var tree = AuditTree()
  /// Who was forgotten, and by the event at which position.
  private(set) var erasures: [Int: Int] = [:]
  /// Where keys were destroyed: offsets in the key file.
  private var destroyed: Set<Int> = []
  private var positionsByCustomer: [Int: [Int]] = [:]

  var positions: Int { entries.count }

  /// The positions of a customer's events, in order.
  func positions(of customer: Int) -> [Int] { positionsByCustomer[customer] ?? [] }

  func entry(_ position: Int) -> Entry { entries[position - 1] }
}

// MARK: - What was appended

extension Auditor {
  /// Takes an event in that the ledger has at the next position.
  mutating func adopt(_ event: Event, of customer: Int?, _ log: LogView) throws {
    let position = entries.count + 1
    let shown = try log.event(at: UInt64(position))
    var event = event
    if event.type.kind == .accountErased, let customer {
      // An erasure is dated after whatever it erases.
      event.occurredAt = shown.event.occurredAt
      erasures[customer] = position
    }
    entries.append(Entry(event: event, recordedAt: shown.recordedAt, customer: customer))
    if let customer { positionsByCustomer[customer, default: []].append(position) }
    tree.append(AuditTree.leaf(try log.leaf(at: UInt64(position))))
    try compare(shown, at: position)
  }

  /// Counts events as acknowledged that have not been appended: what a control does.
  mutating func promise(_ count: Int) { durable = entries.count + count }

  /// Everything so far was acknowledged.
  mutating func acknowledge() { durable = entries.count }

  /// Compares what a power cut has left: everything acknowledged, and of what was on its way whole
  /// batches in their order.
  mutating func reconcile(
    _ log: LogView, onItsWay batches: [[Offer]], afterCut: Bool
  ) throws {
    let count = Int(log.lastPosition)
    let least = afterCut ? durable : entries.count
    guard count >= least else {
      throw Violation("lost: the log has \(count.counted("event")), and \(least) were acknowledged")
    }
    if count < entries.count { forget(after: count) }
    for batch in batches where Int(log.lastPosition) > entries.count {
      let new = batch.filter { !$0.isRepeat }
      guard let first = new.first else { continue }
      let next = try log.event(at: UInt64(entries.count + 1))
      guard next.event.id == first.event.id else { continue }
      guard entries.count + new.count <= count else {
        throw Violation("half a batch: \(count - entries.count) of \(new.count) events")
      }
      for offer in new { try adopt(offer.event, of: offer.customer, log) }
    }
    guard entries.count == count else {
      throw Violation("the log has \(count - entries.count) events that nobody appended")
    }
  }

  private mutating func forget(after count: Int) {
    for position in count + 1...entries.count {
      guard let customer = entries[position - 1].customer else { continue }
      positionsByCustomer[customer]?.removeAll { $0 == position }
      if erasures[customer] == position { erasures[customer] = nil }
    }
    entries.removeLast(entries.count - count)
    tree.truncate(to: count)
  }
}

// MARK: - Comparing

extension Auditor {
  /// Compares one event with what was appended.
  func compare(_ shown: RecordedEvent, at position: Int) throws {
    let entry = entries[position - 1]
    guard shown.position == UInt64(position) else {
      throw Violation("position \(position) shows itself as \(shown.position)")
    }
    let (event, expected) = (shown.event, entry.event)
    guard event.id == expected.id, event.type.text == expected.type.text,
      event.occurredAt == expected.occurredAt, event.product == expected.product,
      event.transaction == expected.transaction, event.app == expected.app,
      event.originalTransaction == expected.originalTransaction,
      event.download == expected.download, event.sequence == expected.sequence
    else { throw Violation("position \(position) is \(event), appended as \(expected)") }
    if let customer = entry.customer, erasures[customer] != nil {
      return try requireForgotten(event, at: position)
    }
    guard event.account == expected.account, event.device == expected.device,
      event.session == expected.session, Self.members(event) == Self.members(expected)
    else { throw Violation("position \(position) is \(event), appended as \(expected)") }
  }

  private static func members(_ event: Event) -> [String: [UInt8]] {
    Dictionary(event.data.members.map { ($0.name, $0.json) }) { first, _ in first }
  }

  private func requireForgotten(_ event: Event, at position: Int) throws {
    for name in [event.account, event.device, event.session] {
      guard let text = name?.text else { continue }
      guard text.hasPrefix("erased:") else {
        throw Violation("position \(position) still says \(text), who was erased")
      }
    }
    guard let text = event.data["text"] else { return }
    if String(decoding: text, as: UTF8.self).contains("secret") {
      throw Violation("position \(position) still shows a text of somebody who was erased")
    }
  }

  /// Compares the last few events, a few others, and the root.
  func audit(
    _ log: LogView, everything: Bool = false, _ choose: (Int) -> Int
  ) throws {
    guard log.lastPosition == UInt64(entries.count) else {
      throw Violation(
        "the log has \(log.lastPosition.counted("event")) instead of \(entries.count)")
    }
    guard try log.root(at: UInt64(entries.count)).bytes == tree.root else {
      throw Violation("the root at \(entries.count) is another than that of the leaves")
    }
    if everything {
      for position in entries.indices.map({ $0 + 1 }) {
        try compare(log.event(at: UInt64(position)), at: position)
        let leaf = AuditTree.leaf(try log.leaf(at: UInt64(position)))
        guard leaf == tree.leaves[position - 1] else {
          throw Violation("the leaf of position \(position) is another than when it was appended")
        }
      }
    } else if entries.count > 0 {
      let position = 1 + choose(entries.count)
      try compare(log.event(at: UInt64(position)), at: position)
    }
  }
}

// MARK: - Keys

extension Auditor {
  static let headBytes = 128
  static let slotBytes = 32

  /// Notes the keys that an erasure has destroyed: those that are zeros now, and were not before.
  ///
  /// - Returns: How many.
  mutating func noteDestroyed(before: [UInt8], after: [UInt8]) throws -> Int {
    var count = 0
    for offset in stride(
      from: Self.headBytes, through: min(before.count, after.count) - Self.slotBytes,
      by: Self.slotBytes)
    {
      guard Self.isZero(after, offset), !Self.isZero(before, offset) else { continue }
      destroyed.insert(offset)
      count += 1
    }
    return count
  }

  /// How many keys have to go with a customer: of the account, device and session, and of notes.
  func keyCount(of customer: Int) -> Int {
    let events = positions(of: customer).map { entries[$0 - 1].event }
    return 3 + events.count { $0.type.kind == .noteAdded }
  }

  /// Destroyed keys never come back.
  func auditKeys(_ bytes: [UInt8]) throws {
    for offset in destroyed where !Self.isZero(bytes, offset) {
      throw Violation("the key at byte \(offset) was destroyed and is back")
    }
  }

  private static func isZero(_ bytes: [UInt8], _ offset: Int) -> Bool {
    guard offset + slotBytes <= bytes.count else { return false }
    return bytes[offset..<offset + slotBytes].allSatisfy { $0 == 0 }
  }
}

// MARK: - Answers

extension Auditor {
  /// Compares what a customer has, now or as of a position, with the oracle's answer.
  func compareAnswer(
    of customer: Int, named account: Name, asOf position: Int? = nil, _ view: LedgerView
  ) throws {
    let end = position ?? entries.count
    let own = positions(of: customer).filter { $0 <= end }
    let isKnown = erasures[customer] == nil && own.contains { entries[$0 - 1].event.account != nil }
    let clocks = position.map { Clocks(asOf: .position(UInt64($0))) } ?? .now
    let all = ([1] + own).map { position in
      RecordedEvent(
        position: UInt64(position), recordedAt: entries[position - 1].recordedAt,
        event: entries[position - 1].event)
    }
    let expected = Oracle(all).answers()[.production]
    let moment = expected?.at ?? Instant(microseconds: 0)
    let answer = try view.entitlements(of: .account(account), clocks: clocks, now: moment)
    guard answer.isKnown == isKnown else {
      throw Violation("\(account) is \(answer.isKnown ? "" : "not ")known as of \(end)")
    }
    guard isKnown else { return }
    let found = Self.statement(answer)
    let right = Self.statement(expected?.accounts[account] ?? Oracle.Account())
    guard found == right else {
      throw Violation("\(account) as of \(end) has \(found), and should have \(right)")
    }
  }

  private static func statement(_ answer: EntitlementsAnswer) -> Set<String> {
    var lines: Set<String> = []
    for entry in answer.entries {
      if let product = entry.product { lines.insert("\(product) \(entry.state.text)") }
    }
    for name in answer.active { lines.insert("active \(name)") }
    for balance in answer.balances { lines.insert("\(balance.amount) \(balance.unit)") }
    return lines
  }

  private static func statement(_ account: Oracle.Account) -> Set<String> {
    var lines: Set<String> = []
    for (product, state) in account.states { lines.insert("\(product) \(state)") }
    for name in account.active { lines.insert("active \(name)") }
    for (unit, amount) in account.balances { lines.insert("\(amount) \(unit)") }
    return lines
  }
}

/// An event that is offered to the ledger.
struct Offer {
  var event: Event
  var customer: Int?
  /// Whether the ledger has it already.
  var isRepeat = false
}
