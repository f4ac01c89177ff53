import Foundation
import LedgerEvents

extension Conformance {
  static func decoded(_ lines: [[UInt8]]) throws -> [EventInput] {
    let decoder = EventDecoder()
    return try lines.enumerated().map { try decoder.decode(line: $1, number: $0 + 1) }
  }

  static func instant(_ text: String) throws -> Instant {
    guard let instant = Instant(rfc3339: text) else {
      throw Unreadable(description: "\(text) is no time")
    }
    return instant
  }

  static func object(_ data: Data) throws -> [String: Any] {
    guard let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
      throw Unreadable(description: "the line is not an object")
    }
    return object
  }

  static func member<Value>(_ name: String, of object: [String: Any]) throws -> Value {
    guard let value = object[name] as? Value else {
      throw Unreadable(description: "member \(name) is missing or of another type")
    }
    return value
  }

  static func named<Value>(_ values: [String: Value]) -> [Name: Value] {
    Dictionary(uniqueKeysWithValues: values.map { (Name($0.key), $0.value) })
  }

  static func installed(_ value: Any?) throws -> [Name?: [Name: String]] {
    guard let devices = value as? [String: [String: String]] else {
      throw Unreadable(description: "`installed` is not versions by device and product")
    }
    var installed: [Name?: [Name: String]] = [:]
    for (device, products) in devices {
      installed[device.isEmpty ? nil : Name(device)] = named(products)
    }
    return installed
  }

  static func balances(_ value: Any?) throws -> [Name: Int64] {
    guard let value else { return [:] }
    guard let amounts = value as? [String: NSNumber] else {
      throw Unreadable(description: "`balances` is not numbers by unit")
    }
    return named(amounts.mapValues(\.int64Value))
  }

  static func expected(_ object: [String: Any]) throws -> Expected {
    let findings: [[Any]] = try member("findings", of: object)
    var accounts: [Name: Account] = [:]
    for (name, value) in try member("accounts", of: object) as [String: [String: Any]] {
      let active: [String] = try member("active", of: value)
      accounts[Name(name)] = Account(
        states: named(try member("states", of: value)), active: active.map { Name($0) },
        installed: try installed(value["installed"]),
        balances: try balances(value["balances"]))
    }
    return Expected(
      at: try instant(try member("at", of: object)),
      findings: try findings.map { pair in
        guard pair.count == 2, let rule = pair[0] as? String, let position = pair[1] as? NSNumber
        else { throw Unreadable(description: "a finding is not [rule, position]") }
        return Finding(rule: rule, position: position.uint64Value)
      },
      moment: try member("moment", of: object), accounts: accounts)
  }
}
