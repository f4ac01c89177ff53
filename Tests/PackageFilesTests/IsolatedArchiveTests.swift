import Foundation
import PackageFiles
import Testing

@Suite("An archive in a child process") struct IsolatedArchiveTests {
  @Test("is given up if the child never answers") func silent() throws {
    let folder = try TemporaryFolder()
    try folder.write("PK\u{5}\u{6}", to: "zip")
    var limits = ArchiveLimits()
    limits.answerSeconds = 1
    let isolation = ArchiveIsolation.child(
      command: ["/bin/sh", "-c", "cat <&3"], limits: limits)
    do {
      _ = try OpenedFile.open(path: folder.path + "/zip", isolation: isolation)
      Issue.record("it was opened")
    } catch {
      #expect(error.kind == .malformed)
      #expect(error.message.contains("too much time"), "\(error.message)")
    }
  }

  @Test("is stopped if the child takes too much processor time") func busy() throws {
    let folder = try TemporaryFolder()
    try folder.write("PK\u{5}\u{6}", to: "zip")
    var limits = ArchiveLimits()
    limits.processorSeconds = 1
    let isolation = ArchiveIsolation.child(
      command: ["/bin/sh", "-c", "head -c 5 <&3; while :; do :; done"], limits: limits)
    do {
      _ = try OpenedFile.open(path: folder.path + "/zip", isolation: isolation)
      Issue.record("it was opened")
    } catch {
      #expect(error.kind == .malformed)
      #expect(error.message.contains("too much time"), "\(error.message)")
    }
  }
}
