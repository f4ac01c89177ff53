import Foundation
import HostedContent
import LedgerHistories
import Testing

@Suite("Packages with random damage") struct PackageFuzzTests {
  /// The number of damaged packages of each kind. `DAYBOOK_FUZZ_ROUNDS` overrides it.
  private static var rounds: Int {
    Int(ProcessInfo.processInfo.environment["DAYBOOK_FUZZ_ROUNDS"] ?? "") ?? 300
  }

  @Test(
    "are refused or read, and nothing else happens",
    arguments: ["zip", "deflated zip", "xar", "plist"])
  func refusedRead(kind: String) throws {
    let lab = try PackageLab()
    let good: [UInt8]
    switch kind {
    case "zip": good = PackageLab.goodZip().bytes
    case "deflated zip":
      let zeros = TestZip.deflatedZeros(40)
      good = PackageLab.zip {
        $0.entries.append(
          .init(
            name: Array("Contents/z".utf8), data: zeros.data, method: 8,
            statedBytes: zeros.bytes))
      }
    case "xar": good = PackageLab.xar("").bytes
    default: good = Array(PackageLab.info().utf8)
    }
    for seed in 0..<UInt64(Self.rounds) {
      var random = SeededRandom(seed: seed)
      var bytes = good
      for _ in 0..<1 + random.next() % 4 {
        let index = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 4 {
        case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes[index] ^= 1 << UInt8(random.next() % 8)
        case 2: bytes.removeSubrange(index..<min(bytes.count, index + 3))
        default: bytes.insert(contentsOf: [0xFF, 0xFF], at: index)
        }
      }
      if kind == "plist" { bytes = PackageLab.zip(info: bytes) }
      let path = try lab.write("package", bytes)
      do {
        let report = try PackageInspection.judge(path: path)
        #expect(report.bytes < 10_000_000, "seed \(seed)")
      } catch {
        #expect(!error.message.isEmpty, "seed \(seed)")
      }
    }
  }
}
