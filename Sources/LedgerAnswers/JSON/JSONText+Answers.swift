package import LedgerEvents

extension JSONText {
  package mutating func member(_ name: String, _ text: Name?) { member(name, text?.text) }

  package mutating func member(_ name: String, _ instant: Instant?) {
    member(name, instant?.rfc3339)
  }

  package mutating func member(_ name: String, names: [Name]) {
    member(name, strings: names.map(\.text))
  }

  /// A number as Swift writes it: the shortest that reads back as the same double.
  package mutating func member(_ name: String, _ number: Double?) {
    key(name)
    raw(number.map { "\($0)" })
  }

  /// One environment by its name, several as a list.
  package mutating func member(_ name: String, _ environments: [StoreEnvironment]) {
    if environments.count == 1 {
      member(name, environments[0].text)
    } else {
      member(name, strings: environments.map(\.text))
    }
  }
}
