internal import LMDB

/// The key of a block's row: 16 bytes, big-endian.
///
///     bytes  0…3   number of the run, 1 and up; run 0 is the manifest
///            4…11  key of the block's first entry
///           12…15  value of the block's first entry
///
/// The value is included because the values of one key can fill several blocks.
struct RunKey {
  /// The sixteen bytes as one number with the same order.
  let number: UInt128

  /// The row of the manifest.
  static let manifest = RunKey(number: 0)

  init(number: UInt128) { self.number = number }

  /// Creates the key of the block of `run` whose first entry has the order `order`.
  init(run: UInt32, order: UInt128) {
    number = UInt128(truncatingIfNeeded: run) << 96 | order
  }

  /// Reads a key of the table.
  ///
  /// - Throws: ``RunsError`` if it does not have 16 bytes.
  init(_ bytes: Span<UInt8>) throws(RunsError) {
    guard bytes.count == 16 else {
      throw .corrupt("A key among the sorted runs has \(bytes.count) bytes instead of 16")
    }
    let high = bytes.word(at: 0).byteSwapped
    let low = bytes.word(at: 8).byteSwapped
    number = UInt128(truncatingIfNeeded: high) << 64 | UInt128(truncatingIfNeeded: low)
  }

  /// The run that the block belongs to.
  var run: UInt32 { UInt32(truncatingIfNeeded: number >> 96) }

  /// The key of the block's first entry.
  var firstKey: UInt64 { UInt64(truncatingIfNeeded: number >> 32) }

  /// The next greater key.
  var successor: RunKey { RunKey(number: number + 1) }

  /// The bytes, as two words in memory order.
  var words: InlineArray<2, UInt64> {
    [
      UInt64(truncatingIfNeeded: number >> 64).bigEndian,
      UInt64(truncatingIfNeeded: number).bigEndian,
    ]
  }
}
