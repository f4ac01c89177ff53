internal import LedgerEvents
internal import LedgerStore

/// The lines of an incident bundle, drawn in `docs/bundles.md`.
enum BundleFormat {
  /// What this code writes and reads.
  static let version: Int64 = 1

  /// The longest line, in bytes: an entry of an event of 1 MiB, whose names may stand in it twice,
  /// in base64, and the event beside it.
  static let lineBytesMax = 8 << 20
  /// The most bytes that are read: a bundle is of one customer, and is held in memory.
  static let bytesMax = 1 << 28
  /// The most leaves that are read.
  static let leavesMax = 1_000_000
  /// The most nodes: no leaf needs more than the tree has levels.
  static let nodesMax = 40 * leavesMax
  /// Nodes on one line.
  static let lineNodesMax = 256

  static let start = Array(#"{"bundle":"#.utf8)
  static let lineFeed = [UInt8(ascii: "\n")]

  /// A leaf with the event that its bytes tell; without one where it stands there for a name alone.
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

  /// What a line of an entry carries; nil where it is another line. What it says of the event is
  /// not read but to be made again, and compared.
  ///
  /// - Throws: ``ProofError``: `malformed` where a personal member is none.
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

  /// The personal members that stand behind a role; nil where they are none.
  private static func personal(
    _ rest: ArraySlice<UInt8>
  ) throws(ProofError) -> [PersonalMember]? {
    guard rest.starts(with: personalStart) else { return [] }
    let start = rest.startIndex + personalStart.count
    // Inside of a text a quote is escaped: the first such end is the end.
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

/// What a leaf is in a bundle for.
enum BundleRole: String, CaseIterable {
  /// An event of the customer: a step of a replay.
  case step
  /// An event that is connected with those, and decides what they come to.
  case ground
  /// An event that they are judged by and that is not connected with them.
  case background
  /// The entry that introduced a name which an event uses.
  case names
}
