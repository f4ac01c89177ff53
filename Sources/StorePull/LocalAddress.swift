/// Whether a host in an address is this machine, in whichever way it is written.
///
/// A name whose owner points it at 127.0.0.1 is not seen here: only asking for it would tell.
enum LocalAddress {
  static func names(_ host: String) -> Bool {
    var name = host.lowercased()[...]
    if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
    if name.hasSuffix(".") { name = name.dropLast() }
    if name == "localhost" || name.hasSuffix(".localhost") { return true }
    if let address = version4(name) { return isLocal(address) }
    guard let groups = version6(name) else { return false }
    // The unspecified address and the loopback (RFC 4291, 2.5.2 and 2.5.3).
    if groups.dropLast().allSatisfy({ $0 == 0 }), groups[7] <= 1 { return true }
    // IPv4-compatible and IPv4-mapped ones (RFC 4291, 2.5.5).
    let isMapped =
      groups[..<5].allSatisfy { $0 == 0 } && (groups[5] == 0 || groups[5] == 0xFFFF)
    return isMapped && isLocal(UInt32(groups[6]) << 16 | UInt32(groups[7]))
  }

  /// 127.0.0.0/8 is the loopback, and what is sent to 0.0.0.0 comes here, too (RFC 1122).
  private static func isLocal(_ address: UInt32) -> Bool {
    address >> 24 == 127 || address >> 24 == 0
  }

  /// One to four numbers, decimal, octal or hexadecimal, the last of which fills what is left: as
  /// `inet_aton` reads them, and with it most programs that connect.
  private static func version4(_ text: Substring) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...4).contains(parts.count) else { return nil }
    var address: UInt64 = 0
    for (index, part) in parts.enumerated() {
      guard let number = number(part) else { return nil }
      let bytes = index == parts.count - 1 ? 5 - parts.count : 1
      guard number < 1 << UInt64(8 * bytes) else { return nil }
      address = address << UInt64(8 * bytes) | number
    }
    return UInt32(exactly: address)
  }

  private static func number(_ text: Substring) -> UInt64? {
    // A sign is no digit, though the initializers of numbers take it.
    guard let first = text.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    else { return nil }
    if text.hasPrefix("0x") {
      let digits = text.dropFirst(2)
      guard digits.allSatisfy(\.isHexDigit) else { return nil }
      return digits.isEmpty ? 0 : UInt64(digits, radix: 16)
    }
    return UInt64(text, radix: text.hasPrefix("0") && text.utf8.count > 1 ? 8 : 10)
  }

  /// The eight groups of an address (RFC 4291, 2.2), without its zone.
  private static func version6(_ text: Substring) -> [UInt16]? {
    let address = text.prefix { $0 != "%" }
    guard address.contains(":") else { return nil }
    let halves = address.split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2 else { return nil }
    var groups: [[UInt16]] = []
    for half in halves {
      guard let read = self.groups(half) else { return nil }
      groups.append(read)
    }
    let count = groups.reduce(0) { $0 + $1.count }
    guard groups.count == 2 ? count < 8 : count == 8 else { return nil }
    guard groups.count == 2 else { return groups[0] }
    return groups[0] + [UInt16](repeating: 0, count: 8 - count) + groups[1]
  }

  private static func groups(_ half: Substring) -> [UInt16]? {
    guard !half.isEmpty else { return [] }
    var groups: [UInt16] = []
    for part in half.split(separator: ":", omittingEmptySubsequences: false) {
      if part.contains(".") {
        guard let address = version4(part) else { return nil }
        groups += [UInt16(address >> 16), UInt16(truncatingIfNeeded: address)]
      } else {
        guard (1...4).contains(part.utf8.count), let group = UInt16(part, radix: 16) else {
          return nil
        }
        groups.append(group)
      }
    }
    return groups
  }
}
