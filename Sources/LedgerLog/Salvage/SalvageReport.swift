internal import LedgerEvents
internal import PageReading

/// What was saved of a damaged ledger, and what was not.
public struct SalvageReport: Sendable {
  /// A damaged page of the log.
  public struct Page: Hashable, Sendable {
    /// Its number in the file, from 0.
    public let number: UInt64
    /// The table that it belongs to, if that is known.
    public let table: String?
    /// What is wrong with it.
    public let reason: String
  }

  /// Positions that were left out for the same reason, one behind the other.
  public struct Gap: Hashable, Sendable {
    public let positions: ClosedRange<UInt64>
    /// Why.
    public let reason: String
  }

  /// Events that have kept their order and got other positions.
  public struct Move: Hashable, Sendable {
    /// Where they were.
    public let old: ClosedRange<UInt64>
    /// The new position of the first of them.
    public let new: UInt64
  }

  /// How many events the damaged ledger had, as far as is known.
  public let lastPosition: UInt64
  /// How many events the new ledger has.
  public let kept: UInt64
  /// Whether it may have had more: its newest commit cannot be read, and nothing beside the log
  /// says how far that went.
  public let mayHaveHadMore: Bool
  /// Up to this position, everything is as it was, with the same roots of the tree.
  public let unbrokenThrough: UInt64
  /// What was left out, in order.
  public let gaps: [Gap]
  /// What got another position, in order; nothing if nothing was left out before it.
  public let moves: [Move]
  /// How many kept events the tree neither proves nor contradicts, because something beside them is
  /// missing. They have their checksums.
  public let unproven: UInt64
  /// How many kept events the tree contradicts: a node of the tree is damaged, or a record was
  /// changed on purpose.
  public let contradicted: UInt64
  /// Kept events whose personal texts are lost, by their old positions.
  public let textsLost: [UInt64]
  /// How many names of people are kept and can no longer be read.
  public let namesLost: Int
  /// How many names had a flipped bit, which was turned back because the tree then proves them.
  public let namesRepaired: Int
  /// Why the names and texts of people are given up; nil if the key file is whole.
  public let keysGivenUp: String?
  /// What else was damaged, and what was done about it.
  public let notes: [String]
  /// The damaged pages of the log.
  public let pages: [Page]

  /// Whether nothing was lost, as far as is known.
  public var isComplete: Bool {
    !mayHaveHadMore && gaps.isEmpty && textsLost.isEmpty && namesLost == 0 && keysGivenUp == nil
  }
}

extension SalvagePlan {
  /// Erasures that are kept, and whose leaves may be others, because rows about them are lost.
  private var changedErasures: [UInt64] {
    if erasures.isWhole { return [] }
    return source.erasures.filter {
      missing[$0] == nil && $0 <= last && (!proof.isProven($0) || erasures.changed.contains($0))
    }
  }

  /// What the plan keeps and leaves out.
  func report(mayHaveHadMore: Bool, notes: [String]) -> SalvageReport {
    var gaps: [SalvageReport.Gap] = []
    var moves: [SalvageReport.Move] = []
    var (kept, unproven, contradicted) = (UInt64(0), UInt64(0), UInt64(0))
    for position in 1..<last + 1 {
      if let reason = missing[position] {
        if let gap = gaps.last, gap.positions.upperBound + 1 == position, gap.reason == reason {
          gaps[gaps.count - 1] = SalvageReport.Gap(
            positions: gap.positions.lowerBound...position, reason: reason)
        } else {
          gaps.append(SalvageReport.Gap(positions: position...position, reason: reason))
        }
        continue
      }
      kept += 1
      if proof.isContradicted(position) {
        contradicted += 1
      } else if !proof.isProven(position) {
        unproven += 1
      }
      guard kept != position else { continue }
      if let move = moves.last, move.old.upperBound + 1 == position {
        moves[moves.count - 1] = SalvageReport.Move(
          old: move.old.lowerBound...position, new: move.new)
      } else {
        moves.append(SalvageReport.Move(old: position...position, new: kept))
      }
    }
    return SalvageReport(
      lastPosition: last, kept: kept, mayHaveHadMore: mayHaveHadMore,
      unbrokenThrough: min(
        gaps.first.map { $0.positions.lowerBound - 1 } ?? last,
        changedErasures.first.map { $0 - 1 } ?? last), gaps: gaps,
      moves: moves, unproven: unproven, contradicted: contradicted, textsLost: textsLost.sorted(),
      namesLost: namesLost.count, namesRepaired: source.repaired.count, keysGivenUp: keys.fault,
      notes: notes
        + changedErasures.map {
          "the list of what the erasure at position \($0) destroyed is damaged: it stays "
            + "destroyed, and is shown as encrypted"
        },
      pages: source.faults.sorted { $0.page < $1.page }.map {
        SalvageReport.Page(number: $0.page, table: $0.table, reason: $0.reason)
      })
  }
}
