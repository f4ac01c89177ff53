import LedgerEvents

extension EnvironmentState {
  /// Tracks the sequences of a session on its device.
  mutating func reduceClock(_ fact: Fact, _ step: Step) {
    let key = Identity.Statement(fact).sessionKey
    var index = sessionIndex.find(key)
    if index < 0 {
      index = sessionIndex.append(key)
      sessions.append(SessionClock())
    }
    if sessions[index].time != fact.occurredAt {
      sessions[index].highestBefore = max(
        sessions[index].highestBefore, sessions[index].highestAtTime)
      sessions[index].time = fact.occurredAt
    }
    sessions[index].highestAtTime = max(sessions[index].highestAtTime, fact.sequence)
    if ClockStepped.breaks(fact.sequence, sessions[index]) {
      sessions[index].isFound = true
      report(.clockStepped, fact, step)
    }
  }

  /// Keeps a dated store fact until the batch's facts can be judged in the order of arrival.
  mutating func noteArrival(_ fact: Fact, _ step: Step) {
    let chain: Int
    if step.transaction != none {
      chain = transactions[step.transaction].chain
    } else if fact.original != 0 {
      chain = indexOfChain(fact.original)
    } else {
      return
    }
    arrivals.append(
      Arrival(
        chain: chain, storeTime: fact.storeTime, finding: finding(.arrivedLate, fact, step)))
  }

  /// Judges the batch's dated store facts in the order of arrival. All facts of earlier batches
  /// arrived before them.
  mutating func judgeArrivals() {
    if arrivals.isEmpty { return }
    let isSorted = arrivals.indices.dropFirst().allSatisfy {
      arrivals[$0 - 1].finding.position < arrivals[$0].finding.position
    }
    if !isSorted { arrivals.sort { $0.finding.position < $1.finding.position } }
    for arrival in arrivals {
      let latest = chains[arrival.chain].latestStoreTime
      if ArrivedLate.breaks(arrival.storeTime, latest: latest) {
        lateFindings.append(arrival.finding)
      }
      chains[arrival.chain].latestStoreTime = max(latest, arrival.storeTime)
    }
    arrivals.removeAll(keepingCapacity: true)
  }
}
