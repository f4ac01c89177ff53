internal import LedgerEvents

/// The numbers of a batch's names, from the look-up of those that are known to the last one given.
struct BatchNumbers {
  /// By the name's index in the batch, 0 where it has none yet.
  var byName: [NameNumber]

  /// Which names the batch gave numbers, in the order of these.
  private(set) var given: [(name: Int, number: NameNumber)] = []

  /// The numbers that names of the batch have in events about the time before an erasure, where no
  /// erasure says whom the name stood for.
  var forgotten: [Int: NameNumber] = [:]

  init(_ numbers: [NameNumber]) { byName = numbers }

  /// Notes that the batch gave the name with this index a number.
  mutating func give(_ number: NameNumber, to name: Int) { given.append((name, number)) }
}
