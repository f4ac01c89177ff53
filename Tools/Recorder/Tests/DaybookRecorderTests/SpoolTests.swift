import Foundation
import Testing

@testable import DaybookRecorder

@Suite("The spool") struct SpoolTests {
  private func lines(_ count: Int) -> [String] {
    (1...count).map { #"{"id":"line-\#($0)","text":"\#(String(repeating: "é", count: $0))"}"# }
  }

  /// The one file of a spool with these lines, each appended by itself.
  private func file(_ lines: [String]) throws -> (name: String, bytes: [UInt8]) {
    let disk = MemoryDisk()
    let spool = try Spool(folder: "/spool", files: disk)
    for line in lines { try spool.append(line) }
    let name = try #require(try disk.names(in: "/spool").first { $0.hasSuffix(".spool") })
    let file = try disk.open("/spool/" + name)
    return (name, try file.read(at: 0, count: try file.size()))
  }

  private func disk(_ name: String, _ bytes: [UInt8]) throws -> MemoryDisk {
    let disk = MemoryDisk()
    try disk.open("/spool/" + name).write(bytes, at: 0)
    return disk
  }

  @Test("gives back what was appended, in its order, to the next process") func lasts() throws {
    let folder = try TemporaryFolder()
    let lines = lines(300)
    var limits = SpoolLimits()
    limits.segmentBytesMax = 4_000
    do {
      let spool = try Spool(folder: folder.path + "/a/b", limits: limits)
      for line in lines { try spool.append(line) }
      #expect(try spool.allLines() == lines)
    }
    let spool = try Spool(folder: folder.path + "/a/b", limits: limits)
    #expect(
      spool.report
        == {
          var report = SpoolReport()
          report.events = 300
          return report
        }())
    #expect(try spool.allLines() == lines)
    #expect(try spool.oldest(linesMax: 2, bytesMax: .max).map(\.serial).count == 2)
    #expect(try spool.oldest(linesMax: 9, bytesMax: 1).count == 1)
    try spool.append("last")
    #expect(try spool.allLines() == lines + ["last"])
  }

  @Test("has only whole records after it was cut at any byte, and goes on") func cuts() throws {
    let lines = lines(5)
    let (name, bytes) = try file(lines)
    for length in 0...bytes.count {
      let disk = try disk(name, Array(bytes.prefix(length)))
      var whole = 0
      var end = 0
      for line in lines where end + Frame.headerBytes + line.utf8.count <= length {
        end += Frame.headerBytes + line.utf8.count
        whole += 1
      }
      do {
        let spool = try Spool(folder: "/spool", files: disk)
        #expect(try spool.allLines() == Array(lines.prefix(whole)))
        #expect(spool.report.cutBytes == length - end)
        #expect(spool.report.damagedBytes == 0)
        try spool.append("more")
      }
      let spool = try Spool(folder: "/spool", files: disk)
      #expect(try spool.allLines() == lines.prefix(whole) + ["more"])
      #expect(spool.report.cutBytes == 0)
    }
  }

  @Test("skips what a flipped bit has damaged, says so, and changes no other line")
  func flips() throws {
    let lines = lines(4)
    let (name, bytes) = try file(lines)
    for bit in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << (bit % 8)
      let spool = try Spool(folder: "/spool", files: try disk(name, damaged))
      let left = try spool.allLines()
      #expect(left.count == 3)
      #expect(left.allSatisfy(lines.contains))
      #expect(spool.report.cutBytes + spool.report.damagedBytes > 0)
    }
  }

  @Test("needs its checksums for that: a reader without them takes damaged lines")
  func withoutChecksums() throws {
    let lines = lines(4)
    let bytes = try file(lines).bytes
    var wrong = 0
    for bit in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << (bit % 8)
      var at = 0
      while at + Frame.headerBytes <= damaged.count {
        let length = Int(damaged[at + 4]) | Int(damaged[at + 5]) << 8
        let start = at + Frame.headerBytes
        guard length > 0, start + length <= damaged.count else { break }
        let line = String(decoding: damaged[start..<start + length], as: UTF8.self)
        if !lines.contains(line) { wrong += 1 }
        at = start + length
      }
    }
    #expect(wrong > 100)
  }

  @Test("skips a line that was damaged after the opening, and says so") func damagedLater() throws {
    let disk = MemoryDisk()
    let spool = try Spool(folder: "/spool", files: disk)
    try spool.append("one", "two", "three")
    let name = try #require(try disk.names(in: "/spool").first { $0.hasSuffix(".spool") })
    try disk.open("/spool/" + name).write([0], at: Frame.headerBytes * 2 + 3 + 1)
    #expect(try spool.allLines() == ["one", "three"])
    #expect(spool.damagedBytes == Frame.headerBytes + 3)
    #expect(spool.count == 2)
    // It is kept before its file goes, however often the disk fails at that.
    let all = Set(try spool.oldest(linesMax: .max, bytesMax: .max).map(\.serial))
    disk.state.withLock { $0.broken = [("pwrite", ".damaged")] }
    #expect(throws: SpoolError.self) { try spool.forget(all) }
    #expect(try disk.names(in: "/spool").contains(name))
    disk.state.withLock { $0.broken = [] }
    try spool.forget([])
    #expect(try !disk.names(in: "/spool").contains(name))
    let aside = try #require(try disk.names(in: "/spool").first { $0.hasSuffix(".damaged") })
    let kept = try disk.open("/spool/" + aside)
    #expect(try kept.read(at: 0, count: 999).suffix(3) == [UInt8]("t\0o".utf8)[...])
  }

  @Test("keeps what was damaged in the middle of a file, before the file goes") func damagedMiddle()
    throws
  {
    let lines = lines(3)
    let (name, bytes) = try file(lines)
    var damaged = bytes
    let first = Frame.headerBytes + lines[0].utf8.count
    let second = first..<first + Frame.headerBytes + lines[1].utf8.count
    damaged[second.lowerBound + 30] ^= 1
    let disk = try disk(name, damaged)
    let spool = try Spool(folder: "/spool", files: disk)
    #expect(spool.report.damagedBytes == second.count)
    try spool.forget(Set(try spool.oldest(linesMax: .max, bytesMax: .max).map(\.serial)))
    #expect(try !disk.names(in: "/spool").contains(name))
    let aside = try #require(try disk.names(in: "/spool").first { $0.hasSuffix(".damaged") })
    let kept = try disk.open("/spool/" + aside)
    #expect(try kept.read(at: 0, count: 999) == Array(damaged[second]))
  }

  /// Appends, forgets and opens again while the power is cut at one of the calls. Returns whether
  /// something that was acknowledged is missing, or the end was reached.
  private func loses(_ disk: MemoryDisk, callsUntilCut: Int, torn: Int) throws -> (
    lost: Bool, isDone: Bool
  ) {
    var limits = SpoolLimits()
    limits.segmentBytesMax = 100
    var acknowledged: [String] = []
    var mayBeGone: Set<String> = []
    disk.state.withLock { state in
      state.failing = callsUntilCut
      state.staysFull = true
    }
    var isDone = false
    do {
      let spool = try Spool(folder: "/spool", limits: limits, files: disk)
      for line in lines(6) {
        try spool.append(line)
        acknowledged.append(line)
        if acknowledged.count == 4 {
          let oldest = try spool.oldest(linesMax: 2, bytesMax: .max)
          mayBeGone = Set(oldest.map { String(decoding: $0.line, as: UTF8.self) })
          try spool.forget(Set(oldest.map(\.serial)))
        }
      }
      isDone = true
    } catch is SpoolError {
      isDone = false
    }
    disk.state.withLock { $0.failing = 0 }
    disk.cutPower(keeping: torn)
    let spool = try Spool(folder: "/spool", limits: limits, files: disk)
    let left = try spool.allLines()
    let kept = Set(left)
    let lost = acknowledged.contains { !kept.contains($0) && !mayBeGone.contains($0) }
    #expect(left == left.filter(lines(6).contains))
    return (lost, isDone)
  }

  @Test("loses nothing that it acknowledged when the power is cut at any call") func power() throws
  {
    for torn in [0, 1, 7, 19, 20, 21, 30, 1_000] {
      var call = 1
      while true {
        let outcome = try loses(MemoryDisk(), callsUntilCut: call, torn: torn)
        #expect(!outcome.lost, "call \(call), torn \(torn)")
        if outcome.isDone { break }
        call += 1
      }
      #expect(call > 20)
    }
  }

  @Test("needs its syncs for that: on a disk that ignores them, lines are lost")
  func withoutSyncs() throws {
    #expect(try loses(MemoryDisk(syncs: false), callsUntilCut: 30, torn: 0).lost)
  }

  @Test("refuses what a full disk does not take, keeps the rest, and goes on", arguments: 1...40)
  func fullDisk(call: Int) throws {
    let disk = MemoryDisk()
    var limits = SpoolLimits()
    limits.segmentBytesMax = 100
    disk.state.withLock { $0.failing = call }
    var acknowledged: [String] = []
    do {
      let spool = try Spool(folder: "/spool", limits: limits, files: disk)
      for line in lines(8) {
        do {
          try spool.append(line)
          acknowledged.append(line)
        } catch {
          guard case SpoolError.failed = error else { throw error }
        }
      }
      #expect(acknowledged.count >= 7)
      disk.state.withLock { $0.failing = 0 }
      #expect(try spool.allLines() == acknowledged)
    } catch let error as SpoolError {
      // Opening failed, and is tried again below.
      guard case .failed = error else { throw error }
    }
    disk.state.withLock { $0.failing = 0 }
    let spool = try Spool(folder: "/spool", limits: limits, files: disk)
    #expect(try spool.allLines() == acknowledged)
    try spool.append("more")
    #expect(try spool.allLines() == acknowledged + ["more"])
  }

  /// A disk with two files of several lines.
  private func twoFiles() throws -> (disk: MemoryDisk, names: [String], limits: SpoolLimits) {
    let disk = MemoryDisk()
    var limits = SpoolLimits()
    limits.segmentBytesMax = 50
    let spool = try Spool(folder: "/spool", limits: limits, files: disk)
    for line in ["one", "two", "three"] { try spool.append([[UInt8](line.utf8)]) }
    while spool.state.withLock({ $0.segments.count }) < 2 { try spool.append("more") }
    try spool.append("t", "u", "v", "w", "x", "y")
    let names = try disk.names(in: "/spool").filter { $0.hasSuffix(".spool") }.sorted()
    return (disk, names, limits)
  }

  @Test("opens, uploads and goes on beside a file that the disk does not read", arguments: [0, 1])
  func unreadable(number: Int) throws {
    let (disk, names, limits) = try twoFiles()
    let all = try Spool(folder: "/spool", limits: limits, files: disk).allLines()
    for call in ["open", "pread"] {
      disk.state.withLock { $0.broken = [(call, names[number])] }
      let spool = try Spool(folder: "/spool", limits: limits, files: disk)
      #expect(spool.report.unreadableFiles == 1)
      #expect(spool.count > 0 && spool.count < all.count)
      try spool.append("new")
      try spool.forget(Set(try spool.oldest(linesMax: .max, bytesMax: .max).map(\.serial)))
      try spool.append("newer")
      disk.state.withLock { $0.broken = [] }
    }
    let spool = try Spool(folder: "/spool", limits: limits, files: disk)
    #expect(spool.report.unreadableFiles == 0)
    let left = try spool.oldest(linesMax: .max, bytesMax: .max)
    #expect(Set(left.map(\.serial)).count == left.count)
    #expect(left.map(\.line).contains([UInt8]("newer".utf8)))
    #expect(left.map(\.line).contains([UInt8]((number == 0 ? "one" : all.last ?? "").utf8)))
  }

  @Test("uploads what it can read, and forgets what it can delete") func unreadableLater() throws {
    let (disk, names, limits) = try twoFiles()
    let spool = try Spool(folder: "/spool", limits: limits, files: disk)
    let all = try spool.oldest(linesMax: .max, bytesMax: .max)
    disk.state.withLock { $0.broken = [("pread", names[0])] }
    let left = try spool.oldest(linesMax: .max, bytesMax: .max)
    #expect(!left.isEmpty && left.count < all.count)
    #expect(throws: SpoolError.self) {
      try spool.oldest(linesMax: .max, bytesMax: .max, without: Set(left.map(\.serial)))
    }
    disk.state.withLock { $0.broken = [("unlink", names[0])] }
    #expect(throws: SpoolError.self) { try spool.forget(Set(all.map(\.serial))) }
    #expect(try disk.names(in: "/spool").filter { $0.hasSuffix(".spool") } == [names[0]])
    disk.state.withLock { $0.broken = [] }
    try spool.forget([])
    #expect(spool.bytes == 0)
  }

  @Test(
    "opens although a torn end cannot be cut off, and writes elsewhere then",
    arguments: ["ftruncate", "fsync"])
  func notCut(call: String) throws {
    let lines = lines(3)
    let (name, bytes) = try file(lines)
    let disk = try disk(name, bytes.dropLast(3))
    disk.state.withLock { $0.broken = [(call, name)] }
    do {
      let spool = try Spool(folder: "/spool", files: disk)
      #expect(try spool.allLines() == Array(lines.prefix(2)))
      try spool.append("more")
    }
    disk.state.withLock { $0.broken = [] }
    #expect(try Spool(folder: "/spool", files: disk).allLines() == lines.prefix(2) + ["more"])
  }

  @Test(
    "is not stopped by files that no spool has written",
    arguments: ["ffffffffffffffff.spool", "fffffffffffffffe.spool", "mine.spool", ".spool"])
  func strangers(name: String) throws {
    let disk = try disk(name, [1, 2, 3])
    for _ in 1...2 {
      let spool = try Spool(folder: "/spool", files: disk)
      try spool.append("one")
    }
    let highest = Frame.encode([UInt8]("old".utf8), serial: .max)
    try disk.open("/spool/" + name).write(highest, at: 0)
    let spool = try Spool(folder: "/spool", files: disk)
    try spool.append("two")
    #expect(Set(try spool.allLines()) == ["one", "two", "old"])
  }

  @Test("keeps a damaged record at the end beside the file, for it may have been acknowledged")
  func damagedEnd() throws {
    let lines = lines(3)
    let (name, bytes) = try file(lines)
    var damaged = bytes
    damaged[damaged.count - 1] ^= 1
    let disk = try disk(name, damaged)
    let spool = try Spool(folder: "/spool", files: disk)
    #expect(spool.report.cutBytes == 0)
    let last = Frame.headerBytes + lines[2].utf8.count
    #expect(spool.report.damagedBytes == last)
    let aside = try disk.names(in: "/spool").filter { $0.hasSuffix(".damaged") }
    #expect(aside.count == 1)
    #expect(aside.allSatisfy { $0.hasPrefix(name) })
    let kept = try disk.open("/spool/" + (aside.first ?? ""))
    #expect(try kept.read(at: 0, count: 9_999) == Array(damaged.suffix(last)))
  }

  @Test("keeps each damaged end, of one file too, up to a number, and cuts none before it lasts")
  func damagedEnds() throws {
    let disk = MemoryDisk()
    var ends: Set<[UInt8]> = []
    for number in 1...20 {
      do { try Spool(folder: "/spool", files: disk).append("one", "line-\(number)") }
      let name = try #require(
        try disk.names(in: "/spool").filter { $0.hasSuffix(".spool") }.sorted().last)
      let file = try disk.open("/spool/" + name)
      try file.write([0], at: try file.size() - 1)
      try file.sync()
      let last = Frame.headerBytes + "line-\(number)".utf8.count
      if number <= Spool.damagedFilesMax {
        ends.insert(try file.read(at: try file.size() - last, count: last))
        // The power is cut before the cut lasts, and after it.
        for broken in [[("fsync", name)], []] {
          disk.state.withLock { $0.broken = broken }
          _ = try Spool(folder: "/spool", files: disk)
          disk.state.withLock { $0.broken = [] }
          disk.cutPower()
        }
      }
      let spool = try Spool(folder: "/spool", files: disk)
      #expect(try spool.allLines() == Array(repeating: "one", count: number))
    }
    let aside = try disk.names(in: "/spool").filter { $0.hasSuffix(".damaged") }
    #expect(aside.count == Spool.damagedFilesMax)
    let kept = try aside.map { try disk.open("/spool/" + $0).read(at: 0, count: 9_999) }
    #expect(Set(kept) == ends)
  }

  @Test("keeps what says little, too, after the next line that says more, in whatever file")
  func routineInFullFile() throws {
    let disk = MemoryDisk()
    var limits = SpoolLimits()
    limits.segmentBytesMax = 100
    let spool = try Spool(folder: "/spool", limits: limits, files: disk)
    let routine = (1...4).map { "routine line number \($0)" }
    for line in routine { try spool.append([[UInt8](line.utf8)], isRoutine: true) }
    try spool.append("more")
    #expect(spool.state.withLock { $0.segments.count } > 1)
    disk.cutPower()
    #expect(
      try Spool(folder: "/spool", limits: limits, files: disk).allLines() == routine + ["more"])
  }

  @Test("leaves no empty files behind while the disk is full") func emptyFiles() throws {
    let disk = MemoryDisk()
    let spool = try Spool(folder: "/spool", files: disk)
    for call in ["pwrite", "fsync"] {
      disk.state.withLock { $0.broken = [(call, ".spool"), (call, "/spool")] }
      for _ in 1...10 { #expect(throws: SpoolError.self) { try spool.append("one") } }
      #expect(try disk.names(in: "/spool").allSatisfy { !$0.hasSuffix(".spool") })
    }
    disk.state.withLock { $0.broken = [] }
    try spool.append("one")
    #expect(try spool.allLines() == ["one"])
  }

  @Test("makes the names of all folders last that it makes") func parents() {
    let there: Set<String> = ["/", "/a", "."]
    func parents(_ path: String) -> [String] {
      SystemFiles.parents(of: path) { there.contains($0) }
    }
    #expect(parents("/a/b/c") == ["/a/b", "/a"])
    #expect(parents("/a").isEmpty)
    #expect(parents("x/y") == ["x", "."])
  }

  @Test("refuses when it is full, what says little first, and takes more after the upload")
  func full() throws {
    var limits = SpoolLimits()
    limits.bytesMax = 1_000
    limits.segmentBytesMax = 200
    let spool = try Spool(folder: "/spool", limits: limits, files: MemoryDisk())
    let line = [UInt8](repeating: 0x61, count: 80)
    for _ in 1...7 { try spool.append([line], isRoutine: true) }
    #expect(throws: SpoolError.full(bytes: 700, bytesMax: 750)) {
      try spool.append([line], isRoutine: true)
    }
    for _ in 1...3 { try spool.append([line]) }
    #expect(throws: SpoolError.full(bytes: 1_000, bytesMax: 1_000)) { try spool.append([line]) }
    #expect(spool.count == 10)
    // Two fill a file, which goes when both were acknowledged.
    try spool.forget(Set(try spool.oldest(linesMax: 2, bytesMax: .max).map(\.serial)))
    #expect(spool.bytes == 800)
    try spool.append([line])
    #expect(throws: SpoolError.self) {
      try spool.append([[UInt8](repeating: 0x61, count: limits.lineBytesMax + 1)])
    }
  }

  @Test("is open in one process at a time") func lock() throws {
    let folder = try TemporaryFolder()
    do {
      let first = try Spool(folder: folder.path)
      #expect(throws: SpoolError.inUse(folder: folder.path)) { try Spool(folder: folder.path) }
      try first.append("one")
    }
    #expect(try Spool(folder: folder.path).allLines() == ["one"])
  }

  @Test("keeps refused lines once, with their reasons, as JSON") func refused() throws {
    let folder = try TemporaryFolder()
    let spool = try Spool(folder: folder.path)
    let one = RefusedLine(line: [UInt8](#"{"id":"1"}"#.utf8), reason: "say \"no\"\n,\"event\":")
    let two = RefusedLine(line: [UInt8](#"{"id":"2"}"#.utf8), reason: "conflict")
    try spool.setAside([one])
    try spool.setAside([one, two])
    let text = try String(contentsOfFile: spool.refusedPath, encoding: .utf8)
    let objects = try text.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    #expect(objects.map { $0?["reason"] as? String } == [one.reason, two.reason])
    #expect(objects.map { ($0?["event"] as? [String: String])?["id"] } == ["1", "2"])
    var limits = SpoolLimits()
    limits.refusedBytesMax = 40
    let small = try Spool(folder: "/spool", limits: limits, files: MemoryDisk())
    #expect(throws: SpoolError.full(bytes: 40, bytesMax: 40)) { try small.setAside([one]) }
  }

  @Test("opens and goes on beside files that are too large to read") func enormous() throws {
    let folder = try TemporaryFolder()
    do { try Spool(folder: folder.path).append("first") }
    let names = ["ffff.spool", "0000000000000000.spool", "refused.jsonl", "memory.json"]
    for name in names {
      let file = try SystemFiles().open(folder.path + "/" + name)
      // It takes no room on the disk.
      try file.truncate(to: 1 << 40)
    }
    let spool = try Spool(folder: folder.path)
    #expect(spool.report.unreadableFiles == 2 && spool.report.events == 1)
    try spool.append("second")
    #expect(try spool.allLines() == ["first", "second"])
    #expect(throws: SpoolError.self) {
      try spool.setAside([RefusedLine(line: [UInt8]("{}".utf8), reason: "no")])
    }
    #expect(throws: SpoolError.self) { try spool.retryRefused() }
    let recorder = Recorder(RecorderSettings(app: "app", device: "phone"), spool: spool)
    try recorder.record(app: .ended(reason: nil))
    #expect(spool.count == 3)
  }

  @Test("checks what it reads by CRC-32C") func checksum() {
    // RFC 3720, B.4: 32 bytes of zeros, and the digits of the usual check value.
    #expect(CRC32C.sum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(CRC32C.sum("123456789".utf8) == 0xE306_9283)
    #expect(CRC32C.sum("6789".utf8, after: CRC32C.sum("12345".utf8)) == 0xE306_9283)
  }
}
