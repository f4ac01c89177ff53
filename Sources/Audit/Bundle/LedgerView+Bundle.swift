public import LedgerEvents
public import LedgerQueries

/// The contents of an incident bundle with their proof, without the signature.
public struct BundleContents: Sendable {
  /// The customer's pseudonym in the bundle; nil if none of the events states it.
  public let account: Name?
  /// The tree that proves everything: its number of events and its root.
  public let size: UInt64
  public let root: TreeHash
  /// The number of events in the bundle.
  public let eventCount: Int
  /// The names of the personal members that the bundle shows.
  let disclosed: Set<Name>
  /// The leaves, by position.
  let leaves: [(position: UInt64, role: BundleRole)]
  let proof: TreeMultiProof

  /// Signs the state of the ledger and the contents of the bundle.
  ///
  /// - Parameter key: The ledger's signing key.
  /// - Complexity: O(*n*) in the number of entries.
  /// - Throws: ``ProofError``: `badKey`, and `signing` if the key is elsewhere and does not sign.
  public func sign(with key: any NoteSigning) throws(ProofError) -> SignedCheckpoint {
    try SignedCheckpoint.sign(size: size, root: root, extensions: [manifest.line], with: key)
  }

  var manifest: BundleManifest {
    BundleManifest(
      account: account, eventCount: eventCount, nodeCount: nodeCount, leaves: leaves)
  }

  /// The number of the customer's own events.
  public var stepCount: Int { leaves.count { $0.role == .step } }
  /// The number of entries of the tree in the bundle: those of the events and of the names they
  /// use.
  public var leafCount: Int { leaves.count }
  /// The number of hashes that prove all entries together.
  public var nodeCount: Int { proof.nodes.count }
}

extension LedgerView {
  /// Collects the contents of a bundle for a customer's incident: the events that a replay of the
  /// slice folds, the entries that introduced their names, and one proof for everything.
  ///
  /// - Parameters:
  ///   - account: The customer's account.
  ///   - slice: The customer's events that are steps of the incident. Its account is `account`.
  ///   - disclosed: The names of the personal members of `data` to show.
  /// - Complexity: as `LedgerView.replayEvents(_:)`, and O(*k* log *n*) lookups for *k* events of a
  ///   ledger of *n*.
  /// - Throws: ``LedgerError``: `notFound` if the slice has no event.
  public func bundleContents(
    of account: Name, in slice: ReplaySlice = ReplaySlice(), disclosing disclosed: Set<Name> = []
  ) throws(LedgerError) -> BundleContents {
    var slice = slice
    slice.account = account
    let number = try number(of: .account, account)
    let found = try replayPositions(slice)
    guard let number, !found.steps.isEmpty else {
      throw LedgerError(
        .notFound,
        "There is no event of \(account.text) to put into a bundle: name an account "
          + "that has some (`daybook events --account \(account.text)` shows them).")
    }
    var roles: [UInt64: BundleRole] = [:]
    for position in found.positions {
      let isStep = found.steps.contains(position)
      roles[position] =
        isStep ? .step : found.background.contains(position) ? .background : .ground
    }
    var isNamed = false
    var names: Set<NameNumber> = []
    for position in found.positions {
      let entry = try bundledEntry(try log.leaf(at: position), at: position)
      if entry.accountNumbers.contains(number) { isNamed = true }
      names.formUnion(entry.publicNumbers)
    }
    for name in names {
      let introduced = try log.introducingPosition(of: name)
      if roles[introduced] == nil { roles[introduced] = .names }
    }
    let leaves = roles.map { (position: $0.key, role: $0.value) }
      .sorted { $0.position < $1.position }
    let size = position
    return BundleContents(
      account: isNamed ? Name("account-\(number)") : nil, size: size, root: try log.root(at: size),
      eventCount: found.positions.count, disclosed: disclosed, leaves: leaves,
      proof: try log.multiProof(of: leaves.map(\.position), size: size))
  }

  /// Passes the lines of a bundle to `write`, each with its line feed. Stops if `write` returns
  /// false.
  ///
  /// - Parameter checkpoint: The contents as signed by ``BundleContents/sign(with:)``.
  /// - Precondition: The contents come from this ledger, and the checkpoint is for the contents.
  /// - Complexity: O(*n*) in the bytes of the bundle. Only one line is in memory at a time.
  /// - Throws: ``LedgerError``: `corrupt`.
  public func writeBundle(
    _ contents: BundleContents, signed checkpoint: SignedCheckpoint,
    to write: ([UInt8]) -> Bool
  ) throws(LedgerError) {
    precondition(
      checkpoint.size == contents.size && checkpoint.root == contents.root
        && checkpoint.extensions.contains(contents.manifest.line),
      "the checkpoint is of the tree that the bundle is proven of")
    guard write(contents.header(checkpoint) + BundleFormat.lineFeed) else { return }
    var texts = BundleTexts()
    for (position, role) in contents.leaves {
      let entry = try log.leaf(at: position)
      let parts = try bundledEntry(entry, at: position)
      texts.add(parts)
      var personal: [PersonalMember] = []
      var event: RecordedEvent?
      if role != .names {
        if !contents.disclosed.isEmpty {
          personal = try shown(contents.disclosed, at: position)
        }
        do throws(RecordError) { event = try texts.event(of: parts, showing: personal) } catch {
          throw LedgerError(.corrupt, "Position \(position): \(error)", position: position)
        }
      }
      let line = BundleFormat.line(entry, role, personal, event)
      guard write(line + BundleFormat.lineFeed) else { return }
    }
    var nodes = contents.proof.nodes[...]
    while !nodes.isEmpty {
      let line = BundleFormat.line(nodes.prefix(BundleFormat.lineNodesMax))
      nodes = nodes.dropFirst(BundleFormat.lineNodesMax)
      guard write(line + BundleFormat.lineFeed) else { return }
    }
  }

  /// Returns the personal members of an event, of which those with one of the names will be shown;
  /// empty if none would be shown.
  private func shown(
    _ names: Set<Name>, at position: UInt64
  ) throws(LedgerError) -> [PersonalMember] {
    let disclosures = try log.disclosures(at: position) ?? []
    let isShown = disclosures.map { names.contains(Name($0.member.name)) }
    if !isShown.contains(true) { return [] }
    return zip(disclosures, isShown).map { PersonalMember($0, isShown: $1) }
  }

  private func bundledEntry(
    _ entry: [UInt8], at position: UInt64
  ) throws(LedgerError) -> BundledEntry {
    do throws(RecordError) { return try BundledEntry(entry) } catch {
      throw LedgerError(.corrupt, "Position \(position): \(error)", position: position)
    }
  }
}

extension BundleContents {
  /// Returns the first line.
  fileprivate func header(_ checkpoint: SignedCheckpoint) -> [UInt8] {
    var members: [(name: String, value: JSONValue)] = [
      ("bundle", .number(String(BundleFormat.version)))
    ]
    if let account { members.append(("account", .string(account.text))) }
    members += [
      ("events", .number(String(eventCount))), ("leaves", .number(String(leafCount))),
      ("nodes", .number(String(nodeCount))), ("checkpoint", .string(checkpoint.document)),
    ]
    return JSONValue.object(members).json
  }
}
