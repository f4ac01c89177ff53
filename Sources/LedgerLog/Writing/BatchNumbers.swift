internal import LedgerEvents

/// The numbers of a batch's names: those that were looked up, and those that the batch assigns.
struct BatchNumbers {
  /// The numbers by the index of the name in the batch; 0 if it has none yet.
  var byName: [NameNumber]

  /// The names to which the batch assigned numbers, in the order of the numbers.
  private(set) var given: [(name: Int, number: NameNumber)] = []

  /// The numbers that names have in events about the time before an erasure, if no erasure says
  /// whose name it was.
  var forgotten: [Int: NameNumber] = [:]

  init(_ numbers: [NameNumber]) { byName = numbers }

  /// Notes that the batch assigned a number to the name with this index.
  mutating func give(_ number: NameNumber, to name: Int) { given.append((name, number)) }
}
