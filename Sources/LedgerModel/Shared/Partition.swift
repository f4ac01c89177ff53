import LedgerEvents

/// Facts cut into units: two facts with a node in common belong together, and so do units that
/// touch one coupling which any of them writes. Facts without a node are a part of their own.
struct Partition {
  /// By fact: its representative, halved on the way.
  private var parents: [Int]
  private var factByNode: [NameNumber: Int] = [:]
  /// The first fact without any node.
  private var loose: Int?
  private var current: [[Int]] = []

  init(_ facts: [Fact]) {
    parents = Array(facts.indices)
    for place in facts.indices {
      var isLoose = true
      for node in UnitNodes(facts[place]) {
        isLoose = false
        if let known = factByNode[node] {
          join(known, place)
        } else {
          factByNode[node] = place
        }
      }
      if isLoose {
        if let loose { join(loose, place) } else { loose = place }
      }
    }
  }

  /// The facts' places by part, parts in the order of their first facts.
  mutating func parts() -> [[Int]] {
    var partByRoot: [Int: Int] = [:]
    current = []
    for place in parents.indices {
      let root = root(of: place)
      if let part = partByRoot[root] {
        current[part].append(place)
      } else {
        partByRoot[root] = current.count
        current.append([place])
      }
    }
    return current
  }

  /// Joins the parts whose units share what one of them writes; returns whether any were joined.
  mutating func joinCoupled(_ units: [Unit]) -> Bool {
    var users: [Coupling: (parts: [Int], isWritten: Bool)] = [:]
    for (part, unit) in units.enumerated() {
      for use in unit.couplings {
        users[use.coupling, default: ([], false)].parts.append(part)
        if use.writes { users[use.coupling]?.isWritten = true }
      }
    }
    var joined = false
    for (_, user) in users where user.isWritten {
      for part in user.parts.dropFirst() {
        let left = root(of: current[user.parts[0]][0])
        let right = root(of: current[part][0])
        if left == right { continue }
        join(left, right)
        joined = true
      }
    }
    return joined
  }

  /// The part that each name belongs to, after `parts()`.
  mutating func unitByName() -> [NameNumber: Int] {
    var partByRoot: [Int: Int] = [:]
    for (part, places) in current.enumerated() { partByRoot[root(of: places[0])] = part }
    var units: [NameNumber: Int] = [:]
    for (node, place) in factByNode { units[node] = partByRoot[root(of: place)] }
    return units
  }

  private mutating func root(of place: Int) -> Int {
    var place = place
    while parents[place] != place {
      parents[place] = parents[parents[place]]
      place = parents[place]
    }
    return place
  }

  private mutating func join(_ left: Int, _ right: Int) {
    let leftRoot = root(of: left)
    let rightRoot = root(of: right)
    parents[max(leftRoot, rightRoot)] = min(leftRoot, rightRoot)
  }
}

extension Unit {
  /// What the unit's fold touched of what units share on the absent device.
  public var couplings: [CouplingUse] { environments.flatMap(\.couplings) }
}
