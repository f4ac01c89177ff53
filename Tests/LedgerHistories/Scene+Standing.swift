import LedgerEvents

/// A time that the events of one scene share. The first event that needs it determines it.
private final class SharedMoment {
  private var moment: Int64?

  func first(_ wanted: Int64) -> Int64 {
    let first = moment ?? wanted
    moment = first
    return first
  }
}

extension Scene {
  private static func kind(_ product: Name, _ kind: String, _ more: String = "") -> Change {
    { event, text in
      event.environment = nil
      event.app = nil
      text.set("products", raw: "[{\"product\":\"\(product.text)\",\"kind\":\"\(kind)\"\(more)}]")
    }
  }

  static func upgrade(_ random: inout SeededRandom) -> Script {
    let offset = random.one(of: [0, Instant.hour, -Instant.day])
    let isUpgraded = random.chance(2, in: 3)
    let isSigned = random.chance(2, in: 3)
    let upgraded: Change = { event, text in
      let at = event.occurredAt.microseconds
      text.set("isUpgraded", isUpgraded)
      text.set("purchasedAt", time: at + offset)
      text.set("expiresAt", time: at + 40 * Instant.day)
      if isSigned {
        text.set("signedAt", time: at)
      } else {
        event.source = EventSource(.app)
      }
    }
    return [
      (.catalogSet, kind("sub", "autoRenewable", #","entitlements":["pro"],"duration":"P1M""#)),
      (.transactionPurchased, queued("t1", "sub") { event, _ in event.account = "A" }),
      (.subscriptionRenewed, stored("t2", "sub2", original: "t1", upgraded)),
      (.transactionPurchased, queued("t2", "sub2", original: "t1", upgraded)),
    ]
  }

  static func nonRenewing(_ random: inout SeededRandom) -> Script {
    let days = Int64(random.below(20))
    let dated: Change = { event, text in
      event.account = "B"
      text.set("purchasedAt", time: event.occurredAt.microseconds - days * Instant.day)
    }
    var script: Script = [
      (.catalogSet, kind("nre", "nonRenewing", #","duration":"P7D""#)),
      (.transactionRestored, queued("t4", "nre", original: "o2", dated)),
      (.transactionPurchased, queued("t5", "nre", original: "o2")),
    ]
    if random.chance(1, in: 2) { script.swapAt(1, 2) }
    return script
  }

  static func restoredOnly(_ random: inout SeededRandom) -> Script {
    let owned: Change = { event, text in
      event.account = "A"
      text.set("purchasedAt", time: event.occurredAt.microseconds)
    }
    var script: Script = [
      (.catalogSet, kind("sub", "autoRenewable", #","duration":"P1D""#)),
      (.transactionRestored, queued("t1", "sub", original: "o1", owned)),
      (.transactionRestored, queued("t2", "sub", original: "o1", owned)),
    ]
    if random.chance(1, in: 2) {
      script.append(
        (
          .subscriptionRenewalExtended,
          stored("t2", original: "o1") { event, text in
            text.set("expiresAt", time: event.occurredAt.microseconds + 9 * Instant.day)
          }
        ))
    }
    return script
  }

  static func graceHosted(_ random: inout SeededRandom) -> Script {
    let announced = #"[{"download":"c1"}]"#
    let grace: Change = { event, text in
      text.set(
        "gracePeriodExpiresAt", time: event.occurredAt.microseconds + 900 * Instant.day)
    }
    return [
      (.catalogSet, kind("sub", "autoRenewable", #","entitlements":["pro"],"duration":"PT1H""#)),
      (
        .transactionPurchased,
        queued("t3", "sub") { event, text in
          event.account = "A"
          text.set("downloads", raw: announced)
          text.set("expiresAt", time: event.occurredAt.microseconds + 1)
        }
      ),
      (.transactionFinished, queued("t3")),
      (.subscriptionGracePeriodEntered, stored("t3", nil, grace)),
    ]
  }

  /// Two periods that start and can end at the same time, and a fact that names only the original.
  static func originalFacts(_ random: inout SeededRandom) -> Script {
    let later = random.one(of: [0, 0, 1, Instant.hour])
    let days = Int64(random.below(60))
    let shared = SharedMoment()
    let isAtStart = random.chance(1, in: 3)
    let products = random.one(of: [["sub", "sub2"], ["nocat", "nocat"]] as [[Name]])
    var script: Script = []
    for (name, product) in zip(["t1", "t2"] as [Name], products) {
      script.append(
        (
          .subscriptionRenewed,
          stored(name, product, original: "o2") { event, text in
            event.account = "A"
            let start = shared.first(event.occurredAt.microseconds + later)
            text.set("purchasedAt", time: start)
            if !isAtStart { text.set("expiresAt", time: start + 20 * Instant.day) }
          }
        ))
    }
    let kinds: [EventKind] = [
      .subscriptionBillingRecovered, .subscriptionRenewalExtended, .subscriptionExpired,
    ]
    script.append(
      (
        random.one(of: kinds),
        stored(nil, original: "o2") { event, text in
          text.set("expiresAt", time: event.occurredAt.microseconds + days * Instant.day)
          if isAtStart {
            event.occurredAt = Instant(microseconds: shared.first(event.occurredAt.microseconds))
          }
        }
      ))
    return script
  }

  static func expiry(_ random: inout SeededRandom) -> Script {
    let before = random.one(of: [-Instant.day, Instant.day, 20 * Instant.day])
    let signed = random.one(of: [-Instant.day, Instant.day])
    var script: Script = [
      (.catalogSet, kind("sub", "autoRenewable")),
      (.catalogSet, kind("sub2", "autoRenewable", #","duration":"P1Y""#)),
    ]
    for (number, product) in (["sub", "sub2", "sub"] as [Name]).enumerated() {
      script.append(
        (
          .subscriptionRenewed,
          stored("t1", product) { event, text in
            let at = event.occurredAt.microseconds
            event.account = "A"
            text.set("signedAt", time: at + signed * Int64(number))
            if number > 0 { text.set("expiresAt", time: at + 9 * Instant.day * Int64(number)) }
          }
        ))
    }
    script.append(
      (
        .subscriptionExpired,
        stored("t1") { event, text in
          text.set("expiresAt", time: event.occurredAt.microseconds + before)
        }
      ))
    script.append((.transactionRefunded, stored("t2", original: "t1")))
    return script
  }

  static func lateCatalogue(_ random: inout SeededRandom) -> Script {
    let product = random.one(of: ["nocat", "con"] as [Name])
    let twice =
      "[{\"product\":\"\(product.text)\",\"kind\":\"consumable\",\"grants\":{\"credits\":4}},"
      + "{\"product\":\"\(product.text)\",\"kind\":\"nonConsumable\"}]"
    return [
      (.transactionPurchased, queued("t5", product) { event, _ in event.account = "A" }),
      (.catalogSet, kind(product, "consumable", #","grants":{"credits":9}"#)),
      (.catalogSet, kind(product, "nonConsumable", #","entitlements":["max"]"#)),
      (
        .catalogSet,
        { event, text in
          event.environment = nil
          text.set("products", raw: twice)
        }
      ),
    ]
  }
}
