internal import LedgerModel
internal import LedgerQueries

/// A finding as a page shows it.
struct PageFinding {
  var finding: FindingAnswer
  /// The step that revealed it; `nil` if it only exists at the end.
  var broken: Int?
  /// The step that settled it; `nil` if it still exists at the end.
  var settled: Int?
}

extension ReplayHistory {
  /// All findings of the steps, in the order in which they were revealed, then those of the end.
  ///
  /// - Complexity: O(*n*) in the findings and the steps.
  var pageFindings: [PageFinding] {
    var found: [PageFinding] = []
    var open: [String: [Int]] = [:]
    for (index, step) in steps.enumerated() {
      for finding in step.settled {
        guard let settled = open["\(finding)"]?.popLast() else { continue }
        found[settled].settled = index
      }
      for finding in step.broken {
        open["\(finding)", default: []].append(found.count)
        found.append(PageFinding(finding: finding, broken: index))
      }
    }
    return found + outcome.findingsAtTheEnd.map { PageFinding(finding: $0) }
  }
}
