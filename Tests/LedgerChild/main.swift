// Appends to a ledger from a separate process, for tests in which processes start and stop.
//
//   LedgerChild LEDGER PREFIX BATCHES EVENTS [--early LINES]
//
// Appends BATCHES of EVENTS and prints a line for each one that was acknowledged: its number, its
// first and its last position. With `--early` it prints the line before it appends, and after LINES
// lines it waits to be killed: the crash test must detect this. Ids with PREFIX `shared` are equal
// in every process. After an error it tries once more, prints both codes, and exits with 1.

import Foundation
import LedgerEvents
import LedgerStore

func event(_ id: String, _ transaction: String) -> EventInput {
  EventInput(
    event: Event(
      id: Name(id), type: EventType(.transactionPurchasing),
      occurredAt: Instant(microseconds: 1_600_000_000_000_000), source: EventSource(.storekit1),
      app: "com.example.app", account: "account-1", device: Name("device-\(transaction)"),
      transaction: Name(transaction)))
}

func say(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

let arguments = CommandLine.arguments
guard arguments.count >= 5, let batches = Int(arguments[3]), let events = Int(arguments[4]) else {
  say("usage: LedgerChild LEDGER PREFIX BATCHES EVENTS [--early]")
  exit(64)
}
let prefix = arguments[2]
let earlyLines = arguments.firstIndex(of: "--early").flatMap { Int(arguments[$0 + 1]) }

func batch(_ number: Int) -> [EventInput] {
  (0..<events).map { event("\(prefix)-\(number)-\($0)", "\(prefix)-\(number)") }
}

do throws(LedgerError) {
  let log = try EventLog(open: arguments[1])
  do throws(LedgerError) {
    for number in 0..<batches {
      if let earlyLines {
        say("\(number) 0 0")
        while number + 1 == earlyLines { sleep(60) }
      }
      let outcomes = try log.submit(batch(number)).wait().outcomes
      guard earlyLines == nil else { continue }
      say("\(number) \(outcomes.first?.position ?? 0) \(outcomes.last?.position ?? 0)")
    }
    say("done")
  } catch {
    say("failed \(error.code)")
    do throws(LedgerError) {
      try log.appendAndWait([event("\(prefix)-afterwards", "afterwards")])
      say("appended afterwards")
    } catch {
      say("refused \(error.code)")
    }
    exit(1)
  }
} catch {
  say("failed \(error.code)")
  exit(1)
}
