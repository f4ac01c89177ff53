internal import LedgerEvents
internal import LedgerModel

/// What the runs of a search have reached together.
struct Reach {
  private var faults: UInt64 = 0
  /// Whether each command has had an effect, by index.
  private var commands: [Bool]
  /// The index after the last command that had its turn.
  private var cursor = 0
  /// The largest number of events of each kind in one run.
  private var counts = EventCounts()

  init(_ cast: Cast) { commands = Array(repeating: false, count: cast.script.count) }

  /// - Complexity: O(*n*) in the number of commands and kinds of events.
  mutating func note(_ play: Play) {
    faults |= play.world.struck
    cursor = max(cursor, play.world.cursor)
    for index in 0..<play.world.cursor
    where !commands[index] && !play.world.missed.contains(index) {
      commands[index] = true
    }
    counts.raise(to: play.recording.counts)
  }

  func unreached(_ cast: Cast, _ broken: Set<Breach>) -> Exploration.Unreached {
    var unreached = Exploration.Unreached()
    unreached.faults = Action.Verb.allCases.filter { $0.isFault && faults & $0.bit == 0 }
    unreached.commands = commands.indices.filter { !commands[$0] }.map {
      Exploration.UnreachedCommand(index: $0, reason: reason($0, cast))
    }
    for rule in Rule.allCases where !broken.contains(.rule(rule)) {
      guard let needs = rule.needs else {
        unreached.impossibleRules.append(rule)
        continue
      }
      if needs.allSatisfy({ group in group.contains { counts[$0] > 0 } }) {
        unreached.nearRules.append(rule)
      } else {
        unreached.farRules.append(rule)
      }
    }
    return unreached
  }

  private func reason(_ index: Int, _ cast: Cast) -> String {
    let scripted = cast.script[index]
    if index < cursor {
      return "nothing happened; this command has an effect only when \(scripted.command.need)"
    }
    if index == cursor, case .on(let kind, let nth) = scripted.moment, counts[kind] < nth {
      return "it waits for event \(nth) of type \(kind.text), and no run had more than "
        + "\(counts[kind])"
    }
    return index == cursor ? "its turn never came" : "no run came as far as this command"
  }
}

extension Action.Verb {
  /// The bit that represents this verb.
  var bit: UInt64 { 1 << UInt64(Self.allCases.firstIndex(of: self) ?? 0) }
}

extension Rule {
  /// What must be recorded before a simulated run can break the rule: one kind of event from each
  /// group.
  ///
  /// `nil` if no run can break it, because the simulator's clocks, errors and copies are never
  /// wrong and its apps pay for what they ask for.
  fileprivate var needs: [[EventKind]]? {
    let finish: [EventKind] = [.transactionFinished]
    let delivery: [EventKind] = [.transactionPurchased, .transactionRestored]
    return switch self {
    case .finishedBeforeDownload, .finishedUnknown, .finishedTwice: [finish]
    case .undelivered: [finish + [.transactionRemoved]]
    case .finishedWithoutDownload: [finish, [.transactionRestored]]
    case .finishedAfterFailedDownload: [finish, [.downloadFailed, .downloadCancelled]]
    case .finishedBeforeInstall: [finish, [.downloadFinished]]
    case .installFailedThenFinished: [finish, [.contentInstallStarted]]
    case .finishedWhilePurchasing: [finish, [.transactionPurchasing, .transactionDeferred]]
    case .finishedBeforeFulfillment:
      [finish, [.purchaseFulfilled, .purchaseFulfillmentFailed]]
    case .deliveredAfterFinish: [finish, delivery]
    case .fulfilledTwice: [[.purchaseFulfilled]]
    case .removedWithoutFinish: [[.transactionRemoved]]
    case .redelivered, .neverFinished, .accountChanged, .purchasedTwice: [delivery]
    case .deliveryLoop: [delivery, [.sessionStarted]]
    case .failedAfterPurchase: [delivery, [.transactionFailed]]
    case .downloadWithoutPayment: [[.downloadRequested], [.transactionFailed]]
    case .downloadAfterFinish: [finish, [.downloadRequested, .downloadResumeRequested]]
    case .installedBeforeDownload, .installInterrupted: [[.contentInstallStarted]]
    case .contentMissingAtInstall: [finish, [.contentPurged, .contentInstallFailed]]
    case .progressRegressed: [[.downloadProgressed]]
    case .downloadStalled, .redundantDownload: [[.downloadRequested]]
    case .installDowngraded: [[.contentInstalled]]
    case .versionNotIncreased: [[.contentVersionPublished]]
    case .restoredTwice, .originalShared: [[.transactionRestored]]
    case .restoreCompletedEarly: [[.restoreCompleted], [.transactionRestored]]
    case .restoreStorm: [[.transactionRestored], [.downloadRequested]]
    case .restoreUnanswered: [[.restoreRequested]]
    case .restoreIncomplete: [[.restoreCompleted], delivery]
    case .purchasedAfterFailure: [[.transactionFailed], [.transactionPurchased]]
    case .paymentUnanswered: [[.paymentAdded]]
    case .unfulfilled:
      [finish + [.transactionRemoved], [.purchaseFulfillmentFailed, .receiptRejected]]
    case .paymentNotAllowed, .invalidProduct, .fulfilledUnpurchased, .digestMismatch,
      .backupNotExcluded, .restoredWithoutOriginal, .failedWithoutError,
      .hostedContentUnsupported, .environmentMixed, .arrivedLate, .clockAhead, .clockStepped:
      nil
    }
  }
}
