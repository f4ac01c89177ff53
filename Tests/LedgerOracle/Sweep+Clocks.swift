import LedgerEvents

/// The sequences that one session of a device has stated so far.
struct SessionClock {
  /// The highest sequence stated before `newestAt`.
  var highestBefore: Int64?
  var newestAt: Int64
  /// The highest sequence stated at `newestAt`.
  var highestAt: Int64
  var wasTold = false
}

extension Sweep {
  func checkClocks(_ seen: Seen) {
    if seen.isClockAhead { note("clock-ahead", seen) }
    guard let session = seen.event.session, let sequence = seen.event.sequence else { return }
    let span = Arrangement.DeviceSession(device: seen.event.device, session: session)
    guard var clock = clocks[span] else {
      clocks[span] = SessionClock(newestAt: seen.at, highestAt: sequence)
      return
    }
    if seen.at > clock.newestAt {
      clock.highestBefore = max(clock.highestBefore ?? .min, clock.highestAt)
      clock.newestAt = seen.at
      clock.highestAt = sequence
    } else {
      clock.highestAt = max(clock.highestAt, sequence)
    }
    if let highest = clock.highestBefore, sequence < highest, !clock.wasTold {
      clock.wasTold = true
      note("clock-stepped", seen)
    }
    clocks[span] = clock
  }

  /// Notes `arrived-late`, the only rule that depends on positions.
  func noteLateArrivals() {
    var highest: [TransactionKey: Int64] = [:]
    for seen in world.events.sorted(by: { $0.position < $1.position }) where seen.canArriveLate {
      guard let chain = world.chain(of: seen) else { continue }
      if let known = highest[chain], seen.rank < known { note("arrived-late", seen) }
      highest[chain] = max(highest[chain] ?? .min, seen.rank)
    }
  }
}

extension Seen {
  fileprivate var canArriveLate: Bool {
    guard isStoreFact else { return false }
    switch kind {
    case .transactionPurchased, .transactionRestored, .transactionRefunded,
      .transactionRefundReversed, .transactionRevoked:
      return true
    default: return isOfSubscriptions
    }
  }
}
