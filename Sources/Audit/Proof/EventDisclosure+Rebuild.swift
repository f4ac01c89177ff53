internal import LedgerEvents
internal import LedgerStore

/// The tree for which entries are proven.
struct ProvenTree {
  let size: UInt64
  let root: TreeHash
}

extension EventDisclosure {
  /// An event rebuilt from an entry and from what the entries under one root commit to.
  struct Rebuilt {
    let event: RecordedEvent
    let line: [UInt8]
    /// The fields of the event that are not disclosed.
    let withheld: [String]
  }

  /// Rebuilds the event from the entry, whose position is already proven, and from the disclosed
  /// names and personal members, each of which is proven here.
  ///
  /// - Throws: ``ProofError``: `notProven`, `malformed`.
  func rebuilt(at position: UInt64, in tree: ProvenTree) throws(ProofError) -> Rebuilt {
    let leaf = try Self.leaf(entry, at: position)
    let texts = try provenNames(try leaves(besides: leaf, at: position, in: tree))
    let (uses, commitment) = try reading(leaf, at: position) { record in
      (record.shownNames, record.commitment)
    }
    guard texts.keys.allSatisfy({ number in uses.contains { $0.number == number } }) else {
      throw .malformed("the proof discloses a name that the event does not use")
    }
    var withheld: [String] = []
    for use in uses {
      if let name = texts[use.number] {
        guard name.kind == use.kind else {
          throw .notProven("the entry has the name \(use.number) as \(use.field), which it is not")
        }
      } else {
        guard use.kind.isPersonal else {
          throw .malformed("the proof does not say what the event's \(use.field) is")
        }
        withheld.append(use.field)
      }
    }
    try checkMembers(commitment)
    let event = try event(of: leaf, at: position, texts)
    withheld += withheldMembers(of: event, commitment)
    return Rebuilt(event: event, line: EventEncoder().encode(event), withheld: withheld)
  }

  /// Returns the event with the disclosed members, and a marker in place of the others.
  private func event(
    of leaf: LeafEntry, at position: UInt64, _ texts: [NameNumber: NameUse]
  ) throws(ProofError) -> RecordedEvent {
    let members = disclosedMembers
    let names = Set(members.map { Name($0.name) })
    var recorded = try reading(leaf, at: position) { (record) throws(RecordError) in
      try record.recordedEvent(
        texts: { texts[$0]?.name ?? Name("withheld:\($0)") }, personal: nil,
        substitute: { names.contains(Name($0.name)) ? nil : "withheld:\(position)" })
    }
    let others = recorded.event.data.members.filter { !names.contains(Name($0.name)) }
    recorded.event.data.members = others + members
    return recorded
  }

  private var disclosedMembers: [EventData.Member] {
    personal.compactMap(\.member)
  }

  /// Returns the members that the record says exist, and the number of those it does not name.
  private func withheldMembers(of recorded: RecordedEvent, _ commitment: [UInt8]?) -> [String] {
    guard commitment != nil else { return [] }
    let disclosed = Set(disclosedMembers.map { Name($0.name) })
    let named = recorded.event.data.members.map(\.name).filter { name in
      WithheldMember(named: name) != nil && !disclosed.contains(Name(name))
    }
    let others = personal.count - disclosed.count - named.count
    if personal.isEmpty { return named.isEmpty ? ["data"] : named }
    return others > 0 ? named + ["\(others) more of data"] : named
  }
}

// MARK: - Comparing what is disclosed with the entries

extension EventDisclosure {
  private static func leaf(
    _ entry: [UInt8], at position: UInt64
  ) throws(ProofError) -> LeafEntry {
    let leaf: LeafEntry
    let stated: UInt64
    do throws(RecordError) {
      leaf = try LeafEntry(entry.span)
      stated = try RecordView(leaf.record.span).position
    } catch {
      throw .notProven("the entry of position \(position) is malformed: \(error)")
    }
    guard stated == position else {
      throw .notProven("the record at position \(position) says that it is at \(stated)")
    }
    return leaf
  }

  /// Reads the record of an entry.
  private func reading<Value>(
    _ leaf: LeafEntry, at position: UInt64,
    _ body: (borrowing RecordView) throws(RecordError) -> Value
  ) throws(ProofError) -> Value {
    do throws(RecordError) { return try body(try RecordView(leaf.record.span)) } catch {
      throw .notProven("the record of position \(position) is malformed: \(error)")
    }
  }

  /// Returns the entries by their positions: the event's own and those that introduce its names,
  /// each proven to be in the tree.
  private func leaves(
    besides own: LeafEntry, at position: UInt64, in tree: ProvenTree
  ) throws(ProofError) -> [UInt64: LeafEntry] {
    var leaves = [position: own]
    for introducer in introducers {
      guard introducer.position >= 1, introducer.position < position,
        leaves[introducer.position] == nil
      else {
        throw .malformed("the proof introduces names by position \(introducer.position)")
      }
      let inclusion = InclusionProof(
        index: introducer.position - 1, size: tree.size, path: introducer.path)
      guard inclusion.root(of: TreeHash.leaf(introducer.entry.span)) == tree.root else {
        throw .notProven(
          "the entry of position \(introducer.position), which introduces names of the event, is "
            + "not in the tree under the root that is signed")
      }
      leaves[introducer.position] = try Self.leaf(introducer.entry, at: introducer.position)
    }
    return leaves
  }

  private func provenNames(
    _ leaves: [UInt64: LeafEntry]
  ) throws(ProofError) -> [NameNumber: NameUse] {
    var proven: [NameNumber: NameUse] = [:]
    for name in names {
      let introduction = leaves[name.introducedAt]?.introductions.first { $0.number == name.number }
      guard let introduction, introduction.commits(to: name), proven[name.number] == nil else {
        throw .notProven(
          "the name \(name.text.text) is not the one that position \(name.introducedAt) "
            + "introduces as number \(name.number)")
      }
      proven[name.number] = NameUse(kind: introduction.kind, name: name.text)
    }
    return proven
  }

  private func checkMembers(_ commitment: [UInt8]?) throws(ProofError) {
    if personal.isEmpty { return }
    guard Commitment.data(personal.map(\.commitment)) == commitment else {
      throw .notProven("the personal data is not what the record commits to")
    }
  }
}

extension Introduction {
  /// Returns whether the introduction commits to that name.
  fileprivate func commits(to name: EventDisclosure.DisclosedName) -> Bool {
    switch content {
    case .text(let text): name.nonce == nil && name.hash == nil && text == name.text
    case .commitment(let commitment):
      name.nonce?.count == Commitment.nonceByteCount
        && Commitment.introduction(
          Commitment.name(kind, name.text, nonce: name.nonce ?? []), hash: name.hash ?? [])
          == commitment
    }
  }
}
