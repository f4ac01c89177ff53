import Foundation
import HostedContent
import LedgerEvents
import Testing
import TracedProcesses

/// Packages that are parsed in a child process.
@Suite("A package in a child process", .serialized) struct IsolatedPackageTests {
  private let isolation: PackageIsolation

  init() throws {
    isolation = .child(command: [try TracedProcess.executable(), "content", "parse"])
  }

  private func outcome(
    _ path: String, _ package: HostilePackage, _ isolation: PackageIsolation
  ) -> String {
    do throws(ContentError) {
      let report = try PackageInspection.judge(
        path: path, expecting: package.expectations, limits: package.limits, isolation: isolation)
      return report.faults.map { "\($0.code) \($0.path) \($0.message)" }.joined(separator: "\n")
    } catch {
      return "\(error.code) \(error.message)"
    }
  }

  @Test("is judged as in this process, if it is good") func good() throws {
    let lab = try PackageLab()
    let paths = [
      try lab.write("zip", PackageLab.goodZip().bytes),
      try lab.write("xar", PackageLab.xar("").bytes), try lab.goodFolder(),
    ]
    for path in paths {
      let here = try PackageInspection.judge(path: path)
      let there = try PackageInspection.judge(path: path, isolation: isolation)
      #expect(there.faults == [])
      #expect(there.digest == here.digest)
      #expect(there.files.map(\.path) == here.files.map(\.path))
    }
  }

  @Test("is judged as in this process, if it is hostile") func hostile() throws {
    let lab = try PackageLab()
    for package in HostilePackage.all {
      let path = try lab.write("package", package.bytes())
      #expect(
        outcome(path, package, isolation) == outcome(path, package, .none), "\(package.name)")
    }
  }

  /// What becomes of a good package whose child, once it was asked, runs a script instead.
  private func failure(_ script: String) throws -> ContentError? {
    let lab = try PackageLab()
    let path = try lab.write("package", PackageLab.goodZip().bytes)
    do throws(ContentError) {
      _ = try PackageInspection.judge(
        path: path,
        isolation: .child(command: ["/bin/sh", "-c", "head -c 5 <&3 >/dev/null; " + script]))
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "is an error if the child fails",
    arguments: [
      ("exit 3", "status 3"), ("kill -SEGV $$", "signal 11"), ("kill -KILL $$", "signal 9"),
      ("kill -XCPU $$", "too much time"), ("exit 0", "status 0"),
      // Answers of another kind, of too many bytes, and of a length that is never sent.
      ("printf '\\004\\001\\000\\000\\000\\007' >&3; cat <&3", "taken over"),
      ("printf '\\001\\377\\377\\377\\377' >&3; cat <&3", "taken over"),
      ("printf '\\001\\010\\000\\000\\000\\000' >&3; exit 4", "status 4"),
      ("printf '\\005\\001\\000\\000\\000\\011' >&3; cat <&3", "taken over"),
      ("printf '\\011\\000\\000\\000\\000' >&3; cat <&3", "taken over"),
    ])
  func failing(script: String, reason: String) throws {
    let error = try #require(try failure(script))
    #expect(error.code == .malformed)
    #expect(error.message.contains(reason), "\(error.message)")
  }

  @Test("has limits of memory, time and output") func limits() throws {
    let lab = try PackageLab()
    let file = lab.path("file")
    let written = try #require(try failure("echo output >'\(file)'; exit 1"))
    #expect(written.message.contains("signal \(SIGXFSZ)") || written.message.contains("status"))
    #expect(try Data(contentsOf: URL(filePath: file)).isEmpty, "a file was written")
    let error = try #require(try failure("ulimit -v | grep -qx 3145728 && exit 5; exit 6"))
    #expect(error.message.contains("status 5"), "\(error.message)")
    let time = try #require(try failure("ulimit -t | grep -qx 60 && exit 5; exit 6"))
    #expect(time.message.contains("status 5"), "\(time.message)")
  }

  @Test("needs a program that can be started") func missing() throws {
    let lab = try PackageLab()
    let path = try lab.write("package", PackageLab.goodZip().bytes)
    #expect(throws: ContentError.self) {
      try PackageInspection.judge(path: path, isolation: .child(command: ["/no/such/program"]))
    }
  }

  @Test("leaves no process behind") func noneLeft() throws {
    let lab = try PackageLab()
    let path = try lab.write("package", PackageLab.goodZip().bytes)
    for _ in 0..<3 {
      var package = try OpenedPackage(path: path, isolation: isolation)
      _ = try package.next()
    }
    // Other tests run the program, too, so look at this process's own children only.
    let own = "\(ProcessInfo.processInfo.processIdentifier)"
    let left = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
      guard Int(name) != nil,
        let status = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
        let command = try? String(contentsOfFile: "/proc/\(name)/cmdline", encoding: .utf8)
      else { return false }
      // The fields after the name, which is in parentheses: the state and the parent.
      let fields = status.split(separator: ")").last?.split(separator: " ") ?? []
      return fields.count > 1 && fields[1] == own && command.contains("content\0parse")
    }
    #expect(left == [])
  }

  @Test("is not parsed by a command that a person starts") func byHand() throws {
    let ending = try TracedProcess.run(["content", "parse"])
    #expect(ending.status == 64)
    #expect(ending.errors.contains("content inspect"), "\(ending.errors)")
  }
}
