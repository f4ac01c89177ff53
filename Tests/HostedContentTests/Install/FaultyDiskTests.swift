import Foundation
import LedgerEvents
import Testing
import TracedProcesses

@Suite(
  "An install on a disk that fails", .serialized,
  .enabled(if: TracedProcess.canTrace, "needs strace (apt-get install strace) and leave to trace"))
struct FaultyDiskTests {
  @Test("that is full at one call says so, keeps the old version, and goes well when there is room")
  func fullOnce() throws {
    let lab = try InstallLab()
    let calls = try lab.trace()
    for call in fullDiskCalls {
      let step = isLong || call == "fsync" ? 1 : 3
      try failing(lab, call, calls, "ENOSPC", from: "", step: step)
    }
  }

  /// A few files are written directly, many files by another thread.
  @Test(
    "that is really full says so, keeps the old version, and goes well when there is room",
    arguments: [(30, 40_000), (300, 4_000)])
  func tiny(_ files: Int, _ bytes: Int) throws {
    let lab = try InstallLab()
    let sandbox = try lab.copy()
    let disk = lab.folder.appending(path: "disk")
    try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
    let mounted = try TracedProcess.run(
      "/bin/mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", disk.path])
    guard mounted.status == 0 else {
      print("SKIPPED: a small disk needs leave to mount one")
      return
    }
    defer { unmount(disk) }
    let content = disk.appending(path: "content").path
    try FileManager.default.copyItem(atPath: lab.root(sandbox), toPath: content)
    try lab.makePackage("1.1", files: files, bytes: bytes, as: "large")
    let command =
      ["content", "install", "--into", content, "--ledger", lab.ledger(sandbox)] + InstallLab.owner
    let full = try TracedProcess.run(command + [lab.package("large")])
    #expect(full.status == 74)
    #expect(full.errors.contains("No space left on device"), "\(full.errors)")
    let current = content + "/" + InstallLab.product + "/current"
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: current) == "1.0")
    let reported = try lab.events(sandbox)
    #expect(reported.last?.type.text == "content.installFailed")
    #expect(reported.last?.data.value("error")?.integer("code") == 3)
    let good = try TracedProcess.run(command + [lab.package("1.1")])
    #expect(good.status == 0, "\(good.errors)")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: current) == "1.1")
  }

  private func unmount(_ disk: URL) {
    do {
      let ending = try TracedProcess.run("/bin/umount", [disk.path])
      if ending.status != 0 { print("left \(disk.path) mounted: \(ending.errors)") }
    } catch {
      print("left \(disk.path) mounted: \(error)")
    }
  }
}

@Suite(
  "HeavyFaultyDisk: an install on a disk that goes on failing", .serialized,
  .enabled(if: TracedProcess.canTrace, "needs strace (apt-get install strace) and leave to trace"))
struct HeavyFaultyDiskTests {
  @Test("that is full from one call on says so, and goes well when there is room")
  func full() throws {
    let lab = try InstallLab()
    let calls = try lab.trace()
    // Threads also wake one another with write(2), and wait forever if that always fails. How an
    // install's own writes behave on a disk that stays full is tested with the small disk.
    for call in fullDiskCalls where call != "write" {
      try failing(lab, call, calls, "ENOSPC", from: "+")
    }
  }

  @Test("that cannot be read, or not be written, says so, and goes well when it can")
  func broken() throws {
    let lab = try InstallLab()
    let calls = try lab.trace()
    for call in ["read", "pread64", "getdents64", "syncfs", "fsync", "write", "openat"] {
      try failing(lab, call, calls, "EIO", from: "", step: isLong ? 1 : 3)
    }
  }
}

/// The calls that need disk space.
private let fullDiskCalls = [
  "mkdirat", "symlinkat", "renameat", "renameat2", "write", "pwrite64", "writev", "fsync",
  "fdatasync", "syncfs", "ftruncate",
]

/// Makes each call with a name fail, or each `step`-th, in turn, and runs the install again on a
/// working disk.
private func failing(
  _ lab: InstallLab, _ call: String, _ calls: CallTrace, _ error: String, from: String,
  step: Int = 1
) throws {
  let program = try TracedProcess.executable()
  let range = calls.ranges[call] ?? 1...1
  for number in stride(from: range.lowerBound, through: range.upperBound, by: step) {
    let sandbox = try lab.copy()
    let command = lab.install("1.1", sandbox)
    let ending = try TracedProcess.run(
      program, command, injecting: "error=\(error)", into: call, at: "\(number)\(from)")
    let what = "\(error) at \(call) \(number)\(from)"
    #expect(!ending.isKilled, "\(what): \(ending.errors)")
    #expect(try lab.faultsInSight(sandbox) == [], "\(what)")
    #expect(try lab.isRightlyReported("1.1", sandbox), "\(what): in its place, and a failure")
    if ending.status != 0 && call != "write" {
      #expect(!ending.errors.isEmpty, "\(what): no word")
    }
    let again = try TracedProcess.run(command)
    #expect(again.status == 0, "\(what): \(again.errors)")
    #expect(try lab.faultsAtTheEnd(sandbox) == [], "\(what)")
    try lab.remove(sandbox)
  }
}
