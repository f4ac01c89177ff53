public import LedgerEvents

/// The texts that positions and numbers stand for. They are needed only to break a tie by bytes, or
/// to sort an answer.
public protocol FactTexts {
  /// The id of the event at `position`.
  func id(ofPosition position: UInt64) -> Name
  /// The text that `number` stands for.
  func text(of number: NameNumber) -> Name
}

/// The sort key of a fact in the fold order: believed `occurredAt`, then `sequence` (absent: 0),
/// then the id by its bytes (`events.md`, *The order of events*).
public struct FoldKey: Hashable, Sendable {
  public var time: Int64
  public var sequence: Int64
  public var idPrefix: UInt64
  /// Used to find the rest of the id if the prefix does not decide.
  public var position: UInt64

  public init(time: Int64, sequence: Int64, idPrefix: UInt64, position: UInt64) {
    self.time = time
    self.sequence = sequence
    self.idPrefix = idPrefix
    self.position = position
  }

  public init(_ fact: Fact) {
    self.init(
      time: fact.occurredAt, sequence: max(fact.sequence, 0), idPrefix: fact.idPrefix,
      position: fact.position)
  }

  /// Whether this key comes before `other`.
  ///
  /// - Complexity: O(1), unless time, sequence and id prefix are equal: then the ids are read.
  public func precedes(_ other: FoldKey, _ texts: any FactTexts) -> Bool {
    precedes(other) { texts.id(ofPosition: position) < texts.id(ofPosition: other.position) }
  }

  /// Whether this key comes before `other` whatever the rest of their ids is.
  func precedesSurely(_ other: FoldKey) -> Bool { precedes(other) { false } }

  /// Whether this key comes before `other`. Only this function states the fold order.
  ///
  /// - Parameter idPrecedes: Whether the whole id comes first. It is called only if nothing else
  ///   decides.
  @inline(__always)
  fileprivate func precedes(_ other: FoldKey, orByID idPrecedes: () -> Bool) -> Bool {
    if time != other.time { return time < other.time }
    if sequence != other.sequence { return sequence < other.sequence }
    if idPrefix != other.idPrefix { return idPrefix < other.idPrefix }
    return position != other.position && idPrecedes()
  }
}

/// The sort key of an event in the fold order. It carries the whole id, so that it can be compared
/// without the texts of a ledger.
public struct EventFoldKey: Hashable, Sendable {
  private let key: FoldKey
  private let id: Name

  /// The key of a recorded event.
  public init(_ recorded: RecordedEvent) {
    let event = recorded.event
    let time = Fact.believed(event.occurredAt, recordedAt: recorded.recordedAt)
    id = event.id
    key = FoldKey(
      time: time.microseconds, sequence: event.sequence ?? 0, idPrefix: event.id.prefixWord,
      position: recorded.position)
  }

  /// Believed `occurredAt`.
  public var time: Instant { Instant(microseconds: key.time) }

  /// The position of the event.
  public var position: UInt64 { key.position }
}

extension EventFoldKey: Comparable {
  public static func < (left: EventFoldKey, right: EventFoldKey) -> Bool {
    left.key.precedes(right.key) { left.id < right.id }
  }
}

extension [Fact] {
  /// The facts in the fold order. They are not copied if they are already in order.
  ///
  /// - Complexity: O(*n* log *n*), or O(*n*) if they are in order.
  package func inFoldOrder(_ texts: any FactTexts) -> [Fact] {
    if isInFoldOrder(texts) { return self }
    // Sorting moves an element often, and a fact is large and counts references.
    let keys = indices.map { (key: FoldKey(self[$0]), index: $0) }
    return keys.sorted { $0.key.precedes($1.key, texts) }.map { self[$0.index] }
  }

  /// These facts and others in the fold order, which both are in.
  ///
  /// - Complexity: O(*n*) in their number.
  func merged(with others: [Fact], _ texts: any FactTexts) -> [Fact] {
    var merged: [Fact] = []
    merged.reserveCapacity(count + others.count)
    var next = 0
    for fact in self {
      while next < others.count, FoldKey(others[next]).precedes(FoldKey(fact), texts) {
        merged.append(others[next])
        next += 1
      }
      merged.append(fact)
    }
    return merged + others[next...]
  }

  private func isInFoldOrder(_ texts: any FactTexts) -> Bool {
    guard let first else { return true }
    var before = FoldKey(first)
    for index in indices.dropFirst() {
      let key = FoldKey(self[index])
      if !before.precedes(key, texts) { return false }
      before = key
    }
    return true
  }
}

extension Array {
  /// The number of leading elements that satisfy `isBefore`, which must hold for a prefix only.
  ///
  /// - Complexity: O(1) if all of them do, otherwise O(log *n*).
  func partitionPoint(_ isBefore: (Element) -> Bool) -> Int {
    guard let last, !isBefore(last) else { return count }
    var low = 0
    var high = count - 1
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
