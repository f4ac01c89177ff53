// Many hands on one ledger in one process, for CrashLab and the sanitizers.
//
//   CrashLabHands LEDGER FOLDER FILE...
//
// Each FILE is a writer: its events are appended in small batches by a thread of its own. Until all
// are appended, other threads read, rebuild, verify, back up to FOLDER and erase. What is
// acknowledged is printed as `daybook append --format jsonl` prints it. The exit code is 1 if
// anything failed or a reader saw something that cannot be.

import Foundation
import LedgerEvents
import LedgerQueries
import LedgerStore
import Synchronization

/// What all threads share.
final class Hands: Sendable {
  struct State {
    /// Ids that are acknowledged, with their positions.
    var acknowledged: [(id: Name, position: UInt64)] = []
    var writersLeft: Int
    var faults: [String] = []
    var counts: [String: Int] = [:]
  }

  static let batchEvents = 3
  static let readers = 4
  /// Between two turns of a hand. Otherwise one of them takes almost all turns, and the writers,
  /// who decide how long this lasts, do not get on.
  static let pauseMicroseconds: UInt32 = 100
  /// The first account of each writer is erased.
  static let erasedSuffix = "-0"

  let ledger: Ledger
  let folder: String
  let state: Mutex<State>

  init(_ ledger: Ledger, folder: String, writers: Int) {
    self.ledger = ledger
    self.folder = folder
    state = Mutex(State(writersLeft: writers))
  }

  var isOver: Bool { state.withLock { $0.writersLeft == 0 } }

  func count(_ what: String) { state.withLock { $0.counts[what, default: 0] += 1 } }

  func fault(_ text: String) { state.withLock { $0.faults.append(text) } }

  /// Does something until the writers have ended, and once more.
  ///
  /// No error is excused, not even `busy`: nobody else has the ledger open, and all of this may be
  /// done at once.
  func repeating(_ what: String, _ body: (Int) throws(LedgerError) -> Void) {
    var number = 0
    while true {
      let isLast = isOver
      do throws(LedgerError) { try body(number) } catch { fault("\(what): \(error)") }
      count(what)
      number += 1
      if isLast { return }
      usleep(Self.pauseMicroseconds)
    }
  }
}

// MARK: - What the hands do

extension Hands {
  func write(_ inputs: [EventInput]) {
    for start in stride(from: 0, to: inputs.count, by: Self.batchEvents) {
      let batch = Array(inputs[start..<min(start + Self.batchEvents, inputs.count)])
      do throws(LedgerError) {
        let outcomes = try ledger.appendAndWait(batch).outcomes
        let heard = zip(batch, outcomes).map { ($0.event.id, $1.position) }
        state.withLock { state in
          state.acknowledged += heard.map { (id: $0, position: $1) }
        }
      } catch { fault("append: \(error)") }
      count("append")
    }
    state.withLock { $0.writersLeft -= 1 }
  }

  /// Reads all events; what was acknowledged before must be there.
  func readEvents() {
    repeating("events") { (number) throws(LedgerError) in
      let known = state.withLock { $0.acknowledged }
      var places: [Name: UInt64] = [:]
      var last: UInt64 = 0
      try ledger.read { (view) throws(LedgerError) in
        try view.events(EventsQuery()) { recorded in
          if recorded.position != last + 1 { self.fault("\(recorded.position) follows \(last)") }
          last = recorded.position
          if places.updateValue(recorded.position, forKey: recorded.event.id) != nil {
            self.fault("\(recorded.event.id.text) is there twice")
          }
          return true
        }
      }
      for (id, position) in known where places[id] != position {
        fault("\(id.text) was acknowledged at \(position), read at \(places[id] ?? 0)")
      }
      if number.isMultiple(of: 4) { _ = try ledger.log.statistics() }
    }
  }

  /// Asks who holds a product, and what some of them hold; both answers are of one moment.
  func readAnswers(_ reader: Int) {
    repeating("answers") { (number) throws(LedgerError) in
      let product = Name("product-\((number + reader) % 3)")
      let now = EventLog.systemClock()
      try ledger.read { (view) throws(LedgerError) in
        var holders: [Name] = []
        try view.holders(of: product, now: now) { holder in
          // Keys are destroyed at once, and not only for later moments. A moment before the erasure
          // does not know why the key is gone.
          let name = holder.account.text
          let isErased = ["erased:", "sealed:"].contains { name.hasPrefix($0) }
          if !isErased, !name.hasSuffix(Self.erasedSuffix) {
            holders.append(holder.account)
          }
          return true
        }
        for account in holders.prefix(3) {
          let answer = try view.entitlements(of: .account(account), now: now)
          if !answer.entries.contains(where: { $0.product == product }) {
            self.fault("\(account.text) holds \(product.text), and the entitlements lack it")
          }
        }
      }
    }
  }

  func rebuild() {
    repeating("rebuild") { (number) throws(LedgerError) in
      if number.isMultiple(of: 2) { return try ledger.rebuild() }
      for difference in try ledger.checkProjections() { fault("projections: \(difference)") }
    }
  }

  func verify() {
    repeating("verify") { (_) throws(LedgerError) in
      for found in try ledger.log.verify().faults { fault("verify: \(found.message)") }
    }
  }

  func backUp() {
    var position: UInt64?
    repeating("backup") { (number) throws(LedgerError) in
      let path = "\(folder)/copy-\(number)"
      if let since = position, !number.isMultiple(of: 3) {
        position = try ledger.backUp(since: since, to: path).position
      } else {
        position = try ledger.backUp(to: path).position
      }
      try ledger.backUpKeys(to: "\(folder)/keys.copy")
    }
  }

  /// Erases the first customer of each writer as soon as the writer is beyond it.
  func erase(_ writers: [[EventInput]]) {
    for (number, inputs) in writers.enumerated() {
      let account = Name("account-\(number)\(Self.erasedSuffix)")
      guard let last = inputs.last(where: { $0.event.account == account })?.event else { continue }
      // The last event about an account need not name it.
      let after = inputs.firstIndex { $0.event.id == last.id }.map { $0 + Self.batchEvents } ?? 0
      let awaited = inputs[min(after, inputs.count - 1)].event.id
      while !state.withLock({ $0.acknowledged.contains { $0.id == awaited } }) {
        if isOver { break }
        usleep(2_000)
      }
      let event = Event(
        id: Name("erasure-\(number)"), type: EventType(.accountErased),
        occurredAt: EventLog.systemClock(), source: EventSource(.operator), account: account)
      do throws(LedgerError) { try ledger.erase(event) } catch { fault("erase: \(error)") }
      count("erase")
    }
  }
}

// MARK: - The process

func inputs(_ path: String) throws -> [EventInput] {
  let decoder = EventDecoder()
  return try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n")).map {
    try decoder.decode(line: Array($0))
  }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 3 else {
  print("usage: CrashLabHands LEDGER FOLDER FILE...")
  exit(64)
}
let writers = try arguments.dropFirst(2).map(inputs)
let hands = Hands(try Ledger(at: arguments[0]), folder: arguments[1], writers: writers.count)

var work: [@Sendable () -> Void] = writers.map { inputs in { hands.write(inputs) } }
for reader in 0..<Hands.readers {
  work.append { reader == 0 ? hands.readEvents() : hands.readAnswers(reader) }
}
work += [{ hands.rebuild() }, { hands.verify() }, { hands.backUp() }, { hands.erase(writers) }]

let group = DispatchGroup()
for task in work {
  group.enter()
  Thread {
    task()
    group.leave()
  }.start()
}
group.wait()
try hands.ledger.close()

let end = hands.state.withLock { $0 }
for (id, position) in end.acknowledged {
  print("{\"id\":\"\(id.text)\",\"status\":\"appended\",\"position\":\(position)}")
}
let counts = end.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
FileHandle.standardError.write(Data((counts.joined(separator: ", ") + "\n").utf8))
for fault in end.faults.prefix(20) { FileHandle.standardError.write(Data("\(fault)\n".utf8)) }
exit(end.faults.isEmpty ? 0 : 1)
