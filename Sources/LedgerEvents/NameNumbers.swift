/// Numbers names in memory as a ledger does in its log: from 1, across all kinds, in the order of
/// first use.
public struct NameNumbers: Sendable {
  private var numbers: [NameUse: NameNumber] = [:]
  private var uses: [NameUse] = []

  public init() {}

  /// The number of names that have a number, which is also the last number assigned.
  public var count: Int { uses.count }

  /// Returns the numbers of the event's names, in the order of `Event.nameUses`. Assigns new
  /// numbers where needed.
  ///
  /// - Complexity: O(*n*) in the number of uses.
  public mutating func number(_ event: Event) -> [NameNumber] {
    event.nameUses.map { number($0) }
  }

  /// Returns the number of a name. Assigns a new one if it has none.
  ///
  /// - Complexity: O(1), amortized.
  public mutating func number(_ use: NameUse) -> NameNumber {
    if let number = numbers[use] { return number }
    uses.append(use)
    let number = NameNumber(uses.count)
    numbers[use] = number
    return number
  }

  /// Returns the number of a name, or 0 if it has none.
  ///
  /// - Complexity: O(1).
  public func known(_ use: NameUse) -> NameNumber { numbers[use] ?? 0 }

  /// Returns the name with a number, or `nil` if the number is not assigned.
  ///
  /// - Complexity: O(1).
  public func use(_ number: NameNumber) -> NameUse? {
    number >= 1 && Int(number) <= uses.count ? uses[Int(number) - 1] : nil
  }
}
