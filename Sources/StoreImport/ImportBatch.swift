import LedgerEvents

/// The parts that importers share: the event that stands first, the order, the last check.
enum ImportBatch {
  /// `import.received`. Its id is a digest of its content, which depends on the file, the app, the
  /// environment and the time alone: the same file imported again is the same event. It names no
  /// account, because a digest in an id can be guessed and outlives the account's erasure.
  ///
  /// - Parameter events: How many facts the file states, whether the ledger knows them or not.
  static func received(
    format: String, bytes: [UInt8], events: Int, options: ImportOptions, occurredAt: Instant,
    app: Name?, environment: StoreEnvironment?
  ) -> Event {
    var data = EventData.Builder()
    data.set("format", format)
    data.set("file", options.baseName)
    data.set("sha256", Digest.hex(of: bytes))
    data.set("events", Int64(events))
    // Nothing here checks a signature: an answer in a file is as good as whoever saved it.
    data.set("verified", false)
    let contents =
      data.contents + [
        app?.text ?? "", environment?.text ?? "", String(occurredAt.microseconds),
      ]
    return Event(
      id: Name("import:\(format):\(Digest.hex(contents))"), type: EventType(.importReceived),
      occurredAt: occurredAt, source: EventSource(.operator), environment: environment, app: app,
      data: data.build())
  }

  /// The facts in the fold's order, each id once.
  ///
  /// - Throws: `ImportError` of code `contradiction` where two facts of one id differ.
  static func ordered(_ facts: [Event]) throws(ImportError) -> [Event] {
    var byID: [Name: Event] = [:]
    for fact in facts {
      guard let known = byID.updateValue(fact, forKey: fact.id) else { continue }
      guard known.sameContent(as: fact) else {
        throw ImportError(
          .contradiction, reason: "the file tells the fact \(fact.id) in two ways",
          remedy: "Check that the file is what the store gave")
      }
    }
    return byID.values.sorted { ($0.occurredAt, $0.id) < ($1.occurredAt, $1.id) }
  }

  /// Every event, by the rules that an append holds it to.
  static func checked(_ events: [Event]) throws(ImportError) -> [Event] {
    for event in events {
      do throws(EventError) {
        try event.validate()
      } catch {
        throw ImportError(
          .badValue,
          reason: "the event \(event.type.text) of transaction "
            + "\(event.transaction ?? event.originalTransaction ?? "none") would have a "
            + "\(error.field) that the ledger refuses: \(error.reason)",
          remedy: "Check that the file is what the store gave")
      }
    }
    return events
  }
}
