import Audit
import Foundation
import LedgerEvents
import LedgerModel
import LedgerQueries
import LogTesting
import Testing

@testable import LedgerStore

/// A ledger that receives events as lines and is asked which personal data it shows.
final class ErasureFixture {
  private let folder: TemporaryFolder
  private(set) var ledger: Ledger

  init(_ lines: [String] = []) throws {
    folder = try TemporaryFolder()
    ledger = try Ledger.create(at: folder.ledger)
    try append(lines)
  }

  func reopen() throws {
    try ledger.close()
    ledger = try Ledger(at: folder.ledger)
  }

  var keys: URL { URL(fileURLWithPath: ledger.keyFile) }

  func append(_ lines: [String]) throws {
    if lines.isEmpty { return }
    try ledger.appendAndWait(
      lines.map { EventInput(event: try EventDecoder().decode(line: Array($0.utf8)).event) })
  }

  @discardableResult
  func erase(
    _ account: Name, _ id: String = "e1", at day: String = "2026-05-01"
  ) throws -> ErasureResult {
    try ledger.erase(Self.erasure(account, id, at: day))
  }

  static func erasure(_ account: Name, _ id: String, at day: String) throws -> Event {
    let line =
      #"{"id":"\#(id)","type":"account.erased","occurredAt":"\#(day)T00:00:00Z","#
      + #""account":"x","data":{"reason":"asked"}}"#
    var event = try EventDecoder().decode(line: Array(line.utf8)).event
    event.account = account
    return event
  }

  /// Returns every event as a line.
  func shown() throws -> [String] {
    try ledger.log.allEvents().map {
      String(decoding: EventEncoder().encode($0.event), as: UTF8.self)
    }
  }

  func event(_ id: Name) throws -> Event? {
    try ledger.log.allEvents().first { $0.event.id == id }?.event
  }

  /// Returns what an account has access to; nil if the account is unknown.
  func active(_ account: Name, _ clocks: Clocks = .now) throws -> Set<Name>? {
    let answer = try ledger.read { (view) throws(LedgerError) in
      try view.entitlements(
        of: .account(account), environments: StoreEnvironment.allCases, clocks: clocks,
        now: Instant(microseconds: 1_900_000_000_000_000))
    }
    return answer.isKnown ? Set(answer.active) : nil
  }

  /// Returns the accounts that appear in holders, findings and differences over all time.
  func accountsInAnswers() throws -> Set<String> {
    try ledger.read { (view) throws(LedgerError) in
      var found: Set<String> = []
      for end in 0...view.position {
        let clocks = Clocks(asOf: .position(end))
        for product: Name in ["p.a1", "p.a2"] {
          try view.holders(
            of: product, clocks: clocks, now: Instant(microseconds: 1_900_000_000_000_000)
          ) { (holder) throws(LedgerError) in
            found.insert("\(holder)")
            return true
          }
        }
        var query = FindingsQuery()
        query.clocks = clocks
        for finding in try view.findings(query) { found.insert("\(finding)") }
        try view.differences(from: Clocks(asOf: .position(0)), to: clocks) {
          found.insert("\($0)")
          return true
        }
      }
      return found
    }
  }

  func faults() throws -> [LogFault] { try ledger.log.verify().faults }

  func finishes() throws {
    try ledger.fold()
    #expect(try ledger.checkProjections() == [])
    #expect(try faults() == [])
  }
}

/// Returns a purchase of the product `p.ID` by the transaction `t-ID`.
func bought(
  _ id: String, _ account: String, _ device: String, on day: String, _ more: String = ""
) -> String {
  #"{"id":"\#(id)","type":"transaction.purchased","occurredAt":"\#(day)T00:00:00Z","#
    + #""account":"\#(account)","device":"\#(device)","transaction":"t-\#(id)","#
    + #""product":"p.\#(id)"\#(more)}"#
}

func event(_ id: String, _ type: String, on day: String, _ more: String) -> String {
  #"{"id":"\#(id)","type":"\#(type)","occurredAt":"\#(day)T00:00:00Z",\#(more)}"#
}
