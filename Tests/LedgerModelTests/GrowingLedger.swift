import LedgerEvents

@testable import LedgerModel

/// Keeps units as a store does: as bytes between batches, advanced if the new facts allow it, and
/// otherwise folded again from all of their facts.
struct GrowingLedger {
  private struct Part {
    var facts: [Fact]
    var state: [UInt8]?
    var nodes: Set<NameNumber>
  }

  private let texts: any FactTexts
  private(set) var context = SharedContext()
  private var parts: [Part] = []
  /// How often a batch advanced a unit, and how often a unit was folded again.
  private(set) var advances = 0
  private(set) var refolds = 0

  init(texts: any FactTexts) { self.texts = texts }

  /// The facts and the state of each unit.
  var units: [(facts: [Fact], state: [UInt8])] {
    parts.map { ($0.facts, $0.state ?? []) }
  }

  mutating func append(_ batch: [Fact]) throws {
    var change = ContextChange()
    for fact in batch { context.extend(with: fact, texts, &change) }
    for index in parts.indices {
      guard let state = parts[index].state else { continue }
      if try Unit(decoding: state).isAffected(by: change) { parts[index].state = nil }
    }
    var fresh: [Int: [Fact]] = [:]
    for fact in batch {
      let index = part(joining: Set(UnitNodes(fact)), &fresh)
      fresh[index, default: []].append(fact)
      parts[index].facts.append(fact)
    }
    for (index, facts) in fresh { try advance(index, facts) }
    for index in parts.indices where parts[index].state == nil && !parts[index].facts.isEmpty {
      refold(index)
    }
  }

  private mutating func advance(_ index: Int, _ facts: [Fact]) throws {
    guard let state = parts[index].state else { return }
    var unit = try Unit(decoding: state)
    let sorted = facts.sorted { FoldKey($0).precedes(FoldKey($1), texts) }
    if unit.advance(sorted, FoldContext(context: context, texts: texts)) {
      parts[index].state = unit.encoded()
      advances += 1
    } else {
      parts[index].state = nil
    }
  }

  private mutating func refold(_ index: Int) {
    parts[index].state =
      UnitSet.fold(connected: parts[index].facts, context: context, texts: texts).encoded()
    refolds += 1
  }

  /// Returns the part for a fact with these nodes. Parts that it connects are merged and will be
  /// folded again.
  private mutating func part(
    joining nodes: Set<NameNumber>, _ fresh: inout [Int: [Fact]]
  ) -> Int {
    let touched = parts.indices.filter {
      !parts[$0].facts.isEmpty
        && (nodes.isEmpty ? parts[$0].nodes.isEmpty : !parts[$0].nodes.isDisjoint(with: nodes))
    }
    guard let first = touched.first else {
      parts.append(Part(facts: [], state: Unit().encoded(), nodes: nodes))
      return parts.count - 1
    }
    parts[first].nodes.formUnion(nodes)
    for other in touched.dropFirst() {
      parts[first].facts += parts[other].facts
      parts[first].nodes.formUnion(parts[other].nodes)
      parts[first].state = nil
      parts[other] = Part(facts: [], state: nil, nodes: [])
      fresh[first, default: []] += fresh.removeValue(forKey: other) ?? []
    }
    return first
  }
}
