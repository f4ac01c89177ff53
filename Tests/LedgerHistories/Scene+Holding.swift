import LedgerEvents

extension Scene {
  private static func version(_ version: String) -> Change {
    { $1.set("contentVersion", version) }
  }

  private static func to(_ account: Name, _ other: Name) -> Change {
    plain(account, device: nil) { $1.set("to", other) }
  }

  static func linkedContent(_ random: inout SeededRandom) -> Script {
    let join = random.one(of: [EventKind.accountLinked, .accountTransferred])
    var script: Script = [
      (.contentInstalled, plain("A", "non", version("1.1"))),
      (.contentInstalled, plain("B", "non", version("1.0"))),
      (.contentRemoved, plain(random.one(of: ["A", "B"]), "non")),
      (join, to("A", "B")),
      (.contentInstalled, plain("B", "non2", version("1"))),
      (.contentRemoved, plain(random.one(of: ["A", "B"]), "non2")),
      (.contentInstalled, plain("B", "non", version("0.9"))),
    ]
    if random.chance(1, in: 2) { script.swapAt(0, 1) }
    if random.chance(1, in: 2) { script.remove(at: 2) }
    return script
  }

  static func digests(_ random: inout SeededRandom) -> Script {
    (0..<4).map { _ in
      let device = random.one(of: ["d1", "d1", "d2"] as [Name?])
      let account = random.one(of: ["A", "B"] as [Name])
      let number = random.one(of: ["1", "1.0", "1.0.0"])
      let digest = random.one(of: ["x", "x", "y", "z"])
      let path = random.one(of: [nil, nil, "/a"])
      return (
        .contentInstalled,
        plain(account, "non", device: device) { event, text in
          event.data.members.removeAll { $0.name == "path" }
          text.set("contentVersion", number)
          text.set("digest", digest)
          if let path { text.set("path", path) }
        }
      )
    }
  }

  static func transferredInstall(_ random: inout SeededRandom) -> Script {
    let announced = #"[{"download":"c1"}]"#
    var script: Script = [
      (
        .transactionPurchased,
        queued("t6", "nocat") { event, text in
          event.account = "A"
          text.set("downloads", raw: announced)
        }
      ),
      (.transactionFinished, queued("t6")),
      (.contentInstalled, plain(random.one(of: ["A", nil, "C"]), "nocat", version("1"))),
      (.accountTransferred, to("A", "B")),
    ]
    if random.chance(1, in: 3) { script.append((.accountErased, plain("B", device: nil))) }
    return script
  }

  static func ownerless(_ random: inout SeededRandom) -> Script {
    let owned: Change = { event, _ in event.account = "A" }
    let nobody: Change = { event, _ in event.account = nil }
    var script: Script = [
      (.transactionPurchased, queued("t7", "non", original: "o7", owned)),
      (.accountTransferred, to("A", "C")),
      (.transactionPurchased, queued("t8", "non", original: "o7", nobody)),
      (.accountErased, plain("C", device: nil)),
      (.transactionRestored, queued("t9", "non", original: "o7", nobody)),
    ]
    if random.chance(1, in: 2) { script.swapAt(1, 2) }
    if random.chance(1, in: 2) { script.swapAt(0, 2) }
    return script
  }

  /// One customer buys a product again under another original transaction. The first purchase can
  /// change before or after that.
  static func boughtTwice(_ random: inout SeededRandom) -> Script {
    let product = random.one(of: ["non", "non2", "nocat"] as [Name])
    let ownership = random.one(of: ["purchased", "purchased", "familyShared"])
    let holder = random.one(of: ["A", "A", "B"] as [Name])
    let originals = random.one(of: [["o8", "o9"], ["o8", nil], [nil, "o9"]] as [[Name?]])
    func bought(_ account: Name) -> Change {
      { event, text in
        event.account = account
        event.data.members.removeAll { $0.name == "expiresAt" || $0.name == "ownership" }
        text.set("ownership", ownership)
      }
    }
    var script: Script = [
      (.transactionPurchased, queued("t6", product, original: originals[0], bought(holder))),
      (.transactionDeferred, queued("t7", product, original: originals[0], bought("A"))),
      (.transactionPurchased, queued("t8", product, original: originals[1], bought("A"))),
    ]
    let verdicts = [
      EventKind.transactionRefunded, .transactionRefundReversed, .transactionRevoked,
    ]
    for _ in 0..<random.below(3) {
      let index = 1 + random.below(script.count)
      script.insert((random.one(of: verdicts), stored("t6")), at: index)
    }
    return script
  }
}
