public import LedgerEvents
internal import LedgerModel
public import LedgerStore

/// Which events to return. A property that is not set does not filter.
public struct EventsQuery: Sendable {
  /// All events of the account's customer, including those that state no account.
  public var account: Name?
  public var device: Name?
  public var app: Name?
  public var environment: StoreEnvironment?
  public var transaction: Name?
  /// Events that state this original transaction, and those of the transaction with its id.
  public var original: Name?
  public var product: Name?
  public var download: Name?
  /// A type, or a pattern in which `*` stands for any run of characters.
  public var type: String?
  public var source: EventSource?
  /// Events about product pages of this item: the digits of its Apple ID.
  public var storeItem: String?
  /// Store time, as a half-open range.
  public var since: Instant?
  public var until: Instant?
  /// Positions, both included.
  public var from: UInt64 = 1
  public var to: UInt64 = .max
  public var isReverse = false
  /// The store time and ledger time of the answer.
  public var clocks = Clocks.now
  /// If it is set, the answer is that of a ledger which has the events that state one of these apps
  /// and no others: these alone decide whose an event is, what a transaction was sold for, and what
  /// a session ran. ``app`` chooses among events of which all is known.
  package var knownApps: Set<Name>?
  /// The sorted positions of its events, once they have been found (``LedgerView/located(_:)``).
  fileprivate var positions: [UInt64]?

  public init() {}
}

extension LedgerView {
  /// How many names a walk over events keeps before all of them are dropped.
  private static let keptNamesMax = 4_096

  /// Passes the events of a query to `body` in ascending or descending order of position. Stops
  /// when `body` returns false.
  ///
  /// - Complexity: O(*n*) in the events of the unit if the query has a name that connects,
  ///   otherwise in the positions asked for; only matching events are decoded.
  /// - Throws: ``LedgerError``, and what `body` throws.
  public func events(
    _ query: EventsQuery, _ body: (RecordedEvent) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    // Events that follow each other are often about the same purchases.
    var names: [NameNumber: NameUse] = [:]
    try matches(of: query) { (position) throws(LedgerError) in
      if names.count >= Self.keptNamesMax { names.removeAll(keepingCapacity: true) }
      return try body(try log.event(of: try log.record(at: position), addingTo: &names))
    }
  }

  /// Passes the positions of the events of a query to `body`, in the order that the query asks for.
  /// Stops when `body` returns false.
  ///
  /// - Complexity: As ``events(_:_:)``, but no event is decoded.
  /// - Throws: ``LedgerError``, and what `body` throws.
  func matches(
    of query: EventsQuery, _ body: (UInt64) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    guard let range = try range(of: query) else { return }
    var found = query.positions?.filter(range.contains)
    if found == nil {
      guard let filter = try HeaderFilter(query, self) else { return }
      guard let unit = filter.unit else {
        var cursor = try log.records(in: range, reverse: query.isReverse)
        while try cursor.next() {
          let record = try cursor.record(isChecked: false)
          if filter.admits(record), try !body(cursor.position) { return }
        }
        return
      }
      found = try positions(in: unit, range, filter)
    }
    guard let found else { return }
    for position in query.isReverse ? found.reversed() : found {
      if try !body(position) { return }
    }
  }

  /// The query with the positions of its events, if it has a name that connects. If it is then read
  /// in pages, each in its own view, the unit is gathered and folded only once, and every page is
  /// about the customer as known now. Only events that this view holds are found.
  ///
  /// - Complexity: O(*n*) in the events of the unit; 8 bytes for each matching event.
  /// - Throws: ``LedgerError``.
  package func located(_ query: EventsQuery) throws(LedgerError) -> EventsQuery {
    guard let range = try range(of: query), let filter = try HeaderFilter(query, self),
      let unit = filter.unit
    else { return query }
    var query = query
    query.positions = try positions(in: unit, range, filter)
    return query
  }

  /// The positions that are asked for and exist; `nil` if there are none.
  private func range(of query: EventsQuery) throws(LedgerError) -> ClosedRange<UInt64>? {
    let lower = max(query.from, 1)
    var upper = min(query.to, position)
    if let asOf = query.clocks.asOf { upper = min(upper, try position(asOf)) }
    return lower <= upper ? lower...upper : nil
  }

  private func positions(
    in unit: UInt32, _ range: ClosedRange<UInt64>, _ filter: HeaderFilter
  ) throws(LedgerError) -> [UInt64] {
    var positions: [UInt64] = []
    for fact in try facts(of: unit)
    where range.contains(fact.position) && filter.members?.contains(fact.position) != false {
      if filter.admits(try log.record(at: fact.position)) { positions.append(fact.position) }
    }
    return positions
  }
}

/// A query with numbers in place of names, to be compared with the headers of records.
struct HeaderFilter {
  private let query: EventsQuery
  private let kinds: TypePattern?
  private var numbers: [(slot: NameSlot, number: NameNumber)] = []
  private var original: NameNumber?
  /// The unit of all matches, if a name determines it.
  private(set) var unit: UInt32?
  /// The positions of the customer's events, if the query has an account.
  private(set) var members: Set<UInt64>?
  /// The events of which the answer knows; `nil` for all.
  let apps: KnownApps?

  /// `nil` if the query has a name that no event uses.
  init?(_ query: EventsQuery, _ view: LedgerView) throws(LedgerError) {
    self.query = query
    kinds = query.type.map(TypePattern.init)
    apps = if let known = query.knownApps { try KnownApps(known, view) } else { nil }
    let wanted: [(NameSlot, Name?)] = [
      (.device, query.device), (.app, query.app), (.transaction, query.transaction),
      (.product, query.product), (.download, query.download),
    ]
    for (slot, name) in wanted {
      guard let name else { continue }
      guard let number = try view.number(of: slot.kind, name) else { return nil }
      numbers.append((slot, number))
      if slot == .device || slot == .transaction { unit = try view.unitNumber(of: number) }
    }
    if let name = query.original {
      guard let number = try view.number(of: .transaction, name) else { return nil }
      original = number
      unit = try view.unitNumber(of: number)
    }
    if let name = query.account {
      guard let number = try view.number(of: .account, name) else { return nil }
      unit = try view.unitNumber(of: number)
      members =
        if let apps { try apps.positions(ofCustomer: number, at: query.clocks, view) } else {
          try view.positions(ofCustomer: number, at: query.clocks)
        }
    }
  }

  private static let pages: Set<EventKind> = [
    .productPageRequested, .productPagePresented, .productPageFailed, .productPageDismissed,
  ]

  func admits(_ record: borrowing RecordView) -> Bool {
    if let apps, !apps.contains(record) { return false }
    for (slot, number) in numbers where record.number(slot) != number { return false }
    if let original {
      guard
        record.number(.originalTransaction) == original
          || record.number(.transaction) == original
      else { return false }
    }
    if let environment = query.environment, record.environment != environment { return false }
    if let source = query.source, record.sourceText != source.text { return false }
    if let since = query.since, record.occurredAt < since { return false }
    if let until = query.until, record.occurredAt >= until { return false }
    if let at = query.clocks.at, record.believedAt > at { return false }
    if let item = query.storeItem {
      guard Self.pages.contains(record.kind), record.text(of: .storeItem) == item else {
        return false
      }
    }
    if let kinds { return kinds.matches(record) }
    return true
  }
}

/// A pattern of event types, such as `download.*`.
package struct TypePattern {
  private let pattern: [Character]

  package init(_ pattern: String) { self.pattern = Array(pattern) }

  func matches(_ record: borrowing RecordView) -> Bool {
    matches(record.typeText)
  }

  /// Whether the whole `text` matches the pattern.
  ///
  /// - Complexity: O(*n* · *m*) in the worst case.
  package func matches(_ text: String) -> Bool {
    let text = Array(text)
    var (next, at) = (0, 0)
    var star: (next: Int, at: Int)?
    while at < text.count {
      if next < pattern.count, pattern[next] == "*" {
        star = (next, at)
        next += 1
      } else if next < pattern.count, pattern[next] == text[at] {
        next += 1
        at += 1
      } else if let last = star {
        star = (last.next, last.at + 1)
        next = last.next + 1
        at = last.at + 1
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == "*" }
  }
}

extension RecordView {
  /// The type as the event wrote it, even if the vocabulary does not have it.
  fileprivate var typeText: String {
    kind == .unknown ? text(of: .typeText) ?? "" : kind.text
  }

  /// The source as the event wrote it; `app` if it wrote none.
  fileprivate var sourceText: String {
    source == .app ? text(of: .sourceText) ?? source.text : source.text
  }

  fileprivate func text(of tag: RecordTag) -> String? {
    var members = fields
    do throws(RecordError) {
      while try members.next() {
        if members.tag == tag { return members.string }
      }
    } catch {
      return nil  // Whoever decodes the record says what is wrong with it.
    }
    return nil
  }
}
