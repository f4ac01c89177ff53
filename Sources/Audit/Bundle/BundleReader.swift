internal import LedgerEvents
internal import LedgerQueries

/// Reads a bundle line by line. It accepts only what the entries and nodes prove.
///
/// ```swift
/// var reader = BundleReader()
/// for line in lines { try reader.read(line) }
/// let bundle = try reader.finish()
/// let signers = try bundle.signers(of: keys)
/// ```
public struct BundleReader: Sendable {
  private var header: BundleHeader?
  private var line = 0
  private var byteCount = 0
  private var texts = BundleTexts()
  private var leaves: [(index: UInt64, hash: TreeHash)] = []
  private var roles: [BundleRole] = []
  private var nodes: [TreeHash] = []
  private var events: [RecordedEvent] = []
  private var ids: Set<Name> = []
  private var steps: Set<UInt64> = []
  private var background: Set<UInt64> = []

  public init() {}

  /// Reads the next line, without its line feed.
  ///
  /// - Throws: ``ProofError``: `malformed` if it is not a line of a bundle or exceeds a limit;
  ///   `notProven` if it contradicts what its bytes prove.
  /// - Complexity: O(*n*) in the length of the line.
  public mutating func read(_ bytes: [UInt8]) throws(ProofError) {
    line += 1
    byteCount += bytes.count
    guard bytes.count <= BundleFormat.lineBytesMax else {
      throw failure("has \(bytes.count) bytes, more than \(BundleFormat.lineBytesMax)")
    }
    guard byteCount <= BundleFormat.bytesMax else {
      throw failure("is beyond the \(BundleFormat.bytesMax) bytes of a bundle")
    }
    guard let header else {
      self.header = try BundleHeader(bytes)
      return
    }
    if leaves.count < header.leafCount {
      try readLeaf(bytes, header)
    } else if nodes.count < header.nodeCount {
      try readNodes(bytes, header)
    } else {
      throw failure("is after the end: the first line says what the bundle holds")
    }
  }

  /// Returns the bundle, if it is complete and gives the root of its checkpoint.
  ///
  /// - Throws: ``ProofError``: `malformed` if lines are missing, `notProven`.
  /// - Complexity: O(*k* log *n*) hashes for *k* entries of a tree of *n*.
  public func finish() throws(ProofError) -> IncidentBundle {
    guard let header else { throw .malformed("the file is empty: expected a bundle") }
    guard leaves.count == header.leafCount, nodes.count == header.nodeCount else {
      throw .malformed(
        "the bundle ends after \(leaves.count) of \(header.leafCount) entries and \(nodes.count) "
          + "of \(header.nodeCount) nodes: get it again, something was cut off")
    }
    guard events.count == header.eventCount else {
      throw .malformed(
        "the bundle has \(events.count.counted("event")), and its first line says "
          + "\(header.eventCount)"
      )
    }
    if let account = header.account {
      guard events.contains(where: { $0.event.names(account) }) else {
        throw .notProven("no event of the bundle is of \(account.text), as its first line says")
      }
    }
    let checkpoint = header.checkpoint
    let root: TreeHash
    do throws(MultiProofError) {
      root = try TreeMultiProof(size: checkpoint.size, nodes: nodes).root(of: leaves)
    } catch {
      throw .notProven("the bundle's proof proves nothing: \(error)")
    }
    guard root == checkpoint.root else {
      throw .notProven(
        "the entries and nodes make the root \(root.hexadecimal), and the checkpoint's is "
          + "\(checkpoint.root.hexadecimal): an entry, a node or the checkpoint was changed")
    }
    let manifest = BundleManifest(
      account: header.account, eventCount: header.eventCount, nodeCount: header.nodeCount,
      leaves: zip(leaves, roles).map { (position: $0.index + 1, role: $1) })
    guard checkpoint.extensions.contains(manifest.line) else {
      throw .notProven(
        "what the bundle has is not what was signed with its checkpoint: an event was left out or "
          + "added, or given another role")
    }
    return IncidentBundle(
      account: header.account, checkpoint: checkpoint,
      events: ReplayEvents(events: events, steps: steps, background: background),
      leafCount: leaves.count, nodeCount: nodes.count)
  }

  private func failure(_ reason: String) -> ProofError {
    .malformed("line \(line) of the bundle \(reason)")
  }

  private mutating func readLeaf(
    _ bytes: [UInt8], _ header: BundleHeader
  ) throws(ProofError) {
    let leaf: (entry: [UInt8], role: BundleRole, personal: [PersonalMember])?
    do throws(ProofError) { leaf = try BundleFormat.leaf(bytes) } catch {
      throw ProofError(error.code, "line \(line) of the bundle: \(error.message)")
    }
    guard let (entry, role, personal) = leaf else {
      throw failure(
        "is no entry: expected leaf in base64, role and event, for \(header.leafCount) lines")
    }
    let parts: BundledEntry
    var event: RecordedEvent?
    do throws(RecordError) {
      parts = try BundledEntry(entry)
      texts.add(parts)
      if role != .names { event = try texts.event(of: parts, showing: personal) }
    } catch {
      throw ProofError(.malformed, "line \(line) of the bundle: \(error.message)")
    }
    guard parts.position >= 1, parts.position <= header.checkpoint.size else {
      throw ProofError(
        .notProven,
        "line \(line) of the bundle is of position \(parts.position), and the "
          + "checkpoint of positions up to \(header.checkpoint.size)")
    }
    guard parts.position > (leaves.last?.index ?? 0) + (leaves.isEmpty ? 0 : 1) else {
      throw failure("does not stand in the order of positions")
    }
    guard personal.isEmpty || (event != nil && parts.commits(to: personal)) else {
      throw ProofError(
        .notProven,
        "line \(line) of the bundle shows personal data of position "
          + "\(parts.position) that its record does not commit to")
    }
    guard BundleFormat.line(entry, role, personal, event) == bytes else {
      throw ProofError(
        .notProven,
        "line \(line) of the bundle says something else than its entry, which is "
          + "position \(parts.position) of the ledger: the event was changed")
    }
    leaves.append((parts.position - 1, parts.hash))
    roles.append(role)
    if let event { try keep(event, role) }
  }

  /// Keeps an event for the replay, which accepts only valid events.
  private mutating func keep(
    _ recorded: RecordedEvent, _ role: BundleRole
  ) throws(ProofError) {
    do throws(EventError) { try recorded.event.validate() } catch {
      throw failure("does not contain a valid event: \(error)")
    }
    guard ids.insert(recorded.event.id).inserted else {
      throw failure("has the id of an event before it")
    }
    events.append(recorded)
    switch role {
    case .step: steps.insert(recorded.position)
    case .background: background.insert(recorded.position)
    case .ground, .names: break
    }
  }

  private mutating func readNodes(
    _ bytes: [UInt8], _ header: BundleHeader
  ) throws(ProofError) {
    let wanted = min(header.nodeCount - nodes.count, BundleFormat.lineNodesMax)
    let value: JSONValue
    do throws(EventError) { value = try JSONValue(json: bytes) } catch {
      throw failure("is no JSON: \(error)")
    }
    let found = (value["nodes"]?.array ?? []).compactMap { $0.string.flatMap(ProofLines.hash) }
    guard found.count == wanted, BundleFormat.line(found[...]) == bytes else {
      throw failure("is no nodes: expected \(wanted) hashes of 32 bytes in base64")
    }
    nodes += found
  }
}

/// The first line of a bundle.
private struct BundleHeader: Sendable {
  /// The account; nil if no event of the bundle names it.
  let account: Name?
  let eventCount: Int
  let leafCount: Int
  let nodeCount: Int
  let checkpoint: SignedCheckpoint

  private static let members: Set<String> = [
    "bundle", "account", "events", "leaves", "nodes", "checkpoint",
  ]

  init(_ line: [UInt8]) throws(ProofError) {
    let value: JSONValue
    do throws(EventError) { value = try JSONValue(json: line) } catch {
      throw .malformed("line 1 of the bundle is no JSON: \(error)")
    }
    guard let version = value["bundle"]?.integer else {
      throw .malformed("line 1 is not that of a bundle: expected {\"bundle\":1, …")
    }
    guard version == BundleFormat.version else {
      throw .malformed(
        "the bundle is of format \(version), and this version of daybook reads "
          + "\(BundleFormat.version): use the version that wrote it, or a newer one")
    }
    if let other = value.object?.first(where: { !Self.members.contains($0.name) }) {
      throw .malformed("line 1 of the bundle: \(other.name) is no member of it")
    }
    func count(_ name: String, _ maximum: Int) throws(ProofError) -> Int {
      guard let number = value[name]?.integer, number >= 0, number <= maximum else {
        throw .malformed("line 1 of the bundle: \(name): expected a number from 0 to \(maximum)")
      }
      return Int(number)
    }
    leafCount = try count("leaves", BundleFormat.leavesMax)
    eventCount = try count("events", leafCount)
    nodeCount = try count("nodes", BundleFormat.nodesMax)
    guard let note = value["checkpoint"]?.string else {
      throw .malformed("line 1 of the bundle: expected a checkpoint, as a text")
    }
    account = value["account"]?.string.map { Name($0) }
    checkpoint = try SignedCheckpoint(note.utf8)
    guard checkpoint.size <= positionMax else {
      throw .malformed("the checkpoint is of \(checkpoint.size) events, more than a ledger holds")
    }
  }
}

extension Event {
  /// Returns whether the event states an account or links it with another.
  func names(_ account: Name) -> Bool {
    self.account == account || data.name("to") == account
  }
}
