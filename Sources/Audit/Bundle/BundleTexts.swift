internal import LedgerEvents
internal import LedgerStore

/// What the entries of a bundle say, from its first one on: the texts of names, and by them the
/// events. Writing and reading tell the same because both ask here.
struct BundleTexts {
  private var texts: [NameNumber: Name] = [:]

  init() {}

  /// Takes over the names that an entry introduces.
  mutating func add(_ entry: BundledEntry) {
    for (number, text) in entry.texts { texts[number] = text }
  }

  /// The event of an entry, masked.
  ///
  /// - Throws: `RecordError` where it is damaged, or names something that no entry so far has
  ///   introduced.
  func event(of entry: BundledEntry) throws(RecordError) -> RecordedEvent {
    let view = try RecordView(entry.record.span)
    return try view.maskedEvent { texts[$0] }
  }
}

/// An entry of the tree, taken apart.
struct BundledEntry {
  let record: [UInt8]
  let position: UInt64
  let texts: [(NameNumber, Name)]
  /// Of the names that the event's telling needs the texts of.
  let publicNumbers: [NameNumber]
  let accountNumbers: [NameNumber]

  init(_ entry: [UInt8]) throws(RecordError) {
    func number(_ at: Int, _ count: Int) -> Int {
      guard at + count <= entry.count else { return .max / 4 }
      return (0..<count).reduce(0) { $0 | Int(entry[at + $1]) << (8 * $1) }
    }
    var at = 4 + number(0, 4)
    guard at <= entry.count else { throw BundledEntry.damaged }
    let record = Array(entry[4..<at])
    var texts: [(NameNumber, Name)] = []
    while at < entry.count {
      let end = at + 6 + number(at + 4, 2)
      guard end <= entry.count, let text = String(validating: entry[(at + 6)..<end], as: UTF8.self)
      else { throw BundledEntry.damaged }
      texts.append((NameNumber(number(at, 4)), Name(text)))
      at = end
    }
    self.texts = texts
    self.record = record
    let view = try RecordView(record.span)
    position = view.position
    publicNumbers = view.publicNumbers
    accountNumbers = view.accountNumbers
  }

  private static var damaged: RecordError {
    // The founder's entry throws its own.
    do { _ = try RecordView([UInt8]().span) } catch { return error }
    preconditionFailure("nothing is no record")
  }

  var hash: TreeHash { TreeHash.leaf(record.span) }
}
