import Entitlements
import Foundation
import LedgerEvents
import LedgerModel
import LedgerStore
import Synchronization
import Testing

/// The notes of concurrent tasks: the position of each customer's grant, and the answers.
private final class Tally: Sendable {
  let positions = Mutex<[Int: UInt64]>([:])
  let asked = Mutex<[(customer: Int, verdict: Verdict)]>([])
}

@Suite("Lookups while others append")
struct ConcurrentLookupTests {
  @Test("see every grant from its position on and not before it, from many tasks")
  func manyTasks() async throws {
    let ledger = try TemporaryLedger(now: .noon(1_000_000))
    let count = 300
    let tally = Tally()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for customer in 0..<count {
          let grant = Event.granted(
            Name("g\(customer)"), Name("customer-\(customer)"), "pro", at: Int64(customer))
          let input = EventInput(event: grant, position: 1)
          let outcome = try await ledger.ledger.append([input]).outcomes.first
          if let position = outcome?.position {
            tally.positions.withLock { $0[customer] = position }
          }
        }
      }
      for asker in 0..<6 {
        group.addTask {
          for round in 0..<400 {
            let customer = (round * 7 + asker * 13) % count
            let verdict = ledger.lookup.isEntitled("customer-\(customer)", to: .entitlement("pro"))
            tally.asked.withLock { $0.append((customer, verdict)) }
            if round % 16 == 0 { await Task.yield() }
          }
        }
      }
      try await group.waitForAll()
    }
    let granted = tally.positions.withLock { $0 }
    #expect(granted.count == count)
    for (customer, verdict) in tally.asked.withLock({ $0 }) {
      let position = try #require(granted[customer])
      switch verdict {
      case .yes(let detail): #expect(detail.position >= position)
      case .unknownAccount(let at): #expect(at < position)
      case .no, .unavailable: Issue.record("customer \(customer): \(verdict)")
      }
    }
  }

  @Test("wait for a position that is still to come, and give up when the time is up")
  func waits() async throws {
    let ledger = try TemporaryLedger()
    let waiting = Task { try await ledger.lookup.wait(until: 1) }
    try await ledger.ledger.append([EventInput(event: .bought("t1", at: 0), position: 1)])
    #expect(try await waiting.value)
    #expect(try ledger.lookup.position() == 1)
    #expect(try await !ledger.lookup.wait(until: 2, timeout: .milliseconds(20)))
  }

  @Test("in this process see what another process has been assured is durable")
  func otherProcess() throws {
    let path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    defer { remove(path) }
    try Ledger.create(at: path).log.close()
    let lookup = try Entitlements(path: path)
    #expect(lookup.isEntitled("account-1", to: .product("map")) == .unknownAccount(position: 0))
    let child = Process()
    let output = Pipe()
    child.executableURL = try childExecutable()
    child.arguments = [path, "child", "40", "5"]
    child.standardOutput = output
    try child.run()
    var text = ""
    var batches = 0
    while true {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      text += String(decoding: more, as: UTF8.self)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      text = String(lines.last ?? "")
      for line in lines.dropLast() {
        let parts = line.split(separator: " ")
        guard parts.count == 3, let last = UInt64(parts[2]) else { continue }
        batches += 1
        let verdict = lookup.isEntitled("account-1", to: .product("map"))
        #expect(verdict.detail?.state == nil)
        #expect(try #require(verdict.detail).position >= last)
      }
    }
    child.waitUntilExit()
    #expect(child.terminationStatus == 0)
    #expect(batches == 40)
    #expect(lookup.isEntitled("account-1", to: .product("map")).detail?.position == 200)
  }

  /// Returns the path of the program, which is beside the tests' own executable.
  private func childExecutable() throws -> URL {
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let candidates = [own, "/\(root)/.build/debug"].map { $0 + "/LedgerChild" }
    let found = candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
    return URL(fileURLWithPath: try #require(found))
  }

  private func remove(_ path: String) {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      print("left \(path): \(error)")
    }
  }
}
