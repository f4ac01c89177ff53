// A separate process for tests in which processes start, stop and are killed.
//
//   CrashChild append LEDGER SEED COUNT PIECE [--fold] [--early]
//     Appends the sparse history of SEED in pieces and prints how many events are acknowledged
//     after each one. With `--fold` it also folds after each. With `--early` it acknowledges ten
//     pieces before they are appended and waits to be killed: the crash test must detect this.
//   CrashChild grant LEDGER NAME BATCHES [--torn]
//     Appends batches that each grant two products to the account NAME. With `--torn` each product
//     is in a separate batch: readers must detect this.
//   CrashChild watch LEDGER POSITION NAME…
//     Asks what the accounts have until the ledger reaches POSITION. Prints how often it asked, how
//     often an account had an odd number of products, and how often time went backwards. Prints
//     `torn` as soon as it finds an odd number for the first time.
//   CrashChild forget LEDGER ACCOUNT
//     Erases a customer in the wrong order: overwrites all keys and then appends the event. The
//     test of killed erasures must detect this.
//   CrashChild rebuild LEDGER ACCOUNT
//     Rebuilds while a view of the previous projections is open. Prints how that ended, and how
//     many products the account has in that view and in a new one.
//   CrashChild damage LEDGER WORK SEED COUNT TARGET FROM TO [--lying]
//     For each trial from FROM up to TO: copies LEDGER, which holds the sparse history of SEED, to
//     WORK, flips a bit of it, appends the history and ten new events to it, and prints the trial
//     and how many events were appended. With `--lying` the index misses everything: the fault that
//     the test of damaged projections must notice.

import Foundation
import LMDB
import LedgerEvents
import LedgerHistories
import LedgerQueries

func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

let arguments = CommandLine.arguments
let options = Environment.Options(sync: .onRequest)

/// How long a reader rests after it has asked for every account, in microseconds.
let watchPauseMicroseconds: UInt32 = 2_000

func number(_ index: Int) -> Int { index < arguments.count ? Int(arguments[index]) ?? 0 : 0 }

func append(_ ledger: Ledger) throws {
  let count = number(4)
  let piece = max(number(5), 1)
  let events = Histories.sparse(seed: UInt64(number(3)), count: count, accounts: 40)
  let ahead = arguments.contains("--early") ? 10 * piece : 0
  for start in stride(from: 0, to: events.count, by: piece) {
    let end = min(start + piece, events.count)
    if ahead > 0 {
      say("\(min(end + ahead, events.count))")
      while start > 0 { sleep(60) }
    }
    try ledger.appendAndWait(
      events[start..<end].map {
        EventInput(event: $0.event, position: 1, recordedAt: $0.recordedAt)
      }, options: AppendOptions(trustsRecordedAt: true))
    if ahead == 0 { say("\(end)") }
    if arguments.contains("--fold") { try ledger.fold() }
  }
}

func grant(_ name: String, _ number: Int, _ half: String) -> EventInput {
  let id = "\(name)-\(number)-\(half)"
  return EventInput(
    event: Event(
      id: Name(id), type: EventType(.transactionPurchased),
      occurredAt: Instant(microseconds: 1_700_000_000_000_000 + Int64(number)),
      source: EventSource(.storekit1), account: Name(name), product: Name("product-\(id)"),
      transaction: Name("transaction-\(id)")))
}

func grant(_ ledger: Ledger) throws {
  let name = arguments[3]
  for batch in 0..<number(4) {
    let halves = [grant(name, batch, "a"), grant(name, batch, "b")]
    if arguments.contains("--torn") {
      for half in halves { try ledger.appendAndWait([half]) }
    } else {
      try ledger.appendAndWait(halves)
    }
    say("\(name) \(batch)")
  }
}

func watch(_ ledger: Ledger) throws {
  let end = UInt64(number(3))
  var (questions, torn, backwards) = (0, 0, 0)
  var last: UInt64 = 0
  say("watching")
  while last < end {
    for name in arguments.dropFirst(4) {
      let (products, position) = try ledger.read { (view) throws(LedgerError) in
        (
          try view.entitlements(
            of: .account(Name(name)), now: Instant(microseconds: 1_800_000_000_000_000)
          ).active.count, view.position
        )
      }
      questions += 1
      if products % 2 == 1 {
        if torn == 0 { say("torn") }
        torn += 1
      }
      if position < last { backwards += 1 }
      last = position
    }
    // Four of these that never rest would take the processor from every other test.
    usleep(watchPauseMicroseconds)
  }
  say("questions \(questions) torn \(torn) backwards \(backwards)")
}

func forget(_ ledger: Ledger) throws {
  if let keys = try FlatFile.open(ledger.keyFile, isWritable: true) {
    let head = KeyFileHead.byteCount
    try keys.write([UInt8](repeating: 0, count: try keys.size() - head), at: head)
    try keys.sync()
  }
  var event = Event(
    id: "forgotten", type: EventType(.accountErased),
    occurredAt: Instant(microseconds: 1_800_000_000_000_000))
  event.account = Name(arguments[3])
  try ledger.appendAndWait([EventInput(event: event)])
}

func rebuild(_ ledger: Ledger) throws {
  func count(_ view: LedgerView) throws(LedgerError) -> Int {
    try view.entitlements(
      of: .account(Name(arguments[3])), now: Instant(microseconds: 1_800_000_000_000_000)
    ).active.count
  }
  try ledger.read { (view) throws(LedgerError) in
    do throws(LedgerError) {
      try ledger.rebuild()
      say("rebuilt")
    } catch { say("refused \(error.code)") }
    say("\(try count(view)) in the view")
  }
  say("\(try ledger.read { (view) throws(LedgerError) in try count(view) }) now")
}

func damage() throws {
  let trials = DamageTrials(
    template: arguments[2], work: arguments[3],
    history: Histories.sparse(seed: UInt64(number(4)), count: number(5), accounts: 40),
    target: DamageTrials.Target(rawValue: arguments[6]) ?? .projections,
    isLying: arguments.contains("--lying"))
  for trial in number(7)..<number(8) {
    say("begin \(trial)")
    say("end \(trial) \(try trials.run(trial))")
  }
}

do {
  guard arguments.count >= 4 else {
    say("usage: CrashChild append|grant|watch|forget|rebuild|damage LEDGER …")
    exit(64)
  }
  if arguments[1] == "damage" {
    try damage()
    say("done")
    exit(0)
  }
  let isReader = arguments[1] == "watch"
  let ledger = try Ledger(
    at: arguments[2], access: isReader ? .readOnly : .readWrite, options: options)
  switch arguments[1] {
  case "append": try append(ledger)
  case "grant": try grant(ledger)
  case "watch": try watch(ledger)
  case "forget": try forget(ledger)
  case "rebuild": try rebuild(ledger)
  default: exit(64)
  }
  say("done")
} catch {
  say("failed \(error)")
  exit(1)
}
