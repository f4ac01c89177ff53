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

  /// Consecutive positions that were left out for the same reason.
  public struct Gap: Hashable, Sendable {
    public let positions: ClosedRange<UInt64>
    /// Why they were left out.
    public let reason: String
  }

  /// Consecutive events that were moved to other positions, in the same order.
  public struct Move: Hashable, Sendable {
    /// Their former positions.
    public let old: ClosedRange<UInt64>
    /// The new position of the first one.
    public let new: UInt64
  }

  /// The number of events in the damaged ledger, as far as is known.
  public let lastPosition: UInt64
  /// The number of events in the new ledger.
  public let kept: UInt64
  /// Whether it may have had more: its newest commit cannot be read, or does not hold as many
  /// events as it counts, and nothing beside the log says how far it went.
  public let mayHaveHadMore: Bool
  /// Up to this position, everything is as it was, with the same roots of the tree. It is before
  /// the first event that was left out, and before the first one with a name that nothing proves.
  public let unbrokenThrough: UInt64
  /// The positions that were left out, in order.
  public let gaps: [Gap]
  /// The events that got another position, in order. An event keeps its position if none before it
  /// was left out.
  public let moves: [Move]
  /// The number of kept events that the tree neither proves nor contradicts, because something near
  /// them is missing, or that use a name that nothing proves. Their checksums are right.
  public let unproven: UInt64
  /// The former positions of these events, in order.
  public let unprovenPositions: [ClosedRange<UInt64>]
  /// The number of names that kept events use and that nothing proves: the tree does not, because
  /// something near the event that introduced them is missing, and no key does. A name has no
  /// checksum, so each of them may be another one than was written.
  public let namesUnproven: Int
  /// The number of kept events that the tree contradicts, because a node of the tree is damaged or
  /// a record was changed on purpose.
  public let contradicted: UInt64
  /// The former positions of kept events whose personal texts are lost.
  public let textsLost: [UInt64]
  /// The number of kept names of people that can no longer be read.
  public let namesLost: Int
  /// The number of kept names of people whose keys are zeros in the key file, although the list of
  /// what was erased does not contain them. They stay encrypted. A better copy of the key file can
  /// still decrypt them, unless the list is damaged: then they may have been erased.
  public let namesWithoutKey: Int
  /// The former positions of kept events whose personal texts cannot be read for the same reason.
  public let textsWithoutKey: [UInt64]
  /// Whether the list of what was erased is damaged, so that a name or text without a key may have
  /// been erased.
  public let mayHaveErased: Bool
  /// The number of names in which a flipped bit was turned back, because the tree then proves them.
  public let namesRepaired: Int
  /// Why the names and texts of people are given up; `nil` if the key file is intact.
  public let keysGivenUp: String?
  /// What else was damaged, and what was done about it.
  public let notes: [String]
  /// The damaged pages of the log.
  public let pages: [Page]

  /// Whether nothing was lost, as far as is known, and every kept name is the one that was written.
  public var isComplete: Bool {
    !mayHaveHadMore && gaps.isEmpty && textsLost.isEmpty && namesLost == 0 && keysGivenUp == nil
      && namesWithoutKey == 0 && textsWithoutKey.isEmpty && namesUnproven == 0
  }
}

extension SalvagePlan {
  /// Kept erasures whose leaves may have changed, because rows about them are lost.
  private var changedErasures: [UInt64] {
    if erasures.isWhole { return [] }
    return source.erasures.filter {
      missing[$0] == nil && $0 <= last && (!proof.isProven($0) || erasures.changed.contains($0))
    }
  }

  /// How many of these names a kept event uses.
  private func usedNames(_ names: Set<NameNumber>) -> Int { numbersUsed(among: names).count }

  /// The kept events that the tree does not prove together with all their names.
  private var unproven: (count: UInt64, positions: [ClosedRange<UInt64>]) {
    var (count, ranges) = (UInt64(0), [ClosedRange<UInt64>]())
    for position in positions {
      let isUnproven = !proof.isProven(position) && !proof.isContradicted(position)
      guard isUnproven || usingUnproven.contains(position) else { continue }
      count += 1
      if let last = ranges.last, last.upperBound + 1 == position {
        ranges[ranges.count - 1] = last.lowerBound...position
      } else {
        ranges.append(position...position)
      }
    }
    return (count, ranges)
  }

  /// The last position before which nothing is missing or may have changed.
  private func unbrokenThrough(_ gaps: [SalvageReport.Gap]) -> UInt64 {
    let broken = [
      gaps.first?.positions.lowerBound, changedErasures.first, usingUnproven.min(),
    ]
    return broken.compactMap { $0 }.min().map { $0 - 1 } ?? last
  }

  /// What the plan keeps and leaves out.
  func report(mayHaveHadMore: Bool, notes: [String]) -> SalvageReport {
    var gaps: [SalvageReport.Gap] = []
    var moves: [SalvageReport.Move] = []
    var (kept, contradicted) = (UInt64(0), UInt64(0))
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
      if proof.isContradicted(position) { contradicted += 1 }
      guard kept != position else { continue }
      if let move = moves.last, move.old.upperBound + 1 == position {
        moves[moves.count - 1] = SalvageReport.Move(
          old: move.old.lowerBound...position, new: move.new)
      } else {
        moves.append(SalvageReport.Move(old: position...position, new: kept))
      }
    }
    let unproven = unproven
    return SalvageReport(
      lastPosition: last, kept: kept, mayHaveHadMore: mayHaveHadMore,
      unbrokenThrough: unbrokenThrough(gaps), gaps: gaps, moves: moves, unproven: unproven.count,
      unprovenPositions: unproven.positions, namesUnproven: usedNames(namesUnproven),
      contradicted: contradicted, textsLost: textsLost.sorted(),
      namesLost: usedNames(namesLost), namesWithoutKey: usedNames(namesWithoutKey),
      textsWithoutKey: textsWithoutKey.sorted(), mayHaveErased: !erasures.isWhole,
      namesRepaired: source.repaired.count, keysGivenUp: keys.fault,
      notes: notes
        + (erasures.isWhole || namesWithoutKey.isEmpty && textsWithoutKey.isEmpty
          ? []
          : [
            "the list of what was erased is damaged, so names and texts whose keys are zeros may "
              + "have been erased"
          ])
        + changedErasures.map {
          "the list of what the erasure at position \($0) destroyed is damaged: it stays "
            + "destroyed, and is shown as encrypted"
        },
      pages: source.faults.sorted { $0.page < $1.page }.map {
        SalvageReport.Page(number: $0.page, table: $0.table, reason: $0.reason)
      })
  }
}
