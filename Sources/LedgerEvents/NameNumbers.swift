/// Numbers names in memory as a ledger does in its log: from 1, over all kinds, in the order of
/// first use.
public struct NameNumbers: Sendable {
  private var numbers: [NameUse: NameNumber] = [:]
  private var uses: [NameUse] = []

  public init() {}

  /// How many names have a number; the last number given.
  public var count: Int { uses.count }

  /// The numbers of the event's names, in the order of `Event.nameUses`, new ones given where
  /// needed.
  ///
  /// - Complexity: O(*n*) in the number of uses.
  public mutating func number(_ event: Event) -> [NameNumber] {
    event.nameUses.map { number($0) }
  }

  /// The number of a name, a new one where it has none.
  ///
  /// - Complexity: O(1), amortized.
  public mutating func number(_ use: NameUse) -> NameNumber {
    if let number = numbers[use] { return number }
    uses.append(use)
    let number = NameNumber(uses.count)
    numbers[use] = number
    return number
  }

  /// The number of a name; 0 where it has none.
  ///
  /// - Complexity: O(1).
  public func known(_ use: NameUse) -> NameNumber { numbers[use] ?? 0 }

  /// The name of a number; `nil` where it is of none.
  ///
  /// - Complexity: O(1).
  public func use(_ number: NameNumber) -> NameUse? {
    number >= 1 && Int(number) <= uses.count ? uses[Int(number) - 1] : nil
  }
}
