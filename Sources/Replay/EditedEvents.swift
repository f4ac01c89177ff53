public import LedgerEvents
internal import LedgerModel
public import LedgerQueries

/// The events of a source after edits, in the form that a replay takes.
///
/// An event that is moved, repeated or inserted after another one gets a new time, so that the fold
/// sees it there: one microsecond after the other's. If the next event leaves no free microsecond,
/// it gets the other's time and a sequence that puts it there. An event that states a sequence gets
/// the newest one of its session up to that point, so that its session's clock does not seem to
/// have stepped back. Its `data` stays the same. Its `recordedAt` is that of the event before it.
///
/// Events keep their positions as far as possible. After an event that was put in, the following
/// ones move up by one, as far as the next gap.
public struct EditedEvents: Sendable {
  /// What one edit did.
  public struct Note: Sendable {
    /// In words, without the new positions: `12 moved after 20`.
    public var text: String
    /// The positions of its events now, and when they occur.
    public var positions: [(position: UInt64, occurredAt: Instant)] = []
    /// The ids of those events.
    fileprivate var ids: [Name] = []
  }

  public let events: ReplayEvents
  /// A note for each edit, in the order of the edits.
  public let notes: [Note]
  /// The former positions of the source's events that have another position now, by that position.
  public let formerPositions: [UInt64: UInt64]

  /// - Complexity: O(*n* log *n*) for each edit.
  /// - Throws: ``ReplayEditError`` if there is no such event, or no room for one.
  public init(_ source: ReplayEvents, _ edits: [ReplayEdit]) throws(ReplayEditError) {
    var draft = EditDraft(source)
    var notes: [Note] = []
    for edit in edits { notes.append(try draft.make(edit)) }
    (events, formerPositions) = draft.finished()
    var byID: [Name: RecordedEvent] = [:]
    for recorded in events.events { byID[recorded.event.id] = recorded }
    self.notes = notes.map { note in
      var note = note
      note.positions = note.ids.compactMap { id in
        byID[id].map { ($0.position, $0.event.occurredAt) }
      }
      return note
    }
  }
}

/// Events while they are edited, in the order of arrival.
private struct EditDraft {
  private struct Item {
    var recorded: RecordedEvent
    /// The event's position in the source; `nil` if the source does not have it.
    var former: UInt64?
    var isStep: Bool
    var isBackground: Bool
  }

  private var items: [Item]
  private let source: ReplayEvents
  /// The ids of the source's events and of all added ones.
  private var ids: Set<Name>

  init(_ source: ReplayEvents) {
    self.source = source
    items = source.events.map { recorded in
      Item(
        recorded: recorded, former: recorded.position,
        isStep: source.steps.contains(recorded.position),
        isBackground: source.background.contains(recorded.position))
    }
    ids = Set(source.events.map(\.event.id))
  }

  mutating func make(_ edit: ReplayEdit) throws(ReplayEditError) -> EditedEvents.Note {
    switch edit {
    case .drop(let position):
      items.remove(at: try index(of: position))
      return EditedEvents.Note(text: "\(position) dropped")
    case .move(let position, let other):
      guard position != other else {
        throw ReplayEditError("Event \(position) cannot be moved after itself.")
      }
      if other != 0 { _ = try index(of: other) }
      let moved = items.remove(at: try index(of: position))
      let put = try put(moved, after: other == 0 ? nil : try index(of: other), "after \(other)")
      return EditedEvents.Note(text: "\(position) moved after \(other)", ids: [put])
    case .repeat(let position):
      let index = try index(of: position)
      var again = items[index]
      again.former = nil
      again.recorded.event.id = freshID(like: again.recorded.event.id)
      let put = try put(again, after: index, "after \(position)")
      return EditedEvents.Note(text: "\(position) repeated", ids: [put])
    case .insert(let inputs, let other): return try insert(inputs, after: other)
    }
  }

  private mutating func insert(
    _ inputs: [EventInput], after other: UInt64?
  ) throws(ReplayEditError) -> EditedEvents.Note {
    var put: [Name] = []
    var last = try other.flatMap { (position) throws(ReplayEditError) in
      position == 0 ? nil : try index(of: position)
    }
    for input in inputs {
      guard ids.insert(input.event.id).inserted else {
        throw ReplayEditError(
          "The source has an event with the id \(input.event.id) already: give each inserted event "
            + "an id of its own.")
      }
      let item = Item(
        recorded: RecordedEvent(
          position: 0, recordedAt: input.recordedAt ?? input.event.occurredAt,
          event: input.event),
        isStep: true, isBackground: false)
      if let other {
        put.append(try self.put(item, after: last, "after \(other)"))
        last = items.firstIndex { $0.recorded.event.id == input.event.id }
      } else {
        let time = item.recorded.recordedAt
        let index = items.lastIndex { $0.recorded.recordedAt <= time }.map { $0 + 1 } ?? 0
        items.insert(item, at: index)
        put.append(input.event.id)
      }
    }
    let count = inputs.count.counted("event") + " inserted"
    return EditedEvents.Note(text: count + (other.map { " after \($0)" } ?? ""), ids: put)
  }

  /// Puts an event after the one at an index, or before all others, in the order of arrival and in
  /// the fold order, and returns its id.
  private mutating func put(
    _ item: Item, after index: Int?, _ words: String
  ) throws(ReplayEditError) -> Name {
    var item = item
    let sorted = items.sorted { $0.recorded.foldKey < $1.recorded.foldKey }
    let before = index.map { items[$0].recorded }
    let next: RecordedEvent?
    if let before {
      next = sorted.first { $0.recorded.foldKey > before.foldKey }?.recorded
      item.recorded.recordedAt = before.recordedAt
    } else {
      next = sorted.first?.recorded
      if let first = items.first { item.recorded.recordedAt = first.recorded.recordedAt }
    }
    let own = item.recorded.event
    let stated = own.sequence.map { _ in
      sorted.lazy.map(\.recorded).filter { other in
        other.event.device == own.device && other.event.session == own.session
          && before.map { other.foldKey <= $0.foldKey } ?? false
      }.compactMap(\.event.sequence).max() ?? 0
    }
    for (time, sequence) in Self.candidates(before, next, stated) {
      item.recorded.event.occurredAt = Instant(microseconds: time)
      item.recorded.event.sequence = sequence
      let key = item.recorded.foldKey
      guard key.time.microseconds == time, before.map({ $0.foldKey < key }) ?? true,
        next.map({ key < $0.foldKey }) ?? true
      else { continue }
      items.insert(item, at: index.map { $0 + 1 } ?? 0)
      return own.id
    }
    throw ReplayEditError(
      "There is no room \(words): the next event occurred in the same microsecond, and only its id "
        + "puts it there. Choose another position.")
  }

  /// Times and sequences that may put an event between two, the best first.
  private static func candidates(
    _ before: RecordedEvent?, _ next: RecordedEvent?, _ stated: Int64?
  ) -> [(time: Int64, sequence: Int64?)] {
    guard let before else { return [((next?.believedTime ?? 0) - 1, stated)] }
    let time = before.believedTime
    var candidates: [(time: Int64, sequence: Int64?)] = [(time + 1, stated), (time, stated)]
    for sequence in [before.event.sequence, next?.event.sequence] {
      candidates.append((time, sequence))
    }
    let (following, isBeyond) = (before.event.sequence ?? 0).addingReportingOverflow(1)
    if !isBeyond { candidates.append((time, following)) }
    return candidates
  }

  /// The events in their order, each with a position, and the former positions of those whose
  /// positions have changed.
  func finished() -> (events: ReplayEvents, formerPositions: [UInt64: UInt64]) {
    var events: [RecordedEvent] = []
    var steps: Set<UInt64> = []
    var background: Set<UInt64> = []
    var formerPositions: [UInt64: UInt64] = [:]
    var last: UInt64 = 0
    for item in items {
      var recorded = item.recorded
      let former = item.former ?? 0
      recorded.position = former > last ? former : last + 1
      last = recorded.position
      events.append(recorded)
      if item.isStep { steps.insert(last) }
      if item.isBackground { background.insert(last) }
      if former != 0, former != last { formerPositions[last] = former }
    }
    let edited = ReplayEvents(events: events, steps: steps, background: background)
    return (edited, formerPositions)
  }

  private func index(of position: UInt64) throws(ReplayEditError) -> Int {
    if let index = items.firstIndex(where: { $0.former == position && $0.isStep }) { return index }
    if source.steps.contains(position) {
      throw ReplayEditError("Event \(position) was dropped by an edit that goes before.")
    }
    let all = source.steps.sorted()
    guard let first = all.first, let last = all.last else {
      throw ReplayEditError("There is no event \(position): the source has none.")
    }
    let isGapless = UInt64(all.count) == last - first + 1
    let found =
      isGapless || all.count > 12
      ? "\(all.count) events from \(first) to \(last)"
      : "the events " + all.map { "\($0)" }.joined(separator: ", ")
    throw ReplayEditError("There is no event \(position): the source has \(found).")
  }

  /// Returns an unused id that sorts after the one from which it is made.
  private mutating func freshID(like id: Name) -> Name {
    for number in 2... {
      let end = "~\(number)"
      var begin = id.text
      while begin.utf8.count + end.utf8.count > eventIDBytesMax { begin.removeLast() }
      let fresh = Name(begin + end)
      if ids.insert(fresh).inserted { return fresh }
    }
    preconditionFailure("there is always another number")
  }
}
