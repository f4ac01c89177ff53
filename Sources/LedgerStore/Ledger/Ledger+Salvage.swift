internal import LMDB
internal import LedgerEvents

extension Ledger {
  /// Makes a new ledger from everything in a damaged one that can still be verified.
  ///
  /// The damaged ledger is only read, and never with LMDB, which can end the process on a damaged
  /// page. Events keep their order. Up to the first one that is missing, they keep their positions,
  /// and the tree its roots; after it, they move up. What was erased stays erased.
  ///
  /// - Parameters:
  ///   - path: The folder of the damaged ledger. Its projections are not needed.
  ///   - folder: The folder to create. It must not exist, but its parent must.
  ///   - keys: A copy of the ledger's key file; `nil` for the one in its folder. Without either,
  ///     the names and texts of people are given up.
  ///   - progress: Called now and then with the number of events written or verified, and their
  ///     total.
  /// - Returns: What was saved and what was not, and the new ledger.
  /// - Complexity: O(*n* log *n*) in the size of the log.
  /// - Throws: ``LedgerError``: `noLedger`, `exists`, `cannotCreate`, `corrupt` if nothing can be
  ///   saved, `keysMissing` if a copy of the key file may bring back what was erased, `busy` if
  ///   somebody appends meanwhile, `full`, `io`.
  public static func salvage(
    _ path: String, into folder: String, keys: String? = nil,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LedgerError) -> (report: SalvageReport, ledger: LedgerCopy) {
    let target = try NewLedgerFolder(folder)
    let salvage = try LogSalvage(path, keyFile: keys)
    let copy = try target.fill { (part) throws(LedgerError) in
      try salvage.write(to: part.path, progress: progress)
      // The new ledger is verified like any other.
      let copy = try part.verify(keysIn: part.path, progress)
      let ledger = try Ledger(at: part.path)
      try ledger.rebuild()
      try ledger.close()
      return copy
    }
    return (salvage.report, copy)
  }
}
