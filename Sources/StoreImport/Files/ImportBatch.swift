import LedgerEvents

/// The parts that all importers share: the first event, the order, and the final check.
enum ImportBatch {
  /// Returns the `import.received` event. Its id is a digest of its content, which depends only on
  /// the file, the app, the environment and the time: importing the same file into a ledger again
  /// gives the same event. The digest is under the ledger's own key, because the file and its name
  /// can be somebody's, and an id outlives an erasure.
  ///
  /// - Parameters:
  ///   - events: The number of facts in the file, whether or not the ledger knows them.
  ///   - more: What else the event says of the import.
  static func received(
    format: String, bytes: [UInt8], events: Int, options: ImportOptions, occurredAt: Instant,
    app: Name?, environment: StoreEnvironment?, isVerified: Bool = false,
    more: KeyValuePairs<String, String> = [:]
  ) -> Event {
    var data = EventData.Builder()
    data.set("format", format)
    data.set("file", options.baseName)
    data.set("sha256", Digest.hex(of: bytes))
    data.set("events", Int64(events))
    // An answer of verifyReceipt has no signature: it is as trustworthy as whoever saved it.
    data.set("verified", isVerified)
    for (name, text) in more { data.set(name, text) }
    let contents =
      data.contents + [
        app?.text ?? "", environment?.text ?? "", String(occurredAt.microseconds),
      ]
    return Event(
      id: Name("import:\(format):\(Digest.hex(contents, key: options.digestKey))"),
      type: EventType(.importReceived),
      occurredAt: occurredAt, source: EventSource(.operator), environment: environment, app: app,
      data: data.build())
  }

  /// Returns the facts in the fold order, with each id once.
  ///
  /// - Throws: `ImportError` with the code `contradiction` if two facts with the same id differ.
  static func ordered(_ facts: [Event]) throws(ImportError) -> [Event] {
    var byID: [Name: Event] = [:]
    for fact in facts {
      guard let known = byID.updateValue(fact, forKey: fact.id) else { continue }
      guard known.sameContent(as: fact) else {
        throw ImportError(
          .contradiction, reason: "the file states the fact \(fact.id) in two different ways",
          remedy: "Check that the file is the store's unmodified answer")
      }
    }
    return byID.values.sorted { ($0.occurredAt, $0.id) < ($1.occurredAt, $1.id) }
  }

  /// Checks every event by the rules of an append.
  static func checked(_ events: [Event]) throws(ImportError) -> [Event] {
    for event in events {
      do throws(EventError) {
        try event.validate()
      } catch {
        throw ImportError(
          .badValue,
          reason: "the event \(event.type.text) of transaction "
            + "\(event.transaction ?? event.originalTransaction ?? "none") "
            + (error.field.isEmpty ? "is one" : "would have a \(error.field)")
            + " that the ledger would refuse: \(error.reason)",
          remedy: "Check that the file is the store's unmodified answer")
      }
    }
    return events
  }
}

extension Array where Element: Equatable {
  /// The value that all elements have; nil if they differ, or if there is none.
  var common: Element? {
    guard let first, allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}
