import LedgerModel
package import LedgerQueries

/// Findings per thousand purchases, with one decimal.
package enum PerThousand {
  /// `nil` if nothing was purchased.
  package static func text(_ findings: Int?, _ purchases: Int?) -> String? {
    guard let findings, let purchases, purchases > 0 else { return nil }
    let tenths = (findings * 10_000 + purchases / 2) / purchases
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension HealthReport {
  /// The names of the members of a version, in their order.
  ///
  /// - Parameter name: What it is a version of.
  package static func columns(_ name: String) -> [String] {
    [name, "before", "customers", "purchases", "purchasesBefore", "rules"]
  }
}

extension HealthReport.Version {
  /// Writes the version with the rates of its findings.
  ///
  /// - Parameters:
  ///   - json: Where to.
  ///   - name: What it is a version of.
  package func write(to json: inout JSONText, name: String) {
    json.object { json in
      json.member(name, version)
      json.member("before", before)
      json.member("customers", customers)
      json.member("purchases", purchases)
      json.member("purchasesBefore", purchasesBefore)
      json.member("rules", each: rules) { json, rate in
        json.object { json in
          json.member("rule", rate.rule.id)
          json.member("severity", rate.rule.severity.text)
          json.member("change", rate.change.text)
          json.member("findings", rate.findings)
          json.key("perThousand")
          json.raw(PerThousand.text(rate.findings, purchases))
          json.member("findingsBefore", rate.findingsBefore)
          json.key("perThousandBefore")
          json.raw(PerThousand.text(rate.findingsBefore, purchasesBefore))
        }
      }
    }
  }
}
