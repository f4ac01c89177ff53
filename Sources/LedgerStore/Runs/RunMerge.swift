internal import LMDB

/// The entries of several runs within a range, merged in order, each once.
struct RunMerge {
  private let table: Table
  private let range: RunRange
  private var sources: [RunSource]
  private var heads: LoserTree
  private var last: UInt128?

  /// Begins a merge of the runs `ids`.
  ///
  /// - Complexity: O(*r*) look-ups for *r* runs.
  init(
    _ ids: [UInt32], of table: Table, range: RunRange, in view: TransactionView
  ) throws(RunsError) {
    self.table = table
    self.range = range
    sources = ids.map { RunSource(id: $0, range: range) }
    var heads: [UInt128] = []
    for index in sources.indices { heads.append(try sources[index].pop(view, table)) }
    self.heads = LoserTree(heads)
  }

  /// Appends entries until `entries` holds `count` or none are left; false in the latter case.
  ///
  /// - Complexity: O(*n* log *r*) for *n* entries of *r* runs.
  /// - Throws: ``RunsError``, also when a run proves not to be in order.
  mutating func fill(
    _ entries: inout [RunEntry], upTo count: Int, in view: TransactionView
  ) throws(RunsError) -> Bool {
    while entries.count < count {
      let order = heads.least
      if order == .max { return false }
      let next = try sources[heads.winner].pop(view, table)
      heads.replaceLeast(with: next)
      if let last, order <= last {
        guard order == last else { throw .corrupt("A sorted run is not in order") }
        continue
      }
      last = order
      let straight = range.isDescending ? RunSource.mirrored(order) : order
      entries.append(RunEntry(order: straight))
    }
    return true
  }
}

/// A tournament of numbers: the least is on top, and replacing it plays log₂ *n* games.
///
/// Donald Knuth, The Art of Computer Programming, volume 3, section 5.4.1, "a tree of losers".
struct LoserTree {
  private var numbers: [UInt128]
  private var losers: [Int]

  /// The place of the least number.
  private(set) var winner: Int

  /// Begins with `numbers`; the greatest number stands for nothing.
  init(_ numbers: [UInt128]) {
    var size = 1
    while size < numbers.count { size *= 2 }
    self.numbers = numbers + Array(repeating: .max, count: size - numbers.count)
    losers = Array(repeating: 0, count: size)
    // Winners of each game from the leaves up; the leaf of number i stands at size + i.
    var winners = Array(repeating: 0, count: size) + Array(0..<size)
    for game in stride(from: size - 1, to: 0, by: -1) {
      let (left, right) = (winners[2 * game], winners[2 * game + 1])
      let leftWins = self.numbers[left] <= self.numbers[right]
      winners[game] = leftWins ? left : right
      losers[game] = leftWins ? right : left
    }
    winner = size == 1 ? 0 : winners[1]
  }

  /// The least number.
  @inline(__always)
  var least: UInt128 { numbers[winner] }

  /// Puts `number` in the place of the least one.
  @inline(__always)
  mutating func replaceLeast(with number: UInt128) {
    var champion = winner
    numbers[champion] = number
    var best = number
    var game = (champion &+ losers.count) &>> 1
    while game > 0 {
      let loser = losers[game]
      if numbers[loser] < best {
        losers[game] = champion
        champion = loser
        best = numbers[loser]
      }
      game &>>= 1
    }
    winner = champion
  }
}
