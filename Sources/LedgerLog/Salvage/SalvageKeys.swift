internal import LMDB
internal import LedgerEvents

/// The key file from which a salvaged ledger gets its keys.
struct SalvageKeys {
  /// The file, whose head is intact and belongs to the ledger; `nil` if there is none.
  let file: FlatFile?
  /// Its head.
  let head: KeyFileHead?
  /// Why there is no such file.
  let fault: String?
  /// The highest slot that the file has room for; 0 if there is no file.
  let lastSlot: UInt32
  /// The mark of an erasure that was interrupted, and may not have destroyed its keys; `nil` if
  /// there is none.
  let mark: ErasureMark?
  private let erasing: Set<UInt32>

  /// Reads the head of a key file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - identity: The rows of the ledger's identity that could be read.
  init(_ path: String, _ identity: [LogIdentity.Row: [UInt8]]) {
    let mark = identity[.erasing].flatMap { ErasureMark($0) }
    do throws(LMDBError) {
      guard let file = try FlatFile.open(path, isWritable: false) else {
        self.init(nil, nil, "there is no key file \(path)", mark)
        return
      }
      let start = try file.read(at: 0, count: KeyFileHead.byteCount)
      let last = try PersonalKeys.slotEnd(of: file) - 1
      do throws(LedgerError) {
        guard let head = try KeyFileHead(start, at: path) else {
          self.init(nil, nil, "\(path) is no key file, or its beginning is damaged", mark)
          return
        }
        let isOwn =
          identity[.ledger] ?? head.ledger == head.ledger
          && identity[.keys] ?? head.digest == head.digest
        guard isOwn else {
          self.init(nil, nil, "\(path) is the key file of another ledger", mark)
          return
        }
        self.init(file, head, nil, mark, lastSlot: last)
      } catch { self.init(nil, nil, "the head of the key file \(path) is damaged", mark) }
    } catch { self.init(nil, nil, "the key file \(path) cannot be read: \(error.message)", mark) }
  }

  private init(
    _ file: FlatFile?, _ head: KeyFileHead?, _ fault: String?, _ mark: ErasureMark?,
    lastSlot: UInt32 = 0
  ) {
    self.file = file
    self.head = head
    self.fault = fault
    self.lastSlot = lastSlot
    self.mark = mark
    erasing = Set(mark?.slots ?? [])
  }

  /// Returns whether an erasure was interrupted that destroys the key in a slot.
  func isErasing(_ slot: UInt32) -> Bool { erasing.contains(slot) }

  /// Returns the secret in a slot, or `nil` if it was destroyed, is to be destroyed, or is missing.
  func secret(_ slot: UInt32) -> Secret? {
    guard let file, slot > 0, !isErasing(slot) else { return nil }
    do throws(LMDBError) { return try PersonalKeys.found(slot, in: file) } catch { return nil }
  }
}
