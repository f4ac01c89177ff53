import Foundation
import HostedContent
import Testing

@Suite("A hostile package") struct HostilePackageTests {
  @Test("is refused with its reason", arguments: HostilePackage.all)
  func refusedWith(package: HostilePackage) throws {
    let lab = try PackageLab()
    let path = try lab.write("package", package.bytes())
    do {
      let report = try PackageInspection.judge(
        path: path, expecting: package.expectations, limits: package.limits)
      let codes = report.faults.map(\.code)
      guard case .fault(let code) = package.reason else {
        Issue.record("it was read, with \(report.faults)")
        return
      }
      #expect(codes.contains(code), "\(report.faults)")
      #expect(report.faults.allSatisfy { !$0.message.isEmpty })
    } catch {
      #expect(package.reason == .malformed, "\(error)")
      #expect(error.code == .malformed, "\(error)")
    }
  }

  @Test("is judged by itself, and not by a call that failed before on the same thread")
  func failedBefore() throws {
    let package = try #require(
      HostilePackage.all.first { $0.name == "a name that says it is UTF-8 and is not" })
    let lab = try PackageLab()
    let path = try lab.write("package", package.bytes())
    errno = ENOMEM
    let report = try PackageInspection.judge(
      path: path, expecting: package.expectations, limits: package.limits)
    #expect(report.faults.map(\.code).contains(.invalidUTF8))
  }

  @Test("leaves nothing outside, even with a sink that trusts it", arguments: HostilePackage.all)
  func leavesNothing(
    package: HostilePackage
  ) throws {
    let lab = try PackageLab()
    let path = try lab.write("package", package.bytes())
    try lab.write("around/canary", "alive")
    try FileManager.default.createDirectory(
      atPath: lab.path("around/root"), withIntermediateDirectories: true)
    var sink = TrustingSink(root: lab.path("around/root"))
    do {
      var opened = try OpenedPackage(path: path)
      let report = try PackageInspection.judge(
        &opened, packedBytes: opened.packedBytes, expecting: package.expectations,
        limits: package.limits, into: &sink)
      #expect(!report.isValid)
    } catch {
      #expect(error.code == .malformed, "\(error)")
    }
    let around = try FileManager.default.contentsOfDirectory(atPath: lab.path("around"))
    #expect(around.sorted() == ["canary", "root"])
    let beside = try FileManager.default.contentsOfDirectory(atPath: lab.path)
    #expect(beside.sorted() == ["around", "package"])
    #expect(try String(contentsOfFile: lab.path("around/canary"), encoding: .utf8) == "alive")
    #expect(!FileManager.default.fileExists(atPath: HostilePackage.outside))
    #expect(sink.paths.allSatisfy { !$0.hasPrefix("/") && !$0.contains("..") })
  }

  @Test("there are at least forty of them") func thereAt() {
    #expect(HostilePackage.all.count >= 40)
    #expect(Set(HostilePackage.all.map(\.name)).count == HostilePackage.all.count)
  }

  @Test("every kind of fault is shown by one") func everyKind() {
    // libarchive itself detects a wrong size; these two are passed to the check directly.
    let elsewhere: Set<PackageFault.Code> = [.sizeMismatch, .hardLink]
    let shown = Set(
      HostilePackage.all.compactMap { package -> PackageFault.Code? in
        guard case .fault(let code) = package.reason else { return nil }
        return code
      })
    #expect(Set(PackageFault.Code.allCases).subtracting(shown) == elsewhere)
  }
}
