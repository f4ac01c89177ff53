internal import LedgerEvents
internal import LedgerStore

/// The lines of an incident bundle, drawn in `docs/bundles.md`.
enum BundleFormat {
  /// The format version that this code writes and reads.
  static let version: Int64 = 1

  /// The maximum length of a line in bytes. A line has an entry in base64 and its event. An event
  /// has up to 1 MiB, and its names may occur twice in the entry.
  static let lineBytesMax = 8 << 20
  /// The maximum number of bytes that are read. A bundle is about one customer and is kept in
  /// memory.
  static let bytesMax = 1 << 28
  /// The maximum number of leaves that are read.
  static let leavesMax = 1_000_000
  /// The maximum number of nodes: no leaf needs more nodes than the tree has levels.
  static let nodesMax = 40 * leavesMax
  /// The maximum number of nodes on one line.
  static let lineNodesMax = 256

  static let start = Array(#"{"bundle":"#.utf8)
  static let lineFeed = [UInt8(ascii: "\n")]

  /// Returns the line for a leaf, with the event that its bytes encode; without an event if the
  /// leaf only introduces a name.
  static func line(
    _ entry: [UInt8], _ role: BundleRole, _ personal: [PersonalMember], _ event: RecordedEvent?
  ) -> [UInt8] {
    var line = leafStart
    line += Array(StandardBase64.encode(entry).utf8)
    line += Array(#"","role":"\#(role.rawValue)""#.utf8)
    if !personal.isEmpty {
      line += personalStart
      line += JSONValue.array(personal.map(\.value)).json
    }
    if let event {
      line += Array(#","event":"#.utf8)
      EventEncoder().append(event, to: &line)
    }
    line.append(UInt8(ascii: "}"))
    return line
  }

  private static let leafStart = Array(#"{"leaf":""#.utf8)
  private static let personalStart = Array(#","personal":"#.utf8)
  private static let personalEnd = Array(#"],"event":"#.utf8)

  /// Returns the contents of an entry's line; nil if it is another kind of line. The event in the
  /// line is not read: it is rebuilt and compared.
  ///
  /// - Throws: ``ProofError``: `malformed` if a personal member is invalid.
  static func leaf(
    _ line: [UInt8]
  ) throws(ProofError) -> (entry: [UInt8], role: BundleRole, personal: [PersonalMember])? {
    guard line.starts(with: leafStart) else { return nil }
    let rest = line[leafStart.count...]
    guard let end = rest.firstIndex(of: UInt8(ascii: "\"")),
      let base64 = String(validating: rest[..<end], as: UTF8.self),
      let entry = StandardBase64.decode(base64)
    else { return nil }
    for role in BundleRole.allCases {
      let text = #"","role":"\#(role.rawValue)""#
      guard rest[end...].starts(with: text.utf8) else { continue }
      guard let personal = try personal(rest[(end + text.utf8.count)...]) else { return nil }
      return (entry, role, personal)
    }
    return nil
  }

  /// Returns the personal members after a role; nil if they are invalid.
  private static func personal(
    _ rest: ArraySlice<UInt8>
  ) throws(ProofError) -> [PersonalMember]? {
    guard rest.starts(with: personalStart) else { return [] }
    let start = rest.startIndex + personalStart.count
    // Quotes inside strings are escaped, so the first match is the end.
    guard
      let end = rest.indices.dropFirst(personalStart.count).first(where: {
        rest[$0] == personalEnd[0] && rest[$0...].starts(with: personalEnd)
      })
    else { return nil }
    let value: JSONValue
    do throws(EventError) { value = try JSONValue(json: Array(rest[start...end])) } catch {
      return nil
    }
    var members: [PersonalMember] = []
    for value in value.array ?? [] {
      members.append(try PersonalMember(try ProofObject(value, "personal")))
    }
    return members
  }

  static func line(_ nodes: ArraySlice<TreeHash>) -> [UInt8] {
    let texts = nodes.map { "\"\(StandardBase64.encode($0.bytes))\"" }
    return Array(#"{"nodes":["#.utf8) + Array(texts.joined(separator: ",").utf8)
      + Array("]}".utf8)
  }
}

/// The reason why a leaf is in a bundle.
enum BundleRole: String, CaseIterable {
  /// An event of the customer: a step of a replay.
  case step
  /// An event that is connected with the customer's events and affects the answers about them.
  case ground
  /// An event that affects the answers but is not connected with the customer's events.
  case background
  /// The entry that introduced a name that an event uses.
  case names
}
