internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// Facts behind the checkpoint by their units: which unit each belongs to, and which units they
/// have made one.
struct FactGroups {
  /// Places of facts by unit, in the order of arrival.
  private(set) var places: [UInt32: [UInt32]] = [:]
  /// By unit: those it took in, which are units no more.
  private(set) var absorbed: [UInt32: [UInt32]] = [:]
  /// All that were taken in.
  private var gone: Set<UInt32> = []

  init() {}

  /// Finds the unit of the fact at `place`, and joins the units that it names.
  ///
  /// - Complexity: O(α(*n*)) amortized, and the facts of a unit that is taken in.
  mutating func add(
    _ fact: Fact, at place: Int, _ map: inout UnitMap, _ table: Table, _ view: TransactionView
  ) throws(LedgerError) {
    var unit: UInt32?
    var hasNewName = false
    for node in UnitNodes(fact) {
      guard let other = try map.unit(of: node, table, view) else {
        hasNewName = true
        continue
      }
      if let known = unit {
        if known != other { unit = join(known, other, &map) }
      } else {
        unit = other
      }
    }
    // A name that no fact has used yet brings nothing with it: its unit goes on as it was.
    if hasNewName {
      for node in UnitNodes(fact) where try map.unit(of: node, table, view) == nil {
        unit = map.attach(node, to: unit ?? node)
      }
    }
    places[unit ?? 0, default: []].append(UInt32(place))
  }

  /// Makes one unit of two and says which.
  mutating func join(_ first: UInt32, _ second: UInt32, _ map: inout UnitMap) -> UInt32 {
    let (into, former) = map.join(first, second)
    gone.insert(former)
    absorbed[into, default: []] += [former] + (absorbed.removeValue(forKey: former) ?? [])
    if let moved = places.removeValue(forKey: former) {
      places[into] = ((places[into] ?? []) + moved).sorted()
    }
    return into
  }

  /// The units that have facts, in order.
  var units: [UInt32] { places.keys.sorted() }

  /// The unit and those it took in.
  func members(of unit: UInt32) -> [UInt32] { [unit] + (absorbed[unit] ?? []) }

  func isAbsorbed(_ unit: UInt32) -> Bool { gone.contains(unit) }

  /// The facts of `unit`, in the order of arrival.
  func facts(of unit: UInt32, in facts: [Fact]) -> [Fact] {
    (places[unit] ?? []).map { facts[Int($0)] }
  }
}
