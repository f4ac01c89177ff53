package import LedgerQueries

extension [CustomerAnswer] {
  /// The customer that an exact id identifies. Among several customers, it is the one found by the
  /// most specific kind of id, if there is only one.
  package var onlyOne: CustomerAnswer? {
    guard let first else { return nil }
    func best(_ customer: CustomerAnswer) -> Int? {
      customer.matches.filter { $0.nearness == .exact }.map(\.kind.rawValue).min()
    }
    guard let kind = best(first) else { return nil }
    return filter { best($0) == kind }.count == 1 ? first : nil
  }
}
