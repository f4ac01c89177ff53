import Foundation
import Testing

@testable import LedgerStore

@Suite("A folder for temporary files") struct ScratchFolderTests {
  private let parent = FileManager.default.temporaryDirectory.path

  private func make(_ name: String) throws -> String {
    let path = "\(parent)/\(name)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try Data("keys".utf8).write(to: URL(filePath: path + "/keys"))
    return path
  }

  private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  @Test("of a process that was killed is removed by the next; nobody else's is") func abandoned()
    throws
  {
    let digits = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
    // No process has a number that large (pid_max is 2 to the 22nd at most).
    let abandoned = try make("daybook-rehearsal.99999999-\(digits).part")
    let own = try make("daybook-mine-\(digits)")
    let other = try make("other.99999999-\(digits).part")
    defer {
      for path in [own, other] {
        #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) }
      }
    }
    let used = try ScratchFolder("daybook-test")
    let path = used.path
    #expect(!isThere(abandoned))
    #expect(isThere(own) && isThere(other) && isThere(path))
    do {
      let second = try ScratchFolder("daybook-test")
      #expect(isThere(path) && isThere(second.path))
    }
    withExtendedLifetime(used.path) {}
    #expect(isThere(path))
  }

  @Test("goes with its owner") func goes() throws {
    var path = ""
    do {
      let folder = try ScratchFolder("daybook-test")
      path = folder.path
      #expect(isThere(path))
    }
    #expect(!isThere(path))
  }
}
