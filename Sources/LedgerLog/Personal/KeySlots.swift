internal import LMDB

/// Slots of the key file that were read together, because a call to the system for each takes
/// longer than what is done with it.
///
/// Nobody else creates or changes free slots while the log's write lock is held. But whoever fills
/// a free slot fills those after it, too, so forget what was read of them before.
struct KeySlots {
  /// No slots.
  static let none = KeySlots(first: 1, bytes: [])

  private let first: UInt32
  private let bytes: [UInt8]

  private init(first: UInt32, bytes: [UInt8]) { (self.first, self.bytes) = (first, bytes) }

  /// Reads slots, or as many of them as the file has.
  init(_ slots: ClosedRange<UInt32>, in file: FlatFile) throws(LMDBError) {
    self.init(
      first: slots.lowerBound,
      bytes: try file.read(
        at: PersonalKeys.offset(slots.lowerBound), count: slots.count * Secret.byteCount))
  }

  /// The secret in a slot; `nil` if it is not here, or empty.
  func secret(_ slot: UInt32) -> Secret? {
    guard slot >= first else { return nil }
    let start = Int(slot - first) * Secret.byteCount
    guard start + Secret.byteCount <= bytes.count else { return nil }
    return Secret(slot: bytes[start..<start + Secret.byteCount])
  }
}

extension Secret {
  /// The content of a slot; `nil` if it is empty.
  init?(slot bytes: ArraySlice<UInt8>) {
    guard bytes.contains(where: { $0 != 0 }) else { return nil }
    self.init(Array(bytes))
  }
}
