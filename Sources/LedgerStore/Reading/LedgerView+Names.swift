package import LedgerEvents

extension LedgerView {
  /// Names of a kind that begin with a text, in the order in which the ledger learned them.
  ///
  /// - Complexity: O(*n*) in the names of the ledger, of which the first 100,000 are looked
  ///   through.
  package func names(
    of kind: NameKind, beginningWith prefix: String, limit: Int
  ) throws(LedgerError) -> [Name] {
    let searchedCountMax: NameNumber = 100_000
    let last = min(try log.lastNameNumber(), searchedCountMax)
    var names: [Name] = []
    var number: NameNumber = 1
    while number <= last, names.count < limit {
      let use = try log.name(number)
      if use.kind == kind, use.name.text.hasPrefix(prefix) { names.append(use.name) }
      number += 1
    }
    return names
  }
}
