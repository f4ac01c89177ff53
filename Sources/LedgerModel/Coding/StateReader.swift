import LedgerEvents

/// The reason why persisted state cannot be read.
public struct StateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of error that a program can distinguish.
  public enum Code: Sendable {
    /// Another version of the format wrote it. Fold the facts again.
    case version
    /// A length, an index or a text in it is invalid, because it was damaged.
    case corrupt
  }

  public let code: Code
  /// Where reading stopped, in bytes from the beginning.
  public let offset: Int

  public var description: String {
    switch code {
    case .version: "the state was written by another version of the format; fold the unit anew"
    case .corrupt: "the state is damaged at byte \(offset); fold the unit anew"
    }
  }

  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// Reads persisted state. Whatever the bytes are, it reads within them or throws.
struct StateReader {
  private let bytes: [UInt8]
  private var at = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { at == bytes.count }

  func error(_ code: StateError.Code = .corrupt) -> StateError {
    StateError(code: code, offset: at)
  }

  mutating func byte() throws(StateError) -> UInt8 {
    guard at < bytes.count else { throw error() }
    defer { at += 1 }
    return bytes[at]
  }

  mutating func unsigned() throws(StateError) -> UInt64 {
    if at < bytes.count, bytes[at] < 0x80 {
      defer { at += 1 }
      return UInt64(bytes[at])
    }
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      let part = UInt64(next & 0x7F)
      if shift == 63 && part > 1 { throw error() }
      value |= part << shift
      if next < 0x80 { return value }
      shift += 7
      if shift > 63 { throw error() }
    }
  }

  mutating func number() throws(StateError) -> NameNumber {
    guard let number = NameNumber(exactly: try unsigned()) else { throw error() }
    return number
  }

  mutating func boolean() throws(StateError) -> Bool {
    let value = try byte()
    if value > 1 { throw error() }
    return value == 1
  }

  mutating func index() throws(StateError) -> Int {
    let folded = try unsigned()
    let index = Int(Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1))
    guard index >= Holder.merged.index && index <= Self.indexMax else { throw error() }
    return index
  }

  mutating func holder() throws(StateError) -> Holder { Holder(customer: try index()) }

  /// The upper limit of an index or a count, which is far more than a ledger's events.
  private static let indexMax = 1 << 40

  mutating func signed() throws(StateError) -> Int64 {
    let shifted = try unsigned()
    if shifted == 0 { return .min }
    if shifted == 1 { return .max }
    let folded = shifted - 2
    return Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
  }

  mutating func double() throws(StateError) -> Double {
    guard try boolean() else { return .nan }
    return Double(bitPattern: try fixed())
  }

  mutating func fixed() throws(StateError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 8) { value |= UInt64(try byte()) << shift }
    return value
  }

  /// The number of elements that follow, each of which takes at least one byte.
  mutating func count() throws(StateError) -> Int {
    guard let count = Int(exactly: try unsigned()), count <= bytes.count - at else {
      throw error()
    }
    return count
  }

  mutating func name() throws(StateError) -> Name {
    let count = try count()
    guard let text = String(validating: bytes[at..<(at + count)], as: UTF8.self) else {
      throw error()
    }
    at += count
    return Name(text)
  }

  mutating func optionalName() throws(StateError) -> Name? {
    try boolean() ? try name() : nil
  }

  mutating func optionalHash() throws(StateError) -> UInt64? {
    try boolean() ? try fixed() : nil
  }

  /// The number of rows of a table, whose rows follow elsewhere.
  mutating func rowCount() throws(StateError) -> Int {
    guard let count = Int(exactly: try unsigned()), count <= Self.indexMax else { throw error() }
    return count
  }

  mutating func list<Element: Persisted>() throws(StateError) -> [Element] {
    try rows(try count())
  }

  /// Reads so many elements, each of which takes at least one byte.
  mutating func rows<Element: Persisted>(_ count: Int) throws(StateError) -> [Element] {
    guard count <= bytes.count - at else { throw error() }
    if count == 0 { return [] }
    var list: [Element] = []
    list.reserveCapacity(count)
    for _ in 0..<count { list.append(try Element(from: &self)) }
    return list
  }

  /// Reads a case of an enumeration from its raw value, one byte.
  mutating func choice<Choice: RawRepresentable<UInt8>>() throws(StateError) -> Choice {
    guard let choice = Choice(rawValue: try byte()) else { throw error() }
    return choice
  }
}
