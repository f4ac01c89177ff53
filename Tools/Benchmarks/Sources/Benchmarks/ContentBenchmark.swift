import Foundation
import HostedContent

/// What the judge of content packages takes, beside `sha256sum` over the same files.
///
/// Both read from the page cache: the files are read once before anything is measured.
let contentBenchmark = Benchmark(
  name: "content.validate", about: "a package judged, beside sha256sum over its files"
) { context in
  try context.withFolder { folder in
    let small = folder.appending(path: "small")
    let count = context.isQuick ? 1_000 : 10_000
    try writeInfo(small)
    try writeSmallFiles(small, count: count)
    let large = folder.appending(path: "large")
    try writeInfo(large)
    try writeSparseFile(large, bytes: context.isQuick ? 190_000_000 : 1_900_000_000)
    return [
      try figure("content.validate.small", small), try figure("content.validate.large", large),
    ]
  }
}

private let smallFileBytes = 8 * 1024

private func figure(_ name: String, _ folder: URL) throws -> Figure {
  try hashBySha256sum(folder)
  var bytes: UInt64 = 0
  let own = try seconds {
    let report = try PackageInspection.judge(path: folder.path)
    guard report.isValid else {
      throw Baseline.Failed(description: "the package has faults: \(report.faults)")
    }
    bytes = report.bytes
  }
  let other = try seconds { try hashBySha256sum(folder) }
  return Figure(
    name: name, unit: "bytes/s", daybook: Double(bytes) / own, baseline: Double(bytes) / other,
    floor: .ratioAtLeast(0.7))
}

private func hashBySha256sum(_ folder: URL) throws {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/sh")
  process.arguments = ["-c", "find . -type f -print0 | xargs -0 sha256sum > /dev/null"]
  process.currentDirectoryURL = folder
  try process.run()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw Baseline.Failed(description: "sha256sum ended with \(process.terminationStatus)")
  }
}

private func writeInfo(_ folder: URL) throws {
  try FileManager.default.createDirectory(
    at: folder.appending(path: "Contents"), withIntermediateDirectories: true)
  let info = ["ContentVersion": "1.0", "IAPProductIdentifier": "atlas"]
  try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
    .write(to: folder.appending(path: "ContentInfo.plist"))
}

private func writeSmallFiles(_ folder: URL, count: Int) throws {
  for index in 0..<count {
    let part = folder.appending(path: "Contents/part-\(index / 100)")
    if index % 100 == 0 {
      try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
    }
    let bytes = (0..<smallFileBytes / 8).flatMap { word in
      withNumber(UInt64(index) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(word))
    }
    try Data(bytes).write(to: part.appending(path: "tile-\(index).png"))
  }
}

private func withNumber(_ number: UInt64) -> [UInt8] {
  (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
}

/// A file of holes: what is measured is the reading and the hashing, not the disk.
private func writeSparseFile(_ folder: URL, bytes: UInt64) throws {
  let file = folder.appending(path: "Contents/film.mov")
  try Data().write(to: file)
  let handle = try FileHandle(forWritingTo: file)
  try handle.truncate(atOffset: bytes)
  try handle.close()
}
