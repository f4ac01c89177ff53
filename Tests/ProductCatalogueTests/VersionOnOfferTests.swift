import LedgerEvents
import LedgerHistories
import LedgerQueries
import LedgerTesting
import Testing

/// Returns a response that names a version of `map`, at an hour of 1 March 2026.
private func named(_ hour: Int, _ device: String, _ versions: String...) throws -> RecordedEvent {
  let products = versions.map { #"{"product":"map","contentVersion":"\#($0)"}"# }
  return try .response(hour, device, products.joined(separator: ","))
}

private func launched(
  _ hour: Int, _ device: String, in environment: String? = nil
) throws -> RecordedEvent {
  let stated = environment.map { #","environment":"\#($0)""# } ?? ""
  return try RecordedEvent(
    line: #"{"id":"launch-\#(hour)-\#(device)","type":"session.started","#
      + #""occurredAt":"\#(Instant.march(hour).rfc3339)","device":"\#(device)"\#(stated)}"#)
}

/// Returns a purchase of `map` by `anna`, and an install of version 1 on her phone.
private func installed() throws -> [RecordedEvent] {
  [
    try .purchase(1, "map", of: "anna"),
    try RecordedEvent(
      line: #"{"id":"install","type":"content.installed","account":"anna","#
        + #""occurredAt":"\#(Instant.march(1).rfc3339)","device":"phone-anna","product":"map","#
        + #""data":{"contentVersion":"1"}}"#),
  ]
}

/// Returns the version of `map` on offer, from every question that reports it.
private func offers(
  _ ledger: TemporaryLedger, in environment: StoreEnvironment = .production,
  clocks: Clocks = .now
) throws -> Set<Name?> {
  try ledger.ledger.read { (view) throws(LedgerError) in
    var found: Set<Name?> = []
    found.insert(try view.versionsOnOffer(of: ["map"], in: environment, clocks: clocks)["map"])
    for content in try view.installed(
      of: .account("anna"), environments: [environment], clocks: clocks)
    {
      found.insert(content.available)
    }
    try view.outdated(environments: [environment], clocks: clocks) { _, content in
      found.insert(content.available)
      return true
    }
    for device in [nil, "phone-anna"] as [Name?] {
      let query = ContentUpdatesQuery(
        environments: [environment], device: device, clocks: clocks, now: .march(100))
      try view.contentUpdates(query) { counts in
        for count in counts { found.insert(count.available) }
      } _: { update in
        found.insert(update.available)
        return true
      }
    }
    return found
  }
}

@Suite("Versions on offer") struct VersionOnOfferTests {
  @Test("of equal versions the one that was named first, in whatever order they arrive")
  func equalVersions() throws {
    // The first device is known before the second, and names its version after it.
    let events = try [
      launched(1, "a"), named(3, "a", "2.0"), launched(2, "b"), named(2, "b", "2"),
      named(4, "c", "02"), named(1, "d", "1.9"),
    ]
    for turn in events.indices {
      for turned in [events, events.reversed()] {
        let reported = try installed() + Array(turned[turn...] + turned[..<turn])
        let ledger = try TemporaryLedger(Array(reported.prefix(4)))
        try ledger.ledger.fold()
        try ledger.append(reported.dropFirst(4))
        #expect(try offers(ledger) == ["2"], "turn \(turn)")
        #expect(try offers(ledger, clocks: Clocks(asOf: .position(8))) == ["2"], "turn \(turn)")
        #expect(try offers(ledger, clocks: Clocks(at: .march(9))) == ["2"], "turn \(turn)")
        try ledger.ledger.fold()
        #expect(try offers(ledger) == ["2"], "turn \(turn)")
      }
    }
  }

  @Test("of equal versions that one event names the lesser by bytes", arguments: [true, false])
  func equalVersionsOfOneEvent(isFirst: Bool) throws {
    let ledger = try TemporaryLedger(
      try installed() + [isFirst ? named(3, "a", "2", "2.0") : named(3, "a", "2.0", "2")])
    #expect(try offers(ledger) == ["2"])
    #expect(try offers(ledger, clocks: Clocks(at: .march(9))) == ["2"])
    try ledger.ledger.fold()
    #expect(try offers(ledger) == ["2"])
  }

  @Test("what counts in every environment is on offer in one that is stated after the projections")
  func newEnvironment() throws {
    let ledger = try TemporaryLedger([named(1, "a", "1")])
    try ledger.ledger.fold()
    #expect(try offers(ledger, in: .sandbox) == [nil])
    try ledger.append([launched(2, "b", in: "sandbox")])
    #expect(try offers(ledger, in: .sandbox) == ["1"])
    #expect(try offers(ledger, in: .sandbox, clocks: Clocks(asOf: .position(2))) == ["1"])
    #expect(try offers(ledger, in: .sandbox, clocks: Clocks(asOf: .position(1))) == [nil])
    try ledger.ledger.fold()
    #expect(try offers(ledger, in: .sandbox) == ["1"])
  }

  @Test("at a store time an environment is there that an event up to then states, arrived or not")
  func lateEnvironment() throws {
    let ledger = try TemporaryLedger([
      named(1, "a", "1"), launched(5, "b", in: "sandbox"), launched(2, "c", in: "sandbox"),
    ])
    #expect(try offers(ledger, in: .sandbox, clocks: Clocks(at: .march(1))) == [nil])
    #expect(try offers(ledger, in: .sandbox, clocks: Clocks(at: .march(2))) == ["1"])
    #expect(try offers(ledger, in: .sandbox, clocks: Clocks(at: .march(5))) == ["1"])
    let known = Clocks(at: .march(2), asOf: .position(2))
    #expect(try offers(ledger, in: .sandbox, clocks: known) == [nil])
  }
}
