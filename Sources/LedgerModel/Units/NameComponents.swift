package import LedgerEvents

/// The connected components of facts by the names that they share, without couplings.
///
/// A component has the number that `UnitSet` would give it as a unit.
package struct NameComponents {
  private var parents: [NameNumber: NameNumber] = [:]
  private var hasNameless = false
  private var rootCount = 0

  /// - Parameter facts: In the order of arrival, because the first name of a component gives it its
  ///   number.
  /// - Complexity: O(*n* α(*n*)) in the number of facts.
  init(of facts: [Fact]) {
    for fact in facts { add(UnitNodes(fact)) }
  }

  /// Whether all facts that name anything, besides some, are connected with a name.
  ///
  /// - Complexity: O(*n* α(*n*)) in the number of facts.
  package static func areOne(
    _ facts: [Fact], with name: NameNumber, besides isLeftOut: (Fact) -> Bool
  ) -> Bool {
    var components = NameComponents(of: facts)
    let wanted = components.component(of: name)
    if wanted == 0 { return false }
    return facts.allSatisfy { fact in
      isLeftOut(fact) || components.component(of: UnitNodes(fact).first) == wanted
    }
  }

  /// Facts by their components, in the order of the components' numbers.
  ///
  /// - Parameter facts: In the order of arrival.
  /// - Complexity: O(*n* α(*n*)) in the number of facts.
  package static func split(_ facts: [Fact]) -> [(number: UnitNumber, facts: [Fact])] {
    var components = NameComponents(of: facts)
    if components.count == 1, let first = facts.first {
      return [(components.component(of: UnitNodes(first).first), facts)]
    }
    var parts: [UnitNumber: [Fact]] = [:]
    for fact in facts {
      parts[components.component(of: UnitNodes(fact).first), default: []].append(fact)
    }
    return parts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The number of components. The facts without a name that connects are one of them.
  var count: Int { rootCount + (hasNameless ? 1 : 0) }

  /// Every name that connects, in no order.
  var names: some Collection<NameNumber> { parents.keys }

  /// The component of a name, or of the facts without one.
  mutating func component(of name: NameNumber?) -> UnitNumber {
    guard let name, let root = root(of: name) else { return 0 }
    return root
  }

  private mutating func add(_ nodes: UnitNodes) {
    var joined: NameNumber?
    for node in nodes {
      guard let root = root(of: node) else { continue }
      joined = joined.map { join($0, root) } ?? root
    }
    for node in nodes where parents[node] == nil {
      let root = joined ?? node
      if joined == nil { rootCount += 1 }
      parents[node] = root
      joined = root
    }
    if joined == nil { hasNameless = true }
  }

  private mutating func root(of name: NameNumber) -> NameNumber? {
    guard let parent = parents[name] else { return nil }
    var root = parent
    while let next = parents[root], next != root { root = next }
    if root != parent { parents[name] = root }
    return root
  }

  private mutating func join(_ first: NameNumber, _ second: NameNumber) -> NameNumber {
    if first == second { return first }
    let root = min(first, second)
    parents[max(first, second)] = root
    rootCount -= 1
    return root
  }
}
