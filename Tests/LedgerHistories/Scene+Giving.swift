import LedgerEvents

/// Scenes of queues and apps that contradict themselves, and of paid products that were not given.
extension Scene {
  /// Contradictory deliveries of one transaction, by either StoreKit.
  static func contradiction(_ random: inout SeededRandom) -> Script {
    let name = random.one(of: ["t1", "q1"] as [Name])
    var script: Script = []
    for _ in 0..<(2 + random.below(4)) {
      let kind = random.one(of: [
        EventKind.transactionFailed, .transactionFailed, .transactionPurchased,
        .transactionRestored, .transactionDeferred, .transactionFinished, .sessionStarted,
      ])
      let source = random.one(of: [
        EventSource(.storekit2), EventSource(.storekit2), EventSource(.storekit1),
        EventSource(.server),
      ])
      if kind == .sessionStarted {
        script.append((kind, of("d1")))
      } else {
        script.append((kind, queued(name, "non") { event, _ in event.source = source }))
      }
    }
    return script
  }

  /// One consumable that is fulfilled more than once. The purchase can come in between or last.
  static func givenTwice(_ random: inout SeededRandom) -> Script {
    let name = random.one(of: ["t2", "q2"] as [Name])
    let chain: Name? = random.one(of: [nil, "o2"])
    let given: Change = queued(name, original: chain)
    var script: Script = []
    for _ in 0..<(2 + random.below(3)) {
      let kind = random.one(of: [
        EventKind.purchaseFulfilled, .purchaseFulfilled, .purchaseFulfillmentFailed,
      ])
      script.append((kind, given))
    }
    let index = random.below(script.count + 1)
    let product = random.one(of: ["con", "con", "non"] as [Name])
    script.insert((.transactionPurchased, queued(name, product, original: chain)), at: index)
    if random.chance(1, in: 4) { script.remove(at: index) }
    return script
  }

  /// A purchase that is finished or removed, with verdicts on it in any order.
  static func notGiven(_ random: inout SeededRandom) -> Script {
    let name = random.one(of: ["t3", "q3"] as [Name])
    let product = random.one(of: ["con", "non", "nre", "sub"] as [Name])
    let kinds: [EventKind] = [
      .receiptAccepted, .receiptRejected, .receiptRejected, .purchaseFulfillmentFailed,
      .purchaseFulfillmentFailed, .purchaseFulfilled,
    ]
    var script: Script = [(.transactionPurchased, queued(name, product))]
    for _ in 0..<random.below(3) { script.append((random.one(of: kinds), queued(name))) }
    let end = random.one(of: [EventKind.transactionFinished, .transactionRemoved, .noteAdded])
    script.append((end, end == .noteAdded ? of("d1") : queued(name)))
    for _ in 0..<random.below(3) { script.append((random.one(of: kinds), queued(name))) }
    if random.chance(1, in: 3) {
      let copy = random.one(of: [name, "q4"])
      let kind = random.one(of: [EventKind.transactionRefunded, .transactionRefundReversed])
      script.append((kind, stored(copy, original: name)))
    }
    return script
  }

  /// Two purchases of one customer, and a restore of some of them.
  static func restoredInPart(_ random: inout SeededRandom) -> Script {
    let owner = random.one(of: ["A", "B"] as [Name])
    let asking: Name? = random.one(of: [owner, owner, owner, "B", nil])
    let device: Name? = random.one(of: ["d1", "d2", "d2", nil])
    let apps = [nil, nil, "com.example.one", "com.example.two"] as [Name?]
    let requested = random.one(of: apps)
    var bought: [(EventKind, Change)] = []
    for (name, product) in [("q5", "non"), ("q6", "nocat")] as [(Name, Name)] {
      let app = random.one(of: apps)
      bought.append(
        (
          .transactionPurchased,
          queued(name, product, original: random.one(of: [nil, name])) { event, _ in
            event.account = owner
            event.app = app
            event.data.members.removeAll { $0.name == "expiresAt" }
          }
        ))
    }
    let asked: Change = { event, _ in
      event.device = device
      event.session = nil
      event.environment = nil
      event.account = asking
      event.app = requested
    }
    var script: Script = bought + [(.restoreRequested, asked)]
    for copy in ["q7", "q8"] as [Name] where random.chance(1, in: 2) {
      let kind = random.one(of: [
        EventKind.transactionRestored, .transactionPurchased, .transactionFailed,
      ])
      let original = random.one(of: ["q5", "q6"] as [Name])
      script.append((kind, queued(copy, "non", device: device, original: original)))
    }
    if random.chance(1, in: 6) { script.append((.sessionStarted, of(device))) }
    let index = bought.count + 1 + random.below(script.count - bought.count)
    script.insert((.restoreCompleted, of(device)), at: index)
    if random.chance(1, in: 4) { script.append((.restoreCompleted, of(device))) }
    if random.chance(1, in: 4) { script.swapAt(0, bought.count) }
    return script
  }

  /// Deliveries at several launches during or after a download.
  static func longDownload(_ random: inout SeededRandom) -> Script {
    let other: Name = random.one(of: ["t4", "t4", "t4", "t5"])
    let kinds: [EventKind] = [
      .downloadRequested, .downloadWaiting, .downloadProgressed, .downloadPaused,
      .downloadFinished, .downloadFailed, .downloadCancelled,
    ]
    var script: Script = [(.transactionPurchased, queued("t4", "non"))]
    for _ in 0..<4 {
      if random.chance(1, in: 2) {
        let loading: Name? = random.one(of: ["d1", "d1", "d1", "d2"])
        script.append(
          (
            random.one(of: kinds),
            queued(other, device: loading) { event, _ in event.download = "c1" }
          ))
      }
      script.append((.sessionStarted, of("d1")))
      script.append((.transactionPurchased, queued("t4", "non")))
    }
    return script
  }

  /// Copies of one purchase held by two customers, each bought or family-shared.
  static func familyCopies(_ random: inout SeededRandom) -> Script {
    let names: [(Name, Name)] = [("q9", "A"), ("qa", "B"), ("q9", "A"), ("qb", "C")]
    return names.prefix(2 + random.below(3)).map { name, account in
      let isShared = random.chance(1, in: 2)
      return (
        .transactionPurchased,
        queued(name, "non", original: "q9") { event, text in
          event.account = account
          event.data.members.removeAll { $0.name == "ownership" || $0.name == "expiresAt" }
          if isShared { text.set("ownership", "familyShared") }
        }
      )
    }
  }

  /// Restore requests and payments that are made twice, with few answers.
  static func doubleTap(_ random: inout SeededRandom) -> Script {
    let device: Name? = random.one(of: ["d1", nil])
    var script: Script = []
    for _ in 0..<(3 + random.below(3)) {
      let kind = random.one(of: [
        EventKind.restoreRequested, .restoreRequested, .restoreCompleted, .restoreFailed,
        .sessionStarted, .paymentAdded, .paymentAdded,
      ])
      if kind == .paymentAdded {
        script.append(
          (kind, plain("A", "con", device: device) { event, _ in event.payment = "p1" }))
      } else {
        script.append((kind, of(device)))
      }
    }
    return script
  }
}
