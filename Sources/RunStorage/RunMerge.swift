internal import LMDB

/// A merge of the entries of several runs within a range, in order and without duplicates.
struct RunMerge {
  private let table: Table
  private var sources: [RunSource]
  private var heads: LoserTree
  private var last: UInt128 = 0
  private var hasLast = false

  /// Begins a merge of `runs`.
  ///
  /// - Complexity: O(*r*) lookups for *r* runs.
  init(
    _ runs: [RunDescription], of table: Table, range: RunRange, in view: TransactionView
  ) throws(RunsError) {
    self.table = table
    sources = runs.map { RunSource($0, range: range) }
    var heads: [UInt128] = []
    var cursor = try RunCursor(view, table)
    for index in sources.indices {
      _ = try sources[index].refill(&cursor)
      heads.append(try sources[index].pop(view, table))
    }
    self.heads = LoserTree(heads)
  }

  /// Appends entries until `entries` has `count` or none are left. Returns false in the latter
  /// case.
  ///
  /// - Complexity: O(*n* log *r*) for *n* entries of *r* runs.
  /// - Throws: ``RunsError``, also if a run is not in order.
  mutating func fill(
    _ entries: inout [RunEntry], upTo count: Int, in view: TransactionView
  ) throws(RunsError) -> Bool {
    let start = entries.count
    entries.append(contentsOf: repeatElement(.least, count: max(count - start, 0)))
    var end = start
    var room = entries.mutableSpan
    var hasMore = true
    while end < count {
      let order = heads.least
      if order == .max {
        hasMore = false
        break
      }
      let next = try sources[heads.winner].pop(view, table)
      heads.replaceLeast(with: next)
      if order <= last {
        guard order == last else { throw .corrupt("A sorted run is not in order") }
        if hasLast { continue }
      }
      last = order
      hasLast = true
      room[end] = RunEntry(order: order)
      end &+= 1
    }
    entries.removeLast(entries.count - end)
    return hasMore
  }
}

/// A tournament tree of numbers. The least is on top, and replacing it takes log₂ *n* games.
///
/// Donald Knuth, The Art of Computer Programming, volume 3, section 5.4.1, "a tree of losers".
struct LoserTree {
  private struct Player {
    var number: UInt128
    var index: Int
  }

  /// The losers of games 1, 2 and so on. The players of game *g* come from the games 2*g* and 2*g*
  /// + 1.
  private var losers: [Player]
  private var champion: Player

  /// Begins with `numbers`. The greatest possible number means that a player has no entries left.
  init(_ numbers: [UInt128]) {
    var size = 1
    while size < numbers.count { size *= 2 }
    var winners = Array(repeating: Player(number: .max, index: 0), count: 2 * size)
    for index in 0..<size {
      let number = index < numbers.count ? numbers[index] : .max
      winners[size + index] = Player(number: number, index: index)
    }
    losers = Array(repeating: Player(number: .max, index: 0), count: size)
    for game in stride(from: size - 1, to: 0, by: -1) {
      let (left, right) = (winners[2 * game], winners[2 * game + 1])
      let leftWins = left.number <= right.number
      winners[game] = leftWins ? left : right
      losers[game] = leftWins ? right : left
    }
    champion = winners[1]
  }

  /// The index of the player with the least number.
  @inline(__always)
  var winner: Int { champion.index }

  /// The least number.
  @inline(__always)
  var least: UInt128 { champion.number }

  /// Replaces the least number with `number`.
  @inline(__always)
  mutating func replaceLeast(with number: UInt128) {
    var best = Player(number: number, index: champion.index)
    var game = (best.index &+ losers.count) &>> 1
    while game > 0 {
      let other = losers[game]
      let otherWins = other.number < best.number
      losers[game] = otherWins ? best : other
      best = otherWins ? other : best
      game &>>= 1
    }
    champion = best
  }
}
