/// Bech32 without a limit on its length, as age uses it for keys (BIP 173).
enum Bech32 {
  private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
  private static let checksumCount = 6

  /// The lowercase text for `bytes` after the prefix `prefix`, which is lowercase, too.
  static func encode(_ prefix: String, _ bytes: [UInt8]) -> String {
    let data = regrouped(bytes, from: 8, to: 5, isPadded: true) ?? []
    let hash = polymod(expanded(prefix) + data + [UInt8](repeating: 0, count: checksumCount)) ^ 1
    let checksum = (0..<checksumCount).map { index in
      UInt8(truncatingIfNeeded: hash >> UInt32(5 * (checksumCount - 1 - index))) & 31
    }
    let text = (data + checksum).map { alphabet[Int($0)] }
    return prefix + "1" + String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text, whose prefix must be `prefix` in lowercase.
  ///
  /// - Returns: nil if the text mixes cases, has another prefix or does not have its checksum.
  static func decode(_ text: String, prefix: String) -> [UInt8]? {
    let lower = text.lowercased()
    guard text == lower || text == text.uppercased(),
      let separator = lower.utf8.lastIndex(of: UInt8(ascii: "1")),
      lower[..<separator] == prefix
    else { return nil }
    var values: [UInt8] = []
    for character in lower.utf8[separator...].dropFirst() {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      values.append(UInt8(value))
    }
    guard values.count >= checksumCount, polymod(expanded(prefix) + values) == 1 else {
      return nil
    }
    return regrouped(values.dropLast(checksumCount), from: 5, to: 8, isPadded: false)
  }

  private static func expanded(_ prefix: String) -> [UInt8] {
    prefix.utf8.map { $0 >> 5 } + [0] + prefix.utf8.map { $0 & 31 }
  }

  private static let generator: [UInt32] = [
    0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3,
  ]

  private static func polymod(_ values: [UInt8]) -> UInt32 {
    var hash: UInt32 = 1
    for value in values {
      let top = hash >> 25
      hash = (hash & 0x1ff_ffff) << 5 ^ UInt32(value)
      for bit in 0..<5 where top >> UInt32(bit) & 1 == 1 { hash ^= generator[bit] }
    }
    return hash
  }

  /// Groups of `from` bits as groups of `to` bits; nil if what is left over is not padding.
  private static func regrouped(
    _ values: some Sequence<UInt8>, from: UInt32, to: UInt32, isPadded: Bool
  ) -> [UInt8]? {
    var result: [UInt8] = []
    var rest: UInt32 = 0
    var bits: UInt32 = 0
    for value in values {
      rest = rest << from | UInt32(value)
      bits += from
      while bits >= to {
        bits -= to
        result.append(UInt8(truncatingIfNeeded: rest >> bits))
        rest &= 1 << bits - 1
      }
    }
    if isPadded {
      if bits > 0 { result.append(UInt8(truncatingIfNeeded: rest << (to - bits))) }
    } else if bits >= from || rest != 0 {
      return nil
    }
    return result
  }
}
