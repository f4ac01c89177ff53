internal import LedgerEvents

// The rules for recorders and for the system. Sources: `events.md`; UIApplicationDelegate for the
// order of launch, background and foreground; SKPaymentQueue.add(_:) for the order of observer
// calls.
extension Tape {
  /// Checks that events are valid, that time increases, and that only notifications are repeated.
  mutating func auditRecorder() {
    var time: Instant?
    for line in lines {
      do throws(EventError) { try line.event.validate() } catch {
        note("valid-event", line, "\(error)")
      }
      expect(
        time.map { $0 < line.event.occurredAt } ?? true, "time-rises", line,
        "at \(line.event.occurredAt)")
      time = line.event.occurredAt
    }
    let first = Dictionary(lines.map { ($0.event.id, $0) }) { first, _ in first }
    for (index, event) in run.events.enumerated() {
      guard let line = first[event.id], line.number != index + 1 else { continue }
      expect(
        event.source?.kind == .notification && struck("repeat-notification"), "comes-again", line,
        "the id of an event that is no notification sent again")
      expect(
        EventEncoder().encode(event) == EventEncoder().encode(line.event), "comes-again", line,
        "with other content")
    }
  }

  /// The state of a device's app.
  private struct Situation {
    var session: Name?
    /// The signed-in customer, who makes payments and restores.
    var account: Name?
    var sequence: Int64 = 0
    var isForeground = false
    var observers = 0
  }

  /// Checks that launch, background, foreground and end are in order, that sequences increase, and
  /// that the queue calls only observers that exist.
  mutating func auditSessions() {
    var sessions: Set<Name> = []
    for (_, lines) in byDevice {
      var now = Situation()
      for line in lines {
        if line.kind == .sessionStarted {
          now = Situation(
            session: line.event.session, account: line.event.account, isForeground: true)
          expect(
            line.event.session.map { sessions.insert($0).inserted } ?? false, "session-order", line,
            "of a session that was before")
        }
        expect(
          now.session != nil && now.session == line.event.session, "session-order", line,
          "outside of its session")
        expect(
          line.event.sequence == now.sequence, "sequence", line,
          "\(line.event.sequence ?? -1) where \(now.sequence) comes next")
        now.sequence += 1
        auditCustomer(line, &now)
        audit(line, &now)
      }
      auditObservers(lines)
    }
    for line in lines where line.device == nil {
      expect(
        line.event.session == nil && line.event.sequence == nil, "session-order", line,
        "of a session without a device")
    }
  }

  /// The queue calls every observer: where there are two, what is reported is reported to both
  /// before the app does anything.
  private mutating func auditObservers(_ lines: [Line]) {
    var reports: [[Name?]: Int] = [:]
    var newest: Line?
    for line in lines + [nil] {
      if let line, line.isCallback {
        reports[[line.about, line.download, Name(line.event.type.text)], default: 0] += 1
        newest = line
        continue
      }
      if let newest, observerCount(at: newest) > 1 {
        expect(
          reports.values.allSatisfy { $0.isMultiple(of: 2) }, "each-observer", newest,
          "to one of two observers")
      }
      reports = [:]
      newest = nil
    }
  }

  /// What an app records is of the customer who is signed in; what is about a transaction can be of
  /// another one where customers change.
  private mutating func auditCustomer(_ line: Line, _ now: inout Situation) {
    if struck("switch-account") {
      if line.about == nil || line.kind == .paymentAdded {
        now.account = line.event.account
        expect(now.account != nil, "one-account", line, "of nobody")
      }
      return
    }
    expect(
      line.event.account == nil || line.event.account == now.account, "one-account", line,
      "of a customer who is not signed in")
  }

  private mutating func audit(_ line: Line, _ now: inout Situation) {
    switch line.kind {
    case .sessionStarted: break
    case .sessionEnded: now.session = nil
    case .sessionBackgrounded:
      expect(now.isForeground, "session-order", line, "in the background")
      now.isForeground = false
    case .sessionForegrounded:
      expect(!now.isForeground, "session-order", line, "in the foreground")
      now.isForeground = true
    case .sessionObserverAdded:
      let most = struck("double-observer") || run.policy == "two-observers" ? 2 : 1
      expect(
        now.isForeground && now.observers < most, "session-order", line,
        "too often, or in background")
      now.observers += 1
    case .sessionObserverRemoved:
      expect(now.isForeground && now.observers > 0, "session-order", line, "where there was none")
      now.observers -= 1
    default:
      expect(now.isForeground, "in-foreground", line, "while the app was in the background")
      if line.isCallback { expect(now.observers > 0, "observer-listens", line, "with no observer") }
    }
  }
}
