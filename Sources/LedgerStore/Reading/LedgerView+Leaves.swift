public import LedgerEvents

extension LedgerView {
  /// What the leaf of the event at a position is over; see ``LogView/leaf(at:)``.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  public func leaf(at position: UInt64) throws(LedgerError) -> [UInt8] {
    try log.leaf(at: position)
  }

  /// The position of the event that introduced a name; see ``LogView/introducingPosition(of:)``.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  public func introducingPosition(of number: NameNumber) throws(LedgerError) -> UInt64 {
    try log.introducingPosition(of: number)
  }

  /// The personal members of the event at a position, each to be shown alone; see
  /// ``LogView/disclosures(at:)``.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`, `io`.
  package func disclosures(at position: UInt64) throws(LedgerError) -> [MemberDisclosure]? {
    try log.disclosures(at: position)
  }

  /// The root of the tree over the events up to `size`; see ``LogView/root(at:)``.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  public func root(at size: UInt64) throws(LedgerError) -> TreeHash { try log.root(at: size) }

  /// Proves events, all at once; see ``LogView/multiProof(of:size:)``.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  package func multiProof(
    of positions: [UInt64], size: UInt64
  ) throws(LedgerError) -> TreeMultiProof {
    try log.multiProof(of: positions, size: size)
  }
}
