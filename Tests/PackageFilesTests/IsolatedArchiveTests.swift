import Foundation
import PackageFiles
import Testing

@Suite("An archive in a child process") struct IsolatedArchiveTests {
  private static let second: ArchiveLimits = {
    var limits = ArchiveLimits()
    limits.answerSeconds = 1
    return limits
  }()

  private static let processorSecond: ArchiveLimits = {
    var limits = ArchiveLimits()
    limits.processorSeconds = 1
    return limits
  }()

  @Test(
    "is given up if the child never answers, or takes too much processor time",
    arguments: [
      ("cat <&3", second), ("head -c 5 <&3; while :; do :; done", processorSecond),
    ])
  func takesTooLong(script: String, limits: ArchiveLimits) throws {
    let folder = try TemporaryFolder()
    try folder.write("PK\u{5}\u{6}", to: "zip")
    let isolation = ArchiveIsolation.child(command: ["/bin/sh", "-c", script], limits: limits)
    do {
      _ = try OpenedFile.open(path: folder.path + "/zip", isolation: isolation)
      Issue.record("it was opened")
    } catch {
      #expect(error.kind == .malformed)
      #expect(error.message.contains("too much time"), "\(error.message)")
    }
  }
}
