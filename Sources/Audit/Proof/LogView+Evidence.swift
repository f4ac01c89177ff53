public import LedgerEvents
public import LedgerStore

/// The contents of a proof of an event, besides the signature.
public struct EventEvidence: Sendable {
  public let inclusion: InclusionProof
  public let root: TreeHash
  /// The contents of the proof's extra line.
  public let extra: [UInt8]
}

/// The personal data of an event to leave out of a proof, which then shows only the commitments.
public enum Withholding: Sendable {
  case nothing
  case everything
  /// Fields of the envelope (`account`, `device`, `session`), `to`, and members of `data`.
  case fields([Name])
}

extension LogView {
  /// Returns the proof that the event at `position` is in the tree over the events up to `size`.
  ///
  /// Erased data is left out in the same way as withheld data.
  ///
  /// - Complexity: O(log² *n*) lookups and O(log *n*) hashes for each of the event's names.
  /// - Throws: ``LedgerError``: `notFound` if there is no such event or field, `corrupt`.
  public func evidence(
    of position: UInt64, at size: UInt64, withholding: Withholding = .nothing
  ) throws(LedgerError) -> EventEvidence {
    let inclusion = try inclusionProof(of: position, at: size)
    let root = try root(at: size)
    let uses = try record(at: position).shownNames
    let members = try disclosures(at: position)
    try refuseUnknown(withholding, uses, members, at: position)
    var names: [NameDisclosure] = []
    for number in Set(uses.map(\.number)).sorted() {
      let isWithheld = uses.contains { $0.number == number && withholding.withholds($0) }
      if !isWithheld, let name = try disclosure(of: number) { names.append(name) }
    }
    var introducers: [EventDisclosure.Introducer] = []
    for other in Set(names.map(\.position)).subtracting([position]).sorted() {
      let path = try inclusionProof(of: other, at: size).path
      introducers.append(
        EventDisclosure.Introducer(position: other, entry: try leaf(at: other), path: path))
    }
    var disclosure = EventDisclosure(
      entry: try leaf(at: position), event: [],
      names: names.map(EventDisclosure.DisclosedName.init),
      introducers: introducers, personal: (members ?? []).map(withholding.shown))
    do throws(ProofError) {
      // Rebuild the event as a verifier will, so that an invalid proof is never returned.
      let tree = ProvenTree(size: size, root: root)
      disclosure.event = try disclosure.rebuilt(at: position, in: tree).line
    } catch {
      throw LedgerError(
        .corrupt,
        "Position \(position) cannot be proven, \(error). Run `daybook verify`, then restore the "
          + "ledger from a backup.", position: position, cause: error)
    }
    return EventEvidence(inclusion: inclusion, root: root, extra: disclosure.json)
  }

  private func refuseUnknown(
    _ withholding: Withholding, _ uses: [ShownName], _ members: [MemberDisclosure]?,
    at position: UInt64
  ) throws(LedgerError) {
    guard case .fields(let fields) = withholding else { return }
    let known =
      uses.filter(\.kind.isPersonal).map { Name($0.field) }
      + (members ?? []).map { Name($0.member.name) }
    for field in fields where !known.contains(field) {
      let list = known.map(\.text).joined(separator: ", ")
      throw LedgerError(
        .notFound,
        "The event at position \(position) has no personal field \(field.text) to withhold: it has "
          + (known.isEmpty ? "none." : "\(list)."), position: position)
    }
  }
}

extension Withholding {
  fileprivate func withholds(_ name: ShownName) -> Bool {
    guard name.kind.isPersonal else { return false }
    return switch self {
    case .nothing: false
    case .everything: true
    case .fields(let fields): fields.contains(Name(name.field))
    }
  }

  fileprivate func shown(_ disclosure: MemberDisclosure) -> PersonalMember {
    let isWithheld =
      switch self {
      case .nothing: false
      case .everything: true
      case .fields(let fields): fields.contains(Name(disclosure.member.name))
      }
    return PersonalMember(disclosure, isShown: !isWithheld)
  }
}

extension EventDisclosure.DisclosedName {
  fileprivate init(_ name: NameDisclosure) {
    self.init(
      number: name.number, text: name.text, nonce: name.nonce, hash: name.hash,
      introducedAt: name.position)
  }
}
