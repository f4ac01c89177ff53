package import Audit
import LedgerEvents
import LedgerModel
package import LedgerQueries

extension AnswerDifference {
  /// Writes gains, losses, changed entries and balances as members of an open object; `nil` means
  /// no difference.
  package static func writeChanges(_ difference: AnswerDifference?, to json: inout JSONText) {
    writeEntries(difference, to: &json)
    json.member("balances", each: difference?.balances ?? []) { json, balance in
      json.object { json in
        json.member("unit", balance.unit)
        json.member("before", balance.before)
        json.member("after", balance.after)
      }
    }
  }

  /// Writes gains, losses and changed entries as members of an open object; `nil` means no
  /// difference.
  package static func writeEntries(_ difference: AnswerDifference?, to json: inout JSONText) {
    json.member("gained", names: difference?.gained ?? [])
    json.member("lost", names: difference?.lost ?? [])
    json.member("entries", each: difference?.entries ?? []) { json, entry in
      let known = entry.after ?? entry.before
      json.object { json in
        json.member("product", known?.product)
        json.member("entitlement", known?.entitlement)
        json.key("before")
        write(entry.before, to: &json)
        json.key("after")
        write(entry.after, to: &json)
      }
    }
  }

  private static func write(_ entry: EntitlementsAnswer.Entry?, to json: inout JSONText) {
    guard let entry else {
      json.raw(nil)
      return
    }
    json.object { json in
      json.member("state", entry.state.text)
      json.member("entitlements", names: entry.entitlements)
      json.member("since", entry.since)
      json.member("expiresAt", entry.expiresAt)
    }
  }
}

extension CustomerDifference {
  /// The names of the members, in their order.
  package static let columns = [
    "account", "environment", "gained", "lost", "entries", "balances", "installed",
  ]

  /// Writes what changed for the customer.
  package func write(to json: inout JSONText) {
    json.object { json in
      json.member("account", account)
      json.member("environment", environment.text)
      AnswerDifference.writeChanges(answer, to: &json)
      json.member("installed", each: installed) { json, content in
        json.object { json in
          json.member("device", content.device)
          json.member("product", content.product)
          json.member("before", content.before)
          json.member("after", content.after)
        }
      }
    }
  }
}
