internal import LMDB
internal import LedgerEvents

/// The numbers that names have already.
extension NameNumberer {
  /// Returns the number of each of the batch's names; 0 if it has none yet or its number was
  /// erased.
  mutating func knownNumbers(
    of batch: PreparedBatch, _ log: LogView, _ index: any LogIndex
  ) throws(LedgerError) -> [NameNumber] {
    var numbers = [NameNumber](repeating: 0, count: batch.keys.names.count)
    var asked: [Int] = []
    let names = batch.keys.names
    for at in 0..<names.count {
      let hash = batch.keys.nameHashes[at]
      if let number = cache.number(hash, names.row(at)),
        try !isErased(number, of: names, at, log)
      {
        numbers[at] = number
        continue
      }
      let found = try tail.first(hash) { (value) throws(LedgerError) in
        try isNumber(value, of: names, at, log)
      }
      if let found {
        numbers[at] = found
        keep(found, batch, at)
      } else if index.nameReach > 0 {
        asked.append(at)
      }
    }
    guard !asked.isEmpty else { return numbers }
    for candidate in try index.numbers(ofNames: asked.map { batch.keys.nameHashes[$0] }) {
      let at = asked[candidate.index]
      guard numbers[at] == 0, try isNumber(candidate.value, of: names, at, log) else { continue }
      numbers[at] = candidate.value
      keep(candidate.value, batch, at)
    }
    return numbers
  }

  /// Returns whether events that happen now may use this number for a name of the batch.
  private func isNumber(
    _ number: NameNumber, of names: NameRows, _ at: Int, _ log: LogView
  ) throws(LedgerError) -> Bool {
    guard try log.isName(number, row: names.row(at)) else { return false }
    return try !isErased(number, of: names, at, log)
  }

  private func isErased(
    _ number: NameNumber, of names: NameRows, _ at: Int, _ log: LogView
  ) throws(LedgerError) -> Bool {
    guard !erasures.isEmpty, names.isPersonal(at) else { return false }
    return try erasures.isErased(number, log)
  }

  /// Returns the number of a name, if any event of the log uses it.
  func number(
    of use: NameUse, _ log: LogView, _ index: any LogIndex
  ) throws(LedgerError) -> NameNumber? {
    let hash = try log.nameHash(use, keyHash)
    let row = [use.kind.rawValue] + use.name.text.utf8
    if erasures.isEmpty, let number = cache.number(hash, row.span) { return number }
    return try number(hash, index) { (number) throws(LedgerError) in
      guard try log.isName(number, use) else { return false }
      return try !erasures.isErased(number, log)
    }
  }

  /// Returns the number under `hash`, in the tail or the index, for which `isIt` returns true.
  func number(
    _ hash: UInt64, _ index: any LogIndex, where isIt: (NameNumber) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> NameNumber? {
    if let found = try tail.first(hash, where: isIt) { return found }
    for candidate in try index.numbers(ofNames: [hash]) where try isIt(candidate.value) {
      return candidate.value
    }
    return nil
  }
}
