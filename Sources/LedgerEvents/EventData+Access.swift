extension EventData {
  /// The member called `name`, taken apart; `nil` where there is none, or where what was put in by
  /// hand is no JSON.
  ///
  /// - Complexity: O(*n*) in the size of the member.
  public func value(_ name: String) -> JSONValue? {
    guard let json = self[name] else { return nil }
    do { return try JSONValue(json: json) } catch { return nil }
  }

  /// The text of a string.
  public func string(_ name: String) -> String? { value(name)?.string }

  /// The text of a string, as a name.
  public func name(_ name: String) -> Name? { string(name).map { Name($0) } }

  /// An integer that is written as one.
  public func integer(_ name: String) -> Int64? { value(name)?.integer }

  /// The nearest double to a number.
  public func double(_ name: String) -> Double? { value(name)?.double }

  /// A number's digits, as they were written.
  public func numberText(_ name: String) -> String? { value(name)?.numberText }

  /// A truth value.
  public func boolean(_ name: String) -> Bool? { value(name)?.boolean }

  /// The instant of a time of RFC 3339.
  public func instant(_ name: String) -> Instant? { value(name)?.instant }

  /// The elements of an array.
  public func array(_ name: String) -> [JSONValue]? { value(name)?.array }

  /// The members of an object, in the order in which they stand.
  public func object(_ name: String) -> [(name: String, value: JSONValue)]? { value(name)?.object }
}
