import Foundation
import HostedContent
import LedgerEvents
import LedgerHistories
import Testing

@Suite("A real ContentInfo.plist") struct PackageConformanceTests {
  private static let path =
    "../shared/fixtures/MugunthKumar+MKStoreKit/HostedContent/ContentInfo.plist"

  @Test("is read") func read() throws {
    let root = try #require(packageRoot())
    let file = root.appending(path: Self.path).standardizedFileURL
    guard FileManager.default.fileExists(atPath: file.path) else {
      print("SKIPPED: \(Self.path) is not there")
      return
    }
    let bytes = Array(try Data(contentsOf: file))
    let lab = try PackageLab()
    let report = try PackageInspection.judge(
      path: try lab.write("package", PackageLab.zip(info: bytes)))
    #expect(report.faults == [])
    #expect(report.version == "1.0")
    #expect(report.product == "com.steinlogic.iapdemo.nonconsumablewithcontent")
  }

  @Test("is read in binary form too") func readBinary() throws {
    let list = ["ContentVersion": "2.10", "IAPProductIdentifier": "atlas"]
    let bytes = try PropertyListSerialization.data(
      fromPropertyList: list, format: .binary, options: 0)
    let lab = try PackageLab()
    let report = try PackageInspection.judge(
      path: try lab.write("package", PackageLab.zip(info: Array(bytes))))
    #expect(report.faults == [])
    #expect(report.version == "2.10")
  }
}
