import EventMix
import Foundation
import LedgerEvents
import LedgerStore
import Synchronization

let peerUsage = """
  usage: Benchmarks peer make KIND EVENTS ACCOUNTS FILE
         Benchmarks peer log|ledger FILE FOLDER BATCH CALLERS IN-FLIGHT EVENTS SECONDS
         Benchmarks peer serve FOLDER DESCRIPTOR…

  Daybook's side of Tools/bench, which calls this program.

    make    writes a workload as JSON Lines: zipf, random-ids, one-account or one-device
    log     appends the first EVENTS of FILE to a log alone, for SECONDS at most
    ledger  the same with projections, until everything is folded
    serve   appends what comes through sockets: lines of JSON, ended by an empty line, are one
            batch, which is answered when it is durable; the line "fold" is answered when
            everything is folded; each answer is a line with the number of events there are

  """

/// Does what the words after `peer` say.
func runPeer(_ words: [String]) throws {
  switch (words.first, words.count) {
  case ("make", 5):
    guard let kind = WorkloadKind(rawValue: words[1]), let events = Int(words[2]),
      let accounts = UInt64(words[3]), accounts > 0
    else { fail("peer make: expected a kind and two numbers above 0\n" + peerUsage) }
    try writeWorkload(kind, events: events, accounts: accounts, to: words[4])
  case ("log", 8), ("ledger", 8):
    let numbers = words[3...].compactMap { Int($0) }.filter { $0 > 0 }
    guard numbers.count == 5 else {
      fail("peer \(words[0]): expected five numbers above 0\n" + peerUsage)
    }
    let pace = PeerPace(
      batch: numbers[0], callers: numbers[1], inFlight: numbers[2], events: numbers[3],
      seconds: Double(numbers[4]))
    try runInProcess(isLedger: words[0] == "ledger", words[1], words[2], pace)
  case ("serve", 3...):
    try serve(words[1], words[2...].compactMap { Int32($0) })
  default: fail("unknown words after peer\n" + peerUsage)
  }
}

/// The workloads of `Tools/bench` that the generator makes; others are these in another order.
private enum WorkloadKind: String {
  case zipf
  case randomIDs = "random-ids"
  case oneAccount = "one-account"
  case oneDevice = "one-device"

  /// Fewer than in the mix of the other benchmarks: with twenty events a purchase, a run of a
  /// million events is about tens of thousands of purchases.
  static let progressAPurchase = 8
  static let latePerThousand: UInt64 = 20
  static let repeatedPerThousand: UInt64 = 10

  func shape(accounts: UInt64) -> MixShape {
    let activity: MixShape.Activity =
      switch self {
      case .zipf, .randomIDs: .zipf
      case .oneAccount: .oneAccount
      case .oneDevice: .oneDevice
      }
    return MixShape(
      accounts: accounts, activity: activity, progressAPurchase: Self.progressAPurchase,
      hasRandomIDs: self == .randomIDs)
  }
}

/// How many events are read, made or written at once, outside the measured time.
private let pieceEventsMax = 100_000

private func writeWorkload(
  _ kind: WorkloadKind, events: Int, accounts: UInt64, to path: String
) throws {
  var deliveries = Deliveries(
    Mix(shape: kind.shape(accounts: accounts)),
    latePerThousand: WorkloadKind.latePerThousand,
    repeatedPerThousand: WorkloadKind.repeatedPerThousand)
  let encoder = EventEncoder()
  guard FileManager.default.createFile(atPath: path, contents: nil) else {
    throw Baseline.Failed(description: "\(path) cannot be created")
  }
  let file = try FileHandle(forWritingTo: URL(filePath: path))
  for start in stride(from: 0, to: events, by: pieceEventsMax) {
    var lines: [UInt8] = []
    for event in deliveries.next(min(pieceEventsMax, events - start)) {
      encoder.append(event, to: &lines)
      lines.append(UInt8(ascii: "\n"))
    }
    try file.write(contentsOf: lines)
  }
  try file.close()
}

/// How a workload is appended.
private struct PeerPace {
  /// Events a call.
  var batch: Int
  /// How many threads call, each waiting for its own answers.
  var callers: Int
  /// How many batches one caller may have on their way.
  var inFlight: Int
  /// No more events than this.
  var events: Int
  /// No further batch after this time.
  var seconds: Double
}

/// A log or a ledger that is appended to.
private protocol Appendable: Sendable {
  func append(_ batch: [EventInput]) throws
  func hand(_ batch: [EventInput]) throws -> AppendTicket
  func settle() throws
  /// How many events it has.
  func count() throws -> UInt64
}

extension EventLog: Appendable {
  func append(_ batch: [EventInput]) throws { try appendAndWait(batch, options: checked) }
  func hand(_ batch: [EventInput]) throws -> AppendTicket { try submit(batch, options: checked) }
  func settle() {}
  func count() throws -> UInt64 { try lastPosition() }
}

extension Ledger: Appendable {
  func append(_ batch: [EventInput]) throws { try appendAndWait(batch, options: checked) }
  func hand(_ batch: [EventInput]) throws -> AppendTicket { try submit(batch, options: checked) }
  func settle() throws { try fold() }
  func count() throws -> UInt64 { try log.lastPosition() }
}

/// Appends a file and prints how many events it was in how many seconds. Reading and decoding the
/// file is outside the measured time; folding what waits at the end of each piece is inside.
private func runInProcess(
  isLedger: Bool, _ file: String, _ folder: String, _ pace: PeerPace
) throws {
  let target: any Appendable =
    if isLedger { try Ledger.create(at: folder) } else { try EventLog.create(at: folder) }
  var events = try EventFile(file)
  var (time, count) = (0.0, 0)
  while count < pace.events, time < pace.seconds {
    let piece = try events.next(min(pieceEventsMax, pace.events - count))
    if piece.isEmpty { break }
    let batches = stride(from: 0, to: piece.count, by: pace.batch).map {
      Array(piece[$0..<min($0 + pace.batch, piece.count)])
    }
    let left = pace.seconds - time
    time += try seconds {
      count +=
        pace.callers == 1
        ? try append(batches, to: target, inFlight: pace.inFlight, within: left)
        : try append(batches, to: target, callers: pace.callers, within: left)
      try target.settle()
    }
  }
  print(#"{"events":\#(count),"seconds":\#(time),"stored":\#(try target.count())}"#)
}

/// One caller. Returns how many events it appended.
private func append(
  _ batches: [[EventInput]], to target: any Appendable, inFlight: Int, within limit: Double
) throws -> Int {
  let end = ContinuousClock.now + .seconds(limit)
  var count = 0
  var tickets: [AppendTicket] = []
  for batch in batches where ContinuousClock.now < end {
    count += batch.count
    guard inFlight > 1 else {
      try target.append(batch)
      continue
    }
    tickets.append(try target.hand(batch))
    if tickets.count == inFlight { _ = try tickets.removeFirst().wait() }
  }
  for ticket in tickets { _ = try ticket.wait() }
  return count
}

/// Several callers, each with its own part of the batches.
private func append(
  _ batches: [[EventInput]], to target: any Appendable, callers: Int, within limit: Double
) throws -> Int {
  let counts = Mutex<[Result<Int, any Error>]>([])
  let parts = (0..<callers).map { caller in
    stride(from: caller, to: batches.count, by: callers).map { batches[$0] }
  }
  onThreads(callers) { caller in
    let count = Result {
      try append(parts[caller], to: target, inFlight: 1, within: limit)
    }
    counts.withLock { $0.append(count) }
  }
  return try counts.withLock { try $0.reduce(0) { try $0 + $1.get() } }
}

/// Runs `body` on so many threads of its own at once: a pool has no more of them than cores, and
/// these wait for the disk.
private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  for index in 0..<count {
    group.enter()
    Thread.detachNewThread {
      body(index)
      group.leave()
    }
  }
  group.wait()
}

/// Appends what comes through sockets, until all of them are closed.
private func serve(_ folder: String, _ descriptors: [Int32]) throws {
  let ledger = try Ledger.create(at: folder)
  onThreads(descriptors.count) { index in
    do { try serve(ledger, FileHandle(fileDescriptor: descriptors[index])) } catch {
      complain("peer serve: \(error)")
      exit(1)
    }
  }
}

private func serve(_ ledger: Ledger, _ socket: FileHandle) throws {
  let decoder = EventDecoder()
  var lines = LineReader(socket)
  var batch: [EventInput] = []
  while let line = try lines.next() {
    if line.isEmpty {
      try ledger.append(batch)
      batch.removeAll(keepingCapacity: true)
    } else if line == Array("fold".utf8) {
      try ledger.fold()
    } else {
      batch.append(try decoder.decode(line: line))
      continue
    }
    try socket.write(contentsOf: Data("\(try ledger.count())\n".utf8))
  }
}
