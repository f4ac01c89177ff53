import LedgerEvents

/// Marks how much a unit had observed of products at some point.
///
/// The tables of observations only grow while a unit advances, so newer observations come after
/// these marks. After a fold from the start, begin again with fresh marks.
package struct ObservationMarks {
  /// The lengths of the tables of one environment.
  struct Lengths: Equatable {
    var versions = 0
    var digests = 0
    var published = 0
    var contents = 0
  }

  /// By environment, in the order in which they were first seen.
  private var lengths: [(environment: StoreEnvironment, lengths: Lengths)] = []

  package init() {}

  func lengths(in environment: StoreEnvironment) -> Lengths {
    lengths.first { $0.environment == environment }?.lengths ?? Lengths()
  }

  fileprivate mutating func set(_ lengths: Lengths, in environment: StoreEnvironment) {
    if let known = self.lengths.firstIndex(where: { $0.environment == environment }) {
      self.lengths[known].lengths = lengths
    } else {
      self.lengths.append((environment, lengths))
    }
  }
}

/// The products of which a unit has observed something new.
package struct NewObservations {
  package var observed: Set<Unit.ObservedProduct> = []
  /// The products with events that are judged by what all units observed.
  package var judged: Set<Unit.ObservedProduct> = []
}

extension Unit {
  /// The products of which the unit has observed something since the marks were set. Moves the
  /// marks to the present state.
  ///
  /// - Complexity: O(*k*) in what was observed since.
  package func newObservations(since marks: inout ObservationMarks) -> NewObservations {
    var new = NewObservations()
    for index in environments.indices {
      let environment = environments[index].environment
      let before = marks.lengths(in: environment)
      let now = ObservationMarks.Lengths(
        versions: environments[index].versions.count, digests: environments[index].digests.count,
        published: environments[index].published.count,
        contents: environments[index].contents.count)
      if before == now { continue }
      marks.set(now, in: environment)
      func observed(_ product: NameNumber) -> ObservedProduct {
        ObservedProduct(environment: environment, product: product)
      }
      for version in environments[index].versions[before.versions...] {
        new.observed.insert(observed(version.product))
      }
      for digest in environments[index].digests[before.digests...] {
        new.observed.insert(observed(digest.product))
        new.judged.insert(observed(digest.product))
      }
      // Its version was observed with it or before, so it adds nothing to `observed`.
      for published in environments[index].published[before.published...] {
        new.judged.insert(observed(published.product))
      }
      for content in environments[index].contents[before.contents...]
      where content.holder == .nobody {
        new.observed.insert(observed(content.product))
      }
    }
    return new
  }
}

/// Marks how many findings of a unit are known. Findings that the unit adds while it advances come
/// after the marks.
package struct FindingMarks {
  private var counts: [(environment: StoreEnvironment, found: Int, late: Int)] = []

  package init() {}

  fileprivate mutating func move(
    in environment: StoreEnvironment, to found: Int, _ late: Int
  ) -> (found: Int, late: Int) {
    guard let known = counts.firstIndex(where: { $0.environment == environment }) else {
      counts.append((environment, found, late))
      return (0, 0)
    }
    let before = (counts[known].found, counts[known].late)
    counts[known] = (environment, found, late)
    return before
  }
}

extension Unit {
  /// The findings since the marks were set. Moves the marks to the present state.
  ///
  /// - Complexity: O(*k*) in the number of those findings.
  package func newFindings(since marks: inout FindingMarks) -> [Finding] {
    var new: [Finding] = []
    for index in environments.indices {
      let before = marks.move(
        in: environments[index].environment, to: environments[index].findings.count,
        environments[index].lateFindings.count)
      new += environments[index].findings[before.found...]
      new += environments[index].lateFindings[before.late...]
    }
    return new
  }
}
