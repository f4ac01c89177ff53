internal import LMDB
internal import LedgerEvents

extension LedgerView {
  /// The root of the tree over the events up to `size`; see ``LogView/root(at:)``.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  public func root(at size: UInt64) throws(LedgerError) -> TreeHash { try log.root(at: size) }

  /// Proves events, all at once; see ``LogView/multiProof(of:size:)``.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  public func multiProof(
    of positions: [UInt64], size: UInt64
  ) throws(LedgerError) -> TreeMultiProof {
    try log.multiProof(of: positions, size: size)
  }

  /// The entry of the tree's leaf at a position.
  ///
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  public func leaf(at position: UInt64) throws(LedgerError) -> [UInt8] {
    let record = [UInt8](copying: try log.recordBytes(at: position))
    var entry: [UInt8] = []
    func add(_ number: Int, _ count: Int) {
      for byte in 0..<count { entry.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
    }
    add(record.count, 4)
    entry += record
    let view = try log.record(at: position)
    for number in view.publicNumbers {
      let text = try log.name(number).name.text
      add(Int(number), 4)
      add(text.utf8.count, 2)
      entry += Array(text.utf8)
    }
    return entry
  }
}
