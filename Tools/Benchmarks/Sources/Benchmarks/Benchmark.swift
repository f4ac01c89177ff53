import Foundation
import LedgerStore

/// What a benchmark is given.
struct BenchmarkContext: Sendable {
  /// Small sizes: does it run at all, and is nothing off by a factor?
  var isQuick: Bool
  /// The most events of a sustained run.
  var events: Int
  var baseline = Baseline()

  /// A new folder, taken away again with everything in it when `body` is done.
  func withFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "daybook-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch {
        complain("\(folder.path) stays behind: \(error)")
      }
    }
    return try body(folder)
  }
}

/// A named measurement; one run of it gives its figures.
struct Benchmark: Sendable {
  var name: String
  var about: String
  var run: @Sendable (BenchmarkContext) throws -> [Figure]
}

/// How long `body` took, in seconds.
func seconds(_ body: () throws -> Void) rethrows -> Double {
  let duration = try ContinuousClock().measure(body)
  return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
}

/// Says something that is no result.
func complain(_ text: String) {
  FileHandle.standardError.write(Data((text + "\n").utf8))
}

/// Events as the decoder hands them on: it has checked them.
let checked = AppendOptions(validates: false)
