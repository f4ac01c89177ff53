import LedgerEvents

extension Unit {
  /// The version of the format below. State in another version is folded again.
  static let formatVersion: UInt8 = 2

  /// The state as bytes. Equal states have equal bytes.
  ///
  /// - Complexity: O(*n*) in the size of the state.
  public func encoded() -> [UInt8] {
    var writer = StateWriter()
    encode(into: &writer)
    return writer.bytes
  }

  /// Appends the state to `bytes`.
  ///
  /// - Complexity: O(*n*) in the size of the state.
  public func encode(into bytes: inout [UInt8]) {
    var writer = StateWriter()
    encode(into: &writer)
    bytes.append(contentsOf: writer.written)
  }

  private func encode(into writer: inout StateWriter) {
    writer.write(Self.formatVersion)
    identity.encode(into: &writer)
    writer.write(countsEverywhere)
    writer.write(factCount)
    writer.write(lastPosition)
    writer.write(lastKey != nil)
    if let lastKey { lastKey.encode(into: &writer) }
    writer.write(statedAccounts)
    writer.write(environments)
  }

  /// Decodes state that `encoded()` wrote, lent from a page. The bytes are copied once.
  ///
  /// - Throws: `StateError` under the same conditions as `init(decoding:)` for an array.
  public init(decoding bytes: Span<UInt8>) throws(StateError) {
    var copy: [UInt8] = []
    copy.reserveCapacity(bytes.count)
    for index in bytes.indices { copy.append(bytes[index]) }
    try self.init(decoding: copy)
  }

  /// Decodes state that `encoded()` wrote.
  ///
  /// - Throws: `StateError` if the bytes are damaged or in another version. No index in a decoded
  ///   state is outside its table.
  /// - Complexity: O(*n*) in the size of the state.
  public init(decoding bytes: [UInt8]) throws(StateError) {
    var reader = StateReader(bytes)
    guard try reader.byte() == Self.formatVersion else { throw reader.error(.version) }
    identity = try Identity(from: &reader)
    countsEverywhere = try reader.boolean()
    factCount = try reader.index()
    lastPosition = try reader.unsigned()
    lastKey = try reader.boolean() ? try FoldKey(from: &reader) : nil
    statedAccounts = try reader.index()
    environments = try reader.list()
    guard reader.isAtEnd, environments.allSatisfy({ $0.isConsistent }), factCount >= 0 else {
      throw reader.error()
    }
  }
}

extension Identity: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    paymentIndex = try reader.index()
    payments = try reader.list()
    rootIndex = try reader.index()
    roots = try reader.list()
    sessionIndex = try reader.index()
    sessions = try reader.list()
    guard payments.count == paymentIndex.keys.count, roots.count == rootIndex.keys.count,
      sessions.count == sessionIndex.keys.count
    else { throw reader.error() }
  }

  func encode(into writer: inout StateWriter) {
    writer.write(paymentIndex)
    writer.write(payments)
    writer.write(rootIndex)
    writer.write(roots)
    writer.write(sessionIndex)
    writer.write(sessions)
  }
}

/// An environment and two flags, in one byte.
private func packed(_ environment: StoreEnvironment?, _ first: Bool, _ second: Bool) -> UInt8 {
  (environment?.rawValue ?? 0) << 2 | (first ? 1 : 0) | (second ? 2 : 0)
}

extension StateReader {
  fileprivate mutating func packed() throws(StateError) -> (StoreEnvironment?, Bool, Bool) {
    let value = try byte()
    let environment = StoreEnvironment(rawValue: value >> 2)
    if environment == nil && value >> 2 != 0 { throw error() }
    return (environment, value & 1 != 0, value & 2 != 0)
  }
}

extension Identity.Root: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    (environment, isBegun, mixtureFound) = try reader.packed()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(packed(environment, isBegun, mixtureFound))
  }
}

extension Identity.Session: Persisted {
  init(from reader: inout StateReader) throws(StateError) {
    (environment, isReliedUpon, _) = try reader.packed()
  }

  func encode(into writer: inout StateWriter) {
    writer.write(packed(environment, isReliedUpon, false))
  }
}
