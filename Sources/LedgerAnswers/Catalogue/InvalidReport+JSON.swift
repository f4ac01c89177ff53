import LedgerEvents
package import ProductCatalogue

extension InvalidReport {
  /// Writes the report as an object.
  package func write(to json: inout JSONText) {
    json.object { json in
      json.member("responses", responses)
      json.member("identifiers", each: identifiers) { $1.write(to: &$0) }
      json.key("allInvalid")
      if let allInvalid { allInvalid.write(to: &json) } else { json.raw(nil) }
      json.member("failures", each: failures) { $1.write(to: &$0) }
    }
  }
}

extension InvalidReport.AllInvalid {
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("responses", responses)
      json.member("devices", devices)
      json.member("lastSeen", lastSeen)
      json.member("position", position)
      json.member("settledAt", settledAt)
      json.member("check", each: settledAt == nil ? InvalidCause.allCases : []) { json, cause in
        json.object { json in
          json.member("cause", cause.rawValue)
          json.member("text", cause.text)
        }
      }
    }
  }
}

extension InvalidReport.Failure {
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("domain", domain)
      json.member("code", code)
      json.member("message", message)
      json.member("requests", requests)
      json.member("devices", devices)
      json.member("lastSeen", lastSeen)
      json.member("position", position)
    }
  }
}

extension InvalidIdentifier {
  /// Writes the identifier with what it may be meant for.
  package func write(to json: inout JSONText) {
    json.object { json in
      json.member("identifier", identifier)
      json.member("responses", responses)
      json.member("devices", devices)
      json.member("firstSeen", firstSeen)
      json.member("lastSeen", lastSeen)
      json.member("position", position)
      json.member("hints", each: hints) { json, hint in
        json.object { json in
          json.member("code", hint.code)
          json.member("product", hint.product)
          json.member("text", hint.text)
        }
      }
    }
  }
}

extension PaymentBlock {
  /// Writes the device with what was tried on it.
  package func write(to json: inout JSONText) {
    json.object { json in
      json.member("device", device)
      json.member("accounts", names: accounts)
      json.member("since", since)
      json.member("lastChecked", lastChecked)
      json.member("position", position)
      json.member("attempts", each: attempts) { json, attempt in
        json.object { json in
          json.member("position", attempt.position)
          json.member("occurredAt", attempt.occurredAt)
          json.member("account", attempt.account)
          json.member("product", attempt.product)
          json.member("payment", attempt.payment)
        }
      }
    }
  }
}
