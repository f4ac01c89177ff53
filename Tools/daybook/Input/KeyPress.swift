import Replay

/// A key that the walk through a replay knows.
enum KeyPress: Equatable {
  case go(ReplayWalk.Move)
  /// Scrolls what does not fit on the screen, by lines.
  case roll(Int)
  case quit
  case unknown

  /// Returns the keys in the bytes that a terminal sent. An incomplete sequence stays in `bytes`.
  static func take(from bytes: inout [UInt8]) -> [KeyPress] {
    var keys: [KeyPress] = []
    while let first = bytes.first {
      guard first == escape else {
        bytes.removeFirst()
        keys.append(plain[first] ?? .unknown)
        continue
      }
      // CSI or SS3, parameters, and a byte that ends it (ECMA-48, section 5.4).
      guard bytes.count > 1 else { return keys }
      guard [UInt8(ascii: "["), UInt8(ascii: "O")].contains(bytes[1]) else {
        bytes.removeFirst()
        continue
      }
      guard let end = bytes[2...].firstIndex(where: { (0x40...0x7E).contains($0) }) else {
        return keys
      }
      keys.append(sequences[String(decoding: bytes[2...end], as: UTF8.self)] ?? .unknown)
      bytes.removeSubrange(...end)
    }
    return keys
  }

  private static let escape: UInt8 = 0x1B

  private static let plain: [UInt8: KeyPress] = [
    UInt8(ascii: " "): .go(.forward), UInt8(ascii: "j"): .go(.forward),
    UInt8(ascii: "l"): .go(.forward), UInt8(ascii: "\r"): .go(.forward),
    UInt8(ascii: "\n"): .go(.forward), UInt8(ascii: "k"): .go(.back),
    UInt8(ascii: "h"): .go(.back), 0x7F: .go(.back), UInt8(ascii: "g"): .go(.first),
    UInt8(ascii: "G"): .go(.last), UInt8(ascii: "f"): .go(.nextFinding),
    UInt8(ascii: "F"): .go(.previousFinding), UInt8(ascii: "d"): .roll(10),
    UInt8(ascii: "u"): .roll(-10), UInt8(ascii: "q"): .quit, 0x04: .quit,
  ]

  private static let sequences: [String: KeyPress] = [
    "A": .go(.back), "B": .go(.forward), "C": .go(.forward), "D": .go(.back), "H": .go(.first),
    "F": .go(.last), "1~": .go(.first), "4~": .go(.last), "7~": .go(.first), "8~": .go(.last),
    "5~": .roll(-10), "6~": .roll(10),
  ]
}
