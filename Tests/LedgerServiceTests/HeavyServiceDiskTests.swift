import Foundation
import NIOHTTP1
import Testing

/// `daybook-serve` on a disk that is full, fails, or has changed.
@Suite("The service and its disk", .serialized, .timeLimit(.minutes(20)))
struct HeavyServiceDiskTests {
  private static func batch(_ number: Int) -> [String] {
    (0..<100).map { Line.note("e\(number)-\($0)", account: "a\(number)-\($0)") }
  }

  /// Appends batches until one is not taken. Returns the number of events that were acknowledged,
  /// and the status of the refusal; `nil` if the service ended before it could answer.
  private func fill(
    _ served: ServedLedger, from start: Int = 0
  ) async throws -> (events: Int, status: Int?) {
    for number in 0..<1_000 {
      let status: Int
      do { status = try await served.append(Self.batch(start + number)).status } catch {
        return (number * 100, nil)
      }
      guard status == 200 else { return (number * 100, status) }
    }
    throw ServedLedger.Failure(description: "nothing was refused")
  }

  private static func canMount() throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", "unshare --mount --map-root-user mount -t tmpfs none /mnt >/dev/null 2>&1",
    ]
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test(
    "a full disk refuses appends with 507, and nothing has to be started again once there is room",
    .enabled("needs leave to mount") { try canMount() })
  func full() async throws {
    let ledger = try MadeLedger()
    // A small disk that only the service sees, with something on it that can go.
    let script = """
      mkdir "$1.real" && mount --bind "$1" "$1.real" && mount -t tmpfs -o size=12m none "$1" \
        && cp -r "$1.real/." "$1" && head -c 8000000 /dev/zero >"$1/ballast" || exit 99
      shift; exec "$@"
      """
    let wrapper = [
      "/usr/bin/env", "unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh",
      ledger.path,
    ]
    try await ledger.served(in: wrapper) { served in
      let (taken, status) = try await fill(served)
      #expect(taken > 0)
      #expect(status == 507)
      let question = try await served.get("/v1/events?count")
      #expect(question.body == "{\"count\":\(taken)}\n")
      // Pages that a reader held may be free by now, and have room for a little more.
      let (more, again) = try await fill(served, from: 1_000)
      #expect(again == 507)
      let events = taken + more
      let inside = "/proc/\(served.identifier)/root" + ledger.path
      try FileManager.default.removeItem(atPath: inside + "/ballast")
      // What could not be folded meanwhile is folded now, even if nothing is appended.
      while try await served.get("/ready").object["lag"] as? Int != 0 {}
      let answer = try await served.append([Line.note("afterwards")])
      #expect(answer.status == 200)
      #expect(answer.headers["Daybook-Position"] == ["\(events + 1)"])
      #expect(try await served.get("/v1/events?count").body == "{\"count\":\(events + 1)}\n")
      #expect(served.end() == 0)
    }
  }

  @Test("a write of unknown outcome ends it, and the next one has everything acknowledged")
  func failing() async throws {
    let ledger = try MadeLedger()
    // What is beyond the limit cannot be written, and the disk is not full.
    let wrapper = ["/bin/sh", "-c", #"trap '' XFSZ; ulimit -f 1600; exec "$@""#, "sh"]
    var events = 0
    try await ledger.served(in: wrapper) { served in
      let (count, status) = try await fill(served)
      events = count
      // A fold may reach the limit before an append does, and end the service.
      #expect(status == 503 || status == nil)
      let end = try served.ended()
      #expect(end.status == 74)
      #expect(end.said.contains("start the service again"), "\(end.said)")
    }
    #expect(events > 0)
    let verified = try ledger.daybook("verify")
    #expect(verified.status == 0, "\(verified.output) \(verified.errors)")
    try await ledger.served { served in
      #expect(try await served.append([Line.note("afterwards")]).status == 200)
      let count = try #require(try await served.get("/v1/events?count").object["count"] as? Int)
      #expect(count > events)
      #expect(served.end() == 0)
    }
  }

  @Test("a ledger that was changed over while it ran ends it, and both ledgers are whole")
  func changedOver() async throws {
    let (ledger, other) = (try MadeLedger(), try MadeLedger())
    let noted = try other.daybook("note", "ada", "seen", "--new-account", "--operator", "kim")
    #expect(noted.status == 0, "\(noted.errors)")
    try await ledger.served { served in
      #expect(try await served.append(Self.batch(1)).status == 200)
      let moved = ledger.path + ".moved"
      try FileManager.default.moveItem(atPath: ledger.path, toPath: moved)
      try FileManager.default.moveItem(atPath: other.path, toPath: ledger.path)
      let (status, said) = try served.ended()
      #expect(status == 74, "\(said)")
      #expect(said.contains("was moved, removed or replaced"), "\(said)")
      let verified = try BuiltProgram.run("daybook", ["verify", "--ledger", moved])
      #expect(verified.status == 0, "\(verified.output) \(verified.errors)")
      #expect(verified.output.contains("100 events"), "\(verified.output)")
    }
    let verified = try ledger.daybook("verify")
    #expect(verified.status == 0, "\(verified.output) \(verified.errors)")
    try await ledger.served { served in
      let count = try await served.get("/v1/events?count")
      #expect(count.body == "{\"count\":1}\n")
      #expect(served.end() == 0)
    }
  }

  @Test("a damaged page that ends it is named, and a signal of another cause remains one")
  func damaged() async throws {
    let ledger = try MadeLedger()
    try await ledger.served { served in
      let answer = try await served.append(
        (0..<300).map { Line.note("n\($0)", account: "a\($0)") })
      #expect(answer.status == 200)
      #expect(served.end(SIGSEGV) == -SIGSEGV)
    }
    try await ledger.served { served in
      let file = try FileHandle(forUpdating: URL(filePath: "\(ledger.path)/log/data.mdb"))
      let end = try file.seekToEnd()
      // The numbers of pages that nothing needs for opening.
      for page in 6..<end / 4_096 {
        try file.seek(toOffset: page * 4_096)
        try file.write(contentsOf: Data(repeating: 0xFF, count: 16))
      }
      try file.close()
      served.send(SIGSEGV)
      let (status, said) = try served.ended()
      #expect(status == 65, "\(said)")
      #expect(said.contains("damaged page"), "\(said)")
    }
  }
}
