import HostedContent
import Testing

/// Passes entries to the check that no container can state, or not through libarchive.
@Suite("The judge of a package") struct PackageInspectionTests {
  private static let text = Array("text".utf8)

  private func show(
    _ inspection: inout PackageInspection, _ path: String, _ kind: PackageEntry.Kind,
    _ bytes: [UInt8] = text
  ) -> Bool {
    let entry = PackageEntry(path: path, kind: kind, permissions: 0o644)
    let isWritten = inspection.begin(entry) != nil
    if case .file = kind { inspection.take(bytes[...]) }
    inspection.endEntry()
    return isWritten
  }

  private func codes(_ report: PackageReport) -> [PackageFault.Code] {
    report.faults.map(\.code).filter { ![.infoMissing, .contentsMissing].contains($0) }
  }

  @Test(
    "a hard link to anything but a file before it is refused",
    arguments: ["Contents/b", "Contents/later", "../a", "/etc/passwd", "Contents", ""])
  func hardLink(target: String) {
    var inspection = PackageInspection()
    #expect(show(&inspection, "Contents/a", .file(bytes: 4)))
    #expect(!show(&inspection, "Contents/b", .hardLink(target: target)))
    #expect(!show(&inspection, "Contents/later", .file(bytes: 4)))
    #expect(codes(inspection.report()) == [.hardLink])
  }

  @Test("a hard link by way of a link is refused") func hardLinkWay() {
    var inspection = PackageInspection()
    #expect(show(&inspection, "Contents/a", .file(bytes: 4)))
    #expect(show(&inspection, "Contents/l", .link(target: "a")))
    #expect(!show(&inspection, "Contents/b", .hardLink(target: "Contents/l")))
    #expect(codes(inspection.report()) == [.hardLink])
  }

  @Test("hard links count as often as they are") func hardLinks() {
    var limits = PackageLimits()
    limits.bytesMax = 10
    var inspection = PackageInspection(limits: limits)
    #expect(show(&inspection, "Contents/a", .file(bytes: 4)))
    #expect(show(&inspection, "Contents/b", .hardLink(target: "Contents/a")))
    #expect(!show(&inspection, "Contents/c", .hardLink(target: "Contents/a")))
    let wantsData = inspection.wantsData
    #expect(!wantsData)
    #expect(codes(inspection.report()) == [.tooLarge])
  }

  @Test("an entry that holds other than it states is refused", arguments: [0, 3, 5])
  func entryHolds(bytes: UInt64) {
    var inspection = PackageInspection()
    _ = show(&inspection, "Contents/a", .file(bytes: bytes))
    #expect(codes(inspection.report()) == [.sizeMismatch])
  }

  @Test("an entry that states no size is counted") func entryStates() {
    var limits = PackageLimits()
    limits.bytesMax = 10
    var inspection = PackageInspection(limits: limits)
    for index in 0..<4 { _ = show(&inspection, "Contents/\(index)", .file(bytes: nil)) }
    let wantsData = inspection.wantsData
    #expect(!wantsData)
    #expect(codes(inspection.report()) == [.tooLarge])
  }

  @Test("a container of more than the store takes is refused") func containerMore() {
    let inspection = PackageInspection(packedBytes: 2_000_000_001)
    #expect(codes(inspection.report()) == [.tooLarge])
  }

  @Test("nothing may be written after the first fault, whatever it is") func nothingMay() {
    var inspection = PackageInspection()
    #expect(show(&inspection, "Contents/a", .file(bytes: 4)))
    #expect(!show(&inspection, "../b", .file(bytes: 4)))
    #expect(!show(&inspection, "Contents/c", .file(bytes: 4)))
    let isSafe = inspection.isSafe
    #expect(!isSafe)
  }

  @Test("what is written has its path without what means nothing") func writtenHas() {
    var inspection = PackageInspection()
    #expect(
      inspection.begin(
        PackageEntry(path: "./Contents/", kind: .folder, permissions: 0o755))?.path == "Contents")
    inspection.endEntry()
    #expect(
      inspection.begin(PackageEntry(path: "./", kind: .folder, permissions: 0o755)) == nil)
    inspection.endEntry()
    let isSafe = inspection.isSafe
    #expect(isSafe)
  }
}
