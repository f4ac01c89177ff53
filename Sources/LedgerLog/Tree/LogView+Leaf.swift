internal import LMDB
public import LedgerEvents

extension LogView {
  /// Returns the entry of the leaf of the event at `position`: its record and the names that it
  /// introduces, in the form that `LeafEntry` reads.
  ///
  /// - Complexity: O(log *n*) for the record and for each name that it introduces. For an
  ///   `account.erased`, also O(*k*) in everything that was ever erased.
  /// - Throws: ``LedgerError``: `notFound`, `corrupt`.
  public func leaf(at position: UInt64) throws(LedgerError) -> [UInt8] {
    var entry: [UInt8] = []
    try appendLeaf(of: try recordBytes(at: position), at: position, to: &entry)
    return entry
  }

  /// Appends the entry of a record's leaf to `entry`.
  ///
  /// - Parameter erased: What the leaves of erasures contain of what they erased, by position. If
  ///   it is left out, the log is read.
  func appendLeaf(
    of record: Span<UInt8>, at position: UInt64, to entry: inout [UInt8],
    erased: [UInt64: [UInt8]]? = nil
  ) throws(LedgerError) {
    LeafEntry.append(record, to: &entry)
    let introduced: Range<NameNumber>
    let isErasure: Bool
    do throws(RecordError) {
      let view = try RecordView(record, isChecked: false)
      introduced = view.introducedNumbers
      isErasure = view.kind == .accountErased
    } catch {
      throw LedgerError(error, at: position)
    }
    for number in introduced { try appendIntroduction(of: number, to: &entry) }
    guard isErasure else { return }
    if let erased {
      entry += erased[position] ?? Commitment.erasure([])
    } else {
      entry += try erasureCommitment(at: position)
    }
  }

  private func appendIntroduction(
    of number: NameNumber, to entry: inout [UInt8]
  ) throws(LedgerError) {
    guard let row = try nameRow(number), row.count > 1, let kind = NameKind(rawValue: row[0]) else {
      throw .corrupt("The name with the number \(number) is missing or damaged")
    }
    guard kind.isPersonal else {
      Introduction.append(kind, text: row.extracting(1..<row.count), to: &entry)
      return
    }
    guard let name = SealedName(row) else {
      throw .corrupt("The name with the number \(number) is damaged")
    }
    let introduction = name.introduction
    Introduction.append(kind, commitment: introduction.span, to: &entry)
  }

  /// Returns the position of the event that introduced a name.
  ///
  /// - Complexity: O(log² *n*): a binary search over the records.
  /// - Throws: ``LedgerError``: `notFound` if the log has no such name, `corrupt`.
  public func introducingPosition(of number: NameNumber) throws(LedgerError) -> UInt64 {
    guard number > 0, number <= (try lastNameNumber()) else {
      throw LedgerError(.notFound, "No name has the number \(number).")
    }
    // Find the last record before which fewer names were numbered.
    var (low, high) = (UInt64(1), lastPosition)
    while low < high {
      let middle = low + (high - low + 1) / 2
      if try record(at: middle, isChecked: false).namesBefore < number {
        low = middle
      } else {
        high = middle - 1
      }
    }
    return low
  }
}
