public import LedgerEvents
public import LedgerQueries

/// What goes into a bundle of an incident, and what proves it: all but the signature.
public struct BundleContents: Sendable {
  /// Whose it is, by the pseudonym that the bundle uses; nil where none of its events says so.
  public let account: Name?
  /// The tree that everything is proven of: how many events it has, and its root.
  public let size: UInt64
  public let root: TreeHash
  /// How many events it tells.
  public let eventCount: Int
  /// The names of the personal members that it shows.
  let disclosed: Set<Name>
  /// By position.
  let leaves: [(position: UInt64, role: BundleRole)]
  let proof: TreeMultiProof

  /// How many events are the customer's own.
  public var stepCount: Int { leaves.count { $0.role == .step } }
  /// How many entries of the tree it carries: of the events, and of names that they use.
  public var leafCount: Int { leaves.count }
  /// How many hashes prove them, together.
  public var nodeCount: Int { proof.nodes.count }
}

extension LedgerView {
  /// Gathers what a bundle of a customer's incident carries: the events that a replay of the slice
  /// folds, the entries that introduced the names in them, and one proof for all.
  ///
  /// - Parameters:
  ///   - account: Whose incident it is.
  ///   - slice: Which of the customer's events are its steps; its account is `account`.
  ///   - disclosed: The personal members of `data` that are shown all the same, by their names.
  /// - Complexity: that of ``LedgerView/replayPositions(_:)``, and O(*k* log *n*) look-ups for *k*
  ///   events of a ledger of *n*.
  /// - Throws: ``LedgerError``: `notFound` where the slice has no event.
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
      let entry = try bundledEntry(try leaf(at: position), at: position)
      if entry.accountNumbers.contains(number) { isNamed = true }
      names.formUnion(entry.publicNumbers)
    }
    for name in names {
      let introduced = try introducingPosition(of: name)
      if roles[introduced] == nil { roles[introduced] = .names }
    }
    let leaves = roles.map { (position: $0.key, role: $0.value) }
      .sorted { $0.position < $1.position }
    let size = position
    return BundleContents(
      account: isNamed ? Name("account-\(number)") : nil, size: size, root: try root(at: size),
      eventCount: found.positions.count, disclosed: disclosed, leaves: leaves,
      proof: try multiProof(of: leaves.map(\.position), size: size))
  }

  /// Hands out the lines of a bundle, each with its line feed; stops where `write` returns false.
  ///
  /// - Parameter checkpoint: Signs the size and the root of the contents.
  /// - Precondition: The contents are of this ledger, and the checkpoint is of the contents.
  /// - Complexity: O(*n*) in the bytes of the bundle; one line at a time is held.
  /// - Throws: ``LedgerError``: `corrupt`.
  public func writeBundle(
    _ contents: BundleContents, signed checkpoint: SignedCheckpoint,
    to write: ([UInt8]) -> Bool
  ) throws(LedgerError) {
    precondition(
      checkpoint.size == contents.size && checkpoint.root == contents.root,
      "the checkpoint is of the tree that the bundle is proven of")
    guard write(contents.header(checkpoint) + BundleFormat.lineFeed) else { return }
    var texts = BundleTexts()
    for (position, role) in contents.leaves {
      let entry = try leaf(at: position)
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

  /// The personal members of an event, those shown that have one of the names; none where that
  /// shows nothing.
  private func shown(
    _ names: Set<Name>, at position: UInt64
  ) throws(LedgerError) -> [PersonalMember] {
    let disclosures = try disclosures(at: position) ?? []
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
  /// The first line.
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
