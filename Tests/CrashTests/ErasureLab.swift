import Foundation
import LMDB
import LedgerEvents
import LedgerQueries
import Testing
import TracedProcesses

/// A ledger with a customer to erase. Processes work on copies of it.
final class ErasureLab {
  static let account: Name = "ada@example.org"
  /// The strings that identify this customer and nobody else.
  static let strings = ["ada@example.org", "Adas Telefon", "session-of-ada", "rang from Lisbon"]

  let folder: URL
  private let base: String
  private let root: [UInt8]
  private var copies = 0

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    base = folder.appending(path: "base").path
    let ledger = try Ledger.create(at: base, options: KilledLedger.options)
    try ledger.appendAndWait(try Self.history())
    try ledger.fold()
    root = try Self.root(of: ledger)
    try ledger.close()
  }

  deinit {
    do { try FileManager.default.removeItem(at: folder) } catch { print("left \(folder.path)") }
  }

  private static let lines = [
    #"{"id":"p1","type":"transaction.purchased","occurredAt":"2026-03-01T10:00:00Z","#
      + #""account":"ada@example.org","device":"Adas Telefon","session":"session-of-ada","#
      + #""transaction":"t-1","product":"atlas"}"#,
    #"{"id":"n1","type":"note.added","occurredAt":"2026-03-01T11:00:00Z","#
      + #""account":"ada@example.org","data":{"text":"rang from Lisbon"}}"#,
    #"{"id":"p2","type":"transaction.purchased","occurredAt":"2026-03-01T12:00:00Z","#
      + #""account":"eve@example.org","transaction":"t-2","product":"atlas"}"#,
  ]

  private static func history() throws -> [EventInput] {
    try lines.map { EventInput(event: try EventDecoder().decode(line: Array($0.utf8)).event) }
  }

  private static func root(of ledger: Ledger) throws -> [UInt8] {
    try ledger.log.read { (view) throws(LedgerError) in
      Array(try view.root(at: UInt64(lines.count)).bytes)
    }
  }

  func copy() throws -> String {
    copies += 1
    let sandbox = folder.appending(path: "copy-\(copies)").path
    try FileManager.default.copyItem(atPath: base, toPath: sandbox)
    return sandbox
  }

  func remove(_ sandbox: String) throws { try FileManager.default.removeItem(atPath: sandbox) }

  func erase(_ sandbox: String) -> [String] {
    [
      "erase", Self.account.text, "--yes", "--operator", "kim", "--reason", "request 88",
      "--ledger", sandbox,
    ]
  }
}

// MARK: - Checks

extension ErasureLab {
  /// Returns the errors of a ledger whose erasure was killed. Before it is opened for writing, it
  /// must be whole; afterwards, the customer must be either present or erased.
  func faultsAfterTheKill(_ sandbox: String) throws -> [String] {
    let left = try Ledger(at: sandbox, access: .readOnly, options: KilledLedger.options)
    var faults = try left.log.verify().faults.map { "left: \($0)" }
    try left.close()
    let ledger = try Ledger(at: sandbox, options: KilledLedger.options)
    faults += try faultsOfLog(ledger)
    let erased = try ledger.read { (view) throws(LedgerError) in
      try view.event(at: view.position).event.type.kind == .accountErased
    }
    faults += erased ? try faultsOfForgetting(ledger, sandbox) : try faultsOfKeeping(ledger)
    try ledger.close()
    return faults
  }

  /// Returns the errors after the erasure was run again to its end.
  func faultsAtTheEnd(_ sandbox: String) throws -> [String] {
    let ledger = try Ledger(at: sandbox, options: KilledLedger.options)
    let faults = try faultsOfLog(ledger) + faultsOfForgetting(ledger, sandbox)
    try ledger.close()
    return faults
  }

  private func faultsOfLog(_ ledger: Ledger) throws -> [String] {
    var faults = try ledger.log.verify().faults.map { "\($0)" }
    if try Self.root(of: ledger) != root { faults.append("the root is another") }
    try ledger.fold()
    return faults + (try ledger.checkProjections())
  }

  private func faultsOfForgetting(_ ledger: Ledger, _ sandbox: String) throws -> [String] {
    var faults: [String] = []
    if try active(Self.account, ledger) != nil { faults.append("the customer is known") }
    if try active("eve@example.org", ledger) != ["atlas"] { faults.append("eve has nothing") }
    let shown = try lines(of: ledger)
    for text in Self.strings {
      if shown.contains(where: { $0.contains(text) }) { faults.append("\(text) is shown") }
      for file in try FileManager.default.subpathsOfDirectory(atPath: sandbox) {
        guard let bytes = FileManager.default.contents(atPath: "\(sandbox)/\(file)") else {
          continue
        }
        if bytes.range(of: Data(text.utf8)) != nil { faults.append("\(file) holds \(text)") }
      }
    }
    return faults
  }

  private func faultsOfKeeping(_ ledger: Ledger) throws -> [String] {
    var faults: [String] = []
    if try active(Self.account, ledger) != ["atlas"] { faults.append("the customer lost atlas") }
    let shown = try lines(of: ledger)
    for text in Self.strings where !shown.contains(where: { $0.contains(text) }) {
      faults.append("\(text) is lost")
    }
    return faults
  }

  /// Returns what an account has access to; nil if the account is unknown.
  private func active(_ account: Name, _ ledger: Ledger) throws -> [Name]? {
    let answer = try ledger.read { (view) throws(LedgerError) in
      try view.entitlements(
        of: .account(account), now: Instant(microseconds: 1_800_000_000_000_000))
    }
    return answer.isKnown ? Array(answer.active) : nil
  }

  private func lines(of ledger: Ledger) throws -> [String] {
    try ledger.read { (view) throws(LedgerError) in
      var lines: [String] = []
      try view.events(EventsQuery()) { (recorded) throws(LedgerError) in
        lines.append(String(decoding: EventEncoder().encode(recorded.event), as: UTF8.self))
        return true
      }
      return lines
    }
  }
}
