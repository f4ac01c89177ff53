import Foundation
import LMDB
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog

/// A child process that appends; see Tests/LedgerChild.
private final class Child {
  private let process = Process()
  private let output = Pipe()
  private var rest: [UInt8] = []

  /// Starts the child, in a shell that first sets limits if `shell` has any.
  init(
    _ ledger: String, _ prefix: String, batches: Int, events: Int, _ more: [String] = [],
    shell: String? = nil
  ) throws {
    let arguments = [ledger, prefix, "\(batches)", "\(events)"] + more
    let executable = try Child.executable()
    if let shell {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "\(shell); exec \"$0\" \"$@\"", executable] + arguments
    } else {
      process.executableURL = URL(fileURLWithPath: executable)
      process.arguments = arguments
    }
    process.standardOutput = output
    try process.run()
  }

  /// Returns the path of the program, which is beside the tests' own executable.
  private static func executable() throws -> String {
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let candidates = [own, "/\(root)/.build/debug"].map { $0 + "/LedgerChild" }
    return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0) })
  }

  /// Returns the next line, nil at the end.
  func line() -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      rest.append(contentsOf: more)
    }
  }

  /// Returns all remaining lines and the exit status.
  func finish() -> (lines: [String], status: Int32) {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    process.waitUntilExit()
    return (lines, process.terminationStatus)
  }

  /// Kills the process immediately and returns the lines that it had printed.
  func kill() -> [String] {
    #if os(Linux) || os(macOS)
      _ = Foundation.kill(process.processIdentifier, SIGKILL)
    #endif
    return finish().lines
  }
}

@Suite("The log and its processes", .serialized)
struct LogProcessTests {
  private let folder: TemporaryFolder
  /// The number of lines after which the child stops with `--early`.
  private static let linesBeforeKill = 30

  init() throws { folder = try TemporaryFolder() }

  /// Returns the batch's number and positions from a line of the child.
  private func acknowledged(_ line: String) -> (batch: Int, first: UInt64, last: UInt64)? {
    let parts = line.split(separator: " ")
    guard parts.count == 3, let batch = Int(parts[0]), let first = UInt64(parts[1]),
      let last = UInt64(parts[2])
    else { return nil }
    return (batch, first, last)
  }

  @Test("lets two processes append in turn: each event once, names numbered once")
  func twoProcesses() throws {
    let log = try EventLog.makeNew(folder)
    let child = try Child(folder.ledger, "shared", batches: 40, events: 5)
    var own: [AppendOutcome] = []
    for batch in 0..<40 {
      try log.appendAndWait([progress("own-\(batch)", of: "own-\(batch)")])
      // The same events as the child's, in the opposite order. Whoever is first appends them.
      let number = 39 - batch
      own += try log.appendAndWait(
        (0..<5).map { shared("shared-\(number)-\($0)", "shared-\(number)") }
      ).outcomes
    }
    let (lines, status) = child.finish()
    #expect(status == 0)
    #expect(lines.last == "done")
    let events = try log.allEvents()
    #expect(events.count == 40 + 200)
    #expect(Set(events.map(\.event.id)).count == 240)
    for line in lines.compactMap(acknowledged) {
      #expect(events[Int(line.first) - 1].event.id == Name("shared-\(line.batch)-0"))
      #expect(events[Int(line.last) - 1].event.id == Name("shared-\(line.batch)-4"))
    }
    #expect(try log.verify().faults.isEmpty)
    try log.read { (view) throws(LedgerError) in
      var names: Set<NameUse> = []
      let count = try view.lastNameNumber()
      for number in 1...count { names.insert(try view.name(number)) }
      #expect(names.count == Int(count))
    }
  }

  private func shared(_ id: String, _ transaction: String) -> EventInput {
    EventInput(
      event: Event(
        id: Name(id), type: EventType(.transactionPurchasing),
        occurredAt: Instant(microseconds: 1_600_000_000_000_000), source: EventSource(.storekit1),
        app: "com.example.app", account: "account-1", device: Name("device-\(transaction)"),
        transaction: Name(transaction)))
  }

  @Test("tells who follows it of what another process appends")
  func followsOthers() throws {
    let log = try EventLog.makeNew(folder)
    let child = try Child(folder.ledger, "other", batches: 3, events: 1)
    var last: UInt64 = 0
    while last < 3 {
      let next = try log.wait(beyond: last, timeout: .seconds(60))
      #expect(next > last)
      if next == last { break }
      last = next
    }
    #expect(child.finish().status == 0)
  }

  /// Kills an appending child after some acknowledgements. Returns the acknowledged batches of
  /// which an event is missing.
  private func missingAfterKill(_ more: [String], batches: Int, events: Int) throws -> [Int] {
    try EventLog.makeNew(folder).close()
    let child = try Child(folder.ledger, "child", batches: batches, events: events, more)
    var lines: [String] = []
    while lines.count < Self.linesBeforeKill, let line = child.line() { lines.append(line) }
    lines += child.kill()
    let log = try EventLog(open: folder.ledger)
    let verification = try log.verify()
    #expect(verification.faults.isEmpty)
    // Batches are atomic in any case.
    #expect(verification.events % UInt64(events) == 0)
    let ids = Set(try log.allEvents().map(\.event.id))
    return lines.compactMap(acknowledged).map(\.batch).filter { batch in
      (0..<events).contains { !ids.contains(Name("child-\(batch)-\($0)")) }
    }
  }

  @Test("keeps everything that was acknowledged when its process is killed")
  func killed() throws {
    #expect(try missingAfterKill([], batches: 1_000_000, events: 3).isEmpty)
  }

  @Test("would be found out if it acknowledged before the commit")
  func killedControl() throws {
    #expect(
      try !missingAfterKill(["--early", "\(Self.linesBeforeKill)"], batches: 100, events: 5).isEmpty
    )
  }

  @Test("goes on after a killed process, whose lock is taken over")
  func afterKill() throws {
    let log = try EventLog.makeNew(folder)
    let child = try Child(folder.ledger, "child", batches: 1_000_000, events: 3)
    var lines: [String] = []
    while lines.count < 10, let line = child.line() { lines.append(line) }
    lines += child.kill()
    let acknowledged = try #require(lines.compactMap(acknowledged).last?.last)
    let before = try log.lastPosition()
    #expect(before >= acknowledged)
    // A batch that the child committed without recording it in the lock file appears only when the
    // next writer repairs the lock: docs/log.md, "Processes that die".
    let own = try #require(try log.appendAndWait([progress("mine")]).outcomes.first?.position)
    #expect(own == before + 1 || own == before + 4)
    #expect(try log.lastPosition() == own)
    #expect(try log.verify().faults.isEmpty)
  }

  @Test("says that the outcome is unknown when the disk fails, and refuses to go on")
  func failedWrite() throws {
    try EventLog.makeNew(folder).close()
    // The limit of the file size simulates a full disk.
    let child = try Child(
      folder.ledger, "child", batches: 100_000, events: 50,
      shell: "trap '' XFSZ; ulimit -f 1000")
    let (lines, status) = child.finish()
    #expect(status == 1)
    #expect(lines.suffix(2) == ["failed outcomeUnknown", "refused outcomeUnknown"])
    let log = try EventLog(open: folder.ledger)
    let verification = try log.verify()
    #expect(verification.faults.isEmpty)
    let acknowledged = lines.compactMap(acknowledged)
    #expect(acknowledged.count > 5)
    #expect(verification.events >= acknowledged.last?.last ?? .max)
    #expect(verification.events % 50 == 0)
  }
}

@Suite("A log on a full disk")
struct LogOnFullDiskTests {
  @Test("refuses the batch, keeps what it has, and goes on once there is room")
  func goesOn() async {
    await #expect(processExitsWith: .success) { try appendOnFullDisk() }
  }
}

/// Appends while each write to the log's file fails with ENOSPC, and afterwards. Exits with a
/// number if something is not as it should be.
private func appendOnFullDisk() throws {
  let folder = try TemporaryFolder()
  let log = try EventLog.makeNew(folder)
  try log.appendAndWait([progress("one")])
  let full = unsafe open("/dev/full", O_RDWR)
  var hidden: [Int32: Int32] = [:]
  // All of them first: a copy leads there, too.
  let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    .compactMap { Int32($0) }.filter { leads($0, to: "/log/data.mdb") }
  for descriptor in descriptors {
    hidden[descriptor] = dup(descriptor)
    dup2(full, descriptor)
  }
  guard !hidden.isEmpty else { exit(2) }
  for _ in 0..<2 {
    do throws(LedgerError) {
      try log.appendAndWait([progress("two")])
      exit(3)
    } catch {
      guard error.code == .full else { exit(4) }
    }
    guard try log.lastPosition() == 1 else { exit(5) }
  }
  for (descriptor, kept) in hidden { dup2(kept, descriptor) }
  let again = try log.appendAndWait([progress("one"), progress("two"), progress("three")])
  guard again.outcomes == [.duplicate(1), .appended(2), .appended(3)] else { exit(6) }
  guard try log.verify().faults.isEmpty else { exit(7) }
  try log.close()
}

/// Whether a descriptor of this process is of a file whose path ends so; it may be closed
/// meanwhile.
private func leads(_ descriptor: Int32, to ending: String) -> Bool {
  do {
    return try FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/self/fd/\(descriptor)"
    ).hasSuffix(ending)
  } catch { return false }
}

@Suite("A full log")
struct LogFullTests {
  @Test("refuses the batch, keeps what it has, and goes on in a larger map")
  func fullMap() throws {
    let folder = try TemporaryFolder()
    try EventLog.makeNew(folder).close()
    var log = try EventLog(open: folder.ledger, options: .init(mapSize: 1 << 20))
    var appended: UInt64 = 0
    var failure: LedgerError?
    while failure == nil {
      do throws(LedgerError) {
        let first = Int(appended)
        try log.appendAndWait((0..<100).map { progress("event-\(first + $0)", of: "t-\($0)") })
        appended += 100
      } catch {
        failure = error
      }
      if appended > 100_000 { break }
    }
    #expect(failure?.code == .full)
    #expect(try log.lastPosition() == appended)
    #expect(try log.verify().faults.isEmpty)
    #expect(throws: LedgerError.self) {
      try log.appendAndWait((0..<500).map { progress("again-\($0)") })
    }
    try log.close()
    log = try EventLog(open: folder.ledger)
    let result = try log.appendAndWait([progress("event-0", of: "t-0"), progress("more")])
    #expect(result.outcomes == [.duplicate(1), .appended(appended + 1)])
    #expect(try log.verify().faults.isEmpty)
  }
}
