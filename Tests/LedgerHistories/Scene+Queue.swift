import LedgerEvents

extension Scene {
  static func storm(_ random: inout SeededRandom) -> Script {
    let count = 10 + random.below(4)
    let launch = random.below(3) == 0 ? count - 2 : count + 1
    var script: Script = [(.restoreRequested, of("d1"))]
    let names = (0..<count).map { Name("r\($0)") }
    for name in names {
      let announced = "[{\"download\":\"c0\"}]"
      script.append(
        (.transactionRestored, queued(name, "non") { $1.set("downloads", raw: announced) }))
    }
    for (number, name) in names.enumerated() {
      if number == launch { script.append((.sessionStarted, of("d1"))) }
      script.append((.downloadRequested, queued(name) { event, _ in event.download = "c0" }))
    }
    script.append((.downloadRequested, queued("r0") { event, _ in event.download = "c1" }))
    return script
  }

  static func loop(_ random: inout SeededRandom) -> Script {
    var script: Script = []
    for number in 0..<4 {
      for device in ["d1", "d2"] as [Name?] {
        if number > 0 || random.chance(1, in: 2) { script.append((.sessionStarted, of(device))) }
        script.append((.transactionPurchased, queued("t1", "non", device: device)))
      }
      if random.chance(1, in: 6) { script.append((.transactionFinished, queued("t1"))) }
    }
    return script
  }

  static func purgedTwice(_ random: inout SeededRandom) -> Script {
    let announced = #"[{"download":"c1","contentVersion":"1.0"}]"#
    var script: Script = []
    for _ in 0..<2 {
      script.append(
        (.transactionPurchased, queued("t2", "non") { $1.set("downloads", raw: announced) }))
      script.append((.downloadFinished, queued("t2") { event, _ in event.download = "c1" }))
      script.append((.transactionFinished, queued("t2")))
    }
    if random.chance(1, in: 3) {
      script.append(
        (.contentInstallFailed, queued("t2", "non") { event, _ in event.download = "c1" }))
    }
    script.append((.contentPurged, of("d1")))
    return script
  }

  static func progress(_ random: inout SeededRandom) -> Script {
    var script: Script = [(.transactionPurchased, queued("t1", "non"))]
    for _ in 0..<6 {
      let progress = random.one(of: ["0.1", "0.3", "0.5", "0.70", "0.7", "0.9"])
      script.append(
        (
          .downloadProgressed,
          queued("t1") { event, text in
            event.download = "c1"
            text.set("progress", raw: progress)
          }
        ))
      if random.chance(1, in: 5) { script.append((.sessionStarted, of("d1"))) }
      if random.chance(1, in: 8) { script.append((.transactionFinished, queued("t1"))) }
      if random.chance(1, in: 8) {
        script.append((.downloadPaused, queued("t1") { event, _ in event.download = "c1" }))
      }
    }
    return script
  }

  static func restoreOverLaunch(_ random: inout SeededRandom) -> Script {
    let product: Name = random.one(of: ["non", "sub", "nocat"])
    let original: Name? = random.one(of: ["o1", "o1", nil])
    var script: Script = [(.restoreRequested, of("d1"))]
    for name in ["r1", "r2", "r3"] as [Name] {
      if random.chance(1, in: 4) { script.append((.sessionStarted, of("d1"))) }
      if random.chance(1, in: 4) { script.append((.restoreCompleted, of("d1"))) }
      script.append((.transactionRestored, queued(name, product, original: original)))
    }
    return script
  }

  static func serverDownloads(_ random: inout SeededRandom) -> Script {
    let announced = #"[{"download":"c1","host":"own"},{"download":"c2","contentVersion":"2"}]"#
    let more = #"[{"download":"c1"},{"download":"c2"}]"#
    let server: Change = { event, _ in
      event.download = "c1"
      event.source = EventSource(.server)
    }
    return [
      (.transactionPurchased, queued("t1", "non") { $1.set("downloads", raw: announced) }),
      (.downloadFinished, queued("t1", nil, server)),
      (.transactionPurchased, queued("t1", "non") { $1.set("downloads", raw: more) }),
      (.contentInstalled, plain("A", "non") { $1.set("contentVersion", "2.0") }),
      (.transactionFinished, queued("t1")),
      (.downloadRequested, queued("t1") { event, _ in event.download = "c2" }),
    ]
  }

  static func cancelledDownload(_ random: inout SeededRandom) -> Script {
    let announced = #"[{"download":"c1"}]"#
    let after = random.one(of: [
      EventKind.downloadWaiting, .downloadProgressed, .downloadFailed, .downloadPaused,
      .downloadResumeRequested, .downloadFinished, .downloadRequested,
    ])
    var script: Script = [
      (.transactionPurchased, queued("t1", "non") { $1.set("downloads", raw: announced) }),
      (.transactionFinished, queued("t1")),
      (after, queued("t1") { event, _ in event.download = "c1" }),
    ]
    if random.chance(1, in: 2) {
      script.append((.transactionPurchased, queued("t1", "non")))
      script.append((.transactionFinished, queued("t1")))
    }
    return script
  }

  /// A failure and a purchase in transactions that nothing else names. Both can have no owner, so
  /// that their devices decide.
  static func failure(_ random: inout SeededRandom) -> Script {
    let account: Name? = random.one(of: ["A", nil, nil])
    let isErased = account != nil && random.chance(1, in: 2)
    let failing = random.one(of: ["d1", "d2"] as [Name?])
    let owned: Change = { event, _ in event.account = account }
    var script: Script = [
      (.transactionRestored, queued("f1", "con", owned)),
      (.transactionFailed, queued("f1", "con", device: failing, owned)),
      (.transactionPurchased, queued("f2", "con") { event, _ in event.account = nil }),
    ]
    if isErased { script.insert((.accountErased, plain("A", device: nil)), at: 2) }
    if random.chance(1, in: 2) { script.remove(at: 0) }
    return script
  }

  /// A restored transaction is finished while one of its downloads was never started. Another one
  /// may have been requested, hosted by the app, or already installed.
  static func restoredAndFinished(_ random: inout SeededRandom) -> Script {
    let host = random.one(of: ["store", "own"])
    let announced = "[{\"download\":\"c1\"},{\"download\":\"c2\",\"host\":\"\(host)\"}]"
    var script: Script = [
      (.transactionRestored, queued("f3", "non") { $1.set("downloads", raw: announced) }),
      (
        .downloadRequested,
        queued("f3") { event, text in
          event.download = "c2"
          text.set("host", host)
        }
      ),
      (
        .downloadFinished,
        queued("f3") { event, text in
          event.download = "c2"
          text.set("host", host)
        }
      ),
      (.transactionFinished, queued("f3")),
    ]
    if random.chance(1, in: 2) { script.remove(at: 1) }
    return script
  }

  /// One transaction restored on two devices, each with another transaction of the same original.
  static func twoDevices(_ random: inout SeededRandom) -> Script {
    let original: Name? = random.one(of: ["r1", "o1"])
    var script: Script = []
    for device in ["d1", "d2"] as [Name?] {
      script.append((.restoreRequested, of(device)))
      if random.chance(1, in: 2) { script.append((.restoreCompleted, of(device))) }
      let first = random.one(of: [original, nil])
      script.append((.transactionRestored, queued("r1", "non", device: device, original: first)))
      script.append((.transactionRestored, queued("r2", "non", device: device, original: original)))
    }
    return script
  }

  /// Content that another purchase has already installed when it is requested again.
  static func thereAlready(_ random: inout SeededRandom) -> Script {
    let version = random.one(of: ["1", "1.0", "2"])
    let announced = "[{\"download\":\"c1\",\"contentVersion\":\"1.0\"},{\"download\":\"c2\"}]"
    let installing = random.one(of: ["t6", "t6", "t7"] as [Name])
    let asked = random.one(of: ["c1", "c1", "c2"] as [Name])
    let asks = random.one(of: [EventKind.downloadRequested, .downloadResumeRequested])
    let owned: Change = { event, _ in event.account = "A" }
    return [
      (.transactionPurchased, queued("t6", "non", owned)),
      (
        .contentInstalled,
        queued(installing, "non") { event, text in
          event.account = "A"
          event.download = nil
          text.set("contentVersion", version)
        }
      ),
      (
        .transactionPurchased,
        queued("t7", "non") { event, text in
          event.account = "A"
          text.set("downloads", raw: announced)
        }
      ),
      (asks, queued("t7") { event, _ in event.download = asked }),
      (.transactionFinished, queued("t7")),
    ]
  }

  static func unknownTypes(_ random: inout SeededRandom) -> Script {
    let transaction = random.one(of: ["t1", "t9"] as [Name])
    let environments: [StoreEnvironment] = [.sandbox, .xcode, .production]
    let environment = random.one(of: environments)
    return [
      (
        .noteAdded,
        { event, text in
          event.type = EventType(text: "tomorrow.news")
          event.transaction = transaction
          event.payment = "p9"
          event.environment = environment
          event.account = "C"
          text.set("signedAt", "not a time")
        }
      ),
      (.transactionDeferred, queued(transaction, "non") { event, _ in event.payment = "p9" }),
      (
        .transactionFinished,
        { event, _ in
          event.transaction = nil
          event.payment = "p9"
          event.environment = nil
        }
      ),
    ]
  }
}
