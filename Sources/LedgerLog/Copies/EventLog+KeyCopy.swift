internal import AgeFiles
internal import LMDB
internal import LedgerEvents

/// What an earlier copy of the key file and the key file itself do not have in common.
private struct KeyDifferences {
  /// Slots whose keys only the copy has.
  var lost: [UInt32] = []
  /// The number of slots with another key in each.
  var changed = 0
  /// Slots that are zeros in the copy and not in the key file.
  var returned: [UInt32] = []

  var isEmpty: Bool { lost.isEmpty && changed == 0 && returned.isEmpty }

  /// Adds the slots from `first` on.
  mutating func compare(_ copy: [UInt8], _ own: [UInt8], from first: UInt32) {
    let zeros = [UInt8](repeating: 0, count: Secret.byteCount)[...]
    for start in stride(from: 0, to: copy.count, by: Secret.byteCount) {
      // A slot that is cut off is no key.
      guard start + Secret.byteCount <= copy.count else { return }
      let range = start..<start + Secret.byteCount
      let old = copy[range]
      let new = range.upperBound <= own.count ? own[range] : zeros
      if old.elementsEqual(new) { continue }
      let slot = first + UInt32(start / Secret.byteCount)
      if new.elementsEqual(zeros) {
        lost.append(slot)
      } else if old.elementsEqual(zeros) {
        returned.append(slot)
      } else {
        changed += 1
      }
    }
  }
}

extension EventLog {
  /// Checks that a copy of the key file may take the place of what is at a path: of nothing, an
  /// empty file, or an earlier copy that has no key which the key file lacks.
  ///
  /// An encrypted copy cannot be looked into. It may be replaced if the key file has the keys of
  /// everything that was not erased.
  ///
  /// - Complexity: O(*n*) in the size of the key file. For an encrypted copy, the log is verified
  ///   if the key file has slots without keys that are not listed as erased.
  /// - Throws: ``LedgerError``: `cannotCreate` if something else is there, above all another
  ///   ledger's keys; `corrupt` if keys would be lost, or the key file is damaged; `keysMissing`
  ///   without a key file, `io`.
  package func checkKeyCopy(at path: String) throws(LedgerError) {
    let copy: FlatFile
    let start: [UInt8]
    do throws(LMDBError) {
      guard let found = try FlatFile.open(path, isWritable: false) else { return }
      start = try found.read(at: 0, count: KeyFileHead.byteCount)
      copy = found
    } catch {
      throw LedgerError(
        .cannotCreate, "What is at \(path) cannot be read, so it is not replaced: \(error.message)",
        cause: error)
    }
    if start.isEmpty { return }
    if AgeOpener.isAgeFile(start) {
      try refuseBackup(path)
      return try requireWholeKeys(insteadOf: path)
    }
    try requireOwnCopy(start, at: path)
    try requireNothingLost(of: copy)
  }

  /// Refuses the place of an encrypted backup, which is an age file like a copy of the keys.
  private func refuseBackup(_ path: String) throws(LedgerError) {
    let names = LogIncrement.Kind.allCases.map { $0.fileName + LogIncrement.encryptedSuffix }
    guard names.contains(where: { path == $0 || path.hasSuffix("/" + $0) }) else { return }
    throw EventLog.otherFile(path, "is an encrypted backup of a log")
  }

  /// Refuses what is no copy of the key file of this ledger.
  private func requireOwnCopy(_ start: [UInt8], at path: String) throws(LedgerError) {
    let head: KeyFileHead?
    do throws(LedgerError) { head = try KeyFileHead(start, at: path) } catch {
      throw EventLog.otherFile(path, "is a key file whose head is damaged", cause: error)
    }
    guard let head else { throw EventLog.otherFile(path, "is no copy of a key file") }
    guard head.ledger == identity.ledger else {
      throw EventLog.otherFile(path, "holds the keys of another ledger")
    }
    guard head.digest == identity.keysDigest else {
      throw EventLog.otherFile(
        path, "holds the keys of this ledger from before it was restored without keys")
    }
    if try EventLog.isLiveKeyFile(path) {
      throw EventLog.otherFile(path, "is the key file of the ledger in the folder that it is in")
    }
  }

  /// Whether a file lies beside a log, under the name of its key file.
  private static func isLiveKeyFile(_ path: String) throws(LedgerError) -> Bool {
    let name = PersonalKeys.fileName
    if path == name { return try hasLog(".") }
    guard path.hasSuffix("/" + name) else { return false }
    return try hasLog(String(path.dropLast(name.utf8.count)) + ".")
  }

  private static func otherFile(
    _ path: String, _ what: String, cause: (any Error)? = nil
  ) -> LedgerError {
    LedgerError(
      .cannotCreate,
      "\(path) \(what), and is left as it is: name another file to copy the keys to.",
      cause: cause)
  }

  /// Refuses to replace a copy that has keys which the key file lacks.
  private func requireNothingLost(of copy: FlatFile) throws(LedgerError) {
    var found = try differences(from: copy)
    if found.isEmpty { return }
    // Read after the keys: an erasure is listed before it destroys them.
    let erased = try read { (view) throws(LedgerError) in Set(try view.erasedSlots().map(\.slot)) }
    found.lost.removeAll { erased.contains($0) }
    found.returned.removeAll { !erased.contains($0) }
    let path = copy.path
    if !found.lost.isEmpty {
      throw EventLog.keptCopy(
        path,
        "It has \(found.lost.count.counted("key")) that the key file \(ownKeyFile) lacks, and that "
          + "were not erased",
        "If the key file is damaged or older, put this copy back in its place. If both ledgers "
          + "were made of one")
    }
    if found.changed > 0 {
      throw EventLog.keptCopy(
        path,
        "It has \(found.changed.counted("other key")) than the key file \(ownKeyFile) in the same "
          + "slots",
        "If the key file is damaged, put this copy back in its place. If both ledgers were made of "
          + "one")
    }
    if !found.returned.isEmpty {
      throw EventLog.keptCopy(
        path,
        "The key file \(ownKeyFile) is a copy from before an erasure, and has "
          + "\(found.returned.count.counted("key")) that this copy no longer has",
        "Put this copy back in its place, if it has all keys. If not")
    }
  }

  private static func keptCopy(_ path: String, _ why: String, _ advice: String) -> LedgerError {
    LedgerError(
      .corrupt,
      "The copy of the keys at \(path) is not replaced. \(why). \(advice), name another file to "
        + "copy the keys to.")
  }

  /// Compares every slot of an earlier copy with the key file.
  private func differences(from copy: FlatFile) throws(LedgerError) -> KeyDifferences {
    let own = try openKeyFile()
    var found = KeyDifferences()
    var first: UInt32 = 1
    while true {
      let old = try EventLog.slots(from: first, in: copy)
      if old.isEmpty { return found }
      let new = try EventLog.slots(from: first, in: own)
      if old != new { found.compare(old, new, from: first) }
      first += UInt32(PersonalKeys.blockSlots)
    }
  }

  /// Opens the key file that is at its path now.
  private func openKeyFile() throws(LedgerError) -> FlatFile {
    let path = ownKeyFile
    let file: FlatFile?
    let start: [UInt8]
    do throws(LMDBError) {
      file = try FlatFile.open(path, isWritable: false)
      start = try file?.read(at: 0, count: KeyFileHead.byteCount) ?? []
    } catch { throw LedgerError(error) }
    guard let file, try KeyFileHead(start, at: path) != nil else { throw .keysMissing(path) }
    return file
  }

  private var ownKeyFile: String { "\(path)/\(PersonalKeys.fileName)" }

  /// The bytes of a block of slots, or fewer if the file ends before.
  private static func slots(from first: UInt32, in file: FlatFile) throws(LedgerError) -> [UInt8] {
    do throws(LMDBError) {
      return try file.read(
        at: PersonalKeys.offset(first), count: PersonalKeys.blockSlots * Secret.byteCount)
    } catch { throw LedgerError(error) }
  }

  /// Refuses to replace an encrypted copy while the key file lacks keys, or has some that were
  /// erased.
  private func requireWholeKeys(insteadOf path: String) throws(LedgerError) {
    guard try mayHaveKeyFaults(), let fault = try verify().faults.first(where: \.part.isAboutKeys)
    else { return }
    throw LedgerError(
      .corrupt,
      """
      The copy of the keys at \(path) is not replaced. It is encrypted, so nobody can see which \
      keys it has, and the key file \(ownKeyFile) is not whole: \(fault.message). If that file is \
      damaged, put this copy back in its place. If not, name another file to copy the keys to.
      """)
  }

  /// Whether a slot in use is empty and not erased, or erased and not empty.
  private func mayHaveKeyFaults() throws(LedgerError) -> Bool {
    let file = try openKeyFile()
    let used = try read { (view) throws(LedgerError) in try view.lastSlot() }
    var found = KeyDifferences()
    for first in stride(from: 1, through: used, by: PersonalKeys.blockSlots) {
      let count = min(Int(used - first) + 1, PersonalKeys.blockSlots)
      // Every slot counts as one that has a key.
      let full = [UInt8](repeating: 0xFF, count: count * Secret.byteCount)
      found.compare(full, try EventLog.slots(from: first, in: file), from: first)
    }
    // Read after the keys: an erasure is listed before it destroys them.
    let erased = try read { (view) throws(LedgerError) in Set(try view.erasedSlots().map(\.slot)) }
    return Set(found.lost) != erased
  }
}
