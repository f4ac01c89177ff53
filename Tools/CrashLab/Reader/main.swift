// Reads ledgers for CrashLab's auditor, many in one process: starting the program takes longer than
// reading a small ledger does.
//
// Standard input has a question per line, `verify PATH` or `events PATH`. The answer is a line with
// `ok` or `failed` and a number of bytes, and then these bytes: the events as `daybook events`
// prints them, or what is wrong. CrashLab asks the program itself about whatever failed here.

import Foundation
import LedgerEvents
import LedgerQueries
import LedgerStore

/// What is wrong with the ledger at a path, as `daybook verify` finds it; nothing if it is intact.
func faults(_ path: String) throws(LedgerError) -> [String] {
  let damaged = try EventLog.damagedPages(path)
  guard damaged.isEmpty else { return damaged.map(\.description) }
  let log = try EventLog.toVerify(path)
  let found = try log.verify()
  var faults = found.faults.map(\.message)
  if faults.isEmpty {
    switch try log.verifyProjections() {
    case .agree: break
    case .differ(let differences): faults = differences
    // A fold that was cut short is no fault. `verify` says so, and succeeds.
    case .notCompared: break
    }
  }
  try log.close()
  return faults
}

/// The events of the ledger at a path, a line for each.
func lines(_ path: String) throws(LedgerError) -> [UInt8] {
  let ledger = try Ledger(at: path, access: .readOnly)
  let encoder = EventEncoder()
  var lines: [UInt8] = []
  try ledger.read { (view) throws(LedgerError) in
    try view.events(EventsQuery()) { recorded in
      encoder.append(recorded, to: &lines)
      lines.append(UInt8(ascii: "\n"))
      return true
    }
  }
  try ledger.close()
  return lines
}

func say(_ word: String, _ bytes: [UInt8]) {
  FileHandle.standardOutput.write(Data("\(word) \(bytes.count)\n".utf8) + Data(bytes))
}

while let line = readLine() {
  let words = line.split(separator: " ", maxSplits: 1).map(String.init)
  guard words.count == 2, ["verify", "events"].contains(words[0]) else {
    FileHandle.standardError.write(Data("usage: verify PATH, or events PATH, per line\n".utf8))
    exit(64)
  }
  do throws(LedgerError) {
    if words[0] == "events" {
      say("ok", try lines(words[1]))
    } else {
      let found = try faults(words[1])
      say(found.isEmpty ? "ok" : "failed", Array(found.joined(separator: "\n").utf8))
    }
  } catch {
    say("failed", Array("\(error)".utf8))
  }
}
