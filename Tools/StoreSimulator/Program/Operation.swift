import LedgerEvents
import LedgerHistories

/// What is done to a ledger.
enum Operation: CaseIterable {
  case append, group, conflict, condition, question, past, interleaved, hold, release
  case fold, background, erase, rebuild, reopen, cut, backup, check

  /// How often each is drawn, of the sum of all.
  var weight: Int {
    switch self {
    case .append: 400
    case .group: 60
    case .conflict: 10
    case .condition: 20
    case .question: 60
    case .past: 20
    case .interleaved: 12
    case .hold, .release: 20
    case .fold: 20
    case .background: 40
    case .erase: 16
    case .rebuild: 3
    case .reopen: 6
    case .cut: 4
    case .backup: 2
    case .check: 2
    }
  }

  private static let total = allCases.reduce(0) { $0 + $1.weight }

  static func drawn(_ random: inout SeededRandom) -> Operation {
    var ticket = random.below(total)
    for operation in allCases {
      ticket -= operation.weight
      if ticket < 0 { return operation }
    }
    return .append
  }
}

/// How much was done.
struct Tally {
  enum Kind: String, CaseIterable {
    case event, repetition, refusal, question, fold, erasure, rebuild, open, close
    case powerCut = "power cut"
    case snapshot, backup, check
  }

  private(set) var counts: [Kind: Int] = [:]

  /// One for each event appended or recognized, batch refused, question answered, and every other
  /// operation.
  var operations: Int { counts.values.reduce(0, +) }

  mutating func count(_ kind: Kind, _ count: Int = 1) { counts[kind, default: 0] += count }

  mutating func add(_ other: Tally) { counts.merge(other.counts, uniquingKeysWith: +) }

  var text: String {
    Kind.allCases.compactMap { kind in
      counts[kind].map { $0.counted(kind.rawValue) }
    }.joined(separator: ", ")
  }
}
