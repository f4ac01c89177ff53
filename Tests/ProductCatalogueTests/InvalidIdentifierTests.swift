import LedgerEvents
import LedgerHistories
import LedgerQueries
import LedgerStore
import LedgerTesting
import ProductCatalogue
import Testing

@Suite("Invalid identifiers") struct InvalidIdentifierTests {
  private static let atlas = "com.example.tides.atlas"

  /// Returns the hints for an identifier in a ledger that knows `known`.
  private func hints(_ identifier: String, known: [String]) throws -> [InvalidHint] {
    let products = known.map { #"{"product":"\#($0)","kind":"nonConsumable"}"# }
    let ledger = try TemporaryLedger([
      .catalogue(1, products.joined(separator: ",")),
      .response(2, "a", "", invalid: #"["\#(identifier)"]"#),
    ])
    return try report(ledger).identifiers.first?.hints ?? []
  }

  private func report(
    _ ledger: TemporaryLedger, _ query: CatalogueQuery = .later()
  ) throws -> InvalidReport {
    try ledger.ledger.read { (view) throws(LedgerError) in try view.invalidIdentifiers(query) }
  }

  @Test("point to the product that was meant") func typing() throws {
    let atlas = Name(Self.atlas)
    let known = [Self.atlas, "com.example.tides.forecasts"]
    func hint(_ identifier: String) throws -> [InvalidHint] { try hints(identifier, known: known) }
    #expect(try hint("com.example.tides.Atlas") == [.letterCase(atlas)])
    #expect(try hint(" com.example.tides.atlas\\n") == [.whiteSpace(atlas)])
    #expect(try hint("com.example.tides.atals") == [.spelling(atlas, edits: 1)])
    #expect(try hint("com.exampel.tides.atla") == [.spelling(atlas, edits: 2)])
    #expect(try hint("org.other.atlas") == [.prefix(atlas)])
    #expect(try hint("atlas") == [.prefix(atlas)])
    #expect(try hint("com.example.something.else.entirely").isEmpty)
  }

  @Test("of a few letters are not taken for each other") func shortNames() throws {
    #expect(try hints("map2", known: ["map1"]).isEmpty)
  }

  @Test("that end as two products do point to neither") func ambiguous() throws {
    #expect(try hints("x.gold", known: ["a.long.name.gold", "another.name.gold"]).isEmpty)
  }

  @Test("that the sandbox sells are not approved yet") func sandbox() throws {
    let ledger = try TemporaryLedger([
      .response(1, "tester", #"{"product":"pro"}"#, more: #","environment":"sandbox""#),
      .response(2, "xcode", #"{"product":"pro"}"#, more: #","environment":"xcode""#),
      .response(3, "a", "", invalid: #"["pro"]"#, more: #","environment":"production""#),
    ])
    #expect(try report(ledger).identifiers.map(\.hints) == [[.notYetApproved([.sandbox, .xcode])]])
    #expect(try report(ledger, .later(environment: .sandbox)).identifiers.isEmpty)
  }

  @Test("that the store sold before were taken from sale") func soldBefore() throws {
    let ledger = try TemporaryLedger([
      .response(1, "a", #"{"product":"pro","storefront":"USA"}"#),
      .response(2, "b", "", invalid: #"["pro"]"#),
    ])
    #expect(
      try report(ledger).identifiers.map(\.hints)
        == [[.soldElsewhere(Storefront("USA"), .march(1), position: 1)]])
  }

  @Test("that only the seller knows were never sold") func neverSold() throws {
    #expect(try hints("pro", known: ["pro", "prop"]) == [.neverSold])
  }

  @Test("are counted by response and device") func counts() throws {
    let ledger = try TemporaryLedger([
      .response(1, "a", "", invalid: #"["x"]"#), .response(2, "a", "", invalid: #"["x"]"#),
      .response(3, "b", #"{"product":"y"}"#, invalid: #"["x"]"#),
    ])
    let found = try report(ledger)
    #expect(found.identifiers.map(\.responses) == [3])
    #expect(found.identifiers.map(\.devices) == [2])
    #expect(found.identifiers.map(\.position) == [3])
    #expect(found.responses == 3)
  }

  @Test("bring the check list where a response knows nothing, until one knows a product")
  func allInvalid() throws {
    let refused = try RecordedEvent.response(2, "a", "", invalid: #"["x","y"]"#)
    let ledger = try TemporaryLedger([.response(1, "a", #"{"product":"x"}"#), refused])
    #expect(try report(ledger).allInvalid?.responses == 1)
    #expect(try report(ledger).allInvalid?.settledAt == nil)
    try ledger.append([.response(3, "b", #"{"product":"x"}"#, invalid: #"["y"]"#)])
    #expect(try report(ledger).allInvalid?.settledAt == .march(3))
    #expect(InvalidCause.allCases.count == 6)
  }

  @Test("come with the requests that failed, by their error") func failures() throws {
    func failed(_ hour: Int, _ code: Int) throws -> RecordedEvent {
      try RecordedEvent(
        line: #"{"id":"failed-\#(hour)","type":"catalog.failed","#
          + #""occurredAt":"\#(Instant.march(hour).rfc3339)","device":"a","#
          + #""data":{"error":{"domain":"SKErrorDomain","code":\#(code),"message":"at \#(hour)"}}}"#
      )
    }
    let ledger = try TemporaryLedger([failed(1, 0), failed(2, 7), failed(3, 7)])
    let found = try report(ledger).failures
    #expect(found.map(\.code) == [7, 0])
    #expect(found.map(\.requests) == [2, 1])
    #expect(found.first?.message == "at 3")
  }
}

@Suite("Devices that may not pay") struct PaymentBlockTests {
  private func checked(
    _ hour: Int, _ allowed: Bool, _ device: String = "a", more: String = ""
  ) throws -> RecordedEvent {
    try RecordedEvent(
      line: #"{"id":"checked-\#(hour)-\#(device)","type":"payments.checked","#
        + #""occurredAt":"\#(Instant.march(hour).rfc3339)","device":"\#(device)"\#(more),"#
        + #""data":{"allowed":\#(allowed)}}"#)
  }

  private func added(_ hour: Int, _ device: String = "a") throws -> RecordedEvent {
    try RecordedEvent(
      line: #"{"id":"added-\#(hour)-\#(device)","type":"payment.added","#
        + #""occurredAt":"\#(Instant.march(hour).rfc3339)","device":"\#(device)","#
        + #""account":"anna","product":"map","payment":"p-\#(hour)-\#(device)"}"#)
  }

  private func blocks(
    _ events: [RecordedEvent], _ query: CatalogueQuery = .later()
  ) throws -> [PaymentBlock] {
    try TemporaryLedger(events).ledger.read { (view) throws(LedgerError) in
      try view.paymentBlocks(query)
    }
  }

  @Test("are reported with what was tried since") func attempts() throws {
    let found = try blocks([
      checked(1, true), added(2), checked(3, false), added(4), checked(5, false), added(6),
      checked(1, false, "b"), checked(2, true, "b"), added(3, "b"),
    ])
    #expect(found.map(\.device) == ["a"])
    #expect(found.first?.since == .march(3))
    #expect(found.first?.lastChecked == .march(5))
    #expect(found.first?.attempts.map(\.occurredAt) == [.march(4), .march(6)])
    #expect(found.first?.accounts == ["anna"])
  }

  @Test("may pay again by a newer check, whenever that arrives") func allowedAgain() throws {
    #expect(try blocks([checked(5, true), checked(3, false), added(4)]).isEmpty)
    let events = try [checked(5, true), checked(3, false), added(4)]
    #expect(try blocks(events, .later(clocks: Clocks(at: .march(4)))).count == 1)
  }

  @Test("are those of one environment") func environments() throws {
    let events = try [checked(1, false, more: #","environment":"sandbox""#), added(2)]
    #expect(try blocks(events).isEmpty)
    #expect(try blocks(events, .later(environment: .sandbox)).map(\.attempts.count) == [0])
  }
}
