import EventMix
import Foundation
import LedgerStore

/// `daybook content install` of a folder, beside `cp -r` of it followed by `sync`: ten thousand
/// small files, and one large one. An install hashes every byte and tells its ledger besides.
let installBenchmark = Benchmark(
  name: "content.install", about: "packages of 10,000 files and of 1.9 GB, beside cp -r and sync"
) { context in
  let small = context.isQuick ? 1_000 : 10_000
  let large = context.isQuick ? 50_000_000 : 1_900_000_000
  return try context.withFolder { folder in
    var figures: [Figure] = []
    let ledger = folder.appending(path: "ledger").path
    _ = try Ledger.create(at: ledger)
    let packages: [(name: String, make: (URL) throws -> Int)] = [
      ("files.\(small)", { try makeSmall($0, count: small) }),
      ("bytes.\(large)", { try makeLarge($0, bytes: large) }),
    ]
    for (name, make) in packages {
      let package = folder.appending(path: "package")
      let bytes = try make(package)
      let copied = folder.appending(path: "copied").path
      let root = folder.appending(path: "root").path
      try run("/bin/sync")
      let copying = try seconds {
        try run("/bin/cp", ["-r", package.path, copied])
        try run("/bin/sync")
      }
      let memory = folder.appending(path: "memory-\(name)")
      var words = [
        daybook, "content", "install", package.path, "--into", root, "--ledger", ledger,
        "--account", "keeper", "--device", name,
      ]
      let time = "/usr/bin/time"
      if FileManager.default.isExecutableFile(atPath: time) {
        words = [time, "-f", "%M", "-o", memory.path] + words
      }
      let installing = try seconds { try run(words[0], Array(words.dropFirst())) }
      // Both stay until both were measured, and the next round waits: for five seconds ext4 passes
      // over inodes that were given back, which costs whoever makes files next.
      for path in [copied, root, package.path] {
        try FileManager.default.removeItem(atPath: path)
      }
      try run("/bin/sync")
      Thread.sleep(forTimeInterval: 6)
      figures.append(
        Figure(
          name: "content.install/\(name)", unit: "bytes/s", daybook: Double(bytes) / installing,
          baseline: Double(bytes) / copying, floor: .ratioAtLeast(0.7)))
      if let bytes = try peak(memory) {
        figures.append(
          Figure(
            name: "content.install/\(name) memory", unit: "bytes", daybook: bytes,
            floor: .atMost(100_000_000)))
      }
    }
    return figures
  }
}

/// The program, which stands beside this one.
private let daybook = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
  .appending(path: "daybook").path

private func run(_ program: String, _ words: [String] = []) throws {
  let process = Process()
  process.executableURL = URL(filePath: program)
  process.arguments = words
  process.standardOutput = FileHandle.nullDevice
  try process.run()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw Baseline.Failed(description: "\(program) \(words.joined(separator: " ")) failed")
  }
}

/// What GNU time wrote of the peak of memory, in bytes; nil where it is not there.
private func peak(_ file: URL) throws -> Double? {
  guard FileManager.default.fileExists(atPath: file.path) else { return nil }
  let text = try String(contentsOf: file, encoding: .utf8)
  return Int(text.filter(\.isNumber)).map { Double($0 * 1_024) }
}

/// Makes the frame of a package; returns the folder for its files.
private func makeFrame(_ package: URL) throws -> URL {
  let contents = package.appending(path: "Contents")
  try FileManager.default.createDirectory(at: contents, withIntermediateDirectories: true)
  try PropertyListSerialization.data(
    fromPropertyList: ["ContentVersion": "1.0", "IAPProductIdentifier": "maps"], format: .xml,
    options: 0
  ).write(to: package.appending(path: "ContentInfo.plist"))
  return contents
}

/// Files of 1 to 16 KiB, a hundred in a folder; returns the bytes of all.
private func makeSmall(_ package: URL, count: Int) throws -> Int {
  let contents = try makeFrame(package)
  var random = SplitMix64(seed: 11)
  var total = 0
  for number in 0..<count {
    let folder = contents.appending(path: "tiles-\(number / 100)")
    if number % 100 == 0 {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    let data = noise(1_024 + Int(random.next() % 15_360), &random)
    try data.write(to: folder.appending(path: "tile-\(number).bin"))
    total += data.count
  }
  return total
}

/// One file; returns its bytes.
private func makeLarge(_ package: URL, bytes: Int) throws -> Int {
  let path = try makeFrame(package).appending(path: "film.bin")
  try Data().write(to: path)
  let file = try FileHandle(forWritingTo: path)
  var random = SplitMix64(seed: 12)
  // One block of noise again and again: nothing here packs or shares blocks.
  let block = noise(1 << 20, &random)
  var left = bytes
  while left > 0 {
    let count = min(left, block.count)
    try file.write(contentsOf: block.prefix(count))
    left -= count
  }
  try file.close()
  return bytes
}

private func noise(_ count: Int, _ random: inout SplitMix64) -> Data {
  var data = Data(capacity: count + 8)
  while data.count < count {
    let word = random.next()
    for shift in stride(from: 0, to: 64, by: 8) {
      data.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
    }
  }
  return data.prefix(count)
}
