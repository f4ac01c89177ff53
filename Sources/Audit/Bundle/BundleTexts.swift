internal import LedgerEvents
internal import LedgerStore

/// The texts of names introduced by the entries so far, and the events built from them. Writing and
/// reading both use this, so they agree.
struct BundleTexts {
  private var texts: [NameNumber: Name] = [:]

  init() {}

  /// Adds the names that an entry introduces.
  mutating func add(_ entry: BundledEntry) {
    for introduction in entry.leaf.introductions {
      if case .text(let text) = introduction.content { texts[introduction.number] = text }
    }
  }

  /// Returns the event of an entry, masked except for the members that are shown.
  ///
  /// - Throws: `RecordError` if the entry is damaged, or uses a name that no earlier entry
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

/// A parsed entry of the tree.
struct BundledEntry {
  let leaf: LeafEntry
  let hash: TreeHash
  let position: UInt64
  /// The numbers of the names whose texts the masked event needs.
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

  /// Returns whether the record commits to these personal members, shown or withheld.
  func commits(to personal: [PersonalMember]) -> Bool {
    commitment == Commitment.data(personal.map(\.commitment))
  }
}
