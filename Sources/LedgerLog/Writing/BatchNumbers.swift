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

  /// The names of the event that is being written. The buffers are used for one event after the
  /// other.
  var event = EventNames()

  init(_ numbers: [NameNumber]) { byName = numbers }

  /// Notes that the batch assigned a number to the name with this index.
  mutating func give(_ number: NameNumber, to name: Int) { given.append((name, number)) }
}

/// What an event's record and leaf contain of its names.
struct EventNames {
  /// The numbers of the names, in the order of `Event.nameUses`.
  var numbers: [NameNumber] = []
  /// The names that the event introduces, in the form of its leaf.
  var introductions: [UInt8] = []

  mutating func removeAll() {
    numbers.removeAll(keepingCapacity: true)
    introductions.removeAll(keepingCapacity: true)
  }
}
