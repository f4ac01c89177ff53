internal import LedgerEvents
internal import LedgerStore

/// What the entries of a bundle say, from its first one on: the texts of names, and by them the
/// events. Writing and reading tell the same because both ask here.
struct BundleTexts {
  private var texts: [NameNumber: Name] = [:]

  init() {}

  /// Takes over the names that an entry introduces.
  mutating func add(_ entry: BundledEntry) {
    for introduction in entry.leaf.introductions {
      if case .text(let text) = introduction.content { texts[introduction.number] = text }
    }
  }

  /// The event of an entry, masked but for the members that are shown.
  ///
  /// - Throws: `RecordError` where it is damaged, or names something that no entry so far has
  ///   introduced.
  func event(
    of entry: BundledEntry, showing personal: [PersonalMember]
  ) throws(RecordError) -> RecordedEvent {
    let view = try RecordView(entry.leaf.record.span, isChecked: false)
    var recorded = try view.maskedEvent { texts[$0] }
    for member in personal.compactMap(\.member) {
      recorded.event.data.members.removeAll { Name($0.name) == Name(member.name) }
      recorded.event.data.members.append(member)
    }
    return recorded
  }
}

/// An entry of the tree, taken apart.
struct BundledEntry {
  let leaf: LeafEntry
  let hash: TreeHash
  let position: UInt64
  /// Of the names whose texts the event's telling needs.
  let publicNumbers: [NameNumber]
  let accountNumbers: [NameNumber]
  private let commitment: [UInt8]?

  init(_ entry: [UInt8]) throws(RecordError) {
    leaf = try LeafEntry(entry.span)
    hash = TreeHash.leaf(entry.span)
    let record = leaf.record
    let view = try RecordView(record.span, isChecked: false)
    position = view.position
    publicNumbers = view.publicNumbers
    accountNumbers = view.accountNumbers
    commitment = view.commitment
  }

  /// Whether the record commits to these personal members, shown or withheld.
  func commits(to personal: [PersonalMember]) -> Bool {
    commitment == Commitment.data(personal.map(\.commitment))
  }
}
