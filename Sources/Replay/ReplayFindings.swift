internal import LedgerEvents
internal import LedgerModel

/// The broken rules of the first table, kept up to date unit by unit, and their changes.
struct ReplayFindings {
  /// What is known about a unit.
  private struct Known {
    var isReported = false
    /// The findings of the unit alone.
    var own: [Finding] = []
    var marks = FindingMarks()
    /// The findings that are judged against the observations of all units, by product.
    var judged: [Unit.ObservedProduct: [Finding]] = [:]
    var observed: Set<Unit.ObservedProduct> = []
    var observationMarks = ObservationMarks()
  }

  private var units: [UnitNumber: Known] = [:]
  /// For each product, its observations and the units whose events are judged against them.
  private var products: [Unit.ObservedProduct: Product] = [:]
  private let texts: NumberedEvents
  private var added: [Finding] = []
  private var removed: [Finding] = []

  private struct Product {
    var judged: Set<UnitNumber> = []
    var observations = ProductObservations()
  }

  init(texts: NumberedEvents) { self.texts = texts }

  /// All findings, in order.
  ///
  /// - Complexity: O(*n* log *n*) in their number.
  var sorted: [Finding] {
    units.values.flatMap { known in known.own + known.judged.values.flatMap { $0 } }.sorted()
  }

  /// Returns the findings that have appeared and those that have disappeared since the last call,
  /// each in order.
  ///
  /// - Complexity: O(*k* log *k*) in their number.
  mutating func takeChanges() -> (broken: [Finding], settled: [Finding]) {
    if added.isEmpty && removed.isEmpty { return ([], []) }
    defer {
      added = []
      removed = []
    }
    return (Self.surplus(of: added, over: removed), Self.surplus(of: removed, over: added))
  }

  /// Returns the findings that are in one list more often than in the other.
  private static func surplus(of findings: [Finding], over others: [Finding]) -> [Finding] {
    if others.isEmpty { return findings.sorted() }
    var left: [Finding: Int] = [:]
    for finding in others { left[finding, default: 0] += 1 }
    return findings.sorted().filter { finding in
      guard let count = left[finding], count > 0 else { return true }
      left[finding] = count - 1
      return false
    }
  }

  /// Updates the findings of the units that facts have changed.
  ///
  /// - Complexity: O(*k*) in a unit's new findings and observations; O(*n*) in all of them if the
  ///   unit was folded from the start, or if a product's observations changed for other units.
  mutating func update(
    _ ledger: InMemoryLedger, _ changes: UnitChanges, isBackground: (UnitNumber) -> Bool
  ) {
    var lost: Set<Unit.ObservedProduct> = []
    for number in changes.absorbed { forget(number, &lost) }
    for number in changes.foldedAnew { forget(number, &lost) }
    for number in changes.written {
      guard let unit = ledger.unit(numbered: number) else { continue }
      look(at: unit, number, ledger, isReported: !isBackground(number))
    }
    // A fold from the start may have withdrawn observations against which others were judged.
    for product in lost where products[product] != nil {
      products[product]?.observations = ledger.observations(of: product)
      judgeAgain(product, ledger, except: nil)
    }
  }

  private mutating func forget(_ number: UnitNumber, _ lost: inout Set<Unit.ObservedProduct>) {
    guard let known = units.removeValue(forKey: number) else { return }
    removed += known.own
    for (product, findings) in known.judged {
      removed += findings
      products[product]?.judged.remove(number)
    }
    lost.formUnion(known.observed)
  }

  private mutating func look(
    at unit: Unit, _ number: UnitNumber, _ ledger: InMemoryLedger, isReported: Bool
  ) {
    var known = units.removeValue(forKey: number) ?? Known()
    if isReported && !known.isReported {
      // Nothing in the unit was judged while it was background.
      known.isReported = true
      known.observationMarks = ObservationMarks()
    }
    let before = known.observationMarks
    let new = unit.newObservations(since: &known.observationMarks)
    known.observed.formUnion(new.observed)
    if isReported {
      let found = unit.newFindings(since: &known.marks)
      known.own += found
      added += found
    }
    units[number] = known
    for product in new.observed.union(new.judged) {
      let isNew = products[product] == nil
      if isNew {
        guard isReported, new.judged.contains(product) else { continue }
        products[product] = Product(observations: ledger.observations(of: product))
      }
      let isChanged =
        !isNew
        && unit.addObservations(
          of: product, since: before, to: &products[product, default: Product()].observations,
          texts: texts)
      if isReported, new.judged.contains(product) {
        products[product]?.judged.insert(number)
        judge(product, in: unit, number, since: before)
      }
      if isChanged { judgeAgain(product, ledger, except: number) }
    }
  }

  /// Judges what a unit added: it is later than everything else in the unit, so it changes no other
  /// judgement there.
  private mutating func judge(
    _ product: Unit.ObservedProduct, in unit: Unit, _ number: UnitNumber,
    since marks: ObservationMarks
  ) {
    let found = findings(of: product, in: unit, since: marks)
    units[number]?.judged[product, default: []] += found
    added += found
  }

  private mutating func findings(
    of product: Unit.ObservedProduct, in unit: Unit, since marks: ObservationMarks
  ) -> [Finding] {
    unit.findings(
      of: product, against: &products[product, default: Product()].observations, since: marks,
      texts: texts)
  }

  private mutating func judgeAgain(
    _ product: Unit.ObservedProduct, _ ledger: InMemoryLedger, except own: UnitNumber?
  ) {
    for number in products[product]?.judged ?? [] where number != own {
      guard let unit = ledger.unit(numbered: number) else { continue }
      let found = findings(of: product, in: unit, since: ObservationMarks())
      let before = units[number]?.judged.updateValue(found, forKey: product) ?? []
      if found == before { continue }
      removed += before
      added += found
    }
  }
}
