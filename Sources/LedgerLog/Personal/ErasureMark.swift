package import LMDB
internal import LedgerEvents

/// The mark of erasures whose keys may not have been overwritten yet, in the row `erasing` of
/// `meta`. It is written in the commit of the erasure, and removed when the keys are destroyed.
///
/// It repeats the slots that the table `erased` lists. So an erasure that was interrupted can be
/// completed even if that table is damaged: the row has a checksum of its own.
///
/// ```
/// 0  8  the position of the newest erasure, big-endian
/// 8     the slots to overwrite, 4 bytes each, ascending and big-endian
/// ```
package struct ErasureMark: Equatable {
  /// The position of the newest erasure.
  package let position: UInt64
  /// The slots to overwrite, in ascending order.
  package let slots: [UInt32]

  private static let headByteCount = 8
  private static let slotByteCount = 4

  /// Adds what the erasure at `position` destroys to an earlier mark that is still there.
  init(position: UInt64, _ scope: ErasureScope, after earlier: ErasureMark?) {
    self.position = position
    slots = Set(scope.slots(at: position).map(\.slot)).union(earlier?.slots ?? []).sorted()
  }

  /// Reads the value of a row; `nil` if the bytes are not a mark.
  init?(_ bytes: [UInt8]) {
    let count = bytes.count - Self.headByteCount
    guard count >= 0, count % Self.slotByteCount == 0 else { return nil }
    position = bytes.span.bigEndianWord(at: 0)
    slots = stride(from: Self.headByteCount, to: bytes.count, by: Self.slotByteCount)
      .map { bytes.span.bigEndianHalf(at: $0) }
  }

  /// Reads the mark; `nil` if every erasure is complete.
  ///
  /// - Throws: ``LedgerError``: `corrupt` if the row is damaged, `io`.
  package init?(_ view: TransactionView, _ tables: LogTables) throws(LedgerError) {
    guard let bytes = try LogIdentity.row(.erasing, view, tables) else { return nil }
    guard let mark = ErasureMark(bytes) else {
      throw .corrupt("The ledger's mark of an erasure that is not complete is malformed")
    }
    self = mark
  }

  /// The value of the row.
  package var value: [UInt8] {
    var bytes = [UInt8](bigEndianWord: position)
    for slot in slots { bytes.append(bigEndianHalf: slot) }
    return bytes
  }
}
