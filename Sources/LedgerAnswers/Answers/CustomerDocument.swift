package import LedgerEvents
import LedgerModel
package import LedgerQueries

/// Everything that support asks first about one customer.
package struct CustomerDocument {
  /// The requested id.
  package let id: Name
  /// By what the customer was found.
  package let matches: [CustomerMatch]
  /// The customer's account ids, or what is known instead of them.
  package let title: String
  package let overview: CustomerOverview

  /// - Parameters:
  ///   - id: The requested id.
  ///   - customer: Who has it.
  ///   - overview: What is known of them.
  package init(id: Name, _ customer: CustomerAnswer, _ overview: CustomerOverview) {
    self.id = id
    matches = customer.matches
    title = customer.title
    self.overview = overview
  }

  /// The members of the document.
  package static let columns = [
    "id", "known", "matches", "accounts", "at", "position", "environment", "entitlements",
    "active", "balances", "nextChangeAt", "devices", "openTransactions", "findings", "events",
    "lastEvents",
  ]

  /// The document about an id that nobody has.
  ///
  /// - Parameters:
  ///   - id: The requested id.
  ///   - near: The customers with similar ids.
  package static func json(unknown id: Name, near: [CustomerAnswer]) -> String {
    var json = JSONText()
    json.object { json in
      json.member("id", id)
      json.member("known", false)
      json.member("near", strings: near.map(\.title))
    }
    return json.text
  }

  /// The document.
  package var json: String {
    let answer = overview.entitlements
    var json = JSONText()
    json.object { json in
      json.member("id", id)
      json.member("known", true)
      json.member("matches", each: matches) { $1.write(to: &$0) }
      json.member("accounts", names: overview.accounts)
      json.member("at", answer.at)
      json.member("position", answer.position)
      json.member("environment", answer.environments)
      json.member("entitlements", each: answer.entries) {
        $1.write(to: &$0, overview.unverified)
      }
      json.member("active", names: answer.active)
      json.member(
        "balances",
        object: { json in
          for balance in answer.balances { json.member(balance.unit.text, balance.amount) }
        })
      json.member("nextChangeAt", answer.nextChangeAt)
      json.member("devices", each: overview.devices) { $1.write(to: &$0) }
      json.member("openTransactions", each: overview.openTransactions) { $1.write(to: &$0) }
      json.member("findings", each: overview.findings) { $1.writeWithAdvice(to: &$0) }
      json.member("events", overview.eventCount)
      json.member("lastEvents", each: overview.lastEvents) { json, event in
        json.raw(String(decoding: EventEncoder().encode(event), as: UTF8.self))
      }
    }
    return json.text
  }
}

extension CustomerOverview.Device {
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("device", name)
      json.member("lastSeenAt", lastSeenAt)
      json.member("appVersion", appVersion)
      json.member("systemVersion", systemVersion)
      json.member("installed", each: installed) { json, content in
        content.write(to: &json, account: nil)
      }
    }
  }
}
