public import LedgerEvents
public import LedgerStore

extension LedgerView {
  /// How many names are compared at each end of a large ledger's list of names: a second's work.
  private static var comparedCountMax: NameNumber { 100_000 }

  /// The name of a kind that was probably meant by one that no event states.
  ///
  /// - Returns: `nil` if no name is near.
  /// - Complexity: O(*n*) in the names of the ledger; in a large one, only its first and its newest
  ///   names are compared.
  /// - Throws: ``LedgerError``.
  public func nearestName(
    to misspelled: Name, of kind: NameKind
  ) throws(LedgerError) -> Name? {
    var names: [String] = []
    try comparedNames(of: [kind]) { _, use in
      if !areOthers(use.name.text, misspelled.text) { names.append(use.name.text) }
    }
    let found =
      kind == .product
      ? Spelling.nearestIdentifier(to: misspelled.text, among: names)
      : Spelling.nearest(to: misspelled.text, among: names)
    return found.map { Name($0) }
  }

  /// Passes the names of some kinds to `body`, to compare a misspelled or shortened name with.
  /// Names of erased people are left out.
  ///
  /// - Complexity: O(*n*) in the names of the ledger; in a large one, only its first and its newest
  ///   names are passed.
  /// - Throws: ``LedgerError``.
  func comparedNames(
    of kinds: Set<NameKind>, _ body: (NameNumber, NameUse) -> Void
  ) throws(LedgerError) {
    let last = try log.lastNameNumber()
    let compared = Self.comparedCountMax
    var number: NameNumber = 1
    while number <= last {
      // Skip from the first names to the newest.
      if number == compared + 1, last > 2 * compared { number = last - compared + 1 }
      let use = try log.name(number)
      if kinds.contains(use.kind), try !log.isErased(name: number) { body(number, use) }
      number += 1
    }
  }

  /// Names of a kind that begin with a text, in the order in which the ledger learned them.
  ///
  /// Those of erased people are left out.
  ///
  /// - Complexity: O(*n*) in the names of the ledger, of which only the first `comparedCountMax`
  ///   are read.
  package func names(
    of kind: NameKind, beginningWith prefix: String, limit: Int
  ) throws(LedgerError) -> [Name] {
    let last = min(try log.lastNameNumber(), Self.comparedCountMax)
    var names: [Name] = []
    var number: NameNumber = 1
    while number <= last, names.count < limit {
      let use = try log.name(number)
      if use.kind == kind, use.name.text.hasPrefix(prefix), try !log.isErased(name: number) {
        names.append(use.name)
      }
      number += 1
    }
    return names
  }

  /// Whether two short names differ only in digits: `reader-1` is a different customer from
  /// `reader-3`, not a misspelling. Long identifiers are not similar by chance.
  private func areOthers(_ name: String, _ other: String) -> Bool {
    let shortCountMax = 12
    guard name.utf8.count == other.utf8.count, name.utf8.count <= shortCountMax else {
      return false
    }
    return zip(name.utf8, other.utf8).allSatisfy { $0 == $1 || (isDigit($0) && isDigit($1)) }
  }

  private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
